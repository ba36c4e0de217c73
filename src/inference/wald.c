/* The covariance of maximum-likelihood estimates is the inverse of the Fisher information X'WX,
   W = diag(c p(1-p)) with the rows' weights c (McCullagh and Nelder, "Generalized Linear Models", 2nd
   ed., 4.4). X has a column of ones and the terms' columns, less their means and divided by what they
   spread, so neither large means nor units cost digits. Its factor is found by Cholesky's method of
   X'WX, whose condition is the square of X's, only where each column has a good part of its own, and else
   by QR of the rows of sqrt(W) X, which takes several times as long. With the working response as a
   right-hand side the same factor gives the estimates: an IRLS step is a Newton step. Such steps, from
   the scores of the fit, leave nothing of its tolerance in the table.

   A joint model of K classes has its place here: row i gives K - 1 rows of the tall matrix, G'e_f
   times x_i with G G' = diag(p) - p p' of the classes but the first, and as many right-hand sides. */
#include "inference/wald.h"

#include "core/alloc.h"
#include "core/parallel.h"
#include "dense/tall.h"
#include "inference/triangle.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* How far a step moves a score at most, as a share of the largest: from EXACT on it is rounding, and a step
   that gains nothing is near enough at NEAR. On the way to infinity each step moves some score by
   about 1, however little the likelihood gains. */
static const double EXACT = 1e-12, NEAR = 1e-7, MOVING = 0.1;
/* A column whose part of its own is below this share of it depends on the others: as in glm. */
static const double OWN_SQUARE =
    1e-6; /* of its square, for which Cholesky's method has ten digits */
static const double SHARE = 1e-11, ROUNDING = 64 * DBL_EPSILON;

bool wald_affordable(size_t rows, size_t terms) {
    enum { MOST_TERMS = 1000 };
    static const double most_work = 5e10;
    return terms <= MOST_TERMS && (double)rows * (double)terms * (double)terms <= most_work;
}

struct irls {
    const struct wald *given;
    size_t n, p;                     /* rows, terms */
    double *score, *root, *response; /* of each row: s, sqrt(c v), (y - p) c / root */
    double *mean, *scale, *size;     /* of each term's column: phi is less mean, times scale */
    double *tolerance, *factor;      /* factor: (p + 2)^2 */
    double *solution, *step;         /* of the m terms kept, in kept's order */
    double *coefficient;             /* of each term; 0 of those left out */
    size_t *kept, m;
    bool by_rows;          /* QR of the rows is needed */
    double moved, largest; /* of the scores, by the last step */
};

/* ---- rows --------------------------------------------------------------------------------- */

/* The derivatives of the log-likelihood by the score. */
static void weigh_rows(struct irls *fit) {
    const sepal_data *data = fit->given->data;
    for (size_t i = 0; i < fit->n; i++) {
        double s = fit->score[i], e = exp(-fabs(s)), c = data_weight(data, i);
        double small = e / (1 + e), large = 1 / (1 + e); /* the two probabilities */
        bool second = data->label[i] == 1;
        double residual = second == (s >= 0) ? small : large; /* of the class that it is not */
        fit->root[i] = sqrt(c * small * large);
        fit->response[i] =
            fit->root[i] > 0 ? (second ? residual : -residual) * c / fit->root[i] : 0;
    }
}

static size_t column_of(const struct irls *fit, size_t t) {
    return fit->given->terms->list[t].column;
}

/* Means by the curvatures, which make the columns all but orthogonal to that of ones; differences to
   the first row are summed. */
static sepal_status wald_means(struct irls *fit) {
    const struct matrix *x = &fit->given->data->matrix;
    double *row = mem_alloc(fit->given->ctx, x->cols, 2 * sizeof *row), *first = row + x->cols;
    if (!row) return SEPAL_EMEMORY;
    double total = 0;
    struct block_iterator blocks = {.matrix = x};
    for (const struct block *block; (block = block_next(&blocks));)
        for (size_t i = 0; i < block->rows; i++) {
            size_t at = block->first_row + i;
            double v = fit->root[at] * fit->root[at];
            block_dense(block, i, 1, x->cols, NULL, NULL, at ? row : first, x->cols);
            total += v;
            for (size_t t = fit->given->terms->intercept; at && t < fit->p; t++)
                fit->mean[t] += v * (row[column_of(fit, t)] - first[column_of(fit, t)]);
        }
    for (size_t t = 1; fit->given->terms->intercept && t < fit->p; t++)
        fit->mean[t] = first[column_of(fit, t)] + (total > 0 ? fit->mean[t] / total : 0);
    for (size_t t = 0; !fit->given->terms->intercept && t < fit->p; t++) fit->mean[t] = 0;
    mem_free(row);
    return SEPAL_OK;
}

/* A power of two that brings a column's largest number near 1, and how large its numbers are besides:
   the user's, which have rounding errors by their size. */
static sepal_status wald_scales(struct irls *fit) {
    const struct matrix *x = &fit->given->data->matrix;
    double *row = mem_alloc(fit->given->ctx, x->cols, sizeof *row);
    if (!row) return SEPAL_EMEMORY;
    size_t first = fit->given->terms->intercept;
    struct block_iterator blocks = {.matrix = x};
    for (const struct block *block; (block = block_next(&blocks));)
        for (size_t i = 0; i < block->rows; i++) {
            block_dense(block, i, 1, x->cols, NULL, NULL, row, x->cols);
            for (size_t t = first; t < fit->p; t++) {
                double value = row[column_of(fit, t)];
                fit->scale[t] = fmax(fit->scale[t], fabs(value - fit->mean[t]));
                fit->size[t] = fmax(fit->size[t], fabs(value));
            }
        }
    mem_free(row);
    for (size_t t = first; t < fit->p; t++) {
        double shift, divisor;
        int exponent = 0;
        map_chain_fold(fit->given->chain, column_of(fit, t), &shift, &divisor);
        (void)frexp(fit->scale[t], &exponent);
        fit->scale[t] = fit->scale[t] > 0 ? ldexp(1, -exponent) : 1;
        fit->size[t] = (fit->size[t] + fabs(shift / divisor)) * fit->scale[t];
    }
    return SEPAL_OK;
}

/* The terms' numbers in a row of phi, in place: `x` lies at or behind `out`. */
static void code_row(double *out, const struct irls *fit, const double *x) {
    size_t t = 0;
    if (fit->given->terms->intercept) out[t++] = 1;
    for (; t < fit->p; t++) out[t] = (x[column_of(fit, t)] - fit->mean[t]) * fit->scale[t];
}

static void wald_fill(const void *payload, size_t first, size_t n, double *out, size_t stride) {
    const struct irls *fit = payload;
    const struct matrix *x = &fit->given->data->matrix;
    for (size_t at = first; at < first + n; at++, out += stride) {
        size_t i;
        const struct block *block = matrix_block_of(x, at, &i);
        double root = fit->root[at], *row = out + (stride - x->cols);
        block_dense(block, i, 1, x->cols, NULL, NULL, row, x->cols);
        code_row(out, fit, row);
        for (size_t t = 0; t < fit->p; t++) out[t] *= root;
        out[fit->p] = root * fit->score[at];
        out[fit->p + 1] = fit->response[at];
    }
}

/* ---- a step ------------------------------------------------------------------------------- */

/* Of a term's column, in the factor: its length without the part along the ones. */
static double wald_own_length(const struct irls *fit, size_t t) {
    double sum = 0;
    for (size_t i = fit->given->terms->intercept; i <= t; i++) {
        double part = fit->factor[i * (fit->p + 2) + t];
        sum += part * part;
    }
    return sqrt(sum);
}

static double wald_rounding(const struct irls *fit, size_t t, double total) {
    return ROUNDING * fit->size[t] * sqrt(total);
}

static void find_tolerances(struct irls *fit, enum alias *alias) {
    double total = 0;
    for (size_t i = 0; i < fit->n; i++) total += fit->root[i] * fit->root[i];
    for (size_t t = 0; t < fit->p; t++) {
        bool ones = t == 0 && fit->given->terms->intercept;
        double own = ones ? 0 : wald_own_length(fit, t),
               rounding = ones ? 0 : wald_rounding(fit, t, total);
        fit->tolerance[t] = SHARE * own + rounding;
        alias[t] = ones || own > rounding ? ALIAS_DEPENDENT : ALIAS_CONSTANT;
    }
}

static sepal_status irls_factor(struct irls *fit, const struct tall *tall) {
    if (!fit->by_rows) {
        TRY(tall_gram(fit->factor, fit->given->ctx, tall));
        fit->by_rows = !triangle_of_gram(fit->factor, fit->p + 2, fit->p, OWN_SQUARE);
    }
    return fit->by_rows ? tsqr(fit->factor, fit->given->ctx, tall) : SEPAL_OK;
}

/* Factor, leave out what depends, solve. `alias` says which terms are left out and why. */
static sepal_status irls_step(struct irls *fit, enum alias *alias) {
    size_t width = fit->p + 2, cols = fit->given->data->matrix.cols;
    struct tall tall = {.rows = fit->n,
                        .cols = width,
                        .stride = width > cols + 1 ? width : cols + 1,
                        .fill = wald_fill,
                        .payload = fit};
    weigh_rows(fit);
    TRY(irls_factor(fit, &tall));
    find_tolerances(fit, alias);
    fit->m = triangle_keep(fit->factor, width, fit->p, fit->tolerance, fit->kept);
    triangle_solve(fit->solution, fit->factor, width, fit->kept, fit->m, fit->p);
    triangle_solve(fit->step, fit->factor, width, fit->kept, fit->m, fit->p + 1);
    memset(fit->coefficient, 0, fit->p * sizeof *fit->coefficient);
    for (size_t k = 0; k < fit->m; k++) {
        fit->coefficient[fit->kept[k]] = fit->solution[k] + fit->step[k];
        alias[fit->kept[k]] = ALIAS_NONE;
    }
    return SEPAL_OK;
}

static sepal_status score_block(sepal_ctx *ctx, size_t b, void *payload) {
    struct irls *fit = payload;
    const struct matrix *x = &fit->given->data->matrix;
    const struct block *block = &x->blocks[b];
    double *row = mem_alloc(ctx, x->cols + 1, sizeof *row);
    if (!row) return SEPAL_EMEMORY;
    for (size_t i = 0; i < block->rows; i++) {
        block_dense(block, i, 1, x->cols, NULL, NULL, row + 1, x->cols);
        code_row(row, fit, row + 1);
        fit->score[block->first_row + i] = ctx->kernels->dot_f64(row, fit->coefficient, fit->p);
    }
    mem_free(row);
    return SEPAL_OK;
}

/* The scores at the coefficients found, and how far they are from those before. */
static sepal_status irls_move(struct irls *fit) {
    const struct matrix *x = &fit->given->data->matrix;
    double *before = fit->response; /* of use until the next step */
    memcpy(before, fit->score, fit->n * sizeof *before);
    TRY(parallel_for(fit->given->ctx, x->n_blocks, score_block, fit));
    fit->moved = fit->largest = 0;
    for (size_t i = 0; i < fit->n; i++) {
        fit->moved = fmax(fit->moved, fabs(fit->score[i] - before[i]));
        fit->largest = fmax(fit->largest, fabs(fit->score[i]));
    }
    return SEPAL_OK;
}

static sepal_status irls_run(bool *converged, struct irls *fit, enum alias *alias) {
    enum { MOST_STEPS = 30 };
    sepal_ctx *ctx = fit->given->ctx;
    double before = INFINITY;
    *converged = false;
    for (int step = 0; step < MOST_STEPS && !*converged; step++) {
        TRY(irls_step(fit, alias));
        TRY(irls_move(fit));
        if (cancelled(ctx)) return SEPAL_OK; /* the fit is done, and stays */
        double unit = 1 + fit->largest;
        bool stalls = !(fit->moved < before);
        *converged = fit->moved <= EXACT * unit || (stalls && fit->moved <= NEAR * unit);
        if (stalls) break;
        before = fit->moved;
    }
    return SEPAL_OK;
}

/* ---- what comes of it --------------------------------------------------------------------- */

/* What one unit of the term, as it was coded, is in the user's; and where its column is centred. */
static double wald_unit(const struct irls *fit, size_t t, double *centre) {
    double shift = 0, divisor = 1;
    *centre = 0;
    if (t == 0 && fit->given->terms->intercept) return 1;
    map_chain_fold(fit->given->chain, column_of(fit, t), &shift, &divisor);
    *centre = shift + divisor * fit->mean[t];
    return fit->scale[t] / divisor;
}

/* Estimates and errors in the user's units, by the delta method: a term is a factor of one
   coefficient, the intercept, which is meant at 0 and not at the means, a combination g of all. The
   error of g'b is |inverse(R)' g|. */
static sepal_status wald_fold(struct summary *out, const struct irls *fit) {
    size_t m = fit->m;
    double centre, *inverse = mem_alloc(fit->given->ctx, m + 2, (m + 1) * sizeof *inverse);
    if (!inverse) return SEPAL_EMEMORY;
    double *g = inverse + m * m, *image = g + m;
    triangle_invert(inverse, fit->factor, fit->p + 2, fit->kept, m);
    for (size_t k = 0; k < m; k++) {
        size_t t = fit->kept[k];
        double unit = wald_unit(fit, t, &centre), sum = 0;
        for (size_t l = k; l < m; l++) sum += inverse[k * m + l] * inverse[k * m + l];
        out->estimate[t] = fit->coefficient[t] * unit;
        out->error[t] = sqrt(sum) * fabs(unit);
        g[k] = t == 0 && fit->given->terms->intercept ? 1 : -unit * centre;
    }
    if (fit->given->terms->intercept) {
        double sum = 0;
        memset(image, 0, m * sizeof *image);
        for (size_t k = 0; k < m; k++)
            for (size_t l = k; l < m; l++) image[l] += inverse[k * m + l] * g[k];
        out->estimate[0] = 0;
        for (size_t k = 0; k < m; k++) {
            sum += image[k] * image[k];
            out->estimate[0] += g[k] * fit->coefficient[fit->kept[k]];
        }
        out->error[0] = sqrt(sum);
    }
    mem_free(inverse);
    return SEPAL_OK;
}

static double weighted_log(double count, double total) {
    return count > 0 ? count * log(count / total) : 0;
}

static void wald_deviances(struct summary *out, const struct irls *fit) {
    static const double ln_2 = 0.6931471805599453;
    const sepal_data *data = fit->given->data;
    double count[2] = {0, 0}, sum = 0;
    for (size_t i = 0; i < fit->n; i++) {
        bool second = data->label[i] == 1;
        double c = data_weight(data, i), margin = second ? fit->score[i] : -fit->score[i];
        count[second] += c;
        sum += c * (log1p(exp(-fabs(margin))) + fmax(-margin, 0));
    }
    double total = count[0] + count[1];
    out->deviance = 2 * sum;
    out->null_deviance = fit->given->terms->intercept
                             ? -2 * (weighted_log(count[0], total) + weighted_log(count[1], total))
                             : 2 * total * ln_2;
}

/* Whatever is kept can be saved. */
static bool wald_is_finite(const struct summary *summary) {
    bool finite = isfinite(summary->deviance) && isfinite(summary->null_deviance);
    for (size_t t = 0; t < summary->terms; t++) {
        bool alone = summary->alias[t] != ALIAS_NONE;
        finite = finite && isfinite(summary->estimate[t]) && isfinite(summary->error[t]) &&
                 (alone || summary->error[t] > 0);
    }
    return finite;
}

static sepal_status irls_room(struct irls *fit) {
    sepal_ctx *ctx = fit->given->ctx;
    struct arena *arena = fit->given->arena;
    size_t p = fit->p;
    TRY(ARENA_VECTORS(ctx, arena, fit->n, &fit->score, &fit->root, &fit->response));
    TRY(ARENA_VECTORS(ctx, arena, p, &fit->mean, &fit->scale, &fit->size, &fit->tolerance,
                      &fit->solution, &fit->step, &fit->coefficient));
    fit->factor = arena_alloc(ctx, arena, p + 2, (p + 2) * sizeof *fit->factor);
    fit->kept = arena_alloc(ctx, arena, p, sizeof *fit->kept);
    return fit->factor && fit->kept ? SEPAL_OK : SEPAL_EMEMORY;
}

static sepal_status wald_into(struct summary *out, bool *found, struct irls *fit) {
    const struct wald *given = fit->given;
    TRY(linear_scores(fit->score, given->ctx, given->linear, &given->data->matrix));
    weigh_rows(fit);
    TRY(wald_means(fit));
    TRY(wald_scales(fit));
    TRY(irls_run(found, fit, out->alias));
    if (!*found) return SEPAL_OK;
    TRY(wald_fold(out, fit));
    wald_deviances(out, fit);
    *found = wald_is_finite(out);
    return SEPAL_OK;
}

sepal_status wald_logistic(struct summary **out, const struct wald *wald) {
    struct irls fit = {.given = wald, .n = wald->data->matrix.rows, .p = wald->terms->n};
    struct summary *made;
    bool found = false;
    *out = NULL;
    TRY(irls_room(&fit));
    TRY(summary_new(&made, wald->ctx, SUMMARY_WALD, 1, fit.p));
    sepal_status status = wald_into(made, &found, &fit);
    if (status == SEPAL_OK && fit.m >= fit.n) {
        summary_free(made);
        return summary_new(out, wald->ctx, SUMMARY_FEW_ROWS, 1, fit.p);
    }
    if (status == SEPAL_OK && found) {
        *out = made;
        return SEPAL_OK;
    }
    summary_free(made);
    if (status == SEPAL_OK && fit.moved > MOVING && !cancelled(wald->ctx))
        return wald_endless(out, wald, SUMMARY_GROWING);
    return status;
}
