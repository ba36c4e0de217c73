/* What decisions cost: those that were made, those that probabilities would make to cost the least
   (Elkan, "The foundations of cost-sensitive learning", IJCAI 2001), and the cheapest one for all rows. */
#include "eval/cost.h"

#include "core/parallel.h"
#include "eval/metric.h"

#include <math.h>
#include <string.h>

enum { COST_ROWS = 1 << 14 };

double cost_cutoff(const struct cost *cost) {
    double called =
        cost->of[1] - cost->of[0]; /* a first taken for a second, above a first for a first */
    double missed =
        cost->of[cost->width] - cost->of[cost->width + 1]; /* a second taken for a first */
    if (missed < 0 || (missed == 0 && called == 0)) return NAN;
    return called <= 0 ? 0 : 1 / (1 + missed / called);
}

/* Of what was decided. Labels that the model has not seen have no costs, nor have rows without a decision
   unless there is a column for them. */
static double cost_of_decisions(const struct evaluation *all, const struct cost *cost) {
    const struct confusion *confusion = &all->confusion;
    double sum = 0;
    for (size_t t = 0; t < confusion->labels; t++)
        for (size_t k = 0; k < confusion->width; k++) {
            double weight = confusion->count[t * confusion->width + k];
            size_t column = k == confusion->labels ? cost->classes : k;
            if (weight == 0) continue;
            if (t >= cost->classes || column >= cost->width) return NAN;
            sum += weight * cost->of[t * cost->width + column];
        }
    return sum / confusion->total;
}

/* ---- by the least expected cost ----------------------------------------------------------- */

struct cost_pass {
    const struct evaluation *all;
    const struct cost *cost;
    double cutoff;     /* NaN: not by one */
    double (*sums)[2]; /* of each task: costs, and weight of the rows that are right */
};

/* The column of the least expected cost, the first on ties. */
static size_t cheapest(const struct cost *cost, const double *logs) {
    size_t best = 0;
    double least = INFINITY;
    for (size_t d = 0; d < cost->width; d++) {
        double expected = 0;
        for (size_t k = 0; k < cost->classes; k++)
            expected += exp(logs[k]) * cost->of[k * cost->width + d];
        if (expected >= least) continue;
        least = expected;
        best = d;
    }
    return best;
}

static sepal_status sum_costs(sepal_ctx *ctx, size_t task, void *payload) {
    const struct cost_pass *pass = payload;
    const struct evaluation *all = pass->all;
    const struct cost *cost = pass->cost;
    size_t rows = all->data->matrix.rows, end = (task + 1) * COST_ROWS;
    (void)ctx;
    for (size_t i = task * COST_ROWS; i < rows && i < end; i++) {
        size_t target = (size_t)all->data->label[i], decided;
        double pair[2], weight = data_weight(all->data, i);
        const double *logs = all->predictions.shown + i * linear_shown(all->linear);
        if (!isnan(pass->cutoff)) {
            decided = logistic(logs[0]) >= pass->cutoff;
        } else {
            if (cost->classes == 2) {
                pair[0] = log_logistic(-logs[0]);
                pair[1] = log_logistic(logs[0]);
                logs = pair;
            }
            decided = cheapest(cost, logs);
        }
        double here = target < cost->classes ? cost->of[target * cost->width + decided] : NAN;
        pass->sums[task][0] += weight * here;
        if (target == decided) pass->sums[task][1] += weight;
    }
    return SEPAL_OK;
}

static sepal_status tell_least(struct evaluation *all, struct tree *parent, const struct cost *cost,
                               double cutoff) {
    size_t tasks = (all->data->matrix.rows + COST_ROWS - 1) / COST_ROWS;
    struct cost_pass pass = {all, cost, cost->width == 2 ? cutoff : NAN, NULL};
    double sum[2] = {0}, total = all->confusion.total;
    if (!evaluation_has_probabilities(all)) {
        tree_null(all->make, parent, "least");
        return SEPAL_OK;
    }
    pass.sums = arena_zero(all->ctx, &all->arena, tasks, sizeof *pass.sums);
    if (!pass.sums) return SEPAL_EMEMORY;
    TRY(parallel_for(all->ctx, tasks, sum_costs, &pass));
    for (size_t t = 0; t < tasks; t++)
        for (int s = 0; s < 2; s++) sum[s] += pass.sums[t][s];
    struct tree *least = tree_object(all->make, parent, "least");
    tree_number(all->make, least, "expected", sum[0] / total);
    tree_number(all->make, least, "accuracy", sum[1] / total);
    return SEPAL_OK;
}

/* ---- all ---------------------------------------------------------------------------------- */

/* The class that costs the least when all rows are decided for it. */
static void tell_constant(struct evaluation *all, struct tree *parent, const struct cost *cost) {
    const struct confusion *confusion = &all->confusion;
    size_t best = 0;
    double least = INFINITY;
    for (size_t d = 0; d < cost->classes; d++) {
        double sum = 0;
        for (size_t t = 0; t < confusion->labels; t++)
            if (confusion->target[t] > 0)
                sum +=
                    t < cost->classes ? confusion->target[t] * cost->of[t * cost->width + d] : NAN;
        if (!(sum < least)) continue;
        least = sum;
        best = d;
    }
    struct tree *constant = tree_object(all->make, parent, "constant");
    tree_text(all->make, constant, "label", data_label_name(all->data, best));
    tree_number(all->make, constant, "expected", least / confusion->total);
}

sepal_status report_cost(struct evaluation *all) {
    struct cost cost;
    double cutoff = NAN;
    if (!all->options->cost) return SEPAL_OK;
    TRY(cost_read(&cost, all->ctx, &all->arena, all->options->cost, all->data->schema));
    if (cost.classes == 2) cutoff = cost_cutoff(&cost);
    double expected = cost_of_decisions(all, &cost);
    struct tree *object = tree_object(all->make, all->report, "cost");
    struct tree *matrix = tree_array(all->make, object, "matrix");
    for (size_t t = 0; t < cost.classes; t++)
        tree_numbers(all->make, matrix, NULL, cost.of + t * cost.width, cost.width);
    tree_number(all->make, object, "expected", expected);
    tree_number(all->make, object, "total", expected * all->confusion.total);
    if (cost.classes == 2) tree_number(all->make, object, "cutoff", cutoff);
    tell_constant(all, object, &cost);
    TRY(tell_least(all, object, &cost, cutoff));
    if (isnan(expected)) {
        tree_text(all->make, all->undefined, NULL, "cost");
        warn(all->ctx, "cost-unknown", "%s",
             all->confusion.undecided > 0 && cost.width == cost.classes
                 ? "some rows are not decided, and the cost matrix has no cost for that; give it "
                   "a column headed '?'"
                 : "some rows have a label that the model was not trained on, and the cost matrix "
                   "has no costs for it");
    }
    return SEPAL_OK;
}
