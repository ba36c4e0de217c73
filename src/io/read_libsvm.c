/* LIBSVM text: how it is told from others, and what is special about its options and indices. */
#include "core/decimal.h"
#include "io/libsvm.h"
#include "io/reading.h"
#include "io/write.h"

#include <string.h>

static bool is_pair(const char *p, const char *end) {
    const char *colon = p;
    while (colon < end && *colon >= '0' && *colon <= '9') colon++;
    double value;
    return colon > p && colon < end && *colon == ':' && decimal_read(colon + 1, end, &value) == end;
}

/* Fields after the first, all of them index:value, and at least one. */
static bool is_libsvm_line(const char *p, const char *end) {
    size_t pairs = 0;
    for (size_t field = 0; p < end; field++) {
        while (p < end && (*p == ' ' || *p == '\t' || *p == '\r')) p++;
        const char *stop = p;
        while (stop < end && *stop != ' ' && *stop != '\t' && *stop != '\r') stop++;
        if (p == stop || *p == '#') break;
        bool query = stop - p > 4 && memcmp(p, "qid:", 4) == 0;
        if (field && !query && !is_pair(p, stop)) return false;
        if (field && !query) pairs++;
        p = stop;
    }
    return pairs > 0;
}

static bool libsvm_detect(const char *bytes, size_t n) {
    char eol = detect_eol(bytes, n);
    const char *end = bytes + n;
    for (const char *p = bytes; p < end;) {
        const char *stop = memchr(p, eol, (size_t)(end - p));
        /* the last line may be cut off in the middle of a number, which does no harm */
        if (is_libsvm_line(p, stop ? stop : end)) return true;
        if (!stop) break;
        p = stop + 1;
    }
    return false;
}

static sepal_status refuse_table_options(struct reading *reading) {
    const struct read_options *options = &reading->options;
    const struct reading_option table_only[] = {
        {"target", options->target != NULL},
        {"drop", options->drop != NULL},
        {"only", options->only != NULL},
        {reading->places ? "group" : "keep", options->keep != NULL},
        {"categorical", options->categorical != NULL},
        {"weight", options->weight != NULL},
        {"group", options->group != NULL},
        {"delimiter", options->delimiter != NULL},
        {"decimal", options->decimal == DECIMAL_COMMA},
        {0}};
    return reading_refuse_options(reading, table_only, "tables",
                                  "in LIBSVM format, whose label comes first and whose columns "
                                  "have numbers (" OPTION "format csv reads it as a table)");
}

/* Sets of labels are told by their commas, unless no set has more than one. */
static sepal_status check_separator(struct reading *reading) {
    const char *wish = reading->options.label_separator;
    if (!wish || strcmp(wish, ",") == 0) return SEPAL_OK;
    return fail(
        reading->ctx, SEPAL_EUSAGE,
        "in LIBSVM format commas stand between the labels of a set, not '%.40s'; give " OPTION
        "label-separator , or leave it out",
        wish);
}

static struct libsvm_layout read_libsvm_plan(const struct reading *reading, char eol) {
    struct libsvm_layout layout = {.eol = eol,
                                   .labels = reading->with_labels && !reading->labels.file,
                                   .most = INT32_MAX,
                                   .skips = reading->options.bad_lines == BAD_LINES_SKIP ||
                                            reading->lenient,
                                   .weight = reading->weights.weight,
                                   .n_weights = reading->weights.rows};
    layout.sets =
        reading->options.label_separator || (reading->known && reading->known->label_separator);
    if (reading->options.n_features) layout.most = (uint32_t)reading->options.n_features;
    if (reading->known) {
        layout.for_model = true;
        layout.first_index = reading->known->zero_based ? 0 : 1;
        layout.last_index = (uint32_t)(reading->known->width - 1) + layout.first_index;
        layout.most = INT32_MAX;
    }
    return layout;
}

static sepal_status read_libsvm(struct reading *reading) {
    const char *bytes;
    size_t n;
    TRY(refuse_table_options(reading));
    TRY(check_separator(reading));
    /* never: they were looked at before, for the format */
    TRY(source_peek(&reading->source, reading->ctx, DETECT_BYTES, &bytes, &n));
    if (reading->known && reading->known->family != FAMILY_INDEXED)
        return fail_at(reading->ctx, SEPAL_EDATA, reading->source.file.name, 0, 0,
                       "the model was trained on a table and this is in LIBSVM format; sepal "
                       "convert makes one of the other");
    /* a model knows the names of its features */
    if (reading->options.names && reading->learnt)
        TRY(labels_file_names(&reading->names, reading->ctx, reading->options.names));
    struct libsvm_layout layout = read_libsvm_plan(reading, detect_eol(bytes, n));
    reading->chunks.in_order = layout.weight != NULL;
    return chunks_parse(&reading->chunks, reading->ctx, &reading->source, reading->line,
                        &libsvm_chunk_format, &layout);
}

const struct format format_libsvm = {
    .name = "libsvm",
    .summary = "sparse text, label index:value ...",
    .extensions = {".svm", ".libsvm"},
    .family = FAMILY_INDEXED,
    .detect = libsvm_detect,
    .read = read_libsvm,
    .writer = &libsvm_writer,
};
