/* Which rows stay, and their labels, weights and kept cells. */
#include "core/alloc.h"
#include "core/compensated_sum.h"
#include "data/classes.h"
#include "io/merge.h"

#include <stdlib.h>
#include <string.h>

sepal_status merge_rows(struct reading *reading) {
    const struct chunks *chunks = &reading->chunks;
    const char *file = reading->source.file.name;
    size_t kept = 0, read = 0, incomplete = 0;
    for (size_t i = 0; i < chunks->count; i++) {
        struct parsed_chunk *parsed = chunks->items[i];
        parsed->first_row = kept;
        parsed->kept_rows = parsed->rows;
        for (size_t r = 0; parsed->drop && r < parsed->rows; r++)
            parsed->kept_rows -= parsed->drop[r];
        atomic_init(&parsed->unread, parsed->kept_rows);
        kept += parsed->kept_rows;
        incomplete += parsed->rows - parsed->kept_rows - parsed->bad_rows;
        read += parsed_records(parsed);
    }
    if (read == 0)
        return fail_at(reading->ctx, SEPAL_EDATA, file, chunks->lines, 1,
                       "there are no rows of data here");
    if (kept == 0)
        return fail_at(
            reading->ctx, SEPAL_EDATA, file, 1, 1,
            "none of the %zu rows is left: each has a missing value, weight 0, or is bad", read);
    if (incomplete)
        warn(reading->ctx, "rows-dropped", "%zu of %zu rows have a missing value and are left out",
             incomplete, read);
    reading->data->matrix.rows = kept;
    return SEPAL_OK;
}

sepal_status merge_numbers(struct reading *reading) {
    sepal_data *data = reading->data;
    const struct chunks *chunks = &reading->chunks;
    size_t row = 0, first = 0;
    if (chunks_records(chunks) == data->matrix.rows) return SEPAL_OK;
    data->number = mem_alloc(reading->ctx, data->matrix.rows, sizeof *data->number);
    if (!data->number) return SEPAL_EMEMORY;
    for (size_t i = 0; i < chunks->count; first += parsed_records(chunks->items[i++])) {
        const struct parsed_chunk *parsed = chunks->items[i];
        size_t skipped = 0;
        for (size_t r = 0; r < parsed->rows; r++) {
            size_t record = first + parsed_record(parsed, r, &skipped);
            if (!parsed_drops(parsed, r)) data->number[row++] = record;
        }
    }
    return SEPAL_OK;
}

/* All rows that stay, for (...; chunk_row_next(&at);): row `i` is row `r` of part.parsed. */
static struct chunk_row kept_rows(const struct reading *reading) {
    return (struct chunk_row){.part =
                                  chunk_rows_from(&reading->chunks, 0, reading->data->matrix.rows)};
}

/* ---- labels ------------------------------------------------------------------------------- */

/* All label texts of the file, and the number of each chunk's tokens among them. */
struct label_texts {
    struct tokens all;
    uint32_t **number; /* per chunk, per token */
    size_t n_chunks;
};

/* A label that only dropped rows have is not a class: dropping is as good as deleting. */
static bool *labels_in_use(sepal_ctx *ctx, const struct parsed_chunk *parsed) {
    bool *used = mem_zero(ctx, parsed->labels.count, sizeof *used);
    for (size_t r = 0; used && r < parsed->rows; r++)
        if (parsed->label[r] != NO_LABEL && !parsed_drops(parsed, r)) used[parsed->label[r]] = true;
    return used;
}

static sepal_status label_texts_merge(struct label_texts *texts, sepal_ctx *ctx,
                                      const struct chunks *chunks) {
    texts->number = mem_zero(ctx, chunks->count, sizeof *texts->number);
    if (!texts->number) return SEPAL_EMEMORY;
    texts->n_chunks = chunks->count;
    for (size_t i = 0; i < chunks->count; i++) {
        const struct tokens *tokens = &chunks->items[i]->labels;
        texts->number[i] = mem_alloc(ctx, tokens->count, sizeof **texts->number);
        if (!texts->number[i]) return SEPAL_EMEMORY;
        bool *used = labels_in_use(ctx, chunks->items[i]);
        TRY(merge_tokens(&texts->all, ctx, tokens, used, texts->number[i]));
    }
    return SEPAL_OK;
}

static void label_texts_clear(struct label_texts *texts) {
    for (size_t i = 0; i < texts->n_chunks; i++) mem_free(texts->number[i]);
    mem_free(texts->number);
    tokens_clear(&texts->all);
}

static sepal_status refuse_unlabelled(struct reading *reading) {
    for (size_t i = 0; i < reading->chunks.count; i++) {
        const struct parsed_chunk *parsed = reading->chunks.items[i];
        if (parsed->notes.first_unlabelled.column)
            return chunk_fail(
                reading->ctx, &reading->source, parsed, parsed->notes.first_unlabelled,
                "the label is missing: the row begins with index:value; put it first, or "
                "if this is the empty set of labels, say " OPTION "label-separator ,");
    }
    return SEPAL_OK;
}

/* The labels that a model has not seen, in label order; order[] of each text among them. */
static sepal_status sort_unseen(sepal_data *data, sepal_ctx *ctx, const struct tokens *unseen,
                                int32_t *order) {
    struct schema sorted = {0};
    sepal_status status = classes_learn(&sorted, ctx, unseen, order);
    data->unseen = arena_alloc(ctx, &data->arena, unseen->count, sizeof *data->unseen);
    if (!data->unseen) status = SEPAL_EMEMORY;
    for (size_t i = 0; status == SEPAL_OK && i < sorted.n_classes; i++) {
        const char *name = sorted.classes[i];
        data->unseen[i] = arena_text(ctx, &data->arena, name, strlen(name));
        if (!data->unseen[i]) status = SEPAL_EMEMORY;
    }
    data->n_unseen = sorted.n_classes;
    arena_clear(&sorted.arena);
    return status;
}

/* Classes for rows of a model: those it knows, then the ones it has not seen. */
static sepal_status look_up(sepal_data *data, sepal_ctx *ctx, const struct tokens *all,
                            int32_t *class_of) {
    const struct schema *schema = data->schema;
    struct tokens unseen = {0};
    sepal_status status = SEPAL_OK;
    uint32_t *number = arena_zero(ctx, &data->arena, all->count, sizeof *number);
    int32_t *order = arena_alloc(ctx, &data->arena, all->count, sizeof *order);
    if (!number || !order) return SEPAL_EMEMORY;
    for (size_t t = 0; t < all->count && status == SEPAL_OK; t++) {
        bool fresh;
        class_of[t] = schema_class_of(schema, all->items[t]);
        if (class_of[t] < 0) status = tokens_add(&unseen, ctx, all->items[t], &number[t], &fresh);
    }
    if (status == SEPAL_OK) status = sort_unseen(data, ctx, &unseen, order);
    for (size_t t = 0; t < all->count && status == SEPAL_OK; t++)
        if (class_of[t] < 0) class_of[t] = (int32_t)schema->n_classes + order[number[t]];
    tokens_clear(&unseen);
    return status;
}

static sepal_status merge_classes(struct reading *reading, const struct tokens *all,
                                  int32_t *class_of) {
    return reading->learnt ? classes_learn(reading->learnt, reading->ctx, all, class_of)
                           : look_up(reading->data, reading->ctx, all, class_of);
}

static sepal_status single_labels(struct reading *reading, const struct label_texts *texts) {
    sepal_ctx *ctx = reading->ctx;
    sepal_data *data = reading->data;
    int32_t *class_of = arena_alloc(ctx, &data->arena, texts->all.count, sizeof *class_of);
    data->label = mem_alloc(ctx, data->matrix.rows, sizeof *data->label);
    if (!class_of || !data->label) return SEPAL_EMEMORY;
    TRY(merge_classes(reading, &texts->all, class_of));
    for (struct chunk_row at = kept_rows(reading); chunk_row_next(&at);) {
        uint32_t label = at.part.parsed->label[at.r];
        bool there = label != NO_LABEL; /* or the rows are only to be described */
        data->label[at.i] = there ? class_of[texts->number[at.part.chunk][label]] : -1;
    }
    return SEPAL_OK;
}

/* ---- label sets --------------------------------------------------------------------------- */

/* The labels of one token "1,3": their numbers among `parts`, put into out[]; *n: how many. */
static sepal_status split_set(struct tokens *parts, sepal_ctx *ctx, struct slice token, char mark,
                              uint32_t *out, size_t *n) {
    const char *p = token.bytes, *end = p + token.length;
    *n = 0;
    while (p <= end) {
        const char *between = memchr(p, mark, (size_t)(end - p));
        const char *stop = between ? between : end;
        if (stop > p) {
            bool fresh;
            TRY(tokens_add(parts, ctx, (struct slice){p, (size_t)(stop - p)}, &out[*n], &fresh));
            ++*n;
        }
        p = stop + 1;
    }
    return SEPAL_OK;
}

static int merge_rows_by_number(const void *a, const void *b) {
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    return (i > j) - (i < j);
}

/* From numbers among the parts to classes, in their order and each once: 1 and 1.0 are one class. */
static void sort_sets(size_t *start, uint32_t *member, size_t n_tokens, const int32_t *class_of) {
    size_t used = 0, from = 0;
    for (size_t t = 0; t < n_tokens; t++) {
        size_t to = start[t + 1], first = used;
        for (size_t i = from; i < to; i++) member[i] = (uint32_t)class_of[member[i]];
        if (to > from) qsort(member + from, to - from, sizeof *member, merge_rows_by_number);
        for (; from < to; from++)
            if (used == first || member[used - 1] != member[from]) member[used++] = member[from];
        start[t + 1] = used;
    }
}

/* Labels that have columns are labels, whether a row has them or not. */
static sepal_status name_bits(struct reading *reading, struct tokens *parts) {
    const struct table_layout *table = &reading->table;
    uint32_t number;
    bool fresh;
    for (size_t c = 0; reading->learnt && c < table->n_cells; c++) {
        const char *name = table->roles[c].name;
        if (table->roles[c].bit)
            TRY(tokens_add(parts, reading->ctx, (struct slice){name, strlen(name)}, &number,
                           &fresh));
    }
    return SEPAL_OK;
}

/* The cells of these columns, by label. Two may not be one label, nor one a label of another name:
   numbers are labels by their value. */
static sepal_status place_bits(struct reading *reading) {
    struct schema *schema = reading->learnt;
    const struct table_layout *table = &reading->table;
    if (!schema || !reading->columns.targets) return SEPAL_OK;
    schema->label_cells =
        arena_alloc(reading->ctx, &schema->arena, schema->n_classes, sizeof *schema->label_cells);
    if (!schema->label_cells) return SEPAL_EMEMORY;
    for (size_t c = 0; c < table->n_cells; c++) {
        const char *name = table->roles[c].name;
        if (!table->roles[c].bit) continue;
        int32_t label = schema_class_of(schema, (struct slice){name, strlen(name)});
        if (strcmp(schema->classes[label], name) != 0)
            return fail_at(reading->ctx, SEPAL_EDATA, reading->source.file.name,
                           reading->columns.header_line, 1,
                           "the target column '%s' would be the label %s, since all target columns "
                           "have numbers for names; rename it",
                           name, schema->classes[label]);
        schema->label_cells[label] = c;
    }
    return SEPAL_OK;
}

static sepal_status fill_sets(struct reading *reading, const struct label_texts *texts,
                              struct tokens *parts) {
    sepal_ctx *ctx = reading->ctx;
    sepal_data *data = reading->data;
    size_t n_tokens = texts->all.count, room = 0;
    for (size_t t = 0; t < n_tokens; t++) room += texts->all.items[t].length + 1;
    size_t *start = arena_alloc(ctx, &data->arena, n_tokens + 1, sizeof *start);
    uint32_t *member = arena_alloc(ctx, &data->arena, room, sizeof *member);
    if (!start || !member) return SEPAL_EMEMORY;
    start[0] = 0;
    TRY(name_bits(reading, parts));
    char mark = data->schema->family == FAMILY_INDEXED ? ',' : SET_MARK;
    for (size_t t = 0, n; t < n_tokens; t++) {
        TRY(split_set(parts, ctx, texts->all.items[t], mark, member + start[t], &n));
        start[t + 1] = start[t] + n;
    }
    int32_t *class_of = arena_alloc(ctx, &data->arena, parts->count, sizeof *class_of);
    if (!class_of) return SEPAL_EMEMORY;
    TRY(merge_classes(reading, parts, class_of));
    TRY(place_bits(reading));
    sort_sets(start, member, n_tokens, class_of);
    data->set_start = mem_zero(ctx, data->matrix.rows + 1, sizeof *data->set_start);
    if (!data->set_start) return SEPAL_EMEMORY;
    for (int pass = 0; pass < 2; pass++) {
        size_t used = 0;
        for (struct chunk_row at = kept_rows(reading); chunk_row_next(&at);) {
            uint32_t label = at.part.parsed->label[at.r];
            size_t t = label == NO_LABEL ? SIZE_MAX : texts->number[at.part.chunk][label];
            size_t n = t == SIZE_MAX ? 0 : start[t + 1] - start[t];
            for (size_t k = 0; pass && k < n; k++)
                data->set[used + k] = (int32_t)member[start[t] + k];
            used += n;
            data->set_start[at.i + 1] = used;
        }
        if (pass == 0) data->set = mem_alloc(ctx, used, sizeof *data->set);
        if (!data->set) return SEPAL_EMEMORY;
    }
    return SEPAL_OK;
}

static const struct parsed_chunk *chunk_with_set(const struct chunks *chunks) {
    for (size_t i = 0; i < chunks->count; i++)
        if (chunks->items[i]->notes.first_set.column) return chunks->items[i];
    return NULL;
}

static sepal_status label_sets(struct reading *reading, const struct label_texts *texts,
                               const struct parsed_chunk *first) {
    const char *name = reading->source.file.name;
    struct spot spot = first->notes.first_set;
    reading->data->first_set =
        (sepal_place){arena_text(reading->ctx, &reading->data->arena, name, strlen(name)),
                      first->first_line + spot.line, spot.column};
    bool indexed = reading->data->schema->family == FAMILY_INDEXED;
    if (reading->learnt && indexed) reading->learnt->label_separator = ',';
    struct tokens parts = {0};
    sepal_status status = fill_sets(reading, texts, &parts);
    tokens_clear(&parts);
    return status;
}

sepal_status merge_labels(struct reading *reading) {
    struct label_texts texts = {0};
    const struct parsed_chunk *first = chunk_with_set(&reading->chunks);
    bool labelled = !first && !reading->lenient;
    sepal_status status = labelled ? refuse_unlabelled(reading) : SEPAL_OK;
    if (status == SEPAL_OK) status = label_texts_merge(&texts, reading->ctx, &reading->chunks);
    if (status == SEPAL_OK)
        status = first ? label_sets(reading, &texts, first) : single_labels(reading, &texts);
    label_texts_clear(&texts);
    return status;
}

/* ---- weights and kept cells --------------------------------------------------------------- */

/* A chunk without rows may have none though the others have. */
static bool has_weights(const struct chunks *chunks) {
    for (size_t i = 0; i < chunks->count; i++)
        if (chunks->items[i]->weight) return true;
    return false;
}

sepal_status merge_weights(struct reading *reading) {
    sepal_ctx *ctx = reading->ctx;
    sepal_data *data = reading->data;
    const struct chunks *chunks = &reading->chunks;
    data->total_weight = (double)data->matrix.rows;
    if (!has_weights(chunks)) return SEPAL_OK;
    data->weight = mem_alloc(ctx, data->matrix.rows, sizeof *data->weight);
    if (!data->weight) return SEPAL_EMEMORY;
    struct total total = {0};
    for (struct chunk_row at = kept_rows(reading); chunk_row_next(&at);) {
        data->weight[at.i] = at.part.parsed->weight[at.r];
        total_add(&total, at.part.parsed->weight[at.r]);
    }
    return data_set_total_weight(data, ctx, total_of(&total));
}

sepal_status merge_kept(struct reading *reading) {
    sepal_ctx *ctx = reading->ctx;
    sepal_data *data = reading->data;
    data->kept = arena_alloc(ctx, &data->arena, data->matrix.rows, sizeof *data->kept);
    if (!data->kept) return SEPAL_EMEMORY;
    for (struct chunk_row at = kept_rows(reading); chunk_row_next(&at);) {
        const char *cells = at.part.parsed->kept + at.part.parsed->kept_at[at.r];
        data->kept[at.i] = arena_text(ctx, &data->arena, cells, strlen(cells));
        if (!data->kept[at.i]) return SEPAL_EMEMORY;
    }
    return SEPAL_OK;
}
