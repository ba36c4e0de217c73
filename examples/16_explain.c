/* Why does this row get its score? What each feature adds to it, down to the last bit. */
#include "sepal/sepal.h"

#include <stdio.h>
#include <stdlib.h>

static int show(sepal_ctx *ctx, const sepal_model *model, const double *numbers, size_t width) {
    for (size_t j = 0; j < width; j++) {
        char *name = NULL;
        if (sepal_model_output_name(&name, ctx, model, SEPAL_CONTRIBUTIONS, j) != SEPAL_OK)
            return 0;
        if (j + 1 < width) printf("%-24s %+.3f\n", name, numbers[j]);
        sepal_text_free(name);
    }
    return 1;
}

int main(void) {
    sepal_ctx *ctx = NULL;
    sepal_data *data = NULL;
    sepal_model *model = NULL;
    sepal_predictions explained = {.size = sizeof explained, .what = SEPAL_CONTRIBUTIONS};
    if (sepal_ctx_new(&ctx) != SEPAL_OK) return 1;
    int done =
        sepal_data_read(&data, ctx, "examples/data/breast_cancer.csv",
                        "only=\"worst_radius,worst_texture,worst_smoothness\"") == SEPAL_OK &&
        sepal_model_fit(&model, NULL, ctx, "standardize | logistic", data, NULL) == SEPAL_OK;
    size_t width = done ? sepal_model_outputs(model, SEPAL_CONTRIBUTIONS) : 0;
    explained.numbers = calloc(width + 1, sizeof *explained.numbers);
    done = done && explained.numbers != NULL &&
           sepal_model_predict_rows(&explained, ctx, model, data, 0, 1, NULL) == SEPAL_OK &&
           show(ctx, model, explained.numbers, width);
    if (!done) fprintf(stderr, "%s\n", sepal_ctx_error(ctx));
    free(explained.numbers), sepal_model_free(model);
    sepal_data_free(data), sepal_ctx_free(ctx);
    return !done;
}
