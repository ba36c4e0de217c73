#include "selection/folds.h"

#include "core/alloc.h"
#include "core/rng.h"

static sepal_status folds_check(sepal_ctx *ctx, const sepal_data *data, const size_t *count,
                                size_t folds) {
    size_t rows = data->matrix.rows, fewest = 0;
    if (rows > UINT32_MAX) return fail(ctx, SEPAL_EDATA, "too many rows for folds");
    if (folds > rows)
        return fail(ctx, SEPAL_EUSAGE,
                    "%zu folds are more than the %zu rows; give " OPTION
                    "folds a number from 2 to %zu",
                    folds, rows, rows);
    for (size_t k = 0; data->label && k < data->schema->n_classes; k++) {
        if (count[k] < count[fewest]) fewest = k;
        if (count[k] == 1)
            return fail(
                ctx, SEPAL_EDATA,
                "class '%s' has a single row, and while a fold holds it out nothing is left "
                "to learn the class from; leave that row out, or add rows",
                data->schema->classes[k]);
    }
    if (data->label && count[fewest] < folds)
        warn(ctx, "few-rows",
             "class '%s' has %zu rows, fewer than the %zu folds: some folds are judged without it",
             data->schema->classes[fewest], count[fewest], folds);
    return SEPAL_OK;
}

struct dealing {
    size_t folds, repeat;
};

/* Class by class. `next` is whose turn it is. */
static void folds_deal(uint32_t *fold, const sepal_ctx *ctx, const sepal_data *data, size_t class,
                       uint32_t *rows, const struct dealing *deal, size_t *next) {
    enum { FOLDS_STREAM = 0x666f6c64 };
    size_t n = 0, folds = deal->folds;
    for (size_t i = 0; i < data->matrix.rows; i++)
        if (!data->label || (size_t)data->label[i] == class) rows[n++] = (uint32_t)i;
    struct rng rng = rng_make(ctx->seed, FOLDS_STREAM + class + ((uint64_t)deal->repeat << 32));
    rng_shuffle(&rng, rows, n);
    for (size_t i = 0; i < n; i++) fold[rows[i]] = (uint32_t)((*next)++ % folds);
}

sepal_status folds_make(uint32_t *fold, sepal_ctx *ctx, const sepal_data *data, size_t folds,
                        size_t repeat) {
    size_t classes = data->label ? data->schema->n_classes : 1, next = 0;
    const struct dealing deal = {folds, repeat};
    uint32_t *rows = mem_alloc(ctx, data->matrix.rows, sizeof *rows);
    size_t *count = mem_zero(ctx, classes, sizeof *count);
    sepal_status status = rows && count ? SEPAL_OK : SEPAL_EMEMORY;
    for (size_t i = 0; i < data->matrix.rows && status == SEPAL_OK; i++)
        count[data->label ? data->label[i] : 0]++;
    if (status == SEPAL_OK && repeat == 0) status = folds_check(ctx, data, count, folds);
    for (size_t k = 0; k < classes && status == SEPAL_OK; k++)
        folds_deal(fold, ctx, data, k, rows, &deal, &next);
    mem_free(rows);
    mem_free(count);
    return status;
}

sepal_status folds_select(sepal_data **out, sepal_ctx *ctx, const sepal_data *data,
                          const uint32_t *fold, size_t which, bool inside) {
    size_t n = 0, *rows = mem_alloc(ctx, data->matrix.rows, sizeof *rows);
    *out = NULL;
    if (!rows) return SEPAL_EMEMORY;
    for (size_t i = 0; i < data->matrix.rows; i++)
        if ((fold[i] == which) == inside) rows[n++] = i;
    sepal_status status = data_select(out, ctx, data, rows, n);
    mem_free(rows);
    return status;
}
