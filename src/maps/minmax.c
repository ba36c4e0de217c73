/* minmax: each column less its least number, divided by its range, so that the rows fitted to lie in
   [0, 1]. A constant column becomes 0; other rows are not clipped. */
#include "maps/column_stats.h"

static const struct parameter parameters[] = {{0}};

static sepal_status minmax_learn(struct fitted_map *map, const struct map_rows *rows) {
    double *low = map->numbers, *range = map->numbers + map->in;
    TRY(column_ranges(low, range, rows));
    for (size_t j = 0; j < map->in; j++) {
        range[j] -= low[j];
        if (range[j] == 0) range[j] = 1;
    }
    return SEPAL_OK;
}

const struct map map_minmax = {
    .name = "minmax",
    .summary = "min-max scaling: each column moved and scaled to the range [0, 1]",
    .parameters = parameters,
    .affine = true,
    .plan = map_plan_affine,
    .learn = minmax_learn,
    .sound = map_divisors_are_positive,
};
