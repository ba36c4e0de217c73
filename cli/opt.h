/* Options from tables: a command's own rows, the rows all commands have, and the library's rows for
   reading, fitting and the parameters of a learner. Parsing, help and suggestions all read one list. */
#ifndef SEPAL_CLI_OPT_H
#define SEPAL_CLI_OPT_H

#include "sepal/sepal.h"
#include "output.h"

#include <stdbool.h>
#include <stddef.h>

struct command;
struct session;

enum option_group {
    GROUP_COMMAND,
    GROUP_READ,
    GROUP_FIT,
    GROUP_PREDICT,
    GROUP_SAMPLE,
    GROUP_EVALUATE,
    GROUP_SELECTION,
    GROUP_PLOT,
    GROUP_PARAMETER
};

/* What the command does with a file that the value names. */
enum option_file { FILE_NONE, FILE_READ, FILE_WRITTEN };

struct option {
    const char *name;             /* long form, '-' between words; '_' is the same letter */
    const char *placeholder;      /* of its value in the help; NULL: it has none */
    const char *help;             /* where the placeholder is FORMAT, their names come before it */
    const char *range, *fallback; /* NULL: none */
    const char *value;            /* as given; NULL: not given */
    enum option_group group;
    enum option_file file;
    char letter; /* short form; 0: none */
    bool many;   /* may be given more than once; `value` is the last */
};

/* A value of an option that may be given more than once. */
struct repeated {
    const char *name, *value;
};

struct options {
    struct option *rows;
    size_t n_rows;
    const char **arguments; /* what is no option */
    size_t n_arguments;
    struct repeated *repeated; /* in the order of the command line */
    size_t n_repeated;
    bool failed;         /* there was no memory for all of them */
    struct sink formats; /* the help of an option that names a format */
};

/* Where a command writes that has one result: a row of its table. */
#define OUTPUT_OPTION                                                                              \
    {                                                                                              \
        .name = "output", .letter = 'o', .placeholder = "OUT", .file = FILE_WRITTEN,               \
        .fallback = "-", .help = "write here; - is standard output"                                \
    }

/* All rows of a command, nothing given yet. */
void options_build(struct options *out, const struct command *command);
/* The parameters of a learner as rows, behind those that are there. */
void options_add_parameters(struct options *options, size_t learner);
void options_clear(struct options *options);
/* Fill the session's options from the words behind the command's name. */
int options_parse(struct session *s, int count, char **words);

/* NULL: not given; a flag that is given has the value "true". */
const char *option_value(const struct session *s, const char *name);
/* The k-th value of an option that may be given more than once; NULL: it is not given so often. */
const char *option_value_at(const struct session *s, const char *name, size_t k);
/* A whole number in [0, most]; `out` stays as it is when the option is not given. */
int option_count(struct session *s, const char *name, uint64_t most, uint64_t *out);
/* What an option that may stand alone accepts as its value, "a|b|c"; NULL: it needs a value. */
const char *option_words(const struct option *option);
/* "name=value, name=value" of all given options of a group, quoted as the library reads it. */
void options_settings(const struct options *options, enum option_group group, struct sink *out);
/* Whether a task of selection has that option. */
bool task_takes(const char *task, const char *name);
bool options_given(const struct options *options, enum option_group group);
/* The same of the given options of a task of selection. */
void task_settings(const struct options *options, const char *task, struct sink *out);
void setting_put(struct sink *out, const char *name, const char *value);

bool same_name(const char *a, const char *b);
/* The known name that a mistyped one most likely means, NULL when none is near. */
const char *nearest(const char *wrong, const char *const *names, size_t n);

/* ---- Parameters of the learner that a spec names ------------------------------------------------ */

/* 1 and the learner's row number, or 0 when the spec names no learner. */
int spec_learner(const char *spec, size_t *learner);
/* The spec with the given parameters added to its learner. */
void spec_with_parameters(const struct session *s, const char *spec, struct sink *out);

#endif
