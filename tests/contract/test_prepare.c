/* What is learnt from rows is learnt from the training rows alone: a fit on some rows of a table gives
   the model of a file that has only these, whatever the others hold. */
#include "fixture.h"
#include "core/tree.h"
#include "data/data.h"
#include "seed.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> /* after core/context.h: it defines a macro fail() */

enum { TABLE_ROWS = 60 };

/* One row of a table with numbers, text and missing values; `apart` rows are unlike all others. */
static void put_table_row(FILE *file, uint64_t seed, size_t i, bool apart, bool gaps) {
    static const char *const colours[] = {"red", "green", "blue"};
    struct rng rng = rng_make(seed, i); /* fixed: of test_seed, by the caller */
    double a = 4 * rng_unit(&rng) - 2, b = 4 * rng_unit(&rng) - 2;
    uint64_t k = rng_below(&rng, 3), gap = rng_below(&rng, 8);
    size_t class = i % 2;
    if (apart)
        fprintf(file, "1e9,%s,%g,-7e5,%zu\n", i % 3 ? "ultraviolet" : "black", b, class);
    else if (gaps && gap < 3)
        fprintf(file, "%s,%s,%.17g,%.17g,%zu\n", gap == 0 ? "?" : "1.5", gap == 1 ? "" : "red",
                b + (double)class, gap == 2 ? NAN : a, class);
    else
        fprintf(file, "%.17g,%s,%.17g,%.17g,%zu\n", a, colours[k], b + (double)class, a * b, class);
}

/* The rows of a table, or those that were chosen; `apart` (NULL: none) tells the odd ones. */
static void put_table(const char *path, uint64_t seed, const bool *kept, const bool *apart,
                      bool gaps) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "a,colour,b,c,class\n");
    for (size_t i = 0; i < TABLE_ROWS; i++)
        if (!kept || kept[i]) put_table_row(file, seed, i, apart && apart[i], gaps);
    assert_int_equal(fclose(file), 0);
}

static char *bytes_of_fit(size_t *size, const char *spec, const sepal_data *data) {
    sepal_model *model;
    if (sepal_model_fit(&model, NULL, ctx, spec, data, NULL) != SEPAL_OK)
        fail_msg("%s: %s", spec, sepal_ctx_error(ctx));
    assert_int_equal(sepal_model_save(ctx, model, "prepare.sepal"), SEPAL_OK);
    sepal_model_free(model);
    FILE *file = fopen("prepare.sepal", "rb");
    assert_non_null(file);
    char *bytes = malloc(1 << 16);
    *size = fread(bytes, 1, 1 << 16, file);
    assert_true(*size > 0 && *size < 1 << 16);
    fclose(file);
    return bytes;
}

static sepal_data *must_read_table(const char *path, const char *options) {
    sepal_data *data;
    if (sepal_data_read(&data, ctx, path, options) != SEPAL_OK)
        fail_msg("%s: %s", path, sepal_ctx_error(ctx));
    return data;
}

/* Which rows a split leaves to learn from: that depends on the labels and the seed alone. */
static void find_kept(bool *kept, uint64_t seed) {
    sepal_data *rest, *part;
    put_table("plain.csv", seed, NULL, NULL, false);
    sepal_data *data = must_read_table("plain.csv", NULL);
    assert_int_equal(sepal_data_split(&rest, &part, ctx, data, 0.3), SEPAL_OK);
    memset(kept, 0, TABLE_ROWS);
    for (size_t i = 0; i < sepal_data_rows(rest); i++) kept[rest->number[i]] = true;
    sepal_data_free(data);
    sepal_data_free(rest);
    sepal_data_free(part);
}

static void a_split_learns_from_its_rows_alone(void **state) {
    (void)state;
    static const char *const specs[] = {"logistic", "standardize | lda", "poly | least-squares",
                                        "gaussian(covariance=diagonal)"};
    static const char *const rules[] = {NULL, "missing=mean", "missing=indicator"};
    for (uint64_t round = 0; round < 6; round++) {
        uint64_t seed = test_seed(7000) + round;
        bool kept[TABLE_ROWS], apart[TABLE_ROWS];
        sepal_ctx_set_seed(ctx, seed);
        find_kept(kept, seed);
        for (size_t i = 0; i < TABLE_ROWS; i++) apart[i] = !kept[i];
        const char *rule = rules[round % 3];
        put_table("whole.csv", seed, NULL, apart, rule != NULL);
        put_table("train.csv", seed, kept, NULL, rule != NULL);
        sepal_data *whole = must_read_table("whole.csv", rule), *rest, *part;
        sepal_data *alone = must_read_table("train.csv", rule);
        assert_int_equal(sepal_data_split(&rest, &part, ctx, whole, 0.3), SEPAL_OK);
        for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
            size_t n, m;
            char *of_rest = bytes_of_fit(&n, specs[s], rest);
            char *of_alone = bytes_of_fit(&m, specs[s], alone);
            if (n != m || memcmp(of_rest, of_alone, n) != 0)
                fail_msg("round %d, %s: the rows held out are seen in the model", (int)round,
                         specs[s]);
            free(of_rest);
            free(of_alone);
        }
        sepal_data_free(rest);
        sepal_data_free(part);
        sepal_data_free(whole);
        sepal_data_free(alone);
    }
}

static bool prepare_warned(const char *code) {
    for (size_t i = 0; i < sepal_ctx_warning_count(ctx); i++)
        if (strcmp(sepal_ctx_warning(ctx, i).code, code) == 0) return true;
    return false;
}

/* Rows that were not read for the model: categories go by their names, and one that training has not
   seen is none of them, which is said. */
static void other_rows_are_prepared_alike(void **state) {
    (void)state;
    sepal_model *model;
    double scores[3], wanted[3];
    FILE *file = fopen("some.csv", "w");
    fprintf(file, "c,x,class\nred,1,p\nblue,2,q\nred,3,q\nblue,1,p\n");
    fclose(file);
    file = fopen("others.csv", "w");
    fprintf(file, "c,x,class\nviolet,2,p\nblue,1,q\nred,2,q\n");
    fclose(file);
    sepal_data *train = must_read_table("some.csv", NULL);
    assert_int_equal(sepal_model_fit(&model, NULL, ctx, "logistic", train, NULL), SEPAL_OK);
    sepal_ctx_clear_warnings(ctx);
    sepal_data *own = must_read_table("others.csv", NULL), *fitting;
    assert_int_equal(sepal_model_scores(scores, ctx, model, own), SEPAL_OK);
    assert_true(prepare_warned("unknown-categories"));
    sepal_ctx_clear_warnings(ctx);
    assert_int_equal(sepal_data_read_for(&fitting, ctx, model, "others.csv", "unknown=zero", 1),
                     SEPAL_OK);
    assert_int_equal(sepal_model_scores(wanted, ctx, model, fitting), SEPAL_OK);
    assert_false(prepare_warned("unknown-categories"));
    assert_memory_equal(scores, wanted, sizeof scores);
    sepal_data_free(own);
    sepal_data_free(fitting);
    sepal_data_free(train);
    sepal_model_free(model);
}

/* A missing value meets a model that has no rule for it, or one that leaves its row undecided. */
static void missing_values_meet_the_rule_of_the_model(void **state) {
    (void)state;
    static const char *const rules[] = {NULL, "missing=drop", "missing=mean"};
    put_table("full.csv", 1, NULL, NULL, false);
    FILE *file = fopen("gaps.csv", "w");
    fprintf(file, "a,colour,b,c,class\n1,red,2,3,0\n?,red,2,3,1\n1,blue,0,1,1\n");
    fclose(file);
    sepal_data *gaps = must_read_table("gaps.csv", "missing=mean");
    for (size_t r = 0; r < 3; r++) {
        sepal_model *model;
        int32_t classes[3];
        sepal_data *train = must_read_table("full.csv", rules[r]);
        assert_int_equal(sepal_model_fit(&model, NULL, ctx, "logistic", train, NULL), SEPAL_OK);
        sepal_status status = sepal_model_predict(classes, ctx, model, gaps);
        assert_int_equal(status, r == 0 ? SEPAL_EDATA : SEPAL_OK);
        if (r == 0)
            assert_non_null(strstr(sepal_ctx_error(ctx), "row 2 has no value in column 'a'"));
        if (r > 0) assert_int_equal(classes[1] == -1, r == 1);
        if (r > 0) assert_true(classes[0] >= 0 && classes[2] >= 0);
        sepal_model_free(model);
        sepal_data_free(train);
    }
    sepal_data_free(gaps);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_split_learns_from_its_rows_alone),
        cmocka_unit_test(other_rows_are_prepared_alike),
        cmocka_unit_test(missing_values_meet_the_rule_of_the_model),
    };
    return cmocka_run_group_tests(tests, set_up_one_thread, tear_down);
}
