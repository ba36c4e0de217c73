/* Rows on their way to a question about phi(x): the maps of a spec without a learner, fitted to
   them. */
#include "eval/separability.h"

#include "maps/map_chain.h"
#include "model/pipeline.h"

static sepal_status check_rows(sepal_ctx *ctx, const sepal_data *data) {
    size_t top = *data->file ? 1 : 0, classes = data->schema->n_classes;
    if (data->set_start)
        return fail_at(ctx, SEPAL_EDATA, data->first_set.file, data->first_set.line,
                       data->first_set.column,
                       "this is a set of labels, and separability is about one label a row");
    if (!data->label || data->n_unseen)
        return fail_at(ctx, SEPAL_EDATA, data->file, top, top,
                       "the data has no labels of its own to tell its classes by");
    if (classes < 2)
        return fail_at(ctx, SEPAL_EDATA, data->file, top, top,
                       "every row has the label '%s'; there is nothing to separate (is " OPTION
                       "target "
                       "the right column?)",
                       classes ? data->schema->classes[0] : "");
    if (data->matrix.cols == 0)
        return fail_at(ctx, SEPAL_EDATA, data->file, top, top,
                       "the data has no feature columns (are " OPTION "delimiter and " OPTION
                       "drop right?)");
    return SEPAL_OK;
}

/* "poly(degree=2, interactions=true) | standardize" */
static const char *canonical(sepal_ctx *ctx, struct arena *arena, const struct map_chain *chain) {
    struct text text = {0};
    for (size_t m = 0; m < chain->n; m++) {
        const struct map *map = chain->maps[m].map;
        text_printf(ctx, &text, "%s%s", m ? " | " : "", map->name);
        if (!map->parameters[0].name) continue;
        text_puts(ctx, &text, "(");
        parameters_print(ctx, &text, map->parameters, chain->maps[m].config);
        text_puts(ctx, &text, ")");
    }
    const char *copy =
        text.failed ? NULL : arena_text(ctx, arena, text.bytes ? text.bytes : "", text.length);
    text_clear(&text);
    return copy;
}

sepal_status mapped_rows_make(struct mapped_rows *out, sepal_ctx *ctx, const sepal_data *data,
                              const char *maps) {
    struct map_chain chain = {0};
    *out = (struct mapped_rows){.maps = ""};
    if (maps && *maps) TRY(pipeline_parse_maps(&chain, ctx, &out->arena, maps));
    TRY(check_rows(ctx, data));
    TRY(data_check_classes(ctx, &out->arena, data, ""));
    TRY(prepare_fit(&out->prepared, ctx, data));
    out->data = data = &out->prepared.rows;
    out->x = &data->matrix;
    if (chain.n == 0) return SEPAL_OK;
    out->maps = canonical(ctx, &out->arena, &chain);
    if (!out->maps) return SEPAL_EMEMORY;
    TRY(map_chain_fit(&chain, &out->made, ctx, &out->arena, &data->matrix, data->weight));
    if (out->made.blocks) out->x = &out->made;
    return check_cancelled(ctx, "mapping the features");
}

void mapped_rows_clear(struct mapped_rows *rows) {
    matrix_clear(&rows->made);
    prepared_clear(&rows->prepared);
    arena_clear(&rows->arena);
}

void sides_of_pair(int8_t *side, const sepal_data *data, size_t first, size_t second) {
    for (size_t i = 0; i < data->matrix.rows; i++)
        side[i] = (int8_t)(((size_t)data->label[i] == second) - ((size_t)data->label[i] == first));
}

void sides_of_rest(int8_t *side, const sepal_data *data, size_t class) {
    for (size_t i = 0; i < data->matrix.rows; i++)
        side[i] = (size_t)data->label[i] == class ? 1 : -1;
}
