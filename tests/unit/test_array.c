/* Headers of npy and idx files, good and bad, cut short, with bytes changed, and with memory and disk
   giving out. */
#include "unit/array_files.h"

static size_t truncations, hostile, flips, injections;

static const char path[] = "array";

static void assert_place(size_t column, const char *message) {
    assert_int_equal(ctx.error.status, SEPAL_EDATA);
    assert_string_equal(ctx.error.file, path);
    assert_int_equal(ctx.error.line, 1);
    if ((column && ctx.error.column != column) || !strstr(ctx.error.message, message))
        fail_msg("%zu: '%s', not %zu: '%s'", ctx.error.column, ctx.error.message, column, message);
}

/* ---- headers of npy ----------------------------------------------------------------------- */

static void test_good_headers(void **state) {
    (void)state;
    static const struct {
        const char *dictionary;
        size_t dims, rows, cols;
    } good[] = {
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (150, 4), }   \n", 2, 150, 4},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (150, 4)}\n", 2, 150, 4},
        {"{'shape':(3,),'fortran_order':True,'descr':'<f8'}\n", 1, 3, 1},
        {"{\"shape\": (3 ,), \"descr\": \"<f8\", \"fortran_order\": True,}\n", 1, 3, 1},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': ()}\n", 0, 1, 1},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': ( 2L, 3L )}\n", 2, 2, 3},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (7, 2, 3, 5,)}\n", 4, 7, 30},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (0, 4)}\n", 2, 0, 4},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (4, 0)}\n", 2, 4, 0},
        {" {\n'descr':\t'<f8', 'fortran_order': False,\n 'shape': (1, 1) }\n", 2, 1, 1},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1152921504606846975,)}\n", 1,
         1152921504606846975, 1},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        for (int version = 1; version <= 3; version++) {
            struct bytes file = {0}, rest = {0};
            add_npy(&file, version, good[i].dictionary, strlen(good[i].dictionary));
            add(&file, "tail", 4);
            struct array_shape shape = must_header(&file, &rest);
            assert_ptr_equal(shape.format, format_find("npy")->array);
            assert_int_equal(shape.kind, ELEMENT_FLOAT);
            assert_int_equal(shape.bytes, 8);
            assert_int_equal(shape.dims, good[i].dims);
            assert_int_equal(shape.rows, good[i].rows);
            assert_int_equal(shape.cols, good[i].cols);
            assert_int_equal(rest.n, 4);
        }
}

/* Only the dictionary; columns count from its first byte. */
struct bad {
    const char *dictionary;
    size_t column;
    const char *message;
};
#define TYPE(descr) "{'descr': " descr ", 'fortran_order': False, 'shape': (2, 2), }\n"
#define SHAPE(shape) "{'descr': '<f8', 'fortran_order': False, 'shape': " shape ", }\n"
#define ORDER(order) "{'descr': '<f8', 'fortran_order': " order ", 'shape': (2, 2), }\n"

static const struct bad bad[] = {
    {"", 1, "expected {"},
    {"\n", 2, "expected {"},
    {"[]\n", 1, "expected {"},
    {"{}\n", 2, "must all be there"},
    {"{,}\n", 2, "text in quotes"},
    {"{'descr'\n", 10, "expected a colon"},
    {"{'descr: '<f8'}\n", 3, "no other"},
    {"{'descr\n", 2, "never closed"},
    {"{'descr': '<f8', 'fortran_order': False}\n", 40, "must all be there"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2)\n", 58, "comma or }"},
    {"{'descr': '<f8' 'fortran_order': False, 'shape': (2, 2)}\n", 17, "comma or }"},
    {"{'descr': '<f8',, 'fortran_order': False, 'shape': (2, 2)}\n", 17, "text in quotes"},
    {"{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2, 2)}\n", 19, "twice"},
    {"{'descr': '<f8', 'extra': 1, 'fortran_order': False, 'shape': (2, 2)}\n", 19, "no other"},
    {"{'Descr': '<f8', 'fortran_order': False, 'shape': (2, 2)}\n", 3, "no other"},
    {"{b'descr': '<f8', 'fortran_order': False, 'shape': (2, 2)}\n", 2, "text in quotes"},
    {"{'desc\\x72': '<f8', 'fortran_order': False, 'shape': (2, 2)}\n", 3, "backslash"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2)}", 58, "line end"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2)}x\n", 58, "line end"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2)}  \n\n", 60, "line end"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2)} # x\n", 59, "line end"},
    {TYPE("'|O'"), 12, "'|O': pickled objects are not read; save numbers with numpy.save(...,"},
    {TYPE("'O'"), 12, "pickled"},
    {TYPE("'<c16'"), 12, "complex"},
    {TYPE("'<M8[ns]'"), 12, "dates"},
    {TYPE("'<m8[s]'"), 12, "spans of time"},
    {TYPE("'|V16'"), 12, "records"},
    {TYPE("[('a', '<f8'), ('b', '<i4')]"), 11, "type '[('a', '<f8'), ('b', '<i4')]': records"},
    {TYPE("('<f8', (2,))"), 11, "records"},
    {TYPE("[('a'"), 11, "records"},
    {TYPE("'<f12'"), 12, "not read"},
    {TYPE("'<f1'"), 12, "not read"},
    {TYPE("'<f6'"), 12, "not read"},
    {TYPE("'<f10'"), 12, "not read"},
    {TYPE("'<i16'"), 12, "not read"},
    {TYPE("'<i3'"), 12, "not read"},
    {TYPE("'<b2'"), 12, "not read"},
    {TYPE("'<f0'"), 12, ""},
    {TYPE("'<i0'"), 12, ""},
    {TYPE("'|S0'"), 12, "empty"},
    {TYPE("'<U0'"), 12, "empty"},
    {TYPE("'<f'"), 12, "not read"},
    {TYPE("''"), 12, "not read"},
    {TYPE("'<'"), 12, "not read"},
    {TYPE("'<f8 '"), 12, "not read"},
    {TYPE("'<f-8'"), 12, "not read"},
    {TYPE("'<F8'"), 12, "not read"},
    {TYPE("'<<f8'"), 12, "not read"},
    {TYPE("'<U9999999999'"), 12, "not read"},
    {TYPE("'<f18446744073709551624'"), 12, "not read"},
    {TYPE("'f8'"), 12, "order of its bytes"},
    {TYPE("'=f8'"), 12, "order of its bytes"},
    {TYPE("'|f8'"), 12, "order of its bytes"},
    {TYPE("'|U1'"), 12, "order of its bytes"},
    {TYPE("<f8"), 11, "text in quotes"},
    {TYPE("None"), 11, "text in quotes"},
    {ORDER("0"), 35, "neither True nor False"},
    {ORDER("true"), 35, "neither True nor False"},
    {ORDER("Falsehood"), 40, "comma or }"},
    {ORDER("'True'"), 35, "neither True nor False"},
    {ORDER(""), 35, "neither True nor False"},
    {SHAPE("2"), 51, "tuple"},
    {SHAPE("[2, 2]"), 51, "tuple"},
    {SHAPE("None"), 51, "tuple"},
    {SHAPE("(2)"), 53, "comma"},
    {SHAPE("(,)"), 52, "whole number"},
    {SHAPE("(2,,)"), 54, "whole number"},
    {SHAPE("(2 2)"), 54, "comma"},
    {SHAPE("(-1, 2)"), 52, "whole number"},
    {SHAPE("(2, -1)"), 55, "whole number"},
    {SHAPE("(2.0, 2)"), 53, "comma"},
    {SHAPE("(1e3, 2)"), 53, "comma"},
    {SHAPE("(0x10, 2)"), 53, "comma"},
    {SHAPE("(1_000, 2)"), 53, "comma"},
    {SHAPE("(2, 'a')"), 55, "whole number"},
    {SHAPE("((2, 2), 2)"), 52, "whole number"},
    {SHAPE("(2, 2"), 58, "whole number"},
    {SHAPE("(18446744073709551616, 2)"), 52, "larger than anything"},
    {SHAPE("(99999999999999999999999999, 2)"), 52, "larger than anything"},
    {SHAPE("(18446744073709551615, 1)"), 51, "more than any memory holds"},
    {SHAPE("(1152921504606846976,)"), 51, "more than any memory holds"},
    {SHAPE("(4294967296, 4294967296)"), 51, "more than any memory holds"},
    {SHAPE("(0, 4294967296, 4294967296)"), 51, "more than any memory holds"},
    {SHAPE("(2, 4294967296, 4294967296, 0)"), 51, "more than any memory holds"},
    {SHAPE("(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"), 116,
     "more than 32 dimensions"},
};

static void test_bad_headers(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (int version = 1; version <= 3; version++) {
            struct bytes file = {0};
            struct array_shape shape;
            add_npy(&file, version, bad[i].dictionary, strlen(bad[i].dictionary));
            add(&file, "0123456789012345678901234567890123456789", 32);
            if (header_of(&shape, &file, NULL) == SEPAL_OK) fail_msg("read: %s", bad[i].dictionary);
            assert_place(bad[i].column + (version == 1 ? 10 : 12), bad[i].message);
            hostile++;
        }
}

static void test_zero_bytes(void **state) {
    (void)state;
    static const char good[] = TYPE("'|u1'");
    for (size_t i = 0; i < sizeof good - 1; i++) {
        struct bytes file = {0};
        struct array_shape shape;
        char dictionary[sizeof good];
        memcpy(dictionary, good, sizeof good);
        dictionary[i] = '\0';
        add_npy(&file, 1, dictionary, sizeof good - 1);
        assert_int_equal(header_of(&shape, &file, NULL), SEPAL_EDATA);
        assert_place(0, "");
        hostile++;
    }
}

/* What stands before the dictionary. */
static void test_bad_preambles(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t n, column;
        const char *message;
    } preambles[] = {
        {"\x93", 1, 2, "cut short"},
        {"\x93NUMP", 5, 6, "cut short"},
        {"\x93NUMPY", 6, 7, "cut short"},
        {"\x93NUMPY\1\0\2", 9, 10, "cut short"},
        {"\x93NUMPY\2\0\2\0\0", 11, 12, "cut short"},
        {"\x93NUMPX\1\0\2\0{}", 12, 1, "begins with"},
        {"\x93NUMPY\0\0\2\0{}", 12, 7, "version 0.0"},
        {"\x93NUMPY\4\0\2\0{}", 12, 7, "version 4.0"},
        {"\x93NUMPY\1\1\2\0{}", 12, 7, "version 1.1"},
        {"\x93NUMPY\1\0\377\377{}", 12, 9, "65545 bytes"},
        {"\x93NUMPY\2\0\0\0\1\0{}", 14, 9, "65548 bytes"},
        {"\x93NUMPY\2\0\377\377\377\377{}", 14, 9, "4294967307 bytes"},
        {"\x93NUMPY\3\0\0\200\0\0{}", 14, 15, "after 14 of 32780 bytes"},
        {"text, 1, 2", 10, 1, "begins with"},
    };
    for (size_t i = 0; i < sizeof preambles / sizeof *preambles; i++) {
        struct bytes file = {0};
        struct array_shape shape;
        add(&file, preambles[i].bytes, preambles[i].n);
        assert_int_equal(header_of(&shape, &file, NULL), SEPAL_EDATA);
        assert_place(preambles[i].column, preambles[i].message);
        hostile++;
    }
}

/* ---- headers of idx ----------------------------------------------------------------------- */

static void test_idx(void **state) {
    (void)state;
    static const struct {
        int type;
        enum element_kind kind;
        size_t bytes;
    } types[] = {{8, ELEMENT_UINT, 1}, {9, ELEMENT_INT, 1},    {11, ELEMENT_INT, 2},
                 {12, ELEMENT_INT, 4}, {13, ELEMENT_FLOAT, 4}, {14, ELEMENT_FLOAT, 8}};
    static const uint32_t dim[] = {7, 2, 3, 1, 5, 1, 1, 2};
    for (size_t t = 0; t < 6; t++)
        for (size_t dims = 1; dims <= 8; dims++) {
            struct bytes file = {0}, rest = {0};
            size_t cols = 1;
            add_idx_header(&file, types[t].type, dims, dim);
            add_word(&file, 0x0102030405060708, 8, true);
            assert_ptr_equal(format_of_bytes(file.at, file.n, true), format_find("idx"));
            struct array_shape shape = must_header(&file, &rest);
            for (size_t i = 1; i < dims; i++) cols *= dim[i];
            assert_ptr_equal(shape.format, format_find("idx")->array);
            assert_int_equal(shape.kind, types[t].kind);
            assert_int_equal(shape.bytes, types[t].bytes);
            assert_true(shape.big_endian);
            assert_false(shape.column_major);
            assert_int_equal(shape.rows, 7);
            assert_int_equal(shape.cols, cols);
            assert_int_equal(rest.n, 8);
            if (types[t].kind == ELEMENT_FLOAT) continue;
            double wanted = types[t].bytes == 1 ? 1 : types[t].bytes == 2 ? 258 : 16909060;
            assert_true(element_value(&shape, rest.at) == wanted);
        }
}

static void test_bad_idx(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t n, column;
        const char *message;
    } files[] = {
        {"\0", 1, 2, "cut short"},
        {"\0\0", 2, 3, "cut short"},
        {"\0\0\10", 3, 4, "cut short"},
        {"\0\0\10\1", 4, 5, "after 4 of 8 bytes"},
        {"\0\0\10\2\0\0\0\1\0\0\0", 11, 12, "after 11 of 12 bytes"},
        {"\0\1\10\1\0\0\0\1x", 9, 2, "two zero bytes"},
        {"\0\0\7\1\0\0\0\1x", 9, 3, "0x07"},
        {"\0\0\12\1\0\0\0\1x", 9, 3, "0x0A"},
        {"\0\0\17\1\0\0\0\1x", 9, 3, "0x0F"},
        {"\0\0\377\1\0\0\0\1x", 9, 3, "0xFF"},
        {"\0\0\10\0\0\0\0\1x", 9, 4, "0 dimensions"},
        {"\0\0\10\11\0\0\0\1x", 9, 4, "9 dimensions"},
        {"\0\0\10\377\0\0\0\1x", 9, 4, "255 dimensions"},
        {"\0\0\16\3\0\0\0\1\377\377\377\377\377\377\377\377", 16, 5, "more than any memory"},
        {"\0\0\10\3\0\0\0\0\377\377\377\377\377\377\377\377", 16, 5, "more than any memory"},
        {"\0\0\10\3\377\377\377\377\377\377\377\377\1\1\1\1", 16, 5, "more than any memory"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct bytes file = {0};
        struct array_shape shape;
        add(&file, files[i].bytes, files[i].n);
        assert_int_equal(header_of(&shape, &file, NULL), SEPAL_EDATA);
        assert_place(files[i].column, files[i].message);
        hostile++;
    }
}

static void test_detection(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t n;
        const char *format;
    } rows[] = {
        {"", 0, NULL},           {"\x93", 1, "npy"},          {"\x93NUM", 4, "npy"},
        {"\x93NUMBER", 7, NULL}, {"\x93NUMPY\1\0", 8, "npy"}, {"NUMPY", 5, NULL},
        {"\0\0\10", 3, NULL},    {"\0\0\10\1", 4, "idx"},     {"\0\0\16\10", 4, "idx"},
        {"\0\0\10\0", 4, NULL},  {"\0\0\10\11", 4, NULL},     {"\0\0\10\377", 4, NULL},
        {"\0\0\12\1", 4, NULL},  {"\0\1\10\1", 4, NULL},      {"\1\0\10\1", 4, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_ptr_equal(format_of_bytes(rows[i].bytes, rows[i].n, true),
                         rows[i].format ? format_find(rows[i].format) : NULL);
}

/* ---- what an array can be ----------------------------------------------------------------- */

static void test_uses(void **state) {
    (void)state;
    static const struct {
        const char *descr, *shape;
        const char *table, *labels, *weights; /* NULL: it can be; else why not */
    } uses[] = {
        {"<f8", "(3, 2)", NULL, "is it the data?", "is it the data?"},
        {"<f8", "(3,)", "is it the file for --labels?", NULL, NULL},
        {"|u1", "(3, 1)", NULL, NULL, NULL},
        {"<f8", "(1, 3)", NULL, "reshape(-1)", "reshape(-1)"},
        {"<f8", "(3, 2, 2)", "a.reshape(len(a), -1)", "3 x 2 x 2", "3 x 2 x 2"},
        {"<f8", "(3, 1, 1)", "a.reshape(len(a), -1)", "3 x 1 x 1", "3 x 1 x 1"},
        {"<f8", "()", "single number", "single value", "single value"},
        {"<f8", "(0,)", "is it the file for --labels?", NULL, NULL},
        {"<f8", "(0, 2)", "no rows", "is it the data?", "is it the data?"},
        {"<f8", "(2, 0)", "no columns", "is it the data?", "is it the data?"},
        {"<U5", "(3,)", "text", NULL, "text"},
        {"|S5", "(3, 2)", "text", "is it the data?", "is it the data?"},
        {"|S65536", "(3,)", "text", NULL, "text"},
        {"|S65537", "(3,)", "text", "65537 bytes each", "text"},
        {"<U16385", "(3,)", "text", "65540 bytes each", "text"},
    };
    typedef sepal_status check(sepal_ctx *, const struct array_shape *, const char *);
    static check *const checks[] = {array_check_table, array_check_labels, array_check_weights};
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        const char *const why[] = {uses[i].table, uses[i].labels, uses[i].weights};
        struct bytes file = {0};
        add_npy_header(&file, uses[i].descr, false, uses[i].shape);
        struct array_shape shape = must_header(&file, NULL);
        for (size_t c = 0; c < 3; c++) {
            sepal_status status = checks[c](&ctx, &shape, path);
            assert_int_equal(status, why[c] ? SEPAL_EDATA : SEPAL_OK);
            if (why[c]) assert_place(0, why[c]);
            if (why[c]) assert_true(ctx.error.column > 10 && ctx.error.column < file.n);
        }
    }
    static const uint32_t dim[] = {6, 28, 28};
    for (size_t dims = 1; dims <= 3; dims++) {
        struct bytes file = {0};
        add_idx_header(&file, 8, dims, dim);
        struct array_shape shape = must_header(&file, NULL);
        assert_int_equal(array_check_table(&ctx, &shape, path), dims > 1 ? SEPAL_OK : SEPAL_EDATA);
        assert_int_equal(array_check_labels(&ctx, &shape, path),
                         dims == 1 ? SEPAL_OK : SEPAL_EDATA);
    }
}

/* ---- damage ------------------------------------------------------------------------------- */

static void make_small(struct bytes *file, int which) {
    static const uint32_t dim[] = {3, 2};
    *file = (struct bytes){0};
    if (which == 0) add_npy_header(file, "<f8", false, "(3, 2)");
    if (which == 1) add_idx_header(file, 14, 2, dim);
    for (size_t i = 0; i < 6; i++) add_word(file, 0x3ff0000000000000 + i, 8, which);
}

static sepal_status take_whole(struct source *source, const char *format) {
    struct array_shape shape;
    char elements[48];
    size_t got;
    TRY(array_header(&shape, &ctx, source, format_find(format)->array));
    TRY(source_take(source, &ctx, elements, sizeof elements, &got));
    return array_check_end(&ctx, &shape, source, got);
}

static sepal_status read_whole(const struct bytes *file) {
    struct source source = source_of(file, path);
    sepal_status status = take_whole(&source, file->at[0] ? "npy" : "idx");
    source_close(&source);
    return status;
}

static void test_sizes(void **state) {
    (void)state;
    for (int which = 0; which < 2; which++) {
        struct bytes file;
        make_small(&file, which);
        assert_int_equal(read_whole(&file), SEPAL_OK);
        size_t whole = file.n, header = whole - 48;
        for (file.n = 1; file.n < whole; file.n++, truncations++) {
            assert_int_equal(read_whole(&file), SEPAL_EDATA);
            assert_place(file.n < header ? file.n + 1 : 0,
                         file.n < header ? "ends inside its header" : "is cut short");
            char numbers_said[64];
            snprintf(numbers_said, sizeof numbers_said, "48 bytes in all, and %zu bytes",
                     file.n - header);
            if (file.n >= header) assert_place(0, numbers_said);
        }
        add(&file, "!", 1);
        for (size_t more = 0; more < 2; more++) {
            assert_int_equal(read_whole(&file), SEPAL_EDATA);
            assert_place(0, more ? "and 2049 bytes" : "and 49 bytes");
            static const char blank[2000];
            add(&file, blank, more ? 0 : 2000);
        }
    }
}

/* Any byte of a header changed to anything: read or refused at its place, never worse. */
static void test_flips(void **state) {
    (void)state;
    for (int which = 0; which < 2; which++) {
        struct bytes file;
        make_small(&file, which);
        for (size_t i = which ? 1 : 0; i < file.n - 48; i++)
            for (int bit = 0; bit < 8; bit++) {
                struct bytes flipped = file;
                flipped.at[i] = (char)(flipped.at[i] ^ 1 << bit);
                flips++;
                if (flipped.at[0] == '\0' && !which) continue;
                if (read_whole(&flipped) == SEPAL_OK) continue;
                assert_place(0, "");
                assert_true(ctx.error.column >= 1 && ctx.error.column <= file.n + 1);
            }
    }
}

static void test_random_headers(void **state) {
    (void)state;
    static const char letters[] =
        "{}'\":,()[]0123456789 LTrueFalsedescrshapefortran_order<>|=fiubUS\n\0";
    struct rng rng = rng_make(test_seed(11), 1);
    for (size_t i = 0; i < 3000; i++) {
        struct bytes file = {0};
        struct array_shape shape;
        char dictionary[128] = SHAPE("(3, 2)");
        size_t n = strlen(dictionary);
        for (size_t k = rng_below(&rng, 4); k-- > 0;)
            dictionary[rng_below(&rng, n)] = letters[rng_below(&rng, sizeof letters)];
        add_npy(&file, 1 + (int)rng_below(&rng, 3), dictionary, n);
        hostile++;
        if (header_of(&shape, &file, NULL) == SEPAL_OK) continue;
        assert_place(0, "");
        assert_true(ctx.error.column > 10 && ctx.error.column <= file.n + 1);
    }
}

static sepal_status read_from_disk(const char *format) {
    struct source source;
    sepal_status status = source_open(&source, &ctx, path);
    if (status == SEPAL_OK) status = take_whole(&source, format);
    source_close(&source);
    return status;
}

static void test_faults(void **state) {
    (void)state;
    for (int which = 0; which < 2; which++)
        for (int kind = 0; kind < FAULT_KINDS; kind++)
            for (size_t k = 1;; k++) {
                struct bytes file;
                make_small(&file, which);
                if (k == 1) put_bytes(path, file.at, file.n);
                let_fail((enum fault_kind)kind, k, k % 2);
                sepal_status status = read_from_disk(which ? "idx" : "npy");
                bool hit = atomic_load(&ctx.faults[kind].calls) >= k;
                let_fail((enum fault_kind)kind, 0, false);
                assert_int_equal(status, !hit                  ? SEPAL_OK
                                         : kind == FAULT_ALLOC ? SEPAL_EMEMORY
                                                               : SEPAL_EDATA);
                if (!hit) break;
                injections++;
            }
    assert_true(injections > 10);
}

static int say_counts(void **state) {
    (void)state;
    printf("COUNT truncations %zu 0\nCOUNT hostile-headers %zu 0\nCOUNT flips %zu 0\n"
           "COUNT injection-points %zu 0\n",
           truncations, hostile, flips, injections);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_good_headers, fresh, clean),
        cmocka_unit_test_setup_teardown(test_bad_headers, fresh, clean),
        cmocka_unit_test_setup_teardown(test_zero_bytes, fresh, clean),
        cmocka_unit_test_setup_teardown(test_bad_preambles, fresh, clean),
        cmocka_unit_test_setup_teardown(test_idx, fresh, clean),
        cmocka_unit_test_setup_teardown(test_bad_idx, fresh, clean),
        cmocka_unit_test_setup_teardown(test_detection, fresh, clean),
        cmocka_unit_test_setup_teardown(test_uses, fresh, clean),
        cmocka_unit_test_setup_teardown(test_sizes, fresh, clean),
        cmocka_unit_test_setup_teardown(test_flips, fresh, clean),
        cmocka_unit_test_setup_teardown(test_random_headers, fresh, clean),
        cmocka_unit_test_setup_teardown(test_faults, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, say_counts);
}
