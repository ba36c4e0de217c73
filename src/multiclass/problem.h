/* One of the two-class problems that more classes, or sets of labels, are reduced to. */
#ifndef SEPAL_MULTICLASS_PROBLEM_H
#define SEPAL_MULTICLASS_PROBLEM_H

#include "core/tree.h"
#include "data/data.h"
#include "linear/strategy.h"

struct problem {
    size_t r;             /* its row in the joint model */
    size_t of;            /* how many there are */
    size_t sides[2];      /* the classes, or ALL_OTHERS and a class */
    struct schema schema; /* of two classes */
    const char *names[2]; /* theirs */
    sepal_data data;      /* borrows all but the labels */
    sepal_data *selected; /* the rows of a pair; NULL: all rows */
    int32_t *label;
    const int32_t *own_label; /* of all classes; NULL: of label sets */
    const struct schema *own_schema;
};

/* Whose problem r of a strategy is, without any data. */
void problem_name(struct problem *out, const sepal_data *data, const struct strategy *strategy,
                  size_t r);
/* Problem r of a strategy: the data with other labels, for pairs some of its rows. To be given to
   problem_clear in any case. */
sepal_status problem_pose(struct problem *out, sepal_ctx *ctx, const sepal_data *data,
                          const struct strategy *strategy, size_t r);
void problem_clear(struct problem *problem);
/* Whom its row speaks for, as `inspect` has it: a label, or the two of a pair. */
void problem_report(struct tree_maker *make, struct tree *parent, const struct problem *problem);
/* The same as a line of the trace, before the steps of its fit. */
sepal_status problem_trace(sepal_ctx *ctx, const struct problem *problem);
/* Name the problem in the error of its fit, if that is one of the data. */
void problem_prefix_error(sepal_ctx *ctx, const struct problem *problem);

/* The failure of an interrupted fit in which not every function of the strategy has weights of its own:
   `has` says of each whether it has. */
sepal_status problems_unfinished(sepal_ctx *ctx, const sepal_data *data,
                                 const struct strategy *strategy, const bool *has);

/* What the problems warn of, each kind of warning once. */
enum { TALLY_KINDS = 16 };
struct tally {
    size_t n;
    struct {
        sepal_warning first; /* its message is owned */
        char names[128];     /* of the problem that gave it */
        size_t problems, last;
    } kinds[TALLY_KINDS];
};
/* Take the warnings from number `from` on out of the context. */
void tally_take(struct tally *tally, sepal_ctx *ctx, size_t from, const struct problem *problem);
/* Put them back, each with the number of problems that gave it. */
void tally_warn(const struct tally *tally, sepal_ctx *ctx, size_t problems);
void tally_clear(struct tally *tally);

#endif
