/* sepal split: a file cut in two, for training and for testing. */
#include "cli.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const struct option split_options[] = {
    {.name = "test",
     .placeholder = "P",
     .fallback = "0.25",
     .help = "the share of the rows held out for testing, between 0 and 1"},
    {.name = "output",
     .letter = 'o',
     .placeholder = "PREFIX",
     .help = "write PREFIX-train and PREFIX-test, with the extension of DATA; unless given, "
             "PREFIX is the name of DATA"},
    {.name = "train-out",
     .placeholder = "FILE",
     .file = FILE_WRITTEN,
     .help = "write the rows for training here"},
    {.name = "test-out",
     .placeholder = "FILE",
     .file = FILE_WRITTEN,
     .help = "write the rows for testing here"},
    {.name = "stratified", .help = "of each class the same share, by chance; the default"},
    {.name = "ordered", .help = "hold out the last rows, for data in the order of time"},
    {.name = "group",
     .placeholder = "COL",
     .help = "rows with the same value of this column stay together"},
    {.name = "seed", .placeholder = "N", .fallback = "1", .help = "start of the random numbers"},
    {0},
};

enum { SIDES = 2 };
static const char *const side_names[SIDES] = {"train", "test"};

struct split_names {
    char made[SIDES][PATH_MAX + 16];
    const char *path[SIDES];
};

/* Behind the name of a packed file is its own extension, and what is written is not packed. */
static size_t plain_length(const char *path) {
    static const char *const packings[] = {".gz", ".xz", ".zst", ".bz2"};
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof packings / sizeof *packings; i++) {
        size_t length = strlen(packings[i]);
        if (n > length && strcmp(path + n - length, packings[i]) == 0) return n - length;
    }
    return n;
}

/* The extension in the last part of the path, "" if there is none; .bashrc is all name. */
static const char *extension_of(const char *path, size_t end) {
    size_t dot = end;
    while (dot > 0 && path[dot - 1] != '.' && path[dot - 1] != '/') dot--;
    bool extended = dot > 1 && path[dot - 1] == '.' && path[dot - 2] != '/';
    return path + (extended ? dot - 1 : end);
}

static int make_name(struct session *s, struct split_names *names, int side) {
    static const char *const given[SIDES] = {"train-out", "test-out"};
    const char *data = s->options.arguments[0], *prefix = option_value(s, "output");
    size_t end = plain_length(data);
    const char *extension = extension_of(data, end);
    names->path[side] = option_value(s, given[side]);
    if (names->path[side] != NULL) return EXIT_DONE;
    int stem = prefix != NULL ? (int)strlen(prefix) : (int)(extension - data);
    int n = snprintf(names->made[side], sizeof names->made[side], "%.*s-%s%.*s", stem,
                     prefix != NULL ? prefix : data, side_names[side],
                     (int)(data + end - extension), extension);
    if (n < 0 || (size_t)n >= sizeof names->made[side])
        return complain(s, EXIT_OUTPUT, NULL, "the name of the file to write is too long");
    names->path[side] = names->made[side];
    return EXIT_DONE;
}

/* What is wrong with the names, whatever the files are. */
static int check_words(struct session *s) {
    bool both = option_value(s, "train-out") != NULL && option_value(s, "test-out") != NULL;
    if (strcmp(s->options.arguments[0], "-") == 0)
        return complain(s, EXIT_USAGE, NULL,
                        "split reads its rows twice, and standard input can be read only once; "
                        "save it to a file first");
    if (both && option_value(s, "output") != NULL)
        return complain(s, EXIT_USAGE, NULL,
                        "--train-out and --test-out name all that is written; leave -o out");
    if (option_value(s, "stratified") != NULL &&
        (option_value(s, "group") != NULL || option_value(s, "ordered") != NULL))
        return complain(s, EXIT_USAGE, NULL,
                        "--stratified, --ordered and --group say how the rows are chosen; give one "
                        "of them");
    return EXIT_DONE;
}

/* Neither is an input, nor the other one; both can be written. */
static int check_names(struct session *s, struct split_names *names) {
    int code = files_check(s);
    for (int side = 0; side < SIDES && code == EXIT_DONE; side++) {
        code = make_name(s, names, side);
        if (code == EXIT_DONE && strcmp(names->path[side], "-") == 0)
            code = complain(s, EXIT_USAGE, NULL, "--%s-out must be a file: there are two of them",
                            side_names[side]);
        if (code == EXIT_DONE) code = file_check(s, names->path[side]);
        if (code == EXIT_DONE) code = result_probe(s, names->path[side]);
    }
    if (code == EXIT_DONE && files_may_be_one(names->path[0], names->path[1]))
        return complain(s, EXIT_USAGE, NULL, "both parts would be written to %s; name another",
                        names->path[0]);
    return code;
}

static int put_how(struct session *s, struct sink *how) {
    const char *share = option_value(s, "test"), *group = option_value(s, "group");
    setting_put(how, "test", share != NULL ? share : "0.25");
    if (option_value(s, "ordered") != NULL) sink_puts(how, ", ordered");
    if (group != NULL) {
        sink_puts(how, ", ");
        setting_put(how, "group", group);
    }
    return sink_check(s, how);
}

static int cut(struct session *s, const struct split_names *names, struct sink *how,
               struct sink *options) {
    sepal_report *report = NULL;
    options_settings(&s->options, GROUP_READ, options);
    int code = sink_check(s, options);
    if (code != EXIT_DONE) return code;
    bool held = interrupt_hold(true);
    sepal_status status =
        sepal_file_split(&report, s->ctx, s->options.arguments[0], sink_text(options),
                         sink_text(how), names->path[0], names->path[1]);
    interrupt_hold(held);
    code = status == SEPAL_OK ? step_report(s, report) : complain_status(s, status);
    sepal_report_free(report);
    return code;
}

static int split_run(struct session *s) {
    struct split_names names;
    struct sink how = sink_open(-1), options = sink_open(-1);
    uint64_t seed = 1;
    int code = option_count(s, "seed", UINT64_MAX, &seed);
    if (code == EXIT_DONE) code = check_words(s);
    if (code == EXIT_DONE) code = put_how(s, &how);
    if (code == EXIT_DONE) code = check_names(s, &names);
    if (code == EXIT_DONE) {
        sepal_ctx_set_seed(s->ctx, seed);
        code = cut(s, &names, &how, &options);
    }
    sink_close(&how);
    sink_close(&options);
    return code;
}

const struct command cmd_split = {
    .name = "split",
    .summary = "cut a file in two, for training and for testing",
    .description =
        "Write the rows of DATA to two files of the same format. Their bytes stay as they are: "
        "cells, quotes, missing values, columns in use or not; the header goes to both. The same "
        "--seed chooses the same rows as `sepal train --holdout`.\n"
        "A packed DATA is written unpacked. Labels and weights in files of their own are cut, too. "
        "Blank lines and comments go with the row before them; rows that are not learnt from "
        "(--bad-lines skip, weight 0) go to neither file. Both files appear when both are whole.",
    .run = split_run,
    .usage = "DATA [--test P] [-o PREFIX] [--ordered | --group COL] [OPTION ...]",
    .fewest = 1,
    .most = 1,
    .reads = true,
    .options = split_options,
    .examples = {"sepal split examples/data/iris.csv -o iris",
                 "sepal split examples/data/wine.csv --test 0.3 --seed 7 -o wine"},
};
