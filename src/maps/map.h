/* Feature maps: the stages of a spec before its learner. */
#ifndef SEPAL_MAPS_MAP_H
#define SEPAL_MAPS_MAP_H

#include "core/knobs.h"

struct map {
    const char *name, *summary;
    const struct knob *knobs;
};

extern const struct map *const map_table[]; /* ends with NULL */
const struct map *map_find(const char *name);

#endif
