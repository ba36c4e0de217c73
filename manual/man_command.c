/* sepal(1) and sepal-COMMAND(1), from the tables of commands, options, methods and exit codes. */
#include "manual.h"

#include <string.h>

static void put_code_lines(struct sink *out, const char *const *lines, size_t n) {
    sink_puts(out, ".PP\n.EX\n");
    for (size_t i = 0; i < n && lines[i] != NULL; i++) {
        roff_code(out, lines[i], strlen(lines[i]));
        sink_puts(out, "\n");
    }
    sink_puts(out, ".EE\n");
}

/* The text of a row of a table: what it is for, what it may be, what it is unless given. */
static void put_row_text(struct sink *out, const char *help, const char *range,
                         const char *fallback) {
    struct sink text = sink_open(-1);
    sink_puts(&text, help);
    if (range != NULL && *range != '\0') sink_printf(&text, "; `%s`", range);
    if (fallback != NULL && *fallback != '\0') sink_printf(&text, "; default `%s`", fallback);
    if (sink_text(&text)[text.used - 1] != '.') sink_puts(&text, ".");
    roff_text(out, sink_text(&text), NULL);
    sink_close(&text);
}

static void put_option(struct sink *out, const struct option *row) {
    struct sink dashed = sink_open(-1);
    char letter[] = {'-', row->letter, '\0'};
    sink_puts(out, ".TP\n");
    if (row->letter != 0) {
        roff_bold(out, letter);
        sink_puts(out, ", ");
    }
    sink_printf(&dashed, "--%s", row->name);
    roff_bold(out, sink_text(&dashed));
    if (row->placeholder != NULL) {
        sink_puts(out, " ");
        roff_usage(out, row->placeholder);
    } else {
        sink_puts(out, "\n");
    }
    put_row_text(out, row->help, row->range, row->fallback);
    sink_close(&dashed);
}

static void put_options(struct sink *out, const struct command *command) {
    static const char *const titles[] = {NULL,
                                         "Options of reading",
                                         "Options of fitting",
                                         "Options of deciding",
                                         "Options of drawing rows",
                                         "Options of the path",
                                         "Options of judging"};
    struct options options;
    options_build(&options, command);
    sink_puts(out, ".SH OPTIONS\n");
    for (int group = GROUP_COMMAND; group <= GROUP_EVALUATE; group++) {
        bool empty = true;
        for (size_t i = 0; i < options.n_rows; i++) {
            if ((int)options.rows[i].group != group) continue;
            if (empty && titles[group] != NULL) sink_printf(out, ".SS %s\n", titles[group]);
            put_option(out, &options.rows[i]);
            empty = false;
        }
    }
    options_clear(&options);
}

static void put_params(struct sink *out, sepal_kind kind, size_t method) {
    sepal_param param = {.size = sizeof param};
    sink_puts(out, ".RS\n");
    for (size_t i = 0; sepal_param_at(kind, method, i, &param) == SEPAL_OK; i++) {
        sink_puts(out, ".TP\n");
        roff_bold(out, param.name);
        sink_puts(out, "\n");
        put_row_text(out, param.help, param.range, param.fallback);
    }
    sink_puts(out, ".RE\n");
}

/* Whose solver it is. */
static void put_learners_of(struct sink *out, const char *solver) {
    const char *between = ".br\nof ";
    sepal_method learner = {.size = sizeof learner};
    for (size_t i = 0; sepal_method_at(SEPAL_LEARNER, i, &learner) == SEPAL_OK; i++) {
        if (!sepal_learner_has_solver(i, solver)) continue;
        sink_puts(out, between);
        roff_bold(out, learner.name);
        between = ", ";
    }
    sink_puts(out, "\n");
}

/* A table of methods with their parameters. */
static void put_methods(struct sink *out, sepal_kind kind) {
    sepal_method method = {.size = sizeof method};
    for (size_t i = 0; sepal_method_at(kind, i, &method) == SEPAL_OK; i++) {
        sink_puts(out, ".TP\n");
        roff_bold(out, method.name);
        sink_puts(out, "\n");
        put_row_text(out, method.summary, NULL, NULL);
        if (method.n_params > 0) put_params(out, kind, i);
        if (kind == SEPAL_SOLVER) put_learners_of(out, method.name);
    }
}

static void put_exits(struct sink *out) {
    sink_puts(out, ".SH EXIT STATUS\n");
    for (const struct exit_row *row = exit_table; row->word != NULL; row++) {
        sink_printf(out, ".TP\n\\fB%d\\fR\n", (int)row->code);
        put_row_text(out, row->meaning, NULL, NULL);
    }
}

static void put_example_place(struct sink *out) {
    sink_puts(out, ".SH EXAMPLES\n");
    roff_text(out,
              "These run in a folder that has the folder `examples` of the sources in it; an "
              "installed Sepal has it beside its other documents, in `share/doc/sepal`.",
              NULL);
}

/* All pages but the one that asks. */
static void put_see_also(struct sink *out, const struct command *self) {
    sink_puts(out, ".SH SEE ALSO\n");
    if (self != NULL) sink_puts(out, ".BR sepal (1),\n");
    for (const struct command *const *row = command_table; *row != NULL; row++) {
        if (*row != self) sink_printf(out, ".BR sepal\\-%s (1),\n", (*row)->name);
    }
    sink_puts(out, ".BR libsepal (3)\n");
}

void man_command(struct sink *out, const struct command *command) {
    struct sink name = sink_open(-1);
    sink_printf(&name, "sepal-%s", command->name);
    roff_begin(out, sink_text(&name), 1);
    roff_name(out, sink_text(&name), command->summary);
    sink_printf(out, ".SH SYNOPSIS\n.B sepal %s\n", command->name);
    roff_usage(out, command->usage);
    sink_puts(out, ".SH DESCRIPTION\n");
    roff_text(out, command->description, command->usage);
    if (command->reads) {
        sink_puts(out, ".PP\n");
        roff_text(out, note_data, command->usage);
    }
    put_options(out, command);
    if (command->fits) {
        sink_puts(out, ".SH METHODS\n");
        roff_text(out, note_parameters, NULL);
        sink_puts(out, ".SS Learners\n");
        put_methods(out, SEPAL_LEARNER);
        sink_puts(out, ".SS Maps, before the learner\n");
        put_methods(out, SEPAL_MAP);
        sink_puts(out, ".SS Reductions, behind it\n");
        put_methods(out, SEPAL_STRATEGY);
        sink_puts(out, ".SS Solvers, by \\-\\-solver\n");
        put_methods(out, SEPAL_SOLVER);
    }
    put_exits(out);
    put_example_place(out);
    put_code_lines(out, command->examples, sizeof command->examples / sizeof *command->examples);
    put_see_also(out, command);
    sink_close(&name);
}

/* ---- sepal(1) ------------------------------------------------------------------------------ */

static void put_commands(struct sink *out) {
    sink_puts(out, ".SH COMMANDS\n");
    for (const struct command *const *row = command_table; *row != NULL; row++) {
        sink_puts(out, ".TP\n");
        sink_printf(out, ".BR sepal\\-%s (1)\n", (*row)->name);
        put_row_text(out, (*row)->summary, NULL, NULL);
    }
}

static void put_environment(struct sink *out) {
    static const struct {
        const char *name, *meaning;
    } rows[] = {
        {"SEPAL_KERNELS", "`ref` makes Sepal use its plain inner loops instead of those for this "
                          "processor. The results are the same bits."},
        {"OPENBLAS_NUM_THREADS",
         "has no effect on results: Sepal calls BLAS with one thread, and divides the work itself "
         "as --threads says."},
        {"TMPDIR", "where convert puts the file that it copies to standard output; `/tmp` unless "
                   "set."},
        {"NO_COLOR", "has no effect: nothing is ever coloured."},
        {"TERM", "`dumb` turns the progress line on terminals off."},
    };
    sink_puts(out, ".SH ENVIRONMENT\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sink_puts(out, ".TP\n");
        roff_bold(out, rows[i].name);
        sink_puts(out, "\n");
        roff_text(out, rows[i].meaning, NULL);
    }
}

static void put_files(struct sink *out) {
    sink_puts(out, ".SH FILES\n.TP\n\\fI*.sepal\\fR\n");
    roff_text(out,
              "a model: a safetensors file with a checksum, which any reader of that format opens "
              "and which cannot carry code.",
              NULL);
}

void man_overview(struct sink *out) {
    roff_begin(out, "sepal", 1);
    roff_name(out, "sepal", overview_summary);
    sink_puts(out, ".SH SYNOPSIS\n.B sepal\n");
    roff_usage(out, "COMMAND [ARGUMENT ...] [OPTION ...]");
    sink_puts(out, ".br\n.B sepal \\-\\-help\n.br\n.B sepal \\-\\-version\n.SH DESCRIPTION\n");
    roff_text(out,
              "Sepal finds hyperplanes that separate classes, and tells how well they do. Each "
              "command has a page of its own. Results go to standard output, all else to standard "
              "error.\n"
              "Options may stand anywhere behind the command. `--name value` and `--name=value` "
              "mean the same, as do `_` and `-` inside a name; `--` ends the options. `--json` "
              "makes any report one JSON object.",
              NULL);
    put_commands(out);
    sink_puts(out, ".SH DATA FORMATS\n");
    put_methods(out, SEPAL_FORMAT);
    sink_puts(out, ".SH METRICS\n");
    put_methods(out, SEPAL_METRIC);
    put_exits(out);
    put_environment(out);
    put_files(out);
    put_example_place(out);
    put_code_lines(out, overview_examples, OVERVIEW_EXAMPLES);
    put_see_also(out, NULL);
}
