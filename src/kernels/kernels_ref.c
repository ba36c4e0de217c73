/* The reference kernels in portable C: they define the bits that every other set must give.
   Element j is added to lane j mod 16 in rising order of j, each lane starting from +0; the lanes
   are then added in the order of add_lanes, which is what four vectors of four lanes do cheaply.
   A lane is never -0 (a sum that starts from +0 cannot become it when rounding to nearest), so
   vector code may add +0 for elements that are not there. */
#include "kernels/sets.h"

#include <math.h>

static double add_lanes(const double lane[KERNEL_LANES]) {
    double sum[4];
    for (size_t l = 0; l < 4; l++) sum[l] = (lane[l] + lane[l + 8]) + (lane[l + 4] + lane[l + 12]);
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/* Returns the sum of `term` for j = 0 .. n-1. */
#define RETURN_SUM(n, term)                                                                        \
    double lane[KERNEL_LANES] = {0};                                                               \
    size_t first = 0;                                                                              \
    for (; (n)-first >= KERNEL_LANES; first += KERNEL_LANES)                                       \
        for (size_t l = 0, j = first; l < KERNEL_LANES; l++, j++) lane[l] += (term);               \
    for (size_t l = 0, j = first; j < (n); l++, j++) lane[l] += (term);                            \
    return add_lanes(lane)

static inline double square(double x) {
    return x * x;
}

static double ref_dot_f64(const double *x, const double *w, size_t n) {
    RETURN_SUM(n, x[j] * w[j]);
}

static double ref_dot_f32(const float *x, const double *w, size_t n) {
    RETURN_SUM(n, (double)x[j] * w[j]);
}

static double ref_dot_centred_f64(const double *x, const double *c, const double *w, size_t n) {
    RETURN_SUM(n, (x[j] - c[j]) * w[j]);
}

static double ref_dot_centred_f32(const float *x, const double *c, const double *w, size_t n) {
    RETURN_SUM(n, ((double)x[j] - c[j]) * w[j]);
}

static double ref_distance_f64(const double *x, const double *c, size_t n) {
    RETURN_SUM(n, square(x[j] - c[j]));
}

static double ref_distance_scaled_f64(const double *x, const double *c, const double *w, size_t n) {
    RETURN_SUM(n, square((x[j] - c[j]) * w[j]));
}

static double ref_magnitude(const double *x, const double *w, size_t n) {
    RETURN_SUM(n, fabs(x[j] * w[j]));
}

static void ref_axpy_f64(double a, const double *x, double *w, size_t n) {
    for (size_t j = 0; j < n; j++) w[j] += a * x[j];
}

static void ref_axpy_f32(double a, const float *x, double *w, size_t n) {
    for (size_t j = 0; j < n; j++) w[j] += a * (double)x[j];
}

static void ref_dot_rows(double *out, const double *const *x, size_t rows, const double *w,
                         size_t n) {
    for (size_t i = 0; i < rows; i++) out[i] = ref_dot_f64(x[i], w, n);
}

static void ref_magnitude_rows(double *out, const double *const *x, size_t rows, const double *w,
                               size_t n) {
    for (size_t i = 0; i < rows; i++) out[i] = ref_magnitude(x[i], w, n);
}

static void ref_add_rows(double *w, double *magnitude, const double *a, const double *const *x,
                         size_t rows, size_t n) {
    for (size_t i = 0; i < rows; i++) {
        ref_axpy_f64(a[i], x[i], w, n);
        for (size_t j = 0; magnitude && j < n; j++) magnitude[j] += fabs(a[i] * x[i][j]);
    }
}

static void ref_add_columns(double *out, const double *a, const double *x, size_t apart,
                            size_t cols, size_t n) {
    for (size_t k = 0; k < cols; k++) ref_axpy_f64(a[k], x + k * apart, out, n);
}

static void ref_turn(double *out, size_t apart, const double *x, size_t rows, size_t cols) {
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++) out[j * apart + i] = x[i * cols + j];
}

static void ref_dot_columns(double *out, size_t out_apart, const double *by, size_t by_apart,
                            size_t rows, const double *x, size_t apart, size_t cols, size_t n) {
    for (size_t r = 0; r < rows; r++)
        for (size_t k = 0; k < cols; k++) {
            double lane[8] = {0}, sum[4];
            for (size_t i = 0; i < n; i++) lane[i % 8] += by[r * by_apart + i] * x[k * apart + i];
            for (size_t l = 0; l < 4; l++) sum[l] = lane[l] + lane[l + 4];
            out[r * out_apart + k] += (sum[0] + sum[2]) + (sum[1] + sum[3]);
        }
}

static double ref_gather_f64(const double *x, const uint32_t *index, const double *w, size_t n) {
    RETURN_SUM(n, x[j] * w[index[j]]);
}

static double ref_gather_f32(const float *x, const uint32_t *index, const double *w, size_t n) {
    RETURN_SUM(n, (double)x[j] * w[index[j]]);
}

static double ref_gather_ones(const uint32_t *index, const double *w, size_t n) {
    RETURN_SUM(n, w[index[j]]);
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

/* Entry j is added to partial sum j mod 4 of its lane. */
static void ref_lanes_dot(float *out, const float *x, const uint32_t *index, size_t n,
                          const float *w, size_t lanes, size_t used) {
    float sum[4][OVR_LANES] = {{0}};
    for (size_t j = 0; j < n; j++) {
        const float *from = w + (index ? index[j] : j) * lanes;
        for (size_t l = 0; l < used; l++) sum[j % 4][l] += x[j] * from[l];
    }
    for (size_t l = 0; l < used; l++) out[l] = (sum[0][l] + sum[2][l]) + (sum[1][l] + sum[3][l]);
}

static void ref_lanes_fetch(const uint32_t *index, size_t n, const void *w, size_t bytes) {
    (void)index, (void)n, (void)w, (void)bytes;
}

static void ref_lanes_add(float *w, const float *d, const float *x, const uint32_t *index, size_t n,
                          size_t lanes, size_t used) {
    for (size_t j = 0; j < n; j++) {
        float *to = w + (index ? index[j] : j) * lanes;
        for (size_t l = 0; l < used; l++) to[l] += x[j] * d[l];
    }
}

/* The same with 2 partial sums, in doubles. */
static void ref_lanes_dot_f64(double *out, const double *x, const uint32_t *index, size_t n,
                              const float *w, size_t lanes, size_t used) {
    double sum[2][OVR_LANES] = {{0}};
    for (size_t j = 0; j < n; j++) {
        const float *from = w + (index ? index[j] : j) * lanes;
        for (size_t l = 0; l < used; l++) sum[j % 2][l] += x[j] * (double)from[l];
    }
    for (size_t l = 0; l < used; l++) out[l] = sum[0][l] + sum[1][l];
}

static void ref_lanes_dot_doubles(double *out, const double *x, const uint32_t *index, size_t n,
                                  const double *w, size_t lanes, size_t used) {
    double sum[2][OVR_LANES] = {{0}};
    for (size_t j = 0; j < n; j++) {
        const double *from = w + (index ? index[j] : j) * lanes;
        for (size_t l = 0; l < used; l++) sum[j % 2][l] += x[j] * from[l];
    }
    for (size_t l = 0; l < used; l++) out[l] = sum[0][l] + sum[1][l];
}

static void ref_lanes_add_f64(double *w, const double *d, const double *x, const uint32_t *index,
                              size_t n, size_t lanes, size_t used) {
    for (size_t j = 0; j < n; j++) {
        double *to = w + (index ? index[j] : j) * lanes;
        for (size_t l = 0; l < used; l++) to[l] += x[j] * d[l];
    }
}

/* ---- the simplex, four lanes side by side ------------------------------------------------------ */

/* As distances from the largest nothing is lost where all are large. The threshold is never too large, and
   fewer and fewer are above it. */
static size_t ref_simplex_project(double *z, size_t lanes) {
    double largest = -INFINITY, theta = -1, inside = 0, before = INFINITY;
    for (size_t k = 0; k < lanes; k++) largest = z[k] > largest ? z[k] : largest;
    if (!(fabs(largest) < HUGE_VAL)) return 0;
    for (size_t k = 0; k < lanes; k++) z[k] -= largest;
    for (;;) {
        double sum[4] = {0};
        inside = 0;
        for (size_t k = 0; k < lanes; k++) {
            sum[k % 4] += z[k] > theta ? z[k] : 0;
            inside += z[k] > theta;
        }
        if (!(inside < before)) break; /* more: rounding */
        before = inside;
        theta = (simplex_sum(sum) - 1) / inside;
    }
    for (size_t k = 0; k < lanes; k++) z[k] = z[k] > theta ? z[k] - theta : 0;
    return (size_t)inside;
}

static void ref_simplex_survey(struct simplex_view *out, const double *a, const double *g,
                               size_t lanes) {
    double most[4], second[4], least[4], mean[4] = {0};
    for (size_t l = 0; l < 4; l++) {
        most[l] = second[l] = -INFINITY;
        least[l] = INFINITY;
    }
    out->used = 0;
    for (size_t k = 0; k < lanes; k++) {
        size_t l = k % 4;
        double low = g[k] < most[l] ? g[k] : most[l];
        second[l] = low > second[l] ? low : second[l];
        most[l] = g[k] > most[l] ? g[k] : most[l];
        if (a[k] > 0 && g[k] < least[l]) least[l] = g[k];
        mean[l] += a[k] * g[k];
        out->used += a[k] > 0;
    }
    simplex_join(out, most, second, least);
    out->mean = simplex_sum(mean);
}

/* ---- softmax, four lanes side by side ---------------------------------------------------------- */

static void ref_softmax_begin(struct softmax_panel *panel, const double *score, size_t n,
                              size_t classes, size_t lanes, double *p) {
    for (size_t i = 0; i < n; i++, score += lanes, p += lanes) {
        double most = -INFINITY, all[SOFTMAX_LANES] = {0};
        size_t best = 0;
        for (size_t k = 0; k < classes; k++) {
            if (score[k] > most) best = k;
            most = score[k] > most ? score[k] : most;
            all[k % SOFTMAX_LANES] += score[k];
        }
        for (size_t l = 0; l < lanes; l++) p[l] = most - score[l] > 0 ? most - score[l] : 0;
        panel->best[i] = best;
        panel->all[i] = simplex_sum(all);
    }
}

static void ref_softmax_end(struct softmax_panel *panel, size_t n, size_t classes, size_t lanes,
                            double *p) {
    for (size_t i = 0; i < n; i++, p += lanes) {
        double sum[SOFTMAX_LANES] = {0};
        for (size_t k = 0; k < classes; k++)
            sum[k % SOFTMAX_LANES] += k == panel->best[i] ? 0 : p[k];
        panel->others[i] = simplex_sum(sum);
        double part = 1 / (1 + panel->others[i]);
        for (size_t l = 0; l < lanes; l++) p[l] = l < classes ? p[l] * part : 0;
    }
}

static KERNEL_SOFTMAX(ref, ref_softmax_begin, ref_softmax_end)

    const struct kernels kernels_reference = {
        .name = "reference", KERNELS_OF_ROWS(ref), KERNELS_OF_PANELS(ref), KERNELS_OF_ONE_SOURCE};
