/* Growable texts, slices, suggestions and UTF-8. */
#include "core/alloc.h"
#include "seed.h"
#include "core/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> /* after core/context.h: it defines a macro fail() */

static struct sepal_ctx ctx;

static int fresh_context(void **state) {
    (void)state;
    ctx = (struct sepal_ctx){.root = &ctx};
    return 0;
}

static void test_appends_agree_with_one_buffer(void **state) {
    (void)state;
    struct text text = {0};
    char plain[4096] = "";
    size_t length = 0;
    struct rng rng = rng_make(test_seed(1), 1);
    while (length < 3000) {
        char piece[64];
        size_t n = (size_t)rng_below(&rng, sizeof piece);
        for (size_t i = 0; i < n; i++) piece[i] = (char)('a' + rng_below(&rng, 26));
        memcpy(plain + length, piece, n);
        length += n;
        text_add(&ctx, &text, piece, n);
        assert_int_equal(text.length, length);
        assert_memory_equal(text.bytes, plain, length);
        assert_int_equal(text.bytes[length], '\0');
        assert_true(text.room > length);
    }
    text_clear(&text);
    assert_null(text.bytes);
}

static void test_writers(void **state) {
    (void)state;
    struct text text = {0};
    text_puts(&ctx, &text, "");
    assert_string_equal(text.bytes, "");
    text_puts(&ctx, &text, "a=");
    text_number(&ctx, &text, 0.1);
    text_printf(&ctx, &text, ", %s %d%%", "b", -7);
    text_printf(&ctx, &text, "%s", "");
    assert_string_equal(text.bytes, "a=0.1, b -7%");
    char *taken = text_take(&ctx, &text);
    assert_string_equal(taken, "a=0.1, b -7%");
    mem_free(taken);
    assert_int_equal(text.length, 0);
    taken = text_take(&ctx, &text);
    assert_string_equal(taken, "");
    mem_free(taken);
}

static void test_failed_append_is_remembered(void **state) {
    (void)state;
    struct text text = {0};
    text_puts(&ctx, &text, "first");
    ctx.faults[FAULT_ALLOC].fail_at = 1;
    text_printf(&ctx, &text, "%0200d", 1);
    assert_true(text.failed);
    assert_int_equal(ctx.error.status, SEPAL_EMEMORY);
    text_puts(&ctx, &text, "x");
    assert_string_equal(text.bytes, "first");
    assert_null(text_take(&ctx, &text));
    assert_false(text.failed);

    text_add(&ctx, &text, "x", 1);
    text_add(&ctx, &text, "y", SIZE_MAX - 1);
    assert_true(text.failed);
    text_clear(&text);
}

static void test_slices(void **state) {
    (void)state;
    static const char *const words[] = {"", "A", "a", "aA", "ab", "b", "\x80", "\xFF"};
    enum { N = sizeof words / sizeof words[0] };
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++) {
            struct slice a = {words[i], strlen(words[i])}, b = {words[j], strlen(words[j])};
            int order = slice_compare(a, b);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
            assert_int_equal(slice_is(a, words[j]), i == j);
        }
    }
    assert_true(slice_is((struct slice){NULL, 0}, ""));
    assert_true(slice_is_nocase((struct slice){"nAn!", 3}, "NaN"));
    assert_false(slice_is_nocase((struct slice){"nan", 3}, "na"));
    assert_false(slice_is_nocase((struct slice){"@", 1}, "`"));
    assert_false(slice_is_nocase((struct slice){"[", 1}, "{"));
}

static void test_suggestions(void **state) {
    (void)state;
    static const char *const names[] = {"eta",          "theta",       "C",    "l2",
                                        "class-weight", "svm",         "ovo",  "logistic",
                                        "perceptron",   "naive-bayes", "batch"};
    static const struct {
        const char *wrong, *right;
    } cases[] = {
        {"etta", "eta"},
        {"eat", "eta"},
        {"eta", "eta"},
        {"thtea", "theta"},
        {"c", "C"},
        {"l3", "l2"},
        {"class_wieght", "class-weight"},
        {"CLASS_WEIGHT", "class-weight"},
        {"perc", "perceptron"},
        {"logistic_regression", "logistic"},
        {"naivebayes", "naive-bayes"},
        {"preceptorn", "perceptron"},
        {"SVM", "svm"},
        {"bacth", "batch"},
        {"batches", "batch"},
        {"x", NULL},
        {"zzz", NULL},
        {"", NULL},
        {"epochs", NULL},
        {"hcatb", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *got = text_suggest(cases[i].wrong, names, sizeof names / sizeof names[0]);
        if (cases[i].right == NULL) {
            assert_null(got);
        } else {
            assert_non_null(got);
            assert_string_equal(got, cases[i].right);
        }
    }
    assert_null(text_suggest("eta", names, 0));
    static const char *const alike[] = {"logistic", "logist", "logisti", "a-b-c-d"};
    assert_string_equal(text_suggest("logis", alike, 4), "logist");
    assert_string_equal(text_suggest("a_b_c_d", alike, 4), "a-b-c-d");
}

static void test_suggestion_bears_long_words(void **state) {
    (void)state;
    char word[300];
    for (size_t n = 60; n < sizeof word; n++) {
        memset(word, 'a', n);
        word[n] = '\0';
        const char *names[] = {word};
        const char *got = text_suggest(word, names, 1);
        assert_ptr_equal(got, n <= 64 ? word : NULL);
        assert_null(text_suggest("b", names, 1));
    }
}

/* Every one-letter slip in a name of six different letters leads back to it. */
static void test_one_slip_is_near(void **state) {
    (void)state;
    static const char *const names[] = {"zxqkvj", "stumble", "grid", "hopped"};
    const char *name = "stumble";
    size_t n = strlen(name);
    char slip[16];
    for (size_t i = 0; i < n; i++) {
        memcpy(slip, name, n + 1);
        slip[i] = '9';
        assert_string_equal(text_suggest(slip, names, 4), name);
        memmove(slip + i, slip + i + 1, n - i);
        assert_string_equal(text_suggest(slip, names, 4), name);
        memcpy(slip, name, i);
        slip[i] = '9';
        memcpy(slip + i + 1, name + i, n - i + 1);
        assert_string_equal(text_suggest(slip, names, 4), name);
        if (i + 1 == n) continue;
        memcpy(slip, name, n + 1);
        slip[i] = name[i + 1];
        slip[i + 1] = name[i];
        assert_string_equal(text_suggest(slip, names, 4), name);
    }
}

static size_t encode(unsigned char *out, uint32_t code) {
    if (code < 0x80) {
        out[0] = (unsigned char)code;
        return 1;
    }
    size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = n; i-- > 1; code >>= 6) out[i] = (unsigned char)(0x80 | (code & 0x3F));
    out[0] = (unsigned char)(leads[n] | code);
    return n;
}

static void test_every_code_point(void **state) {
    (void)state;
    for (uint32_t code = 0; code <= 0x13FFFF; code++) {
        unsigned char bytes[4];
        size_t n = encode(bytes, code);
        bool good = code <= 0x10FFFF && !(code >= 0xD800 && code <= 0xDFFF);
        assert_int_equal(utf8_valid_prefix((char *)bytes, n), good ? n : 0);
        for (size_t cut = 1; cut < n; cut++) {
            assert_int_equal(utf8_valid_prefix((char *)bytes, cut), 0);
        }
    }
}

/* A slow second opinion: a prefix is valid if it is what some code point encodes to. */
static size_t valid_prefix_by_encoding(const unsigned char *bytes, size_t length) {
    size_t done = 0;
    while (done < length) {
        size_t size = 0;
        for (size_t n = 1; n <= 4 && n <= length - done && size == 0; n++) {
            uint32_t code = bytes[done] & (n == 1 ? 0x7F : 0x3Fu >> (n - 1));
            for (size_t i = 1; i < n; i++) code = code << 6 | (bytes[done + i] & 0x3F);
            unsigned char again[4];
            bool scalar = code <= 0x10FFFF && !(code >= 0xD800 && code <= 0xDFFF);
            if (scalar && encode(again, code) == n && memcmp(again, bytes + done, n) == 0) size = n;
        }
        if (size == 0) break;
        done += size;
    }
    return done;
}

static void test_boundary_bytes(void **state) {
    (void)state;
    static const unsigned char edges[] = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF,
                                          0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE,
                                          0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF};
    enum { N = sizeof edges };
    for (size_t i = 0; i < N * N * N * N; i++) {
        unsigned char bytes[4] = {edges[i % N], edges[i / N % N], edges[i / N / N % N],
                                  edges[i / N / N / N]};
        assert_int_equal(utf8_valid_prefix((char *)bytes, 4), valid_prefix_by_encoding(bytes, 4));
    }
}

static void test_shown_bytes_are_harmless(void **state) {
    (void)state;
    char out[TEXT_SHOWN_BYTES];
    assert_string_equal(text_shown(out, "caf\xC3\xA9", 5), "caf\xC3\xA9");
    assert_string_equal(text_shown(out, "a\x1B[2J\n\x7F\xC2\x9B\xFF", 10), "a?[2J????");
    assert_string_equal(text_shown(out, NULL, 0), "");
    struct rng rng = rng_make(test_seed(2), 1);
    for (int round = 0; round < 2000; round++) {
        size_t n = (size_t)rng_below(&rng, 200);
        char *bytes = malloc(n + 1);
        assert_non_null(bytes);
        for (size_t i = 0; i < n; i++) bytes[i] = (char)rng_below(&rng, 256);
        text_shown(out, bytes, n);
        size_t length = strlen(out);
        assert_true(length < TEXT_SHOWN_BYTES);
        assert_int_equal(utf8_valid_prefix(out, length), length);
        for (size_t i = 0; i < length; i++) assert_true((unsigned char)out[i] >= 0x20);
        if (n >= TEXT_SHOWN_BYTES * 4) assert_string_equal(out + length - 3, "...");
        free(bytes);
    }
    char full[TEXT_SHOWN_BYTES] = "";
    memset(full, 'x', TEXT_SHOWN_BYTES - 4);
    assert_string_equal(text_shown(out, full, TEXT_SHOWN_BYTES - 4), full);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_appends_agree_with_one_buffer, fresh_context),
        cmocka_unit_test_setup(test_writers, fresh_context),
        cmocka_unit_test_setup(test_failed_append_is_remembered, fresh_context),
        cmocka_unit_test_setup(test_slices, fresh_context),
        cmocka_unit_test(test_suggestions),
        cmocka_unit_test(test_suggestion_bears_long_words),
        cmocka_unit_test(test_one_slip_is_near),
        cmocka_unit_test(test_every_code_point),
        cmocka_unit_test(test_boundary_bytes),
        cmocka_unit_test(test_shown_bytes_are_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
