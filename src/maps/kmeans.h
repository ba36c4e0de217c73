/* Centres of clusters. */
#ifndef SEPAL_MAPS_KMEANS_H
#define SEPAL_MAPS_KMEANS_H

#include "maps/map.h"

struct kmeans {
    const struct map_rows *rows;
    double *centre; /* k centres of x->cols numbers, `stride` apart */
    size_t k, stride;
};

/* Find the centres. *found < k: there are no more different rows, and the rest is not filled. */
sepal_status kmeans_find(struct kmeans *kmeans, size_t *found);
/* The weighted mean of the squared distances of the rows to their nearest centre. */
sepal_status kmeans_mean_square(double *out, struct kmeans *kmeans);
#endif
