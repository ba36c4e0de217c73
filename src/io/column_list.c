/* Columns as the options name them, "id,3,5-9,PAY_*": each by its name, its number from 1, a range of
   numbers, or a pattern in which * stands for any text and ? for one character. */
#include "io/columns.h"

#include <stdio.h>
#include <string.h>

/* ---- one item of a list ------------------------------------------------------------------- */

static size_t behind_digits(struct slice item, size_t at) {
    while (at < item.length && item.bytes[at] >= '0' && item.bytes[at] <= '9') at++;
    return at;
}

/* The first and last number of "7" or "3-7"; false: it is neither. Of more than nine digits, the
   first nine tell that it is too large. */
bool column_item_range(struct slice item, size_t *first, size_t *last) {
    enum { MOST_DIGITS = 9 };
    size_t *number[] = {first, last};
    for (size_t i = 0, at = 0; i < 2; i++) {
        size_t end = behind_digits(item, at);
        if (end == at) return false;
        *number[i] = 0;
        for (size_t k = at; k < end && k < at + MOST_DIGITS + 1; k++)
            *number[i] = *number[i] * 10 + (size_t)(item.bytes[k] - '0');
        if (end == item.length) {
            *last = *number[i];
            return true;
        }
        if (item.bytes[end] != '-') return false;
        at = end + 1;
    }
    return false;
}

bool column_item_is_pattern(struct slice item) {
    return item.length &&
           (memchr(item.bytes, '*', item.length) || memchr(item.bytes, '?', item.length));
}

static bool continues_character(char c) {
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* A star that has taken too little takes one byte more, and only the last one met needs to: whatever
   an earlier one took, the rest could have been matched as early. */
bool column_item_matches(struct slice pattern, struct slice text) {
    size_t p = 0, t = 0, star = SIZE_MAX, taken = 0;
    while (t < text.length) {
        if (p < pattern.length && pattern.bytes[p] == '*') {
            star = p++;
            taken = t;
        } else if (p < pattern.length && pattern.bytes[p] == '?') {
            p++;
            do t++;
            while (t < text.length && continues_character(text.bytes[t]));
        } else if (p < pattern.length && pattern.bytes[p] == text.bytes[t]) {
            p++;
            t++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            t = ++taken;
        } else {
            return false;
        }
    }
    while (p < pattern.length && pattern.bytes[p] == '*') p++;
    return p == pattern.length;
}

/* The next item of a list, without the blanks around it; *list moves behind it. */
bool column_item_next(const char **list, struct slice *item) {
    if (!**list) return false;
    size_t length = strcspn(*list, ",");
    *item = (struct slice){*list, length};
    while (item->length && *item->bytes == ' ') item->bytes++, item->length--;
    while (item->length && item->bytes[item->length - 1] == ' ') item->length--;
    *list += length + ((*list)[length] == ',');
    return true;
}

/* ---- among the columns of a file ---------------------------------------------------------- */

/* A name that begins as the pattern does, or nearly so. */
static const char *suggest_pattern(const struct columns *columns, const char *pattern) {
    char plain[128], begin[128];
    size_t n = 0;
    for (const char *p = pattern; *p; p++)
        if (*p != '*' && *p != '?') plain[n++] = *p;
    plain[n] = '\0';
    for (size_t c = 0; n && c < columns->n; c++) {
        const char *const name = begin;
        snprintf(begin, n + 1, "%s", columns->names[c]);
        if (text_suggest(plain, &name, 1)) return columns->names[c];
    }
    return NULL;
}

/* What is the matter with an item. */
static sepal_status unknown_column(sepal_ctx *ctx, const struct columns *columns, struct slice item,
                                   const char *option, const char *what) {
    char wrong[128];
    snprintf(wrong, sizeof wrong, "%.*s", (int)(item.length < 120 ? item.length : 120), item.bytes);
    const char *near = column_item_is_pattern(item)
                           ? suggest_pattern(columns, wrong)
                           : text_suggest(wrong, columns->names, columns->n);
    return fail_at(ctx, SEPAL_EDATA, columns->file, columns->header_line, 1,
                   "%s '%s' for " OPTION "%s%s%s%s the file has %zu columns, give a name or a "
                   "number from 1",
                   what, wrong, option, near ? "; did you mean '" : "", near ? near : "",
                   near ? "'?" : ";", columns->n);
}

static sepal_status mark_pattern(bool *chosen, sepal_ctx *ctx, const struct columns *columns,
                                 struct slice item, const char *option) {
    bool any = false;
    for (size_t c = 0; c < columns->n; c++)
        if (column_item_matches(item, (struct slice){columns->names[c], strlen(columns->names[c])}))
            any = chosen[c] = true;
    return any ? SEPAL_OK
               : unknown_column(ctx, columns, item, option, "there is no column that matches");
}

/* An exact name goes before all else that the item may be. */
static sepal_status mark_item(bool *chosen, sepal_ctx *ctx, const struct columns *columns,
                              struct slice item, const char *option) {
    size_t named = tokens_find(&columns->by_name, item), first, last;
    if (named != SIZE_MAX) {
        chosen[named] = true;
        return SEPAL_OK;
    }
    if (column_item_is_pattern(item)) return mark_pattern(chosen, ctx, columns, item, option);
    if (!column_item_range(item, &first, &last) || first < 1 || last > columns->n)
        return unknown_column(ctx, columns, item, option, "there is no column");
    if (first > last)
        return unknown_column(ctx, columns, item, option, "the range runs backwards:");
    for (size_t c = first - 1; c < last; c++) chosen[c] = true;
    return SEPAL_OK;
}

sepal_status column_list_mark(bool *chosen, sepal_ctx *ctx, const struct columns *columns,
                              const char *list, const char *option) {
    if (!list) return SEPAL_OK;
    struct slice item = {list, strlen(list)};
    size_t whole = tokens_find(&columns->by_name, item);
    if (whole != SIZE_MAX) {
        chosen[whole] = true;
        return SEPAL_OK;
    }
    while (column_item_next(&list, &item)) TRY(mark_item(chosen, ctx, columns, item, option));
    return SEPAL_OK;
}

sepal_status column_list_one(size_t *out, sepal_ctx *ctx, const struct columns *columns,
                             const char *name, const char *option) {
    *out = SIZE_MAX;
    if (!name) return SEPAL_OK;
    struct slice item = {name, strlen(name)};
    size_t last;
    *out = tokens_find(&columns->by_name, item);
    if (*out != SIZE_MAX) return SEPAL_OK;
    if (behind_digits(item, 0) < item.length || !column_item_range(item, out, &last) || last < 1 ||
        last > columns->n)
        return unknown_column(ctx, columns, item, option, "there is no column");
    *out = last - 1;
    return SEPAL_OK;
}

bool column_list_is_list(const struct columns *columns, const char *text) {
    struct slice item = {text, strlen(text)};
    size_t first, last;
    if (tokens_find(&columns->by_name, item) != SIZE_MAX) return false;
    if (strchr(text, ',') || column_item_is_pattern(item)) return true;
    return column_item_range(item, &first, &last) && behind_digits(item, 0) < item.length;
}

/* ---- before it is known whether there are names ------------------------------------------- */

/* Something beside digits and marks, so that it cannot be meant as a number. */
static bool has_words(struct slice item) {
    for (size_t i = 0; i < item.length; i++)
        if (!strchr("0123456789*?", item.bytes[i])) return true;
    return false;
}

static bool names(struct slice item, struct slice text) {
    size_t first, last;
    if (!text.length || !has_words(item) || column_item_range(item, &first, &last)) return false;
    return slice_compare(item, text) == 0 ||
           (column_item_is_pattern(item) && column_item_matches(item, text));
}

bool column_list_names(const char *list, struct slice text) {
    if (!list) return false;
    if (names((struct slice){list, strlen(list)}, text)) return true;
    for (struct slice item; column_item_next(&list, &item);)
        if (names(item, text)) return true;
    return false;
}
