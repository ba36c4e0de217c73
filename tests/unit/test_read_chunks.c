/* Files of several chunks: whatever straddles the cuts, rows, numbers and the places of errors are
   the same at any number of threads. */
#include "unit/read_fixture.h"

enum { CHUNK = 1 << 20 }; /* the size of a chunk, io/chunks.c */
static const char path[] = "chunks.csv", rows_path[] = "chunks.svm";

/* A text that knows how many lines it has. */
struct lines {
    struct text text;
    size_t lines;
};

static void add(struct lines *lines, const char *bytes) {
    text_puts(&ctx, &lines->text, bytes);
    for (; *bytes; bytes++) lines->lines += *bytes == '\n';
}

static void pad(struct lines *lines, size_t n, char letter) {
    char some[64];
    memset(some, letter, sizeof some);
    for (size_t part; n; n -= part) {
        part = n < sizeof some ? n : sizeof some;
        text_add(&ctx, &lines->text, some, part);
    }
}

static void save(const char *name, struct lines *lines) {
    assert_false(lines->text.failed);
    put_bytes(name, lines->text.bytes, lines->text.length);
    text_clear(&lines->text);
}

/* ---- tables ------------------------------------------------------------------------------- */

static const char *const kinds[] = {"plain", "\"two\nlines\"", "\"say \"\"hi\"\", you\"",
                                    "\"cr\r\nlf\""};
static const char *const kind_names[] = {"cr\r\nlf", "plain", "say \"hi\", you", "two\nlines"};
static const size_t kind_order[] = {1, 3, 2, 0}; /* place of kinds[i] among the sorted names */

/* A row with its number, some category, and padding with line ends and delimiters in quotes. */
static void add_row(struct lines *lines, struct rng *rng, size_t row, const char *eol) {
    char number[32];
    snprintf(number, sizeof number, "%zu,", row);
    add(lines, number);
    if (rng_below(rng, 3) == 0) {
        add(lines, "\"");
        for (uint64_t k = rng_below(rng, 4); k-- > 0;) {
            pad(lines, (size_t)rng_below(rng, 700), 'q');
            add(lines, k % 2 ? "\n" : "\"\",\r\n");
        }
        add(lines, "\",");
    } else {
        pad(lines, (size_t)rng_below(rng, 1500), 'z');
        add(lines, ",");
    }
    add(lines, kinds[row % 4]);
    snprintf(number, sizeof number, ",%zu", row % 7);
    add(lines, number);
    add(lines, eol);
}

static size_t make_table(struct lines *lines, size_t bytes, const char *eol, uint64_t seed) {
    struct rng rng = rng_make(test_seed(seed), 1);
    size_t rows = 0;
    add(lines, "n,pad,kind,y");
    add(lines, eol);
    while (lines->text.length < bytes) {
        add_row(lines, &rng, rows++, eol);
        if (rng_below(&rng, 50) == 0) add(lines, eol); /* a blank line */
    }
    return rows;
}

static void check_table(const sepal_data *data, size_t rows) {
    assert_int_equal(data->matrix.rows, rows);
    assert_int_equal(data->matrix.cols, 5);
    for (size_t k = 0; k < 4; k++)
        assert_string_equal(data->schema->columns[1].categories[k], kind_names[k]);
    for (size_t i = 0; i < rows; i++) {
        assert_true(number_at(data, i, 0) == (double)i);
        for (size_t k = 0; k < 4; k++)
            assert_true(number_at(data, i, 1 + k) == (k == kind_order[i % 4]));
        assert_int_equal(data->label[i], i % 7);
    }
}

static void test_tables(void **state) {
    (void)state;
    static const char *const eols[] = {"\n", "\r\n"};
    for (size_t e = 0; e < 2; e++) {
        struct lines lines = {0};
        size_t rows = make_table(&lines, 3 * CHUNK + CHUNK / 3, eols[e], e);
        save(path, &lines);
        sepal_data *first = NULL;
        for (size_t w = 0; w < N_WIDTHS; w++) {
            ctx.threads = widths[w];
            sepal_data *data = must_read(path, "drop=pad");
            if (first)
                assert_same_data(first, data);
            else
                check_table(data, rows);
            if (first)
                data_free(data);
            else
                first = data;
        }
        data_free(first);
    }
}

/* Chunks of numbers alone before, behind or between chunks of text: the column is text as a whole, with
   the numbers as they are written, however the file comes. */
static void test_numbers_in_other_chunks(void **state) {
    (void)state;
    static const char *const texts[] = {"red", "\"1, or 2\"", "blue"}, *const numbers[] = {
                                                                           "7", "07", "7.0"};
    for (size_t numeric = 0; numeric < 4; numeric++) {
        struct lines lines = {0};
        size_t rows = 0;
        add(&lines, "a,pad,y\n");
        for (; lines.text.length < 4 * CHUNK; rows++) {
            bool number = lines.text.length / CHUNK == numeric;
            add(&lines, (number ? numbers : texts)[rows % 3]);
            add(&lines, ",");
            pad(&lines, 100, 'p');
            add(&lines, rows % 2 ? ",x\n" : ",y\n");
        }
        save(path, &lines);
        sepal_data *asked = must_read(path, "drop=pad, categorical=a");
        assert_int_equal(asked->matrix.cols, 6);
        for (size_t w = 0; w < N_WIDTHS; w++) {
            ctx.threads = widths[w];
            sepal_data *data = must_read(path, "drop=pad");
            assert_true(warned("numbers-in-text"));
            assert_int_equal(data->matrix.rows, rows);
            assert_same_data(asked, data);
            data_free(data);
            forget_warnings();
        }
        data_free(asked);
    }
}

/* The line end of a row falls on each of the bytes around the cut. */
static void test_cuts_around_a_line_end(void **state) {
    (void)state;
    static const char *const tails[] = {"\n", "\r\n", "\"\n", "\"\r\n"};
    for (size_t t = 0; t < 4; t++)
        for (size_t shift = 0; shift < 6; shift++) {
            struct lines lines = {0};
            bool quoted = tails[t][0] == '"';
            add(&lines, "y,pad\n0,");
            size_t header = 6; /* the header is taken before the first chunk */
            if (quoted) add(&lines, "\"\n");
            pad(&lines, header + CHUNK - 3 + shift - lines.text.length, 'p');
            add(&lines, tails[t]);
            add(&lines, "1,q\n2,r\n");
            save(path, &lines);
            sepal_data *data = must_read(path, "drop=pad, target=y");
            assert_int_equal(data->matrix.rows, 3);
            for (int32_t i = 0; i < 3; i++) assert_int_equal(data->label[i], i);
            data_free(data);
        }
}

/* The error of the lowest line is the one that is told, with its true place. */
static void test_places_in_tables(void **state) {
    (void)state;
    static const struct {
        const char *bad;
        size_t line, column; /* within the bad row */
        const char *message;
    } cases[] = {
        {"1,p\n", 0, 4, "this row has 2 cells"},
        {"1,p,q,3,5\n", 0, 9, "more than 4 cells"},
        {"1,\"p\nq\"r,s,3\n", 1, 3, "text after the closing quote"},
        {"1,\"p\n\n\",s,\n", 2, 5, "the label is missing"},
        {"1,p,q\001,3\n", 0, 6, "control character 0x01"},
        {"1,p,\xff,3\n", 0, 5, "not UTF-8"},
        {"one,p,plain,3\n", 0, 1, "'one' is not a decimal number"},
        {",p,plain,3\n", 0, 1, "missing value in column 'n'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lines lines = {0};
        struct rng rng = rng_make(test_seed(i), 2);
        size_t line = 0;
        add(&lines, "n,pad,kind,y\n");
        for (size_t row = 0; lines.text.length < 4 * CHUNK; row++) {
            add_row(&lines, &rng, row, "\n");
            if (row % 50 || lines.text.length < 2 * CHUNK + CHUNK / 9) continue;
            if (!line) line = lines.lines + 1;
            add(&lines, cases[i].bad);
        }
        save(path, &lines);
        for (size_t w = 0; w < N_WIDTHS; w++) {
            ctx.threads = widths[w];
            assert_refused(
                path, "drop=pad", NULL, true,
                (struct refusal){line + cases[i].line, cases[i].column, cases[i].message});
        }
    }
}

static void test_very_long_lines(void **state) {
    (void)state;
    struct lines lines = {0};
    add(&lines, "n,pad,y\n1,a,p\n2,");
    pad(&lines, 10 * (size_t)CHUNK, 'x');
    add(&lines, ",q\n3,\"");
    pad(&lines, 3 * (size_t)CHUNK, '\n');
    add(&lines, "\",p\n4,b,q\n");
    save(path, &lines);
    for (size_t w = 0; w < N_WIDTHS; w++) {
        ctx.threads = widths[w];
        sepal_data *data = must_read(path, "drop=pad");
        assert_int_equal(data->matrix.rows, 4);
        for (size_t i = 0; i < 4; i++) {
            assert_true(number_at(data, i, 0) == (double)(i + 1));
            assert_int_equal(data->label[i], i % 2);
        }
        data_free(data);
    }
}

/* Rows left out and cells carried along keep their order across chunks. */
static void test_weights_and_kept_cells(void **state) {
    (void)state;
    struct lines lines = {0};
    size_t rows = 0, kept = 0;
    add(&lines, "n,pad,w,y\n");
    for (; lines.text.length < 2 * CHUNK + CHUNK / 2; rows++) {
        char text[64];
        snprintf(text, sizeof text, "%zu,k%zu", rows, rows);
        add(&lines, text);
        pad(&lines, rows % 300, 'k');
        snprintf(text, sizeof text, ",%zu,%zu\n", rows % 3, rows % 2);
        add(&lines, text);
        kept += rows % 3 != 0;
    }
    save(path, &lines);
    sepal_data *training = must_read(path, "keep=pad, weight=w");
    assert_int_equal(training->matrix.rows, kept);
    for (size_t i = 0; i < kept; i++) {
        size_t row = i / 2 * 3 + 1 + i % 2;
        assert_true(number_at(training, i, 0) == (double)row);
        assert_true(training->weight[i] == (double)(row % 3));
        assert_int_equal(training->label[i], row % 2);
    }
    for (size_t w = 0; w < N_WIDTHS; w++) {
        ctx.threads = widths[w];
        sepal_data *data = must_read_for(path, "keep=pad", training, false);
        assert_int_equal(data->matrix.rows, rows);
        for (size_t i = 0; i < rows; i++) {
            char begin[32];
            int n = snprintf(begin, sizeof begin, "k%zu", i);
            assert_memory_equal(data->kept[i], begin, (size_t)n);
            assert_int_equal(strlen(data->kept[i]), (size_t)n + i % 300);
        }
        data_free(data);
    }
    data_free(training);
}

/* ---- LIBSVM ------------------------------------------------------------------------------- */

/* A chunk may be without rows, the first as well as others, and the rest has its weights. */
static void test_weights_behind_no_rows(void **state) {
    (void)state;
    struct lines lines = {0}, weights = {0};
    while (lines.text.length < CHUNK + CHUNK / 2) {
        add(&lines,
            lines.lines % 2 ? "1 1:1\n" : "# a long line that is no row, nor part of one\n");
        if (lines.lines % 2 == 0) add(&weights, "0\n");
    }
    add(&lines, "1 1:1\n2 1:2\n");
    add(&weights, "2\n3\n");
    save(rows_path, &lines);
    save("weights.txt", &weights);
    sepal_data *data = must_read(rows_path, "weights=weights.txt");
    assert_int_equal(data->matrix.rows, 2);
    assert_non_null(data->weight);
    assert_true(data->weight[0] == 2 && data->weight[1] == 3 && data->total_weight == 5);
    data_free(data);
}

static void add_entries(struct lines *lines, struct rng *rng, size_t row, const char *eol) {
    char text[64];
    snprintf(text, sizeof text, "%zu 1:%zu", row % 5, row + 1);
    add(lines, text);
    for (uint64_t k = 0, n = rng_below(rng, 60); k < n; k++) {
        snprintf(text, sizeof text, " %u:%s", (unsigned)(2 + k * 3), k % 2 ? "1" : "0.25");
        add(lines, text);
    }
    if (rng_below(rng, 9) == 0) {
        add(lines, " # ");
        pad(lines, (size_t)rng_below(rng, 3000), 'c');
    }
    add(lines, eol);
}

static void test_sparse_rows(void **state) {
    (void)state;
    static const char *const eols[] = {"\n", "\r\n"};
    for (size_t e = 0; e < 2; e++) {
        struct lines lines = {0};
        struct rng rng = rng_make(test_seed(e), 3);
        size_t rows = 0;
        for (; lines.text.length < 3 * CHUNK; rows++) add_entries(&lines, &rng, rows, eols[e]);
        add(&lines, "0 1:1 1000:1");
        save(rows_path, &lines);
        sepal_data *first = NULL;
        for (size_t w = 0; w < N_WIDTHS; w++) {
            ctx.threads = widths[w];
            sepal_data *data = must_read(rows_path, NULL);
            assert_true(data->matrix.sparse);
            assert_int_equal(data->matrix.rows, rows + 1);
            for (size_t i = 0; i < rows; i++) {
                assert_true(number_at(data, i, 0) == (double)(i + 1));
                assert_int_equal(data->label[i], i % 5);
            }
            if (first) {
                assert_same_data(first, data);
                data_free(data);
            } else {
                first = data;
            }
        }
        data_free(first);
    }
}

static void test_places_in_sparse_rows(void **state) {
    (void)state;
    static const struct {
        const char *bad;
        size_t column;
        const char *message;
    } cases[] = {
        {"1 1:1 2:x\n", 9, "not a decimal number"}, {"1 2:1 1:1 2:3\n", 11, "stands twice"},
        {"1:1\n", 1, "the label is missing"},       {"1 1:1 # \001\n", 9, "control character"},
        {"nan 1:1\n", 1, "the label is missing"},   {"1 2147483648:1\n", 3, "index above"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lines lines = {0};
        struct rng rng = rng_make(test_seed(i), 4);
        size_t line = 0;
        for (size_t row = 0; lines.text.length < 4 * CHUNK; row++) {
            add_entries(&lines, &rng, row, row % 2 ? "\n" : "\n\n");
            if (row % 50 || lines.text.length < 2 * CHUNK + CHUNK / 9) continue;
            if (!line) line = lines.lines + 1;
            add(&lines, cases[i].bad);
        }
        save(rows_path, &lines);
        for (size_t w = 0; w < N_WIDTHS; w++) {
            ctx.threads = widths[w];
            assert_refused(rows_path, NULL, NULL, true,
                           (struct refusal){line, cases[i].column, cases[i].message});
        }
    }
}

static void test_very_long_rows(void **state) {
    (void)state;
    enum { ENTRIES = 900000 };
    struct lines lines = {0};
    add(&lines, "1 1:1\n2");
    for (unsigned k = 1; k <= ENTRIES; k++) text_printf(&ctx, &lines.text, " %u:1.5", k);
    add(&lines, "\n3 # ");
    pad(&lines, 3 * (size_t)CHUNK, 'c');
    add(&lines, "\n4 2:1\n");
    assert_true(lines.text.length > 10 * (size_t)CHUNK);
    save(rows_path, &lines);
    for (size_t w = 0; w < 2; w++) {
        ctx.threads = widths[w];
        sepal_data *data = must_read(rows_path, NULL);
        assert_int_equal(data->matrix.rows, 4);
        assert_int_equal(data->matrix.cols, ENTRIES);
        assert_int_equal(data->matrix.nonzeros, ENTRIES + 2);
        assert_true(number_at(data, 1, ENTRIES - 1) == 1.5 && number_at(data, 3, 1) == 1);
        data_free(data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_tables, fresh, clean),
        cmocka_unit_test_setup_teardown(test_numbers_in_other_chunks, fresh, clean),
        cmocka_unit_test_setup_teardown(test_cuts_around_a_line_end, fresh, clean),
        cmocka_unit_test_setup_teardown(test_places_in_tables, fresh, clean),
        cmocka_unit_test_setup_teardown(test_very_long_lines, fresh, clean),
        cmocka_unit_test_setup_teardown(test_weights_and_kept_cells, fresh, clean),
        cmocka_unit_test_setup_teardown(test_weights_behind_no_rows, fresh, clean),
        cmocka_unit_test_setup_teardown(test_sparse_rows, fresh, clean),
        cmocka_unit_test_setup_teardown(test_places_in_sparse_rows, fresh, clean),
        cmocka_unit_test_setup_teardown(test_very_long_rows, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
