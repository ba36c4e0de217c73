/* Headers and elements of npy and idx files: every type in every byte order, headers good and bad,
   cut short, with bytes changed, and with memory and disk giving out. */
#include "data/array.h"

#include "unit/array_files.h"

#include <float.h>
#include <math.h>

static size_t truncations, hostile, flips, injections;

static const char path[] = "array";

/* What the header of these bytes says, the elements behind it in *rest. */
static sepal_status header_of(struct array_shape *shape, const struct bytes *file,
                              struct bytes *rest) {
    struct source source = source_of(file, path);
    enum array_format format = file->at[0] ? ARRAY_NPY : ARRAY_IDX;
    sepal_status status = array_header(shape, &ctx, &source, format);
    if (status == SEPAL_OK && rest)
        assert_int_equal(source_take(&source, &ctx, rest->at, sizeof rest->at, &rest->n), SEPAL_OK);
    source_close(&source);
    return status;
}

static struct array_shape must_header(const struct bytes *file, struct bytes *rest) {
    struct array_shape shape;
    if (header_of(&shape, file, rest) != SEPAL_OK) say_error(path);
    return shape;
}

static void assert_place(size_t column, const char *message) {
    assert_int_equal(ctx.error.status, SEPAL_EDATA);
    assert_string_equal(ctx.error.file, path);
    assert_int_equal(ctx.error.line, 1);
    if ((column && ctx.error.column != column) || !strstr(ctx.error.message, message))
        fail_msg("%zu: '%s', not %zu: '%s'", ctx.error.column, ctx.error.message, column, message);
}

static void assert_text(const struct array_shape *shape, const char *at, const char *wanted) {
    struct text text = {0};
    element_text(&ctx, &text, shape, at);
    assert_false(text.failed);
    assert_string_equal(text.bytes, wanted);
    text_clear(&text);
}

/* ---- elements ----------------------------------------------------------------------------- */

struct number {
    const char *type;
    uint64_t bits;
    double value;
    const char *text;
};

static const struct number numbers[] = {
    {"b1", 0, 0, "0"},
    {"b1", 1, 1, "1"},
    {"b1", 0x80, 1, "1"},
    {"i1", 0x7f, 127, "127"},
    {"i1", 0x80, -128, "-128"},
    {"i1", 0xff, -1, "-1"},
    {"i2", 0x7fff, 32767, "32767"},
    {"i2", 0x8000, -32768, "-32768"},
    {"i2", 0x0102, 258, "258"},
    {"i4", 0x7fffffff, 2147483647, "2147483647"},
    {"i4", 0x80000000, -2147483648., "-2147483648"},
    {"i4", 0x01020304, 16909060, "16909060"},
    {"i8", 0x7fffffffffffffff, 0x1p63, "9223372036854775807"},
    {"i8", 0x8000000000000000, -0x1p63, "-9223372036854775808"},
    {"i8", 0x0020000000000001, 0x1p53, "9007199254740993"},
    {"i8", 0x0020000000000003, 0x1p53 + 4, "9007199254740995"},
    {"i8", 0x0102030405060708, 72623859790382848, "72623859790382856"},
    {"u1", 0, 0, "0"},
    {"u1", 255, 255, "255"},
    {"u2", 0xffff, 65535, "65535"},
    {"u2", 0x0102, 258, "258"},
    {"u4", 0xffffffff, 4294967295, "4294967295"},
    {"u8", 0xffffffffffffffff, 0x1p64, "18446744073709551615"},
    {"u8", 0x8000000000000400, 0x1p63, "9223372036854776832"},
    {"u8", 0x8000000000000401, 0x1p63 + 2048, "9223372036854776833"},
    {"u8", 0x8000000000000c00, 0x1p63 + 4096, "9223372036854778880"},
    {"f2", 0x3c00, 1, "1"},
    {"f2", 0x8000, 0, "0"},
    {"f2", 0x7bff, 65504, "65504"},
    {"f2", 0x0001, 0x1p-24, "5.960464477539063e-8"},
    {"f2", 0x7c00, INFINITY, "inf"},
    {"f2", 0x7c01, NAN, "nan"},
    {"f4", 0x3f800000, 1, "1"},
    {"f4", 0x80000000, 0, "0"},
    {"f4", 0x3dcccccd, 0x1.99999ap-4, "0.10000000149011612"},
    {"f4", 0x7f7fffff, FLT_MAX, "3.4028234663852886e+38"},
    {"f4", 0x00000001, 0x1p-149, "1.401298464324817e-45"},
    {"f4", 0xff800000, -INFINITY, "-inf"},
    {"f4", 0xff800001, NAN, "nan"},
    {"f8", 0x3ff0000000000000, 1, "1"},
    {"f8", 0x8000000000000000, 0, "0"},
    {"f8", 0x3fb999999999999a, 0.1, "0.1"},
    {"f8", 0xffefffffffffffff, -DBL_MAX, "-1.7976931348623157e+308"},
    {"f8", 0x0000000000000001, 0x1p-1074, "5e-324"},
    {"f8", 0x7ff0000000000000, INFINITY, "inf"},
    {"f8", 0x7ff4000000000000, NAN, "nan"},
};

static void test_types(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (int way = 0; way < 4; way++) {
            const struct number *number = &numbers[i];
            size_t size = (size_t)(number->type[1] - '0');
            bool big = way & 1, column_major = way & 2;
            char descr[8];
            snprintf(descr, sizeof descr, "%c%s", big ? '>' : '<', number->type);
            struct bytes file = {0}, rest = {0};
            add_npy_header(&file, descr, column_major, "(3, 2)");
            for (int k = 0; k < 6; k++) add_word(&file, k == 4 ? number->bits : 0, size, big);
            struct array_shape shape = must_header(&file, &rest);
            assert_int_equal(shape.bytes, size);
            assert_int_equal(shape.rows, 3);
            assert_int_equal(shape.cols, 2);
            assert_int_equal(shape.column_major, column_major);
            assert_int_equal(rest.n, 6 * size);
            double values[6];
            elements_read(&shape, rest.at, 6, values);
            assert_true(values[4] == number->value || (isnan(values[4]) && isnan(number->value)));
            assert_false(!isnan(values[4]) && values[4] == 0 && signbit(values[4]));
            assert_true(values[0] == 0 && values[5] == 0);
            assert_text(&shape, rest.at + 4 * size, number->text);
        }
}

/* By its definition: sign, 2^exponent, halves of halves. */
static double slow_half(unsigned bits) {
    double value = 0, digit = 1;
    int exponent = (int)(bits / 1024 % 32);
    if (exponent == 31) return bits % 1024 ? NAN : bits / 32768 ? -INFINITY : INFINITY;
    if (exponent) value = 1;
    for (unsigned place = 512; place; place /= 2) {
        digit /= 2;
        if (bits / place % 2) value += digit;
    }
    for (int k = exponent ? exponent : 1; k < 15; k++) value /= 2;
    for (int k = exponent; k > 15; k--) value *= 2;
    return bits / 32768 ? -value : value;
}

static void test_all_halves(void **state) {
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct array_shape shape = {.kind = ELEMENT_FLOAT, .bytes = 2, .big_endian = big};
        for (unsigned bits = 0; bits < 65536; bits++) {
            struct bytes word = {0};
            add_word(&word, bits, 2, big);
            double value = element_value(&shape, word.at), wanted = slow_half(bits);
            assert_true(isnan(wanted) ? isnan(value) : value == wanted);
        }
    }
}

static double extended(unsigned top, uint64_t fraction, bool big) {
    struct array_shape shape = {.kind = ELEMENT_FLOAT, .bytes = 16, .big_endian = big};
    struct bytes word = {0};
    if (big) add_word(&word, 0x123456, 6, true); /* padding may be anything */
    if (big) add_word(&word, top, 2, true);
    add_word(&word, fraction, 8, big);
    if (!big) add_word(&word, top, 2, false);
    if (!big) add_word(&word, 0x123456, 6, false);
    return element_value(&shape, word.at);
}

static void test_extended(void **state) {
    (void)state;
    const uint64_t one = (uint64_t)1 << 63;
    const unsigned bias = 16383;
    for (int big = 0; big < 2; big++) {
        assert_true(extended(bias, one, big) == 1);
        assert_true(extended(bias | 0x8000, one | one >> 1, big) == -1.5);
        assert_true(extended(0, 0, big) == 0 && !signbit(extended(0x8000, 0, big)));
        assert_true(extended(0x7fff, one, big) == INFINITY);
        assert_true(extended(0xffff, one, big) == -INFINITY);
        assert_true(isnan(extended(0x7fff, one | 1, big)));
        assert_true(isnan(extended(bias, 1, big))); /* without its leading bit */
        assert_true(extended(0, one, big) == 0 && extended(0, UINT64_MAX, big) == 0);
        /* ties to even, at 53 bits */
        assert_true(extended(bias, one | 1 << 10, big) == 1);
        assert_true(extended(bias, one | 1 << 10 | 1, big) == 1 + DBL_EPSILON);
        assert_true(extended(bias, one | 3 << 10, big) == 1 + 2 * DBL_EPSILON);
        assert_true(extended(bias, UINT64_MAX, big) == 2);
        /* at the ends of the range of a double */
        assert_true(extended(bias + 1023, UINT64_MAX << 11, big) == DBL_MAX);
        assert_true(extended(bias + 1023, UINT64_MAX, big) == INFINITY);
        assert_true(extended(bias + 1024, one, big) == INFINITY);
        assert_true(extended(bias - 1074, one, big) == 0x1p-1074);
        assert_true(extended(bias - 1075, one, big) == 0);
        assert_true(extended(bias - 1075, one | 1, big) == 0x1p-1074);
        assert_true(extended(bias - 1076, UINT64_MAX, big) == 0);
        assert_true(extended(bias - 1073, one | one >> 1, big) == 0x1.8p-1073);
        assert_true(extended(bias - 1074, one | one >> 1, big) == 0x1p-1073);
        assert_true(extended(bias - 1022, UINT64_MAX, big) == 0x1p-1021);
        assert_true(extended(bias - 1023, UINT64_MAX, big) == 0x1p-1022);
    }
}

/* Against the machine's own, where it has one. */
static void test_extended_by_machine(void **state) {
    (void)state;
#if LDBL_MANT_DIG == 64 && defined(__x86_64__)
    struct rng rng = rng_make(7, 1);
    for (size_t i = 0; i < 200000; i++) {
        uint64_t fraction = rng_next(&rng) | (uint64_t)1 << 63;
        if (i % 3 == 0) fraction &= UINT64_MAX << (i % 13);
        unsigned top = 16383 - 1090 + (unsigned)rng_below(&rng, 2130);
        long double machine = 0;
        memcpy(&machine, &fraction, 8);
        memcpy((char *)&machine + 8, &top, 2);
        assert_true(extended(top, fraction, i & 1) == (double)machine);
    }
#else
    skip();
#endif
}

static void test_random_values(void **state) {
    (void)state;
    struct rng rng = rng_make(3, 1);
    for (size_t i = 0; i < 20000; i++)
        for (int big = 0; big < 2; big++) {
            uint64_t bits = rng_next(&rng);
            struct bytes word = {0};
            add_word(&word, bits, 8, big);
            struct array_shape shape = {.kind = ELEMENT_FLOAT, .bytes = 8, .big_endian = big};
            double value = element_value(&shape, word.at), wanted;
            memcpy(&wanted, &bits, 8);
            assert_true(value == wanted || (isnan(value) && isnan(wanted)));
            shape.kind = ELEMENT_INT;
            assert_true(element_value(&shape, word.at) == (double)(int64_t)bits);
            shape.kind = ELEMENT_UINT;
            assert_true(element_value(&shape, word.at) == (double)bits);
            struct bytes half = {0};
            add_word(&half, bits & UINT32_MAX, 4, big);
            shape = (struct array_shape){.kind = ELEMENT_FLOAT, .bytes = 4, .big_endian = big};
            float single;
            uint32_t low = (uint32_t)bits;
            memcpy(&single, &low, 4);
            value = element_value(&shape, half.at);
            assert_true(value == (double)single || (isnan(value) && isnan(single)));
            shape.kind = ELEMENT_INT;
            assert_true(element_value(&shape, half.at) == (double)(int32_t)low);
        }
}

static void test_texts(void **state) {
    (void)state;
    static const struct {
        uint32_t characters[3];
        const char *wanted;
    } texts[] = {
        {{'a', 'b', 0}, "ab"},
        {{0, 0, 0}, ""},
        {{0xe9, 0x7ff, 0x800}, "\xc3\xa9\xdf\xbf\xe0\xa0\x80"},
        {{0xffff, 0x10000, 0x10ffff}, "\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"},
        {{0xd7ff, 0xe000, 0x80}, "\xed\x9f\xbf\xee\x80\x80\xc2\x80"},
        {{0xd800, 'x', 0}, "\xffx"},
        {{0xdfff, 0, 0}, "\xff"},
        {{0x110000, 0xffffffff, 'y'}, "\xff\xffy"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int big = 0; big < 2; big++) {
            struct bytes file = {0}, rest = {0};
            add_npy_header(&file, big ? ">U3" : "<U3", false, "(1,)");
            for (int k = 0; k < 3; k++) add_word(&file, texts[i].characters[k], 4, big);
            struct array_shape shape = must_header(&file, &rest);
            assert_int_equal(shape.kind, ELEMENT_TEXT);
            assert_int_equal(shape.bytes, 12);
            assert_text(&shape, rest.at, texts[i].wanted);
        }
    struct bytes file = {0}, rest = {0};
    add_npy_header(&file, "|S4", false, "(3,)");
    add(&file, "ab\0\0\0\0\0\0abcd", 12);
    struct array_shape shape = must_header(&file, &rest);
    assert_int_equal(shape.kind, ELEMENT_BYTES);
    assert_text(&shape, rest.at, "ab");
    assert_text(&shape, rest.at + 4, "");
    assert_text(&shape, rest.at + 8, "abcd");
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
            assert_int_equal(shape.format, ARRAY_NPY);
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
            assert_int_equal(array_detect(file.at, file.n), ARRAY_IDX);
            struct array_shape shape = must_header(&file, &rest);
            for (size_t i = 1; i < dims; i++) cols *= dim[i];
            assert_int_equal(shape.format, ARRAY_IDX);
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
        enum array_format format;
    } rows[] = {
        {"", 0, ARRAY_NONE},
        {"\x93", 1, ARRAY_NPY},
        {"\x93NUM", 4, ARRAY_NPY},
        {"\x93NUMBER", 7, ARRAY_NONE},
        {"\x93NUMPY\1\0", 8, ARRAY_NPY},
        {"NUMPY", 5, ARRAY_NONE},
        {"\0\0\10", 3, ARRAY_NONE},
        {"\0\0\10\1", 4, ARRAY_IDX},
        {"\0\0\16\10", 4, ARRAY_IDX},
        {"\0\0\10\0", 4, ARRAY_NONE},
        {"\0\0\10\11", 4, ARRAY_NONE},
        {"\0\0\10\377", 4, ARRAY_NONE},
        {"\0\0\12\1", 4, ARRAY_NONE},
        {"\0\1\10\1", 4, ARRAY_NONE},
        {"\1\0\10\1", 4, ARRAY_NONE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(array_detect(rows[i].bytes, rows[i].n), rows[i].format);
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

static sepal_status take_whole(struct source *source, enum array_format format) {
    struct array_shape shape;
    char elements[48];
    size_t got;
    TRY(array_header(&shape, &ctx, source, format));
    TRY(source_take(source, &ctx, elements, sizeof elements, &got));
    return array_check_end(&ctx, &shape, source, got);
}

static sepal_status read_whole(const struct bytes *file) {
    struct source source = source_of(file, path);
    sepal_status status = take_whole(&source, file->at[0] ? ARRAY_NPY : ARRAY_IDX);
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
    struct rng rng = rng_make(11, 1);
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

static sepal_status read_from_disk(enum array_format format) {
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
                sepal_status status = read_from_disk(which ? ARRAY_IDX : ARRAY_NPY);
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
        cmocka_unit_test_setup_teardown(test_types, fresh, clean),
        cmocka_unit_test_setup_teardown(test_all_halves, fresh, clean),
        cmocka_unit_test_setup_teardown(test_extended, fresh, clean),
        cmocka_unit_test_setup_teardown(test_extended_by_machine, fresh, clean),
        cmocka_unit_test_setup_teardown(test_random_values, fresh, clean),
        cmocka_unit_test_setup_teardown(test_texts, fresh, clean),
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
