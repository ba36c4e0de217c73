/* The table of coefficients of logistic regression without a penalty. */
#include "sepal/sepal.h"

#include <stdio.h>
#include <stdlib.h>

static void must(sepal_ctx *ctx, sepal_status status) {
    if (status == SEPAL_OK) return;
    fprintf(stderr, "%s\n", sepal_ctx_error(ctx));
    exit(1);
}

int main(void) {
    sepal_ctx *ctx = NULL;
    sepal_data *data = NULL;
    sepal_model *model = NULL;
    sepal_report *report = NULL;
    char *table = NULL;
    if (sepal_ctx_new(&ctx) != SEPAL_OK) return 1;
    must(ctx, sepal_data_read(&data, ctx, "examples/data/breast_cancer.csv",
                              "only=\"mean_radius,mean_texture,mean_smoothness\""));
    must(ctx, sepal_model_fit(&model, NULL, ctx, "logistic(penalty=none)", data, NULL));
    must(ctx, sepal_model_summary(&report, ctx, model)); /* the model has all that it needs */
    must(ctx, sepal_report_text(&table, ctx, report));
    printf("%s", table);
    printf("by theory: %s, AIC %.3f\n", sepal_report_string(report, "summary.errors"),
           sepal_report_number(report, "summary.aic"));
    sepal_text_free(table);
    sepal_report_free(report);
    sepal_model_free(model);
    sepal_data_free(data);
    sepal_ctx_free(ctx);
    return 0;
}
