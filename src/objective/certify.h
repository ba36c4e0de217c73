/* The proof of a fit: its objective and a bound from below, computed from the data by plain code
   that no solver uses. */
#ifndef SEPAL_OBJECTIVE_CERTIFY_H
#define SEPAL_OBJECTIVE_CERTIFY_H

#include "objective/objective.h"

struct proof {
    double primal; /* P at the point */
    /* D, no larger than the least P whatever rounding has done to it, and less by what rounding may
       have taken off P; NaN: there is no dual point at hand */
    double dual;
    double gap;      /* (P - D) / max(|P|, 1e-300), no less than the truth; NaN without D */
    double rounding; /* so much of P - D is there for rounding */
    double slope;    /* without a penalty: the largest entry of the gradient, of bounded weights one
                        that does not lead out of the bounds; else NaN */
    double norm;     /* |w| */
    size_t inside;   /* rows with a margin of at most SUPPORT_MARGIN */
};
/* 1, but rows that are to lie on it do so up to the gap only. */
#define SUPPORT_MARGIN (1 + 1e-6)

/* `alpha`: a dual variable for each row as the solver left it, in any state; NULL: those of the
   point, minus the slopes of the losses. They are brought into the range of the loss, balanced for a
   free bias and shrunk for an L1 penalty alone, so D is a bound whatever they are. Without a penalty
   the sums over their rows would have to be 0 to the last bit, since nothing is known of how large the
   best weights are, so that D is NaN unless P is 0. Bounds on weights say how large they are: v_j of
   a weight that cannot rise may be any number above 0, and of one that cannot fall any below.
   SEPAL_EINTERNAL when D is above P by more than rounding can do, or a weight is out of its bounds. */
sepal_status certify(struct proof *out, const struct objective *o, const double *u,
                     const double *alpha);

#endif
