/* Quasi-complete separation: of classes that nothing separates strictly, whether some w~ has
   w~.p >= 0 for all points p and > 0 for some (Albert and Anderson, Biometrika 71, 1984; it is what the
   existence of a logistic fit without penalty hangs on).

   Points that have a positive multiplier in some sum that is 0 have w~.p = 0 for every such w~. So
   their span is taken off all points, and the question is asked anew of what is left: if the hulls
   meet again there are more such points, else a w~ is found; when nothing is left there is none.

   Numbers lead, whole numbers prove. For a yes: w~ is computed exactly from the equations w~.p = 0 of
   those points, with coordinates that these leave open near the w~ found, and its sign is taken
   exactly at every point. For a no: positive whole multipliers of all those points together, and the
   rank that they then show to be that of all. */
#include "core/alloc.h"
#include "core/parallel.h"
#include "exact/exact_sum.h"
#include "exact/integer_nullspace.h"
#include "separability/wolfe.h"
#include "separability/separable.h"

#include <string.h>

static const double NOTHING = 1e-9;   /* of a point's norm: what is left of it is rounding */
static const double MOST_WORK = 2e10; /* of a look at all points */
enum { WEIGHT_BITS = 40, STAGE_BITS = 60, MOST_OPEN = 64, POINTS_AT_ONCE = 256 };

struct quasi {
    sepal_ctx *ctx;
    struct arena arena;
    struct budget *budget;
    const struct question *q;
    struct hull_points points;
    size_t width; /* coordinates that count: without those of a machine's last class */

    double **removed; /* orthonormal */
    size_t *source;   /* the point that brought each */
    bool *skip;
    size_t left;

    size_t n_taken, room_taken;
    struct taken {
        size_t point;
        int stage;
    } * taken;
};

/* ---- the span ------------------------------------------------------------------------------ */

static sepal_status quasi_take(struct quasi *a, size_t number, int stage) {
    const struct kernels *kernels = a->ctx->kernels;
    struct point point, whole;
    struct hull_points plain = a->points;
    plain.n_removed = 0;
    TRY(mem_reserve(a->ctx, (void **)&a->taken, &a->room_taken, a->n_taken + 1, sizeof *a->taken));
    a->taken[a->n_taken++] = (struct taken){number, stage};
    if (a->points.n_removed == a->points.dim) return SEPAL_OK;
    TRY(point_fetch(&whole, a->ctx, &plain, number));
    double size = sqrt(whole.square);
    point_free(&whole);
    TRY(point_fetch(&point, a->ctx, &a->points, number));
    double length = sqrt(point.square);
    sepal_status status = SEPAL_OK;
    if (length > NOTHING * size) {
        double *direction = arena_zero(a->ctx, &a->arena, a->points.dim, sizeof *direction);
        if (direction) {
            point_add(kernels, direction, 1 / length, &point);
            a->source[a->points.n_removed] = number;
            a->removed[a->points.n_removed++] = direction;
        } else {
            status = SEPAL_EMEMORY;
        }
    }
    point_free(&point);
    return status;
}

static sepal_status look_at_points(sepal_ctx *ctx, size_t task, void *payload) {
    struct quasi *a = payload;
    struct hull_points plain = a->points;
    plain.n_removed = 0;
    size_t end = (task + 1) * POINTS_AT_ONCE;
    for (size_t i = task * POINTS_AT_ONCE; i < end && i < a->points.n; i++) {
        struct point whole, point;
        if (a->skip[i]) continue;
        TRY(point_fetch(&whole, ctx, &plain, i));
        double size = whole.square;
        point_free(&whole);
        TRY(point_fetch(&point, ctx, &a->points, i));
        a->skip[i] = point.square <= NOTHING * NOTHING * size;
        point_free(&point);
    }
    return SEPAL_OK;
}

/* Skip the points of the span, and count the others. False: it would take too long. */
static sepal_status quasi_look(struct quasi *a, bool *fine) {
    double work = (double)a->points.n * (double)a->points.dim * (double)(a->points.n_removed + 1);
    *fine = work < MOST_WORK &&
            !budget_spent(a->budget, a->ctx, 2 * work, "separable: the span of the rows that meet");
    if (!*fine) return SEPAL_OK;
    size_t tasks = (a->points.n + POINTS_AT_ONCE - 1) / POINTS_AT_ONCE;
    TRY(parallel_for(a->ctx, tasks, look_at_points, a));
    a->left = 0;
    for (size_t i = 0; i < a->points.n; i++) a->left += !a->skip[i];
    return SEPAL_OK;
}

/* ---- exact vectors ------------------------------------------------------------------------- */

/* w~ with w~.p = 0 for the points that span; other coordinates in the ratio of the weights. */
static sepal_status exact_normal(struct exact_vector *out, struct quasi *a, struct arena *arena,
                                 const int64_t *weight) {
    struct exact_system system = {.n_points = a->width, .n_equations = a->points.n_removed};
    struct hull_points plain = a->points;
    sepal_status status = SEPAL_OK;
    plain.n_removed = 0;
    for (size_t r = 0; r < a->points.n_removed && status == SEPAL_OK; r++) {
        struct point point;
        status = point_fetch(&point, a->ctx, &plain, a->source[r]);
        for (size_t e = 0; status == SEPAL_OK && e < point.n; e++) {
            size_t j = point.index ? point.index[e] : e;
            if (j < a->width) status = exact_system_add(&system, a->ctx, r, j, point.value[e]);
        }
        point_free(&point);
    }
    if (status == SEPAL_OK)
        status = exact_null_vector(out, a->ctx, arena, &system, weight, a->budget);
    mem_free(system.entries);
    return status;
}

struct signs {
    const struct quasi *a;
    const struct exact_vector *v;
    size_t limbs;
    unsigned char *seen; /* per task, bits: some sign is negative, some is positive */
};

static sepal_status sign_of_point(int *sign, sepal_ctx *ctx, const struct signs *s, size_t number,
                                  struct exact_sum *sum) {
    struct hull_points plain = s->a->points;
    struct point point;
    plain.n_removed = 0;
    TRY(point_fetch(&point, ctx, &plain, number));
    exact_sum_clear(sum);
    for (size_t e = 0; e < point.n; e++) {
        size_t j = point.index ? point.index[e] : e;
        if (j >= s->a->width) continue;
        const struct bigint *size = &s->v->sizes[j];
        exact_sum_add_whole(sum, size->limb, size->n,
                            s->v->negative[j] ? -point.value[e] : point.value[e]);
    }
    *sign = exact_sum_sign(sum);
    point_free(&point);
    return SEPAL_OK;
}

static sepal_status look_at_signs(sepal_ctx *ctx, size_t task, void *payload) {
    const struct signs *s = payload;
    struct exact_sum sum = {.n = EXACT_SUM_LIMBS + s->limbs};
    sum.limb = mem_alloc(ctx, sum.n, sizeof *sum.limb);
    if (!sum.limb) return SEPAL_EMEMORY;
    size_t end = (task + 1) * POINTS_AT_ONCE;
    sepal_status status = SEPAL_OK;
    for (size_t i = task * POINTS_AT_ONCE; i < end && i < s->a->points.n && status == SEPAL_OK;
         i++) {
        int sign = 0;
        status = sign_of_point(&sign, ctx, s, i, &sum);
        if (sign) s->seen[task] |= sign < 0 ? 1 : 2;
    }
    mem_free(sum.limb);
    return status;
}

/* The signs that w~.p has: bit 0 negative, bit 1 positive; 0 when all are 0. */
static sepal_status quasi_signs_of(unsigned *out, struct quasi *a, const struct exact_vector *v) {
    size_t tasks = (a->points.n + POINTS_AT_ONCE - 1) / POINTS_AT_ONCE;
    struct signs s = {.a = a, .v = v};
    for (size_t j = 0; j < a->width; j++)
        if (v->sizes[j].n > s.limbs) s.limbs = v->sizes[j].n;
    s.seen = mem_zero(a->ctx, tasks, 1);
    if (!s.seen) return SEPAL_EMEMORY;
    sepal_status status = parallel_for(a->ctx, tasks, look_at_signs, &s);
    *out = 0;
    for (size_t t = 0; t < tasks; t++) *out |= s.seen[t];
    mem_free(s.seen);
    return status;
}

/* ---- the two proofs ------------------------------------------------------------------------ */

static sepal_status prove_yes(enum outcome *out, struct quasi *a, const double *w) {
    struct arena scratch = {0};
    struct exact_vector v = {0};
    unsigned signs = 0;
    double most = 0;
    int64_t *weight = arena_zero(a->ctx, &scratch, a->width, sizeof *weight);
    sepal_status status = weight ? SEPAL_OK : SEPAL_EMEMORY;
    for (size_t j = 0; j < a->width; j++) most = fmax(most, fabs(w[j]));
    /* a machine's last class has no coordinates here: only differences of its weights to it count */
    size_t last = a->q->side ? 0 : a->points.dim - a->width;
    for (size_t j = 0; j < a->width && weight; j++) {
        double value = w[j] - (last ? w[a->width + j % last] : 0);
        weight[j] = (int64_t)round(ldexp(value / most, WEIGHT_BITS));
    }
    if (status == SEPAL_OK) status = exact_normal(&v, a, &scratch, weight);
    if (status == SEPAL_OK && v.digits) status = quasi_signs_of(&signs, a, &v);
    if (signs == 1 || signs == 2) *out = OUTCOME_YES; /* 1: the vector has the other sign */
    arena_clear(&scratch);
    return status;
}

/* Positive multipliers of all points taken, judged; and the rank of their rows, which is proved. */
static sepal_status prove_multipliers(bool *proved, size_t *rank, struct quasi *a,
                                      struct arena *scratch) {
    struct certificate c = {.kind = CERTIFICATE_GORDAN, .n = a->n_taken};
    c.rows = arena_alloc(a->ctx, scratch, c.n, sizeof *c.rows);
    c.rivals = a->q->side ? NULL : arena_alloc(a->ctx, scratch, c.n, sizeof *c.rivals);
    int64_t *weight = arena_alloc(a->ctx, scratch, c.n, sizeof *weight);
    if (!c.rows || !weight || (!a->q->side && !c.rivals)) return SEPAL_EMEMORY;
    /* what a stage adds is small beside what was before, so that all stays positive */
    int last = a->taken[c.n - 1].stage, step = STAGE_BITS / (last + 1);
    for (size_t i = 0; i < c.n; i++) {
        int bits = step * (last - a->taken[i].stage);
        c.rows[i] = hull_points_row(&a->points, a->taken[i].point);
        if (c.rivals) c.rivals[i] = hull_points_rival(&a->points, a->taken[i].point);
        weight[i] = INT64_C(1) << bits;
    }
    TRY(prove_integers(&c, rank, a->ctx, scratch, a->q, weight, a->budget));
    *proved = false;
    if (!c.integers) return SEPAL_OK;
    struct verdict verdict;
    TRY(certificate_judge(&verdict, a->ctx, a->q, &c));
    *proved = verdict.holds;
    for (size_t i = 0; i < c.n; i++) *proved = *proved && strcmp(c.integers[i], "0") != 0;
    return SEPAL_OK;
}

/* Every vector that is orthogonal to the points taken is so to all points. */
static sepal_status prove_span(bool *proved, struct quasi *a, size_t rank) {
    *proved = rank == hull_points_most_rank(&a->points);
    if (*proved || a->width - a->points.n_removed > MOST_OPEN || rank != a->points.n_removed)
        return SEPAL_OK;
    struct arena scratch = {0};
    int64_t *weight = arena_zero(a->ctx, &scratch, a->width, sizeof *weight);
    sepal_status status = weight ? SEPAL_OK : SEPAL_EMEMORY;
    *proved = true;
    for (size_t j = 0; j < a->width && status == SEPAL_OK && *proved; j++) {
        struct arena one = {0};
        struct exact_vector v = {0};
        unsigned signs = 0;
        weight[j] = 1;
        status = exact_normal(&v, a, &one, weight);
        if (status == SEPAL_OK && v.digits) status = quasi_signs_of(&signs, a, &v);
        *proved = v.digits && signs == 0;
        weight[j] = 0;
        arena_clear(&one);
    }
    arena_clear(&scratch);
    return status;
}

static sepal_status prove_no(enum outcome *out, struct quasi *a) {
    struct arena scratch = {0};
    bool proved = false;
    size_t rank = 0;
    sepal_status status = prove_multipliers(&proved, &rank, a, &scratch);
    if (status == SEPAL_OK && proved) status = prove_span(&proved, a, rank);
    if (status == SEPAL_OK && proved) *out = OUTCOME_NO;
    arena_clear(&scratch);
    return status;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static sepal_status quasi_begin(struct quasi *a, const struct certificate *c) {
    TRY(hull_points_make(&a->points, a->ctx, &a->arena, a->q, false, true));
    size_t dim = a->points.dim;
    a->width = a->q->side ? dim : dim / a->q->classes * (a->q->classes - 1);
    a->removed = arena_zero(a->ctx, &a->arena, dim, sizeof *a->removed);
    a->source = arena_zero(a->ctx, &a->arena, dim, sizeof *a->source);
    a->skip = arena_zero(a->ctx, &a->arena, a->points.n, sizeof *a->skip);
    if (!a->removed || !a->source || !a->skip) return SEPAL_EMEMORY;
    a->points.removed = a->removed;
    a->points.skip = a->skip;
    for (size_t i = 0; i < c->n; i++)
        TRY(quasi_take(a, hull_points_find(&a->points, c->rows[i], c->rivals ? c->rivals[i] : 0),
                       0));
    return SEPAL_OK;
}

static sepal_status peel_faces(enum outcome *out, struct quasi *a) {
    for (int stage = 1;; stage++) {
        bool fine;
        TRY(quasi_look(a, &fine));
        if (!fine) return SEPAL_OK;
        if (a->left == 0) return prove_no(out, a);
        struct wolfe h;
        size_t before = a->points.n_removed;
        sepal_status status = wolfe_solve(&h, a->ctx, &a->points, a->budget, 0.5);
        if (status == SEPAL_OK && h.best_bound > 0)
            status = prove_yes(out, a, h.best);
        else if (status == SEPAL_OK && h.end == HULLS_MEET)
            for (size_t i = 0; i < h.k && status == SEPAL_OK; i++)
                if (h.alpha[i] > NOTHING) status = quasi_take(a, h.corral[i]->number, stage);
        wolfe_clear(&h);
        if (status != SEPAL_OK || a->points.n_removed == before) return status;
    }
}

sepal_status quasi_decide(enum outcome *out, sepal_ctx *ctx, const struct question *q,
                          const struct certificate *c, struct budget *budget) {
    enum { MOST_DIM = 20000 };
    struct quasi a = {.ctx = ctx, .budget = budget, .q = q};
    *out = OUTCOME_UNKNOWN;
    size_t planes = q->side ? 1 : q->classes;
    if (q->x->cols * planes > MOST_DIM) return SEPAL_OK;
    sepal_status status = quasi_begin(&a, c);
    if (status == SEPAL_OK) status = peel_faces(out, &a);
    mem_free(a.taken);
    arena_clear(&a.arena);
    return status;
}
