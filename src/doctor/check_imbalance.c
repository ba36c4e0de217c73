/* One class with so many of the rows that always naming it looks like success. */
#include "doctor/check.h"

#include <string.h>

/* "logistic(penalty=l1)" and class_weight=balanced, or what else the learner has against it. */
static void put_advice(struct doctor *doctor, struct text *out) {
    bool weighs = !doctor->pipeline || doctor_has_parameter(doctor, "class_weight");
    text_puts(doctor->ctx, out, "go by balanced accuracy or the area under a curve, not accuracy");
    if (!weighs) return;
    text_puts(doctor->ctx, out, "; to have the classes count alike, ");
    if (doctor->pipeline)
        doctor_put_option(doctor, out, "class-weight balanced");
    else
        text_puts(doctor->ctx, out, "class_weight=balanced");
}

static sepal_status imbalance_look(struct doctor *doctor) {
    enum { FEWEST_ROWS = 50 };
    static const double share = 0.9;
    const sepal_data *data = doctor->data;
    size_t rows = data->matrix.rows, classes = data->schema->n_classes, most = 0;
    const char *weight = doctor_parameter(doctor, "class_weight");
    if (!data->label || classes < 2 || rows < FEWEST_ROWS) return SEPAL_OK;
    if (*weight && strcmp(weight, "none") != 0) return SEPAL_OK;
    size_t *count = arena_zero(doctor->ctx, &doctor->arena, classes, sizeof *count);
    if (!count) return SEPAL_EMEMORY;
    for (size_t i = 0; i < rows; i++)
        if (data->label[i] >= 0 && (size_t)data->label[i] < classes) count[data->label[i]]++;
    for (size_t k = 1; k < classes; k++)
        if (count[k] > count[most]) most = k;
    if ((double)count[most] < share * (double)rows) return SEPAL_OK;
    struct finding *finding = doctor_find(doctor, "imbalance", RANK_ONE_CLASS, NULL, 0);
    text_printf(doctor->ctx, &finding->message,
                "class '%s' has %zu of the %zu rows: always to name it is right for %.1f %%",
                data->schema->classes[most], count[most], rows,
                100 * (double)count[most] / (double)rows);
    put_advice(doctor, &finding->advice);
    return SEPAL_OK;
}

const struct check check_imbalance = {
    .name = "imbalance",
    .summary = "one class with nine tenths of the rows",
    .look = imbalance_look,
};
