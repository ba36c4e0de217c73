/* What each feature contributes to the scores of a row: s_r = baseline_r + sum over terms t of c_rt + a rounding.

   The baseline is the score at a row of reference: the mean of the training rows where the model has it, else
   0 in every feature. A linear score's contributions are w_j (phi_j - reference_j). Columns made of one text
   column, or beside one with missing values, are one term. What maps mix is not taken apart: a term is then
   a column of phi, as x1^2 or x1*x2. Of quadratic scores a term holds all that depends on its feature alone,
   and each product of two features is a term of its own.

   Products and sums of doubles are rounded, those of the score in another order. So that the numbers are a
   proof, what is left is told: baseline, contributions and rounding, added without error and rounded once
   (Python's math.fsum), are the score to the bit. */
#ifndef SEPAL_MODEL_CONTRIBUTIONS_H
#define SEPAL_MODEL_CONTRIBUTIONS_H

#include "core/text.h"
#include "model/model.h"

enum reference { REFERENCE_MEAN, REFERENCE_ZERO };

struct contributions {
    const sepal_model *model;
    size_t features;   /* terms of one feature each */
    size_t terms;      /* and of products of two */
    size_t width;      /* numbers of a function: score, baseline, terms, rounding */
    size_t *term_of;   /* of each column; NULL: column j is term j */
    double *reference; /* phi of the row of reference */
    double *baseline;  /* of each function, without changed priors */
    double *slope;     /* functions x columns */
    double *curve; /* of quadratic scores: functions x columns x columns, or of independent columns
                         functions x columns; else NULL */
    bool full;     /* the first of the two */
};

/* How many numbers a function has, and terms, without opening them. */
size_t contributions_width(const sepal_model *model);
size_t contributions_terms(const sepal_model *model);
enum reference contributions_reference(const sepal_model *model);
/* Number j of a function's: "score", "baseline (training mean)", the terms, "rounding". */
void contributions_name(sepal_ctx *ctx, struct text *out, const sepal_model *model, size_t j);

sepal_status contributions_open(struct contributions *out, sepal_ctx *ctx,
                                const sepal_model *model);
void contributions_close(struct contributions *all);
/* Row i of a block of phi: functions x width numbers. `scores` are those of the row, `shift` (NULL: nothing)
   K numbers that changed priors have added to them; `room` has a number a column. */
sepal_status contributions_row(double *out, sepal_ctx *ctx, const struct contributions *all,
                               const struct block *block, size_t i, const double *scores,
                               const double *shift, double *room);
/* What makes the exact sum of n terms and it the score, to the bit. Where no double can, since all terms are far
   greater than the score, the terms are moved by some units in their last place until they add up to 0. */
sepal_status contributions_settle(double *rounding, sepal_ctx *ctx, double *terms, size_t n,
                                  double score);

#endif
