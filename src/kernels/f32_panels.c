#include "kernels/f32_panels.h"

#include <string.h>

float f32_panels_largest_square(float *squares, const float *z, size_t rows, size_t n) {
    float *restrict sum = squares, largest = 0;
    memset(squares, 0, n * sizeof *squares);
    for (size_t i = 0; i < rows; i++) {
        const float *restrict row = z + i * n;
        for (size_t j = 0; j < n; j++) sum[j] += row[j] * row[j];
    }
    for (size_t j = 0; j < n; j++)
        if (squares[j] > largest) largest = squares[j];
    return largest;
}

/* Adding and taking off 3/2 2^23 leaves integers below 2^22, and nothing else, as they are. The
   difference of two integers is asked for its size only: it may have been rounded to one. */
static inline int is_other(float x, float z, float most) {
    const float magic = 0x1.8p23f;
    return (x != (x + magic) - magic) | (z > most) | (z < -most);
}

bool f32_panels_centre(float *z, const float *x, const float *shift, size_t n, float most) {
    int other = 0;
    for (size_t j = 0; j < n; j++) {
        float sum = x[j] + shift[j];
        other |= is_other(x[j], sum, most);
        z[j] = sum;
    }
    return other == 0;
}

bool f32_panels_scatter(float *z, const float *shift, const float *x, const uint32_t *index,
                        const size_t *place, size_t n, float most) {
    int other = 0;
    for (size_t at = 0; at < n; at++) {
        size_t to = place[index[at]];
        z[to] = shift[to] + x[at];
        other |= is_other(x[at], z[to], most);
    }
    return other == 0;
}

void f32_panels_add_triangle(double *sum, const float *z, size_t n) {
    for (size_t i = 0; i < n; i++) {
        double *restrict to = sum + i * n;
        const float *restrict from = z + i * n;
        for (size_t j = i; j < n; j++) to[j] += (double)from[j];
    }
}

void f32_panels_round(float *out, const double *x, size_t n) {
    for (size_t j = 0; j < n; j++) out[j] = (float)x[j];
}
