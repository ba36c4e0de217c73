/* Bounds on weights as texts: what is read is printed so that it is read again, also of odd names; a spec
   out of a model file reads no file; bytes of any kind are refused or taken, never worse. */
#include "fixture.h"
#include "seed.h"

#include "core/alloc.h"
#include "learners/bound_list.h"
#include "model/pipeline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#undef fail
#include <cmocka.h>

static void save_file(const char *path, const char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void same_list(const struct bound_list *a, const struct bound_list *b) {
    assert_int_equal(a->n, b->n);
    for (size_t i = 0; i < a->n; i++) {
        assert_string_equal(a->items[i].name, b->items[i].name);
        assert_true(a->items[i].low == b->items[i].low && a->items[i].high == b->items[i].high);
    }
}

static void test_forms(void **state) {
    (void)state;
    static const struct {
        const char *text, *written;
    } forms[] = {
        {"age>=0", "0<=age<=inf"},
        {"0<=age", "0<=age<=inf"},
        {"age<=0", "-inf<=age<=0"},
        {"0>=age", "-inf<=age<=0"},
        {" -1 <= a b <= 1e-3 ;; 'it''s'>=2;", "-1<=a b<=0.001; 2<='it''s'<=inf"},
        {"-inf<=7<=inf", "-inf<=7<=inf"},
        {"'7'<=-0", "-inf<=7<=0"},
        {"' x '>=1; 'a;b'<=1; 'c<=d'>=+2", "1<=' x '<=inf; -inf<='a;b'<=1; 2<='c<=d'<=inf"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct arena arena = {0};
        struct weight_bounds given = {.bounds = forms[i].text};
        assert_int_equal(weight_bounds_read(&given, ctx, &arena, BOUNDS_OF_FIT), SEPAL_OK);
        assert_string_equal(given.bounds, forms[i].written);
        struct weight_bounds again = {.bounds = given.bounds};
        assert_int_equal(weight_bounds_read(&again, ctx, &arena, BOUNDS_OF_MODEL), SEPAL_OK);
        assert_string_equal(again.bounds, forms[i].written);
        same_list(&given.list, &again.list);
        arena_clear(&arena);
    }
}

/* Texts of the bytes that matter; what is taken is written so that it is the same once more. */
static void test_any_text(void **state) {
    (void)state;
    static const char *const parts[] = {
        "<=", ">=", ";",  "'", "''", " ", "0",     "-1e3",      "inf",          "-inf",  "x",
        "ab", "\t", "\"", "=", "<",  ">", "1e999", ";0<=a<=1;", ";'b''; '>=2;", ";c<=0;"};
    struct rng rng = rng_make(test_seed(141), 1);
    size_t taken = 0;
    for (size_t number = 0; number < 40000; number++) {
        struct arena arena = {0};
        char text[256] = "x<=1;";
        if (number % 2) *text = '\0';
        for (size_t n = 1 + rng_below(&rng, 7); n > 0; n--)
            strcat(text, parts[rng_below(&rng, sizeof parts / sizeof *parts)]);
        struct weight_bounds given = {.bounds = text};
        sepal_status status = weight_bounds_read(&given, ctx, &arena, BOUNDS_OF_MODEL);
        assert_true(status == SEPAL_OK || status == SEPAL_EUSAGE);
        if (status == SEPAL_OK) {
            struct weight_bounds again = {.bounds = given.bounds};
            taken += given.list.n > 0;
            if (given.list.n > 0) {
                assert_int_equal(weight_bounds_read(&again, ctx, &arena, BOUNDS_OF_MODEL),
                                 SEPAL_OK);
                assert_string_equal(again.bounds, given.bounds);
                same_list(&given.list, &again.list);
            }
        }
        arena_clear(&arena);
    }
    print_message("%zu texts\n", taken);
    assert_true(taken > 1000);
}

/* The same of files. */
static void test_any_file(void **state) {
    (void)state;
    static const char *const parts[] = {"\n",
                                        "\r\n",
                                        ",",
                                        "\"",
                                        "\"\"",
                                        " ",
                                        "0",
                                        "-1e3",
                                        "inf",
                                        "-inf",
                                        "x",
                                        "a;b",
                                        "1,2",
                                        "y,0,\n",
                                        "\n\"a\"\"b\",,1\r\n",
                                        "\nz, -1 ,2\n",
                                        "\n' c ,,\n"};
    struct rng rng = rng_make(test_seed(142), 1);
    size_t taken = 0;
    for (size_t number = 0; number < 3000; number++) {
        struct arena arena = {0};
        char text[256] = "\xef\xbb\xbf"
                         "Column,low,HIGH\n";
        for (size_t n = rng_below(&rng, 6); n > 0; n--)
            strcat(text, parts[rng_below(&rng, sizeof parts / sizeof *parts)]);
        save_file("any_bounds.csv", text, strlen(text));
        struct weight_bounds given = {.bounds = "any_bounds.csv"};
        sepal_status status = weight_bounds_read(&given, ctx, &arena, BOUNDS_OF_FIT);
        assert_true(status == SEPAL_OK || status == SEPAL_EDATA);
        if (status == SEPAL_EDATA) assert_true(ctx->error.line >= 1 && ctx->error.column >= 1);
        if (status == SEPAL_OK) {
            struct weight_bounds again = {.bounds = given.bounds};
            taken++;
            assert_int_equal(weight_bounds_read(&again, ctx, &arena, BOUNDS_OF_MODEL), SEPAL_OK);
            same_list(&given.list, &again.list);
        }
        arena_clear(&arena);
    }
    (void)remove("any_bounds.csv");
    print_message("%zu files\n", taken);
    assert_true(taken > 100);
}

/* A model file names no file to be read. */
static void test_saved(void **state) {
    (void)state;
    struct arena arena = {0};
    struct pipeline pipeline;
    const char *today;
    const char *good = "logistic(penalty=none, bounds=\"0<=a<=inf\")";
    save_file("saved_bounds.csv", "column,low,high\na,0,\n", 21);
    assert_int_equal(pipeline_parse(&pipeline, ctx, &arena, "logistic(bounds=saved_bounds.csv)"),
                     SEPAL_OK);
    assert_int_equal(pipeline_parse_saved(&pipeline, &today, ctx, &arena,
                                          "logistic(bounds=saved_bounds.csv)", "logistic", 2),
                     SEPAL_EMODEL);
    assert_int_equal(pipeline_parse_saved(&pipeline, &today, ctx, &arena, good, "logistic", 2),
                     SEPAL_OK);
    assert_string_equal(today, good);
    assert_int_equal(pipeline_parse_saved(&pipeline, &today, ctx, &arena,
                                          "logistic(bounds=\"a>=0\")", "logistic", 2),
                     SEPAL_EMODEL);
    (void)remove("saved_bounds.csv");
    arena_clear(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_forms, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_any_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_any_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_saved, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
