/* Some rows of a data set as a data set of their own. */
#include "core/alloc.h"
#include "core/parallel.h"
#include "core/rng.h"
#include "core/compensated_sum.h"
#include "data/prepare.h"
#include "data/entries.h"
#include "kernels/kernels.h"
#include "data/class_sample.h"

#include <string.h>

/* ---- choosing rows ------------------------------------------------------------------------ */

struct selection {
    const struct matrix *from;
    struct matrix *to;
    const size_t *rows;
    struct matrix *spent; /* of another selection, whose room may be taken; NULL: none */
    atomic_size_t nonzeros;
};

/* Room for a dense block: that of the spent block in its place, if it is as large. The system clears fresh
   pages, which takes longer than to fill them. */
static sepal_status select_room(sepal_ctx *ctx, struct selection *all, struct block *block) {
    size_t b = (size_t)(block - all->to->blocks), cols = all->to->cols;
    struct matrix *from = all->spent;
    struct block *spent =
        from && b < from->n_blocks && from->cols == cols ? &from->blocks[b] : NULL;
    if (!spent || spent->sparse || spent->borrowed || spent->values != block->values ||
        spent->rows != block->rows)
        return block_alloc(ctx, block, cols, 0);
    block->f32 = spent->f32;
    block->f64 = spent->f64;
    spent->f32 = NULL;
    spent->f64 = NULL;
    return block->f32 || block->f64 ? SEPAL_OK : block_alloc(ctx, block, cols, 0);
}

static sepal_status select_sparse(struct entries *entries, sepal_ctx *ctx, struct block *block,
                                  void *payload) {
    struct selection *all = payload;
    size_t cols = all->to->cols, local, column;
    double value;
    TRY(entries_init(entries, ctx, block->rows));
    for (size_t i = 0; i < block->rows; i++) {
        struct block source = *matrix_block_of(all->from, all->rows[block->first_row + i], &local);
        block->centre = source.centre;
        source.centre = NULL; /* what is stored, and the same centre again */
        for (size_t at = 0; row_next(&source, local, cols, &at, &column, &value);)
            TRY(entries_push(entries, ctx, column, value));
        entries->start[i + 1] = entries->n;
    }
    atomic_fetch_add(&all->nonzeros, entries->n);
    return entries_to_block(entries, ctx, block);
}

/* Whether all rows of a block are kept as singles where they come from: so they stay, as they are. */
static bool are_singles(const struct selection *all, const struct block *block) {
    size_t local;
    for (size_t i = 0; i < block->rows; i++) {
        const struct block *source =
            matrix_block_of(all->from, all->rows[block->first_row + i], &local);
        if (source->sparse || source->values != VALUES_F32) return false;
    }
    return true;
}

static sepal_status select_singles(sepal_ctx *ctx, struct block *block, struct selection *all) {
    size_t cols = all->to->cols, local, nonzeros = 0;
    block->values = VALUES_F32;
    TRY(select_room(ctx, all, block));
    for (size_t i = 0; i < block->rows; i++) {
        const struct block *source =
            matrix_block_of(all->from, all->rows[block->first_row + i], &local);
        const float *from = source->f32 + local * cols;
        memcpy(block->f32 + i * cols, from, cols * sizeof *from);
        for (size_t j = 0; j < cols; j++) nonzeros += from[j] != 0;
    }
    atomic_fetch_add(&all->nonzeros, nonzeros);
    return SEPAL_OK;
}

static sepal_status select_doubles(sepal_ctx *ctx, struct block *block, struct selection *all) {
    size_t cols = all->to->cols, local, nonzeros = 0, zeros, minus, beyond;
    TRY(select_room(ctx, all, block));
    for (size_t i = 0; i < block->rows; i++) {
        const struct block *source =
            matrix_block_of(all->from, all->rows[block->first_row + i], &local);
        double *row = block->f64 + i * cols;
        block_dense(source, local, 1, cols, NULL, NULL, row, cols);
        ctx->kernels->survey(row, cols, &zeros, &minus, &beyond);
        nonzeros += cols - zeros;
        for (size_t j = 0; minus && j < cols; j++) row[j] += 0.0;
    }
    atomic_fetch_add(&all->nonzeros, nonzeros);
    return SEPAL_OK;
}

/* Singles if they do for all rows. */
static sepal_status select_dense(double *row, sepal_ctx *ctx, struct block *block, void *payload) {
    struct selection *all = payload;
    size_t cols = all->to->cols, local, nonzeros = 0;
    if (are_singles(all, block)) return select_singles(ctx, block, all);
    block->values = VALUES_F32;
    for (size_t i = 0; i < block->rows && block->values == VALUES_F32; i++) {
        const struct block *source =
            matrix_block_of(all->from, all->rows[block->first_row + i], &local);
        block_dense(source, local, 1, cols, NULL, NULL, row, cols);
        if (!numbers_are_single(row, cols)) block->values = VALUES_F64;
    }
    if (block->values == VALUES_F64) return select_doubles(ctx, block, all);
    TRY(select_room(ctx, all, block));
    for (size_t i = 0; i < block->rows; i++) {
        const struct block *source =
            matrix_block_of(all->from, all->rows[block->first_row + i], &local);
        block_dense(source, local, 1, cols, NULL, NULL, row, cols);
        nonzeros += block_store_row(block, i, row, cols);
    }
    atomic_fetch_add(&all->nonzeros, nonzeros);
    return SEPAL_OK;
}

static sepal_status select_block(sepal_ctx *ctx, size_t b, void *payload) {
    static const struct block_builder build = {select_sparse, select_dense};
    struct matrix *to = ((struct selection *)payload)->to;
    return block_build(&to->blocks[b], ctx, to->cols, &build, payload);
}

static sepal_status select_matrix(struct matrix *out, sepal_ctx *ctx, const struct matrix *from,
                                  const size_t *rows, size_t n, struct matrix *spent) {
    TRY(matrix_init(out, ctx, n, from->cols, from->sparse));
    struct selection all = {.from = from, .to = out, .rows = rows, .spent = spent};
    atomic_init(&all.nonzeros, 0);
    TRY(parallel_for(ctx, out->n_blocks, select_block, &all));
    out->nonzeros = atomic_load(&all.nonzeros);
    return SEPAL_OK;
}

static sepal_status select_sets(sepal_data *out, sepal_ctx *ctx, const sepal_data *data,
                                const size_t *rows, size_t n) {
    size_t used = 0;
    for (size_t i = 0; i < n; i++) used += data->set_start[rows[i] + 1] - data->set_start[rows[i]];
    out->set_start = mem_zero(ctx, n + 1, sizeof *out->set_start);
    out->set = mem_alloc(ctx, used, sizeof *out->set);
    if (!out->set_start || !out->set) return SEPAL_EMEMORY;
    used = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = data->set_start[rows[i]]; k < data->set_start[rows[i] + 1]; k++)
            out->set[used++] = data->set[k];
        out->set_start[i + 1] = used;
    }
    return SEPAL_OK;
}

static sepal_status copy_unseen(sepal_data *out, sepal_ctx *ctx, const sepal_data *data) {
    out->unseen = arena_alloc(ctx, &out->arena, data->n_unseen, sizeof *out->unseen);
    if (!out->unseen) return SEPAL_EMEMORY;
    for (size_t i = 0; i < data->n_unseen; i++) {
        out->unseen[i] = arena_text(ctx, &out->arena, data->unseen[i], strlen(data->unseen[i]));
        if (!out->unseen[i]) return SEPAL_EMEMORY;
        out->n_unseen++;
    }
    return SEPAL_OK;
}

/* What the rows have beside their numbers. */
static sepal_status select_labels(sepal_data *out, sepal_ctx *ctx, const sepal_data *data,
                                  const size_t *rows, size_t n) {
    struct total total = {0};
    if (data->label) out->label = mem_alloc(ctx, n, sizeof *out->label);
    if (data->weight) out->weight = mem_alloc(ctx, n, sizeof *out->weight);
    if ((data->label && !out->label) || (data->weight && !out->weight)) return SEPAL_EMEMORY;
    for (size_t i = 0; i < n; i++) {
        if (data->label) out->label[i] = data->label[rows[i]];
        if (!data->weight) continue;
        out->weight[i] = data->weight[rows[i]];
        total_add(&total, out->weight[i]);
    }
    out->total_weight = data->weight ? total_of(&total) : (double)n;
    return SEPAL_OK;
}

static sepal_status select_rows(sepal_data *out, sepal_ctx *ctx, const sepal_data *data,
                                const size_t *rows, size_t n, struct matrix *spent) {
    out->file = arena_text(ctx, &out->arena, data->file, strlen(data->file));
    if (!out->file) return SEPAL_EMEMORY;
    TRY(target_copy(&out->target, ctx, &out->arena, &data->target));
    out->seconds = data->seconds;
    out->first_set = data->first_set;
    out->first_set.file = out->file;
    TRY(copy_unseen(out, ctx, data));
    TRY(select_matrix(&out->matrix, ctx, &data->matrix, rows, n, spent));
    out->coded = data->coded;
    TRY(prepare_count(out, ctx));
    out->number = mem_alloc(ctx, n, sizeof *out->number);
    if (!out->number) return SEPAL_EMEMORY;
    for (size_t i = 0; i < n; i++) out->number[i] = matrix_row_number(&data->matrix, rows[i]);
    matrix_set_numbers(&out->matrix, out->number);
    if (data->set_start) TRY(select_sets(out, ctx, data, rows, n));
    TRY(select_labels(out, ctx, data, rows, n));
    if (data->group) out->group = mem_alloc(ctx, n, sizeof *out->group);
    out->n_groups = data->n_groups;
    if (data->group && !out->group) return SEPAL_EMEMORY;
    for (size_t i = 0; data->group && i < n; i++) out->group[i] = data->group[rows[i]];
    return SEPAL_OK;
}

sepal_status data_select_anew(sepal_data **out, sepal_ctx *ctx, const sepal_data *data,
                              const size_t *rows, size_t n, sepal_data *spent) {
    *out = data_new(ctx);
    if (!*out) return SEPAL_EMEMORY;
    (*out)->schema = schema_retain(data->schema);
    sepal_status status = select_rows(*out, ctx, data, rows, n, spent ? &spent->matrix : NULL);
    if (status != SEPAL_OK) {
        data_free(*out);
        *out = NULL;
    }
    return status;
}

sepal_status data_select_labels(sepal_data **out, sepal_ctx *ctx, const sepal_data *data,
                                const size_t *rows, size_t n) {
    sepal_data *made = *out = data_new(ctx);
    if (!made) return SEPAL_EMEMORY;
    made->schema = schema_retain(data->schema);
    made->matrix = (struct matrix){
        .rows = n, .cols = data->matrix.cols, .block_rows = data->matrix.block_rows};
    made->file = arena_text(ctx, &made->arena, data->file, strlen(data->file));
    sepal_status status = made->file ? select_labels(made, ctx, data, rows, n) : SEPAL_EMEMORY;
    if (status == SEPAL_OK) return SEPAL_OK;
    data_free(made);
    *out = NULL;
    return status;
}

sepal_status data_select(sepal_data **out, sepal_ctx *ctx, const sepal_data *data,
                         const size_t *rows, size_t n) {
    return data_select_anew(out, ctx, data, rows, n, NULL);
}

/* ---- splitting ---------------------------------------------------------------------------- */

/* The rows sorted by class, in rising order within each; class k ends at end[k]. */
static void sort_by_class(uint32_t *sorted, size_t *end, const sepal_data *data, size_t classes) {
    size_t rows = data->matrix.rows, before = 0;
    for (size_t i = 0; i < rows; i++) end[data->label ? data->label[i] : 0]++;
    for (size_t k = 0; k < classes; k++) {
        size_t n = end[k];
        end[k] = before;
        before += n;
    }
    for (size_t i = 0; i < rows; i++) sorted[end[data->label ? data->label[i] : 0]++] = (uint32_t)i;
}

/* Of each class `least` rows or more, where it has them; with 0 not all of any. */
static sepal_status mark_part(bool *chosen, sepal_ctx *ctx, const sepal_data *data, double fraction,
                              size_t repeat, size_t least) {
    enum { SPLIT_STREAM = 0x73706c69 };
    size_t classes = data->label ? data->schema->n_classes + data->n_unseen : 1, from = 0;
    uint32_t *sorted = mem_alloc(ctx, data->matrix.rows, sizeof *sorted);
    size_t *end = mem_zero(ctx, classes, sizeof *end);
    if (sorted && end) sort_by_class(sorted, end, data, classes);
    for (size_t k = 0; sorted && end && k < classes; from = end[k++]) {
        size_t n = end[k] - from, part = (size_t)(fraction * (double)n + 0.5);
        struct rng rng = rng_make(ctx->seed, SPLIT_STREAM + k + ((uint64_t)repeat << 32));
        rng_shuffle(&rng, sorted + from, n);
        if (part == n && n && !least) part--; /* something must be left to learn from */
        if (part < least) part = n < least ? n : least;
        for (size_t i = 0; i < part; i++) chosen[sorted[from + i]] = true;
    }
    sepal_status status = sorted && end ? SEPAL_OK : SEPAL_EMEMORY;
    mem_free(sorted);
    mem_free(end);
    return status;
}

sepal_status data_mark_part(bool *chosen, sepal_ctx *ctx, const sepal_data *data, double fraction,
                            size_t repeat) {
    return mark_part(chosen, ctx, data, fraction, repeat, 0);
}

sepal_status data_sample(sepal_data **out, sepal_ctx *ctx, const sepal_data *data, double fraction,
                         size_t least) {
    size_t rows = data->matrix.rows, n = 0;
    *out = NULL;
    if (rows > UINT32_MAX) return fail(ctx, SEPAL_EDATA, "too many rows to choose from");
    bool *chosen = mem_zero(ctx, rows, sizeof *chosen);
    size_t *numbers = mem_alloc(ctx, rows, sizeof *numbers);
    sepal_status status =
        chosen && numbers ? mark_part(chosen, ctx, data, fraction, 0, least) : SEPAL_EMEMORY;
    for (size_t i = 0; i < rows && status == SEPAL_OK; i++)
        if (chosen[i]) numbers[n++] = i;
    if (status == SEPAL_OK) status = data_select(out, ctx, data, numbers, n);
    mem_free(chosen);
    mem_free(numbers);
    return status;
}

sepal_status data_split(sepal_data **rest, sepal_data **part, sepal_ctx *ctx,
                        const sepal_data *data, double fraction) {
    size_t rows = data->matrix.rows, n[2] = {0, 0};
    *rest = *part = NULL;
    if (rows > UINT32_MAX) return fail(ctx, SEPAL_EDATA, "too many rows to split");
    bool *chosen = mem_zero(ctx, rows, sizeof *chosen);
    size_t *numbers = mem_alloc(ctx, rows, sizeof *numbers);
    sepal_status status =
        chosen && numbers ? data_mark_part(chosen, ctx, data, fraction, 0) : SEPAL_EMEMORY;
    for (size_t i = 0; i < rows && status == SEPAL_OK; i++) n[chosen[i]]++;
    if (status == SEPAL_OK && (n[0] == 0 || n[1] == 0))
        status = fail(ctx, SEPAL_EDATA,
                      "holding out %g of %zu rows leaves %zu to learn from and %zu to judge by; "
                      "hold out a %s share",
                      fraction, rows, n[0], n[1], n[1] ? "smaller" : "larger");
    for (int side = 0; side < 2 && status == SEPAL_OK; side++) {
        size_t used = 0;
        for (size_t i = 0; i < rows; i++)
            if (chosen[i] == side) numbers[used++] = i;
        status = data_select(side ? part : rest, ctx, data, numbers, used);
    }
    if (status != SEPAL_OK) {
        data_free(*rest);
        *rest = NULL;
    }
    mem_free(chosen);
    mem_free(numbers);
    return status;
}

/* ---- folds -------------------------------------------------------------------------------- */

sepal_status data_folds(uint32_t *fold, sepal_ctx *ctx, const sepal_data *data, size_t folds) {
    enum { FOLD_STREAM = 0x666f6c64 };
    size_t classes = data->schema->n_classes, rows = data->matrix.rows, from = 0;
    if (rows > UINT32_MAX) return fail(ctx, SEPAL_EDATA, "too many rows to split");
    uint32_t *sorted = mem_alloc(ctx, rows, sizeof *sorted);
    size_t *end = mem_zero(ctx, classes, sizeof *end);
    if (sorted && end) sort_by_class(sorted, end, data, classes);
    for (size_t k = 0; sorted && end && k < classes; from = end[k++]) {
        struct rng rng = rng_make(ctx->seed, FOLD_STREAM + k);
        rng_shuffle(&rng, sorted + from, end[k] - from);
        /* a class goes on where the one before it ended, so that all folds are as large */
        for (size_t i = from; i < end[k]; i++) fold[sorted[i]] = (uint32_t)(i % folds);
    }
    sepal_status status = sorted && end ? SEPAL_OK : SEPAL_EMEMORY;
    mem_free(sorted);
    mem_free(end);
    return status;
}
