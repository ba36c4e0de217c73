#include "io/bad_lines.h"

#include "core/alloc.h"

#include <string.h>

sepal_status bad_lines_add(struct bad_lines *bad, sepal_ctx *ctx, struct spot spot,
                           const char *message) {
    size_t at = bad->shown;
    bad->count++;
    while (at && spot_earlier(spot, bad->line[at - 1].spot)) at--;
    if (at == BAD_LINES_SHOWN) return SEPAL_OK;
    char *copy = mem_copy_text(ctx, message, strlen(message));
    if (!copy) return SEPAL_EMEMORY;
    if (bad->shown == BAD_LINES_SHOWN)
        mem_free(bad->line[BAD_LINES_SHOWN - 1].message);
    else
        bad->shown++;
    memmove(bad->line + at + 1, bad->line + at, (bad->shown - 1 - at) * sizeof *bad->line);
    bad->line[at] = (struct bad_line){spot, copy};
    return SEPAL_OK;
}

void bad_lines_clear(struct bad_lines *bad) {
    for (size_t i = 0; i < bad->shown; i++) mem_free(bad->line[i].message);
    *bad = (struct bad_lines){0};
}
