/* Laws of the perceptron family for single steps, and for what the pocket keeps of them, seen through
   the trace. */
#include "contract/perceptron_problem.h"
#include "linear/strategy.h"

struct traced {
    const struct problem *p;
    const sepal_data *data;
    double step; /* what a step adds to its own score, over the squared norm */
    size_t rows, lines;
    double best_errors;
    double best[MOST_WEIGHTS];
    double last_errors;
};

static void read_weights(const struct tree *line, double *out) {
    const struct tree *rows = tree_find(line, "weights"), *bias = tree_find(line, "bias");
    assert_true(rows && bias);
    for (const struct tree *row = rows->first; row; row = row->next)
        for (const struct tree *cell = row->first; cell; cell = cell->next) *out++ = cell->number;
    for (const struct tree *cell = bias->first; cell; cell = cell->next) *out++ = cell->number;
}

static double predicted_errors(const struct traced *traced, double *w) {
    sepal_ctx ctx;
    context_make(&ctx, 1);
    const struct problem *p = traced->p;
    struct linear linear = {.classes = p->classes, .rows = traced->rows, .cols = p->cols, .w = w};
    linear.b = w + traced->rows * p->cols;
    linear.strategy = p->classes == 2 ? &strategy_sign : &strategy_machine;
    int32_t *decided = malloc(p->n * sizeof *decided);
    assert_int_equal(linear_predict(decided, &ctx, &linear, &traced->data->matrix), SEPAL_OK);
    double errors = 0;
    for (size_t i = 0; i < p->n; i++)
        if (decided[i] != p->label[i]) errors += p->weight ? p->weight[i] : 1;
    free(decided);
    context_clear(&ctx);
    return errors;
}

static struct tree *read_line(sepal_ctx *ctx, struct arena *arena, const char *json) {
    struct tree *line;
    assert_int_equal(json_read(&line, ctx, arena, (struct slice){json, strlen(json)}, SEPAL_EDATA),
                     SEPAL_OK);
    return line;
}

static int check_step(const char *json, void *payload) {
    struct traced *traced = payload;
    const struct problem *p = traced->p;
    struct arena arena = {0};
    sepal_ctx ctx;
    context_make(&ctx, 1);
    const struct tree *line = read_line(&ctx, &arena, json);
    size_t row = (size_t)fact(line, "example");
    assert_true(row < p->n);
    double norm = 1, before = fact(line, "score_before"), after = fact(line, "score_after");
    for (size_t j = 0; j < p->cols; j++) norm += p->x[row * p->cols + j] * p->x[row * p->cols + j];
    double sign = traced->rows == 1 && p->label[row] == 0 ? -1 : 1;
    assert_true(sign * before <= 0);
    assert_true(fabs(sign * (after - before) - traced->step * norm) <= 1e-12 * (1 + fabs(after)));
    assert_true(slice_is(tree_find(line, "label")->text, NAMES[p->label[row]]));
    assert_true((tree_find(line, "against") != NULL) == (traced->rows > 1));
    assert_true(fact(line, "update") == (double)++traced->lines);
    assert_true((tree_find(line, "weights") != NULL) == (p->cols <= 16));
    arena_clear(&arena);
    return 0;
}

static void test_each_update_raises_its_own_score(void **state) {
    struct rng rng = rng_make(test_seed(4), 0);
    (void)state;
    static const size_t walks[] = {0, 3, 4, 5};
    for (size_t round = 0; round < 40; round++) {
        struct perceptron_config config = kind(walks[round % 4]);
        config.eta = round % 3 ? 1 : 0.25;
        config.epochs = 10;
        struct problem p =
            integers(&rng, 50, 1 + rng_below(&rng, MOST_COLS), 2 + rng_below(&rng, 5), true, false);
        struct traced traced = {.p = &p, .rows = p.classes == 2 ? 1 : p.classes};
        traced.step = config.eta * (config.variant == DELTA ? 2 : 1) * (p.classes == 2 ? 1 : 2);
        sepal_ctx ctx;
        context_make(&ctx, 1);
        ctx.trace = check_step;
        ctx.trace_payload = &traced;
        sepal_data *data = data_of(&p, &ctx);
        struct run run = run_data(&ctx, data, &config);
        assert_true(run.updates == (double)traced.lines && traced.lines > 0);
        data_free(data);
        context_clear(&ctx);
        problem_free(&p);
    }
}

static int check_pocket(const char *json, void *payload) {
    struct traced *traced = payload;
    struct arena arena = {0};
    double w[MOST_WEIGHTS];
    sepal_ctx ctx;
    context_make(&ctx, 1);
    read_weights(read_line(&ctx, &arena, json), w);
    arena_clear(&arena);
    traced->last_errors = predicted_errors(traced, w);
    if (traced->last_errors < traced->best_errors) {
        traced->best_errors = traced->last_errors;
        memcpy(traced->best, w, sizeof w);
    }
    return 0;
}

/* Numbers of a trace read back as the same doubles, so every weight vector that the walk visited
   can be judged here by the library's prediction. */
static void test_pocket_keeps_the_earliest_of_the_best(void **state) {
    struct rng rng = rng_make(test_seed(5), 0);
    (void)state;
    for (size_t round = 0; round < 36; round++) {
        size_t classes = 2 + round % 3, n = round % 9 == 0 ? 5000 : 100 + rng_below(&rng, 700);
        struct perceptron_config config = kind(3);
        config.epochs = n == 5000 ? 1 : 1 + rng_below(&rng, 6);
        config.shuffle = round % 2;
        config.bias = round % 5 != 0;
        config.eta = round % 7 ? 1 : 0.3;
        struct problem p = clouds(&rng, n, 1 + rng_below(&rng, 6), classes, 0.5 * rng_unit(&rng));
        if (round % 4 == 0) p.weight = malloc(n * sizeof *p.weight);
        for (size_t i = 0; p.weight && i < n; i++) p.weight[i] = 1 + 0.25 * (double)(i % 7);
        sepal_ctx ctx;
        context_make(&ctx, 1 + (unsigned)round % 3);
        sepal_data *data = data_of(&p, &ctx);
        struct traced traced = {.p = &p, .data = data, .rows = classes == 2 ? 1 : classes};
        double zero[MOST_WEIGHTS] = {0};
        double first = traced.best_errors = predicted_errors(&traced, zero);
        ctx.trace = check_pocket;
        ctx.trace_payload = &traced;
        struct run run = run_data(&ctx, data, &config);
        assert_int_equal(run.status, SEPAL_OK);
        assert_memory_equal(run.w, traced.best, run.count * sizeof(double));
        double errors = predicted_errors(&traced, run.w);
        assert_true(errors <= first && errors <= traced.last_errors);
        data_free(data);
        context_clear(&ctx);
        problem_free(&p);
    }
}

static int count_batch(const char *json, void *payload) {
    struct arena arena = {0};
    sepal_ctx ctx;
    context_make(&ctx, 1);
    double *sum = payload;
    const struct tree *line = read_line(&ctx, &arena, json);
    sum[0] += fact(line, "examples");
    assert_true(fact(line, "update") == ++sum[1]);
    read_weights(line, sum + 2);
    arena_clear(&arena);
    return 0;
}

static void test_batch_traces_count_examples(void **state) {
    struct rng rng = rng_make(test_seed(6), 0);
    (void)state;
    for (size_t round = 0; round < 12; round++) {
        static const size_t batches[] = {1, 2, 6, 7};
        struct perceptron_config config = kind(batches[round % 4]);
        config.epochs = 8;
        struct problem p =
            integers(&rng, 80, 1 + rng_below(&rng, 16), 2 + rng_below(&rng, 3), true, false);
        double sum[2 + MOST_WEIGHTS] = {0};
        sepal_ctx ctx;
        context_make(&ctx, 2);
        ctx.trace = count_batch;
        ctx.trace_payload = sum;
        sepal_data *data = data_of(&p, &ctx);
        struct run run = run_data(&ctx, data, &config);
        assert_true(run.updates == sum[0]);
        assert_memory_equal(run.w, sum + 2, run.count * sizeof(double));
        data_free(data);
        context_clear(&ctx);
        problem_free(&p);
    }
}

static int refuse(const char *json, void *payload) {
    (void)json, (void)payload;
    return 1;
}

static void test_a_trace_that_fails_ends_the_run(void **state) {
    struct rng rng = rng_make(test_seed(7), 0);
    (void)state;
    struct problem p = integers(&rng, 40, 3, 2, true, false);
    for (size_t k = 0; k < KINDS; k++) {
        struct perceptron_config config = kind(k);
        sepal_ctx ctx;
        context_make(&ctx, 1);
        ctx.trace = refuse;
        sepal_data *data = data_of(&p, &ctx);
        assert_int_equal(run_data(&ctx, data, &config).status, SEPAL_EOUTPUT);
        data_free(data);
        context_clear(&ctx);
    }
    problem_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_update_raises_its_own_score),
        cmocka_unit_test(test_pocket_keeps_the_earliest_of_the_best),
        cmocka_unit_test(test_batch_traces_count_examples),
        cmocka_unit_test(test_a_trace_that_fails_ends_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
