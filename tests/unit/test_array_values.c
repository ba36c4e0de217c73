/* Elements of npy and idx files: every type in every byte order, by definition, by the machine's own
   arithmetic, and at the ends of their ranges. */
#include "unit/array_files.h"

#include <float.h>
#include <math.h>

static void assert_text(const struct array_shape *shape, const char *at, const char *wanted) {
    struct text text = {0};
    element_text(&ctx, &text, shape, at);
    assert_false(text.failed);
    assert_string_equal(text.bytes, wanted);
    text_clear(&text);
}

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
    struct rng rng = rng_make(test_seed(7), 1);
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
    struct rng rng = rng_make(test_seed(3), 1);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_types, fresh, clean),
        cmocka_unit_test_setup_teardown(test_all_halves, fresh, clean),
        cmocka_unit_test_setup_teardown(test_extended, fresh, clean),
        cmocka_unit_test_setup_teardown(test_extended_by_machine, fresh, clean),
        cmocka_unit_test_setup_teardown(test_random_values, fresh, clean),
        cmocka_unit_test_setup_teardown(test_texts, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
