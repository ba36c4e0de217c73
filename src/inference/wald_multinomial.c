/* Standard errors of the multinomial logit (Agresti, "Categorical Data Analysis", 3rd ed., 8.1; McCullagh and
   Nelder, "Generalized Linear Models", 2nd ed., 5.2). A common shift of all functions changes nothing, so the
   information of all K functions is singular; that of the functions less one class's, the base, is not:
   its block of classes k and l is X' diag(c p_k ([k = l] - p_l)) X. The base is the most frequent class,
   which keeps the blocks far from each other; the table is against the first class, and since its entries
   are combinations of the parameters, base and reference need not be the same.

   Columns that depend on others are found first, by the factor of one function's rows, and left out. A block
   of two classes is minus the Gram matrix of the rows sqrt(c p_k p_l) x, so every block is a sum over rows
   of fixed order. Where columns have little of their own, rows are first multiplied by the inverse of
   that factor, which makes them all but orthogonal: blocks then lose no digits to them. */
#include "core/alloc.h"
#include "core/parallel.h"
#include "data/class_counts.h"
#include "inference/design.h"
#include "inference/triangle.h"

#include <math.h>
#include <string.h>

/* The least part of its own that a parameter has, by its square: below it six digits are not sure. */
static const double OWN_PARAMETER = 1e-10;

struct multinomial {
    struct design d;
    size_t classes, base;
    double *eta, *p; /* n x K: scores less the base's, and probabilities */
    double *white;   /* m x m: what rows are divided by; NULL: nothing */
    double *gram;    /* (m + 2)^2, of one block */
    double *factor;  /* of all parameters, base left out: N = (K - 1) m, and two right-hand sides */
    double *coefficient; /* (K - 1) x m; behind them the step */
    size_t *every;       /* 0 .. N - 1 */
    struct newton_steps steps;
};

/* One block of the information. */
struct class_pair {
    const struct multinomial *fit;
    size_t k, l;
};

static size_t parameters_of(const struct multinomial *fit) {
    return (fit->classes - 1) * fit->d.m;
}

/* The function of a class that is not the base. */
static size_t function_of(const struct multinomial *fit, size_t k) {
    return k < fit->base ? k : k - 1;
}

/* ---- rows --------------------------------------------------------------------------------- */

/* 1 - p_k with all its digits. */
static double other_classes(const double *p, size_t classes, size_t k) {
    double sum = 0;
    if (p[k] <= 0.5) return 1 - p[k];
    for (size_t l = 0; l < classes; l++) sum += l == k ? 0 : p[l];
    return sum;
}

static void find_probabilities(struct multinomial *fit) {
    size_t classes = fit->classes;
    for (size_t i = 0; i < fit->d.n; i++) {
        const double *eta = fit->eta + i * classes;
        double *p = fit->p + i * classes, largest = eta[0], sum = 0;
        for (size_t k = 1; k < classes; k++) largest = fmax(largest, eta[k]);
        for (size_t k = 0; k < classes; k++) sum += p[k] = exp(eta[k] - largest);
        for (size_t k = 0; k < classes; k++) p[k] /= sum;
    }
}

/* How much a row says of all functions together. */
static void find_curvatures(struct multinomial *fit) {
    for (size_t i = 0; i < fit->d.n; i++) {
        const double *p = fit->p + i * fit->classes;
        double sum = 0;
        for (size_t k = 0; k < fit->classes; k++) sum += p[k] * other_classes(p, fit->classes, k);
        fit->d.root[i] = sqrt(data_weight(fit->d.given->data, i) * sum);
    }
}

static void curvature_fill(const void *payload, size_t first, size_t n, double *out,
                           size_t stride) {
    const struct multinomial *fit = payload;
    for (size_t at = first; at < first + n; at++, out += stride) {
        design_row(out, &fit->d, at, stride);
        for (size_t t = 0; t < fit->d.p; t++) out[t] *= fit->d.root[at];
    }
}

/* The m terms kept of a row. */
static void kept_row(double *out, const struct multinomial *fit, size_t at, size_t room) {
    design_row(out, &fit->d, at, room);
    for (size_t k = 0; k < fit->d.m; k++) out[k] = out[fit->d.kept[k]];
    if (fit->white) triangle_forward(out, fit->white, fit->d.m, fit->d.m);
}

/* Of the diagonal block of class k, what belongs to its right-hand sides: the gradient by its score,
   c (y_k - p_k), and the curvature times the scores, c p_k sum_l p_l (eta_k - eta_l). */
static void pair_responses(double out[2], const struct multinomial *fit, size_t at, size_t k,
                           double root) {
    const double *p = fit->p + at * fit->classes, *eta = fit->eta + at * fit->classes;
    double c = data_weight(fit->d.given->data, at), spread = 0;
    bool own = (size_t)fit->d.given->data->label[at] == k;
    for (size_t l = 0; l < fit->classes; l++) spread += p[l] * (eta[k] - eta[l]);
    out[0] = root > 0 ? c * p[k] * spread / root : 0;
    out[1] = root > 0 ? c * (own ? other_classes(p, fit->classes, k) : -p[k]) / root : 0;
}

static void pair_fill(const void *payload, size_t first, size_t n, double *out, size_t stride) {
    const struct class_pair *pair = payload;
    const struct multinomial *fit = pair->fit;
    size_t m = fit->d.m;
    for (size_t at = first; at < first + n; at++, out += stride) {
        const double *p = fit->p + at * fit->classes;
        double v = p[pair->k] *
                   (pair->k == pair->l ? other_classes(p, fit->classes, pair->k) : p[pair->l]);
        double root = sqrt(data_weight(fit->d.given->data, at) * v);
        kept_row(out, fit, at, stride);
        for (size_t t = 0; t < m; t++) out[t] *= root;
        if (pair->k == pair->l) pair_responses(out + m, fit, at, pair->k, root);
    }
}

/* ---- a step ------------------------------------------------------------------------------- */

static sepal_status add_pair(struct multinomial *fit, size_t k, size_t l) {
    size_t m = fit->d.m, n = parameters_of(fit) + 2, width = k == l ? m + 2 : m;
    size_t cols = fit->d.given->data->matrix.cols, row = function_of(fit, k) * m,
           column = function_of(fit, l) * m;
    const struct class_pair pair = {.fit = fit, .k = k, .l = l};
    const struct tall tall = {.rows = fit->d.n,
                              .cols = width,
                              .stride = width > cols + 1 ? width : cols + 1,
                              .fill = pair_fill,
                              .payload = &pair};
    TRY(tall_gram(fit->gram, fit->d.given->ctx, &tall));
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) {
            double sum = fit->gram[i < j ? i * width + j : j * width + i];
            fit->factor[(row + i) * n + column + j] = k == l ? sum : -sum;
        }
    for (size_t i = 0; k == l && i < m; i++)
        memcpy(fit->factor + (row + i) * n + n - 2, fit->gram + i * width + m,
               2 * sizeof *fit->factor);
    return SEPAL_OK;
}

/* The factor of the information, and the coefficients after a step. */
static sepal_status multinomial_step(bool *found, struct multinomial *fit) {
    size_t n = parameters_of(fit);
    double *step = fit->coefficient + n;
    find_probabilities(fit);
    for (size_t k = 0; k < fit->classes; k++)
        for (size_t l = k; l < fit->classes; l++)
            if (k != fit->base && l != fit->base) TRY(add_pair(fit, k, l));
    *found = triangle_of_gram(fit->factor, n + 2, n, OWN_PARAMETER);
    if (!*found) return SEPAL_OK;
    triangle_solve(fit->coefficient, fit->factor, n + 2, fit->every, n, n);
    triangle_solve(step, fit->factor, n + 2, fit->every, n, n + 1);
    for (size_t i = 0; i < n; i++) fit->coefficient[i] += step[i];
    return SEPAL_OK;
}

static sepal_status eta_block(sepal_ctx *ctx, size_t b, void *payload) {
    struct multinomial *fit = payload;
    const struct matrix *x = &fit->d.given->data->matrix;
    const struct block *block = &x->blocks[b];
    size_t m = fit->d.m;
    double *row = mem_alloc(ctx, x->cols + 1, sizeof *row);
    if (!row) return SEPAL_EMEMORY;
    for (size_t at = block->first_row; at < block->first_row + block->rows; at++) {
        kept_row(row, fit, at, x->cols + 1);
        for (size_t k = 0; k < fit->classes; k++)
            if (k != fit->base)
                fit->eta[at * fit->classes + k] =
                    ctx->kernels->dot_f64(row, fit->coefficient + function_of(fit, k) * m, m);
    }
    mem_free(row);
    return SEPAL_OK;
}

static sepal_status multinomial_run(struct multinomial *fit) {
    sepal_ctx *ctx = fit->d.given->ctx;
    size_t cells = fit->d.n * fit->classes;
    double *before = fit->p; /* of use until the next step */
    for (int step = 0; step < NEWTON_MOST_STEPS; step++) {
        bool found;
        TRY(multinomial_step(&found, fit));
        if (!found) return SEPAL_OK;
        memcpy(before, fit->eta, cells * sizeof *before);
        TRY(parallel_for(ctx, fit->d.given->data->matrix.n_blocks, eta_block, fit));
        newton_steps_measure(&fit->steps, fit->eta, before, cells);
        if (cancelled(ctx)) return SEPAL_OK; /* the fit is done, and stays */
        if (newton_steps_end(&fit->steps)) return SEPAL_OK;
    }
    return SEPAL_OK;
}

/* ---- what comes of it --------------------------------------------------------------------- */

/* A term in the user's units as a combination of the m coefficients of a function. */
static void term_combination(double *out, const struct multinomial *fit, size_t k) {
    double centre;
    size_t m = fit->d.m, t = fit->d.kept[k];
    memset(out, 0, m * sizeof *out);
    if (t == 0 && fit->d.given->terms->intercept)
        for (size_t l = 0; l < m; l++) out[l] = design_at_zero(&fit->d, l);
    else
        out[k] = design_unit(&fit->d, t, &centre);
    if (fit->white) triangle_forward(out, fit->white, m, m);
}

/* The combination that is class k's less the first one's, of a term that is `term` of each. */
static void against_first(double *out, const struct multinomial *fit, const double *term,
                          size_t k) {
    size_t m = fit->d.m;
    memset(out, 0, parameters_of(fit) * sizeof *out);
    for (size_t i = 0; i < m; i++) {
        if (k != fit->base) out[function_of(fit, k) * m + i] = term[i];
        if (fit->base != 0) out[function_of(fit, 0) * m + i] = -term[i];
    }
}

/* By the delta method: the error of g'b is |inverse(R)' g|. */
static sepal_status multinomial_fold(struct summary *out, const struct multinomial *fit) {
    size_t m = fit->d.m, n = parameters_of(fit);
    double *g = mem_alloc(fit->d.given->ctx, n + m, sizeof *g), *term = g + n;
    if (!g) return SEPAL_EMEMORY;
    for (size_t i = 0; i < m; i++) {
        term_combination(term, fit, i);
        for (size_t k = 1; k < fit->classes; k++) {
            size_t cell = (k - 1) * fit->d.p + fit->d.kept[i];
            double sum = 0;
            against_first(g, fit, term, k);
            for (size_t j = 0; j < n; j++) out->estimate[cell] += g[j] * fit->coefficient[j];
            triangle_forward(g, fit->factor, n + 2, n);
            for (size_t j = 0; j < n; j++) sum += g[j] * g[j];
            out->error[cell] = sqrt(sum);
        }
    }
    mem_free(g);
    return SEPAL_OK;
}

static void multinomial_deviances(struct summary *out, const struct multinomial *fit,
                                  const double *count) {
    const sepal_data *data = fit->d.given->data;
    double total = 0, sum = 0, none = 0;
    for (size_t i = 0; i < fit->d.n; i++) {
        const double *eta = fit->eta + i * fit->classes;
        double largest = eta[0], all = 0;
        for (size_t k = 1; k < fit->classes; k++) largest = fmax(largest, eta[k]);
        for (size_t k = 0; k < fit->classes; k++) all += exp(eta[k] - largest);
        sum += data_weight(data, i) * (largest - eta[data->label[i]] + log(all));
    }
    for (size_t k = 0; k < fit->classes; k++) total += count[k];
    for (size_t k = 0; k < fit->classes; k++) none -= wald_entropy(count[k], total);
    if (!fit->d.given->terms->intercept) none = total * log((double)fit->classes);
    out->deviance = 2 * sum;
    out->null_deviance = 2 * none;
}

/* ---- all of it ---------------------------------------------------------------------------- */

/* The rows of each class, of which the most frequent is the base. */
static double *choose_base(struct multinomial *fit) {
    const sepal_data *data = fit->d.given->data;
    double *count =
        arena_alloc(fit->d.given->ctx, fit->d.given->arena, fit->classes, sizeof *count);
    if (!count) return NULL;
    class_weights(count, data);
    for (size_t k = 1; k < fit->classes; k++)
        if (count[k] > count[fit->base]) fit->base = k;
    return count;
}

static sepal_status start_from_fit(struct multinomial *fit) {
    const struct wald *given = fit->d.given;
    size_t cells = fit->d.n * fit->classes;
    TRY(ARENA_VECTORS(given->ctx, given->arena, cells, &fit->eta, &fit->p));
    TRY(linear_scores(fit->eta, given->ctx, given->linear, &given->data->matrix));
    for (size_t i = 0; i < cells; i += fit->classes) {
        double base = fit->eta[i + fit->base];
        for (size_t k = 0; k < fit->classes; k++) fit->eta[i + k] -= base;
    }
    find_probabilities(fit);
    find_curvatures(fit);
    return SEPAL_OK;
}

/* Which terms there are, and whether rows are to be made orthogonal. */
static sepal_status choose_terms(struct multinomial *fit, enum alias *alias) {
    struct design *d = &fit->d;
    size_t cols = d->given->data->matrix.cols;
    const struct tall tall = {
        .rows = d->n, .cols = d->p, .stride = cols + 1, .fill = curvature_fill, .payload = fit};
    TRY(design_means(d));
    TRY(design_scales(d));
    TRY(design_factor(d, &tall, alias));
    if (!d->by_rows) return SEPAL_OK;
    fit->white = arena_zero(d->given->ctx, d->given->arena, d->m, d->m * sizeof *fit->white);
    if (!fit->white) return SEPAL_EMEMORY;
    for (size_t k = 0; k < d->m; k++)
        for (size_t l = k; l < d->m; l++)
            fit->white[k * d->m + l] = d->factor[k * d->width + d->kept[l]];
    return SEPAL_OK;
}

static sepal_status multinomial_room(struct multinomial *fit) {
    sepal_ctx *ctx = fit->d.given->ctx;
    struct arena *arena = fit->d.given->arena;
    size_t m = fit->d.m, n = parameters_of(fit);
    fit->gram = arena_alloc(ctx, arena, m + 2, (m + 2) * sizeof *fit->gram);
    fit->factor = arena_zero(ctx, arena, n + 2, (n + 2) * sizeof *fit->factor);
    fit->coefficient = arena_zero(ctx, arena, 2 * n, sizeof *fit->coefficient);
    fit->every = arena_alloc(ctx, arena, n, sizeof *fit->every);
    if (!fit->gram || !fit->factor || !fit->coefficient || !fit->every) return SEPAL_EMEMORY;
    for (size_t i = 0; i < n; i++) fit->every[i] = i;
    return SEPAL_OK;
}

static sepal_status multinomial_into(struct summary *out, bool *found, bool *few,
                                     struct multinomial *fit) {
    const double *count = choose_base(fit);
    if (!count) return SEPAL_EMEMORY;
    TRY(design_room(&fit->d));
    TRY(start_from_fit(fit));
    TRY(choose_terms(fit, out->alias));
    *few = parameters_of(fit) >= fit->d.n;
    if (*few) return SEPAL_OK;
    TRY(multinomial_room(fit));
    TRY(multinomial_run(fit));
    if (!fit->steps.converged) return SEPAL_OK;
    TRY(multinomial_fold(out, fit));
    multinomial_deviances(out, fit, count);
    *found = wald_is_finite(out);
    return SEPAL_OK;
}

sepal_status wald_multinomial(struct summary **out, const struct wald *wald) {
    size_t p = wald->terms->n, classes = wald->linear->rows;
    struct multinomial fit = {
        .d = {.given = wald, .n = wald->data->matrix.rows, .p = p, .width = p},
        .classes = classes,
        .steps = {.before = INFINITY},
    };
    struct summary *made;
    bool found = false, few = false;
    *out = NULL;
    TRY(summary_new(&made, wald->ctx, SUMMARY_WALD, classes - 1, p));
    sepal_status status = multinomial_into(made, &found, &few, &fit);
    if (status == SEPAL_OK && found) {
        *out = made;
        return SEPAL_OK;
    }
    summary_free(made);
    return status == SEPAL_OK ? wald_explain(out, wald, few, &fit.steps) : status;
}
