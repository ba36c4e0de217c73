/* A proof holds in spite of rounding: where columns lie far from 0 and are not centred, margins and sums
   lose half their digits, and still D is below the least objective, and the gap no less than the truth.
   The least objective of one column is found in long double; of more columns, by Newton's method. */
#include "unit/objective_fixture.h"

#include "objective/certify_ovr.h"
#include "objective/rounding.h"

#include <float.h>

/* ---- the optimum ---------------------------------------------------------------------------- */

/* P with weights in long double; the fixture's takes doubles. */
static long double objective_of(const struct sample *s, const long double *u) {
    const struct objective *o = &s->o;
    long double sum = 0;
    for (size_t i = 0; i < o->n; i++) {
        long double score = 0;
        for (size_t j = 0; j < o->width; j++) score += plain_x(s, i, j) * u[j];
        sum += s->row_weight[i] * plain_loss(o->loss, score * (s->label[i] == 1 ? 1 : -1));
    }
    for (size_t j = 0; j < o->penalised; j++)
        sum += o->l1 * fabsl(u[j]) + o->l2 / 2 * (long double)u[j] * u[j];
    return sum;
}

/* One column and no bias: cut to a third. */
static long double least_of_one(const struct sample *s, double reach, long double *at) {
    long double low = -reach, high = reach;
    for (int k = 0; k < 250; k++) {
        long double left = low + (high - low) / 3, right = high - (high - low) / 3;
        if (objective_of(s, &left) < objective_of(s, &right))
            high = right;
        else
            low = left;
    }
    *at = (low + high) / 2;
    return objective_of(s, at);
}

enum { COLS_MOST = 4 };

/* Gauss without pivoting: the matrix is positive definite. */
static void solve(long double a[COLS_MOST][COLS_MOST], long double *b, size_t n) {
    for (size_t k = 0; k < n; k++)
        for (size_t i = k + 1; i < n; i++) {
            long double factor = a[i][k] / a[k][k];
            for (size_t j = k; j < n; j++) a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++) b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
}

/* A smooth loss with an L2 penalty: Newton's method with halved steps. */
static long double least_of_smooth(const struct sample *s, long double *u) {
    const struct objective *o = &s->o;
    long double best = objective_of(s, u);
    for (int round = 0; round < 60; round++) {
        long double h[COLS_MOST][COLS_MOST] = {{0}}, g[COLS_MOST] = {0}, next[COLS_MOST];
        for (size_t i = 0; i < o->n; i++) {
            long double side = s->label[i] == 1 ? 1 : -1, m = 0, alpha, bend;
            for (size_t j = 0; j < o->width; j++) m += side * plain_x(s, i, j) * u[j];
            long double y = 1 / (1 + expl(m));
            alpha = o->loss == &loss_logistic ? y : m < 1 ? 2 * (1 - m) : 0;
            bend = o->loss == &loss_logistic ? y * (1 - y) : m < 1 ? 2 : 0;
            for (size_t j = 0; j < o->width; j++) {
                g[j] -= s->row_weight[i] * alpha * side * plain_x(s, i, j);
                for (size_t k = 0; k < o->width; k++)
                    h[j][k] += s->row_weight[i] * bend * plain_x(s, i, j) * plain_x(s, i, k);
            }
        }
        for (size_t j = 0; j < o->width; j++) {
            g[j] += o->l2 * u[j];
            h[j][j] += o->l2;
        }
        solve(h, g, o->width);
        long double value = INFINITY, length = 1;
        for (int halved = 0; halved < 20 && !(value < best); halved++) {
            for (size_t j = 0; j < o->width; j++) next[j] = u[j] - length * g[j];
            value = objective_of(s, next);
            length /= 2;
        }
        if (!(value < best)) break;
        best = value;
        memcpy(u, next, o->width * sizeof *u);
    }
    return best;
}

/* ---- proofs near it ------------------------------------------------------------------------- */

static void expect_truth(const struct sample *s, const double *u, const struct proof *proof,
                         long double least) {
    long double right = plain_objective(s, u), excess = right - least;
    long double scale = fabsl(right) > 1e-300L ? fabsl(right) : 1e-300L;
    if (!(fabsl(proof->primal - right) <= proof->rounding))
        fail_msg("%s: P is off by %Lg, more than %g", s->o.loss->name, fabsl(proof->primal - right),
                 proof->rounding);
    if (!(proof->dual <= least))
        fail_msg("%s, l1 %g, l2 %g: D = %.17g is above the least P by %Lg (rounding %g)",
                 s->o.loss->name, s->o.l1, s->o.l2, proof->dual, proof->dual - least,
                 proof->rounding);
    if (!(excess / scale <= proof->gap))
        fail_msg("%s, l1 %g, l2 %g: %Lg above the least P, and the gap is %g", s->o.loss->name,
                 s->o.l1, s->o.l2, excess / scale, proof->gap);
}

static void prove_near(const struct sample *s, const long double *best, long double least,
                       struct rng *rng) {
    static const double sizes[] = {0, 1e-16, 1e-14, 1e-12, 1e-9, 1e-6, 1e-3};
    double u[COLS_MOST], *none = numbers(s->o.n);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        for (size_t j = 0; j < s->o.width; j++)
            u[j] = (double)best[j] * (1 + sizes[k] * normal(rng));
        struct proof proof;
        assert_int_equal(certify(&proof, &s->o, u, NULL), SEPAL_OK);
        expect_truth(s, u, &proof, least);
        /* dual variables of 0 have no rounding errors that would make up for those of P */
        assert_int_equal(certify(&proof, &s->o, u, none), SEPAL_OK);
        expect_truth(s, u, &proof, least);
    }
    free(none);
}

/* The best dual variables, at weights of 0: P has no rounding errors that would hide those of D. */
static void prove_from_0(const struct sample *s, const long double *best, long double least) {
    double zero[COLS_MOST] = {0}, *m = numbers(s->o.n), *alpha = numbers(s->o.n);
    for (size_t i = 0; i < s->o.n; i++) {
        long double score = 0;
        for (size_t j = 0; j < s->o.width; j++) score += plain_x(s, i, j) * best[j];
        m[i] = (double)(score * (s->label[i] == 1 ? 1 : -1));
    }
    s->o.loss->at(ctx->kernels, s->o.n, m, NULL, alpha, NULL);
    struct proof proof;
    assert_int_equal(certify(&proof, &s->o, zero, alpha), SEPAL_OK);
    if (!(proof.dual <= least))
        fail_msg("%s, l2 %g, from 0: D = %.17g is above the least P by %Lg (rounding %g)",
                 s->o.loss->name, s->o.l2, proof.dual, proof.dual - least, proof.rounding);
    free(m);
    free(alpha);
}

static double some_offset(struct rng *rng) {
    return pow(10, 9 * rng_unit(rng)) * (rng_below(rng, 2) ? 1 : -1);
}

/* Singles would round the offset's neighbours away, and ones have none. */
static size_t some_way(struct rng *rng) {
    static const size_t ways[] = {1, 5, 1};
    return ways[rng_below(rng, 3)];
}

static struct sample *sample_of_one(struct rng *rng, double *offset) {
    *offset = some_offset(rng);
    return sample_new(rng, 5 + rng_below(rng, 60), 1, some_way(rng), BIAS_NONE, false, *offset);
}

static void test_one_column(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(61), 1);
    for (size_t number = 0; number < 400; number++) {
        double offset;
        struct sample *s = sample_of_one(&rng, &offset);
        s->o.loss = all_losses[number % LOSSES];
        double strength = pow(10, -6 * rng_unit(&rng));
        s->o.l1 = number / LOSSES % 3 ? strength : 0;
        s->o.l2 = number / LOSSES % 3 < 2 ? strength : 0;
        long double best, least = least_of_one(s, 1e4 / (1 + fabs(offset)), &best);
        prove_near(s, &best, least, &rng);
        sample_free(s);
    }
}

static void test_more_columns(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(62), 1);
    for (size_t number = 0; number < 200; number++) {
        size_t cols = 2 + rng_below(&rng, 2);
        bool centred = number % 4 == 0;
        struct sample *s = sample_new(&rng, 8 + rng_below(&rng, 40), cols, some_way(&rng),
                                      centred ? BIAS_FREE : BIAS_NONE, centred, some_offset(&rng));
        s->o.loss = number % 2 ? &loss_logistic : &loss_squared_hinge;
        s->o.l2 = pow(10, -4 * rng_unit(&rng));
        if (s->o.rows.sparse && centred) {
            sample_free(s);
            continue;
        }
        long double best[COLS_MOST] = {0}, least = least_of_smooth(s, best);
        prove_near(s, best, least, &rng);
        prove_from_0(s, best, least);
        sample_free(s);
    }
}

/* D(a) of dual variables within their range, without a bias and l1. */
static long double dual_at(const struct sample *s, const double *alpha) {
    const struct objective *o = &s->o;
    long double sum = 0;
    for (size_t i = 0; i < o->n; i++) {
        long double a = alpha[i], square = a - a * a / 4;
        sum += s->row_weight[i] * (o->loss == &loss_hinge ? a : square);
    }
    for (size_t j = 0; j < o->cols; j++) {
        long double v = 0;
        for (size_t i = 0; i < o->n; i++)
            v += (s->label[i] == 1 ? 1 : -1) * plain_x(s, i, j) * s->row_weight[i] * alpha[i];
        sum -= v * v / (2 * (long double)o->l2);
    }
    return fmaxl(sum, 0); /* no loss is below 0 */
}

/* A sparse row's or column's last entry, such that the sum of `factor` times entries is `sum` up to rounding. */
static void cancel_row(const struct sample *s, size_t i, const double *factor, double sum) {
    const struct block *block = &s->matrix.blocks[0];
    size_t last = block->start[i + 1];
    if (last-- == block->start[i]) return;
    for (size_t k = block->start[i]; k < last; k++) sum -= block->f64[k] * factor[block->index[k]];
    size_t j = block->index[last];
    block->f64[last] = s->x[i * s->o.cols + j] = sum / factor[j];
}

static void cancel_column(const struct sample *s, size_t j, const double *factor, double sum) {
    const struct block *block = &s->matrix.blocks[0];
    size_t last = SIZE_MAX, row = 0;
    for (size_t i = 0; i < block->rows; i++)
        for (size_t k = block->start[i]; k < block->start[i + 1]; k++) {
            if (block->index[k] != j) continue;
            if (last != SIZE_MAX) sum -= block->f64[last] * factor[row];
            last = k;
            row = i;
        }
    if (last != SIZE_MAX) block->f64[last] = s->x[row * s->o.cols + j] = sum / factor[row];
}

static void expect_primal(struct sample *s, struct rng *rng, const double *none) {
    struct proof proof;
    double *u = numbers(s->o.cols);
    for (size_t j = 0; j < s->o.cols; j++) u[j] = normal(rng);
    for (size_t i = 0; i < s->o.n; i++) cancel_row(s, i, u, normal(rng));
    assert_int_equal(objective_keep_squares(&s->o), SEPAL_OK);
    s->o.l2 = 1e-100;
    assert_int_equal(certify(&proof, &s->o, u, none), SEPAL_OK);
    long double off = fabsl(proof.primal - plain_objective(s, u));
    if (!(off <= proof.rounding)) fail_msg("P is off by %Lg, more than %g", off, proof.rounding);
    free(u);
}

static void expect_dual(struct sample *s, struct rng *rng, const double *zero) {
    struct proof proof;
    double *alpha = numbers(s->o.n), *factor = numbers(s->o.n);
    for (size_t i = 0; i < s->o.n; i++) {
        alpha[i] = 0.5 + rng_unit(rng) / 2;
        factor[i] = alpha[i] * s->row_weight[i] * objective_side(&s->o, i);
    }
    for (size_t j = 0; j < s->o.cols; j++) cancel_column(s, j, factor, normal(rng));
    assert_int_equal(objective_keep_squares(&s->o), SEPAL_OK);
    s->o.l2 = 10 * (double)s->o.cols;
    assert_int_equal(certify(&proof, &s->o, zero, alpha), SEPAL_OK);
    if (!(proof.dual <= dual_at(s, alpha)))
        fail_msg("D is above the truth by %Lg", proof.dual - dual_at(s, alpha));
    free(alpha);
    free(factor);
}

/* Sparse rows, an L2 penalty and a wide gap: norms bound the errors, even where large terms cancel. */
static void test_wide_gaps(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(71), 1);
    double *none = numbers(100);
    for (size_t number = 0; number < 300; number++) {
        double size = pow(10, 10 * rng_unit(&rng));
        size_t rows = 2 + rng_below(&rng, 50), cols = 1 + rng_below(&rng, 6);
        struct sample *s = sample_new(&rng, rows, cols, 5, BIAS_NONE, false, size);
        s->o.loss = number % 2 ? &loss_hinge : &loss_squared_hinge;
        if (number % 4 < 2)
            expect_primal(s, &rng, none);
        else
            expect_dual(s, &rng, none);
        sample_free(s);
    }
    free(none);
}

/* A hundred thousand equal rows: roundings of one sum that all go the same way. Two rows with the shares
   of either class have the same optimum. */
static void test_equal_rows(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(63), 1);
    struct sample *s = sample_new(&rng, 100000, 1, 1, BIAS_NONE, false, 0);
    struct sample *two = sample_new(&rng, 2, 1, 1, BIAS_NONE, false, 0);
    for (size_t b = 0; b < s->matrix.n_blocks; b++)
        for (size_t i = 0; i < s->matrix.blocks[b].rows; i++)
            s->matrix.blocks[b].f64[i] = s->x[s->matrix.blocks[b].first_row + i] = 0.1;
    two->x[0] = two->x[1] = 0.1;
    for (size_t i = 0; i < s->o.n; i++) {
        s->row_weight[i] = 1 / (double)s->o.n;
        s->label[i] = i % 10 < 3;
    }
    two->row_weight[0] = 0.7;
    two->row_weight[1] = 0.3;
    s->o.l2 = two->o.l2 = 1e-6;
    long double best, least = least_of_one(two, 100, &best);
    prove_near(s, &best, least, &rng);
    sample_free(s);
    sample_free(two);
}

/* Classes against the rest, as certify has them and by its own sums. */
static void test_rest(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(64), 1);
    for (size_t number = 0; number < 200; number++) {
        double offset;
        struct sample *s = sample_of_one(&rng, &offset);
        s->o.loss = all_losses[number % 3];
        s->o.l2 = pow(10, -6 * rng_unit(&rng));
        long double best, least = least_of_one(s, 1e4 / (1 + fabs(offset)), &best);
        float w[OVR_LANES_HALF] = {(float)best},
              *alpha = calloc(s->o.n * OVR_LANES_HALF, sizeof *alpha);
        double u = (double)w[0], *m = numbers(s->o.n), *own = numbers(s->o.n);
        assert_int_equal(objective_margins(m, &s->o, &u), SEPAL_OK);
        s->o.loss->at(ctx->kernels, s->o.n, m, NULL, own, NULL);
        for (size_t i = 0; i < s->o.n; i++) alpha[i * OVR_LANES_HALF] = (float)own[i];
        struct ovr_objective rest = {.o = &s->o, .labels = {.label = s->label}, .classes = 2};
        struct ovr_point point = {
            .n = 1, .lanes = OVR_LANES_HALF, .class = {1}, .w = w, .alpha = alpha};
        const struct ovr_point *points[] = {&point};
        struct proof found[1][OVR_LANES];
        assert_int_equal(certify_ovr(found, &rest, points, 1), SEPAL_OK);
        expect_truth(s, &u, &found[0][0], least);
        free(alpha);
        free(m);
        free(own);
        sample_free(s);
    }
}

/* With more columns, whose weights undo each other: P alone, at dual variables of 0, and D alone, at
   weights of 0. */
static void test_rest_more_columns(void **state) {
    (void)state;
    enum { ROWS = 30 };
    struct rng rng = rng_make(test_seed(69), 1);
    for (size_t number = 0; number < 100; number++) {
        struct sample *s = sample_new(&rng, ROWS, 2, 1, BIAS_NONE, false, some_offset(&rng));
        s->o.loss = number % 2 ? &loss_logistic : &loss_squared_hinge;
        s->o.l2 = pow(10, -4 * rng_unit(&rng));
        long double best[COLS_MOST] = {0}, least = least_of_smooth(s, best);
        float w[2 * OVR_LANES_HALF] = {0}, alpha[ROWS * OVR_LANES_HALF] = {0};
        struct ovr_objective rest = {.o = &s->o, .labels = {.label = s->label}, .classes = 2};
        struct ovr_point point = {
            .n = 1, .lanes = OVR_LANES_HALF, .class = {1}, .w = w, .alpha = alpha};
        const struct ovr_point *points[] = {&point};
        struct proof found[1][OVR_LANES];
        double zero[2] = {0}, u[2];
        for (size_t i = 0; i < ROWS; i++) {
            long double score = plain_x(s, i, 0) * best[0] + plain_x(s, i, 1) * best[1];
            double m = (double)(score * (s->label[i] == 1 ? 1 : -1)), own;
            s->o.loss->at(ctx->kernels, 1, &m, NULL, &own, NULL);
            alpha[i * OVR_LANES_HALF] = (float)own;
        }
        assert_int_equal(certify_ovr(found, &rest, points, 1), SEPAL_OK);
        expect_truth(s, zero, &found[0][0], least);
        memset(alpha, 0, sizeof alpha);
        for (size_t j = 0; j < 2; j++) u[j] = (double)(w[j * OVR_LANES_HALF] = (float)best[j]);
        assert_int_equal(certify_ovr(found, &rest, points, 1), SEPAL_OK);
        expect_truth(s, u, &found[0][0], least);
        sample_free(s);
    }
}

/* Equal rows again, penalised so much that all dual variables are 1: D is the sum of the shares, less the
   square of v. */
static void test_rest_equal_rows(void **state) {
    (void)state;
    enum { ROWS = 20000 };
    struct rng rng = rng_make(test_seed(70), 1);
    float *alpha = calloc(ROWS * OVR_LANES_HALF, sizeof *alpha);
    assert_non_null(alpha);
    for (size_t i = 0; i < ROWS; i++) alpha[i * OVR_LANES_HALF] = 1;
    for (size_t number = 0; number < 20; number++) {
        struct sample *s = sample_new(&rng, ROWS, 1, 1, BIAS_NONE, false, 0);
        double x = 0.1 + rng_unit(&rng);
        long double shares = 0, v = 0;
        s->o.loss = &loss_hinge;
        s->o.l2 = 4 * x * x;
        for (size_t i = 0; i < ROWS; i++) {
            s->x[i] = x;
            s->label[i] = 1;
            s->row_weight[i] = 1.0 / ROWS;
            shares += s->row_weight[i];
            v += (long double)s->row_weight[i] * x;
        }
        for (size_t b = 0; b < s->matrix.n_blocks; b++)
            for (size_t i = 0; i < s->matrix.blocks[b].rows; i++) s->matrix.blocks[b].f64[i] = x;
        float w[OVR_LANES_HALF] = {0};
        double zero = 0;
        struct ovr_objective rest = {.o = &s->o, .labels = {.label = s->label}, .classes = 2};
        struct ovr_point point = {
            .n = 1, .lanes = OVR_LANES_HALF, .class = {1}, .w = w, .alpha = alpha};
        const struct ovr_point *points[] = {&point};
        struct proof found[1][OVR_LANES];
        assert_int_equal(certify_ovr(found, &rest, points, 1), SEPAL_OK);
        expect_truth(s, &zero, &found[0][0], shares - v * v / (2 * (long double)s->o.l2));
        sample_free(s);
    }
    free(alpha);
}

/* ---- what is no proof ----------------------------------------------------------------------- */

/* An objective beyond the largest number, or none, has no gap that any tolerance would take. */
static void test_beyond_numbers(void **state) {
    (void)state;
    static const double sizes[] = {1e160, 1e300, DBL_MAX, INFINITY, NAN};
    struct rng rng = rng_make(test_seed(65), 1);
    for (size_t number = 0; number < 5 * 3 * 3 * WAYS_TO_KEEP; number++) {
        double size = sizes[number % 5];
        struct sample *s =
            sample_new(&rng, 20, 3, number / 45, (enum bias)(number / 15 % 3), false, 0);
        s->o.loss = all_losses[number / 5 % 3];
        s->o.l1 = number % 2 ? 0.1 : 0;
        s->o.l2 = number % 4 ? 0.1 : 0;
        double *u = numbers(s->o.width), *alpha = numbers(s->o.n);
        for (size_t j = 0; j < s->o.width; j++) u[j] = size * (1 + rng_unit(&rng));
        for (size_t i = 0; i < s->o.n; i++) alpha[i] = rng_unit(&rng);
        for (int own = 0; own < 2; own++) {
            struct proof proof;
            assert_int_equal(certify(&proof, &s->o, u, own ? NULL : alpha), SEPAL_OK);
            assert_false(proof.gap <= 0.99);
        }
        free(u);
        free(alpha);
        sample_free(s);
    }
}

static void test_rest_beyond_numbers(void **state) {
    (void)state;
    static const float sizes[] = {1e30F, FLT_MAX, INFINITY, NAN};
    struct rng rng = rng_make(test_seed(66), 1);
    for (size_t number = 0; number < 24; number++) {
        struct sample *s = sample_new(&rng, 20, 1, 1, BIAS_NONE, false, 1e200);
        s->o.loss = all_losses[number / 4 % 3];
        s->o.l2 = 0.1;
        float w[OVR_LANES_HALF] = {sizes[number % 4]}, alpha[20 * OVR_LANES_HALF] = {0};
        for (size_t i = 0; i < 20; i++) alpha[i * OVR_LANES_HALF] = (float)rng_unit(&rng);
        struct ovr_objective rest = {.o = &s->o, .labels = {.label = s->label}, .classes = 2};
        struct ovr_point point = {
            .n = 1, .lanes = OVR_LANES_HALF, .class = {1}, .w = w, .alpha = alpha};
        const struct ovr_point *points[] = {&point};
        struct proof found[1][OVR_LANES];
        assert_int_equal(certify_ovr(found, &rest, points, 1), SEPAL_OK);
        assert_false(found[0][0].gap <= 0.99);
        sample_free(s);
    }
}

/* Without a penalty: two columns that differ by some roundings, with the sign of the label, have weights
   of any size that separate the classes. Sums of 0 up to rounding prove nothing. */
static void test_no_penalty(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(67), 1);
    for (size_t number = 0; number < 60; number++) {
        enum { ROWS = 40 };
        struct sample *s = sample_new(&rng, ROWS, 2, 1, (enum bias)(number % 2), false, 0);
        s->o.loss = all_losses[number / 2 % 3];
        double *x = s->matrix.blocks[0].f64, alpha[ROWS], u[3] = {0}, base = 0;
        for (size_t i = 0; i < ROWS; i++) {
            if (i % 2 == 0) base = 1 + rng_unit(&rng);
            s->label[i] = (int32_t)(i % 2);
            s->row_weight[i] = 1.0 / ROWS;
            s->x[2 * i] = x[2 * i] = base;
            s->x[2 * i + 1] = x[2 * i + 1] =
                base + (i % 2 ? 1 : -1) * (double)(1 << number % 12) * DBL_EPSILON;
            alpha[i] = 0.5;
        }
        for (int own = 0; own < 2; own++) {
            struct proof proof;
            assert_int_equal(certify(&proof, &s->o, u, own ? NULL : alpha), SEPAL_OK);
            assert_true(isnan(proof.gap) && isnan(proof.dual));
        }
        sample_free(s);
    }
}

/* Nothing left to lose is proved by that alone. */
static void test_nothing_to_lose(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(68), 1);
    for (size_t number = 0; number < 2; number++) {
        struct sample *s = sample_new(&rng, 40, 1, 1, BIAS_NONE, false, 0);
        double u = 3;
        s->o.loss = number ? &loss_hinge : &loss_squared_hinge;
        for (size_t i = 0; i < s->o.n; i++)
            s->matrix.blocks[0].f64[i] = s->label[i] == 1 ? 1 + rng_unit(&rng) : -1;
        struct proof proof;
        assert_int_equal(certify(&proof, &s->o, &u, NULL), SEPAL_OK);
        assert_true(proof.primal == 0 && proof.dual == 0 && proof.gap <= DBL_EPSILON);
        sample_free(s);
    }
}

/* A bound above the objective by more than rounding is a fault of ours, not a proof. */
static void test_contradiction(void **state) {
    (void)state;
    struct proof proof;
    struct estimate estimate = {
        .primal = 1, .primal_error = 1e-9, .bounded = true, .dual = 1 + 3e-9, .dual_error = 1e-9};
    assert_int_equal(proof_conclude(&proof, ctx, &estimate), SEPAL_EINTERNAL);
    estimate.dual = 1 + 1.5e-9;
    assert_int_equal(proof_conclude(&proof, ctx, &estimate), SEPAL_OK);
    assert_true(proof.gap >= 0.4e-9 && proof.gap <= 0.6e-9);
    assert_true(proof.rounding >= 1.9e-9 && proof.dual <= 1);
    estimate = (struct estimate){.primal = INFINITY, .bounded = true, .dual = 1};
    assert_int_equal(proof_conclude(&proof, ctx, &estimate), SEPAL_OK);
    assert_true(isinf(proof.gap));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_column),
        cmocka_unit_test(test_more_columns),
        cmocka_unit_test(test_wide_gaps),
        cmocka_unit_test(test_equal_rows),
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_rest_equal_rows),
        cmocka_unit_test(test_rest_more_columns),
        cmocka_unit_test(test_beyond_numbers),
        cmocka_unit_test(test_rest_beyond_numbers),
        cmocka_unit_test(test_no_penalty),
        cmocka_unit_test(test_nothing_to_lose),
        cmocka_unit_test(test_contradiction),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
