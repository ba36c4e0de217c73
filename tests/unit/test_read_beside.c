/* Labels and weights in files of their own, and lines that are left out: each law says that a file
   and its plain counterpart are read to the same bits. */
#include "read_fixture.h"

/* A table of a number with gaps, a text and a number, big enough for several chunks, in parts that
   can be put together in different ways. */
struct row {
    char cells[48];
    const char *label;
    unsigned weight;
    bool bad;
};

static const char *const colours[] = {"red", "green", "blue"};
static const char *const labels[] = {"yes", "no", "may be, or not"};

static struct row random_row(struct rng *rng, bool only_zero) {
    struct row row = {.weight = (unsigned)rng_below(rng, 4)};
    char number[32] = "";
    if (rng_below(rng, 5)) snprintf(number, sizeof number, "%.3f", rng_unit(rng) * 2000 - 1000);
    /* a category, and a label, that only rows of weight 0 have */
    const char *colour = row.weight ? colours[rng_below(rng, 3)] : only_zero ? "nowhere" : "red";
    snprintf(row.cells, sizeof row.cells, "%s,%s,%u", number, colour,
             (unsigned)rng_below(rng, 100));
    row.label = row.weight ? labels[rng_below(rng, 3)] : only_zero ? "?" : "yes";
    return row;
}

static struct row *random_rows(size_t n, uint64_t seed) {
    struct rng rng = rng_make(test_seed(seed), 3);
    struct row *rows = calloc(n, sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < n; i++) rows[i] = random_row(&rng, true);
    return rows;
}

enum part { CELLS = 1, WEIGHT = 2, LABEL = 4, WITHOUT_ZERO = 8, WITHOUT_BAD = 16, HEADER = 32 };

static void put_rows(const char *path, const struct row *rows, size_t n, int parts) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    if (parts & HEADER)
        fprintf(file, "a,colour,b%s%s\n", parts & WEIGHT ? ",w" : "",
                parts & LABEL ? ",class" : "");
    for (size_t i = 0; i < n; i++) {
        if ((parts & WITHOUT_ZERO && !rows[i].weight) || (parts & WITHOUT_BAD && rows[i].bad))
            continue;
        bool alone = !(parts & CELLS);
        if (parts & CELLS) fputs(rows[i].cells, file);
        if (parts & WEIGHT) fprintf(file, "%s%u", alone ? "" : ",", rows[i].weight);
        if (parts & LABEL) fprintf(file, alone ? "%s" : ",\"%s\"", rows[i].label);
        fputs("\n", file);
    }
    assert_int_equal(fclose(file), 0);
}

static void assert_reads_alike(const char *path, const char *options, const sepal_data *wanted) {
    for (size_t w = 0; w < N_WIDTHS; w++) {
        ctx.threads = widths[w];
        sepal_data *data = must_read(path, options);
        assert_same_data(wanted, data);
        data_free(data);
    }
}

static void test_labels_and_weights(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 7, 300, 120000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t n = sizes[s];
        struct row *rows = random_rows(n, s + 1);
        rows[0].weight = 1;
        rows[0].label = "no";
        snprintf(rows[0].cells, sizeof rows[0].cells, "1,red,5");
        put_rows("all.csv", rows, n, CELLS | WEIGHT | LABEL | HEADER);
        put_rows("left.csv", rows, n, CELLS | WEIGHT | LABEL | HEADER | WITHOUT_ZERO);
        put_rows("plain.csv", rows, n, CELLS | HEADER);
        put_rows("weighted.csv", rows, n, CELLS | WEIGHT | HEADER);
        put_rows("labelled.csv", rows, n, CELLS | LABEL | HEADER);
        put_rows("w.txt", rows, n, WEIGHT);
        put_rows("y.txt", rows, n, LABEL);
        static const char *const missing[] = {"mean", "indicator", "drop"};
        for (size_t m = 0; m < 3; m++) {
            char options[128];
            snprintf(options, sizeof options, "missing=%s, weight=w", missing[m]);
            sepal_data *wanted = must_read("left.csv", options);
            assert_reads_alike("all.csv", options, wanted);
            snprintf(options, sizeof options, "missing=%s, weight=w, labels=\"y.txt\"", missing[m]);
            assert_reads_alike("weighted.csv", options, wanted);
            snprintf(options, sizeof options, "missing=%s, weights=\"w.txt\", labels=\"y.txt\"",
                     missing[m]);
            assert_reads_alike("plain.csv", options, wanted);
            snprintf(options, sizeof options, "missing=%s, weights=\"w.txt\"", missing[m]);
            assert_reads_alike("labelled.csv", options, wanted);
            data_free(wanted);
        }
        free(rows);
    }
}

/* ---- LIBSVM ------------------------------------------------------------------------------- */

static void put_sparse(const char *path, size_t n, uint64_t seed, bool with_labels, bool all) {
    struct rng rng = rng_make(test_seed(seed), 5);
    FILE *file = fopen(path, "w"), *w = fopen("w.txt", "w"), *y = fopen("y.txt", "w");
    assert_true(file && w && y);
    for (size_t i = 0; i < n; i++) {
        unsigned weight = (unsigned)rng_below(&rng, 3), label = (unsigned)rng_below(&rng, 4);
        unsigned index = 1 + (unsigned)rng_below(&rng, 50), value = (unsigned)rng_below(&rng, 9);
        if (i == 0) weight = 1;
        fprintf(w, "%u\n", weight);
        fprintf(y, "%u\n", label);
        if (!all && !weight) continue;
        if (with_labels) fprintf(file, "%u", label);
        fprintf(file, " %u:%u.5 %s\n", index, value, weight ? "60:1" : "99:x");
    }
    assert_int_equal(fclose(file) | fclose(w) | fclose(y), 0);
}

static void test_sparse_rows_beside(void **state) {
    (void)state;
    static const size_t sizes[] = {2, 90, 200000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        put_sparse("left.svm", sizes[s], s, true, false);
        put_sparse("bare.svm", sizes[s], s, false, true);
        put_sparse("all.svm", sizes[s], s, true, true);
        sepal_data *wanted = must_read("left.svm", NULL);
        for (size_t w = 0; w < N_WIDTHS; w++) {
            ctx.threads = widths[w];
            sepal_data *with = must_read("all.svm", "weights=\"w.txt\"");
            sepal_data *without = must_read("bare.svm", "weights=\"w.txt\", labels=\"y.txt\"");
            assert_same_data(with, without);
            assert_same_matrix(&wanted->matrix, &with->matrix);
            assert_memory_equal(wanted->label, with->label,
                                wanted->matrix.rows * sizeof *wanted->label);
            data_free(with);
            data_free(without);
        }
        data_free(wanted);
    }
}

/* ---- bad lines ---------------------------------------------------------------------------- */

static const char *const bad_rows[] = {"1,red",    "1,red,2,3",   "1,\"red,2",    "x,red,2",
                                       "1,red,2e", "1,re\001d,2", "\"1\"x,red,2", ",red,1",
                                       "5,,5",     "1,red,nan"};
enum { N_BAD = sizeof bad_rows / sizeof *bad_rows };

static void test_bad_lines(void **state) {
    (void)state;
    static const size_t sizes[] = {3, 400, 150000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t n = sizes[s], bad = 0;
        struct rng rng = rng_make(test_seed(s), 7);
        struct row *rows = random_rows(n, s);
        for (size_t i = 0; i < n; i++) {
            snprintf(rows[i].cells, sizeof rows[i].cells, "%u,red,%u", (unsigned)i,
                     (unsigned)rng_below(&rng, 9));
            rows[i].label = labels[rng_below(&rng, 3)];
            rows[i].bad = i > 0 && rng_below(&rng, 20) == 0;
            bad += rows[i].bad;
            if (rows[i].bad)
                snprintf(rows[i].cells, sizeof rows[i].cells, "%s",
                         bad_rows[rng_below(&rng, N_BAD)]);
        }
        put_rows("dirty.csv", rows, n, CELLS | LABEL | HEADER);
        put_rows("clean.csv", rows, n, CELLS | LABEL | HEADER | WITHOUT_BAD);
        put_rows("bare.csv", rows, n, CELLS | HEADER);
        put_rows("y.txt", rows, n, LABEL);
        /* bad cells in every column of numbers: names are known by no column of numbers below them */
        sepal_data *wanted = must_read("clean.csv", NULL);
        assert_reads_alike("bare.csv", "bad-lines=skip, header=yes, labels=\"y.txt\"", wanted);
        forget_warnings();
        assert_reads_alike("dirty.csv", "bad-lines=skip, header=yes", wanted);
        assert_int_equal(warned("bad-lines"), bad > 0);
        size_t shown = 0; /* the first five, in whichever chunks they are */
        for (size_t i = 0; i < ctx.n_warnings; i++)
            shown += strcmp(ctx.warnings[i].code, "bad-line") == 0;
        assert_int_equal(shown, N_WIDTHS * (bad < 5 ? bad : 5));
        if (s == 0) assert_reads_alike("clean.csv", "bad-lines=skip", wanted);
        data_free(wanted);
        free(rows);
    }
}

static void test_bad_lines_are_shown(void **state) {
    (void)state;
    put("dirty.csv", "a,b,y\n1,2,p\n1,x,q\n,3,p\n1,2\n4,4,?\n5,5,q\n1,2,3,4\n7,x,q\n");
    sepal_data *data = must_read("dirty.csv", "bad-lines=skip");
    static const char *const shown[] = {
        "6 of 8 rows cannot be read and are left out; the first five:",
        "dirty.csv:3:3: 'x' is not a decimal number, and column 'b' holds numbers",
        "dirty.csv:4:1: missing value in column 'a'",
        "dirty.csv:5:4: this row has 2 cells",
        "dirty.csv:6:5: the label is missing here",
        "dirty.csv:8:7: this row has more than 3 cells"};
    assert_int_equal(data->matrix.rows, 2);
    assert_int_equal(ctx.n_warnings, 6);
    for (size_t i = 0; i < 6; i++)
        if (strncmp(ctx.warnings[i].message, shown[i], strlen(shown[i])) != 0)
            fail_msg("'%s' is not '%s'", ctx.warnings[i].message, shown[i]);
    data_free(data);
    /* for a model, too; a category that it has not seen is a bad line */
    sepal_data *training = must_read("dirty.csv", "bad-lines=skip");
    put("test.csv", "a,b,y\n1,2,p\n1,x,q\n9,9,q\n");
    sepal_data *test = must_read_for("test.csv", "bad-lines=skip", training, true);
    assert_int_equal(test->matrix.rows, 2);
    data_free(test);
    data_free(training);
}

/* A bad record may have several lines; one whose quotes are wrong ends with its line. */
static void test_bad_records(void **state) {
    (void)state;
    put("clean.csv", "a,b,y\n1,p,2\n4,q,3\n");
    put("long.csv", "a,b,y\n1,p,2\n7,\"x\ny,z\"\n4,q,3\n");
    put("open.csv", "a,b,y\n1,p,2\n7,\"x,1\n4,q,3\n");
    put("last.csv", "a,b,y\n1,p,2\n4,q,3\n5,\"r");
    sepal_data *wanted = must_read("clean.csv", NULL);
    assert_reads_alike("long.csv", "bad-lines=skip", wanted);
    assert_reads_alike("open.csv", "bad-lines=skip", wanted);
    assert_reads_alike("last.csv", "bad-lines=skip", wanted);
    data_free(wanted);
    /* whichever fault of the record is met first: here, for the model, an unseen category */
    put("two.csv", "a,b,y\nr,\"x,1\ns,\"q\",2\nt,u,3\n");
    sepal_data *training = must_read("two.csv", "bad-lines=skip");
    sepal_data *again = must_read_for("two.csv", "bad-lines=skip", training, true);
    assert_int_equal(training->matrix.rows, 2);
    assert_same_data(training, again);
    data_free(again);
    data_free(training);
}

/* What is missing in a row that goes later, for its text among numbers, makes no indicator. */
static void test_missing_in_a_bad_line(void **state) {
    (void)state;
    put("clean.csv", "a,b,y\n1,2,p\n4,3,q\n");
    put("dirty.csv", "a,b,y\n1,2,p\n,x,q\n4,3,q\n");
    sepal_data *wanted = must_read("clean.csv", NULL);
    assert_reads_alike("dirty.csv", "bad-lines=skip, missing=indicator", wanted);
    data_free(wanted);
}

static void test_bad_sparse_lines(void **state) {
    (void)state;
    put("dirty.svm", "1 1:2 3:4\n1 1:x\n 2:3\n2 0:1 5:\n2 2:1\n2 2:1 2:1\n? 9:1\n3 9:1 9\n# "
                     "\001\n1 7:1 # \002\n");
    put("clean.svm", "1 1:2 3:4\n2 2:1\n");
    sepal_data *wanted = must_read("clean.svm", NULL);
    assert_reads_alike("dirty.svm", "bad-lines=skip", wanted);
    assert_true(warned("bad-lines"));
    data_free(wanted);
    /* where rows have sets of labels, one without any is not bad */
    put("sets.svm", "1,2 1:2\n 2:3\n1 2:x\n");
    wanted = must_read("sets.svm", "bad-lines=skip");
    assert_int_equal(wanted->matrix.rows, 2);
    data_free(wanted);
}

static void test_refusals(void **state) {
    (void)state;
    put("x.csv", "a,b\n1,2\n3,4\n");
    put("two.txt", "p\nq\n");
    put("three.txt", "y\np\nq\n");
    put("gap.txt", "p\n\nq\n");
    put("zero.txt", "0\n0\n");
    put("minus.txt", "1\n-1\n");
    const struct {
        const char *options;
        sepal_status status;
        const char *file;
        size_t line;
        const char *words;
    } cases[] = {
        {"labels=\"three.txt\"", SEPAL_EDATA, "three.txt", 0, "3"},
        {"labels=\"gap.txt\"", SEPAL_EDATA, "gap.txt", 0, ""},
        {"labels=\"absent.txt\"", SEPAL_EDATA, "absent.txt", 0, "cannot open"},
        {"weights=\"zero.txt\", labels=\"two.txt\"", SEPAL_EDATA, "zero.txt", 0, "0"},
        {"weights=\"minus.txt\", labels=\"two.txt\"", SEPAL_EDATA, "minus.txt", 2, "-1"},
        {"weights=\"three.txt\", labels=\"two.txt\"", SEPAL_EDATA, "three.txt", 1, "y"},
        {"labels=\"two.txt\", target=a", SEPAL_EUSAGE, "", 0, "--target"},
        {"weights=\"two.txt\", weight=a", SEPAL_EUSAGE, "", 0, "--weight"},
        {"labels=\"-\", weights=\"-\"", SEPAL_EUSAGE, "", 0, "standard input"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sepal_data *data;
        ctx.error = (struct error){0};
        assert_int_equal(data_read(&data, &ctx, "x.csv", cases[i].options, NULL, true),
                         cases[i].status);
        assert_null(data);
        assert_string_equal(ctx.error.file, cases[i].file);
        if (cases[i].line) assert_int_equal(ctx.error.line, cases[i].line);
        if (!strstr(ctx.error.message, cases[i].words)) say_error(cases[i].options);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_labels_and_weights, fresh, clean),
        cmocka_unit_test_setup_teardown(test_sparse_rows_beside, fresh, clean),
        cmocka_unit_test_setup_teardown(test_bad_lines, fresh, clean),
        cmocka_unit_test_setup_teardown(test_bad_lines_are_shown, fresh, clean),
        cmocka_unit_test_setup_teardown(test_bad_records, fresh, clean),
        cmocka_unit_test_setup_teardown(test_missing_in_a_bad_line, fresh, clean),
        cmocka_unit_test_setup_teardown(test_bad_sparse_lines, fresh, clean),
        cmocka_unit_test_setup_teardown(test_refusals, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
