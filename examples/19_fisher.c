/* Fisher's direction against the line through the class means.

   The two classes are long in the direction in which their means differ least. On the line through the means
   they overlap; Fisher's direction, which divides by the scatter within the classes, turns away from their length,
   and there they hardly do. */
#include "sepal/sepal.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 200 };

static void must(sepal_ctx *ctx, sepal_status status) {
    if (status == SEPAL_OK) return;
    fprintf(stderr, "%s\n", sepal_ctx_error(ctx));
    exit(1);
}

/* A normal number, nearly: the sum of twelve even ones. The generator is Knuth's (MMIX). */
static double chance(uint64_t *state) {
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(*state >> 11) / 9007199254740992.0;
    }
    return sum;
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

int main(void) {
    static const char *const specs[] = {"mean-difference", "fisher"};
    static const char *const pictures[] = {"19_fisher-means.svg", "19_fisher-fisher.svg"};
    sepal_ctx *ctx = NULL;
    sepal_data *data = NULL;
    uint64_t state = 1;
    double x[ROWS][2];
    const char *labels[ROWS];
    if (sepal_ctx_new(&ctx) != SEPAL_OK) return 1;
    for (int i = 0; i < ROWS; i++) {
        double along = 3 * chance(&state), across = 0.6 * chance(&state);
        labels[i] = i < ROWS / 2 ? "a" : "b";
        x[i][0] = along - across + (i < ROWS / 2 ? -2 : 2);
        x[i][1] = along + across;
    }
    must(ctx, sepal_data_dense(&data, ctx, &x[0][0], ROWS, 2, labels, NULL));
    for (int i = 0; i < 2; i++) {
        sepal_model *model = NULL;
        sepal_report *report = NULL;
        must(ctx, sepal_model_fit(&model, &report, ctx, specs[i], data, NULL));
        printf("%s: %.0f of %d rows wrong\n", specs[i], sepal_report_number(report, "train.errors"),
               ROWS);
        draw(ctx, pictures[i], "regions", model, data);
        if (i == 1) draw(ctx, "19_fisher-projections.svg", "projection", model, data);
        sepal_report_free(report);
        sepal_model_free(model);
    }
    sepal_data_free(data);
    sepal_ctx_free(ctx);
    return 0;
}
