/* Weights in single precision, for sparse rows: half the memory to fetch them from. Sums are taken in
   double precision, in four parts. There is one version of this code, so the kernels in use change
   no bit. */
#include "solvers/dual.h"

static double sum_ones(const uint32_t *index, const float *w, size_t n) {
    double sum[4] = {0};
    size_t k = 0;
    for (; n - k >= 4; k += 4)
        for (size_t l = 0; l < 4; l++) sum[l] += (double)w[index[k + l]];
    for (; k < n; k++) sum[0] += (double)w[index[k]];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static double sum_f32(const float *x, const uint32_t *index, const float *w, size_t n) {
    double sum[4] = {0};
    size_t k = 0;
    for (; n - k >= 4; k += 4)
        for (size_t l = 0; l < 4; l++) sum[l] += (double)x[k + l] * (double)w[index[k + l]];
    for (; k < n; k++) sum[0] += (double)x[k] * (double)w[index[k]];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static double sum_f64(const double *x, const uint32_t *index, const float *w, size_t n) {
    double sum[4] = {0};
    size_t k = 0;
    for (; n - k >= 4; k += 4)
        for (size_t l = 0; l < 4; l++) sum[l] += x[k + l] * (double)w[index[k + l]];
    for (; k < n; k++) sum[0] += x[k] * (double)w[index[k]];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

double dual_single_dot(const struct block *block, size_t i, const float *w) {
    size_t at = block->start[i], n = block->start[i + 1] - at;
    const uint32_t *index = block->index + at;
    switch (block->values) {
    case VALUES_ONES: return sum_ones(index, w, n);
    case VALUES_ROW: return block->f64[i] * sum_ones(index, w, n);
    case VALUES_F32: return sum_f32(block->f32 + at, index, w, n);
    case VALUES_F64: return sum_f64(block->f64 + at, index, w, n);
    }
    return 0;
}

void dual_single_add(const struct block *block, size_t i, double a, float *w) {
    size_t at = block->start[i], n = block->start[i + 1] - at;
    const uint32_t *index = block->index + at;
    float step = (float)(block->values == VALUES_ROW ? a * block->f64[i] : a);
    switch (block->values) {
    case VALUES_ONES:
    case VALUES_ROW:
        for (size_t k = 0; k < n; k++) w[index[k]] += step;
        break;
    case VALUES_F32:
        for (size_t k = 0; k < n; k++) w[index[k]] += step * block->f32[at + k];
        break;
    case VALUES_F64:
        for (size_t k = 0; k < n; k++) w[index[k]] += (float)(a * block->f64[at + k]);
        break;
    }
}
