#include "exact/partial_sums.h"

#include "exact/double_double.h"

#include <math.h>

void partial_sums_add(struct partial_sums *sum, double term) {
    size_t kept = 0, parts = sum->n;
    for (size_t i = 0; i < parts; i++) {
        double whole, error;
        two_sum(term, sum->part[i], &whole, &error);
        if (error != 0) sum->part[kept++] = error;
        term = whole;
    }
    if (!isfinite(term)) kept = 0; /* it stays so, whatever is added */
    sum->n = kept;
    if (term != 0) sum->part[sum->n++] = term;
}

/* From the greatest part down to the first that does not fit; if that is just half a unit in the last
   place, the parts below it decide. */
double partial_sums_value(const struct partial_sums *sum) {
    size_t n = sum->n;
    if (n == 0) return 0;
    double value = sum->part[--n], rest = 0;
    while (n > 0 && rest == 0) two_sum(value, sum->part[--n], &value, &rest);
    if (n == 0 || rest == 0 || (rest < 0) != (sum->part[n - 1] < 0)) return value;
    double twice = 2 * rest, next = value + twice;
    return next - value == twice ? next : value;
}
