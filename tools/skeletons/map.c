/* @NAME@: each column divided by its largest absolute value. A skeleton: say here what the map does, and
   where that comes from. */
#include "maps/column_stats.h"

#include <math.h>

static const struct parameter parameters[] = {{0}};

/* Sparse rows stay sparse: nothing is taken off, and a column of zeros is divided by 1. */
static sepal_status @name@_learn(struct fitted_map *map, const struct map_rows *rows) {
    double *low = map->numbers, *most = map->numbers + map->in;
    TRY(column_ranges(low, most, rows));
    for (size_t j = 0; j < map->in; j++) {
        most[j] = fmax(fabs(low[j]), fabs(most[j]));
        if (most[j] == 0) most[j] = 1;
        low[j] = 0;
    }
    return SEPAL_OK;
}

const struct map map_@name@ = {
    .name = "@NAME@",
    .summary = "each column divided by its largest absolute value",
    .parameters = parameters,
    .affine = true,
    .plan = map_plan_affine,
    .learn = @name@_learn,
    .sound = map_divisors_are_positive,
};
