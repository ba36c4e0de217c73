#include "page/html.h"

#include "core/decimal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void html_put(struct html *html, const char *markup) {
    text_puts(html->ctx, &html->text, markup);
}

void html_putf(struct html *html, const char *markup, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, markup);
    int length = vsnprintf(text, sizeof text, markup, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof text)
        html->text.failed = true; /* never: what is ours is short */
    else
        html_put(html, text);
}

/* ---- text --------------------------------------------------------------------------------- */

static const char *entity_of(char c) {
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return NULL;
    }
}

static bool is_control(char c) {
    return ((unsigned char)c < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
}

void html_text(struct html *html, const char *text) {
    size_t length = strlen(text), at = 0;
    while (at < length) {
        size_t valid = at + utf8_valid_prefix(text + at, length - at), from = at;
        for (; at < valid; at++) {
            const char *instead = is_control(text[at]) ? "\xef\xbf\xbd" : entity_of(text[at]);
            if (!instead) continue;
            text_add(html->ctx, &html->text, text + from, at - from);
            html_put(html, instead);
            from = at + 1;
        }
        text_add(html->ctx, &html->text, text + from, at - from);
        if (at < length) html_put(html, "\xef\xbf\xbd"), at++;
    }
}

void html_name(struct html *html, const char *text) {
    html_put(html, "<bdi>");
    html_text(html, text);
    html_put(html, "</bdi>");
}

void html_number(struct html *html, const char *key, double value, int digits) {
    char shown[64];
    if (!isfinite(value)) {
        html_put(html, "<span class=na>n/a</span>");
        return;
    }
    bool whole = value == floor(value) && fabs(value) < 1e15;
    if (whole)
        shown[decimal_print(shown, value)] = '\0';
    else
        snprintf(shown, sizeof shown, "%.*g", digits, value);
    html_put(html, "<data");
    if (key) html_putf(html, " data-key=\"%s\"", key);
    html_put(html, " value=\"");
    text_number(html->ctx, &html->text, value);
    html_putf(html, "\">%s</data>", shown);
}

/* ---- parts of a page ---------------------------------------------------------------------- */

void html_fact(struct html *html, const char *name, const char *text) {
    if (!*text) return;
    html_putf(html, "<dt>%s</dt><dd>", name);
    html_name(html, text);
    html_put(html, "</dd>\n");
}

void html_fact_number(struct html *html, const char *name, const char *key, double value) {
    if (!isfinite(value)) return;
    html_putf(html, "<dt>%s</dt><dd>", name);
    html_number(html, key, value, 6);
    html_put(html, "</dd>\n");
}

void html_section(struct html *html, const char *id, const char *heading) {
    html_putf(html, "<section id=%s aria-labelledby=h-%s>\n<h2 id=h-%s>%s</h2>\n", id, id, id,
              heading);
}

void html_section_end(struct html *html) {
    html_put(html, "</section>\n");
}

void html_head_cell(struct html *html, const char *name, bool number, bool sortable) {
    html_put(html, number ? "<th scope=col class=n>" : "<th scope=col>");
    if (sortable) html_put(html, "<button type=button>");
    html_name(html, name);
    if (sortable) html_put(html, "</button>");
    html_put(html, "</th>");
}

void html_table(struct html *html, const char *caption, bool sortable, const char *const *columns) {
    char name[64];
    html_put(html, "<div class=wide tabindex=0 role=region aria-label=\"");
    html_text(html, caption);
    html_putf(html, "\"><table%s>\n<caption>", sortable ? " class=sortable" : "");
    html_text(html, caption);
    html_put(html, "</caption>\n<thead><tr>");
    for (; *columns; columns++) {
        size_t length = strlen(*columns);
        bool number = length > 0 && (*columns)[length - 1] == '#';
        snprintf(name, sizeof name, "%.*s", (int)(length - number), *columns);
        html_head_cell(html, name, number, sortable);
    }
    html_put(html, "</tr></thead>\n<tbody>\n");
}

void html_table_end(struct html *html) {
    html_put(html, "</tbody></table></div>\n");
}

void html_row(struct html *html, const char *name) {
    html_put(html, "<tr><th scope=row>");
    html_name(html, name);
    html_put(html, "</th>");
}

void html_cell_text(struct html *html, const char *text) {
    html_put(html, "<td>");
    html_name(html, text);
    html_put(html, "</td>");
}

void html_cell_number(struct html *html, const char *key, double value, int digits) {
    html_put(html, "<td class=n>");
    html_number(html, key, value, digits);
    html_put(html, "</td>");
}

/* ---- pictures ----------------------------------------------------------------------------- */

/* Classes are those that src/draw/svg.c gives, "sepal-..."; text between tags is left alone. */
void html_svg(struct html *html, const char *name, const char *svg, size_t n) {
    static const char prefix[] = "sepal-", style[] = "<style>", end[] = "</style>";
    bool in_tag = false, in_style = false;
    size_t from = 0;
    for (size_t at = 0; at < n; at++) {
        size_t left = n - at;
        if (left >= strlen(style) && memcmp(svg + at, style, strlen(style)) == 0) in_style = true;
        if (left >= strlen(end) && memcmp(svg + at, end, strlen(end)) == 0) in_style = false;
        if (svg[at] == '<') in_tag = true;
        if (svg[at] == '>') in_tag = false;
        if (!(in_tag || in_style) || left < strlen(prefix)) continue;
        if (memcmp(svg + at, prefix, strlen(prefix)) != 0) continue;
        text_add(html->ctx, &html->text, svg + from, at - from);
        html_putf(html, "%s-", name);
        from = at + strlen(prefix);
    }
    text_add(html->ctx, &html->text, svg + from, n - from);
}
