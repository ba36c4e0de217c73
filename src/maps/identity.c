/* identity: identity: the features as they are. */
#include "maps/map.h"

static const struct parameter parameters[] = {{0}};

static sepal_status identity_plan(struct fitted_map *map, sepal_ctx *ctx) {
    (void)ctx;
    map->out = map->in;
    return SEPAL_OK;
}

const struct map map_identity = {
    .name = "identity",
    .summary = "identity: the features as they are",
    .parameters = parameters,
    .affine = true,
    .plan = identity_plan,
};
