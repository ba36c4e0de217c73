/* Names of metrics as places in a judgement. */
#ifndef SEPAL_SELECTION_METRIC_NAMES_H
#define SEPAL_SELECTION_METRIC_NAMES_H

#include "core/arena.h"

/* Names with commas between them as paths, "f1" being "macro.f1"; refused where there is no such metric.
   NULL: the usual ones, of single rows those that need no others. */
struct metric_names {
    size_t n;
    const char **path;
};
sepal_status metric_names_read(struct metric_names *out, sepal_ctx *ctx, struct arena *arena,
                               const char *names, bool single_rows);
/* Whether a metric, by its path, is of probabilities, or of a ranking of the rows. */
bool metric_is_of_probabilities(const char *path);
bool metric_ranks(const char *path);

#endif
