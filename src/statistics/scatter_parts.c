/* With D_fk the sum over the rows of class k in part f of x less the first row of the class, G_fk their
   scatter around the mean c_k of all rows of the class, and W their weight: the rest has the weight W, the
   sum D and the matrix G of the parts that are left, its mean differs from c_k by d = D/W - (D/W of all),
   and its scatter is G - W dd' (Chan, Golub and LeVeque, "Algorithms for computing the sample variance",
   1983). The rest being most of the rows, d is small beside the spread. */
#include "statistics/scatter_parts.h"

#include "core/alloc.h"
#include "dense/tall.h"
#include "kernels/blas.h"

#include <math.h>
#include <string.h>

/* Numbers in all: 256 MB. */
static const double NUMBERS_MOST = 1 << 25;
/* Squares that the mean's move takes all but this part of are not known well enough. */
static const double LEFT_LEAST = 1e-4;

sepal_status scatter_lacks(const struct scatter *s) {
    s->left->lacking = true;
    return fail(s->ctx, SEPAL_EDATA, "this fit needs the rows themselves");
}

/* ---- one pass for the means --------------------------------------------------------------- */

struct part_summing {
    const struct scatter_parts *all;
    const uint32_t *part;
};

static void add_part_differences(const struct scatter *s, const struct block *block, size_t from,
                                 size_t to, double *sums, const void *payload) {
    const struct part_summing *of = payload;
    size_t cols = s->x->cols, classes = s->classes;
    for (size_t i = 0; i < block->rows; i++) {
        size_t row = block->first_row + i, k = scatter_class(s, row), f = of->part[row];
        double weight = scatter_weight(s, row), *sum = sums + (f * (classes + 1) + k) * cols;
        double *size = sums + (f * (classes + 1) + classes) * cols;
        const double *shift = of->all->shift + k * cols;
        scatter_add_row(sum, size, block, i, cols, from, to, shift, weight);
    }
}

static void count_parts(struct scatter_parts *out, const uint32_t *part, bool *seen) {
    struct scatter *s = &out->all;
    for (size_t row = 0; row < s->x->rows; row++) {
        size_t k = scatter_class(s, row), at = part[row] * out->classes + k, local;
        out->rows[at]++;
        out->weight[at] += scatter_weight(s, row);
        if (seen[k]) continue;
        const struct block *block = matrix_block_of(s->x, row, &local);
        block_dense(block, local, 1, out->cols, NULL, NULL, out->shift + k * out->cols, out->cols);
        seen[k] = true;
    }
}

static sepal_status sum_parts(struct scatter_parts *out, const uint32_t *part) {
    struct scatter *s = &out->all;
    size_t cols = out->cols, classes = out->classes, width = out->parts * (classes + 1) * cols;
    struct part_summing of = {out, part};
    bool *seen = arena_zero(s->ctx, s->arena, classes, sizeof *seen);
    double *sums = arena_alloc(s->ctx, s->arena, width, sizeof *sums);
    out->difference = arena_alloc(s->ctx, s->arena, out->parts * classes, cols * sizeof *sums);
    out->size = arena_alloc(s->ctx, s->arena, out->parts, cols * sizeof *sums);
    out->whole = arena_zero(s->ctx, s->arena, classes, cols * sizeof *sums);
    if (!seen || !sums || !out->difference || !out->size || !out->whole) return SEPAL_EMEMORY;
    count_parts(out, part, seen);
    TRY(scatter_sum(sums, s, width, add_part_differences, &of));
    for (size_t f = 0; f < out->parts; f++) {
        const double *from = sums + f * (classes + 1) * cols;
        memcpy(out->difference + f * classes * cols, from, classes * cols * sizeof *from);
        memcpy(out->size + f * cols, from + classes * cols, cols * sizeof *from);
    }
    for (size_t k = 0; k < classes; k++) {
        double weight = 0, *whole = out->whole + k * cols;
        for (size_t f = 0; f < out->parts; f++) {
            const double *sum = out->difference + (f * classes + k) * cols;
            weight += out->weight[f * classes + k];
            for (size_t j = 0; j < cols; j++) whole[j] += sum[j];
        }
        for (size_t j = 0; j < cols; j++) whole[j] /= weight;
    }
    return SEPAL_OK;
}

/* ---- one for the squares ------------------------------------------------------------------ */

static void add_part_squares(const struct scatter *s, const struct block *block, size_t from,
                             size_t to, double *sums, const void *payload) {
    const struct part_summing *of = payload;
    size_t cols = s->x->cols;
    for (size_t i = 0; i < block->rows; i++) {
        size_t row = block->first_row + i, k = scatter_class(s, row);
        double weight = scatter_weight(s, row);
        double *sum = sums + (of->part[row] * s->classes + k) * cols;
        const double *mean = s->mean + k * cols;
        for (size_t j = from; j < to; j++) {
            double x = block->f32 ? (double)block->f32[i * cols + j] : block->f64[i * cols + j];
            double difference = x - s->centre[j] - mean[j];
            sum[j] += weight * (difference * difference);
        }
    }
}

/* The rows of each part, by class within it. */
static size_t *sort_by_part(const struct scatter_parts *out, const uint32_t *part) {
    const struct scatter *s = &out->all;
    size_t cells = out->parts * out->classes, rows = s->x->rows;
    size_t *sorted = arena_alloc(s->ctx, s->arena, rows, sizeof *sorted);
    size_t *next = arena_zero(s->ctx, s->arena, cells + 1, sizeof *next);
    if (!sorted || !next) return NULL;
    for (size_t c = 0; c < cells; c++) next[c + 1] = next[c] + out->rows[c];
    for (size_t row = 0; row < rows; row++)
        sorted[next[part[row] * out->classes + scatter_class(s, row)]++] = row;
    return sorted;
}

struct part_matrices {
    const struct scatter *s;
    const uint32_t *part;
    size_t matrices, of_part; /* all, and those of a part: one for each class, or one */
};

/* The rows of a block that belong to each matrix, one after the other. */
static void sort_block(size_t *sorted, size_t *next, const struct part_matrices *of,
                       const struct block *block) {
    const struct scatter *s = of->s;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < block->rows; i++) {
            size_t row = block->first_row + i, m = of->part[row] * of->of_part;
            if (of->of_part > 1) m += scatter_class(s, row);
            if (pass == 0)
                next[m + 1]++;
            else
                sorted[next[m]++] = row;
        }
        for (size_t m = 0; m < of->matrices && pass == 0; m++) next[m + 1] += next[m];
    }
}

/* Block by block, since rows of one part are far apart from each other. */
static sepal_status add_part_matrices(sepal_ctx *ctx, const struct block *block, double *sums,
                                      void *payload) {
    enum { PANEL_ROWS = 256 };
    const struct part_matrices *of = payload;
    size_t cols = of->s->x->cols, done = 0;
    size_t *sorted = mem_alloc(ctx, block->rows, sizeof *sorted);
    size_t *end = mem_zero(ctx, of->matrices + 1, sizeof *end);
    double *panel = mem_alloc(ctx, PANEL_ROWS, cols * sizeof *panel);
    sepal_status status = sorted && end && panel ? SEPAL_OK : SEPAL_EMEMORY;
    if (status == SEPAL_OK) sort_block(sorted, end, of, block);
    for (size_t m = 0; m < of->matrices && status == SEPAL_OK; m++)
        for (size_t n; done < end[m]; done += n) {
            const struct scatter_rows rows = {.s = of->s, .row = sorted + done};
            n = end[m] - done < PANEL_ROWS ? end[m] - done : PANEL_ROWS;
            scatter_fill(&rows, 0, n, panel, cols);
            ctx->blas->syrk_t(cols, n, panel, cols, 1, sums + m * cols * cols, cols);
        }
    mem_free(sorted);
    mem_free(end);
    mem_free(panel);
    return status;
}

static sepal_status sum_matrices(struct scatter_parts *out, const uint32_t *part) {
    enum { NUMBERS_BY_BLOCK = 1 << 16 };
    struct scatter *s = &out->all;
    bool pooled = out->know == PARTS_WITHIN;
    size_t cols = out->cols, each = pooled ? out->classes : 1, done = 0;
    size_t matrices = out->parts * out->classes / each, width = matrices * cols * cols;
    if (width <= NUMBERS_BY_BLOCK) {
        struct part_matrices of = {s, part, matrices, out->classes / each};
        out->within = arena_alloc(s->ctx, s->arena, width, sizeof *out->within);
        if (!out->within) return SEPAL_EMEMORY;
        return matrix_sum(out->within, s->ctx, s->x, width, add_part_matrices, &of);
    }
    size_t *sorted = sort_by_part(out, part);
    out->within = arena_zero(s->ctx, s->arena, matrices, cols * cols * sizeof *out->within);
    if (!sorted || !out->within) return SEPAL_EMEMORY;
    for (size_t m = 0; m < matrices; m++) {
        size_t n = 0;
        for (size_t c = m * each; c < (m + 1) * each; c++) n += out->rows[c];
        struct scatter_rows rows = {.s = s, .row = sorted + done};
        struct tall tall = {
            .rows = n, .cols = cols, .stride = cols, .fill = scatter_fill, .payload = &rows};
        TRY(check_cancelled(s->ctx, "adding up scatter matrices"));
        if (n > 0) TRY(tall_gram(out->within + m * cols * cols, s->ctx, &tall));
        done += n;
    }
    return SEPAL_OK;
}

static double numbers_of(const struct scatter_parts *out) {
    double parts = (double)out->parts, classes = (double)out->classes, cols = (double)out->cols;
    double matrices = out->know == PARTS_CLASSES ? classes : 1;
    if (out->know < PARTS_WITHIN) return 3 * parts * (classes + 1) * cols;
    return parts * cols * (3 * (classes + 1) + matrices * cols);
}

sepal_status scatter_parts_make(struct scatter_parts **out, sepal_ctx *ctx, struct arena *arena,
                                const struct matrix *x, const int32_t *label, const double *weight,
                                size_t classes, const uint32_t *part, size_t parts,
                                enum parts_know know) {
    struct scatter_parts *made = arena_zero(ctx, arena, 1, sizeof *made);
    *out = NULL;
    if (!made) return SEPAL_EMEMORY;
    *made = (struct scatter_parts){
        .know = know, .parts = parts, .classes = classes, .cols = x->cols, .arena = arena};
    if (x->sparse || numbers_of(made) > NUMBERS_MOST) return SEPAL_OK;
    struct scatter *s = &made->all;
    *s = (struct scatter){.ctx = ctx,
                          .arena = arena,
                          .x = x,
                          .label = label,
                          .weight = weight,
                          .classes = classes,
                          .centre = arena_zero(ctx, arena, x->cols, sizeof *s->centre)};
    made->weight = arena_zero(ctx, arena, parts * classes, sizeof *made->weight);
    made->rows = arena_zero(ctx, arena, parts * classes, sizeof *made->rows);
    made->shift = arena_zero(ctx, arena, classes, x->cols * sizeof *made->shift);
    if (!s->centre || !made->weight || !made->rows || !made->shift) return SEPAL_EMEMORY;
    TRY(sum_parts(made, part));
    struct scatter_left whole = {made, SIZE_MAX, LEFT_CLASSES, false};
    s->left = &whole;
    TRY(scatter_means(s));
    TRY(scatter_columns(s, SPREAD_NONE));
    s->left = NULL;
    if (know == PARTS_SQUARES) {
        size_t width = parts * classes * x->cols;
        made->squares = arena_alloc(ctx, arena, width, sizeof *made->squares);
        if (!made->squares) return SEPAL_EMEMORY;
        TRY(scatter_sum(made->squares, s, width, add_part_squares,
                        &(struct part_summing){made, part}));
    }
    if (know >= PARTS_WITHIN) TRY(sum_matrices(made, part));
    *out = made;
    return SEPAL_OK;
}

/* ---- all parts but one -------------------------------------------------------------------- */

size_t scatter_left_classes(const struct scatter_left *left) {
    return left->own == LEFT_CLASSES ? left->parts->classes : 2;
}

/* What class k of the parts is in the fit. */
static size_t left_class(const struct scatter *s, size_t k) {
    return s->left->own == LEFT_CLASSES ? k : k == s->left->own;
}

void scatter_left_count(struct scatter *s) {
    const struct scatter_parts *all = s->left->parts;
    for (size_t f = 0; f < all->parts; f++)
        for (size_t k = 0; k < all->classes && f != s->left->without; k++) {
            s->class_rows[left_class(s, k)] += all->rows[f * all->classes + k];
            s->class_weight[left_class(s, k)] += all->weight[f * all->classes + k];
        }
    for (size_t k = 0; k < s->classes; k++) s->total += s->class_weight[k];
}

static void add_to(double *sum, const double *from, size_t n) {
    for (size_t i = 0; i < n; i++) sum[i] += from[i];
}

/* The others of one class are around the first row of the first of them. */
static void find_shifts(double *shift, const struct scatter *s) {
    const struct scatter_parts *all = s->left->parts;
    size_t cols = all->cols;
    for (size_t k = all->classes; k-- > 0;)
        memcpy(shift + left_class(s, k) * cols, all->shift + k * cols, cols * sizeof *shift);
}

/* Sums of class k in part f, around another row. */
static void add_shifted(double *sum, double *size, const struct scatter_parts *all, size_t f,
                        size_t k, const double *shift) {
    size_t cols = all->cols, at = f * all->classes + k;
    for (size_t j = 0; j < cols; j++) {
        double off = all->shift[k * cols + j] - shift[j];
        sum[j] += all->difference[at * cols + j] + all->weight[at] * off;
        size[j] += all->weight[at] * fabs(off);
    }
}

void scatter_left_sum(double *sums, double *shift, const struct scatter *s) {
    const struct scatter_parts *all = s->left->parts;
    size_t cols = all->cols;
    double *size = sums + s->classes * cols;
    memset(sums, 0, (s->classes + 1) * cols * sizeof *sums);
    find_shifts(shift, s);
    for (size_t f = 0; f < all->parts; f++) {
        if (f == s->left->without) continue;
        for (size_t k = 0; k < all->classes; k++) {
            size_t to = left_class(s, k);
            add_shifted(sums + to * cols, size, all, f, k, shift + to * cols);
        }
        add_to(size, all->size + f * cols, cols);
    }
}

/* How far the mean of class k of the parts is from that of all rows, for which `move` has room, and its weight. */
static double find_move(double *move, const struct scatter *s, size_t k) {
    const struct scatter_parts *all = s->left->parts;
    size_t cols = all->cols;
    double weight = 0;
    memset(move, 0, cols * sizeof *move);
    for (size_t f = 0; f < all->parts; f++)
        if (f != s->left->without) {
            add_to(move, all->difference + (f * all->classes + k) * cols, cols);
            weight += all->weight[f * all->classes + k];
        }
    for (size_t j = 0; j < cols && weight > 0; j++)
        move[j] = move[j] / weight - all->whole[k * cols + j];
    return weight;
}

/* The matrices number `at` of the parts that are left, active columns; and their diagonal to `before`. */
static void add_matrices(double *out, const struct scatter *s, size_t at, size_t step,
                         double *before) {
    const struct scatter_parts *all = s->left->parts;
    size_t n = s->n, cols = all->cols;
    memset(out, 0, n * n * sizeof *out);
    for (size_t f = 0; f < all->parts; f++) {
        const double *from = all->within + (f * step + at) * cols * cols;
        for (size_t i = 0; i < n && f != s->left->without; i++) {
            const double *row = from + s->active[i] * cols;
            for (size_t j = i; j < n; j++) out[i * n + j] += row[s->active[j]];
        }
    }
    for (size_t i = 0; i < n; i++) before[i] = out[i * (n + 1)];
}

/* out += times d d' of the active columns of d. */
static void add_product(double *out, const struct scatter *s, double times, const double *d) {
    size_t n = s->n;
    for (size_t i = 0; i < n; i++) {
        double row = times * d[s->active[i]];
        for (size_t j = i; j < n && row != 0; j++) out[i * n + j] += row * d[s->active[j]];
    }
}

/* How far the means of the classes that make up one class are from its own: those of the first of two, or of all
   rows as one (scatter_join). */
static void add_between(double *out, const struct scatter *s, double *move) {
    const struct scatter_parts *all = s->left->parts;
    size_t cols = all->cols;
    bool joined = s->classes == 1;
    if (s->left->own == LEFT_CLASSES && !joined) return;
    for (size_t k = 0; k < all->classes; k++) {
        if (k == s->left->own && !joined) continue;
        double weight = find_move(move, s, k);
        for (size_t j = 0; j < cols; j++)
            move[j] +=
                all->whole[k * cols + j] + (all->shift[k * cols + j] - s->centre[j]) - s->mean[j];
        add_product(out, s, weight, move);
    }
}

static bool is_kept(double after, double before) {
    return before == 0 || after > LEFT_LEAST * before;
}

/* The scatter of class k, or of all classes (k = SIZE_MAX). */
static sepal_status left_matrix(double *out, const struct scatter *s, size_t k) {
    const struct scatter_parts *all = s->left->parts;
    bool pooled = k == SIZE_MAX, fits = all->know == (pooled ? PARTS_WITHIN : PARTS_CLASSES);
    size_t n = s->n, step = pooled ? 1 : all->classes;
    if (!fits || (!pooled && s->left->own != LEFT_CLASSES) || s->inverse_unit)
        return scatter_lacks(s);
    double *move = arena_alloc(s->ctx, s->arena, 2, all->cols * sizeof *move);
    if (!move) return SEPAL_EMEMORY;
    double *before = move + all->cols;
    add_matrices(out, s, pooled ? 0 : k, step, before);
    for (size_t c = pooled ? 0 : k; c < (pooled ? all->classes : k + 1); c++) {
        double weight = find_move(move, s, c);
        add_product(out, s, -weight, move);
    }
    for (size_t i = 0; i < n; i++)
        if (!is_kept(out[i * (n + 1)], before[i])) return scatter_lacks(s);
    add_between(out, s, move);
    return SEPAL_OK;
}

sepal_status scatter_left_within(double *out, const struct scatter *s) {
    return left_matrix(out, s, SIZE_MAX);
}

sepal_status scatter_left_along(double *out, const struct scatter *s, const double *w) {
    size_t n = s->n;
    double sum = 0, size = 0;
    double *matrix = arena_alloc(s->ctx, s->arena, n, n * sizeof *matrix);
    if (!matrix) return SEPAL_EMEMORY;
    TRY(scatter_left_within(matrix, s));
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++) {
            double term = matrix[i * n + j] * w[s->active[i]] * w[s->active[j]];
            sum += i == j ? term : 2 * term;
            size += i == j ? fabs(term) : 2 * fabs(term);
        }
    *out = sum;
    return is_kept(sum, size) ? SEPAL_OK : scatter_lacks(s);
}

sepal_status scatter_left_of_class(double *out, const struct scatter *s, size_t k) {
    return left_matrix(out, s, k);
}

sepal_status scatter_left_squares(double *out, const struct scatter *s) {
    const struct scatter_parts *all = s->left->parts;
    size_t cols = all->cols, cells = s->classes * cols;
    if (all->know != PARTS_SQUARES || s->left->own != LEFT_CLASSES) return scatter_lacks(s);
    double *move = arena_alloc(s->ctx, s->arena, 1, cols * sizeof *move);
    if (!move) return SEPAL_EMEMORY;
    memset(out, 0, cells * sizeof *out);
    for (size_t f = 0; f < all->parts; f++)
        if (f != s->left->without) add_to(out, all->squares + f * cells, cells);
    for (size_t k = 0; k < s->classes; k++) {
        find_move(move, s, k);
        for (size_t j = 0; j < cols; j++) {
            double before = out[k * cols + j];
            double after = before - s->class_weight[k] * (move[j] * move[j]);
            if (!is_kept(after, before)) return scatter_lacks(s);
            out[k * cols + j] = before == 0 ? 0 : after;
        }
    }
    return SEPAL_OK;
}
