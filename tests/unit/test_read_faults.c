/* Reading when memory or the disk gives out at any moment, and compressed files, whole and
   damaged. */
#include "unit/read_fixture.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char table[] = "a;c;w;y;z\n1;red;1;p;7\n;blue;2;q;\n4;?;0;r;8\n5;\"x;\"\"y\";4;q;9\n";
static const char rows[] = "# head\n1,2 1:1 3:2.5\n3 qid:4 2:1 1:0.1\n 2:1\n";

static void let_fail(enum fault_kind kind, size_t at, bool from_then_on) {
    ctx.faults[kind].fail_at = at;
    ctx.faults[kind].from_then_on = from_then_on;
    atomic_store(&ctx.faults[kind].calls, 0);
}

/* Let call k fail, for every k: the right status or the right data, and all is well afterwards. */
static size_t fail_everywhere(const char *path, const char *options, const sepal_data *training,
                              bool with_labels, enum fault_kind kind) {
    const struct schema *schema = training ? training->schema : NULL;
    sepal_data *wanted, *data;
    assert_int_equal(data_read(&wanted, &ctx, path, options, schema, with_labels), SEPAL_OK);
    size_t failures = 0;
    for (int on = 0; on < 2; on++)
        for (size_t k = 1;; k++) {
            let_fail(kind, k, on);
            sepal_status status = data_read(&data, &ctx, path, options, schema, with_labels);
            bool hit = atomic_load(&ctx.faults[kind].calls) >= k;
            let_fail(kind, 0, false);
            if (status == SEPAL_OK) {
                assert_false(hit && kind == FAULT_IO); /* a lost read is not the end of the file */
                assert_same_data(wanted, data);
                data_free(data);
            } else {
                assert_int_equal(status, kind == FAULT_ALLOC ? SEPAL_EMEMORY : SEPAL_EDATA);
                assert_int_equal(ctx.error.status, status);
                assert_null(data);
                failures++;
            }
            if (!hit) break;
            assert_true(k < 2000);
        }
    assert_int_equal(data_read(&data, &ctx, path, options, schema, with_labels), SEPAL_OK);
    assert_same_data(wanted, data);
    data_free(data);
    data_free(wanted);
    return failures;
}

static void test_tables(void **state) {
    (void)state;
    static const char options[] = "missing=indicator, weight=w";
    put("table.csv", table);
    for (unsigned threads = 1; threads <= 2; threads++) {
        ctx.threads = threads;
        assert_true(fail_everywhere("table.csv", options, NULL, true, FAULT_ALLOC) > 80);
        assert_true(fail_everywhere("table.csv", options, NULL, true, FAULT_IO) >= 6);
        sepal_data *training = must_read("table.csv", options);
        static const char *const more[] = {NULL, "keep=\"c,z\", unknown=zero"};
        for (int labels = 0; labels < 2; labels++)
            for (size_t m = 0; m < 2; m++) {
                fail_everywhere("table.csv", more[m], training, labels, FAULT_ALLOC);
                fail_everywhere("table.csv", more[m], training, labels, FAULT_IO);
            }
        data_free(training);
    }
}

static void test_label_sets(void **state) {
    (void)state;
    static const struct {
        const char *path, *text, *options;
    } files[] = {{"bits.csv", "a,t,b,u\n1,0,2,1\n3,1,4,0\n5,1,6,1\n", "target=\"t,u\""},
                 {"tags.csv", "a,tags\n1,x;y\n2,\n3,y\n", "target=tags, label-separator=\";\""},
                 {"sets.svm", "1,3 1:2\n 2:1\n3 1:1 2:2\n", NULL},
                 {"sets.arff",
                  "@relation r\n@attribute a numeric\n@attribute t {0,1}\n@attribute u {0,1}\n"
                  "@data\n1,0,1\n2,1,1\n",
                  "target=2-3"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        put(files[i].path, files[i].text);
        assert_true(fail_everywhere(files[i].path, files[i].options, NULL, true, FAULT_ALLOC) > 20);
        sepal_data *training = must_read(files[i].path, files[i].options);
        assert_non_null(training->set_start);
        for (int labels = 0; labels < 2; labels++)
            fail_everywhere(files[i].path, NULL, training, labels, FAULT_ALLOC);
        data_free(training);
    }
}

/* Names of columns in a file of their own. */
static void test_named_columns(void **state) {
    (void)state;
    static const char options[] = "names=names.txt";
    put("named.csv", "1,x,p\n3,y,q\n2,x,p\n");
    put("names.txt", "a\ncolour\nkind\n");
    assert_true(fail_everywhere("named.csv", options, NULL, true, FAULT_ALLOC) > 20);
    assert_true(fail_everywhere("named.csv", options, NULL, true, FAULT_IO) >= 6);
    sepal_data *training = must_read("named.csv", options);
    for (int labels = 0; labels < 2; labels++)
        fail_everywhere("named.csv", options, training, labels, FAULT_ALLOC);
    data_free(training);
}

static void test_dropped_rows(void **state) {
    (void)state;
    put("table.csv", table);
    assert_true(fail_everywhere("table.csv", "missing=drop", NULL, true, FAULT_ALLOC) > 80);
    sepal_data *training = must_read("table.csv", "missing=drop");
    fail_everywhere("table.csv", NULL, training, false, FAULT_ALLOC);
    data_free(training);
}

static void test_sparse_rows(void **state) {
    (void)state;
    put("rows.svm", rows);
    for (unsigned threads = 1; threads <= 2; threads++) {
        ctx.threads = threads;
        assert_true(fail_everywhere("rows.svm", NULL, NULL, true, FAULT_ALLOC) > 40);
        assert_true(fail_everywhere("rows.svm", NULL, NULL, true, FAULT_IO) >= 6);
        sepal_data *training = must_read("rows.svm", "n-features=40");
        fail_everywhere("rows.svm", NULL, training, true, FAULT_ALLOC);
        fail_everywhere("rows.svm", NULL, training, false, FAULT_ALLOC);
        data_free(training);
    }
}

static void test_refused_files(void **state) {
    (void)state;
    static const char *const texts[] = {"a,b\n1,x\n2\n", "a,b\n1,x\n,y\n", "a,a\n1,2\n", "1 1:x\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *path = i == 3 ? "bad.svm" : "bad.csv";
        put(path, texts[i]);
        for (size_t k = 1; k < 60; k++) {
            sepal_data *data;
            let_fail(FAULT_ALLOC, k, k % 2);
            sepal_status status = data_read(&data, &ctx, path, NULL, NULL, true);
            assert_true(status == SEPAL_EMEMORY || status == SEPAL_EDATA);
            assert_null(data);
        }
        let_fail(FAULT_ALLOC, 0, false);
    }
}

static void test_writing(void **state) {
    (void)state;
    static const char *const formats[] = {"csv", "libsvm"};
    put("table.csv", table);
    sepal_data *data = must_read("table.csv", "missing=mean, weight=w");
    for (size_t f = 0; f < 2; f++)
        for (int kind = 0; kind < FAULT_KINDS; kind++)
            for (size_t k = 1;; k++) {
                put("out", "old");
                let_fail((enum fault_kind)kind, k, true);
                sepal_status status = data_write(&ctx, data, "out", formats[f]);
                bool hit = atomic_load(&ctx.faults[kind].calls) >= k;
                let_fail((enum fault_kind)kind, 0, false);
                assert_int_equal(status, !hit                  ? SEPAL_OK
                                         : kind == FAULT_ALLOC ? SEPAL_EMEMORY
                                                               : SEPAL_EOUTPUT);
                if (!hit) break;
            }
    data_free(data);
}

/* `count` lines of the parts that repeat `times`, with a label at the end. */
static void put_long(const char *path, const char *before, const char *part, size_t times,
                     size_t count) {
    struct text text = {0};
    text_puts(&ctx, &text, before);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < times; k++) text_puts(&ctx, &text, part);
        text_puts(&ctx, &text, i % 2 ? "p\n" : "q\n");
    }
    put_bytes(path, text.bytes, text.length);
    text_clear(&text);
}

#define LONG_NUMBER "1.50000000000000000000000000000000000000000000"
/* Longer than what is looked at before reading begins (64 KB), and than a chunk (1 MB), so that
   every step reads on. */
static void test_long_files(void **state) {
    (void)state;
    static const char head[] =
        "% top\n@relation r\n@attribute a numeric\n@attribute y {q,p}\n@data\n";
    char digits[30000] = "0.";
    memset(digits + 2, '3', sizeof digits - 4);
    strcpy(digits + sizeof digits - 2, ",");
    struct text notes = {0}; /* longer than that, before the header and behind it */
    for (size_t i = 0; i < 70; i++) text_printf(&ctx, &notes, "%% %01000zu\n", i);
    text_puts(&ctx, &notes, head);
    for (size_t i = 0; i < 1100; i++) text_printf(&ctx, &notes, "%% %01000zu", i);
    text_puts(&ctx, &notes, "\n");
    const struct {
        const char *path, *before, *part, *options;
        size_t times, count;
    } files[] = {{"top.csv", "top\n\na,b,y\n", "1.5,2,", "skip=1", 1, 20000},
                 {"top.arff", head, "1,", NULL, 1, 40000},
                 {"long.arff", notes.bytes, "1,", NULL, 1, 4},
                 {"top.svm", "# top\n", "1 1:0.5 #", "skip=2", 1, 20000},
                 {"wide.csv", "", digits, "header=no", 3, 4},
                 {"chunks.csv", "a,b,y\n", LONG_NUMBER ",2,", "quote=no", 1, 25000},
                 {"chunks.svm", "", "1 0:" LONG_NUMBER " #", NULL, 1, 25000}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        put_long(files[i].path, files[i].before, files[i].part, files[i].times, files[i].count);
        fail_everywhere(files[i].path, files[i].options, NULL, true, FAULT_ALLOC);
        fail_everywhere(files[i].path, files[i].options, NULL, true, FAULT_IO);
    }
    text_clear(&notes);
}

/* ---- compressed files --------------------------------------------------------------------- */

struct packer {
    const char *program, *extension;
};
static const struct packer packers[] = {
    {"gzip", ".gz"}, {"xz", ".xz"}, {"zstd", ".zst"}, {"bzip2", ".bz2"}};
enum { N_PACKERS = sizeof packers / sizeof *packers };

/* `program -c < from > to`; false when there is no such program. */
static bool pack(const char *program, const char *from, const char *to) {
    char *arguments[] = {(char *)(uintptr_t)program, (char *)(uintptr_t) "-c", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, from, O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, to, O_WRONLY | O_CREAT | O_TRUNC,
                                     0666);
    pid_t child;
    int failed = posix_spawnp(&child, program, &actions, NULL, arguments, environ), status = 1;
    posix_spawn_file_actions_destroy(&actions);
    return !failed && waitpid(child, &status, 0) == child && status == 0;
}

static void save_large_table(const char *path) {
    struct text text = {0};
    struct rng rng = rng_make(test_seed(1), 1);
    text_puts(&ctx, &text, "a,b,y\n");
    while (text.length < 1300000) {
        text_number(&ctx, &text, rng_unit(&rng));
        text_printf(&ctx, &text, ",%u,%u\n", (unsigned)rng_below(&rng, 1000),
                    (unsigned)rng_below(&rng, 3));
    }
    put_bytes(path, text.bytes, text.length);
    text_clear(&text);
}

static void check_packed(const char *path, const sepal_data *wanted) {
#ifdef SEPAL_WITH_ARCHIVE
    for (size_t w = 0; w < N_WIDTHS; w++) {
        ctx.threads = widths[w];
        sepal_data *data = must_read(path, NULL);
        assert_same_data(wanted, data);
        data_free(data);
    }
    struct stat facts;
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(truncate(path, facts.st_size * 3 / 4), 0);
    assert_refused(path, NULL, NULL, true, (struct refusal){0, 0, "cannot unpack it"});
    assert_int_equal(truncate(path, 9), 0);
    assert_refused(path, NULL, NULL, true, (struct refusal){0, 0, ""});
#else
    sepal_data *data;
    (void)wanted;
    assert_int_equal(data_read(&data, &ctx, path, NULL, NULL, true), SEPAL_EUSAGE);
    assert_true(strstr(ctx.error.message, "libarchive") || strstr(ctx.error.message, "zlib"));
#endif
}

static void test_compressed_files(void **state) {
    (void)state;
    size_t packed = 0;
    save_large_table("large.csv");
    sepal_data *wanted = must_read("large.csv", NULL);
    for (size_t p = 0; p < N_PACKERS; p++) {
        char path[32];
        snprintf(path, sizeof path, "large.csv%s", packers[p].extension);
        if (!pack(packers[p].program, "large.csv", path)) continue;
        packed++;
        check_packed(path, wanted);
    }
    data_free(wanted);
    if (!packed) skip();
}

/* The magic bytes tell, not the name; and small files meet every fault, also one whose end comes
   long after its beginning. */
static void test_small_compressed_files(void **state) {
    (void)state;
#ifndef SEPAL_WITH_ARCHIVE
    skip();
#endif
    size_t packed = 0;
    put("table.csv", table);
    put_long("long.csv", "a,y\n", "1,", 1, 100000);
    for (size_t p = 0; p < N_PACKERS; p++) {
        if (!pack(packers[p].program, "table.csv", "disguised.csv")) continue;
        packed++;
        assert_true(pack(packers[p].program, "long.csv", "disguised_long.csv"));
        fail_everywhere("disguised_long.csv", NULL, NULL, true, FAULT_IO);
        fail_everywhere("disguised.csv", "missing=mean", NULL, true, FAULT_IO);
        fail_everywhere("disguised.csv", "missing=mean", NULL, true, FAULT_ALLOC);
    }
    put("plain.csv.gz", "a,y\n1,p\n2,q\n"); /* not packed in spite of its name */
    sepal_data *data = must_read("plain.csv.gz", NULL);
    assert_int_equal(data->matrix.rows, 2);
    data_free(data);
    if (!packed) skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_tables, fresh, clean),
        cmocka_unit_test_setup_teardown(test_label_sets, fresh, clean),
        cmocka_unit_test_setup_teardown(test_named_columns, fresh, clean),
        cmocka_unit_test_setup_teardown(test_dropped_rows, fresh, clean),
        cmocka_unit_test_setup_teardown(test_sparse_rows, fresh, clean),
        cmocka_unit_test_setup_teardown(test_refused_files, fresh, clean),
        cmocka_unit_test_setup_teardown(test_long_files, fresh, clean),
        cmocka_unit_test_setup_teardown(test_writing, fresh, clean),
        cmocka_unit_test_setup_teardown(test_compressed_files, fresh, clean),
        cmocka_unit_test_setup_teardown(test_small_compressed_files, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
