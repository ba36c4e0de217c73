#include "model/model.h"

#include "core/alloc.h"
#include "linear/calibration.h"
#include "model/model_file.h"

sepal_model *model_new(sepal_ctx *ctx) {
    return mem_zero(ctx, 1, sizeof(sepal_model));
}

sepal_status model_finish(sepal_model *model, sepal_ctx *ctx) {
    const struct linear *linear = &model->linear;
    const double *offset = map_chain_affine_offset(&model->chain);
    model->kernels = ctx->kernels;
    model->blas = ctx->blas;
    model->row_bias = arena_alloc(ctx, &model->arena, linear->rows, sizeof *model->row_bias);
    if (!model->row_bias) return SEPAL_EMEMORY;
    for (size_t r = 0; r < linear->rows; r++) {
        model->row_bias[r] = linear_bias(linear, r);
        if (offset && map_chain_affine_tail(&model->chain) == model->chain.n)
            model->row_bias[r] -=
                ctx->kernels->dot_f64(offset, linear->w + r * linear->cols, linear->cols);
    }
    return SEPAL_OK;
}

void model_free(sepal_model *model) {
    if (!model) return;
    linear_clear(&model->linear);
    schema_release(model->schema);
    arena_clear(&model->arena);
    mem_free(model);
}

const char *const ambiguous_names[AMBIGUITIES] = {"confidence", "undecided"};

bool kept_rule_is_default(const struct kept_rule *kept_rule) {
    return kept_rule->decide == 0 && kept_rule->ambiguous == AMBIGUOUS_CONFIDENCE &&
           !kept_rule->cutoff;
}

static void density_numbers(struct tensor_numbers out[MODEL_TENSORS],
                            const struct density *density) {
    size_t forms = density->forms, cols = density->cols;
    size_t root = density_root_size(density->kind, forms, cols);
    size_t width = density->kind == DENSITY_SPHERICAL ? 1 : cols;
    out[TENSOR_MEAN] = (struct tensor_numbers){density->mean, forms, cols};
    out[TENSOR_CONSTANT] = (struct tensor_numbers){density->constant, 1, forms};
    if (root) out[TENSOR_ROOT] = (struct tensor_numbers){density->root, root / width, width};
}

void model_numbers(struct tensor_numbers out[MODEL_TENSORS], const sepal_model *model) {
    const struct linear *linear = &model->linear;
    for (int i = 0; i < MODEL_TENSORS; i++) out[i] = (struct tensor_numbers){0};
    out[TENSOR_WEIGHTS] = (struct tensor_numbers){linear->w, linear->rows, linear->cols};
    out[TENSOR_BIAS] = (struct tensor_numbers){linear->b, 1, linear->rows};
    out[TENSOR_CENTRE] = (struct tensor_numbers){linear->centre, 1, linear->cols};
    out[TENSOR_PRIORS] = (struct tensor_numbers){linear->priors, 1, linear->classes};
    out[TENSOR_AXES] = (struct tensor_numbers){linear->axes, linear->n_axes, linear->cols};
    if (linear->density) density_numbers(out, linear->density);
    const struct calibration *calibration = linear->calibration;
    if (calibration)
        out[TENSOR_CALIBRATION] =
            (struct tensor_numbers){calibration->numbers, calibration->rows, calibration->cols};
    out[TENSOR_CUTOFF] = (struct tensor_numbers){model->kept_rule.cutoff, 1, 1};
    if (linear->summary && linear->summary->estimate)
        out[TENSOR_SUMMARY] = (struct tensor_numbers){
            linear->summary->estimate, 2 * linear->summary->functions, linear->summary->terms};
    if (linear->bootstrap)
        out[TENSOR_BOOTSTRAP] = (struct tensor_numbers){
            linear->bootstrap->count, 4 * linear->bootstrap->functions, linear->bootstrap->terms};
    for (size_t m = 0; m < model->chain.n; m++) {
        const struct fitted_map *map = &model->chain.maps[m];
        out[TENSOR_MAPS + m] = (struct tensor_numbers){map->numbers, map->shape[0], map->shape[1]};
    }
}
