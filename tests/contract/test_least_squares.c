/* Facts that hold for every least-squares solution, over random problems of all shapes:
   more columns than rows, constant and duplicate columns, weights, ridge, features of very different
   scales, means of 1e8, dense and sparse storage. Sums are taken in long double by plain loops. */
#include "contract/least_squares_problem.h"

#include "statistics/whiten.h"

#include "fixture.h"

enum { PROBLEMS = 400 };

/* ---- random problems ---------------------------------------------------------------------- */

struct shape {
    bool constant, duplicate, scaled, shifted, weighted, sparse, ridge, bias;
};

static void copy_column(struct problem *p, size_t from, size_t to) {
    for (size_t i = 0; i < p->rows; i++) p->x[i * p->cols + to] = p->x[i * p->cols + from];
}

static struct problem random_problem(struct rng *rng, struct shape *s) {
    size_t classes = 2 + rng_below(rng, 11), rows = classes + rng_below(rng, 299 - classes);
    size_t cols = 1 + rng_below(rng, 60);
    if (rng_below(rng, 3) == 0) rows = classes + rng_below(rng, 40);
    struct problem p = problem_new(rng, rows, cols, classes);
    *s = (struct shape){.constant = rng_below(rng, 4) == 0,
                        .duplicate = rng_below(rng, 4) == 0,
                        .scaled = rng_below(rng, 3) == 0,
                        .weighted = rng_below(rng, 2) == 0,
                        .sparse = rng_below(rng, 2) == 0,
                        .ridge = rng_below(rng, 3) == 0,
                        .bias = rng_below(rng, 8) != 0};
    s->shifted = !s->sparse && s->bias && rng_below(rng, 3) == 0;
    for (size_t j = 0; j < cols; j++) {
        double scale = s->scaled ? pow(10, 12 * rng_unit(rng) - 6) : 1;
        double mean = s->shifted ? 1e8 * scale : 0;
        for (size_t i = 0; i < rows; i++) {
            double *x = &p.x[i * cols + j];
            if (s->sparse && rng_below(rng, 3)) *x = 0;
            *x = mean + scale * *x;
        }
    }
    if (s->duplicate && cols > 1) copy_column(&p, 0, cols - 1);
    for (size_t i = 0; s->constant && i < rows; i++) p.x[i * cols + cols / 2] = 0.1;
    if (s->weighted) problem_weigh(&p, rng);
    return p;
}

/* Without ridge r = T - XW is orthogonal to the columns, with it X'r = N l2 W; and the sum of r is
   zero. Taken around the means, which with a sum of zero is the same and keeps digits. A column has the
   norm that the ridge leaves it, since it is factored so: |x|^2 + N l2. */
static double orthogonality(const struct problem *p, const struct linear *linear, double l2) {
    double worst = 0;
    for (size_t r = 0; r < linear->rows; r++) {
        long double sum = 0, total = 0, targets = 0;
        for (size_t i = 0; i < p->rows; i++) {
            double t = target_of(p, i, r), weight = problem_weight(p, i);
            sum += weight * (t - score_of(linear, p->x + i * p->cols, r));
            total += weight, targets += weight * t * t;
        }
        double size = (double)sqrtl(targets);
        if (linear->centre) worst = fmax(worst, (double)(fabsl(sum) / sqrtl(total)) / size);
        for (size_t j = 0; j < p->cols; j++) {
            long double g = -(long double)l2 * total * linear->w[r * p->cols + j];
            long double squares = l2 * total;
            for (size_t i = 0; i < p->rows; i++) {
                const double *row = p->x + i * p->cols;
                long double x = row[j] - (linear->centre ? (long double)linear->centre[j] : 0);
                g += problem_weight(p, i) * x * (target_of(p, i, r) - score_of(linear, row, r));
                squares += problem_weight(p, i) * x * x;
            }
            if (squares > 0) worst = fmax(worst, (double)(fabsl(g) / sqrtl(squares)) / size);
        }
    }
    return worst;
}

/* K outputs sum to 1 at any point, and average to the class frequencies. */
static double sum_of_outputs(const struct problem *p, const struct linear *linear,
                             struct rng *rng) {
    double worst = 0;
    double *x = malloc(p->cols * sizeof *x);
    assert_non_null(x);
    for (int trial = 0; trial < 10; trial++) {
        size_t a = rng_below(rng, p->rows), b = rng_below(rng, p->rows);
        long double sum = 0, size = 1;
        for (size_t j = 0; j < p->cols; j++)
            x[j] = p->x[a * p->cols + j] + 3 * normal(rng) * (p->x[b * p->cols + j] - p->x[j]);
        for (size_t r = 0; r < linear->rows; r++) {
            for (size_t j = 0; j < p->cols; j++)
                size += fabsl(((long double)x[j] - linear->centre[j]) * linear->w[r * p->cols + j]);
            sum += score_of(linear, x, r);
        }
        worst = fmax(worst, (double)(fabsl(sum - 1) / size));
    }
    free(x);
    return worst;
}

/* The columns around their means if there is a bias, with a root of the weight in each row and the
   ridge below, all of unit norm or 0; cols x height. */
static double *unit_columns(const struct problem *p, bool bias, double l2, size_t *height) {
    size_t n = *height = p->rows + p->cols;
    double *out = calloc(n * p->cols, sizeof *out);
    long double total = 0;
    assert_non_null(out);
    for (size_t i = 0; i < p->rows; i++) total += problem_weight(p, i);
    for (size_t j = 0; j < p->cols; j++) {
        double *column = out + j * n;
        long double mean = 0, size = 0, squares = l2 * total;
        for (size_t i = 0; i < p->rows; i++)
            size += problem_weight(p, i) * fabsl((long double)p->x[i * p->cols + j]) / total;
        for (size_t pass = 0; pass < 2; pass++) { /* the second takes the rounding of the first */
            long double sum = 0;
            for (size_t i = 0; i < p->rows; i++)
                sum += problem_weight(p, i) * (p->x[i * p->cols + j] - mean);
            mean += sum / total;
        }
        for (size_t pass = 0; pass < 2; pass++) {
            long double norm = sqrtl(squares);
            bool none = norm <= 1e-15L * size * sqrtl(total); /* the rounding of a constant */
            column[p->rows + j] = pass && !none ? (double)(sqrtl(l2 * total) / norm) : 0;
            for (size_t i = 0; i < p->rows; i++) {
                long double x = p->x[i * p->cols + j] - (bias ? mean : 0);
                x *= sqrtl(problem_weight(p, i));
                if (pass == 0) squares += x * x;
                if (pass == 1) column[i] = none ? 0 : (double)(x / norm);
            }
        }
    }
    return out;
}

/* Their rank, and the largest over the least singular value that counts to it. */
static size_t rank_of(double *condition, const struct problem *p, bool bias, double l2) {
    size_t n, rank = 0;
    double *z = unit_columns(p, bias, l2, &n), first = 0, last = 0;
    jacobi_rows(z, p->cols, n, ctx->kernels);
    for (size_t j = 0; j < p->cols; j++) {
        double size = sqrt(ctx->kernels->dot_f64(z + j * n, z + j * n, n));
        first = fmax(first, size);
        if (!(size > 1e-11 * first)) break;
        last = size;
        rank++;
    }
    free(z);
    *condition = rank ? first / last : 1;
    return rank;
}

/* The report's residual is measured by the columns as they are, not by what the ridge makes of them. */
static double ridge_ratio(const struct problem *p, const struct linear *linear, double l2) {
    double worst = 1;
    for (size_t j = 0; j < p->cols; j++) {
        double total = 0, squares = 0;
        for (size_t i = 0; i < p->rows; i++) {
            double x = p->x[i * p->cols + j] - (linear->centre ? linear->centre[j] : 0);
            total += problem_weight(p, i);
            squares += problem_weight(p, i) * x * x;
        }
        if (squares > 0) worst = fmax(worst, sqrt(1 + l2 * total / squares));
    }
    return worst;
}

/* Weights of equal columns, as far as what a column adds to the outputs is more than their rounding. */
static void check_equal_columns(size_t number, const struct problem *p, const double *w) {
    double squares = 0, total = 0, last = w[p->cols - 1];
    for (size_t i = 0; i < p->rows; i++) {
        total += problem_weight(p, i);
        squares += problem_weight(p, i) * p->x[i * p->cols] * p->x[i * p->cols];
    }
    double rounding = 1e-15 * sqrt(total / squares);
    check_small("weights of equal columns differ, which", number,
                fabs(w[0] - last) / (fabs(w[0]) + fabs(last) + rounding / 1e-8), 1e-8);
}

static void check_problems(struct rng rng, size_t problems) {
    for (size_t number = 0; number < problems; number++) {
        struct shape s;
        struct problem p = random_problem(&rng, &s);
        double l2 = s.ridge ? 0.01 : 0;
        sepal_ctx_clear_warnings(ctx);
        struct outcome out = fit_problem(
            ctx, &p, s.sparse,
            (struct asked){.l2 = s.ridge ? "0.01" : "0", .bias = s.bias ? "true" : "false"});
        double condition;
        size_t rank = rank_of(&condition, &p, s.bias, l2);
        check_small("X'r", number, orthogonality(&p, &out.linear, l2), 1e-11);
        check_small("the reported residual", number, out.residual,
                    1e-11 * ridge_ratio(&p, &out.linear, l2));
        /* the weights of each output have errors of their own, which the condition multiplies: twice where
           X'r vanishes to rounding alone, as after normal equations, which serve moderate ones */
        double rounding = fmax(1e-11, 8 * DBL_EPSILON * condition);
        rounding = fmax(rounding, fmin(1e-9, DBL_EPSILON * condition * condition));
        if (p.classes > 2 && s.bias)
            check_small("the sum of outputs less 1", number, sum_of_outputs(&p, &out.linear, &rng),
                        rounding);
        size_t last = p.cols - 1, middle = p.cols / 2;
        bool distinct = p.cols > 1 && middle != 0 && middle != last;
        for (size_t r = 0; r < out.linear.rows; r++) {
            const double *w = out.linear.w + r * p.cols;
            if (s.constant && s.bias) assert_true(w[middle] == 0);
            if (s.duplicate && distinct) check_equal_columns(number, &p, w);
        }
        /* columns with many zeros may depend on each other without having been made to */
        bool dependent =
            (s.duplicate && p.cols > 1) || (s.constant && s.bias) || p.rows < p.cols + s.bias;
        if (!s.ridge) assert_true(rank < p.cols || !dependent);
        assert_int_equal(has_warned(ctx, "rank-deficient"), !s.ridge && rank < p.cols);
        linear_clear(&out.linear);
        problem_free(&p);
    }
}

static void test_random_problems(void **state) {
    (void)state;
    check_problems(rng_make(test_seed(1), 1), PROBLEMS);
    for (uint64_t k = 2; k <= 3; k++) {
        /* fixed: equal columns of 1e6 beside columns of 1e-6, with and without a ridge */
        struct rng rng = rng_make(rng_at(k, 1, 0), 1);
        check_problems(rng, getenv("SEPAL_NIGHTLY") ? PROBLEMS : 60);
    }
}

/* ---- minimum norm ------------------------------------------------------------------------- */

/* What is left of the weights outside the span of the centred rows, relative. Rows are made
   orthogonal twice, in long double. */
static double outside_rows(const struct problem *p, const double *w, const double *mean) {
    size_t cols = p->cols, rank = 0;
    long double *chain = malloc((p->rows + 1) * cols * sizeof *chain), before = 0, after = 0;
    assert_non_null(chain);
    for (size_t i = 0; i <= p->rows; i++) {
        long double *row = chain + rank * cols, size = 0, left = 0;
        for (size_t j = 0; j < cols; j++) {
            row[j] = i < p->rows ? (long double)p->x[i * cols + j] - mean[j] : w[j];
            size += row[j] * row[j];
        }
        for (size_t q = 0; q < 2 * rank; q++) {
            const long double *known = chain + q % rank * cols;
            long double dot = 0;
            for (size_t j = 0; j < cols; j++) dot += row[j] * known[j];
            for (size_t j = 0; j < cols; j++) row[j] -= dot * known[j];
        }
        for (size_t j = 0; j < cols; j++) left += row[j] * row[j];
        before = size, after = left;
        if (i == p->rows || left <= 1e-24L * size) continue;
        for (size_t j = 0; j < cols; j++) row[j] /= sqrtl(left);
        rank++;
    }
    free(chain);
    return before > 0 ? (double)sqrtl(after / before) : 0;
}

/* Means of 1e8 are left out: the centre that the model keeps is rounded there, and with it the
   rows that span the space. */
static void test_minimum_norm(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(2), 1);
    for (size_t number = 0; number < 120; number++) {
        size_t classes = 2 + rng_below(&rng, 4), rows = classes + 1 + rng_below(&rng, 30);
        size_t cols = rows + rng_below(&rng, 40), twins = number % 5 == 0 && rows > 3;
        if (number % 20 == 15) cols = 1500 + rng_below(&rng, 200); /* solved by rows */
        if (number == 119) cols = 5000;
        struct problem p = problem_new(&rng, rows, cols, classes);
        if (number % 2) copy_column(&p, 0, cols - 1);
        if (number % 3 == 0) problem_weigh(&p, &rng);
        if (twins) memcpy(p.x + cols, p.x, cols * sizeof *p.x);
        bool sparse = number % 4 == 3;
        struct outcome out = fit_problem(ctx, &p, sparse, (struct asked){0});
        assert_non_null(strstr(out.solver, "QR"));
        assert_true(out.rank == (double)(rows - 1 - twins));
        for (size_t r = 0; r < out.linear.rows; r++)
            check_small("the part of w outside the rows", number,
                        outside_rows(&p, out.linear.w + r * cols, out.linear.centre), 1e-10);
        check_small("X'r", number, orthogonality(&p, &out.linear, 0), 1e-11);
        struct outcome lsqr = fit_problem(ctx, &p, sparse, (struct asked){.solver = "lsqr"});
        check_small("the way from QR to LSQR", number,
                    weights_differ(&p, &out.linear, &lsqr.linear), 1e-9);
        linear_clear(&out.linear);
        linear_clear(&lsqr.linear);
        problem_free(&p);
    }
}

/* ---- solvers agree ------------------------------------------------------------------------- */

static void test_solvers_agree(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(3), 1);
    static const char *const names[] = {"normal", "qr", "lsqr"};
    static const struct {
        size_t rows, cols, classes;
    } shapes[] = {{200, 20, 2}, {300, 60, 5}, {900, 300, 3}, {9000, 20, 4}, {600, 130, 2}};
    for (size_t number = 0; number < 40; number++) {
        struct problem p = problem_new(&rng, shapes[number % 5].rows, shapes[number % 5].cols,
                                       shapes[number % 5].classes);
        if (number % 2) problem_weigh(&p, &rng);
        bool sparse = number % 3 == 0;
        struct asked asked = {.l2 = number % 4 < 2 ? "0" : "0.003",
                              .bias = number % 7 == 6 ? "false" : NULL};
        struct outcome first = {0};
        for (size_t s = 0; s < 3; s++) {
            asked.solver = names[s];
            struct outcome out = fit_problem(ctx, &p, sparse, asked);
            assert_non_null(strstr(out.solver, s == 0 ? "normal" : s == 1 ? "QR" : "LSQR"));
            if (s == 0) {
                first = out;
                continue;
            }
            check_small("the way from normal equations", number,
                        weights_differ(&p, &first.linear, &out.linear), s == 1 ? 1e-12 : 1e-9);
            assert_true(fabs(first.objective - out.objective) <= 1e-12 * first.objective);
            linear_clear(&out.linear);
        }
        linear_clear(&first.linear);
        problem_free(&p);
    }
}

/* ---- weights and copies -------------------------------------------------------------------- */

/* Weight k is k copies, weight 0 is no row at all. */
static void test_weights_are_copies(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(4), 1);
    for (size_t number = 0; number < 60; number++) {
        size_t classes = 2 + rng_below(&rng, 5), cols = 1 + rng_below(&rng, 30);
        struct problem p = problem_new(&rng, classes + 5 + rng_below(&rng, 80), cols, classes);
        struct problem copies = problem_new(&rng, 4 * p.rows, cols, classes);
        problem_weigh(&p, &rng);
        size_t n = 0;
        for (size_t i = 0; i < p.rows; i++) {
            size_t k = i < classes ? 1 + rng_below(&rng, 3) : rng_below(&rng, 4);
            p.weight[i] = (double)k;
            for (size_t c = 0; c < k; c++, n++) {
                memcpy(copies.x + n * cols, p.x + i * cols, cols * sizeof *p.x);
                copies.label[n] = p.label[i];
            }
        }
        copies.rows = n;
        struct asked asked = {.l2 = number % 3 ? "0" : "0.1",
                              .targets = classes == 2 && number % 2 ? "fisher" : NULL};
        bool sparse = number % 2;
        struct outcome a = fit_problem(ctx, &p, sparse, asked);
        struct outcome b = fit_problem(ctx, &copies, sparse, asked);
        check_small("the effect of copying", number, weights_differ(&p, &a.linear, &b.linear),
                    1e-10);
        assert_true(fabs(a.objective - b.objective) <= 1e-11 * fabs(a.objective) + 1e-20);
        linear_clear(&a.linear);
        linear_clear(&b.linear);
        problem_free(&p);
        problem_free(&copies);
    }
}

/* ---- large means --------------------------------------------------------------------------- */

static void test_shifted_data(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(5), 1);
    for (size_t number = 0; number < 60; number++) {
        size_t classes = 2 + rng_below(&rng, 5), cols = 1 + rng_below(&rng, 40);
        struct problem p = problem_new(&rng, classes + rng_below(&rng, 290), cols, classes);
        struct problem far = problem_new(&rng, p.rows, cols, classes);
        memcpy(far.label, p.label, p.rows * sizeof *p.label);
        for (size_t i = 0; i < p.rows * cols; i++) {
            p.x[i] = rint(p.x[i] * 0x1p20) * 0x1p-20; /* the sum with 1e8 is exact then */
            far.x[i] = p.x[i] + 1e8;
        }
        static const char *const solvers[] = {NULL, "qr", "lsqr"};
        struct asked asked = {.l2 = number % 2 ? "0" : "0.01", .solver = solvers[number % 3]};
        struct outcome a = fit_problem(ctx, &p, false, asked);
        struct outcome b = fit_problem(ctx, &far, false, asked);
        check_small("the effect of a shift", number, weights_differ(&p, &a.linear, &b.linear),
                    1e-10);
        for (size_t r = 0; r < a.linear.rows; r++) {
            double difference =
                (double)(score_of(&a.linear, p.x, r) - score_of(&b.linear, far.x, r));
            check_small("the effect on a score", number, fabs(difference), 1e-9);
        }
        linear_clear(&a.linear);
        linear_clear(&b.linear);
        problem_free(&p);
        problem_free(&far);
    }
}

/* ---- threads ------------------------------------------------------------------------------- */

static void test_threads_change_nothing(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(6), 1);
    static const unsigned threads[] = {1, 2, 3, 7};
    static const struct {
        size_t rows, cols, classes;
        const char *solver;
    } cases[] = {{9000, 20, 3, NULL},   {20000, 5, 2, "qr"},   {3000, 300, 4, NULL},
                 {3000, 150, 2, "qr"},  {2000, 90, 3, "lsqr"}, {40, 4500, 3, NULL},
                 {700, 6000, 2, "lsqr"}};
    for (size_t number = 0; number < 14; number++) {
        struct problem p = problem_new(&rng, cases[number % 7].rows, cases[number % 7].cols,
                                       cases[number % 7].classes);
        struct outcome first = {0};
        for (size_t i = 0; i < p.rows * p.cols && number >= 7; i++) {
            if (rng_below(&rng, 4)) p.x[i] = 0;
        }
        for (size_t t = 0; t < 4; t++) {
            ctx->threads = threads[t];
            struct outcome out = fit_problem(ctx, &p, number >= 7,
                                             (struct asked){.solver = cases[number % 7].solver});
            if (t == 0) {
                first = out;
                continue;
            }
            size_t bytes = out.linear.rows * p.cols * sizeof(double);
            assert_memory_equal(first.linear.w, out.linear.w, bytes);
            assert_memory_equal(first.linear.b, out.linear.b, out.linear.rows * sizeof(double));
            assert_true(first.objective == out.objective && first.residual == out.residual);
            linear_clear(&out.linear);
        }
        linear_clear(&first.linear);
        problem_free(&p);
    }
    ctx->threads = 0;
}

/* ---- wide sparse data ----------------------------------------------------------------------- */

/* Of more than 4096 columns and 16 blocks the means are found in another way, and nothing else may
   change: columns without entries get no weight, the others what they get where there are fewer. */
static void test_wide_sparse_data(void **state) {
    (void)state;
    enum { ROWS = 4200, SHOWN = 300, STEP = 13, ENTRIES = 5, FEW = 4000, MANY = 4200 };
    struct rng rng = rng_make(test_seed(8), 1);
    FILE *file = fopen("wide.svm", "w");
    assert_non_null(file);
    for (size_t i = 0; i < ROWS; i++) {
        fprintf(file, "%zu", i % 3);
        for (size_t e = 0; e < ENTRIES; e++)
            fprintf(file, " %zu:%.3f", (e + ENTRIES * rng_below(&rng, SHOWN / ENTRIES)) * STEP + 1,
                    normal(&rng) + (double)(i % 3));
        fputs("\n", file);
    }
    assert_int_equal(fclose(file), 0);
    struct outcome out[2];
    for (size_t k = 0; k < 2; k++) {
        sepal_data *data;
        assert_int_equal(data_read(&data, ctx, "wide.svm",
                                   k ? "n-features=4200" : "n-features=4000", NULL, true),
                         SEPAL_OK);
        assert_true(data->matrix.sparse && data->matrix.n_blocks > 16);
        out[k] = fit_data(ctx, data, (struct asked){.solver = "lsqr", .l2 = "0.01"});
        assert_int_equal(out[k].status, SEPAL_OK);
        data_free(data);
    }
    for (size_t r = 0; r < 3; r++) {
        check_small("bias", r, fabs(out[0].linear.b[r] - out[1].linear.b[r]), 1e-9);
        for (size_t j = 0; j < MANY; j++) {
            double few = j < FEW ? out[0].linear.w[r * FEW + j] : 0;
            check_small("weight", j, fabs(few - out[1].linear.w[r * MANY + j]), 1e-9);
        }
    }
    linear_clear(&out[0].linear);
    linear_clear(&out[1].linear);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_problems),  cmocka_unit_test(test_minimum_norm),
        cmocka_unit_test(test_solvers_agree),    cmocka_unit_test(test_weights_are_copies),
        cmocka_unit_test(test_shifted_data),     cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_wide_sparse_data),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
