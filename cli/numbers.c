/* Classes and numbers of a model for rows, fetched some rows at a time, so that output of any width
   needs little memory; and how they are printed. Each row is predicted once, its class and numbers
   together, as long as the numbers of all rows fit in that memory or go to a file. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows that are fetched again have been counted, and have their classes. */
static int numbers_fetch(struct numbers *numbers, struct session *s, size_t first) {
    size_t rest = sepal_data_rows(numbers->data) - first, n = rest < numbers->n ? rest : numbers->n;
    bool again = first < numbers->done;
    sepal_predictions some = numbers->all;
    some.classes = some.classes != NULL && !again ? some.classes + first : NULL;
    sepal_status status = sepal_model_predict_rows(&some, s->ctx, numbers->model, numbers->data,
                                                   first, n, sink_text(&numbers->rule));
    if (status != SEPAL_OK) return complain_status(s, status);
    numbers->first = first;
    if (!again) {
        some.classes = numbers->all.classes;
        numbers->all = some;
        numbers->done = first + n;
    }
    return interrupt_check(s, "computing");
}

/* A file that appears only when it is whole can be written while rows are still to come. In a stream
   a row that cannot be had is to be found before the first one is printed, and JSON begins with the
   labels of all rows. */
static bool numbers_may_wait(const struct session *s) {
    const char *path = option_value(s, "output");
    return !s->json && path != NULL && strcmp(path, "-") != 0 && !result_in_place(path);
}

static int numbers_alloc(struct numbers *out, struct session *s, bool with_classes) {
    enum { MOST_CELLS = 1 << 21 }; /* 16 MB */
    size_t rows = sepal_data_rows(out->data);
    size_t width = out->width + out->labels;
    while (2 * out->n * width <= MOST_CELLS && out->n < rows) out->n *= 2;
    if (out->width > 0) out->all.numbers = calloc(out->n, out->width * sizeof(double));
    if (with_classes && out->labels > 0)
        out->all.labels = calloc(out->n, out->labels);
    else if (with_classes)
        out->all.classes = calloc(rows > 0 ? rows : 1, sizeof(int32_t));
    bool lacking = (out->width > 0 && out->all.numbers == NULL) ||
                   (with_classes && out->all.classes == NULL && out->all.labels == NULL);
    return lacking ? complain_memory(s) : sink_check(s, &out->rule);
}

int numbers_open(struct numbers *out, struct session *s, const sepal_model *model,
                 const sepal_data *data, const sepal_output *what, bool with_classes) {
    *out = (struct numbers){.model = model, .data = data, .n = 1, .rule = sink_open(-1)};
    out->all.size = sizeof out->all;
    if (what != NULL) out->all.what = *what;
    if (what != NULL) out->width = sepal_model_outputs(model, *what);
    if (with_classes && sepal_model_label_sets(model)) out->labels = sepal_model_classes(model);
    options_settings(&s->options, GROUP_PREDICT, &out->rule);
    int code = numbers_alloc(out, s, with_classes);
    size_t rows = sepal_data_rows(data);
    if (rows > out->n && numbers_may_wait(s)) return code;
    for (size_t at = 0; at < rows && code == EXIT_DONE; at += out->n)
        code = numbers_fetch(out, s, at);
    return code;
}

void numbers_close(struct numbers *numbers) {
    free(numbers->all.classes);
    free(numbers->all.labels);
    free(numbers->all.numbers);
    sink_close(&numbers->rule);
}

int numbers_reach(struct numbers *numbers, struct session *s, size_t row) {
    size_t first = row / numbers->n * numbers->n;
    bool at_hand = first == numbers->first && row < numbers->done;
    return at_hand ? EXIT_DONE : numbers_fetch(numbers, s, first);
}

void numbers_row(const struct numbers *numbers, size_t row, const char *missing, struct sink *out) {
    const double *values = numbers->all.numbers + (row - numbers->first) * numbers->width;
    for (size_t k = 0; k < numbers->width; k++) {
        if (k > 0) sink_puts(out, ",");
        if (isfinite(values[k]))
            sink_number(out, values[k]);
        else
            sink_puts(out, missing);
    }
}

/* Of each label whether the row has it; NULL: the row is not decided. */
static const signed char *numbers_set_of(const struct numbers *numbers, size_t row) {
    const signed char *set = numbers->all.labels + (row - numbers->first) * numbers->labels;
    return set[0] < 0 ? NULL : set;
}

const char *numbers_class(const struct numbers *numbers, size_t row) {
    int32_t class = numbers->all.classes[row];
    return class < 0 ? "?" : sepal_model_class(numbers->model, (size_t) class);
}

void numbers_set(const struct numbers *numbers, size_t row, struct sink *out) {
    const signed char *set = numbers_set_of(numbers, row);
    bool first = true;
    if (set == NULL) sink_puts(out, "?");
    for (size_t k = 0; set != NULL && k < numbers->labels; k++) {
        if (!set[k]) continue;
        if (!first) sink_puts(out, ",");
        sink_cell(out, sepal_model_class(numbers->model, k), ",\"\r\n");
        first = false;
    }
}

void numbers_label_cell(const struct numbers *numbers, size_t row, struct sink *out) {
    if (numbers->labels == 0) {
        sink_cell(out, numbers_class(numbers, row), ",\"\r\n");
        return;
    }
    struct sink text = sink_open(-1);
    numbers_set(numbers, row, &text);
    sink_cell(out, sink_text(&text), ",\"\r\n");
    sink_inherit(out, &text);
    sink_close(&text);
}

void numbers_label_json(const struct numbers *numbers, size_t row, struct sink *out) {
    if (numbers->labels == 0) {
        sink_json(out, numbers_class(numbers, row));
        return;
    }
    const signed char *set = numbers_set_of(numbers, row);
    bool first = true;
    sink_puts(out, set == NULL ? "null" : "[");
    for (size_t k = 0; set != NULL && k < numbers->labels; k++) {
        if (!set[k]) continue;
        if (!first) sink_puts(out, ",");
        sink_json(out, sepal_model_class(numbers->model, k));
        first = false;
    }
    if (set != NULL) sink_puts(out, "]");
}

int numbers_names(struct numbers *numbers, struct session *s, bool json, struct sink *out) {
    for (size_t j = 0; j < numbers->width; j++) {
        char *name = NULL;
        sepal_status status =
            sepal_model_output_name(&name, s->ctx, numbers->model, numbers->all.what, j);
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
    sink_puts(out, "[");
    for (size_t i = 0; i < sepal_data_rows(numbers->data); i++) {
        int code = numbers_reach(numbers, s, i);
        if (code != EXIT_DONE) return code;
        sink_puts(out, i > 0 ? ",[" : "[");
        numbers_row(numbers, i, "null", out);
        sink_puts(out, "]");
    }
    sink_puts(out, "]");
    return EXIT_DONE;
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
