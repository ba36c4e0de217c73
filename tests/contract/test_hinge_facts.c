/* Facts about the hinge's optimum, for each solver of it: rows beyond their margin can be left
   out, and with a large C the margin is the widest there is. */
#include "contract/convex_problem.h"

static const char *const names[] = {"interior", "augmented"};
enum { NAMES = sizeof names / sizeof *names };

/* Without the rows whose margin is above 1 by more than `far`. */
static struct problem without(const struct problem *p, const struct answer *a, double far) {
    struct rng rng = rng_make(test_seed(1), 1);
    struct problem out = problem_new(&rng, p->rows, p->cols, 2);
    size_t kept = 0;
    for (size_t i = 0; i < p->rows; i++) {
        double score = (double)goal_score(p, a, i);
        if ((p->label[i] == 1 ? score : -score) > 1 + far) continue;
        memcpy(out.x + kept * p->cols, p->x + i * p->cols, p->cols * sizeof *p->x);
        out.label[kept++] = p->label[i];
    }
    out.rows = kept;
    return out;
}

static double distance(const struct answer *a, const struct answer *b) {
    double sum = 0, all = 0;
    for (size_t j = 0; j < a->cols; j++) {
        sum += (a->w[j] - b->w[j]) * (a->w[j] - b->w[j]);
        all += a->w[j] * a->w[j];
    }
    return sum > 0 ? sqrt(sum / all) : 0;
}

static void test_rows_beyond(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(611), 1);
    size_t left_out = 0;
    char options[64];
    for (size_t number = 0; number < 20; number++) {
        struct problem p = problem_new(&rng, 80, 1 + rng_below(&rng, 8), 2);
        for (size_t i = 0; i < p.rows; i++)
            for (size_t j = 0; j < p.cols; j++) p.x[i * p.cols + j] += 1.5 * p.label[i];
        snprintf(options, sizeof options, "solver=%s, tol=1e-11", names[number % NAMES]);
        const char *spec =
            number % 3 ? "svm(loss=hinge, C=0.5)" : "svm(loss=hinge, C=2, bias=false)";
        struct answer all = solved(&p, false, spec, options);
        struct problem some = without(&p, &all, 1e-3);
        struct answer fewer = solved(&some, false, spec, options);
        left_out += p.rows - some.rows;
        assert_true(distance(&all, &fewer) < 1e-3);
        answer_free(&all);
        answer_free(&fewer);
        problem_free(&p);
        some.rows = p.rows;
        problem_free(&some);
    }
    assert_true(left_out > 100);
}

static void test_widest_margin(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(612), 1);
    char options[64];
    /* the objective is about l2/2 |w|^2, and 0.5 l2 |w - w*|^2 is at most the gap times it */
    const double tol = 1e-7, room = 1.1 * sqrt(tol);
    for (size_t number = 0; number < 8; number++) {
        struct problem p = problem_new(&rng, 40, 2 + rng_below(&rng, 5), 2);
        for (size_t i = 0; i < p.rows; i++) p.x[i * p.cols] += 12 * p.label[i];
        /* rows on their margin have losses of 0 up to rounding, beside an objective of 1e-8; so a gap
           below 1e-8 is not to be had for every table */
        snprintf(options, sizeof options, "solver=%s, tol=%g", names[number % NAMES], tol);
        struct answer a = solved(&p, false, "svm(loss=hinge, C=1e5)", options);
        sepal_data *data = problem_data(&p, ctx, false);
        sepal_report *report = NULL;
        double square = 0;
        assert_int_equal(sepal_data_separable(&report, NULL, ctx, data, NULL, NULL), SEPAL_OK);
        const struct tree *margin = tree_find(report->root, "margin");
        for (size_t j = 0; j < a.cols; j++) square += a.w[j] * a.w[j];
        assert_true(1 / sqrt(square) >= margin->first->number * (1 - room));
        assert_true(1 / sqrt(square) <= margin->first->next->number * (1 + room));
        sepal_report_free(report);
        data_free(data);
        answer_free(&a);
        problem_free(&p);
    }
}

/* As many rows of one class as of the other, which overlap: without a row between its bounds an interval
   of biases is as good as any, and steps must not begin at its end. */
static void test_equal_classes(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(613), 1);
    for (size_t number = 0; number < 60; number++) {
        struct problem p = problem_new(&rng, 2 * (8 + rng_below(&rng, 30)), 1 + number % 3, 2);
        for (size_t i = 0; i < p.rows; i++) p.label[i] = (int)(i % 2);
        struct answer a = solved(&p, false, "svm(loss=hinge, C=0.5)", "solver=augmented, tol=1e-9");
        answer_free(&a);
        problem_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rows_beyond, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_widest_margin, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_equal_classes, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
