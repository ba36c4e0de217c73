/* What public functions do with their arguments before anything else: a clean slate in the context,
   pointers that must be there, and structs of callers that know fewer or more fields. */
#ifndef SEPAL_CORE_ARGUMENTS_H
#define SEPAL_CORE_ARGUMENTS_H

#include "core/context.h"

/* An argument that must not be NULL; a list of them ends with a row that has no name. */
struct argument {
    const char *name;
    const void *value;
};
static inline sepal_status arguments_check(sepal_ctx *ctx, const char *function,
                                           const struct argument *arguments) {
    if (!ctx) return SEPAL_EUSAGE;
    ctx->cancelled = false;
    forgive(ctx);
    for (; arguments->name; arguments++) {
        if (arguments->value) continue;
        fail(ctx, SEPAL_EUSAGE, "%s was called with NULL for '%s'", function, arguments->name);
        return SEPAL_EUSAGE;
    }
    return SEPAL_OK;
}
#define GIVEN(argument)                                                                            \
    { #argument, argument }
#define BEGIN(ctx, ...)                                                                            \
    TRY(arguments_check(ctx, __func__, (const struct argument[]){__VA_ARGS__, {NULL, NULL}}))

/* A caller's struct, which begins with its size, as one of ours. Fields that its version did not have
   are 0. SEPAL_EUSAGE if it has not even the `least` bytes of the first version, or fields that are
   younger than we are and ask for something. ctx NULL: without a message. */
sepal_status struct_take(void *out, size_t ours, sepal_ctx *ctx, const char *name,
                         const void *given, size_t least);
/* What it has room for of ours, behind its size. */
void struct_give(void *given, const void *ours, size_t bytes);

#endif
