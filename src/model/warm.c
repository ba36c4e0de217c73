#include "model/warm.h"

#include "core/alloc.h"

#include <math.h>
#include <string.h>

static sepal_status warm_refuse_column(sepal_ctx *ctx, const char *theirs, const char *ours,
                                       size_t j) {
    return fail(
        ctx, SEPAL_EMODEL,
        "its column %zu is '%.60s', and that of the data '%.60s'; start from a model of the "
        "same columns in the same order, or leave " OPTION "warm out",
        j + 1, theirs, ours);
}

/* Columns of LIBSVM files have no names, only numbers. */
static sepal_status check_columns(sepal_ctx *ctx, const struct schema *theirs,
                                  const struct schema *ours) {
    if (theirs->width != ours->width)
        return fail(ctx, SEPAL_EMODEL,
                    "it has %zu columns, and the data %zu; start from a model of the same columns, "
                    "or leave " OPTION "warm out",
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
            status = warm_refuse_column(ctx, a.bytes, b.bytes, j);
        text_clear(&a);
        text_clear(&b);
    }
    return status;
}

static sepal_status warm_check_classes(sepal_ctx *ctx, const struct schema *theirs,
                                       const struct schema *ours) {
    if (theirs->n_classes != ours->n_classes)
        return fail(ctx, SEPAL_EMODEL,
                    "it tells %zu classes apart, and the data has %zu; leave " OPTION "warm out",
                    theirs->n_classes, ours->n_classes);
    for (size_t k = 0; k < ours->n_classes; k++)
        if (strcmp(theirs->classes[k], ours->classes[k]) != 0)
            return fail(ctx, SEPAL_EMODEL,
                        "its class %zu is '%.60s', and that of the data '%.60s'; leave " OPTION
                        "warm out",
                        k + 1, theirs->classes[k], ours->classes[k]);
    return SEPAL_OK;
}

static sepal_status print_maps(sepal_ctx *ctx, struct text *out, const struct map_chain *chain) {
    for (size_t m = 0; m < chain->n; m++) {
        const struct fitted_map *map = &chain->maps[m];
        text_printf(ctx, out, "%s%s(", m ? " | " : "", map->map->name);
        parameters_print(ctx, out, map->map->parameters, map->config);
        text_puts(ctx, out, ")");
    }
    if (chain->n == 0) text_puts(ctx, out, "none");
    return out->failed ? SEPAL_EMEMORY : SEPAL_OK;
}

static sepal_status warm_check_maps(sepal_ctx *ctx, const struct map_chain *theirs,
                                    const struct map_chain *ours) {
    struct text a = {0}, b = {0};
    sepal_status status = print_maps(ctx, &a, theirs);
    if (status == SEPAL_OK) status = print_maps(ctx, &b, ours);
    if (status == SEPAL_OK && strcmp(a.bytes, b.bytes) != 0)
        status = fail(ctx, SEPAL_EMODEL,
                      "its maps are: %.120s, and those of the spec: %.120s; its weights mean "
                      "nothing for other maps; leave " OPTION "warm out",
                      a.bytes, b.bytes);
    text_clear(&a);
    text_clear(&b);
    return status;
}

static sepal_status warm_check_weights(sepal_ctx *ctx, const sepal_model *model,
                                       const struct pipeline *pipeline) {
    const struct linear *linear = &model->linear;
    if (density_is_quadratic(linear->density) || linear->bits)
        return fail(ctx, SEPAL_EMODEL,
                    "it is a model of %s, whose scores are no linear functions of the columns; "
                    "leave " OPTION "warm out",
                    model->learner);
    if (linear->strategy != pipeline_decoder(pipeline, linear->classes))
        return fail(ctx, SEPAL_EMODEL,
                    "it tells %zu classes apart by another strategy (%.200s), and its rows of "
                    "weights are no start for %s; leave " OPTION "warm out",
                    linear->classes, model->spec,
                    pipeline_decoder(pipeline, linear->classes)->name);
    return SEPAL_OK;
}

sepal_status warm_check(sepal_ctx *ctx, const sepal_model *model, const struct pipeline *pipeline,
                        const struct schema *schema) {
    TRY(warm_check_classes(ctx, model->schema, schema));
    TRY(check_columns(ctx, model->schema, schema));
    TRY(warm_check_maps(ctx, &model->chain, &pipeline->chain));
    return warm_check_weights(ctx, model, pipeline);
}

sepal_status warm_load(sepal_model **out, sepal_ctx *ctx, const char *path,
                       const struct pipeline *pipeline, const struct schema *schema) {
    TRY(model_load(out, ctx, path));
    sepal_status status = warm_check(ctx, *out, pipeline, schema);
    if (status == SEPAL_OK) return SEPAL_OK;
    if (status == SEPAL_EMODEL) fail_place(ctx, path, 0, 0);
    model_free(*out);
    *out = NULL;
    return status;
}

/* ---- in the units of other rows ------------------------------------------------------------- */

static bool learnt_the_same(const struct fitted_map *a, const struct fitted_map *b) {
    /* never: the same parameters and columns, which check() has seen, make the same shapes */
    if (a->out != b->out || a->shape[0] != b->shape[0] || a->shape[1] != b->shape[1]) return false;
    for (size_t i = 0; i < a->shape[0] * a->shape[1]; i++)
        if (a->numbers[i] != b->numbers[i]) return false;
    return true;
}

/* Of the maps before the column-by-column ones at the end: weights are of what they make. */
static sepal_status check_numbers(sepal_ctx *ctx, const struct map_chain *theirs,
                                  const struct map_chain *ours) {
    for (size_t m = 0; m < ours->n - map_chain_affine_tail(ours); m++)
        if (!learnt_the_same(&theirs->maps[m], &ours->maps[m]))
            return fail(ctx, SEPAL_EMODEL,
                        "its map %s has learnt other numbers than that of these rows, so its "
                        "weights are those of other features; start from a model of the same rows "
                        "and " OPTION "seed, or leave " OPTION "warm out",
                        ours->maps[m].map->name);
    return SEPAL_OK;
}

/* The score b + sum w_j (phi_j - c_j) with phi_j = (z_j - shift) / divisor, as a function of
   phi'_j = (z_j - shift') / divisor'. Where both are the same nothing is rounded. */
static sepal_status warm_change_units(struct linear *out, sepal_ctx *ctx, struct arena *arena,
                                      const struct map_chain *theirs,
                                      const struct map_chain *ours) {
    const struct linear from = *out;
    size_t cols = from.cols;
    out->w = arena_alloc(ctx, arena, from.rows, cols * sizeof *out->w);
    out->centre = arena_alloc(ctx, arena, cols, sizeof *out->centre);
    if (!out->w || !out->centre) return SEPAL_EMEMORY;
    for (size_t j = 0; j < cols; j++) {
        double shift[2], divisor[2], factor = 1;
        map_chain_fold(theirs, j, &shift[0], &divisor[0]);
        map_chain_fold(ours, j, &shift[1], &divisor[1]);
        out->centre[j] = from.centre ? from.centre[j] : 0;
        if (shift[0] != shift[1] || divisor[0] != divisor[1]) {
            factor = divisor[1] / divisor[0];
            out->centre[j] = (shift[0] - shift[1] + divisor[0] * out->centre[j]) / divisor[1];
        }
        for (size_t r = 0; r < from.rows; r++) out->w[r * cols + j] = from.w[r * cols + j] * factor;
    }
    return SEPAL_OK;
}

static bool warm_is_finite(const struct linear *linear) {
    bool finite = true;
    for (size_t i = 0; i < linear->rows * linear->cols; i++)
        finite = finite && isfinite(linear->w[i]);
    for (size_t j = 0; linear->centre && j < linear->cols; j++)
        finite = finite && isfinite(linear->centre[j]);
    for (size_t r = 0; r < linear->rows; r++) finite = finite && isfinite(linear_bias(linear, r));
    return finite;
}

static sepal_status warm_check_scores(sepal_ctx *ctx, const struct linear *linear,
                                      const struct matrix *x) {
    sepal_status status = SEPAL_EDATA;
    if (warm_is_finite(linear)) {
        int32_t *classes = mem_alloc(ctx, x->rows, sizeof *classes);
        status = classes ? linear_predict(classes, ctx, linear, x) : SEPAL_EMEMORY;
        mem_free(classes);
    }
    if (status != SEPAL_EDATA) return status;
    return fail(ctx, SEPAL_EMODEL,
                "its weights are too large to start from: the scores of these rows by them are "
                "beyond the range of a double; leave " OPTION "warm out");
}

sepal_status warm_fold(struct linear *out, sepal_ctx *ctx, struct arena *arena,
                       const sepal_model *model, const struct map_chain *chain,
                       const struct matrix *x) {
    const struct map_chain *theirs = &model->chain;
    bool same = true;
    TRY(check_numbers(ctx, theirs, chain));
    for (size_t m = 0; m < chain->n; m++)
        same = same && learnt_the_same(&theirs->maps[m], &chain->maps[m]);
    *out = model->linear;
    if (!same) TRY(warm_change_units(out, ctx, arena, theirs, chain));
    return warm_check_scores(ctx, out, x);
}
