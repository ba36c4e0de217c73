/* The values of one axis of a grid: a list with commas, whose items are values, or ranges of numbers:

       low:high:log:n   n values evenly spaced by their logarithms, to four significant digits, so that they
                        can be typed
       low:high:n       n values evenly spaced
       low:high         of whole numbers all of them

   What stands in double quotes is one value, whatever is in it. */
#include "core/decimal.h"
#include "selection/grid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_VALUES = 10000 };

struct axis_reader {
    struct grid_axis *axis;
    sepal_ctx *ctx;
    struct arena *arena;
};

/* What a message shows of an item. */
static int shown_length(struct slice item) {
    return item.length < 60 ? (int)item.length : 60;
}

static bool axis_is_count(const struct grid_axis *axis) {
    return axis->varied && axis->varied->type == PARAMETER_COUNT;
}

static sepal_status axis_add(const struct axis_reader *in, const char *text) {
    struct grid_axis *axis = in->axis;
    double number = NAN;
    const char *end = text + strlen(text);
    if (decimal_read(text, end, &number) != end) number = NAN;
    for (size_t i = 0; i < axis->n; i++)
        if (axis->number[i] == number || strcmp(axis->text[i], text) == 0)
            return fail(in->ctx, SEPAL_EUSAGE,
                        OPTION "over %s has the value %.60s twice; leave one of them out",
                        axis->name, text);
    if (axis->n == axis->room)
        return fail(in->ctx, SEPAL_EUSAGE,
                    OPTION "over %s has more than %d values; give fewer, for instance %s=1:100:10",
                    axis->name, MOST_VALUES, axis->name);
    axis->text[axis->n] = text;
    axis->number[axis->n++] = number;
    return SEPAL_OK;
}

/* `value` to so many significant digits, by way of decimal text. */
static double round_to(double value, int digits) {
    char text[DECIMAL_BYTES + 16];
    if (value == 0) return 0;
    int exponent = (int)floor(log10(fabs(value))) - digits + 1;
    double mantissa = value / pow(10, exponent), rounded = value;
    (void)snprintf(text, sizeof text, "%.0fe%d", round(mantissa), exponent);
    const char *end = text + strlen(text);
    return decimal_read(text, end, &rounded) == end ? rounded : value;
}

static sepal_status add_number(const struct axis_reader *in, double value) {
    char digits[DECIMAL_BYTES];
    const char *text = arena_text(in->ctx, in->arena, digits, decimal_print(digits, value));
    return text ? axis_add(in, text) : SEPAL_EMEMORY;
}

struct range {
    double low, high;
    size_t n;
    bool logarithmic;
};

static double range_value(const struct range *range, size_t k) {
    double part = (double)k / (double)(range->n - 1);
    if (k == 0) return range->low;
    if (k == range->n - 1) return range->high;
    if (!range->logarithmic) return round_to(range->low + part * (range->high - range->low), 12);
    double step = log(range->high / range->low) / (double)(range->n - 1);
    return round_to(range->low * exp(step * (double)k), fabs(step) < 0.01 ? 12 : 4);
}

static sepal_status add_range(const struct axis_reader *in, const struct range *range) {
    bool count = axis_is_count(in->axis);
    double before = NAN;
    for (size_t k = 0; k < range->n; k++) {
        double value = range_value(range, k);
        if (count) value = round(value);
        if (value == before) continue; /* two that are one whole number */
        TRY(add_number(in, value));
        before = value;
    }
    in->axis->logarithmic = range->logarithmic;
    return SEPAL_OK;
}

static sepal_status refuse_range(const struct axis_reader *in, struct slice item, const char *why) {
    const char *name = in->axis->name;
    return fail(in->ctx, SEPAL_EUSAGE,
                OPTION "over %s=%.*s %s; write %s=LOW:HIGH:log:N, %s=LOW:HIGH:N, or the values "
                       "with commas between them",
                name, shown_length(item), item.bytes, why, name, name);
}

static bool read_part(struct slice part, double *out) {
    const char *end = part.bytes + part.length;
    return part.length > 0 && decimal_read(part.bytes, end, out) == end;
}

/* Cut at colons; how many parts there are, 5 where more than 4. */
static size_t cut_parts(struct slice item, struct slice parts[4]) {
    const char *at = item.bytes, *end = item.bytes + item.length;
    for (size_t n = 0;; n++) {
        const char *colon = memchr(at, ':', (size_t)(end - at));
        if (n == 4) return 5;
        parts[n] = (struct slice){at, (size_t)((colon ? colon : end) - at)};
        if (!colon) return n + 1;
        at = colon + 1;
    }
}

static sepal_status read_range(const struct axis_reader *in, struct slice item,
                               const struct slice parts[4], size_t n_parts) {
    struct range range = {0};
    double n = NAN;
    if (!read_part(parts[0], &range.low) || !read_part(parts[1], &range.high))
        return refuse_range(in, item, "has no two numbers to go between");
    range.logarithmic = n_parts == 4;
    if (n_parts == 4 && !slice_is_nocase(parts[2], "log"))
        return refuse_range(in, item, "is no range");
    if (n_parts == 2) {
        if (!axis_is_count(in->axis))
            return refuse_range(in, item, "does not say how many values there are");
        n = fabs(range.high - range.low) + 1;
    } else if (!read_part(parts[n_parts - 1], &n)) {
        return refuse_range(in, item, "does not say how many values there are");
    }
    if (range.logarithmic && !(range.low > 0 && range.high > 0))
        return refuse_range(in, item,
                            "cannot be evenly spaced by logarithms: both ends must be "
                            "above 0");
    if (range.low == range.high) return refuse_range(in, item, "begins where it ends");
    if (!(n >= 2 && n <= MOST_VALUES) || n != floor(n))
        return refuse_range(in, item, "must have from 2 to 10000 values");
    range.n = (size_t)n;
    return add_range(in, &range);
}

static bool is_range(const struct axis_reader *in, struct slice item, struct slice parts[4],
                     size_t *n_parts) {
    const struct parameter *row = in->axis->varied;
    double number;
    *n_parts = cut_parts(item, parts);
    if (!row || *n_parts < 2) return false;
    if (row->type == PARAMETER_REAL || row->type == PARAMETER_COUNT) return true;
    /* a text may be a number, and may have colons of its own: "spam:2" */
    return row->type == PARAMETER_TEXT && *n_parts > 2 && *n_parts < 5 &&
           read_part(parts[0], &number) && read_part(parts[1], &number);
}

static sepal_status read_item(const struct axis_reader *in, struct slice item) {
    struct slice parts[4];
    size_t n_parts;
    if (item.length == 0)
        return fail(in->ctx, SEPAL_EUSAGE,
                    OPTION "over %s has an empty value; write the values with commas between them",
                    in->axis->name);
    if (is_range(in, item, parts, &n_parts)) {
        if (n_parts == 5) return refuse_range(in, item, "has too many colons");
        return read_range(in, item, parts, n_parts);
    }
    const char *text = arena_text(in->ctx, in->arena, item.bytes, item.length);
    return text ? axis_add(in, text) : SEPAL_EMEMORY;
}

/* At the opening quote; moves behind the closing one. */
static sepal_status read_quoted_item(const struct axis_reader *in, const char **at,
                                     const char *end) {
    const char *from = *at + 1, *c = from;
    char *text = arena_alloc(in->ctx, in->arena, (size_t)(end - from) + 1, 1);
    size_t n = 0;
    if (!text) return SEPAL_EMEMORY;
    for (; c < end && *c != '"'; c++) {
        if (*c == '\\' && c + 1 < end) c++;
        text[n++] = *c;
    }
    if (c == end)
        return fail(in->ctx, SEPAL_EUSAGE, OPTION "over %s: a '\"' is not closed", in->axis->name);
    text[n] = '\0';
    *at = c + 1;
    return axis_add(in, text);
}

static const char *skip_blanks(const char *at, const char *end) {
    while (at < end && strchr(" \t\n\r\v\f", *at)) at++;
    return at;
}

static sepal_status read_next(const struct axis_reader *in, const char **at, const char *end) {
    *at = skip_blanks(*at, end);
    if (*at < end && **at == '"') return read_quoted_item(in, at, end);
    const char *comma = memchr(*at, ',', (size_t)(end - *at)), *stop = comma ? comma : end;
    struct slice item = {*at, (size_t)(stop - *at)};
    while (item.length > 0 && strchr(" \t\n\r\v\f", item.bytes[item.length - 1])) item.length--;
    *at = stop;
    return read_item(in, item);
}

sepal_status grid_read_values(struct grid_axis *axis, sepal_ctx *ctx, struct arena *arena,
                              struct slice text) {
    const struct axis_reader in = {axis, ctx, arena};
    const char *at = text.bytes, *end = at + text.length;
    axis->room = MOST_VALUES;
    axis->text = arena_alloc(ctx, arena, axis->room, sizeof *axis->text);
    axis->number = arena_alloc(ctx, arena, axis->room, sizeof *axis->number);
    if (!axis->text || !axis->number) return SEPAL_EMEMORY;
    for (;; at++) {
        TRY(read_next(&in, &at, end));
        at = skip_blanks(at, end);
        if (at == end) return SEPAL_OK;
        if (*at != ',')
            return fail(ctx, SEPAL_EUSAGE,
                        OPTION "over %s: expected a comma between values, found '%.20s'",
                        axis->name, at);
    }
}
