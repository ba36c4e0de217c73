/* Weights are copied rows to every metric and to the training report, in any order of the rows; and
   weights that are all multiplied by one number change no metric. Reports are compared as whole
   trees, number by number, so that a new fact keeps the law too. */
#include "contract/law_cases.h"

#include "eval/evaluate.h"
#include "linear/decide.h"
#include "model/pipeline.h"

#include "fixture.h"

enum { TABLE_ROWS = 40, TABLE_COLUMNS = 3 };

/* ---- trees -------------------------------------------------------------------------------- */

struct comparing {
    const char *case_name;
    const char *const *ignored; /* keys, ends with NULL */
    double factor;              /* what counts may be multiplied by; 1: nothing may */
    double room;                /* relative */
    size_t numbers;             /* compared so far */
    size_t *seen;     /* how often each metric of the table was compared; NULL: no matter */
    size_t bounded;   /* margins whose norms the proofs fix to 1 % */
    double undecided; /* weight of the rows that either fit may decide either way */
    double total;     /* weight of all rows */
    size_t decided;   /* fits without such rows */
    size_t broken;
};

static bool is_among(const char *key, const char *const *keys) {
    for (; key && *keys; keys++)
        if (strcmp(key, *keys) == 0) return true;
    return false;
}

static size_t metric_number(const char *key) {
    size_t i = 0;
    while (metric_table[i] && !(key && strcmp(metric_table[i]->name, key) == 0)) i++;
    return i;
}

static bool near(double a, double b, double room) {
    return a == b || fabs(a - b) <= room * fmax(fabs(a), fabs(b)) + 1e-300;
}

static double number_in(const struct tree *part, const char *key) {
    const struct tree *fact = part ? tree_find(part, key) : NULL;
    return fact && fact->kind == TREE_NUMBER ? fact->number : NAN;
}

/* How far the weights may be from the minimiser: with 0.5 l2 |w|^2 in it the objective is strongly
   convex, so P - D >= P - P* >= 0.5 l2 |w - w*|^2. Without l2 the gap says nothing of the weights. */
static double reach_of(const struct tree *certificate) {
    double l2 = number_in(certificate, "l2");
    double difference = number_in(certificate, "primal") - number_in(certificate, "dual");
    return l2 > 0 && isfinite(difference) ? sqrt(2 * fmax(0, difference) / l2) : INFINITY;
}

/* 1/|w|: a fact of these weights, while the gap is what both fits promise alike. So the norms differ by
   no more than the proofs allow; null is a norm of 0, and may stand against a number that large. */
static void compare_margins(struct comparing *all, const struct tree *a, const struct tree *b,
                            const char *path) {
    double x = number_in(tree_find(a, "svm"), "margin"),
           y = number_in(tree_find(b, "svm"), "margin");
    double norms[] = {isnan(x) ? 0 : 1 / x, isnan(y) ? 0 : 1 / y};
    double room = reach_of(tree_find(a, "certificate")) + reach_of(tree_find(b, "certificate")) +
                  1e-13 * fmax(norms[0], norms[1]);
    all->numbers++;
    all->bounded += room < 0.01 * fmax(norms[0], norms[1]);
    if (fabs(norms[0] - norms[1]) <= room) return;
    print_error("%s: %s.svm.margin is %.17g, then %.17g; norms may differ by %g\n", all->case_name,
                path, x, y, room);
    all->broken++;
}

/* Rows whose scores tie up to the room that test_laws.c gives the scores may be decided either way; all
   others may not. Where a class has no weights of its own (hinge: w = 0, b = -1) there are many. */
static void compare_errors(struct comparing *all, const struct tree *a, const struct tree *b) {
    double x = number_in(a, "errors"), y = number_in(b, "errors");
    double rate = fabs(number_in(a, "accuracy") - number_in(b, "accuracy"));
    all->numbers += 2;
    all->decided += all->undecided == 0;
    if (fabs(x - y) <= all->undecided + 1e-9 &&
        rate <= (all->undecided + 1e-9) / all->total + 1e-13)
        return;
    print_error(
        "%s: %g errors, then %g; accuracies differ by %g; rows of weight %g of %g are undecided\n",
        all->case_name, x, y, rate, all->undecided, all->total);
    all->broken++;
}

static void compare(struct comparing *all, const struct tree *a, const struct tree *b,
                    const char *path) {
    char deeper[300];
    if (a->kind != b->kind || a->count != b->count) {
        print_error("%s: %s is of another kind or length\n", all->case_name, path);
        all->broken++;
        return;
    }
    if (a->kind == TREE_NUMBER) {
        bool metric = metric_table[metric_number(a->key)] != NULL;
        bool same = near(a->number, b->number, all->room) || fabs(a->number - b->number) < 1e-13;
        /* what a solver leaves of the gradient where it stops */
        if (a->key && strcmp(a->key, "gradient") == 0)
            same = same || (a->number < 1e-9 && b->number < 1e-9);
        if (!metric) same = same || near(a->number * all->factor, b->number, all->room);
        if (metric && all->seen) all->seen[metric_number(a->key)]++;
        all->numbers++;
        if (same) return;
        print_error("%s: %s is %.17g, then %.17g\n", all->case_name, path, a->number, b->number);
        all->broken++;
    }
    static const char *const margin[] = {"margin", NULL}, *const errors[] = {"errors", "accuracy",
                                                                             NULL};
    const char *const *apart = all->ignored; /* what has a comparison of its own */
    if (tree_find(a, "svm") && tree_find(b, "svm")) compare_margins(all, a, b, path);
    if (a->key && strcmp(a->key, "svm") == 0) apart = margin;
    if (a->key && strcmp(a->key, "train") == 0 && !all->seen) {
        compare_errors(all, a, b);
        apart = errors;
    }
    const struct tree *y = b->first;
    for (const struct tree *x = a->first; x && y; x = x->next, y = y->next) {
        if (is_among(x->key, all->ignored) || is_among(x->key, apart)) continue;
        snprintf(deeper, sizeof deeper, "%s.%s", path, x->key ? x->key : "[]");
        compare(all, x, y, deeper);
    }
}

/* ---- evaluate ----------------------------------------------------------------------------- */

static sepal_report *judge(const sepal_model *model, const struct table *t, const char *options) {
    sepal_data *data = table_data(t, ctx);
    sepal_report *report = NULL;
    sepal_status status = sepal_model_evaluate(&report, ctx, model, data, options);
    if (status != SEPAL_OK && status != SEPAL_EMODEL && status != SEPAL_EUSAGE)
        fail_msg("%s [%s]: %s", sepal_model_spec(model), options, sepal_ctx_error(ctx));
    sepal_data_free(data);
    return report;
}

/* Some rows again with another label: scores tie across classes. */
static struct table with_ties(const struct table *t) {
    struct table out = table_copy(t);
    for (size_t i = 0; i + 7 < t->rows; i += 5) {
        row_copy(&out, i + 7, t, i);
        out.label[i + 7] = t->label[i + 7];
        out.weight[i + 7] = t->weight[i + 7];
    }
    return out;
}

static const char *const predict_options[] = {
    NULL,         "ambiguous=undecided", "decide=reject, cutoff=0.6",
    "positive=a", "cutoff=0.3",          "curves, top-k=2"};
enum { ANSWER_OPTIONS = sizeof predict_options / sizeof *predict_options };

/* total_weight stands in the report of weighted rows alone */
static const char *const not_of_metrics[] = {"rows", "total_weight", NULL};
/* copies are as many rows, a weight is one that counts more */
static const char *const not_of_copies[] = {"rows", "total_weight", "intervals", NULL};

static void drop_total(sepal_report *report) {
    struct tree **at = &report->root->first;
    while (*at && !((*at)->key && strcmp((*at)->key, "total_weight") == 0)) at = &(*at)->next;
    if (!*at) return;
    *at = (*at)->next;
    report->root->count--;
}

static void check_metrics(const char *name, const sepal_model *model, const struct table *t,
                          struct table *const others, struct comparing *all) {
    for (size_t o = 0; o < ANSWER_OPTIONS; o++) {
        sepal_report *before = judge(model, t, predict_options[o]);
        if (!before) continue;
        drop_total(before);
        for (size_t i = 0; others[i].rows; i++) {
            sepal_report *after = judge(model, &others[i], predict_options[o]);
            assert_non_null(after);
            drop_total(after);
            char what[300];
            snprintf(what, sizeof what, "%s [%s], %s", name,
                     predict_options[o] ? predict_options[o] : "", law_names[i]);
            all->case_name = what;
            all->factor = 1 << i == SCALED ? 3 : 1;
            all->ignored = 1 << i == COPIED ? not_of_copies : not_of_metrics;
            compare(all, before->root, after->root, "");
            sepal_report_free(after);
        }
        sepal_report_free(before);
    }
}

/* ---- the training report -------------------------------------------------------------------- */

/* What is about rows as they were given, about the work done, or about how near the work came. */
static const char *const not_of_training[] = {
    "rows", "nonzeros", "seconds",  "peak_memory", "support_vectors", "iterations", "updates",
    "gap",  "residual", "progress", NULL};

static double at(const struct made *made, const char *path) {
    return sepal_report_number(made->report, path);
}

static bool is_near_tie(const struct linear *linear, const double *scores, double reach) {
    bool by_signs = linear->strategy != &strategy_machine && linear->strategy != &strategy_ovr;
    double best = -INFINITY, second = -INFINITY;
    for (size_t r = 0; r < linear->rows; r++) {
        if (by_signs && fabs(scores[r]) <= reach) return true;
        second = fmax(second, fmin(best, scores[r]));
        best = fmax(best, scores[r]);
    }
    if (linear->strategy == &strategy_ovo) return linear_region(linear, scores) == REGION_TIED;
    return linear->rows > 1 && best - second <= 2 * reach;
}

/* Weight of the rows of which scores in the room around those of the model leave the class open. */
static double undecided_weight(const sepal_model *model, const struct table *t, double room) {
    sepal_data *data = table_data(t, ctx);
    struct matrix phi = data->matrix;
    const struct linear *linear = &model->linear;
    if (model->chain.n)
        assert_int_equal(map_chain_matrix(&phi, ctx, &model->chain, &data->matrix), SEPAL_OK);
    double *score = malloc(t->rows * linear->rows * sizeof *score), weight = 0;
    assert_non_null(score);
    assert_int_equal(linear_scores(score, ctx, linear, &phi), SEPAL_OK);
    double reach = room * largest_of(score, t->rows * linear->rows);
    for (size_t i = 0; i < t->rows; i++)
        if (is_near_tie(linear, score + i * linear->rows, reach)) weight += t->weight[i];
    free(score);
    if (model->chain.n) matrix_clear(&phi);
    sepal_data_free(data);
    return weight;
}

static void check_training(const struct law_case *one, const struct made *weighted,
                           const struct table *t, const struct table *copies,
                           struct comparing *all) {
    char text[600];
    snprintf(text, sizeof text, "%s, %s", sepal_model_spec(weighted->model), one->options);
    if (claim_of(COPIED, text) != SAME) return;
    struct made copied = make(ctx, one->spec, one->options, copies, copies);
    assert_int_equal(copied.status, SEPAL_OK);
    drop_total(weighted->report);
    drop_total(copied.report);
    all->case_name = one->spec;
    all->factor = 1;
    all->room = 1e-6;
    all->undecided = undecided_weight(weighted->model, t, room_for(weighted, text));
    if (at(weighted, "converged") == at(&copied, "converged"))
        compare(all, weighted->report->root, copied.report->root, "");
    made_free(&copied);
}

/* What the report says of the training rows is what evaluate says of them. */
static void check_accuracy(const struct law_case *one, const struct made *made,
                           const struct table *t, struct comparing *all) {
    sepal_report *judged = judge(made->model, t, NULL);
    double errors = 0, total = 0;
    for (size_t i = 0; i < t->rows; i++) total += t->weight[i];
    errors = total * sepal_report_number(judged, "error");
    if (!near(at(made, "train.accuracy"), sepal_report_number(judged, "accuracy"), 1e-14) ||
        fabs(at(made, "train.errors") - errors) > 1e-9) {
        print_error("%s: training accuracy %.17g, %g errors; evaluate: %.17g, %g\n", one->spec,
                    at(made, "train.accuracy"), at(made, "train.errors"),
                    sepal_report_number(judged, "accuracy"), errors);
        all->broken++;
    }
    sepal_report_free(judged);
}

/* ---- the tables --------------------------------------------------------------------------- */

static void all_reports(size_t classes, uint64_t number) {
    static struct law_cases cases;
    size_t seen[32] = {0}, fitted = 0;
    struct comparing metrics = {.ignored = not_of_metrics, .room = 1e-12, .seen = seen};
    struct comparing training = {.ignored = not_of_training};
    struct rng rng = rng_make(test_seed(number), classes);
    struct table t = table_random(&rng, TABLE_ROWS, TABLE_COLUMNS, classes, true),
                 asked = with_ties(&t);
    struct table copies = with_copies(&t);
    training.total = (double)copies.rows;
    /* in the order of law_names */
    struct table others[] = {with_rows_permuted(&asked, &rng),
                             table_copy(&asked),
                             with_weights_times(&asked, 3),
                             with_copies(&asked),
                             {0}};
    all_cases(&cases, classes);
    for (size_t i = 0; i < cases.n; i++) {
        const struct law_case *one = &cases.one[i];
        if (has(one->options, "solver")) continue; /* of the same reports */
        struct made made = make(ctx, one->spec, one->options, &t, &t);
        if (made.status == SEPAL_OK) {
            fitted++;
            check_metrics(one->spec, made.model, &asked, others, &metrics);
            check_accuracy(one, &made, &t, &metrics);
            check_training(one, &made, &t, &copies, &training);
        }
        made_free(&made);
    }
    for (size_t i = 0; others[i].rows; i++) table_free(&others[i]);
    table_free(&copies);
    table_free(&asked);
    table_free(&t);
    printf("COUNT metrics-%s %zu %zu\n", classes == 2 ? "two" : "three", metrics.numbers,
           metrics.broken);
    printf("COUNT training-%s %zu %zu\n", classes == 2 ? "two" : "three", training.numbers,
           training.broken);
    for (size_t i = 0; metric_table[i]; i++)
        if (seen[i] == 0) fail_msg("no report has the metric %s", metric_table[i]->name);
    assert_true(fitted > 100 && training.numbers > 500);
    assert_true(training.bounded > 20 && training.decided > 100);
    assert_int_equal(metrics.broken + training.broken, 0);
}

static void two_classes(void **state) {
    (void)state;
    all_reports(2, 511);
}

static void three_classes(void **state) {
    (void)state;
    all_reports(3, 512);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_classes),
        cmocka_unit_test(three_classes),
    };
    return cmocka_run_group_tests(tests, set_up_one_thread, tear_down);
}
