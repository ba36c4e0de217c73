/* The inner loops over the numbers of one row, behind a table so that the best version for the
   processor is chosen at run time. Every set gives the same bits: sums run in KERNEL_LANES fixed
   partial sums, product and sum are rounded separately (no fused multiply-add), and the lanes are
   added in one fixed order. So a model does not depend on the processor it was trained on. */
#ifndef SEPAL_KERNELS_KERNELS_H
#define SEPAL_KERNELS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KERNEL_LANES = 16 };

/* Kernels that serve several classes at once have a lane for each: OVR_LANES_HALF or OVR_LANES. */
enum { OVR_LANES_HALF = 8, OVR_LANES = 16 };

/* One row's step of dual coordinate descent for all lanes. */
struct lanes_step {
    float side[OVR_LANES];   /* 1 or -1 */
    float score[OVR_LANES];  /* of the row */
    float scale[OVR_LANES];  /* weight of the row / l2; 0: the lane is idle */
    float norm;              /* the squares of the row's numbers, and of what the bias counts for */
    float a[OVR_LANES];      /* dual variables: before, then after */
    float change[OVR_LANES]; /* with this factor the row is to be added to the weights */
    /* Added to, in units of l2: weight times the terms of the gap; weight times (loss + a m / 2),
       whose sum over the rows is the objective. */
    float gap[OVR_LANES], loss[OVR_LANES];
};

/* Of scores g and a point a of the simplex. */
struct simplex_view {
    double most, second; /* the two largest scores */
    double least;        /* of those whose a is above 0 */
    double mean;         /* the sum of a g; no number if a score is none or infinite */
    size_t used;         /* how many a are above 0 */
};

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
    /* out_j = (x_j - c_j) a; c NULL: x_j a */
    void (*shift_f64)(double *out, const double *x, const double *c, double a, size_t n);
    void (*shift_f32)(double *out, const float *x, const double *c, double a, size_t n);
    /* out_j = x_j y_j */
    void (*times)(double *out, const double *x, const double *y, size_t n);
    /* w_j += a x_j */
    void (*axpy_f64)(double a, const double *x, double *w, size_t n);
    void (*axpy_f32)(double a, const float *x, double *w, size_t n);
    /* of `rows` rows of n numbers: out_i = the sum of x_ij w_j, and of |x_ij w_j|; w_j += the sum of
       a_i x_ij, one row after the other, and unless NULL magnitude_j += that of |a_i x_ij|: the bits of
       dot_f64 and axpy_f64 */
    void (*dot_rows)(double *out, const double *const *x, size_t rows, const double *w, size_t n);
    void (*magnitude_rows)(double *out, const double *const *x, size_t rows, const double *w,
                           size_t n);
    void (*add_rows)(double *w, double *magnitude, const double *a, const double *const *x,
                     size_t rows, size_t n);
    /* Of columns x_0, x_1, ... of n numbers, each `apart` numbers behind the one before:
       out_i += the sum of a_k x_ki, one column after the other, as by axpy_f64 */
    void (*add_columns)(double *out, const double *a, const double *x, size_t apart, size_t cols,
                        size_t n);
    /* and for one or two rows of factors, `by_apart` numbers apart, out_rk += the sum of by_ri x_ki, out_r
       `out_apart` numbers apart; the sums run in 8 lanes */
    void (*dot_columns)(double *out, size_t out_apart, const double *by, size_t by_apart,
                        size_t rows, const double *x, size_t apart, size_t cols, size_t n);
    /* out_ji = x_ij, of `rows` rows of `cols` numbers; a column of out is `apart` numbers behind the one before */
    void (*turn)(double *out, size_t apart, const double *x, size_t rows, size_t cols);
    /* dot and axpy of a sparse row: x holds the values of the columns index[0 .. n-1] */
    double (*gather_f64)(const double *x, const uint32_t *index, const double *w, size_t n);
    double (*gather_f32)(const float *x, const uint32_t *index, const double *w, size_t n);
    double (*gather_ones)(const uint32_t *index, const double *w, size_t n);
    void (*scatter_f64)(double a, const double *x, const uint32_t *index, double *w, size_t n);
    void (*scatter_f32)(double a, const float *x, const uint32_t *index, double *w, size_t n);
    void (*scatter_ones)(double a, const uint32_t *index, double *w, size_t n);
    /* of n margins the logistic losses ln(1 + e^-m), the dual variables 1 / (1 + e^m) and the curvatures
       e^m / (1 + e^m)^2, finite and exact to some last bits whatever m is; NaN stays NaN */
    void (*logistic)(const double *m, size_t n, double *value, double *alpha, double *curvature);
    /* of n numbers a in [0, 1] the entropies -a ln a - (1 - a) ln(1 - a), to some last bits */
    void (*entropy)(const double *a, size_t n, double *out);
    /* of n rows of scores, `lanes` numbers each of which the first `classes` count, the probabilities
       (other lanes: 0), the losses -ln p[label] and 1 - p[label], which keeps its digits; see
       kernels/softmax.h */
    void (*softmax)(const double *score, size_t n, size_t classes, size_t lanes,
                    const int32_t *label, double *value, double *p, double *missing);
    /* of n such rows of numbers in [0, 1] the entropies: minus the sum of a ln a */
    void (*softmax_entropy)(const double *a, size_t n, size_t classes, size_t lanes, double *out);
    /* The nearest point of the simplex to `lanes` numbers z, a multiple of 4, in place: max(0, z_k - theta) with the
       one theta for which they add up to 1, by Newton's method from below, where it is exact after finitely many
       steps (Michelot 1986). What is no number becomes 0. Returns how many are above 0; 0: the largest is not
       finite, and nothing was done. */
    size_t (*simplex_project)(double *z, size_t lanes);
    /* numbers that do not count are -DBL_MAX in g and 0 in a */
    void (*simplex_survey)(struct simplex_view *out, const double *a, const double *g,
                           size_t lanes);
    /* of n numbers: how many are 0 or -0, how many -0, and how many infinite or no numbers */
    void (*survey)(const double *x, size_t n, size_t *zeros, size_t *minus, size_t *beyond);
    /* For the first `used` lanes l, 8 or 16, the sum of x_j w[column_j][l], and w[column_j][l] += x_j d_l. w
       has `lanes` numbers a column; the columns are index[0 .. n-1], or 0 .. n-1 if index is NULL. */
    void (*lanes_dot)(float *out, const float *x, const uint32_t *index, size_t n, const float *w,
                      size_t lanes, size_t used);
    /* Begin to fetch the numbers of the columns index[0 .. n-1], which will be asked for next: each
       column has so many bytes from w on, in two lines of the cache at most. */
    void (*lanes_fetch)(const uint32_t *index, size_t n, const void *w, size_t bytes);
    void (*lanes_add)(float *w, const float *d, const float *x, const uint32_t *index, size_t n,
                      size_t lanes, size_t used);
    /* In doubles, for the first `used` lanes of them, 4, 8, 12 or 16. */
    void (*lanes_dot_f64)(double *out, const double *x, const uint32_t *index, size_t n,
                          const float *w, size_t lanes, size_t used);
    void (*lanes_dot_doubles)(double *out, const double *x, const uint32_t *index, size_t n,
                              const double *w, size_t lanes, size_t used);
    void (*lanes_add_f64)(double *w, const double *d, const double *x, const uint32_t *index,
                          size_t n, size_t lanes, size_t used);
    /* The step of a row; false: nothing changes. */
    bool (*lanes_squared_hinge)(struct lanes_step *step, size_t lanes);
    bool (*lanes_hinge)(struct lanes_step *step, size_t lanes);
    bool (*lanes_logistic)(struct lanes_step *step, size_t lanes);
};

extern const struct kernels kernels_reference;
enum { KERNEL_SETS = 3 };
/* The sets that this processor can use, the best one first, the reference last; how many. */
size_t kernels_usable(const struct kernels *sets[KERNEL_SETS]);
/* The best of them; the environment's SEPAL_KERNELS asks for one by its name, or by ref for the reference. */
const struct kernels *kernels_choose(void);

#endif
