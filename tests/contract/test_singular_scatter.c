/* mean-difference, fisher, lda and gaussian where data is poor: singular scatter of every kind, few
   rows, and refusals. */
#include "contract/discriminant_problem.h"

#include "statistics/whiten.h"

#include "fixture.h"

/* ---- the pseudo-inverse -------------------------------------------------------------------- */

enum flaw { CONSTANT = 1, TWIN = 2, SUM = 4, WITHIN = 8, FEW = 16, TWINS = 32 };

static struct problem flawed_problem(struct rng *rng, int flaws) {
    size_t classes = 2 + rng_below(rng, 4), cols = 12 + rng_below(rng, 24);
    size_t rows = flaws & FEW ? classes + 2 + rng_below(rng, cols - 4) : 4 * cols + 20;
    struct problem p = problem_new(rng, rows, cols, classes);
    p.label[classes] = 0;
    for (size_t i = 0; i < rows; i++) {
        double *x = p.x + i * cols;
        if (flaws & CONSTANT) x[0] = 0.1;
        if (flaws & TWIN) x[1] = 3 * x[2];
        if (flaws & SUM) x[3] = x[2] + x[4] - 2;
        if (flaws & WITHIN) x[5] = 0.1 * p.label[i];
        for (size_t j = cols / 4; j < cols && flaws & TWINS; j++) x[j] = x[j % (cols / 4)];
    }
    return p;
}

static void multiply(long double *out, const struct plain *s, const long double *v) {
    for (size_t i = 0; i < s->cols; i++) out[i] = plain_dot(s->within + i * s->cols, v, s->cols);
}

static long double norm(const long double *v, size_t n) {
    return sqrtl(plain_dot(v, v, n));
}

/* The largest singular value of the rows, columns at unit norm, over the least that stands out of
   rounding; the rows around the mean of all, or of their class. */
static double condition_of(const struct problem *p, const struct plain *s, bool within) {
    size_t n = p->rows;
    double *z = malloc(n * p->cols * sizeof *z), first = 0, last = 0;
    assert_non_null(z);
    for (size_t j = 0; j < p->cols; j++) {
        long double squares = 0;
        for (size_t pass = 0; pass < 2; pass++)
            for (size_t i = 0; i < n; i++) {
                const long double *mean = within ? s->mean + (size_t)p->label[i] * p->cols : s->all;
                long double off = p->x[i * p->cols + j] - mean[j];
                if (pass == 0) squares += off * off;
                if (pass == 1) z[j * n + i] = squares > 1e-24L ? (double)(off / sqrtl(squares)) : 0;
            }
    }
    jacobi_rows(z, p->cols, n, ctx->kernels);
    for (size_t j = 0; j < p->cols; j++) {
        double size = sqrt(ctx->kernels->dot_f64(z + j * n, z + j * n, n));
        first = fmax(first, size);
        if (size > 1e-11 * first) last = size;
    }
    free(z);
    return first / last;
}

/* A scatter matrix holds squares, which leaves an error of 2^-52 times the square of the condition; the
   sums of up to 160 rows and 35 columns add to it. With few rows the condition may be anything: the
   usual one is 3, SEPAL_TEST_SEED=4 has 612. */
static double room_of(const struct problem *p, const struct plain *s, bool within) {
    return 0x1p14 * DBL_EPSILON * pow(condition_of(p, s, within), 2);
}

/* What is left of v outside the span of the class-centred rows, relative to its norm. */
static double outside_rows(const struct problem *p, const struct plain *s, const long double *v) {
    size_t cols = p->cols, rank = 0;
    long double *chain = long_zeros((p->rows + 1) * cols), before = 0, after = 0;
    for (size_t i = 0; i <= p->rows; i++) {
        long double *row = chain + rank * cols, size = 0, left = 0;
        const long double *mean = i < p->rows ? s->mean + (size_t)p->label[i] * cols : NULL;
        for (size_t j = 0; j < cols; j++) {
            row[j] = mean ? p->x[i * cols + j] - mean[j] : v[j];
            size += row[j] * row[j];
        }
        for (size_t b = 0; b < 2 * rank; b++) {
            const long double *other = chain + b % rank * cols;
            long double dot = plain_dot(row, other, cols);
            for (size_t j = 0; j < cols; j++) row[j] -= dot * other[j];
        }
        left = plain_dot(row, row, cols);
        before = size, after = left;
        if (left <= 1e-24L * size) continue;
        for (size_t j = 0; j < cols; j++) row[j] /= sqrtl(left);
        if (rank < cols) rank++;
    }
    free(chain);
    return (double)sqrtl(after / before);
}

/* w = divisor pinv(S) d: no part of it is taken to zero by S, and S w / divisor is d but for what
   no S w can be. */
static void check_pseudo_inverse(size_t number, const struct problem *p, const struct plain *s,
                                 const double *w, const long double *d, long double divisor) {
    size_t cols = p->cols;
    long double *v = long_zeros(cols), *image = long_zeros(cols), *again = long_zeros(cols);
    double room = room_of(p, s, true);
    for (size_t j = 0; j < cols; j++) v[j] = w[j] / divisor;
    check_small("the part of w outside the rows", number, outside_rows(p, s, v), room);
    multiply(image, s, v);
    for (size_t j = 0; j < cols; j++) image[j] -= d[j];
    multiply(again, s, image);
    multiply(image, s, d);
    check_small("S (S w - d)", number, (double)(norm(again, cols) / norm(image, cols)), room);
    free(v), free(image), free(again);
}

static void test_lda_uses_the_pseudo_inverse(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(41), 1);
    for (size_t number = 0; number < 192; number++) {
        int flaws = (int)(number % 64);
        if (flaws == 0) continue;
        struct problem p = flawed_problem(&rng, flaws);
        struct plain s = plain_new(&p);
        sepal_ctx_clear_warnings(ctx);
        struct answer out = learn_problem(ctx, &p, number % 2, "lda", "estimate=unbiased");
        assert_true(has_warned(ctx, "singular-scatter"));
        assert_non_null(strstr(ctx->warnings[0].message, "shrinkage=auto"));
        long double *d = long_zeros(p.cols);
        for (size_t r = 0; r < out.linear.rows; r++) {
            for (size_t j = 0; j < p.cols; j++)
                d[j] = p.classes == 2 ? s.mean[p.cols + j] - s.mean[j]
                                      : s.mean[r * p.cols + j] - s.all[j];
            check_pseudo_inverse(number, &p, &s, out.linear.w + r * p.cols, d,
                                 s.total - (long double)p.classes);
        }
        /* the means differ where the rows do not if a column says so, or rows are too few */
        size_t own = p.cols - (flaws & 1) - (flaws >> 1 & 1) - (flaws >> 2 & 1) - (flaws >> 3 & 1);
        bool infinite = flaws & WITHIN || p.rows - p.classes < own;
        if (!(flaws & TWINS)) assert_int_equal(isnan(out.j), infinite);
        free(d);
        linear_clear(&out.linear);
        plain_free(&s);
        problem_free(&p);
    }
}

/* Fisher's direction is that of least squares of least norm, any rank. */
static void test_fisher_uses_total_scatter(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(42), 1);
    for (size_t number = 0; number < 128; number++) {
        int flaws = (int)(number % 64);
        if (flaws == 0) continue;
        struct problem p = flawed_problem(&rng, flaws);
        if (flaws & FEW && p.rows > p.cols) p.rows = p.cols; /* too few for two classes, too */
        for (size_t i = 0; i < p.rows; i++) {
            p.label[i] = p.label[i] > 0;
            if (flaws & WITHIN) p.x[i * p.cols + 5] = 0.1 * p.label[i];
            for (size_t j = p.cols / 4; j < p.cols && flaws & TWINS; j++)
                p.x[i * p.cols + j] = p.x[i * p.cols + j % (p.cols / 4)];
        }
        p.classes = 2;
        sepal_ctx_clear_warnings(ctx);
        struct answer out = learn_problem(ctx, &p, number % 2, "fisher", "cut=mean");
        assert_true(has_warned(ctx, "singular-scatter"));
        struct outcome squares =
            fit_problem(ctx, &p, number % 2, (struct asked){.targets = "fisher"});
        struct plain s = plain_new(&p);
        for (size_t j = 0; j < p.cols; j++)
            out.linear.w[j] *= (double)(s.total / (s.total - 2)); /* (N - 2) for N */
        check_small("the way to least squares", number,
                    weights_differ(&p, &out.linear, &squares.linear), room_of(&p, &s, false));
        plain_free(&s);
        linear_clear(&out.linear);
        linear_clear(&squares.linear);
        problem_free(&p);
    }
}

/* Nearly dependent columns: squares of what tells them apart are rounding, so rows are factored. */
static void test_nearly_dependent(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(43), 1);
    for (size_t number = 0; number < 40; number++) {
        struct problem p = problem_new(&rng, 120, 8, 3);
        double part = pow(10, -4 - (double)(number % 4));
        for (size_t i = 0; i < p.rows; i++) p.x[i * 8 + 7] = p.x[i * 8] + part * p.x[i * 8 + 7];
        struct plain s = plain_new(&p);
        sepal_ctx_clear_warnings(ctx);
        struct answer out = learn_problem(ctx, &p, false, "lda", "estimate=unbiased");
        assert_false(has_warned(ctx, "singular-scatter"));
        long double *d = long_zeros(8), *v = long_zeros(8);
        for (size_t r = 0; r < 3; r++) {
            for (size_t j = 0; j < 8; j++) d[j] = s.mean[r * 8 + j] - s.all[j];
            plain_solve(v, s.within, d, 8);
            long double off = 0, size = 0;
            for (size_t j = 0; j < 8; j++) {
                off += powl(v[j] * (s.total - 3) - out.linear.w[r * 8 + j], 2);
                size += powl(v[j] * (s.total - 3), 2);
            }
            check_small("w", number, (double)sqrtl(off / size) * part * part, 1e-13);
        }
        free(d), free(v);
        linear_clear(&out.linear);
        plain_free(&s);
        problem_free(&p);
    }
}

/* Fewer distinct rows than columns, two of them nearly equal, each row three times: the factor has rows
   that are nothing but rounding beside one that is small. The weights are those of single rows that
   weigh 3, for which another way is taken, as far as the squares of the small row tell. */
static void test_nearly_equal_rows(void **state) {
    (void)state;
    enum { DISTINCT = 20, COPIES = 3, COLS = 40 };
    struct rng rng = rng_make(test_seed(50), 1);
    for (size_t number = 0; number < 40; number++) {
        struct problem p = problem_new(&rng, DISTINCT, COLS, 3);
        struct problem copies = problem_new(&rng, COPIES * DISTINCT, COLS, 3);
        double part = pow(10, -3 - (double)(number % 3));
        p.label[3] = p.label[4] = 0;
        for (size_t j = 0; j < COLS; j++)
            p.x[4 * COLS + j] = p.x[3 * COLS + j] + part * p.x[4 * COLS + j];
        problem_weigh(&p, &rng);
        for (size_t i = 0; i < copies.rows; i++) {
            memcpy(copies.x + i * COLS, p.x + i / COPIES * COLS, COLS * sizeof *p.x);
            copies.label[i] = p.label[i / COPIES];
            p.weight[i / COPIES] = COPIES;
        }
        struct answer a = learn_problem(ctx, &p, false, "lda", NULL);
        struct answer b = learn_problem(ctx, &copies, false, "lda", NULL);
        check_small("the effect of copying", number,
                    weights_differ(&p, &a.linear, &b.linear) * part * part, 1e-13);
        linear_clear(&a.linear);
        linear_clear(&b.linear);
        problem_free(&p);
        problem_free(&copies);
    }
}

/* One-hot columns are dependent by themselves: no warning; what else is dependent is named. */
static void test_text_columns(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool warns;
    } cases[] = {
        {"colour,size,class\nred,1,a\nblue,2,b\nred,3,b\ngreen,5,a\nblue,9,a\ngreen,4,b\n", false},
        {"colour,size,class\nred,1,a\nblue,1,b\nred,1,b\nred,1,a\nblue,1,a\ngreen,1,b\n", true},
        {"size,twice,class\n1,2,a\n2,4,b\n3,6,b\n5,10,a\n9,18,a\n", true},
        {"size,class\n1,a\n2,b\n3,b\n0,a\n", false},
    };
    for (size_t c = 0; c < 8; c++) {
        sepal_data *data;
        FILE *file = fopen("warnings.csv", "w");
        assert_non_null(file);
        fputs(cases[c / 2].text, file);
        fclose(file);
        assert_int_equal(data_read(&data, ctx, "warnings.csv", NULL, NULL, true), SEPAL_OK);
        sepal_ctx_clear_warnings(ctx);
        struct answer out = learn(ctx, data, c % 2 ? "lda" : "fisher", NULL);
        if (out.status != SEPAL_OK) fail_msg("case %zu: %s", c, ctx->error.message);
        assert_int_equal(has_warned(ctx, "singular-scatter"), cases[c / 2].warns);
        linear_clear(&out.linear);
        data_free(data);
    }
}

/* ---- refusals ------------------------------------------------------------------------------ */

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        const char *name, *text, *words;
        sepal_status status;
    } cases[] = {
        {"lda", "axes=3", "axes=3 is more than the 2 that 3 classes and 4 columns have",
         SEPAL_EUSAGE},
        {"lda", "axes=2", NULL, SEPAL_OK},
        {"lda", "shrinkage=1.5", "shrinkage=1.5 is not none, auto or a number", SEPAL_EUSAGE},
        {"lda", "shrinkage=-0.1", "is not none, auto", SEPAL_EUSAGE},
        {"lda", "shrinkage=nan", "is not none, auto", SEPAL_EUSAGE},
        {"lda", "priors=\"0.2,0.3,0.5\"", NULL, SEPAL_OK},
        {"lda", "priors=\"c02:0.2,c00:0.3,c01:0.5\"", NULL, SEPAL_OK},
        {"lda", "priors=\"0.2,0.3,0.4\"", "sum to 0.9, not to 1", SEPAL_EUSAGE},
        {"lda", "priors=\"0.2,0.8\"", "leaves out a class", SEPAL_EUSAGE},
        {"lda", "priors=\"0.2,0.3,0.3,0.2\"", "more numbers than there are classes", SEPAL_EUSAGE},
        {"lda", "priors=\"c00:0.2,c07:0.3,c01:0.5\"",
         "names the class 'c07', which the data does not have", SEPAL_EUSAGE},
        {"lda", "priors=\"c00:0.2,c00:0.3,c01:0.5\"", "gives a class two priors", SEPAL_EUSAGE},
        {"lda", "priors=\"0,0.5,0.5\"", "not a number above 0", SEPAL_EUSAGE},
        {"lda", "priors=\"0.5,0.5,x\"", "not a number above 0", SEPAL_EUSAGE},
        {"lda", "priors=\"\"", "not a number above 0", SEPAL_EUSAGE},
    };
    struct rng rng = rng_make(test_seed(50), 1);
    struct problem p = problem_new(&rng, 30, 4, 3);
    sepal_data *data = problem_data(&p, ctx, false);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct answer out = learn(ctx, data, cases[c].name, cases[c].text);
        if (out.status != cases[c].status) fail_msg("case %zu: %s", c, ctx->error.message);
        if (cases[c].words && !strstr(ctx->error.message, cases[c].words))
            fail_msg("case %zu: %s", c, ctx->error.message);
        if (cases[c].status == SEPAL_OK && strstr(cases[c].text, "0.2,c00"))
            assert_true(out.linear.priors[0] == 0.3 && out.linear.priors[2] == 0.2);
        linear_clear(&out.linear);
    }
    data_free(data);
    problem_free(&p);
}

/* No direction between equal means; no covariance of rows that weigh nothing; no spread at all. */
static void test_poor_data(void **state) {
    (void)state;
    double corners[] = {0, 0, 1, 1, 0, 1, 1, 0}, alone[] = {1, 2, 3, 4};
    double pairs[] = {1, 1, 1, 1, 3, 2, 3, 2};
    int label[] = {0, 0, 1, 1}, two[] = {0, 1};
    struct problem p = {.rows = 4, .cols = 2, .classes = 2, .x = corners, .label = label};
    static const char *const names[] = {"fisher", "mean-difference"};
    sepal_data *data = problem_data(&p, ctx, false);
    for (size_t c = 0; c < 2; c++) {
        assert_int_equal(learn(ctx, data, names[c], NULL).status, SEPAL_EDATA);
        assert_non_null(strstr(ctx->error.message, "coincide"));
    }
    struct answer out = learn(ctx, data, "lda", NULL);
    assert_int_equal(out.status, SEPAL_OK);
    assert_true(out.linear.w[0] == 0 && out.linear.w[1] == 0 && out.linear.n_axes == 0);
    linear_clear(&out.linear);
    data_free(data);

    p.rows = 2, p.x = alone, p.label = two; /* a row each: N - K = 0 */
    data = problem_data(&p, ctx, false);
    assert_int_equal(learn(ctx, data, "lda", "estimate=unbiased").status, SEPAL_EDATA);
    assert_non_null(strstr(ctx->error.message, "total weight above 2"));
    sepal_ctx_clear_warnings(ctx);
    out = learn(ctx, data, "lda", NULL); /* all scatter is 0 */
    assert_int_equal(out.status, SEPAL_OK);
    assert_true(has_warned(ctx, "singular-scatter") && isnan(out.j) && out.linear.w[0] == 0);
    linear_clear(&out.linear);
    assert_int_equal(learn(ctx, data, "fisher", NULL).status, SEPAL_EDATA);
    assert_int_equal(learn(ctx, data, "lda", "estimate=ml, shrinkage=0.1").status, SEPAL_EDATA);
    data_free(data);

    p.rows = 4, p.x = pairs, p.label = label; /* all rows of a class alike */
    data = problem_data(&p, ctx, false);
    sepal_ctx_clear_warnings(ctx);
    out = learn(ctx, data, "lda", NULL);
    assert_int_equal(out.status, SEPAL_OK);
    assert_true(has_warned(ctx, "singular-scatter") && isnan(out.j) && out.linear.w[0] == 0);
    linear_clear(&out.linear);
    out = learn(ctx, data, "fisher", NULL);
    assert_int_equal(out.status, SEPAL_OK);
    assert_true(isnan(out.j) && out.linear.w[0] > 0 && out.objective == 0);
    linear_clear(&out.linear);
    assert_int_equal(learn(ctx, data, "lda", "shrinkage=auto").status, SEPAL_EDATA);
    assert_non_null(strstr(ctx->error.message, "column 1 is constant within each class"));
    data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lda_uses_the_pseudo_inverse),
        cmocka_unit_test(test_fisher_uses_total_scatter),
        cmocka_unit_test(test_nearly_dependent),
        cmocka_unit_test(test_nearly_equal_rows),
        cmocka_unit_test(test_text_columns),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_poor_data),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
