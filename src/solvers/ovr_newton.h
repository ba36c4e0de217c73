/* Newton's method for one-versus-rest problems over the same rows, in lock-step: the rows are read once
   for all classes of a group, by matrix products. For smooth losses with an L2 penalty, and for rows of
   so few columns that a Hessian can be factored. See ovr_newton.c. */
#ifndef SEPAL_SOLVERS_OVR_NEWTON_H
#define SEPAL_SOLVERS_OVR_NEWTON_H

#include "objective/certify_ovr.h"

enum { OVR_WIDTH_MOST = 1024 }; /* OVR_LANES factors of this width take 128 MB */

/* The classes at work. Numbers of a row or column lie side by side, one of each class: a x lanes. */
struct ovr {
    const struct ovr_objective *rest;
    size_t lanes;
    size_t class[OVR_LANES];
    int32_t *lane; /* of each class; -1: it is not at work */
    double *sums;  /* slabs x width x lanes */
    struct arena *arena;
    double *dense; /* n x width: the rows as doubles less their centre; NULL: too many to keep */
    bool single;   /* scores and sums are taken in single precision: half the bytes of a pass */
    float *v;      /* then: width x lanes, padded for sparse rows */
};

/* What the kernels for lanes side by side want. */
static inline size_t ovr_padded(const struct ovr *ovr) {
    return ovr->lanes > OVR_LANES_HALF ? OVR_LANES : OVR_LANES_HALF;
}

/* ovr_pass.c: rows [first, first + n), which lie in one block, as they are or written to scratch. */
const double *ovr_rows(const struct ovr *ovr, size_t first, size_t n, double *scratch);
/* The same for all rows, if that is not too much; else whether single precision is to be had. */
sepal_status ovr_keep_rows(struct ovr *ovr);

/* ---- ovr_pass.c: passes over the rows -------------------------------------------------------- */

/* t (n x lanes): what the margins are, or change by, along v (width x lanes). */
sepal_status ovr_margins(double *t, struct ovr *ovr, const double *v);
/* At the margins m: the gradients (width x lanes), sums over the rows, and the curvatures (n x lanes,
   times the row weights); no penalties. */
struct ovr_sums {
    double loss[OVR_LANES], products[OVR_LANES]; /* of the losses; of alpha_i m_i */
};
sepal_status ovr_gradient(double *out, struct ovr_sums *sums, double *curvature, struct ovr *ovr,
                          const double *m);
/* X' (curvature o (X v)), width x lanes: Hessians times vectors */
sepal_status ovr_product(double *out, struct ovr *ovr, const double *curvature, const double *v);
/* X' factor, width x lanes */
sepal_status ovr_combine(double *out, struct ovr *ovr, const double *factor);
/* the Hessians' diagonals, width x lanes */
sepal_status ovr_diagonal(double *out, struct ovr *ovr, const double *curvature);
/* the squared norms of the rows, columns weighted by v: n x lanes */
sepal_status ovr_norms(double *out, struct ovr *ovr, const double *v);
/* What a row is for a lane: 1 if it is of its class, else -1. */
static inline double ovr_sign(const struct ovr *ovr, size_t row, size_t l) {
    return row_has_label(&ovr->rest->labels, row, ovr->class[l]) ? 1 : -1;
}
/* The weight of a row in the losses of a lane. */
static inline double ovr_row_weight(const struct ovr *ovr, size_t row, size_t l) {
    const struct ovr_objective *rest = ovr->rest;
    size_t k = ovr->class[l];
    if (!rest->factor[0]) return rest->o->row_weight[row]; /* there are both, or none */
    return rest->o->row_weight[row] *
           ovr_factor_of_class(rest, k, row_has_label(&rest->labels, row, k));
}

/* ---- ovr_factor.c: factors of Hessians, or of what is near enough ------------------------------- */

struct ovr_factor {
    double *matrix, *scale; /* see factor_make */
    bool exact;             /* of all rows, with the curvatures of now */
    bool own;               /* not shared with another lane */
    /* For a squared hinge: the Hessian of all rows, from step to step, and its curvatures; NULL: none yet.
       Few rows cross their margin in a step. */
    struct hessian *hessian;
    double *curvature;
};
/* The matrix that is to be factored for lane l, from its curvatures, and the leverages of the rows
   (n x lanes), which are not asked for where all rows are taken. */
sepal_status ovr_factor_hessian(struct ovr_factor *factor, struct ovr *ovr, size_t l,
                                const double *curvature, const double *leverage);
/* What the rows are drawn by. scratch: width x lanes. */
sepal_status ovr_leverages(double *out, struct ovr *ovr, const double *curvature, double *scratch);
/* How many rows it takes at most; and its multiplications for lane l. */
size_t ovr_factor_rows(const struct objective *o);
double ovr_factor_cost(const struct ovr_factor *factor, const struct ovr *ovr, size_t l,
                       const double *curvature);

/* ---- ovr_linesearch.c: how far to go -------------------------------------------------------------------- */

/* Of the objectives along steps: at the margins m + length t. */
struct ovr_line {
    const struct ovr *ovr;
    const double *m, *t; /* n x lanes */
    double slope[OVR_LANES],
        ridge[OVR_LANES][2];  /* at length 0; the penalty's slope and curvature */
    double length[OVR_LANES]; /* the answer: 1 where that will do */
};
sepal_status ovr_line_search(struct ovr_line *line, const bool *goes);

/* ---- ovr_newton.c ------------------------------------------------------------------------------ */

struct ovr_newton {
    /* Given. */
    const struct ovr_objective *rest;
    double tol;      /* the relative gap that is aimed at */
    size_t max_iter; /* of all rounds */
    bool (*stops)(void *payload, size_t iteration, double objective, double gap);
    void *payload;
    /* The classes, then their weights and dual variables: to be made by the caller. */
    struct ovr_point *point;

    size_t iterations;
    bool stalled, stopped;
    struct ovr_state *state; /* between rounds; NULL: none yet */
};
/* Until every class for which wanted[l] holds seems to have the gap; once more with a smaller tol goes
   on from there. */
sepal_status ovr_newton(struct ovr_newton *d, const bool *wanted);
void ovr_newton_close(struct ovr_newton *d);

#endif
