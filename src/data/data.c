#include "data/data.h"

#include "core/alloc.h"

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
    mem_free(data->number);
    mem_free(data->weight);
    mem_free(data->undecided);
    mem_free(data);
}
