/* --solver newton: against newton-cg to the gap, on rows of every kind; columns that make its Hessian
   singular; no penalty at all, with a gap that is true; and classes for which no weights are best. */
#include "seed.h"
#include "sepal/sepal.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture.h"

enum kind { DENSE, ONES, ROW, SINGLE, DOUBLE, KINDS };
static const char *const SIDES[] = {"no", "yes"};

struct problem {
    size_t n, cols;
    double *x, *weight;
    const char **label;
};

/* ---- problems ----------------------------------------------------------------------------- */

static double value_of(struct rng *rng, enum kind kind, double row_value) {
    switch (kind) {
    case ONES: return 1;
    case ROW: return row_value;
    case SINGLE: return (double)rng_below(rng, 64) / 16 - 2;
    default: return rng_unit(rng) * 4 - 2;
    }
}

/* Labels by a plane and noise, so that nothing is separable. */
static struct problem problem_new(struct rng *rng, size_t n, size_t cols, enum kind kind) {
    struct problem p = {.n = n, .cols = cols};
    p.x = calloc(n * cols, sizeof *p.x);
    p.weight = malloc(n * sizeof *p.weight);
    p.label = malloc(n * sizeof *p.label);
    assert_true(p.x && p.weight && p.label);
    for (size_t i = 0; i < n; i++) {
        double score = 0, row_value = 0.1 + rng_unit(rng);
        for (size_t j = 0; j < cols; j++) {
            if (kind != DENSE && rng_below(rng, 10)) continue;
            double x = value_of(rng, kind, row_value);
            p.x[i * cols + j] = x + (kind == DENSE ? 3 : 0);
            score += x * (j % 2 ? 1 : -0.7);
        }
        p.weight[i] = 0.25 * (double)(1 + rng_below(rng, 8));
        p.label[i] = SIDES[score + 6 * (rng_unit(rng) - 0.5) > 0];
    }
    return p;
}

static void problem_free(struct problem *p) {
    free(p->x);
    free(p->weight);
    free((void *)p->label);
}

static sepal_data *data_of(const struct problem *p, bool weighted) {
    sepal_data *data = NULL;
    assert_int_equal(
        sepal_data_dense(&data, ctx, p->x, p->n, p->cols, p->label, weighted ? p->weight : NULL),
        SEPAL_OK);
    return data;
}

/* By way of a file, which is how rows become sparse; if they have 32 columns or more. */
static sepal_data *sparse_of(const struct problem *p) {
    FILE *file = fopen("rows.libsvm", "w");
    assert_non_null(file);
    for (size_t i = 0; i < p->n; i++) {
        fputs(p->label[i] == SIDES[1] ? "1" : "-1", file);
        for (size_t j = 0; j < p->cols; j++)
            if (p->x[i * p->cols + j] != 0)
                fprintf(file, " %zu:%.17g", j + 1, p->x[i * p->cols + j]);
        fputc('\n', file);
    }
    assert_int_equal(fclose(file), 0);
    sepal_data *data = NULL;
    assert_int_equal(sepal_data_read(&data, ctx, "rows.libsvm", "format=libsvm"), SEPAL_OK);
    assert_int_equal(remove("rows.libsvm"), 0); /* a program run by hand leaves no file behind */
    return data;
}

/* ---- fits --------------------------------------------------------------------------------- */

struct outcome {
    double objective, gap, converged, iterations;
    char warning[32];
    double *score;
};

static struct outcome fit(const sepal_data *data, const char *spec, const char *options) {
    sepal_model *model = NULL;
    sepal_report *report = NULL;
    struct outcome out = {.score = NULL};
    sepal_ctx_clear_warnings(ctx);
    if (sepal_model_fit(&model, &report, ctx, spec, data, options) != SEPAL_OK)
        fail_msg("%s: %s", spec, sepal_ctx_error(ctx));
    out.objective = sepal_report_number(report, "objective");
    out.gap = sepal_report_number(report, "gap");
    out.converged = sepal_report_number(report, "converged");
    out.iterations = sepal_report_number(report, "iterations");
    if (sepal_ctx_warning_count(ctx))
        snprintf(out.warning, sizeof out.warning, "%s", sepal_ctx_warning(ctx, 0).code);
    out.score = malloc(sepal_data_rows(data) * sizeof *out.score);
    assert_non_null(out.score);
    assert_int_equal(sepal_model_scores(out.score, ctx, model, data), SEPAL_OK);
    for (size_t i = 0; i < sepal_data_rows(data); i++) assert_true(isfinite(out.score[i]));
    sepal_model_free(model);
    sepal_report_free(report);
    return out;
}

static const char *const SPECS[] = {
    "logistic(C=1)",
    "logistic(C=0.01, bias=false)",
    "logistic(l2=1e-3, bias=penalised, class-weight=balanced)",
    "svm(C=1)",
    "svm(C=10, bias=false)",
    "svm(l2=1e-4, bias=penalised)",
    "logistic(penalty=none)",
    "svm(penalty=none)",
    "standardize | logistic(C=1, bias=false)", /* sparse rows get a centre */
    "standardize | svm(C=1, bias=penalised)",
};
enum { N_SPECS = sizeof SPECS / sizeof *SPECS };

/* Either is within its gap of the optimum, so both are within the sum of each other. */
static void check_agreement(const sepal_data *data, const char *spec) {
    struct outcome newton = fit(data, spec, "solver=newton, tol=1e-9");
    struct outcome other = fit(data, spec, "solver=newton-cg, tol=1e-9, max-iter=2000");
    bool bounded = !strstr(spec, "none");
    if (!(newton.converged == 1 && (bounded ? newton.gap <= 1e-9 : isnan(newton.gap))))
        fail_msg("%s: gap %g, warning %s", spec, newton.gap, newton.warning);
    /* with a wrong Hessian it would get there, too, but later */
    if (!(newton.iterations <= 30)) fail_msg("%s: %g steps", spec, newton.iterations);
    double apart = fabs(newton.objective - other.objective);
    double allowed = bounded ? newton.gap + other.gap : 1e-7;
    if (!(apart <= (allowed + 1e-14) * newton.objective))
        fail_msg("%s: %.17g and %.17g", spec, newton.objective, other.objective);
    free(newton.score);
    free(other.score);
}

static void solvers_agree(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(6), 1);
    for (enum kind kind = DENSE; kind < KINDS; kind++) {
        for (int form = 0; form < 3; form++) {
            bool sparse = form == 2;
            struct problem p = problem_new(&rng, sparse ? 1500 : 400, sparse ? 36 : 12, kind);
            sepal_data *data = sparse ? sparse_of(&p) : data_of(&p, form == 1);
            for (size_t s = 0; s < N_SPECS; s++) check_agreement(data, SPECS[s]);
            sepal_data_free(data);
            problem_free(&p);
        }
    }
}

/* Rows enough for a start on a sample; and columns enough for panels in groups. */
static void large_ones_agree(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(6), 2);
    static const size_t rows[] = {20000, 20000, 700}, cols[] = {6, 40, 150};
    for (size_t k = 0; k < 3; k++) {
        struct problem p = problem_new(&rng, rows[k], cols[k], k == 1 ? SINGLE : DENSE);
        sepal_data *data = k == 1 ? sparse_of(&p) : data_of(&p, false);
        check_agreement(data, "logistic(C=1)");
        check_agreement(data, "svm(C=1)");
        sepal_data_free(data);
        problem_free(&p);
    }
}

/* One side is rare and easily told: most rows have next to no curvature at the optimum. */
static void a_rare_side_agrees(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(6), 8);
    struct problem p = problem_new(&rng, 20000, 40, ONES);
    for (size_t i = 0; i < p.n; i++) {
        const double *x = p.x + i * p.cols;
        bool told = x[0] + x[1] + x[2] > 1 && rng_below(&rng, 10);
        p.label[i] = SIDES[told || rng_below(&rng, 500) == 0];
    }
    sepal_data *data = sparse_of(&p);
    check_agreement(data, "logistic(C=10)");
    check_agreement(data, "logistic(C=1, bias=false)");
    check_agreement(data, "svm(C=1, bias=false)");
    sepal_data_free(data);
    problem_free(&p);
}

/* Every row three times is every row once. A row of several values keeps equal rows from being seen
   as one. */
static struct problem problem_thrice(const struct problem *p, bool odd) {
    struct problem out = {.n = 3 * p->n, .cols = p->cols};
    out.x = malloc(out.n * p->cols * sizeof *out.x);
    out.weight = malloc(out.n * sizeof *out.weight);
    out.label = malloc(out.n * sizeof *out.label);
    assert_true(out.x && out.weight && out.label);
    if (odd)
        for (size_t j = 0; j < p->cols; j++) p->x[(p->n - 1) * p->cols + j] = 1 + (double)j;
    for (size_t i = 0; i < out.n; i++) {
        size_t from = i * 7 % p->n; /* 7 does not divide the number of rows */
        memcpy(out.x + i * p->cols, p->x + from * p->cols, p->cols * sizeof *out.x);
        out.weight[i] = p->weight[from];
        out.label[i] = p->label[from];
    }
    return out;
}

static void repeated_rows_count_as_often(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(6), 9);
    static const char *const specs[] = {"logistic(l2=1e-3)", "svm(l2=1e-3, bias=false)",
                                        "logistic(l2=1e-3, bias=penalised)", "svm(penalty=none)"};
    for (int form = 0; form < 8; form++) {
        bool sparse = form & 1, odd = form & 2;
        struct problem p = problem_new(&rng, 600, sparse ? 36 : 12, form & 4 ? ROW : ONES);
        struct problem thrice = problem_thrice(&p, odd);
        sepal_data *once = sparse ? sparse_of(&p) : data_of(&p, true);
        sepal_data *often = sparse ? sparse_of(&thrice) : data_of(&thrice, true);
        for (size_t s = 0; s < 4; s++) {
            struct outcome a = fit(once, specs[s], "solver=newton, tol=1e-11");
            struct outcome b = fit(often, specs[s], "solver=newton, tol=1e-11");
            bool bounded = !strstr(specs[s], "none");
            if (!(fabs(a.objective - b.objective) <= 1e-10 * a.objective && b.converged == 1 &&
                  (bounded ? b.gap <= 1e-11 : isnan(b.gap))))
                fail_msg("%s, form %d: %.17g and %.17g, gap %g", specs[s], form, a.objective,
                         b.objective, b.gap);
            free(a.score);
            free(b.score);
        }
        sepal_data_free(once);
        sepal_data_free(often);
        problem_free(&p);
        problem_free(&thrice);
    }
}

/* ---- what must hold at an optimum --------------------------------------------------------- */

static void probabilities_meet_frequencies(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(6), 3);
    static const char *const specs[] = {"logistic(C=1)", "logistic(penalty=none)"};
    for (int weighted = 0; weighted < 2; weighted++) {
        struct problem p = problem_new(&rng, 400, 5, DENSE);
        sepal_data *data = data_of(&p, weighted);
        for (size_t s = 0; s < 2; s++) {
            struct outcome out = fit(data, specs[s], "solver=newton, tol=1e-12");
            double total = 0, expected = 0, counted = 0;
            for (size_t i = 0; i < p.n; i++) {
                double weight = weighted ? p.weight[i] : 1;
                total += weight;
                expected += weight / (1 + exp(-out.score[i]));
                counted += weight * (strcmp(sepal_data_label(data, i), SIDES[1]) == 0);
            }
            /* the second class is that of positive scores, whichever label came first */
            double other = total - counted;
            assert_true(fabs(expected - counted) < 1e-6 * total ||
                        fabs(expected - other) < 1e-6 * total);
            free(out.score);
        }
        sepal_data_free(data);
        problem_free(&p);
    }
}

/* Without a penalty nothing is proved, but a rough fit is no farther above a fine one than it was asked
   to be. */
static void no_penalty_no_gap(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(6), 4);
    static const char *const specs[] = {"logistic(penalty=none)", "logistic(l2=0, bias=false)",
                                        "svm(penalty=none)"};
    for (size_t k = 0; k < 12; k++) {
        struct problem p = problem_new(&rng, 60 + 40 * k, 2 + k % 5, DENSE);
        sepal_data *data = data_of(&p, k % 3 == 0);
        for (size_t s = 0; s < 3; s++) {
            struct outcome fine = fit(data, specs[s], "solver=newton, tol=1e-12");
            if (!(isnan(fine.gap) && fine.converged == 1))
                fail_msg("%s: gap %g, warning %s, rows %zu", specs[s], fine.gap, fine.warning, p.n);
            for (int digits = 1; digits <= 7; digits++) {
                char options[64];
                double tol = pow(10, -digits);
                snprintf(options, sizeof options, "solver=newton, tol=%g", tol);
                struct outcome rough = fit(data, specs[s], options);
                assert_true(isnan(rough.gap) && rough.converged == 1);
                double excess = rough.objective - fine.objective;
                if (!(excess <= (tol + 1e-14) * rough.objective))
                    fail_msg("%s: %g above, tolerance %g of %g", specs[s], excess, tol,
                             rough.objective);
                free(rough.score);
            }
            free(fine.score);
        }
        sepal_data_free(data);
        problem_free(&p);
    }
}

/* ---- singular ----------------------------------------------------------------------------- */

/* Columns that add nothing: 0, constant, repeated, a sum of others. The optimum is that without. */
static void columns_that_add_nothing(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(6), 5);
    static const char *const specs[] = {"logistic(penalty=none)", "svm(penalty=none)"};
    for (int k = 0; k < 8; k++) {
        struct problem p = problem_new(&rng, 150, 7, DENSE), few = p;
        double scale = k % 2 ? 1 : 1e6;
        few.cols = 3;
        few.x = malloc(p.n * 3 * sizeof *few.x);
        assert_non_null(few.x);
        for (size_t i = 0; i < p.n; i++) {
            double *x = p.x + i * 7;
            memcpy(few.x + i * 3, x, 3 * sizeof *x);
            x[3] = 0;
            x[4] = 17 * scale;
            x[5] = x[k % 3] * scale;
            x[6] = x[0] - 2 * x[1];
        }
        sepal_data *whole = data_of(&p, false), *part = data_of(&few, false);
        for (size_t s = 0; s < 2; s++) {
            struct outcome with = fit(whole, specs[s], "solver=newton, tol=1e-9");
            struct outcome without = fit(part, specs[s], "solver=newton, tol=1e-9");
            assert_true(with.converged == 1 && isnan(with.gap));
            assert_true(fabs(with.objective - without.objective) <= 3e-9 * with.objective);
            free(with.score);
            free(without.score);
        }
        sepal_data_free(whole);
        sepal_data_free(part);
        free(few.x);
        problem_free(&p);
    }
}

/* b = a (1 + 2^-k z), a known to its last bit: with a and 2^k (b - a), which is about a z, instead of a
   and b the optimum is the same, and easy. Whoever says converged is there. */
static void check_near_columns(struct rng rng) {
    static const char *const specs[] = {"logistic(penalty=none)", "svm(penalty=none)",
                                        "svm(penalty=none, loss=hinge)"};
    static const char *const solvers[][2] = {{"solver=newton", "solver=newton-cg"},
                                             {"solver=newton", "solver=newton-cg"},
                                             {"solver=interior", "solver=augmented"}};
    size_t converged = 0;
    for (int k = 10; k <= 46; k += 2) {
        struct problem near = problem_new(&rng, 80, 3, DENSE), easy = near;
        easy.x = malloc(near.n * near.cols * sizeof *easy.x);
        assert_non_null(easy.x);
        for (size_t i = 0; i < near.n; i++) {
            double *x = near.x + i * near.cols;
            double z = rng_unit(&rng) * 4 - 2 + (near.label[i] == SIDES[1]);
            x[1] = x[0] * (1 + ldexp(z, -k));
            memcpy(easy.x + i * near.cols, x, near.cols * sizeof *x);
            easy.x[i * near.cols + 1] = ldexp(x[1] - x[0], k);
        }
        sepal_data *hard = data_of(&near, false), *plain = data_of(&easy, false);
        for (size_t s = 0; s < 3; s++) {
            struct outcome best = fit(plain, specs[s], NULL);
            assert_true(best.converged == 1);
            for (size_t v = 0; v < 2; v++) {
                struct outcome out = fit(hard, specs[s], solvers[s][v]);
                double excess = (out.objective - best.objective) / best.objective;
                /* the weights are about 2^k, and a margin as exact as their rounding */
                if (out.converged == 1 && !(excess <= 1e-5 + 8 * ldexp(DBL_EPSILON, k)))
                    fail_msg("%s, %s, columns that differ by 2^-%d: converged %g above the least",
                             specs[s], solvers[s][v], k, excess);
                if (out.converged == 0) assert_true(*out.warning);
                converged += out.converged == 1;
                free(out.score);
            }
            free(best.score);
        }
        sepal_data_free(hard);
        sepal_data_free(plain);
        free(easy.x);
        problem_free(&near);
    }
    assert_true(converged >= 20); /* of 114 */
}

static void columns_that_hardly_differ(void **state) {
    (void)state;
    check_near_columns(rng_make(test_seed(6), 8));
    check_near_columns(rng_make(rng_at(41, 6, 0), 8)); /* fixed: 16 % above the least */
}

/* ---- no optimum --------------------------------------------------------------------------- */

/* The first column says the class, where it is not 0: `ties` rows of each class are, equal in pairs, so
   that no other column parts them. */
static sepal_data *parted(struct rng *rng, size_t n, size_t cols, size_t ties) {
    struct problem p = problem_new(rng, n, cols, DENSE);
    for (size_t i = 0; i < n; i++) {
        double side = i % 2 ? 1 : -1;
        p.label[i] = SIDES[i % 2];
        p.x[i * cols] = i < 2 * ties ? 0 : side * (0.5 + rng_unit(rng));
        if (i < 2 * ties && i % 2) memcpy(p.x + i * cols, p.x + (i - 1) * cols, cols * sizeof *p.x);
    }
    sepal_data *data = data_of(&p, false);
    problem_free(&p);
    return data;
}

static void endless_is_named(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(6), 6);
    static const char *const solvers[] = {"solver=newton", "solver=newton-cg", NULL};
    for (size_t k = 0; k < 12; k++) {
        size_t ties = k % 2 ? 8 : 0;
        sepal_data *data = parted(&rng, 60 + 10 * k, 1 + k % 4, ties);
        for (size_t s = 0; s < 3; s++) {
            struct outcome out = fit(data, "logistic(penalty=none)", solvers[s]);
            assert_string_equal(out.warning, ties ? "quasi-separable" : "separable");
            assert_true(out.converged == 0);
            free(out.score);
        }
        struct outcome kept = fit(data, "logistic(C=1)", "solver=newton");
        assert_true(kept.converged == 1 && kept.gap <= 1e-6);
        assert_string_equal(kept.warning, "");
        free(kept.score);
        /* a squared hinge has an optimum: 0 where all rows can be brought beyond their margin */
        struct outcome hinge = fit(data, "svm(penalty=none)", "solver=newton");
        assert_true(hinge.converged == 1 && (ties || hinge.objective == 0));
        free(hinge.score);
        sepal_data_free(data);
    }
}

/* ---- threads ------------------------------------------------------------------------------ */

static void threads_change_no_bit(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(6), 7);
    for (int k = 0; k < 3; k++) {
        struct problem p = problem_new(&rng, 20000,
                                       k == 2   ? 140
                                       : k == 1 ? 40
                                                : 20,
                                       k == 1 ? SINGLE : DENSE);
        p.n = k == 2 ? 2000 : p.n;
        sepal_data *data = k == 1 ? sparse_of(&p) : data_of(&p, false);
        for (size_t s = 0; s < N_SPECS; s += 3) {
            sepal_ctx_set_threads(ctx, 1);
            struct outcome one = fit(data, SPECS[s], "solver=newton");
            sepal_ctx_set_threads(ctx, 2);
            struct outcome two = fit(data, SPECS[s], "solver=newton");
            sepal_ctx_set_threads(ctx, 0);
            assert_memory_equal(one.score, two.score, p.n * sizeof *one.score);
            assert_true(one.objective == two.objective);
            assert_true(one.gap == two.gap || (isnan(one.gap) && isnan(two.gap)));
            free(one.score);
            free(two.score);
        }
        sepal_data_free(data);
        problem_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solvers_agree),
        cmocka_unit_test(large_ones_agree),
        cmocka_unit_test(a_rare_side_agrees),
        cmocka_unit_test(repeated_rows_count_as_often),
        cmocka_unit_test(probabilities_meet_frequencies),
        cmocka_unit_test(no_penalty_no_gap),
        cmocka_unit_test(columns_that_add_nothing),
        cmocka_unit_test(columns_that_hardly_differ),
        cmocka_unit_test(endless_is_named),
        cmocka_unit_test(threads_change_no_bit),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
