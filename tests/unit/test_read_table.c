/* Tables to learn from: headers, targets, choice of columns, kinds, missing values, weights. */
#include "unit/read_fixture.h"

static const char path[] = "table.csv";

/* ---- header and target -------------------------------------------------------------------- */

static void test_header_rule(void **state) {
    (void)state;
    static const struct {
        const char *text, *options;
        bool header;
        size_t rows;
        const char *target, *names;
    } cases[] = {
        {"a,b,c\n1,2,x\n3,4,y\n", NULL, true, 2, "c", "a b"},
        {"1,2,x\n3,4,y\n", NULL, false, 2, "x3", "x1 x2"},
        {"a,2,x\n3,4,y\n", NULL, true, 1, "x", "a 2"}, /* one name above a number is enough */
        {"1,a\n2,b\n3,a\n", NULL, false, 3, "x2", "x1"},
        {"red,a\nblue,b\nred,a\n", NULL, false, 3, "x2", "x1=blue x1=red"}, /* 'red' recurs */
        {"colour,kind\nblue,b\nred,a\n", NULL, true, 2, "kind", "colour=blue colour=red"},
        {"kind,b\nblue,b\nred,a\n", NULL, false, 3, "x2", "x1=blue x1=kind x1=red"},
        {"1,2,3\n4,5,6\n", NULL, false, 2, "x3", "x1 x2"},
        {"1,2,3\n4,5,6\n", "header=yes", true, 1, "3", "1 2"},
        {"a,b,c\n1,2,x\n", "header=no, categorical=\"x1,x2\"", false, 2, "x3",
         "x1=1 x1=a x2=2 x2=b"},
        {"?,1,a\n2,3,b\n", "missing=mean", false, 2, "x3", "x1 x2"}, /* a missing cell is no name */
        {"n,c\n?,a\nNA,b\n7,a\n", "missing=drop", true, 1, "c", "n"},
        {"\"a b\",\"c,d\",y\n1,2,3\n", NULL, true, 1, "y", "a b c,d"},
        {"a,,c\n1,2,x\n", NULL, true, 1, "c", "a x2"}, /* a column without a name */
        {"\n \n\na,b\n1,x\n", NULL, true, 1, "b", "a"},
        {"\xef\xbb\xbf"
         "a,b\n1,x\n",
         NULL, true, 1, "b", "a"},
        {"a;b\n1,5;x\n", "categorical=a", true, 1, "b", "a=1,5"},
        {"junk\nmore\na,b\n1,x\n", "skip=2", true, 1, "b", "a"},
        {"a b\n1  x\n", NULL, true, 1, "b", "a"},
        {"a\tb\n1\tx\n", NULL, true, 1, "b", "a"},
        {"a|b\r\n1|x\r\n", NULL, true, 1, "b", "a"},
        {"a,b\r1,x\r", NULL, true, 1, "b", "a"},
        {"a:b\n1:x\n", "delimiter=:", true, 1, "b", "a"},
        {"a b\n1 x\n", "delimiter=\" \"", true, 1, "b", "a"},
        {"a\tb\n1\tx\n", "delimiter=\"\t\"", true, 1, "b", "a"},
        {"a,b\n1,x", NULL, true, 1, "b", "a"},
        {"a,\"b\n", "quote=no, header=yes, target=a", true, 0, NULL, NULL},
        /* a cell that an option calls a column makes line 1 a header */
        {"red,kind\nred,b\nblue,kind\n", NULL, false, 3, "x2", "x1=blue x1=red"},
        {"red,kind\nred,b\nblue,kind\n", "target=kind", true, 2, "kind", "red=blue red=red"},
        {"red,kind\nred,b\nblue,kind\n", "drop=\"9, red\"", false, 0, NULL, NULL},
        {"red,kind\nred,b\nblue,kind\n", "categorical=\"r?d\"", true, 2, "kind",
         "red=blue red=red"},
        {"red,kind\nred,b\nblue,kind\n", "categorical=\"1,2\"", false, 3, "x2", "x1=blue x1=red"},
        {"red,kind\nred,b\nblue,kind\n", "categorical=\"*\"", false, 3, "x2", "x1=blue x1=red"},
        {"red,kind\nred,b\nblue,kind\n", "only=red, header=no", false, 0, NULL, NULL},
        {"1,2,w\n1,2,5\n2,1,6\n", "weight=w, target=1", true, 2, "1", "2"},
        {"1,2\n1,2\n2,1\n", "target=1", false, 3, "x1", "x2"}, /* a number is no name */
        {"1-2,2\n1-2,2\n2,1\n", "categorical=\"1-2\"", false, 3, "x2", "x1=1-2 x1=2"},
        {"11,2\n11,2\n2,1\n", "categorical=\"1?\"", false, 0, NULL, NULL},
        {",red\n1,red\n2,b\n", "target=red", true, 2, "red", "x1"},
        /* a column with fewer numbers than texts is text: line 1 is above no column of numbers */
        {"zip,y\n12,a\nB1,b\nC2,c\n", NULL, true, 3, "y", "zip=12 zip=B1 zip=C2"},
        {"zip,y\n12,a\n13,b\nC2,c\n", NULL, false, 0, NULL, NULL},
        {"?,y\n12,a\n13,b\nC2,c\nD2,d\n", "missing=drop", false, 0, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put(path, cases[i].text);
        if (!cases[i].rows) {
            bool kinds = strstr(cases[i].text, "C2"), quote = strstr(cases[i].text, "\"");
            struct refusal refusal = {1, 1, "there is no column"};
            if (quote) refusal = (struct refusal){2, 1, "no rows"};
            if (kinds) refusal = (struct refusal){0, 0, "is not a decimal number"};
            assert_refused(path, cases[i].options, NULL, true, refusal);
            continue;
        }
        sepal_data *data = must_read(path, cases[i].options);
        char names[256];
        names_of(names, sizeof names, data);
        if (data->schema->header != cases[i].header || data->matrix.rows != cases[i].rows ||
            strcmp(data->schema->target, cases[i].target) != 0 ||
            strcmp(names, cases[i].names) != 0)
            fail_msg("case %zu: header %d, %zu rows, target %s, names %s", i, data->schema->header,
                     data->matrix.rows, data->schema->target, names);
        data_free(data);
    }
}

/* The rule looks at the 100 rows below line 1, no further and no less. */
static void test_header_looks_at_100_rows(void **state) {
    (void)state;
    for (int rows = 98; rows <= 102; rows++)
        for (int kind = 0; kind < 2; kind++) {
            struct text text = {0};
            text_puts(&ctx, &text, "a,b\n");
            for (int i = 0; i < rows; i++) text_printf(&ctx, &text, "t%d,u%d\n", i % 50, i % 50);
            text_puts(&ctx, &text, kind ? "a,u1\n" : "t0,u2\n"); /* 'a' recurs, or not */
            put_bytes(path, text.bytes, text.length);
            text_clear(&text);
            sepal_data *data = must_read(path, NULL);
            assert_int_equal(data->schema->header, !(kind && rows < 100));
            data_free(data);
        }
}

static void test_target_rule(void **state) {
    (void)state;
    static const struct {
        const char *header, *options;
        size_t target;
    } cases[] = {
        {"a,b,c", NULL, 2},
        {"y,b,c", NULL, 0},
        {"a,Class,c", NULL, 1},
        {"LABEL,b,c", NULL, 0},
        {"y,class,c", NULL, 1}, /* target, label, class, y: in this order */
        {"class,label,target", NULL, 2},
        {"y,Y2,c", NULL, 0},
        {"a,b,c", "target=a", 0},
        {"a,b,c", "target=2", 1},
        {"3,2,1", "target=3, header=yes", 0}, /* a name goes before a number */
        {"y,b,c", "target=b", 1},
        {"class,b,c", "header=no", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[128];
        snprintf(text, sizeof text, "%s\n%s", cases[i].header, "1,2,3\n4,5,6\n");
        if (cases[i].options && strstr(cases[i].options, "header=no"))
            snprintf(text, sizeof text, "1,2,3\n");
        put(path, text);
        sepal_data *data = must_read(path, cases[i].options);
        assert_int_equal(data->schema->target_position, cases[i].target);
        assert_int_equal(data->matrix.cols, 2);
        char wanted[2] = {(char)('1' + cases[i].target), '\0'};
        assert_string_equal(label_at(data, 0), wanted);
        data_free(data);
    }
}

/* ---- choice of columns -------------------------------------------------------------------- */

static void test_choice_of_columns(void **state) {
    (void)state;
    static const struct {
        const char *options, *names;
    } cases[] = {
        {NULL, "a b c d,e f"},
        {"drop=b", "a c d,e f"},
        {"drop=\"a,c\"", "b d,e f"},
        {"drop=\" a , 3 \"", "b d,e f"},
        {"drop=\"d,e\"", "a b c f"}, /* a name with a comma, given alone */
        {"only=\"f,a\"", "a f"},     /* in the order of the file */
        {"only=\"a,b,c\", drop=b", "a c"},
        {"keep=b", "a c d,e f"},
        {"categorical=2", "a b=2 b=7 c d,e f"},
        {"weight=c", "a b d,e f"},
        {"weight=3, target=1", "b d,e f t"},
        {"drop=\"2-3\"", "a d,e f"},
        {"drop=\"5 - 5\"", NULL},
        {"drop=\"1-6\"", ""}, /* the target stays */
        {"only=\"1-2,f\"", "a b f"},
        {"only=\"?\"", "a b c f"},
        {"drop=\"?,e\"", NULL}, /* two items: nothing matches the second */
        {"drop=\"d*\"", "a b c f"},
        {"drop=\"*e\"", "a b c f"},
        {"drop=\"*d*e*\"", "a b c f"},
        {"keep=all", "a b c d,e f"},
        {"keep=\"[a-c]\"", NULL},
        {"drop=1, weight=6", "b c d,e f"},
    };
    put(path, "a,b,c,\"d,e\",f,t\n1,2,3,4,5,6\n1,7,8,9,10,11\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char names[128];
        if (i + 1 == sizeof cases / sizeof *cases) { /* target and weight cannot be the same */
            assert_refused(path, cases[i].options, NULL, true, (struct refusal){1, 1, "both"});
            continue;
        }
        if (!cases[i].names) {
            sepal_data *data;
            assert_int_equal(data_read(&data, &ctx, path, cases[i].options, NULL, true),
                             SEPAL_EDATA);
            continue;
        }
        sepal_data *data = must_read(path, cases[i].options);
        names_of(names, sizeof names, data);
        assert_string_equal(names, cases[i].names);
        data_free(data);
    }
    static const char *const unknown[] = {"drop=g",   "only=0",   "keep=7",   "categorical=\"a,h\"",
                                          "weight=9", "target=A", "target=-1"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        assert_refused(path, unknown[i], NULL, true, (struct refusal){1, 1, "there is no column"});
    }
}

static void test_refused_tables(void **state) {
    (void)state;
    static const struct refused_text cases[] = {
        {"", NULL, {1, 1, "nothing in this file"}},
        {"\n\n", NULL, {3, 1, "nothing in this file"}},
        {"a,b\n", NULL, {2, 1, "no rows below the header"}},
        {"a,b\n\n\n", NULL, {0, 0, "no rows"}},
        {"a,b,a\n1,2,3\n", NULL, {1, 5, "two columns have the name 'a'"}},
        {"\n  a, a\n1,2\n", NULL, {2, 6, "two columns have the name 'a'"}},
        {"a,\"b\nc\",a\n1,2,3\n", NULL, {2, 4, "two columns have the name 'a'"}},
        {"a,b\n1,x\n2\n", NULL, {3, 2, "this row has 1 cell, the first has 2"}},
        {"a,b\n1,x\n2,y,z\n", NULL, {3, 5, "more than 2 cells"}},
        {"a,n,b\n1,1,x\n\n2,2,y\nn,3,y\n",
         NULL,
         {5, 1, "'n' is not a decimal number, and column 'a'"}},
        {"a,n,b\n1,1,x\n1e999,2,y\n", NULL, {3, 1, "'1e999' is too large for a double"}},
        {"a,n,b\n1,1,x\n1_000,2,y\n", NULL, {3, 1, "'1_000'"}},
        {"a,n,b\n1,1,x\ninf,2,y\n", NULL, {3, 1, "'inf'"}},
        {"a,n,b\n1,1,x\n0x1F,2,y\n", NULL, {3, 1, "'0x1F'"}},
        {"a,b\n1,x\n2,\n", NULL, {3, 3, "the label is missing here"}},
        {"a,b\n1,x\n2, ?\n", NULL, {3, 4, "the label is missing here: '?'"}},
        {"a,b\n1,x\n2,nan\n", NULL, {3, 3, "label"}},
        {"a,b\n1,x\n2,-inf\n", NULL, {3, 3, "label"}},
        {"a,b\n1,x\n2,\"y\n", NULL, {3, 3, "never closed"}},
        {"a,b\n1,x\n2,\"y\"z\n", NULL, {3, 6, "text after the closing quote"}},
        {"a,b\n1,x\n2,\"p\nq\"z\n", NULL, {4, 3, "text after the closing quote"}},
        {"a,b\n1,x\n2,\"p\nq\001\"\n", NULL, {4, 2, "control character 0x01"}},
        {"a,b\n1,x\n2,y\001\n", NULL, {3, 4, "control character 0x01"}},
        {"a,b\n1,x\n2\r,y\n", NULL, {3, 2, "carriage return inside a line"}},
        {"a,b\n1,x\n2,\xff\n", NULL, {3, 3, "not UTF-8"}},
        {"a,b\nx,1\n\xff,2\n", NULL, {3, 1, "not UTF-8"}},
        {"a,\xff\n1,2\n", NULL, {1, 3, "not UTF-8"}},
        {"a,b\n1,x\n,y\n?,x\n", NULL, {3, 1, "missing value in column 'a' (missing: a 2)"}},
        {"a,w,b\n1,1,x\n2,-1,y\n", "weight=w", {3, 3, "a weight must be"}},
        {"a,w,b\n1,1,x\n2,,y\n", "weight=w", {3, 3, "a weight must be"}},
        {"a,w,b\n1,0,x\n2,0,y\n", "weight=w", {0, 0, "none of the 2 rows is left"}},
        {"a,b\n,x\n?,y\n", "missing=drop", {0, 0, "none of the 2 rows is left"}},
    };
    assert_texts_refused(path, cases, sizeof cases / sizeof *cases);
    put_bytes(path, "a,b\n1,\0\n", 8);
    assert_refused(path, NULL, NULL, true, (struct refusal){2, 3, "0x00"});
    assert_refused("absent.csv", NULL, NULL, true, (struct refusal){0, 0, "cannot open"});
    sepal_data *data;
    put(path, "a,b\n1,x\n");
    static const char *const usage[] = {
        "delimiter=ab", "delimiter=\"\"", "delimiter=\"\x7f\"", "delimiter=\"\x01\"", "missing=yes",
        "nonsense=1",   "header"};
    for (size_t i = 0; i < sizeof usage / sizeof *usage; i++)
        assert_int_equal(data_read(&data, &ctx, path, usage[i], NULL, true), SEPAL_EUSAGE);
    assert_refused(path, "skip=1000000000", NULL, true, (struct refusal){0, 0, "nothing"});
}

/* ---- text columns ------------------------------------------------------------------------- */

static void test_categories(void **state) {
    (void)state;
    put(path, "c,n,y\nred,1,a\n\"b,lue\",2,b\nB,3,a\n red ,4,b\n");
    sepal_data *data = must_read(path, NULL);
    char names[128];
    names_of(names, sizeof names, data);
    assert_string_equal(names, "c=B c=b,lue c=red n"); /* sorted bytewise */
    static const double wanted[4][4] = {{0, 0, 1, 1}, {0, 1, 0, 2}, {1, 0, 0, 3}, {0, 0, 1, 4}};
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++) assert_true(number_at(data, i, j) == wanted[i][j]);
    assert_int_equal(data->schema->dependent, 1);
    data_free(data);
}

/* A name may begin as bz2 files do. */
static void test_letters_of_bz2(void **state) {
    (void)state;
    static const char *const names[] = {"BZh", "BZh9", "BZh1,b", "BZhat", "BZh0"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s,y\n%s\n", names[i],
                 strchr(names[i], ',') ? "1,2,p" : "1,p");
        put("letters.csv", text);
        data_free(must_read("letters.csv", NULL));
    }
}

static void test_many_categories(void **state) {
    (void)state;
    for (size_t n = 1000; n <= 1001; n++) {
        struct text text = {0};
        text_puts(&ctx, &text, "id,y\n");
        for (size_t i = 0; i < n; i++) text_printf(&ctx, &text, "v%zu,%zu\n", i, i % 2);
        put_bytes(path, text.bytes, text.length);
        text_clear(&text);
        if (n > 1000) {
            assert_refused(path, NULL, NULL, true, (struct refusal){0, 0, "--drop 'id'"});
            continue;
        }
        sepal_data *data = must_read(path, NULL);
        assert_int_equal(data->matrix.cols, 1000);
        assert_true(data->matrix.sparse);
        assert_int_equal(data->matrix.nonzeros, 1000);
        data_free(data);
    }
}

/* ---- missing values ----------------------------------------------------------------------- */

static const char holes[] = "a,c,w,y\n"
                            "1,red,1,p\n"
                            ",blue,2,q\n"
                            "4,?,3,p\n"
                            "NaN,null,4,q\n";

static void check_numbers(const char *options, const char *names, size_t rows, size_t cols,
                          const double *wanted) {
    put(path, holes);
    sepal_data *data = must_read(path, options);
    char found[128];
    names_of(found, sizeof found, data);
    assert_string_equal(found, names);
    assert_int_equal(data->matrix.rows, rows);
    assert_int_equal(data->matrix.cols, cols);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            if (number_at(data, i, j) != wanted[i * cols + j])
                fail_msg("%s: row %zu, column %zu is %.17g", options, i, j, number_at(data, i, j));
    data_free(data);
}

static void test_missing_values(void **state) {
    (void)state;
    /* weights 1 and 3 for a: (1 + 12) / 4; 2 and 1 for blue and red */
    static const double mean[] = {1, 0, 1, 3.25, 1, 0, 4, 2. / 3, 1. / 3, 3.25, 2. / 3, 1. / 3};
    check_numbers("missing=mean, weight=w", "a c=blue c=red", 4, 3, mean);
    static const double indicator[] = {1, 0, 0,      1,      0, 3.25, 1, 1,      0,      0,
                                       4, 0, 2. / 3, 1. / 3, 1, 3.25, 1, 2. / 3, 1. / 3, 1};
    check_numbers("missing=indicator, weight=w", "a a=? c=blue c=red c=?", 4, 5, indicator);
    static const double plain[] = {1, 0, 1, 2.5, 1, 0, 4, 0.5, 0.5, 2.5, 0.5, 0.5};
    check_numbers("missing=mean, drop=w", "a c=blue c=red", 4, 3, plain);
    static const double dropped[] = {1, 1}; /* blue goes with its row */
    check_numbers("missing=drop, drop=w", "a c=red", 1, 2, dropped);
    put(path, holes);
    assert_refused(path, NULL, NULL, true,
                   (struct refusal){3, 1, "missing value in column 'a' (missing: a 2, c 2)"});
}

/* A class or category that only dropped rows have is none. */
static void test_dropped_rows_leave_no_trace(void **state) {
    (void)state;
    put(path, "a,c,y\n1,red,p\n,blue,r\n2,red,q\n");
    sepal_data *data = must_read(path, "missing=drop");
    assert_int_equal(data->schema->n_classes, 2);
    assert_string_equal(label_at(data, 1), "q");
    assert_int_equal(data->matrix.cols, 2);
    data_free(data);
}

/* A column of nothing has no categories, and so no dependency either. */
static void test_column_without_values(void **state) {
    (void)state;
    put(path, "a,b,y\n,1,p\n?,2,q\n");
    sepal_data *data = must_read(path, "missing=indicator");
    char names[64];
    names_of(names, sizeof names, data);
    assert_string_equal(names, "a=? b");
    assert_true(number_at(data, 1, 0) == 1 && number_at(data, 1, 1) == 2);
    assert_int_equal(data->schema->dependent, 0);
    data_free(data);
}

/* ---- labels and weights ------------------------------------------------------------------- */

static void test_labels(void **state) {
    (void)state;
    static const struct {
        const char *labels[5], *classes;
    } cases[] = {
        {{"+1", "1.0", "1", "-1", "10e-1"}, "-1 1"},
        {{"10", "9", "1e1", "-0", "0"}, "0 9 10"},
        {{"b", "a", "B", "aa", "a"}, "B a aa b"},
        {{"1", "1.0", "x", "+1", "1"}, "+1 1 1.0 x"}, /* one that is no number: all are bytes */
        {{"0.1", "0.10", "1e-1", ".1", "0.2"}, "0.1 0.2"},
        {{"\xC3\xA9", "z", "\" z\"", "z", "\"z\""}, " z z \xC3\xA9"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text text = {0}, classes = {0};
        text_puts(&ctx, &text, "n,y\n");
        for (int r = 0; r < 5; r++) text_printf(&ctx, &text, "%d,%s\n", r, cases[i].labels[r]);
        put_bytes(path, text.bytes, text.length);
        sepal_data *data = must_read(path, NULL);
        for (size_t k = 0; k < data->schema->n_classes; k++)
            text_printf(&ctx, &classes, "%s%s", k ? " " : "", data->schema->classes[k]);
        assert_string_equal(classes.bytes, cases[i].classes);
        text_clear(&text);
        text_clear(&classes);
        data_free(data);
    }
}

/* A row of weight 0 leaves no trace at all: not its class, category, missing value or text, nor a
   number in a column of text. */
static void test_weight_zero_is_deletion(void **state) {
    (void)state;
    static const char *const rows[] = {"1,red,2,p",   "0.1,blue,0,p", ",red,1,q",
                                       "3,green,0,r", ",?,0,p",       "4,blue,0.5,q",
                                       "x,red,0,p",   "5,red,1,p",    "6,7,0,q"};
    static const char *const options[] = {"weight=w, missing=mean", "weight=w, missing=indicator",
                                          "weight=w, missing=drop"};
    struct text all = {0}, rest = {0};
    text_puts(&ctx, &all, "a,c,w,y\n");
    text_puts(&ctx, &rest, "a,c,w,y\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        text_printf(&ctx, &all, "%s\n", rows[i]);
        if (!strstr(rows[i], ",0,")) text_printf(&ctx, &rest, "%s\n", rows[i]);
    }
    put(path, all.bytes);
    put("rest.csv", rest.bytes);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        sepal_data *a = must_read(path, options[i]), *b = must_read("rest.csv", options[i]);
        char names_a[128], names_b[128];
        names_of(names_a, sizeof names_a, a);
        names_of(names_b, sizeof names_b, b);
        assert_string_equal(names_a, names_b);
        assert_same_data(a, b);
        assert_int_equal(a->schema->n_classes, 2);
        data_free(a);
        data_free(b);
    }
    text_clear(&all);
    text_clear(&rest);
    put(path, "a,w,y\n1,1,p\n2,0\n"); /* but it must be a row */
    assert_refused(path, "weight=w", NULL, true, (struct refusal){3, 4, "2 cells"});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_header_rule, fresh, clean),
        cmocka_unit_test_setup_teardown(test_header_looks_at_100_rows, fresh, clean),
        cmocka_unit_test_setup_teardown(test_target_rule, fresh, clean),
        cmocka_unit_test_setup_teardown(test_choice_of_columns, fresh, clean),
        cmocka_unit_test_setup_teardown(test_refused_tables, fresh, clean),
        cmocka_unit_test_setup_teardown(test_categories, fresh, clean),
        cmocka_unit_test_setup_teardown(test_letters_of_bz2, fresh, clean),
        cmocka_unit_test_setup_teardown(test_many_categories, fresh, clean),
        cmocka_unit_test_setup_teardown(test_missing_values, fresh, clean),
        cmocka_unit_test_setup_teardown(test_dropped_rows_leave_no_trace, fresh, clean),
        cmocka_unit_test_setup_teardown(test_column_without_values, fresh, clean),
        cmocka_unit_test_setup_teardown(test_labels, fresh, clean),
        cmocka_unit_test_setup_teardown(test_weight_zero_is_deletion, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
