/* Data sets made from arrays. */
#include "data/data.h"

#include "core/alloc.h"
#include "core/compensated_sum.h"
#include "data/classes.h"
#include "data/limits.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

sepal_data *data_new(sepal_ctx *ctx) {
    sepal_data *data = mem_zero(ctx, 1, sizeof *data);
    if (data) data->file = "";
    return data;
}

void data_free(sepal_data *data) {
    if (!data) return;
    matrix_clear(&data->matrix);
    schema_release(data->schema);
    arena_clear(&data->arena);
    mem_free(data->label);
    mem_free(data->set_start);
    mem_free(data->set);
    mem_free(data->number);
    mem_free(data->weight);
    mem_free(data->undecided);
    mem_free(data);
}

sepal_status data_check_classes(sepal_ctx *ctx, struct arena *arena, const sepal_data *data,
                                const char *purpose) {
    size_t classes = data->schema->n_classes;
    size_t *count = arena_zero(ctx, arena, classes, sizeof *count);
    if (!count) return SEPAL_EMEMORY;
    for (size_t i = 0; i < data->matrix.rows; i++) count[data->label[i]]++;
    for (size_t k = 0; k < classes; k++)
        if (count[k] == 0)
            return fail(ctx, SEPAL_EDATA, "no row of class '%s' is left%s",
                        data->schema->classes[k], purpose);
    return SEPAL_OK;
}

sepal_status data_set_total_weight(sepal_data *data, sepal_ctx *ctx, double total) {
    data->total_weight = total;
    if (isfinite(total)) return SEPAL_OK;
    return fail(ctx, SEPAL_EDATA,
                "the weights add up to more than a double holds; scale them down");
}

/* ---- from an array ------------------------------------------------------------------------ */

static sepal_status schema_for_array(struct schema *schema, sepal_ctx *ctx, size_t cols) {
    schema->family = FAMILY_TABLE;
    schema->n_columns = cols;
    schema->cells = cols + 1;
    schema->target = "y";
    schema->target_position = cols;
    schema->columns = arena_zero(ctx, &schema->arena, cols, sizeof *schema->columns);
    if (!schema->columns) return SEPAL_EMEMORY;
    for (size_t j = 0; j < cols; j++) {
        char name[32];
        int length = snprintf(name, sizeof name, "x%zu", j + 1);
        schema->columns[j].position = j;
        schema->columns[j].name = arena_text(ctx, &schema->arena, name, (size_t)length);
        if (!schema->columns[j].name) return SEPAL_EMEMORY;
    }
    schema_layout(schema);
    return SEPAL_OK;
}

static sepal_status labels_from_texts(sepal_data *data, struct schema *schema, sepal_ctx *ctx,
                                      const char *const *labels, size_t rows) {
    struct tokens texts = {0};
    uint32_t number = 0;
    bool fresh;
    sepal_status status = SEPAL_OK;
    data->label = mem_alloc(ctx, rows, sizeof *data->label);
    if (!data->label) return SEPAL_EMEMORY;
    for (size_t i = 0; i < rows && status == SEPAL_OK; i++) {
        data->label[i] = -1;
        if (data_weight(data, i) == 0) continue; /* a class that only such rows have is none */
        const char *text = labels[i] ? labels[i] : "";
        struct slice label = {text, strlen(text)};
        status =
            label_is_missing(label) || utf8_valid_prefix(label.bytes, label.length) < label.length
                ? fail(ctx, SEPAL_EDATA, "the label of row %zu is missing or not UTF-8", i + 1)
                : tokens_add(&texts, ctx, label, &number, &fresh);
        data->label[i] = (int32_t)number;
    }
    int32_t *class_of = arena_alloc(ctx, &data->arena, texts.count, sizeof *class_of);
    if (status == SEPAL_OK)
        status = class_of ? classes_learn(schema, ctx, &texts, class_of) : SEPAL_EMEMORY;
    for (size_t i = 0; i < rows && status == SEPAL_OK; i++)
        if (data->label[i] >= 0) data->label[i] = class_of[data->label[i]];
    tokens_clear(&texts);
    return status;
}

static sepal_status copy_array(struct matrix *matrix, sepal_ctx *ctx, const double *x, size_t rows,
                               size_t cols) {
    TRY(matrix_init(matrix, ctx, rows, cols, false));
    for (size_t b = 0; b < matrix->n_blocks; b++) {
        struct block *block = &matrix->blocks[b];
        const double *from = x + block->first_row * cols;
        size_t n = block->rows * cols;
        block->values = VALUES_F32;
        for (size_t i = 0; i < n; i++) {
            if (!isfinite(from[i]))
                return fail(ctx, SEPAL_EDATA, "row %zu, column %zu is not a finite number",
                            block->first_row + i / cols + 1, i % cols + 1);
            if (!(fabs(from[i]) <= FLT_MAX && (double)(float)from[i] == from[i]))
                block->values = VALUES_F64;
            matrix->nonzeros += from[i] != 0;
        }
        TRY(block_alloc(ctx, block, cols, 0));
        for (size_t i = 0; block->f32 && i < n; i++) block->f32[i] = (float)from[i];
        if (block->f64) memcpy(block->f64, from, n * sizeof *from);
    }
    return SEPAL_OK;
}

static sepal_status copy_weights(sepal_data *data, sepal_ctx *ctx, const double *weights,
                                 size_t rows) {
    data->total_weight = (double)rows;
    if (!weights) return SEPAL_OK;
    data->weight = mem_alloc(ctx, rows, sizeof *data->weight);
    if (!data->weight) return SEPAL_EMEMORY;
    struct total total = {0};
    for (size_t i = 0; i < rows; i++) {
        if (!(weights[i] >= 0 && weights[i] <= DBL_MAX))
            return fail(ctx, SEPAL_EDATA,
                        "the weight of row %zu is not a finite number of at "
                        "least 0",
                        i + 1);
        data->weight[i] = weights[i];
        total_add(&total, weights[i]);
    }
    return data_set_total_weight(data, ctx, total_of(&total));
}

/* Rows of weight 0 are as good as absent. */
static sepal_status drop_weightless(sepal_data **data, sepal_ctx *ctx) {
    size_t rows = (*data)->matrix.rows, n = 0;
    if (!(*data)->weight) return SEPAL_OK;
    size_t *kept = mem_alloc(ctx, rows, sizeof *kept);
    if (!kept) return SEPAL_EMEMORY;
    for (size_t i = 0; i < rows; i++)
        if ((*data)->weight[i] > 0) kept[n++] = i;
    sepal_status status = SEPAL_OK;
    if (n == 0) status = fail(ctx, SEPAL_EDATA, "every row has weight 0");
    if (n && n < rows) {
        sepal_data *rest;
        status = data_select(&rest, ctx, *data, kept, n);
        if (status == SEPAL_OK) {
            data_free(*data);
            *data = rest;
        }
    }
    mem_free(kept);
    return status;
}

sepal_status data_from_dense(sepal_data **out, sepal_ctx *ctx, const double *x, size_t rows,
                             size_t cols, const char *const *labels, const double *weights) {
    *out = NULL;
    if (rows == 0) return fail(ctx, SEPAL_EDATA, "there are no rows");
    if (cols > LIMIT_INDEX || rows > SIZE_MAX / sizeof *x / (cols ? cols : 1))
        return fail(ctx, SEPAL_EDATA, "an array of %zu x %zu numbers is larger than there can be",
                    rows, cols);
    sepal_data *data = data_new(ctx);
    struct schema *schema = schema_new(ctx);
    sepal_status status = data && schema ? SEPAL_OK : SEPAL_EMEMORY;
    if (data) data->schema = schema;
    if (status == SEPAL_OK) status = schema_for_array(schema, ctx, cols);
    if (status == SEPAL_OK) status = copy_array(&data->matrix, ctx, x, rows, cols);
    if (status == SEPAL_OK) status = copy_weights(data, ctx, weights, rows);
    if (status == SEPAL_OK && labels) status = labels_from_texts(data, schema, ctx, labels, rows);
    if (status == SEPAL_OK) status = drop_weightless(&data, ctx);
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
