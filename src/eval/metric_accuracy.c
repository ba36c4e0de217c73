/* Accuracy and its complement. */
#include "eval/metric.h"

static double accuracy(const struct evaluation *all) {
    return all->confusion.right / all->confusion.total;
}

static double error_rate(const struct evaluation *all) {
    return (all->confusion.total - all->confusion.right) / all->confusion.total;
}

const struct metric metric_accuracy = {
    .name = "accuracy", .summary = "fraction of the rows decided rightly", .of_rows = accuracy};
const struct metric metric_error = {
    .name = "error", .summary = "fraction of the rows decided wrongly", .of_rows = error_rate};
