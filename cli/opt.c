/* Options: the list of rows that a command knows, and the parser of the words of the command line.

   A command that fits is parsed twice: the parameters of the learner are options too, but which learner
   it is stands in the words themselves. The first pass ignores everything it does not know and only
   finds --method. */
#include "opt.h"

#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct option common_rows[] = {
    {.name = "json", .help = "one JSON object on standard output"},
    {.name = "quiet", .letter = 'q', .help = "no report"},
    {.name = "verbose", .letter = 'v', .help = "say more on standard error"},
    {0},
};
static const struct option threads_rows[] = {
    {.name = "threads", .placeholder = "N", .fallback = "0", .help = "cores to use; 0: all"},
    {0},
};
static const struct option help_rows[] = {
    {.name = "help", .letter = 'h', .help = "this help"},
    {0},
};

static const char flag_words[] = "true|false|yes|no|1|0"; /* the library's; even places are true */

/* ---- Rows ---------------------------------------------------------------------------------- */

static void opt_add_row(struct options *options, struct option row) {
    struct option *rows = reallocarray(options->rows, options->n_rows + 1, sizeof *rows);
    if (rows == NULL) {
        options->failed = true;
        return;
    }
    rows[options->n_rows++] = row;
    options->rows = rows;
}

/* The help of the row with the names of all formats before it. */
static const char *list_formats(struct options *options, const char *help) {
    formats_put(&options->formats, "", INT_MAX);
    sink_printf(&options->formats, "; %s", help);
    const char *text = sink_text(&options->formats);
    if (options->formats.error != 0) options->failed = true;
    return text;
}

static void opt_add_rows(struct options *options, const struct option *rows) {
    for (; rows != NULL && rows->name != NULL; rows++) {
        struct option row = *rows;
        if (row.placeholder != NULL && strcmp(row.placeholder, "FORMAT") == 0)
            row.help = list_formats(options, row.help);
        opt_add_row(options, row);
    }
}

static struct option *find_long(const struct options *options, const char *name, size_t length) {
    for (size_t i = 0; i < options->n_rows; i++) {
        const char *known = options->rows[i].name;
        size_t k = 0;
        if (strlen(known) != length) continue;
        while (k < length && (name[k] == '_' ? '-' : name[k]) == (known[k] == '_' ? '-' : known[k]))
            k++;
        if (k == length) return &options->rows[i];
    }
    return NULL;
}

static const char *placeholder_of(const sepal_param *param) {
    if (param->file) return "FILE";
    if (strchr(param->range, '|') != NULL) return "WORD";
    return *param->range != '\0' ? "N" : "TEXT";
}

static bool is_parameter(const char *name) {
    sepal_param parameter = {.size = sizeof parameter};
    for (size_t i = 0; i < sepal_method_count(SEPAL_LEARNER); i++)
        for (size_t k = 0; sepal_param_at(SEPAL_LEARNER, i, k, &parameter) == SEPAL_OK; k++)
            if (same_name(parameter.name, name)) return true;
    return false;
}

static void add_params(struct options *options, sepal_kind kind, size_t method,
                       enum option_group group, bool but_parameters) {
    sepal_param param = {.size = sizeof param};
    for (size_t i = 0; sepal_param_at(kind, method, i, &param) == SEPAL_OK; i++) {
        if (but_parameters && is_parameter(param.name)) continue;
        struct option row = {.name = param.name,
                             .placeholder = placeholder_of(&param),
                             .help = param.help,
                             .range = param.range,
                             .fallback = param.fallback,
                             .file = param.file ? FILE_READ : FILE_NONE,
                             .many = param.many,
                             .group = group};
        if (option_words(&row) == flag_words) row.placeholder = "[yes|no]";
        /* tasks of selection may share one, and a command may have its own form of one */
        const struct option *known = find_long(options, row.name, strlen(row.name));
        if (known == NULL || (group != GROUP_SELECTION && known->group != GROUP_COMMAND))
            opt_add_row(options, row);
    }
}

/* The row of a task of selection; past the end if there is none. */
static size_t task_named(const char *name) {
    sepal_method method = {.size = sizeof method};
    size_t i = 0;
    while (sepal_method_at(SEPAL_SELECTION, i, &method) == SEPAL_OK &&
           strcmp(method.name, name) != 0)
        i++;
    return i;
}

/* What can be set of any picture, and of those of some kinds: each once. */
static void add_plots(struct options *options) {
    size_t first = options->n_rows;
    add_params(options, SEPAL_PLOT_OPTION, 0, GROUP_PLOT, false);
    for (size_t k = 0; k < sepal_method_count(SEPAL_PLOT); k++) {
        size_t kept = options->n_rows;
        add_params(options, SEPAL_PLOT, k, GROUP_PLOT, false);
        for (size_t i = kept; i < options->n_rows; i++) {
            bool before = false;
            for (size_t j = first; j < kept; j++)
                before = before || strcmp(options->rows[j].name, options->rows[i].name) == 0;
            if (!before) options->rows[kept++] = options->rows[i];
        }
        options->n_rows = kept;
    }
}

void options_build(struct options *out, const struct command *command) {
    *out = (struct options){.formats = sink_open(-1)};
    opt_add_rows(out, command->options);
    if (command->reads || command->samples) opt_add_rows(out, threads_rows);
    if (!command->silent) opt_add_rows(out, common_rows);
    opt_add_rows(out, help_rows);
    if (command->reads) add_params(out, SEPAL_READ_OPTION, 0, GROUP_READ, false);
    if (command->fits) add_params(out, SEPAL_FIT_OPTION, 0, GROUP_FIT, false);
    /* where a model is fitted, --priors are those it is fitted with */
    if (command->decides) add_params(out, SEPAL_PREDICT_OPTION, 0, GROUP_PREDICT, command->fits);
    if (command->judges) add_params(out, SEPAL_EVALUATE_OPTION, 0, GROUP_EVALUATE, false);
    for (const char *const *task = command->tasks; task != NULL && *task != NULL; task++)
        add_params(out, SEPAL_SELECTION, task_named(*task), GROUP_SELECTION, false);
    if (command->plots) add_plots(out);
    if (command->samples) add_params(out, SEPAL_SAMPLE_OPTION, 0, GROUP_SAMPLE, false);
}

void options_add_parameters(struct options *options, size_t learner) {
    add_params(options, SEPAL_LEARNER, learner, GROUP_PARAMETER, false);
}

void options_clear(struct options *options) {
    free(options->rows);
    free(options->arguments);
    free(options->repeated);
    sink_close(&options->formats);
    *options = (struct options){0};
}

static bool has_word(const char *words, const char *word) {
    for (;; words++) {
        size_t length = strcspn(words, "|");
        if (strlen(word) == length && strncmp(words, word, length) == 0) return true;
        words += length;
        if (*words == '\0') return false;
    }
}

const char *option_words(const struct option *option) {
    const char *fallback = option->fallback != NULL ? option->fallback : "";
    if (option->range == NULL) return NULL;
    if (*option->range == '\0') return has_word("true|false", fallback) ? flag_words : NULL;
    return has_word(option->range, "true") ? option->range : NULL;
}

/* ---- The parser ---------------------------------------------------------------------------- */

struct option_parser {
    struct session *s;
    int count, at;
    char **words;
    bool lenient;        /* the first of two: what is not known is passed over in silence */
    const char *learner; /* whose parameters are known, NULL: none */
    const char *spec;    /* that names no learner, NULL: it does, or there is none */
};

static void put_parameters(struct sink *out, const struct options *options) {
    const char *before = "; its parameters are";
    for (size_t i = 0; i < options->n_rows; i++) {
        if (options->rows[i].group != GROUP_PARAMETER) continue;
        sink_printf(out, "%s --%s", before, options->rows[i].name);
        before = ",";
    }
}

static int refuse_unknown(const struct option_parser *parser, const char *word, size_t length) {
    if (parser->lenient) return EXIT_DONE;
    const struct options *options = &parser->s->options;
    const char *command = parser->s->command->name;
    const char **names = calloc(options->n_rows + 1, sizeof *names);
    for (size_t i = 0; names != NULL && i < options->n_rows; i++) names[i] = options->rows[i].name;
    char *name = strndup(word, length);
    const char *near = NULL, *here = parser->spec ? sepal_method_synonym(parser->spec) : NULL;
    if (name != NULL && names != NULL && length > 2) {
        near = sepal_param_synonym(name + 2, names, options->n_rows);
        if (near == NULL) near = nearest(name + 2, names, options->n_rows);
    }
    struct sink text = sink_open(-1);
    sink_printf(&text, "%s has no option '%.*s'", command, (int)length, word);
    if (parser->learner != NULL) sink_printf(&text, " and %s no such parameter", parser->learner);
    if (near != NULL)
        sink_printf(&text, "; did you mean '--%s'?", near);
    else if (parser->learner != NULL)
        put_parameters(&text, options);
    else if (parser->spec != NULL)
        sink_printf(&text, "; if it is a parameter: -m %s names no learner%s%s%s", parser->spec,
                    here != NULL ? ", did you mean '" : "", here != NULL ? here : "",
                    here != NULL ? "'?" : "");
    else if (parser->s->command->fits)
        sink_puts(&text, "; if it is a parameter, name its learner with -m");
    int code = sink_check(parser->s, &text);
    if (code == EXIT_DONE) {
        code = complain(parser->s, EXIT_USAGE, NULL, "%s (`sepal help %s` lists the options)",
                        sink_text(&text), command);
    }
    sink_close(&text);
    free(name);
    free(names);
    return code;
}

/* The value as every spelling of it is kept, so that giving it twice can be seen. */
static const char *plain_value(const struct option *row, const char *value) {
    if (option_words(row) != flag_words || !has_word(flag_words, value)) return value;
    return has_word("true|yes|1", value) ? "true" : "false";
}

static void add_repeated(struct options *options, const char *name, const char *value) {
    struct repeated *more = reallocarray(options->repeated, options->n_repeated + 1, sizeof *more);
    if (more == NULL) {
        options->failed = true;
        return;
    }
    more[options->n_repeated++] = (struct repeated){name, value};
    options->repeated = more;
}

static int opt_store(const struct option_parser *parser, struct option *row, const char *value) {
    value = plain_value(row, value);
    if (row->many) {
        add_repeated(&parser->s->options, row->name, value);
        row->value = value;
        return EXIT_DONE;
    }
    if (row->value != NULL && strcmp(row->value, value) != 0 && !parser->lenient) {
        return complain(parser->s, EXIT_USAGE, NULL,
                        "--%s is given twice, as '%s' and as '%s'; give it once", row->name,
                        row->value, value);
    }
    row->value = value;
    return EXIT_DONE;
}

/* A forgotten value must not swallow the option behind it; numbers may begin with '-'. */
static bool looks_like_option(const char *word) {
    return word[0] == '-' && word[1] != '\0' && strchr("0123456789.", word[1]) == NULL;
}

/* `value` is what stands behind '=' or the letter, NULL when nothing does. */
static int opt_take(struct option_parser *parser, struct option *row, const char *value) {
    const char *next = parser->at < parser->count ? parser->words[parser->at] : NULL;
    const char *words = option_words(row);
    if (value != NULL) return opt_store(parser, row, value);
    if (row->placeholder == NULL) return opt_store(parser, row, "true");
    if (words != NULL) {
        bool given = next != NULL && has_word(words, next);
        if (given) parser->at++;
        return opt_store(parser, row, given ? next : "true");
    }
    if (next != NULL && !looks_like_option(next)) {
        parser->at++;
        return opt_store(parser, row, next);
    }
    if (parser->lenient) return EXIT_DONE;
    if (next == NULL) {
        return complain(parser->s, EXIT_USAGE, NULL, "--%s needs a value; write --%s %s", row->name,
                        row->name, row->placeholder);
    }
    return complain(parser->s, EXIT_USAGE, NULL,
                    "--%s needs a value; write --%s=%s if '%s' is meant to be it", row->name,
                    row->name, next, next);
}

bool same_name(const char *a, const char *b) {
    for (; *a != '\0' && *b != '\0'; a++, b++) {
        if ((*a == '_' ? '-' : *a) != (*b == '_' ? '-' : *b)) return false;
    }
    return *a == *b;
}

static int take_long(struct option_parser *parser, const char *word) {
    size_t length = strcspn(word, "=");
    struct option *row = find_long(&parser->s->options, word + 2, length - 2);
    const char *value = word[length] == '=' ? word + length + 1 : NULL;
    if (row == NULL) return refuse_unknown(parser, word, length);
    if (value != NULL && row->placeholder == NULL && !parser->lenient) {
        return complain(parser->s, EXIT_USAGE, NULL, "--%s takes no value; write --%s alone",
                        row->name, row->name);
    }
    return opt_take(parser, row, value);
}

static struct option *find_letter(const struct options *options, char letter) {
    for (size_t i = 0; i < options->n_rows; i++) {
        if (options->rows[i].letter == letter) return &options->rows[i];
    }
    return NULL;
}

/* "-q", "-qv", "-o FILE", "-oFILE". */
static int take_letters(struct option_parser *parser, const char *word) {
    for (const char *letter = word + 1; *letter != '\0'; letter++) {
        struct option *row = find_letter(&parser->s->options, *letter);
        if (row == NULL) return refuse_unknown(parser, word, strlen(word));
        if (row->placeholder != NULL)
            return opt_take(parser, row, letter[1] != '\0' ? letter + 1 : NULL);
        row->value = "true";
    }
    return EXIT_DONE;
}

static void add_argument(struct options *options, const char *word) {
    const char **more = reallocarray(options->arguments, options->n_arguments + 1, sizeof *more);
    if (more == NULL) {
        options->failed = true;
        return;
    }
    more[options->n_arguments++] = word;
    options->arguments = more;
}

static int parse_words(struct option_parser *parser) {
    bool open = true; /* until "--" */
    int code = EXIT_DONE;
    for (parser->at = 0; parser->at < parser->count && code == EXIT_DONE;) {
        const char *word = parser->words[parser->at++];
        if (!open || word[0] != '-' || word[1] == '\0')
            add_argument(&parser->s->options, word);
        else if (strcmp(word, "--") == 0)
            open = false;
        else
            code = word[1] == '-' ? take_long(parser, word) : take_letters(parser, word);
    }
    return code;
}

/* The first pass: add the parameters of the learner that --method names as rows. */
static const char *add_parameters(struct option_parser *parser) {
    struct options *options = &parser->s->options;
    struct option_parser first = *parser;
    first.lenient = true;
    parse_words(&first);
    const char *spec = option_value(parser->s, "method");
    for (size_t i = 0; i < options->n_rows; i++) options->rows[i].value = NULL;
    bool several = option_value_at(parser->s, "method", 1) != NULL;
    options->n_arguments = options->n_repeated = 0;
    size_t learner;
    sepal_method method = {.size = sizeof method};
    if (spec == NULL || several) return NULL;
    if (!spec_learner(spec, &learner)) {
        parser->spec = spec;
        return NULL;
    }
    if (sepal_method_at(SEPAL_LEARNER, learner, &method) != SEPAL_OK) return NULL;
    options_add_parameters(options, learner);
    return method.name;
}

static int check_arguments(struct session *s) {
    const struct command *command = s->command;
    size_t n = s->options.n_arguments;
    if (n < command->fewest) {
        return complain(s, EXIT_USAGE, NULL, "%s needs more; type: sepal %s %s", command->name,
                        command->name, command->usage);
    }
    if (n > command->most) {
        const char *extra = s->options.arguments[command->most];
        if (command->fits) {
            const char *first = s->options.arguments[0];
            struct method_words method = method_named(extra);
            if (method.name == NULL && (method = method_named(first)).name != NULL) first = extra;
            if (method.name != NULL)
                return complain(s, EXIT_USAGE, NULL,
                                "a method comes behind -m: sepal %s %s -m \"%s%s%s\"",
                                command->name, first, method.before, method.name, method.after);
        }
        return complain(s, EXIT_USAGE, NULL, "'%s' is one argument too many; type: sepal %s %s",
                        extra, command->name, command->usage);
    }
    return EXIT_DONE;
}

int options_parse(struct session *s, int count, char **words) {
    struct option_parser parser = {.s = s, .count = count, .words = words};
    options_build(&s->options, s->command);
    if (s->command->fits) parser.learner = add_parameters(&parser);
    if (s->options.failed) return complain_memory(s);
    int code = parse_words(&parser);
    if (code == EXIT_DONE && s->options.failed) code = complain_memory(s);
    return code != EXIT_DONE || option_value(s, "help") != NULL ? code : check_arguments(s);
}

/* ---- Asking -------------------------------------------------------------------------------- */

const char *option_value(const struct session *s, const char *name) {
    const struct option *row = find_long(&s->options, name, strlen(name));
    return row != NULL ? row->value : NULL;
}

const char *option_value_at(const struct session *s, const char *name, size_t k) {
    for (size_t i = 0; i < s->options.n_repeated; i++)
        if (strcmp(s->options.repeated[i].name, name) == 0 && k-- == 0)
            return s->options.repeated[i].value;
    return NULL;
}

int option_count(struct session *s, const char *name, uint64_t most, uint64_t *out) {
    const char *text = option_value(s, name);
    if (text == NULL) return EXIT_DONE;
    errno = 0;
    unsigned long long value = strtoull(text, NULL, 10);
    bool digits = *text != '\0' && text[strspn(text, "0123456789")] == '\0';
    if (!digits || errno != 0 || value > most) {
        return complain(s, EXIT_USAGE, NULL, "--%s %s is not a whole number in [0, %llu]", name,
                        text, (unsigned long long)most);
    }
    *out = value;
    return EXIT_DONE;
}

void setting_put(struct sink *out, const char *name, const char *value) {
    bool bare = *value != '\0' && value[strcspn(value, ",=()|+\"\\ \t\n\r\v\f")] == '\0';
    sink_printf(out, bare ? "%s=" : "%s=\"", name);
    for (; *value != '\0'; value++) {
        if (*value == '"' || *value == '\\') sink_puts(out, "\\");
        sink_add(out, value, 1);
    }
    if (!bare) sink_puts(out, "\"");
}

/* Of an option given more than once all values, with "; " between them. */
static void setting_put_row(struct sink *out, const struct options *options,
                            const struct option *row) {
    struct sink all = sink_open(-1);
    for (size_t i = 0; row->many && i < options->n_repeated; i++)
        if (strcmp(options->repeated[i].name, row->name) == 0)
            sink_printf(&all, "%s%s", all.used > 0 ? "; " : "", options->repeated[i].value);
    setting_put(out, row->name, row->many ? sink_text(&all) : row->value);
    sink_inherit(out, &all);
    sink_close(&all);
}

void options_settings(const struct options *options, enum option_group group, struct sink *out) {
    const char *between = "";
    for (size_t i = 0; i < options->n_rows; i++) {
        const struct option *row = &options->rows[i];
        if (row->group != group || row->value == NULL) continue;
        sink_puts(out, between);
        setting_put_row(out, options, row);
        between = ", ";
    }
}

bool task_takes(const char *task, const char *name) {
    sepal_param param = {.size = sizeof param};
    size_t row = task_named(task);
    for (size_t i = 0; sepal_param_at(SEPAL_SELECTION, row, i, &param) == SEPAL_OK; i++)
        if (same_name(param.name, name)) return true;
    return false;
}

void task_settings(const struct options *options, const char *task, struct sink *out) {
    sepal_param param = {.size = sizeof param};
    size_t row = task_named(task);
    const char *between = "";
    for (size_t i = 0; sepal_param_at(SEPAL_SELECTION, row, i, &param) == SEPAL_OK; i++) {
        const struct option *option = find_long(options, param.name, strlen(param.name));
        if (option == NULL || option->value == NULL) continue;
        sink_puts(out, between);
        setting_put_row(out, options, option);
        between = ", ";
    }
}

bool options_given(const struct options *options, enum option_group group) {
    for (size_t i = 0; i < options->n_rows; i++)
        if (options->rows[i].group == group && options->rows[i].value != NULL) return true;
    return false;
}
