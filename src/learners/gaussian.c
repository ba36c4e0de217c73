/* Normal classes: means and covariances of the rows of each class, then Bayes' rule. One shared
   covariance gives linear scores (it is lda), one for each class quadratic ones. */
#include "learners/gaussian.h"

#include "core/alloc.h"
#include "kernels/blas.h"

#include <math.h>
#include <string.h>

#define AT(field) offsetof(struct gaussian_config, field)
static const struct parameter parameters[] = {
    {"covariance", PARAMETER_CHOICE, AT(covariance), "full", "full|shared|diagonal|spherical",
     "a matrix for each class, one for all of them, variances for each class, one variance for "
     "each "
     "class"},
    {"shrinkage", PARAMETER_TEXT, AT(shrinkage), "none", "", SHRINKAGE_HELP},
    {"estimate", PARAMETER_CHOICE, AT(estimate), "ml", ESTIMATE_WORDS,
     "variances divide by the rows (ml, maximum likelihood) or by one less for each mean "
     "(unbiased)"},
    {0},
};

/* ---- one covariance for all ---------------------------------------------------------------- */

/* tr(inverse(Sigma) S) for S that was shrunk and divided to give Sigma = R'R: from the identity
   S_alpha = (1 - alpha) S + ridge I. */
double gaussian_trace(const struct shrunk *c, double trace_of_inverse) {
    double cols = (double)c->cols;
    if (c->alpha == 0) return c->divisor * cols;
    if (c->alpha == 1) return c->divisor * c->trace / c->ridge;
    return c->divisor * (cols - c->ridge * trace_of_inverse) / (1 - c->alpha);
}

double trace_of_inverse(const double *r, size_t n, const double *scale, double *work,
                        const struct blas *blas) {
    enum { PANEL = GAUSSIAN_PANEL };
    double sum = 0;
    for (size_t from = 0; from < n; from += PANEL) {
        size_t rows = n - from < PANEL ? n - from : PANEL, width = n - from;
        memset(work, 0, rows * width * sizeof *work);
        for (size_t i = 0; i < rows; i++) work[i * width + i] = 1;
        blas->right_solve(rows, width, r + from * n + from, n, work, width);
        for (size_t i = 0; i < rows; i++) {
            double squares = 0;
            for (size_t j = i; j < width; j++) squares += work[i * width + j] * work[i * width + j];
            sum += squares * scale[from + i] * scale[from + i];
        }
    }
    return sum;
}

/* R of the covariance, by rows and columns of the data: a column that is left out of the scatter
   is constant, and has the variance that shrinkage gives it. */
static void set_root(double *root, const struct discriminant *d, size_t cols) {
    const struct whitener *w = &d->whitener;
    const size_t *active = d->s.active;
    for (size_t j = 0; j < cols && w->n < cols; j++)
        root[j * cols + j] = sqrt(w->ridge / d->divisor);
    for (size_t i = 0; i < w->n; i++)
        for (size_t j = i; j < w->n; j++)
            root[active[i] * cols + active[j]] =
                w->factor[i * w->n + j] /
                (w->scale[j] * scatter_inverse_unit(w->s, active[j]) * sqrt(d->divisor));
}

/* The density that goes with lda's scores, where every column has a variance of its own. */
static sepal_status keep_shared(struct gaussian *g, struct discriminant *d) {
    const struct whitener *w = &d->whitener;
    struct linear *linear = &g->fit->linear;
    sepal_ctx *ctx = g->fit->ctx;
    size_t cols = g->cols, n = w->n;
    if (n == 0 || (n < cols && w->alpha == 0) || w->way != WHITEN_TRIANGLE) {
        warn(
            ctx, "no-density",
            "the shared covariance is singular, so this model has no density: it can classify, but "
            "neither draw samples nor tell likelihoods; with shrinkage=auto it could");
        return SEPAL_OK;
    }
    TRY(density_new(&linear->density, ctx, DENSITY_SHARED, g->classes, cols));
    struct density *density = linear->density;
    memcpy(density->mean, d->s.mean, g->classes * cols * sizeof *density->mean);
    set_root(density->root, d, cols);
    density_normalise(density);
    struct shrunk c = {
        .cols = n, .alpha = w->alpha, .trace = w->trace, .ridge = w->ridge, .divisor = d->divisor};
    double *work = arena_alloc(ctx, &g->fit->arena, cols, GAUSSIAN_PANEL * sizeof *work);
    if (!work) return SEPAL_EMEMORY;
    double inverse = w->alpha > 0 ? trace_of_inverse(w->factor, n, w->scale, work, ctx->blas) : 0;
    double ratio = gaussian_trace(&c, inverse) / d->s.total;
    for (size_t k = 0; k < g->classes; k++) g->squares[k] = d->s.class_weight[k] * ratio;
    return SEPAL_OK;
}

static sepal_status fit_shared(struct gaussian *g) {
    struct discriminant d = {
        .fit = g->fit, .s = g->s, .alpha = g->alpha, .priors = g->fit->linear.priors};
    double *priors = arena_alloc(g->fit->ctx, &g->fit->arena, g->classes, sizeof *priors);
    if (!priors) return SEPAL_EMEMORY;
    for (size_t k = 0; k < g->classes; k++) priors[k] = g->s.class_weight[k] / g->s.total;
    d.priors = priors;
    TRY(pooled_divisor(&d.divisor, &d.s, (enum estimate)g->config->estimate));
    TRY(discriminant_fit(&d));
    g->intensity = d.whitener.alpha;
    return keep_shared(g, &d);
}

/* ---- a model of quadratic scores ----------------------------------------------------------- */

/* Priors, biases, and for reports the slopes at the mean of all rows. `slope` has room for all
   classes. */
static sepal_status gaussian_set_scores(struct gaussian *g, double *slope) {
    struct linear *linear = &g->fit->linear;
    size_t cols = g->cols;
    linear->priors = mem_alloc(g->fit->ctx, g->classes, sizeof *linear->priors);
    double *logs = arena_alloc(g->fit->ctx, &g->fit->arena, g->classes, sizeof *logs);
    if (!linear->priors || !logs) return SEPAL_EMEMORY;
    for (size_t k = 0; k < g->classes; k++) linear->priors[k] = g->s.class_weight[k] / g->s.total;
    density_tangent(logs, slope, linear->density, g->s.offset, g->fit->ctx->blas);
    for (size_t r = 0; r < linear->rows; r++) {
        size_t k = linear->rows == 1 ? 1 : r;
        linear->b[r] = log(linear->priors[k]) - (linear->rows == 1 ? log(linear->priors[0]) : 0);
        for (size_t j = 0; j < cols; j++)
            linear->w[r * cols + j] = slope[k * cols + j] - (linear->rows == 1 ? slope[j] : 0);
    }
    return SEPAL_OK;
}

static sepal_status fit_quadratic(struct gaussian *g) {
    static const enum density_kind kinds[] = {DENSITY_FULL, DENSITY_SHARED, DENSITY_DIAGONAL,
                                              DENSITY_SPHERICAL};
    sepal_ctx *ctx = g->fit->ctx;
    struct linear *linear = &g->fit->linear;
    double *slope = arena_alloc(ctx, &g->fit->arena, g->classes, g->cols * sizeof *slope);
    if (!slope) return SEPAL_EMEMORY;
    TRY(gaussian_check_size(g));
    TRY(density_new(&linear->density, ctx, kinds[g->config->covariance], g->classes, g->cols));
    memcpy(linear->density->mean, g->s.mean, g->classes * g->cols * sizeof *slope);
    TRY(g->config->covariance == COVARIANCE_FULL ? gaussian_full(g) : gaussian_variances(g));
    density_normalise(linear->density);
    return gaussian_set_scores(g, slope);
}

/* ---- what came of it ---------------------------------------------------------------------- */

/* -ln of prior times density, the mean over the rows: all but a sum of squares is the same for the
   rows of a class. */
static void gaussian_report(struct gaussian *g) {
    struct fit *fit = g->fit;
    const struct linear *linear = &fit->linear;
    static const char *const words[] = {
        "a covariance matrix for each class", "one covariance matrix for all classes",
        "a variance for each class and column", "a variance for each class"};
    double sum = 0;
    for (size_t k = 0; linear->density && k < g->classes; k++)
        sum -= g->s.class_weight[k] * (log(linear->priors[k]) + linear->density->constant[k]) -
               g->squares[k] / 2;
    fit->objective = linear->density ? sum / g->s.total : NAN;
    fit->words = fit_text(fit, "mean of -ln(prior times normal density) of the rows, %s",
                          words[g->config->covariance]);
    if (!isnan(g->alpha) || !fit->make) return;
    struct tree *facts = tree_object(fit->make, fit->report, "gaussian");
    tree_number(fit->make, facts, "shrinkage", g->intensity);
}

static sepal_status fit_gaussian(struct fit *fit) {
    struct gaussian g = {.fit = fit, .config = fit->config};
    TRY(shrinkage_read(&g.alpha, fit->ctx, "gaussian", g.config->shrinkage));
    TRY(scatter_start(&g.s, fit));
    g.classes = g.s.classes;
    g.cols = g.s.x->cols;
    g.squares = arena_zero(fit->ctx, &fit->arena, g.classes, sizeof *g.squares);
    if (!g.squares) return SEPAL_EMEMORY;
    TRY(g.config->covariance == COVARIANCE_SHARED ? fit_shared(&g) : fit_quadratic(&g));
    gaussian_report(&g);
    return SEPAL_OK;
}

/* Before there was one default for all, it was unbiased for matrices and ml for variances. */
static const char *gaussian_current_value(const struct setting *given, const struct setting *all,
                                          size_t n) {
    if (strcmp(given->name, "estimate") != 0 || strcmp(given->value, "default") != 0) return NULL;
    for (size_t i = 0; i < n; i++) {
        bool covariance = strcmp(all[i].name, "covariance") == 0 && all[i].value;
        if (covariance &&
            (strcmp(all[i].value, "diagonal") == 0 || strcmp(all[i].value, "spherical") == 0))
            return "ml";
    }
    return "unbiased";
}

/* A variance of 0 is replaced by a part of the largest one, in the units of the columns. */
static enum parts_know gaussian_knows(const void *config, bool *free) {
    static const enum parts_know know[] = {PARTS_CLASSES, PARTS_WITHIN, PARTS_SQUARES,
                                           PARTS_SQUARES};
    const struct gaussian_config *own = config;
    enum parts_know all = shrinkage_knows(own->shrinkage, know[own->covariance], free);
    *free = *free && all >= PARTS_WITHIN;
    return all;
}

/* What is no shrinkage is better said before a long read. */
static sepal_status settle_gaussian(sepal_ctx *ctx, void *config) {
    double shrinkage;
    return shrinkage_read(&shrinkage, ctx, "gaussian",
                          ((const struct gaussian_config *)config)->shrinkage);
}

const struct learner learner_gaussian = {
    .name = "gaussian",
    .summary =
        "Gaussian discriminant analysis: a normal density for each class, quadratic or linear",
    .objective = "mean of -ln(prior times normal density) of the rows",
    .activation = "softmax",
    .machine = true,
    .posterior = true,
    .shiftable = always_shiftable,
    .parameters = parameters,
    .config_size = sizeof(struct gaussian_config),
    .settle = settle_gaussian,
    .knows = gaussian_knows,
    .current_value = gaussian_current_value,
    .no_density = "with shrinkage=auto it would have one",
    .fit = fit_gaussian,
};
