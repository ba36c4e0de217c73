/* Laws of mean-difference, fisher and lda over random problems: weights and scores against plain
   elimination in long double, eigenvalues and axes, invariance, shrinkage, weights of rows. */
#include "contract/discriminant_problem.h"

#include "fixture.h"

/* ---- lda ----------------------------------------------------------------------------------- */

/* Weights and biases are those of the formula, and J = tr(inverse(S_W) S_B). */
static double compare_formula(const struct plain *s, const struct answer *out, long double divisor,
                              const double *priors) {
    size_t cols = s->cols, classes = s->classes;
    long double *d = long_zeros(cols), *w = long_zeros(classes * cols), *b = long_zeros(classes);
    long double j = 0;
    double worst = 0;
    for (size_t k = 0; k < classes; k++) {
        for (size_t c = 0; c < cols; c++) d[c] = s->mean[k * cols + c] - s->all[c];
        plain_solve(w + k * cols, s->within, d, cols);
        long double square = plain_dot(d, w + k * cols, cols);
        j += s->weight[k] * square;
        for (size_t c = 0; c < cols; c++) w[k * cols + c] *= divisor;
        b[k] = -divisor * square / 2 + logl(priors ? priors[k] : s->weight[k] / s->total);
    }
    for (size_t r = 0; r < out->linear.rows; r++) {
        long double difference = 0, size = 0, at_mean = out->linear.b[r];
        for (size_t c = 0; c < cols; c++) {
            long double sd = sqrtl(s->within[c * cols + c]);
            long double right = classes == 2 ? w[cols + c] - w[c] : w[r * cols + c];
            difference += powl((out->linear.w[r * cols + c] - right) * sd, 2);
            size += powl(right * sd, 2);
            at_mean += out->linear.w[r * cols + c] * (s->all[c] - out->linear.centre[c]);
        }
        long double right = classes == 2 ? b[1] - b[0] : b[r];
        worst = fmax(worst, (double)sqrtl(difference / size));
        worst = fmax(worst, (double)(fabsl(at_mean - right) / (1 + fabsl(right))));
    }
    worst = fmax(worst, (double)(fabsl(out->j - j) / j));
    free(d), free(w), free(b);
    return worst;
}

/* Projected rows have unit within-class scatter, S_B of diagonal eigenvalues, J = the sum. */
static void check_axes(size_t number, const struct problem *p, const struct plain *s,
                       const struct answer *out) {
    size_t axes = out->linear.n_axes, cols = p->cols;
    const double *a = out->linear.axes;
    size_t most = p->classes - 1 < cols ? p->classes - 1 : cols;
    assert_int_equal(out->n_eigenvalues, most);
    assert_int_equal(axes, most); /* random means lie in no smaller space */
    double sum = 0, lambda = 1, share = 0;
    for (size_t i = 0; i < axes; i++) {
        sum += out->eigenvalue[i], share += out->share[i], lambda /= 1 + out->eigenvalue[i];
        assert_true(i == 0 || out->eigenvalue[i] <= out->eigenvalue[i - 1]);
        size_t best = 0;
        for (size_t j = 1; j < cols; j++)
            if (fabs(a[i * cols + j]) > fabs(a[i * cols + best])) best = j;
        assert_true(a[i * cols + best] > 0);
        for (size_t h = 0; h < axes; h++) {
            long double within = 0, between = 0;
            for (size_t x = 0; x < cols; x++)
                for (size_t y = 0; y < cols; y++)
                    within += a[i * cols + x] * s->within[x * cols + y] * a[h * cols + y];
            for (size_t k = 0; k < p->classes; k++) {
                long double u = 0, v = 0;
                for (size_t x = 0; x < cols; x++) {
                    u += a[i * cols + x] * (s->mean[k * cols + x] - s->all[x]);
                    v += a[h * cols + x] * (s->mean[k * cols + x] - s->all[x]);
                }
                between += s->weight[k] * u * v;
            }
            long double freedom = s->total - (long double)p->classes;
            long double right = i == h ? out->eigenvalue[i] * freedom : 0;
            check_small("W'S_W W", number, (double)fabsl(within / freedom - (i == h)), 1e-9);
            check_small("W'S_B W", number,
                        (double)(fabsl(between - right) / (freedom * out->eigenvalue[0])), 1e-9);
        }
    }
    check_small("J less the eigenvalues", number, fabs(out->j - sum) / sum, 1e-12);
    check_small("the sum of shares less 1", number, fabs(share - 1), 1e-12);
    check_small("Wilks' lambda", number, fabs(out->objective - lambda) / lambda, 1e-10);
}

/* Scores made of distances in the projected space give the same posteriors. */
static void check_projected(size_t number, const struct problem *p, const struct plain *s,
                            const struct answer *out, bool sparse) {
    size_t rows = out->linear.rows, cols = p->cols, classes = p->classes;
    double *full = scores_of(ctx, p, sparse, &out->linear);
    double *scores = malloc(p->rows * rows * sizeof *scores), each[16];
    assert_non_null(scores);
    for (size_t i = 0; i < p->rows; i++) {
        for (size_t k = 0; k < classes; k++) {
            each[k] = (double)logl(s->weight[k] / s->total);
            for (size_t a = 0; a < out->linear.n_axes; a++) {
                long double y = 0;
                for (size_t j = 0; j < cols; j++)
                    y += out->linear.axes[a * cols + j] *
                         (p->x[i * cols + j] - s->mean[k * cols + j]);
                each[k] -= (double)(y * y) / 2;
            }
        }
        for (size_t r = 0; r < rows; r++)
            scores[i * rows + r] = classes == 2 ? each[1] - each[0] : each[r];
    }
    check_small("posteriors in the projected space", number,
                posteriors_differ(&out->linear, full, scores, p->rows), 1e-9);
    free(full);
    free(scores);
}

static void test_lda(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(11), 1);
    for (size_t number = 0; number < 200; number++) {
        bool sparse;
        struct problem p = scatter_problem(&rng, 2 + number % 11, &sparse);
        struct plain s = plain_new(&p);
        sepal_ctx_clear_warnings(ctx);
        struct answer out = learn_problem(ctx, &p, sparse, "lda", "estimate=unbiased");
        long double freedom = s.total - (long double)p.classes;
        check_small("lda", number, compare_formula(&s, &out, freedom, NULL), 1e-9);
        check_axes(number, &p, &s, &out);
        check_projected(number, &p, &s, &out, sparse);
        assert_false(has_warned(ctx, "singular-scatter"));
        struct answer ml = learn_problem(ctx, &p, sparse, "lda", number % 2 ? "estimate=ml" : NULL);
        check_small("lda(ml)", number, compare_formula(&s, &ml, s.total, NULL), 1e-9);
        assert_memory_equal(ml.linear.axes, out.linear.axes,
                            out.linear.n_axes * p.cols * sizeof(double));
        linear_clear(&out.linear);
        linear_clear(&ml.linear);
        plain_free(&s);
        problem_free(&p);
    }
}

/* Fewer axes: the classifier of the rows projected on them. */
static void test_fewer_axes(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(12), 1);
    for (size_t number = 0; number < 60; number++) {
        bool sparse;
        struct problem p = scatter_problem(&rng, 4 + number % 6, &sparse);
        struct answer all = learn_problem(ctx, &p, sparse, "lda", NULL);
        struct answer out =
            learn_problem(ctx, &p, sparse, "lda", all.linear.n_axes > 2 ? "axes=2" : "axes=1");
        struct problem flat = problem_new(&rng, p.rows, out.linear.n_axes, p.classes);
        assert_int_equal(out.linear.n_axes, all.linear.n_axes > 2 ? 2 : 1);
        memcpy(flat.label, p.label, p.rows * sizeof *p.label);
        for (size_t i = 0; i < p.rows; i++) {
            for (size_t a = 0; a < flat.cols; a++) {
                long double y = 0;
                for (size_t j = 0; j < p.cols; j++)
                    y += out.linear.axes[a * p.cols + j] *
                         ((long double)p.x[i * p.cols + j] - out.linear.centre[j]);
                flat.x[i * flat.cols + a] = (double)y;
            }
        }
        if (p.weight) problem_weigh(&flat, &rng);
        for (size_t i = 0; p.weight && i < p.rows; i++) flat.weight[i] = p.weight[i];
        struct answer inside = learn_problem(ctx, &flat, false, "lda", NULL);
        double *a = scores_of(ctx, &p, sparse, &out.linear);
        double *b = scores_of(ctx, &flat, false, &inside.linear);
        check_small("axes", number, posteriors_differ(&out.linear, a, b, p.rows), 1e-9);
        check_small("J of fewer axes", number, fabs(out.j / inside.j - 1), 1e-9);
        free(a), free(b);
        linear_clear(&all.linear);
        linear_clear(&out.linear);
        linear_clear(&inside.linear);
        problem_free(&p);
        problem_free(&flat);
    }
}

/* Weights that add up to less than the number of classes, where N - K says nothing: axes of unit
   variance by S_W/N. */
static void test_light_axes(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(25), 1);
    for (size_t number = 0; number < 30; number++) {
        bool sparse;
        struct problem p = scatter_problem(&rng, 2 + number % 4, &sparse);
        if (!p.weight) problem_weigh(&p, &rng);
        double sum = 0, times = number % 3 == 0 ? 1 : (double)p.classes;
        for (size_t i = 0; i < p.rows; i++) sum += p.weight[i];
        for (size_t i = 0; i < p.rows; i++) p.weight[i] *= times / sum;
        struct plain s = plain_new(&p);
        struct answer out = learn_problem(ctx, &p, sparse, "lda", NULL);
        for (size_t a = 0; a < out.linear.n_axes; a++) {
            const double *v = out.linear.axes + a * p.cols;
            long double within = 0;
            for (size_t i = 0; i < p.cols * p.cols; i++)
                within += v[i / p.cols] * s.within[i] * v[i % p.cols];
            check_small("v'S v/N less 1", number, (double)fabsl(within / s.total - 1), 1e-9);
        }
        assert_true(out.linear.n_axes > 0);
        linear_clear(&out.linear);
        plain_free(&s);
        problem_free(&p);
    }
}

/* ---- shrinkage ----------------------------------------------------------------------------- */

static void test_shrinkage(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(13), 1);
    static const struct {
        const char *text;
        double alpha;
    } cases[] = {{"shrinkage=0", 0},
                 {"shrinkage=0.25", 0.25},
                 {"shrinkage=1", 1},
                 {"shrinkage=1e-3", 0.001},
                 {"shrinkage=auto", NAN}};
    for (size_t number = 0; number < 100; number++) {
        bool sparse;
        struct problem p = scatter_problem(&rng, 2 + number % 5, &sparse);
        struct plain s = plain_new(&p);
        double alpha = cases[number / 5 % 5].alpha;
        if (isnan(alpha))
            plain_shrink_standardized(&s, alpha = plain_intensity(&p, &s), s.total);
        else
            plain_shrink(&s, alpha);
        struct answer out = learn_problem(ctx, &p, sparse, "lda", cases[number / 5 % 5].text);
        check_small("the intensity", number, fabs(out.shrinkage - alpha), 1e-11);
        check_small("lda(shrinkage)", number, compare_formula(&s, &out, s.total, NULL), 1e-9);
        check_axes(number, &p, &s, &out);
        linear_clear(&out.linear);
        plain_free(&s);
        problem_free(&p);
    }
}

/* The same rows with column j times factor[j]. */
static struct problem scale_columns(const struct problem *p, const double *factor) {
    struct problem q = *p;
    q.x = malloc(p->rows * p->cols * sizeof *q.x);
    q.label = malloc(p->rows * sizeof *q.label);
    q.weight = p->weight ? malloc(p->rows * sizeof *q.weight) : NULL;
    assert_true(q.x && q.label && (q.weight || !p->weight));
    memcpy(q.label, p->label, p->rows * sizeof *q.label);
    if (p->weight) memcpy(q.weight, p->weight, p->rows * sizeof *q.weight);
    for (size_t i = 0; i < p->rows * p->cols; i++) q.x[i] = p->x[i] * factor[i % p->cols];
    return q;
}

/* shrinkage=auto does not see units: powers of two change no bit of a linear score, other factors only
   roundings (and logarithms of scales, which a density has, round too). Columns may be constant, or within one class of a gaussian. */
static void test_units(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(21), 1);
    static const struct {
        const char *name, *text;
    } cases[] = {{"lda", "shrinkage=auto"},
                 {"lda", "shrinkage=auto, estimate=unbiased"},
                 {"fisher", "shrinkage=auto, cut=gauss"},
                 {"gaussian", "shrinkage=auto"},
                 {"gaussian", "shrinkage=auto, covariance=shared"},
                 {"gaussian", "shrinkage=auto, covariance=diagonal"}};
    for (size_t number = 0; number < 120; number++) {
        const char *name = cases[number % 6].name, *text = cases[number % 6].text;
        bool sparse, two = strcmp(name, "fisher") == 0, exact = number % 12 < 3;
        struct problem p = scatter_problem(&rng, two ? 2 : 2 + rng_below(&rng, 4), &sparse);
        for (size_t i = 0; i < p.rows; i++) p.label[i] = (int)(i % p.classes);
        double factor[64];
        for (size_t j = 0; j < p.cols; j++)
            factor[j] =
                exact ? ldexp(1, (int)rng_below(&rng, 60) - 30) : pow(10, 16 * rng_unit(&rng) - 8);
        bool flat = p.cols > 2 && number % 24 >= 12;
        for (size_t i = 0; flat && i < p.rows; i++) {
            p.x[i * p.cols] = 0.3;
            if (strcmp(name, "gaussian") == 0 && p.label[i] == 1) p.x[i * p.cols + 1] = 0.7;
        }
        struct problem q = scale_columns(&p, factor);
        struct answer a = learn_problem(ctx, &p, sparse, name, text);
        struct answer b = learn_problem(ctx, &q, sparse, name, text);
        double *at_p = scores_of(ctx, &p, sparse, &a.linear);
        double *at_q = scores_of(ctx, &q, sparse, &b.linear);
        for (size_t i = 0; exact && i < p.rows * a.linear.rows; i++)
            if (at_p[i] != at_q[i])
                fail_msg("problem %zu, %s(%s): %.17g is not %.17g", number, name, text, at_p[i],
                         at_q[i]);
        check_small("the effect of units", number, posteriors_differ(&a.linear, at_p, at_q, p.rows),
                    1e-9);
        free(at_p), free(at_q);
        linear_clear(&a.linear);
        linear_clear(&b.linear);
        problem_free(&p);
        problem_free(&q);
    }
}

/* ---- fisher -------------------------------------------------------------------------------- */

static double angle(const double *a, const double *b, size_t n, size_t step) {
    long double aa = 0, bb = 0, ab = 0, off = 0;
    for (size_t j = 0; j < n; j += step)
        aa += (long double)a[j] * a[j], bb += (long double)b[j] * b[j];
    ab = sqrtl(aa / bb);
    for (size_t j = 0; j < n; j += step) off += powl(a[j] - ab * b[j], 2);
    return (double)sqrtl(off / aa);
}

/* The same direction as least squares with Fisher's targets, and its bias with cut=mean. */
static void test_fisher_is_least_squares(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(14), 1);
    for (size_t number = 0; number < 250; number++) {
        bool wide = number >= 200;
        size_t cols = wide ? 20 + rng_below(&rng, 60) : 1 + rng_below(&rng, 60);
        size_t rows = wide ? 4 + rng_below(&rng, cols - 4) : cols + 10 + rng_below(&rng, 200);
        struct problem p = problem_new(&rng, rows, cols, 2);
        p.label[2] = 0, p.label[3] = 1;
        if (number % 2) problem_weigh(&p, &rng);
        for (size_t i = 0; p.weight && i < rows; i++) p.weight[i] += 1;
        bool sparse = number % 3 == 0;
        sepal_ctx_clear_warnings(ctx);
        struct answer out = learn_problem(ctx, &p, sparse, "fisher", "cut=mean");
        assert_int_equal(has_warned(ctx, "singular-scatter"), wide);
        struct outcome squares = fit_problem(ctx, &p, sparse, (struct asked){.targets = "fisher"});
        check_small("the angle to least squares", number,
                    angle(out.linear.w, squares.linear.w, cols, 1), 1e-10);
        struct plain s = plain_new(&p);
        long double at_mean = out.linear.b[0], size = 0;
        for (size_t j = 0; j < cols; j++) {
            at_mean += out.linear.w[j] * (s.all[j] - out.linear.centre[j]);
            size += fabsl(out.linear.w[j]);
        }
        check_small("w.m + b", number, (double)(fabsl(at_mean) / size), 1e-12);
        if (wide) assert_true(isnan(out.j)); /* the means differ where nothing else does */
        plain_free(&s);
        linear_clear(&out.linear);
        linear_clear(&squares.linear);
        problem_free(&p);
    }
}

/* cut=midpoint has the scores of lda with equal priors; J is the largest there is. */
static void test_fisher(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(15), 1);
    for (size_t number = 0; number < 100; number++) {
        bool sparse;
        struct problem p = scatter_problem(&rng, 2, &sparse);
        struct plain s = plain_new(&p);
        size_t cols = p.cols;
        struct answer out = learn_problem(ctx, &p, sparse, "fisher", NULL);
        struct answer lda =
            learn_problem(ctx, &p, sparse, "lda", "priors=\"0.5,0.5\", estimate=unbiased");
        double *a = scores_of(ctx, &p, sparse, &out.linear);
        double *b = scores_of(ctx, &p, sparse, &lda.linear);
        for (size_t i = 0; i < p.rows; i++)
            check_small("lda less fisher", number, fabs(a[i] - b[i]) / (1 + fabs(a[i])), 1e-10);
        long double times = s.weight[0] * s.weight[1] / s.total;
        check_small("l less N1 N2 / N J", number,
                    (double)fabsl(out.eigenvalue[0] / (times * out.j) - 1), 1e-12);
        check_small("J of lda", number, fabs(lda.j / out.eigenvalue[0] - 1), 1e-11);
        assert_true(out.n_eigenvalues == 1 && out.share[0] == 1);
        for (size_t trial = 0; trial <= 20; trial++) {
            long double within = 0, between = 0;
            double *v = malloc(cols * sizeof *v);
            assert_non_null(v);
            for (size_t j = 0; j < cols; j++) {
                double sd = (double)sqrtl(s.within[j * cols + j]), size = trial % 2 ? 1 : 0.01;
                v[j] = out.linear.w[j] + (trial ? size * normal(&rng) / sd : 0);
                between += v[j] * (s.mean[cols + j] - s.mean[j]);
            }
            for (size_t j = 0; j < cols * cols; j++)
                within += v[j / cols] * s.within[j] * v[j % cols];
            long double value = between * between / within;
            if (trial == 0)
                check_small("J", number, (double)fabsl(value / out.j - 1), 1e-9);
            else
                assert_true(value <= out.j * (1 + 1e-12L));
            free(v);
        }
        free(a), free(b);
        linear_clear(&out.linear);
        linear_clear(&lda.linear);
        plain_free(&s);
        problem_free(&p);
    }
}

/* ---- mean-difference ----------------------------------------------------------------------- */

static void test_mean_difference(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(16), 1);
    for (size_t number = 0; number < 100; number++) {
        bool sparse;
        struct problem p = scatter_problem(&rng, 2, &sparse);
        struct plain s = plain_new(&p);
        struct answer out = learn_problem(ctx, &p, sparse, "mean-difference", NULL);
        double norm = linear_norm(&out.linear, 0);
        double *scores = scores_of(ctx, &p, sparse, &out.linear);
        check_small("|w| less 1", number, fabs(norm - 1), 1e-14);
        for (size_t i = 0; i < p.rows; i++) { /* the nearer mean */
            long double gap = 0, apart = 0;
            for (size_t j = 0; j < p.cols; j++) {
                gap += powl(p.x[i * p.cols + j] - s.mean[j], 2);
                gap -= powl(p.x[i * p.cols + j] - s.mean[p.cols + j], 2);
                apart += powl(s.mean[p.cols + j] - s.mean[j], 2);
            }
            long double right = gap / (2 * sqrtl(apart));
            check_small("the distance", number,
                        (double)(fabsl(scores[i] - right) / (1 + fabsl(right))), 1e-10);
        }
        free(scores);
        linear_clear(&out.linear);
        plain_free(&s);
        problem_free(&p);
    }
}

/* Rows at equal distances along every axis around each mean: S_W is a multiple of the identity. */
static void test_isotropic(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(17), 1);
    for (size_t number = 0; number < 50; number++) {
        size_t cols = 1 + rng_below(&rng, 30);
        struct problem p = problem_new(&rng, 4 * cols, cols, 2);
        double mean[2][32];
        for (size_t j = 0; j < 2 * cols; j++) mean[j / cols][j % cols] = normal(&rng);
        for (size_t i = 0; i < p.rows; i++) {
            p.label[i] = (int)(i % 2);
            memcpy(p.x + i * cols, mean[i % 2], cols * sizeof *p.x);
            p.x[i * cols + i / 4] += i / 2 % 2 ? 0.7 : -0.7;
        }
        struct answer a = learn_problem(ctx, &p, false, "fisher", NULL);
        struct answer b = learn_problem(ctx, &p, false, "mean-difference", NULL);
        check_small("the angle to the means", number, angle(a.linear.w, b.linear.w, cols, 1),
                    1e-13);
        linear_clear(&a.linear);
        linear_clear(&b.linear);
        problem_free(&p);
    }
}

/* ---- invariance ---------------------------------------------------------------------------- */

/* Any invertible affine change of the columns leaves the scores of fisher and lda. */
static void test_affine(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(19), 1);
    for (size_t number = 0; number < 100; number++) {
        size_t classes = 2 + number % 4, cols = 1 + rng_below(&rng, 20);
        struct problem p = problem_new(&rng, 40 + 4 * cols, cols, classes);
        struct problem q = problem_new(&rng, p.rows, cols, classes);
        double map[20][21];
        memcpy(q.label, p.label, p.rows * sizeof *p.label);
        for (size_t a = 0; a < cols; a++) { /* a random matrix plus a large diagonal */
            for (size_t b = 0; b < cols; b++)
                map[a][b] = normal(&rng) + (a == b ? 3 * sqrt((double)cols) : 0);
            map[a][cols] = 10 * normal(&rng);
        }
        for (size_t i = 0; i < p.rows * cols; i++) {
            long double y = map[i % cols][cols];
            for (size_t b = 0; b < cols; b++) y += map[i % cols][b] * p.x[i / cols * cols + b];
            q.x[i] = (double)y;
        }
        const char *name = classes == 2 && number % 8 ? "fisher" : "lda";
        struct answer a = learn_problem(ctx, &p, false, name, NULL);
        struct answer b = learn_problem(ctx, &q, false, name, NULL);
        double *at_p = scores_of(ctx, &p, false, &a.linear);
        double *at_q = scores_of(ctx, &q, false, &b.linear);
        for (size_t i = 0; i < p.rows * a.linear.rows; i++)
            check_small("the effect of a map", number,
                        fabs(at_p[i] - at_q[i]) / (1 + fabs(at_p[i])), 1e-10);
        check_small("the effect on J", number, fabs(a.j / b.j - 1), 1e-10);
        free(at_p), free(at_q);
        linear_clear(&a.linear);
        linear_clear(&b.linear);
        problem_free(&p);
        problem_free(&q);
    }
}

static void test_shifted_data(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(20), 1);
    static const struct {
        const char *name, *text;
    } cases[] = {{"lda", NULL},
                 {"lda", "shrinkage=auto"},
                 {"fisher", "cut=gauss"},
                 {"fisher", "shrinkage=0.1"},
                 {"mean-difference", "cut=gauss"},
                 {"gaussian", NULL},
                 {"gaussian", "shrinkage=auto"},
                 {"gaussian", "covariance=shared"},
                 {"gaussian", "covariance=diagonal"},
                 {"gaussian", "covariance=diagonal, shrinkage=auto"},
                 {"gaussian", "covariance=spherical"}};
    for (size_t number = 0; number < 110; number++) {
        const char *name = cases[number % 11].name, *text = cases[number % 11].text;
        bool two = strcmp(name, "fisher") == 0 || strcmp(name, "mean-difference") == 0;
        size_t classes = two ? 2 : 2 + rng_below(&rng, 4), cols = 1 + rng_below(&rng, 30);
        struct problem p = problem_new(&rng, classes * (cols + 3) * 3, cols, classes);
        struct problem far = problem_new(&rng, p.rows, cols, classes);
        for (size_t i = 0; i < p.rows; i++) p.label[i] = (int)(i % classes);
        memcpy(far.label, p.label, p.rows * sizeof *p.label);
        for (size_t i = 0; i < p.rows * cols; i++) {
            p.x[i] = rint(p.x[i] * 0x1p20) * 0x1p-20; /* the sum with 1e8 is exact then */
            far.x[i] = p.x[i] + 1e8;
        }
        struct answer a = learn_problem(ctx, &p, false, name, text);
        struct answer b = learn_problem(ctx, &far, false, name, text);
        check_small("the effect of a shift", number, weights_differ(&p, &a.linear, &b.linear),
                    1e-10);
        double *at_p = scores_of(ctx, &p, false, &a.linear);
        double *at_q = scores_of(ctx, &far, false, &b.linear);
        for (size_t i = 0; i < p.rows * a.linear.rows; i++)
            check_small("the effect on scores", number, fabs(at_p[i] - at_q[i]), 1e-7);
        free(at_p), free(at_q);
        linear_clear(&a.linear);
        linear_clear(&b.linear);
        problem_free(&p);
        problem_free(&far);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lda),          cmocka_unit_test(test_fewer_axes),
        cmocka_unit_test(test_light_axes),   cmocka_unit_test(test_shrinkage),
        cmocka_unit_test(test_units),        cmocka_unit_test(test_fisher_is_least_squares),
        cmocka_unit_test(test_fisher),       cmocka_unit_test(test_mean_difference),
        cmocka_unit_test(test_isotropic),    cmocka_unit_test(test_affine),
        cmocka_unit_test(test_shifted_data),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
