/* Lines that are left out because something is wrong with them: how many, and the first few. */
#ifndef SEPAL_IO_BAD_LINES_H
#define SEPAL_IO_BAD_LINES_H

#include "core/context.h"

/* A place in a chunk: lines from 0, columns from 1. Column 0: nowhere. */
struct spot {
    size_t line, column;
};

static inline bool spot_earlier(struct spot a, struct spot b) {
    return a.line < b.line || (a.line == b.line && a.column < b.column);
}

enum { BAD_LINES_SHOWN = 5 };
struct bad_lines {
    size_t count, shown;
    struct bad_line {
        struct spot spot;
        char *message;
    } line[BAD_LINES_SHOWN]; /* in order of their places */
};

sepal_status bad_lines_add(struct bad_lines *bad, sepal_ctx *ctx, struct spot spot,
                           const char *message);
void bad_lines_clear(struct bad_lines *bad);

#endif
