/* What the tests of laws over all tables share: small tables, what becomes of them (rows in another
   order, copies for weights, ...), and what a pipeline makes of a table. */
#ifndef TESTS_LAWS_H
#define TESTS_LAWS_H

#include "contract/least_squares_problem.h"
#include "seed.h"

#include "model/model.h"
#include "report/report.h"

struct table {
    size_t rows, cols, classes;
    double *x, *weight; /* weight NULL: all 1 */
    int *label;
    const char *const *names; /* of the classes */
    bool sparse;              /* how it is to be kept */
};

static const char *const plain_names[] = {"a", "b", "c", "d"};

static inline struct table table_new(size_t rows, size_t cols, size_t classes) {
    struct table t = {.rows = rows, .cols = cols, .classes = classes, .names = plain_names};
    t.x = calloc(rows * cols + 1, sizeof *t.x);
    t.weight = malloc(rows * sizeof *t.weight);
    t.label = malloc(rows * sizeof *t.label);
    assert_true(t.x && t.weight && t.label);
    for (size_t i = 0; i < rows; i++) t.weight[i] = 1;
    return t;
}

static inline void table_free(struct table *t) {
    free(t->x);
    free(t->weight);
    free(t->label);
}

/* Classes that overlap, values of at least 0 with zeros among them, weights of 1 to 3: what every
   learner takes. `exact`: all are small multiples of 1/8, so that sums of them are exact in any order,
   for walks that a rounding could send another way; else nothing ties that need not. */
static inline struct table table_random(struct rng *rng, size_t rows, size_t cols, size_t classes,
                                        bool exact) {
    struct table t = table_new(rows, cols, classes);
    for (size_t i = 0; i < rows; i++) {
        t.label[i] = (int)(i % classes);
        t.weight[i] = (double)(1 + rng_below(rng, 3));
        for (size_t j = 0; j < cols; j++) {
            double value = (double)rng_below(rng, 17) / 8 + (j % classes == i % classes);
            if (!exact) value += rng_unit(rng) / 8;
            t.x[i * cols + j] = rng_below(rng, 4) == 0 ? 0 : value;
        }
    }
    return t;
}

/* The least that holds the values of a sparse block, as the readers choose it. */
static inline enum values least_values(const struct block *block) {
    bool ones = true, by_row = true, singles = true;
    for (size_t i = 0; i < block->rows; i++)
        for (size_t at = block->start[i]; at < block->start[i + 1]; at++) {
            ones = ones && block->f64[at] == 1;
            by_row = by_row && block->f64[at] == block->f64[block->start[i]];
            singles = singles && single_holds(block->f64[at]);
        }
    return ones ? VALUES_ONES : by_row ? VALUES_ROW : singles ? VALUES_F32 : VALUES_F64;
}

static inline void pack_block(struct block *block, sepal_ctx *ctx) {
    double *all = block->f64;
    size_t entries = block->start[block->rows];
    block->values = least_values(block);
    if (block->values == VALUES_F64) return;
    block->f64 = NULL;
    if (block->values == VALUES_ROW) {
        block->f64 = mem_zero(ctx, block->rows, sizeof *block->f64);
        assert_non_null(block->f64);
        for (size_t i = 0; i < block->rows; i++)
            if (block->start[i] < block->start[i + 1]) block->f64[i] = all[block->start[i]];
    } else if (block->values == VALUES_F32) {
        block->f32 = mem_alloc(ctx, entries, sizeof *block->f32);
        assert_non_null(block->f32);
        for (size_t at = 0; at < entries; at++) block->f32[at] = (float)all[at];
    }
    mem_free(all);
}

static inline sepal_data *table_data(const struct table *t, sepal_ctx *ctx) {
    const char **labels = malloc(t->rows * sizeof *labels);
    assert_non_null(labels);
    for (size_t i = 0; i < t->rows; i++) labels[i] = t->names[t->label[i]];
    sepal_data *data = NULL;
    if (sepal_data_dense(&data, ctx, t->x, t->rows, t->cols, labels, t->weight) != SEPAL_OK)
        fail_msg("%s", sepal_ctx_error(ctx));
    free(labels);
    if (t->sparse) make_sparse(data, ctx);
    for (size_t b = 0; t->sparse && b < data->matrix.n_blocks; b++)
        pack_block(&data->matrix.blocks[b], ctx);
    return data;
}

/* ---- what becomes of a table -------------------------------------------------------------- */

static inline void row_copy(struct table *to, size_t at, const struct table *from, size_t i) {
    to->label[at] = from->label[i];
    to->weight[at] = from->weight[i];
    for (size_t j = 0; j < from->cols; j++) to->x[at * to->cols + j] = from->x[i * from->cols + j];
}

static inline struct table table_copy(const struct table *t) {
    struct table out = table_new(t->rows, t->cols, t->classes);
    out.names = t->names;
    out.sparse = t->sparse;
    for (size_t i = 0; i < t->rows; i++) row_copy(&out, i, t, i);
    return out;
}

static inline struct table with_rows_permuted(const struct table *t, struct rng *rng) {
    struct table out = table_copy(t);
    uint32_t *order = malloc(t->rows * sizeof *order);
    assert_non_null(order);
    for (size_t i = 0; i < t->rows; i++) order[i] = (uint32_t)i;
    rng_shuffle(rng, order, t->rows);
    for (size_t i = 0; i < t->rows; i++) row_copy(&out, i, t, order[i]);
    free(order);
    return out;
}

static inline struct table with_columns_turned(const struct table *t) {
    struct table out = table_copy(t);
    for (size_t i = 0; i < t->rows; i++)
        for (size_t j = 0; j < t->cols; j++)
            out.x[i * t->cols + j] = t->x[i * t->cols + (j + 1) % t->cols];
    return out;
}

static inline struct table with_weights_times(const struct table *t, double factor) {
    struct table out = table_copy(t);
    for (size_t i = 0; i < t->rows; i++) out.weight[i] *= factor;
    return out;
}

/* A row of weight k as k rows of weight 1. */
static inline struct table with_copies(const struct table *t) {
    size_t n = 0;
    for (size_t i = 0; i < t->rows; i++) n += (size_t)t->weight[i];
    struct table out = table_new(n, t->cols, t->classes);
    out.names = t->names;
    out.sparse = t->sparse;
    n = 0;
    for (size_t i = 0; i < t->rows; i++)
        for (size_t k = 0; k < (size_t)t->weight[i]; k++) {
            row_copy(&out, n, t, i);
            out.weight[n++] = 1;
        }
    return out;
}

static inline struct table with_column(const struct table *t, double value) {
    struct table out = table_new(t->rows, t->cols + 1, t->classes);
    out.names = t->names;
    out.sparse = t->sparse;
    for (size_t i = 0; i < t->rows; i++) {
        row_copy(&out, i, t, i);
        out.x[i * out.cols + t->cols] = value;
    }
    return out;
}

/* ---- what a pipeline makes of it ---------------------------------------------------------- */

struct made {
    sepal_status status;
    sepal_model *model;
    sepal_report *report;
    size_t width;  /* scores a row */
    double *score; /* of every row of the table asked about */
};

static inline void made_free(struct made *made) {
    sepal_model_free(made->model);
    sepal_report_free(made->report);
    free(made->score);
}

/* The pipeline fitted to `train`, and its scores of the rows of `asked`. */
static inline struct made make(sepal_ctx *ctx, const char *spec, const char *options,
                               const struct table *train, const struct table *asked) {
    struct made out = {0};
    sepal_data *data = table_data(train, ctx), *rows = table_data(asked, ctx);
    sepal_ctx_clear_warnings(ctx);
    out.status = sepal_model_fit(&out.model, &out.report, ctx, spec, data, options);
    if (out.status == SEPAL_OK) {
        out.width = sepal_model_outputs(out.model, SEPAL_SCORES);
        out.score = malloc(asked->rows * out.width * sizeof *out.score);
        assert_non_null(out.score);
        assert_int_equal(sepal_model_scores(out.score, ctx, out.model, rows), SEPAL_OK);
    }
    sepal_data_free(data);
    sepal_data_free(rows);
    return out;
}

static inline double largest_of(const double *numbers, size_t n) {
    double largest = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(numbers[i]));
    return largest;
}

#endif
