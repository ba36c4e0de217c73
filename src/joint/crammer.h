/* Inside the solvers of the machine of Crammer and Singer. With an L2 penalty its dual has for each row a
   point of the simplex, and its weights are (1 / l2) sum of c_i (e_y - alpha_i) (x_i - c)'. */
#ifndef SEPAL_JOINT_CRAMMER_H
#define SEPAL_JOINT_CRAMMER_H

#include "joint/joint_solver.h"

/* Rows are visited in groups of so many that follow each other in memory. */
enum { CRAMMER_GROUP = 4 };

/* Coordinate descent, a row's variables at a time: crammer_dual.c. */
struct crammer {
    struct solver *d;
    const struct joint *j;
    const struct objective *o;
    double *w;     /* the point; d->u */
    double *alpha; /* n x lanes; d->alpha */
    /* The biases, the point's last row, are anchor + (1 / stiff) sum of c_i (e_y - alpha_i). */
    double stiff, *anchor;
    double *curvature; /* n: what a score of the row changes by when its own variable moves by 1 */
    bool *shrunk;      /* n: at a corner of the simplex and likely to stay there */
    bool any_shrunk;
    double *score;   /* n x lanes: of looks */
    double *room;    /* a row as doubles, its scores and its step */
    uint32_t *order; /* of the groups */
    size_t groups;
    size_t visits, often; /* since the user was asked; when to ask again */

    /* Of the last epoch, each row as it was met: what its loss had above its bound, the loss, and
       (e_y - alpha_i) . s_i. */
    double excess, loss, products;
    double worst, worst_now; /* the largest difference of scores that a row had to move for */

    double primal, gap; /* relative; estimated unless just looked at */
    double ratio;       /* of the true gap to the excess when last looked at; NaN: never */
    double before;      /* the excess of the epoch before */
    double best;        /* the least objective that was seen, of the point `kept`; NULL: none is */
    double *kept;
};

/* crammer_rows.c: one visit of every row that is not shrunk; false: the user, asked now and then, wants to
   end. */
bool crammer_epoch(struct crammer *s);
void crammer_unshrink(struct crammer *s);
/* |x_i - c|^2 / l2 times the row's weight, of all rows. */
sepal_status crammer_curvatures(double *out, const struct joint *j);

/* crammer_dual.c: epochs up to number `most` until the tolerance is reached, or until `patience` of them do
   not halve what rows have in excess; 0: no matter how many. */
sepal_status crammer_descend(struct solver *d, size_t most, size_t patience);

/* Why this cannot be solved by either; NULL: it can. */
const char *crammer_refuses(const struct joint *j);

#endif
