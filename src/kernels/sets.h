/* Inside kernels/ only: which kernel sets this build has, and what they share. */
#ifndef SEPAL_KERNELS_SETS_H
#define SEPAL_KERNELS_SETS_H

#include "kernels/kernels.h"
#include "kernels/logistic.h"
#include "kernels/ovr_lanes.h"
#include "kernels/softmax.h"
#include "kernels/survey.h"

#include <math.h>

#if defined(__x86_64__) && defined(__LP64__) && defined(__GNUC__) /* clang says so too */
#define KERNELS_HAVE_AVX2 1
extern const struct kernels kernels_avx2;
extern const struct kernels kernels_avx512;
/* kernels_avx2.c; a set for wider vectors has the same sums */
double avx2_dot_f64(const double *x, const double *w, size_t n);
double avx2_dot_f32(const float *x, const double *w, size_t n);
double avx2_dot_centred_f64(const double *x, const double *c, const double *w, size_t n);
double avx2_dot_centred_f32(const float *x, const double *c, const double *w, size_t n);
double avx2_distance_f64(const double *x, const double *c, size_t n);
double avx2_distance_scaled_f64(const double *x, const double *c, const double *w, size_t n);
double avx2_gather_f64(const double *x, const uint32_t *index, const double *w, size_t n);
double avx2_gather_f32(const float *x, const uint32_t *index, const double *w, size_t n);
double avx2_gather_ones(const uint32_t *index, const double *w, size_t n);
void avx2_axpy_f64(double a, const double *x, double *w, size_t n);
void avx2_axpy_f32(double a, const float *x, double *w, size_t n);
void avx2_turn(double *out, size_t apart, const double *x, size_t rows, size_t cols);
/* kernels_avx2_lanes.c */
void avx2_lanes_dot(float *out, const float *x, const uint32_t *index, size_t n, const float *w,
                    size_t lanes, size_t used);
void avx2_lanes_fetch(const uint32_t *index, size_t n, const void *w, size_t bytes);
void avx2_lanes_add(float *w, const float *d, const float *x, const uint32_t *index, size_t n,
                    size_t lanes, size_t used);
void avx2_lanes_dot_f64(double *out, const double *x, const uint32_t *index, size_t n,
                        const float *w, size_t lanes, size_t used);
void avx2_lanes_dot_doubles(double *out, const double *x, const uint32_t *index, size_t n,
                            const double *w, size_t lanes, size_t used);
void avx2_lanes_add_f64(double *w, const double *d, const double *x, const uint32_t *index,
                        size_t n, size_t lanes, size_t used);
/* kernels_avx2_softmax.c */
void avx2_softmax_begin(struct softmax_panel *panel, const double *score, size_t n, size_t classes,
                        size_t lanes, double *p);
void avx2_softmax_end(struct softmax_panel *panel, size_t n, size_t classes, size_t lanes,
                      double *p);
void avx2_softmax(const double *score, size_t n, size_t classes, size_t lanes, const int32_t *label,
                  double *value, double *p, double *missing);
/* kernels_avx2_simplex.c */
size_t avx2_simplex_project(double *z, size_t lanes);
void avx2_simplex_survey(struct simplex_view *out, const double *a, const double *g, size_t lanes);
#else
#define KERNELS_HAVE_AVX2 0
#endif

/* One store per element in any set: there is nothing to gain from vectors before AVX-512. */
void scatter_add_f64(double a, const double *x, const uint32_t *index, double *w, size_t n);
void scatter_add_f32(double a, const float *x, const uint32_t *index, double *w, size_t n);
void scatter_add_ones(double a, const uint32_t *index, double *w, size_t n);

/* Four lanes as one; of views the scores and the sum, in this order in any set. */
static inline double simplex_sum(const double *part) {
    return (part[0] + part[2]) + (part[1] + part[3]);
}

/* Of the two largest scores of four lanes. */
static inline void simplex_join(struct simplex_view *out, const double *most, const double *second,
                                const double *least) {
    out->most = out->second = -INFINITY;
    out->least = INFINITY;
    for (size_t l = 0; l < 4; l++) {
        double low = most[l] < out->most ? most[l] : out->most;
        out->second = second[l] > out->second ? second[l] : out->second;
        out->second = low > out->second ? low : out->second;
        out->most = most[l] > out->most ? most[l] : out->most;
        out->least = least[l] < out->least ? least[l] : out->least;
    }
}

/* A test of c inside the loops would keep them from becoming vectors. */
static inline void shift_f64(double *restrict out, const double *restrict x,
                             const double *restrict c, double a, size_t n) {
    if (c)
        for (size_t j = 0; j < n; j++) out[j] = (x[j] - c[j]) * a;
    else
        for (size_t j = 0; j < n; j++) out[j] = x[j] * a;
}

static inline void shift_f32(double *restrict out, const float *restrict x,
                             const double *restrict c, double a, size_t n) {
    if (c)
        for (size_t j = 0; j < n; j++) out[j] = ((double)x[j] - c[j]) * a;
    else
        for (size_t j = 0; j < n; j++) out[j] = (double)x[j] * a;
}

static inline void times(double *restrict out, const double *restrict x, const double *restrict y,
                         size_t n) {
    for (size_t j = 0; j < n; j++) out[j] = x[j] * y[j];
}

/* Of a set with vectors: the compiler knows in each branch whether there are magnitudes, and how many rows. */
#define KERNELS_BY_BRANCHES(set)                                                                   \
    static void set##_add_rows(double *w, double *magnitude, const double *a,                      \
                               const double *const *x, size_t rows, size_t n) {                    \
        if (magnitude)                                                                             \
            add_all_vectors(w, magnitude, a, x, rows, n);                                          \
        else                                                                                       \
            add_all_vectors(w, NULL, a, x, rows, n);                                               \
    }                                                                                              \
    static void set##_dot_columns(double *out, size_t out_apart, const double *by,                 \
                                  size_t by_apart, size_t rows, const double *x, size_t apart,     \
                                  size_t cols, size_t n) {                                         \
        if (rows == 2)                                                                             \
            dot_tiles(out, out_apart, by, by_apart, 2, x, apart, cols, n);                         \
        else                                                                                       \
            dot_tiles(out, out_apart, by, by_apart, 1, x, apart, cols, n);                         \
    }
/* By the steps of a panel; what is between them is compiled for the set. */
#define KERNEL_SOFTMAX(set, begin, end)                                                            \
    void set##_softmax(const double *score, size_t n, size_t classes, size_t lanes,                \
                       const int32_t *label, double *value, double *p, double *missing) {          \
        softmax_rows(begin, end, score, n, classes, lanes, label, value, p, missing);              \
    }

/* The functions of a set. Those of one row, of a step for all lanes and of points of the simplex, and those of
   several rows or columns, have its prefix; the others are the same source for every set. */
#define KERNELS_OF_ROWS(set)                                                                       \
    .dot_f64 = set##_dot_f64, .dot_f32 = set##_dot_f32, .dot_centred_f64 = set##_dot_centred_f64,  \
    .dot_centred_f32 = set##_dot_centred_f32, .distance_f64 = set##_distance_f64,                  \
    .distance_scaled_f64 = set##_distance_scaled_f64, .axpy_f64 = set##_axpy_f64,                  \
    .axpy_f32 = set##_axpy_f32, .gather_f64 = set##_gather_f64, .gather_f32 = set##_gather_f32,    \
    .gather_ones = set##_gather_ones, .turn = set##_turn,                                          \
    .simplex_project = set##_simplex_project, .simplex_survey = set##_simplex_survey,              \
    .lanes_dot = set##_lanes_dot, .lanes_fetch = set##_lanes_fetch, .lanes_add = set##_lanes_add,  \
    .lanes_dot_f64 = set##_lanes_dot_f64, .lanes_dot_doubles = set##_lanes_dot_doubles,            \
    .lanes_add_f64 = set##_lanes_add_f64
#define KERNELS_OF_PANELS(set)                                                                     \
    .dot_rows = set##_dot_rows, .magnitude_rows = set##_magnitude_rows,                            \
    .add_rows = set##_add_rows, .add_columns = set##_add_columns,                                  \
    .dot_columns = set##_dot_columns, .softmax = set##_softmax
#define KERNELS_OF_ONE_SOURCE                                                                      \
    .shift_f64 = shift_f64, .shift_f32 = shift_f32, .times = times,                                \
    .scatter_f64 = scatter_add_f64, .scatter_f32 = scatter_add_f32,                                \
    .scatter_ones = scatter_add_ones, .logistic = logistic_loss, .entropy = logistic_entropy,      \
    .softmax_entropy = softmax_entropy, .survey = survey_numbers,                                  \
    .lanes_squared_hinge = lanes_squared_hinge, .lanes_hinge = lanes_hinge,                        \
    .lanes_logistic = lanes_logistic

#endif
