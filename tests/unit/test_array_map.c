/* Large npy files that are used where they are: the same data, to the bit, as by a copy, whatever is in
   them; the same refusals; and the right data or an error when a call fails on the way. The copy is made
   by a header of another length, behind which doubles cannot be used as they lie. */
#include "unit/array_files.h"

#include "core/rng.h"

#include <math.h>
#include <unistd.h>

enum { COLS = 8, ROWS = 66000, CELLS = ROWS * COLS };
static double x[CELLS];

/* ---- files -------------------------------------------------------------------------------- */

static void put_doubles(const char *path, bool aligned, size_t cells) {
    struct bytes head = {0};
    char text[256];
    int n = snprintf(text, sizeof text,
                     "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", ROWS, COLS);
    while ((n + 11) % 64) text[n++] = ' ';
    if (!aligned) text[n++] = ' ';
    text[n++] = '\n';
    add_npy(&head, 1, text, (size_t)n);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(head.at, 1, head.n, file), head.n);
    assert_int_equal(fwrite(x, sizeof *x, cells, file), cells);
    assert_int_equal(fclose(file), 0);
}

static void put_labels(void) {
    FILE *file = fopen("y.txt", "wb");
    assert_non_null(file);
    for (size_t i = 0; i < ROWS; i++) fprintf(file, "%s\n", i % 3 ? "a" : "b");
    assert_int_equal(fclose(file), 0);
}

static void draw(uint64_t seed) {
    struct rng rng = rng_make(test_seed(seed), 1);
    for (size_t i = 0; i < CELLS; i++) x[i] = rng_unit(&rng) - 0.5;
}

static size_t borrowed(const sepal_data *data) {
    size_t n = 0;
    for (size_t b = 0; b < data->matrix.n_blocks; b++) n += data->matrix.blocks[b].borrowed;
    return n;
}

/* Both ways; how many blocks are where they were. */
static size_t same_data(const char *options) {
    put_doubles("mapped.npy", true, CELLS);
    put_doubles("copied.npy", false, CELLS);
    sepal_data *mapped = must_read("mapped.npy", options),
               *copied = must_read("copied.npy", options);
    assert_same_data(mapped, copied);
    assert_int_equal(mapped->matrix.nonzeros, copied->matrix.nonzeros);
    assert_int_equal(borrowed(copied), 0);
    sepal_data *for_model = must_read_for("mapped.npy", NULL, copied, false);
    if (for_model->matrix.rows == copied->matrix.rows && copied->matrix.cols == COLS)
        assert_same_matrix(&for_model->matrix, &copied->matrix);
    size_t n = borrowed(mapped), blocks = mapped->matrix.n_blocks;
    assert_true(n == 0 || borrowed(for_model) == n);
    data_free(for_model);
    data_free(mapped);
    data_free(copied);
    return n == blocks ? SIZE_MAX : n;
}

/* ---- laws --------------------------------------------------------------------------------- */

static void test_plain(void **state) {
    (void)state;
    draw(1);
    put_labels();
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        ctx.threads = threads;
        assert_int_equal(same_data("labels=y.txt"), SIZE_MAX);
    }
    unlink("mapped.npy"); /* a file without a name is as good */
}

/* Some blocks have to be as a copy would make them. */
static void test_blocks_of_their_own(void **state) {
    (void)state;
    draw(2);
    size_t height = matrix_block_rows(COLS), block = height * COLS;
    for (size_t i = 0; i < block; i++) x[3 * block + i] = (double)(float)x[3 * block + i];
    x[5 * block + 7] = -0.0;
    x[6 * block + 1] = 0;
    memset(x + 7 * block, 0, block * sizeof *x);
    size_t blocks = (ROWS + height - 1) / height;
    assert_int_equal(same_data("labels=y.txt"), blocks - 3);
}

/* Rows that have to be told of, columns that are no features: as ever. */
static void test_others(void **state) {
    (void)state;
    draw(3);
    assert_int_equal(same_data("labels=y.txt, missing=mean"), 0);
    assert_int_equal(same_data("labels=y.txt, drop=3"), 0);
    x[CELLS / 2] = NAN;
    assert_int_equal(same_data("labels=y.txt, missing=drop"), 0);
    for (size_t i = 0; i < ROWS; i++) x[i * COLS + COLS - 1] = (double)(i % 2);
    assert_int_equal(same_data("missing=drop"), 0);
}

static void refuse(const char *path, size_t line, size_t column, const char *words) {
    sepal_data *data;
    assert_int_equal(data_read(&data, &ctx, path, "labels=y.txt", NULL, true), SEPAL_EDATA);
    assert_null(data);
    assert_true(ctx.error.line == line && ctx.error.column == column);
    assert_non_null(strstr(ctx.error.message, words));
}

static void test_refusals(void **state) {
    (void)state;
    draw(4);
    x[1000 * COLS + 2] = -INFINITY;
    put_doubles("bad.npy", true, CELLS);
    refuse("bad.npy", 1001, 3, "infinite");
    x[1000 * COLS + 2] = NAN;
    put_doubles("bad.npy", true, CELLS);
    refuse("bad.npy", 1001, 3, "missing value");
    x[1000 * COLS + 2] = 0.1;
    put_doubles("bad.npy", true, CELLS - 1); /* the header promises more */
    sepal_data *data;
    assert_int_equal(data_read(&data, &ctx, "bad.npy", "labels=y.txt", NULL, true), SEPAL_EDATA);
    assert_non_null(strstr(ctx.error.message, "cut short"));
    put_doubles("bad.npy", true, CELLS);
    FILE *file = fopen("bad.npy", "ab");
    assert_true(file && fputs("12345678", file) >= 0 && fclose(file) == 0);
    assert_int_equal(data_read(&data, &ctx, "bad.npy", "labels=y.txt", NULL, true), SEPAL_EDATA);
    assert_non_null(strstr(ctx.error.message, "at its end"));
}

static void test_faults(void **state) {
    (void)state;
    draw(5);
    x[1] = -0.0;
    put_doubles("mapped.npy", true, CELLS);
    sepal_data *wanted = must_read("mapped.npy", "labels=y.txt"), *data;
    for (int kind = 0; kind < FAULT_KINDS; kind++) {
        size_t failures = 0, copies = 0;
        for (size_t k = 1;; k++) {
            ctx.faults[kind].fail_at = k;
            atomic_store(&ctx.faults[kind].calls, 0);
            sepal_status status = data_read(&data, &ctx, "mapped.npy", "labels=y.txt", NULL, true);
            bool hit = atomic_load(&ctx.faults[kind].calls) >= k;
            ctx.faults[kind].fail_at = 0;
            if (status == SEPAL_OK) {
                assert_same_data(wanted, data);
                copies += borrowed(data) == 0;
                data_free(data);
            } else {
                assert_int_equal(status, kind == FAULT_ALLOC ? SEPAL_EMEMORY : SEPAL_EDATA);
                assert_null(data);
                failures++;
            }
            if (!hit) break;
        }
        assert_true(failures >= 6);
        assert_int_equal(copies,
                         kind == FAULT_IO ? 2 : 0); /* neither measured nor mapped: copied */
    }
    data_free(wanted);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_plain, fresh, clean),
        cmocka_unit_test_setup_teardown(test_blocks_of_their_own, fresh, clean),
        cmocka_unit_test_setup_teardown(test_others, fresh, clean),
        cmocka_unit_test_setup_teardown(test_refusals, fresh, clean),
        cmocka_unit_test_setup_teardown(test_faults, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
