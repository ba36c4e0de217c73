/* How long sepal_fit takes on small data: prints the median of many fits in seconds.
   usage: iris_fit DATA SPEC OPTIONS FITS MODEL   (MODEL: where the last one is saved) */
#include <sepal/sepal.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int count, char **words) {
    sepal_ctx *ctx;
    sepal_data *data;
    sepal_model *model = NULL;
    if (count != 6 || sepal_ctx_new(&ctx) != SEPAL_OK) return 2;
    size_t fits = strtoul(words[4], NULL, 10);
    double *seconds = calloc(fits, sizeof *seconds);
    sepal_status status = sepal_data_read(&data, ctx, words[1], NULL);
    for (size_t i = 0; i < fits && seconds && status == SEPAL_OK; i++) {
        sepal_model_free(model);
        double start = now();
        status = sepal_fit(&model, NULL, ctx, words[2], data, words[3]);
        seconds[i] = now() - start;
    }
    if (status == SEPAL_OK) status = sepal_model_save(ctx, model, words[5]);
    if (status != SEPAL_OK || !seconds || fits == 0) {
        fprintf(stderr, "%s\n", sepal_ctx_error(ctx));
        return 1;
    }
    qsort(seconds, fits, sizeof *seconds, ascending);
    printf("%.9f\n", seconds[fits / 2]);
    free(seconds);
    sepal_model_free(model);
    sepal_data_free(data);
    sepal_ctx_free(ctx);
    return 0;
}
