/* npy and idx files, read back by decoders of this test that follow the two formats' definitions and
   share nothing with the library. */
#include "unit/write_fixture.h"

#include <math.h>
#include <sys/stat.h>

/* ---- decoders ----------------------------------------------------------------------------- */

struct array {
    char type[8]; /* npy: "<f4"; idx: two hexadecimal digits */
    size_t dims, dim[2];
    const unsigned char *items;
    size_t size; /* bytes of all items */
};

static uint64_t bits_at(const unsigned char *at, size_t n, bool big_endian) {
    uint64_t bits = 0;
    for (size_t i = 0; i < n; i++) bits = bits << 8 | at[big_endian ? i : n - 1 - i];
    return bits;
}

static struct array open_npy(const char *path) {
    size_t size;
    const unsigned char *bytes = (const unsigned char *)bytes_of(path, &size);
    struct array array = {0};
    assert_true(size >= 10);
    assert_memory_equal(bytes, "\x93NUMPY\x01\x00", 8);
    size_t head = 10 + (size_t)bits_at(bytes + 8, 2, false);
    assert_int_equal(head % 64, 0);
    assert_true(head <= size);
    assert_int_equal(bytes[head - 1], '\n');
    const char *text = (const char *)bytes + 10;
    int used = 0;
    array.dims = 2;
    if (sscanf(text, "{'descr': '%7[^']', 'fortran_order': False, 'shape': (%zu, %zu), }%n",
               array.type, &array.dim[0], &array.dim[1], &used) != 3 ||
        used == 0) {
        array.dims = 1;
        assert_int_equal(sscanf(text,
                                "{'descr': '%7[^']', 'fortran_order': False, 'shape': (%zu,), }%n",
                                array.type, &array.dim[0], &used),
                         2);
        assert_true(used > 0);
    }
    assert_int_equal(strspn(text + used, " "), head - 10 - (size_t)used - 1);
    array.items = bytes + head;
    array.size = size - head;
    return array;
}

static struct array open_idx(const char *path) {
    size_t size;
    const unsigned char *bytes = (const unsigned char *)bytes_of(path, &size);
    struct array array = {0};
    assert_true(size >= 8);
    assert_int_equal(bits_at(bytes, 2, true), 0);
    snprintf(array.type, sizeof array.type, "%02X", bytes[2]);
    array.dims = bytes[3];
    assert_true(array.dims == 1 || array.dims == 2);
    for (size_t d = 0; d < array.dims; d++)
        array.dim[d] = (size_t)bits_at(bytes + 4 + 4 * d, 4, true);
    array.items = bytes + 4 + 4 * array.dims;
    array.size = size - 4 - 4 * array.dims;
    return array;
}

static double number_in(const struct array *array, size_t i) {
    static const struct {
        const char *type;
        size_t bytes;
        bool big_endian;
        char kind;
    } types[] = {{"<f4", 4, false, 'f'}, {"<f8", 8, false, 'f'}, {"<i8", 8, false, 'i'},
                 {"08", 1, true, 'u'},   {"0C", 4, true, 'i'},   {"0D", 4, true, 'f'},
                 {"0E", 8, true, 'f'}};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        if (strcmp(types[t].type, array->type) != 0) continue;
        size_t n = types[t].bytes;
        assert_true((i + 1) * n <= array->size);
        uint64_t bits = bits_at(array->items + i * n, n, types[t].big_endian);
        uint32_t half = (uint32_t)bits;
        float single;
        double number;
        memcpy(&single, &half, sizeof single);
        memcpy(&number, &bits, sizeof number);
        if (types[t].kind == 'f') return n == 4 ? (double)single : number;
        return types[t].kind == 'u' ? (double)bits
               : n == 4             ? (double)(int32_t)half
                                    : (double)(int64_t)bits;
    }
    fail_msg("type %s", array->type);
    return 0;
}

static struct array open_array(const char *path) {
    return strstr(path, ".npy") ? open_npy(path) : open_idx(path);
}

/* ---- to the byte -------------------------------------------------------------------------- */

static void test_bytes_of_npy(void **state) {
    (void)state;
    convert("small.csv", "a,b,class\n1,-2,7\n0,0.5,-3\n", "out.npy", NULL);
    static const char rows[] =
        "\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }"
        "                                                          \n"
        "\x00\x00\x80\x3f\x00\x00\x00\xc0\x00\x00\x00\x00\x00\x00\x00\x3f";
    assert_bytes("out.npy", rows, sizeof rows - 1);
    static const char labels[] =
        "\x93NUMPY\x01\x00\x76\x00{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }"
        "                                                            \n"
        "\x07\x00\x00\x00\x00\x00\x00\x00\xfd\xff\xff\xff\xff\xff\xff\xff";
    assert_bytes("out.labels.npy", labels, sizeof labels - 1);
}

static void test_bytes_of_idx(void **state) {
    (void)state;
    convert("small.csv", "a,b,class\n1,255,300\n0,7,-3\n", "out.idx", NULL);
    static const char rows[] = "\0\0\x08\x02\0\0\0\x02\0\0\0\x02\x01\xff\x00\x07";
    assert_bytes("out.idx", rows, sizeof rows - 1);
    static const char labels[] = "\0\0\x0c\x01\0\0\0\x02\0\0\x01\x2c\xff\xff\xff\xfd";
    assert_bytes("out.labels.idx", labels, sizeof labels - 1);
}

static void test_bytes_of_texts(void **state) {
    (void)state;
    static const char *const labels[] = {"b", "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x8C\xB7"}; /* U+1F337 */
    sepal_data *data = data_with_labels(labels, 2);
    must_write(data, "out.npy", NULL);
    must_write(data, "out.idx", NULL);
    data_free(data);
    struct array array = open_npy("out.labels.npy");
    assert_string_equal(array.type, "<U3");
    assert_int_equal(array.size, 24);
    static const uint32_t points[] = {'b', 0, 0, 0xE9, 0x20AC, 0x1F337};
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(bits_at(array.items + 4 * i, 4, false), points[i]);
    assert_text("out.labels.txt", "b\n\xC3\xA9\xE2\x82\xAC\xF0\x9F\x8C\xB7\n");
}

/* ---- the smallest type that holds everything ---------------------------------------------- */

static void test_types_of_values(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *npy, *idx;
    } cases[] = {
        {0, "<f4", "08"},        {255, "<f4", "08"},      {256, "<f4", "0D"},
        {-1, "<f4", "0D"},       {0.5, "<f4", "0D"},      {0.1, "<f8", "0E"},
        {1e300, "<f8", "0E"},    {-1e300, "<f8", "0E"},   {5e-324, "<f8", "0E"},
        {0x1p-149, "<f4", "0D"}, {16777217, "<f8", "0E"}, {FLT_MAX, "<f4", "0D"},
        {-0.0, "<f4", "08"},     {DBL_MAX, "<f8", "0E"},  {2147483648.0, "<f4", "0D"},
    };
    static const char *const paths[] = {"out.npy", "out.idx"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double numbers[] = {1, 0, cases[i].value, 2};
        const char *labels[] = {"a", "b"};
        sepal_data *data;
        assert_int_equal(data_from_dense(&data, &ctx, numbers, 2, 2, labels, NULL), SEPAL_OK);
        for (size_t f = 0; f < 2; f++) {
            must_write(data, paths[f], NULL);
            struct array array = open_array(paths[f]);
            assert_string_equal(array.type, f ? cases[i].idx : cases[i].npy);
            assert_int_equal(array.dims, 2);
            assert_true(array.dim[0] == 2 && array.dim[1] == 2);
            for (size_t k = 0; k < 4; k++) {
                double number = number_in(&array, k);
                assert_true(number == numbers[k] && !(number == 0 && signbit(number)));
            }
        }
        data_free(data);
    }
}

static void test_types_of_labels(void **state) {
    (void)state;
    static const struct {
        const char *label, *npy, *idx; /* idx NULL: text */
        double value;
    } cases[] = {
        {"0", "<i8", "08", 0},
        {"255", "<i8", "08", 255},
        {"256", "<i8", "0C", 256},
        {"-1", "<i8", "0C", -1},
        {"2147483647", "<i8", "0C", 2147483647},
        {"-2147483648", "<i8", "0C", -2147483648.0},
        {"2147483648", "<i8", "0E", 2147483648.0},
        {"-9007199254740992", "<i8", "0E", -9007199254740992.0},
        {"1e17", "<f8", "0E", 1e17},
        {"1e300", "<f8", "0E", 1e300},
        {"0.1", "<f8", "0E", 0.1},
        {"x", "<U1", NULL, 0},
    };
    static const char *const paths[] = {"out.npy", "out.idx"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *labels[] = {cases[i].label, "1", cases[i].label};
        const double values[] = {cases[i].value, 1, cases[i].value};
        sepal_data *data = data_with_labels(labels, 3);
        remove("out.labels.idx");
        remove("out.labels.txt");
        for (size_t f = 0; f < 2; f++) {
            must_write(data, paths[f], NULL);
            assert_true(exists("out.labels.txt") == (f && !cases[i].idx));
            if (f && !cases[i].idx) continue;
            struct array array = open_array(f ? "out.labels.idx" : "out.labels.npy");
            assert_string_equal(array.type, f ? cases[i].idx : cases[i].npy);
            assert_true(array.dims == 1 && array.dim[0] == 3);
            for (size_t k = 0; k < 3 && cases[i].idx; k++)
                assert_true(number_in(&array, k) == values[k]);
        }
        data_free(data);
    }
}

/* Sparse and dense blocks, and more bytes than one piece. */
static void test_many_rows(void **state) {
    (void)state;
    static const char *const paths[] = {"out.npy", "out.idx"};
    struct rng rng = rng_make(test_seed(5), 5);
    for (size_t sparse = 0; sparse < 2; sparse++) {
        struct text rows = {0};
        for (size_t i = 0; i < 500; i++) {
            text_printf(&ctx, &rows, "%zu", i % 7);
            for (size_t j = 1; j <= 60; j++)
                if (rng_unit(&rng) < (sparse ? 0.1 : 0.9)) {
                    text_printf(&ctx, &rows, " %zu:", j);
                    text_number(&ctx, &rows, rng_unit(&rng) - 0.5);
                }
            text_puts(&ctx, &rows, " 61:1\n");
        }
        put("rows.svm", rows.bytes);
        text_clear(&rows);
        sepal_data *data = must_read("rows.svm", NULL);
        assert_int_equal(data->matrix.sparse, sparse);
        for (size_t f = 0; f < 2; f++) {
            must_write(data, paths[f], NULL);
            struct array array = open_array(paths[f]);
            assert_true(array.dim[0] == 500 && array.dim[1] == 61);
            assert_int_equal(array.size, 8 * 500 * 61);
            for (size_t k = 0; k < 500 * 61; k++)
                assert_true(number_in(&array, k) == number_at(data, k / 61, k % 61));
            array = open_array(f ? "out.labels.idx" : "out.labels.npy");
            for (size_t k = 0; k < 500; k++) assert_true(number_in(&array, k) == (double)(k % 7));
        }
        data_free(data);
    }
}

/* ---- names and devices -------------------------------------------------------------------- */

static void test_names_of_label_files(void **state) {
    (void)state;
    static const struct {
        const char *path, *format, *numbers, *texts;
    } cases[] = {
        {"a.npy", NULL, "a.labels.npy", "a.labels.npy"},
        {"a.idx", NULL, "a.labels.idx", "a.labels.txt"},
        {"A.NPY", NULL, "A.labels.npy", "A.labels.npy"},
        {"a.b.npy", NULL, "a.b.labels.npy", "a.b.labels.npy"},
        {"a", "npy", "a.labels.npy", "a.labels.npy"},
        {"a.dat", "idx", "a.dat.labels.idx", "a.dat.labels.txt"},
        {"d.npy/a", "idx", "d.npy/a.labels.idx", "d.npy/a.labels.txt"},
        {"t-images-idx3-ubyte", "idx", "t-labels-idx1-ubyte", "t-images-idx3-ubyte.labels.txt"},
        {"images-idx3.idx", NULL, "labels-idx1.idx", "images-idx3.labels.txt"},
        {"images-idx3/a.idx", NULL, "images-idx3/a.labels.idx", "images-idx3/a.labels.txt"},
        {"images-idx3.npy", NULL, "images-idx3.labels.npy", "images-idx3.labels.npy"},
        {"a.csv", NULL, NULL, NULL},
        {"a.npy", "arff", NULL, NULL},
        {"/dev/null", "npy", NULL, NULL},
    };
    static const char *const numbers[] = {"1", "2"}, *const texts[] = {"a", "b"};
    sepal_data *data[] = {data_with_labels(numbers, 2), data_with_labels(texts, 2)};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t d = 0; d < 2; d++) {
            const char *wanted = d ? cases[i].texts : cases[i].numbers;
            char *path;
            assert_int_equal(data_labels_path(&path, &ctx, data[d], cases[i].path, cases[i].format),
                             SEPAL_OK);
            assert_true((path == NULL) == (wanted == NULL));
            if (wanted) assert_string_equal(path, wanted);
            mem_free(path);
        }
    mkdir("sub", 0777);
    must_write(data[0], "sub/t-images-idx3-ubyte", "idx");
    assert_true(exists("sub/t-images-idx3-ubyte") && exists("sub/t-labels-idx1-ubyte"));
    data_free(data[0]);
    data_free(data[1]);
}

static void test_devices(void **state) {
    (void)state;
    static const char *const labels[] = {"1", "2"};
    sepal_data *data = data_with_labels(labels, 2);
    assert_int_equal(data_write(&ctx, data, "/dev/null", "npy"), SEPAL_OK);
    assert_true(warned("labels-lost"));
    forget_warnings();
    assert_int_equal(data_write(&ctx, data, "/dev/null", "arff"), SEPAL_OK);
    assert_false(warned("labels-lost"));
    data_free(data);
}

/* The rows are not put in place when the labels cannot be written. */
static void test_labels_that_cannot_be_written(void **state) {
    (void)state;
    static const char *const labels[] = {"1", "2"};
    sepal_data *data = data_with_labels(labels, 2);
    mkdir("taken.labels.npy", 0777);
    put("taken.npy", "old");
    assert_int_equal(data_write(&ctx, data, "taken.npy", NULL), SEPAL_EOUTPUT);
    assert_string_equal(ctx.error.file, "taken.labels.npy");
    assert_text("taken.npy", "old");
    rmdir("taken.labels.npy");
    must_write(data, "taken.npy", NULL);
    assert_true(exists("taken.labels.npy"));
    data_free(data);
    /* at the top of a file of lines it would be taken for the mark of UTF-8 */
    static const char *const marked[] = {"\xef\xbb\xbf", "b"};
    data = data_with_labels(marked, 2);
    assert_int_equal(data_write(&ctx, data, "marked.idx", NULL), SEPAL_EDATA);
    data_free(data);
}

/* Old labels that reading would prefer are told of; labels of other files are not. */
static void test_other_labels(void **state) {
    (void)state;
    static const char *const numbers[] = {"1", "2"}, *const texts[] = {"a", "b"};
    sepal_data *data[] = {data_with_labels(numbers, 2), data_with_labels(texts, 2)};
    static const struct {
        size_t data;
        const char *path;
        bool shadowed;
    } steps[] = {
        {1, "two.npy", false}, /* two.labels.npy */
        {1, "two.idx", false}, /* two.labels.txt */
        {0, "two.idx", false}, /* two.labels.idx, which comes before it */
        {1, "two.idx", true},  {0, "two.npy", false},
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        forget_warnings();
        must_write(data[steps[i].data], steps[i].path, NULL);
        assert_int_equal(warned("labels-shadowed"), steps[i].shadowed);
    }
    data_free(data[0]);
    data_free(data[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_bytes_of_npy, fresh, clean),
        cmocka_unit_test_setup_teardown(test_bytes_of_idx, fresh, clean),
        cmocka_unit_test_setup_teardown(test_bytes_of_texts, fresh, clean),
        cmocka_unit_test_setup_teardown(test_types_of_values, fresh, clean),
        cmocka_unit_test_setup_teardown(test_types_of_labels, fresh, clean),
        cmocka_unit_test_setup_teardown(test_many_rows, fresh, clean),
        cmocka_unit_test_setup_teardown(test_names_of_label_files, fresh, clean),
        cmocka_unit_test_setup_teardown(test_devices, fresh, clean),
        cmocka_unit_test_setup_teardown(test_labels_that_cannot_be_written, fresh, clean),
        cmocka_unit_test_setup_teardown(test_other_labels, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
