/* Choosing by held-out rows: the choice follows from the numbers told, by the rules written out; a cutoff is as
   good as any of all that decide differently; the choice inside of an outer fold does not change with the
   rows of the fold, whatever is planted there; a grid has every combination once, and its specs are those
   written by hand; one bad point is named before anything is fitted. */
#include "contract/laws.h"

#include "selection/cutoff.h"
#include "selection/grid.h"

#include <stdio.h>

static sepal_ctx *ctx;
static struct arena arena;

static int begin(void **state) {
    (void)state;
    arena = (struct arena){0};
    return sepal_ctx_new(&ctx) == SEPAL_OK ? 0 : -1;
}

static int end(void **state) {
    (void)state;
    arena_clear(&arena);
    sepal_ctx_free(ctx);
    return 0;
}

static double fact(const sepal_report *report, const char *format, size_t k) {
    char place[128];
    snprintf(place, sizeof place, format, k);
    return sepal_report_number(report, place);
}

static sepal_report *tuned(const sepal_data *data, const char *spec, const char *options) {
    sepal_report *report = NULL;
    if (sepal_select(NULL, &report, ctx, "tune", &spec, 1, data, options, NULL) != SEPAL_OK)
        fail_msg("%s, %s: %s", spec, options, ctx->error.message);
    return report;
}

/* ---- the rules ---------------------------------------------------------------------------- */

/* What makes point a simpler than b: by hand, for the grids below. */
static bool simpler(const sepal_report *report, size_t a, size_t b, int degree_side) {
    double p = fact(report, "tuning.points.%zu.values.poly.degree", a),
           q = fact(report, "tuning.points.%zu.values.poly.degree", b);
    double c = fact(report, "tuning.points.%zu.values.C", a),
           d = fact(report, "tuning.points.%zu.values.C", b);
    if (degree_side && p != q) return p < q;
    return c < d;
}

/* `words`: bias is varied, too, and has no simpler side. */
static void check_rules(const sepal_report *report, double better, bool degree, bool words) {
    size_t n = 0, best = 0;
    while (!isnan(fact(report, "tuning.points.%zu.valid.mean", n))) n++;
    assert_true(n > 5);
    for (size_t k = 1; k < n; k++) {
        double more = better * (fact(report, "tuning.points.%zu.valid.mean", k) -
                                fact(report, "tuning.points.%zu.valid.mean", best));
        if (more > 0 || (more == 0 && !words && simpler(report, k, best, degree))) best = k;
    }
    assert_int_equal(best, (size_t)sepal_report_number(report, "tuning.best.index"));
    double bound = better * fact(report, "tuning.points.%zu.valid.mean", best) -
                   fact(report, "tuning.points.%zu.valid.standard_error", best);
    size_t simplest = best;
    for (size_t k = 0; k < n; k++) {
        char place[2][96];
        snprintf(place[0], 96, "tuning.points.%zu.values.bias", k);
        snprintf(place[1], 96, "tuning.points.%zu.values.bias", best);
        if (words && strcmp(sepal_report_string(report, place[0]),
                            sepal_report_string(report, place[1])) != 0)
            continue;
        bool within = better * fact(report, "tuning.points.%zu.valid.mean", k) >= bound;
        if (within && simpler(report, k, simplest, degree)) simplest = k;
    }
    assert_int_equal(simplest,
                     (size_t)sepal_report_number(report, "tuning.one_standard_error.index"));
    assert_int_equal(simplest, (size_t)sepal_report_number(report, "tuning.chosen.index"));
}

static void test_rules(void **state) {
    (void)state;
    size_t apart = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct rng rng = rng_make(test_seed(seed), 1);
        struct table t = table_random(&rng, 60 + rng_below(&rng, 60), 3, 2 + seed % 2, false);
        sepal_data *data = table_data(&t, ctx);
        sepal_report *one =
            tuned(data, "poly | logistic",
                  "over=\"C=0.001:10:log:5; degree=1,2\", folds=5, metric=accuracy");
        check_rules(one, 1, false, false);
        apart += sepal_report_number(one, "tuning.best.index") !=
                 sepal_report_number(one, "tuning.chosen.index");
        sepal_report *two =
            tuned(data, "poly | logistic", "over=\"poly.degree=1:3; C=0.01,1,100\", folds=4");
        check_rules(two, -1, true, false);
        sepal_report *three =
            tuned(data, "logistic", "over=\"C=0.01,0.1,1,10;bias=true,false\", folds=4");
        check_rules(three, -1, false, true);
        sepal_report_free(one);
        sepal_report_free(two);
        sepal_report_free(three);
        sepal_data_free(data);
        table_free(&t);
    }
    assert_true(apart > 0); /* else one standard error was never of any use */
}

/* ---- cutoffs ------------------------------------------------------------------------------ */

/* The value of a goal at a cutoff, counted row by row. */
static double goal_at(const struct trials *trials, const struct cutoff_goal *goal, double cutoff) {
    double n[2][2] = {{0}}, p = (double)goal->positive;
    for (size_t s = 0; s < trials->splits->n; s++)
        for (size_t i = 0; i < trials->splits->of[s].n_valid; i++) {
            size_t row = trials->splits->of[s].valid[i];
            bool second = trials->of[s].proba[2 * i + 1] >= cutoff;
            n[trials->data->label[row]][second] += data_weight(trials->data, row);
        }
    size_t k = (size_t)p;
    double tp = n[k][k], fp = n[1 - k][k], fn = n[k][1 - k], tn = n[1 - k][1 - k];
    if (strcmp(goal->name, "cost") == 0)
        return (goal->cost_fp * fp + goal->cost_fn * fn) / (tp + fp + fn + tn);
    if (strcmp(goal->name, "f1") == 0)
        return 2 * tp + fp + fn > 0 ? 2 * tp / (2 * tp + fp + fn) : 0;
    if (strcmp(goal->name, "accuracy") == 0) return (tp + tn) / (tp + fp + fn + tn);
    return (tp / (tp + fn) + tn / (tn + fp)) / 2; /* balanced_accuracy */
}

static void check_cutoff(const struct trials *trials, const struct cutoff_goal *goal) {
    struct cutoff found;
    assert_int_equal(cutoff_find(&found, trials, 0, goal), SEPAL_OK);
    double best = goal_at(trials, goal, 0), half = goal_at(trials, goal, 0.5);
    for (size_t s = 0; s < trials->splits->n; s++)
        for (size_t i = 0; i < trials->splits->of[s].n_valid; i++) {
            double p = trials->of[s].proba[2 * i + 1];
            best =
                goal->better * fmax(goal->better * best, goal->better * goal_at(trials, goal, p));
            best = goal->better *
                   fmax(goal->better * best, goal->better * goal_at(trials, goal, nextafter(p, 2)));
        }
    if (!(fabs(goal_at(trials, goal, found.value) - best) <= 1e-12))
        fail_msg("%s: %.17g at %.17g, best %.17g", goal->name, goal_at(trials, goal, found.value),
                 found.value, best);
    assert_true(fabs(found.score - best) <= 1e-12 && fabs(found.half - half) <= 1e-12);
    assert_true(found.value >= 0 && found.value <= 1);
    if (fabs(half - best) <= 1e-15) assert_true(found.value == 0.5);
}

static void check_cutoffs(const sepal_data *data) {
    static const char *const goals[] = {"cost", "f1", "accuracy", "balanced_accuracy"};
    static const double costs[][2] = {{1, 5}, {7, 1}, {0, 1}};
    const struct split_plan plan = {.manner = SPLIT_STRATIFIED, .folds = 4, .repeats = 2};
    const struct candidate candidate = {"standardize | logistic", NULL};
    struct splits splits = {0};
    assert_int_equal(splits_make(&splits, ctx, data, &plan), SEPAL_OK);
    struct trials trials = {.ctx = ctx,
                            .data = data,
                            .splits = &splits,
                            .candidates = &candidate,
                            .n_candidates = 1,
                            .keep_rows = true};
    assert_int_equal(trials_run(&trials), SEPAL_OK);
    for (size_t g = 0; g < 4; g++)
        for (size_t c = 0; c < (g == 0 ? 3 : 1); c++)
            for (size_t positive = 0; positive < 2; positive++) {
                struct cutoff_goal goal;
                double fp = g == 0 ? costs[c][0] : NAN, fn = g == 0 ? costs[c][1] : NAN;
                assert_int_equal(cutoff_goal_read(&goal, ctx, goals[g], fp, fn), SEPAL_OK);
                goal.positive = positive;
                check_cutoff(&trials, &goal);
            }
    trials_clear(&trials);
    splits_clear(&splits);
}

static void test_cutoffs(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct rng rng = rng_make(test_seed(seed), 2);
        struct table t = table_random(&rng, 50 + rng_below(&rng, 60), 2, 2, seed % 2 == 0);
        sepal_data *data = table_data(&t, ctx);
        check_cutoffs(data);
        sepal_data_free(data);
        table_free(&t);
    }
}

/* ---- nested ------------------------------------------------------------------------------- */

enum { OUTER = 4 };
static const char nested_options[] =
    "over=\"C=0.01,0.1,1,10; poly.degree=1,2\", folds=3, nested=4, "
    "metric=accuracy, choose=best, cutoff-for=f1";

/* Rows of outer fold f with other numbers: far away, and against their classes. */
static struct table planted(const struct table *t, const struct split *fold) {
    struct table out = table_copy(t);
    for (size_t i = 0; i < fold->n_valid; i++)
        for (size_t j = 0; j < t->cols; j++)
            out.x[fold->valid[i] * t->cols + j] = t->label[fold->valid[i]] ? -50.0 : 50.0;
    return out;
}

static void check_fold(const struct table *t, const sepal_report *clean, const struct splits *outer,
                       size_t f) {
    static const char *const keys[] = {"nested.folds.%zu.values.C",
                                       "nested.folds.%zu.values.poly.degree",
                                       "nested.folds.%zu.cutoff"};
    struct table other = planted(t, &outer->of[f]);
    sepal_data *data = table_data(&other, ctx);
    sepal_report *report = tuned(data, "poly | logistic", nested_options);
    for (size_t i = 0; i < 3; i++) assert_true(fact(report, keys[i], f) == fact(clean, keys[i], f));
    assert_true(fact(report, "nested.folds.%zu.value", f) <
                fact(clean, "nested.folds.%zu.value", f));
    sepal_report_free(report);
    sepal_data_free(data);
    table_free(&other);
}

static void test_nested(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(1), 3);
    struct table t = table_random(&rng, 90, 2, 2, false);
    sepal_data *data = table_data(&t, ctx);
    const struct split_plan plan = {.manner = SPLIT_STRATIFIED, .folds = OUTER, .repeats = 1};
    struct splits outer = {0};
    assert_int_equal(splits_make(&outer, ctx, data, &plan), SEPAL_OK);
    sepal_report *clean = tuned(data, "poly | logistic", nested_options);
    double sum = 0;
    for (size_t f = 0; f < OUTER; f++) {
        check_fold(&t, clean, &outer, f);
        sum += fact(clean, "nested.folds.%zu.value", f);
        assert_true(fact(clean, "nested.folds.%zu.valid_rows", f) == (double)outer.of[f].n_valid);
    }
    assert_true(fabs(sepal_report_number(clean, "nested.mean") - sum / OUTER) < 1e-14);
    sepal_report_free(clean);
    splits_clear(&outer);
    sepal_data_free(data);
    table_free(&t);
}

/* ---- grids -------------------------------------------------------------------------------- */

static void test_points(void **state) {
    (void)state;
    static const struct {
        const char *spec, *over, *points[8];
    } cases[] = {
        {"logistic", "C=1", {"logistic(C=1)"}},
        {"logistic(C=3)", "C=1,2", {"logistic(C=1)", "logistic(C=2)"}},
        {"logistic(bias=false)",
         "l2=1e-4:1:log:5",
         {"logistic(bias=false, l2=0.0001)", "logistic(bias=false, l2=0.001)",
          "logistic(bias=false, l2=0.01)", "logistic(bias=false, l2=0.1)",
          "logistic(bias=false, l2=1)"}},
        {"lda", "shrinkage=0:1:3", {"lda(shrinkage=0)", "lda(shrinkage=0.5)", "lda(shrinkage=1)"}},
        {"lda", "shrinkage=auto, none", {"lda(shrinkage=auto)", "lda(shrinkage=none)"}},
        {"poly + logistic | ovo",
         "degree = 1:3",
         {"poly(degree=1) | logistic | ovo", "poly(degree=2) | logistic | ovo",
          "poly(degree=3) | logistic | ovo"}},
        {"poly | logistic",
         "C=1,10; poly.degree=1,2",
         {"poly(degree=1) | logistic(C=1)", "poly(degree=2) | logistic(C=1)",
          "poly(degree=1) | logistic(C=10)", "poly(degree=2) | logistic(C=10)"}},
        {"standardize | logistic",
         "standardize=minmax,\"poly(degree=2, interactions=false)\"",
         {"minmax | logistic", "poly(degree=2, interactions=false) | logistic"}},
        {"poly | poly | logistic",
         "2.degree=1,2",
         {"poly | poly(degree=1) | logistic", "poly | poly(degree=2) | logistic"}},
        {"perceptron",
         "epochs=1:100:log:3, 7",
         {"perceptron(epochs=1)", "perceptron(epochs=10)", "perceptron(epochs=100)",
          "perceptron(epochs=7)"}},
        {"perceptron",
         "epochs=1:3:log:5",
         {"perceptron(epochs=1)", "perceptron(epochs=2)", "perceptron(epochs=3)"}},
        {"svm",
         "class_weight=none,\"a:2,b:1\"",
         {"svm(class_weight=none)", "svm(class_weight=\"a:2,b:1\")"}},
        {"logistic", "C=0.1:0.3:3", {"logistic(C=0.1)", "logistic(C=0.2)", "logistic(C=0.3)"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct grid grid;
        size_t n = 0;
        if (grid_make(&grid, ctx, &arena, cases[i].spec, cases[i].over, NULL) != SEPAL_OK)
            fail_msg("%s: %s", cases[i].over, ctx->error.message);
        while (n < 8 && cases[i].points[n]) n++;
        assert_int_equal(grid.n, n);
        for (size_t k = 0; k < n; k++) assert_string_equal(grid_spec(&grid, k), cases[i].points[k]);
    }
}

static void test_bad_grids(void **state) {
    (void)state;
    static const struct {
        const char *spec, *over, *says;
    } cases[] = {
        {"logistic", "C=1,-1,2", "the point C=-1 cannot be fitted: logistic: C=-1 is outside"},
        {"logistic", "C=1,banana", "the point C=banana"},
        {"logistic", "", "has no values; write NAME=VALUES"},
        {"logistic", "C", "over C has no values"},
        {"logistic", "C=", "over C has an empty value"},
        {"logistic", "C=1,,2", "over C has an empty value"},
        {"logistic", "C=1,1.0", "the value 1.0 twice"},
        {"logistic", "C=1:2", "does not say how many"},
        {"logistic", "C=1:2:x", "does not say how many"},
        {"logistic", "C=a:2:3", "no two numbers"},
        {"logistic", "C=1:2:lag:3", "is no range"},
        {"logistic", "C=0:2:log:3", "both ends must be above 0"},
        {"logistic", "C=1:1:3", "begins where it ends"},
        {"logistic", "C=1:2:1", "from 2 to 10000 values"},
        {"logistic", "C=1:2:2.5", "from 2 to 10000 values"},
        {"logistic", "C=1:2:3:4:5", "too many colons"},
        {"logistic", "C=1; C=2", "given twice"},
        {"logistic", "D=1", "no stage of 'logistic' has a parameter of that name; logistic has"},
        {"logistic", "tol=0.1", "an option of the fit"},
        {"logistic", "poly.degree=2", "no stage of"},
        {"poly | poly | logistic", "degree=1,2", "write 1.degree or 2.degree"},
        {"rbf | fourier | logistic", "width=1,2", "write rbf.width or fourier.width"},
        {"logistic(C=1)", "l2=1", "say the same in two ways"},
        {"lda", "shrinkage=0.1,2", "the point shrinkage=2 cannot be fitted"},
        {"logistic", "class_weight=\"a", "is not closed"},
        {"logistic", "C=1:2:10000; l1=1:2:10000", "more than 100000 points"},
        {"banana", "C=1", "'banana' is not a learner"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct grid grid;
        sepal_status status = grid_make(&grid, ctx, &arena, cases[i].spec, cases[i].over, NULL);
        if (status != SEPAL_EUSAGE || !strstr(ctx->error.message, cases[i].says))
            fail_msg("%s: %d, %s", cases[i].over, status, ctx->error.message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rules, begin, end),
        cmocka_unit_test_setup_teardown(test_cutoffs, begin, end),
        cmocka_unit_test_setup_teardown(test_nested, begin, end),
        cmocka_unit_test_setup_teardown(test_points, begin, end),
        cmocka_unit_test_setup_teardown(test_bad_grids, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
