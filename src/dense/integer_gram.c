/* Products of small integers in single precision, which is twice as fast as double, and exact: a sum
   of products is an integer, and all partial sums are too as long as none exceeds 2^24. By the
   inequality of Cauchy and Schwarz none does in a panel of rows in which no column's sum of squares
   exceeds it. (256 rows of 8-bit integers always are such a panel; most often 1,024 are.) The
   panels' matrices are added up in double precision, where integers are exact up to 2^53. So the
   order of additions does not matter, nor does who makes them, and the threads take panels as they
   come. */
#include "dense/integer_gram.h"

#include "core/alloc.h"
#include "core/lock.h"
#include "core/parallel.h"
#include "kernels/blas.h"
#include "kernels/f32_panels.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* Rows of a panel at first, and the fewest for which single precision pays. */
enum { PANEL_ROWS = 1024, FEWEST_ROWS = 64 };
static const float EXACT_MOST = 0x1p24f;
/* Beyond this a single product is too large. */
static const float VALUE_MOST = 0x1p12f;

struct integer_summing {
    const struct integer_rows *rows;
    double *out;
    struct lock lock; /* of `out` */
    atomic_size_t next;
    atomic_bool inexact;
};

/* What one thread works with. */
struct gram_panel {
    float *z, *product, *squares; /* PANEL_ROWS x n, and one for columns left out; n x n; n */
    size_t step;                  /* rows that were few enough so far */
};

/* ---- rows --------------------------------------------------------------------------------- */

/* The difference itself may have been rounded to an integer. */
static bool is_small_integer(double x, double difference) {
    return x == rint(x) && fabs(difference) <= (double)VALUE_MOST;
}

static bool fill_sparse(float *out, const struct integer_rows *rows, const struct block *block,
                        size_t i, const float *minus) {
    double x;
    memcpy(out, minus, (rows->n + 1) * sizeof *out); /* the next row is not there yet */
    if (block->values == VALUES_F32 && !block->centre) {
        size_t from = block->start[i], n = block->start[i + 1] - from;
        return f32_panels_scatter(out, minus, block->f32 + from, block->index + from, rows->places,
                                  n, VALUE_MOST);
    }
    for (size_t at = 0, j; row_next(block, i, rows->x->cols, &at, &j, &x);) {
        size_t place = rows->places[j];
        if (!is_small_integer(x, x + (double)minus[place])) return false;
        out[place] = (float)(x + (double)minus[place]);
    }
    return true;
}

static bool fill_singles(float *out, const struct integer_rows *rows, const float *x,
                         const float *minus) {
    size_t n = rows->n;
    if (n == rows->x->cols) return f32_panels_centre(out, x, minus, n, VALUE_MOST);
    for (size_t p = 0; p < n; p++) out[p] = x[rows->active[p]];
    return f32_panels_centre(out, out, minus, n, VALUE_MOST);
}

static bool fill_doubles(float *out, const struct integer_rows *rows, const double *x,
                         const float *minus) {
    for (size_t p = 0; p < rows->n; p++) {
        double z = x[rows->active[p]] + (double)minus[p];
        if (!is_small_integer(x[rows->active[p]], z)) return false;
        out[p] = (float)z;
    }
    return true;
}

static bool fill_panel(const struct gram_panel *panel, const struct integer_rows *rows,
                       size_t first, size_t n) {
    const struct matrix *x = rows->x;
    for (size_t i = 0; i < n; i++) {
        size_t row = rows->list ? rows->list[first + i] : first + i, local;
        const struct block *block = matrix_block_of(x, row, &local);
        const float *minus =
            rows->minus + (rows->label ? (size_t)rows->label[row] * (rows->n + 1) : 0);
        float *out = panel->z + i * rows->n;
        bool good;
        if (block->sparse)
            good = fill_sparse(out, rows, block, local, minus);
        else if (block->f32)
            good = fill_singles(out, rows, block->f32 + local * x->cols, minus);
        else
            good = fill_doubles(out, rows, block->f64 + local * x->cols, minus);
        if (!good) return false;
    }
    return true;
}

/* ---- products ----------------------------------------------------------------------------- */

/* A sum of squares that is rounded has passed the limit already. */
static bool small_enough(const struct gram_panel *panel, const float *z, size_t rows, size_t n) {
    return f32_panels_largest_square(panel->squares, z, rows, n) <= EXACT_MOST;
}

static void integer_gram_add_product(struct integer_summing *all, const struct gram_panel *panel) {
    lock_take(&all->lock);
    f32_panels_add_triangle(all->out, panel->product, all->rows->n);
    lock_give(&all->lock);
}

/* false: not even a few rows can be multiplied exactly. Steps are PANEL_ROWS / 2^k and begin at
   multiples of themselves, so that the answer is whether each FEWEST_ROWS rows, counted from the
   panel's first, can: it depends neither on the rows' number nor on the step that the panels before
   left, which differ between threads. */
static bool integer_gram_add_panel(struct integer_summing *all, struct gram_panel *panel,
                                   size_t rows, sepal_ctx *ctx) {
    size_t n = all->rows->n;
    for (size_t from = 0, some; from < rows; from += some) {
        some = rows - from < panel->step ? rows - from : panel->step;
        while (!small_enough(panel, panel->z + from * n, some, n)) {
            if (panel->step == FEWEST_ROWS) return false;
            panel->step /= 2;
            if (some > panel->step) some = panel->step;
        }
        ctx->blas->syrk_t_single(n, some, panel->z + from * n, n, panel->product, n);
        integer_gram_add_product(all, panel);
    }
    return true;
}

static sepal_status add_panels(sepal_ctx *ctx, size_t worker, void *payload) {
    struct integer_summing *all = payload;
    size_t n = all->rows->n;
    struct gram_panel panel = {.step = PANEL_ROWS};
    (void)worker;
    panel.z = mem_alloc(ctx, PANEL_ROWS + n + 2, n * sizeof *panel.z);
    if (!panel.z) return SEPAL_EMEMORY;
    panel.product = panel.z + (PANEL_ROWS + 1) * n;
    panel.squares = panel.product + n * n;
    while (!all->inexact && !cancelled(ctx)) {
        size_t first = PANEL_ROWS * all->next++, left = all->rows->rows - first;
        if (first >= all->rows->rows) break;
        size_t rows = left < PANEL_ROWS ? left : PANEL_ROWS;
        if (!fill_panel(&panel, all->rows, first, rows) ||
            !integer_gram_add_panel(all, &panel, rows, ctx))
            all->inexact = true;
    }
    mem_free(panel.z);
    return SEPAL_OK;
}

sepal_status integer_gram(double *out, bool *exact, sepal_ctx *ctx,
                          const struct integer_rows *rows) {
    struct integer_summing all = {.rows = rows, .out = out, .lock = LOCK_INIT};
    *exact = ctx->blas->syrk_t_single != NULL;
    if (!*exact) return SEPAL_OK;
    memset(out, 0, rows->n * rows->n * sizeof *out);
    TRY(parallel_workers(ctx, add_panels, &all));
    TRY(check_cancelled(ctx, "adding up products of columns"));
    *exact = !all.inexact;
    return SEPAL_OK;
}
