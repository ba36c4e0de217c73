/* Cohen's kappa (Educ. Psychol. Meas. 1960): how far the accuracy is above that of decisions that have the
   same frequencies and nothing to do with the targets. */
#include "eval/metric.h"

#include <math.h>

static double kappa(const struct evaluation *all) {
    const struct confusion *confusion = &all->confusion;
    double n = confusion->total, chance = 0;
    for (size_t k = 0; k < confusion->labels; k++)
        chance += confusion->target[k] / n * (confusion->predicted[k] / n);
    return chance < 1 ? (confusion->right / n - chance) / (1 - chance) : NAN;
}

const struct metric metric_kappa = {
    .name = "kappa",
    .summary = "Cohen's kappa: agreement of targets and decisions beyond that by chance",
    .of_rows = kappa};
