/* Manual pages and shell completion, written when Sepal is built, from the same tables that the
   program reads its command line by. No text of a table is repeated here. */
#ifndef SEPAL_MANUAL_MANUAL_H
#define SEPAL_MANUAL_MANUAL_H

#include "cli.h"

/* ---- Manual pages -------------------------------------------------------------------------- */

void man_overview(struct sink *out);                               /* sepal(1) */
void man_command(struct sink *out, const struct command *command); /* sepal-COMMAND(1) */
/* libsepal(3): the public header, its comments as text, and a program as example. 0, or -1 and
   errno when a file cannot be read. */
int man_library(struct sink *out, const char *header, const char *example);

/* ---- Completion ---------------------------------------------------------------------------- */

/* A part of a shell script: what stands for the line "#@NAME" of its template. */
struct part {
    const char *name; /* NULL ends the list */
    void (*put)(struct sink *out);
};
extern const struct part bash_parts[], zsh_parts[], fish_parts[];
/* 0, or -1 and errno when the template cannot be read. */
int template_fill(struct sink *out, const char *path, const struct part *parts);

enum values_kind {
    VALUES_NONE, /* a flag */
    VALUES_TEXT, /* nothing to offer */
    VALUES_WORDS,
    VALUES_FILES,
    VALUES_MODELS, /* *.sepal */
    VALUES_SPEC,
    VALUES_SOLVERS /* of the learner that -m names, of all learners without one */
};

/* What may follow an option, or stand as an argument. */
struct values {
    enum values_kind kind;
    bool optional;     /* the option may also stand alone */
    struct sink words; /* with a blank between them; for VALUES_WORDS */
};

struct values values_of_option(const struct option *row);
/* The argument at place i from 0; false past the last. `name` is how the usage line calls it. */
bool values_of_argument(struct values *out, struct sink *name, const struct command *command,
                        size_t i);
void values_clear(struct values *values);
/* The names of a table's rows, with blanks between them. */
void names_put(struct sink *out, sepal_kind kind);
/* Those of the solvers that the learner at this place can be told to use. */
void solvers_put(struct sink *out, size_t learner);
/* A case of a shell script for each learner, with its solvers, and one for `any` other, with all. */
void solver_cases_put(struct sink *out, const char *before, const char *any, const char *between,
                      const char *after);

/* ---- roff ---------------------------------------------------------------------------------- */

void roff_begin(struct sink *out, const char *name, int section);
void roff_name(struct sink *out, const char *name, const char *summary);
/* Running text: `words` in backquotes and options become bold, and words that stand in
   `variables` (NULL: none) italic. Each sentence starts a line. */
void roff_text(struct sink *out, const char *text, const char *variables);
/* What is typed as it stands. */
void roff_code(struct sink *out, const char *text, size_t length);
void roff_bold(struct sink *out, const char *text);
/* A usage line: what is typed bold, what stands for something else italic. */
void roff_usage(struct sink *out, const char *usage);

#endif
