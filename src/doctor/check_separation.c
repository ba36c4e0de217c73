/* Without a penalty: cells that only one class has. The weight of such a category, or of such a 0 or 1, grows
   without end (quasi-complete separation; Albert and Anderson, Biometrika 71, 1984). That the likelihood has
   no maximum is what the fit finds out; which column it is due to is said here. */
#include "doctor/check.h"

#include <math.h>
#include <string.h>

/* The class of all rows with some value of a column: none seen yet, or several. */
enum { UNSEEN = -1, SEVERAL = -2 };

struct cells {
    size_t first, n; /* its values have the classes owner[first .. first + n - 1] */
};

static bool concerns(struct doctor *doctor) {
    const char *learner = doctor_learner(doctor);
    bool likelihood = strcmp(learner, "logistic") == 0 || strcmp(learner, "softmax") == 0;
    return likelihood && !doctor_penalised(doctor) && doctor->sample.label && doctor->sample.cells;
}

/* A column of 0 and 1, in the sample. */
static bool is_binary(const struct sample *sample, size_t column) {
    const double *x = sample->cells + column * sample->n;
    for (size_t k = 0; k < sample->n; k++)
        if (x[k] != 0 && x[k] != 1) return false;
    return true;
}

static void own_cells(struct doctor *doctor, const struct cells *cells, int32_t *owner) {
    const sepal_data *data = doctor->data;
    struct block_iterator blocks = {.matrix = &data->matrix};
    for (const struct block *block; (block = block_next(&blocks));)
        for (size_t i = 0; i < block->rows; i++)
            for (size_t j = 0; j < data->matrix.cols; j++) {
                if (cells[j].n == 0) continue;
                double x = doctor_cell(block, i, data->matrix.cols, j);
                if (!(x >= 0 && x < (double)cells[j].n)) continue;
                int32_t *own = &owner[cells[j].first + (size_t)x];
                int32_t label = data->label[block->first_row + i];
                *own = *own == UNSEEN || *own == label ? label : SEVERAL;
            }
}

static void put_cells(struct doctor *doctor, struct text *out, size_t column,
                      const struct cells *cells, const int32_t *owner) {
    enum { SHOWN = 3 };
    size_t told = 0, more = 0;
    for (size_t v = 0; v < cells->n; v++) {
        if (owner[cells->first + v] < 0) continue;
        if (told == SHOWN) {
            more++;
            continue;
        }
        text_puts(doctor->ctx, out, told++ ? ", " : "");
        if (doctor_is_text(doctor, column))
            text_printf(doctor->ctx, out, "'%s'",
                        doctor->data->schema->columns[column].categories[v]);
        else
            text_printf(doctor->ctx, out, "%zu", v);
    }
    if (more) text_printf(doctor->ctx, out, " and %zu more", more);
}

static void separation_tell(struct doctor *doctor, const struct cells *cells, const int32_t *owner,
                            const size_t *columns, size_t n) {
    struct finding *finding = doctor_find(doctor, "separation", RANK_NO_FIT, columns, n);
    struct text *message = &finding->message;
    doctor_put_columns(doctor, message, columns, n, "has values that only one class has: ",
                       "have values that only one class has");
    if (n == 1) put_cells(doctor, message, columns[0], &cells[columns[0]], owner);
    doctor_put_list(doctor, message, columns, n);
    text_puts(doctor->ctx, &finding->advice,
              "without a penalty their weights grow without end; give one, ");
    doctor_put_option(doctor, &finding->advice, "penalty l2 ");
    doctor_put_option(doctor, &finding->advice, "C 1");
}

static sepal_status separation_look(struct doctor *doctor) {
    const struct sample *sample = &doctor->sample;
    size_t cols = doctor->data->matrix.cols, values = 0, n = 0;
    if (!concerns(doctor)) return SEPAL_OK;
    struct cells *cells = arena_zero(doctor->ctx, &doctor->arena, cols, sizeof *cells);
    size_t *columns = arena_alloc(doctor->ctx, &doctor->arena, cols, sizeof *columns);
    if (!cells || !columns) return SEPAL_EMEMORY;
    for (size_t j = 0; j < cols; j++) {
        if (doctor->marked[j]) continue;
        bool text = doctor_is_text(doctor, j);
        size_t own = text                   ? doctor->data->schema->columns[j].n_categories
                     : is_binary(sample, j) ? 2
                                            : 0;
        cells[j] = (struct cells){values, own};
        values += own;
    }
    int32_t *owner = arena_alloc(doctor->ctx, &doctor->arena, values, sizeof *owner);
    if (!owner) return SEPAL_EMEMORY;
    for (size_t v = 0; v < values; v++) owner[v] = UNSEEN;
    if (values) own_cells(doctor, cells, owner);
    for (size_t j = 0; j < cols; j++) {
        bool pure = false;
        for (size_t v = 0; v < cells[j].n; v++) pure = pure || owner[cells[j].first + v] >= 0;
        if (pure) columns[n++] = j;
    }
    if (n) separation_tell(doctor, cells, owner, columns, n);
    return SEPAL_OK;
}

const struct check check_separation = {
    .name = "separation",
    .summary = "without a penalty: values that only one class has",
    .look = separation_look,
};
