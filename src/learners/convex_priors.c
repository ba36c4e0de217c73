/* Class weights multiply the odds of a class: its scores are those of rows with other class frequencies than
   the data has. correct_priors=true takes the logarithm of that factor off the intercept again (King and Zeng
   2001, their prior correction). */
#include "learners/convex.h"

#include <math.h>
#include <string.h>

static bool has_class_weights(const struct convex *convex) {
    return strcmp(convex->config->class_weight, "none") != 0;
}

double convex_prior_shift(const struct convex *convex, const struct row_labels *labels, size_t k,
                          const double factor[2]) {
    const sepal_data *data = convex->fit->data;
    double given[2] = {0, 0}, weighted[2] = {0, 0};
    if (!convex->config->correct_priors || !has_class_weights(convex)) return 0;
    for (size_t i = 0; i < data->matrix.rows; i++) {
        bool own = row_has_label(labels, i, k);
        given[own] += data_weight(data, i);
        weighted[own] += convex->row_weight[i];
    }
    /* the mean class weight of each side; the rest may have several */
    return log(factor[1] * weighted[1] / given[1]) - log(factor[0] * weighted[0] / given[0]);
}

void joint_correct_priors(const struct convex *convex, struct linear *linear) {
    const sepal_data *data = convex->fit->data;
    const struct row_labels labels = data_labels(data);
    const double alike[2] = {1, 1};
    if (linear->rows == 1) {
        linear->b[0] -= convex_prior_shift(convex, &labels, 1, alike);
        return;
    }
    if (!convex->config->correct_priors || !has_class_weights(convex)) return;
    for (size_t k = 0; k < linear->rows; k++) {
        double given = 0, weighted = 0;
        for (size_t i = 0; i < data->matrix.rows; i++) {
            if (data->label[i] != (int32_t)k) continue;
            given += data_weight(data, i);
            weighted += convex->row_weight[i];
        }
        linear->b[k] -= log(weighted / given);
    }
}

const char *convex_priors_words(const struct convex *convex) {
    bool likely =
        convex->joint ? convex->joint->loss->smooth : convex->objective.loss == &loss_logistic;
    if (!has_class_weights(convex) || !likely) return NULL;
    return convex->config->correct_priors ? "corrected" : "weighted";
}

void convex_warn_of_priors(const struct convex *convex) {
    if (!convex->config->correct_priors || has_class_weights(convex)) return;
    warn(convex->fit->ctx, "correct-priors",
         "correct_priors=true changes nothing without class weights; class_weight=balanced, say, "
         "gives some");
}
