/* A growable text, and small things done with text. */
#ifndef SEPAL_CORE_TEXT_H
#define SEPAL_CORE_TEXT_H

#include "core/context.h"

/* {0} is the empty text. After a failed append `failed` stays set and further appends do nothing,
   so a writer checks once, at the end. `bytes` is zero-terminated when not NULL. */
struct text {
    char *bytes;
    size_t length, room;
    bool failed;
};

void text_add(sepal_ctx *ctx, struct text *text, const char *bytes, size_t length);
void text_puts(sepal_ctx *ctx, struct text *text, const char *string);
void text_printf(sepal_ctx *ctx, struct text *text, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void text_number(sepal_ctx *ctx, struct text *text, double value); /* shortest round trip */
void text_clear(struct text *text);
/* Hand the bytes over to the caller ("" allocated if empty); NULL when an append had failed. */
char *text_take(sepal_ctx *ctx, struct text *text);

/* A slice of somebody else's bytes. */
struct slice {
    const char *bytes;
    size_t length;
};
bool slice_is(struct slice slice, const char *string);
bool slice_is_nocase(struct slice slice, const char *string); /* ASCII letters */
int slice_compare(struct slice a, struct slice b);            /* bytewise */
/* For qsort of pointers to texts. */
int text_order(const void *a, const void *b);

/* The entry of names[] nearest to `wrong` by edit distance, NULL when none is near. */
const char *text_suggest(const char *wrong, const char *const *names, size_t n);
/* How many characters UTF-8 text has. */
size_t utf8_width(const char *text);
/* What a stage that other programs know by this name is written as here; what to do instead of one that
   no spec has; which of names[] is that parameter. NULL: not known. */
const char *synonym_of_stage(const char *given);
const char *synonym_elsewhere(const char *given);
const char *synonym_of_parameter(const char *given, const char *const *names, size_t n);
/* Length of the valid UTF-8 prefix of the bytes. */
size_t utf8_valid_prefix(const char *bytes, size_t length);
/* What a message may show of foreign bytes: their beginning, with '?' for control characters and
   for what is not UTF-8, and "..." when cut. Returns `out`. */
enum { TEXT_SHOWN_BYTES = 64 };
const char *text_shown(char out[TEXT_SHOWN_BYTES], const char *bytes, size_t length);
/* The same in place for a whole message: '?' for each byte that may not be shown. */
void text_mask(char *text);

#endif
