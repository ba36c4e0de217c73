/* One far outlier turns the line of least squares, though it lies on the right side of it.

   Least squares wants the score of every row near +1 or -1, so a row that is very right costs as much
   as one that is very wrong. Logistic regression charges ln(1 + e^-score): at a score above 30 that
   is less than 1e-13, so such a row moves nothing, provided that nothing else depends on how many
   rows there are (no penalty, or a fixed C; l2 is beside the mean loss, where every row counts).
   The pictures show both lines with the outlier. */
#include "sepal/sepal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 24, ALL = ROWS + 1 };

static const double points[ALL][2] = {
    {1, 4}, {2, 2}, {3, 3}, {2, 5}, {4, 1}, {1, 2}, {3, 5},  {5, 2}, {4, 3},
    {2, 3}, {5, 4}, {3, 1}, {6, 5}, {5, 7}, {7, 4}, {6, 7},  {8, 5}, {7, 6},
    {5, 5}, {4, 6}, {8, 3}, {6, 3}, {7, 8}, {4, 4}, {50, 0}, /* the last one is the outlier */
};
static const char *const specs[] = {"least-squares", "logistic(penalty=none)", "logistic(C=1)"};
static const char *const pictures[] = {"02_outlier-least-squares.svg", "02_outlier-logistic.svg",
                                       NULL};
enum { SPECS = sizeof specs / sizeof *specs };

/* w1, w2, b; then how many of the points without the outlier it gets wrong. */
struct line {
    double w[3];
    int wrong;
};

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

/* The line learnt from the first `rows` points, and a picture of it, if it has a name. */
static struct line learn(sepal_ctx *ctx, const char *spec, size_t rows, const char *picture) {
    static const double steps[3][2] = {{1, 0}, {0, 1}, {0, 0}};
    const char *labels[ALL];
    for (size_t i = 0; i < rows; i++) labels[i] = i < ROWS / 2 ? "left" : "right";
    sepal_data *known = NULL, *plain = NULL, *probe = NULL;
    sepal_model *model = NULL;
    must(ctx, sepal_data_dense(&known, ctx, &points[0][0], rows, 2, labels, NULL));
    must(ctx, sepal_data_dense(&plain, ctx, &points[0][0], ROWS, 2, NULL, NULL));
    must(ctx, sepal_data_dense(&probe, ctx, &steps[0][0], 3, 2, NULL, NULL));
    must(ctx, sepal_model_fit(&model, NULL, ctx, spec, known, "tol=1e-14"));

    int32_t class[ROWS];
    struct line line = {0};
    must(ctx, sepal_model_predict(class, ctx, model, plain));
    for (int i = 0; i < ROWS; i++) line.wrong += class[i] != (i >= ROWS / 2);
    /* scores one step along each axis, and at the origin: the differences are weights */
    must(ctx, sepal_model_scores(line.w, ctx, model, probe));
    line.w[0] -= line.w[2];
    line.w[1] -= line.w[2];
    if (picture) draw(ctx, picture, "regions", model, known);

    sepal_model_free(model);
    sepal_data_free(probe);
    sepal_data_free(plain);
    sepal_data_free(known);
    return line;
}

static double turned(const struct line *from, const struct line *to) {
    double before = atan2(from->w[1], from->w[0]), after = atan2(to->w[1], to->w[0]);
    return fabs(after - before) * 180 / acos(-1);
}

/* How far the weights and the bias have moved, as a share of their length. */
static double moved(const struct line *from, const struct line *to) {
    double square = 0, length = 0;
    for (int j = 0; j < 3; j++) {
        square += (to->w[j] - from->w[j]) * (to->w[j] - from->w[j]);
        length += from->w[j] * from->w[j];
    }
    return sqrt(square / length);
}

int main(void) {
    sepal_ctx *ctx = NULL;
    if (sepal_ctx_new(&ctx) != SEPAL_OK) return 1;
    for (int i = 0; i < SPECS; i++) {
        struct line before = learn(ctx, specs[i], ROWS, NULL);
        struct line after = learn(ctx, specs[i], ALL, pictures[i]);
        const double *w = before.w, *outlier = points[ROWS];
        char change[32] = "less than 1e-6"; /* the digits below are rounding */
        if (moved(&before, &after) >= 1e-6)
            snprintf(change, sizeof change, "%.2f", moved(&before, &after));
        double score = w[0] * outlier[0] + w[1] * outlier[1] + w[2];
        printf("%s: an outlier with a score of %.1f turns the line by %.2f degrees and moves the "
               "weights by %s; %d of %d rows wrong, then %d\n",
               specs[i], score, turned(&before, &after), change, before.wrong, ROWS, after.wrong);
    }
    sepal_ctx_free(ctx);
    return 0;
}
