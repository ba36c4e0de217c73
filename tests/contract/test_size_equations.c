/* Solutions of problems that take several blocks, tiles, groups and pieces, held against the equations
   they must satisfy, which plain loops in long double evaluate over the rows as given. */
#include "contract/law_cases.h"

#include "kernels/blas.h"
#include "dense/tall.h"

static sepal_ctx *ctx;

static bool is_nightly(void) {
    const char *wish = getenv("SEPAL_NIGHTLY");
    return wish && strcmp(wish, "1") == 0;
}

static struct table random_table(size_t rows, size_t cols, size_t classes) {
    struct rng rng = rng_make(test_seed(531), rows * 4096 + cols);
    return table_random(&rng, rows, cols, classes, false);
}

static struct made fit(const char *spec, const struct table *t) {
    struct made made = make(ctx, spec, "tol=1e-12", t, t);
    if (made.status != SEPAL_OK)
        fail_msg("%s, %zu x %zu: %s", spec, t->rows, t->cols, sepal_ctx_error(ctx));
    return made;
}

/* ---- scores ------------------------------------------------------------------------------- */

/* All scores of all rows by plain loops: at most 1e-12 of what is added up. Returns them. */
static long double *plain_scores(const struct made *made, const struct table *t) {
    const struct linear *linear = &made->model->linear;
    long double *out = malloc(t->rows * linear->rows * sizeof *out);
    assert_non_null(out);
    for (size_t i = 0; i < t->rows; i++)
        for (size_t r = 0; r < linear->rows; r++) {
            long double sum = linear->b[r], size = fabsl(sum);
            for (size_t j = 0; j < t->cols; j++) {
                long double x = t->x[i * t->cols + j];
                if (linear->centre) x -= linear->centre[j];
                x *= linear->w[r * t->cols + j];
                sum += x;
                size += fabsl(x);
            }
            out[i * linear->rows + r] = sum;
            double shown = made->score[i * linear->rows + r];
            if (!(fabsl(sum - shown) <= 1e-12L * size))
                fail_msg("%s, %zu x %zu, row %zu: the score is %.17g, not %.17Lg",
                         made->model->spec, t->rows, t->cols, i, shown, sum);
        }
    return out;
}

/* ---- convex problems: the gradient is 0 ---------------------------------------------------- */

/* d loss / d score of row i and score function r. */
typedef long double (*slope_fn)(const struct table *t, size_t i, size_t r, long double score);

static long double sign_of(const struct table *t, size_t i, size_t r) {
    size_t positive = t->classes == 2 ? 1 : r; /* two classes, or one against the rest */
    return (size_t)t->label[i] == positive ? 1 : -1;
}
static long double square_slope(const struct table *t, size_t i, size_t r, long double score) {
    return score - (t->classes == 2 ? sign_of(t, i, r) : (size_t)t->label[i] == r);
}
static long double logistic_slope(const struct table *t, size_t i, size_t r, long double score) {
    long double sign = sign_of(t, i, r);
    return -sign / (1 + expl(sign * score));
}
static long double hinge_slope(const struct table *t, size_t i, size_t r, long double score) {
    long double sign = sign_of(t, i, r), short_of = 1 - sign * score;
    return short_of > 0 ? -2 * sign * short_of : 0;
}

/* Mean of slope times column, plus l2 w; and the mean slope, as the bias is free. */
static void check_gradient(const char *spec, const struct table *t, slope_fn slope, double l2,
                           double room) {
    struct made made = fit(spec, t);
    const struct linear *linear = &made.model->linear;
    long double *scores = plain_scores(&made, t), total = 0, *sum, *size;
    sum = malloc((t->cols + 1) * 2 * sizeof *sum);
    assert_non_null(sum);
    size = sum + t->cols + 1;
    for (size_t i = 0; i < t->rows; i++) total += t->weight[i];
    for (size_t r = 0; r < linear->rows; r++) {
        memset(sum, 0, (t->cols + 1) * 2 * sizeof *sum);
        for (size_t i = 0; i < t->rows; i++) {
            long double by = t->weight[i] / total * slope(t, i, r, scores[i * linear->rows + r]);
            for (size_t j = 0; j <= t->cols; j++) {
                long double part = by * (j < t->cols ? t->x[i * t->cols + j] : 1);
                sum[j] += part;
                size[j] += fabsl(part);
            }
        }
        for (size_t j = 0; j <= t->cols; j++) {
            if (j < t->cols) sum[j] += l2 * linear->w[r * t->cols + j];
            if (!(fabsl(sum[j]) <= room * (size[j] + 1e-3L)))
                fail_msg("%s, %zu x %zu: the gradient of column %zu is %.3Lg of %.3Lg", spec,
                         t->rows, t->cols, j, sum[j], size[j]);
        }
    }
    free(sum);
    free(scores);
    made_free(&made);
}

static void gradients_vanish(void **state) {
    (void)state;
    static const size_t sizes[][3] = {{4097, 3, 3},   {8193, 4, 2},    {1025, 129, 2},
                                      {1100, 600, 2}, {2200, 1000, 2}, /* beyond 2^21 cells */
                                      {12288, 64, 3}, {2049, 257, 3},  {1030, 1000, 3}};
    for (size_t i = 0; i < (is_nightly() ? 8 : 5); i++) {
        struct table t = random_table(sizes[i][0], sizes[i][1], sizes[i][2]);
        check_gradient("least-squares(l2=0.1)", &t, square_slope, 0.1, 1e-10);
        if (t.cols < 1000 || is_nightly()) {
            check_gradient("logistic(l2=0.1)", &t, logistic_slope, 0.1, 1e-5);
            check_gradient("svm(l2=0.1)", &t, hinge_slope, 0.1, 1e-5);
            check_gradient("least-squares", &t, square_slope, 0, 1e-9);
        }
        table_free(&t);
    }
}

/* ---- discriminants: S_W (w_a - w_b) is parallel to m_a - m_b --------------------------------- */

static void class_means(long double *mean, long double *weight, const struct table *t) {
    memset(mean, 0, t->classes * t->cols * sizeof *mean);
    memset(weight, 0, t->classes * sizeof *weight);
    for (size_t i = 0; i < t->rows; i++) weight[t->label[i]] += t->weight[i];
    for (size_t i = 0; i < t->rows; i++)
        for (size_t j = 0; j < t->cols; j++)
            mean[(size_t)t->label[i] * t->cols + j] +=
                t->weight[i] / weight[t->label[i]] * (long double)t->x[i * t->cols + j];
}

/* S_W w, row by row. */
static void times_scatter(long double *out, const long double *w, const long double *mean,
                          const struct table *t) {
    memset(out, 0, t->cols * sizeof *out);
    for (size_t i = 0; i < t->rows; i++) {
        const double *x = t->x + i * t->cols;
        const long double *m = mean + (size_t)t->label[i] * t->cols;
        long double along = 0;
        for (size_t j = 0; j < t->cols; j++) along += (x[j] - m[j]) * w[j];
        for (size_t j = 0; j < t->cols; j++) out[j] += t->weight[i] * along * (x[j] - m[j]);
    }
}

static void check_discriminant(const char *spec, const struct table *t) {
    struct made made = fit(spec, t);
    const struct linear *linear = &made.model->linear;
    size_t cols = t->cols;
    long double *mean = malloc((t->classes + 2) * cols * sizeof *mean), weight[4], n = 0;
    assert_non_null(mean);
    long double *w = mean + t->classes * cols, *product = w + cols;
    free(plain_scores(&made, t));
    class_means(mean, weight, t);
    for (size_t k = 0; k < t->classes; k++) n += weight[k];
    for (size_t j = 0; j < cols; j++)
        w[j] = linear->rows == 1 ? linear->w[j] : (long double)linear->w[cols + j] - linear->w[j];
    times_scatter(product, w, mean, t);
    long double along = 0, length = 0, worst = 0, largest = 0;
    for (size_t j = 0; j < cols; j++) {
        long double difference = mean[cols + j] - mean[j];
        along += product[j] * difference;
        length += difference * difference;
    }
    for (size_t j = 0; j < cols; j++) {
        long double difference = mean[cols + j] - mean[j];
        worst = fmaxl(worst, fabsl(product[j] - along / length * difference));
        largest = fmaxl(largest, fabsl(product[j]));
    }
    /* S_W / N, / (N - K) or / (N - 2): by which of them the covariance is estimated */
    long double factor = along / length, k = (long double)t->classes;
    bool known = fabsl(factor - n) < 1e-6L * n || fabsl(factor - (n - k)) < 1e-6L * n ||
                 fabsl(factor - (n - 2)) < 1e-6L * n;
    if (!(worst <= 1e-8L * largest) || !known)
        fail_msg("%s, %zu x %zu: S_W w is off the means by %.3Lg of %.3Lg, factor %.9Lg", spec,
                 t->rows, cols, worst, largest, factor);
    free(mean);
    made_free(&made);
}

static void discriminants_solve_their_equations(void **state) {
    (void)state;
    static const size_t sizes[][3] = {{4097, 3, 3},   {12289, 3, 2},   {1025, 129, 2},
                                      {1100, 600, 3}, {1400, 1000, 2}, {2049, 257, 2}};
    for (size_t i = 0; i < (is_nightly() ? 6 : 5); i++) {
        struct table t = random_table(sizes[i][0], sizes[i][1], sizes[i][2]);
        check_discriminant("lda", &t);
        if (t.classes == 2) check_discriminant("fisher", &t);
        table_free(&t);
    }
}

/* ---- pieces: predictions do not depend on which rows are asked about together ---------------- */

static void check_pieces(const char *spec, size_t rows, size_t cols) {
    struct table t = random_table(rows, cols, 3), few = t;
    few.rows = 300;
    struct made made = make(ctx, spec, NULL, &few, &t);
    if (made.status != SEPAL_OK) fail_msg("%s: %s", spec, sepal_ctx_error(ctx));
    sepal_data *data = table_data(&t, ctx);
    double *some = malloc(rows * made.width * sizeof *some);
    assert_non_null(some);
    static const size_t from[] = {0, 1, 2047, 2048, 2049, 4095, 4096, 4097, 6143, 6144};
    for (size_t i = 0; i < sizeof from / sizeof *from; i++)
        for (size_t n = 1; from[i] < rows; n = n == 1 ? 3 : rows - from[i]) {
            if (n > rows - from[i]) n = rows - from[i];
            sepal_predictions out = {.size = sizeof out, .numbers = some, .what = SEPAL_SCORES};
            assert_int_equal(
                sepal_model_predict_rows(&out, ctx, made.model, data, from[i], n, NULL), SEPAL_OK);
            if (memcmp(some, made.score + from[i] * made.width, n * made.width * sizeof *some) != 0)
                fail_msg("%s: rows %zu to %zu by themselves", spec, from[i], from[i] + n);
            if (n == rows - from[i]) break;
        }
    free(some);
    sepal_data_free(data);
    made_free(&made);
    table_free(&t);
}

/* phi of 40 columns has 860, and 2^21 / 860 rows are a piece: 2048. */
static void rows_are_answered_alike(void **state) {
    (void)state;
    check_pieces("poly | least-squares(l2=1)", 6145, 40);
    check_pieces("lda", 4097, 3);
    check_pieces("standardize | naive-bayes(kind=gaussian)", 4097, 5);
    check_pieces("fourier(features=700) | logistic(l2=1)", 4100, 4);
}

/* ---- A'A and the factor of A ---------------------------------------------------------------- */

static long cell(size_t i, size_t j) {
    return (long)((i * 7 + j * 13 + i * j % 11) % 5) - 2;
}

static void fill_cells(const void *payload, size_t first, size_t n, double *out, size_t stride) {
    const size_t *cols = payload;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < *cols; j++) out[i * stride + j] = (double)cell(first + i, j);
}

static long plain_product(size_t rows, size_t i, size_t j) {
    long sum = 0;
    for (size_t k = 0; k < rows; k++) sum += cell(k, i) * cell(k, j);
    return sum;
}

/* Integers add up exactly, whatever the order. Of wide matrices some rows of the product are looked at,
   those at the edges of tiles among them. */
static void check_gram(size_t rows, size_t cols, size_t stride) {
    struct tall tall = {
        .rows = rows, .cols = cols, .stride = stride, .fill = fill_cells, .payload = &cols};
    double *gram = malloc(cols * cols * sizeof *gram);
    assert_non_null(gram);
    blas_enter();
    assert_int_equal(tall_gram(gram, ctx, &tall), SEPAL_OK);
    blas_leave();
    for (size_t i = 0; i < cols; i += cols < 20 ? 1 : i % 43 == 0 ? 21 : 22)
        for (size_t j = i; j < cols; j++)
            if (gram[i * cols + j] != (double)plain_product(rows, i, j))
                fail_msg("%zu x %zu, stride %zu: product %zu, %zu is %g, not %ld", rows, cols,
                         stride, i, j, gram[i * cols + j], plain_product(rows, i, j));
    free(gram);
}

static void grams_add_up(void **state) {
    (void)state;
    enum { WIDE = 1 << 15 }; /* rows so long that 256 of them are a group */
    static const size_t columns[] = {1, 2, 127, 128, 129, 256, 257, 511, 513};
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
        check_gram(255, columns[c], columns[c]);
        check_gram(257, columns[c], columns[c] + 3);
    }
    static const size_t rows[] = {1, 255, 256, 257, 511, 512, 513, 769};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) check_gram(rows[r], 130, WIDE);
    static const size_t tall[] = {4095, 4096, 4097, 8191, 8193, 12289};
    for (size_t r = 0; r < sizeof tall / sizeof *tall; r++) check_gram(tall[r], 5, 5);
}

/* R'R = A'A. */
static void check_factor(size_t rows, size_t cols) {
    struct tall tall = {
        .rows = rows, .cols = cols, .stride = cols + 2, .fill = fill_cells, .payload = &cols};
    double *r = malloc(cols * cols * sizeof *r);
    assert_non_null(r);
    blas_enter();
    assert_int_equal(tsqr(r, ctx, &tall), SEPAL_OK);
    blas_leave();
    for (size_t i = 0; i < cols; i++)
        for (size_t j = i; j < cols; j++) {
            long double sum = 0;
            for (size_t k = 0; k <= i; k++) sum += (long double)r[k * cols + i] * r[k * cols + j];
            if (!(fabsl(sum - plain_product(rows, i, j)) <= 1e-11L * (long double)rows))
                fail_msg("%zu x %zu: R'R has %.17Lg at %zu, %zu, not %ld", rows, cols, sum, i, j,
                         plain_product(rows, i, j));
        }
    free(r);
}

static void factors_multiply_up(void **state) {
    (void)state;
    static const size_t rows[] = {3, 255, 256, 257, 1023, 1025, 2047, 2049, 4097, 8193, 16385};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_factor(rows[i], 4);
        if (rows[i] < 3000) check_factor(rows[i], 40);
    }
    check_factor(700, 300);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_vanish),
        cmocka_unit_test(discriminants_solve_their_equations),
        cmocka_unit_test(rows_are_answered_alike),
        cmocka_unit_test(grams_add_up),
        cmocka_unit_test(factors_multiply_up),
    };
    if (sepal_ctx_new(&ctx) != SEPAL_OK) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sepal_ctx_free(ctx);
    return failed;
}
