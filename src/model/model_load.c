/* Reading a model file, which may be damaged or made by an enemy. First the bytes: what it is, how
   long, whether the checksum is right. Then the header against the file's real size, before any
   size in it is used. Then the parts against each other. Nothing in a file is executed, and loading
   takes less than four times its bytes and 16 MB. */
#include "model/model.h"

#include "core/alloc.h"
#include "core/io.h"
#include "core/spec.h"
#include "model/checksum.h"
#include "model/fields.h"
#include "model/model_file.h"
#include "model/schema_json.h"

#include <math.h>
#include <string.h>

struct tensor {
    bool present;
    size_t shape[2]; /* a list of n is 1 x n */
    const char *bytes;
};

struct loading {
    sepal_ctx *ctx;
    const char *bytes;
    size_t size;
    size_t data_at; /* where the header ends */
    size_t classes;
    struct arena arena;
    struct tensor tensors[MODEL_TENSORS];
    struct schema_json json;
    sepal_model *model;
};

static uint64_t get_u64(const char *bytes) {
    uint64_t number = 0;
    for (int i = 8; i-- > 0;) number = number << 8 | (unsigned char)bytes[i];
    return number;
}

/* ---- the bytes ---------------------------------------------------------------------------- */

static bool holds(const struct loading *load, size_t at, const char *text) {
    size_t length = strlen(text);
    return load->size >= at + length && memcmp(load->bytes + at, text, length) == 0;
}

static sepal_status check_version(struct loading *load) {
    const char *version = load->bytes + MODEL_VERSION_AT;
    size_t room = load->size - MODEL_VERSION_AT, length = 0;
    while (length < room && version[length] != '"') length++;
    char shown[TEXT_SHOWN_BYTES];
    if (!slice_is((struct slice){version, length}, MODEL_FORMAT_VERSION))
        return fail(
            load->ctx, SEPAL_EMODEL,
            "this model has format version '%s' and this sepal reads version " MODEL_FORMAT_VERSION
            "; it was written by a newer sepal, install that one",
            text_shown(shown, version, length));
    return SEPAL_OK;
}

static sepal_status check_checksum(struct loading *load) {
    char right[CHECKSUM_DIGITS];
    const char *digits = load->bytes + MODEL_DIGITS_AT;
    checksum_print(right, checksum_file(load->bytes, load->size, MODEL_DIGITS_AT));
    if (memcmp(digits, right, sizeof right) == 0) return SEPAL_OK;
    char shown[TEXT_SHOWN_BYTES];
    return fail(load->ctx, SEPAL_EMODEL,
                "this model file is damaged: it says its checksum is '%s', and it is %.*s; copy it "
                "again or train the model again",
                text_shown(shown, digits, CHECKSUM_DIGITS), CHECKSUM_DIGITS, right);
}

static sepal_status check_bytes(struct loading *load) {
    if (load->size == 0)
        return fail(load->ctx, SEPAL_EMODEL, "the file is empty; sepal train -o makes a model");
    if (!holds(load, MODEL_LENGTH_BYTES, MODEL_BEGIN))
        return fail(load->ctx, SEPAL_EMODEL, "this is not a sepal model; sepal train -o makes one");
    TRY(check_version(load));
    uint64_t length = get_u64(load->bytes);
    if (length > load->size - MODEL_LENGTH_BYTES)
        return fail(load->ctx, SEPAL_EMODEL,
                    "this model file is cut short: it has %zu bytes, less than its header; copy it "
                    "again or train the model again",
                    load->size);
    load->data_at = MODEL_LENGTH_BYTES + (size_t)length;
    bool checksum = holds(load, MODEL_VERSION_AT, MODEL_FORMAT_VERSION MODEL_THEN) &&
                    load->data_at > MODEL_DIGITS_AT + CHECKSUM_DIGITS;
    if (!checksum) return unsound(load->ctx, "it has no checksum");
    TRY(check_checksum(load));
    if (length > MODEL_MOST_HEADER || load->data_at % MODEL_ALIGNMENT)
        return unsound(load->ctx, "a header of %llu bytes is too long or not a multiple of %d",
                       (unsigned long long)length, MODEL_ALIGNMENT);
    return SEPAL_OK;
}

/* ---- the header --------------------------------------------------------------------------- */

/* Reads shape and offsets; the tensor must begin where the last one ended. */
static sepal_status read_tensor(struct loading *load, enum model_tensor which,
                                const struct tree *object, size_t *offset) {
    const struct tensor_kind *kind = &model_tensors[which];
    struct tensor *tensor = &load->tensors[which];
    struct fields fields = {.ctx = load->ctx, .object = object, .what = kind->name};
    const char *dtype = fields_text(&fields, "dtype");
    const struct tree *shape = fields_array(&fields, "shape");
    const struct tree *offsets = fields_array(&fields, "data_offsets");
    TRY(fields_end(&fields));
    size_t begin, end, bytes;
    *tensor = (struct tensor){.present = true, .shape = {1, 1}};
    bool shaped = shape && shape->count == kind->rank && strcmp(dtype, kind->dtype) == 0 &&
                  tree_is_count(shape->first, &tensor->shape[0]) &&
                  tree_is_count(shape->last, &tensor->shape[1]);
    if (!shaped) return unsound(load->ctx, "'%s' is not the tensor that is expected", kind->name);
    if (kind->rank == 1) tensor->shape[0] = 1;
    bool placed = offsets && offsets->count == 2 && tree_is_count(offsets->first, &begin) &&
                  tree_is_count(offsets->last, &end) && begin == *offset && end >= begin &&
                  end <= load->size - load->data_at &&
                  !__builtin_mul_overflow(tensor->shape[0], tensor->shape[1], &bytes) &&
                  !__builtin_mul_overflow(bytes, kind->size, &bytes) && bytes == end - begin;
    if (!placed) return unsound(load->ctx, "tensor '%s' does not lie where it should", kind->name);
    tensor->bytes = load->bytes + load->data_at + begin;
    *offset = end;
    return SEPAL_OK;
}

static sepal_status read_tensors(struct loading *load, struct fields *header) {
    size_t offset = 0;
    for (int i = 0; i < MODEL_TENSORS; i++) {
        const struct tree *object = fields_optional(header, model_tensors[i].name);
        if (object) TRY(read_tensor(load, (enum model_tensor)i, object, &offset));
    }
    TRY(fields_end(header));
    if (offset != load->size - load->data_at)
        return unsound(load->ctx, "it has %zu bytes of tensors and room for %zu", offset,
                       load->size - load->data_at);
    const struct tensor *t = load->tensors;
    bool fit =
        t[TENSOR_WEIGHTS].present && t[TENSOR_BIAS].present && t[TENSOR_WEIGHTS].shape[0] > 0 &&
        t[TENSOR_WEIGHTS].shape[1] > 0 && t[TENSOR_BIAS].shape[1] == t[TENSOR_WEIGHTS].shape[0] &&
        (!t[TENSOR_CENTRE].present || t[TENSOR_CENTRE].shape[1] == t[TENSOR_WEIGHTS].shape[1]);
    return fit ? SEPAL_OK : unsound(load->ctx, "weights, bias and centre do not fit together");
}

/* A list that stands in the metadata or, if it is long, in a tensor. */
static sepal_status find_list(struct loading *load, struct slice *out, struct fields *metadata,
                              enum model_tensor which) {
    const struct tensor *tensor = &load->tensors[which];
    const struct tree *value = fields_optional(metadata, model_tensors[which].name);
    *out = (struct slice){tensor->bytes, tensor->shape[1]};
    if (!value) return SEPAL_OK;
    if (value->kind != TREE_TEXT || tensor->present)
        return unsound(load->ctx, "its %s are not a text, or are there twice",
                       model_tensors[which].name);
    *out = value->text;
    return SEPAL_OK;
}

static sepal_status keep_spec(struct loading *load, const char *spec, const char *learner) {
    sepal_model *model = load->model;
    struct spec parsed;
    sepal_status status = strlen(spec) <= MODEL_LONGEST_VALUE
                              ? spec_parse(&parsed, load->ctx, &load->arena, spec)
                              : SEPAL_EUSAGE;
    if (status == SEPAL_EMEMORY) return status;
    char shown[TEXT_SHOWN_BYTES];
    if (status != SEPAL_OK)
        return unsound(load->ctx, "its spec '%s' cannot be read",
                       text_shown(shown, spec, strlen(spec)));
    model->spec = arena_text(load->ctx, &model->arena, spec, strlen(spec));
    model->learner = arena_text(load->ctx, &model->arena, learner, strlen(learner));
    return model->spec && model->learner ? SEPAL_OK : SEPAL_EMEMORY;
}

static sepal_status read_training(struct loading *load, const char *json) {
    struct model_facts *facts = &load->model->facts;
    struct tree *object;
    TRY(json_read_small(&object, load->ctx, &load->arena, (struct slice){json, strlen(json)}));
    struct fields fields = {.ctx = load->ctx, .object = object, .what = "training"};
    facts->rows = fields_count(&fields, "rows");
    facts->total_weight = fields_number(&fields, "total_weight");
    facts->objective = fields_number_or_null(&fields, "objective");
    facts->gap = fields_number_or_null(&fields, "gap");
    facts->iterations = fields_count(&fields, "iterations");
    facts->converged = fields_bool(&fields, "converged");
    return fields_end(&fields);
}

/* Two classes have one row of weights, any other number as many as there are. */
static sepal_status read_decode(struct loading *load, const char *decode) {
    size_t rows = load->tensors[TENSOR_WEIGHTS].shape[0];
    load->classes = rows == 1 ? 2 : rows;
    bool right = strcmp(decode, rows == 1 ? "sign" : "argmax") == 0;
    if (!right || rows == 2 || rows > INT32_MAX)
        return unsound(load->ctx, "%zu rows of weights cannot be decoded by that rule", rows);
    return SEPAL_OK;
}

static sepal_status read_metadata(struct loading *load, const struct tree *object) {
    struct fields fields = {.ctx = load->ctx, .object = object, .what = "metadata"};
    static const char *const seen[] = {"format", "format_version", "checksum", "sepal_version"};
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) (void)fields_text(&fields, seen[i]);
    const char *spec = fields_text(&fields, "spec");
    const char *learner = fields_text(&fields, "learner");
    const char *decode = fields_text(&fields, "decode");
    const char *facts = fields_text(&fields, "schema");
    const char *training = fields_text(&fields, "training");
    TRY(find_list(load, &load->json.columns, &fields, TENSOR_COLUMNS));
    TRY(find_list(load, &load->json.classes, &fields, TENSOR_CLASSES));
    TRY(fields_end(&fields));
    if (!load->json.classes.bytes) return unsound(load->ctx, "it has no classes");
    load->json.facts = (struct slice){facts, strlen(facts)};
    TRY(read_decode(load, decode));
    TRY(keep_spec(load, spec, learner));
    return read_training(load, training);
}

/* ---- the parts ---------------------------------------------------------------------------- */

static sepal_status read_doubles(struct loading *load, double *out, enum model_tensor which) {
    const struct tensor *tensor = &load->tensors[which];
    size_t n = tensor->shape[0] * tensor->shape[1];
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = get_u64(tensor->bytes + i * sizeof bits);
        memcpy(&out[i], &bits, sizeof bits);
        if (!isfinite(out[i]))
            return unsound(load->ctx, "number %zu of '%s' is not finite", i,
                           model_tensors[which].name);
    }
    return SEPAL_OK;
}

static sepal_status read_linear(struct loading *load) {
    struct linear *linear = &load->model->linear;
    bool centred = load->tensors[TENSOR_CENTRE].present;
    size_t cols = load->tensors[TENSOR_WEIGHTS].shape[1];
    TRY(linear_init(linear, load->ctx, load->classes, cols, centred));
    TRY(read_doubles(load, linear->w, TENSOR_WEIGHTS));
    TRY(read_doubles(load, linear->b, TENSOR_BIAS));
    return centred ? read_doubles(load, linear->centre, TENSOR_CENTRE) : SEPAL_OK;
}

static sepal_status read_model(struct loading *load) {
    TRY(check_bytes(load));
    struct slice text = {load->bytes + MODEL_LENGTH_BYTES, load->data_at - MODEL_LENGTH_BYTES};
    struct tree *root;
    TRY(json_read_small(&root, load->ctx, &load->arena, text));
    struct fields header = {.ctx = load->ctx, .object = root, .what = "header"};
    const struct tree *metadata = fields_take(&header, "__metadata__");
    TRY(read_tensors(load, &header));
    load->model = model_new(load->ctx);
    if (!load->model) return SEPAL_EMEMORY;
    TRY(read_metadata(load, metadata));
    struct schema *schema;
    TRY(schema_read(&schema, load->ctx, &load->json, load->classes,
                    load->tensors[TENSOR_WEIGHTS].shape[1]));
    load->model->schema = schema;
    return read_linear(load);
}

sepal_status model_load(sepal_model **out, sepal_ctx *ctx, const char *path) {
    *out = NULL;
    struct loading load = {.ctx = ctx};
    char *bytes;
    TRY(input_slurp(&bytes, &load.size, ctx, path, SEPAL_EMODEL));
    load.bytes = bytes;
    sepal_status status = read_model(&load);
    if (status == SEPAL_EMODEL) fail_place(ctx, strcmp(path, "-") == 0 ? "<stdin>" : path, 0, 0);
    arena_clear(&load.arena);
    mem_free(bytes);
    if (status == SEPAL_OK)
        *out = load.model;
    else
        model_free(load.model);
    return status;
}
