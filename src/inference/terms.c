#include "inference/terms.h"

/* Whether the columns of phi are those of x, in other units at most. */
static bool columns_are_inputs(const struct map_chain *chain, const struct schema *schema) {
    return schema->family == FAMILY_TABLE && map_chain_affine_tail(chain) == chain->n;
}

/* Without an intercept the first text column keeps all its categories, as in glm; they take its place. If
   a map shifts them they sum to 0 instead of 1, and one can be left out for nothing. */
static bool keeps_first(const struct terms *terms, const struct map_chain *chain,
                        const struct column *column, bool taken) {
    double shift, divisor;
    if (terms->intercept || taken) return false;
    for (size_t k = 0; k < column->n_categories; k++) {
        map_chain_fold(chain, column->first + k, &shift, &divisor);
        if (shift != 0) return false;
    }
    return true;
}

static void add_categories(struct terms *terms, const struct column *column, bool whole) {
    if (!whole) terms->left[terms->n_left++] = column->first;
    for (size_t k = whole ? 0 : 1; k < column->n_categories; k++)
        terms->list[terms->n++] = (struct term){.column = column->first + k,
                                                .against = whole ? NO_COLUMN : column->first,
                                                .rest = whole};
    if (column->indicator)
        terms->list[terms->n++] =
            (struct term){.column = column->first + column->n_categories, .against = NO_COLUMN};
}

sepal_status terms_make(struct terms *out, sepal_ctx *ctx, struct arena *arena,
                        const struct schema *schema, const struct map_chain *chain, size_t cols,
                        bool intercept) {
    bool inputs = columns_are_inputs(chain, schema), taken = false;
    *out = (struct terms){.intercept = intercept};
    out->list = arena_alloc(ctx, arena, cols + 1, sizeof *out->list);
    out->left = arena_alloc(ctx, arena, schema->n_columns, sizeof *out->left);
    if (!out->list || !out->left) return SEPAL_EMEMORY;
    if (intercept)
        out->list[out->n++] =
            (struct term){.column = NO_COLUMN, .against = NO_COLUMN, .rest = true};
    size_t next = 0; /* the first column that no term has been made of */
    for (size_t i = 0; inputs && i < schema->n_columns; i++) {
        const struct column *column = &schema->columns[i];
        if (!column->text || column->n_categories == 0) continue;
        for (; next < column->first; next++)
            out->list[out->n++] = (struct term){.column = next, .against = NO_COLUMN};
        bool whole = keeps_first(out, chain, column, taken);
        add_categories(out, column, whole);
        taken = taken || whole;
        next = column->first + column->n_categories + column->indicator;
    }
    for (; next < cols; next++)
        out->list[out->n++] = (struct term){.column = next, .against = NO_COLUMN};
    return SEPAL_OK;
}

/* The coefficient of column j in the user's units. */
static double folded(const struct map_chain *chain, const struct linear *linear, size_t r,
                     size_t j) {
    double shift, divisor;
    map_chain_fold(chain, j, &shift, &divisor);
    return linear->w[r * linear->cols + j] / divisor;
}

static double folded_bias(const struct map_chain *chain, const struct linear *linear, size_t r) {
    double bias = linear->b[r], shift, divisor;
    for (size_t j = 0; j < linear->cols; j++) {
        map_chain_fold(chain, j, &shift, &divisor);
        double centre = linear->centre ? linear->centre[j] : 0;
        bias -= linear->w[r * linear->cols + j] / divisor * (shift + divisor * centre);
    }
    return bias;
}

/* Those of score function r, times `sign`, are added. */
static void add_estimates(double *out, const struct terms *terms, const struct map_chain *chain,
                          const struct linear *linear, size_t r, double sign) {
    double rest = 0;
    for (size_t i = 0; i < terms->n_left; i++) rest += folded(chain, linear, r, terms->left[i]);
    for (size_t t = 0; t < terms->n; t++) {
        const struct term *term = &terms->list[t];
        double value = term->column == NO_COLUMN ? folded_bias(chain, linear, r)
                                                 : folded(chain, linear, r, term->column);
        if (term->against != NO_COLUMN) value -= folded(chain, linear, r, term->against);
        if (term->rest) value += rest;
        out[t] += sign * value;
    }
}

size_t terms_functions(const struct terms *terms, const struct linear *linear) {
    return linear->rows - (terms->contrast ? 1 : 0);
}

void terms_estimates(double *out, const struct terms *terms, const struct map_chain *chain,
                     const struct linear *linear, size_t f) {
    for (size_t t = 0; t < terms->n; t++) out[t] = 0;
    add_estimates(out, terms, chain, linear, terms->contrast ? f + 1 : f, 1);
    if (terms->contrast) add_estimates(out, terms, chain, linear, 0, -1);
}
