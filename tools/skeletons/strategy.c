/* @NAME@: one function for each class, against all others; the largest score wins, and no row is
   ambiguous. A skeleton: say here which functions there are, and how their scores are decoded. */
#include "linear/strategy.h"

const struct strategy strategy_@name@ = {
    .name = "@NAME@",
    .summary = "K functions, each class against all others; the largest score wins",
    .decode = "@NAME@",
    .link = LINK_RATES,
    .functions = strategy_each_class,
    .sides = strategy_against_rest,
    .decide = strategy_largest,
    .distances = strategy_own_distances,
};
