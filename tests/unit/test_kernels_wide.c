/* The kernels that serve a group of classes at once: every set gives the reference's bits; sums and
   additions are those of plain loops; each step goes to the largest value of the dual, and what it
   adds up are the terms of the gap and the losses. */
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

enum { COLS = 40, LONGEST = 70 };

struct row {
    size_t n, lanes, used, single;
    double x[LONGEST], v[COLS * OVR_LANES];
    float x32[LONGEST], w[COLS * OVR_LANES];
    uint32_t index[LONGEST];
    bool dense;
};

static double random_value(struct rng *rng) {
    double value = rng_unit(rng) - 0.5;
    switch (rng_below(rng, 6)) {
    case 0: return 0;
    case 1: return value * 1e6;
    case 2: return value * 1e-6;
    default: return value;
    }
}

static struct row random_row(struct rng *rng) {
    struct row row = {.dense = rng_below(rng, 3) == 0};
    row.n = rng_below(rng, row.dense ? COLS + 1 : LONGEST + 1);
    row.lanes = rng_below(rng, 2) ? OVR_LANES : OVR_LANES_HALF;
    row.single = rng_below(rng, 2) ? row.lanes : OVR_LANES_HALF;
    row.used = 4 * (1 + rng_below(rng, row.lanes / 4));
    for (size_t j = 0; j < row.n; j++) {
        row.x[j] = random_value(rng);
        row.x32[j] = (float)row.x[j];
        row.index[j] = (uint32_t)rng_below(rng, COLS);
    }
    for (size_t j = 0; j < COLS * OVR_LANES; j++) {
        row.v[j] = random_value(rng);
        row.w[j] = (float)row.v[j];
    }
    return row;
}

static size_t column(const struct row *row, size_t j) {
    return row->dense ? j : row->index[j];
}

static void rows_are_those_of_plain_loops(void **state) {
    (void)state;
    const struct kernels *sets[KERNEL_SETS];
    size_t count = kernels_usable(sets);
    struct rng rng = rng_make(test_seed(1), 1);
    for (size_t round = 0; round < 3000; round++) {
        struct row row = random_row(&rng), before, after;
        const uint32_t *index = row.dense ? NULL : row.index;
        float sums[KERNEL_SETS][OVR_LANES] = {{0}}, d[OVR_LANES];
        double wide[KERNEL_SETS][OVR_LANES] = {{0}}, doubles[KERNEL_SETS][OVR_LANES] = {{0}},
               d64[OVR_LANES];
        double w64[COLS * OVR_LANES];
        for (size_t k = 0; k < COLS * OVR_LANES; k++) w64[k] = (double)row.w[k];
        for (size_t l = 0; l < OVR_LANES; l++) d[l] = (float)(d64[l] = random_value(&rng));
        memcpy(&before, &row, sizeof row);
        memcpy(&after, &row, sizeof row);
        for (size_t j = 0; j < row.n; j++) {
            for (size_t l = 0; l < row.single; l++)
                after.w[column(&row, j) * row.lanes + l] += row.x32[j] * d[l];
            for (size_t l = 0; l < row.used; l++)
                after.v[column(&row, j) * row.used + l] += row.x[j] * d64[l];
        }
        for (size_t s = 0; s < count; s++) {
            memcpy(&row, &before, sizeof row);
            sets[s]->lanes_fetch(row.index, row.n, row.w, row.lanes * sizeof *row.w);
            sets[s]->lanes_dot(sums[s], row.x32, index, row.n, row.w, row.lanes, row.single);
            sets[s]->lanes_dot_f64(wide[s], row.x, index, row.n, row.w, row.lanes, row.used);
            sets[s]->lanes_dot_doubles(doubles[s], row.x, index, row.n, w64, row.lanes, row.used);
            assert_memory_equal(doubles[s], wide[s], sizeof wide[s]);
            sets[s]->lanes_add(row.w, d, row.x32, index, row.n, row.lanes, row.single);
            sets[s]->lanes_add_f64(row.v, d64, row.x, index, row.n, row.used, row.used);
            assert_memory_equal(row.w, after.w, sizeof row.w);
            assert_memory_equal(row.v, after.v, sizeof row.v);
            assert_memory_equal(sums[s], sums[0], sizeof sums[0]);
            assert_memory_equal(wide[s], wide[0], sizeof wide[0]);
        }
    }
}

static void sums_are_near(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(2), 1);
    for (size_t round = 0; round < 1000; round++) {
        struct row row = random_row(&rng);
        const uint32_t *index = row.dense ? NULL : row.index;
        float sum[OVR_LANES];
        double wide[OVR_LANES];
        kernels_reference.lanes_dot(sum, row.x32, index, row.n, row.w, row.lanes, row.single);
        kernels_reference.lanes_dot_f64(wide, row.x, index, row.n, row.w, row.lanes, row.used);
        for (size_t l = 0; l < row.single; l++) {
            double expected = 0, rough = 0, size = 0;
            for (size_t j = 0; j < row.n; j++) {
                double w = (double)row.w[column(&row, j) * row.lanes + l];
                expected += row.x[j] * w;
                rough += (double)row.x32[j] * w;
                size += fabs(row.x[j] * w);
            }
            assert_true(l >= row.used || fabs(wide[l] - expected) <= 1e-14 * size);
            assert_true(fabs((double)sum[l] - rough) <= 5e-6 * size);
        }
    }
}

/* ---- steps -------------------------------------------------------------------------------- */

enum kind { SQUARED_HINGE, HINGE, LOGISTIC, KINDS };

static bool turn(const struct kernels *set, enum kind kind, struct lanes_step *step, size_t lanes) {
    if (kind == SQUARED_HINGE) return set->lanes_squared_hinge(step, lanes);
    return kind == HINGE ? set->lanes_hinge(step, lanes) : set->lanes_logistic(step, lanes);
}

/* `far`: how far apart the sizes of scores and curvatures are, in decades. */
static struct lanes_step random_step(struct rng *rng, double far) {
    struct lanes_step step = {.norm = (float)pow(10, far * (rng_unit(rng) - 0.5))};
    for (size_t l = 0; l < OVR_LANES; l++) {
        step.side[l] = rng_below(rng, 2) ? 1 : -1;
        step.score[l] = (float)((rng_unit(rng) - 0.5) * pow(10, far * rng_unit(rng)));
        step.scale[l] = rng_below(rng, 8) ? (float)pow(10, far * (rng_unit(rng) - 0.5)) : 0;
        step.a[l] = rng_below(rng, 3) ? (float)rng_unit(rng) : 0;
        step.gap[l] = (float)rng_unit(rng);
        step.loss[l] = (float)rng_unit(rng);
    }
    return step;
}

static void every_set_takes_the_same_steps(void **state) {
    (void)state;
    const struct kernels *sets[KERNEL_SETS];
    size_t count = kernels_usable(sets);
    struct rng rng = rng_make(test_seed(3), 1);
    for (size_t round = 0; round < 6000; round++) {
        enum kind kind = (enum kind)(round % KINDS);
        size_t lanes = rng_below(&rng, 2) ? OVR_LANES : OVR_LANES_HALF;
        struct lanes_step before = random_step(&rng, (double)(round % 7) * 4), one = before;
        bool moved = turn(&kernels_reference, kind, &one, lanes);
        for (size_t s = 0; s < count; s++) {
            struct lanes_step two = before;
            assert_int_equal(turn(sets[s], kind, &two, lanes), moved);
            assert_memory_equal(&one, &two, sizeof one);
        }
    }
}

static double value_of(enum kind kind, double m) {
    double missing = fmax(0, 1 - m);
    if (kind == LOGISTIC) return m > 0 ? log1p(exp(-m)) : -m + log1p(exp(m));
    return kind == HINGE ? missing : missing * missing;
}

static double earns(enum kind kind, double a) {
    if (kind == SQUARED_HINGE) return a - a * a / 4;
    if (kind == HINGE) return a;
    return (a > 0 ? -a * log(a) : 0) - (a < 1 ? (1 - a) * log1p(-a) : 0);
}

/* The best a by bisection: the slope of the dual falls. */
static double best_of(enum kind kind, double m, double q, double before) {
    double low = 0, high = kind == SQUARED_HINGE ? 1e9 : 1;
    for (int i = 0; i < 200; i++) {
        double a = (low + high) / 2, slope = -m - q * (a - before);
        if (kind == SQUARED_HINGE) slope += 1 - a / 2;
        if (kind == HINGE) slope += 1;
        if (kind == LOGISTIC) slope += log1p(-a) - log(a);
        *(slope > 0 ? &low : &high) = a;
    }
    return (low + high) / 2;
}

static void steps_go_to_the_best(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(4), 1);
    for (size_t round = 0; round < 3000; round++) {
        enum kind kind = (enum kind)(round % KINDS);
        struct lanes_step step = random_step(&rng, (double)(round % 3) * 2), before = step;
        (void)turn(kernels_choose(), kind, &step, OVR_LANES);
        for (size_t l = 0; l < OVR_LANES; l++) {
            double scale = (double)before.scale[l], q = scale * (double)before.norm;
            double m = (double)before.side[l] * (double)before.score[l], a = (double)step.a[l];
            double old = (double)before.a[l], best = best_of(kind, m, q, old);
            double gap = scale * (value_of(kind, m) - earns(kind, old) + old * m);
            double loss = scale * (value_of(kind, m) + old * m / 2);
            double change = (double)before.side[l] * scale * (a - old);
            if (scale == 0) {
                assert_true(step.change[l] == 0);
                continue;
            }
            /* singles hold m, and m / q moves a */
            assert_true(fabs(a - best) <= 1e-5 * (1 + best) + 1e-6 * (1 + fabs(m)) / q);
            assert_true(fabs((double)step.change[l] - change) <= 1e-6 * scale * (1 + old + a));
            double added = (double)step.gap[l] - (double)before.gap[l];
            double size = 2e-6 * (scale * (1 + m * m + old * fabs(m)) + 1);
            if (kind != LOGISTIC) assert_true(fabs(added - gap) <= size);
            /* of the logistic loss it is an estimate */
            if (kind == LOGISTIC && fabs(m) < 2)
                assert_true(added <= 1.5 * gap + size && added >= 0.5 * gap - size);
            assert_true(fabs((double)step.loss[l] - (double)before.loss[l] - loss) <= size);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_of_plain_loops),
        cmocka_unit_test(sums_are_near),
        cmocka_unit_test(every_set_takes_the_same_steps),
        cmocka_unit_test(steps_go_to_the_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
