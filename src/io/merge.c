/* The order in which the chunks of a file are merged, for tables and for indexed rows. */
#include "io/merge.h"

#include "core/alloc.h"
#include "io/csv.h"

#include <string.h>

/* Labels and weights from other files, once all records are counted. */
static sepal_status join_files(struct reading *reading) {
    size_t records = chunks_records(&reading->chunks);
    const char *file = reading->source.file.name;
    if (reading->weights.file)
        TRY(labels_file_expect(reading->ctx, &reading->weights, records, file));
    if (!reading->labels.file) return SEPAL_OK;
    TRY(labels_file_expect(reading->ctx, &reading->labels, records, file));
    return merge_labels_file(reading);
}

/* ---- tables ------------------------------------------------------------------------------- */

static sepal_status keep_header(struct reading *reading) {
    struct text header = {0};
    sepal_data *data = reading->data;
    for (size_t c = 0; c < reading->columns.n; c++) {
        if (!reading->table.roles[c].keep) continue;
        if (header.length) text_puts(reading->ctx, &header, ",");
        const char *name = reading->columns.names[c];
        csv_put(reading->ctx, &header, (struct slice){name, strlen(name)});
    }
    data->kept_header =
        header.bytes ? arena_text(reading->ctx, &data->arena, header.bytes, header.length) : "";
    bool failed = header.failed || !data->kept_header;
    text_clear(&header);
    return failed ? SEPAL_EMEMORY : merge_kept(reading);
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
            reading->data->undecided[at++] = parsed_drops(parsed, r);
        mem_free(parsed->drop);
        parsed->drop = NULL;
    }
    return SEPAL_OK;
}

static sepal_status merge_table(struct reading *reading) {
    /* bad lines first: their labels are not looked at */
    if (reading->learnt && reading->table.skips) TRY(merge_odd_texts(reading));
    TRY(join_files(reading));
    TRY(merge_missing(reading));
    if (!reading->with_labels && reading->known && reading->known->missing == MISSING_DROP)
        TRY(keep_undecided(reading));
    TRY(merge_rows(reading));
    TRY(merge_columns(reading));
    return reading->table.keeps ? keep_header(reading) : SEPAL_OK;
}

/* ---- indexed rows ------------------------------------------------------------------------- */

static void note_ignored(struct reading *reading) {
    size_t ignored = 0;
    for (size_t i = 0; i < reading->chunks.count; i++)
        ignored += reading->chunks.items[i]->notes.ignored;
    if (ignored)
        warn(reading->ctx, "unknown-indices",
             "%zu values have an index that training has not seen and are ignored", ignored);
}

/* Names that the user gives to the features; without --n-features, there are as many as names. */
static sepal_status name_features(struct reading *reading) {
    const struct labels_file *names = &reading->names;
    struct schema *schema = reading->learnt;
    if (!names->file) return SEPAL_OK;
    if (!reading->options.n_features && names->rows > schema->width) schema->width = names->rows;
    if (names->rows != schema->width)
        return fail_at(reading->ctx, SEPAL_EDATA, names->file, names->rows + 1, 1,
                       "%zu names here, and %s has %zu features; there must be a name for each, in "
                       "a line of its own",
                       names->rows, reading->source.file.name, schema->width);
    schema->names = arena_alloc(reading->ctx, &schema->arena, names->rows, sizeof *schema->names);
    if (!schema->names) return SEPAL_EMEMORY;
    for (size_t i = 0; i < names->rows; i++) {
        struct slice name = names->texts.items[i];
        schema->names[i] = arena_text(reading->ctx, &schema->arena, name.bytes, name.length);
        if (!schema->names[i]) return SEPAL_EMEMORY;
    }
    return SEPAL_OK;
}

static sepal_status merge_indexed(struct reading *reading) {
    bool labels_inside = reading->with_labels && !reading->labels.file;
    if ((reading->options.bad_lines == BAD_LINES_SKIP || reading->lenient) && labels_inside)
        TRY(merge_unlabelled(reading));
    TRY(join_files(reading));
    if (reading->learnt) {
        TRY(merge_indices(reading));
        TRY(name_features(reading));
    }
    note_ignored(reading);
    return merge_rows(reading);
}

/* ---- all ---------------------------------------------------------------------------------- */

/* What the labels or weights are as a whole has no place but their file: `labels_file`, if it is one. */
static sepal_status at_file(struct reading *reading, const char *labels_file, sepal_status status) {
    if (status == SEPAL_EDATA && !*reading->ctx->error.file)
        fail_place(reading->ctx, labels_file ? labels_file : reading->source.file.name, 1, 1);
    return status;
}

sepal_status merge_chunks(struct reading *reading) {
    bool indexed = reading->data->schema->family == FAMILY_INDEXED;
    TRY(indexed ? merge_indexed(reading) : merge_table(reading));
    if (reading->with_labels) TRY(at_file(reading, reading->labels.file, merge_labels(reading)));
    TRY(at_file(reading, reading->weights.file, merge_weights(reading)));
    merge_bad_lines(reading);
    return merge_numbers(reading);
}
