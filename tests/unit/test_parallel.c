/* Work in parallel: every task once, the lowest error, whatever the number of threads. */
#include "core/parallel.h"
#include "seed.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h> /* after core/context.h: it defines a macro fail() */
#undef fail

enum { MOST = 3000, PATIENCE_SECONDS = 60 };
static const unsigned widths[] = {1, 2, 3, 7};
enum { N_WIDTHS = sizeof widths / sizeof *widths };

static struct sepal_ctx ctx;

static int fresh(void **state) {
    (void)state;
    ctx = (struct sepal_ctx){.root = &ctx, .seed = 42};
    alarm(PATIENCE_SECONDS); /* a test that waits for ever is a failed test */
    return 0;
}

static int clean(void **state) {
    (void)state;
    pool_free(ctx.pool);
    alarm(0);
    return 0;
}

struct job {
    atomic_uint runs[MOST];
    bool fails[MOST];
    size_t n;
    atomic_uint wrong;
};

static void start(struct job *job, size_t n) {
    for (size_t i = 0; i < n; i++) {
        atomic_init(&job->runs[i], 0);
        job->fails[i] = false;
    }
    job->n = n;
    atomic_init(&job->wrong, 0);
}

static sepal_status run(sepal_ctx *mine, size_t task, void *payload) {
    struct job *job = payload;
    if (task >= job->n || mine->root != &ctx || mine->seed != 42)
        atomic_fetch_add(&job->wrong, 1);
    else
        atomic_fetch_add(&job->runs[task], 1);
    if (job->fails[task]) return fail(mine, SEPAL_EDATA, "task %zu", task);
    return SEPAL_OK;
}

static void test_every_task_once(void **state) {
    (void)state;
    static struct job job;
    static const size_t sizes[] = {0, 1, 2, 3, 8, 100, MOST};
    for (size_t w = 0; w < N_WIDTHS; w++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            start(&job, sizes[s]);
            ctx.threads = widths[w];
            assert_int_equal(parallel_for(&ctx, sizes[s], run, &job), SEPAL_OK);
            assert_int_equal(atomic_load(&job.wrong), 0);
            for (size_t i = 0; i < sizes[s]; i++) assert_int_equal(atomic_load(&job.runs[i]), 1);
        }
}

static void test_lowest_error_wins(void **state) {
    (void)state;
    static struct job job;
    struct rng rng = rng_make(test_seed(1), 1);
    for (int round = 0; round < 300; round++) {
        size_t n = 1 + (size_t)rng_below(&rng, 200), lowest = n;
        start(&job, n);
        for (size_t k = 1 + (size_t)rng_below(&rng, 5); k-- > 0;) {
            size_t task = (size_t)rng_below(&rng, n);
            job.fails[task] = true;
            if (task < lowest) lowest = task;
        }
        for (size_t w = 0; w < N_WIDTHS; w++) {
            char wanted[64];
            ctx.threads = widths[w];
            ctx.error = (struct error){0};
            for (size_t i = 0; i < n; i++) atomic_store(&job.runs[i], 0);
            assert_int_equal(parallel_for(&ctx, n, run, &job), SEPAL_EDATA);
            snprintf(wanted, sizeof wanted, "task %zu", lowest);
            assert_string_equal(ctx.error.message, wanted);
            assert_int_equal(ctx.error.status, SEPAL_EDATA);
            for (size_t i = 0; i <= lowest; i++) assert_int_equal(atomic_load(&job.runs[i]), 1);
            for (size_t i = lowest + 1; i < n; i++)
                assert_true(atomic_load(&job.runs[i]) <= (widths[w] > 1));
        }
    }
}

/* The same, but none leaves before all have come. */
static sepal_status run_together(sepal_ctx *mine, size_t task, void *payload) {
    struct job *job = payload;
    unsigned round = atomic_load(&job->runs[task]) + 1;
    sepal_status status = run(mine, task, payload);
    for (size_t i = 0; i < job->n; i++)
        while (atomic_load(&job->runs[i]) < round) sched_yield();
    return status;
}

static void test_each_worker_once(void **state) {
    (void)state;
    static struct job job;
    for (size_t w = 0; w < N_WIDTHS; w++) {
        ctx.threads = widths[w];
        unsigned width = parallel_width(&ctx);
#ifdef SEPAL_WITH_THREADS
        assert_int_equal(width, widths[w]);
#else
        assert_int_equal(width, 1);
#endif
        start(&job, width);
        assert_int_equal(parallel_workers(&ctx, run_together, &job), SEPAL_OK);
        for (size_t i = 0; i < width; i++) assert_int_equal(atomic_load(&job.runs[i]), 1);
        job.fails[width - 1] = true;
        job.fails[width / 2] = true;
        char wanted[64];
        snprintf(wanted, sizeof wanted, "task %u", width / 2);
        assert_int_equal(parallel_workers(&ctx, run_together, &job), SEPAL_EDATA);
        assert_string_equal(ctx.error.message, wanted);
        for (size_t i = 0; i < width; i++) assert_int_equal(atomic_load(&job.runs[i]), 2);
    }
}

/* Those who wake when all is done are not waited for, and never come to a later job. */
static void test_late_workers_stay_away(void **state) {
    (void)state;
    static struct job job;
    enum { JOBS = 2000 };
    for (size_t w = 0; w < N_WIDTHS; w++) {
        ctx.threads = widths[w];
        for (unsigned i = 0; i < JOBS; i++) {
            start(&job, parallel_width(&ctx));
            assert_int_equal(parallel_workers(&ctx, run, &job), SEPAL_OK);
            assert_int_equal(atomic_load(&job.runs[0]), 1);
            for (size_t k = 1; k < job.n; k++) assert_true(atomic_load(&job.runs[k]) <= 1);
        }
        assert_int_equal(atomic_load(&job.wrong), 0);
    }
}

static void test_many_small_jobs(void **state) {
    (void)state;
    static struct job job;
    enum { JOBS = 5000, TASKS = 3 };
    for (size_t w = 0; w < N_WIDTHS; w++) {
        ctx.threads = widths[w];
        start(&job, TASKS);
        for (int i = 0; i < JOBS; i++)
            assert_int_equal(parallel_for(&ctx, TASKS, run, &job), SEPAL_OK);
        for (size_t i = 0; i < TASKS; i++) assert_int_equal(atomic_load(&job.runs[i]), JOBS);
    }
}

/* ---- nested ------------------------------------------------------------------------------- */

struct nest {
    size_t outer, inner, bad_outer, bad_inner; /* where it fails, SIZE_MAX: nowhere */
    atomic_size_t sum;
};

struct inner {
    struct nest *nest;
    size_t outer;
};

static sepal_status inner_task(sepal_ctx *mine, size_t task, void *payload) {
    struct inner *inner = payload;
    struct nest *nest = inner->nest;
    atomic_fetch_add(&nest->sum, inner->outer * nest->inner + task);
    if (inner->outer == nest->bad_outer && task >= nest->bad_inner)
        return fail(mine, SEPAL_EMODEL, "task %zu of %zu", task, inner->outer);
    return SEPAL_OK;
}

static sepal_status outer_task(sepal_ctx *mine, size_t task, void *payload) {
    struct nest *nest = payload;
    struct inner inner = {nest, task};
    return parallel_for(mine, nest->inner, inner_task, &inner);
}

static void test_nested_work_is_serial(void **state) {
    (void)state;
    for (size_t w = 0; w < N_WIDTHS; w++)
        for (int round = 0; round < 50; round++) {
            struct nest nest = {40, 20, SIZE_MAX, SIZE_MAX, 0};
            ctx.threads = widths[w];
            assert_int_equal(parallel_for(&ctx, nest.outer, outer_task, &nest), SEPAL_OK);
            size_t n = nest.outer * nest.inner;
            assert_int_equal(atomic_load(&nest.sum), n * (n - 1) / 2);
            nest.bad_outer = 5;
            nest.bad_inner = 7;
            assert_int_equal(parallel_for(&ctx, nest.outer, outer_task, &nest), SEPAL_EMODEL);
            assert_string_equal(ctx.error.message, "task 7 of 5");
        }
}

/* ---- fork --------------------------------------------------------------------------------- */

#if defined(__SANITIZE_THREAD__)
#define NO_THREADS_AFTER_FORK 1 /* the thread sanitizer cannot follow them */
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NO_THREADS_AFTER_FORK 1
#endif
#endif

/* What a forked child does; it may not come back to the test. */
static int child_work(struct job *job) {
    for (int i = 0; i < 20; i++) {
        start(job, 100);
        if (parallel_for(&ctx, 100, run, job) != SEPAL_OK) return 1;
        for (size_t k = 0; k < 100; k++)
            if (atomic_load(&job->runs[k]) != 1) return 2;
    }
    return atomic_load(&job->wrong) ? 3 : 0;
}

static void test_after_fork(void **state) {
    (void)state;
#ifdef NO_THREADS_AFTER_FORK
    skip();
#endif
    static struct job job;
    for (size_t w = 0; w < N_WIDTHS; w++) {
        ctx.threads = widths[w];
        start(&job, 100);
        assert_int_equal(parallel_for(&ctx, 100, run, &job), SEPAL_OK);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            alarm(PATIENCE_SECONDS / 2);
            _exit(child_work(&job));
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
        start(&job, 100); /* and the parent's pool is unharmed */
        assert_int_equal(parallel_for(&ctx, 100, run, &job), SEPAL_OK);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_every_task_once, fresh, clean),
        cmocka_unit_test_setup_teardown(test_lowest_error_wins, fresh, clean),
        cmocka_unit_test_setup_teardown(test_each_worker_once, fresh, clean),
        cmocka_unit_test_setup_teardown(test_late_workers_stay_away, fresh, clean),
        cmocka_unit_test_setup_teardown(test_many_small_jobs, fresh, clean),
        cmocka_unit_test_setup_teardown(test_nested_work_is_serial, fresh, clean),
        cmocka_unit_test_setup_teardown(test_after_fork, fresh, clean),
    };
    pool_free(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
