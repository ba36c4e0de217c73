#include "objective/loss.h"

#include <math.h>

/* ---- logistic ----------------------------------------------------------------------------- */

static void logistic_at(const struct kernels *kernels, size_t n, const double *m, double *value,
                        double *pull, double *curve) {
    enum { PART = 256 };
    double spare[3][PART];
    for (size_t i = 0, part; i < n; i += part) {
        part = n - i < PART ? n - i : PART;
        kernels->logistic(m + i, part, value ? value + i : spare[0], pull ? pull + i : spare[1],
                          curve ? curve + i : spare[2]);
    }
}

/* Entropy: -a ln a - (1 - a) ln(1 - a), exact for a near 0 and near 1. */
static double logistic_earns(double a) {
    if (!(a >= 0 && a <= 1)) return -INFINITY;
    double low = a < 1 - a ? a : 1 - a;
    return low > 0 ? -low * log(low) - (1 - low) * log1p(-low) : 0;
}

const struct loss loss_logistic = {
    .name = "logistic",
    .words = "ln(1 + e^-m)",
    .smooth = true,
    .bend = 0.25,
    .at = logistic_at,
    .earns = logistic_earns,
    .least = 0,
    .most = 1,
};

/* ---- hinge -------------------------------------------------------------------------------- */

static void hinge_at(const struct kernels *kernels, size_t n, const double *m, double *value,
                     double *pull, double *curve) {
    (void)kernels;
    for (size_t i = 0; i < n; i++) {
        double short_of = 1 - m[i];
        if (value) value[i] = short_of <= 0 ? 0 : short_of; /* of no number: none */
        if (pull) pull[i] = short_of > 0 ? 1 : 0;
        if (curve) curve[i] = 0;
    }
}

static double hinge_earns(double a) {
    return a >= 0 && a <= 1 ? a : -INFINITY;
}

const struct loss loss_hinge = {
    .name = "hinge",
    .words = "max(0, 1 - m)",
    .bend = INFINITY,
    .at = hinge_at,
    .earns = hinge_earns,
    .least = 0,
    .most = 1,
};

/* ---- squared hinge ------------------------------------------------------------------------ */

static void squared_hinge_at(const struct kernels *kernels, size_t n, const double *m,
                             double *value, double *pull, double *curve) {
    (void)kernels;
    for (size_t i = 0; i < n; i++) {
        double short_of = m[i] >= 1 ? 0 : 1 - m[i]; /* of no number: none */
        if (value) value[i] = short_of * short_of;
        if (pull) pull[i] = 2 * short_of;
        if (curve) curve[i] = m[i] < 1 ? 2 : 0;
    }
}

static double squared_hinge_earns(double a) {
    return a >= 0 ? a - a * a / 4 : -INFINITY;
}

const struct loss loss_squared_hinge = {
    .name = "squared hinge",
    .words = "max(0, 1 - m)^2",
    .smooth = true,
    .bend = 2,
    .at = squared_hinge_at,
    .earns = squared_hinge_earns,
    .least = 0,
    .most = INFINITY,
};

/* ---- squared ------------------------------------------------------------------------------ */

static void squared_at(const struct kernels *kernels, size_t n, const double *m, double *value,
                       double *pull, double *curve) {
    (void)kernels;
    for (size_t i = 0; i < n; i++) {
        double short_of = 1 - m[i];
        if (value) value[i] = short_of * short_of / 2;
        if (pull) pull[i] = short_of;
        if (curve) curve[i] = 1;
    }
}

static double squared_earns(double a) {
    return a - a * a / 2;
}

const struct loss loss_squared = {
    .name = "squared",
    .words = "(1 - m)^2 / 2",
    .smooth = true,
    .bend = 1,
    .at = squared_at,
    .earns = squared_earns,
    .least = -INFINITY,
    .most = INFINITY,
};
