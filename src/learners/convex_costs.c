/* What a solver is foreseen to cost, from the shape of the data: the time of a step, from what it reads
   and multiplies, times the number of steps,

       steps = exp(a + b digits) (1 + reach)^c,    digits = log10(1 / tol),

   where reach is how much a row can move its own score, C |x|^2: the larger, the worse the conditioning.
   bench/calibrate measures such constants on problems that it makes up. Those here are its, taken on two
   cores of a shared x86-64 with AVX2 and OpenBLAS 0.3.21, and rounded towards what the sets of bench/sweep
   took: rows that are made up flatter lbfgs. A choice needs them to a factor of two. Threads are not asked
   for: they must change no bit. */
#include "learners/convex.h"

#include <math.h>

/* Nanoseconds of an entry in a pass, of a product that is added to a Hessian, and of an entry in an
   epoch of dual coordinate descent, by itself and in lock-step for each class. */
static const struct {
    double pass, product, epoch, lane;
} dense = {0.5, 0.05, 1.5, 0.12}, sparse = {2.5, 1.0, 4.5, 0.32};

/* Of the counts of steps above. */
struct counts {
    double a, b, c;
};

static double count(const struct convex_shape *s, struct counts counts) {
    return exp(counts.a + counts.b * -log10(s->tol)) * pow(1 + s->reach, counts.c);
}

static double pass(const struct convex_shape *s) {
    return s->entries * (s->sparse ? sparse.pass : dense.pass);
}

static double hessian(const struct convex_shape *s) {
    double square = s->width * s->width, full = s->rows * square * dense.product;
    double scattered = s->entries / s->rows * s->entries / 2 * sparse.product;
    return (s->sparse ? fmin(full, scattered) : full) + square * s->width / 3 * dense.product;
}

struct convex_cost cost_of_newton(const struct convex_shape *s) {
    struct counts counts =
        s->logistic ? (struct counts){1.2, 0.08, 0} : (struct counts){1.5, 0.04, 0};
    return (struct convex_cost){hessian(s) + 2 * pass(s), count(s, counts)};
}

struct convex_cost cost_of_newton_cg(const struct convex_shape *s) {
    return (struct convex_cost){pass(s), count(s, (struct counts){3.3, 0.2, 0.2})};
}

struct convex_cost cost_of_lbfgs(const struct convex_shape *s) {
    struct counts counts = {2.7, s->logistic ? 0.2 : 0.3, 0.15};
    return (struct convex_cost){2 * pass(s), count(s, counts)};
}

struct convex_cost cost_of_dual(const struct convex_shape *s) {
    double entry = s->sparse ? sparse.epoch : dense.epoch;
    return (struct convex_cost){s->entries * entry, count(s, (struct counts){1.3, 0.3, 0.4})};
}

struct convex_cost cost_of_interior(const struct convex_shape *s) {
    return (struct convex_cost){hessian(s) + 4 * pass(s), count(s, (struct counts){2.8, 0.08, 0})};
}

struct convex_cost cost_of_augmented(const struct convex_shape *s) {
    return (struct convex_cost){pass(s), count(s, (struct counts){3.2, 0.4, 0.2})};
}

struct convex_cost cost_of_ovr_newton(const struct convex_shape *s) {
    double product = 2 * s->rows * s->width * s->classes * dense.product;
    return (struct convex_cost){product, count(s, (struct counts){4.3, 0.05, 0.07})};
}

struct convex_cost cost_of_ovr_dual(const struct convex_shape *s) {
    double entry = s->sparse ? sparse.lane : dense.lane;
    struct counts counts =
        s->hinge ? (struct counts){3.2, 0.37, 0.56} : (struct counts){3.5, 0.12, 0.45};
    return (struct convex_cost){s->entries * s->classes * entry, count(s, counts)};
}
