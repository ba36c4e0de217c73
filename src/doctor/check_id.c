/* Columns that number or name the rows: whole numbers that rise from row to row, or all differ and are called
   so, and text with nearly a category a row. */
#include "doctor/check.h"

#include "core/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST_ROWS = 30 };

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c | 32) : c;
}

/* The last word of the name, where words end at _ - . or a blank, or begin with a capital: CustomerID. */
static bool ends_in(const char *name, const char *word) {
    size_t n = strlen(name), m = strlen(word);
    if (n < m) return false;
    const char *at = name + n - m;
    for (size_t k = 0; k < m; k++)
        if (lower(at[k]) != word[k]) return false;
    if (at == name || strchr("_-. ", at[-1])) return true;
    return at[0] != lower(at[0]) && at[-1] == lower(at[-1]);
}

static bool is_called_so(const char *name) {
    static const char *const words[] = {"id",  "ids",  "index", "idx", "no",    "nr",
                                        "key", "uuid", "guid",  "row", "rownum"};
    static const char pandas[] = "Unnamed: 0";
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (ends_in(name, words[k])) return true;
    return strcmp(name, pandas) == 0 || strcmp(name, "#") == 0;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Whole numbers, none of them twice. *rising: each is more than the one before. */
static bool are_numbers_of_rows(const struct sample *sample, const double *x, double *scratch,
                                bool *rising) {
    *rising = true;
    for (size_t k = 0; k < sample->n; k++) {
        if (isnan(x[k]) || x[k] != floor(x[k])) return false;
        if (k && x[k] <= x[k - 1]) *rising = false;
    }
    if (*rising) return true;
    memcpy(scratch, x, sample->n * sizeof *x);
    qsort(scratch, sample->n, sizeof *scratch, by_value);
    for (size_t k = 1; k < sample->n; k++)
        if (scratch[k] == scratch[k - 1]) return false;
    return true;
}

static bool rises(const struct matrix *matrix, size_t column) {
    struct block_iterator blocks = {.matrix = matrix};
    double before = -INFINITY;
    for (const struct block *block; (block = block_next(&blocks));)
        for (size_t i = 0; i < block->rows; i++) {
            double x = doctor_cell(block, i, matrix->cols, column);
            if (!(x > before)) return false;
            before = x;
        }
    return true;
}

static bool is_id(const struct doctor *doctor, size_t column, double *scratch) {
    const sepal_data *data = doctor->data;
    bool rising;
    if (doctor_is_text(doctor, column))
        return 2 * data->schema->columns[column].n_categories > data->matrix.rows;
    const double *x = doctor->sample.cells + column * doctor->sample.n;
    if (!are_numbers_of_rows(&doctor->sample, x, scratch, &rising)) return false;
    if (rising && (doctor->sample.all || rises(&data->matrix, column))) return true;
    return is_called_so(doctor_name(doctor, column));
}

static sepal_status id_look(struct doctor *doctor) {
    const struct sample *sample = &doctor->sample;
    size_t cols = sample->cells && sample->n >= FEWEST_ROWS ? sample->cols : 0, n = 0;
    size_t *columns = arena_alloc(doctor->ctx, &doctor->arena, cols, sizeof *columns);
    double *scratch = arena_alloc(doctor->ctx, &doctor->arena, sample->n, sizeof *scratch);
    if (!columns || !scratch) return SEPAL_EMEMORY;
    /* the only column is what there is to learn from */
    for (size_t j = 0; cols > 1 && j < cols; j++)
        if (!doctor->marked[j] && is_id(doctor, j, scratch)) columns[n++] = j;
    if (n == 0 || n == cols) return SEPAL_OK;
    for (size_t k = 0; k < n; k++) doctor->marked[columns[k]] = true;
    struct finding *finding = doctor_find(doctor, "id", RANK_FALSE_SUCCESS, columns, n);
    doctor_put_columns(doctor, &finding->message, columns, n,
                       "looks like a number or name of each row",
                       "look like numbers or names of each row");
    doctor_put_list(doctor, &finding->message, columns, n);
    text_puts(doctor->ctx, &finding->advice, "new rows will have other values; ");
    doctor_put_drop(doctor, &finding->advice, columns, n);
    return SEPAL_OK;
}

const struct check check_id = {
    .name = "id",
    .summary = "columns that number or name the rows",
    .look = id_look,
};
