/* Feature maps: the stages of a spec before its learner. A map is one file with a constant struct
   map, and one line in maps.def. What it has learnt is one array of numbers, which the model file
   keeps as a tensor; all else follows from its parameters and the number of columns it is given. */
#ifndef SEPAL_MAPS_MAP_H
#define SEPAL_MAPS_MAP_H

#include "core/parameters.h"
#include "data/matrix.h"

struct map;

/* A map with its parameters, fitted to columns. */
struct fitted_map {
    const struct map *map;
    const void *config;
    size_t in, out;  /* columns */
    size_t shape[2]; /* of numbers; {0, 0}: none */
    double *numbers; /* row-major */
    /* Made by map_chain_prepare of a column-by-column map: what sparse rows, divided, have too much in
       every column. NULL: nothing. */
    const double *offset;
};

/* What a map may learn from. */
struct map_rows {
    sepal_ctx *ctx;
    struct arena *arena;
    const struct matrix *x;
    const double *weight; /* of each row; NULL: all 1 */
    double total;         /* their sum */
};

/* A sparse row. */
struct map_entry {
    uint32_t column;
    double value;
};
struct map_entries {
    struct map_entry *items;
    size_t n, room;
};
sepal_status map_entries_reserve(sepal_ctx *ctx, struct map_entries *entries, size_t n);
sepal_status map_entries_add(sepal_ctx *ctx, struct map_entries *entries, size_t column,
                             double value);

/* The name of input column j, for the names of the output. */
struct map_names {
    void (*print)(sepal_ctx *ctx, struct text *out, size_t j, const void *payload);
    const void *payload;
};

struct map {
    const char *name, *summary;
    const struct parameter *parameters;
    size_t config_size;
    /* Column by column (x_j - numbers[0][j]) / numbers[1][j], or without numbers x_j; such a map needs
       neither `dense` nor `sparse`, and reports fold it back into the user's units. */
    bool affine;
    bool deviations; /* such a map, and numbers[1] are the standard deviations of its columns */
    /* Set `out` and `shape` from the config and `in`: at a fit, and when a model is loaded. */
    sepal_status (*plan)(struct fitted_map *map, sepal_ctx *ctx);
    /* Fill `numbers`, which are zeroed; NULL: there are none. */
    sepal_status (*learn)(struct fitted_map *map, const struct map_rows *rows);
    /* Whether numbers out of a file (all finite) could have been learnt; NULL: any. */
    bool (*sound)(const struct fitted_map *map);
    /* One row, `in` numbers to `out` numbers. */
    void (*dense)(const struct fitted_map *map, const struct kernels *kernels, const double *in,
                  double *out);
    /* One sparse row to a sparse row, columns rising; NULL: all rows become dense. */
    sepal_status (*sparse)(sepal_ctx *ctx, const struct fitted_map *map,
                           const struct map_entries *in, struct map_entries *out);
    /* Whether rows are kept sparse after this map, of rows that are sparse or not; NULL: as they are.
       Asked only if there is `sparse`. */
    bool (*keeps_sparse)(const struct fitted_map *map, bool are);
    /* The name of output column j; NULL: that of the input. */
    void (*column_name)(sepal_ctx *ctx, struct text *out, const struct fitted_map *map, size_t j,
                        const struct map_names *inputs);
};

/* What a map that keeps the number of columns and learns two numbers for each of them plans. */
sepal_status map_plan_affine(struct fitted_map *map, sepal_ctx *ctx);
/* The name of the map and a number from 1, for column_name. */
void map_numbered_name(sepal_ctx *ctx, struct text *out, const struct fitted_map *map, size_t j,
                       const struct map_names *inputs);
bool map_divisors_are_positive(const struct fitted_map *map);

extern const struct map *const map_table[]; /* ends with NULL */
const struct map *map_find(const char *name);

#endif
