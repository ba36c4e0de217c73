/* The spec grammar, "stage | stage | learner(parameter=value, ...) | strategy", as text: what the
   stages are called and what they are given. Which names exist is the business of the tables. */
#ifndef SEPAL_CORE_SPEC_H
#define SEPAL_CORE_SPEC_H

#include "core/parameters.h"

struct spec_stage {
    const char *name; /* '_' turned to '-' */
    struct setting *settings;
    size_t n_settings;
    size_t column; /* where in the text it begins, from 1 */
};
struct spec {
    struct spec_stage *stages;
    size_t n_stages;
};

sepal_status spec_parse(struct spec *out, sepal_ctx *ctx, struct arena *arena, const char *text);
/* "name=value, name=value": the inside of the parentheses alone, for options strings. NULL: there are none. */
sepal_status settings_parse(struct setting **out, size_t *n, sepal_ctx *ctx, struct arena *arena,
                            const char *text);
/* A value, in double quotes if it is empty or holds blanks or one of , = ( ) | + " \, where a
   backslash stands before " and \. */
void spec_quote(sepal_ctx *ctx, struct text *out, const char *value);

#endif
