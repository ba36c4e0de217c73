/* Newton's method for the classes of one-versus-rest at once. The step of each class solves its quadratic
   model by conjugate gradients, and one pass over the rows serves the products of all classes. They are
   preconditioned by a factor of a Hessian of some rows: at the start, where all curvatures are alike, one
   factor serves all classes; a class for which it has become too poor gets its own. Where rows have few
   columns, and for a squared hinge, the factors are of all rows, and the solution of the model itself.

   The dual point is that of the margins, or that of the model: with a step s the dual variables move by
   -curvature times the change of the margins, so that their sums are those of the model's gradient where
   the conjugate gradients ended, but for what has to be brought into the range of the loss.

   Rows that fill more than the caches are read in single precision while the gap asked for is coarse. */
#include "solvers/ovr_state.h"

#include "core/alloc.h"
#include "kernels/blas.h"

#include <string.h>

enum { VECTORS = 8 };

/* ---- fewer lanes ------------------------------------------------------------------------------ */

static void compact_lanes(double *numbers, size_t count, size_t lanes, const size_t *kept,
                          size_t n) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < n; k++) numbers[i * n + k] = numbers[i * lanes + kept[k]];
}

/* Half of the lanes and more are done with: the others move together. */
static void drop_lanes(struct ovr_state *s) {
    const struct objective *o = s->ovr.rest->o;
    size_t lanes = s->ovr.lanes, kept[OVR_LANES], n = 0;
    for (size_t l = 0; l < lanes; l++)
        if (s->goes[l]) kept[n++] = l;
    if (n == 0 || 2 * n > lanes) return;
    double *of_columns[] = {s->u, s->gradient}, *of_rows[] = {s->m, s->alpha, s->curvature};
    for (size_t k = 0; k < 2; k++) compact_lanes(of_columns[k], o->width, lanes, kept, n);
    for (size_t k = 0; k < 3; k++) compact_lanes(of_rows[k], o->n, lanes, kept, n);
    for (size_t l = 0; l < lanes; l++) s->ovr.lane[s->ovr.class[l]] = -1;
    for (size_t k = 0; k < n; k++) {
        size_t l = kept[k];
        /* a matrix that another uses too has its owner still, who frees it at the end */
        struct ovr_factor moved = s->factor[l];
        s->factor[l] = s->factor[k];
        s->factor[k] = moved;
        s->ovr.class[k] = s->ovr.class[l];
        s->ovr.lane[s->ovr.class[k]] = (int32_t)k;
        s->place[k] = s->place[l];
        s->objective[k] = s->objective[l];
        s->gap[k] = s->gap[l];
        s->shrink[k] = s->shrink[l];
        s->by_model[k] = s->by_model[l];
        s->products[k] = s->products[l];
        s->goes[k] = true;
    }
    s->ovr.lanes = n;
}

/* ---- together --------------------------------------------------------------------------------- */

/* For rows that do not fit the caches, and a gap far above the rounding of singles. The proof, which is in
   doubles, has the last word: if it is not content, doubles go on. */
static bool single_precision_suffices(const struct ovr_newton *d) {
    static const double coarse = 1e-4;
    const struct objective *o = d->rest->o;
    return d->tol >= coarse && (o->rows.sparse || o->ctx->blas->gemm_nn_single);
}

static sepal_status go_on_in_doubles(struct ovr_state *s) {
    s->ovr.single = false;
    TRY(ovr_margins(s->m, &s->ovr, s->u));
    TRY(ovr_evaluate(s));
    ovr_measure_gaps(s);
    return SEPAL_OK;
}

static sepal_status open_state(struct ovr_newton *d) {
    const struct objective *o = d->rest->o;
    size_t lanes = d->point->n, wide = o->width * lanes, rows = o->n * lanes;
    struct ovr_state *s = mem_zero(o->ctx, 1, sizeof *s);
    d->state = s;
    if (!s) return SEPAL_EMEMORY;
    s->ovr = (struct ovr){.rest = d->rest, .lanes = lanes, .arena = &s->arena};
    s->ovr.lane = mem_alloc(o->ctx, d->rest->classes, sizeof *s->ovr.lane);
    s->ovr.sums = mem_alloc(o->ctx, o->slabs * wide, sizeof *s->ovr.sums);
    s->room = mem_alloc(o->ctx, VECTORS * wide + 4 * rows, sizeof *s->room);
    if (!s->ovr.lane || !s->ovr.sums || !s->room) return SEPAL_EMEMORY;
    s->ovr.single = single_precision_suffices(d);
    TRY(ovr_keep_rows(&s->ovr));
    if (s->ovr.single && !(s->ovr.v = mem_alloc(o->ctx, o->width, OVR_LANES * sizeof *s->ovr.v)))
        return SEPAL_EMEMORY;
    double **vector[] = {&s->u, &s->left, &s->step, &s->gradient, &s->r, &s->z, &s->p, &s->q};
    for (size_t k = 0; k < VECTORS; k++) *vector[k] = s->room + k * wide;
    s->m = s->room + VECTORS * wide;
    s->before = s->m + rows;
    s->curvature = s->before + rows;
    s->alpha = s->curvature + rows;
    memset(s->u, 0, wide * sizeof *s->u);
    memset(s->m, 0, rows * sizeof *s->m);
    for (size_t k = 0; k < d->rest->classes; k++) s->ovr.lane[k] = -1;
    for (size_t l = 0; l < lanes; l++) {
        s->place[l] = l;
        s->ovr.class[l] = d->point->class[l];
        s->ovr.lane[s->ovr.class[l]] = (int32_t)l;
    }
    TRY(ovr_evaluate(s));
    ovr_measure_gaps(s);
    return SEPAL_OK;
}

void ovr_newton_close(struct ovr_newton *d) {
    struct ovr_state *s = d->state;
    if (!s) return;
    ovr_free_factors(s);
    arena_clear(&s->arena);
    mem_free(s->ovr.lane);
    mem_free(s->ovr.sums);
    mem_free(s->ovr.dense);
    mem_free(s->ovr.v);
    mem_free(s->room);
    mem_free(s);
    d->state = NULL;
}

static bool all_stuck(const struct ovr_state *s) {
    for (size_t l = 0; l < s->ovr.lanes; l++)
        if (s->goes[l] && !s->stuck[l]) return false;
    return true;
}

sepal_status ovr_newton(struct ovr_newton *d, const bool *wanted) {
    bool again = d->state != NULL;
    if (!again) TRY(open_state(d));
    struct ovr_state *s = d->state;
    if (again && s->ovr.single) TRY(go_on_in_doubles(s));
    for (size_t l = 0; l < s->ovr.lanes; l++) s->goes[l] = wanted[s->place[l]];
    d->stalled = !ovr_any(s->goes, s->ovr.lanes); /* who was let go is not taken back */
    for (;;) {
        double length[OVR_LANES];
        for (size_t l = 0; l < s->ovr.lanes; l++) {
            if (!s->goes[l] || s->gap[l] > ovr_allowed(d, s, l)) continue;
            ovr_keep_lane(d, s, l);
            s->goes[l] = false;
        }
        if (!ovr_any(s->goes, s->ovr.lanes)) return SEPAL_OK;
        d->stalled = d->iterations > 0 && all_stuck(s);
        if (d->stalled || d->iterations >= d->max_iter || ovr_asks_to_stop(d, s)) break;
        drop_lanes(s);
        sepal_status status = ovr_find_steps(d, s);
        if (status == SEPAL_ECANCEL) {
            /* in the middle of a step: the point so far is the answer */
            forgive(s->ovr.rest->o->ctx);
            (void)ovr_asks_to_stop(d, s);
            d->stopped = true;
        } else {
            TRY(status);
        }
        if (d->stopped || s->broken) break;
        TRY(ovr_advance(s, length));
        d->iterations++;
        ovr_measure_gaps(s);
        TRY(ovr_measure_model_gaps(d, s, length));
    }
    d->stalled = true;
    for (size_t l = 0; l < s->ovr.lanes; l++)
        if (s->goes[l]) ovr_keep_lane(d, s, l);
    return SEPAL_OK;
}
