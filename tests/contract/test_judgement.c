/* Laws of what an evaluation tells when asked: a point of the coverage curve is what the reject option does
   with that cutoff; costs by their definition, and the least ones at the cutoff they imply; intervals hold
   the truth as often as they say; curves that are thinned stay near; the threads do not show; rows that
   lack a value are errors without probabilities. */
#include "contract/plain_scores.h"

#include "eval/cost.h"
#include "eval/metric.h"
#include "report/report.h"

static void near(const char *what, double found, double right) {
    if (!(fabs(found - right) <= 1e-12 * fmax(1, fabs(right))))
        fail_msg("%s is %.17g, not %.17g", what, found, right);
}

static sepal_report *judge(const sepal_model *model, const sepal_data *data, const char *options) {
    sepal_report *report = NULL;
    if (sepal_model_evaluate(&report, ctx, model, data, options) != SEPAL_OK)
        fail_msg("%s: %s", options, sepal_ctx_error(ctx));
    return report;
}

static const struct tree *part_of(const sepal_report *report, const char *path) {
    const struct tree *part = tree_path(report->root, path);
    assert_non_null(part);
    return part;
}

/* Scores of two classes: x of a row is its score, of the second class with a chance of p. */
static sepal_data *scored(struct rng *rng, size_t n, double shift, double p, bool weighted) {
    struct problem q = {.rows = n, .cols = 1, .classes = 2};
    q.x = malloc(n * sizeof *q.x);
    q.label = malloc(n * sizeof *q.label);
    assert_true(q.x && q.label);
    for (size_t i = 0; i < n; i++) {
        q.label[i] = rng_unit(rng) < p;
        q.x[i] = shift * (normal(rng) + (q.label[i] ? shift / 2 : -shift / 2));
    }
    if (weighted) problem_weigh(&q, rng);
    sepal_data *data = problem_data(&q, ctx, false);
    problem_free(&q);
    return data;
}

/* ---- the reject option -------------------------------------------------------------------- */

static void test_coverage(void **state) {
    (void)state;
    static const char *const specs[] = {"lda", "logistic", "softmax", "naive-bayes",
                                        "gaussian(covariance=diagonal) | ovr"};
    struct rng rng = rng_make(test_seed(910), 1);
    for (size_t number = 0; number < 20; number++) {
        struct problem p = any_problem(&rng, 2 + number % 3, 3);
        if (number % 2) problem_weigh(&p, &rng);
        sepal_data *data = problem_data(&p, ctx, false);
        sepal_model *model = fit_spec(data, specs[number % 5]);
        sepal_report *report =
            judge(model, data, number % 4 ? "curves" : "curves, cutoff=0.9, decide=reject");
        double before = 0, all = 0;
        size_t points = 0;
        for (const struct tree *row = part_of(report, "curves.coverage")->first; row;
             row = row->next, points++) {
            char options[80];
            double cutoff = row->first->number, coverage = row->first->next->number;
            snprintf(options, sizeof options, "decide=reject, cutoff=%.17g", cutoff);
            sepal_report *rejected = judge(model, data, options);
            near("coverage", sepal_report_number(rejected, "coverage"), coverage);
            near("accuracy", sepal_report_number(rejected, "accuracy") / coverage,
                 row->last->number);
            assert_true(coverage > before);
            before = coverage;
            all = row->last->number;
            sepal_report_free(rejected);
        }
        assert_true(points > 1 && fabs(before - 1) < 1e-12);
        sepal_report_free(report);
        report = judge(model, data, "decide=hard, top-k=1");
        near("accuracy of all", sepal_report_number(report, "accuracy"), all);
        near("top 1", sepal_report_number(report, "top_k.accuracy"), all);
        sepal_report_free(report);
        report = judge(model, data, "top-k=9");
        near("top 9", sepal_report_number(report, "top_k.accuracy"), 1);
        sepal_report_free(report);
        sepal_model_free(model);
        data_free(data);
        problem_free(&p);
    }
}

/* ---- costs -------------------------------------------------------------------------------- */

/* As a file: lines and columns in the given orders, with labels or without. */
static void write_costs(const double *of, size_t K, const size_t *rows, const size_t *columns,
                        bool header, bool labelled, const char *between) {
    FILE *file = fopen("cost.csv", "w");
    assert_non_null(file);
    for (size_t c = 0; header && c < K; c++)
        fprintf(file, "%s\"c%02zu\"", c || labelled ? between : "", columns[c]);
    if (header) fputs("\r\n", file);
    for (size_t r = 0; r < K; r++) {
        if (labelled) fprintf(file, "c%02zu%s", rows[r], between);
        for (size_t c = 0; c < K; c++)
            fprintf(file, "%s%.17g", c ? between : "", of[rows[r] * K + columns[c]]);
        fputs("\n", file);
    }
    fclose(file);
}

static void check_costs(const sepal_model *model, const sepal_data *data, const double *of,
                        const sepal_report *report) {
    size_t K = model->linear.classes, rows = data->matrix.rows;
    sepal_predictions all = predict_all(model, data, SEPAL_PROBABILITIES, NULL);
    double made = 0, least = 0, total = 0;
    for (size_t i = 0; i < rows; i++) {
        double w = data_weight(data, i), best = INFINITY, pays = 0;
        for (size_t d = 0; d < K; d++) {
            double expected = 0;
            for (size_t k = 0; k < K; k++) expected += all.numbers[i * K + k] * of[k * K + d];
            if (expected >= best) continue;
            best = expected;
            pays = of[(size_t)data->label[i] * K + d];
        }
        least += w * pays;
        made += w * of[(size_t)data->label[i] * K + (size_t)all.classes[i]];
        total += w;
    }
    near("expected cost", sepal_report_number(report, "cost.expected"), made / total);
    near("cost in all", sepal_report_number(report, "cost.total"), made);
    near("least cost", sepal_report_number(report, "cost.least.expected"), least / total);
    answers_free(&all);
}

static void test_costs(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(911), 1);
    size_t cutoffs = 0;
    for (size_t number = 0; number < 60; number++) {
        size_t K = 2 + number % 3, order[2][4] = {{0, 1, 2, 3}, {0, 1, 2, 3}};
        double of[16];
        struct problem p = any_problem(&rng, K, 3);
        if (number % 2) problem_weigh(&p, &rng);
        sepal_data *data = problem_data(&p, ctx, false);
        sepal_model *model = fit_spec(data, "lda");
        for (size_t i = 0; i < K * K; i++) of[i] = 10 * rng_unit(&rng) - (i % (K + 1) ? 0 : 5);
        bool header = number % 4 / 2, labelled = number % 8 / 4;
        if (header || labelled)
            for (size_t i = 0; i < K; i++) order[0][i] = (i + number) % K;
        for (size_t i = 0; i < K; i++)
            order[1][i] = header && labelled ? (i * (K - 1) + 1) % K : order[0][i];
        static const char *const marks[] = {",", ";", "\t", " "};
        write_costs(of, K, order[0], order[1], header, labelled, marks[number % 4]);
        sepal_report *report = judge(model, data, "cost=\"cost.csv\"");
        check_costs(model, data, of, report);
        double cutoff = sepal_report_number(report, "cost.cutoff");
        if (K == 2 && cutoff >= 0) {
            char options[80];
            snprintf(options, sizeof options, "cost=\"cost.csv\", cutoff=%.17g", cutoff);
            sepal_report *there = judge(model, data, options);
            near("cost at the cutoff", sepal_report_number(there, "cost.expected"),
                 sepal_report_number(report, "cost.least.expected"));
            sepal_report_free(there);
            cutoffs++;
        }
        sepal_report_free(report);
        sepal_model_free(model);
        data_free(data);
        problem_free(&p);
    }
    remove("cost.csv");
    assert_true(cutoffs >= 15);
}

/* Where the two decisions cost the same in the mean, and where none is ever the cheaper one. */
static void test_cutoffs(void **state) {
    (void)state;
    static const struct {
        double of[4], cutoff;
    } cases[] = {{{0, 1, 1, 0}, 0.5},
                 {{0, 5, 50, 0}, 1.0 / 11},
                 {{-2, 5, 50, -3}, 7.0 / 60},
                 {{0, 1, 0, 0}, 1},
                 {{0, 0, 1, 0}, 0},
                 {{0, -1, 1, 0}, 0},
                 {{0, 0, 0, 0}, NAN},
                 {{1, 0, 0, 1}, NAN},
                 {{0, 1, 0, 1}, NAN},
                 {{0, 1e100, 1e-100, 0}, 1},
                 {{0, 1e-100, 1e100, 0}, 1e-200}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double of[4];
        memcpy(of, cases[i].of, sizeof of);
        struct cost cost = {.classes = 2, .width = 2, .of = of};
        double found = cost_cutoff(&cost);
        if (isnan(cases[i].cutoff) ? !isnan(found) : !(fabs(found - cases[i].cutoff) < 1e-15))
            fail_msg("cutoff %zu is %.17g", i, found);
    }
}

/* ---- intervals ---------------------------------------------------------------------------- */

static const double *ends_of(const sepal_report *report, const char *path, double ends[2]) {
    const struct tree *part = part_of(report, path);
    ends[0] = ends[1] = NAN;
    if (part->kind != TREE_ARRAY) return ends;
    ends[0] = part->first->number;
    ends[1] = part->last->number;
    return ends;
}

/* An end of Wilson's interval is as many standard deviations of its own away as were asked for. */
static void test_wilson(void **state) {
    (void)state;
    static const struct {
        const char *confidence;
        double z;
    } asked[] = {
        {"0.95", 1.959963984540054}, {"0.5", 0.6744897501960817}, {"0.999", 3.290526731491692}};
    struct rng rng = rng_make(test_seed(912), 1);
    sepal_model *model = plain_model(2);
    for (size_t number = 0; number < 30; number++) {
        char options[40];
        double ends[2], weights = 0, squares = 0;
        sepal_data *data = scored(&rng, 2 + number * 3, 1, 0.5, number % 2);
        for (size_t i = 0; i < data->matrix.rows; i++) {
            weights += data_weight(data, i);
            squares += data_weight(data, i) * data_weight(data, i);
        }
        double n = weights * weights / squares;
        snprintf(options, sizeof options, "confidence=%s", asked[number % 3].confidence);
        sepal_report *report = judge(model, data, options);
        double p = sepal_report_number(report, "accuracy");
        ends_of(report, "intervals.accuracy", ends);
        assert_true(ends[0] <= p && p <= ends[1] && ends[0] >= 0 && ends[1] <= 1);
        for (int e = 0; e < 2; e++)
            if (ends[e] > 0 && ends[e] < 1)
                near("an end", fabs(ends[e] - p),
                     asked[number % 3].z * sqrt(ends[e] * (1 - ends[e]) / n));
        near("rows", sepal_report_number(report, "intervals.effective_rows"), n);
        sepal_report_free(report);
        data_free(data);
    }
    sepal_model_free(model);
}

static double normal_below(double x) {
    return erfc(-x / sqrt(2)) / 2;
}

/* Means over the rows of two classes as frequent as each other, scores of which are log odds. */
static double mean_over(double shift, double (*loss)(double p)) {
    double sum = 0, step = 1e-3;
    for (int k = 0; k < 20000; k++) {
        double z = -10 + k * step;
        double p = 1 / (1 + exp(-shift * (z + shift / 2)));
        sum += step * exp(-z * z / 2) / sqrt(2 * acos(-1)) * loss(p);
    }
    return sum;
}
static double log_of(double p) {
    return -log(p);
}
static double square_of(double p) {
    return (1 - p) * (1 - p);
}

/* Of many samples some 95 % have an interval that holds the truth. */
static void test_they_hold(void **state) {
    (void)state;
    enum { SAMPLES = 300, ROWS = 150 };
    const double shift = 1.5, right = normal_below(shift / 2);
    const struct {
        const char *path;
        double truth;
    } facts[] = {{"accuracy", right},
                 {"error", 1 - right},
                 {"balanced_accuracy", right},
                 {"kappa", 2 * right - 1},
                 {"mcc", 2 * right - 1},
                 {"roc_auc", normal_below(shift / sqrt(2))},
                 {"log_loss", mean_over(shift, log_of)},
                 {"brier", mean_over(shift, square_of)},
                 {"macro.f1", right}};
    enum { FACTS = sizeof facts / sizeof *facts };
    size_t held[FACTS] = {0};
    struct rng rng = rng_make(test_seed(913), 1);
    sepal_model *model = plain_model(2);
    for (size_t sample = 0; sample < SAMPLES; sample++) {
        sepal_data *data = scored(&rng, ROWS, shift, 0.5, false);
        sepal_report *report = judge(model, data, "bootstrap=200");
        for (size_t f = 0; f < FACTS; f++) {
            char path[64];
            double ends[2], value = sepal_report_number(report, facts[f].path);
            snprintf(path, sizeof path, "intervals.%s", facts[f].path);
            ends_of(report, path, ends);
            assert_true(ends[0] < ends[1] && ends[0] - 0.02 < value && value < ends[1] + 0.02);
            held[f] += ends[0] <= facts[f].truth && facts[f].truth <= ends[1];
        }
        sepal_report_free(report);
        data_free(data);
    }
    for (size_t f = 0; f < FACTS; f++)
        if ((double)held[f] < SAMPLES * 0.905 || (double)held[f] > SAMPLES * 0.99)
            fail_msg("%zu of %d intervals of %s hold %g", held[f], SAMPLES, facts[f].path,
                     facts[f].truth);
    sepal_model_free(model);
}

/* Perfect order still leaves something open. */
static void test_perfect_order(void **state) {
    (void)state;
    double x[] = {-3, -2, -1, 1, 2, 3}, ends[2];
    static const char *const labels[] = {"c00", "c00", "c00", "c01", "c01", "c01"};
    sepal_data *data = NULL;
    sepal_model *model = plain_model(2);
    assert_int_equal(sepal_data_dense(&data, ctx, x, 6, 1, labels, NULL), SEPAL_OK);
    sepal_report *report = judge(model, data, NULL);
    assert_true(sepal_report_number(report, "roc_auc") == 1);
    ends_of(report, "intervals.roc_auc", ends);
    assert_true(ends[0] > 0.3 && ends[0] < 0.8 && ends[1] == 1);
    sepal_report_free(report);
    sepal_model_free(model);
    data_free(data);
}

/* Of two classes, the second at both ends: at the upper one with rows that weigh a thousand times as much. */
static void test_weights_of_resamples(void **state) {
    (void)state;
    enum { ROWS = 45 };
    double x[ROWS], weight[ROWS], ends[2];
    const char *labels[ROWS];
    sepal_data *data = NULL;
    sepal_model *model = plain_model(2);
    for (size_t i = 0; i < ROWS; i++) {
        x[i] = (double)i - 22.5;
        labels[i] = i % 3 == 0 || i >= 30 ? "c01" : "c00";
        weight[i] = i >= 30 ? 10 : *(labels[i] + 2) == '1' ? 0.01 : 1;
    }
    assert_int_equal(sepal_data_dense(&data, ctx, x, ROWS, 1, labels, weight), SEPAL_OK);
    sepal_report *report = judge(model, data, "bootstrap=100");
    assert_true(sepal_report_number(report, "pr_auc") > 0.99);
    ends_of(report, "intervals.pr_auc", ends);
    assert_true(ends[0] > 0.99 && ends[1] <= 1);
    sepal_report_free(report);
    sepal_model_free(model);
    data_free(data);
}

/* A probability on an edge is in the bin below it, as scikit-learn has it. */
static void test_bins(void **state) {
    (void)state;
    for (size_t bins = 1; bins <= 60; bins++)
        for (size_t b = 0; b < bins; b++) {
            double edge = (double)(b + 1) / (double)bins;
            assert_int_equal(bin_of(edge, bins), b);
            assert_int_equal(bin_of(nextafter(edge, 2), bins), b + (b + 1 < bins));
        }
    assert_int_equal(bin_of(0, 10), 0);
    assert_int_equal(bin_of(5e-324, 10), 0);
}

/* ---- curves of many points ---------------------------------------------------------------- */

/* The curves rise, the whole of them is within a step of a point that stayed, and so is the area. */
static void test_thinning(void **state) {
    (void)state;
    enum { ROWS = 40000, MOST = 10000 };
    const double step = 4.0 / MOST;
    struct rng rng = rng_make(test_seed(914), 1);
    sepal_data *data = scored(&rng, ROWS, 1.5, 0.4, false);
    sepal_model *model = plain_model(2);
    sepal_report *report = judge(model, data, "curves");
    static const char *const paths[] = {"curves.roc.0.points", "curves.coverage"};
    for (size_t c = 0; c < 2; c++) {
        const struct tree *points = part_of(report, paths[c]);
        double at[2] = {0, 0}, area = 0;
        assert_true(points->count > 1000 && points->count < MOST);
        for (const struct tree *point = points->first; point; point = point->next) {
            const struct tree *x = c ? point->first->next : point->first;
            double right = x->number - at[0], up = x->next->number - at[1];
            assert_true(right >= 0 && (c == 1 || up >= 0));
            /* but for one straight line upwards or to the right */
            assert_true((c ? right : fmin(right, up)) < step + 1e-4);
            if (c == 0) area += (x->number - at[0]) * (x->next->number + at[1]) / 2;
            at[0] = x->number;
            at[1] = x->next->number;
        }
        assert_true(fabs(at[0] - 1) < 1e-12);
        if (c == 0)
            assert_true(fabs(area - sepal_report_number(report, "curves.roc.0.auc")) < step);
    }
    sepal_report_free(report);
    sepal_model_free(model);
    data_free(data);
}

/* ---- threads ------------------------------------------------------------------------------ */

static char *text_of(const sepal_report *report) {
    char *text = NULL;
    assert_int_equal(sepal_report_json(&text, ctx, report, "evaluate"), SEPAL_OK);
    return text;
}

/* Three runs to sort on a side and more, with ties and weights. */
static void test_threads(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(915), 1);
    static const struct {
        size_t rows;
        const char *options;
    } cases[] = {{900000, "curves"}, {3000, "bootstrap=40"}};
    sepal_model *model = plain_model(2);
    for (size_t c = 0; c < 2; c++) {
        sepal_data *data = scored(&rng, cases[c].rows, 1, 0.3, true);
        char *text[3];
        for (unsigned t = 0; t < 3; t++) {
            sepal_ctx_set_threads(ctx, t + 1);
            sepal_report *report = judge(model, data, cases[c].options);
            text[t] = text_of(report);
            sepal_report_free(report);
        }
        sepal_ctx_set_threads(ctx, 1);
        assert_string_equal(text[0], text[1]);
        assert_string_equal(text[0], text[2]);
        for (int t = 0; t < 3; t++) sepal_text_free(text[t]);
        data_free(data);
    }
    sepal_model_free(model);
}

/* ---- rows that lack a value --------------------------------------------------------------- */

static void test_missing(void **state) {
    (void)state;
    static const double learnt[] = {1, 2, 3, 4, 7, 8, 9, NAN}, asked[] = {1, 8, NAN, 9, 2};
    static const char *const names[] = {"a", "a", "a", "a", "b", "b", "b", "b"}, *const labels[] = {
                                                                                     "a", "b", "b",
                                                                                     "b", "a"};
    sepal_input in = {.size = sizeof in,
                      .rows = 8,
                      .columns = 1,
                      .values = learnt,
                      .labels = names,
                      .missing = SEPAL_DROP};
    sepal_data *train = NULL, *test = NULL;
    assert_int_equal(sepal_data_from(&train, ctx, &in), SEPAL_OK);
    in.rows = 5, in.values = asked, in.labels = labels, in.missing = SEPAL_MEAN;
    assert_int_equal(sepal_data_from(&test, ctx, &in), SEPAL_OK);
    sepal_model *model = fit_spec(train, "lda");
    sepal_report *report = judge(model, test, "curves, bootstrap=20, top-k=2");
    near("accuracy", sepal_report_number(report, "accuracy"), 0.8);
    near("coverage", sepal_report_number(report, "coverage"), 0.8);
    near("top 2", sepal_report_number(report, "top_k.accuracy"), 0.8);
    assert_int_equal(part_of(report, "confusion.1")->count, 3);
    near("undecided", part_of(report, "confusion.1")->last->number, 1);
    static const char *const none[] = {"log_loss", "brier", "ece", "roc_auc", "pr_auc"};
    for (size_t i = 0; i < 5; i++) assert_true(isnan(sepal_report_number(report, none[i])));
    assert_int_equal(part_of(report, "curves.coverage")->kind, TREE_NULL);
    assert_int_equal(part_of(report, "curves.roc.0.points")->count, 0);
    sepal_report_free(report);
    sepal_model_free(model);
    sepal_data_free(train);
    sepal_data_free(test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coverage),  cmocka_unit_test(test_costs),
        cmocka_unit_test(test_cutoffs),   cmocka_unit_test(test_wilson),
        cmocka_unit_test(test_they_hold), cmocka_unit_test(test_weights_of_resamples),
        cmocka_unit_test(test_bins),      cmocka_unit_test(test_perfect_order),
        cmocka_unit_test(test_thinning),  cmocka_unit_test(test_threads),
        cmocka_unit_test(test_missing),
    };
    return cmocka_run_group_tests(tests, set_up_one_thread, tear_down);
}
