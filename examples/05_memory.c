/* Arrays that stay where they are, a table with text and missing values, a model in memory, and what is
   inside of it. */
#include "sepal/sepal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void must(sepal_ctx *ctx, sepal_status status) {
    if (status == SEPAL_OK) return;
    fprintf(stderr, "%s\n", sepal_ctx_error(ctx));
    exit(1);
}

/* Dense rows are lent: the array is not copied, and has to stay until the data is freed. */
static sepal_model *learn_dense(sepal_ctx *ctx) {
    static const float x[6][2] = {{0, 1}, {1, 0}, {1, 1}, {4, 5}, {5, 4}, {5, 5}};
    static const int64_t y[6] = {0, 0, 0, 1, 1, 1};
    sepal_input input = {0};
    input.size = sizeof input;
    input.rows = 6;
    input.columns = 2;
    input.values = x;
    input.value_type = SEPAL_F32;
    input.label_numbers = y;
    input.borrow = 1;
    sepal_data *data = NULL;
    sepal_model *first = NULL, *model = NULL;
    must(ctx, sepal_data_from(&data, ctx, &input));
    must(ctx, sepal_model_fit(&first, NULL, ctx, "logistic(C=1)", data, NULL));
    must(ctx, sepal_model_fit_from(&model, NULL, ctx, "logistic(C=2)", data, NULL, first));
    sepal_model_free(first);
    sepal_data_free(data);
    return model;
}

/* To bytes and back, as through a database; then the numbers. */
static void show_numbers(sepal_ctx *ctx, const sepal_model *model) {
    void *bytes = NULL;
    size_t n;
    sepal_model *copy = NULL;
    must(ctx, sepal_model_to_memory(&bytes, &n, ctx, model));
    must(ctx, sepal_model_from_memory(&copy, ctx, bytes, n));
    sepal_bytes_free(bytes);

    double weights[2], bias[1];
    must(ctx, sepal_model_coefficients(weights, bias, ctx, copy));
    printf("%s: %zu function of %zu columns, %.3f x1 %+.3f x2 %+.3f\n", sepal_model_learner(copy),
           sepal_model_functions(copy), sepal_model_columns(copy), weights[0], weights[1], bias[0]);
    const double *w = sepal_model_weights(copy), *centre = sepal_model_centre(copy);
    double at_0 = *sepal_model_bias(copy);
    for (size_t j = 0; centre && j < 2; j++) at_0 -= w[j] * centre[j];
    printf("the bias again: %.3f\n", at_0);
    sepal_model_free(copy);
}

/* One row at a time, without data or context: from any number of threads. */
static void ask(const sepal_model *model) {
    static const double row[2] = {4, 4};
    static const int32_t index[1] = {1};
    static const double value[1] = {0.5};
    int32_t class;
    double score;
    if (sepal_model_predict_row(&class, &score, model, row, 2) == SEPAL_OK)
        printf("(4, 4): class %s, score %.3f\n", sepal_model_class(model, (size_t) class), score);
    if (sepal_model_predict_entries(&class, &score, model, index, value, 1) == SEPAL_OK)
        printf("(0, 0.5): class %s, score %.3f\n", sepal_model_class(model, (size_t) class), score);
}

/* A column of categories, and cells that are missing. */
static void learn_table(sepal_ctx *ctx) {
    static const double cells[6][2] = {{20, 0}, {30, 1}, {NAN, 1}, {70, 0}, {80, 2}, {60, 2}};
    static const char *const labels[6] = {"no", "no", "no", "yes", "yes", "yes"};
    static const char *const names[2] = {"age", "colour"};
    static const size_t categories[2] = {0, 3};
    static const char *const colours[3] = {"red", "green", "blue"};
    static const char *const *const category_names[2] = {NULL, colours};
    sepal_input input = {0};
    input.size = sizeof input;
    input.rows = 6;
    input.columns = 2;
    input.values = cells;
    input.labels = labels;
    input.column_names = names;
    input.missing = SEPAL_MEAN;
    input.categories = categories;
    input.category_names = category_names;
    sepal_data *data = NULL;
    sepal_model *model = NULL;
    must(ctx, sepal_data_from(&data, ctx, &input));
    must(ctx, sepal_model_fit(&model, NULL, ctx, "standardize | logistic", data, NULL));
    printf("missing values: %s\n", sepal_model_missing(model));
    for (size_t j = 0; j < sepal_model_features(model); j++) {
        char *name = NULL;
        must(ctx, sepal_model_feature_name(&name, ctx, model, j));
        printf("feature %s:", name);
        for (size_t k = 0; k < sepal_model_categories(model, j); k++)
            printf(" %s", sepal_model_category(model, j, k));
        printf("\n");
        sepal_text_free(name);
    }
    const double row[2] = {NAN, 0}; /* no age, the model's first colour */
    int32_t class;
    if (sepal_model_predict_row(&class, NULL, model, row, 2) == SEPAL_OK)
        printf("no age, %s: %s\n", sepal_model_category(model, 1, 0),
               sepal_model_class(model, (size_t) class));
    sepal_model_free(model);
    sepal_data_free(data);
}

int main(void) {
    sepal_ctx *ctx = NULL;
    if (sepal_ctx_new(&ctx) != SEPAL_OK) return 1;
    sepal_model *model = learn_dense(ctx);
    show_numbers(ctx, model);
    ask(model);
    sepal_model_free(model);
    learn_table(ctx);
    sepal_ctx_free(ctx);
    return 0;
}
