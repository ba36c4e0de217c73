#include "core/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static bool product(size_t *bytes, size_t count, size_t size) {
    bool fits = !__builtin_mul_overflow(count, size, bytes) && *bytes <= PTRDIFF_MAX;
    if (fits && *bytes == 0) *bytes = 1;
    return fits;
}

static void *checked(sepal_ctx *ctx, void *block, size_t count, size_t size) {
    if (!block)
        fail(ctx, SEPAL_EMEMORY, "not enough memory: %zu x %zu bytes are not to be had", count,
             size);
    return block;
}

/* Ask for large pages under a large block: vectors that are read here and there, as the weights of
   sparse rows are, are otherwise slowed by the table of pages. Refused, it is as ever. */
static void *on_large_pages(void *block, size_t bytes) {
#ifdef MADV_HUGEPAGE
    enum { PAGE = 1 << 12, LARGE = 1 << 22 };
    if (block && bytes >= LARGE) {
        size_t ahead = (PAGE - (uintptr_t)block % PAGE) % PAGE;
        madvise((char *)block + ahead, (bytes - ahead) / PAGE * PAGE, MADV_HUGEPAGE);
    }
#else
    (void)bytes;
#endif
    return block;
}

void *mem_alloc(sepal_ctx *ctx, size_t count, size_t size) {
    size_t bytes;
    bool possible = product(&bytes, count, size) && !fault_hits(ctx, FAULT_ALLOC);
    void *block = possible ? on_large_pages(malloc(bytes), bytes) : NULL;
    return checked(ctx, block, count, size);
}

void *mem_zero(sepal_ctx *ctx, size_t count, size_t size) {
    size_t bytes;
    bool possible = product(&bytes, count, size) && !fault_hits(ctx, FAULT_ALLOC);
    void *block = possible ? on_large_pages(calloc(bytes, 1), bytes) : NULL;
    return checked(ctx, block, count, size);
}

void *mem_lines(void **block, sepal_ctx *ctx, size_t count, size_t size) {
    enum { LINE = 64 };
    size_t bytes;
    bool possible = product(&bytes, count, size);
    *block = mem_alloc(ctx, possible ? bytes + LINE : SIZE_MAX, 1);
    return *block ? (char *)*block + (LINE - (uintptr_t)*block % LINE) % LINE : NULL;
}

void *mem_resize(sepal_ctx *ctx, void *old, size_t count, size_t size) {
    size_t bytes;
    bool possible = product(&bytes, count, size) && !fault_hits(ctx, FAULT_ALLOC);
    return checked(ctx, possible ? realloc(old, bytes) : NULL, count, size);
}

sepal_status mem_reserve(sepal_ctx *ctx, void **items, size_t *have, size_t need, size_t size) {
    enum { SMALLEST = 16 };
    if (need <= *have) return SEPAL_OK;
    size_t room = *have + *have / 2;
    if (room < need) room = need;
    if (room < SMALLEST) room = SMALLEST;
    void *more = mem_resize(ctx, *items, room, size);
    if (!more) return SEPAL_EMEMORY;
    *items = more;
    *have = room;
    return SEPAL_OK;
}

char *mem_copy_text(sepal_ctx *ctx, const char *text, size_t length) {
    char *copy = mem_alloc(ctx, length + 1, 1);
    if (!copy) return NULL;
    if (length) memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void mem_free(void *block) {
    free(block);
}
