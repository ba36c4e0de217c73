/* What the choice of a solver looks at: the shape of the data, and how hard the objective is there. */
#include "learners/convex.h"

#include "core/alloc.h"

#include <math.h>
#include <string.h>

/* |x_i - x_j|^2 of rows that are both sparse or both dense. */
static double square_distance(const struct objective *o, size_t i, size_t j) {
    size_t rows[2] = {i, j}, local[2], at[2] = {0, 0}, column[2];
    const struct block *block[2];
    double value[2], sum = 0;
    bool left[2];
    for (int k = 0; k < 2; k++) {
        block[k] = matrix_block_of(&o->rows, rows[k], &local[k]);
        left[k] = row_next(block[k], local[k], o->cols, &at[k], &column[k], &value[k]);
    }
    while (left[0] || left[1]) {
        bool first = left[0] && (!left[1] || column[0] <= column[1]);
        bool second = left[1] && (!left[0] || column[1] <= column[0]);
        double x = (first ? value[0] : 0) - (second ? value[1] : 0);
        sum += x * x;
        if (first) left[0] = row_next(block[0], local[0], o->cols, &at[0], &column[0], &value[0]);
        if (second) left[1] = row_next(block[1], local[1], o->cols, &at[1], &column[1], &value[1]);
    }
    return sum;
}

/* How much one row can move its own score: C |x|^2, the mean over some rows. With a free bias that of
   rows less their mean, which is half that of differences: it is the same wherever the origin lies. */
static double mean_row_curvature(const struct objective *o) {
    enum { LOOKED_AT = 64 };
    size_t step = o->n / LOOKED_AT + 1, looked = 0;
    double sum = 0;
    for (size_t i = 0; i < o->n; i += step, looked++) {
        size_t local;
        const struct block *block = matrix_block_of(&o->rows, i, &local);
        double square = o->bias == BIAS_FREE ? square_distance(o, i, (i + o->n / 2) % o->n) / 2
                                             : row_square_norm(block, local, o->cols);
        sum += o->row_weight[i] / o->l2 * square;
    }
    return sum / (double)looked;
}

/* ---- how rows differ ---------------------------------------------------------------------------- */

/* Some rows, and their products with each other. */
enum { LOOKED_AT = 12, PAIRS = LOOKED_AT / 2 };
struct row_products {
    double of[LOOKED_AT][LOOKED_AT];
};

static sepal_status row_products(struct row_products *out, const struct objective *o) {
    const struct block *block[LOOKED_AT];
    size_t local[LOOKED_AT];
    double *x = mem_alloc(o->ctx, o->cols, sizeof *x);
    if (!x) return SEPAL_EMEMORY;
    memset(x, 0, o->cols * sizeof *x);
    for (size_t a = 0; a < LOOKED_AT; a++)
        block[a] = matrix_block_of(&o->rows, o->n * a / LOOKED_AT, &local[a]);
    for (size_t a = 0; a < LOOKED_AT; a++) {
        row_axpy(o->ctx->kernels, block[a], local[a], o->cols, 1, x);
        for (size_t b = a; b < LOOKED_AT; b++)
            out->of[a][b] = out->of[b][a] =
                row_dot(o->ctx->kernels, block[b], local[b], o->cols, x);
        row_axpy(o->ctx->kernels, block[a], local[a], o->cols, -1, x);
    }
    mem_free(x);
    return SEPAL_OK;
}

/* The product of two differences of rows, x_a - x_(a + PAIRS). */
static double difference_product(const struct row_products *p, size_t a, size_t b) {
    size_t c = a + PAIRS, d = b + PAIRS;
    return p->of[a][b] - p->of[a][d] - p->of[c][b] + p->of[c][d];
}

/* Differences of rows do not depend on the origin. Their cosines tell in how many directions rows differ: of
   isotropic ones E cos^2 is one over the number of columns. */
static void look_at_differences(struct convex_shape *shape, const struct row_products *p,
                                bool free) {
    double cosines = 0, squares = 0, centred = 0;
    size_t pairs = 0;
    for (size_t a = 0; a < LOOKED_AT; a++) squares += p->of[a][a] / LOOKED_AT;
    for (size_t a = 0; a < PAIRS; a++) {
        double own = difference_product(p, a, a);
        centred += own / (2 * PAIRS);
        for (size_t b = 0; b < a; b++, pairs++) {
            double product = difference_product(p, a, b);
            cosines += product * product / (own * difference_product(p, b, b));
        }
    }
    if (!(cosines > 0 && centred > 0)) return; /* equal rows, or numbers out of range */
    shape->directions = fmin((double)pairs / cosines, shape->width);
    shape->off_centre = free ? 1 : fmax(squares / centred, 1);
}

sepal_status convex_shape(struct convex_shape *out, const struct objective *o, size_t classes,
                          double tol) {
    static const double few_rows = 3, curved = 10;
    enum { WIDTH_LEAST = 32 }; /* a Hessian of fewer columns costs next to nothing */
    *out = (struct convex_shape){.rows = (double)o->n,
                                 .width = (double)o->width,
                                 .classes = (double)classes,
                                 .tol = fmin(tol, 1),
                                 .sparse = o->rows.sparse,
                                 .logistic = o->loss == &loss_logistic,
                                 .hinge = o->loss == &loss_hinge};
    out->entries = o->rows.sparse ? (double)o->rows.nonzeros : out->rows * (double)o->cols;
    if (!(o->l2 > 0)) return SEPAL_OK;
    out->curvature = mean_row_curvature(o);
    bool few = out->rows <= few_rows * out->width && out->curvature >= curved;
    if (o->n < LOOKED_AT || !(few || (o->width >= WIDTH_LEAST && o->loss == &loss_squared_hinge)))
        return SEPAL_OK;
    struct row_products products;
    TRY(row_products(&products, o));
    look_at_differences(out, &products, o->bias == BIAS_FREE);
    out->few_rows = few && out->directions > 0;
    return SEPAL_OK;
}
