/* The passes over the rows against plain loops in long double: every way to keep rows, every bias,
   centred or not; and the same bits at any number of threads and from every set of kernels. */
#include "unit/objective_fixture.h"

struct results {
    double *m, *gradient, *curvature, *hessian, *diagonal, *product, *t, *back, *margins;
    double loss, sum;
};

static struct results all_passes(const struct objective *o, const double *u, const double *v) {
    struct results r = {.m = numbers(o->n),
                        .gradient = numbers(o->width),
                        .curvature = numbers(o->n),
                        .hessian = numbers(o->width * o->width),
                        .diagonal = numbers(o->width),
                        .product = numbers(o->width),
                        .t = numbers(o->n),
                        .back = numbers(o->width),
                        .margins = numbers(o->n)};
    struct sweep sweep = {.m = r.m, .gradient = r.gradient, .curvature = r.curvature};
    if (o->turned) sweep.hessian = r.hessian;
    assert_int_equal(objective_sweep(&sweep, o, u), SEPAL_OK);
    assert_int_equal(objective_diagonal(r.diagonal, o, r.curvature), SEPAL_OK);
    r.loss = sweep.loss;
    assert_int_equal(objective_product(r.product, r.t, o, r.curvature, v), SEPAL_OK);
    assert_int_equal(objective_back(r.back, o, r.m), SEPAL_OK);
    assert_int_equal(objective_margins(r.margins, o, u), SEPAL_OK);
    assert_int_equal(objective_loss(&r.sum, o, r.margins), SEPAL_OK);
    return r;
}

static void results_free(struct results *r) {
    double *all[] = {r->m,       r->gradient, r->curvature, r->hessian, r->diagonal,
                     r->product, r->t,        r->back,      r->margins};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
}

static void near(const char *what, double found, long double right, long double size) {
    if (fabsl(found - right) > 1e-13L * size) fail_msg("%s: %.17g, not %.17Lg", what, found, right);
}

static void compare(const struct sample *s, const double *u, const double *v,
                    const struct results *r) {
    const struct objective *o = &s->o;
    long double loss = 0;
    for (size_t i = 0; i < o->n; i++) {
        double side = s->label[i] == 1 ? 1 : -1, alpha, curvature;
        long double m = side * plain_score(s, i, u);
        near("a margin", r->m[i], m, 100);
        near("a margin alone", r->margins[i], m, 100);
        near("a product's score", r->t[i], plain_score(s, i, v), 100);
        o->loss->at(o->ctx->kernels, 1, &r->m[i], NULL, &alpha, &curvature);
        near("a curvature", r->curvature[i], s->row_weight[i] * curvature, 1);
        loss += s->row_weight[i] * plain_loss(o->loss, m);
    }
    near("the loss", r->loss, loss, 100);
    near("the loss alone", r->sum, loss, 100);
    for (size_t j = 0; j < o->width; j++) {
        long double gradient = 0, diagonal = 0, product = 0, back = 0, size = 1;
        for (size_t i = 0; i < o->n; i++) {
            double side = s->label[i] == 1 ? 1 : -1, alpha;
            long double x = plain_x(s, i, j);
            o->loss->at(o->ctx->kernels, 1, &r->m[i], NULL, &alpha, NULL);
            gradient -= s->row_weight[i] * alpha * side * x;
            diagonal += r->curvature[i] * x * x;
            product += r->curvature[i] * x * plain_score(s, i, v);
            back += r->m[i] * x;
            size += fabsl(r->m[i] * x);
        }
        near("a slope", r->gradient[j], gradient, 100);
        near("the diagonal", r->diagonal[j], diagonal, 100);
        near("the product", r->product[j], product, 100);
        near("the way back", r->back[j], back, size * 10);
        for (size_t k = j; k < o->width && o->turned; k++) {
            long double entry = 0;
            for (size_t i = 0; i < o->n; i++)
                entry += r->curvature[i] * plain_x(s, i, j) * plain_x(s, i, k);
            near("the hessian", r->hessian[j * o->width + k], entry, 100);
        }
    }
}

static void random_point(double *u, size_t n, struct rng *rng) {
    for (size_t j = 0; j < n; j++) u[j] = rng_below(rng, 4) == 0 ? 0 : normal(rng);
}

static void test_passes(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(11), 1);
    for (size_t number = 0; number < 6 * 3 * 2 * 8; number++) {
        size_t rows = 2 + rng_below(&rng, 90), cols = 1 + rng_below(&rng, 40);
        struct sample *s = sample_new(&rng, rows, cols, number % 6, (enum bias)(number / 6 % 3),
                                      number / 18 % 2, 0);
        double *u = numbers(s->o.width), *v = numbers(s->o.width);
        random_point(u, s->o.width, &rng);
        random_point(v, s->o.width, &rng);
        s->o.loss = all_losses[number % LOSSES];
        assert_int_equal(s->o.width, cols + (s->o.bias != BIAS_NONE));
        assert_int_equal(s->o.penalised, cols + (s->o.bias == BIAS_PENALISED));
        struct results r = all_passes(&s->o, u, v);
        compare(s, u, v, &r);
        results_free(&r);
        free(u);
        free(v);
        sample_free(s);
    }
}

static void test_penalty(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(12), 1);
    for (int bias = 0; bias < 3; bias++) {
        struct sample *s = sample_new(&rng, 5, 7, 1, (enum bias)bias, false, 0);
        double u[8] = {1, -2, 0, 3, -4, 0.5, 0, 100};
        double w1 = 1 + 2 + 3 + 4 + 0.5, w2 = 1 + 4 + 9 + 16 + 0.25;
        if (bias == BIAS_PENALISED) w1 += 100, w2 += 1e4;
        s->o.l1 = 3, s->o.l2 = 5;
        near("the penalty", objective_penalty(&s->o, u), 3 * w1 + 2.5 * w2, 1);
        sample_free(s);
    }
}

/* Means of 1e8 cost dense rows no digits. */
static void test_large_means(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(13), 1);
    for (int number = 0; number < 20; number++) {
        struct sample *s = sample_new(&rng, 50, 5, 1, BIAS_FREE, true, 1e8);
        double *u = numbers(6), *v = numbers(6);
        random_point(u, 6, &rng);
        random_point(v, 6, &rng);
        struct results r = all_passes(&s->o, u, v);
        compare(s, u, v, &r);
        results_free(&r);
        free(u);
        free(v);
        sample_free(s);
    }
}

static void same(const struct results *a, const struct results *b, const struct objective *o) {
    const double *first[] = {a->m,        a->curvature, a->t,       a->margins,
                             a->gradient, a->diagonal,  a->product, a->back};
    const double *other[] = {b->m,        b->curvature, b->t,       b->margins,
                             b->gradient, b->diagonal,  b->product, b->back};
    for (size_t k = 0; k < 8; k++)
        assert_memory_equal(first[k], other[k], (k < 4 ? o->n : o->width) * sizeof(double));
    for (size_t j = 0; j < o->width; j++)
        for (size_t k = j; k < o->width; k++)
            assert_true(a->hessian[j * o->width + k] == b->hessian[j * o->width + k]);
    assert_memory_equal(&a->loss, &b->loss, sizeof a->loss);
    assert_memory_equal(&a->sum, &b->sum, sizeof a->sum);
}

static void test_same_bits(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(14), 1);
    const struct kernels *best = ctx->kernels;
    for (size_t number = 0; number < 12; number++) {
        struct sample *s = sample_new(&rng, 6000, number > 5 && number < 8 ? 24 : 60, number % 6,
                                      (enum bias)(number % 3), number / 6 % 2, 0);
        double *u = numbers(s->o.width), *v = numbers(s->o.width);
        random_point(u, s->o.width, &rng);
        random_point(v, s->o.width, &rng);
        s->o.loss = all_losses[number % LOSSES];
        assert_true(s->o.slabs > 1);
        sepal_ctx_set_threads(ctx, 1);
        struct results first = all_passes(&s->o, u, v);
        if (number % 6 < 2) compare(s, u, v, &first); /* of more than one slab */
        for (unsigned threads = 2; threads <= 4; threads++) {
            sepal_ctx_set_threads(ctx, threads == 4 ? 1 : threads);
            ctx->kernels = threads == 4 ? &kernels_reference : best;
            struct results again = all_passes(&s->o, u, v);
            same(&first, &again, &s->o);
            results_free(&again);
        }
        ctx->kernels = best;
        results_free(&first);
        free(u);
        free(v);
        sample_free(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_passes),
        cmocka_unit_test(test_penalty),
        cmocka_unit_test(test_large_means),
        cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
