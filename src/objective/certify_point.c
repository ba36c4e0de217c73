/* Margins and P at a point, by plain code. Every margin comes with a bound of its rounding error: the
   magnitudes of what is added to it are added beside it. */
#include "core/alloc.h"
#include "objective/certify_parts.h"

/* ---- rows -------------------------------------------------------------------------------------- */

size_t proving_panel(const double **x, const struct proving *all, const struct block *block,
                     size_t i, double *scratch) {
    size_t n = block->rows - i < PANEL ? block->rows - i : PANEL;
    block_panel(x, all->o->ctx->kernels, block, i, n, all->o->cols, all->o->centre, scratch);
    return n;
}

/* ---- margins ------------------------------------------------------------------------------ */

struct point_scoring {
    const struct proving *all;
    double shift, shift_error; /* of all scores */
};

static size_t longest_row(const struct block *block) {
    size_t longest = 0;
    for (size_t i = 0; i < block->rows; i++) {
        size_t n = block->start[i + 1] - block->start[i];
        if (n > longest) longest = n;
    }
    return longest;
}

/* The sum of |x_j u_j|, some sums side by side: the additions of one wait for each other. */
static double point_reach_of_row(const struct block *block, size_t i, size_t cols, const double *u,
                                 double *scratch) {
    enum { LANES = 8 };
    const double *x;
    const uint32_t *index;
    size_t n = row_doubles(&x, &index, block, i, cols, NULL, scratch);
    double lane[LANES] = {0}, sum = 0;
    size_t k = 0;
    for (; n - k >= LANES; k += LANES)
        for (size_t l = 0; l < LANES; l++) lane[l] += fabs(x[k + l] * u[index[k + l]]);
    for (; k < n; k++) sum += fabs(x[k] * u[index[k]]);
    for (size_t l = 0; l < LANES; l++) sum += lane[l];
    return sum;
}

/* Where squares leave the range of a double the norm is not known: infinite. */
static double point_norm(double square, bool empty) {
    static const double least = 1e-250, most = 1e250;
    return empty || (square >= least && square <= most) ? sqrt(square) : INFINITY;
}

/* How often a term of a dot product is rounded: as a difference and products, and in sums; kernels have
   KERNEL_LANES of these, which are then added in pairs. */
static double point_roundings(size_t n) {
    size_t lanes = n / KERNEL_LANES + 6;
    return (double)((n < lanes ? n : lanes) + 3);
}

/* From a row's score, a sum of n products whose magnitudes add up to `magnitude`. */
static void keep_margin(const struct point_scoring *scoring, size_t row, double score,
                        double magnitude, size_t n) {
    const struct proving *all = scoring->all;
    all->m[row] = (score + scoring->shift) * objective_side(all->o, row);
    all->off[row] = rounding_of(point_roundings(n), magnitude) + rounding_of(1, fabs(all->m[row])) +
                    scoring->shift_error;
}

static void sparse_margins(const struct point_scoring *scoring, const struct block *block,
                           double *scratch) {
    const struct proving *all = scoring->all;
    const struct objective *o = all->o;
    for (size_t i = 0; i < block->rows; i++) {
        size_t row = block->first_row + i, n = block->start[i + 1] - block->start[i];
        double score = row_dot(o->ctx->kernels, block, i, o->cols, all->u), magnitude;
        if (all->by_norms) {
            all->norm[row] = point_norm(o->squares[row], n == 0);
            magnitude = all->norm[row] * sqrt(all->u_square + (double)o->cols * DBL_MIN);
        } else {
            magnitude = point_reach_of_row(block, i, o->cols, all->u, scratch);
        }
        keep_margin(scoring, row, score, magnitude, n);
    }
}

void proving_dense_margins(const struct proving *all, size_t row, const double *const *x,
                           size_t n) {
    const struct objective *o = all->o;
    const struct point_scoring scoring = {.all = all, .shift = objective_bias(o, all->u)};
    double score[PANEL], magnitude[PANEL];
    o->ctx->kernels->dot_rows(score, x, n, all->u, o->cols);
    o->ctx->kernels->magnitude_rows(magnitude, x, n, all->u, o->cols);
    for (size_t k = 0; k < n; k++) keep_margin(&scoring, row + k, score[k], magnitude[k], o->cols);
}

static void dense_margins(const struct proving *all, const struct block *block, double *scratch) {
    const double *x[PANEL];
    for (size_t i = 0, n; i < block->rows; i += n) {
        n = proving_panel(x, all, block, i, scratch);
        proving_dense_margins(all, block->first_row + i, x, n);
    }
}

static sepal_status margins_of_block(sepal_ctx *ctx, size_t b, void *payload) {
    const struct point_scoring *scoring = payload;
    const struct objective *o = scoring->all->o;
    const struct block *block = &o->rows.blocks[b];
    double *scratch = block->sparse ? mem_alloc(ctx, longest_row(block), sizeof *scratch)
                                    : mem_alloc(ctx, o->cols, PANEL * sizeof *scratch);
    if (!scratch) return SEPAL_EMEMORY;
    if (block->sparse)
        sparse_margins(scoring, block, scratch);
    else
        dense_margins(scoring->all, block, scratch);
    mem_free(scratch);
    return SEPAL_OK;
}

sepal_status proving_margins(struct proving *all) {
    const struct objective *o = all->o;
    struct point_scoring scoring = {.all = all, .shift = objective_bias(o, all->u)};
    if (o->centre && o->rows.sparse) {
        double magnitude;
        o->ctx->kernels->magnitude_rows(&magnitude, &o->centre, 1, all->u, o->cols);
        magnitude += fabs(scoring.shift);
        scoring.shift -= o->ctx->kernels->dot_f64(o->centre, all->u, o->cols);
        scoring.shift_error = rounding_of(point_roundings(o->cols), magnitude);
    }
    return run_tasks(o, o->rows.n_blocks, margins_of_block, &scoring);
}

/* ---- P ------------------------------------------------------------------------------------ */

static struct partial losses(const struct proving *all, size_t from, size_t to) {
    const struct objective *o = all->o;
    struct partial part = {0};
    double error = 0;
    const struct kernels *kernels = o->ctx->kernels;
    double value[SOME], near[SOME], alpha[SOME], off_by[SOME], weighted[SOME];
    for (size_t i = from, n; i < to; i += n) {
        n = to - i < SOME ? to - i : SOME;
        for (size_t k = 0; k < n; k++) near[k] = all->m[i + k] - all->off[i + k];
        /* those of the logistic loss cost most, and its slopes change by so little that those at the
           margins will do */
        bool costly = o->loss == &loss_logistic;
        o->loss->at(kernels, n, all->m + i, value, costly ? alpha : NULL, NULL);
        if (!costly) o->loss->at(kernels, n, near, NULL, alpha, NULL);
        double steeper = costly ? ROUNDING_MORE * o->loss->smoothness : 0;
        for (size_t k = 0; k < n; k++) {
            double off = all->off[i + k], slope = steepest_near(o->loss, alpha[k], off);
            off_by[k] = (slope + steeper * off) * off + ROUNDING_OF_TERM * value[k];
        }
        error += kernels->dot_f64(o->row_weight + i, off_by, n);
        kernels->times(weighted, o->row_weight + i, value, n);
        total_add_all(&part.sum, weighted, n);
    }
    part.error = error;
    return part;
}

/* l1 |x| + l2/2 x^2 of some numbers. */
static struct partial penalties(const struct proving *all, size_t from, size_t to) {
    double l1 = all->o->l1, half = 0.5 * all->o->l2, term[SOME];
    struct total total = {0};
    for (size_t j = from, n; j < to; j += n) {
        const double *x = all->u + j;
        n = to - j < SOME ? to - j : SOME;
        for (size_t k = 0; k < n; k++) term[k] = fabs(x[k]) * l1 + half * x[k] * x[k];
        total_add_all(&total, term, n);
    }
    return (struct partial){total, ROUNDING_OF_TERM * total_of(&total)};
}

/* Half the squares of some numbers; kernels have KERNEL_LANES sums. */
struct partial proving_squares(const struct proving *all, const double *x, size_t from, size_t to) {
    struct total total = {0};
    for (size_t j = from, n; j < to; j += n) {
        n = to - j < SOME ? to - j : SOME;
        total_add(&total, 0.5 * all->o->ctx->kernels->dot_f64(x + j, x + j, n));
    }
    return (struct partial){total, (point_roundings(SOME) + 4) * ROUNDING * total_of(&total) +
                                       (double)(to - from) * DBL_MIN};
}

static struct partial penalty_alone(const struct proving *all, size_t from, size_t to) {
    struct partial part = proving_squares(all, all->u, from, to);
    double l2 = all->o->l2;
    return (struct partial){{l2 * part.sum.sum, l2 * part.sum.rest}, l2 * part.error};
}

sepal_status proving_primal(struct estimate *out, const struct proving *all) {
    double loss, penalty, error[2];
    TRY(sum_stripes(&loss, &error[0], all, all->o->n, losses));
    TRY(sum_stripes(&penalty, &error[1], all, all->o->penalised,
                    all->by_norms ? penalty_alone : penalties));
    out->primal = loss + penalty;
    out->primal_error = ROUNDING_MORE * (error[0] + error[1]) + 4 * ROUNDING * out->primal;
    return SEPAL_OK;
}
