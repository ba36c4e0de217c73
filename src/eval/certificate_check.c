/* sepal separable --check: judge the proofs of a certificate file against data. The file may hold
   anything. No code of the solvers is used here or in what is called: linear/certificate*.c judge. */
#include "eval/separability.h"

#include "core/alloc.h"
#include "core/io.h"

#include <math.h>
#include <string.h>

struct certificate_checking {
    sepal_ctx *ctx;
    struct arena arena;
    struct mapped_rows rows;
    const struct tree *file;
    int8_t *side;
    size_t judged; /* proofs that hold */
};

/* ---- members of objects -------------------------------------------------------------------- */

static sepal_status certificate_refuse(const struct certificate_checking *c, const char *where,
                                       const char *what) {
    return fail(c->ctx, SEPAL_EDATA, "the certificate does not hold: %s%s%s", where,
                *where ? ": " : "", what);
}

static const struct tree *certificate_find(const struct tree *object, const char *key,
                                           enum tree_kind kind) {
    const struct tree *member = object->kind == TREE_OBJECT ? tree_find(object, key) : NULL;
    return member && member->kind == kind ? member : NULL;
}

/* The numbers of an array of that many. */
static sepal_status certificate_read_numbers(const struct certificate_checking *c,
                                             const char *where, const struct tree *list, size_t n,
                                             double *out) {
    if (!list || list->kind != TREE_ARRAY || list->count != n)
        return certificate_refuse(
            c, where, "a list of numbers is missing or of another length than the data's");
    for (const struct tree *one = list->first; one; one = one->next) {
        if (one->kind != TREE_NUMBER) return certificate_refuse(c, where, "a number is missing");
        *out++ = one->number;
    }
    return SEPAL_OK;
}

static size_t class_number(const struct certificate_checking *c, const struct tree *label) {
    const struct schema *schema = c->rows.data->schema;
    for (size_t k = 0; label->kind == TREE_TEXT && k < schema->n_classes; k++)
        if (slice_is(label->text, schema->classes[k])) return k;
    return SIZE_MAX;
}

/* ---- proofs -------------------------------------------------------------------------------- */

static sepal_status read_plane(struct certificate_checking *c, const char *where,
                               const struct question *q, const struct tree *proof,
                               struct certificate *out) {
    size_t cols = q->x->cols, planes = q->side ? 1 : q->classes;
    out->kind = CERTIFICATE_PLANE;
    out->w = arena_alloc(c->ctx, &c->arena, planes, cols * sizeof *out->w);
    out->b = arena_alloc(c->ctx, &c->arena, planes, sizeof *out->b);
    if (!out->w || !out->b) return SEPAL_EMEMORY;
    const struct tree *w = tree_find(proof, "w"), *b = tree_find(proof, "b");
    if (q->side) {
        if (!b || b->kind != TREE_NUMBER) return certificate_refuse(c, where, "b is not a number");
        *out->b = b->number;
        return certificate_read_numbers(c, where, w, cols, out->w);
    }
    if (!w || w->kind != TREE_ARRAY || w->count != planes)
        return certificate_refuse(c, where, "w has not a row for every class");
    size_t k = 0;
    for (const struct tree *row = w->first; row; row = row->next)
        TRY(certificate_read_numbers(c, where, row, cols, out->w + k++ * cols));
    return certificate_read_numbers(c, where, b, planes, out->b);
}

static sepal_status read_multipliers(struct certificate_checking *c, const char *where,
                                     const struct tree *list, struct certificate *out) {
    if (list->first && list->first->kind == TREE_NUMBER) {
        out->multipliers = arena_alloc(c->ctx, &c->arena, out->n, sizeof *out->multipliers);
        if (!out->multipliers) return SEPAL_EMEMORY;
        return certificate_read_numbers(c, where, list, out->n, out->multipliers);
    }
    out->integers = arena_alloc(c->ctx, &c->arena, out->n, sizeof *out->integers);
    if (!out->integers) return SEPAL_EMEMORY;
    size_t i = 0;
    for (const struct tree *one = list->first; one; one = one->next) {
        if (one->kind != TREE_TEXT)
            return certificate_refuse(c, where,
                                      "multipliers are all numbers or all whole numbers in quotes");
        out->integers[i++] = one->text.bytes;
    }
    return SEPAL_OK;
}

static sepal_status read_rivals(struct certificate_checking *c, const char *where,
                                const struct tree *list, struct certificate *out) {
    if (!list || list->count != out->n)
        return certificate_refuse(c, where, "every row needs a rival");
    out->rivals = arena_alloc(c->ctx, &c->arena, out->n, sizeof *out->rivals);
    if (!out->rivals) return SEPAL_EMEMORY;
    size_t i = 0;
    for (const struct tree *one = list->first; one; one = one->next) {
        size_t k = class_number(c, one);
        if (k == SIZE_MAX) return certificate_refuse(c, where, "a rival is no class of the data");
        out->rivals[i++] = (int32_t)k;
    }
    return SEPAL_OK;
}

static sepal_status read_gordan(struct certificate_checking *c, const char *where,
                                const struct question *q, const struct tree *proof,
                                struct certificate *out) {
    const struct tree *rows = certificate_find(proof, "rows", TREE_ARRAY);
    const struct tree *multipliers = certificate_find(proof, "multipliers", TREE_ARRAY);
    if (!rows || !multipliers || rows->count != multipliers->count)
        return certificate_refuse(c, where, "rows and multipliers are missing or not as many");
    out->kind = CERTIFICATE_GORDAN;
    out->n = rows->count;
    out->rows = arena_alloc(c->ctx, &c->arena, out->n, sizeof *out->rows);
    if (!out->rows) return SEPAL_EMEMORY;
    size_t i = 0;
    for (const struct tree *one = rows->first; one; one = one->next) {
        bool fine = one->kind == TREE_NUMBER && one->number >= 0 && one->number < 0x1p53 &&
                    one->number == floor(one->number);
        size_t row = fine ? matrix_find_number(q->x, (size_t)one->number) : SIZE_MAX;
        if (row == SIZE_MAX)
            return certificate_refuse(
                c, where, "a row is no row number of the data, or that of a row left out");
        out->rows[i++] = row;
    }
    if (!q->side) TRY(read_rivals(c, where, certificate_find(proof, "rivals", TREE_ARRAY), out));
    return read_multipliers(c, where, multipliers, out);
}

/* One claim with its proof. A claim of nothing needs none. */
static sepal_status judge_claim(struct certificate_checking *c, const char *where,
                                const struct question *q, const struct tree *claim) {
    const struct tree *answer = tree_find(claim, "separable");
    const struct tree *proof = tree_find(claim, "certificate");
    if (answer && answer->kind == TREE_NULL && (!proof || proof->kind == TREE_NULL))
        return SEPAL_OK;
    if (!proof || proof->kind != TREE_OBJECT)
        return certificate_refuse(c, where, "there is no proof");
    const struct tree *kind = certificate_find(proof, "kind", TREE_TEXT);
    bool gordan = kind && slice_is(kind->text, "gordan");
    bool plane = kind && slice_is(kind->text, q->side ? "hyperplane" : "machine");
    if (!gordan && !plane) return certificate_refuse(c, where, "its kind is not known");
    if (answer && (answer->kind != TREE_BOOL || answer->truth != plane))
        return certificate_refuse(c, where, "the proof is not one of what is claimed");
    struct certificate certificate = {0};
    TRY(plane ? read_plane(c, where, q, proof, &certificate)
              : read_gordan(c, where, q, proof, &certificate));
    struct verdict verdict;
    TRY(certificate_judge(&verdict, c->ctx, q, &certificate));
    if (!verdict.holds) return certificate_refuse(c, where, verdict.why);
    c->judged++;
    return SEPAL_OK;
}

/* ---- the file ------------------------------------------------------------------------------ */

static sepal_status judge_pairs(struct certificate_checking *c, const struct question *q) {
    const struct tree *list = tree_find(c->file, "pairs");
    for (const struct tree *one = list ? list->first : NULL; one; one = one->next) {
        const struct tree *classes = certificate_find(one, "classes", TREE_ARRAY);
        if (!classes || classes->count != 2)
            return certificate_refuse(c, "a pair", "it has not two classes");
        size_t first = class_number(c, classes->first), second = class_number(c, classes->last);
        if (first == SIZE_MAX || second == SIZE_MAX || first == second)
            return certificate_refuse(c, "a pair", "its classes are not two of the data");
        char where[TEXT_SHOWN_BYTES];
        text_shown(where, classes->first->text.bytes, classes->first->text.length);
        sides_of_pair(c->side, c->rows.data, first, second);
        TRY(judge_claim(c, where, q, one));
    }
    return SEPAL_OK;
}

static sepal_status judge_rest(struct certificate_checking *c, const struct question *q) {
    const struct tree *list = tree_find(c->file, "rest");
    for (const struct tree *one = list ? list->first : NULL; one; one = one->next) {
        const struct tree *class = certificate_find(one, "class", TREE_TEXT);
        size_t k = class ? class_number(c, class) : SIZE_MAX;
        if (k == SIZE_MAX)
            return certificate_refuse(c, "a class against the rest", "it is none of the data");
        sides_of_rest(c->side, c->rows.data, k);
        TRY(judge_claim(c, c->rows.data->schema->classes[k], q, one));
    }
    return SEPAL_OK;
}

static sepal_status judge_all(struct certificate_checking *c) {
    const sepal_data *data = c->rows.data;
    size_t classes = data->schema->n_classes;
    struct question q = {.x = c->rows.x, .side = c->side, .bias = true};
    struct question machine = {
        .x = c->rows.x, .label = data->label, .classes = classes, .bias = true};
    sides_of_pair(c->side, data, 0, 1);
    /* a certificate as reports have it may stand alone */
    struct tree alone = *c->file;
    struct tree wrapper = {.kind = TREE_OBJECT, .first = &alone, .last = &alone, .count = 1};
    alone.key = "certificate";
    alone.next = NULL;
    const struct tree *claim = tree_find(c->file, "kind") ? &wrapper : c->file;
    TRY(judge_claim(c, "", classes == 2 ? &q : &machine, claim));
    TRY(judge_pairs(c, &q));
    TRY(judge_rest(c, &q));
    return c->judged ? SEPAL_OK : certificate_refuse(c, "", "it proves nothing");
}

/* What the file says about the data it was made for. */
static sepal_status check_subject(struct certificate_checking *c) {
    const struct tree *rows = certificate_find(c->file, "rows", TREE_NUMBER);
    const struct tree *columns = certificate_find(c->file, "columns", TREE_NUMBER);
    const struct tree *labels = certificate_find(c->file, "labels", TREE_ARRAY);
    const struct schema *schema = c->rows.data->schema;
    if (rows && rows->number != (double)c->rows.x->rows)
        return fail(c->ctx, SEPAL_EDATA,
                    "the certificate is for other data: for %.0f rows, and these are %zu",
                    rows->number, c->rows.x->rows);
    if (columns && columns->number != (double)c->rows.x->cols)
        return fail(c->ctx, SEPAL_EDATA,
                    "the certificate is for other data: for %.0f columns, and these are %zu",
                    columns->number, c->rows.x->cols);
    size_t k = 0;
    bool same = !labels || labels->count == schema->n_classes;
    for (const struct tree *one = labels ? labels->first : NULL; one && same; one = one->next)
        same = one->kind == TREE_TEXT && slice_is(one->text, schema->classes[k++]);
    if (same) return SEPAL_OK;
    return fail(c->ctx, SEPAL_EDATA,
                "the certificate is for other data: its labels are not those of these rows");
}

static sepal_status check_sum(const struct certificate_checking *c) {
    const struct tree *sum = tree_find(c->file, "checksum");
    char digits[CERTIFICATE_SUM_BYTES];
    if (!sum) return SEPAL_OK;
    TRY(certificate_sum(digits, c->ctx, c->file));
    if (sum->kind == TREE_TEXT && slice_is(sum->text, digits)) return SEPAL_OK;
    return fail(c->ctx, SEPAL_EDATA,
                "the certificate was changed after it was written: its checksum is another one");
}

/* The maps are those of the file; others, if given, have to be the same. */
static sepal_status certificate_check_maps(struct certificate_checking *c, const sepal_data *data,
                                           const char *maps) {
    const struct tree *own = certificate_find(c->file, "maps", TREE_TEXT);
    sepal_status status = mapped_rows_make(&c->rows, c->ctx, data, own ? own->text.bytes : maps);
    if (status != SEPAL_OK || !own || !maps || !*maps) return status;
    struct mapped_rows given;
    status = mapped_rows_make(&given, c->ctx, data, maps);
    bool same = status == SEPAL_OK && strcmp(given.maps, c->rows.maps) == 0;
    mapped_rows_clear(&given);
    if (status != SEPAL_OK || same) return status;
    return fail(c->ctx, SEPAL_EDATA,
                "the certificate is about '%.200s', not about the maps given; leave -m out",
                *c->rows.maps ? c->rows.maps : "identity");
}

static sepal_status certificate_run(struct certificate_checking *c, const sepal_data *data,
                                    const char *maps, struct slice json) {
    struct tree *file = NULL;
    TRY(json_read(&file, c->ctx, &c->arena, json, SEPAL_EDATA));
    if (file->kind != TREE_OBJECT)
        return fail(c->ctx, SEPAL_EDATA, "a certificate is a JSON object, and this is none");
    c->file = file;
    TRY(check_sum(c));
    TRY(certificate_check_maps(c, data, maps));
    TRY(check_subject(c));
    c->side = arena_alloc(c->ctx, &c->arena, data->matrix.rows, sizeof *c->side);
    return c->side ? judge_all(c) : SEPAL_EMEMORY;
}

sepal_status certificate_check(sepal_ctx *ctx, const sepal_data *data, const char *maps,
                               const char *path) {
    struct certificate_checking c = {.ctx = ctx};
    char *bytes = NULL;
    size_t size = 0;
    TRY(input_slurp(&bytes, &size, ctx, path, SEPAL_EDATA));
    sepal_status status = certificate_run(&c, data, maps, (struct slice){bytes, size});
    if (status == SEPAL_EDATA && !*ctx->error.file) fail_place(ctx, path, 0, 0);
    mem_free(bytes);
    mapped_rows_clear(&c.rows);
    arena_clear(&c.arena);
    return status;
}
