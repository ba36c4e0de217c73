/* Columns that have one value in all rows. Of sparse rows those that are never stored are no finding: an index
   that a file leaves out is no mistake. */
#include "doctor/check.h"

#include <math.h>

/* One value in all rows of the sample; missing ones do not count. */
static bool may_be_constant(const struct sample *sample, size_t column, double *value) {
    size_t n = sample_entries(sample, column), seen = 0;
    const double *x =
        sample->cells ? sample->cells + column * n : sample->value + sample->start[column];
    *value = NAN;
    if (n < sample->n || n == 0) return false;
    for (size_t k = 0; k < n; k++) {
        if (isnan(x[k])) continue;
        if (seen++ == 0) *value = x[k];
        if (x[k] != *value) return false;
    }
    return true;
}

/* Leave those columns that keep their value in all rows; returns how many. */
static size_t keep_constant(const struct matrix *matrix, size_t *columns, double *value, size_t n) {
    struct block_iterator blocks = {.matrix = matrix};
    for (const struct block *block; n > 0 && (block = block_next(&blocks));)
        for (size_t i = 0; i < block->rows; i++)
            for (size_t k = 0; k < n;) {
                double x = doctor_cell(block, i, matrix->cols, columns[k]);
                if (isnan(value[k])) value[k] = x;
                if (isnan(x) || x == value[k]) {
                    k++;
                    continue;
                }
                n--;
                for (size_t later = k; later < n; later++) {
                    columns[later] = columns[later + 1];
                    value[later] = value[later + 1];
                }
            }
    return n;
}

/* Columns without any value are missing, not constant. */
static size_t keep_those_with_values(size_t *columns, const double *value, size_t n) {
    size_t kept = 0;
    for (size_t k = 0; k < n; k++)
        if (!isnan(value[k])) columns[kept++] = columns[k];
    return kept;
}

static sepal_status constant_look(struct doctor *doctor) {
    const struct sample *sample = &doctor->sample;
    size_t n = 0, cols = sample->n > 1 ? sample->cols : 0;
    size_t *columns = arena_alloc(doctor->ctx, &doctor->arena, cols, sizeof *columns);
    double *value = arena_alloc(doctor->ctx, &doctor->arena, cols, sizeof *value);
    if (!columns || !value) return SEPAL_EMEMORY;
    for (size_t j = 0; j < cols; j++)
        if (may_be_constant(sample, j, &value[n])) columns[n++] = j;
    if (!sample->all) n = keep_constant(&doctor->data->matrix, columns, value, n);
    n = keep_those_with_values(columns, value, n);
    for (size_t k = 0; k < n; k++) doctor->marked[columns[k]] = true;
    if (n == 0) return SEPAL_OK;
    struct finding *finding = doctor_find(doctor, "constant", RANK_HARMLESS, columns, n);
    doctor_put_columns(doctor, &finding->message, columns, n, "has the same value in all rows",
                       "have the same value in all rows");
    doctor_put_list(doctor, &finding->message, columns, n);
    text_puts(doctor->ctx, &finding->advice,
              n == 1 ? "it tells nothing of the class; " : "they tell nothing of the class; ");
    doctor_put_drop(doctor, &finding->advice, columns, n);
    return SEPAL_OK;
}

const struct check check_constant = {
    .name = "constant",
    .summary = "columns with one value in all rows",
    .look = constant_look,
};
