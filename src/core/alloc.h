/* All memory of the library comes from here: sizes are multiplied with a check, failures are
   recorded in the context, and tests can let the k-th call fail. */
#ifndef SEPAL_CORE_ALLOC_H
#define SEPAL_CORE_ALLOC_H

#include "core/context.h"

/* count * size bytes, NULL with SEPAL_EMEMORY recorded when there are none. Zero bytes give a
   valid pointer. */
void *mem_alloc(sepal_ctx *ctx, size_t count, size_t size);
void *mem_zero(sepal_ctx *ctx, size_t count, size_t size);
/* Room from a line of the cache on, in *block, which is what mem_free is to be given. */
void *mem_lines(void **block, sepal_ctx *ctx, size_t count, size_t size);
/* As realloc: on failure the old block stays valid and NULL is returned. */
void *mem_resize(sepal_ctx *ctx, void *old, size_t count, size_t size);
/* Make room for `need` items in *items (capacity *have), growing by half at least. */
sepal_status mem_reserve(sepal_ctx *ctx, void **items, size_t *have, size_t need, size_t size);
char *mem_copy_text(sepal_ctx *ctx, const char *text, size_t length); /* zero-terminated copy */
void mem_free(void *block);

#endif
