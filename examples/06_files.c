/* What a file holds, rows written in other formats, and a model file that appears only when all is done. */
#include "sepal/sepal.h"

#include <stdio.h>
#include <stdlib.h>

static void must(sepal_ctx *ctx, sepal_status status) {
    if (status == SEPAL_OK) return;
    fprintf(stderr, "%s\n", sepal_ctx_error(ctx));
    exit(1);
}

/* A row as it was read, beside text that is carried along. */
static void show_row(sepal_ctx *ctx, const sepal_data *data, size_t row) {
    double numbers[8];
    if (sepal_data_columns(data) > 8) return;
    sepal_data_row(numbers, data, row);
    for (size_t j = 0; j < sepal_data_columns(data); j++) {
        char *name = NULL, digits[SEPAL_NUMBER_BYTES];
        must(ctx, sepal_data_column_name(&name, ctx, data, j));
        sepal_number_print(digits, numbers[j]);
        printf("%s=%s ", name, digits);
        sepal_text_free(name);
    }
    printf("-> %s (%s %s)\n", sepal_data_label(data, row), sepal_data_kept_header(data),
           sepal_data_kept_row(data, row));
}

static void describe(sepal_ctx *ctx, const sepal_data *data) {
    sepal_report *report = NULL;
    must(ctx, sepal_data_describe(&report, ctx, data));
    printf("%.0f rows, storage %s\n", sepal_report_number(report, "rows"),
           sepal_report_string(report, "storage"));
    sepal_report_free(report);
}

/* npy has no place for labels, so they go to a second file. */
static void write_npy(sepal_ctx *ctx, const sepal_data *data) {
    char *labels = NULL, *beside = NULL;
    must(ctx, sepal_data_labels_path(&labels, ctx, data, "iris.npy", NULL));
    must(ctx, sepal_data_write(ctx, data, "iris.npy", NULL));
    printf("labels are in %s\n", labels);
    must(ctx, sepal_data_sibling(&beside, ctx, "iris.npy"));
    printf("reading iris.npy looks for %s\n", beside ? beside : "no other file");
    remove("iris.npy");
    if (labels != NULL) remove(labels);
    sepal_text_free(labels);
    sepal_text_free(beside);
}

static void save_when_done(sepal_ctx *ctx, const sepal_data *data) {
    sepal_model *model = NULL;
    sepal_staged *staged = NULL;
    sepal_report *report = NULL;
    must(ctx, sepal_model_fit_check(ctx, "lda", NULL)); /* before a long read */
    must(ctx, sepal_model_fit(&model, NULL, ctx, "lda", data, NULL));
    must(ctx, sepal_model_stage(&staged, ctx, model, "iris.sepal"));
    must(ctx, sepal_model_inspect(&report, ctx, model)); /* whatever may still fail */
    printf("%s of %zu classes\n", sepal_model_spec(model), sepal_model_classes(model));
    must(ctx, sepal_staged_commit(ctx, staged));

    sepal_data *kept = NULL; /* a column that the model has, and that is shown as it was read */
    must(ctx,
         sepal_data_read_for(&kept, ctx, model, "examples/data/iris.csv", "keep=petal_width", 1));
    show_row(ctx, kept, 50);
    sepal_data_free(kept);
    sepal_staged_free(staged);
    sepal_report_free(report);
    sepal_model_free(model);
    remove("iris.sepal");
}

int main(void) {
    sepal_ctx *ctx = NULL;
    sepal_data *data = NULL;
    if (sepal_ctx_new(&ctx) != SEPAL_OK) return 1;
    must(ctx, sepal_data_read(&data, ctx, "examples/data/iris.csv", NULL));
    describe(ctx, data);
    sepal_report *table = NULL; /* of a file that need not be fit to learn from */
    must(ctx, sepal_file_describe(&table, ctx, "examples/data/wine.csv", NULL));
    printf("wine: %.0f rows\n", sepal_report_number(table, "rows"));
    sepal_report_free(table);
    write_npy(ctx, data);
    save_when_done(ctx, data);

    sepal_data *none = NULL;
    char *json = NULL;
    if (sepal_data_read(&none, ctx, "nowhere.csv", NULL) != SEPAL_OK) {
        must(ctx, sepal_ctx_error_json(&json, ctx, "read", 3));
        printf("%s\n", json);
    }
    sepal_text_free(json);
    sepal_data_free(data);
    sepal_ctx_free(ctx);
    return 0;
}
