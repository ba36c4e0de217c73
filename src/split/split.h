/* A file cut into two of the same format by its rows, whose bytes stay as they are: for training, and for
   testing. */
#ifndef SEPAL_SPLIT_SPLIT_H
#define SEPAL_SPLIT_SPLIT_H

#include "core/io.h"
#include "core/parameters.h"
#include "core/tree.h"
#include "data/data.h"

enum { SIDE_TRAIN, SIDE_TEST, SIDES, SIDE_NONE = SIDES };

struct split_options {
    double test; /* share of the rows */
    bool ordered;
    const char *group; /* a column; NULL: none */
};

/* `options` are of reading, `how` "test=0.25, ordered, group=site". The facts go to `report`. */
sepal_status split_file(sepal_ctx *ctx, const char *path, const char *options, const char *how,
                        const char *const out[SIDES], struct tree_maker *make, struct tree *report);

/* ---- the parts of it ----------------------------------------------------------------------- */

/* split_choose.c: the side of each row. */
sepal_status split_choose(unsigned char *side, sepal_ctx *ctx, sepal_data *data,
                          const struct split_options *options);

/* Both sides of a file. `record`: the side of each of the n records. */
struct split_task {
    sepal_ctx *ctx;
    const char *path;
    const unsigned char *record;
    size_t n;
    struct staged *out[SIDES]; /* begun */
};
/* split_text.c: `place` says where records begin, and place[n] where the last one ends; NULL: a record is a
   line. What is before the first goes to both sides, what is behind a record goes with it. */
sepal_status split_text(struct split_task *task, const size_t *place);
/* split_array.c: *is_array false: it is no such file, and nothing was done. */
sepal_status split_array(bool *is_array, struct split_task *task);

#endif
