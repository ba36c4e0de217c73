/* Grids: specs that differ in the values of some parameters. */
#ifndef SEPAL_SELECTION_GRID_H
#define SEPAL_SELECTION_GRID_H

#include "core/spec.h"

#include <stdint.h>

/* On which side of its values an axis makes simpler models. */
enum grid_side { SIDE_NONE, SIDE_LARGE, SIDE_SMALL };

struct grid_axis {
    const char *name;               /* for people: "l2", "poly.degree" */
    size_t stage;                   /* of the spec */
    const struct parameter *varied; /* NULL: the stage itself */
    const char **text;              /* its values, as they are written */
    double *number;                 /* the same; NaN of one that is none */
    size_t n, room;
    enum grid_side side;
    bool logarithmic; /* of a range */
};

struct grid {
    sepal_ctx *ctx;
    struct arena *arena;
    const char *text; /* the spec that it varies */
    struct spec spec;
    struct grid_axis *axes;
    size_t n_axes, n; /* n: points, of which the last axis changes fastest */
};

enum { GRID_MOST = 100000 };

/* "l2=1e-4:1:log:20; poly.degree=1,2,3". Every point is checked with the options of the fit, and the first
   that cannot be is named. */
sepal_status grid_make(struct grid *out, sepal_ctx *ctx, struct arena *arena, const char *spec,
                       const char *over, const char *fit_options);
/* The values that a learner is usually tried with, as text for grid_make. */
sepal_status grid_usual(const char **over, sepal_ctx *ctx, struct arena *arena, const char *spec);
/* The spec of a point; NULL: no memory. */
const char *grid_spec(const struct grid *grid, size_t point);
/* Which value of an axis a point has. */
size_t grid_place(const struct grid *grid, size_t point, size_t axis);
/* "l2=0.1, poly.degree=2" */
const char *grid_point_name(const struct grid *grid, size_t point);

/* grid_values.c: the values of one axis, "1,2,5", "1e-4:1:log:5", "0:1:11", "1:4". */
sepal_status grid_read_values(struct grid_axis *axis, sepal_ctx *ctx, struct arena *arena,
                              struct slice text);

/* grid_sides.c. Which of the points of which eligible[] is true is the simplest, of those that agree with
   `best` on all axes without a side: by the first axis, then by the second, ... */
enum grid_side grid_side(const struct grid_axis *axis);
size_t grid_simplest(const struct grid *grid, const bool *eligible, size_t best);
/* Where `best` lies at an end of a row of numbers beyond which there may be better ones: the words to type,
   in the arena; NULL: it does not. */
const char *grid_beyond(const struct grid *grid, size_t best, size_t axis);

#endif
