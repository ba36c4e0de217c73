/* Of three classes in a row least squares never chooses the middle one; lda does.

   The three functions of least squares follow the targets 1-of-3 along the row: one falls, one rises,
   and that of the middle class, which would have to rise and fall, stays flat and is never the
   largest. Each class has its own mean in lda, and each its own region (Bishop, PRML, figure 4.5). */
#include "sepal/sepal.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 30, CLASSES = 3 };

/* Ten points around each of (1, 1), (4, 4) and (7, 7). */
static const double around[ROWS / CLASSES][2] = {
    {0.3, -0.6}, {-0.5, 0.2}, {0.8, 0.1},  {-0.1, -0.9}, {-0.8, -0.3},
    {0.6, 0.7},  {0.1, 0.5},  {-0.4, 0.9}, {0.9, -0.2},  {-0.9, -0.4},
};
static const char *const names[CLASSES] = {"first", "middle", "last"};

static void must(sepal_ctx *ctx, sepal_status status) {
    if (status == SEPAL_OK) return;
    fprintf(stderr, "%s\n", sepal_ctx_error(ctx));
    exit(1);
}

/* A picture as a file in this folder. */
static void draw(sepal_ctx *ctx, const char *path, const char *kind, const sepal_model *model,
                 const sepal_data *data) {
    void *svg = NULL;
    size_t n = 0;
    must(ctx,
         sepal_plot(&svg, &n, ctx, kind, model, data, NULL, "width=480, height=330, theme=auto"));
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(svg, 1, n, file) != n || fclose(file) != 0) exit(1);
    sepal_bytes_free(svg);
}

/* How the rows of each class are decided. */
static void show(sepal_ctx *ctx, const char *spec, const sepal_data *data, const char *picture) {
    sepal_model *model = NULL;
    sepal_report *report = NULL;
    int32_t class[ROWS];
    must(ctx, sepal_model_fit(&model, &report, ctx, spec, data, NULL));
    must(ctx, sepal_model_predict(class, ctx, model, data));
    printf("%s: accuracy %.2f\n", spec, sepal_report_number(report, "train.accuracy"));
    for (int k = 0; k < CLASSES; k++) {
        int count[CLASSES] = {0};
        for (int i = k; i < ROWS; i += CLASSES) count[class[i]]++;
        printf("  %-6s decided as", names[k]);
        for (size_t j = 0; j < CLASSES; j++)
            printf(" %s %d%s", sepal_model_class(model, j), count[j], j + 1 < CLASSES ? "," : "\n");
    }
    draw(ctx, picture, "regions", model, data);
    sepal_report_free(report);
    sepal_model_free(model);
}

int main(void) {
    sepal_ctx *ctx = NULL;
    if (sepal_ctx_new(&ctx) != SEPAL_OK) return 1;
    double x[ROWS][2];
    const char *labels[ROWS];
    for (int i = 0; i < ROWS; i++) {
        int k = i % CLASSES;
        x[i][0] = 1 + 3 * k + around[i / CLASSES][0];
        x[i][1] = 1 + 3 * k + around[i / CLASSES][1];
        labels[i] = names[k];
    }
    sepal_data *data = NULL;
    must(ctx, sepal_data_dense(&data, ctx, &x[0][0], ROWS, 2, labels, NULL));
    show(ctx, "least-squares", data, "03_masked_class-least-squares.svg");
    show(ctx, "lda", data, "03_masked_class-lda.svg");
    sepal_data_free(data);
    sepal_ctx_free(ctx);
    return 0;
}
