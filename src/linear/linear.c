#include "linear/linear.h"

#include "core/alloc.h"
#include "core/parallel.h"

#include <math.h>

sepal_status linear_init(struct linear *linear, sepal_ctx *ctx, size_t classes, size_t cols,
                         bool centred) {
    size_t rows = classes == 2 ? 1 : classes, cells;
    *linear = (struct linear){.classes = classes,
                              .rows = rows,
                              .cols = cols,
                              .decode = classes == 2 ? DECODE_SIGN : DECODE_ARGMAX};
    if (__builtin_mul_overflow(rows, cols, &cells))
        return fail(ctx, SEPAL_EMEMORY, "not enough memory for %zu x %zu weights", rows, cols);
    linear->w = mem_zero(ctx, cells, sizeof *linear->w);
    linear->b = mem_zero(ctx, rows, sizeof *linear->b);
    if (centred) linear->centre = mem_zero(ctx, cols, sizeof *linear->centre);
    if (linear->w && linear->b && (linear->centre || !centred)) return SEPAL_OK;
    linear_clear(linear);
    return SEPAL_EMEMORY;
}

void linear_clear(struct linear *linear) {
    mem_free(linear->w);
    mem_free(linear->b);
    mem_free(linear->centre);
    *linear = (struct linear){0};
}

int32_t linear_decide(const struct linear *linear, const double *scores) {
    if (linear->decode == DECODE_SIGN) return scores[0] >= 0;
    int32_t best = 0;
    for (size_t k = 1; k < linear->rows; k++)
        if (scores[k] > scores[best]) best = (int32_t)k;
    return best;
}

double linear_bias(const struct linear *linear, size_t r) {
    double bias = linear->b[r];
    const double *w = linear->w + r * linear->cols;
    for (size_t j = 0; linear->centre && j < linear->cols; j++) bias -= w[j] * linear->centre[j];
    return bias;
}

double linear_norm(const struct linear *linear, size_t r) {
    /* scaled by the largest weight: squares of very large or small ones would not fit */
    const double *w = linear->w + r * linear->cols;
    double largest = 0, sum = 0;
    for (size_t j = 0; j < linear->cols; j++) largest = fmax(largest, fabs(w[j]));
    if (largest == 0) return 0;
    for (size_t j = 0; j < linear->cols; j++) sum += (w[j] / largest) * (w[j] / largest);
    return largest * sqrt(sum);
}

struct scoring {
    const struct linear *linear;
    const struct matrix *matrix;
    const double *bias; /* of sparse rows, where the centre is taken off beforehand */
    double *scores;     /* all of them, or NULL */
    int32_t *classes;   /* or the decisions */
};

static void score_row(const struct scoring *all, const struct kernels *kernels,
                      const struct block *block, size_t i, double *out) {
    const struct linear *linear = all->linear;
    for (size_t r = 0; r < linear->rows; r++) {
        const double *w = linear->w + r * linear->cols;
        if (linear->centre && !block->sparse)
            out[r] =
                linear->b[r] + row_dot_centred(kernels, block, i, linear->cols, linear->centre, w);
        else
            out[r] = all->bias[r] + row_dot(kernels, block, i, linear->cols, w);
    }
}

static sepal_status score_block(sepal_ctx *ctx, size_t b, void *payload) {
    const struct scoring *all = payload;
    const struct block *block = &all->matrix->blocks[b];
    size_t rows = all->linear->rows;
    double *scores = NULL; /* of one row, where nobody wants to keep them */
    if (!all->scores) {
        scores = mem_alloc(ctx, rows, sizeof *scores);
        if (!scores) return SEPAL_EMEMORY;
    }
    sepal_status status = SEPAL_OK;
    for (size_t i = 0; i < block->rows && status == SEPAL_OK; i++) {
        size_t row = block->first_row + i;
        double *out = scores ? scores : all->scores + row * rows;
        score_row(all, ctx->kernels, block, i, out);
        for (size_t r = 0; r < rows && status == SEPAL_OK; r++)
            if (!isfinite(out[r]))
                status = fail(ctx, SEPAL_EDATA,
                              "the score of row %zu is beyond the range of a double; its values "
                              "are too large for this model",
                              row + 1);
        if (all->classes) all->classes[row] = linear_decide(all->linear, out);
    }
    mem_free(scores);
    return status;
}

static sepal_status score_all(sepal_ctx *ctx, struct scoring *all) {
    size_t rows = all->linear->rows;
    double *bias = mem_alloc(ctx, rows, sizeof *bias);
    if (!bias) return SEPAL_EMEMORY;
    for (size_t r = 0; r < rows; r++) bias[r] = linear_bias(all->linear, r);
    all->bias = bias;
    sepal_status status = parallel_for(ctx, all->matrix->n_blocks, score_block, all);
    mem_free(bias);
    return status;
}

sepal_status linear_scores(double *out, sepal_ctx *ctx, const struct linear *linear,
                           const struct matrix *matrix) {
    struct scoring all = {.linear = linear, .matrix = matrix, .scores = out};
    return score_all(ctx, &all);
}

sepal_status linear_predict(int32_t *out, sepal_ctx *ctx, const struct linear *linear,
                            const struct matrix *matrix) {
    struct scoring all = {.linear = linear, .matrix = matrix, .classes = out};
    return score_all(ctx, &all);
}
