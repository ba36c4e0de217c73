/* The decision: equal rows of different classes first, then the convex hulls. Where the columns differ
   much in size the hulls are first asked with every column brought to the same size, as what separates
   may be small; the margin is then that of the columns as they are. */
#include "separability/separable.h"

#include "separability/wolfe.h"

#include <string.h>

static const double TOLERANCE = 1e-9;   /* of the gap, relative */
static const double ENOUGH = 0.5;       /* of the gap, when it is for the answer only */
static const double MARGIN_WORK = 1e10; /* multiplications, some ten seconds */
enum { SPREAD = 1 << 12 };              /* of sizes of columns that one scale can serve */

static bool columns_differ(const struct hull_points *points) {
    double low = INFINITY, high = 0;
    for (size_t j = 0; j < points->q->x->cols; j++) {
        if (points->reach[j] == 0) continue;
        low = fmin(low, points->reach[j]);
        high = fmax(high, points->reach[j]);
    }
    return high / SPREAD > low;
}

static sepal_status claim_twins(struct separability *out, sepal_ctx *ctx, struct arena *arena,
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
        out->separable = ANSWER_NO;
    else
        *c = (struct certificate){0};
    return SEPAL_OK;
}

/* Ask the hulls, and prove what they say. */
static sepal_status ask_hulls(struct separability *out, struct wolfe *h, sepal_ctx *ctx,
                              struct arena *arena, const struct hull_points *points,
                              struct budget *effort, double tolerance) {
    TRY(wolfe_solve(h, ctx, points, effort, tolerance));
    out->updates += h->steps;
    if (out->separable == ANSWER_UNKNOWN && h->best_bound > 0)
        TRY(prove_apart(out, ctx, arena, points, h->best));
    if (out->separable == ANSWER_UNKNOWN && h->end == HULLS_MEET)
        TRY(prove_meet(out, ctx, arena, points, h, effort));
    return SEPAL_OK;
}

/* The margin's bounds; the certificate becomes the hyperplane with the better lower one. */
static sepal_status bracket(struct separability *out, sepal_ctx *ctx, struct arena *arena,
                            const struct hull_points *even, const struct wolfe *h) {
    double low;
    TRY(margin_above(&out->margin[1], ctx, even, h));
    if (out->separable != ANSWER_YES) return SEPAL_OK;
    TRY(margin_below(&out->margin[0], ctx, even, out->certificate.w));
    if (!(h->best_bound > 0)) return SEPAL_OK;
    TRY(margin_below(&low, ctx, even, h->best));
    if (low <= out->margin[0]) return SEPAL_OK;
    struct separability other = {.separable = ANSWER_UNKNOWN};
    TRY(prove_apart(&other, ctx, arena, even, h->best));
    if (other.separable == ANSWER_YES) out->certificate = other.certificate;
    out->margin[0] = low;
    return SEPAL_OK;
}

/* A margin is worth some time, but the answer is known. */
static sepal_status seek_margin(struct separability *out, struct wolfe *h, sepal_ctx *ctx,
                                struct arena *arena, const struct hull_points *even,
                                struct budget *effort) {
    struct budget part = *effort;
    part.max_work = fmin(part.work + MARGIN_WORK, effort->max_work);
    TRY(wolfe_solve(h, ctx, even, &part, TOLERANCE));
    out->updates += h->steps;
    effort->work = part.work;
    if (cancelled(ctx)) effort->stopped = part.stopped;
    return bracket(out, ctx, arena, even, h);
}

struct deciding {
    struct hull_points even, uneven;
    struct wolfe hulls, of_margin;
    struct arena scratch;
};

static sepal_status decide_with(struct deciding *d, struct separability *out, sepal_ctx *ctx,
                                struct arena *arena, const struct question *q,
                                struct separable_wish wish, struct budget *effort) {
    wish.margin = wish.margin && q->side && q->bias;
    TRY(walk_to_plane(out, ctx, arena, q, effort));
    if (out->separable == ANSWER_YES && !wish.margin) return SEPAL_OK;
    TRY(hull_points_make(&d->even, ctx, &d->scratch, q, true, false));
    bool apart = columns_differ(&d->even), walked = out->separable == ANSWER_YES;
    if (apart && !walked) TRY(hull_points_make(&d->uneven, ctx, &d->scratch, q, false, false));
    if (!walked)
        TRY(ask_hulls(out, &d->hulls, ctx, arena, apart ? &d->uneven : &d->even, effort,
                      wish.margin && !apart ? TOLERANCE : ENOUGH));
    if (!wish.margin || out->separable == ANSWER_NO) return SEPAL_OK;
    if (apart || walked) return seek_margin(out, &d->of_margin, ctx, arena, &d->even, effort);
    return bracket(out, ctx, arena, &d->even, &d->hulls);
}

static sepal_status decide(struct separability *out, sepal_ctx *ctx, struct arena *arena,
                           const struct question *q, struct separable_wish wish,
                           struct budget *effort) {
    struct deciding d = {0};
    sepal_status status = decide_with(&d, out, ctx, arena, q, wish, effort);
    wolfe_clear(&d.hulls);
    wolfe_clear(&d.of_margin);
    arena_clear(&d.scratch);
    return status;
}

sepal_status separable_decide(struct separability *out, sepal_ctx *ctx, struct arena *arena,
                              const struct question *q, struct separable_wish wish,
                              struct budget *effort) {
    bool twins;
    size_t pair[2];
    *out = (struct separability){
        .separable = ANSWER_UNKNOWN, .quasi = ANSWER_UNKNOWN, .margin = {0, INFINITY}};
    TRY(twins_find(&twins, pair, ctx, q));
    if (twins) TRY(claim_twins(out, ctx, arena, q, pair));
    if (out->separable == ANSWER_UNKNOWN) TRY(decide(out, ctx, arena, q, wish, effort));
    if (out->separable == ANSWER_NO) out->margin[0] = out->margin[1] = 0;
    if (out->separable == ANSWER_YES) out->quasi = ANSWER_NO;
    if (out->separable == ANSWER_NO && out->quasi == ANSWER_UNKNOWN && wish.quasi)
        TRY(quasi_decide(&out->quasi, ctx, q, &out->certificate, effort));
    return SEPAL_OK;
}
