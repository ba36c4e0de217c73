/* Whether a hyperplane, or a linear machine, has every row strictly on its side. A score in floating
   point with the bound of its rounding error decides nearly all rows; what is left is added up
   without rounding. */
#include "certificates/certificate.h"

#include "core/alloc.h"
#include "core/parallel.h"
#include "exact/exact_sum.h"

#include <math.h>
#include <stdio.h>
#include <stdarg.h>

const double certificate_nearness = 1e-6;

bool verdict_no(struct verdict *out, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(out->why, sizeof out->why, format, arguments);
    va_end(arguments);
    out->holds = false;
    return false;
}

struct certificate_judging {
    const struct question *q;
    const struct certificate *c;
    size_t
        *wrong; /* per block: its first row that is on no side or the wrong one; SIZE_MAX: none */
};

/* A score and more than its rounding error: with n products and sums it is below
   n 2^-53 / (1 - n 2^-53) times the sum of absolute values (Higham, "Accuracy and Stability", 3.1),
   itself rounded; what underflows is less than n times the least number. */
struct score {
    double value, error;
};

static struct score certificate_score_of(const struct certificate_judging *all,
                                         const struct block *block, size_t i, size_t k) {
    size_t cols = all->q->x->cols, n = 8;
    const double *w = all->c->w + k * cols;
    double value = all->q->bias ? all->c->b[k] : 0, size = fabs(value), x;
    for (size_t at = 0, j; row_next(block, i, cols, &at, &j, &x); n++) {
        value += x * w[j];
        size += fabs(x * w[j]);
    }
    return (struct score){value, (double)n * (DBL_EPSILON * size + DBL_MIN)};
}

static void certificate_add_exactly(struct exact_sum *sum, const struct certificate_judging *all,
                                    const struct block *block, size_t i, size_t k, double sign) {
    size_t cols = all->q->x->cols;
    double x;
    for (size_t at = 0, j; row_next(block, i, cols, &at, &j, &x);)
        exact_sum_add(sum, sign * x, all->c->w[k * cols + j]);
    if (all->q->bias) exact_sum_add(sum, sign, all->c->b[k]);
}

static bool right_side(const struct certificate_judging *all, const struct block *block, size_t i,
                       int side) {
    struct score score = certificate_score_of(all, block, i, 0);
    if (side * score.value > score.error) return true;
    int64_t limbs[EXACT_SUM_LIMBS];
    struct exact_sum sum = {.limb = limbs, .n = EXACT_SUM_LIMBS};
    exact_sum_clear(&sum);
    certificate_add_exactly(&sum, all, block, i, 0, side);
    return exact_sum_sign(&sum) > 0;
}

static bool wins(const struct certificate_judging *all, const struct block *block, size_t i,
                 int32_t y) {
    struct score own = certificate_score_of(all, block, i, (size_t)y);
    for (size_t k = 0; k < all->q->classes; k++) {
        if (k == (size_t)y) continue;
        struct score other = certificate_score_of(all, block, i, k);
        if (own.value - other.value > 2 * (own.error + other.error)) continue;
        int64_t limbs[EXACT_SUM_LIMBS];
        struct exact_sum sum = {.limb = limbs, .n = EXACT_SUM_LIMBS};
        exact_sum_clear(&sum);
        certificate_add_exactly(&sum, all, block, i, (size_t)y, 1);
        certificate_add_exactly(&sum, all, block, i, k, -1);
        if (exact_sum_sign(&sum) <= 0) return false;
    }
    return true;
}

static sepal_status judge_block(sepal_ctx *ctx, size_t b, void *payload) {
    const struct certificate_judging *all = payload;
    const struct block *block = &all->q->x->blocks[b];
    (void)ctx;
    all->wrong[b] = SIZE_MAX;
    for (size_t i = 0; i < block->rows; i++) {
        size_t row = block->first_row + i;
        bool fine = !all->q->side        ? wins(all, block, i, all->q->label[row])
                    : !all->q->side[row] ? true
                                         : right_side(all, block, i, all->q->side[row]);
        if (fine) continue;
        all->wrong[b] = row;
        break;
    }
    return SEPAL_OK;
}

static bool plane_is_finite(const struct certificate_judging *all) {
    size_t planes = all->q->side ? 1 : all->q->classes;
    for (size_t i = 0; i < planes * all->q->x->cols; i++)
        if (!isfinite(all->c->w[i])) return false;
    for (size_t k = 0; k < planes; k++)
        if (!isfinite(all->c->b[k]) || (!all->q->bias && all->c->b[k] != 0)) return false;
    return true;
}

static sepal_status plane_judge(struct verdict *out, sepal_ctx *ctx, const struct question *q,
                                const struct certificate *c) {
    struct certificate_judging all = {q, c, NULL};
    if (!plane_is_finite(&all)) {
        verdict_no(out, "a weight or bias is not finite, or there is a bias where none may be");
        return SEPAL_OK;
    }
    all.wrong = mem_alloc(ctx, q->x->n_blocks, sizeof *all.wrong);
    if (!all.wrong) return SEPAL_EMEMORY;
    sepal_status status = parallel_for(ctx, q->x->n_blocks, judge_block, &all);
    out->holds = true;
    for (size_t b = 0; b < q->x->n_blocks && status == SEPAL_OK && out->holds; b++)
        if (all.wrong[b] != SIZE_MAX)
            verdict_no(out, "row %zu is not on its side of the hyperplane",
                       matrix_row_number(q->x, all.wrong[b]));
    mem_free(all.wrong);
    return status;
}

sepal_status certificate_judge(struct verdict *out, sepal_ctx *ctx, const struct question *q,
                               const struct certificate *c) {
    *out = (struct verdict){0};
    switch (c->kind) {
    case CERTIFICATE_NONE: verdict_no(out, "it proves nothing"); return SEPAL_OK;
    case CERTIFICATE_PLANE: return plane_judge(out, ctx, q, c);
    case CERTIFICATE_GORDAN: break;
    }
    return gordan_judge(out, ctx, q, c);
}
