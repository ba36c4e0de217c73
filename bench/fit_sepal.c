/* Fits of ours, by the C interface, in a process that holds the rows: as its peers are run.
   usage: fit_sepal DATA READ_OPTIONS THREADS
   THREADS 0: as many as there are cores.
   Each line of standard input, SPEC tab OPTIONS tab MODEL, is a fit; the model is saved as MODEL. The
   answer is a line, "SECONDS tab CPU_SECONDS tab OBJECTIVE tab SOLVER tab ITERATIONS tab GAP", or "error tab
   MESSAGE". */
#include <sepal/sepal.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Small fits, of two classes and of three. */
static void warm_up(sepal_ctx *ctx, const char *spec, int classes) {
    enum { ROWS = 60, COLS = 4 };
    static const char *const names[] = {"a", "b", "c"};
    const char *labels[ROWS];
    double x[ROWS * COLS];
    sepal_data *data;
    sepal_model *model;
    for (int i = 0; i < ROWS; i++) labels[i] = names[i % classes];
    for (int k = 0; k < ROWS * COLS; k++) x[k] = (k * k % 17) / 16.0;
    if (sepal_data_dense(&data, ctx, x, ROWS, COLS, labels, NULL) != SEPAL_OK) return;
    if (sepal_model_fit(&model, NULL, ctx, spec, data, NULL) == SEPAL_OK) sepal_model_free(model);
    sepal_data_free(data);
}

static void answer(sepal_ctx *ctx, const sepal_data *data, char *line) {
    const char *spec = strtok(line, "\t"), *options = strtok(NULL, "\t"),
               *path = strtok(NULL, "\t");
    sepal_model *model;
    sepal_report *report;
    warm_up(ctx, spec, 2);
    warm_up(ctx, spec, 3);
    double start = now(CLOCK_MONOTONIC), cpu_start = now(CLOCK_PROCESS_CPUTIME_ID);
    sepal_status status = sepal_model_fit(&model, &report, ctx, spec, data, options);
    double seconds = now(CLOCK_MONOTONIC) - start,
           cpu_seconds = now(CLOCK_PROCESS_CPUTIME_ID) - cpu_start;
    if (status == SEPAL_OK) {
        status = sepal_model_save(ctx, model, path);
        if (status == SEPAL_OK)
            printf("%.9f\t%.9f\t%.17g\t%s\t%g\t%g\n", seconds, cpu_seconds,
                   sepal_report_number(report, "objective"), sepal_report_string(report, "solver"),
                   sepal_report_number(report, "iterations"), sepal_report_number(report, "gap"));
        sepal_model_free(model);
        sepal_report_free(report);
    }
    if (status != SEPAL_OK) printf("error\t%s\n", sepal_ctx_error(ctx));
    sepal_ctx_clear_warnings(ctx);
    fflush(stdout);
}

/* The peers run in a process that has freed large arrays before, after which the C library keeps freed
   memory for the next fit; here one is freed for that. */
static void use_heap(void) {
    enum { BYTES = 1 << 24 };
    volatile char *array = malloc(BYTES);
    if (array) array[0] = 1;
    free((void *)array);
}

int main(int count, char **words) {
    char line[4096];
    sepal_ctx *ctx;
    sepal_data *data;
    use_heap();
    if (count != 4 || sepal_ctx_new(&ctx) != SEPAL_OK) return 2;
    sepal_ctx_set_threads(ctx, (unsigned)atoi(words[3]));
    if (sepal_data_read(&data, ctx, words[1], words[2]) != SEPAL_OK) {
        fprintf(stderr, "%s\n", sepal_ctx_error(ctx));
        return 1;
    }
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        answer(ctx, data, line);
    }
    sepal_data_free(data);
    sepal_ctx_free(ctx);
    return 0;
}
