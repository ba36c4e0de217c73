/* Bounds on weights in a spec: "low<=name<=high; ...", a name with odd characters in single quotes. For
   people "age>=0" and "debt<=0" will do. */
#include "learners/bound_list.h"

#include "core/decimal.h"
#include "core/io.h"
#include "core/text.h"

#include <math.h>
#include <string.h>

bool bound_read(const char *text, const char *end, double *out) {
    struct slice all = {text, (size_t)(end - text)};
    bool infinite = true;
    if (slice_is_nocase(all, "inf") || slice_is_nocase(all, "+inf"))
        *out = INFINITY;
    else if (slice_is_nocase(all, "-inf"))
        *out = -INFINITY;
    else
        infinite = false;
    if (infinite) return true;
    double value;
    if (decimal_read(text, end, &value) != end) return false;
    *out = value + 0.0; /* not -0 */
    return true;
}

/* ---- reading ------------------------------------------------------------------------------ */

static bool is_inline(const char *text) {
    return strstr(text, "<=") || strstr(text, ">=");
}

static bool is_relation(const char *at) {
    return (at[0] == '<' || at[0] == '>') && at[1] == '=';
}

/* One item is three or two parts with a relation between them. */
struct bound_parts {
    struct slice part[3];
    char relation[2]; /* < or > */
    size_t n;
    bool quoted[3];
};

static struct slice trimmed(const char *from, const char *to) {
    while (from < to && *from == ' ') from++;
    while (to > from && to[-1] == ' ') to--;
    return (struct slice){from, (size_t)(to - from)};
}

/* Behind the quote that ends the name that begins at `at`; NULL: there is none. */
static const char *behind_quote(const char *at) {
    for (at++; *at; at++)
        if (*at == '\'' && *++at != '\'') return at;
    return NULL;
}

/* A name in quotes, up to `behind`, without them. */
static sepal_status read_quoted_name(struct slice *out, sepal_ctx *ctx, struct arena *arena,
                                     const char *at, const char *behind) {
    char *name = arena_alloc(ctx, arena, (size_t)(behind - at), 1);
    if (!name) return SEPAL_EMEMORY;
    *out = (struct slice){name, 0};
    for (at++; at + 1 < behind; at++) {
        at += *at == '\'';
        name[out->length++] = *at;
    }
    return SEPAL_OK;
}

static sepal_status refuse_item(sepal_ctx *ctx, struct slice item, const char *why) {
    char shown[TEXT_SHOWN_BYTES];
    return fail(ctx, SEPAL_EUSAGE,
                "bounds: '%s' %s; write low<=column<=high, column>=low or column<=high, with ; "
                "between them, or give the name of a file",
                text_shown(shown, item.bytes, item.length), why);
}

/* One part; *at moves behind it. */
static sepal_status read_part(struct bound_parts *out, sepal_ctx *ctx, struct arena *arena,
                              const char **at) {
    const char *from = *at, *behind = *from == '\'' ? behind_quote(from) : NULL;
    out->quoted[out->n] = *from == '\'';
    if (*from != '\'') {
        while (**at && **at != ';' && !is_relation(*at)) ++*at;
        out->part[out->n++] = trimmed(from, *at);
        return SEPAL_OK;
    }
    if (!behind)
        return refuse_item(ctx, (struct slice){from, strlen(from)},
                           "has a quote that does not end");
    *at = behind;
    while (**at == ' ') ++*at;
    return read_quoted_name(&out->part[out->n++], ctx, arena, from, behind);
}

/* *at moves behind the item and its semicolon. */
static sepal_status read_parts(struct bound_parts *out, sepal_ctx *ctx, struct arena *arena,
                               const char **at) {
    const char *begin = *at;
    *out = (struct bound_parts){0};
    for (;;) {
        while (**at == ' ') ++*at;
        TRY(read_part(out, ctx, arena, at));
        if (**at == ';' || !**at) break;
        if (out->n == 3 || !is_relation(*at))
            return refuse_item(ctx, trimmed(begin, begin + strcspn(begin, ";")),
                               "has too many parts");
        out->relation[out->n - 1] = **at;
        *at += 2;
    }
    *at += **at == ';';
    return SEPAL_OK;
}

static bool part_is_number(const struct bound_parts *parts, size_t i, double *out) {
    struct slice part = parts->part[i];
    return !parts->quoted[i] && bound_read(part.bytes, part.bytes + part.length, out);
}

/* Which part is the name; the others are bounds. */
static sepal_status make_bound(struct bound *out, sepal_ctx *ctx, struct arena *arena,
                               const struct bound_parts *parts, struct slice item) {
    double number[2];
    size_t name = 1;
    *out = (struct bound){.low = -INFINITY, .high = INFINITY};
    if (parts->n == 3) {
        if (parts->relation[0] != '<' || parts->relation[1] != '<' ||
            !part_is_number(parts, 0, &out->low) || !part_is_number(parts, 2, &out->high))
            return refuse_item(ctx, item, "is not low<=column<=high with numbers at both ends");
    } else {
        bool first = parts->n == 2 && part_is_number(parts, 0, &number[0]);
        bool second = parts->n == 2 && part_is_number(parts, 1, &number[1]);
        if (first == second)
            return refuse_item(ctx, item,
                               first ? "does not tell which of the two is the column's name"
                                     : "is no bound with a number on one side");
        name = first ? 1 : 0;
        bool above = (parts->relation[0] == '<') == first; /* the column is at least the number */
        *(above ? &out->low : &out->high) = number[first ? 0 : 1];
    }
    if (parts->part[name].length == 0) return refuse_item(ctx, item, "names no column");
    if (!(out->low <= out->high) || out->low == INFINITY || out->high == -INFINITY)
        return refuse_item(ctx, item, "has bounds that cross");
    out->name = arena_text(ctx, arena, parts->part[name].bytes, parts->part[name].length);
    return out->name ? SEPAL_OK : SEPAL_EMEMORY;
}

static sepal_status list_read(struct bound_list *out, sepal_ctx *ctx, struct arena *arena,
                              const char *text) {
    size_t most = 1;
    for (const char *at = text; *at; at++) most += *at == ';';
    out->items = arena_alloc(ctx, arena, most, sizeof *out->items);
    if (!out->items) return SEPAL_EMEMORY;
    for (const char *at = text; *at;) {
        struct bound_parts parts;
        const char *begin = at;
        TRY(read_parts(&parts, ctx, arena, &at));
        struct slice item = trimmed(begin, at - (at > begin && at[-1] == ';'));
        if (item.length == 0) continue;
        TRY(make_bound(&out->items[out->n++], ctx, arena, &parts, item));
    }
    return SEPAL_OK;
}

/* ---- printing ----------------------------------------------------------------------------- */

static void print_name(sepal_ctx *ctx, struct text *out, const char *name) {
    size_t length = strlen(name);
    bool odd = strpbrk(name, ";'") || is_inline(name) || name[0] == ' ' ||
               (length && name[length - 1] == ' ');
    if (!odd) {
        text_puts(ctx, out, name);
        return;
    }
    text_puts(ctx, out, "'");
    for (; *name; name++) text_add(ctx, out, *name == '\'' ? "''" : name, *name == '\'' ? 2 : 1);
    text_puts(ctx, out, "'");
}

static const char *list_print(sepal_ctx *ctx, struct arena *arena, const struct bound_list *list) {
    struct text text = {0};
    for (size_t i = 0; i < list->n; i++) {
        if (i) text_puts(ctx, &text, "; ");
        text_number(ctx, &text, list->items[i].low);
        text_puts(ctx, &text, "<=");
        print_name(ctx, &text, list->items[i].name);
        text_puts(ctx, &text, "<=");
        text_number(ctx, &text, list->items[i].high);
    }
    const char *copy = text.failed ? NULL : arena_text(ctx, arena, text.bytes, text.length);
    text_clear(&text);
    return copy;
}

/* A model file has 64 KB for its spec. */
enum { LONGEST = 60000 };

static bool is_pipe(const char *path) {
    return strcmp(path, "-") == 0 || output_is_device(path);
}

sepal_status weight_bounds_read(struct weight_bounds *given, sepal_ctx *ctx, struct arena *arena,
                                enum bounds_source source) {
    given->list = (struct bound_list){0};
    if (!given->bounds) return SEPAL_OK;
    if (is_inline(given->bounds))
        TRY(list_read(&given->list, ctx, arena, given->bounds));
    else if (source == BOUNDS_OF_CHECK && is_pipe(given->bounds))
        return SEPAL_OK;
    else if (source == BOUNDS_OF_MODEL)
        return fail(ctx, SEPAL_EUSAGE, "its bounds are not written out");
    else
        TRY(bound_file_read(&given->list, ctx, arena, given->bounds));
    given->bounds = list_print(ctx, arena, &given->list);
    if (!given->bounds) return SEPAL_EMEMORY;
    if (strlen(given->bounds) <= LONGEST) return SEPAL_OK;
    const char *file = given->list.file ? given->list.file : "";
    return fail_at(
        ctx, SEPAL_EDATA, file, *file != 0, *file != 0,
        "bounds: written out they have %zu characters, and a model holds %d; say more of "
        "them by patterns, PAY_* or all",
        strlen(given->bounds), LONGEST);
}
