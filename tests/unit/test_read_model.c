/* Tables read for a model: columns found by name or place, what may be there and what must. */
#include "unit/read_fixture.h"

static const char train[] = "train.csv", path[] = "other.csv";

static sepal_data *learn(const char *text, const char *options) {
    put(train, text);
    return must_read(train, options);
}

/* The matrix as text, "1 2;3 4;". */
static void assert_numbers(const sepal_data *data, const char *wanted) {
    struct text found = {0};
    for (size_t i = 0; i < data->matrix.rows; i++)
        for (size_t j = 0; j < data->matrix.cols; j++) {
            text_number(&ctx, &found, number_at(data, i, j));
            text_puts(&ctx, &found, j + 1 < data->matrix.cols ? " " : ";");
        }
    assert_string_equal(found.bytes, wanted);
    text_clear(&found);
}

static void assert_labels(const sepal_data *data, const char *wanted) {
    struct text found = {0};
    text_puts(&ctx, &found, "");
    for (size_t i = 0; data->label && i < data->matrix.rows; i++)
        text_printf(&ctx, &found, "%s;", label_at(data, i));
    assert_string_equal(found.bytes, wanted);
    text_clear(&found);
}

static void test_by_name(void **state) {
    (void)state;
    static const struct {
        const char *text, *options;
        bool with_labels;
        const char *numbers, *labels, *warning;
    } cases[] = {
        {"a,b,y\n1,2,p\n", NULL, true, "1 2;", "p;", NULL},
        {"y,b,a\np,2,1\n", NULL, true, "1 2;", "p;", NULL},
        {"b,a\n2,1\n", NULL, false, "1 2;", "", NULL},
        {"b,a,y\n2,1,\n", NULL, false, "1 2;", "", NULL}, /* labels are not even looked at */
        {"b,z,a\n2,9,1\n", NULL, false, "1 2;", "", "column 'z' is not part of the model"},
        {"z,b,u,a\n9,2,x,1\n", NULL, false, "1 2;", "", "2 columns ('z' the first)"},
        {"b,z,a\n2,9,1\n", "drop=z", false, "1 2;", "", NULL},
        {"b,z,a\n2,9,1\n", "keep=z", false, "1 2;", "", NULL},
        {"b,z,a\n2,9,1\n", "target=z", true, "1 2;", "9;", NULL},
        {"a,b\n", "header=no", false, NULL, NULL, NULL},
        {"a,b,y\n1,2,new\n3,4,p\n5,6,other\n", NULL, true, "1 2;3 4;5 6;", "new;p;other;", NULL},
        {"1,2,p\n", NULL, true, "1 2;", "p;", NULL}, /* no header: by place */
        {"1,2\n", NULL, false, "1 2;", "", NULL},
    };
    sepal_data *training = learn("a,b,y\n1,2,p\n3,4,q\n", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put(path, cases[i].text);
        forget_warnings();
        if (!cases[i].numbers) {
            assert_refused(path, cases[i].options, training, cases[i].with_labels,
                           (struct refusal){1, 1, "this column holds numbers"});
            continue;
        }
        sepal_data *data = must_read_for(path, cases[i].options, training, cases[i].with_labels);
        assert_numbers(data, cases[i].numbers);
        assert_labels(data, cases[i].labels);
        assert_int_equal(ctx.n_warnings, cases[i].warning != NULL);
        if (cases[i].warning) {
            assert_true(warned("extra-columns"));
            assert_non_null(strstr(ctx.warnings[0].message, cases[i].warning));
        }
        data_free(data);
    }
    data_free(training);
}

/* What training left out on purpose is not news; anything beside it is. */
static void test_left_out_columns_are_not_noted(void **state) {
    (void)state;
    static const struct {
        const char *training, *text, *options;
        bool noted;
    } cases[] = {
        {"drop=\"i,n\"", "i,a,n,w,y\n8,1,x,1,p\n", NULL, false},
        {"drop=\"i,n\"", "i,a,n,w\n8,1,x,1\n", NULL, false}, /* the target may be gone */
        {"drop=\"i,n\"", "i,a,n,w,y\n8,1,x,1,p\n", "keep=i", false},
        {"drop=\"i,n\"", "i,a,n,w,y,z\n8,1,x,1,p,7\n", NULL, true},
        {"drop=\"i,n\"", "a,w,y,z\n1,1,p,7\n", NULL, true},
        {"only=a", "i,a,n,w,y\n8,1,x,1,p\n", NULL, false},
        {"keep=\"i,n\"", "i,a,n,w,y\n8,1,x,1,p\n", NULL, false},
        {"drop=\"?\", weight=w", "i,a,n,w,y\n8,1,x,1,p\n", NULL, false},
        {"drop=\"i,n\", weight=w", "i,a,n,w,y\n8,1,x,1,p\n", NULL, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sepal_data *training = learn("i,a,n,w,y\n1,2,u,1,p\n3,4,v,2,q\n", cases[i].training);
        put(path, cases[i].text);
        forget_warnings();
        sepal_data *data = must_read_for(path, cases[i].options, training, false);
        if (warned("extra-columns") != cases[i].noted) fail_msg("case %zu", i);
        data_free(data);
        data_free(training);
    }
}

static void test_what_is_missing_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool with_labels;
        struct refusal refusal;
    } cases[] = {
        {"a,c\n1,2\n", false, {1, 1, "the column 'b', which the model needs"}},
        {"\na,y\n1,p\n", true, {2, 1, "the column 'b'"}},
        {"a,b\n1,2\n", true, {1, 1, "there are no labels here"}},
        {"1,2\n", true, {1, 1, "there are no labels here"}},
        {"1\n", false, {1, 1, "1 column; the model needs its 2 features"}},
        {"1,2,3,4\n", false, {1, 1, "4 columns"}},
        {"a,b,y\n1,2,p\n3,x,q\n", false, {3, 3, "this column holds numbers"}},
        {"a,b,y\n1,2,p\n3,,q\n", false, {3, 3, "train it with --missing"}},
        {"a,b,y\n1,2,p\n3,4,?\n", true, {3, 5, "the label is missing"}},
        {"1 1:2 2:3\n", false, {0, 0, "the model was trained on a table"}},
    };
    sepal_data *training = learn("a,b,y\n1,2,p\n3,4,q\n", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put("other", cases[i].text); /* no extension: the content tells */
        assert_refused("other", NULL, training, cases[i].with_labels, cases[i].refusal);
    }
    data_free(training);
}

/* Without a header: the features alone, or with the target where it was. */
static void test_by_place(void **state) {
    (void)state;
    static const struct {
        const char *train, *options;
        const char *text;
        bool with_labels;
        const char *numbers, *labels;
    } cases[] = {
        {"p,1,2\nq,3,4\n", "target=1", "7,8\n", false, "7 8;", ""},
        {"p,1,2\nq,3,4\n", "target=1", "q,7,8\n", true, "7 8;", "q;"},
        {"1,p,2\n3,q,4\n", "target=2", "7,8\n", false, "7 8;", ""},
        {"1,p,2\n3,q,4\n", "target=2", "7,q,8\n", true, "7 8;", "q;"},
        {"1,p,2\n3,q,4\n", "target=2", "7,?,8\n", false, "7 8;", ""},
        {"1,2,p\n3,4,q\n", NULL, "7,8\n", false, "7 8;", ""},
        {"1,2,p\n3,4,q\n", NULL, "7,8,q\n", true, "7 8;", "q;"},
        /* columns left out in training: as trained, or without them */
        {"9,1,p,2\n9,3,q,4\n", "target=3, drop=1", "0,7,q,8\n", true, "7 8;", "q;"},
        {"9,1,p,2\n9,3,q,4\n", "target=3, drop=1", "7,q,8\n", true, "7 8;", "q;"},
        {"9,1,p,2\n9,3,q,4\n", "target=3, drop=1", "7,8\n", false, "7 8;", ""},
        {"9,9,1,p,2\n9,9,3,q,4\n", "target=4, drop=\"1,2\"", "0,0,7,8\n", false, "7 8;", ""},
        {"9,9,1,p,2\n9,9,3,q,4\n", "target=4, drop=\"1,2\"", "7,q,8\n", true, "7 8;", "q;"},
        /* a header all the same: then the names count, which are x1, x2, ... */
        {"1,2,p\n3,4,q\n", NULL, "x2,x3,x1\n8,q,7\n", true, "7 8;", "q;"},
        /* text alone: nothing is taken for a header, or a row would be lost */
        {"red,p\nred,q\nblue,p\n", NULL, "blue\nred\n", false, "1 0;0 1;", ""},
        {"red,p\nred,q\nblue,p\n", NULL, "blue,q\n", true, "1 0;", "q;"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sepal_data *training = learn(cases[i].train, cases[i].options);
        assert_false(training->schema->header);
        put(path, cases[i].text);
        sepal_data *data = must_read_for(path, NULL, training, cases[i].with_labels);
        assert_numbers(data, cases[i].numbers);
        assert_labels(data, cases[i].labels);
        data_free(data);
        data_free(training);
    }
}

/* Labels in a file of their own: there is no target that a file could have or lack. */
static void test_by_place_without_target(void **state) {
    (void)state;
    put("labels.txt", "p\nq\n");
    sepal_data *training = learn("9,1,2\n9,3,4\n", "labels=\"labels.txt\", drop=1");
    static const char *const texts[] = {"0,7,8\n", "7,8\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        put(path, texts[i]);
        sepal_data *data = must_read_for(path, NULL, training, false);
        assert_numbers(data, "7 8;");
        data_free(data);
    }
    put(path, "0,7,8,q\n");
    assert_refused(path, NULL, training, false, (struct refusal){1, 1, "4 columns"});
    put(path, "7\n");
    assert_refused(path, NULL, training, false, (struct refusal){1, 1, "1 column;"});
    data_free(training);
}

static void test_other_names(void **state) {
    (void)state;
    sepal_data *training = learn("1,2,p\n3,4,q\n", NULL);
    put(path, "u,v,w\n7,8,q\n");
    assert_refused(path, NULL, training, false, (struct refusal){1, 1, "--header no --skip 1"});
    sepal_data *data = must_read_for(path, "header=no, skip=1", training, false);
    assert_numbers(data, "7 8;");
    data_free(data);
    data_free(training);
}

static void test_unknown_categories(void **state) {
    (void)state;
    sepal_data *training = learn("c,n,y\nred,1,p\nblue,2,q\n5th,3,p\n", NULL);
    put(path, "c,n\nblue,1\n\"green\",2\nred,3\n5,4\n");
    assert_refused(path, NULL, training, false,
                   (struct refusal){3, 1, "that training has not seen"});
    sepal_data *data = must_read_for(path, "unknown=zero", training, false);
    assert_numbers(data, "0 1 0 1;0 0 0 2;0 0 1 3;0 0 0 4;");
    data_free(data);
    data_free(training);
}

/* Whether a row is dropped for a missing value shows at its end; if it is not, its first fault
   counts. */
static void test_first_of_unknown_categories(void **state) {
    (void)state;
    sepal_data *training = learn("c,d,n,y\nred,u,1,p\nblue,v,2,q\n", "missing=drop");
    put(path, "c,d,n\nred,w,?\ngreen,w,1\nred,w,2\n");
    assert_refused(path, NULL, training, false, (struct refusal){3, 1, "'green'"});
    data_free(training);
}

/* The rule for missing values is the model's, and so are the numbers that stand for them. */
static void test_missing_at_prediction(void **state) {
    (void)state;
    static const char text[] = "a,c,y\n1,red,p\n,blue,q\n4,?,p\n", holes[] = "a,c\n,red\n7,?\n,\n";
    static const struct {
        const char *options, *numbers;
    } cases[] = {
        {"missing=mean", "2.5 0 1;7 0.5 0.5;2.5 0.5 0.5;"},
        {"missing=indicator", "2.5 1 0 1 0;7 0 0.5 0.5 1;2.5 1 0.5 0.5 1;"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sepal_data *training = learn(text, cases[i].options);
        put(path, holes);
        sepal_data *data = must_read_for(path, NULL, training, false);
        assert_numbers(data, cases[i].numbers);
        assert_null(data->undecided);
        data_free(data);
        data_free(training);
    }
}

static void test_dropped_rows_keep_their_place(void **state) {
    (void)state;
    sepal_data *training = learn("a,b,y\n1,2,p\n,3,q\n4,5,q\n", "missing=drop");
    assert_int_equal(training->matrix.rows, 2);
    put(path, "a,b,y\n1,2,p\n,8,q\n3,4,q\n");
    sepal_data *data = must_read_for(path, NULL, training, false);
    assert_int_equal(data->matrix.rows, 3);
    assert_true(!data->undecided[0] && data->undecided[1] && !data->undecided[2]);
    assert_true(number_at(data, 2, 0) == 3);
    data_free(data);
    data = must_read_for(path, NULL, training, true); /* to be judged they must be decided */
    assert_numbers(data, "1 2;3 4;");
    assert_labels(data, "p;q;");
    data_free(data);
    data_free(training);
    /* the file of training itself must not hold anything new, whatever its dropped rows say */
    training = learn("c,n,y\nred,1,p\n\"bl\"\"ue\",?,q\ngreen,3,q\n", "missing=drop");
    assert_int_equal(training->matrix.cols, 3);
    for (int labels = 0; labels < 2; labels++) {
        data = must_read_for(train, NULL, training, labels);
        assert_int_equal(data->matrix.rows, labels ? 2 : 3);
        data_free(data);
    }
    put(path, "c,n\n\"bl\"\"ue\",2\n");
    assert_refused(path, NULL, training, false, (struct refusal){2, 1, "'bl\"ue'"});
    data_free(training);
}

/* A row of tabs is a row of missing cells, not a blank line. */
static void test_rows_of_nothing(void **state) {
    (void)state;
    static const struct {
        const char *file, *text;
    } cases[] = {{"other.tsv", "a\tb\n1\t2\n\t\n3\t4\n"}, {"other.csv", "a,b\n1,2\n,\n3,4\n"}};
    sepal_data *training = learn("a,b,y\n1,2,p\n,3,q\n3,4,q\n", "missing=mean");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put(cases[i].file, cases[i].text);
        sepal_data *data = must_read_for(cases[i].file, NULL, training, false);
        assert_numbers(data, "1 2;2 3;3 4;");
        data_free(data);
    }
    data_free(training);
}

static void test_weights_at_evaluation(void **state) {
    (void)state;
    sepal_data *training = learn("a,w,y\n1,2,p\n3,4,q\n", "weight=w");
    put(path, "y,w,a\np,0.5,1\nq,0,2\np,3,3\n");
    sepal_data *data = must_read_for(path, NULL, training, true);
    assert_numbers(data, "1;3;");
    assert_true(data->weight[0] == 0.5 && data->weight[1] == 3 && data->total_weight == 3.5);
    data_free(data);
    data = must_read_for(path, NULL, training, false); /* every row wants its prediction */
    assert_numbers(data, "1;2;3;");
    assert_null(data->weight);
    data_free(data);
    data_free(training);
    training = learn("1,2,p\n3,4,q\n", "weight=2");
    put(path, "5,0.25,p\n6,0,q\n");
    data = must_read_for(path, NULL, training, true);
    assert_numbers(data, "5;");
    assert_true(data->weight && data->weight[0] == 0.25);
    data_free(data);
    data_free(training);
}

/* What is carried along comes out as CSV again: quotes, empty cells and all. */
static void test_kept_cells(void **state) {
    (void)state;
    sepal_data *training = learn("id,a,\"n,o\",y\nk,1,m,p\nl,2,n,q\n", "keep=\"id,3\"");
    assert_int_equal(training->matrix.cols, 1);
    put(path, "id,a,\"n,o\"\nk,1,m\n,2,n\n,3,\n\"x,y\",4,\"say \"\"hi\"\"\"\n");
    sepal_data *data = must_read_for(path, "keep=\"id,3\"", training, false);
    static const char *const rows[] = {"k,m", ",n", ",", "\"x,y\",\"say \"\"hi\"\"\""};
    assert_string_equal(data->kept_header, "id,\"n,o\"");
    for (size_t i = 0; i < 4; i++) assert_string_equal(data->kept[i], rows[i]);
    assert_numbers(data, "1;2;3;4;");
    data_free(data);
    data = must_read_for(path, "keep=2", training, false); /* a feature can be kept too */
    assert_string_equal(data->kept_header, "a");
    assert_string_equal(data->kept[3], "4");
    assert_numbers(data, "1;2;3;4;");
    data_free(data);
    data_free(training);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_by_name, fresh, clean),
        cmocka_unit_test_setup_teardown(test_left_out_columns_are_not_noted, fresh, clean),
        cmocka_unit_test_setup_teardown(test_what_is_missing_is_refused, fresh, clean),
        cmocka_unit_test_setup_teardown(test_by_place, fresh, clean),
        cmocka_unit_test_setup_teardown(test_by_place_without_target, fresh, clean),
        cmocka_unit_test_setup_teardown(test_other_names, fresh, clean),
        cmocka_unit_test_setup_teardown(test_unknown_categories, fresh, clean),
        cmocka_unit_test_setup_teardown(test_first_of_unknown_categories, fresh, clean),
        cmocka_unit_test_setup_teardown(test_missing_at_prediction, fresh, clean),
        cmocka_unit_test_setup_teardown(test_dropped_rows_keep_their_place, fresh, clean),
        cmocka_unit_test_setup_teardown(test_rows_of_nothing, fresh, clean),
        cmocka_unit_test_setup_teardown(test_weights_at_evaluation, fresh, clean),
        cmocka_unit_test_setup_teardown(test_kept_cells, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
