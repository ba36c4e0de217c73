/* Rows are read for their scores and losses, and for the sums V of c_i (e_y - a_i) (x_i - c, 1)'. By
   Fenchel's inequality no point has an objective below

       D(a) = sum of c_i neg_conjugate(a_i) - sum of max(0, |V| - l1)^2 / 2 l2

   for dual variables a_i in the simplex, and with a free bias in balance: sums of c_i (e_y - a_i) of 0. Every
   number has a bound of what rounding may have done to it, beside it. */
#include "joint/joint_certify.h"

#include "core/alloc.h"
#include "joint/joint_certify_parts.h"
#include "objective/rounding.h"

/* ---- the point ---------------------------------------------------------------------------------- */

/* What every row's scores have beside the products with its numbers. */
static void proof_shift(struct joint_proving *p) {
    const struct joint *j = p->j;
    const struct objective *o = j->o;
    for (size_t c = 0; c < o->cols; c++) {
        p->largest[c] = 0;
        for (size_t l = 0; l < j->lanes; l++) {
            double w = fabs(p->u[c * j->lanes + l]);
            p->largest[c] = w > p->largest[c] ? w : p->largest[c];
        }
    }
    p->shift_size = 0;
    for (size_t l = 0; l < j->lanes; l++) {
        p->shift[l] = o->bias == BIAS_NONE ? 0 : p->u[o->cols * j->lanes + l];
        p->shift_size = fmax(p->shift_size, fabs(p->shift[l]));
    }
    if (!(o->rows.sparse && o->centre)) return;
    double size = p->shift_size;
    for (size_t c = 0; c < o->cols; c++) {
        size += fabs(o->centre[c]) * p->largest[c];
        for (size_t l = 0; l < j->lanes; l++) p->shift[l] -= o->centre[c] * p->u[c * j->lanes + l];
    }
    p->shift_size = size;
    p->shift_error = rounding_of((double)o->cols + 4, size);
}

static void proof_primal(struct estimate *out, const struct joint_proving *p) {
    const struct objective *o = p->j->o;
    struct total loss = {0}, penalty = {0};
    double error = 0;
    for (size_t slab = 0; slab < o->slabs; slab++) {
        total_add(&loss, p->loss[slab].sum);
        total_add(&loss, p->loss[slab].rest);
        error += p->loss_error[slab];
    }
    for (size_t k = 0; k < joint_penalised(p->j); k++)
        total_add(&penalty, o->l1 * fabs(p->u[k]) + 0.5 * o->l2 * p->u[k] * p->u[k]);
    out->primal = total_of(&loss) + total_of(&penalty);
    out->primal_error = ROUNDING_MORE * (error + ROUNDING_OF_TERM * total_of(&penalty)) +
                        rounding_of(4, out->primal);
}

/* ---- a dual point --------------------------------------------------------------------------------- */

/* Sums of c_i a_ik, and of c_i (e_y - a_i)_k: `has` and `missing`, K numbers each. */
static sepal_status proof_sides(const struct joint_proving *p, double *has, double *missing) {
    const struct joint *j = p->j;
    const struct objective *o = j->o;
    struct total *total = mem_zero(o->ctx, 2 * j->classes, sizeof *total);
    if (!total) return SEPAL_EMEMORY;
    for (size_t i = 0; i < o->n; i++) {
        const double *a = p->a + i * j->lanes;
        size_t own = (size_t)o->label[i];
        double others = 0;
        for (size_t k = 0; k < j->classes; k++) others += k == own ? 0 : a[k];
        for (size_t k = 0; k < j->classes; k++) {
            total_add(&total[k], o->row_weight[i] * a[k]);
            total_add(&total[j->classes + k], o->row_weight[i] * (k == own ? others : -a[k]));
        }
    }
    for (size_t k = 0; k < j->classes; k++) {
        has[k] = total_of(&total[k]);
        missing[k] = total_of(&total[j->classes + k]);
    }
    mem_free(total);
    return SEPAL_OK;
}

/* Every row gives the surplus of the classes that have too much to those that have too little, in
   proportion. */
static void proof_move(const struct joint_proving *p, const double *has, const double *missing) {
    const struct joint *j = p->j;
    double all = 0;
    for (size_t k = 0; k < j->classes; k++) all += fmax(0, missing[k]);
    for (size_t i = 0; all > 0 && i < j->o->n; i++) {
        double *a = p->a + i * j->lanes, moved = 0;
        for (size_t k = 0; k < j->classes; k++) {
            double part = missing[k] < 0 ? a[k] * fmin(1, -missing[k] / has[k]) : 0;
            a[k] -= part;
            moved += part;
        }
        for (size_t k = 0; k < j->classes; k++)
            if (missing[k] > 0) a[k] += moved * (missing[k] / all);
    }
}

/* Balanced up to rounding; what is left could be moved in the same way, which takes at most the part
   `imbalance` off each row's variables. */
static sepal_status proof_balance(struct joint_proving *p) {
    enum { ROUNDS = 2 };
    const struct joint *j = p->j;
    double *has = mem_alloc(j->o->ctx, 2 * j->classes, sizeof *has);
    if (!has) return SEPAL_EMEMORY;
    double *missing = has + j->classes, total = objective_total_weight(j->o);
    sepal_status status = SEPAL_OK;
    for (int round = 0; round <= ROUNDS && status == SEPAL_OK; round++) {
        status = proof_sides(p, has, missing);
        if (status == SEPAL_OK && round < ROUNDS) proof_move(p, has, missing);
    }
    p->imbalance = 0;
    for (size_t k = 0; k < j->classes && status == SEPAL_OK; k++) {
        double left = fabs(missing[k]) + rounding_of(8 + (double)j->classes, total);
        p->imbalance = fmax(p->imbalance, has[k] > 0 ? left / has[k] : INFINITY);
    }
    mem_free(has);
    return status;
}

/* ---- the sums ------------------------------------------------------------------------------------- */

static size_t proof_rows_most(const struct objective *o) {
    size_t most = 0;
    for (size_t slab = 0; slab < o->slabs; slab++)
        if (o->slab_first[slab + 1] - o->slab_first[slab] > most)
            most = o->slab_first[slab + 1] - o->slab_first[slab];
    return most;
}

/* Of all slabs; the sparse rows' centre; and `reach` becomes what V may be off by. */
static void proof_join(struct joint_proving *p) {
    const struct joint *j = p->j;
    const struct objective *o = j->o;
    size_t columns = o->cols + 1;
    double roundings = (double)(proof_rows_most(o) + o->slabs + 8) * ROUNDING;
    double others = ROUNDING * (double)(j->classes + 5) + p->imbalance;
    for (size_t slab = 1; slab < o->slabs; slab++) {
        for (size_t k = 0; k < p->sums; k++) p->v[k] += p->v[slab * p->sums + k];
        for (size_t c = 0; c < columns; c++) {
            p->reach[c] += p->reach[slab * columns + c];
            p->all[c] += p->all[slab * columns + c];
        }
    }
    const double *biases = p->v + o->cols * j->lanes;
    for (size_t c = 0; c < o->cols && o->rows.sparse && o->centre; c++) {
        for (size_t l = 0; l < j->lanes; l++) p->v[c * j->lanes + l] -= o->centre[c] * biases[l];
        p->reach[c] += fabs(o->centre[c]) * p->reach[o->cols];
        p->all[c] += fabs(o->centre[c]) * p->all[o->cols];
    }
    for (size_t c = 0; c < columns; c++)
        p->reach[c] =
            ROUNDING_MORE * ROUNDING_MORE * (roundings * p->reach[c] + others * p->all[c]) +
            DBL_MIN;
}

/* ---- the bound -------------------------------------------------------------------------------------- */

/* The largest |V| that there may be under the L1 penalty. */
static double proof_largest(const struct joint_proving *p) {
    double most = 0;
    for (size_t k = 0; k < joint_penalised(p->j); k++) {
        double v = fabs(p->v[k]) + p->reach[k / p->j->lanes];
        if (!(v <= most)) most = v; /* and what is no number */
    }
    return most;
}

/* What the penalty takes off, and how much more it may be. */
static double proof_penalty(const struct joint_proving *p, double *error) {
    const struct joint *j = p->j;
    struct total sum = {0}, errors = {0};
    for (size_t k = 0; k < joint_penalised(j); k++) {
        double v = fabs(p->v[k]), over = fmax(0, v - j->o->l1);
        double most = fmax(0, v - j->o->l1 + p->reach[k / j->lanes] + rounding_of(2, v));
        total_add(&sum, 0.5 * over * over);
        total_add(&errors, 0.5 * (most - over) * (most + over) + rounding_of(8, over * over));
    }
    *error =
        ROUNDING_MORE * total_of(&errors) / j->o->l2 + rounding_of(4, total_of(&sum) / j->o->l2);
    return total_of(&sum) / j->o->l2;
}

static sepal_status proof_dual(struct estimate *out, struct joint_proving *p) {
    const struct objective *o = p->j->o;
    struct total sum = {0};
    double error = 0;
    if (o->l2 == 0) {
        double most = proof_largest(p);
        if (!(most <= o->l1)) p->shrink = o->l1 / most * (1 - 4 * DBL_EPSILON);
        if (!(p->shrink >= 0)) p->shrink = 0;
    }
    if (p->a) TRY(proof_conjugates(p));
    for (size_t slab = 0; slab < o->slabs; slab++) {
        total_add(&sum, p->conjugate[slab].sum);
        total_add(&sum, p->conjugate[slab].rest);
        error += p->conjugate_error[slab];
    }
    out->bounded = true;
    out->dual = total_of(&sum);
    out->dual_error = ROUNDING_MORE * error + rounding_of(4, fabs(out->dual));
    if (o->l2 == 0) return SEPAL_OK;
    double penalty_error, penalty = proof_penalty(p, &penalty_error);
    out->dual -= penalty;
    out->dual_error += penalty_error;
    return SEPAL_OK;
}

/* ---- together --------------------------------------------------------------------------------------- */

/* The largest entry of the gradient; under an L1 penalty, of the smallest subgradient. */
static double proof_slope(const struct joint_proving *p) {
    const struct objective *o = p->j->o;
    double most = 0;
    for (size_t k = 0; k < p->j->size; k++) {
        double v = p->v[k], u = p->u[k];
        if (k < joint_penalised(p->j)) {
            v -= o->l2 * u;
            v = u == 0 ? fmax(0, fabs(v) - o->l1) : v - copysign(o->l1, u);
        }
        if (!(fabs(v) <= most)) most = fabs(v);
    }
    return most;
}

static sepal_status joint_prove(struct proof *out, struct joint_proving *p) {
    const struct joint *j = p->j;
    const struct objective *o = j->o;
    struct estimate estimate = {0};
    proof_shift(p);
    TRY(proof_rows(p));
    proof_primal(&estimate, p);
    out->norm = sqrt(o->ctx->kernels->dot_f64(p->u, p->u, o->cols * j->lanes));
    out->inside = 0;
    for (size_t slab = 0; slab < o->slabs; slab++) out->inside += p->inside[slab];
    out->slope = NAN;
    if (o->bias == BIAS_FREE && p->dual) TRY(proof_balance(p));
    if (p->a) TRY(proof_add_rows(p));
    proof_join(p);
    if (p->dual)
        TRY(proof_dual(&estimate, p));
    else
        out->slope = proof_slope(p);
    return proof_conclude(out, o->ctx, &estimate);
}

sepal_status joint_certify(struct proof *out, const struct joint *j, const double *u,
                           const double *alpha, int32_t *decided) {
    const struct objective *o = j->o;
    sepal_ctx *ctx = o->ctx;
    struct arena arena = {0};
    struct joint_proving p = {.j = j, .u = u, .alpha = alpha, .decided = decided, .shrink = 1};
    p.sums = (o->cols + 1) * j->lanes;
    p.dual = j->loss->convex && (o->l1 > 0 || o->l2 > 0);
    bool waits = p.dual && (o->bias == BIAS_FREE || o->l2 == 0);
    p.largest = arena_alloc(ctx, &arena, o->cols + j->lanes, sizeof *p.largest);
    p.v = arena_zero(ctx, &arena, o->slabs * p.sums, sizeof *p.v);
    p.reach = arena_zero(ctx, &arena, 2 * o->slabs * (o->cols + 1), sizeof *p.reach);
    if (waits) p.a = arena_alloc(ctx, &arena, j->cells, sizeof *p.a);
    bool ok = p.largest && p.v && p.reach && (p.a || !waits);
    if (ok) {
        p.shift = p.largest + o->cols;
        p.all = p.reach + o->slabs * (o->cols + 1);
    }
    sepal_status status = ok ? joint_prove(out, &p) : SEPAL_EMEMORY;
    arena_clear(&arena);
    return status;
}
