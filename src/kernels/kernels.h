/* The inner loops over the numbers of one row, behind a table so that the best version for the
   processor is chosen at run time. Every set gives the same bits: sums run in KERNEL_LANES fixed
   partial sums, product and sum are rounded separately (no fused multiply-add), and the lanes are
   added in one fixed order. So a model does not depend on the processor it was trained on. */
#ifndef SEPAL_KERNELS_KERNELS_H
#define SEPAL_KERNELS_KERNELS_H

#include <stddef.h>
#include <stdint.h>

enum { KERNEL_LANES = 16 };

struct kernels {
    const char *name;
    /* sum of x_j w_j */
    double (*dot_f64)(const double *x, const double *w, size_t n);
    double (*dot_f32)(const float *x, const double *w, size_t n);
    /* sum of (x_j - c_j) w_j: nothing is lost when the means c are large */
    double (*dot_centred_f64)(const double *x, const double *c, const double *w, size_t n);
    double (*dot_centred_f32)(const float *x, const double *c, const double *w, size_t n);
    /* sum of (x_j - c_j)^2 */
    double (*distance_f64)(const double *x, const double *c, size_t n);
    /* sum of ((x_j - c_j) w_j)^2 */
    double (*distance_scaled_f64)(const double *x, const double *c, const double *w, size_t n);
    /* w_j += a x_j */
    void (*axpy_f64)(double a, const double *x, double *w, size_t n);
    void (*axpy_f32)(double a, const float *x, double *w, size_t n);
    /* the same for a sparse row: x holds the values of the columns index[0 .. n-1] */
    double (*gather_f64)(const double *x, const uint32_t *index, const double *w, size_t n);
    double (*gather_f32)(const float *x, const uint32_t *index, const double *w, size_t n);
    double (*gather_ones)(const uint32_t *index, const double *w, size_t n);
    void (*scatter_f64)(double a, const double *x, const uint32_t *index, double *w, size_t n);
    void (*scatter_f32)(double a, const float *x, const uint32_t *index, double *w, size_t n);
    void (*scatter_ones)(double a, const uint32_t *index, double *w, size_t n);
    /* of n margins the logistic losses ln(1 + e^-m), the pulls 1 / (1 + e^m) and the curvatures
       e^m / (1 + e^m)^2, finite and exact to some last bits whatever m is; NaN stays NaN */
    void (*logistic)(const double *m, size_t n, double *value, double *pull, double *curve);
};

extern const struct kernels kernels_reference;
/* The best set for this processor; the environment's SEPAL_KERNELS=ref asks for the reference. */
const struct kernels *kernels_choose(void);

#endif
