/* The tables of sepal.fish: a line of `complete` for each command, option and argument. */
#include "manual.h"

#include <string.h>

/* In single quotes, where fish knows \' and \\ only. */
static void put_quoted(struct sink *out, const char *text) {
    sink_puts(out, "'");
    for (; *text != '\0'; text++) {
        if (*text == '\'' || *text == '\\') sink_puts(out, "\\");
        sink_add(out, text, 1);
    }
    sink_puts(out, "'");
}

/* What an option or argument accepts, as words of `complete`: -r: a value must follow, -x: and it is
   no file. */
static void put_values(struct sink *out, struct values *values, bool option) {
    const char *exclusive = option && !values->optional ? " -x" : " -f";
    switch (values->kind) {
    case VALUES_NONE: break;
    case VALUES_TEXT: sink_puts(out, exclusive); break;
    case VALUES_WORDS: sink_printf(out, "%s -a '%s'", exclusive, sink_text(&values->words)); break;
    case VALUES_FILES: sink_puts(out, option ? " -r -F" : " -F"); break;
    case VALUES_MODELS:
        sink_printf(out, "%s -k -a '(__fish_complete_suffix .sepal)'", exclusive);
        break;
    case VALUES_SPEC: sink_printf(out, "%s -a '(__sepal_spec)'", exclusive); break;
    case VALUES_SOLVERS: sink_printf(out, "%s -a '(__sepal_solvers)'", exclusive); break;
    }
}

static void put_options(struct sink *out, const struct options *options, const char *test,
                        const char *name) {
    for (size_t i = 0; i < options->n_rows; i++) {
        const struct option *row = &options->rows[i];
        struct values values = values_of_option(row);
        sink_printf(out, "complete -c sepal -n '%s %s' -l %s", test, name, row->name);
        if (row->letter != 0) sink_printf(out, " -s %c", row->letter);
        put_values(out, &values, true);
        sink_puts(out, " -d ");
        put_quoted(out, row->help);
        sink_puts(out, "\n");
        values_clear(&values);
    }
}

static void put_command(struct sink *out, const struct command *command) {
    struct options options;
    options_build(&options, command);
    sink_printf(out, "\ncomplete -c sepal -n __fish_is_first_token -a %s -d ", command->name);
    put_quoted(out, command->summary);
    sink_puts(out, "\n");
    for (size_t i = 0; i < command->most; i++) {
        struct values values;
        struct sink name = sink_open(-1);
        if (values_of_argument(&values, &name, command, i)) {
            sink_printf(out, "complete -c sepal -n '__sepal_command %s'", command->name);
            put_values(out, &values, false);
            sink_puts(out, "\n");
        }
        values_clear(&values);
        sink_close(&name);
    }
    put_options(out, &options, "__sepal_command", command->name);
    options_clear(&options);
}

static void put_all_options(struct sink *out) {
    sepal_method method = {.size = sizeof method};
    for (const struct command *const *row = command_table; *row != NULL; row++)
        put_command(out, *row);
    for (size_t i = 0; sepal_method_at(SEPAL_LEARNER, i, &method) == SEPAL_OK; i++) {
        struct options parameters = {0};
        options_add_parameters(&parameters, i);
        sink_puts(out, "\n");
        put_options(out, &parameters, "__sepal_learner", method.name);
        options_clear(&parameters);
    }
}

static void put_methods(struct sink *out) {
    sink_puts(out, "set -g __sepal_learners ");
    names_put(out, SEPAL_LEARNER);
    sink_puts(out, "\nset -g __sepal_maps ");
    names_put(out, SEPAL_MAP);
    sink_puts(out, "\nset -g __sepal_strategies ");
    names_put(out, SEPAL_STRATEGY);
    sink_puts(out, "\n");
}

/* A learner without a choice has a line, too: it is offered none. */
static void put_solvers(struct sink *out) {
    solver_cases_put(out, "        case ", "'*'", "\n            set solvers ", "\n");
}

const struct part fish_parts[] = {
    {"methods", put_methods}, {"solvers", put_solvers}, {"options", put_all_options}, {0}};
