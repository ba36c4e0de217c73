/* What is reached by looking at no column: the most frequent class, and the classes' frequencies as
   probabilities, of the rows to learn from. */
#include "selection/compare.h"

#include "core/alloc.h"

#include <math.h>
#include <string.h>

static void judge_baseline(double *accuracy, double *log_loss, const struct comparison *all,
                           const struct split *split, size_t *rows, double *weight) {
    const sepal_data *data = all->data;
    size_t classes = data->schema->n_classes, most = 0;
    size_t n = split_train_rows(rows, split, data->matrix.rows);
    double total = 0, right = 0, loss = 0, judged = 0;
    memset(weight, 0, classes * sizeof *weight);
    for (size_t i = 0; i < n; i++) weight[data->label[rows[i]]] += data_weight(data, rows[i]);
    for (size_t k = 0; k < classes; k++) {
        total += weight[k];
        if (weight[k] > weight[most]) most = k;
    }
    for (size_t i = 0; i < split->n_valid; i++) {
        size_t row = split->valid[i], class = (size_t)data->label[row];
        double w = data_weight(data, row);
        if (w == 0) continue;
        judged += w;
        right += class == most ? w : 0;
        loss -= w * log(weight[class] / total);
    }
    *accuracy = right / judged;
    *log_loss = loss / judged;
}

sepal_status compare_baseline(struct comparison *all) {
    const sepal_data *data = all->data;
    size_t rows = data->matrix.rows, n = all->splits.n, classes = data->schema->n_classes;
    if (data->set_start) return SEPAL_OK;
    size_t *scratch = mem_alloc(all->ctx, rows, sizeof *scratch);
    double *numbers = mem_zero(all->ctx, 2 * n + classes, sizeof *numbers);
    sepal_status status = scratch && numbers ? SEPAL_OK : SEPAL_EMEMORY;
    if (status == SEPAL_OK) {
        double *accuracy = numbers, *loss = numbers + n, *weight = numbers + 2 * n;
        for (size_t s = 0; s < n; s++)
            judge_baseline(&accuracy[s], &loss[s], all, &all->splits.of[s], scratch, weight);
        all->baseline.accuracy = spread_of(accuracy, n);
        all->baseline.log_loss = spread_of(loss, n);
        memset(weight, 0, classes * sizeof *weight);
        for (size_t i = 0; i < rows; i++) weight[data->label[i]] += data_weight(data, i);
        for (size_t k = 0; k < classes; k++)
            if (weight[k] > weight[all->baseline.class]) all->baseline.class = k;
    }
    mem_free(scratch);
    mem_free(numbers);
    return status;
}
