/* One far outlier turns the line of least squares, though it lies on the right side of it.

   Least squares wants the score of every row near +1 or -1, so a row that is very right costs as much
   as one that is very wrong. Logistic regression asks of such a row no more than of any other: its
   line does not move. */
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
static const char *const specs[] = {"least-squares", "logistic(penalty=none)"};

static void must(sepal_ctx *ctx, sepal_status status) {
    if (status == SEPAL_OK) return;
    fprintf(stderr, "%s\n", sepal_ctx_error(ctx));
    exit(1);
}

/* The line of the first `rows` points: the direction of its weights in degrees, and how many of the
   points without the outlier it gets wrong. */
static double direction(sepal_ctx *ctx, const char *spec, size_t rows, int *wrong) {
    static const double steps[3][2] = {{0, 0}, {1, 0}, {0, 1}};
    const char *labels[ALL];
    for (size_t i = 0; i < rows; i++) labels[i] = i < ROWS / 2 ? "left" : "right";
    sepal_data *known = NULL, *plain = NULL, *probe = NULL;
    sepal_model *model = NULL;
    must(ctx, sepal_data_dense(&known, ctx, &points[0][0], rows, 2, labels, NULL));
    must(ctx, sepal_data_dense(&plain, ctx, &points[0][0], ROWS, 2, NULL, NULL));
    must(ctx, sepal_data_dense(&probe, ctx, &steps[0][0], 3, 2, NULL, NULL));
    must(ctx, sepal_fit(&model, NULL, ctx, spec, known, "tol=1e-12"));

    int32_t class[ROWS];
    must(ctx, sepal_predict(class, ctx, model, plain));
    *wrong = 0;
    for (int i = 0; i < ROWS; i++) *wrong += class[i] != (i >= ROWS / 2);
    double score[3]; /* at the origin, and one step along each axis: the differences are weights */
    must(ctx, sepal_scores(score, ctx, model, probe));

    sepal_model_free(model);
    sepal_data_free(probe);
    sepal_data_free(plain);
    sepal_data_free(known);
    return atan2(score[2] - score[0], score[1] - score[0]) * 180 / acos(-1);
}

int main(void) {
    sepal_ctx *ctx = NULL;
    if (sepal_ctx_new(&ctx) != SEPAL_OK) return 1;
    for (int i = 0; i < 2; i++) {
        int before, after;
        double from = direction(ctx, specs[i], ROWS, &before);
        double to = direction(ctx, specs[i], ALL, &after);
        printf("%s: the outlier turns the line by %.2f degrees; %d of %d rows wrong, then %d\n",
               specs[i], fabs(to - from), before, ROWS, after);
    }
    sepal_ctx_free(ctx);
    return 0;
}
