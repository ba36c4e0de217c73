/* Intervals of the numbers that no formula has one for, by the bootstrap (Efron and Tibshirani, "An
   Introduction to the Bootstrap", 1993, chapter 13): as many rows as there are, drawn with replacement,
   the numbers of these, and the percentiles of them. The rows are ranked and binned once. Resample b is
   a function of the seed and b alone. */
#include "core/alloc.h"
#include "core/parallel.h"
#include "core/rng.h"
#include "eval/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t resample_stream = UINT64_C(0x6576616c) << 32;

struct resampling {
    struct evaluation *all;
    size_t rows, metrics; /* of the table */
    size_t ranks;         /* classes that rows are ranked for: one of two, all of more */
    uint32_t *step;       /* ranks x rows: which place a row has, equal scores together */
    size_t *steps;        /* of each ranking */
    double *p;            /* the probability that the calibration error is about; NULL: none */
    bool *hit;
    size_t width; /* numbers of a resample */
    double *values;
};

/* What a task works with. */
struct resample {
    const struct resampling *of;
    double *weight; /* of each row: 0 where it was not drawn */
    double *side[2];
    struct bin *bins;
    struct evaluation all; /* with a confusion matrix and rankings of its own */
    struct arena arena;
};

static bool has_formula(const struct evaluation *all, const struct metric *metric) {
    return metric == &metric_accuracy || metric == &metric_error || metric == &metric_log_loss ||
           metric == &metric_brier || (metric == &metric_roc_auc && all->linear->classes == 2);
}

/* ---- once --------------------------------------------------------------------------------- */

static size_t class_of_rank(const struct resampling *of, size_t r) {
    return of->ranks == 1 ? of->all->positive : r;
}

static sepal_status find_steps(struct resampling *of, size_t r, bool *positive) {
    struct evaluation *all = of->all;
    size_t k = class_of_rank(of, r), stride = linear_shown(all->linear), steps = 0;
    struct ranking_rows rows = {.score = all->predictions.shown + (stride > 1 ? k : 0),
                                .n = of->rows,
                                .stride = stride,
                                .sign = stride == 1 && k == 0 ? -1 : 1,
                                .positive = positive};
    struct ranked ranked;
    for (size_t i = 0; i < of->rows; i++) positive[i] = all->data->label[i] == (int32_t)k;
    TRY(ranked_make(&ranked, all->ctx, &rows, true));
    size_t from[2] = {0};
    for (struct ranked_walk walk = ranked_begin(&ranked); ranked_next(&walk); steps++)
        for (int s = 0; s < 2; s++)
            for (; from[s] < walk.at[s]; from[s]++)
                of->step[r * of->rows + (size_t)ranked.side[s].note[from[s]]] = (uint32_t)steps;
    of->steps[r] = steps;
    ranked_clear(&ranked);
    return SEPAL_OK;
}

/* Of two classes the positive one, of more the most probable. */
static sepal_status find_probabilities(struct resampling *of) {
    const struct evaluation *all = of->all;
    size_t classes = all->linear->classes;
    const double *shown = all->predictions.shown;
    if (!evaluation_has_probabilities(all)) return SEPAL_OK;
    of->p = arena_alloc(all->ctx, &of->all->arena, of->rows, sizeof *of->p);
    of->hit = arena_alloc(all->ctx, &of->all->arena, of->rows, sizeof *of->hit);
    if (!of->p || !of->hit) return SEPAL_EMEMORY;
    for (size_t i = 0; i < of->rows; i++) {
        size_t best = all->positive;
        if (classes == 2) {
            of->p[i] = logistic(best ? shown[i] : -shown[i]);
        } else {
            const double *logs = shown + i * classes;
            best = 0;
            for (size_t k = 1; k < classes; k++)
                if (logs[k] > logs[best]) best = k;
            of->p[i] = exp(logs[best]);
        }
        of->hit[i] = (size_t)all->data->label[i] == best;
    }
    return SEPAL_OK;
}

static sepal_status resampling_begin(struct resampling *of, struct evaluation *all) {
    *of = (struct resampling){.all = all, .rows = all->data->matrix.rows};
    while (metric_table[of->metrics]) of->metrics++;
    of->ranks = all->linear->classes == 2 ? 1 : all->linear->classes;
    of->width = 3 * of->metrics + all->confusion.labels;
    sepal_ctx *ctx = all->ctx;
    if (of->rows > UINT32_MAX)
        return fail(ctx, SEPAL_EUSAGE,
                    "%zu rows are more than are drawn from; leave " OPTION "bootstrap out",
                    of->rows);
    bool *positive = arena_alloc(ctx, &all->arena, of->rows, sizeof *positive);
    of->steps = arena_alloc(ctx, &all->arena, of->ranks, sizeof *of->steps);
    of->step = arena_alloc(ctx, &all->arena, of->ranks * of->rows, sizeof *of->step);
    of->values =
        arena_alloc(ctx, &all->arena, all->options->resamples * of->width, sizeof *of->values);
    if (!positive || !of->steps || !of->step || !of->values) return SEPAL_EMEMORY;
    for (size_t r = 0; r < of->ranks && !all->data->undecided; r++)
        TRY(find_steps(of, r, positive));
    return find_probabilities(of);
}

/* ---- one resample ------------------------------------------------------------------------- */

static void draw_rows(const struct resample *one, size_t b) {
    const struct resampling *of = one->of;
    struct rng rng = rng_make(of->all->ctx->root->seed, resample_stream | b);
    memset(one->weight, 0, of->rows * sizeof *one->weight);
    for (size_t i = 0; i < of->rows; i++) {
        size_t row = rng_below(&rng, of->rows);
        one->weight[row] += data_weight(of->all->data, row);
    }
}

static void count_confusion(struct resample *one) {
    const struct evaluation *all = one->of->all;
    struct confusion *c = &one->all.confusion;
    size_t labels = c->labels, width = c->width;
    memset(c->count, 0, labels * width * sizeof *c->count);
    memset(c->target, 0, labels * sizeof *c->target);
    memset(c->predicted, 0, width * sizeof *c->predicted);
    c->total = c->right = c->undecided = 0;
    for (size_t i = 0; i < one->of->rows; i++) {
        double weight = one->weight[i];
        int32_t decided = all->predictions.classes[i];
        size_t target = (size_t)all->data->label[i], k = decided < 0 ? labels : (size_t)decided;
        if (weight == 0) continue;
        c->count[target * width + k] += weight;
        c->target[target] += weight;
        c->predicted[k] += weight;
        c->total += weight;
        if (k == target) c->right += weight;
        if (decided < 0) c->undecided += weight;
    }
}

static void rank_resample(struct resample *one) {
    const struct resampling *of = one->of;
    const int32_t *label = of->all->data->label;
    struct ranking sum = {0};
    for (size_t r = 0; r < of->ranks; r++) {
        double tp = 0, fp = 0, area = 0, precision = 0;
        int32_t k = (int32_t)class_of_rank(of, r);
        const uint32_t *step = of->step + r * of->rows;
        for (int s = 0; s < 2; s++) memset(one->side[s], 0, of->steps[r] * sizeof(double));
        for (size_t i = 0; i < of->rows; i++)
            if (one->weight[i] > 0) one->side[label[i] == k][step[i]] += one->weight[i];
        for (size_t i = 0; i < of->steps[r]; i++) {
            double more_fp = one->side[0][i], more_tp = one->side[1][i];
            area += more_fp * (tp + more_tp / 2);
            tp += more_tp;
            fp += more_fp;
            if (more_tp > 0) precision += more_tp * tp / (tp + fp);
        }
        sum.roc_auc += tp > 0 && fp > 0 ? area / (tp * fp) : NAN;
        sum.average_precision += tp > 0 ? precision / tp : NAN;
    }
    one->all.ranking.roc_auc = sum.roc_auc / (double)of->ranks;
    one->all.ranking.average_precision = sum.average_precision / (double)of->ranks;
}

static void bin_resample(struct resample *one) {
    const struct resampling *of = one->of;
    size_t n = of->all->options->bins;
    if (!of->p) return;
    memset(one->bins, 0, n * sizeof *one->bins);
    for (size_t i = 0; i < of->rows; i++) {
        if (one->weight[i] == 0) continue;
        struct bin *bin = &one->bins[bin_of(of->p[i], n)];
        bin->probability += one->weight[i] * of->p[i];
        bin->hits += of->hit[i] ? one->weight[i] : 0;
    }
    one->all.probability.ece = calibration_error(one->bins, n, one->all.confusion.total);
}

/* The numbers, in this order: of all rows, the macro averages, the weighted ones, F1 of each class. */
static void measure(const struct resample *one, double *values) {
    const struct confusion *c = &one->all.confusion;
    size_t metrics = one->of->metrics;
    memset(values, 0, one->of->width * sizeof *values);
    for (size_t m = 0; m < metrics; m++)
        if (metric_table[m]->of_rows) values[m] = metric_table[m]->of_rows(&one->all);
    for (size_t k = 0; k < c->labels; k++) {
        struct class_counts counts = {c->count[k * c->width + k], c->predicted[k], c->target[k]};
        values[3 * metrics + k] = fraction_value(metric_f1.of_class(&counts));
        for (size_t m = 0; m < metrics; m++) {
            if (!metric_table[m]->of_class) continue;
            double value = fraction_value(metric_table[m]->of_class(&counts));
            if (isnan(value)) continue;
            values[metrics + m] += value / (double)c->labels;
            values[2 * metrics + m] += value * c->target[k] / c->total;
        }
    }
}

static sepal_status resample_begin(struct resample *one, sepal_ctx *ctx,
                                   const struct resampling *of) {
    size_t n = of->rows, labels = of->all->confusion.labels, width = of->all->confusion.width;
    struct confusion *c;
    *one = (struct resample){.of = of, .all = *of->all};
    c = &one->all.confusion;
    TRY(ARENA_VECTORS(ctx, &one->arena, n, &one->weight, &one->side[0], &one->side[1]));
    one->bins = arena_alloc(ctx, &one->arena, of->all->options->bins, sizeof *one->bins);
    c->count = arena_alloc(ctx, &one->arena, labels * width, sizeof *c->count);
    c->target = arena_alloc(ctx, &one->arena, labels, sizeof *c->target);
    c->predicted = arena_alloc(ctx, &one->arena, width, sizeof *c->predicted);
    return one->bins && c->count && c->target && c->predicted ? SEPAL_OK : SEPAL_EMEMORY;
}

/* A task takes some resamples, with memory for one. */
enum { RESAMPLES_A_TASK = 16 };

static sepal_status resample_task(sepal_ctx *ctx, size_t task, void *payload) {
    const struct resampling *of = payload;
    struct resample one;
    sepal_status status = resample_begin(&one, ctx, of);
    size_t end = (task + 1) * RESAMPLES_A_TASK, most = of->all->options->resamples;
    for (size_t b = task * RESAMPLES_A_TASK; b < most && b < end && status == SEPAL_OK; b++) {
        status = check_cancelled(ctx, "resampling");
        draw_rows(&one, b);
        count_confusion(&one);
        if (!of->all->data->undecided) rank_resample(&one);
        bin_resample(&one);
        measure(&one, of->values + b * of->width);
    }
    arena_clear(&one.arena);
    return status;
}

/* ---- percentiles -------------------------------------------------------------------------- */

static int rising(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Between the two nearest (type 7 of Hyndman and Fan 1996). */
static double quantile_of(const double *sorted, size_t n, double q) {
    double at = q * (double)(n - 1);
    size_t low = (size_t)at, high = low + 1 < n ? low + 1 : low;
    return sorted[low] + (at - (double)low) * (sorted[high] - sorted[low]);
}

/* Of the resamples that have such a number; null when most have none. `room` has a place for each. */
static void put_percentiles(const struct resampling *of, struct tree *parent, const char *key,
                            size_t number, double *room) {
    size_t n = 0, resamples = of->all->options->resamples;
    double tail = (1 - of->all->options->confidence) / 2;
    for (size_t b = 0; b < resamples; b++) {
        double value = of->values[b * of->width + number];
        if (isfinite(value)) room[n++] = value;
    }
    if (2 * n < resamples) {
        tree_null(of->all->make, parent, key);
        return;
    }
    qsort(room, n, sizeof *room, rising);
    interval_put(of->all, parent, key, quantile_of(room, n, tail), quantile_of(room, n, 1 - tail));
}

static void tell_resamples(const struct resampling *of, struct tree *intervals, double *room) {
    struct evaluation *all = of->all;
    for (size_t m = 0; m < of->metrics; m++)
        if (metric_table[m]->of_rows && !has_formula(all, metric_table[m]))
            put_percentiles(of, intervals, metric_table[m]->name, m, room);
    static const char *const averages[] = {"macro", "weighted"};
    for (size_t a = 0; a < 2; a++) {
        struct tree *object = tree_object(all->make, intervals, averages[a]);
        for (size_t m = 0; m < of->metrics; m++)
            if (metric_table[m]->of_class)
                put_percentiles(of, object, metric_table[m]->name, (a + 1) * of->metrics + m, room);
    }
    struct tree *f1 = tree_array(all->make, intervals, "f1");
    for (size_t k = 0; k < all->confusion.labels; k++)
        put_percentiles(of, f1, NULL, 3 * of->metrics + k, room);
}

sepal_status report_resamples(struct evaluation *all, struct tree *intervals) {
    struct resampling of;
    size_t resamples = all->options->resamples;
    tree_number(all->make, intervals, "resamples", (double)resamples);
    if (resamples == 0) return SEPAL_OK;
    TRY(resampling_begin(&of, all));
    double *room = arena_alloc(all->ctx, &all->arena, resamples, sizeof *room);
    if (!room) return SEPAL_EMEMORY;
    TRY(parallel_for(all->ctx, (resamples + RESAMPLES_A_TASK - 1) / RESAMPLES_A_TASK, resample_task,
                     &of));
    tell_resamples(&of, intervals, room);
    return SEPAL_OK;
}
