/* What an evaluation can be asked for beside the metrics of the table. */
#ifndef SEPAL_EVAL_EVALUATE_OPTIONS_H
#define SEPAL_EVAL_EVALUATE_OPTIONS_H

#include "core/parameters.h"

struct evaluate_options {
    const char *positive; /* the class that two-class metrics are about; NULL: the second */
    const char *cost;     /* the file of a cost matrix; NULL: none */
    size_t top_k;         /* 0: not asked for */
    size_t bins;          /* of probabilities, of equal width */
    size_t resamples;     /* of the bootstrap; 0: none */
    double confidence;    /* of intervals; 0: none */
    bool curves;
    bool
        tells; /* warnings of rows that say little; of one judgement among many they are told otherwise */
    /* Metrics that are left out: those of probabilities, and those that rank the rows. */
    bool no_probabilities, no_rankings;
};
enum { BINS = 10 }; /* unless it is said */
extern const struct parameter evaluate_option_table[];
/* Those of the settings that are rows of the table; the others stay in settings[0 .. *n-1]. */
sepal_status evaluate_options_take(struct evaluate_options *out, sepal_ctx *ctx,
                                   struct arena *arena, struct setting *settings, size_t *n);

#endif
