/* Rows drawn from a density. Row i is a function of the seed, the class and i alone, so samples can
   be drawn in pieces, by any number of threads, and a longer one begins with the shorter one. */
#ifndef SEPAL_LINEAR_DENSITY_SAMPLE_H
#define SEPAL_LINEAR_DENSITY_SAMPLE_H

#include "linear/density.h"

struct sampler {
    const struct density *density;
    const double *centre; /* of the model; NULL: 0 */
    size_t length;        /* of a row of counts: what they add up to */
    double *chance;       /* bits: of each column; counts: sums of the columns up to each */
};

sepal_status sampler_init(struct sampler *out, sepal_ctx *ctx, const struct density *density,
                          const double *centre, size_t length);
void sampler_clear(struct sampler *sampler);
/* cols numbers */
void sampler_row(double *out, const struct sampler *sampler, const struct kernels *kernels,
                 uint64_t seed, uint64_t row, size_t form);

#endif
