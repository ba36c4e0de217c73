/* What the readers of tables share, in whichever format their cells are written. */
#include "core/alloc.h"
#include "io/csv.h"
#include "data/limits.h"
#include "io/reading.h"

#include <string.h>

struct arena *table_arena(struct reading *reading) {
    return reading->learnt ? &reading->learnt->arena : &reading->arena;
}

sepal_status table_name_room(struct reading *reading, struct columns *columns, size_t n,
                             size_t line) {
    if (n > LIMIT_COLUMNS)
        return fail_at(reading->ctx, SEPAL_EDATA, reading->source.file.name, line, 1,
                       "there are %zu columns, %d are the most a table can have; sparse data goes "
                       "into a LIBSVM file",
                       n, LIMIT_COLUMNS);
    columns->names = arena_alloc(reading->ctx, table_arena(reading), n, sizeof *columns->names);
    return columns->names ? SEPAL_OK : SEPAL_EMEMORY;
}

sepal_status table_name_column(struct reading *reading, struct columns *columns, struct slice name,
                               size_t line, size_t column) {
    const char *file = reading->source.file.name;
    const char *copy = arena_text(reading->ctx, table_arena(reading), name.bytes, name.length);
    if (!copy) return SEPAL_EMEMORY;
    uint32_t number;
    bool fresh;
    columns->names[columns->n++] = copy;
    TRY(tokens_add(&columns->by_name, reading->ctx, name, &number, &fresh));
    if (utf8_valid_prefix(name.bytes, name.length) < name.length)
        return fail_at(reading->ctx, SEPAL_EDATA, file, line, column,
                       "a column's name is not UTF-8; convert the file with iconv");
    if (name.length > LIMIT_TEXT)
        return fail_at(reading->ctx, SEPAL_EDATA, file, line, column,
                       "a column's name " LIMIT_TEXT_SAID);
    if (!fresh)
        return fail_at(reading->ctx, SEPAL_EDATA, file, line, column,
                       "two columns have the name '%s'; rename one of them", copy);
    return SEPAL_OK;
}

/* ---- before the rows ---------------------------------------------------------------------- */

static sepal_status refuse_other_family(struct reading *reading) {
    if (!reading->known || reading->known->family == FAMILY_TABLE) return SEPAL_OK;
    return fail_at(reading->ctx, SEPAL_EDATA, reading->source.file.name, 0, 0,
                   "the model was trained on LIBSVM rows and this is a table; sepal convert makes "
                   "one of the other");
}

sepal_status table_plan(struct reading *reading, struct columns *columns,
                        struct table_layout *layout) {
    const struct schema *schema = reading->data->schema;
    struct arena *arena = table_arena(reading);
    columns->labels_elsewhere = reading->labels.file != NULL;
    TRY(refuse_other_family(reading));
    if (reading->known)
        TRY(columns_match(layout, reading->ctx, arena, columns, reading->known, &reading->options,
                          reading->with_labels));
    else
        TRY(columns_plan(layout, reading->learnt, reading->ctx, arena, columns, &reading->options));
    layout->refuses = schema->missing == MISSING_REFUSE;
    layout->skips = reading->options.bad_lines == BAD_LINES_SKIP;
    layout->weight = reading->weights.weight;
    layout->n_weights = reading->weights.rows;
    return SEPAL_OK;
}

/* ---- behind the rows ---------------------------------------------------------------------- */

static sepal_status keep_header(struct reading *reading, const struct columns *columns,
                                const struct table_layout *layout) {
    struct text header = {0};
    sepal_data *data = reading->data;
    for (size_t c = 0; c < columns->n; c++) {
        if (!layout->roles[c].keep) continue;
        if (header.length) text_puts(reading->ctx, &header, ",");
        struct slice name = {columns->names[c], strlen(columns->names[c])};
        csv_put(reading->ctx, &header, name);
    }
    data->kept_header =
        header.bytes ? arena_text(reading->ctx, &data->arena, header.bytes, header.length) : "";
    bool failed = header.failed || !data->kept_header;
    text_clear(&header);
    return failed ? SEPAL_EMEMORY : merge_kept(data, reading->ctx, &reading->chunks);
}

/* Rows that the model cannot predict stay in place, marked, when only predictions are asked for. */
static sepal_status keep_undecided(struct reading *reading) {
    size_t rows = 0, at = 0;
    for (size_t i = 0; i < reading->chunks.count; i++) rows += reading->chunks.items[i]->rows;
    reading->data->undecided = mem_zero(reading->ctx, rows, sizeof *reading->data->undecided);
    if (!reading->data->undecided) return SEPAL_EMEMORY;
    for (size_t i = 0; i < reading->chunks.count; i++) {
        struct parsed_chunk *parsed = reading->chunks.items[i];
        for (size_t r = 0; r < parsed->rows; r++)
            reading->data->undecided[at++] = parsed->drop && parsed->drop[r];
        mem_free(parsed->drop);
        parsed->drop = NULL;
    }
    return SEPAL_OK;
}

sepal_status table_parse(struct reading *reading, const struct chunk_format *format,
                         const void *format_layout, const struct table_layout *layout) {
    reading->chunks.in_order = layout->weight != NULL;
    reading->chunks.note_bytes = layout->n_features * sizeof(struct parsed_column);
    TRY(chunks_parse(&reading->chunks, reading->ctx, &reading->source, reading->line, format,
                     format_layout));
    if (reading->chunks.count) return SEPAL_OK;
    return reading_refuse_empty(reading, "there are no rows below the header");
}

sepal_status table_settle(struct reading *reading, const struct columns *columns,
                          const struct table_layout *layout) {
    sepal_ctx *ctx = reading->ctx;
    const struct source *source = &reading->source;
    const struct chunks *chunks = &reading->chunks;
    /* bad lines first: their labels are not looked at */
    if (reading->learnt && layout->skips) TRY(merge_odd_texts(ctx, chunks, layout));
    TRY(reading_join(reading));
    TRY(merge_missing(ctx, source, chunks, reading->data->schema, reading->learnt != NULL));
    if (!reading->with_labels && reading->known->missing == MISSING_DROP)
        TRY(keep_undecided(reading));
    TRY(merge_rows(&reading->data->matrix.rows, ctx, source, chunks));
    if (reading->learnt) TRY(merge_columns(reading->learnt, ctx, source, chunks, layout));
    return layout->keeps ? keep_header(reading, columns, layout) : SEPAL_OK;
}
