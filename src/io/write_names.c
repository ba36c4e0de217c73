/* The names of the columns of a table, such that reading finds the same columns again. */
#include "data/cell_value.h"
#include "io/columns.h"
#include "io/write.h"

#include <string.h>

/* A name that would be taken for a number or a missing cell, and so not for a name. */
static bool needs_letter(struct slice name) {
    double value;
    return cell_is_number(name, &value) || cell_is_missing(name);
}

static sepal_status add_name(struct tokens *names, sepal_ctx *ctx, struct slice name) {
    uint32_t number;
    bool fresh;
    TRY(tokens_add(names, ctx, name, &number, &fresh));
    if (fresh) return SEPAL_OK;
    return fail(ctx, SEPAL_EDATA,
                "two columns of the table would have the name '%.60s'; rename one of them, or "
                "write libsvm",
                names->items[number].bytes);
}

/* Reading finds the target by its name: a feature must not have one that is looked for. */
static sepal_status add_features(struct tokens *names, sepal_ctx *ctx, const struct schema *schema,
                                 struct text *name) {
    for (size_t j = 0; j < schema->width; j++) {
        name->length = 0;
        schema_column_name(ctx, name, schema, j);
        if (name->failed) return SEPAL_EMEMORY;
        if (column_is_target(name->bytes))
            return fail(ctx, SEPAL_EDATA,
                        "a feature has the name '%s', by which the label column is found; rename "
                        "it, or write libsvm",
                        name->bytes);
        if (needs_letter((struct slice){name->bytes, name->length})) {
            name->length = 0;
            text_puts(ctx, name, "x");
            schema_column_name(ctx, name, schema, j);
            if (name->failed) return SEPAL_EMEMORY;
        }
        TRY(add_name(names, ctx, (struct slice){name->bytes, name->length}));
    }
    return SEPAL_OK;
}

static sepal_status column_names(struct tokens *out, sepal_ctx *ctx, const sepal_data *data) {
    const struct schema *schema = data->schema;
    struct text name = {0};
    sepal_status status = add_features(out, ctx, schema, &name);
    text_clear(&name);
    TRY(status);
    const char *weight = schema->weight ? schema->weight : "weight";
    const char *target = schema->header && schema->target ? schema->target : "class";
    if (needs_letter((struct slice){weight, strlen(weight)}) || column_is_target(weight))
        weight = "weight";
    if (needs_letter((struct slice){target, strlen(target)})) target = "class";
    if (data->weight) TRY(add_name(out, ctx, (struct slice){weight, strlen(weight)}));
    return add_name(out, ctx, (struct slice){target, strlen(target)});
}

sepal_status put_column_names(struct writing *w,
                              sepal_status (*put)(struct writing *w, const struct tokens *names)) {
    struct tokens names = {0};
    sepal_status status = column_names(&names, w->ctx, w->data);
    if (status == SEPAL_OK) status = put(w, &names);
    tokens_clear(&names);
    return status;
}
