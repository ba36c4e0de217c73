/* @NAME@: the nearest class mean. A skeleton: say here what is minimised, by which algorithm, and where
   that comes from. */
#include "learners/discriminant.h"

/* A parameter is a row here and a member of a config struct, whose size is config_size below. */
static const struct parameter parameters[] = {{0}};

/* |x - m|^2 is smallest where m . x - |m|^2 / 2 is largest; of two classes the difference is kept. */
static sepal_status fit_@name@(struct fit *fit) {
    struct scatter s;
    TRY(scatter_start(&s, fit));
    struct linear *linear = &fit->linear;
    fit->objective = 0;
    for (size_t k = 0; k < s.classes; k++) {
        size_t r = linear->rows == 1 ? 0 : k;
        double sign = linear->rows == 1 && k == 0 ? -1 : 1, square = 0;
        for (size_t j = 0; j < linear->cols; j++) {
            double mean = s.mean[k * linear->cols + j];
            linear->w[r * linear->cols + j] += sign * mean;
            square += mean * mean;
        }
        linear->b[r] -= sign * square / 2;
        fit->objective -= s.class_weight[k] / s.total * square;
    }
    fit->solver = "closed form";
    fit->words = "minus the mean squared distance of the rows' class means from the mean of all rows";
    return SEPAL_OK;
}

static bool @name@_shiftable(const void *config) {
    (void)config;
    return true;
}

const struct learner learner_@name@ = {
    .name = "@NAME@",
    .summary = "nearest mean: the class whose mean is nearest",
    .activation = "sign",
    .machine = true,
    .shiftable = @name@_shiftable,
    .parameters = parameters,
    .fit = fit_@name@,
};
