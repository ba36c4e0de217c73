/* What the solvers of the hinge with an L2 penalty share: the best point and the best dual
   variables found so far, and what can be had cheaply of the margins alone. */
#ifndef SEPAL_SOLVERS_HINGE_H
#define SEPAL_SOLVERS_HINGE_H

#include "solvers/solver.h"

struct hinge {
    struct solver *d; /* u and alpha hold the best */
    const struct objective *o;
    double primal, dual; /* of these */
    /* Scratch, free for others between offers. After a point was offered `m` holds its margins. */
    double *m, *r;         /* n */
    double *point, *image; /* width */
    double *sizes;         /* width: sums of c_i |(x_i - c, 1)|; without a penalty only */
};

/* What is given to start from counts as found. */
sepal_status hinge_init(struct hinge *h, struct solver *d, struct arena *arena);
/* A point, whose margins m may be NULL. It is taken with the length and the bias that are best. */
sepal_status hinge_offer(struct hinge *h, const double *u, const double *m);
/* Dual variables in any state; their image (1 / l2) sum of c_i a_i y_i (x_i - c, 1) may be
   NULL. For a free bias they are balanced first. */
sepal_status hinge_offer_dual(struct hinge *h, const double *a, const double *image);
/* Without a penalty, where no dual variables bound all points: whether these make the best one good
   enough beside points of its size. Then they are kept, and it has converged. */
sepal_status hinge_try_certificate(struct hinge *h, const double *a);
/* Of sums of dual variables, beside their terms. */
double hinge_rounding(const struct objective *o);
double hinge_gap(const struct hinge *h); /* relative */
/* The tolerance is reached, or the user wants to end: both are noted in the descent. */
bool hinge_ends(struct hinge *h);

/* hinge_check_conditioning.c: without a penalty, of a point that has converged: no longer, if columns that hardly
   differ may hide more. */
sepal_status hinge_check_conditioning(struct hinge *h);

/* hinge_line.c: add to the margins and to *bias what makes the losses least. */
sepal_status hinge_bias(const struct objective *o, double *m, double *bias);
/* The factor of a point that makes loss and penalty least; square: |.|^2 of what is penalised. */
sepal_status hinge_length(double *out, const struct objective *o, const double *m, double square);

/* proximal.c: `most` epochs from the best found on, until the tolerance or a gap that is enough is
   reached, or until they gain little. */
sepal_status proximal_run(struct hinge *h, double enough, size_t most);

/* vanishing_penalty.c: the hinge without a penalty, by solve_augmented with ever smaller ones. */
sepal_status solve_vanishing(struct solver *d);

/* interior.c: all columns and rows at once. interior_columns.c: with an L1 penalty, the columns that
   have a weight. interior_band.c: of many dense rows, those near their kink. */
sepal_status interior_narrow(struct solver *d,
                             double off); /* margins at the start, by about; 0: unknown */
sepal_status interior_by_columns(struct solver *d);
sepal_status interior_banded(struct solver *d);
bool interior_is_tall(const struct objective *o);

#endif
