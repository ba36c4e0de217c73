/* Margins and P at a point, by plain code. Every margin comes with a bound of its rounding error: the
   magnitudes of what is added to it are added beside it. */
#include "core/alloc.h"
#include "objective/proving.h"

/* ---- margins ------------------------------------------------------------------------------ */

struct scoring {
    const struct proving *all;
    double shift, shift_error; /* of all scores */
};

static size_t longest_row(const struct block *block, size_t cols) {
    size_t longest = 0;
    if (!block->sparse) return cols;
    for (size_t i = 0; i < block->rows; i++) {
        size_t n = block->start[i + 1] - block->start[i];
        if (n > longest) longest = n;
    }
    return longest;
}

/* The sum of |x_j u_j|, some sums side by side: the additions of one wait for each other. */
static double reach_of_row(const double *x, const uint32_t *index, size_t n, const double *u) {
    enum { LANES = 8 };
    double lane[LANES] = {0}, sum = 0;
    size_t k = 0;
    for (; !index && n - k >= LANES; k += LANES)
        for (size_t l = 0; l < LANES; l++) lane[l] += fabs(x[k + l] * u[k + l]);
    for (; index && n - k >= LANES; k += LANES)
        for (size_t l = 0; l < LANES; l++) lane[l] += fabs(x[k + l] * u[index[k + l]]);
    for (; k < n; k++) sum += fabs(x[k] * u[index ? index[k] : k]);
    for (size_t l = 0; l < LANES; l++) sum += lane[l];
    return sum;
}

/* How often a term of a dot product is rounded: as a difference and products, and in sums; kernels have
   KERNEL_LANES of these, which are then added in pairs. */
static double roundings(size_t n) {
    size_t lanes = n / KERNEL_LANES + 6;
    return (double)((n < lanes ? n : lanes) + 3);
}

static sepal_status margins_of_block(sepal_ctx *ctx, size_t b, void *payload) {
    const struct scoring *scoring = payload;
    const struct proving *all = scoring->all;
    const struct objective *o = all->o;
    const struct block *block = &o->rows.blocks[b];
    double *room = mem_alloc(ctx, longest_row(block, o->cols), sizeof *room);
    if (!room) return SEPAL_EMEMORY;
    for (size_t i = 0; i < block->rows; i++) {
        const double *x;
        const uint32_t *index;
        size_t row = block->first_row + i;
        size_t n = row_doubles(&x, &index, block, i, o->cols, o->centre, room);
        double score = o->centre && !block->sparse
                           ? row_dot_centred(ctx->kernels, block, i, o->cols, o->centre, all->u)
                           : row_dot(ctx->kernels, block, i, o->cols, all->u);
        all->m[row] = (score + scoring->shift) * objective_side(o, row);
        all->a[row] = rounding_of(roundings(n), reach_of_row(x, index, n, all->u)) +
                      rounding_of(1, fabs(all->m[row])) + scoring->shift_error;
    }
    mem_free(room);
    return SEPAL_OK;
}

sepal_status proving_margins(struct proving *all) {
    const struct objective *o = all->o;
    struct scoring scoring = {.all = all, .shift = objective_bias(o, all->u)};
    if (o->centre && o->rows.sparse) {
        double reach = fabs(scoring.shift) + reach_of_row(o->centre, NULL, o->cols, all->u);
        scoring.shift -= o->ctx->kernels->dot_f64(o->centre, all->u, o->cols);
        scoring.shift_error = rounding_of(roundings(o->cols), reach);
    }
    return run_tasks(o, o->rows.n_blocks, margins_of_block, &scoring);
}

/* ---- P ------------------------------------------------------------------------------------ */

static struct partial losses(const struct proving *all, size_t from, size_t to) {
    enum { SOME = 256 };
    const struct objective *o = all->o;
    struct partial part = {0};
    double value[SOME], near[SOME], pull[SOME];
    for (size_t i = from, n; i < to; i += n) {
        n = to - i < SOME ? to - i : SOME;
        for (size_t k = 0; k < n; k++) near[k] = all->m[i + k] - all->a[i + k];
        o->loss->at(o->ctx->kernels, n, all->m + i, value, NULL, NULL);
        o->loss->at(o->ctx->kernels, n, near, NULL, pull, NULL);
        for (size_t k = 0; k < n; k++) {
            double off = all->a[i + k], slope = steepest_near(o->loss, pull[k], off);
            total_add(&part.sum, o->share[i + k] * value[k]);
            part.error += o->share[i + k] * (slope * off + ROUNDING_OF_TERM * value[k]);
        }
    }
    return part;
}

/* l1 |x| + l2/2 x^2 of some numbers, some sums side by side. The rests are taken by Knuth's way, which
   asks for no comparison. */
static struct partial penalties(const struct proving *all, size_t from, size_t to) {
    enum { LANES = 4 };
    double l1 = all->o->l1, half = 0.5 * all->o->l2, sum[LANES] = {0}, rest[LANES] = {0};
    const double *x = all->u;
    struct total total = {0};
    size_t j = from;
    for (; to - j >= LANES; j += LANES)
        for (size_t l = 0; l < LANES; l++) {
            double y = fabs(x[j + l]) * l1 + half * x[j + l] * x[j + l];
            double s = sum[l] + y, part = s - sum[l];
            rest[l] += (sum[l] - (s - part)) + (y - part);
            sum[l] = s;
        }
    for (; j < to; j++) total_add(&total, fabs(x[j]) * l1 + half * x[j] * x[j]);
    for (size_t l = 0; l < LANES; l++) {
        total_add(&total, sum[l]);
        total_add(&total, rest[l]);
    }
    return (struct partial){total, ROUNDING_OF_TERM * total_of(&total)};
}

sepal_status proving_primal(struct estimate *out, const struct proving *all) {
    double loss, penalty, error[2];
    TRY(sum_stripes(&loss, &error[0], all, all->o->n, losses));
    TRY(sum_stripes(&penalty, &error[1], all, all->o->penalised, penalties));
    out->primal = loss + penalty;
    out->primal_error = ROUNDING_MORE * (error[0] + error[1]) + 4 * ROUNDING * out->primal;
    return SEPAL_OK;
}
