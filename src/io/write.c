/* Data sets as files: what sepal convert writes, and reads back to the same numbers. Here: the choice
   of the format, the labels that occur, and the files, which appear whole or not at all. */
#include "io/write.h"

#include "core/alloc.h"
#include "data/prepare.h"
#include "io/labels_file.h"
#include "io/source.h"

#include <string.h>

static sepal_status unknown_format(sepal_ctx *ctx, const char *word) {
    char list[FORMATS_SHOWN_BYTES], shown[TEXT_SHOWN_BYTES];
    return fail(
        ctx, SEPAL_EUSAGE, "the format to write is not known from '%s'; say " OPTION "to %s",
        text_shown(shown, word, strlen(word)), formats_shown(list, format_is_written, " or "));
}

static sepal_status write_choose_format(const struct format **out, sepal_ctx *ctx, const char *path,
                                        const char *name) {
    *out = name ? format_find(name) : format_of_path(path, NULL);
    size_t plain = source_plain_length(path);
    if (path[plain])
        return fail(ctx, SEPAL_EUSAGE,
                    "packed files are read, not written; leave %s off the name, and pack the file "
                    "afterwards",
                    path + plain);
    return *out && format_is_written(*out) ? SEPAL_OK : unknown_format(ctx, name ? name : path);
}

/* ---- checks that formats share ------------------------------------------------------------ */

sepal_status check_single_labels(struct writing *w, const char *what) {
    if (w->data->set_start)
        return fail(w->ctx, SEPAL_EDATA, "label sets cannot be written as %s; use libsvm", what);
    if (w->data->matrix.cols == 0)
        return fail(w->ctx, SEPAL_EDATA, "there are no feature columns to write");
    return SEPAL_OK;
}

sepal_status check_cells(struct writing *w, size_t rows, const char *what) {
    enum { MOST_CELLS = 1 << 30 }; /* more take gigabytes */
    const struct matrix *matrix = &w->data->matrix;
    if (rows <= MOST_CELLS / matrix->cols) return SEPAL_OK;
    return fail(w->ctx, SEPAL_EDATA,
                "%s of %zu x %zu cells, nearly all of them 0, is too large to write; write libsvm",
                what, matrix->rows, matrix->cols);
}

bool has_control(const char *text, const char *but) {
    for (; *text; text++)
        if (((unsigned char)*text < ' ' || *text == 0x7f) && !strchr(but, *text)) return true;
    return false;
}

sepal_status check_text(struct writing *w, const char *what, const char *text) {
    char shown[TEXT_SHOWN_BYTES];
    if (!has_control(text, "\t\r\n")) return SEPAL_OK;
    return fail(w->ctx, SEPAL_EDATA,
                "the %s '%s' has a control character, which no text file may have; rename it", what,
                text_shown(shown, text, strlen(text)));
}

bool begins_with_mark(const char *text) {
    return strncmp(text, "\xef\xbb\xbf", 3) == 0;
}

void warn_weights(struct writing *w, const char *what) {
    if (w->data->weight)
        warn(w->ctx, "weights-lost", "%s files have no place for the weights; they are left out",
             what);
}

/* ---- labels that occur -------------------------------------------------------------------- */

static void mark_labels(bool *used, const sepal_data *data) {
    size_t rows = data->matrix.rows;
    size_t n = data->set_start ? data->set_start[rows] : rows;
    const int32_t *label = data->set_start ? data->set : data->label;
    for (size_t i = 0; i < n; i++) used[label[i]] = true;
}

/* Not all classes need occur: the rows may be a part of others. */
static sepal_status find_labels(struct writing *w) {
    size_t n = w->data->schema->n_classes + w->data->n_unseen;
    bool *used = mem_zero(w->ctx, n, sizeof *used);
    w->labels = mem_alloc(w->ctx, n, sizeof *w->labels);
    if (!used || !w->labels) {
        mem_free(used);
        return SEPAL_EMEMORY;
    }
    mark_labels(used, w->data);
    for (size_t k = 0; k < n; k++)
        if (used[k]) w->labels[w->n_labels++] = data_label_name(w->data, k);
    mem_free(used);
    return SEPAL_OK;
}

/* ---- files -------------------------------------------------------------------------------- */

static sepal_status pass_all(struct writing *w) {
    if (w->text.failed) return SEPAL_EMEMORY;
    TRY(check_cancelled(w->ctx, "writing"));
    TRY(output_add(w->ctx, &w->file, w->text.bytes, w->text.length));
    w->text.length = 0;
    return SEPAL_OK;
}

sepal_status writing_pass(struct writing *w) {
    enum { PIECE_BYTES = 1 << 16 };
    return w->text.failed || w->text.length >= PIECE_BYTES ? pass_all(w) : SEPAL_OK;
}

static sepal_status write_rows(struct writing *w) {
    const struct writer *writer = w->format->writer;
    struct block_iterator blocks = {.matrix = &w->data->matrix};
    if (writer->header) TRY(writer->header(w));
    for (const struct block *block; (block = block_next(&blocks));)
        for (size_t i = 0; i < block->rows; i++) {
            writer->row(w, block, i);
            TRY(writing_pass(w));
        }
    return SEPAL_OK;
}

static sepal_status stage_file(struct staged *out, struct writing *w, const char *path,
                               sepal_status (*fill)(struct writing *)) {
    TRY(output_begin(&w->file, w->ctx, path));
    sepal_status status = fill(w);
    if (status == SEPAL_OK) status = pass_all(w);
    if (status == SEPAL_OK) status = output_end(w->ctx, &w->file);
    if (status != SEPAL_OK) output_drop(&w->file);
    *out = w->file;
    return status;
}

/* Reading finds the labels by name, and an older file may have a name that comes first. Without
   memory for that there is no warning either. */
static void warn_of_other_labels(struct writing *w, const char *path, const char *labels_path) {
    char *found;
    if (labels_file_sibling(&found, NULL, path) != SEPAL_OK || !found) return;
    if (strcmp(found, labels_path) != 0)
        warn(w->ctx, "labels-shadowed",
             "%s is there as well, and is read as the labels of %s instead of %s; remove it", found,
             path, labels_path);
    mem_free(found);
}

/* The labels take their name first. Should the second step fail, or somebody look between the two,
   new labels beside old rows are mostly noticed by their number, and labels alone do no harm; rows
   without their labels would be read with the last column as the labels. */
static sepal_status write_with_labels(struct writing *w, const char *path) {
    struct staged rows, labels;
    char *labels_path;
    TRY(array_labels_path(&labels_path, w, path));
    sepal_status status = stage_file(&rows, w, path, write_rows);
    if (status == SEPAL_OK && !rows.target) {
        warn(w->ctx, "labels-lost",
             "%s is not a file, and has none beside it for the labels; they are left out", path);
        status = output_commit(w->ctx, &rows);
    } else if (status == SEPAL_OK) {
        status = stage_file(&labels, w, labels_path, w->format->writer->labels);
        if (status == SEPAL_OK)
            status = output_commit_both(w->ctx, &labels, &rows);
        else
            output_drop(&rows);
        if (status == SEPAL_OK) warn_of_other_labels(w, path, labels_path);
    }
    mem_free(labels_path);
    return status;
}

static sepal_status write_alone(struct writing *w, const char *path) {
    struct staged rows;
    TRY(stage_file(&rows, w, path, write_rows));
    return output_commit(w->ctx, &rows);
}

static sepal_status begin_writing(struct writing *out, sepal_ctx *ctx, const sepal_data *data,
                                  const char *path, const char *format_name) {
    *out = (struct writing){.ctx = ctx, .data = data};
    TRY(write_choose_format(&out->format, ctx, path, format_name));
    if (!data->label && !data->set_start)
        return fail(ctx, SEPAL_EDATA, "the data has no labels to write");
    return find_labels(out);
}

static void end_writing(struct writing *w) {
    text_clear(&w->text);
    mem_free(w->labels);
}

static sepal_status write_prepared(sepal_ctx *ctx, const sepal_data *data, const char *path,
                                   const char *format) {
    struct writing w;
    sepal_status status = begin_writing(&w, ctx, data, path, format);
    if (status == SEPAL_OK) status = w.format->writer->check(&w);
    if (status == SEPAL_OK)
        status = w.format->writer->labels ? write_with_labels(&w, path) : write_alone(&w, path);
    end_writing(&w);
    return status;
}

sepal_status data_write(sepal_ctx *ctx, const sepal_data *data, const char *path,
                        const char *format) {
    struct prepared prepared;
    sepal_status status = prepare_fit(&prepared, ctx, data);
    if (status == SEPAL_OK) status = write_prepared(ctx, &prepared.rows, path, format);
    prepared_clear(&prepared);
    return status;
}

sepal_status data_labels_path(char **out, sepal_ctx *ctx, const sepal_data *data, const char *path,
                              const char *format) {
    struct writing w;
    *out = NULL;
    sepal_status status = begin_writing(&w, ctx, data, path, format);
    if (status == SEPAL_OK && w.format->writer->labels && !output_is_device(path))
        status = array_labels_path(out, &w, path);
    end_writing(&w);
    return status;
}
