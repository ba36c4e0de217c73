/* Existence of an exact solution, by floating point with bounds on its rounding (Rump, "Verification
   methods", Acta Numerica 2010, section 10; the idea is Krawczyk's).

   Given A (n x k, n < k) and multipliers m > 0 with A m about 0, is there a z near 1 with
   A diag(m) z = 0 exactly? Let B be n columns of A diag(m); the z of the others stay 1. For any R with
   |I - R B| <= beta < 1 (maximum norm) B is not singular, and with r = A m

       |z - 1|  <=  |R r| / (1 - beta).

   R is an approximate inverse, how good is of no concern: every quantity above is bounded together
   with the rounding errors of computing it, and A itself is known to a relative error only. */
#include "certificates/certificate.h"

#include "core/arena.h"

#include <math.h>
#include <string.h>

struct interval_proof {
    const struct kernels *kernels;
    size_t n, k;
    double *a;       /* n x k: A diag(m), rows scaled to about 1 */
    double *copy;    /* the same, for elimination */
    size_t *basis;   /* n columns */
    double *b;       /* n x n */
    double *wide;    /* n x 2n: (B, I), at last (I, R) */
    double *row;     /* n */
    double relative; /* error of all that is computed, relative to absolute values */
};

/* Numbers so small beside others of their equation that they might underflow are not dealt with. */
static const double LEAST = 0x1p-900;
/* Sums of bounds are themselves rounded; they have fewer than 10^12 terms. */
static const double UPWARD = 1.01;

static bool interval_fill(struct interval_proof *p, const double *values,
                          const double *multipliers) {
    double largest = 0;
    for (size_t j = 0; j < p->k; j++) largest = fmax(largest, multipliers[j]);
    int exponent_of_all;
    (void)frexp(largest, &exponent_of_all);
    for (size_t i = 0; i < p->n; i++) {
        double most = 0, *a = p->a + i * p->k;
        for (size_t j = 0; j < p->k; j++) {
            a[j] = values[i * p->k + j] * ldexp(multipliers[j], -exponent_of_all);
            if (values[i * p->k + j] != 0 && fabs(a[j]) < LEAST) return false;
            most = fmax(most, fabs(a[j]));
        }
        int exponent;
        (void)frexp(most, &exponent);
        for (size_t j = 0; j < p->k; j++) {
            if (a[j] != 0 && fabs(ldexp(a[j], -exponent)) < LEAST) return false;
            a[j] = ldexp(a[j], -exponent);
        }
    }
    return true;
}

static void interval_exchange(double *a, double *b, size_t n) {
    for (size_t j = 0; a != b && j < n; j++) {
        double keep = a[j];
        a[j] = b[j];
        b[j] = keep;
    }
}

/* Columns that are far from dependent: elimination with the largest pivot of all that is left. */
static bool choose_basis(struct interval_proof *p) {
    enum { ENOUGH = 48 }; /* bits: pivots smaller by this many are noise */
    memcpy(p->copy, p->a, p->n * p->k * sizeof *p->copy);
    double first = 0;
    for (size_t step = 0; step < p->n; step++) {
        size_t at_row = step, at_column = 0;
        double best = -1;
        for (size_t i = step; i < p->n; i++)
            for (size_t j = 0; j < p->k; j++)
                if (fabs(p->copy[i * p->k + j]) > best) {
                    best = fabs(p->copy[i * p->k + j]);
                    at_row = i;
                    at_column = j;
                }
        if (step == 0) first = best;
        if (!(best > ldexp(first, -ENOUGH))) return false;
        double *pivot = p->copy + step * p->k;
        interval_exchange(pivot, p->copy + at_row * p->k, p->k);
        for (size_t i = step + 1; i < p->n; i++) {
            double *row = p->copy + i * p->k;
            p->kernels->axpy_f64(-row[at_column] / pivot[at_column], pivot, row, p->k);
            row[at_column] = 0;
        }
        p->basis[step] = at_column;
        for (size_t j = 0; j < p->n; j++) p->copy[j * p->k + at_column] = 0;
    }
    return true;
}

/* Gauss and Jordan with row exchanges; false when a pivot is 0. */
static bool invert(struct interval_proof *p) {
    size_t n = p->n, width = 2 * n;
    memset(p->wide, 0, n * width * sizeof *p->wide);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) p->b[i * n + j] = p->a[i * p->k + p->basis[j]];
        memcpy(p->wide + i * width, p->b + i * n, n * sizeof *p->b);
        p->wide[i * width + n + i] = 1;
    }
    for (size_t step = 0; step < n; step++) {
        size_t at = step;
        for (size_t i = step + 1; i < n; i++)
            if (fabs(p->wide[i * width + step]) > fabs(p->wide[at * width + step])) at = i;
        double *pivot = p->wide + step * width;
        interval_exchange(pivot, p->wide + at * width, width);
        if (pivot[step] == 0) return false;
        double scale = 1 / pivot[step];
        for (size_t j = step; j < width; j++) pivot[j] *= scale;
        for (size_t i = 0; i < n; i++) {
            double *row = p->wide + i * width;
            if (i != step && row[step] != 0)
                p->kernels->axpy_f64(-row[step], pivot + step, row + step, width - step);
        }
    }
    return true;
}

/* Of a sum and its rounding, relative to the sum of absolute values; infinite where these overflow. */
static double interval_upper_bound(const struct interval_proof *p, double sum, double size) {
    bool finite = isfinite(sum) && isfinite(size);
    return finite ? UPWARD * (fabs(sum) + p->relative * size) : INFINITY;
}

/* An upper bound of |I - R B|. */
static double distance_from_identity(struct interval_proof *p) {
    double worst = 0;
    for (size_t i = 0; i < p->n; i++) {
        const double *r = p->wide + i * 2 * p->n + p->n;
        double sum = 0, size = 0;
        memset(p->row, 0, p->n * sizeof *p->row);
        p->row[i] = 1;
        for (size_t l = 0; l < p->n; l++) {
            const double *b = p->b + l * p->n;
            p->kernels->axpy_f64(-r[l], b, p->row, p->n);
            double absolute = 0;
            for (size_t j = 0; j < p->n; j++) absolute += fabs(b[j]);
            size += fabs(r[l]) * absolute;
        }
        for (size_t j = 0; j < p->n; j++) sum += fabs(p->row[j]);
        worst = fmax(worst, interval_upper_bound(p, sum, size + 1));
    }
    return worst;
}

/* An upper bound of |R r|. */
static double correction(struct interval_proof *p) {
    double worst = 0;
    for (size_t i = 0; i < p->n; i++) {
        const double *r = p->wide + i * 2 * p->n + p->n;
        double sum = 0, size = 0;
        for (size_t l = 0; l < p->n; l++) {
            double residual = 0, absolute = 0;
            for (size_t j = 0; j < p->k; j++) {
                residual += p->a[l * p->k + j];
                absolute += fabs(p->a[l * p->k + j]);
            }
            sum += r[l] * residual;
            size += fabs(r[l]) * (absolute + fabs(residual));
        }
        worst = fmax(worst, interval_upper_bound(p, sum, size + DBL_MIN));
    }
    return worst;
}

static sepal_status proof_make(struct interval_proof *p, sepal_ctx *ctx, struct arena *arena) {
    size_t n = p->n;
    TRY(ARENA_VECTORS(ctx, arena, n * p->k, &p->a, &p->copy));
    TRY(ARENA_VECTORS(ctx, arena, n * n, &p->b));
    TRY(ARENA_VECTORS(ctx, arena, 2 * n * n, &p->wide));
    TRY(ARENA_VECTORS(ctx, arena, n, &p->row));
    p->basis = arena_alloc(ctx, arena, n, sizeof *p->basis);
    return p->basis ? SEPAL_OK : SEPAL_EMEMORY;
}

sepal_status interval_proof(bool *proved, sepal_ctx *ctx, const double *values, size_t n, size_t k,
                            double error, const double *multipliers) {
    struct arena arena = {0};
    struct interval_proof p = {.kernels = ctx->kernels, .n = n, .k = k};
    /* sums of k terms, a product each, entries with their own error and that of the scaling */
    p.relative = (double)(k + n + 16) * DBL_EPSILON + 4 * error;
    *proved = false;
    sepal_status status = proof_make(&p, ctx, &arena);
    if (status == SEPAL_OK && interval_fill(&p, values, multipliers) && choose_basis(&p) &&
        invert(&p)) {
        double beta = distance_from_identity(&p);
        if (beta < 0.5) *proved = correction(&p) / (1 - beta) <= certificate_nearness / UPWARD;
    }
    arena_clear(&arena);
    return status;
}
