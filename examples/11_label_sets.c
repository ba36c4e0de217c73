/* Rows with any number of labels: learn each of them, then say which ones new rows have.

   Songs have a tempo (beats a minute) and a volume; listeners call them calm, happy and loud, or none of
   these. A byte for each song and label says whether the song has it. */
#include "sepal/sepal.h"

#include <stdio.h>
#include <stdlib.h>

enum { SONGS = 10, FEATURES = 2, LABELS = 3, QUESTIONS = 3 };

static const double songs[SONGS][FEATURES] = {{60, 2},  {70, 3},  {90, 2}, {110, 6}, {120, 8},
                                              {150, 9}, {140, 9}, {65, 7}, {100, 3}, {80, 1}};
static const unsigned char called[SONGS][LABELS] = {{1, 0, 0}, {1, 1, 0}, {1, 1, 0}, {0, 1, 0},
                                                    {0, 1, 1}, {0, 0, 1}, {0, 1, 1}, {0, 0, 1},
                                                    {0, 1, 0}, {1, 0, 0}};
static const char *const names[LABELS] = {"calm", "happy", "loud"};
static const double questions[QUESTIONS][FEATURES] = {{75, 2}, {125, 8}, {70, 6}};

static void must(sepal_ctx *ctx, sepal_status status) {
    if (status == SEPAL_OK) return;
    fprintf(stderr, "%s\n", sepal_ctx_error(ctx));
    exit(1);
}

int main(void) {
    sepal_ctx *ctx = NULL;
    if (sepal_ctx_new(&ctx) != SEPAL_OK) return 1;

    sepal_data *known = NULL, *asked = NULL;
    sepal_input input = {.size = sizeof input,
                         .rows = SONGS,
                         .columns = FEATURES,
                         .values = songs,
                         .label_count = LABELS,
                         .label_bits = &called[0][0],
                         .label_names = names};
    must(ctx, sepal_data_from(&known, ctx, &input));
    printf("the first song is called");
    for (size_t j = 0; j < sepal_data_label_count(known, 0); j++)
        printf(" %s", sepal_data_label_at(known, 0, j));
    printf("\n");
    must(ctx, sepal_data_dense(&asked, ctx, &questions[0][0], QUESTIONS, FEATURES, NULL, NULL));

    sepal_model *model = NULL;
    sepal_report *report = NULL;
    must(ctx, sepal_model_fit(&model, &report, ctx, "standardize | multilabel", known, NULL));
    if (!sepal_model_label_sets(model)) return 1; /* it gives sets: predict_rows, not predict */
    printf("%.0f of %d songs with all labels right; Hamming loss %.3f\n",
           SONGS - sepal_report_number(report, "train.errors"), SONGS,
           sepal_report_number(report, "train.hamming_loss"));

    signed char has[QUESTIONS][LABELS];
    double p[QUESTIONS][LABELS];
    sepal_predictions out = {
        .size = sizeof out, .labels = &has[0][0], .numbers = &p[0][0], .what = SEPAL_PROBABILITIES};
    must(ctx, sepal_model_predict_rows(&out, ctx, model, asked, 0, QUESTIONS, NULL));
    for (int i = 0; i < QUESTIONS; i++) {
        printf("tempo %g, volume %g:", questions[i][0], questions[i][1]);
        for (int k = 0; k < LABELS; k++)
            printf(" %s%s (%.2f)", has[i][k] ? "" : "not ", sepal_model_class(model, (size_t)k),
                   p[i][k]);
        printf("\n");
    }

    sepal_report_free(report);
    sepal_model_free(model);
    sepal_data_free(asked);
    sepal_data_free(known);
    sepal_ctx_free(ctx);
    return 0;
}
