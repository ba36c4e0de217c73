/* sepal help: written from the tables of commands and options. */
#include "cli.h"

#include <errno.h>

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

static void put_command(struct sink *out, const struct command *command) {
    struct options options;
    options_build(&options, command);
    sink_printf(out, "sepal %s: %s.\n\nUsage: sepal %s %s\n", command->name, command->summary,
                command->name, command->usage);
    put_group(out, &options, GROUP_COMMAND, "Options");
    put_group(out, &options, GROUP_READ, "Options of reading");
    put_group(out, &options, GROUP_FIT, "Options of fitting");
    if (command->fits) {
        sink_puts(out, "\nA knob of the learner is an option, too: -m perceptron --eta 0.5 means\n"
                       "-m \"perceptron(eta=0.5)\". `sepal list learners` shows the knobs.\n");
    }
    if (command->reads)
        sink_puts(out, "\nDATA is a file, packed or not, or - for standard input.\n");
    sink_puts(out, "\nExamples:\n");
    for (size_t i = 0; i < 2; i++) sink_printf(out, "  %s\n", command->examples[i]);
    if (options.failed) out->error = ENOMEM;
    options_clear(&options);
}

static void put_overview(struct sink *out) {
    sink_puts(out, "sepal: linear classification, done completely.\n\n"
                   "  sepal describe examples/data/iris.csv\n"
                   "  sepal train examples/data/iris.csv -m perceptron -o iris.sepal\n"
                   "  sepal predict iris.sepal examples/data/iris.csv\n\nCommands:\n");
    for (const struct command *const *row = command_table; *row != NULL; row++)
        sink_printf(out, "  %-10s %s\n", (*row)->name, (*row)->summary);
    sink_puts(out,
              "\n`sepal help COMMAND` tells more, `sepal --version` what this build uses.\n"
              "Exit codes: 0 done, 1 internal fault, 2 usage, 3 data, 4 model, 5 not converged\n"
              "(with --strict), 6 memory or output, 130 interrupted, 141 output closed.\n");
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

static int run(struct session *s) {
    if (s->options.n_arguments == 0) return help_print(s, NULL);
    const struct command *command = command_find(s->options.arguments[0]);
    return command != NULL ? help_print(s, command) : command_refuse(s, s->options.arguments[0]);
}

const struct command cmd_help = {
    .name = "help",
    .summary = "explain a command",
    .run = run,
    .usage = "[COMMAND]",
    .fewest = 0,
    .most = 1,
    .silent = true,
    .examples = {"sepal help train", "sepal help predict"},
};
