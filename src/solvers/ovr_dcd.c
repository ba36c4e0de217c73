/* Dual coordinate descent (Hsieh et al., ICML 2008; for the logistic loss Yu, Huang, Lin 2011) for
   many classes at once. A row's numbers are read once for all classes of a group: its scores are the
   sum of its columns' weights, vectors of one number a class; the steps of all classes are one
   vector; and what they add to the weights are vectors again. Rows are visited in blocks of
   neighbours, the blocks in a new order each epoch.

   The weights are singles, and drift from the dual variables by some roundings. What is left of them
   after ovr_dcd_settle is a rounding of the weights themselves, whose effect on an objective that is
   flat there is of the order of its square.

   A bias b is held near an anchor by rho/2 (b - anchor)^2, which makes a free one a weight of a column
   of ones; after each epoch the anchor moves to b (the method of multipliers: the dual variables'
   sums of both sides become equal). A penalised bias needs no anchor to be one, but every row changes
   it, and the descent takes fewer epochs with a stiff quadratic. */
#include "solvers/ovr_dcd.h"

#include "core/alloc.h"
#include "core/parallel.h"
#include "core/rng.h"

#include <math.h>
#include <string.h>

/* ---- one row ------------------------------------------------------------------------------ */

struct visits {
    const struct ovr_dcd *d;
    struct ovr_dcd_group *group;
    struct lanes_step step;
    bool (*turn)(struct lanes_step *step, size_t lanes);
    const struct kernels *kernels;
    float factor[2][OVR_LANES]; /* of the rest's losses, of a class's own */
    int32_t *lane_of;           /* of each class; -1: in another group */
    float *scratch;
    bool far; /* the weights are sparse rows', and not all in the nearest caches */
    double gap[OVR_LANES], loss[OVR_LANES];
};

/* Begin to fetch the dual variables and the weights that a row will ask for. */
static void ovr_dcd_fetch(const struct visits *v, size_t row) {
    const struct ovr_point *point = &v->group->point;
    size_t i;
    __builtin_prefetch(point->alpha + row * point->lanes);
    if (!v->far) return;
    const struct block *block = matrix_block_of(&v->d->rows, row, &i);
    size_t at = block->start[i], n = block->start[i + 1] - at;
    v->kernels->lanes_fetch(block->index + at, n, point->w, point->lanes * sizeof *point->w);
}

static void ovr_dcd_visit(struct visits *v, const struct block *block, size_t i, size_t next) {
    const struct objective *o = v->d->rest->o;
    struct ovr_dcd_group *group = v->group;
    struct lanes_step *step = &v->step;
    size_t row = block->first_row + i, lanes = group->point.lanes;
    float *a = group->point.alpha + row * lanes, weight = v->d->row_weight[row];
    const float *x;
    const uint32_t *index;
    size_t n = row_singles(&x, &index, block, i, o->cols, o->centre, v->scratch);
    v->kernels->lanes_dot(step->score, x, index, n, group->point.w, lanes, lanes);
    ovr_dcd_fetch(v, next);
    for (size_t l = 0; l < OVR_LANES; l++) {
        step->score[l] += (float)group->point.bias[l];
        step->scale[l] = weight * v->factor[0][l];
        step->side[l] = -1;
    }
    size_t labels;
    const int32_t *label = row_labels_of(&v->d->rest->labels, row, &labels);
    for (size_t k = 0; k < labels; k++) {
        int32_t own = v->lane_of[label[k]];
        if (own < 0) continue;
        step->side[own] = 1;
        step->scale[own] = weight * v->factor[1][own];
    }
    step->norm = v->d->norm[row] + (float)v->d->bias_square;
    memcpy(step->a, a, lanes * sizeof *a);
    if (!v->turn(step, lanes)) return;
    memcpy(a, step->a, lanes * sizeof *a);
    v->kernels->lanes_add(group->point.w, step->change, x, index, n, lanes, lanes);
    for (size_t l = 0; v->d->bias_square > 0 && l < lanes; l++)
        group->point.bias[l] += v->d->bias_square * (double)step->change[l];
}

/* ---- one epoch of one group --------------------------------------------------------------- */

static bool (*turn_of(const struct objective *o))(struct lanes_step *, size_t) {
    const struct kernels *kernels = o->ctx->kernels;
    if (o->loss == &loss_logistic) return kernels->lanes_logistic;
    return o->loss == &loss_hinge ? kernels->lanes_hinge : kernels->lanes_squared_hinge;
}

static void ovr_dcd_prepare(struct visits *v) {
    static const size_t near = 1 << 17;
    const struct ovr_point *point = &v->group->point;
    v->far = v->d->rows.sparse && v->d->rows.cols * point->lanes * sizeof *point->w > near;
    for (size_t k = 0; k < v->d->rest->classes; k++) v->lane_of[k] = -1;
    for (size_t l = 0; l < point->n; l++) {
        v->lane_of[point->class[l]] = (int32_t)l;
        for (int own = 0; own < 2; own++)
            v->factor[own][l] = (float)ovr_factor_of_class(v->d->rest, point->class[l], own);
    }
}

static void visit_rows(struct visits *v) {
    const struct objective *o = v->d->rest->o;
    size_t units = (o->n + REST_ROWS - 1) / REST_ROWS;
    for (size_t t = 0; t < units; t++) {
        size_t local, first = v->d->order[t] * (size_t)REST_ROWS;
        size_t rows = o->n - first < REST_ROWS ? o->n - first : REST_ROWS;
        const struct block *block = matrix_block_of(&v->d->rows, first, &local);
        memset(v->step.gap, 0, sizeof v->step.gap);
        memset(v->step.loss, 0, sizeof v->step.loss);
        size_t after = t + 1 < units ? v->d->order[t + 1] * (size_t)REST_ROWS : first;
        for (size_t i = 0; i < rows; i++)
            ovr_dcd_visit(v, block, local + i, i + 1 < rows ? first + i + 1 : after);
        for (size_t l = 0; l < OVR_LANES; l++) {
            v->gap[l] += (double)v->step.gap[l];
            v->loss[l] += (double)v->step.loss[l];
        }
    }
}

/* The gap that the epoch met on its way, a row after the other, is one of some point between its
   begin and its end. */
static void ovr_dcd_judge(const struct visits *v, double tol) {
    struct ovr_dcd_group *group = v->group;
    double worst = 0;
    for (size_t l = 0; l < group->point.n; l++)
        worst = fmax(worst, v->gap[l] / fmax(v->loss[l], 1e-300));
    double fall = group->worst[1] > 0 ? fmin(1, worst / group->worst[1]) : 1;
    group->worst[0] = group->worst[1];
    group->worst[1] = worst;
    group->likely = worst * fall <= tol;
    group->idle = worst < 0.9 * group->last_fall ? 0 : group->idle + 1;
    if (group->idle == 0) group->last_fall = worst;
}

static void ovr_dcd_move_anchor(struct ovr_dcd_group *group, double keeps) {
    for (size_t l = 0; l < group->point.n; l++) {
        double b = group->point.bias[l];
        group->point.bias[l] += keeps * (b - group->anchor[l]);
        group->anchor[l] = b;
    }
}

static sepal_status epoch_of_group(sepal_ctx *ctx, size_t g, void *payload) {
    struct ovr_dcd *d = payload;
    const struct objective *o = d->rest->o;
    struct visits v = {.d = d, .group = &d->groups[g], .turn = turn_of(o), .kernels = ctx->kernels};
    if (v.group->likely) return SEPAL_OK;
    v.lane_of = mem_alloc(ctx, d->rest->classes, sizeof *v.lane_of);
    v.scratch = mem_alloc(ctx, o->cols, sizeof *v.scratch);
    sepal_status status = v.lane_of && v.scratch ? SEPAL_OK : SEPAL_EMEMORY;
    if (status == SEPAL_OK) {
        ovr_dcd_prepare(&v);
        if (d->epochs > 0) ovr_dcd_move_anchor(v.group, d->bias_keeps);
        visit_rows(&v);
        ovr_dcd_judge(&v, d->tol);
    }
    mem_free(v.lane_of);
    mem_free(v.scratch);
    return status;
}

/* ---- rounds ------------------------------------------------------------------------------- */

static double worst_of(const struct ovr_dcd *d, bool *likely, bool *stalled) {
    enum { IDLE = 25 };
    double worst = 0;
    *likely = true;
    *stalled = false;
    for (size_t g = 0; g < d->n_groups; g++) {
        const struct ovr_dcd_group *group = &d->groups[g];
        worst = fmax(worst, group->worst[1]);
        *likely = *likely && group->likely;
        *stalled = *stalled || (!group->likely && group->idle >= IDLE);
    }
    return worst;
}

sepal_status ovr_dcd_descend(struct ovr_dcd *d) {
    const struct objective *o = d->rest->o;
    size_t units = (o->n + REST_ROWS - 1) / REST_ROWS;
    for (size_t g = 0; g < d->n_groups; g++) d->groups[g].likely = false;
    for (bool likely = false; !likely && !d->stalled && !d->stopped;) {
        if (d->epochs >= d->max_epochs) {
            d->stalled = true;
            break;
        }
        struct rng rng = rng_make(d->seed, d->epochs);
        rng_shuffle(&rng, d->order, units);
        TRY(parallel_for(o->ctx, d->n_groups, epoch_of_group, d));
        d->epochs++;
        double gap = worst_of(d, &likely, &d->stalled);
        d->stopped = d->stops(d->payload, d->epochs, NAN, gap);
    }
    return SEPAL_OK;
}
