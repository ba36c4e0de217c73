#include "model/sample.h"

#include "core/alloc.h"
#include "core/parallel.h"
#include "core/rng.h"
#include "core/spec.h"
#include "data/entries.h"
#include "learners/learner.h"
#include "linear/density_sample.h"

#include <math.h>
#include <string.h>

enum { USUAL_LENGTH = 100, BLOCKS_AT_ONCE = 64 };

#define AT(field) offsetof(struct sample_options, field)
const struct parameter sample_option_table[] = {
    {"class", PARAMETER_TEXT, AT(class), NULL, "",
     "draw rows of this class only; unless given, of all of them, with their priors"},
    {"length", PARAMETER_COUNT, AT(length), "0", "[0, 1e7]",
     "what the counts of a row add up to (naive-bayes of kind multinomial); 0: 100"},
    {0},
};

struct sampling {
    const sepal_model *model;
    const struct sampler *sampler;
    sepal_data *data;
    int32_t class;      /* -1: by the priors */
    size_t first_block; /* of those that are drawn at the moment */
    atomic_size_t nonzeros;
};

/* ---- what can be drawn from ----------------------------------------------------------------- */

static sepal_status check_density(sepal_ctx *ctx, const sepal_model *model) {
    const struct density *density = model->linear.density;
    const char *learner = model->learner, *advice = learner_find(learner)->no_density;
    if (density && density->forms == model->linear.classes) return SEPAL_OK;
    if (density)
        return fail(ctx, SEPAL_EMODEL,
                    "the densities of this model are those of its two-class problems, not of the "
                    "classes; train %s without the strategy",
                    learner);
    return fail(ctx, SEPAL_EMODEL, "this %s model has no density to draw rows from; %s", learner,
                advice ? advice : "gaussian and naive-bayes keep one");
}

static sepal_status sample_check_maps(sepal_ctx *ctx, const struct map_chain *chain) {
    for (size_t i = 0; i < chain->n; i++)
        if (!chain->maps[i].map->affine)
            return fail(ctx, SEPAL_EMODEL,
                        "the model draws features as its map %s makes them, which cannot be turned "
                        "back into rows of the data; train without that map (standardize and "
                        "minmax may stay)",
                        chain->maps[i].map->name);
    return SEPAL_OK;
}

static sepal_status find_class(int32_t *out, sepal_ctx *ctx, const struct schema *schema,
                               const char *label) {
    *out = label ? schema_class_of(schema, (struct slice){label, strlen(label)}) : -1;
    if (!label || *out >= 0) return SEPAL_OK;
    char shown[TEXT_SHOWN_BYTES];
    const char *near = text_suggest(label, schema->classes, schema->n_classes);
    return fail(ctx, SEPAL_EUSAGE,
                "the model has no class '%s'%s%s%s (its %zu classes are %s ... %s)",
                text_shown(shown, label, strlen(label)), near ? "; did you mean '" : "",
                near ? near : "", near ? "'?" : "", schema->n_classes, schema->classes[0],
                schema->classes[schema->n_classes - 1]);
}

static sepal_status read_options(struct sample_options *out, int32_t *class, sepal_ctx *ctx,
                                 struct arena *arena, const sepal_model *model, const char *text) {
    TRY(check_density(ctx, model));
    TRY(sample_check_maps(ctx, &model->chain));
    TRY(parameters_parse(out, ctx, arena, sample_option_table, "a sample", text));
    TRY(find_class(class, ctx, model->schema, out->class));
    if (out->length && model->linear.density->kind != DENSITY_MULTINOMIAL)
        return fail(ctx, SEPAL_EUSAGE,
                    "a length is for rows of counts (naive-bayes of kind multinomial), and this "
                    "model's rows are not; leave it out");
    if (!out->length) out->length = USUAL_LENGTH;
    return SEPAL_OK;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static int32_t draw_class(const struct linear *linear, uint64_t seed, size_t row) {
    enum { CLASS_STREAM = 0x636c6173 };
    double u = rng_unit_at(seed, CLASS_STREAM, row), sum = 0;
    size_t k = 0;
    for (; k + 1 < linear->classes; k++) {
        sum += linear->priors[k];
        if (u < sum) break;
    }
    return (int32_t)k;
}

/* A row in the units of the data. */
static sepal_status draw_row(double *out, sepal_ctx *ctx, const struct sampling *all, size_t row) {
    const struct linear *linear = &all->model->linear;
    const struct map_chain *chain = &all->model->chain;
    int32_t class = all->class >= 0 ? all->class : draw_class(linear, ctx->root->seed, row);
    all->data->label[row] = class;
    sampler_row(out, all->sampler, ctx->kernels, ctx->root->seed, row, (size_t) class);
    for (size_t j = 0; j < linear->cols; j++) {
        double shift, divisor;
        if (chain->n) {
            map_chain_fold(chain, j, &shift, &divisor);
            out[j] = out[j] * divisor + shift;
        }
        if (!isfinite(out[j]))
            return fail(ctx, SEPAL_EMODEL,
                        "a number drawn for matrix column %zu is beyond the range of a double",
                        j + 1);
    }
    return SEPAL_OK;
}

static sepal_status draw_sparse(struct entries *entries, double *row, sepal_ctx *ctx,
                                const struct sampling *all, struct block *block) {
    TRY(entries_init(entries, ctx, block->rows));
    for (size_t i = 0; i < block->rows; i++) {
        TRY(draw_row(row, ctx, all, block->first_row + i)); /* never: fails, counts are finite */
        for (size_t j = 0; j < all->model->linear.cols; j++)
            if (row[j] != 0) TRY(entries_push(entries, ctx, j, row[j]));
        entries->start[i + 1] = entries->n;
    }
    return entries_to_block(entries, ctx, block);
}

static sepal_status draw_dense(double *row, sepal_ctx *ctx, struct sampling *all,
                               struct block *block) {
    size_t cols = all->model->linear.cols, nonzeros = 0;
    block->values = VALUES_F64;
    TRY(block_alloc(ctx, block, cols, 0));
    for (size_t i = 0; i < block->rows; i++) {
        TRY(draw_row(row, ctx, all, block->first_row + i));
        nonzeros += block_store_row(block, i, row, cols);
    }
    atomic_fetch_add(&all->nonzeros, nonzeros);
    return SEPAL_OK;
}

static sepal_status draw_block(sepal_ctx *ctx, size_t b, void *payload) {
    struct sampling *all = payload;
    struct block *block = &all->data->matrix.blocks[all->first_block + b];
    struct entries entries = {0};
    double *row = mem_alloc(ctx, all->model->linear.cols, sizeof *row);
    if (!row) return SEPAL_EMEMORY;
    sepal_status status = block->sparse ? draw_sparse(&entries, row, ctx, all, block)
                                        : draw_dense(row, ctx, all, block);
    atomic_fetch_add(&all->nonzeros, entries.n);
    entries_clear(&entries);
    mem_free(row);
    return status;
}

/* Counts and bits are mostly 0, unless a map moves them. */
static sepal_status draw_rows(struct sampling *all, sepal_ctx *ctx, size_t n) {
    const sepal_model *model = all->model;
    sepal_data *data = all->data;
    data->schema = schema_retain(model->schema);
    data->total_weight = (double)n;
    data->label = mem_alloc(ctx, n, sizeof *data->label);
    if (!data->label) return SEPAL_EMEMORY;
    TRY(matrix_init(&data->matrix, ctx, n, model->linear.cols,
                    all->sampler->chance && model->chain.n == 0));
    atomic_init(&all->nonzeros, 0);
    for (size_t left = data->matrix.n_blocks; left > 0;
         left = data->matrix.n_blocks - all->first_block) {
        size_t some = left < BLOCKS_AT_ONCE ? left : BLOCKS_AT_ONCE;
        TRY(check_cancelled(ctx, "drawing rows"));
        TRY(parallel_for(ctx, some, draw_block, all));
        all->first_block += some;
    }
    data->matrix.nonzeros = atomic_load(&all->nonzeros);
    return SEPAL_OK;
}

static sepal_status sample(sepal_data **out, sepal_ctx *ctx, struct arena *arena,
                           const sepal_model *model, size_t n, const char *text) {
    struct sampling all = {.model = model};
    struct sample_options options;
    struct sampler sampler;
    TRY(read_options(&options, &all.class, ctx, arena, model, text));
    if (n == 0) return fail(ctx, SEPAL_EUSAGE, "no rows are to be drawn; ask for at least one");
    TRY(sampler_init(&sampler, ctx, model->linear.density, model->linear.centre, options.length));
    all.sampler = &sampler;
    all.data = data_new(ctx);
    sepal_status status = all.data ? draw_rows(&all, ctx, n) : SEPAL_EMEMORY;
    sampler_clear(&sampler);
    if (status == SEPAL_OK)
        *out = all.data;
    else
        data_free(all.data);
    return status;
}

sepal_status model_sample(sepal_data **out, sepal_ctx *ctx, const sepal_model *model, size_t n,
                          const char *options) {
    struct arena arena = {0};
    *out = NULL;
    sepal_status status = sample(out, ctx, &arena, model, n, options);
    arena_clear(&arena);
    return status;
}
