/* Matthews' correlation coefficient, in Gorodkin's generalisation to K classes (Comput. Biol. Chem.
   2004). */
#include "eval/metric.h"

#include <math.h>

static double mcc(const struct evaluation *all) {
    const struct confusion *confusion = &all->confusion;
    double n = confusion->total, cross = 0, targets = 0, predictions = 0;
    for (size_t k = 0; k < confusion->width; k++) {
        double t = k < confusion->labels ? confusion->target[k] / n : 0;
        double p = confusion->predicted[k] / n;
        cross += t * p;
        targets += t * t;
        predictions += p * p;
    }
    double variances = (1 - targets) * (1 - predictions);
    return variances > 0 ? (confusion->right / n - cross) / sqrt(variances) : NAN;
}

const struct metric metric_mcc = {
    .name = "mcc",
    .summary = "Matthews' correlation between targets and decisions, for any number of classes",
    .of_rows = mcc};
