/* softmax by --solver sgd against the same walk in plain loops, which know no sparse rows and put nothing
   off; against logistic regression's where there are two classes; and its first step by hand. */
#include "contract/sgd_problem.h"

enum { CROSS_ENTROPY, MSE };
typedef double point[MOST_CLASSES][WIDE];

/* ---- plain loops -------------------------------------------------------------------------- */

/* y = softmax of the scores; the loss */
static double outputs(const struct walk *a, const point u, size_t i, double *y) {
    double most = -INFINITY, sum = 0, square = 0;
    for (size_t k = 0; k < a->classes; k++) {
        y[k] = a->bias == 1 ? 0 : u[k][a->cols];
        for (size_t j = 0; j < a->cols; j++) y[k] += u[k][j] * a->x[i][j];
        most = fmax(most, y[k]);
    }
    for (size_t k = 0; k < a->classes; k++) sum += y[k] = exp(y[k] - most);
    for (size_t k = 0; k < a->classes; k++) {
        y[k] /= sum;
        double e = ((int)k == a->own[i]) - y[k];
        square += e * e;
    }
    return a->loss == MSE ? square : -log(y[a->own[i]]);
}

static double objective(const struct walk *a, const point u) {
    double sum = 0, y[MOST_CLASSES];
    for (size_t i = 0; i < a->n; i++) sum += share(a, i) * outputs(a, u, i, y);
    for (size_t k = 0; k < a->classes; k++)
        for (size_t j = 0; j < penalised(a); j++)
            sum += a->l1 * fabs(u[k][j]) + a->l2 / 2 * u[k][j] * u[k][j];
    return sum;
}

/* -(t - y), or -2 (diag y - y y') (t - y) */
static double slope_of(const struct walk *a, size_t i, const double *y, size_t k) {
    double product = 0, e = ((int)k == a->own[i]) - y[k];
    if (a->loss != MSE) return -e;
    for (size_t m = 0; m < a->classes; m++) product += y[m] * (((int)m == a->own[i]) - y[m]);
    return -2 * y[k] * (e - product);
}

static void plain_step(const struct walk *a, point u, const uint32_t *rows, size_t n, double eta) {
    static point g;
    memset(g, 0, sizeof g);
    for (size_t r = 0; r < n; r++) {
        size_t i = rows[r];
        double y[MOST_CLASSES];
        (void)outputs(a, u, i, y);
        for (size_t k = 0; k < a->classes; k++) {
            double slope = (double)a->n * share(a, i) * slope_of(a, i, y, k) / (double)n;
            for (size_t j = 0; j < a->cols; j++) g[k][j] += slope * a->x[i][j];
            if (a->bias != 1) g[k][a->cols] += slope;
        }
    }
    for (size_t k = 0; k < a->classes; k++)
        for (size_t j = 0; j < WIDE; j++) {
            bool kept_small = j < penalised(a);
            u[k][j] -= eta * (g[k][j] + (kept_small ? a->l2 * u[k][j] : 0));
            if (kept_small) u[k][j] = copysign(fmax(0, fabs(u[k][j]) - eta * a->l1), u[k][j]);
        }
}

static void plain(point out, const struct walk *a, uint64_t seed) {
    static point u, sum;
    size_t batch = batch_of(a), steps = 0;
    memset(u, 0, sizeof u);
    memset(sum, 0, sizeof sum);
    for (size_t epoch = 1; epoch <= a->epochs; epoch++) {
        uint32_t rows[MOST_ROWS];
        order_of_epoch(rows, a, seed, epoch);
        for (size_t first = 0; first < a->n; first += batch, steps++) {
            plain_step(a, u, rows + first, a->n - first < batch ? a->n - first : batch,
                       rate_of(a, steps));
            for (size_t k = 0; k < a->classes; k++)
                for (size_t j = 0; j < WIDE; j++) sum[k][j] += u[k][j];
        }
    }
    for (size_t k = 0; k < a->classes; k++)
        for (size_t j = 0; j < WIDE; j++)
            out[k][j] = a->average ? sum[k][j] / (double)steps : u[k][j];
}

/* ---- the product -------------------------------------------------------------------------- */

static void write_spec(char *out, size_t room, const struct walk *a, const char *learner,
                       double faster, double l2) {
    (void)snprintf(out, room,
                   "%sl1=%.17g, l2=%.17g, bias=%s, eta=%.17g, epochs=%zu, batch=%zu, "
                   "schedule=%s, shuffle=%s, average=%s)",
                   learner, a->l1, l2, BIASES[a->bias], faster * a->eta, a->epochs, a->batch,
                   SCHEDULES[a->schedule], a->shuffle ? "true" : "false",
                   a->average ? "true" : "false");
}

/* The functions of the columns as they are, biases behind; of two classes the first is their difference. */
static void fit(point u, sepal_ctx *ctx, const sepal_data *data, const char *spec) {
    sepal_model *model;
    sepal_status status = sepal_model_fit(&model, NULL, ctx, spec, data, "solver=sgd");
    if (status != SEPAL_OK) print_error("%s: %s\n", spec, sepal_ctx_error(ctx));
    assert_int_equal(status, SEPAL_OK);
    const struct linear *linear = &model->linear;
    assert_null(linear->centre);
    memset(u, 0, sizeof(point));
    for (size_t r = 0; r < linear->rows; r++) {
        memcpy(u[r], linear->w + r * linear->cols, linear->cols * sizeof **u);
        u[r][linear->cols] = linear->b[r];
    }
    sepal_model_free(model);
}

static void check_close(const point got, const point want, const struct walk *a, const char *spec) {
    size_t functions = a->classes == 2 ? 1 : a->classes;
    for (size_t k = 0; k < functions; k++)
        for (size_t j = 0; j < WIDE; j++) {
            double is = functions == 1 ? want[1][j] - want[0][j] : want[k][j];
            if (fabs(got[k][j] - is) <= 1e-12 * (1 + fabs(is))) continue;
            fail_msg("%s: number %zu of class %zu is %.17g, not %.17g", spec, j, k, got[k][j], is);
        }
}

/* ---- random problems ---------------------------------------------------------------------- */

static struct walk random_walk(struct rng *rng, size_t round, bool wide) {
    struct walk a = {.classes = 2 + rng_below(rng, round % 5 == 0 ? MOST_CLASSES - 1 : 3),
                     .cols = 1 + rng_below(rng, FEW_COLS)};
    a.n = a.classes + rng_below(rng, MOST_ROWS - a.classes + 1);
    if (wide) a.cols = MOST_COLS - rng_below(rng, 16);
    for (size_t i = 0; i < a.n; i++) {
        a.own[i] = (int)(i < a.classes ? i : rng_below(rng, a.classes));
        a.weight[i] = 0.25 + rng_unit(rng);
        for (size_t j = 0; j < a.cols; j++)
            if (rng_below(rng, wide ? 8 : 3) == 0 || (i == 0 && j + 1 == a.cols))
                a.x[i][j] = round / 2 % 4 == 0 ? 1 : 2 * rng_unit(rng) - 1 + 0.2 * a.own[i];
    }
    a.weighted = rng_below(rng, 2);
    a.loss = round % 3 == 2 ? MSE : CROSS_ENTROPY;
    draw_steps(&a, rng);
    return a;
}

static void check_walk(struct walk *a, bool as_sparse, bool standardize, uint64_t seed) {
    static point want, got;
    char spec[512], learner[80];
    sepal_ctx *ctx;
    assert_int_equal(sepal_ctx_new(&ctx), SEPAL_OK);
    sepal_ctx_set_seed(ctx, seed);
    (void)snprintf(learner, sizeof learner, "%ssoftmax(loss=%s, ",
                   standardize ? "standardize | " : "", a->loss == MSE ? "mse" : "cross_entropy");
    write_spec(spec, sizeof spec, a, learner, 1, a->l2);
    sepal_data *data = as_sparse ? sparse(ctx, a) : dense(ctx, a);
    fit(got, ctx, data, spec);
    if (standardize) standardized(a);
    plain(want, a, seed);
    check_close(got, want, a, spec);
    sepal_data_free(data);
    sepal_ctx_free(ctx);
}

static void test_walks_as_plain_loops(void **state) {
    enum { ROUNDS = 300 };
    struct rng rng = rng_make(test_seed(51), 0);
    (void)state;
    for (size_t round = 0; round < ROUNDS; round++) {
        struct walk a = random_walk(&rng, round, round % 2);
        check_walk(&a, round % 2, false, round);
    }
}

/* A long walk of many small steps: the scale falls below what is kept, again and again. */
static void test_strong_penalty_on_sparse_rows(void **state) {
    struct rng rng = rng_make(test_seed(52), 0);
    (void)state;
    for (size_t round = 0; round < 30; round++) {
        struct walk a = random_walk(&rng, round, true);
        a.l2 = round % 3 == 2 ? 1 / a.eta : 0.7 / a.eta; /* the first makes a factor of 0 */
        a.batch = 1;
        a.epochs = 50;
        a.schedule = CONSTANT;
        check_walk(&a, true, false, 1);
    }
}

/* Standardised sparse rows keep their zeros and carry a centre: it counts at every step. */
static void test_standardized_rows_count_with_their_centre(void **state) {
    struct rng rng = rng_make(test_seed(53), 0);
    (void)state;
    for (size_t round = 0; round < 40; round++) {
        struct walk a = random_walk(&rng, round, round % 3 > 0);
        check_walk(&a, round % 3, true, 1);
    }
}

/* Two classes: w2 - w1 walks as logistic regression's w at twice the step and half the L2 penalty. */
static void test_two_classes_are_logistic_at_twice_the_step(void **state) {
    static point softmax, logistic;
    struct rng rng = rng_make(test_seed(54), 0);
    (void)state;
    for (size_t round = 0; round < 100; round++) {
        struct walk a = random_walk(&rng, round, round % 2);
        char spec[512];
        sepal_ctx *ctx;
        a.classes = 2;
        for (size_t i = 0; i < a.n; i++) a.own[i] %= 2;
        assert_int_equal(sepal_ctx_new(&ctx), SEPAL_OK);
        sepal_data *data = round % 2 ? sparse(ctx, &a) : dense(ctx, &a);
        write_spec(spec, sizeof spec, &a, "softmax(", 1, a.l2);
        fit(softmax, ctx, data, spec);
        write_spec(spec, sizeof spec, &a, "logistic(", 2, a.l2 / 2);
        fit(logistic, ctx, data, spec);
        for (size_t j = 0; j < WIDE; j++)
            assert_true(fabs(softmax[0][j] - logistic[0][j]) < 1e-12 * (1 + fabs(logistic[0][j])));
        sepal_data_free(data);
        sepal_ctx_free(ctx);
    }
}

/* One row (2) of the third class, eta = 1/2, from 0: y = 1/3 each, so the biases move by eta (t - y) and the
   weights by twice that. */
static void test_first_step_by_hand(void **state) {
    static point u;
    struct walk a = {.n = 3, .cols = 1, .classes = 3, .x = {{0}, {0}, {2}}, .own = {0, 1, 2}};
    char spec[512];
    sepal_ctx *ctx;
    (void)state;
    a.eta = 0.5;
    a.epochs = 1;
    assert_int_equal(sepal_ctx_new(&ctx), SEPAL_OK);
    sepal_data *data = dense(ctx, &a);
    write_spec(spec, sizeof spec, &a, "softmax(", 1, 0); /* all at once: the mean of three steps */
    fit(u, ctx, data, spec);
    assert_true(fabs(u[0][0] + 1.0 / 9) < 1e-15 && fabs(u[2][0] - 2.0 / 9) < 1e-15);
    assert_true(fabs(u[0][1]) < 1e-15 && fabs(u[2][1]) < 1e-15);
    write_spec(spec, sizeof spec, &a, "softmax(loss=mse, ", 1, 0); /* 2/K of it at equal outputs */
    fit(u, ctx, data, spec);
    assert_true(fabs(u[0][0] + 2.0 / 27) < 1e-15 && fabs(u[2][0] - 4.0 / 27) < 1e-15);
    sepal_data_free(data);
    sepal_ctx_free(ctx);
}

/* ---- what is told ------------------------------------------------------------------------- */

static int check_line(const char *json, void *payload) {
    static point want;
    struct lines *lines = payload;
    struct walk a = *lines->a;
    struct line line = line_read(json);
    a.epochs = ++lines->n;
    plain(want, &a, 1);
    line_check(&line, lines, objective(&a, want));
    const struct tree *weights = tree_find(line.facts, "weights"),
                      *bias = tree_find(line.facts, "bias");
    assert_int_equal(weights->count, a.classes);
    assert_int_equal(bias->count, a.classes);
    const struct tree *row = weights->first, *b = bias->first;
    for (size_t k = 0; k < a.classes; k++, row = row->next, b = b->next) {
        size_t j = 0;
        assert_int_equal(row->count, a.cols);
        for (const struct tree *cell = row->first; cell; cell = cell->next, j++)
            assert_true(fabs(cell->number - want[k][j]) < 1e-12);
        assert_true(fabs(b->number - want[k][a.cols]) < 1e-12);
    }
    line_free(&line);
    return 0;
}

static void test_every_epoch_is_traced(void **state) {
    struct rng rng = rng_make(test_seed(55), 0);
    (void)state;
    for (size_t round = 0; round < 6; round++) {
        struct walk a = random_walk(&rng, round, false);
        char spec[512];
        a.batch = 1;
        a.bias = 0;
        a.epochs = 9;
        write_spec(spec, sizeof spec, &a, a.loss == MSE ? "softmax(loss=mse, " : "softmax(", 1,
                   a.l2);
        check_trace(&a, spec, check_line);
    }
}

/* It has converged when the gap says so, and only then. */
static void test_shortfalls_are_said(void **state) {
    struct walk a = {.n = 6, .cols = 1, .classes = 3};
    sepal_ctx *ctx;
    (void)state;
    for (size_t i = 0; i < a.n; i++) {
        a.own[i] = (int)(i % 3);
        a.x[i][0] = (double)(i * i % 7) - 1;
    }
    assert_int_equal(sepal_ctx_new(&ctx), SEPAL_OK);
    sepal_data *data = dense(ctx, &a);
    assert_true(fit_plainly(ctx, data, "softmax(l2=1, eta=0.01, epochs=3)", "solver=sgd",
                            "converged") == 0);
    assert_true(warned(ctx, "not-converged", "does not aim at a gap"));
    assert_true(fit_plainly(ctx, data, "softmax(l2=1, eta=0.2, batch=0, epochs=900)",
                            "solver=sgd, tol=1e-9", "converged") == 1);
    assert_int_equal(sepal_ctx_warning_count(ctx), 0);
    assert_true(
        fit_plainly(ctx, data, "softmax(l2=1, eta=3, epochs=9)", "solver=sgd", "converged") == 0);
    assert_true(warned(ctx, "not-converged", "weights of 0 have 1.1"));
    assert_true(fit_plainly(ctx, data, "softmax(l2=1, eta=9, epochs=2000)", "solver=sgd",
                            "converged") == 0);
    assert_true(warned(ctx, "not-converged", "exceed the largest number"));
    assert_true(fit_plainly(ctx, data, "softmax(eta=9, average)", NULL, "converged") == 1);
    assert_true(warned(ctx, "unused-parameter", "eta") &&
                warned(ctx, "unused-parameter", "average"));
    assert_true(isnan(fit_plainly(ctx, data, "softmax(loss=mse, l1=0.1)", "solver=sgd", "gap")));
    sepal_data_free(data);
    sepal_ctx_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walks_as_plain_loops),
        cmocka_unit_test(test_strong_penalty_on_sparse_rows),
        cmocka_unit_test(test_standardized_rows_count_with_their_centre),
        cmocka_unit_test(test_two_classes_are_logistic_at_twice_the_step),
        cmocka_unit_test(test_first_step_by_hand),
        cmocka_unit_test(test_every_epoch_is_traced),
        cmocka_unit_test(test_shortfalls_are_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
