/* The weight of each row in the sum of losses: its weight times the factor of its class, divided by
   the sum of the weights. Of problems made of more classes the factors are those of the rows' own. Of a
   label against its absence the factor is that of the rows that have it. */
#include "learners/convex.h"

#include "data/class_counts.h"
#include "data/priors.h"

#include <string.h>

/* N / (K N_k), as scikit-learn has it. */
static void class_weight_balanced(double *factor, const struct convex *convex) {
    const sepal_data *data = convex->fit->data;
    size_t classes = data->schema->n_classes;
    class_weights(factor, data);
    for (size_t k = 0; k < classes; k++)
        factor[k] = factor[k] > 0 ? convex->total / ((double)classes * factor[k]) : 1;
}

sepal_status class_weight_named(double *factor, const struct convex *convex,
                                const struct schema *schema) {
    const struct priors_text given = {.text = convex->config->class_weight,
                                      .name = "class_weight",
                                      .owner = "data",
                                      .schema = schema,
                                      .weights = true};
    if (!strpbrk(given.text, ":0123456789"))
        return fail(convex->fit->ctx, SEPAL_EUSAGE,
                    "class_weight=%.60s is no list of weights; write class_weight=balanced, "
                    "class_weight=none, or class_weight=\"%.60s:2\"",
                    given.text, schema->classes[0]);
    TRY(priors_parse(factor, convex->fit->ctx, &given));
    for (size_t k = 0; k < schema->n_classes; k++)
        if (factor[k] == 0) factor[k] = 1;
    return SEPAL_OK;
}

static void fill_row_weights(double *out, const sepal_data *data, double total) {
    const double alike = 1 / total, *weight = data->weight;
    size_t rows = data->matrix.rows;
    if (weight)
        for (size_t i = 0; i < rows; i++) out[i] = weight[i] / total;
    else
        for (size_t i = 0; i < rows; i++) out[i] = alike;
}

sepal_status convex_row_weights(struct convex *convex) {
    struct fit *fit = convex->fit;
    const sepal_data *data = fit->data;
    const char *wish = convex->config->class_weight;
    const struct schema *schema = fit->own_schema ? fit->own_schema : data->schema;
    const int32_t *label = fit->own_label ? fit->own_label : data->label;
    convex->row_weight =
        arena_alloc(fit->ctx, &fit->arena, data->matrix.rows, sizeof *convex->row_weight);
    double *factor = arena_alloc(fit->ctx, &fit->arena, schema->n_classes + 2, sizeof *factor);
    if (!convex->row_weight || !factor) return SEPAL_EMEMORY;
    bool all_alike = strcmp(wish, "none") == 0, even = strcmp(wish, "balanced") == 0;
    bool apart = even && data->schema->n_classes > 2 && !convex->joint;
    if (data->set_start || apart) {
        all_alike = true; /* each against the rest has factors of its own */
    } else if (even) {
        class_weight_balanced(factor, convex);
        label = data->label;
    } else if (!all_alike) {
        TRY(class_weight_named(factor, convex, schema));
        if (fit->own_schema && !fit->own_label) {
            factor[1] = factor[fit->own_class];
            factor[0] = 1;
        }
    }
    convex->factor = all_alike ? NULL : factor;
    convex->factor_by_side = even;
    fill_row_weights(convex->row_weight, data, convex->total);
    for (size_t i = 0; !all_alike && i < data->matrix.rows; i++)
        convex->row_weight[i] *= factor[label[i]];
    return SEPAL_OK;
}
