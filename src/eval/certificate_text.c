/* Certificates as JSON: in reports, and as files of their own with a checksum. */
#include "eval/separability.h"

#include "model/checksum.h"

#include <string.h>

static void put_plane(struct tree_maker *make, struct tree *out, const struct question *q,
                      const struct certificate *c) {
    size_t cols = q->x->cols;
    tree_text(make, out, "kind", q->side ? "hyperplane" : "machine");
    if (q->side) {
        tree_numbers(make, out, "w", c->w, cols);
        tree_number(make, out, "b", c->b[0]);
        return;
    }
    struct tree *w = tree_array(make, out, "w");
    for (size_t k = 0; k < q->classes; k++) tree_numbers(make, w, NULL, c->w + k * cols, cols);
    tree_numbers(make, out, "b", c->b, q->classes);
}

static void put_gordan(struct tree_maker *make, struct tree *out, const struct question *q,
                       const struct certificate *c, const sepal_data *data) {
    tree_text(make, out, "kind", "gordan");
    struct tree *rows = tree_array(make, out, "rows");
    for (size_t i = 0; i < c->n; i++)
        tree_number(make, rows, NULL, (double)matrix_row_number(q->x, c->rows[i]));
    if (c->rivals) {
        struct tree *rivals = tree_array(make, out, "rivals");
        for (size_t i = 0; i < c->n; i++)
            tree_text(make, rivals, NULL, data->schema->classes[c->rivals[i]]);
    }
    struct tree *multipliers = tree_array(make, out, "multipliers");
    for (size_t i = 0; i < c->n; i++) {
        if (c->integers)
            tree_text(make, multipliers, NULL, c->integers[i]);
        else
            tree_number(make, multipliers, NULL, c->multipliers[i]);
    }
}

void certificate_put(struct tree_maker *make, struct tree *parent, const struct question *q,
                     const struct certificate *c, const sepal_data *data) {
    if (c->kind == CERTIFICATE_NONE) {
        tree_null(make, parent, "certificate");
        return;
    }
    struct tree *out = tree_object(make, parent, "certificate");
    if (c->kind == CERTIFICATE_PLANE)
        put_plane(make, out, q, c);
    else
        put_gordan(make, out, q, c, data);
}

/* What a proof needs of an answer. */
static void copy_outcome(struct tree_maker *make, struct tree *to, const struct tree *from) {
    static const char *const keys[] = {"classes", "class", "separable", "certificate"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct tree *member = tree_find(from, keys[i]);
        if (member) tree_copy(make, to, keys[i], member);
    }
}

static void copy_list(struct tree_maker *make, struct tree *to, const struct tree *report,
                      const char *key) {
    const struct tree *list = tree_find(report, key);
    if (!list) return;
    struct tree *copy = tree_array(make, to, key);
    for (const struct tree *one = list->first; one; one = one->next)
        copy_outcome(make, tree_object(make, copy, NULL), one);
}

sepal_status certificate_sum(char out[CERTIFICATE_SUM_BYTES], sepal_ctx *ctx,
                             const struct tree *file) {
    struct text text = {0};
    uint64_t sum = 0;
    for (const struct tree *member = file->first; member; member = member->next) {
        if (strcmp(member->key, "checksum") == 0) continue;
        text.length = 0;
        text_printf(ctx, &text, "%s:", member->key);
        json_print(ctx, &text, member, 0);
        if (text.failed) break;
        sum = checksum_add(sum, text.bytes, text.length);
    }
    checksum_print(out, sum);
    out[CHECKSUM_DIGITS] = '\0';
    bool failed = text.failed;
    text_clear(&text);
    return failed ? SEPAL_EMEMORY : SEPAL_OK;
}

static sepal_status print_file(char **out, struct tree_maker *make, const struct mapped_rows *rows,
                               const struct tree *report) {
    struct tree *file = tree_object(make, NULL, NULL);
    const struct schema *schema = rows->data->schema;
    tree_text(make, file, "format", "sepal certificate 1");
    tree_text(make, file, "maps", rows->maps);
    tree_number(make, file, "rows", (double)rows->x->rows);
    tree_number(make, file, "columns", (double)rows->x->cols);
    tree_texts(make, file, "labels", schema->classes, schema->n_classes);
    copy_outcome(make, file, report);
    copy_list(make, file, report, "pairs");
    copy_list(make, file, report, "rest");
    if (make->failed) return SEPAL_EMEMORY;
    char sum[CERTIFICATE_SUM_BYTES];
    TRY(certificate_sum(sum, make->ctx, file));
    tree_text(make, file, "checksum", sum);
    if (make->failed) return SEPAL_EMEMORY;
    struct text text = {0};
    json_print(make->ctx, &text, file, 2);
    text_puts(make->ctx, &text, "\n");
    *out = text_take(make->ctx, &text);
    return *out ? SEPAL_OK : SEPAL_EMEMORY;
}

sepal_status certificate_text(char **out, sepal_ctx *ctx, const struct mapped_rows *rows,
                              const struct tree *report) {
    struct arena arena = {0};
    struct tree_maker make = {.ctx = ctx, .arena = &arena};
    *out = NULL;
    sepal_status status = print_file(out, &make, rows, report);
    arena_clear(&arena);
    return status;
}
