/* The rows of an array to two files: the header with another number of rows, and their elements as they are,
   whatever their type and order. */
#include "core/alloc.h"
#include "io/array.h"
#include "io/format.h"
#include "split/split.h"

#include <stdint.h>
#include <string.h>

struct array_split {
    struct split_task *task;
    struct source source;
    struct array_shape shape;
    size_t rows[SIDES];
    char *head; /* as it stands in the file */
    size_t n_head;
    char *piece;
    size_t piece_bytes;
};

/* ---- headers ------------------------------------------------------------------------------ */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* idx: each dimension has four bytes, big end first. */
static sepal_status put_idx_head(struct array_split *all, int side) {
    enum { ROWS_AT = 4, ROWS_BYTES = 4 };
    for (size_t i = 0; i < ROWS_BYTES; i++)
        all->head[ROWS_AT + i] =
            (char)(unsigned char)(all->rows[side] >> (8 * (ROWS_BYTES - 1 - i)));
    return output_add(all->task->ctx, all->task->out[side], all->head, all->n_head);
}

/* npy: the first number of the shape is replaced, and blanks fill up to a multiple of 64 bytes. */
static sepal_status put_npy_head(struct array_split *all, int side) {
    enum { ALIGNMENT = 64, VERSION_AT = 6, LENGTH_AT = 8 };
    sepal_ctx *ctx = all->task->ctx;
    const char *head = all->head, *end = head + all->n_head, *p = head + all->shape.dim_at - 1;
    struct text text = {0};
    while (p < end && !is_digit(*p)) p++;
    text_add(ctx, &text, head, (size_t)(p - head));
    text_printf(ctx, &text, "%zu", all->rows[side]);
    while (p < end && is_digit(*p)) p++;
    while (end > p && (end[-1] == '\n' || end[-1] == ' ')) end--;
    text_add(ctx, &text, p, (size_t)(end - p));
    while (!text.failed && (text.length + 1) % ALIGNMENT) text_puts(ctx, &text, " ");
    text_puts(ctx, &text, "\n");
    sepal_status status = text.failed ? SEPAL_EMEMORY : SEPAL_OK;
    if (status == SEPAL_OK) {
        size_t bytes = text.bytes[VERSION_AT] == 1 ? 2 : 4, rest = text.length - LENGTH_AT - bytes;
        for (size_t i = 0; i < bytes; i++)
            text.bytes[LENGTH_AT + i] = (char)(unsigned char)(rest >> (8 * i));
        status = output_add(ctx, all->task->out[side], text.bytes, text.length);
    }
    text_clear(&text);
    return status;
}

static sepal_status put_heads(struct array_split *all) {
    for (int side = 0; side < SIDES; side++)
        TRY(all->head[0] == '\0' ? put_idx_head(all, side) : put_npy_head(all, side));
    return SEPAL_OK;
}

/* ---- elements ----------------------------------------------------------------------------- */

static sepal_status take_bytes(struct array_split *all, size_t n) {
    size_t got;
    TRY(source_take(&all->source, all->task->ctx, all->piece, n, &got));
    if (got == n) return SEPAL_OK;
    return fail_at(all->task->ctx, SEPAL_EDATA, all->source.file.name, 0, 0,
                   "the file changed while it was read; try again");
}

/* Runs of rows of one side at once. */
static sepal_status put_rows(struct array_split *all, const unsigned char *record, size_t n,
                             size_t bytes) {
    for (size_t i = 0, to; i < n; i = to) {
        for (to = i + 1; to < n && record[to] == record[i]; to++) {
        }
        if (record[i] < SIDES)
            TRY(output_add(all->task->ctx, all->task->out[record[i]], all->piece + i * bytes,
                           (to - i) * bytes));
    }
    return SEPAL_OK;
}

static sepal_status copy_rows(struct array_split *all) {
    enum { PIECE_BYTES = 1 << 20 };
    const struct split_task *task = all->task;
    size_t bytes = all->shape.cols * all->shape.bytes;
    size_t most = bytes && bytes < PIECE_BYTES ? PIECE_BYTES / bytes : 1;
    all->piece = mem_alloc(task->ctx, most, bytes);
    if (!all->piece) return SEPAL_EMEMORY;
    for (size_t i = 0; i < task->n; i += most) {
        size_t n = task->n - i < most ? task->n - i : most;
        TRY(check_cancelled(task->ctx, "writing"));
        TRY(take_bytes(all, n * bytes));
        TRY(put_rows(all, task->record + i, n, bytes));
    }
    return SEPAL_OK;
}

/* Column after column: each is in memory by itself, and both sides take their part of it. */
static sepal_status copy_columns(struct array_split *all) {
    const struct split_task *task = all->task;
    all->piece = mem_alloc(task->ctx, task->n, all->shape.bytes);
    if (!all->piece) return SEPAL_EMEMORY;
    for (size_t j = 0; j < all->shape.cols; j++) {
        TRY(check_cancelled(task->ctx, "writing"));
        TRY(take_bytes(all, task->n * all->shape.bytes));
        TRY(put_rows(all, task->record, task->n, all->shape.bytes));
    }
    return SEPAL_OK;
}

static sepal_status open_array(bool *is_array, struct array_split *all) {
    enum { MAGIC_BYTES = 16 };
    struct split_task *task = all->task;
    const char *bytes;
    size_t n;
    TRY(source_peek(&all->source, task->ctx, MAGIC_BYTES, &bytes, &n));
    const struct format *format = format_of_bytes(bytes, n, true);
    *is_array = format != NULL;
    if (!format) return SEPAL_OK;
    TRY(source_peek(&all->source, task->ctx, ARRAY_MOST_HEADER + MAGIC_BYTES, &bytes, &n));
    all->head = mem_alloc(task->ctx, n, 1);
    if (!all->head) return SEPAL_EMEMORY;
    memcpy(all->head, bytes, n);
    TRY(array_header(&all->shape, task->ctx, &all->source, format->array));
    all->n_head = all->source.taken;
    if (all->shape.rows != task->n)
        return fail_at(task->ctx, SEPAL_EDATA, all->source.file.name, 0, 0,
                       "there are %zu rows in it, and %zu in the data", all->shape.rows, task->n);
    return SEPAL_OK;
}

sepal_status split_array(bool *is_array, struct split_task *task) {
    struct array_split all = {.task = task};
    *is_array = false;
    for (size_t i = 0; i < task->n; i++)
        if (task->record[i] < SIDES) all.rows[task->record[i]]++;
    sepal_status status = source_open(&all.source, task->ctx, task->path);
    if (status == SEPAL_OK) status = open_array(is_array, &all);
    if (status == SEPAL_OK && *is_array) status = put_heads(&all);
    if (status == SEPAL_OK && *is_array)
        status =
            all.shape.column_major && all.shape.dims > 1 ? copy_columns(&all) : copy_rows(&all);
    source_close(&all.source);
    mem_free(all.head);
    mem_free(all.piece);
    return status;
}
