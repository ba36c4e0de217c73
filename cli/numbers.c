/* Numbers of a model for rows, fetched some at a time, so that output of any width needs little
   memory. Pieces begin at multiples of CHUNK, as the library's own do. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 4096, CELLS = 1 << 24 };

int numbers_open(struct numbers *out, struct session *s, const sepal_model *model,
                 const sepal_data *data, sepal_output what) {
    *out = (struct numbers){.model = model,
                            .data = data,
                            .what = what,
                            .width = sepal_model_outputs(model, what),
                            .rule = sink_open(-1)};
    size_t rows = sepal_data_rows(data), most = out->width > 0 ? CELLS / out->width : CELLS;
    if (most < CHUNK) most = CHUNK;
    if (rows > most) rows = most - most % CHUNK;
    options_settings(&s->options, GROUP_ANSWER, &out->rule);
    out->values = calloc(rows > 0 ? rows : 1, (out->width > 0 ? out->width : 1) * sizeof(double));
    if (out->values == NULL) return complain_memory(s);
    out->n = rows;
    out->first = rows > 0 ? SIZE_MAX : 0; /* nothing is there yet */
    return sink_check(s, &out->rule);
}

int numbers_row(struct numbers *numbers, struct session *s, size_t row, const double **out) {
    size_t rows = sepal_data_rows(numbers->data), chunk = numbers->n;
    size_t first = row / chunk * chunk;
    if (first != numbers->first) {
        sepal_answers answers = {.numbers = numbers->values, .what = numbers->what};
        size_t n = rows - first < chunk ? rows - first : chunk;
        sepal_status status = sepal_answer(&answers, s->ctx, numbers->model, numbers->data, first, n,
                                           sink_text(&numbers->rule));
        if (status != SEPAL_OK) return complain_status(s, status);
        numbers->first = first;
    }
    *out = numbers->values + (row - first) * numbers->width;
    return EXIT_DONE;
}

int numbers_names(struct numbers *numbers, struct session *s, struct sink *out) {
    for (size_t j = 0; j < numbers->width; j++) {
        char *name = NULL;
        sepal_status status =
            sepal_model_output_name(&name, s->ctx, numbers->model, numbers->what, j);
        if (status != SEPAL_OK) return complain_status(s, status);
        sink_puts(out, ",");
        sink_cell(out, name, ",\"\r\n");
        sepal_text_free(name);
    }
    return EXIT_DONE;
}

void numbers_close(struct numbers *numbers) {
    free(numbers->values);
    sink_close(&numbers->rule);
}
