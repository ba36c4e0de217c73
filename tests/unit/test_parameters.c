/* Parameter tables: defaults, values, ranges, messages and the canonical form. */
#include "core/alloc.h"
#include "core/parameters.h"
#include "seed.h"
#include "core/spec.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h> /* after core/context.h: it defines a macro fail() */

#include "unit/core_fixture.h"

struct toy {
    double eta, share, l2;
    size_t epochs, free_count;
    bool shuffle;
    int variant, bias;
    const char *class_weight, *priors;
};

static const struct parameter toy_parameters[] = {
    {"variant", PARAMETER_CHOICE, offsetof(struct toy, variant), "online",
     "online|batch|mini-batch|squared_hinge", "which rule"},
    {"eta", PARAMETER_REAL, offsetof(struct toy, eta), "1", "(0, inf)", "step"},
    {"share", PARAMETER_REAL, offsetof(struct toy, share), "0.5", "[-1, 1)", "share"},
    {"l2", PARAMETER_REAL, offsetof(struct toy, l2), NULL, "[0, inf)", "penalty"},
    {"epochs", PARAMETER_COUNT, offsetof(struct toy, epochs), "100", "[1, 1000000]", "passes"},
    {"free-count", PARAMETER_COUNT, offsetof(struct toy, free_count), "0", "", "anything"},
    {"shuffle", PARAMETER_FLAG, offsetof(struct toy, shuffle), "false", "", "shuffle"},
    {"bias", PARAMETER_CHOICE, offsetof(struct toy, bias), "true", "true|false|penalised", "bias"},
    {"class-weight", PARAMETER_TEXT, offsetof(struct toy, class_weight), "none", "", "weights"},
    {"priors", PARAMETER_TEXT, offsetof(struct toy, priors), NULL, "", "priors"},
    {0},
};
static const char toy_defaults[] = "variant=online, eta=1, share=0.5, epochs=100, free_count=0, "
                                   "shuffle=false, bias=true, class_weight=none";

static sepal_status fill(struct toy *toy, const char *written) {
    struct setting *settings;
    size_t n;
    TRY(settings_parse(&settings, &n, &ctx, &arena, written));
    memset(toy, 0x5A, sizeof *toy);
    return parameters_fill(toy, &ctx, &arena, toy_parameters, "perceptron", settings, n);
}

static char *printed(const struct toy *toy) {
    struct text out = {0};
    parameters_print(&ctx, &out, toy_parameters, toy);
    char *bytes = text_take(&ctx, &out);
    assert_non_null(bytes);
    return bytes;
}

static void assert_prints(const struct toy *toy, const char *wanted) {
    char *bytes = printed(toy);
    assert_string_equal(bytes, wanted);
    mem_free(bytes);
}

static void test_defaults(void **state) {
    (void)state;
    struct toy toy;
    assert_int_equal(fill(&toy, ""), SEPAL_OK);
    assert_true(toy.eta == 1 && toy.share == 0.5 && isnan(toy.l2));
    assert_int_equal(toy.epochs, 100);
    assert_false(toy.shuffle);
    assert_int_equal(toy.variant, 0);
    assert_string_equal(toy.class_weight, "none");
    assert_null(toy.priors);
    assert_prints(&toy, toy_defaults);
}

static void test_all_kinds_of_values(void **state) {
    (void)state;
    struct toy toy;
    assert_int_equal(fill(&toy, "variant=mini_batch, eta=1e+3, share=-1, l2=1e-7, epochs=1e3, "
                                "free_count=9007199254740992, shuffle, bias=penalised, "
                                "class_weight=\"spam:2,ham:1\", priors=\"\""),
                     SEPAL_OK);
    assert_int_equal(toy.variant, 2);
    assert_int_equal(toy.epochs, 1000);
    assert_int_equal(toy.bias, 2);
    assert_true(toy.shuffle);
    assert_prints(&toy, "variant=mini-batch, eta=1000, share=-1, l2=1e-7, epochs=1000, "
                        "free_count=9007199254740992, shuffle=true, bias=penalised, "
                        "class_weight=\"spam:2,ham:1\", priors=\"\"");
    assert_int_equal(fill(&toy, "variant=squared-hinge, share=.999999, eta=1e300"), SEPAL_OK);
    assert_int_equal(toy.variant, 3);
    assert_int_equal(fill(&toy, "epochs=1"), SEPAL_OK);
    assert_int_equal(fill(&toy, "epochs=1000000"), SEPAL_OK);
    assert_int_equal(fill(&toy, "bias"), SEPAL_OK);
    assert_int_equal(toy.bias, 0);
    static const char *const yes[] = {"shuffle", "shuffle=true", "shuffle=yes", "shuffle=1"};
    static const char *const no[] = {"shuffle=false", "shuffle=no", "shuffle=0"};
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++) {
        assert_int_equal(fill(&toy, yes[i]), SEPAL_OK);
        assert_true(toy.shuffle);
    }
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++) {
        assert_int_equal(fill(&toy, no[i]), SEPAL_OK);
        assert_false(toy.shuffle);
    }
}

static void test_refused_settings(void **state) {
    (void)state;
    static const struct {
        const char *written, *message;
    } cases[] = {
        {"etta=1",
         "perceptron has no parameter 'etta'; did you mean 'eta'? it has: variant, eta, share, "
         "l2, epochs, free_count, shuffle, bias, class_weight, priors"},
        {"class_wieght=1",
         "perceptron has no parameter 'class_wieght'; did you mean 'class_weight'? it "},
        {"zzzz", "perceptron has no parameter 'zzzz'; it has: variant, eta,"},
        {"ETA=1", "did you mean 'eta'?"},
        {"eta=-1", "perceptron: eta=-1 is outside (0, inf)"},
        {"eta=0", "perceptron: eta=0 is outside (0, inf)"},
        {"eta=1e-999", "perceptron: eta=1e-999 is outside (0, inf)"},
        {"eta=abc", "perceptron: eta=abc is not a number in (0, inf)"},
        {"eta=1x", "perceptron: eta=1x is not a number"},
        {"eta=\"1 \"", "perceptron: eta=1  is not a number"},
        {"eta=\"\"", "perceptron: eta= is not a number"},
        {"eta=inf", "perceptron: eta=inf is not a number"},
        {"eta=nan", "perceptron: eta=nan is not a number"},
        {"eta=0x1", "perceptron: eta=0x1 is not a number"},
        {"eta=1e999", "perceptron: eta=1e999 is too large"},
        {"eta", "perceptron: eta stands alone; write eta=VALUE with a value in (0, inf)"},
        {"share=1", "perceptron: share=1 is outside [-1, 1)"},
        {"share=-1.0000001", "is outside [-1, 1)"},
        {"l2=-0.1", "perceptron: l2=-0.1 is outside [0, inf)"},
        {"epochs=1.5", "perceptron: epochs=1.5 is not a whole number in [1, 1000000]"},
        {"epochs=0", "perceptron: epochs=0 is outside [1, 1000000]"},
        {"epochs=1000001", "is outside [1, 1000000]"},
        {"epochs=x", "perceptron: epochs=x is not a whole number in [1, 1000000]"},
        {"free_count=-1", "perceptron: free_count=-1 is outside [0, 9007199254740992]"},
        {"free_count=1e16", "perceptron: free_count=1e16 is outside [0, 9007199254740992]"},
        {"free_count=x", "perceptron: free_count=x is not a whole number"},
        {"free_count", "perceptron: free_count stands alone; write free_count=VALUE"},
        {"shuffle=maybe", "perceptron: shuffle=maybe is not one of true|false|yes|no|1|0"},
        {"shuffle=True", "did you mean 'true'?"},
        {"shuffle=\"\"", "is not one of true|false"},
        {"variant=onlin", "perceptron: variant=onlin is not one of online|batch|mini-batch|"
                          "squared_hinge; did you mean 'online'?"},
        {"variant=\"online|batch\"", "is not one of online|"},
        {"variant=\"\"", "perceptron: variant= is not one of online|"},
        {"variant",
         "perceptron: variant stands alone; write variant=VALUE with a value of online|"},
        {"priors", "perceptron: priors stands alone; write priors=VALUE"},
        {"eta=1, eta=2", "perceptron: eta is given twice, as 1 and as 2; give it once"},
        {"eta=2, epochs=3, eta=1", "perceptron: eta is given twice, as 2 and as 1"},
        {"class_weight=a, class-weight=b",
         "perceptron: class_weight is given twice, as a and as b"},
        {"shuffle, shuffle=no", "perceptron: shuffle is given twice, as true and as no"},
        {"priors=\"\x1B[2J\", priors=b", "as ?[2J and as b"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct toy toy;
        assert_int_equal(fill(&toy, cases[i].written), SEPAL_EUSAGE);
        if (strstr(ctx.error.message, cases[i].message) == NULL) {
            fail_msg("%s: '%s' lacks '%s'", cases[i].written, ctx.error.message, cases[i].message);
        }
    }
}

static void test_the_same_value_twice(void **state) {
    (void)state;
    struct toy toy;
    assert_int_equal(fill(&toy, "eta=2, eta=2.0, eta=2e0, epochs=1e3, epochs=1000, shuffle, "
                                "shuffle=yes, variant=mini-batch, variant=mini_batch, priors=a, "
                                "priors=\"a\""),
                     SEPAL_OK);
    assert_true(toy.eta == 2);
    assert_string_equal(toy.priors, "a");
    /* The default is not "given". */
    assert_int_equal(fill(&toy, "eta=3"), SEPAL_OK);
}

static void test_names_are_found(void **state) {
    (void)state;
    assert_ptr_equal(parameters_find(toy_parameters, "class-weight"), &toy_parameters[8]);
    assert_ptr_equal(parameters_find(toy_parameters, "class_weight"), &toy_parameters[8]);
    assert_null(parameters_find(toy_parameters, "class"));
    assert_null(parameters_find(toy_parameters, "class-weights"));
    assert_null(parameters_find(toy_parameters, ""));
    static const struct parameter none[] = {{0}};
    struct setting setting = {"eta", "1"};
    char nothing = 0;
    assert_int_equal(parameters_fill(&nothing, &ctx, &arena, none, "identity", &setting, 1),
                     SEPAL_EUSAGE);
    assert_string_equal(ctx.error.message, "identity has no parameter 'eta'; it has none");
    assert_int_equal(parameters_fill(&nothing, &ctx, &arena, none, "identity", NULL, 0), SEPAL_OK);
}

static void test_faulty_tables_are_told(void **state) {
    (void)state;
    static const char *const ranges[] = {"0, 1", "[0, 1", "[0 1]",   "[0,1]", "[1, 0]",  "[, 1]",
                                         "[]",   "[",     "[0, 1x]", "(inf)", "[nan, 1]"};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        struct parameter table[] = {{"k", PARAMETER_REAL, 0, "0.5", ranges[i], ""}, {0}};
        double value;
        assert_int_equal(parameters_fill(&value, &ctx, &arena, table, "x", NULL, 0),
                         SEPAL_EINTERNAL);
    }
    struct parameter table[] = {{"k", PARAMETER_COUNT, 0, NULL, "", ""}, {0}};
    size_t value;
    assert_int_equal(parameters_fill(&value, &ctx, &arena, table, "x", NULL, 0), SEPAL_EINTERNAL);
}

static void random_toy(struct rng *rng, struct toy *toy, char label[16]) {
    static const char letters[] = "ab,=()|+\"\\ \t\n:-_.\xC3\xA9";
    assert_int_equal(fill(toy, ""), SEPAL_OK);
    toy->eta = ldexp(1 + rng_unit(rng), (int)rng_below(rng, 600) - 300);
    toy->share = 2 * rng_unit(rng) - 1;
    if (rng_below(rng, 2) == 0) toy->l2 = rng_unit(rng);
    toy->epochs = (size_t)(1 + rng_below(rng, 1000000));
    toy->free_count = (size_t)rng_below(rng, (UINT64_C(1) << 53) + 1);
    toy->shuffle = rng_below(rng, 2) == 0;
    toy->variant = (int)rng_below(rng, 4);
    toy->bias = (int)rng_below(rng, 3);
    size_t n = (size_t)rng_below(rng, 8);
    for (size_t i = 0; i < n; i++) label[i] = letters[rng_below(rng, sizeof letters - 3)];
    label[n] = '\0';
    toy->priors = label;
}

static void test_canonical_form_is_a_fixed_point(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(4), 1);
    for (int round = 0; round < 3000; round++) {
        struct toy toy, again;
        char label[16];
        random_toy(&rng, &toy, label);
        char *once = printed(&toy);
        assert_int_equal(fill(&again, once), SEPAL_OK);
        assert_prints(&again, once);
        mem_free(once);
        assert_true(again.eta == toy.eta && again.share == toy.share);
        assert_true(again.l2 == toy.l2 || (isnan(again.l2) && isnan(toy.l2)));
        assert_int_equal(again.epochs, toy.epochs);
        assert_int_equal(again.free_count, toy.free_count);
        assert_int_equal(again.shuffle, toy.shuffle);
        assert_int_equal(again.variant, toy.variant);
        assert_int_equal(again.bias, toy.bias);
        assert_string_equal(again.priors, label);
        arena_clear(&arena);
    }
}

static void test_memory_failures(void **state) {
    (void)state;
    static const char *const written[] = {
        "variant=batch, priors=\"a b\"", "etta=1", "eta=-1", "variant=x", "eta", "eta=1, eta=2"};
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
        bool done = false;
        for (size_t k = 1; !done; k++) {
            ctx.faults[FAULT_ALLOC].fail_at = k;
            atomic_store(&ctx.faults[FAULT_ALLOC].calls, 0);
            struct toy toy;
            sepal_status status = fill(&toy, written[i]);
            done = atomic_load(&ctx.faults[FAULT_ALLOC].calls) < k;
            sepal_status wanted = i == 0 ? SEPAL_OK : SEPAL_EUSAGE;
            assert_int_equal(status, done ? wanted : SEPAL_EMEMORY);
            arena_clear(&arena);
            assert_true(k < 1000);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_defaults, fresh, clean),
        cmocka_unit_test_setup_teardown(test_all_kinds_of_values, fresh, clean),
        cmocka_unit_test_setup_teardown(test_refused_settings, fresh, clean),
        cmocka_unit_test_setup_teardown(test_the_same_value_twice, fresh, clean),
        cmocka_unit_test_setup_teardown(test_names_are_found, fresh, clean),
        cmocka_unit_test_setup_teardown(test_faulty_tables_are_told, fresh, clean),
        cmocka_unit_test_setup_teardown(test_canonical_form_is_a_fixed_point, fresh, clean),
        cmocka_unit_test_setup_teardown(test_memory_failures, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
