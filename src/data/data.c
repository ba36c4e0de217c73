/* Making data sets from other data sets and from arrays. */
#include "data/data.h"

#include "core/alloc.h"
#include "core/parallel.h"
#include "core/rng.h"
#include "data/classes.h"

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
    mem_free(data->weight);
    mem_free(data->undecided);
    mem_free(data);
}

/* ---- choosing rows ------------------------------------------------------------------------ */

struct selection {
    const struct matrix *from;
    struct matrix *to;
    const size_t *rows;
};

static sepal_status select_block(sepal_ctx *ctx, size_t b, void *payload) {
    const struct selection *all = payload;
    struct block *block = &all->to->blocks[b];
    const size_t *rows = all->rows + block->first_row;
    size_t cols = all->to->cols, entries = 0, local;
    block->values = block->sparse ? VALUES_F64 : VALUES_F32;
    for (size_t i = 0; i < block->rows; i++) {
        const struct block *source = matrix_block_of(all->from, rows[i], &local);
        if (!block->sparse && source->values == VALUES_F64) block->values = VALUES_F64;
        if (block->sparse) entries += source->start[local + 1] - source->start[local];
    }
    TRY(block_alloc(ctx, block, cols, entries));
    for (size_t i = 0, at = 0; i < block->rows; i++) {
        const struct block *source = matrix_block_of(all->from, rows[i], &local);
        size_t next = 0, column;
        double value;
        if (block->sparse) {
            block->start[i] = at;
            for (; row_next(source, local, cols, &next, &column, &value); at++) {
                block->index[at] = (uint32_t)column;
                block->f64[at] = value;
            }
            block->start[i + 1] = at;
            continue;
        }
        for (size_t j = 0; j < cols; j++) {
            double x =
                source->f32 ? (double)source->f32[local * cols + j] : source->f64[local * cols + j];
            if (block->f32)
                block->f32[i * cols + j] = (float)x;
            else
                block->f64[i * cols + j] = x;
        }
    }
    return SEPAL_OK;
}

static sepal_status select_matrix(struct matrix *out, sepal_ctx *ctx, const struct matrix *from,
                                  const size_t *rows, size_t n) {
    TRY(matrix_init(out, ctx, n, from->cols, from->sparse));
    struct selection all = {from, out, rows};
    TRY(parallel_for(ctx, out->n_blocks, select_block, &all));
    for (size_t i = 0; i < n; i++) {
        size_t local, at = 0, column;
        double value;
        const struct block *block = matrix_block_of(from, rows[i], &local);
        while (row_next(block, local, from->cols, &at, &column, &value)) out->nonzeros++;
    }
    return SEPAL_OK;
}

static sepal_status select_sets(sepal_data *out, sepal_ctx *ctx, const sepal_data *data,
                                const size_t *rows, size_t n) {
    size_t used = 0;
    for (size_t i = 0; i < n; i++) used += data->set_start[rows[i] + 1] - data->set_start[rows[i]];
    out->set_start = mem_zero(ctx, n + 1, sizeof *out->set_start);
    out->set = mem_alloc(ctx, used, sizeof *out->set);
    if (!out->set_start || !out->set) return SEPAL_EMEMORY;
    used = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = data->set_start[rows[i]]; k < data->set_start[rows[i] + 1]; k++)
            out->set[used++] = data->set[k];
        out->set_start[i + 1] = used;
    }
    return SEPAL_OK;
}

static sepal_status select_rows(sepal_data *out, sepal_ctx *ctx, const sepal_data *data,
                                const size_t *rows, size_t n) {
    out->file = arena_text(ctx, &out->arena, data->file, strlen(data->file));
    if (!out->file) return SEPAL_EMEMORY;
    TRY(select_matrix(&out->matrix, ctx, &data->matrix, rows, n));
    if (data->set) TRY(select_sets(out, ctx, data, rows, n));
    if (data->label) out->label = mem_alloc(ctx, n, sizeof *out->label);
    if (data->weight) out->weight = mem_alloc(ctx, n, sizeof *out->weight);
    if ((data->label && !out->label) || (data->weight && !out->weight)) return SEPAL_EMEMORY;
    for (size_t i = 0; i < n; i++) {
        if (data->label) out->label[i] = data->label[rows[i]];
        if (data->weight) out->weight[i] = data->weight[rows[i]];
        out->total_weight += data_weight(data, rows[i]);
    }
    return SEPAL_OK;
}

sepal_status data_select(sepal_data **out, sepal_ctx *ctx, const sepal_data *data,
                         const size_t *rows, size_t n) {
    *out = data_new(ctx);
    if (!*out) return SEPAL_EMEMORY;
    (*out)->schema = schema_share(data->schema);
    sepal_status status = select_rows(*out, ctx, data, rows, n);
    if (status != SEPAL_OK) {
        data_free(*out);
        *out = NULL;
    }
    return status;
}

/* ---- splitting ---------------------------------------------------------------------------- */

/* Mark round(share n_k) rows of every class k, chosen by a seeded shuffle within the class. */
static sepal_status mark_share(bool *chosen, sepal_ctx *ctx, const sepal_data *data, double share) {
    enum { SPLIT_STREAM = 0x73706c69 };
    size_t rows = data->matrix.rows;
    uint32_t *of_class = mem_alloc(ctx, rows, sizeof *of_class);
    if (!of_class) return SEPAL_EMEMORY;
    size_t classes = data->label ? data->schema->n_classes : 1;
    for (size_t k = 0; k < classes; k++) {
        size_t n = 0;
        for (size_t i = 0; i < rows; i++)
            if (!data->label || data->label[i] == (int32_t)k) of_class[n++] = (uint32_t)i;
        struct rng rng = rng_make(ctx->seed, SPLIT_STREAM + k);
        rng_shuffle(&rng, of_class, n);
        size_t part = (size_t)(share * (double)n + 0.5);
        if (part == n && n) part--; /* something must be left to learn from */
        for (size_t i = 0; i < part; i++) chosen[of_class[i]] = true;
    }
    mem_free(of_class);
    return SEPAL_OK;
}

sepal_status data_split(sepal_data **rest, sepal_data **part, sepal_ctx *ctx,
                        const sepal_data *data, double share) {
    size_t rows = data->matrix.rows, n[2] = {0, 0};
    *rest = *part = NULL;
    if (rows > UINT32_MAX) return fail(ctx, SEPAL_EDATA, "too many rows to split");
    bool *chosen = mem_zero(ctx, rows, sizeof *chosen);
    size_t *numbers = mem_alloc(ctx, rows, sizeof *numbers);
    sepal_status status = chosen && numbers ? mark_share(chosen, ctx, data, share) : SEPAL_EMEMORY;
    for (size_t i = 0; i < rows && status == SEPAL_OK; i++) n[chosen[i]]++;
    if (status == SEPAL_OK && (n[0] == 0 || n[1] == 0))
        status = fail(ctx, SEPAL_EDATA,
                      "holding out %g of %zu rows leaves %zu to learn from and %zu to judge by",
                      share, rows, n[0], n[1]);
    for (int side = 0; side < 2 && status == SEPAL_OK; side++) {
        size_t used = 0;
        for (size_t i = 0; i < rows; i++)
            if (chosen[i] == side) numbers[used++] = i;
        status = data_select(side ? part : rest, ctx, data, numbers, used);
    }
    if (status != SEPAL_OK) {
        data_free(*rest);
        *rest = NULL;
    }
    mem_free(chosen);
    mem_free(numbers);
    return status;
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
    uint32_t number;
    bool fresh;
    sepal_status status = SEPAL_OK;
    data->label = mem_alloc(ctx, rows, sizeof *data->label);
    if (!data->label) return SEPAL_EMEMORY;
    for (size_t i = 0; i < rows && status == SEPAL_OK; i++) {
        data->label[i] = -1;
        if (data_weight(data, i) == 0) continue; /* a class that only such rows have is none */
        status =
            tokens_add(&texts, ctx, (struct slice){labels[i], strlen(labels[i])}, &number, &fresh);
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
    data->total_weight = 0;
    for (size_t i = 0; i < rows; i++) {
        if (!(weights[i] >= 0 && weights[i] <= DBL_MAX))
            return fail(ctx, SEPAL_EDATA,
                        "the weight of row %zu is not a finite number of at "
                        "least 0",
                        i + 1);
        data->weight[i] = weights[i];
        data->total_weight += weights[i];
    }
    return SEPAL_OK;
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
