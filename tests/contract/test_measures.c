/* Measures by their definitions, over all pairs of rows and in long double: of weighted rows, with
   ties, under every rule that makes a class of scores; a weight of k is k copies of a row, for every
   measure and for the report of a fit; what a joint machine's scores have in common is not seen. */
#include "contract/strategy_problem.h"

#include "report/report.h"

struct curvature {
    long double roc_auc, average_precision;
};

/* Rows of `positive` against the rest by `score`: every pair of them; the precision at each. */
static struct curvature by_pairs(const double *score, const bool *positive, const double *weight,
                                 size_t n) {
    long double above = 0, pairs = 0, precision = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        if (!positive[i]) continue;
        long double tp = 0, taken = 0;
        for (size_t j = 0; j < n; j++) {
            if (score[j] >= score[i]) taken += weight[j], tp += positive[j] ? weight[j] : 0;
            if (positive[j]) continue;
            long double both = (long double)weight[i] * weight[j];
            pairs += both;
            above += score[i] > score[j] ? both : score[i] == score[j] ? both / 2 : 0;
        }
        precision += weight[i] * tp / taken;
        all += weight[i];
    }
    return (struct curvature){above / pairs, precision / all};
}

/* What class k of a row is ranked by, from the R scores. */
static double rank_of(const sepal_model *model, const double *scores, const double *p, size_t k) {
    const struct linear *linear = &model->linear;
    double best = -INFINITY, shown[16];
    if (linear->classes == 2) return k == 1 ? scores[0] : -scores[0];
    if (p) return p[k];
    if (linear->strategy == &strategy_ovo) {
        linear_show(linear, scores, shown);
        return shown[k];
    }
    for (size_t j = 0; j < linear->rows; j++)
        if (j != k) best = fmax(best, scores[j]);
    if (linear->strategy == &strategy_ovr_1 && k == linear->rows) return -best;
    return linear->strategy == &strategy_machine ? scores[k] - best : scores[k];
}

static void near(const char *what, const char *spec, double found, long double right) {
    if (!(fabs(found - (double)right) <= 1e-11 * fmax(1, fabs((double)right))))
        fail_msg("%s: %s is %.17g, not %.17Lg", spec, what, found, right);
}

/* Rows with ties and weights from 1/8 to 2; labels by chance half of the time. */
static struct problem draw_rows(struct rng *rng, size_t classes, size_t cols) {
    struct problem p = problem_new(rng, 60 + rng_below(rng, 40), cols, classes);
    for (size_t i = 0; i < p.rows * cols; i++) p.x[i] = rint(fabs(p.x[i]) * 4) / 4;
    problem_weigh(&p, rng);
    for (size_t i = 0; i < p.rows; i++) {
        p.weight[i] = (double)(1 + rng_below(rng, 16)) / 8;
        if (i % 5 || i < 2 * classes) continue;
        memcpy(p.x + i * cols, p.x + (i - 1) * cols, cols * sizeof *p.x);
    }
    return p;
}

static void check_curves(const sepal_model *model, const sepal_data *data, size_t positive,
                         const sepal_report *report) {
    size_t rows = data->matrix.rows, K = model->linear.classes, R = model->linear.rows;
    double *scores = scores_of(model, data), *rank = malloc(rows * sizeof *rank);
    bool *mark = malloc(rows * sizeof *mark), has = model->linear.link != LINK_NONE;
    sepal_predictions all = {.size = sizeof all};
    if (has) all = predict_all(model, data, SEPAL_PROBABILITIES, NULL);
    assert_true(rank && mark);
    struct curvature mean = {0, 0};
    for (size_t k = 0; k < K; k++) {
        if (K == 2 && k != positive) continue;
        for (size_t i = 0; i < rows; i++) {
            rank[i] = rank_of(model, scores + i * R, has ? all.numbers + i * K : NULL, k);
            mark[i] = data->label[i] == (int32_t)k;
        }
        struct curvature one = by_pairs(rank, mark, data->weight, rows);
        mean.roc_auc += one.roc_auc / (K == 2 ? 1 : K);
        mean.average_precision += one.average_precision / (K == 2 ? 1 : K);
    }
    near("roc_auc", model->spec, sepal_report_number(report, "roc_auc"), mean.roc_auc);
    near("pr_auc", model->spec, sepal_report_number(report, "pr_auc"), mean.average_precision);
    if (has) answers_free(&all);
    free(scores), free(rank), free(mark);
}

static void check_probabilities(const sepal_model *model, const sepal_data *data, size_t positive,
                                const sepal_report *report) {
    size_t rows = data->matrix.rows, K = model->linear.classes;
    if (model->linear.link == LINK_NONE) {
        assert_true(isnan(sepal_report_number(report, "log_loss")));
        assert_true(isnan(sepal_report_number(report, "brier")));
        return;
    }
    sepal_predictions all = predict_all(model, data, SEPAL_PROBABILITIES, NULL);
    long double loss = 0, brier = 0, total = 0;
    for (size_t i = 0; i < rows; i++) {
        const double *p = all.numbers + i * K;
        loss -= data->weight[i] * logl(p[data->label[i]]);
        for (size_t k = 0; k < K; k++)
            if (K > 2 || k == positive)
                brier +=
                    data->weight[i] * powl((long double)p[k] - (data->label[i] == (int32_t)k), 2);
        total += data->weight[i];
    }
    near("log_loss", model->spec, sepal_report_number(report, "log_loss"), loss / total);
    near("brier", model->spec, sepal_report_number(report, "brier"), brier / total);
    answers_free(&all);
}

/* Counts, and the correlation of targets and decisions as vectors of K bits. */
static void check_counts(const sepal_model *model, const sepal_data *data,
                         const sepal_report *report, const char *options) {
    size_t rows = data->matrix.rows, K = model->linear.classes;
    sepal_predictions all = predict_all(model, data, SEPAL_SCORES, options);
    long double count[16][16] = {{0}}, target[16] = {0}, made[16] = {0}, total = 0, right = 0;
    for (size_t i = 0; i < rows; i++) {
        long double w = data->weight[i];
        size_t decided = all.classes[i] < 0 ? K : (size_t)all.classes[i]; /* K: undecided */
        count[data->label[i]][decided] += w;
        target[data->label[i]] += w, made[decided] += w, total += w;
        right += data->label[i] == all.classes[i] ? w : 0;
    }
    near("accuracy", model->spec, sepal_report_number(report, "accuracy"), right / total);
    near("error", model->spec, sepal_report_number(report, "error"), 1 - right / total);
    near("coverage", model->spec, sepal_report_number(report, "coverage"), 1 - made[K] / total);
    long double covariance = right * total, tt = total * total;
    long double pp = total * total - made[K] * made[K];
    long double macro = 0, weighted = 0, recalls = 0, present = 0;
    for (size_t k = 0; k < K; k++) {
        long double fp = made[k] - count[k][k], fn = target[k] - count[k][k];
        long double f1 = 2 * count[k][k] / (2 * count[k][k] + fp + fn);
        covariance -= target[k] * made[k], tt -= target[k] * target[k], pp -= made[k] * made[k];
        if (target[k] > 0) recalls += count[k][k] / target[k], present++;
        macro += f1 / K, weighted += f1 * target[k] / total;
        const struct {
            const char *name;
            long double value;
        } facts[] = {{"tp", count[k][k]},
                     {"fp", fp},
                     {"fn", fn},
                     {"tn", total - count[k][k] - fp - fn},
                     {"recall", count[k][k] / target[k]},
                     {"f1", f1},
                     {"support", target[k]}};
        for (size_t f = 0; f < sizeof facts / sizeof *facts; f++) {
            const struct tree *each = tree_find(report->root, "per_class")->first;
            for (size_t i = 0; i < k; i++) each = each->next;
            near(facts[f].name, model->spec, tree_find(each, facts[f].name)->number,
                 facts[f].value);
        }
    }
    near("balanced_accuracy", model->spec, sepal_report_number(report, "balanced_accuracy"),
         recalls / present);
    near("macro.f1", model->spec, sepal_report_number(report, "macro.f1"), macro);
    near("weighted.f1", model->spec, sepal_report_number(report, "weighted.f1"), weighted);
    if (tt * pp > 0)
        near("mcc", model->spec, sepal_report_number(report, "mcc"), covariance / sqrtl(tt * pp));
    answers_free(&all);
}

static const char *const specs[] = {"lda",
                                    "lda | ovr",
                                    "least-squares",
                                    "least-squares | ovr",
                                    "least-squares | ovr-1",
                                    "least-squares | ovo",
                                    "perceptron(variant=pocket)",
                                    "mean-difference | ovr-1",
                                    "fisher | ovo",
                                    "gaussian(covariance=diagonal)",
                                    "naive-bayes",
                                    "logistic | ovr-1"};
enum { SPECS = sizeof specs / sizeof *specs };

static void test_definitions(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(81), 1);
    for (size_t number = 0; number < 4 * SPECS; number++) {
        size_t K = 2 + number / SPECS + (number / SPECS == 3);
        struct problem p = any_problem(&rng, K, 3), q = draw_rows(&rng, K, 3);
        sepal_data *train = problem_data(&p, ctx, false), *data = problem_data(&q, ctx, false);
        sepal_model *model = fit_spec(train, specs[number % SPECS]);
        for (size_t positive = 0; positive < (K == 2 ? 2 : 1); positive++) {
            sepal_report *report = NULL;
            const char *options = K > 2 ? NULL : positive ? "positive=c01" : "positive=c00";
            assert_int_equal(sepal_model_evaluate(&report, ctx, model, data, options), SEPAL_OK);
            check_curves(model, data, positive, report);
            check_probabilities(model, data, positive, report);
            check_counts(model, data, report, NULL);
            sepal_report_free(report);
        }
        sepal_report *report = NULL;
        const char *rule = "ambiguous=undecided";
        assert_int_equal(sepal_model_evaluate(&report, ctx, model, data, rule), SEPAL_OK);
        check_counts(model, data, report, rule);
        sepal_report_free(report);
        sepal_model_free(model);
        data_free(train), data_free(data);
        problem_free(&p), problem_free(&q);
    }
}

/* ---- what scores have in common ---------------------------------------------------------------- */

static void test_common_function(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(82), 1);
    static const char *const joint[] = {"least-squares", "perceptron(variant=pocket)", "perceptron",
                                        "lda"};
    for (size_t number = 0; number < 40; number++) {
        size_t K = 3 + number % 4;
        struct problem p = any_problem(&rng, K, 4);
        sepal_data *data = problem_data(&p, ctx, false);
        sepal_model *model = fit_spec(data, joint[number % 4]);
        double before[2], after[2];
        const char *const names[] = {"roc_auc", "pr_auc"};
        for (int pass = 0; pass < 2; pass++) {
            sepal_report *report = NULL;
            struct linear *linear = &model->linear;
            for (size_t j = 0; pass == 1 && j < linear->cols; j++) {
                double more = 3 * normal(&rng);
                for (size_t r = 0; r < linear->rows; r++) linear->w[r * linear->cols + j] += more;
            }
            assert_int_equal(sepal_model_evaluate(&report, ctx, model, data, NULL), SEPAL_OK);
            for (int i = 0; i < 2; i++)
                (pass ? after : before)[i] = sepal_report_number(report, names[i]);
            sepal_report_free(report);
        }
        for (int i = 0; i < 2; i++) near(names[i], model->spec, after[i], before[i]);
        sepal_model_free(model);
        data_free(data);
        problem_free(&p);
    }
}

/* ---- weights are copies ------------------------------------------------------------------------ */

/* Each row as often as its weight says. */
static struct problem copies_of(const struct problem *p) {
    struct problem q = {.cols = p->cols, .classes = p->classes};
    for (size_t i = 0; i < p->rows; i++) q.rows += (size_t)p->weight[i];
    q.x = malloc(q.rows * p->cols * sizeof *q.x);
    q.label = malloc(q.rows * sizeof *q.label);
    assert_true(q.x && q.label);
    for (size_t i = 0, at = 0; i < p->rows; i++)
        for (size_t c = 0; c < (size_t)p->weight[i]; c++, at++) {
            memcpy(q.x + at * p->cols, p->x + i * p->cols, p->cols * sizeof *q.x);
            q.label[at] = p->label[i];
        }
    return q;
}

static bool is_count(const char *path) {
    static const char *const counts[] = {"rows",     "total_weight", "nonzeros",
                                         "seconds",  "objective",    "peak_memory",
                                         "residual", "iterations",   "intervals"};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (strncmp(path, counts[i], strlen(counts[i])) == 0) return true;
    return false;
}

/* Every number of a tree that the other has, too; returns how many. */
static size_t compare_trees(const char *spec, const char *path, const struct tree *a,
                            const struct tree *b) {
    size_t n = 0, at = 0;
    if (a->kind == TREE_NUMBER) {
        if (!(isnan(a->number) && isnan(b->number))) near(path, spec, a->number, b->number);
        return 1;
    }
    for (const struct tree *child = a->first; child; child = child->next, at++) {
        char name[256];
        const struct tree *other = child->key ? tree_find(b, child->key) : b->first;
        for (size_t i = 0; !child->key && i < at; i++) other = other->next;
        snprintf(name, sizeof name, "%s%s%s", path, *path ? "." : "", child->key ? child->key : "");
        if (!other || is_count(name)) continue;
        n += compare_trees(spec, name, child, other);
    }
    return n;
}

/* The report of the fit, and that of other rows. */
static void test_weights_are_copies(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(83), 1);
    static const char *const closed[] = {"lda",
                                         "least-squares",
                                         "least-squares | ovr-1",
                                         "fisher | ovo",
                                         "mean-difference | ovr",
                                         "gaussian(covariance=diagonal)",
                                         "lda(shrinkage=auto)"};
    for (size_t number = 0; number < 42; number++) {
        size_t K = 2 + number / 7 % 3;
        const char *spec = closed[number % 7];
        struct problem p = any_problem(&rng, K, 3);
        problem_weigh(&p, &rng);
        for (size_t i = 0; i < p.rows; i++) p.weight[i] = (double)(1 + rng_below(&rng, 4));
        struct problem q = copies_of(&p);
        sepal_data *weighed = problem_data(&p, ctx, false), *copied = problem_data(&q, ctx, false);
        sepal_model *a = NULL, *b = NULL;
        sepal_report *fit_a = NULL, *fit_b = NULL, *eval_a = NULL, *eval_b = NULL;
        assert_int_equal(sepal_model_fit(&a, &fit_a, ctx, spec, weighed, NULL), SEPAL_OK);
        assert_int_equal(sepal_model_fit(&b, &fit_b, ctx, spec, copied, NULL), SEPAL_OK);
        assert_true(compare_trees(spec, "", fit_a->root, fit_b->root) >= 4);
        near("train.errors", spec, sepal_report_number(fit_a, "train.errors"),
             sepal_report_number(fit_b, "train.errors"));
        assert_int_equal(sepal_model_evaluate(&eval_a, ctx, a, weighed, NULL), SEPAL_OK);
        assert_int_equal(sepal_model_evaluate(&eval_b, ctx, a, copied, NULL), SEPAL_OK);
        assert_true(compare_trees(spec, "", eval_a->root, eval_b->root) >= 20);
        near("train.accuracy", spec, sepal_report_number(fit_a, "train.accuracy"),
             sepal_report_number(eval_a, "accuracy"));
        sepal_report_free(fit_a), sepal_report_free(fit_b);
        sepal_report_free(eval_a), sepal_report_free(eval_b);
        sepal_model_free(a), sepal_model_free(b);
        data_free(weighed), data_free(copied);
        problem_free(&p), problem_free(&q);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definitions),
        cmocka_unit_test(test_common_function),
        cmocka_unit_test(test_weights_are_copies),
    };
    return cmocka_run_group_tests(tests, set_up_one_thread, tear_down);
}
