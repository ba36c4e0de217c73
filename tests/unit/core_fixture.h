/* What the tests of the core's readers share: a context and an arena, new for every test. Included
   after cmocka. */
#ifndef SEPAL_TESTS_CORE_FIXTURE_H
#define SEPAL_TESTS_CORE_FIXTURE_H

#include "core/arena.h"

static struct sepal_ctx ctx;
static struct arena arena;

static int fresh(void **state) {
    (void)state;
    ctx = (struct sepal_ctx){.root = &ctx};
    arena = (struct arena){0};
    return 0;
}

static int clean(void **state) {
    (void)state;
    arena_clear(&arena);
    return 0;
}

#endif
