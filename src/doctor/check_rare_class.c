/* Classes with so few rows, beside others that have many, that nothing can be said of how well they are told.
   Where all classes are small the table is, and the reader knows. */
#include "doctor/check.h"

static bool is_rare(const struct doctor *doctor, size_t rows) {
    enum { FEW = 10 };
    const sepal_data *data = doctor->data;
    double mean = (double)data->matrix.rows / (double)data->schema->n_classes;
    return rows > 0 && rows < FEW && (double)rows < mean / 2;
}

static sepal_status rare_class_look(struct doctor *doctor) {
    enum { SHOWN = 5 };
    const sepal_data *data = doctor->data;
    size_t classes = data->schema->n_classes, rare = 0;
    size_t *count = arena_zero(doctor->ctx, &doctor->arena, classes, sizeof *count);
    if (!count) return SEPAL_EMEMORY;
    for (size_t i = 0; data->label && i < data->matrix.rows; i++)
        if (data->label[i] >= 0 && (size_t)data->label[i] < classes) count[data->label[i]]++;
    for (size_t k = 0; k < classes; k++) rare += is_rare(doctor, count[k]);
    if (rare == 0) return SEPAL_OK;
    struct finding *finding = doctor_find(doctor, "rare-class", RANK_ONE_CLASS, NULL, 0);
    struct text *message = &finding->message;
    if (rare > 1) text_printf(doctor->ctx, message, "%zu classes have very few rows: ", rare);
    size_t told = 0;
    for (size_t k = 0; k < classes && told < SHOWN; k++) {
        if (!is_rare(doctor, count[k])) continue;
        if (rare == 1)
            text_printf(doctor->ctx, message, "class '%s' has %zu row%s", data->schema->classes[k],
                        count[k], count[k] == 1 ? "" : "s");
        else
            text_printf(doctor->ctx, message, "%s'%s' %zu", told ? ", " : "",
                        data->schema->classes[k], count[k]);
        told++;
    }
    if (rare > told) text_printf(doctor->ctx, message, " and %zu more", rare - told);
    text_printf(doctor->ctx, &finding->advice,
                "how well %s found cannot be told from so few; gather more rows, or let %s be a "
                "part of another class",
                rare == 1 ? "it is" : "they are", rare == 1 ? "it" : "them");
    return SEPAL_OK;
}

const struct check check_rare_class = {
    .name = "rare-class",
    .summary = "classes with fewer than ten rows beside larger ones",
    .look = rare_class_look,
};
