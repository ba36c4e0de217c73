/* What completion offers behind an option or as an argument, found from the row of the option and
   from the usage line of the command. */
#include "manual.h"

#include <string.h>

static const char word_bytes[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/* "a|b|0..1" without what is no word but a range. */
static void put_words(struct sink *out, const char *words) {
    while (*words != '\0') {
        size_t length = strcspn(words, "|");
        bool word = length > 0 && strspn(words, word_bytes) >= length;
        if (word && out->used > 0) sink_puts(out, " ");
        if (word) sink_add(out, words, length);
        words += length + (words[length] == '|');
    }
}

void names_put(struct sink *out, sepal_kind kind) {
    sepal_method method = {.size = sizeof method};
    for (size_t i = 0; sepal_method_at(kind, i, &method) == SEPAL_OK; i++)
        sink_printf(out, "%s%s", i > 0 ? " " : "", method.name);
}

void solvers_put(struct sink *out, size_t learner) {
    const char *between = "";
    sepal_method solver = {.size = sizeof solver};
    for (size_t i = 0; sepal_method_at(SEPAL_SOLVER, i, &solver) == SEPAL_OK; i++) {
        if (!sepal_learner_has_solver(learner, solver.name)) continue;
        sink_printf(out, "%s%s", between, solver.name);
        between = " ";
    }
}

void solver_cases_put(struct sink *out, const char *before, const char *any, const char *between,
                      const char *after) {
    sepal_method learner = {.size = sizeof learner};
    for (size_t i = 0; sepal_method_at(SEPAL_LEARNER, i, &learner) == SEPAL_OK; i++) {
        sink_printf(out, "%s%s%s", before, learner.name, between);
        solvers_put(out, i);
        sink_puts(out, after);
    }
    sink_printf(out, "%s%s%s", before, any, between);
    names_put(out, SEPAL_SOLVER);
    sink_puts(out, after);
}

static enum values_kind kind_of_placeholder(const char *name) {
    if (strcmp(name, "SPEC") == 0) return VALUES_SPEC;
    if (strcmp(name, "MODEL") == 0) return VALUES_MODELS;
    bool file = strcmp(name, "DATA") == 0 || strcmp(name, "FILE") == 0 || strcmp(name, "OUT") == 0;
    return file ? VALUES_FILES : VALUES_TEXT;
}

struct values values_of_option(const struct option *row) {
    struct values values = {.kind = VALUES_NONE, .words = sink_open(-1)};
    if (row->placeholder == NULL) return values;
    values.optional = option_words(row) != NULL;
    values.kind = kind_of_placeholder(row->placeholder);
    if (strcmp(row->name, "solver") == 0) values.kind = VALUES_SOLVERS;
    if (strcmp(row->placeholder, "FORMAT") == 0)
        names_put(&values.words, SEPAL_FORMAT);
    else if (strcmp(row->placeholder, "[yes|no]") == 0)
        put_words(&values.words, "yes|no");
    else if (row->range != NULL && strchr(row->range, '|') != NULL)
        put_words(&values.words, row->range);
    if (values.words.used > 0) values.kind = VALUES_WORDS;
    return values;
}

bool values_of_argument(struct values *out, struct sink *name, const struct command *command,
                        size_t i) {
    const char *at = command->usage;
    *out = (struct values){.words = sink_open(-1)};
    for (; i > 0 && *at != '\0'; i--) at += strcspn(at, " ") + (strchr(at, ' ') != NULL);
    at += *at == '[';
    size_t length = strcspn(at, " ]");
    if (length == 0 || *at == '-' || strncmp(at, "OPTION", length) == 0) return false;
    sink_add(name, at, length);
    out->kind = kind_of_placeholder(sink_text(name));
    if (strchr(sink_text(name), '|') != NULL) {
        put_words(&out->words, sink_text(name));
        out->kind = VALUES_WORDS;
    } else if (strcmp(sink_text(name), "COMMAND") == 0) {
        for (const struct command *const *row = command_table; *row != NULL; row++)
            sink_printf(&out->words, "%s%s", out->words.used > 0 ? " " : "", (*row)->name);
        out->kind = VALUES_WORDS;
    } else if (strcmp(sink_text(name), "KIND") == 0) {
        names_put(&out->words, SEPAL_PLOT);
        out->kind = VALUES_WORDS;
    }
    return true;
}

void values_clear(struct values *values) {
    sink_close(&values->words);
}
