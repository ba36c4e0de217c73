/* Scatter of rows in parts: what a pass over all rows finds of each part by itself, so that the means and
   the scatter of all rows but one part follow by adding up the others. Nothing is taken from a sum that
   is not small beside it: parts are summed up around the means of all rows, from which those of the rest
   differ little. What needs the rows themselves, or would lose digits, is lacking, and the rest is to be
   fitted by its rows. */
#ifndef SEPAL_STATISTICS_SCATTER_PARTS_H
#define SEPAL_STATISTICS_SCATTER_PARTS_H

#include "statistics/parts_know.h"
#include "statistics/scatter.h"

struct scatter_parts {
    enum parts_know know;
    size_t parts, classes, cols;
    struct scatter all;  /* all rows; their means are what squares are around */
    double *weight;      /* parts x classes */
    size_t *rows;        /* parts x classes */
    double *shift;       /* classes x cols: the first row of each class */
    double *difference;  /* parts x classes x cols: sums of rows less that one, */
    double *whole;       /* classes x cols: the mean of these over all parts */
    double *size;        /* parts x cols */
    double *squares;     /* parts x classes x cols; or */
    double *within;      /* parts (x classes) x cols x cols, upper triangles */
    struct arena *arena; /* where all this is */
};

/* part[i] < parts, of each row of dense x. *out NULL: there would be too many numbers. */
sepal_status scatter_parts_make(struct scatter_parts **out, sepal_ctx *ctx, struct arena *arena,
                                const struct matrix *x, const int32_t *label, const double *weight,
                                size_t classes, const uint32_t *part, size_t parts,
                                enum parts_know know);

/* All parts but one: to a fit the place of its rows. */
struct scatter_left {
    const struct scatter_parts *parts;
    size_t without;
    size_t own;   /* of two classes this one is the second, and all others are the first; or */
    bool lacking; /* set by whoever finds that the rows are needed */
};
#define LEFT_CLASSES SIZE_MAX /* as `own`: the classes of the parts */

/* For scatter_means: weights, row counts and sums of the classes, and the row that each is around. */
size_t scatter_left_classes(const struct scatter_left *left);
void scatter_left_count(struct scatter *s);
void scatter_left_sum(double *sums, double *shift, const struct scatter *s);
/* What scatter.h has under names without `left`, of such rows. */
sepal_status scatter_left_within(double *out, const struct scatter *s);
sepal_status scatter_left_of_class(double *out, const struct scatter *s, size_t k);
sepal_status scatter_left_squares(double *out, const struct scatter *s);
/* The sum over all classes of what scatter_along has of each. */
sepal_status scatter_left_along(double *out, const struct scatter *s, const double *w);

#endif
