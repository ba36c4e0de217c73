/* Inside selection/ only: score functions of a model as linear functions, of the columns or, where they are
   quadratic, of the columns and their squares or products. */
#ifndef SEPAL_SELECTION_FOLD_LIFT_H
#define SEPAL_SELECTION_FOLD_LIFT_H

#include "core/arena.h"
#include "linear/linear.h"

enum lift { LIFT_NONE, LIFT_SQUARES, LIFT_PRODUCTS };

/* What a model needs; whether it can be had. */
enum lift lift_of(const struct linear *linear);
bool lift_serves(const struct linear *linear);
size_t lift_width(enum lift lift, size_t cols);
/* The columns of a row, then what comes beside them. */
void lift_row(double *out, enum lift lift, const double *row, size_t cols);

/* The functions of a model of rows less `centre`, and how large numbers are that they are made of: rounding, of a
   score by them or by the model, is some units in the last place of these. */
struct lifted {
    double *w, *b;           /* rows x width; rows */
    double *size_w, *size_b; /* the same, none below 0 */
};
sepal_status lifted_make(struct lifted *out, sepal_ctx *ctx, struct arena *arena,
                         const struct linear *linear, const double *centre);

#endif
