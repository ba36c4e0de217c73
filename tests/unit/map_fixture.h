/* What the tests of maps share: matrices from plain arrays, and maps from a spec. */
#ifndef SEPAL_TESTS_MAP_FIXTURE_H
#define SEPAL_TESTS_MAP_FIXTURE_H

#include "core/alloc.h"
#include "core/parallel.h"
#include "seed.h"
#include "core/spec.h"
#include "maps/map_chain.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef fail
#include <cmocka.h>

#include "dense_rows.h"

static struct sepal_ctx ctx;
static struct arena arena;

static inline int fresh(void **state) {
    (void)state;
    ctx = (struct sepal_ctx){.root = &ctx, .kernels = kernels_choose(), .seed = 1, .threads = 1};
    arena = (struct arena){0};
    return 0;
}

static inline int clean(void **state) {
    (void)state;
    arena_clear(&arena);
    pool_free(ctx.pool);
    return 0;
}

static inline double normal(struct rng *rng) {
    return sqrt(-2 * log(1 - rng_unit(rng))) * cos(2 * acos(-1) * rng_unit(rng));
}

/* Normal numbers, of which about a share of `full` are not 0. */
static inline double *draw(struct rng *rng, size_t rows, size_t cols, double full) {
    double *x = malloc(rows * cols * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < rows * cols; i++) {
        double value = normal(rng);
        x[i] = rng_unit(rng) < full ? value : 0;
    }
    return x;
}

static inline void fill_block(struct block *block, const double *x, size_t cols) {
    size_t n = 0;
    for (size_t i = 0; i < block->rows; i++) {
        const double *row = x + (block->first_row + i) * cols;
        if (!block->sparse) {
            block_store_row(block, i, row, cols);
            continue;
        }
        block->start[i] = n;
        for (size_t j = 0; j < cols; j++) {
            if (row[j] == 0) continue;
            block->index[n] = (uint32_t)j;
            block->f64[n++] = row[j];
        }
    }
    if (block->sparse) block->start[block->rows] = n;
}

static inline struct matrix matrix_of(const double *x, size_t rows, size_t cols, bool sparse) {
    struct matrix matrix;
    assert_int_equal(matrix_init(&matrix, &ctx, rows, cols, sparse), SEPAL_OK);
    for (size_t b = 0; b < matrix.n_blocks; b++) {
        struct block *block = &matrix.blocks[b];
        block->values = VALUES_F64;
        assert_int_equal(block_alloc(&ctx, block, cols, block->rows * cols), SEPAL_OK);
        fill_block(block, x, cols);
    }
    return matrix;
}

/* The maps of a spec, with their parameters. */
static inline struct map_chain map_chain_of(const char *text) {
    struct map_chain chain = {0};
    struct spec spec;
    if (spec_parse(&spec, &ctx, &arena, text) != SEPAL_OK) fail_msg("%s", ctx.error.message);
    assert_true(spec.n_stages <= MAP_CHAIN_MOST);
    for (size_t s = 0; s < spec.n_stages; s++) {
        const struct map *map = map_find(spec.stages[s].name);
        assert_non_null(map);
        void *config = arena_zero(&ctx, &arena, 1, map->config_size + 1);
        if (parameters_fill(config, &ctx, &arena, map->parameters, map->name,
                            spec.stages[s].settings, spec.stages[s].n_settings) != SEPAL_OK)
            fail_msg("%s", ctx.error.message);
        chain.maps[chain.n++] = (struct fitted_map){.map = map, .config = config};
    }
    return chain;
}

/* A chain with phi of the rows it was fitted to. */
struct fitted {
    struct map_chain chain;
    struct matrix phi;
    double *numbers; /* of phi, dense */
};

static inline struct fitted fit_matrix(const char *text, const struct matrix *x,
                                       const double *weight) {
    struct fitted fitted = {.chain = map_chain_of(text)};
    if (map_chain_fit(&fitted.chain, &fitted.phi, &ctx, &arena, x, weight) != SEPAL_OK)
        fail_msg("%s: %s", text, ctx.error.message);
    fitted.numbers = dense_of(&fitted.phi);
    return fitted;
}

static inline struct fitted fit_rows(const char *text, const double *x, size_t rows, size_t cols,
                                     bool sparse, const double *weight) {
    struct matrix matrix = matrix_of(x, rows, cols, sparse);
    struct fitted fitted = fit_matrix(text, &matrix, weight);
    matrix_clear(&matrix);
    return fitted;
}

static inline void fitted_clear(struct fitted *fitted) {
    matrix_clear(&fitted->phi);
    free(fitted->numbers);
}

/* The same maps on other rows; to be freed. */
static inline double *map_rows_of(const struct map_chain *chain, const double *x, size_t rows,
                                  size_t cols, bool sparse) {
    struct matrix matrix = matrix_of(x, rows, cols, sparse), phi;
    assert_int_equal(map_chain_matrix(&phi, &ctx, chain, &matrix), SEPAL_OK);
    double *out = dense_of(&phi);
    matrix_clear(&phi);
    matrix_clear(&matrix);
    return out;
}

/* A fit that must fail with this status and words in its message. */
static inline void refuse(const char *text, const double *x, size_t rows, size_t cols,
                          sepal_status status, const char *words) {
    for (int sparse = 0; sparse < 2; sparse++) {
        struct matrix matrix = matrix_of(x, rows, cols, sparse), phi;
        struct map_chain chain = map_chain_of(text);
        sepal_status found = map_chain_fit(&chain, &phi, &ctx, &arena, &matrix, NULL);
        if (found != status || !strstr(ctx.error.message, words))
            fail_msg("%s: status %d, '%s'", text, (int)found, ctx.error.message);
        assert_null(phi.blocks);
        matrix_clear(&matrix);
    }
}

static inline void near(double found, double wanted, double tolerance, const char *where) {
    if (!(fabs(found - wanted) <= tolerance * fmax(1, fabs(wanted))))
        fail_msg("%s: %.17g is not %.17g", where, found, wanted);
}

static inline void print_x(sepal_ctx *mine, struct text *out, size_t j, const void *payload) {
    (void)payload;
    text_printf(mine, out, "x%zu", j + 1);
}

/* The name of column j after all maps; to be freed by mem_free. */
static inline char *name_of(const struct map_chain *chain, size_t j) {
    struct text text = {0};
    struct map_names inputs = {.print = print_x};
    map_chain_name(&ctx, &text, chain, chain->n, j, &inputs);
    char *name = text_take(&ctx, &text);
    assert_non_null(name);
    return name;
}

#endif
