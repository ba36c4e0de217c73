/* Inside kernels/ only: which kernel sets this build has, and what they share. */
#ifndef SEPAL_KERNELS_SETS_H
#define SEPAL_KERNELS_SETS_H

#include "kernels/kernels.h"

#if defined(__x86_64__) && defined(__LP64__) && defined(__GNUC__) /* clang says so too */
#define KERNELS_HAVE_AVX2 1
extern const struct kernels kernels_avx2;
#else
#define KERNELS_HAVE_AVX2 0
#endif

/* One store per element in any set: there is nothing to gain from vectors before AVX-512. */
void scatter_add_f64(double a, const double *x, const uint32_t *index, double *w, size_t n);
void scatter_add_f32(double a, const float *x, const uint32_t *index, double *w, size_t n);
void scatter_add_ones(double a, const uint32_t *index, double *w, size_t n);

#endif
