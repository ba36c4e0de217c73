/* Sums of squares and products of rows around the means of their classes. */
#include "statistics/scatter.h"

#include "core/alloc.h"
#include "core/parallel.h"
#include "kernels/blas.h"
#include "dense/integer_gram.h"
#include "dense/tall.h"
#include "statistics/scatter_parts.h"

#include <math.h>

/* ---- scatter matrices --------------------------------------------------------------------- */

void scatter_fill(const void *rows, size_t first, size_t n, double *out, size_t stride) {
    const struct scatter_rows *list = rows;
    const struct scatter *s = list->s;
    size_t cols = s->x->cols;
    for (size_t i = 0; i < n; i++, out += stride) {
        size_t row = list->row ? list->row[first + i] : first + i, local;
        const struct block *block = matrix_block_of(s->x, row, &local);
        const double *mean = s->mean + scatter_class(s, row) * cols;
        double root = s->weight ? sqrt(s->weight[row]) : 1;
        block_dense(block, local, 1, cols, s->centre, NULL, out, cols);
        for (size_t j = 0; j < s->n; j++) out[j] = root * (out[s->active[j]] - mean[s->active[j]]);
        for (size_t j = 0; s->inverse_unit && j < s->n; j++)
            out[j] *= s->inverse_unit[s->active[j]];
    }
}

void scatter_scale(double *matrix, const struct scatter *s, double divisor) {
    size_t n = s->n;
    for (size_t i = 0; i < n; i++) {
        double *row = matrix + i * n, inverse = scatter_inverse_unit(s, s->active[i]);
        if (row[i] > 0) row[i] = divisor;
        for (size_t j = i + 1; j < n; j++)
            row[j] *= inverse * scatter_inverse_unit(s, s->active[j]);
    }
}

/* ---- of integers: rows less the integers nearest to the means of their classes, exactly */

/* Integers c near the means, what they are less than the means in sum, and where columns are. */
static sepal_status round_means(struct integer_rows *out, double *rest, const struct scatter *s) {
    size_t cols = s->x->cols, n = s->n;
    float *minus = arena_zero(s->ctx, s->arena, s->classes, (n + 1) * sizeof *minus);
    size_t *places = arena_alloc(s->ctx, s->arena, cols, sizeof *places);
    if (!minus || !places) return SEPAL_EMEMORY;
    for (size_t j = 0; j < cols; j++) places[j] = n;
    for (size_t p = 0; p < n; p++) places[s->active[p]] = p;
    for (size_t i = 0; i < s->classes * n; i++) {
        size_t k = i / n, j = s->active[i % n];
        double mean = s->centre[j] + s->mean[k * cols + j];
        minus[k * (n + 1) + i % n] = -(float)rint(mean);
        /* sum of x - c over the class, an integer, over the root of their number */
        rest[i] = rint((mean - rint(mean)) * s->class_weight[k]) / sqrt(s->class_weight[k]);
    }
    out->minus = minus;
    out->places = places;
    return SEPAL_OK;
}

struct correcting {
    double *gram;
    const double *rest;
    size_t n, first, classes;
};

static sepal_status correct_row(sepal_ctx *ctx, size_t i, void *payload) {
    const struct correcting *all = payload;
    size_t n = all->n;
    for (size_t k = all->first; k < all->first + all->classes; k++) {
        const double *rest = all->rest + k * n;
        if (rest[i] != 0) ctx->kernels->axpy_f64(-rest[i], rest + i, all->gram + i * n + i, n - i);
    }
    return SEPAL_OK;
}

/* Z'Z around integers is larger than around the means by N d d' for each class, d being the
   difference of the two, at most 1/2. Integers of mean c + d vary by d (1 - d) at least: so no
   variance is less than half of what it is the difference of. */
static sepal_status add_integers(double *out, bool *exact, const struct scatter *s,
                                 const size_t *row, size_t rows, size_t k) {
    enum { COLUMNS_FEWEST = 128 };
    bool all = row == NULL;
    struct integer_rows integers = {
        .x = s->x, .list = row, .rows = rows, .label = s->label, .active = s->active, .n = s->n};
    *exact = !s->weight && s->n > COLUMNS_FEWEST && s->ctx->blas->syrk_t_single != NULL;
    if (!*exact) return SEPAL_OK;
    double *rest = arena_alloc(s->ctx, s->arena, s->classes, s->n * sizeof *rest);
    if (!rest) return SEPAL_EMEMORY;
    TRY(round_means(&integers, rest, s));
    TRY(integer_gram(out, exact, s->ctx, &integers));
    struct correcting correcting = {.gram = out,
                                    .rest = rest,
                                    .n = s->n,
                                    .first = all ? 0 : k,
                                    .classes = all ? s->classes : 1};
    return *exact ? parallel_for(s->ctx, s->n, correct_row, &correcting) : SEPAL_OK;
}

/* ---- of any numbers */

static sepal_status add_products(double *out, const struct scatter *s, const size_t *row, size_t n,
                                 size_t k) {
    bool exact = false;
    struct scatter_rows rows = {.s = s, .row = row};
    struct tall tall = {
        .rows = n, .cols = s->n, .stride = s->x->cols, .fill = scatter_fill, .payload = &rows};
    if (s->n == 0) return SEPAL_OK;
    TRY(add_integers(out, &exact, s, row, n, k));
    return exact ? SEPAL_OK : tall_gram(out, s->ctx, &tall);
}

sepal_status scatter_within(double *out, const struct scatter *s) {
    if (s->left) return scatter_left_within(out, s);
    return add_products(out, s, NULL, s->x->rows, 0);
}

sepal_status scatter_of_class(double *out, const struct scatter *s, const struct class_order *order,
                              size_t k) {
    if (s->left) return scatter_left_of_class(out, s, k);
    return add_products(out, s, order->row + order->first[k], s->class_rows[k], k);
}

/* ---- squares of single columns ------------------------------------------------------------ */

#define ADD_SQUARES(name, type)                                                                    \
    static void name(double *restrict sum, const type *restrict x, const double *restrict centre,  \
                     const double *restrict mean, double weight, size_t n) {                       \
        for (size_t j = 0; j < n; j++) {                                                           \
            double difference = (double)x[j] - centre[j] - mean[j];                                \
            sum[j] += weight * (difference * difference);                                          \
        }                                                                                          \
    }
ADD_SQUARES(add_singles, float)
ADD_SQUARES(add_doubles, double)

/* Of sparse rows, only the entries. */
static void scatter_add_squares(const struct scatter *s, const struct block *block, size_t from,
                                size_t to, double *sums, const void *payload) {
    size_t cols = s->x->cols;
    const double *centre = s->centre + from;
    double x;
    (void)payload;
    for (size_t i = 0; i < block->rows; i++) {
        size_t k = scatter_class(s, block->first_row + i), at = i * cols + from;
        double weight = scatter_weight(s, block->first_row + i), *sum = sums + k * cols;
        const double *mean = s->mean + k * cols;
        if (!block->sparse && block->f32)
            add_singles(sum + from, block->f32 + at, centre, mean + from, weight, to - from);
        else if (!block->sparse)
            add_doubles(sum + from, block->f64 + at, centre, mean + from, weight, to - from);
        if (!block->sparse) continue;
        size_t j;
        at = row_seek(block, i, from);
        while (row_next(block, i, cols, &at, &j, &x) && j < to) {
            double difference = x - s->centre[j] - mean[j];
            sum[j] += weight * (difference * difference);
        }
    }
}

sepal_status scatter_squares(double *out, const struct scatter *s) {
    size_t cols = s->x->cols, width = s->classes * cols;
    if (s->left) return scatter_left_squares(out, s);
    TRY(scatter_sum(out, s, width, scatter_add_squares, NULL));
    for (size_t i = 0; s->present && i < width; i++) {
        double zero = s->centre[i % cols] + s->mean[i]; /* the mean: what a 0 differs by */
        out[i] += (s->class_weight[i / cols] - s->present[i]) * (zero * zero);
    }
    return SEPAL_OK;
}

/* ---- squares of projections --------------------------------------------------------------- */

struct projecting {
    const struct scatter *s;
    const double *w;
    double *mean; /* of each class's projections, less what is taken off the entries themselves */
};

/* Whether all rows of a class have an entry in a column of sparse rows: then its centre, which may be
   far from 0, is taken off them one by one, as off dense ones, and costs no digits of the spread. */
static bool is_full(const struct scatter *s, size_t k, size_t column) {
    return s->present && s->present[k * s->x->cols + column] == s->class_weight[k];
}

static double project_sparse(const struct projecting *all, const struct block *block, size_t i,
                             size_t k) {
    const struct scatter *s = all->s;
    double sum = 0, x;
    for (size_t at = 0, j; row_next(block, i, s->x->cols, &at, &j, &x);)
        sum += all->w[j] * (is_full(s, k, j) ? x - s->centre[j] : x);
    return sum;
}

static sepal_status add_projections(sepal_ctx *ctx, const struct block *block, double *sums,
                                    void *payload) {
    const struct projecting *all = payload;
    const struct scatter *s = all->s;
    size_t cols = s->x->cols;
    for (size_t i = 0; i < block->rows; i++) {
        size_t k = scatter_class(s, block->first_row + i);
        double y = block->sparse ? project_sparse(all, block, i, k)
                                 : row_dot_centred(ctx->kernels, block, i, cols, s->centre, all->w);
        y -= all->mean[k];
        sums[k] += scatter_weight(s, block->first_row + i) * (y * y);
    }
    return SEPAL_OK;
}

sepal_status scatter_along(double *out, const struct scatter *s, const double *w) {
    size_t cols = s->x->cols;
    const struct kernels *kernels = s->ctx->kernels;
    struct projecting all = {.s = s, .w = w};
    if (s->left) return scatter_lacks(s);
    all.mean = mem_alloc(s->ctx, s->classes, sizeof *all.mean);
    if (!all.mean) return SEPAL_EMEMORY;
    for (size_t k = 0; k < s->classes; k++) {
        all.mean[k] = kernels->dot_f64(s->mean + k * cols, w, cols);
        for (size_t j = 0; s->x->sparse && j < cols; j++)
            if (!is_full(s, k, j)) all.mean[k] += s->centre[j] * w[j];
    }
    sepal_status status = matrix_sum(out, s->ctx, s->x, s->classes, add_projections, &all);
    mem_free(all.mean);
    return status;
}
