/* LIBSVM text: what is special about its options and indices. */
#include "core/alloc.h"
#include "io/libsvm.h"
#include "io/reading.h"

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
                        "whose columns have numbers (" OPTION "format csv reads it as a table)",
                        table_only[i].name, reading->source.file.name);
    return SEPAL_OK;
}

/* How many features the training file shows, and whether they are counted from 0. */
static sepal_status learn_indices(struct reading *reading) {
    struct schema *schema = reading->learnt;
    uint32_t most = 0;
    for (size_t i = 0; i < reading->chunks.count; i++) {
        const struct parsed_chunk *parsed = reading->chunks.items[i];
        if (parsed->max_index > most) most = parsed->max_index;
        schema->zero_based = schema->zero_based || parsed->index_zero;
    }
    size_t seen = schema->zero_based ? (size_t)most + 1 : most;
    schema->width = reading->options.n_features ? reading->options.n_features : seen;
    if (seen > schema->width)
        return fail_at(reading->ctx, SEPAL_EDATA, reading->source.file.name, 1, 1,
                       "the file is 0-based and shows index %u; " OPTION
                       "n-features %zu is too few",
                       most, schema->width);
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

/* Rows without a label are rows after all: their indices count. */
static void count_indices(const struct chunks *chunks) {
    for (size_t i = 0; i < chunks->count; i++) {
        struct parsed_chunk *parsed = chunks->items[i];
        for (size_t k = 0; k < parsed->n_odd; k++) {
            if (parsed->odd[k].max_index > parsed->max_index)
                parsed->max_index = parsed->odd[k].max_index;
            parsed->index_zero = parsed->index_zero || parsed->odd[k].index_zero;
        }
    }
}

/* Where bad lines are left out, a row without its label is one, unless rows have sets of labels. */
static sepal_status leave_unlabelled_out(struct reading *reading) {
    struct chunks *chunks = &reading->chunks;
    for (size_t i = 0; i < chunks->count; i++)
        if (chunks->items[i]->first_set.column) {
            count_indices(chunks);
            return SEPAL_OK;
        }
    for (size_t i = 0; i < chunks->count; i++) {
        struct parsed_chunk *parsed = chunks->items[i];
        parsed->first_unlabelled.column = 0;
        if (parsed->n_odd)
            parsed->drop = mem_zero(reading->ctx, parsed->rows, sizeof *parsed->drop);
        if (parsed->n_odd && !parsed->drop) return SEPAL_EMEMORY;
        for (size_t k = 0; k < parsed->n_odd; k++) {
            parsed->drop[parsed->odd[k].row] = true;
            TRY(bad_lines_add(&parsed->bad, reading->ctx, parsed->odd[k].spot,
                              "the label is missing"));
        }
        parsed->bad_rows = parsed->n_odd;
    }
    return SEPAL_OK;
}

static struct libsvm_layout read_libsvm_plan(const struct reading *reading, char eol) {
    struct libsvm_layout layout = {.eol = eol,
                                   .labels = reading->with_labels && !reading->labels.file,
                                   .most = INT32_MAX,
                                   .skips = reading->options.bad_lines == BAD_LINES_SKIP,
                                   .weight = reading->weights.weight,
                                   .n_weights = reading->weights.rows};
    if (reading->options.n_features) layout.most = (uint32_t)reading->options.n_features;
    if (reading->known) {
        layout.for_model = true;
        layout.first_index = reading->known->zero_based ? 0 : 1;
        layout.last_index = (uint32_t)(reading->known->width - 1) + layout.first_index;
        layout.most = INT32_MAX;
    }
    return layout;
}

sepal_status read_libsvm(struct reading *reading, enum format format) {
    const char *bytes;
    size_t n;
    (void)format;
    TRY(refuse_table_options(reading));
    /* never: they were looked at before, for the format */
    TRY(source_peek(&reading->source, reading->ctx, DETECT_BYTES, &bytes, &n));
    if (reading->known && reading->known->family != FAMILY_INDEXED)
        return fail_at(reading->ctx, SEPAL_EDATA, reading->source.file.name, 0, 0,
                       "the model was trained on a table and this is in LIBSVM format; sepal "
                       "convert makes one of the other");
    struct libsvm_layout layout = read_libsvm_plan(reading, detect_eol(bytes, n));
    reading->chunks.in_order = layout.weight != NULL;
    TRY(chunks_parse(&reading->chunks, reading->ctx, &reading->source, reading->line,
                     &libsvm_chunk_format, &layout));
    TRY(reading_join(reading));
    if (layout.skips && layout.labels) TRY(leave_unlabelled_out(reading));
    if (reading->learnt) TRY(learn_indices(reading));
    note_ignored(reading);
    return merge_rows(&reading->data->matrix.rows, reading->ctx, &reading->source,
                      &reading->chunks);
}
