/* What probabilities are worth: log loss and Brier score. */
#include "eval/metric.h"

#include <math.h>

/* A class that the model has not seen had probability 0: its log loss has no bound. */
static double log_loss(const struct evaluation *all) {
    double loss = 0, pair[2];
    for (size_t i = 0; i < all->data->matrix.rows; i++) {
        size_t target = (size_t)all->data->label[i];
        const double *logs = evaluation_logs(all, i, pair);
        loss -=
            data_weight(all->data, i) * (target < all->linear->classes ? logs[target] : -INFINITY);
    }
    return loss / all->confusion.total;
}

static double brier(const struct evaluation *all) {
    size_t classes = all->linear->classes;
    double sum = 0, pair[2];
    for (size_t i = 0; i < all->data->matrix.rows; i++) {
        size_t target = (size_t)all->data->label[i];
        const double *logs = evaluation_logs(all, i, pair);
        double square = 0;
        for (size_t k = 0; k < classes; k++) {
            double miss = k == target ? expm1(logs[k]) : exp(logs[k]);
            if (classes > 2 || k == all->positive) square += miss * miss;
        }
        sum += data_weight(all->data, i) * (square + (classes > 2 && target >= classes));
    }
    return sum / all->confusion.total;
}

const struct metric metric_log_loss = {
    .name = "log_loss",
    .summary = "mean of minus the logarithm of the probability of the right class",
    .probabilities = true,
    .of_rows = log_loss};
const struct metric metric_brier = {
    .name = "brier",
    .summary = "mean squared error of the probabilities, summed over the classes if more than two",
    .probabilities = true,
    .of_rows = brier};
