/* Writing a model file: a safetensors file (https://github.com/huggingface/safetensors) whose
   metadata makes it a Sepal model. The whole file is made in memory and replaces the old one in one
   step. The bytes depend on the model and the version of Sepal alone. */
#include "model/decision.h"
#include "model/model.h"

#include "core/io.h"
#include "core/tree.h"
#include "linear/calibration.h"
#include "model/checksum.h"
#include "model/model_file.h"
#include "model/pipeline.h"
#include "model/schema_json.h"
#include "model/summary_json.h"

#include <math.h>
#include <string.h>

struct saving {
    sepal_ctx *ctx;
    const sepal_model *model;
    struct tensor_numbers numbers[MODEL_TENSORS];
    struct text facts, columns, classes, training, summary, bootstrap;
    struct text file;
    struct arena arena; /* of the header */
};

/* ---- what may be saved -------------------------------------------------------------------- */

static bool save_all_finite(const double *numbers, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(numbers[i])) return false;
    }
    return true;
}

static bool model_is_finite(const struct saving *save) {
    const struct schema *schema = save->model->schema;
    for (size_t i = 0; i < schema->n_columns; i++) {
        const struct column *column = &schema->columns[i];
        size_t n = column->text ? column->n_categories : 1;
        if (column->fill && !save_all_finite(column->fill, n)) return false;
    }
    for (int i = 0; i < MODEL_TENSORS; i++) {
        const struct tensor_numbers *part = &save->numbers[i];
        if (part->numbers && !save_all_finite(part->numbers, part->rows * part->cols)) return false;
    }
    return isfinite(save->model->facts.total_weight);
}

/* Whatever is saved can be loaded. */
static sepal_status check_model(struct saving *save) {
    const sepal_model *model = save->model;
    if (!model_is_finite(save))
        return fail(save->ctx, SEPAL_EINTERNAL,
                    "a number of the model is not finite; it is not saved");
    TRY(schema_check(save->ctx, model->schema));
    if (strlen(model->spec) > MODEL_LONGEST_VALUE)
        return fail(save->ctx, SEPAL_EDATA, "the spec is too long for a model file; shorten it");
    struct pipeline pipeline;
    const char *again;
    sepal_status status =
        pipeline_parse_saved(&pipeline, &again, save->ctx, &save->arena, model->spec,
                             model->learner, model->schema->n_classes);
    if (status != SEPAL_EMODEL) return status;
    char shown[TEXT_SHOWN_BYTES];
    return fail(save->ctx, SEPAL_EINTERNAL,
                "the model's spec '%s' is not canonical; it is not saved",
                text_shown(shown, model->spec, strlen(model->spec)));
}

/* ---- header ------------------------------------------------------------------------------- */

static sepal_status print_training(struct saving *save) {
    const struct model_facts *facts = &save->model->facts;
    struct tree_maker make = {.ctx = save->ctx, .arena = &save->arena};
    struct tree *object = tree_object(&make, NULL, NULL);
    tree_number(&make, object, "rows", (double)facts->rows);
    tree_number(&make, object, "total_weight", facts->total_weight);
    tree_number(&make, object, "objective", facts->objective);
    tree_number(&make, object, "gap", facts->gap);
    tree_number(&make, object, "iterations", (double)facts->iterations);
    tree_bool(&make, object, "converged", facts->converged);
    if (!make.failed) json_print(save->ctx, &save->training, object, 0);
    return make.failed || save->training.failed ? SEPAL_EMEMORY : SEPAL_OK;
}

static bool in_tensor(const struct text *list) {
    return list->length > MODEL_LONGEST_VALUE;
}

static void add_value(struct tree_maker *make, struct tree *metadata, const char *key,
                      const struct text *value) {
    tree_slice(make, metadata, key, (struct slice){value->bytes, value->length});
}

static void add_metadata(struct saving *save, struct tree_maker *make, struct tree *header) {
    const sepal_model *model = save->model;
    struct tree *metadata = tree_object(make, header, "__metadata__");
    tree_text(make, metadata, "format", MODEL_FORMAT);
    tree_text(make, metadata, "format_version", MODEL_FORMAT_VERSION);
    tree_text(make, metadata, "checksum", "0000000000000000");
    tree_text(make, metadata, "sepal_version", SEPAL_VERSION);
    tree_text(make, metadata, "spec", model->spec);
    tree_text(make, metadata, "learner", model->learner);
    tree_text(make, metadata, "decode", model->linear.strategy->decode);
    if (model->linear.bits) tree_text(make, metadata, "bits", "true");
    if (model->linear.density)
        tree_text(make, metadata, "density", density_names[model->linear.density->kind]);
    if (model->linear.calibration)
        tree_text(make, metadata, "calibration",
                  calibration_names[model->linear.calibration->kind]);
    if (!kept_rule_is_default(&model->kept_rule)) {
        tree_text(make, metadata, "decide", decision_table[model->kept_rule.decide]->name);
        tree_text(make, metadata, "ambiguous", ambiguous_names[model->kept_rule.ambiguous]);
    }
    if (save->summary.length) add_value(make, metadata, "summary", &save->summary);
    if (save->bootstrap.length) add_value(make, metadata, "bootstrap", &save->bootstrap);
    if (!in_tensor(&save->classes)) add_value(make, metadata, "classes", &save->classes);
    add_value(make, metadata, "schema", &save->facts);
    if (save->columns.length && !in_tensor(&save->columns))
        add_value(make, metadata, "columns", &save->columns);
    add_value(make, metadata, "training", &save->training);
}

/* Adds the tensor behind `*offset` bytes of others. */
static void add_tensor(struct tree_maker *make, struct tree *header, enum model_tensor which,
                       size_t rows, size_t cols, size_t *offset) {
    const struct tensor_kind *kind = &model_tensors[which];
    struct tree *tensor = tree_object(make, header, kind->name);
    tree_text(make, tensor, "dtype", kind->dtype);
    struct tree *shape = tree_array(make, tensor, "shape");
    if (kind->rank == 2) tree_number(make, shape, NULL, (double)rows);
    tree_number(make, shape, NULL, (double)cols);
    struct tree *offsets = tree_array(make, tensor, "data_offsets");
    tree_number(make, offsets, NULL, (double)*offset);
    *offset += rows * cols * kind->size;
    tree_number(make, offsets, NULL, (double)*offset);
}

static void add_tensors(struct saving *save, struct tree_maker *make, struct tree *header) {
    size_t offset = 0;
    for (int i = 0; i < MODEL_TENSORS; i++) {
        const struct tensor_numbers *part = &save->numbers[i];
        if (part->numbers)
            add_tensor(make, header, (enum model_tensor)i, part->rows, part->cols, &offset);
    }
    if (in_tensor(&save->columns))
        add_tensor(make, header, TENSOR_COLUMNS, 1, save->columns.length, &offset);
    if (in_tensor(&save->classes))
        add_tensor(make, header, TENSOR_CLASSES, 1, save->classes.length, &offset);
}

/* ---- bytes -------------------------------------------------------------------------------- */

static void put_u64(char out[8], uint64_t number) {
    for (int i = 0; i < 8; i++) out[i] = (char)(unsigned char)(number >> (8 * i) & 0xFF);
}

static void put_doubles(struct saving *save, const double *numbers, size_t n) {
    char bytes[8];
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        put_u64(bytes, bits);
        text_add(save->ctx, &save->file, bytes, sizeof bytes);
    }
}

static sepal_status save_put_header(struct saving *save) {
    struct text *file = &save->file;
    struct tree_maker make = {.ctx = save->ctx, .arena = &save->arena};
    struct tree *header = tree_object(&make, NULL, NULL);
    add_metadata(save, &make, header);
    add_tensors(save, &make, header);
    if (make.failed) return SEPAL_EMEMORY;
    text_add(save->ctx, file, "12345678", MODEL_LENGTH_BYTES); /* known afterwards */
    json_print(save->ctx, file, header, 0);
    while (!file->failed && file->length % MODEL_ALIGNMENT) text_puts(save->ctx, file, " ");
    if (file->failed) return SEPAL_EMEMORY;
    size_t length = file->length - MODEL_LENGTH_BYTES;
    if (length > MODEL_MOST_HEADER || save->facts.length > MODEL_LONGEST_VALUE)
        return fail(save->ctx, SEPAL_EDATA,
                    "the names of target and weight are too long for a model file; shorten them");
    put_u64(file->bytes, length);
    return SEPAL_OK;
}

static sepal_status put_tensors(struct saving *save) {
    struct text *file = &save->file, *lists[] = {&save->columns, &save->classes};
    for (int i = 0; i < MODEL_TENSORS; i++) {
        const struct tensor_numbers *part = &save->numbers[i];
        if (part->numbers) put_doubles(save, part->numbers, part->rows * part->cols);
    }
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (in_tensor(lists[i])) text_add(save->ctx, file, lists[i]->bytes, lists[i]->length);
    }
    return file->failed ? SEPAL_EMEMORY : SEPAL_OK;
}

static sepal_status make_file(struct saving *save) {
    const struct schema *schema = save->model->schema;
    model_numbers(save->numbers, save->model);
    TRY(check_model(save));
    TRY(schema_print_facts(save->ctx, &save->facts, schema));
    if (schema->family == FAMILY_TABLE || schema->names)
        TRY(schema_print_columns(save->ctx, &save->columns, schema));
    TRY(schema_print_classes(save->ctx, &save->classes, schema));
    TRY(print_training(save));
    TRY(summary_print(save->ctx, &save->summary, save->model->linear.summary));
    TRY(bootstrap_print(save->ctx, &save->bootstrap, save->model->linear.bootstrap));
    TRY(save_put_header(save));
    TRY(put_tensors(save));
    struct text *file = &save->file;
    checksum_print(file->bytes + MODEL_DIGITS_AT,
                   checksum_file(file->bytes, file->length, MODEL_DIGITS_AT));
    return SEPAL_OK;
}

sepal_status model_save(sepal_ctx *ctx, const sepal_model *model, const char *path) {
    struct staged staged;
    TRY(model_stage(&staged, ctx, model, path));
    return output_commit(ctx, &staged);
}

sepal_status model_to_memory(struct text *out, sepal_ctx *ctx, const sepal_model *model) {
    struct saving save = {.ctx = ctx, .model = model};
    sepal_status status = make_file(&save);
    text_clear(&save.facts);
    text_clear(&save.columns);
    text_clear(&save.classes);
    text_clear(&save.training);
    text_clear(&save.summary);
    text_clear(&save.bootstrap);
    arena_clear(&save.arena);
    *out = save.file;
    if (status != SEPAL_OK) text_clear(out);
    return status;
}

sepal_status model_stage(struct staged *out, sepal_ctx *ctx, const sepal_model *model,
                         const char *path) {
    struct text file;
    *out = (struct staged){0};
    TRY(model_to_memory(&file, ctx, model));
    sepal_status status = output_stage(out, ctx, path, file.bytes, file.length);
    text_clear(&file);
    return status;
}
