#include "core/alloc.h"
#include "joint/joint.h"

#include <math.h>

sepal_status joint_at_zero(double *out, const struct joint *j) {
    sepal_ctx *ctx = j->o->ctx;
    const int32_t any = 0;
    double value, *score = mem_zero(ctx, 2 * j->lanes, sizeof *score);
    if (!score) return SEPAL_EMEMORY;
    j->loss->at(ctx->kernels, 1, j->classes, j->lanes, score, &any, &value, score + j->lanes, NULL);
    mem_free(score);
    *out = objective_total_weight(j->o) * value;
    return SEPAL_OK;
}

/* ---- cross-entropy -------------------------------------------------------------------------- */

/* p - e_y */
static void cross_entropy_at(const struct kernels *kernels, size_t n, size_t classes, size_t lanes,
                             const double *score, const int32_t *label, double *value,
                             double *slope, double *state) {
    double missing[JOINT_PANEL];
    for (size_t i = 0, some; i < n; i += some, score += some * lanes, slope += some * lanes) {
        some = n - i < JOINT_PANEL ? n - i : JOINT_PANEL;
        double *p = state ? state + i * lanes : slope;
        kernels->softmax(score, some, classes, lanes, label + i, value + i, p, missing);
        for (size_t k = 0; state && k < some * lanes; k++) slope[k] = p[k];
        for (size_t k = 0; k < some; k++) slope[k * lanes + (size_t)label[i + k]] = -missing[k];
    }
}

/* (diag(p) - p p') t */
static void cross_entropy_curve(size_t n, size_t lanes, const double *state, double *t) {
    for (size_t i = 0; i < n; i++, state += lanes, t += lanes) {
        double mean = 0;
        for (size_t l = 0; l < lanes; l++) mean += state[l] * t[l];
        for (size_t l = 0; l < lanes; l++) t[l] = state[l] * (t[l] - mean);
    }
}

static void entropies(const struct kernels *kernels, size_t n, size_t classes, size_t lanes,
                      const double *alpha, const int32_t *label, double *out) {
    (void)label;
    kernels->softmax_entropy(alpha, n, classes, lanes, out);
}

const struct joint_loss joint_cross_entropy = {
    .name = "cross_entropy",
    .words = "-ln p_t",
    .smooth = true,
    .convex = true,
    .at = cross_entropy_at,
    .curve = cross_entropy_curve,
    .neg_conjugate = entropies,
};

/* ---- squared error of the probabilities ------------------------------------------------------- */

/* With e = p - t: the loss |e|^2, and by the softmax's derivative the slope 2 p_k (e_k - p . e). */
static void squared_error_at(const struct kernels *kernels, size_t n, size_t classes, size_t lanes,
                             const double *score, const int32_t *label, double *value,
                             double *slope, double *state) {
    for (size_t i = 0; i < n; i++) {
        double *p = slope + i * lanes, square = 0, product = 0, missing;
        size_t own = (size_t)label[i];
        kernels->softmax(score + i * lanes, 1, classes, lanes, label + i, value + i, p, &missing);
        for (size_t k = 0; k < classes; k++) {
            double e = k == own ? -missing : p[k];
            square += e * e;
            product += p[k] * e;
        }
        for (size_t k = 0; k < classes; k++) {
            if (state) state[i * lanes + k] = p[k];
            p[k] = 2 * p[k] * ((k == own ? -missing : p[k]) - product);
        }
        value[i] = square + 0 * value[i]; /* scores that are no numbers have no loss */
    }
}

const struct joint_loss joint_squared_error = {
    .name = "mse",
    .words = "sum over classes of (t_k - p_k)^2",
    .smooth = true,
    .at = squared_error_at,
};

/* ---- Crammer and Singer ------------------------------------------------------------------------ */

/* max over k of s_k + [k is not y], less s_y; the slope is that of the first largest, and of the own class on
   ties with it. */
static void crammer_singer_at(const struct kernels *kernels, size_t n, size_t classes, size_t lanes,
                              const double *score, const int32_t *label, double *value,
                              double *slope, double *state) {
    (void)kernels, (void)state;
    for (size_t i = 0; i < n; i++) {
        const double *s = score + i * lanes;
        double *out = slope + i * lanes;
        size_t own = (size_t)label[i], best = own;
        double most = 0;
        for (size_t k = 0; k < lanes; k++) out[k] = 0;
        for (size_t k = 0; k < classes; k++) {
            double above = k == own ? 0 : 1 + (s[k] - s[own]);
            if (above > most || isnan(above)) {
                best = k;
                most = above;
            }
        }
        value[i] = most;
        out[best] += 1;
        out[own] -= 1;
    }
}

/* 1 - alpha_y, as the sum of the others */
static void crammer_singer_conjugate(const struct kernels *kernels, size_t n, size_t classes,
                                     size_t lanes, const double *alpha, const int32_t *label,
                                     double *out) {
    (void)kernels;
    for (size_t i = 0; i < n; i++) {
        out[i] = 0;
        for (size_t k = 0; k < classes; k++)
            out[i] += k == (size_t)label[i] ? 0 : alpha[i * lanes + k];
    }
}

const struct joint_loss joint_crammer_singer = {
    .name = "crammer_singer",
    .words = "max(0, 1 + max s_k - s_t)",
    .convex = true,
    .at = crammer_singer_at,
    .neg_conjugate = crammer_singer_conjugate,
};
