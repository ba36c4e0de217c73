/* From what a solver found to what can be proved: a hyperplane from a direction, multipliers from a
   corral. Nothing is claimed that certificate_judge has not taken. */
#include "core/alloc.h"
#include "exact/integer_nullspace.h"
#include "separability/wolfe.h"
#include "separability/separable.h"

#include <string.h>

/* ---- hyperplanes -------------------------------------------------------------------------- */

/* Bring the largest weight to about 1; false when all are 0. */
static bool proof_bring_to_one(double *w, size_t n, double *largest) {
    *largest = 0;
    for (size_t j = 0; j < n; j++) *largest = fmax(*largest, fabs(w[j]));
    if (!(*largest > 0) || !isfinite(*largest)) return false;
    int exponent;
    (void)frexp(*largest, &exponent);
    for (size_t j = 0; j < n; j++) w[j] = ldexp(w[j], -exponent);
    return true;
}

static double proof_norm_of(const double *w, size_t n) {
    double square = 0;
    for (size_t j = 0; j < n; j++) square += w[j] * w[j];
    return sqrt(square);
}

/* w for the columns as they are, of norm 1. */
static bool plane_weights(double *out, const struct hull_points *points, const double *w) {
    size_t cols = points->q->x->cols;
    double largest;
    int exponent;
    memcpy(out, w, cols * sizeof *out);
    if (!proof_bring_to_one(out, cols, &largest)) return false;
    (void)frexp(points->scale[0], &exponent);
    for (size_t j = 0; j < cols; j++) out[j] *= ldexp(points->scale[j], 1 - exponent);
    if (!proof_bring_to_one(out, cols, &largest)) return false;
    double size = proof_norm_of(out, cols);
    for (size_t j = 0; j < cols; j++) out[j] /= size;
    return true;
}

/* With rows far from the origin the rounding of b may be all the margin there is. Another length of w
   has other roundings. */
static sepal_status try_plane(struct verdict *verdict, sepal_ctx *ctx,
                              const struct hull_points *points, struct certificate *c,
                              double factor) {
    const struct question *q = points->q;
    for (size_t j = 0; j < q->x->cols; j++) c->w[j] *= factor;
    c->b[0] = 0;
    if (q->bias) {
        struct hull_points even = *points;
        double *scale = mem_alloc(ctx, q->x->cols, sizeof *scale), least = INFINITY;
        if (!scale) return SEPAL_EMEMORY;
        for (size_t j = 0; j < q->x->cols; j++) least = fmin(least, points->scale[j]);
        for (size_t j = 0; j < q->x->cols; j++) scale[j] = least;
        even.scale = scale;
        sepal_status status = margin_bias(c->b, ctx, &even, c->w);
        c->b[0] /= least;
        mem_free(scale);
        TRY(status);
    }
    return certificate_judge(verdict, ctx, q, c);
}

static sepal_status prove_plane(struct separability *out, sepal_ctx *ctx,
                                const struct hull_points *points, const double *w) {
    struct certificate *c = &out->certificate;
    struct verdict verdict = {0};
    static const double factor[] = {1, 1.0625, 1.1, 1.3, 1.7, 3, 7};
    if (!plane_weights(c->w, points, w)) return SEPAL_OK;
    for (size_t i = 0; i < sizeof factor / sizeof *factor && !verdict.holds; i++)
        TRY(try_plane(&verdict, ctx, points, c, factor[i]));
    if (verdict.holds) out->separable = OUTCOME_YES;
    return SEPAL_OK;
}

static sepal_status prove_machine(struct separability *out, sepal_ctx *ctx,
                                  const struct hull_points *points, const double *w) {
    const struct question *q = points->q;
    struct certificate *c = &out->certificate;
    struct verdict verdict = {0};
    size_t cols = q->x->cols, width = cols + q->bias;
    for (size_t k = 0; k < q->classes; k++) {
        c->b[k] = q->bias ? w[k * width + cols] : 0;
        for (size_t j = 0; j < cols; j++) {
            c->w[k * cols + j] = w[k * width + j] * points->scale[j];
            if (points->centre) c->b[k] -= c->w[k * cols + j] * points->centre[j];
        }
    }
    /* one length for all rows of weights, so that their order stays */
    double size = proof_norm_of(c->w, q->classes * cols);
    bool fine = isfinite(size) && size > 0;
    for (size_t i = 0; i < q->classes * cols && fine; i++) c->w[i] /= size;
    for (size_t k = 0; k < q->classes && fine; k++) c->b[k] /= size;
    if (fine) TRY(certificate_judge(&verdict, ctx, q, c));
    if (verdict.holds) out->separable = OUTCOME_YES;
    return SEPAL_OK;
}

sepal_status prove_apart(struct separability *out, sepal_ctx *ctx, struct arena *arena,
                         const struct hull_points *points, const double *w) {
    const struct question *q = points->q;
    size_t planes = q->side ? 1 : q->classes;
    out->certificate = (struct certificate){.kind = CERTIFICATE_PLANE};
    out->certificate.w = arena_zero(ctx, arena, planes, q->x->cols * sizeof(double));
    out->certificate.b = arena_zero(ctx, arena, planes, sizeof(double));
    if (!out->certificate.w || !out->certificate.b) return SEPAL_EMEMORY;
    TRY(q->side ? prove_plane(out, ctx, points, w) : prove_machine(out, ctx, points, w));
    if (out->separable != OUTCOME_YES) out->certificate = (struct certificate){0};
    return SEPAL_OK;
}

/* ---- multipliers -------------------------------------------------------------------------- */

struct system_maker {
    sepal_ctx *ctx;
    const struct question *q;
    struct exact_system system;
    uint32_t *number; /* of each equation that has an entry, from 1; 0: it has none */
};

static sepal_status proof_add_number(struct system_maker *m, size_t equation, size_t point,
                                     double x) {
    if (!m->number[equation]) m->number[equation] = (uint32_t)++m->system.n_equations;
    return exact_system_add(&m->system, m->ctx, m->number[equation] - 1, point, x);
}

static sepal_status add_vector(struct system_maker *m, size_t point, size_t row, size_t class,
                               double sign) {
    const struct matrix *x = m->q->x;
    size_t i, from = class * (x->cols + 1);
    double value;
    if (!m->q->side && class + 1 == m->q->classes) return SEPAL_OK;
    const struct block *block = matrix_block_of(x, row, &i);
    for (size_t at = 0, j; row_next(block, i, x->cols, &at, &j, &value);)
        if (value != 0) TRY(proof_add_number(m, from + j, point, sign * value));
    return m->q->bias ? proof_add_number(m, from + x->cols, point, sign) : SEPAL_OK;
}

static bool one_sign(const struct exact_vector *v, size_t n) {
    bool some[2] = {false, false};
    for (size_t i = 0; i < n; i++)
        if (v->sizes[i].n) some[v->negative[i]] = true;
    return !some[0] || !some[1];
}

sepal_status prove_integers(struct certificate *c, size_t *rank, sepal_ctx *ctx,
                            struct arena *arena, const struct question *q, const int64_t *weight,
                            struct budget *budget) {
    struct system_maker m = {.ctx = ctx, .q = q, .system.n_points = c->n};
    static const double MOST_CELLS = 5e7;
    struct exact_vector v = {0};
    c->integers = NULL;
    m.number = mem_zero(ctx, (q->side ? 1 : q->classes) * (q->x->cols + 1), sizeof *m.number);
    sepal_status status = m.number ? SEPAL_OK : SEPAL_EMEMORY;
    for (size_t p = 0; p < c->n && status == SEPAL_OK; p++) {
        size_t row = c->rows[p];
        status =
            add_vector(&m, p, row, q->side ? 0 : (size_t)q->label[row], q->side ? q->side[row] : 1);
        if (c->rivals && status == SEPAL_OK)
            status = add_vector(&m, p, row, (size_t)c->rivals[p], -1);
    }
    if (status == SEPAL_OK && (double)m.system.n_equations * (double)c->n <= MOST_CELLS)
        status = exact_null_vector(&v, ctx, arena, &m.system, weight, budget);
    if (status == SEPAL_OK && v.digits && one_sign(&v, c->n)) c->integers = v.digits;
    *rank = v.rank;
    mem_free(m.system.entries);
    mem_free(m.number);
    return status;
}

static sepal_status proof_take_rows(struct certificate *c, sepal_ctx *ctx, struct arena *arena,
                                    const struct hull_points *points, const struct wolfe *h) {
    double most = 0;
    *c = (struct certificate){.n = h->k};
    c->rows = arena_alloc(ctx, arena, h->k, sizeof *c->rows);
    c->multipliers = arena_alloc(ctx, arena, h->k, sizeof *c->multipliers);
    if (!points->q->side) c->rivals = arena_alloc(ctx, arena, h->k, sizeof *c->rivals);
    if (!c->rows || !c->multipliers || (!points->q->side && !c->rivals)) return SEPAL_EMEMORY;
    for (size_t i = 0; i < h->k; i++) most += h->alpha[i];
    for (size_t i = 0; i < h->k; i++) {
        c->rows[i] = hull_points_row(points, h->corral[i]->number);
        c->multipliers[i] = h->alpha[i] / most;
        if (c->rivals) c->rivals[i] = hull_points_rival(points, h->corral[i]->number);
    }
    return SEPAL_OK;
}

/* Rows whose multiplier is 0 say nothing. */
static void proof_drop_zeros(struct certificate *c) {
    size_t kept = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (strcmp(c->integers[i], "0") == 0) continue;
        c->rows[kept] = c->rows[i];
        c->integers[kept] = c->integers[i];
        c->multipliers[kept] = c->multipliers[i];
        if (c->rivals) c->rivals[kept] = c->rivals[i];
        kept++;
    }
    c->n = kept;
}

/* Whole numbers, judged; `most_digits` 0: of any length. */
static sepal_status try_integers(struct verdict *verdict, struct certificate *c, sepal_ctx *ctx,
                                 struct arena *arena, const struct hull_points *points,
                                 size_t most_digits, struct budget *budget) {
    size_t rank;
    TRY(prove_integers(c, &rank, ctx, arena, points->q, NULL, budget));
    for (size_t i = 0; c->integers && most_digits && i < c->n; i++)
        if (strlen(c->integers[i]) > most_digits) c->integers = NULL;
    if (!c->integers) return SEPAL_OK;
    proof_drop_zeros(c);
    TRY(certificate_judge(verdict, ctx, points->q, c));
    if (verdict->holds)
        verdict->rank = c->n - 1; /* as there is one solution, but for multiples */
    else
        c->integers = NULL;
    return SEPAL_OK;
}

sepal_status prove_meet(struct separability *out, sepal_ctx *ctx, struct arena *arena,
                        const struct hull_points *points, const struct wolfe *hulls,
                        struct budget *budget) {
    enum { FEW_ROWS = 16, FEW_DIGITS = 15 };
    struct certificate *c = &out->certificate;
    struct verdict verdict = {0};
    TRY(proof_take_rows(c, ctx, arena, points, hulls));
    c->kind = CERTIFICATE_GORDAN;
    /* short whole numbers are what people can check; else numbers, which need no more than 17 digits */
    if (c->n <= FEW_ROWS) TRY(try_integers(&verdict, c, ctx, arena, points, FEW_DIGITS, budget));
    if (!verdict.holds) TRY(certificate_judge(&verdict, ctx, points->q, c));
    if (!verdict.holds) TRY(try_integers(&verdict, c, ctx, arena, points, 0, budget));
    if (!verdict.holds) {
        *c = (struct certificate){0};
        return SEPAL_OK;
    }
    if (c->integers) c->multipliers = NULL;
    out->separable = OUTCOME_NO;
    if (verdict.rank == hull_points_most_rank(points)) out->quasi = OUTCOME_NO;
    return SEPAL_OK;
}
