/* What a solver is foreseen to cost, from the shape of the data: the time of a step, from what it reads
   and multiplies, times the number of steps,

       steps = exp(a + b digits) (1 + curvature)^(c + e digits),    digits = log10(1 / tol),

   where curvature is that of the dual along one row, C |x|^2: how much a row can move its own score. The
   larger, the worse the conditioning.
   bench/calibrate measures such constants on problems that it makes up. Those here are its, rounded
   towards what some 30 real data sets took at gaps of 0.9 to 1e-6, six of them also at C = 0.01 and 100,
   on two cores of a shared x86-64 with AVX2 and OpenBLAS 0.3.21: rows that are made up flatter lbfgs. A
   choice needs them to a factor of two. Threads are not asked for: they must change no bit. */
#include "solvers/solver.h"

#include <math.h>

/* Nanoseconds of an entry in a pass, of a product that is added to a Hessian, and of an entry in an
   epoch of dual coordinate descent, by itself and in lock-step for each class. */
static const struct {
    double pass, product, epoch, lane;
} dense = {0.5, 0.03, 0.6, 0.12}, sparse = {2.0, 0.3, 0.9, 0.32};
/* Of a row, beside its entries: in such an epoch, by the logistic loss with its exponentials, by others,
   and in lock-step for each class; in a step of interior. Of a number of a point in a pass. */
static const double visit_logistic = 80, visit = 30, visit_lane = 6, inside = 20, point = 2;

/* The part of the steps of each that is left from a start that is near: dual coordinate descent, which gets its dual
   variables from the start's margins, gains nothing of it. */
static const double near_newton = 0.5, near_newton_cg = 0.1, near_lbfgs = 0.4;

/* Of the counts of steps above. */
struct counts {
    double a, b, c, e;
};

static double costs_count(const struct convex_shape *s, struct counts counts) {
    double digits = -log10(s->tol);
    return exp(counts.a + counts.b * digits) * pow(1 + s->curvature, counts.c + counts.e * digits);
}

/* Where there are hardly more rows than columns, the rows' scores can be moved one by one, and the counts stop
   growing with the curvature. How many of which digits are needed then: least (1 + slope digits)
   exp(growth n/d) off_centre^off (d / directions)^alike. */
struct limits {
    double least, slope, growth, off, alike;
};

static double costs_limited(const struct convex_shape *s, double count, struct limits l) {
    if (!s->few_rows) return count;
    double digits = -log10(s->tol);
    double most = l.least * (1 + l.slope * digits) * exp(l.growth * s->rows / s->width) *
                  pow(s->off_centre, l.off) * pow(s->width / s->directions, l.alike);
    return 1 / (1 / count + 1 / most);
}

static double pass(const struct convex_shape *s) {
    return s->entries * (s->sparse ? sparse.pass : dense.pass) + s->width * point;
}

/* The weights of many columns are not all in the nearest caches; rows at their bounds are passed by. */
static double epoch(const struct convex_shape *s) {
    static const double near = 6e4, farthest = 3, visited = 0.6;
    double entry = s->sparse ? sparse.epoch * fmin(1 + s->width / near, farthest) : dense.epoch;
    if (s->logistic) return s->entries * entry + s->rows * visit_logistic;
    return s->entries * entry * visited + s->rows * visit;
}

static double hessian(const struct convex_shape *s) {
    double square = s->width * s->width, full = s->rows * square * dense.product;
    double scattered = s->entries / s->rows * s->entries / 2 * sparse.product;
    return (s->sparse ? fmin(full, scattered) : full) + square * s->width / 3 * dense.product;
}

/* Nearly as many directions as rows, and a penalty that hardly holds the weights: steps go astray at first. */
static double newton_astray(const struct convex_shape *s) {
    if (!s->few_rows) return 1;
    return s->logistic ? fmax(pow(s->curvature / 200, 0.13), 1)
                       : fmax(pow(s->curvature / 20, 0.3), 1);
}

/* Rows that hardly move their own scores leave the Hessian as it is, and rows beyond their margin are not
   in that of a squared hinge: of dense rows, which are counted whole. */
struct convex_cost cost_of_newton(const struct convex_shape *s) {
    static const double changes = 20, below = 0.5;
    struct counts counts =
        s->logistic ? (struct counts){1.25, 0.08, 0, 0} : (struct counts){1.3, 0.04, 0, 0};
    double step = hessian(s) * (s->logistic || s->sparse ? 1 : below) + 2 * pass(s);
    double steady = pow(fmin((1 + s->curvature) / changes, 1), 0.25);
    double count = costs_count(s, counts) * steady * newton_astray(s);
    return (struct convex_cost){step, count * (s->near ? near_newton : 1)};
}

struct convex_cost cost_of_newton_cg(const struct convex_shape *s) {
    struct counts counts =
        s->logistic ? (struct counts){2.3, 0.27, 0.37, 0} : (struct counts){2.2, 0.25, 0.5, 0};
    return (struct convex_cost){pass(s), costs_count(s, counts) * (s->near ? near_newton_cg : 1)};
}

/* Of a squared hinge the directions tell more than the size of the rows, unless these are few: columns that
   have much in common are ill-conditioned. */
struct convex_cost cost_of_lbfgs(const struct convex_shape *s) {
    static const struct limits limits = {14, 0.3, 0.5, 0.5, 0.35};
    static const struct counts logistic = {1.3, 0.28, 0.24, 0}, few_rows = {1.05, 0.38, 0.55, 0},
                               others = {1.05, 0.24, 0.21, 0};
    double step = 2 * pass(s), near = s->near ? near_lbfgs : 1;
    if (s->logistic)
        return (struct convex_cost){step,
                                    near * costs_limited(s, costs_count(s, logistic), limits)};
    if (s->few_rows || s->directions == 0)
        return (struct convex_cost){step, near * costs_count(s, few_rows)};
    double alike = s->width / s->directions;
    return (struct convex_cost){step, near * costs_count(s, others) * sqrt(alike)};
}

static double epochs(const struct convex_shape *s) {
    struct counts counts = s->logistic ? (struct counts){-0.2, 0.15, 0.35, 0.12}
                           : s->hinge  ? (struct counts){0.3, 0.3, 0.5, 0.19}
                                       : (struct counts){-0.1, 0.2, 0.7, 0.16};
    if (!s->sparse) counts.a += 0.8; /* dense columns have more in common */
    struct limits limits = {s->logistic ? 2
                            : s->hinge  ? 8
                                        : 5.4,
                            s->hinge ? 0.5 : 0.2, 2, 1.4, 0.75};
    return costs_limited(s, costs_count(s, counts), limits);
}

struct convex_cost cost_of_dual(const struct convex_shape *s) {
    return (struct convex_cost){epoch(s), epochs(s)};
}

struct convex_cost cost_of_interior(const struct convex_shape *s) {
    double step = 3 * hessian(s) + 4 * pass(s) + inside * s->rows;
    return (struct convex_cost){step, costs_count(s, (struct counts){2.8, 0.08, 0, 0})};
}

struct convex_cost cost_of_augmented(const struct convex_shape *s) {
    struct counts counts = {s->sparse ? -0.8 : -0.2, 0.65, 0.6, 0};
    double count =
        costs_limited(s, costs_count(s, counts), (struct limits){9, 0.5, 0.6, 0.5, 0.35});
    return (struct convex_cost){epoch(s) + pass(s), count};
}

struct convex_cost cost_of_ovr_newton(const struct convex_shape *s) {
    double product = 2 * s->rows * s->width * s->classes * dense.product;
    return (struct convex_cost){product, costs_count(s, (struct counts){4.3, 0.05, 0.07, 0})};
}

/* The classes go on together until the last is done, and none passes rows by. */
struct convex_cost cost_of_ovr_dual(const struct convex_shape *s) {
    static const double last = 1.5;
    double entry = s->sparse ? sparse.lane : dense.lane;
    double step = (s->entries * entry + s->rows * visit_lane) * s->classes;
    return (struct convex_cost){step, last * epochs(s)};
}
