/* An arena: memory that is taken piece by piece and given back all at once. A fit, a parsed file
   header or a report owns one, so early returns leak nothing. */
#ifndef SEPAL_CORE_ARENA_H
#define SEPAL_CORE_ARENA_H

#include "core/context.h"

struct arena_chunk;
struct arena {
    struct arena_chunk *chunks;
};

/* {0} is an empty arena. Pieces are aligned for any type. NULL: recorded in the context. */
void *arena_alloc(sepal_ctx *ctx, struct arena *arena, size_t count, size_t size);
void *arena_zero(sepal_ctx *ctx, struct arena *arena, size_t count, size_t size);
/* Several vectors of n zeros: ARENA_VECTORS(ctx, arena, n, &x, &y). */
#define ARENA_VECTORS(ctx, arena, n, ...)                                                          \
    arena_vectors(ctx, arena, n, (double **[]){__VA_ARGS__},                                       \
                  sizeof((double **[]){__VA_ARGS__}) / sizeof(double **))
sepal_status arena_vectors(sepal_ctx *ctx, struct arena *arena, size_t n, double **vectors[],
                           size_t count);
char *arena_text(sepal_ctx *ctx, struct arena *arena, const char *text, size_t length);
void arena_clear(struct arena *arena);

#endif
