/* The groups of classes that go in lock-step: how many there are, what they hold. */
#include "core/alloc.h"
#include "core/parallel.h"
#include "kernels/f32_panels.h"
#include "solvers/ovr_dcd.h"

#include <math.h>
#include <string.h>

/* ---- rows --------------------------------------------------------------------------------- */

static size_t groups_entries_of(const struct block *block) {
    return block->start[block->rows];
}

/* Sparse rows are made singles once for all epochs, unless those would take more memory than weights
   and dual variables of the classes would as doubles. */
static sepal_status make_blocks(struct ovr_dcd *d) {
    const struct objective *o = d->rest->o;
    size_t entries = 0;
    d->rows = o->rows;
    for (size_t b = 0; o->rows.sparse && b < o->rows.n_blocks; b++)
        if (o->rows.blocks[b].values != VALUES_F32)
            entries += groups_entries_of(&o->rows.blocks[b]);
    if (entries == 0 || entries / d->classes > 2 * (o->n + o->cols)) return SEPAL_OK;
    d->blocks = mem_alloc(o->ctx, o->rows.n_blocks, sizeof *d->blocks);
    d->singles = mem_alloc(o->ctx, entries, sizeof *d->singles);
    if (!d->blocks || !d->singles) return SEPAL_EMEMORY;
    d->rows.blocks = d->blocks;
    float *room = d->singles;
    for (size_t b = 0; b < o->rows.n_blocks; b++) {
        struct block *block = &d->blocks[b];
        *block = o->rows.blocks[b];
        if (block->values == VALUES_F32) continue;
        block->values = VALUES_F32;
        block->f32 = room;
        room += groups_entries_of(block);
    }
    return SEPAL_OK;
}

static sepal_status groups_norms_of_block(sepal_ctx *ctx, size_t b, void *payload) {
    struct ovr_dcd *d = payload;
    const struct objective *o = d->rest->o;
    const struct block *block = &o->rows.blocks[b], *singles = &d->rows.blocks[b];
    double *room = mem_alloc(ctx, o->cols, sizeof *room);
    if (!room) return SEPAL_EMEMORY;
    for (size_t i = 0; i < block->rows; i++) {
        const double *x;
        const uint32_t *index;
        size_t n = row_doubles(&x, &index, block, i, o->cols, o->centre, room);
        d->norm[block->first_row + i] = (float)ctx->kernels->dot_f64(x, x, n);
        if (singles->values == block->values) continue;
        const float *rounded;
        row_singles(&rounded, &index, block, i, o->cols, NULL, singles->f32 + block->start[i]);
    }
    mem_free(room);
    return SEPAL_OK;
}

/* The bias as a weight. The quadratic rho that holds it at its anchor is much softer than the losses
   along it, so that the anchor follows fast; a stiffer one would make all steps short. */
static sepal_status groups_set_bias(struct ovr_dcd *d, double total) {
    static const double softer = 0.05;
    const struct objective *o = d->rest->o;
    double least = INFINITY;
    if (o->bias == BIAS_NONE) return SEPAL_OK;
    double *own = mem_zero(o->ctx, d->rest->classes, sizeof *own);
    if (!own) return SEPAL_EMEMORY;
    for (size_t i = 0; i < o->n; i++) {
        size_t labels;
        const int32_t *label = row_labels_of(&d->rest->labels, i, &labels);
        for (size_t k = 0; k < labels; k++) own[label[k]] += o->row_weight[i];
    }
    for (size_t k = 0; k < d->classes; k++) least = fmin(least, own[k] * (1 - own[k] / total));
    mem_free(own);
    double rho = fmax(softer * least, o->l2 / d->norm_mean),
           all = rho + (o->bias == BIAS_PENALISED ? o->l2 : 0);
    d->bias_square = o->l2 / all;
    d->bias_keeps = rho / all;
    return SEPAL_OK;
}

sepal_status ovr_dcd_open(struct ovr_dcd *d) {
    const struct objective *o = d->rest->o;
    size_t units = (o->n + OVR_ROWS - 1) / OVR_ROWS;
    double total = 0;
    d->norm = mem_alloc(o->ctx, o->n, sizeof *d->norm);
    d->row_weight = mem_alloc(o->ctx, o->n, sizeof *d->row_weight);
    d->order = mem_alloc(o->ctx, units, sizeof *d->order);
    if (!d->norm || !d->row_weight || !d->order) return SEPAL_EMEMORY;
    for (size_t t = 0; t < units; t++) d->order[t] = (uint32_t)t;
    TRY(make_blocks(d));
    TRY(parallel_for(o->ctx, o->rows.n_blocks, groups_norms_of_block, d));
    for (size_t i = 0; i < o->n; i++) {
        double norm = (double)d->norm[i];
        d->row_weight[i] = (float)(o->row_weight[i] / o->l2);
        d->norm_most = fmax(d->norm_most, o->row_weight[i] * norm / o->l2);
        d->norm_mean += o->row_weight[i] * norm;
        d->norm_largest = fmax(d->norm_largest, norm);
        total += o->row_weight[i];
    }
    d->norm_mean /= total;
    return groups_set_bias(d, total);
}

/* ---- groups ------------------------------------------------------------------------------- */

/* Zeros by writing them: pages of zeros from the system are one page until they are written to, and
   a page that is first read and then written to stops all threads. */
static sepal_status clear_group(sepal_ctx *ctx, size_t g, void *payload) {
    const struct ovr_dcd *d = payload;
    const struct ovr_point *point = &d->groups[g].point;
    (void)ctx;
    memset(point->w, 0, d->rest->o->cols * point->lanes * sizeof *point->w);
    memset(point->alpha, 0, d->rest->o->n * point->lanes * sizeof *point->alpha);
    return SEPAL_OK;
}

/* Two groups with half the lanes rather than one: so two threads have work. */
static size_t groups_for(size_t n) {
    if (n > OVR_LANES_HALF && n <= OVR_LANES) return 2;
    return (n + OVR_LANES - 1) / OVR_LANES;
}

static size_t lanes_for(size_t n) {
    return n <= OVR_LANES_HALF * groups_for(n) ? OVR_LANES_HALF : OVR_LANES;
}

/* As many groups as needed, of about the same size, side by side in one block. */
static sepal_status make_groups(struct ovr_dcd *d, const size_t *class, size_t n) {
    const struct objective *o = d->rest->o;
    size_t groups = groups_for(n), lanes = lanes_for(n);
    d->groups = mem_zero(o->ctx, groups, sizeof *d->groups);
    float *room = mem_lines(&d->block, o->ctx, groups * (o->cols + o->n), lanes * sizeof *room);
    if (!d->groups || !room) return SEPAL_EMEMORY;
    d->n_groups = groups;
    for (size_t g = 0; g < groups; g++) {
        size_t from = n * g / groups, to = n * (g + 1) / groups;
        struct ovr_dcd_group *group = &d->groups[g];
        *group = (struct ovr_dcd_group){.point = {.n = to - from, .lanes = lanes},
                                        .last_fall = INFINITY};
        group->point.w = room;
        group->point.alpha = room + o->cols * lanes;
        memcpy(group->point.class, class + from, (to - from) * sizeof *class);
        room += (o->cols + o->n) * lanes;
    }
    return parallel_for(o->ctx, groups, clear_group, d);
}

sepal_status ovr_dcd_start(struct ovr_dcd *d) {
    size_t *class = mem_alloc(d->rest->o->ctx, d->classes, sizeof *class);
    if (!class) return SEPAL_EMEMORY;
    for (size_t k = 0; k < d->classes; k++) class[k] = k;
    sepal_status status = make_groups(d, class, d->classes);
    mem_free(class);
    return status;
}

void ovr_dcd_close(struct ovr_dcd *d) {
    mem_free(d->groups);
    mem_free(d->block);
    mem_free(d->norm);
    mem_free(d->row_weight);
    mem_free(d->blocks);
    mem_free(d->singles);
    mem_free(d->order);
}

/* ---- weights anew -------------------------------------------------------------------------- */

static void groups_add_rows(double *v, const struct ovr_point *point,
                            const struct ovr_objective *rest, double *room) {
    const struct objective *o = rest->o;
    double d[OVR_LANES] = {0};
    for (size_t row = 0; row < o->n; row++) {
        size_t i;
        const struct block *block = matrix_block_of(&o->rows, row, &i);
        const double *x;
        const uint32_t *index;
        bool moves = false;
        for (size_t l = 0; l < point->n; l++) {
            size_t k = point->class[l];
            bool own = row_has_label(&rest->labels, row, k);
            double weight = o->row_weight[row] * ovr_factor_of_class(rest, k, own) / o->l2;
            d[l] = (own ? weight : -weight) * (double)point->alpha[row * point->lanes + l];
            moves = moves || d[l] != 0;
        }
        if (!moves) continue;
        size_t n = row_doubles(&x, &index, block, i, o->cols, o->centre, room);
        o->ctx->kernels->lanes_add_f64(v, d, x, index, n, point->lanes, point->lanes);
    }
}

static sepal_status settle_group(sepal_ctx *ctx, size_t g, void *payload) {
    const struct ovr_dcd *d = payload;
    const struct objective *o = d->rest->o;
    struct ovr_point *point = &d->groups[g].point;
    void *block;
    double *v = mem_lines(&block, ctx, o->cols, point->lanes * sizeof *v);
    double *room = mem_alloc(ctx, o->cols, sizeof *room);
    if (v && room) {
        memset(v, 0, o->cols * point->lanes * sizeof *v);
        groups_add_rows(v, point, d->rest, room);
        f32_panels_round(point->w, v, o->cols * point->lanes);
    }
    bool done = v && room;
    mem_free(block);
    mem_free(room);
    return done ? SEPAL_OK : SEPAL_EMEMORY;
}

sepal_status ovr_dcd_settle(struct ovr_dcd *d) {
    return parallel_for(d->rest->o->ctx, d->n_groups, settle_group, d);
}

/* ---- fewer classes ------------------------------------------------------------------------ */

static void copy_lane(struct ovr_dcd_group *to, size_t l, const struct ovr_dcd_group *from,
                      size_t s, const struct objective *o) {
    size_t wide = to->point.lanes, before = from->point.lanes;
    for (size_t j = 0; j < o->cols; j++) to->point.w[j * wide + l] = from->point.w[j * before + s];
    for (size_t i = 0; i < o->n; i++)
        to->point.alpha[i * wide + l] = from->point.alpha[i * before + s];
    to->point.bias[l] = from->point.bias[s];
    to->anchor[l] = from->anchor[s];
    to->worst[1] = fmax(to->worst[1], from->worst[1]);
}

static void copy_lanes(struct ovr_dcd_group *to, const struct ovr_dcd_group *groups, size_t n,
                       const struct objective *o) {
    for (size_t l = 0; l < to->point.n; l++)
        for (size_t g = 0; g < n; g++)
            for (size_t s = 0; s < groups[g].point.n; s++)
                if (groups[g].point.class[s] == to->point.class[l])
                    copy_lane(to, l, &groups[g], s, o);
}

sepal_status ovr_dcd_keep(struct ovr_dcd *d, const bool *wanted) {
    const struct objective *o = d->rest->o;
    struct ovr_dcd_group *before = d->groups;
    void *block = d->block;
    size_t n_before = d->n_groups, kept = 0, lanes = 0;
    size_t *class = mem_alloc(o->ctx, d->classes, sizeof *class);
    if (!class) return SEPAL_EMEMORY;
    for (size_t g = 0; g < n_before; g++) lanes += before[g].point.lanes;
    for (size_t k = 0; k < d->classes; k++)
        if (wanted[k]) class[kept++] = k;
    /* half the lanes and less: copying pays */
    sepal_status status = SEPAL_OK;
    if (2 * groups_for(kept) * lanes_for(kept) <= lanes) {
        d->block = NULL;
        status = make_groups(d, class, kept);
        for (size_t g = 0; status == SEPAL_OK && g < d->n_groups; g++)
            copy_lanes(&d->groups[g], before, n_before, o);
        mem_free(before);
        mem_free(block);
    }
    mem_free(class);
    return status;
}
