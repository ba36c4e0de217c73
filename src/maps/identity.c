/* identity: the features as they are. */
#include "maps/map.h"

static const struct parameter knobs[] = {{0}};

static sepal_status plan(struct fitted_map *map, sepal_ctx *ctx) {
    (void)ctx;
    map->out = map->in;
    return SEPAL_OK;
}

const struct map map_identity = {
    .name = "identity",
    .summary = "the features as they are",
    .knobs = knobs,
    .affine = true,
    .plan = plan,
};
