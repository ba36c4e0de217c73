/* One chunk of an array's elements to parsed rows. */
#include "core/alloc.h"
#include "io/array.h"
#include "io/table.h"

#include <math.h>

struct array_scratch {
    struct table_scratch table;
    double *row;
    size_t row_room;
    struct text text;
};

struct array_parser {
    struct table_rows rows;
    const struct array_shape *shape;
    struct array_scratch *scratch;
};

/* ---- cells -------------------------------------------------------------------------------- */

static sepal_status refuse_infinity(struct table_rows *rows, size_t c) {
    return fail_at(rows->ctx, SEPAL_EDATA, "", rows->line, c + 1,
                   "this value is infinite; every value must be a finite number");
}

static sepal_status take_number(struct array_parser *parser, const struct table_role *role,
                                size_t c) {
    double value = parser->scratch->row[c];
    if (isfinite(value)) {
        rows_number(&parser->rows, role, value);
        return SEPAL_OK;
    }
    if (!isnan(value)) return refuse_infinity(&parser->rows, c);
    return rows_miss(&parser->rows, role, (struct spot){parser->rows.line, c + 1});
}

/* Labels, weights and categories are texts, as they would be in a table. */
static sepal_status array_take_text(struct array_parser *parser, const struct table_role *role,
                                    size_t c, const char *element) {
    struct text *text = &parser->scratch->text;
    if (role->role == ROLE_FEATURE && isinf(parser->scratch->row[c]))
        return refuse_infinity(&parser->rows, c);
    text->length = 0;
    element_text(parser->rows.ctx, text, parser->shape, element);
    if (text->failed) return SEPAL_EMEMORY;
    struct table_cell cell = {.text = {text->bytes, text->length},
                              .start = parser->rows.line_start + c};
    return rows_take(&parser->rows, role, &cell);
}

/* ---- rows --------------------------------------------------------------------------------- */

static const char *element_at(const struct array_shape *shape, const char *bytes, size_t r,
                              size_t c) {
    return bytes + shape->bytes * (shape->column_major ? c * shape->rows + r : r * shape->cols + c);
}

static void read_row(struct array_parser *parser, const char *bytes, size_t r) {
    const struct array_shape *shape = parser->shape;
    double *row = parser->scratch->row;
    if (!shape->column_major) {
        elements_read(shape, element_at(shape, bytes, r, 0), shape->cols, row);
        return;
    }
    for (size_t c = 0; c < shape->cols; c++)
        row[c] = element_value(shape, element_at(shape, bytes, r, c));
}

static bool array_is_weightless(const struct array_parser *parser) {
    const struct table_layout *layout = parser->rows.layout;
    for (size_t c = 0; c < layout->n_cells; c++)
        if (layout->roles[c].role == ROLE_WEIGHT && parser->scratch->row[c] == 0) return true;
    return false;
}

static sepal_status take_row(struct array_parser *parser, const char *bytes, size_t r) {
    struct table_rows *rows = &parser->rows;
    const struct table_layout *layout = rows->layout;
    TRY(rows_begin(rows));
    read_row(parser, bytes, r);
    rows->line_start = bytes; /* only distances from it count */
    if (layout->weights) rows->weightless = array_is_weightless(parser);
    for (size_t c = 0; c < layout->n_cells && !rows->weightless; c++) {
        const struct table_role *role = &layout->roles[c];
        if (role->role == ROLE_FEATURE && !role->as_text && !role->keep)
            TRY(take_number(parser, role, c));
        else if (role->role != ROLE_IGNORE || role->keep)
            TRY(array_take_text(parser, role, c, element_at(parser->shape, bytes, r, c)));
    }
    return rows_end(rows);
}

static sepal_status parse_array_chunk(struct parsed_chunk *out, sepal_ctx *ctx, const char *bytes,
                                      size_t n, const void *memory, void *worker) {
    const struct array_layout *layout = memory;
    struct array_scratch *scratch = worker;
    struct array_parser parser = {.shape = &layout->shape, .scratch = scratch};
    size_t row_bytes = layout->shape.cols * layout->shape.bytes, rows = n / row_bytes;
    if (layout->shape.column_major && rows != layout->shape.rows) rows = 0;
    TRY(rows_init(&parser.rows, ctx, layout->table, out, &scratch->table, 0));
    TRY(mem_reserve(ctx, (void **)&scratch->row, &scratch->row_room, layout->shape.cols,
                    sizeof *scratch->row));
    for (size_t r = 0; r < rows; r++, parser.rows.line++) {
        sepal_status status = take_row(&parser, bytes, r);
        if (!rows_forgive(&parser.rows, &status)) TRY(status);
    }
    out->lines = rows;
    out->tail_bytes = n - rows * row_bytes;
    return rows_finish(&parser.rows);
}

static void array_scratch_clear(void *memory) {
    struct array_scratch *scratch = memory;
    table_scratch_clear(&scratch->table);
    mem_free(scratch->row);
    text_clear(&scratch->text);
}

/* In column order no row is whole before the end. */
static size_t array_whole(const char *bytes, size_t n, const void *memory) {
    const struct array_layout *layout = memory;
    (void)bytes;
    return layout->shape.column_major ? 0 : n - n % (layout->shape.cols * layout->shape.bytes);
}

const struct chunk_format array_chunk_format = {
    .whole = array_whole,
    .parse = parse_array_chunk,
    .scratch_size = sizeof(struct array_scratch),
    .scratch_clear = array_scratch_clear,
};
