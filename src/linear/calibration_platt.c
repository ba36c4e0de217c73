/* Platt's method (1999): the log-odds of a class as a line in its score, by maximum likelihood with targets
   a little inside of 0 and 1; by Newton's method with a line search as in Lin, Lin and Weng (2007). */
#include "linear/calibration.h"
#include "linear/decide.h"

#include <math.h>

struct platt {
    const struct calibration_rows *rows;
    size_t stride, f;
    int32_t class;
    double middle, reach; /* scores are taken as (s - middle) / reach, from -1 to 1 */
    double target[2];     /* of rows of the rest, of the class */
    double rest[2];       /* 1 less these, every digit of it */
    double total;         /* of the weights */
};

/* Where a row lies on the line, its target and 1 less it, its weight. */
struct platt_row {
    double u, t, rest, w;
};

static struct platt_row platt_row(const struct platt *all, size_t i) {
    double s = all->rows->inputs[i * all->stride + all->f];
    /* halves: the range of the scores may be too large for a double */
    bool own = all->rows->label[i] == all->class;
    return (struct platt_row){.u = (0.5 * s - 0.5 * all->middle) / (0.5 * all->reach),
                              .t = all->target[own],
                              .rest = all->rest[own],
                              .w = calibration_weight(all->rows, i)};
}

/* -t ln p - (1-t) ln(1-p), p the logistic function of z; no difference of large numbers. */
static double platt_loss(double z, const struct platt_row *row) {
    return log1p(exp(-fabs(z))) + (z >= 0 ? row->rest * z : -row->t * z);
}

static double platt_objective(const struct platt *all, const double at[2]) {
    double sum = 0;
    for (size_t i = 0; i < all->rows->n; i++) {
        struct platt_row row = platt_row(all, i);
        sum += row.w * platt_loss(at[0] * row.u + at[1], &row);
    }
    return sum;
}

/* The Newton step; returns its decrement, g H^-1 g. */
static double platt_step(double step[2], const struct platt *all, const double at[2]) {
    static const double RIDGE = 1e-12; /* where all rows are told for certain */
    double g[2] = {0, 0}, h11 = 0, h12 = 0, h22 = 0;
    for (size_t i = 0; i < all->rows->n; i++) {
        struct platt_row row = platt_row(all, i);
        double z = at[0] * row.u + at[1], p = logistic(z), q = logistic(-z);
        /* p - t, by the smaller of p and 1 - p */
        double slope = row.w * (z >= 0 ? row.rest - q : p - row.t);
        double curve = row.w * p * q;
        g[0] += slope * row.u;
        g[1] += slope;
        h11 += curve * row.u * row.u;
        h12 += curve * row.u;
        h22 += curve;
    }
    h11 += RIDGE * all->total;
    h22 += RIDGE * all->total;
    double determinant = h11 * h22 - h12 * h12;
    step[0] = -(h22 * g[0] - h12 * g[1]) / determinant;
    step[1] = -(h11 * g[1] - h12 * g[0]) / determinant;
    return -(g[0] * step[0] + g[1] * step[1]);
}

/* The range of the scores, the sums of weights, and the targets that these give. */
static void platt_look(struct platt *all) {
    double least = INFINITY, most = -INFINITY, weight[2] = {0, 0};
    for (size_t i = 0; i < all->rows->n; i++) {
        double s = all->rows->inputs[i * all->stride + all->f];
        least = fmin(least, s);
        most = fmax(most, s);
        weight[all->rows->label[i] == all->class] += calibration_weight(all->rows, i);
    }
    all->middle = 0.5 * least + 0.5 * most;
    all->reach = 0.5 * most - 0.5 * least;
    all->total = weight[0] + weight[1];
    all->target[0] = 1 / (weight[0] + 2);
    all->target[1] = (weight[1] + 1) / (weight[1] + 2);
    all->rest[0] = (weight[0] + 1) / (weight[0] + 2);
    all->rest[1] = 1 / (weight[1] + 2);
}

/* Along a step until the objective is less by a part of what the slope promises; false: nowhere. */
static bool platt_search(const struct platt *all, double at[2], double *objective,
                         const double step[2], double decrement) {
    enum { HALVINGS_MOST = 40 };
    static const double ENOUGH = 1e-4, ROUNDING = 1e-14; /* of the sum of losses */
    bool near = decrement <= ROUNDING * all->total;      /* the objective cannot tell any more */
    for (int half = 0; half < HALVINGS_MOST; half++) {
        double length = ldexp(1, -half);
        double next[2] = {at[0] + length * step[0], at[1] + length * step[1]};
        double there = platt_objective(all, next);
        if (!near && !(there <= *objective - ENOUGH * length * decrement)) continue;
        at[0] = next[0], at[1] = next[1], *objective = there;
        return true;
    }
    return false;
}

static void platt_descend(const struct platt *all, double at[2]) {
    enum { STEPS_MOST = 100 };
    static const double SMALL = 1e-22; /* of the sum of losses; a step squares what is left */
    double objective = platt_objective(all, at);
    for (int i = 0; i < STEPS_MOST; i++) {
        double step[2], decrement = platt_step(step, all, at);
        if (!platt_search(all, at, &objective, step, decrement)) return;
        if (!(decrement > SMALL * all->total)) return;
    }
}

void calibration_fit_platt(double line[2], const struct calibration_rows *rows, size_t stride,
                           size_t f, int32_t class) {
    struct platt all = {.rows = rows, .stride = stride, .f = f, .class = class};
    platt_look(&all);
    if (!(all.reach > 0)) { /* one score: the mean of the targets */
        double sum = 0;
        for (size_t i = 0; i < rows->n; i++)
            sum += calibration_weight(rows, i) * all.target[rows->label[i] == class];
        line[0] = 0;
        line[1] = log(sum / (all.total - sum));
        return;
    }
    double at[2] = {0, log(all.target[0] / all.rest[1])}; /* about n1 / n0 */
    platt_descend(&all, at);
    line[0] = at[0] / all.reach;
    line[1] = at[1] - line[0] * all.middle;
    if (isfinite(line[0]) && isfinite(line[1])) return;
    line[0] = 0; /* scores closer than numbers can tell */
    line[1] = at[1];
}
