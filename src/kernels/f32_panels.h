/* Loops over panels of singles, in files that are compiled for speed. All but the rounding are exact
   for integers whose squares and sums stay below 2^24. */
#ifndef SEPAL_KERNELS_F32_PANELS_H
#define SEPAL_KERNELS_F32_PANELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest sum of squares of a column of `rows` rows of n numbers; `squares` has room for n. */
float f32_panels_largest_square(float *squares, const float *z, size_t rows, size_t n);
/* z = x + shift for integers `shift`; false unless all x are integers, and all z of at most `most`,
   which is below 2^22. z may be x. */
bool f32_panels_centre(float *z, const float *x, const float *shift, size_t n, float most);
/* The same for the n entries of a sparse row, at place[index]. Those that share a place are looked
   at one by one, and the last is left there. */
bool f32_panels_scatter(float *z, const float *shift, const float *x, const uint32_t *index,
                        const size_t *place, size_t n, float most);
/* Upper triangle of the sum (n x n) += that of singles. */
void f32_panels_add_triangle(double *sum, const float *z, size_t n);
/* The nearest singles. */
void f32_panels_round(float *out, const double *x, size_t n);

#endif
