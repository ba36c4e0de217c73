/* With A the inverse of a covariance R'R and m the mean, both of a form of a density, ln p is -1/2 z'Az + m'Az less
   1/2 m'Am, linear in the products of the columns z. A is T T' with T the inverse of R. Rounding in T, and in a
   solution by R, is bounded by |T||R||T| (Higham, "Accuracy and Stability of Numerical Algorithms", 2002, 8.1), so
   by |T||T'| times the largest sum of a row or column of |T||R|. */
#include "selection/fold_lift.h"

#include "linear/strategy.h"

#include <math.h>
#include <string.h>

enum { WIDTH_MOST = 2500 };

enum lift lift_of(const struct linear *linear) {
    if (!density_is_quadratic(linear->density)) return LIFT_NONE;
    return linear->density->kind == DENSITY_FULL ? LIFT_PRODUCTS : LIFT_SQUARES;
}

size_t lift_width(enum lift lift, size_t cols) {
    return lift == LIFT_NONE      ? cols
           : lift == LIFT_SQUARES ? 2 * cols
                                  : cols + cols * (cols + 1) / 2;
}

bool lift_serves(const struct linear *linear) {
    enum lift lift = lift_of(linear);
    size_t forms = lift == LIFT_NONE ? 0 : linear->density->forms;
    if (lift == LIFT_NONE) return !linear->bits;
    if (linear->cols > WIDTH_MOST || lift_width(lift, linear->cols) > WIDTH_MOST) return false;
    return forms == linear->rows || (linear->rows == 1 && forms == 2);
}

void lift_row(double *out, enum lift lift, const double *row, size_t cols) {
    memcpy(out, row, cols * sizeof *out);
    out += cols;
    for (size_t j = 0; j < cols && lift == LIFT_SQUARES; j++) out[j] = row[j] * row[j];
    for (size_t i = 0; i < cols && lift == LIFT_PRODUCTS; i++, out += cols - i + 1)
        for (size_t j = i; j < cols; j++) out[j - i] = row[i] * row[j];
}

/* ---- one form ----------------------------------------------------------------------------- */

struct form {
    size_t cols;
    double *mean;                  /* less the centre */
    double *inverse, *size, *move; /* T; |T||T'|; room for a row */
    double *w, *size_w;            /* width */
    double b, size_b;
};

static void independent_form(struct form *form, const struct density *density, size_t k) {
    size_t cols = form->cols;
    form->b = density->constant[k];
    form->size_b = fabs(form->b);
    for (size_t j = 0; j < cols; j++) {
        double sd = density->root[density->kind == DENSITY_DIAGONAL ? k * cols + j : k];
        double part = 1 / (sd * sd), mean = form->mean[j];
        form->w[j] = part * mean;
        form->w[cols + j] = -0.5 * part;
        form->b -= 0.5 * part * mean * mean;
        form->size_b += part * mean * mean;
        form->size_w[j] = fabs(form->w[j]);
        form->size_w[cols + j] = part;
    }
}

/* T, upper triangular, by columns from the right. */
static void invert(double *t, const double *r, size_t n) {
    memset(t, 0, n * n * sizeof *t);
    for (size_t j = 0; j < n; j++) {
        t[j * n + j] = 1 / r[j * n + j];
        for (size_t i = j; i-- > 0;) {
            double sum = 0;
            for (size_t k = i + 1; k <= j; k++) sum += r[i * n + k] * t[k * n + j];
            t[i * n + j] = -sum / r[i * n + i];
        }
    }
}

/* The largest sum of a row of |a||b|, both upper triangular. */
static double largest_row(const double *a, const double *b, size_t n) {
    double most = 1;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t k = i; k < n; k++)
            for (size_t j = k; j < n; j++) sum += fabs(a[i * n + k]) * fabs(b[k * n + j]);
        most = fmax(most, sum);
    }
    return most;
}

static double largest_column(const double *a, const double *b, size_t n, double *sum) {
    double most = 1;
    memset(sum, 0, n * sizeof *sum);
    for (size_t i = 0; i < n; i++)
        for (size_t k = i; k < n; k++)
            for (size_t j = k; j < n; j++) sum[j] += fabs(a[i * n + k]) * fabs(b[k * n + j]);
    for (size_t j = 0; j < n; j++) most = fmax(most, sum[j]);
    return most;
}

static void full_form(struct form *form, const struct density *density, size_t k) {
    size_t n = form->cols, at = n;
    const double *r = density->root + k * n * n;
    double *t = form->inverse;
    invert(t, r, n);
    double growth = fmax(largest_row(t, r, n), largest_column(t, r, n, form->move));
    growth = fmax(growth, fmax(largest_row(r, t, n), largest_column(r, t, n, form->move)));
    form->b = density->constant[k];
    form->size_b = fabs(form->b);
    memset(form->w, 0, n * sizeof *form->w);
    memset(form->size_w, 0, n * sizeof *form->size_w);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++, at++) {
            double sum = 0, size = 0, twice = i == j ? 1 : 2;
            for (size_t c = j; c < n; c++) {
                sum += t[i * n + c] * t[j * n + c];
                size += fabs(t[i * n + c] * t[j * n + c]);
            }
            double mean = form->mean[i] * form->mean[j];
            size *= growth;
            form->w[at] = -0.5 * twice * sum;
            form->size_w[at] = twice * size;
            form->b -= 0.5 * twice * sum * mean;
            form->size_b += twice * size * fabs(mean);
            form->w[i] += sum * form->mean[j];
            form->size_w[i] += size * fabs(form->mean[j]);
            if (i == j) continue;
            form->w[j] += sum * form->mean[i];
            form->size_w[j] += size * fabs(form->mean[i]);
        }
}

/* ---- a model ------------------------------------------------------------------------------ */

static void add_form(struct lifted *out, size_t r, size_t width, const struct form *form,
                     double sign) {
    for (size_t j = 0; j < width; j++) {
        out->w[r * width + j] += sign * form->w[j];
        out->size_w[r * width + j] += form->size_w[j];
    }
    out->b[r] += sign * form->b;
    out->size_b[r] += form->size_b;
}

static sepal_status lift_forms(struct lifted *out, sepal_ctx *ctx, struct arena *arena,
                               const struct linear *linear, const double *centre) {
    const struct density *density = linear->density;
    size_t cols = linear->cols, width = lift_width(lift_of(linear), cols);
    bool full = density->kind == DENSITY_FULL, pairs = density->forms != linear->rows;
    struct form form = {.cols = cols};
    double *room = arena_alloc(ctx, arena, 2, (cols + width) * sizeof *room);
    if (full) form.inverse = arena_alloc(ctx, arena, cols, cols * sizeof *room);
    if (!room || (full && !form.inverse)) return SEPAL_EMEMORY;
    form.mean = room;
    form.move = form.mean + cols;
    form.w = form.move + cols;
    form.size_w = form.w + width;
    for (size_t k = 0; k < density->forms; k++) {
        for (size_t j = 0; j < cols; j++)
            form.mean[j] = density->mean[k * cols + j] +
                           ((linear->centre ? linear->centre[j] : 0) - centre[j]);
        (full ? full_form : independent_form)(&form, density, k);
        add_form(out, pairs ? k / 2 : k, width, &form, pairs && k % 2 == 0 ? -1 : 1);
    }
    return SEPAL_OK;
}

static void lift_rows(struct lifted *out, const struct linear *linear, const double *centre) {
    size_t cols = linear->cols;
    for (size_t r = 0; r < linear->rows; r++)
        for (size_t j = 0; j < cols; j++) {
            double w = linear->w[r * cols + j], own = linear->centre ? linear->centre[j] : 0;
            out->w[r * cols + j] = w;
            out->size_w[r * cols + j] = fabs(w);
            out->b[r] += w * (centre[j] - own);
            out->size_b[r] += fabs(w) * (fabs(centre[j]) + fabs(own));
        }
}

sepal_status lifted_make(struct lifted *out, sepal_ctx *ctx, struct arena *arena,
                         const struct linear *linear, const double *centre) {
    enum lift lift = lift_of(linear);
    size_t rows = linear->rows, width = lift_width(lift, linear->cols);
    *out = (struct lifted){.w = arena_zero(ctx, arena, 2 * rows, width * sizeof(double)),
                           .b = arena_zero(ctx, arena, 2, rows * sizeof(double))};
    if (!out->w || !out->b) return SEPAL_EMEMORY;
    out->size_w = out->w + rows * width;
    out->size_b = out->b + rows;
    if (lift == LIFT_NONE)
        lift_rows(out, linear, centre);
    else
        TRY(lift_forms(out, ctx, arena, linear, centre));
    for (size_t r = 0; r < rows; r++) {
        out->b[r] += linear->b[r];
        out->size_b[r] += fabs(linear->b[r]);
    }
    return SEPAL_OK;
}
