/* ARFF, the format of Weka: declared attributes, then dense rows, or sparse ones where the matrix is
   sparse. The class is a nominal attribute, also where the labels are numbers. */
#include "io/csv.h"
#include "io/write.h"

#include <string.h>

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* What any reader takes for one word. */
static bool is_word(const char *text) {
    if (!is_letter(*text)) return false;
    for (; *text; text++)
        if (!is_letter(*text) && !strchr("0123456789.-", *text)) return false;
    return true;
}

static void put_word(struct writing *w, const char *text) {
    if (is_word(text)) {
        text_puts(w->ctx, &w->text, text);
        return;
    }
    text_puts(w->ctx, &w->text, "'");
    for (; *text; text++) {
        char c = *text == '\n' ? 'n' : *text == '\r' ? 'r' : *text;
        if (c != *text || c == '\'' || c == '\\') text_puts(w->ctx, &w->text, "\\");
        text_add(w->ctx, &w->text, &c, 1);
    }
    text_puts(w->ctx, &w->text, "'");
}

static void arff_put_label(struct writing *w, const char *label) {
    double value;
    if (cell_is_number((struct slice){label, strlen(label)}, &value))
        text_puts(w->ctx, &w->text, label);
    else
        put_word(w, label);
}

static sepal_status check_arff(struct writing *w) {
    const struct matrix *matrix = &w->data->matrix;
    TRY(check_single_labels(w, "ARFF"));
    TRY(check_cells(w, matrix->sparse ? 1 : matrix->rows, "an ARFF file"));
    for (size_t k = 0; k < w->n_labels; k++) TRY(check_text(w, "label", w->labels[k]));
    return SEPAL_OK;
}

static sepal_status put_attributes(struct writing *w, const struct tokens *names) {
    for (size_t j = 0; j < names->count; j++) TRY(check_text(w, "name", names->items[j].bytes));
    text_puts(w->ctx, &w->text, "@relation sepal\n");
    for (size_t j = 0; j < names->count; j++) {
        text_puts(w->ctx, &w->text, "@attribute ");
        put_word(w, names->items[j].bytes);
        text_puts(w->ctx, &w->text, j + 1 < names->count ? " numeric\n" : " {");
        TRY(writing_pass(w));
    }
    for (size_t k = 0; k < w->n_labels; k++) {
        if (k) text_puts(w->ctx, &w->text, ",");
        arff_put_label(w, w->labels[k]);
        TRY(writing_pass(w));
    }
    text_puts(w->ctx, &w->text, "}\n@data\n");
    return SEPAL_OK;
}

static sepal_status arff_put_header(struct writing *w) {
    return put_column_names(w, put_attributes);
}

static void put_dense_row(struct writing *w, const struct block *block, size_t i) {
    const sepal_data *data = w->data;
    struct cells cells = cells_of(block, i, data->matrix.cols);
    for (size_t j = 0; j < data->matrix.cols; j++) {
        text_number(w->ctx, &w->text, cell_value(&cells, j));
        text_puts(w->ctx, &w->text, ",");
    }
    if (data->weight) {
        text_number(w->ctx, &w->text, data->weight[block->first_row + i]);
        text_puts(w->ctx, &w->text, ",");
    }
    arff_put_label(w, label_of_row(w, block->first_row + i));
}

static void arff_put_entry(struct writing *w, size_t attribute, double value) {
    text_printf(w->ctx, &w->text, "%zu ", attribute);
    text_number(w->ctx, &w->text, value);
    text_puts(w->ctx, &w->text, ",");
}

/* A label that is left out would be the first that is declared, which some readers get wrong: it
   stands in every row. */
static void put_sparse_row(struct writing *w, const struct block *block, size_t i) {
    const sepal_data *data = w->data;
    size_t cols = data->matrix.cols, column;
    double value;
    text_puts(w->ctx, &w->text, "{");
    for (size_t at = 0; row_next(block, i, cols, &at, &column, &value);)
        arff_put_entry(w, column, value);
    if (data->weight) arff_put_entry(w, cols, data->weight[block->first_row + i]);
    text_printf(w->ctx, &w->text, "%zu ", cols + (data->weight ? 1 : 0));
    arff_put_label(w, label_of_row(w, block->first_row + i));
    text_puts(w->ctx, &w->text, "}");
}

static void arff_put_row(struct writing *w, const struct block *block, size_t i) {
    if (block->sparse)
        put_sparse_row(w, block, i);
    else
        put_dense_row(w, block, i);
    text_puts(w->ctx, &w->text, "\n");
}

const struct writer arff_writer = {
    .check = check_arff, .header = arff_put_header, .row = arff_put_row};
