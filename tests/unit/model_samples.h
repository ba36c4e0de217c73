/* Models made by hand and files written by hand, for the tests of model files. */
#ifndef SEPAL_TESTS_MODEL_SAMPLES_H
#define SEPAL_TESTS_MODEL_SAMPLES_H

#include "core/alloc.h"
#include "core/io.h"
#include "model/model.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> /* after core/context.h: it defines a macro fail() */

static struct sepal_ctx ctx;

static inline int fresh(void **state) {
    (void)state;
    ctx = (struct sepal_ctx){.root = &ctx};
    return 0;
}

/* ---- files -------------------------------------------------------------------------------- */

struct bytes {
    char *at;
    size_t size;
};

static inline struct bytes bytes_read(const char *path) {
    struct bytes bytes;
    assert_int_equal(input_slurp(&bytes.at, &bytes.size, &ctx, path, SEPAL_EMODEL), SEPAL_OK);
    return bytes;
}

static inline void bytes_write(const char *path, const char *at, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(at, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* ---- models ------------------------------------------------------------------------------- */

/* Numbers that are easy to lose: signs of zero, the ends of the range, long fractions. */
static inline void fill_numbers(double *out, size_t n, size_t start) {
    static const double awkward[] = {0.1,      -0.0,        DBL_MAX, -DBL_TRUE_MIN,
                                     -1.0 / 3, 6.02214e+23, 1e-300,  -12345.678901234567};
    enum { N = sizeof awkward / sizeof *awkward };
    for (size_t i = 0; i < n; i++) out[i] = awkward[(start + i) % N];
}

static inline sepal_model *begin_model(enum family family, const char *const *labels, size_t n) {
    sepal_model *model = model_new(&ctx);
    struct schema *schema = schema_new(&ctx);
    assert_true(model && schema);
    model->schema = schema;
    model->spec = n > 2 ? "perceptron(variant=averaged, epochs=10) | machine"
                        : "perceptron(variant=averaged, epochs=10)";
    model->learner = "perceptron";
    model->facts = (struct model_facts){.rows = 150,
                                        .total_weight = 149.75,
                                        .objective = 0.1,
                                        .gap = NAN,
                                        .iterations = 7,
                                        .converged = true};
    schema->family = family;
    schema->n_classes = n;
    schema->classes = arena_alloc(&ctx, &schema->arena, n, sizeof *schema->classes);
    assert_non_null(schema->classes);
    memcpy(schema->classes, labels, n * sizeof *labels);
    return model;
}

static inline struct schema *schema_of(sepal_model *model) {
    return (struct schema *)(uintptr_t)model->schema;
}

static inline void add_columns(sepal_model *model, const char *const *names, size_t n) {
    struct schema *schema = schema_of(model);
    schema->n_columns = n;
    schema->cells = n + 1;
    schema->target = "class";
    schema->target_position = n;
    schema->columns = arena_zero(&ctx, &schema->arena, n, sizeof *schema->columns);
    assert_non_null(schema->columns);
    for (size_t i = 0; i < n; i++)
        schema->columns[i] = (struct column){.name = names[i], .position = i};
}

static inline void add_categories(sepal_model *model, size_t i, const char *const *names,
                                  size_t n) {
    struct schema *schema = schema_of(model);
    struct column *column = &schema->columns[i];
    column->text = true;
    column->n_categories = n;
    column->categories = arena_alloc(&ctx, &schema->arena, n, sizeof *column->categories);
    assert_non_null(column->categories);
    memcpy(column->categories, names, n * sizeof *names);
}

static inline void add_fill(sepal_model *model, size_t i) {
    struct schema *schema = schema_of(model);
    struct column *column = &schema->columns[i];
    size_t n = column->text ? column->n_categories : 1;
    column->fill = arena_alloc(&ctx, &schema->arena, n, sizeof *column->fill);
    assert_non_null(column->fill);
    fill_numbers(column->fill, n, i);
}

/* Lay the columns out and give the model its weights. */
static inline sepal_model *end_model(sepal_model *model, bool centred) {
    struct schema *schema = schema_of(model);
    struct linear *linear = &model->linear;
    schema_layout(schema);
    assert_int_equal(linear_init(linear, &ctx, schema->n_classes, schema->width, centred),
                     SEPAL_OK);
    fill_numbers(linear->w, linear->rows * linear->cols, 0);
    fill_numbers(linear->b, linear->rows, 3);
    if (centred) fill_numbers(linear->centre, linear->cols, 5);
    return model;
}

/* Two classes, a number and a text with two categories: the file has some 1,200 bytes. */
static inline sepal_model *small_model(void) {
    static const char *const labels[] = {"no", "yes"}, *const names[] = {"age", "colour"},
                             *const colours[] = {"blue", "red"};
    sepal_model *model = begin_model(FAMILY_TABLE, labels, 2);
    schema_of(model)->header = true;
    add_columns(model, names, 2);
    add_categories(model, 1, colours, 2);
    return end_model(model, true);
}

#endif
