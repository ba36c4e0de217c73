/* Laws of the perceptron family for walks that begin at the weights of a model, w0: the steps are those
   of the definition, and where the walk ends clean there are no more of them than the general form of
   the convergence theorem allows. */
#include "contract/perceptron_plain.h"

struct start {
    struct linear linear;
    double w[MOST_WEIGHTS]; /* weights, then biases: of linear, which points here */
};

static void start_make(struct start *start, const struct problem *p) {
    size_t rows = p->classes == 2 ? 1 : p->classes;
    memset(start, 0, sizeof *start);
    start->linear = (struct linear){.classes = p->classes, .rows = rows, .cols = p->cols};
    start->linear.w = start->w;
    start->linear.b = start->w + rows * p->cols;
}

static size_t start_count(const struct start *start) {
    return start->linear.rows * (start->linear.cols + 1);
}

static void test_steps_from_a_start(void **state) {
    struct rng rng = rng_make(test_seed(20), 0);
    (void)state;
    for (size_t round = 0; round < 400; round++) {
        struct perceptron_config config = kind(round % KINDS);
        config.batch = (size_t)1 << rng_below(&rng, 5);
        config.epochs = 1 + rng_below(&rng, 20);
        config.shuffle = rng_below(&rng, 2);
        config.bias = rng_below(&rng, 4) > 0;
        bool mean = config.variant == DELTA;
        struct problem p =
            integers(&rng, mean ? 64 : 20 + rng_below(&rng, 60), 1 + rng_below(&rng, MOST_COLS),
                     2 + rng_below(&rng, 5), rng_below(&rng, 2), !mean && rng_below(&rng, 2));
        struct start start;
        struct naive naive;
        start_make(&start, &p);
        for (size_t j = 0; j < start_count(&start); j++) start.w[j] = integer_in(&rng, 30);
        struct run run = run_problem_from(&p, &config, &start.linear);
        naive_run_from(&naive, &p, &config, 0, start.w);
        assert_int_equal(run.status, SEPAL_OK);
        double tolerance = config.variant == AVERAGED ? 1e-12 : 0;
        for (size_t j = 0; j < naive.count; j++)
            assert_true(fabs(run.w[j] - naive.w[j]) <= tolerance * (1 + fabs(naive.w[j])));
        assert_true(run.updates == (double)naive.updates);
        /* batch looks first: a start without mistakes needs no epoch */
        bool looks = config.variant == BATCH || (mean && config.mode == MODE_BATCH);
        assert_int_equal(run.iterations, looks && run.updates == 0 ? 0 : naive.epochs);
        problem_free(&p);
    }
}

/* A centre is only another way to write the bias. */
static void test_centre_of_a_start(void **state) {
    struct rng rng = rng_make(test_seed(21), 0);
    (void)state;
    for (size_t round = 0; round < 8 * KINDS; round++) {
        struct perceptron_config config = kind(round % KINDS);
        config.epochs = 5;
        struct problem p =
            integers(&rng, 64, 1 + rng_below(&rng, 9), 2 + rng_below(&rng, 4), round % 2, false);
        struct start plain, centred;
        double centre[MOST_COLS];
        start_make(&plain, &p);
        for (size_t j = 0; j < start_count(&plain); j++) plain.w[j] = integer_in(&rng, 5);
        start_make(&centred, &p);
        memcpy(centred.w, plain.w, sizeof plain.w);
        centred.linear.centre = centre;
        for (size_t j = 0; j < p.cols; j++) centre[j] = integer_in(&rng, 9);
        for (size_t r = 0; r < plain.linear.rows; r++)
            for (size_t j = 0; j < p.cols; j++)
                centred.linear.b[r] += plain.w[r * p.cols + j] * centre[j];
        struct run a = run_problem_from(&p, &config, &plain.linear);
        struct run b = run_problem_from(&p, &config, &centred.linear);
        check_same(&a, &b);
        problem_free(&p);
    }
}

static void test_a_start_at_0_is_none(void **state) {
    struct rng rng = rng_make(test_seed(22), 0);
    (void)state;
    for (size_t round = 0; round < 4 * KINDS; round++) {
        struct perceptron_config config = kind(round % KINDS);
        config.shuffle = round % 3 == 0;
        struct problem p =
            clouds(&rng, 50, 2 + rng_below(&rng, 8), 2 + rng_below(&rng, 3), round % 2 ? 1.1 : 0.4);
        struct start start;
        start_make(&start, &p);
        struct run none = run_problem(&p, &config);
        struct run zero = run_problem_from(&p, &config, &start.linear);
        check_same(&none, &zero);
        problem_free(&p);
    }
}

static void test_two_runs_are_one(void **state) {
    struct rng rng = rng_make(test_seed(23), 0);
    (void)state;
    static const size_t kinds[] = {0, 1, 5, 6}; /* those that return their last weights */
    for (size_t round = 0; round < 40; round++) {
        struct perceptron_config config = kind(kinds[round % 4]);
        config.eta = 0.1 + rng_unit(&rng);
        struct problem p = clouds(&rng, 64, 2 + rng_below(&rng, 8), 2 + rng_below(&rng, 3), 0.2);
        struct start start;
        config.epochs = 5;
        struct run whole = run_problem(&p, &config);
        config.epochs = 2;
        struct run first = run_problem(&p, &config);
        start_make(&start, &p);
        memcpy(start.w, first.w, first.count * sizeof *first.w);
        config.epochs = 3;
        struct run rest = run_problem_from(&p, &config, &start.linear);
        assert_true(whole.iterations == 5 && first.updates + rest.updates == whole.updates);
        for (size_t j = 0; j < whole.count; j++) assert_true(rest.w[j] == whole.w[j]);
        problem_free(&p);
    }
}

/* The largest k with (u.v + k margin)^2 <= |u|^2 + k factor R^2, where u is the start over the step
   and v the last weights at norm 1, by bisection. */
static double largest_root(const struct run *run, const struct start *start, double step,
                           double factor) {
    long double norm = 0, dot = 0, squares = 0, low = 0, high = 1;
    for (size_t j = 0; j < run->count; j++) {
        long double u = (long double)start->w[j] / (long double)step;
        norm += (long double)run->w[j] * (long double)run->w[j];
        dot += (long double)run->w[j] * u;
        squares += u * u;
    }
    dot /= sqrtl(norm);
    long double margin = (long double)run->margin, radius = (long double)run->radius;
    bool found = false;
    while (!found) {
        long double left = dot + high * margin;
        found = left > 0 && left * left > squares + high * factor * radius * radius;
        if (!found) high *= 2;
    }
    for (int i = 0; i < 200; i++) {
        long double k = (low + high) / 2, left = dot + k * margin;
        bool above = left > 0 && left * left > squares + k * factor * radius * radius;
        *(above ? &high : &low) = k;
    }
    return (double)high;
}

/* By how much the bound may exceed that root, which is a + hypot(a, c) with a = growth / 2 - along:
   changes of a count twice and those of c, the part across, once. With n = |u|, errors of dot products
   take off the margin and off both parts of u, and what rounds a step beside u adds to the growth. */
static double room_above(const struct run *run, const struct start *start, size_t cols, double step,
                         double factor) {
    double norm = 0, ratio = run->radius / run->margin;
    for (size_t j = 0; j < run->count; j++) norm = hypot(norm, start->w[j] / step);
    double dot = (double)(cols + 8) * DBL_EPSILON, parts = (double)(run->count + 8) * DBL_EPSILON;
    double margin = (dot * run->radius + DBL_EPSILON * norm) / run->margin;
    double step_error = dot * run->radius + 2 * DBL_EPSILON * (run->radius + norm);
    double growth =
        2 * margin * factor * ratio * ratio + 2 * (step_error / run->margin) * (norm / run->margin);
    return growth + 3 * (margin + parts) * norm / run->margin;
}

static void test_updates_are_within_the_bound_of_their_start(void **state) {
    struct rng rng = rng_make(test_seed(24), 0);
    size_t fewer = 0, more = 0, tight = 0;
    (void)state;
    static const size_t walks[] = {0, 5, 3, 4};
    for (size_t round = 0; round < 600; round++) {
        struct perceptron_config config = kind(walks[round % 4]);
        struct perceptron_config online = kind(config.variant == DELTA ? 5 : 0);
        config.epochs = online.epochs = 1000000;
        config.eta = online.eta = exp(4 * (rng_unit(&rng) - 0.5));
        size_t classes = 2 + rng_below(&rng, 3);
        struct problem p = clouds(&rng, 40, 2 + rng_below(&rng, 6), classes, 1.1);
        struct start start;
        start_make(&start, &p);
        struct run good = run_problem(&p, &online);
        /* any direction; or that of a separator, its opposite, or near one of them */
        double size = config.eta * exp(log(1e6) * (rng_unit(&rng) - 0.3));
        double blur = rng_below(&rng, 3) ? rng_unit(&rng) : 0, sign = rng_below(&rng, 2) ? 1 : -1;
        for (size_t j = 0; j < start_count(&start); j++)
            start.w[j] = size * (2 * rng_unit(&rng) - 1) * (round % 3 ? 1 : blur) +
                         (round % 3 ? 0 : sign * size * good.w[j] / config.eta);
        struct run run = run_problem_from(&p, &config, &start.linear);
        struct run last = run_problem_from(&p, &online, &start.linear);
        assert_true(run.converged && last.converged);
        assert_true(run.updates == last.updates && same_number(run.bound, last.bound));
        assert_true(run.updates <= run.bound);
        double factor = classes == 2 ? 1 : 2, ratio = last.radius / last.margin;
        double step = (config.variant == DELTA ? 2 : 1) * config.eta;
        double root = largest_root(&last, &start, step, factor);
        double room = room_above(&last, &start, p.cols, step, factor);
        assert_true(run.bound >= root * (1 - 1e-12) - 1e-6);
        assert_true(run.bound - root <= 1e-6 * root + 1e-6 + 2 * room);
        tight += room < 1e-3 * root;
        double from_zero = factor * ratio * ratio;
        fewer += run.bound < 0.9 * from_zero;
        more += run.bound > 1.1 * from_zero;
        problem_free(&p);
    }
    assert_true(fewer > 50 && more > 50 && tight > 400);
    /* -1 and 1, from w0 = -1000: steps of 1 to w = 1, and k^2 = 2001 k; from 0 one step is all */
    struct problem p = problem_make(2, 1, 2, false);
    p.x[0] = -1, p.x[1] = 1, p.label[1] = 1;
    struct perceptron_config config = USUAL;
    struct start start;
    start_make(&start, &p);
    start.w[0] = -1000;
    config.bias = false;
    config.epochs = 10000;
    struct run run = run_problem_from(&p, &config, &start.linear);
    assert_true(run.converged && run.updates == 1001 && run.margin == 1);
    assert_true(fabs(run.bound - 2001) < 1e-6 && fabs(run_problem(&p, &config).bound - 1) < 1e-12);
    problem_free(&p);
}

/* The same walk in other units, so the same bound. */
static void test_start_and_eta_scale_together(void **state) {
    struct rng rng = rng_make(test_seed(25), 0);
    (void)state;
    for (size_t round = 0; round < 4 * KINDS; round++) {
        struct perceptron_config config = kind(round % KINDS);
        config.epochs = 200;
        struct problem p = clouds(&rng, 50, 2 + rng_below(&rng, 6), 2 + rng_below(&rng, 3), 1.1);
        struct start start;
        start_make(&start, &p);
        for (size_t j = 0; j < start_count(&start); j++) start.w[j] = 9 * (rng_unit(&rng) - 0.5);
        struct run one = run_problem_from(&p, &config, &start.linear);
        for (int power = -600; power <= 600; power += 400) {
            struct start other;
            start_make(&other, &p);
            for (size_t j = 0; j < start_count(&start); j++) other.w[j] = ldexp(start.w[j], power);
            config.eta = ldexp(1, power);
            struct run scaled = run_problem_from(&p, &config, &other.linear);
            for (size_t j = 0; j < scaled.count; j++) scaled.w[j] = ldexp(scaled.w[j], -power);
            scaled.objective = ldexp(scaled.objective, -power);
            check_same(&one, &scaled);
        }
        config.eta = 1;
        problem_free(&p);
    }
}

static void test_no_bound_where_steps_are_lost(void **state) {
    struct rng rng = rng_make(test_seed(26), 0);
    (void)state;
    struct problem p = clouds(&rng, 40, 3, 2, 1.1);
    struct run good = run_problem(&p, &USUAL);
    struct start start;
    start_make(&start, &p);
    for (size_t j = 0; j < good.count; j++) start.w[j] = 1e18 * good.w[j];
    struct run run = run_problem_from(&p, &USUAL, &start.linear);
    assert_true(run.converged && run.updates == 0 && run.margin > 0 && isnan(run.bound));
    problem_free(&p);
}

static void test_every_lack_of_memory_is_reported(void **state) {
    struct rng rng = rng_make(test_seed(27), 0);
    (void)state;
    struct problem p = clouds(&rng, 30, 3, 3, 1.1);
    for (size_t k = 0; k < KINDS; k++) {
        struct perceptron_config config = kind(k);
        struct start start;
        start_make(&start, &p);
        for (size_t j = 0; j < start_count(&start); j++) start.w[j] = rng_unit(&rng);
        sepal_status status = SEPAL_EMEMORY;
        for (size_t call = 2; status != SEPAL_OK; call++) { /* the first is the test's own report */
            sepal_ctx ctx;
            context_make(&ctx, 1);
            sepal_data *data = data_of(&p, &ctx);
            ctx.faults[FAULT_ALLOC].fail_at = call;
            status = run_from(&ctx, data, &config, &start.linear).status;
            assert_true(status == SEPAL_OK || status == SEPAL_EMEMORY);
            data_free(data);
            context_clear(&ctx);
        }
    }
    problem_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_from_a_start),
        cmocka_unit_test(test_centre_of_a_start),
        cmocka_unit_test(test_a_start_at_0_is_none),
        cmocka_unit_test(test_two_runs_are_one),
        cmocka_unit_test(test_updates_are_within_the_bound_of_their_start),
        cmocka_unit_test(test_start_and_eta_scale_together),
        cmocka_unit_test(test_no_bound_where_steps_are_lost),
        cmocka_unit_test(test_every_lack_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
