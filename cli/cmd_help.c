/* sepal help: written from the tables of commands and options, as are the pages of manual/. */
#include "cli.h"

#include <errno.h>
#include <string.h>

const struct exit_row exit_table[] = {
    {EXIT_DONE, "done", "done"},
    {EXIT_INTERNAL, "internal fault", "a fault of Sepal itself"},
    {EXIT_USAGE, "usage",
     "unknown or impossible command, option, parameter or spec, or a part that this build lacks"},
    {EXIT_DATA, "data", "data missing, unreadable, malformed, or unfit for the model or learner"},
    {EXIT_MODEL, "model", "model missing, unreadable, damaged, or unfit"},
    {EXIT_NOT_CONVERGED, "not converged (with --strict)", "not converged; only with --strict"},
    {EXIT_OUTPUT, "memory or output", "not enough memory, or output not writable"},
    {EXIT_INTERRUPTED, "interrupted",
     "interrupted by Ctrl-C; what a fit has is saved as MODEL.interrupted, if it is a model"},
    {EXIT_CLOSED, "output closed", "standard output was closed; says nothing"},
    {0, NULL, NULL},
};

const char overview_summary[] = "linear classification, done completely";
const char *const overview_examples[OVERVIEW_EXAMPLES] = {
    "sepal describe examples/data/breast_cancer.csv",
    "sepal train examples/data/breast_cancer.csv -m standardize+logistic -o cancer.sepal",
    "sepal predict cancer.sepal examples/data/breast_cancer.csv",
};
const char note_parameters[] =
    "A parameter of the learner is an option, too: `-m perceptron --eta 0.5` means "
    "`-m \"perceptron(eta=0.5)\"`. `sepal list learners` shows the parameters.";
const char note_data[] = "DATA is a file, packed or not, or - for standard input.";

void help_row(struct sink *out, struct sink *left, const struct option *option) {
    enum { HELP_COLUMN = 28 };
    struct sink right = sink_open(-1);
    sink_puts(&right, option->help);
    if (option->range != NULL && *option->range != '\0') sink_puts(&right, "; ");
    /* Without its blank a range is one word, which no line end can cut. */
    for (const char *c = option->range; c != NULL && *c != '\0'; c++) {
        if (*c != ' ') sink_add(&right, c, 1);
    }
    if (option->fallback != NULL) sink_printf(&right, "; default %s", option->fallback);
    sink_text(&right);
    sink_text(left);
    sink_inherit(out, &right);
    sink_inherit(out, left);
    sink_printf(out, "%-*s ", HELP_COLUMN - 1, sink_text(left));
    if (left->used > HELP_COLUMN - 1) sink_printf(out, "\n%*s", HELP_COLUMN, "");
    sink_wrap(out, HELP_COLUMN, sink_text(&right));
    sink_close(&right);
}

static void put_option(struct sink *out, const struct option *option) {
    struct sink left = sink_open(-1);
    if (option->letter != 0)
        sink_printf(&left, "  -%c, --%s", option->letter, option->name);
    else
        sink_printf(&left, "      --%s", option->name);
    if (option->placeholder != NULL) sink_printf(&left, " %s", option->placeholder);
    help_row(out, &left, option);
    sink_close(&left);
}

static void put_group(struct sink *out, const struct options *options, enum option_group group,
                      const char *title) {
    bool empty = true;
    for (size_t i = 0; i < options->n_rows; i++) {
        if (options->rows[i].group != group) continue;
        if (empty) sink_printf(out, "\n%s:\n", title);
        put_option(out, &options->rows[i]);
        empty = false;
    }
}

/* A paragraph of words put together in memory, which is given back. */
static void put_paragraph(struct sink *out, struct sink *words) {
    const char *text = sink_text(words);
    sink_inherit(out, words);
    sink_wrap(out, 0, text);
    sink_close(words);
}

/* Paragraphs: the lines of `text`. */
static void help_put_text(struct sink *out, const char *text) {
    for (size_t length; *text != '\0'; text += length + (text[length] == '\n')) {
        struct sink line = sink_open(-1);
        length = strcspn(text, "\n");
        sink_add(&line, text, length);
        sink_puts(out, "\n");
        put_paragraph(out, &line);
    }
}

static void put_command(struct sink *out, const struct command *command) {
    struct options options;
    options_build(&options, command);
    sink_printf(out, "sepal %s: %s.\n\nUsage: sepal %s %s\n", command->name, command->summary,
                command->name, command->usage);
    help_put_text(out, command->description);
    put_group(out, &options, GROUP_COMMAND, "Options");
    put_group(out, &options, GROUP_READ, "Options of reading");
    put_group(out, &options, GROUP_FIT, "Options of fitting");
    put_group(out, &options, GROUP_PREDICT, "Options of deciding");
    put_group(out, &options, GROUP_EVALUATE, "Options of judging");
    put_group(out, &options, GROUP_SAMPLE, "Options of drawing rows");
    put_group(out, &options, GROUP_PATH, "Options of the path");
    if (command->fits) help_put_text(out, note_parameters);
    if (command->reads) help_put_text(out, note_data);
    sink_puts(out, "\nExamples:\n");
    for (size_t i = 0; i < 2; i++) sink_printf(out, "  %s\n", command->examples[i]);
    if (options.failed) out->error = ENOMEM;
    options_clear(&options);
}

static void put_overview(struct sink *out) {
    sink_printf(out, "sepal: %s.\n\n", overview_summary);
    for (size_t i = 0; i < OVERVIEW_EXAMPLES; i++) sink_printf(out, "  %s\n", overview_examples[i]);
    sink_puts(out, "\nCommands:\n");
    for (const struct command *const *row = command_table; *row != NULL; row++)
        sink_printf(out, "  %-10s %s\n", (*row)->name, (*row)->summary);
    struct sink codes = sink_open(-1);
    for (const struct exit_row *row = exit_table; row->word != NULL; row++)
        sink_printf(&codes, "%s%d %s", row == exit_table ? "Exit codes: " : ", ", (int)row->code,
                    row->word);
    sink_puts(out, "\n`sepal help COMMAND` tells more, `sepal list` names the methods for -m,\n"
                   "`sepal --version` what this build uses.\n");
    sink_puts(&codes, ".");
    put_paragraph(out, &codes);
}

int help_print(struct session *s, const struct command *command) {
    struct result out;
    int code = result_open(&out, s, "-");
    if (command != NULL)
        put_command(&out.sink, command);
    else
        put_overview(&out.sink);
    return code == EXIT_DONE ? result_commit(&out, s) : code;
}

static int help_run(struct session *s) {
    if (s->options.n_arguments == 0) return help_print(s, NULL);
    const struct command *command = command_find(s->options.arguments[0]);
    return command != NULL ? help_print(s, command) : command_refuse(s, s->options.arguments[0]);
}

const struct command cmd_help = {
    .name = "help",
    .summary = "explain a command",
    .description = "Explain COMMAND, or name all commands. `sepal COMMAND --help` says the same.",
    .run = help_run,
    .usage = "[COMMAND]",
    .fewest = 0,
    .most = 1,
    .silent = true,
    .examples = {"sepal help train", "sepal help predict"},
};
