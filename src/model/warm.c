#include "model/warm.h"

#include <string.h>

static sepal_status refuse_column(sepal_ctx *ctx, const struct text *theirs,
                                  const struct text *ours, size_t j) {
    return fail(
        ctx, SEPAL_EMODEL,
        "its column %zu is '%.60s', and that of the data '%.60s'; start from a model of the "
        "same columns in the same order, or leave --warm out",
        j + 1, theirs->bytes ? theirs->bytes : "", ours->bytes ? ours->bytes : "");
}

/* Columns of LIBSVM files have no names, only numbers. */
static sepal_status check_columns(sepal_ctx *ctx, const struct schema *theirs,
                                  const struct schema *ours) {
    if (theirs->width != ours->width)
        return fail(ctx, SEPAL_EMODEL,
                    "it has %zu columns, and the data %zu; start from a model of the same columns, "
                    "or leave --warm out",
                    theirs->width, ours->width);
    size_t named = ours->width;
    if (theirs->family == FAMILY_INDEXED && ours->family == FAMILY_INDEXED) named = 1;
    sepal_status status = SEPAL_OK;
    for (size_t j = 0; j < named && status == SEPAL_OK; j++) {
        struct text a = {0}, b = {0};
        schema_column_name(ctx, &a, theirs, j);
        schema_column_name(ctx, &b, ours, j);
        if (a.failed || b.failed)
            status = SEPAL_EMEMORY;
        else if (strcmp(a.bytes, b.bytes) != 0)
            status = refuse_column(ctx, &a, &b, j);
        text_clear(&a);
        text_clear(&b);
    }
    return status;
}

static sepal_status check_classes(sepal_ctx *ctx, const struct schema *theirs,
                                  const struct schema *ours) {
    if (theirs->n_classes != ours->n_classes)
        return fail(ctx, SEPAL_EMODEL,
                    "it tells %zu classes apart, and the data has %zu; leave --warm out",
                    theirs->n_classes, ours->n_classes);
    for (size_t k = 0; k < ours->n_classes; k++)
        if (strcmp(theirs->classes[k], ours->classes[k]) != 0)
            return fail(ctx, SEPAL_EMODEL,
                        "its class %zu is '%.60s', and that of the data '%.60s'; leave --warm out",
                        k + 1, theirs->classes[k], ours->classes[k]);
    return SEPAL_OK;
}

static sepal_status print_maps(sepal_ctx *ctx, struct text *out, const struct basis *basis) {
    for (size_t m = 0; m < basis->n; m++) {
        const struct fitted_map *map = &basis->maps[m];
        text_printf(ctx, out, "%s%s(", m ? " | " : "", map->map->name);
        if (map->map->knobs) knobs_print(ctx, out, map->map->knobs, map->config);
        text_puts(ctx, out, ")");
    }
    if (basis->n == 0) text_puts(ctx, out, "none");
    return out->failed ? SEPAL_EMEMORY : SEPAL_OK;
}

static sepal_status check_maps(sepal_ctx *ctx, const struct basis *theirs,
                               const struct basis *ours) {
    struct text a = {0}, b = {0};
    sepal_status status = print_maps(ctx, &a, theirs);
    if (status == SEPAL_OK) status = print_maps(ctx, &b, ours);
    if (status == SEPAL_OK && strcmp(a.bytes, b.bytes) != 0)
        status = fail(ctx, SEPAL_EMODEL,
                      "its maps are: %.120s, and those of the spec: %.120s; its weights mean "
                      "nothing for other maps; leave --warm out",
                      a.bytes, b.bytes);
    text_clear(&a);
    text_clear(&b);
    return status;
}

static sepal_status check_weights(sepal_ctx *ctx, const sepal_model *model,
                                  const struct pipeline *pipeline) {
    const struct linear *linear = &model->linear;
    if (density_is_quadratic(linear->density) || linear->bits)
        return fail(ctx, SEPAL_EMODEL,
                    "it is a model of %s, whose scores are no linear functions of the columns; "
                    "leave --warm out",
                    model->learner);
    enum decode decode = linear->classes == 2 ? DECODE_SIGN : pipeline_reduction(pipeline)->decode;
    if (linear->decode != decode)
        return fail(ctx, SEPAL_EMODEL,
                    "it tells %zu classes apart by another reduction (%.200s), and its rows of "
                    "weights are no start for %s; leave --warm out",
                    linear->classes, model->spec, pipeline_reduction(pipeline)->name);
    return SEPAL_OK;
}

static sepal_status check(sepal_ctx *ctx, const sepal_model *model, const struct pipeline *pipeline,
                          const struct schema *schema) {
    TRY(check_classes(ctx, model->schema, schema));
    TRY(check_columns(ctx, model->schema, schema));
    TRY(check_maps(ctx, &model->basis, &pipeline->basis));
    return check_weights(ctx, model, pipeline);
}

sepal_status warm_load(sepal_model **out, sepal_ctx *ctx, const char *path,
                       const struct pipeline *pipeline, const struct schema *schema) {
    TRY(model_load(out, ctx, path));
    sepal_status status = check(ctx, *out, pipeline, schema);
    if (status == SEPAL_OK) return SEPAL_OK;
    if (status == SEPAL_EMODEL) fail_place(ctx, path, 0, 0);
    model_free(*out);
    *out = NULL;
    return status;
}
