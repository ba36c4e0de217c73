/* Where on the line that w points along the second class begins. */
#include "learners/discriminant.h"

#include <float.h>
#include <math.h>

/* Means that differ by less than so many units in the last place of the spread do not differ. */
enum { ROUNDING = 64 };

bool means_coincide(const struct scatter *s) {
    size_t cols = s->x->cols;
    for (size_t j = 0; j < cols; j++) {
        double difference = fabs(s->mean[cols + j] - s->mean[j]);
        if (difference > ROUNDING * DBL_EPSILON * s->size[j]) return false;
    }
    return true;
}

/* A class has no spread along w if its standard deviation is no more than this part of what the
   columns alone would give it, or than so many units in the last place of the distance between the
   means: w that takes every class to a point is only known up to rounding. */
static const double SPREAD_LEAST = 1e-10;

/* Sums of squares along w, 0 where they are rounding. */
static sepal_status find_squares(double squares[2], struct fit *fit, const struct scatter *s) {
    size_t cols = s->x->cols;
    const double *w = fit->linear.w;
    double within = 0, between = 0;
    TRY(scatter_along(squares, s, w));
    for (size_t j = 0; j < cols; j++) {
        within += fabs(w[j]) * s->size[j];
        between += fabs(w[j] * (s->mean[cols + j] - s->mean[j]));
    }
    double least = SPREAD_LEAST * within + ROUNDING * DBL_EPSILON * between;
    for (size_t k = 0; k < 2; k++)
        if (!(sqrt(squares[k] / s->class_weight[k]) > least)) squares[k] = 0;
    return SEPAL_OK;
}

/* Where the normal curves cross, as a distance from the midpoint of the means, which lie h on
   either side of it. g(y), the logarithm of their ratio, is a y^2 + b y + c, and b > 0; the root
   where g rises is the only one between the means if there is one there. */
static sepal_status cross(double *y, struct fit *fit, const struct scatter *s, double h) {
    double squares[2], variance[2];
    const double *n = s->class_weight;
    *y = 0;
    TRY(find_squares(squares, fit, s));
    bool both = true;
    for (size_t k = 0; k < 2; k++) {
        double freedom = freedom_of(n[k], s->class_rows[k], 1);
        variance[k] = freedom > 0 ? squares[k] / freedom : 0;
        both = both && variance[k] > 0;
    }
    if (both) {
        double a = (1 / variance[0] - 1 / variance[1]) / 2;
        double b = h * (1 / variance[0] + 1 / variance[1]);
        double c = log(n[1] / n[0]) + log(variance[0] / variance[1]) / 2 + h * h * a;
        double square = b * b - 4 * a * c;
        *y = -2 * c / (b + sqrt(square));
        if (square > 0 && isfinite(*y)) return SEPAL_OK;
    }
    double freedom = freedom_of(n[0] + n[1], s->x->rows, 2);
    double pooled = freedom > 0 ? (squares[0] + squares[1]) / freedom : 0;
    bool usable = pooled > 0 && isfinite(pooled);
    *y = usable ? pooled / (2 * h) * log(n[0] / n[1]) : 0;
    warn(fit->ctx, "cut", "%s; the threshold was placed %s",
         both ? "the normal densities of the two classes do not cross"
              : "a class has no spread along w, so it has no normal density",
         usable ? "as for classes of equal, pooled variance" : "midway between the means");
    return SEPAL_OK;
}

sepal_status threshold_place(struct fit *fit, const struct scatter *s, enum threshold threshold) {
    const struct kernels *kernels = fit->ctx->kernels;
    const double *w = fit->linear.w;
    size_t cols = s->x->cols;
    double low = kernels->dot_f64(w, s->mean, cols),
           high = kernels->dot_f64(w, s->mean + cols, cols);
    double y = 0;
    if (threshold == THRESHOLD_GAUSS) TRY(cross(&y, fit, s, (high - low) / 2));
    fit->linear.b[0] = threshold == THRESHOLD_MEAN ? -kernels->dot_f64(w, s->offset, cols)
                                                   : -((low + high) / 2 + y);
    return SEPAL_OK;
}
