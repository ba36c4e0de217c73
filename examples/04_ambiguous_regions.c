/* Two-class predictions, put together, leave regions that no class, or more than one, has a right to.

   Three classes in the plane are learnt by one against the rest, with three functions and with two,
   and by pairs. Points of a grid are asked: how many are claimed by several classes, by none, or have
   a tie of votes? The pictures in characters show them as `?`, those
   in files are hatched there. */
#include "sepal/sepal.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 18, WIDE = 61, HIGH = 21, GRID = WIDE * HIGH };

/* Three sails of a windmill around (5, 5). */
static const double points[ROWS][2] = {
    {6, 6.1},   {5.9, 7},   {5.1, 7.1}, {4.9, 8},   {4.1, 8.2}, {4, 9.1},
    {3.6, 5.3}, {2.8, 4.8}, {3.1, 4},   {2.4, 3.4}, {2.7, 2.6}, {1.9, 2.1},
    {5.4, 3.6}, {6.2, 3.2}, {6.8, 3.9}, {7.7, 3.6}, {8.3, 4.2}, {9.1, 3.8},
};
static const char *const names[] = {"up", "left", "right"};

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

static void show(sepal_ctx *ctx, const char *spec, const sepal_data *known, const sepal_data *grid,
                 const char *picture) {
    sepal_model *model = NULL;
    int32_t class[GRID];
    sepal_predictions predictions = {.size = sizeof predictions, .classes = class};
    must(ctx, sepal_model_fit(&model, NULL, ctx, spec, known, NULL));
    must(ctx,
         sepal_model_predict_rows(&predictions, ctx, model, grid, 0, GRID, "ambiguous=undecided"));
    printf("%s: of %d points %zu are claimed by several classes, %zu by none, %zu have a tie\n",
           spec, GRID, predictions.several, predictions.none, predictions.tied);
    for (int i = 0; i < GRID; i++) {
        putchar(class[i] < 0 ? '?' : *sepal_model_class(model, (size_t) class[i]));
        if (i % WIDE == WIDE - 1) putchar('\n');
    }
    draw(ctx, picture, "regions", model, known);
    sepal_model_free(model);
}

int main(void) {
    sepal_ctx *ctx = NULL;
    if (sepal_ctx_new(&ctx) != SEPAL_OK) return 1;
    const char *labels[ROWS];
    double x[GRID][2];
    for (int i = 0; i < ROWS; i++) labels[i] = names[i / (ROWS / 3)];
    for (int i = 0; i < GRID; i++) { /* from the top left, as it is printed */
        x[i][0] = 10.0 * (i % WIDE) / (WIDE - 1);
        x[i][1] = 10.0 - 10.0 * (i / WIDE) / (HIGH - 1);
    }
    sepal_data *known = NULL, *grid = NULL;
    must(ctx, sepal_data_dense(&known, ctx, &points[0][0], ROWS, 2, labels, NULL));
    must(ctx, sepal_data_dense(&grid, ctx, &x[0][0], GRID, 2, NULL, NULL));
    show(ctx, "fisher | ovr", known, grid, "04_ambiguous_regions-ovr.svg");
    show(ctx, "fisher | ovr-1", known, grid, "04_ambiguous_regions-ovr-1.svg");
    show(ctx, "fisher | ovo", known, grid, "04_ambiguous_regions-ovo.svg");
    sepal_data_free(grid);
    sepal_data_free(known);
    sepal_ctx_free(ctx);
    return 0;
}
