/* Model files: any bytes are refused as a model, or give a model that saves
   to the same bytes, can be inspected, and decides about rows that are read for it.

   The checksum would stop the fuzzer at the door. Its mutator therefore changes the header or the
   tensors on their own, and then writes the length, the fixed beginning and the checksum anew; now
   and then it leaves them as they are. */
#include "fuzz/fuzz.h"

#include "core/alloc.h"
#include "data/data.h"
#include "model/checksum.h"
#include "model/model.h"
#include "model/model_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the laws ----------------------------------------------------------------------------- */

static sepal_model *load(const char *name) {
    sepal_model *model;
    const char *path = fuzz_path(name);
    sepal_ctx *ctx = fuzz_ctx(1);
    sepal_status status = sepal_model_load(&model, ctx, path);
    LAW((status == SEPAL_OK) == (model != NULL), "status %d, model or not", status);
    if (status == SEPAL_OK) return model;
    LAW(status == SEPAL_EMODEL, "status %d: %s", status, ctx->error.message);
    failure_laws(ctx, status, path);
    return NULL;
}

static uint64_t header_length(const uint8_t *bytes, size_t size) {
    uint64_t length = 0;
    for (size_t i = 0; i < MODEL_LENGTH_BYTES && i < size; i++)
        length |= (uint64_t)bytes[i] << 8 * i;
    return length;
}

static char *save(const sepal_model *model, const char *name, size_t *size) {
    sepal_ctx *ctx = fuzz_ctx(1);
    LAW(sepal_model_save(ctx, model, fuzz_path(name)) == SEPAL_OK, "cannot be saved: %s",
        ctx->error.message);
    return fuzz_get(name, size);
}

/* tensors may hold these bytes, too */
static bool header_has(const uint8_t *bytes, size_t size, const char *words) {
    size_t header = MODEL_LENGTH_BYTES + header_length(bytes, size);
    return memmem(bytes, header, words, strlen(words)) != NULL;
}

/* A model has one spelling: what loads is what would be saved, but for the version that wrote it and
   a word that only older versions wrote; and what was saved is saved again to the same bytes. */
static void saving_laws(const sepal_model *model, const uint8_t *bytes, size_t size) {
    size_t saved, saved_again;
    char version[64], *once = save(model, "once", &saved);
    sepal_model *loaded = load("once");
    LAW(loaded != NULL, "saved, it is refused");
    char *again = save(loaded, "again", &saved_again);
    LAW(saved == saved_again && memcmp(once, again, saved) == 0, "saved twice, it is another file");
    snprintf(version, sizeof version, "\"sepal_version\":\"%s\"", sepal_version());
    bool ours = header_has(bytes, size, version) && !header_has(bytes, size, "estimate=default");
    LAW(!ours || (saved == size && memcmp(once, bytes, size) == 0),
        "saved again, it is another file");
    sepal_model_free(loaded);
    free(again);
    free(once);
}

static void inspection_laws(const sepal_model *model, bool summary) {
    sepal_ctx *ctx = fuzz_ctx(1);
    sepal_report *report;
    char *json, *text;
    sepal_status status = summary ? sepal_model_summary(&report, ctx, model)
                                  : sepal_model_inspect(&report, ctx, model);
    LAW(status == SEPAL_OK, "%s", ctx->error.message);
    LAW(sepal_report_json(&json, ctx, report, "inspect") == SEPAL_OK, "%s", ctx->error.message);
    LAW(sepal_report_text(&text, ctx, report) == SEPAL_OK, "%s", ctx->error.message);
    sepal_text_free(json);
    sepal_text_free(text);
    sepal_report_free(report);
}

/* What stands in a cell of a table that is like the training file: a name in row 0, then for a
   number a number or nothing, for a text its first category, for the target a label. */
static const char *cell_of(const struct schema *schema, size_t position, size_t row) {
    if (schema->target && position == schema->target_position)
        return row ? schema->classes[row % 2] : schema->target;
    for (size_t i = 0; i < schema->n_columns; i++) {
        const struct column *column = &schema->columns[i];
        if (column->position != position) continue;
        if (row == 0) return column->name;
        if (!column->text) return row == 1 ? "1.5" : "";
        return column->n_categories ? column->categories[0] : "none";
    }
    return row ? "1" : "other";
}

static void put_rows(struct text *out, const struct schema *schema) {
    enum { MOST_CELLS = 256 };
    size_t cells = schema->cells < MOST_CELLS ? schema->cells : MOST_CELLS;
    for (size_t row = 0; row < 3; row++) {
        if (schema->family == FAMILY_INDEXED)
            text_printf(NULL, out, "%s 0:1 1:2 %zu:3", schema->classes[row % 2], 7 * row + 2);
        for (size_t c = 0; schema->family == FAMILY_TABLE && c < cells; c++)
            text_printf(NULL, out, "%s\"%s\"", c ? "," : "", cell_of(schema, c, row));
        text_puts(NULL, out, "\n");
    }
}

/* Probabilities are such, and every number has a name; the others may be anything. */
static void number_laws(const sepal_model *model, const sepal_data *data, sepal_output what) {
    size_t rows = sepal_data_rows(data), n = sepal_model_outputs(model, what);
    sepal_ctx *ctx = fuzz_ctx(1);
    sepal_predictions answers = {
        .size = sizeof answers, .numbers = malloc(rows * n * sizeof(double)), .what = what};
    if (n == 0 || !answers.numbers) {
        free(answers.numbers);
        return;
    }
    sepal_status status = sepal_model_predict_rows(&answers, ctx, model, data, 0, rows, NULL);
    if (status != SEPAL_OK) failure_laws(ctx, status, NULL);
    bool checked = status == SEPAL_OK && what == SEPAL_PROBABILITIES;
    for (size_t i = 0; checked && i < rows; i++) {
        double sum = 0;
        if (data->undecided && data->undecided[i]) continue;
        for (size_t k = 0; k < n; k++) {
            double p = answers.numbers[i * n + k];
            LAW(p >= 0 && p <= 1, "probability %g", p);
            sum += p;
        }
        LAW(fabs(sum - 1) < 1e-9, "probabilities add up to %.17g", sum);
    }
    for (size_t k = 0; k < n; k++) {
        char *name;
        LAW(sepal_model_output_name(&name, ctx, model, what, k) == SEPAL_OK, "number %zu", k);
        sepal_text_free(name);
    }
    free(answers.numbers);
}

static void decision_laws(const sepal_model *model, const sepal_data *data) {
    size_t rows = sepal_data_rows(data), width = sepal_model_outputs(model, SEPAL_SCORES);
    sepal_ctx *ctx = fuzz_ctx(1);
    int32_t *class = malloc(rows * sizeof *class);
    double *scores = malloc(rows * width * sizeof *scores);
    sepal_report *report;
    if (!class || !scores) abort();
    sepal_status predicted = sepal_model_predict(class, ctx, model, data);
    if (predicted != SEPAL_OK) failure_laws(ctx, predicted, NULL); /* a score beyond all doubles */
    sepal_status scored = sepal_model_scores(scores, ctx, model, data);
    if (scored != SEPAL_OK) failure_laws(ctx, scored, NULL);
    for (size_t i = 0; predicted == SEPAL_OK && i < rows; i++)
        LAW(class[i] >= -1 && class[i] < (int32_t)sepal_model_classes(model), "class %d", class[i]);
    bool judged = predicted == SEPAL_OK && data->label;
    if (judged && sepal_model_evaluate(&report, ctx, model, data, NULL) == SEPAL_OK)
        sepal_report_free(report);
    for (int what = SEPAL_SCORES; what <= SEPAL_CONTRIBUTIONS; what++)
        number_laws(model, data, (sepal_output)what);
    free(class);
    free(scores);
}

/* With labels and without, columns found by their names and by their places. */
static void reading_laws(const sepal_model *model) {
    static const char *const ways[] = {"", "header=no, skip=1"};
    struct text rows = {0};
    put_rows(&rows, model->schema);
    const char *path = fuzz_put("rows", rows.bytes, rows.length);
    for (int i = 0; i < 4; i++) {
        sepal_data *data;
        sepal_ctx *ctx = fuzz_ctx(1);
        sepal_status status = sepal_data_read_for(&data, ctx, model, path, ways[i / 2], i % 2);
        if (status == SEPAL_OK)
            decision_laws(model, data);
        else
            failure_laws(ctx, status, path);
        sepal_data_free(data);
    }
    text_clear(&rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    fuzz_put("model", bytes, size);
    sepal_model *model = load("model");
    if (!model) return 0;
    saving_laws(model, bytes, size);
    inspection_laws(model, false);
    inspection_laws(model, true);
    reading_laws(model);
    sepal_model_free(model);
    return 0;
}

/* ---- the mutator -------------------------------------------------------------------------- */

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t room) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed);

/* Header and tensors, the tensors behind the room for the longest header. */
struct parts {
    uint8_t *header, *tensors;
    size_t header_size, tensors_size;
};

static size_t join(const struct parts *parts, uint8_t *out, size_t room) {
    static const char begin[] = MODEL_BEGIN MODEL_FORMAT_VERSION MODEL_THEN;
    uint8_t file[1 << 16];
    size_t used = MODEL_LENGTH_BYTES + parts->header_size, fixed = sizeof begin - 1;
    if (parts->header_size < fixed + CHECKSUM_DIGITS) return 0;
    if (used + MODEL_ALIGNMENT + parts->tensors_size > sizeof file) return 0;
    memcpy(file + MODEL_LENGTH_BYTES, parts->header, parts->header_size);
    memcpy(file + MODEL_LENGTH_BYTES, begin, fixed);
    while (used % MODEL_ALIGNMENT) file[used++] = ' ';
    uint64_t length = used - MODEL_LENGTH_BYTES;
    for (int i = 0; i < MODEL_LENGTH_BYTES; i++) file[i] = (uint8_t)(length >> (8 * i));
    memcpy(file + used, parts->tensors, parts->tensors_size);
    used += parts->tensors_size;
    char digits[CHECKSUM_DIGITS];
    checksum_print(digits, checksum_file((const char *)file, used, MODEL_DIGITS_AT));
    memcpy(file + MODEL_DIGITS_AT, digits, sizeof digits);
    if (used > room) return 0;
    memcpy(out, file, used);
    return used;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed) {
    enum { MOST = 1 << 14 };
    static uint8_t header[MOST], tensors[MOST];
    uint64_t length = header_length(bytes, size);
    if (seed % 16 == 0 || size < MODEL_LENGTH_BYTES || length > size - MODEL_LENGTH_BYTES ||
        size > MOST)
        return LLVMFuzzerMutate(bytes, size, room);
    struct parts parts = {header, tensors, length, size - MODEL_LENGTH_BYTES - length};
    memcpy(header, bytes + MODEL_LENGTH_BYTES, parts.header_size);
    memcpy(tensors, bytes + MODEL_LENGTH_BYTES + length, parts.tensors_size);
    while (parts.header_size && header[parts.header_size - 1] == ' ') parts.header_size--;
    if (seed % 4 && parts.header_size)
        parts.header_size = LLVMFuzzerMutate(header, parts.header_size, MOST / 2);
    else
        parts.tensors_size = LLVMFuzzerMutate(tensors, parts.tensors_size, MOST / 2);
    size_t joined = join(&parts, bytes, room);
    return joined ? joined : LLVMFuzzerMutate(bytes, size, room);
}
