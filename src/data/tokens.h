/* A set of distinct texts, numbered in order of first appearance. */
#ifndef SEPAL_DATA_TOKENS_H
#define SEPAL_DATA_TOKENS_H

#include "core/arena.h"
#include "core/text.h"

struct tokens {
    struct arena arena;
    struct slice *items;
    size_t count, room;
    uint32_t *slots; /* hash table of item number + 1 */
    size_t n_slots;  /* a power of two, or 0 */
    uint32_t last;   /* most recent answer: neighbours are often equal */
};

sepal_status tokens_add(struct tokens *tokens, sepal_ctx *ctx, struct slice text, uint32_t *number,
                        bool *fresh);
/* Its number, SIZE_MAX when it is not in the set. */
size_t tokens_find(const struct tokens *tokens, struct slice text);
void tokens_clear(struct tokens *tokens);

#endif
