/* The columns of the solver for L1 penalties: which of them are kept, and sums along them. */
#include "solvers/prox.h"

#include "core/alloc.h"

#include <math.h>
#include <string.h>

/* ---- which columns ------------------------------------------------------------------------ */

enum { HALVES = 2 };

struct screening {
    const struct prox *p;
    double *abs_sum; /* HALVES x 2 x cols: sums of weight |x| with y x below 0 and above */
};

static void prox_columns_screen_row(const struct objective *o, const struct block *block, size_t i,
                                    double *abs_sum) {
    size_t row = block->first_row + i;
    double side = objective_side(o, row), weight = o->row_weight[row];
    double same = block->values == VALUES_ROW ? block->f64[i] : 1;
    for (size_t at = block->start[i]; at < block->start[i + 1]; at++) {
        double x = same;
        if (block->values == VALUES_F32) x = (double)block->f32[at];
        if (block->values == VALUES_F64) x = block->f64[at];
        abs_sum[2 * (size_t)block->index[at] + (x * side > 0)] += weight * fabs(x);
    }
}

static sepal_status prox_columns_screen_half(sepal_ctx *ctx, size_t half, void *payload) {
    const struct screening *all = payload;
    const struct matrix *x = &all->p->o->rows;
    size_t from = x->n_blocks * half / HALVES, to = x->n_blocks * (half + 1) / HALVES;
    (void)ctx;
    for (size_t b = from; b < to; b++)
        for (size_t i = 0; i < x->blocks[b].rows; i++)
            prox_columns_screen_row(all->p->o, &x->blocks[b], i, all->abs_sum + half * 2 * x->cols);
    return SEPAL_OK;
}

/* Dual variables are bounded, and so are the sums v of a column: where they cannot exceed l1 its weight is 0.
   Of a column that few rows have that is known before anything else is. */
static sepal_status prox_columns_screen(bool *keep, const struct prox *p) {
    const struct objective *o = p->o;
    struct screening all = {.p = p};
    double low = 0, high = 0;
    all.abs_sum = mem_zero(o->ctx, o->cols, 2 * HALVES * sizeof *all.abs_sum);
    if (!all.abs_sum) return SEPAL_EMEMORY;
    sepal_status status = prox_tasks(p, o->rows.nonzeros, HALVES, prox_columns_screen_half, &all);
    for (size_t i = 0; i < o->n; i++) *(o->label[i] == 1 ? &high : &low) += o->row_weight[i];
    for (size_t j = 0; j < o->cols && status == SEPAL_OK; j++) {
        const double *first = all.abs_sum + 2 * j, *second = first + 2 * o->cols;
        double most = fmax(first[0] + second[0], first[1] + second[1]);
        /* with a free bias the sum of f is 0, and the centre falls out */
        if (o->centre && o->bias != BIAS_FREE) most += fabs(o->centre[j]) * fmax(low, high);
        keep[j] = p->d->u[j] != 0 || most * o->loss->most * (1 + 1e-9) >= p->least_l1;
    }
    mem_free(all.abs_sum);
    return status;
}

/* ---- their sums --------------------------------------------------------------------------- */

/* The vectors that sums of curvature times x and x^2 are taken with. */
static struct curvatures scaled_curvatures(struct prox *p, const double *curvature) {
    const double *once = columns_scale(&p->columns, curvature, p->scratch[0]);
    const double *twice = columns_scale(&p->columns, once, p->scratch[1]);
    return (struct curvatures){curvature, once, twice};
}

sepal_status prox_columns_make(struct prox *p) {
    const struct objective *o = p->o;
    bool *keep = NULL;
    sepal_status status = SEPAL_OK;
    if (isfinite(o->loss->most) && o->rows.sparse) {
        keep = mem_alloc(o->ctx, o->cols, sizeof *keep);
        status = keep ? prox_columns_screen(keep, p) : SEPAL_EMEMORY;
    }
    if (status == SEPAL_OK) status = columns_make(&p->columns, o->ctx, &o->rows, keep, o->centre);
    mem_free(keep);
    p->count = p->columns.count;
    return status;
}

struct column_summing {
    struct prox *p;
    struct curvatures along;
    double total; /* the sum of the along */
    const double *scaled;
    bool all;
};

static sepal_status norms_of_stripe(sepal_ctx *ctx, size_t stripe, void *payload) {
    const struct column_summing *all = payload;
    struct prox *p = all->p;
    for (size_t k = p->columns.stripe[stripe]; k < p->columns.stripe[stripe + 1]; k++) {
        double once, twice, c = prox_centre(p, k);
        columns_curvature(&p->columns, ctx->kernels, k, &all->along, &once, &twice);
        if (p->o->bias ==
            BIAS_FREE) /* dual variables are balanced: any constant may be taken off */
            twice -= once * once / all->total;
        else
            twice += c * (c * all->total - 2 * once);
        p->norm[k] = sqrt(fmax(0, twice));
    }
    return SEPAL_OK;
}

sepal_status prox_columns_norms(struct prox *p) {
    struct column_summing all = {.p = p,
                                 .along = scaled_curvatures(p, p->o->row_weight),
                                 .total = objective_total_weight(p->o)};
    return parallel_for(p->o->ctx, p->columns.n_stripes, norms_of_stripe, &all);
}

static sepal_status prox_columns_sum_stripe(sepal_ctx *ctx, size_t stripe, void *payload) {
    const struct column_summing *all = payload;
    struct prox *p = all->p;
    for (size_t k = p->columns.stripe[stripe]; k < p->columns.stripe[stripe + 1]; k++) {
        if (p->gone[k] && !all->all) continue;
        p->v[k] =
            columns_dot(&p->columns, ctx->kernels, k, all->scaled) - prox_centre(p, k) * p->factors;
    }
    return SEPAL_OK;
}

sepal_status prox_columns_sums(struct prox *p, bool all) {
    struct column_summing sums = {.p = p, .all = all};
    sums.scaled = columns_scale(&p->columns, p->f, p->scratch[0]);
    return parallel_for(p->o->ctx, p->columns.n_stripes, prox_columns_sum_stripe, &sums);
}

enum { PARTS = 16 };

struct curvature_task {
    struct prox *p;
    const struct curvatures *along;
};

static sepal_status curvature_part(sepal_ctx *ctx, size_t part, void *payload) {
    const struct curvature_task *all = payload;
    struct prox *p = all->p;
    const struct objective *o = p->o;
    size_t from = p->n_set * part / PARTS, to = p->n_set * (part + 1) / PARTS;
    for (size_t i = from; i < to; i++) {
        size_t k = p->set[i];
        double once, twice, c = prox_centre(p, k);
        columns_curvature(&p->columns, ctx->kernels, k, all->along, &once, &twice);
        double most = twice + c * (c * p->curvatures - 2 * once);
        if (o->bias == BIAS_FREE && p->curvatures > 0) most = twice - once * once / p->curvatures;
        p->first[k] = once;
        /* where the curvature vanishes the step must end somewhere */
        p->second[k] = fmax(most, 1e-9 * o->loss->smoothness * p->norm[k] * p->norm[k]);
    }
    return SEPAL_OK;
}

sepal_status prox_columns_curvature(struct prox *p, struct curvatures *out) {
    struct curvature_task all = {.p = p, .along = out};
    *out = scaled_curvatures(p, p->curvature);
    return prox_tasks(p, p->entries, PARTS, curvature_part, &all);
}

/* ---- scores ------------------------------------------------------------------------------- */

struct stepping {
    const struct prox *p;
    const size_t *set;
    size_t n;
    const double *z;
    double *half[HALVES];
};

static sepal_status add_half(sepal_ctx *ctx, size_t half, void *payload) {
    const struct stepping *all = payload;
    const struct prox *p = all->p;
    (void)ctx;
    memset(all->half[half], 0, p->o->n * sizeof *all->half[half]);
    for (size_t i = all->n * half / HALVES; i < all->n * (half + 1) / HALVES; i++) {
        size_t k = all->set[i];
        if (all->z[k] != 0) columns_add(&p->columns, k, all->z[k], all->half[half]);
    }
    return SEPAL_OK;
}

sepal_status prox_columns_scores(double *out, struct prox *p, const size_t *set, size_t n,
                                 const double *z) {
    const struct objective *o = p->o;
    struct stepping all = {.p = p, .set = set, .n = n, .z = z, .half = {out, p->scratch[3]}};
    TRY(prox_tasks(p, p->entries, HALVES, add_half, &all));
    for (size_t i = 0; i < o->n; i++) out[i] += all.half[1][i];
    return SEPAL_OK;
}
