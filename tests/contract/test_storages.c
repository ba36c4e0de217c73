/* How a block keeps its numbers is its own affair: each block chooses the least that holds them, so one
   matrix has singles beside doubles, and rows of ones beside rows of one value each. The same numbers,
   kept in doubles by all blocks, must give the same model by every learner and solver. */
#include "contract/strategy_problem.h"

/* Each row is 0 but for one value, so that equal rows are found; the blocks are singles, doubles that
   hold the same rows and others, and singles again. */
static struct problem draw_repeated(struct rng *rng, size_t cols) {
    struct problem p = problem_new(rng, 9000, cols, 2);
    size_t height = matrix_block_rows(cols);
    for (size_t i = 0; i < p.rows; i++) {
        double value = i / height == 1 && i % 2 ? 0.1 : 1;
        bool any = false;
        for (size_t j = 0; j < cols; j++) {
            bool there = rng_below(rng, 2);
            p.x[i * cols + j] = there ? value : 0;
            any = any || there;
        }
        p.label[i] = i < 2 ? (int)i : (int)(rng_unit(rng) < (any ? 0.3 : 0.6));
    }
    return p;
}

/* Numbers of at least 0: whole ones, then any, then quarters. */
static struct problem draw_numbers(struct rng *rng, size_t rows, size_t cols, size_t classes) {
    struct problem p = problem_new(rng, rows, cols, classes);
    size_t height = matrix_block_rows(cols);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++) {
            double x = fabs(p.x[i * cols + j]);
            size_t kind = i / height % 3;
            p.x[i * cols + j] = kind == 0 ? floor(3 * x) : kind == 1 ? x : floor(4 * x) / 4;
        }
    return p;
}

/* Blocks of ones, of one value a row, of singles and of doubles. */
static struct problem draw_sparse(struct rng *rng, size_t cols, size_t classes) {
    size_t height = matrix_block_rows(cols);
    struct problem p = problem_new(rng, 4 * height + 50, cols, classes);
    for (size_t i = 0; i < p.rows; i++) {
        double row_value = 0.5 + rng_unit(rng);
        for (size_t j = 0; j < cols; j++) {
            double *x = &p.x[i * cols + j], value = 0.1 + fabs(*x);
            size_t kind = i / height % 4;
            bool there = rng_below(rng, 100) < (j % classes == (size_t)p.label[i] ? 6 : 4);
            if (kind == 0) value = 1;
            if (kind == 1) value = row_value;
            if (kind == 2) value = (double)(float)value;
            *x = there ? value : 0;
        }
    }
    return p;
}

static void widen_dense(struct matrix *x) {
    for (size_t b = 0; b < x->n_blocks; b++) {
        struct block *block = &x->blocks[b];
        if (!block->f32) continue;
        block->f64 = mem_alloc(ctx, block->rows * x->cols, sizeof *block->f64);
        assert_non_null(block->f64);
        for (size_t k = 0; k < block->rows * x->cols; k++) block->f64[k] = (double)block->f32[k];
        mem_free(block->f32);
        block->f32 = NULL;
        block->values = VALUES_F64;
    }
}

struct pair {
    sepal_data *mixed, *uniform;
};

/* The first block must not be like all others, or the test is none. */
static void expect_kinds(const struct matrix *x, size_t kinds) {
    bool seen[VALUES_F64 + 1] = {false};
    size_t n = 0;
    for (size_t b = 0; b < x->n_blocks; b++) seen[x->blocks[b].values] = true;
    for (size_t k = 0; k <= VALUES_F64; k++) n += seen[k];
    assert_int_equal(n, kinds);
}

static struct pair make_pair(struct problem *p, bool sparse) {
    struct pair pair;
    pair.uniform = problem_data(p, ctx, sparse);
    if (sparse) {
        size_t *rows = malloc(p->rows * sizeof *rows);
        assert_non_null(rows);
        for (size_t i = 0; i < p->rows; i++) rows[i] = i;
        assert_int_equal(data_select(&pair.mixed, ctx, pair.uniform, rows, p->rows), SEPAL_OK);
        free(rows);
    } else {
        pair.mixed = problem_data(p, ctx, false);
        widen_dense(&pair.uniform->matrix);
    }
    expect_kinds(&pair.mixed->matrix, sparse ? 4 : 2);
    expect_kinds(&pair.uniform->matrix, 1);
    problem_free(p);
    return pair;
}

static void free_pair(struct pair *pair) {
    data_free(pair->mixed);
    data_free(pair->uniform);
}

struct asking {
    const char *spec, *options;
    double near; /* of scores, beside their spread */
};

static double *fit_scores(const sepal_data *data, const struct asking *a, size_t *n) {
    sepal_model *model = NULL;
    if (sepal_model_fit(&model, NULL, ctx, a->spec, data, a->options) != SEPAL_OK)
        fail_msg("%s, %s: %s", a->spec, a->options, ctx->error.message);
    *n = data->matrix.rows * model->linear.rows;
    double *out = scores_of(model, data);
    sepal_model_free(model);
    return out;
}

static void expect_same(const struct pair *pair, const struct asking *asked, size_t n) {
    for (size_t k = 0; k < n; k++) {
        size_t scores, others;
        double *mixed = fit_scores(pair->mixed, &asked[k], &scores), most = 0, apart = 0;
        double *uniform = fit_scores(pair->uniform, &asked[k], &others);
        assert_int_equal(scores, others);
        for (size_t i = 0; i < scores; i++) {
            most = fmax(most, fabs(uniform[i]));
            assert_true(isfinite(mixed[i]) && isfinite(uniform[i]));
            apart = fmax(apart, fabs(mixed[i] - uniform[i]));
        }
        if (!(apart <= asked[k].near * most))
            fail_msg("%s, %s: scores up to %g are %g apart", asked[k].spec, asked[k].options, most,
                     apart);
        free(mixed);
        free(uniform);
    }
}

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const struct asking CONVEX[] = {
    {"logistic(C=1)", "solver=newton, tol=1e-12", 1e-5},
    {"logistic(C=1)", "solver=newton-cg, tol=1e-12", 1e-5},
    {"logistic(C=1)", "solver=lbfgs, tol=1e-11", 1e-4},
    {"logistic(C=0.01)", "solver=dual, tol=1e-11", 1e-4},
    {"logistic(penalty=l1, l1=0.003)", "solver=prox-newton, tol=1e-12", 1e-4},
    {"logistic(l1=0.003, l2=0.003)", "tol=1e-12", 1e-4},
    {"logistic(C=1, epochs=2)", "solver=sgd", 1e-9},
    {"softmax(C=1, epochs=2)", "solver=sgd", 1e-9},
    {"svm(loss=squared_hinge, C=0.01)", "solver=newton, tol=1e-12", 1e-4},
    {"svm(loss=squared_hinge, C=0.01)", "solver=dual, tol=1e-11", 1e-4},
    {"svm(loss=hinge, l2=0.1)", "solver=interior, tol=1e-10", 1e-3},
    {"svm(loss=hinge, l2=0.1)", "solver=dual, tol=1e-10", 1e-3},
    {"svm(loss=hinge, l2=0.1)", "solver=augmented, tol=1e-10", 1e-3},
};
/* Of those the first. */
enum { NEWTON = 1 };
static const struct asking CLOSED[] = {
    {"least-squares", NULL, 1e-9},
    {"least-squares(l2=0.1)", "solver=normal", 1e-9},
    {"least-squares(l2=0.1)", "solver=qr", 1e-9},
    {"least-squares(l2=0.1)", "solver=lsqr, tol=1e-12", 1e-6},
    {"mean-difference", NULL, 1e-9},
    {"fisher", NULL, 1e-9},
    {"lda", NULL, 1e-9},
    {"lda(shrinkage=0.1)", NULL, 1e-9},
    {"perceptron", "max-iter=3", 1e-9},
    {"perceptron(variant=batch)", "max-iter=3", 1e-9},
    {"gaussian(covariance=diagonal)", NULL, 1e-9},
    {"naive-bayes", NULL, 1e-9},
    {"naive-bayes(kind=bernoulli)", NULL, 1e-9},
    {"standardize | least-squares(l2=0.1)", NULL, 1e-9},
    {"minmax | logistic(C=1)", "tol=1e-12", 1e-4},
};
static const struct asking WIDE[] = {
    {"lda(shrinkage=0.1)", NULL, 1e-9},
    {"least-squares(l2=0.1)", NULL, 1e-9},
    {"logistic(C=0.1)", "solver=newton-cg, tol=1e-11", 1e-4},
    {"logistic(C=0.1) | ovr", "solver=dual, tol=1e-7", 1e-2},
    {"svm(loss=squared_hinge, C=0.1) | ovr", "solver=dual, tol=1e-7", 1e-2},
    {"logistic(penalty=l1, l1=0.003)", "tol=1e-9", 1e-2},
    {"perceptron", "max-iter=3", 1e-9},
    {"naive-bayes", NULL, 1e-9},
};

static void test_repeated_rows(void **state) {
    (void)state;
    for (size_t cols = 1; cols <= 3; cols++) {
        struct rng rng = rng_make(test_seed(81), cols);
        struct problem p = draw_repeated(&rng, cols);
        struct pair pair = make_pair(&p, false);
        expect_same(&pair, CONVEX, cols == 1 ? COUNT(CONVEX) : NEWTON);
        free_pair(&pair);
    }
}

static void test_dense(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(82), 1);
    struct problem p = draw_numbers(&rng, 9000, 4, 2);
    struct pair pair = make_pair(&p, false);
    expect_same(&pair, CONVEX, COUNT(CONVEX));
    expect_same(&pair, CLOSED, COUNT(CLOSED));
    free_pair(&pair);
}

static void test_dense_wide(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(83), 1);
    struct problem p = draw_numbers(&rng, 800, 300, 3);
    struct pair pair = make_pair(&p, false);
    expect_same(&pair, WIDE, COUNT(WIDE));
    free_pair(&pair);
}

static void test_sparse(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(84), 1);
    struct problem p = draw_sparse(&rng, 600, 2);
    struct pair pair = make_pair(&p, true);
    expect_same(&pair, CONVEX, COUNT(CONVEX));
    expect_same(&pair, CLOSED, COUNT(CLOSED));
    free_pair(&pair);
    p = draw_sparse(&rng, 600, 3);
    pair = make_pair(&p, true);
    expect_same(&pair, WIDE, COUNT(WIDE));
    free_pair(&pair);
}

/* A sparse block may have no entry at all. */
static void test_empty_blocks(void **state) {
    (void)state;
    enum { COLS = 20 };
    struct rng rng = rng_make(test_seed(86), 1);
    size_t height = matrix_block_rows(COLS), *rows = malloc((2 * height + COLS) * sizeof *rows);
    struct problem p = problem_new(&rng, 2 * height + COLS, COLS, 2);
    assert_non_null(rows);
    for (size_t i = 0; i < p.rows; i++) {
        rows[i] = i;
        for (size_t j = 0; j < COLS; j++)
            p.x[i * COLS + j] = i >= 2 * height && j == i - 2 * height ? 1 : 0;
    }
    sepal_data *whole = problem_data(&p, ctx, true), *kept = NULL;
    assert_int_equal(data_select(&kept, ctx, whole, rows, p.rows), SEPAL_OK);
    struct pair pair = {.mixed = kept, .uniform = whole};
    expect_same(&pair, CONVEX, COUNT(CONVEX));
    expect_same(&pair, CLOSED, COUNT(CLOSED));
    free_pair(&pair);
    problem_free(&p);
    free(rows);
}

/* Equal rows of two classes are found, whatever their blocks keep them in, and so is a hyperplane. */
static void test_separable(void **state) {
    (void)state;
    static const size_t cols = 3;
    for (int equal = 0; equal < 2; equal++) {
        struct rng rng = rng_make(test_seed(85), 1);
        struct problem p = draw_repeated(&rng, cols);
        for (size_t i = 0; i < p.rows; i++) {
            p.x[i * cols] = i % 2 ? 1 : 0.5;
            p.label[i] = i % 2;
        }
        /* the last row, of singles, and one of the block of doubles */
        size_t last = p.rows - 1, other = matrix_block_rows(cols);
        memcpy(p.x + last * cols, p.x + other * cols, cols * sizeof *p.x);
        p.label[last] = equal ? !p.label[other] : p.label[other];
        struct pair pair = make_pair(&p, false);
        for (int k = 0; k < 2; k++) {
            const sepal_data *data = k ? pair.uniform : pair.mixed;
            sepal_report *report = NULL;
            assert_int_equal(sepal_data_separable(&report, NULL, ctx, data, NULL, NULL), SEPAL_OK);
            assert_true(sepal_report_number(report, "separable") == (equal ? 0 : 1));
            sepal_report_free(report);
        }
        free_pair(&pair);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_repeated_rows, set_up_one_thread, tear_down),
        cmocka_unit_test_setup_teardown(test_empty_blocks, set_up_one_thread, tear_down),
        cmocka_unit_test_setup_teardown(test_dense, set_up_one_thread, tear_down),
        cmocka_unit_test_setup_teardown(test_dense_wide, set_up_one_thread, tear_down),
        cmocka_unit_test_setup_teardown(test_sparse, set_up_one_thread, tear_down),
        cmocka_unit_test_setup_teardown(test_separable, set_up_one_thread, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
