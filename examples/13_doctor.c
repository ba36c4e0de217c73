/* What may harm a fit, found before it: a column that is known only after the class, and one that numbers the
   rows; then a file cut in two, for training and for testing. */
#include "sepal/sepal.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 120, COLUMNS = 4 };

static void must(sepal_ctx *ctx, sepal_status status) {
    if (status == SEPAL_OK) return;
    fprintf(stderr, "%s\n", sepal_ctx_error(ctx));
    exit(1);
}

static void print_findings(const sepal_report *report) {
    for (int i = 0;; i++) {
        char message[32], advice[32];
        (void)snprintf(message, sizeof message, "doctor.%d.message", i);
        (void)snprintf(advice, sizeof advice, "doctor.%d.advice", i);
        if (sepal_report_string(report, message) == NULL) break;
        printf("%s; %s\n", sepal_report_string(report, message),
               sepal_report_string(report, advice));
    }
}

/* A number from 0 to n - 1 that looks like chance. */
static int draw(unsigned *state, int n) {
    *state = *state * 1664525u + 1013904223u;
    return (int)((*state >> 16) % (unsigned)n);
}

/* Of rows in memory. */
static void examine(sepal_ctx *ctx) {
    static const char *const names[COLUMNS] = {"customer", "age", "refund", "visits"};
    double x[ROWS][COLUMNS];
    const char *labels[ROWS];
    unsigned state = 1;
    for (int i = 0; i < ROWS; i++) {
        int left = draw(&state, 5) < 2;
        x[i][0] = 1000 + i;
        x[i][1] = 20 + draw(&state, 50);
        x[i][2] = left ? 10 + draw(&state, 9) : 0; /* is paid to those who leave */
        x[i][3] = draw(&state, 11);
        labels[i] = left ? "leaves" : "stays";
    }
    sepal_input input = {.size = sizeof input, .rows = ROWS, .columns = COLUMNS};
    input.values = x;
    input.labels = labels;
    input.column_names = names;
    sepal_data *data = NULL;
    sepal_report *report = NULL;
    must(ctx, sepal_data_from(&data, ctx, &input));
    must(ctx, sepal_data_doctor(&report, ctx, data, "logistic"));
    print_findings(report);
    sepal_report_free(report);
    sepal_data_free(data);
}

/* Of a file, whatever its cells hold. */
static void examine_file(sepal_ctx *ctx, const char *path) {
    sepal_report *report = NULL;
    must(ctx, sepal_file_doctor(&report, ctx, path, NULL, "svm"));
    print_findings(report);
    sepal_report_free(report);
}

static void cut(sepal_ctx *ctx, const char *path) {
    sepal_report *report = NULL;
    must(ctx, sepal_file_split(&report, ctx, path, NULL, "test=0.2", "train.csv", "test.csv"));
    printf("%g rows to learn from, %g to test\n", sepal_report_number(report, "train.rows"),
           sepal_report_number(report, "test.rows"));
    sepal_report_free(report);
    remove("train.csv");
    remove("test.csv");
}

int main(void) {
    sepal_ctx *ctx = NULL;
    if (sepal_ctx_new(&ctx) != SEPAL_OK) return 1;
    examine(ctx);
    examine_file(ctx, "examples/data/digits.csv");
    cut(ctx, "examples/data/iris.csv");
    sepal_ctx_free(ctx);
    return 0;
}
