/* sepal sample: new rows, drawn from a model that keeps a density of each class. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const struct option sample_options[] = {
    {.name = "rows", .letter = 'n', .placeholder = "N", .help = "how many rows to draw"},
    {.name = "output",
     .letter = 'o',
     .placeholder = "OUT",
     .file = FILE_WRITTEN,
     .fallback = "-",
     .help = "write here, in the format of the extension; - is standard output, as CSV"},
    {.name = "seed", .placeholder = "N", .fallback = "1", .help = "start of the random numbers"},
    {0},
};

static void put_row(struct sink *out, const double *row, size_t columns) {
    sink_puts(out, "[");
    for (size_t j = 0; j < columns; j++) {
        if (j > 0) sink_puts(out, ",");
        sink_number(out, row[j]);
    }
    sink_puts(out, "]");
}

static int sample_put_names(struct session *s, struct sink *out, const sepal_data *data) {
    for (size_t j = 0; j < sepal_data_columns(data); j++) {
        char *name = NULL;
        sepal_status status = sepal_data_column_name(&name, s->ctx, data, j);
        if (status != SEPAL_OK) return complain_status(s, status);
        if (j > 0) sink_puts(out, ",");
        sink_json(out, name);
        sepal_text_free(name);
    }
    return EXIT_DONE;
}

/* Names, labels and rows; `row` has room for one. */
static int sample_put_json(struct session *s, struct sink *out, const sepal_data *data,
                           double *row) {
    sink_json_begin(out, "sample");
    sink_puts(out, ",\"columns\":[");
    int code = sample_put_names(s, out, data);
    sink_puts(out, "],\"labels\":[");
    for (size_t i = 0; i < sepal_data_rows(data); i++) {
        if (i > 0) sink_puts(out, ",");
        sink_json(out, sepal_data_label(data, i));
    }
    sink_puts(out, "],\"rows\":[");
    for (size_t i = 0; i < sepal_data_rows(data); i++) {
        if (i > 0) sink_puts(out, ",");
        sepal_data_row(row, data, i);
        put_row(out, row, sepal_data_columns(data));
    }
    sink_puts(out, "]");
    sink_json_end(out, s->ctx);
    return code;
}

static int print_json(struct session *s, const sepal_data *data) {
    struct result out;
    double *row = malloc(sepal_data_columns(data) * sizeof *row);
    if (row == NULL) return complain_memory(s);
    progress_erase(s);
    int code = result_open(&out, s, "-");
    if (code == EXIT_DONE) code = result_end(&out, s, sample_put_json(s, &out.sink, data, row));
    free(row);
    return code;
}

/* How many rows, and from which seed. */
static int sample_read_numbers(struct session *s, uint64_t *rows) {
    uint64_t seed = 1;
    if (option_value(s, "rows") == NULL)
        return complain(s, EXIT_USAGE, NULL,
                        "sample needs a number of rows; type: sepal sample %s -n 10",
                        s->options.arguments[0]);
    int code = option_count(s, "rows", SIZE_MAX, rows);
    if (code == EXIT_DONE) code = option_count(s, "seed", UINT64_MAX, &seed);
    if (code == EXIT_DONE) sepal_ctx_set_seed(s->ctx, seed);
    return code;
}

static int sample_draw(sepal_data **out, struct session *s, const sepal_model *model,
                       uint64_t rows) {
    struct sink options = sink_open(-1);
    options_settings(&s->options, GROUP_SAMPLE, &options);
    int code = sink_check(s, &options);
    if (code == EXIT_DONE) {
        sepal_status status = sepal_model_sample(out, s->ctx, model, rows, sink_text(&options));
        if (status == SEPAL_EMODEL)
            code = complain(s, EXIT_MODEL, s->options.arguments[0], "%s",
                            sepal_ctx_error_message(s->ctx));
        else if (status != SEPAL_OK)
            code = complain_status(s, status);
    }
    sink_close(&options);
    return code;
}

static int sample_run(struct session *s) {
    sepal_model *model = NULL;
    sepal_data *data = NULL;
    uint64_t rows = 0;
    const char *path = option_value(s, "output");
    bool standard = path == NULL || strcmp(path, "-") == 0;
    int code = sample_read_numbers(s, &rows);
    if (code == EXIT_DONE) code = files_check(s);
    if (code == EXIT_DONE) code = step_load(&model, s, s->options.arguments[0]);
    if (code == EXIT_DONE) code = sample_draw(&data, s, model, rows);
    if (code == EXIT_DONE && standard && s->json)
        code = print_json(s, data);
    else if (code == EXIT_DONE)
        code = data_put(s, data, standard ? "-" : path, standard ? "csv" : NULL);
    sepal_data_free(data);
    sepal_model_free(model);
    return code;
}

const struct command cmd_sample = {
    .name = "sample",
    .summary = "draw new rows from a model",
    .description =
        "Draw N rows with their labels from a model that keeps a density of each class (gaussian, "
        "naive-bayes): classes with their priors, then rows of that class. They are in the units "
        "of the training data. The same seed gives the same rows, and a larger N begins with those "
        "of a smaller one.",
    .run = sample_run,
    .usage = "MODEL -n N [--class LABEL] [--length L] [-o OUT] [OPTION ...]",
    .fewest = 1,
    .most = 1,
    .samples = true,
    .options = sample_options,
    .examples = {"sepal sample wine.sepal -n 5",
                 "sepal sample wine.sepal -n 1000 --class class_0 -o new.csv"},
};
