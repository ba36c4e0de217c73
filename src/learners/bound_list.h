/* Bounds on weights as users give them: nonneg="age,income", and bounds= as a file or in the spec
   itself. Which columns the names stand for is the business of the model (model/bounds.h). */
#ifndef SEPAL_LEARNERS_BOUND_LIST_H
#define SEPAL_LEARNERS_BOUND_LIST_H

#include "core/arena.h"

struct bound {
    const char *name; /* of a column, or a pattern */
    double low, high; /* -inf, inf: none */
    size_t line, column;
};

struct bound_list {
    const char *file; /* NULL: they stand in the spec */
    struct bound *items;
    size_t n;
};

/* A part of a learner's config. */
struct weight_bounds {
    const char *bounds, *nonneg; /* parameters; NULL: not given */
    struct bound_list list;      /* what `bounds` says */
};

/* Fill `list`. A file of which `bounds` is the name is read, and `bounds` becomes what it says as the spec
   itself can say it, "0<=age<=inf; -inf<=debt<=0": so a spec holds all that a fit depends on, and no path. */
enum bounds_source {
    BOUNDS_OF_FIT,   /* a file is read */
    BOUNDS_OF_CHECK, /* so is a regular one; a pipe is left to the fit, as it can be read once */
    BOUNDS_OF_MODEL  /* the spec of a model file names none */
};
sepal_status weight_bounds_read(struct weight_bounds *given, sepal_ctx *ctx, struct arena *arena,
                                enum bounds_source source);
/* Whether there are any. */
static inline bool weight_bounds_given(const struct weight_bounds *given) {
    return given->bounds || given->nonneg;
}
/* bound_file.c: the list of a CSV file with the header column,low,high. */
sepal_status bound_file_read(struct bound_list *out, sepal_ctx *ctx, struct arena *arena,
                             const char *path);
/* A number, inf or -inf; false: it is neither. */
bool bound_read(const char *text, const char *end, double *out);

#endif
