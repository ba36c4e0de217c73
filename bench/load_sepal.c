/* How long Sepal takes to read a file, from the start of the process, and what memory it takes:
   prints seconds, bytes of the parsed matrix, peak bytes of the process. */
#include <sepal/sepal.h>

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static struct timespec start;

__attribute__((constructor)) static void note_start(void) {
    clock_gettime(CLOCK_MONOTONIC, &start);
}

static double seconds_since_start(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start.tv_sec) + 1e-9 * (double)(now.tv_nsec - start.tv_nsec);
}

int main(int count, char **words) {
    sepal_ctx *ctx;
    sepal_data *data;
    sepal_report *report;
    enum { LARGE = 1 << 17 }; /* large blocks go back to the system when freed, as in the command */
    mallopt(M_MMAP_THRESHOLD, LARGE);
    mallopt(M_TRIM_THRESHOLD, LARGE);
    if (count != 3 || sepal_ctx_new(&ctx) != SEPAL_OK) return 2;
    sepal_ctx_set_threads(ctx, (unsigned)strtoul(words[2], NULL, 10));
    if (sepal_data_read(&data, ctx, words[1], NULL) != SEPAL_OK) {
        fprintf(stderr, "%s\n", sepal_ctx_error(ctx));
        return 1;
    }
    double seconds = seconds_since_start();
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    if (sepal_data_describe(&report, ctx, data) != SEPAL_OK) return 1;
    printf("%.6f %.0f %.0f\n", seconds, sepal_report_number(report, "memory"),
           (double)usage.ru_maxrss * 1024);
    sepal_report_free(report);
    sepal_data_free(data);
    sepal_ctx_free(ctx);
    return 0;
}
