/* Steps that several commands take: read data, load a model, evaluate, print a report. */
#include "cli.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Someone who typed "-" by mistake would wait for a program that waits for them. */
static void await_rows(struct session *s, const char *path) {
    if (strcmp(path, "-") == 0 && isatty(STDIN_FILENO))
        say(s, "waiting for rows on standard input; Ctrl-D ends them");
}

static int finish_read(struct session *s, sepal_status status, const sepal_data *data,
                       const char *path) {
    if (status != SEPAL_OK) return complain_status(s, status);
    say_more(s, "read %s: %zu rows, %zu columns, %.3f s from the start", path,
             sepal_data_rows(data), sepal_data_columns(data), clock_now() - s->start);
    return EXIT_DONE;
}

int step_read(sepal_data **out, struct session *s, const char *path) {
    struct sink options = sink_open(-1);
    options_settings(&s->options, GROUP_READ, &options);
    int code = sink_check(s, &options);
    if (code == EXIT_DONE) {
        await_rows(s, path);
        sepal_status status = sepal_data_read(out, s->ctx, path, sink_text(&options));
        code = finish_read(s, status, *out, path);
    }
    sink_close(&options);
    return code;
}

int step_describe(sepal_report **out, struct session *s, const char *path) {
    struct sink options = sink_open(-1);
    options_settings(&s->options, GROUP_READ, &options);
    int code = sink_check(s, &options);
    if (code == EXIT_DONE) {
        await_rows(s, path);
        sepal_status status = sepal_file_describe(out, s->ctx, path, sink_text(&options));
        code = status == SEPAL_OK ? EXIT_DONE : complain_status(s, status);
    }
    sink_close(&options);
    return code;
}

static int read_for(sepal_data **out, struct session *s, const sepal_model *model, const char *path,
                    struct sink *options, int with_labels) {
    int code = sink_check(s, options);
    if (code != EXIT_DONE) return code;
    await_rows(s, path);
    sepal_status status =
        sepal_data_read_for(out, s->ctx, model, path, sink_text(options), with_labels);
    return finish_read(s, status, *out, path);
}

int step_read_for(sepal_data **out, struct session *s, const sepal_model *model, const char *path,
                  int with_labels) {
    struct sink options = sink_open(-1);
    options_settings(&s->options, GROUP_READ, &options);
    int code = read_for(out, s, model, path, &options, with_labels);
    sink_close(&options);
    return code;
}

int step_read_test(sepal_data **out, struct session *s, const sepal_model *model,
                   const char *path) {
    /* What the columns are was said of the training file, and the model knows it by now. */
    static const struct {
        const char *given, *means;
    } of_the_file[] = {{"format", "format"},       {"delimiter", "delimiter"},
                       {"header", "header"},       {"quote", "quote"},
                       {"skip", "skip"},           {"unknown", "unknown"},
                       {"bad-lines", "bad-lines"}, {"n-features", "n-features"},
                       {"test-labels", "labels"},  {"test-weights", "weights"},
                       {"test-skip", "skip"},      {"decimal", "decimal"}};
    struct sink options = sink_open(-1);
    const char *between = "";
    for (size_t i = 0; i < sizeof of_the_file / sizeof *of_the_file; i++) {
        const char *value = option_value(s, of_the_file[i].given);
        bool instead = strcmp(of_the_file[i].given, "skip") == 0 && option_value(s, "test-skip");
        if (value == NULL || instead) continue;
        sink_puts(&options, between);
        setting_put(&options, of_the_file[i].means, value);
        between = ", ";
    }
    int code = read_for(out, s, model, path, &options, 1);
    sink_close(&options);
    return code;
}

/* MODEL and DATA the wrong way round: does the second one begin as a model does, with the length of its
   header in 8 bytes and the header's brace? */
static bool is_swapped(const struct session *s, const char *path) {
    const struct options *options = &s->options;
    struct stat second;
    unsigned char start[9] = {0};
    if (options->n_arguments != 2 || path != options->arguments[0]) return false;
    if (stat(options->arguments[1], &second) != 0 || !S_ISREG(second.st_mode)) return false;
    FILE *file = fopen(options->arguments[1], "rb");
    if (file == NULL) return false;
    bool read = fread(start, 1, sizeof start, file) == sizeof start;
    fclose(file);
    return read && start[7] == 0 && start[8] == '{';
}

int step_load(sepal_model **out, struct session *s, const char *path) {
    sepal_status status = sepal_model_load(out, s->ctx, path);
    if (status == SEPAL_EMODEL && is_swapped(s, path))
        return complain(
            s, EXIT_MODEL, path,
            "this is no model, but %s looks like one; the model comes first: sepal %s %s "
            "%s",
            s->options.arguments[1], s->command->name, s->options.arguments[1], path);
    if (status != SEPAL_OK) return complain_status(s, status);
    say_more(s, "loaded %s: %s", path, sepal_model_spec(*out));
    return EXIT_DONE;
}

int step_check_predict(struct session *s, const sepal_model *model, const sepal_output *what) {
    struct sink rule = sink_open(-1);
    options_settings(&s->options, GROUP_PREDICT, &rule);
    int code = sink_check(s, &rule);
    if (code == EXIT_DONE) {
        sepal_status status = sepal_model_predict_check(s->ctx, model, what, sink_text(&rule));
        if (status == SEPAL_EMODEL)
            code = complain(s, EXIT_MODEL, s->options.arguments[0], "%s",
                            sepal_ctx_error_message(s->ctx));
        else if (status != SEPAL_OK)
            code = complain_status(s, status);
    }
    sink_close(&rule);
    return code;
}

int step_evaluate(sepal_report **out, struct session *s, const sepal_model *model,
                  const sepal_data *data) {
    static const enum option_group groups[] = {GROUP_PREDICT, GROUP_EVALUATE};
    struct sink options = sink_open(-1);
    /* a command that judges has it in the table */
    const char *positive = s->command->judges ? NULL : option_value(s, "positive");
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        if (options.used > 0 && options_given(&s->options, groups[g])) sink_puts(&options, ", ");
        options_settings(&s->options, groups[g], &options);
    }
    if (positive != NULL) {
        if (options.used > 0) sink_puts(&options, ", ");
        setting_put(&options, "positive", positive);
    }
    int code = sink_check(s, &options);
    if (code == EXIT_DONE) {
        sepal_status status = sepal_model_evaluate(out, s->ctx, model, data, sink_text(&options));
        if (status != SEPAL_OK) code = complain_status(s, status);
    }
    sink_close(&options);
    return code;
}

int step_report(struct session *s, const sepal_report *report) {
    char *text = NULL;
    progress_erase(s);
    if (!s->json) warnings_print(s);
    if (s->quiet && !s->json) return EXIT_DONE;
    sepal_status status = s->json ? sepal_report_json(&text, s->ctx, report, s->command->name)
                                  : sepal_report_text(&text, s->ctx, report);
    if (status != SEPAL_OK) return complain_status(s, status);
    struct result out;
    int code = result_open(&out, s, "-");
    sink_puts(&out.sink, text);
    size_t length = strlen(text);
    if (length == 0 || text[length - 1] != '\n') sink_puts(&out.sink, "\n");
    if (code == EXIT_DONE) code = result_commit(&out, s);
    sepal_text_free(text);
    return code;
}

int step_open_output(struct result *out, struct session *s, const char *doing) {
    const char *path = option_value(s, "output");
    int code = interrupt_check(s, doing);
    if (code == EXIT_DONE) code = result_open(out, s, path != NULL ? path : "-");
    if (code != EXIT_DONE) return code;
    progress_erase(s);
    if (!s->json) warnings_print(s);
    return code;
}
