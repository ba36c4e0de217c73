/* Parameter tables: defaults, parsing, range checks, suggestions and the canonical form, all read off
   the rows. Linear in the settings, so that a hostile spec costs no more than its length. */
#include "core/parameters.h"

#include "core/decimal.h"
#include "core/spec.h"

#include <math.h>
#include <string.h>

/* Counts pass through a double; up to 2^53 every whole number is one. */
static const double largest_count = 9007199254740992.0;
_Static_assert(SIZE_MAX >= (UINT64_C(1) << 53), "size_t holds every count");

/* Even places mean true. */
static const char flag_words[] = "true|false|yes|no|1|0";

union value {
    double real;
    size_t count;
    bool flag;
    int choice;
    const char *text;
};

/* One value on its way to one parameter. */
struct given {
    sepal_ctx *ctx;
    struct arena *arena;
    const char *owner;
    const struct parameter *parameter;
    const char *text;
};

struct bounds {
    double low, high;
    bool low_open, high_open;
};

static char parameters_fold(char letter) {
    return letter == '_' ? '-' : letter;
}

static bool same_name(const char *a, size_t length, const char *b) {
    if (strlen(b) != length) return false;
    for (size_t i = 0; i < length; i++) {
        if (parameters_fold(a[i]) != parameters_fold(b[i])) return false;
    }
    return true;
}

const struct parameter *parameters_find(const struct parameter *table, const char *name) {
    for (const struct parameter *parameter = table; parameter->name != NULL; parameter++) {
        if (same_name(parameter->name, strlen(parameter->name), name)) return parameter;
    }
    return NULL;
}

/* The name as the canonical form has it, with '_' between words. */
static void put_name(sepal_ctx *ctx, struct text *out, const char *name) {
    for (size_t length;; name += length + 1) {
        length = strcspn(name, "-");
        text_add(ctx, out, name, length);
        if (name[length] == '\0') return;
        text_add(ctx, out, "_", 1);
    }
}

/* Record the message that was put together in `message`, unless memory ran out on the way. */
static sepal_status parameters_refuse(sepal_ctx *ctx, struct text *message) {
    sepal_status status =
        message->failed ? SEPAL_EMEMORY : fail(ctx, SEPAL_EUSAGE, "%s", message->bytes);
    text_clear(message);
    return status;
}

/* "perceptron: eta", the beginning of every complaint about a value. */
static void begin_complaint(const struct given *given, struct text *message) {
    text_printf(given->ctx, message, "%s: ", given->owner);
    put_name(given->ctx, message, given->parameter->name);
}

static sepal_status complain(const struct given *given, const char *what, const char *link,
                             const char *range) {
    struct text message = {0};
    char shown[TEXT_SHOWN_BYTES];
    begin_complaint(given, &message);
    text_printf(given->ctx, &message, "=%s is %s",
                text_shown(shown, given->text, strlen(given->text)), what);
    if (*range != '\0') text_printf(given->ctx, &message, "%s%s", link, range);
    return parameters_refuse(given->ctx, &message);
}

/* The 0-based place of a word in "a|b|c", -1 if it is not there. */
static int find_word(const char *words, const char *word) {
    for (int place = 0;; place++) {
        size_t length = strcspn(words, "|");
        if (same_name(words, length, word)) return place;
        if (words[length] == '\0') return -1;
        words += length + 1;
    }
}

/* Cut "a|b|c" into zero-terminated words. NULL: recorded in the context. */
static const char **split_words(const struct given *given, const char *words, size_t *n) {
    size_t most = strlen(words) + 1;
    char *copy = arena_text(given->ctx, given->arena, words, most - 1);
    const char **list = arena_alloc(given->ctx, given->arena, most, sizeof *list);
    if (copy == NULL || list == NULL) return NULL;
    *n = 0;
    for (;;) {
        size_t length = strcspn(copy, "|");
        bool last = copy[length] == '\0';
        copy[length] = '\0';
        list[(*n)++] = copy;
        if (last) return list;
        copy += length + 1;
    }
}

static sepal_status refuse_word(const struct given *given, const char *words) {
    size_t n;
    const char **list = split_words(given, words, &n);
    if (list == NULL) return SEPAL_EMEMORY;
    const char *nearest = text_suggest(given->text, list, n);
    struct text message = {0};
    char shown[TEXT_SHOWN_BYTES];
    begin_complaint(given, &message);
    text_printf(given->ctx, &message, "=%s is not one of %s",
                text_shown(shown, given->text, strlen(given->text)), words);
    if (nearest != NULL) text_printf(given->ctx, &message, "; did you mean '%s'?", nearest);
    return parameters_refuse(given->ctx, &message);
}

static const char *read_bound(const char *at, const char *end, double *out) {
    bool minus = at < end && *at == '-';
    const char *word = minus ? at + 1 : at;
    if (end - word < 3 || memcmp(word, "inf", 3) != 0) return decimal_read(at, end, out);
    *out = minus ? -INFINITY : INFINITY;
    return word + 3;
}

/* "[0, inf)"; false when the table's author wrote something else. "" is the whole line. */
static bool read_bounds(struct bounds *out, const char *range) {
    *out = (struct bounds){-INFINITY, INFINITY, true, true};
    if (*range == '\0') return true;
    const char *end = range + strlen(range) - 1;
    out->low_open = *range == '(';
    out->high_open = *end == ')';
    if (!(out->low_open || *range == '[') || !(out->high_open || *end == ']')) return false;
    const char *at = read_bound(range + 1, end, &out->low);
    if (at == NULL || end - at < 2 || memcmp(at, ", ", 2) != 0) return false;
    return read_bound(at + 2, end, &out->high) == end && out->low <= out->high;
}

static bool is_within(double value, const struct bounds *bounds) {
    return (bounds->low_open ? value > bounds->low : value >= bounds->low) &&
           (bounds->high_open ? value < bounds->high : value <= bounds->high);
}

static sepal_status read_real(const struct given *given, double *out) {
    const char *range = given->parameter->range;
    struct bounds bounds;
    if (!read_bounds(&bounds, range)) {
        return fail(given->ctx, SEPAL_EINTERNAL, "the parameter %s of %s has the range '%s'",
                    given->parameter->name, given->owner, range);
    }
    bool count = given->parameter->type == PARAMETER_COUNT;
    const char *kind = count ? "not a whole number" : "not a number";
    const char *end = given->text + strlen(given->text);
    if (decimal_read(given->text, end, out) != end) {
        return decimal_overflows(given->text, end)
                   ? complain(given, "too large: numbers end at 1.8e308", "", "")
                   : complain(given, kind, " in ", range);
    }
    if (count && *out != floor(*out)) return complain(given, kind, " in ", range);
    if (!is_within(*out, &bounds)) return complain(given, "outside", " ", range);
    if (count && !(*out >= 0 && *out <= largest_count)) {
        return complain(given, "outside", " ", "[0, 9007199254740992]");
    }
    return SEPAL_OK;
}

static sepal_status parameters_read_word(const struct given *given, const char *words, int *out) {
    *out = find_word(words, given->text);
    return *out < 0 ? refuse_word(given, words) : SEPAL_OK;
}

static sepal_status parameters_read_value(const struct given *given, union value *out) {
    double number = 0;
    int place;
    switch (given->parameter->type) {
    case PARAMETER_REAL: return read_real(given, &out->real);
    case PARAMETER_COUNT:
        TRY(read_real(given, &number));
        out->count = (size_t)number;
        return SEPAL_OK;
    case PARAMETER_FLAG:
        TRY(parameters_read_word(given, flag_words, &place));
        out->flag = place % 2 == 0;
        return SEPAL_OK;
    case PARAMETER_CHOICE:
        return parameters_read_word(given, given->parameter->range, &out->choice);
    case PARAMETER_TEXT:
    case PARAMETER_FILE:
    case PARAMETER_LIST:
        out->text = arena_text(given->ctx, given->arena, given->text, strlen(given->text));
        return out->text == NULL ? SEPAL_EMEMORY : SEPAL_OK;
    }
    return fail(given->ctx, SEPAL_EINTERNAL, "the parameter %s has no type",
                given->parameter->name);
}

static bool parameters_is_text(enum parameter_type type) {
    return type == PARAMETER_TEXT || type == PARAMETER_FILE || type == PARAMETER_LIST;
}

static size_t value_size(enum parameter_type type) {
    switch (type) {
    case PARAMETER_REAL: return sizeof(double);
    case PARAMETER_COUNT: return sizeof(size_t);
    case PARAMETER_FLAG: return sizeof(bool);
    case PARAMETER_CHOICE: return sizeof(int);
    case PARAMETER_TEXT:
    case PARAMETER_FILE:
    case PARAMETER_LIST: return sizeof(const char *);
    }
    return 0;
}

static void parameters_store(void *values, const struct parameter *parameter,
                             const union value *value) {
    memcpy((char *)values + parameter->offset, value, value_size(parameter->type));
}

static union value parameters_load(const void *values, const struct parameter *parameter) {
    union value value = {0};
    memcpy(&value, (const char *)values + parameter->offset, value_size(parameter->type));
    return value;
}

static bool same_value(enum parameter_type type, const union value *a, const union value *b) {
    switch (type) {
    case PARAMETER_REAL: return a->real == b->real;
    case PARAMETER_COUNT: return a->count == b->count;
    case PARAMETER_FLAG: return a->flag == b->flag;
    case PARAMETER_CHOICE: return a->choice == b->choice;
    case PARAMETER_TEXT:
    case PARAMETER_FILE:
    case PARAMETER_LIST: return strcmp(a->text, b->text) == 0;
    }
    return false;
}

/* What a name without a value means; NULL when it needs one. */
static const char *value_alone(const struct parameter *parameter) {
    bool has_true = parameter->type == PARAMETER_CHOICE && find_word(parameter->range, "true") >= 0;
    return parameter->type == PARAMETER_FLAG || has_true ? "true" : NULL;
}

static sepal_status refuse_alone(const struct given *given) {
    const struct parameter *parameter = given->parameter;
    struct text message = {0};
    begin_complaint(given, &message);
    text_puts(given->ctx, &message, " stands alone; write ");
    put_name(given->ctx, &message, parameter->name);
    text_puts(given->ctx, &message, "=VALUE");
    if (*parameter->range != '\0') {
        text_printf(given->ctx, &message, " with a value %s %s",
                    parameter->type == PARAMETER_CHOICE ? "of" : "in", parameter->range);
    }
    return parameters_refuse(given->ctx, &message);
}

static sepal_status refuse_twice(const struct given *given, const char *before) {
    struct text message = {0};
    char first[TEXT_SHOWN_BYTES], second[TEXT_SHOWN_BYTES];
    begin_complaint(given, &message);
    text_printf(given->ctx, &message, " is given twice, as %s and as %s; give it once",
                text_shown(first, before, strlen(before)),
                text_shown(second, given->text, strlen(given->text)));
    return parameters_refuse(given->ctx, &message);
}

static size_t parameters_count_rows(const struct parameter *table) {
    size_t n = 0;
    while (table[n].name != NULL) n++;
    return n;
}

static sepal_status refuse_name(sepal_ctx *ctx, struct arena *arena, const struct parameter *table,
                                const char *owner, const char *name) {
    size_t n = parameters_count_rows(table);
    const char **names = arena_alloc(ctx, arena, n, sizeof *names);
    if (names == NULL) return SEPAL_EMEMORY;
    for (size_t i = 0; i < n; i++) names[i] = table[i].name;
    struct text message = {0};
    char shown[TEXT_SHOWN_BYTES];
    text_printf(ctx, &message, "%s has no parameter '", owner);
    put_name(ctx, &message, text_shown(shown, name, strlen(name)));
    text_puts(ctx, &message, "'; ");
    const char *nearest = synonym_of_parameter(name, names, n);
    if (nearest == NULL) nearest = text_suggest(name, names, n);
    if (nearest != NULL) {
        text_puts(ctx, &message, "did you mean '");
        put_name(ctx, &message, nearest);
        text_puts(ctx, &message, "'? ");
    }
    text_puts(ctx, &message, n > 0 ? "it has: " : "it has none");
    for (size_t i = 0; i < n; i++) {
        if (i > 0) text_puts(ctx, &message, ", ");
        put_name(ctx, &message, names[i]);
    }
    return parameters_refuse(ctx, &message);
}

static sepal_status fill_default(void *values, const struct given *given) {
    const struct parameter *parameter = given->parameter;
    union value value = {0};
    if (parameter->fallback != NULL) {
        TRY(parameters_read_value(given, &value));
    } else if (parameter->type == PARAMETER_REAL) {
        value.real = NAN;
    } else if (parameters_is_text(parameter->type)) {
        value.text = NULL;
    } else {
        return fail(given->ctx, SEPAL_EINTERNAL, "the parameter %s of %s has no default",
                    parameter->name, given->owner);
    }
    parameters_store(values, parameter, &value);
    return SEPAL_OK;
}

/* `before` is the text of the value that the same parameter was given already, or NULL. */
static sepal_status fill_given(void *values, const struct given *given, const char **before) {
    if (given->text == NULL) return refuse_alone(given);
    union value value = {0};
    TRY(parameters_read_value(given, &value));
    if (*before != NULL) {
        union value old = parameters_load(values, given->parameter);
        return same_value(given->parameter->type, &old, &value) ? SEPAL_OK
                                                                : refuse_twice(given, *before);
    }
    *before = given->text;
    parameters_store(values, given->parameter, &value);
    return SEPAL_OK;
}

sepal_status parameters_fill(void *values, sepal_ctx *ctx, struct arena *arena,
                             const struct parameter *table, const char *owner,
                             const struct setting *settings, size_t n) {
    const char **before = arena_zero(ctx, arena, parameters_count_rows(table), sizeof *before);
    if (before == NULL) return SEPAL_EMEMORY;
    for (const struct parameter *parameter = table; parameter->name != NULL; parameter++) {
        struct given given = {ctx, arena, owner, parameter, parameter->fallback};
        TRY(fill_default(values, &given));
    }
    for (size_t i = 0; i < n; i++) {
        const struct parameter *parameter = parameters_find(table, settings[i].name);
        if (parameter == NULL) return refuse_name(ctx, arena, table, owner, settings[i].name);
        const char *text = settings[i].value != NULL ? settings[i].value : value_alone(parameter);
        struct given given = {ctx, arena, owner, parameter, text};
        TRY(fill_given(values, &given, &before[parameter - table]));
    }
    return SEPAL_OK;
}

sepal_status parameters_parse(void *values, sepal_ctx *ctx, struct arena *arena,
                              const struct parameter *table, const char *owner, const char *text) {
    struct setting *settings;
    size_t n;
    TRY(settings_parse(&settings, &n, ctx, arena, text));
    return parameters_fill(values, ctx, arena, table, owner, settings, n);
}

static void print_word(sepal_ctx *ctx, struct text *out, const char *words, int place) {
    for (; place > 0; place--) words += strcspn(words, "|") + 1;
    text_add(ctx, out, words, strcspn(words, "|"));
}

static void parameters_print_value(sepal_ctx *ctx, struct text *out,
                                   const struct parameter *parameter, const union value *value) {
    switch (parameter->type) {
    case PARAMETER_REAL: text_number(ctx, out, value->real); break;
    case PARAMETER_COUNT: text_printf(ctx, out, "%zu", value->count); break;
    case PARAMETER_FLAG: text_puts(ctx, out, value->flag ? "true" : "false"); break;
    case PARAMETER_CHOICE: print_word(ctx, out, parameter->range, value->choice); break;
    case PARAMETER_TEXT:
    case PARAMETER_FILE:
    case PARAMETER_LIST: spec_quote(ctx, out, value->text); break;
    }
}

static bool is_absent(enum parameter_type type, const union value *value) {
    return (parameters_is_text(type) && value->text == NULL) ||
           (type == PARAMETER_REAL && isnan(value->real));
}

bool parameter_same(const struct parameter *parameter, const void *values, const void *others) {
    union value a = parameters_load(values, parameter), b = parameters_load(others, parameter);
    bool absent = is_absent(parameter->type, &a);
    if (absent || is_absent(parameter->type, &b)) return absent && is_absent(parameter->type, &b);
    return same_value(parameter->type, &a, &b);
}

void parameters_print(sepal_ctx *ctx, struct text *out, const struct parameter *table,
                      const void *values) {
    const char *between = "";
    for (const struct parameter *parameter = table; parameter->name != NULL; parameter++) {
        union value value = parameters_load(values, parameter);
        if (is_absent(parameter->type, &value)) continue;
        text_puts(ctx, out, between);
        put_name(ctx, out, parameter->name);
        text_puts(ctx, out, "=");
        parameters_print_value(ctx, out, parameter, &value);
        between = ", ";
    }
}
