/* Rows that stand for all, column by column: what the doctor's costly checks look at. */
#ifndef SEPAL_DOCTOR_ROW_SAMPLE_H
#define SEPAL_DOCTOR_ROW_SAMPLE_H

#include "data/data.h"

struct sample {
    size_t n, cols; /* n 0: there are too many columns to look at each */
    bool all;       /* they are all rows */
    size_t *row;    /* their numbers, rising */
    int32_t *label; /* NULL: none */
    size_t classes;
    double *cells; /* dense: column after column */
    /* Sparse: column j has the entries start[j] .. start[j+1]-1. */
    size_t *start;
    uint32_t *at; /* which of the n rows */
    double *value;
};

/* A function of the rows alone. */
sepal_status sample_take(struct sample *out, sepal_ctx *ctx, struct arena *arena,
                         const sepal_data *data);
/* Entries of a column: n where rows are dense. */
static inline size_t sample_entries(const struct sample *sample, size_t column) {
    return sample->cells ? sample->n : sample->start[column + 1] - sample->start[column];
}
/* The numbers of a column, n of them, in `scratch` or where they are. */
const double *sample_column(const struct sample *sample, size_t column, double *scratch);
/* Too few of them to say anything of a sparse column. */
bool sample_is_thin(const struct sample *sample, size_t column);

#endif
