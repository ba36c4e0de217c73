/* ARFF: the same rows as CSV, dense and sparse, and what its header may and may not say. */
#include "read_fixture.h"

/* ---- the same rows in other words --------------------------------------------------------- */

enum manner { AS_CSV, DENSE, SPARSE, MIXED };

static void put_header(FILE *file, enum manner manner, size_t columns) {
    if (manner != AS_CSV) fputs("% made by a test\n@relation r\n\n", file);
    for (size_t c = 0; c < columns; c++)
        fprintf(file, manner == AS_CSV ? "a%zu," : "@attribute a%zu real\n", c);
    fputs(manner == AS_CSV ? "class\n" : "@attribute class {no,yes,'a b'}\n@DATA\n", file);
}

/* Mostly zeros; the same rows for the same seed, whatever the manner. */
static void put_rows(const char *path, enum manner manner, size_t n, size_t columns,
                     uint64_t seed) {
    static const char *const labels[] = {"no", "yes", "'a b'", "a b"};
    struct rng rng = rng_make(test_seed(seed), 11);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    put_header(file, manner, columns);
    for (size_t i = 0; i < n; i++) {
        bool sparse = manner == SPARSE || (manner == MIXED && i % 3);
        fputs(sparse ? "{" : "", file);
        const char *between = "";
        for (size_t c = 0; c < columns; c++) {
            unsigned value = (unsigned)rng_below(&rng, 40);
            if (value >= 4) value = 0;
            if (sparse && !value) continue;
            if (sparse)
                fprintf(file, "%s%zu %u.25", between, c, value);
            else
                fprintf(file, value ? "%s%u.25" : "%s%u", between, value);
            between = ",";
        }
        size_t label = rng_below(&rng, 3);
        if (sparse && label) fprintf(file, "%s%zu %s", between, columns, labels[label]);
        if (!sparse)
            fprintf(file, "%s%s", between, labels[label == 2 && manner == AS_CSV ? 3 : label]);
        fputs(sparse ? "}\n" : "\n", file);
    }
    assert_int_equal(fclose(file), 0);
}

static void test_same_rows(void **state) {
    (void)state;
    static const struct {
        size_t rows, columns;
    } sizes[] = {{3, 1}, {50, 40}, {2000, 700}, {40000, 31}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        put_rows("rows.csv", AS_CSV, sizes[s].rows, sizes[s].columns, s);
        sepal_data *wanted = must_read("rows.csv", NULL);
        for (int manner = DENSE; manner <= MIXED; manner++) {
            put_rows("rows.arff", (enum manner)manner, sizes[s].rows, sizes[s].columns, s);
            for (size_t w = 0; w < N_WIDTHS; w++) {
                ctx.threads = widths[w];
                sepal_data *data = must_read("rows.arff", NULL);
                assert_same_data(wanted, data);
                /* for a model trained on the other format, columns are found by name */
                sepal_data *again = must_read_for("rows.arff", NULL, wanted, true);
                assert_same_data(wanted, again);
                data_free(again);
                data_free(data);
                data = must_read("rows.arff", "missing=mean, bad-lines=skip");
                assert_same_data(wanted, data);
                data_free(data);
            }
        }
        data_free(wanted);
    }
}

/* ---- what is read ------------------------------------------------------------------------- */

static const char head[] = "@relation r\n@attribute a numeric\n@attribute c {red,'dark blue',?x}\n"
                           "@attribute class {p,q}\n@data\n";

static sepal_data *read_rows(const char *rows, const char *options) {
    char text[2048];
    snprintf(text, sizeof text, "%s%s", head, rows);
    put("rows.arff", text);
    return must_read("rows.arff", options);
}

static void test_values(void **state) {
    (void)state;
    char names[256];
    sepal_data *data = read_rows("1,red,p\n% no row\n\n -2.5 ,\t'dark blue' , \"q\"\n"
                                 "{0 3, 1 ?x}\r\n{}\n{2 q}\n",
                                 NULL);
    names_of(names, sizeof names, data);
    assert_string_equal(names, "a c=?x c=dark blue c=red");
    static const double wanted[5][4] = {
        {1, 0, 0, 1}, {-2.5, 0, 1, 0}, {3, 1, 0, 0}, {0, 0, 0, 1}, {0, 0, 0, 1}};
    static const char labels[] = "pqppq";
    assert_int_equal(data->matrix.rows, 5);
    for (size_t i = 0; i < 5; i++) {
        for (size_t j = 0; j < 4; j++) assert_true(number_at(data, i, j) == wanted[i][j]);
        assert_int_equal(*label_at(data, i), labels[i]);
    }
    data_free(data);
}

/* Categories are the declared ones; missing values are ? and nothing, in quotes they are text. */
static void test_missing_values(void **state) {
    (void)state;
    char names[256];
    put("rows.arff", "@relation r\n@attribute a real\n@attribute c {x,NA,'?'}\n"
                     "@attribute s string\n@attribute class {p,q}\n@data\n"
                     "1,NA,'?',p\n?,'?',b,q\n3,?,b,q\n,x,'?',p\nnan,x,b,p\n");
    sepal_data *data = must_read("rows.arff", "missing=indicator");
    names_of(names, sizeof names, data);
    assert_string_equal(names, "a a=? c=? c=NA c=x c=? s=? s=b");
    assert_true(number_at(data, 0, 3) == 1 && number_at(data, 1, 2) == 1);
    assert_true(number_at(data, 1, 1) == 1 && number_at(data, 2, 5) == 1);
    assert_true(number_at(data, 3, 1) == 1 && number_at(data, 4, 1) == 1);
    data_free(data);
    data = must_read("rows.arff", "missing=drop");
    assert_int_equal(data->matrix.rows, 1);
    data_free(data);
    assert_refused("rows.arff", NULL, NULL, true, (struct refusal){8, 1, "missing value"});
}

static void test_headers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t columns;
    } cases[] = {
        {"@RELATION 'a b'\n@ATTRIBUTE x REAL\n@Attribute class {p}\n@Data\n1,p\n", 1},
        {"\xEF\xBB\xBF@relation r\r\n@attribute x integer\r\n@attribute class {p}\r\n@data\r\n1,p",
         1},
        {"@relation r\r@attribute x integer\r@attribute class {p}\r@data\r1,p\r", 1},
        {"  @relation\n\t@attribute\tx\tnumeric % note\n@attribute class{p}\n@data % d\n1,p\n", 1},
        {"@relation r\n@attribute 'it\\'s' real\n@attribute \"b {\" {\n 'u', v ,\n w}\n"
         "@attribute class {p}\n@data\n1,u,p\n",
         4},
        {"@relation r\n@attribute d date 'yyyy-MM-dd'\n@attribute class {p}\n@data\n"
         "'2001-01-01',p\n\"2002-01-01\",p\n",
         2},
        {"@relation r\n@attribute x real\n@attribute z real\n@attribute class {p}\n@data\n"
         "1 \t2  p\n 3 4 'p' \n",
         2},
        {"@relation r\n@attribute class {p}\n@attribute x real\n@data\np,1\n", 1},
        {"@attribute x real\n@attribute class {p}\n@data\n1,p\n", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put("rows.arff", cases[i].text);
        sepal_data *data = must_read("rows.arff", NULL);
        assert_int_equal(data->matrix.cols, cases[i].columns);
        assert_string_equal(label_at(data, 0), "p");
        data_free(data);
    }
}

/* Without an extension the word @relation tells. */
static void test_detection(void **state) {
    (void)state;
    put("rows", "% a comment, with a comma\n@Relation r\n@attribute x real\n@attribute class {p}\n"
                "@data\n1,p\n");
    sepal_data *data = must_read("rows", NULL);
    assert_int_equal(data->matrix.rows, 1);
    data_free(data);
    put("labels.txt", "z\n");
    data = must_read("rows", "format=arff, labels=\"labels.txt\"");
    assert_int_equal(data->matrix.cols, 2);
    assert_string_equal(label_at(data, 0), "z");
    data_free(data);
}

/* ---- what is refused ---------------------------------------------------------------------- */

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        const char *rows;
        struct refusal refusal;
    } cases[] = {
        {"1,green,p\n", {6, 3, "declared"}},
        {"1,red,r\n", {6, 7, "declared"}},
        {"1,red\n", {6, 6, "2 cells"}},
        {"1,red,p,5\n", {6, 9, "more than 3"}},
        {"1,red,p,{5}\n", {6, 9, "--weights"}},
        {"x,red,p\n", {6, 1, "not a decimal"}},
        {"1,'red,p\n", {6, 3, "not closed"}},
        {"1,'red' x,p\n", {6, 9, "after the closing quote"}},
        {"1,re\001d,p\n", {6, 5, "control character"}},
        {"1,'re\001d',p\n", {6, 6, "control character"}},
        {"1,red,?\n", {6, 7, "label is missing"}},
        {"{0 1,2 p\n", {6, 9, "expected a comma or }"}},
        {"{0 1,}\n", {6, 6, "expected the number"}},
        {"{\n", {6, 2, "not closed"}},
        {"{0 1} x\n", {6, 7, "behind the row"}},
        {"{2 p,0 1}\n", {6, 6, "must rise"}},
        {"{0 1,0 1}\n", {6, 6, "must rise"}},
        {"{3 1}\n", {6, 2, "no attribute of this number"}},
        {"{-1 1}\n", {6, 2, "expected the number"}},
        {"{99999999999 1}\n", {6, 2, "expected the number"}},
        {"{0}\n", {6, 2, "expected the number"}},
        {"{0 }\n", {6, 4, "a value is missing"}},
        {"{0 1 2}\n", {6, 4, "not a decimal"}},
        {"{0 ?}\n", {6, 4, "missing value"}},
        {"{1 'red}\n", {6, 4, "not closed"}},
        {"{1 green}\n", {6, 4, "declared"}},
        {"", {6, 1, "no rows"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s", head, cases[i].rows);
        put("rows.arff", text);
        assert_refused("rows.arff", NULL, NULL, true, cases[i].refusal);
    }
}

static void test_refused_headers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        struct refusal refusal;
    } cases[] = {
        {"@relation r\n@attribute x real\n1,2\n", {1, 1, "no line @data"}},
        {"@relation r\n1,2\n@data\n", {2, 1, "expected @relation"}},
        {"@relation r\n@data\n1\n", {2, 1, "no @attribute"}},
        {"@relation r\n@attribute\n@data\n1\n", {2, 11, "name"}},
        {"@relation r\n@attribute x\n@data\n1\n", {2, 13, "type"}},
        {"@relation r\n@attribute x floating\n@data\n1\n", {2, 14, "floating"}},
        {"@relation r\n@attribute x relational\n@data\n1\n", {2, 14, "relational"}},
        {"@relation r\n@attribute x real 5\n@data\n1\n", {2, 19, "behind the type"}},
        {"@relation r\n@attribute x {}\n@data\n1\n", {2, 15, "missing among"}},
        {"@relation r\n@attribute x {a,,b}\n@data\n1\n", {2, 17, "missing among"}},
        {"@relation r\n@attribute x {a,b\n@data\n1\n", {3, 1, "comma or }"}},
        {"@relation r\n@attribute x {a,'b}\n@data\n1\n", {2, 17, "not closed"}},
        {"@relation r\n@attribute x {a,b,a}\n@data\n1\n", {2, 12, "twice"}},
        {"@relation r\n@attribute 'x real\n@data\n1\n", {2, 12, "not closed"}},
        {"@relation r\n@attribute '' real\n@data\n1\n", {2, 12, "name"}},
        {"@relation r\n@attribute x\001y real\n@data\n1\n", {2, 13, "control"}},
        {"@relation r\n@attribute x\xff real\n@data\n1\n", {2, 12, "UTF-8"}},
        {"@relation r\n@attribute x real\n@attribute 'x' real\n@data\n1,1\n",
         {3, 12, "two columns"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put("rows.arff", cases[i].text);
        assert_refused("rows.arff", NULL, NULL, true, cases[i].refusal);
    }
}

/* Sparse rows can leave out anything but text, and a weight that is left out is 0. */
static void test_sparse_odds(void **state) {
    (void)state;
    put("rows.arff", "@relation r\n@attribute s string\n@attribute x real\n@attribute w real\n"
                     "@attribute class {p,q}\n@data\n{0 u,1 1,2 1}\n{0 v,2 2,3 q}\n{1 5}\n");
    sepal_data *data = must_read("rows.arff", "weight=w");
    assert_int_equal(data->matrix.rows, 2);
    assert_true(data->total_weight == 3);
    data_free(data);
    assert_refused("rows.arff", "drop=w", NULL, true,
                   (struct refusal){9, 2, "must give the value"});
    data = must_read("rows.arff", "drop=\"s,w\"");
    assert_int_equal(data->matrix.rows, 3);
    data_free(data);
    data = must_read("rows.arff", "drop=w, bad-lines=skip");
    assert_int_equal(data->matrix.rows, 2);
    data_free(data);
    /* numbers that name categories: what is left out is the category 0 */
    data = must_read("rows.arff", "drop=\"s,w\", categorical=x");
    char names[64];
    names_of(names, sizeof names, data);
    assert_string_equal(names, "x=0 x=1 x=5");
    data_free(data);
}

/* The model's order of columns counts. Here the last two values of the row alone are out of it. */
static void test_sparse_rows_for_a_model(void **state) {
    (void)state;
    enum { COLUMNS = 40 }; /* so that the matrix is sparse */
    static const char *const rows[] = {"{0 1,1 2,2 3,40 q}\n{}\n", "{0 2,1 3,39 1,40 q}\n{}\n"};
    sepal_data *data[2];
    for (size_t turn = 0; turn < 2; turn++) {
        struct text text = {0};
        text_puts(&ctx, &text, "@relation r\n");
        for (size_t c = 0; c < COLUMNS; c++)
            text_printf(&ctx, &text, "@attribute a%zu real\n", (c + turn) % COLUMNS);
        text_printf(&ctx, &text, "@attribute class {p,q}\n@data\n%s", rows[turn]);
        put_bytes("rows.arff", text.bytes, text.length);
        text_clear(&text);
        data[turn] =
            turn ? must_read_for("rows.arff", NULL, data[0], true) : must_read("rows.arff", NULL);
    }
    assert_true(data[0]->matrix.sparse);
    assert_same_data(data[0], data[1]);
    data_free(data[1]);
    data_free(data[0]);
}

static void test_many_values(void **state) {
    (void)state;
    struct text text = {0};
    for (size_t n = 999; n <= 1001; n++) {
        text.length = 0;
        text_puts(&ctx, &text, "@relation r\n@attribute x {v0");
        for (size_t i = 1; i < n; i++) text_printf(&ctx, &text, ",v%zu", i);
        text_puts(&ctx, &text, "}\n@attribute class {p}\n@data\nv1,p\n");
        put_bytes("rows.arff", text.bytes, text.length);
        if (n > 1000) {
            assert_refused("rows.arff", NULL, NULL, true, (struct refusal){2, 12, "1000"});
        } else {
            sepal_data *data = must_read("rows.arff", NULL);
            assert_int_equal(data->matrix.cols, n);
            data_free(data);
        }
    }
    text_clear(&text);
}

/* Cells that are kept, of the model or not, are there though a sparse row leaves them out. */
static void test_kept_cells(void **state) {
    (void)state;
    put("train.csv", "a,b,class\n1,2,p\n3,4,q\n");
    put("rows.arff", "@relation r\n@attribute z real\n@attribute a real\n@attribute b real\n"
                     "@data\n{0 7, 1 1, 2 2}\n{2 5}\n");
    sepal_data *training = must_read("train.csv", NULL);
    sepal_data *data = must_read_for("rows.arff", "keep=\"z,a\"", training, false);
    static const char *const kept[] = {"7,1", "0,0"};
    static const double numbers[][2] = {{1, 2}, {0, 5}};
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(data->kept[i], kept[i]);
        for (size_t j = 0; j < 2; j++) assert_true(number_at(data, i, j) == numbers[i][j]);
    }
    data_free(data);
    data_free(training);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_same_rows, fresh, clean),
        cmocka_unit_test_setup_teardown(test_values, fresh, clean),
        cmocka_unit_test_setup_teardown(test_missing_values, fresh, clean),
        cmocka_unit_test_setup_teardown(test_headers, fresh, clean),
        cmocka_unit_test_setup_teardown(test_detection, fresh, clean),
        cmocka_unit_test_setup_teardown(test_refusals, fresh, clean),
        cmocka_unit_test_setup_teardown(test_refused_headers, fresh, clean),
        cmocka_unit_test_setup_teardown(test_sparse_odds, fresh, clean),
        cmocka_unit_test_setup_teardown(test_sparse_rows_for_a_model, fresh, clean),
        cmocka_unit_test_setup_teardown(test_kept_cells, fresh, clean),
        cmocka_unit_test_setup_teardown(test_many_values, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
