/* Dual coordinate descent for joint objectives with an L2 penalty. Their dual has for each row a point of the
   simplex, and its weights are (1 / l2) sum of c_i (e_y - alpha_i) (x_i - c)'. */
#ifndef SEPAL_JOINT_JOINT_DCD_H
#define SEPAL_JOINT_JOINT_DCD_H

#include "joint/joint_solver.h"

/* Rows are visited in groups of so many that follow each other in memory. */
enum { JOINT_DCD_GROUP = 4, JOINT_DCD_HISTORY = 8 };

/* A row's variables at a time: joint_dcd.c. */
struct joint_dcd {
    struct solver *d;
    const struct joint *j;
    const struct objective *o;
    /* Of the loss, at scores g of row i: moves its variables. `step` is what the row is to be added to the
       weights with; false: nothing changes. */
    bool (*step)(struct joint_dcd *s, size_t i, double *g, double *step);
    double *w;     /* the point; d->u */
    double *alpha; /* n x lanes; d->alpha */
    /* The weights of sparse rows are singles as long as the gap is large, `half` of them to a column, and w is
       behind; NULL: they are w's. */
    float *single, *row; /* row: one as singles, and its scores */
    size_t half;
    void *block; /* what they lie in */
    /* The rows' numbers as singles, block after block, each from `first` on; NULL: as they are kept. */
    float *value;
    size_t *first;
    double then; /* the gap some epochs ago */
    /* The biases, the point's last row, are anchor + (1 / stiff) sum of c_i (e_y - alpha_i). */
    double stiff, *anchor;
    double *curvature; /* n: what a score of the row changes by when its own variable moves by 1 */
    bool *shrunk;      /* n: at a corner of the simplex and likely to stay there */
    bool any_shrunk;
    double *score;   /* n x lanes: when the gap is measured */
    double *room;    /* a row as doubles, its scores and its step */
    double *entropy; /* n: of the variables; only for softmax */
    double *scratch; /* 6 x lanes, of a step */
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
    double history[JOINT_DCD_HISTORY]; /* gaps, of the last epochs */
    double best; /* the least objective that was seen, of the point `kept`; NULL: none is */
    double *kept;
};

bool crammer_step(struct joint_dcd *s, size_t i, double *g, double *step);
bool softmax_step(struct joint_dcd *s, size_t i, double *g, double *step);

/* joint_dcd_rows.c: one visit of every row that is not shrunk; false: the user, asked now and then, wants to
   end. */
bool joint_dcd_epoch(struct joint_dcd *s);
void joint_dcd_unshrink(struct joint_dcd *s);
/* The numbers of rows that are doubles, which each visit would round anew. */
sepal_status joint_dcd_keep_singles(struct joint_dcd *s);
/* The singles, from w. */
void joint_dcd_round(struct joint_dcd *s);
/* |x_i - c|^2 / l2 times the row's weight, of all rows. */
sepal_status joint_curvatures(double *out, const struct joint *j);

/* joint_dcd.c: epochs up to number `most` until the tolerance is reached, or until `halving` of them do
   not halve what rows have in excess; 0: no matter how many. */
sepal_status joint_dcd_descend(struct solver *d, size_t most, size_t halving);

#endif
