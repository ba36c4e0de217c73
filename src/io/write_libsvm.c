/* LIBSVM: the label or labels of a row, then index:value for what is not 0. */
#include "io/write.h"

#include <string.h>

static sepal_status check_libsvm(struct writing *w) {
    char shown[TEXT_SHOWN_BYTES];
    for (size_t k = 0; k < w->n_labels; k++) {
        const char *label = w->labels[k];
        if (!*label || strpbrk(label, " ,:#") || has_control(label, "") || begins_with_mark(label))
            return fail(w->ctx, SEPAL_EDATA,
                        "the label '%s' cannot stand in a LIBSVM file, whose labels have no blank, "
                        "comma, colon or #; write csv instead",
                        text_shown(shown, label, strlen(label)));
    }
    warn_weights(w, "LIBSVM");
    return SEPAL_OK;
}

static bool row_is_empty(const struct matrix *matrix, size_t row) {
    size_t local, at = 0, column;
    double value;
    const struct block *block = matrix_block_of(matrix, row, &local);
    return !row_next(block, local, matrix->cols, &at, &column, &value);
}

static void libsvm_file_put_labels(struct writing *w, size_t row) {
    const sepal_data *data = w->data;
    if (!data->set_start) {
        text_puts(w->ctx, &w->text, label_of_row(w, row));
        return;
    }
    size_t from = data->set_start[row], to = data->set_start[row + 1];
    for (size_t k = from; k < to; k++) {
        if (k > from) text_puts(w->ctx, &w->text, ",");
        text_puts(w->ctx, &w->text, data_label_name(data, (size_t)data->set[k]));
    }
    /* A comma behind the first set says that these are sets, should none have two labels; without
       one a row of nothing would be a blank line. */
    if (to - from < 2 && (row == 0 || (to == from && row_is_empty(&data->matrix, row))))
        text_puts(w->ctx, &w->text, ",");
}

static bool column_occurs(const struct matrix *matrix, size_t wanted) {
    struct block_iterator blocks = {.matrix = matrix};
    double value;
    for (const struct block *block; (block = block_next(&blocks));)
        for (size_t i = 0; i < block->rows; i++)
            for (size_t at = 0, j; row_next(block, i, matrix->cols, &at, &j, &value);)
                if (j == wanted) return true;
    return false;
}

static void libsvm_file_put_entry(struct writing *w, size_t index, double value) {
    text_printf(w->ctx, &w->text, " %zu:", index);
    text_number(w->ctx, &w->text, value);
}

/* The file shows how many columns there are, and that they are counted from 0, only by the entries
   it has. Where these say too little, the first row has entries of value 0 more. */
static bool lacks_first(const struct matrix *matrix, size_t base) {
    return base == 0 && matrix->cols && !column_occurs(matrix, 0);
}
static bool lacks_last(const struct matrix *matrix, size_t base) {
    return matrix->cols > (base ? 0 : 1) && !column_occurs(matrix, matrix->cols - 1);
}

static void libsvm_file_put_row(struct writing *w, const struct block *block, size_t i) {
    const struct matrix *matrix = &w->data->matrix;
    size_t base = w->data->schema->zero_based ? 0 : 1, column;
    double value;
    bool first = block->first_row + i == 0;
    libsvm_file_put_labels(w, block->first_row + i);
    if (first && lacks_first(matrix, base)) libsvm_file_put_entry(w, 0, 0);
    for (size_t at = 0; row_next(block, i, matrix->cols, &at, &column, &value);)
        libsvm_file_put_entry(w, column + base, value);
    if (first && lacks_last(matrix, base)) libsvm_file_put_entry(w, matrix->cols - 1 + base, 0);
    text_puts(w->ctx, &w->text, "\n");
}

const struct writer libsvm_writer = {.check = check_libsvm, .row = libsvm_file_put_row};
