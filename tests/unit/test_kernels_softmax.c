/* The softmax of rows of scores: every kernel set gives the reference's bits; probabilities, losses and what the
   row's class is short of 1 are those of plain loops, to the last digits however sure a class is. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "seed.h"
#include "kernels/kernels.h"

enum { ROWS_MOST = 150, CLASSES_MOST = 71, CELLS_MOST = ROWS_MOST * (CLASSES_MOST + 1) };

struct scores {
    size_t n, classes, lanes;
    double score[CELLS_MOST];
    int32_t label[ROWS_MOST];
};

struct answer {
    double value[ROWS_MOST], missing[ROWS_MOST], p[CELLS_MOST];
};

static void draw_scores(struct scores *s, struct rng *rng, bool odd) {
    static const double odds[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308, -0.0, 5e-324};
    static const double sizes[] = {1e-9, 0.1, 1, 10, 100, 1e4};
    s->n = 1 + rng_below(rng, ROWS_MOST);
    s->classes = rng_below(rng, 2) ? 2 + rng_below(rng, 10) : 2 + rng_below(rng, CLASSES_MOST - 1);
    s->lanes = (s->classes + 3) / 4 * 4;
    double size = sizes[rng_below(rng, sizeof sizes / sizeof *sizes)];
    for (size_t i = 0; i < s->n; i++) {
        s->label[i] = (int32_t)rng_below(rng, s->classes);
        for (size_t l = 0; l < s->lanes; l++) {
            double x = size * (rng_unit(rng) - 0.5);
            if (rng_below(rng, 4) == 0) x = size * floor(4 * rng_unit(rng)); /* ties */
            if (odd && rng_below(rng, 20) == 0)
                x = odds[rng_below(rng, sizeof odds / sizeof *odds)];
            s->score[i * s->lanes + l] = l < s->classes ? x : 0;
        }
    }
}

static void take(struct answer *out, const struct kernels *kernels, const struct scores *s) {
    kernels->softmax(s->score, s->n, s->classes, s->lanes, s->label, out->value, out->p,
                     out->missing);
}

static void sets_agree_to_the_bit(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(31), 0);
    struct scores *s = malloc(sizeof *s);
    struct answer *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    const struct kernels *sets[KERNEL_SETS];
    size_t count = kernels_usable(sets);
    for (size_t round = 0; round < 400 * count; round++) {
        draw_scores(s, &rng, round % 3 == 0);
        take(a, &kernels_reference, s);
        take(b, sets[round % count], s);
        for (size_t i = 0; i < s->n; i++) {
            /* what is no number may have any sign */
            if (!isnan(a->value[i]) || !isnan(b->value[i]))
                assert_memory_equal(&a->value[i], &b->value[i], sizeof(double));
            assert_memory_equal(&a->missing[i], &b->missing[i], sizeof(double));
        }
        assert_memory_equal(a->p, b->p, s->n * s->lanes * sizeof(double));
    }
    free(s);
    free(a);
    free(b);
}

/* A difference of scores is off by a part of itself, and its exponential by as much of 1. */
static void check_near(double got, long double right, long double difference) {
    long double digits = 2e-16L * (20 + fminl(difference, 700));
    if (!(fabsl(got - right) <= digits * fabsl(right) + 1e-300L))
        fail_msg("%.17g, not %.17Lg", got, right);
}

static void check_row(const struct scores *s, const struct answer *a, size_t i) {
    const double *x = s->score + i * s->lanes;
    size_t own = (size_t)s->label[i];
    long double most = -INFINITY, least = INFINITY, others = 0, sum = 0, missing = 0;
    size_t best = 0;
    for (size_t k = 0; k < s->classes; k++) {
        if (x[k] > most) most = x[best = k];
        least = fminl(least, x[k]);
    }
    for (size_t k = 0; k < s->classes; k++)
        if (k != best) others += expl(x[k] - most);
    sum = 1 + others;
    for (size_t k = 0; k < s->lanes; k++) {
        long double p = k < s->classes ? expl(x[k] - most) / sum : 0;
        /* below that all is 0 to a double's 1 */
        if (p > 1e-290L || k >= s->classes) check_near(a->p[i * s->lanes + k], p, most - least);
        if (k < s->classes && k != own) missing += p;
    }
    if (missing > 1e-290L) check_near(a->missing[i], missing, most - least);
    /* slopes of two classes are opposite to the bit */
    if (s->classes == 2) assert_true(a->missing[i] == a->p[i * s->lanes + 1 - own]);
    long double loss = (most - x[own]) + log1pl(others);
    if (loss > 1e-290L) check_near(a->value[i], loss, most - least);
}

static void answers_are_those_of_plain_loops(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(32), 0);
    struct scores *s = malloc(sizeof *s);
    struct answer *a = malloc(sizeof *a);
    for (int round = 0; round < 300; round++) {
        draw_scores(s, &rng, false);
        take(a, kernels_choose(), s);
        for (size_t i = 0; i < s->n; i++) check_row(s, a, i);
    }
    free(s);
    free(a);
}

static void scores_that_are_not_finite_have_no_loss(void **state) {
    (void)state;
    static const double odds[] = {NAN, INFINITY, -INFINITY};
    struct rng rng = rng_make(test_seed(33), 0);
    struct scores *s = malloc(sizeof *s);
    struct answer *a = malloc(sizeof *a);
    for (int round = 0; round < 60; round++) {
        draw_scores(s, &rng, false);
        size_t i = rng_below(&rng, s->n), k = rng_below(&rng, s->classes);
        s->score[i * s->lanes + k] = odds[round % 3];
        take(a, kernels_choose(), s);
        for (size_t r = 0; r < s->n; r++) assert_int_equal(isnan(a->value[r]), r == i);
    }
    free(s);
    free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_agree_to_the_bit),
        cmocka_unit_test(answers_are_those_of_plain_loops),
        cmocka_unit_test(scores_that_are_not_finite_have_no_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
