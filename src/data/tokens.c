#include "data/tokens.h"

#include "core/alloc.h"

#include <string.h>

static uint64_t hash(struct slice text) {
    /* FNV-1a, 64 bits (Fowler, Noll, Vo). */
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < text.length; i++)
        h = (h ^ (unsigned char)text.bytes[i]) * 0x100000001b3u;
    return h ^ h >> 32;
}

static bool equal(struct slice a, struct slice b) {
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

static uint32_t *slot_of(const struct tokens *tokens, struct slice text) {
    size_t mask = tokens->n_slots - 1, at = (size_t)hash(text) & mask;
    while (tokens->slots[at] && !equal(tokens->items[tokens->slots[at] - 1], text))
        at = (at + 1) & mask;
    return &tokens->slots[at];
}

static sepal_status tokens_grow(struct tokens *tokens, sepal_ctx *ctx) {
    enum { FIRST = 16 };
    if (tokens->count >= UINT32_MAX / 4) /* never: they have no room in memory */
        return fail(ctx, SEPAL_EDATA, "too many different texts in one column");
    size_t n = tokens->n_slots ? tokens->n_slots * 2 : FIRST;
    uint32_t *slots = mem_zero(ctx, n, sizeof *slots);
    if (!slots) return SEPAL_EMEMORY;
    mem_free(tokens->slots);
    tokens->slots = slots;
    tokens->n_slots = n;
    for (size_t i = 0; i < tokens->count; i++) *slot_of(tokens, tokens->items[i]) = (uint32_t)i + 1;
    return SEPAL_OK;
}

sepal_status tokens_add(struct tokens *tokens, sepal_ctx *ctx, struct slice text, uint32_t *number,
                        bool *fresh) {
    *fresh = false;
    *number = tokens->last;
    if (tokens->count && equal(tokens->items[tokens->last], text)) return SEPAL_OK;
    if (tokens->count * 2 >= tokens->n_slots) TRY(tokens_grow(tokens, ctx));
    uint32_t *slot = slot_of(tokens, text);
    if (!*slot) {
        TRY(mem_reserve(ctx, (void **)&tokens->items, &tokens->room, tokens->count + 1,
                        sizeof *tokens->items));
        char *copy = arena_text(ctx, &tokens->arena, text.bytes, text.length);
        if (!copy) return SEPAL_EMEMORY;
        tokens->items[tokens->count++] = (struct slice){copy, text.length};
        *slot = (uint32_t)tokens->count;
        *fresh = true;
    }
    *number = tokens->last = *slot - 1;
    return SEPAL_OK;
}

size_t tokens_find(const struct tokens *tokens, struct slice text) {
    if (tokens->count == 0) return SIZE_MAX; /* never: no columns, a table has one */
    uint32_t slot = *slot_of(tokens, text);
    return slot ? slot - 1 : SIZE_MAX;
}

void tokens_clear(struct tokens *tokens) {
    arena_clear(&tokens->arena);
    mem_free(tokens->items);
    mem_free(tokens->slots);
    *tokens = (struct tokens){0};
}
