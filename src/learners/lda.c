/* Linear discriminant analysis: normal classes that share one covariance, decided by Bayes' rule,
   and the projections that tell the classes apart best. */
#include "learners/discriminant.h"
#include "learners/leave_out.h"

#include <math.h>

#include <string.h>

struct lda_config {
    const char *shrinkage, *priors;
    size_t axes;
    int estimate;
};

#define AT(field) offsetof(struct lda_config, field)
static const struct parameter parameters[] = {
    {"shrinkage", PARAMETER_TEXT, AT(shrinkage), "none", "", SHRINKAGE_HELP},
    {"priors", PARAMETER_TEXT, AT(priors), NULL, "",
     "LABEL:P,... or P,P,... in the order of the classes, summing to 1; unless given, from the "
     "data"},
    {"axes", PARAMETER_COUNT, AT(axes), "0", "[0, 1e15]",
     "classify in the space of this many axes, the best first; 0: all, the smaller of classes - 1 "
     "and columns"},
    {"estimate", PARAMETER_CHOICE, AT(estimate), "ml", ESTIMATE_WORDS,
     "the covariance divides by N (ml, maximum likelihood) or N - classes (unbiased)"},
    {0},
};

static sepal_status fit_lda(struct fit *fit) {
    const struct lda_config *config = fit->config;
    struct discriminant d = {.fit = fit, .axes = config->axes};
    TRY(shrinkage_read(&d.alpha, fit->ctx, "lda", config->shrinkage));
    TRY(scatter_start(&d.s, fit));
    double *priors = arena_alloc(fit->ctx, &fit->arena, d.s.classes, sizeof *priors);
    if (!priors) return SEPAL_EMEMORY;
    TRY(priors_read(priors, fit->ctx, "lda", config->priors, fit->data->schema, d.s.class_weight));
    d.priors = priors;
    TRY(pooled_divisor(&d.divisor, &d.s, (enum estimate)config->estimate));
    return discriminant_fit(&d);
}

/* How much identity Ledoit and Wolf's rule has in a covariance is read off the rows. */
static enum parts_know lda_knows(const void *config, bool *free) {
    return shrinkage_knows(((const struct lda_config *)config)->shrinkage, PARTS_WITHIN, free);
}

/* ---- without one row ---------------------------------------------------------------------- */

struct lda_left_out {
    const struct lda_config *config;
    const struct scatter *s;
    const double *priors; /* NULL: from the data */
};

static void lda_without(struct linear *linear, const struct left_row *row, const void *payload) {
    const struct lda_left_out *all = payload;
    const struct scatter *s = all->s;
    size_t classes = s->classes, cols = linear->cols;
    double divisor = row->total;
    if (all->config->estimate == ESTIMATE_UNBIASED)
        divisor = freedom_of(row->total, s->x->rows - 1, classes);
    for (size_t k = 0; k < classes; k++)
        linear->priors[k] = all->priors ? all->priors[k] : row->class_weight[k] / row->total;
    for (size_t r = 0; r < linear->rows; r++) {
        const double *mean = row->mean + (classes == 2 ? 1 : r) * cols;
        const double *from = classes == 2 ? row->mean : row->offset;
        double *w = linear->w + r * cols, sum = 0;
        for (size_t j = 0; j < row->n; j++) {
            double solved = classes == 2 ? row->solved[row->n + j] - row->solved[j]
                                         : row->solved[r * row->n + j];
            w[s->active[j]] = divisor * solved;
        }
        for (size_t j = 0; j < cols; j++) sum += w[j] * (mean[j] + from[j]);
        linear->b[r] = -sum / 2;
        linear->b[r] +=
            classes == 2 ? log(linear->priors[1] / linear->priors[0]) : log(linear->priors[r]);
    }
}

static sepal_status lda_leave_out(struct leave_out *out, struct fit *fit) {
    const struct lda_config *config = fit->config;
    double alpha, *priors = NULL;
    out->exact = false;
    TRY(shrinkage_read(&alpha, fit->ctx, "lda", config->shrinkage));
    if (alpha != 0 || config->axes > 0) return SEPAL_OK; /* auto is NaN */
    TRY(leave_out_start(out, fit));
    if (config->priors) {
        priors = arena_alloc(fit->ctx, &fit->arena, out->s.classes, sizeof *priors);
        if (!priors) return SEPAL_EMEMORY;
        TRY(priors_read(priors, fit->ctx, "lda", config->priors, fit->data->schema,
                        out->s.class_weight));
    }
    struct lda_left_out *all = arena_alloc(fit->ctx, &fit->arena, 1, sizeof *all);
    if (!all) return SEPAL_EMEMORY;
    *all = (struct lda_left_out){config, &out->s, priors};
    out->within = true;
    out->freedom = config->estimate == ESTIMATE_UNBIASED ? out->s.classes : 0;
    out->set = lda_without;
    out->payload = all;
    return leave_out_factor(out, fit);
}

/* Before there was one default for all, a default of its own was unbiased. */
static const char *lda_current_value(const struct setting *given, const struct setting *all,
                                     size_t n) {
    (void)all, (void)n;
    bool old = strcmp(given->name, "estimate") == 0 && strcmp(given->value, "default") == 0;
    return old ? "unbiased" : NULL;
}

static const char *lda_priors(const void *config) {
    return ((const struct lda_config *)config)->priors;
}

/* What is no shrinkage is better said before a long read. */
static sepal_status settle_lda(sepal_ctx *ctx, void *config) {
    double shrinkage;
    return shrinkage_read(&shrinkage, ctx, "lda", ((const struct lda_config *)config)->shrinkage);
}

const struct learner learner_lda = {
    .name = "lda",
    .summary =
        "linear discriminant analysis: normal classes with one covariance, and axes to project on",
    .objective =
        "Wilks' lambda of the projections, the product of 1/(1 + l) over the eigenvalues l "
        "of S_B v = l S_W v",
    .activation = "softmax",
    .machine = true,
    .posterior = true,
    .shiftable = always_shiftable,
    .parameters = parameters,
    .config_size = sizeof(struct lda_config),
    .settle = settle_lda,
    .current_value = lda_current_value,
    .priors = lda_priors,
    .no_density = "gaussian(covariance=shared) is the same classifier and keeps one",
    .fit = fit_lda,
    .knows = lda_knows,
    .leave_out = lda_leave_out,
};
