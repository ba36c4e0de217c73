/* Sets of labels: a function for each label, which a row has if its score is at least 0, whatever the
   other scores are. No spec names this strategy: it is that of learners of label sets. */
#include "linear/strategy.h"

const struct strategy strategy_labels = {
    .name = "labels",
    .summary = "label sets: a function for each label, whose sign decides whether a row has it",
    .decode = "labels",
    .link = LINK_EACH,
    .sets = true,
    .functions = strategy_each_class,
    .sides = strategy_against_rest,
    .decide = strategy_largest, /* the likeliest label, for whoever asks for one */
    .distances = strategy_own_distances,
};
