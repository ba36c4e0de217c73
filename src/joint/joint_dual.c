/* Dual points of joint objectives: a row's dual variables lie in the simplex of the classes, and with a free
   bias the weighted sum of each class's is that of its rows. */
#include "core/alloc.h"
#include "core/parallel.h"
#include "joint/joint.h"

#include <math.h>

/* Into the simplex: what is below 0 or no number becomes 0, and the sum 1. */
static void project_row(double *a, size_t classes, size_t own) {
    double sum = 0;
    for (size_t k = 0; k < classes; k++) {
        a[k] = a[k] > 0 ? a[k] : 0;
        sum += a[k];
    }
    for (size_t k = 0; k < classes; k++) a[k] = sum > 0 && isfinite(sum) ? a[k] / sum : k == own;
}

/* What is too much in a class, as a part of its variables, and what the others are short of, as a part of
   all that is short. False: nothing is. */
static bool find_imbalance(const struct joint *j, const double *alpha, double *surplus,
                           double *deficit) {
    const struct objective *o = j->o;
    double *has = surplus, *missing = deficit, all = 0;
    for (size_t l = 0; l < j->lanes; l++) has[l] = missing[l] = 0;
    for (size_t i = 0; i < o->n; i++) {
        const double *a = alpha + i * j->lanes;
        size_t own = (size_t)o->label[i];
        for (size_t k = 0; k < j->classes; k++) {
            has[k] += o->row_weight[i] * a[k];
            missing[k] -= o->row_weight[i] * (k == own ? a[k] - 1 : a[k]);
        }
    }
    for (size_t k = 0; k < j->classes; k++) all += fmax(0, missing[k]);
    for (size_t k = 0; k < j->classes; k++) {
        surplus[k] = missing[k] < 0 ? fmin(1, -missing[k] / has[k]) : 0;
        deficit[k] = missing[k] > 0 ? missing[k] / all : 0;
    }
    return all > 0;
}

/* Every row gives the surplus part of its variables to those classes that are short, in proportion. */
static void joint_balance(const struct joint *j, double *alpha, const double *surplus,
                          const double *deficit) {
    for (size_t i = 0; i < j->o->n; i++) {
        double *a = alpha + i * j->lanes, moved = 0;
        for (size_t k = 0; k < j->classes; k++) {
            double part = surplus[k] * a[k];
            moved += part;
            a[k] -= part;
        }
        for (size_t k = 0; k < j->classes; k++) a[k] += moved * deficit[k];
    }
}

sepal_status joint_feasible(const struct joint *j, double *alpha) {
    const struct objective *o = j->o;
    for (size_t i = 0; i < o->n; i++)
        project_row(alpha + i * j->lanes, j->classes, (size_t)o->label[i]);
    if (o->bias != BIAS_FREE) return SEPAL_OK;
    double *surplus = mem_alloc(o->ctx, 2 * j->lanes, sizeof *surplus);
    if (!surplus) return SEPAL_EMEMORY;
    if (find_imbalance(j, alpha, surplus, surplus + j->lanes))
        joint_balance(j, alpha, surplus, surplus + j->lanes);
    mem_free(surplus);
    return SEPAL_OK;
}

struct joint_conjugate_sums {
    const struct joint *j;
    const double *alpha;
    double sum[SLABS_MOST];
};

static sepal_status joint_conjugate_slab(sepal_ctx *ctx, size_t slab, void *payload) {
    struct joint_conjugate_sums *all = payload;
    const struct joint *j = all->j;
    const struct objective *o = j->o;
    double value[JOINT_PANEL];
    for (size_t i = o->slab_first[slab], n; i < o->slab_first[slab + 1]; i += n) {
        n = o->slab_first[slab + 1] - i < JOINT_PANEL ? o->slab_first[slab + 1] - i : JOINT_PANEL;
        j->loss->neg_conjugate(ctx->kernels, n, j->classes, j->lanes, all->alpha + i * j->lanes,
                               o->label + i, value);
        for (size_t k = 0; k < n; k++) all->sum[slab] += o->row_weight[i + k] * value[k];
    }
    return SEPAL_OK;
}

sepal_status joint_conjugates(double *out, const struct joint *j, const double *alpha) {
    struct joint_conjugate_sums all = {.j = j, .alpha = alpha};
    TRY(parallel_for(j->o->ctx, j->o->slabs, joint_conjugate_slab, &all));
    *out = objective_total(j->o, all.sum);
    return SEPAL_OK;
}

/* For an L1 penalty alone the variables go towards their rows' own classes until |V| <= l1. */
static void shrink_towards_own(const struct joint *j, const double *v, double *alpha) {
    double most = 0;
    for (size_t k = 0; k < joint_penalised(j); k++) most = fmax(most, fabs(v[k]));
    double part = j->o->l1 / most;
    for (size_t i = 0; part < 1 && i < j->o->n; i++) {
        double *a = alpha + i * j->lanes;
        for (size_t l = 0; l < j->lanes; l++) a[l] *= part;
        a[j->o->label[i]] += 1 - part;
    }
}

sepal_status joint_dual_value(double *out, double *v, const struct joint *j, double *alpha) {
    double square = 0;
    TRY(joint_dual_sums(v, j, alpha));
    if (j->o->l2 == 0) shrink_towards_own(j, v, alpha);
    TRY(joint_conjugates(out, j, alpha));
    if (j->o->l2 == 0) return SEPAL_OK;
    for (size_t k = 0; k < joint_penalised(j); k++) {
        double over = fmax(0, fabs(v[k]) - j->o->l1);
        square += over * over;
    }
    *out -= square / (2 * j->o->l2);
    return SEPAL_OK;
}
