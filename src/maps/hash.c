/* hash: signed feature hashing (Weinberger, Dasgupta, Langford, Smola, Attenberg, ICML 2009). Input
   column j = 1, 2, ... is added to output column h mod 2^bits (from 0), or taken off it if the top
   bit of h is set; h is the j-th number of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) from seed 0. */
#include "maps/map.h"

#include <string.h>

struct hash_config {
    size_t bits;
};

static const struct parameter parameters[] = {
    {"bits", PARAMETER_COUNT, offsetof(struct hash_config, bits), "18", "[1, 30]",
     "how many columns: 2 to this power"},
    {0},
};

static sepal_status hash_plan(struct fitted_map *map, sepal_ctx *ctx) {
    const struct hash_config *config = map->config;
    (void)ctx;
    map->out = (size_t)1 << config->bits;
    return SEPAL_OK;
}

static uint64_t hash_of(size_t j) {
    uint64_t z = ((uint64_t)j + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static struct map_entry place(const struct fitted_map *map, size_t j, double value) {
    uint64_t h = hash_of(j);
    return (struct map_entry){(uint32_t)(h & (map->out - 1)), h >> 63 ? -value : value};
}

static void hash_dense(const struct fitted_map *map, const struct kernels *kernels,
                       const double *in, double *out) {
    (void)kernels;
    memset(out, 0, map->out * sizeof *out);
    for (size_t j = 0; j < map->in; j++) {
        if (in[j] == 0) continue;
        struct map_entry entry = place(map, j, in[j]);
        out[entry.column] += entry.value;
    }
}

/* By column; entries of the same column stay in order, so that sums have the bits of dense rows. */
static void hash_sort(struct map_entry *items, struct map_entry *room, size_t n) {
    size_t half = n / 2, left = 0, right = half, at = 0;
    if (n < 2) return;
    hash_sort(items, room, half);
    hash_sort(items + half, room, n - half);
    memcpy(room, items, half * sizeof *room);
    while (left < half) {
        bool later = right < n && items[right].column < room[left].column;
        items[at++] = later ? items[right++] : room[left++];
    }
}

static sepal_status hash_sparse(sepal_ctx *ctx, const struct fitted_map *map,
                                const struct map_entries *in, struct map_entries *out) {
    TRY(map_entries_reserve(ctx, out, 2 * in->n));
    struct map_entry *items = out->items;
    for (size_t e = 0; e < in->n; e++)
        items[e] = place(map, in->items[e].column, in->items[e].value);
    hash_sort(items, items + in->n, in->n);
    for (size_t e = 0; e < in->n; e++)
        if (out->n > 0 && items[out->n - 1].column == items[e].column)
            items[out->n - 1].value += items[e].value;
        else
            items[out->n++] = items[e];
    return SEPAL_OK;
}

/* As readers choose: from 32 columns on, with fewer than one entry in five. Of sparse rows we cannot
   know how full they are. */
static bool keeps_sparse(const struct fitted_map *map, bool was) {
    enum { FEWEST = 32, ONE_IN = 5 };
    return map->out >= FEWEST && (was || map->in < map->out / ONE_IN);
}

const struct map map_hash = {
    .name = "hash",
    .summary = "feature hashing: columns added up, with signs, in 2^bits columns",
    .parameters = parameters,
    .config_size = sizeof(struct hash_config),
    .plan = hash_plan,
    .dense = hash_dense,
    .sparse = hash_sparse,
    .keeps_sparse = keeps_sparse,
    .column_name = map_numbered_name,
};
