/* fourier: random features sqrt(2/n) cos(omega . x + u) with omega ~ N(0, I / width^2) and u uniform
   on [0, 2 pi). Their dot products approach exp(-|x - y|^2 / (2 width^2)) as n grows (Rahimi, Recht,
   NIPS 2007). Normal numbers by Box and Muller (1958), from random bits that are a function of the
   seed and the place alone. Kept: row j the j-th component of every omega; the last row u. */
#include "core/rng.h"
#include "maps/map.h"

#include <math.h>

struct fourier_config {
    size_t features;
    double width;
};

#define AT(field) offsetof(struct fourier_config, field)
static const struct parameter parameters[] = {
    {"features", PARAMETER_COUNT, AT(features), "100", "[1, 2147483647]", "how many columns"},
    {"width", PARAMETER_REAL, AT(width), "1", "(0, inf)",
     "of the Gaussian kernel that their products approach"},
    {0},
};

static sepal_status fourier_plan(struct fitted_map *map, sepal_ctx *ctx) {
    const struct fourier_config *config = map->config;
    (void)ctx;
    map->out = config->features;
    map->shape[0] = map->in + 1;
    map->shape[1] = config->features;
    return SEPAL_OK;
}

static sepal_status fourier_learn(struct fitted_map *map, const struct map_rows *rows) {
    enum { STREAM = 0x666f7572 };
    const struct fourier_config *config = map->config;
    const double circle = 2 * acos(-1);
    struct rng rng = rng_make(rows->ctx->seed, STREAM);
    size_t normal = map->in * map->out;
    for (size_t i = 0; i < normal; i++) {
        double radius = sqrt(-2 * log(1 - rng_unit(&rng)));
        map->numbers[i] = radius * cos(circle * rng_unit(&rng)) / config->width;
    }
    for (size_t i = normal; i < normal + map->out; i++) map->numbers[i] = circle * rng_unit(&rng);
    return SEPAL_OK;
}

static void fourier_dense(const struct fitted_map *map, const struct kernels *kernels,
                          const double *in, double *out) {
    size_t n = map->out;
    const double root = sqrt(2 / (double)n), *phase = map->numbers + map->in * n;
    for (size_t f = 0; f < n; f++) out[f] = phase[f];
    for (size_t j = 0; j < map->in; j++)
        if (in[j] != 0) kernels->axpy_f64(in[j], map->numbers + j * n, out, n);
    for (size_t f = 0; f < n; f++) out[f] = root * cos(out[f]);
}

const struct map map_fourier = {
    .name = "fourier",
    .summary = "random Fourier features: cosines whose products approximate a Gaussian kernel",
    .parameters = parameters,
    .config_size = sizeof(struct fourier_config),
    .plan = fourier_plan,
    .learn = fourier_learn,
    .dense = fourier_dense,
    .column_name = map_numbered_name,
};
