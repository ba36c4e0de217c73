/* Rows through maps: the same however they are stored, cut and shared out; nothing lost when memory
   is short; names and units of what comes out. */
#include "unit/map_fixture.h"

static const unsigned widths[] = {1, 2, 3, 7};

/* Every map alone and in company; hash and poly behind a centre, maps that thin and maps that fill. */
static const char *const chains[] = {
    "identity",
    "standardize",
    "minmax",
    "poly",
    "poly(degree=3, interactions=false)",
    "rbf(centres=7)",
    "sigmoid(centres=2)",
    "fourier(features=9)",
    "hash(bits=9)",
    "hash(bits=3)",
    "standardize | minmax",
    "minmax | standardize | standardize",
    "standardize | identity | poly",
    "poly | standardize",
    "poly(interactions=false) | minmax | standardize",
    "standardize | hash(bits=9) | minmax",
    "hash(bits=8) | standardize | rbf(centres=3)",
    "minmax | sigmoid(centres=\"0,0.5\") | standardize",
    "standardize | sigmoid(centres=2)",
    "standardize | fourier(features=40, width=5) | hash(bits=8) | identity",
    "identity | hash(bits=6) | poly | hash(bits=11) | standardize | minmax | fourier(features=3)",
};
enum { N_CHAINS = sizeof chains / sizeof *chains };

static void same_bits(const double *a, const double *b, size_t n, const char *where) {
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i]) fail_msg("%s: number %zu is %.17g and %.17g", where, i, a[i], b[i]);
}

/* ---- storage ------------------------------------------------------------------------------ */

static void test_dense_and_sparse_agree(void **state) {
    (void)state;
    enum { ROWS = 700, COLS = 33 };
    struct rng rng = rng_make(test_seed(1), 1);
    double *x = draw(&rng, ROWS, COLS, 0.15);
    for (size_t c = 1; c < N_CHAINS; c++) {
        struct fitted dense = fit_rows(chains[c], x, ROWS, COLS, false, NULL);
        struct fitted sparse = fit_rows(chains[c], x, ROWS, COLS, true, NULL);
        assert_int_equal(dense.phi.cols, sparse.phi.cols);
        for (size_t i = 0; i < ROWS * dense.phi.cols; i++)
            near(sparse.numbers[i], dense.numbers[i], 1e-10, chains[c]);
        /* a model is used on rows stored either way */
        double *other = map_rows_of(&dense.chain, x, ROWS, COLS, true);
        for (size_t i = 0; i < ROWS * dense.phi.cols; i++)
            near(other[i], dense.numbers[i], 1e-10, chains[c]);
        free(other);
        fitted_clear(&dense);
        fitted_clear(&sparse);
    }
    free(x);
}

/* What comes out sparse: only what reads no more than the entries. */
static void test_what_stays_sparse(void **state) {
    (void)state;
    static const struct {
        const char *chain;
        bool dense, sparse; /* after dense, after sparse rows */
    } cases[] = {{"standardize", false, true},
                 {"poly", false, true},
                 {"poly | standardize", false, true},
                 {"standardize | poly", false, false},
                 {"hash(bits=4)", false, false},
                 {"hash(bits=6)", false, true},
                 {"hash(bits=9)", true, true},
                 {"standardize | hash(bits=9)", true, true},
                 {"standardize | hash(bits=6)", false, false},
                 {"fourier", false, false}};
    struct rng rng = rng_make(test_seed(1), 2);
    double *x = draw(&rng, 10, 40, 0.1);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct fitted dense = fit_rows(cases[c].chain, x, 10, 40, false, NULL);
        struct fitted sparse = fit_rows(cases[c].chain, x, 10, 40, true, NULL);
        assert_true(dense.phi.sparse == cases[c].dense && sparse.phi.sparse == cases[c].sparse);
        fitted_clear(&dense);
        fitted_clear(&sparse);
    }
    free(x);
}

/* Values are kept in the least that holds them. */
static void test_values_are_kept_small(void **state) {
    (void)state;
    static const double ones[] = {1, 0, 1, 0, 1, 1}, halves[] = {0.5, 0, 1, 0, 0.25, 1};
    struct fitted fitted = fit_rows("poly", ones, 2, 3, true, NULL);
    assert_int_equal(fitted.phi.blocks[0].values, VALUES_ONES);
    assert_int_equal(fitted.phi.nonzeros, 10);
    fitted_clear(&fitted);
    for (int sparse = 0; sparse < 2; sparse++) {
        fitted = fit_rows("poly", halves, 2, 3, sparse, NULL);
        assert_int_equal(fitted.phi.blocks[0].values, VALUES_F32);
        assert_int_equal(fitted.phi.nonzeros, 10);
        fitted_clear(&fitted);
        fitted = fit_rows("standardize | poly", halves, 2, 3, sparse, NULL);
        assert_int_equal(fitted.phi.blocks[0].values, VALUES_F32);
        fitted_clear(&fitted);
        fitted = fit_rows("fourier", halves, 2, 3, sparse, NULL);
        assert_int_equal(fitted.phi.blocks[0].values, VALUES_F64);
        fitted_clear(&fitted);
    }
}

/* Only identity: phi is x, and nothing is copied. */
static void test_nothing_to_do(void **state) {
    (void)state;
    static const double x[] = {1, 2, 3, 4};
    struct fitted fitted = fit_rows("identity | identity", x, 2, 2, false, NULL);
    assert_null(fitted.phi.blocks);
    assert_int_equal(map_chain_width(&fitted.chain, 2), 2);
    double *phi = map_rows_of(&fitted.chain, x, 2, 2, false);
    same_bits(phi, x, 4, "identity");
    free(phi);
    fitted_clear(&fitted);
    assert_int_equal(map_chain_width(&(struct map_chain){0}, 5), 5);
}

/* ---- cuts and threads --------------------------------------------------------------------- */

static void check_cut(const struct fitted *fitted, const struct matrix *x, size_t first, size_t n,
                      const char *chain) {
    struct block block;
    size_t cols = map_chain_width(&fitted->chain, x->cols);
    double *some = malloc((n * cols + 1) * sizeof *some);
    assert_int_equal(map_chain_block(&block, &ctx, &fitted->chain, x, first, n), SEPAL_OK);
    assert_true(block.first_row == first && block.rows == n);
    block_dense(&block, 0, n, cols, NULL, NULL, some, cols);
    if (fitted->phi.blocks) same_bits(some, fitted->numbers + first * cols, n * cols, chain);
    block_clear(&block);
    free(some);
}

/* phi of any rows is the same bits as when all were mapped, one map after the other. */
static void test_cuts(void **state) {
    (void)state;
    enum { ROWS = 1100, COLS = 35 };
    static const size_t cuts[][2] = {{0, 1}, {0, 1100}, {3, 500}, {511, 2}, {1099, 1}, {256, 300}};
    struct rng rng = rng_make(test_seed(2), 1);
    double *x = draw(&rng, ROWS, COLS, 0.2);
    for (int sparse = 0; sparse < 2; sparse++) {
        struct matrix matrix = matrix_of(x, ROWS, COLS, sparse);
        for (size_t c = 0; c < N_CHAINS; c++) {
            struct fitted fitted = fit_matrix(chains[c], &matrix, NULL);
            for (size_t k = 0; k < sizeof cuts / sizeof *cuts; k++)
                check_cut(&fitted, &matrix, cuts[k][0], cuts[k][1], chains[c]);
            fitted_clear(&fitted);
        }
        matrix_clear(&matrix);
    }
    free(x);
}

static void check_threads(const char *chain, const struct matrix *x, const double *weight) {
    struct fitted first = {.chain = {0}};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        ctx.threads = widths[w];
        struct fitted now = fit_matrix(chain, x, weight);
        if (w == 0) {
            first = now;
            continue;
        }
        for (size_t m = 0; m < now.chain.n; m++) {
            const struct fitted_map *a = &first.chain.maps[m], *b = &now.chain.maps[m];
            same_bits(a->numbers, b->numbers, a->shape[0] * a->shape[1], chain);
        }
        same_bits(first.numbers, now.numbers, now.phi.rows * now.phi.cols, chain);
        assert_int_equal(first.phi.nonzeros, now.phi.nonzeros);
        fitted_clear(&now);
    }
    fitted_clear(&first);
}

static void test_threads(void **state) {
    (void)state;
    enum { ROWS = 1500, COLS = 400 }; /* three blocks, the last not full */
    static const char *const some[] = {"standardize | minmax",
                                       "minmax | rbf(centres=9)",
                                       "sigmoid(centres=1)",
                                       "standardize | fourier(features=20)",
                                       "poly(degree=2, interactions=false) | standardize",
                                       "hash(bits=5) | poly | standardize"};
    struct rng rng = rng_make(test_seed(2), 2);
    double *x = draw(&rng, ROWS, COLS, 0.1), weight[ROWS];
    for (size_t i = 0; i < ROWS; i++) weight[i] = rng_unit(&rng) + 0.01;
    for (int sparse = 0; sparse < 2; sparse++) {
        struct matrix matrix = matrix_of(x, ROWS, COLS, sparse);
        for (size_t c = 0; c < sizeof some / sizeof *some; c++)
            check_threads(some[c], &matrix, c % 2 ? weight : NULL);
        matrix_clear(&matrix);
    }
    free(x);
}

/* ---- short of memory ---------------------------------------------------------------------- */

/* One fit and one block with the k-th allocation failing; true when it came through. */
static bool try_without(const char *spec, const struct matrix *x, size_t k, bool from_then_on) {
    struct map_chain chain = map_chain_of(spec);
    struct matrix phi;
    struct block block = {0};
    struct fault *fault = &ctx.faults[FAULT_ALLOC];
    atomic_store(&fault->calls, 0);
    fault->from_then_on = from_then_on;
    fault->fail_at = k;
    sepal_status status = map_chain_fit(&chain, &phi, &ctx, &arena, x, NULL);
    if (status == SEPAL_OK) status = map_chain_block(&block, &ctx, &chain, x, 1, x->rows - 1);
    bool hit = atomic_load(&fault->calls) >= k;
    fault->fail_at = 0;
    if (status != SEPAL_OK) assert_true(status == SEPAL_EMEMORY && hit && *ctx.error.message);
    block_clear(&block);
    matrix_clear(&phi);
    return status == SEPAL_OK && !hit;
}

static void test_short_of_memory(void **state) {
    (void)state;
    enum { ROWS = 50, COLS = 33 };
    struct rng rng = rng_make(test_seed(2), 3);
    double *x = draw(&rng, ROWS, COLS, 0.1);
    size_t points = 0;
    for (int pass = 0; pass < 4; pass++) {
        struct matrix matrix = matrix_of(x, ROWS, COLS, pass & 1);
        for (size_t c = 0; c < N_CHAINS; c++)
            for (size_t k = 1;; k++, points++) {
                if (try_without(chains[c], &matrix, k, pass & 2)) break;
                arena_clear(&arena);
            }
        matrix_clear(&matrix);
    }
    free(x);
    assert_true(points > 1000);
    printf("COUNT injection-points %zu 0\n", points);
}

/* ---- centres ------------------------------------------------------------------------------ */

static void check_walk(const struct block *block, size_t i, size_t cols, const double *row) {
    for (size_t from = 0; from <= cols; from += 7) {
        size_t at = row_seek(block, i, from), j, next = from;
        for (double value; row_next(block, i, cols, &at, &j, &value); next++) {
            assert_int_equal(j, next);
            assert_true(value == row[j]);
        }
        assert_int_equal(next, cols);
    }
}

/* Sparse rows with a centre are their dense form in every respect. */
static void check_centred(const struct block *block, size_t cols, const double *w) {
    double *row = malloc(cols * sizeof *row), *moved = malloc(cols * sizeof *moved);
    assert_true(block->sparse && block->centre);
    for (size_t i = 0; i < block->rows; i++) {
        double dot = 0, size = 0, square = 0;
        block_dense(block, i, 1, cols, NULL, NULL, row, cols);
        check_walk(block, i, cols, row);
        for (size_t j = 0; j < cols; j++) {
            double stored = row[j] + block->centre[j];
            dot += row[j] * w[j];
            size += (fabs(stored) + fabs(block->centre[j])) * fabs(w[j]);
            square += row[j] * row[j];
            moved[j] = w[j];
        }
        near(row_dot(ctx.kernels, block, i, cols, w), dot, 1e-14 * (1 + size), "row_dot");
        near(row_square_norm(block, i, cols), square, 1e-14, "row_square_norm");
        row_axpy(ctx.kernels, block, i, cols, 0.7, moved);
        for (size_t j = 0; j < cols; j++)
            near(moved[j], w[j] + 0.7 * row[j], 1e-14 * (1 + fabs(block->centre[j])), "row_axpy");
    }
    free(row);
    free(moved);
}

static void test_rows_with_a_centre(void **state) {
    (void)state;
    enum { ROWS = 40, COLS = 50 };
    struct rng rng = rng_make(test_seed(3), 1);
    double w[COLS];
    for (size_t j = 0; j < COLS; j++) w[j] = normal(&rng);
    for (int kind = 0; kind < 3; kind++) {
        double *x = draw(&rng, ROWS, COLS, 0.15);
        for (size_t i = 0; kind > 0 && i < ROWS * COLS; i++)
            x[i] = kind == 1 ? x[i] != 0 : (double)(float)x[i];
        struct fitted fitted = fit_rows("standardize", x, ROWS, COLS, true, NULL);
        check_centred(&fitted.phi.blocks[0], COLS, w);
        /* the values as they were read, with a centre: ones, singles, one a row */
        struct matrix matrix = matrix_of(x, ROWS, COLS, true), phi;
        struct map_chain none = map_chain_of("identity");
        assert_int_equal(map_chain_fit(&none, &phi, &ctx, &arena, &matrix, NULL), SEPAL_OK);
        assert_int_equal(map_chain_matrix(&phi, &ctx, &none, &matrix), SEPAL_OK);
        assert_int_equal(phi.blocks[0].values, kind == 0   ? VALUES_F64
                                               : kind == 1 ? VALUES_ONES
                                                           : VALUES_F32);
        phi.blocks[0].centre = w;
        check_centred(&phi.blocks[0], COLS, w);
        matrix_clear(&phi);
        matrix_clear(&matrix);
        fitted_clear(&fitted);
        free(x);
    }
}

/* ---- units and names ---------------------------------------------------------------------- */

static void test_fold(void **state) {
    (void)state;
    enum { ROWS = 60, COLS = 4 };
    static const struct {
        const char *before, *all;
        size_t tail;
    } cases[] = {{"identity", "standardize", 1},
                 {"identity", "identity | minmax | standardize", 3},
                 {"poly", "poly | standardize | identity | minmax | standardize", 4},
                 {"minmax | poly", "minmax | poly", 0},
                 {"standardize | hash(bits=2)", "standardize | hash(bits=2) | minmax", 1}};
    struct rng rng = rng_make(test_seed(4), 1);
    double *x = draw(&rng, ROWS, COLS, 0.6);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int sparse = 0; sparse < 2; sparse++) {
            struct fitted before = fit_rows(cases[c].before, x, ROWS, COLS, sparse, NULL);
            struct fitted all = fit_rows(cases[c].all, x, ROWS, COLS, sparse, NULL);
            const double *z = before.phi.blocks ? before.numbers : x;
            assert_int_equal(map_chain_affine_tail(&all.chain), cases[c].tail);
            for (size_t j = 0; j < all.phi.cols; j++) {
                double shift, divisor;
                map_chain_fold(&all.chain, j, &shift, &divisor);
                for (size_t i = 0; i < ROWS; i++)
                    near(all.numbers[i * all.phi.cols + j],
                         (z[i * all.phi.cols + j] - shift) / divisor, 1e-13, cases[c].all);
            }
            fitted_clear(&before);
            fitted_clear(&all);
        }
    free(x);
}

static void test_names(void **state) {
    (void)state;
    static const struct {
        const char *chain, *names; /* with blanks between them */
    } cases[] = {
        {"identity", "x1 x2"},
        {"standardize | minmax", "x1 x2"},
        {"poly | standardize", "x1 x2 x1^2 x1*x2 x2^2"},
        {"standardize | poly(degree=3)", "x1 x2 x1^2 x1*x2 x2^2 x1^3 x1^2*x2 x1*x2^2 x2^3"},
        {"poly(interactions=false)", "x1 x2 x1^2 x2^2"},
        {"poly(interactions=false) | poly(interactions=false)",
         "x1 x2 x1^2 x2^2 x1^2 x2^2 (x1^2)^2 (x2^2)^2"},
        {"rbf(centres=2) | poly", "rbf1 rbf2 rbf1^2 rbf1*rbf2 rbf2^2"},
        {"sigmoid(centres=\"-1,0.5\")",
         "sigmoid(x1,-1) sigmoid(x1,0.5) sigmoid(x2,-1) sigmoid(x2,0.5)"},
        {"poly(interactions=false) | sigmoid(centres=\"0,\")",
         "sigmoid(x1,0) sigmoid(x2,0) sigmoid(x1^2,0) sigmoid(x2^2,0)"},
        {"fourier(features=3)", "fourier1 fourier2 fourier3"},
        {"hash(bits=2) | standardize", "hash1 hash2 hash3 hash4"},
    };
    static const double x[] = {1, 2, 3, 4, 6, 5};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct fitted fitted = fit_rows(cases[c].chain, x, 3, 2, false, NULL);
        struct text all = {0};
        for (size_t j = 0; j < map_chain_width(&fitted.chain, 2); j++) {
            char *name = name_of(&fitted.chain, j);
            text_printf(&ctx, &all, "%s%s", j ? " " : "", name);
            mem_free(name);
        }
        assert_string_equal(all.bytes, cases[c].names);
        text_clear(&all);
        fitted_clear(&fitted);
    }
}

/* ---- hostile numbers and models ----------------------------------------------------------- */

static void test_numbers_out_of_range(void **state) {
    (void)state;
    static const double huge[] = {1, 2, 3, -1e200, 5, 6};
    refuse("poly", huge, 3, 2, SEPAL_EDATA, "poly makes a number of row 2 that is beyond");
    refuse("poly(interactions=false)", huge, 3, 2, SEPAL_EDATA, "row 2");
    static const double limits[] = {1.7e308, 0, -1.7e308, 0, 1.7e308, 0};
    refuse("minmax", limits, 3, 2, SEPAL_EDATA, "minmax cannot be fitted");
    refuse("standardize", limits, 3, 2, SEPAL_EDATA, "standardize cannot be fitted");
    refuse("sigmoid", limits, 3, 2, SEPAL_EDATA, "sigmoid cannot be fitted");
    refuse("fourier(width=1e-200)", limits, 3, 2, SEPAL_EDATA, "fourier makes a number of row 1");
    static const double beside[] = {1e300, 1e300, 1e300, 1e300 + 1e285};
    for (size_t rows = 2; rows <= 4; rows++) { /* nearly constant: finite whatever it is */
        struct fitted fitted = fit_rows("standardize", beside, rows, 1, false, NULL);
        for (size_t i = 0; i < rows; i++) assert_true(isfinite(fitted.numbers[i]));
        fitted_clear(&fitted);
    }
}

/* Shapes at the edge: one row, one column, more columns than rows, all zeros. */
static void test_small_shapes(void **state) {
    (void)state;
    static const size_t shapes[][2] = {{1, 1}, {1, 50}, {2, 1}, {3, 40}, {7, 2}};
    double *zeros = calloc(200, sizeof *zeros);
    struct rng rng = rng_make(test_seed(5), 1);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t c = 0; c < N_CHAINS; c++) {
            if (strstr(chains[c], "rbf")) continue; /* wants seven different rows */
            double *x = draw(&rng, shapes[s][0], shapes[s][1], 0.5);
            for (int pass = 0; pass < 4; pass++) {
                struct fitted fitted = fit_rows(chains[c], pass & 1 ? zeros : x, shapes[s][0],
                                                shapes[s][1], pass & 2, NULL);
                for (size_t i = 0; i < fitted.phi.rows * fitted.phi.cols; i++)
                    assert_true(isfinite(fitted.numbers[i]));
                fitted_clear(&fitted);
            }
            free(x);
        }
    free(zeros);
}

/* A model out of a file: planned, given its numbers, prepared. */
static void test_a_basis_restored(void **state) {
    (void)state;
    enum { ROWS = 30, COLS = 33 };
    struct rng rng = rng_make(test_seed(6), 1);
    double *x = draw(&rng, ROWS, COLS, 0.3);
    for (size_t c = 1; c < N_CHAINS; c++)
        for (int sparse = 0; sparse < 2; sparse++) {
            struct fitted fitted = fit_rows(chains[c], x, ROWS, COLS, sparse, NULL);
            struct map_chain chain = map_chain_of(chains[c]);
            assert_int_equal(map_chain_plan(&chain, &ctx, COLS), SEPAL_OK);
            for (size_t m = 0; m < chain.n; m++) {
                const struct fitted_map *a = &fitted.chain.maps[m];
                struct fitted_map *b = &chain.maps[m];
                assert_true(a->in == b->in && a->out == b->out);
                assert_memory_equal(a->shape, b->shape, sizeof a->shape);
                b->numbers = a->numbers;
                assert_true(!b->map->sound || b->map->sound(b));
            }
            assert_int_equal(map_chain_prepare(&chain, &ctx, &arena), SEPAL_OK);
            double *phi = map_rows_of(&chain, x, ROWS, COLS, sparse);
            same_bits(phi, fitted.numbers, ROWS * fitted.phi.cols, chains[c]);
            free(phi);
            fitted_clear(&fitted);
        }
    free(x);
}

/* Numbers that only a forged file has: refused when what follows from them is no number. */
static void test_forged_numbers(void **state) {
    (void)state;
    struct map_chain chain = map_chain_of("standardize");
    double numbers[] = {1e300, 0, 1e-300, 1};
    assert_int_equal(map_chain_plan(&chain, &ctx, 2), SEPAL_OK);
    chain.maps[0].numbers = numbers;
    assert_int_equal(map_chain_prepare(&chain, &ctx, &arena), SEPAL_EDATA);
    assert_non_null(strstr(ctx.error.message, "matrix column 1"));
    numbers[2] = 1;
    assert_int_equal(map_chain_prepare(&chain, &ctx, &arena), SEPAL_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_dense_and_sparse_agree, fresh, clean),
        cmocka_unit_test_setup_teardown(test_what_stays_sparse, fresh, clean),
        cmocka_unit_test_setup_teardown(test_values_are_kept_small, fresh, clean),
        cmocka_unit_test_setup_teardown(test_nothing_to_do, fresh, clean),
        cmocka_unit_test_setup_teardown(test_cuts, fresh, clean),
        cmocka_unit_test_setup_teardown(test_threads, fresh, clean),
        cmocka_unit_test_setup_teardown(test_short_of_memory, fresh, clean),
        cmocka_unit_test_setup_teardown(test_rows_with_a_centre, fresh, clean),
        cmocka_unit_test_setup_teardown(test_fold, fresh, clean),
        cmocka_unit_test_setup_teardown(test_names, fresh, clean),
        cmocka_unit_test_setup_teardown(test_numbers_out_of_range, fresh, clean),
        cmocka_unit_test_setup_teardown(test_small_shapes, fresh, clean),
        cmocka_unit_test_setup_teardown(test_a_basis_restored, fresh, clean),
        cmocka_unit_test_setup_teardown(test_forged_numbers, fresh, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
