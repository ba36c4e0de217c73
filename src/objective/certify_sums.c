/* The sums v of a dual point, by plain code, each beside the sum of its terms' magnitudes. Rows are
   added up in groups and these to each other, so that no term is rounded as often as there are rows. */
#include "core/alloc.h"
#include "objective/certify_parts.h"

#include <string.h>

/* ---- groups ------------------------------------------------------------------------------- */

/* A group is worth its sums, which are read and set to 0 behind it. */
enum { ENTRIES_PER_NUMBER = 4 };

static size_t first_block(const struct proving *all, size_t part) {
    return all->o->rows.n_blocks * part / all->parts;
}

static size_t most_of_part(const struct proving *all) {
    size_t most = 0;
    for (size_t part = 0; part < all->parts; part++) {
        size_t n = 0;
        for (size_t b = first_block(all, part); b < first_block(all, part + 1); b++)
            n += all->o->rows.blocks[b].rows;
        if (n > most) most = n;
    }
    return most;
}

sepal_status proving_room(struct proving *all) {
    const struct objective *o = all->o;
    size_t entries = o->rows.sparse ? o->rows.nonzeros / o->n + 1 : o->cols;
    if (entries * o->n < ENTRIES_PER_NUMBER * o->width) all->parts = 1;
    size_t rows = most_of_part(all);
    size_t least = ENTRIES_PER_NUMBER * o->width / (entries ? entries : 1);
    all->group_rows = (size_t)sqrt((double)rows) + 1;
    if (all->group_rows < least) all->group_rows = least;
    all->v = mem_alloc(o->ctx, o->width, all->parts * sizeof *all->v);
    if (all->by_norms)
        all->norm = mem_alloc(o->ctx, o->n, sizeof *all->norm);
    else
        all->magnitude = mem_alloc(o->ctx, o->width, all->parts * sizeof *all->magnitude);
    if (!all->v || !(all->by_norms ? all->norm : all->magnitude)) return SEPAL_EMEMORY;
    if (all->group_rows >= rows) return SEPAL_OK;
    all->group = mem_alloc(o->ctx, o->width, all->parts * sizeof *all->group);
    return all->group ? SEPAL_OK : SEPAL_EMEMORY;
}

/* How often a term is rounded on its way to v: as a product, and in sums. */
static double sums_roundings(const struct proving *all) {
    size_t rows = most_of_part(all);
    size_t sums = all->group ? all->group_rows + PANEL + rows / all->group_rows : rows;
    return (double)(sums + all->parts + 6);
}

/* ---- rows --------------------------------------------------------------------------------- */

/* Where the sums of a part of the rows go, `magnitude` unless by norms; `seen`: rows of the group. */
struct certify_part {
    double *v, *magnitude, *group, *scratch;
    size_t seen;
};

/* A group is full: its sums go to v. */
static void sums_count_rows(const struct proving *all, struct certify_part *part, size_t n) {
    part->seen += n;
    if (!part->group || part->seen < all->group_rows) return;
    for (size_t j = 0; j < all->o->width; j++) {
        part->v[j] += part->group[j];
        part->group[j] = 0;
    }
    part->seen = 0;
}

static double sums_factor_of(const struct proving *all, size_t row) {
    return all->o->row_weight[row] * all->a[row] * objective_side(all->o, row);
}

static void sums_add_sparse(const struct proving *all, struct certify_part *part,
                            const struct block *block) {
    double *v = part->group ? part->group : part->v, *magnitude = part->magnitude;
    for (size_t i = 0; i < block->rows; i++) {
        const double *x;
        const uint32_t *index;
        double factor = sums_factor_of(all, block->first_row + i);
        sums_count_rows(all, part, 1);
        if (factor == 0) continue;
        if (all->by_norms) {
            row_axpy(all->o->ctx->kernels, block, i, all->o->cols, factor, v);
            continue;
        }
        size_t n = row_doubles(&x, &index, block, i, all->o->cols, NULL, part->scratch);
        for (size_t k = 0; k < n; k++) {
            double term = factor * x[k];
            v[index[k]] += term;
            magnitude[index[k]] += fabs(term);
        }
    }
}

static void sums_add_dense(const struct proving *all, struct certify_part *part,
                           const struct block *block) {
    double *v = part->group ? part->group : part->v, factor[PANEL];
    const double *x[PANEL];
    for (size_t i = 0, n; i < block->rows; i += n) {
        n = proving_panel(x, all, block, i, part->scratch);
        if (all->joint) proving_dense_margins(all, block->first_row + i, x, n);
        size_t used = 0;
        for (size_t k = 0; k < n; k++) {
            factor[used] = sums_factor_of(all, block->first_row + i + k);
            x[used] = x[k];
            used += factor[used] != 0;
        }
        all->o->ctx->kernels->add_rows(v, part->magnitude, factor, x, used, all->o->cols);
        sums_count_rows(all, part, n);
    }
}

static sepal_status sums_add_part(sepal_ctx *ctx, size_t k, void *payload) {
    const struct proving *all = payload;
    const struct matrix *rows = &all->o->rows;
    size_t width = all->o->width, held = rows->sparse ? 1 : PANEL;
    struct certify_part part = {.v = all->v + k * width};
    if (!all->by_norms) part.magnitude = all->magnitude + k * width;
    part.group = all->group ? all->group + k * width : NULL;
    part.scratch = mem_alloc(ctx, all->o->cols, held * sizeof *part.scratch);
    if (!part.scratch) return SEPAL_EMEMORY;
    memset(part.v, 0, width * sizeof *part.v);
    if (part.magnitude) memset(part.magnitude, 0, width * sizeof *part.magnitude);
    if (part.group) memset(part.group, 0, width * sizeof *part.group);
    for (size_t b = first_block(all, k); b < first_block(all, k + 1); b++) {
        if (rows->sparse)
            sums_add_sparse(all, &part, &rows->blocks[b]);
        else
            sums_add_dense(all, &part, &rows->blocks[b]);
    }
    sums_count_rows(all, &part, all->group_rows);
    mem_free(part.scratch);
    return SEPAL_OK;
}

static sepal_status join_parts(sepal_ctx *ctx, size_t stripe, void *payload) {
    const struct proving *all = payload;
    size_t width = all->o->width, to = width * (stripe + 1) / STRIPES;
    (void)ctx;
    for (size_t j = width * stripe / STRIPES; j < to; j++) {
        for (size_t part = 1; part < all->parts; part++) {
            all->v[j] += all->v[part * width + j];
            if (!all->by_norms) all->magnitude[j] += all->magnitude[part * width + j];
        }
    }
    return SEPAL_OK;
}

/* ---- both sides --------------------------------------------------------------------------- */

/* What is left of the difference of both sides, which a free bias wants to be 0: as if the larger side
   were shrunk by this part, which costs no more than this part of what its variables add to v and to
   the dual, whose conjugates are concave and 0 at 0. */
static double sums_imbalance(const struct sides *s) {
    double larger = fmax(fabs(s->high), fabs(s->high - s->difference));
    double left = fabs(s->difference) + rounding_of(8, s->size);
    if (s->size == 0) return 0;
    return left < larger ? left / larger : INFINITY;
}

static void take_centre_off_sums(const struct proving *all, const struct sides *s) {
    const struct objective *o = all->o;
    for (size_t j = 0; j < o->cols; j++) {
        all->v[j] -= s->difference * o->centre[j];
        if (!all->by_norms) all->magnitude[j] += s->size * fabs(o->centre[j]);
    }
}

/* A norm of a sum is no more than the sum of the norms; the column of ones is in `size`. */
static double sums_reach(const struct proving *all, const struct sides *s) {
    const struct objective *o = all->o;
    double reach = s->size;
    for (size_t i = 0; i < o->n; i++) reach += fabs(sums_factor_of(all, i)) * all->norm[i];
    if (o->centre) reach += s->size * sqrt(o->ctx->kernels->dot_f64(o->centre, o->centre, o->cols));
    return reach;
}

sepal_status proving_sums(struct proving *all) {
    const struct objective *o = all->o;
    struct sides s = {0};
    TRY(run_tasks(o, all->parts, sums_add_part, all));
    if (all->parts > 1) TRY(run_tasks(o, STRIPES, join_parts, all));
    if (o->bias != BIAS_NONE || (o->centre && o->rows.sparse)) TRY(proving_sides(&s, all));
    if (o->centre && o->rows.sparse) take_centre_off_sums(all, &s);
    if (all->by_norms) all->reach = sums_reach(all, &s);
    if (o->bias != BIAS_NONE) {
        all->v[o->cols] = s.difference;
        if (!all->by_norms) all->magnitude[o->cols] = s.size;
    }
    all->relative = ROUNDING_MORE * sums_roundings(all) * ROUNDING;
    all->unbalanced = o->bias == BIAS_FREE ? sums_imbalance(&s) : 0;
    return SEPAL_OK;
}
