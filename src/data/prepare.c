/* What is learnt of a table's columns: the categories that occur, and means in place of missing
   values. */
#include "data/prepare.h"

#include "core/alloc.h"
#include "data/limits.h"

#include <math.h>
#include <string.h>

/* What the rows show of one column. */
struct tally {
    double total;   /* weight of the rows in which it is there */
    double shift;   /* its first number, NaN before: differences to it are summed, for accuracy */
    double sum;     /* of these */
    double *weight; /* of a text column: of the rows with each category */
    size_t missing;
};

static void tally_cell(struct tally *tally, const struct column *column, double x, double w) {
    if (isnan(x)) {
        tally->missing++;
        return;
    }
    if (column->text && x == UNKNOWN_CATEGORY) return;
    tally->total += w;
    if (column->text) {
        tally->weight[(size_t)x] += w;
        return;
    }
    if (isnan(tally->shift)) tally->shift = x;
    tally->sum += w * (x - tally->shift);
}

/* Whether something is to stand for missing values. */
static bool has_fill(const struct schema *schema) {
    return schema->missing == MISSING_MEAN || schema->missing == MISSING_INDICATOR;
}

static sepal_status tally_rows(struct tally *tally, sepal_ctx *ctx, const sepal_data *data) {
    const struct schema *schema = data->schema;
    size_t cols = data->matrix.cols, n = 0;
    double *room = mem_alloc(ctx, cols, sizeof *room);
    size_t *asked = mem_alloc(ctx, cols, sizeof *asked); /* columns whose cells matter */
    for (size_t j = 0; asked && j < cols; j++)
        if (schema->columns[j].text || has_fill(schema)) asked[n++] = j;
    for (size_t i = 0; room && asked && n > 0 && i < data->matrix.rows; i++) {
        double w = data_weight(data, i);
        const double *cells = matrix_cells(room, ctx, &data->matrix, i);
        for (size_t k = 0; k < n; k++)
            tally_cell(&tally[asked[k]], &schema->columns[asked[k]], cells[asked[k]], w);
    }
    sepal_status status = room && asked ? SEPAL_OK : SEPAL_EMEMORY;
    mem_free(asked);
    mem_free(room);
    return status;
}

static struct tally *tally_new(sepal_ctx *ctx, struct arena *arena, const struct schema *schema) {
    struct tally *tally = arena_zero(ctx, arena, schema->n_columns, sizeof *tally);
    for (size_t j = 0; tally && j < schema->n_columns; j++) {
        size_t n = schema->columns[j].n_categories;
        tally[j].shift = NAN;
        tally[j].weight = arena_zero(ctx, arena, n, sizeof *tally[j].weight);
        if (!tally[j].weight) return NULL;
    }
    return tally;
}

/* ---- the schema --------------------------------------------------------------------------- */

static sepal_status refuse_categories(sepal_ctx *ctx, const sepal_data *data, const char *name,
                                      size_t n) {
    size_t top = *data->file ? 1 : 0;
    return fail_at(ctx, SEPAL_EDATA, data->file, top, top,
                   "column '%s' is text with %zu different values, %d are the most that can "
                   "become 0/1 columns; leave it out with " OPTION
                   "drop '%s', or count its words and give them as LIBSVM rows",
                   name, n, LIMIT_CATEGORIES, name);
}

/* A category that occurs in no row is left out, unless the file declares it. */
static sepal_status learn_categories(struct column *out, sepal_ctx *ctx, struct arena *arena,
                                     const struct column *from, struct tally *tally) {
    out->categories = arena_alloc(ctx, arena, from->n_categories, sizeof *out->categories);
    if (!out->categories) return SEPAL_EMEMORY;
    for (size_t k = 0; k < from->n_categories; k++) {
        if (tally->weight[k] == 0 && !from->declared) continue;
        const char *name = from->categories[k];
        tally->weight[out->n_categories] = tally->weight[k];
        out->categories[out->n_categories] = arena_text(ctx, arena, name, strlen(name));
        if (!out->categories[out->n_categories++]) return SEPAL_EMEMORY;
    }
    return SEPAL_OK;
}

/* The weighted mean of the numbers, or the proportions of the categories. */
static sepal_status learn_fill(struct column *out, sepal_ctx *ctx, struct arena *arena,
                               const struct tally *tally, const sepal_data *data) {
    size_t n = out->text ? out->n_categories : 1, top = *data->file ? 1 : 0;
    out->fill = arena_zero(ctx, arena, n, sizeof *out->fill);
    if (!out->fill) return SEPAL_EMEMORY;
    for (size_t k = 0; k < n && tally->total > 0; k++)
        out->fill[k] = (out->text ? tally->weight[k] : tally->sum) / tally->total;
    if (!out->text && !isnan(tally->shift)) out->fill[0] += tally->shift;
    for (size_t k = 0; k < n; k++)
        if (!isfinite(out->fill[k]))
            return fail_at(ctx, SEPAL_EDATA, data->file, top, top,
                           "the mean of column '%s' is beyond the range of a double; scale it down",
                           out->name);
    return SEPAL_OK;
}

static sepal_status learn_column(struct column *out, sepal_ctx *ctx, struct schema *schema,
                                 struct tally *tally, const sepal_data *data, size_t j) {
    const struct column *from = &data->schema->columns[j];
    *out = (struct column){.position = from->position,
                           .text = from->text,
                           .declared = from->declared,
                           .name = arena_text(ctx, &schema->arena, from->name, strlen(from->name))};
    if (!out->name) return SEPAL_EMEMORY;
    if (from->text) TRY(learn_categories(out, ctx, &schema->arena, from, tally));
    if (out->n_categories > LIMIT_CATEGORIES && !from->declared)
        return refuse_categories(ctx, data, out->name, out->n_categories);
    out->indicator = schema->missing == MISSING_INDICATOR && tally->missing;
    if (!has_fill(schema)) return SEPAL_OK;
    return learn_fill(out, ctx, &schema->arena, tally, data);
}

static sepal_status learn_columns(struct schema *schema, sepal_ctx *ctx, const sepal_data *data) {
    struct arena arena = {0};
    struct tally *tally = tally_new(ctx, &arena, data->schema);
    sepal_status status = tally ? tally_rows(tally, ctx, data) : SEPAL_EMEMORY;
    size_t n = data->schema->n_columns;
    schema->columns = arena_alloc(ctx, &schema->arena, n, sizeof *schema->columns);
    if (!schema->columns) status = SEPAL_EMEMORY;
    for (size_t j = 0; j < n && status == SEPAL_OK; j++)
        status = learn_column(&schema->columns[j], ctx, schema, &tally[j], data, j);
    arena_clear(&arena);
    TRY(status);
    schema->n_columns = n;
    schema_layout(schema);
    return schema_check_width(ctx, schema);
}

static sepal_status learn_schema(const struct schema **out, sepal_ctx *ctx,
                                 const sepal_data *data) {
    struct schema *schema = schema_new(ctx);
    if (!schema) return SEPAL_EMEMORY;
    sepal_status status = schema_copy_facts(schema, ctx, data->schema);
    if (status == SEPAL_OK) status = learn_columns(schema, ctx, data);
    if (status == SEPAL_OK)
        *out = schema;
    else
        schema_release(schema);
    return status;
}

sepal_status prepare_fit(struct prepared *out, sepal_ctx *ctx, const sepal_data *data) {
    const struct schema *learnt = NULL;
    *out = (struct prepared){.rows = *data};
    if (!data->coded) return SEPAL_OK;
    TRY(learn_schema(&learnt, ctx, data));
    sepal_status status = prepare_rows(out, ctx, learnt, data, 0, data->matrix.rows);
    out->learnt = out->rows.schema = learnt;
    return status;
}
