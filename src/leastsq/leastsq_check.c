/* The objective and the normal-equation residual of a finished model, straight from the rows as they
   are stored: nothing of the solvers is used, so their mistakes show here. */
#include "leastsq/leastsq.h"

#include "core/alloc.h"
#include "core/parallel.h"

#include <math.h>
#include <string.h>

/* Beyond this many sums for each block the outputs are the tasks instead of the blocks. */
enum { SUMS_MOST = 1 << 18 };
/* The square of a column's norm below this part of its mean's square is rounding. */
static const double CONSTANT = 1e-12;

struct leastsq_checking {
    const struct leastsq *p;
    const struct linear *linear;
    const double *target;
    const double *bias; /* of sparse rows, where the centre is taken off the sum */
    double loss, worst, l2;
    double *sums; /* one row for each output, where the outputs are the tasks */
};

/* Sums: the loss; squares of the centred columns; and for each output the errors' sum, then its
   gradient. In sparse rows only the entries are visited, the rest is added at the end. */
static size_t leastsq_check_sums_width(const struct leastsq_checking *all, size_t outputs) {
    size_t cols = all->linear->cols;
    return 1 + cols + outputs * (1 + cols);
}

static void leastsq_check_add_squares(const struct leastsq_checking *all, const struct block *block,
                                      size_t i, double weight, double *squares) {
    const double *centre = all->linear->centre;
    size_t cols = all->linear->cols;
    double x;
    if (block->sparse) {
        for (size_t at = 0, j; row_next(block, i, cols, &at, &j, &x);)
            squares[j] += weight * (centre ? x * (x - 2 * centre[j]) : x * x);
        return;
    }
    for (size_t j = 0; j < cols; j++) {
        x = block->f32 ? (double)block->f32[i * cols + j] : block->f64[i * cols + j];
        if (centre) x -= centre[j];
        squares[j] += weight * x * x;
    }
}

static double error_of(const struct leastsq_checking *all, const struct kernels *kernels,
                       const struct block *block, size_t i, size_t r) {
    const struct linear *linear = all->linear;
    const double *w = linear->w + r * linear->cols;
    size_t k = (size_t)all->p->label[block->first_row + i];
    double score =
        linear->centre && !block->sparse
            ? linear->b[r] + row_dot_centred(kernels, block, i, linear->cols, linear->centre, w)
            : all->bias[r] + row_dot(kernels, block, i, linear->cols, w);
    return all->target[k * linear->rows + r] - score;
}

static void add_gradient(const struct leastsq_checking *all, const struct kernels *kernels,
                         const struct block *block, size_t i, double a, double *gradient) {
    const double *centre = all->linear->centre;
    size_t cols = all->linear->cols;
    if (block->sparse || !centre) {
        row_axpy(kernels, block, i, cols, a, gradient);
        return;
    }
    for (size_t j = 0; j < cols; j++) {
        double x = block->f32 ? (double)block->f32[i * cols + j] : block->f64[i * cols + j];
        gradient[j] += a * (x - centre[j]);
    }
}

/* Outputs [from, end) of one block. */
static void leastsq_check_add_rows(const struct leastsq_checking *all,
                                   const struct kernels *kernels, const struct block *block,
                                   size_t from, size_t end, double *sums) {
    size_t cols = all->linear->cols;
    for (size_t i = 0; i < block->rows; i++) {
        size_t row = block->first_row + i;
        double weight = all->p->weight ? all->p->weight[row] : 1;
        if (weight == 0) continue;
        leastsq_check_add_squares(all, block, i, weight, sums + 1);
        for (size_t r = from; r < end; r++) {
            double error = error_of(all, kernels, block, i, r);
            double *output = sums + 1 + cols + (r - from) * (1 + cols);
            sums[0] += weight * error * error / 2;
            output[0] += weight * error;
            add_gradient(all, kernels, block, i, weight * error, output + 1);
        }
    }
}

static sepal_status leastsq_check_add_block(sepal_ctx *ctx, const struct block *block, double *sums,
                                            void *payload) {
    const struct leastsq_checking *all = payload;
    leastsq_check_add_rows(all, ctx->kernels, block, 0, all->linear->rows, sums);
    return SEPAL_OK;
}

static sepal_status add_output(sepal_ctx *ctx, size_t r, void *payload) {
    const struct leastsq_checking *all = payload;
    double *sums = all->sums + r * leastsq_check_sums_width(all, 1);
    struct block_iterator blocks = {.matrix = all->p->x};
    for (const struct block *block; (block = block_next(&blocks));)
        leastsq_check_add_rows(all, ctx->kernels, block, r, r + 1, sums);
    return SEPAL_OK;
}

/* The norm of the targets of output r, around their mean where there is a bias. */
static double target_norm(const struct leastsq_checking *all, size_t r) {
    const struct leastsq *p = all->p;
    double mean = 0, sum = 0;
    for (size_t k = 0; k < p->classes && p->centre; k++)
        mean += p->class_weight[k] * all->target[k * p->outputs + r] / p->total;
    for (size_t k = 0; k < p->classes; k++) {
        double t = all->target[k * p->outputs + r] - mean;
        sum += p->class_weight[k] * t * t;
    }
    return sqrt(sum);
}

/* The largest relative element of output r's gradient joins all->worst. */
static void leastsq_check_judge(struct leastsq_checking *all, size_t r, const double *squares,
                                const double *output) {
    const struct leastsq *p = all->p;
    const struct linear *linear = all->linear;
    bool sparse = p->x->sparse && linear->centre;
    double norm = target_norm(all, r);
    if (norm == 0) return;
    if (linear->centre) all->worst = fmax(all->worst, fabs(output[0]) / sqrt(p->total) / norm);
    for (size_t j = 0; j < linear->cols; j++) {
        double centre = linear->centre ? linear->centre[j] : 0;
        double square = sparse ? squares[j] + p->total * centre * centre : squares[j];
        double g = sparse ? output[1 + j] - centre * output[0] : output[1 + j];
        g -= p->total * all->l2 * linear->w[r * linear->cols + j];
        if (square > CONSTANT * p->total * centre * centre || (!sparse && square > 0))
            all->worst = fmax(all->worst, fabs(g) / sqrt(square) / norm);
    }
}

static sepal_status leastsq_check_check(struct leastsq_checking *all, double *sums,
                                        bool by_output) {
    size_t outputs = all->linear->rows, cols = all->linear->cols;
    sepal_ctx *ctx = all->p->ctx;
    size_t width = leastsq_check_sums_width(all, by_output ? 1 : outputs);
    if (by_output) {
        memset(sums, 0, outputs * width * sizeof *sums);
        all->sums = sums;
        TRY(parallel_for(ctx, outputs, add_output, all));
    } else {
        TRY(matrix_sum(sums, ctx, all->p->x, width, leastsq_check_add_block, all));
    }
    for (size_t r = 0; r < outputs; r++) {
        double *of = by_output ? sums + r * width : sums;
        if (by_output || r == 0) all->loss += of[0];
        leastsq_check_judge(all, r, of + 1, of + 1 + cols + (by_output ? 0 : r * (1 + cols)));
    }
    return SEPAL_OK;
}

sepal_status leastsq_check(double *objective, double *residual, const struct leastsq *p,
                           const struct linear *linear, const double *target, double l2) {
    struct leastsq_checking all = {.p = p, .linear = linear, .target = target, .l2 = l2};
    size_t outputs = linear->rows, cells = outputs * linear->cols;
    bool by_output = leastsq_check_sums_width(&all, outputs) > SUMS_MOST;
    size_t width = by_output ? outputs * leastsq_check_sums_width(&all, 1)
                             : leastsq_check_sums_width(&all, outputs);
    double *bias = mem_alloc(p->ctx, outputs, sizeof *bias);
    double *sums = mem_alloc(p->ctx, width, sizeof *sums);
    sepal_status status = bias && sums ? SEPAL_OK : SEPAL_EMEMORY;
    for (size_t r = 0; status == SEPAL_OK && r < outputs; r++) bias[r] = linear_bias(linear, r);
    all.bias = bias;
    if (status == SEPAL_OK) status = leastsq_check_check(&all, sums, by_output);
    mem_free(sums);
    mem_free(bias);
    *residual = all.worst;
    *objective = all.loss / p->total;
    /* columns of 1e-200 have weights whose squares no double holds, which cost nothing unless asked */
    if (l2 > 0) *objective += l2 / 2 * p->ctx->kernels->dot_f64(linear->w, linear->w, cells);
    return status;
}
