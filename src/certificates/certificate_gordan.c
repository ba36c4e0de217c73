/* Whether multipliers of rows show that no hyperplane separates them (Gordan 1873): a sum with weights
   >= 0, not all 0, of the vectors t (x, 1) that is exactly 0 leaves no w with all t (w.x + b) > 0.

   Whole numbers are multiplied and added without rounding. Multipliers in floating point can hardly
   ever be exact; interval_proof shows that exact ones exist near them. It cannot do so for equations
   that depend on each other. One such dependence is seen to here: a column that is the same number c
   in all rows is c times the column of ones. */
#include "certificates/certificate.h"

#include "core/alloc.h"
#include "core/arena.h"
#include "core/parallel.h"
#include "exact/exact_sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 100000, DIGITS_AT_ONCE = 9 };

struct gordan {
    sepal_ctx *ctx;
    struct arena arena;
    const struct question *q;
    const struct certificate *c;
    size_t cols;                    /* per class, the column of ones included */
    struct equation_entry *entries; /* by equation, then by point */
    size_t n_entries, room;
    size_t *start; /* equation e has the entries start[e] .. start[e+1]-1 */
    size_t n_equations;
    uint32_t **whole; /* the multipliers as whole numbers */
    size_t *limbs;
    size_t most_limbs;
    bool *broken; /* per equation: its sum is not 0 */
};

/* ---- the equations ------------------------------------------------------------------------ */

static sepal_status gordan_add_entry(struct gordan *g, size_t class, size_t column, size_t point,
                                     double value) {
    TRY(mem_reserve(g->ctx, (void **)&g->entries, &g->room, g->n_entries + 1, sizeof *g->entries));
    g->entries[g->n_entries++] = (struct equation_entry){class * g->cols + column, point, value};
    return SEPAL_OK;
}

static sepal_status gordan_add_row(struct gordan *g, size_t point, size_t class, double sign) {
    /* the equations of all classes of a machine add up to 0 = 0, so the last class has none */
    if (!g->q->side && class + 1 == g->q->classes) return SEPAL_OK;
    size_t local, cols = g->q->x->cols;
    const struct block *block = matrix_block_of(g->q->x, g->c->rows[point], &local);
    double x;
    for (size_t at = 0, j; row_next(block, local, cols, &at, &j, &x);)
        TRY(gordan_add_entry(g, class, j, point, sign * x));
    return g->q->bias ? gordan_add_entry(g, class, cols, point, sign) : SEPAL_OK;
}

static int by_equation(const void *a, const void *b) {
    const struct equation_entry *x = a, *y = b;
    if (x->equation != y->equation) return x->equation < y->equation ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

static sepal_status make_equations(struct gordan *g) {
    const struct certificate *c = g->c;
    for (size_t p = 0; p < c->n; p++) {
        if (g->q->side) {
            TRY(gordan_add_row(g, p, 0, g->q->side[c->rows[p]]));
        } else {
            TRY(gordan_add_row(g, p, (size_t)g->q->label[c->rows[p]], 1));
            TRY(gordan_add_row(g, p, (size_t)c->rivals[p], -1));
        }
    }
    if (g->n_entries) qsort(g->entries, g->n_entries, sizeof *g->entries, by_equation);
    g->start = arena_alloc(g->ctx, &g->arena, g->n_entries + 1, sizeof *g->start);
    if (!g->start) return SEPAL_EMEMORY;
    for (size_t i = 0; i < g->n_entries; i++)
        if (i == 0 || g->entries[i].equation != g->entries[i - 1].equation)
            g->start[g->n_equations++] = i;
    g->start[g->n_equations] = g->n_entries;
    return SEPAL_OK;
}

/* ---- whole numbers ------------------------------------------------------------------------ */

/* limbs = limbs * factor + digits */
static size_t append_digits(uint32_t *limbs, size_t n, uint32_t factor, uint32_t digits) {
    uint64_t carry = digits;
    for (size_t l = 0; l < n; l++) {
        carry += (uint64_t)limbs[l] * factor;
        limbs[l] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) limbs[n++] = (uint32_t)carry;
    return n;
}

static sepal_status read_whole(struct gordan *g, size_t p, const char *digits, bool *fine) {
    size_t length = strlen(digits), n = 0;
    *fine = length > 0 && length <= MOST_DIGITS && strspn(digits, "0123456789") == length;
    if (!*fine) return SEPAL_OK;
    uint32_t *limbs = arena_zero(g->ctx, &g->arena, length / DIGITS_AT_ONCE + 2, sizeof *limbs);
    if (!limbs) return SEPAL_EMEMORY;
    for (size_t at = 0; at < length;) {
        uint32_t value = 0, factor = 1;
        for (size_t i = 0; i < DIGITS_AT_ONCE && at < length; i++, at++) {
            value = value * 10 + (uint32_t)(digits[at] - '0');
            factor *= 10;
        }
        n = append_digits(limbs, n, factor, value);
    }
    g->whole[p] = limbs;
    g->limbs[p] = n;
    if (n > g->most_limbs) g->most_limbs = n;
    return SEPAL_OK;
}

static sepal_status add_up_equation(sepal_ctx *ctx, size_t e, void *payload) {
    struct gordan *g = payload;
    struct exact_sum sum = {.n = EXACT_SUM_LIMBS + g->most_limbs};
    sum.limb = mem_zero(ctx, sum.n, sizeof *sum.limb);
    if (!sum.limb) return SEPAL_EMEMORY;
    for (size_t i = g->start[e]; i < g->start[e + 1]; i++) {
        const struct equation_entry *entry = &g->entries[i];
        exact_sum_add_whole(&sum, g->whole[entry->point], g->limbs[entry->point], entry->value);
    }
    g->broken[e] = exact_sum_sign(&sum) != 0;
    mem_free(sum.limb);
    return SEPAL_OK;
}

static sepal_status judge_integers(struct gordan *g, struct verdict *out) {
    size_t n = g->c->n;
    bool fine, some = false;
    g->whole = arena_zero(g->ctx, &g->arena, n, sizeof *g->whole);
    g->limbs = arena_zero(g->ctx, &g->arena, n, sizeof *g->limbs);
    g->broken = arena_zero(g->ctx, &g->arena, g->n_equations + 1, sizeof *g->broken);
    if (!g->whole || !g->limbs || !g->broken) return SEPAL_EMEMORY;
    for (size_t p = 0; p < n; p++) {
        TRY(read_whole(g, p, g->c->integers[p], &fine));
        if (!fine) {
            verdict_no(out, "multiplier %zu is not a whole number of at most %d digits", p,
                       MOST_DIGITS);
            return SEPAL_OK;
        }
        some = some || g->limbs[p] > 0;
    }
    TRY(parallel_for(g->ctx, g->n_equations, add_up_equation, g));
    out->holds = some;
    if (!some) verdict_no(out, "all multipliers are 0");
    for (size_t e = 0; e < g->n_equations && out->holds; e++)
        if (g->broken[e])
            verdict_no(out, "the rows times their multipliers do not add up to 0 (%s %zu)",
                       g->entries[g->start[e]].equation % g->cols == g->q->x->cols
                           ? "the bias; class"
                           : "column",
                       g->entries[g->start[e]].equation % g->cols);
    return SEPAL_OK;
}

/* ---- numbers near exact ones -------------------------------------------------------------- */

/* Of the numbers in [low, high] the one nearest to 0: what is subtracted from a column, so that
   nothing of it is lost and a constant column vanishes. */
static double nearest_to_zero(double low, double high) {
    return low > 0 ? low : high < 0 ? high : 0;
}

/* The values of equation e at all points, centred and brought to about 1; false when they are 0. */
static bool equation_values(const struct gordan *g, size_t e, const double *sign, double *values) {
    size_t n = g->c->n, column = g->entries[g->start[e]].equation % g->cols;
    double low = INFINITY, high = -INFINITY, most = 0;
    memset(values, 0, n * sizeof *values);
    for (size_t i = g->start[e]; i < g->start[e + 1]; i++)
        values[g->entries[i].point] = g->entries[i].value;
    for (size_t p = 0; p < n; p++) {
        if (sign[p] == 0) continue;
        low = fmin(low, sign[p] * values[p]);
        high = fmax(high, sign[p] * values[p]);
    }
    bool ones = column == g->q->x->cols;
    double centre = g->q->bias && !ones ? nearest_to_zero(low, high) : 0;
    for (size_t p = 0; p < n; p++) {
        values[p] -= sign[p] * centre;
        most = fmax(most, fabs(values[p]));
    }
    int exponent;
    (void)frexp(most, &exponent);
    for (size_t p = 0; p < n; p++) {
        double scaled = ldexp(values[p], -exponent);
        /* what would be lost here is not for this proof; an infinity lets it fail */
        values[p] = values[p] != 0 && fabs(scaled) < 0x1p-1000 ? INFINITY : scaled;
    }
    return most > 0;
}

/* +1, -1 or 0 for each point: its factor in the equations of a class. */
static void gordan_signs_of(const struct gordan *g, size_t class, double *sign) {
    for (size_t p = 0; p < g->c->n; p++) {
        size_t row = g->c->rows[p];
        if (g->q->side)
            sign[p] = g->q->side[row];
        else
            sign[p] = (double)((size_t)g->q->label[row] == class) -
                      (double)((size_t)g->c->rivals[p] == class);
    }
}

static sepal_status judge_numbers(struct gordan *g, struct verdict *out) {
    size_t n = g->c->n, independent = 0;
    for (size_t p = 0; p < n; p++)
        if (!isfinite(g->c->multipliers[p]) || !(g->c->multipliers[p] > 0)) {
            verdict_no(out, "multiplier %zu is not a positive number", p);
            return SEPAL_OK;
        }
    double *values = arena_alloc(g->ctx, &g->arena, n, (n + 1) * sizeof *values);
    double *sign = arena_alloc(g->ctx, &g->arena, n, sizeof *sign);
    if (!values || !sign) return SEPAL_EMEMORY;
    for (size_t e = 0; e < g->n_equations && independent < n; e++) {
        gordan_signs_of(g, g->entries[g->start[e]].equation / g->cols, sign);
        if (equation_values(g, e, sign, values + independent * n)) independent++;
    }
    bool proved = false;
    if (independent < n)
        TRY(interval_proof(&proved, g->ctx, values, independent, n, DBL_EPSILON,
                           g->c->multipliers));
    out->holds = proved;
    if (proved)
        out->rank = independent;
    else
        verdict_no(out,
                   "no exact multipliers are near the ones given, or none can be proved to be");
    return SEPAL_OK;
}

/* ---- both --------------------------------------------------------------------------------- */

static bool rows_are_fit(struct verdict *out, const struct question *q,
                         const struct certificate *c) {
    if (c->n == 0) return verdict_no(out, "it has no rows");
    for (size_t p = 0; p < c->n; p++) {
        if (c->rows[p] >= q->x->rows)
            return verdict_no(out, "there is no row %zu; the data has %zu", c->rows[p], q->x->rows);
        size_t number = matrix_row_number(q->x, c->rows[p]);
        if (q->side && !q->side[c->rows[p]])
            return verdict_no(out, "row %zu is of neither class", number);
        if (q->side) continue;
        if (!c->rivals || c->rivals[p] < 0 || (size_t)c->rivals[p] >= q->classes ||
            c->rivals[p] == q->label[c->rows[p]])
            return verdict_no(out, "row %zu has no other class as its rival", number);
    }
    return true;
}

sepal_status gordan_judge(struct verdict *out, sepal_ctx *ctx, const struct question *q,
                          const struct certificate *c) {
    struct gordan g = {.ctx = ctx, .q = q, .c = c, .cols = q->x->cols + 1};
    if (!rows_are_fit(out, q, c)) return SEPAL_OK;
    sepal_status status = make_equations(&g);
    if (status == SEPAL_OK) status = c->integers ? judge_integers(&g, out) : judge_numbers(&g, out);
    mem_free(g.entries);
    arena_clear(&g.arena);
    return status;
}
