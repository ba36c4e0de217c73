/* The points whose convex hulls decide whether classes are separable, in coordinates that are safe to
   compute in. */
#ifndef SEPAL_SOLVERS_POINTS_H
#define SEPAL_SOLVERS_POINTS_H

#include "core/arena.h"
#include "linear/certificate.h"

/* A question as points p of two groups or one. Exactly when the answer is no, every group has a
   convex combination such that they add up to 0:

   two sides with a bias     p = t (x - c) s, groups: the sides
   two sides without one     p = t x s, one group
   a machine                 p = (x - c) s and one for the bias at the place of the class, the
                             negative of both at that of a rival; one group

   c, a number for each column, is not 0 where the column is far from 0, and always such that x - c is
   exact; s is a power of two, for all columns the same or for each its own. So points are exact. */
struct points {
    const struct question *q;
    size_t n, dim, groups;
    size_t n_rows;   /* that take part */
    uint32_t *rows;  /* their numbers */
    double *centre;  /* cols; NULL: 0 */
    double *scale;   /* cols */
    double *reach;   /* cols: the largest |x - c| of all, exactly */
    size_t varying;  /* columns that are not the same number in all rows */
    bool even;       /* all columns have the same scale */
    double diameter; /* about the largest norm of a point */
};

/* `even` asks for one scale for all columns. */
sepal_status points_make(struct points *out, sepal_ctx *ctx, struct arena *arena,
                         const struct question *question, bool even);

/* A point: its coordinates at index[0 .. n-1], or, where index is NULL, at 0 .. n-1. */
struct point {
    size_t number;
    size_t group;
    size_t n;
    uint32_t *index;
    double *value;
    double square; /* of its norm */
};
sepal_status point_fetch(struct point *out, sepal_ctx *ctx, const struct points *points,
                         size_t number);
void point_free(struct point *point);
double point_dot(const struct kernels *kernels, const struct point *point, const double *v);
void point_add(const struct kernels *kernels, double *v, double a, const struct point *point);

/* values[i] = w.p_i for all points. `scratch` has points->dim doubles. */
sepal_status points_price(double *values, sepal_ctx *ctx, const struct points *points,
                          const double *w, double *scratch);
size_t points_row(const struct points *points, size_t number);
/* Of a machine: the other class of the point. */
int32_t points_rival(const struct points *points, size_t number);
size_t points_group(const struct points *points, size_t number);

#endif
