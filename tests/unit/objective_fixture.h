/* Random objectives for the tests of src/objective: rows of every way to keep them, beside plain
   doubles of what they hold. */
#ifndef SEPAL_TESTS_OBJECTIVE_FIXTURE_H
#define SEPAL_TESTS_OBJECTIVE_FIXTURE_H

#include "core/alloc.h"
#include "fixture.h"
#include "seed.h"
#include "objective/objective.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#undef fail
#include <cmocka.h>

static const struct loss *const all_losses[] = {&loss_logistic, &loss_hinge, &loss_squared_hinge,
                                                &loss_squared};
enum { LOSSES = sizeof all_losses / sizeof *all_losses };

/* Ways to keep the rows: dense f32, dense f64, and the four of sparse ones. */
enum { WAYS_TO_KEEP = 6 };

struct sample {
    struct matrix matrix;
    double *x;      /* rows x cols, less nothing */
    double *centre; /* what the objective takes off, or zeros */
    int32_t *label;
    double *row_weight;
    struct arena arena;
    struct objective o;
};

static inline double normal(struct rng *rng) {
    return sqrt(-2 * log(1 - rng_unit(rng))) * cos(2 * acos(-1) * rng_unit(rng));
}

static inline void *numbers(size_t n) {
    void *out = calloc(n + 1, sizeof(double));
    assert_non_null(out);
    return out;
}

/* A value that the way can keep; 0: none is stored. */
static inline double draw(struct rng *rng, size_t way, double row_value, double mean) {
    if (way >= 2 && rng_below(rng, 3) != 0) return 0;
    if (way == 2) return 1;
    if (way == 3) return row_value;
    double value = normal(rng) + mean;
    return way % 2 == 0 ? (double)(float)value : value;
}

static inline void fill_sparse(struct block *block, const double *x, size_t cols, size_t way) {
    static const enum values values[] = {VALUES_ONES, VALUES_ROW, VALUES_F32, VALUES_F64};
    size_t entries = 0;
    block->values = values[way - 2];
    assert_int_equal(block_alloc(ctx, block, cols, block->rows * cols), SEPAL_OK);
    for (size_t i = 0; i < block->rows; i++) {
        block->start[i] = entries;
        if (block->values == VALUES_ROW) block->f64[i] = 0; /* of a row without entries */
        for (size_t j = 0; j < cols; j++) {
            double value = x[i * cols + j];
            if (value == 0) continue;
            if (block->values == VALUES_ROW) block->f64[i] = value;
            if (block->values == VALUES_F32) block->f32[entries] = (float)value;
            if (block->values == VALUES_F64) block->f64[entries] = value;
            block->index[entries++] = (uint32_t)j;
        }
    }
    block->start[block->rows] = entries;
}

static inline void fill_rows(struct sample *s, size_t way) {
    struct matrix *m = &s->matrix;
    for (size_t b = 0; b < m->n_blocks; b++) {
        struct block *block = &m->blocks[b];
        const double *x = s->x + block->first_row * m->cols;
        if (way >= 2) {
            fill_sparse(block, x, m->cols, way);
            continue;
        }
        block->values = way == 0 ? VALUES_F32 : VALUES_F64;
        assert_int_equal(block_alloc(ctx, block, m->cols, block->rows * m->cols), SEPAL_OK);
        for (size_t i = 0; i < block->rows; i++)
            block_store_row(block, i, x + i * m->cols, m->cols);
    }
}

/* What the objective's rows are centred by: dense ones by their means, sparse ones as a map would. */
static inline void centre_rows(struct sample *s, struct rng *rng, bool centred) {
    struct objective *o = &s->o;
    s->centre = numbers(s->matrix.cols);
    if (!centred) return;
    if (!s->matrix.sparse) {
        assert_int_equal(objective_centre(s->centre, o), SEPAL_OK);
        return;
    }
    for (size_t j = 0; j < s->matrix.cols; j++) s->centre[j] = normal(rng);
    for (size_t b = 0; b < s->matrix.n_blocks; b++) s->matrix.blocks[b].centre = s->centre;
}

static inline struct sample *sample_new(struct rng *rng, size_t rows, size_t cols, size_t way,
                                        enum bias bias, bool centred, double mean) {
    struct sample *s = calloc(1, sizeof *s);
    assert_non_null(s);
    assert_int_equal(matrix_init(&s->matrix, ctx, rows, cols, way >= 2), SEPAL_OK);
    s->x = numbers(rows * cols);
    s->row_weight = numbers(rows);
    s->label = numbers(rows);
    for (size_t i = 0; i < rows; i++) {
        double row_value = normal(rng);
        s->label[i] = i < 2 ? (int32_t)i : (int32_t)rng_below(rng, 2);
        s->row_weight[i] = (0.1 + rng_unit(rng)) / (double)rows;
        for (size_t j = 0; j < cols; j++) s->x[i * cols + j] = draw(rng, way, row_value, mean);
    }
    fill_rows(s, way);
    s->o = (struct objective){.ctx = ctx,
                              .arena = &s->arena,
                              .x = &s->matrix,
                              .loss = &loss_logistic,
                              .label = s->label,
                              .row_weight = s->row_weight,
                              .bias = bias};
    centre_rows(s, rng, centred);
    assert_int_equal(objective_init(&s->o), SEPAL_OK);
    return s;
}

static inline void sample_free(struct sample *s) {
    matrix_clear(&s->matrix);
    arena_clear(&s->arena);
    free(s->x);
    free(s->centre);
    free(s->label);
    free(s->row_weight);
    free(s);
}

/* ---- plain loops ------------------------------------------------------------------------------ */

static inline long double plain_x(const struct sample *s, size_t i, size_t j) {
    return j == s->o.cols ? 1 : (long double)s->x[i * s->o.cols + j] - s->centre[j];
}

static inline long double plain_score(const struct sample *s, size_t i, const double *u) {
    long double sum = 0;
    for (size_t j = 0; j < s->o.width; j++) sum += plain_x(s, i, j) * u[j];
    return sum;
}

static inline long double plain_loss(const struct loss *loss, long double m) {
    long double under = m < 1 ? 1 - m : 0;
    if (loss == &loss_hinge) return under;
    if (loss == &loss_squared_hinge) return under * under;
    if (loss == &loss_squared) return (1 - m) * (1 - m) / 2;
    return m > 0 ? log1pl(expl(-m)) : -m + log1pl(expl(m));
}

static inline long double plain_objective(const struct sample *s, const double *u) {
    const struct objective *o = &s->o;
    long double sum = 0;
    for (size_t i = 0; i < o->n; i++)
        sum += s->row_weight[i] *
               plain_loss(o->loss, plain_score(s, i, u) * (s->label[i] == 1 ? 1 : -1));
    for (size_t j = 0; j < o->penalised; j++)
        sum += o->l1 * fabsl(u[j]) + o->l2 / 2 * (long double)u[j] * u[j];
    return sum;
}

#endif
