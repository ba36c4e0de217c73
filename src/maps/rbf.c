/* rbf: radial basis functions exp(-|x - c|^2 / (2 width^2)), one column for each centre c. Centres are
   given or found by k-means. The width, unless given, is the root mean square distance of the rows
   to their nearest centre; if that is 0, the least distance of two centres; of one centre, 1. Kept:
   for each centre its coordinates, then its width. */
#include "maps/centres.h"
#include "maps/kmeans.h"

#include <math.h>

struct rbf_config {
    const char *centres;
    double width;
};

#define AT(field) offsetof(struct rbf_config, field)
static const struct parameter parameters[] = {
    {"centres", PARAMETER_TEXT, AT(centres), "10", "",
     "how many, found by k-means; or points, as in \"0,0;1,1\""},
    {"width", PARAMETER_REAL, AT(width), NULL, "(0, inf)",
     "at which a column falls to exp(-1/2); unless given, the root mean square distance of the "
     "rows to their nearest centre"},
    {0},
};

static sepal_status rbf_plan(struct fitted_map *map, sepal_ctx *ctx) {
    const struct rbf_config *config = map->config;
    struct centres centres;
    TRY(centres_read(&centres, NULL, ctx, "rbf", config->centres, CENTRES_POINTS, map->in));
    map->out = centres.n;
    map->shape[0] = centres.n;
    map->shape[1] = map->in + 1;
    return SEPAL_OK;
}

/* The points given stand close together; give each room for its width. */
static void spread_out(double *numbers, size_t n, size_t cols) {
    for (size_t k = n; k-- > 0;)
        for (size_t j = cols; j-- > 0;) numbers[k * (cols + 1) + j] = numbers[k * cols + j];
}

static sepal_status find_centres(struct fitted_map *map, struct kmeans *kmeans) {
    const struct rbf_config *config = map->config;
    sepal_ctx *ctx = kmeans->rows->ctx;
    struct centres centres;
    size_t found;
    TRY(centres_read(&centres, map->numbers, ctx, "rbf", config->centres, CENTRES_POINTS, map->in));
    if (centres.given) {
        spread_out(map->numbers, map->out, map->in);
        return SEPAL_OK;
    }
    TRY(kmeans_find(kmeans, &found));
    if (found == map->out) return SEPAL_OK;
    return fail(ctx, SEPAL_EDATA,
                "rbf: centres=%zu, but only %zu of the rows are different; write centres=%zu",
                map->out, found, found);
}

static double least_distance(const struct kmeans *kmeans) {
    const struct kernels *kernels = kmeans->rows->ctx->kernels;
    double least = INFINITY;
    for (size_t k = 0; k < kmeans->k; k++)
        for (size_t other = 0; other < k; other++) {
            double square = kernels->distance_f64(kmeans->centre + k * kmeans->stride,
                                                  kmeans->centre + other * kmeans->stride,
                                                  kmeans->rows->x->cols);
            if (square > 0 && square < least) least = square;
        }
    return isfinite(least) ? sqrt(least) : 1;
}

static sepal_status rbf_learn(struct fitted_map *map, const struct map_rows *rows) {
    const struct rbf_config *config = map->config;
    struct kmeans kmeans = {
        .rows = rows, .centre = map->numbers, .k = map->out, .stride = map->in + 1};
    double width = config->width, square;
    TRY(find_centres(map, &kmeans));
    if (isnan(width)) {
        TRY(kmeans_mean_square(&square, &kmeans));
        width = square > 0 ? sqrt(square) : least_distance(&kmeans);
    }
    for (size_t k = 0; k < map->out; k++) map->numbers[k * kmeans.stride + map->in] = width;
    return SEPAL_OK;
}

static bool rbf_sound(const struct fitted_map *map) {
    size_t k = 0;
    while (k < map->out && map->numbers[k * (map->in + 1) + map->in] > 0) k++;
    return k == map->out;
}

static void rbf_dense(const struct fitted_map *map, const struct kernels *kernels, const double *in,
                      double *out) {
    const double *centre = map->numbers;
    for (size_t k = 0; k < map->out; k++, centre += map->in + 1) {
        /* divided before it is squared again: the square of a small width may be 0 */
        double far = sqrt(kernels->distance_f64(in, centre, map->in)) / centre[map->in];
        out[k] = exp(-far * far / 2);
    }
}

const struct map map_rbf = {
    .name = "rbf",
    .summary = "radial basis functions: Gaussians around centres",
    .parameters = parameters,
    .config_size = sizeof(struct rbf_config),
    .plan = rbf_plan,
    .learn = rbf_learn,
    .sound = rbf_sound,
    .dense = rbf_dense,
    .column_name = map_numbered_name,
};
