/* Trees of facts and JSON: what is printed, what is read, what is refused. */
#include "core/alloc.h"
#include "seed.h"
#include "core/tree.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h> /* after core/context.h: it defines a macro fail() */

#include "unit/core_fixture.h"

/* Read from a block of exactly that size, so that the sanitizer sees every byte too many. */
static sepal_status read_exact(struct tree **out, const char *json, size_t length) {
    char *block = malloc(length > 0 ? length : 1);
    assert_non_null(block);
    memcpy(block, json, length);
    sepal_status status = json_read(out, &ctx, &arena, (struct slice){block, length}, SEPAL_EMODEL);
    free(block);
    assert_int_equal(status == SEPAL_OK, *out != NULL);
    return status;
}

static struct tree *must_read(const char *json) {
    struct tree *tree;
    assert_int_equal(read_exact(&tree, json, strlen(json)), SEPAL_OK);
    return tree;
}

static char *printed(const struct tree *tree, int indent) {
    struct text out = {0};
    json_print(&ctx, &out, tree, indent);
    char *bytes = text_take(&ctx, &out);
    assert_non_null(bytes);
    return bytes;
}

static void assert_prints(const struct tree *tree, int indent, const char *wanted) {
    char *bytes = printed(tree, indent);
    assert_string_equal(bytes, wanted);
    mem_free(bytes);
}

static struct tree *sample(struct tree_maker *make) {
    struct tree *root = tree_object(make, NULL, NULL);
    tree_number(make, root, "schema", 1);
    tree_text(make, root, "path", "a/b \"c\"\\\b\f\n\r\t\x01\x7F");
    tree_bool(make, root, "done", true);
    tree_number(make, root, "gap", NAN);
    tree_number(make, root, "far", -INFINITY);
    struct tree *train = tree_object(make, root, "train");
    tree_number(make, train, "accuracy", 0.1);
    tree_slice(make, train, "label", (struct slice){"xy", 1});
    struct tree *rows = tree_array(make, root, "confusion");
    for (int i = 0; i < 2; i++) {
        struct tree *row = tree_array(make, rows, NULL);
        tree_number(make, row, NULL, i);
        tree_null(make, row, NULL);
    }
    tree_array(make, root, "none");
    tree_object(make, root, "");
    return root;
}

static void test_building_finding_printing(void **state) {
    (void)state;
    struct tree_maker make = {.ctx = &ctx, .arena = &arena};
    struct tree *root = sample(&make);
    assert_false(make.failed);
    assert_int_equal(root->count, 9);
    assert_true(tree_path(root, "train.accuracy")->number == 0.1);
    assert_true(slice_is(tree_path(root, "train.label")->text, "x"));
    assert_true(tree_path(root, "confusion.1.0")->number == 1);
    assert_int_equal(tree_path(root, "confusion.0.1")->kind, TREE_NULL);
    assert_int_equal(tree_find(root, "gap")->kind, TREE_NULL);
    assert_int_equal(tree_find(root, "")->kind, TREE_OBJECT);
    static const char *const absent[] = {
        "accuracy",         "train.",      ".train",
        "train.accuracy.x", "confusion.2", "trai",
        "confusion.",       "confusion.x", "confusion.1.9999999999999999999999"};
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++) {
        assert_null(tree_path(root, absent[i]));
    }
    assert_null(tree_find(NULL, "a"));
    assert_prints(root, 0,
                  "{\"schema\":1,\"path\":\"a/b \\\"c\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u007f\","
                  "\"done\":true,\"gap\":null,\"far\":null,"
                  "\"train\":{\"accuracy\":0.1,\"label\":\"x\"},"
                  "\"confusion\":[[0,null],[1,null]],\"none\":[],\"\":{}}");
    assert_prints(tree_find(root, "train"), 4,
                  "{\n    \"accuracy\": 0.1,\n    \"label\": \"x\"\n}");
    assert_prints(tree_find(root, "confusion"), 2, "[\n  [0, null],\n  [1, null]\n]");
    assert_prints(tree_find(root, "none"), 2, "[]");
}

static void test_printing_replaces_what_is_not_utf8(void **state) {
    (void)state;
    struct tree_maker make = {.ctx = &ctx, .arena = &arena};
    struct tree *root = tree_array(&make, NULL, NULL);
    tree_text(&make, root, NULL,
              "\xFF"
              "a\xC3\xA9\xC3");
    tree_slice(&make, root, NULL, (struct slice){NULL, 0});
    assert_prints(root, 0,
                  "[\"\xEF\xBF\xBD"
                  "a\xC3\xA9\xEF\xBF\xBD\",\"\"]");
}

static void test_valid_texts(void **state) {
    (void)state;
    static const struct {
        const char *json, *again;
    } cases[] = {
        {"0", "0"},
        {" \t\r\n-0 ", "-0"},
        {"[1E3,1e+3,1e-3,0.50,-12.25e0]", "[1000,1000,0.001,0.5,-12.25]"},
        {"[0e0, 0.0, 1e-999]", "[0,0,0]"},
        {"\"\"", "\"\""},
        {"\"\\u0041\\u00e9\\u20AC\\uD83D\\ude00\"", "\"A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\""},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\\"\\\\/\\b\\f\\n\\r\\t\""},
        {"\"\x7F\"", "\"\\u007f\""},
        {"[ ]", "[]"},
        {"{ }", "{}"},
        {"[[],{},[[]]]", "[[],{},[[]]]"},
        {"{\"b\":1,\"a\":{\"b\":2},\"\":null}", "{\"b\":1,\"a\":{\"b\":2},\"\":null}"},
        {"{\"a\\u0062\":true , \"a\" : false}", "{\"ab\":true,\"a\":false}"},
        {"null", "null"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tree *tree = must_read(cases[i].json);
        assert_null(tree->key);
        assert_null(tree->next);
        assert_prints(tree, 0, cases[i].again);
    }
}

static void test_refused_texts(void **state) {
    (void)state;
    static const struct {
        const char *json, *message;
    } cases[] = {
        {"", "expected a value at byte 1, where the text ends"},
        {"  ", "a value at byte 3"},
        {"nul", "a value at byte 1"},
        {"True", "a value at byte 1"},
        {"nullx", "nothing after the value at byte 5"},
        {"1 2", "nothing after the value at byte 3"},
        {"[1,]", "a value at byte 4"},
        {"[,1]", "a value at byte 2"},
        {"[1 2]", "',' or ']' at byte 4"},
        {"[1}", "',' or ']' at byte 3"},
        {"{\"a\":1,}", "a key in double quotes at byte 8"},
        {"{a:1}", "a key in double quotes at byte 2"},
        {"{\"a\" 1}", "':' at byte 6"},
        {"{\"a\":}", "a value at byte 6"},
        {"{\"a\":1 \"b\":2}", "',' or '}' at byte 8"},
        {"]", "a value at byte 1"},
        {"+1", "a value at byte 1"},
        {".5", "a value at byte 1"},
        {"01", "a number as JSON writes it (no '+', no leading zeros) at byte 1"},
        {"-", "a number"},
        {"-01", "a number"},
        {"1.", "a number"},
        {"1.e3", "a number"},
        {"1e", "a number"},
        {"1e+", "a number"},
        {"0x10", "nothing after the value at byte 2"},
        {"NaN", "a value"},
        {"-Infinity", "a number"},
        {"[1e999]", "number at byte 2 is too large"},
        {"-1e309", "too large"},
        {"\"a", "string that begins at byte 1 never ends"},
        {"\"a\nb\"", "control character in a string at byte 3"},
        {"\"\\x\"", "after a backslash at byte 3"},
        {"\"\\u12g4\"", "hexadecimal digits after \\u at byte 6"},
        {"\"\\u0000\"", "NUL"},
        {"\"\\uD800\"", "half of a surrogate pair"},
        {"\"\\uDC00\"", "half of a surrogate pair"},
        {"\"\\uD800\\uD800\"", "half of a surrogate pair"},
        {"\"\\uD800\\n\"", "half of a surrogate pair"},
        {"\"\\uDC00\\uD800\"", "escape at byte 2 is half"},
        {"\"\xC0\x80\"", "byte 2 is not UTF-8"},
        {"\"\xED\xA0\x80\"", "byte 2 is not UTF-8"},
        {"\xEF\xBB\xBF{}", "a value at byte 1"},
        {"{\"a\":1,\"a\":1}", "object that ends at byte 13 has the key 'a' twice"},
        {"{\"a\":1,\"\\u0061\":1}", "key 'a' twice"},
        {"[{\"x\":{\"\":0,\"b\":0,\"\":0}}]", "key '' twice"},
        {"// c\n1", "a value at byte 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tree *tree;
        assert_int_equal(read_exact(&tree, cases[i].json, strlen(cases[i].json)), SEPAL_EMODEL);
        assert_int_equal(ctx.error.status, SEPAL_EMODEL);
        if (strstr(ctx.error.message, cases[i].message) == NULL) {
            fail_msg("%s: '%s' lacks '%s'", cases[i].json, ctx.error.message, cases[i].message);
        }
    }
    struct tree *tree;
    assert_int_equal(read_exact(&tree, "\"a\0b\"", 5), SEPAL_EMODEL);
    assert_int_equal(read_exact(&tree, "1\0", 2), SEPAL_EMODEL);
    struct slice bad = {"[", 1};
    assert_int_equal(json_read(&tree, &ctx, &arena, bad, SEPAL_EDATA), SEPAL_EDATA);
}

/* As deep as allowed in `mode` (0: arrays, 1: objects), with `depth` brackets. */
static sepal_status read_nested(int mode, size_t depth, bool closed) {
    struct text json = {0};
    for (size_t i = 0; i < depth; i++) text_puts(&ctx, &json, mode == 0 ? "[" : "{\"k\":");
    if (mode == 1) text_puts(&ctx, &json, "0");
    for (size_t i = 0; i < depth && closed; i++) text_puts(&ctx, &json, mode == 0 ? "]" : "}");
    struct tree *tree;
    sepal_status status = read_exact(&tree, json.bytes, json.length);
    text_clear(&json);
    return status;
}

static void test_depth_is_bounded(void **state) {
    (void)state;
    for (int mode = 0; mode < 2; mode++) {
        assert_int_equal(read_nested(mode, 32, true), SEPAL_OK);
        assert_int_equal(read_nested(mode, 33, true), SEPAL_EMODEL);
        assert_int_equal(read_nested(mode, 1000000, false), SEPAL_EMODEL);
        assert_non_null(strstr(ctx.error.message, "nested deeper than 32"));
    }
    assert_int_equal(read_nested(0, 32, false), SEPAL_EMODEL);
}

/* All pairs of 400,000 keys would take minutes. */
static void test_large_objects_take_no_square_time(void **state) {
    (void)state;
    enum { KEYS = 400000, SECONDS = 20 };
    for (int twice = 0; twice < 2; twice++) {
        struct text json = {0};
        text_puts(&ctx, &json, "{");
        for (unsigned i = 0; i < KEYS; i++) {
            text_printf(&ctx, &json, "%s\"%u\":0", i > 0 ? "," : "", i * 7u % KEYS);
        }
        text_puts(&ctx, &json, twice ? ",\"123456\":1}" : "}");
        struct tree *tree;
        clock_t begun = clock();
        sepal_status status = read_exact(&tree, json.bytes, json.length);
        assert_true((double)(clock() - begun) / CLOCKS_PER_SEC < SECONDS);
        assert_int_equal(status, twice ? SEPAL_EMODEL : SEPAL_OK);
        if (twice) assert_non_null(strstr(ctx.error.message, "'123456' twice"));
        text_clear(&json);
    }
}

static const char rich[] =
    "{\"a\":[1,-2.5e-3,true,false,null,\"\\u00e9\\ud83d\\ude00\\n\xC3\xA9\"],"
    "\"b\":{\"c\":{},\"d\":[[],[{}]]},\"e\":\"x\\\\\\\"y\"}";

static void test_every_truncation_is_refused(void **state) {
    (void)state;
    struct tree *tree;
    for (size_t cut = 0; cut < sizeof rich - 1; cut++) {
        assert_int_equal(read_exact(&tree, rich, cut), SEPAL_EMODEL);
    }
    assert_int_equal(read_exact(&tree, rich, sizeof rich - 1), SEPAL_OK);
}

static void assert_round_trip(const struct tree *tree) {
    for (int indent = 0; indent <= 3; indent += 3) {
        char *once = printed(tree, indent);
        char *twice = printed(must_read(once), indent);
        assert_string_equal(once, twice);
        mem_free(once);
        mem_free(twice);
    }
}

static void test_every_damaged_byte(void **state) {
    (void)state;
    static const unsigned char bytes[] = "\0\x01 \"\\/{}[]:,0159.-+eEu\x7F\x80\xC3\xED\xFF";
    for (size_t at = 0; at < sizeof rich - 1; at++) {
        for (size_t k = 0; k < sizeof bytes; k++) {
            char damaged[sizeof rich];
            memcpy(damaged, rich, sizeof rich);
            damaged[at] = (char)bytes[k];
            struct tree *tree;
            if (read_exact(&tree, damaged, sizeof rich - 1) == SEPAL_OK) assert_round_trip(tree);
        }
        arena_clear(&arena);
    }
}

static double random_number(struct rng *rng) {
    if (rng_below(rng, 2) == 0) return (double)rng_below(rng, 2000) - 1000;
    uint64_t bits = rng_next(rng);
    double number;
    memcpy(&number, &bits, sizeof number);
    return isfinite(number) ? number : 0.5;
}

/* Any text without NUL: from ASCII with all controls, and from some longer characters. */
static struct slice random_text(struct rng *rng, char room[64]) {
    static const char *const longer[] = {"\xC2\x80", "\xE2\x80\xA8", "\xEF\xBF\xBF",
                                         "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"};
    size_t n = 0, letters = (size_t)rng_below(rng, 12);
    for (size_t i = 0; i < letters; i++) {
        if (rng_below(rng, 4) == 0) {
            const char *one = longer[rng_below(rng, 5)];
            memcpy(room + n, one, strlen(one));
            n += strlen(one);
        } else {
            room[n++] = (char)(1 + rng_below(rng, 127));
        }
    }
    room[n] = '\0';
    return (struct slice){room, n};
}

static void grow(struct rng *rng, struct tree_maker *make, struct tree *parent, int depth) {
    size_t n = (size_t)rng_below(rng, 6);
    bool object = parent->kind == TREE_OBJECT;
    for (size_t i = 0; i < n; i++) {
        char key[96], room[64];
        struct slice text = random_text(rng, room);
        if (object) snprintf(key, sizeof key, "%s%zu", room, i);
        const char *name = object ? key : NULL;
        switch (rng_below(rng, depth > 0 ? 6 : 4)) {
        case 0: tree_null(make, parent, name); break;
        case 1: tree_bool(make, parent, name, rng_below(rng, 2) == 0); break;
        case 2: tree_number(make, parent, name, random_number(rng)); break;
        case 3: tree_slice(make, parent, name, text); break;
        case 4: grow(rng, make, tree_array(make, parent, name), depth - 1); break;
        default: grow(rng, make, tree_object(make, parent, name), depth - 1); break;
        }
    }
}

static void assert_same(const struct tree *a, const struct tree *b) {
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->key == NULL, b->key == NULL);
    if (a->key != NULL) assert_string_equal(a->key, b->key);
    if (a->kind == TREE_BOOL) assert_int_equal(a->truth, b->truth);
    if (a->kind == TREE_NUMBER) assert_memory_equal(&a->number, &b->number, sizeof a->number);
    if (a->kind == TREE_TEXT) assert_int_equal(slice_compare(a->text, b->text), 0);
    a = a->first;
    b = b->first;
    for (; a != NULL && b != NULL; a = a->next, b = b->next) assert_same(a, b);
    assert_true(a == NULL && b == NULL);
}

static void test_random_trees_come_back(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(3), 1);
    for (int round = 0; round < 1500; round++) {
        struct tree_maker make = {.ctx = &ctx, .arena = &arena};
        struct tree *root =
            round % 2 == 0 ? tree_object(&make, NULL, NULL) : tree_array(&make, NULL, NULL);
        grow(&rng, &make, root, 5);
        assert_false(make.failed);
        assert_round_trip(root);
        char *json = printed(root, round % 3);
        assert_same(root, must_read(json));
        mem_free(json);
        arena_clear(&arena);
    }
}

/* Let the k-th allocation fail, for every k, until all succeed. */
static void test_memory_failures(void **state) {
    (void)state;
    struct text json = {0};
    for (int i = 0; i < 50; i++) text_printf(&ctx, &json, "%s%s", i > 0 ? "," : "[", rich);
    text_puts(&ctx, &json, "]");
    bool done = false;
    for (size_t k = 1; !done; k++) {
        ctx.faults[FAULT_ALLOC].fail_at = k;
        atomic_store(&ctx.faults[FAULT_ALLOC].calls, 0);
        struct tree *tree;
        sepal_status status = read_exact(&tree, json.bytes, json.length);
        done = atomic_load(&ctx.faults[FAULT_ALLOC].calls) < k;
        assert_int_equal(status, done ? SEPAL_OK : SEPAL_EMEMORY);
        arena_clear(&arena);
        assert_true(k < 10000);
    }
    text_clear(&json);
    ctx.faults[FAULT_ALLOC].from_then_on = true;
    ctx.faults[FAULT_ALLOC].fail_at = 1;
    struct tree_maker make = {.ctx = &ctx, .arena = &arena};
    struct tree *root = sample(&make);
    assert_true(make.failed);
    assert_ptr_equal(root, &make.spare);
    assert_int_equal(root->count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_building_finding_printing, fresh, clean),
        cmocka_unit_test_setup_teardown(test_printing_replaces_what_is_not_utf8, fresh, clean),
        cmocka_unit_test_setup_teardown(test_valid_texts, fresh, clean),
        cmocka_unit_test_setup_teardown(test_refused_texts, fresh, clean),
        cmocka_unit_test_setup_teardown(test_depth_is_bounded, fresh, clean),
        cmocka_unit_test_setup_teardown(test_large_objects_take_no_square_time, fresh, clean),
        cmocka_unit_test_setup_teardown(test_every_truncation_is_refused, fresh, clean),
        cmocka_unit_test_setup_teardown(test_every_damaged_byte, fresh, clean),
        cmocka_unit_test_setup_teardown(test_random_trees_come_back, fresh, clean),
        cmocka_unit_test_setup_teardown(test_memory_failures, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
