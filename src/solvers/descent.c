#include "solvers/descent.h"

#include <math.h>

bool descent_interrupted(struct descent *d, sepal_status status, double objective) {
    if (status != SEPAL_ECANCEL) return false;
    forgive(d->o->ctx);
    (void)d->stops(d->payload, d->iterations, objective, NAN);
    d->stopped = true;
    return true;
}
