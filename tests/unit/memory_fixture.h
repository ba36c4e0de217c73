/* What the tests of arrays in memory and of single rows share: rows drawn by a seed, fits, bytes. */
#ifndef TESTS_MEMORY_FIXTURE_H
#define TESTS_MEMORY_FIXTURE_H

#include "core/rng.h"
#include "data/data.h"
#include "fixture.h"
#include "seed.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static inline void *room(size_t n, size_t bytes) {
    void *at = calloc(n ? n : 1, bytes);
    assert_non_null(at);
    return at;
}

static inline sepal_data *must_make(const sepal_input *in) {
    sepal_data *data = NULL;
    if (sepal_data_from(&data, ctx, in) != SEPAL_OK) fail_msg("%s", sepal_ctx_error(ctx));
    return data;
}

static inline sepal_model *must_fit(const char *spec, const sepal_data *data) {
    sepal_model *model = NULL;
    if (sepal_model_fit(&model, NULL, ctx, spec, data, NULL) != SEPAL_OK)
        fail_msg("%s: %s", spec, sepal_ctx_error(ctx));
    return model;
}

/* The model's file, as it stands in memory. */
static inline void *bytes_of(const sepal_model *model, size_t *n) {
    void *bytes = NULL;
    if (sepal_model_to_memory(&bytes, n, ctx, model) != SEPAL_OK)
        fail_msg("%s", sepal_ctx_error(ctx));
    return bytes;
}

static inline void assert_same_model(const sepal_model *one, const sepal_model *other) {
    size_t n, m;
    void *a = bytes_of(one, &n), *b = bytes_of(other, &m);
    if (n != m || memcmp(a, b, n) != 0) fail_msg("%s: other bytes", sepal_model_spec(one));
    sepal_bytes_free(a);
    sepal_bytes_free(b);
}

#endif
