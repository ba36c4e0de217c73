/* The certificate of joint objectives is a promise: whatever point and dual variables it is given, its bound
   is below the objective everywhere, its objective is right to the last digits, and at the optimum the two
   meet. */
#include "unit/objective_fixture.h"

#include "joint/joint_certify.h"
#include "joint/joint_solver.h"

#include <float.h>

enum { CLASSES_MOST = 7 };

static const struct joint_loss *const joint_losses[] = {&joint_cross_entropy,
                                                        &joint_crammer_singer};

/* ---- by plain loops ---------------------------------------------------------------------------- */

static long double plain_joint_loss(const struct joint *j, const long double *s, size_t own) {
    long double most = -INFINITY, sum = 0;
    for (size_t k = 0; k < j->classes; k++)
        most = fmaxl(most, s[k] + (j->loss == &joint_crammer_singer && k != own));
    if (j->loss == &joint_crammer_singer) return most - s[own];
    for (size_t k = 0; k < j->classes; k++) sum += expl(s[k] - most);
    return most - s[own] + logl(sum);
}

static long double plain_joint(const struct sample *sample, const struct joint *j,
                               const double *u) {
    const struct objective *o = j->o;
    long double sum = 0, s[CLASSES_MOST];
    for (size_t i = 0; i < o->n; i++) {
        for (size_t k = 0; k < j->classes; k++) {
            s[k] = 0;
            for (size_t c = 0; c < o->width; c++)
                s[k] += plain_x(sample, i, c) * u[c * j->lanes + k];
        }
        sum += sample->row_weight[i] * plain_joint_loss(j, s, (size_t)sample->label[i]);
    }
    for (size_t at = 0; at < o->penalised * j->lanes; at++)
        sum += o->l1 * fabsl(u[at]) + o->l2 / 2 * (long double)u[at] * u[at];
    return sum;
}

/* ---- near the optimum --------------------------------------------------------------------------- */

static bool never(void *payload, size_t iteration, double objective, double gap) {
    (void)payload, (void)iteration, (void)objective, (void)gap;
    return false;
}

/* The best point that is found: by a solver where there is one, else by steps along the axes. */
static long double find_best(const struct sample *s, const struct joint *j, double *u,
                             double *alpha) {
    struct solver d = {.o = j->o, .joint = j, .tol = 1e-10, .stops = never, .u = u, .alpha = alpha};
    for (size_t i = 0; joint_solver_table[i]; i++) {
        if (joint_solver_table[i]->name.as_given || joint_solver_table[i]->refuses(j)) continue;
        assert_int_equal(joint_solver_table[i]->solve(&d), SEPAL_OK);
        return plain_joint(s, j, u);
    }
    long double least = plain_joint(s, j, u);
    for (int round = 0; round < 26; round++) {
        double step = pow(0.7, round);
        for (size_t at = 0; at < j->size; at++) {
            if (at % j->lanes >= j->classes) continue;
            for (int sign = -1; sign <= 1; sign += 2) {
                u[at] += sign * step;
                long double value = plain_joint(s, j, u);
                if (value < least)
                    least = value;
                else
                    u[at] -= sign * step;
            }
        }
    }
    return least;
}

/* ---- the classes of rows ------------------------------------------------------------------------- */

/* Told classes are those of the largest score by far more than rounding; ties, and scores that rounding could turn
   round, are not told. */
static void check_decided(const struct sample *sample, const struct joint *j, const double *u,
                          const int32_t *decided) {
    for (size_t i = 0; i < j->o->n; i++) {
        long double most = -INFINITY, second = -INFINITY, size = 0;
        size_t best = 0;
        for (size_t k = 0; k < j->classes; k++) {
            long double s = 0, all = 0;
            for (size_t c = 0; c < j->o->width; c++) {
                long double x = plain_x(sample, i, c) * u[c * j->lanes + k];
                s += x;
                all += fabsl(x);
            }
            size = fmaxl(size, all);
            second = fmaxl(second, fminl(s, most));
            best = s > most ? k : best;
            most = fmaxl(most, s);
        }
        bool close = most - second <= 1e-15L * size, apart = most - second > 1e-9L * (1 + size);
        if (decided[i] >= 0) assert_int_equal(decided[i], best);
        if (close) assert_int_equal(decided[i], -1);
        if (apart) assert_int_equal(decided[i], best);
    }
}

/* ---- attacks ------------------------------------------------------------------------------------- */

enum { FORMS = 6 };

static void make_joint_alphas(double *alpha, const struct joint *j, const double *best, int form,
                              struct rng *rng) {
    static const double odd[] = {NAN, INFINITY, -INFINITY, DBL_MAX, 0, -1, 1e-320, 2, 1e9};
    for (size_t at = 0; at < j->cells; at++) {
        bool used = at % j->lanes < j->classes;
        switch (form) {
        case 0: alpha[at] = best[at]; break;
        case 1: alpha[at] = best[at] + 0.1 * normal(rng); break;
        case 2: alpha[at] = odd[rng_below(rng, sizeof odd / sizeof *odd)]; break;
        case 3: alpha[at] = rng_unit(rng); break;
        case 4: alpha[at] = rng_below(rng, 3) == 0; break;
        default: alpha[at] = best[at] * (1 + 1e-9 * normal(rng));
        }
        if (!used) alpha[at] = 0;
    }
}

static void attack_joint(const struct sample *s, const struct joint *j, const double *best,
                         const double *best_alpha, long double least, struct rng *rng) {
    double *u = numbers(j->size), *alpha = numbers(j->cells);
    int32_t *decided = malloc(j->o->n * sizeof *decided);
    for (int form = 0; form <= 2 * FORMS; form++) {
        double size = form % 3 == 0 ? 0 : pow(10, 6 * rng_unit(rng) - 5);
        for (size_t at = 0; at < j->size; at++)
            u[at] = at % j->lanes < j->classes ? best[at] + size * normal(rng) : 0;
        for (size_t c = 0; c < j->o->width && form % 4 == 1; c++) /* two classes alike */
            u[c * j->lanes + 1] = u[c * j->lanes];
        make_joint_alphas(alpha, j, best_alpha, form % FORMS, rng);
        struct proof proof;
        assert_int_equal(joint_certify(&proof, j, u, form == 2 * FORMS ? NULL : alpha, decided),
                         SEPAL_OK);
        check_decided(s, j, u, decided);
        long double right = plain_joint(s, j, u);
        if (fabsl(proof.primal - right) > 1e-12L * (1 + right))
            fail_msg("P is %.17g, not %.17Lg", proof.primal, right);
        if (proof.dual > least + 1e-13L * (1 + least))
            fail_msg("%s, l1 %g, l2 %g, bias %d, form %d: D = %.17g, above P = %.17Lg",
                     j->loss->name, j->o->l1, j->o->l2, j->o->bias, form, proof.dual, least);
        bool bounded = j->o->l1 > 0 || j->o->l2 > 0;
        assert_true(bounded == !isnan(proof.dual) || proof.primal == 0);
        if (bounded) assert_true(proof.dual >= 0 && proof.gap >= DBL_EPSILON);
    }
    free(u);
    free(alpha);
    free(decided);
}

/* A penalty of each sort; the gap closes where a solver has found the optimum. */
static void check_joint(struct rng *rng, size_t number) {
    static const double strengths[][2] = {{0, 0.1}, {0.02, 0}, {0.02, 0.05}, {0, 1e-3}, {0, 0}};
    const double *strength = strengths[number % 5];
    enum bias bias = (enum bias)(number / 5 % 3);
    size_t classes = 2 + rng_below(rng, CLASSES_MOST - 1), way = number % WAYS_TO_KEEP;
    struct sample *s = sample_new(rng, 20 + rng_below(rng, 60), 1 + rng_below(rng, 5), way, bias,
                                  bias == BIAS_FREE && number % 2, number % 7 ? 0 : 100);
    for (size_t i = 0; i < s->o.n; i++)
        s->label[i] = i < classes ? (int32_t)i : (int32_t)rng_below(rng, classes);
    s->o.l1 = strength[0];
    s->o.l2 = strength[1];
    struct joint j = {.o = &s->o, .loss = joint_losses[number % 2], .classes = classes};
    assert_int_equal(joint_init(&j), SEPAL_OK);
    double *u = numbers(j.size), *alpha = numbers(j.cells);
    long double least = find_best(s, &j, u, alpha);
    struct proof proof;
    assert_int_equal(joint_certify(&proof, &j, u, NULL, NULL), SEPAL_OK);
    bool solved = j.loss->smooth && (s->o.l1 > 0 || s->o.l2 > 0) && number % 7;
    if (solved) {
        assert_int_equal(joint_certify(&proof, &j, u, alpha, NULL), SEPAL_OK);
        if (!(proof.gap < 1e-7))
            fail_msg("l1 %g, l2 %g, bias %d: gap %g", s->o.l1, s->o.l2, bias, proof.gap);
    }
    attack_joint(s, &j, u, alpha, least, rng);
    free(u);
    free(alpha);
    sample_free(s);
}

static void test_promise(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(917), 1);
    for (size_t number = 0; number < 240; number++) check_joint(&rng, number);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_promise)};
    return cmocka_run_group_tests(tests, set_up_one_thread, tear_down);
}
