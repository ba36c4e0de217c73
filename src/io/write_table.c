/* Tables: a header, then a row of cells per line, quoted where they must be (RFC 4180). */
#include "io/write.h"

#include <string.h>

static char delimiter_of(const struct writing *w) {
    return w->format->delimiter ? w->format->delimiter : ',';
}

static void put_cell(struct writing *w, const char *cell, char delimiter) {
    size_t n = strlen(cell);
    const char special[] = {delimiter, '"', '\n', '\r', ' ', '\t', '\0'};
    if (n && strcspn(cell, special) == n && !begins_with_mark(cell)) {
        text_puts(w->ctx, &w->text, cell);
        return;
    }
    text_puts(w->ctx, &w->text, "\"");
    for (; *cell; cell++) {
        if (*cell == '"') text_puts(w->ctx, &w->text, "\"");
        text_add(w->ctx, &w->text, cell, 1);
    }
    text_puts(w->ctx, &w->text, "\"");
}

sepal_status check_table(struct writing *w) {
    char shown[TEXT_SHOWN_BYTES];
    TRY(check_single_labels(w, "a table"));
    TRY(check_cells(w, w->data->matrix.rows, "a table"));
    for (size_t k = 0; k < w->n_labels; k++)
        if (has_control(w->labels[k], "\t\r\n"))
            return fail(w->ctx, SEPAL_EDATA,
                        "the label '%s' has a control character, which no text file may have; "
                        "rename it",
                        text_shown(shown, w->labels[k], strlen(w->labels[k])));
    return SEPAL_OK;
}

static sepal_status table_file_put_header(struct writing *w, const struct tokens *names,
                                          char delimiter) {
    for (size_t j = 0; j < names->count; j++) {
        if (j) text_add(w->ctx, &w->text, &delimiter, 1);
        put_cell(w, names->items[j].bytes, delimiter);
        TRY(writing_pass(w));
    }
    text_puts(w->ctx, &w->text, "\n");
    return SEPAL_OK;
}

static sepal_status table_file_write_header(struct writing *w, char delimiter) {
    struct tokens names = {0};
    sepal_status status = column_names(&names, w->ctx, w->data);
    if (status == SEPAL_OK) status = table_file_put_header(w, &names, delimiter);
    tokens_clear(&names);
    return status;
}

static void table_file_put_number(struct writing *w, double number, char delimiter) {
    text_number(w->ctx, &w->text, number);
    text_add(w->ctx, &w->text, &delimiter, 1);
}

sepal_status write_table(struct writing *w) {
    char delimiter = delimiter_of(w);
    size_t cols = w->data->matrix.cols;
    struct block_iterator blocks = {.matrix = &w->data->matrix};
    TRY(table_file_write_header(w, delimiter));
    for (const struct block *block; (block = block_next(&blocks));)
        for (size_t i = 0; i < block->rows; i++) {
            size_t row = block->first_row + i;
            struct cells cells = cells_of(block, i, cols);
            for (size_t j = 0; j < cols; j++)
                table_file_put_number(w, cell_value(&cells, j), delimiter);
            if (w->data->weight) table_file_put_number(w, w->data->weight[row], delimiter);
            put_cell(w, label_of_row(w, row), delimiter);
            text_puts(w->ctx, &w->text, "\n");
            TRY(writing_pass(w));
        }
    return SEPAL_OK;
}
