/* Class weights multiply the odds of a class: its scores are those of rows with other class frequencies than
   the data has. correct_priors=true takes the logarithm of that factor off the intercept again (King and Zeng
   2001, their prior correction). */
#include "learners/convex.h"

#include <math.h>
#include <string.h>

static bool has_class_weights(const struct convex *convex) {
    return strcmp(convex->config->class_weight, "none") != 0;
}

double convex_prior_shift(const struct convex *convex, const int32_t *label, int32_t f,
                          const double factor[2]) {
    const sepal_data *data = convex->fit->data;
    double given[2] = {0, 0}, weighted[2] = {0, 0};
    if (!convex->config->correct_priors || !has_class_weights(convex)) return 0;
    for (size_t i = 0; i < data->matrix.rows; i++) {
        given[label[i] == f] += data_weight(data, i);
        weighted[label[i] == f] += convex->row_weight[i];
    }
    /* the mean class weight of each side; the rest may have several */
    return log(factor[1] * weighted[1] / given[1]) - log(factor[0] * weighted[0] / given[0]);
}

const char *convex_priors_words(const struct convex *convex) {
    if (!has_class_weights(convex) || convex->objective.loss != &loss_logistic) return NULL;
    return convex->config->correct_priors ? "corrected" : "weighted";
}

void convex_warn_of_priors(const struct convex *convex) {
    if (!convex->config->correct_priors || has_class_weights(convex)) return;
    warn(convex->fit->ctx, "correct-priors",
         "correct_priors=true changes nothing without class weights; class_weight=balanced, say, "
         "gives some");
}
