#include "fuzz/data_laws.h"

#include "fuzz/exact_decimal.h"
#include "fuzz/fuzz.h"

#include "core/decimal.h"
#include "read_prepared.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the input ---------------------------------------------------------------------------- */

static const struct {
    char letter;
    const char *setting;
} letters[] = {
    {'h', "header=yes"},      {'n', "header=no"},
    {'q', "quote=no"},        {'s', "skip=1"},
    {'S', "skip=3"},          {'1', "target=1"},
    {'2', "target=2"},        {'t', "target=t"},
    {'d', "drop=1"},          {'D', "drop=\"a,b\""},
    {'o', "only=\"1,2,3\""},  {'k', "keep=2"},
    {'c', "categorical=1"},   {'C', "categorical=b"},
    {'m', "missing=mean"},    {'i', "missing=indicator"},
    {'x', "missing=drop"},    {'u', "unknown=zero"},
    {'w', "weight=2"},        {'W', "weight=w"},
    {'f', "n-features=7"},    {',', "delimiter=\",\""},
    {';', "delimiter=\";\""}, {'_', "delimiter=blank"},
    {'|', "delimiter=\"|\""}, {'>', "delimiter=tab"},
    {'v', "format=csv"},      {'V', "format=tsv"},
    {'b', "bad-lines=skip"},  {'e', "decimal=comma"},
    {'l', "format=libsvm"},
};

/* The setting of a letter, unless its option is set already. */
static void add_setting(struct fuzz_reading *out, char letter) {
    if (letter == 'T') out->threads = 2;
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
        char name[32];
        const char *setting = letters[i].setting;
        if (letters[i].letter != letter) continue;
        snprintf(name, sizeof name, "%.*s=", (int)strcspn(setting, "="), setting);
        size_t used = strlen(out->options);
        if (!strstr(out->options, name))
            snprintf(out->options + used, sizeof out->options - used, "%s%s", used ? ", " : "",
                     setting);
    }
}

void reading_cut(struct fuzz_reading *out, const uint8_t *bytes, size_t size) {
    static const char between[] = "\n----\n";
    *out = (struct fuzz_reading){.threads = 1};
    struct fuzz_bytes *const files[] = {&out->data, &out->other, &out->labels, &out->weights};
    const char *p = (const char *)bytes, *end = p + size;
    const char *line = size ? memchr(p, '\n', size) : NULL;
    for (; line && p < line; p++) add_setting(out, *p);
    if (line) p = line + 1;
    for (size_t i = 0; i < sizeof files / sizeof *files && p; i++) {
        const char *cut = memmem(p, (size_t)(end - p), between, sizeof between - 1);
        *files[i] = (struct fuzz_bytes){p, (size_t)((cut ? cut : end) - p)};
        p = cut ? cut + sizeof between - 1 : NULL;
    }
}

/* ---- inside a data set -------------------------------------------------------------------- */

static void block_laws(const struct block *block, size_t cols) {
    LAW(block->rows > 0, "a block without rows");
    for (size_t i = 0; !block->sparse && i < block->rows * cols; i++) {
        double value = block->values == VALUES_F32 ? (double)block->f32[i] : block->f64[i];
        LAW(isfinite(value) && !(value == 0 && signbit(value)), "a cell is %g", value);
    }
    for (size_t i = 0; block->sparse && i < block->rows; i++)
        LAW(block->start[i] <= block->start[i + 1], "rows overlap");
}

static void matrix_laws(const struct matrix *matrix) {
    size_t rows = 0, entries = 0, column;
    double value;
    struct block_iterator blocks = {.matrix = matrix};
    for (const struct block *block; (block = block_next(&blocks));) {
        LAW(block->first_row == rows, "blocks have a gap");
        block_laws(block, matrix->cols);
        rows += block->rows;
        for (size_t i = 0; i < block->rows; i++) {
            size_t next = 0;
            for (size_t at = 0; row_next(block, i, matrix->cols, &at, &column, &value);) {
                LAW(column >= next && column < matrix->cols, "column %zu after %zu", column, next);
                LAW(isfinite(value) && value != 0, "an entry is %g", value);
                next = column + 1;
                entries++;
            }
        }
    }
    LAW(rows == matrix->rows && rows > 0, "%zu rows, not %zu", rows, matrix->rows);
    LAW(entries == matrix->nonzeros, "%zu entries, not %zu", entries, matrix->nonzeros);
}

static void class_laws(const struct schema *schema) {
    for (size_t k = 0; k < schema->n_classes; k++) {
        const char *name = schema->classes[k], *before = k ? schema->classes[k - 1] : NULL;
        size_t length = strlen(name);
        LAW(length > 0 && utf8_valid_prefix(name, length) == length, "label '%s'", name);
        double value, last = 0;
        if (schema->numeric_labels) {
            char digits[DECIMAL_BYTES + 1];
            LAW(exact_is_number(name, length, &value), "'%s' among numbers", name);
            digits[decimal_print(digits, value)] = '\0';
            LAW(strcmp(digits, name) == 0, "'%s' is not the shortest form", name);
            if (before) exact_is_number(before, strlen(before), &last);
            LAW(!before || last < value, "'%s' before '%s'", before, name);
        } else {
            LAW(!before || strcmp(before, name) < 0, "'%s' before '%s'", before, name);
        }
    }
}

static void label_laws(const sepal_data *data, bool learnt) {
    size_t n = data->schema->n_classes + data->n_unseen, entries = 0;
    bool *seen = calloc(n + 1, sizeof *seen);
    if (!seen) abort();
    LAW(!(data->label && data->set_start), "labels and sets of labels");
    LAW(!learnt || data->label || data->set_start, "nothing to learn");
    for (size_t i = 0; data->label && i < data->matrix.rows; i++) {
        LAW(data->label[i] >= 0 && (size_t)data->label[i] < n, "class %d", data->label[i]);
        seen[data->label[i]] = true;
    }
    for (size_t i = 0; data->set_start && i < data->matrix.rows; i++) {
        LAW(data->set_start[i] == entries && data->set_start[i + 1] >= entries, "sets overlap");
        for (; entries < data->set_start[i + 1]; entries++) {
            LAW(data->set[entries] >= 0 && (size_t)data->set[entries] < n, "class out of range");
            for (size_t k = data->set_start[i]; k < entries; k++)
                LAW(data->set[k] != data->set[entries], "a class twice in one set");
            seen[data->set[entries]] = true;
        }
    }
    for (size_t k = 0; learnt && k < n; k++) LAW(seen[k], "class %zu does not occur", k);
    free(seen);
}

void data_laws(const sepal_data *data, bool learnt) {
    const struct schema *schema = data->schema;
    double total = 0;
    LAW(data->matrix.cols == schema->width, "%zu columns, width %zu", data->matrix.cols,
        schema->width);
    matrix_laws(&data->matrix);
    class_laws(schema);
    label_laws(data, learnt);
    LAW(!learnt || data->n_unseen == 0, "classes that were not seen in training, in training");
    for (size_t i = 0; i < data->matrix.rows; i++) {
        double weight = data_weight(data, i);
        LAW(weight > 0 && isfinite(weight), "weight %g", weight);
        total += weight;
    }
    LAW(total == data->total_weight && isfinite(total), "the weights' sum is %g, not %g", total,
        data->total_weight);
}

static bool same_bytes(const void *a, const void *b, size_t size) {
    return size == 0 || memcmp(a, b, size) == 0;
}

static void same_matrix(const struct matrix *a, const struct matrix *b, const char *what) {
    LAW(a->rows == b->rows && a->cols == b->cols && a->nonzeros == b->nonzeros &&
            a->sparse == b->sparse && a->n_blocks == b->n_blocks,
        "%s: %zu x %zu with %zu, not %zu x %zu with %zu", what, b->rows, b->cols, b->nonzeros,
        a->rows, a->cols, a->nonzeros);
    for (size_t k = 0; k < a->n_blocks; k++) {
        const struct block *x = &a->blocks[k], *y = &b->blocks[k];
        LAW(x->rows == y->rows && x->values == y->values, "%s: another kind of block", what);
        for (size_t i = 0; i < x->rows; i++) {
            size_t p = 0, q = 0, column, other;
            double value, twin;
            while (row_next(x, i, a->cols, &p, &column, &value)) {
                LAW(row_next(y, i, a->cols, &q, &other, &twin) && other == column, "%s: row %zu",
                    what, x->first_row + i);
                LAW(same_bytes(&value, &twin, sizeof value), "%s: %a in row %zu, not %a", what,
                    twin, x->first_row + i, value);
            }
        }
    }
}

void data_same(const sepal_data *a, const sepal_data *b, const char *what) {
    size_t rows = a->matrix.rows;
    same_matrix(&a->matrix, &b->matrix, what);
    LAW(a->schema->n_classes == b->schema->n_classes, "%s: %zu classes, not %zu", what,
        b->schema->n_classes, a->schema->n_classes);
    for (size_t k = 0; k < a->schema->n_classes; k++)
        LAW(strcmp(a->schema->classes[k], b->schema->classes[k]) == 0, "%s: '%s', not '%s'", what,
            b->schema->classes[k], a->schema->classes[k]);
    LAW(!a->label == !b->label && !a->set == !b->set && !a->weight == !b->weight, "%s: other parts",
        what);
    if (a->label)
        LAW(same_bytes(a->label, b->label, rows * sizeof *a->label), "%s: other labels", what);
    if (a->set_start)
        LAW(same_bytes(a->set_start, b->set_start, (rows + 1) * sizeof *a->set_start) &&
                same_bytes(a->set, b->set, a->set_start[rows] * sizeof *a->set),
            "%s: other sets of labels", what);
    if (a->weight)
        LAW(same_bytes(a->weight, b->weight, rows * sizeof *a->weight), "%s: other weights", what);
}

/* ---- reading ------------------------------------------------------------------------------ */

struct outcome {
    sepal_data *data; /* NULL: refused */
    struct error error;
};

static struct outcome read_one(const char *path, const char *options, const struct schema *schema,
                               bool labels, unsigned threads) {
    struct outcome out;
    sepal_ctx *ctx = fuzz_ctx(threads);
    sepal_status status = read_prepared(&out.data, ctx, path, options, schema, labels);
    out.error = ctx->error;
    LAW((status == SEPAL_OK) == (out.data != NULL), "status %d, data or not", status);
    LAW(status != SEPAL_EMODEL, "data is no model: %s", ctx->error.message);
    if (out.data)
        data_laws(out.data, !schema);
    else
        failure_laws(ctx, status, path);
    return out;
}

static void outcome_same(const struct outcome *a, const struct outcome *b, const char *what) {
    LAW(!a->data == !b->data, "%s: %s%s", what, a->error.message, b->error.message);
    if (a->data)
        data_same(a->data, b->data, what);
    else
        LAW(a->error.line == b->error.line && a->error.column == b->error.column &&
                strcmp(a->error.message, b->error.message) == 0,
            "%s: %zu:%zu: %s, then %zu:%zu: %s", what, a->error.line, a->error.column,
            a->error.message, b->error.line, b->error.column, b->error.message);
}

/* Read for a model, with labels and without: the numbers are the same where both are read. */
static void model_laws(const char *path, const char *options, const sepal_data *learnt,
                       bool is_training) {
    const struct schema *schema = learnt->schema;
    struct outcome with = read_one(path, options, schema, true, 1);
    struct outcome without = read_one(path, options, schema, false, 1);
    /* An index that only bad lines have is one the model does not know: there it is not looked at,
       and what was a bad line before may be none now. */
    bool looser = schema->family == FAMILY_INDEXED && strstr(options, "bad-lines");
    if (is_training && !looser) {
        LAW(with.data, "the training file is refused at %zu:%zu: %s", with.error.line,
            with.error.column, with.error.message);
        data_same(learnt, with.data, "read for its own model");
    }
    /* rows without weight, and those dropped for a missing value, stay when there are no labels */
    if (with.data && without.data && with.data->matrix.rows == without.data->matrix.rows &&
        !without.data->undecided)
        same_matrix(&with.data->matrix, &without.data->matrix, "read without labels");
    data_free(with.data);
    data_free(without.data);
}

/* What is written reads back to the same bits. */
static void writing_laws(const sepal_data *data, const char *name) {
    enum { MOST_CELLS = 20000 };
    if (data->matrix.cols > MOST_CELLS / data->matrix.rows) return;
    const char *path = fuzz_path(name);
    char options[64] = "";
    sepal_ctx *ctx = fuzz_ctx(1);
    sepal_status status = data_write(ctx, data, path, NULL);
    if (status != SEPAL_OK) {
        failure_laws(ctx, status, NULL);
        return;
    }
    bool table = strstr(".csv.tsv.arff", strchr(name, '.')) != NULL;
    if (data->weight && table)
        snprintf(options, sizeof options, "weight=%zu", data->matrix.cols + 1);
    struct outcome back = read_one(path, options, NULL, true, 1);
    LAW(back.data, "%s as written is refused at %zu:%zu: %s", name, back.error.line,
        back.error.column, back.error.message);
    if (table || !data->weight) data_same(data, back.data, name);
    data_free(back.data);
}

/* One format for each input: all of them would take most of the time. */
static void some_writing_laws(const sepal_data *data, struct fuzz_bytes file) {
    static const char *const names[] = {"out.csv",  "out.tsv", "out.svm",
                                        "out.arff", "out.npy", "out.idx"};
    size_t sum = 0;
    for (size_t i = 0; i < file.size; i++) sum += (unsigned char)file.at[i];
    /* labels of an earlier file of that name would be taken for its own */
    unlink(fuzz_path("out.labels.npy"));
    unlink(fuzz_path("out.labels.idx"));
    unlink(fuzz_path("out.labels.txt"));
    writing_laws(data, names[sum % (sizeof names / sizeof *names)]);
}

static void put_aside(struct fuzz_reading *reading, const char *option, const char *name,
                      struct fuzz_bytes file) {
    size_t used = strlen(reading->options);
    if (!file.at) return;
    snprintf(reading->options + used, sizeof reading->options - used, "%s%s=\"%s\"",
             used ? ", " : "", option, fuzz_put(name, file.at, file.size));
}

void reading_laws(struct fuzz_reading *reading, const char *name, const char *beside) {
    const char *path = fuzz_put(name, reading->data.at, reading->data.size);
    if (beside) {
        if (reading->labels.at)
            fuzz_put(beside, reading->labels.at, reading->labels.size);
        else
            unlink(fuzz_path(beside));
    } else {
        put_aside(reading, "labels", "in.labels", reading->labels);
        put_aside(reading, "weights", "in.weights", reading->weights);
    }
    struct outcome learnt = read_one(path, reading->options, NULL, true, 1);
    struct outcome again = read_one(path, reading->options, NULL, true, reading->threads);
    outcome_same(&learnt, &again, "read twice");
    data_free(again.data);
    if (learnt.data) {
        model_laws(path, reading->options, learnt.data, true);
        some_writing_laws(learnt.data, reading->data);
    }
    if (learnt.data && reading->other.at) {
        path = fuzz_put(name, reading->other.at, reading->other.size);
        model_laws(path, reading->options, learnt.data, false);
    }
    data_free(learnt.data);
}
