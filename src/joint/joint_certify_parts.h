/* Inside of the proof of a joint fit: joint_certify.c has the bound, joint_certify_rows.c what rows add to it. */
#ifndef SEPAL_JOINT_JOINT_CERTIFY_PARTS_H
#define SEPAL_JOINT_JOINT_CERTIFY_PARTS_H

#include "core/compensated_sum.h"
#include "joint/joint.h"

struct joint_proving {
    const struct joint *j;
    const double *u, *alpha; /* alpha NULL: the point's own variables */
    int32_t *decided;        /* n, or NULL: see joint_certify.h */
    bool dual;               /* a bound is wanted, else the slope alone */
    /* n x lanes: the variables, where rows have to wait for those of all others; NULL: each panel of rows is
       done with at once. */
    double *a;
    double *largest; /* cols: the largest weight of each column in magnitude */
    double *shift;   /* lanes: what sparse rows' centre and the biases add */
    double shift_size, shift_error;
    size_t sums; /* (cols + 1) x lanes */
    /* slabs x sums: V with its biases' row; slabs x (cols + 1): sums of c_i times the largest factor, and of
       c_i alone, times |x_i - c| */
    double *v, *reach, *all;
    double imbalance; /* so much of a row's variables may have to move for a perfect balance */
    double shrink;    /* the part of e_y - a_i that is kept, for an L1 penalty alone */
    struct total loss[SLABS_MOST], conjugate[SLABS_MOST];
    double loss_error[SLABS_MOST], conjugate_error[SLABS_MOST];
    size_t inside[SLABS_MOST];
};

/* Scores, losses and variables of all rows; the rest, too, where rows need not wait. */
sepal_status proof_rows(struct joint_proving *p);
/* Of rows that waited: their part of V, and what their variables are worth. */
sepal_status proof_add_rows(struct joint_proving *p);
sepal_status proof_conjugates(struct joint_proving *p);

#endif
