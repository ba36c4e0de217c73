/* The plane in which classes are seen best: the first two axes of Fisher's discriminant, of rows divided by
   their deviations, with a covariance R'R that is diagonal where there are many columns. With two classes
   there is one such axis; the second is the direction in which rows vary most within their classes.

   With W'(R'R)W = I, the row  m + (R'R) W u  has the projections u, and is of all rows with these the most
   usual one: that is how a point of the plane becomes a row. */
#include "plot/plane.h"

#include <string.h>

enum { MOST_FULL = 200, MOST_CELLS = 4000000, FEWEST_ROWS = 64, POWER_STEPS = 30 };

struct fisher {
    struct plot *plot;
    size_t n, cols, classes;
    double *z; /* n x cols: rows less their mean, divided by their deviations */
    double *mean, *deviation;
    double *class_mean; /* classes x cols, of z */
    size_t *count;
    int32_t *own_label;
    double *root; /* R: cols x cols, or cols numbers */
    bool full;
};

static sepal_status take_rows(struct fisher *f, const struct sampled *rows) {
    struct arena *arena = &f->plot->arena;
    sepal_ctx *ctx = f->plot->ctx;
    size_t most = MOST_CELLS / f->cols;
    if (most < FEWEST_ROWS) most = FEWEST_ROWS;
    f->n = rows->n < most ? rows->n : most;
    f->z = arena_alloc(ctx, arena, f->n, f->cols * sizeof *f->z);
    f->own_label = arena_alloc(ctx, arena, f->n, sizeof *f->own_label);
    TRY(ARENA_VECTORS(ctx, arena, f->cols, &f->mean, &f->deviation));
    if (!f->z || !f->own_label) return SEPAL_EMEMORY;
    for (size_t i = 0; i < f->n; i++) {
        size_t row = i * rows->n / f->n;
        sampled_row(f->z + i * f->cols, rows, row);
        f->own_label[i] = rows->rows.label[row];
        if ((size_t)f->own_label[i] >= f->classes) f->classes = (size_t)f->own_label[i] + 1;
    }
    return SEPAL_OK;
}

static void standardise(struct fisher *f) {
    size_t n = f->n, cols = f->cols;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < cols; j++)
            f->mean[j] += (f->z[i * cols + j] - f->mean[j]) / (double)(i + 1);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < cols; j++) {
            f->z[i * cols + j] -= f->mean[j];
            f->deviation[j] += f->z[i * cols + j] * f->z[i * cols + j];
        }
    for (size_t j = 0; j < cols; j++) {
        f->deviation[j] = sqrt(f->deviation[j] / (double)n);
        if (!(f->deviation[j] > 0)) f->deviation[j] = 1;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < cols; j++) f->z[i * cols + j] /= f->deviation[j];
}

static sepal_status find_means(struct fisher *f) {
    sepal_ctx *ctx = f->plot->ctx;
    f->class_mean = arena_zero(ctx, &f->plot->arena, f->classes, f->cols * sizeof(double));
    f->count = arena_zero(ctx, &f->plot->arena, f->classes, sizeof *f->count);
    if (!f->class_mean || !f->count) return SEPAL_EMEMORY;
    for (size_t i = 0; i < f->n; i++) {
        size_t k = (size_t)f->own_label[i];
        double part = 1.0 / (double)++f->count[k];
        for (size_t j = 0; j < f->cols; j++) {
            double *mean = &f->class_mean[k * f->cols + j];
            *mean += (f->z[i * f->cols + j] - *mean) * part;
        }
    }
    /* from here on z is what rows are within their classes */
    for (size_t i = 0; i < f->n; i++)
        for (size_t j = 0; j < f->cols; j++)
            f->z[i * f->cols + j] -= f->class_mean[(size_t)f->own_label[i] * f->cols + j];
    return SEPAL_OK;
}

/* R of the covariance within classes, with a little added to its diagonal so that there is one. */
static sepal_status find_root(struct fisher *f) {
    const double ridge = 1e-3;
    size_t cols = f->cols, n = f->n;
    sepal_ctx *ctx = f->plot->ctx;
    f->full = cols <= MOST_FULL;
    f->root = arena_zero(ctx, &f->plot->arena, f->full ? cols : 1, cols * sizeof *f->root);
    if (!f->root) return SEPAL_EMEMORY;
    if (!f->full) {
        for (size_t j = 0; j < cols; j++) {
            double sum = 0;
            for (size_t i = 0; i < n; i++) sum += f->z[i * cols + j] * f->z[i * cols + j];
            f->root[j] = sqrt(sum / (double)n + ridge);
        }
        return SEPAL_OK;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; a < cols; a++) {
            double factor = f->z[i * cols + a] / (double)n;
            for (size_t b = a; b < cols; b++) f->root[a * cols + b] += factor * f->z[i * cols + b];
        }
    for (size_t a = 0; a < cols; a++) {
        double *row = f->root + a * cols;
        row[a] += ridge;
        /* Cholesky, row by row: R_ab = (S_ab - sum R_ka R_kb) / R_aa */
        for (size_t k = 0; k < a; k++) {
            double factor = f->root[k * cols + a];
            for (size_t b = a; b < cols; b++) row[b] -= factor * f->root[k * cols + b];
        }
        double pivot = sqrt(fmax(row[a], ridge / 2));
        for (size_t b = a; b < cols; b++) row[b] /= pivot;
        row[a] = pivot;
    }
    return SEPAL_OK;
}

/* In place: x = inverse(R') x. */
static void solve_transposed(const struct fisher *f, double *x) {
    for (size_t a = 0; a < f->cols; a++) {
        x[a] /= f->full ? f->root[a * f->cols + a] : f->root[a];
        for (size_t b = a + 1; f->full && b < f->cols; b++) x[b] -= f->root[a * f->cols + b] * x[a];
    }
}

/* In place: x = inverse(R) x. */
static void solve_root(const struct fisher *f, double *x) {
    for (size_t a = f->cols; a-- > 0;) {
        for (size_t b = a + 1; f->full && b < f->cols; b++) x[a] -= f->root[a * f->cols + b] * x[b];
        x[a] /= f->full ? f->root[a * f->cols + a] : f->root[a];
    }
}

/* out = R' x. */
static void times_transposed(const struct fisher *f, double *out, const double *x) {
    memset(out, 0, f->cols * sizeof *out);
    for (size_t a = 0; a < f->cols; a++) {
        if (!f->full) out[a] = f->root[a] * x[a];
        for (size_t b = a; f->full && b < f->cols; b++) out[b] += f->root[a * f->cols + b] * x[a];
    }
}

static double product(const double *x, const double *y, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* Take off what lies along `other` (unit length, or NULL); false when nothing is left. */
static bool make_unit(double *x, const double *other, size_t n) {
    double before = sqrt(product(x, x, n));
    if (other) {
        double part = product(x, other, n);
        for (size_t i = 0; i < n; i++) x[i] -= part * other[i];
    }
    double length = sqrt(product(x, x, n));
    if (!(length > 1e-8 * before)) return false;
    for (size_t i = 0; i < n; i++) x[i] /= length;
    return true;
}

/* The longest axis of points p_0 .. p_{n-1} that is orthogonal to `other`, by powers of the sum of p p'. */
static bool longest(double *out, const double *points, size_t n, size_t cols, const double *other,
                    double *scratch) {
    for (size_t j = 0; j < cols; j++) out[j] = 1 + 0.01 * (double)(j % 7);
    if (!make_unit(out, other, cols)) return false;
    for (int step = 0; step < POWER_STEPS; step++) {
        memset(scratch, 0, cols * sizeof *scratch);
        for (size_t i = 0; i < n; i++) {
            double along = product(points + i * cols, out, cols);
            for (size_t j = 0; j < cols; j++) scratch[j] += along * points[i * cols + j];
        }
        if (!(product(scratch, scratch, cols) > 1e-20) || !make_unit(scratch, other, cols))
            return false;
        memcpy(out, scratch, cols * sizeof *out);
    }
    return true;
}

/* A column that is not along `other`: there is always one of two. */
static void any_other(double *out, const double *other, size_t cols) {
    for (size_t j = 0; j < cols; j++) {
        memset(out, 0, cols * sizeof *out);
        out[j] = 1;
        if (make_unit(out, other, cols)) return;
    }
}

/* One axis u of the whitened rows, |u| = 1, as it projects and as it is lifted. */
static void set_axis(struct plane *plane, const struct fisher *f, size_t a, double *u) {
    times_transposed(f, plane->lift[a], u);
    solve_root(f, u);
    size_t largest = 0;
    for (size_t j = 1; j < f->cols; j++)
        if (fabs(u[j]) > fabs(u[largest])) largest = j;
    double sign = u[largest] < 0 ? -1 : 1;
    for (size_t j = 0; j < f->cols; j++) {
        plane->along[a][j] = sign * u[j] / f->deviation[j];
        plane->lift[a][j] *= sign * f->deviation[j];
    }
}

sepal_status plane_fisher(struct plane *plane, struct plot *plot, const struct sampled *rows) {
    struct fisher f = {.plot = plot, .cols = plane->cols};
    double *axis[2], *scratch;
    TRY(take_rows(&f, rows));
    standardise(&f);
    TRY(find_means(&f));
    TRY(find_root(&f));
    TRY(ARENA_VECTORS(plot->ctx, &plot->arena, f.cols, &axis[0], &axis[1], &scratch));
    for (size_t k = 0; k < f.classes; k++) {
        double *mean = f.class_mean + k * f.cols;
        solve_transposed(&f, mean);
        for (size_t j = 0; j < f.cols; j++) mean[j] *= sqrt((double)f.count[k]);
    }
    plane->kind = PLANE_FISHER;
    plane->name[0] = "first axis of Fisher's discriminant";
    plane->name[1] = "second axis of Fisher's discriminant";
    if (!longest(axis[0], f.class_mean, f.classes, f.cols, NULL, scratch))
        any_other(axis[0], NULL, f.cols);
    size_t groups = 0;
    for (size_t k = 0; k < f.classes; k++) groups += f.count[k] > 0;
    if (groups < 3 || !longest(axis[1], f.class_mean, f.classes, f.cols, axis[0], scratch)) {
        plane->name[1] = "direction of most variation within the classes";
        bool found = longest(axis[1], f.z, f.n, f.cols, NULL, scratch);
        solve_transposed(&f, axis[1]);
        if (!found || !make_unit(axis[1], axis[0], f.cols)) any_other(axis[1], axis[0], f.cols);
    }
    set_axis(plane, &f, 0, axis[0]);
    set_axis(plane, &f, 1, axis[1]);
    memcpy(plane->centre, f.mean, f.cols * sizeof *f.mean);
    memcpy(plane->origin, f.mean, f.cols * sizeof *f.mean);
    return SEPAL_OK;
}
