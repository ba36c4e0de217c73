/* The decision: equal rows of different classes first, then the convex hulls. Where the columns differ
   much in size the hulls are first asked with every column brought to the same size, as what separates
   may be small; the margin is then that of the columns as they are. */
#include "separability/separable.h"

#include "separability/wolfe.h"

static const double TOLERANCE = 1e-9;   /* of the gap, relative */
static const double ENOUGH = 0.5;       /* of the gap, when it is for the answer only */
static const double MARGIN_WORK = 1e10; /* multiplications, some ten seconds */
enum { SPREAD = 1 << 12 };              /* of sizes of columns that one scale can serve */

static bool columns_differ(const struct hull_points *points) {
    double low = INFINITY, high = 0;
    for (size_t j = 0; j < points->q->x->cols; j++) {
        if (points->radius[j] == 0) continue;
        low = fmin(low, points->radius[j]);
        high = fmax(high, points->radius[j]);
    }
    return high / SPREAD > low;
}

static sepal_status claim_duplicates(struct separability *out, sepal_ctx *ctx, struct arena *arena,
                                     const struct question *q, const size_t pair[2]) {
    struct certificate *c = &out->certificate;
    struct verdict verdict;
    *c = (struct certificate){.kind = CERTIFICATE_GORDAN, .n = 2};
    c->rows = arena_alloc(ctx, arena, 2, sizeof *c->rows);
    c->integers = arena_alloc(ctx, arena, 2, sizeof *c->integers);
    c->rivals = q->side ? NULL : arena_alloc(ctx, arena, 2, sizeof *c->rivals);
    if (!c->rows || !c->integers || (!q->side && !c->rivals)) return SEPAL_EMEMORY;
    for (size_t i = 0; i < 2; i++) {
        c->rows[i] = pair[i];
        c->integers[i] = "1";
        if (c->rivals) c->rivals[i] = q->label[pair[1 - i]];
    }
    TRY(certificate_judge(&verdict, ctx, q, c));
    if (verdict.holds)
        out->separable = OUTCOME_NO;
    else
        *c = (struct certificate){0};
    return SEPAL_OK;
}

/* Ask the hulls, and prove what they say. */
static sepal_status compare_hulls(struct separability *out, struct wolfe *h, sepal_ctx *ctx,
                                  struct arena *arena, const struct hull_points *points,
                                  struct budget *budget, double tolerance) {
    TRY(wolfe_solve(h, ctx, points, budget, tolerance));
    out->updates += h->steps;
    if (out->separable == OUTCOME_UNKNOWN && h->best_bound > 0)
        TRY(prove_apart(out, ctx, arena, points, h->best));
    if (out->separable == OUTCOME_UNKNOWN && h->end == HULLS_MEET)
        TRY(prove_meet(out, ctx, arena, points, h, budget));
    return SEPAL_OK;
}

/* The margin's bounds; the certificate becomes the hyperplane with the better lower one. */
static sepal_status bracket(struct separability *out, sepal_ctx *ctx, struct arena *arena,
                            const struct hull_points *even, const struct wolfe *h) {
    double low;
    TRY(margin_above(&out->margin[1], ctx, even, h));
    if (out->separable != OUTCOME_YES) return SEPAL_OK;
    TRY(margin_below(&out->margin[0], ctx, even, out->certificate.w));
    if (!(h->best_bound > 0)) return SEPAL_OK;
    TRY(margin_below(&low, ctx, even, h->best));
    if (low <= out->margin[0]) return SEPAL_OK;
    struct separability other = {.separable = OUTCOME_UNKNOWN};
    TRY(prove_apart(&other, ctx, arena, even, h->best));
    if (other.separable == OUTCOME_YES) out->certificate = other.certificate;
    out->margin[0] = low;
    return SEPAL_OK;
}

/* A margin is worth some time, but the answer is known. */
static sepal_status seek_margin(struct separability *out, struct wolfe *h, sepal_ctx *ctx,
                                struct arena *arena, const struct hull_points *even,
                                struct budget *budget) {
    struct budget part = *budget;
    part.max_work = fmin(part.work + MARGIN_WORK, budget->max_work);
    TRY(wolfe_solve(h, ctx, even, &part, TOLERANCE));
    out->updates += h->steps;
    budget->work = part.work;
    if (cancelled(ctx)) budget->stopped = part.stopped;
    return bracket(out, ctx, arena, even, h);
}

struct deciding {
    struct hull_points even, uneven;
    struct wolfe hulls, of_margin;
    struct arena scratch;
};

static sepal_status decide_with(struct deciding *d, struct separability *out, sepal_ctx *ctx,
                                struct arena *arena, const struct question *q,
                                struct separable_wish wish, struct budget *budget) {
    wish.margin = wish.margin && q->side && q->bias;
    TRY(dcd_separate(out, ctx, arena, q, budget));
    if (out->separable == OUTCOME_YES && !wish.margin) return SEPAL_OK;
    TRY(hull_points_make(&d->even, ctx, &d->scratch, q, true, false));
    bool apart = columns_differ(&d->even), found_plane = out->separable == OUTCOME_YES;
    if (apart && !found_plane) TRY(hull_points_make(&d->uneven, ctx, &d->scratch, q, false, false));
    if (!found_plane)
        TRY(compare_hulls(out, &d->hulls, ctx, arena, apart ? &d->uneven : &d->even, budget,
                          wish.margin && !apart ? TOLERANCE : ENOUGH));
    if (!wish.margin || out->separable == OUTCOME_NO) return SEPAL_OK;
    if (apart || found_plane) return seek_margin(out, &d->of_margin, ctx, arena, &d->even, budget);
    return bracket(out, ctx, arena, &d->even, &d->hulls);
}

static sepal_status decide_question(struct separability *out, sepal_ctx *ctx, struct arena *arena,
                                    const struct question *q, struct separable_wish wish,
                                    struct budget *budget) {
    struct deciding d = {0};
    sepal_status status = decide_with(&d, out, ctx, arena, q, wish, budget);
    wolfe_clear(&d.hulls);
    wolfe_clear(&d.of_margin);
    arena_clear(&d.scratch);
    return status;
}

sepal_status separable_decide(struct separability *out, sepal_ctx *ctx, struct arena *arena,
                              const struct question *q, struct separable_wish wish,
                              struct budget *budget) {
    bool duplicates;
    size_t pair[2];
    *out = (struct separability){
        .separable = OUTCOME_UNKNOWN, .quasi = OUTCOME_UNKNOWN, .margin = {0, INFINITY}};
    TRY(duplicates_find(&duplicates, pair, ctx, q));
    if (duplicates) TRY(claim_duplicates(out, ctx, arena, q, pair));
    if (out->separable == OUTCOME_UNKNOWN) TRY(decide_question(out, ctx, arena, q, wish, budget));
    if (out->separable == OUTCOME_NO) out->margin[0] = out->margin[1] = 0;
    if (out->separable == OUTCOME_YES) out->quasi = OUTCOME_NO;
    if (out->separable == OUTCOME_NO && out->quasi == OUTCOME_UNKNOWN && wish.quasi)
        TRY(quasi_decide(&out->quasi, ctx, q, &out->certificate, budget));
    return SEPAL_OK;
}
