/* Columns with missing values, and what the rule in force makes of them. That rows were left out has been said
   when they were read. */
#include "doctor/check.h"

#include <math.h>

/* Count the missing values of each column. */
static sepal_status count_missing(size_t *count, sepal_ctx *ctx, const struct matrix *matrix) {
    struct block_iterator blocks = {.matrix = matrix};
    for (const struct block *block; (block = block_next(&blocks));) {
        TRY(check_cancelled(ctx, "counting missing values"));
        for (size_t i = 0; i < block->rows; i++) {
            double value;
            for (size_t at = 0, j; row_next(block, i, matrix->cols, &at, &j, &value);)
                if (isnan(value)) count[j]++;
        }
    }
    return SEPAL_OK;
}

static void put_counts(struct doctor *doctor, struct text *out, const size_t *columns,
                       const size_t *count, size_t n) {
    enum { SHOWN = 5 };
    size_t rows = doctor->data->matrix.rows;
    if (n == 1) {
        text_printf(doctor->ctx, out, "%zu of %zu values of column ", count[columns[0]], rows);
        doctor_put_name(doctor, out, columns[0]);
        text_puts(doctor->ctx, out, " are missing");
        return;
    }
    text_printf(doctor->ctx, out, "%zu columns have missing values in %zu rows: ", n, rows);
    for (size_t k = 0; k < n && k < SHOWN; k++) {
        text_puts(doctor->ctx, out, k ? ", " : "");
        doctor_put_name(doctor, out, columns[k]);
        text_printf(doctor->ctx, out, " %zu", count[columns[k]]);
    }
    if (n > SHOWN) text_printf(doctor->ctx, out, " and %zu more", n - SHOWN);
}

static void missing_tell(struct doctor *doctor, const size_t *columns, const size_t *count,
                         size_t n) {
    enum missing rule = doctor->data->schema->missing;
    struct finding *finding = doctor_find(doctor, "missing", RANK_NO_FIT, columns, n);
    struct text *advice = &finding->advice;
    put_counts(doctor, &finding->message, columns, count, n);
    if (rule == MISSING_REFUSE) {
        text_puts(doctor->ctx, advice, "a fit refuses them; say what becomes of them, as with ");
        doctor_put_option(doctor, advice, "missing indicator");
    } else if (rule == MISSING_MEAN) {
        text_puts(doctor->ctx, advice,
                  "the mean of the others stands for them; if it may matter that they are "
                  "missing, ");
        doctor_put_option(doctor, advice, "missing indicator");
    } else {
        text_puts(doctor->ctx, advice, "more is made up than measured; ");
        doctor_put_drop(doctor, advice, columns, n);
    }
}

/* Text in a column of numbers, which a survey reads as missing, has a finding of its own. */
static void subtract_odd(size_t *count, const sepal_data *data) {
    for (size_t c = 0; data->facts && data->facts->columns && c < data->facts->n; c++) {
        const struct surveyed_column *column = &data->facts->columns[c];
        if (column->feature != SIZE_MAX) count[column->feature] -= column->odd;
    }
}

/* Of the columns that have many for what is done about them. */
static sepal_status missing_look(struct doctor *doctor) {
    enum { FEWEST_ROWS = 20 };
    static const double some = 0.05, most = 0.5;
    const sepal_data *data = doctor->data;
    enum missing rule = data->schema->missing;
    size_t cols = data->matrix.cols, n = 0;
    if (data->missing == 0 || rule == MISSING_DROP) return SEPAL_OK;
    if (rule != MISSING_REFUSE && data->matrix.rows < FEWEST_ROWS) return SEPAL_OK;
    double least = rule == MISSING_REFUSE ? 0 : rule == MISSING_MEAN ? some : most;
    size_t *count = arena_zero(doctor->ctx, &doctor->arena, cols, sizeof *count);
    size_t *columns = arena_alloc(doctor->ctx, &doctor->arena, cols, sizeof *columns);
    if (!count || !columns) return SEPAL_EMEMORY;
    TRY(count_missing(count, doctor->ctx, &data->matrix));
    subtract_odd(count, data);
    for (size_t j = 0; j < cols; j++)
        if (count[j] && (double)count[j] >= least * (double)data->matrix.rows) columns[n++] = j;
    if (n) missing_tell(doctor, columns, count, n);
    return SEPAL_OK;
}

const struct check check_missing = {
    .name = "missing",
    .summary = "missing values, and what becomes of them",
    .look = missing_look,
};
