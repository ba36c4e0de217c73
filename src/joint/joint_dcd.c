/* Softmax and the machine of Crammer and Singer (JMLR 2001) with an L2 penalty by dual coordinate descent, a
   row's variables at a time (Keerthi et al., KDD 2008).

   Free biases put constraints on the dual. The method of multipliers meets them: the biases have the
   penalty stiff/2 |b - anchor|^2, and the anchor follows them after every epoch.

   The sum of the rows' own excesses, as they are met, estimates the gap; the gap itself, which needs
   a pass, is taken only when the tolerance may have been reached. */
#include "joint/joint_dcd.h"

#include "core/alloc.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- the gap -------------------------------------------------------------------------------- */

static double joint_dcd_part(const struct joint_dcd *s, double excess) {
    return excess / fmax(fabs(s->primal), 1e-300);
}

/* Without shrunk rows l2 |W|^2 is the sum of (e_y - alpha_i) . s_i. */
static void joint_dcd_estimate(struct joint_dcd *s) {
    if (!s->any_shrunk) s->primal = s->loss + 0.5 * s->products;
    /* rows met early have moved on since: as much as from one epoch to the next */
    double ratio = s->before > 0 ? fmin(1, s->excess / s->before) : 1;
    if (!isnan(s->ratio)) ratio = s->ratio *= 0.9; /* what was seen is trusted less and less */
    s->gap = joint_dcd_part(s, s->excess * ratio);
    s->before = s->excess;
}

/* The point is kept where it is better than any before. */
static void joint_dcd_keep(struct joint_dcd *s) {
    if (!s->kept || !(s->primal < s->best)) return;
    s->best = s->primal;
    memcpy(s->kept, s->w, s->j->size * sizeof *s->kept);
}

static sepal_status joint_dcd_set_weights(struct joint_dcd *s);

/* What the variables are worth. Balanced ones are other ones where biases are free; else the weights are theirs. */
static sepal_status joint_dcd_bound(double *out, struct joint_dcd *s) {
    const struct joint *j = s->j;
    if (j->o->bias != BIAS_FREE) {
        TRY(joint_conjugates(out, j, s->alpha));
        *out -= joint_penalty(j, s->w);
        return SEPAL_OK;
    }
    memcpy(s->score, s->alpha, j->cells * sizeof *s->score);
    TRY(joint_feasible(j, s->score));
    return joint_dual_value(out, s->room + j->o->cols + 2 * j->lanes, j, s->score);
}

/* w as the singles are. */
static void joint_dcd_widen(struct joint_dcd *s) {
    size_t lanes = s->j->lanes;
    for (size_t c = 0; s->single && c < s->o->cols; c++)
        for (size_t l = 0; l < lanes; l++) s->w[c * lanes + l] = (double)s->single[c * s->half + l];
}

static sepal_status joint_dcd_measure(struct joint_dcd *s) {
    const struct joint *j = s->j;
    double loss, bound;
    joint_dcd_widen(s);
    TRY(joint_scores(s->score, j, s->w));
    TRY(joint_loss_at(&loss, j, s->score));
    s->primal = loss + joint_penalty(j, s->w);
    joint_dcd_keep(s);
    TRY(joint_dcd_bound(&bound, s));
    double over = s->primal - bound;
    s->ratio = s->excess > 0 && !s->any_shrunk ? over / s->excess : NAN;
    s->gap = joint_dcd_part(s, over);
    return SEPAL_OK;
}

/* Singles drift from the variables: below a gap, or where they gain little, doubles go on. */
static sepal_status joint_dcd_leave_singles(struct joint_dcd *s, size_t epoch) {
    enum { OFTEN = 16 };
    static const double coarse = 1e-5;
    bool now = s->gap < coarse || (epoch % OFTEN == 0 && s->gap > 0.5 * s->then);
    if (epoch % OFTEN == 0) s->then = s->gap;
    if (!now || !s->single) return SEPAL_OK;
    s->single = NULL;
    return joint_dcd_set_weights(s);
}

/* Whether the epochs are more than the limit, taken or, at the rate of the last ones, to come. */
static bool joint_dcd_leaves(struct joint_dcd *s, size_t epoch) {
    double before = s->history[epoch % JOINT_DCD_HISTORY];
    s->history[epoch % JOINT_DCD_HISTORY] = s->gap;
    if (!s->d->limit || epoch <= JOINT_DCD_HISTORY) return false;
    double rate = log(before / s->gap) / JOINT_DCD_HISTORY, missing = log(s->gap / s->d->tol);
    return !(missing <= rate * ((double)s->d->limit - (double)epoch));
}

/* ---- epochs --------------------------------------------------------------------------------- */

/* The multipliers of the constraints. */
static void joint_dcd_move_anchor(struct joint_dcd *s) {
    if (s->o->bias != BIAS_FREE) return;
    double *bias = s->w + s->o->cols * s->j->lanes;
    for (size_t k = 0; k < s->j->classes; k++) {
        double step = bias[k] - s->anchor[k];
        s->anchor[k] += step;
        bias[k] += step;
    }
}

/* Small problems may take many: some seconds in all. A visit costs as much as some entries. */
static size_t joint_dcd_epochs_most(const struct joint *j) {
    enum { LEAST = 300, NUMBERS = 2000000000, VISIT = 8 };
    double epoch = (joint_entries(j) + VISIT * (double)j->o->n) * (double)j->lanes;
    return LEAST + (size_t)(NUMBERS / (epoch + 1));
}

/* An estimate far below the tolerance is left to the proof, which takes the same gap: on text it was up to 3.8
   times too small. */
static bool joint_dcd_is_sure(struct joint_dcd *s) {
    static const double room = 5;
    bool whole = s->j->loss->smooth && !s->any_shrunk && !s->kept && s->o->bias != BIAS_FREE;
    if (!whole || !(s->gap * room <= s->d->tol)) return false;
    joint_dcd_widen(s);
    return true;
}

static sepal_status joint_dcd_run(struct joint_dcd *s, size_t most, size_t halving) {
    struct solver *d = s->d;
    double mark = INFINITY;
    for (size_t epoch = 1; d->iterations < most; epoch++) {
        d->stopped = !joint_dcd_epoch(s);
        if (d->stopped) break;
        d->iterations++;
        joint_dcd_estimate(s);
        TRY(joint_dcd_leave_singles(s, epoch));
        bool mark_now = halving && epoch % halving == 0, slow = mark_now && s->excess > 0.5 * mark;
        if (mark_now) mark = s->excess;
        slow = joint_dcd_leaves(s, epoch) || slow;
        d->converged = !slow && joint_dcd_is_sure(s);
        if (d->converged) return SEPAL_OK;
        if (s->gap <= d->tol || slow) {
            TRY(joint_dcd_measure(s));
            d->converged = s->gap <= d->tol;
            bool stationary = s->excess == 0 && !s->any_shrunk && s->o->bias != BIAS_FREE;
            if (d->converged || slow || stationary) return SEPAL_OK;
            joint_dcd_unshrink(s);
        }
        d->stopped = d->stops(d->payload, d->iterations, s->primal, s->gap);
        if (d->stopped) break;
        joint_dcd_move_anchor(s);
    }
    return joint_dcd_measure(s);
}

/* ---- the start ------------------------------------------------------------------------------ */

/* Between the curvature of the losses and that of the penalty: see solvers/dual.c. */
static void joint_dcd_set_stiffness(struct joint_dcd *s) {
    const struct objective *o = s->o;
    static const double fraction = 0.3, most = 0.025, smoothness = 0.25;
    double total = objective_total_weight(o), mean = 0;
    for (size_t i = 0; i < o->n; i++) mean += s->curvature[i];
    s->stiff = o->bias == BIAS_NONE ? INFINITY : o->l2;
    if (o->bias == BIAS_FREE)
        s->stiff = fmin(most * total, fraction * sqrt(smoothness * total * total / mean));
    for (size_t i = 0; i < o->n; i++)
        s->curvature[i] = fmax(s->curvature[i] + o->row_weight[i] / s->stiff, DBL_MIN);
}

/* The variables of the given point, or those left beside it, or the corners of the rows' own classes. */
static sepal_status joint_dcd_set_variables(struct joint_dcd *s) {
    const struct joint *j = s->j;
    const struct objective *o = s->o;
    struct solver *d = s->d;
    if (d->warm && !d->paired) {
        double loss;
        TRY(joint_scores(s->score, j, s->w));
        TRY(joint_loss_at(&loss, j, s->score));
        s->primal = loss + joint_penalty(j, s->w);
        joint_dcd_keep(s);
        for (size_t i = 0; i < o->n; i++) {
            double value, *a = s->alpha + i * j->lanes;
            j->loss->at(o->ctx->kernels, 1, j->classes, j->lanes, s->score + i * j->lanes,
                        o->label + i, &value, a, NULL);
            a[o->label[i]] += 1;
        }
    } else if (!d->paired) {
        memset(s->alpha, 0, j->cells * sizeof *s->alpha);
        for (size_t i = 0; i < o->n; i++) s->alpha[i * j->lanes + (size_t)o->label[i]] = 1;
    }
    return SEPAL_OK;
}

/* The weights that belong to the variables; biases stay where they are, if they are free. */
static sepal_status joint_dcd_set_weights(struct joint_dcd *s) {
    const struct joint *j = s->j;
    const struct objective *o = s->o;
    double *bias = s->w + o->cols * j->lanes, *given = s->room;
    bool biased = o->bias != BIAS_NONE;
    if (biased) memcpy(given, bias, j->lanes * sizeof *given);
    if (s->d->warm || s->d->paired)
        TRY(joint_dual_sums(s->w, j, s->alpha));
    else
        memset(s->w, 0, j->size * sizeof *s->w);
    for (size_t k = 0; k < joint_penalised(j); k++) s->w[k] /= o->l2;
    for (size_t k = 0; k < j->lanes && o->bias == BIAS_FREE; k++) {
        s->anchor[k] = given[k] - bias[k] / s->stiff;
        bias[k] = given[k];
    }
    return SEPAL_OK;
}

/* Singles for sparse rows, whose weights have to come from far; where their squares keep far from their limits. */
static sepal_status joint_dcd_take_singles(struct joint_dcd *s) {
    static const double largest = 1e15;
    enum { VECTOR = 8 };
    const struct objective *o = s->o;
    double most = 0, mean = 0, total = objective_total_weight(o);
    for (size_t i = 0; i < o->n; i++) {
        most = fmax(most, s->curvature[i]);
        mean += s->curvature[i] * (o->l2 / total);
    }
    s->then = INFINITY;
    if (!o->rows.sparse || !(most < largest && mean < largest && mean > 1 / largest))
        return SEPAL_OK;
    s->half = (s->j->lanes + VECTOR - 1) / VECTOR * VECTOR;
    s->single = mem_lines(&s->block, o->ctx, o->cols, s->half * sizeof *s->single);
    return s->single ? joint_dcd_keep_singles(s) : SEPAL_EMEMORY;
}

static sepal_status joint_dcd_start(struct joint_dcd *s) {
    for (size_t g = 0; g < s->groups; g++) s->order[g] = (uint32_t)g;
    s->best = INFINITY;
    s->ratio = NAN;
    s->gap = 1;
    TRY(joint_curvatures(s->curvature, s->j));
    TRY(joint_dcd_take_singles(s));
    joint_dcd_set_stiffness(s);
    TRY(joint_dcd_set_variables(s));
    for (size_t i = 0; s->entropy && i < s->o->n; i++)
        s->j->loss->neg_conjugate(s->o->ctx->kernels, 1, s->j->classes, s->j->lanes,
                                  s->alpha + i * s->j->lanes, s->o->label + i, s->entropy + i);
    joint_dcd_unshrink(s);
    TRY(joint_dcd_set_weights(s));
    if (s->single) joint_dcd_round(s);
    return SEPAL_OK;
}

static sepal_status joint_dcd_allocate(struct joint_dcd *s, struct arena *arena) {
    const struct joint *j = s->j;
    sepal_ctx *ctx = j->o->ctx;
    s->groups = (j->o->n + JOINT_DCD_GROUP - 1) / JOINT_DCD_GROUP;
    s->order = arena_alloc(ctx, arena, s->groups, sizeof *s->order);
    s->shrunk = arena_alloc(ctx, arena, j->o->n, sizeof *s->shrunk);
    if (!s->order || !s->shrunk) return SEPAL_EMEMORY;
    TRY(ARENA_VECTORS(ctx, arena, j->o->n, &s->curvature));
    TRY(ARENA_VECTORS(ctx, arena, j->lanes, &s->anchor));
    TRY(ARENA_VECTORS(ctx, arena, 6 * j->lanes, &s->scratch));
    if (j->loss->smooth) TRY(ARENA_VECTORS(ctx, arena, j->o->n, &s->entropy));
    TRY(ARENA_VECTORS(ctx, arena, j->cells, &s->score));
    s->row = arena_alloc(ctx, arena, j->o->cols + 2 * j->lanes, sizeof *s->row);
    if (!s->row) return SEPAL_EMEMORY;
    TRY(ARENA_VECTORS(ctx, arena, j->o->cols + 2 * j->lanes + j->size, &s->room));
    return s->d->warm ? ARENA_VECTORS(ctx, arena, j->size, &s->kept) : SEPAL_OK;
}

sepal_status joint_dcd_descend(struct solver *d, size_t most, size_t halving) {
    struct joint_dcd s = {.d = d, .j = d->joint, .o = d->joint->o, .w = d->u, .alpha = d->alpha};
    s.step = s.j->loss->smooth ? softmax_step : crammer_step;
    struct arena arena = {0};
    sepal_status status = joint_dcd_allocate(&s, &arena);
    if (status == SEPAL_OK) status = joint_dcd_start(&s);
    d->paired = status == SEPAL_OK;
    if (status == SEPAL_OK) status = joint_dcd_run(&s, most, halving);
    if (status == SEPAL_OK && s.kept && s.best < s.primal)
        memcpy(d->u, s.kept, d->joint->size * sizeof *d->u);
    arena_clear(&arena);
    mem_free(s.block);
    mem_free(s.value);
    mem_free(s.first);
    return status;
}

static sepal_status solve_joint_dual(struct solver *d) {
    size_t most = d->max_iter ? d->max_iter : d->iterations + joint_dcd_epochs_most(d->joint);
    return joint_dcd_descend(d, most, 0);
}

/* ---- its row -------------------------------------------------------------------------------- */

static const char *joint_dual_refuses(const struct joint *j) {
    if (!j->loss->convex) return "the loss is not convex";
    if (j->o->l1 > 0 || !(j->o->l2 > 0)) return "it is for an L2 penalty";
    return j->o->rows.sparse && j->o->centre ? "it cannot centre sparse rows" : NULL;
}

/* Nanoseconds, measured on 20news, dna, and generated text and categories, C from 0.01 to 10,000: an epoch waits for
   one row after the other, a step of lbfgs takes all at once but goes over 14 pairs of points. Of the numbers of
   both the formulas are right to a factor of two. Where columns are few lbfgs has factors of the Hessian. */
static double joint_dual_cost(const struct joint *j, const struct convex_shape *shape) {
    enum { FEW = 2048 };
    double digits = -log10(shape->tol), lanes = (double)j->lanes,
           entries = joint_entries(j) * lanes;
    double n = (double)j->o->n, points = shape->width * lanes;
    if (!j->loss->smooth) return entries * digits;
    if (!j->o->rows.sparse) return INFINITY;
    double epoch = n * (230 + 6 * lanes) + 0.12 * entries;
    double step = 5 * n * lanes + 0.4 * entries + 10 * points;
    double epochs = sqrt(1 + shape->curvature) * pow(4.0 / 3, digits);
    double steps = (4 + 2 * digits) * pow(1 + shape->curvature, shape->width <= FEW ? 0.1 : 0.3);
    return joint_solver_lbfgs.cost(j, shape) * (epochs * epoch) / (steps * step);
}

const struct joint_solver_row joint_solver_dual = {
    .name = {.name = "dual", .summary = "dual coordinate descent, a row's variables at a time"},
    .suits = "sparse rows",
    .solve = solve_joint_dual,
    .refuses = joint_dual_refuses,
    .cost = joint_dual_cost,
    .then = &joint_solver_lbfgs,
    .limit = 100,
};
