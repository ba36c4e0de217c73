/* The tables of sepal.zsh: a function for each command and learner, which fills the array rows with
   what _arguments reads. */
#include "manual.h"

#include <string.h>

/* Inside single quotes, with a backslash before what ends a part of a row of _arguments. */
static void put_escaped(struct sink *out, const char *text, const char *special) {
    for (; *text != '\0'; text++) {
        if (strchr(special, *text) != NULL) sink_puts(out, "\\");
        sink_puts(out, *text == '\'' ? "'\\''" : (const char[]){*text, '\0'});
    }
}

/* ":what:action", "::" before it where the value may be left out. */
static void put_values(struct sink *out, struct values *values, const char *what) {
    if (values->kind == VALUES_NONE) return;
    sink_puts(out, values->optional ? "::" : ":");
    put_escaped(out, what, ":");
    switch (values->kind) {
    case VALUES_NONE:
    case VALUES_TEXT: sink_puts(out, ": "); break;
    case VALUES_WORDS: sink_printf(out, ":(%s)", sink_text(&values->words)); break;
    case VALUES_FILES: sink_puts(out, ":_files"); break;
    case VALUES_MODELS: sink_puts(out, ":_files -g \"*.sepal(-.)\""); break;
    case VALUES_SPEC: sink_puts(out, ":_sepal_spec"); break;
    case VALUES_SOLVERS: sink_puts(out, ":_sepal_solvers"); break;
    }
}

static void put_option(struct sink *out, const struct option *row) {
    struct values values = values_of_option(row);
    /* "=-": a value that may be left out is joined by "=", or it would be taken for an argument */
    const char *joint = values.kind == VALUES_NONE ? "" : values.optional ? "=-" : "=";
    sink_puts(out, "        ");
    if (row->letter != 0)
        sink_printf(out, "'(-%c --%s)'{-%c%s,--%s%s}'", row->letter, row->name, row->letter,
                    values.kind == VALUES_NONE ? "" : "+", row->name, joint);
    else
        sink_printf(out, "'--%s%s", row->name, joint);
    sink_puts(out, "[");
    put_escaped(out, row->help, "[]\\");
    sink_puts(out, "]");
    put_values(out, &values, row->placeholder);
    sink_puts(out, "'\n");
    values_clear(&values);
}

static void put_options(struct sink *out, const struct options *options) {
    for (size_t i = 0; i < options->n_rows; i++) put_option(out, &options->rows[i]);
}

static void put_command(struct sink *out, const struct command *command) {
    struct options options;
    options_build(&options, command);
    sink_printf(out, "\n_sepal_%s() {\n    rows=(\n", command->name);
    for (size_t i = 0; i < command->most; i++) {
        struct values values;
        struct sink name = sink_open(-1);
        if (values_of_argument(&values, &name, command, i)) {
            sink_printf(out, "        '%zu", i + 1);
            put_values(out, &values, sink_text(&name));
            sink_puts(out, "'\n");
        }
        values_clear(&values);
        sink_close(&name);
    }
    put_options(out, &options);
    sink_puts(out, "    )\n");
    if (command->fits) sink_puts(out, "    _sepal_parameters\n");
    sink_puts(out, "}\n");
    options_clear(&options);
}

static void put_all_options(struct sink *out) {
    sepal_method method = {.size = sizeof method};
    for (const struct command *const *row = command_table; *row != NULL; row++)
        put_command(out, *row);
    for (size_t i = 0; sepal_method_at(SEPAL_LEARNER, i, &method) == SEPAL_OK; i++) {
        struct options parameters = {0};
        options_add_parameters(&parameters, i);
        sink_printf(out, "\n_sepal_parameters_%s() {\n    rows+=(\n", method.name);
        put_options(out, &parameters);
        sink_puts(out, "    )\n}\n");
        options_clear(&parameters);
    }
}

static void put_commands(struct sink *out) {
    sink_puts(out, "    commands=(\n");
    for (const struct command *const *row = command_table; *row != NULL; row++) {
        sink_printf(out, "        '%s:", (*row)->name);
        put_escaped(out, (*row)->summary, "");
        sink_puts(out, "'\n");
    }
    sink_puts(out, "    )\n");
}

static void put_described(struct sink *out, const sepal_method *method) {
    sink_printf(out, "        '%s:", method->name);
    put_escaped(out, method->summary, "");
    sink_puts(out, "'\n");
}

static void put_methods(struct sink *out) {
    static const struct {
        sepal_kind kind;
        const char *name;
    } tables[] = {{SEPAL_LEARNER, "learners"}, {SEPAL_MAP, "maps"}, {SEPAL_STRATEGY, "strategies"}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        sepal_method method = {.size = sizeof method};
        sink_printf(out, "    %s=(\n", tables[i].name);
        for (size_t k = 0; sepal_method_at(tables[i].kind, k, &method) == SEPAL_OK; k++)
            put_described(out, &method);
        sink_puts(out, "    )\n");
    }
}

/* All of them, and for every learner its own: one without a choice is offered none. */
static void put_solvers(struct sink *out) {
    sepal_method method = {.size = sizeof method};
    sink_puts(out, "    solvers=(\n");
    for (size_t i = 0; sepal_method_at(SEPAL_SOLVER, i, &method) == SEPAL_OK; i++)
        put_described(out, &method);
    sink_puts(out, "    )\n    case $learner in\n");
    for (size_t i = 0; sepal_method_at(SEPAL_LEARNER, i, &method) == SEPAL_OK; i++) {
        sink_printf(out, "        %s) fit=(", method.name);
        solvers_put(out, i);
        sink_puts(out, ") ;;\n");
    }
    sink_puts(out, "        *) fit=(${solvers%%:*}) ;;\n    esac\n");
}

const struct part zsh_parts[] = {{"commands", put_commands},
                                 {"methods", put_methods},
                                 {"solvers", put_solvers},
                                 {"options", put_all_options},
                                 {0}};
