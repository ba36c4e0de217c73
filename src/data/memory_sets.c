/* Sets of labels from memory: a byte for each row and label. */
#include "data/memory.h"

#include "core/alloc.h"
#include "data/classes.h"

#include <stdio.h>
#include <string.h>

static sepal_status check_sets(sepal_ctx *ctx, const sepal_input *in) {
    if (in->labels || in->label_numbers)
        return fail(ctx, SEPAL_EUSAGE,
                    "there is a label for each row, and a set of labels; give one of them");
    if (!in->label_bits || in->label_count == 0)
        return fail(ctx, SEPAL_EUSAGE,
                    "sets of labels need label_count of at least 1, and label_bits");
    if (in->label_count > SIZE_MAX / in->rows)
        return fail(ctx, SEPAL_EDATA, "%zu x %zu label bits are more than there can be", in->rows,
                    in->label_count);
    return SEPAL_OK;
}

/* Class label_of[k] is label k. Each label is another one. */
static sepal_status learn_names(int32_t *label_of, struct schema *schema, sepal_ctx *ctx,
                                struct tokens *texts, const sepal_input *in) {
    for (size_t k = 0; k < in->label_count; k++) {
        char digits[24];
        (void)snprintf(digits, sizeof digits, "%zu", k + 1);
        const char *name = in->label_names ? in->label_names[k] : digits;
        struct slice text = {name ? name : "", name ? strlen(name) : 0};
        uint32_t number;
        bool fresh;
        if (label_is_missing(text) || utf8_valid_prefix(text.bytes, text.length) < text.length)
            return fail(ctx, SEPAL_EDATA, "the name of label %zu is missing or not UTF-8", k + 1);
        TRY(tokens_add(texts, ctx, text, &number, &fresh));
        if (!fresh)
            return fail(ctx, SEPAL_EDATA, "two labels are called '%.60s'; rename one", name);
    }
    TRY(classes_learn(schema, ctx, texts, label_of));
    if (schema->n_classes == in->label_count) return SEPAL_OK;
    return fail(ctx, SEPAL_EDATA, "two labels are the same number; rename one");
}

/* The sets in label order: `at[c]` is the place of class c among the bits. */
static sepal_status memory_fill_sets(sepal_data *data, sepal_ctx *ctx, const sepal_input *in,
                                     const size_t *at) {
    size_t used = 0, labels = in->label_count;
    for (size_t i = 0; i < in->rows * labels; i++) used += in->label_bits[i] != 0;
    data->set_start = mem_zero(ctx, in->rows + 1, sizeof *data->set_start);
    data->set = mem_alloc(ctx, used, sizeof *data->set);
    if (!data->set_start || !data->set) return SEPAL_EMEMORY;
    used = 0;
    for (size_t i = 0; i < in->rows; i++) {
        for (size_t c = 0; c < labels; c++)
            if (in->label_bits[i * labels + at[c]]) data->set[used++] = (int32_t)c;
        data->set_start[i + 1] = used;
    }
    return SEPAL_OK;
}

sepal_status memory_sets(sepal_data *data, struct schema *schema, sepal_ctx *ctx,
                         const sepal_input *in) {
    struct tokens texts = {0};
    TRY(check_sets(ctx, in));
    data->first_set.file = "";
    int32_t *label_of = arena_alloc(ctx, &data->arena, in->label_count, sizeof *label_of);
    size_t *at = arena_alloc(ctx, &data->arena, in->label_count, sizeof *at);
    if (!label_of || !at) return SEPAL_EMEMORY;
    sepal_status status = learn_names(label_of, schema, ctx, &texts, in);
    tokens_clear(&texts);
    TRY(status);
    for (size_t k = 0; k < in->label_count; k++) at[label_of[k]] = k;
    return memory_fill_sets(data, ctx, in, at);
}
