#include "core/parallel.h"
#include "joint/joint_solver.h"
#include "kernels/blas.h"
#include "solvers/newton.h"

#include <math.h>
#include <string.h>

/* Factors pay for few columns only, and have to fit. */
enum { FACTOR_WIDTH_MOST = 2048, FACTOR_NUMBERS_MOST = 1 << 25 };
enum { ROWS_LEAST = 6 }; /* rows to a column: square data take a quarter of the time by diagonals */
enum { WIDE = 96 };      /* from so many columns on a factor is worth a thread */

static bool has_factors(const struct joint *j) {
    size_t width = j->o->width;
    if (j->o->l2 > 0 && j->o->n < ROWS_LEAST * width) return false;
    return width <= FACTOR_WIDTH_MOST && j->classes <= FACTOR_NUMBERS_MOST / (width * width);
}

sepal_status joint_precondition_init(struct joint_preconditioner *p, const struct joint *j,
                                     struct arena *arena) {
    sepal_ctx *ctx = j->o->ctx;
    size_t width = j->o->width;
    *p = (struct joint_preconditioner){.j = j, .factors = 1};
    p->scale = arena_alloc(ctx, arena, j->size, sizeof *p->scale);
    p->curvature = arena_alloc(ctx, arena, j->cells, sizeof *p->curvature);
    if (!p->scale || !p->curvature) return SEPAL_EMEMORY;
    if (!has_factors(j)) return SEPAL_OK;
    p->hessian = arena_zero(ctx, arena, 1, sizeof *p->hessian);
    p->factor = arena_alloc(ctx, arena, j->classes * width, width * sizeof *p->factor);
    p->room = arena_alloc(ctx, arena, j->classes * width, sizeof *p->room);
    if (!p->hessian || !p->factor || !p->room) return SEPAL_EMEMORY;
    TRY(hessian_init(p->hessian, j->o, arena));
    p->hessian->single = hessian_may_be_single(p->hessian, 1);
    return SEPAL_OK;
}

/* ---- diagonals -------------------------------------------------------------------------------- */

/* The root of the diagonal is a better preconditioner than the diagonal for counts and bits; but columns of
   very different scale need all of it, and so does a problem without a penalty. */
static void scale_diagonal(struct joint_preconditioner *p) {
    static const double far = 1e9;
    const struct joint *j = p->j;
    double *h = p->scale, least = INFINITY, most = 0;
    for (size_t k = 0; k < joint_penalised(j); k++) h[k] += j->o->l2;
    for (size_t c = 0; c < j->o->width; c++)
        for (size_t k = 0; k < j->classes; k++) {
            double own = h[c * j->lanes + k];
            if (own > 0) least = fmin(least, own);
            most = fmax(most, own);
        }
    bool whole = !(j->o->l2 > 0) || most > far * least;
    for (size_t k = 0; k < j->size; k++) h[k] = !(h[k] > 0) ? 1 : whole ? h[k] : sqrt(h[k]);
}

static sepal_status make_diagonal(struct joint_preconditioner *p, const double *state) {
    const struct joint *j = p->j;
    for (size_t i = 0; i < j->o->n; i++)
        for (size_t l = 0; l < j->lanes; l++) {
            size_t at = i * j->lanes + l;
            p->curvature[at] = j->o->row_weight[i] * state[at] * (1 - state[at]);
        }
    TRY(joint_squares(p->scale, j, p->curvature));
    scale_diagonal(p);
    return SEPAL_OK;
}

/* ---- factors ---------------------------------------------------------------------------------- */

/* At weights of 0 all classes have the same probabilities. */
static bool are_alike(const struct joint *j, const double *state) {
    for (size_t i = 0; i < j->o->n; i++)
        for (size_t k = 1; k < j->classes; k++)
            if (state[i * j->lanes + k] != state[i * j->lanes]) return false;
    return true;
}

/* Columns that do not move take no part: their rows and columns are those of the identity. */
static void leave_out(const struct joint_preconditioner *p, double *h, size_t k) {
    const struct joint *j = p->j;
    size_t width = j->o->width;
    for (size_t a = 0; p->moves && a < width; a++)
        for (size_t b = a; b < width; b++)
            if (!p->moves[a * j->lanes + k] || !p->moves[b * j->lanes + k])
                h[a * width + b] = a == b;
}

static sepal_status make_hessian(struct joint_preconditioner *p, const double *state, size_t k) {
    const struct joint *j = p->j;
    const struct objective *o = j->o;
    for (size_t i = 0; i < o->n; i++) {
        double part = state[i * j->lanes + k];
        p->curvature[i] = o->row_weight[i] * part * (1 - part);
    }
    return hessian_make(p->factor + k * o->width * o->width, p->hessian, p->curvature);
}

static sepal_status make_factor(sepal_ctx *ctx, size_t k, void *payload) {
    struct joint_preconditioner *p = payload;
    size_t width = p->j->o->width;
    double *factor = p->factor + k * width * width;
    leave_out(p, factor, k);
    if (factor_make(factor, width, p->scale + k * width, ctx)) return SEPAL_OK;
    /* numbers beyond the range of a double: the columns as they are */
    memset(factor, 0, width * width * sizeof *factor);
    for (size_t c = 0; c < width; c++) {
        factor[c * width + c] = 1;
        p->scale[k * width + c] = 1;
    }
    return SEPAL_OK;
}

sepal_status joint_precondition_make(struct joint_preconditioner *p, const double *state) {
    if (!p->hessian) return make_diagonal(p, state);
    p->factors = are_alike(p->j, state) && !p->moves ? 1 : p->j->classes;
    for (size_t k = 0; k < p->factors; k++) TRY(make_hessian(p, state, k));
    return parallel_if(p->j->o->width >= WIDE, p->j->o->ctx, p->factors, make_factor, p);
}

sepal_status joint_precondition_some(struct joint_preconditioner *p, const double *state,
                                     const bool *moves) {
    p->moves = moves;
    return joint_precondition_make(p, state);
}

/* ---- their use -------------------------------------------------------------------------------- */

struct joint_solves {
    const struct joint_preconditioner *p;
    double *z;
};

static sepal_status solve_class(sepal_ctx *ctx, size_t k, void *payload) {
    const struct joint_solves *all = payload;
    const struct joint_preconditioner *p = all->p;
    size_t width = p->j->o->width, lanes = p->j->lanes, which = p->factors == 1 ? 0 : k;
    double *x = p->room + k * width, *z = all->z + k;
    for (size_t c = 0; c < width; c++) x[c] = z[c * lanes];
    factor_solve(p->factor + which * width * width, width, p->scale + which * width, x, ctx);
    for (size_t c = 0; c < width; c++) z[c * lanes] = x[c];
    return SEPAL_OK;
}

void joint_precondition(const struct joint_preconditioner *p, const double *r, double *z) {
    const struct joint *j = p->j;
    struct joint_solves all = {.p = p, .z = z};
    memcpy(z, r, j->size * sizeof *z);
    for (size_t k = 0; !p->hessian && k < j->size; k++) z[k] /= p->scale[k];
    if (p->hessian)
        (void)parallel_if(j->o->width >= WIDE, j->o->ctx, j->classes, solve_class, &all);
    for (size_t k = 0; p->moves && k < j->size; k++)
        if (!p->moves[k]) z[k] = 0;
}

double joint_precondition_price(const struct joint_preconditioner *p) {
    const struct joint *j = p->j;
    static const double product = 0.3; /* of a matrix product, beside a pass's operation */
    if (!p->hessian) return 1;
    double width = (double)j->o->width, entries = joint_entries(j) / (double)j->o->n;
    double each = p->hessian->scatters ? entries / 4 : width * width / entries * product / 8;
    return each + width * width * width / 3 * (double)j->classes /
                      (joint_entries(j) * 4 * (double)j->lanes);
}
