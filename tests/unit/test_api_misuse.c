/* The public interface used wrongly: NULL for every pointer, numbers past the end, data of another
   model, unknown enum values, a context after an error. Each gives a status and a message, or the
   value that means "nothing"; none crashes. */
#include "sepal/sepal.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* An allocation that cannot be had fails, under the sanitizers too. */
SEPAL_API const char *__asan_default_options(void); /* NOLINT(bugprone-reserved-identifier) */
SEPAL_API const char *__tsan_default_options(void); /* NOLINT(bugprone-reserved-identifier) */
const char *__asan_default_options(void) {          /* NOLINT(bugprone-reserved-identifier) */
    return "allocator_may_return_null=1";
}
const char *__tsan_default_options(void) { /* NOLINT(bugprone-reserved-identifier) */
    return "allocator_may_return_null=1";
}

enum { ROWS = 24, COLUMNS = 2 };

static sepal_ctx *ctx;
static sepal_data *data; /* three classes a, b, c */
static sepal_model *model;
static double x[ROWS * COLUMNS];
static const char *labels[ROWS];

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int set_up(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b", "c"};
    for (size_t i = 0; i < ROWS; i++) {
        labels[i] = names[i % 3];
        for (size_t j = 0; j < COLUMNS; j++)
            x[i * COLUMNS + j] = (double)(i % 3 == j ? 4 : 1) + sin((double)(i * i + j));
    }
    if (sepal_ctx_new(&ctx) != SEPAL_OK) return -1;
    sepal_ctx_set_threads(ctx, 1);
    if (sepal_data_dense(&data, ctx, x, ROWS, COLUMNS, labels, NULL) != SEPAL_OK) return -1;
    if (sepal_fit(&model, NULL, ctx, "lda", data, NULL) != SEPAL_OK) return -1;
    write_file("rows.csv", "p,q,class\n1,2,a\n3,4,b\n2,0,a\n5,1,b\n");
    return sepal_model_save(ctx, model, "misuse.sepal") == SEPAL_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    sepal_model_free(model);
    sepal_data_free(data);
    sepal_ctx_free(ctx);
    return 0;
}

/* ---- NULL for one argument after the other -------------------------------------------------- */

/* Each function calls the one it is named after with good arguments, but NULL for number `omit`. */
#define ARG(number, value) (omit == (number) ? NULL : (value))

static sepal_status call_data_read(int omit) {
    sepal_data *made = NULL;
    sepal_status status =
        sepal_data_read(ARG(1, &made), ARG(2, ctx), ARG(3, "rows.csv"), ARG(4, "target=class"));
    sepal_data_free(made);
    return status;
}

static sepal_status call_data_read_for(int omit) {
    sepal_data *made = NULL;
    sepal_status status = sepal_data_read_for(ARG(1, &made), ARG(2, ctx), ARG(3, model),
                                              ARG(4, "for.csv"), ARG(5, "header=yes"), 1);
    sepal_data_free(made);
    return status;
}

static sepal_status call_data_dense(int omit) {
    double weights[ROWS];
    sepal_data *made = NULL;
    for (size_t i = 0; i < ROWS; i++) weights[i] = 1;
    sepal_status status = sepal_data_dense(ARG(1, &made), ARG(2, ctx), ARG(3, x), ROWS, COLUMNS,
                                           ARG(4, labels), ARG(5, weights));
    sepal_data_free(made);
    return status;
}

static sepal_status call_data_split(int omit) {
    sepal_data *rest = NULL, *part = NULL;
    sepal_status status =
        sepal_data_split(ARG(1, &rest), ARG(2, &part), ARG(3, ctx), ARG(4, data), 0.5);
    sepal_data_free(rest);
    sepal_data_free(part);
    return status;
}

static sepal_status call_data_write(int omit) {
    return sepal_data_write(ARG(1, ctx), ARG(2, data), ARG(3, "out.csv"), ARG(4, "csv"));
}

static sepal_status call_data_labels_path(int omit) {
    char *path = NULL;
    sepal_status status = sepal_data_labels_path(ARG(1, &path), ARG(2, ctx), ARG(3, data),
                                                 ARG(4, "out.npy"), ARG(5, "npy"));
    sepal_text_free(path);
    return status;
}

static sepal_status call_data_describe(int omit) {
    sepal_report *report = NULL;
    sepal_status status = sepal_data_describe(ARG(1, &report), ARG(2, ctx), ARG(3, data));
    sepal_report_free(report);
    return status;
}

static sepal_status call_data_column_name(int omit) {
    char *name = NULL;
    sepal_status status = sepal_data_column_name(ARG(1, &name), ARG(2, ctx), ARG(3, data), 1);
    sepal_text_free(name);
    return status;
}

static sepal_status call_fit(int omit) {
    sepal_model *made = NULL;
    sepal_report *report = NULL;
    sepal_status status = sepal_fit(ARG(1, &made), ARG(2, &report), ARG(3, ctx), ARG(4, "lda"),
                                    ARG(5, data), ARG(6, "tol=1e-3"));
    sepal_model_free(made);
    sepal_report_free(report);
    return status;
}

static sepal_status call_fit_check(int omit) {
    return sepal_fit_check(ARG(1, ctx), ARG(2, "lda"), ARG(3, "tol=1e-3"));
}

static sepal_status call_model_save(int omit) {
    return sepal_model_save(ARG(1, ctx), ARG(2, model), ARG(3, "saved.sepal"));
}

static sepal_status call_model_stage(int omit) {
    sepal_staged *staged = NULL;
    sepal_status status =
        sepal_model_stage(ARG(1, &staged), ARG(2, ctx), ARG(3, model), ARG(4, "saved.sepal"));
    sepal_staged_free(staged);
    return status;
}

static sepal_status call_staged_commit(int omit) {
    sepal_staged *staged = NULL;
    assert_int_equal(sepal_model_stage(&staged, ctx, model, "saved.sepal"), SEPAL_OK);
    sepal_status status = sepal_staged_commit(ARG(1, ctx), ARG(2, staged));
    sepal_staged_free(staged);
    return status;
}

static sepal_status call_model_load(int omit) {
    sepal_model *made = NULL;
    sepal_status status = sepal_model_load(ARG(1, &made), ARG(2, ctx), ARG(3, "misuse.sepal"));
    sepal_model_free(made);
    return status;
}

static sepal_status call_model_inspect(int omit) {
    sepal_report *report = NULL;
    sepal_status status = sepal_model_inspect(ARG(1, &report), ARG(2, ctx), ARG(3, model));
    sepal_report_free(report);
    return status;
}

static sepal_status call_model_output_name(int omit) {
    char *name = NULL;
    sepal_status status =
        sepal_model_output_name(ARG(1, &name), ARG(2, ctx), ARG(3, model), SEPAL_SCORES, 2);
    sepal_text_free(name);
    return status;
}

static sepal_status call_predict(int omit) {
    int32_t out[ROWS];
    return sepal_predict(ARG(1, out), ARG(2, ctx), ARG(3, model), ARG(4, data));
}

static sepal_status call_scores(int omit) {
    double out[ROWS * 3];
    return sepal_scores(ARG(1, out), ARG(2, ctx), ARG(3, model), ARG(4, data));
}

static sepal_status call_answer(int omit) {
    double numbers[ROWS * 3];
    int32_t classes[ROWS];
    sepal_answers out = {
        .classes = ARG(6, classes), .numbers = ARG(7, numbers), .what = SEPAL_PROBABILITIES};
    return sepal_answer(ARG(1, &out), ARG(2, ctx), ARG(3, model), ARG(4, data), 0, ROWS,
                        ARG(5, "decide=soft"));
}

static sepal_status call_answer_check(int omit) {
    sepal_output what = SEPAL_PROBABILITIES;
    return sepal_answer_check(ARG(1, ctx), ARG(2, model), ARG(3, &what), ARG(4, "decide=soft"));
}

static sepal_status call_evaluate(int omit) {
    sepal_report *report = NULL;
    sepal_status status = sepal_evaluate(ARG(1, &report), ARG(2, ctx), ARG(3, model), ARG(4, data),
                                         ARG(5, "decide=hard"));
    sepal_report_free(report);
    return status;
}

static sepal_status call_sample(int omit) {
    sepal_data *drawn = NULL;
    sepal_model *made = NULL;
    assert_int_equal(sepal_fit(&made, NULL, ctx, "gaussian", data, NULL), SEPAL_OK);
    sepal_status status =
        sepal_sample(ARG(1, &drawn), ARG(2, ctx), ARG(3, made), 3, ARG(4, "class=a"));
    sepal_data_free(drawn);
    sepal_model_free(made);
    return status;
}

static sepal_status call_separable(int omit) {
    sepal_report *report = NULL;
    char *certificate = NULL;
    sepal_status status =
        sepal_separable(ARG(1, &report), ARG(2, &certificate), ARG(3, ctx), ARG(4, data),
                        ARG(5, "identity"), ARG(6, "max-seconds=9"));
    if (omit == 0) write_file("certificate.json", certificate);
    sepal_report_free(report);
    sepal_text_free(certificate);
    return status;
}

static sepal_status call_separable_check(int omit) {
    return sepal_separable_check(ARG(1, ctx), ARG(2, data), ARG(3, "identity"),
                                 ARG(4, "certificate.json"));
}

static sepal_report *some_report(void) {
    sepal_report *report = NULL;
    assert_int_equal(sepal_data_describe(&report, ctx, data), SEPAL_OK);
    return report;
}

static sepal_status call_report_attach(int omit) {
    sepal_report *report = some_report(), *part = some_report();
    sepal_status status =
        sepal_report_attach(ARG(1, report), ARG(2, ctx), ARG(3, "part"), ARG(4, part));
    sepal_report_free(report);
    sepal_report_free(part);
    return status;
}

static sepal_status call_report_json(int omit) {
    sepal_report *report = some_report();
    char *text = NULL;
    sepal_status status =
        sepal_report_json(ARG(1, &text), ARG(2, ctx), ARG(3, report), ARG(4, "describe"));
    sepal_text_free(text);
    sepal_report_free(report);
    return status;
}

static sepal_status call_report_text(int omit) {
    sepal_report *report = some_report();
    char *text = NULL;
    sepal_status status = sepal_report_text(ARG(1, &text), ARG(2, ctx), ARG(3, report));
    sepal_text_free(text);
    sepal_report_free(report);
    return status;
}

/* The error that it prints is the one before. */
static sepal_status call_error_json(int omit) {
    char *text = NULL;
    assert_int_equal(sepal_fit_check(ctx, "banana", NULL), SEPAL_EUSAGE);
    sepal_status status = sepal_error_json(ARG(1, &text), ARG(2, ctx), ARG(3, "train"), 2);
    assert_non_null(strstr(sepal_ctx_error(ctx), "banana"));
    sepal_text_free(text);
    return status;
}

static sepal_status call_ctx_new(int omit) {
    sepal_ctx *made = NULL;
    sepal_status status = sepal_ctx_new(ARG(1, &made));
    sepal_ctx_free(made);
    return status;
}

/* `arguments`: a letter for each, r where there must be one, c for the context, o where NULL is
   allowed; "x" where nothing tells which one it was. */
static const struct call {
    const char *name;
    sepal_status (*call)(int omit);
    const char *arguments;
} calls[] = {
    {"sepal_ctx_new", call_ctx_new, "x"},
    {"sepal_data_read", call_data_read, "rcro"},
    {"sepal_data_read_for", call_data_read_for, "rcrro"},
    {"sepal_data_dense", call_data_dense, "rcroo"},
    {"sepal_data_split", call_data_split, "rrcr"},
    {"sepal_data_write", call_data_write, "crro"},
    {"sepal_data_labels_path", call_data_labels_path, "rcrro"},
    {"sepal_data_describe", call_data_describe, "rcr"},
    {"sepal_data_column_name", call_data_column_name, "rcr"},
    {"sepal_fit", call_fit, "rocrro"},
    {"sepal_fit_check", call_fit_check, "cro"},
    {"sepal_model_save", call_model_save, "crr"},
    {"sepal_model_stage", call_model_stage, "rcrr"},
    {"sepal_staged_commit", call_staged_commit, "cr"},
    {"sepal_model_load", call_model_load, "rcr"},
    {"sepal_model_inspect", call_model_inspect, "rcr"},
    {"sepal_model_output_name", call_model_output_name, "rcr"},
    {"sepal_predict", call_predict, "rcrr"},
    {"sepal_scores", call_scores, "rcrr"},
    {"sepal_answer", call_answer, "rcrrooo"},
    {"sepal_answer_check", call_answer_check, "croo"},
    {"sepal_evaluate", call_evaluate, "rcrro"},
    {"sepal_sample", call_sample, "rcro"},
    {"sepal_separable", call_separable, "rocroo"},
    {"sepal_separable_check", call_separable_check, "cror"},
    {"sepal_report_attach", call_report_attach, "rcrr"},
    {"sepal_report_json", call_report_json, "rcrr"},
    {"sepal_report_text", call_report_text, "rcr"},
    {"sepal_error_json", call_error_json, "xcx"},
};
enum { CALLS = sizeof calls / sizeof *calls };

static void null_is_refused_with_its_name(void **state) {
    (void)state;
    write_file("for.csv", "x1,x2,y\n1,2,a\n3,4,b\n");
    for (size_t i = 0; i < CALLS; i++) {
        const struct call *one = &calls[i];
        if (one->call(0) != SEPAL_OK) fail_msg("%s: %s", one->name, sepal_ctx_error(ctx));
        for (int omit = 1; one->arguments[omit - 1]; omit++) {
            char kind = one->arguments[omit - 1];
            sepal_status status = one->call(omit);
            if (status != (kind == 'o' ? SEPAL_OK : SEPAL_EUSAGE))
                fail_msg("%s without argument %d: %d, %s", one->name, omit, status,
                         sepal_ctx_error(ctx));
            if (kind == 'r' &&
                (!strstr(sepal_ctx_error(ctx), one->name) || !strstr(sepal_ctx_error(ctx), "NULL")))
                fail_msg("%s without argument %d says '%s'", one->name, omit, sepal_ctx_error(ctx));
        }
        if (one->call(0) != SEPAL_OK) fail_msg("%s, again: %s", one->name, sepal_ctx_error(ctx));
    }
    assert_true(*sepal_ctx_error(NULL));
}

/* What cannot fail answers with nothing. */
static void nothing_comes_of_nothing(void **state) {
    (void)state;
    double number = 7;
    sepal_ctx_free(NULL);
    sepal_data_free(NULL);
    sepal_model_free(NULL);
    sepal_staged_free(NULL);
    sepal_report_free(NULL);
    sepal_text_free(NULL);
    sepal_ctx_clear_warnings(NULL);
    sepal_ctx_set_seed(NULL, 1);
    sepal_ctx_set_threads(NULL, 1);
    sepal_ctx_set_progress(NULL, NULL, NULL);
    sepal_ctx_set_trace(NULL, NULL, NULL);
    sepal_data_row(&number, NULL, 0);
    sepal_data_row(NULL, data, 0);
    assert_true(number == 7);
    assert_string_equal(sepal_ctx_error_place(NULL).file, "");
    assert_int_equal(sepal_ctx_warning_count(NULL), 0);
    assert_string_equal(sepal_ctx_warning(NULL, 0).code, "");
    assert_int_equal(sepal_ctx_threads(NULL), 0);
    assert_string_equal(sepal_kernels(NULL), "");
    assert_string_equal(sepal_blas(NULL), "");
    assert_int_equal(sepal_blas_is_slow(NULL), 0);
    assert_true(*sepal_version());
    assert_int_equal(sepal_data_rows(NULL), 0);
    assert_int_equal(sepal_data_columns(NULL), 0);
    assert_null(sepal_data_label(NULL, 0));
    assert_string_equal(sepal_data_kept_header(NULL), "");
    assert_string_equal(sepal_data_kept_row(NULL, 0), "");
    assert_string_equal(sepal_model_spec(NULL), "");
    assert_int_equal(sepal_model_classes(NULL), 0);
    assert_null(sepal_model_class(NULL, 0));
    assert_int_equal(sepal_model_scores(NULL), 0);
    assert_int_equal(sepal_model_outputs(NULL, SEPAL_SCORES), 0);
    assert_int_equal(sepal_model_transforms(NULL), 0);
    assert_true(isnan(sepal_report_number(NULL, "rows")));
    assert_null(sepal_report_string(NULL, "spec"));
    sepal_report *report = some_report();
    assert_true(isnan(sepal_report_number(report, NULL)));
    assert_null(sepal_report_string(report, NULL));
    sepal_report_free(report);
    assert_int_equal(sepal_number(NULL, 1), 0);
    assert_false(sepal_method_at(SEPAL_LEARNER, 0, NULL));
    assert_false(sepal_param_at(SEPAL_LEARNER, 0, 0, NULL));
    assert_true(sepal_method_count(SEPAL_LEARNER) > 0);
}

/* Every function of the header is named in this file, and so is tested the day it lands. */
static char *text_of(const char *folder, const char *name) {
    char path[4096], *text = malloc(1 << 17);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    assert_true(file && text);
    text[fread(text, 1, (1 << 17) - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    return text;
}

static void every_function_is_misused(void **state) {
    (void)state;
    const char *source = getenv("SEPAL_SOURCE");
    if (!source) skip();
    char *header = text_of(source, "include/sepal/sepal.h");
    char *tests = text_of(source, "tests/unit/test_api_misuse.c");
    size_t n = 0;
    for (char *at = header; (at = strstr(at, "\nSEPAL_API ")); n++) {
        char name[80] = "";
        char *paren = strchr(at + 1, '('), *begin = paren;
        while (strchr(" *\n", begin[-1]) == NULL) begin--;
        snprintf(name, sizeof name, "%.*s(", (int)(paren - begin), begin);
        if (!strstr(tests, name)) fail_msg("%s) is not misused", name);
        at = paren;
    }
    assert_true(n > 50);
    free(header);
    free(tests);
}

/* ---- past the end ------------------------------------------------------------------------- */

static void what_is_past_the_end_is_refused(void **state) {
    (void)state;
    static const size_t past[] = {ROWS, ROWS + 1, SIZE_MAX / 2, SIZE_MAX};
    int32_t classes[ROWS];
    char *name = NULL;
    double number = 7;
    for (size_t i = 0; i < sizeof past / sizeof *past; i++) {
        sepal_answers out = {.classes = classes};
        assert_int_equal(sepal_answer(&out, ctx, model, data, past[i], 1, NULL), SEPAL_EUSAGE);
        assert_non_null(strstr(sepal_ctx_error(ctx), "24 rows"));
        assert_int_equal(sepal_answer(&out, ctx, model, data, 1, past[i], NULL), SEPAL_EUSAGE);
        sepal_data_row(&number, data, past[i]);
        assert_true(number == 7);
        assert_null(sepal_data_label(data, past[i]));
        assert_string_equal(sepal_data_kept_row(data, past[i]), "");
        assert_null(sepal_model_class(model, past[i]));
        assert_string_equal(sepal_ctx_warning(ctx, past[i]).message, "");
        assert_int_equal(sepal_data_column_name(&name, ctx, data, past[i]), SEPAL_EUSAGE);
        assert_true(*sepal_ctx_error(ctx) && !name);
        assert_int_equal(sepal_model_output_name(&name, ctx, model, SEPAL_SCORES, past[i]),
                         SEPAL_EUSAGE);
        assert_true(*sepal_ctx_error(ctx) && !name);
        sepal_method method;
        sepal_param param;
        assert_false(sepal_method_at(SEPAL_LEARNER, past[i], &method));
        assert_false(sepal_method_at(SEPAL_FIT_OPTION, past[i], &method));
        assert_false(sepal_param_at(SEPAL_LEARNER, 0, past[i], &param));
        assert_false(sepal_param_at(SEPAL_LEARNER, past[i], 0, &param));
    }
    sepal_answers none = {0};
    assert_int_equal(sepal_answer(&none, ctx, model, data, ROWS, 0, NULL), SEPAL_OK);
}

static void unknown_enum_values_are_refused(void **state) {
    (void)state;
    static const int values[] = {-1, 5, 99, 1 << 20};
    int32_t classes[ROWS];
    double numbers[ROWS * 3];
    char *name = NULL;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        sepal_output what = (sepal_output)values[i];
        for (int with = 0; with < 2; with++) {
            sepal_answers out = {
                .classes = classes, .numbers = with ? numbers : NULL, .what = what};
            sepal_status due = with ? SEPAL_EUSAGE : SEPAL_OK; /* it is of no matter without */
            assert_int_equal(sepal_answer(&out, ctx, model, data, 0, 1, NULL), due);
            assert_true((*sepal_ctx_error(ctx) != '\0') == with);
        }
        assert_int_equal(sepal_model_outputs(model, what), 0);
        assert_int_equal(sepal_model_output_name(&name, ctx, model, what, 0), SEPAL_EUSAGE);
        assert_true(!name && *sepal_ctx_error(ctx));
        assert_int_equal(sepal_answer_check(ctx, model, &what, NULL), SEPAL_EUSAGE);
        assert_true(*sepal_ctx_error(ctx));
        sepal_method method;
        sepal_param param;
        sepal_kind kind = (sepal_kind)(values[i] + 10);
        assert_int_equal(sepal_method_count(kind), 0);
        assert_false(sepal_method_at(kind, 0, &method));
        assert_false(sepal_param_at(kind, 0, 0, &param));
    }
}

static void impossible_arrays_are_refused(void **state) {
    (void)state;
    static const struct {
        size_t rows, columns;
    } sizes[] = {{0, 1},        {SIZE_MAX, 1},     {SIZE_MAX, 0}, {SIZE_MAX / 2, 2},
                 {SIZE_MAX, 4}, {1, SIZE_MAX / 2}, {1, SIZE_MAX}, {1, (size_t)INT32_MAX + 1}};
    sepal_data *made = data;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        sepal_status status =
            sepal_data_dense(&made, ctx, x, sizes[i].rows, sizes[i].columns, NULL, NULL);
        assert_int_equal(status, SEPAL_EDATA);
        assert_true(!made && *sepal_ctx_error(ctx));
    }
    const char *holes[ROWS];
    memcpy(holes, labels, sizeof holes);
    holes[5] = NULL;
    assert_int_equal(sepal_data_dense(&made, ctx, x, ROWS, COLUMNS, holes, NULL), SEPAL_EDATA);
    assert_non_null(strstr(sepal_ctx_error(ctx), "row 6"));
    static const double odd[] = {-1, -INFINITY, INFINITY, NAN};
    for (size_t i = 0; i < 4; i++) {
        double weights[ROWS] = {1, odd[i]};
        assert_int_equal(sepal_data_dense(&made, ctx, x, ROWS, COLUMNS, labels, weights),
                         SEPAL_EDATA);
        assert_non_null(strstr(sepal_ctx_error(ctx), "row 2"));
        sepal_data *rest = data, *part = data;
        assert_int_equal(sepal_data_split(&rest, &part, ctx, data, odd[i]), SEPAL_EUSAGE);
        assert_true(!rest && !part && *sepal_ctx_error(ctx));
    }
    const double nothing[ROWS] = {0};
    assert_int_equal(sepal_data_dense(&made, ctx, x, ROWS, COLUMNS, labels, nothing), SEPAL_EDATA);
}

static void samples_beyond_memory_are_refused(void **state) {
    (void)state;
    sepal_model *normal = NULL;
    sepal_data *drawn = data;
    assert_int_equal(sepal_fit(&normal, NULL, ctx, "gaussian", data, NULL), SEPAL_OK);
    static const size_t counts[] = {SIZE_MAX, SIZE_MAX / 8, (size_t)1 << 60};
    for (size_t i = 0; i < 3; i++) {
        sepal_status status = sepal_sample(&drawn, ctx, normal, counts[i], NULL);
        assert_true(status != SEPAL_OK && status != SEPAL_EINTERNAL);
        assert_true(!drawn && *sepal_ctx_error(ctx));
    }
    sepal_model_free(normal);
}

/* ---- data of another model ---------------------------------------------------------------- */

static void check_refused(const sepal_model *whose, const sepal_data *other, const char *words) {
    int32_t classes[ROWS];
    double numbers[ROWS * 3];
    sepal_answers out = {.classes = classes};
    sepal_report *report = NULL;
    const sepal_status all[] = {sepal_predict(classes, ctx, whose, other),
                                sepal_scores(numbers, ctx, whose, other),
                                sepal_answer(&out, ctx, whose, other, 0, 1, NULL),
                                sepal_evaluate(&report, ctx, whose, other, NULL)};
    for (size_t i = 0; i < 4; i++) assert_int_equal(all[i], SEPAL_EDATA);
    assert_null(report);
    if (!strstr(sepal_ctx_error(ctx), words)) fail_msg("'%s'", sepal_ctx_error(ctx));
}

static sepal_data *read_rows(const char *path, const char *text) {
    sepal_data *made = NULL;
    write_file(path, text);
    if (sepal_data_read(&made, ctx, path, NULL) != SEPAL_OK)
        fail_msg("%s: %s", path, sepal_ctx_error(ctx));
    return made;
}

static void data_of_other_columns_is_refused(void **state) {
    (void)state;
    sepal_data *wide = NULL;
    assert_int_equal(sepal_data_dense(&wide, ctx, x, ROWS / 2, 2 * COLUMNS, labels, NULL),
                     SEPAL_OK);
    check_refused(model, wide, "4 columns, the model 2");
    sepal_data_free(wide);
    static const char *const others[][3] = {
        {"p,q,class\n1,2,a\n3,4,b\n2,0,a\n", "q,p,class\n1,2,a\n3,4,b\n", "column 1"},
        {"p,q,class\n1,2,a\n3,4,b\n2,0,a\n", "p,r,class\n1,2,a\n3,4,b\n", "'r'"},
        {"p,class\nred,a\nblue,b\nred,a\n", "p,class\nred,a\ngreen,b\n", "green"},
        {"1,red,a\n2,blue,b\n3,red,a\n", "1,red,a\n2,green,b\n", "green"},
        {"a 1:1 2:2\nb 1:3 2:1\na 1:2 2:2\n", "a 0:1 1:2\nb 0:3 1:1\n", "column 1"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        sepal_data *train = read_rows("train.txt", others[i][0]);
        sepal_data *other = read_rows("other.txt", others[i][1]);
        sepal_model *made = NULL;
        if (sepal_fit(&made, NULL, ctx, "least-squares", train, NULL) != SEPAL_OK)
            fail_msg("%zu: %s", i, sepal_ctx_error(ctx));
        check_refused(made, other, others[i][2]);
        int32_t classes[ROWS];
        sepal_data *again = read_rows("train.txt", others[i][0]); /* the same columns, read anew */
        assert_int_equal(sepal_predict(classes, ctx, made, again), SEPAL_OK);
        sepal_data_free(again);
        sepal_data_free(other);
        sepal_data_free(train);
        sepal_model_free(made);
    }
}

/* The labels of an array are numbered among themselves; to the model they are the classes of the same
   names, whichever of them there are. */
static void labels_mean_what_they_say(void **state) {
    (void)state;
    int32_t decided[ROWS];
    assert_int_equal(sepal_predict(decided, ctx, model, data), SEPAL_OK);
    for (size_t kept = 1; kept < 16; kept++) { /* which of a, b, c and the stranger d */
        double rows[ROWS * COLUMNS], right = 0;
        const char *names[ROWS];
        size_t n = 0;
        for (size_t i = 0; i < ROWS; i++) {
            bool stranger = i % 5 == 0;
            if (!(kept >> (stranger ? 3 : i % 3) & 1)) continue;
            memcpy(rows + n * COLUMNS, x + i * COLUMNS, COLUMNS * sizeof *x);
            names[n++] = stranger ? "d" : labels[i];
            right += !stranger && decided[i] == (int32_t)(i % 3);
        }
        sepal_data *other = NULL;
        sepal_report *report = NULL;
        assert_int_equal(sepal_data_dense(&other, ctx, rows, n, COLUMNS, names, NULL), SEPAL_OK);
        if (sepal_evaluate(&report, ctx, model, other, NULL) != SEPAL_OK)
            fail_msg("%zu: %s", kept, sepal_ctx_error(ctx));
        assert_true(fabs(sepal_report_number(report, "accuracy") - right / (double)n) < 1e-15);
        sepal_report_free(report);
        sepal_data_free(other);
    }
}

static void data_without_labels_teaches_nothing(void **state) {
    (void)state;
    sepal_data *bare = NULL;
    sepal_model *made = model;
    sepal_report *report = NULL;
    char *certificate = NULL;
    assert_int_equal(sepal_data_dense(&bare, ctx, x, ROWS, COLUMNS, NULL, NULL), SEPAL_OK);
    sepal_method learner;
    for (size_t i = 0; sepal_method_at(SEPAL_LEARNER, i, &learner); i++) {
        assert_int_equal(sepal_fit(&made, &report, ctx, learner.name, bare, NULL), SEPAL_EDATA);
        assert_true(!made && !report && *sepal_ctx_error(ctx));
    }
    assert_int_equal(sepal_evaluate(&report, ctx, model, bare, NULL), SEPAL_EDATA);
    assert_true(!report && *sepal_ctx_error(ctx));
    assert_int_equal(sepal_separable(&report, &certificate, ctx, bare, NULL, NULL), SEPAL_EDATA);
    assert_true(!report && !certificate && *sepal_ctx_error(ctx));
    assert_int_equal(call_separable(0), SEPAL_OK);
    assert_int_equal(sepal_separable_check(ctx, bare, NULL, "certificate.json"), SEPAL_EDATA);
    assert_true(*sepal_ctx_error(ctx));
    sepal_data *rest = NULL, *part = NULL;
    sepal_status status = sepal_data_split(&rest, &part, ctx, bare, 0.5);
    assert_true(status == SEPAL_OK || *sepal_ctx_error(ctx));
    sepal_data_free(rest);
    sepal_data_free(part);
    sepal_data_free(bare);
}

/* ---- lives that end in another order -------------------------------------------------------- */

/* Data, models and reports serve contexts other than the one that made them, which may be gone. */
static void contexts_may_go_first(void **state) {
    (void)state;
    sepal_ctx *maker = NULL;
    sepal_data *rows = NULL;
    sepal_model *made = NULL;
    sepal_report *report = NULL;
    assert_int_equal(sepal_ctx_new(&maker), SEPAL_OK);
    assert_int_equal(sepal_data_dense(&rows, maker, x, ROWS, COLUMNS, labels, NULL), SEPAL_OK);
    assert_int_equal(sepal_fit(&made, &report, maker, "standardize | logistic", rows, NULL),
                     SEPAL_OK);
    sepal_ctx_free(maker);
    sepal_data_free(rows);
    int32_t decided[ROWS];
    char *text = NULL;
    sepal_report *judged = NULL;
    assert_int_equal(sepal_predict(decided, ctx, made, data), SEPAL_OK);
    assert_int_equal(sepal_evaluate(&judged, ctx, made, data, NULL), SEPAL_OK);
    assert_int_equal(sepal_report_attach(report, ctx, "test", judged), SEPAL_OK);
    sepal_report_free(judged);
    assert_int_equal(sepal_report_text(&text, ctx, report), SEPAL_OK);
    assert_true(isfinite(sepal_report_number(report, "test.accuracy")));
    sepal_text_free(text);
    sepal_report_free(report);
    sepal_model_free(made);
}

static void a_report_may_hold_itself(void **state) {
    (void)state;
    sepal_report *report = some_report();
    for (int i = 0; i < 3; i++)
        assert_int_equal(sepal_report_attach(report, ctx, "self", report), SEPAL_OK);
    assert_true(sepal_report_number(report, "self.self.self.rows") == ROWS);
    assert_true(isnan(sepal_report_number(report, "self.self.self.self.rows")));
    static const char *const paths[] = {"", ".", "..", "rows.", ".rows", "rows.rows", "self.."};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        assert_true(isnan(sepal_report_number(report, paths[i])));
        assert_null(sepal_report_string(report, paths[i]));
    }
    sepal_report_free(report);
}

static void a_file_is_committed_once(void **state) {
    (void)state;
    sepal_staged *staged = NULL;
    assert_int_equal(sepal_model_stage(&staged, ctx, model, "once.sepal"), SEPAL_OK);
    assert_int_equal(sepal_staged_commit(ctx, staged), SEPAL_OK);
    assert_int_equal(sepal_staged_commit(ctx, staged), SEPAL_EUSAGE);
    assert_non_null(strstr(sepal_ctx_error(ctx), "committed before"));
    sepal_staged_free(staged);
    sepal_model *loaded = NULL;
    assert_int_equal(sepal_model_load(&loaded, ctx, "once.sepal"), SEPAL_OK);
    sepal_model_free(loaded);
}

/* After any error the context does what it did before, to the bit. */
static void errors_leave_no_trace(void **state) {
    (void)state;
    double before[ROWS * 3], after[ROWS * 3];
    assert_int_equal(sepal_scores(before, ctx, model, data), SEPAL_OK);
    sepal_model *made = NULL;
    sepal_data *rows = NULL;
    for (int error = 0; error < 6; error++) {
        sepal_status status = SEPAL_OK;
        switch (error) {
        case 0: status = sepal_fit(&made, NULL, ctx, "banana", data, NULL); break;
        case 1: status = sepal_fit(&made, NULL, ctx, "lda", data, "solver=banana"); break;
        case 2: status = sepal_data_read(&rows, ctx, "not-there.csv", NULL); break;
        case 3: status = sepal_model_load(&made, ctx, "rows.csv"); break;
        case 4: status = sepal_model_save(ctx, model, "no/such/folder/m.sepal"); break;
        default: status = sepal_data_write(ctx, data, "", "csv"); break;
        }
        assert_int_not_equal(status, SEPAL_OK);
        assert_int_not_equal(status, SEPAL_EINTERNAL);
        assert_true(*sepal_ctx_error(ctx) && !made && !rows);
        assert_int_equal(sepal_fit(&made, NULL, ctx, "lda", data, NULL), SEPAL_OK);
        assert_string_equal(sepal_ctx_error(ctx), "");
        assert_string_equal(sepal_ctx_error_place(ctx).file, "");
        assert_int_equal(sepal_scores(after, ctx, made, data), SEPAL_OK);
        assert_memory_equal(before, after, sizeof before);
        sepal_model_free(made);
        made = NULL;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_is_refused_with_its_name),
        cmocka_unit_test(nothing_comes_of_nothing),
        cmocka_unit_test(every_function_is_misused),
        cmocka_unit_test(what_is_past_the_end_is_refused),
        cmocka_unit_test(unknown_enum_values_are_refused),
        cmocka_unit_test(impossible_arrays_are_refused),
        cmocka_unit_test(samples_beyond_memory_are_refused),
        cmocka_unit_test(data_of_other_columns_is_refused),
        cmocka_unit_test(labels_mean_what_they_say),
        cmocka_unit_test(data_without_labels_teaches_nothing),
        cmocka_unit_test(contexts_may_go_first),
        cmocka_unit_test(a_report_may_hold_itself),
        cmocka_unit_test(a_file_is_committed_once),
        cmocka_unit_test(errors_leave_no_trace),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
