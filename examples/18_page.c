/* A page of HTML about a model: its metrics, pictures, coefficients, and the rows that it gets wrong. */
#include "sepal/sepal.h"

#include <stdio.h>
#include <string.h>

int main(void) {
    sepal_ctx *ctx = NULL;
    sepal_data *data = NULL, *held = NULL, *train = NULL;
    sepal_model *model = NULL;
    sepal_report *fit = NULL, *judgement = NULL;
    char *page = NULL;
    if (sepal_ctx_new(&ctx) != SEPAL_OK) return 1;
    int done =
        sepal_data_read(&data, ctx, "examples/data/iris.csv", NULL) == SEPAL_OK &&
        sepal_data_split(&train, &held, ctx, data, 0.3) == SEPAL_OK &&
        sepal_model_fit(&model, &fit, ctx, "standardize | softmax", train, NULL) == SEPAL_OK &&
        sepal_model_evaluate(&judgement, ctx, model, held, "curves=true") == SEPAL_OK &&
        sepal_page(&page, ctx, model, held, judgement, fit, NULL, NULL) == SEPAL_OK;
    if (done) {
        printf("accuracy %.3f on held-out rows\n", sepal_report_number(judgement, "accuracy"));
        printf("the page %s, %s\n",
               strstr(page, "<h2 id=h-weights>") ? "has coefficients" : "lacks",
               strlen(page) < 1000000 ? "and is below 1 MB" : "and is large");
    } else {
        fprintf(stderr, "%s\n", sepal_ctx_error(ctx));
    }
    sepal_text_free(page), sepal_report_free(judgement), sepal_report_free(fit);
    sepal_model_free(model), sepal_data_free(train), sepal_data_free(held);
    sepal_data_free(data), sepal_ctx_free(ctx);
    return !done;
}
