#include "data/class_counts.h"

#include <string.h>

enum { TABLES = 4, FEW = 64, ROUND = 1 << 30 };

static void count_two(size_t *count, const int32_t *label, size_t n) {
    uint32_t high = 0;
    for (size_t i = 0; i < n; i++) high += (uint32_t)label[i];
    count[0] += n - high;
    count[1] += high;
}

/* Four counts side by side: where one label follows another of its own, an addition need not wait. */
static void count_few(size_t *count, const int32_t *label, size_t n, size_t classes) {
    uint32_t table[TABLES][FEW];
    size_t i = 0;
    for (size_t t = 0; t < TABLES; t++) memset(table[t], 0, classes * sizeof **table);
    for (; n - i >= TABLES; i += TABLES)
        for (size_t t = 0; t < TABLES; t++) table[t][label[i + t]]++;
    for (; i < n; i++) table[0][label[i]]++;
    for (size_t k = 0; k < classes; k++)
        for (size_t t = 0; t < TABLES; t++) count[k] += table[t][k];
}

void class_counts(size_t *count, const int32_t *label, size_t n, size_t classes) {
    memset(count, 0, classes * sizeof *count);
    for (size_t i = 0, some; i < n; i += some) {
        some = n - i < ROUND ? n - i : ROUND;
        if (classes == 2)
            count_two(count, label + i, some);
        else if (classes <= FEW)
            count_few(count, label + i, some, classes);
        else
            for (size_t k = 0; k < some; k++) count[label[i + k]]++;
    }
}

static void weigh_alike(double *weight, const sepal_data *data) {
    size_t classes = data->schema->n_classes, count[FEW];
    if (classes <= FEW) {
        class_counts(count, data->label, data->matrix.rows, classes);
        for (size_t k = 0; k < classes; k++) weight[k] = (double)count[k];
        return;
    }
    for (size_t i = 0; i < data->matrix.rows; i++) weight[data->label[i]]++;
}

void class_weights(double *weight, const sepal_data *data) {
    size_t classes = data->schema->n_classes;
    for (size_t k = 0; k < classes; k++) weight[k] = 0;
    if (!data->weight) {
        weigh_alike(weight, data);
        return;
    }
    for (size_t i = 0; i < data->matrix.rows; i++) weight[data->label[i]] += data->weight[i];
}
