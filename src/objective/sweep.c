/* Passes over the rows. A task is a slab: it goes over its rows, panel by panel, and adds to sums of its
   own; then the slabs are added up, stripe by stripe. Dense rows are made doubles less their centre
   a panel at a time, and both products are taken while the panel is in the cache. With few columns a
   panel is turned: sums then run over a column's numbers, of many rows, and not over a row's few. */
#include "core/alloc.h"
#include "core/parallel.h"
#include "objective/objective.h"

#include <string.h>

/* TURNED: rows of a panel by columns, which are some lines of the cache more apart, since a power of two
   would bring them all to the same few lines. */
enum { PANEL = 32, TURNED = 256, APART = TURNED + 8, STRIPE = 1 << 14 };

/* What a pass does; NULL: leave it. */
struct sweep_pass {
    const struct objective *o;
    const double *v; /* scores are taken of this point */
    double shift;    /* added to the scores of sparse rows: the bias less c . v */
    double *score;   /* n: scores, margins or products, as `turn` leaves them */
    /* From the scores of n rows from number i on, the factors with which the rows are added. */
    void (*turn)(struct sweep_pass *pass, size_t slab, size_t i, size_t n, double *score,
                 double *factor);
    const double *factor; /* n: used instead of scores where there is no v */
    struct sweep *sweep;
    const double *curvature;
    bool squares; /* of the rows' numbers are added, not the rows */
    double *out;  /* sums of factor times the row; NULL: not wanted */
    double *gram; /* slabs x cols x width: of the Hessian's rows; NULL: not wanted */
    double loss[SLABS_MOST], factors[SLABS_MOST];
};

/* ---- one panel ---------------------------------------------------------------------------- */

struct panel {
    const struct block *block;
    size_t local, n; /* rows of the block */
    bool dense, turned;
    const double *x[PANEL]; /* of dense rows, centred */
    const double *columns;  /* turned: the same by columns, `apart` numbers from each other */
    size_t apart;
    double score[TURNED], factor[TURNED];
};

/* The rows of a panel: those of a block that are kept by columns, or turned here. */
static void turn_panel(const struct objective *o, const struct kernels *kernels,
                       struct panel *panel, double *scratch) {
    size_t row = panel->block->first_row + panel->local, cols = o->cols;
    panel->columns = o->columns ? o->columns + row : scratch;
    panel->apart = o->columns ? o->apart : APART;
    for (size_t i = 0, n; !o->columns && i < panel->n; i += n) {
        n = panel->n - i < PANEL ? panel->n - i : PANEL;
        block_panel(panel->x, kernels, panel->block, panel->local + i, n, cols, o->centre,
                    scratch + cols * APART);
        kernels->turn(scratch + i, APART, panel->x[0], n, cols); /* they follow each other */
    }
}

/* Rows that a product will not add need no score. */
static void panel_scores(const struct sweep_pass *pass, const struct kernels *kernels,
                         struct panel *panel, size_t row) {
    const struct objective *o = pass->o;
    const double *curvature = pass->curvature && !pass->score ? pass->curvature + row : NULL;
    if (panel->turned) {
        for (size_t i = 0; i < panel->n; i++) panel->score[i] = pass->shift;
        kernels->add_columns(panel->score, pass->v, panel->columns, panel->apart, o->cols,
                             panel->n);
        return;
    }
    if (panel->dense) {
        kernels->dot_rows(panel->score, panel->x, panel->n, pass->v, o->cols);
        for (size_t i = 0; i < panel->n; i++) panel->score[i] += pass->shift;
        return;
    }
    for (size_t i = 0; i < panel->n; i++) {
        if (curvature && curvature[i] == 0)
            panel->score[i] = 0;
        else
            panel->score[i] =
                row_dot(kernels, panel->block, panel->local + i, o->cols, pass->v) + pass->shift;
    }
}

static void sweep_add_squares(const struct sweep_pass *pass, const struct panel *panel, size_t i,
                              double *sum) {
    const struct objective *o = pass->o;
    const struct block *block = panel->block;
    double factor = panel->factor[i];
    if (panel->dense) {
        const double *x = panel->x[i];
        for (size_t j = 0; j < o->cols; j++) sum[j] += factor * x[j] * x[j];
        return;
    }
    size_t row = panel->local + i;
    for (size_t at = block->start[row]; at < block->start[row + 1]; at++) {
        size_t column = block->index[at];
        double value = block_value(block, row, at), centre = o->centre ? o->centre[column] : 0;
        /* (x - c)^2 - c^2: the c^2 of all rows are added at the end */
        sum[column] += factor * value * (value - 2 * centre);
    }
}

/* Rows with a factor of 0 move up, out of the way. */
static void sweep_add_dense(const struct sweep_pass *pass, const struct kernels *kernels,
                            struct panel *panel, double *sum) {
    size_t used = 0;
    for (size_t i = 0; i < panel->n; i++) {
        panel->x[used] = panel->x[i];
        panel->factor[used] = panel->factor[i];
        used += panel->factor[i] != 0;
    }
    kernels->add_rows(sum, NULL, panel->factor, panel->x, used, pass->o->cols);
}

static void add_columns(const struct sweep_pass *pass, const struct kernels *kernels,
                        const struct panel *panel, double *sum) {
    double by[TURNED];
    if (!pass->squares)
        kernels->dot_columns(sum, 0, panel->factor, 0, 1, panel->columns, panel->apart,
                             pass->o->cols, panel->n);
    for (size_t j = 0; pass->squares && j < pass->o->cols; j++) {
        kernels->times(by, panel->columns + j * panel->apart, panel->factor, panel->n);
        sum[j] += kernels->dot_f64(panel->columns + j * panel->apart, by, panel->n);
    }
}

/* The Hessian on and above its diagonal, two rows at a time, without its last column, and that beside it. */
static void add_gram(const struct sweep_pass *pass, const struct kernels *kernels, size_t slab,
                     const struct panel *panel, size_t row) {
    size_t cols = pass->o->cols, apart = panel->apart, n = panel->n;
    const double *x = panel->columns, *curvature = pass->curvature + row;
    double *sum = pass->gram + slab * cols * (cols + 1), by[2 * TURNED];
    for (size_t j = 0, rows; j < cols; j += rows) {
        rows = cols - j < 2 ? 1 : 2;
        for (size_t r = 0; r < rows; r++)
            kernels->times(by + r * TURNED, x + (j + r) * apart, curvature, n);
        kernels->dot_columns(sum + j * cols + j, cols, by, TURNED, rows, x + j * apart, apart,
                             cols - j, n);
    }
    if (pass->o->width > cols)
        kernels->dot_columns(sum + cols * cols, 0, curvature, 0, 1, x, apart, cols, n);
}

/* The sum of the factors is asked for by a bias, and by a centre that sparse rows have not lost. */
static double sum_of_factors(const struct objective *o, const struct panel *panel) {
    double sum[4] = {0};
    size_t i = 0;
    if (o->bias == BIAS_NONE && !(o->rows.sparse && o->centre)) return 0;
    for (; panel->n - i >= 4; i += 4)
        for (size_t l = 0; l < 4; l++) sum[l] += panel->factor[i + l];
    for (; i < panel->n; i++) sum[0] += panel->factor[i];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

static void panel_adds(struct sweep_pass *pass, const struct kernels *kernels, size_t slab,
                       struct panel *panel) {
    const struct objective *o = pass->o;
    double *sum = o->slab_sum + slab * o->width;
    pass->factors[slab] += sum_of_factors(o, panel);
    if (panel->turned) {
        add_columns(pass, kernels, panel, sum);
        return;
    }
    if (panel->dense && !pass->squares) {
        sweep_add_dense(pass, kernels, panel, sum);
        return;
    }
    for (size_t i = 0; i < panel->n; i++) {
        if (panel->factor[i] == 0) continue;
        if (pass->squares)
            sweep_add_squares(pass, panel, i, sum);
        else
            row_axpy(kernels, panel->block, panel->local + i, o->cols, panel->factor[i], sum);
    }
}

/* ---- all of them -------------------------------------------------------------------------- */

/* Rows that are added with factors alone need not be read where all of these are 0. */
static bool is_idle(const struct sweep_pass *pass, size_t row, size_t n) {
    if (pass->v) return false;
    for (size_t i = 0; i < n; i++)
        if (pass->factor[row + i] != 0) return false;
    return true;
}

static void pass_block(struct sweep_pass *pass, const struct kernels *kernels, size_t slab,
                       const struct block *block, double *dense) {
    const struct objective *o = pass->o;
    struct panel panel; /* some kilobytes, not set to 0 */
    size_t most = o->turned ? TURNED : PANEL;
    panel.block = block;
    panel.dense = dense != NULL;
    panel.turned = dense && o->turned;
    panel.apart = 0;
    for (size_t i = 0; i < block->rows; i += panel.n) {
        size_t row = block->first_row + i;
        panel.local = i;
        panel.n = block->rows - i < most ? block->rows - i : most;
        if (is_idle(pass, row, panel.n)) continue;
        if (panel.turned)
            turn_panel(o, kernels, &panel, dense);
        else if (dense)
            block_panel(panel.x, kernels, block, i, panel.n, o->cols, o->centre, dense);
        if (pass->v)
            panel_scores(pass, kernels, &panel, row);
        else
            memcpy(panel.factor, pass->factor + row, panel.n * sizeof *panel.factor);
        if (pass->turn) pass->turn(pass, slab, row, panel.n, panel.score, panel.factor);
        if (pass->score) memcpy(pass->score + row, panel.score, panel.n * sizeof *panel.score);
        if (panel.turned && pass->gram) add_gram(pass, kernels, slab, &panel, row);
        if (pass->out) panel_adds(pass, kernels, slab, &panel);
    }
}

static sepal_status sweep_pass_slab(sepal_ctx *ctx, size_t slab, void *payload) {
    struct sweep_pass *pass = payload;
    const struct objective *o = pass->o;
    double *dense = NULL;
    size_t gram = o->cols * (o->cols + 1);
    if (pass->out) memset(o->slab_sum + slab * o->width, 0, o->width * sizeof(double));
    if (pass->gram) memset(pass->gram + slab * gram, 0, gram * sizeof *pass->gram);
    size_t held = o->turned ? PANEL + APART : PANEL;
    if (!o->rows.sparse && !(dense = mem_alloc(ctx, held * o->cols, sizeof *dense)))
        return SEPAL_EMEMORY;
    for (size_t b = 0; b < o->rows.n_blocks; b++) {
        const struct block *block = &o->rows.blocks[b];
        if (block->first_row < o->slab_first[slab]) continue;
        if (block->first_row >= o->slab_first[slab + 1]) break;
        pass_block(pass, ctx->kernels, slab, block, dense);
    }
    mem_free(dense);
    return SEPAL_OK;
}

/* The sums of the slabs, in their order. */
static sepal_status sweep_add_stripe(sepal_ctx *ctx, size_t stripe, void *payload) {
    const struct sweep_pass *pass = payload;
    const struct objective *o = pass->o;
    size_t from = stripe * STRIPE, to = from + STRIPE < o->cols ? from + STRIPE : o->cols;
    (void)ctx;
    double *out = pass->out;
    memcpy(out + from, o->slab_sum + from, (to - from) * sizeof *out);
    for (size_t s = 1; s < o->slabs; s++) {
        const double *sum = o->slab_sum + s * o->width;
        for (size_t j = from; j < to; j++) out[j] += sum[j];
    }
    return SEPAL_OK;
}

/* What the centre of sparse rows takes off, or adds to squares; and the place of the bias. */
static void sweep_finish(const struct sweep_pass *pass) {
    const struct objective *o = pass->o;
    double factors = objective_total(o, pass->factors);
    bool implicit = o->rows.sparse && o->centre;
    for (size_t j = 0; implicit && j < o->cols; j++)
        pass->out[j] +=
            pass->squares ? factors * o->centre[j] * o->centre[j] : -factors * o->centre[j];
    if (o->bias != BIAS_NONE) pass->out[o->cols] = factors;
}

static sepal_status sweep_run_pass(struct sweep_pass *pass) {
    const struct objective *o = pass->o;
    if (pass->v) {
        pass->shift = objective_bias(o, pass->v);
        if (o->rows.sparse && o->centre)
            pass->shift -= o->ctx->kernels->dot_f64(o->centre, pass->v, o->cols);
    }
    TRY(parallel_for(o->ctx, o->slabs, sweep_pass_slab, pass));
    if (!pass->out) return SEPAL_OK;
    TRY(parallel_for(o->ctx, (o->cols + STRIPE - 1) / STRIPE, sweep_add_stripe, pass));
    sweep_finish(pass);
    return SEPAL_OK;
}

/* ---- the passes --------------------------------------------------------------------------- */

static void turn_to_margins(struct sweep_pass *pass, size_t slab, size_t i, size_t n, double *score,
                            double *factor) {
    (void)slab, (void)factor;
    for (size_t k = 0; k < n; k++) score[k] *= objective_side(pass->o, i + k);
}

sepal_status objective_margins(double *m, const struct objective *o, const double *u) {
    struct sweep_pass pass = {.o = o, .v = u, .score = m, .turn = turn_to_margins};
    return sweep_run_pass(&pass);
}

sepal_status objective_back(double *out, const struct objective *o, const double *r) {
    struct sweep_pass pass = {.o = o, .factor = r, .out = out};
    return sweep_run_pass(&pass);
}

sepal_status objective_diagonal(double *out, const struct objective *o, const double *r) {
    struct sweep_pass pass = {.o = o, .factor = r, .squares = true, .out = out};
    return sweep_run_pass(&pass);
}

static void turn_by_row_weights(struct sweep_pass *pass, size_t slab, size_t i, size_t n,
                                double *score, double *factor) {
    const struct objective *o = pass->o;
    (void)slab, (void)score;
    for (size_t k = 0; k < n; k++) factor[k] *= o->row_weight[i + k] * objective_side(o, i + k);
}

sepal_status objective_dual_sums(double *out, const struct objective *o, const double *a) {
    struct sweep_pass pass = {.o = o, .factor = a, .turn = turn_by_row_weights, .out = out};
    return sweep_run_pass(&pass);
}

static void turn_to_slopes(struct sweep_pass *pass, size_t slab, size_t i, size_t n, double *score,
                           double *factor) {
    const struct objective *o = pass->o;
    double value[TURNED], *curvature = pass->sweep->curvature ? pass->sweep->curvature + i : NULL;
    const double *weight = o->row_weight + i;
    turn_to_margins(pass, slab, i, n, score, factor);
    o->loss->at(o->ctx->kernels, n, score, value, factor, curvature);
    pass->loss[slab] += o->ctx->kernels->dot_f64(weight, value, n);
    for (size_t k = 0; k < n; k++) factor[k] *= -weight[k] * objective_side(o, i + k);
    for (size_t k = 0; curvature && k < n; k++) curvature[k] *= weight[k];
}

/* Of all slabs, as a square. */
static void join_grams(double *out, const struct sweep_pass *pass) {
    const struct objective *o = pass->o;
    size_t cols = o->cols, width = o->width, gram = cols * (cols + 1);
    double sum = 0;
    for (size_t s = 1; s < o->slabs; s++)
        for (size_t k = 0; k < gram; k++) pass->gram[k] += pass->gram[s * gram + k];
    for (size_t j = 0; j < cols; j++) {
        for (size_t k = j; k < cols; k++) out[j * width + k] = pass->gram[j * cols + k];
        if (width > cols) out[j * width + cols] = pass->gram[cols * cols + j];
    }
    if (width == cols) return;
    for (size_t i = 0; i < o->n; i++) sum += pass->curvature[i];
    out[width * width - 1] = sum;
}

static sepal_status run_pass_with_gram(double *out, struct sweep_pass *pass) {
    const struct objective *o = pass->o;
    pass->gram = mem_alloc(o->ctx, o->slabs * o->cols, (o->cols + 1) * sizeof *pass->gram);
    if (!pass->gram) return SEPAL_EMEMORY;
    sepal_status status = sweep_run_pass(pass);
    if (status == SEPAL_OK) join_grams(out, pass);
    mem_free(pass->gram);
    return status;
}

sepal_status objective_hessian(double *out, const struct objective *o, const double *curvature) {
    struct sweep_pass pass = {.o = o, .factor = curvature, .curvature = curvature};
    return run_pass_with_gram(out, &pass);
}

sepal_status objective_sweep(struct sweep *sweep, const struct objective *o, const double *u) {
    struct sweep_pass pass = {.o = o,
                              .v = u,
                              .score = sweep->m,
                              .turn = turn_to_slopes,
                              .sweep = sweep,
                              .out = sweep->gradient};
    if (sweep->hessian) pass.curvature = sweep->curvature;
    TRY(sweep->hessian ? run_pass_with_gram(sweep->hessian, &pass) : sweep_run_pass(&pass));
    sweep->loss = objective_total(o, pass.loss);
    return SEPAL_OK;
}

static void turn_to_hessian(struct sweep_pass *pass, size_t slab, size_t i, size_t n, double *score,
                            double *factor) {
    (void)slab;
    for (size_t k = 0; k < n; k++) factor[k] = score[k] * pass->curvature[i + k];
}

sepal_status objective_product(double *out, double *t, const struct objective *o,
                               const double *curvature, const double *v) {
    struct sweep_pass pass = {
        .o = o, .v = v, .score = t, .turn = turn_to_hessian, .curvature = curvature, .out = out};
    return sweep_run_pass(&pass);
}
