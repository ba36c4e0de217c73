#include "core/arguments.h"

#include <string.h>

static sepal_status struct_refuse(sepal_ctx *ctx, const char *name, size_t size, const char *why) {
    if (!ctx) return SEPAL_EUSAGE;
    return fail(ctx, SEPAL_EUSAGE, "the size of a %s is given as %zu, %s", name, size, why);
}

sepal_status struct_take(void *out, size_t ours, sepal_ctx *ctx, const char *name,
                         const void *given, size_t least) {
    size_t size;
    memcpy(&size, given, sizeof size);
    if (size < least)
        return struct_refuse(ctx, name, size, "which is too small; set it to its sizeof");
    for (size_t i = ours; i < size; i++)
        if (((const char *)given)[i])
            return struct_refuse(ctx, name, size,
                                 "and it asks for something that this version of the library does "
                                 "not know; use the header that came with it");
    memset(out, 0, ours);
    memcpy(out, given, size < ours ? size : ours);
    return SEPAL_OK;
}

void struct_give(void *given, const void *ours, size_t bytes) {
    size_t size;
    memcpy(&size, given, sizeof size);
    if (size > bytes) size = bytes;
    memcpy((char *)given + sizeof size, (const char *)ours + sizeof size, size - sizeof size);
}
