/* The block's model to its end where coordinate descent is slow: columns with a large mean in common
   point almost the same way, and each undoes what the others did. Weights that are not 0 keep their
   signs, so they solve linear equations; they go there, or as far as the first of them becomes 0 or
   meets a bound of its own and leaves. When they have arrived, the column that violates what holds it
   most joins them (feature-sign search: Lee, Battle, Raina and Ng, NIPS 2006; with bounds, the active
   sets of Lawson and Hanson, "Solving Least Squares Problems", 1974, ch. 23). */
#include "solvers/prox.h"

#include "core/alloc.h"
#include "solvers/newton.h"

#include <math.h>

struct active {
    struct prox *p;
    double *slope;  /* of the losses' model, n */
    size_t n;       /* of the block */
    size_t *member; /* those that move, in no order */
    size_t members; /* how many */
    bool *moves;    /* n: it is one of them */
    double *sign;   /* n: of members, on which side of 0 they stay; 0 without an L1 penalty */
    double *z;      /* n: the weights */
    double *move;   /* members */
    double *factor; /* members^2 */
    double *scale;  /* members */
    bool changed;   /* the factor is not that of the members */
    double enough;  /* a violation that is none */
};

static double active_slope_at(const struct active *s, size_t b) {
    return s->slope[b] + s->p->o->l2 * s->z[b] + s->p->o->l1 * s->sign[b];
}

static double worst_member(const struct active *s) {
    double most = 0;
    for (size_t i = 0; i < s->members; i++)
        most = fmax(most, fabs(active_slope_at(s, s->member[i])));
    return most;
}

/* `way`: 1 or -1, where it is to go; its sign is that of the weight, or of a weight of 0 its way. */
static void active_join(struct active *s, size_t b, double way) {
    double z = s->z[b];
    s->moves[b] = true;
    s->sign[b] = s->p->o->l1 > 0 ? (z > 0 ? 1 : z < 0 ? -1 : way) : 0;
    s->member[s->members++] = b;
    s->changed = true;
}

/* How far a member may go: to its bounds, and with an L1 penalty to 0. */
static double active_least(const struct active *s, size_t b) {
    double low = s->p->low[s->p->block[b]];
    return s->sign[b] > 0 ? fmax(low, 0) : low;
}
static double active_most(const struct active *s, size_t b) {
    double high = s->p->high[s->p->block[b]];
    return s->sign[b] < 0 ? fmin(high, 0) : high;
}

/* Whether something holds it where it is. */
static bool active_is_held(const struct active *s, size_t b) {
    size_t k = s->p->block[b];
    double z = s->z[b];
    return (z == 0 && s->p->o->l1 > 0) || z == s->p->low[k] || z == s->p->high[k];
}

static double held_violation(const struct active *s, size_t b) {
    return prox_violation(s->p, s->p->block[b], s->slope[b] + s->p->o->l2 * s->z[b], s->z[b]);
}

/* False: none violates what holds it. */
static bool join_worst(struct active *s) {
    double most = s->enough;
    size_t worst = s->n;
    for (size_t b = 0; b < s->n; b++) {
        if (s->moves[b] || !(s->p->gram[b * s->n + b] > 0)) continue;
        double over = held_violation(s, b);
        if (!(over > most)) continue;
        most = over;
        worst = b;
    }
    if (worst == s->n) return false;
    active_join(s, worst, s->slope[worst] > 0 ? -1 : 1);
    return true;
}

static bool factorise(struct active *s) {
    size_t m = s->members;
    for (size_t i = 0; i < m; i++)
        for (size_t j = i; j < m; j++)
            s->factor[i * m + j] = s->p->gram[s->member[i] * s->n + s->member[j]];
    for (size_t i = 0; i < m; i++) s->factor[i * m + i] += s->p->o->l2;
    s->changed = false;
    return factor_make(s->factor, m, s->scale, s->p->o->ctx);
}

/* How far the members may go, who is held then, and where; the number of members: none is. */
static double first_crossing(const struct active *s, size_t *who, double *where) {
    double length = 1;
    *who = s->members;
    for (size_t i = 0; i < s->members; i++) {
        double z = s->z[s->member[i]], next = z + length * s->move[i];
        double least = active_least(s, s->member[i]), most = active_most(s, s->member[i]);
        if (!(next < least || next > most)) continue;
        *where = next < least ? least : most;
        length = fmax(0, (*where - z) / s->move[i]);
        *who = i;
    }
    return length;
}

/* False: there is no way on. */
static bool active_advance(struct active *s) {
    const struct kernels *kernels = s->p->o->ctx->kernels;
    size_t who;
    double where = 0;
    if (s->changed && !factorise(s)) return false;
    for (size_t i = 0; i < s->members; i++) s->move[i] = -active_slope_at(s, s->member[i]);
    factor_solve(s->factor, s->members, s->scale, s->move, s->p->o->ctx);
    double length = first_crossing(s, &who, &where);
    for (size_t i = 0; i < s->members; i++) {
        size_t b = s->member[i];
        double by = i == who ? where - s->z[b] : length * s->move[i];
        if (!isfinite(by)) return false;
        if (by == 0) continue;
        s->z[b] = i == who ? where : s->z[b] + by;
        kernels->axpy_f64(by, s->p->gram + b * s->n, s->slope, s->n);
    }
    if (who == s->members) return true;
    s->moves[s->member[who]] = false;
    s->sign[s->member[who]] = 0;
    s->member[who] = s->member[--s->members];
    s->changed = true;
    return true;
}

static void active_descend(struct active *s) {
    static const double precision = 1e-10, most_work = 3e9;
    enum { AGAIN = 3 };
    double work = 0; /* products, and as many for each number of the factor */
    int still = 0;   /* solves of the same members, which only rounding asks for */
    for (size_t b = 0; b < s->n; b++) {
        bool held = active_is_held(s, b);
        if (!held) active_join(s, b, 1);
        s->enough = fmax(s->enough, held ? held_violation(s, b) : fabs(active_slope_at(s, b)));
    }
    s->enough *= precision;
    while (work <= most_work && !cancelled(s->p->o->ctx)) {
        double m = (double)s->members + 1, n = (double)s->n;
        work += m * (s->changed ? m * m / 3 + 100 * m : 0) + m * n + 1000 * n;
        bool arrived = worst_member(s) <= s->enough || still == AGAIN;
        if (arrived && !join_worst(s)) return;
        still = s->changed ? 0 : still + 1;
        if (!active_advance(s)) return;
    }
}

sepal_status prox_active_descend(struct prox *p, double *slope, size_t n) {
    sepal_ctx *ctx = p->o->ctx;
    struct active s = {.p = p, .slope = slope, .n = n, .changed = true};
    double *numbers = mem_zero(ctx, n, 4 * sizeof *numbers);
    s.member = mem_alloc(ctx, n, sizeof *s.member);
    s.factor = mem_alloc(ctx, n * n, sizeof *s.factor);
    s.moves = mem_zero(ctx, n, sizeof *s.moves);
    bool made = numbers && s.member && s.factor && s.moves;
    if (made) {
        double **const parts[] = {&s.sign, &s.z, &s.move, &s.scale};
        for (size_t k = 0; k < 4; k++) *parts[k] = numbers + k * n;
        for (size_t b = 0; b < n; b++) s.z[b] = prox_weight(p, p->block[b], 1);
        active_descend(&s);
        for (size_t b = 0; b < n; b++) {
            size_t k = p->block[b];
            p->step[k] = s.z[b] == 0 ? -p->w[k] : s.z[b] - p->w[k];
        }
    }
    mem_free(numbers);
    mem_free(s.member);
    mem_free(s.factor);
    mem_free(s.moves);
    return made ? SEPAL_OK : SEPAL_EMEMORY;
}
