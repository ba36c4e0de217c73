#include "linear/linear.h"

#include "core/alloc.h"
#include "core/parallel.h"
#include "linear/calibration.h"
#include "linear/decide.h"

#include <math.h>

sepal_status linear_init_rows(struct linear *linear, sepal_ctx *ctx, size_t classes,
                              const struct strategy *strategy, size_t cols, bool centred) {
    size_t rows = strategy->functions(classes), cells;
    *linear = (struct linear){.classes = classes, .rows = rows, .cols = cols, .strategy = strategy};
    if (__builtin_mul_overflow(rows, cols, &cells))
        return fail(ctx, SEPAL_EMEMORY, "not enough memory for %zu x %zu weights", rows, cols);
    linear->w = mem_zero(ctx, cells, sizeof *linear->w);
    linear->b = mem_zero(ctx, rows, sizeof *linear->b);
    if (centred) linear->centre = mem_zero(ctx, cols, sizeof *linear->centre);
    if (linear->w && linear->b && (linear->centre || !centred)) return SEPAL_OK;
    linear_clear(linear);
    return SEPAL_EMEMORY;
}

sepal_status linear_init(struct linear *linear, sepal_ctx *ctx, size_t classes, size_t cols,
                         bool centred) {
    const struct strategy *strategy = classes == 2 ? &strategy_sign : &strategy_machine;
    return linear_init_rows(linear, ctx, classes, strategy, cols, centred);
}

void linear_clear(struct linear *linear) {
    mem_free(linear->w);
    mem_free(linear->b);
    mem_free(linear->centre);
    mem_free(linear->priors);
    mem_free(linear->axes);
    density_free(linear->density);
    calibration_free(linear->calibration);
    summary_free(linear->summary);
    bootstrap_free(linear->bootstrap);
    *linear = (struct linear){0};
}

void linear_uncentre(struct linear *linear) {
    mem_free(linear->centre);
    linear->centre = NULL;
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
    bool rest;          /* where these are not made yet, -1 */
};

double linear_score(const struct linear *linear, const double *biases,
                    const struct kernels *kernels, const struct block *block, size_t i, size_t r) {
    const double *w = linear->w + r * linear->cols;
    if (linear->centre && !block->sparse)
        return linear->b[r] + row_dot_centred(kernels, block, i, linear->cols, linear->centre, w);
    return biases[r] + row_dot(kernels, block, i, linear->cols, w);
}

/* Dense rows, some at a time: each is made of doubles once for all scores. The bits are those of linear_score. */
enum { PANEL_ROWS = 32, PANEL_NUMBERS = 4096, PANELS_PAY = 4 };

static sepal_status score_dense(double *out, sepal_ctx *ctx, const struct linear *linear,
                                const double *bias, const struct block *block) {
    const double *x[PANEL_ROWS], *base = linear->centre ? linear->b : bias;
    double score[PANEL_ROWS];
    size_t cols = linear->cols, rows = linear->rows;
    size_t most = cols ? PANEL_NUMBERS / cols : PANEL_ROWS;
    most = most < 1 ? 1 : most > PANEL_ROWS ? PANEL_ROWS : most;
    double *scratch = mem_alloc(ctx, most, cols * sizeof *scratch);
    if (!scratch) return SEPAL_EMEMORY;
    for (size_t first = 0, n; first < block->rows; first += n) {
        n = block->rows - first < most ? block->rows - first : most;
        block_panel(x, ctx->kernels, block, first, n, cols, linear->centre, scratch);
        for (size_t r = 0; r < rows; r++) {
            ctx->kernels->dot_rows(score, x, n, linear->w + r * cols, cols);
            for (size_t i = 0; i < n; i++) out[(first + i) * rows + r] = base[r] + score[i];
        }
    }
    mem_free(scratch);
    return SEPAL_OK;
}

static sepal_status score_rows(double *out, sepal_ctx *ctx, const struct linear *linear,
                               const double *bias, const struct block *block) {
    if (!block->sparse && block->rows >= PANELS_PAY)
        return score_dense(out, ctx, linear, bias, block);
    for (size_t i = 0; i < block->rows; i++)
        for (size_t r = 0; r < linear->rows; r++)
            out[i * linear->rows + r] = linear_score(linear, bias, ctx->kernels, block, i, r);
    return SEPAL_OK;
}

/* The columns of a row whose values are above 0; `room` holds all columns that may be. */
static size_t columns_above_0(const struct block *block, size_t i, size_t cols, uint32_t *room) {
    size_t n = 0;
    double x;
    if (block->values == VALUES_F32 && block->sparse && !block->centre) { /* most texts */
        for (size_t e = block->start[i]; e < block->start[i + 1]; e++) {
            room[n] = block->index[e];
            n += block->f32[e] > 0;
        }
        return n;
    }
    for (size_t at = 0, j; row_next(block, i, cols, &at, &j, &x);)
        if (x > 0) room[n++] = (uint32_t)j;
    return n;
}

/* Values above 0 count as 1. */
static sepal_status score_bits(double *out, sepal_ctx *ctx, const struct linear *linear,
                               const struct block *block) {
    size_t cols = linear->cols, longest = block->sparse && !block->centre ? 0 : cols;
    for (size_t i = 0; longest < cols && i < block->rows; i++) {
        size_t n = block->start[i + 1] - block->start[i];
        if (n > longest) longest = n;
    }
    uint32_t *above = mem_alloc(ctx, longest, sizeof *above);
    if (!above) return SEPAL_EMEMORY;
    for (size_t i = 0; i < block->rows; i++) {
        size_t n = columns_above_0(block, i, cols, above);
        for (size_t r = 0; r < linear->rows; r++)
            out[i * linear->rows + r] =
                linear->b[r] + ctx->kernels->gather_ones(above, linear->w + r * cols, n);
    }
    mem_free(above);
    return SEPAL_OK;
}

/* The forms of a quadratic model: one a row, or two whose difference it is. */
static sepal_status score_forms(double *out, sepal_ctx *ctx, const struct linear *linear,
                                const struct block *block) {
    const struct density *density = linear->density;
    size_t rows = linear->rows, forms = density->forms;
    double *logs = mem_alloc(ctx, block->rows, forms * sizeof *logs);
    if (!logs) return SEPAL_EMEMORY;
    sepal_status status = density_logs(logs, ctx, density, linear->centre, block, 0, block->rows);
    for (size_t i = 0; i < block->rows && status == SEPAL_OK; i++) {
        const double *log_p = logs + i * forms;
        for (size_t r = 0; r < rows; r++)
            out[i * rows + r] =
                linear->b[r] + (forms == rows ? log_p[r] : log_p[2 * r + 1] - log_p[2 * r]);
    }
    mem_free(logs);
    return status;
}

sepal_status linear_check_row(sepal_ctx *ctx, double score, const struct block *block, size_t i) {
    if (isfinite(score)) return SEPAL_OK;
    return fail(ctx, SEPAL_EDATA,
                "the score of row %zu is beyond the range of a double; its values are too "
                "large for this model",
                row_number(block, i) + 1);
}

static sepal_status linear_check_scores(sepal_ctx *ctx, const double *scores, size_t width,
                                        const struct block *block) {
    for (size_t i = 0; i < block->rows * width; i++)
        if (!isfinite(scores[i])) return linear_check_row(ctx, scores[i], block, i / width);
    return SEPAL_OK;
}

double *linear_biases(sepal_ctx *ctx, const struct linear *linear) {
    double *biases = mem_alloc(ctx, linear->rows, sizeof *biases);
    for (size_t r = 0; biases && r < linear->rows; r++) biases[r] = linear_bias(linear, r);
    return biases;
}

/* Sparse rows with a centre: what it takes off every score is taken off once. */
static sepal_status score_centred(double *out, sepal_ctx *ctx, const struct linear *linear,
                                  const double *biases, const struct block *block) {
    struct block stored = *block;
    double *shifted = mem_alloc(ctx, linear->rows, sizeof *shifted);
    if (!shifted) return SEPAL_EMEMORY;
    for (size_t r = 0; r < linear->rows; r++)
        shifted[r] = biases[r] - ctx->kernels->dot_f64(block->centre, linear->w + r * linear->cols,
                                                       linear->cols);
    stored.centre = NULL;
    sepal_status status = linear_score_block(out, ctx, linear, shifted, &stored);
    mem_free(shifted);
    return status;
}

sepal_status linear_score_block(double *out, sepal_ctx *ctx, const struct linear *linear,
                                const double *biases, const struct block *block) {
    bool quadratic = density_is_quadratic(linear->density);
    if (block->centre && !quadratic && !linear->bits)
        return score_centred(out, ctx, linear, biases, block);
    if (quadratic)
        TRY(score_forms(out, ctx, linear, block));
    else
        TRY(linear->bits ? score_bits(out, ctx, linear, block)
                         : score_rows(out, ctx, linear, biases, block));
    return linear_check_scores(ctx, out, linear->rows, block);
}

static bool wanted(const struct scoring *all, const struct block *block, size_t i) {
    return !all->rest || all->classes[block->first_row + i] < 0;
}

/* How many rows from this one on are all wanted, or all not. */
static size_t rows_to_score(const struct scoring *all, const struct block *block, size_t first,
                            size_t most) {
    size_t n = 1;
    if (most > block->rows - first) most = block->rows - first;
    if (!all->rest) return most;
    while (n < most && wanted(all, block, first + n) == wanted(all, block, first)) n++;
    return n;
}

static sepal_status score_task(sepal_ctx *ctx, size_t b, void *payload) {
    const struct scoring *all = payload;
    const struct block *block = &all->matrix->blocks[b];
    size_t width = all->linear->rows;
    if (all->scores)
        return linear_score_block(all->scores + block->first_row * width, ctx, all->linear,
                                  all->bias, block);
    /* pairs of many classes have more scores than a block has numbers: some rows at a time */
    enum { SCORES_MOST = 1 << 20 };
    size_t most = width < SCORES_MOST ? SCORES_MOST / width : 1;
    if (most > block->rows) most = block->rows;
    double *scores = mem_alloc(ctx, most, width * sizeof *scores);
    sepal_status status = scores ? SEPAL_OK : SEPAL_EMEMORY;
    for (size_t first = 0, n; first < block->rows && status == SEPAL_OK; first += n) {
        n = rows_to_score(all, block, first, most);
        struct block some = block_slice(block, all->linear->cols, first, n);
        if (!wanted(all, block, first)) continue;
        status = linear_score_block(scores, ctx, all->linear, all->bias, &some);
        for (size_t i = 0; i < n && status == SEPAL_OK; i++)
            all->classes[some.first_row + i] = linear_decide(all->linear, scores + i * width);
    }
    mem_free(scores);
    return status;
}

static sepal_status score_all(sepal_ctx *ctx, struct scoring *all) {
    double *bias = linear_biases(ctx, all->linear);
    if (!bias) return SEPAL_EMEMORY;
    all->bias = bias;
    sepal_status status = parallel_for(ctx, all->matrix->n_blocks, score_task, all);
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

sepal_status linear_predict_rest(int32_t *out, sepal_ctx *ctx, const struct linear *linear,
                                 const struct matrix *matrix) {
    struct scoring all = {.linear = linear, .matrix = matrix, .classes = out, .rest = true};
    return score_all(ctx, &all);
}
