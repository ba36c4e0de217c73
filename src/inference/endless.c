/* Weights that grow without end: which columns do. A column by itself is behind it if the values of one
   class, or of some, are nowhere above those of the others ("quasi-complete separation" where they
   touch; Albert and Anderson, "On the existence of maximum likelihood estimates in logistic regression
   models", Biometrika 71, 1984). If none is, several are together, and those whose weights have grown to
   matter most are named. */
#include "inference/wald.h"

#include "core/alloc.h"

#include <math.h>

/* Most columns that are named where they are behind it together, and the least share of the largest. */
enum { ENDLESS_MOST = 5 };
static const double ENDLESS_SHARE = 0.1;

/* Of a column in the rows of one class. */
struct extent {
    double low, high;
};

static size_t endless_classes(const struct wald *wald) {
    return wald->linear->classes;
}

/* Column by column, the classes of each side by side. */
static sepal_status measure_columns(struct extent *extent, const struct wald *wald) {
    const struct matrix *x = &wald->data->matrix;
    size_t classes = endless_classes(wald);
    double *row = mem_alloc(wald->ctx, x->cols, sizeof *row);
    if (!row) return SEPAL_EMEMORY;
    for (size_t j = 0; j < x->cols * classes; j++) extent[j] = (struct extent){INFINITY, -INFINITY};
    struct block_iterator blocks = {.matrix = x};
    for (const struct block *block; (block = block_next(&blocks));)
        for (size_t i = 0; i < block->rows; i++) {
            struct extent *own = extent + wald->data->label[block->first_row + i];
            block_dense(block, i, 1, x->cols, NULL, NULL, row, x->cols);
            for (size_t j = 0; j < x->cols; j++, own += classes) {
                own->low = fmin(own->low, row[j]);
                own->high = fmax(own->high, row[j]);
            }
        }
    mem_free(row);
    return SEPAL_OK;
}

/* Whether each class is wholly on one side of `cut`, with some class on either, and not all on itself. Those
   that are on itself can be counted on any side. */
static bool separates_at(const struct extent *e, size_t classes, double cut) {
    size_t below = 0, above = 0, on = 0;
    for (size_t k = 0; k < classes; k++) {
        if (e[k].low > e[k].high) continue; /* no rows */
        if (e[k].low == cut && e[k].high == cut)
            on++;
        else if (e[k].high <= cut)
            below++;
        else if (e[k].low >= cut)
            above++;
        else
            return false;
    }
    return below + above > 0 && (below > 0 || on > 0) && (above > 0 || on > 0);
}

/* The best lines of the classes in one column meet at such a cut. Without an intercept it is 0. */
static bool separates_alone(const struct extent *e, size_t classes, bool intercept) {
    if (!intercept) return separates_at(e, classes, 0);
    for (size_t k = 0; k < classes; k++)
        if (e[k].low <= e[k].high && separates_at(e, classes, e[k].high)) return true;
    return false;
}

/* How much of the scores' range the column makes; of several functions, of their differences. */
static double endless_effect(const struct wald *wald, const struct extent *extent, size_t j) {
    const struct linear *linear = wald->linear;
    size_t classes = endless_classes(wald);
    const struct extent *e = extent + j * classes;
    double low = e[0].low, high = e[0].high, least = linear->rows > 1 ? INFINITY : 0,
           most = linear->rows > 1 ? -INFINITY : 0;
    for (size_t k = 1; k < classes; k++) {
        low = fmin(low, e[k].low);
        high = fmax(high, e[k].high);
    }
    for (size_t r = 0; r < linear->rows; r++) {
        least = fmin(least, linear->w[r * linear->cols + j]);
        most = fmax(most, linear->w[r * linear->cols + j]);
    }
    return (most - least) * (high - low);
}

/* The columns of the largest effects, in the order of the columns. */
static size_t most_effective(size_t *list, const struct wald *wald, const struct extent *extent,
                             size_t cols) {
    double largest = 0, least;
    size_t n = 0;
    for (size_t j = 0; j < cols; j++) largest = fmax(largest, endless_effect(wald, extent, j));
    least = ENDLESS_SHARE * largest;
    for (size_t j = 0; j < cols; j++) {
        if (!(endless_effect(wald, extent, j) >= least)) continue;
        list[n++] = j;
        if (n <= ENDLESS_MOST) continue;
        size_t weakest = 0;
        for (size_t i = 1; i < n; i++)
            if (endless_effect(wald, extent, list[i]) < endless_effect(wald, extent, list[weakest]))
                weakest = i;
        for (size_t i = weakest; i + 1 < n; i++) list[i] = list[i + 1];
        n--;
    }
    return n;
}

sepal_status wald_endless(struct summary **out, const struct wald *wald, enum summary_state state) {
    size_t cols = wald->data->matrix.cols, classes = endless_classes(wald), n = 0;
    struct extent *extent = arena_alloc(wald->ctx, wald->arena, cols, classes * sizeof *extent);
    size_t *list = arena_alloc(wald->ctx, wald->arena, cols + 1, sizeof *list);
    *out = NULL;
    if (!extent || !list) return SEPAL_EMEMORY;
    TRY(measure_columns(extent, wald));
    for (size_t j = 0; j < cols; j++)
        if (separates_alone(extent + j * classes, classes, wald->terms->intercept)) list[n++] = j;
    bool alone = n > 0;
    if (!alone) n = most_effective(list, wald, extent, cols);
    struct summary *made;
    TRY(summary_new(&made, wald->ctx, state, classes - 1, wald->terms->n));
    made->alone = alone;
    sepal_status status = summary_set_columns(made, wald->ctx, list, n);
    if (status == SEPAL_OK)
        *out = made;
    else
        summary_free(made);
    return status;
}
