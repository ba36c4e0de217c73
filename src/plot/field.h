/* Areas of a plane in which something is the same: a class, a level of probability, a kind of ambiguity. The
   plane is asked on a grid; where two neighbours differ, the place between them is found by halving, so that
   borders are where the model has them, to a fraction of a pixel. */
#ifndef SEPAL_PLOT_FIELD_H
#define SEPAL_PLOT_FIELD_H

#include "plot/plane.h"

/* What is the same in an area; a negative key is of no area. */
typedef int (*field_key)(const struct answer *answer, const void *payload);

/* What is asked of points; `of` is the plane of a model, or what else the answers are of. */
typedef sepal_status (*field_ask)(struct answer *out, struct plot *plot, const void *of,
                                  const struct point *points, size_t n);

struct field {
    struct plot *plot;
    field_ask ask;
    const void *of;
    struct frame frame;
    size_t columns, rows; /* nodes of the grid */
    struct answer *node;
};
/* `cell`: the distance between two nodes in pixels. */
sepal_status field_make(struct field *out, struct plot *plot, field_ask ask, const void *of,
                        const struct frame *frame, double cell);

/* The pieces of its areas' borders, each with the area on one side of it; a piece inside the frame is there
   twice, once for either side. */
struct field_edge {
    size_t from, to; /* numbers of points */
    int key, other;  /* the area it belongs to, and the one behind it */
    bool outer;      /* along the frame */
    bool used;
    bool later; /* another one leads to it */
};
struct field_areas {
    struct field_edge *edges;
    size_t n_edges, room;
    struct point *points; /* in the plane */
    int *keys;            /* that occur, rising */
    size_t n_keys;
};
sepal_status field_trace(struct field_areas *out, const struct field *field, field_key key,
                         const void *payload);
/* The outline of one area as the canvas' path. */
void field_outline(struct field_areas *areas, const struct field *field, int key);
/* The borders between areas. */
void field_borders(struct field_areas *areas, const struct field *field, const struct pen *pen);

#endif
