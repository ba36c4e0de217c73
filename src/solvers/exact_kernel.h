/* Whole-number multipliers of rows that add up to exactly 0. */
#ifndef SEPAL_SOLVERS_EXACT_KERNEL_H
#define SEPAL_SOLVERS_EXACT_KERNEL_H

#include "core/arena.h"
#include "solvers/effort.h"

/* An entry of a matrix, value * 2^exponent. */
struct exact_entry {
    uint32_t equation, point;
    int64_t value;
    int exponent;
};
struct exact_system {
    size_t n_equations, n_points;
    struct exact_entry *entries; /* those that are not 0 */
    size_t n_entries;
};

/* If the vectors that the matrix maps to 0 are the multiples of one, and that one has no two entries
   of opposite signs, its smallest whole-number multiple, as decimal digits. NULL in *out: there is no
   such vector, or it would take too long to find. Probably right; whoever relies on it checks. */
sepal_status exact_kernel(const char ***out, sepal_ctx *ctx, struct arena *arena,
                          const struct exact_system *system, struct effort *effort);

#endif
