/* solve_dual on random problems, rows of every kind: the proof accepts its points, newton-cg finds
   the same objective, the bound holds and rises epoch by epoch, the hinge's variables vanish where
   they must, and neither threads nor kernels change a bit. */
#include "core/arena.h"
#include "seed.h"
#include "data/matrix.h"
#include "objective/certify.h"
#include "solvers/solver.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> /* after core/context.h: it defines a macro fail() */

#include "fixture.h"

enum kind { ONES, ROW, SINGLE, DOUBLE, DENSE_SINGLE, DENSE_DOUBLE, KINDS };
enum { BIASES = 3, LOSSES = 3 };
static const struct loss *const losses[LOSSES] = {&loss_logistic, &loss_squared_hinge, &loss_hinge};

/* ---- problems ----------------------------------------------------------------------------- */

struct problem {
    struct matrix x;
    struct arena arena;
    struct objective o;
    double *row_weight, *centre, *u, *alpha;
    int32_t *label;
};

static void *zeros(size_t n, size_t size) {
    void *out = calloc(n + 1, size);
    assert_non_null(out);
    return out;
}

static void fill_dense(struct block *block, struct rng *rng, size_t cols) {
    for (size_t k = 0; k < block->rows * cols; k++) {
        double value = rng_unit(rng) * 2 + 1;
        if (block->f32)
            block->f32[k] = (float)value;
        else
            block->f64[k] = value;
    }
}

/* A quarter of the first thousand columns, then one of 500. */
static size_t stride(struct rng *rng, size_t column) {
    return 1 + rng_below(rng, column < 1000 ? 7 : 999);
}

static void fill_sparse(struct block *block, struct rng *rng, size_t cols) {
    size_t at = 0;
    for (size_t i = 0; i < block->rows; i++) {
        block->start[i] = at;
        if (block->values == VALUES_ROW) block->f64[i] = 0.2 + rng_unit(rng);
        for (size_t j = rng_below(rng, 4); j < cols; j += stride(rng, j)) {
            if (block->values == VALUES_F32) block->f32[at] = (float)(rng_unit(rng) * 4 - 1);
            if (block->values == VALUES_F64) block->f64[at] = rng_unit(rng) * 4 - 1;
            block->index[at++] = (uint32_t)j;
        }
    }
    block->start[block->rows] = at;
}

static void fill(struct matrix *x, struct rng *rng, enum kind kind, size_t n, size_t cols) {
    bool sparse = kind < DENSE_SINGLE;
    static const enum values values[KINDS] = {VALUES_ONES, VALUES_ROW, VALUES_F32,
                                              VALUES_F64,  VALUES_F32, VALUES_F64};
    assert_int_equal(matrix_init(x, ctx, n, cols, sparse), SEPAL_OK);
    for (size_t b = 0; b < x->n_blocks; b++) {
        struct block *block = &x->blocks[b];
        block->values = values[kind];
        assert_int_equal(block_alloc(ctx, block, cols, block->rows * cols), SEPAL_OK);
        if (sparse)
            fill_sparse(block, rng, cols);
        else
            fill_dense(block, rng, cols);
        x->nonzeros += sparse ? block->start[block->rows] : block->rows * cols;
    }
}

/* Labels by a plane and noise; shares far from each other. */
static void set_labels(struct problem *p, struct rng *rng) {
    double *w = zeros(p->x.cols, sizeof *w), total = 0;
    for (size_t j = 0; j < p->x.cols; j++) w[j] = j % 2 ? 1 : -1;
    for (size_t i = 0; i < p->x.rows; i++) {
        size_t local;
        const struct block *block = matrix_block_of(&p->x, i, &local);
        double score = row_dot(ctx->kernels, block, local, p->x.cols, w);
        p->label[i] = score + 3 * (rng_unit(rng) - 0.5) > 0;
        total += p->row_weight[i] = 0.1 + rng_unit(rng);
    }
    p->label[0] = 0;
    p->label[p->x.rows - 1] = 1;
    for (size_t i = 0; i < p->x.rows; i++) p->row_weight[i] /= total;
    free(w);
}

static void problem_make(struct problem *p, struct rng *rng, enum kind kind, size_t n, size_t cols,
                         const struct loss *loss, enum bias bias) {
    *p = (struct problem){.row_weight = zeros(n, sizeof(double)),
                          .centre = zeros(cols, sizeof(double)),
                          .u = zeros(cols + 1, sizeof(double)),
                          .alpha = zeros(n, sizeof(double)),
                          .label = zeros(n, sizeof(int32_t))};
    fill(&p->x, rng, kind, n, cols);
    set_labels(p, rng);
    p->o = (struct objective){.ctx = ctx,
                              .arena = &p->arena,
                              .x = &p->x,
                              .loss = loss,
                              .label = p->label,
                              .row_weight = p->row_weight,
                              .l2 = 0.02 + 0.1 * rng_unit(rng),
                              .bias = bias};
    if (bias == BIAS_FREE && !p->x.sparse)
        assert_int_equal(objective_centre(p->centre, &p->o), SEPAL_OK);
    assert_int_equal(objective_init(&p->o), SEPAL_OK);
}

static void problem_free(struct problem *p) {
    matrix_clear(&p->x);
    arena_clear(&p->arena);
    free(p->row_weight);
    free(p->centre);
    free(p->u);
    free(p->alpha);
    free(p->label);
}

/* ---- solving ------------------------------------------------------------------------------ */

static bool goes_on(void *payload, size_t iteration, double objective, double gap) {
    (void)payload, (void)iteration, (void)gap;
    assert_true(objective == objective);
    return false;
}

static struct solver descent_of(struct problem *p, double tol) {
    return (struct solver){
        .o = &p->o, .tol = tol, .seed = 7, .stops = goes_on, .u = p->u, .alpha = p->alpha};
}

static struct proof proof_of(const struct solver *d) {
    struct proof proof;
    assert_int_equal(certify(&proof, d->o, d->u, d->paired ? d->alpha : NULL), SEPAL_OK);
    return proof;
}

/* As the learner does: where the proof says that the solver was too kind, on with a stricter aim. */
static struct proof solve(struct solver *d, sepal_status (*solver)(struct solver *)) {
    double tol = d->tol;
    for (int round = 0;; round++) {
        assert_int_equal(solver(d), SEPAL_OK);
        struct proof proof = proof_of(d);
        if (!(proof.gap > tol) || round == 3) return proof;
        d->tol *= 0.1;
        d->converged = false;
        d->warm = true;
    }
}

/* ---- tests -------------------------------------------------------------------------------- */

static void the_proof_and_newton_agree(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(11), 0);
    for (size_t kind = 0; kind < KINDS; kind++)
        for (size_t bias = 0; bias < BIASES; bias++)
            for (size_t loss = 0; loss < LOSSES; loss++) {
                struct problem p;
                size_t n = 30 + rng_below(&rng, 60), cols = 2 + rng_below(&rng, 12);
                problem_make(&p, &rng, (enum kind)kind, n, cols, losses[loss], (enum bias)bias);
                struct solver d = descent_of(&p, 1e-8);
                struct proof proof = solve(&d, solve_dual);
                assert_true(d.converged && d.paired);
                assert_true(proof.gap <= 1e-8);
                if (losses[loss]->smooth) {
                    double *start = zeros(cols + 1, sizeof *start);
                    struct solver other = descent_of(&p, 1e-9);
                    other.u = start;
                    struct proof found = solve(&other, solve_newton_cg);
                    assert_true(fabs(found.primal - proof.primal) <= 2e-8 * found.primal);
                    free(start);
                }
                problem_free(&p);
            }
}

/* A rough aim is reached in a few epochs; and the solver's own account of
   the gap is near that of the proof. */
static void reach_rough_aims(struct rng rng) {
    enum { ROUNDS = 3 * KINDS * BIASES * LOSSES, SOON = 60 };
    static const double tol = 1e-4;
    for (size_t round = 0; round < ROUNDS; round++) {
        struct problem p;
        size_t n = 30 + rng_below(&rng, 60), cols = 2 + rng_below(&rng, 12);
        problem_make(&p, &rng, (enum kind)(round % KINDS), n, cols, losses[round / KINDS % LOSSES],
                     (enum bias)(round / KINDS / LOSSES % BIASES));
        if (p.x.sparse) p.o.l2 *= 20;
        struct solver d = descent_of(&p, tol);
        assert_int_equal(solve_dual(&d), SEPAL_OK);
        double gap = proof_of(&d).gap;
        /* the hinge waits for a free bias */
        bool soon = p.x.sparse && (p.o.loss->smooth || p.o.bias != BIAS_FREE);
        if (!d.converged || !(gap <= 1.1 * tol) || (soon && d.iterations >= SOON))
            fail_msg("%s, bias %d, rows of kind %zu: a gap of %g after %zu epochs", p.o.loss->name,
                     p.o.bias, round % KINDS, gap, d.iterations);
        problem_free(&p);
    }
}

static void rough_aims_are_reached_soon(void **state) {
    (void)state;
    reach_rough_aims(rng_make(test_seed(18), 0));
    /* fixed: no bias and rows that hold each other up; hinges at their bounds and a free bias */
    for (uint64_t k = 1; k <= 3; k++) reach_rough_aims(rng_make(rng_at(k, 18, 0), 0));
}

/* The path does not depend on where it is cut, so a limit of k epochs shows the k-th. */
static void the_bound_rises(void **state) {
    (void)state;
    enum { EPOCHS = 8 };
    struct rng rng = rng_make(test_seed(12), 0);
    for (size_t bias = 0; bias < BIASES; bias++)
        for (size_t loss = 0; loss < LOSSES; loss++) {
            struct problem p;
            double last = 0;
            problem_make(&p, &rng, SINGLE, 70, 12, losses[loss], (enum bias)bias);
            for (size_t k = 1; k <= EPOCHS; k++) {
                struct solver d = descent_of(&p, 1e-12);
                d.max_iter = k;
                assert_int_equal(solve_dual(&d), SEPAL_OK);
                assert_int_equal(d.iterations, k);
                struct proof proof = proof_of(&d);
                assert_true(proof.primal >= proof.dual * (1 - 1e-14));
                if (bias != BIAS_FREE) assert_true(proof.dual >= last * (1 - 1e-13));
                last = proof.dual;
            }
            problem_free(&p);
        }
}

/* Beyond the margin a row dual variables no more, within it it dual variables with all it has. */
static void hinge_slopes_where_they_must(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(13), 0);
    for (size_t bias = 0; bias < BIASES; bias++)
        for (size_t loss = 1; loss < LOSSES; loss++) {
            struct problem p;
            problem_make(&p, &rng, DOUBLE, 120, 8, losses[loss], (enum bias)bias);
            struct solver d = descent_of(&p, 1e-11);
            double m[120];
            size_t beyond = 0, within = 0;
            assert_true(solve(&d, solve_dual).gap <= 1e-11);
            assert_int_equal(objective_margins(m, &p.o, d.u), SEPAL_OK);
            for (size_t i = 0; i < p.o.n; i++) {
                beyond += m[i] > 1.001;
                within += m[i] < 0.999;
                if (m[i] > 1.001) assert_true(d.alpha[i] == 0);
                if (m[i] < 0.999 && losses[loss] == &loss_hinge) assert_true(d.alpha[i] == 1);
            }
            assert_true(beyond > 5 && within > 5);
            problem_free(&p);
        }
}

static void no_threads_and_no_kernels_change_a_bit(void **state) {
    (void)state;
    enum { ROWS = 9000, COLS = 30000, RUNS = 3 };
    /* two threads share rows that are long and nearly strangers but for some columns */
    static const struct {
        enum kind kind;
        size_t rows, cols;
    } shapes[] = {{ROW, ROWS, 70},    {DOUBLE, ROWS, 70}, {DENSE_SINGLE, ROWS, 70},
                  {ONES, 600, COLS},  {ROW, 600, COLS},   {SINGLE, 600, COLS},
                  {DOUBLE, 600, COLS}};
    static double u[RUNS][COLS + 1], alpha[RUNS][ROWS];
    const struct kernels *chosen = ctx->kernels;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (size_t loss = 0; loss < LOSSES; loss++) {
            struct problem p;
            struct rng rng = rng_make(test_seed(14), k);
            problem_make(&p, &rng, shapes[k].kind, shapes[k].rows, shapes[k].cols, losses[loss],
                         BIAS_FREE);
            assert_true(p.o.slabs > 1);
            for (size_t run = 0; run < RUNS; run++) {
                sepal_ctx_set_threads(ctx, run == 1 ? 2 : 1);
                ctx->kernels = run == 2 ? &kernels_reference : chosen;
                struct solver d = descent_of(&p, 1e-4);
                assert_int_equal(solve_dual(&d), SEPAL_OK);
                memcpy(u[run], p.u, p.o.width * sizeof **u);
                memcpy(alpha[run], p.alpha, p.o.n * sizeof **alpha);
            }
            for (size_t run = 1; run < RUNS; run++) {
                assert_memory_equal(u[0], u[run], p.o.width * sizeof **u);
                assert_memory_equal(alpha[0], alpha[run], p.o.n * sizeof **alpha);
            }
            problem_free(&p);
        }
    ctx->kernels = chosen;
    sepal_ctx_set_threads(ctx, 1);
}

static void a_good_start_leaves_little_to_do(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(15), 0);
    for (size_t bias = 0; bias < BIASES; bias++)
        for (size_t loss = 0; loss < LOSSES; loss++) {
            struct problem p;
            problem_make(&p, &rng, SINGLE, 80, 10, losses[loss], (enum bias)bias);
            struct solver cold = descent_of(&p, 1e-9);
            assert_true(solve(&cold, solve_dual).gap <= 1e-9);
            /* once with its variables, once from the point alone, which says little of a hinge's */
            for (int paired = 1; paired >= !losses[loss]->smooth; paired--) {
                struct solver warm = descent_of(&p, 1e-7);
                warm.warm = true;
                warm.paired = paired;
                assert_true(solve(&warm, solve_dual).gap <= 1e-7);
                assert_true(warm.iterations <= 3 && warm.iterations < cold.iterations);
            }
            problem_free(&p);
        }
}

static void a_slow_problem_is_left_to_others(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(16), 0);
    for (size_t loss = 0; loss < LOSSES; loss++) {
        struct problem p;
        problem_make(&p, &rng, DENSE_DOUBLE, 200, 6, losses[loss], BIAS_FREE);
        p.o.l2 = 1e-7;
        struct solver d = descent_of(&p, 1e-9);
        d.limit = 20;
        assert_int_equal(solve_dual(&d), SEPAL_OK);
        assert_true(d.slow && !d.converged && d.iterations <= 20);
        struct proof proof = proof_of(&d);
        assert_true(isfinite(proof.primal) && proof.primal >= proof.dual);
        problem_free(&p);
    }
}

/* Rows of zeros, of numbers whose squares overflow, and of numbers whose squares vanish. */
static void odd_rows_leave_numbers(void **state) {
    (void)state;
    static const double scales[] = {0, 1e-200, 1e-150, 1e150, 1e300};
    struct rng rng = rng_make(test_seed(17), 0);
    for (size_t scale = 0; scale < sizeof scales / sizeof *scales; scale++)
        for (size_t bias = 0; bias < BIASES; bias++)
            for (size_t loss = 0; loss < LOSSES; loss++) {
                struct problem p;
                problem_make(&p, &rng, DOUBLE, 40, 5, losses[loss], (enum bias)bias);
                struct block *block = &p.x.blocks[0];
                for (size_t k = block->start[0]; k < block->start[20]; k++)
                    block->f64[k] *= scales[scale];
                assert_int_equal(objective_init(&p.o), SEPAL_OK); /* it keeps squares of rows */
                struct solver d = descent_of(&p, 1e-6);
                d.max_iter = 50;
                assert_int_equal(solve_dual(&d), SEPAL_OK);
                for (size_t j = 0; j < p.o.width; j++) assert_true(isfinite(p.u[j]));
                for (size_t i = 0; i < p.o.n; i++)
                    assert_true(p.alpha[i] >= 0 && p.alpha[i] <= losses[loss]->most);
                problem_free(&p);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_proof_and_newton_agree),
        cmocka_unit_test(rough_aims_are_reached_soon),
        cmocka_unit_test(the_bound_rises),
        cmocka_unit_test(hinge_slopes_where_they_must),
        cmocka_unit_test(no_threads_and_no_kernels_change_a_bit),
        cmocka_unit_test(a_good_start_leaves_little_to_do),
        cmocka_unit_test(a_slow_problem_is_left_to_others),
        cmocka_unit_test(odd_rows_leave_numbers),
    };
    return cmocka_run_group_tests(tests, set_up_one_thread, tear_down);
}
