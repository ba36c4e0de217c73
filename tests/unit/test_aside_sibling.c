/* The label file that belongs to an npy or idx file, by its name. */
#include "io/labels_file.h"

#include "unit/array_files.h"

#include <sys/stat.h>
#include <unistd.h>

static size_t injections;

static void test_siblings(void **state) {
    (void)state;
    static const struct {
        const char *data, *sibling;
    } pairs[] = {
        {"train-images-idx3-ubyte", "train-labels-idx1-ubyte"},
        {"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte"},
        {"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"},
        {"train-images-idx3-ubyte", "train-labels-idx1-ubyte.xz"},
        {"t10k-images.idx3-ubyte", "t10k-labels.idx1-ubyte"},
        {"images/emnist-images-idx2.xz", "images/emnist-labels-idx1.zst"},
        {"images/images-idx3-ubyte", "images/labels-idx1-ubyte.bz2"},
        {"images-b-images-idx3.idx", "images-b-labels-idx1.idx"},
        {"b-images-idx3-images.idx", "b-labels-idx1-images.idx"},
        {"train-images-idx3-ubyte", "train-images-idx3-ubyte.labels.idx"},
        {"a.npy", "a.labels.npy"},
        {"a.npy", "a.labels.idx"},
        {"a.npy", "a.labels.txt"},
        {"a.npy.gz", "a.labels.npy.bz2"},
        {"a.NPY", "a.labels.txt.gz"},
        {"images/b.c.idx", "images/b.c.labels.idx"},
        {"images/b.c.idx", "images/b.c.labels.npy"},
        {"plain", "plain.labels.txt"},
        {"images/idx3.npy", "images/idx3.labels.npy"},
    };
    assert_int_equal(mkdir("images", 0777), 0);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *found;
        put(pairs[i].sibling, "1\n");
        assert_int_equal(labels_file_sibling(&found, &ctx, pairs[i].data), SEPAL_OK);
        assert_non_null(found);
        assert_string_equal(found, pairs[i].sibling);
        mem_free(found);
        assert_int_equal(unlink(pairs[i].sibling), 0);
        assert_int_equal(labels_file_sibling(&found, &ctx, pairs[i].data), SEPAL_OK);
        assert_null(found);
    }
}

/* Directories, and names that only look alike. */
static void test_no_sibling(void **state) {
    (void)state;
    static const char *const none[] = {
        "-", "a.npy", "images.npy", "train-images-idx1", "images-idx", "images-idxs"};
    assert_int_equal(mkdir("a.labels.npy", 0777), 0);
    put("labels.npy", "");
    put("train-labels-idx1", "");
    put("labels-idx1", "");
    put("-.labels.npy", "");
    char *found;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_int_equal(labels_file_sibling(&found, &ctx, none[i]), SEPAL_OK);
        assert_null(found);
    }
}

static void test_order(void **state) {
    (void)state;
    char *found;
    put("c.labels.npy", "");
    put("c.labels.idx", "");
    put("c.labels.txt", "");
    put("c.labels.npy.gz", "");
    assert_int_equal(labels_file_sibling(&found, &ctx, "c.npy"), SEPAL_OK);
    assert_string_equal(found, "c.labels.npy");
    mem_free(found);
    assert_int_equal(labels_file_sibling(&found, &ctx, "c.idx"), SEPAL_OK);
    assert_string_equal(found, "c.labels.idx");
    mem_free(found);
}

static void test_faults(void **state) {
    (void)state;
    put("d.labels.txt.bz2", "");
    for (size_t k = 1;; k++) {
        char *found;
        let_fail(FAULT_ALLOC, k, k % 2);
        sepal_status status = labels_file_sibling(&found, &ctx, "d.npy");
        bool hit = atomic_load(&ctx.faults[FAULT_ALLOC].calls) >= k;
        let_fail(FAULT_ALLOC, 0, false);
        assert_int_equal(status, hit ? SEPAL_EMEMORY : SEPAL_OK);
        if (hit) assert_null(found);
        mem_free(found);
        if (!hit) break;
        injections++;
    }
    assert_true(injections > 0);
}

static int say_counts(void **state) {
    (void)state;
    printf("COUNT injection-points %zu 0\n", injections);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_siblings, fresh, clean),
        cmocka_unit_test_setup_teardown(test_no_sibling, fresh, clean),
        cmocka_unit_test_setup_teardown(test_order, fresh, clean),
        cmocka_unit_test_setup_teardown(test_faults, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, say_counts);
}
