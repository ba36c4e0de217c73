/* The points whose convex hulls decide whether classes are separable, in coordinates that are safe to
   compute in. */
#ifndef SEPAL_SEPARABILITY_HULL_POINTS_H
#define SEPAL_SEPARABILITY_HULL_POINTS_H

#include "core/arena.h"
#include "certificates/certificate.h"

/* A question as points p of two groups or one. Exactly when the answer is no, every group has a
   convex combination such that they add up to 0:

   two sides with a bias     p = t (x - c) s, groups: the sides
   two sides without one     p = t x s, one group
   two sides as a cone       p = t ((x - c) s, 1), one group
   a machine                 p = (x - c) s and one for the bias at the place of the class, the
                             negative of both at that of a rival; one group

   c, a number for each column, is not 0 where the column is far from 0, and always such that x - c is
   exact; s is a power of two, for all columns the same or for each its own. So points are exact. */
struct hull_points {
    const struct question *q;
    size_t n, dim, groups;
    size_t n_rows;   /* that take part */
    uint32_t *rows;  /* their numbers */
    double *centre;  /* cols; NULL: 0 */
    double *scale;   /* cols */
    double *radius;  /* cols: the largest |x - c| of all, exactly */
    size_t varying;  /* columns that are not the same number in all rows */
    bool even;       /* all columns have the same scale */
    double diameter; /* about the largest norm of a point */
    bool lifted;     /* the bias is a coordinate */
    double entries;  /* about as many numbers to a point */

    /* Points may be projected: what they have along these directions, n_removed orthonormal vectors, is
       taken off. Points of which nothing is left are skipped. */
    double *const *removed;
    size_t n_removed;
    const bool *skip; /* NULL: none */
};

/* `even` asks for one scale for all columns, `cone` for one group. */
sepal_status hull_points_make(struct hull_points *out, sepal_ctx *ctx, struct arena *arena,
                              const struct question *question, bool even, bool cone);

/* A point: its coordinates at index[0 .. n-1], or, where index is NULL, at 0 .. n-1. */
struct point {
    size_t number;
    size_t group;
    size_t n;
    uint32_t *index;
    double *value;
    double square; /* of its norm */
};
sepal_status point_fetch(struct point *out, sepal_ctx *ctx, const struct hull_points *points,
                         size_t number);
void point_free(struct point *point);
double point_dot(const struct kernels *kernels, const struct point *point, const double *v);
void point_add(const struct kernels *kernels, double *v, double a, const struct point *point);

/* values[i] = w.p_i for all points, infinite for those skipped. `scratch` has points->dim doubles. */
sepal_status hull_points_dot(double *values, sepal_ctx *ctx, const struct hull_points *points,
                             const double *w, double *scratch);
/* No set of rows can have a larger rank. */
size_t hull_points_most_rank(const struct hull_points *points);
/* The number of the point that is a row (with its rival, in a machine). */
size_t hull_points_find(const struct hull_points *points, size_t row, int32_t rival);
size_t hull_points_row(const struct hull_points *points, size_t number);
/* Of a machine: the other class of the point. */
int32_t hull_points_rival(const struct hull_points *points, size_t number);
size_t hull_points_group(const struct hull_points *points, size_t number);

#endif
