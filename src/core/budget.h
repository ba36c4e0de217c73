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
static inline bool budget_spent(struct budget *budget, sepal_ctx *ctx, double work,
                                const char *line) {
    budget->work += work;
    if (budget->stopped) return true;
    if (budget->work >= budget->max_work)
        budget->stopped = "work limit";
    else if (progress(ctx, "%s", line))
        budget->stopped = "interrupted";
    else if (clock_seconds_since(budget->start_ns) >= budget->max_seconds)
        budget->stopped = "time limit";
    return budget->stopped != NULL;
}

#endif
