/* What probabilities are worth: log loss, Brier score and the expected calibration error (Naeini, Cooper
   and Hauskrecht, AAAI 2015; Guo, Pleiss, Sun and Weinberger, ICML 2017), in one pass over blocks of
   rows, whose sums are added in order. */
#include "core/alloc.h"
#include "core/parallel.h"
#include "eval/metric.h"

#include <math.h>

enum { FEWEST_ROWS = 1 << 14, MOST_TASKS = 128 };

struct loss_sums {
    double sum, weighed, squares; /* of w l, w^2 l and w^2 l^2 */
};
struct probability_sums {
    struct loss_sums log_loss, brier;
    struct bin *bins, *confidence; /* K x B, of each class; B, of the most probable one */
};
struct probability_pass {
    const struct evaluation *all;
    struct probability_sums *of; /* each task */
    size_t rows;                 /* of a task */
};

/* ---- bins --------------------------------------------------------------------------------- */

/* Bin b holds (b / bins, (b + 1) / bins], the first also 0. */
size_t bin_of(double p, size_t bins) {
    static const double NEAR = 1e-6; /* an edge, by far more than the product's rounding */
    double n = (double)bins, at = p * n;
    size_t b = p > 0 ? (size_t)at : 0;
    double off = at - (double)b;
    if (off > NEAR && off < 1 - NEAR && b < bins) return b;
    if (b >= bins) b = bins - 1;
    while (b > 0 && p <= (double)b / n) b--;
    while (b + 1 < bins && p > (double)(b + 1) / n) b++;
    return b;
}

double calibration_error(const struct bin *bins, size_t n, double total) {
    double sum = 0;
    for (size_t b = 0; b < n; b++) sum += fabs(bins[b].hits - bins[b].probability);
    return sum / total;
}

void bin_add(struct bin *bins, size_t n, double p, bool hit, double weight) {
    struct bin *bin = &bins[bin_of(p, n)];
    bin->count += weight;
    bin->probability += weight * p;
    bin->hits += hit ? weight : 0;
}

/* ---- rows --------------------------------------------------------------------------------- */

static void loss_add(struct loss_sums *sums, double loss, double weight) {
    sums->sum += weight * loss;
    sums->weighed += weight * weight * loss;
    sums->squares += weight * weight * loss * loss;
}

/* A class that the model has not seen had probability 0: its log loss has no bound. */
static void add_two(const struct evaluation *all, struct probability_sums *sums, size_t row) {
    size_t target = (size_t)all->data->label[row], bins = all->options->bins;
    double odds = all->predictions.shown[row], weight = data_weight(all->data, row);
    double small = exp(-fabs(odds)), log_more = -log1p(small), log_less = log_more - fabs(odds);
    double more = 1 / (1 + small), less = small / (1 + small);
    bool second = odds >= 0;
    const double logs[] = {second ? log_less : log_more, second ? log_more : log_less};
    const double p[] = {second ? less : more, second ? more : less};
    double miss = target < 2 ? p[1 - target] : p[all->positive];
    loss_add(&sums->log_loss, target < 2 ? -logs[target] : INFINITY, weight);
    loss_add(&sums->brier, miss * miss, weight);
    for (size_t k = 0; k < 2; k++) bin_add(sums->bins + k * bins, bins, p[k], target == k, weight);
}

static void add_many(const struct evaluation *all, struct probability_sums *sums, size_t row) {
    size_t target = (size_t)all->data->label[row], classes = all->linear->classes, best = 0;
    size_t bins = all->options->bins;
    const double *logs = all->predictions.shown + row * classes;
    double weight = data_weight(all->data, row), square = target >= classes, p = NAN;
    for (size_t k = 0; k < classes; k++) {
        double here = exp(logs[k]), miss = k == target ? expm1(logs[k]) : here;
        square += miss * miss;
        bin_add(sums->bins + k * bins, bins, here, k == target, weight);
        if (k > 0 && !(logs[k] > logs[best])) continue;
        best = k;
        p = here;
    }
    bin_add(sums->confidence, bins, p, best == target, weight);
    loss_add(&sums->log_loss, target < classes ? -logs[target] : INFINITY, weight);
    loss_add(&sums->brier, square, weight);
}

static sepal_status sum_rows(sepal_ctx *ctx, size_t task, void *payload) {
    const struct probability_pass *pass = payload;
    const struct evaluation *all = pass->all;
    size_t end = (task + 1) * pass->rows, rows = all->data->matrix.rows;
    (void)ctx;
    if (end > rows) end = rows;
    for (size_t i = task * pass->rows; i < end; i++)
        (all->linear->classes == 2 ? add_two : add_many)(all, &pass->of[task], i);
    return SEPAL_OK;
}

/* ---- all ---------------------------------------------------------------------------------- */

static void merge_losses(struct loss_sums *to, const struct loss_sums *from) {
    to->sum += from->sum;
    to->weighed += from->weighed;
    to->squares += from->squares;
}

static void merge_bins(struct bin *to, const struct bin *from, size_t n) {
    for (size_t b = 0; b < n; b++) {
        to[b].count += from[b].count;
        to[b].probability += from[b].probability;
        to[b].hits += from[b].hits;
    }
}

/* The mean, and the standard error of it, of as many rows as the weights are worth. */
static double mean_of(const struct loss_sums *sums, const struct confusion *confusion,
                      double *error) {
    double mean = sums->sum / confusion->total, squares = confusion->squares;
    double n = confusion->total * confusion->total / squares;
    double spread = sums->squares - 2 * mean * sums->weighed + mean * mean * squares;
    *error = n > 1 ? sqrt(fmax(0, spread) * n / (n - 1)) / confusion->total : NAN;
    return mean;
}

static void conclude(struct probability_facts *out, const struct evaluation *all,
                     const struct probability_sums *sums) {
    double total = all->confusion.total;
    size_t bins = all->options->bins;
    bool two = all->linear->classes == 2;
    out->log_loss = mean_of(&sums->log_loss, &all->confusion, &out->log_loss_error);
    out->brier = mean_of(&sums->brier, &all->confusion, &out->brier_error);
    out->bins = sums->bins;
    out->ece =
        calibration_error(two ? sums->bins + all->positive * bins : sums->confidence, bins, total);
}

sepal_status probability_facts_make(struct probability_facts *out, struct evaluation *all) {
    size_t rows = all->data->matrix.rows, classes = all->linear->classes;
    size_t bins = all->options->bins, width = (classes + 1) * bins;
    struct probability_pass pass = {all, NULL, rows / MOST_TASKS + 1};
    *out = (struct probability_facts){NAN, NAN, NAN, NAN, NAN, NULL};
    if (!evaluation_has_probabilities(all)) return SEPAL_OK;
    if (pass.rows < FEWEST_ROWS) pass.rows = FEWEST_ROWS;
    size_t tasks = (rows + pass.rows - 1) / pass.rows;
    struct bin *room = arena_zero(all->ctx, &all->arena, tasks * width, sizeof *room);
    pass.of = arena_zero(all->ctx, &all->arena, tasks, sizeof *pass.of);
    if (!room || !pass.of) return SEPAL_EMEMORY;
    for (size_t t = 0; t < tasks; t++) {
        pass.of[t].bins = room + t * width;
        pass.of[t].confidence = pass.of[t].bins + classes * bins;
    }
    TRY(parallel_for(all->ctx, tasks, sum_rows, &pass));
    for (size_t t = 1; t < tasks; t++) {
        merge_losses(&pass.of[0].log_loss, &pass.of[t].log_loss);
        merge_losses(&pass.of[0].brier, &pass.of[t].brier);
        merge_bins(pass.of[0].bins, pass.of[t].bins, width);
    }
    conclude(out, all, &pass.of[0]);
    return SEPAL_OK;
}

static double log_loss(const struct evaluation *all) {
    return all->probability.log_loss;
}

static double brier(const struct evaluation *all) {
    return all->probability.brier;
}

static double ece(const struct evaluation *all) {
    return all->probability.ece;
}

const struct metric metric_log_loss = {
    .name = "log_loss",
    .summary = "mean of minus the logarithm of the probability of the right class",
    .probabilities = true,
    .of_rows = log_loss};
const struct metric metric_brier = {
    .name = "brier",
    .summary = "mean squared error of the probabilities, summed over the classes if more than two",
    .probabilities = true,
    .of_rows = brier};
const struct metric metric_ece = {
    .name = "ece",
    .summary = "expected calibration error: mean distance of probabilities from the fractions of "
               "the rows that they were given to, in bins",
    .probabilities = true,
    .of_rows = ece};
