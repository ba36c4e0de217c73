/* Precision, recall and their harmonic mean. */
#include "eval/metric.h"

static struct fraction precision(const struct class_counts *of) {
    return (struct fraction){of->found, of->called};
}

static struct fraction recall(const struct class_counts *of) {
    return (struct fraction){of->found, of->actual};
}

static struct fraction f1(const struct class_counts *of) {
    return (struct fraction){2 * of->found, of->called + of->actual};
}

const struct metric metric_precision = {
    .name = "precision",
    .summary = "TP / (TP + FP): how many of the rows predicted as this class are of it",
    .of_class = precision};
const struct metric metric_recall = {.name = "recall",
                                     .summary = "TP / (TP + FN): how many of this class are found",
                                     .of_class = recall};
const struct metric metric_f1 = {
    .name = "f1",
    .summary = "2 TP / (2 TP + FP + FN), the harmonic mean of precision and recall",
    .of_class = f1};
