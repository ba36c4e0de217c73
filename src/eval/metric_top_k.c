/* How often the right class is among the k of the largest numbers. */
#include "eval/metric.h"

#include <math.h>

/* Of equal numbers the first is the larger, as it is in a decision; of two classes, which have one
   number, the second. */
static bool is_among(const struct evaluation *all, size_t row, size_t target, size_t k) {
    size_t classes = all->linear->classes, before = 0;
    const double *numbers = all->predictions.shown + row * (classes == 2 ? 1 : classes);
    if (target >= classes) return false;
    if (classes == 2) return k > 1 ? !isnan(numbers[0]) : (numbers[0] >= 0) == (target == 1);
    for (size_t j = 0; j < classes; j++)
        before += j < target ? numbers[j] >= numbers[target] : numbers[j] > numbers[target];
    return before < k && !isnan(numbers[target]);
}

double top_k_accuracy(const struct evaluation *all, size_t k) {
    double right = 0;
    for (size_t i = 0; i < all->data->matrix.rows; i++)
        if (is_among(all, i, (size_t)all->data->label[i], k)) right += data_weight(all->data, i);
    return right / all->confusion.total;
}
