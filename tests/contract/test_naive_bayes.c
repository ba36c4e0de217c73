/* Naive Bayes against its formulas, written out in long double over plain loops: random counts and
   bits, whole and broken, dense and sparse, weighted or not; and the input that it refuses. */
#include "contract/least_squares_problem.h"

#include "linear/decide.h"

#include "fixture.h"

static const char *const kinds[] = {"multinomial", "complement", "bernoulli"};
enum { MULTINOMIAL, COMPLEMENT, BERNOULLI, KINDS };

struct fitted {
    sepal_status status;
    struct linear linear;
    double objective;
};

static struct fitted fit_learner(const sepal_data *data, const char *name,
                                 const struct setting *settings, size_t n) {
    const struct learner *learner = learner_find(name);
    struct arena arena = {0};
    void *config = calloc(1, learner->config_size);
    assert_int_equal(
        parameters_fill(config, ctx, &arena, learner->parameters, learner->name, settings, n),
        SEPAL_OK);
    struct fit fit = {.ctx = ctx, .data = data, .config = config, .gap = 7};
    struct fitted out = {.status = learner->fit(&fit)};
    if (fit.message_lost) out.status = SEPAL_EMEMORY;
    if (out.status == SEPAL_OK) {
        assert_true(isnan(fit.gap) && fit.converged && fit.iterations == 0);
        assert_true(*fit.words && *fit.solver);
        out.linear = fit.linear;
        out.objective = fit.objective;
    } else {
        linear_clear(&fit.linear);
    }
    arena_clear(&fit.arena);
    arena_clear(&arena);
    free(config);
    return out;
}

static struct fitted fit_kind(const sepal_data *data, const char *kind, const char *smoothing) {
    struct setting settings[] = {{"kind", kind}, {"smoothing", smoothing}};
    return fit_learner(data, "naive-bayes", settings, 2);
}

static struct fitted fit_well(const sepal_data *data, const char *kind, const char *smoothing) {
    struct fitted out = fit_kind(data, kind, smoothing);
    if (out.status != SEPAL_OK) fail_msg("%s: %s", kind, ctx->error.message);
    return out;
}

static size_t warnings_of(const char *code) {
    size_t n = 0;
    for (size_t i = 0; i < ctx->n_warnings; i++) n += strcmp(ctx->warnings[i].code, code) == 0;
    return n;
}

/* ---- random problems ------------------------------------------------------------------------ */

/* Counts that depend on the class; `whole`: without fractions. */
static void fill_counts(struct problem *p, struct rng *rng, bool whole) {
    for (size_t i = 0; i < p->rows * p->cols; i++) {
        size_t k = (size_t)p->label[i / p->cols], j = i % p->cols;
        double mean = (j % p->classes == k ? 4 : 1) * rng_unit(rng);
        double x = rng_below(rng, 2) ? -mean * log(1 - rng_unit(rng)) : 0;
        p->x[i] = whole ? floor(x) : x;
    }
}

static struct problem count_problem(struct rng *rng, bool whole) {
    size_t classes = 2 + rng_below(rng, 11), rows = classes + rng_below(rng, 80);
    struct problem p = problem_new(rng, rows, 1 + rng_below(rng, 60), classes);
    fill_counts(&p, rng, whole);
    return p;
}

/* The textbook's numbers for one problem, by plain loops. */
struct textbook {
    int kind;
    size_t classes, cols;
    long double *theta, *rest; /* rest: 1 - theta of bits, from the rows without the bit */
    long double *prior;
};

static long double bit_or_value(int kind, double x) {
    return kind == BERNOULLI ? x > 0 : (long double)x;
}

static struct textbook textbook_of(const struct problem *p, int kind, long double a) {
    struct textbook book = {.kind = kind, .classes = p->classes, .cols = p->cols};
    book.theta = calloc(p->classes * p->cols, sizeof *book.theta);
    book.rest = calloc(p->classes * p->cols, sizeof *book.rest);
    book.prior = calloc(p->classes, sizeof *book.prior);
    long double total = 0;
    for (size_t i = 0; i < p->rows; i++) {
        book.prior[p->label[i]] += problem_weight(p, i);
        total += problem_weight(p, i);
        for (size_t k = 0; k < p->classes; k++)
            for (size_t j = 0; j < p->cols; j++) {
                long double x = bit_or_value(kind, p->x[i * p->cols + j]);
                if ((k == (size_t)p->label[i]) == (kind == COMPLEMENT)) continue;
                book.theta[k * p->cols + j] += problem_weight(p, i) * x;
                book.rest[k * p->cols + j] += problem_weight(p, i) * (1 - x);
            }
    }
    for (size_t k = 0; k < p->classes; k++) {
        long double *theta = book.theta + k * p->cols, sum = 2 * a + book.prior[k];
        for (size_t j = 0; kind != BERNOULLI && j < p->cols; j++)
            sum = (j ? sum : 0) + theta[j] + a;
        for (size_t j = 0; j < p->cols; j++) {
            theta[j] = (theta[j] + a) / sum;
            book.rest[k * p->cols + j] = (book.rest[k * p->cols + j] + a) / sum;
        }
        book.prior[k] /= total;
    }
    return book;
}

/* ln p(x | class k) without the arrangements; of complements the score. */
static long double book_log(const struct textbook *book, const double *x, size_t k) {
    long double sum = 0;
    for (size_t j = 0; j < book->cols; j++) {
        long double theta = book->theta[k * book->cols + j], value = bit_or_value(book->kind, x[j]);
        sum += value * logl(theta);
        if (book->kind == BERNOULLI) sum += (1 - value) * logl(book->rest[k * book->cols + j]);
    }
    return book->kind == COMPLEMENT ? -sum : sum;
}

static void book_free(struct textbook *book) {
    free(book->theta);
    free(book->rest);
    free(book->prior);
}

static long double arrangements(const double *x, size_t cols) {
    long double length = 0, logs = 0;
    for (size_t j = 0; j < cols; j++) length += x[j], logs -= lgammal(x[j] + 1);
    return logs + lgammal(length + 1);
}

static void check_near(const char *what, long double is, long double should, long double scale) {
    if (fabsl(is - should) <= 1e-13L * (1 + scale)) return;
    fail_msg("%s is %.17Lg, not %.17Lg", what, is, should);
}

static long double book_objective(const struct textbook *book, const struct problem *p) {
    long double sum = 0, total = 0;
    for (size_t i = 0; i < p->rows; i++) {
        const double *x = p->x + i * p->cols;
        size_t own = (size_t)p->label[i];
        long double weight = problem_weight(p, i);
        total += weight;
        for (size_t k = 0; book->kind == COMPLEMENT && k < p->classes; k++)
            if (k != own) sum += weight * book_log(book, x, k);
        if (book->kind != COMPLEMENT)
            sum -= weight * (book_log(book, x, own) + logl(book->prior[own]));
    }
    return sum / total;
}

static void compare(const struct problem *p, const sepal_data *data, const struct textbook *book,
                    const struct fitted *out) {
    const struct linear *linear = &out->linear;
    size_t K = p->classes;
    double *scores = malloc(p->rows * K * sizeof *scores), *logs = malloc(K * sizeof *logs);
    assert_int_equal(linear->rows, K == 2 ? 1 : K);
    assert_int_equal(linear_scores(scores, ctx, linear, &data->matrix), SEPAL_OK);
    for (size_t i = 0; i < p->rows; i++) {
        const double *x = p->x + i * p->cols;
        long double score[16], scale = 0;
        for (size_t k = 0; k < K; k++) {
            score[k] = book_log(book, x, k);
            scale = fmaxl(scale, fabsl(score[k]));
            if (book->kind != COMPLEMENT) score[k] += logl(book->prior[k]);
        }
        if (K == 2) check_near("the score", scores[i], score[1] - score[0], scale);
        for (size_t k = 0; K > 2 && k < K; k++)
            check_near("a score", scores[i * K + k], score[k], scale);
        if (book->kind == COMPLEMENT) continue;
        size_t local;
        const struct block *block = matrix_block_of(&data->matrix, i, &local);
        assert_int_equal(density_logs(logs, ctx, linear->density, NULL, block, local, 1), SEPAL_OK);
        for (size_t k = 0; k < K; k++) {
            long double more = book->kind == MULTINOMIAL ? arrangements(x, p->cols) : 0;
            check_near("ln p", logs[k], book_log(book, x, k) + more, scale);
        }
    }
    check_near("the objective", out->objective, book_objective(book, p), fabs(out->objective));
    free(scores);
    free(logs);
}

static void test_formulas(void **state) {
    (void)state;
    static const char *const smoothings[] = {"1", "0.5", "1e-10", "25"};
    struct rng rng = rng_make(test_seed(11), 1);
    for (size_t number = 0; number < 300; number++) {
        struct problem p = count_problem(&rng, rng_below(&rng, 2));
        bool sparse = rng_below(&rng, 2);
        const char *smoothing = smoothings[rng_below(&rng, 4)];
        if (rng_below(&rng, 2)) problem_weigh(&p, &rng);
        sepal_data *data = problem_data(&p, ctx, sparse);
        for (int kind = 0; kind < KINDS; kind++) {
            struct fitted out = fit_well(data, kinds[kind], smoothing);
            struct textbook book = textbook_of(&p, kind, strtold(smoothing, NULL));
            compare(&p, data, &book, &out);
            assert_int_equal(out.linear.bits, kind == BERNOULLI);
            assert_null(out.linear.centre);
            assert_true((out.linear.priors == NULL) == (kind == COMPLEMENT));
            assert_true((out.linear.density == NULL) == (kind == COMPLEMENT));
            for (size_t k = 0; kind != COMPLEMENT && k < p.classes; k++)
                check_near("a prior", out.linear.priors[k], book.prior[k], 0);
            book_free(&book);
            linear_clear(&out.linear);
        }
        data_free(data);
        problem_free(&p);
    }
}

/* ---- what must not change anything ---------------------------------------------------------- */

static void assert_same(const struct fitted *a, const struct fitted *b) {
    const struct linear *x = &a->linear, *y = &b->linear;
    assert_int_equal(x->rows, y->rows);
    assert_memory_equal(x->w, y->w, x->rows * x->cols * sizeof *x->w);
    assert_memory_equal(x->b, y->b, x->rows * sizeof *x->b);
    assert_true(a->objective == b->objective);
    if (!x->density) return;
    assert_memory_equal(x->density->mean, y->density->mean,
                        x->classes * x->cols * sizeof *x->density->mean);
    assert_memory_equal(x->density->constant, y->density->constant,
                        x->classes * sizeof *x->density->constant);
    assert_memory_equal(x->priors, y->priors, x->classes * sizeof *x->priors);
}

/* Whole counts are added without rounding, so copies of rows give the same bits as weights. */
static void test_weights_are_copies(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(12), 1);
    for (size_t number = 0; number < 40; number++) {
        struct problem p = count_problem(&rng, true);
        p.weight = malloc(p.rows * sizeof *p.weight);
        size_t rows = 0;
        for (size_t i = 0; i < p.rows; i++) {
            p.weight[i] = (double)(1 + rng_below(&rng, 4));
            rows += (size_t)p.weight[i];
        }
        struct problem copies = {.rows = rows, .cols = p.cols, .classes = p.classes};
        copies.x = malloc((rows * p.cols + 1) * sizeof *copies.x);
        copies.label = malloc(rows * sizeof *copies.label);
        for (size_t i = 0, to = 0; i < p.rows; i++)
            for (double n = p.weight[i]; n > 0; n--, to++) {
                memcpy(copies.x + to * p.cols, p.x + i * p.cols, p.cols * sizeof *p.x);
                copies.label[to] = p.label[i];
            }
        sepal_data *data = problem_data(&p, ctx, number % 2);
        sepal_data *more = problem_data(&copies, ctx, number % 3 == 0);
        for (int kind = 0; kind < KINDS; kind++) {
            struct fitted a = fit_well(data, kinds[kind], "1"),
                          b = fit_well(more, kinds[kind], "1");
            assert_same(&a, &b);
            linear_clear(&a.linear);
            linear_clear(&b.linear);
        }
        data_free(data);
        data_free(more);
        problem_free(&p);
        problem_free(&copies);
    }
}

/* One class with nearly all rows: its columns are divided among the threads. */
static void test_threads_and_storage_change_nothing(void **state) {
    (void)state;
    static const unsigned threads[] = {1, 2, 3, 7};
    struct rng rng = rng_make(test_seed(13), 1);
    for (size_t number = 0; number < 6; number++) {
        size_t cols = number < 2 ? 1 + number : 1500, classes = 2 + number % 3;
        struct problem p = problem_new(&rng, 300, cols, classes);
        for (size_t i = classes; number % 2 && i < p.rows; i++) p.label[i] = i % 50 == 0;
        fill_counts(&p, &rng, false);
        problem_weigh(&p, &rng);
        for (int kind = 0; kind < KINDS; kind++) {
            struct fitted first = {0};
            for (size_t t = 0; t < 8; t++) {
                ctx->threads = threads[t / 2];
                sepal_data *data = problem_data(&p, ctx, t % 2);
                struct fitted out = fit_well(data, kinds[kind], "0.3");
                data_free(data);
                if (t == 0) {
                    first = out;
                    continue;
                }
                assert_same(&first, &out);
                linear_clear(&out.linear);
            }
            linear_clear(&first.linear);
        }
        problem_free(&p);
    }
    ctx->threads = 0;
}

/* Values that are all 1, one a row, single or double: the same sums. */
static void test_ways_to_keep_values(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(20), 1);
    static const enum values ways[] = {VALUES_ONES, VALUES_ROW, VALUES_F32, VALUES_F64};
    for (size_t w = 0; w < 8; w++) {
        struct problem p = problem_new(&rng, 70, 25, 2);
        size_t rows[70];
        for (size_t i = 0; i < 70 * 25; i++) {
            size_t number = i / 25 + 1;
            double there = (double)rng_below(&rng, 2), row = (double)number;
            const double values[] = {there, there * row, there * (double)(i % 7),
                                     there * 0.1 * row};
            p.x[i] = values[w % 4] * (i % 25 == w && w % 4 > 1 ? 1.5 : 1);
        }
        for (size_t i = 0; i < 70; i++) p.label[i] = i % 60 == 0, rows[i] = i; /* stripes */
        sepal_data *sparse = problem_data(&p, ctx, true), *least;
        assert_int_equal(data_select(&least, ctx, sparse, rows, 70), SEPAL_OK);
        assert_int_equal(least->matrix.blocks[0].values, ways[w % 4]);
        ctx->threads = w < 4 ? 1 : 4;
        for (int kind = 0; kind < KINDS; kind++) {
            struct fitted a = fit_well(sparse, kinds[kind], "1");
            struct fitted b = fit_well(least, kinds[kind], "1");
            assert_same(&a, &b);
            linear_clear(&a.linear);
            linear_clear(&b.linear);
        }
        data_free(sparse);
        data_free(least);
        problem_free(&p);
    }
    ctx->threads = 0;
}

/* The constant of a density of bits is a sum over all columns, and keeps its digits. */
static void test_many_columns(void **state) {
    (void)state;
    enum { MANY = 200000 };
    struct rng rng = rng_make(test_seed(21), 1);
    struct problem p = problem_new(&rng, 5, MANY, 2);
    for (size_t i = 0; i < 5 * MANY; i++) p.x[i] = i % 3 == 0;
    for (int i = 0; i < 5; i++) p.label[i] = i % 2;
    sepal_data *data = problem_data(&p, ctx, true);
    struct fitted out = fit_well(data, "bernoulli", "0.7");
    struct textbook book = textbook_of(&p, BERNOULLI, 0.7);
    for (size_t k = 0; k < 2; k++) {
        long double sum = 0;
        for (size_t j = 0; j < MANY; j++) sum += logl(book.rest[k * MANY + j]);
        assert_true(fabsl(out.linear.density->constant[k] / sum - 1) < 1e-14L);
    }
    book_free(&book);
    linear_clear(&out.linear);
    data_free(data);
    problem_free(&p);
}

/* Sparse rows with an implicit centre are the rows less the centre. */
static void test_centred_rows(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(14), 1);
    struct problem p = problem_new(&rng, 40, 9, 3), moved = problem_new(&rng, 40, 9, 3);
    double centre[9];
    fill_counts(&p, &rng, true);
    for (size_t j = 0; j < 9; j++) centre[j] = -(double)(j % 3);
    memcpy(moved.label, p.label, p.rows * sizeof *p.label);
    for (size_t i = 0; i < p.rows * 9; i++) moved.x[i] = p.x[i] - centre[i % 9];
    for (int kind = 0; kind < KINDS; kind++) {
        sepal_data *data = problem_data(&p, ctx, true), *plain = problem_data(&moved, ctx, false);
        for (size_t b = 0; b < data->matrix.n_blocks; b++) data->matrix.blocks[b].centre = centre;
        struct fitted a = fit_well(data, kinds[kind], "1"), c = fit_well(plain, kinds[kind], "1");
        assert_same(&a, &c);
        linear_clear(&a.linear);
        linear_clear(&c.linear);
        centre[4] = 1; /* zeros of this column are -1 now */
        a = fit_kind(data, kinds[kind], "1");
        centre[4] = -1;
        assert_int_equal(a.status, kind == BERNOULLI ? SEPAL_OK : SEPAL_EDATA);
        linear_clear(&a.linear);
        data_free(data);
        data_free(plain);
    }
    problem_free(&p);
    problem_free(&moved);
}

/* ---- bad and odd input ---------------------------------------------------------------------- */

/* A problem of six rows, two classes and three columns. */
static struct problem small_problem(struct rng *rng, const double x[18]) {
    struct problem p = problem_new(rng, 6, 3, 2);
    memcpy(p.x, x, 18 * sizeof *x);
    for (int i = 0; i < 6; i++) p.label[i] = i % 2;
    return p;
}

static void expect(const struct problem *p, const char *kind, const char *smoothing,
                   const char *word, const char *other) {
    for (int sparse = 0; sparse < 2; sparse++) {
        sepal_data *data = problem_data(p, ctx, sparse);
        struct fitted out = fit_kind(data, kind, smoothing);
        if (!word) {
            if (out.status != SEPAL_OK) fail_msg("%s: %s", kind, ctx->error.message);
            for (size_t j = 0; j < 3 * out.linear.rows; j++)
                assert_true(isfinite(out.linear.w[j]) && isfinite(out.linear.b[0]));
            assert_true(isfinite(out.objective));
            linear_clear(&out.linear);
        } else {
            assert_int_equal(out.status, SEPAL_EDATA);
            if (!strstr(ctx->error.message, word) || !strstr(ctx->error.message, other))
                fail_msg("'%s' and '%s' are not in: %s", word, other, ctx->error.message);
        }
        data_free(data);
    }
}

static void test_refusals(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(15), 1);
    static const double good[18] = {1, 0, 2, 0, 3, 1, 2, 2, 0, 1, 0, 4, 0, 1, 1, 3, 1, 0};
    double x[18];
    struct problem p = small_problem(&rng, good);
    for (int kind = 0; kind < KINDS; kind++) expect(&p, kinds[kind], "0", NULL, "");
    for (int kind = 0; kind < KINDS; kind++) {
        expect(&p, kinds[kind], "1e300", NULL, "");
        expect(&p, kinds[kind], "1e308", "beyond the range of a double", "less smoothing");
    }
    p.x[7] = p.x[15] = -0.5; /* rows of both classes, below */
    expect(&p, "multinomial", "1", "column 'x2' of row 3 is -0.5", "kind=bernoulli");
    expect(&p, "complement", "1", "column 'x2' of row 3 is -0.5", "gaussian");
    expect(&p, "bernoulli", "1", NULL, "");
    p.x[5] = -4;
    expect(&p, "multinomial", "1", "column 'x3' of row 2 is -4", "below 0");
    problem_free(&p);

    memcpy(x, good, sizeof x);
    for (size_t i = 0; i < 6; i += 2) x[3 * i + 2] = 0;
    p = small_problem(&rng, x);
    expect(&p, "multinomial", "0", "'x3' is never above 0 in class 'c00'", "smoothing=1");
    expect(&p, "complement", "0", "'x3' is never above 0 outside class 'c01'", "smoothing=1");
    expect(&p, "bernoulli", "0", "'x3' is never above 0 in class 'c00'", "smoothing=1");
    for (int kind = 0; kind < KINDS; kind++) expect(&p, kinds[kind], "5e-324", NULL, "");
    problem_free(&p);

    memcpy(x, good, sizeof x);
    for (size_t i = 1; i < 6; i += 2) x[3 * i] = 7;
    p = small_problem(&rng, x);
    expect(&p, "bernoulli", "0", "'x1' is always above 0 in class 'c01'", "1e-10");
    expect(&p, "multinomial", "0", NULL, "");
    for (size_t i = 0; i < 18; i++) p.x[i] *= 2e307;
    expect(&p, "multinomial", "1", "beyond the range of a double", "scale");
    expect(&p, "complement", "1", "beyond the range of a double", "scale");
    expect(&p, "bernoulli", "1", NULL, "");
    problem_free(&p);
}

/* Columns and rows of zeros, constant columns, a class with one row: all fine. */
static void test_odd_data(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(16), 1);
    static const double zeros[18] = {0},
                        ones[18] = {1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0};
    struct problem p = small_problem(&rng, zeros);
    for (int kind = 0; kind < KINDS; kind++) expect(&p, kinds[kind], "1", NULL, "");
    memcpy(p.x, ones, sizeof ones);
    for (int kind = 0; kind < KINDS; kind++) expect(&p, kinds[kind], "1", NULL, "");
    for (int i = 0; i < 6; i++) p.label[i] = i == 2;
    for (int kind = 0; kind < KINDS; kind++) expect(&p, kinds[kind], "1", NULL, "");
    p.weight = calloc(6, sizeof *p.weight);
    for (int i = 0; i < 6; i++) p.weight[i] = i != 2;
    expect(&p, "multinomial", "1", "class 'c01' has no weight", "prior");
    problem_free(&p);
}

static void test_bits_are_told(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(17), 1);
    double x[18] = {1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0};
    for (int odd = 0; odd < 2; odd++) {
        struct problem p = small_problem(&rng, x);
        sepal_ctx_clear_warnings(ctx);
        sepal_data *data = problem_data(&p, ctx, false);
        struct fitted out = fit_well(data, "bernoulli", "1");
        assert_int_equal(warnings_of("not-bits"), odd);
        if (odd) assert_non_null(strstr(ctx->warnings[0].message, "column 'x2' of row 5 is -3"));
        linear_clear(&out.linear);
        data_free(data);
        problem_free(&p);
        x[13] = -3, x[17] = 0.5;
    }
}

/* The learner gaussian under another name. */
static void test_gaussian_kind(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(19), 1);
    for (size_t number = 0; number < 10; number++) {
        struct problem p = problem_new(&rng, 60, 1 + rng_below(&rng, 20), 2 + number % 4);
        if (number % 2) problem_weigh(&p, &rng);
        sepal_data *data = problem_data(&p, ctx, number % 3 == 0);
        struct fitted a = fit_well(data, "gaussian", "1");
        struct setting diagonal = {"covariance", "diagonal"};
        struct fitted b = fit_learner(data, "gaussian", &diagonal, 1);
        assert_int_equal(b.status, SEPAL_OK);
        assert_same(&a, &b);
        assert_memory_equal(a.linear.density->root, b.linear.density->root,
                            p.classes * p.cols * sizeof *b.linear.density->root);
        linear_clear(&a.linear);
        linear_clear(&b.linear);
        a = fit_kind(data, "gaussian", "0.5");
        assert_int_equal(a.status, SEPAL_EUSAGE);
        data_free(data);
        problem_free(&p);
    }
}

static void test_without_memory(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(18), 1);
    struct problem p = problem_new(&rng, 50, 7, 3);
    fill_counts(&p, &rng, true);
    ctx->threads = 1;
    for (int run = 0; run < 2 * KINDS; run++) {
        sepal_data *data = problem_data(&p, ctx, run % 2);
        struct fitted out = {.status = SEPAL_EMEMORY};
        size_t k = 0;
        while (out.status != SEPAL_OK && k < 200) {
            atomic_store(&ctx->faults[FAULT_ALLOC].calls, 0);
            ctx->faults[FAULT_ALLOC].from_then_on = true;
            ctx->faults[FAULT_ALLOC].fail_at = ++k + 3; /* the first ones make the parameters */
            out = fit_kind(data, kinds[run / 2], "1");
            ctx->faults[FAULT_ALLOC].fail_at = 0;
            assert_true(out.status == SEPAL_OK || out.status == SEPAL_EMEMORY);
        }
        assert_int_equal(out.status, SEPAL_OK);
        assert_true(k > 5);
        linear_clear(&out.linear);
        data_free(data);
    }
    problem_free(&p);
    ctx->threads = 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_weights_are_copies),
        cmocka_unit_test(test_threads_and_storage_change_nothing),
        cmocka_unit_test(test_ways_to_keep_values),
        cmocka_unit_test(test_many_columns),
        cmocka_unit_test(test_centred_rows),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_odd_data),
        cmocka_unit_test(test_bits_are_told),
        cmocka_unit_test(test_gaussian_kind),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
