/* mean-difference, fisher, lda and gaussian where data is large: many columns, many classes, weights as
   copies, threads, and memory that fails. */
#include "contract/discriminant_problem.h"

#include "statistics/whiten.h"

#include "fixture.h"

/* ---- many columns -------------------------------------------------------------------------- */

/* What shrinkage adds to each column's square: the same everywhere, or in proportion to it. */
static long double *find_ridge(const struct problem *p, const long double *z, long double total,
                               double alpha, bool standardized) {
    size_t cols = p->cols;
    long double *ridge = long_zeros(cols), trace = 0;
    for (size_t i = 0; i < p->rows * cols; i++) {
        long double square = problem_weight(p, i / cols) * z[i] * z[i];
        ridge[i % cols] += square, trace += square;
    }
    for (size_t j = 0; j < cols; j++) {
        if (!standardized) ridge[j] = trace / (long double)cols;
        ridge[j] = alpha * (ridge[j] > 0 ? ridge[j] : total);
    }
    return ridge;
}

/* Ledoit and Wolf's intensity in units of standard deviations, by the products of rows. */
static double lanes_intensity(const struct problem *p, const long double *z,
                              const long double *ridge, long double total, double alpha) {
    size_t cols = p->cols;
    long double squares = 0, fourth = 0, trace = 0;
    for (size_t i = 0; i < p->rows * p->rows; i++) {
        size_t a = i / p->rows, b = i % p->rows;
        long double dot = 0;
        for (size_t j = 0; j < cols; j++)
            dot += z[a * cols + j] * z[b * cols + j] / (ridge[j] / alpha / total);
        squares += problem_weight(p, a) * problem_weight(p, b) * dot * dot;
        if (a == b) fourth += problem_weight(p, a) * dot * dot, trace += problem_weight(p, a) * dot;
    }
    squares /= total * total, fourth /= total, trace /= total;
    return (double)fminl(1, (fourth - squares) / total /
                                (squares - trace * trace / (long double)cols));
}

/* Columns for which no square matrix is made: ((1 - a) S + ridge) w = N (m_k - m). */
static void test_wide(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(44), 1);
    static const char *const texts[] = {"shrinkage=0.2", "shrinkage=auto", "shrinkage=1e-5"};
    for (size_t number = 0; number < 6; number++) {
        size_t cols = 12000, classes = 2 + number % 3, rows = 30;
        struct problem p = problem_new(&rng, rows, cols, classes);
        for (size_t i = 0; i < rows * cols && number % 2; i++)
            if (rng_below(&rng, 6)) p.x[i] = 0;
        if (number > 2) problem_weigh(&p, &rng);
        for (size_t i = 0; p.weight && i < rows; i++) p.weight[i] += 1;
        p.label[classes] = 0;
        struct answer out = learn_problem(ctx, &p, number % 2, "lda", texts[number % 3]);
        assert_non_null(strstr(out.solver, "space of 30 rows"));
        long double *z = long_zeros(rows * cols), *mean = long_zeros(classes * cols);
        long double weight[4] = {0}, total = 0;
        for (size_t i = 0; i < rows; i++) {
            weight[p.label[i]] += problem_weight(&p, i), total += problem_weight(&p, i);
            for (size_t j = 0; j < cols; j++)
                mean[(size_t)p.label[i] * cols + j] += problem_weight(&p, i) * p.x[i * cols + j];
        }
        for (size_t i = 0; i < classes * cols; i++) mean[i] /= weight[i / cols];
        for (size_t i = 0; i < rows * cols; i++)
            z[i] = p.x[i] - mean[(size_t)p.label[i / cols] * cols + i % cols];
        bool standardized = number % 3 == 1;
        long double alpha = out.shrinkage;
        long double *ridge = find_ridge(&p, z, total, out.shrinkage, standardized);
        if (standardized)
            check_small("the intensity", number,
                        fabs(out.shrinkage - lanes_intensity(&p, z, ridge, total, out.shrinkage)),
                        1e-12);
        for (size_t r = 0; r < out.linear.rows; r++) {
            const double *w = out.linear.w + r * cols;
            long double *left = long_zeros(cols), off = 0, size = 0;
            for (size_t i = 0; i < rows; i++) {
                long double dot = 0;
                for (size_t j = 0; j < cols; j++) dot += z[i * cols + j] * w[j];
                for (size_t j = 0; j < cols; j++)
                    left[j] += (1 - alpha) * problem_weight(&p, i) * dot * z[i * cols + j];
            }
            for (size_t j = 0; j < cols; j++) {
                long double all = 0, right;
                for (size_t k = 0; k < classes; k++) all += weight[k] * mean[k * cols + j] / total;
                right = classes == 2 ? mean[cols + j] - mean[j] : mean[r * cols + j] - all;
                right *= total;
                off += powl(left[j] + ridge[j] * w[j] - right, 2) / ridge[j];
                size += right * right / ridge[j];
            }
            check_small("S w - d", number, (double)(sqrtl(off / size) * alpha / (long double)cols),
                        1e-16);
            free(left);
        }
        assert_int_equal(out.linear.n_axes, classes - 1);
        free(z), free(mean), free(ridge);
        linear_clear(&out.linear);
        problem_free(&p);
    }
}

static void test_too_wide(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(45), 1);
    struct problem p = problem_new(&rng, 12, 12000, 2);
    sepal_data *data = problem_data(&p, ctx, false);
    /* few rows: their own space will do without shrinkage, too */
    struct answer out = learn(ctx, data, "lda", NULL);
    assert_int_equal(out.status, SEPAL_OK);
    linear_clear(&out.linear);
    data_free(data);
    problem_free(&p);

    struct matrix wide = {0};
    data = data_new(ctx);
    assert_non_null(data);
    static int32_t label[13000];
    assert_int_equal(matrix_init(&wide, ctx, 13000, 20000, true), SEPAL_OK);
    for (size_t b = 0; b < wide.n_blocks; b++) { /* a diagonal of ones, and a full first column */
        struct block *block = &wide.blocks[b];
        block->values = VALUES_ONES;
        assert_int_equal(block_alloc(ctx, block, 20000, 2 * block->rows), SEPAL_OK);
        for (size_t i = 0; i <= block->rows; i++) block->start[i] = 2 * i;
        for (size_t i = 0; i < block->rows; i++) {
            label[block->first_row + i] = (int32_t)(i % 2);
            block->index[2 * i] = 0;
            block->index[2 * i + 1] = (uint32_t)(1 + block->first_row + i);
        }
    }
    struct schema *schema = schema_new(ctx);
    const char *classes[] = {"a", "b"};
    schema->n_classes = 2, schema->classes = classes;
    data->matrix = wide, data->schema = schema, data->label = label, data->total_weight = 13000;
    static const char *const texts[] = {NULL, "shrinkage=auto"};
    static const char *const names[] = {"lda", "fisher"};
    for (size_t c = 0; c < 4; c++) {
        out = learn(ctx, data, names[c / 2], texts[c % 2]);
        assert_int_equal(out.status, SEPAL_EDATA);
        assert_non_null(strstr(ctx->error.message, "1.35 GB"));
    }
    out = learn(ctx, data, "gaussian", NULL);
    assert_int_equal(out.status, SEPAL_EDATA);
    assert_non_null(strstr(ctx->error.message, "GB"));
    out = learn(ctx, data, "mean-difference", NULL); /* needs no such matrix */
    assert_int_equal(out.status, SEPAL_OK);
    linear_clear(&out.linear);
    out = learn(ctx, data, "gaussian", "covariance=diagonal");
    assert_int_equal(out.status, SEPAL_OK);
    linear_clear(&out.linear);
    data->label = NULL;
    data_free(data);
}

/* ---- many classes -------------------------------------------------------------------------- */

static void test_a_thousand_classes(void **state) {
    (void)state;
    enum { CLASSES = 1000, COLS = 20, ROWS = 3001 };
    struct rng rng = rng_make(test_seed(46), 1);
    static double x[ROWS * COLS];
    static char names[CLASSES][8];
    static const char *labels[ROWS];
    for (size_t k = 0; k < CLASSES; k++) snprintf(names[k], sizeof names[k], "k%03zu", k);
    for (size_t i = 0; i < ROWS; i++) {
        size_t k = i < CLASSES ? i : 1 + rng_below(&rng, CLASSES - 1); /* class 0 has one row */
        labels[i] = names[k];
        for (size_t j = 0; j < COLS; j++)
            x[i * COLS + j] = normal(&rng) + 5 * sin((double)(k * (j + 1)));
    }
    sepal_data *data;
    assert_int_equal(data_from_dense(&data, ctx, x, ROWS, COLS, labels, NULL), SEPAL_OK);
    static const char *const cases[][2] = {{"lda", NULL},
                                           {"gaussian", "covariance=shared"},
                                           {"gaussian", "covariance=diagonal"},
                                           {"gaussian", "covariance=spherical"}};
    for (size_t c = 0; c < 4; c++) {
        sepal_ctx_clear_warnings(ctx);
        struct answer out = learn(ctx, data, cases[c][0], cases[c][1]);
        if (out.status != SEPAL_OK) fail_msg("%s", ctx->error.message);
        assert_int_equal(has_warned(ctx, "zero-variance"), c > 1);
        int32_t *found = malloc(ROWS * sizeof *found);
        assert_int_equal(linear_predict(found, ctx, &out.linear, &data->matrix), SEPAL_OK);
        size_t right = 0;
        for (size_t i = 0; i < ROWS; i++) right += found[i] == data->label[i];
        if (c < 2) assert_true(right > ROWS * 9 / 10);
        if (c < 2) assert_int_equal(out.linear.n_axes, COLS);
        free(found);
        linear_clear(&out.linear);
    }
    data_free(data);
}

/* ---- rows and threads ---------------------------------------------------------------------- */

static const struct {
    const char *name, *text;
} every[] = {{"lda", NULL},
             {"lda", "shrinkage=auto"},
             {"gaussian", NULL},
             {"gaussian", "shrinkage=auto, estimate=ml"},
             {"gaussian", "covariance=shared, shrinkage=0.1"},
             {"gaussian", "covariance=diagonal"},
             {"gaussian", "covariance=diagonal, shrinkage=auto"},
             {"gaussian", "covariance=spherical"},
             {"fisher", "cut=gauss"},
             {"fisher", "shrinkage=auto"},
             {"mean-difference", "cut=gauss"}};
enum { EVERY = sizeof every / sizeof *every };

static bool only_two(const char *name) {
    return strcmp(name, "fisher") == 0 || strcmp(name, "mean-difference") == 0;
}

/* Weight k is k copies. */
static void test_weights_are_copies(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(47), 1);
    for (size_t number = 0; number < 5 * EVERY; number++) {
        const char *name = every[number % EVERY].name, *text = every[number % EVERY].text;
        size_t classes = only_two(name) ? 2 : 2 + rng_below(&rng, 4);
        size_t cols = 1 + rng_below(&rng, 12);
        struct problem p = problem_new(&rng, classes * (2 * cols + 6), cols, classes);
        struct problem copies = problem_new(&rng, 4 * p.rows, cols, classes);
        for (size_t i = 0; i < p.rows; i++) p.label[i] = (int)(i % classes);
        problem_weigh(&p, &rng);
        size_t n = 0;
        for (size_t i = 0; i < p.rows; i++) {
            size_t k = 1 + rng_below(&rng, 3);
            p.weight[i] = (double)k;
            for (size_t c = 0; c < k; c++, n++) {
                memcpy(copies.x + n * cols, p.x + i * cols, cols * sizeof *p.x);
                copies.label[n] = p.label[i];
            }
        }
        copies.rows = n;
        struct answer a = learn_problem(ctx, &p, number % 2, name, text);
        struct answer b = learn_problem(ctx, &copies, number % 2, name, text);
        check_small("the effect of copying", number, weights_differ(&p, &a.linear, &b.linear),
                    1e-10);
        double *at_p = scores_of(ctx, &p, false, &a.linear);
        double *at_q = scores_of(ctx, &p, false, &b.linear);
        for (size_t i = 0; i < p.rows * a.linear.rows; i++)
            check_small("the effect on scores", number,
                        fabs(at_p[i] - at_q[i]) / (1 + fabs(at_p[i])), 1e-9);
        check_small("the effect on the objective", number,
                    fabs(a.objective - b.objective) / (1 + fabs(a.objective)), 1e-10);
        free(at_p), free(at_q);
        linear_clear(&a.linear);
        linear_clear(&b.linear);
        problem_free(&p);
        problem_free(&copies);
    }
}

static void same_bits(const struct linear *a, const struct linear *b) {
    size_t cells = a->rows * a->cols;
    assert_memory_equal(a->w, b->w, cells * sizeof(double));
    assert_memory_equal(a->b, b->b, a->rows * sizeof(double));
    assert_memory_equal(a->centre, b->centre, a->cols * sizeof(double));
    assert_int_equal(a->n_axes, b->n_axes);
    if (a->axes) assert_memory_equal(a->axes, b->axes, a->n_axes * a->cols * sizeof(double));
    if (!a->density) return;
    size_t root = density_root_size(a->density->kind, a->classes, a->cols);
    assert_memory_equal(a->density->root, b->density->root, root * sizeof(double));
    assert_memory_equal(a->density->constant, b->density->constant, a->classes * sizeof(double));
}

static void test_threads_change_nothing(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(48), 1);
    static const unsigned threads[] = {1, 2, 3, 7};
    static const size_t shapes[][2] = {{9000, 20}, {1500, 300}, {3000, 1}};
    for (size_t number = 0; number < 3 * EVERY; number++) {
        const char *name = every[number % EVERY].name, *text = every[number % EVERY].text;
        const size_t *shape = shapes[number / EVERY];
        struct problem p = problem_new(&rng, shape[0], shape[1], only_two(name) ? 2 : 4);
        bool sparse = number % 2;
        for (size_t i = 0; i < p.rows * p.cols && sparse; i++)
            if (rng_below(&rng, 3)) p.x[i] = 0;
        if (number % 3 == 0) problem_weigh(&p, &rng);
        struct answer first = {0};
        for (size_t t = 0; t < 4; t++) {
            ctx->threads = threads[t];
            struct answer out = learn_problem(ctx, &p, sparse, name, text);
            if (t == 0) {
                first = out;
                continue;
            }
            same_bits(&first.linear, &out.linear);
            assert_true(first.objective == out.objective);
            linear_clear(&out.linear);
        }
        linear_clear(&first.linear);
        problem_free(&p);
    }
    ctx->threads = 0;
}

/* ---- memory -------------------------------------------------------------------------------- */

/* Whichever allocation fails, the fit says so and leaks nothing. */
static void test_memory_fails(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(49), 1);
    size_t points = 0;
    ctx->threads = 1;
    for (size_t number = 0; number < 2 * EVERY + 4; number++) {
        const char *name = every[number % EVERY].name, *text = every[number % EVERY].text;
        bool flawed = number >= 2 * EVERY;
        size_t cols = number < EVERY ? 4 : 140;
        if (flawed) name = number % 2 ? "lda" : "fisher", text = NULL, cols = 12;
        struct problem p = problem_new(&rng, number < EVERY || flawed ? 60 : 450, cols, 2);
        for (size_t i = 0; i < p.rows && flawed; i++) p.x[i * cols] = p.x[i * cols + 1];
        if (number >= 2 * EVERY + 2) p.rows = 5;
        sepal_data *data = problem_data(&p, ctx, number % 2);
        sepal_status status = SEPAL_EMEMORY;
        for (size_t k = 1; status != SEPAL_OK; k++, points++) {
            ctx->faults[FAULT_ALLOC].calls = 0;
            ctx->faults[FAULT_ALLOC].fail_at = k;
            struct answer out = learn(ctx, data, name, text);
            ctx->faults[FAULT_ALLOC].fail_at = 0;
            status = out.status;
            if (status == SEPAL_OK) linear_clear(&out.linear);
            if (status != SEPAL_OK) assert_int_equal(status, SEPAL_EMEMORY);
            assert_true(k < 2000);
        }
        data_free(data);
        problem_free(&p);
    }
    ctx->threads = 0;
    printf("COUNT injection-points %zu 0\n", points);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_too_wide),
        cmocka_unit_test(test_a_thousand_classes),
        cmocka_unit_test(test_weights_are_copies),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_memory_fails),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
