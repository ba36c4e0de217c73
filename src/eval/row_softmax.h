/* The softmax of rows as they are shown, one after the other: the kernel wants their number of scores to be a
   multiple of 4. */
#ifndef SEPAL_EVAL_ROW_SOFTMAX_H
#define SEPAL_EVAL_ROW_SOFTMAX_H

#include "core/alloc.h"
#include "kernels/kernels.h"

#include <string.h>

enum { ROW_SOFTMAX_MOST = 64 }; /* rows at a time */

struct row_softmax {
    const struct kernels *kernels;
    size_t classes, lanes;
    double *score, *p; /* `lanes` numbers a row, of which the first `classes` count */
    double loss[ROW_SOFTMAX_MOST], missing[ROW_SOFTMAX_MOST];
};

static inline sepal_status row_softmax_init(struct row_softmax *out, sepal_ctx *ctx,
                                            size_t classes) {
    out->kernels = ctx->kernels;
    out->classes = classes;
    out->lanes = (classes + 3) / 4 * 4;
    out->score = mem_zero(ctx, 2 * ROW_SOFTMAX_MOST, out->lanes * sizeof *out->score);
    if (!out->score) return SEPAL_EMEMORY;
    out->p = out->score + ROW_SOFTMAX_MOST * out->lanes;
    return SEPAL_OK;
}

/* The probabilities of n rows, and the losses of their labels. */
static inline void row_softmax_take(struct row_softmax *s, const double *rows, size_t n,
                                    const int32_t *label) {
    for (size_t i = 0; i < n; i++)
        memcpy(s->score + i * s->lanes, rows + i * s->classes, s->classes * sizeof *rows);
    s->kernels->softmax(s->score, n, s->classes, s->lanes, label, s->loss, s->p, s->missing);
}

static inline void row_softmax_clear(struct row_softmax *s) {
    mem_free(s->score);
}

#endif
