/* The parts of a model file against each other, when model_bytes.c has its bytes. What is accepted
   is what model_save writes, byte for byte, so a model has one file. Nothing in a file is executed,
   and loading takes less than four times its bytes and 16 MB. */
#include "model/decision.h"
#include "model/model.h"

#include "core/alloc.h"
#include "linear/calibration.h"
#include "model/predict.h"
#include "model/fields.h"
#include "model/model_bytes.h"
#include "model/model_file.h"
#include "model/pipeline.h"
#include "model/schema_json.h"
#include "model/summary_json.h"

#include <math.h>
#include <string.h>

struct tensor {
    bool present;
    size_t shape[2]; /* a list of n is 1 x n */
    size_t at;       /* where in the file it begins */
};

struct loading {
    sepal_ctx *ctx;
    struct model_bytes file;
    size_t classes;
    const struct strategy *strategy;
    const char *density;             /* "": none */
    const char *calibration;         /* likewise */
    const char *summary, *bootstrap; /* JSON; NULL: none */
    bool bits, ruled;                /* ruled: it keeps a rule of decision */
    struct pipeline pipeline;
    struct arena arena;
    struct tensor tensors[MODEL_TENSORS];
    struct schema_json json;
    sepal_model *model;
};

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
    if (!shaped) return invalid(load->ctx, "'%s' is not the tensor that is expected", kind->name);
    if (kind->rank == 1) tensor->shape[0] = 1;
    bool placed = offsets && offsets->count == 2 && tree_is_count(offsets->first, &begin) &&
                  tree_is_count(offsets->last, &end) && begin == *offset && end >= begin &&
                  /* never: a count is at most 2^53, where sizes have 64 bits */
                  end <= PTRDIFF_MAX - load->file.data_at &&
                  !__builtin_mul_overflow(tensor->shape[0], tensor->shape[1], &bytes) &&
                  !__builtin_mul_overflow(bytes, kind->size, &bytes) && bytes == end - begin;
    if (!placed) return invalid(load->ctx, "tensor '%s' does not lie where it should", kind->name);
    tensor->at = load->file.data_at + begin;
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
    load->file.whole = load->file.data_at + offset;
    const struct tensor *t = load->tensors;
    bool fit =
        t[TENSOR_WEIGHTS].present && t[TENSOR_BIAS].present && t[TENSOR_WEIGHTS].shape[0] > 0 &&
        t[TENSOR_WEIGHTS].shape[1] > 0 && t[TENSOR_BIAS].shape[1] == t[TENSOR_WEIGHTS].shape[0] &&
        (!t[TENSOR_CENTRE].present || t[TENSOR_CENTRE].shape[1] == t[TENSOR_WEIGHTS].shape[1]) &&
        t[TENSOR_WEIGHTS].shape[1] <= MODEL_MOST_COLUMNS;
    return fit ? SEPAL_OK : invalid(load->ctx, "weights, bias and centre do not fit together");
}

/* ---- the metadata ------------------------------------------------------------------------- */

/* A list that stands in the metadata or, if it is long, in a tensor. */
static sepal_status find_list(struct loading *load, struct slice *out, struct fields *metadata,
                              enum model_tensor which) {
    const struct tensor *tensor = &load->tensors[which];
    const char *name = model_tensors[which].name;
    const struct tree *value = fields_optional(metadata, name);
    *out = (struct slice){0};
    if (tensor->present) *out = (struct slice){load->file.bytes + tensor->at, tensor->shape[1]};
    if (value && (value->kind != TREE_TEXT || tensor->present))
        return invalid(load->ctx, "its %s are not a text, or are there twice", name);
    if (value) *out = value->text;
    if (out->bytes && tensor->present != (out->length > MODEL_LONGEST_VALUE))
        return invalid(load->ctx, "%zu bytes of %s stand in the wrong place", out->length, name);
    return SEPAL_OK;
}

static sepal_status keep_spec(struct loading *load, const char *spec, const char *learner) {
    sepal_model *model = load->model;
    if (strlen(spec) > MODEL_LONGEST_VALUE) return invalid(load->ctx, "its spec is too long");
    TRY(pipeline_parse_saved(&load->pipeline, &model->spec, load->ctx, &model->arena, spec, learner,
                             load->classes));
    if (pipeline_decoder(&load->pipeline, load->classes) != load->strategy)
        return invalid(load->ctx, "its spec does not decode by that rule");
    model->learner = arena_text(load->ctx, &model->arena, learner, strlen(learner));
    return model->learner ? SEPAL_OK : SEPAL_EMEMORY;
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

/* The place of a word in a list; `n` when it is none of them. */
static int word_at(const char *word, const char *const *words, int n) {
    int i = 0;
    while (i < n && strcmp(word, words[i]) != 0) i++;
    return i;
}

static sepal_status read_decode(struct loading *load, const char *decode) {
    size_t rows = load->tensors[TENSOR_WEIGHTS].shape[0];
    load->strategy = strategy_of_decode(decode);
    load->classes =
        load->strategy && rows <= MODEL_MOST_ROWS ? strategy_classes(load->strategy, rows) : 0;
    if (load->classes == 0 || load->classes > MODEL_MOST_CLASSES)
        return invalid(load->ctx, "%zu rows of weights cannot be decoded by that rule", rows);
    return SEPAL_OK;
}

/* Facts that only some models have. */
static sepal_status read_parts(struct loading *load, struct fields *metadata) {
    const struct tree *bits = fields_optional(metadata, "bits");
    const struct tree *density = fields_optional(metadata, "density");
    const struct tree *calibration = fields_optional(metadata, "calibration");
    load->calibration =
        calibration && calibration->kind == TREE_TEXT ? calibration->text.bytes : "";
    load->bits = bits != NULL;
    load->density = density && density->kind == TREE_TEXT ? density->text.bytes : "";
    if (bits && (bits->kind != TREE_TEXT || strcmp(bits->text.bytes, "true") != 0))
        return invalid(load->ctx, "it is said to count bits, or not");
    if (load->bits && load->tensors[TENSOR_CENTRE].present)
        return invalid(load->ctx, "bits have no centre");
    if ((density != NULL) != load->tensors[TENSOR_MEAN].present)
        return invalid(load->ctx, "it has a density of no kind, or a kind without a density");
    if ((calibration != NULL) != load->tensors[TENSOR_CALIBRATION].present)
        return invalid(load->ctx, "its calibration has no method, or a method no numbers");
    return SEPAL_OK;
}

/* The rule of decision, of a model that keeps one. */
static sepal_status read_kept_rule(struct loading *load, struct fields *metadata) {
    struct kept_rule *kept_rule = &load->model->kept_rule;
    const struct tree *decide = fields_optional(metadata, "decide");
    if (!decide)
        return load->tensors[TENSOR_CUTOFF].present ? invalid(load->ctx, "its cutoff has no rule")
                                                    : SEPAL_OK;
    const char *ambiguous = fields_text(metadata, "ambiguous");
    TRY(metadata->status);
    const char *word = decide->kind == TREE_TEXT ? decide->text.bytes : "";
    int rule = decision_find(word);
    int region = word_at(ambiguous, ambiguous_names, AMBIGUITIES);
    if (rule == DECISIONS || region == AMBIGUITIES)
        return invalid(load->ctx, "there is no such rule of decision");
    kept_rule->decide = rule;
    kept_rule->ambiguous = (enum ambiguous)region;
    load->ruled = true;
    return SEPAL_OK;
}

/* The JSON of a part that only some models have. */
static sepal_status find_part(const char **out, struct loading *load, struct fields *metadata,
                              const char *name) {
    const struct tree *value = fields_optional(metadata, name);
    *out = value && value->kind == TREE_TEXT ? value->text.bytes : NULL;
    return value && !*out ? invalid(load->ctx, "its %s is not a text", name) : SEPAL_OK;
}

/* Any version may have written the file, but it had a name like one. */
static sepal_status check_writer(struct loading *load, const char *version) {
    enum { LONGEST = 32 };
    size_t length = strspn(version, "0123456789.+-abcdefghijklmnopqrstuvwxyz");
    return length > 0 && length <= LONGEST && version[length] == '\0'
               ? SEPAL_OK
               : invalid(load->ctx, "the version of sepal that wrote it is none");
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
    TRY(read_parts(load, &fields));
    TRY(read_kept_rule(load, &fields));
    TRY(find_part(&load->summary, load, &fields, "summary"));
    TRY(find_part(&load->bootstrap, load, &fields, "bootstrap"));
    TRY(find_list(load, &load->json.classes, &fields, TENSOR_CLASSES));
    const char *facts = fields_text(&fields, "schema");
    TRY(find_list(load, &load->json.columns, &fields, TENSOR_COLUMNS));
    const char *training = fields_text(&fields, "training");
    TRY(fields_end(&fields));
    if (!load->json.classes.bytes) return invalid(load->ctx, "it has no classes");
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
        uint64_t bits = model_u64(load->file.bytes + tensor->at + i * sizeof bits);
        memcpy(&out[i], &bits, sizeof bits);
        if (!isfinite(out[i]))
            return invalid(load->ctx, "number %zu of '%s' is not finite", i,
                           model_tensors[which].name);
    }
    return SEPAL_OK;
}

/* The array of a tensor, in memory of the kind that linear_clear gives back. */
static sepal_status read_array(double **out, struct loading *load, enum model_tensor which) {
    const struct tensor *tensor = &load->tensors[which];
    if (!tensor->present) return SEPAL_OK;
    *out = mem_alloc(load->ctx, tensor->shape[0], tensor->shape[1] * sizeof **out);
    return *out ? read_doubles(load, *out, which) : SEPAL_EMEMORY;
}

static bool all_positive(const double *numbers, size_t n) {
    size_t i = 0;
    while (i < n && numbers[i] > 0) i++;
    return i == n;
}

/* The diagonals of triangular factors, or standard deviations. */
static bool roots_are_positive(const struct density *density) {
    size_t n = density_root_size(density->kind, density->forms, density->cols);
    if (density->kind != DENSITY_SHARED && density->kind != DENSITY_FULL)
        return all_positive(density->root, n);
    for (size_t row = 0; row < n / density->cols; row++)
        if (!(density->root[row * density->cols + row % density->cols] > 0)) return false;
    return true;
}

static sepal_status read_density(struct loading *load) {
    struct linear *linear = &load->model->linear;
    struct tensor *const t = load->tensors;
    int kind = 0;
    if (!t[TENSOR_MEAN].present)
        return t[TENSOR_ROOT].present || t[TENSOR_CONSTANT].present
                   ? invalid(load->ctx, "its density has no means")
                   : SEPAL_OK;
    while (kind < DENSITY_KINDS && strcmp(load->density, density_names[kind]) != 0) kind++;
    if (kind == DENSITY_KINDS) return invalid(load->ctx, "there is no such density");
    size_t forms = t[TENSOR_MEAN].shape[0], cols = linear->cols;
    size_t root = density_root_size((enum density_kind)kind, forms, cols);
    size_t width = kind == DENSITY_SPHERICAL ? 1 : cols;
    bool shaped = t[TENSOR_MEAN].shape[1] == cols && t[TENSOR_CONSTANT].present &&
                  t[TENSOR_CONSTANT].shape[1] == forms && t[TENSOR_ROOT].present == (root > 0) &&
                  (root == 0 ||
                   (t[TENSOR_ROOT].shape[1] == width && root / width == t[TENSOR_ROOT].shape[0]));
    if (!shaped) return invalid(load->ctx, "the parts of its density do not fit together");
    TRY(density_new(&linear->density, load->ctx, (enum density_kind)kind, forms, cols));
    TRY(read_doubles(load, linear->density->mean, TENSOR_MEAN));
    TRY(read_doubles(load, linear->density->constant, TENSOR_CONSTANT));
    if (root) TRY(read_doubles(load, linear->density->root, TENSOR_ROOT));
    bool quadratic = density_is_quadratic(linear->density);
    bool fits = quadratic
                    ? forms == 2 * linear->rows || (forms == linear->rows && load->strategy->joint)
                    : forms == load->classes;
    if (!fits)
        return invalid(load->ctx, "%zu forms of its density are not as many as they should", forms);
    return root == 0 || roots_are_positive(linear->density)
               ? SEPAL_OK
               : invalid(load->ctx, "a spread of its density is not positive");
}

/* The cutoff, and whether this model can be decided so. */
static sepal_status read_cutoff(struct loading *load) {
    struct kept_rule *kept_rule = &load->model->kept_rule;
    const struct tensor *tensor = &load->tensors[TENSOR_CUTOFF];
    if (!load->ruled) return SEPAL_OK;
    if (tensor->present) {
        if (tensor->shape[1] != 1) return invalid(load->ctx, "it has several cutoffs");
        kept_rule->cutoff =
            arena_alloc(load->ctx, &load->model->arena, 1, sizeof *kept_rule->cutoff);
        if (!kept_rule->cutoff) return SEPAL_EMEMORY;
        TRY(read_doubles(load, kept_rule->cutoff, TENSOR_CUTOFF));
    }
    return kept_rule_is_sound(load->model)
               ? SEPAL_OK
               : invalid(load->ctx, "it cannot be decided by its own rule");
}

static sepal_status read_calibration(struct loading *load) {
    struct linear *linear = &load->model->linear;
    const struct tensor *tensor = &load->tensors[TENSOR_CALIBRATION];
    int kind = word_at(load->calibration, calibration_names, CALIBRATIONS);
    if (!tensor->present) return SEPAL_OK;
    if (kind == CALIBRATIONS) return invalid(load->ctx, "there is no such calibration");
    if (tensor->shape[1] != calibration_width((enum calibration_kind)kind))
        return invalid(load->ctx, "the numbers of its calibration are those of another");
    TRY(calibration_new(&linear->calibration, load->ctx, (enum calibration_kind)kind, load->classes,
                        tensor->shape[0]));
    linear->link = LINK_CALIBRATED;
    TRY(read_doubles(load, linear->calibration->numbers, TENSOR_CALIBRATION));
    return calibration_is_sound(linear->calibration)
               ? SEPAL_OK
               : invalid(load->ctx, "the numbers of its calibration cannot be");
}

static sepal_status read_linear(struct loading *load) {
    struct linear *linear = &load->model->linear;
    const struct tensor *t = load->tensors;
    size_t cols = t[TENSOR_WEIGHTS].shape[1];
    TRY(linear_init_rows(linear, load->ctx, load->classes, load->strategy, cols,
                         t[TENSOR_CENTRE].present));
    linear->bits = load->bits;
    linear->link = pipeline_link(&load->pipeline, load->classes);
    TRY(read_doubles(load, linear->w, TENSOR_WEIGHTS));
    TRY(read_doubles(load, linear->b, TENSOR_BIAS));
    if (linear->centre) TRY(read_doubles(load, linear->centre, TENSOR_CENTRE));
    if (t[TENSOR_PRIORS].present && t[TENSOR_PRIORS].shape[1] != load->classes)
        return invalid(load->ctx, "it has %zu priors", t[TENSOR_PRIORS].shape[1]);
    if (t[TENSOR_AXES].present && (t[TENSOR_AXES].shape[1] != cols || !t[TENSOR_AXES].shape[0]))
        return invalid(load->ctx, "its axes have other columns than its weights");
    TRY(read_array(&linear->priors, load, TENSOR_PRIORS));
    if (linear->priors && !all_positive(linear->priors, load->classes))
        return invalid(load->ctx, "a prior is not positive");
    TRY(read_array(&linear->axes, load, TENSOR_AXES));
    linear->n_axes = linear->axes ? t[TENSOR_AXES].shape[0] : 0;
    TRY(read_density(load));
    return read_calibration(load);
}

/* What inference has added: the JSON says what the tensor is about. */
static sepal_status read_inference(struct loading *load) {
    sepal_model *model = load->model;
    const struct tensor *t = load->tensors;
    struct terms terms = {0};
    if (load->summary || load->bootstrap)
        TRY(model_terms(&terms, load->ctx, &load->arena, model, &load->pipeline));
    const struct summary_reading from = {.ctx = load->ctx,
                                         .arena = &load->arena,
                                         .model = model,
                                         .pipeline = &load->pipeline,
                                         .terms = &terms};
    bool estimates = false;
    size_t functions = terms_functions(&terms, &model->linear);
    if (load->summary) TRY(summary_read(&model->linear.summary, &from, load->summary));
    if (model->linear.summary) estimates = model->linear.summary->estimate != NULL;
    if (t[TENSOR_SUMMARY].present != estimates ||
        (estimates &&
         (t[TENSOR_SUMMARY].shape[0] != 2 * functions || t[TENSOR_SUMMARY].shape[1] != terms.n)))
        return invalid(load->ctx, "its estimates do not fit its summary");
    if (estimates) TRY(read_doubles(load, model->linear.summary->estimate, TENSOR_SUMMARY));
    bool resampled = load->bootstrap != NULL;
    if (t[TENSOR_BOOTSTRAP].present != resampled ||
        (resampled && (t[TENSOR_BOOTSTRAP].shape[0] != 4 * functions ||
                       t[TENSOR_BOOTSTRAP].shape[1] != terms.n)))
        return invalid(load->ctx, "its bootstrap has other terms than its weights");
    if (resampled) {
        TRY(bootstrap_read(&model->linear.bootstrap, &from, load->bootstrap));
        TRY(read_doubles(load, model->linear.bootstrap->count, TENSOR_BOOTSTRAP));
    }
    return summary_check(load->ctx, &model->linear);
}

/* The maps of the spec, with what each has learnt. */
static sepal_status read_chain(struct loading *load) {
    struct map_chain *chain = &load->model->chain;
    *chain = load->pipeline.chain;
    if (map_chain_plan(chain, load->ctx, load->model->schema->width) != SEPAL_OK)
        return invalid(load->ctx, "its maps do not fit its columns");
    for (size_t m = 0; m < MAP_CHAIN_MOST; m++) {
        const struct tensor *tensor = &load->tensors[TENSOR_MAPS + m];
        const size_t *shape = m < chain->n ? chain->maps[m].shape : (size_t[2]){0, 0};
        bool learns = shape[0] > 0;
        if (tensor->present != learns ||
            (learns && (tensor->shape[0] != shape[0] || tensor->shape[1] != shape[1])))
            return invalid(load->ctx, "the numbers of map %zu do not fit it", m + 1);
        if (!learns) continue;
        struct fitted_map *map = &chain->maps[m];
        map->numbers =
            arena_alloc(load->ctx, &load->model->arena, shape[0], shape[1] * sizeof *map->numbers);
        if (!map->numbers) return SEPAL_EMEMORY;
        TRY(read_doubles(load, map->numbers, (enum model_tensor)(TENSOR_MAPS + m)));
        if (map->map->sound && !map->map->sound(map))
            return invalid(load->ctx, "the numbers of map %zu cannot be", m + 1);
    }
    if (map_chain_width(chain, load->model->schema->width) !=
        load->tensors[TENSOR_WEIGHTS].shape[1])
        return invalid(load->ctx, "its maps make other columns than its weights are for");
    sepal_status status = map_chain_prepare(chain, load->ctx, &load->model->arena);
    return status == SEPAL_EDATA ? invalid(load->ctx, "the numbers of its maps cannot be") : status;
}

/* The JSON of the header; blanks fill it up to the alignment, but no further. */
static sepal_status load_read_header(const struct tree **metadata, struct loading *load) {
    struct slice text = {load->file.bytes + MODEL_LENGTH_BYTES,
                         load->file.data_at - MODEL_LENGTH_BYTES};
    size_t blanks = 0;
    /* never: blanks alone, it begins with a brace */
    while (blanks < text.length && text.bytes[text.length - 1 - blanks] == ' ') blanks++;
    if (blanks >= MODEL_ALIGNMENT)
        return invalid(load->ctx, "its header has %zu blanks at the end", blanks);
    text.length -= blanks;
    struct tree *root;
    TRY(json_read_small(&root, load->ctx, &load->arena, text));
    struct fields header = fields_open(load->ctx, root, "header");
    *metadata = fields_take(&header, "__metadata__");
    return read_tensors(load, &header);
}

static sepal_status read_model(struct loading *load) {
    const struct tree *metadata = NULL;
    TRY(model_bytes_header(&load->file));
    TRY(load_read_header(&metadata, load));
    TRY(model_bytes_rest(&load->file));
    load->model = model_new(load->ctx);
    if (!load->model) return SEPAL_EMEMORY;
    TRY(read_metadata(load, metadata));
    struct schema *schema;
    size_t width = load->pipeline.chain.n ? SIZE_MAX : load->tensors[TENSOR_WEIGHTS].shape[1];
    TRY(schema_read(&schema, load->ctx, &load->json, load->classes, width));
    load->model->schema = schema;
    TRY(read_chain(load));
    TRY(read_linear(load));
    TRY(read_inference(load));
    TRY(read_cutoff(load));
    return model_finish(load->model, load->ctx);
}

/* What `load` has opened is closed in any case. */
static sepal_status load_model(sepal_model **out, struct loading *load) {
    sepal_status status = read_model(load);
    if (status == SEPAL_EMODEL && load->file.in.name)
        fail_place(load->ctx, load->file.in.name, 0, 0);
    model_bytes_close(&load->file);
    arena_clear(&load->arena);
    if (status == SEPAL_OK)
        *out = load->model;
    else
        model_free(load->model);
    return status;
}

sepal_status model_load(sepal_model **out, sepal_ctx *ctx, const char *path) {
    *out = NULL;
    struct loading load = {.ctx = ctx};
    TRY(model_bytes_open(&load.file, ctx, path));
    return load_model(out, &load);
}

sepal_status model_from_memory(sepal_model **out, sepal_ctx *ctx, const void *bytes, size_t n) {
    *out = NULL;
    struct loading load = {.ctx = ctx};
    model_bytes_lend(&load.file, ctx, bytes, n);
    return load_model(out, &load);
}
