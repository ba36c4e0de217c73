/* Samples through the public library: labels follow the priors, rows the density of their class in
   the units of the data; the same rows at any number of threads and in any longer sample; models that
   cannot draw say so. */
#include "sepal/sepal.h"

#include "core/context.h"
#include "seed.h"
#include "data/data.h"
#include "model/model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef fail
#include <cmocka.h>

#include "fixture.h"

enum { ROWS = 300, COLS = 3, CLASSES = 3, DRAWS = 60000 };

/* Correlated columns of very different scales; or counts. Class k has about k + 1 shares. */
static sepal_data *training(bool counts) {
    static double x[ROWS * COLS];
    static const char *labels[ROWS], *const names[] = {"few", "some", "many"};
    for (size_t i = 0; i < ROWS; i++) {
        size_t k = i % 6 == 0 ? 0 : i % 3 == 0 ? 1 : 2;
        double z = rng_normal_at(test_seed(1), 1, 4 * i);
        labels[i] = names[k];
        for (size_t j = 0; j < COLS; j++) {
            double more = rng_normal_at(test_seed(1), 1, 4 * i + 1 + j);
            x[i * COLS + j] = counts ? floor(fabs(more) * (j == k ? 6 : 2))
                                     : 1000 + pow(10, (double)j) * ((double)k + z + more);
        }
    }
    sepal_data *data;
    assert_int_equal(sepal_data_dense(&data, ctx, x, ROWS, COLS, labels, NULL), SEPAL_OK);
    return data;
}

static sepal_model *train(const char *spec, bool counts) {
    sepal_data *data = training(counts);
    sepal_model *model;
    if (sepal_model_fit(&model, NULL, ctx, spec, data, NULL) != SEPAL_OK)
        fail_msg("%s: %s", spec, sepal_ctx_error(ctx));
    sepal_data_free(data);
    return model;
}

static sepal_data *sample(const sepal_model *model, size_t n, const char *options) {
    sepal_data *data;
    if (sepal_model_sample(&data, ctx, model, n, options) != SEPAL_OK)
        fail_msg("%s", sepal_ctx_error(ctx));
    assert_int_equal(sepal_data_rows(data), n);
    assert_int_equal(sepal_data_columns(data), COLS);
    return data;
}

static const struct {
    const char *spec;
    bool counts;
} specs[] = {{"gaussian(covariance=shared)", false},
             {"gaussian(covariance=full)", false},
             {"gaussian(covariance=diagonal)", false},
             {"gaussian(covariance=spherical)", false},
             {"naive-bayes(kind=gaussian)", false},
             {"standardize | gaussian(covariance=full)", false},
             {"minmax | standardize | gaussian(covariance=shared)", false},
             {"identity | gaussian(covariance=diagonal)", false},
             {"naive-bayes", true},
             {"naive-bayes(kind=bernoulli)", true},
             {"standardize | naive-bayes(kind=bernoulli)", true}};
enum { SPECS = sizeof specs / sizeof *specs };

/* ---- moments -------------------------------------------------------------------------------- */

struct sums {
    double n, mean[COLS], square[COLS];
};

static void sum_classes(struct sums *sums, const sepal_data *data) {
    double row[COLS];
    memset(sums, 0, CLASSES * sizeof *sums);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < sepal_data_rows(data); i++) {
            struct sums *s = &sums[data->label[i]];
            sepal_data_row(row, data, i);
            s->n += pass == 0;
            for (size_t j = 0; j < COLS; j++) {
                if (pass == 0)
                    s->mean[j] += row[j];
                else
                    s->square[j] += (row[j] - s->mean[j]) * (row[j] - s->mean[j]) / s->n;
            }
        }
        for (size_t k = 0; pass == 0 && k < CLASSES; k++)
            for (size_t j = 0; j < COLS; j++) sums[k].mean[j] /= sums[k].n;
    }
}

/* Means of classes are those of the training rows; of bits and of counts, those of the model. */
static void test_moments(void **state) {
    (void)state;
    for (size_t s = 0; s < SPECS; s++) {
        sepal_model *model = train(specs[s].spec, specs[s].counts);
        sepal_data *rows = training(specs[s].counts), *drawn = sample(model, DRAWS, NULL);
        const struct linear *linear = &model->linear;
        struct sums given[CLASSES], found[CLASSES];
        sum_classes(given, rows);
        sum_classes(found, drawn);
        for (size_t k = 0; k < CLASSES; k++) {
            double prior = given[k].n / ROWS, n = DRAWS * prior;
            assert_true(fabs(found[k].n - n) < 5 * sqrt(n * (1 - prior)));
            for (size_t j = 0; j < COLS; j++) {
                double mean = given[k].mean[j], shift = 0, divisor = 1;
                if (specs[s].counts) mean = exp(linear->density->mean[k * COLS + j]);
                if (linear->density->kind == DENSITY_MULTINOMIAL) mean *= 100;
                if (specs[s].counts && model->chain.n) {
                    map_chain_fold(&model->chain, j, &shift, &divisor);
                    mean = mean * divisor + shift;
                }
                double error = sqrt(found[k].square[j] / found[k].n);
                if (fabs(found[k].mean[j] - mean) > 5 * error)
                    fail_msg("%s: the mean of column %zu of class %zu is %g, not %g (error %g)",
                             specs[s].spec, j, k, found[k].mean[j], mean, error);
            }
        }
        sepal_data_free(rows);
        sepal_data_free(drawn);
        sepal_model_free(model);
    }
}

/* Variances of a class: those of the rows where the density has them free. */
static void test_variances(void **state) {
    (void)state;
    static const char *const free_ones[] = {"gaussian(covariance=full, estimate=ml)",
                                            "gaussian(covariance=diagonal)",
                                            "minmax | gaussian(covariance=full, estimate=ml)"};
    for (size_t s = 0; s < 3; s++) {
        sepal_model *model = train(free_ones[s], false);
        sepal_data *rows = training(false), *drawn = sample(model, DRAWS, NULL);
        struct sums given[CLASSES], found[CLASSES];
        sum_classes(given, rows);
        sum_classes(found, drawn);
        for (size_t k = 0; k < CLASSES; k++)
            for (size_t j = 0; j < COLS; j++)
                assert_true(fabs(found[k].square[j] / given[k].square[j] - 1) <
                            5 * sqrt(2 / found[k].n));
        sepal_data_free(rows);
        sepal_data_free(drawn);
        sepal_model_free(model);
    }
}

/* ---- which rows ----------------------------------------------------------------------------- */

static void assert_begins(const sepal_data *longer, const sepal_data *shorter) {
    for (size_t i = 0; i < sepal_data_rows(shorter); i++) {
        double a[COLS], b[COLS];
        sepal_data_row(a, longer, i);
        sepal_data_row(b, shorter, i);
        assert_memory_equal(a, b, sizeof a);
        assert_string_equal(sepal_data_label(longer, i), sepal_data_label(shorter, i));
    }
}

static void test_same_rows(void **state) {
    (void)state;
    static const unsigned threads[] = {1, 2, 5};
    for (size_t s = 0; s < SPECS; s++) {
        sepal_model *model = train(specs[s].spec, specs[s].counts);
        sepal_data *first = sample(model, 9000, NULL);
        for (size_t t = 0; t < 3; t++) {
            sepal_ctx_set_threads(ctx, threads[t]);
            sepal_data *other = sample(model, t == 1 ? 100 : 9000, NULL);
            assert_begins(first, other);
            sepal_data_free(other);
        }
        sepal_ctx_set_threads(ctx, 0);
        sepal_ctx_set_seed(ctx, 2);
        sepal_data *other = sample(model, 9000, NULL);
        sepal_ctx_set_seed(ctx, 1);
        size_t same = 0;
        for (size_t i = 0; i < 9000; i++) same += first->label[i] == other->label[i];
        assert_true(same < 5000);
        sepal_data_free(other);
        sepal_data_free(first);
        sepal_model_free(model);
    }
}

/* More rows than are drawn at once. */
static void test_long_sample(void **state) {
    (void)state;
    enum { LONG = 300000 };
    sepal_model *model = train("gaussian(covariance=diagonal)", false);
    sepal_data *longer = sample(model, LONG, NULL), *shorter = sample(model, 5000, NULL);
    size_t seen[CLASSES] = {0};
    assert_begins(longer, shorter);
    for (size_t i = LONG - 1000; i < LONG; i++) seen[longer->label[i]]++;
    for (size_t k = 0; k < CLASSES; k++) assert_true(seen[k] > 50);
    sepal_data_free(longer);
    sepal_data_free(shorter);
    sepal_model_free(model);
}

static void test_one_class(void **state) {
    (void)state;
    sepal_model *model = train("naive-bayes", true);
    sepal_data *drawn = sample(model, 500, "class=some, length=7");
    for (size_t i = 0; i < 500; i++) {
        double row[COLS];
        assert_string_equal(sepal_data_label(drawn, i), "some");
        sepal_data_row(row, drawn, i);
        assert_true(row[0] + row[1] + row[2] == 7);
    }
    assert_null(sepal_data_label(drawn, 500));
    char *name;
    assert_int_equal(sepal_data_column_name(&name, ctx, drawn, 2), SEPAL_OK);
    assert_string_equal(name, "x3");
    sepal_text_free(name);
    assert_int_equal(sepal_data_column_name(&name, ctx, drawn, 3), SEPAL_EUSAGE);
    assert_null(name);
    sepal_data_free(drawn);
    sepal_model_free(model);
}

/* A model can be trained on what another one draws, and finds its means again. */
static void test_learn_again(void **state) {
    (void)state;
    sepal_model *model = train("gaussian(covariance=full)", false), *again;
    sepal_data *drawn = sample(model, DRAWS, NULL);
    assert_int_equal(sepal_model_fit(&again, NULL, ctx, "gaussian(covariance=full)", drawn, NULL),
                     SEPAL_OK);
    const struct density *a = model->linear.density, *b = again->linear.density;
    for (size_t i = 0; i < CLASSES * COLS; i++) {
        double before = a->mean[i] + model->linear.centre[i % COLS];
        double after = b->mean[i] + again->linear.centre[i % COLS];
        assert_true(fabs(before - after) < 0.1 * pow(10, (double)(i % COLS)));
    }
    sepal_model_free(again);
    sepal_model_free(model);
    sepal_data_free(drawn);
}

/* ---- refusals ------------------------------------------------------------------------------- */

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        const char *spec, *options, *word;
        sepal_status status;
        size_t n;
    } cases[] = {
        {"lda", NULL, "gaussian(covariance=shared)", SEPAL_EMODEL, 5},
        {"naive-bayes(kind=complement)", NULL, "kind=multinomial", SEPAL_EMODEL, 5},
        {"least-squares", NULL, "gaussian and naive-bayes", SEPAL_EMODEL, 5},
        {"gaussian | ovo", NULL, "without the strategy", SEPAL_EMODEL, 5},
        {"poly | gaussian(covariance=diagonal)", NULL, "map poly", SEPAL_EMODEL, 5},
        {"standardize | poly | naive-bayes(kind=gaussian)", NULL, "map poly", SEPAL_EMODEL, 5},
        {"gaussian", "length=5", "rows of counts", SEPAL_EUSAGE, 5},
        {"gaussian", "class=fewer", "did you mean 'few'", SEPAL_EUSAGE, 5},
        {"gaussian", "class=zebra", "no class 'zebra'", SEPAL_EUSAGE, 5},
        {"hash(bits=6) | gaussian(covariance=shared)", NULL, "with shrinkage=auto", SEPAL_EMODEL,
         5},
        {"gaussian", "klass=few", "class", SEPAL_EUSAGE, 5},
        {"naive-bayes", "length=-1", "length", SEPAL_EUSAGE, 5},
        {"naive-bayes", "length=1e8", "length", SEPAL_EUSAGE, 5},
        {"gaussian", NULL, "at least one", SEPAL_EUSAGE, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sepal_model *model = train(cases[i].spec, true);
        sepal_data *data = (sepal_data *)&ctx;
        assert_int_equal(sepal_model_sample(&data, ctx, model, cases[i].n, cases[i].options),
                         cases[i].status);
        assert_null(data);
        if (!strstr(sepal_ctx_error(ctx), cases[i].word))
            fail_msg("'%s' is not in: %s", cases[i].word, sepal_ctx_error(ctx));
        sepal_model_free(model);
    }
}

static int stop(const char *line, void *payload) {
    (void)line, (void)payload;
    return 1;
}

static void test_interrupt(void **state) {
    (void)state;
    sepal_model *model = train("gaussian", false);
    sepal_data *data;
    sepal_ctx_set_progress(ctx, stop, NULL);
    assert_int_equal(sepal_model_sample(&data, ctx, model, 1000, NULL), SEPAL_ECANCEL);
    sepal_ctx_set_progress(ctx, NULL, NULL);
    assert_null(data);
    assert_int_equal(sepal_model_sample(&data, ctx, model, 1000, NULL), SEPAL_OK);
    sepal_data_free(data);
    sepal_model_free(model);
}

static void test_numbers_out_of_range(void **state) {
    (void)state;
    sepal_model *model = train("gaussian(covariance=diagonal)", false);
    sepal_data *data;
    model->linear.density->mean[4] = 1e308;
    model->linear.centre[1] = 1e308;
    assert_int_equal(sepal_model_sample(&data, ctx, model, 100, NULL), SEPAL_EMODEL);
    assert_non_null(strstr(sepal_ctx_error(ctx), "column 2"));
    sepal_model_free(model);
}

static void test_without_memory(void **state) {
    (void)state;
    for (int counts = 0; counts < 2; counts++) {
        sepal_model *model = train(counts ? "naive-bayes" : "gaussian", counts);
        sepal_data *data;
        sepal_status status = SEPAL_EMEMORY;
        size_t k = 0;
        sepal_ctx_set_threads(ctx, 1);
        while (status == SEPAL_EMEMORY && k < 200) {
            atomic_store(&ctx->faults[FAULT_ALLOC].calls, 0);
            ctx->faults[FAULT_ALLOC].from_then_on = true;
            ctx->faults[FAULT_ALLOC].fail_at = ++k;
            status = sepal_model_sample(&data, ctx, model, 50, "class=many");
        }
        ctx->faults[FAULT_ALLOC].fail_at = 0;
        assert_int_equal(status, SEPAL_OK);
        assert_true(k > 6);
        sepal_ctx_set_threads(ctx, 0);
        sepal_data_free(data);
        sepal_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_variances),
        cmocka_unit_test(test_same_rows),
        cmocka_unit_test(test_one_class),
        cmocka_unit_test(test_long_sample),
        cmocka_unit_test(test_learn_again),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_numbers_out_of_range),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
