/* Whole-number multipliers of rows that add up to exactly 0. */
#ifndef SEPAL_EXACT_INTEGER_NULLSPACE_H
#define SEPAL_EXACT_INTEGER_NULLSPACE_H

#include "core/arena.h"
#include "core/budget.h"
#include "exact/bigint.h"

/* An entry of a matrix, value * 2^exponent. */
struct exact_entry {
    uint32_t equation, point;
    int64_t value;
    int exponent;
};
struct exact_system {
    size_t n_equations, n_points;
    struct exact_entry *entries; /* those that are not 0 */
    size_t n_entries, room;
};
/* Add an entry, unless it is 0; `entries` is to be freed. */
sepal_status exact_system_add(struct exact_system *system, sepal_ctx *ctx, size_t equation,
                              size_t point, double value);

/* A vector of whole numbers, as decimal digits. */
struct exact_vector {
    const char **digits; /* NULL: none was found */
    bool *negative;
    struct bigint *sizes; /* the same numbers without sign, in binary */
    size_t rank;          /* of the matrix, at least */
};

/* A vector that the matrix maps to 0, without common divisors. Without weights: the only one but for
   multiples; where there are several, or none, none is found. With weights: points that are not needed
   for the matrix's rank have multipliers in their ratio. What would take too long is not found. The
   rank is proved, the vector only probable: whoever relies on it checks. */
sepal_status exact_null_vector(struct exact_vector *out, sepal_ctx *ctx, struct arena *arena,
                               const struct exact_system *system, const int64_t *weight,
                               struct budget *budget);

#endif
