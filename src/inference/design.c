#include "inference/design.h"

#include "core/alloc.h"
#include "inference/triangle.h"

#include <float.h>
#include <math.h>

/* A column whose part of its own is below this share of it depends on the others: as in glm. */
static const double OWN_SQUARE =
    1e-6; /* of its square, for which Cholesky's method has ten digits */
static const double SHARE = 1e-11, ROUNDING = 64 * DBL_EPSILON;

sepal_status design_room(struct design *d) {
    sepal_ctx *ctx = d->given->ctx;
    struct arena *arena = d->given->arena;
    d->root = arena_zero(ctx, arena, d->n, sizeof *d->root);
    if (!d->root) return SEPAL_EMEMORY;
    TRY(ARENA_VECTORS(ctx, arena, d->p, &d->mean, &d->scale, &d->size, &d->tolerance));
    d->factor = arena_alloc(ctx, arena, d->width, d->width * sizeof *d->factor);
    d->kept = arena_alloc(ctx, arena, d->p, sizeof *d->kept);
    return d->factor && d->kept ? SEPAL_OK : SEPAL_EMEMORY;
}

static size_t design_column(const struct design *d, size_t t) {
    return d->given->terms->list[t].column;
}

sepal_status design_means(struct design *d) {
    const struct matrix *x = &d->given->data->matrix;
    double *row = mem_alloc(d->given->ctx, x->cols, 2 * sizeof *row), *first = row + x->cols;
    if (!row) return SEPAL_EMEMORY;
    double total = 0;
    struct block_iterator blocks = {.matrix = x};
    for (const struct block *block; (block = block_next(&blocks));)
        for (size_t i = 0; i < block->rows; i++) {
            size_t at = block->first_row + i;
            double v = d->root[at] * d->root[at];
            block_dense(block, i, 1, x->cols, NULL, NULL, at ? row : first, x->cols);
            total += v;
            for (size_t t = d->given->terms->intercept; at && t < d->p; t++)
                d->mean[t] += v * (row[design_column(d, t)] - first[design_column(d, t)]);
        }
    for (size_t t = 1; d->given->terms->intercept && t < d->p; t++)
        d->mean[t] = first[design_column(d, t)] + (total > 0 ? d->mean[t] / total : 0);
    for (size_t t = 0; !d->given->terms->intercept && t < d->p; t++) d->mean[t] = 0;
    mem_free(row);
    return SEPAL_OK;
}

sepal_status design_scales(struct design *d) {
    const struct matrix *x = &d->given->data->matrix;
    double *row = mem_alloc(d->given->ctx, x->cols, sizeof *row);
    if (!row) return SEPAL_EMEMORY;
    size_t first = d->given->terms->intercept;
    struct block_iterator blocks = {.matrix = x};
    for (const struct block *block; (block = block_next(&blocks));)
        for (size_t i = 0; i < block->rows; i++) {
            block_dense(block, i, 1, x->cols, NULL, NULL, row, x->cols);
            for (size_t t = first; t < d->p; t++) {
                double value = row[design_column(d, t)];
                d->scale[t] = fmax(d->scale[t], fabs(value - d->mean[t]));
                d->size[t] = fmax(d->size[t], fabs(value));
            }
        }
    mem_free(row);
    for (size_t t = first; t < d->p; t++) {
        double shift, divisor;
        int exponent = 0;
        map_chain_fold(d->given->chain, design_column(d, t), &shift, &divisor);
        (void)frexp(d->scale[t], &exponent);
        d->scale[t] = d->scale[t] > 0 ? ldexp(1, -exponent) : 1;
        d->size[t] = (d->size[t] + fabs(shift / divisor)) * d->scale[t];
    }
    return SEPAL_OK;
}

void design_code(double *out, const struct design *d, const double *x) {
    size_t t = 0;
    if (d->given->terms->intercept) out[t++] = 1;
    for (; t < d->p; t++) out[t] = (x[design_column(d, t)] - d->mean[t]) * d->scale[t];
}

void design_row(double *out, const struct design *d, size_t at, size_t room) {
    const struct matrix *x = &d->given->data->matrix;
    size_t i;
    const struct block *block = matrix_block_of(x, at, &i);
    double *row = out + (room - x->cols);
    block_dense(block, i, 1, x->cols, NULL, NULL, row, x->cols);
    design_code(out, d, row);
}

/* ---- its factor --------------------------------------------------------------------------- */

/* Of a term's column, in the factor: its length without the part along the ones. */
static double design_own_length(const struct design *d, size_t t) {
    double sum = 0;
    for (size_t i = d->given->terms->intercept; i <= t; i++) {
        double part = d->factor[i * d->width + t];
        sum += part * part;
    }
    return sqrt(sum);
}

static double design_rounding(const struct design *d, size_t t, double total) {
    return ROUNDING * d->size[t] * sqrt(total);
}

static void design_tolerances(struct design *d, enum alias *alias) {
    double total = 0;
    for (size_t i = 0; i < d->n; i++) total += d->root[i] * d->root[i];
    for (size_t t = 0; t < d->p; t++) {
        bool ones = t == 0 && d->given->terms->intercept;
        double own = ones ? 0 : design_own_length(d, t),
               rounding = ones ? 0 : design_rounding(d, t, total);
        d->tolerance[t] = SHARE * own + rounding;
        alias[t] = ones || own > rounding ? ALIAS_DEPENDENT : ALIAS_CONSTANT;
    }
}

sepal_status design_factor(struct design *d, const struct tall *tall, enum alias *alias) {
    if (!d->by_rows) {
        TRY(tall_gram(d->factor, d->given->ctx, tall));
        d->by_rows = !triangle_of_gram(d->factor, d->width, d->p, OWN_SQUARE);
    }
    if (d->by_rows) TRY(tsqr(d->factor, d->given->ctx, tall));
    design_tolerances(d, alias);
    d->m = triangle_keep(d->factor, d->width, d->p, d->tolerance, d->kept);
    for (size_t k = 0; k < d->m; k++) alias[d->kept[k]] = ALIAS_NONE;
    return SEPAL_OK;
}

double design_unit(const struct design *d, size_t t, double *centre) {
    double shift = 0, divisor = 1;
    *centre = 0;
    if (t == 0 && d->given->terms->intercept) return 1;
    map_chain_fold(d->given->chain, design_column(d, t), &shift, &divisor);
    *centre = shift + divisor * d->mean[t];
    return d->scale[t] / divisor;
}

double design_at_zero(const struct design *d, size_t k) {
    size_t t = d->kept[k];
    double centre, unit = design_unit(d, t, &centre);
    return t == 0 && d->given->terms->intercept ? 1 : -unit * centre;
}

/* ---- steps -------------------------------------------------------------------------------- */

/* How far a step moves a score at most, as a share of the largest: from EXACT on it is rounding, and a step
   that gains nothing is near enough at NEAR. On the way to infinity each step moves some score by
   about 1, however little the likelihood gains. */
static const double EXACT = 1e-12, NEAR = 1e-7, MOVING = 0.1;

void newton_steps_measure(struct newton_steps *steps, const double *score, const double *before,
                          size_t n) {
    steps->moved = steps->largest = 0;
    for (size_t i = 0; i < n; i++) {
        steps->moved = fmax(steps->moved, fabs(score[i] - before[i]));
        steps->largest = fmax(steps->largest, fabs(score[i]));
    }
}

bool newton_steps_end(struct newton_steps *steps) {
    double unit = 1 + steps->largest;
    bool stalls = !(steps->moved < steps->before);
    steps->converged = steps->moved <= EXACT * unit || (stalls && steps->moved <= NEAR * unit);
    steps->before = steps->moved;
    return stalls || steps->converged;
}

bool newton_steps_grow(const struct newton_steps *steps) {
    return steps->moved > MOVING;
}

/* ---- what comes of them ------------------------------------------------------------------- */

double wald_entropy(double count, double total) {
    return count > 0 ? count * log(count / total) : 0;
}

bool wald_is_finite(const struct summary *summary) {
    bool finite = isfinite(summary->deviance) && isfinite(summary->null_deviance);
    for (size_t c = 0; c < summary->functions * summary->terms; c++) {
        bool aliased = summary->alias[c % summary->terms] != ALIAS_NONE;
        finite = finite && isfinite(summary->estimate[c]) && isfinite(summary->error[c]) &&
                 (aliased || summary->error[c] > 0);
    }
    return finite;
}
