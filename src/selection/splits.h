/* Rows to learn from and rows to judge by, again and again. */
#ifndef SEPAL_SELECTION_SPLITS_H
#define SEPAL_SELECTION_SPLITS_H

#include "data/data.h"

/* One of them. Row numbers rise. */
struct split {
    size_t *train; /* NULL: all rows that are not in `valid` */
    size_t n_train;
    size_t *valid;
    size_t n_valid;
    size_t repeat, fold; /* from 0 */
};

struct splits {
    size_t n;
    struct split *of;
    size_t repeats, folds; /* n is their product */
    struct arena arena;
};

enum split_manner {
    SPLIT_STRATIFIED,    /* folds with their share of each class, by the context's seed */
    SPLIT_LEAVE_ONE_OUT, /* every row is a fold */
    SPLIT_GROUPED,       /* no group in two folds: sepal_data.group */
    SPLIT_ORDERED, /* blocks of the rows in their order, each judged by what was learnt before it */
    SPLIT_GIVEN,   /* by numbers */
    SPLIT_HOLDOUT  /* a part of each class, as data_split takes it */
};

struct split_plan {
    enum split_manner manner;
    size_t folds, repeats;  /* of those that shuffle; 0 repeats are 1 */
    double fraction;        /* of SPLIT_HOLDOUT */
    const double *given;    /* the fold of each row; below 0: always learnt from */
    const char *given_from; /* their file, for messages */
};

/* Refused, in words, where a class would have no row left to learn it from. To be cleared in any case. */
sepal_status splits_make(struct splits *out, sepal_ctx *ctx, const sepal_data *data,
                         const struct split_plan *plan);
void splits_clear(struct splits *splits);
/* The rows to learn from, in an array with room for all rows; returns their number. */
size_t split_train_rows(size_t *out, const struct split *split, size_t rows);
/* "fold 3 of 10", "fold 3 of 10 (repeat 2 of 5)". */
enum { SPLIT_NAME_BYTES = 64 };
void split_name(char out[SPLIT_NAME_BYTES], const struct splits *splits, size_t s);

#endif
