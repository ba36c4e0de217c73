/* Inside kernels/ only: which kernel sets this build has, and what they share. */
#ifndef SEPAL_KERNELS_SETS_H
#define SEPAL_KERNELS_SETS_H

#include "kernels/kernels.h"

#if defined(__x86_64__) && defined(__LP64__) && defined(__GNUC__) /* clang says so too */
#define KERNELS_HAVE_AVX2 1
extern const struct kernels kernels_avx2;
/* kernels_avx2_wide.c */
void avx2_lanes_dot(float *out, const float *x, const uint32_t *index, size_t n, const float *w,
                    size_t lanes);
void avx2_lanes_fetch(const uint32_t *index, size_t n, const void *w, size_t bytes);
void avx2_lanes_add(float *w, const float *d, const float *x, const uint32_t *index, size_t n,
                    size_t lanes);
void avx2_lanes_dot_f64(double *out, const double *x, const uint32_t *index, size_t n,
                        const float *w, size_t lanes, size_t used);
void avx2_lanes_dot_doubles(double *out, const double *x, const uint32_t *index, size_t n,
                            const double *w, size_t lanes, size_t used);
void avx2_lanes_add_f64(double *w, const double *d, const double *x, const uint32_t *index,
                        size_t n, size_t used);
bool avx2_lanes_squared_hinge(struct lanes_step *step, size_t lanes);
bool avx2_lanes_hinge(struct lanes_step *step, size_t lanes);
bool avx2_lanes_logistic(struct lanes_step *step, size_t lanes);
#else
#define KERNELS_HAVE_AVX2 0
#endif

/* One store per element in any set: there is nothing to gain from vectors before AVX-512. */
void scatter_add_f64(double a, const double *x, const uint32_t *index, double *w, size_t n);
void scatter_add_f32(double a, const float *x, const uint32_t *index, double *w, size_t n);
void scatter_add_ones(double a, const uint32_t *index, double *w, size_t n);

#endif
