/* A growable text and slices of texts. Growth is geometric (core/alloc.h), so a text of n bytes is
   written in O(n). */
#include "core/text.h"

#include "core/alloc.h"
#include "core/decimal.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Room for `more` bytes and the terminator; false when the text has failed. */
static bool text_reserve(sepal_ctx *ctx, struct text *text, size_t more) {
    enum { SMALLEST = 64 };
    if (text->failed) return false;
    if (more < text->room - text->length) return true;
    if (more > SIZE_MAX - 1 - text->length) {
        (void)fail(ctx, SEPAL_EMEMORY, "a text of %zu and %zu more bytes is too long", text->length,
                   more);
        text->failed = true;
        return false;
    }
    void *bytes = text->bytes;
    size_t need = text->length + more + 1;
    sepal_status status =
        mem_reserve(ctx, &bytes, &text->room, need < SMALLEST ? SMALLEST : need, 1);
    text->bytes = bytes;
    text->failed = status != SEPAL_OK;
    return !text->failed;
}

void text_add(sepal_ctx *ctx, struct text *text, const char *bytes, size_t length) {
    if (!text_reserve(ctx, text, length)) return;
    if (length > 0) memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

void text_puts(sepal_ctx *ctx, struct text *text, const char *string) {
    text_add(ctx, text, string, strlen(string));
}

void text_printf(sepal_ctx *ctx, struct text *text, const char *format, ...) {
    if (text->failed) return;
    va_list arguments;
    size_t room = text->room - text->length;
    va_start(arguments, format);
    int length = vsnprintf(room > 0 ? text->bytes + text->length : NULL, room, format, arguments);
    va_end(arguments);
    if (length < 0) {
        (void)fail(ctx, SEPAL_EINTERNAL, "the format '%s' cannot be printed", format);
        text->failed = true;
        return;
    }
    if ((size_t)length >= room) { /* it did not fit */
        if (room > 0) text->bytes[text->length] = '\0';
        if (!text_reserve(ctx, text, (size_t)length)) return;
        va_start(arguments, format);
        (void)vsnprintf(text->bytes + text->length, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    text->length += (size_t)length;
}

void text_number(sepal_ctx *ctx, struct text *text, double value) {
    char digits[DECIMAL_BYTES];
    size_t length = decimal_print(digits, value);
    text_add(ctx, text, digits, length);
}

void text_clear(struct text *text) {
    mem_free(text->bytes);
    *text = (struct text){0};
}

char *text_take(sepal_ctx *ctx, struct text *text) {
    text_add(ctx, text, "", 0);
    if (text->failed) {
        text_clear(text);
        return NULL;
    }
    char *bytes = text->bytes;
    *text = (struct text){0};
    return bytes;
}

bool slice_is(struct slice slice, const char *string) {
    return slice_compare(slice, (struct slice){string, strlen(string)}) == 0;
}

/* Not tolower(): that one asks the locale. */
static char lower(char letter) {
    return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

bool slice_is_nocase(struct slice slice, const char *string) {
    if (strlen(string) != slice.length) return false;
    for (size_t i = 0; i < slice.length; i++) {
        if (lower(slice.bytes[i]) != lower(string[i])) return false;
    }
    return true;
}

int text_order(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int slice_compare(struct slice a, struct slice b) {
    size_t shared = a.length < b.length ? a.length : b.length;
    int order = shared > 0 ? memcmp(a.bytes, b.bytes, shared) : 0;
    if (order != 0) return order;
    return (a.length > b.length) - (a.length < b.length);
}
