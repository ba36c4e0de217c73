/* Reports: trees of facts, for programs as JSON and for people as text. */
#ifndef SEPAL_REPORT_REPORT_H
#define SEPAL_REPORT_REPORT_H

#include "core/tree.h"
#include "data/data.h"
#include "model/model.h"

enum report_kind {
    REPORT_FIT,
    REPORT_EVALUATION,
    REPORT_DATA,
    REPORT_MODEL,
    REPORT_SUMMARY,
    REPORT_SEPARABILITY,
    REPORT_PATH,
    REPORT_READ, /* from JSON: for pictures, without a page of its own */
    REPORT_DOCTOR,
    REPORT_SPLIT
};

struct sepal_report {
    enum report_kind kind;
    struct arena arena;
    struct tree_maker make;
    struct tree *root;
    size_t
        top; /* how many weights of a score function the page of a model shows; 0: all. Of a path, 0: all
                   values, else some */
};

enum { TOP_WEIGHTS = 12 }; /* unless it is said */
sepal_report *report_new(sepal_ctx *ctx, enum report_kind kind);
void report_free(sepal_report *report);
/* Hand the report out; it is freed after a failure, or if nobody wants it (out NULL). */
sepal_status report_give(sepal_report **out, sepal_report *report, sepal_status status);

/* A copy of `part` under `key`; the rows of a test after a fit get the baseline of its training. */
void report_attach(sepal_report *report, const char *key, const sepal_report *part);

sepal_status describe_data(sepal_report *report, const sepal_data *data);
sepal_status inspect_model(sepal_report *report, const sepal_model *model);
/* The same, and under `summary` the table of coefficients. */
sepal_status summarise_model(sepal_report *report, const sepal_model *model);

sepal_status report_json(char **out, sepal_ctx *ctx, const sepal_report *report,
                         const char *command);
sepal_status error_json(char **out, sepal_ctx *ctx, const char *command, int exit_code);
void separable_page(sepal_ctx *ctx, struct text *text, const struct tree *root);
sepal_status report_text(char **out, sepal_ctx *ctx, const sepal_report *report);

#endif
