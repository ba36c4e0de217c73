/* ln p of every kind of density against its formula in long double; the same from dense rows, sparse
   rows and rows with an implicit centre, in one block or many, on any number of threads; scores that
   are made of densities, and scores of bits. */
#include "contract/least_squares_problem.h"

#include "linear/strategy.h"

#include "fixture.h"

static void check_near(const char *what, double is, long double should, long double scale) {
    if (isfinite(is) && fabsl(is - should) <= 1e-12L * (1 + scale)) return;
    fail_msg("%s is %.17g, not %.17Lg", what, is, should);
}

/* ---- forms ---------------------------------------------------------------------------------- */

static bool has_counts(enum density_kind kind) {
    return kind == DENSITY_MULTINOMIAL || kind == DENSITY_BERNOULLI;
}

static void fill_root(struct density *d, struct rng *rng, double scale) {
    size_t cols = d->cols, size = density_root_size(d->kind, d->forms, cols);
    bool triangle = d->kind == DENSITY_FULL || d->kind == DENSITY_SHARED;
    /* as large as this, or the condition of wide factors would grow without bounds */
    double beside = 0.3 * sqrt(20 / fmax(20, (double)cols));
    for (size_t i = 0; i < size; i++) {
        size_t row = i / cols % cols, column = i % cols;
        d->root[i] = scale * (0.5 + rng_unit(rng));
        if (!triangle || row == column) continue;
        d->root[i] = column > row ? scale * beside * normal(rng) : 1e300; /* below: nobody looks */
    }
    density_normalise(d);
}

static struct density *random_density(struct rng *rng, enum density_kind kind, size_t forms,
                                      size_t cols, double scale) {
    struct density *d;
    assert_int_equal(density_new(&d, ctx, kind, forms, cols), SEPAL_OK);
    for (size_t i = 0; i < forms * cols; i++)
        d->mean[i] = has_counts(kind) ? log(0.01 + 0.98 * rng_unit(rng)) : scale * normal(rng);
    if (!has_counts(kind)) fill_root(d, rng, scale);
    for (size_t form = 0; kind == DENSITY_BERNOULLI && form < forms; form++) {
        long double sum = 0;
        for (size_t j = 0; j < cols; j++) sum += log1pl(-expl(d->mean[form * cols + j]));
        d->constant[form] = (double)sum;
    }
    return d;
}

/* ---- formulas ------------------------------------------------------------------------------- */

/* |z|^2 where z R = x - c - mean, and ln det R. */
static long double distance(const struct density *d, size_t form, const double *x,
                            const double *centre, long double *log_det) {
    size_t cols = d->cols;
    long double z[640], square = 0;
    const double *root = d->root;
    if (d->kind == DENSITY_FULL) root += form * cols * cols;
    *log_det = 0;
    for (size_t j = 0; j < cols; j++) {
        long double scale;
        z[j] = (long double)x[j] - (centre ? centre[j] : 0) - d->mean[form * cols + j];
        if (d->kind == DENSITY_DIAGONAL) {
            scale = root[form * cols + j];
        } else if (d->kind == DENSITY_SPHERICAL) {
            scale = root[form];
        } else {
            for (size_t k = 0; k < j; k++) z[j] -= z[k] * root[k * cols + j];
            scale = root[j * cols + j];
        }
        z[j] /= scale;
        *log_det += logl(scale);
        square += z[j] * z[j];
    }
    return square;
}

static long double log_p(const struct density *d, size_t form, const double *x,
                         const double *centre) {
    const double *mean = d->mean + form * d->cols;
    long double sum = 0, length = 0, log_det;
    switch (d->kind) {
    case DENSITY_BERNOULLI:
        for (size_t j = 0; j < d->cols; j++)
            sum += x[j] > 0 ? (long double)mean[j] : logl(-expm1l(mean[j]));
        return sum;
    case DENSITY_MULTINOMIAL:
        for (size_t j = 0; j < d->cols; j++) {
            length += x[j];
            sum += (long double)x[j] * mean[j] - lgammal((long double)x[j] + 1);
        }
        return sum + lgammal(length + 1);
    default:
        sum = -0.5L * distance(d, form, x, centre, &log_det);
        return sum - log_det - 0.5L * (long double)d->cols * logl(2 * acosl(-1));
    }
}

/* ---- rows ----------------------------------------------------------------------------------- */

static struct problem random_rows(struct rng *rng, enum density_kind kind, size_t rows, size_t cols,
                                  double scale) {
    struct problem p = problem_new(rng, rows, cols, 2);
    for (size_t i = 0; i < rows * cols; i++) {
        double x = has_counts(kind) ? (double)rng_below(rng, 5) : scale * normal(rng);
        p.x[i] = rng_below(rng, 2) ? x : 0;
    }
    return p;
}

enum storage { DENSE, SPARSE, LEAST, CENTRED, STORAGES };

/* The same rows, their values in the least that keeps them exactly. */
static sepal_data *narrow(sepal_data *data) {
    size_t *rows = malloc(data->matrix.rows * sizeof *rows);
    sepal_data *out;
    assert_non_null(rows);
    for (size_t i = 0; i < data->matrix.rows; i++) rows[i] = i;
    assert_int_equal(data_select(&out, ctx, data, rows, data->matrix.rows), SEPAL_OK);
    free(rows);
    data_free(data);
    return out;
}

/* Sparse rows with an implicit centre hold x + shift, the centre takes the shift off again. */
static sepal_data *stored(const struct problem *p, enum storage storage, const double *shift) {
    if (storage == LEAST) return narrow(problem_data(p, ctx, true));
    if (storage != CENTRED) return problem_data(p, ctx, storage == SPARSE);
    struct problem more = *p;
    more.x = malloc(p->rows * p->cols * sizeof *more.x);
    assert_non_null(more.x);
    for (size_t i = 0; i < p->rows * p->cols; i++) more.x[i] = p->x[i] + shift[i % p->cols];
    sepal_data *data = problem_data(&more, ctx, true);
    for (size_t b = 0; b < data->matrix.n_blocks; b++) data->matrix.blocks[b].centre = shift;
    free(more.x);
    return data;
}

/* A row has the same bits alone and among others. */
static void check_alone(const double *logs, const struct density *d, const double *centre,
                        const struct block *block, size_t first, size_t n) {
    double alone[6];
    for (size_t i = 0; i<n; i += n> 50 ? 29 : 1) {
        assert_int_equal(density_logs(alone, ctx, d, centre, block, first + i, 1), SEPAL_OK);
        assert_memory_equal(alone, logs + i * d->forms, d->forms * sizeof *alone);
    }
}

static void check_logs(const struct density *d, const struct problem *p, const double *centre,
                       const sepal_data *data) {
    for (size_t b = 0; b < data->matrix.n_blocks; b++) {
        const struct block *block = &data->matrix.blocks[b];
        size_t first = block->rows / 3, n = block->rows - first;
        double *logs = malloc((n * d->forms + 1) * sizeof *logs);
        assert_non_null(logs);
        assert_int_equal(density_logs(logs, ctx, d, centre, block, first, n), SEPAL_OK);
        for (size_t i = 0; i < n * d->forms; i++) {
            const double *x = p->x + (block->first_row + first + i / d->forms) * p->cols;
            long double should = log_p(d, i % d->forms, x, centre), scale = fabsl(should);
            check_near("ln p", logs[i], should, scale);
        }
        check_alone(logs, d, centre, block, first, n);
        free(logs);
    }
}

static void test_formulas(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(21), 1);
    for (size_t number = 0; number < 240; number++) {
        enum density_kind kind = (enum density_kind)(number % DENSITY_KINDS);
        size_t cols = 1 + rng_below(&rng, 60), rows = 2 + rng_below(&rng, 20);
        size_t forms = 1 + rng_below(&rng, 6);
        double centre[60], shift[60];
        for (size_t j = 0; j < cols; j++) {
            centre[j] = normal(&rng);
            shift[j] = (double)rng_below(&rng, 3); /* x + shift - shift is x for whole x */
        }
        struct density *d = random_density(&rng, kind, forms, cols, 1);
        struct problem p = random_rows(&rng, kind, rows, cols, 1);
        for (size_t i = 0; i < rows * cols; i++) p.x[i] = floor(p.x[i] * 64) / 64;
        for (enum storage storage = DENSE; storage < STORAGES; storage++) {
            sepal_data *data = stored(&p, storage, shift);
            check_logs(d, &p, NULL, data);
            if (!has_counts(kind)) check_logs(d, &p, centre, data);
            data_free(data);
        }
        density_free(d);
        problem_free(&p);
    }
}

/* Blocks that take several panels. */
static void test_panels(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(22), 1);
    for (enum density_kind kind = 0; kind < DENSITY_MULTINOMIAL; kind++) {
        struct density *d = random_density(&rng, kind, 2, 600, 1);
        struct problem p = random_rows(&rng, kind, 256 + 200, 600, 1);
        sepal_data *data = problem_data(&p, ctx, kind % 2);
        assert_true(data->matrix.block_rows * 600 > 1 << 17);
        check_logs(d, &p, NULL, data);
        data_free(data);
        density_free(d);
        problem_free(&p);
    }
}

/* Numbers whose squares and determinants no double holds. */
static void test_extreme_scales(void **state) {
    (void)state;
    static const double scales[] = {1e150, 1e-150, 1e300, 1e-300};
    struct rng rng = rng_make(test_seed(23), 1);
    for (size_t s = 0; s < 4; s++)
        for (enum density_kind kind = 0; kind < DENSITY_MULTINOMIAL; kind++) {
            struct density *d = random_density(&rng, kind, 3, 40, scales[s]);
            struct problem p = random_rows(&rng, kind, 9, 40, scales[s]);
            for (int sparse = 0; sparse < 2; sparse++) {
                sepal_data *data = problem_data(&p, ctx, sparse);
                check_logs(d, &p, NULL, data);
                data_free(data);
            }
            density_free(d);
            problem_free(&p);
        }
}

/* Probabilities next to 0 and next to 1. */
static void test_extreme_bits(void **state) {
    (void)state;
    static const double logs[] = {-1e-300, -1e-18, -1e-9, -0.5, -0.7, -40, -700, -745};
    struct rng rng = rng_make(test_seed(24), 1);
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        struct density *d;
        struct problem p = problem_new(&rng, 2, 1, 2);
        double out[2];
        p.x[0] = 0, p.x[1] = 1;
        sepal_data *data = problem_data(&p, ctx, false);
        assert_int_equal(density_new(&d, ctx, DENSITY_BERNOULLI, 1, 1), SEPAL_OK);
        d->mean[0] = logs[i];
        d->constant[0] = (double)logl(-expm1l(logs[i]));
        assert_int_equal(density_logs(out, ctx, d, NULL, &data->matrix.blocks[0], 0, 2), SEPAL_OK);
        assert_true(out[0] == d->constant[0]);
        check_near("ln p of a bit", out[1], logs[i], -d->constant[0]);
        density_free(d);
        data_free(data);
        problem_free(&p);
    }
}

static void test_counts_below_0(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(25), 1);
    struct density *d = random_density(&rng, DENSITY_MULTINOMIAL, 2, 3, 1);
    struct problem p = random_rows(&rng, DENSITY_MULTINOMIAL, 4, 3, 1);
    double logs[8];
    p.x[7] = -1;
    sepal_data *data = problem_data(&p, ctx, true);
    assert_int_equal(density_logs(logs, ctx, d, NULL, &data->matrix.blocks[0], 0, 4), SEPAL_EDATA);
    assert_non_null(strstr(ctx->error.message, "column 2 of row 3"));
    density_free(d);
    data_free(data);
    problem_free(&p);
}

/* Values whose squares or factorials no double holds. */
static void test_logs_out_of_range(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(30), 1);
    for (enum density_kind kind = 0; kind < DENSITY_BERNOULLI; kind++) {
        struct density *d = random_density(&rng, kind, 2, 3, 1);
        struct problem p = random_rows(&rng, kind, 4, 3, 1);
        double logs[8];
        p.x[4] = 1e307;
        sepal_data *data = problem_data(&p, ctx, false);
        const struct block *block = &data->matrix.blocks[0];
        assert_int_equal(density_logs(logs, ctx, d, NULL, block, 1, 3), SEPAL_EDATA);
        assert_non_null(strstr(ctx->error.message, "of row 2 is beyond"));
        assert_int_equal(density_logs(logs, ctx, d, NULL, block, 2, 2), SEPAL_OK);
        density_free(d);
        data_free(data);
        problem_free(&p);
    }
}

static void test_sizes(void **state) {
    (void)state;
    struct density *d;
    size_t huge = SIZE_MAX / 4;
    assert_true(density_root_size(DENSITY_FULL, 3, huge) == SIZE_MAX);
    assert_true(density_root_size(DENSITY_SHARED, 3, huge) == SIZE_MAX);
    assert_true(density_root_size(DENSITY_DIAGONAL, 5, huge) == SIZE_MAX);
    assert_true(density_root_size(DENSITY_FULL, SIZE_MAX / 8, 3) == SIZE_MAX);
    assert_int_equal(density_root_size(DENSITY_FULL, 3, 5), 75);
    assert_int_equal(density_root_size(DENSITY_SHARED, 3, 5), 25);
    assert_int_equal(density_root_size(DENSITY_DIAGONAL, 3, 5), 15);
    assert_int_equal(density_root_size(DENSITY_SPHERICAL, 3, 5), 3);
    assert_int_equal(density_root_size(DENSITY_MULTINOMIAL, 3, 5), 0);
    for (enum density_kind kind = 0; kind < DENSITY_KINDS; kind++) {
        assert_int_equal(density_new(&d, ctx, kind, 5, huge), SEPAL_EMEMORY);
        assert_null(d);
    }
}

/* ---- scores --------------------------------------------------------------------------------- */

static struct linear with_density(struct rng *rng, enum density_kind kind, size_t classes,
                                  const struct strategy *decode, size_t cols) {
    struct linear linear;
    assert_int_equal(linear_init_rows(&linear, ctx, classes, decode, cols, true), SEPAL_OK);
    size_t forms = decode == &strategy_machine ? classes : 2 * linear.rows;
    linear.density = random_density(rng, kind, forms, cols, 1);
    for (size_t r = 0; r < linear.rows; r++) linear.b[r] = normal(rng);
    for (size_t j = 0; j < cols; j++) linear.centre[j] = normal(rng);
    for (size_t i = 0; i < linear.rows * cols; i++) linear.w[i] = 1e300; /* not part of scores */
    return linear;
}

/* One form a row, or two whose difference it is; the same bits on any number of threads. */
static void test_quadratic_scores(void **state) {
    (void)state;
    static const unsigned threads[] = {1, 2, 5};
    static const struct strategy *const rules[] = {&strategy_sign, &strategy_machine, &strategy_ovr,
                                                   &strategy_ovo};
    struct rng rng = rng_make(test_seed(26), 1);
    for (size_t number = 0; number < 24; number++) {
        enum density_kind kind = (enum density_kind)(DENSITY_FULL + number % 3);
        const struct strategy *rule = rules[number % 4];
        size_t classes = rule == &strategy_sign ? 2 : 3 + number % 3, cols = 1 + number;
        struct linear linear = with_density(&rng, kind, classes, rule, cols);
        struct problem p = random_rows(&rng, kind, number == 7 ? 9000 : 50, cols, 1);
        size_t cells = p.rows * linear.rows;
        double *scores = malloc(cells * sizeof *scores), *first = malloc(cells * sizeof *first);
        sepal_data *data = problem_data(&p, ctx, number % 2);
        for (size_t t = 0; t < 3; t++) {
            ctx->threads = threads[t];
            assert_int_equal(linear_scores(scores, ctx, &linear, &data->matrix), SEPAL_OK);
            if (t == 0) memcpy(first, scores, cells * sizeof *first);
            assert_memory_equal(scores, first, cells * sizeof *first);
        }
        for (size_t i = 0; i < cells; i++) {
            const double *x = p.x + i / linear.rows * cols, *c = linear.centre;
            const struct density *d = linear.density;
            size_t r = i % linear.rows;
            long double one = log_p(d, rule == &strategy_machine ? r : 2 * r + 1, x, c);
            long double other = rule == &strategy_machine ? 0 : log_p(d, 2 * r, x, c);
            check_near("a score", scores[i], one - other + linear.b[r], fabsl(one) + fabsl(other));
        }
        data_free(data);
        free(scores);
        free(first);
        linear_clear(&linear);
        problem_free(&p);
    }
    ctx->threads = 0;
}

static void test_scores_out_of_range(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(27), 1);
    struct linear linear = with_density(&rng, DENSITY_DIAGONAL, 2, &strategy_sign, 2);
    struct problem p = random_rows(&rng, DENSITY_DIAGONAL, 5, 2, 1);
    int32_t classes[5];
    p.x[5] = 1e200; /* minus infinity in both forms */
    sepal_data *data = problem_data(&p, ctx, false);
    assert_int_equal(linear_predict(classes, ctx, &linear, &data->matrix), SEPAL_EDATA);
    assert_non_null(strstr(ctx->error.message, "row 3"));
    data_free(data);
    linear_clear(&linear);
    problem_free(&p);
}

static void test_bits(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(28), 1);
    for (size_t number = 0; number < 60; number++) {
        size_t cols = 1 + rng_below(&rng, 60), classes = 2 + rng_below(&rng, 4);
        double shift[60];
        struct linear linear;
        struct problem p = problem_new(&rng, 30, cols, 2);
        for (size_t j = 0; j < cols; j++) shift[j] = (double)rng_below(&rng, 3);
        for (size_t i = 0; i < p.rows * cols; i++) p.x[i] = (double)rng_below(&rng, 5) - 2;
        for (size_t i = 0; number % 2 && i < p.rows * cols; i++)
            p.x[i] += p.x[i] * 1e-12; /* in double precision */
        assert_int_equal(linear_init(&linear, ctx, classes, cols, false), SEPAL_OK);
        linear.bits = true;
        for (size_t i = 0; i < linear.rows * cols; i++) linear.w[i] = normal(&rng);
        for (size_t r = 0; r < linear.rows; r++) linear.b[r] = normal(&rng);
        for (enum storage storage = DENSE; storage < STORAGES; storage++) {
            double scores[30 * 6];
            sepal_data *data = stored(&p, storage, shift);
            assert_int_equal(linear_scores(scores, ctx, &linear, &data->matrix), SEPAL_OK);
            for (size_t i = 0; i < p.rows * linear.rows; i++) {
                size_t row = i / linear.rows, r = i % linear.rows;
                long double sum = linear.b[r];
                for (size_t j = 0; j < cols; j++)
                    if (p.x[row * cols + j] > 0) sum += linear.w[r * cols + j];
                check_near("a score of bits", scores[i], sum, (long double)cols / 10);
            }
            data_free(data);
        }
        linear_clear(&linear);
        problem_free(&p);
    }
}

static void test_without_memory(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(29), 1);
    struct problem p = random_rows(&rng, DENSITY_FULL, 20, 5, 1);
    sepal_data *data = problem_data(&p, ctx, true);
    ctx->threads = 1;
    for (int bits = 0; bits < 2; bits++) {
        struct linear linear = with_density(&rng, DENSITY_FULL, 3, &strategy_machine, 5);
        linear.bits = bits;
        if (bits) linear.density->kind = DENSITY_SHARED;
        sepal_status status = SEPAL_EMEMORY;
        int32_t classes[20];
        size_t k = 0;
        while (status == SEPAL_EMEMORY && k < 50) {
            atomic_store(&ctx->faults[FAULT_ALLOC].calls, 0);
            ctx->faults[FAULT_ALLOC].from_then_on = true;
            ctx->faults[FAULT_ALLOC].fail_at = ++k;
            status = linear_predict(classes, ctx, &linear, &data->matrix);
        }
        ctx->faults[FAULT_ALLOC].fail_at = 0;
        assert_int_equal(status, SEPAL_OK);
        assert_true(k > 3);
        linear_clear(&linear);
    }
    ctx->threads = 0;
    data_free(data);
    problem_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_panels),
        cmocka_unit_test(test_extreme_scales),
        cmocka_unit_test(test_extreme_bits),
        cmocka_unit_test(test_counts_below_0),
        cmocka_unit_test(test_logs_out_of_range),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_quadratic_scores),
        cmocka_unit_test(test_scores_out_of_range),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
