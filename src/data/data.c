#include "data/data.h"

#include "core/alloc.h"
#include "data/class_counts.h"

#include <math.h>

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
    mem_free(data->group);
    mem_free(data->undecided);
    mem_free(data);
}

sepal_status data_check_classes(sepal_ctx *ctx, struct arena *arena, const sepal_data *data,
                                const char *purpose) {
    size_t classes = data->schema->n_classes;
    size_t *count = arena_alloc(ctx, arena, classes, sizeof *count);
    if (!count) return SEPAL_EMEMORY;
    class_counts(count, data->label, data->matrix.rows, classes);
    for (size_t k = 0; k < classes; k++)
        if (count[k] == 0)
            return fail(ctx, SEPAL_EDATA, "no row of class '%s' is left%s",
                        data->schema->classes[k], purpose);
    return SEPAL_OK;
}

sepal_status data_as_sets(sepal_data *out, sepal_ctx *ctx, struct arena *arena,
                          const sepal_data *data) {
    size_t rows = data->matrix.rows;
    *out = *data;
    if (data->set_start || !data->label) return SEPAL_OK;
    out->set_start = arena_alloc(ctx, arena, rows + 1, sizeof *out->set_start);
    if (!out->set_start) return SEPAL_EMEMORY;
    for (size_t i = 0; i <= rows; i++) out->set_start[i] = i;
    out->set = data->label;
    out->label = NULL;
    return SEPAL_OK;
}

sepal_status data_set_total_weight(sepal_data *data, sepal_ctx *ctx, double total) {
    data->total_weight = total;
    if (isfinite(total)) return SEPAL_OK;
    return fail(ctx, SEPAL_EDATA,
                "the weights add up to more than a double holds; scale them down");
}
