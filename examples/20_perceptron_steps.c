/* The steps of a perceptron: each example that it gets wrong is added to the weights, or taken off.

   The steps come to a callback, a line of JSON each, which a film strip is drawn of. The bound on their number
   follows from the margin and the radius of the rows (Novikoff 1962). */
#include "sepal/sepal.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 12 };

static const double points[ROWS][2] = {{1, 1}, {2, 1}, {1, 2}, {3, 1}, {2, 2}, {1, 3},
                                       {4, 5}, {5, 4}, {5, 5}, {3, 6}, {6, 4}, {4, 4}};

static void must(sepal_ctx *ctx, sepal_status status) {
    if (status == SEPAL_OK) return;
    fprintf(stderr, "%s\n", sepal_ctx_error(ctx));
    exit(1);
}

static int keep(const char *json, void *file) {
    return fprintf(file, "%s\n", json) < 0;
}

/* A picture as a file in this folder. */
static void draw(sepal_ctx *ctx, const char *path, const char *kind, const sepal_model *model,
                 const sepal_data *data, const sepal_report *steps) {
    void *svg = NULL;
    size_t n = 0;
    must(ctx,
         sepal_plot(&svg, &n, ctx, kind, model, data, steps, "width=640, height=440, theme=auto"));
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(svg, 1, n, file) != n || fclose(file) != 0) exit(1);
    sepal_bytes_free(svg);
}

int main(void) {
    static const char path[] = "20_steps.jsonl";
    sepal_ctx *ctx = NULL;
    sepal_data *data = NULL;
    sepal_model *model = NULL;
    sepal_report *report = NULL, *steps = NULL;
    const char *labels[ROWS];
    if (sepal_ctx_new(&ctx) != SEPAL_OK) return 1;
    for (int i = 0; i < ROWS; i++) labels[i] = i < ROWS / 2 ? "low" : "high";
    must(ctx, sepal_data_dense(&data, ctx, &points[0][0], ROWS, 2, labels, NULL));
    FILE *file = fopen(path, "w");
    if (!file) return 1;
    sepal_ctx_set_trace(ctx, keep, file);
    must(ctx, sepal_model_fit(&model, &report, ctx, "perceptron", data, NULL));
    sepal_ctx_set_trace(ctx, NULL, NULL);
    if (fclose(file) != 0) return 1;
    must(ctx, sepal_report_read(&steps, ctx, path));
    remove(path);
    printf("%.0f updates, at most %lld by Novikoff's bound; %.0f rows wrong\n",
           sepal_report_number(report, "perceptron.updates"),
           (long long)sepal_report_number(report, "perceptron.bound"),
           sepal_report_number(report, "train.errors"));
    draw(ctx, "20_perceptron_steps-strip.svg", "trace", NULL, data, steps);
    draw(ctx, "20_perceptron_steps-updates.svg", "convergence", NULL, NULL, steps);
    sepal_report_free(steps);
    sepal_report_free(report);
    sepal_model_free(model);
    sepal_data_free(data);
    sepal_ctx_free(ctx);
    return 0;
}
