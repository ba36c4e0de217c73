/* The tables that sepal.bash walks the command line by: a function for each command and learner. */
#include "manual.h"

static const char *kind_name(const struct values *values) {
    static const char *const names[] = {"none",   "text", "words",  "files",
                                        "models", "spec", "solvers"};
    return values->optional ? "maybe" : names[values->kind];
}

static void put_option_names(struct sink *out, const struct options *options) {
    for (size_t i = 0; i < options->n_rows; i++) {
        const struct option *row = &options->rows[i];
        sink_printf(out, " --%s", row->name);
        if (row->letter != 0) sink_printf(out, " -%c", row->letter);
    }
}

/* Options that take any text need no line. */
static void put_options(struct sink *out, const struct options *options) {
    sink_puts(out, "    case $1 in\n");
    for (size_t i = 0; i < options->n_rows; i++) {
        const struct option *row = &options->rows[i];
        struct values values = values_of_option(row);
        if (values.kind != VALUES_TEXT) {
            sink_puts(out, "        ");
            if (row->letter != 0) sink_printf(out, "-%c | ", row->letter);
            sink_printf(out, "--%s) kind=%s", row->name, kind_name(&values));
            if (values.words.used > 0) sink_printf(out, " words='%s'", sink_text(&values.words));
            sink_puts(out, " ;;\n");
        }
        values_clear(&values);
    }
    sink_puts(out, "    esac\n}\n");
}

static void put_arguments(struct sink *out, const struct command *command) {
    struct sink kinds = sink_open(-1), words = sink_open(-1);
    for (size_t i = 0; i < command->most; i++) {
        struct values values;
        struct sink name = sink_open(-1);
        if (values_of_argument(&values, &name, command, i)) {
            sink_printf(&kinds, "%s%s", i > 0 ? " " : "", kind_name(&values));
            sink_puts(&words, sink_text(&values.words));
        }
        values_clear(&values);
        sink_close(&name);
    }
    sink_printf(out, "    arguments=(%s) argument_words='%s'\n", sink_text(&kinds),
                sink_text(&words));
    sink_close(&kinds);
    sink_close(&words);
}

static void put_command(struct sink *out, const struct command *command) {
    struct options options;
    options_build(&options, command);
    sink_printf(out, "\n_sepal_%s() { # OPTION\n    options='", command->name);
    put_option_names(out, &options);
    sink_puts(out, "'\n");
    put_arguments(out, command);
    put_options(out, &options);
    options_clear(&options);
}

static void put_learner(struct sink *out, size_t learner, const char *name) {
    struct options parameters = {0};
    options_add_parameters(&parameters, learner);
    sink_printf(out, "\n_sepal_parameters_%s() { # OPTION\n    options+='", name);
    put_option_names(out, &parameters);
    sink_puts(out, "'\n");
    put_options(out, &parameters);
    options_clear(&parameters);
}

static void put_all_options(struct sink *out) {
    sepal_method method = {.size = sizeof method};
    for (const struct command *const *row = command_table; *row != NULL; row++)
        put_command(out, *row);
    for (size_t i = 0; sepal_method_at(SEPAL_LEARNER, i, &method) == SEPAL_OK; i++)
        put_learner(out, i, method.name);
}

static void put_commands(struct sink *out) {
    sink_puts(out, "    commands='");
    for (const struct command *const *row = command_table; *row != NULL; row++)
        sink_printf(out, "%s%s", row == command_table ? "" : " ", (*row)->name);
    sink_puts(out, "'\n");
}

static void put_methods(struct sink *out) {
    sink_puts(out, "    learners='");
    names_put(out, SEPAL_LEARNER);
    sink_puts(out, "' maps='");
    names_put(out, SEPAL_MAP);
    sink_puts(out, "' strategies='");
    names_put(out, SEPAL_STRATEGY);
    sink_puts(out, "'\n");
}

/* A learner without a choice has a line, too: it is offered none. */
static void put_solvers(struct sink *out) {
    solver_cases_put(out, "        ", "*", ") words='", "' ;;\n");
}

const struct part bash_parts[] = {{"commands", put_commands},
                                  {"methods", put_methods},
                                  {"solvers", put_solvers},
                                  {"options", put_all_options},
                                  {0}};
