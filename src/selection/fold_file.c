/* Folds that are given: a whole number for each row, in a file beside the data. */
#include "core/decimal.h"
#include "io/labels_file.h"
#include "selection/cv.h"

#include <math.h>

static sepal_status fold_number(double *out, sepal_ctx *ctx, const struct labels_file *file,
                                size_t row) {
    struct slice text = file->texts.items[file->number[row]];
    const char *end = text.bytes + text.length;
    char shown[TEXT_SHOWN_BYTES];
    if (text.length > 0 && decimal_read(text.bytes, end, out) == end && *out == floor(*out) &&
        fabs(*out) < 1e9)
        return SEPAL_OK;
    return fail_at(ctx, SEPAL_EDATA, file->file, file->lines ? row + 1 : 0, file->lines ? 1 : 0,
                   "'%s' is no fold: write a whole number for each row, -1 where it is always "
                   "learnt from%s",
                   text_shown(shown, text.bytes, text.length),
                   row == 0 && file->lines ? "; remove this line if it is a header" : "");
}

sepal_status fold_file_read(double **out, sepal_ctx *ctx, struct arena *arena, const char *path,
                            const sepal_data *data) {
    struct labels_file file;
    size_t rows = data->matrix.rows;
    *out = arena_alloc(ctx, arena, rows, sizeof **out);
    if (!*out) return SEPAL_EMEMORY;
    TRY(labels_file_labels(&file, ctx, path));
    sepal_status status = SEPAL_OK;
    /* rows may have been left out, and keep their numbers */
    size_t last = rows ? matrix_row_number(&data->matrix, rows - 1) : 0;
    if (file.rows <= last || (!data->number && file.rows != rows))
        status = fail_at(ctx, SEPAL_EDATA, file.file, 0, 0,
                         "there are %zu numbers of folds here and %zu rows in the data; write one "
                         "for each row",
                         file.rows, data->number ? last + 1 : rows);
    for (size_t i = 0; i < rows && status == SEPAL_OK; i++)
        status = fold_number(&(*out)[i], ctx, &file, matrix_row_number(&data->matrix, i));
    labels_file_clear(&file);
    return status;
}
