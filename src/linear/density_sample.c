#include "linear/density_sample.h"

#include "core/alloc.h"
#include "core/rng.h"

#include <math.h>
#include <string.h>

sepal_status sampler_init(struct sampler *out, sepal_ctx *ctx, const struct density *density,
                          const double *centre, size_t length) {
    size_t forms = density->forms, cols = density->cols;
    bool counts = density->kind == DENSITY_MULTINOMIAL;
    *out = (struct sampler){.density = density, .centre = centre, .length = length};
    if (!counts && density->kind != DENSITY_BERNOULLI) return SEPAL_OK;
    out->chance = mem_alloc(ctx, forms, cols * sizeof *out->chance);
    if (!out->chance) return SEPAL_EMEMORY;
    for (size_t i = 0; i < forms * cols; i++) {
        double before = counts && i % cols ? out->chance[i - 1] : 0;
        out->chance[i] = before + exp(density->mean[i]);
    }
    return SEPAL_OK;
}

void sampler_clear(struct sampler *sampler) {
    mem_free(sampler->chance);
    *sampler = (struct sampler){0};
}

/* centre + mean + z R, z normal. */
static void gaussian_row(double *out, const struct sampler *sampler, const struct kernels *kernels,
                         uint64_t seed, uint64_t stream, size_t form) {
    const struct density *density = sampler->density;
    size_t cols = density->cols;
    const double *root = density->root;
    if (density->kind == DENSITY_FULL) root += form * cols * cols;
    if (density->kind == DENSITY_DIAGONAL) root += form * cols;
    if (density->kind == DENSITY_SPHERICAL) root += form;
    memset(out, 0, cols * sizeof *out);
    for (size_t j = 0; j < cols; j++) {
        double z = rng_normal_at(seed, stream, j);
        if (density->kind == DENSITY_DIAGONAL)
            out[j] = z * root[j];
        else if (density->kind == DENSITY_SPHERICAL)
            out[j] = z * root[0];
        else
            kernels->axpy_f64(z, root + j * cols + j, out + j, cols - j);
    }
    for (size_t j = 0; j < cols; j++) {
        out[j] += density->mean[form * cols + j];
        if (sampler->centre) out[j] += sampler->centre[j];
    }
}

/* The first column whose sum is beyond u. */
static size_t density_find_column(const double *sums, size_t cols, double u) {
    size_t low = 0, high = cols - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sums[middle] > u)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void sampler_row(double *out, const struct sampler *sampler, const struct kernels *kernels,
                 uint64_t seed, uint64_t row, size_t form) {
    const struct density *density = sampler->density;
    size_t cols = density->cols;
    uint64_t stream = UINT64_C(1) << 63 | row; /* far from the streams of other draws */
    if (!sampler->chance) {
        gaussian_row(out, sampler, kernels, seed, stream, form);
        return;
    }
    const double *chance = sampler->chance + form * cols;
    if (density->kind == DENSITY_BERNOULLI) {
        for (size_t j = 0; j < cols; j++) out[j] = rng_unit_at(seed, stream, j) < chance[j];
        return;
    }
    memset(out, 0, cols * sizeof *out);
    for (size_t i = 0; i < sampler->length; i++)
        out[density_find_column(chance, cols, chance[cols - 1] * rng_unit_at(seed, stream, i))]++;
}
