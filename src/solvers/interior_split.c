#include "solvers/interior_split.h"

#include <math.h>
#include <string.h>

sepal_status split_init(struct split *s, sepal_ctx *ctx, struct arena *arena, size_t n, double l1,
                        double total_weight) {
    *s = (struct split){
        .n = l1 > 0 ? n : 0, .l1 = l1, .terms_per_weight = total_weight / (double)(n ? n : 1)};
    return ARENA_VECTORS(ctx, arena, s->n, &s->up, &s->down, &s->left[0], &s->left[1], &s->dup,
                         &s->ddown, &s->dt, &s->corrector[0], &s->corrector[1], &s->kept[0],
                         &s->kept[1]);
}

/* Of up - down = w and the path follows w t^2 + 2 mu t = w l1^2. */
void split_start(struct split *s, const double *w, double mu) {
    double product = s->terms_per_weight * mu;
    for (size_t j = 0; j < s->n; j++) {
        double size = fabs(w[j]) * s->l1, root = hypot(product, size);
        double near = s->l1 * product * (1 + product / (root + size)) / (product + root);
        double far = 2 * s->l1 - near;
        s->left[0][j] = w[j] > 0 ? near : far;
        s->left[1][j] = w[j] > 0 ? far : near;
        s->up[j] = product / s->left[0][j];
        s->down[j] = product / s->left[1][j];
    }
}

double split_products(const struct split *s, double length) {
    double sum = 0;
    for (size_t j = 0; j < s->n; j++) {
        double by = length * s->dt[j];
        sum += (s->up[j] + length * s->dup[j]) * (s->left[0][j] - by);
        sum += (s->down[j] + length * s->ddown[j]) * (s->left[1][j] + by);
    }
    return sum;
}

double split_terms(const struct split *s) {
    return 2 * s->terms_per_weight * (double)s->n;
}

/* How much the weight follows its dual variable. */
static double split_give(const struct split *s, size_t j) {
    return s->up[j] / s->left[0][j] + s->down[j] / s->left[1][j];
}

/* The residuals of the products, and what they ask of the weight. */
static double split_residual(const struct split *s, double target, size_t j, double out[2]) {
    out[0] = s->terms_per_weight * target + s->corrector[0][j] - s->up[j] * s->left[0][j];
    out[1] = s->terms_per_weight * target + s->corrector[1][j] - s->down[j] * s->left[1][j];
    return out[0] / s->left[0][j] - out[1] / s->left[1][j];
}

void split_hessian(const struct split *s, double *diagonal, size_t stride) {
    for (size_t j = 0; j < s->n; j++) diagonal[j * stride] += 1 / split_give(s, j);
}

void split_right_side(const struct split *s, double target, double *right) {
    double out[2];
    for (size_t j = 0; j < s->n; j++)
        right[j] += split_residual(s, target, j, out) / split_give(s, j) - split_alpha(s, j);
}

void split_follow(struct split *s, double target, const double *du) {
    double out[2];
    for (size_t j = 0; j < s->n; j++) {
        s->dt[j] = (du[j] - split_residual(s, target, j, out)) / split_give(s, j);
        s->dup[j] = (out[0] + s->up[j] * s->dt[j]) / s->left[0][j];
        s->ddown[j] = (out[1] - s->down[j] * s->dt[j]) / s->left[1][j];
    }
}

double split_max_step_length(const struct split *s, double length) {
    for (size_t j = 0; j < s->n; j++) {
        length = step_to_boundary(length, s->up[j], s->dup[j]);
        length = step_to_boundary(length, s->down[j], s->ddown[j]);
        length = step_to_boundary(length, s->left[0][j], -s->dt[j]);
        length = step_to_boundary(length, s->left[1][j], s->dt[j]);
    }
    return length;
}

void split_predictor_correction(struct split *s) {
    for (size_t j = 0; j < s->n; j++) {
        s->corrector[0][j] = s->dup[j] * s->dt[j];
        s->corrector[1][j] = -s->ddown[j] * s->dt[j];
    }
}

void split_correct_centrality(struct split *s, double target, double length) {
    double own = s->terms_per_weight * target;
    for (size_t j = 0; j < s->n; j++) {
        double by = length * s->dt[j];
        double up = s->up[j] + length * s->dup[j], down = s->down[j] + length * s->ddown[j];
        s->corrector[0][j] += centrality_correction(up * (s->left[0][j] - by), own);
        s->corrector[1][j] += centrality_correction(down * (s->left[1][j] + by), own);
    }
}

void split_keep(struct split *s, bool back) {
    for (int side = 0; side < 2; side++) {
        double *from = back ? s->kept[side] : s->corrector[side];
        memcpy(back ? s->corrector[side] : s->kept[side], from, s->n * sizeof *from);
    }
}

void split_forget(struct split *s) {
    for (int side = 0; side < 2; side++) memset(s->corrector[side], 0, s->n * sizeof(double));
}

void split_advance(struct split *s, double length, double *u) {
    static const double least = 1e-300;
    for (size_t j = 0; j < s->n; j++) {
        s->up[j] = fmax(s->up[j] + length * s->dup[j], least);
        s->down[j] = fmax(s->down[j] + length * s->ddown[j], least);
        s->left[0][j] = fmax(s->left[0][j] - length * s->dt[j], least);
        s->left[1][j] = fmax(s->left[1][j] + length * s->dt[j], least);
        u[j] = s->up[j] - s->down[j];
    }
}
