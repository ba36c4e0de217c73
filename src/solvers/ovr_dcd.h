/* Dual coordinate descent for each class against the rest, in lock-step: groups of up to OVR_LANES
   classes, whose weights of one column lie side by side. Rounds of it alternate with proofs:

       ovr_dcd_open
       ovr_dcd_start
       repeat: ovr_dcd_descend (epochs, until a gap is likely), ovr_dcd_settle (the weights anew),
               [prove each class], ovr_dcd_keep (only the classes that are not done) */
#ifndef SEPAL_SOLVERS_OVR_DCD_H
#define SEPAL_SOLVERS_OVR_DCD_H

#include "objective/certify_ovr.h"

struct ovr_dcd_group {
    struct ovr_point point;
    double anchor[OVR_LANES]; /* of the bias, see ovr_dcd.c */
    double worst[2];          /* the largest relative gap of its classes in the last two epochs */
    double last_fall;         /* the least of them yet */
    size_t idle;              /* epochs since then */
    bool likely;              /* the gap asked for seems to be reached */
};

struct ovr_dcd {
    /* Given. */
    const struct ovr_objective *rest;
    size_t classes;    /* problems: class 0 .. classes - 1 against the rest */
    double tol;        /* the relative gap that ovr_dcd_descend aims at */
    size_t max_epochs; /* of all rounds */
    uint64_t seed;
    bool (*stops)(void *payload, size_t iteration, double objective, double gap);
    void *payload;

    /* Made by ovr_dcd_open. */
    float *row_weight;  /* of each row, over l2 */
    float *norm;        /* of each row, squared */
    struct matrix rows; /* those of the objective, sparse ones as singles */
    struct block *blocks;
    float *singles;
    double norm_most; /* the largest of c_i norm_i / l2 */
    double norm_mean; /* the mean of norm_i, by row weight */
    double norm_largest;
    double bias_square; /* the bias is a weight of a column of this value, squared */
    double bias_keeps;  /* how much of a move of the anchor the bias makes */
    uint32_t *order;
    size_t n_groups;
    struct ovr_dcd_group *groups;
    void *block; /* what their weights and dual variables lie in */

    size_t epochs;
    bool stalled; /* more epochs promise little */
    bool stopped; /* by `stops` */
};

/* Row norms, which tell whether singles will do. To be given to ovr_dcd_close in any case. */
sepal_status ovr_dcd_open(struct ovr_dcd *d);
sepal_status ovr_dcd_start(struct ovr_dcd *d);
sepal_status ovr_dcd_descend(struct ovr_dcd *d);
/* The weights that the dual variables make, added up in doubles. */
sepal_status ovr_dcd_settle(struct ovr_dcd *d);
/* Go on with the classes for which wanted[k] holds. */
sepal_status ovr_dcd_keep(struct ovr_dcd *d, const bool *wanted);
void ovr_dcd_close(struct ovr_dcd *d);

/* For the descent: rows of this many are visited together. */
enum { OVR_ROWS = 8 };

#endif
