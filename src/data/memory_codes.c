/* Cells from memory that are no plain numbers: codes of categories, and NaN where a value is missing. They make
   a coded data set (prepare.h), whose categories are sorted like those of a file. */
#include "data/memory.h"

#include "core/alloc.h"
#include "data/limits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct category {
    const char *name;
    uint32_t code;
};

static int by_category(const void *a, const void *b) {
    return strcmp(((const struct category *)a)->name, ((const struct category *)b)->name);
}

/* The names that the caller gave, or the codes as decimals. */
static sepal_status name_categories(struct category *out, sepal_ctx *ctx, struct schema *schema,
                                    const sepal_input *in, size_t j) {
    const char *const *names = in->category_names ? in->category_names[j] : NULL;
    for (size_t k = 0; k < in->categories[j]; k++) {
        char digits[24];
        snprintf(digits, sizeof digits, "%zu", k);
        const char *name = names ? names[k] : digits;
        size_t length = name ? strlen(name) : 0;
        if (length == 0 || length > LIMIT_TEXT || utf8_valid_prefix(name, length) < length)
            return fail(ctx, SEPAL_EDATA,
                        "category %zu of column '%s' has no name, or none in UTF-8 of at most %d "
                        "bytes; name all of them, or none",
                        k, schema->columns[j].name, LIMIT_TEXT);
        out[k] = (struct category){arena_text(ctx, &schema->arena, name, length), (uint32_t)k};
        if (!out[k].name) return SEPAL_EMEMORY;
    }
    return SEPAL_OK;
}

static sepal_status rank_categories(uint32_t **rank, struct schema *schema, sepal_ctx *ctx,
                                    struct arena *arena, const sepal_input *in, size_t j) {
    struct column *column = &schema->columns[j];
    size_t n = in->categories[j];
    struct category *all = mem_alloc(ctx, n, sizeof *all);
    *rank = arena_alloc(ctx, arena, n, sizeof **rank);
    column->categories = arena_alloc(ctx, &schema->arena, n, sizeof *column->categories);
    sepal_status status = SEPAL_EMEMORY;
    if (all && *rank && column->categories) status = name_categories(all, ctx, schema, in, j);
    if (status == SEPAL_OK) qsort(all, n, sizeof *all, by_category);
    for (size_t k = 0; k < n && status == SEPAL_OK; k++) {
        if (k > 0 && strcmp(all[k - 1].name, all[k].name) == 0)
            status = fail(ctx, SEPAL_EDATA, "column '%s' has two categories '%.60s'; rename one",
                          column->name, all[k].name);
        column->categories[k] = all[k].name;
        (*rank)[all[k].code] = (uint32_t)k;
    }
    column->text = true;
    column->n_categories = n;
    mem_free(all);
    return status;
}

sepal_status memory_codes(struct memory_codes *out, struct schema *schema, sepal_ctx *ctx,
                          struct arena *arena, const sepal_input *in) {
    *out = (struct memory_codes){.coded = in->missing != SEPAL_REFUSE};
    if ((unsigned)in->missing > SEPAL_DROP)
        return fail(ctx, SEPAL_EUSAGE,
                    "there is no rule %d for missing values; name one of "
                    "sepal_missing",
                    (int)in->missing);
    schema->missing = (enum missing)in->missing;
    for (size_t j = 0; in->categories && j < in->columns; j++)
        out->coded = out->coded || in->categories[j] > 0;
    if (out->coded && in->row_start)
        return fail(ctx, SEPAL_EUSAGE,
                    "sparse rows have neither missing values nor categories; give dense ones");
    if (!in->categories || !out->coded) return SEPAL_OK;
    out->rank = arena_zero(ctx, arena, in->columns, sizeof *out->rank);
    if (!out->rank) return SEPAL_EMEMORY;
    for (size_t j = 0; j < in->columns; j++) {
        if (in->categories[j] > INT32_MAX)
            return fail(ctx, SEPAL_EDATA, "column '%s' has %zu categories, more than there can be",
                        schema->columns[j].name, in->categories[j]);
        if (in->categories[j]) TRY(rank_categories(&out->rank[j], schema, ctx, arena, in, j));
    }
    schema_layout(schema);
    return SEPAL_OK;
}

static sepal_status refuse_code(sepal_ctx *ctx, double code, size_t i, size_t j, size_t n) {
    return fail(ctx, SEPAL_EDATA,
                "row %zu, column %zu is %g, no code of its %zu categories, which are the whole "
                "numbers from 0 to %zu",
                i + 1, j + 1, code, n, n - 1);
}

sepal_status memory_encode(const struct memory_codes *codes, sepal_ctx *ctx, const sepal_input *in,
                           double *row, size_t i) {
    for (size_t j = 0; j < in->columns; j++) {
        double x = row[j];
        size_t n = codes->rank && codes->rank[j] ? in->categories[j] : 0;
        if (isnan(x) && in->missing == SEPAL_REFUSE)
            return fail(ctx, SEPAL_EDATA,
                        "row %zu, column %zu is NaN, a missing value; name a rule for them "
                        "(sepal_missing)",
                        i + 1, j + 1);
        if (isnan(x)) continue;
        if (!n && isinf(x))
            return fail(ctx, SEPAL_EDATA, "row %zu, column %zu is not a finite number", i + 1,
                        j + 1);
        if (!n) continue;
        if (!(x >= 0 && x < (double)n) || x != floor(x)) return refuse_code(ctx, x, i, j, n);
        row[j] = codes->rank[j][(size_t)x];
    }
    return SEPAL_OK;
}
