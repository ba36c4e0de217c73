#include "selection/fold_sums.h"

#include "core/alloc.h"
#include "statistics/scatter_parts.h"

/* More folds have so few rows that their sums are most of the work. */
enum { FOLDS_MOST = 64 };

struct fold_sums {
    size_t repeats;
    struct scatter_parts **of; /* of each repeat, fold by fold; then the rows that are in none */
    struct arena arena;
};

/* ---- where they do ------------------------------------------------------------------------ */

enum parts_know fold_sums_know(const struct pipeline *pipeline, const struct fit_options *options,
                               const sepal_data *data) {
    const struct map_chain *chain = &pipeline->chain;
    const struct learner *learner = pipeline->learner;
    bool free = false;
    if (!learner->knows || pipeline->strategy || options->calibrate || options->asked)
        return PARTS_NOTHING;
    if (data->coded || !data->label || data->matrix.sparse) return PARTS_NOTHING;
    enum parts_know know = learner->knows(pipeline->config, &free);
    if (chain->n == 0) return know;
    return free && map_chain_affine_tail(chain) == chain->n ? know : PARTS_NOTHING;
}

bool fold_sums_folds(uint32_t *part, const struct splits *splits, size_t repeat, size_t rows) {
    for (size_t i = 0; i < rows; i++) part[i] = (uint32_t)splits->folds;
    for (size_t s = 0; s < splits->n; s++) {
        const struct split *split = &splits->of[s];
        if (split->repeat != repeat) continue;
        if (split->train || split->fold >= splits->folds) return false;
        for (size_t i = 0; i < split->n_valid; i++) {
            if (part[split->valid[i]] != splits->folds) return false;
            part[split->valid[i]] = (uint32_t)split->fold;
        }
    }
    return true;
}

static sepal_status make_all(struct fold_sums *made, bool *whole, sepal_ctx *ctx,
                             const sepal_data *data, const struct splits *splits,
                             enum parts_know know) {
    size_t rows = data->matrix.rows;
    uint32_t *part = arena_alloc(ctx, &made->arena, rows, sizeof *part);
    made->of = arena_zero(ctx, &made->arena, splits->repeats, sizeof(struct scatter_parts *));
    if (!part || !made->of) return SEPAL_EMEMORY;
    for (size_t r = 0; r < splits->repeats && *whole; r++) {
        *whole = fold_sums_folds(part, splits, r, rows);
        if (!*whole) return SEPAL_OK;
        TRY(scatter_parts_make(&made->of[r], ctx, &made->arena, &data->matrix, data->label,
                               data->weight, data->schema->n_classes, part, splits->folds + 1,
                               know));
        *whole = made->of[r] != NULL;
    }
    return SEPAL_OK;
}

sepal_status fold_sums_make(struct fold_sums **out, sepal_ctx *ctx, const sepal_data *data,
                            const struct splits *splits, enum parts_know know) {
    bool whole = true;
    *out = NULL;
    if (know == PARTS_NOTHING || splits->folds > FOLDS_MOST || splits->folds < 2) return SEPAL_OK;
    struct fold_sums *made = mem_zero(ctx, 1, sizeof *made);
    if (!made) return SEPAL_EMEMORY;
    sepal_status status = make_all(made, &whole, ctx, data, splits, know);
    if (status == SEPAL_OK && whole)
        *out = made;
    else
        fold_sums_free(made);
    return status;
}

void fold_sums_free(struct fold_sums *sums) {
    if (!sums) return;
    arena_clear(&sums->arena);
    mem_free(sums);
}

/* ---- one fit ------------------------------------------------------------------------------ */

sepal_status fold_sums_fit(sepal_model **out, sepal_ctx *ctx, const struct fold_sums *sums,
                           const struct split *split, const char *spec, const sepal_data *train,
                           const char *fit_options) {
    struct scatter_left left = {sums->of[split->repeat], split->fold, LEFT_CLASSES, false};
    size_t warnings = ctx->n_warnings;
    sepal_status status = pipeline_fit_left(out, ctx, spec, train, fit_options, &left);
    if (status == SEPAL_OK || !left.lacking) return status;
    unwarn(ctx, warnings); /* the fit to the rows tells its own */
    *out = NULL;
    return SEPAL_OK;
}
