/* What is written is read back bit for bit, and the same rows as CSV and as LIBSVM are the same
   data, stored the same way. */
#include "unit/read_fixture.h"

#include <math.h>

enum { MOST_ROWS = 700, MOST_COLS = 1200 };
static double numbers[MOST_ROWS * MOST_COLS], weights[MOST_ROWS];
static const char *labels[MOST_ROWS];

enum kind { ONES, CONSTANT, SINGLE, DOUBLE, MIXED, KINDS };

static double any_double(struct rng *rng) {
    for (;;) {
        uint64_t bits = rng_next(rng);
        double number;
        memcpy(&number, &bits, sizeof number);
        if (isfinite(number) && number != 0) return number;
    }
}

static double draw(struct rng *rng, enum kind kind, double row_value) {
    switch (kind) {
    case ONES: return 1;
    case CONSTANT: return row_value;
    case SINGLE: return (double)(float)(rng_unit(rng) * 100 - 50);
    case DOUBLE: return rng_below(rng, 2) ? any_double(rng) : rng_unit(rng);
    default: return 0;
    }
}

/* Random rows; MIXED changes the kind with every block, so that all kinds meet in one file. */
static void draw_rows(struct rng *rng, size_t rows, size_t cols, double density, enum kind kind) {
    size_t height = matrix_block_rows(cols);
    for (size_t i = 0; i < rows; i++) {
        double row_value = rng_below(rng, 2) ? rng_unit(rng) : 0.5;
        enum kind here = kind == MIXED ? (enum kind)(i / height % MIXED) : kind;
        for (size_t j = 0; j < cols; j++)
            numbers[i * cols + j] = rng_unit(rng) < density ? draw(rng, here, row_value) : 0;
    }
    size_t j = 0; /* a row of one value stays one */
    while (j + 1 < cols && numbers[j] == 0) j++;
    numbers[cols - 1] = draw(rng, kind == MIXED ? ONES : kind, numbers[j] != 0 ? numbers[j] : 0.5);
}

/* ---- CSV and LIBSVM say the same ---------------------------------------------------------- */

static void save_both(size_t rows, size_t cols) {
    struct text csv = {0}, svm = {0};
    for (size_t j = 0; j < cols; j++) text_printf(&ctx, &csv, "%zu,", j + 1);
    text_puts(&ctx, &csv, "y\n");
    for (size_t i = 0; i < rows; i++) {
        text_printf(&ctx, &svm, "%zu", i % 3);
        for (size_t j = 0; j < cols; j++) {
            double value = numbers[i * cols + j];
            text_number(&ctx, &csv, value);
            text_puts(&ctx, &csv, ",");
            if (value == 0) continue;
            text_printf(&ctx, &svm, " %zu:", j + 1);
            text_number(&ctx, &svm, value);
        }
        text_printf(&ctx, &csv, "%zu\n", i % 3);
        text_puts(&ctx, &svm, "\n");
    }
    assert_false(csv.failed || svm.failed);
    put_bytes("same.csv", csv.bytes, csv.length);
    put_bytes("same.svm", svm.bytes, svm.length);
    text_clear(&csv);
    text_clear(&svm);
}

static void check_numbers(const sepal_data *data, size_t cols) {
    for (size_t i = 0; i < data->matrix.rows; i++) {
        size_t local, at = 0, column, next = 0;
        const struct block *block = matrix_block_of(&data->matrix, i, &local);
        for (double value; row_next(block, local, cols, &at, &column, &value); next = column + 1) {
            for (; next < column; next++) assert_true(numbers[i * cols + next] == 0);
            assert_memory_equal(&numbers[i * cols + column], &value, sizeof value);
        }
        for (; next < cols; next++) assert_true(numbers[i * cols + next] == 0);
    }
}

static void test_same_rows_same_storage(void **state) {
    (void)state;
    static const struct {
        size_t rows, cols;
        double density;
    } shapes[] = {{1, 1, 1},      {50, 5, 0.5},   {50, 31, 0.05},   {50, 32, 0.05},
                  {60, 40, 0.25}, {40, 100, 0.1}, {700, 1100, 0.01}};
    struct rng rng = rng_make(test_seed(1), 1);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int kind = 0; kind < KINDS; kind++) {
            size_t rows = shapes[s].rows, cols = shapes[s].cols;
            draw_rows(&rng, rows, cols, shapes[s].density, (enum kind)kind);
            save_both(rows, cols);
            sepal_data *svm = must_read("same.svm", NULL);
            sepal_data *csv = must_read("same.csv", "header=yes");
            assert_same_data(svm, csv);
            check_numbers(svm, cols);
            /* sparse below one nonzero in five, but for narrow rows; then the least that holds */
            assert_int_equal(svm->matrix.sparse, cols >= 32 && shapes[s].density < 0.2);
            static const enum values least[] = {VALUES_ONES, VALUES_ROW, VALUES_F32, VALUES_F64};
            if (svm->matrix.sparse && kind < MIXED)
                assert_int_equal(svm->matrix.blocks[0].values, least[kind]);
            if (rows == 700 && kind == MIXED)
                for (size_t b = 0; b < svm->matrix.n_blocks; b++)
                    assert_int_equal(svm->matrix.blocks[b].values, least[b]);
            data_free(svm);
            data_free(csv);
        }
}

/* ---- there and back ----------------------------------------------------------------------- */

static void test_tables_come_back(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b c", "\"q\"", "x,y", "tab\there", "\xC3\xA9"};
    static const char *const formats[] = {"csv", "tsv"};
    struct rng rng = rng_make(test_seed(2), 2);
    for (int round = 0; round < 60; round++) {
        size_t rows = 1 + (size_t)rng_below(&rng, 90), cols = 1 + (size_t)rng_below(&rng, 30);
        draw_rows(&rng, rows, cols, 0.7, (enum kind)(round % MIXED));
        for (size_t i = 0; i < rows; i++) {
            labels[i] = names[rng_below(&rng, sizeof names / sizeof *names)];
            weights[i] = rng_below(&rng, 2) ? rng_unit(&rng) + 1e-9 : 3;
        }
        sepal_data *data;
        bool weighted = round % 3 == 0;
        assert_int_equal(
            data_from_dense(&data, &ctx, numbers, rows, cols, labels, weighted ? weights : NULL),
            SEPAL_OK);
        for (size_t f = 0; f < 2; f++) {
            const char *path = f ? "back.tsv" : "back.csv";
            assert_int_equal(data_write(&ctx, data, path, round % 2 ? formats[f] : NULL), SEPAL_OK);
            sepal_data *back = must_read(path, weighted ? "weight=weight" : NULL);
            assert_same_data(data, back);
            data_free(back);
        }
        data_free(data);
    }
}

static void test_sparse_rows_come_back(void **state) {
    (void)state;
    static const size_t shapes[][2] = {{30, 20}, {60, 90}, {600, 1100}};
    struct rng rng = rng_make(test_seed(3), 3);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int kind = 0; kind < KINDS; kind++) {
            draw_rows(&rng, shapes[s][0], shapes[s][1], 0.05, (enum kind)kind);
            save_both(shapes[s][0], shapes[s][1]);
            sepal_data *data = must_read("same.svm", NULL);
            assert_int_equal(data_write(&ctx, data, "back.svm", NULL), SEPAL_OK);
            sepal_data *back = must_read("back.svm", NULL);
            assert_same_data(data, back);
            data_free(back);
            assert_int_equal(data_write(&ctx, data, "back.csv", NULL), SEPAL_OK);
            back = must_read("back.csv", NULL); /* columns are called x1 x2 ... */
            assert_same_data(data, back);
            assert_string_equal(back->schema->columns[0].name, "x1");
            data_free(back);
            data_free(data);
        }
}

static void test_zero_based_and_sets_come_back(void **state) {
    (void)state;
    static const char *const texts[] = {
        "1,3 0:1.5 2:1\n 1:1\n2 1:3\n", "b 0:1 2:2\na 1:1\nb\n", "x 1:1 4:2\n",
        /* sets of at most one label, rows of nothing at all */
        "3, 1:1\n2 2:1\n", ", 1:1\n1 2:1\n", ",\n,\n", "1,2 1:1\n,\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        put("first.svm", texts[i]);
        sepal_data *data = must_read("first.svm", NULL);
        assert_int_equal(data_write(&ctx, data, "second.svm", "libsvm"), SEPAL_OK);
        sepal_data *back = must_read("second.svm", NULL);
        assert_same_data(data, back);
        assert_int_equal(data->schema->zero_based, back->schema->zero_based);
        assert_true((data->set != NULL) == (back->set != NULL));
        if (data->set) {
            assert_memory_equal(data->set_start, back->set_start,
                                (data->matrix.rows + 1) * sizeof *data->set_start);
            assert_memory_equal(data->set, back->set,
                                data->set_start[data->matrix.rows] * sizeof *data->set);
            assert_int_equal(data_write(&ctx, data, "second.csv", NULL), SEPAL_EDATA);
        }
        data_free(data);
        data_free(back);
    }
}

/* A name that begins as the mark of UTF-8 does is not taken for the mark. */
static void test_mark_in_a_name_comes_back(void **state) {
    (void)state;
    put("first.csv", "\"\xef\xbb\xbf!\",y\n1,p\n2,q\n");
    sepal_data *data = must_read("first.csv", NULL);
    assert_int_equal(data_write(&ctx, data, "second.csv", NULL), SEPAL_OK);
    sepal_data *back = must_read("second.csv", NULL);
    char names[64];
    names_of(names, sizeof names, back);
    assert_string_equal(names, "\xef\xbb\xbf!");
    data_free(data);
    data_free(back);
}

/* Text columns are written as the 0/1 columns they have become. */
static void test_categories_come_back(void **state) {
    (void)state;
    put("first.csv", "c,n,y\nred,1,p\n\"b \"\"x\"\"\",2,q\n?,3,p\n");
    sepal_data *data = must_read("first.csv", "missing=indicator");
    assert_int_equal(data_write(&ctx, data, "second.csv", NULL), SEPAL_OK);
    sepal_data *back = must_read("second.csv", NULL);
    char names[64];
    names_of(names, sizeof names, back);
    assert_string_equal(names, "c=b \"x\" c=red c=? n");
    assert_string_equal(back->schema->target, "y");
    assert_same_matrix(&data->matrix, &back->matrix);
    data_free(data);
    data_free(back);
}

static void test_what_cannot_be_written(void **state) {
    (void)state;
    static const char *const bad[] = {"a b", "a,b", "a:b", "#a", "\xef\xbb\xbf"};
    double one = 1, weight = 2;
    sepal_data *data;
    put("kept.svm", "old");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(data_from_dense(&data, &ctx, &one, 1, 1, &bad[i], NULL), SEPAL_OK);
        assert_int_equal(data_write(&ctx, data, "kept.svm", NULL), SEPAL_EDATA);
        data_free(data);
    }
    const char *good = "a";
    assert_int_equal(data_from_dense(&data, &ctx, &one, 1, 1, &good, &weight), SEPAL_OK);
    assert_int_equal(data_write(&ctx, data, "kept", NULL), SEPAL_EUSAGE);
    assert_int_equal(data_write(&ctx, data, "kept.svm", "parquet"), SEPAL_EUSAGE);
    assert_int_equal(data_write(&ctx, data, "absent/kept.svm", NULL), SEPAL_EOUTPUT);
    assert_int_equal(data_write(&ctx, data, "new.svm", NULL), SEPAL_OK);
    assert_true(warned("weights-lost"));
    data_free(data);
    assert_int_equal(data_from_dense(&data, &ctx, &one, 1, 1, NULL, NULL), SEPAL_OK);
    assert_int_equal(data_write(&ctx, data, "kept.svm", NULL), SEPAL_EDATA);
    data_free(data);
    char bytes[8];
    FILE *file = fopen("kept.svm", "rb");
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, sizeof bytes, file), 3);
    fclose(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_same_rows_same_storage, fresh, clean),
        cmocka_unit_test_setup_teardown(test_tables_come_back, fresh, clean),
        cmocka_unit_test_setup_teardown(test_sparse_rows_come_back, fresh, clean),
        cmocka_unit_test_setup_teardown(test_zero_based_and_sets_come_back, fresh, clean),
        cmocka_unit_test_setup_teardown(test_mark_in_a_name_comes_back, fresh, clean),
        cmocka_unit_test_setup_teardown(test_categories_come_back, fresh, clean),
        cmocka_unit_test_setup_teardown(test_what_cannot_be_written, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
