/* A sweep over the held-out rows by falling probability: between two of them the decisions are the same, so
   each gap is judged once. Of equal ones that nearest to 1/2 is taken, and in it the shortest number. */
#include "selection/cutoff.h"

#include "core/alloc.h"
#include "core/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct judged_row {
    double p, weight;
    int32_t label;
};

static int by_falling_p(const void *a, const void *b) {
    const struct judged_row *x = a, *y = b;
    if (x->p != y->p) return x->p < y->p ? 1 : -1;
    return (x->label > y->label) - (x->label < y->label);
}

/* ---- the goal ------------------------------------------------------------------------------ */

static bool depends_on_cutoff(const struct metric *metric) {
    static const char *const of_rows[] = {"accuracy", "error", "balanced_accuracy", "mcc"};
    if (metric->of_class) return true;
    for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++)
        if (strcmp(metric->name, of_rows[i]) == 0) return true;
    return false;
}

static sepal_status refuse_goal(sepal_ctx *ctx, const char *name) {
    struct text able = {0};
    for (size_t m = 0; metric_table[m]; m++)
        if (depends_on_cutoff(metric_table[m]))
            text_printf(ctx, &able, "%s, ", metric_table[m]->name);
    sepal_status status =
        able.failed ? SEPAL_EMEMORY
                    : fail(ctx, SEPAL_EUSAGE,
                           OPTION "cutoff-for %.60s: no such thing depends on a cutoff; choose "
                                  "%smacro.f1 or cost",
                           name, able.bytes);
    text_clear(&able);
    return status;
}

sepal_status cutoff_goal_read(struct cutoff_goal *out, sepal_ctx *ctx, const char *name,
                              double cost_fp, double cost_fn) {
    static const char macro[] = "macro.";
    bool costs = !isnan(cost_fp) || !isnan(cost_fn), cost = name && strcmp(name, "cost") == 0;
    *out = (struct cutoff_goal){.name = costs && !name ? "cost" : name,
                                .cost_fp = isnan(cost_fp) ? 1 : cost_fp,
                                .cost_fn = isnan(cost_fn) ? 1 : cost_fn,
                                .positive = 1,
                                .better = -1};
    if (!name || cost) return SEPAL_OK;
    if (costs)
        return fail(ctx, SEPAL_EUSAGE,
                    OPTION "cost-fp and " OPTION "cost-fn are about a cutoff for the cost, not for "
                           "%.60s; write " OPTION "cutoff-for cost, or leave them out",
                    name);
    out->averaged = strncmp(name, macro, strlen(macro)) == 0;
    const char *word = out->averaged ? name + strlen(macro) : name;
    for (size_t m = 0; metric_table[m]; m++)
        if (strcmp(metric_table[m]->name, word) == 0) out->metric = metric_table[m];
    if (!out->metric || !depends_on_cutoff(out->metric) ||
        (out->averaged && !out->metric->of_class))
        return refuse_goal(ctx, name);
    out->better = metric_better(word);
    return SEPAL_OK;
}

static double class_value(const struct metric *metric, const struct confusion *confusion,
                          size_t k) {
    const struct class_counts counts = {confusion->count[k * 2 + k], confusion->predicted[k],
                                        confusion->target[k]};
    double value = fraction_value(metric->of_class(&counts));
    return isnan(value) ? 0 : value; /* as in averages: a class never called is no success */
}

static double goal_value(const struct cutoff_goal *goal, const struct confusion *confusion) {
    size_t p = goal->positive;
    if (!goal->metric)
        return (goal->cost_fp * confusion->count[(1 - p) * 2 + p] +
                goal->cost_fn * confusion->count[p * 2 + (1 - p)]) /
               confusion->total;
    if (goal->metric->of_class && goal->averaged)
        return (class_value(goal->metric, confusion, 0) + class_value(goal->metric, confusion, 1)) /
               2;
    if (goal->metric->of_class) return class_value(goal->metric, confusion, p);
    const struct evaluation all = {.confusion = *confusion};
    double value = goal->metric->of_rows(&all);
    return isnan(value) ? 0 : value; /* mcc where all are called the same */
}

/* ---- the sweep ----------------------------------------------------------------------------- */

struct sweep {
    const struct cutoff_goal *goal;
    double count[4], target[2], predicted[2];
    struct confusion confusion;
    double best, low, high, off; /* the best gap (low, high], and how far it is from 1/2 */
};

static void sweep_begin(struct sweep *sweep, const struct judged_row *rows, size_t n) {
    for (size_t i = 0; i < n; i++) sweep->target[rows[i].label] += rows[i].weight;
    sweep->count[0] = sweep->target[0]; /* all are called the first class */
    sweep->count[2] = sweep->target[1];
    sweep->predicted[0] = sweep->target[0] + sweep->target[1];
    sweep->confusion = (struct confusion){.labels = 2,
                                          .width = 2,
                                          .count = sweep->count,
                                          .target = sweep->target,
                                          .predicted = sweep->predicted,
                                          .total = sweep->predicted[0],
                                          .right = sweep->count[0]};
    sweep->best = NAN;
}

static void sweep_call(struct sweep *sweep, const struct judged_row *row) {
    size_t t = (size_t)row->label;
    sweep->count[t * 2] -= row->weight;
    sweep->count[t * 2 + 1] += row->weight;
    sweep->predicted[0] -= row->weight;
    sweep->predicted[1] += row->weight;
    sweep->confusion.right = sweep->count[0] + sweep->count[3];
}

/* All cutoffs in (low, high] decide as the counts are now. */
static void sweep_judge(struct sweep *sweep, struct cutoff *out, double low, double high) {
    double value = goal_value(sweep->goal, &sweep->confusion);
    double off = low < 0.5 && 0.5 <= high ? 0 : fmin(fabs(low - 0.5), fabs(high - 0.5));
    double more = sweep->goal->better * (value - sweep->best);
    if (off == 0) out->half = value;
    if (!(isnan(sweep->best) || more > 0 || (more == 0 && off < sweep->off))) return;
    sweep->best = value;
    sweep->low = low;
    sweep->high = high;
    sweep->off = off;
}

/* The shortest decimal in (low, high], near the middle. */
static double shortest_between(double low, double high) {
    if (low < 0.5 && 0.5 <= high) return 0.5;
    double middle = low + (high - low) / 2;
    double scale = 1;
    for (int digits = 1; digits <= 16; digits++) {
        scale *= 10;
        double value = round(middle * scale) / scale;
        if (value > low && value <= high) return value;
    }
    return high;
}

static sepal_status gather(struct judged_row **out, size_t *n, const struct trials *trials,
                           size_t candidate) {
    const struct splits *splits = trials->splits;
    size_t rows = 0;
    for (size_t s = 0; s < splits->n; s++) rows += splits->of[s].n_valid;
    struct judged_row *list = *out = mem_alloc(trials->ctx, rows, sizeof *list);
    *n = 0;
    if (!list) return SEPAL_EMEMORY;
    for (size_t s = 0; s < splits->n; s++) {
        const struct split *split = &splits->of[s];
        const double *proba = trials->of[candidate * splits->n + s].proba;
        for (size_t i = 0; proba && i < split->n_valid; i++) {
            size_t row = split->valid[i];
            double p = proba[2 * i + 1];
            if (isnan(p)) continue; /* missing=drop leaves it undecided */
            list[(*n)++] =
                (struct judged_row){p, data_weight(trials->data, row), trials->data->label[row]};
        }
    }
    return SEPAL_OK;
}

static void sweep_rows(struct sweep *sweep, struct cutoff *out, struct judged_row *rows, size_t n) {
    qsort(rows, n, sizeof *rows, by_falling_p);
    sweep_begin(sweep, rows, n);
    if (rows[0].p < 1) sweep_judge(sweep, out, rows[0].p, 1);
    for (size_t i = 0; i < n;) {
        double p = rows[i].p;
        while (i < n && rows[i].p == p) sweep_call(sweep, &rows[i++]);
        sweep_judge(sweep, out, i < n ? rows[i].p : -1, p);
    }
    out->value = sweep->low < 0 && !(sweep->high >= 0.5)
                     ? sweep->high
                     : shortest_between(sweep->low, sweep->high);
    out->score = sweep->best;
}

sepal_status cutoff_find(struct cutoff *out, const struct trials *trials, size_t candidate,
                         const struct cutoff_goal *goal) {
    struct judged_row *rows;
    struct sweep sweep = {.goal = goal};
    *out = (struct cutoff){NAN, NAN, NAN, 0};
    sepal_status status = gather(&rows, &out->rows, trials, candidate);
    if (status == SEPAL_OK && out->rows == 0)
        status =
            fail(trials->ctx, SEPAL_EDATA, "no held-out row has a probability to put a cutoff on");
    if (status == SEPAL_OK) sweep_rows(&sweep, out, rows, out->rows);
    mem_free(rows);
    return status;
}
