/* The Gram matrix of the centred, weighted rows, which is their scatter matrix around one mean, and
   their sums by class, which give the right-hand sides. */
#include "leastsq/leastsq.h"

#include "statistics/scatter.h"

/* Sums over the rows of each class, classes x n. */
static sepal_status class_sums(double *sums, const struct leastsq *p) {
    struct scatter s = {.ctx = p->ctx,
                        .arena = p->arena,
                        .x = p->x,
                        .label = p->label,
                        .weight = p->weight,
                        .classes = p->classes};
    size_t cols = p->x->cols;
    s.centre = arena_alloc(p->ctx, p->arena, cols, sizeof *s.centre);
    if (!s.centre) return SEPAL_EMEMORY;
    TRY(scatter_means(&s));
    for (size_t i = 0; i < p->classes * p->n; i++) {
        size_t k = i / p->n, j = p->active[i % p->n];
        double mean = s.mean[k * cols + j];
        mean += p->centre ? s.centre[j] - p->centre[j] - p->offset[j] : s.centre[j];
        sums[i] = s.class_weight[k] * mean;
    }
    return SEPAL_OK;
}

/* rhs_jr = sum over the classes of their sums of column j times their target of output r */
static void make_rhs(double *rhs, const struct leastsq *p, const double *sums) {
    for (size_t j = 0; j < p->n; j++) {
        for (size_t r = 0; r < p->outputs; r++) {
            double sum = 0;
            for (size_t k = 0; k < p->classes; k++)
                sum += sums[k * p->n + j] * p->target[k * p->outputs + r];
            rhs[j * p->outputs + r] = sum;
        }
    }
}

sepal_status leastsq_gram(double *gram, double *rhs, struct leastsq *p) {
    size_t cols = p->x->cols;
    double *zeros = arena_zero(p->ctx, p->arena, cols, sizeof *zeros);
    double *sums = arena_alloc(p->ctx, p->arena, p->classes, p->n * sizeof *sums);
    if (!zeros || !sums) return SEPAL_EMEMORY;
    struct scatter all = {.ctx = p->ctx,
                          .arena = p->arena,
                          .x = p->x,
                          .weight = p->weight,
                          .classes = 1,
                          .total = p->total,
                          .class_weight = &p->total,
                          .centre = p->centre ? p->centre : zeros,
                          .mean = p->centre ? p->offset : zeros,
                          .active = p->active,
                          .n = p->n};
    if (leastsq_stops(p, "adding up the Gram matrix")) return SEPAL_OK;
    TRY(scatter_within(gram, &all));
    TRY(class_sums(sums, p));
    make_rhs(rhs, p, sums);
    return SEPAL_OK;
}
