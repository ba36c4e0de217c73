#include "objective/loss.h"

#include <math.h>

/* ---- logistic ----------------------------------------------------------------------------- */

static void logistic_at(const struct kernels *kernels, size_t n, const double *m, double *value,
                        double *alpha, double *curvature) {
    enum { PART = 256 };
    double spare[3][PART];
    for (size_t i = 0, part; i < n; i += part) {
        part = n - i < PART ? n - i : PART;
        kernels->logistic(m + i, part, value ? value + i : spare[0], alpha ? alpha + i : spare[1],
                          curvature ? curvature + i : spare[2]);
    }
}

static void logistic_neg_conjugate(const struct kernels *kernels, size_t n, const double *a,
                                   double *out) {
    kernels->entropy(a, n, out);
    for (size_t i = 0; i < n; i++) out[i] = a[i] >= 0 && a[i] <= 1 ? out[i] : -INFINITY;
}

const struct loss loss_logistic = {
    .name = "logistic",
    .words = "ln(1 + e^-m)",
    .smooth = true,
    .smoothness = 0.25,
    .at = logistic_at,
    .neg_conjugate = logistic_neg_conjugate,
    .least = 0,
    .most = 1,
};

/* ---- hinge -------------------------------------------------------------------------------- */

static void hinge_at(const struct kernels *kernels, size_t n, const double *m, double *value,
                     double *alpha, double *curvature) {
    (void)kernels;
    for (size_t i = 0; i < n; i++) {
        double violation = 1 - m[i];
        if (value) value[i] = violation <= 0 ? 0 : violation; /* of no number: none */
        if (alpha) alpha[i] = violation > 0 ? 1 : 0;
        if (curvature) curvature[i] = 0;
    }
}

static void hinge_neg_conjugate(const struct kernels *kernels, size_t n, const double *a,
                                double *out) {
    (void)kernels;
    for (size_t i = 0; i < n; i++) out[i] = a[i] >= 0 && a[i] <= 1 ? a[i] : -INFINITY;
}

const struct loss loss_hinge = {
    .name = "hinge",
    .words = "max(0, 1 - m)",
    .smoothness = INFINITY,
    .at = hinge_at,
    .neg_conjugate = hinge_neg_conjugate,
    .least = 0,
    .most = 1,
};

/* ---- squared hinge ------------------------------------------------------------------------ */

static void squared_hinge_at(const struct kernels *kernels, size_t n, const double *m,
                             double *value, double *alpha, double *curvature) {
    (void)kernels;
    for (size_t i = 0; i < n; i++) {
        double violation = m[i] >= 1 ? 0 : 1 - m[i]; /* of no number: none */
        if (value) value[i] = violation * violation;
        if (alpha) alpha[i] = 2 * violation;
        if (curvature) curvature[i] = m[i] < 1 ? 2 : 0;
    }
}

static void squared_hinge_neg_conjugate(const struct kernels *kernels, size_t n, const double *a,
                                        double *out) {
    (void)kernels;
    for (size_t i = 0; i < n; i++) out[i] = a[i] >= 0 ? a[i] - a[i] * a[i] / 4 : -INFINITY;
}

const struct loss loss_squared_hinge = {
    .name = "squared hinge",
    .words = "max(0, 1 - m)^2",
    .smooth = true,
    .smoothness = 2,
    .at = squared_hinge_at,
    .neg_conjugate = squared_hinge_neg_conjugate,
    .least = 0,
    .most = INFINITY,
};

/* ---- squared ------------------------------------------------------------------------------ */

static void squared_at(const struct kernels *kernels, size_t n, const double *m, double *value,
                       double *alpha, double *curvature) {
    (void)kernels;
    for (size_t i = 0; i < n; i++) {
        double violation = 1 - m[i];
        if (value) value[i] = violation * violation / 2;
        if (alpha) alpha[i] = violation;
        if (curvature) curvature[i] = 1;
    }
}

static void squared_neg_conjugate(const struct kernels *kernels, size_t n, const double *a,
                                  double *out) {
    (void)kernels;
    for (size_t i = 0; i < n; i++) out[i] = a[i] - a[i] * a[i] / 2;
}

const struct loss loss_squared = {
    .name = "squared",
    .words = "(1 - m)^2 / 2",
    .smooth = true,
    .smoothness = 1,
    .at = squared_at,
    .neg_conjugate = squared_neg_conjugate,
    .least = -INFINITY,
    .most = INFINITY,
};
