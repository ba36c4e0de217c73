/* Balanced accuracy: the mean recall of the classes (Brodersen, Ong, Stephan and Buhmann, ICPR 2010; as
   in scikit-learn, of those that the rows have). */
#include "eval/metric.h"

#include <math.h>

static double balanced_accuracy(const struct evaluation *all) {
    const struct confusion *confusion = &all->confusion;
    double sum = 0, classes = 0;
    for (size_t k = 0; k < confusion->labels; k++) {
        if (confusion->target[k] == 0) continue;
        sum += confusion->count[k * confusion->width + k] / confusion->target[k];
        classes++;
    }
    return classes > 0 ? sum / classes : NAN;
}

const struct metric metric_balanced_accuracy = {.name = "balanced_accuracy",
                                                .summary =
                                                    "mean recall of the classes that the rows have",
                                                .of_rows = balanced_accuracy};
