/* The one object every learner ends in: R score functions s_r(x) = b_r + w_r . (x - c) and the rule
   that decodes R scores into a class. Two classes have one row of weights, and a score of at least
   0 is the second class; K classes have K rows, and the largest score wins, the first on ties. */
#ifndef SEPAL_LINEAR_LINEAR_H
#define SEPAL_LINEAR_LINEAR_H

#include "data/matrix.h"

enum decode { DECODE_SIGN, DECODE_ARGMAX };

struct linear {
    size_t classes; /* K */
    size_t rows;    /* R */
    size_t cols;    /* M */
    enum decode decode;
    double *w;      /* R x M */
    double *b;      /* R: the scores at the centre */
    double *centre; /* M numbers; NULL: 0. Keeps every digit when the means are large. */
};

/* Weights, biases and centre (if asked for) zeroed. */
sepal_status linear_init(struct linear *linear, sepal_ctx *ctx, size_t classes, size_t cols,
                         bool centred);
void linear_clear(struct linear *linear);

/* All scores of a matrix, rows x R. */
sepal_status linear_scores(double *out, sepal_ctx *ctx, const struct linear *linear,
                           const struct matrix *matrix);
/* The class that R scores stand for. */
int32_t linear_decide(const struct linear *linear, const double *scores);
sepal_status linear_predict(int32_t *out, sepal_ctx *ctx, const struct linear *linear,
                            const struct matrix *matrix);

/* Row r in the user's coordinates: its bias b_r - w_r . c and the norm of w_r. */
double linear_bias(const struct linear *linear, size_t r);
double linear_norm(const struct linear *linear, size_t r);

#endif
