/* Labels and weights of rows from memory. */
#include "data/memory.h"

#include "core/alloc.h"
#include "core/compensated_sum.h"
#include "data/classes.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

/* ---- weights ------------------------------------------------------------------------------ */

sepal_status memory_weights(sepal_data *data, sepal_ctx *ctx, const sepal_input *in) {
    data->total_weight = (double)in->rows;
    if (!in->weights) return SEPAL_OK;
    data->weight = mem_alloc(ctx, in->rows, sizeof *data->weight);
    if (!data->weight) return SEPAL_EMEMORY;
    struct total total = {0};
    for (size_t i = 0; i < in->rows; i++) {
        if (!(in->weights[i] >= 0 && in->weights[i] <= DBL_MAX))
            return fail(ctx, SEPAL_EDATA,
                        "the weight of row %zu is not a finite number of at "
                        "least 0",
                        i + 1);
        data->weight[i] = in->weights[i];
        total_add(&total, in->weights[i]);
    }
    return data_set_total_weight(data, ctx, total_of(&total));
}

/* ---- labels ------------------------------------------------------------------------------- */

enum { SMALL_NUMBERS = 1024 };

/* The texts that have been met; those of the numbers 0, 1, ... without looking for them. */
struct label_texts {
    struct tokens texts;
    int32_t small[SMALL_NUMBERS]; /* -1: not met */
};

static sepal_status number_text(int32_t *out, sepal_ctx *ctx, struct label_texts *seen,
                                struct slice label, size_t row) {
    uint32_t number;
    bool fresh;
    if (label_is_missing(label) || utf8_valid_prefix(label.bytes, label.length) < label.length)
        return fail(ctx, SEPAL_EDATA, "the label of row %zu is missing or not UTF-8", row + 1);
    TRY(tokens_add(&seen->texts, ctx, label, &number, &fresh));
    *out = (int32_t)number;
    return SEPAL_OK;
}

static sepal_status number_whole(int32_t *out, sepal_ctx *ctx, struct label_texts *seen,
                                 int64_t label, size_t row) {
    char digits[24];
    bool small = label >= 0 && label < SMALL_NUMBERS;
    if (small && seen->small[label] >= 0) {
        *out = seen->small[label];
        return SEPAL_OK;
    }
    int length = snprintf(digits, sizeof digits, "%lld", (long long)label);
    TRY(number_text(out, ctx, seen, (struct slice){digits, (size_t)length}, row));
    if (small) seen->small[label] = *out;
    return SEPAL_OK;
}

static sepal_status number_labels_of(sepal_data *data, sepal_ctx *ctx, struct label_texts *seen,
                                     const sepal_input *in) {
    for (size_t i = 0; i < in->rows; i++) {
        data->label[i] = -1;
        if (data_weight(data, i) == 0) continue; /* a class that only such rows have is none */
        if (in->label_numbers) {
            TRY(number_whole(&data->label[i], ctx, seen, in->label_numbers[i], i));
            continue;
        }
        const char *text = in->labels[i] ? in->labels[i] : "";
        TRY(number_text(&data->label[i], ctx, seen, (struct slice){text, strlen(text)}, i));
    }
    return SEPAL_OK;
}

static sepal_status classes_of(sepal_data *data, struct schema *schema, sepal_ctx *ctx,
                               struct label_texts *seen, const sepal_input *in) {
    TRY(number_labels_of(data, ctx, seen, in));
    int32_t *class_of = arena_alloc(ctx, &data->arena, seen->texts.count, sizeof *class_of);
    if (!class_of) return SEPAL_EMEMORY;
    TRY(classes_learn(schema, ctx, &seen->texts, class_of));
    for (size_t i = 0; i < in->rows; i++)
        if (data->label[i] >= 0) data->label[i] = class_of[data->label[i]];
    return SEPAL_OK;
}

sepal_status memory_labels(sepal_data *data, struct schema *schema, sepal_ctx *ctx,
                           const sepal_input *in) {
    if (in->label_bits || in->label_count) return memory_sets(data, schema, ctx, in);
    if (!in->labels && !in->label_numbers) return SEPAL_OK;
    if (in->labels && in->label_numbers)
        return fail(ctx, SEPAL_EUSAGE,
                    "labels are given as texts and as numbers; give one of them");
    struct label_texts *seen = mem_zero(ctx, 1, sizeof *seen);
    data->label = mem_alloc(ctx, in->rows, sizeof *data->label);
    sepal_status status = SEPAL_EMEMORY;
    for (size_t k = 0; seen && k < SMALL_NUMBERS; k++) seen->small[k] = -1;
    if (seen && data->label) status = classes_of(data, schema, ctx, seen, in);
    if (seen) tokens_clear(&seen->texts);
    mem_free(seen);
    return status;
}
