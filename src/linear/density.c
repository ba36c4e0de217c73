#include "linear/density.h"

#include "core/alloc.h"
#include "kernels/blas.h"

#include <math.h>
#include <string.h>

const char *const density_names[DENSITY_KINDS] = {"shared",    "full",        "diagonal",
                                                  "spherical", "multinomial", "bernoulli"};

static const double LN_2_PI = 1.8378770664093453;

size_t density_root_size(enum density_kind kind, size_t forms, size_t cols) {
    size_t square, size;
    if (__builtin_mul_overflow(cols, cols, &square)) square = SIZE_MAX;
    switch (kind) {
    case DENSITY_SHARED: return square;
    case DENSITY_FULL: return __builtin_mul_overflow(forms, square, &size) ? SIZE_MAX : size;
    case DENSITY_DIAGONAL: return __builtin_mul_overflow(forms, cols, &size) ? SIZE_MAX : size;
    case DENSITY_SPHERICAL: return forms;
    default: return 0;
    }
}

sepal_status density_new(struct density **out, sepal_ctx *ctx, enum density_kind kind, size_t forms,
                         size_t cols) {
    size_t root = density_root_size(kind, forms, cols), means;
    *out = NULL;
    if (root == SIZE_MAX || __builtin_mul_overflow(forms, cols, &means))
        return fail(ctx, SEPAL_EMEMORY, "not enough memory for %zu densities of %zu columns", forms,
                    cols);
    struct density *density = mem_zero(ctx, 1, sizeof *density);
    if (!density) return SEPAL_EMEMORY;
    *density = (struct density){.kind = kind, .forms = forms, .cols = cols};
    density->mean = mem_zero(ctx, means, sizeof *density->mean);
    density->constant = mem_zero(ctx, forms, sizeof *density->constant);
    if (root) density->root = mem_zero(ctx, root, sizeof *density->root);
    if (density->mean && density->constant && (density->root || !root)) {
        *out = density;
        return SEPAL_OK;
    }
    density_free(density);
    return SEPAL_EMEMORY;
}

void density_free(struct density *density) {
    if (!density) return;
    mem_free(density->mean);
    mem_free(density->root);
    mem_free(density->constant);
    mem_free(density);
}

/* ln det R of one form. */
static double log_det(const struct density *density, size_t form) {
    size_t cols = density->cols;
    const double *root = density->root;
    double sum = 0;
    if (density->kind == DENSITY_SPHERICAL) return (double)cols * log(root[form]);
    if (density->kind == DENSITY_DIAGONAL) {
        for (size_t j = 0; j < cols; j++) sum += log(root[form * cols + j]);
        return sum;
    }
    if (density->kind == DENSITY_FULL) root += form * cols * cols;
    for (size_t j = 0; j < cols; j++) sum += log(root[j * cols + j]);
    return sum;
}

void density_normalise(struct density *density) {
    for (size_t form = 0; form < density->forms; form++)
        density->constant[form] = -0.5 * (double)density->cols * LN_2_PI - log_det(density, form);
}

void density_tangent(double *logs, double *slopes, const struct density *density,
                     const double *point, const struct blas *blas) {
    size_t cols = density->cols;
    for (size_t form = 0; form < density->forms; form++) {
        double *slope = slopes + form * cols, square = 0;
        const double *mean = density->mean + form * cols, *root = density->root;
        for (size_t j = 0; j < cols; j++) slope[j] = mean[j] - (point ? point[j] : 0);
        if (density->kind == DENSITY_FULL)
            blas->cholesky_solve(cols, root + form * cols * cols, cols, 1, slope, 1);
        for (size_t j = 0; j < cols && density->kind != DENSITY_FULL; j++) {
            double sd = root[density->kind == DENSITY_DIAGONAL ? form * cols + j : form];
            slope[j] /= sd * sd;
        }
        for (size_t j = 0; j < cols; j++) square += (mean[j] - (point ? point[j] : 0)) * slope[j];
        logs[form] = density->constant[form] - 0.5 * square;
    }
}

/* ---- ln p --------------------------------------------------------------------------------- */

/* Rows that are solved for at a time: BLAS has other loops, which round differently, for other numbers of
   rows, and what is said of a row must not depend on the rows beside it. */
enum { SOLVED_ROWS = 16 };

static size_t solved_rows(size_t n) {
    return (n + SOLVED_ROWS - 1) / SOLVED_ROWS * SOLVED_ROWS;
}

/* Of n rows less the centre, for covariances R'R; `z` has room for solved_rows(n) of them. */
static void factor_logs(double *out, const sepal_ctx *ctx, const struct density *density,
                        const double *rows, size_t n, double *z) {
    size_t cols = density->cols, all = solved_rows(n);
    memset(z + n * cols, 0, (all - n) * cols * sizeof *z);
    for (size_t form = 0; form < density->forms; form++) {
        const double *mean = density->mean + form * cols, *factor = density->root;
        if (density->kind == DENSITY_FULL) factor += form * cols * cols;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < cols; j++) z[i * cols + j] = rows[i * cols + j] - mean[j];
        for (size_t at = 0; at < all; at += SOLVED_ROWS)
            ctx->blas->right_solve(SOLVED_ROWS, cols, factor, cols, z + at * cols, cols);
        for (size_t i = 0; i < n; i++) {
            double square = ctx->kernels->dot_f64(z + i * cols, z + i * cols, cols);
            out[i * density->forms + form] = density->constant[form] - 0.5 * square;
        }
    }
}

/* The same for columns that are independent; `inverse`: of their standard deviations, all forms. */
static void column_logs(double *out, const sepal_ctx *ctx, const struct density *density,
                        const double *rows, size_t n, const double *inverse) {
    size_t cols = density->cols, forms = density->forms;
    for (size_t i = 0; i < n; i++)
        for (size_t form = 0; form < forms; form++) {
            double square = ctx->kernels->distance_scaled_f64(
                rows + i * cols, density->mean + form * cols, inverse + form * cols, cols);
            out[i * forms + form] = density->constant[form] - 0.5 * square;
        }
}

static sepal_status gaussian_logs(double *out, sepal_ctx *ctx, const struct density *density,
                                  const double *centre, const struct block *block, size_t first,
                                  size_t n) {
    enum { PANEL_CELLS = 1 << 17 }; /* 1 MiB: a factor is read once a panel */
    size_t cols = density->cols, forms = density->forms;
    size_t panel = PANEL_CELLS / cols > 0 ? PANEL_CELLS / cols : 1;
    bool factors = density->kind == DENSITY_SHARED || density->kind == DENSITY_FULL;
    if (panel > n) panel = n;
    double *rows =
        mem_alloc(ctx, panel + (factors ? solved_rows(panel) : forms), cols * sizeof *rows);
    if (!rows) return SEPAL_EMEMORY;
    double *room = rows + panel * cols;
    for (size_t i = 0; i < forms * cols && !factors; i++)
        room[i] = 1 / density->root[density->kind == DENSITY_DIAGONAL ? i : i / cols];
    for (size_t at = 0; at < n; at += panel) {
        size_t some = n - at < panel ? n - at : panel;
        block_dense(block, first + at, some, cols, centre, NULL, rows, cols);
        if (factors)
            factor_logs(out + at * forms, ctx, density, rows, some, room);
        else
            column_logs(out + at * forms, ctx, density, rows, some, room);
    }
    mem_free(rows);
    return SEPAL_OK;
}

/* ln(1 - e^x) of x < 0; each formula is exact where the other one cancels. */
static double log_of_rest(double x) {
    return x > -M_LN2 ? log(-expm1(x)) : log1p(-exp(x));
}

/* Entries of a row above 0 count as seen, each with its weight. */
static void bernoulli_row(double *out, const struct density *density, const struct block *block,
                          size_t i) {
    double x;
    memcpy(out, density->constant, density->forms * sizeof *out);
    for (size_t at = 0, j; row_next(block, i, density->cols, &at, &j, &x);) {
        for (size_t form = 0; x > 0 && form < density->forms; form++) {
            double log_p = density->mean[form * density->cols + j];
            out[form] += log_p - log_of_rest(log_p);
        }
    }
}

static sepal_status multinomial_row(double *out, sepal_ctx *ctx, const struct density *density,
                                    const struct block *block, size_t i) {
    double length = 0, arrangements = 0, x;
    int sign; /* lgamma itself would leave it in a global variable */
    memset(out, 0, density->forms * sizeof *out);
    for (size_t at = 0, j; row_next(block, i, density->cols, &at, &j, &x);) {
        if (x < 0)
            return fail(ctx, SEPAL_EDATA,
                        "matrix column %zu of row %zu is below 0, and the density of this model is "
                        "one of counts",
                        j + 1, row_number(block, i) + 1);
        length += x;
        arrangements -= lgamma_r(x + 1, &sign);
        for (size_t form = 0; form < density->forms; form++)
            out[form] += x * density->mean[form * density->cols + j];
    }
    arrangements += lgamma_r(length + 1, &sign);
    for (size_t form = 0; form < density->forms; form++) out[form] += arrangements;
    return SEPAL_OK;
}

sepal_status density_logs(double *out, sepal_ctx *ctx, const struct density *density,
                          const double *centre, const struct block *block, size_t first, size_t n) {
    size_t forms = density->forms;
    bool counts = density->kind == DENSITY_MULTINOMIAL, bits = density->kind == DENSITY_BERNOULLI;
    if (!counts && !bits) TRY(gaussian_logs(out, ctx, density, centre, block, first, n));
    for (size_t i = 0; counts && i < n; i++)
        TRY(multinomial_row(out + i * forms, ctx, density, block, first + i));
    for (size_t i = 0; bits && i < n; i++)
        bernoulli_row(out + i * forms, density, block, first + i);
    for (size_t i = 0; i < n; i++)
        for (size_t form = 0; form < forms; form++)
            if (!isfinite(out[i * forms + form]))
                return fail(ctx, SEPAL_EDATA,
                            "ln p of row %zu is beyond the range of a double; its values are too "
                            "large for this model",
                            row_number(block, first + i) + 1);
    return SEPAL_OK;
}
