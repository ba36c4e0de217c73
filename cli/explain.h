/* What `sepal explain` works with: the rows that are explained, the score function that is explained of
   each, and what the features contribute to it. */
#ifndef SEPAL_CLI_EXPLAIN_H
#define SEPAL_CLI_EXPLAIN_H

#include "cli.h"

struct explain {
    struct session *s;
    sepal_model *model;
    sepal_data *data;
    size_t rows, functions, width, terms;
    size_t top;                   /* contributions to show of a row; SIZE_MAX: all */
    size_t asked;                 /* the class of --class; NO_CLASS: none */
    bool pairs;                   /* a function for each two classes */
    bool csv, some;               /* --csv; --rows */
    unsigned char *chosen;        /* of each row whether it is shown */
    char **names;                 /* of the terms */
    const char *at;               /* where the baseline is: "training mean", ... */
    char *baseline;               /* the name that says so */
    bool *is_feature;             /* of each term, whether a value of the rows belongs to it */
    double *cells;                /* the values of a row */
    double *importance;           /* of each term the sum of |contribution| */
    size_t *order, weighty;       /* terms in the order of importance, and how many have any */
    size_t counted;               /* rows in these sums */
    struct numbers numbers;       /* all functions of a row: score, baseline, terms, rounding */
    struct numbers probabilities; /* width 0: there are none */
};

enum { NO_CLASS = SIZE_MAX };

/* One row: the function that is explained, with the sign that makes it speak for `class`. */
struct explained {
    size_t row, class, against; /* NO_CLASS: against all others */
    bool known;                 /* false: a value is missing, and there are no numbers */
    double score, baseline, rounding, probability; /* NaN: there is none */
    double *terms;                                 /* explain.terms of them */
    size_t *order; /* of the terms, the largest contributions first */
    size_t nonzero;
};

int explain_open(struct explain *e, struct session *s);
void explain_close(struct explain *e);
/* Rows one after the other. `out` is made by explained_open. */
int explained_open(struct explained *out, struct explain *e);
void explained_close(struct explained *out);
int explained_fetch(struct explained *out, struct explain *e, size_t row);
/* Add the rows that are explained to the importance, and order it. */
int explain_weigh(struct explain *e);
/* Terms in the order of |values|, the largest first; returns how many are not 0. */
size_t explain_order(size_t *order, const double *values, size_t n);
/* The exact sum of the terms order[from ..], rounded once, with three more numbers. */
double explain_sum(const double *terms, const size_t *order, size_t from, size_t to,
                   const double *more, size_t n_more);
/* The value that the row has in the feature of a term, as text; false: none belongs to it. */
bool explained_value(struct sink *out, const struct explain *e, size_t term, bool json);

int explain_put_csv(struct explain *e, struct sink *out);
int explain_put_json(struct explain *e, struct sink *out);
int explain_put_text(struct explain *e, struct sink *out);

#endif
