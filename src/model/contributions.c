#include "model/contributions.h"

#include "core/alloc.h"
#include "exact/partial_sums.h"
#include "kernels/blas.h"
#include "model/predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_SCORE, NUMBER_BASELINE, NUMBER_TERMS };

/* ---- what there is ------------------------------------------------------------------------ */

/* Columns of phi are those of the rows, each in units of its own. */
static bool is_columnwise(const sepal_model *model) {
    return map_chain_affine_tail(&model->chain) == model->chain.n;
}

static size_t count_features(const sepal_model *model) {
    return is_columnwise(model) ? schema_features(model->schema) : model->linear.cols;
}

static bool has_products(const sepal_model *model) {
    const struct density *density = model->linear.density;
    return density_is_quadratic(density) && density->kind == DENSITY_FULL;
}

static size_t count_pairs(size_t n) {
    return n % 2 ? n * ((n - 1) / 2) : (n / 2) * (n > 0 ? n - 1 : 0);
}

size_t contributions_terms(const sepal_model *model) {
    size_t features = count_features(model);
    return features + (has_products(model) ? count_pairs(features) : 0);
}

size_t contributions_width(const sepal_model *model) {
    return NUMBER_TERMS + contributions_terms(model) + 1;
}

/* The last map that changes something standardises: phi is 0 at the mean. */
static bool ends_standardised(const struct map_chain *chain) {
    size_t m = chain->n, first = chain->n - map_chain_affine_tail(chain);
    while (m > first && !chain->maps[m - 1].numbers) m--;
    return m > first && chain->maps[m - 1].map->deviations;
}

/* Whether the model has the mean of all training rows: of sparse rows it has those of some columns alone, and 0
   for the others; of ovo that of two classes. A column without weights may have any. */
static bool has_mean(const struct linear *linear) {
    size_t sides[2];
    linear->strategy->sides(0, linear->classes, sides);
    if (!linear->centre || (linear->classes > 2 && sides[0] != ALL_OTHERS)) return false;
    for (size_t j = 0; j < linear->cols; j++)
        for (size_t r = 0; r < linear->rows && linear->centre[j] == 0; r++)
            if (linear->w[r * linear->cols + j] != 0) return false;
    return true;
}

enum reference contributions_reference(const sepal_model *model) {
    if (model->linear.bits) return REFERENCE_ZERO;
    return ends_standardised(&model->chain) || has_mean(&model->linear) ? REFERENCE_MEAN
                                                                        : REFERENCE_ZERO;
}

/* ---- names -------------------------------------------------------------------------------- */

static void feature_name(sepal_ctx *ctx, struct text *out, const sepal_model *model, size_t g) {
    const struct schema *schema = model->schema;
    if (is_columnwise(model) && schema->family == FAMILY_TABLE)
        text_puts(ctx, out, schema->columns[g].name);
    else
        model_column_name(ctx, out, model, g);
}

/* In brackets if it is a product or a power itself. */
static void factor_name(sepal_ctx *ctx, struct text *out, const sepal_model *model, size_t g) {
    struct text name = {0};
    feature_name(ctx, &name, model, g);
    bool composed = name.bytes && strpbrk(name.bytes, "*^");
    text_printf(ctx, out, composed ? "(%s)" : "%s", name.bytes ? name.bytes : "");
    out->failed = out->failed || name.failed;
    text_clear(&name);
}

/* Products come after the features: of the first with each later one, of the second, ... */
static size_t product_term(size_t features, size_t g, size_t h) {
    return features + count_pairs(features) - count_pairs(features - g) + h - g - 1;
}

static void product_name(sepal_ctx *ctx, struct text *out, const sepal_model *model, size_t term) {
    size_t features = count_features(model), g = 0;
    while (g + 2 < features && product_term(features, g + 1, g + 2) <= term) g++;
    factor_name(ctx, out, model, g);
    text_puts(ctx, out, "*");
    factor_name(ctx, out, model, g + 1 + term - product_term(features, g, g + 1));
}

void contributions_name(sepal_ctx *ctx, struct text *out, const sepal_model *model, size_t j) {
    static const char *const at[] = {"training mean", "zero"};
    size_t terms = contributions_terms(model);
    if (j == NUMBER_SCORE)
        text_puts(ctx, out, "score");
    else if (j == NUMBER_BASELINE)
        text_printf(ctx, out, "baseline (%s)", at[contributions_reference(model)]);
    else if (j == NUMBER_TERMS + terms)
        text_puts(ctx, out, "rounding");
    else if (j - NUMBER_TERMS < count_features(model))
        feature_name(ctx, out, model, j - NUMBER_TERMS);
    else
        product_name(ctx, out, model, j - NUMBER_TERMS);
}

/* ---- the functions about the row of reference ---------------------------------------------- */

/* The columns of one feature; none where each column is one. */
static sepal_status group_columns(struct contributions *all, sepal_ctx *ctx) {
    const struct schema *schema = all->model->schema;
    size_t cols = all->model->linear.cols;
    if (all->features == cols) return SEPAL_OK;
    all->term_of = mem_alloc(ctx, cols, sizeof *all->term_of);
    if (!all->term_of) return SEPAL_EMEMORY;
    for (size_t g = 0; g < schema->n_columns; g++) {
        size_t end = g + 1 < schema->n_columns ? schema->columns[g + 1].first : cols;
        for (size_t j = schema->columns[g].first; j < end; j++) all->term_of[j] = g;
    }
    return SEPAL_OK;
}

/* phi of the row of reference. */
static void set_reference(struct contributions *all) {
    const sepal_model *model = all->model;
    const struct linear *linear = &model->linear;
    bool mean = has_mean(linear);
    if (linear->bits || ends_standardised(&model->chain)) return; /* it is 0 */
    for (size_t j = 0; j < linear->cols; j++) {
        double shift, divisor;
        map_chain_fold(&model->chain, j, &shift, &divisor);
        all->reference[j] = mean ? linear->centre[j] : -shift / divisor + 0.0;
    }
}

static void open_linear(struct contributions *all) {
    const struct linear *linear = &all->model->linear;
    size_t cols = linear->cols;
    memcpy(all->slope, linear->w, linear->rows * cols * sizeof *all->slope);
    for (size_t r = 0; r < linear->rows; r++) {
        all->baseline[r] = linear->b[r];
        for (size_t j = 0; j < cols; j++)
            all->baseline[r] += linear->w[r * cols + j] *
                                (all->reference[j] - (linear->centre ? linear->centre[j] : 0));
    }
}

/* += sign times the inverse of the covariance of a form; `room` has cols x cols numbers. */
static void add_curve(struct contributions *all, const struct blas *blas, size_t r, size_t form,
                      double sign, double *room) {
    const struct density *density = all->model->linear.density;
    size_t cols = density->cols;
    if (!all->full) {
        double *curve = all->curve + r * cols;
        for (size_t j = 0; j < cols; j++) {
            double sd = density->root[density->kind == DENSITY_DIAGONAL ? form * cols + j : form];
            curve[j] += sign / (sd * sd);
        }
        return;
    }
    double *curve = all->curve + r * cols * cols;
    memset(room, 0, cols * cols * sizeof *room);
    for (size_t j = 0; j < cols; j++) room[j * cols + j] = 1;
    blas->cholesky_solve(cols, density->root + form * cols * cols, cols, cols, room, cols);
    for (size_t i = 0; i < cols * cols; i++) curve[i] += sign * room[i];
}

static sepal_status open_quadratic(struct contributions *all, sepal_ctx *ctx) {
    const struct linear *linear = &all->model->linear;
    const struct density *density = linear->density;
    size_t cols = linear->cols, forms = density->forms, square = all->full ? cols * cols : cols;
    double *logs = mem_alloc(ctx, forms, (cols + 1) * sizeof *logs);
    double *room = mem_alloc(ctx, square, sizeof *room);
    all->curve = mem_zero(ctx, linear->rows, square * sizeof *all->curve);
    sepal_status status = logs && room && all->curve ? SEPAL_OK : SEPAL_EMEMORY;
    for (size_t j = 0; status == SEPAL_OK && j < cols; j++)
        room[j] = all->reference[j] - (linear->centre ? linear->centre[j] : 0);
    if (status == SEPAL_OK) density_tangent(logs, logs + forms, density, room, ctx->blas);
    for (size_t r = 0; r < linear->rows && status == SEPAL_OK; r++) {
        size_t first = forms == linear->rows ? r : 2 * r,
               last = forms == linear->rows ? r : first + 1;
        all->baseline[r] = linear->b[r];
        for (size_t form = first; form <= last; form++) {
            double sign = form == last ? 1 : -1;
            all->baseline[r] += sign * logs[form];
            for (size_t j = 0; j < cols; j++)
                all->slope[r * cols + j] += sign * logs[forms + form * cols + j];
            add_curve(all, ctx->blas, r, form, sign, room);
        }
    }
    mem_free(logs);
    mem_free(room);
    return status;
}

sepal_status contributions_open(struct contributions *out, sepal_ctx *ctx,
                                const sepal_model *model) {
    const struct linear *linear = &model->linear;
    *out = (struct contributions){.model = model,
                                  .features = count_features(model),
                                  .terms = contributions_terms(model),
                                  .full = has_products(model)};
    out->width = contributions_width(model);
    out->reference = mem_zero(ctx, linear->cols, sizeof *out->reference);
    out->baseline = mem_zero(ctx, linear->rows, sizeof *out->baseline);
    out->slope = mem_zero(ctx, linear->rows, linear->cols * sizeof *out->slope);
    if (!out->reference || !out->baseline || !out->slope) return SEPAL_EMEMORY;
    TRY(group_columns(out, ctx));
    set_reference(out);
    if (density_is_quadratic(linear->density)) return open_quadratic(out, ctx);
    open_linear(out);
    return SEPAL_OK;
}

void contributions_close(struct contributions *all) {
    mem_free(all->term_of);
    mem_free(all->reference);
    mem_free(all->baseline);
    mem_free(all->slope);
    mem_free(all->curve);
    *all = (struct contributions){0};
}

/* ---- exactness ---------------------------------------------------------------------------- */

static double sum_with(struct partial_sums *sum, const double *terms, size_t n, double last) {
    partial_sums_clear(sum);
    partial_sums_add(sum, last);
    for (size_t t = 0; t < n; t++)
        if (terms[t] != 0) partial_sums_add(sum, terms[t]);
    return partial_sums_value(sum);
}

static int by_size(const void *a, const void *b) {
    double x = fabs(**(double *const *)a), y = fabs(**(double *const *)b);
    return (x < y) - (x > y);
}

/* All terms are multiples of a unit in the last place of the least: taking the sum off one after the other,
   the greatest first, leaves 0. */
static sepal_status balance(struct partial_sums *sum, sepal_ctx *ctx, double *terms, size_t n) {
    double **order = mem_alloc(ctx, n, sizeof *order), excess;
    size_t some = 0;
    if (!order) return SEPAL_EMEMORY;
    for (size_t t = 0; t < n; t++)
        if (terms[t] != 0) order[some++] = &terms[t];
    qsort(order, some, sizeof *order, by_size);
    sum_with(sum, terms, n, 0);
    for (size_t t = 0; t < some && (excess = partial_sums_value(sum)) != 0; t++) {
        double moved = *order[t] - excess;
        partial_sums_add(sum, moved);
        partial_sums_add(sum, -*order[t]);
        *order[t] = moved;
    }
    mem_free(order);
    return SEPAL_OK;
}

sepal_status contributions_settle(double *rounding, sepal_ctx *ctx, double *terms, size_t n,
                                  double score) {
    struct partial_sums sum;
    *rounding = -sum_with(&sum, terms, n, -score) + 0.0;
    if (*rounding == 0 || sum_with(&sum, terms, n, *rounding) == score) return SEPAL_OK;
    TRY(balance(&sum, ctx, terms, n));
    partial_sums_add(&sum, -score);
    *rounding = -partial_sums_value(&sum);
    return SEPAL_OK;
}

/* ---- one row ------------------------------------------------------------------------------ */

static void add_linear(double *terms, const struct contributions *all, size_t r,
                       const double *row) {
    size_t cols = all->model->linear.cols;
    const double *w = all->slope + r * cols;
    for (size_t j = 0; j < cols; j++)
        if (row[j] != 0) terms[all->term_of ? all->term_of[j] : j] += w[j] * row[j];
}

/* What depends on one feature, -1/2 h_jj x_j^2, and the products -h_ij x_i x_j. */
static void add_quadratic(double *terms, const struct contributions *all, size_t r,
                          const double *row) {
    size_t cols = all->model->linear.cols;
    for (size_t i = 0; i < cols; i++) {
        size_t g = all->term_of ? all->term_of[i] : i;
        const double *curve = all->curve + (all->full ? (r * cols + i) * cols : r * cols);
        if (row[i] == 0) continue;
        terms[g] -= 0.5 * curve[i] * row[i] * row[i];
        for (size_t j = i + 1; j < cols && all->full; j++) {
            size_t h = all->term_of ? all->term_of[j] : j;
            terms[g == h ? g : product_term(all->features, g, h)] -= curve[j] * row[i] * row[j];
        }
    }
}

/* What changed priors have added to the score of function r. */
static double shift_of(const struct linear *linear, const double *shift, size_t r) {
    if (!shift) return 0;
    return linear->classes == 2 ? shift[1] - shift[0] : shift[r];
}

sepal_status contributions_row(double *out, sepal_ctx *ctx, const struct contributions *all,
                               const struct block *block, size_t i, const double *scores,
                               const double *shift, double *room) {
    const struct linear *linear = &all->model->linear;
    block_dense(block, i, 1, linear->cols, all->reference, NULL, room, linear->cols);
    for (size_t j = 0; j < linear->cols && linear->bits; j++) room[j] = room[j] > 0;
    for (size_t r = 0; r < linear->rows; r++, out += all->width) {
        double *terms = out + NUMBER_TERMS;
        memset(terms, 0, all->terms * sizeof *terms);
        out[NUMBER_SCORE] = scores[r];
        out[NUMBER_BASELINE] = all->baseline[r] + shift_of(linear, shift, r);
        add_linear(terms, all, r, room);
        if (all->curve) add_quadratic(terms, all, r, room);
        TRY(contributions_settle(&terms[all->terms], ctx, out + NUMBER_BASELINE, all->terms + 1,
                                 scores[r]));
        if (!isfinite(terms[all->terms]))
            return fail(ctx, SEPAL_EDATA,
                        "a contribution to the score of row %zu is beyond the range of a double; "
                        "its values are too large for this model",
                        row_number(block, i) + 1);
    }
    return SEPAL_OK;
}
