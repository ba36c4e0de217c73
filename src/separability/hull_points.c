#include "separability/hull_points.h"

#include "core/alloc.h"
#include "core/parallel.h"

#include <math.h>

/* ---- coordinates -------------------------------------------------------------------------- */

struct range {
    double *low, *high; /* n_blocks x cols */
    const struct question *q;
};

static bool takes_part(const struct question *q, size_t row) {
    return !q->side || q->side[row] != 0;
}

static sepal_status range_block(sepal_ctx *ctx, size_t b, void *payload) {
    const struct range *all = payload;
    const struct block *block = &all->q->x->blocks[b];
    size_t cols = all->q->x->cols;
    double *low = all->low + b * cols, *high = all->high + b * cols, x;
    uint32_t *seen = NULL;
    size_t rows = 0;
    if (block->sparse) {
        seen = mem_zero(ctx, cols, sizeof *seen);
        if (!seen) return SEPAL_EMEMORY;
    }
    for (size_t j = 0; j < cols; j++) low[j] = INFINITY, high[j] = -INFINITY;
    for (size_t i = 0; i < block->rows; i++) {
        if (!takes_part(all->q, block->first_row + i)) continue;
        rows++;
        for (size_t j = 0; !block->sparse && j < cols; j++) {
            x = block->f32 ? (double)block->f32[i * cols + j] : block->f64[i * cols + j];
            if (x < low[j]) low[j] = x;
            if (x > high[j]) high[j] = x;
        }
        for (size_t at = 0, j; block->sparse && row_next(block, i, cols, &at, &j, &x);) {
            if (x < low[j]) low[j] = x;
            if (x > high[j]) high[j] = x;
            seen[j]++;
        }
    }
    for (size_t j = 0; seen && j < cols; j++) {
        if (seen[j] == rows) continue;
        low[j] = fmin(low[j], 0);
        high[j] = fmax(high[j], 0);
    }
    mem_free(seen);
    return SEPAL_OK;
}

static double power_of_two(int exponent) {
    enum { MOST = 1000 };
    return ldexp(1, exponent > MOST ? MOST : exponent < -MOST ? -MOST : exponent);
}

/* Scale columns so that the largest |x - c| of each, or of all, lies in [1/2, 1). */
static void choose_scale(struct hull_points *out, bool even) {
    size_t cols = out->q->x->cols;
    double largest = 0;
    for (size_t j = 0; j < cols; j++) largest = fmax(largest, out->radius[j]);
    out->even = true;
    double square = 0;
    for (size_t j = 0; j < cols; j++) {
        int exponent;
        (void)frexp(even || out->radius[j] == 0 ? largest : out->radius[j], &exponent);
        out->scale[j] = power_of_two(-exponent);
        out->even = out->even && out->scale[j] == out->scale[0];
        double radius = out->radius[j] * out->scale[j];
        square += radius * radius;
    }
    out->diameter = square > 0 ? sqrt(square) : 1;
}

/* x - c is exact for all x in [low, high]: c is 0, or no x is more than twice as far from 0 as c
   (Sterbenz's lemma). */
static double points_centre_of(double low, double high) {
    if (low > 0 && high / 2 <= low) return low;
    if (high < 0 && low / 2 >= high) return high;
    return 0;
}

static sepal_status points_measure(struct hull_points *out, sepal_ctx *ctx, struct arena *arena) {
    const struct matrix *x = out->q->x;
    size_t cols = x->cols, blocks = x->n_blocks;
    struct range all = {.q = out->q};
    all.low = mem_alloc(ctx, blocks, cols * sizeof *all.low);
    all.high = mem_alloc(ctx, blocks, cols * sizeof *all.high);
    sepal_status status = all.low && all.high ? SEPAL_OK : SEPAL_EMEMORY;
    if (status == SEPAL_OK) status = parallel_for(ctx, blocks, range_block, &all);
    out->centre = out->q->bias && !x->sparse ? arena_zero(ctx, arena, cols, sizeof(double)) : NULL;
    out->scale = arena_zero(ctx, arena, cols, sizeof *out->scale);
    out->radius = arena_zero(ctx, arena, cols, sizeof *out->radius);
    if (!out->scale || !out->radius || (out->q->bias && !x->sparse && !out->centre))
        status = SEPAL_EMEMORY;
    for (size_t j = 0; j < cols && status == SEPAL_OK; j++) {
        double low = INFINITY, high = -INFINITY, centre = 0;
        for (size_t b = 0; b < blocks; b++) {
            low = fmin(low, all.low[b * cols + j]);
            high = fmax(high, all.high[b * cols + j]);
        }
        if (out->centre) centre = out->centre[j] = points_centre_of(low, high);
        out->radius[j] = fmax(fabs(low - centre), fabs(high - centre));
        out->varying += low < high;
    }
    mem_free(all.low);
    mem_free(all.high);
    return status;
}

sepal_status hull_points_make(struct hull_points *out, sepal_ctx *ctx, struct arena *arena,
                              const struct question *q, bool even, bool cone) {
    const struct matrix *x = q->x;
    *out = (struct hull_points){.q = q};
    if (x->rows > UINT32_MAX)
        return fail(ctx, SEPAL_EDATA, "%zu rows are too many to ask for separability", x->rows);
    out->rows = arena_alloc(ctx, arena, x->rows, sizeof *out->rows);
    if (!out->rows) return SEPAL_EMEMORY;
    for (size_t i = 0; i < x->rows; i++)
        if (takes_part(q, i)) out->rows[out->n_rows++] = (uint32_t)i;
    out->n = q->side ? out->n_rows : out->n_rows * (q->classes - 1);
    out->lifted = q->bias && (cone || !q->side);
    out->dim = (q->side ? 1 : q->classes) * (x->cols + out->lifted);
    out->groups = q->bias && !out->lifted ? 2 : 1;
    TRY(points_measure(out, ctx, arena));
    choose_scale(out, even);
    bool sparse = x->sparse && x->n_blocks && !x->blocks[0].centre;
    double entries = sparse ? (double)x->nonzeros / (double)x->rows + 1 : (double)x->cols;
    out->entries = q->side ? entries : 2 * entries;
    double square = out->diameter * out->diameter + out->lifted;
    out->diameter = sqrt(q->side ? square : 2 * square);
    return SEPAL_OK;
}

/* ---- single points ------------------------------------------------------------------------ */

size_t hull_points_row(const struct hull_points *points, size_t number) {
    return points->rows[points->q->side ? number : number / (points->q->classes - 1)];
}

size_t hull_points_find(const struct hull_points *points, size_t row, int32_t rival) {
    size_t low = 0, high = points->n_rows;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(points->rows[middle] <= row ? &low : &high) = middle;
    }
    if (points->q->side) return low;
    return low * (points->q->classes - 1) + (size_t)rival - (rival > points->q->label[row]);
}

size_t hull_points_most_rank(const struct hull_points *points) {
    return (points->varying + points->q->bias) * (points->q->side ? 1 : points->q->classes - 1);
}

int32_t hull_points_rival(const struct hull_points *points, size_t number) {
    int32_t other = (int32_t)(number % (points->q->classes - 1));
    return other < points->q->label[hull_points_row(points, number)] ? other : other + 1;
}

size_t hull_points_group(const struct hull_points *points, size_t number) {
    return points->groups == 2 && points->q->side[hull_points_row(points, number)] > 0;
}

static sepal_status fetch_dense(struct point *out, sepal_ctx *ctx, const struct hull_points *points,
                                const struct block *block, size_t i, double sign) {
    size_t cols = points->q->x->cols;
    out->n = cols;
    out->value = mem_alloc(ctx, cols, sizeof *out->value);
    if (!out->value) return SEPAL_EMEMORY;
    block_dense(block, i, 1, cols, points->centre, NULL, out->value, cols);
    for (size_t j = 0; j < cols; j++) out->value[j] *= sign * points->scale[j];
    return SEPAL_OK;
}

static size_t row_entries(const struct block *block, size_t i, size_t cols) {
    return block->sparse && !block->centre ? block->start[i + 1] - block->start[i] : cols;
}

/* Put the row's coordinates into `out` from `offset` on. */
static void put_entries(struct point *out, const struct hull_points *points,
                        const struct block *block, size_t i, size_t offset, double sign) {
    size_t cols = points->q->x->cols;
    double x;
    if (!block->sparse) {
        block_dense(block, i, 1, cols, points->centre, NULL, out->value + out->n, cols);
        for (size_t j = 0; j < cols; j++, out->n++) {
            out->index[out->n] = (uint32_t)(offset + j);
            out->value[out->n] *= sign * points->scale[j];
        }
    } else {
        for (size_t at = 0, j; row_next(block, i, cols, &at, &j, &x); out->n++) {
            out->index[out->n] = (uint32_t)(offset + j);
            out->value[out->n] = sign * x * points->scale[j];
        }
    }
}

static sepal_status points_make_room(struct point *out, sepal_ctx *ctx, size_t entries) {
    out->index = mem_alloc(ctx, entries, sizeof *out->index);
    out->value = mem_alloc(ctx, entries, sizeof *out->value);
    return out->index && out->value ? SEPAL_OK : SEPAL_EMEMORY;
}

/* The row at the place of each class that it has a part in. */
static sepal_status fetch_places(struct point *out, sepal_ctx *ctx,
                                 const struct hull_points *points, const struct block *block,
                                 size_t i) {
    const struct question *q = points->q;
    size_t cols = q->x->cols, width = cols + points->lifted,
           row = hull_points_row(points, out->number);
    size_t place[2] = {0, 0}, places = q->side ? 1 : 2;
    double sign[2] = {q->side ? q->side[row] : 1, -1};
    if (!q->side) {
        place[0] = (size_t)q->label[row];
        place[1] = (size_t)hull_points_rival(points, out->number);
    }
    TRY(points_make_room(out, ctx, places * (row_entries(block, i, cols) + 1)));
    for (size_t turn = 0; turn < places; turn++) {
        put_entries(out, points, block, i, place[turn] * width, sign[turn]);
        if (!points->lifted) continue;
        out->index[out->n] = (uint32_t)(place[turn] * width + cols);
        out->value[out->n++] = sign[turn];
    }
    return SEPAL_OK;
}

/* Take the removed directions off, twice, as rounding leaves something the first time. */
static sepal_status points_project(struct point *point, sepal_ctx *ctx,
                                   const struct hull_points *points) {
    const struct kernels *kernels = ctx->kernels;
    double *value = mem_zero(ctx, points->dim, sizeof *value);
    if (!value) return SEPAL_EMEMORY;
    point_add(kernels, value, 1, point);
    for (size_t round = 0; round < 2; round++)
        for (size_t r = 0; r < points->n_removed; r++) {
            double along = kernels->dot_f64(points->removed[r], value, points->dim);
            kernels->axpy_f64(-along, points->removed[r], value, points->dim);
        }
    mem_free(point->index);
    mem_free(point->value);
    point->index = NULL;
    point->value = value;
    point->n = points->dim;
    return SEPAL_OK;
}

sepal_status point_fetch(struct point *out, sepal_ctx *ctx, const struct hull_points *points,
                         size_t number) {
    const struct question *q = points->q;
    size_t i, row = hull_points_row(points, number);
    const struct block *block = matrix_block_of(q->x, row, &i);
    *out = (struct point){.number = number, .group = hull_points_group(points, number)};
    bool plain = q->side && !points->lifted && !block->sparse;
    sepal_status status = plain ? fetch_dense(out, ctx, points, block, i, q->side[row])
                                : fetch_places(out, ctx, points, block, i);
    if (status == SEPAL_OK && points->n_removed) status = points_project(out, ctx, points);
    for (size_t e = 0; status == SEPAL_OK && e < out->n; e++)
        out->square += out->value[e] * out->value[e];
    if (status != SEPAL_OK) point_free(out);
    return status;
}

void point_free(struct point *point) {
    mem_free(point->index);
    mem_free(point->value);
    *point = (struct point){0};
}

double point_dot(const struct kernels *kernels, const struct point *point, const double *v) {
    return point->index ? kernels->gather_f64(point->value, point->index, v, point->n)
                        : kernels->dot_f64(point->value, v, point->n);
}

void point_add(const struct kernels *kernels, double *v, double a, const struct point *point) {
    if (point->index)
        kernels->scatter_f64(a, point->value, point->index, v, point->n);
    else
        kernels->axpy_f64(a, point->value, v, point->n);
}

/* ---- all points --------------------------------------------------------------------------- */

struct dot_pass {
    const struct hull_points *points;
    const double *v;      /* w times the scales, a row of cols for each class */
    const double *offset; /* per class: what the bias adds */
    double *values;
};
enum { ROWS_AT_ONCE = 1024 };

static double points_score(const struct dot_pass *all, const struct kernels *kernels, size_t row,
                           const double *v) {
    const struct hull_points *points = all->points;
    size_t i, cols = points->q->x->cols;
    const struct block *block = matrix_block_of(points->q->x, row, &i);
    return points->centre ? row_dot_centred(kernels, block, i, cols, points->centre, v)
                          : row_dot(kernels, block, i, cols, v);
}

static void dot_machine(const struct dot_pass *all, const struct kernels *kernels, size_t at) {
    const struct hull_points *points = all->points;
    const struct question *q = points->q;
    size_t row = points->rows[at], cols = q->x->cols, own = (size_t)q->label[row];
    double *values = all->values + at * (q->classes - 1);
    double best = points_score(all, kernels, row, all->v + own * cols) + all->offset[own];
    for (size_t k = 0; k < q->classes; k++)
        if (k != own)
            *values++ =
                best - (points_score(all, kernels, row, all->v + k * cols) + all->offset[k]);
}

static sepal_status dot_point_rows(sepal_ctx *ctx, size_t task, void *payload) {
    const struct dot_pass *all = payload;
    const struct hull_points *points = all->points;
    size_t end = (task + 1) * ROWS_AT_ONCE;
    if (end > points->n_rows) end = points->n_rows;
    for (size_t at = task * ROWS_AT_ONCE; at < end; at++) {
        if (!points->q->side) {
            dot_machine(all, ctx->kernels, at);
            continue;
        }
        size_t row = points->rows[at];
        double value = points_score(all, ctx->kernels, row, all->v) + all->offset[0];
        all->values[at] = points->q->side[row] < 0 ? -value : value;
    }
    return SEPAL_OK;
}

sepal_status hull_points_dot(double *values, sepal_ctx *ctx, const struct hull_points *points,
                             const double *w, double *scratch) {
    const struct question *q = points->q;
    size_t cols = q->x->cols, classes = q->side ? 1 : q->classes, width = cols + points->lifted;
    double *offset = mem_zero(ctx, classes, sizeof *offset);
    if (!offset) return SEPAL_EMEMORY;
    for (size_t k = 0; k < classes; k++) {
        for (size_t j = 0; j < cols; j++)
            scratch[k * cols + j] = w[k * width + j] * points->scale[j];
        if (points->lifted) offset[k] = w[k * width + cols];
    }
    struct dot_pass all = {points, scratch, offset, values};
    size_t tasks = (points->n_rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE;
    sepal_status status = parallel_for(ctx, tasks, dot_point_rows, &all);
    for (size_t i = 0; points->skip && i < points->n; i++)
        if (points->skip[i]) values[i] = INFINITY;
    mem_free(offset);
    return status;
}
