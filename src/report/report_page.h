/* What the pages for people are made of: names at the left, facts of the tree behind them. */
#ifndef SEPAL_REPORT_REPORT_PAGE_H
#define SEPAL_REPORT_REPORT_PAGE_H

#include "report/report.h"

struct page {
    sepal_ctx *ctx;
    struct text text;
};

/* A number or truth of the tree, NaN if there is none; a text, "" if there is none. */
double report_number(const struct tree *root, const char *path);
const char *report_string(const struct tree *root, const char *path);

void page_pad(struct page *page, size_t have, size_t want);
void page_left(struct page *page, const char *text, size_t width);
void page_right(struct page *page, const char *text, size_t width);
/* Counts exactly, measures to `digits` places, "n/a" for what is undefined. */
void page_cell(struct page *page, double value, int digits, size_t width);
void page_line(struct page *page, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "setosa, versicolor, virginica", cut short when there are many; with counts, if not NULL. */
void page_classes(struct page *page, const char *name, const struct tree *classes,
                  const struct tree *counts);
/* The line `target`: which column or file the labels are from. */
void page_target(struct page *page, const struct tree *root);
/* The line `data`: rows, features, numbers other than 0. */
void page_shape(struct page *page, const struct tree *root);
/* A description of data. */
void data_page(struct page *page, const struct tree *root);
/* report_doctor.c: findings about the data. */
void doctor_page(struct page *page, const struct tree *root);
/* report_split.c: how a file was cut in two. */
void split_page(struct page *page, const struct tree *root);
/* The line `decision`, if rows are not decided as usual. */
void page_decision(struct page *page, const struct tree *root);

/* Precision, recall and F1 of each class, then their averages. */
void page_class_table(struct page *page, const struct tree *root);
/* The metrics of all rows, but for those that head the page. */
void page_metrics(struct page *page, const struct tree *root);

/* report_judgement.c: the interval of a number, " [low, high]", if there is one at that path; costs and
   curves. */
void page_interval(struct page *page, const struct tree *root, const char *path);
void judgement_page(struct page *page, const struct tree *root);

/* report_labels.c: sets of labels, in the page of an evaluation and in lines of a fit's. */
void labels_page(struct page *page, const struct tree *root);
void labels_training_line(struct page *page, const struct tree *root);
void labels_test_line(struct page *page, const struct tree *test);

/* report_path.c: the page of `sepal tune --path`, with all values or some. */
void path_page(struct page *page, const struct tree *root, bool all);

/* report_model.c: the page of `sepal inspect`. */
void model_page(struct page *page, const struct tree *root, size_t top);
/* report_summary_page.c: that of `sepal inspect --summary`. */
void summary_page(struct page *page, const struct tree *root);

#endif
