/* Columns that are linear combinations of others, up to rounding: Cholesky's factor of the correlations,
   column by column; what is left of the variance of a column once those before it are taken off is the square
   of its pivot. Only where there are many rows to a column, or the columns of chance would do. */
#include "doctor/check.h"

#include <math.h>
#include <string.h>

static const double NOTHING_LEFT = 1e-6;
enum { MOST_COLUMNS = 200, ROWS_PER_COLUMN = 4, ENOUGH_ROWS = 500, MOST_PARTNERS = 4 };

struct standardised {
    size_t n, p;           /* rows, columns */
    size_t *column;        /* their numbers */
    double *mean, *length; /* what their numbers in the sample were divided by, less the mean */
    double *x;             /* column after column, mean 0, length 1 */
    double *r;             /* p x p: correlations, then the factor */
};

/* False: it has missing values, or two values at most, as categories coded by 0 and 1 have, which are
   dependent by design. */
static bool standardise(struct standardised *all, const double *x, size_t step) {
    double *out = all->x + all->p * all->n, sum = 0, square = 0, largest = 0, other = NAN;
    bool many = false;
    for (size_t k = 0; k < all->n; k++) {
        out[k] = x[k * step];
        if (isnan(out[k])) return false;
        if (out[k] != out[0] && isnan(other)) other = out[k];
        many = many || (out[k] != out[0] && out[k] != other);
        sum += out[k];
        largest = fmax(largest, fabs(out[k]));
    }
    for (size_t k = 0; k < all->n; k++) {
        out[k] -= sum / (double)all->n;
        square += out[k] * out[k];
    }
    /* digits lost to the mean are no variance */
    if (!many || !(sqrt(square / (double)all->n) > 1e-9 * largest)) return false;
    for (size_t k = 0; k < all->n; k++) out[k] /= sqrt(square);
    all->mean[all->p] = sum / (double)all->n;
    all->length[all->p] = sqrt(square);
    return true;
}

static void correlate(const struct standardised *all) {
    for (size_t i = 0; i < all->p; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;
            const double *a = all->x + i * all->n, *b = all->x + j * all->n;
            for (size_t k = 0; k < all->n; k++) sum += a[k] * b[k];
            all->r[i * all->p + j] = sum;
        }
}

/* Row i of the factor, of the columns before it that are in the basis; returns what is left of it. */
static double factor_row(const struct standardised *all, size_t i, const bool *dependent) {
    double *row = all->r + i * all->p, left = row[i];
    for (size_t j = 0; j < i; j++) {
        const double *other = all->r + j * all->p;
        if (dependent[j]) {
            row[j] = 0;
            continue;
        }
        for (size_t k = 0; k < j; k++) row[j] -= row[k] * other[k];
        row[j] /= other[j];
        left -= row[j] * row[j];
    }
    row[i] = sqrt(fmax(left, 0));
    return left;
}

/* The coefficients of dependent column i, in standard deviations, over its row of the factor. */
static void solve_partners(const struct standardised *all, size_t i, const bool *dependent) {
    double *row = all->r + i * all->p;
    for (size_t j = i; j-- > 0;) {
        if (dependent[j]) continue;
        row[j] /= all->r[j * all->p + j];
        for (size_t k = 0; k < j; k++) row[k] -= row[j] * all->r[j * all->p + k];
    }
}

/* Whether it is so in all rows: what is left of column i against its variance, both about the sample's means. */
static bool holds_for_all(const struct standardised *all, size_t i, const struct matrix *matrix) {
    struct block_iterator blocks = {.matrix = matrix};
    const double *row = all->r + i * all->p;
    double left = 0, whole = 0;
    for (const struct block *block; (block = block_next(&blocks));)
        for (size_t k = 0; k < block->rows; k++) {
            double own = doctor_cell(block, k, matrix->cols, all->column[i]) - all->mean[i], rest;
            rest = own / all->length[i];
            whole += rest * rest;
            for (size_t j = 0; j < i; j++)
                if (row[j] != 0)
                    rest -= row[j] / all->length[j] *
                            (doctor_cell(block, k, matrix->cols, all->column[j]) - all->mean[j]);
            left += rest * rest;
        }
    return left < NOTHING_LEFT * whole;
}

static void put_partners(struct doctor *doctor, struct text *out, const struct standardised *all,
                         size_t i) {
    const double *row = all->r + i * all->p;
    double largest = 0;
    size_t told = 0, partners = 0;
    for (size_t j = 0; j < i; j++) largest = fmax(largest, fabs(row[j]));
    for (size_t j = 0; j < i; j++) {
        if (!(fabs(row[j]) > 0.01 * largest)) continue;
        partners++;
        if (told >= MOST_PARTNERS) continue;
        text_puts(doctor->ctx, out, told++ ? ", " : "");
        doctor_put_name(doctor, out, all->column[j]);
    }
    if (partners > told) text_printf(doctor->ctx, out, " and %zu more", partners - told);
}

static void collinear_tell(struct doctor *doctor, const struct standardised *all,
                           const size_t *found, size_t n) {
    size_t columns[MOST_COLUMNS], first = found[0];
    for (size_t k = 0; k < n; k++) columns[k] = all->column[found[k]];
    struct finding *finding = doctor_find(doctor, "collinear", RANK_SLOW, columns, n);
    struct text *message = &finding->message;
    doctor_put_columns(doctor, message, columns, n, "is a linear combination of ",
                       "are linear combinations of others");
    if (n > 1) {
        doctor_put_list(doctor, message, columns, n);
        text_puts(doctor->ctx, message, "; the first of ");
    }
    put_partners(doctor, message, all, first);
    text_puts(doctor->ctx, &finding->advice, "their weights cannot be read one by one; ");
    doctor_put_drop(doctor, &finding->advice, columns, n);
}

static sepal_status find_dependent(struct doctor *doctor, struct standardised *all) {
    size_t found[MOST_COLUMNS], n = 0;
    bool *dependent = arena_zero(doctor->ctx, &doctor->arena, all->p, sizeof *dependent);
    all->r = arena_alloc(doctor->ctx, &doctor->arena, all->p * all->p, sizeof *all->r);
    if (!dependent || !all->r) return SEPAL_EMEMORY;
    correlate(all);
    for (size_t i = 0; i < all->p; i++) dependent[i] = factor_row(all, i, dependent) < NOTHING_LEFT;
    for (size_t i = 0; i < all->p; i++) {
        if (!dependent[i]) continue;
        TRY(check_cancelled(doctor->ctx, "looking for dependent columns"));
        solve_partners(all, i, dependent);
        if (doctor->sample.all || holds_for_all(all, i, &doctor->data->matrix)) found[n++] = i;
    }
    if (n) collinear_tell(doctor, all, found, n);
    return SEPAL_OK;
}

static sepal_status collinear_look(struct doctor *doctor) {
    const struct sample *sample = &doctor->sample;
    size_t wanted = 0;
    for (size_t j = 0; sample->cells && j < sample->cols; j++)
        wanted += !doctor->marked[j] && !doctor_is_text(doctor, j);
    if (wanted < 2 || wanted > MOST_COLUMNS || sample->n < ROWS_PER_COLUMN * wanted)
        return SEPAL_OK;
    size_t least = ROWS_PER_COLUMN * wanted > ENOUGH_ROWS ? ROWS_PER_COLUMN * wanted : ENOUGH_ROWS;
    size_t step = sample->n / least > 1 ? sample->n / least : 1;
    struct standardised all = {.n = sample->n / step};
    all.x = arena_alloc(doctor->ctx, &doctor->arena, wanted * all.n, sizeof *all.x);
    all.column = arena_alloc(doctor->ctx, &doctor->arena, wanted, sizeof *all.column);
    TRY(ARENA_VECTORS(doctor->ctx, &doctor->arena, wanted, &all.mean, &all.length));
    if (!all.x || !all.column) return SEPAL_EMEMORY;
    for (size_t j = 0; j < sample->cols; j++) {
        if (doctor->marked[j] || doctor_is_text(doctor, j)) continue;
        all.column[all.p] = j;
        if (standardise(&all, sample->cells + j * sample->n, step)) all.p++;
    }
    return find_dependent(doctor, &all);
}

const struct check check_collinear = {
    .name = "collinear",
    .summary = "columns that are linear combinations of others",
    .look = collinear_look,
};
