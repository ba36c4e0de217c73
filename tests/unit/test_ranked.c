/* Rows in the order of their scores, against qsort: ties in the order of the rows, zeros of either sign one
   score, no place for what is no number; runs and their merges, whose lengths are no powers of two. */
#include "eval/metric.h"
#include "seed.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture.h"

struct plain {
    double score;
    size_t row;
    bool own;
};

static int falling_rows(const void *a, const void *b) {
    const struct plain *x = a, *y = b;
    if (x->score != y->score) return x->score < y->score ? 1 : -1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Few different scores or many, and some odd ones. */
static double draw_score(struct rng *rng, size_t kind) {
    static const double odd[] = {0.0,     -0.0,     1e300,     -1e300, 5e-324,
                                 -5e-324, INFINITY, -INFINITY, NAN};
    if (kind == 0) return (double)rng_below(rng, 7) - 3;
    if (kind == 1) return odd[rng_below(rng, 9)];
    return (rng_unit(rng) - 0.5) * pow(10, (double)rng_below(rng, 40) - 20);
}

static void check_side(const struct ranked_side *side, const struct plain *plain, size_t n, int own,
                       double sign) {
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        if (plain[i].own != own) continue;
        assert_true(at < side->n);
        assert_true(ranked_score(side->key[at]) == sign * plain[i].score);
        assert_true(side->note[at] == (double)plain[i].row);
        at++;
    }
    assert_int_equal(at, side->n);
}

/* Each step is one score, and all of the rows that have it. */
static void check_walk(const struct ranked *ranked, size_t n) {
    double before = NAN, rows = 0;
    struct ranked unit = *ranked;
    unit.side[0].note = unit.side[1].note = NULL;
    for (struct ranked_walk walk = ranked_begin(&unit); ranked_next(&walk);) {
        double score = ranked_score(walk.key);
        assert_true(isnan(before) || score < before);
        before = score;
        rows += walk.more[0] + walk.more[1];
    }
    assert_true(rows == (double)n);
}

static void check_ranked(struct rng *rng, size_t n, size_t kind, unsigned threads, double chance) {
    double *score = malloc((2 * n + 1) * sizeof *score), sign = kind % 2 ? -1 : 1;
    bool *own = malloc(n + 1);
    struct plain *plain = malloc((n + 1) * sizeof *plain);
    size_t kept = 0;
    assert_true(score && own && plain);
    for (size_t i = 0; i < n; i++) {
        score[2 * i] = draw_score(rng, kind % 3);
        own[i] = rng_unit(rng) < chance;
        if (!isnan(score[2 * i])) plain[kept++] = (struct plain){sign * score[2 * i], i, own[i]};
    }
    qsort(plain, kept, sizeof *plain, falling_rows);
    for (size_t i = 0; i < kept; i++) plain[i].score *= sign;
    struct ranking_rows rows = {.score = score, .n = n, .stride = 2, .sign = sign, .positive = own};
    struct ranked ranked;
    sepal_ctx_set_threads(ctx, threads);
    assert_int_equal(ranked_make(&ranked, ctx, &rows, true), SEPAL_OK);
    for (int s = 0; s < 2; s++) check_side(&ranked.side[s], plain, kept, s, sign);
    check_walk(&ranked, kept);
    ranked_clear(&ranked);
    free(score), free(own), free(plain);
}

static void test_orders(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(920), 1);
    for (size_t number = 0; number < 120; number++)
        check_ranked(&rng, rng_below(&rng, number % 2 ? 300 : 3000), number, 1, rng_unit(&rng));
    static const size_t sizes[] = {262144, 262145, 600000, 1100000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_ranked(&rng, sizes[i], i + 2, 1 + (unsigned)i % 3, i == 3 ? 0.01 : 0.5);
}

/* The areas of an order, and the same by counting, to the bit. */
static void check_counted(struct rng *rng, size_t n, size_t kind, double chance) {
    double *score = malloc((2 * n + 1) * sizeof *score);
    bool *own = malloc(n + 1);
    assert_true(score && own);
    for (size_t i = 0; i < n; i++) {
        do score[2 * i] = draw_score(rng, kind % 3);
        while (isnan(score[2 * i]));
        own[i] = rng_unit(rng) < chance;
    }
    struct ranking_rows rows = {
        .score = score, .n = n, .stride = 2, .sign = kind % 2 ? -1 : 1, .positive = own};
    struct ranked ranked;
    struct ranking counted;
    assert_int_equal(ranked_make(&ranked, ctx, &rows, false), SEPAL_OK);
    assert_int_equal(ranking_counted(&counted, ctx, &rows), SEPAL_OK);
    struct ranking whole = ranking_of(&ranked);
    assert_memory_equal(&counted.roc_auc, &whole.roc_auc, sizeof(double));
    assert_memory_equal(&counted.average_precision, &whole.average_precision, sizeof(double));
    ranked_clear(&ranked);
    free(score), free(own);
}

static void test_counted(void **state) {
    static const double chances[] = {0, 0.01, 0.2, 0.7, 1};
    (void)state;
    struct rng rng = rng_make(test_seed(921), 1);
    for (size_t number = 0; number < 300; number++)
        check_counted(&rng, rng_below(&rng, number % 2 ? 30 : 3000), number, chances[number % 5]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_orders),
                                       cmocka_unit_test(test_counted)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
