/* Writing HTML: what comes from data is escaped here, and nowhere else is it let in. */
#ifndef SEPAL_PAGE_HTML_H
#define SEPAL_PAGE_HTML_H

#include "core/text.h"
#include "core/tree.h"

struct html {
    sepal_ctx *ctx;
    struct text text;
};

/* Markup of our own, as it is. */
void html_put(struct html *html, const char *markup);
void html_putf(struct html *html, const char *markup, ...) __attribute__((format(printf, 2, 3)));
/* Text from anywhere, for between tags and for quoted attributes: & < > " ' as entities, U+FFFD for control
   characters and for what is not UTF-8. */
void html_text(struct html *html, const char *text);
/* The same, of which the direction of writing (right to left, marks that turn it) stays inside. */
void html_name(struct html *html, const char *text);
/* A number rounded to `digits` significant ones for people, whole ones exactly, with all its digits as the
   value of the element, and as `key` where it is to be found by; NaN is n/a. */
void html_number(struct html *html, const char *key, double value, int digits);
void html_fact(struct html *html, const char *name, const char *text); /* <dt> <dd> */
void html_fact_number(struct html *html, const char *name, const char *key, double value);
/* A section with its heading, and its end. `id` is a word. */
void html_section(struct html *html, const char *id, const char *heading);
void html_section_end(struct html *html);
/* <table> with a caption, that scrolls by itself; columns "name" or "name#" for numbers, ending with NULL.
   Sortable ones have a button in each head. */
void html_table(struct html *html, const char *caption, bool sortable, const char *const *columns);
void html_table_end(struct html *html);
void html_head_cell(struct html *html, const char *name, bool number, bool sortable);
void html_row(struct html *html, const char *name); /* <tr> and its first cell, a row header */
void html_cell_text(struct html *html, const char *text);
void html_cell_number(struct html *html, const char *key, double value, int digits);
/* A picture as SVG: its identifiers and classes begin with the name, so that no two pictures share any. */
void html_svg(struct html *html, const char *name, const char *svg, size_t n);

extern const char page_style[], page_script[];

#endif
