/* Which method, and with which value of its parameter? Three of them compared on the same folds, then a grid of C,
   whose model keeps the cutoff that costs least when a miss is ten times as bad as a false alarm. */
#include "sepal/sepal.h"

#include <stdio.h>

static void compared(const sepal_report *report) {
    for (int k = 0; k < 3; k++) {
        char spec[64], mean[64];
        snprintf(spec, sizeof spec, "compare.models.%d.spec_in_short", k);
        snprintf(mean, sizeof mean, "compare.models.%d.mean", k);
        printf("%-27s accuracy %.3f\n", sepal_report_string(report, spec),
               sepal_report_number(report, mean));
    }
    printf("of the first two p = %.2f\n",
           sepal_report_number(report, "compare.pairs.0.p_adjusted"));
}

static void tuned(const sepal_report *report) {
    printf("chosen: %s\n", sepal_report_string(report, "tuning.chosen.spec"));
    printf("cutoff %.2f costs %.3f a row, 0.5 costs %.3f\n",
           sepal_report_number(report, "cutoff.value"), sepal_report_number(report, "cutoff.score"),
           sepal_report_number(report, "cutoff.score_at_half"));
}

int main(void) {
    static const char *const methods[] = {"standardize | logistic", "standardize | svm",
                                          "naive-bayes(kind=gaussian)"};
    static const char grid[] = "over=\"C=0.01:10:log:4\", cutoff-for=cost, cost-fn=10";
    sepal_ctx *ctx = NULL;
    sepal_data *data = NULL;
    sepal_model *model = NULL;
    sepal_report *comparison = NULL, *tuning = NULL;
    if (sepal_ctx_new(&ctx) != SEPAL_OK) return 1;
    int done =
        sepal_data_read(&data, ctx, "examples/data/breast_cancer.csv", NULL) == SEPAL_OK &&
        sepal_select(NULL, &comparison, ctx, "compare", methods, 3, data, NULL, NULL) == SEPAL_OK &&
        sepal_select(&model, &tuning, ctx, "tune", methods, 1, data, grid, NULL) == SEPAL_OK;
    if (done) {
        compared(comparison);
        tuned(tuning);
    } else {
        fprintf(stderr, "%s\n", sepal_ctx_error(ctx));
    }
    sepal_report_free(comparison), sepal_report_free(tuning);
    sepal_model_free(model), sepal_data_free(data), sepal_ctx_free(ctx);
    return !done;
}
