/* A hyperplane for rows of very many columns, where corrals grow large: dual coordinate descent for the
   hard margin (Hsieh, Chang, Lin, Keerthi and Sundararajan, ICML 2008). Minimise |w~|^2 / 2 with
   t w~.(x, s) >= 1, the size s of rows standing for the bias; each visit of a row makes its own
   constraint hold, or lets go of it. Where rows are few beside their columns some passes do. */
#include "core/rng.h"
#include "separability/separable.h"

#include <stdio.h>

enum { MANY_COLUMNS = 1000, MOST_PASSES = 5000, VAIN_MOST = 150, UNIQUE_ORDER = 77 };

struct dcd {
    const struct question *q;
    const struct kernels *kernels;
    double *w, *b;
    double *alpha, *square; /* per row of the list; square: of its norm, with the bias */
    uint32_t *rows;         /* in the order of this pass */
    size_t n;
    double ones; /* s^2 */
};

static sepal_status dcd_make(struct dcd *a, sepal_ctx *ctx, struct arena *arena) {
    const struct matrix *x = a->q->x;
    double sum = 0;
    a->alpha = arena_zero(ctx, arena, x->rows, sizeof *a->alpha);
    a->square = arena_zero(ctx, arena, x->rows, sizeof *a->square);
    a->rows = arena_zero(ctx, arena, x->rows, sizeof *a->rows);
    if (!a->alpha || !a->square || !a->rows) return SEPAL_EMEMORY;
    for (size_t row = 0; row < x->rows; row++) {
        if (!a->q->side[row]) continue;
        size_t i;
        const struct block *block = matrix_block_of(x, row, &i);
        a->square[row] = row_square_norm(block, i, x->cols);
        sum += a->square[row];
        a->rows[a->n++] = (uint32_t)row;
    }
    a->ones = a->q->bias ? sum / (double)a->n : 0;
    for (size_t row = 0; row < x->rows; row++) a->square[row] += a->ones;
    return SEPAL_OK;
}

/* One pass; how many rows were on the wrong side when it came to them. */
static size_t dcd_pass(struct dcd *a) {
    size_t wrong = 0, cols = a->q->x->cols;
    for (size_t at = 0; at < a->n; at++) {
        size_t row = a->rows[at], i;
        const struct block *block = matrix_block_of(a->q->x, row, &i);
        double t = a->q->side[row];
        double margin = t * (row_dot(a->kernels, block, i, cols, a->w) + *a->b);
        wrong += !(margin > 0);
        double before = a->alpha[row];
        double now = fmax(0, before + (1 - margin) / a->square[row]);
        if (now == before || a->square[row] == 0) continue;
        a->alpha[row] = now;
        row_axpy(a->kernels, block, i, cols, t * (now - before), a->w);
        *a->b += t * (now - before) * a->ones;
    }
    return wrong;
}

static bool dcd_bring_to_one(struct dcd *a, const double *w, double b, struct certificate *out) {
    double size = 0;
    for (size_t j = 0; j < a->q->x->cols; j++) size += w[j] * w[j];
    size = sqrt(size);
    if (!(size > 0) || !isfinite(size)) return false;
    for (size_t j = 0; j < a->q->x->cols; j++) out->w[j] = w[j] / size;
    *out->b = b / size;
    return true;
}

static sepal_status run_epochs(struct dcd *a, struct separability *out, sepal_ctx *ctx,
                               struct certificate *c, struct budget *budget) {
    struct rng rng = rng_make(UNIQUE_ORDER, 0);
    size_t fewest = SIZE_MAX, since = 0;
    for (size_t i = 0; i < MOST_PASSES && since < VAIN_MOST; i++) {
        rng_shuffle(&rng, a->rows, a->n);
        size_t wrong = dcd_pass(a);
        out->updates++;
        char line[96];
        (void)snprintf(line, sizeof line, "separable: pass %zu, %zu rows on the wrong side", i + 1,
                       wrong);
        if (budget_spent(budget, ctx, 2 * (double)a->q->x->nonzeros, line)) return SEPAL_OK;
        since = wrong < fewest ? 0 : since + 1;
        if (wrong < fewest) fewest = wrong;
        if (wrong > 0) continue;
        /* not of one w, but of all those of the pass: the last may do or not */
        struct verdict verdict = {0};
        if (dcd_bring_to_one(a, a->w, *a->b, c)) TRY(certificate_judge(&verdict, ctx, a->q, c));
        if (!verdict.holds) continue;
        out->certificate = *c;
        out->separable = OUTCOME_YES;
        return SEPAL_OK;
    }
    return SEPAL_OK;
}

sepal_status dcd_separate(struct separability *out, sepal_ctx *ctx, struct arena *arena,
                          const struct question *q, struct budget *budget) {
    const struct matrix *x = q->x;
    if (!q->side || !x->sparse || x->cols < MANY_COLUMNS || x->rows > UINT32_MAX) return SEPAL_OK;
    struct arena scratch = {0};
    struct certificate c = {.kind = CERTIFICATE_PLANE};
    c.w = arena_zero(ctx, arena, x->cols, sizeof *c.w);
    c.b = arena_zero(ctx, arena, 1, sizeof *c.b);
    struct dcd a = {.q = q, .kernels = ctx->kernels};
    a.w = arena_zero(ctx, &scratch, x->cols, sizeof *a.w);
    a.b = arena_zero(ctx, &scratch, 1, sizeof *a.b);
    sepal_status status = c.w && c.b && a.w && a.b ? dcd_make(&a, ctx, &scratch) : SEPAL_EMEMORY;
    if (status == SEPAL_OK && isfinite(a.ones)) status = run_epochs(&a, out, ctx, &c, budget);
    arena_clear(&scratch);
    return status;
}
