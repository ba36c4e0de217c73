/* How well does it do on rows that it has not seen? Cross-validation, and its folds. */
#include "sepal/sepal.h"

#include <stdio.h>

static double at(const sepal_report *report, const char *of, const char *side) {
    char place[64];
    snprintf(place, sizeof place, "%s.%s.accuracy", of, side);
    return sepal_report_number(report, place);
}

int main(void) {
    static const char *const specs[] = {"standardize | rbf(centres=40) | logistic"};
    sepal_ctx *ctx = NULL;
    sepal_data *data = NULL;
    sepal_report *report = NULL;
    if (sepal_ctx_new(&ctx) != SEPAL_OK) return 1;
    int done = sepal_select(NULL, NULL, ctx, "cv", specs, 1, NULL, "folds=5", NULL) == SEPAL_OK &&
               sepal_data_read(&data, ctx, "examples/data/wine.csv", NULL) == SEPAL_OK &&
               sepal_select(NULL, &report, ctx, "cv", specs, 1, data, "folds=5", NULL) == SEPAL_OK;
    if (done) {
        for (int fold = 0; fold < 5; fold++) {
            char name[32];
            snprintf(name, sizeof name, "folds.%d", fold);
            printf("fold %d: %.3f of the rows learnt from, %.3f of those held out\n", fold + 1,
                   at(report, name, "train"), at(report, name, "valid"));
        }
        printf("mean:   %.3f and %.3f\n", at(report, "mean", "train"), at(report, "mean", "valid"));
    } else {
        fprintf(stderr, "%s\n", sepal_ctx_error(ctx));
    }
    sepal_report_free(report), sepal_data_free(data), sepal_ctx_free(ctx);
    return !done;
}
