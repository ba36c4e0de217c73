/* Labels and weights in a file beside the data: text, npy and idx, good and bad, cut
   short, and with memory and disk giving out. */
#include "io/labels_file.h"

#include "unit/array_files.h"

#include <math.h>
#include <unistd.h>

static size_t truncations, flips, injections;

static const char path[] = "beside";

static void must_labels(struct labels_file *aside, const char *file) {
    if (labels_file_labels(aside, &ctx, file) != SEPAL_OK) say_error(file);
    assert_string_equal(aside->file, file);
    assert_false(aside->weights);
}

/* All labels of a file, "a|b|c". */
static void assert_labels(const char *file, const char *wanted) {
    struct labels_file aside;
    struct text all = {0};
    must_labels(&aside, file);
    for (size_t r = 0; r < aside.rows; r++) {
        struct slice text = aside.texts.items[aside.number[r]];
        if (r) text_puts(&ctx, &all, "|");
        text_add(&ctx, &all, text.bytes, text.length);
    }
    assert_string_equal(all.bytes ? all.bytes : "", wanted);
    text_clear(&all);
    labels_file_clear(&aside);
}

static void assert_error(size_t line, size_t column, const char *message) {
    assert_int_equal(ctx.error.status, SEPAL_EDATA);
    assert_string_equal(ctx.error.file, path);
    if (ctx.error.line != line || ctx.error.column != column || !strstr(ctx.error.message, message))
        fail_msg("%zu:%zu: '%s', not %zu:%zu: '%s'", ctx.error.line, ctx.error.column,
                 ctx.error.message, line, column, message);
}

static void put_file(const struct bytes *file) {
    put_bytes(path, file->at, file->n);
}

/* ---- text --------------------------------------------------------------------------------- */

static void test_lines(void **state) {
    (void)state;
    static const struct {
        const char *text, *wanted;
        size_t rows;
    } files[] = {
        {"", "", 0},
        {"\n\n\n", "", 0},
        {"\r\n \r\n", "", 0},
        {"\xef\xbb\xbf", "", 0},
        {"a\nb\nc\n", "a|b|c", 3},
        {"a\nb\nc", "a|b|c", 3},
        {"a\r\nb\r\nc\r\n", "a|b|c", 3},
        {"a\rb\rc\r", "a|b|c", 3},
        {"a\rb\rc", "a|b|c", 3},
        {"a\r", "a", 1},
        {"a\nb\r\nc", "a|b|c", 3},
        {"\xef\xbb\xbf"
         "a\nb\n\n \n\t\n\n",
         "a|b", 2},
        {"a\n\nb\n\n\nc\n\n", "a||b|||c", 6},
        {"\n\na\n", "||a", 3},
        {"  a b \t\n\tc,\"d\" \n'e'\n", "a b|c,\"d\"|'e'", 3},
        {"1\n1.0\n+1\n01\n", "1|1.0|+1|01", 4},
        {"?\nNA\n\ninf\nx\n", "?|NA||inf|x", 5},
        {"NUMPY\n", "NUMPY", 1},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct labels_file aside;
        put(path, files[i].text);
        assert_labels(path, files[i].wanted);
        must_labels(&aside, path);
        assert_int_equal(aside.rows, files[i].rows);
        assert_true(aside.lines);
        labels_file_clear(&aside);
    }
}

/* Files of some 200 KB, so that lines lie across the ends of the buffer. */
static void test_random_lines(void **state) {
    (void)state;
    static const char *const eols[] = {"\n", "\r\n", "\r"};
    struct rng rng = rng_make(test_seed(5), 1);
    enum { ROWS = 3000 };
    for (size_t round = 0; round < 12; round++) {
        static unsigned length[ROWS];
        struct text file = {0};
        if (round % 2) text_puts(&ctx, &file, "\xef\xbb\xbf");
        for (size_t r = 0; r < ROWS; r++) {
            length[r] =
                r % 5 && r < ROWS - 1 ? (unsigned)rng_below(&rng, 20) : 1 + (unsigned)r % 701;
            for (unsigned i = 0; i < length[r]; i++)
                text_puts(&ctx, &file, i % 2 ? "\xc3\xa9" : "x");
            if (rng_below(&rng, 4) == 0) text_puts(&ctx, &file, " \t");
            if (r < ROWS - 1 || round % 4 < 2) text_puts(&ctx, &file, eols[round % 3]);
        }
        put_bytes(path, file.bytes, file.length);
        assert_true(file.length > 3 * 65536);
        text_clear(&file);
        struct labels_file aside;
        must_labels(&aside, path);
        assert_int_equal(aside.rows, ROWS);
        for (size_t r = 0; r < ROWS; r++) {
            struct slice text = aside.texts.items[aside.number[r]];
            assert_int_equal(text.length, length[r] + length[r] / 2);
            assert_int_equal(labels_file_check_label(&ctx, &aside, r),
                             length[r] ? SEPAL_OK : SEPAL_EDATA);
            if (!length[r]) assert_error(r + 1, 1, "missing");
        }
        labels_file_clear(&aside);
    }
}

static void test_faulty_labels(void **state) {
    (void)state;
    static const char text[] = "a\n?\n\nnan\n-inf\n\xff\nb\x01\n\x7f\nN/A\nnull\ninfinity\nnap\n";
    static const char *const why[] = {NULL,
                                      "missing here: '?'",
                                      "missing here: ''",
                                      "missing here: 'nan'",
                                      "missing",
                                      "UTF-8",
                                      "control",
                                      "control",
                                      "missing",
                                      "missing",
                                      "missing",
                                      NULL};
    struct labels_file aside;
    put(path, text);
    must_labels(&aside, path);
    assert_int_equal(aside.rows, sizeof why / sizeof *why);
    for (size_t r = 0; r < aside.rows; r++) {
        assert_int_equal(labels_file_check_label(&ctx, &aside, r), why[r] ? SEPAL_EDATA : SEPAL_OK);
        if (why[r]) assert_error(r + 1, 1, why[r]);
    }
    labels_file_clear(&aside);
}

static void test_no_text(void **state) {
    (void)state;
    struct labels_file aside;
    put_bytes(path, "a\nb\0c\n", 6);
    assert_int_equal(labels_file_labels(&aside, &ctx, path), SEPAL_EDATA);
    assert_error(1, 1, "byte 0x00");
    put_bytes(path, "PK\3\4 and more", 13);
    assert_int_equal(labels_file_weights(&aside, &ctx, path), SEPAL_EDATA);
    assert_error(1, 1, "npz");
    unlink(path);
    assert_int_equal(labels_file_labels(&aside, &ctx, path), SEPAL_EDATA);
    assert_error(0, 0, "cannot open it");
    struct text longest = {0};
    text_puts(&ctx, &longest, "a\n\n");
    for (size_t i = 0; i < 65536; i++) text_puts(&ctx, &longest, "x");
    put_bytes(path, longest.bytes, longest.length);
    assert_int_equal(labels_file_labels(&aside, &ctx, path), SEPAL_OK);
    assert_int_equal(aside.rows, 3);
    labels_file_clear(&aside);
    text_puts(&ctx, &longest, "x");
    put_bytes(path, longest.bytes, longest.length);
    assert_int_equal(labels_file_labels(&aside, &ctx, path), SEPAL_EDATA);
    assert_error(3, 1, "more than 65536 bytes");
    text_clear(&longest);
}

/* ---- arrays ------------------------------------------------------------------------------- */

static void test_arrays(void **state) {
    (void)state;
    struct bytes file = {0};
    add_npy_header(&file, "<i8", false, "(3,)");
    add_word(&file, 7, 8, false);
    add_word(&file, (uint64_t)-7, 8, false);
    add_word(&file, 9007199254740993, 8, false);
    put_file(&file);
    assert_labels(path, "7|-7|9007199254740993");

    file.n = 0;
    add_npy_header(&file, ">f4", true, "(2, 1)");
    add_word(&file, 0x3fc00000, 4, true);
    add_word(&file, 0x7fc00000, 4, true);
    put_file(&file);
    assert_labels(path, "1.5|nan");

    file.n = 0;
    add_npy_header(&file, "|b1", false, "(2,)");
    add(&file, "\1\0", 2);
    put_file(&file);
    assert_labels(path, "1|0");

    file.n = 0;
    add_npy_header(&file, "|S3", false, "(4,)");
    add(&file, "a\0\0 b bcd\0\0\0", 12);
    put_file(&file);
    assert_labels(path, "a|b|bcd|");

    file.n = 0;
    add_npy_header(&file, "<U2", false, "(4,)");
    static const uint32_t characters[] = {0xe4, 0, 0, 0, 0xd800, 'x', 'y', 0};
    for (size_t i = 0; i < 8; i++) add_word(&file, characters[i], 4, false);
    put_file(&file);
    assert_labels(path, "\xc3\xa4||\xffx|y");
    struct labels_file aside;
    must_labels(&aside, path);
    assert_false(aside.lines);
    assert_int_equal(labels_file_check_label(&ctx, &aside, 0), SEPAL_OK);
    assert_int_equal(labels_file_check_label(&ctx, &aside, 1), SEPAL_EDATA);
    assert_error(2, 1, "missing");
    assert_int_equal(labels_file_check_label(&ctx, &aside, 2), SEPAL_EDATA);
    assert_error(3, 1, "UTF-8");
    labels_file_clear(&aside);

    static const uint32_t three[] = {3};
    file.n = 0;
    add_idx_header(&file, 8, 1, three);
    add(&file, "\5\0\377", 3);
    put_file(&file);
    assert_labels(path, "5|0|255");
}

/* More elements than the buffer holds, of a size that does not divide it. */
static void test_long_array(void **state) {
    (void)state;
    enum { ROWS = 50000, SIZE = 7 };
    struct bytes header = {0};
    struct text file = {0};
    add_npy_header(&header, "|S7", false, "(50000,)");
    text_add(&ctx, &file, header.at, header.n);
    for (unsigned r = 0; r < ROWS; r++) {
        char element[SIZE + 1] = {0};
        snprintf(element, sizeof element, "%u", r * r % 1009);
        text_add(&ctx, &file, element, SIZE);
    }
    put_bytes(path, file.bytes, file.length);
    text_clear(&file);
    struct labels_file aside;
    must_labels(&aside, path);
    assert_int_equal(aside.rows, ROWS);
    for (unsigned r = 0; r < ROWS; r++) {
        char element[SIZE + 1];
        snprintf(element, sizeof element, "%u", r * r % 1009);
        assert_true(slice_is(aside.texts.items[aside.number[r]], element));
    }
    labels_file_clear(&aside);
}

static void test_refused_arrays(void **state) {
    (void)state;
    static const struct {
        const char *descr, *shape, *message;
    } arrays[] = {
        {"<f8", "(2, 2)", "is it the data?"},
        {"<f8", "(1, 2)", "reshape(-1)"},
        {"|O", "(2,)", "pickled"},
        {"<f8", "(1099511627776,)", "8796093022208 bytes in all, and 16 bytes"},
        {"|S60000", "(9000000000,)", "and 16 bytes"},
        {"|S1000000", "(16,)", "1000000 bytes each"},
        {"|u1", "(15,)", "15 bytes in all, and 16 bytes"},
        {"|u1", "(0,)", "0 bytes in all, and 16 bytes"},
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        struct labels_file aside;
        struct bytes file = {0};
        add_npy_header(&file, arrays[i].descr, false, arrays[i].shape);
        add(&file, "0123456789abcdef", 16);
        put_file(&file);
        assert_int_equal(labels_file_labels(&aside, &ctx, path), SEPAL_EDATA);
        assert_error(1, ctx.error.column, arrays[i].message);
        assert_null(aside.number);
    }
}

/* ---- weights ------------------------------------------------------------------------------ */

static void test_weights(void **state) {
    (void)state;
    static const double wanted[] = {1, 0, 0, 2.5, 1e300};
    struct labels_file aside;
    put(path, "1\n0\n-0\n 2.5 \r\n1e300\n\n");
    assert_int_equal(labels_file_weights(&aside, &ctx, path), SEPAL_OK);
    assert_int_equal(aside.rows, 5);
    for (size_t r = 0; r < 5; r++)
        assert_true(aside.weight[r] == wanted[r] && !signbit(aside.weight[r]));
    labels_file_clear(&aside);

    struct bytes file = {0};
    add_npy_header(&file, "<f4", false, "(2,)");
    add_word(&file, 0x80000000, 4, false);
    add_word(&file, 0x3fc00000, 4, false);
    put_file(&file);
    assert_int_equal(labels_file_weights(&aside, &ctx, path), SEPAL_OK);
    assert_true(aside.rows == 2 && aside.weight[0] == 0 && aside.weight[1] == 1.5);
    assert_true(aside.weights && !aside.lines);
    labels_file_clear(&aside);
}

static void test_bad_weights(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t line, column;
        const char *message;
    } files[] = {
        {"weight\n1\n2\n", 1, 1, "'weight' is no weight"},
        {"weight\n1\n2\n", 1, 1, "if it is a header"},
        {"1\n-1\n", 2, 1, "'-1' is no weight"},
        {"1\n\n2\n", 2, 1, "'' is no weight"},
        {"1\n?\n", 2, 1, "'?'"},
        {"1\nnan\n", 2, 1, "'nan'"},
        {"1\ninf\n", 2, 1, "'inf'"},
        {"1\n1e999\n", 2, 1, "'1e999'"},
        {"1\n0x1\n", 2, 1, "'0x1'"},
        {"1\n1,5\n", 2, 1, "'1,5'"},
        {"1\n1 2\n", 2, 1, "'1 2'"},
        {"0\n0.0\n-0\n", 0, 0, "all 3 weights are 0"},
    };
    struct labels_file aside;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        put(path, files[i].text);
        assert_int_equal(labels_file_weights(&aside, &ctx, path), SEPAL_EDATA);
        assert_error(files[i].line, files[i].column, files[i].message);
        assert_null(aside.weight);
    }
    static const uint64_t bits[] = {0xbff0000000000000, 0x7ff0000000000000, 0x7ff8000000000000};
    static const char *const shown[] = {"'-1'", "'inf'", "'nan'"};
    for (size_t i = 0; i < 3; i++) {
        struct bytes file = {0};
        add_npy_header(&file, "<f8", false, "(3,)");
        for (size_t r = 0; r < 3; r++) add_word(&file, r == 1 ? bits[i] : 0, 8, false);
        put_file(&file);
        assert_int_equal(labels_file_weights(&aside, &ctx, path), SEPAL_EDATA);
        assert_error(2, 1, shown[i]);
    }
    struct bytes file = {0};
    add_npy_header(&file, "<U1", false, "(1,)");
    add_word(&file, '1', 4, false);
    put_file(&file);
    assert_int_equal(labels_file_weights(&aside, &ctx, path), SEPAL_EDATA);
    assert_error(1, 22, "weights are numbers");
}

/* ---- against the data --------------------------------------------------------------------- */

static void test_counts(void **state) {
    (void)state;
    struct labels_file aside;
    put(path, "class\na\nb\n");
    must_labels(&aside, path);
    assert_int_equal(labels_file_expect(&ctx, &aside, 3, "x.npy"), SEPAL_OK);
    assert_int_equal(labels_file_expect(&ctx, &aside, 2, "x.npy"), SEPAL_EDATA);
    assert_error(1, 1, "3 labels here, and x.npy has 2 rows; remove line 1, 'class'");
    assert_int_equal(labels_file_expect(&ctx, &aside, 4, "x.npy"), SEPAL_EDATA);
    assert_error(0, 0, "3 labels here, and x.npy has 4 rows; there must be one");
    labels_file_clear(&aside);
    put(path, "1\n2\n");
    assert_int_equal(labels_file_weights(&aside, &ctx, path), SEPAL_OK);
    assert_int_equal(labels_file_expect(&ctx, &aside, 1, "x.csv"), SEPAL_EDATA);
    assert_error(0, 0, "2 weights here, and x.csv has 1 rows");
    labels_file_clear(&aside);
    put(path, "");
    assert_int_equal(labels_file_weights(&aside, &ctx, path), SEPAL_OK);
    assert_int_equal(labels_file_expect(&ctx, &aside, 1, "x.csv"), SEPAL_EDATA);
    assert_error(0, 0, "0 weights here");
    labels_file_clear(&aside);
}

/* ---- damage and faults -------------------------------------------------------------------- */

static void make_small(struct bytes *file, int which) {
    static const uint32_t four[] = {4};
    *file = (struct bytes){0};
    if (which == 0) add_npy_header(file, "|S2", false, "(4,)");
    if (which == 1) add_idx_header(file, 11, 1, four);
    if (which == 2) add(file, "\xef\xbb\xbf", 3);
    add(file, which == 2 ? "12\n34\n\n5\n" : "12345678", which == 2 ? 9 : 8);
}

static void test_cut_and_flipped(void **state) {
    (void)state;
    for (int which = 0; which < 2; which++) {
        struct bytes file;
        struct labels_file aside;
        make_small(&file, which);
        size_t whole = file.n;
        for (file.n = 4; file.n < whole; file.n++, truncations++) {
            put_file(&file);
            assert_int_equal(labels_file_labels(&aside, &ctx, path), SEPAL_EDATA);
            assert_error(1, ctx.error.column, "cut short");
        }
        for (size_t i = 0; i < whole - 8; i++) {
            struct bytes flipped = file;
            flipped.at[i] = (char)(flipped.at[i] ^ 1 << i % 8);
            put_file(&flipped);
            flips++;
            if (labels_file_labels(&aside, &ctx, path) == SEPAL_OK) labels_file_clear(&aside);
        }
    }
}

static void test_faults(void **state) {
    (void)state;
    for (int which = 0; which < 3; which++) {
        struct bytes file;
        make_small(&file, which);
        put_file(&file);
        for (int weights = 0; weights < 2; weights++)
            for (int kind = 0; kind < FAULT_KINDS; kind++)
                for (size_t k = 1; weights ? which == 1 : true; k++) {
                    struct labels_file aside;
                    let_fail((enum fault_kind)kind, k, k % 2);
                    sepal_status status = weights ? labels_file_weights(&aside, &ctx, path)
                                                  : labels_file_labels(&aside, &ctx, path);
                    bool hit = atomic_load(&ctx.faults[kind].calls) >= k;
                    let_fail((enum fault_kind)kind, 0, false);
                    assert_int_equal(status, !hit                  ? SEPAL_OK
                                             : kind == FAULT_ALLOC ? SEPAL_EMEMORY
                                                                   : SEPAL_EDATA);
                    assert_int_equal(aside.rows, hit ? 0 : 4);
                    if (!hit) labels_file_clear(&aside);
                    if (!hit) break;
                    injections++;
                }
    }
    assert_true(injections > 30);
}

/* ---- packed files and pipes --------------------------------------------------------------- */

static void test_packed(void **state) {
    (void)state;
#ifdef SEPAL_WITH_ARCHIVE
    /* gzip -n of "a\nb\n" */
    static const char packed[] = "\x1f\x8b\x08\0\0\0\0\0\0\x03\x4b\xe4\x4a\xe2\x02\0"
                                 "\x97\x2a\x57\x18\x04\0\0\0";
    put_bytes(path, packed, sizeof packed - 1);
    assert_labels(path, "a|b");
#else
    skip();
#endif
}

static void test_stdin(void **state) {
    (void)state;
    struct labels_file aside;
    int ends[2], old = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "x\ny", 3), 3);
    close(ends[1]);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    close(ends[0]);
    sepal_status status = labels_file_labels(&aside, &ctx, "-");
    if (old >= 0) assert_int_equal(dup2(old, STDIN_FILENO), STDIN_FILENO);
    if (old >= 0) close(old);
    assert_int_equal(status, SEPAL_OK);
    assert_int_equal(aside.rows, 2);
    assert_string_equal(aside.file, "<stdin>");
    labels_file_clear(&aside);
}

static int say_counts(void **state) {
    (void)state;
    printf("COUNT truncations %zu 0\nCOUNT flips %zu 0\nCOUNT injection-points %zu 0\n",
           truncations, flips, injections);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_lines, fresh, clean),
        cmocka_unit_test_setup_teardown(test_random_lines, fresh, clean),
        cmocka_unit_test_setup_teardown(test_faulty_labels, fresh, clean),
        cmocka_unit_test_setup_teardown(test_no_text, fresh, clean),
        cmocka_unit_test_setup_teardown(test_arrays, fresh, clean),
        cmocka_unit_test_setup_teardown(test_long_array, fresh, clean),
        cmocka_unit_test_setup_teardown(test_refused_arrays, fresh, clean),
        cmocka_unit_test_setup_teardown(test_weights, fresh, clean),
        cmocka_unit_test_setup_teardown(test_bad_weights, fresh, clean),
        cmocka_unit_test_setup_teardown(test_counts, fresh, clean),
        cmocka_unit_test_setup_teardown(test_cut_and_flipped, fresh, clean),
        cmocka_unit_test_setup_teardown(test_faults, fresh, clean),
        cmocka_unit_test_setup_teardown(test_packed, fresh, clean),
        cmocka_unit_test_setup_teardown(test_stdin, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, say_counts);
}
