/* What a run came to: the criterion at the weights returned, and the numbers of the convergence
   theorem (Novikoff 1962): radius, margin and the bound on the number of updates. One parallel pass
   over the rows; block results are put together in order, so no bit depends on the threads. */
#include "learners/perceptron.h"

#include "core/parallel.h"

#include <float.h>
#include <math.h>

struct survey {
    double loss;   /* sum of weight times max(0, -margin) */
    double least;  /* margin, of weights as they are */
    double radius; /* largest norm of a row */
    size_t mistakes;
    bool overflow;
};

struct surveying {
    const struct perceptron *p;
    const struct weights *at;
    struct survey *blocks;
};

static sepal_status survey_block(sepal_ctx *ctx, size_t b, void *payload) {
    const struct surveying *all = payload;
    const struct perceptron *p = all->p;
    const struct block *block = &p->matrix->blocks[b];
    struct survey found = {.least = INFINITY};
    (void)ctx;
    for (size_t i = 0; i < block->rows; i++) {
        struct example x = perceptron_example(p, block->first_row + i);
        int32_t rival;
        double margin = perceptron_margin(p, all->at, &x, &rival);
        if (!isfinite(margin)) found.overflow = true;
        found.least = fmin(found.least, margin);
        found.radius = fmax(found.radius, perceptron_row_norm(p, &x));
        if (margin > 0) continue;
        found.mistakes++;
        found.loss -= x.weight * margin;
    }
    all->blocks[b] = found;
    return SEPAL_OK;
}

static sepal_status perceptron_report_survey(struct survey *out, struct perceptron *p,
                                             const struct weights *at) {
    struct fit *fit = p->fit;
    size_t n = p->matrix->n_blocks;
    struct surveying all = {p, at, arena_alloc(fit->ctx, &fit->arena, n, sizeof *all.blocks)};
    if (!all.blocks) return SEPAL_EMEMORY;
    TRY(parallel_for(fit->ctx, n, survey_block, &all));
    *out = (struct survey){.least = INFINITY};
    for (size_t b = 0; b < n; b++) {
        const struct survey *block = &all.blocks[b];
        out->loss += block->loss;
        out->least = fmin(out->least, block->least);
        out->radius = fmax(out->radius, block->radius);
        out->mistakes += block->mistakes;
        out->overflow = out->overflow || block->overflow;
    }
    return out->overflow ? perceptron_overflow(p) : SEPAL_OK;
}

static bool weights_are_one(const sepal_data *data) {
    for (size_t i = 0; data->weight && i < data->matrix.rows; i++)
        if (data->weight[i] != 1) return false;
    return true;
}

static bool updates_by_one(const struct perceptron *p) {
    const struct perceptron_config *config = p->config;
    bool steps = config->variant == ONLINE || config->variant == POCKET ||
                 config->variant == AVERAGED ||
                 (config->variant == DELTA && config->mode == MODE_ONLINE);
    return steps && weights_are_one(p->data);
}

/* The start over the step, u: its norm, its part along the last weights, and the norm of what is
   left. With their rounding errors, to the side that makes the bound larger. */
struct start {
    double norm, along, across;
};

static sepal_status measure_start(struct start *out, const struct perceptron *p) {
    *out = (struct start){0};
    double norm = p->start.w ? weights_norm(p, &p->start) : 0, end = weights_norm(p, &p->now);
    double error = (double)(p->rows * (p->cols + 1) + 8) * DBL_EPSILON;
    if (norm == 0) return SEPAL_OK;
    /* both at norm 1, since products of the weights themselves may be too large or too small */
    struct weights from, to;
    TRY(weights_make(&from, p));
    TRY(weights_make(&to, p));
    weights_add(p, &from, 1 / norm, &p->start);
    weights_add(p, &to, 1 / end, &p->now);
    double cosine = weights_dot(p, &from, &to);
    weights_add(p, &from, -cosine, &to);
    out->norm = norm / p->step;
    out->along = (cosine - error) * out->norm;
    out->across = (weights_norm(p, &from) + error) * out->norm;
    return SEPAL_OK;
}

/* Every step adds at least the margin to the part of w~ along a separator of norm 1, and at most R^2
   (K classes: 2 R^2) to |w~|^2. From u = w~0 / eta, with parts a along it and c across it, k steps
   thus have (a + k margin)^2 <= a^2 + c^2 + k R^2, and k is at most the larger root; from 0 that is
   (R / margin)^2. NaN where nothing is proved: the bound is on single steps on rows of weight 1. */
static double update_bound(const struct perceptron *p, const struct start *u, double radius,
                           double margin) {
    if (!updates_by_one(p)) return NAN;
    /* the margin less what rounding of a dot product can have added to it, and what it takes off a
       step beside a large start; and that a mistake may be judged one by rounding: still a bound */
    double error = (double)(p->cols + 8) * DBL_EPSILON;
    double sure = margin - error * radius - DBL_EPSILON * u->norm;
    if (!(sure > 0)) return NAN;
    double ratio = radius / sure, along = u->along / sure, across = u->across / sure;
    double rounding = error * radius + 2 * DBL_EPSILON * (radius + u->norm);
    double growth =
        (p->rows == 1 ? 1 : 2) * ratio * ratio + 2 * (rounding / sure) * (u->norm / sure);
    double half = growth / 2 - along, root = hypot(half, across);
    double bound = half >= 0 ? half + root : across * (across / (root - half));
    return isfinite(bound) ? bound : NAN;
}

static sepal_status perceptron_report_report(struct perceptron *p, const struct survey *last) {
    struct fit *fit = p->fit;
    struct start u = {0};
    double margin = last->mistakes == 0 ? last->least / weights_norm(p, &p->now) : NAN;
    if (last->mistakes == 0) TRY(measure_start(&u, p));
    struct tree *facts = tree_object(fit->make, fit->report, "perceptron");
    tree_number(fit->make, facts, "updates", (double)p->updates);
    tree_number(fit->make, facts, "radius", last->radius);
    tree_number(fit->make, facts, "margin", margin);
    tree_number(fit->make, facts, "bound", update_bound(p, &u, last->radius, margin));
    return SEPAL_OK;
}

static const char *solver_words(struct perceptron *p) {
    const struct perceptron_config *config = p->config;
    switch ((enum perceptron_variant)config->variant) {
    case ONLINE: return "online perceptron, one example at a time";
    case BATCH: return "batch perceptron, all mistakes at once";
    case MINIBATCH:
        return fit_text(p->fit, "minibatch perceptron, the mistakes of %zu rows at once",
                        config->batch);
    case POCKET: return "pocket perceptron, the best weights of an online run";
    case AVERAGED: return "averaged perceptron, the mean weights of an online run";
    case DELTA: break;
    }
    if (config->mode == MODE_ONLINE) return "delta rule, one example at a time";
    if (config->mode == MODE_BATCH) return "delta rule, the mean over all rows";
    return fit_text(p->fit, "delta rule, the mean over %zu rows", config->batch);
}

static const char *objective_words(struct perceptron *p) {
    const char *loss = p->rows > 1       ? "max(0, s_j - s_y) with s_j the best other score"
                       : p->config->bias ? "max(0, -t(w·x+b))"
                                         : "max(0, -t w·x)";
    return fit_text(p->fit, "perceptron criterion: mean of %s over %zu rows; no penalty", loss,
                    p->matrix->rows);
}

/* The epochs are over. */
static sepal_status warn_about_end(struct perceptron *p, size_t mistakes) {
    enum perceptron_chance chance;
    TRY(perceptron_prove(&chance, p));
    if (chance == CHANCE_NEVER) return SEPAL_OK;
    warn(
        p->fit->ctx, "not-converged",
        "the classes %s within %zu epochs: the last pass made %zu mistakes in %zu rows%s; try --%s "
        "%zu%s",
        chance == CHANCE_LATER ? "are linearly separable, but were not separated"
                               : "did not turn out to be separable",
        p->epochs, mistakes, p->matrix->rows,
        p->config->variant == POCKET     ? " (the best weights seen are returned)"
        : p->config->variant == AVERAGED ? " (the mean of the weights is returned)"
                                         : "",
        p->limit < p->config->epochs ? "max-iter" : "epochs", p->epochs * 10,
        chance == CHANCE_LATER || p->result.w ? ""
                                              : ", or " OPTION
                                                "variant pocket or averaged for data that overlap");
    return SEPAL_OK;
}

static sepal_status warn_about(struct perceptron *p, size_t mistakes) {
    sepal_ctx *ctx = p->fit->ctx;
    size_t rows = p->matrix->rows;
    bool robust = p->result.w != NULL;
    const char *then =
        robust ? "" : ", or " OPTION "variant pocket or averaged for data that overlap";
    if (p->proved)
        warn(
            ctx, "not-separable",
            "the classes are not linearly separable: the %zu rows on the wrong side, each with its "
            "sign and weight, add up to exactly 0, so no weights can put all of them on the right "
            "side; try " OPTION "variant pocket or averaged, or add features",
            mistakes);
    else if (!isnan(p->small_update))
        warn(ctx, "not-converged",
             "stopped in epoch %zu because the update's norm %g is not above theta = %g, with %zu "
             "of %zu rows on the wrong side; try a smaller " OPTION "theta%s",
             p->epochs, p->small_update, p->config->theta, mistakes, rows, then);
    else if (p->fit->stopped)
        warn(ctx, "not-converged", "stopped in epoch %zu (%s); the weights are the best so far",
             p->epochs, p->fit->stopped);
    else
        return warn_about_end(p, mistakes);
    return SEPAL_OK;
}
sepal_status perceptron_finish(struct perceptron *p) {
    struct fit *fit = p->fit;
    struct survey last, returned;
    TRY(perceptron_report_survey(&last, p, &p->now));
    returned = last;
    fit->converged = last.mistakes == 0;
    TRY(perceptron_report_report(p, &last));
    if (p->result.w) {
        TRY(perceptron_report_survey(&returned, p, &p->result));
        weights_copy(p, &p->now, &p->result);
    }
    fit->iterations = p->epochs;
    fit->objective = returned.loss / p->data->total_weight;
    fit->gap = NAN;
    fit->solver = solver_words(p);
    fit->words = objective_words(p);
    fit_tell_progress(fit, "mistakes");
    if (!fit->converged) TRY(warn_about(p, last.mistakes));
    return fit->make->failed ? SEPAL_EMEMORY : SEPAL_OK;
}
