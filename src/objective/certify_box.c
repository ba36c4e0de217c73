/* What bounds on weights do to a dual bound. The least of penalty - v w over low <= w <= high, one
   weight at a time, takes the place of the least over all w:

       g(v) = max over low <= w <= high of v w - l1 |w| - l2/2 w^2

   (Boyd and Vandenberghe, "Convex Optimization", 2004, 5.1.5). The best w is that without bounds,
   the soft threshold of v by l1 over l2, or the bound next to it. g is convex and its slope is the
   best w, so that a v that is off by e changes it by no more than e times the largest best w there. */
#include "objective/certify_parts.h"

static double certify_low(const struct objective *o, size_t j) {
    return j < o->cols ? o->box->low[j] : -INFINITY;
}

static double certify_high(const struct objective *o, size_t j) {
    return j < o->cols ? o->box->high[j] : INFINITY;
}

sepal_status proving_check_box(const struct proving *all) {
    const struct objective *o = all->o;
    for (size_t j = 0; j < o->cols; j++)
        if (all->u[j] < o->box->low[j] || all->u[j] > o->box->high[j])
            return fail(o->ctx, SEPAL_EINTERNAL,
                        "weight %zu is %.17g, outside of its bounds %.17g and %.17g; please report "
                        "this with the data and the command",
                        j + 1, all->u[j], o->box->low[j], o->box->high[j]);
    return SEPAL_OK;
}

/* Without an L2 penalty a weight that has no bound on one side has |v| <= l1 on that side. */
bool proving_box_shrink(struct proving *all) {
    const struct objective *o = all->o;
    double most = 0;
    for (size_t j = 0; j < o->penalised; j++) {
        double error = proving_error(all, j);
        double up = certify_high(o, j) < INFINITY ? 0 : all->v[j] + error;
        double down = certify_low(o, j) > -INFINITY ? 0 : error - all->v[j];
        if (!(up <= most)) most = up; /* and what is no number */
        if (!(down <= most)) most = down;
    }
    if (most <= o->l1) return true;
    all->shrink = o->l1 / most * (1 - DBL_EPSILON);
    return o->l1 > 0;
}

/* The w that g(v) is taken at. */
static double certify_best(const struct objective *o, size_t j, double v) {
    double over = v > o->l1 ? v - o->l1 : v < -o->l1 ? v + o->l1 : 0;
    double w = over == 0 ? 0 : o->l2 > 0 ? over / o->l2 : over > 0 ? INFINITY : -INFINITY;
    w = box_clip(w, certify_low(o, j), certify_high(o, j));
    /* without an L2 penalty proving_box_shrink has seen to it that only rounding leads there */
    return isinf(w) && o->l2 == 0 ? box_clip(0, certify_low(o, j), certify_high(o, j)) : w;
}

struct partial proving_box_part(const struct proving *all, size_t from, size_t to) {
    const struct objective *o = all->o;
    struct partial part = {0};
    double term[SOME];
    for (size_t j = from, n; j < to; j += n) {
        n = to - j < SOME ? to - j : SOME;
        for (size_t k = 0; k < n; k++) {
            double v = all->shrink * all->v[j + k];
            double off = all->shrink * proving_error(all, j + k) + rounding_of(2, fabs(v));
            double w = certify_best(o, j + k, v), size = fabs(w);
            double product = v * w, l1 = o->l1 * size, l2 = 0.5 * o->l2 * w * w;
            double up = fabs(certify_best(o, j + k, v + off));
            double down = fabs(certify_best(o, j + k, v - off));
            term[k] = product - l1 - l2;
            part.error += off * fmax(up, down) + rounding_of(8, fabs(product) + l1 + l2);
        }
        total_add_all(&part.sum, term, n);
    }
    return part;
}

double proving_box_slope(const struct proving *all) {
    const struct objective *o = all->o;
    double most = 0;
    for (size_t j = 0; j < o->width; j++) {
        bool rises = j == o->cols || all->u[j] < o->box->high[j];
        bool falls = j == o->cols || all->u[j] > o->box->low[j];
        double slope = all->v[j] > 0 && !rises ? 0 : all->v[j] < 0 && !falls ? 0 : fabs(all->v[j]);
        if (!(slope <= most)) most = slope;
    }
    return most;
}
