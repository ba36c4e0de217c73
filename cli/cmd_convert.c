/* sepal convert: the rows in another format. */
#include "cli.h"

#include <string.h>

static const struct option convert_options[] = {
    {.name = "output",
     .letter = 'o',
     .placeholder = "OUT",
     .file = FILE_WRITTEN,
     .help = "write here; - is standard output and needs --to"},
    {.name = "to", .placeholder = "FORMAT", .help = "unless given, by the extension of OUT"},
    {0},
};

/* What cannot be right whatever the data is, said before it is read. */
static int convert_check_names(struct session *s, const char *path, const char *format,
                               struct sink *list) {
    bool standard = path != NULL && strcmp(path, "-") == 0;
    formats_put(list, path == NULL ? "." : "", standard ? 1 : INT_MAX);
    int code = sink_check(s, list);
    if (code != EXIT_DONE) return code;
    if (path == NULL) {
        return complain(s, EXIT_USAGE, NULL,
                        "convert needs a file to write; type: sepal convert %s -o OUT, with the "
                        "extension %s",
                        s->options.arguments[0], sink_text(list));
    }
    if (standard && format == NULL)
        return complain(s, EXIT_USAGE, NULL, "-o - needs the format; add --to %s", sink_text(list));
    if (format != NULL && format_files(format) == 0) {
        return complain(s, EXIT_USAGE, NULL, "there is no format '%s' to write; --to takes %s",
                        format, sink_text(list));
    }
    if (standard && format_files(format) > 1) {
        return complain(s, EXIT_USAGE, NULL,
                        "%s files cannot go to standard output: their labels go to a second file; "
                        "name a file, as in -o OUT.%s",
                        format, format);
    }
    if (standard && s->json)
        return complain(s, EXIT_USAGE, NULL, "--json and -o - both want standard output");
    return EXIT_DONE;
}

/* `convert DATA OUT` is `convert DATA -o OUT`, as people type it who copy files. */
static int take_output(struct session *s) {
    struct options *options = &s->options;
    if (options->n_arguments < 2) return EXIT_DONE;
    for (size_t i = 0; i < options->n_rows; i++) {
        struct option *row = &options->rows[i];
        if (strcmp(row->name, "output") != 0) continue;
        if (row->value != NULL) {
            return complain(s, EXIT_USAGE, NULL,
                            "'%s' and -o '%s' both name the file to write; give one of them",
                            options->arguments[1], row->value);
        }
        row->value = options->arguments[1];
    }
    options->n_arguments = 1;
    return EXIT_DONE;
}

static int convert_check_options(struct session *s) {
    struct sink list = sink_open(-1);
    int code = convert_check_names(s, option_value(s, "output"), option_value(s, "to"), &list);
    sink_close(&list);
    return code;
}

static int convert_run(struct session *s) {
    sepal_data *data = NULL;
    int code = take_output(s);
    if (code == EXIT_DONE) code = convert_check_options(s);
    if (code == EXIT_DONE) code = files_check(s);
    if (code == EXIT_DONE) code = step_read(&data, s, s->options.arguments[0]);
    if (code == EXIT_DONE)
        code = data_put(s, data, option_value(s, "output"), option_value(s, "to"));
    sepal_data_free(data);
    return code;
}

const struct command cmd_convert = {
    .name = "convert",
    .summary = "write data in another format",
    .description =
        "Read DATA as train would, and write the same rows in another format. Text columns "
        "and missing values are coded as they would be for training. OUT replaces a file in "
        "one step.",
    .run = convert_run,
    .usage = "DATA [-o] OUT [--to FORMAT] [OPTION ...]",
    .fewest = 1,
    .most = 2,
    .reads = true,
    .options = convert_options,
    .examples = {"sepal convert examples/data/iris.csv -o iris.npy",
                 "sepal convert examples/data/wine.csv --to tsv -o -"},
};
