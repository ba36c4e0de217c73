#include "eval/metric.h"

static sepal_status confusion_make(struct confusion *out, sepal_ctx *ctx, struct arena *arena,
                                   const sepal_data *data, bool abstains) {
    size_t n = data->schema->n_classes + data->n_unseen, width = n + abstains;
    *out = (struct confusion){.labels = n, .width = width};
    out->count = arena_zero(ctx, arena, n * width, sizeof *out->count);
    out->target = arena_zero(ctx, arena, 2 * n, sizeof *out->target);
    out->predicted = arena_zero(ctx, arena, 2 * width, sizeof *out->predicted);
    if (!out->count || !out->target || !out->predicted) return SEPAL_EMEMORY;
    out->target_squares = out->target + n;
    out->predicted_squares = out->predicted + width;
    return SEPAL_OK;
}

sepal_status confusion_of_counts(struct confusion *out, sepal_ctx *ctx, struct arena *arena,
                                 const sepal_data *data, const double *counts) {
    size_t classes = data->schema->n_classes;
    TRY(confusion_make(out, ctx, arena, data, false));
    for (size_t t = 0; t < classes; t++)
        for (size_t k = 0; k < classes; k++) {
            double weight = counts[t * classes + k];
            out->count[t * out->width + k] = weight;
            out->target[t] += weight;
            out->predicted[k] += weight;
            out->total += weight;
            if (t == k) out->right += weight;
        }
    return SEPAL_OK;
}

sepal_status confusion_count(struct confusion *out, sepal_ctx *ctx, struct arena *arena,
                             const sepal_data *data, const int32_t *decided, bool abstains) {
    TRY(confusion_make(out, ctx, arena, data, abstains));
    size_t n = out->labels, width = out->width;
    for (size_t i = 0; i < data->matrix.rows; i++) {
        bool open = decided[i] < 0;
        size_t target = (size_t)data->label[i], predicted = open ? n : (size_t)decided[i];
        double weight = data_weight(data, i), square = weight * weight;
        out->count[target * width + predicted] += weight;
        out->target[target] += weight;
        out->target_squares[target] += square;
        out->predicted[predicted] += weight;
        out->predicted_squares[predicted] += square;
        out->total += weight;
        out->squares += square;
        if (open) out->undecided += weight;
        if (target == predicted) out->right += weight;
    }
    return SEPAL_OK;
}
