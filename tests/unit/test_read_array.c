/* npy and idx files as data: read to the same bits as the CSV of their numbers. */
#include "unit/array_files.h"

#include <math.h>

/* ---- files of any size -------------------------------------------------------------------- */

static double cell_at(uint64_t seed, size_t r, size_t c) {
    struct rng rng = rng_make(test_seed(seed), r * 1000 + c);
    return rng_below(&rng, 3) ? 0 : (double)rng_below(&rng, 200);
}

static void put_element(FILE *file, char kind, double value) {
    unsigned char byte = (unsigned char)value;
    float single = (float)value;
    int16_t small = (int16_t)value;
    if (kind == 'b') fwrite(&byte, 1, 1, file);
    if (kind == 'f') fwrite(&single, 4, 1, file);
    if (kind == 'h') fwrite(&small, 2, 1, file);
    if (kind == 'd') fwrite(&value, 8, 1, file);
}

static void put_npy(const char *path, char kind, bool column_major, size_t rows, size_t cols,
                    uint64_t seed) {
    struct bytes header = {.n = 0};
    char shape[64];
    const char *descr = kind == 'b' ? "|u1" : kind == 'f' ? "<f4" : kind == 'h' ? "<i2" : "<f8";
    snprintf(shape, sizeof shape, "(%zu, %zu)", rows, cols);
    add_npy_header(&header, descr, column_major, shape);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(header.at, 1, header.n, file);
    for (size_t i = 0; i < rows * cols; i++)
        put_element(file, kind,
                    column_major ? cell_at(seed, i % rows, i / rows)
                                 : cell_at(seed, i / cols, i % cols));
    assert_int_equal(fclose(file), 0);
}

static void put_csv(const char *path, const char *labels, size_t rows, size_t cols, uint64_t seed) {
    FILE *file = fopen(path, "w"), *y = fopen(labels, "w");
    assert_true(file && y);
    for (size_t r = 0; r < rows; r++) {
        fprintf(y, "%s\n", cell_at(seed + 9, r, 0) > 0 ? "yes" : "no");
        for (size_t c = 0; c < cols; c++) fprintf(file, "%s%g", c ? "," : "", cell_at(seed, r, c));
        fputs("\n", file);
    }
    assert_int_equal(fclose(file) | fclose(y), 0);
}

static void test_same_rows(void **state) {
    (void)state;
    static const struct { size_t rows, cols; } sizes[] = {{2, 1}, {1, 5}, {300, 40}, {20000, 60}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t rows = sizes[s].rows, cols = sizes[s].cols;
        put_csv("x.csv", "y.txt", rows, cols, s);
        sepal_data *wanted = must_read("x.csv", "labels=\"y.txt\", header=no, delimiter=\",\"");
        static const char kinds[] = "bfhd";
        for (const char *kind = kinds; *kind; kind++)
            for (int order = 0; order < 2; order++) {
                put_npy("x.npy", *kind, order, rows, cols, s);
                for (size_t w = 0; w < N_WIDTHS; w++) {
                    ctx.threads = widths[w];
                    sepal_data *data = must_read("x.npy", "labels=\"y.txt\"");
                    assert_same_data(wanted, data);
                    sepal_data *again = must_read_for("x.npy", "labels=\"y.txt\"", wanted, true);
                    assert_same_data(wanted, again);
                    data_free(again);
                    again = must_read_for("x.npy", NULL, wanted, false);
                    assert_same_matrix(&wanted->matrix, &again->matrix);
                    data_free(again);
                    data_free(data);
                }
            }
        data_free(wanted);
    }
}

/* ---- columns ------------------------------------------------------------------------------ */

static void put_doubles(const char *path, const char *shape, const double *values, size_t n) {
    struct bytes file = {.n = 0};
    add_npy_header(&file, "<f8", false, shape);
    add(&file, values, n * sizeof *values);
    put_bytes(path, file.at, file.n);
}

static void test_columns(void **state) {
    (void)state;
    char names[64];
    static const double values[] = {1, 5, 2, 0, 2, 6, 2.5, 1, 3, 5, 2, 2};
    put_doubles("x.npy", "(3, 4)", values, 12);
    sepal_data *data = must_read("x.npy", NULL);
    assert_true(warned("labels-last"));
    names_of(names, sizeof names, data);
    assert_string_equal(names, "x1 x2 x3");
    assert_int_equal(data->schema->n_classes, 3);
    data_free(data);
    data = must_read("x.npy", "target=2, categorical=x3, weight=4");
    names_of(names, sizeof names, data);
    assert_string_equal(names, "x1 x3=2 x3=2.5");
    assert_int_equal(data->matrix.rows, 2); /* one has weight 0 */
    assert_true(data->total_weight == 3);
    sepal_data *again = must_read_for("x.npy", "keep=x2, unknown=zero", data, true);
    assert_int_equal(again->matrix.rows, 2);
    assert_string_equal(again->kept[0], "6");
    data_free(again);
    data_free(data);
    data = must_read("x.npy", "drop=x3");
    again = must_read_for("x.npy", "keep=x3", data, false);
    assert_string_equal(again->kept[1], "2.5");
    data_free(again);
    data_free(data);
}

static void test_missing_and_infinite(void **state) {
    (void)state;
    static const double values[] = {1, NAN, 0, 3, -0.0, 1, 5, 7, 0};
    put_doubles("x.npy", "(3, 3)", values, 9);
    assert_refused("x.npy", NULL, NULL, true, (struct refusal){1, 2, "missing value"});
    sepal_data *data = must_read("x.npy", "missing=mean");
    assert_true(number_at(data, 0, 1) == 3.5);
    assert_false(signbit(number_at(data, 1, 1)));
    data_free(data);
    data = must_read("x.npy", "missing=drop");
    assert_int_equal(data->matrix.rows, 2);
    data_free(data);
    static const double worse[] = {1, 2, 0, INFINITY, 5, 1, 4, NAN, 1, 7, 8, NAN};
    put_doubles("y.npy", "(4, 3)", worse, 12);
    assert_refused("y.npy", NULL, NULL, true, (struct refusal){2, 1, "infinite"});
    data = must_read("y.npy", "bad-lines=skip");
    assert_int_equal(data->matrix.rows, 1);
    assert_true(warned("bad-lines"));
    data_free(data);
}

/* ---- siblings ----------------------------------------------------------------------------- */

static void test_siblings(void **state) {
    (void)state;
    struct bytes images = {.n = 0}, labels = {.n = 0};
    static const uint32_t dims[] = {2, 2, 3};
    add_idx_header(&images, 8, 3, dims);
    add(&images, "\0\1\2\3\4\5\6\7\10\11\12\377", 12);
    add_idx_header(&labels, 8, 1, dims);
    add(&labels, "\7\3", 2);
    put_bytes("train-images-idx3-ubyte", images.at, images.n);
    assert_refused("train-images-idx3-ubyte", NULL, NULL, true, (struct refusal){0, 0, "--labels"});
    put_bytes("train-labels-idx1-ubyte", labels.at, labels.n);
    sepal_data *data = must_read("train-images-idx3-ubyte", NULL);
    assert_true(warned("labels-found"));
    assert_int_equal(data->matrix.cols, 6);
    assert_string_equal(label_at(data, 0), "7");
    assert_true(number_at(data, 1, 5) == 255);
    forget_warnings();
    sepal_data *again = must_read_for("train-images-idx3-ubyte", NULL, data, false);
    assert_false(warned("labels-found"));
    data_free(again);
    /* what the user says comes first */
    put("other.txt", "a\nb\n");
    again = must_read("train-images-idx3-ubyte", "labels=\"other.txt\"");
    assert_string_equal(label_at(again, 0), "a");
    data_free(again);
    again = must_read("train-images-idx3-ubyte", "target=6");
    assert_string_equal(label_at(again, 1), "255");
    data_free(again);
    data_free(data);
    /* one label too few */
    put_bytes("train-labels-idx1-ubyte", labels.at, labels.n - 1);
    sepal_data *none;
    assert_int_equal(data_read(&none, &ctx, "train-images-idx3-ubyte", NULL, NULL, true),
                     SEPAL_EDATA);
    assert_null(none);
}

/* ---- what is refused ---------------------------------------------------------------------- */

static void test_lengths(void **state) {
    (void)state;
    double values[12] = {1, 2, 0, 3, 4, 1};
    for (int order = 0; order < 2; order++) {
        struct bytes file = {.n = 0};
        add_npy_header(&file, "<f8", order, "(2, 3)");
        size_t start = file.n;
        add(&file, values, sizeof values);
        for (size_t n = start; n <= file.n; n++) {
            put_bytes("x.npy", file.at, n);
            if (n == start + 48) {
                data_free(must_read("x.npy", NULL));
            } else {
                assert_refused("x.npy", NULL, NULL, true, (struct refusal){0, 0, ""});
            }
        }
    }
}

static void test_refusals(void **state) {
    (void)state;
    sepal_data *data;
    static const double values[] = {1, 2, 0, 3, 4, 1};
    put_doubles("x.npy", "(2, 3)", values, 6);
    static const char *const text_only[] = {"skip=1", "delimiter=\",\"", "header=yes"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(data_read(&data, &ctx, "x.npy", text_only[i], NULL, true), SEPAL_EUSAGE);
        assert_null(data);
    }
    put_doubles("flat.npy", "(6,)", values, 6);
    assert_refused("flat.npy", NULL, NULL, true, (struct refusal){0, 0, "--labels"});
    put_doubles("deep.npy", "(1, 2, 3)", values, 6);
    assert_refused("deep.npy", NULL, NULL, true, (struct refusal){0, 0, "reshape"});
    put_bytes("z.npy", "PK\3\4 and so on", 14);
    assert_refused("z.npy", NULL, NULL, true, (struct refusal){1, 1, "zip"});
    put_bytes("m.sepal", "\2\0\0\0\0\0\0\0{}", 10);
    assert_refused("m.sepal", NULL, NULL, true, (struct refusal){1, 1, "model"});
    /* a model of two numbers and a text */
    put("t.csv", "a,b,c,class\n1,2,u,p\n3,4,v,q\n");
    sepal_data *training = must_read("t.csv", NULL);
    assert_refused("x.npy", NULL, training, false, (struct refusal){1, 3, "has not seen"});
    data_free(training);
    put("t.svm", "1 1:2\n2 3:4\n");
    training = must_read("t.svm", NULL);
    assert_refused("x.npy", NULL, training, false, (struct refusal){0, 0, "LIBSVM"});
    data_free(training);
}

/* Names for columns that are not there would take gigabytes. */
static void test_width_needs_bytes(void **state) {
    (void)state;
    struct bytes file = {.n = 0};
    add_npy_header(&file, "|u1", false, "(1, 1000000000)");
    add(&file, "12", 2);
    put_bytes("wide.npy", file.at, file.n);
    ctx.faults[FAULT_ALLOC].fail_at = 1000;
    assert_refused("wide.npy", NULL, NULL, true, (struct refusal){0, 0, "is cut short"});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_same_rows, fresh, clean),
        cmocka_unit_test_setup_teardown(test_columns, fresh, clean),
        cmocka_unit_test_setup_teardown(test_missing_and_infinite, fresh, clean),
        cmocka_unit_test_setup_teardown(test_siblings, fresh, clean),
        cmocka_unit_test_setup_teardown(test_lengths, fresh, clean),
        cmocka_unit_test_setup_teardown(test_width_needs_bytes, fresh, clean),
        cmocka_unit_test_setup_teardown(test_refusals, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
