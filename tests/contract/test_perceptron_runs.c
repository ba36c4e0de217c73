/* What must not change a perceptron's weights (threads, storage), and how its runs end early. */
#include "contract/perceptron_plain.h"

static void test_threads_do_not_matter(void **state) {
    struct rng rng = rng_make(test_seed(10), 0);
    (void)state;
    for (size_t round = 0; round < 2 * KINDS; round++) {
        struct perceptron_config config = kind(round % KINDS);
        config.epochs = 3;
        config.batch = round < KINDS ? 32 : 5000;
        struct problem p = clouds(&rng, 9000, 5, round < KINDS ? 2 : 4, round < KINDS ? 0.45 : 0.9);
        struct run first = {0};
        static const unsigned threads[] = {1, 2, 3, 7};
        for (size_t k = 0; k < 4; k++) {
            sepal_ctx ctx;
            context_make(&ctx, threads[k]);
            sepal_data *data = data_of(&p, &ctx);
            struct run run = run_data(&ctx, data, &config);
            if (k == 0) first = run;
            check_same(&first, &run);
            data_free(data);
            context_clear(&ctx);
        }
        problem_free(&p);
    }
}

static void make_sparse(sepal_data *data, sepal_ctx *ctx, enum values values) {
    struct matrix dense = data->matrix, *sparse = &data->matrix;
    assert_int_equal(matrix_init(sparse, ctx, dense.rows, dense.cols, true), SEPAL_OK);
    sparse->nonzeros = dense.nonzeros;
    for (size_t b = 0; b < dense.n_blocks; b++) {
        struct block *to = &sparse->blocks[b];
        size_t used = 0, j;
        double value;
        to->values = values;
        assert_int_equal(block_alloc(ctx, to, dense.cols, to->rows * dense.cols), SEPAL_OK);
        for (size_t i = 0; i < to->rows; i++) {
            to->start[i] = used;
            size_t at = 0;
            for (; row_next(&dense.blocks[b], i, dense.cols, &at, &j, &value); used++) {
                to->index[used] = (uint32_t)j;
                if (to->f32) to->f32[used] = (float)value;
                if (to->f64) to->f64[used] = value;
            }
        }
        to->start[to->rows] = used;
    }
    matrix_clear(&dense);
}

static void test_storage_does_not_matter(void **state) {
    struct rng rng = rng_make(test_seed(11), 0);
    (void)state;
    for (size_t round = 0; round < 6 * KINDS; round++) {
        struct perceptron_config config = kind(round % KINDS);
        config.epochs = 15;
        config.bias = round % 5 > 0;
        enum values values = round < 2 * KINDS   ? VALUES_ONES
                             : round < 4 * KINDS ? VALUES_F32
                                                 : VALUES_F64;
        struct problem p = integers(&rng, 128, 1 + rng_below(&rng, MOST_COLS),
                                    2 + rng_below(&rng, 5), true, false);
        for (size_t i = 0; values == VALUES_ONES && i < p.n * p.cols; i++) p.x[i] = p.x[i] > 1;
        sepal_ctx ctx;
        context_make(&ctx, 2);
        sepal_data *data = data_of(&p, &ctx);
        struct run dense = run_data(&ctx, data, &config);
        make_sparse(data, &ctx, values);
        struct run sparse = run_data(&ctx, data, &config);
        /* means are no integers: their scores depend on the order of additions */
        assert_true(fabs(sparse.objective - dense.objective) <= 1e-12 * dense.objective);
        sparse.objective = dense.objective;
        check_same(&dense, &sparse);
        data_free(data);
        context_clear(&ctx);
        problem_free(&p);
    }
}

/* ---- stopping and failing ----------------------------------------------------------------- */

static int stop_at_once(const char *line, void *payload) {
    (void)line, (void)payload;
    return 1;
}

static void test_an_interrupted_average_is_that_of_the_examples_seen(void **state) {
    struct rng rng = rng_make(test_seed(12), 0);
    (void)state;
    struct problem p = integers(&rng, 200000, 15, 2, true, false);
    for (size_t i = 0; i < p.n * p.cols; i++) p.x[i] += p.x[i] == 0; /* 16 numbers to a row */
    struct perceptron_config config = kind(4);
    sepal_ctx ctx;
    context_make(&ctx, 1);
    ctx.progress = stop_at_once;
    sepal_data *data = data_of(&p, &ctx);
    struct run run = run_data(&ctx, data, &config);
    struct naive *naive = malloc(sizeof *naive);
    assert_non_null(naive);
    naive_run(naive, &p, &config, (1 << 21) / 16);
    assert_true(run.interrupted && run.iterations == 1);
    for (size_t j = 0; j < run.count; j++)
        assert_true(fabs(run.w[j] - naive->w[j]) <= 1e-10 * (1 + fabs(naive->w[j])));
    for (size_t k = 0; k < KINDS; k++) {
        config = kind(k);
        ctx.cancelled = false;
        run = run_data(&ctx, data, &config);
        assert_true(run.status == SEPAL_OK && run.interrupted && run.iterations <= 1);
        for (size_t j = 0; j < run.count; j++) assert_true(isfinite(run.w[j]));
    }
    free(naive);
    data_free(data);
    context_clear(&ctx);
    problem_free(&p);
}

static void test_numbers_too_large_are_refused(void **state) {
    struct rng rng = rng_make(test_seed(13), 0);
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        struct perceptron_config config = kind(k);
        struct problem p = clouds(&rng, 30, 2, 2 + k % 2, 0.1);
        for (size_t i = 0; i < p.n * p.cols; i++) p.x[i] *= 1e200;
        assert_int_equal(run_problem(&p, &config).status, SEPAL_EDATA);
        problem_free(&p);
    }
}

static void test_every_lack_of_memory_is_reported(void **state) {
    struct rng rng = rng_make(test_seed(14), 0);
    (void)state;
    struct problem p = integers(&rng, 40, 3, 3, true, false);
    for (size_t k = 0; k < KINDS; k++) {
        struct perceptron_config config = kind(k);
        sepal_status status = SEPAL_EMEMORY;
        size_t call = 1;
        for (; status != SEPAL_OK; call++) {
            sepal_ctx ctx;
            context_make(&ctx, 1);
            sepal_data *data = data_of(&p, &ctx);
            ctx.faults[FAULT_ALLOC].fail_at = call + 1; /* the first is the test's own report */
            status = run_data(&ctx, data, &config).status;
            assert_true(status == SEPAL_OK || status == SEPAL_EMEMORY);
            data_free(data);
            context_clear(&ctx);
        }
        assert_true(call > 2);
    }
    problem_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_storage_does_not_matter),
        cmocka_unit_test(test_an_interrupted_average_is_that_of_the_examples_seen),
        cmocka_unit_test(test_numbers_too_large_are_refused),
        cmocka_unit_test(test_every_lack_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
