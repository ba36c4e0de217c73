/* The machine of Crammer and Singer: its objective by plain loops, and facts about its optimum, for each of
   its solvers. */
#include "contract/strategy_problem.h"

#include "report/report.h"

static const char *const solvers[] = {"dual", "augmented"};

struct machine {
    sepal_model *model;
    double objective, dual, gap, l2, support, margin;
    bool converged;
    double *score; /* rows x classes; of two classes rows x 1 */
    size_t rows, classes;
};

static void machine_free(struct machine *m) {
    sepal_model_free(m->model);
    free(m->score);
}

static struct machine machine_of(const struct problem *p, bool sparse, const char *spec,
                                 const char *options) {
    struct machine m = {.rows = p->rows, .classes = p->classes};
    sepal_data *data = problem_data(p, ctx, sparse);
    sepal_report *report = NULL;
    if (sepal_model_fit(&m.model, &report, ctx, spec, data, options) != SEPAL_OK)
        fail_msg("%s, %s: %s", spec, options, ctx->error.message);
    m.objective = sepal_report_number(report, "objective");
    m.dual = sepal_report_number(report, "certificate.dual");
    m.gap = sepal_report_number(report, "gap");
    m.l2 = sepal_report_number(report, "certificate.l2");
    m.support = sepal_report_number(report, "svm.support_vectors");
    m.margin = sepal_report_number(report, "svm.margin");
    m.converged = sepal_report_number(report, "converged") != 0;
    m.score = scores_of(m.model, data);
    sepal_report_free(report);
    data_free(data);
    return m;
}

static struct machine machine_solved(const struct problem *p, bool sparse, const char *spec,
                                     const char *options) {
    struct machine m = machine_of(p, sparse, spec, options);
    if (!m.converged)
        fail_msg("%s, %s: %zu x %zu, %zu classes: gap %g", spec, options, p->rows, p->cols,
                 p->classes, m.gap);
    return m;
}

/* How far the row's own class is ahead of the best other one. */
static double lead(const struct machine *m, size_t i, size_t own) {
    const double *s = m->score + i * m->classes;
    double other = -INFINITY;
    for (size_t k = 0; k < m->classes; k++)
        if (k != own) other = fmax(other, s[k]);
    return s[own] - other;
}

static double weight_square(const struct machine *m, bool biases) {
    const struct linear *l = &m->model->linear;
    double sum = 0;
    for (size_t k = 0; k < l->rows * l->cols; k++) sum += l->w[k] * l->w[k];
    for (size_t k = 0; biases && k < l->rows; k++) sum += l->b[k] * l->b[k];
    return sum;
}

static struct problem machine_problem(struct rng *rng, size_t rows, size_t cols, size_t classes) {
    struct problem p = problem_new(rng, rows, cols, classes);
    for (size_t k = 0; k < rows * cols; k++)
        if (rng_below(rng, 3) == 0) p.x[k] = 0;
    return p;
}

/* ---- the objective ------------------------------------------------------------------------------ */

static void check_objective(const struct problem *p, const struct machine *m, const char *bias,
                            const double *factor) {
    double loss = 0, total = 0, support = 0;
    for (size_t i = 0; i < p->rows; i++) {
        double ahead = lead(m, i, (size_t)p->label[i]);
        loss += problem_weight(p, i) * (factor ? factor[p->label[i]] : 1) * fmax(0, 1 - ahead);
        total += problem_weight(p, i);
        support += ahead <= 1 + 1e-6;
    }
    double value = loss / total + m->l2 / 2 * weight_square(m, strcmp(bias, "penalised") == 0);
    assert_true(fabs(value - m->objective) <= 1e-11 * (1 + value));
    assert_true(m->dual <= m->objective && m->objective - m->dual <= 1.01e-8 * m->objective);
    assert_true(support == m->support);
}

/* The weights of all classes add up to 0, and the margin is that of the closest pair. */
static void check_weights(const struct machine *m) {
    const struct linear *l = &m->model->linear;
    double most = 0;
    for (size_t j = 0; j < l->cols; j++) {
        double sum = 0, size = 0;
        for (size_t k = 0; k < l->rows; k++) {
            sum += l->w[k * l->cols + j];
            size += fabs(l->w[k * l->cols + j]);
        }
        assert_true(fabs(sum) <= 1e-13 * size);
    }
    for (size_t k = 0; k < l->rows; k++)
        for (size_t q = 0; q < k; q++) {
            double sum = 0;
            for (size_t j = 0; j < l->cols; j++) {
                double d = l->w[k * l->cols + j] - l->w[q * l->cols + j];
                sum += d * d;
            }
            most = fmax(most, sum);
        }
    assert_true(fabs(m->margin * sqrt(most) - 1) < 1e-9);
}

static void test_objective(void **state) {
    (void)state;
    static const char *const biases[] = {"true", "false", "penalised"};
    struct rng rng = rng_make(test_seed(701), 1);
    for (size_t number = 0; number < 48; number++) {
        size_t classes = 3 + rng_below(&rng, 18), cols = 1 + rng_below(&rng, 9);
        struct problem p = machine_problem(&rng, classes + 20 + rng_below(&rng, 80), cols, classes);
        const char *bias = biases[number % 3];
        double factor[100];
        char spec[128], options[64];
        if (number % 2) problem_weigh(&p, &rng);
        for (size_t k = 0; k < 100; k++) factor[k] = k == 1 ? 2.5 : 1;
        snprintf(spec, sizeof spec, "svm(loss=crammer_singer, l2=%g, bias=%s%s)",
                 pow(10, -3 + 3 * rng_unit(&rng)), bias,
                 number % 4 == 3 ? ", class-weight=\"c01:2.5\"" : "");
        /* descent alone takes long to the last digits */
        snprintf(options, sizeof options, "tol=1e-8, solver=%s", "augmented");
        struct machine m = machine_solved(&p, number % 5 == 0, spec, options);
        check_objective(&p, &m, bias, number % 4 == 3 ? factor : NULL);
        check_weights(&m);
        machine_free(&m);
        problem_free(&p);
    }
}

/* ---- on the way --------------------------------------------------------------------------------- */

/* Whenever a solver is stopped, the optimum lies between its bound and its objective. */
static void test_every_step(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(702), 1);
    for (size_t number = 0; number < 8; number++) {
        struct problem p = machine_problem(&rng, 60, 4, 3 + number % 3);
        const char *spec = number % 2 ? "svm(loss=crammer_singer, C=0.3)"
                                      : "svm(loss=crammer_singer, C=0.3, bias=false)";
        struct machine best = machine_solved(&p, false, spec, "tol=1e-10");
        double gaps[2] = {INFINITY, INFINITY};
        for (size_t steps = 1; steps <= 40; steps++)
            for (size_t which = 0; which < 2; which++) {
                char options[64];
                snprintf(options, sizeof options, "tol=1e-9, solver=%s, max_iter=%zu",
                         solvers[which], steps);
                struct machine m = machine_of(&p, false, spec, options);
                assert_true(m.dual <= best.objective && best.dual <= m.objective);
                gaps[which] = m.gap;
                machine_free(&m);
            }
        if (!(gaps[0] < 0.05 && gaps[1] < 0.05)) fail_msg("%s %g %g", spec, gaps[0], gaps[1]);
        machine_free(&best);
        problem_free(&p);
    }
}

static void test_solvers_agree(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(703), 1);
    for (size_t number = 0; number < 12; number++) {
        bool wide = number % 3 == 2; /* too many weights for a factor of the Hessian */
        struct problem p = machine_problem(&rng, 80, wide ? 500 : 5, 4);
        const char *spec = number % 2 ? "svm(loss=crammer_singer, l2=0.05)"
                                      : "svm(loss=crammer_singer, l2=0.05, bias=penalised)";
        struct machine a = machine_solved(&p, wide, spec, "tol=1e-6, solver=dual"),
                       b = machine_solved(&p, wide, spec, "tol=1e-9, solver=augmented");
        assert_true(fabs(a.objective - b.objective) <= 1.1e-6 * b.objective);
        machine_free(&a);
        machine_free(&b);
        problem_free(&p);
    }
}

/* ---- facts --------------------------------------------------------------------------------------- */

static double weights_apart(const struct machine *a, const struct machine *b) {
    const struct linear *l = &a->model->linear;
    double sum = 0;
    for (size_t k = 0; k < l->rows * l->cols; k++) {
        double d = l->w[k] - b->model->linear.w[k];
        sum += d * d;
    }
    return sqrt(sum / weight_square(a, false));
}

/* Two classes: the hinge with half the penalty, and w = w_2 - w_1. */
static void test_two_classes(void **state) {
    (void)state;
    static const char *const biases[] = {"true", "false", "penalised"};
    struct rng rng = rng_make(test_seed(704), 1);
    for (size_t number = 0; number < 12; number++) {
        struct problem p = machine_problem(&rng, 60, 3, 2);
        char spec[128], hinge[128];
        if (number % 4 == 3) problem_weigh(&p, &rng);
        snprintf(spec, sizeof spec, "svm(loss=crammer_singer, l2=0.1, bias=%s)%s",
                 biases[number % 3], number % 2 ? " | ovr" : "");
        snprintf(hinge, sizeof hinge, "svm(loss=hinge, l2=0.05, bias=%s)", biases[number % 3]);
        struct machine a = machine_solved(&p, false, spec, "tol=1e-10"),
                       b = machine_solved(&p, false, hinge, "tol=1e-10");
        assert_int_equal(a.model->linear.rows, 1);
        assert_true(fabs(a.objective - b.objective) < 1e-9 * b.objective);
        assert_true(weights_apart(&a, &b) < 1e-4);
        assert_true(fabs(a.margin - b.margin) < 1e-4 * b.margin);
        machine_free(&a);
        machine_free(&b);
        problem_free(&p);
    }
}

/* Rows that are ahead by more than 1 have dual variables of 0: they can be left out. */
static void test_rows_beyond(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(705), 1);
    size_t left_out = 0;
    for (size_t number = 0; number < 10; number++) {
        struct problem p = machine_problem(&rng, 120, 4, 3);
        for (size_t i = 0; i < p.rows; i++) p.x[i * p.cols + (size_t)p.label[i]] += 3;
        const char *spec = number % 2 ? "svm(loss=crammer_singer, C=0.5)"
                                      : "svm(loss=crammer_singer, C=0.5, bias=false)";
        struct machine all = machine_solved(&p, false, spec, "tol=1e-9");
        struct problem some = machine_problem(&rng, p.rows, p.cols, p.classes);
        size_t kept = 0;
        for (size_t i = 0; i < p.rows; i++) {
            if (lead(&all, i, (size_t)p.label[i]) > 1 + 1e-3) continue;
            memcpy(some.x + kept * p.cols, p.x + i * p.cols, p.cols * sizeof *p.x);
            some.label[kept++] = p.label[i];
        }
        left_out += p.rows - kept;
        some.rows = kept;
        struct machine fewer = machine_solved(&some, false, spec, "tol=1e-9");
        assert_true(weights_apart(&all, &fewer) < 1e-3);
        machine_free(&all);
        machine_free(&fewer);
        problem_free(&p);
        problem_free(&some);
    }
    assert_true(left_out > 100);
}

/* Weights of 2 and class weights of 2 are copies of the rows, at the same l2 beside the sum. */
static void test_copies(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(706), 1);
    for (size_t number = 0; number < 6; number++) {
        struct problem p = machine_problem(&rng, 50, 4, 3), twice;
        twice = machine_problem(&rng, 100, 4, 3);
        p.weight = malloc(p.rows * sizeof *p.weight);
        size_t rows = 0;
        for (size_t i = 0; i < p.rows; i++) {
            p.weight[i] = 1 + (double)(i % 3 == 0);
            for (size_t copy = 0; copy < (i % 3 == 0 ? 2 : 1); copy++) {
                memcpy(twice.x + rows * p.cols, p.x + i * p.cols, p.cols * sizeof *p.x);
                twice.label[rows++] = p.label[i];
            }
        }
        twice.rows = rows;
        struct machine a = machine_solved(&p, false, "svm(loss=crammer_singer, C=1)", "tol=1e-10"),
                       b = machine_solved(&twice, false, "svm(loss=crammer_singer, C=1)",
                                          "tol=1e-10");
        assert_true(fabs(a.objective - b.objective) <= 1e-9 * b.objective);
        assert_true(weights_apart(&a, &b) < 1e-4);
        machine_free(&a);
        machine_free(&b);
        problem_free(&p);
        problem_free(&twice);
    }
}

/* ---- hard times ---------------------------------------------------------------------------------- */

/* Rows of zeros, columns of zeros, equal rows of other classes, one column, many classes of few rows. */
static void test_degenerate(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(707), 1);
    for (size_t number = 0; number < 24; number++) {
        struct problem p = machine_problem(&rng, 40, 1 + number % 4, 3 + number % 15);
        double size = number % 5 == 4 ? 1e-6 : number % 5 == 3 ? 100 : 1;
        for (size_t k = 0; k < p.rows * p.cols; k++) {
            if (number % 5 == 0) p.x[k] = 0;
            if (number % 5 == 1) p.x[k] = floor(p.x[k]);
            if (k % p.cols == 0 && number % 5 == 2) p.x[k] = 7;
            p.x[k] *= size;
        }
        struct machine m = machine_solved(
            &p, number % 2,
            number % 3 ? "svm(loss=crammer_singer)" : "svm(loss=crammer_singer, bias=false)", "");
        machine_free(&m);
        problem_free(&p);
    }
}

static void test_threads(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(708), 1);
    struct problem p = machine_problem(&rng, 1200, 6, 5);
    for (size_t which = 0; which < 2; which++) {
        char options[64];
        snprintf(options, sizeof options, "solver=%s, tol=1e-4", solvers[which]);
        struct machine one, other;
        sepal_ctx_set_threads(ctx, 1);
        one = machine_solved(&p, which == 0, "svm(loss=crammer_singer)", options);
        sepal_ctx_set_threads(ctx, 3);
        other = machine_solved(&p, which == 0, "svm(loss=crammer_singer)", options);
        sepal_ctx_set_threads(ctx, 1);
        const struct linear *l = &one.model->linear, *r = &other.model->linear;
        assert_memory_equal(l->w, r->w, l->rows * l->cols * sizeof *l->w);
        assert_memory_equal(l->b, r->b, l->rows * sizeof *l->b);
        machine_free(&one);
        machine_free(&other);
    }
    problem_free(&p);
}

static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *spec, *options, *words;
    } cases[] = {
        {"svm(loss=crammer_singer, penalty=none)", "", "L2 penalty only; write C=1"},
        {"svm(loss=crammer_singer, l2=0)", "", "L2 penalty only"},
        {"svm(loss=crammer_singer, penalty=l2, l2=0)", "", "L2 penalty only"},
        {"svm(loss=crammer_singer, penalty=l1)", "", "L2 penalty only"},
        {"svm(loss=crammer_singer, l1=0.1, l2=0.1)", "", "L2 penalty only"},
        {"svm(loss=crammer_singer, C=1, ratio=0.5)", "", "L2 penalty only"},
        {"svm(loss=crammer_singer)", "solver=interior", "take one of: dual, sgd, augmented"},
        {"svm(loss=crammer_singer)", "solver=newton-cg", "no slope at its kinks"},
        {"svm(loss=hinge) | machine", "", "is no machine"},
        {"svm | machine", "", "naive-bayes"},
        {"svm | machine", "", "svm(loss=crammer_singer)"},
        {"softmax", "solver=augmented", "softmax has no solver 'augmented'"},
    };
    struct rng rng = rng_make(test_seed(709), 1);
    struct problem p = machine_problem(&rng, 30, 2, 3);
    sepal_data *data = problem_data(&p, ctx, false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sepal_model *model = NULL;
        sepal_status found =
            sepal_model_fit(&model, NULL, ctx, cases[i].spec, data, cases[i].options);
        if (found != SEPAL_EUSAGE || !strstr(ctx->error.message, cases[i].words))
            fail_msg("%s: %d, %s", cases[i].spec, (int)found, ctx->error.message);
        assert_null(model);
    }
    data_free(data);
    problem_free(&p);
}

/* Without a strategy it is a machine of all classes; by pairs and against the rest it works, too. */
static void test_strategies(void **state) {
    (void)state;
    static const char *const names[] = {"machine", "ovr", "ovo"};
    struct rng rng = rng_make(test_seed(710), 1);
    struct problem p = machine_problem(&rng, 90, 3, 4);
    struct machine plain = machine_solved(&p, false, "svm(loss=crammer_singer)", "");
    assert_ptr_equal(plain.model->linear.strategy, strategy_find("machine"));
    for (size_t i = 0; i < 3; i++) {
        char spec[64];
        snprintf(spec, sizeof spec, "svm(loss=crammer_singer) | %s", names[i]);
        struct machine m = machine_solved(&p, false, spec, "");
        assert_ptr_equal(m.model->linear.strategy, strategy_find(names[i]));
        if (i == 0) assert_memory_equal(m.score, plain.score, 90 * 4 * sizeof *m.score);
        machine_free(&m);
    }
    machine_free(&plain);
    problem_free(&p);
}

/* Columns whose sizes differ by more than any rounding: whatever is found is no worse than weights of 0. */
static void test_no_worse_than_nothing(void **state) {
    (void)state;
    static const char *const specs[] = {"svm(loss=crammer_singer, bias=penalised)",
                                        "svm(loss=crammer_singer, bias=penalised, l2=1e-6)",
                                        "svm(loss=hinge, l2=0.02)"};
    struct rng rng = rng_make(test_seed(711), 1);
    for (size_t k = 0; k < 30; k++) {
        struct problem p = machine_problem(&rng, 24, 4, 2 + k % 3);
        for (size_t i = 0; i < p.rows * p.cols; i++)
            p.x[i] *= pow(10, (double)(i % p.cols) * (k % 2 ? 20 : 3) + 2);
        for (size_t s = 0; s < 3; s++) {
            struct machine m = machine_of(&p, k % 2, specs[s], NULL);
            double problems = s == 2 && p.classes > 2 ? (double)p.classes : 1;
            if (!(m.objective <= problems * (1 + 1e-6)))
                fail_msg("%s, problem %zu: %g", specs[s], k, m.objective);
            machine_free(&m);
        }
        problem_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_objective, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_every_step, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_solvers_agree, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_two_classes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_rows_beyond, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_copies, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_degenerate, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_threads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_strategies, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_worse_than_nothing, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
