/* What a fitted model's objective is, by plain loops in long double over phi(x), with a bound of the
   rounding errors that a computation in double may make on the way. Nothing of the solvers, nor of
   the code that certifies them, is used. */
#ifndef TESTS_FIT_FUZZ_OBJECTIVE_H
#define TESTS_FIT_FUZZ_OBJECTIVE_H

#include "contract/fit_fuzz_specs.h"

#include "report/report.h"

enum goal_kind {
    GOAL_UNKNOWN, /* the learner's objective is not written down here */
    GOAL_LOGISTIC,
    GOAL_HINGE,
    GOAL_SQUARED_HINGE,
    GOAL_SQUARES,
    GOAL_PERCEPTRON,
    GOAL_CROSS_ENTROPY,
    GOAL_CRAMMER_SINGER,
    GOAL_MSE /* of the softmax's probabilities */
};

/* A two-class problem of a fit, or the fit itself. */
struct part {
    /* as reported; NaN: null */
    double objective, gap;
    bool converged;
    /* as computed here */
    bool known;
    long double own;   /* P at the weights of the model */
    long double bar;   /* what rounding in double may make of it */
    long double start; /* P where all weights are 0 */
    long double reach; /* the mean over the rows of |b| + sum |w_j| |x_j| */
};

struct goal {
    enum goal_kind kind;
    long double l1, l2;
    bool bias_penalised, balanced, fisher;
    bool corrected; /* the intercept is not the one that was fitted */
};

static inline enum goal_kind goal_of(const struct learner *learner, const char *spec) {
    if (strcmp(learner->name, "logistic") == 0 || learner->sets) return GOAL_LOGISTIC;
    if (strcmp(learner->name, "least-squares") == 0) return GOAL_SQUARES;
    if (strcmp(learner->name, "perceptron") == 0) return GOAL_PERCEPTRON;
    if (strcmp(learner->name, "softmax") == 0)
        return spec_says(spec, learner, "loss", "mse") ? GOAL_MSE : GOAL_CROSS_ENTROPY;
    if (strcmp(learner->name, "svm") != 0) return GOAL_UNKNOWN;
    if (spec_says(spec, learner, "loss", "crammer_singer")) return GOAL_CRAMMER_SINGER;
    return spec_says(spec, learner, "loss", "hinge") ? GOAL_HINGE : GOAL_SQUARED_HINGE;
}

static inline bool goal_is_convex(enum goal_kind kind) {
    return kind == GOAL_LOGISTIC || kind == GOAL_HINGE || kind == GOAL_SQUARED_HINGE ||
           kind == GOAL_CROSS_ENTROPY || kind == GOAL_CRAMMER_SINGER;
}

/* `total`: the weight of the rows. */
static inline struct goal goal_read(const struct learner *learner, const char *spec,
                                    long double total) {
    struct goal g = {.kind = goal_of(learner, spec)};
    double c = spec_number(spec, learner, "C"), ratio = spec_number(spec, learner, "ratio");
    double l1 = spec_number(spec, learner, "l1"), l2 = spec_number(spec, learner, "l2");
    g.l1 = isnan(c) ? (isnan(l1) ? 0 : l1) : ratio / (c * total);
    g.l2 = isnan(c) ? (isnan(l2) ? 0 : l2) : (1 - ratio) / (c * total);
    g.bias_penalised = spec_says(spec, learner, "bias", "penalised");
    g.balanced = spec_says(spec, learner, "class_weight", "balanced");
    g.corrected = g.balanced && spec_says(spec, learner, "correct_priors", "true");
    g.fisher = spec_says(spec, learner, "targets", "fisher");
    return g;
}

/* ---- rows through the maps ---------------------------------------------------------------------- */

struct features {
    size_t rows, cols;
    long double *x;
    long double *taken; /* what each column had before a centre of its own was taken off; or 0 */
};

static inline struct features features_of(const sepal_model *model, const sepal_data *data) {
    struct matrix phi = phi_of(model, data);
    struct features out = {.rows = phi.rows, .cols = phi.cols};
    out.x = room(phi.rows * phi.cols, sizeof *out.x);
    out.taken = room(phi.cols, sizeof *out.taken);
    for (size_t b = 0; b < phi.n_blocks; b++) {
        struct block block = phi.blocks[b];
        const double *centre = block.centre;
        block.centre = NULL;
        for (size_t i = 0; i < block.rows; i++) {
            long double *row = out.x + (block.first_row + i) * phi.cols;
            double x;
            for (size_t at = 0, j; row_next(&block, i, phi.cols, &at, &j, &x);) row[j] = x;
            for (size_t j = 0; centre && j < phi.cols; j++) row[j] -= centre[j];
        }
        for (size_t j = 0; centre && j < phi.cols; j++) out.taken[j] = fabsl(centre[j]);
    }
    if (model->chain.n) matrix_clear(&phi);
    return out;
}

static inline void features_free(struct features *f) {
    free(f->x);
    free(f->taken);
}

/* ---- the objective ------------------------------------------------------------------------------ */

/* Row r's score of row i, and what the terms of that sum amount to. */
static inline long double score_long(const struct linear *linear, const struct features *f,
                                     size_t i, size_t r, long double *reach) {
    const long double *x = f->x + i * f->cols;
    long double sum = linear->b[r];
    *reach = fabsl(linear->b[r]);
    for (size_t j = 0; j < f->cols; j++) {
        long double w = linear->w[r * f->cols + j], c = linear->centre ? linear->centre[j] : 0;
        sum += w * (x[j] - c);
        *reach += fabsl(w) * (fabsl(x[j]) + fabsl(c) + f->taken[j]);
    }
    return sum;
}

/* The loss at a score for a target of side -1 or 1, and its slope's size. */
static inline long double loss_long(enum goal_kind kind, long double score, long double side,
                                    long double error, long double *slope) {
    long double m = side * score, under = m < 1 ? 1 - m : 0, miss = m < 0 ? -m : 0;
    *slope = 1;
    switch (kind) {
    case GOAL_LOGISTIC: return m > 0 ? log1pl(expl(-m)) : -m + log1pl(expl(m));
    case GOAL_HINGE: return under;
    case GOAL_MSE: return 2 / ((1 + expl(m)) * (1 + expl(m)));
    case GOAL_SQUARED_HINGE: *slope = 2 * (under + error); return under * under;
    case GOAL_SQUARES:
        *slope = fabsl(score - side) + error;
        return (score - side) * (score - side) / 2;
    default: return miss;
    }
}

/* 1, -1, or 0 where the row is not in the problem. */
static inline int side_of(const struct strategy *decode, size_t classes, size_t r, int label) {
    size_t pair[2] = {0, r};
    if (decode == &strategy_sign) pair[1] = 1;
    if (decode == &strategy_ovo) {
        pair_classes(r, classes, pair);
        if (label != (int)pair[0] && label != (int)pair[1]) return 0;
    }
    return label == (int)pair[1] ? 1 : -1;
}

/* The same of row i; of label sets, whether it has label r. */
static inline int side_in(const sepal_model *model, const sepal_data *data, size_t r, size_t i) {
    struct row_labels labels = data_labels(data);
    if (data->set_start) return row_has_label(&labels, i, r) ? 1 : -1;
    return side_of(model->linear.strategy, model->linear.classes, r, data->label[i]);
}

struct class_totals {
    long double all, side[2];
};

static inline struct class_totals totals_of(const sepal_model *model, const sepal_data *data,
                                            size_t r) {
    struct class_totals out = {0};
    for (size_t i = 0; i < data->matrix.rows; i++) {
        int side = side_in(model, data, r, i);
        if (side == 0) continue;
        out.side[side > 0] += data_weight(data, i);
        out.all += data_weight(data, i);
    }
    return out;
}

static inline void add_penalty(struct part *out, const struct goal *g, const struct linear *linear,
                               size_t r, long double shift) {
    long double sum = 0;
    for (size_t j = 0; j < linear->cols + g->bias_penalised; j++) {
        long double w = j < linear->cols ? linear->w[r * linear->cols + j] : linear->b[r] + shift;
        sum += g->l1 * fabsl(w) + g->l2 / 2 * w * w;
    }
    out->own += sum;
    out->bar += 4 * (long double)(linear->cols + 8) * DBL_EPSILON * sum;
}

/* Of two classes a joint loss is one of the difference of the scores, and both rows of weights, which are
   opposite, are penalised. */
static inline void two_of_joint(struct goal *g) {
    if (g->kind == GOAL_CROSS_ENTROPY || g->kind == GOAL_CRAMMER_SINGER || g->kind == GOAL_MSE)
        g->l2 /= 2;
    if (g->kind == GOAL_CROSS_ENTROPY) g->kind = GOAL_LOGISTIC;
    if (g->kind == GOAL_CRAMMER_SINGER) g->kind = GOAL_HINGE;
}

/* Of a problem with one row of weights. */
static inline void part_own(struct part *out, const struct learner *learner,
                            const sepal_model *model, const sepal_data *data,
                            const struct features *f, size_t r) {
    const struct linear *linear = &model->linear;
    struct class_totals totals = totals_of(model, data, r);
    struct goal g = goal_read(learner, model->spec, totals.all);
    two_of_joint(&g);
    long double unit = 4 * (long double)(f->cols + 8) * DBL_EPSILON;
    long double shift = g.corrected ? logl((long double)totals.side[0] / totals.side[1]) : 0;
    out->known = g.kind != GOAL_UNKNOWN;
    for (size_t i = 0; i < f->rows && out->known; i++) {
        int side = side_in(model, data, r, i);
        if (side == 0) continue;
        long double reach, slope, unused, target = side;
        long double share = data_weight(data, i) / totals.all;
        if (g.balanced) share *= totals.all / (2 * totals.side[side > 0]);
        if (g.fisher) target *= totals.all / totals.side[side > 0];
        long double score = score_long(linear, f, i, r, &reach) + shift;
        out->own += share * loss_long(g.kind, score, target, unit * reach, &slope);
        out->start += share * loss_long(g.kind, 0, target, 0, &unused);
        out->bar += share * slope * unit * reach;
        out->reach += share * reach;
    }
    out->bar += 4 * (long double)(f->rows + 8) * DBL_EPSILON * out->own;
    if (out->known) add_penalty(out, &g, linear, r, shift);
}

/* The loss of a row's K scores, and what its terms may be off by where they are so by `error`. */
static inline long double joint_loss_long(enum goal_kind kind, const long double *s, size_t classes,
                                          size_t own) {
    long double most = -INFINITY, sum = 0;
    for (size_t k = 0; k < classes; k++)
        most = fmaxl(most, s[k] + (kind == GOAL_CRAMMER_SINGER && k != own));
    if (kind == GOAL_CRAMMER_SINGER) return most - s[own];
    for (size_t k = 0; k < classes; k++) sum += expl(s[k] - most);
    if (kind == GOAL_CROSS_ENTROPY) return most - s[own] + logl(sum);
    long double square = 0;
    for (size_t k = 0; k < classes; k++) {
        long double e = expl(s[k] - most) / sum - (k == own);
        square += e * e;
    }
    return square;
}

/* The factors of the classes' losses, total / (K N_k), or 1. */
static inline long double joint_factor(const struct goal *g, const sepal_data *data, int label) {
    long double own = 0;
    if (!g->balanced) return 1;
    for (size_t i = 0; i < data->matrix.rows; i++)
        if (data->label[i] == label) own += data_weight(data, i);
    return data->total_weight / ((long double)data->schema->n_classes * own);
}

/* Of K functions of which every loss sees all scores. */
static inline void part_own_softmax(struct part *out, const struct goal *g,
                                    const sepal_model *model, const sepal_data *data,
                                    const struct features *f) {
    const struct linear *linear = &model->linear;
    long double unit = 4 * (long double)(f->cols + 8) * DBL_EPSILON;
    long double *score = room(linear->rows, sizeof *score),
                *factor = room(linear->rows, sizeof *factor);
    long double at_zero = joint_loss_long(g->kind, score, linear->rows, 0);
    for (size_t k = 0; k < linear->rows; k++) factor[k] = joint_factor(g, data, (int)k);
    for (size_t i = 0; i < f->rows; i++) {
        size_t own = (size_t)data->label[i];
        long double share = factor[own] * data_weight(data, i) / (long double)data->total_weight;
        long double most = 0, reach;
        for (size_t r = 0; r < linear->rows; r++) {
            score[r] = score_long(linear, f, i, r, &reach);
            if (g->corrected) score[r] += logl(factor[r]);
            most = fmaxl(most, reach);
            out->reach += share * reach;
        }
        out->own += share * joint_loss_long(g->kind, score, linear->rows, own);
        out->start += share * at_zero;
        out->bar += share * 4 * unit * most;
    }
    out->bar += 4 * (long double)(f->rows + linear->rows + 8) * DBL_EPSILON * out->own;
    free(score);
    free(factor);
}

/* Of K functions that were fitted together. */
static inline void part_own_joint(struct part *out, const struct learner *learner,
                                  const sepal_model *model, const sepal_data *data,
                                  const struct features *f) {
    const struct linear *linear = &model->linear;
    struct goal g = goal_read(learner, model->spec, data->total_weight);
    long double unit = 4 * (long double)(f->cols + 8) * DBL_EPSILON;
    bool joint =
        g.kind == GOAL_CROSS_ENTROPY || g.kind == GOAL_CRAMMER_SINGER || g.kind == GOAL_MSE;
    out->known = joint || g.kind == GOAL_SQUARES || g.kind == GOAL_PERCEPTRON;
    if (joint) part_own_softmax(out, &g, model, data, f);
    for (size_t i = 0; i < f->rows && out->known && !joint; i++) {
        long double share = data_weight(data, i) / (long double)data->total_weight;
        long double own = 0, best = -INFINITY, loss = 0, error = 0;
        for (size_t r = 0; r < linear->rows; r++) {
            bool is_own = data->label[i] == (int)r;
            long double reach, slope, score = score_long(linear, f, i, r, &reach);
            if (is_own) own = score;
            if (!is_own && score > best) best = score;
            if (g.kind == GOAL_SQUARES) {
                slope = fabsl(score - is_own) + unit * reach;
                loss += (score - is_own) * (score - is_own) / 2;
                error += slope * unit * reach;
            } else {
                error = fmaxl(error, 2 * unit * reach);
            }
            out->reach += share * reach;
        }
        if (g.kind == GOAL_PERCEPTRON) loss = best > own ? best - own : 0;
        out->own += share * loss;
        out->start += share * (g.kind == GOAL_SQUARES ? 0.5L : 0);
        out->bar += share * error;
    }
    out->bar += 4 * (long double)(f->rows + 8) * DBL_EPSILON * out->own;
    for (size_t r = 0; r < linear->rows && out->known; r++) add_penalty(out, &g, linear, r, 0);
}

#endif
