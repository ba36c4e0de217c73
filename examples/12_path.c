/* How strong should the penalty be? A path of lambda, judged by cross-validation, and its model. */
#include "sepal/sepal.h"

#include <stdio.h>

static void show(const sepal_report *report, const char *name, const char *key) {
    char place[64];
    snprintf(place, sizeof place, "%s.nonzero", key);
    double nonzero = sepal_report_number(report, place);
    snprintf(place, sizeof place, "%s.error", key);
    printf("%-14s %2.0f weights, error %.3f on held-out rows\n", name, nonzero,
           sepal_report_number(report, place));
}

int main(void) {
    static const char *const specs[] = {"standardize | logistic(penalty=l1)"};
    sepal_ctx *ctx = NULL;
    sepal_data *data = NULL;
    sepal_model *model = NULL;
    sepal_report *report = NULL;
    if (sepal_ctx_new(&ctx) != SEPAL_OK) return 1;
    int done =
        sepal_select(NULL, NULL, ctx, "path", specs, 1, NULL, "folds=5", NULL) == SEPAL_OK &&
        sepal_data_read(&data, ctx, "examples/data/breast_cancer.csv", NULL) == SEPAL_OK &&
        sepal_select(&model, &report, ctx, "path", specs, 1, data, "folds=5", NULL) == SEPAL_OK;
    if (done) {
        show(report, "strongest", "path.0");
        show(report, "least loss", "best");
        show(report, "one error off", "one_standard_error");
        printf("fitted: %s\n", sepal_model_learner(model));
    } else {
        fprintf(stderr, "%s\n", sepal_ctx_error(ctx));
    }
    sepal_report_free(report), sepal_model_free(model);
    sepal_data_free(data), sepal_ctx_free(ctx);
    return !done;
}
