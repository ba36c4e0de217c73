#include "data/memory.h"

#include "core/alloc.h"
#include "data/limits.h"
#include "data/prepare.h"
#include "data/tokens.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- columns ------------------------------------------------------------------------------ */

static sepal_status check_name(sepal_ctx *ctx, struct tokens *seen, const char *name, size_t j) {
    uint32_t number;
    bool fresh;
    char shown[TEXT_SHOWN_BYTES];
    size_t length = name ? strlen(name) : 0;
    if (length == 0)
        return fail(ctx, SEPAL_EDATA, "column %zu has no name; give all of them one, or none",
                    j + 1);
    if (length > LIMIT_TEXT)
        return fail(ctx, SEPAL_EDATA, "the name of column %zu " LIMIT_TEXT_SAID, j + 1);
    if (utf8_valid_prefix(name, length) < length)
        return fail(ctx, SEPAL_EDATA, "the name of column %zu, '%s', is not UTF-8; convert it",
                    j + 1, text_shown(shown, name, length));
    TRY(tokens_add(seen, ctx, (struct slice){name, length}, &number, &fresh));
    if (fresh) return SEPAL_OK;
    return fail(ctx, SEPAL_EDATA, "columns %u and %zu are both called '%s'; rename one", number + 1,
                j + 1, text_shown(shown, name, length));
}

/* Names that the caller gave: they are what columns of files are matched by. */
static sepal_status name_columns(struct schema *schema, sepal_ctx *ctx, struct tokens *seen,
                                 const char *const *names) {
    schema->header = true;
    for (size_t j = 0; j < schema->n_columns; j++) {
        TRY(check_name(ctx, seen, names[j], j));
        schema->columns[j].name = arena_text(ctx, &schema->arena, names[j], strlen(names[j]));
        if (!schema->columns[j].name) return SEPAL_EMEMORY;
    }
    if (tokens_find(seen, (struct slice){"y", 1}) == SIZE_MAX) return SEPAL_OK;
    schema->target = NULL; /* labels had no name, and this is another's */
    schema->cells--;
    return SEPAL_OK;
}

static sepal_status number_columns(struct schema *schema, sepal_ctx *ctx) {
    for (size_t j = 0; j < schema->n_columns; j++) {
        char name[32];
        int length = snprintf(name, sizeof name, "x%zu", j + 1);
        schema->columns[j].name = arena_text(ctx, &schema->arena, name, (size_t)length);
        if (!schema->columns[j].name) return SEPAL_EMEMORY;
    }
    return SEPAL_OK;
}

static sepal_status memory_schema(struct schema *schema, sepal_ctx *ctx, const sepal_input *in) {
    size_t cols = in->columns;
    if (in->row_start && !in->column_names) { /* as in LIBSVM files */
        schema->family = FAMILY_INDEXED;
        schema->width = cols;
        return SEPAL_OK;
    }
    schema->family = FAMILY_TABLE;
    schema->n_columns = cols;
    schema->cells = cols + 1;
    schema->target = "y";
    schema->target_position = cols;
    schema->columns = arena_zero(ctx, &schema->arena, cols, sizeof *schema->columns);
    if (!schema->columns) return SEPAL_EMEMORY;
    for (size_t j = 0; j < cols; j++) schema->columns[j].position = j;
    struct tokens seen = {0};
    sepal_status status = in->column_names ? name_columns(schema, ctx, &seen, in->column_names)
                                           : number_columns(schema, ctx);
    tokens_clear(&seen);
    schema_layout(schema);
    return status;
}

/* ---- rows --------------------------------------------------------------------------------- */

static bool lacks_value(const struct matrix *x, size_t row) {
    size_t i, cols = x->cols;
    const struct block *block = matrix_block_of(x, row, &i);
    for (size_t j = 0; j < cols; j++)
        if (block->f32 ? isnan(block->f32[i * cols + j]) : isnan(block->f64[i * cols + j]))
            return true;
    return false;
}

/* Rows of weight 0 are as good as absent, and so are those to learn from that lack a value, if that is the
   rule. Rows for predictions stay: the model says what becomes of them. */
static sepal_status drop_rows(sepal_data **data, sepal_ctx *ctx) {
    size_t rows = (*data)->matrix.rows, n = 0;
    bool drops = (*data)->label && (*data)->missing && (*data)->schema->missing == MISSING_DROP;
    if (!(*data)->weight && !drops) return SEPAL_OK;
    size_t *kept = mem_alloc(ctx, rows, sizeof *kept);
    if (!kept) return SEPAL_EMEMORY;
    for (size_t i = 0; i < rows; i++)
        if (data_weight(*data, i) > 0 && !(drops && lacks_value(&(*data)->matrix, i)))
            kept[n++] = i;
    sepal_status status = SEPAL_OK;
    if (n == 0)
        status =
            fail(ctx, SEPAL_EDATA,
                 drops ? "every row lacks a value, or has weight 0" : "every row has weight 0");
    if (n && n < rows) {
        sepal_data *rest;
        status = data_select(&rest, ctx, *data, kept, n);
        if (status == SEPAL_OK) {
            data_free(*data);
            *data = rest;
            status = prepare_count(rest, ctx);
        }
    }
    mem_free(kept);
    return status;
}

static sepal_status memory_check(sepal_ctx *ctx, const sepal_input *in) {
    if (in->rows == 0) return fail(ctx, SEPAL_EDATA, "there are no rows");
    if (in->columns > LIMIT_INDEX || in->rows > SIZE_MAX / sizeof(double) / (in->columns + 1))
        return fail(ctx, SEPAL_EDATA, "an array of %zu x %zu numbers is larger than there can be",
                    in->rows, in->columns);
    if (in->columns > LIMIT_COLUMNS && (in->column_names || !in->row_start))
        return fail(ctx, SEPAL_EDATA,
                    "%zu columns are more than the %d that can have names; give sparse rows "
                    "without them",
                    in->columns, LIMIT_COLUMNS);
    return in->row_start || in->index ? memory_check_sparse(ctx, in) : memory_check_dense(ctx, in);
}

static sepal_status memory_fill(sepal_data *data, struct schema *schema, sepal_ctx *ctx,
                                const sepal_input *in) {
    struct memory_codes codes;
    TRY(memory_schema(schema, ctx, in));
    TRY(memory_codes(&codes, schema, ctx, &data->arena, in));
    data->coded = codes.coded;
    TRY(in->row_start ? memory_sparse(&data->matrix, ctx, in)
                      : memory_dense(&data->matrix, ctx, in, &codes));
    TRY(prepare_count(data, ctx));
    TRY(memory_weights(data, ctx, in));
    return memory_labels(data, schema, ctx, in);
}

sepal_status data_from_memory(sepal_data **out, sepal_ctx *ctx, const sepal_input *in) {
    *out = NULL;
    TRY(memory_check(ctx, in));
    sepal_data *data = data_new(ctx);
    struct schema *schema = schema_new(ctx);
    sepal_status status = data && schema ? SEPAL_OK : SEPAL_EMEMORY;
    if (data) data->schema = schema;
    if (status == SEPAL_OK) status = memory_fill(data, schema, ctx, in);
    if (status == SEPAL_OK) status = drop_rows(&data, ctx);
    if (status != SEPAL_OK) {
        if (data)
            data_free(data);
        else
            schema_release(schema);
        return status;
    }
    *out = data;
    return SEPAL_OK;
}

sepal_status data_from_dense(sepal_data **out, sepal_ctx *ctx, const double *x, size_t rows,
                             size_t cols, const char *const *labels, const double *weights) {
    sepal_input in = {.size = sizeof in,
                      .rows = rows,
                      .columns = cols,
                      .values = x,
                      .labels = labels,
                      .weights = weights};
    return data_from_memory(out, ctx, &in);
}
