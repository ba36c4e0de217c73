/* From a path to a data set: open, detect, let the format's reader parse, merge, assemble. */
#include "core/alloc.h"
#include "core/clock.h"
#include "data/limits.h"
#include "io/assemble.h"
#include "io/merge.h"
#include "io/reading.h"

#include <string.h>

/* ---- the first bytes ---------------------------------------------------------------------- */

static sepal_status skip_mark(struct reading *reading) {
    const char *bytes;
    size_t n;
    TRY(source_peek(&reading->source, reading->ctx, 3, &bytes, &n));
    if (n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) source_skip(&reading->source, 3);
    return SEPAL_OK;
}

sepal_status reading_peek_records(struct reading *reading, struct csv_marks marks, size_t records,
                                  const char **bytes, size_t *n) {
    const size_t most = (size_t)LIMIT_RECORD + 1;
    for (size_t want = DETECT_BYTES;; want = 2 * want < most ? 2 * want : most) {
        TRY(source_peek(&reading->source, reading->ctx, want, bytes, n));
        if (*n < want) return SEPAL_OK;
        size_t seen = 0;
        const char *p = *bytes, *end = p + *n;
        for (const char *next; seen < records && (next = csv_record_end(p, end, marks)); p = next)
            seen++;
        if (seen >= records) return SEPAL_OK;
        if (want < most) continue;
        if (seen == 0)
            return fail_at(reading->ctx, SEPAL_EDATA, reading->source.file.name, reading->line, 1,
                           LIMIT_RECORD_SAID);
        *n = (size_t)(p - *bytes);
        return SEPAL_OK;
    }
}

void reading_skip_line(struct reading *reading, const char *bytes, size_t n, char eol) {
    const char *end = memchr(bytes, eol, n);
    source_skip(&reading->source, end ? (size_t)(end - bytes) + 1 : n);
    reading->line++;
}

static sepal_status skip_lines(struct reading *reading) {
    const char *bytes;
    size_t n;
    TRY(source_peek(&reading->source, reading->ctx, DETECT_BYTES, &bytes, &n));
    struct csv_marks lines = {.delimiter = ',', .eol = detect_eol(bytes, n)};
    for (size_t i = 0; i < reading->options.skip; i++) {
        TRY(reading_peek_records(reading, lines, 1, &bytes, &n));
        if (n == 0) return SEPAL_OK;
        reading_skip_line(reading, bytes, n, lines.eol);
    }
    return SEPAL_OK;
}

sepal_status reading_refuse_empty(struct reading *reading, const char *what) {
    return fail_at(reading->ctx, SEPAL_EDATA, reading->source.file.name, reading->line, 1,
                   "%s; a data file has one row per line", what);
}

sepal_status reading_refuse_options(struct reading *reading, const struct reading_option *options,
                                    const char *are_for, const char *but_this_is) {
    for (; options->name; options++)
        if (options->given)
            return fail(reading->ctx, SEPAL_EUSAGE, OPTION "%s is for %s; %s is %s", options->name,
                        are_for, reading->source.file.name, but_this_is);
    return SEPAL_OK;
}

/* Binary files are told from text by a NUL among the first bytes; other control characters are
   met, at their place, by the parsers. */
static sepal_status read_refuse_binary(struct reading *reading, const char *bytes, size_t n) {
    const char *nul = memchr(bytes, '\0', n);
    if (!nul) return SEPAL_OK;
    size_t line = reading->line;
    const char *start = bytes;
    char arrays[FORMATS_SHOWN_BYTES], all[FORMATS_SHOWN_BYTES];
    char eol = detect_eol(bytes, n);
    for (const char *p = bytes; (p = memchr(p, eol, (size_t)(nul - p))); start = ++p) line++;
    return fail_at(
        reading->ctx, SEPAL_EDATA, reading->source.file.name, line, (size_t)(nul - start) + 1,
        "byte 0x00: this is not text, nor an %s file; %s are read, plain or in gz, xz, "
        "zst, bz2",
        formats_shown(arrays, format_is_array, " or "), formats_shown(all, NULL, " and "));
}

static const struct format *text_format(const struct reading *reading, const char *bytes,
                                        size_t n) {
    const struct format *named = format_of_path(reading->path, NULL);
    if (named && !named->array) return named; /* an array's magic would have been seen */
    const struct format *found = format_of_bytes(bytes, n, false);
    if (found) return found;
    /* rows of a single entry, or none, do not show what they are; the model knows */
    return format_of_family(!named && reading->known ? reading->known->family : FAMILY_TABLE);
}

static sepal_status choose_text_format(struct reading *reading) {
    const char *bytes;
    size_t n;
    TRY(skip_mark(reading));
    TRY(skip_lines(reading));
    TRY(source_peek(&reading->source, reading->ctx, DETECT_BYTES, &bytes, &n));
    if (n == 0) return reading_refuse_empty(reading, "there is nothing in this file");
    TRY(read_refuse_binary(reading, bytes, n));
    if (!reading->format) reading->format = text_format(reading, bytes, n);
    return SEPAL_OK;
}

static sepal_status read_choose_format(struct reading *reading) {
    enum { MAGIC_BYTES = 16 };
    const char *bytes;
    size_t n;
    if (reading->options.format) {
        reading->format = format_table[reading->options.format - 1];
    } else {
        TRY(source_peek(&reading->source, reading->ctx, MAGIC_BYTES, &bytes, &n));
        reading->format = format_of_bytes(bytes, n, true);
        if (!reading->format) TRY(detect_refuse(reading->ctx, reading->source.file.name, bytes, n));
    }
    bool array = reading->format && reading->format->array;
    return array ? SEPAL_OK : choose_text_format(reading);
}

/* ---- files beside the data ---------------------------------------------------------------- */

static sepal_status refuse_contradictions(struct reading *reading) {
    const struct read_options *options = &reading->options;
    const char *path[] = {reading->path, options->labels, options->weights, options->names};
    size_t inputs = 0;
    for (size_t i = 0; i < sizeof path / sizeof *path; i++)
        inputs += path[i] && strcmp(path[i], "-") == 0;
    if (options->labels && options->target)
        return fail(reading->ctx, SEPAL_EUSAGE,
                    OPTION "labels and " OPTION
                           "target both say where the labels are; give one of them");
    if (options->labels && options->label_separator)
        return fail(reading->ctx, SEPAL_EUSAGE,
                    OPTION "labels is a file with one label a row; " OPTION
                           "label-separator is for a label column: leave one of them out");
    if (options->weights && options->weight)
        return fail(reading->ctx, SEPAL_EUSAGE,
                    OPTION "weights and " OPTION
                           "weight both say where the weights are; give one of them");
    if (inputs > 1)
        return fail(reading->ctx, SEPAL_EUSAGE,
                    "standard input can be only one of the data, " OPTION "labels, " OPTION
                    "weights and " OPTION "names");
    return SEPAL_OK;
}

/* Arrays have no place for labels: these are looked for beside them. */
static sepal_status find_sibling(struct reading *reading) {
    if (!reading->format->array || reading->options.labels || reading->options.target)
        return SEPAL_OK;
    TRY(labels_file_sibling(&reading->sibling, reading->ctx, reading->path));
    if (reading->sibling)
        warn(reading->ctx, "labels-found", "the labels of %s are read from %s, which is beside it",
             reading->path, reading->sibling);
    return SEPAL_OK;
}

static sepal_status read_labels_and_weights(struct reading *reading) {
    const struct read_options *options = &reading->options;
    if (!reading->with_labels) return SEPAL_OK;
    TRY(find_sibling(reading));
    const char *labels = options->labels ? options->labels : reading->sibling;
    if (labels) TRY(labels_file_labels(&reading->labels, reading->ctx, labels));
    if (options->weights)
        TRY(labels_file_weights(&reading->weights, reading->ctx, options->weights));
    return SEPAL_OK;
}

/* ---- all ---------------------------------------------------------------------------------- */

/* The data set that is to be filled, and the schema that explains it. */
static sepal_status begin_data(struct reading *reading) {
    const char *name = reading->source.file.name;
    reading->data->file = arena_text(reading->ctx, &reading->data->arena, name, strlen(name));
    if (!reading->data->file) return SEPAL_EMEMORY;
    if (reading->known) {
        reading->data->schema = schema_retain(reading->known);
        return SEPAL_OK;
    }
    reading->learnt = schema_new(reading->ctx);
    if (!reading->learnt) return SEPAL_EMEMORY;
    reading->learnt->family = reading->format->family;
    reading->learnt->missing = (enum missing)reading->options.missing;
    reading->data->schema = reading->learnt;
    return SEPAL_OK;
}

/* "beach,sunset,...": the columns of labels of a model. */
static const char *join_targets(struct reading *reading) {
    enum { SHOWN = 5 };
    const struct table_layout *table = &reading->table;
    struct text names = {0};
    size_t n = 0;
    for (size_t c = 0; c < table->n_cells && n <= SHOWN; c++) {
        if (!table->roles[c].bit) continue;
        text_printf(reading->ctx, &names, "%s%.100s", n ? "," : "",
                    n < SHOWN ? table->roles[c].name : "...");
        n++;
    }
    const char *copy =
        names.bytes ? arena_text(reading->ctx, &reading->arena, names.bytes, names.length) : NULL;
    text_clear(&names);
    return copy;
}

/* What the labels are, to be told in reports. */
static sepal_status keep_target(struct reading *reading) {
    const struct columns *columns = &reading->columns;
    sepal_data *data = reading->data;
    const char *file = reading->labels.file;
    struct target target = {.source = TARGET_FIELD};
    if (!reading->with_labels) return SEPAL_OK;
    if (file)
        target = (struct target){.source = TARGET_FILE, .name = file};
    else if (reading->format->family == FAMILY_TABLE)
        target =
            (struct target){.source = TARGET_COLUMN,
                            .name = columns->target != SIZE_MAX ? columns->names[columns->target]
                                                                : join_targets(reading),
                            .guessed = columns->guessed,
                            .named = reading->options.target != NULL};
    return target_copy(&data->target, reading->ctx, &data->arena, &target);
}

/* What is told of the file itself. The names of columns live as long as the schema. */
static sepal_status begin_survey(struct reading *reading) {
    reading->data->facts =
        arena_zero(reading->ctx, &reading->data->arena, 1, sizeof *reading->data->facts);
    return reading->data->facts ? SEPAL_OK : SEPAL_EMEMORY;
}

/* Where the records begin, chunk after chunk, and where the last one ends. */
static sepal_status keep_places(struct reading *reading) {
    const struct chunks *chunks = &reading->chunks;
    struct file_facts *facts = reading->data->facts;
    size_t n = chunks_records(chunks), at = chunks->first_byte;
    if (reading->format->array) facts->records = n;
    if (!reading->places || reading->format->array) return SEPAL_OK;
    facts->place = arena_alloc(reading->ctx, &reading->data->arena, n + 1, sizeof *facts->place);
    if (!facts->place) return SEPAL_EMEMORY;
    for (size_t i = 0; i < chunks->count; i++) {
        const struct parsed_chunk *parsed = chunks->items[i];
        /* never: parsers note each record */
        if (parsed->n_places != parsed_records(parsed))
            return fail(reading->ctx, SEPAL_EINTERNAL, "%zu places of %zu records",
                        parsed->n_places, parsed_records(parsed));
        for (size_t k = 0; k < parsed->n_places; k++)
            facts->place[facts->records++] = at + parsed->place[k];
        at += parsed->bytes;
    }
    facts->place[n] = at;
    return SEPAL_OK;
}

static void end_survey(struct reading *reading) {
    const sepal_data *data = reading->data;
    struct file_facts *facts = data->facts;
    facts->format = reading->format->name;
    facts->delimiter = reading->delimiter;
    facts->header = reading->columns.header;
    for (size_t i = 0; data->label && i < data->matrix.rows; i++)
        facts->unlabelled += data->label[i] < 0;
}

/* The rows as blocks, unless they are used where they are in their file. */
static sepal_status take_matrix(struct reading *reading) {
    sepal_data *data = reading->data;
    if (reading->rows.blocks) {
        data->matrix = reading->rows;
        reading->rows = (struct matrix){0};
    } else {
        TRY(assemble(data, reading->ctx, &reading->chunks));
    }
    matrix_set_numbers(&data->matrix, data->number);
    return SEPAL_OK;
}

static sepal_status read_read_all(struct reading *reading, const char *options) {
    TRY(read_options_parse(&reading->options, reading->ctx, &reading->arena, options));
    TRY(refuse_contradictions(reading));
    reading->lenient = reading->surveys && reading->options.bad_lines == BAD_LINES_STOP;
    TRY(source_open(&reading->source, reading->ctx, reading->path));
    if (reading->places && (reading->source.start == SIZE_MAX || strcmp(reading->path, "-") == 0))
        return fail_at(reading->ctx, SEPAL_EDATA, reading->source.file.name, 0, 0,
                       "this is read twice, and a pipe or device can be read only once; save it to "
                       "a file first");
    reading->chunks.notes_places = reading->places;
    reading->columns = columns_none(reading->source.file.name);
    if (reading->places) reading->columns.carried_for = "group";
    TRY(read_choose_format(reading));
    TRY(read_labels_and_weights(reading));
    TRY(begin_data(reading));
    if (reading->surveys) TRY(begin_survey(reading));
    TRY(reading->format->read(reading));
    TRY(keep_target(reading));
    TRY(merge_chunks(reading));
    TRY(take_matrix(reading));
    if (reading->surveys) TRY(keep_places(reading));
    if (reading->surveys) end_survey(reading);
    return SEPAL_OK;
}

static sepal_status read_data(sepal_data **out, sepal_ctx *ctx, const char *options,
                              struct reading reading) {
    uint64_t start = clock_ns();
    *out = NULL;
    reading.ctx = ctx;
    reading.line = 1;
    reading.source.file.fd = -1;
    reading.data = data_new(ctx);
    sepal_status status = reading.data ? read_read_all(&reading, options) : SEPAL_EMEMORY;
    source_close(&reading.source);
    chunks_clear(&reading.chunks);
    matrix_clear(&reading.rows);
    tokens_clear(&reading.columns.by_name);
    labels_file_clear(&reading.labels);
    labels_file_clear(&reading.weights);
    labels_file_clear(&reading.names);
    mem_free(reading.sibling);
    arena_clear(&reading.arena);
    if (status != SEPAL_OK) {
        data_free(reading.data);
        return status;
    }
    reading.data->seconds = clock_seconds_since(start);
    *out = reading.data;
    return SEPAL_OK;
}

sepal_status data_read(sepal_data **out, sepal_ctx *ctx, const char *path, const char *options,
                       const struct schema *schema, bool with_labels) {
    return read_data(out, ctx, options,
                     (struct reading){.path = path, .known = schema, .with_labels = with_labels});
}

sepal_status data_survey(sepal_data **out, sepal_ctx *ctx, const char *path, const char *options) {
    return read_data(out, ctx, options,
                     (struct reading){.path = path, .surveys = true, .with_labels = true});
}

sepal_status data_survey_places(sepal_data **out, sepal_ctx *ctx, const char *path,
                                const char *options) {
    return read_data(
        out, ctx, options,
        (struct reading){.path = path, .surveys = true, .places = true, .with_labels = true});
}
