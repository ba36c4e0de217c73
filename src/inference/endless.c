/* Weights that grow without end: which columns do. A column by itself is behind it if the values of one
   class are nowhere above those of the other ("quasi-complete separation" where they touch; Albert and
   Anderson, "On the existence of maximum likelihood estimates in logistic regression models", Biometrika
   71, 1984). If none is, several are together, and those whose weights have grown to matter most are
   named. */
#include "inference/wald.h"

#include "core/alloc.h"

#include <math.h>

/* Most columns that are named where they are behind it together, and the least share of the largest. */
enum { ENDLESS_MOST = 5 };
static const double ENDLESS_SHARE = 0.1;

struct extent {
    double low[2], high[2]; /* of each class */
};

static sepal_status measure_columns(struct extent *extent, const struct wald *wald) {
    const struct matrix *x = &wald->data->matrix;
    double *row = mem_alloc(wald->ctx, x->cols, sizeof *row);
    if (!row) return SEPAL_EMEMORY;
    for (size_t j = 0; j < x->cols; j++)
        extent[j] = (struct extent){{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    struct block_iterator blocks = {.matrix = x};
    for (const struct block *block; (block = block_next(&blocks));)
        for (size_t i = 0; i < block->rows; i++) {
            bool second = wald->data->label[block->first_row + i] == 1;
            block_dense(block, i, 1, x->cols, NULL, NULL, row, x->cols);
            for (size_t j = 0; j < x->cols; j++) {
                extent[j].low[second] = fmin(extent[j].low[second], row[j]);
                extent[j].high[second] = fmax(extent[j].high[second], row[j]);
            }
        }
    mem_free(row);
    return SEPAL_OK;
}

/* Without an intercept the classes have to be on either side of 0. */
static bool separates_alone(const struct extent *e, bool intercept) {
    bool differs = e->low[0] != e->high[0] || e->low[1] != e->high[1] || e->low[0] != e->low[1];
    for (int up = 0; up < 2; up++) {
        double below = e->high[!up], above = e->low[up];
        if (intercept && differs && below <= above) return true;
        if (!intercept && below <= 0 && above >= 0 && (e->low[!up] < 0 || e->high[up] > 0))
            return true;
    }
    return false;
}

/* How much of the scores' range the column makes. */
static double endless_effect(const struct wald *wald, const struct extent *e, size_t j) {
    double range = fmax(e->high[0], e->high[1]) - fmin(e->low[0], e->low[1]);
    return fabs(wald->linear->w[j]) * range;
}

/* The columns of the largest effects, in the order of the columns. */
static size_t most_effective(size_t *list, const struct wald *wald, const struct extent *extent,
                             size_t cols) {
    double largest = 0, least;
    size_t n = 0;
    for (size_t j = 0; j < cols; j++) largest = fmax(largest, endless_effect(wald, &extent[j], j));
    least = ENDLESS_SHARE * largest;
    for (size_t j = 0; j < cols; j++) {
        if (!(endless_effect(wald, &extent[j], j) >= least)) continue;
        list[n++] = j;
        if (n <= ENDLESS_MOST) continue;
        size_t weakest = 0;
        for (size_t i = 1; i < n; i++)
            if (endless_effect(wald, &extent[list[i]], list[i]) <
                endless_effect(wald, &extent[list[weakest]], list[weakest]))
                weakest = i;
        for (size_t i = weakest; i + 1 < n; i++) list[i] = list[i + 1];
        n--;
    }
    return n;
}

sepal_status wald_endless(struct summary **out, const struct wald *wald, enum summary_state state) {
    size_t cols = wald->data->matrix.cols, n = 0;
    struct extent *extent = arena_alloc(wald->ctx, wald->arena, cols, sizeof *extent);
    size_t *list = arena_alloc(wald->ctx, wald->arena, cols + 1, sizeof *list);
    *out = NULL;
    if (!extent || !list) return SEPAL_EMEMORY;
    TRY(measure_columns(extent, wald));
    for (size_t j = 0; j < cols; j++)
        if (separates_alone(&extent[j], wald->terms->intercept)) list[n++] = j;
    bool alone = n > 0;
    if (!alone) n = most_effective(list, wald, extent, cols);
    struct summary *made;
    TRY(summary_new(&made, wald->ctx, state, 1, wald->terms->n));
    made->alone = alone;
    sepal_status status = summary_set_columns(made, wald->ctx, list, n);
    if (status == SEPAL_OK)
        *out = made;
    else
        summary_free(made);
    return status;
}
