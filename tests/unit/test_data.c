/* Data sets made from arrays and from other data sets. */
#include "unit/read_fixture.h"

#include <math.h>

static const char *const classes[] = {"b", "a", "c"};

static sepal_data *from_array(const double *x, size_t rows, size_t cols, const char *const *labels,
                              const double *weights) {
    sepal_data *data;
    if (data_from_dense(&data, &ctx, x, rows, cols, labels, weights) != SEPAL_OK)
        say_error("array");
    return data;
}

static void test_arrays(void **state) {
    (void)state;
    enum { ROWS = 900, COLS = 3 }; /* more than one block */
    static double x[ROWS * COLS];
    static const char *labels[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        labels[i] = classes[i % 3];
        for (size_t j = 0; j < COLS; j++)
            x[i * COLS + j] = i < 512 ? (double)(i % 100) / 4 : (double)i / 3;
    }
    sepal_data *data = from_array(x, ROWS, COLS, labels, NULL);
    assert_int_equal(data->matrix.blocks[0].values, VALUES_F32); /* block by block */
    assert_int_equal(data->matrix.blocks[1].values, VALUES_F64);
    size_t nonzeros = 0;
    for (size_t i = 0; i < ROWS; i++) {
        assert_string_equal(label_at(data, i), labels[i]);
        for (size_t j = 0; j < COLS; j++) {
            assert_true(number_at(data, i, j) == x[i * COLS + j]);
            nonzeros += x[i * COLS + j] != 0;
        }
    }
    assert_int_equal(data->matrix.nonzeros, nonzeros);
    assert_true(data->total_weight == ROWS);
    data_free(data);
}

static void test_refused_arrays(void **state) {
    (void)state;
    static const double wrong[] = {NAN, INFINITY, -INFINITY};
    static const char *const labels[] = {"a", "b"};
    double x[4] = {1, 2, 3, 4}, weights[2] = {1, 1};
    sepal_data *data;
    for (size_t k = 0; k < 3; k++) {
        x[3] = wrong[k];
        assert_int_equal(data_from_dense(&data, &ctx, x, 2, 2, labels, NULL), SEPAL_EDATA);
        assert_non_null(strstr(ctx.error.message, "row 2, column 2"));
        assert_null(data);
        x[3] = 4;
        weights[1] = k == 2 ? -1 : wrong[k];
        assert_int_equal(data_from_dense(&data, &ctx, x, 2, 2, labels, weights), SEPAL_EDATA);
        assert_non_null(strstr(ctx.error.message, "weight of row 2"));
    }
    weights[0] = weights[1] = 0;
    assert_int_equal(data_from_dense(&data, &ctx, x, 2, 2, labels, weights), SEPAL_EDATA);
    assert_int_equal(data_from_dense(&data, &ctx, x, 0, 2, labels, NULL), SEPAL_EDATA);
}

/* Rows of weight 0 are as good as absent, and so is a class that no other row has. */
static void test_weight_zero_is_deletion(void **state) {
    (void)state;
    static const char *const labels[] = {"b", "c", "a", "b"}, *const rest_labels[] = {"b", "a"};
    static const double x[] = {1, 2, 3, 4}, weights[] = {1, 0, 2, 0}, rest[] = {1, 3},
                        rest_weights[] = {1, 2};
    sepal_data *a = from_array(x, 4, 1, labels, weights);
    sepal_data *b = from_array(rest, 2, 1, rest_labels, rest_weights);
    assert_same_data(a, b);
    assert_int_equal(a->schema->n_classes, 2);
    data_free(a);
    data_free(b);
}

/* Light rows count beside a heavy one, however the rows came in. */
static void test_total_weight(void **state) {
    (void)state;
    static const char *const labels[] = {"a", "b", "a"};
    static const double x[] = {1, 2, 3}, weights[] = {0x1p53, 1, 1};
    static const size_t all[] = {0, 1, 2};
    sepal_data *rows = from_array(x, 3, 1, labels, weights), *again;
    put("weights.csv", "x,w,class\n1,9007199254740992,a\n2,1,b\n3,1,a\n");
    sepal_data *read = must_read("weights.csv", "weight=w");
    assert_int_equal(data_select(&again, &ctx, rows, all, 3), SEPAL_OK);
    assert_true(rows->total_weight == 0x1p53 + 2);
    assert_true(again->total_weight == 0x1p53 + 2);
    assert_true(read->total_weight == 0x1p53 + 2);
    data_free(rows);
    data_free(again);
    data_free(read);
}

static void test_memory_failures(void **state) {
    (void)state;
    static const char *const labels[] = {"b", "c", "a", "b"};
    static const double x[] = {1, 2, 3, 4}, weights[] = {1, 0, 2, 3};
    for (int on = 0; on < 2; on++)
        for (size_t k = 1;; k++) {
            sepal_data *data, *rest, *part;
            ctx.faults[FAULT_ALLOC] = (struct fault){.fail_at = k, .from_then_on = on};
            sepal_status status = data_from_dense(&data, &ctx, x, 4, 1, labels, weights);
            if (status == SEPAL_OK) status = data_split(&rest, &part, &ctx, data, 0.4);
            bool hit = atomic_load(&ctx.faults[FAULT_ALLOC].calls) >= k;
            ctx.faults[FAULT_ALLOC].fail_at = 0;
            data_free(data);
            if (!hit) {
                assert_int_equal(status, SEPAL_OK);
                data_free(rest);
                data_free(part);
                break;
            }
            assert_int_equal(status, SEPAL_EMEMORY);
        }
}

/* ---- choosing rows ------------------------------------------------------------------------ */

static sepal_data *sparse_data(void) {
    struct text text = {0};
    struct rng rng = rng_make(test_seed(1), 1);
    for (size_t i = 0; i < 900; i++) {
        text_printf(&ctx, &text, "%s 1:%zu", classes[i % 3], i + 1);
        for (size_t j = 2; j < 1100; j += 1 + (size_t)rng_below(&rng, 300))
            text_printf(&ctx, &text, " %zu:%g", j, rng_unit(&rng));
        text_puts(&ctx, &text, "\n");
    }
    put_bytes("select.svm", text.bytes, text.length);
    text_clear(&text);
    sepal_data *data = must_read("select.svm", "n-features=1100");
    assert_true(data->matrix.sparse && data->matrix.n_blocks > 1);
    return data;
}

static sepal_data *dense_data(void) {
    enum { ROWS = 6000 };
    static double x[ROWS * 2], weights[ROWS];
    static const char *labels[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        x[2 * i] = (double)(i + 1);
        x[2 * i + 1] = i < 512 ? 0 : (double)i / 3;
        weights[i] = (double)(i % 5 + 1);
        labels[i] = classes[i % 3];
    }
    return from_array(x, ROWS, 2, labels, weights);
}

static void assert_row(const sepal_data *a, size_t i, const sepal_data *b, size_t j) {
    size_t here, there, p = 0, q = 0, c, d;
    const struct block *x = matrix_block_of(&a->matrix, i, &here);
    const struct block *y = matrix_block_of(&b->matrix, j, &there);
    double v, w;
    while (row_next(x, here, a->matrix.cols, &p, &c, &v)) {
        assert_true(row_next(y, there, b->matrix.cols, &q, &d, &w));
        assert_true(c == d && v == w);
    }
    assert_false(row_next(y, there, b->matrix.cols, &q, &d, &w));
    assert_int_equal(a->label[i], b->label[j]);
    assert_true(data_weight(a, i) == data_weight(b, j));
}

static void test_select(void **state) {
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        sepal_data *data = sparse ? sparse_data() : dense_data(), *some;
        struct rng rng = rng_make(test_seed(4), 4);
        size_t rows[500], nonzeros = 0, n = sizeof rows / sizeof *rows;
        double total = 0;
        for (size_t i = 0; i < n; i++) rows[i] = (size_t)rng_below(&rng, data->matrix.rows);
        assert_int_equal(data_select(&some, &ctx, data, rows, n), SEPAL_OK);
        assert_int_equal(some->matrix.rows, n);
        for (size_t i = 0; i < n; i++) {
            size_t local, at = 0, column;
            const struct block *block = matrix_block_of(&some->matrix, i, &local);
            for (double v; row_next(block, local, some->matrix.cols, &at, &column, &v);) nonzeros++;
            assert_row(some, i, data, rows[i]);
            total += data_weight(data, rows[i]);
        }
        assert_int_equal(some->matrix.nonzeros, nonzeros);
        assert_true(some->total_weight == total);
        data_free(data); /* the schema has two owners */
        assert_string_equal(some->schema->classes[0], "a");
        data_free(some);
    }
}

/* All rows, chosen one by one, are kept in the same form as they were read. */
static void test_select_keeps_the_storage(void **state) {
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        sepal_data *data = sparse ? sparse_data() : dense_data(), *same;
        size_t n = data->matrix.rows, *rows = malloc(n * sizeof *rows);
        assert_non_null(rows);
        for (size_t i = 0; i < n; i++) rows[i] = i;
        assert_int_equal(data_select(&same, &ctx, data, rows, n), SEPAL_OK);
        assert_int_equal(same->matrix.n_blocks, data->matrix.n_blocks);
        assert_int_equal(same->matrix.nonzeros, data->matrix.nonzeros);
        for (size_t b = 0; b < data->matrix.n_blocks; b++)
            assert_int_equal(same->matrix.blocks[b].values, data->matrix.blocks[b].values);
        free(rows);
        data_free(data);
        data_free(same);
    }
}

/* Every row on one side, the order kept, each class split by its share, the seed alone decides. */
static void test_split(void **state) {
    (void)state;
    static const double shares[] = {0.1, 0.25, 0.5, 0.9};
    sepal_data *data = dense_data();
    for (size_t s = 0; s < sizeof shares / sizeof *shares; s++) {
        sepal_data *rest, *part, *again, *again_part;
        assert_int_equal(data_split(&rest, &part, &ctx, data, shares[s]), SEPAL_OK);
        size_t i = 0, j = 0, of_class[3] = {0};
        for (size_t row = 0; row < data->matrix.rows; row++) {
            bool left = i < rest->matrix.rows && number_at(rest, i, 0) == (double)(row + 1);
            if (left) {
                assert_row(rest, i++, data, row);
            } else {
                assert_true(j < part->matrix.rows);
                of_class[part->label[j]]++;
                assert_row(part, j++, data, row);
            }
        }
        assert_int_equal(i, rest->matrix.rows);
        assert_int_equal(j, part->matrix.rows);
        for (size_t k = 0; k < 3; k++)
            assert_int_equal(of_class[k], (size_t)(shares[s] * 2000 + 0.5));
        ctx.threads = 7;
        assert_int_equal(data_split(&again, &again_part, &ctx, data, shares[s]), SEPAL_OK);
        assert_same_data(part, again_part);
        data_free(again);
        data_free(again_part);
        ctx.seed++;
        assert_int_equal(data_split(&again, &again_part, &ctx, data, shares[s]), SEPAL_OK);
        bool same = true;
        for (size_t row = 0; row < part->matrix.rows; row++)
            same = same && number_at(part, row, 0) == number_at(again_part, row, 0);
        assert_false(same);
        data_free(again);
        data_free(again_part);
        data_free(rest);
        data_free(part);
    }
    data_free(data);
    static const double one[] = {1};
    static const char *const label[] = {"a"};
    sepal_data *rest, *part;
    data = from_array(one, 1, 1, label, NULL);
    assert_int_equal(data_split(&rest, &part, &ctx, data, 0.5), SEPAL_EDATA);
    assert_true(!rest && !part);
    data_free(data);
}

/* However large the share, a class keeps a row to be learnt from. */
static void test_split_leaves_every_class(void **state) {
    (void)state;
    const double x[] = {1, 2, 3, 4, 5};
    static const char *const labels[] = {"a", "b", "b", "b", "b"};
    sepal_data *data, *rest, *part;
    assert_int_equal(data_from_dense(&data, &ctx, x, 5, 1, labels, NULL), SEPAL_OK);
    assert_int_equal(data_split(&rest, &part, &ctx, data, 0.95), SEPAL_OK);
    assert_int_equal(rest->matrix.rows, 2);
    assert_int_equal(rest->label[0] + rest->label[1], 1);
    data_free(data);
    data_free(rest);
    data_free(part);
}

static void test_labels_that_are_none(void **state) {
    (void)state;
    static const char *const bad[] = {"", "?", "NaN", "na", "-inf", "caf\xe9"};
    double one = 1;
    sepal_data *data;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(data_from_dense(&data, &ctx, &one, 1, 1, &bad[i], NULL), SEPAL_EDATA);
        assert_null(data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_arrays, fresh, clean),
        cmocka_unit_test_setup_teardown(test_refused_arrays, fresh, clean),
        cmocka_unit_test_setup_teardown(test_weight_zero_is_deletion, fresh, clean),
        cmocka_unit_test_setup_teardown(test_total_weight, fresh, clean),
        cmocka_unit_test_setup_teardown(test_memory_failures, fresh, clean),
        cmocka_unit_test_setup_teardown(test_select, fresh, clean),
        cmocka_unit_test_setup_teardown(test_select_keeps_the_storage, fresh, clean),
        cmocka_unit_test_setup_teardown(test_split, fresh, clean),
        cmocka_unit_test_setup_teardown(test_split_leaves_every_class, fresh, clean),
        cmocka_unit_test_setup_teardown(test_labels_that_are_none, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
