/* One row at a time is asked for where an answer is due within microseconds, so linear scores of numbers
   that are given as they are, or that each map changes column by column, take no memory but the stack.
   They are the bits of model_predict: the same sums by the same kernels. Everything else is a data
   set of one row, and goes the way of many. */
#include "model/predict_row.h"

#include "data/prepare.h"
#include "linear/calibration.h"
#include "linear/decide.h"
#include "model/decision.h"
#include "model/predict.h"

#include <math.h>

enum { ROW_FUNCTIONS = 256, ROW_COLUMNS = 2048 };

/* ---- from scores to an answer ------------------------------------------------------------- */

static sepal_status answer(int32_t *out, double *shown, const sepal_model *model,
                           const double *scores) {
    const struct linear *linear = &model->linear;
    double p[ROW_FUNCTIONS + 1]; /* K is at most R + 1 */
    struct predict_options options = kept_rule_options(&model->kept_rule);
    const struct decision *decision = decision_table[options.decide];
    if (shown) linear_show(linear, scores, shown);
    if (!out) return SEPAL_OK;
    bool open = options.ambiguous == AMBIGUOUS_UNDECIDED;
    *out = -1;
    if (open && linear_region(linear, scores) != REGION_CLEAR) return SEPAL_OK;
    if (linear->calibration) {
        calibration_inputs(linear, linear->calibration->kind, scores, p);
        calibration_probabilities(linear->calibration, NULL, p);
    } else if (linear->link != LINK_NONE && (decision->probabilities || !isnan(options.cutoff))) {
        linear_probabilities(linear, scores, p);
    }
    struct decision_input in = {linear, scores, p, options.cutoff, 1, 0};
    *out = decision->decide(&in);
    return SEPAL_OK;
}

/* A class that is drawn needs a seed and the number of the row. */
static bool draws(const sepal_model *model) {
    return model->kept_rule.decide == DECIDE_soft;
}

/* There is no one class to answer with. */
static bool has_no_class(const sepal_model *model) {
    return draws(model) || model->linear.strategy->sets;
}

/* ---- by way of a data set ----------------------------------------------------------------- */

/* `missing`: how many of the cells of a coded row are; SIZE_MAX: it has none, it has numbers alone. */
static sepal_status predict_block_of_one(int32_t *out, double *shown, const sepal_model *model,
                                         struct block *block, size_t cols, size_t missing) {
    sepal_ctx ctx = {
        .root = &ctx, .seed = 1, .threads = 1, .kernels = model->kernels, .blas = model->blas};
    sepal_data data = {.schema = model->schema,
                       .coded = missing != SIZE_MAX,
                       .missing = missing != SIZE_MAX ? missing : 0,
                       .matrix = {.rows = 1,
                                  .cols = cols,
                                  .block_rows = matrix_block_rows(cols),
                                  .n_blocks = 1,
                                  .sparse = block->sparse,
                                  .blocks = block}};
    struct decision_rule rule = {.options = kept_rule_options(&model->kept_rule)};
    struct predictions predictions = {.n = 1, .classes = out, .shown = shown};
    struct prepared prepared;
    sepal_status status = prepare_rows(&prepared, &ctx, model->schema, &data, 0, 1);
    if (status == SEPAL_OK)
        status = model_predict(&predictions, &ctx, model, &prepared.rows, &rule);
    prepared_clear(&prepared);
    sepal_ctx_clear_warnings(&ctx);
    return status;
}

/* ---- on the stack ------------------------------------------------------------------------- */

/* Scores are linear functions of the columns, each of which comes of one number given. */
static bool is_plain(const sepal_model *model) {
    const struct linear *linear = &model->linear;
    return !density_is_quadratic(linear->density) && !linear->bits &&
           linear->rows <= ROW_FUNCTIONS && map_chain_affine_tail(&model->chain) == model->chain.n;
}

/* Whether the cells can be a row of the model's features, and how many of them are missing. */
static bool look_at_cells(size_t *missing, const struct schema *schema, const double *x, size_t n) {
    *missing = 0;
    for (size_t j = 0; j < n; j++) {
        const struct column *column = schema->family == FAMILY_TABLE ? &schema->columns[j] : NULL;
        if (isnan(x[j])) {
            if (schema->missing == MISSING_REFUSE) return false;
            ++*missing;
        } else if (isinf(x[j])) {
            return false;
        } else if (column && column->text) {
            bool known = x[j] >= 0 && x[j] < (double)column->n_categories && x[j] == floor(x[j]);
            if (!known && x[j] != UNKNOWN_CATEGORY) return false;
        }
    }
    return true;
}

/* Features are not one column each: they have categories, or a column that tells what is missing. */
static bool has_codes(const struct schema *schema) {
    for (size_t j = 0; j < schema->n_columns && schema->family == FAMILY_TABLE; j++)
        if (schema->columns[j].text || schema->columns[j].indicator) return true;
    return false;
}

static bool are_finite(const double *scores, size_t n) {
    for (size_t r = 0; r < n; r++)
        if (!isfinite(scores[r])) return false;
    return true;
}

sepal_status model_predict_row(int32_t *out, double *shown, const sepal_model *model,
                               const double *x, size_t n) {
    const struct linear *linear = &model->linear;
    const struct map_chain *chain = &model->chain;
    double phi[ROW_COLUMNS], scores[ROW_FUNCTIONS];
    size_t missing;
    if (n != schema_features(model->schema) || !look_at_cells(&missing, model->schema, x, n))
        return SEPAL_EDATA;
    if (out && has_no_class(model)) return SEPAL_EMODEL;
    bool mapped = !map_chain_is_identity(chain), coded = missing || has_codes(model->schema);
    if (coded || !is_plain(model) || (mapped && n > ROW_COLUMNS)) {
        struct block block = {.rows = 1, .values = VALUES_F64, .f64 = (double *)(uintptr_t)x};
        return predict_block_of_one(out, shown, model, &block, n, coded ? missing : SIZE_MAX);
    }
    if (mapped) {
        map_chain_affine_row(phi, chain, x, n);
        x = phi;
    }
    for (size_t r = 0; r < linear->rows; r++) {
        const double *w = linear->w + r * n;
        scores[r] = linear->b[r] + (linear->centre
                                        ? model->kernels->dot_centred_f64(x, linear->centre, w, n)
                                        : model->kernels->dot_f64(x, w, n));
    }
    if (!are_finite(scores, linear->rows)) return SEPAL_EDATA;
    return answer(out, shown, model, scores);
}

static bool indices_are_sound(const int32_t *index, const double *x, size_t n, size_t cols) {
    for (size_t e = 0; e < n; e++) {
        if (index[e] < 0 || (size_t)index[e] >= cols || !isfinite(x[e])) return false;
        if (e > 0 && index[e - 1] >= index[e]) return false;
    }
    return true;
}

sepal_status model_predict_sparse_row(int32_t *out, double *shown, const sepal_model *model,
                                      const int32_t *index, const double *x, size_t n) {
    const struct linear *linear = &model->linear;
    double phi[ROW_COLUMNS], scores[ROW_FUNCTIONS];
    size_t cols = model->schema->width, start[] = {0, n};
    if (has_codes(model->schema))
        return SEPAL_EDATA; /* which 0 is a category, and which is none? */
    if (!indices_are_sound(index, x, n, cols)) return SEPAL_EDATA;
    if (out && has_no_class(model)) return SEPAL_EMODEL;
    bool mapped = !map_chain_is_identity(&model->chain);
    uint32_t *columns = (uint32_t *)(uintptr_t)index; /* the same bits: none is negative */
    if (!is_plain(model) || (mapped && n > ROW_COLUMNS)) {
        struct block block = {.rows = 1,
                              .sparse = true,
                              .values = VALUES_F64,
                              .start = start,
                              .index = columns,
                              .f64 = (double *)(uintptr_t)x};
        return predict_block_of_one(out, shown, model, &block, cols, SIZE_MAX);
    }
    if (mapped) {
        map_chain_affine_entries(phi, &model->chain, columns, x, n);
        x = phi;
    }
    for (size_t r = 0; r < linear->rows; r++)
        scores[r] =
            model->row_bias[r] + model->kernels->gather_f64(x, columns, linear->w + r * cols, n);
    if (!are_finite(scores, linear->rows)) return SEPAL_EDATA;
    return answer(out, shown, model, scores);
}
