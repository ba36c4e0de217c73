/* Weights are copied rows to every metric and to the training report, in any order of the rows; and
   weights that are all multiplied by one number change no metric. Reports are compared as whole
   trees, number by number, so that a new fact keeps the law too. */
#include "contract/law_cases.h"

#include "eval/evaluate.h"

enum { TABLE_ROWS = 40, TABLE_COLUMNS = 3 };

static sepal_ctx *ctx;

/* ---- trees -------------------------------------------------------------------------------- */

struct comparing {
    const char *case_name;
    const char *const *ignored; /* keys, ends with NULL */
    double factor;              /* what counts may be multiplied by; 1: nothing may */
    double room;                /* relative */
    size_t numbers;             /* compared so far */
    size_t *seen; /* how often each metric of the table was compared; NULL: no matter */
    size_t broken;
};

static bool is_among(const char *key, const char *const *keys) {
    for (; key && *keys; keys++)
        if (strcmp(key, *keys) == 0) return true;
    return false;
}

static size_t metric_number(const char *key) {
    size_t i = 0;
    while (metric_table[i].name && !(key && strcmp(metric_table[i].name, key) == 0)) i++;
    return i;
}

static bool near(double a, double b, double room) {
    return a == b || fabs(a - b) <= room * fmax(fabs(a), fabs(b)) + 1e-300;
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
        bool metric = metric_table[metric_number(a->key)].name != NULL;
        bool same = near(a->number, b->number, all->room) || fabs(a->number - b->number) < 1e-13;
        if (!metric) same = same || near(a->number * all->factor, b->number, all->room);
        if (metric && all->seen) all->seen[metric_number(a->key)]++;
        all->numbers++;
        if (same) return;
        print_error("%s: %s is %.17g, then %.17g\n", all->case_name, path, a->number, b->number);
        all->broken++;
    }
    const struct tree *y = b->first;
    for (const struct tree *x = a->first; x && y; x = x->next, y = y->next) {
        if (is_among(x->key, all->ignored)) continue;
        snprintf(deeper, sizeof deeper, "%s.%s", path, x->key ? x->key : "[]");
        compare(all, x, y, deeper);
    }
}

/* ---- evaluate ----------------------------------------------------------------------------- */

static sepal_report *judge(const sepal_model *model, const struct table *t, const char *options) {
    sepal_data *data = table_data(t, ctx);
    sepal_report *report = NULL;
    sepal_status status = sepal_evaluate(&report, ctx, model, data, options);
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

static const char *const answer_options[] = {
    NULL, "ambiguous=undecided", "decide=reject, cutoff=0.6", "positive=a", "cutoff=0.3"};
enum { ANSWER_OPTIONS = sizeof answer_options / sizeof *answer_options };

/* total_weight stands in the report of weighted rows alone */
static const char *const not_of_metrics[] = {"rows", "total_weight", NULL};

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
        sepal_report *before = judge(model, t, answer_options[o]);
        if (!before) continue;
        drop_total(before);
        for (size_t i = 0; others[i].rows; i++) {
            sepal_report *after = judge(model, &others[i], answer_options[o]);
            assert_non_null(after);
            drop_total(after);
            char what[300];
            snprintf(what, sizeof what, "%s [%s], %s", name,
                     answer_options[o] ? answer_options[o] : "", law_names[i]);
            all->case_name = what;
            all->factor = 1 << i == SCALED ? 3 : 1;
            compare(all, before->root, after->root, "");
            sepal_report_free(after);
        }
        sepal_report_free(before);
    }
}

/* ---- the training report -------------------------------------------------------------------- */

/* What is about rows as they were given, about the work done, or about how near the work came. */
static const char *const not_of_training[] = {
    "rows",       "nonzeros", "seconds", "peak_memory", "support_vectors",
    "iterations", "updates",  "gap",     "residual",    NULL};

static double at(const struct made *made, const char *path) {
    return sepal_report_number(made->report, path);
}

static void check_training(const struct law_case *one, const struct made *weighted,
                           const struct table *copies, struct comparing *all) {
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
            check_training(one, &made, &copies, &training);
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
    for (size_t i = 0; metric_table[i].name; i++)
        if (seen[i] == 0) fail_msg("no report has the metric %s", metric_table[i].name);
    assert_true(fitted > 100 && training.numbers > 500);
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

static int set_up(void **state) {
    (void)state;
    if (sepal_ctx_new(&ctx) != SEPAL_OK) return -1;
    sepal_ctx_set_threads(ctx, 1);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    sepal_ctx_free(ctx);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_classes),
        cmocka_unit_test(three_classes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
