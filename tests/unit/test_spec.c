/* The spec grammar: what is read, what is refused and where, quoting and reading back. */
#include "core/alloc.h"
#include "seed.h"
#include "core/spec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> /* after core/context.h: it defines a macro fail() */

#include "unit/core_fixture.h"

/* Parse a copy in a block of exactly its size, given back before anybody looks at the result. */
static sepal_status parse(struct spec *out, const char *text, size_t length) {
    char *block = malloc(length + 1);
    assert_non_null(block);
    memcpy(block, text, length);
    block[length] = '\0';
    sepal_status status = spec_parse(out, &ctx, &arena, block);
    free(block);
    return status;
}

static void print_settings(struct text *out, const struct setting *settings, size_t n) {
    for (size_t i = 0; i < n; i++) {
        text_printf(&ctx, out, "%s%s", i > 0 ? ", " : "", settings[i].name);
        if (settings[i].value == NULL) continue;
        text_puts(&ctx, out, "=");
        spec_quote(&ctx, out, settings[i].value);
    }
}

static char *printed(const struct spec *spec) {
    struct text out = {0};
    for (size_t i = 0; i < spec->n_stages; i++) {
        const struct spec_stage *stage = &spec->stages[i];
        text_printf(&ctx, &out, "%s%s(", i > 0 ? " | " : "", stage->name);
        print_settings(&out, stage->settings, stage->n_settings);
        text_puts(&ctx, &out, ")");
    }
    char *bytes = text_take(&ctx, &out);
    assert_non_null(bytes);
    return bytes;
}

static void assert_fixed_point(const struct spec *spec) {
    char *once = printed(spec);
    struct spec again;
    assert_int_equal(parse(&again, once, strlen(once)), SEPAL_OK);
    char *twice = printed(&again);
    assert_string_equal(once, twice);
    mem_free(once);
    mem_free(twice);
}

static void test_read_specs(void **state) {
    (void)state;
    static const struct {
        const char *text, *canonical;
    } cases[] = {
        {"logistic", "logistic()"},
        {"standardize | poly(degree=2) | logistic(l2=1e-3) | ovo",
         "standardize() | poly(degree=2) | logistic(l2=1e-3) | ovo()"},
        {"standardize+logistic", "standardize() | logistic()"},
        {"a+b(eta=1e+3)+c", "a() | b(eta=\"1e+3\") | c()"},
        {" \t\n a ( x = 1 , y ) \r| b ( ) ", "a(x=1, y) | b()"},
        {"naive_bayes(class_weight=\"spam:2,ham:1\")",
         "naive-bayes(class-weight=\"spam:2,ham:1\")"},
        {"a(x=\"\")", "a(x=\"\")"},
        {"a(x=\"q\\\"b\\\\s\")", "a(x=\"q\\\"b\\\\s\")"},
        {"a(x=\"(|+,=)\")|b", "a(x=\"(|+,=)\") | b()"},
        {"a(x=spam:2)", "a(x=spam:2)"},
        {"a(x=c:\\d)", "a(x=\"c:\\\\d\")"},
        {"a(x=-1,y=caf\xC3\xA9)", "a(x=-1, y=caf\xC3\xA9)"},
        {"a(C=1,c=2,c=2)", "a(C=1, c=2, c=2)"},
        {"ovr-1|v1.2", "ovr-1() | v1.2()"},
        {"a(x=\"\")|b(x=a_b)", "a(x=\"\") | b(x=a_b)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct spec spec;
        assert_int_equal(parse(&spec, cases[i].text, strlen(cases[i].text)), SEPAL_OK);
        char *got = printed(&spec);
        assert_string_equal(got, cases[i].canonical);
        mem_free(got);
        assert_fixed_point(&spec);
    }
}

static void test_columns_and_missing_values(void **state) {
    (void)state;
    struct spec spec;
    const char *text = " a |b(x, y=2) +  c_d";
    assert_int_equal(parse(&spec, text, strlen(text)), SEPAL_OK);
    assert_int_equal(spec.n_stages, 3);
    assert_int_equal(spec.stages[0].column, 2);
    assert_int_equal(spec.stages[1].column, 5);
    assert_int_equal(spec.stages[2].column, 18);
    assert_string_equal(spec.stages[2].name, "c-d");
    assert_int_equal(spec.stages[0].n_settings, 0);
    assert_int_equal(spec.stages[1].n_settings, 2);
    assert_null(spec.stages[1].settings[0].value);
    assert_string_equal(spec.stages[1].settings[1].value, "2");
}

struct refusal {
    const char *text, *message;
};

static void assert_told(const struct refusal *one) {
    assert_int_equal(ctx.error.status, SEPAL_EUSAGE);
    if (strstr(ctx.error.message, one->message) == NULL) {
        fail_msg("%s: '%s' lacks '%s'", one->text, ctx.error.message, one->message);
    }
}

static void test_refused_specs(void **state) {
    (void)state;
    static const struct refusal cases[] = {
        {"", "spec: expected the name of a stage at column 1"},
        {"   ", "expected the name of a stage at column 4"},
        {"|a", "expected the name of a stage at column 1, found '|a'"},
        {"a||b", "expected the name of a stage at column 3, found '|b'"},
        {"a | | b", "expected the name of a stage at column 5, found '| b'"},
        {"a |", "expected the name of a stage at column 4, where the text ends"},
        {"a++b", "expected the name of a stage at column 3"},
        {"(x=1)", "expected the name of a stage at column 1"},
        {"a b", "expected '(' or '|' at column 3, found 'b'"},
        {"a=1", "expected '(' or '|' at column 2, found '=1'"},
        {"a)", "expected '(' or '|' at column 2, found ')'"},
        {"a(x)y", "expected '|' at column 5, found 'y'"},
        {"a(x) (y)", "expected '|' at column 6, found '(y)'"},
        {"a() b", "expected '|' at column 5, found 'b'"},
        {"a(", "expected ')' to close the '(' of column 2"},
        {"a(x", "expected ')' to close the '(' of column 2"},
        {"a(x=1", "expected ')' to close the '(' of column 2"},
        {"a(x=", "expected a value after '=' at column 5"},
        {"a(x=)", "expected a value after '=' at column 5, found ')'"},
        {"a(x=,y=1)", "expected a value after '=' at column 5, found ',y=1)'"},
        {"a(=1)", "expected the name of a parameter at column 3"},
        {"a(,)", "expected the name of a parameter at column 3"},
        {"a(x=1,)", "expected the name of a parameter at column 7, found ')'"},
        {"a(x=1 y=2)", "expected ',' or ')' (values with blanks or , = ( ) | need quotes) at "
                       "column 7, found 'y=2)'"},
        {"a(x=1=2)", "at column 6, found '=2)'"},
        {"a(x=1|b)", "at column 6, found '|b)'"},
        {"a(x=f(1))", "at column 6, found '(1))'"},
        {"a(x=b\"c\")", "at column 6, found '\"c\")'"},
        {"a(x=\"b\"c)", "at column 8, found 'c)'"},
        {"a(x=\"b)", "expected '\"' to close the '\"' of column 5"},
        {"a(x=\"\\", "after a backslash at column 7, where the text ends"},
        {"a(x=\"\\n\")", "expected \" or \\ after a backslash at column 7"},
        {"a$", "expected '(' or '|' at column 2, found '$'"},
        {"\xC3\xA9", "expected the name of a stage at column 1"},
        {"a(x=\xFF)", "expected UTF-8 at column 5"},
        {"a\x1B", "found '?'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct spec spec;
        assert_int_equal(parse(&spec, cases[i].text, strlen(cases[i].text)), SEPAL_EUSAGE);
        assert_told(&cases[i]);
        assert_int_equal(spec.n_stages, 0);
        assert_null(spec.stages);
    }
}

static void test_options_alone(void **state) {
    (void)state;
    struct setting *settings;
    size_t n;
    assert_int_equal(settings_parse(&settings, &n, &ctx, &arena, "  "), SEPAL_OK);
    assert_int_equal(n, 0);
    const char *text = "tol=1e-6, max_iter=\"a)b\" ,strict";
    assert_int_equal(settings_parse(&settings, &n, &ctx, &arena, text), SEPAL_OK);
    assert_int_equal(n, 3);
    struct text out = {0};
    print_settings(&out, settings, n);
    assert_string_equal(out.bytes, "tol=1e-6, max-iter=\"a)b\", strict");
    text_clear(&out);
    static const struct refusal cases[] = {
        {"a=1)", "options: expected ',' (values with blanks or , = ( ) | need quotes) at column 4"},
        {"a=1|b", "at column 4, found '|b'"},
        {"a=1,", "expected the name of a parameter at column 5, where the text ends"},
        {",", "expected the name of a parameter at column 1"},
        {"a=", "expected a value after '=' at column 3"},
        {"(a=1)", "expected the name of a parameter at column 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(settings_parse(&settings, &n, &ctx, &arena, cases[i].text), SEPAL_EUSAGE);
        assert_told(&cases[i]);
        assert_int_equal(n, 0);
    }
}

static const char rich[] = "stand_ardize + poly( degree=2 , interactions ) | "
                           "l.ogistic(l2=1e+3, w=\"a\\\"b\\\\,(|)\", v=caf\xC3\xA9) | ovo()";

/* A cut spec is refused or is a shorter spec; either way nothing is read beyond its end. */
static void test_every_truncation(void **state) {
    (void)state;
    for (size_t cut = 0; cut < sizeof rich; cut++) {
        struct spec spec;
        sepal_status status = parse(&spec, rich, cut);
        assert_true(status == SEPAL_OK || status == SEPAL_EUSAGE);
        if (status == SEPAL_OK) assert_fixed_point(&spec);
        long open = 0;
        bool quoted = false;
        for (size_t i = 0; i < cut; i++) {
            if (quoted && rich[i] == '\\') {
                i++;
                continue;
            }
            if (rich[i] == '"') quoted = !quoted;
            if (!quoted) open += (rich[i] == '(') - (rich[i] == ')');
        }
        if (open > 0) assert_int_equal(status, SEPAL_EUSAGE);
    }
}

static void test_random_bytes(void **state) {
    (void)state;
    static const char letters[] = "aab_-.1,,=(())||+\"\"\\ \t\xC3\xA9\x01\xFF";
    struct rng rng = rng_make(test_seed(5), 1);
    size_t read = 0;
    for (int round = 0; round < 60000; round++) {
        char text[24];
        size_t n = (size_t)rng_below(&rng, sizeof text);
        for (size_t i = 0; i < n; i++) text[i] = letters[rng_below(&rng, sizeof letters - 1)];
        struct spec spec;
        if (parse(&spec, text, n) == SEPAL_OK) {
            assert_fixed_point(&spec);
            read++;
        }
        arena_clear(&arena);
    }
    assert_true(read > 500);
}

static void test_quoting_comes_back(void **state) {
    (void)state;
    static const char *const plain[] = {"a", "1e-3", "a:b", "a_b-c.d", "caf\xC3\xA9", "#"};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        struct text out = {0};
        spec_quote(&ctx, &out, plain[i]);
        assert_string_equal(out.bytes, plain[i]);
        text_clear(&out);
    }
    for (int c = 1; c < 128; c++) {
        char value[] = {'x', (char)c, 'y', '\0'};
        struct text out = {0};
        text_puts(&ctx, &out, "k=");
        spec_quote(&ctx, &out, value);
        struct setting *settings;
        size_t n;
        assert_int_equal(settings_parse(&settings, &n, &ctx, &arena, out.bytes), SEPAL_OK);
        assert_int_equal(n, 1);
        assert_string_equal(settings[0].value, value);
        text_clear(&out);
    }
}

static void test_large_specs_take_no_square_time(void **state) {
    (void)state;
    enum { MANY = 300000 };
    struct text stages = {0}, settings = {0};
    text_puts(&ctx, &settings, "a(");
    for (int i = 0; i < MANY; i++) {
        text_puts(&ctx, &stages, i > 0 ? "|a(x=\"1\")" : "a");
        text_puts(&ctx, &settings, i > 0 ? ",x=\"1\"" : "x");
    }
    text_puts(&ctx, &settings, ")");
    struct spec spec;
    assert_int_equal(parse(&spec, stages.bytes, stages.length), SEPAL_OK);
    assert_int_equal(spec.n_stages, MANY);
    assert_int_equal(parse(&spec, settings.bytes, settings.length), SEPAL_OK);
    assert_int_equal(spec.stages[0].n_settings, MANY);
    text_clear(&stages);
    text_clear(&settings);
}

static void test_memory_failures(void **state) {
    (void)state;
    bool done = false;
    for (size_t k = 1; !done; k++) {
        ctx.faults[FAULT_ALLOC].fail_at = k;
        atomic_store(&ctx.faults[FAULT_ALLOC].calls, 0);
        struct text padded = {0};
        for (int i = 0; i < 200; i++)
            text_puts(NULL, &padded, "stage(parameter=value, other=\"v\")|");
        text_puts(NULL, &padded, rich);
        struct spec spec;
        sepal_status status = parse(&spec, padded.bytes, padded.length);
        done = atomic_load(&ctx.faults[FAULT_ALLOC].calls) < k;
        assert_int_equal(status, done ? SEPAL_OK : SEPAL_EMEMORY);
        text_clear(&padded);
        arena_clear(&arena);
        assert_true(k < 10000);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_read_specs, fresh, clean),
        cmocka_unit_test_setup_teardown(test_columns_and_missing_values, fresh, clean),
        cmocka_unit_test_setup_teardown(test_refused_specs, fresh, clean),
        cmocka_unit_test_setup_teardown(test_options_alone, fresh, clean),
        cmocka_unit_test_setup_teardown(test_every_truncation, fresh, clean),
        cmocka_unit_test_setup_teardown(test_random_bytes, fresh, clean),
        cmocka_unit_test_setup_teardown(test_quoting_comes_back, fresh, clean),
        cmocka_unit_test_setup_teardown(test_large_specs_take_no_square_time, fresh, clean),
        cmocka_unit_test_setup_teardown(test_memory_failures, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
