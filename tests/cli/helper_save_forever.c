/* helper_save_forever FIRST SECOND PLACE: save the models FIRST and SECOND in PLACE, in turns, until
   somebody kills it. A line "saving" says that it has begun. */
#include <sepal/sepal.h>

#include <stdio.h>

int main(int count, char **words) {
    sepal_ctx *ctx;
    sepal_model *models[2];
    if (count != 4 || sepal_ctx_new(&ctx) != SEPAL_OK) return 64;
    for (int i = 0; i < 2; i++)
        if (sepal_model_load(&models[i], ctx, words[1 + i]) != SEPAL_OK) return 4;
    if (puts("saving") < 0 || fflush(stdout) != 0) return 1;
    for (int i = 0;; i = 1 - i) {
        if (sepal_model_save(ctx, models[i], words[3]) == SEPAL_OK) continue;
        (void)fprintf(stderr, "cannot save: %s\n", sepal_ctx_error(ctx));
        return 6;
    }
}
