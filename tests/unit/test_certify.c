/* The certificate is a promise: whatever point and dual variables it is given, its bound is below
   the objective everywhere, its objective is right to the last digits, and at the optimum the two
   meet. */
#include "unit/objective_fixture.h"

#include "objective/certify_ovr.h"

#include <float.h>

/* ---- near the optimum, by no solver of the library ---------------------------------------------- */

/* The least along one axis of a convex function: step out, then cut to a third. */
static long double along(const struct sample *s, double *u, size_t j, double reach) {
    double low = u[j] - reach, high = u[j] + reach;
    for (int k = 0; k < 60; k++) {
        double left = low + (high - low) / 3, right = high - (high - low) / 3;
        u[j] = left;
        long double at_left = plain_objective(s, u);
        u[j] = right;
        if (at_left < plain_objective(s, u))
            high = right;
        else
            low = left;
    }
    u[j] = 0.5 * (low + high);
    return plain_objective(s, u);
}

static long double descend(const struct sample *s, double *u, int rounds) {
    long double least = plain_objective(s, u), reached = least;
    double *best = numbers(s->o.width), reach = 8;
    memcpy(best, u, s->o.width * sizeof *u);
    for (int round = 0; round < rounds; round++) {
        for (size_t j = 0; j < s->o.width; j++) reached = along(s, u, j, reach);
        reach *= 0.7;
        if (reached < least) {
            least = reached;
            memcpy(best, u, s->o.width * sizeof *u);
        }
    }
    memcpy(u, best, s->o.width * sizeof *u);
    free(best);
    return plain_objective(s, u);
}

/* ---- attacks ------------------------------------------------------------------------------------ */

enum { FORMS = 8 };

/* Dual variables in every state that a solver might leave them in. */
static void make_alphas(double *alpha, const struct objective *o, const double *m, int form,
                        struct rng *rng) {
    static const double odd[] = {NAN, INFINITY, -INFINITY, DBL_MAX, -DBL_MAX,
                                 0,   -1,       1e-320,    2,       1e9};
    o->loss->at(o->ctx->kernels, o->n, m, NULL, alpha, NULL);
    for (size_t i = 0; i < o->n; i++) switch (form) {
        case 0: break;
        case 1: alpha[i] += 0.1 * normal(rng); break;
        case 2: alpha[i] = odd[rng_below(rng, sizeof odd / sizeof *odd)]; break;
        case 3: alpha[i] = rng_unit(rng); break;
        case 4: alpha[i] = 5 * normal(rng); break;
        case 5: alpha[i] = o->label[i] == 1 ? 1 : 0; break;
        case 6: alpha[i] *= 1 + 1e-9 * normal(rng); break;
        default: alpha[i] = 1e200 * normal(rng);
        }
}

static void attack(const struct sample *s, const double *best, long double least, struct rng *rng) {
    const struct objective *o = &s->o;
    double *u = numbers(o->width), *m = numbers(o->n), *alpha = numbers(o->n);
    long double slack = 1e-13L * (1 + least);
    for (int form = 0; form <= 2 * FORMS; form++) {
        double size = form % 3 == 0 ? 0 : pow(10, 8 * rng_unit(rng) - 6);
        for (size_t j = 0; j < o->width; j++) u[j] = best[j] + size * normal(rng);
        assert_int_equal(objective_margins(m, o, u), SEPAL_OK);
        make_alphas(alpha, o, m, form % FORMS, rng);
        struct proof proof;
        assert_int_equal(certify(&proof, o, u, form == 2 * FORMS ? NULL : alpha), SEPAL_OK);
        long double right = plain_objective(s, u);
        if (fabsl(proof.primal - right) > 1e-13L * (1 + right))
            fail_msg("P is %.17g, not %.17Lg", proof.primal, right);
        if (proof.dual > least + slack)
            fail_msg("%s, l1 %g, l2 %g, bias %d, form %d: D = %.17g, above P = %.17Lg",
                     o->loss->name, o->l1, o->l2, o->bias, form, proof.dual, least);
        bool bounded = o->l1 > 0 || o->l2 > 0;
        assert_true(!bounded || !isnan(proof.dual));
        assert_true(isnan(proof.dual) == isnan(proof.gap));
        if (isnan(proof.gap)) continue;
        assert_true(proof.dual >= 0 && isfinite(proof.dual) && proof.gap >= DBL_EPSILON);
        long double gap = (proof.primal - (long double)proof.dual) / fmaxl(proof.primal, 1e-300L);
        if (fabsl(proof.gap - fmaxl(gap, DBL_EPSILON)) > 1e-12L * (1 + gap))
            fail_msg("a gap of %.17g, not %.17Lg (P = %.17g, D = %.17g)", proof.gap, gap,
                     proof.primal, proof.dual);
    }
    free(u);
    free(m);
    free(alpha);
}

/* Strengths of every sort; 0.3 as often as not. */
static void random_penalty(struct objective *o, size_t number, struct rng *rng) {
    double strength = pow(10, 4 * rng_unit(rng) - 3);
    o->l1 = number % 4 == 1 || number % 4 == 2 ? 0.1 * strength : 0;
    o->l2 = number % 4 == 0 || number % 4 == 2 ? strength : 0;
}

static void test_bound(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(21), 1);
    size_t attacks = 0;
    for (size_t number = 0; number < 400; number++) {
        size_t rows = 2 + rng_below(&rng, 25), cols = 1 + rng_below(&rng, 5);
        struct sample *s = sample_new(&rng, rows, cols, rng_below(&rng, WAYS_TO_KEEP),
                                      (enum bias)rng_below(&rng, 3), rng_below(&rng, 2), 0);
        s->o.loss = all_losses[number / 4 % LOSSES];
        random_penalty(&s->o, number, &rng);
        double *best = numbers(s->o.width);
        long double least = descend(s, best, 12);
        attack(s, best, least, &rng);
        attacks += 2 * FORMS + 1;
        free(best);
        sample_free(s);
    }
    print_message("%zu attacks\n", attacks);
}

/* At the optimum of a smooth loss the point's own slopes prove it. */
static void test_meets(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(22), 1);
    double worst = 0;
    for (size_t number = 0; number < 60; number++) {
        struct sample *s = sample_new(&rng, 20, 2, rng_below(&rng, WAYS_TO_KEEP),
                                      (enum bias)(number % 3), rng_below(&rng, 2), 0);
        s->o.loss = number % 2 ? &loss_logistic : &loss_squared_hinge;
        s->o.l2 = 0.1;
        s->o.l1 = number % 4 < 2 ? 0.02 : 0;
        double *best = numbers(s->o.width);
        struct proof proof = {.gap = 1};
        for (int k = 0; k < 60 && !(proof.gap < 1e-8); k++) {
            descend(s, best, 14);
            assert_int_equal(certify(&proof, &s->o, best, NULL), SEPAL_OK);
        }
        worst = fmax(worst, proof.gap);
        free(best);
        sample_free(s);
    }
    print_message("the largest gap at an optimum: %g\n", worst);
    assert_true(worst < 1e-6);
}

/* ---- what is told beside the bound -------------------------------------------------------------- */

/* Without a penalty: the largest entry of the gradient. */
static void test_slope(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(24), 1);
    for (size_t number = 0; number < 60; number++) {
        struct sample *s =
            sample_new(&rng, 2 + rng_below(&rng, 30), 1 + rng_below(&rng, 5), number % WAYS_TO_KEEP,
                       (enum bias)rng_below(&rng, 2), rng_below(&rng, 2), 0);
        const struct objective *o = &s->o;
        double *u = numbers(o->width), most = 0;
        s->o.loss = number % 2 ? &loss_logistic : &loss_squared_hinge;
        for (size_t j = 0; j < o->width; j++) u[j] = normal(&rng);
        for (size_t j = 0; j < o->width; j++) {
            long double sum = 0;
            for (size_t i = 0; i < o->n; i++) {
                int side = s->label[i] == 1 ? 1 : -1;
                double m = side * (double)plain_score(s, i, u), alpha;
                o->loss->at(ctx->kernels, 1, &m, NULL, &alpha, NULL);
                sum += s->row_weight[i] * alpha * side * plain_x(s, i, j);
            }
            most = fmax(most, fabs((double)sum));
        }
        struct proof proof;
        assert_int_equal(certify(&proof, o, u, NULL), SEPAL_OK);
        if (!(fabs(proof.slope - most) <= 1e-13)) fail_msg("slope %g, not %g", proof.slope, most);
        s->o.l2 = 0.1;
        assert_int_equal(certify(&proof, o, u, NULL), SEPAL_OK);
        assert_true(isnan(proof.slope));
        free(u);
        sample_free(s);
    }
}

/* Rows on their margin are inside, up to 1e-6; the bias is no part of the norm. */
static void test_margin(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(25), 1);
    for (size_t number = 0; number < 60; number++) {
        struct sample *s = sample_new(&rng, 20, 3, number % 2, (enum bias)(number % 3), false, 0);
        double *u = numbers(s->o.width), m = 0, square = 0;
        size_t row = 0, inside = 0;
        for (size_t j = 0; j < s->o.width; j++) u[j] = normal(&rng);
        while (m <= 0 && row < s->o.n) {
            m = (double)plain_score(s, row, u) * (s->label[row] == 1 ? 1 : -1);
            row++;
        }
        if (m <= 0) u[0] = 0, m = 1;
        for (size_t j = 0; j < s->o.width; j++) u[j] *= (1 + ((double)(number % 5) - 2) * 4e-7) / m;
        for (size_t i = 0; i < s->o.n; i++)
            inside += plain_score(s, i, u) * (s->label[i] == 1 ? 1 : -1) <= 1 + 1e-6L;
        for (size_t j = 0; j < 3; j++) square += u[j] * u[j];
        struct proof proof;
        s->o.loss = &loss_hinge;
        s->o.l2 = 1;
        assert_int_equal(certify(&proof, &s->o, u, NULL), SEPAL_OK);
        assert_int_equal(proof.inside, inside);
        assert_true(fabs(proof.norm - sqrt(square)) <= 1e-14 * proof.norm);
        free(u);
        sample_free(s);
    }
}

/* ---- each class against the rest ---------------------------------------------------------------- */

enum { CLASSES = 20 };

struct group {
    struct sample *s;
    struct ovr_objective rest;
    struct ovr_point point;
    int32_t label[64];
    double factor[2][CLASSES];
};

static void group_make(struct group *g, struct rng *rng, size_t number) {
    size_t way = rng_below(rng, WAYS_TO_KEEP), classes = 3 + rng_below(rng, CLASSES - 2);
    g->s = sample_new(rng, 8 + rng_below(rng, 56), 1 + rng_below(rng, 7), way,
                      (enum bias)(number % 3), way < 2 && rng_below(rng, 2), 0);
    struct objective *o = &g->s->o;
    struct ovr_point *point = &g->point;
    o->loss = all_losses[number / 3 % 3];
    o->l2 = pow(10, 4 * rng_unit(rng) - 3);
    g->rest = (struct ovr_objective){.o = o, .labels = {.label = g->label}, .classes = classes};
    for (size_t i = 0; i < o->n; i++) g->label[i] = (int32_t)rng_below(rng, classes);
    for (size_t k = 0; k < 2 * classes; k++) g->factor[k % 2][k / 2] = 0.1 + 3 * rng_unit(rng);
    for (size_t own = 0; own < 2 && number % 2; own++) g->rest.factor[own] = g->factor[own];
    point->n = 1 + rng_below(rng, classes < OVR_LANES ? classes : OVR_LANES);
    point->lanes = point->n <= OVR_LANES_HALF ? OVR_LANES_HALF : OVR_LANES;
    point->w = calloc(o->cols * point->lanes, sizeof *point->w);
    point->alpha = calloc(o->n * point->lanes, sizeof *point->alpha);
    size_t first = rng_below(rng, classes);
    for (size_t l = 0; l < point->n; l++) {
        point->class[l] = (first + l) % classes;
        point->bias[l] = o->bias == BIAS_NONE ? 0 : normal(rng);
        for (size_t j = 0; j < o->cols; j++) point->w[j * point->lanes + l] = (float)normal(rng);
        for (size_t i = 0; i < o->n; i++) {
            double near = number % 7 ? rng_unit(rng) : (double)(g->label[i] == (int32_t)l);
            if (number % 5 == 0 && rng_below(rng, 9) == 0) near = rng_below(rng, 2) ? NAN : -2;
            if (number % 11 == 0) near *= 3;
            point->alpha[i * point->lanes + l] = (float)near;
        }
    }
}

static void check_class(const struct group *g, size_t l, const struct proof *proof) {
    const struct ovr_point *point = &g->point;
    struct objective o = g->s->o;
    size_t class = point->class[l];
    double *u = numbers(o.width), *alpha = numbers(o.n), *share = numbers(o.n);
    int32_t *label = numbers(o.n);
    o.label = label;
    o.row_weight = share;
    for (size_t i = 0; i < o.n; i++) {
        label[i] = g->label[i] == (int32_t) class;
        share[i] = g->s->row_weight[i] * ovr_factor_of_class(&g->rest, class, label[i]);
        alpha[i] = (double)point->alpha[i * point->lanes + l];
    }
    for (size_t j = 0; j < o.cols; j++) u[j] = (double)point->w[j * point->lanes + l];
    if (o.bias != BIAS_NONE) u[o.cols] = point->bias[l];
    struct proof right;
    assert_int_equal(certify(&right, &o, u, alpha), SEPAL_OK);
    if (!(fabs(proof->primal - right.primal) <= 1e-12 * right.primal) ||
        !(fabs(proof->dual - right.dual) <= 1e-12 * right.primal) ||
        !(fabs(proof->gap - right.gap) <= 1e-12 * (1 + right.gap)))
        fail_msg("%s, bias %d: P %.17g, D %.17g, gap %g, not %.17g, %.17g, %g", o.loss->name,
                 o.bias, proof->primal, proof->dual, proof->gap, right.primal, right.dual,
                 right.gap);
    assert_int_equal(proof->inside, right.inside);
    assert_true(fabs(proof->norm - right.norm) <= 1e-12 * right.norm);
    free(u);
    free(alpha);
    free(share);
    free(label);
}

/* Every class of a group has the proof of its own two-class problem. */
static void test_rest(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(26), 1);
    for (size_t number = 0; number < 400; number++) {
        struct group g = {0};
        struct proof found[1][OVR_LANES];
        group_make(&g, &rng, number);
        const struct ovr_point *points[] = {&g.point};
        assert_int_equal(certify_ovr(found, &g.rest, points, 1), SEPAL_OK);
        for (size_t l = 0; l < g.point.n; l++) check_class(&g, l, &found[0][l]);
        free(g.point.w);
        free(g.point.alpha);
        sample_free(g.s);
    }
}

/* The same bits at any number of threads. */
static void test_threads(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(23), 1);
    for (size_t way = 0; way < WAYS_TO_KEEP; way++) {
        struct sample *s = sample_new(&rng, 9000, 20, way, BIAS_FREE, way % 2, 0);
        double *u = numbers(s->o.width);
        s->o.l2 = 0.01;
        for (size_t j = 0; j < s->o.width; j++) u[j] = normal(&rng);
        struct proof first, again;
        sepal_ctx_set_threads(ctx, 1);
        assert_int_equal(certify(&first, &s->o, u, NULL), SEPAL_OK);
        for (unsigned threads = 2; threads < 5; threads++) {
            sepal_ctx_set_threads(ctx, threads);
            assert_int_equal(certify(&again, &s->o, u, NULL), SEPAL_OK);
            assert_true(again.primal == first.primal && again.dual == first.dual);
        }
        free(u);
        sample_free(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bound),  cmocka_unit_test(test_meets), cmocka_unit_test(test_slope),
        cmocka_unit_test(test_margin), cmocka_unit_test(test_rest),  cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
