/* The passes over rows of joint objectives against plain loops in long double: rows kept in every way, with
   and without a centre, of one panel and of several blocks, with fewer classes than lanes and with more than
   a kernel takes at a time. And what a common shift of all classes' weights may do: nothing to the scores'
   differences, and the least to the penalty. */
#include "unit/objective_fixture.h"

#include "joint/joint.h"

enum { CLASSES_MOST = 37, NUMBERS = 3 * WAYS_TO_KEEP * 6 };

struct passes {
    struct sample *s;
    struct joint j;
    double *u, *r; /* a point; n x lanes */
};

static double *random_lanes(struct rng *rng, const struct joint *j, size_t n, bool positive) {
    double *out = numbers(n);
    for (size_t at = 0; at < n; at++)
        if (at % j->lanes < j->classes) out[at] = positive ? rng_unit(rng) : normal(rng);
    return out;
}

/* Every way to keep rows, bias, with and without a centre; classes around the multiples of 4 and of 16. */
static struct passes passes_new(struct rng *rng, size_t number) {
    static const size_t classes[] = {2, 3, 5, 16, 17, 37}, rows[] = {1, 63, 64, 65, 300, 700};
    struct passes p = {0};
    enum bias bias = (enum bias)(number / WAYS_TO_KEEP % 3);
    size_t k = classes[rng_below(rng, 6)], n = rows[number % 6];
    p.s = sample_new(rng, n, 1 + rng_below(rng, 6), number % WAYS_TO_KEEP, bias,
                     number / WAYS_TO_KEEP % 2, 0.5);
    for (size_t i = 0; i < n; i++) p.s->label[i] = (int32_t)rng_below(rng, k);
    p.j = (struct joint){.o = &p.s->o, .loss = &joint_cross_entropy, .classes = k};
    assert_int_equal(joint_init(&p.j), SEPAL_OK);
    p.u = random_lanes(rng, &p.j, p.j.size, false);
    p.r = random_lanes(rng, &p.j, p.j.cells, true);
    return p;
}

static void passes_free(struct passes *p) {
    free(p->u);
    free(p->r);
    sample_free(p->s);
}

static void check_numbers(const char *what, const double *got, const long double *right, size_t n) {
    long double most = 1;
    for (size_t k = 0; k < n; k++) most = fmaxl(most, fabsl(right[k]));
    for (size_t k = 0; k < n; k++)
        if (!(fabsl(got[k] - right[k]) <= 1e-12L * most))
            fail_msg("%s: number %zu of %zu is %.17g, not %.17Lg", what, k, n, got[k], right[k]);
}

static long double *plain_scores(const struct passes *p, const double *u) {
    const struct joint *j = &p->j;
    long double *s = calloc(j->cells + 1, sizeof *s);
    assert_non_null(s);
    for (size_t i = 0; i < j->o->n; i++)
        for (size_t k = 0; k < j->classes; k++)
            for (size_t c = 0; c < j->o->width; c++)
                s[i * j->lanes + k] += plain_x(p->s, i, c) * u[c * j->lanes + k];
    return s;
}

/* The sum over rows of r_i (x_i, 1)', or of their squares. */
static long double *plain_back(const struct passes *p, const long double *r, bool squares) {
    const struct joint *j = &p->j;
    long double *out = calloc(j->size + 1, sizeof *out);
    assert_non_null(out);
    for (size_t i = 0; i < j->o->n; i++)
        for (size_t c = 0; c < j->o->width; c++) {
            long double x = plain_x(p->s, i, c);
            for (size_t l = 0; l < j->lanes; l++)
                out[c * j->lanes + l] += (squares ? x * x : x) * r[i * j->lanes + l];
        }
    return out;
}

/* Probabilities in place of scores; the sum of the weighted losses. */
static long double plain_softmax(const struct passes *p, long double *s) {
    const struct joint *j = &p->j;
    long double sum = 0;
    for (size_t i = 0; i < j->o->n; i++) {
        long double *row = s + i * j->lanes, all = 0, own = row[p->s->label[i]];
        for (size_t k = 0; k < j->classes; k++) all += expl(row[k]);
        sum += p->s->row_weight[i] * (logl(all) - own);
        for (size_t k = 0; k < j->classes; k++) row[k] = expl(row[k]) / all;
    }
    return sum;
}

/* ---- laws --------------------------------------------------------------------------------------- */

static void check_scores_and_sums(const struct passes *p) {
    const struct joint *j = &p->j;
    double *out = numbers(j->cells + j->size);
    long double *r = calloc(j->cells + 1, sizeof *r), *right = plain_scores(p, p->u);
    assert_non_null(r);
    assert_int_equal(joint_scores(out, j, p->u), SEPAL_OK);
    check_numbers("scores", out, right, j->cells);
    free(right);
    for (size_t k = 0; k < j->cells; k++) r[k] = p->r[k];
    for (int squares = 0; squares < 2; squares++) {
        right = plain_back(p, r, squares);
        assert_int_equal((squares ? joint_squares : joint_back)(out, j, p->r), SEPAL_OK);
        check_numbers(squares ? "squares" : "sums", out, right, j->size);
        free(right);
    }
    for (size_t k = 0; k < j->cells; k++) { /* rows of dual variables add up to 1 */
        size_t i = k / j->lanes;
        long double sum = 0;
        for (size_t l = 0; l < j->classes; l++) sum += p->r[i * j->lanes + l];
        out[k] = (double)(p->r[k] / sum);
    }
    for (size_t k = 0; k < j->cells; k++) {
        size_t i = k / j->lanes, own = (size_t)p->s->label[i];
        r[k] = p->s->row_weight[i] * ((long double)(k % j->lanes == own) - out[k]);
    }
    right = plain_back(p, r, false);
    assert_int_equal(joint_dual_sums(out + j->cells, j, out), SEPAL_OK);
    check_numbers("dual sums", out + j->cells, right, j->size);
    free(right);
    free(r);
    free(out);
}

/* Loss, gradient, and the product of the Hessian with a direction. */
static void check_sweep(const struct passes *p, const double *direction) {
    const struct joint *j = &p->j;
    struct joint_sweep sweep = {
        .score = numbers(j->cells), .gradient = numbers(j->size), .state = numbers(j->cells)};
    long double *part = plain_scores(p, p->u), *along = plain_scores(p, direction);
    long double *r = calloc(j->cells + 1, sizeof *r), loss = plain_softmax(p, part), *right;
    assert_non_null(r);
    assert_int_equal(joint_sweep(&sweep, j, p->u), SEPAL_OK);
    assert_true(fabsl(sweep.loss - loss) <= 1e-13L * (1 + loss));
    for (size_t k = 0; k < j->cells; k++) {
        size_t i = k / j->lanes;
        long double own = k % j->lanes == (size_t)p->s->label[i];
        r[k] = p->s->row_weight[i] * (part[k] - own);
    }
    right = plain_back(p, r, false);
    check_numbers("gradient", sweep.gradient, right, j->size);
    free(right);
    for (size_t i = 0; i < j->o->n; i++) {
        long double mean = 0;
        for (size_t k = i * j->lanes; k < (i + 1) * j->lanes; k++) mean += part[k] * along[k];
        for (size_t k = i * j->lanes; k < (i + 1) * j->lanes; k++)
            r[k] = p->s->row_weight[i] * part[k] * (along[k] - mean);
    }
    right = plain_back(p, r, false);
    assert_int_equal(joint_product(sweep.gradient, j, sweep.state, direction), SEPAL_OK);
    check_numbers("Hessian's product", sweep.gradient, right, j->size);
    free(right);
    free(r);
    free(part);
    free(along);
    free(sweep.score);
    free(sweep.gradient);
    free(sweep.state);
}

/* The losses at scores s + length t, and at s. */
static void check_along(const struct passes *p, const double *direction) {
    const struct joint *j = &p->j;
    double *s = numbers(j->cells), *t = numbers(j->cells), *point = numbers(j->size), loss;
    assert_int_equal(joint_scores(s, j, p->u), SEPAL_OK);
    assert_int_equal(joint_scores(t, j, direction), SEPAL_OK);
    for (int at = 0; at < 2; at++) {
        double length = 0.7 * at;
        for (size_t k = 0; k < j->size; k++) point[k] = p->u[k] + length * direction[k];
        long double *part = plain_scores(p, point), right = plain_softmax(p, part);
        if (at)
            assert_int_equal(joint_loss_along(&loss, j, s, t, length), SEPAL_OK);
        else
            assert_int_equal(joint_loss_at(&loss, j, s), SEPAL_OK);
        assert_true(fabsl(loss - right) <= 1e-13L * (1 + right));
        free(part);
    }
    free(s);
    free(t);
    free(point);
}

static void test_passes(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(931), 1);
    for (size_t number = 0; number < NUMBERS; number++) {
        struct passes p = passes_new(&rng, number);
        double *direction = random_lanes(&rng, &p.j, p.j.size, false);
        check_scores_and_sums(&p);
        check_sweep(&p, direction);
        check_along(&p, direction);
        free(direction);
        passes_free(&p);
    }
}

/* ---- the shift ------------------------------------------------------------------------------------ */

/* What all classes' numbers of one column cost when m is taken off them. */
static long double cost_of_shift(const struct passes *p, const double *row, double m) {
    long double sum = 0;
    for (size_t k = 0; k < p->j.classes; k++) {
        long double w = (long double)row[k] - m;
        sum += p->s->o.l1 * fabsl(w) + p->s->o.l2 / 2 * w * w;
    }
    return sum;
}

/* No shift of a column costs less than the one that is found, and numbers that are not penalised add up to
   0. Of columns most of whose numbers are 0 the shift is that of L1 alone: none. */
static void test_shift(void **state) {
    (void)state;
    static const double strengths[][2] = {{0, 0.1}, {0.1, 0}, {0.1, 0.05}, {0.01, 2}, {0, 0}};
    struct rng rng = rng_make(test_seed(932), 1);
    for (size_t number = 0; number < NUMBERS; number++) {
        struct passes p = passes_new(&rng, number);
        const struct objective *o = &p.s->o;
        p.s->o.l1 = strengths[number % 5][0];
        p.s->o.l2 = strengths[number % 5][1];
        double *before = numbers(p.j.size);
        for (size_t c = 0; c < o->width; c++) p.u[c * p.j.lanes] = number % 3 ? 0 : 2;
        memcpy(before, p.u, p.j.size * sizeof *before);
        joint_remove_shift(&p.j, p.u);
        for (size_t c = 0; c < o->width; c++) {
            const double *row = p.u + c * p.j.lanes, *was = before + c * p.j.lanes;
            double sum = 0;
            for (size_t k = 0; k < p.j.lanes; k++) {
                sum += row[k];
                if (k >= p.j.classes) assert_true(row[k] == 0);
                if (k < p.j.classes)
                    assert_true(fabs((row[k] - was[k]) - (row[0] - was[0])) <= 1e-13);
            }
            if (c >= o->penalised || o->l1 == 0) {
                assert_true(fabs(sum) <= 1e-13 * (double)p.j.classes);
                continue;
            }
            long double least = cost_of_shift(&p, row, 0);
            for (int step = -40; step <= 40; step++) {
                double m = step * pow(2, -8);
                if (cost_of_shift(&p, row, m) < least - 1e-15L * (1 + least))
                    fail_msg("l1 %g, l2 %g, %zu classes: a shift of %g costs less", o->l1, o->l2,
                             p.j.classes, m);
            }
        }
        free(before);
        passes_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_passes), cmocka_unit_test(test_shift)};
    return cmocka_run_group_tests(tests, set_up_one_thread, tear_down);
}
