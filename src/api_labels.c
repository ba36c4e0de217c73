/* The public functions about sets of labels. */
#include "sepal/sepal.h"

#include "data/data.h"
#include "linear/strategy.h"
#include "model/model.h"

size_t sepal_data_label_count(const sepal_data *data, size_t row) {
    if (row >= sepal_data_rows(data) || (!data->label && !data->set_start)) return 0;
    return data->set_start ? data->set_start[row + 1] - data->set_start[row] : 1;
}

const char *sepal_data_label_at(const sepal_data *data, size_t row, size_t j) {
    if (j >= sepal_data_label_count(data, row)) return NULL;
    int32_t label = data->set_start ? data->set[data->set_start[row] + j] : data->label[row];
    return label < 0 ? NULL : data_label_name(data, (size_t)label);
}

int sepal_model_label_sets(const sepal_model *model) {
    return model && model->linear.strategy->sets;
}
