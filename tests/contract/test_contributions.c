/* Contributions of features to scores, of every learner, map and strategy of the tables: their exact sum is
   the score, to the bit; each is what its feature changes about the row of reference, by definition; and that
   row is the mean of the training rows, where it is said to be. */
#include "contract/law_cases.h"

#include "exact/exact_sum.h"
#include "model/contributions.h"

#include "fixture.h"

#include <float.h>

enum { TRAINED = 40, COLS = 3, ASKED = 6 };

/* ---- exact sums --------------------------------------------------------------------------- */

/* By the long accumulator: the sum lies between the middles of the score and its neighbours. */
static bool sums_to(const double *terms, size_t n, double score) {
    static int64_t limbs[EXACT_SUM_LIMBS];
    for (int side = -1; side <= 1; side += 2) {
        struct exact_sum sum = {.limb = limbs, .n = EXACT_SUM_LIMBS};
        exact_sum_clear(&sum);
        for (size_t t = 0; t < n; t++) exact_sum_add(&sum, terms[t], 1);
        exact_sum_add(&sum, score, -0.5);
        exact_sum_add(&sum, nextafter(score, side * DBL_MAX), -0.5);
        if (exact_sum_sign(&sum) * side > 0) return false;
    }
    return true;
}

static void test_settle(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(31), 1);
    size_t moved = 0;
    for (size_t number = 0; number < 20000; number++) {
        double terms[9], before[8], score, rounding;
        size_t n = 1 + rng_below(&rng, 8);
        for (size_t t = 0; t < n; t++) {
            int power = number % 2 ? (int)rng_below(&rng, 6) - 3 : (int)rng_below(&rng, 400) - 200;
            terms[t] = rng_below(&rng, 8) == 0 ? 0 : ldexp(rng_unit(&rng) - 0.5, power);
            if (t > 0 && number % 3 == 0) terms[t] = -terms[t - 1] * (1 + rng_unit(&rng) * 1e-15);
        }
        /* as it comes from floats, far smaller than any sum of them, or 0 */
        score = 0;
        for (size_t t = 0; t < n; t++) score += terms[t];
        if (number % 5 == 1) score = ldexp(rng_unit(&rng) - 0.5, -120);
        if (number % 5 == 2) score = 0;
        memcpy(before, terms, n * sizeof *terms);
        assert_int_equal(contributions_settle(&rounding, ctx, terms, n, score), SEPAL_OK);
        terms[n] = rounding;
        assert_true(sums_to(terms, n + 1, score));
        if (memcmp(before, terms, n * sizeof *terms) != 0) moved++;
    }
    assert_true(moved > 20 && moved < 10000); /* both branches are taken */
}

/* Terms are moved by units in their last place, not more. */
static void test_balance(void **state) {
    (void)state;
    double terms[] = {1.2, 2, -2.9, -0.3 + 0x1p-52, 0x1p-40}, before[5], rounding;
    static const double score = 0x1.23456789abcdep-140;
    memcpy(before, terms, sizeof terms);
    assert_int_equal(contributions_settle(&rounding, ctx, terms, 5, score), SEPAL_OK);
    double all[6];
    memcpy(all, terms, sizeof terms);
    all[5] = rounding;
    assert_true(sums_to(all, 6, score));
    for (size_t t = 0; t < 4; t++) assert_true(fabs(terms[t] - before[t]) <= 1e-11);
    /* what overflows is no number */
    double large[] = {DBL_MAX, DBL_MAX, -DBL_MAX};
    assert_int_equal(contributions_settle(&rounding, ctx, large, 3, 1), SEPAL_OK);
    assert_false(isfinite(rounding) && sums_to(large, 3, 1));
}

/* ---- models ------------------------------------------------------------------------------- */

static size_t explained, defined, at_mean;

static double *contributions_of(const sepal_model *model, const sepal_data *data) {
    size_t rows = data->matrix.rows, width = sepal_model_outputs(model, SEPAL_CONTRIBUTIONS);
    sepal_predictions out = {.size = sizeof out, .what = SEPAL_CONTRIBUTIONS};
    out.numbers = malloc((rows * width + 1) * sizeof *out.numbers);
    assert_non_null(out.numbers);
    if (sepal_model_predict_rows(&out, ctx, model, data, 0, rows, NULL) != SEPAL_OK)
        fail_msg("%s: %s", model->spec, sepal_ctx_error(ctx));
    return out.numbers;
}

static void check_sums(const sepal_model *model, const sepal_data *data, const double *numbers) {
    size_t width = contributions_width(model), functions = model->linear.rows;
    double *shown = malloc(data->matrix.rows * model->linear.classes * sizeof *shown);
    assert_int_equal(sepal_model_scores(shown, ctx, model, data), SEPAL_OK);
    for (size_t i = 0; i < data->matrix.rows; i++)
        for (size_t r = 0; r < functions; r++) {
            const double *one = numbers + (i * functions + r) * width;
            if (!sums_to(one + 1, width - 1, one[0]))
                fail_msg("%s: row %zu, function %zu does not add up", model->spec, i, r);
            if (!model->linear.strategy->show) assert_true(one[0] == shown[i * functions + r]);
        }
    free(shown);
}

/* Where the mean of the training rows is the reference: theirs, by plain loops. */
static void find_reference(double *out, const sepal_model *model, const struct table *t) {
    enum reference reference = contributions_reference(model);
    const struct linear *linear = &model->linear;
    bool weighs_classes =
        has(model->spec, "class_weight=") && !has(model->spec, "class_weight=none");
    assert_true(!weighs_classes || map_chain_is_identity(&model->chain));
    double total = 0;
    memset(out, 0, t->cols * sizeof *out);
    for (size_t i = 0; i < t->rows; i++) {
        total += t->weight[i];
        for (size_t j = 0; j < t->cols; j++) out[j] += t->weight[i] * t->x[i * t->cols + j];
    }
    at_mean += reference == REFERENCE_MEAN;
    for (size_t j = 0; j < t->cols; j++) {
        out[j] = reference == REFERENCE_MEAN ? out[j] / total : 0;
        if (weighs_classes && reference == REFERENCE_MEAN) out[j] = linear->centre[j];
    }
}

/* A row of reference but for features g and h, which are as in a row x. */
static void replace(double *out, const double *reference, const double *x, size_t g, size_t h) {
    memcpy(out, reference, COLS * sizeof *out);
    if (g < COLS) out[g] = x[g];
    if (h < COLS) out[h] = x[h];
}

/* s(one feature) - s(reference); of products s(both) - s(one) - s(other) + s(reference). */
static void check_definition(const sepal_model *model, const struct table *t, const double *x) {
    enum { ONE = 1 + COLS, ALL = ONE + COLS * (COLS - 1) / 2 };
    double reference[COLS], rows[(ALL + 1) * COLS];
    size_t width = contributions_width(model), functions = model->linear.rows, at = ONE;
    find_reference(reference, model, t);
    replace(rows, reference, x, COLS, COLS);
    for (size_t g = 0; g < COLS; g++) replace(rows + (1 + g) * COLS, reference, x, g, g);
    for (size_t g = 0; g < COLS; g++)
        for (size_t h = g + 1; h < COLS; h++) replace(rows + at++ * COLS, reference, x, g, h);
    memcpy(rows + ALL * COLS, x, COLS * sizeof *x);
    sepal_data *data = NULL;
    assert_int_equal(sepal_data_dense(&data, ctx, rows, ALL + 1, COLS, NULL, NULL), SEPAL_OK);
    double *numbers = contributions_of(model, data);
    size_t stride = functions * width;
    for (size_t r = 0; r < functions; r++) {
        const double *all = numbers + r * width, *last = all + ALL * stride + 2;
        double size = 1e-9, base = all[0];
        for (size_t i = 0; i <= ALL; i++) size = fmax(size, fabs(all[i * stride]));
        for (size_t g = 0; g < COLS; g++)
            if (fabs(last[g] - (all[(1 + g) * stride] - base)) > 1e-8 * size)
                fail_msg("%s: feature %zu adds %.17g, not %.17g", model->spec, g,
                         all[(1 + g) * stride] - base, last[g]);
        at = ONE;
        for (size_t g = 0; g < COLS; g++)
            for (size_t h = g + 1; h < COLS; h++, at++) {
                double both =
                    all[at * stride] - all[(1 + g) * stride] - all[(1 + h) * stride] + base;
                double told = width == COLS + 3 ? 0 : last[COLS + at - ONE];
                if (fabs(told - both) > 1e-8 * size)
                    fail_msg("%s: product %zu, %zu adds %.17g, not %.17g", model->spec, g, h, both,
                             told);
            }
        if (fabs(all[ALL * stride + 1] - base) > 1e-8 * size)
            fail_msg("%s: baseline %.17g, not %.17g", model->spec, all[ALL * stride + 1], base);
    }
    defined++;
    free(numbers);
    data_free(data);
}

static bool works_by_column(const sepal_model *model) {
    return map_chain_affine_tail(&model->chain) == model->chain.n;
}

static void check_case(const struct law_case *one, const struct table *t) {
    char options[120];
    sepal_model *model = NULL;
    struct table asked = *t;
    snprintf(options, sizeof options, "%s, max-iter=30", one->options);
    sepal_data *data = table_data(t, ctx);
    sepal_ctx_clear_warnings(ctx);
    sepal_status status = sepal_model_fit(&model, NULL, ctx, one->spec, data, options);
    if (status != SEPAL_OK) { /* combinations that a learner or solver is not for */
        assert_true(status == SEPAL_EUSAGE || has(one->spec, "targets=fisher"));
        data_free(data);
        return;
    }
    asked.rows = ASKED;
    for (asked.sparse = false;; asked.sparse = true) {
        sepal_data *rows = table_data(&asked, ctx);
        double *numbers = contributions_of(model, rows);
        check_sums(model, rows, numbers);
        free(numbers);
        data_free(rows);
        if (asked.sparse) break;
    }
    if (works_by_column(model)) check_definition(model, t, t->x + 2 * COLS);
    explained++;
    sepal_model_free(model);
    data_free(data);
}

static void all_models(size_t classes, uint64_t number) {
    static struct law_cases cases;
    struct rng rng = rng_make(test_seed(number), classes);
    explained = defined = at_mean = 0;
    all_cases(&cases, classes);
    struct table dense = table_random(&rng, TRAINED, COLS, classes, false), sparse = dense;
    sparse.sparse = true;
    size_t step = getenv("SEPAL_THIN") && strcmp(getenv("SEPAL_THIN"), "1") == 0 ? 7 : 1;
    for (size_t i = rng_below(&rng, step); i < cases.n; i += step) {
        check_case(&cases.one[i], &dense);
        if (i % 3 == 0) check_case(&cases.one[i], &sparse);
    }
    printf("%zu models explained, %zu by definition\n", explained, defined);
    assert_true(explained > 200 / step && defined > explained / 2 && at_mean > 0);
    table_free(&dense);
}

static void test_two_classes(void **state) {
    (void)state;
    all_models(2, 601);
}

static void test_three_classes(void **state) {
    (void)state;
    all_models(3, 602);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settle),
        cmocka_unit_test(test_balance),
        cmocka_unit_test(test_two_classes),
        cmocka_unit_test(test_three_classes),
    };
    return cmocka_run_group_tests(tests, set_up_one_thread, tear_down);
}
