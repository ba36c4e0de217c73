/* How much may be spent on a question, and what was. */
#ifndef SEPAL_CORE_BUDGET_H
#define SEPAL_CORE_BUDGET_H

#include "core/clock.h"
#include "core/context.h"

#include <math.h>

struct budget {
    uint64_t start_ns;
    double max_seconds; /* NaN: no limit */
    double max_work; /* multiplications, so that the end does not depend on the clock; NaN: none */
    double work;
    const char *stopped; /* why; NULL: it is not */
};

/* Count work, and ask now and then whether to go on. True: stop. */
static inline bool budget_spent(struct budget *effort, sepal_ctx *ctx, double work,
                                const char *line) {
    effort->work += work;
    if (effort->stopped) return true;
    if (effort->work >= effort->max_work)
        effort->stopped = "work limit";
    else if (progress(ctx, "%s", line))
        effort->stopped = "interrupted";
    else if (clock_seconds_since(effort->start_ns) >= effort->max_seconds)
        effort->stopped = "time limit";
    return effort->stopped != NULL;
}

#endif
