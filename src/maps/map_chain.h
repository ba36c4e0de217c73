/* The basis functions of a model, phi(x): its maps one after the other. */
#ifndef SEPAL_MAPS_MAP_CHAIN_H
#define SEPAL_MAPS_MAP_CHAIN_H

#include "core/arena.h"
#include "maps/map.h"

enum { MAP_CHAIN_MOST = 8 };

struct map_chain {
    size_t n;
    struct fitted_map maps[MAP_CHAIN_MOST];
};

/* Fit the maps (their `map` and `config` are set) to the rows, and keep phi of them in `out`. With
   no maps `out` stays empty: phi is x. Numbers go to the arena. */
sepal_status map_chain_fit(struct map_chain *chain, struct matrix *out, sepal_ctx *ctx,
                           struct arena *arena, const struct matrix *x, const double *weight);
/* For a model out of a file: plan all maps for `in` columns; then, when each has its numbers, make
   what follows from them. */
sepal_status map_chain_plan(struct map_chain *chain, sepal_ctx *ctx, size_t in);
sepal_status map_chain_prepare(struct map_chain *chain, sepal_ctx *ctx, struct arena *arena);
size_t map_chain_width(const struct map_chain *chain, size_t in); /* columns of phi */
bool map_chain_is_identity(const struct map_chain *chain);        /* phi is x, to the bit */
/* phi of rows [first, first + n) as a block of its own, to be given back to block_clear. */
sepal_status map_chain_block(struct block *out, sepal_ctx *ctx, const struct map_chain *chain,
                             const struct matrix *x, size_t first, size_t n);
/* One row through a chain of maps that all are column by column, `n` numbers to as many; and a sparse
   one: what its entries become. */
void map_chain_affine_row(double *out, const struct map_chain *chain, const double *x, size_t n);
void map_chain_affine_entries(double *out, const struct map_chain *chain, const uint32_t *index,
                              const double *x, size_t n);
/* What sparse rows have too much in every column behind such a chain; NULL: nothing. */
const double *map_chain_affine_offset(const struct map_chain *chain);
/* phi of a whole matrix. */
sepal_status map_chain_matrix(struct matrix *out, sepal_ctx *ctx, const struct map_chain *chain,
                              const struct matrix *x);
/* How many maps at the end are column by column: reports fold them back. */
size_t map_chain_affine_tail(const struct map_chain *chain);
/* phi_j = (z_j - shift_j) / divisor_j, with z what the maps before that tail make. */
void map_chain_fold(const struct map_chain *chain, size_t j, double *shift, double *divisor);
/* What a weight of phi_j is divided by to be the effect of one standard deviation of the column that it
   is made of; false when none of those maps standardises. */
bool map_chain_deviation(const struct map_chain *chain, size_t j, double *divisor);
/* The name of column j after the first n maps; `inputs` names the columns of x. */
void map_chain_name(sepal_ctx *ctx, struct text *out, const struct map_chain *chain, size_t n,
                    size_t j, const struct map_names *inputs);

#endif
