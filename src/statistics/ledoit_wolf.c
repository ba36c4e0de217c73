/* How far to shrink a covariance towards a multiple of the identity, by O. Ledoit and M. Wolf, "A
   well-conditioned estimator for large-dimensional covariance matrices", J. Multivariate Analysis
   88 (2004). With S = sum w z z' / n, n the sum of the weights, and m the mean of S's diagonal:

       b = (sum w |z|^4 / n - |S|^2) / n       how uncertain S is
       d = |S - m I|^2                         how far it is from the target
       intensity = min(b, d) / d                                                                 */
#include "statistics/scatter.h"

#include "core/alloc.h"

struct fourth {
    const struct scatter_rows *rows;
    bool diagonal;
};

/* Of two rows, z and -z, b is 0: what is left of the difference then is rounding. */
static const double ROUNDING = 1e-12;

double ledoit_wolf_sums(double fourth, double squares, double spread, double weight) {
    double difference = fourth / weight - squares, uncertain = difference / weight;
    if (!(difference > ROUNDING * squares) || !(uncertain > 0) || !(spread > 0)) return 0;
    return uncertain < spread ? uncertain / spread : 1;
}

/* Sums of w |z|^4, or of w z_j^4 over all columns. */
static sepal_status ledoit_wolf_add_range(sepal_ctx *ctx, const struct block *range, double *sum,
                                          void *payload) {
    const struct fourth *all = payload;
    const struct scatter *s = all->rows->s;
    double *z = mem_alloc(ctx, s->x->cols, sizeof *z);
    if (!z) return SEPAL_EMEMORY;
    for (size_t i = range->first_row; i < range->first_row + range->rows; i++) {
        size_t row = all->rows->row ? all->rows->row[i] : i;
        double squares = 0, fourths = 0;
        scatter_fill(all->rows, i, 1, z, s->x->cols);
        for (size_t j = 0; j < s->n; j++) {
            squares += z[j] * z[j];
            fourths += z[j] * z[j] * (z[j] * z[j]);
        }
        *sum += (all->diagonal ? fourths : squares * squares) / scatter_weight(s, row);
    }
    mem_free(z);
    return SEPAL_OK;
}

/* The sums of squares of S and of S - m I. */
static void ledoit_wolf_add_up(double *squares, double *spread, const struct scatter *s,
                               double weight, const double *scatter, bool diagonal) {
    double trace = 0;
    size_t step = diagonal ? 1 : s->n + 1; /* from one diagonal element to the next */
    for (size_t j = 0; j < s->n; j++) trace += scatter[j * step] / weight;
    double mean = trace / (double)s->x->cols;
    *squares = 0;
    *spread = (double)(s->x->cols - s->n) * (mean * mean);
    for (size_t i = 0; i < s->n; i++) {
        double variance = scatter[i * step] / weight;
        *squares += variance * variance;
        *spread += (variance - mean) * (variance - mean);
        for (size_t j = i + 1; !diagonal && j < s->n; j++) {
            double covariance = scatter[i * s->n + j] / weight;
            *squares += 2 * (covariance * covariance);
            *spread += 2 * (covariance * covariance);
        }
    }
}

sepal_status ledoit_wolf(double *out, const struct scatter_rows *rows, size_t n, double weight,
                         const double *scatter, bool diagonal) {
    struct fourth all = {.rows = rows, .diagonal = diagonal};
    double fourth, squares, spread;
    if (rows->s->left) return scatter_lacks(rows->s);
    struct matrix ranges; /* blocks that hold no numbers, only say which rows are theirs */
    TRY(matrix_init(&ranges, rows->s->ctx, n, rows->s->x->cols, false));
    sepal_status status =
        matrix_sum(&fourth, rows->s->ctx, &ranges, 1, ledoit_wolf_add_range, &all);
    matrix_clear(&ranges);
    TRY(status);
    ledoit_wolf_add_up(&squares, &spread, rows->s, weight, scatter, diagonal);
    *out = ledoit_wolf_sums(fourth, squares, spread, weight);
    return SEPAL_OK;
}
