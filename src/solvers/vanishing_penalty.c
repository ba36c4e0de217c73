/* The hinge without a penalty and with many columns: L2 penalties that vanish, each from the answer to
   the one before. From some strength on the answer is that of no penalty at all, the shortest one
   (Mangasarian and Meyer, "Nonlinear perturbation of linear programs", SIAM J. Control Optim. 1979).

   The sums v of the dual variables are l2 w and not 0, so they are no bound for all weights. They are
   taken for one beside weights of the same size, when those have come to rest. */
#include "solvers/hinge.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ROUNDS = 40 };
static const double WEAKER = 0.05, LOOSE = 1e-3;

struct vanishing {
    struct solver *d;
    struct hinge best;
    struct objective o; /* with a penalty */
    struct solver inner;
    double square; /* |w|^2 of the last answer */
};

static double vanishing_square_of(const struct objective *o, const double *u) {
    return o->ctx->kernels->dot_f64(u, u, o->cols);
}

/* The penalty of a row as long as the others: C |x|^2 = 1. */
static sepal_status first_penalty(struct vanishing *s) {
    const struct objective *o = s->d->o;
    double sum = 0;
    TRY(objective_squared_norms(s->best.m, o));
    for (size_t i = 0; i < o->n; i++) sum += o->row_weight[i] * s->best.m[i];
    s->o.l2 = sum / (double)o->n;
    if (!(s->o.l2 > DBL_MIN)) s->o.l2 = 1;
    return SEPAL_OK;
}

static sepal_status vanishing_round_of(struct vanishing *s, bool *last) {
    static const double at_rest = 1.01;
    struct solver *d = s->d, *inner = &s->inner;
    inner->tol = fmax(0.1 * d->tol, fmin(LOOSE, 0.1 * s->o.l2 * s->square / s->best.primal));
    inner->iterations = 0;
    inner->max_iter = d->max_iter ? d->max_iter - d->iterations : 0;
    inner->converged = false;
    TRY(solve_augmented(inner));
    d->iterations += inner->iterations;
    d->stopped = inner->stopped;
    TRY(hinge_offer(&s->best, inner->u, NULL));
    d->converged = s->best.primal == 0;
    double square = vanishing_square_of(d->o, inner->u);
    if (inner->converged && square <= at_rest * s->square)
        TRY(hinge_try_certificate(&s->best, inner->alpha));
    *last = d->converged || d->stopped || (d->max_iter && d->iterations >= d->max_iter);
    s->square = square;
    s->o.l2 *= WEAKER;
    inner->warm = true;
    return SEPAL_OK;
}

sepal_status solve_vanishing(struct solver *d) {
    const struct objective *o = d->o;
    struct vanishing s = {.d = d, .o = *o, .inner = *d};
    struct arena arena = {0};
    bool last = false;
    s.inner.o = &s.o;
    s.inner.u = arena_alloc(o->ctx, &arena, o->width, sizeof *s.inner.u);
    s.inner.alpha = arena_zero(o->ctx, &arena, o->n, sizeof *s.inner.alpha);
    s.inner.paired = false;
    sepal_status status = s.inner.u && s.inner.alpha ? SEPAL_OK : SEPAL_EMEMORY;
    if (status == SEPAL_OK) status = hinge_init(&s.best, d, &arena);
    if (status == SEPAL_OK) status = first_penalty(&s);
    if (status == SEPAL_OK) memcpy(s.inner.u, d->u, o->width * sizeof *d->u);
    for (int k = 0; status == SEPAL_OK && k < ROUNDS && !last; k++)
        status = vanishing_round_of(&s, &last);
    if (status == SEPAL_OK && d->converged) status = hinge_check_conditioning(&s.best);
    arena_clear(&arena);
    return status;
}
