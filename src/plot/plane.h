/* A plane through the rows of a data set, in the columns that a model is given: two of them, or two axes that
   show the classes well. A point (u, v) of it is the row  centre + u lift[0] + v lift[1],  and a row is drawn
   at  u = along[0] . (x - origin), v likewise. */
#ifndef SEPAL_PLOT_PLANE_H
#define SEPAL_PLOT_PLANE_H

#include "data/prepare.h"
#include "model/predict.h"
#include "plot/plot.h"

/* Rows of a data set, at most so many, as a model is given them. */
struct sampled {
    sepal_data *part; /* NULL: all rows are in it */
    struct prepared prepared;
    sepal_data rows;    /* with the model's class numbers; those it has not seen come after them */
    size_t n, of;       /* how many of how many */
    int32_t *predicted; /* by the model's own rule, -1: undecided */
    struct arena arena;
};
/* `predict`: with the classes that the model gives them. To be cleared in any case. */
sepal_status sample_rows(struct sampled *out, struct plot *plot, size_t most, bool predict);
void sampled_clear(struct sampled *sampled);
/* The name of a class by its number in such rows. */
const char *sampled_label(const struct sampled *sampled, size_t k);
/* Say so, if not all rows are there. */
void sampled_note(const struct sampled *sampled, struct plot *plot);
/* All numbers of a row, as doubles. */
void sampled_row(double *out, const struct sampled *sampled, size_t row);

enum plane_kind { PLANE_LINE, PLANE_COLUMNS, PLANE_FISHER };
struct plane {
    enum plane_kind kind;
    size_t cols;
    double *centre, *origin, *lift[2], *along[2];
    const char *name[2];
    struct point *points; /* of the sampled rows */
};
/* Two columns by name (or number from 1), NULL: the only two, or else the first two axes of Fisher's
   discriminant; of a single column the second axis is a row for each class. */
sepal_status plane_make(struct plane *out, struct plot *plot, const struct sampled *rows,
                        const char *x, const char *y);
/* fisher_axes.c: fill `along` and `lift`, `centre` and `origin`. */
sepal_status plane_fisher(struct plane *plane, struct plot *plot, const struct sampled *rows);

/* What a model says of points of the plane. */
struct answer {
    int32_t class; /* -1: undecided */
    uint8_t region;
    float p;        /* of the most probable class; NaN: it has no probabilities */
    float distance; /* signed, of two classes; NaN: none */
};
sepal_status plane_ask(struct answer *out, struct plot *plot, const void *of,
                       const struct point *points, size_t n);

#endif
