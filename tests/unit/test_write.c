/* Files of text to the byte, what no format can hold, and files that appear whole or not at all. */
#include "io/format.h"
#include "unit/write_fixture.h"

#include <dirent.h>
#include <sys/stat.h>

/* ---- to the byte -------------------------------------------------------------------------- */

static const char small[] = "a,b c,w,class\n1,-0.5,1,x\n0,1e-7,2.5,\"y, z\"\n1e300,0,1,x\n";

static void test_tables(void **state) {
    (void)state;
    convert("small.csv", small, "out.csv", "weight=w");
    assert_text("out.csv", "a,\"b c\",w,class\n1,-0.5,1,x\n0,1e-7,2.5,\"y, z\"\n1e+300,0,1,x\n");
    convert("small.csv", small, "out.tsv", "weight=w");
    assert_text("out.tsv",
                "a\t\"b c\"\tw\tclass\n1\t-0.5\t1\tx\n0\t1e-7\t2.5\t\"y, z\"\n1e+300\t0\t1\tx\n");
}

static void test_libsvm(void **state) {
    (void)state;
    convert("small.csv", "a,b,c,class\n1,-0.5,0,2\n0,1e-7,0,1\n", "out.svm", NULL);
    assert_text("out.svm", "2 1:1 2:-0.5 3:0\n1 2:1e-7\n"); /* c is there, and has no entry */
    convert("zero.svm", "a 1:3\nb 0:0 2:4\n", "out.svm", NULL);
    assert_text("out.svm", "a 0:0 1:3\nb 2:4\n");
    convert("sets.svm", "1,3 1:2\n 1:1\n", "out.svm", NULL);
    assert_text("out.svm", "1,3 1:2\n 1:1\n");
}

static void test_arff(void **state) {
    (void)state;
    convert("small.csv", small, "out.arff", "weight=w");
    assert_text("out.arff", "@relation sepal\n"
                            "@attribute a numeric\n"
                            "@attribute 'b c' numeric\n"
                            "@attribute w numeric\n"
                            "@attribute class {x,'y, z'}\n"
                            "@data\n"
                            "1,-0.5,1,x\n"
                            "0,1e-7,2.5,'y, z'\n"
                            "1e+300,0,1,x\n");
}

/* Sparse rows have every label written, that of the first class too. */
static void test_sparse_arff(void **state) {
    (void)state;
    convert("wide.svm", "2 1:1 33:2.5\n-1\n-1 40:1e-5\n", "out.arff", NULL);
    size_t n;
    const char *text = bytes_of("out.arff", &n);
    static const char end[] = "@attribute x40 numeric\n@attribute class {-1,2}\n@data\n"
                              "{0 1,32 2.5,40 2}\n{40 -1}\n{39 0.00001,40 -1}\n";
    assert_string_equal(text + n - (sizeof end - 1), end);
}

static void test_sparse_arff_with_weights(void **state) {
    (void)state;
    struct text table = {0};
    for (int j = 0; j < 40; j++) text_printf(&ctx, &table, "x%d,", j + 1);
    text_puts(&ctx, &table, "w,y\n");
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 40; j++) text_puts(&ctx, &table, i && j == 7 ? "3," : "0,");
        text_puts(&ctx, &table, i ? "0.5,b\n" : "2,a\n");
    }
    convert("wide.csv", table.bytes, "out.arff", "weight=w");
    text_clear(&table);
    size_t n;
    const char *text = bytes_of("out.arff", &n);
    static const char end[] = "@attribute w numeric\n@attribute y {a,b}\n@data\n"
                              "{40 2,41 a}\n{7 3,40 0.5,41 b}\n";
    assert_string_equal(text + n - (sizeof end - 1), end);
}

static void test_arff_quotes(void **state) {
    (void)state;
    static const struct {
        const char *label, *written;
    } cases[] = {
        {"plain", "plain"},
        {"a_b.c-d9", "a_b.c-d9"},
        {"_x", "_x"},
        {"9lives", "'9lives'"},
        {"-x", "'-x'"},
        {".x", "'.x'"},
        {"a b", "'a b'"},
        {" a ", "' a '"},
        {"a,b", "'a,b'"},
        {"{a}", "'{a}'"},
        {"%a", "'%a'"},
        {"a%", "'a%'"},
        {"a?", "'a?'"},
        {"it's", "'it\\'s'"},
        {"\"a\"", "'\"a\"'"},
        {"a\\", "'a\\\\'"},
        {"\\'", "'\\\\\\''"},
        {"a\tb", "'a\tb'"},
        {"a\nb\r", "'a\\nb\\r'"},
        {"caf\xC3\xA9", "'caf\xC3\xA9'"},
        {"1e5", "1e5"},
        {"+1", "+1"},
        {"@data", "'@data'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *labels[] = {cases[i].label, "zz"};
        sepal_data *data = data_with_labels(labels, 2);
        must_write(data, "out.arff", NULL);
        data_free(data);
        char wanted[64];
        size_t n;
        snprintf(wanted, sizeof wanted, "\n@data\n1,%s\n2,zz\n", cases[i].written);
        const char *text = bytes_of("out.arff", &n), *found = strstr(text, "\n@data\n");
        assert_non_null(found);
        assert_string_equal(found, wanted);
    }
}

/* A class that no row has is not declared; one the model does not know is. */
static void test_labels_that_occur(void **state) {
    (void)state;
    static const char *const labels[] = {"a", "b", "c"};
    static const size_t rows[] = {2, 0};
    sepal_data *data = data_with_labels(labels, 3), *part;
    assert_int_equal(data_select(&part, &ctx, data, rows, 2), SEPAL_OK);
    must_write(part, "out.arff", NULL);
    assert_text(
        "out.arff",
        "@relation sepal\n@attribute x1 numeric\n@attribute class {a,c}\n@data\n3,c\n1,a\n");
    data_free(part);
    put("new.csv", "x1,y\n5,q\n6,b\n");
    part = must_read_for("new.csv", NULL, data, true);
    must_write(part, "out.arff", NULL);
    assert_text(
        "out.arff",
        "@relation sepal\n@attribute x1 numeric\n@attribute class {b,q}\n@data\n5,q\n6,b\n");
    data_free(part);
    data_free(data);
}

/* ---- names -------------------------------------------------------------------------------- */

static void test_names(void **state) {
    (void)state;
    static const struct {
        const char *text, *options, *header;
    } cases[] = {
        {"1,NA,z\n5,6,p\n", "header=yes", "x1,xNA,z\n"},
        {"\"a\"\"b\",\"c,d\",z\n5,6,p\n", NULL, "\"a\"\"b\",\"c,d\",z\n"},
        {"label,z,y\n5,6,p\n", "weight=label, target=y", "z,weight,y\n"},
        {"2,z,y\n5,6,p\n", "weight=2, target=y, header=yes", "z,weight,y\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        convert("names.csv", cases[i].text, "out.csv", cases[i].options);
        size_t n;
        const char *text = bytes_of("out.csv", &n);
        assert_true(n > strlen(cases[i].header));
        assert_memory_equal(text, cases[i].header, strlen(cases[i].header));
    }
}

static void test_names_that_clash(void **state) {
    (void)state;
    static const struct {
        const char *text, *options, *message;
    } cases[] = {
        {"Class,z\n5,p\n", "target=z", "by which the label column is found"},
        {"NA,xNA,z\n5,6,p\n", "header=yes", "two columns"},
    };
    static const char *const formats[] = {"csv", "tsv", "arff"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put("names.csv", cases[i].text);
        sepal_data *data = must_read("names.csv", cases[i].options);
        for (size_t f = 0; f < 3; f++) {
            assert_int_equal(data_write(&ctx, data, "none", formats[f]), SEPAL_EDATA);
            assert_non_null(strstr(ctx.error.message, cases[i].message));
            assert_false(exists("none"));
        }
        data_free(data);
    }
}

/* ---- what cannot be written --------------------------------------------------------------- */

static void test_labels_that_cannot_stand(void **state) {
    (void)state;
    /* formats in the order of the table: csv tsv libsvm arff npy idx; x: refused */
    static const struct {
        const char *label, *refused;
    } cases[] = {
        {"plain", "......"},    {"a b", "..x..."},  {"a,b", "..x..."},    {"a:b", "..x..."},
        {"#a", "..x..."},       {"a\tb", "..x.xx"}, {"a\nb", "..x.xx"},   {"a\rb", "..x.xx"},
        {" a", "..x.xx"},       {"a ", "..x.xx"},   {"a\001b", "xxxxxx"}, {"a\177", "xxxxxx"},
        {"\xC2\xA0", "......"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *labels[] = {cases[i].label, "zz"};
        sepal_data *data = data_with_labels(labels, 2);
        for (const struct format *const *row = format_table; *row; row++) {
            bool refused = cases[i].refused[row - format_table] == 'x';
            sepal_status status = data_write(&ctx, data, "out", (*row)->name);
            if (status != (refused ? SEPAL_EDATA : SEPAL_OK))
                fail_msg("label %zu as %s: status %d", i, (*row)->name, (int)status);
            if (refused) assert_non_null(strstr(ctx.error.message, "label '"));
            assert_true(exists("out") != refused);
            remove("out");
            remove("out.labels.npy");
            remove("out.labels.txt");
        }
        data_free(data);
    }
}

static void test_label_sets(void **state) {
    (void)state;
    put("sets.svm", "1,3 1:2\n2 1:1\n");
    sepal_data *data = must_read("sets.svm", NULL);
    for (const struct format *const *row = format_table; *row; row++) {
        bool refused = (*row)->family != FAMILY_INDEXED;
        assert_int_equal(data_write(&ctx, data, "out", (*row)->name),
                         refused ? SEPAL_EDATA : SEPAL_OK);
        if (refused) assert_non_null(strstr(ctx.error.message, "use libsvm"));
        assert_true(exists("out") != refused);
        remove("out");
    }
    data_free(data);
}

static void test_too_many_cells(void **state) {
    (void)state;
    put("wide.svm", "x 1:2\ny 2147483647:3\n");
    sepal_data *data = must_read("wide.svm", NULL);
    for (const struct format *const *row = format_table; *row; row++) {
        if ((*row)->family == FAMILY_INDEXED) continue;
        assert_int_equal(data_write(&ctx, data, "out", (*row)->name), SEPAL_EDATA);
        assert_non_null(strstr(ctx.error.message, "too large to write"));
        assert_false(exists("out"));
    }
    data_free(data);
}

static void test_unknown_formats(void **state) {
    (void)state;
    static const char *const one[] = {"a"};
    sepal_data *data = data_with_labels(one, 1);
    assert_int_equal(data_write(&ctx, data, "out.xls", NULL), SEPAL_EUSAGE);
    assert_non_null(strstr(ctx.error.message, "--to csv, tsv, libsvm, arff, npy or idx"));
    assert_int_equal(data_write(&ctx, data, "out.csv", "xls"), SEPAL_EUSAGE);
    data_free(data);
}

static void test_weights_lost(void **state) {
    (void)state;
    put("small.csv", small);
    sepal_data *data = must_read("small.csv", "weight=w, drop=class, target=a");
    for (const struct format *const *row = format_table; *row; row++) {
        bool lost = (*row)->family == FAMILY_INDEXED || (*row)->array;
        forget_warnings();
        must_write(data, "out", (*row)->name);
        assert_true(warned("weights-lost") == lost);
    }
    data_free(data);
}

/* ---- whole or not at all ------------------------------------------------------------------ */

static void let_fail(enum fault_kind kind, size_t at, bool from_then_on) {
    ctx.faults[kind].fail_at = at;
    ctx.faults[kind].from_then_on = from_then_on;
    atomic_store(&ctx.faults[kind].calls, 0);
}

static size_t files_in(const char *folder) {
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    size_t n = 0;
    for (const struct dirent *entry; (entry = readdir(directory));) n += *entry->d_name != '.';
    closedir(directory);
    return n;
}

static bool holds(const char *path, const char *wanted) {
    size_t n;
    return strcmp(bytes_of(path, &n), wanted) == 0;
}

/* One call after the other fails, on a disk with old files and on an empty one. Whatever call it is,
   old and new files are whole, and what is new is gone unless its directory could not be synced. */
static void test_faults(void **state) {
    (void)state;
    static const char *const labels[] = {"b", "a", "b"};
    sepal_data *data = data_with_labels(labels, 3);
    size_t open_before = files_in("/proc/self/fd"), points = 0;
    mkdir("faults", 0777);
    for (const struct format *const *row = format_table; *row; row++)
        for (int kind = 0; kind < FAULT_KINDS; kind++)
            for (int run = 0; run < 4; run++) {
                bool old = run & 1, two = (*row)->array != NULL;
                const char *second = strcmp((*row)->name, "npy") == 0 ? "faults/out.labels.npy"
                                                                      : "faults/out.labels.txt";
                for (size_t k = 1;; k++) {
                    if (old) put("faults/out", "old");
                    if (old && two) put(second, "old");
                    let_fail((enum fault_kind)kind, k, run & 2);
                    sepal_status status = data_write(&ctx, data, "faults/out", (*row)->name);
                    bool hit = atomic_load(&ctx.faults[kind].calls) >= k;
                    let_fail((enum fault_kind)kind, 0, false);
                    assert_int_equal(status, !hit                  ? SEPAL_OK
                                             : kind == FAULT_ALLOC ? SEPAL_EMEMORY
                                                                   : SEPAL_EOUTPUT);
                    /* both files or neither; only a rename that fails after another leaves a
                       new file beside an old one */
                    size_t found = files_in("faults");
                    assert_true(found == (two ? 2 : 1) || (found == 0 && !old && hit));
                    if (found && kind == FAULT_ALLOC && hit) {
                        assert_true(old && holds("faults/out", "old"));
                        assert_true(!two || holds(second, "old"));
                    }
                    if (two && found && holds(second, "old"))
                        assert_true(holds("faults/out", "old"));
                    remove("faults/out");
                    remove(second);
                    if (!hit) break;
                    points++;
                    assert_true(k < 200);
                }
            }
    assert_int_equal(files_in("/proc/self/fd"), open_before);
    rmdir("faults");
    printf("COUNT injection-points %zu 0\n", points);
    data_free(data);
}

/* Data larger than the pieces in which it is passed on. */
static void test_pieces(void **state) {
    (void)state;
    enum { ROWS = 30000 };
    struct text wanted = {0};
    text_puts(&ctx, &wanted, "x1,class\n");
    double *numbers = mem_alloc(&ctx, ROWS, sizeof *numbers);
    const char **labels = mem_alloc(&ctx, ROWS, sizeof *labels);
    assert_true(numbers && labels);
    for (size_t i = 0; i < ROWS; i++) {
        numbers[i] = (double)i;
        labels[i] = i % 3 ? "no" : "yes";
        text_printf(&ctx, &wanted, "%zu,%s\n", i, labels[i]);
    }
    sepal_data *data;
    assert_int_equal(data_from_dense(&data, &ctx, numbers, ROWS, 1, labels, NULL), SEPAL_OK);
    must_write(data, "out.csv", NULL);
    assert_true(wanted.length > 3 << 16);
    assert_bytes("out.csv", wanted.bytes, wanted.length);
    data_free(data);
    text_clear(&wanted);
    mem_free(numbers);
    mem_free(labels);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_tables, fresh, clean),
        cmocka_unit_test_setup_teardown(test_libsvm, fresh, clean),
        cmocka_unit_test_setup_teardown(test_arff, fresh, clean),
        cmocka_unit_test_setup_teardown(test_sparse_arff, fresh, clean),
        cmocka_unit_test_setup_teardown(test_sparse_arff_with_weights, fresh, clean),
        cmocka_unit_test_setup_teardown(test_arff_quotes, fresh, clean),
        cmocka_unit_test_setup_teardown(test_labels_that_occur, fresh, clean),
        cmocka_unit_test_setup_teardown(test_names, fresh, clean),
        cmocka_unit_test_setup_teardown(test_names_that_clash, fresh, clean),
        cmocka_unit_test_setup_teardown(test_labels_that_cannot_stand, fresh, clean),
        cmocka_unit_test_setup_teardown(test_label_sets, fresh, clean),
        cmocka_unit_test_setup_teardown(test_too_many_cells, fresh, clean),
        cmocka_unit_test_setup_teardown(test_unknown_formats, fresh, clean),
        cmocka_unit_test_setup_teardown(test_weights_lost, fresh, clean),
        cmocka_unit_test_setup_teardown(test_faults, fresh, clean),
        cmocka_unit_test_setup_teardown(test_pieces, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
