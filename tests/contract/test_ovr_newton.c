/* Newton's method for one-versus-rest by itself: its passes are those of each class alone, in doubles and in
   singles; and what it calls done has a proof, which no other solver mends. */
#include "unit/objective_fixture.h"

#include "kernels/blas.h"
#include "solvers/ovr_newton.h"

enum { CLASSES = 4 };

/* The rows of a sample in CLASSES classes. */
struct many {
    struct sample *s;
    struct ovr_objective rest;
    int32_t *label;
};

static struct many many_new(struct rng *rng, size_t rows, size_t cols, size_t way, enum bias bias) {
    struct many m = {.s =
                         sample_new(rng, rows, cols, way, bias, way < 2 && bias == BIAS_FREE, 0.3)};
    m.label = numbers(rows);
    for (size_t i = 0; i < rows; i++)
        m.label[i] = i < CLASSES ? (int32_t)i : (int32_t)rng_below(rng, CLASSES);
    m.s->o.l2 = 1 / (double)rows;
    m.rest = (struct ovr_objective){.o = &m.s->o, .labels = {.label = m.label}, .classes = CLASSES};
    return m;
}

static void many_free(struct many *m) {
    sample_free(m->s);
    free(m->label);
}

/* ---- passes ----------------------------------------------------------------------------------- */

static struct ovr ovr_of(const struct many *m, bool single) {
    const struct objective *o = m->rest.o;
    struct ovr ovr = {.rest = &m->rest, .lanes = CLASSES - 1, .single = single};
    ovr.lane = numbers(CLASSES);
    ovr.sums = numbers(o->slabs * o->width * ovr.lanes);
    ovr.v = numbers(o->width * OVR_LANES);
    ovr.lane[0] = -1; /* class 0 is not at work */
    for (size_t l = 0; l < ovr.lanes; l++) {
        ovr.class[l] = l + 1;
        ovr.lane[l + 1] = (int32_t)l;
    }
    return ovr;
}

static void ovr_free(struct ovr *ovr) {
    free(ovr->lane);
    free(ovr->sums);
    free(ovr->v);
    mem_free(ovr->dense);
}

static void near(const char *what, const double *found, size_t lanes, size_t l, const double *right,
                 size_t n, double tol) {
    double size = 1e-300;
    for (size_t k = 0; k < n; k++) size = fmax(size, fabs(right[k]));
    for (size_t k = 0; k < n; k++)
        if (!(fabs(found[k * lanes + l] - right[k]) <= tol * size))
            fail_msg("%s %zu of lane %zu: %.9g, not %.9g", what, k, l, found[k * lanes + l],
                     right[k]);
}

/* Lane l beside the passes of its class alone, at the point u and along v. */
static void check_lane(const struct many *m, struct ovr *ovr, size_t l, const double *u,
                       const double *v, double tol) {
    struct objective o = *m->rest.o;
    size_t lanes = ovr->lanes, n = o.n, width = o.width;
    int32_t *label = numbers(n);
    double *point = numbers(width), *step = numbers(width), *product = numbers(width);
    double *t = numbers(n), *found = numbers(width * lanes), *margins = numbers(n * lanes);
    double *curvature = numbers(n * lanes);
    struct sweep sweep = {.m = numbers(n), .gradient = numbers(width), .curvature = numbers(n)};
    struct ovr_sums sums;
    for (size_t i = 0; i < n; i++) label[i] = m->label[i] == (int32_t)ovr->class[l];
    for (size_t j = 0; j < width; j++) {
        point[j] = u[j * lanes + l];
        step[j] = v[j * lanes + l];
    }
    o.label = label;
    assert_int_equal(objective_sweep(&sweep, &o, point), SEPAL_OK);
    assert_int_equal(objective_product(product, t, &o, sweep.curvature, step), SEPAL_OK);
    assert_int_equal(ovr_margins(margins, ovr, u), SEPAL_OK);
    near("margin", margins, lanes, l, sweep.m, n, tol);
    assert_int_equal(ovr_gradient(found, &sums, curvature, ovr, margins), SEPAL_OK);
    near("gradient", found, lanes, l, sweep.gradient, width, tol);
    near("curvature", curvature, lanes, l, sweep.curvature, n, tol);
    assert_true(fabs(sums.loss[l] - sweep.loss) <= tol * sweep.loss);
    assert_int_equal(ovr_product(found, ovr, curvature, v), SEPAL_OK);
    near("product", found, lanes, l, product, width, tol);
    assert_int_equal(ovr_combine(found, ovr, margins), SEPAL_OK);
    for (size_t i = 0; i < n; i++) t[i] = margins[i * lanes + l];
    assert_int_equal(objective_back(product, &o, t), SEPAL_OK);
    near("sum", found, lanes, l, product, width, tol);
    void *all[] = {label,     point,   step,           product,        t, found, margins,
                   curvature, sweep.m, sweep.gradient, sweep.curvature};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
}

static void passes_are_those_of_each_class(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(1), 1);
    for (size_t round = 0; round < 3 * WAYS_TO_KEEP * 3; round++) {
        size_t way = round % WAYS_TO_KEEP, kind = round / WAYS_TO_KEEP % 3;
        enum bias bias = (enum bias)(round / WAYS_TO_KEEP / 3);
        struct many m = many_new(&rng, 700, 1 + rng_below(&rng, 20), way, bias);
        struct ovr ovr = ovr_of(&m, kind == 2 && (way >= 2 || ctx->blas->gemm_nn_single));
        m.s->o.loss = round % 2 ? &loss_squared_hinge : &loss_logistic;
        size_t count = m.s->o.width * ovr.lanes;
        double *u = numbers(count), *v = numbers(count);
        for (size_t k = 0; k < count; k++) u[k] = normal(&rng), v[k] = normal(&rng);
        if (kind == 1) assert_int_equal(ovr_keep_rows(&ovr), SEPAL_OK);
        /* a curvature jumps where a single is on the other side of a kink: not asked of singles */
        if (ovr.single) m.s->o.loss = &loss_logistic;
        for (size_t l = 0; l < ovr.lanes; l++)
            check_lane(&m, &ovr, l, u, v, ovr.single ? 2e-5 : 1e-11);
        free(u);
        free(v);
        ovr_free(&ovr);
        many_free(&m);
    }
}

/* ---- the solver ------------------------------------------------------------------------------- */

static bool never(void *payload, size_t iteration, double objective, double gap) {
    (void)payload, (void)iteration, (void)objective, (void)gap;
    return false;
}

static void what_is_done_has_a_proof(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(2), 1);
    for (size_t round = 0; round < 2 * WAYS_TO_KEEP * 3; round++) {
        size_t way = round % WAYS_TO_KEEP;
        enum bias bias = (enum bias)(round / WAYS_TO_KEEP % 3);
        struct many m = many_new(&rng, 300, 1 + rng_below(&rng, 20), way, bias);
        m.s->o.loss = round < WAYS_TO_KEEP * 3 ? &loss_logistic : &loss_squared_hinge;
        struct ovr_point point = {.n = CLASSES, .lanes = OVR_LANES_HALF};
        point.w64 = numbers(m.s->o.cols * point.lanes);
        point.alpha64 = numbers(m.s->o.n * point.lanes);
        for (size_t l = 0; l < CLASSES; l++) point.class[l] = l;
        struct ovr_newton d = {
            .rest = &m.rest, .tol = 1e-7, .max_iter = 100, .stops = never, .point = &point};
        const bool wanted[OVR_LANES] = {true, true, true, true};
        const struct ovr_point *points = &point;
        struct proof proofs[1][OVR_LANES];
        assert_int_equal(ovr_newton(&d, wanted), SEPAL_OK);
        assert_int_equal(certify_ovr(proofs, &m.rest, &points, 1), SEPAL_OK);
        for (size_t l = 0; l < CLASSES; l++)
            if (!(proofs[0][l].gap <= 1.01e-7))
                fail_msg("way %zu, bias %d, %s: the gap of class %zu is %.3g", way, (int)bias,
                         m.s->o.loss->name, l, proofs[0][l].gap);
        ovr_newton_close(&d);
        free(point.w64);
        free(point.alpha64);
        many_free(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_are_those_of_each_class),
        cmocka_unit_test(what_is_done_has_a_proof),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
