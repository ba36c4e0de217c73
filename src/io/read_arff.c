/* ARFF: its attributes are the columns of a table. */
#include "io/arff.h"
#include "data/limits.h"
#include "io/reading.h"
#include "io/write.h"

#include <string.h>
#include <strings.h>

/* A line that begins with @relation. */
static bool arff_detect(const char *bytes, size_t n) {
    static const char word[] = "@relation";
    char eol = detect_eol(bytes, n);
    for (const char *p = bytes, *end = bytes + n; p < end;) {
        while (p < end && (*p == ' ' || *p == '\t')) p++;
        if ((size_t)(end - p) >= sizeof word - 1 && strncasecmp(p, word, sizeof word - 1) == 0)
            return true;
        const char *stop = memchr(p, eol, (size_t)(end - p));
        p = stop ? stop + 1 : end;
    }
    return false;
}

/* ---- the header --------------------------------------------------------------------------- */

static sepal_status peek_header(struct reading *reading, char eol, const char **bytes, size_t *n) {
    for (size_t want = DETECT_BYTES;; want *= 2) {
        if (want > LIMIT_ARFF_HEADER) want = (size_t)LIMIT_ARFF_HEADER + 1;
        TRY(source_peek(&reading->source, reading->ctx, want, bytes, n));
        size_t header = arff_find_data(*bytes, *n, eol);
        /* a line cut off behind "@data" might go on */
        if (header && (header < *n || *n < want)) {
            *n = header;
            return SEPAL_OK;
        }
        if (*n < want || want > LIMIT_ARFF_HEADER)
            return fail_at(reading->ctx, SEPAL_EDATA, reading->source.file.name, reading->line, 1,
                           "there is no line @data%s; an ARFF file has @relation, @attribute "
                           "lines, @data, and then rows",
                           *n < want ? "" : " in the first 64 MB, where it must be");
    }
}

static sepal_status read_arff_read_header(struct reading *reading, struct arff_header *header,
                                          char *eol) {
    const char *bytes;
    size_t n;
    /* never: they were looked at before, for the format */
    TRY(source_peek(&reading->source, reading->ctx, DETECT_BYTES, &bytes, &n));
    *eol = detect_eol(bytes, n);
    TRY(peek_header(reading, *eol, &bytes, &n));
    TRY(arff_header_parse(header, reading->ctx, table_arena(reading), reading->source.file.name,
                          reading->line, bytes, n, *eol));
    source_skip(&reading->source, n);
    return SEPAL_OK;
}

static sepal_status read_arff_name_columns(struct reading *reading,
                                           const struct arff_header *header) {
    size_t first = reading->line;
    reading->columns.header = true;
    reading->columns.header_line = first;
    TRY(table_name_room(reading, header->n, first));
    for (size_t c = 0; c < header->n; c++) {
        const struct arff_attribute *attribute = &header->attributes[c];
        TRY(table_name_column(reading, attribute->name, first + attribute->spot.line,
                              attribute->spot.column));
    }
    reading->line += header->lines;
    return SEPAL_OK;
}

/* ---- the layout --------------------------------------------------------------------------- */

/* A nominal feature: its categories are the declared values, whether rows have them or not. */
static sepal_status declare(struct reading *reading, struct table_role *role,
                            const struct arff_attribute *attribute) {
    struct column *column = &reading->learnt->columns[role->feature];
    if (attribute->n_values > LIMIT_CATEGORIES && !reading->lenient)
        return fail_at(reading->ctx, SEPAL_EDATA, reading->source.file.name,
                       reading->columns.header_line + attribute->spot.line, attribute->spot.column,
                       "attribute '%s' has %zu declared values, %d are the most that can become "
                       "0/1 columns; leave it out with " OPTION "drop '%s'",
                       column->name, attribute->n_values, LIMIT_CATEGORIES, column->name);
    column->text = true;
    column->n_categories = attribute->n_values;
    column->categories = attribute->values;
    role->known = column;
    return SEPAL_OK;
}

static sepal_status assign_kinds(struct reading *reading, const struct arff_header *header) {
    for (size_t c = 0; c < header->n; c++) {
        struct table_role *role = &reading->table.roles[c];
        const struct arff_attribute *attribute = &header->attributes[c];
        role->literal = true;
        role->declared = attribute->kind == ARFF_NOMINAL;
        if (reading->known || role->role != ROLE_FEATURE) continue;
        role->as_number = attribute->kind == ARFF_NUMBER && !role->as_text;
        role->as_text = !role->as_number;
        if (role->declared) TRY(declare(reading, role, attribute));
    }
    return SEPAL_OK;
}

/* A number for the file and for the model, if there is one: left out, it is 0. */
static bool is_plain_number(const struct table_role *role, const struct arff_attribute *attribute) {
    return role->role == ROLE_FEATURE && !role->as_text && !role->keep &&
           attribute->kind == ARFF_NUMBER;
}

/* Cells that sparse rows may leave out and yet mean something by it. */
static sepal_status list_others(struct reading *reading, struct arff_layout *layout) {
    const struct table_layout *table = &reading->table;
    layout->others =
        arena_alloc(reading->ctx, &reading->arena, table->n_cells, sizeof *layout->others);
    if (!layout->others) return SEPAL_EMEMORY;
    for (size_t c = 0; c < table->n_cells; c++)
        if (!is_plain_number(&table->roles[c], &layout->attributes[c]))
            layout->others[layout->n_others++] = c;
    return SEPAL_OK;
}

/* The first row shows whether rows are sparse, and what stands between values. */
static sepal_status look_at_rows(struct reading *reading, struct arff_layout *layout) {
    const char *bytes;
    size_t n;
    struct table_layout *table = &reading->table;
    TRY(source_peek(&reading->source, reading->ctx, DETECT_BYTES, &bytes, &n));
    const char *p = bytes, *end = bytes + n;
    layout->delimiter = ',';
    while (p < end) {
        const char *eol = memchr(p, layout->eol, (size_t)(end - p));
        const char *stop = eol ? eol : end;
        while (p < stop && (unsigned char)*p <= ' ') p++;
        if (p < stop && *p != '%') {
            bool sparse = *p == '{';
            if (!sparse && table->n_cells > 1 && !memchr(p, ',', (size_t)(stop - p)))
                layout->delimiter = ' ';
            table->sparse = sparse && table->refuses;
            break;
        }
        p = eol ? eol + 1 : end;
    }
    for (size_t c = 0; c < table->n_cells; c++)
        if (table->roles[c].role == ROLE_FEATURE && table->roles[c].as_text) table->sparse = false;
    return SEPAL_OK;
}

static sepal_status read_arff(struct reading *reading) {
    struct arff_layout layout = {.table = &reading->table};
    struct arff_header header;
    const struct reading_option others[] = {{"decimal", reading->options.decimal == DECIMAL_COMMA},
                                            {"names", reading->options.names != NULL},
                                            {0}};
    TRY(reading_refuse_options(reading, others, "csv and tsv files", "an ARFF file"));
    TRY(read_arff_read_header(reading, &header, &layout.eol));
    layout.attributes = header.attributes;
    TRY(read_arff_name_columns(reading, &header));
    TRY(table_plan(reading));
    TRY(assign_kinds(reading, &header));
    TRY(list_others(reading, &layout));
    TRY(look_at_rows(reading, &layout));
    return table_parse(reading, &arff_chunk_format, &layout);
}

const struct format format_arff = {
    .name = "arff",
    .summary = "Weka's text with declared attributes, dense or sparse",
    .extensions = {".arff"},
    .detect = arff_detect,
    .read = read_arff,
    .writer = &arff_writer,
};
