/* standardize: standardisation: each column less its mean, divided by its standard deviation (the number of rows in
   the denominator). A constant column becomes 0. */
#include "maps/column_stats.h"

static const struct parameter parameters[] = {{0}};

static sepal_status standardize_learn(struct fitted_map *map, const struct map_rows *rows) {
    double *deviation = map->numbers + map->in;
    TRY(column_moments(map->numbers, deviation, rows));
    for (size_t j = 0; j < map->in; j++)
        if (deviation[j] == 0) deviation[j] = 1;
    return SEPAL_OK;
}

const struct map map_standardize = {
    .name = "standardize",
    .summary = "standardisation: each column less its mean, divided by its standard deviation",
    .parameters = parameters,
    .affine = true,
    .deviations = true,
    .plan = map_plan_affine,
    .learn = standardize_learn,
    .sound = map_divisors_are_positive,
};
