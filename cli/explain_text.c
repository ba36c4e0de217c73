/* Contributions for people: a table a row, its numbers rounded so that what is printed adds up to the
   printed score, and what matters most over all rows. */
#include "explain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BAR = 20, NAME_MOST = 40, DIGITS = 4, SHOWN_ROWS = 10 };

/* Characters of UTF-8. */
static size_t width_of(const char *text) {
    size_t n = 0;
    for (; *text != '\0'; text++) n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

static void put_padded(struct sink *out, const char *text, size_t width) {
    size_t have = width_of(text);
    sink_puts(out, text);
    for (; have < width; have++) sink_puts(out, " ");
}

/* Numbers as whole multiples of 10^-decimals, so that they add up; if they are too large for that, each by
   itself. */
struct scale {
    int decimals;
    double unit; /* 0: each by itself */
};

static struct scale scale_of(double largest) {
    struct scale scale = {0, 1};
    if (largest == 0) return scale;
    int order = (int)floor(log10(largest));
    scale.decimals = DIGITS - 1 - order;
    if (scale.decimals < 0) scale.decimals = 0;
    scale.unit = order > DIGITS + 8 || scale.decimals > 15 ? 0 : pow(10, scale.decimals);
    return scale;
}

static double rounded(const struct scale *scale, double value) {
    return scale->unit != 0 ? round(value * scale->unit) : value;
}

static void number_text(char text[64], const struct scale *scale, double value, bool sign) {
    if (scale->unit != 0)
        snprintf(text, 64, sign ? "%+.*f" : "%.*f", scale->decimals, value / scale->unit + 0.0);
    else
        snprintf(text, 64, sign ? "%+.4g" : "%.4g", value);
}

static void put_bar(struct sink *out, double value, double largest) {
    int length = largest > 0 ? (int)lround(BAR * fabs(value) / largest) : 0;
    if (length > BAR) length = BAR; /* the others together */
    if (length > 0) sink_puts(out, "  ");
    for (int i = 0; i < length; i++) sink_puts(out, value < 0 ? "-" : "+");
}

struct line {
    struct explain *e;
    struct sink *out;
    struct scale scale;
    size_t name_width, number_width;
    double largest;
};

static void put_line(struct line *line, const char *name, double value, bool sign, bool bar) {
    char number[64];
    number_text(number, &line->scale, value, sign);
    sink_puts(line->out, "  ");
    put_padded(line->out, name, line->name_width);
    sink_printf(line->out, "  %*s", (int)line->number_width, number);
    if (bar) put_bar(line->out, value, rounded(&line->scale, line->largest));
    sink_puts(line->out, "\n");
}

/* "petal_length = 1.4", cut where it is very long. */
static void name_text(struct sink *out, const struct explain *e, size_t term) {
    struct sink value = sink_open(-1);
    const char *name = e->names[term];
    size_t bytes = strlen(name), seen = 0, keep = 0;
    while (keep < bytes && (seen += ((unsigned char)name[keep] & 0xC0) != 0x80) <= NAME_MOST)
        keep++;
    sink_add(out, name, keep);
    if (keep < bytes) sink_puts(out, "...");
    if (explained_value(&value, e, term, false)) sink_printf(out, " = %s", sink_text(&value));
    sink_inherit(out, &value);
    sink_close(&value);
}

static size_t widest_name(struct explain *e, const struct explained *one, size_t shown) {
    size_t widest = strlen("baseline ()") + strlen(e->at);
    for (size_t i = 0; i < shown; i++) {
        struct sink name = sink_open(-1);
        name_text(&name, e, one->order[i]);
        size_t width = width_of(sink_text(&name));
        if (width > widest) widest = width;
        sink_close(&name);
    }
    return widest;
}

static void put_title(const struct explain *e, const struct explained *one, struct sink *out) {
    sink_printf(out, "row %zu: ", one->row + 1);
    if (e->numbers.labels > 0)
        numbers_set(&e->numbers, one->row, out);
    else
        sink_puts(out, numbers_class(&e->numbers, one->row));
    if (!one->known) {
        sink_puts(out, "  (a value that the model needs is missing)\n");
        return;
    }
    sink_printf(out, "  (score of %s", sepal_model_class(e->model, one->class));
    if (one->against != NO_CLASS)
        sink_printf(out, " against %s", sepal_model_class(e->model, one->against));
    if (isfinite(one->probability)) sink_printf(out, ", probability %.4g", one->probability);
    sink_puts(out, ")\n");
}

/* What rounding to few digits leaves goes to the others, or where there are none to the baseline. */
static void put_table(struct line *line, const struct explained *one, size_t shown) {
    struct explain *e = line->e;
    size_t rest = one->nonzero - shown;
    const struct scale *scale = &line->scale;
    double others = explain_sum(one->terms, one->order, shown, one->nonzero, &one->rounding, 1);
    double baseline = rounded(scale, one->baseline), left = rounded(scale, one->score) - baseline;
    for (size_t i = 0; i < shown; i++) left -= rounded(scale, one->terms[one->order[i]]);
    if (scale->unit != 0 && rest > 0)
        others = left;
    else if (scale->unit != 0)
        baseline += left;
    char name[64];
    snprintf(name, sizeof name, "baseline (%.40s)", e->at);
    put_line(line, name, baseline, true, false);
    for (size_t i = 0; i < shown; i++) {
        struct sink text = sink_open(-1);
        name_text(&text, e, one->order[i]);
        put_line(line, sink_text(&text), rounded(scale, one->terms[one->order[i]]), true, true);
        sink_inherit(line->out, &text);
        sink_close(&text);
    }
    snprintf(name, sizeof name, "%zu other%s", rest, rest == 1 ? "" : "s");
    if (rest > 0) put_line(line, name, others, true, true);
    put_line(line, "score", rounded(scale, one->score), true, false);
}

static int put_text_row(struct explain *e, struct explained *one, struct sink *out) {
    char number[64];
    put_title(e, one, out);
    if (!one->known) return EXIT_DONE;
    one->nonzero = explain_order(one->order, one->terms, e->terms);
    if (one->nonzero == SIZE_MAX) return complain_memory(e->s);
    sepal_data_row(e->cells, e->data, one->row);
    size_t shown = e->top < one->nonzero ? e->top : one->nonzero;
    double largest = shown > 0 ? fabs(one->terms[one->order[0]]) : 0;
    struct line line = {.e = e, .out = out, .largest = largest};
    line.scale = scale_of(fmax(fmax(fabs(one->score), fabs(one->baseline)), largest));
    line.name_width = widest_name(e, one, shown);
    number_text(number, &line.scale, rounded(&line.scale, -fmax(largest, fabs(one->baseline))),
                true);
    line.number_width = strlen(number) + 1;
    put_table(&line, one, shown);
    return EXIT_DONE;
}

static void put_importance(struct explain *e, struct sink *out) {
    size_t shown = e->top < e->weighty ? e->top : e->weighty, width = strlen("feature");
    sink_printf(out, "\nwhat matters over all %zu rows: mean of |contribution|\n", e->counted);
    for (size_t i = 0; i < shown; i++) {
        size_t name = width_of(e->names[e->order[i]]);
        if (name > width && name <= NAME_MOST) width = name;
    }
    for (size_t i = 0; i < shown; i++) {
        double value = e->importance[e->order[i]] / (double)e->counted;
        sink_puts(out, "  ");
        put_padded(out, e->names[e->order[i]], width);
        sink_printf(out, "  %10.4g", value);
        put_bar(out, value, e->importance[e->order[0]] / (double)e->counted);
        sink_puts(out, "\n");
    }
    if (shown < e->weighty) sink_printf(out, "  ... %zu more\n", e->weighty - shown);
}

int explain_put_text(struct explain *e, struct sink *out) {
    struct explained one;
    size_t shown = 0, most = e->some ? SIZE_MAX : SHOWN_ROWS;
    int code = explained_open(&one, e);
    for (size_t i = 0; i < e->rows && shown < most && code == EXIT_DONE; i++) {
        if (!e->chosen[i]) continue;
        if (shown++ > 0) sink_puts(out, "\n");
        code = explained_fetch(&one, e, i);
        if (code == EXIT_DONE) code = put_text_row(e, &one, out);
    }
    explained_close(&one);
    if (code != EXIT_DONE || e->some) return code;
    code = explain_weigh(e);
    if (code != EXIT_DONE) return code;
    if (e->counted > 0) put_importance(e, out);
    if (e->rows > shown)
        sink_printf(
            out, "\n%zu more rows: --rows %zu-%zu shows some of them, --csv and --json have all\n",
            e->rows - shown, shown + 1, e->rows < shown + 10 ? e->rows : shown + 10);
    return EXIT_DONE;
}
