/* A report as one page of HTML that needs nothing else: its sections are made of the same trees that JSON
   and text are printed from. A section whose facts are not there is left out. */
#ifndef SEPAL_PAGE_PAGE_H
#define SEPAL_PAGE_PAGE_H

#include "data/data.h"
#include "model/model.h"
#include "page/html.h"

struct page_facts {
    const sepal_model *model;
    const char *spec;       /* of it, without what is at its default */
    const sepal_data *data; /* the rows that the model is judged by */
    const char *options;    /* of the decisions in `judgement` */
    const char *command;    /* what makes the page again; NULL: not known */
    const struct tree *judgement, *inside,
        *about;                  /* evaluation, summary of the model, description */
    const struct tree *findings; /* of the doctor: an array */
    const struct tree *fit;      /* report of the training; these are NULL if absent */
};

sepal_status page_make(struct html *out, const struct page_facts *facts);

/* The sections, in their order. */
void page_asked(struct html *html, const struct page_facts *facts);
void page_data(struct html *html, const struct page_facts *facts);
void page_fit(struct html *html, const struct page_facts *facts);
void page_judgement(struct html *html, const struct page_facts *facts);
sepal_status page_pictures(struct html *html, const struct page_facts *facts);
sepal_status page_weights(struct html *html, const struct page_facts *facts);
sepal_status page_rows(struct html *html, const struct page_facts *facts);
void page_again(struct html *html, const struct page_facts *facts);
/* Whether rows are those that the model was fitted to, as far as the report of the training says. */
bool page_is_of_training(const struct page_facts *facts);

/* Most rows of a table, and columns of numbers. Pages stay below 1 MB: there are no pictures beyond PAGE_BYTES. */
enum { PAGE_ROWS = 200, PAGE_COLUMNS = 12, PAGE_CLASSES = 30, PAGE_BYTES = 800000 };

#endif
