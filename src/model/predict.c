/* Rows through a model, some at a time: phi, scores, then whatever is asked for. Pieces begin at
   multiples of their size, so what a row gets does not depend on which others are asked about. */
#include "model/predict.h"

#include "core/alloc.h"
#include "core/parallel.h"
#include "kernels/blas.h"
#include "learners/learner.h"
#include "linear/calibration.h"
#include "model/contributions.h"
#include "model/decision.h"

#include <math.h>
#include <string.h>

struct predicting {
    const sepal_model *model;
    const sepal_data *data;
    const struct decision_rule *rule;
    struct predictions *out;
    size_t piece, first_piece; /* rows a piece; number of the first */
    double *bias;
    double *norms; /* of the rows of weights, or of the differences of each two, for distances */
    struct contributions explained;
    bool weighs; /* probabilities are asked for, or decided by */
};

/* ---- lengths ------------------------------------------------------------------------------ */

/* The norm of w_r - w_q (q = SIZE_MAX: of w_r) in units of what the last maps are given. */
static double predict_norm_of(const sepal_model *model, size_t r, size_t q) {
    const struct linear *linear = &model->linear;
    double largest = 0, sum = 0, shift, divisor;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t j = 0; j < linear->cols; j++) {
            map_chain_fold(&model->chain, j, &shift, &divisor);
            double w = linear->w[r * linear->cols + j];
            if (q != SIZE_MAX) w -= linear->w[q * linear->cols + j];
            w /= divisor;
            if (pass == 0)
                largest = fmax(largest, fabs(w));
            else
                sum += (w / largest) * (w / largest);
        }
        if (largest == 0) return 0;
    }
    return largest * sqrt(sum);
}

static sepal_status make_norms(struct predicting *all, sepal_ctx *ctx) {
    const struct linear *linear = &all->model->linear;
    size_t rows = linear->rows;
    bool pairs = linear->strategy->joint;
    if (!all->out->distances) return SEPAL_OK;
    all->norms = mem_zero(ctx, rows, (pairs ? rows : 1) * sizeof *all->norms);
    if (!all->norms) return SEPAL_EMEMORY;
    for (size_t r = 0; r < rows; r++) {
        if (!pairs) all->norms[r] = predict_norm_of(all->model, r, SIZE_MAX);
        for (size_t q = 0; pairs && q < r; q++)
            all->norms[r * rows + q] = all->norms[q * rows + r] = predict_norm_of(all->model, r, q);
    }
    return SEPAL_OK;
}

/* ---- decisions ---------------------------------------------------------------------------- */

static int32_t predict_decide(const struct predicting *all, const double *scores, const double *p,
                              uint64_t seed, size_t row) {
    const struct linear *linear = &all->model->linear;
    const struct predict_options *options = &all->rule->options;
    if (all->data->undecided && all->data->undecided[row]) return -1;
    if (options->ambiguous == AMBIGUOUS_UNDECIDED && linear_region(linear, scores) != REGION_CLEAR)
        return -1;
    struct decision_input in = {linear, scores, p, options->cutoff, seed, row};
    return decision_table[options->decide]->decide(&in);
}

/* Of label sets. */
static void predict_labels(const struct predicting *all, const double *scores, const double *p,
                           uint64_t seed, size_t row) {
    const struct linear *linear = &all->model->linear;
    const struct predict_options *options = &all->rule->options;
    int8_t *labels = all->out->labels + (row - all->out->first) * linear->classes;
    bool open = all->data->undecided && all->data->undecided[row];
    struct decision_input in = {linear, scores, p, options->cutoff, seed, row};
    for (size_t k = 0; k < linear->classes; k++)
        labels[k] = open ? -1 : (int8_t)decision_table[options->decide]->has_label(&in, k);
}

static void change_priors(const struct predicting *all, double *scores) {
    const double *shift = all->rule->shift;
    if (all->model->linear.classes == 2)
        scores[0] += shift[1] - shift[0];
    else
        for (size_t k = 0; k < all->model->linear.classes; k++) scores[k] += shift[k];
}

static void predict_blank(double *numbers, size_t row, size_t width) {
    for (size_t k = 0; numbers && k < width; k++) numbers[row * width + k] = NAN;
}

/* Probabilities to `p`, which has room for them, and the logarithms that are asked for. Priors that are
   changed are those of the scores, or of what these were calibrated to. */
static void weigh_classes(const struct predicting *all, double *scores, double *p, double *logs) {
    const struct linear *linear = &all->model->linear;
    const struct calibration *calibration = linear->calibration;
    const double *shift = all->rule->shift;
    if (calibration) {
        calibration_inputs(linear, calibration->kind, scores, p);
        if (logs && linear->classes == 2)
            *logs = calibration_log_odds(calibration, p[0]) + (shift ? shift[1] - shift[0] : 0);
        else if (logs)
            memcpy(logs, p, linear->classes * sizeof *logs);
        if (logs && linear->classes > 2) calibration_logs(calibration, shift, logs);
        calibration_probabilities(calibration, shift, p);
    }
    if (shift) change_priors(all, scores);
    if (calibration || linear->link == LINK_NONE) return;
    if (all->weighs) linear_probabilities(linear, scores, p);
    if (logs && linear->classes == 2)
        *logs = scores[0];
    else if (logs)
        linear_log_probabilities(linear, scores, logs);
}

/* `p` has room for K probabilities. */
static void predict_row(const struct predicting *all, double *scores, double *p, uint64_t seed,
                        size_t row) {
    const struct linear *linear = &all->model->linear;
    struct predictions *out = all->out;
    size_t i = row - out->first, shown = linear_shown(linear);
    if (out->decision_values)
        calibration_inputs(linear, CALIBRATE_TEMPERATURE, scores, out->decision_values + i * shown);
    weigh_classes(all, scores, p, out->logs ? out->logs + i * shown : NULL);
    if (out->shown) linear_show(linear, scores, out->shown + i * shown);
    if (out->probabilities)
        memcpy(out->probabilities + i * linear->classes, p, linear->classes * sizeof *p);
    if (out->distances)
        linear->strategy->distances(linear, all->norms, scores, out->distances + i * shown);
    if (out->regions) out->regions[i] = (uint8_t)linear_region(linear, scores);
    if (out->classes) out->classes[i] = predict_decide(all, scores, p, seed, row);
    if (out->labels) predict_labels(all, scores, p, seed, row);
}

/* ---- pieces ------------------------------------------------------------------------------- */

/* Projections on the axes, or phi itself; `row` has room for one. */
static sepal_status predict_project(const struct predicting *all, sepal_ctx *ctx,
                                    const struct block *block, size_t i, double *row) {
    const struct linear *linear = &all->model->linear;
    size_t width = model_outputs(all->model, SEPAL_PROJECTIONS), cols = linear->cols;
    double *out = all->out->projections + (block->first_row + i - all->out->first) * width;
    if (!linear->axes) {
        block_dense(block, i, 1, cols, NULL, NULL, out, cols);
    } else {
        block_dense(block, i, 1, cols, linear->centre, NULL, row, cols);
        for (size_t a = 0; a < width; a++)
            out[a] = ctx->kernels->dot_f64(linear->axes + a * cols, row, cols);
    }
    for (size_t a = 0; a < width; a++)
        if (!isfinite(out[a]))
            return fail(
                ctx, SEPAL_EDATA,
                "a number of row %zu is beyond the range of a double after the maps of this "
                "model; its values are too large",
                row_number(block, i) + 1);
    return SEPAL_OK;
}

/* Rows that lack a value have no numbers of any kind. */
static void blank_missing(const struct predicting *all, size_t row) {
    const struct predictions *out = all->out;
    size_t i = row - out->first, shown = linear_shown(&all->model->linear);
    size_t classes = all->model->linear.classes;
    if (!all->data->undecided || !all->data->undecided[row]) return;
    predict_blank(out->shown, i, shown);
    predict_blank(out->logs, i, shown);
    predict_blank(out->distances, i, shown);
    predict_blank(out->probabilities, i, classes);
    predict_blank(out->likelihoods, i, classes);
    predict_blank(out->projections, i, model_outputs(all->model, SEPAL_PROJECTIONS));
    predict_blank(out->contributions, i, model_outputs(all->model, SEPAL_CONTRIBUTIONS));
    if (out->regions) out->regions[i] = REGION_CLEAR;
}

static sepal_status predict_block(sepal_ctx *ctx, const struct predicting *all,
                                  const struct block *block, double *room) {
    const struct linear *linear = &all->model->linear;
    struct predictions *out = all->out;
    size_t from = block->first_row < out->first ? out->first - block->first_row : 0;
    size_t end = out->first + out->n, to = block->rows;
    if (block->first_row + to > end) to = end - block->first_row;
    double *scores = room, *p = room + block->rows * linear->rows, *row = p + linear->classes;
    bool scored = out->classes || out->labels || out->shown || out->probabilities ||
                  out->distances || out->regions || out->logs || out->decision_values ||
                  out->contributions;
    for (size_t i = from; out->projections && i < to; i++)
        TRY(predict_project(all, ctx, block, i, row));
    if (out->likelihoods)
        TRY(density_logs(out->likelihoods +
                             (block->first_row + from - out->first) * linear->classes,
                         ctx, linear->density, linear->centre, block, from, to - from));
    if (scored) TRY(linear_score_block(scores, ctx, linear, all->bias, block));
    for (size_t i = from; i < to; i++) {
        size_t at = block->first_row + i;
        if (scored) predict_row(all, scores + i * linear->rows, p, ctx->root->seed, at);
        if (out->contributions)
            TRY(contributions_row(
                out->contributions + (at - out->first) * linear->rows * all->explained.width, ctx,
                &all->explained, block, i, scores + i * linear->rows, all->rule->shift, row));
        blank_missing(all, at);
    }
    return SEPAL_OK;
}

static sepal_status predict_piece(sepal_ctx *ctx, size_t task, void *payload) {
    const struct predicting *all = payload;
    const struct matrix *x = &all->data->matrix;
    const struct linear *linear = &all->model->linear;
    size_t first = (all->first_piece + task) * all->piece, n = x->rows - first;
    if (n > all->piece) n = all->piece;
    double *room = mem_alloc(ctx, n * linear->rows + linear->classes + linear->cols, sizeof *room);
    if (!room) return SEPAL_EMEMORY;
    sepal_status status;
    if (map_chain_is_identity(&all->model->chain)) { /* as a fit has them: sums to the same bit */
        const struct block *whole = &x->blocks[first / x->block_rows];
        struct block block = block_slice(whole, x->cols, first - whole->first_row, n);
        status = predict_block(ctx, all, &block, room);
    } else {
        struct block block;
        status = map_chain_block(&block, ctx, &all->model->chain, x, first, n);
        if (status == SEPAL_OK) {
            status = predict_block(ctx, all, &block, room);
            block_clear(&block);
        }
    }
    mem_free(room);
    return status;
}

/* Rows a piece: a power of two that divides a block, fewer where phi or the scores are wide. */
static size_t piece_rows(const sepal_model *model, const struct matrix *x) {
    enum { PIECE_CELLS = 1 << 21 };
    size_t width = model->linear.rows, rows = x->block_rows;
    if (model->chain.n && model->linear.cols > width) width = model->linear.cols;
    while (rows > 1 && rows > PIECE_CELLS / width) rows /= 2;
    return rows;
}

static struct predicting predicting_of(struct predictions *out, const sepal_model *model,
                                       const sepal_data *data, const struct decision_rule *rule) {
    struct predicting all = {.model = model, .data = data, .rule = rule, .out = out};
    all.weighs = out->probabilities || decision_table[rule->options.decide]->probabilities ||
                 !isnan(rule->options.cutoff);
    return all;
}

sepal_status model_predict_scored(struct predictions *out, sepal_ctx *ctx, const sepal_model *model,
                                  const sepal_data *data, const double *scores,
                                  const struct decision_rule *rule) {
    const struct predicting all = predicting_of(out, model, data, rule);
    size_t rows = model->linear.rows;
    double *room = mem_alloc(ctx, rows + model->linear.classes, sizeof *room);
    if (!room) return SEPAL_EMEMORY;
    for (size_t i = 0; i < out->n; i++) {
        memcpy(room, scores + i * rows, rows * sizeof *room);
        predict_row(&all, room, room + rows, ctx->root->seed, i);
        blank_missing(&all, i);
    }
    mem_free(room);
    return SEPAL_OK;
}

sepal_status model_predict(struct predictions *out, sepal_ctx *ctx, const sepal_model *model,
                           const sepal_data *data, const struct decision_rule *rule) {
    struct predicting all = predicting_of(out, model, data, rule);
    if (out->n == 0) return SEPAL_OK;
    all.piece = piece_rows(model, &data->matrix);
    all.first_piece = out->first / all.piece;
    size_t last = (out->first + out->n - 1) / all.piece;
    all.bias = linear_biases(ctx, &model->linear);
    sepal_status status = all.bias ? make_norms(&all, ctx) : SEPAL_EMEMORY;
    blas_enter();
    if (status == SEPAL_OK && out->contributions)
        status = contributions_open(&all.explained, ctx, model);
    if (status == SEPAL_OK)
        status = parallel_for(ctx, last - all.first_piece + 1, predict_piece, &all);
    blas_leave();
    mem_free(all.bias);
    mem_free(all.norms);
    contributions_close(&all.explained);
    return status;
}

/* ---- what a model has --------------------------------------------------------------------- */

sepal_status model_has(sepal_ctx *ctx, const sepal_model *model, sepal_output what) {
    const struct linear *linear = &model->linear;
    if (model_outputs(model, what) > 0) return SEPAL_OK;
    if ((unsigned)what > SEPAL_CONTRIBUTIONS)
        return fail(ctx, SEPAL_EUSAGE, "there are no numbers of kind %d; name one of sepal_output",
                    (int)what);
    if (what == SEPAL_DISTANCES && linear->bits)
        return fail(ctx, SEPAL_EMODEL,
                    "this %s model only asks whether a value is above 0, so rows have no distances "
                    "from its surfaces; " OPTION "scores shows its scores",
                    model->learner);
    if (what == SEPAL_DISTANCES)
        return fail(ctx, SEPAL_EMODEL,
                    "the surfaces of this %s model are curved, so rows have no distances by its "
                    "weights; " OPTION "scores shows its scores",
                    model->learner);
    if (what == SEPAL_LIKELIHOODS)
        return fail(ctx, SEPAL_EMODEL,
                    "this %s model keeps no density; gaussian and naive-bayes do (but not "
                    "kind=complement, nor more than two classes under ovr, ovr-1 or ovo)",
                    model->learner);
    if (linear->classes > 2 && linear->strategy->link == LINK_NONE)
        return fail(ctx, SEPAL_EMODEL,
                    "the strategy %s has votes, not probabilities; " OPTION
                    "scores shows them%s, and a model trained with " OPTION
                    "calibrate platt has probabilities",
                    linear->strategy->name,
                    learner_find(model->learner)->posterior ? ", ovr has probabilities" : "");
    return fail(ctx, SEPAL_EMODEL,
                "%s computes scores, which are not probabilities; " OPTION
                "scores shows them, and a model trained with " OPTION
                "calibrate platt has probabilities",
                model->learner);
}

size_t model_outputs(const sepal_model *model, sepal_output what) {
    const struct linear *linear = &model->linear;
    switch (what) {
    case SEPAL_SCORES: return linear_shown(linear);
    case SEPAL_PROBABILITIES: return linear->link != LINK_NONE ? linear->classes : 0;
    case SEPAL_DISTANCES:
        return density_is_quadratic(linear->density) || linear->bits ? 0 : linear_shown(linear);
    case SEPAL_LIKELIHOODS:
        return linear->density && linear->density->forms == linear->classes ? linear->classes : 0;
    case SEPAL_PROJECTIONS: return linear->axes ? linear->n_axes : linear->cols;
    case SEPAL_CONTRIBUTIONS: return linear->rows * contributions_width(model);
    }
    return 0;
}

static void input_name(sepal_ctx *ctx, struct text *out, size_t j, const void *payload) {
    schema_column_name(ctx, out, payload, j);
}

void model_column_name(sepal_ctx *ctx, struct text *out, const sepal_model *model, size_t j) {
    struct map_names inputs = {.print = input_name, .payload = model->schema};
    map_chain_name(ctx, out, &model->chain, model->chain.n, j, &inputs);
}

void model_output_name(sepal_ctx *ctx, struct text *out, const sepal_model *model,
                       sepal_output what, size_t j) {
    if (what == SEPAL_CONTRIBUTIONS)
        contributions_name(ctx, out, model, j % contributions_width(model));
    else if (what == SEPAL_PROJECTIONS && model->linear.axes)
        text_printf(ctx, out, "axis%zu", j + 1);
    else if (what == SEPAL_PROJECTIONS)
        model_column_name(ctx, out, model, j);
    else if (model_outputs(model, what) == 1 && !model->linear.strategy->sets)
        text_puts(ctx, out, what == SEPAL_DISTANCES ? "distance" : "score");
    else
        text_puts(ctx, out, model->schema->classes[j]);
}
