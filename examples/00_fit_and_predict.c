/* Learn from an array, then say the class of points that were not in it.

   Ten days are told apart by temperature (degrees Celsius) and wind (km/h): good for a walk, or
   better for a book. */
#include "sepal/sepal.h"

#include <stdio.h>
#include <stdlib.h>

enum { DAYS = 10, FEATURES = 2, QUESTIONS = 3 };

static const double days[DAYS][FEATURES] = {
    {21, 5}, {18, 12}, {25, 8}, {16, 3}, {23, 20}, {4, 10}, {12, 45}, {-2, 2}, {8, 30}, {1, 25},
};
static const char *const labels[DAYS] = {
    "walk", "walk", "walk", "walk", "walk", "book", "book", "book", "book", "book",
};
static const double questions[QUESTIONS][FEATURES] = {{20, 10}, {3, 15}, {14, 50}};

/* Every call that can fail returns a status; the message waits in the context. */
static void must(sepal_ctx *ctx, sepal_status status) {
    if (status == SEPAL_OK) return;
    fprintf(stderr, "%s\n", sepal_ctx_error(ctx));
    exit(1);
}

int main(void) {
    sepal_ctx *ctx = NULL;
    if (sepal_ctx_new(&ctx) != SEPAL_OK) return 1;

    sepal_data *known = NULL, *asked = NULL;
    must(ctx, sepal_data_dense(&known, ctx, &days[0][0], DAYS, FEATURES, labels, NULL));
    must(ctx, sepal_data_dense(&asked, ctx, &questions[0][0], QUESTIONS, FEATURES, NULL, NULL));

    sepal_model *model = NULL;
    sepal_report *report = NULL;
    must(ctx, sepal_model_fit(&model, &report, ctx, "perceptron", known, NULL));
    printf("%.0f updates, %.0f of %d days wrong\n",
           sepal_report_number(report, "perceptron.updates"),
           sepal_report_number(report, "train.errors"), DAYS);

    int32_t answer[QUESTIONS];
    double score[QUESTIONS]; /* two classes have one score; 0 and above is the second class */
    must(ctx, sepal_model_predict(answer, ctx, model, asked));
    must(ctx, sepal_model_scores(score, ctx, model, asked));
    for (int i = 0; i < QUESTIONS; i++)
        printf("%g degrees, wind %g: %s (score %g)\n", questions[i][0], questions[i][1],
               sepal_model_class(model, (size_t)answer[i]), score[i]);

    sepal_report_free(report);
    sepal_model_free(model);
    sepal_data_free(asked);
    sepal_data_free(known);
    sepal_ctx_free(ctx);
    return 0;
}
