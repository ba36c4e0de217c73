/* A context for the tests of a program: cmocka_run_group_tests(tests, set_up, tear_down). */
#ifndef SEPAL_TESTS_FIXTURE_H
#define SEPAL_TESTS_FIXTURE_H

#include "sepal/sepal.h"

static sepal_ctx *ctx;

static inline int set_up(void **state) {
    (void)state;
    return sepal_ctx_new(&ctx) == SEPAL_OK ? 0 : -1;
}

/* For small fits, which are done before another thread wakes up. */
static inline int set_up_one_thread(void **state) {
    if (set_up(state) != 0) return -1;
    sepal_ctx_set_threads(ctx, 1);
    return 0;
}

static inline int tear_down(void **state) {
    (void)state;
    sepal_ctx_free(ctx);
    return 0;
}

#endif
