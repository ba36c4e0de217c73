/* Reading a model file, which may be damaged or made by an enemy. First its beginning, which says
   what it is; nothing more is read of anything else. Then the header, which has a bounded length
   and says how long the file is. Then as much as that and not a byte more, and the checksum. Then
   the parts against each other. What is accepted is what model_save writes, byte for byte, so a
   model has one file. Nothing in a file is executed, and loading takes less than four times its
   bytes and 16 MB. */
#include "model/model.h"

#include "core/alloc.h"
#include "core/io.h"
#include "model/checksum.h"
#include "model/fields.h"
#include "model/model_file.h"
#include "model/pipeline.h"
#include "model/schema_json.h"

#include <math.h>
#include <string.h>

struct tensor {
    bool present;
    size_t shape[2]; /* a list of n is 1 x n */
    size_t at;       /* where in the file it begins */
};

struct loading {
    sepal_ctx *ctx;
    struct input_file in;
    char *bytes; /* what was read so far */
    size_t size, room;
    size_t data_at; /* where the header ends */
    size_t whole;   /* bytes that the file should have */
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

/* Read on until `wanted` bytes are there or the file ends. The block grows with what has come, not
   with what was promised. */
static sepal_status read_to(struct loading *load, size_t wanted) {
    enum { STEP = 1 << 16 };
    while (load->size < wanted) {
        if (load->size == load->room) {
            size_t room = load->room < STEP ? STEP : 2 * load->room;
            if (room > wanted) room = wanted;
            char *more = mem_resize(load->ctx, load->bytes, room, 1);
            if (!more) return SEPAL_EMEMORY;
            load->bytes = more;
            load->room = room;
        }
        size_t got;
        TRY(input_read(load->ctx, &load->in, load->bytes + load->size, load->room - load->size,
                       &got));
        if (got == 0) return SEPAL_OK;
        load->size += got;
    }
    return SEPAL_OK;
}

static sepal_status cut_short(struct loading *load, size_t has, size_t wanted) {
    return fail(load->ctx, SEPAL_EMODEL,
                "this model file is cut short: it has %zu of at least %zu bytes; copy it again or "
                "train the model again",
                has, wanted);
}

static bool holds(const struct loading *load, size_t at, const char *text) {
    size_t length = strlen(text);
    return load->size >= at + length && memcmp(load->bytes + at, text, length) == 0;
}

static sepal_status check_version(struct loading *load) {
    const char *version = load->bytes + MODEL_VERSION_AT;
    size_t room = load->size - MODEL_VERSION_AT, length = 0;
    while (length < room && version[length] >= '0' && version[length] <= '9') length++;
    bool number = length > 0 && length < room && version[length] == '"' && *version != '0';
    char shown[TEXT_SHOWN_BYTES];
    if (!number) return unsound(load->ctx, "its format version is not a number");
    if (!slice_is((struct slice){version, length}, MODEL_FORMAT_VERSION))
        return fail(
            load->ctx, SEPAL_EMODEL,
            "this model has format version %s and this sepal reads version " MODEL_FORMAT_VERSION
            "; it was written by a newer sepal, install that one",
            text_shown(shown, version, length));
    return SEPAL_OK;
}

/* What it is, and how long its header. */
static sepal_status read_beginning(struct loading *load) {
    enum { BEGINNING = MODEL_DIGITS_AT + CHECKSUM_DIGITS };
    TRY(read_to(load, BEGINNING));
    if (load->size == 0)
        return fail(load->ctx, SEPAL_EMODEL, "the file is empty; sepal train -o makes a model");
    if (!holds(load, MODEL_LENGTH_BYTES, MODEL_BEGIN))
        return fail(load->ctx, SEPAL_EMODEL, "this is not a sepal model; sepal train -o makes one");
    if (load->size == BEGINNING) TRY(check_version(load));
    if (load->size < BEGINNING) return cut_short(load, load->size, BEGINNING);
    if (!holds(load, MODEL_VERSION_AT, MODEL_FORMAT_VERSION MODEL_THEN))
        return unsound(load->ctx, "it has no checksum");
    uint64_t length = get_u64(load->bytes);
    if (length > MODEL_MOST_HEADER || length + MODEL_LENGTH_BYTES <= BEGINNING ||
        (length + MODEL_LENGTH_BYTES) % MODEL_ALIGNMENT)
        return unsound(load->ctx, "a header of %llu bytes is too long, too short or not aligned",
                       (unsigned long long)length);
    load->data_at = MODEL_LENGTH_BYTES + (size_t)length;
    TRY(read_to(load, load->data_at));
    if (load->size < load->data_at) return cut_short(load, load->size, load->data_at);
    if (load->bytes[BEGINNING] != '"')
        return unsound(load->ctx, "its checksum has more than %d digits", CHECKSUM_DIGITS);
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

/* The tensors, which end the file. */
static sepal_status read_rest(struct loading *load) {
    size_t real = input_size(&load->in), got;
    if (real < load->whole) return cut_short(load, real, load->whole);
    if (real == SIZE_MAX && load->whole > MODEL_LARGEST_STREAM)
        return unsound(load->ctx, "%zu bytes are more than a model has that is no regular file",
                       load->whole);
    TRY(read_to(load, load->whole));
    if (load->size < load->whole) return cut_short(load, load->size, load->whole);
    char surplus;
    TRY(input_read(load->ctx, &load->in, &surplus, 1, &got));
    if (got > 0) return unsound(load->ctx, "it has more than its %zu bytes", load->whole);
    return check_checksum(load);
}

/* ---- the header --------------------------------------------------------------------------- */

/* Reads shape and offsets; the tensor must begin where the last one ended. */
static sepal_status read_tensor(struct loading *load, enum model_tensor which,
                                const struct tree *object, size_t *offset) {
    const struct tensor_kind *kind = &model_tensors[which];
    struct tensor *tensor = &load->tensors[which];
    struct fields fields = fields_open(load->ctx, object, kind->name);
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
                  end <= PTRDIFF_MAX - load->data_at &&
                  !__builtin_mul_overflow(tensor->shape[0], tensor->shape[1], &bytes) &&
                  !__builtin_mul_overflow(bytes, kind->size, &bytes) && bytes == end - begin;
    if (!placed) return unsound(load->ctx, "tensor '%s' does not lie where it should", kind->name);
    tensor->at = load->data_at + begin;
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
    load->whole = load->data_at + offset;
    const struct tensor *t = load->tensors;
    bool fit =
        t[TENSOR_WEIGHTS].present && t[TENSOR_BIAS].present && t[TENSOR_WEIGHTS].shape[0] > 0 &&
        t[TENSOR_WEIGHTS].shape[1] > 0 && t[TENSOR_BIAS].shape[1] == t[TENSOR_WEIGHTS].shape[0] &&
        (!t[TENSOR_CENTRE].present || t[TENSOR_CENTRE].shape[1] == t[TENSOR_WEIGHTS].shape[1]) &&
        t[TENSOR_WEIGHTS].shape[1] <= MODEL_MOST_COLUMNS;
    return fit ? SEPAL_OK : unsound(load->ctx, "weights, bias and centre do not fit together");
}

/* ---- the metadata ------------------------------------------------------------------------- */

/* A list that stands in the metadata or, if it is long, in a tensor. */
static sepal_status find_list(struct loading *load, struct slice *out, struct fields *metadata,
                              enum model_tensor which) {
    const struct tensor *tensor = &load->tensors[which];
    const char *name = model_tensors[which].name;
    const struct tree *value = fields_optional(metadata, name);
    *out = (struct slice){0};
    if (tensor->present) *out = (struct slice){load->bytes + tensor->at, tensor->shape[1]};
    if (value && (value->kind != TREE_TEXT || tensor->present))
        return unsound(load->ctx, "its %s are not a text, or are there twice", name);
    if (value) *out = value->text;
    if (out->bytes && tensor->present != (out->length > MODEL_LONGEST_VALUE))
        return unsound(load->ctx, "%zu bytes of %s stand in the wrong place", out->length, name);
    return SEPAL_OK;
}

static sepal_status keep_spec(struct loading *load, const char *spec, const char *learner) {
    sepal_model *model = load->model;
    if (strlen(spec) > MODEL_LONGEST_VALUE) return unsound(load->ctx, "its spec is too long");
    TRY(pipeline_check_saved(load->ctx, &load->arena, spec, learner, load->classes));
    model->spec = arena_text(load->ctx, &model->arena, spec, strlen(spec));
    model->learner = arena_text(load->ctx, &model->arena, learner, strlen(learner));
    return model->spec && model->learner ? SEPAL_OK : SEPAL_EMEMORY;
}

static sepal_status read_training(struct loading *load, const char *json) {
    struct model_facts *facts = &load->model->facts;
    struct tree *object;
    TRY(json_read_small(&object, load->ctx, &load->arena, (struct slice){json, strlen(json)}));
    struct fields fields = fields_open(load->ctx, object, "training");
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
    if (!right || rows == 2 || rows > MODEL_MOST_CLASSES)
        return unsound(load->ctx, "%zu rows of weights cannot be decoded by that rule", rows);
    return SEPAL_OK;
}

/* Any version may have written the file, but it had a name like one. */
static sepal_status check_writer(struct loading *load, const char *version) {
    enum { LONGEST = 32 };
    size_t length = strspn(version, "0123456789.+-abcdefghijklmnopqrstuvwxyz");
    return length > 0 && length <= LONGEST && version[length] == '\0'
               ? SEPAL_OK
               : unsound(load->ctx, "the version of sepal that wrote it is none");
}

static sepal_status read_metadata(struct loading *load, const struct tree *object) {
    struct fields fields = fields_open(load->ctx, object, "metadata");
    static const char *const seen[] = {"format", "format_version", "checksum"};
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) (void)fields_text(&fields, seen[i]);
    const char *version = fields_text(&fields, "sepal_version");
    const char *spec = fields_text(&fields, "spec");
    const char *learner = fields_text(&fields, "learner");
    const char *decode = fields_text(&fields, "decode");
    TRY(fields.status);
    TRY(find_list(load, &load->json.classes, &fields, TENSOR_CLASSES));
    const char *facts = fields_text(&fields, "schema");
    TRY(find_list(load, &load->json.columns, &fields, TENSOR_COLUMNS));
    const char *training = fields_text(&fields, "training");
    TRY(fields_end(&fields));
    if (!load->json.classes.bytes) return unsound(load->ctx, "it has no classes");
    load->json.facts = (struct slice){facts, strlen(facts)};
    TRY(check_writer(load, version));
    TRY(read_decode(load, decode));
    TRY(keep_spec(load, spec, learner));
    return read_training(load, training);
}

/* ---- the parts ---------------------------------------------------------------------------- */

static sepal_status read_doubles(struct loading *load, double *out, enum model_tensor which) {
    const struct tensor *tensor = &load->tensors[which];
    size_t n = tensor->shape[0] * tensor->shape[1];
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = get_u64(load->bytes + tensor->at + i * sizeof bits);
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

/* The JSON of the header; blanks fill it up to the alignment, but no further. */
static sepal_status read_header(const struct tree **metadata, struct loading *load) {
    struct slice text = {load->bytes + MODEL_LENGTH_BYTES, load->data_at - MODEL_LENGTH_BYTES};
    size_t blanks = 0;
    while (blanks < text.length && text.bytes[text.length - 1 - blanks] == ' ') blanks++;
    if (blanks >= MODEL_ALIGNMENT)
        return unsound(load->ctx, "its header has %zu blanks at the end", blanks);
    text.length -= blanks;
    struct tree *root;
    TRY(json_read_small(&root, load->ctx, &load->arena, text));
    struct fields header = fields_open(load->ctx, root, "header");
    *metadata = fields_take(&header, "__metadata__");
    return read_tensors(load, &header);
}

static sepal_status read_model(struct loading *load) {
    const struct tree *metadata = NULL;
    TRY(read_beginning(load));
    TRY(read_header(&metadata, load));
    TRY(read_rest(load));
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
    TRY(input_open(&load.in, ctx, path, SEPAL_EMODEL));
    sepal_status status = read_model(&load);
    if (status == SEPAL_EMODEL) fail_place(ctx, load.in.name, 0, 0);
    input_close(&load.in);
    arena_clear(&load.arena);
    mem_free(load.bytes);
    if (status == SEPAL_OK)
        *out = load.model;
    else
        model_free(load.model);
    return status;
}
