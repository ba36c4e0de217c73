/* LIBSVM files: indices, labels, label sets, what is accepted and what refused at its place. */
#include "unit/read_fixture.h"

static const char path[] = "rows.svm", other[] = "other.svm";

/* Rows as "label 1:2 3:4;" with indices as in the file. */
static void assert_rows(const sepal_data *data, const char *wanted) {
    struct text found = {0};
    text_puts(&ctx, &found, "");
    for (size_t i = 0; i < data->matrix.rows; i++) {
        size_t local, at = 0, column, base = data->schema->zero_based ? 0 : 1;
        const struct block *block = matrix_block_of(&data->matrix, i, &local);
        if (data->label) text_puts(&ctx, &found, label_at(data, i));
        for (size_t k = data->set ? data->set_start[i] : 0; data->set && k < data->set_start[i + 1];
             k++)
            text_printf(&ctx, &found, "<%s>", data_label_name(data, (size_t)data->set[k]));
        for (double value; row_next(block, local, data->matrix.cols, &at, &column, &value);) {
            text_printf(&ctx, &found, " %zu:", column + base);
            text_number(&ctx, &found, value);
        }
        text_puts(&ctx, &found, ";");
    }
    assert_string_equal(found.bytes, wanted);
    text_clear(&found);
}

static void test_accepted(void **state) {
    (void)state;
    static const struct {
        const char *text, *options;
        size_t cols;
        const char *rows;
    } cases[] = {
        {"1 1:2 3:4\n-1 2:5\n", NULL, 3, "1 1:2 3:4;-1 2:5;"},
        {"1 1:2 3:4\n-1 2:5", NULL, 3, "1 1:2 3:4;-1 2:5;"},
        {"+1 1:2\r\n1.0 2:1\r\n1 3:1\r\n", NULL, 3, "1 1:2;1 2:1;1 3:1;"},
        {"a 3:1 1:2 2:3\n", NULL, 3, "a 1:2 2:3 3:1;"}, /* sorted */
        {"a 0:1 2:2\nb 1:1\n", NULL, 3, "a 0:1 2:2;b 1:1;"},
        {"b 2:2\na 0:1\n", NULL, 3, "b 2:2;a 0:1;"}, /* index 0 anywhere */
        {"a qid:7 1:1\nb qid:8\n", NULL, 1, "a 1:1;b;"},
        {"a 1:1\nb qid:8", NULL, 1, "a 1:1;b;"},
        {"# top\n\na 1:1 # 2:2\n  \n b\t2:1\t \n#end", NULL, 2, "a 1:1;b 2:1;"},
        {"a 1:0 2:0.0 3:1\nb 1:-0\n", NULL, 3, "a 3:1;b;"}, /* zeros are not kept */
        {"a 3:1 2:0\n", NULL, 3, "a 3:1;"},
        {"a 1:1e-3 2:-.5 3:+7.\n", NULL, 3, "a 1:0.001 2:-0.5 3:7;"},
        {"a 1:1\n", "n-features=4", 4, "a 1:1;"},
        {"a 0:1\n", "n-features=4", 4, "a 0:1;"},
        {"a\nb\n", NULL, 0, "a;b;"},
        {"a 1:1\rb 2:1\r", NULL, 2, "a 1:1;b 2:1;"},
        {"\xef\xbb\xbf"
         "1 1:1\n",
         NULL, 1, "1 1:1;"},
        {"skip me\n1 1:1\n", "skip=1", 1, "1 1:1;"},
        {"1,3 1:1\n 2:1\n2 3:1\n3, 1:1\n", NULL, 3, "<1><3> 1:1; 2:1;<2> 3:1;<3> 1:1;"},
        {"x,y 1:1\ny 2:1\n", NULL, 2, "<x><y> 1:1;<y> 2:1;"},
        {"3,1,1.0 1:1\n, 2:1\n", NULL, 2, "<1><3> 1:1; 2:1;"}, /* by class, each once */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put(path, cases[i].text);
        forget_warnings();
        sepal_data *data = must_read(path, cases[i].options);
        assert_int_equal(data->matrix.cols, cases[i].cols);
        assert_rows(data, cases[i].rows);
        assert_int_equal(warned("zero-based"), data->schema->zero_based);
        data_free(data);
    }
}

/* Zeros take no room, and do not hide that the others are all alike. */
static void test_zeros_in_sparse_rows(void **state) {
    (void)state;
    put(path, "a 1:0 2:1 50:1\nb 3:0\na 70:1 60:0.0 4:-0\n");
    sepal_data *data = must_read(path, "n-features=100");
    assert_true(data->matrix.sparse);
    assert_int_equal(data->matrix.nonzeros, 3);
    assert_int_equal(data->matrix.blocks[0].start[3], 3);
    assert_int_equal(data->matrix.blocks[0].values, VALUES_ONES);
    assert_rows(data, "a 2:1 50:1;b;a 70:1;");
    data_free(data);
}

static void test_detected_by_content(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum family family;
    } cases[] = {
        {"1 1:2\n-1 2:5\n", FAMILY_INDEXED},          {"1\n-1 2:5\n", FAMILY_INDEXED},
        {"# 1,2\n1 qid:3 1:2 # x\n", FAMILY_INDEXED}, {"1 2\n3 4\n", FAMILY_TABLE},
        {"t,a\n12:30,1\n12:31,2\n", FAMILY_TABLE},    {"t a\n12:30 1\n12:31 2\n", FAMILY_TABLE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put("rows", cases[i].text);
        sepal_data *data = must_read("rows", NULL);
        assert_int_equal(data->schema->family, cases[i].family);
        data_free(data);
    }
}

static void test_refused(void **state) {
    (void)state;
    static const struct refused_text cases[] = {
        {"", NULL, {1, 1, "nothing in this file"}},
        {"# only\n\n", NULL, {0, 0, "no rows"}},
        {"1 1:1 2:2 1:3\n",
         NULL,
         {1, 11, "this index stands twice in the row; keep one of the two: '1:3'"}},
        {"1 1:1\n1 3:1 2:0 3:0\n", NULL, {2, 11, "stands twice"}},
        {"1 1:1\n1 2:1 2:1\n", NULL, {2, 7, "stands twice"}},
        {"1 1:1 qid:\n1 2:1\n", NULL, {1, 7, "expected index:value: 'qid:'"}},
        {"1 1:1 qid:", NULL, {1, 7, "expected index:value: 'qid:'"}},
        {"1 1:1\n1,,3 1:1\n", NULL, {2, 3, "a label of this set is missing: ',3'"}},
        {"1 1:1\n1,nan 1:1\n", NULL, {2, 3, "a label of this set is missing: 'nan'"}},
        {"1 1:1\n1,-inf, 1:1\n", NULL, {2, 3, "a label of this set is missing"}},
        {"1 1:1\n\n 1 a:1\n", NULL, {3, 4, "expected index:value: 'a:1'"}},
        {"1 -1:1\n", NULL, {1, 3, "an index has no sign"}},
        {"1 2147483648:1\n", NULL, {1, 3, "index above 2147483647"}},
        {"1 99999999999999999999:1\n", NULL, {1, 3, "index above 2147483647"}},
        {"1 1.5:1\n", NULL, {1, 3, "expected a colon"}},
        {"1 1\n", NULL, {1, 3, "expected a colon"}},
        {"1 1:\n", NULL, {1, 5, "a value is missing"}},
        {"1 1: 2:3\n", NULL, {1, 5, "a value is missing"}},
        {"1 1:nan\n", NULL, {1, 5, "not a decimal number"}},
        {"1 1:1e999\n", NULL, {1, 5, "too large for a double"}},
        {"1 1:1,5\n", NULL, {1, 5, "not a decimal number"}},
        {"1 1:1x 2:1\n", NULL, {1, 5, "not a decimal number"}},
        {"1 1:1 2:1x 3:1 4:1 5:1 6:1 7:1 8:1\n", NULL, {1, 9, "not a decimal number"}},
        {"1 1:1\n1:1\n", NULL, {2, 1, "the label is missing"}},
        {"1 1:1\n? 1:1\n", NULL, {2, 1, "the label is missing"}},
        {"1 1:1\ninf 1:1\n", NULL, {2, 1, "the label is missing"}},
        {"1 1:1\n\xff 1:1\n", NULL, {2, 1, "not UTF-8"}},
        {"1 1:1\n1 1:1 # \001\n", NULL, {2, 9, "control character"}},
        {"1 1:1\na\001 1:1\n", NULL, {2, 2, "control character"}},
        {"1 1:1\r2:2\n", NULL, {1, 6, "expected index:value"}},
        {"1 5:1\n", "n-features=4", {1, 3, "above the number of features"}},
        {"1 0:1 4:1\n", "n-features=4", {0, 0, "too few"}},
    };
    assert_texts_refused(path, cases, sizeof cases / sizeof *cases);
    put_bytes(path, "1 1:\0\n", 6);
    assert_refused(path, NULL, NULL, true, (struct refusal){1, 5, "0x00"});
    sepal_data *data;
    put(path, "1 1:1\n");
    static const char *const table_only[] = {"target=1", "drop=1",        "only=1",       "keep=1",
                                             "weight=1", "categorical=1", "delimiter=tab"};
    for (size_t i = 0; i < sizeof table_only / sizeof *table_only; i++)
        assert_int_equal(data_read(&data, &ctx, path, table_only[i], NULL, true), SEPAL_EUSAGE);
}

static void test_for_a_model(void **state) {
    (void)state;
    static const struct {
        const char *train, *text;
        bool with_labels;
        size_t ignored;
        const char *rows;
    } cases[] = {
        {"1 1:1 3:1\n2 2:1\n", "2 1:5 2:6 3:7\n", true, 0, "2 1:5 2:6 3:7;"},
        {"1 1:1 3:1\n2 2:1\n", "2 1:5 2:6 3:7\n", false, 0, " 1:5 2:6 3:7;"},
        {"1 1:1 3:1\n2 2:1\n", "1:5\n3:7\n", false, 0, " 1:5; 3:7;"}, /* no label at all */
        {"1 1:1 3:1\n2 2:1\n", "qid:1 1:5\n", false, 0, " 1:5;"},
        {"1 1:1 3:1\n2 2:1\n", "9 4:1 1:5 2000000000:3\n", true, 2, "9 1:5;"},
        {"1 1:1 3:1\n2 2:1\n", "1 0:4 1:5\n", true, 1, "1 1:5;"}, /* the model counts from 1 */
        {"1 0:1 2:1\n2 1:1\n", "1 0:4 2:5 3:6\n", true, 1, "1 0:4 2:5;"},
        {"1 0:1 2:1\n2 1:1\n", "1 1:5\n", true, 0, "1 1:5;"}, /* from 0, though no 0 is there */
        {"1 1:1\n2 1:2\n", "1,2 1:5\n", false, 0, " 1:5;"},
        {"1 1:1\n2 1:2\n", "anything 1:5\n", false, 0, " 1:5;"},
        {"1\n2\n", "1 1:5\n", true, 1, "1;"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put(path, cases[i].train);
        put(other, cases[i].text);
        sepal_data *training = must_read(path, NULL);
        forget_warnings();
        sepal_data *data = must_read_for(other, NULL, training, cases[i].with_labels);
        assert_rows(data, cases[i].rows);
        assert_int_equal(data->matrix.cols, training->matrix.cols);
        assert_int_equal(ctx.n_warnings, cases[i].ignored > 0);
        if (cases[i].ignored) {
            char wanted[64];
            snprintf(wanted, sizeof wanted, "%zu values", cases[i].ignored);
            assert_true(warned("unknown-indices"));
            assert_non_null(strstr(ctx.warnings[0].message, wanted));
        }
        data_free(data);
        data_free(training);
    }
    put(path, "1 1:1\n2 1:2\n");
    sepal_data *training = must_read(path, NULL);
    put(other, "1 1:1\n1:1\n");
    assert_refused(other, NULL, training, true, (struct refusal){2, 1, "the label is missing"});
    put("table.csv", "a,b\n1,2\n");
    assert_refused("table.csv", NULL, training, true, (struct refusal){0, 0, "LIBSVM rows"});
    data_free(training);
}

/* The place of the first label set is kept: learners that want one label refuse it there. */
static void test_place_of_the_first_set(void **state) {
    (void)state;
    put(path, "# head\n1 1:1\n 2,1 1:1\n1,2 1:1\n");
    sepal_data *data = must_read(path, NULL);
    assert_null(data->label);
    assert_string_equal(data->first_set.file, path);
    assert_int_equal(data->first_set.line, 3);
    assert_int_equal(data->first_set.column, 2);
    assert_int_equal(data->schema->n_classes, 2);
    data_free(data);
}

/* Feature i has the name of line i; there are as many features as names. */
static void test_names(void **state) {
    (void)state;
    static const struct {
        const char *rows, *names, *options;
        const char *found;      /* the names of the columns; NULL: refused */
        struct refusal refusal; /* in the file of names */
    } cases[] = {
        {"1 1:1 3:2\n", "a\nb c\nd\n", "", "a b c d", {0, 0, NULL}},
        {"1 1:1 3:2\n", "a\nb\nd", "", "a b d", {0, 0, NULL}},
        {"1 0:1 2:2\n", "a\nb\nd\n", "", "a b d", {0, 0, NULL}}, /* counted from 0 */
        {"1 1:1 3:2\n", " NA \r\nnan\r\n?\r\n", "", "NA nan ?", {0, 0, NULL}},
        {"1 1:1 3:2\n", "a\nb\nc\nd\n", "", "a b c d", {0, 0, NULL}}, /* the last is not shown */
        {"1 1:1 3:2\n", "a\nb\nc\nd\n", ", n-features=4", "a b c d", {0, 0, NULL}},
        {"1 1:1 3:2\n", "a\nb\nc\nd\n", ", n-features=3", NULL, {5, 1, "4 names here"}},
        {"1 1:1 3:2\n", "a\nb\n", "", NULL, {3, 1, "2 names here, and rows.svm has 3 features"}},
        {"1 1:1 3:2\n", "", "", NULL, {1, 1, "0 names here"}},
        {"1 1:1 3:2\n", "a\nb\na\n", "", NULL, {3, 1, "'a' is that of another feature"}},
        {"1 1:1 3:2\n", "a\n\nb\n", "", NULL, {2, 1, "'' is no name"}},
        {"1 1:1 3:2\n", "a\nb\001\nc\n", "", NULL, {2, 1, "is no name"}},
        {"1 1:1 3:2\n", "a\n\xff\nc\n", "", NULL, {2, 1, "is no name"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char options[64], found[64];
        sepal_data *data;
        put(path, cases[i].rows);
        put("names.txt", cases[i].names);
        snprintf(options, sizeof options, "names=names.txt%s", cases[i].options);
        sepal_status status = data_read(&data, &ctx, path, options, NULL, true);
        if (!cases[i].found) {
            assert_int_equal(status, SEPAL_EDATA);
            assert_string_equal(ctx.error.file, "names.txt");
            assert_int_equal(ctx.error.line, cases[i].refusal.line);
            assert_int_equal(ctx.error.column, cases[i].refusal.column);
            assert_non_null(strstr(ctx.error.message, cases[i].refusal.message));
            continue;
        }
        assert_int_equal(status, SEPAL_OK);
        names_of(found, sizeof found, data);
        assert_string_equal(found, cases[i].found);
        /* a model knows them: the file is not even opened */
        sepal_data *again = must_read_for(path, "names=absent", data, true);
        assert_same_data(data, again);
        data_free(again);
        data_free(data);
    }
}

/* A name of that many bytes is the longest. */
static void test_longest_name(void **state) {
    (void)state;
    enum { LONGEST = 1 << 16 };
    for (size_t n = LONGEST; n <= LONGEST + 1; n++) {
        struct text text = {0};
        for (size_t i = 0; i < n; i++) text_puts(&ctx, &text, "n");
        put_bytes("names.txt", text.bytes, text.length);
        text_clear(&text);
        put(path, "1 1:1\n");
        sepal_data *data;
        sepal_status status = data_read(&data, &ctx, path, "names=names.txt", NULL, true);
        assert_int_equal(status, n == LONGEST ? SEPAL_OK : SEPAL_EDATA);
        if (data)
            data_free(data);
        else
            assert_non_null(strstr(ctx.error.message, "this name has more than"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_accepted, fresh, clean),
        cmocka_unit_test_setup_teardown(test_zeros_in_sparse_rows, fresh, clean),
        cmocka_unit_test_setup_teardown(test_detected_by_content, fresh, clean),
        cmocka_unit_test_setup_teardown(test_refused, fresh, clean),
        cmocka_unit_test_setup_teardown(test_for_a_model, fresh, clean),
        cmocka_unit_test_setup_teardown(test_place_of_the_first_set, fresh, clean),
        cmocka_unit_test_setup_teardown(test_names, fresh, clean),
        cmocka_unit_test_setup_teardown(test_longest_name, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
