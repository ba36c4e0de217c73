/* The Hessian of a sum of losses. Rows with few entries add the products of their entries one by one
   to the triangle of their range of slabs: there only rows whose curvature has changed are visited,
   which near the optimum of a squared hinge are few. Other rows are made dense, times the root of
   their curvature, and a matrix product adds up panels of them. Rows without curvature are left out
   either way. */
#include "solvers/newton.h"

#include "core/parallel.h"
#include "kernels/blas.h"
#include "dense/tall.h"

#include <math.h>
#include <string.h>

/* Numbers in all triangles of ranges together; there are two ranges at least. */
enum { SUM_NUMBERS = 1 << 18 };

/* ---- set-up ------------------------------------------------------------------------------- */

/* Nanoseconds of an addition to a place that the row names, of a product inside a matrix product, and
   of making a number dense, as measured. */
static const double ADDING = 0.35, MULTIPLYING = 0.05, FILLING = 1;

static bool scatter_pays(const struct objective *o, size_t side) {
    double scattered = 0, dense = (double)side * ((double)side / 2 * MULTIPLYING + FILLING);
    if (!o->rows.sparse) return false;
    for (size_t b = 0; b < o->rows.n_blocks; b++) {
        const struct block *block = &o->rows.blocks[b];
        for (size_t i = 0; i < block->rows; i++) {
            double entries = (double)(block->start[i + 1] - block->start[i] + 1);
            scattered += entries * (entries + 1) / 2 * ADDING;
        }
    }
    return scattered < (double)o->n * dense;
}

sepal_status hessian_init(struct hessian *h, const struct objective *o, struct arena *arena) {
    size_t ones = o->bias != BIAS_NONE || (o->rows.sparse && o->centre);
    /* those of the logistic loss all change, and those of the hinge's solver are of all sizes */
    bool changes = o->loss == &loss_logistic || o->loss == &loss_hinge;
    bool keeps = !changes && !(o->rows.sparse && o->centre);
    *h = (struct hessian){.o = o, .side = o->cols + ones, .parts = 1};
    h->scatters = scatter_pays(o, h->side);
    if (!h->scatters) h->side = o->width;
    size_t square = h->side * h->side;
    if (h->scatters) {
        h->parts = SUM_NUMBERS / square < 2 ? 2 : SUM_NUMBERS / square;
        if (h->parts > o->slabs) h->parts = o->slabs;
    } else if (!(h->listed = arena_alloc(o->ctx, arena, o->n, sizeof *h->listed))) {
        return SEPAL_EMEMORY;
    }
    if (keeps && !(h->kept = arena_zero(o->ctx, arena, o->n, sizeof *h->kept)))
        return SEPAL_EMEMORY;
    if (!keeps && !h->scatters) return SEPAL_OK;
    h->sum = arena_alloc(o->ctx, arena, h->parts * square, sizeof *h->sum);
    return h->sum ? SEPAL_OK : SEPAL_EMEMORY;
}

/* Taking out and putting in is worth it while that is less than all of them. */
static bool changed_much(const struct hessian *h, const double *curvature) {
    size_t changed = 0, present = 0;
    if (!h->begun) return true;
    for (size_t i = 0; i < h->o->n; i++) {
        changed += curvature[i] != h->kept[i];
        present += curvature[i] != 0;
    }
    return changed > present / 2;
}

/* ---- entry by entry ----------------------------------------------------------------------- */

struct adding {
    struct hessian *h;
    const double *curvature;
    bool afresh;
};

/* With the column of ones, if there is one, as the last. Two rows of the triangle at a time share the
   reading of the columns. */
static void add_ones(const struct hessian *h, const uint32_t *index, size_t n, double by,
                     double ones_by, double ones_square, double *sum) {
    size_t side = h->side, cols = h->o->cols, p = 0;
    for (; p + 1 < n; p += 2) {
        double *first = sum + index[p] * side, *second = sum + index[p + 1] * side;
        first[index[p]] += by;
        for (size_t q = p + 1; q < n; q++) {
            first[index[q]] += by;
            second[index[q]] += by;
        }
    }
    if (p < n) sum[index[p] * side + index[p]] += by;
    if (side == cols) return;
    for (p = 0; p < n; p++) sum[index[p] * side + cols] += ones_by;
    sum[cols * side + cols] += ones_square;
}

static double hessian_entry(const struct block *block, size_t at) {
    return block->f32 ? (double)block->f32[at] : block->f64[at];
}

static void hessian_add_values(const struct hessian *h, const struct block *block, size_t i,
                               double by, double *sum) {
    size_t side = h->side, cols = h->o->cols, from = block->start[i], to = block->start[i + 1];
    for (size_t p = from; p < to; p++) {
        double x = hessian_entry(block, p) * by, *row = sum + block->index[p] * side;
        for (size_t q = p; q < to; q++) row[block->index[q]] += x * hessian_entry(block, q);
        if (side > cols) row[cols] += x;
    }
    if (side > cols) sum[cols * side + cols] += by;
}

static void hessian_add_row(const struct hessian *h, const struct block *block, size_t i, double by,
                            double *sum) {
    if (block->values == VALUES_F32 || block->values == VALUES_F64) {
        hessian_add_values(h, block, i, by, sum);
        return;
    }
    double x = block->values == VALUES_ROW ? block->f64[i] : 1;
    add_ones(h, block->index + block->start[i], block->start[i + 1] - block->start[i], by * x * x,
             by * x, by, sum);
}

static sepal_status hessian_add_part(sepal_ctx *ctx, size_t part, void *payload) {
    const struct adding *all = payload;
    struct hessian *h = all->h;
    const struct objective *o = h->o;
    size_t square = h->side * h->side;
    size_t from = o->slab_first[o->slabs * part / h->parts],
           to = o->slab_first[o->slabs * (part + 1) / h->parts];
    double *sum = h->sum + part * square;
    (void)ctx;
    if (all->afresh) memset(sum, 0, square * sizeof *sum);
    for (size_t b = 0; b < o->rows.n_blocks; b++) {
        const struct block *block = &o->rows.blocks[b];
        if (block->first_row < from) continue;
        if (block->first_row >= to) break;
        for (size_t i = 0; i < block->rows; i++) {
            size_t row = block->first_row + i;
            double by = all->afresh ? all->curvature[row] : all->curvature[row] - h->kept[row];
            if (by != 0) hessian_add_row(h, block, i, by, sum);
            if (h->kept) h->kept[row] = all->curvature[row];
        }
    }
    return SEPAL_OK;
}

/* (x - c)(x - c)' = xx' - xc' - cx' + cc' */
static void take_centre_off(double *out, const struct hessian *h, const double *sum) {
    const struct objective *o = h->o;
    size_t side = h->side, cols = o->cols, width = o->width;
    double total = sum[cols * side + cols];
    for (size_t i = 0; i < cols; i++) {
        double x = sum[i * side + cols], c = o->centre[i];
        for (size_t j = i; j < cols; j++)
            out[i * width + j] += (total * c - x) * o->centre[j] - c * sum[j * side + cols];
        if (width > cols) out[i * width + cols] -= total * c;
    }
}

static sepal_status hessian_scatter(double *out, struct hessian *h, const double *curvature) {
    const struct objective *o = h->o;
    size_t side = h->side, width = o->width;
    struct adding all = {.h = h, .curvature = curvature, .afresh = changed_much(h, curvature)};
    TRY(parallel_for(o->ctx, h->parts, hessian_add_part, &all));
    h->begun = h->kept != NULL;
    for (size_t i = 0; i < width; i++) {
        memcpy(out + i * width + i, h->sum + i * side + i, (width - i) * sizeof *out);
        for (size_t part = 1; part < h->parts; part++) {
            const double *sum = h->sum + part * side * side + i * side;
            for (size_t j = i; j < width; j++) out[i * width + j] += sum[j];
        }
    }
    if (o->centre) {
        /* the column of ones, of all parts */
        for (size_t i = 0; i < side; i++)
            for (size_t part = 1; part < h->parts; part++)
                h->sum[i * side + o->cols] += h->sum[part * side * side + i * side + o->cols];
        take_centre_off(out, h, h->sum);
    }
    return SEPAL_OK;
}

/* ---- by panels ---------------------------------------------------------------------------- */

static double hessian_weight_of(const struct hessian *h, size_t row) {
    return h->minus ? h->weight[row] - h->minus[row] : h->weight[row];
}

static size_t block_with(const struct matrix *rows, size_t row) {
    size_t low = 0, high = rows->n_blocks;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(rows->blocks[middle].first_row <= row ? &low : &high) = middle;
    }
    return low;
}

static void scale_row(double *restrict x, size_t n, double by) {
    for (size_t j = 0; j < n; j++) x[j] *= by;
}

static void hessian_fill(const void *payload, size_t first, size_t n, double *out, size_t stride) {
    const struct hessian *h = payload;
    const struct objective *o = h->o;
    size_t b = block_with(&o->rows, h->listed[first]);
    for (size_t k = first; k < first + n; k++, out += stride) {
        size_t row = h->listed[k];
        while (row >= o->rows.blocks[b].first_row + o->rows.blocks[b].rows) b++;
        const struct block *block = &o->rows.blocks[b];
        double root = sqrt(fabs(hessian_weight_of(h, row)));
        row -= block->first_row;
        if (block->sparse) {
            block_dense(block, row, 1, o->cols, o->centre, NULL, out, stride);
            scale_row(out, o->cols, root);
        } else {
            block_doubles(o->ctx->kernels, block, row, 1, o->cols, o->centre, root, out, stride);
        }
        if (o->width > o->cols) out[o->cols] = root;
    }
}

/* The sum over the rows whose weight has this sign. */
static sepal_status add_listed(double *out, struct hessian *h, double sign) {
    const struct objective *o = h->o;
    size_t n = 0;
    for (size_t i = 0; i < o->n; i++)
        if (sign * hessian_weight_of(h, i) > 0) h->listed[n++] = i;
    struct tall tall = {.rows = n,
                        .cols = o->width,
                        .stride = o->width,
                        .single = h->single,
                        .fill = hessian_fill,
                        .payload = h};
    memset(out, 0, o->width * o->width * sizeof *out);
    return n ? tall_gram(out, o->ctx, &tall) : SEPAL_OK;
}

static void hessian_keep(struct hessian *h, const double *out, const double *curvature) {
    if (!h->kept) return;
    memcpy(h->sum, out, h->side * h->side * sizeof *out);
    memcpy(h->kept, curvature, h->o->n * sizeof *h->kept);
    h->begun = true;
}

static sepal_status hessian_multiply(double *out, struct hessian *h, const double *curvature) {
    size_t square = h->side * h->side;
    bool afresh = !h->kept || changed_much(h, curvature);
    h->weight = curvature;
    h->minus = afresh ? NULL : h->kept;
    if (h->o->turned && afresh) {
        TRY(objective_hessian(out, h->o, curvature));
        hessian_keep(h, out, curvature);
        return SEPAL_OK;
    }
    if (!h->kept) return add_listed(out, h, 1);
    if (afresh) memset(h->sum, 0, square * sizeof *h->sum);
    for (int sign = 1; sign >= (afresh ? 1 : -1); sign -= 2) {
        TRY(add_listed(out, h, sign));
        for (size_t k = 0; k < square; k++) h->sum[k] += sign * out[k];
    }
    memcpy(out, h->sum, square * sizeof *out);
    memcpy(h->kept, curvature, h->o->n * sizeof *h->kept);
    h->begun = true;
    return SEPAL_OK;
}

/* ---- either way --------------------------------------------------------------------------- */

/* Squares of columns that are too small for singles are lost beside such a penalty. */
bool hessian_may_be_single(const struct hessian *h, double tol) {
    static const double coarse = 1e-4, least = 1e-30;
    return tol >= coarse && h->o->l2 >= least && !h->scatters && h->o->ctx->blas->syrk_t_single;
}

void hessian_be_exact(struct hessian *h) {
    if (h->single) h->single = h->begun = false;
}

static bool hessian_is_finite(const double *out, size_t width) {
    double sum = 0;
    for (size_t j = 0; j < width; j++) sum += out[j * width + j];
    return isfinite(sum);
}

bool hessian_in_pass(const struct hessian *h) {
    enum { ROWS_LEAST = 1 << 14 };
    return h->o->turned && h->o->n >= ROWS_LEAST;
}

static void add_penalty(double *out, const struct objective *o) {
    for (size_t j = 0; j < o->penalised; j++) out[j * o->width + j] += o->l2;
}

void hessian_take_over(double *out, struct hessian *h, const double *curvature) {
    hessian_keep(h, out, curvature);
    add_penalty(out, h->o);
}

sepal_status hessian_make(double *out, struct hessian *h, const double *curvature) {
    TRY(h->scatters ? hessian_scatter(out, h, curvature) : hessian_multiply(out, h, curvature));
    if (h->single && !hessian_is_finite(out, h->o->width)) {
        hessian_be_exact(h);
        TRY(hessian_multiply(out, h, curvature));
    }
    add_penalty(out, h->o);
    return SEPAL_OK;
}
