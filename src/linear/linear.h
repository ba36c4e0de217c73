/* The one object every learner ends in: R score functions s_r(x) = b_r + w_r . (x - c) and the rule
   that decodes R scores into a class (linear/strategy.h). Two classes have one row of weights, and a
   score of at least 0 is the second class. Beside it stand parts that only some models have. */
#ifndef SEPAL_LINEAR_LINEAR_H
#define SEPAL_LINEAR_LINEAR_H

#include "linear/density.h"
#include "linear/summary.h"

struct strategy;    /* linear/strategy.h */
struct calibration; /* linear/calibration.h */
/* What makes probabilities of scores. */
enum link {
    LINK_NONE,      /* scores only */
    LINK_POSTERIOR, /* softmax of K scores, the logistic function of one */
    LINK_RATES,     /* the logistic function of each of K scores, divided by their sum */
    LINK_EACH,      /* the logistic function of each, as it is: labels do not exclude each other */
    LINK_CALIBRATED /* functions that were fitted to scores of held-out rows (calibration.h) */
};

struct linear {
    size_t classes;                  /* K */
    size_t rows;                     /* R */
    size_t cols;                     /* M */
    const struct strategy *strategy; /* which functions these are, and how they decide */
    enum link link;
    double *w; /* R x M; of quadratic scores: the slopes at the centre, for reports only */
    double *b; /* R: the scores at the centre; of quadratic scores: what is added to the forms */
    double *centre; /* M numbers; NULL: 0. Keeps every digit when the means are large. */
    bool bits;      /* a value above 0 counts as 1, any other as 0 (no centre then) */

    struct density *density; /* NULL: none */
    double *priors;          /* K probabilities that the scores contain; NULL: none */
    double *axes;            /* n_axes x M: projections y = axes (x - c); NULL: none */
    size_t n_axes;
    struct calibration *calibration; /* NULL: none; else the link is LINK_CALIBRATED */
    struct summary *summary;         /* NULL: none */
    struct bootstrap *bootstrap;     /* NULL: none */
};

/* Weights, biases and centre (if asked for) zeroed; for more than two classes a linear machine. */
sepal_status linear_init(struct linear *linear, sepal_ctx *ctx, size_t classes, size_t cols,
                         bool centred);
/* The same for another strategy, which says the number of rows. */
sepal_status linear_init_rows(struct linear *linear, sepal_ctx *ctx, size_t classes,
                              const struct strategy *strategy, size_t cols, bool centred);
void linear_clear(struct linear *linear);
/* A centre that turned out not to be taken off. */
void linear_uncentre(struct linear *linear);

/* All scores of a matrix, rows x R. */
sepal_status linear_scores(double *out, sepal_ctx *ctx, const struct linear *linear,
                           const struct matrix *matrix);
/* The same for one block, block->rows x R. `biases` are those of linear_biases: R numbers to be
   given back to mem_free. */
sepal_status linear_score_block(double *out, sepal_ctx *ctx, const struct linear *linear,
                                const double *biases, const struct block *block);
double *linear_biases(sepal_ctx *ctx, const struct linear *linear);
/* Score r of row i alone, to the same bits, of a block without a centre and scores that are not quadratic; it may be
   no finite number. */
struct kernels;
double linear_score(const struct linear *linear, const double *biases,
                    const struct kernels *kernels, const struct block *block, size_t i, size_t r);
/* Refused unless it is. */
sepal_status linear_check_row(sepal_ctx *ctx, double score, const struct block *block, size_t i);
/* The classes that they stand for. */
sepal_status linear_predict(int32_t *out, sepal_ctx *ctx, const struct linear *linear,
                            const struct matrix *matrix);
/* Only of the rows whose class is below 0 so far. */
sepal_status linear_predict_rest(int32_t *out, sepal_ctx *ctx, const struct linear *linear,
                                 const struct matrix *matrix);

/* Row r in the coordinates of the columns: its bias b_r - w_r . c and the norm of w_r. */
double linear_bias(const struct linear *linear, size_t r);
double linear_norm(const struct linear *linear, size_t r);

#endif
