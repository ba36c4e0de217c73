/* What the tests of writing share: data sets from texts, written files as bytes. */
#ifndef SEPAL_TESTS_WRITE_FIXTURE_H
#define SEPAL_TESTS_WRITE_FIXTURE_H

#include "unit/read_fixture.h"

#include <unistd.h>

/* The whole file in a buffer that the next call uses again, a zero byte behind it. */
static inline const char *bytes_of(const char *path, size_t *size) {
    enum { MOST = 1 << 20 };
    static char bytes[MOST + 1];
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("there is no file %s", path);
    *size = fread(bytes, 1, MOST, file);
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

static inline void assert_bytes(const char *path, const char *wanted, size_t size) {
    size_t n;
    const char *bytes = bytes_of(path, &n);
    if (n != size || memcmp(bytes, wanted, n) != 0)
        fail_msg("%s: %zu bytes, not the %zu wanted: %s", path, n, size, bytes);
}

static inline void assert_text(const char *path, const char *wanted) {
    assert_bytes(path, wanted, strlen(wanted));
}

/* Rows of one column, 1 2 3 ..., with these labels. */
static inline sepal_data *data_with_labels(const char *const *labels, size_t n) {
    double numbers[64];
    sepal_data *data;
    assert_true(n <= 64);
    for (size_t i = 0; i < n; i++) numbers[i] = (double)(i + 1);
    assert_int_equal(data_from_dense(&data, &ctx, numbers, n, 1, labels, NULL), SEPAL_OK);
    return data;
}

static inline void must_write(const sepal_data *data, const char *path, const char *format) {
    if (data_write(&ctx, data, path, format) != SEPAL_OK) say_error(path);
}

/* The text is read as a file of that name and written to another. */
static inline void convert(const char *from, const char *text, const char *to,
                           const char *options) {
    put(from, text);
    sepal_data *data = must_read(from, options);
    must_write(data, to, NULL);
    data_free(data);
}

static inline bool exists(const char *path) {
    return access(path, F_OK) == 0;
}

#endif
