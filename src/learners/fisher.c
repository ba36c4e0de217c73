/* Fisher's discriminant of two classes: the direction along which their means lie furthest apart,
   measured by the scatter within the classes. */
#include "learners/discriminant.h"
#include "statistics/scatter_parts.h"

#include <math.h>

struct fisher_config {
    int threshold;
    const char *shrinkage;
};

#define AT(field) offsetof(struct fisher_config, field)
static const struct parameter parameters[] = {
    {"cut", PARAMETER_CHOICE, AT(threshold), "midpoint", THRESHOLD_WORDS, THRESHOLD_HELP},
    {"shrinkage", PARAMETER_TEXT, AT(shrinkage), "none", "", SHRINKAGE_HELP},
    {0},
};

/* Scatter along w that is less than this part of the squared distance of the means is rounding. */
static const double SCATTER_LEAST = 1e-20;

/* w = times inverse(S)(m2 - m1), and (m2 - m1)'inverse(S)(m2 - m1), S of the given rows. */
static sepal_status fisher_solve(struct fit *fit, struct whitener *whitener,
                                 const struct scatter *s, const struct scatter *of, double alpha,
                                 double times, double *squared) {
    size_t n = of->n, cols = of->x->cols;
    TRY(whitener_make(whitener, of, alpha, times));
    double *d = arena_alloc(fit->ctx, &fit->arena, 2, n * sizeof *d);
    double *y = arena_alloc(fit->ctx, &fit->arena, whitener->height, sizeof *y);
    if (!d || !y) return SEPAL_EMEMORY;
    for (size_t j = 0; j < n; j++) d[j] = s->mean[cols + of->active[j]] - s->mean[of->active[j]];
    TRY(whitener_whiten(y, whitener, d, 1));
    TRY(whitener_back(d + n, whitener, y, 1));
    for (size_t j = 0; j < n; j++) fit->linear.w[of->active[j]] = times * d[n + j];
    *squared = fit->ctx->kernels->dot_f64(y, y, whitener->height);
    return SEPAL_OK;
}

/* J(w) by the rows themselves; infinite when they have no scatter along w. */
static sepal_status fisher_measure(double *out, struct fit *fit, const struct scatter *s) {
    size_t cols = s->x->cols;
    const double *w = fit->linear.w;
    double squares[2] = {0, 0}, distance = 0;
    TRY(s->left ? scatter_left_along(squares, s, w) : scatter_along(squares, s, w));
    for (size_t j = 0; j < cols; j++) distance += w[j] * (s->mean[cols + j] - s->mean[j]);
    double within = squares[0] + squares[1], between = distance * distance;
    *out = within > SCATTER_LEAST * s->total * between ? between / within : INFINITY;
    return SEPAL_OK;
}

/* The total scatter where that within the classes is singular. */
static sepal_status fisher_find_direction(double *j, struct whitener *whitener, struct fit *fit,
                                          struct scatter *s, double alpha, double divisor) {
    struct scatter all;
    bool shrunk = !(alpha == 0);
    TRY(scatter_columns(s, shrunk ? SPREAD_BETWEEN : SPREAD_WITHIN));
    bool surely_singular = s->n < s->x->cols || s->x->rows < s->n + s->classes;
    if (shrunk || !surely_singular) {
        TRY(fisher_solve(fit, whitener, s, s, alpha, divisor, j));
        if (shrunk || whitener->rank == s->x->cols) return SEPAL_OK;
    }
    TRY(scatter_join(&all, s));
    TRY(fisher_solve(fit, whitener, s, &all, 0, divisor, j));
    whitener->s = s;
    TRY(fisher_measure(j, fit, s));
    /* total scatter has one dimension more where the means differ and nothing else does */
    warn_of_rank(fit, s, whitener->rank - (isinf(*j) ? 1 : 0),
                 "the total scatter was taken in its place");
    return SEPAL_OK;
}

static sepal_status fit_fisher(struct fit *fit) {
    const struct fisher_config *config = fit->config;
    struct whitener whitener = {0};
    struct scatter s;
    double alpha, divisor, j;
    TRY(shrinkage_read(&alpha, fit->ctx, "fisher", config->shrinkage));
    TRY(scatter_start(&s, fit));
    if (means_coincide(&s))
        return fail(
            fit->ctx, SEPAL_EDATA,
            "the means of the two classes coincide, so no direction tells them apart; try a "
            "map (poly(degree=2) | fisher) or another learner");
    TRY(pooled_divisor(&divisor, &s, ESTIMATE_UNBIASED));
    TRY(fisher_find_direction(&j, &whitener, fit, &s, alpha, divisor));
    double eigenvalue = s.class_weight[0] * s.class_weight[1] / s.total * j;
    discriminant_report(fit, j, &eigenvalue, 1, whitener.alpha);
    discriminant_words(fit, &whitener, isnan(alpha));
    fit->objective = 1 / (1 + eigenvalue);
    return threshold_place(fit, &s, (enum threshold)config->threshold);
}

/* Where the normal curves cross is read off the rows. */
static enum parts_know fisher_knows(const void *config, bool *free) {
    const struct fisher_config *own = config;
    enum parts_know know = shrinkage_knows(own->shrinkage, PARTS_WITHIN, free);
    return own->threshold == THRESHOLD_GAUSS ? PARTS_NOTHING : know;
}

/* What is no shrinkage is better said before a long read. */
static sepal_status settle_fisher(sepal_ctx *ctx, void *config) {
    double shrinkage;
    return shrinkage_read(&shrinkage, ctx, "fisher",
                          ((const struct fisher_config *)config)->shrinkage);
}

const struct learner learner_fisher = {
    .name = "fisher",
    .summary =
        "Fisher's linear discriminant: the direction of largest between- to within-class scatter",
    .objective = "Wilks' lambda of the projections on the eigenvectors of S_B v = l S_W v",
    .activation = "sign",
    .shiftable = always_shiftable,
    .parameters = parameters,
    .config_size = sizeof(struct fisher_config),
    .settle = settle_fisher,
    .knows = fisher_knows,
    .fit = fit_fisher,
};
