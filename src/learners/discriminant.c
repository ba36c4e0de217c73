/* Fisher's discriminant for K classes, and the classifier that it is: normal classes of one
   covariance. With S_W = C'C and B the class means around the mean of all, each times the root of
   its class's weight, the whitened means Y = pinv(C)'B hold everything: the generalised eigenvalues
   of S_B v = l S_W v are the squares of the singular values of Y, found by one-sided Jacobi, the
   axes are pinv(C) times its singular vectors, and pinv(S_W) B = pinv(C) Y are the weights. */
#include "learners/discriminant.h"

#include "core/alloc.h"
#include "core/decimal.h"
#include "kernels/blas.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* An axis along which the means differ by less than this part of what they do along the first one
   is rounding. (Eigenvalues are squares of these.) */
static const double AXIS_LEAST = 1e-10;

sepal_status scatter_start(struct scatter *out, struct fit *fit) {
    const sepal_data *data = fit->data;
    TRY(linear_init(&fit->linear, fit->ctx, data->schema->n_classes, data->matrix.cols, true));
    *out = (struct scatter){.ctx = fit->ctx,
                            .arena = &fit->arena,
                            .x = &data->matrix,
                            .label = data->label,
                            .weight = data->weight,
                            .classes = data->schema->n_classes,
                            .centre = fit->linear.centre,
                            .left = fit->left};
    fit->gap = NAN;
    fit->converged = true;
    return scatter_means(out);
}

void warn_of_rank(struct fit *fit, const struct scatter *s, size_t rank, const char *done) {
    const struct schema *schema = fit->data->schema;
    size_t cols = s->x->cols, constant = 0, between = 0;
    size_t known = schema && schema->width == cols ? schema->dependent : 0;
    if (cols - rank <= known) return;
    for (size_t j = 0; j < cols; j++) {
        constant += s->spread[j] == SPREAD_NONE;
        between += s->spread[j] == SPREAD_BETWEEN;
    }
    const char *why = cols - rank == constant + between ? "" : ", some a combination of others";
    if (s->x->rows < cols + s->classes)
        why = fit_text(fit, ", only %zu rows for %zu columns and %zu classes", s->x->rows, cols,
                       s->classes);
    warn(fit->ctx, "singular-scatter",
         "the within-class scatter matrix of %zu columns has rank %zu (%zu constant, %zu constant "
         "within each class%s): %s; shrinkage=auto would use every column",
         cols, rank, constant, between, why, done);
}

double freedom_of(double weight, size_t rows, size_t means) {
    enum { ROUNDING = 64 };
    double least = DBL_EPSILON * (double)(ROUNDING + rows) * weight;
    double freedom = weight - (double)means;
    return freedom > least ? freedom : 0;
}

sepal_status pooled_divisor(double *out, const struct scatter *s, enum estimate estimate) {
    *out = estimate == ESTIMATE_ML ? s->total : freedom_of(s->total, s->x->rows, s->classes);
    if (*out > 0) return SEPAL_OK;
    return fail(s->ctx, SEPAL_EDATA,
                "%zu classes need rows of a total weight above %zu to estimate a covariance, these "
                "have %g; give more rows or larger weights (weight 2 is a row twice)",
                s->classes, s->classes, s->total);
}

void discriminant_report(struct fit *fit, double j, const double *eigenvalue, size_t n,
                         double alpha) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += eigenvalue[i];
    if (!fit->make) return;
    struct tree *facts = tree_object(fit->make, fit->report, "discriminant");
    tree_number(fit->make, facts, "J", j);
    tree_numbers(fit->make, facts, "eigenvalues", eigenvalue, n);
    struct tree *proportions = tree_array(fit->make, facts, "share");
    for (size_t i = 0; i < n; i++)
        tree_number(fit->make, proportions, NULL, n == 1 ? 1 : eigenvalue[i] / sum);
    tree_number(fit->make, facts, "shrinkage", alpha);
}

void discriminant_words(struct fit *fit, const struct whitener *whitener, bool asked_auto) {
    size_t n = whitener->n;
    char alpha[DECIMAL_BYTES];
    alpha[decimal_print(alpha, whitener->alpha)] = '\0';
    fit->solver = n == 0 ? "none (all columns are constant)" : "";
    if (n > 0 && whitener->way == WHITEN_TRIANGLE)
        fit->solver = fit_text(fit, "triangular factor of the scatter of %zu columns", n);
    if (n > 0 && whitener->way == WHITEN_NULL)
        fit->solver = fit_text(fit, "triangular factor of the scatter of %zu of %zu columns",
                               whitener->rank, n);
    if (n > 0 && whitener->way >= WHITEN_ROWS)
        fit->solver = fit_text(fit, "in the space of %zu rows, %zu columns", whitener->rows, n);
    const char *shrunk = "";
    if (whitener->alpha > 0)
        shrunk =
            fit_text(fit, "; covariance shrunk by %s%s", alpha, asked_auto ? " (Ledoit-Wolf)" : "");
    fit->words = fit_text(fit,
                          "Wilks' lambda of the projections, the product of 1/(1 + l) over the "
                          "eigenvalues l of S_B v = l S_W v%s",
                          shrunk);
}

/* ---- solving ------------------------------------------------------------------------------ */

struct solving {
    struct discriminant *d;
    size_t n, height;   /* of the whitener */
    size_t vectors;     /* rows of b: one for each class, only one for two classes */
    size_t most, axes;  /* axes that there may be, and that are found */
    double *y, *solved; /* vectors x height; vectors x n: pinv(S) b */
    double *singular;   /* the rotated rows of y */
    double *along;      /* axes x n, scaled to v'S v = 1 */
    double *eigenvalue; /* most */
};

static double *discriminant_make(struct solving *p, size_t rows, size_t cols) {
    struct fit *fit = p->d->fit;
    return arena_zero(fit->ctx, &fit->arena, rows, cols * sizeof(double));
}

/* What the mean of vector r is multiplied by in b. */
static double root_weight(const struct scatter *s, size_t r) {
    const double *weight = s->class_weight;
    return s->classes == 2 ? sqrt(weight[0] * weight[1] / s->total) : sqrt(weight[r]);
}

static void fill_means(const struct solving *p, double *b) {
    const struct scatter *s = &p->d->s;
    size_t cols = s->x->cols;
    for (size_t r = 0; r < p->vectors; r++) {
        const double *mean = s->mean + (s->classes == 2 ? 1 : r) * cols;
        const double *from = s->classes == 2 ? s->mean : s->offset;
        for (size_t j = 0; j < p->n; j++)
            b[r * p->n + j] = root_weight(s, r) * (mean[s->active[j]] - from[s->active[j]]);
    }
}

/* Eigenvalues, and as many axes as are not rounding. */
static sepal_status find_axes(struct solving *p) {
    struct fit *fit = p->d->fit;
    size_t height = p->height, rows = p->vectors < height ? p->vectors : height;
    size_t work = blas_qr_work(p->vectors, height);
    double *scratch = discriminant_make(p, 1, work), *v = p->singular;
    if (!scratch) return SEPAL_EMEMORY;
    memcpy(v, p->y, p->vectors * height * sizeof *v);
    if (p->vectors > height) fit->ctx->blas->qr_r(p->vectors, height, v, height, scratch);
    jacobi_rows(v, rows, height, fit->ctx->kernels);
    double first = 0;
    for (size_t i = 0; i < rows && i < p->most; i++) {
        double *row = v + i * height, square = fit->ctx->kernels->dot_f64(row, row, height);
        p->eigenvalue[i] = square;
        if (i == 0) first = sqrt(square);
        if (!(sqrt(square) > AXIS_LEAST * first)) continue;
        p->axes = i + 1;
        for (size_t j = 0; j < height; j++) row[j] /= sqrt(square);
    }
    p->along = discriminant_make(p, p->axes, p->n);
    if (!p->along) return SEPAL_EMEMORY;
    return whitener_back(p->along, &p->d->whitener, v, p->axes);
}

static sepal_status discriminant_solve(struct solving *p) {
    double *b = discriminant_make(p, p->vectors, p->n);
    p->y = discriminant_make(p, p->vectors, p->height);
    p->singular = discriminant_make(p, p->vectors, p->height);
    p->solved = discriminant_make(p, p->vectors, p->n);
    if (!b || !p->y || !p->singular || !p->solved) return SEPAL_EMEMORY;
    fill_means(p, b);
    TRY(whitener_whiten(p->y, &p->d->whitener, b, p->vectors));
    TRY(whitener_back(p->solved, &p->d->whitener, p->y, p->vectors));
    return find_axes(p);
}

/* ---- the model ---------------------------------------------------------------------------- */

/* Keep of pinv(S) b only what lies along the first axes. */
static void use_axes(struct solving *p) {
    const struct kernels *kernels = p->d->fit->ctx->kernels;
    memset(p->solved, 0, p->vectors * p->n * sizeof *p->solved);
    for (size_t r = 0; r < p->vectors; r++) {
        for (size_t i = 0; i < p->axes; i++) {
            double part =
                kernels->dot_f64(p->singular + i * p->height, p->y + r * p->height, p->height);
            kernels->axpy_f64(part, p->along + i * p->n, p->solved + r * p->n, p->n);
        }
    }
}

static void discriminant_set_scores(const struct solving *p) {
    const struct discriminant *d = p->d;
    const struct scatter *s = &d->s;
    const struct kernels *kernels = d->fit->ctx->kernels;
    struct linear *linear = &d->fit->linear;
    size_t cols = s->x->cols;
    for (size_t r = 0; r < p->vectors; r++) {
        double *w = linear->w + r * cols, times = d->divisor / root_weight(s, r);
        const double *mean = s->mean + (s->classes == 2 ? 1 : r) * cols;
        const double *from = s->classes == 2 ? s->mean : s->offset;
        for (size_t j = 0; j < p->n; j++) w[s->active[j]] = times * p->solved[r * p->n + j];
        linear->b[r] = -(kernels->dot_f64(w, mean, cols) + kernels->dot_f64(w, from, cols)) / 2;
        linear->b[r] += s->classes == 2 ? log(d->priors[1] / d->priors[0]) : log(d->priors[r]);
    }
}

/* Axes of unit within-class variance, the largest entry positive. */
static sepal_status set_axes(const struct solving *p) {
    const struct scatter *s = &p->d->s;
    struct linear *linear = &p->d->fit->linear;
    size_t cols = s->x->cols;
    double freedom = freedom_of(s->total, s->x->rows, s->classes);
    double root = sqrt(freedom > 0 ? freedom : s->total);
    if (p->axes == 0) return SEPAL_OK;
    linear->axes = mem_zero(p->d->fit->ctx, p->axes, cols * sizeof *linear->axes);
    if (!linear->axes) return SEPAL_EMEMORY;
    linear->n_axes = p->axes;
    for (size_t i = 0; i < p->axes; i++) {
        const double *along = p->along + i * p->n;
        size_t best = 0;
        for (size_t j = 1; j < p->n; j++)
            if (fabs(along[j]) > fabs(along[best])) best = j;
        double sign = along[best] < 0 ? -root : root;
        for (size_t j = 0; j < p->n; j++) linear->axes[i * cols + s->active[j]] = sign * along[j];
    }
    return SEPAL_OK;
}

static sepal_status discriminant_set_priors(const struct discriminant *d) {
    struct linear *linear = &d->fit->linear;
    size_t size = linear->classes * sizeof *linear->priors;
    linear->priors = mem_alloc(d->fit->ctx, 1, size);
    if (!linear->priors) return SEPAL_EMEMORY;
    memcpy(linear->priors, d->priors, size);
    return SEPAL_OK;
}

/* J and Wilks' lambda are of the axes that are used; lambda is 0 when a difference of means has no
   scatter beside it. */
static void report_axes(const struct solving *p, bool infinite) {
    const struct discriminant *d = p->d;
    size_t used = d->axes > 0 ? d->axes : p->most;
    double j = infinite ? INFINITY : 0;
    d->fit->objective = infinite ? 0 : 1;
    for (size_t i = 0; i < used; i++) {
        d->fit->objective /= 1 + p->eigenvalue[i];
        j += p->eigenvalue[i];
    }
    discriminant_report(d->fit, j, p->eigenvalue, p->most, d->whitener.alpha);
    discriminant_words(d->fit, &d->whitener, isnan(d->alpha));
}

sepal_status discriminant_fit(struct discriminant *d) {
    struct scatter *s = &d->s;
    struct fit *fit = d->fit;
    bool shrunk = !(d->alpha == 0);
    struct solving p = {.d = d, .vectors = s->classes == 2 ? 1 : s->classes};
    p.most = s->classes - 1 < s->x->cols ? s->classes - 1 : s->x->cols;
    if (d->axes > p.most)
        return fail(fit->ctx, SEPAL_EUSAGE,
                    "axes=%zu is more than the %zu that %zu classes and %zu columns have", d->axes,
                    p.most, s->classes, s->x->cols);
    p.eigenvalue = discriminant_make(&p, 1, p.most);
    if (!p.eigenvalue) return SEPAL_EMEMORY;
    TRY(scatter_columns(s, shrunk ? SPREAD_BETWEEN : SPREAD_WITHIN));
    bool infinite = false;
    for (size_t j = 0; j < s->x->cols && !shrunk; j++)
        infinite = infinite || s->spread[j] == SPREAD_BETWEEN;
    p.n = s->n;
    if (p.n > 0) {
        TRY(whitener_make(&d->whitener, s, d->alpha, d->divisor));
        p.height = d->whitener.height;
        TRY(discriminant_solve(&p));
        infinite = infinite || d->whitener.outside;
    }
    if (!shrunk) warn_of_rank(fit, s, d->whitener.rank, "its pseudo-inverse was taken");
    if (d->axes > 0 && d->axes < p.axes) {
        p.axes = d->axes;
        use_axes(&p);
    }
    discriminant_set_scores(&p);
    report_axes(&p, infinite);
    TRY(discriminant_set_priors(d));
    return set_axes(&p);
}
