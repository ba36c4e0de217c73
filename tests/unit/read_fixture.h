/* What the tests of reading share: a context, files in the working folder, data sets compared. */
#ifndef SEPAL_TESTS_READ_FIXTURE_H
#define SEPAL_TESTS_READ_FIXTURE_H

#include "core/alloc.h"
#include "core/parallel.h"
#include "seed.h"
#include "read_prepared.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> /* after core/context.h: it defines a macro fail() */

static const unsigned widths[] = {1, 2, 3, 7};
enum { N_WIDTHS = sizeof widths / sizeof *widths };

static struct sepal_ctx ctx;

static inline void forget_warnings(void) {
    for (size_t i = 0; i < ctx.n_warnings; i++)
        mem_free((char *)(uintptr_t)ctx.warnings[i].message);
    mem_free(ctx.warnings);
    ctx.warnings = NULL;
    ctx.n_warnings = 0;
}

static inline int fresh(void **state) {
    (void)state;
    ctx = (struct sepal_ctx){
        .root = &ctx, .seed = 1, .threads = 2, .kernels = kernels_choose(), .option_prefix = "--"};
    return 0;
}

static inline int clean(void **state) {
    (void)state;
    pool_free(ctx.pool);
    forget_warnings();
    return 0;
}

static inline bool warned(const char *code) {
    for (size_t i = 0; i < ctx.n_warnings; i++)
        if (strcmp(ctx.warnings[i].code, code) == 0) return true;
    return false;
}

static inline void put_bytes(const char *path, const char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void put(const char *path, const char *text) {
    put_bytes(path, text, strlen(text));
}

static inline void say_error(const char *what) {
    fail_msg("%s: %s:%zu:%zu: %s", what, ctx.error.file, ctx.error.line, ctx.error.column,
             ctx.error.message);
}

/* Rows to learn from. */
static inline sepal_data *must_read(const char *path, const char *options) {
    sepal_data *data;
    if (read_prepared(&data, &ctx, path, options, NULL, true) != SEPAL_OK) say_error(path);
    assert_non_null(data);
    return data;
}

static inline sepal_data *must_read_for(const char *path, const char *options,
                                        const sepal_data *training, bool with_labels) {
    sepal_data *data;
    if (read_prepared(&data, &ctx, path, options, training->schema, with_labels) != SEPAL_OK)
        say_error(path);
    assert_non_null(data);
    return data;
}

/* Where and why a file must be refused; line 0: any place. */
struct refusal {
    size_t line, column;
    const char *message;
};

static inline void assert_refused(const char *path, const char *options, const sepal_data *training,
                                  bool with_labels, struct refusal wanted) {
    sepal_data *data;
    const struct schema *schema = training ? training->schema : NULL;
    sepal_status status = read_prepared(&data, &ctx, path, options, schema, with_labels);
    assert_null(data);
    assert_int_equal(status, SEPAL_EDATA);
    assert_string_equal(ctx.error.file, path);
    if (!strstr(ctx.error.message, wanted.message) ||
        (wanted.line && (ctx.error.line != wanted.line || ctx.error.column != wanted.column)))
        fail_msg("%zu:%zu: '%s', not %zu:%zu: '%s'", ctx.error.line, ctx.error.column,
                 ctx.error.message, wanted.line, wanted.column, wanted.message);
}

/* What training refuses, each text in a file of its own. */
struct refused_text {
    const char *text, *options;
    struct refusal refusal;
};

static inline void assert_texts_refused(const char *path, const struct refused_text *cases,
                                        size_t n) {
    for (size_t i = 0; i < n; i++) {
        put(path, cases[i].text);
        assert_refused(path, cases[i].options, NULL, true, cases[i].refusal);
    }
}

/* One number of the matrix. */
static inline double number_at(const sepal_data *data, size_t row, size_t column) {
    size_t local, at = 0, here;
    const struct block *block = matrix_block_of(&data->matrix, row, &local);
    for (double value; row_next(block, local, data->matrix.cols, &at, &here, &value);)
        if (here == column) return value;
    return 0;
}

static inline const char *label_at(const sepal_data *data, size_t row) {
    return data_label_name(data, (size_t)data->label[row]);
}

/* The names of all matrix columns, "a b=x b=y". */
static inline void names_of(char *out, size_t room, const sepal_data *data) {
    struct text names = {0};
    for (size_t j = 0; j < data->matrix.cols; j++) {
        if (j) text_puts(&ctx, &names, " ");
        schema_column_name(&ctx, &names, data->schema, j);
    }
    snprintf(out, room, "%s", names.bytes ? names.bytes : "");
    text_clear(&names);
}

/* The same bits in the same kind of storage. */
static inline void assert_same_matrix(const struct matrix *a, const struct matrix *b) {
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->cols, b->cols);
    assert_int_equal(a->sparse, b->sparse);
    assert_int_equal(a->nonzeros, b->nonzeros);
    assert_int_equal(a->n_blocks, b->n_blocks);
    for (size_t k = 0; k < a->n_blocks; k++) {
        const struct block *x = &a->blocks[k], *y = &b->blocks[k];
        assert_int_equal(x->rows, y->rows);
        assert_int_equal(x->first_row, y->first_row);
        assert_int_equal(x->sparse, y->sparse);
        assert_int_equal(x->values, y->values);
        size_t n = x->sparse ? x->start[x->rows] : x->rows * a->cols;
        if (x->sparse) {
            assert_memory_equal(x->start, y->start, (x->rows + 1) * sizeof *x->start);
            assert_memory_equal(x->index, y->index, n * sizeof *x->index);
        }
        if (x->values == VALUES_F32) assert_memory_equal(x->f32, y->f32, n * sizeof *x->f32);
        if (x->values == VALUES_F64) assert_memory_equal(x->f64, y->f64, n * sizeof *x->f64);
        if (x->values == VALUES_ROW) assert_memory_equal(x->f64, y->f64, x->rows * sizeof *x->f64);
    }
}

static inline void assert_same_data(const sepal_data *a, const sepal_data *b) {
    assert_same_matrix(&a->matrix, &b->matrix);
    size_t rows = a->matrix.rows;
    assert_int_equal(a->schema->n_classes, b->schema->n_classes);
    for (size_t k = 0; k < a->schema->n_classes; k++)
        assert_string_equal(a->schema->classes[k], b->schema->classes[k]);
    assert_true((a->label != NULL) == (b->label != NULL));
    if (a->label) assert_memory_equal(a->label, b->label, rows * sizeof *a->label);
    assert_true((a->weight != NULL) == (b->weight != NULL));
    if (a->weight) assert_memory_equal(a->weight, b->weight, rows * sizeof *a->weight);
    assert_memory_equal(&a->total_weight, &b->total_weight, sizeof a->total_weight);
}

#endif
