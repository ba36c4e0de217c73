/* Numbers of a model for rows, fetched some at a time, so that output of any width needs little
   memory; and how they are printed. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>

static int numbers_fetch(struct numbers *numbers, struct session *s, size_t first) {
    size_t rest = sepal_data_rows(numbers->data) - first;
    sepal_predictions predictions = {.numbers = numbers->values, .what = numbers->what};
    sepal_status status =
        sepal_predict_rows(&predictions, s->ctx, numbers->model, numbers->data, first,
                           rest < numbers->n ? rest : numbers->n, sink_text(&numbers->rule));
    if (status != SEPAL_OK) return complain_status(s, status);
    numbers->first = first;
    return interrupt_check(s, "computing");
}

/* A row that cannot be had is to be found before the first one is printed. */
static int try_all(struct numbers *numbers, struct session *s) {
    int code = EXIT_DONE;
    for (size_t at = 0; at < sepal_data_rows(numbers->data) && code == EXIT_DONE; at += numbers->n)
        code = numbers_fetch(numbers, s, at);
    return code;
}

int numbers_open(struct numbers *out, struct session *s, const sepal_model *model,
                 const sepal_data *data, sepal_output what) {
    enum { MOST_CELLS = 1 << 21 }; /* 16 MB */
    *out = (struct numbers){.model = model,
                            .data = data,
                            .what = what,
                            .width = sepal_model_outputs(model, what),
                            .n = 1,
                            .rule = sink_open(-1)};
    while (2 * out->n * out->width <= MOST_CELLS && out->n < sepal_data_rows(data)) out->n *= 2;
    options_settings(&s->options, GROUP_PREDICT, &out->rule);
    out->values = calloc(out->n, (out->width > 0 ? out->width : 1) * sizeof *out->values);
    if (out->values == NULL) return complain_memory(s);
    int code = sink_check(s, &out->rule);
    return code == EXIT_DONE ? try_all(out, s) : code;
}

void numbers_close(struct numbers *numbers) {
    free(numbers->values);
    sink_close(&numbers->rule);
}

static int numbers_find_row(struct numbers *numbers, struct session *s, size_t row,
                            const double **out) {
    size_t first = row / numbers->n * numbers->n;
    int code = first != numbers->first ? numbers_fetch(numbers, s, first) : EXIT_DONE;
    *out = numbers->values + (row - first) * numbers->width;
    return code;
}

int numbers_row(struct numbers *numbers, struct session *s, size_t row, const char *missing,
                struct sink *out) {
    const double *values;
    int code = numbers_find_row(numbers, s, row, &values);
    for (size_t k = 0; code == EXIT_DONE && k < numbers->width; k++) {
        if (k > 0) sink_puts(out, ",");
        if (isfinite(values[k]))
            sink_number(out, values[k]);
        else
            sink_puts(out, missing);
    }
    return code;
}

int numbers_names(struct numbers *numbers, struct session *s, bool json, struct sink *out) {
    for (size_t j = 0; j < numbers->width; j++) {
        char *name = NULL;
        sepal_status status =
            sepal_model_output_name(&name, s->ctx, numbers->model, numbers->what, j);
        if (status != SEPAL_OK) return complain_status(s, status);
        if (j > 0) sink_puts(out, ",");
        if (json)
            sink_json(out, name);
        else
            sink_cell(out, name, ",\"\r\n");
        sepal_text_free(name);
    }
    return EXIT_DONE;
}

int numbers_json(struct numbers *numbers, struct session *s, struct sink *out) {
    int code = EXIT_DONE;
    sink_puts(out, "[");
    for (size_t i = 0; i < sepal_data_rows(numbers->data) && code == EXIT_DONE; i++) {
        sink_puts(out, i > 0 ? ",[" : "[");
        code = numbers_row(numbers, s, i, "null", out);
        sink_puts(out, "]");
    }
    sink_puts(out, "]");
    return code;
}

void kept_json(const sepal_data *data, struct sink *out) {
    if (*sepal_data_kept_header(data) == '\0') return;
    sink_puts(out, ",\"kept_header\":");
    sink_json(out, sepal_data_kept_header(data));
    sink_puts(out, ",\"kept\":[");
    for (size_t i = 0; i < sepal_data_rows(data); i++) {
        if (i > 0) sink_puts(out, ",");
        sink_json(out, sepal_data_kept_row(data, i));
    }
    sink_puts(out, "]");
}
