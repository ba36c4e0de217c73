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

/* Where the normal curves cross, as a distance from the midpoint of the means, which lie h on
   either side of it. g(y), the logarithm of their ratio, is a y^2 + b y + c, and b > 0; the root
   where g rises is the only one between the means if there is one there. */
static sepal_status cross(double *y, struct fit *fit, const struct scatter *s, double h) {
    double squares[2], variance[2];
    const double *n = s->class_weight;
    *y = 0;
    TRY(scatter_along(squares, s, fit->linear.w));
    for (size_t k = 0; k < 2; k++) variance[k] = squares[k] / (n[k] - 1);
    bool both = n[0] > 1 && n[1] > 1 && variance[0] > 0 && variance[1] > 0;
    if (both) {
        double a = (1 / variance[0] - 1 / variance[1]) / 2;
        double b = h * (1 / variance[0] + 1 / variance[1]);
        double c = log(n[1] / n[0]) + log(variance[0] / variance[1]) / 2 + h * h * a;
        double square = b * b - 4 * a * c;
        *y = -2 * c / (b + sqrt(square));
        if (square > 0 && isfinite(*y)) return SEPAL_OK;
    }
    double pooled = (squares[0] + squares[1]) / (n[0] + n[1] - 2);
    bool usable = pooled > 0 && isfinite(pooled);
    *y = usable ? pooled / (2 * h) * log(n[0] / n[1]) : 0;
    warn(fit->ctx, "cut", "%s; the cut was placed %s",
         both ? "the normal curves of the two classes do not cross"
              : "a class has no spread along w, so it has no normal curve",
         usable ? "as for classes of equal, pooled variance" : "midway between the means");
    return SEPAL_OK;
}

sepal_status cut_place(struct fit *fit, const struct scatter *s, enum cut cut) {
    const struct kernels *kernels = fit->ctx->kernels;
    const double *w = fit->linear.w;
    size_t cols = s->x->cols;
    double low = kernels->dot_f64(w, s->mean, cols),
           high = kernels->dot_f64(w, s->mean + cols, cols);
    double y = 0;
    if (cut == CUT_GAUSS) TRY(cross(&y, fit, s, (high - low) / 2));
    fit->linear.b[0] =
        cut == CUT_MEAN ? -kernels->dot_f64(w, s->offset, cols) : -((low + high) / 2 + y);
    return SEPAL_OK;
}
