/* The reference kernels in portable C: they define the bits that every other set must give.
   Element j is added to lane j mod 16 in rising order of j, each lane starting from +0; the lanes
   are then added in the order of add_lanes, which is what four vectors of four lanes do cheaply.
   A lane is never -0 (a sum that starts from +0 cannot become it when rounding to nearest), so
   vector code may add +0 for elements that are not there. */
#include "kernels/logistic.h"
#include "kernels/sets.h"
#include "kernels/survey.h"
#include "kernels/ovr_lanes.h"

#include <math.h>

static double add_lanes(const double lane[KERNEL_LANES]) {
    double sum[4];
    for (size_t l = 0; l < 4; l++) sum[l] = (lane[l] + lane[l + 8]) + (lane[l + 4] + lane[l + 12]);
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

static double ref_dot_f64(const double *x, const double *w, size_t n) {
    double lane[KERNEL_LANES] = {0};
    size_t j = 0;
    for (; n - j >= KERNEL_LANES; j += KERNEL_LANES) {
        for (size_t l = 0; l < KERNEL_LANES; l++) lane[l] += x[j + l] * w[j + l];
    }
    for (size_t l = 0; l < n - j; l++) lane[l] += x[j + l] * w[j + l];
    return add_lanes(lane);
}

static double ref_dot_f32(const float *x, const double *w, size_t n) {
    double lane[KERNEL_LANES] = {0};
    size_t j = 0;
    for (; n - j >= KERNEL_LANES; j += KERNEL_LANES) {
        for (size_t l = 0; l < KERNEL_LANES; l++) lane[l] += (double)x[j + l] * w[j + l];
    }
    for (size_t l = 0; l < n - j; l++) lane[l] += (double)x[j + l] * w[j + l];
    return add_lanes(lane);
}

static double ref_dot_centred_f64(const double *x, const double *c, const double *w, size_t n) {
    double lane[KERNEL_LANES] = {0};
    size_t j = 0;
    for (; n - j >= KERNEL_LANES; j += KERNEL_LANES) {
        for (size_t l = 0; l < KERNEL_LANES; l++) lane[l] += (x[j + l] - c[j + l]) * w[j + l];
    }
    for (size_t l = 0; l < n - j; l++) lane[l] += (x[j + l] - c[j + l]) * w[j + l];
    return add_lanes(lane);
}

static double ref_dot_centred_f32(const float *x, const double *c, const double *w, size_t n) {
    double lane[KERNEL_LANES] = {0};
    size_t j = 0;
    for (; n - j >= KERNEL_LANES; j += KERNEL_LANES) {
        for (size_t l = 0; l < KERNEL_LANES; l++) {
            lane[l] += ((double)x[j + l] - c[j + l]) * w[j + l];
        }
    }
    for (size_t l = 0; l < n - j; l++) lane[l] += ((double)x[j + l] - c[j + l]) * w[j + l];
    return add_lanes(lane);
}

static double ref_distance_f64(const double *x, const double *c, size_t n) {
    double lane[KERNEL_LANES] = {0};
    size_t j = 0;
    for (; n - j >= KERNEL_LANES; j += KERNEL_LANES) {
        for (size_t l = 0; l < KERNEL_LANES; l++) {
            lane[l] += (x[j + l] - c[j + l]) * (x[j + l] - c[j + l]);
        }
    }
    for (size_t l = 0; l < n - j; l++) lane[l] += (x[j + l] - c[j + l]) * (x[j + l] - c[j + l]);
    return add_lanes(lane);
}

static double ref_distance_scaled_f64(const double *x, const double *c, const double *w, size_t n) {
    double lane[KERNEL_LANES] = {0};
    size_t j = 0;
    for (; n - j >= KERNEL_LANES; j += KERNEL_LANES) {
        for (size_t l = 0; l < KERNEL_LANES; l++) {
            double z = (x[j + l] - c[j + l]) * w[j + l];
            lane[l] += z * z;
        }
    }
    for (size_t l = 0; l < n - j; l++) {
        double z = (x[j + l] - c[j + l]) * w[j + l];
        lane[l] += z * z;
    }
    return add_lanes(lane);
}

static void ref_axpy_f64(double a, const double *x, double *w, size_t n) {
    for (size_t j = 0; j < n; j++) w[j] += a * x[j];
}

static void ref_axpy_f32(double a, const float *x, double *w, size_t n) {
    for (size_t j = 0; j < n; j++) w[j] += a * (double)x[j];
}

static void ref_shift_f64(double *out, const double *x, const double *c, double a, size_t n) {
    for (size_t j = 0; j < n; j++) out[j] = (c ? x[j] - c[j] : x[j]) * a;
}

static void ref_shift_f32(double *out, const float *x, const double *c, double a, size_t n) {
    for (size_t j = 0; j < n; j++) out[j] = (c ? (double)x[j] - c[j] : (double)x[j]) * a;
}

static void ref_dot_rows(double *out, const double *const *x, size_t rows, const double *w,
                         size_t n) {
    for (size_t i = 0; i < rows; i++) out[i] = ref_dot_f64(x[i], w, n);
}

static void ref_reach_rows(double *out, const double *const *x, size_t rows, const double *w,
                           size_t n) {
    for (size_t i = 0; i < rows; i++) {
        double lane[KERNEL_LANES] = {0};
        for (size_t j = 0; j < n; j++) lane[j % KERNEL_LANES] += fabs(x[i][j] * w[j]);
        out[i] = add_lanes(lane);
    }
}

static void ref_add_rows(double *w, double *reach, const double *a, const double *const *x,
                         size_t rows, size_t n) {
    for (size_t i = 0; i < rows; i++) {
        ref_axpy_f64(a[i], x[i], w, n);
        for (size_t j = 0; reach && j < n; j++) reach[j] += fabs(a[i] * x[i][j]);
    }
}

static double ref_gather_f64(const double *x, const uint32_t *index, const double *w, size_t n) {
    double lane[KERNEL_LANES] = {0};
    size_t j = 0;
    for (; n - j >= KERNEL_LANES; j += KERNEL_LANES) {
        for (size_t l = 0; l < KERNEL_LANES; l++) lane[l] += x[j + l] * w[index[j + l]];
    }
    for (size_t l = 0; l < n - j; l++) lane[l] += x[j + l] * w[index[j + l]];
    return add_lanes(lane);
}

static double ref_gather_f32(const float *x, const uint32_t *index, const double *w, size_t n) {
    double lane[KERNEL_LANES] = {0};
    size_t j = 0;
    for (; n - j >= KERNEL_LANES; j += KERNEL_LANES) {
        for (size_t l = 0; l < KERNEL_LANES; l++) lane[l] += (double)x[j + l] * w[index[j + l]];
    }
    for (size_t l = 0; l < n - j; l++) lane[l] += (double)x[j + l] * w[index[j + l]];
    return add_lanes(lane);
}

static double ref_gather_ones(const uint32_t *index, const double *w, size_t n) {
    double lane[KERNEL_LANES] = {0};
    size_t j = 0;
    for (; n - j >= KERNEL_LANES; j += KERNEL_LANES) {
        for (size_t l = 0; l < KERNEL_LANES; l++) lane[l] += w[index[j + l]];
    }
    for (size_t l = 0; l < n - j; l++) lane[l] += w[index[j + l]];
    return add_lanes(lane);
}

void scatter_add_f64(double a, const double *x, const uint32_t *index, double *w, size_t n) {
    for (size_t j = 0; j < n; j++) w[index[j]] += a * x[j];
}

void scatter_add_f32(double a, const float *x, const uint32_t *index, double *w, size_t n) {
    for (size_t j = 0; j < n; j++) w[index[j]] += a * (double)x[j];
}

void scatter_add_ones(double a, const uint32_t *index, double *w, size_t n) {
    for (size_t j = 0; j < n; j++) w[index[j]] += a;
}

static void ref_logistic(const double *m, size_t n, double *value, double *alpha,
                         double *curvature) {
    logistic_loss(m, n, value, alpha, curvature);
}

static void ref_survey(const double *x, size_t n, size_t *zeros, size_t *minus, size_t *beyond) {
    survey_numbers(x, n, zeros, minus, beyond);
}

static void ref_entropy(const double *a, size_t n, double *out) {
    logistic_entropy(a, n, out);
}

/* Entry j is added to partial sum j mod 4 of its lane. */
static void lanes_dot(float *out, const float *x, const uint32_t *index, size_t n, const float *w,
                      size_t lanes) {
    float sum[4][OVR_LANES] = {{0}};
    for (size_t j = 0; j < n; j++) {
        const float *from = w + (index ? index[j] : j) * lanes;
        for (size_t l = 0; l < lanes; l++) sum[j % 4][l] += x[j] * from[l];
    }
    for (size_t l = 0; l < lanes; l++) out[l] = (sum[0][l] + sum[2][l]) + (sum[1][l] + sum[3][l]);
}

static void lanes_fetch(const uint32_t *index, size_t n, const void *w, size_t bytes) {
    (void)index, (void)n, (void)w, (void)bytes;
}

static void lanes_add(float *w, const float *d, const float *x, const uint32_t *index, size_t n,
                      size_t lanes) {
    for (size_t j = 0; j < n; j++) {
        float *to = w + (index ? index[j] : j) * lanes;
        for (size_t l = 0; l < lanes; l++) to[l] += x[j] * d[l];
    }
}

/* The same with 2 partial sums, in doubles. */
static void lanes_dot_f64(double *out, const double *x, const uint32_t *index, size_t n,
                          const float *w, size_t lanes, size_t used) {
    double sum[2][OVR_LANES] = {{0}};
    for (size_t j = 0; j < n; j++) {
        const float *from = w + (index ? index[j] : j) * lanes;
        for (size_t l = 0; l < used; l++) sum[j % 2][l] += x[j] * (double)from[l];
    }
    for (size_t l = 0; l < used; l++) out[l] = sum[0][l] + sum[1][l];
}

static void lanes_dot_doubles(double *out, const double *x, const uint32_t *index, size_t n,
                              const double *w, size_t lanes, size_t used) {
    double sum[2][OVR_LANES] = {{0}};
    for (size_t j = 0; j < n; j++) {
        const double *from = w + (index ? index[j] : j) * lanes;
        for (size_t l = 0; l < used; l++) sum[j % 2][l] += x[j] * from[l];
    }
    for (size_t l = 0; l < used; l++) out[l] = sum[0][l] + sum[1][l];
}

static void lanes_add_f64(double *w, const double *d, const double *x, const uint32_t *index,
                          size_t n, size_t used) {
    for (size_t j = 0; j < n; j++) {
        double *to = w + (index ? index[j] : j) * used;
        for (size_t l = 0; l < used; l++) to[l] += x[j] * d[l];
    }
}

/* The compiler knows the number of lanes in each branch, and makes vectors of them. */
static bool lanes_squared_hinge(struct lanes_step *step, size_t lanes) {
    return lanes == OVR_LANES_HALF ? lanes_squared_hinge_step(step, OVR_LANES_HALF)
                                   : lanes_squared_hinge_step(step, OVR_LANES);
}

static bool lanes_hinge(struct lanes_step *step, size_t lanes) {
    return lanes == OVR_LANES_HALF ? lanes_hinge_step(step, OVR_LANES_HALF)
                                   : lanes_hinge_step(step, OVR_LANES);
}

static bool lanes_logistic(struct lanes_step *step, size_t lanes) {
    return lanes == OVR_LANES_HALF ? lanes_logistic_step(step, OVR_LANES_HALF)
                                   : lanes_logistic_step(step, OVR_LANES);
}

const struct kernels kernels_reference = {
    .name = "reference",
    .dot_f64 = ref_dot_f64,
    .dot_f32 = ref_dot_f32,
    .dot_centred_f64 = ref_dot_centred_f64,
    .dot_centred_f32 = ref_dot_centred_f32,
    .distance_f64 = ref_distance_f64,
    .distance_scaled_f64 = ref_distance_scaled_f64,
    .axpy_f64 = ref_axpy_f64,
    .axpy_f32 = ref_axpy_f32,
    .shift_f64 = ref_shift_f64,
    .shift_f32 = ref_shift_f32,
    .dot_rows = ref_dot_rows,
    .reach_rows = ref_reach_rows,
    .add_rows = ref_add_rows,
    .gather_f64 = ref_gather_f64,
    .gather_f32 = ref_gather_f32,
    .gather_ones = ref_gather_ones,
    .scatter_f64 = scatter_add_f64,
    .scatter_f32 = scatter_add_f32,
    .scatter_ones = scatter_add_ones,
    .logistic = ref_logistic,
    .entropy = ref_entropy,
    .survey = ref_survey,
    .lanes_dot = lanes_dot,
    .lanes_fetch = lanes_fetch,
    .lanes_add = lanes_add,
    .lanes_dot_f64 = lanes_dot_f64,
    .lanes_dot_doubles = lanes_dot_doubles,
    .lanes_add_f64 = lanes_add_f64,
    .lanes_squared_hinge = lanes_squared_hinge,
    .lanes_hinge = lanes_hinge,
    .lanes_logistic = lanes_logistic,
};
