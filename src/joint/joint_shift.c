/* Adding a number to all scores of a row changes no loss, so a point is defined up to a common shift of each
   column's weights, and of the biases: the one with the least penalty is taken. */
#include "joint/joint.h"

/* Weights are most often in order but for a few. */
static void sort_weights(double *w, size_t n) {
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k > 0 && w[k - 1] > w[k]; k--) {
            double x = w[k];
            w[k] = w[k - 1];
            w[k - 1] = x;
        }
}

/* The m that makes l1 |w - m|_1 + l2/2 |w - m|^2 least, of weights that rise: its slope by m rises, and passes
   0 at a weight or between two. */
static double best_shift(const double *w, size_t n, double l1, double l2) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += w[i];
    for (size_t i = 0; i < n; i++) {
        double ridge = l2 * ((double)n * w[i] - sum), below = 2 * (double)i - (double)n;
        if (ridge + l1 * (below + 2) < 0) continue;
        if (ridge + l1 * below <= 0) return w[i];
        return (sum - l1 / l2 * below) / (double)n; /* between: l2 is not 0 */
    }
    return n ? w[n - 1] : 0;
}

static void shift_to_mean(double *w, size_t n) {
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += w[k];
    for (size_t k = 0; k < n; k++) w[k] -= sum / (double)n;
}

static void shift_to_best(const struct joint *j, double *w) {
    enum { FEW = 64 };
    double sorted[FEW];
    size_t used = 0;
    for (size_t k = 0; k < j->classes; k++) used += w[k] != 0;
    /* where more than half are 0 that is best; many classes have many zeros */
    if (2 * used < j->classes || j->classes > FEW) return;
    for (size_t k = 0; k < j->classes; k++) sorted[k] = w[k];
    sort_weights(sorted, j->classes);
    double m = best_shift(sorted, j->classes, j->o->l1, j->o->l2);
    for (size_t k = 0; k < j->classes; k++) w[k] -= m;
}

void joint_remove_shift(const struct joint *j, double *u) {
    const struct objective *o = j->o;
    for (size_t c = 0; c < o->width; c++) {
        double *row = u + c * j->lanes;
        if (c < o->penalised && o->l1 > 0)
            shift_to_best(j, row);
        else
            shift_to_mean(row, j->classes);
    }
}
