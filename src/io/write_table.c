/* Tables: a header, then a row of cells per line, quoted where they must be (RFC 4180). */
#include "io/csv.h"
#include "io/write.h"

#include <string.h>

static char delimiter_of(const struct writing *w) {
    return w->format->delimiter ? w->format->delimiter : ',';
}

static void put_cell(struct writing *w, const char *cell, char delimiter) {
    size_t n = strlen(cell);
    const char special[] = {delimiter, '"', '\n', '\r', ' ', '\t', '\0'};
    if (n && strcspn(cell, special) == n && !begins_with_mark(cell))
        text_puts(w->ctx, &w->text, cell);
    else
        csv_put_quoted(w->ctx, &w->text, (struct slice){cell, n});
}

static sepal_status check_table(struct writing *w) {
    TRY(check_single_labels(w, "a table"));
    TRY(check_cells(w, w->data->matrix.rows, "a table"));
    for (size_t k = 0; k < w->n_labels; k++) TRY(check_text(w, "label", w->labels[k]));
    return SEPAL_OK;
}

static sepal_status table_file_put_names(struct writing *w, const struct tokens *names) {
    char delimiter = delimiter_of(w);
    for (size_t j = 0; j < names->count; j++) {
        if (j) text_add(w->ctx, &w->text, &delimiter, 1);
        put_cell(w, names->items[j].bytes, delimiter);
        TRY(writing_pass(w));
    }
    text_puts(w->ctx, &w->text, "\n");
    return SEPAL_OK;
}

static sepal_status table_file_put_header(struct writing *w) {
    return put_column_names(w, table_file_put_names);
}

static void table_file_put_number(struct writing *w, double number, char delimiter) {
    text_number(w->ctx, &w->text, number);
    text_add(w->ctx, &w->text, &delimiter, 1);
}

static void table_file_put_row(struct writing *w, const struct block *block, size_t i) {
    char delimiter = delimiter_of(w);
    size_t row = block->first_row + i, cols = w->data->matrix.cols;
    struct cells cells = cells_of(block, i, cols);
    for (size_t j = 0; j < cols; j++) table_file_put_number(w, cell_value(&cells, j), delimiter);
    if (w->data->weight) table_file_put_number(w, w->data->weight[row], delimiter);
    put_cell(w, label_of_row(w, row), delimiter);
    text_puts(w->ctx, &w->text, "\n");
}

const struct writer table_writer = {
    .check = check_table, .header = table_file_put_header, .row = table_file_put_row};
