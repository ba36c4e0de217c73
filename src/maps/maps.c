#include "maps/map.h"

#include "core/alloc.h"

#include <string.h>

#define MAP(name) extern const struct map map_##name;
#include "maps/maps.def"
#undef MAP

const struct map *const map_table[] = {
#define MAP(name) &map_##name,
#include "maps/maps.def"
#undef MAP
    NULL,
};

const struct map *map_find(const char *name) {
    for (const struct map *const *row = map_table; *row; row++)
        if (strcmp((*row)->name, name) == 0) return *row;
    return NULL;
}

sepal_status map_plan_affine(struct fitted_map *map, sepal_ctx *ctx) {
    (void)ctx;
    map->out = map->in;
    map->shape[0] = 2;
    map->shape[1] = map->in;
    return SEPAL_OK;
}

void map_numbered_name(sepal_ctx *ctx, struct text *out, const struct fitted_map *map, size_t j,
                       const struct map_names *inputs) {
    (void)inputs;
    text_printf(ctx, out, "%s%zu", map->map->name, j + 1);
}

bool map_divisors_are_positive(const struct fitted_map *map) {
    const double *divisor = map->numbers + map->in;
    size_t j = 0;
    while (j < map->in && divisor[j] > 0) j++;
    return j == map->in;
}

sepal_status map_entries_reserve(sepal_ctx *ctx, struct map_entries *entries, size_t n) {
    void *items = entries->items;
    sepal_status status = mem_reserve(ctx, &items, &entries->room, n, sizeof *entries->items);
    entries->items = items;
    return status;
}

sepal_status map_entries_add(sepal_ctx *ctx, struct map_entries *entries, size_t column,
                             double value) {
    TRY(map_entries_reserve(ctx, entries, entries->n + 1));
    entries->items[entries->n++] = (struct map_entry){(uint32_t)column, value};
    return SEPAL_OK;
}
