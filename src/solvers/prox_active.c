/* The block's model to its end where coordinate descent is slow: columns with a large mean in common
   point almost the same way, and each undoes what the others did. Weights that are not 0 keep their
   signs, so they solve linear equations; they go there, or as far as the first of them becomes 0 and
   leaves. When they have arrived, the column that violates its bound most joins them (feature-sign
   search: Lee, Battle, Raina and Ng, NIPS 2006). */
#include "solvers/prox.h"

#include "core/alloc.h"
#include "solvers/newton.h"

#include <math.h>

struct active {
    struct prox *p;
    double *slope;  /* of the losses' model, n */
    size_t n;       /* of the block */
    size_t *member; /* those with a sign, in no order */
    size_t members; /* how many */
    double *sign;   /* n: 0: none */
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

static void active_join(struct active *s, size_t b, double sign) {
    s->sign[b] = sign;
    s->member[s->members++] = b;
    s->changed = true;
}

/* False: none violates its bound. */
static bool join_worst(struct active *s) {
    double most = s->enough;
    size_t worst = s->n;
    for (size_t b = 0; b < s->n; b++) {
        double over = fabs(s->slope[b]) - s->p->o->l1;
        if (s->sign[b] != 0 || !(over > most) || !(s->p->gram[b * s->n + b] > 0)) continue;
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

/* How far the members may go, and who is at 0 then; the number of members: nobody. */
static double first_crossing(const struct active *s, size_t *who) {
    double length = 1;
    *who = s->members;
    for (size_t i = 0; i < s->members; i++) {
        double z = s->z[s->member[i]], sign = s->sign[s->member[i]];
        if (!(sign * (z + length * s->move[i]) < 0)) continue;
        length = fmax(0, -z / s->move[i]);
        *who = i;
    }
    return length;
}

/* False: there is no way on. */
static bool active_advance(struct active *s) {
    const struct kernels *kernels = s->p->o->ctx->kernels;
    size_t who;
    if (s->changed && !factorise(s)) return false;
    for (size_t i = 0; i < s->members; i++) s->move[i] = -active_slope_at(s, s->member[i]);
    factor_solve(s->factor, s->members, s->scale, s->move, s->p->o->ctx);
    double length = first_crossing(s, &who);
    for (size_t i = 0; i < s->members; i++) {
        size_t b = s->member[i];
        double by = i == who ? -s->z[b] : length * s->move[i];
        if (!isfinite(by)) return false;
        if (by == 0) continue;
        s->z[b] = i == who ? 0 : s->z[b] + by;
        kernels->axpy_f64(by, s->p->gram + b * s->n, s->slope, s->n);
    }
    if (who == s->members) return true;
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
        double w = s->z[b], over = fabs(s->slope[b]) - s->p->o->l1;
        if (w != 0) active_join(s, b, w > 0 ? 1 : -1);
        s->enough = fmax(s->enough, w != 0 ? fabs(active_slope_at(s, b)) : over);
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
    bool made = numbers && s.member && s.factor;
    if (made) {
        double **const parts[] = {&s.sign, &s.z, &s.move, &s.scale};
        for (size_t k = 0; k < 4; k++) *parts[k] = numbers + k * n;
        for (size_t b = 0; b < n; b++) s.z[b] = p->w[p->block[b]] + p->step[p->block[b]];
        active_descend(&s);
        for (size_t b = 0; b < n; b++) {
            size_t k = p->block[b];
            p->step[k] = s.z[b] == 0 ? -p->w[k] : s.z[b] - p->w[k];
        }
    }
    mem_free(numbers);
    mem_free(s.member);
    mem_free(s.factor);
    return made ? SEPAL_OK : SEPAL_EMEMORY;
}
