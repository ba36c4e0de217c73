/* The covariance of maximum-likelihood estimates is the inverse of the Fisher information X'WX,
   W = diag(c p(1-p)) with the rows' weights c (McCullagh and Nelder, "Generalized Linear Models", 2nd
   ed., 4.4). X has a column of ones and the terms' columns, less their means and divided by what they
   spread, so neither large means nor units cost digits. Its factor is found by Cholesky's method of
   X'WX, whose condition is the square of X's, only where each column has a good part of its own, and else
   by QR of the rows of sqrt(W) X, which takes several times as long. With the working response as a
   right-hand side the same factor gives the estimates: an IRLS step is a Newton step. Such steps, from
   the scores of the fit, leave nothing of its tolerance in the table. */
#include "core/alloc.h"
#include "core/parallel.h"
#include "inference/design.h"
#include "inference/triangle.h"

#include <math.h>
#include <string.h>

bool wald_affordable(size_t rows, size_t functions, size_t terms) {
    static const double most_parameters = 1000, most_work = 5e10;
    double parameters = (double)functions * (double)terms;
    return parameters <= most_parameters && (double)rows * parameters * parameters <= most_work;
}

struct irls {
    struct design d;
    double *score, *response; /* of each row: s, (y - p) c / root */
    double *solution, *step;  /* of the m terms kept, in kept's order */
    double *coefficient;      /* of each term; 0 of those left out */
    struct newton_steps steps;
};

/* ---- rows --------------------------------------------------------------------------------- */

/* The derivatives of the log-likelihood by the score. */
static void weigh_rows(struct irls *fit) {
    const sepal_data *data = fit->d.given->data;
    for (size_t i = 0; i < fit->d.n; i++) {
        double s = fit->score[i], e = exp(-fabs(s)), c = data_weight(data, i);
        double small = e / (1 + e), large = 1 / (1 + e); /* the two probabilities */
        bool second = data->label[i] == 1;
        double residual = second == (s >= 0) ? small : large; /* of the class that it is not */
        fit->d.root[i] = sqrt(c * small * large);
        fit->response[i] =
            fit->d.root[i] > 0 ? (second ? residual : -residual) * c / fit->d.root[i] : 0;
    }
}

/* ---- a step ------------------------------------------------------------------------------- */

static void wald_fill(const void *payload, size_t first, size_t n, double *out, size_t stride) {
    const struct irls *fit = payload;
    for (size_t at = first; at < first + n; at++, out += stride) {
        double root = fit->d.root[at];
        design_row(out, &fit->d, at, stride);
        for (size_t t = 0; t < fit->d.p; t++) out[t] *= root;
        out[fit->d.p] = root * fit->score[at];
        out[fit->d.p + 1] = fit->response[at];
    }
}

/* Factor, leave out what depends, solve. */
static sepal_status irls_step(struct irls *fit, enum alias *alias) {
    size_t width = fit->d.width, cols = fit->d.given->data->matrix.cols;
    struct tall tall = {.rows = fit->d.n,
                        .cols = width,
                        .stride = width > cols + 1 ? width : cols + 1,
                        .fill = wald_fill,
                        .payload = fit};
    weigh_rows(fit);
    TRY(design_factor(&fit->d, &tall, alias));
    triangle_solve(fit->solution, fit->d.factor, width, fit->d.kept, fit->d.m, fit->d.p);
    triangle_solve(fit->step, fit->d.factor, width, fit->d.kept, fit->d.m, fit->d.p + 1);
    memset(fit->coefficient, 0, fit->d.p * sizeof *fit->coefficient);
    for (size_t k = 0; k < fit->d.m; k++)
        fit->coefficient[fit->d.kept[k]] = fit->solution[k] + fit->step[k];
    return SEPAL_OK;
}

static sepal_status score_block(sepal_ctx *ctx, size_t b, void *payload) {
    struct irls *fit = payload;
    const struct matrix *x = &fit->d.given->data->matrix;
    const struct block *block = &x->blocks[b];
    double *row = mem_alloc(ctx, x->cols + 1, sizeof *row);
    if (!row) return SEPAL_EMEMORY;
    for (size_t at = block->first_row; at < block->first_row + block->rows; at++) {
        design_row(row, &fit->d, at, x->cols + 1);
        fit->score[at] = ctx->kernels->dot_f64(row, fit->coefficient, fit->d.p);
    }
    mem_free(row);
    return SEPAL_OK;
}

/* The scores at the coefficients found, and how far they are from those before. */
static sepal_status irls_move(struct irls *fit) {
    const struct matrix *x = &fit->d.given->data->matrix;
    double *before = fit->response; /* of use until the next step */
    memcpy(before, fit->score, fit->d.n * sizeof *before);
    TRY(parallel_for(fit->d.given->ctx, x->n_blocks, score_block, fit));
    newton_steps_measure(&fit->steps, fit->score, before, fit->d.n);
    return SEPAL_OK;
}

static sepal_status irls_run(struct irls *fit, enum alias *alias) {
    for (int step = 0; step < NEWTON_MOST_STEPS; step++) {
        TRY(irls_step(fit, alias));
        TRY(irls_move(fit));
        if (cancelled(fit->d.given->ctx)) return SEPAL_OK; /* the fit is done, and stays */
        if (newton_steps_end(&fit->steps)) return SEPAL_OK;
    }
    return SEPAL_OK;
}

/* ---- what comes of it --------------------------------------------------------------------- */

/* Estimates and errors in the user's units, by the delta method: a term is a factor of one
   coefficient, the intercept, which is meant at 0 and not at the means, a combination g of all. The
   error of g'b is |inverse(R)' g|. */
static sepal_status wald_fold(struct summary *out, const struct irls *fit) {
    size_t m = fit->d.m;
    double centre, *inverse = mem_alloc(fit->d.given->ctx, m + 2, (m + 1) * sizeof *inverse);
    if (!inverse) return SEPAL_EMEMORY;
    double *g = inverse + m * m, *image = g + m;
    triangle_invert(inverse, fit->d.factor, fit->d.width, fit->d.kept, m);
    for (size_t k = 0; k < m; k++) {
        size_t t = fit->d.kept[k];
        double unit = design_unit(&fit->d, t, &centre), sum = 0;
        for (size_t l = k; l < m; l++) sum += inverse[k * m + l] * inverse[k * m + l];
        out->estimate[t] = fit->coefficient[t] * unit;
        out->error[t] = sqrt(sum) * fabs(unit);
        g[k] = design_at_zero(&fit->d, k);
    }
    if (fit->d.given->terms->intercept) {
        double sum = 0;
        memset(image, 0, m * sizeof *image);
        for (size_t k = 0; k < m; k++)
            for (size_t l = k; l < m; l++) image[l] += inverse[k * m + l] * g[k];
        out->estimate[0] = 0;
        for (size_t k = 0; k < m; k++) {
            sum += image[k] * image[k];
            out->estimate[0] += g[k] * fit->coefficient[fit->d.kept[k]];
        }
        out->error[0] = sqrt(sum);
    }
    mem_free(inverse);
    return SEPAL_OK;
}

static void wald_deviances(struct summary *out, const struct irls *fit) {
    static const double ln_2 = 0.6931471805599453;
    const sepal_data *data = fit->d.given->data;
    double count[2] = {0, 0}, sum = 0;
    for (size_t i = 0; i < fit->d.n; i++) {
        bool second = data->label[i] == 1;
        double c = data_weight(data, i), margin = second ? fit->score[i] : -fit->score[i];
        count[second] += c;
        sum += c * (log1p(exp(-fabs(margin))) + fmax(-margin, 0));
    }
    double total = count[0] + count[1];
    out->deviance = 2 * sum;
    out->null_deviance = fit->d.given->terms->intercept
                             ? -2 * (wald_entropy(count[0], total) + wald_entropy(count[1], total))
                             : 2 * total * ln_2;
}

static sepal_status irls_room(struct irls *fit) {
    sepal_ctx *ctx = fit->d.given->ctx;
    struct arena *arena = fit->d.given->arena;
    TRY(design_room(&fit->d));
    TRY(ARENA_VECTORS(ctx, arena, fit->d.n, &fit->score, &fit->response));
    return ARENA_VECTORS(ctx, arena, fit->d.p, &fit->solution, &fit->step, &fit->coefficient);
}

static sepal_status wald_into(struct summary *out, bool *found, struct irls *fit) {
    const struct wald *given = fit->d.given;
    TRY(linear_scores(fit->score, given->ctx, given->linear, &given->data->matrix));
    weigh_rows(fit);
    TRY(design_means(&fit->d));
    TRY(design_scales(&fit->d));
    TRY(irls_run(fit, out->alias));
    if (!fit->steps.converged) return SEPAL_OK;
    TRY(wald_fold(out, fit));
    wald_deviances(out, fit);
    *found = wald_is_finite(out);
    return SEPAL_OK;
}

sepal_status wald_logistic(struct summary **out, const struct wald *wald) {
    size_t p = wald->terms->n;
    struct irls fit = {
        .d = {.given = wald, .n = wald->data->matrix.rows, .p = p, .width = p + 2},
        .steps = {.before = INFINITY},
    };
    struct summary *made;
    bool found = false;
    *out = NULL;
    TRY(irls_room(&fit));
    TRY(summary_new(&made, wald->ctx, SUMMARY_WALD, 1, p));
    sepal_status status = wald_into(made, &found, &fit);
    bool few = fit.d.m >= fit.d.n;
    if (status == SEPAL_OK && found && !few) {
        *out = made;
        return SEPAL_OK;
    }
    summary_free(made);
    return status == SEPAL_OK ? wald_explain(out, wald, few, &fit.steps) : status;
}

sepal_status wald_explain(struct summary **out, const struct wald *wald, bool few,
                          const struct newton_steps *steps) {
    size_t rows = wald->linear->rows;
    if (few)
        return summary_new(out, wald->ctx, SUMMARY_FEW_ROWS, rows > 1 ? rows - 1 : 1,
                           wald->terms->n);
    return newton_steps_grow(steps) && !cancelled(wald->ctx)
               ? wald_endless(out, wald, SUMMARY_GROWING)
               : SEPAL_OK;
}
