/* What the tests of the public interface share: a context, three classes of rows, a model of them. */
#ifndef TESTS_API_FIXTURE_H
#define TESTS_API_FIXTURE_H

#include "sepal/sepal.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 24, COLUMNS = 2 };

static sepal_ctx *ctx;
static sepal_data *data; /* three classes a, b, c */
static sepal_model *model;
static double x[ROWS * COLUMNS];
static const char *labels[ROWS];

static inline void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static inline int set_up(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b", "c"};
    for (size_t i = 0; i < ROWS; i++) {
        labels[i] = names[i % 3];
        for (size_t j = 0; j < COLUMNS; j++)
            x[i * COLUMNS + j] = (double)(i % 3 == j ? 4 : 1) + sin((double)(i * i + j));
    }
    if (sepal_ctx_new(&ctx) != SEPAL_OK) return -1;
    sepal_ctx_set_threads(ctx, 1);
    if (sepal_data_dense(&data, ctx, x, ROWS, COLUMNS, labels, NULL) != SEPAL_OK) return -1;
    if (sepal_model_fit(&model, NULL, ctx, "lda", data, NULL) != SEPAL_OK) return -1;
    write_file("rows.csv", "p,q,class\n1,2,a\n3,4,b\n2,0,a\n5,1,b\n");
    return sepal_model_save(ctx, model, "misuse.sepal") == SEPAL_OK ? 0 : -1;
}

static inline int tear_down(void **state) {
    (void)state;
    sepal_model_free(model);
    sepal_data_free(data);
    sepal_ctx_free(ctx);
    return 0;
}

static inline sepal_report *some_report(void) {
    sepal_report *report = NULL;
    assert_int_equal(sepal_data_describe(&report, ctx, data), SEPAL_OK);
    return report;
}

#endif
