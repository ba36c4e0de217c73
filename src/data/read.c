/* From a path to a data set: open, detect, plan the columns, parse the chunks, merge, assemble. */
#include "core/alloc.h"
#include "core/clock.h"
#include "data/columns.h"
#include "data/detect.h"
#include "data/libsvm.h"
#include "data/merge.h"

#include <stdio.h>
#include <string.h>

struct reading {
    sepal_ctx *ctx;
    const char *path;
    struct read_options options;
    const struct schema *known; /* of the model, NULL when learning */
    bool with_labels;
    struct schema *learnt; /* being made, NULL when reading for a model */
    struct arena arena;
    struct source source;
    size_t line; /* number of the line at which the source stands */
    struct chunks chunks;
    sepal_data *data;
};

/* ---- the first bytes ---------------------------------------------------------------------- */

static sepal_status skip_mark(struct reading *reading) {
    const char *bytes;
    size_t n;
    TRY(source_peek(&reading->source, reading->ctx, 3, &bytes, &n));
    if (n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) source_skip(&reading->source, 3);
    return SEPAL_OK;
}

/* The stream up to and including the next line end that is not inside a record already seen; more
   of it is peeked at until `enough` says so or the stream ends. */
static sepal_status peek_records(struct reading *reading, struct csv_marks marks, size_t records,
                                 const char **bytes, size_t *n) {
    for (size_t want = DETECT_BYTES;; want *= 2) {
        TRY(source_peek(&reading->source, reading->ctx, want, bytes, n));
        if (*n < want) return SEPAL_OK;
        size_t seen = 0;
        const char *p = *bytes, *end = p + *n;
        while (p && seen < records) {
            p = csv_record_end(p, end, marks);
            seen += p != NULL;
        }
        if (seen >= records) return SEPAL_OK;
    }
}

static sepal_status skip_lines(struct reading *reading) {
    const char *bytes;
    size_t n;
    TRY(source_peek(&reading->source, reading->ctx, DETECT_BYTES, &bytes, &n));
    struct csv_marks lines = {.delimiter = ',', .eol = detect_eol(bytes, n)};
    for (size_t i = 0; i < reading->options.skip; i++) {
        TRY(peek_records(reading, lines, 1, &bytes, &n));
        if (n == 0) return SEPAL_OK;
        const char *eol = memchr(bytes, lines.eol, n);
        source_skip(&reading->source, eol ? (size_t)(eol - bytes) + 1 : n);
        reading->line++;
    }
    return SEPAL_OK;
}

static sepal_status refuse_empty(struct reading *reading, const char *what) {
    return fail_at(reading->ctx, SEPAL_EDATA, reading->source.file.name, reading->line, 1,
                   "%s; a data file has one row per line", what);
}

/* Binary files are told from text by a NUL among the first bytes; other control characters are
   met, at their place, by the parsers. */
static sepal_status refuse_binary(struct reading *reading, const char *bytes, size_t n) {
    const char *nul = memchr(bytes, '\0', n);
    if (!nul) return SEPAL_OK;
    size_t line = reading->line;
    const char *start = bytes;
    char eol = detect_eol(bytes, n);
    for (const char *p = bytes; (p = memchr(p, eol, (size_t)(nul - p))); start = ++p) line++;
    return fail_at(reading->ctx, SEPAL_EDATA, reading->source.file.name, line,
                   (size_t)(nul - start) + 1,
                   "byte 0x00: this is not text; csv, tsv and libsvm files are read, plain or in "
                   "gz, xz, zst, bz2");
}

/* ---- tables ------------------------------------------------------------------------------- */

static sepal_status named_delimiter(char *out, sepal_ctx *ctx, const char *wish) {
    static const struct {
        const char *word;
        char delimiter;
    } words[] = {{"tab", '\t'}, {"\\t", '\t'}, {"blank", ' '}, {"space", ' '}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(wish, words[i].word) == 0) {
            *out = words[i].delimiter;
            return SEPAL_OK;
        }
    /* what numbers, names and quotes are made of cannot stand between cells */
    unsigned char c = (unsigned char)wish[0];
    bool mark = c && !wish[1] && (c == ' ' || c == '\t' || (c > ' ' && c < 0x7f)) &&
                !strchr("\"+-._'", c) && !(c >= '0' && c <= '9') &&
                !((c | 32) >= 'a' && (c | 32) <= 'z');
    *out = wish[0];
    if (mark) return SEPAL_OK;
    return fail(ctx, SEPAL_EUSAGE,
                "'%.40s' cannot be the delimiter; it is one of , ; | : tab blank or another mark",
                wish);
}

static sepal_status choose_marks(struct reading *reading, enum format format,
                                 struct csv_marks *marks) {
    const char *bytes, *wish = reading->options.delimiter;
    size_t n;
    TRY(source_peek(&reading->source, reading->ctx, DETECT_BYTES, &bytes, &n));
    *marks = (struct csv_marks){.delimiter = format == FORMAT_TSV ? '\t' : ',',
                                .eol = detect_eol(bytes, n),
                                .quotes = reading->options.quote};
    if (!wish) {
        if (format == FORMAT_CSV)
            TRY(detect_delimiter(&marks->delimiter, reading->ctx, bytes, n, marks->eol,
                                 marks->quotes));
        return SEPAL_OK;
    }
    return named_delimiter(&marks->delimiter, reading->ctx, wish);
}

/* Skip blank lines at the top, so that the first line is the header or the first row. */
static sepal_status skip_blank_lines(struct reading *reading, struct csv_marks marks) {
    for (;;) {
        const char *bytes;
        size_t n;
        TRY(peek_records(reading, marks, 1, &bytes, &n));
        if (n == 0 || !csv_is_blank(bytes, bytes + n, marks)) return SEPAL_OK;
        const char *eol = memchr(bytes, marks.eol, n);
        source_skip(&reading->source, eol ? (size_t)(eol - bytes) + 1 : n);
        reading->line++;
    }
}

static sepal_status name_columns(struct reading *reading, struct columns *columns,
                                 const struct csv_sample *sample, struct arena *arena) {
    columns->n = sample->cells;
    columns->names = arena_alloc(reading->ctx, arena, columns->n, sizeof *columns->names);
    if (!columns->names) return SEPAL_EMEMORY;
    for (size_t c = 0; c < columns->n; c++) {
        char number[32];
        struct slice name = sample->cell[c].text;
        if (!columns->header || name.length == 0) {
            int length = snprintf(number, sizeof number, "x%zu", c + 1);
            name = (struct slice){number, (size_t)length};
        }
        const char *copy = arena_text(reading->ctx, arena, name.bytes, name.length);
        if (!copy) return SEPAL_EMEMORY;
        columns->names[c] = copy;
        uint32_t at;
        bool fresh;
        TRY(tokens_add(&columns->by_name, reading->ctx, name, &at, &fresh));
        size_t column = (size_t)(sample->cell[c].start - sample->cell[0].start) + 1;
        if (!fresh)
            return fail_at(reading->ctx, SEPAL_EDATA, reading->source.file.name, reading->line,
                           column, "two columns have the name '%s'; rename one of them", copy);
        if (utf8_valid_prefix(name.bytes, name.length) < name.length)
            return fail_at(reading->ctx, SEPAL_EDATA, reading->source.file.name, reading->line,
                           column, "a column's name is not UTF-8; convert the file with iconv");
    }
    return SEPAL_OK;
}

static sepal_status has_header(struct reading *reading, const struct csv_sample *sample,
                               bool *header) {
    *header = reading->options.header == HEADER_YES;
    if (reading->options.header != HEADER_AUTO) return SEPAL_OK;
    /* For a model trained without a header, rows of text alone must not be taken for one. */
    bool named = !reading->known || reading->known->header;
    *header = named ? detect_header(sample) : detect_names(sample);
    if (*header || !reading->known) return SEPAL_OK;
    struct tokens first = {0};
    sepal_status status = SEPAL_OK;
    uint32_t at;
    bool fresh;
    for (size_t c = 0; c < sample->cells && status == SEPAL_OK; c++)
        status = tokens_add(&first, reading->ctx, sample->cell[c].text, &at, &fresh);
    if (status == SEPAL_OK) *header = columns_named(reading->known, &first);
    tokens_clear(&first);
    return status;
}

/* The first record is faulty: let the parser say what and where. */
static bool sample_is_whole(const struct csv_sample *sample) {
    for (size_t c = 0; sample->rows && c < sample->cells; c++)
        if (sample->cell[c].fault) return false;
    return sample->rows > 0;
}

static size_t count_eols(const char *p, const char *end, char eol) {
    size_t n = 0;
    while ((p = memchr(p, eol, (size_t)(end - p)))) p++, n++;
    return n;
}

/* Read the header and decide what the columns are; the source is left at the first row. */
static sepal_status plan_table(struct reading *reading, struct columns *columns,
                               struct csv_layout *layout) {
    const char *bytes;
    size_t n;
    struct csv_sample sample;
    struct arena *arena = reading->learnt ? &reading->learnt->arena : &reading->arena;
    TRY(skip_blank_lines(reading, layout->marks));
    TRY(peek_records(reading, layout->marks, HEADER_ROWS + 1, &bytes, &n));
    if (n == 0) return refuse_empty(reading, "there is nothing in this file");
    TRY(csv_sample_take(&sample, reading->ctx, &reading->arena, bytes, n, layout->marks));
    *columns = (struct columns){.file = reading->source.file.name,
                                .header_line = reading->line,
                                .target = SIZE_MAX,
                                .weight = SIZE_MAX};
    if (sample_is_whole(&sample)) TRY(has_header(reading, &sample, &columns->header));
    TRY(name_columns(reading, columns, &sample, arena));
    if (columns->header) {
        const char *end = bytes + n, *next = csv_record_end(bytes, end, layout->marks);
        if (!next) next = end;
        reading->line += count_eols(bytes, next, layout->marks.eol);
        source_skip(&reading->source, (size_t)(next - bytes));
        if (next == end && n > 0 && end[-1] != layout->marks.eol) reading->line++;
    }
    if (!reading->known)
        return columns_plan(layout, reading->learnt, reading->ctx, arena, columns,
                            &reading->options);
    return columns_match(layout, reading->ctx, arena, columns, reading->known, &reading->options,
                         reading->with_labels);
}

static sepal_status keep_header(struct reading *reading, const struct columns *columns,
                                const struct csv_layout *layout) {
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
        struct raw *raw = reading->chunks.items[i];
        for (size_t r = 0; r < raw->rows; r++)
            reading->data->undecided[at++] = raw->drop && raw->drop[r];
        mem_free(raw->drop);
        raw->drop = NULL;
    }
    return SEPAL_OK;
}

static sepal_status read_table(struct reading *reading, enum format format,
                               struct columns *columns) {
    struct csv_layout layout = {0};
    TRY(choose_marks(reading, format, &layout.marks));
    if (reading->known && reading->known->family != FAMILY_TABLE)
        return fail_at(reading->ctx, SEPAL_EDATA, reading->source.file.name, 0, 0,
                       "the model was trained on LIBSVM rows and this is a table; sepal convert "
                       "makes one of the other");
    TRY(plan_table(reading, columns, &layout));
    TRY(chunks_parse(&reading->chunks, reading->ctx, &reading->source, reading->line,
                     &csv_chunk_format, &layout));
    if (reading->chunks.count == 0)
        return refuse_empty(reading, columns->header ? "there are no rows below the header"
                                                     : "there are no rows");
    TRY(merge_missing(reading->ctx, &reading->source, &reading->chunks, reading->data->schema,
                      reading->learnt != NULL));
    if (!reading->with_labels && reading->known->missing == MISSING_DROP)
        TRY(keep_undecided(reading));
    TRY(merge_rows(&reading->data->matrix.rows, reading->ctx, &reading->source, &reading->chunks));
    if (reading->learnt)
        TRY(merge_columns(reading->learnt, reading->ctx, &reading->source, &reading->chunks,
                          &layout));
    return layout.keeps ? keep_header(reading, columns, &layout) : SEPAL_OK;
}

/* ---- LIBSVM ------------------------------------------------------------------------------- */

static sepal_status refuse_table_options(struct reading *reading) {
    const struct read_options *options = &reading->options;
    const struct {
        const char *name, *value;
    } table_only[] = {{"target", options->target},
                      {"drop", options->drop},
                      {"only", options->only},
                      {"keep", options->keep},
                      {"categorical", options->categorical},
                      {"weight", options->weight},
                      {"delimiter", options->delimiter}};
    for (size_t i = 0; i < sizeof table_only / sizeof *table_only; i++)
        if (table_only[i].value)
            return fail(reading->ctx, SEPAL_EUSAGE,
                        "--%s is for tables; %s is in LIBSVM format, whose label comes first and "
                        "whose columns have numbers (--format csv reads it as a table)",
                        table_only[i].name, reading->source.file.name);
    return SEPAL_OK;
}

/* How many features the training file shows, and whether they are counted from 0. */
static sepal_status learn_indices(struct reading *reading) {
    struct schema *schema = reading->learnt;
    uint32_t most = 0;
    for (size_t i = 0; i < reading->chunks.count; i++) {
        const struct raw *raw = reading->chunks.items[i];
        if (raw->max_index > most) most = raw->max_index;
        schema->zero_based = schema->zero_based || raw->index_zero;
    }
    size_t seen = schema->zero_based ? (size_t)most + 1 : most;
    schema->width = reading->options.n_features ? reading->options.n_features : seen;
    if (seen > schema->width)
        return fail_at(reading->ctx, SEPAL_EDATA, reading->source.file.name, 1, 1,
                       "the file is 0-based and shows index %u; --n-features %zu is too few", most,
                       schema->width);
    if (schema->zero_based)
        warn(reading->ctx, "zero-based",
             "index 0 occurs: indices are taken as counted from 0, and the model keeps that");
    return SEPAL_OK;
}

static void note_ignored(struct reading *reading) {
    size_t ignored = 0;
    for (size_t i = 0; i < reading->chunks.count; i++) ignored += reading->chunks.items[i]->ignored;
    if (ignored)
        warn(reading->ctx, "unknown-indices",
             "%zu values have an index that training has not seen and are ignored", ignored);
}

static sepal_status read_libsvm(struct reading *reading) {
    const char *bytes;
    size_t n;
    TRY(refuse_table_options(reading));
    TRY(source_peek(&reading->source, reading->ctx, DETECT_BYTES, &bytes, &n));
    if (reading->known && reading->known->family != FAMILY_INDEXED)
        return fail_at(reading->ctx, SEPAL_EDATA, reading->source.file.name, 0, 0,
                       "the model was trained on a table and this is in LIBSVM format; sepal "
                       "convert makes one of the other");
    struct libsvm_layout layout = {
        .eol = detect_eol(bytes, n), .labels = reading->with_labels, .most = INT32_MAX};
    if (reading->options.n_features) layout.most = (uint32_t)reading->options.n_features;
    if (reading->known) {
        layout.for_model = true;
        layout.first_index = reading->known->zero_based ? 0 : 1;
        layout.last_index = (uint32_t)(reading->known->width - 1) + layout.first_index;
        layout.most = INT32_MAX;
    }
    TRY(chunks_parse(&reading->chunks, reading->ctx, &reading->source, reading->line,
                     &libsvm_chunk_format, &layout));
    if (reading->chunks.count == 0) return refuse_empty(reading, "there is nothing in this file");
    if (reading->learnt) TRY(learn_indices(reading));
    note_ignored(reading);
    return merge_rows(&reading->data->matrix.rows, reading->ctx, &reading->source,
                      &reading->chunks);
}

/* ---- all ---------------------------------------------------------------------------------- */

static sepal_status make_schema(struct reading *reading, enum format format) {
    if (reading->known) {
        reading->data->schema = schema_share(reading->known);
        return SEPAL_OK;
    }
    reading->learnt = schema_new(reading->ctx);
    if (!reading->learnt) return SEPAL_EMEMORY;
    reading->learnt->family = format == FORMAT_LIBSVM ? FAMILY_INDEXED : FAMILY_TABLE;
    reading->learnt->missing = (enum missing)reading->options.missing;
    reading->data->schema = reading->learnt;
    return SEPAL_OK;
}

static sepal_status finish(struct reading *reading) {
    sepal_data *data = reading->data;
    const char *name = reading->source.file.name;
    data->file = arena_text(reading->ctx, &data->arena, name, strlen(name));
    if (!data->file) return SEPAL_EMEMORY;
    if (reading->with_labels)
        TRY(merge_labels(data, reading->learnt, reading->ctx, &reading->source, &reading->chunks));
    TRY(merge_weights(data, reading->ctx, &reading->chunks));
    return assemble(&data->matrix, reading->ctx, &reading->chunks, data->schema, data->matrix.rows);
}

static sepal_status read_all(struct reading *reading, const char *options) {
    const char *bytes;
    size_t n;
    struct columns columns = {0};
    TRY(read_options_parse(&reading->options, reading->ctx, &reading->arena, options));
    TRY(source_open(&reading->source, reading->ctx, reading->path));
    TRY(skip_mark(reading));
    TRY(skip_lines(reading));
    TRY(source_peek(&reading->source, reading->ctx, DETECT_BYTES, &bytes, &n));
    if (n == 0) return refuse_empty(reading, "there is nothing in this file");
    TRY(refuse_binary(reading, bytes, n));
    enum format format = reading->options.format ? (enum format)reading->options.format
                                                 : detect_format(reading->path, bytes, n);
    /* rows of a single entry, or none, do not show what they are; the model knows */
    bool open = !reading->options.format && !format_of_extension(reading->path);
    if (open && reading->known && reading->known->family == FAMILY_INDEXED) format = FORMAT_LIBSVM;
    TRY(make_schema(reading, format));
    sepal_status status =
        format == FORMAT_LIBSVM ? read_libsvm(reading) : read_table(reading, format, &columns);
    tokens_clear(&columns.by_name);
    return status == SEPAL_OK ? finish(reading) : status;
}

sepal_status data_read(sepal_data **out, sepal_ctx *ctx, const char *path, const char *options,
                       const struct schema *schema, bool with_labels) {
    uint64_t start = clock_ns();
    *out = NULL;
    struct reading reading = {.ctx = ctx,
                              .path = path,
                              .known = schema,
                              .with_labels = with_labels,
                              .line = 1,
                              .source = {.file = {.fd = -1}}};
    reading.data = data_new(ctx);
    sepal_status status = reading.data ? read_all(&reading, options) : SEPAL_EMEMORY;
    source_close(&reading.source);
    chunks_clear(&reading.chunks);
    arena_clear(&reading.arena);
    if (status != SEPAL_OK) {
        data_free(reading.data);
        return status;
    }
    reading.data->seconds = clock_seconds_since(start);
    *out = reading.data;
    return SEPAL_OK;
}
