/* The groups of classes that go in lock-step: how many there are, what they hold. */
#include "core/alloc.h"
#include "core/parallel.h"
#include "kernels/singles.h"
#include "solvers/rest_descent.h"

#include <math.h>
#include <string.h>

/* ---- rows --------------------------------------------------------------------------------- */

static sepal_status norms_of_block(sepal_ctx *ctx, size_t b, void *payload) {
    struct rest_descent *d = payload;
    const struct objective *o = d->rest->o;
    const struct block *block = &o->rows.blocks[b];
    double *room = mem_alloc(ctx, o->cols, sizeof *room);
    if (!room) return SEPAL_EMEMORY;
    for (size_t i = 0; i < block->rows; i++) {
        const double *x;
        const uint32_t *index;
        size_t n = row_doubles(&x, &index, block, i, o->cols, o->centre, room);
        d->norm[block->first_row + i] = (float)ctx->kernels->dot_f64(x, x, n);
    }
    mem_free(room);
    return SEPAL_OK;
}

/* The bias as a weight. The quadratic rho that holds it at its anchor is much softer than the losses
   along it, so that the anchor follows fast; a stiffer one would make all steps short. */
static sepal_status set_bias(struct rest_descent *d, double total) {
    static const double softer = 0.05;
    const struct objective *o = d->rest->o;
    double least = INFINITY;
    if (o->bias == BIAS_NONE) return SEPAL_OK;
    double *own = mem_zero(o->ctx, d->rest->classes, sizeof *own);
    if (!own) return SEPAL_EMEMORY;
    for (size_t i = 0; i < o->n; i++) own[d->rest->label[i]] += o->share[i];
    for (size_t k = 0; k < d->classes; k++) least = fmin(least, own[k] * (1 - own[k] / total));
    mem_free(own);
    double rho = fmax(softer * least, o->l2 / d->norm_mean),
           all = rho + (o->bias == BIAS_PENALISED ? o->l2 : 0);
    d->bias_square = o->l2 / all;
    d->bias_keeps = rho / all;
    return SEPAL_OK;
}

sepal_status rest_open(struct rest_descent *d) {
    const struct objective *o = d->rest->o;
    size_t units = (o->n + REST_ROWS - 1) / REST_ROWS;
    double total = 0;
    d->norm = mem_alloc(o->ctx, o->n, sizeof *d->norm);
    d->order = mem_alloc(o->ctx, units, sizeof *d->order);
    if (!d->norm || !d->order) return SEPAL_EMEMORY;
    for (size_t t = 0; t < units; t++) d->order[t] = (uint32_t)t;
    TRY(parallel_for(o->ctx, o->rows.n_blocks, norms_of_block, d));
    for (size_t i = 0; i < o->n; i++) {
        double norm = (double)d->norm[i];
        d->norm_most = fmax(d->norm_most, o->share[i] * norm / o->l2);
        d->norm_mean += o->share[i] * norm;
        d->norm_largest = fmax(d->norm_largest, norm);
        total += o->share[i];
    }
    d->norm_mean /= total;
    return set_bias(d, total);
}

/* ---- groups ------------------------------------------------------------------------------- */

/* Zeros, from a line of the cache on: a vector of lanes then lies in one line. */
static void *lines(void **block, sepal_ctx *ctx, size_t count, size_t size) {
    enum { LINE = 64 };
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) bytes = SIZE_MAX - LINE;
    *block = mem_zero(ctx, bytes + LINE, 1);
    if (!*block) return NULL;
    return (char *)*block + (LINE - (uintptr_t)*block % LINE) % LINE;
}

static void group_clear(struct rest_group *group) {
    for (size_t b = 0; b < 2; b++) mem_free(group->blocks[b]);
}

static sepal_status group_init(struct rest_group *group, const struct rest_descent *d, size_t n) {
    const struct objective *o = d->rest->o;
    size_t lanes = n <= WIDE_HALF ? WIDE_HALF : WIDE_LANES;
    *group = (struct rest_group){.point = {.n = n, .lanes = lanes}, .last_fall = INFINITY};
    group->point.w = lines(&group->blocks[0], o->ctx, o->cols, lanes * sizeof(float));
    group->point.pull = lines(&group->blocks[1], o->ctx, o->n, lanes * sizeof(float));
    return group->point.w && group->point.pull ? SEPAL_OK : SEPAL_EMEMORY;
}

/* As many groups as needed, of about the same size. */
static sepal_status make_groups(struct rest_descent *d, const size_t *class, size_t n) {
    d->n_groups = 0;
    size_t groups = (n + WIDE_LANES - 1) / WIDE_LANES;
    d->groups = mem_zero(d->rest->o->ctx, groups, sizeof *d->groups);
    if (!d->groups) return SEPAL_EMEMORY;
    for (size_t g = 0; g < groups; g++) {
        size_t from = n * g / groups, to = n * (g + 1) / groups;
        d->n_groups++;
        TRY(group_init(&d->groups[g], d, to - from));
        memcpy(d->groups[g].point.class, class + from, (to - from) * sizeof *class);
    }
    return SEPAL_OK;
}

sepal_status rest_start(struct rest_descent *d) {
    size_t *class = mem_alloc(d->rest->o->ctx, d->classes, sizeof *class);
    if (!class) return SEPAL_EMEMORY;
    for (size_t k = 0; k < d->classes; k++) class[k] = k;
    sepal_status status = make_groups(d, class, d->classes);
    mem_free(class);
    return status;
}

static void clear_groups(struct rest_group *groups, size_t n) {
    for (size_t g = 0; g < n; g++) group_clear(&groups[g]);
    mem_free(groups);
}

void rest_close(struct rest_descent *d) {
    clear_groups(d->groups, d->n_groups);
    mem_free(d->norm);
    mem_free(d->order);
}

/* ---- weights anew -------------------------------------------------------------------------- */

static void add_rows(double *v, const struct rest_point *point, const struct rest *rest,
                     double *room) {
    const struct objective *o = rest->o;
    double d[WIDE_LANES] = {0};
    for (size_t row = 0; row < o->n; row++) {
        size_t i;
        const struct block *block = matrix_block_of(&o->rows, row, &i);
        const double *x;
        const uint32_t *index;
        bool moves = false;
        for (size_t l = 0; l < point->n; l++) {
            size_t k = point->class[l];
            bool own = rest->label[row] == (int32_t)k;
            double share = o->share[row] * rest_factor(rest, k, own) / o->l2;
            d[l] = (own ? share : -share) * (double)point->pull[row * point->lanes + l];
            moves = moves || d[l] != 0;
        }
        if (!moves) continue;
        size_t n = row_doubles(&x, &index, block, i, o->cols, o->centre, room);
        o->ctx->kernels->wide_add_f64(v, d, x, index, n, point->lanes);
    }
}

static sepal_status settle_group(sepal_ctx *ctx, size_t g, void *payload) {
    const struct rest_descent *d = payload;
    const struct objective *o = d->rest->o;
    struct rest_point *point = &d->groups[g].point;
    void *block;
    double *v = lines(&block, ctx, o->cols, point->lanes * sizeof *v);
    double *room = mem_alloc(ctx, o->cols, sizeof *room);
    if (v && room) {
        add_rows(v, point, d->rest, room);
        singles_round(point->w, v, o->cols * point->lanes);
    }
    bool done = v && room;
    mem_free(block);
    mem_free(room);
    return done ? SEPAL_OK : SEPAL_EMEMORY;
}

sepal_status rest_settle(struct rest_descent *d) {
    return parallel_for(d->rest->o->ctx, d->n_groups, settle_group, d);
}

/* ---- fewer classes ------------------------------------------------------------------------ */

static void copy_lane(struct rest_group *to, size_t l, const struct rest_group *from, size_t s,
                      const struct objective *o) {
    size_t wide = to->point.lanes, before = from->point.lanes;
    for (size_t j = 0; j < o->cols; j++) to->point.w[j * wide + l] = from->point.w[j * before + s];
    for (size_t i = 0; i < o->n; i++)
        to->point.pull[i * wide + l] = from->point.pull[i * before + s];
    to->point.bias[l] = from->point.bias[s];
    to->anchor[l] = from->anchor[s];
    to->worst[1] = fmax(to->worst[1], from->worst[1]);
}

static void copy_lanes(struct rest_group *to, const struct rest_group *groups, size_t n,
                       const struct objective *o) {
    for (size_t l = 0; l < to->point.n; l++)
        for (size_t g = 0; g < n; g++)
            for (size_t s = 0; s < groups[g].point.n; s++)
                if (groups[g].point.class[s] == to->point.class[l])
                    copy_lane(to, l, &groups[g], s, o);
}

sepal_status rest_keep(struct rest_descent *d, const bool *wanted) {
    const struct objective *o = d->rest->o;
    struct rest_group *before = d->groups;
    size_t n_before = d->n_groups, kept = 0, lanes = 0;
    size_t *class = mem_alloc(o->ctx, d->classes, sizeof *class);
    if (!class) return SEPAL_EMEMORY;
    for (size_t g = 0; g < n_before; g++) lanes += before[g].point.lanes;
    for (size_t k = 0; k < d->classes; k++)
        if (wanted[k]) class[kept++] = k;
    /* half the lanes and less: copying pays */
    sepal_status status = SEPAL_OK;
    if (2 * (kept <= WIDE_HALF ? WIDE_HALF : (kept + WIDE_LANES - 1) / WIDE_LANES * WIDE_LANES) <=
        lanes) {
        d->groups = NULL;
        status = make_groups(d, class, kept);
        for (size_t g = 0; status == SEPAL_OK && g < d->n_groups; g++)
            copy_lanes(&d->groups[g], before, n_before, o);
        clear_groups(before, n_before);
    }
    mem_free(class);
    return status;
}
