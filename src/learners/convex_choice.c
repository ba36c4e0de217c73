/* Which solver for which objective and data. */
#include "learners/convex.h"

#include <string.h>

static const char *newton_cg_refuses(const struct objective *o) {
    if (!o->loss->smooth) return "the hinge has no slope at its kink";
    return o->l1 > 0 ? "|w|_1 has no slope at 0" : NULL;
}

static const char *sgd_refuses(const struct objective *o) {
    (void)o;
    return NULL;
}

static const char *newton_refuses(const struct objective *o) {
    if (o->width > NEWTON_WIDTH_MOST) return "its Hessian has more than 4096 columns";
    return newton_cg_refuses(o);
}

static const struct convex_way ways[] = {
    {"newton-cg", solve_newton_cg, newton_cg_refuses},
    {"newton", solve_newton, newton_refuses},
    {CONVEX_WALK, solve_sgd, sgd_refuses},
};
const char convex_ways[] = "newton-cg|newton|" CONVEX_WALK;

enum { WAYS = sizeof ways / sizeof *ways };

static sepal_status refuse(struct convex *convex, const struct convex_way *way, const char *why) {
    char able[256] = "";
    for (size_t w = 0; w < WAYS; w++) {
        if (ways[w].refuses(&convex->objective)) continue;
        if (*able) strncat(able, ", ", sizeof able - strlen(able) - 1);
        strncat(able, ways[w].name, sizeof able - strlen(able) - 1);
    }
    return fail(convex->fit->ctx, SEPAL_EUSAGE,
                "the solver %s cannot do this: %s; leave --solver out, or take one of: %s",
                way->name, why, able);
}

static sepal_status named(const struct convex_way **out, struct convex *convex) {
    for (size_t w = 0; w < WAYS; w++)
        if (strcmp(ways[w].name, convex->fit->options.solver) == 0) *out = &ways[w];
    const char *why = (*out)->refuses(&convex->objective);
    return why ? refuse(convex, *out, why) : SEPAL_OK;
}

sepal_status convex_choose(const struct convex_way **out, const char **why, struct convex *convex) {
    *out = &ways[0];
    *why = "as asked";
    if (convex->fit->options.solver) return named(out, convex);
    *why = "the only one so far";
    return SEPAL_OK;
}
