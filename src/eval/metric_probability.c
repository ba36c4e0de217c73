/* What probabilities are worth: log loss, Brier score and the expected calibration error (Naeini, Cooper
   and Hauskrecht, AAAI 2015; Guo, Pleiss, Sun and Weinberger, ICML 2017), in one pass over blocks of
   rows, whose sums are added in order. */
#include "core/alloc.h"
#include "core/parallel.h"
#include "eval/metric.h"
#include "eval/row_softmax.h"

#include <math.h>

enum { FEWEST_ROWS = 1 << 14, MOST_TASKS = 128 };

struct loss_sums {
    double sum, weighed, squares; /* of w l, w^2 l and w^2 l^2 */
};
struct probability_sums {
    struct loss_sums log_loss, brier;
    struct bin *bins; /* K x B, of each class; NULL: no curves are asked for */
    struct bin
        *confidence; /* B: of the most probable class, of two without curves of the positive one */
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

/* Rows that are taken at a time, by the kernels that the objectives have. A class that the model has not seen had
   probability 0: its log loss has no bound. */

/* An exponential is never less than some 1e-308; what is, of one row, is nothing. */
static double loss_above_nothing(double loss) {
    return loss > 1e-300 ? loss : 0;
}

static void add_two(const struct evaluation *all, struct probability_sums *sums, size_t first,
                    size_t n) {
    size_t bins = all->options->bins;
    double margin[ROW_SOFTMAX_MOST], loss[ROW_SOFTMAX_MOST], wrong[ROW_SOFTMAX_MOST],
        curvature[ROW_SOFTMAX_MOST];
    const double *odds = all->predictions.shown + first;
    for (size_t i = 0; i < n; i++)
        margin[i] = all->data->label[first + i] == 1 ? odds[i] : -odds[i];
    all->ctx->kernels->logistic(margin, n, loss, wrong, curvature);
    for (size_t i = 0; i < n; i++) {
        size_t row = first + i, target = (size_t)all->data->label[row];
        double weight = data_weight(all->data, row);
        const double p[] = {target == 1 ? wrong[i] : 1 - wrong[i],
                            target == 1 ? 1 - wrong[i] : wrong[i]};
        double miss = target < 2 ? wrong[i] : p[all->positive];
        loss_add(&sums->log_loss, target < 2 ? loss_above_nothing(loss[i]) : INFINITY, weight);
        loss_add(&sums->brier, miss * miss, weight);
        for (size_t k = 0; k < 2; k++)
            if (sums->bins || k == all->positive)
                bin_add(sums->bins ? sums->bins + k * bins : sums->confidence, bins, p[k],
                        target == k, weight);
    }
}

static void add_many(const struct evaluation *all, struct probability_sums *sums, size_t first,
                     size_t n, struct row_softmax *softmax) {
    static const int32_t any[ROW_SOFTMAX_MOST] = {0};
    size_t classes = all->linear->classes, bins = all->options->bins;
    const double *shown = all->predictions.shown + first * classes, *p = softmax->p;
    row_softmax_take(softmax, shown, n, any);
    for (size_t i = 0; i < n; i++, shown += classes, p += softmax->lanes) {
        size_t target = (size_t)all->data->label[first + i], best = 0;
        double weight = data_weight(all->data, first + i), square = 0, others = 0;
        for (size_t k = 0; k < classes; k++) {
            double miss = k == target ? 0 : p[k];
            others += miss;
            square += miss * miss;
            if (shown[k] > shown[best]) best = k;
            if (sums->bins) bin_add(sums->bins + k * bins, bins, p[k], k == target, weight);
        }
        /* what the right class lacks is the others': no digits are lost where it is all but certain */
        square += target < classes ? others * others : 1;
        bin_add(sums->confidence, bins, p[best], best == target, weight);
        loss_add(&sums->log_loss, target < classes ? -shown[target] : INFINITY, weight);
        loss_add(&sums->brier, square, weight);
    }
}

static sepal_status sum_rows(sepal_ctx *ctx, size_t task, void *payload) {
    const struct probability_pass *pass = payload;
    const struct evaluation *all = pass->all;
    size_t end = (task + 1) * pass->rows, rows = all->data->matrix.rows;
    size_t classes = all->linear->classes;
    struct row_softmax softmax;
    TRY(row_softmax_init(&softmax, ctx, classes));
    if (end > rows) end = rows;
    for (size_t i = task * pass->rows, n; i < end; i += n) {
        n = end - i < ROW_SOFTMAX_MOST ? end - i : ROW_SOFTMAX_MOST;
        if (classes == 2)
            add_two(all, &pass->of[task], i, n);
        else
            add_many(all, &pass->of[task], i, n, &softmax);
    }
    row_softmax_clear(&softmax);
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
    bool two = all->linear->classes == 2 && sums->bins;
    out->log_loss = mean_of(&sums->log_loss, &all->confusion, &out->log_loss_error);
    out->brier = mean_of(&sums->brier, &all->confusion, &out->brier_error);
    out->bins = sums->bins;
    out->ece =
        calibration_error(two ? sums->bins + all->positive * bins : sums->confidence, bins, total);
}

sepal_status probability_facts_make(struct probability_facts *out, struct evaluation *all) {
    size_t rows = all->data->matrix.rows, classes = all->linear->classes;
    size_t bins = all->options->bins, of_classes = all->options->curves ? classes * bins : 0;
    size_t width = of_classes + bins;
    struct probability_pass pass = {all, NULL, rows / MOST_TASKS + 1};
    *out = (struct probability_facts){NAN, NAN, NAN, NAN, NAN, NULL};
    if (!evaluation_has_probabilities(all)) return SEPAL_OK;
    if (pass.rows < FEWEST_ROWS) pass.rows = FEWEST_ROWS;
    size_t tasks = (rows + pass.rows - 1) / pass.rows;
    struct bin *room = arena_zero(all->ctx, &all->arena, tasks * width, sizeof *room);
    pass.of = arena_zero(all->ctx, &all->arena, tasks, sizeof *pass.of);
    if (!room || !pass.of) return SEPAL_EMEMORY;
    for (size_t t = 0; t < tasks; t++) {
        pass.of[t].bins = of_classes ? room + t * width : NULL;
        pass.of[t].confidence = room + t * width + of_classes;
    }
    TRY(parallel_for(all->ctx, tasks, sum_rows, &pass));
    for (size_t t = 1; t < tasks; t++) {
        merge_losses(&pass.of[0].log_loss, &pass.of[t].log_loss);
        merge_losses(&pass.of[0].brier, &pass.of[t].brier);
        merge_bins(room, room + t * width, width);
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
