/* What a fit has to know of rows that are there in parts: see scatter_parts.h. */
#ifndef SEPAL_STATISTICS_PARTS_KNOW_H
#define SEPAL_STATISTICS_PARTS_KNOW_H

/* What is known of a part; each has what those before it have. */
enum parts_know {
    PARTS_NOTHING,
    PARTS_MEANS,
    PARTS_SQUARES, /* of each class and column */
    PARTS_WITHIN,  /* the scatter matrix within the classes, and no squares */
    PARTS_CLASSES  /* the scatter matrix of each class, and no squares */
};

#endif
