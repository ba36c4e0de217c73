#include "model/model.h"

#include "core/alloc.h"

sepal_model *model_new(sepal_ctx *ctx) {
    return mem_zero(ctx, 1, sizeof(sepal_model));
}

void model_free(sepal_model *model) {
    if (!model) return;
    linear_clear(&model->linear);
    schema_release(model->schema);
    arena_clear(&model->arena);
    mem_free(model);
}
