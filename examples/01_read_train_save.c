/* From a CSV file to a model file, and from there to predictions.

     01_read_train_save [DATA [MODEL]]      default: examples/data/iris.csv iris.sepal */
#include "sepal/sepal.h"

#include <stdio.h>
#include <stdlib.h>

static void must(sepal_ctx *ctx, sepal_status status) {
    if (status == SEPAL_OK) return;
    sepal_place place = sepal_ctx_error_place(ctx);
    if (place.line > 0)
        fprintf(stderr, "%s:%zu:%zu: ", place.file, place.line, place.column);
    else if (place.file[0] != '\0')
        fprintf(stderr, "%s: ", place.file);
    fprintf(stderr, "%s\n", sepal_ctx_error_message(ctx));
    exit(1);
}

/* Learn from two thirds of the rows, judge on the others, save. */
static void train(sepal_ctx *ctx, const char *path, const char *model_path) {
    sepal_data *all = NULL, *most = NULL, *rest = NULL;
    must(ctx, sepal_data_read(&all, ctx, path, "target=class"));
    must(ctx, sepal_data_split(&most, &rest, ctx, all, 1.0 / 3));

    sepal_model *model = NULL;
    sepal_report *report = NULL;
    must(ctx,
         sepal_model_fit(&model, NULL, ctx, "perceptron(variant=pocket, shuffle)", most, NULL));
    must(ctx, sepal_model_evaluate(&report, ctx, model, rest, NULL));
    printf("learnt from %zu rows, accuracy on %zu others: %.3f\n", sepal_data_rows(most),
           sepal_data_rows(rest), sepal_report_number(report, "accuracy"));
    must(ctx, sepal_model_save(ctx, model, model_path));

    sepal_report_free(report);
    sepal_model_free(model);
    sepal_data_free(rest);
    sepal_data_free(most);
    sepal_data_free(all);
}

/* The model knows its columns by name, so this file may have them in another order. */
static void predict(sepal_ctx *ctx, const char *path, const char *model_path) {
    sepal_model *model = NULL;
    sepal_data *data = NULL;
    must(ctx, sepal_model_load(&model, ctx, model_path));
    must(ctx, sepal_data_read_for(&data, ctx, model, path, NULL, 0));

    size_t rows = sepal_data_rows(data);
    int32_t *answer = malloc(rows * sizeof *answer);
    if (!answer) exit(1);
    must(ctx, sepal_model_predict(answer, ctx, model, data));
    for (size_t i = 0; i < rows; i += 30)
        printf("row %3zu: %s\n", i + 1, sepal_model_class(model, (size_t)answer[i]));

    free(answer);
    sepal_data_free(data);
    sepal_model_free(model);
}

int main(int count, char **words) {
    const char *data = count > 1 ? words[1] : "examples/data/iris.csv";
    const char *model = count > 2 ? words[2] : "iris.sepal";
    sepal_ctx *ctx = NULL;
    if (sepal_ctx_new(&ctx) != SEPAL_OK) return 1;
    train(ctx, data, model);
    predict(ctx, data, model);
    sepal_ctx_free(ctx);
    return 0;
}
