/* Each class against the rest in lock-step, over random problems: every class has the objective of
   the same problem fitted by itself, up to the gaps; what is reported is what plain loops find at the
   weights; the bits depend on no number of threads and no kernel set; shortfalls are told. */
#include "contract/convex_problem.h"

#include "kernels/kernels.h"
#include "learners/convex.h"

struct joint_fits {
    sepal_model *model;
    sepal_report *report;
};

static struct joint_fits fit_joint(const sepal_data *data, const char *spec, const char *options) {
    struct joint_fits out = {0};
    if (sepal_model_fit(&out.model, &out.report, ctx, spec, data, options) != SEPAL_OK)
        fail_msg("%s, %s: %s", spec, options, ctx->error.message);
    return out;
}

static void joint_free(struct joint_fits *joint) {
    sepal_model_free(joint->model);
    sepal_report_free(joint->report);
}

static bool at_once(const struct joint_fits *joint) {
    return strstr(sepal_report_string(joint->report, "solver"), "at once") != NULL;
}

static const struct tree *problem_at(const struct joint_fits *joint, size_t r) {
    const struct tree *one = tree_find(joint->report->root, "problems")->first;
    for (; r > 0; r--) one = one->next;
    return one;
}

static double fact(const struct joint_fits *joint, size_t r, const char *path) {
    return tree_path(problem_at(joint, r), path)->number;
}

/* ---- random problems ------------------------------------------------------------------------ */

static const char *const losses[] = {"logistic", "svm", "svm(loss=hinge"};
static const char *const biases[] = {"true", "false", "penalised"};
static const char *const class_weights[] = {"none", "balanced", "\"c00:2,c02:0.5\""};

struct drawn {
    struct problem p;
    enum kind kind;
    size_t bias, class_weight;
    double c;
    bool sparse, ones;
    const struct strategy *decode;
    char spec[200];
};

static struct drawn draw(struct rng *rng, size_t round) {
    struct drawn d = {.kind = (enum kind)(round % 3),
                      .bias = round / 3 % 3,
                      .class_weight = round / 9 % 3,
                      .sparse = rng_below(rng, 2),
                      .decode = rng_below(rng, 4) ? &strategy_ovr : &strategy_ovr_1};
    size_t classes = round % 10 == 9 ? 17 + rng_below(rng, 20) : 3 + rng_below(rng, 10);
    size_t cols = 2 + rng_below(rng, 30);
    d.p = problem_new(rng, classes * (4 + rng_below(rng, 10)) + 1, cols, classes);
    d.ones = d.sparse && rng_below(rng, 3) == 0;
    double shift = d.sparse ? 0 : 0.3 * rng_unit(rng);
    for (size_t at = 0; at < d.p.rows * cols; at++) {
        d.p.x[at] = d.p.x[at] / sqrt((double)cols) + shift;
        if (d.sparse && rng_below(rng, 3)) d.p.x[at] = 0;
        if (d.ones && d.p.x[at] != 0) d.p.x[at] = 1;
    }
    if (rng_below(rng, 2)) problem_weigh(&d.p, rng);
    d.c = pow(10, 1.3 * rng_unit(rng) - 1);
    snprintf(d.spec, sizeof d.spec, "%s%sC=%.17g, bias=%s, class_weight=%s) | %s", losses[d.kind],
             d.kind == HINGE ? ", " : "(", d.c, biases[d.bias], class_weights[d.class_weight],
             d.decode == &strategy_ovr ? "ovr" : "ovr-1");
    return d;
}

/* Sparse rows of ones, without values. */
static void drop_values(sepal_data *data) {
    for (size_t b = 0; b < data->matrix.n_blocks; b++) {
        struct block *block = &data->matrix.blocks[b];
        mem_free(block->f64);
        block->f64 = NULL;
        block->values = VALUES_ONES;
    }
}

static sepal_data *data_of(const struct drawn *d) {
    sepal_data *data = problem_data(&d->p, ctx, d->sparse);
    if (d->ones) drop_values(data);
    return data;
}

/* ---- by plain loops ------------------------------------------------------------------------- */

static double factor_of(const struct drawn *d, size_t i, size_t r) {
    const struct problem *p = &d->p;
    bool own = (size_t)p->label[i] == r;
    if (d->class_weight == 2) return p->label[i] == 0 ? 2 : p->label[i] == 2 ? 0.5 : 1;
    if (d->class_weight == 0) return 1;
    double sum = 0;
    for (size_t k = 0; k < p->rows; k++)
        if (((size_t)p->label[k] == r) == own) sum += problem_weight(p, k);
    return total_weight(p) / (2 * sum);
}

static long double objective_of(const struct drawn *d, const struct linear *linear, size_t r) {
    const struct problem *p = &d->p;
    const double *w = linear->w + r * p->cols;
    long double sum = 0, square = 0, bias = linear->b[r];
    for (size_t j = 0; j < p->cols; j++) {
        square += (long double)w[j] * w[j];
        if (linear->centre) bias -= (long double)w[j] * linear->centre[j];
    }
    double factor[2] = {0, 0};
    for (size_t i = 0; i < p->rows; i++) {
        bool own = (size_t)p->label[i] == r;
        if (d->class_weight != 1 || factor[own] == 0) factor[own] = factor_of(d, i, r);
        long double score = bias;
        for (size_t j = 0; j < p->cols; j++) score += (long double)w[j] * p->x[i * p->cols + j];
        sum += problem_weight(p, i) * factor[own] * goal_loss(d->kind, own ? score : -score);
    }
    if (d->bias == 2) square += bias * bias;
    return (sum + square / (2 * d->c)) / total_weight(p);
}

/* ---- laws ----------------------------------------------------------------------------------- */

static void compare(const struct drawn *d, const struct joint_fits *joint,
                    const struct joint_fits *single) {
    size_t rows = joint->model->linear.rows;
    double total = 0;
    assert_true(at_once(joint));
    assert_false(at_once(single));
    assert_int_equal(rows, d->p.classes - (d->decode == &strategy_ovr_1));
    for (size_t r = 0; r < rows; r++) {
        double objective = fact(joint, r, "objective"), gap = fact(joint, r, "gap");
        double best = fact(single, r, "objective"), bound = fact(single, r, "certificate.dual");
        double plain = (double)objective_of(d, &joint->model->linear, r);
        if (!(gap <= 1e-6) || !tree_path(problem_at(joint, r), "converged")->truth)
            fail_msg("%s: class %zu of %zu has a gap of %g", d->spec, r, rows, gap);
        if (fabs(plain - objective) > 1e-11 * objective)
            fail_msg("%s: objective %.17g, by loops %.17g", d->spec, objective, plain);
        if (objective - best > (gap + 1e-12) * objective || objective < bound * (1 - 1e-9))
            fail_msg("%s: objective %.17g, alone %.17g, gap %g", d->spec, objective, best, gap);
        assert_true(fact(joint, r, "certificate.dual") <= best * (1 + 1e-9));
        total += objective;
        if (d->kind == LOGISTIC) continue;
        double support = fact(joint, r, "svm.support_vectors");
        assert_true(support > 0 && support <= (double)d->p.rows);
    }
    assert_true(fabs(total - sepal_report_number(joint->report, "objective")) <= 1e-12 * total);
    assert_true(sepal_report_number(joint->report, "gap") <= 1e-6);
}

static void classes_are_as_by_themselves(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(1), 1);
    for (size_t round = 0; round < 54; round++) {
        struct drawn d = draw(&rng, round);
        sepal_data *data = data_of(&d);
        struct joint_fits single =
            fit_joint(data, d.spec,
                      d.kind == HINGE ? "solver=interior, tol=1e-9" : "solver=newton-cg, tol=1e-9");
        for (size_t k = 0; k < (d.kind == HINGE ? 1 : 2); k++) {
            struct joint_fits joint =
                fit_joint(data, d.spec, k ? "solver=newton, tol=1e-6" : "solver=dual, tol=1e-6");
            compare(&d, &joint, &single);
            joint_free(&joint);
        }
        joint_free(&single);
        data_free(data);
        problem_free(&d.p);
    }
}

/* What singles cannot prove is left to the two-class solvers. */
static void small_gaps_are_reached(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(2), 1);
    for (size_t round = 0; round < 12; round++) {
        struct drawn d = draw(&rng, round % 2);
        sepal_data *data = data_of(&d);
        struct joint_fits joint = fit_joint(data, d.spec, "solver=dual, tol=1e-12");
        assert_true(sepal_report_number(joint.report, "converged") != 0);
        for (size_t r = 0; r < joint.model->linear.rows; r++)
            assert_true(fact(&joint, r, "gap") <= 1e-12);
        joint_free(&joint);
        data_free(data);
        problem_free(&d.p);
    }
}

static void assert_same_bits(const struct linear *one, const struct linear *two) {
    assert_memory_equal(one->w, two->w, one->rows * one->cols * sizeof *one->w);
    assert_memory_equal(one->b, two->b, one->rows * sizeof *one->b);
}

static void bits_are_the_same_everywhere(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(3), 1);
    for (size_t round = 0; round < 30; round++) {
        struct drawn d = draw(&rng, round);
        sepal_data *data = data_of(&d);
        const struct kernels *chosen = ctx->kernels;
        struct joint_fits one = fit_joint(data, d.spec, "solver=dual, tol=1e-5");
        sepal_ctx_set_threads(ctx, 2);
        struct joint_fits two = fit_joint(data, d.spec, "solver=dual, tol=1e-5");
        sepal_ctx_set_threads(ctx, 1);
        ctx->kernels = &kernels_reference;
        struct joint_fits plain = fit_joint(data, d.spec, "solver=dual, tol=1e-5");
        ctx->kernels = chosen;
        assert_true(at_once(&one));
        assert_same_bits(&one.model->linear, &two.model->linear);
        assert_same_bits(&one.model->linear, &plain.model->linear);
        joint_free(&one);
        joint_free(&two);
        joint_free(&plain);
        data_free(data);
        problem_free(&d.p);
    }
}

/* ---- Newton's method on tables beyond the caches ---------------------------------------------- */

/* Rows in single precision, sparse or dense, kept as singles or doubles. */
static struct drawn draw_large(struct rng *rng, size_t round) {
    struct drawn d = {.kind = round % 2 ? SQUARED_HINGE : LOGISTIC,
                      .bias = round % 3,
                      .sparse = round / 2 % 2,
                      .decode = &strategy_ovr,
                      .c = 1};
    enum { COLS = 250, CELLS = 1 << 22 };
    d.p = problem_new(rng, CELLS / COLS + 100, COLS, 3);
    for (size_t at = 0; at < d.p.rows * COLS; at++) {
        if (d.sparse && rng_below(rng, 12)) d.p.x[at] = 0;
        if (round < 4) d.p.x[at] = (double)(float)d.p.x[at];
    }
    snprintf(d.spec, sizeof d.spec, "%s(C=1, bias=%s) | ovr", losses[d.kind], biases[d.bias]);
    return d;
}

static void large_tables_are_proved(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(5), 1);
    static const size_t rounds[] = {0, 3, 5};
    for (size_t k = 0; k < sizeof rounds / sizeof *rounds; k++) {
        struct drawn d = draw_large(&rng, rounds[k]);
        sepal_data *data = data_of(&d);
        struct joint_fits one = fit_joint(data, d.spec, "solver=newton, tol=1e-3");
        sepal_ctx_set_threads(ctx, 2);
        struct joint_fits two = fit_joint(data, d.spec, "solver=newton, tol=1e-3");
        sepal_ctx_set_threads(ctx, 1);
        struct joint_fits fine = fit_joint(data, d.spec, "solver=newton, tol=1e-5");
        assert_true(at_once(&one) && at_once(&fine));
        assert_same_bits(&one.model->linear, &two.model->linear);
        for (size_t r = 0; r < d.p.classes; r++) {
            double objective = fact(&one, r, "objective"), best = fact(&fine, r, "objective");
            double plain = (double)objective_of(&d, &one.model->linear, r);
            assert_true(fabs(plain - objective) <= 1e-11 * objective);
            assert_true(fact(&one, r, "gap") <= 1e-3 && fact(&fine, r, "gap") <= 1e-5);
            assert_true(objective - best <= 1e-3 * objective);
            assert_true(fact(&one, r, "certificate.dual") <= best * (1 + 1e-9));
        }
        joint_free(&one);
        joint_free(&two);
        joint_free(&fine);
        data_free(data);
        problem_free(&d.p);
    }
}

static size_t warned(const char *code) {
    size_t n = 0;
    for (size_t i = 0; i < ctx->n_warnings; i++) n += strcmp(ctx->warnings[i].code, code) == 0;
    return n;
}

static void shortfalls_are_told(void **state) {
    (void)state;
    static const char *const limits[] = {"solver=dual, tol=1e-9, max-iter=2",
                                         "solver=dual, tol=1e-9, max-seconds=1e-9"};
    struct rng rng = rng_make(test_seed(4), 1);
    for (size_t round = 0; round < 2; round++) {
        struct drawn d = draw(&rng, 0);
        sepal_data *data = data_of(&d);
        sepal_ctx_clear_warnings(ctx);
        struct joint_fits joint = fit_joint(data, d.spec, limits[round]);
        assert_true(at_once(&joint));
        assert_true(sepal_report_number(joint.report, "converged") == 0);
        assert_true(sepal_report_number(joint.report, "gap") > 1e-9);
        assert_int_equal(warned("not-converged"), 1);
        joint_free(&joint);
        data_free(data);
        problem_free(&d.p);
    }
}

/* Short of memory at any one place it fails and leaks nothing. */
static void memory_may_be_short(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(5), 1);
    struct drawn d = draw(&rng, 9);
    sepal_data *data = data_of(&d);
    size_t k = 1;
    for (sepal_status status = SEPAL_EMEMORY; status != SEPAL_OK; k++) {
        struct joint_fits joint = {0};
        atomic_store(&ctx->faults[FAULT_ALLOC].calls, 0);
        ctx->faults[FAULT_ALLOC].fail_at = k;
        status = sepal_model_fit(&joint.model, &joint.report, ctx, d.spec, data,
                                 "solver=dual, tol=1e-4");
        ctx->faults[FAULT_ALLOC].fail_at = 0;
        assert_true(status == SEPAL_OK || status == SEPAL_EMEMORY);
        joint_free(&joint);
    }
    assert_true(k > 50);
    printf("COUNT injection-points %zu 0\n", k - 1);
    data_free(data);
    problem_free(&d.p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_are_as_by_themselves), cmocka_unit_test(small_gaps_are_reached),
        cmocka_unit_test(bits_are_the_same_everywhere), cmocka_unit_test(large_tables_are_proved),
        cmocka_unit_test(shortfalls_are_told),          cmocka_unit_test(memory_may_be_short),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
