/* The hinge along a line. Its sum is convex with one kink a row, so the place where the slope changes
   its sign is found by halving; rows whose kink is on the side that is left count together from then
   on, so most halvings look at few. */
#include "solvers/hinge.h"

#include "core/alloc.h"

#include <math.h>

/* From here on the slope is larger by so much. */
struct kink {
    double at, jump;
};
struct slope {
    struct kink *kink;
    size_t n;
    double sum,
        curvature; /* the slope at x: sum + curvature x, and the rises of the kinks up to x */
};

static bool falls_at(const struct slope *s, double x) {
    double slope = s->sum + s->curvature * x;
    for (size_t k = 0; k < s->n; k++) slope += s->kink[k].at <= x ? s->kink[k].jump : 0;
    return slope < 0;
}

/* Only kinks above low and up to high are left. */
static void narrow(struct slope *s, double low, double high) {
    size_t left = 0;
    for (size_t k = 0; k < s->n; k++) {
        struct kink kink = s->kink[k];
        if (kink.at <= low) s->sum += kink.jump;
        s->kink[left] = kink;
        left += kink.at > low && kink.at <= high;
    }
    s->n = left;
}

/* The sum falls at low and no longer at high. */
static void halve(struct slope *s, double *low, double *high, int most) {
    for (int k = 0; k < most; k++) {
        double middle = *low + 0.5 * (*high - *low);
        if (!(middle > *low && middle < *high)) return;
        *(falls_at(s, middle) ? low : high) = middle;
        narrow(s, *low, *high);
    }
}

/* Along the bias the slope starts at minus the weights of the side y = 1 and rises by a row's weight
   at the row's kink, so the best bias is a kink. */
sepal_status hinge_bias(const struct objective *o, double *m, double *bias) {
    enum { HALVINGS = 1100 }; /* until any two doubles are neighbours */
    double low = INFINITY, high = -INFINITY;
    struct slope s = {.kink = mem_alloc(o->ctx, o->n, sizeof *s.kink), .n = o->n};
    if (!s.kink) return SEPAL_EMEMORY;
    for (size_t i = 0; i < o->n; i++) {
        m[i] = (1 - m[i]) * objective_side(o, i);
        low = fmin(low, m[i]);
        high = fmax(high, m[i]);
        s.kink[i] = (struct kink){m[i], o->row_weight[i]};
        if (o->label[i] == 1) s.sum -= o->row_weight[i];
    }
    halve(&s, &low, &high, HALVINGS);
    mem_free(s.kink);
    if (!isfinite(high)) high = 0;
    for (size_t i = 0; i < o->n; i++) m[i] = 1 - (m[i] - high) * objective_side(o, i);
    *bias += high;
    return SEPAL_OK;
}

/* Without a penalty the least length that does: of separated rows, what brings all to their margin. Behind
   the last kink the sum falls no more, but its slope, which is 0 there, may be rounded to less. */
sepal_status hinge_length(double *out, const struct objective *o, const double *m, double square) {
    enum { DOUBLINGS = 60, HALVINGS = 45 };
    static const double behind = 1 + 1e-12;
    double low = 0, high = 2, last = 0;
    struct slope s = {.curvature = o->l2 * square};
    *out = 1;
    if (!(square > 0)) return SEPAL_OK;
    if (!(s.kink = mem_alloc(o->ctx, o->n, sizeof *s.kink))) return SEPAL_EMEMORY;
    for (size_t i = 0; i < o->n; i++) {
        s.sum -= o->row_weight[i] * m[i];
        if (!(m[i] > 0)) continue;
        s.kink[s.n++] = (struct kink){1 / m[i], o->row_weight[i] * m[i]};
        last = fmax(last, behind / m[i]);
    }
    for (int k = 0; k < DOUBLINGS && high < last && falls_at(&s, high); k++) {
        low = high;
        high *= 2;
    }
    if (last > 0) high = fmin(high, last);
    narrow(&s, low, high);
    halve(&s, &low, &high, HALVINGS);
    mem_free(s.kink);
    *out = o->l2 > 0 ? 0.5 * (low + high) : high;
    return SEPAL_OK;
}
