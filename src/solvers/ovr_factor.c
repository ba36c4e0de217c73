/* A Cholesky factor for conjugate gradients to be preconditioned by: of the Hessian of one class, of all
   rows or of some of them. A row is drawn with a probability in proportion to its leverage, as far as the
   Hessian's diagonal tells it: what the row adds to each column, as a part of what all rows have there.
   So a column that few rows have keeps them all. Places along the rows are even, so that no seed is in
   it. Eight rows a column keep the eigenvalues of the preconditioned Hessian within a factor of about 4
   of each other (Drineas, Mahoney; Cohen et al., ITCS 2015). */
#include "core/alloc.h"
#include "solvers/newton.h"
#include "solvers/ovr_newton.h"
#include "dense/tall.h"

#include <math.h>

enum { ROWS_PER_COLUMN = 8, FEW_COLUMNS = 64 };

static bool keeps_hessian(const struct objective *o) {
    return o->loss == &loss_squared_hinge;
}

/* All rows of few columns: their products cost no more than some passes. */
size_t ovr_factor_rows(const struct objective *o) {
    double some = ROWS_PER_COLUMN * (double)o->width;
    some = fmax(some, (double)o->n * FEW_COLUMNS / (double)o->width);
    return some < 0.9 * (double)o->n ? (size_t)some : o->n;
}

/* Rows to be added to the Hessian of a squared hinge, or taken out of it. */
static size_t changed_rows(const struct ovr_factor *factor, const struct ovr *ovr, size_t l,
                           const double *curvature) {
    size_t n = ovr->rest->o->n, changed = 0, present = 0;
    for (size_t i = 0; i < n; i++) {
        double now = curvature[i * ovr->lanes + l];
        present += now > 0;
        changed += factor->hessian && now != factor->curvature[i];
    }
    return factor->hessian && changed <= present / 2 ? changed : present;
}

double ovr_factor_cost(const struct ovr_factor *factor, const struct ovr *ovr, size_t l,
                       const double *curvature) {
    const struct objective *o = ovr->rest->o;
    size_t rows = 0, most = ovr_factor_rows(o);
    double width = (double)o->width;
    if (keeps_hessian(o)) {
        rows = changed_rows(factor, ovr, l, curvature);
    } else {
        for (size_t i = 0; i < o->n; i++) rows += curvature[i * ovr->lanes + l] > 0;
        rows = rows < most ? rows : most;
    }
    return (double)rows * width * width / 2 + width * width * width / 6;
}

struct row_sample {
    const struct ovr *ovr;
    const struct objective *o;
    size_t n;
    size_t *row;
    double *weight;
};

/* Rows with a curvature, or some of them. Returns whether it is all. */
static bool ovr_factor_draw(struct row_sample *d, size_t l, const double *curvature,
                            const double *leverage) {
    size_t lanes = d->ovr->lanes, n = d->o->n, present = 0;
    double total = 0, passed = 0, next = 0.5;
    for (size_t i = 0; i < n; i++) present += curvature[i * lanes + l] > 0;
    size_t most = ovr_factor_rows(d->o);
    bool all = present <= most;
    for (size_t i = 0; !all && i < n; i++) total += leverage[i * lanes + l];
    for (size_t i = 0; i < n; i++) {
        double weight = curvature[i * lanes + l];
        if (!(weight > 0)) continue;
        if (!all) {
            double chance = fmin(1, leverage[i * lanes + l] * (double)most / total);
            passed += chance;
            if (passed < next) continue;
            next += 1;
            weight /= chance;
        }
        d->row[d->n] = i;
        d->weight[d->n++] = weight;
    }
    return all;
}

static void ovr_factor_fill(const void *payload, size_t first, size_t n, double *out,
                            size_t stride) {
    const struct row_sample *d = payload;
    const struct objective *o = d->o;
    for (size_t k = first; k < first + n; k++, out += stride) {
        double root = sqrt(d->weight[k]);
        const double *x = ovr_rows(d->ovr, d->row[k], 1, out);
        for (size_t j = 0; j < o->width; j++) out[j] = x[j] * root;
    }
}

static sepal_status ovr_factor_add_up(double *out, struct row_sample *d) {
    const struct objective *o = d->o;
    struct tall tall = {
        .rows = d->n, .cols = o->width, .stride = o->width, .fill = ovr_factor_fill, .payload = d};
    if (d->n > 0) return tall_gram(out, o->ctx, &tall);
    for (size_t k = 0; k < o->width * o->width; k++) out[k] = 0;
    return SEPAL_OK;
}

sepal_status ovr_leverages(double *out, struct ovr *ovr, const double *curvature, double *scratch) {
    const struct objective *o = ovr->rest->o;
    size_t lanes = ovr->lanes;
    TRY(ovr_diagonal(scratch, ovr, curvature));
    for (size_t k = 0; k < o->width * lanes; k++) {
        double all = scratch[k] + (k < o->penalised * lanes ? o->l2 : 0);
        scratch[k] = all > 0 ? 1 / all : 0;
    }
    TRY(ovr_norms(out, ovr, scratch));
    for (size_t k = 0; k < o->n * lanes; k++) out[k] *= curvature[k];
    return SEPAL_OK;
}

static sepal_status make_of_some(struct ovr_factor *factor, struct ovr *ovr, size_t l,
                                 const double *curvature, const double *leverage) {
    const struct objective *o = ovr->rest->o;
    struct row_sample d = {.ovr = ovr, .o = o};
    d.row = mem_alloc(o->ctx, o->n, sizeof *d.row);
    d.weight = mem_alloc(o->ctx, o->n, sizeof *d.weight);
    sepal_status status = d.row && d.weight ? SEPAL_OK : SEPAL_EMEMORY;
    if (status == SEPAL_OK) {
        factor->exact = ovr_factor_draw(&d, l, curvature, leverage);
        status = ovr_factor_add_up(factor->matrix, &d);
    }
    mem_free(d.row);
    mem_free(d.weight);
    for (size_t j = 0; j < o->penalised; j++) factor->matrix[j * (o->width + 1)] += o->l2;
    return status;
}

static sepal_status make_of_all(struct ovr_factor *factor, struct ovr *ovr, size_t l,
                                const double *curvature) {
    const struct objective *o = ovr->rest->o;
    if (!factor->hessian) {
        factor->hessian = arena_alloc(o->ctx, ovr->arena, 1, sizeof *factor->hessian);
        factor->curvature = arena_alloc(o->ctx, ovr->arena, o->n, sizeof *factor->curvature);
        if (!factor->hessian || !factor->curvature) return SEPAL_EMEMORY;
        TRY(hessian_init(factor->hessian, o, ovr->arena));
    }
    for (size_t i = 0; i < o->n; i++) factor->curvature[i] = curvature[i * ovr->lanes + l];
    factor->exact = true;
    return hessian_make(factor->matrix, factor->hessian, factor->curvature);
}

sepal_status ovr_factor_hessian(struct ovr_factor *factor, struct ovr *ovr, size_t l,
                                const double *curvature, const double *leverage) {
    return keeps_hessian(ovr->rest->o) && !leverage
               ? make_of_all(factor, ovr, l, curvature)
               : make_of_some(factor, ovr, l, curvature, leverage);
}
