/* What formats of arrays share: measuring one, and deciding whether it can be a table, labels or
   weights. */
#include "io/array.h"

#include <stdio.h>

/* "60000 x 28 x 28", cut where the room ends. */
enum { DIMS_BYTES = 128 };
static const char *dims_shown(char out[DIMS_BYTES], const struct array_shape *shape) {
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < shape->dims && used < DIMS_BYTES; i++) {
        int n = snprintf(out + used, DIMS_BYTES - used, "%s%zu", i ? " x " : "", shape->dim[i]);
        used += (size_t)n;
    }
    return out;
}

/* Rows and columns from the dimensions, refused when the bytes could not be counted. */
static sepal_status array_measure(struct array_shape *shape, sepal_ctx *ctx, const char *file) {
    char dims[DIMS_BYTES];
    size_t elements, bytes;
    shape->rows = shape->dims ? shape->dim[0] : 1;
    shape->cols = 1;
    bool fits = true;
    for (size_t i = 1; i < shape->dims && fits; i++)
        fits = !__builtin_mul_overflow(shape->cols, shape->dim[i], &shape->cols);
    fits = fits && !__builtin_mul_overflow(shape->rows, shape->cols, &elements) &&
           !__builtin_mul_overflow(elements, shape->bytes, &bytes) && bytes <= PTRDIFF_MAX &&
           shape->rows <= PTRDIFF_MAX && shape->cols <= PTRDIFF_MAX;
    if (fits) return SEPAL_OK;
    return fail_at(ctx, SEPAL_EDATA, file, 1, shape->dim_at,
                   "the header claims %s elements of %zu bytes, more than any memory holds; the "
                   "file is damaged, save it again",
                   dims_shown(dims, shape), shape->bytes);
}

sepal_status array_header(struct array_shape *out, sepal_ctx *ctx, struct source *source,
                          const struct array_format *format) {
    *out = (struct array_shape){.format = format};
    TRY(format->header(out, ctx, source));
    return array_measure(out, ctx, source->file.name);
}

static bool array_is_text(const struct array_shape *shape) {
    return shape->kind == ELEMENT_TEXT || shape->kind == ELEMENT_BYTES;
}

sepal_status array_check_table(sepal_ctx *ctx, const struct array_shape *shape, const char *file) {
    char dims[DIMS_BYTES];
    dims_shown(dims, shape);
    if (array_is_text(shape))
        return fail_at(ctx, SEPAL_EDATA, file, 1, shape->type_at,
                       "this is an array of text, and data in npy files are numbers; is it the "
                       "file for " OPTION "labels? Text columns go into a csv file");
    if (shape->dims == 0)
        return fail_at(ctx, SEPAL_EDATA, file, 1, shape->dim_at,
                       "this is a single number; data is an array of rows and columns");
    if (shape->dims == 1)
        return fail_at(ctx, SEPAL_EDATA, file, 1, shape->dim_at,
                       "this is one column of %s numbers; is it the file for " OPTION
                       "labels? Data has "
                       "rows and columns: a.reshape(-1, 1) makes a table of one column",
                       dims);
    if (shape->dims > shape->format->most_dims)
        return fail_at(ctx, SEPAL_EDATA, file, 1, shape->dim_at,
                       "this array has %zu dimensions, %s, and data has two, rows and columns; "
                       "save a.reshape(len(a), -1)",
                       shape->dims, dims);
    if (shape->rows == 0 || shape->cols == 0)
        return fail_at(ctx, SEPAL_EDATA, file, 1, shape->dim_at,
                       "there are no %s: the array is %s; was it filled before it was saved?",
                       shape->rows == 0 ? "rows" : "columns", dims);
    return SEPAL_OK;
}

static sepal_status check_one_per_row(sepal_ctx *ctx, const struct array_shape *shape,
                                      const char *file, const char *what) {
    char dims[DIMS_BYTES];
    if (shape->dims == 1 || (shape->dims == 2 && shape->cols == 1)) return SEPAL_OK;
    if (shape->dims == 0)
        return fail_at(ctx, SEPAL_EDATA, file, 1, shape->dim_at,
                       "this is a single value; one %s per row is needed", what);
    if (shape->rows == 1 && shape->dims == 2)
        return fail_at(ctx, SEPAL_EDATA, file, 1, shape->dim_at,
                       "this array is %s, one row; one %s per row is needed: save a.reshape(-1)",
                       dims_shown(dims, shape), what);
    return fail_at(ctx, SEPAL_EDATA, file, 1, shape->dim_at,
                   "this array is %s, and one %s per row is needed; is it the data? Columns that "
                   "are 0 or 1 for each class become labels by a.argmax(axis=1)",
                   dims_shown(dims, shape), what);
}

sepal_status array_check_labels(sepal_ctx *ctx, const struct array_shape *shape, const char *file) {
    TRY(check_one_per_row(ctx, shape, file, "label"));
    if (shape->bytes > ARRAY_MOST_TEXT)
        return fail_at(ctx, SEPAL_EDATA, file, 1, shape->type_at,
                       "labels of %zu bytes each, and %d are the most; save shorter ones: "
                       "a.astype('U100')",
                       shape->bytes, (int)ARRAY_MOST_TEXT);
    return SEPAL_OK;
}

sepal_status array_check_weights(sepal_ctx *ctx, const struct array_shape *shape,
                                 const char *file) {
    TRY(check_one_per_row(ctx, shape, file, "weight"));
    if (array_is_text(shape))
        return fail_at(ctx, SEPAL_EDATA, file, 1, shape->type_at,
                       "this is an array of text, and weights are numbers; save "
                       "a.astype('float64')");
    return SEPAL_OK;
}

sepal_status array_check_end(sepal_ctx *ctx, const struct array_shape *shape, struct source *source,
                             size_t taken) {
    char rest[4096], dims[DIMS_BYTES];
    size_t wanted = shape->rows * shape->cols * shape->bytes, got;
    do {
        TRY(source_take(source, ctx, rest, sizeof rest, &got));
        taken += got;
    } while (got);
    if (taken == wanted) return SEPAL_OK;
    return fail_at(ctx, SEPAL_EDATA, source->file.name, 1, shape->dim_at,
                   "the header says %s elements of %zu bytes, %zu bytes in all, and %zu bytes "
                   "follow it; the file %s, copy or save it again",
                   dims_shown(dims, shape), shape->bytes, wanted, taken,
                   taken < wanted ? "is cut short" : "has something else at its end");
}
