/* Columns of numbers and of text, told apart by what most of their cells are; decimal commas. */
#include "unit/read_fixture.h"

#include <math.h>

static const char path[] = "kinds.csv";

/* ---- numbers or text ---------------------------------------------------------------------- */

static const char *const cells[] = {"1", "01", "1.0", "+1", "", "a", "b", "?", "1e999", "0x1"};
enum { CELLS = sizeof cells / sizeof *cells, IS_NUMBER = 4 };

static bool is_nothing(size_t cell) {
    return !*cells[cell] || *cells[cell] == '?';
}

/* The rule, in plain words: at least half of the cells that are there are numbers; else it is read as
   `categorical` has it, and said so if there are any. */
static void test_kinds(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(5), 1);
    enum { CASES = 400 };
    for (size_t i = 0; i < CASES; i++) {
        size_t rows = 1 + (size_t)rng_below(&rng, 9), numbers = 0, texts = 0, odd = 0;
        struct text text = {0};
        text_puts(&ctx, &text, "a,b,y\n");
        for (size_t r = 0; r < rows; r++) {
            size_t cell = (size_t)rng_below(&rng, CELLS);
            text_printf(&ctx, &text, "%s,%zu,k\n", cells[cell], r);
            if (is_nothing(cell)) continue;
            if (cell >= IS_NUMBER && texts++ == 0) odd = r + 2;
            numbers += cell < IS_NUMBER;
        }
        put_bytes(path, text.bytes, text.length);
        text_clear(&text);
        forget_warnings();
        if (numbers && texts && numbers >= texts) {
            char counts[128];
            snprintf(counts, sizeof counts, "(%zu of them, and %zu other cell", numbers, texts);
            assert_refused(path, "missing=mean, header=yes", NULL, true,
                           (struct refusal){odd, 1, counts});
            sepal_data *data = must_read(path, "missing=mean, header=yes, bad-lines=skip");
            assert_false(data->schema->columns[0].text);
            assert_int_equal(data->matrix.rows, rows - texts);
            data_free(data);
            continue;
        }
        sepal_data *data = must_read(path, "missing=mean, header=yes");
        assert_int_equal(data->schema->columns[0].text, numbers == 0 || texts);
        assert_int_equal(warned("numbers-in-text"), numbers && texts);
        forget_warnings();
        if (data->schema->columns[0].text) {
            sepal_data *asked = must_read(path, "missing=mean, header=yes, categorical=a");
            assert_false(warned("numbers-in-text"));
            assert_same_data(data, asked);
            data_free(asked);
        }
        data_free(data);
    }
}

/* ---- decimal commas ----------------------------------------------------------------------- */

/* The same table with commas and with points: cells, weights, labels. */
static void test_decimal_commas(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(6), 1);
    for (size_t i = 0; i < 50; i++) {
        struct text text = {0};
        text_puts(&ctx, &text, i % 2 ? "a;b;w;y\n" : "");
        for (size_t r = 0; r < 20; r++)
            for (size_t c = 0; c < 4; c++) {
                double value = (double)rng_below(&rng, 4000) / (double)(1 + rng_below(&rng, 8));
                const char *quote = rng_below(&rng, 5) ? "" : "\"";
                text_puts(&ctx, &text, quote);
                text_number(&ctx, &text, c == 3 ? floor(value / 1000) + 0.5 : value);
                text_printf(&ctx, &text, "%s%s", quote, c == 3 ? "\n" : ";");
            }
        put_bytes(path, text.bytes, text.length);
        sepal_data *points = must_read(path, "weight=3, delimiter=\";\"");
        for (size_t k = 0; k < text.length; k++)
            if (text.bytes[k] == '.') text.bytes[k] = ',';
        put_bytes(path, text.bytes, text.length);
        text_clear(&text);
        sepal_data *commas = must_read(path, "weight=3, decimal=comma");
        assert_same_data(points, commas);
        data_free(commas);
        commas = must_read_for(path, "decimal=comma", points, true);
        assert_same_data(points, commas);
        data_free(commas);
        data_free(points);
    }
}

static void test_decimal_commas_not_asked_for(void **state) {
    (void)state;
    static const struct {
        const char *text, *options;
        struct refusal refusal; /* line 0: it is read */
    } cases[] = {
        {"a;y\n1,5;p\n2,5;q\n", NULL, {2, 1, "--decimal comma"}},
        {"a;y\n1,5;p\nu;q\n", NULL, {2, 1, "1 of the 2 cells"}}, /* half is enough */
        {"a;y\n1,5;p\nu;q\nv;q\n", "header=yes", {0, 0, NULL}},
        {"a;y\n1;p\n1,5;p\nu;q\nv;q\n", "header=yes", {3, 1, "2 of the 4 cells"}},
        {"a;y\n1.0;p\n1,5;p\nu;q\nv;q\n", "header=yes", {0, 0, NULL}},
        {"a;y\n1;p\n2;p\n1,5;q\n", "header=yes", {4, 1, "3 of the 3 cells"}},
        {"a;y\n1.5;p\n2.5;p\n1,5;q\n", "header=yes", {4, 1, "'1,5' is not a decimal number"}},
        {"a;y\n1.5;p\n2.5;p\n1,5;q\n", "header=yes", {4, 1, "--decimal comma if that is"}},
        {"a;y\n1;p\n2;p\n1,5;q\n", "header=yes, bad-lines=skip", {0, 0, NULL}},
        {"a;y\n1,5;p\n2,5;q\n", "bad-lines=skip", {2, 1, "--decimal comma"}},
        {"a;y\n1,5;p\n2,5;q\n", "categorical=a", {0, 0, NULL}},
        {"a;y\n1,234,567;p\n2,5;q\n3,234,567;p\n", NULL, {0, 0, NULL}}, /* thousands */
        {"a,y\n\"1,5\",p\n\"2,5\",q\n", NULL, {2, 1, "write them with points"}},
        {"a;y\n1,5;p\n2.5;q\n3,5;p\n", "decimal=comma, header=yes", {3, 1, "'2.5' is not"}},
        {"a;w;y\n1;1.5;p\n3;1;q\n", "decimal=comma, weight=w", {2, 3, "a weight must be"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put(path, cases[i].text);
        sepal_data *data;
        if (cases[i].refusal.line)
            assert_refused(path, cases[i].options, NULL, true, cases[i].refusal);
        else if (data_read(&data, &ctx, path, cases[i].options, NULL, true) == SEPAL_OK)
            data_free(data);
        else
            fail_msg("case %zu: %s", i, ctx.error.message);
    }
    put(path, "a;y\n1.5;p\n2.5;q\n");
    sepal_data *training = must_read(path, NULL), *data;
    put(path, "a;y\n1,5;p\n");
    assert_refused(path, NULL, training, true, (struct refusal){2, 1, "--decimal comma"});
    data_free(training);
    static const char *const unfit[][2] = {{"t.csv", "decimal=comma, delimiter=\",\""},
                                           {"t.arff", "decimal=comma"},
                                           {"t.svm", "decimal=comma"},
                                           {"t.npy", "decimal=comma, format=npy"}};
    for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++) {
        put(unfit[i][0], "1 1:1\n");
        assert_int_equal(data_read(&data, &ctx, unfit[i][0], unfit[i][1], NULL, true),
                         SEPAL_EUSAGE);
    }
}

/* Marks between thousands are told of, and are never taken for decimal commas without a doubt. */
static void test_thousands(void **state) {
    (void)state;
    static const struct {
        const char *text, *options;
        struct refusal refusal; /* line 0: it is read, and warned of unless `message` is NULL */
    } cases[] = {
        {"a;y\n1 234;p\n12 345;q\n", NULL, {0, 0, "2 of its 2 cells"}},
        {"a;y\n1 234;p\n12 345;q\nu;q\nv;q\n", "header=yes", {0, 0, "2 of its 4 cells"}},
        {"a;y\n1 234;p\n12 345;q\nu;q\nv;q\nw;p\n", "header=yes", {0, 0, NULL}},
        {"a;y\n1 234;p\n12 345;q\n", "categorical=a", {0, 0, NULL}},
        {"a;y\n1'234;p\n-1'234'567.25;q\n", NULL, {0, 0, "2 of its 2 cells"}},
        {"a;y\n1.234.567;p\n1.234,5;q\n", NULL, {0, 0, "2 of its 2 cells"}},
        {"a;y\n1.234,5;p\n1.234;q\n", "decimal=comma", {0, 0, "2 of its 2 cells"}},
        {"a;y\n1\xC2\xA0"
         "234;p\n+1\xE2\x80\xAF"
         "234;q\n",
         NULL,
         {0, 0, "2 of its 2 cells"}},
        {"a;y\n1 234 56;p\n12 3456;q\n", NULL, {0, 0, NULL}},
        {"a;y\n001 234;p\n1,234 567;q\n", NULL, {0, 0, NULL}},
        {"a;y\n1234 567;p\n1 2;q\n", "header=yes", {0, 0, NULL}},
        /* perhaps decimal commas */
        {"a;y\n1,234;p\n12,345;q\n", NULL, {2, 1, "if these commas part thousands"}},
        {"a;y\n1,234;p\n12,345;q\n", NULL, {2, 1, "if not, say --decimal comma"}},
        {"a;y\n1,234;p\n567;q\n", NULL, {2, 1, "if these commas part thousands"}},
        {"a;y\n1,234;p\n12,34;q\n", NULL, {2, 1, "are numbers; say --decimal comma"}},
        {"a,y\n\"1,234\",p\n\"12,345\",q\n", NULL, {2, 1, "(or without any mark"}},
        /* among other numbers */
        {"a;y\n12;p\n13;p\n1 234;q\n", "header=yes", {4, 1, "without marks between"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put(path, cases[i].text);
        forget_warnings();
        if (cases[i].refusal.line) {
            assert_refused(path, cases[i].options, NULL, true, cases[i].refusal);
            continue;
        }
        data_free(must_read(path, cases[i].options));
        if (warned("thousands-marks") != (cases[i].refusal.message != NULL))
            fail_msg("case %zu: told of, or not", i);
        if (cases[i].refusal.message)
            assert_non_null(strstr(ctx.warnings[0].message, cases[i].refusal.message));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_kinds, fresh, clean),
        cmocka_unit_test_setup_teardown(test_decimal_commas, fresh, clean),
        cmocka_unit_test_setup_teardown(test_decimal_commas_not_asked_for, fresh, clean),
        cmocka_unit_test_setup_teardown(test_thousands, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
