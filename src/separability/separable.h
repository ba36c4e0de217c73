/* Whether classes are linearly separable, with a proof either way. */
#ifndef SEPAL_SEPARABILITY_SEPARABLE_H
#define SEPAL_SEPARABILITY_SEPARABLE_H

#include "core/arena.h"
#include "certificates/certificate.h"
#include "core/budget.h"

enum outcome { OUTCOME_NO, OUTCOME_YES, OUTCOME_UNKNOWN };

struct separability {
    enum outcome separable;
    /* not separable, but some hyperplane has no row on its wrong side and not all rows on itself */
    enum outcome quasi;
    double margin[2]; /* bounds of half the distance between the convex hulls; NaN: not asked for */
    size_t updates;   /* steps of the solver */
    struct certificate certificate; /* of the answer; its arrays are in the arena */
};

struct separable_wish {
    bool margin; /* two sides with a bias: bracket the margin, too */
    bool quasi;
};

/* The answer is proved: certificate_judge has taken the certificate. */
sepal_status separable_decide(struct separability *out, sepal_ctx *ctx, struct arena *arena,
                              const struct question *question, struct separable_wish wish,
                              struct budget *budget);

/* ---- parts of it */

struct hull_points;
struct wolfe;

/* separable_duplicates.c: two equal rows of different classes. False: there are none. */
sepal_status duplicates_find(bool *found, size_t pair[2], sepal_ctx *ctx,
                             const struct question *question);

/* separable_dcd.c: a hyperplane for rows of many columns; the answer stays unknown if none is found. */
sepal_status dcd_separate(struct separability *out, sepal_ctx *ctx, struct arena *arena,
                          const struct question *question, struct budget *budget);

/* separable_margin.c: bounds of the margin that are true, whatever w and alpha are. The points have
   two groups and one scale. */
sepal_status margin_below(double *out, sepal_ctx *ctx, const struct hull_points *points,
                          const double *w);
sepal_status margin_above(double *out, sepal_ctx *ctx, const struct hull_points *points,
                          const struct wolfe *hulls);
/* The b that puts the hyperplane in the middle, and more than a plain sum knows of it. */
sepal_status margin_bias(double *out, sepal_ctx *ctx, const struct hull_points *points,
                         const double *w);

/* separable_proof.c */
sepal_status prove_apart(struct separability *out, sepal_ctx *ctx, struct arena *arena,
                         const struct hull_points *points, const double *w);
sepal_status prove_meet(struct separability *out, sepal_ctx *ctx, struct arena *arena,
                        const struct hull_points *points, const struct wolfe *hulls,
                        struct budget *budget);
/* Whole-number multipliers for the rows (and rivals) of a certificate, not judged yet; NULL when none
   are found. `rank` of the rows is proved to be at least that. Weights: as exact_null_vector has them. */
sepal_status prove_integers(struct certificate *certificate, size_t *rank, sepal_ctx *ctx,
                            struct arena *arena, const struct question *question,
                            const int64_t *weight, struct budget *budget);

/* separable_quasi.c: for a question whose answer is no, by this certificate. */
sepal_status quasi_decide(enum outcome *out, sepal_ctx *ctx, const struct question *question,
                          const struct certificate *certificate, struct budget *budget);

#endif
