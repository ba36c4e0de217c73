/* --solver sgd against the same walk in plain loops, which know no sparse rows and put nothing off;
   and its first steps against numbers worked out by hand. */
#include "contract/sgd_problem.h"

enum { LOGISTIC, SQUARED_HINGE, HINGE };

/* ---- plain loops -------------------------------------------------------------------------- */

static int side_of(const struct walk *a, size_t i) {
    return a->own[i] ? 1 : -1;
}

static double score(const struct walk *a, const double *u, size_t i) {
    double s = a->bias == 1 ? 0 : u[a->cols];
    for (size_t j = 0; j < a->cols; j++) s += u[j] * a->x[i][j];
    return s;
}

static double loss_at(unsigned loss, double m) {
    double short_of = fmax(0, 1 - m);
    if (loss == LOGISTIC) return log1p(exp(-m));
    return loss == HINGE ? short_of : short_of * short_of;
}

static double slope_at(unsigned loss, double m) {
    if (loss == LOGISTIC) return -1 / (1 + exp(m));
    if (m >= 1) return 0;
    return loss == HINGE ? -1 : -2 * (1 - m);
}

static double objective(const struct walk *a, const double *u) {
    double sum = 0;
    for (size_t i = 0; i < a->n; i++)
        sum += share(a, i) * loss_at(a->loss, side_of(a, i) * score(a, u, i));
    for (size_t j = 0; j < penalised(a); j++) sum += a->l1 * fabs(u[j]) + a->l2 / 2 * u[j] * u[j];
    return sum;
}

static void plain_step(const struct walk *a, double *u, const uint32_t *rows, size_t n,
                       double eta) {
    double g[WIDE] = {0};
    for (size_t k = 0; k < n; k++) {
        size_t i = rows[k];
        double slope = (double)a->n * share(a, i) * side_of(a, i) *
                       slope_at(a->loss, side_of(a, i) * score(a, u, i)) / (double)n;
        for (size_t j = 0; j < a->cols; j++) g[j] += slope * a->x[i][j];
        if (a->bias != 1) g[a->cols] += slope;
    }
    for (size_t j = 0; j < WIDE; j++) {
        bool kept_small = j < penalised(a);
        u[j] -= eta * (g[j] + (kept_small ? a->l2 * u[j] : 0));
        if (kept_small) u[j] = copysign(fmax(0, fabs(u[j]) - eta * a->l1), u[j]);
    }
}

static void plain(double *out, const struct walk *a, uint64_t seed) {
    double u[WIDE] = {0}, sum[WIDE] = {0};
    size_t batch = batch_of(a), steps = 0;
    for (size_t epoch = 1; epoch <= a->epochs; epoch++) {
        uint32_t rows[MOST_ROWS];
        order_of_epoch(rows, a, seed, epoch);
        for (size_t first = 0; first < a->n; first += batch, steps++) {
            plain_step(a, u, rows + first, a->n - first < batch ? a->n - first : batch,
                       rate_of(a, steps));
            for (size_t j = 0; j < WIDE; j++) sum[j] += u[j];
        }
    }
    for (size_t j = 0; j < WIDE; j++) out[j] = a->average ? sum[j] / (double)steps : u[j];
}

/* ---- the product -------------------------------------------------------------------------- */

static void write_spec(char *out, size_t room, const struct walk *a, const char *maps) {
    static const char *const learners[] = {"logistic(", "svm(loss=squared_hinge, ",
                                           "svm(loss=hinge, "};
    (void)snprintf(out, room,
                   "%s%sl1=%.17g, l2=%.17g, bias=%s, eta=%.17g, epochs=%zu, batch=%zu, "
                   "schedule=%s, shuffle=%s, average=%s)",
                   maps, learners[a->loss], a->l1, a->l2, BIASES[a->bias], a->eta, a->epochs,
                   a->batch, SCHEDULES[a->schedule], a->shuffle ? "true" : "false",
                   a->average ? "true" : "false");
}

/* u = the weights of the columns as they are, and the bias behind them. */
static void fit(double *u, sepal_ctx *ctx, const sepal_data *data, const char *spec,
                sepal_report **report) {
    sepal_model *model;
    sepal_status status = sepal_model_fit(&model, report, ctx, spec, data, "solver=sgd");
    if (status != SEPAL_OK) print_error("%s: %s\n", spec, sepal_ctx_error(ctx));
    assert_int_equal(status, SEPAL_OK);
    assert_null(model->linear.centre);
    memset(u, 0, WIDE * sizeof *u);
    memcpy(u, model->linear.w, model->linear.cols * sizeof *u);
    u[model->linear.cols] = model->linear.b[0];
    sepal_model_free(model);
}

/* ---- random problems ---------------------------------------------------------------------- */

/* Rows of few columns, or so many and so empty that they are kept sparse. */
static struct walk random_walk(struct rng *rng, size_t round, bool wide) {
    struct walk a = {.n = 2 + rng_below(rng, MOST_ROWS - 1), .cols = 1 + rng_below(rng, FEW_COLS)};
    if (wide) a.cols = MOST_COLS - rng_below(rng, 16);
    for (size_t i = 0; i < a.n; i++) {
        a.own[i] = i < 2 ? (int)i : (int)rng_below(rng, 2);
        a.weight[i] = 0.25 + rng_unit(rng);
        for (size_t j = 0; j < a.cols; j++)
            if (rng_below(rng, wide ? 8 : 3) == 0 || (i == 0 && j + 1 == a.cols))
                a.x[i][j] = round / 2 % 4 == 0 ? 1 : 2 * rng_unit(rng) - 1 + 0.3 * side_of(&a, i);
    }
    a.weighted = rng_below(rng, 2);
    a.loss = (unsigned)(round % 3);
    draw_steps(&a, rng);
    return a;
}

static void check_close(const double *got, const double *want, const char *spec) {
    for (size_t j = 0; j < WIDE; j++) {
        if (fabs(got[j] - want[j]) <= 1e-12 * (1 + fabs(want[j]))) continue;
        print_error("%s: number %zu is %.17g, not %.17g\n", spec, j, got[j], want[j]);
        fail();
    }
}

static void test_walks_as_plain_loops(void **state) {
    enum { ROUNDS = 400 };
    struct rng rng = rng_make(test_seed(11), 0);
    (void)state;
    for (size_t round = 0; round < ROUNDS; round++) {
        struct walk a = random_walk(&rng, round, round % 2);
        sepal_ctx *ctx;
        char spec[512];
        double want[WIDE], got[WIDE];
        assert_int_equal(sepal_ctx_new(&ctx), SEPAL_OK);
        sepal_ctx_set_seed(ctx, round);
        write_spec(spec, sizeof spec, &a, "");
        sepal_data *data = round % 2 ? sparse(ctx, &a) : dense(ctx, &a);
        fit(got, ctx, data, spec, NULL);
        plain(want, &a, round);
        check_close(got, want, spec);
        sepal_data_free(data);
        sepal_ctx_free(ctx);
    }
}

/* A long walk of many small steps: the scale falls below what is kept, again and again. */
static void test_strong_penalty_on_sparse_rows(void **state) {
    struct rng rng = rng_make(test_seed(12), 0);
    (void)state;
    for (size_t round = 0; round < 60; round++) {
        struct walk a = random_walk(&rng, round, true);
        sepal_ctx *ctx;
        char spec[512];
        double want[WIDE], got[WIDE];
        a.l2 = round % 3 == 2 ? 1 / a.eta : 0.7 / a.eta; /* the first makes a factor of 0 */
        a.batch = 1;
        a.epochs = 50;
        a.schedule = CONSTANT;
        assert_int_equal(sepal_ctx_new(&ctx), SEPAL_OK);
        write_spec(spec, sizeof spec, &a, "");
        sepal_data *data = sparse(ctx, &a);
        fit(got, ctx, data, spec, NULL);
        plain(want, &a, 1);
        check_close(got, want, spec);
        sepal_data_free(data);
        sepal_ctx_free(ctx);
    }
}

/* Standardised sparse rows keep their zeros and carry a centre: it counts at every step. */
static void test_standardized_rows_count_with_their_centre(void **state) {
    struct rng rng = rng_make(test_seed(13), 0);
    (void)state;
    for (size_t round = 0; round < 60; round++) {
        struct walk a = random_walk(&rng, round, round % 3 > 0);
        sepal_ctx *ctx;
        char spec[512];
        double want[WIDE], got[WIDE];
        assert_int_equal(sepal_ctx_new(&ctx), SEPAL_OK);
        write_spec(spec, sizeof spec, &a, "standardize | ");
        sepal_data *data = round % 3 ? sparse(ctx, &a) : dense(ctx, &a);
        fit(got, ctx, data, spec, NULL);
        standardized(&a);
        plain(want, &a, 1);
        check_close(got, want, spec);
        sepal_data_free(data);
        sepal_ctx_free(ctx);
    }
}

/* ---- by hand ------------------------------------------------------------------------------ */

/* Rows 0, 1, 2 with labels no, yes, yes; eta = 1/2, no penalty. Row by row from w = b = 0, with
   y = 1 / (1 + e^-s) and t = 0 or 1, eta (t - y) is
     s = 0:          y = 1/2,              -0.25                 b = -0.25, w = 0
     s = -0.25:      y = 0.437823499114,    0.281088250443       b = 0.031088250443, w = 0.281088250443
     s = 0.593264751329: y = 0.644113880137, 0.177943059932      b = 0.209031310375, w = 0.636974370306 */
static void test_first_epoch_by_hand(void **state) {
    struct walk a = {.n = 3, .cols = 1, .x = {{0}, {1}, {2}}, .own = {0, 1, 1}, .eta = 0.5};
    sepal_ctx *ctx;
    char spec[512];
    double u[WIDE];
    (void)state;
    a.epochs = a.batch = 1;
    assert_int_equal(sepal_ctx_new(&ctx), SEPAL_OK);
    sepal_data *data = dense(ctx, &a);
    write_spec(spec, sizeof spec, &a, "");
    fit(u, ctx, data, spec, NULL);
    assert_true(fabs(u[0] - 0.636974370306) < 1e-10);
    assert_true(fabs(u[1] - 0.209031310375) < 1e-10);

    /* all at once: the errors are -1/2, 1/2, 1/2, so w = eta (0 + 1/2 + 1) / 3, b = eta / 6 */
    a.batch = 0;
    write_spec(spec, sizeof spec, &a, "");
    fit(u, ctx, data, spec, NULL);
    assert_true(fabs(u[0] - 0.25) < 1e-15 && fabs(u[1] - 0.5 / 6) < 1e-15);

    /* hinge: every margin of the first step is 0, below 1, so each error is its side */
    a.loss = HINGE;
    write_spec(spec, sizeof spec, &a, "");
    fit(u, ctx, data, spec, NULL);
    assert_true(fabs(u[0] - 0.5) < 1e-15 && fabs(u[1] - 0.5 / 3) < 1e-15);
    sepal_data_free(data);
    sepal_ctx_free(ctx);
}

/* ---- the gradient ------------------------------------------------------------------------- */

/* With all rows to a step, the step from u is -eta times the gradient of P there. */
static void test_batch_step_is_the_gradient(void **state) {
    struct rng rng = rng_make(test_seed(14), 0);
    (void)state;
    for (size_t round = 0; round < 40; round++) {
        struct walk a = random_walk(&rng, 1, false);
        sepal_ctx *ctx;
        char spec[512];
        double before[WIDE], after[WIDE];
        a.loss = round % 2 ? LOGISTIC : SQUARED_HINGE;
        a.l1 = 0;
        a.batch = 0;
        a.average = false;
        a.schedule = CONSTANT;
        assert_int_equal(sepal_ctx_new(&ctx), SEPAL_OK);
        sepal_data *data = dense(ctx, &a);
        a.epochs = 2;
        write_spec(spec, sizeof spec, &a, "");
        fit(before, ctx, data, spec, NULL);
        a.epochs = 3;
        write_spec(spec, sizeof spec, &a, "");
        fit(after, ctx, data, spec, NULL);
        for (size_t j = 0; j < a.cols + (a.bias != 1); j++) {
            const double h = 1e-6;
            double high[WIDE], low[WIDE];
            memcpy(high, before, sizeof high);
            memcpy(low, before, sizeof low);
            high[j] += h;
            low[j] -= h;
            double slope = (objective(&a, high) - objective(&a, low)) / (2 * h);
            assert_true(fabs(after[j] - before[j] + a.eta * slope) < 1e-6 * a.eta);
        }
        sepal_data_free(data);
        sepal_ctx_free(ctx);
    }
}

/* ---- what is told ------------------------------------------------------------------------- */

static int check_line(const char *json, void *payload) {
    struct lines *lines = payload;
    struct walk a = *lines->a;
    double want[WIDE];
    struct line line = line_read(json);
    a.epochs = ++lines->n;
    plain(want, &a, 1);
    line_check(&line, lines, objective(&a, want));
    const struct tree *weights = tree_find(line.facts, "weights"),
                      *bias = tree_find(line.facts, "bias");
    assert_true(weights && bias && weights->first->count == a.cols);
    size_t j = 0;
    for (const struct tree *cell = weights->first->first; cell; cell = cell->next, j++)
        assert_true(fabs(cell->number - want[j]) < 1e-12);
    assert_true(fabs(bias->first->number - want[a.cols]) < 1e-12);
    line_free(&line);
    return 0;
}

static void test_every_epoch_is_traced(void **state) {
    struct rng rng = rng_make(test_seed(15), 0);
    (void)state;
    for (size_t round = 0; round < 6; round++) {
        struct walk a = random_walk(&rng, round, false);
        char spec[512];
        a.batch = 1;
        a.bias = 0;
        a.epochs = 9;
        write_spec(spec, sizeof spec, &a, "");
        check_trace(&a, spec, check_line);
    }
}

/* It has converged when the gap says so, and only then. */
static void test_shortfalls_are_said(void **state) {
    struct walk a = {.n = 4, .cols = 1, .x = {{0}, {3}, {2}, {-1}}, .own = {0, 1, 1, 0}, .eta = 1};
    sepal_ctx *ctx;
    (void)state;
    assert_int_equal(sepal_ctx_new(&ctx), SEPAL_OK);
    sepal_data *data = dense(ctx, &a);
    assert_true(fit_plainly(ctx, data, "logistic(l2=1, eta=0.01, epochs=3)", "solver=sgd",
                            "converged") == 0);
    assert_true(warned(ctx, "not-converged", "does not aim at a gap"));
    assert_true(fit_plainly(ctx, data, "logistic(l2=1, eta=0.5, batch=0, epochs=500)",
                            "solver=sgd, tol=1e-9", "converged") == 1);
    assert_int_equal(sepal_ctx_warning_count(ctx), 0);
    assert_true(fit_plainly(ctx, data, "svm(eta=9, epochs=3)", "solver=sgd", "converged") == 0);
    assert_true(warned(ctx, "not-converged", "weights of 0 have"));
    assert_true(fit_plainly(ctx, data, "svm(eta=9, epochs=1000)", "solver=sgd", "converged") == 0);
    assert_true(warned(ctx, "not-converged", "exceed the largest number"));
    assert_true(fit_plainly(ctx, data, "logistic(eta=9, average)", NULL, "converged") == 1);
    assert_true(warned(ctx, "unused-parameter", "eta") &&
                warned(ctx, "unused-parameter", "average"));
    assert_false(warned(ctx, "unused-parameter", "epochs"));
    sepal_data_free(data);
    sepal_ctx_free(ctx);
}

/* Orders depend on the seed, and on nothing else. */
static void test_shuffles_are_seeded(void **state) {
    struct rng rng = rng_make(test_seed(16), 0);
    struct walk a = random_walk(&rng, 1, false);
    double u[4][WIDE];
    char spec[512];
    (void)state;
    a.n = 30;
    a.own[29] = a.own[28] = 1;
    a.batch = 1;
    a.shuffle = true;
    a.loss = LOGISTIC;
    write_spec(spec, sizeof spec, &a, "");
    for (size_t k = 0; k < 4; k++) {
        sepal_ctx *ctx;
        assert_int_equal(sepal_ctx_new(&ctx), SEPAL_OK);
        sepal_ctx_set_seed(ctx, k / 2);
        sepal_ctx_set_threads(ctx, 1 + k % 2);
        sepal_data *data = dense(ctx, &a);
        fit(u[k], ctx, data, spec, NULL);
        sepal_data_free(data);
        sepal_ctx_free(ctx);
    }
    assert_memory_equal(u[0], u[1], sizeof u[0]);
    assert_memory_equal(u[2], u[3], sizeof u[2]);
    /* the first column may be one of zeros */
    assert_memory_not_equal(u[0], u[2], sizeof u[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walks_as_plain_loops),
        cmocka_unit_test(test_strong_penalty_on_sparse_rows),
        cmocka_unit_test(test_standardized_rows_count_with_their_centre),
        cmocka_unit_test(test_first_epoch_by_hand),
        cmocka_unit_test(test_batch_step_is_the_gradient),
        cmocka_unit_test(test_every_epoch_is_traced),
        cmocka_unit_test(test_shortfalls_are_said),
        cmocka_unit_test(test_shuffles_are_seeded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
