/* The method of multipliers for the hinge with an L2 penalty, by semismooth Newton steps
   (Rockafellar, Math. Oper. Res. 1976; Yan and Li, Math. Program. Comput. 2020), for many columns.

   With multipliers a_i between 0 and 1 each hinge is replaced by

       max over t between 0 and 1 of t (1 - m_i) - (t - a_i)^2 / 2 sigma_i,

   which is smooth, and bent only where t is between its bounds: t_i = a_i + sigma_i (1 - m_i),
   clipped. When that is minimised well enough the multipliers become t, and the sigmas grow.
   sigma_i goes with 1 / |x_i|^2, the step that coordinate descent would take: with one sigma for
   all, rows of different lengths spoil the conjugate gradients. They see only rows whose t is
   between its bounds. The start is what proximal epochs leave, once they gain little. */
#include "solvers/hinge.h"

#include <math.h>
#include <string.h>

enum {
    ROUNDS = 60,
    STEPS_A_ROUND = 20,
    EPOCHS_FIRST = 1000,
    PRODUCTS_MOST = 300,
    ROUNDS_BETWEEN_LOOKS = 4
};
static const double ENOUGH = 2e-4; /* a gap to begin with */
static const double STRENGTH = 100, STRONGER = 5, STRONGEST = 1e12;
static const double FORCING = 0.1;
static const double BALANCED = 1e-14; /* of the sum of the weights, which is about 1 */

struct augmented {
    struct solver *d;
    const struct objective *o;
    struct hinge best;
    double strength;   /* sigma_i = strength l2 / c_i |x_i|^2 */
    double *inverse;   /* n: 1 / |(x_i, 1)|^2 */
    double *a, *t;     /* n */
    double *m;         /* n: margins */
    double *dm;        /* n: those of the step; scratch of `best` */
    double *curvature; /* n: scratch of `best` */
    double *u, *gradient, *step, *residual, *direction, *product, *diagonal; /* width */
};

static double lagrangian_dot(const struct augmented *s, const double *a, const double *b) {
    return s->o->ctx->kernels->dot_f64(a, b, s->o->width);
}

/* ---- where we are ------------------------------------------------------------------------- */

static double variable(const struct augmented *s, size_t i, double m) {
    const struct objective *o = s->o;
    double t = s->a[i] + s->strength * o->l2 / o->row_weight[i] * s->inverse[i] * (1 - m);
    return clamp(t, 0, 1);
}

static double lagrangian_imbalance(const struct augmented *s, double by) {
    const struct objective *o = s->o;
    double sum = 0;
    for (size_t i = 0; i < o->n; i++) {
        double side = objective_side(o, i);
        sum += o->row_weight[i] * side * variable(s, i, s->m[i] + side * by);
    }
    return sum;
}

enum { BISECTIONS = 60 };

/* The weights of both sides add up to the same, but for rounding. */
static bool lagrangian_balanced(const struct augmented *s, double by) {
    return fabs(lagrangian_imbalance(s, by)) <= BALANCED;
}

/* How far the bias may go from where both sides are balanced until they are not. */
static double end_of_balance(const struct augmented *s, double from, double way) {
    double low = from, high = from + way;
    while (isfinite(high) && lagrangian_balanced(s, high)) {
        low = high;
        way *= 2;
        high = from + way;
    }
    if (!isfinite(high)) return from;
    for (int k = 0; k < BISECTIONS; k++) {
        double middle = 0.5 * (low + high);
        *(lagrangian_balanced(s, middle) ? &low : &high) = middle;
    }
    return low;
}

/* A free bias where both sides weigh the same. Newton steps alone would not find it: without a t
   between its bounds there is no curvature along the bias. Where they do so in an interval it is its
   middle: at an end there is a row at its kink, which lets no step of the weights get anywhere. */
static void lagrangian_set_bias(struct augmented *s) {
    double at = lagrangian_imbalance(s, 0), low = 0, high = at > 0 ? 1 : -1;
    while (isfinite(2 * high) && lagrangian_imbalance(s, high) * at > 0) {
        low = high;
        high *= 2;
    }
    for (int k = 0; k < BISECTIONS; k++) {
        double middle = 0.5 * (low + high);
        *(lagrangian_imbalance(s, middle) * at > 0 ? &low : &high) = middle;
    }
    if (at == 0) high = 0;
    if (lagrangian_balanced(s, high))
        high = 0.5 * (end_of_balance(s, high, -1) + end_of_balance(s, high, 1));
    s->u[s->o->cols] += high;
    for (size_t i = 0; i < s->o->n; i++) s->m[i] += high * objective_side(s->o, i);
}

/* t, the curvatures and the gradient at u, and what they are worth to the problem itself. */
static sepal_status lagrangian_look(struct augmented *s) {
    const struct objective *o = s->o;
    if (o->bias == BIAS_FREE) lagrangian_set_bias(s);
    for (size_t i = 0; i < o->n; i++) {
        s->t[i] = variable(s, i, s->m[i]);
        s->dm[i] = -o->row_weight[i] * s->t[i] * objective_side(o, i);
    }
    TRY(objective_back(s->gradient, o, s->dm));
    for (size_t j = 0; j < o->width; j++) s->product[j] = -s->gradient[j] / o->l2;
    TRY(hinge_offer_dual(&s->best, s->t, s->product));
    for (size_t j = 0; j < o->penalised; j++) s->gradient[j] += o->l2 * s->u[j];
    TRY(hinge_offer(&s->best, s->u, s->m));
    for (size_t i = 0; i < o->n; i++)
        s->curvature[i] = s->t[i] > 0 && s->t[i] < 1 ? s->strength * o->l2 * s->inverse[i] : 0;
    return SEPAL_OK;
}

/* What is left of the gradient adds little to the gap. */
static bool near(const struct augmented *s) {
    double excess = lagrangian_dot(s, s->gradient, s->gradient) / (2 * s->o->l2);
    return excess <= FORCING * (s->best.primal - s->best.dual);
}

/* ---- the step ----------------------------------------------------------------------------- */

static sepal_status find_diagonal(struct augmented *s) {
    const struct objective *o = s->o;
    TRY(objective_diagonal(s->diagonal, o, s->curvature));
    for (size_t j = 0; j < o->penalised; j++) s->diagonal[j] += o->l2;
    for (size_t j = 0; j < o->width; j++)
        if (!(s->diagonal[j] > 0)) s->diagonal[j] = 1;
    return SEPAL_OK;
}

static double lagrangian_precondition(const struct augmented *s, double *out) {
    for (size_t j = 0; j < s->o->width; j++) out[j] = s->residual[j] / s->diagonal[j];
    return lagrangian_dot(s, out, s->residual);
}

static sepal_status lagrangian_multiply(struct augmented *s) {
    const struct objective *o = s->o;
    TRY(objective_product(s->product, NULL, o, s->curvature, s->direction));
    for (size_t j = 0; j < o->penalised; j++) s->product[j] += o->l2 * s->direction[j];
    return SEPAL_OK;
}

/* The step by conjugate gradients with a diagonal preconditioner. */
static sepal_status lagrangian_find_step(struct augmented *s) {
    const struct objective *o = s->o;
    struct solver *d = s->d;
    TRY(find_diagonal(s));
    memset(s->step, 0, o->width * sizeof *s->step);
    for (size_t j = 0; j < o->width; j++) s->residual[j] = -s->gradient[j];
    double square = lagrangian_precondition(s, s->direction), enough = FORCING * FORCING * square;
    for (int k = 0; k < PRODUCTS_MOST && square > enough && !d->stopped; k++) {
        TRY(lagrangian_multiply(s));
        double curvature = lagrangian_dot(s, s->direction, s->product);
        if (!(curvature > 0)) break;
        for (size_t j = 0; j < o->width; j++) {
            s->step[j] += square / curvature * s->direction[j];
            s->residual[j] -= square / curvature * s->product[j];
        }
        double before = square;
        square = lagrangian_precondition(s, s->product);
        for (size_t j = 0; j < o->width; j++)
            s->direction[j] = s->product[j] + square / before * s->direction[j];
        d->stopped = d->stops(d->payload, d->iterations, s->best.primal, hinge_gap(&s->best));
    }
    return SEPAL_OK;
}

/* The slope along the step at a length of it. */
static double lagrangian_slope_at(const struct augmented *s, double across, double square,
                                  double length) {
    const struct objective *o = s->o;
    double slope = o->l2 * (across + length * square);
    for (size_t i = 0; i < o->n; i++)
        slope -= o->row_weight[i] * variable(s, i, s->m[i] + length * s->dm[i]) * s->dm[i];
    return slope;
}

/* To the least along the step, 1 at most. */
static sepal_status lagrangian_advance(struct augmented *s, double *length) {
    enum { HALVINGS = 30 };
    const struct objective *o = s->o;
    double across = o->ctx->kernels->dot_f64(s->u, s->step, o->penalised);
    double square = o->ctx->kernels->dot_f64(s->step, s->step, o->penalised), low = 0, high = 1;
    TRY(objective_margins(s->dm, o, s->step));
    if (lagrangian_slope_at(s, across, square, 1) <= 0) low = 1;
    for (int k = 0; k < HALVINGS && low < 1; k++) {
        double middle = 0.5 * (low + high);
        *(lagrangian_slope_at(s, across, square, middle) < 0 ? &low : &high) = middle;
    }
    *length = low;
    for (size_t j = 0; j < o->width; j++) s->u[j] += low * s->step[j];
    for (size_t i = 0; i < o->n; i++) s->m[i] += low * s->dm[i];
    return SEPAL_OK;
}

/* ---- the solver --------------------------------------------------------------------------- */

/* One problem with these multipliers. */
static sepal_status lagrangian_round_of(struct augmented *s) {
    double length;
    TRY(objective_margins(s->m, s->o, s->u));
    TRY(lagrangian_look(s));
    for (int k = 0; k < STEPS_A_ROUND && !hinge_ends(&s->best) && !(near(s) && k > 0); k++) {
        TRY(lagrangian_find_step(s));
        TRY(lagrangian_advance(s, &length));
        if (!(length > 0) || s->d->stopped) return SEPAL_OK;
        s->d->iterations++;
        TRY(lagrangian_look(s));
        if (s->d->iterations == s->d->max_iter) return SEPAL_OK;
    }
    return SEPAL_OK;
}

static sepal_status lagrangian_run(struct augmented *s) {
    struct solver *d = s->d;
    const struct objective *o = s->o;
    size_t most = d->max_iter ? d->max_iter : SIZE_MAX;
    if (hinge_gap(&s->best) > ENOUGH) TRY(proximal_run(&s->best, ENOUGH, EPOCHS_FIRST));
    TRY(objective_squared_norms(s->inverse, o));
    for (size_t i = 0; i < o->n; i++) {
        double square = s->inverse[i] + (o->bias != BIAS_NONE);
        s->inverse[i] = square > 0 ? 1 / square : 1;
    }
    memcpy(s->u, d->u, o->width * sizeof *s->u);
    memcpy(s->a, d->alpha, o->n * sizeof *s->a);
    s->strength = STRENGTH;
    double then = INFINITY;
    for (int k = 0; k < ROUNDS && d->iterations < most && !hinge_ends(&s->best); k++) {
        TRY(lagrangian_round_of(s));
        if (k % ROUNDS_BETWEEN_LOOKS == ROUNDS_BETWEEN_LOOKS - 1) {
            if (hinge_gap(&s->best) > 0.5 * then) break; /* rounding leaves little to gain */
            then = hinge_gap(&s->best);
        }
        memcpy(s->a, s->t, o->n * sizeof *s->a);
        s->strength = fmin(s->strength * STRONGER, STRONGEST);
    }
    return SEPAL_OK;
}

static sepal_status lagrangian_allocate(struct augmented *s, struct arena *arena) {
    const struct objective *o = s->o;
    TRY(ARENA_VECTORS(o->ctx, arena, o->n, &s->inverse, &s->a, &s->t, &s->m));
    TRY(ARENA_VECTORS(o->ctx, arena, o->width, &s->u, &s->gradient, &s->step, &s->residual,
                      &s->direction, &s->product, &s->diagonal));
    TRY(hinge_init(&s->best, s->d, arena));
    s->dm = s->best.m;
    s->curvature = s->best.r;
    return SEPAL_OK;
}

sepal_status solve_augmented(struct solver *d) {
    struct augmented s = {.d = d, .o = d->o};
    struct arena arena = {0};
    if (!(d->o->l2 > 0)) return solve_vanishing(d);
    sepal_status status = lagrangian_allocate(&s, &arena);
    if (status == SEPAL_OK) status = lagrangian_run(&s);
    arena_clear(&arena);
    return status;
}

static const char *augmented_refuses(const struct objective *o) {
    if (o->loss != &loss_hinge) return "it is for the hinge";
    return o->l1 > 0 ? "it is for an L2 penalty, or none" : NULL;
}

const struct convex_solver convex_solver_augmented = {
    .name = {.name = "augmented",
             .summary = "augmented Lagrangian method: the hinge, many columns"},
    .suits = "many columns",
    .solve = solve_augmented,
    .refuses = augmented_refuses,
    .cost = cost_of_augmented,
    .far = SOLVER_NEAR,
};
