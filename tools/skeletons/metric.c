/* @NAME@: the mean over the classes of the part of their rows that is decided rightly. A skeleton: say
   here what is measured, and where that comes from. */
#include "eval/metric.h"

#include <math.h>

/* Classes without a row have no part; without any class there is no value. */
static double @name@_of_rows(const struct evaluation *all) {
    const struct confusion *confusion = &all->confusion;
    double sum = 0, classes = 0;
    for (size_t k = 0; k < confusion->labels; k++) {
        if (!(confusion->target[k] > 0)) continue;
        sum += confusion->count[k * confusion->width + k] / confusion->target[k];
        classes++;
    }
    return classes > 0 ? sum / classes : NAN;
}

const struct metric metric_@name@ = {
    .name = "@name@",
    .summary = "mean over the classes of the part of their rows decided rightly",
    .of_rows = @name@_of_rows,
};
