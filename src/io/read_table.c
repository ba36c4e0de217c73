/* What the readers of tables share, in whichever format their cells are written. */
#include "data/limits.h"
#include "io/reading.h"

#include <stdio.h>

struct arena *table_arena(struct reading *reading) {
    return reading->learnt ? &reading->learnt->arena : &reading->arena;
}

sepal_status table_name_room(struct reading *reading, size_t n, size_t line) {
    struct columns *columns = &reading->columns;
    if (n > LIMIT_COLUMNS)
        return fail_at(reading->ctx, SEPAL_EDATA, reading->source.file.name, line, 1,
                       "there are %zu columns, %d are the most a table can have; sparse data goes "
                       "into a LIBSVM file",
                       n, LIMIT_COLUMNS);
    columns->names = arena_alloc(reading->ctx, table_arena(reading), n, sizeof *columns->names);
    return columns->names ? SEPAL_OK : SEPAL_EMEMORY;
}

sepal_status table_name_column(struct reading *reading, struct slice name, size_t line,
                               size_t column) {
    struct columns *columns = &reading->columns;
    const char *file = reading->source.file.name;
    const char *copy = arena_text(reading->ctx, table_arena(reading), name.bytes, name.length);
    if (!copy) return SEPAL_EMEMORY;
    uint32_t number;
    bool fresh;
    columns->names[columns->n++] = copy;
    TRY(tokens_add(&columns->by_name, reading->ctx, name, &number, &fresh));
    if (utf8_valid_prefix(name.bytes, name.length) < name.length)
        return fail_at(reading->ctx, SEPAL_EDATA, file, line, column,
                       "a column's name is not UTF-8; " UTF8_ADVICE);
    if (name.length > LIMIT_TEXT)
        return fail_at(reading->ctx, SEPAL_EDATA, file, line, column,
                       "a column's name " LIMIT_TEXT_SAID);
    if (!fresh)
        return fail_at(reading->ctx, SEPAL_EDATA, file, line, column,
                       "two columns have the name '%s'; rename one of them", copy);
    return SEPAL_OK;
}

sepal_status table_number_column(struct reading *reading, size_t line, size_t column) {
    char name[32];
    int length = snprintf(name, sizeof name, "x%zu", reading->columns.n + 1);
    return table_name_column(reading, (struct slice){name, (size_t)length}, line, column);
}

/* Whether names from a file are for these columns: not for those of a model that knows none. */
static bool takes_names(const struct reading *reading) {
    return reading->options.names && (!reading->known || reading->known->header);
}

sepal_status table_file_names(struct reading *reading, size_t n, size_t line, bool *named) {
    struct labels_file *names = &reading->names;
    *named = takes_names(reading);
    if (!*named) return SEPAL_OK;
    TRY(labels_file_names(names, reading->ctx, reading->options.names));
    if (names->rows != n)
        return fail_at(reading->ctx, SEPAL_EDATA, names->file, 0, 0,
                       "%zu name%s here, and %s has %zu columns; there must be a name for each, "
                       "one per line, also for the target",
                       names->rows, names->rows == 1 ? "" : "s", reading->source.file.name, n);
    TRY(table_name_room(reading, n, line));
    for (size_t c = 0; c < n; c++)
        TRY(table_name_column(reading, names->texts.items[names->number[c]], line, 1));
    reading->columns.header = true;
    return SEPAL_OK;
}

static sepal_status refuse_other_family(struct reading *reading) {
    if (!reading->known || reading->known->family == FAMILY_TABLE) return SEPAL_OK;
    return fail_at(reading->ctx, SEPAL_EDATA, reading->source.file.name, 0, 0,
                   "the model was trained on LIBSVM rows and this is a table; sepal convert makes "
                   "one of the other");
}

/* Every column with its role, for a description. */
static sepal_status survey_columns(struct reading *reading) {
    static const char *const roles[] = {[ROLE_IGNORE] = "dropped",
                                        [ROLE_FEATURE] = "feature",
                                        [ROLE_LABEL] = "target",
                                        [ROLE_WEIGHT] = "weight"};
    struct file_facts *facts = reading->data->facts;
    facts->n = reading->table.n_cells;
    facts->columns =
        arena_zero(reading->ctx, &reading->data->arena, facts->n, sizeof *facts->columns);
    if (!facts->columns) return SEPAL_EMEMORY;
    for (size_t c = 0; c < facts->n; c++) {
        const struct table_role *role = &reading->table.roles[c];
        bool feature = role->role == ROLE_FEATURE, kept = role->role == ROLE_IGNORE && role->keep;
        facts->columns[c] = (struct surveyed_column){.name = reading->columns.names[c],
                                                     .role = kept ? "kept" : roles[role->role],
                                                     .feature = feature ? role->feature : SIZE_MAX};
    }
    return SEPAL_OK;
}

sepal_status table_plan(struct reading *reading) {
    struct columns *columns = &reading->columns;
    struct table_layout *layout = &reading->table;
    const struct schema *schema = reading->data->schema;
    struct arena *arena = table_arena(reading);
    columns->labels_elsewhere =
        reading->labels.file != NULL || (reading->surveys && !reading->with_labels);
    TRY(refuse_other_family(reading));
    if (reading->known)
        TRY(columns_match(layout, reading->ctx, arena, columns, reading->known, &reading->options,
                          reading->with_labels));
    else
        TRY(columns_plan(layout, reading->learnt, reading->ctx, arena, columns, &reading->options));
    layout->refuses = schema->missing == MISSING_REFUSE;
    layout->lenient = reading->lenient;
    layout->skips = reading->options.bad_lines == BAD_LINES_SKIP || reading->lenient;
    layout->weight = reading->weights.weight;
    layout->n_weights = reading->weights.rows;
    return reading->surveys ? survey_columns(reading) : SEPAL_OK;
}

static sepal_status parse_rows(struct reading *reading, const struct chunk_format *format,
                               const void *layout) {
    reading->chunks.in_order = reading->table.weight != NULL;
    reading->chunks.note_bytes = reading->table.n_features * sizeof(struct parsed_column);
    return chunks_parse(&reading->chunks, reading->ctx, &reading->source, reading->line, format,
                        layout);
}

sepal_status table_parse(struct reading *reading, const struct chunk_format *format,
                         const void *layout) {
    bool open = kinds_open(reading), again = false;
    if (open) source_mark(&reading->source);
    TRY(parse_rows(reading, format, layout));
    if (open) TRY(kinds_settle(reading, &again));
    if (again) {
        chunks_clear(&reading->chunks);
        TRY(parse_rows(reading, format, layout));
        TRY(kinds_check(reading));
    }
    if (reading->chunks.count) return SEPAL_OK;
    return reading_refuse_empty(reading, "there are no rows below the header");
}
