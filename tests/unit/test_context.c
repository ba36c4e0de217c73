/* Errors, warnings, progress and the test switches of a context; memory and arenas on top of it. */
#include "core/alloc.h"
#include "core/arena.h"
#include "seed.h"

#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> /* after core/context.h: it defines a macro fail() */
#undef fail

static struct sepal_ctx ctx, child; /* the child is what a parallel task gets */

static int fresh(void **state) {
    (void)state;
    ctx = (struct sepal_ctx){.root = &ctx};
    child = (struct sepal_ctx){.root = &ctx};
    return 0;
}

static int clean(void **state) {
    (void)state;
    for (size_t i = 0; i < ctx.n_warnings; i++)
        mem_free((char *)(uintptr_t)ctx.warnings[i].message);
    mem_free(ctx.warnings);
    return 0;
}

static void let_fail(enum fault_kind kind, size_t at, bool from_then_on) {
    ctx.faults[kind].fail_at = at;
    ctx.faults[kind].from_then_on = from_then_on;
    atomic_store(&ctx.faults[kind].calls, 0);
}

/* ---- errors ------------------------------------------------------------------------------- */

static void test_errors_and_places(void **state) {
    (void)state;
    assert_int_equal(fail_at(&ctx, SEPAL_EDATA, "a.csv", 7, 3, "cell '%s'", "x"), SEPAL_EDATA);
    assert_int_equal(ctx.error.status, SEPAL_EDATA);
    assert_string_equal(ctx.error.message, "cell 'x'");
    assert_string_equal(ctx.error.file, "a.csv");
    assert_int_equal(ctx.error.line, 7);
    assert_int_equal(ctx.error.column, 3);
    fail_place(&ctx, "b.csv", 9, 1);
    assert_string_equal(ctx.error.message, "cell 'x'");
    assert_string_equal(ctx.error.file, "b.csv");
    assert_int_equal(ctx.error.line, 9);
    /* an error without a place must not inherit the one before */
    assert_int_equal(fail(&ctx, SEPAL_EUSAGE, "%d", 5), SEPAL_EUSAGE);
    assert_string_equal(ctx.error.message, "5");
    assert_string_equal(ctx.error.file, "");
    assert_int_equal(ctx.error.line, 0);
    assert_int_equal(ctx.error.column, 0);
    assert_int_equal(fail(NULL, SEPAL_EMEMORY, "nobody listens"), SEPAL_EMEMORY);
    assert_string_equal(ctx.error.message, "5");
    /* a worker's error is its own */
    fail(&child, SEPAL_EMODEL, "mine");
    assert_string_equal(ctx.error.message, "5");
}

static void test_long_messages_are_cut(void **state) {
    (void)state;
    enum { LONG = 5000 };
    char *text = malloc(LONG + 1);
    assert_non_null(text);
    memset(text, 'a', LONG);
    text[LONG] = '\0';
    fail_at(&ctx, SEPAL_EDATA, text, 1, 1, "%s", text);
    assert_int_equal(strlen(ctx.error.message), ERROR_MESSAGE_BYTES - 1);
    assert_int_equal(strlen(ctx.error.file), ERROR_FILE_BYTES - 1);
    free(text);
}

/* Whatever of a file or of the user's words a message quotes. */
static void test_messages_are_one_line_of_utf8(void **state) {
    (void)state;
    static const char raw[] = "a\nb\x1b[2J\x7f \xc3\xa9 \xff \xc2\x9b \xe2\x82";
    static const char shown[] = "a?b?[2J? \xc3\xa9 ? ?? ??";
    fail(&ctx, SEPAL_EDATA, "%s", raw);
    assert_string_equal(ctx.error.message, shown);
    fail_at(&ctx, SEPAL_EDATA, "a.csv", 1, 1, "%s", raw);
    assert_string_equal(ctx.error.message, shown);
    warn(&ctx, "odd", "%s", raw);
    assert_string_equal(ctx.warnings[0].message, shown);
}

static sepal_status passes_on(sepal_status status, bool *reached) {
    *reached = false;
    TRY(status);
    *reached = true;
    return SEPAL_OK;
}

static void test_try(void **state) {
    (void)state;
    bool reached;
    assert_int_equal(passes_on(SEPAL_OK, &reached), SEPAL_OK);
    assert_true(reached);
    assert_int_equal(passes_on(SEPAL_EMODEL, &reached), SEPAL_EMODEL);
    assert_false(reached);
}

static void test_warnings_gather_in_the_root(void **state) {
    (void)state;
    char text[] = "first";
    let_fail(FAULT_ALLOC, 1, true); /* a warning is not the library's work: no fault hits it */
    warn(&ctx, "one", "%s", text);
    text[0] = 'w';
    warn(&child, "two", "second %d", 2);
    assert_int_equal(ctx.n_warnings, 2);
    assert_int_equal(child.n_warnings, 0);
    assert_string_equal(ctx.warnings[0].code, "one");
    assert_string_equal(ctx.warnings[0].message, "first");
    assert_string_equal(ctx.warnings[1].code, "two");
    assert_string_equal(ctx.warnings[1].message, "second 2");
    assert_int_equal(ctx.error.status, SEPAL_OK);
}

static void test_fault_switch(void **state) {
    (void)state;
    enum { CALLS = 8 };
    for (int kind = 0; kind < FAULT_KINDS; kind++)
        for (size_t at = 0; at <= CALLS; at++)
            for (int on = 0; on < 2; on++) {
                let_fail((enum fault_kind)kind, at, on);
                for (size_t call = 1; call <= CALLS; call++) {
                    bool wanted = at && (call == at || (on && call > at));
                    /* workers count with the root, the other kind does not */
                    sepal_ctx *who = call % 2 ? &ctx : &child;
                    assert_int_equal(fault_hits(who, (enum fault_kind)kind), wanted);
                    assert_false(fault_hits(&ctx, (enum fault_kind)(FAULT_KINDS - 1 - kind)));
                    assert_false(fault_hits(NULL, (enum fault_kind)kind));
                }
                let_fail((enum fault_kind)kind, 0, false);
            }
}

/* ---- progress ----------------------------------------------------------------------------- */

struct listener {
    size_t calls, lines;
    int stop;
    char last[64];
};

static int listen(const char *line, void *payload) {
    struct listener *listener = payload;
    listener->calls++;
    if (*line) {
        listener->lines++;
        strncpy(listener->last, line, sizeof listener->last - 1);
    }
    return listener->stop;
}

static void test_progress(void **state) {
    (void)state;
    struct listener listener = {0};
    assert_false(progress(&ctx, "nobody"));
    ctx.progress = listen;
    ctx.progress_payload = &listener;
    for (int i = 0; i < 1000; i++) assert_false(progress(&ctx, "step %d", i));
    assert_int_equal(listener.calls, 1000);
    assert_in_range(listener.lines, 1, 10);
    assert_memory_equal(listener.last, "step ", 5);
    assert_false(progress(&child, "a worker"));
    assert_int_equal(listener.calls, 1000);
    listener.stop = 1;
    assert_true(cancelled(&ctx));
    assert_true(cancelled(&child));
    listener.stop = 0;
    assert_true(cancelled(&ctx)); /* a wish once uttered stays */
}

/* ---- memory ------------------------------------------------------------------------------- */

static void test_sizes_are_checked(void **state) {
    (void)state;
    static const size_t cases[][2] = {
        {SIZE_MAX, 1},
        {SIZE_MAX, SIZE_MAX},
        {SIZE_MAX / 2 + 1, 2}, /* the product is 0 */
        {SIZE_MAX / 8 + 2, 8}, /* the product is 8 */
        {(size_t)PTRDIFF_MAX + 1, 1},
        {((size_t)1 << 32) + 1, (size_t)1 << 32},
    };
    char *old = mem_alloc(&ctx, 3, 1);
    assert_non_null(old);
    memcpy(old, "ab", 3);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t count = cases[i][0], size = cases[i][1], have = 3;
        ctx.error.status = SEPAL_OK;
        assert_null(mem_alloc(&ctx, count, size));
        assert_int_equal(ctx.error.status, SEPAL_EMEMORY);
        assert_null(mem_zero(&ctx, count, size));
        assert_null(mem_resize(&ctx, old, count, size));
        void *items = old;
        assert_int_equal(mem_reserve(&ctx, &items, &have, count, size), SEPAL_EMEMORY);
        assert_ptr_equal(items, old);
        assert_int_equal(have, 3);
        assert_string_equal(old, "ab");
    }
    mem_free(old);
}

static void test_nothing_is_something(void **state) {
    (void)state;
    void *a = mem_alloc(&ctx, 0, 8), *b = mem_zero(&ctx, 8, 0), *c = mem_resize(&ctx, NULL, 0, 0);
    assert_true(a && b && c);
    mem_free(a);
    mem_free(b);
    mem_free(c);
    mem_free(NULL);
    char *empty = mem_copy_text(&ctx, NULL, 0), *part = mem_copy_text(&ctx, "abc", 2);
    assert_string_equal(empty, "");
    assert_string_equal(part, "ab");
    mem_free(empty);
    mem_free(part);
}

static void test_reserve_grows_by_factors(void **state) {
    (void)state;
    enum { ITEMS = 1000000, MOST_CALLS = 40 }; /* log of 1e6/16 to the base 1.5 is 27.2 */
    void *items = NULL;
    size_t have = 0;
    let_fail(FAULT_ALLOC, SIZE_MAX, false); /* counts the calls */
    for (size_t n = 1; n <= ITEMS; n++) {
        assert_int_equal(mem_reserve(&ctx, &items, &have, n, sizeof(uint32_t)), SEPAL_OK);
        assert_true(have >= n);
        ((uint32_t *)items)[n - 1] = (uint32_t)n;
    }
    assert_true(atomic_load(&ctx.faults[FAULT_ALLOC].calls) < MOST_CALLS);
    for (size_t n = 0; n < ITEMS; n++) assert_true(((uint32_t *)items)[n] == n + 1);
    mem_free(items);
}

static void test_memory_faults(void **state) {
    (void)state;
    char *old = mem_copy_text(&ctx, "old", 3);
    let_fail(FAULT_ALLOC, 1, true);
    assert_null(mem_alloc(&ctx, 1, 1));
    assert_null(mem_zero(&child, 1, 1));
    assert_int_equal(child.error.status, SEPAL_EMEMORY);
    assert_null(mem_copy_text(&ctx, "a", 1));
    assert_null(mem_resize(&ctx, old, 100, 1));
    assert_string_equal(old, "old");
    assert_int_equal(atomic_load(&ctx.faults[FAULT_ALLOC].calls), 4);
    mem_free(old);
}

/* ---- arenas ------------------------------------------------------------------------------- */

struct piece {
    unsigned char *bytes;
    size_t size;
};

static size_t piece_size(struct rng *rng) {
    switch (rng_below(rng, 20)) {
    case 0: return 0;
    case 1: return 4096 - 16 + (size_t)rng_below(rng, 32); /* about the first chunk */
    case 2: return (size_t)rng_below(rng, 100000);
    case 3: return rng_below(rng, 10) ? 5 : (1 << 20) + (size_t)rng_below(rng, 100);
    default: return (size_t)rng_below(rng, 200);
    }
}

static void test_arena_pieces_are_apart_and_aligned(void **state) {
    (void)state;
    enum { PIECES = 2000 };
    static struct piece pieces[PIECES];
    struct arena arena = {0};
    struct rng rng = rng_make(test_seed(1), 2);
    for (size_t i = 0; i < PIECES; i++) {
        size_t size = piece_size(&rng);
        unsigned char *bytes =
            i % 2 ? arena_zero(&ctx, &arena, size, 1) : arena_alloc(&ctx, &arena, 1, size);
        assert_non_null(bytes);
        assert_int_equal((uintptr_t)bytes % alignof(max_align_t), 0);
        for (size_t j = 0; i % 2 && j < size; j++) assert_true(bytes[j] == 0);
        if (size) memset(bytes, (int)(i % 251), size);
        pieces[i] = (struct piece){bytes, size};
    }
    for (size_t i = 0; i < PIECES; i++)
        for (size_t j = 0; j < pieces[i].size; j++) assert_true(pieces[i].bytes[j] == i % 251);
    char *text = arena_text(&ctx, &arena, "abc", 2);
    assert_string_equal(text, "ab");
    assert_string_equal(arena_text(&ctx, &arena, NULL, 0), "");
    arena_clear(&arena);
    assert_null(arena.chunks);
    arena_clear(&arena);
}

static void test_arena_takes_few_chunks(void **state) {
    (void)state;
    struct arena arena = {0};
    enum { PIECES = 100000 };
    let_fail(FAULT_ALLOC, SIZE_MAX, false);
    for (int i = 0; i < PIECES; i++) assert_non_null(arena_alloc(&ctx, &arena, 1, 40));
    /* 4.8 MB: chunks of 4 KB doubling up to 1 MB, then 1 MB each */
    assert_true(atomic_load(&ctx.faults[FAULT_ALLOC].calls) <= PIECES + 14);
    arena_clear(&arena);
}

static void test_arena_refuses_impossible_sizes(void **state) {
    (void)state;
    static const size_t cases[][2] = {{SIZE_MAX, 1},
                                      {SIZE_MAX / 2 + 1, 2},
                                      {PTRDIFF_MAX, 1},
                                      {(size_t)PTRDIFF_MAX / 2 + 1, 1},
                                      {SIZE_MAX - 7, 1}};
    struct arena arena = {0};
    char *old = arena_text(&ctx, &arena, "old", 3);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ctx.error.status = SEPAL_OK;
        assert_null(arena_alloc(&ctx, &arena, cases[i][0], cases[i][1]));
        assert_int_equal(ctx.error.status, SEPAL_EMEMORY);
        assert_null(arena_zero(&ctx, &arena, cases[i][0], cases[i][1]));
    }
    assert_string_equal(old, "old");
    for (size_t k = 1; k <= 2; k++) { /* the piece, and the chunk that it needs */
        let_fail(FAULT_ALLOC, k, true);
        assert_null(arena_alloc(&ctx, &arena, 1, 1 << 20));
        assert_null(arena_text(&ctx, &arena, "too much", SIZE_MAX / 4));
    }
    let_fail(FAULT_ALLOC, 0, false);
    assert_non_null(arena_alloc(&ctx, &arena, 1, 16)); /* what is there can still be used */
    arena_clear(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_errors_and_places, fresh, clean),
        cmocka_unit_test_setup_teardown(test_long_messages_are_cut, fresh, clean),
        cmocka_unit_test_setup_teardown(test_messages_are_one_line_of_utf8, fresh, clean),
        cmocka_unit_test_setup_teardown(test_try, fresh, clean),
        cmocka_unit_test_setup_teardown(test_warnings_gather_in_the_root, fresh, clean),
        cmocka_unit_test_setup_teardown(test_fault_switch, fresh, clean),
        cmocka_unit_test_setup_teardown(test_progress, fresh, clean),
        cmocka_unit_test_setup_teardown(test_sizes_are_checked, fresh, clean),
        cmocka_unit_test_setup_teardown(test_nothing_is_something, fresh, clean),
        cmocka_unit_test_setup_teardown(test_reserve_grows_by_factors, fresh, clean),
        cmocka_unit_test_setup_teardown(test_memory_faults, fresh, clean),
        cmocka_unit_test_setup_teardown(test_arena_pieces_are_apart_and_aligned, fresh, clean),
        cmocka_unit_test_setup_teardown(test_arena_takes_few_chunks, fresh, clean),
        cmocka_unit_test_setup_teardown(test_arena_refuses_impossible_sizes, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
