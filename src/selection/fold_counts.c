/* The models of the folds differ little: nine tenths of the rows are the same. So one model stands for all, the mean
   of theirs, with a bound on how far the scores of any of them are from its own. With z = (x - c) / d, the row in
   units d of its columns, a score w.(x - c) + b of theirs differs by at most |d (w - mean of the w)| |z| + |b - mean
   of the b|, by Cauchy and Schwarz, and by what rounding adds. Where the largest score is above all others by more
   than that, all models decide alike. In the rows that are left the classes that may still win are scored by all
   models side by side, and where rounding could decide, as a prediction scores them. So no decision differs from
   that of linear_predict. Quadratic scores are linear in products of the columns (fold_lift.h). */
#include "selection/fold_counts.h"

#include "core/alloc.h"
#include "kernels/kernels.h"
#include "linear/decide.h"
#include "linear/strategy.h"
#include "selection/fold_lift.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PANEL_ROWS = 32, SCALED_ROWS = 256, HELD_ROWS = 256, FOUR = 4 };
/* Rounding errors of a score of n columns, far more than there are, in units of (n + 16) epsilon. */
static const double ROUNDINGS = 64;

struct middle {
    enum lift lift;
    size_t cols, width;     /* of a row; of what scores are linear in */
    size_t rows, lanes;     /* score functions; these to a multiple of 4 */
    size_t folds;           /* to a multiple of 4 */
    double *centre;         /* c; cols */
    double *inverse, *zero; /* 1 / d; 0; width */
    double *w, *b;          /* width x lanes; lanes */
    double *slope, *offset; /* of the bound; lanes */
    double *each_w,
        *each_b; /* rows x width x folds; rows x folds: of the models, less what their functions have in
                                common */
    double rounding[2]; /* slope and offset of the bound on how wrong these scores may be */
};
struct counting {
    const sepal_data *data;
    const uint32_t *fold;
    const struct linear *const *model;
    size_t folds, classes;
    double *scores; /* of each row by the model of its own fold; NULL: not wanted */
    double **bias;  /* linear_biases of each model */
    struct middle middle;
};

bool fold_counts_pay(const sepal_data *data, size_t folds) {
    enum { COUNTS_MOST = 1 << 20, COUNTS_A_ROW = 4 };
    double classes = (double)data->schema->n_classes;
    double counts = (2 * (double)folds + 1) * classes * classes;
    return counts <= COUNTS_MOST && counts <= COUNTS_A_ROW * (double)data->matrix.rows;
}

bool fold_counts_serve(const struct linear *linear, size_t folds) {
    static const double NUMBERS_MOST = 1 << 23; /* 64 MB */
    bool largest = linear->strategy->decide == strategy_largest && linear->rows == linear->classes;
    if ((!largest && linear->strategy != &strategy_sign) || !lift_serves(linear)) return false;
    double width = (double)lift_width(lift_of(linear), linear->cols);
    return width * (double)linear->rows * (double)(folds + FOUR) <= NUMBERS_MOST;
}

/* ---- the middle --------------------------------------------------------------------------- */

static const struct linear *first_of(const struct counting *all) {
    for (size_t f = 0; f < all->folds; f++)
        if (all->model[f]) return all->model[f];
    return NULL;
}

/* The mean sizes in the first rows; any numbers above 0 would do. */
static void find_units(struct middle *m, const struct matrix *x, double *row, double *lifted) {
    const struct block *block = &x->blocks[0];
    size_t n = block->rows < SCALED_ROWS ? block->rows : SCALED_ROWS;
    for (size_t i = 0; i < n; i++) {
        block_dense(block, i, 1, m->cols, m->centre, NULL, row, m->cols);
        lift_row(lifted, m->lift, row, m->cols);
        for (size_t j = 0; j < m->width; j++) m->inverse[j] += fabs(lifted[j]);
    }
    for (size_t j = 0; j < m->width; j++) {
        double unit = m->inverse[j] / (double)n;
        m->inverse[j] = unit > 1e-100 && unit < 1e100 ? 1 / unit : 1;
    }
}

/* What all functions of a model have in common is taken off where the largest decides: the mean of them. */
static void take_common(struct lifted *lifted, const struct middle *m, double *mean) {
    size_t width = m->width, rows = m->rows;
    double bias = 0;
    if (rows == 1) return;
    memset(mean, 0, width * sizeof *mean);
    for (size_t r = 0; r < rows; r++) {
        for (size_t j = 0; j < width; j++) mean[j] += lifted->w[r * width + j] / (double)rows;
        bias += lifted->b[r] / (double)rows;
    }
    for (size_t r = 0; r < rows; r++) {
        for (size_t j = 0; j < width; j++) lifted->w[r * width + j] -= mean[j];
        lifted->b[r] -= bias;
    }
}

static double norm_in_units(const struct middle *m, const double *w, size_t step,
                            const double *from) {
    double sum = 0;
    for (size_t j = 0; j < m->width; j++) {
        double off = (w[j * step] - (from ? from[j] : 0)) / m->inverse[j];
        sum += off * off;
    }
    return sqrt(sum);
}

/* What the scores of a model may be wrong by, here and in a prediction. */
static void add_roundings(struct middle *m, const struct lifted *lifted) {
    double unit = ROUNDINGS * DBL_EPSILON * (double)(m->width + 16), w = 0, b = 0;
    for (size_t r = 0; r < m->rows; r++) {
        w = fmax(w, norm_in_units(m, lifted->size_w + r * m->width, 1, NULL));
        b = fmax(b, lifted->size_b[r]);
    }
    m->rounding[0] = fmax(m->rounding[0], unit * w);
    m->rounding[1] = fmax(m->rounding[1], unit * b);
}

static sepal_status find_each(struct middle *m, const struct counting *all, sepal_ctx *ctx,
                              double *room) {
    size_t width = m->width, step = m->folds;
    for (size_t f = 0; f < all->folds; f++) {
        struct arena arena = {0};
        struct lifted lifted;
        if (!all->model[f]) continue;
        sepal_status status = lifted_make(&lifted, ctx, &arena, all->model[f], m->centre);
        if (status == SEPAL_OK) {
            add_roundings(m, &lifted);
            take_common(&lifted, m, room);
            for (size_t r = 0; r < m->rows; r++) {
                m->each_b[r * step + f] = lifted.b[r];
                for (size_t j = 0; j < width; j++)
                    m->each_w[(r * width + j) * step + f] = lifted.w[r * width + j];
            }
        }
        arena_clear(&arena);
        TRY(status);
    }
    return SEPAL_OK;
}

static void find_middle(struct middle *m, const struct counting *all, double *mean) {
    size_t width = m->width, step = m->folds;
    double models = 0;
    for (size_t f = 0; f < all->folds; f++) models += all->model[f] != NULL;
    for (size_t r = 0; r < m->rows; r++) {
        const double *w = m->each_w + r * width * step, *b = m->each_b + r * step;
        double far = 0, off = 0;
        memset(mean, 0, width * sizeof *mean);
        for (size_t f = 0; f < all->folds; f++) { /* those of no model are 0 */
            m->b[r] += b[f] / models;
            for (size_t j = 0; j < width; j++) mean[j] += w[j * step + f] / models;
        }
        for (size_t f = 0; f < all->folds; f++) {
            if (!all->model[f]) continue;
            off = fmax(off, fabs(b[f] - m->b[r]));
            far = fmax(far, norm_in_units(m, w + f, step, mean));
        }
        m->slope[r] = (far + m->rounding[0]) * (1 + 1e-9); /* and those of the bound itself */
        m->offset[r] = (off + m->rounding[1]) * (1 + 1e-9);
        for (size_t j = 0; j < width; j++) m->w[j * m->lanes + r] = mean[j];
    }
}

static sepal_status make_middle(struct counting *all, sepal_ctx *ctx, struct arena *arena) {
    struct middle *m = &all->middle;
    const struct linear *first = first_of(all);
    m->lift = lift_of(first);
    m->rows = first->rows;
    m->cols = first->cols;
    m->width = lift_width(m->lift, m->cols);
    m->lanes = (m->rows + FOUR - 1) / FOUR * FOUR;
    m->folds = (all->folds + FOUR - 1) / FOUR * FOUR;
    double *of_columns = arena_zero(ctx, arena, 2, m->cols * sizeof *of_columns);
    double *of_width = arena_zero(ctx, arena, 3, m->width * sizeof *of_width);
    double *of_rows = arena_zero(ctx, arena, 3, m->lanes * sizeof *of_rows);
    m->w = arena_zero(ctx, arena, m->width, m->lanes * sizeof *m->w);
    m->each_w = arena_zero(ctx, arena, m->rows * m->width, m->folds * sizeof *m->each_w);
    m->each_b = arena_zero(ctx, arena, m->rows, m->folds * sizeof *m->each_b);
    if (!of_columns || !of_width || !of_rows || !m->w || !m->each_w || !m->each_b)
        return SEPAL_EMEMORY;
    m->centre = of_columns;
    m->inverse = of_width;
    m->zero = m->inverse + m->width;
    m->b = of_rows;
    m->slope = m->b + m->lanes;
    m->offset = m->slope + m->lanes;
    double *room = m->zero + m->width;
    if (first->centre) memcpy(m->centre, first->centre, m->cols * sizeof *m->centre);
    find_units(m, &all->data->matrix, m->centre + m->cols, room);
    TRY(find_each(m, all, ctx, room));
    find_middle(m, all, room);
    return SEPAL_OK;
}

/* ---- rows --------------------------------------------------------------------------------- */

/* A row by the middle model. */
struct middle_view {
    double *score, *high; /* lanes: and what a model may have at most */
    uint32_t *near;       /* the functions of scores that may be the largest, rising */
    size_t n;             /* of them */
    double *each;         /* n x folds: their scores by each model, */
    double wrong;         /* which may be wrong by that */
    double norm;
    double *lifted; /* width */
    double *scores; /* rows */
};

static void dot_lanes(double *out, const struct kernels *kernels, const double *x, size_t cols,
                      const double *w, size_t lanes) {
    for (size_t l = 0; l < lanes; l += OVR_LANES)
        kernels->lanes_dot_doubles(out + l, x, NULL, cols, w + l, lanes,
                                   lanes - l < OVR_LANES ? lanes - l : OVR_LANES);
}

/* The class if it is sure; else -1. */
static int32_t decide_by_middle(struct middle_view *view, const struct middle *m,
                                const struct kernels *kernels, const double *x) {
    double norm = sqrt(kernels->distance_scaled_f64(x, m->zero, m->inverse, m->width));
    double *score = view->score, *high = view->high;
    view->norm = norm;
    dot_lanes(score, kernels, x, m->width, m->w, m->lanes);
    for (size_t l = 0; l < m->lanes; l++) {
        score[l] += m->b[l];
        high[l] = score[l] + (m->slope[l] * norm + m->offset[l]);
    }
    if (m->rows == 1) {
        double sure = high[0] - score[0];
        view->near[0] = 0;
        view->n = 1;
        return score[0] > sure ? 1 : score[0] < -sure ? 0 : -1;
    }
    double most = score[0];
    size_t best = 0;
    for (size_t r = 1; r < m->rows; r++) most = score[r] > most ? score[r] : most;
    while (best + 1 < m->rows && score[best] < most) best++;
    double low = most - (high[best] - most);
    view->n = 0;
    for (size_t r = 0; r < m->rows; r++) {
        view->near[view->n] = (uint32_t)r;
        view->n += !(high[r] < low);
    }
    return view->n == 1 ? (int32_t)best : -1;
}

/* Its scores by each model where they may be the largest. */
static void score_each(struct middle_view *view, const struct middle *m,
                       const struct kernels *kernels, const double *x) {
    for (size_t c = 0; c < view->n; c++) {
        size_t r = view->near[c];
        double *each = view->each + c * m->folds;
        dot_lanes(each, kernels, x, m->width, m->each_w + r * m->width * m->folds, m->folds);
        for (size_t f = 0; f < m->folds; f++) each[f] += m->each_b[r * m->folds + f];
    }
    view->wrong = m->rounding[0] * view->norm + m->rounding[1];
}

/* The class by model f if rounding cannot decide; else -1. */
static int32_t decide_by_each(const struct middle_view *view, const struct middle *m, size_t f) {
    const double *each = view->each + f;
    double most = each[0], next = -INFINITY;
    size_t best = 0;
    if (m->rows == 1) return most > view->wrong ? 1 : most < -view->wrong ? 0 : -1;
    for (size_t c = 1; c < view->n; c++) {
        double score = each[c * m->folds];
        next = score > most ? most : score > next ? score : next;
        if (score > most) most = score, best = c;
    }
    return most - next > 2 * view->wrong && isfinite(most) ? (int32_t)view->near[best] : -1;
}

/* By one model, as a prediction has it: of scores that are the largest the first. */
static sepal_status decide_by_model(int32_t *out, sepal_ctx *ctx, const struct linear *linear,
                                    const double *bias, const struct block *block, size_t i,
                                    const struct middle_view *view) {
    double best = NAN;
    if (density_is_quadratic(linear->density)) {
        struct block row = block_slice(block, linear->cols, i, 1);
        TRY(linear_score_block(view->scores, ctx, linear, bias, &row));
        *out = linear_decide(linear, view->scores);
        return SEPAL_OK;
    }
    for (size_t c = 0; c < view->n; c++) {
        size_t r = view->near[c];
        double score = linear_score(linear, bias, ctx->kernels, block, i, r);
        if (!isfinite(score)) return linear_check_row(ctx, score, block, i);
        if (score <= best) continue;
        best = score;
        *out = linear->rows == 1 ? score >= 0 : (int32_t)r;
    }
    return SEPAL_OK;
}

/* Counts of rows that all models decide alike, by fold and for those in none; then of each model those of its
   own. */
static sepal_status count_row(const struct counting *all, sepal_ctx *ctx, const struct block *block,
                              size_t i, const double *x, struct middle_view *view,
                              double *partial) {
    size_t row = block->first_row + i, classes = all->classes, cells = classes * classes;
    size_t target = (size_t)all->data->label[row];
    double weight = data_weight(all->data, row);
    if (all->middle.lift != LIFT_NONE) {
        lift_row(view->lifted, all->middle.lift, x, all->middle.cols);
        x = view->lifted;
    }
    int32_t class = decide_by_middle(view, &all->middle, ctx->kernels, x);
    if (class >= 0) {
        partial[all->fold[row] * cells + target * classes + (size_t) class] += weight;
        return SEPAL_OK;
    }
    score_each(view, &all->middle, ctx->kernels, x);
    for (size_t f = 0; f < all->folds; f++) {
        if (!all->model[f] || f == all->fold[row]) continue;
        class = decide_by_each(view, &all->middle, f);
        if (class < 0)
            TRY(decide_by_model(&class, ctx, all->model[f], all->bias[f], block, i, view));
        partial[(all->folds + 1 + f) * cells + target * classes + (size_t) class] += weight;
    }
    return SEPAL_OK;
}

/* Rows of one fold, side by side: what a row's scores are does not depend on those beside it. */
struct held_out {
    struct block rows;
    size_t *number;
    double *scores;
};

static sepal_status score_some(const struct counting *all, sepal_ctx *ctx, size_t f,
                               const struct block *block, struct held_out *held) {
    const struct linear *linear = all->model[f];
    size_t cols = linear->cols, n = held->rows.rows;
    if (n == 0) return SEPAL_OK;
    for (size_t i = 0; i < n; i++) {
        size_t local = held->number[i];
        block_dense(block, local, 1, cols, NULL, NULL, held->rows.f64 + i * cols, cols);
        held->number[i] = row_number(block, local); /* for messages */
    }
    return linear_score_block(held->scores, ctx, linear, all->bias[f], &held->rows);
}

static sepal_status score_fold(const struct counting *all, sepal_ctx *ctx, size_t f,
                               const struct block *block, struct held_out *held) {
    size_t local[HELD_ROWS], width = all->model[f]->rows;
    for (size_t at = 0; at < block->rows;) {
        size_t n = 0;
        for (; at < block->rows && n < HELD_ROWS; at++)
            if (all->fold[block->first_row + at] == f) local[n++] = at;
        held->rows.rows = n;
        memcpy(held->number, local, n * sizeof *local);
        TRY(score_some(all, ctx, f, block, held));
        for (size_t i = 0; i < n; i++)
            memcpy(all->scores + (block->first_row + local[i]) * width, held->scores + i * width,
                   width * sizeof *held->scores);
    }
    return SEPAL_OK;
}

/* Each by the model that has not learnt from it. */
static sepal_status score_held_out(const struct counting *all, sepal_ctx *ctx,
                                   const struct block *block) {
    size_t cols = all->middle.cols;
    if (!all->scores) return SEPAL_OK;
    double *room = mem_alloc(ctx, HELD_ROWS, (cols + all->middle.rows) * sizeof *room);
    size_t *number = mem_alloc(ctx, HELD_ROWS, sizeof *number);
    struct held_out held = {.rows = {.values = VALUES_F64, .f64 = room, .number = number},
                            .number = number,
                            .scores = room + HELD_ROWS * cols};
    sepal_status status = room && number ? SEPAL_OK : SEPAL_EMEMORY;
    for (size_t f = 0; f < all->folds && status == SEPAL_OK; f++)
        if (all->model[f]) status = score_fold(all, ctx, f, block, &held);
    mem_free(room);
    mem_free(number);
    return status;
}

static sepal_status count_block(sepal_ctx *ctx, const struct block *block, double *partial,
                                void *payload) {
    const struct counting *all = payload;
    const double *x[PANEL_ROWS];
    size_t cols = all->middle.cols;
    double *panel = mem_alloc(ctx, PANEL_ROWS, cols * sizeof *panel);
    size_t lanes = all->middle.lanes;
    double *room = mem_alloc(ctx, 3 + all->middle.folds, lanes * sizeof *room);
    double *lifted = mem_alloc(ctx, all->middle.width, sizeof *lifted);
    uint32_t *near = mem_alloc(ctx, lanes + 1, sizeof *near);
    struct middle_view view = {.score = room,
                               .high = room + lanes,
                               .scores = room + 2 * lanes,
                               .each = room + 3 * lanes,
                               .near = near,
                               .lifted = lifted};
    sepal_status status = panel && room && near && lifted ? SEPAL_OK : SEPAL_EMEMORY;
    for (size_t first = 0, n; first < block->rows && status == SEPAL_OK; first += n) {
        n = block->rows - first < PANEL_ROWS ? block->rows - first : PANEL_ROWS;
        block_panel(x, ctx->kernels, block, first, n, cols, all->middle.centre, panel);
        for (size_t i = 0; i < n && status == SEPAL_OK; i++)
            status = count_row(all, ctx, block, first + i, x[i], &view, partial);
    }
    mem_free(panel);
    mem_free(room);
    mem_free(near);
    mem_free(lifted);
    return status == SEPAL_OK ? score_held_out(all, ctx, block) : status;
}

/* ---- all ---------------------------------------------------------------------------------- */

static sepal_status count_all(double *out, struct counting *all, sepal_ctx *ctx,
                              struct arena *arena) {
    size_t folds = all->folds, cells = all->classes * all->classes, width = (2 * folds + 1) * cells;
    double *sums = arena_alloc(ctx, arena, width, sizeof *sums);
    if (!sums) return SEPAL_EMEMORY;
    TRY(make_middle(all, ctx, arena));
    TRY(matrix_sum(sums, ctx, &all->data->matrix, width, count_block, all));
    for (size_t f = 0; f < folds; f++)
        for (size_t i = 0; i < cells && all->model[f]; i++) {
            double sum = sums[(folds + 1 + f) * cells + i];
            for (size_t g = 0; g <= folds; g++) sum += g == f ? 0 : sums[g * cells + i];
            out[f * cells + i] = sum;
        }
    return SEPAL_OK;
}

sepal_status fold_counts(double *out, double *scores, sepal_ctx *ctx, const sepal_data *data,
                         const uint32_t *fold, const struct linear *const *model, size_t folds) {
    struct counting all = {.data = data,
                           .fold = fold,
                           .model = model,
                           .folds = folds,
                           .scores = scores,
                           .classes = data->schema->n_classes};
    struct arena arena = {0};
    if (!first_of(&all)) return SEPAL_OK;
    all.bias = mem_zero(ctx, folds, sizeof(double *));
    sepal_status status = all.bias ? SEPAL_OK : SEPAL_EMEMORY;
    for (size_t f = 0; f < folds && status == SEPAL_OK; f++) {
        if (!model[f]) continue;
        all.bias[f] = linear_biases(ctx, model[f]);
        if (!all.bias[f]) status = SEPAL_EMEMORY;
    }
    if (status == SEPAL_OK) status = count_all(out, &all, ctx, &arena);
    for (size_t f = 0; all.bias && f < folds; f++) mem_free(all.bias[f]);
    mem_free(all.bias);
    arena_clear(&arena);
    return status;
}
