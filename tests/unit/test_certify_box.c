/* The certificate of weights within bounds: whatever point of the box and dual variables it is given, its
   bound is below the objective everywhere in the box; at the optimum the two meet, without a penalty where
   both bounds of every weight are numbers; a point out of the box is no point. */
#include "unit/objective_fixture.h"

#include "objective/certify.h"

#include <float.h>

enum { COLS_MOST = 5 };

struct boxed {
    struct sample *s;
    double *low, *high;
    struct box *box;
};

static double box_side(const struct boxed *b, size_t j, bool high) {
    if (j >= b->s->o.cols) return high ? INFINITY : -INFINITY;
    return high ? b->high[j] : b->low[j];
}

/* Both, one, or neither; some that meet, some at 0, some that leave 0 out. */
static void draw_bounds(struct boxed *b, struct rng *rng, bool both) {
    for (size_t j = 0; j < b->s->o.cols; j++) {
        double at = rng_below(rng, 3) == 0 ? 0 : normal(rng), width = fabs(normal(rng));
        size_t kind = rng_below(rng, 5);
        b->low[j] = kind == 1 && !both ? -INFINITY : at;
        b->high[j] = kind == 0 && !both ? INFINITY : kind == 2 ? at : at + width;
        if (kind == 3 && !both) b->low[j] = -INFINITY, b->high[j] = INFINITY;
        if (b->low[j] == -INFINITY && b->high[j] < INFINITY) b->high[j] = at;
    }
}

static struct boxed boxed_new(struct rng *rng, size_t rows, size_t cols, size_t number, bool both) {
    struct boxed b = {.s = sample_new(rng, rows, cols, rng_below(rng, WAYS_TO_KEEP),
                                      (enum bias)(number % 3), rng_below(rng, 2), 0),
                      .low = numbers(COLS_MOST),
                      .high = numbers(COLS_MOST),
                      .box = numbers(sizeof *b.box)};
    *b.box = (struct box){b.low, b.high};
    b.s->o.box = b.box;
    struct objective *o = &b.s->o;
    double strength = pow(10, 3 * rng_unit(rng) - 3);
    o->loss = all_losses[number / 3 % LOSSES];
    size_t penalty = number / 12 % 4;
    o->l1 = penalty == 1 || penalty == 2 ? 0.1 * strength : 0;
    o->l2 = penalty == 0 || penalty == 2 ? strength : 0;
    draw_bounds(&b, rng, both);
    return b;
}

static void boxed_free(struct boxed *b) {
    free(b->low);
    free(b->high);
    free(b->box);
    sample_free(b->s);
}

/* The least along one axis of the box, by cutting to a third. */
static void least_along(const struct boxed *b, double *u, size_t j, double reach) {
    double low = fmax(u[j] - reach, box_side(b, j, false));
    double high = fmin(u[j] + reach, box_side(b, j, true));
    for (int k = 0; k < 50; k++) {
        double left = low + (high - low) / 3, right = high - (high - low) / 3;
        u[j] = left;
        long double at_left = plain_objective(b->s, u);
        u[j] = right;
        if (at_left < plain_objective(b->s, u))
            high = right;
        else
            low = left;
    }
    /* exactly at a bound where it is not told from one */
    u[j] = 0.5 * (low + high);
    double ends[] = {box_side(b, j, false), box_side(b, j, true), 0};
    for (size_t e = 0; e < 3; e++)
        if (fabs(ends[e] - u[j]) < 1e-9 && ends[e] >= ends[0] && ends[e] <= ends[1]) u[j] = ends[e];
}

static long double box_descend(const struct boxed *b, double *u, int rounds, double reach) {
    for (size_t j = 0; j < b->s->o.width; j++)
        u[j] = box_clip(u[j], box_side(b, j, false), box_side(b, j, true));
    for (int round = 0; round < rounds; round++) {
        for (size_t j = 0; j < b->s->o.width; j++) least_along(b, u, j, reach + 1e-6);
        reach *= 0.7;
    }
    return plain_objective(b->s, u);
}

static void draw_alphas(double *alpha, const struct objective *o, const double *m, int form,
                        struct rng *rng) {
    static const double odd[] = {NAN, INFINITY, -INFINITY, DBL_MAX, 0, -1, 1e-320, 2, 1e9};
    o->loss->at(o->ctx->kernels, o->n, m, NULL, alpha, NULL);
    for (size_t i = 0; i < o->n; i++) {
        if (form == 1) alpha[i] += 0.1 * normal(rng);
        if (form == 2) alpha[i] = odd[rng_below(rng, sizeof odd / sizeof *odd)];
        if (form == 3) alpha[i] = rng_unit(rng);
        if (form == 4) alpha[i] = 5 * normal(rng);
        if (form == 5) alpha[i] *= 1 + 1e-9 * normal(rng);
    }
}

static size_t bounded_proofs;

static void attack_box(const struct boxed *b, const double *best, long double least,
                       struct rng *rng) {
    const struct objective *o = &b->s->o;
    double *u = numbers(o->width), *m = numbers(o->n), *alpha = numbers(o->n);
    for (int form = 0; form <= 12; form++) {
        double size = form % 3 == 0 ? 0 : pow(10, 8 * rng_unit(rng) - 6);
        for (size_t j = 0; j < o->width; j++)
            u[j] =
                box_clip(best[j] + size * normal(rng), box_side(b, j, false), box_side(b, j, true));
        assert_int_equal(objective_margins(m, o, u), SEPAL_OK);
        draw_alphas(alpha, o, m, form % 6, rng);
        struct proof proof;
        assert_int_equal(certify(&proof, o, u, form == 12 ? NULL : alpha), SEPAL_OK);
        long double right = plain_objective(b->s, u);
        if (fabsl(proof.primal - right) > 1e-13L * (1 + right))
            fail_msg("P is %.17g, not %.17Lg", proof.primal, right);
        if (proof.dual > least + 1e-13L * (1 + least))
            fail_msg("%s, l1 %g, l2 %g, bias %d, form %d: D = %.17g, above P = %.17Lg",
                     o->loss->name, o->l1, o->l2, (int)o->bias, form, proof.dual, least);
        assert_true(isnan(proof.dual) == isnan(proof.gap));
        assert_true(isnan(proof.gap) || isnan(proof.slope) || proof.primal == 0);
        bool penalised = o->l1 > 0 || o->l2 > 0;
        assert_true(!penalised || !isnan(proof.dual));
        bounded_proofs += !penalised && proof.dual > 0;
    }
    free(u);
    free(m);
    free(alpha);
}

static void test_box_bound(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(121), 1);
    for (size_t number = 0; number < 480; number++) {
        struct boxed b = boxed_new(&rng, 2 + rng_below(&rng, 20), 1 + rng_below(&rng, COLS_MOST),
                                   number, rng_below(&rng, 2));
        double *best = numbers(b.s->o.width);
        attack_box(&b, best, box_descend(&b, best, 8, 8), &rng);
        free(best);
        boxed_free(&b);
    }
    assert_true(bounded_proofs > 50); /* bounds alone do prove something */
}

/* At the optimum of a smooth loss the point's own slopes prove it: with a penalty, or with two bounds of
   every weight. */
static void test_box_meets(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(122), 1);
    for (size_t number = 0; number < 96; number++) {
        bool none = number / 12 % 4 == 3;
        struct boxed b = boxed_new(&rng, 20, 2, number, none);
        b.s->o.loss = number % 2 ? &loss_logistic : &loss_squared_hinge;
        if (b.s->o.l1 > 0) b.s->o.l1 = 0.02; /* the optimum is near */
        if (b.s->o.l2 > 0) b.s->o.l2 = 0.1;
        if (b.s->o.bias == BIAS_PENALISED && none) { /* its weight has no bounds */
            b.s->o.bias = BIAS_FREE;
            b.s->o.penalised = b.s->o.cols;
        }
        double *best = numbers(b.s->o.width);
        struct proof proof = {.gap = 1};
        for (int k = 0; k < 80 && !(proof.gap < 1e-6); k++) {
            box_descend(&b, best, 20, k % 2 ? 0.1 : 8);
            assert_int_equal(certify(&proof, &b.s->o, best, NULL), SEPAL_OK);
        }
        if (!(proof.gap < 1e-6))
            fail_msg("%zu: %s, l1 %g, l2 %g, bias %d: a gap of %g", number, b.s->o.loss->name,
                     b.s->o.l1, b.s->o.l2, (int)b.s->o.bias, proof.gap);
        free(best);
        boxed_free(&b);
    }
}

/* Where nothing bounds a weight from one side, there is no bound without a penalty; the slope that is told
   is one that does not lead out of the box. */
static void test_box_open(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(123), 1);
    for (size_t number = 0; number < 30; number++) {
        struct boxed b = boxed_new(&rng, 20, 2, 0, false);
        struct proof proof;
        b.s->o.l1 = b.s->o.l2 = 0;
        b.s->o.loss = &loss_logistic;
        bool nonneg = number % 2;
        b.low[0] = nonneg ? 0 : -INFINITY, b.high[0] = nonneg ? INFINITY : 0;
        b.low[1] = -INFINITY, b.high[1] = INFINITY;
        double *u = numbers(b.s->o.width), m[20], alpha[20], most = 0;
        u[1] = normal(&rng);
        assert_int_equal(certify(&proof, &b.s->o, u, NULL), SEPAL_OK);
        assert_true(isnan(proof.gap) && isnan(proof.dual));
        assert_int_equal(objective_margins(m, &b.s->o, u), SEPAL_OK);
        loss_logistic.at(&kernels_reference, 20, m, NULL, alpha, NULL);
        for (size_t j = 0; j < b.s->o.width; j++) {
            long double v = 0;
            for (size_t i = 0; i < 20; i++)
                v += b.s->row_weight[i] * alpha[i] * (b.s->label[i] == 1 ? 1 : -1) *
                     plain_x(b.s, i, j);
            if (j > 0 || (nonneg ? v > 0 : v < 0)) most = fmax(most, fabs((double)v));
        }
        assert_true(fabs(proof.slope - most) <= 1e-12 * (1 + most));
        u[0] = nonneg ? -1e-300 : 1e-300;
        assert_int_equal(certify(&proof, &b.s->o, u, NULL), SEPAL_EINTERNAL);
        free(u);
        boxed_free(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_box_bound, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_box_meets, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_box_open, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
