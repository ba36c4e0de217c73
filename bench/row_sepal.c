/* How long one row takes without data and context: prints nanoseconds a row for the shapes and specs below. */
#include <sepal/sepal.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROWS = 400, COLUMNS = 100, TIMES = 2000 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Row i, dense or as entries in every fifth column; the class, so that nothing is left out. */
static int ask(const sepal_model *model, const double *row, int sparse) {
    static const int32_t index[20] = {0,  5,  10, 15, 20, 25, 30, 35, 40, 45,
                                      50, 55, 60, 65, 70, 75, 80, 85, 90, 95};
    int32_t class = 0;
    double scores[16];
    sepal_status status = sparse
                              ? sepal_model_predict_entries(&class, scores, model, index, row, 20)
                              : sepal_model_predict_row(&class, scores, model, row, COLUMNS);
    if (status != SEPAL_OK) exit(1);
    return class;
}

static double best_ns(const sepal_model *model, const double *x, int sparse) {
    double best = 1e9;
    int sum = 0;
    for (int run = 0; run < 5; run++) {
        double start = seconds();
        for (int i = 0; i < TIMES; i++) sum += ask(model, x + (size_t)(i % ROWS) * COLUMNS, sparse);
        double spent = (seconds() - start) / TIMES * 1e9;
        if (spent < best) best = spent;
    }
    return sum >= 0 ? best : 0;
}

int main(void) {
    static const char *const specs[] = {"logistic", "standardize | logistic", "lda",
                                        "poly(degree=2) | least-squares(l2=1)"};
    static double x[ROWS * COLUMNS];
    static int64_t labels[ROWS];
    sepal_ctx *ctx;
    if (sepal_ctx_new(&ctx) != SEPAL_OK) return 2;
    printf("%-40s %8s %10s %10s\n", "100 features", "classes", "dense, ns", "20 set, ns");
    for (int64_t classes = 2; classes <= 10; classes += 8)
        for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
            uint32_t state = 1;
            for (size_t i = 0; i < ROWS; i++) {
                labels[i] = (int64_t)i % classes;
                for (size_t j = 0; j < COLUMNS; j++) {
                    state = state * 1664525 + 1013904223;
                    x[i * COLUMNS + j] = (double)(state >> 8) / (1 << 24) +
                                         ((int64_t)j % classes == labels[i] ? 0.2 : 0);
                }
            }
            sepal_input in = {.size = sizeof in,
                              .rows = ROWS,
                              .columns = COLUMNS,
                              .values = x,
                              .label_numbers = labels};
            sepal_data *data;
            sepal_model *model;
            if (sepal_data_from(&data, ctx, &in) != SEPAL_OK ||
                sepal_model_fit(&model, NULL, ctx, specs[s], data, NULL) != SEPAL_OK) {
                fprintf(stderr, "row: %s\n", sepal_ctx_error(ctx));
                return 1;
            }
            printf("%-40s %8d %10.0f %10.0f\n", specs[s], (int)classes, best_ns(model, x, 0),
                   best_ns(model, x, 1));
            sepal_model_free(model);
            sepal_data_free(data);
        }
    sepal_ctx_free(ctx);
    return 0;
}
