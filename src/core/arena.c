/* Chunks double in size up to a limit; a piece larger than that gets a chunk of its own. */
#include "core/arena.h"

#include "core/alloc.h"

#include <stdalign.h>
#include <string.h>

/* With 0 every piece is a chunk, so that an address sanitizer sees where it ends. */
#ifndef SEPAL_ARENA_BYTES
#define SEPAL_ARENA_BYTES (1 << 20)
#endif
enum { FIRST_CHUNK = 4096, LARGEST_CHUNK = SEPAL_ARENA_BYTES };

struct arena_chunk {
    struct arena_chunk *next;
    size_t used, size;
    alignas(max_align_t) char bytes[];
};

static struct arena_chunk *chunk_new(sepal_ctx *ctx, struct arena *arena, size_t need) {
    size_t size = arena->chunks ? arena->chunks->size * 2 : FIRST_CHUNK;
    if (size > LARGEST_CHUNK) size = LARGEST_CHUNK;
    if (size < need) size = need;
    if (size > PTRDIFF_MAX - sizeof(struct arena_chunk)) size = PTRDIFF_MAX;
    struct arena_chunk *chunk = mem_alloc(ctx, sizeof *chunk + size, 1);
    if (!chunk) return NULL;
    *chunk = (struct arena_chunk){.next = arena->chunks, .size = size};
    arena->chunks = chunk;
    return chunk;
}

void *arena_alloc(sepal_ctx *ctx, struct arena *arena, size_t count, size_t size) {
    const size_t align = alignof(max_align_t);
    size_t bytes;
    /* tests let every piece fail, not only those that need a new chunk */
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX / 2 ||
        fault_hits(ctx, FAULT_ALLOC)) {
        fail(ctx, SEPAL_EMEMORY, "not enough memory: %zu x %zu bytes are not to be had", count,
             size);
        return NULL;
    }
    bytes = (bytes + align - 1) / align * align;
    struct arena_chunk *chunk = arena->chunks;
    if (!chunk || chunk->size - chunk->used < bytes) chunk = chunk_new(ctx, arena, bytes);
    if (!chunk) return NULL;
    void *piece = chunk->bytes + chunk->used;
    chunk->used += bytes;
    return piece;
}

void *arena_zero(sepal_ctx *ctx, struct arena *arena, size_t count, size_t size) {
    void *piece = arena_alloc(ctx, arena, count, size);
    if (piece) memset(piece, 0, count * size);
    return piece;
}

sepal_status arena_vectors(sepal_ctx *ctx, struct arena *arena, size_t n, double **vectors[],
                           size_t count) {
    for (size_t k = 0; k < count; k++)
        if (!(*vectors[k] = arena_zero(ctx, arena, n, sizeof(double)))) return SEPAL_EMEMORY;
    return SEPAL_OK;
}

char *arena_text(sepal_ctx *ctx, struct arena *arena, const char *text, size_t length) {
    char *copy = arena_alloc(ctx, arena, length + 1, 1);
    if (!copy) return NULL;
    if (length) memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void arena_clear(struct arena *arena) {
    for (struct arena_chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        mem_free(chunk);
    }
    arena->chunks = NULL;
}
