/* Questions to the public header that have no answer, and errors with their places. */
#include "sepal/sepal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const double x[] = {0, 1, 2, 3, 4, 5};
static const char *const labels[] = {"a", "a", "b", "a", "b", "b"};

static sepal_data *rows(sepal_ctx *ctx) {
    sepal_data *data;
    assert_int_equal(sepal_data_dense(&data, ctx, x, 6, 1, labels, NULL), SEPAL_OK);
    return data;
}

/* Numbers of a kind that does not exist. */
static void no_such_numbers(void **state) {
    (void)state;
    static const int kinds[] = {SEPAL_CONTRIBUTIONS + 1, 99, 1 << 30, -1};
    sepal_ctx *ctx;
    sepal_model *model;
    assert_int_equal(sepal_ctx_new(&ctx), SEPAL_OK);
    sepal_data *data = rows(ctx);
    assert_int_equal(sepal_model_fit(&model, NULL, ctx, "logistic", data, NULL), SEPAL_OK);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        sepal_output what = (sepal_output)kinds[i];
        double numbers[64] = {0};
        int32_t classes[6];
        char *name;
        sepal_predictions answers = {.size = sizeof answers, .numbers = numbers, .what = what};
        assert_int_equal(sepal_model_predict_rows(&answers, ctx, model, data, 0, 6, NULL),
                         SEPAL_EUSAGE);
        assert_non_null(strstr(sepal_ctx_error(ctx), "no numbers of kind"));
        assert_int_equal(sepal_model_predict_check(ctx, model, &what, NULL), SEPAL_EUSAGE);
        assert_int_equal(sepal_model_outputs(model, what), 0);
        assert_int_equal(sepal_model_output_name(&name, ctx, model, what, 0), SEPAL_EUSAGE);
        /* where no numbers are asked for, their kind says nothing */
        answers = (sepal_predictions){
            .size = sizeof(sepal_predictions), .classes = classes, .what = what};
        assert_int_equal(sepal_model_predict_rows(&answers, ctx, model, data, 0, 6, NULL),
                         SEPAL_OK);
    }
    sepal_model_free(model);
    sepal_data_free(data);
    sepal_ctx_free(ctx);
}

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* One line says where, as far as there is a place: file, line, column. */
static void errors_have_their_place(void **state) {
    (void)state;
    static const struct {
        const char *path, *text, *begins;
    } cases[] = {{"bad.csv", "u,v,class\n1,2,a\n3,4x,b\n5,6,a\n", "bad.csv:3:"},
                 {"bad.svm", "1 1:2\n-1 1:3 1:4\n", "bad.svm:2:"}};
    sepal_ctx *ctx;
    sepal_data *data = NULL;
    assert_int_equal(sepal_ctx_new(&ctx), SEPAL_OK);
    assert_string_equal(sepal_ctx_error(ctx), "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text(cases[i].path, cases[i].text);
        assert_int_equal(sepal_data_read(&data, ctx, cases[i].path, NULL), SEPAL_EDATA);
        sepal_place place = sepal_ctx_error_place(ctx);
        char whole[4096];
        (void)snprintf(whole, sizeof whole, "%s:%zu:%zu: %s", place.file, place.line, place.column,
                       sepal_ctx_error_message(ctx));
        assert_true(place.line > 0 && place.column > 0);
        assert_string_equal(sepal_ctx_error(ctx), whole);
        assert_true(strstr(whole, cases[i].begins) == whole);
    }
    sepal_model *model;
    write_text("bad.sepal", "no model");
    assert_int_equal(sepal_model_load(&model, ctx, "bad.sepal"), SEPAL_EMODEL);
    assert_true(strstr(sepal_ctx_error(ctx), "bad.sepal: this is not") == sepal_ctx_error(ctx));
    assert_int_equal(sepal_model_fit_check(ctx, "no-such", NULL), SEPAL_EUSAGE);
    assert_string_equal(sepal_ctx_error(ctx), sepal_ctx_error_message(ctx));
    assert_int_equal(sepal_model_fit_check(ctx, "logistic", NULL), SEPAL_OK);
    assert_string_equal(sepal_ctx_error(ctx), "");
    assert_string_equal(sepal_ctx_error_message(ctx), "");
    sepal_ctx_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_such_numbers),
        cmocka_unit_test(errors_have_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
