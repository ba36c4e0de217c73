#include "model/label_counts.h"

#include <string.h>

/* One row: `own` marks its labels. */
static void count_row(struct label_counts *out, const int8_t *predicted, size_t known,
                      const bool *own, double weight) {
    bool exact = known == 0 || predicted[0] >= 0;
    for (size_t k = 0; k < out->labels; k++) {
        bool called = k < known && predicted[k] > 0;
        double *cell = own[k] ? (called ? out->tp : out->fn) : (called ? out->fp : out->tn);
        cell[k] += weight;
        if (called != own[k]) {
            out->wrong += weight;
            exact = false;
        }
        if (called) out->called += weight;
        if (own[k]) out->actual += weight;
    }
    *(exact ? &out->exact : &out->errors) += weight;
    if (known && predicted[0] < 0) out->undecided += weight;
    out->total += weight;
}

sepal_status label_counts_make(struct label_counts *out, sepal_ctx *ctx, struct arena *arena,
                               const sepal_data *data, const int8_t *predicted) {
    size_t known = data->schema->n_classes, n = known + data->n_unseen;
    *out = (struct label_counts){.labels = n};
    out->tp = arena_zero(ctx, arena, 4 * n, sizeof *out->tp);
    bool *own = arena_zero(ctx, arena, n, sizeof *own);
    if (!out->tp || !own) return SEPAL_EMEMORY;
    out->fp = out->tp + n;
    out->fn = out->fp + n;
    out->tn = out->fn + n;
    for (size_t i = 0; i < data->matrix.rows; i++) {
        for (size_t s = data->set_start[i]; s < data->set_start[i + 1]; s++)
            own[data->set[s]] = true;
        count_row(out, predicted + i * known, known, own, data_weight(data, i));
        for (size_t s = data->set_start[i]; s < data->set_start[i + 1]; s++)
            own[data->set[s]] = false;
    }
    return SEPAL_OK;
}

static double f1_of(double tp, double errors) {
    return tp > 0 ? 2 * tp / (2 * tp + errors) : 0;
}

double label_counts_micro_f1(const struct label_counts *counts) {
    double tp = 0;
    for (size_t k = 0; k < counts->labels; k++) tp += counts->tp[k];
    return f1_of(tp, counts->wrong);
}

double label_counts_macro_f1(const struct label_counts *counts) {
    double sum = 0;
    for (size_t k = 0; k < counts->labels; k++)
        sum += f1_of(counts->tp[k], counts->fp[k] + counts->fn[k]);
    return sum / (double)counts->labels;
}

double label_counts_hamming_loss(const struct label_counts *counts) {
    return counts->wrong / (counts->total * (double)counts->labels);
}

/* ---- a fit -------------------------------------------------------------------------------- */

sepal_status label_sets_train(struct tree_maker *make, struct tree *report, sepal_ctx *ctx,
                              const sepal_model *model, const sepal_data *data,
                              const struct decision_rule *rule) {
    size_t rows = data->matrix.rows;
    struct arena arena = {0};
    struct label_counts counts;
    struct predictions predictions = {.n = rows};
    predictions.labels =
        arena_alloc(ctx, &arena, rows, model->linear.classes * sizeof *predictions.labels);
    sepal_status status = predictions.labels ? SEPAL_OK : SEPAL_EMEMORY;
    if (status == SEPAL_OK) status = model_predict(&predictions, ctx, model, data, rule);
    if (status == SEPAL_OK)
        status = label_counts_make(&counts, ctx, &arena, data, predictions.labels);
    if (status == SEPAL_OK) {
        tree_bool(make, report, "label_sets", true);
        struct tree *train = tree_object(make, report, "train");
        tree_number(make, train, "accuracy", counts.exact / counts.total);
        tree_number(make, train, "errors", counts.errors);
        tree_number(make, train, "subset_accuracy", counts.exact / counts.total);
        tree_number(make, train, "hamming_loss", label_counts_hamming_loss(&counts));
        tree_number(make, train, "micro_f1", label_counts_micro_f1(&counts));
        tree_number(make, train, "macro_f1", label_counts_macro_f1(&counts));
        tree_number(make, train, "cardinality", counts.actual / counts.total);
    }
    arena_clear(&arena);
    return status;
}
