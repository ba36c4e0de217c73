/* Laws of gaussian over random problems: scores are ln prior + ln density, with means and
   covariances from plain loops in long double. */
#include "contract/discriminant_problem.h"

#include "fixture.h"

static struct problem random_problem(struct rng *rng, size_t classes, size_t most, bool *sparse) {
    size_t cols = 1 + rng_below(rng, most), rows = classes * (2 * cols + 4) + rng_below(rng, 100);
    struct problem p = problem_new(rng, rows, cols, classes);
    *sparse = rng_below(rng, 3) == 0;
    bool scaled = rng_below(rng, 3) == 0;
    for (size_t i = 0; i < classes * (2 * cols + 4); i++) p.label[i] = (int)(i % classes);
    for (size_t j = 0; j < cols; j++) {
        double scale = scaled ? pow(10, 6 * rng_unit(rng) - 3) : 1;
        for (size_t i = 0; i < rows; i++) {
            double *x = &p.x[i * cols + j];
            if (*sparse && i >= classes * (cols + 2) && rng_below(rng, 3)) *x = 0;
            *x *= scale * (1 + (double)p.label[i] / 3);
        }
    }
    if (rng_below(rng, 2)) problem_weigh(&p, rng);
    for (size_t i = 0; p.weight && i < rows; i++) p.weight[i] += 0.5;
    return p;
}

/* The rows of one class as a problem of one class. */
static struct problem class_of(const struct problem *p, int k) {
    struct problem q = {.cols = p->cols, .classes = 1};
    q.x = malloc(p->rows * p->cols * sizeof *q.x);
    q.label = calloc(p->rows, sizeof *q.label);
    q.weight = malloc(p->rows * sizeof *q.weight);
    assert_true(q.x && q.label && q.weight);
    for (size_t i = 0; i < p->rows; i++) {
        if (p->label[i] != k) continue;
        memcpy(q.x + q.rows * p->cols, p->x + i * p->cols, p->cols * sizeof *q.x);
        q.weight[q.rows++] = problem_weight(p, i);
    }
    return q;
}

/* ---- covariances of each class ------------------------------------------------------------- */

struct asked_of {
    const char *text;
    enum density_kind kind;
    double alpha;
    bool unbiased;
};

/* Leave of the scatter what the covariance keeps, and divide. */
static void make_covariance(struct plain *s, const struct asked_of *asked) {
    size_t cols = s->cols;
    long double trace = 0, divisor = s->total - (asked->unbiased ? 1 : 0);
    for (size_t j = 0; j < cols; j++) trace += s->within[j * cols + j] / (long double)cols;
    plain_shrink(s, asked->alpha);
    for (size_t i = 0; i < cols * cols; i++) {
        bool diagonal = i % (cols + 1) == 0;
        if (!diagonal && asked->kind != DENSITY_FULL) s->within[i] = 0;
        if (diagonal && asked->kind == DENSITY_SPHERICAL) s->within[i] = trace;
        s->within[i] /= divisor;
    }
}

static long double log_density(const struct plain *s, const double *x) {
    const long double ln_2_pi = 1.837877066409345483560659472811235279723L;
    long double *d = long_zeros(s->cols), *z = long_zeros(s->cols);
    for (size_t j = 0; j < s->cols; j++) d[j] = x[j] - s->mean[j];
    long double log_det = plain_solve(z, s->within, d, s->cols);
    long double square = plain_dot(d, z, s->cols);
    free(d), free(z);
    return -(square + log_det + (long double)s->cols * ln_2_pi) / 2;
}

/* The model's scores and objective are those of the plain densities. */
static void compare(size_t number, const struct problem *p, bool sparse,
                    const struct asked_of *asked) {
    struct answer out = learn_problem(ctx, p, sparse, "gaussian", asked->text);
    double *scores = scores_of(ctx, p, sparse, &out.linear);
    size_t classes = p->classes, step = p->rows > 40 ? 7 : 1;
    struct plain s[12];
    long double total = 0, objective = 0;
    for (size_t k = 0; k < classes; k++) {
        struct problem q = class_of(p, (int)k);
        s[k] = plain_new(&q);
        total += s[k].total;
        make_covariance(&s[k], asked);
        problem_free(&q);
    }
    for (size_t i = 0; i < p->rows; i++) {
        const double *x = p->x + i * p->cols;
        size_t y = (size_t)p->label[i];
        objective -=
            problem_weight(p, i) * (logl(s[y].total / total) + log_density(&s[y], x)) / total;
        for (size_t k = 0; k < classes && i % step == 0; k++) {
            long double right = logl(s[k].total / total) + log_density(&s[k], x);
            if (classes == 2 && k == 0) continue;
            if (classes == 2) right -= logl(s[0].total / total) + log_density(&s[0], x);
            double found = scores[i * out.linear.rows + (classes == 2 ? 0 : k)];
            check_small("a score", number, (double)(fabsl(found - right) / (1 + fabsl(right))),
                        1e-9);
        }
    }
    check_small("the objective", number,
                (double)(fabsl(out.objective - objective) / (1 + fabsl(objective))), 1e-10);
    for (size_t k = 0; k < classes; k++) {
        check_small("a prior", number, (double)fabsl(out.linear.priors[k] - s[k].total / total),
                    1e-15);
        plain_free(&s[k]);
    }
    free(scores);
    linear_clear(&out.linear);
}

static void test_class_covariances(void **state) {
    (void)state;
    static const struct asked_of cases[] = {
        {"estimate=unbiased", DENSITY_FULL, 0, true},
        {"covariance=full, estimate=unbiased, shrinkage=0.3", DENSITY_FULL, 0.3, true},
        {"covariance=full, estimate=ml, shrinkage=1", DENSITY_FULL, 1, false},
        {NULL, DENSITY_FULL, 0, false},
        {"covariance=diagonal", DENSITY_DIAGONAL, 0, false},
        {"covariance=diagonal, estimate=ml, shrinkage=0.5", DENSITY_DIAGONAL, 0.5, false},
        {"covariance=diagonal, estimate=unbiased", DENSITY_DIAGONAL, 0, true},
        {"covariance=spherical", DENSITY_SPHERICAL, 0, false},
        {"covariance=spherical, shrinkage=0.5", DENSITY_SPHERICAL, 0, false},
        {"covariance=spherical, estimate=unbiased", DENSITY_SPHERICAL, 0, true},
    };
    struct rng rng = rng_make(test_seed(31), 1);
    for (size_t number = 0; number < 200; number++) {
        const struct asked_of *asked = &cases[number % 10];
        bool sparse;
        struct problem p = random_problem(&rng, 2 + number / 10 % 11, 15, &sparse);
        compare(number, &p, sparse, asked);
        problem_free(&p);
    }
}

/* ---- one covariance ------------------------------------------------------------------------ */

/* The scores of lda to the bit, and the density that they are made of; a constant column has one,
   too, once the covariance is shrunk. */
static void test_shared(void **state) {
    (void)state;
    static const struct {
        const char *gaussian, *lda;
    } cases[] = {
        {"covariance=shared", NULL},
        {"covariance=shared, estimate=ml", "estimate=ml"},
        {"covariance=shared, shrinkage=auto", "shrinkage=auto"},
        {"covariance=shared, shrinkage=0.2, estimate=unbiased", "shrinkage=0.2, estimate=unbiased"},
        {"covariance=shared, shrinkage=1", "shrinkage=1"},
    };
    struct rng rng = rng_make(test_seed(32), 1);
    for (size_t number = 0; number < 100; number++) {
        bool sparse;
        struct problem p = random_problem(&rng, 2 + number / 5 % 11, 40, &sparse);
        for (size_t i = 0; number % 5 >= 2 && number % 2 && p.cols > 1 && i < p.rows; i++)
            p.x[i * p.cols + p.cols / 2] = 0.1;
        struct answer a = learn_problem(ctx, &p, sparse, "gaussian", cases[number % 5].gaussian);
        assert_non_null(a.linear.density);
        struct answer b = learn_problem(ctx, &p, sparse, "lda", cases[number % 5].lda);
        size_t rows = a.linear.rows, classes = p.classes;
        assert_memory_equal(a.linear.w, b.linear.w, rows * p.cols * sizeof(double));
        assert_memory_equal(a.linear.b, b.linear.b, rows * sizeof(double));
        sepal_data *data = problem_data(&p, ctx, sparse);
        double *scores = scores_of(ctx, &p, sparse, &a.linear), sum = 0, total = 0;
        double *logs = malloc(p.rows * classes * sizeof *logs);
        assert_non_null(logs);
        struct matrix *x = &data->matrix;
        for (size_t i = 0; i < x->n_blocks; i++)
            assert_int_equal(density_logs(logs + x->blocks[i].first_row * classes, ctx,
                                          a.linear.density, a.linear.centre, &x->blocks[i], 0,
                                          x->blocks[i].rows),
                             SEPAL_OK);
        for (size_t i = 0; i < p.rows; i++) {
            double *log_p = logs + i * classes, *score = scores + i * rows;
            for (size_t k = 0; k < classes; k++) log_p[k] += log(a.linear.priors[k]);
            for (size_t k = 1; k < classes; k++) {
                double right = log_p[k] - log_p[0];
                double found = classes == 2 ? score[0] : score[k] - score[0];
                check_small("scores less densities", number,
                            fabs(found - right) / (1 + fabs(log_p[k]) + fabs(log_p[0])), 1e-10);
            }
            sum -= problem_weight(&p, i) * log_p[p.label[i]];
            total += problem_weight(&p, i);
        }
        check_small("the objective", number,
                    fabs(a.objective - sum / total) / (1 + fabs(a.objective)), 1e-10);
        free(scores), free(logs);
        data_free(data);
        linear_clear(&a.linear);
        linear_clear(&b.linear);
        problem_free(&p);
    }
}

/* ---- shrinkage by itself ------------------------------------------------------------------- */

/* Each class in units of its own standard deviations: its variances stay. */
static void test_auto_shrinkage(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(33), 1);
    for (size_t number = 0; number < 60; number++) {
        bool sparse, diagonal = number % 2;
        struct problem p = random_problem(&rng, 2 + number % 4, 15, &sparse);
        struct answer out =
            learn_problem(ctx, &p, sparse, "gaussian",
                          diagonal ? "shrinkage=auto, covariance=diagonal" : "shrinkage=auto");
        const double *root = out.linear.density->root;
        for (size_t k = 0; k < p.classes; k++) {
            struct problem q = class_of(&p, (int)k);
            struct plain s = plain_new(&q);
            size_t cols = p.cols;
            plain_shrink_standardized(&s, plain_intensity(&q, &s), s.total);
            for (size_t i = 0; i < cols * cols; i++) {
                size_t a = i / cols, b = i % cols;
                long double found = 0, size = s.within[a * (cols + 1)] * s.within[b * (cols + 1)];
                if (diagonal && a != b) continue;
                for (size_t r = 0; r < cols && !diagonal; r++)
                    found += (long double)root[(k * cols + r) * cols + a] *
                             root[(k * cols + r) * cols + b] * s.total;
                if (diagonal) found = powl(root[k * cols + a], 2) * s.total;
                check_small("a covariance", number,
                            (double)(fabsl(found - s.within[i]) / sqrtl(size)), 1e-10);
            }
            plain_free(&s);
            problem_free(&q);
        }
        linear_clear(&out.linear);
        problem_free(&p);
    }
}

/* ---- no variance --------------------------------------------------------------------------- */

/* 1e-9 of the largest variance of a column over all rows. */
static double least_variance(const struct problem *p) {
    struct problem one = *p;
    int *zeros = calloc(p->rows, sizeof *zeros);
    assert_non_null(zeros);
    one.label = zeros, one.classes = 1;
    struct plain s = plain_new(&one);
    long double most = 0;
    for (size_t j = 0; j < p->cols; j++) most = fmaxl(most, s.within[j * (p->cols + 1)] / s.total);
    plain_free(&s);
    free(zeros);
    return (double)(most * 1e-9L);
}

/* A column that is constant everywhere changes no posterior; one that is constant in a class gets a
   variance and is counted; a class of one row too. */
static void test_zero_variances(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(34), 1);
    static const char *const texts[] = {"covariance=diagonal", "covariance=spherical",
                                        "covariance=diagonal, estimate=unbiased",
                                        "covariance=diagonal, shrinkage=0.1"};
    for (size_t number = 0; number < 40; number++) {
        struct problem p = problem_new(&rng, 60, 5, 3), q = problem_new(&rng, 60, 4, 3);
        for (size_t i = 0; i < 60; i++) {
            p.label[i] = i == 0 ? 2 : (int)(i % 2);
            q.label[i] = p.label[i];
            p.x[i * 5 + 4] = 0.1;
            if (p.label[i] == 0) p.x[i * 5 + 1] = 0.3;
            memcpy(q.x + i * 4, p.x + i * 5, 4 * sizeof *q.x);
        }
        const char *text = texts[number % 4];
        sepal_ctx_clear_warnings(ctx);
        struct answer a = learn_problem(ctx, &p, number % 3 == 0, "gaussian", text);
        assert_true(has_warned(ctx, "zero-variance"));
        if (number % 4 == 0) assert_non_null(strstr(ctx->warnings[0].message, "8 of 15"));
        if (number % 4 == 1) assert_non_null(strstr(ctx->warnings[0].message, "1 of 3"));
        struct answer b = learn_problem(ctx, &q, number % 3 == 0, "gaussian", text);
        double *at_p = scores_of(ctx, &p, false, &a.linear);
        double *at_q = scores_of(ctx, &q, false, &b.linear);
        for (size_t i = 0; i < 60 * 3; i++) assert_true(isfinite(at_p[i]));
        if (number % 4 < 3) { /* class 2 has one row */
            double sd = a.linear.density->root[number % 4 == 1 ? 2 : 2 * 5];
            check_small("the least variance", number, fabs(sd * sd / least_variance(&p) - 1),
                        1e-12);
        }
        if (number % 4 == 0 || number % 4 == 2)
            check_small("the effect of a constant column", number,
                        posteriors_differ(&a.linear, at_p, at_q, 60), 1e-12);
        free(at_p), free(at_q);
        linear_clear(&a.linear);
        linear_clear(&b.linear);
        problem_free(&p);
        problem_free(&q);
    }
}

/* Of two rows, z and -z, Ledoit and Wolf's estimate is certain: nothing is shrunk, in any storage,
   and a column of 0 keeps the least variance. */
static void test_two_rows(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(35), 1);
    for (size_t number = 0; number < 100; number++) {
        struct problem p = problem_new(&rng, 30, 3, 2);
        for (size_t i = 0; i < 30; i++) {
            p.label[i] = i > 1;
            p.x[i * 3 + 2] = 0;
        }
        struct answer a = learn_problem(ctx, &p, number % 2, "gaussian",
                                        "covariance=diagonal, shrinkage=auto, estimate=unbiased");
        double sd = a.linear.density->root[2];
        check_small("the least variance", number, fabs(sd * sd / least_variance(&p) - 1), 1e-12);
        linear_clear(&a.linear);
        problem_free(&p);
    }
}

/* Refusals name the class and what to do. */
static void test_refusals(void **state) {
    (void)state;
    static const struct {
        const char *text, *words;
        int kind;
    } cases[] = {
        {NULL, "class 'c01' is singular: 3 rows, 6 columns, so fewer", 0},
        {"estimate=ml", "class 'c01' is singular: 3 rows", 0},
        {"shrinkage=auto", NULL, 0},
        {NULL, "class 'c00' is singular: 20 rows, 6 columns, some constant", 1},
        {NULL, "some constant or a combination", 2},
        {"shrinkage=1e-3", NULL, 1},
        {"shrinkage=1e-3", NULL, 2},
        {"estimate=unbiased", "class 'c01' has a total weight of 1 (1 rows)", 3},
        {"estimate=unbiased, shrinkage=0.1", "class 'c01' has a total weight of 1 (1 rows)", 3},
        {NULL, "class 'c01' is singular: 1 rows, 6 columns, so fewer", 3},
        {"shrinkage=0.1", "class 'c01' is singular: 1 rows", 3},
        {"shrinkage=auto", "some constant or a combination of others; use covariance=shared", 3},
        {"estimate=default", "estimate=default is not one of ml|unbiased", 0},
        {"shrinkage=2", "shrinkage=2 is not none, auto or a number from 0 to 1", 0},
        {"shrinkage=some", "shrinkage=some is not", 0},
        {"covariance=shared", NULL, 2},
    };
    struct rng rng = rng_make(test_seed(35), 1);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int kind = cases[c].kind;
        struct problem p = problem_new(&rng, 40, 6, 2);
        for (size_t i = 0; i < 40; i++) {
            p.label[i] = kind == 0 ? i % 13 == 1 && i < 30 : kind == 3 ? i == 7 : i % 2 == 1;
            if (kind == 1) p.x[i * 6 + 3] = 0.1;
            if (kind == 2) p.x[i * 6 + 3] = p.x[i * 6] + p.x[i * 6 + 1];
        }
        sepal_data *data = problem_data(&p, ctx, false);
        sepal_ctx_clear_warnings(ctx);
        struct answer out = learn(ctx, data, "gaussian", cases[c].text);
        if (cases[c].words) {
            assert_int_equal(out.status,
                             strstr(cases[c].words, "is not") ? SEPAL_EUSAGE : SEPAL_EDATA);
            if (!strstr(ctx->error.message, cases[c].words))
                fail_msg("case %zu: %s", c, ctx->error.message);
        } else {
            if (out.status != SEPAL_OK) fail_msg("case %zu: %s", c, ctx->error.message);
            bool shared = cases[c].text && strstr(cases[c].text, "shared");
            assert_int_equal(has_warned(ctx, "no-density"), shared);
            assert_int_equal(out.linear.density == NULL, shared);
        }
        linear_clear(&out.linear);
        data_free(data);
        problem_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_class_covariances), cmocka_unit_test(test_shared),
        cmocka_unit_test(test_auto_shrinkage),    cmocka_unit_test(test_zero_variances),
        cmocka_unit_test(test_two_rows),          cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
