/* Every metric and every curve of 300 sets of scores is what scikit-learn finds: metrics.json, written by
   make_metrics.py beside it. A model whose scores are its columns stands between them. */
#include "contract/strategy_problem.h"

#include "core/io.h"
#include "report/report.h"

static size_t compared;

static void near(size_t set, const char *what, double found, const struct tree *wanted) {
    compared++;
    if (!wanted || wanted->kind == TREE_NULL) {
        if (!isnan(found)) fail_msg("set %zu: %s is %.17g, and not defined", set, what, found);
    } else if (!(fabs(found - wanted->number) <= 1e-12 * fmax(1, fabs(wanted->number)))) {
        fail_msg("set %zu: %s is %.17g, not %.17g", set, what, found, wanted->number);
    }
}

static double fact_of(const struct tree *object, const char *key) {
    const struct tree *fact = tree_find(object, key);
    assert_non_null(fact);
    return fact->kind == TREE_NUMBER ? fact->number : NAN;
}

/* ---- a set -------------------------------------------------------------------------------- */

static double number_in(const struct tree *set, const char *key) {
    return tree_find(set, key)->number;
}

/* The scores of a row are its columns; of two classes the second one's. */
static sepal_model *plain_model(size_t k) {
    size_t cols = k == 2 ? 1 : k;
    struct rng rng = rng_make(test_seed(901), k);
    struct problem p = any_problem(&rng, k, cols);
    sepal_data *data = problem_data(&p, ctx, false);
    sepal_model *model = fit_spec(data, k == 2 ? "logistic" : "softmax");
    struct linear *linear = &model->linear;
    if (linear->centre) linear_uncentre(linear);
    memset(linear->b, 0, linear->rows * sizeof *linear->b);
    memset(linear->w, 0, linear->rows * cols * sizeof *linear->w);
    for (size_t r = 0; r < linear->rows; r++) linear->w[r * cols + r] = 1;
    data_free(data);
    problem_free(&p);
    return model;
}

/* Labels c00, c01, ... as the problems have them. */
static sepal_data *data_of(const struct tree *set) {
    static const char *const names[] = {"c00", "c01", "c02", "c03"};
    const struct tree *labels = tree_find(set, "y"), *weights = tree_find(set, "weight");
    size_t rows = labels->count, cols = tree_find(set, "x")->count / rows, i = 0;
    double *x = malloc(rows * cols * sizeof *x), *weight = malloc(rows * sizeof *weight);
    const char **label = malloc(rows * sizeof *label);
    sepal_data *data = NULL;
    assert_true(x && weight && label);
    for (const struct tree *at = tree_find(set, "x")->first; at; at = at->next)
        x[i++] = at->number / 1000;
    i = 0;
    for (const struct tree *at = labels->first; at; at = at->next)
        label[i++] = names[(size_t)at->number];
    i = 0;
    for (const struct tree *at = weights->first; at; at = at->next) weight[i++] = at->number / 8;
    assert_int_equal(sepal_data_dense(&data, ctx, x, rows, cols, label,
                                      weights->kind == TREE_NULL ? NULL : weight),
                     SEPAL_OK);
    free(x), free(weight), free(label);
    return data;
}

/* ---- curves ------------------------------------------------------------------------------- */

/* Points in short: how many, and of each coordinate the sum of i times the i-th number. */
static void check_points(size_t set, const char *what, const struct tree *points,
                         const char *const keys[], size_t columns, const struct tree *wanted) {
    double sums[3] = {0}, place = 0;
    for (const struct tree *point = points->first; point; point = point->next) {
        const struct tree *cell = point->first;
        place++;
        for (size_t c = 0; c < columns; c++) {
            const struct tree *number = keys ? tree_find(point, keys[c]) : cell;
            if (number->kind == TREE_NUMBER) sums[c] += place * number->number;
            if (cell) cell = cell->next;
        }
    }
    near(set, what, place, wanted->first);
    const struct tree *sum = wanted->first->next;
    for (size_t c = 0; c < columns && sum; c++, sum = sum->next) near(set, what, sums[c], sum);
}

static void check_curves(size_t set, const struct tree *curves, const struct tree *expected,
                         bool extreme) {
    static const char *const keys[] = {"mean_probability", "fraction", "count"};
    const struct tree *roc = tree_find(curves, "roc")->first, *pr = tree_find(curves, "pr")->first,
                      *bins = tree_find(curves, "calibration")->first;
    size_t columns = extreme ? 2 : 3; /* theirs are ranked by logarithms there */
    for (const struct tree *one = tree_find(expected, "curves")->first; one; one = one->next) {
        assert_true(roc && pr && bins);
        near(set, "auc", fact_of(roc, "auc"), tree_find(one, "auc"));
        near(set, "average_precision", fact_of(pr, "average_precision"),
             tree_find(one, "average_precision"));
        near(set, "ece of a curve", fact_of(bins, "ece"), tree_find(one, "ece"));
        check_points(set, "roc", tree_find(roc, "points"), NULL, columns, tree_find(one, "roc"));
        check_points(set, "pr", tree_find(pr, "points"), NULL, columns, tree_find(one, "pr"));
        check_points(set, "calibration", tree_find(bins, "bins"), keys, 3,
                     tree_find(one, "calibration"));
        roc = roc->next, pr = pr->next, bins = bins->next;
    }
    assert_true(!roc && !pr && !bins);
    if (tree_find(expected, "coverage"))
        check_points(set, "coverage", tree_find(curves, "coverage"), NULL, 3,
                     tree_find(expected, "coverage"));
}

/* ---- metrics ------------------------------------------------------------------------------ */

static void check_row(size_t set, const struct tree *found, const struct tree *wanted) {
    for (const struct tree *at = wanted->first; at; at = at->next)
        near(set, at->key, fact_of(found, at->key), at);
}

static void check_report(size_t set, const struct tree *report, const struct tree *expected,
                         bool extreme) {
    static const char *const keys[] = {
        "accuracy", "error", "balanced_accuracy", "kappa", "mcc", "log_loss",
        "brier",    "ece",   "roc_auc",           "pr_auc"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        near(set, keys[i], fact_of(report, keys[i]), tree_find(expected, keys[i]));
    static const char *const averages[] = {"macro", "micro", "weighted"};
    for (size_t i = 0; i < 3; i++)
        check_row(set, tree_find(report, averages[i]), tree_find(expected, averages[i]));
    const struct tree *mine = tree_find(report, "per_class")->first;
    for (const struct tree *at = tree_find(expected, "per_class")->first; at; at = at->next) {
        check_row(set, mine, at);
        mine = mine->next;
    }
    mine = tree_find(report, "confusion")->first;
    for (const struct tree *row = tree_find(expected, "confusion")->first; row; row = row->next) {
        const struct tree *cell = mine->first;
        for (const struct tree *at = row->first; at; at = at->next, cell = cell->next)
            near(set, "confusion", cell->number, at);
        mine = mine->next;
    }
    if (tree_find(expected, "top_2"))
        near(set, "top_k", fact_of(tree_find(report, "top_k"), "accuracy"),
             tree_find(expected, "top_2"));
    check_curves(set, tree_find(report, "curves"), expected, extreme);
}

static bool is_extreme(const struct tree *set) {
    for (const struct tree *at = tree_find(set, "x")->first; at; at = at->next)
        if (fabs(at->number) > 6000) return true;
    return false;
}

static struct tree *golden_read(struct arena *arena) {
    const char *source = getenv("SEPAL_SOURCE");
    char path[4096], *bytes = NULL;
    size_t size;
    struct tree *root = NULL;
    snprintf(path, sizeof path, "%s/tests/golden/metrics.json", source ? source : ".");
    assert_int_equal(input_slurp(&bytes, &size, ctx, path, SEPAL_EDATA), SEPAL_OK);
    assert_int_equal(json_read(&root, ctx, arena, (struct slice){bytes, size}, SEPAL_EDATA),
                     SEPAL_OK);
    mem_free(bytes);
    return root;
}

static void test_metrics(void **state) {
    (void)state;
    struct arena arena = {0};
    struct tree *golden = golden_read(&arena);
    sepal_model *models[5] = {NULL, NULL, plain_model(2), plain_model(3), plain_model(4)};
    size_t number = 0;
    for (const struct tree *set = tree_find(golden, "sets")->first; set; set = set->next) {
        size_t k = (size_t)number_in(set, "k");
        sepal_data *data = data_of(set);
        sepal_report *report = NULL;
        char options[64];
        snprintf(options, sizeof options, "curves, top-k=2%s",
                 k > 2                             ? ""
                 : number_in(set, "positive") == 1 ? ", positive=c01"
                                                   : ", positive=c00");
        assert_int_equal(sepal_model_evaluate(&report, ctx, models[k], data, options), SEPAL_OK);
        check_report(number++, report->root, tree_find(set, "expected"), is_extreme(set));
        sepal_report_free(report);
        sepal_data_free(data);
    }
    for (size_t k = 2; k < 5; k++) sepal_model_free(models[k]);
    arena_clear(&arena);
    printf("%zu sets, %zu numbers\n", number, compared);
    assert_int_equal(number, 300);
    assert_true(compared > 15000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_metrics)};
    return cmocka_run_group_tests(tests, set_up_one_thread, tear_down);
}
