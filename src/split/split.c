/* Read the rows for their labels, choose sides, copy the bytes of each record to its side, and put all files
   in place when the last of them is whole. */
#include "split/split.h"

#include "core/alloc.h"
#include "core/spec.h"
#include "io/format.h"
#include "io/labels_file.h"
#include "io/read_options.h"
#include "io/source.h"

#include <stddef.h>
#include <string.h>

#define AT(field) offsetof(struct split_options, field)
static const struct parameter split_option_table[] = {
    {"test", PARAMETER_REAL, AT(test), "0.25", "(0, 1)", "share of the rows for the test"},
    {"ordered", PARAMETER_FLAG, AT(ordered), "false", "", "the last rows are the test"},
    {"group", PARAMETER_TEXT, AT(group), NULL, "", "column; rows of one value stay together"},
    {0},
};
#undef AT

struct splitting {
    sepal_ctx *ctx;
    struct arena arena;
    const char *path;
    struct read_options reading;
    struct split_options options;
    sepal_data *data;
    char *sibling;         /* a file of labels that reading finds by itself */
    unsigned char *side;   /* of each row that was read */
    unsigned char *record; /* of each record in the file, SIDE_NONE of those left out */
    size_t records;
    struct staged file[MOST_STAGED]; /* those that are in place first come first */
    size_t n_files;
    char *beside[2][SIDES]; /* the files of labels and weights */
};

/* ---- reading ------------------------------------------------------------------------------ */

/* The reading options, but that the column of the groups is what is kept. */
static sepal_status reading_words(struct splitting *all, struct text *out, const char *options) {
    struct setting *settings;
    size_t n;
    TRY(settings_parse(&settings, &n, all->ctx, &all->arena, options));
    for (size_t i = 0; i < n; i++) {
        if (strcmp(settings[i].name, "keep") == 0) continue;
        text_printf(all->ctx, out, "%s%s", out->length ? ", " : "", settings[i].name);
        if (!settings[i].value) continue;
        text_puts(all->ctx, out, "=");
        spec_quote(all->ctx, out, settings[i].value);
    }
    if (all->options.group) {
        text_puts(all->ctx, out, out->length ? ", keep=" : "keep=");
        spec_quote(all->ctx, out, all->options.group);
    }
    return out->failed ? SEPAL_EMEMORY : SEPAL_OK;
}

/* What would be lost without a word. */
static sepal_status refuse_lines(const struct splitting *all) {
    const struct file_facts *facts = all->data->facts;
    if (facts->bad_lines && all->reading.bad_lines == BAD_LINES_STOP)
        return fail_at(all->ctx, SEPAL_EDATA, all->data->file, 0, 0,
                       "%zu line%s cannot be cut into the cells of a row; " OPTION
                       "bad-lines skip leaves them out, " OPTION
                       "skip N those at the top (`sepal describe` shows them)",
                       facts->bad_lines, facts->bad_lines == 1 ? "" : "s");
    if (facts->unlabelled)
        return fail_at(all->ctx, SEPAL_EDATA, all->data->file, 0, 0,
                       "%zu row%s no label; mend them first", facts->unlabelled,
                       facts->unlabelled == 1 ? " has" : "s have");
    return SEPAL_OK;
}

static sepal_status split_read(struct splitting *all, const char *options) {
    struct text words = {0};
    sepal_status status = reading_words(all, &words, options);
    if (status == SEPAL_OK)
        status = data_survey_places(&all->data, all->ctx, all->path, words.bytes);
    text_clear(&words);
    if (status != SEPAL_OK) return status;
    const struct file_facts *facts = all->data->facts;
    if (facts->place && !all->reading.labels) return refuse_lines(all);
    TRY(refuse_lines(all));
    if (!all->reading.labels && !all->reading.target)
        TRY(labels_file_sibling(&all->sibling, all->ctx, all->path));
    if (facts->place) {
        mem_free(all->sibling); /* found beside arrays alone */
        all->sibling = NULL;
    }
    return SEPAL_OK;
}

static sepal_status mark_records(struct splitting *all) {
    sepal_data *data = all->data;
    size_t rows = data->matrix.rows;
    all->records = data->facts->records;
    all->side = arena_alloc(all->ctx, &all->arena, rows, sizeof *all->side);
    all->record = arena_alloc(all->ctx, &all->arena, all->records, sizeof *all->record);
    if (!all->side || !all->record) return SEPAL_EMEMORY;
    memset(all->record, SIDE_NONE, all->records);
    TRY(split_choose(all->side, all->ctx, data, &all->options));
    size_t n[SIDES] = {0};
    for (size_t i = 0; i < rows; i++) {
        all->record[matrix_row_number(&data->matrix, i)] = all->side[i];
        n[all->side[i]]++;
    }
    if (n[SIDE_TRAIN] && n[SIDE_TEST]) return SEPAL_OK;
    return fail(
        all->ctx, SEPAL_EDATA,
        "a share of %g of %zu rows leaves %zu to learn from and %zu to test; choose another "
        "with " OPTION "test",
        all->options.test, rows, n[SIDE_TRAIN], n[SIDE_TEST]);
}

/* ---- writing ------------------------------------------------------------------------------ */

/* A file of both sides. `place` NULL: an array, or a record a line. */
static sepal_status split_one(struct splitting *all, const char *path, const size_t *place,
                              const char *const out[SIDES]) {
    struct split_task task = {
        .ctx = all->ctx, .path = path, .record = all->record, .n = all->records};
    for (int side = 0; side < SIDES; side++) {
        TRY(output_begin(&all->file[all->n_files], all->ctx, out[side]));
        task.out[side] = &all->file[all->n_files++];
    }
    bool is_array = false;
    if (!place) TRY(split_array(&is_array, &task));
    if (!is_array) TRY(split_text(&task, place));
    for (int side = 0; side < SIDES; side++) TRY(output_end(all->ctx, task.out[side]));
    return SEPAL_OK;
}

/* train.csv and labels.npy to train.labels.npy; for the images of MNIST the name that belongs to them. */
static sepal_status name_beside(char **out, struct splitting *all, const char *rows,
                                const char *given, const char *word) {
    struct text name = {0};
    size_t stem;
    const struct format *format = format_of_path(rows, &stem);
    size_t end = source_plain_length(given), dot = end;
    while (dot > 0 && given[dot - 1] != '.' && given[dot - 1] != '/') dot--;
    bool extended = dot > 0 && given[dot - 1] == '.';
    text_add(all->ctx, &name, rows, format ? stem : strlen(rows));
    text_printf(all->ctx, &name, ".%s", word);
    const struct format *own = format_find(all->data->facts->format);
    /* rows.labels has its own name already */
    if (extended && strncmp(given + dot, word, end - dot) != 0)
        text_add(all->ctx, &name, given + dot - 1, end - dot + 1);
    else if (own && format_is_array(own))
        text_puts(all->ctx, &name, own->extensions[0]);
    *out = text_take(all->ctx, &name);
    return *out ? SEPAL_OK : SEPAL_EMEMORY;
}

static sepal_status split_beside(struct splitting *all, size_t which, const char *given,
                                 const char *word, const char *const out[SIDES]) {
    if (!given) return SEPAL_OK;
    for (int side = 0; side < SIDES; side++)
        TRY(name_beside(&all->beside[which][side], all, out[side], given, word));
    return split_one(all, given, NULL, (const char *const *)all->beside[which]);
}

static sepal_status split_write(struct splitting *all, const char *const out[SIDES]) {
    const char *labels = all->reading.labels ? all->reading.labels : all->sibling;
    TRY(split_beside(all, 0, labels, "labels", out));
    TRY(split_beside(all, 1, all->reading.weights, "weights", out));
    return split_one(all, all->path, all->data->facts->place, out);
}

/* ---- what is told ------------------------------------------------------------------------- */

static void tell_side(const struct splitting *all, struct tree_maker *make, struct tree *report,
                      int side, const char *path) {
    static const char *const names[SIDES] = {"train", "test"};
    const sepal_data *data = all->data;
    size_t classes = data->label ? data->schema->n_classes : 0, rows = 0;
    double *count = arena_zero(all->ctx, make->arena, classes, sizeof *count);
    if (!count) {
        make->failed = true;
        return;
    }
    for (size_t i = 0; i < data->matrix.rows; i++) {
        if (all->side[i] != side) continue;
        rows++;
        if (data->label) count[data->label[i]]++;
    }
    struct tree *facts = tree_object(make, report, names[side]);
    tree_text(make, facts, "output", path);
    if (all->beside[0][side]) tree_text(make, facts, "labels_output", all->beside[0][side]);
    if (all->beside[1][side]) tree_text(make, facts, "weights_output", all->beside[1][side]);
    tree_number(make, facts, "rows", (double)rows);
    tree_numbers(make, facts, "counts", count, classes);
}

static void split_tell(const struct splitting *all, struct tree_maker *make, struct tree *report,
                       const char *const out[SIDES]) {
    const sepal_data *data = all->data;
    size_t rows = data->matrix.rows;
    tree_number(make, report, "rows", (double)rows);
    tree_number(make, report, "left_out", (double)(all->records - rows));
    tree_text(make, report, "format", data->facts->format);
    target_tell(make, report, &data->target);
    tree_text(make, report, "split",
              all->options.ordered ? "ordered"
              : all->options.group ? "grouped"
                                   : "stratified");
    tree_number(make, report, "share", all->options.test);
    if (all->options.group) tree_text(make, report, "group", all->options.group);
    tree_number(make, report, "seed", (double)all->ctx->seed);
    if (data->label)
        tree_texts(make, report, "classes", data->schema->classes, data->schema->n_classes);
    for (int side = 0; side < SIDES; side++) tell_side(all, make, report, side, out[side]);
}

/* ---- all ---------------------------------------------------------------------------------- */

static sepal_status split_check(struct splitting *all, const char *options, const char *how) {
    TRY(parameters_parse(&all->options, all->ctx, &all->arena, split_option_table, "split", how));
    TRY(read_options_parse(&all->reading, all->ctx, &all->arena, options));
    if (all->options.ordered && all->options.group)
        return fail(all->ctx, SEPAL_EUSAGE,
                    OPTION "ordered cuts at one row, and " OPTION
                           "group between groups; give one of them");
    return SEPAL_OK;
}

static sepal_status split_all(struct splitting *all, const char *options, const char *how,
                              const char *const out[SIDES]) {
    TRY(split_check(all, options, how));
    TRY(split_read(all, options));
    TRY(mark_records(all));
    return split_write(all, out);
}

sepal_status split_file(sepal_ctx *ctx, const char *path, const char *options, const char *how,
                        const char *const out[SIDES], struct tree_maker *make,
                        struct tree *report) {
    struct splitting all = {.ctx = ctx, .path = path};
    sepal_status status = split_all(&all, options, how, out);
    if (status == SEPAL_OK) {
        split_tell(&all, make, report, out);
        status = make->failed ? SEPAL_EMEMORY : SEPAL_OK;
    }
    if (status ==
        SEPAL_OK) { /* all are whole and on the disk: names are all that is left to give */
        status = output_commit_all(ctx, all.file, all.n_files);
        all.n_files = 0;
    }
    for (size_t k = 0; k < all.n_files; k++) output_drop(&all.file[k]);
    for (size_t k = 0; k < 2 * SIDES; k++) mem_free(all.beside[k / SIDES][k % SIDES]);
    mem_free(all.sibling);
    data_free(all.data);
    arena_clear(&all.arena);
    return status;
}
