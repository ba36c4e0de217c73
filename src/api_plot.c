/* The public functions of pictures, and of reports that were written as JSON. */
#include "sepal/sepal.h"

#include "core/alloc.h"
#include "core/arguments.h"
#include "plot/plot.h"
#include "report/report.h"

#include <string.h>

sepal_status sepal_plot(void **out, size_t *n, sepal_ctx *ctx, const char *kind,
                        const sepal_model *model, const sepal_data *data,
                        const sepal_report *report, const char *options) {
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(n), GIVEN(kind));
    return plot_make(out, n, ctx, kind, model, data, report ? report->root : NULL, options);
}

/* The lines of a trace: an object each. */
static sepal_status read_lines(sepal_report *report, sepal_ctx *ctx, const char *path,
                               const char *json, size_t size) {
    struct tree *lines = tree_array(&report->make, report->root, "lines");
    const char *end = json + size;
    for (size_t number = 1; json < end; number++) {
        const char *newline = memchr(json, '\n', (size_t)(end - json));
        size_t length = (size_t)((newline ? newline : end) - json);
        struct tree *line;
        TRY(check_cancelled(ctx, "reading"));
        if (length > 0) {
            sepal_status status =
                json_read(&line, ctx, &report->arena, (struct slice){json, length}, SEPAL_EDATA);
            if (status != SEPAL_OK) fail_place(ctx, path, number, 0);
            TRY(status);
            tree_adopt(lines, line);
        }
        json += length + 1;
    }
    return report->make.failed ? SEPAL_EMEMORY : SEPAL_OK;
}

static bool has_lines(const char *json, size_t size) {
    const char *newline = memchr(json, '\n', size);
    size_t rest = newline ? size - (size_t)(newline - json) : 0, i = 1;
    while (i < rest && (newline[i] == '\n' || newline[i] == ' ' || newline[i] == '\r')) i++;
    return newline && newline > json && newline[-1] == '}' && i < rest;
}

static sepal_status read_report(sepal_report *report, sepal_ctx *ctx, const char *path,
                                const char *json, size_t size) {
    struct tree *root = NULL;
    if (size == 0)
        return fail_at(ctx, SEPAL_EDATA, path, 0, 0,
                       "this file is empty; so is the trace of a fit without steps: perceptrons "
                       "take some, and " OPTION "solver sgd");
    size_t blanks = 0;
    while (blanks < size && strchr(" \t\r\n", json[blanks]) && json[blanks]) blanks++;
    if (blanks == size || json[blanks] != '{')
        return fail_at(ctx, SEPAL_EDATA, path, 0, 0,
                       "this is no report: a report is what a command prints with " OPTION
                       "json, and a trace what sepal train " OPTION "trace writes");
    if (has_lines(json, size)) return read_lines(report, ctx, path, json, size);
    sepal_status status =
        json_read(&root, ctx, &report->arena, (struct slice){json, size}, SEPAL_EDATA);
    if (status != SEPAL_OK) {
        fail_place(ctx, path, 0, 0);
        return status;
    }
    if (tree_find(root, "update") || tree_find(root, "step") || tree_find(root, "epoch"))
        return read_lines(report, ctx, path, json, size); /* a trace of one line */
    report->root = root;
    return SEPAL_OK;
}

sepal_status sepal_report_read(sepal_report **out, sepal_ctx *ctx, const char *path) {
    char *json = NULL;
    size_t size = 0;
    if (out) *out = NULL;
    BEGIN(ctx, GIVEN(out), GIVEN(path));
    TRY(input_slurp(&json, &size, ctx, path, SEPAL_EDATA));
    sepal_report *report = report_new(ctx, REPORT_READ);
    sepal_status status = report ? read_report(report, ctx, path, json, size) : SEPAL_EMEMORY;
    mem_free(json);
    return report_give(out, report, status);
}
