/* Parameter tables: the named settings of learners, maps, readers and fits. A table row says where the
   value lives, what it may be and what it is unless given; parsing, range checks, suggestions,
   help, documentation and the canonical form all follow from the row. */
#ifndef SEPAL_CORE_PARAMETERS_H
#define SEPAL_CORE_PARAMETERS_H

#include "core/arena.h"
#include "core/text.h"

enum parameter_type {
    PARAMETER_REAL,   /* double, NaN without a fallback unless given */
    PARAMETER_COUNT,  /* size_t */
    PARAMETER_FLAG,   /* bool */
    PARAMETER_CHOICE, /* int, the index of the word in `range` ("online|batch|delta") */
    PARAMETER_TEXT,   /* const char *, NULL unless given */
    PARAMETER_FILE,   /* likewise: the name of a file that is read */
    PARAMETER_LIST    /* likewise: a command takes it more than once, with "; " between */
};

struct parameter {
    const char *name; /* with '-' between words; '_' is accepted for it */
    enum parameter_type type;
    size_t offset;        /* of the value in its struct */
    const char *fallback; /* the default, as the user would write it; NULL: none (REAL, TEXT) */
    const char *range;    /* "[0, inf)", "(0, 1]", "a|b|c", or "" for anything */
    const char *help;
};
/* A table ends with a row whose name is NULL. */

/* One "name=value" as written, before any table is known. */
struct setting {
    const char *name;  /* normalised: '_' turned to '-' */
    const char *value; /* NULL when the name stood alone */
};

/* Fill `values` with the defaults, then with `settings`. `owner` names the table in messages
   ("perceptron"). Unknown names, bad values and the same name twice with different values fail
   with SEPAL_EUSAGE, naming what is accepted. Texts are copied to the arena. */
sepal_status parameters_fill(void *values, sepal_ctx *ctx, struct arena *arena,
                             const struct parameter *table, const char *owner,
                             const struct setting *settings, size_t n);
/* The same of settings as settings_parse reads them. */
sepal_status parameters_parse(void *values, sepal_ctx *ctx, struct arena *arena,
                              const struct parameter *table, const char *owner, const char *text);
/* Every parameter written out, in table order: "variant=online, eta=1". Parameters that have no value (a NULL
   text, a NaN) are left out; values are quoted where the grammar needs it. */
void parameters_print(sepal_ctx *ctx, struct text *out, const struct parameter *table,
                      const void *values);
/* Whether a parameter that has a value has the same in both. */
bool parameter_same(const struct parameter *parameter, const void *values, const void *others);
const struct parameter *parameters_find(const struct parameter *table, const char *name);

#endif
