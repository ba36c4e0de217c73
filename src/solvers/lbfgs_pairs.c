/* H in its compact form (Byrd, Nocedal and Schnabel 1994): with G = gamma / scale, R the upper part
   of S'Y and D its diagonal

       H = G + [S  G Y] [ R^-T (D + Y'G Y) R^-1   -R^-T ] [ S'  ]
                        [ -R^-1                      0  ] [ Y'G ]

   so a direction is two reads of the pairs, by stripes of columns: one for the sums S'g and Y'g, one
   for what they amount to. The stripes depend on the width alone, and are added in their order. */
#include "solvers/lbfgs_pairs.h"

#include "core/alloc.h"
#include "core/parallel.h"
#include "kernels/kernels.h"
#include "kernels/singles.h"

#include <math.h>
#include <string.h>

enum { STRIPES = 64, SOME = 1024 };

/* ---- sums over the columns ------------------------------------------------------------------ */

/* S'a and Y'(a / scale), for all slots. */
struct sums {
    const struct pairs *pairs;
    const double *a;
    double s[STRIPES][PAIRS_MOST], y[STRIPES][PAIRS_MOST];
};

static sepal_status sum_stripe(sepal_ctx *ctx, size_t stripe, void *payload) {
    struct sums *sums = payload;
    const struct pairs *p = sums->pairs;
    size_t to = p->width * (stripe + 1) / STRIPES;
    double scaled[SOME];
    for (size_t j = p->width * stripe / STRIPES, n; j < to; j += n) {
        n = to - j < SOME ? to - j : SOME;
        for (size_t k = 0; k < n; k++) scaled[k] = sums->a[j + k] / p->scale[j + k];
        for (size_t i = 0; i < p->n; i++) {
            size_t at = p->slot[i];
            sums->s[stripe][at] += ctx->kernels->dot_f32(p->s + at * p->width + j, sums->a + j, n);
            sums->y[stripe][at] += ctx->kernels->dot_f32(p->y + at * p->width + j, scaled, n);
        }
    }
    return SEPAL_OK;
}

static sepal_status take_sums(double *s, double *y, const struct pairs *p, const double *a) {
    struct sums sums = {.pairs = p, .a = a};
    TRY(parallel_for(p->ctx, STRIPES, sum_stripe, &sums));
    memset(s, 0, PAIRS_MOST * sizeof *s);
    memset(y, 0, PAIRS_MOST * sizeof *y);
    for (size_t stripe = 0; stripe < STRIPES; stripe++) {
        for (size_t k = 0; k < PAIRS_MOST; k++) {
            s[k] += sums.s[stripe][k];
            y[k] += sums.y[stripe][k];
        }
    }
    return SEPAL_OK;
}

/* The products of the pair in a slot with all, its y being `y`. */
static sepal_status multiply(struct pairs *p, size_t slot, const double *y) {
    double sy[PAIRS_MOST], yy[PAIRS_MOST];
    TRY(take_sums(sy, yy, p, y));
    for (size_t i = 0; i < PAIRS_MOST; i++) {
        p->sy[i][slot] = sy[i];
        p->yy[i][slot] = p->yy[slot][i] = yy[i];
    }
    return SEPAL_OK;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

sepal_status pairs_init(struct pairs *pairs, sepal_ctx *ctx, size_t width, const double *scale) {
    *pairs = (struct pairs){.ctx = ctx, .width = width, .scale = scale};
    pairs->s = mem_alloc(ctx, width, 2 * PAIRS_MOST * sizeof *pairs->s);
    if (!pairs->s) return SEPAL_EMEMORY;
    pairs->y = pairs->s + PAIRS_MOST * width;
    return SEPAL_OK;
}

void pairs_clear(struct pairs *pairs) {
    mem_free(pairs->s);
}

void pairs_drop(struct pairs *pairs) {
    pairs->n = pairs->next = 0;
}

sepal_status pairs_add(struct pairs *p, const double *s, double *y) {
    size_t at = p->next;
    float *kept = p->y + at * p->width;
    if (p->n == PAIRS_MOST) memmove(p->slot, p->slot + 1, --p->n * sizeof *p->slot);
    singles_round(p->s + at * p->width, s, p->width);
    singles_round(kept, y, p->width);
    for (size_t j = 0; j < p->width; j++) y[j] = (double)kept[j];
    p->slot[p->n++] = at;
    TRY(multiply(p, at, y));
    if (!(p->sy[at][at] > 0 && p->yy[at][at] > 0 && isfinite(p->sy[at][at] + p->yy[at][at])))
        p->n--;
    else
        p->next = (at + 1) % PAIRS_MOST;
    return SEPAL_OK;
}

sepal_status pairs_weigh(struct pairs *p, double *room) {
    for (size_t i = 0; i < p->n; i++) {
        const float *y = p->y + p->slot[i] * p->width;
        for (size_t j = 0; j < p->width; j++) room[j] = (double)y[j];
        TRY(multiply(p, p->slot[i], room));
    }
    return SEPAL_OK;
}

/* ---- the direction -------------------------------------------------------------------------- */

struct blend {
    const struct pairs *pairs;
    const double *g;
    double *out;
    double gamma, s[PAIRS_MOST], y[PAIRS_MOST]; /* factors, the oldest pair first */
};

static sepal_status blend_stripe(sepal_ctx *ctx, size_t stripe, void *payload) {
    const struct blend *blend = payload;
    const struct pairs *p = blend->pairs;
    size_t to = p->width * (stripe + 1) / STRIPES;
    double sum[SOME];
    for (size_t j = p->width * stripe / STRIPES, n; j < to; j += n) {
        n = to - j < SOME ? to - j : SOME;
        memcpy(sum, blend->g + j, n * sizeof *sum);
        for (size_t i = 0; i < p->n; i++)
            ctx->kernels->axpy_f32(blend->y[i], p->y + p->slot[i] * p->width + j, sum, n);
        for (size_t k = 0; k < n; k++) sum[k] *= -blend->gamma / p->scale[j + k];
        for (size_t i = 0; i < p->n; i++)
            ctx->kernels->axpy_f32(-blend->s[i], p->s + p->slot[i] * p->width + j, sum, n);
        memcpy(blend->out + j, sum, n * sizeof *sum);
    }
    return SEPAL_OK;
}

/* The factors of the pairs, from S'g and Y'g / scale by slots. */
static void take_factors(struct blend *blend, const double *sg, const double *yg) {
    const struct pairs *p = blend->pairs;
    double *back = blend->y, *lead = blend->s;
    size_t n = p->n;
    for (size_t i = n; i-- > 0;) { /* R back = -S'g */
        size_t at = p->slot[i];
        back[i] = -sg[at];
        for (size_t k = i + 1; k < n; k++) back[i] -= p->sy[at][p->slot[k]] * back[k];
        back[i] /= p->sy[at][at];
    }
    for (size_t i = 0; i < n; i++) { /* R' lead = -(D + Y'G Y) back - Y'G g */
        size_t at = p->slot[i];
        lead[i] = -p->sy[at][at] * back[i] - blend->gamma * yg[at];
        for (size_t k = 0; k < n; k++) lead[i] -= blend->gamma * p->yy[at][p->slot[k]] * back[k];
        for (size_t k = 0; k < i; k++) lead[i] -= p->sy[p->slot[k]][at] * lead[k];
        lead[i] /= p->sy[at][at];
    }
}

sepal_status pairs_direction(double *out, struct pairs *pairs, const double *g) {
    struct blend blend = {.pairs = pairs, .g = g, .out = out, .gamma = 1};
    double sg[PAIRS_MOST], yg[PAIRS_MOST];
    if (pairs->n > 0) {
        size_t last = pairs->slot[pairs->n - 1];
        blend.gamma = pairs->sy[last][last] / pairs->yy[last][last];
        TRY(take_sums(sg, yg, pairs, g));
        take_factors(&blend, sg, yg);
    }
    return parallel_for(pairs->ctx, STRIPES, blend_stripe, &blend);
}
