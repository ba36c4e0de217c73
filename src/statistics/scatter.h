/* How the rows of each class lie around their mean: class means, scatter matrices, variances.

   Means are kept as differences from one centre, the mean of all rows as far as a double holds it,
   and scatter is summed over rows less the mean of their class. So a mean of 1e8 costs no digits of
   a spread of 1, and no scatter is ever the difference of two larger ones. */
#ifndef SEPAL_STATISTICS_SCATTER_H
#define SEPAL_STATISTICS_SCATTER_H

#include "core/arena.h"
#include "data/matrix.h"

/* How a column varies: not at all, only from class to class, within classes. */
enum spread { SPREAD_NONE, SPREAD_BETWEEN, SPREAD_WITHIN };

struct scatter_left;

struct scatter {
    /* Given. */
    sepal_ctx *ctx;
    struct arena *arena;
    const struct matrix *x;
    const int32_t *label; /* NULL: all rows are of one class */
    const double *weight; /* NULL: all 1; else all above 0 */
    size_t classes;       /* each with a row */
    double *centre;       /* cols numbers for scatter_means to fill */
    struct scatter_left
        *left; /* the sums of parts of the rows in the place of the rows, of which x has the
                                   number alone (scatter_parts.h); NULL: x has them */
    const double *inverse_unit; /* cols numbers that centred rows are multiplied by; NULL: all 1 */

    /* Made by scatter_means. */
    double total;         /* sum of the weights */
    double *class_weight; /* the same for each class */
    size_t *class_rows;   /* how many rows each has */
    double *offset;       /* true mean less centre: what rounding took off it */
    double *mean;         /* classes x cols: class means less the centre */
    double *present;      /* sparse rows: weight of the entries, classes x cols; else NULL */
    double *size;         /* of each column: mean of |x - first row of the class| */
    unsigned char *spread;

    /* Made by scatter_columns. */
    size_t *active, n; /* the n columns that matrices are made of */
};

sepal_status scatter_means(struct scatter *s);
/* What is asked of a scatter without rows needs them: the error that says so, to the caller's eyes only. */
sepal_status scatter_lacks(const struct scatter *s);
/* The columns that vary at least so. */
sepal_status scatter_columns(struct scatter *s, enum spread least);
/* All rows as one class, around the mean of all, with the columns that vary at all. */
sepal_status scatter_join(struct scatter *out, const struct scatter *s);

static inline size_t scatter_class(const struct scatter *s, size_t row) {
    return s->label ? (size_t)s->label[row] : 0;
}
static inline double scatter_weight(const struct scatter *s, size_t row) {
    return s->weight ? s->weight[row] : 1;
}

/* The differences of row i of a dense block to `shift`, times its weight, to sum, and their sizes to size:
   columns [from, to). */
void scatter_add_row(double *sum, double *size, const struct block *block, size_t i, size_t cols,
                     size_t from, size_t to, const double *shift, double weight);

/* Sums over the rows, `width` of them. `add` adds columns [from, to) of a block's rows to the sums
   of these columns, and may write to no others. */
typedef void (*scatter_add_fn)(const struct scatter *s, const struct block *block, size_t from,
                               size_t to, double *sums, const void *payload);
sepal_status scatter_sum(double *out, const struct scatter *s, size_t width, scatter_add_fn add,
                         const void *payload);

/* The same rows in units of standard deviations: those of `squares`, the diagonal of their scatter
   matrix at active column j in squares[j * step], with that divisor. A column without any is
   measured in otherwise[its number], or NULL: 1. */
sepal_status scatter_standardize(struct scatter *out, const struct scatter *s,
                                 const double *squares, size_t step, double divisor,
                                 const double *otherwise);
static inline double scatter_inverse_unit(const struct scatter *s, size_t column) {
    return s->inverse_unit ? s->inverse_unit[column] : 1;
}

/* Row numbers by class, in their order within each; those of class k begin at first[k]. */
struct class_order {
    size_t *row, *first;
};
sepal_status scatter_order(struct class_order *out, const struct scatter *s);

/* Rows [first, first + n) of a list (NULL: of the data), active columns, less the mean of their
   class, times the root of their weight and in their units: the rows of a `struct tall`. */
struct scatter_rows {
    const struct scatter *s;
    const size_t *row;
};
void scatter_fill(const void *rows, size_t first, size_t n, double *out, size_t stride);

/* Upper triangle of the within-class scatter matrix, n x n; of class k alone. Of rows as given: it is
   brought to the units of standardised ones by scatter_scale. */
sepal_status scatter_within(double *out, const struct scatter *s);
sepal_status scatter_of_class(double *out, const struct scatter *s, const struct class_order *order,
                              size_t k);
/* A scatter matrix (upper triangle) of active columns, brought to the units of `s`, which are those
   of its own diagonal and divisor. */
void scatter_scale(double *matrix, const struct scatter *s, double divisor);
/* Its diagonal for each class, classes x cols, all columns. */
sepal_status scatter_squares(double *out, const struct scatter *s);
/* Per class: weighted sums of ((x - m_k) . w)^2. */
sepal_status scatter_along(double *out, const struct scatter *s, const double *w);

/* The intensity of shrinkage towards a multiple of the identity that Ledoit and Wolf estimate from
   rows, n of them as above with that sum of weights, and their scatter matrix (upper triangle) or,
   for diagonal covariances, its diagonal. */
sepal_status ledoit_wolf(double *out, const struct scatter_rows *rows, size_t n, double weight,
                         const double *scatter, bool diagonal);
/* The same from sums: of w |z|^4, of the squares of S = Z'Z / weight, and of S - trace/cols I. */
double ledoit_wolf_sums(double fourth, double squares, double spread, double weight);

#endif
