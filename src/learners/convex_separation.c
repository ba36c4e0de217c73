/* Logistic regression without a penalty on classes that a hyperplane separates, wholly or up to rows
   on itself: the likelihood rises as long as the weights grow, and no finite weights are best. Only
   asked when a fit shows signs of it, of the solver of separability and within a budget that does
   not depend on the clock. */
#include "learners/convex.h"

#include "core/alloc.h"
#include "separability/separable.h"

#include <math.h>

static const double MOST_WORK = 3e10; /* a few seconds */

/* At an optimum the steps end; on the way to infinity each moves some margin by about 1. Solvers that
   keep no account of it leave margins that no finite data should need. */
static sepal_status shows_signs(bool *out, const struct convex *convex) {
    static const double moving = 0.1, far = 20;
    const struct objective *o = &convex->objective;
    const struct solver *d = &convex->descent;
    const struct joint *j = convex->joint;
    *out = !d->converged || d->drift > moving;
    if (*out) return SEPAL_OK;
    size_t cells = j ? j->cells : o->n;
    double most = 0, *m = mem_alloc(o->ctx, cells, sizeof *m);
    sepal_status status = !m  ? SEPAL_EMEMORY
                          : j ? joint_scores(m, j, d->u)
                              : objective_margins(m, o, d->u);
    for (size_t i = 0; status == SEPAL_OK && i < cells; i++) most = fmax(most, m[i]);
    *out = most > far;
    mem_free(m);
    return status;
}

static sepal_status separation_ask(struct separability *out, const struct convex *convex,
                                   struct arena *arena) {
    const struct objective *o = &convex->objective;
    const struct fit *fit = convex->fit;
    int8_t *side = arena_alloc(fit->ctx, arena, o->n, sizeof *side);
    if (!side) return SEPAL_EMEMORY;
    bool present[2] = {false, false};
    for (size_t i = 0; i < o->n; i++) {
        side[i] = o->label[i] == 1 ? 1 : -1;
        present[side[i] > 0] = true;
    }
    /* a label that every row has, or none: only two sides can be asked about */
    if (!present[0] || !present[1]) return SEPAL_OK;
    struct question question = {.x = o->x, .side = side, .bias = o->bias != BIAS_NONE};
    if (convex->joint && convex->joint->classes > 2) {
        question.side = NULL;
        question.label = o->label;
        question.classes = convex->joint->classes;
    }
    struct budget budget = {
        .start_ns = fit->start_ns, .max_seconds = fit->options.max_seconds, .max_work = MOST_WORK};
    return separable_decide(out, fit->ctx, arena, &question, (struct separable_wish){.quasi = true},
                            &budget);
}

static void separation_warn_of(const struct convex *convex, bool wholly) {
    bool machine = convex->joint && convex->joint->classes > 2;
    warn(convex->fit->ctx, wholly ? "separable" : "quasi-separable",
         "%s, so without a penalty the %s as long as the weights "
         "grow, which was ended after %zu steps; give a penalty, C=1 or l2=1e-6",
         wholly ? (machine ? "a linear machine separates the classes"
                           : "a hyperplane separates the classes")
         : machine
             ? "a linear machine has no row on a wrong side, though some on the border of two "
               "classes (quasi-complete separation)"
             : "a hyperplane has no row on its wrong side, though some of both classes on itself "
               "(quasi-complete separation)",
         convex->joint && !convex->joint->loss->convex ? "error has no minimum: it falls"
                                                       : "likelihood has no maximum: it rises",
         convex->descent.iterations);
}

sepal_status convex_separation(struct convex *convex) {
    const struct objective *o = &convex->objective;
    struct separability found = {.separable = OUTCOME_UNKNOWN, .quasi = OUTCOME_UNKNOWN};
    struct arena arena = {0};
    bool signs;
    if (o->loss != &loss_logistic || o->l1 > 0 || o->l2 > 0) return SEPAL_OK;
    if (o->box)
        return SEPAL_OK; /* the weights may end at their bounds, and the separation test does not know them */
    if (convex->fit->stopped || convex_is_sgd(convex->fit)) return SEPAL_OK;
    TRY(shows_signs(&signs, convex));
    if (!signs) return SEPAL_OK;
    sepal_status status = separation_ask(&found, convex, &arena);
    arena_clear(&arena);
    TRY(status);
    bool wholly = found.separable == OUTCOME_YES;
    bool convex_loss = !convex->joint || convex->joint->loss->convex;
    if (!wholly && found.quasi == OUTCOME_NO && convex_loss) return SEPAL_OK;
    convex->descent.converged = false;
    convex->endless = true;
    convex->fit->growth = wholly                       ? SUMMARY_SEPARABLE
                          : found.quasi == OUTCOME_YES ? SUMMARY_QUASI_SEPARABLE
                                                       : SUMMARY_GROWING;
    if (wholly || found.quasi == OUTCOME_YES)
        separation_warn_of(convex, wholly);
    else if (!convex_loss)
        warn(convex->fit->ctx, "weights-grow",
             "the weights have grown until probabilities are 0 or 1, and the error may fall as "
             "long as they grow; that was ended after %zu steps; give a penalty, C=1 or l2=1e-6",
             convex->descent.iterations);
    else
        warn(
            convex->fit->ctx, "weights-grow",
            "the weights still grow after %zu steps, as they do without end when a hyperplane "
            "has no row on its wrong side (`sepal separable` decides that); give a penalty, C=1 or "
            "l2=1e-6",
            convex->descent.iterations);
    return SEPAL_OK;
}
