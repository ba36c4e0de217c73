/* A schema as JSON, in three texts: facts, columns and classes. The latter two can be long, and
   are made and read piece by piece. docs/model-format.md says what stands where. */
#ifndef SEPAL_MODEL_SCHEMA_JSON_H
#define SEPAL_MODEL_SCHEMA_JSON_H

#include "core/text.h"
#include "data/schema.h"

struct schema_json {
    struct slice facts;
    struct slice columns; /* bytes NULL: the schema has none (FAMILY_INDEXED without names) */
    struct slice classes;
};

/* Refuse with SEPAL_EDATA what schema_read would refuse: texts too long or not UTF-8. */
/* refuse, mean, indicator, drop */
const char *missing_name(enum missing missing);
sepal_status schema_check(sepal_ctx *ctx, const struct schema *schema);
/* The printers check nothing but memory. */
sepal_status schema_print_facts(sepal_ctx *ctx, struct text *out, const struct schema *schema);
sepal_status schema_print_columns(sepal_ctx *ctx, struct text *out, const struct schema *schema);
sepal_status schema_print_classes(sepal_ctx *ctx, struct text *out, const struct schema *schema);

/* SEPAL_EMODEL unless the texts make a schema of that many classes and matrix columns (SIZE_MAX: any
   number of columns, since maps make others of them). */
sepal_status schema_read(struct schema **out, sepal_ctx *ctx, const struct schema_json *json,
                         size_t classes, size_t width);

#endif
