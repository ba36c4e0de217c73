/* As in train everything is written beside its place first, so that a failure leaves nothing behind. */
#include "selecting.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what is asked for --------------------------------------------------------------------- */

static int selecting_check_data(struct session *s) {
    const char *path = s->options.arguments[0];
    if (option_value(s, "refit") != NULL && option_value(s, "output") == NULL)
        return complain(s, EXIT_USAGE, NULL,
                        "--refit fits all rows for a model to be saved; add -o model.sepal");
    if (strcmp(path, "-") == 0 || access(path, R_OK) == 0) return EXIT_DONE;
    return complain(s, EXIT_DATA, path, "cannot open it: %s%s", strerror(errno),
                    errno == ENOENT ? "; DATA is the path of a file, or - for standard input" : "");
}

static int selecting_check_files(struct session *s) {
    static const char *const names[] = {"output", "csv"};
    int code = EXIT_DONE;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = option_value(s, names[i]);
        if (path != NULL && strcmp(path, "-") == 0)
            return complain(s, EXIT_USAGE, NULL,
                            "--%s must be a file: standard output is for the report", names[i]);
    }
    code = files_check(s);
    for (size_t i = 0; i < sizeof names / sizeof *names && code == EXIT_DONE; i++) {
        const char *path = option_value(s, names[i]);
        if (path != NULL) code = result_probe(s, path);
    }
    return code;
}

/* A command of two tasks knows the options of both. */
static int check_task(struct session *s, const char *task) {
    for (size_t i = 0; i < s->options.n_rows; i++) {
        const struct option *row = &s->options.rows[i];
        if (row->group != GROUP_SELECTION || row->value == NULL || task_takes(task, row->name))
            continue;
        return complain(s, EXIT_USAGE, NULL,
                        strcmp(task, "path") == 0 ? "--%s has no meaning with --path; leave one of "
                                                    "them out"
                                                  : "--%s goes with --path; add it, or leave --%s "
                                                    "out",
                        row->name, row->name);
    }
    return EXIT_DONE;
}

static bool is_named(const char *name, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (name[i] == '\0' || name[i] != (text[i] == '_' ? '-' : text[i])) return false;
    return name[length] == '\0';
}

/* Behind "logistic." where that is the learner of -m. */
static const char *skip_learner(const struct session *s, const char *over) {
    size_t learner, length = strcspn(over, ".=");
    const char *spec = option_value(s, "method");
    sepal_method method = {.size = sizeof method};
    if (over[length] != '.' || spec == NULL || !spec_learner(spec, &learner)) return over;
    if (sepal_method_at(SEPAL_LEARNER, learner, &method) != SEPAL_OK) return over;
    return is_named(method.name, over, length) ? over + length + 1 : over;
}

/* One value and a grid of a parameter: which of them is meant is not to be guessed. */
static int check_over(struct session *s) {
    const char *over;
    for (size_t n = 0; (over = option_value_at(s, "over", n)) != NULL; n++) {
        const char *name = skip_learner(s, over + strspn(over, " "));
        size_t length = strcspn(name, " =");
        for (size_t i = 0; i < s->options.n_rows; i++) {
            const struct option *row = &s->options.rows[i];
            if (row->group != GROUP_PARAMETER || row->value == NULL ||
                !is_named(row->name, name, length))
                continue;
            return complain(s, EXIT_USAGE, NULL,
                            "%s is given twice, as --%s %s and in --over %s; leave one of them "
                            "out",
                            row->name, row->name, row->value, over);
        }
    }
    return EXIT_DONE;
}

/* The options of the task, and those of each fit and of the decision. */
static int words_of_task(struct session *s, const char *name, struct sink *task, struct sink *fit) {
    *task = sink_open(-1);
    *fit = sink_open(-1);
    task_settings(&s->options, name, task);
    options_settings(&s->options, GROUP_FIT, fit);
    if (fit->used > 0 && options_given(&s->options, GROUP_PREDICT)) sink_puts(fit, ", ");
    options_settings(&s->options, GROUP_PREDICT, fit);
    int code = sink_check(s, task);
    return code == EXIT_DONE ? sink_check(s, fit) : code;
}

/* One -m with the parameters that stand as options, or several as they are. */
static int ask_with(struct session *s, struct selecting *all, const char *task, const char *fit) {
    size_t n = 0;
    while (option_value_at(s, "method", n) != NULL) n++;
    const char **specs = calloc(n + 1, sizeof *specs);
    if (specs == NULL) return complain_memory(s);
    struct sink one = sink_open(-1);
    for (size_t i = 0; i < n; i++) specs[i] = option_value_at(s, "method", i);
    if (n == 0 && option_value(s, "method") != NULL) specs[n++] = option_value(s, "method");
    if (n == 1) spec_with_parameters(s, specs[0], &one);
    int code = sink_check(s, &one);
    if (code == EXIT_DONE && n == 1) specs[0] = sink_text(&one);
    if (code == EXIT_DONE && all->data != NULL)
        code = step_doctor(&all->doctor, s, all->data, n == 1 ? specs[0] : NULL);
    if (code == EXIT_DONE) {
        sepal_model **model =
            all->makes_model || option_value(s, "output") != NULL ? &all->model : NULL;
        sepal_status status =
            sepal_select(model, &all->report, s->ctx, all->task, specs, n, all->data, task, fit);
        code = status == SEPAL_OK ? EXIT_DONE : complain_status(s, status);
    }
    sink_close(&one);
    free(specs);
    return code;
}

int selecting_ask(struct session *s, struct selecting *all) {
    struct sink task, fit;
    int code = words_of_task(s, all->task, &task, &fit);
    if (code == EXIT_DONE) code = ask_with(s, all, sink_text(&task), sink_text(&fit));
    sink_close(&task);
    sink_close(&fit);
    return code;
}

/* ---- what came of it ----------------------------------------------------------------------- */

void put_number(struct sink *out, const sepal_report *report, const char *format, ...) {
    char place[512], digits[SEPAL_NUMBER_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(place, sizeof place, format, arguments);
    va_end(arguments);
    double value = sepal_report_number(report, place);
    if (isnan(value)) return;
    sepal_number_print(digits, value);
    sink_puts(out, digits);
}

void put_cell(struct sink *out, const sepal_report *report, const char *format, ...) {
    char place[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(place, sizeof place, format, arguments);
    va_end(arguments);
    const char *text = sepal_report_string(report, place);
    if (text == NULL) {
        put_number(out, report, "%s", place);
        return;
    }
    bool bare = text[strcspn(text, ",\"\r\n")] == '\0';
    if (bare) {
        sink_puts(out, text);
        return;
    }
    sink_puts(out, "\"");
    for (; *text != '\0'; text++) {
        if (*text == '"') sink_puts(out, "\"");
        sink_add(out, text, 1);
    }
    sink_puts(out, "\"");
}

/* A word as a shell takes it. */
static void put_word(struct sink *out, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./,:+@%=";
    if (*word != '\0' && word[strspn(word, plain)] == '\0') {
        sink_puts(out, word);
        return;
    }
    bool quotes = strpbrk(word, "\"$`\\!") != NULL;
    sink_puts(out, quotes ? "'" : "\"");
    for (; *word != '\0'; word++) {
        if (quotes && *word == '\'')
            sink_puts(out, "'\\''");
        else
            sink_add(out, word, 1);
    }
    sink_puts(out, quotes ? "'" : "\"");
}

static void put_given(struct sink *out, const struct options *options, enum option_group group) {
    for (size_t i = 0; i < options->n_rows; i++) {
        const struct option *row = &options->rows[i];
        if (row->group != group || row->value == NULL) continue;
        sink_printf(out, " --%s", row->name);
        if (row->placeholder == NULL) continue;
        sink_puts(out, " ");
        put_word(out, row->value);
    }
}

void put_training(struct sink *out, const struct session *s, const char *spec) {
    sink_puts(out, "sepal train ");
    put_word(out, s->options.arguments[0]);
    sink_puts(out, " -m ");
    put_word(out, spec);
    put_given(out, &s->options, GROUP_READ);
    put_given(out, &s->options, GROUP_FIT);
    put_given(out, &s->options, GROUP_PREDICT);
    const char *seed = option_value(s, "seed");
    if (seed != NULL) sink_printf(out, " --seed %s", seed);
}

void say_refit(struct session *s, const char *spec, const char *further) {
    bool piped = strcmp(s->options.arguments[0], "-") == 0; /* what to type then is not known */
    if (option_value(s, "output") != NULL || s->quiet || piped || spec == NULL) return;
    struct sink line = sink_open(-1);
    put_training(&line, s, spec);
    sink_puts(&line, further);
    const char *text = sink_text(&line);
    if (line.error == 0)
        say(s, "to fit all rows: %s -o model.sepal (or add -o model.sepal here)", text);
    sink_close(&line);
}

static int write_table(struct session *s, struct selecting *all) {
    const char *path = option_value(s, "csv");
    if (path == NULL) return EXIT_DONE;
    int code = result_open(&all->csv, s, path);
    if (code != EXIT_DONE) return code;
    all->opened = true;
    all->csv.sink.interrupts_allowed = INT_MAX;
    all->put_table(&all->csv.sink, all->report);
    sink_flush(&all->csv.sink);
    if (all->csv.sink.error == 0) return EXIT_DONE;
    return complain(s, EXIT_OUTPUT, all->csv.path, "cannot write the table: %s",
                    strerror(all->csv.sink.error));
}

/* Report when all files are beside their places, and put them there when the report is out. */
static int selecting_finish(struct session *s, struct selecting *all) {
    const char *path = option_value(s, "output");
    int code = write_table(s, all);
    if (code == EXIT_DONE && path != NULL) {
        sepal_status status = sepal_model_stage(&all->staged, s->ctx, all->model, path);
        if (status != SEPAL_OK) code = complain_status(s, status);
    }
    if (s->verbose) sepal_report_set_top(all->report, 0);
    if (code == EXIT_DONE) code = step_report(s, all->report);
    if (code == EXIT_DONE && all->opened) {
        all->opened = false;
        code = result_commit(&all->csv, s);
    }
    if (code == EXIT_DONE && all->staged != NULL) {
        sepal_status status = sepal_staged_commit(s->ctx, all->staged);
        if (status != SEPAL_OK) code = complain_status(s, status);
    }
    if (code == EXIT_DONE && all->say_next != NULL) all->say_next(s, all->report);
    return code;
}

static int selecting(struct session *s, struct selecting *all) {
    uint64_t seed = 1;
    int code = check_task(s, all->task);
    if (code == EXIT_DONE) code = check_over(s);
    if (code == EXIT_DONE) code = selecting_ask(s, all);
    if (code == EXIT_DONE) code = selecting_check_data(s);
    if (code == EXIT_DONE) code = selecting_check_files(s);
    if (code == EXIT_DONE) code = option_count(s, "seed", UINT64_MAX, &seed);
    if (code != EXIT_DONE) return code;
    sepal_ctx_set_seed(s->ctx, seed);
    code = step_read(&all->data, s, s->options.arguments[0]);
    if (code == EXIT_DONE) code = interrupt_check(s, "reading");
    if (code != EXIT_DONE) return code;
    sepal_status status = sepal_data_check_target(s->ctx, all->data);
    if (status != SEPAL_OK) return complain_status(s, status);
    code = selecting_ask(s, all);
    if (code != EXIT_DONE) return code;
    code = step_doctor_attach(s, all->report, all->doctor);
    all->doctor = NULL;
    if (code != EXIT_DONE) return code;
    s->fitted = true;
    const char *path = option_value(s, "output");
    interrupt_hold(path != NULL && !result_in_place(path));
    code = selecting_finish(s, all);
    sepal_staged_free(all->staged);
    interrupt_hold(false);
    return code;
}

int selecting_run(struct session *s, struct selecting *all) {
    int code = selecting(s, all);
    if (all->opened) result_discard(&all->csv);
    sepal_data_free(all->data);
    sepal_model_free(all->model);
    sepal_report_free(all->report);
    sepal_report_free(all->doctor);
    return code;
}
