/* What the tests of arrays share: npy and idx files made byte by byte, and faults at will. */
#ifndef SEPAL_TESTS_ARRAY_FILES_H
#define SEPAL_TESTS_ARRAY_FILES_H

#include "io/array.h"
#include "io/format.h"
#include "unit/read_fixture.h"

struct bytes {
    char at[4096];
    size_t n;
};

static inline void add(struct bytes *out, const void *bytes, size_t n) {
    assert_true(out->n + n <= sizeof out->at);
    memcpy(out->at + out->n, bytes, n);
    out->n += n;
}

static inline void add_word(struct bytes *out, uint64_t bits, size_t size, bool big_endian) {
    for (size_t i = 0; i < size; i++) {
        char byte = (char)(bits >> 8 * (big_endian ? size - 1 - i : i));
        add(out, &byte, 1);
    }
}

/* The dictionary as it is given, behind a preamble of that version; no padding. */
static inline void add_npy(struct bytes *out, int version, const char *dictionary, size_t length) {
    char start[2] = {(char)version, 0};
    add(out, "\x93NUMPY", 6);
    add(out, start, 2);
    add_word(out, length, version == 1 ? 2 : 4, false);
    add(out, dictionary, length);
}

/* As numpy.save writes it. */
static inline void add_npy_header(struct bytes *out, const char *descr, bool column_major,
                                  const char *shape) {
    char text[256];
    int n = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }",
                     descr, column_major ? "True" : "False", shape);
    while ((n + 11) % 64) text[n++] = ' ';
    text[n++] = '\n';
    add_npy(out, 1, text, (size_t)n);
}

static inline void add_idx_header(struct bytes *out, int type, size_t dims, const uint32_t *dim) {
    char start[4] = {0, 0, (char)type, (char)dims};
    add(out, start, 4);
    for (size_t i = 0; i < dims; i++) add_word(out, dim[i], 4, true);
}

/* A stream of these bytes that needs no disk; to be closed as any other. */
static inline struct source source_of(const struct bytes *file, const char *name) {
    char *copy = mem_copy_text(&ctx, file->at, file->n);
    assert_non_null(copy);
    return (struct source){.file = {.fd = -1, .name = name},
                           .ahead = copy,
                           .ahead_end = file->n,
                           .ahead_room = file->n + 1,
                           .ended = true};
}

/* What the header of these bytes says, the elements behind it in *rest. */
static inline sepal_status header_of(struct array_shape *shape, const struct bytes *file,
                                     struct bytes *rest) {
    struct source source = source_of(file, "array");
    const struct format *format = format_find(file->at[0] ? "npy" : "idx");
    sepal_status status = array_header(shape, &ctx, &source, format->array);
    if (status == SEPAL_OK && rest)
        assert_int_equal(source_take(&source, &ctx, rest->at, sizeof rest->at, &rest->n), SEPAL_OK);
    source_close(&source);
    return status;
}

static inline struct array_shape must_header(const struct bytes *file, struct bytes *rest) {
    struct array_shape shape;
    if (header_of(&shape, file, rest) != SEPAL_OK) say_error("array");
    return shape;
}

static inline void let_fail(enum fault_kind kind, size_t at, bool from_then_on) {
    ctx.faults[kind].fail_at = at;
    ctx.faults[kind].from_then_on = from_then_on;
    atomic_store(&ctx.faults[kind].calls, 0);
}

#endif
