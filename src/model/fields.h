/* Facts out of the JSON of a model file. The file may be hostile, so nothing is read twice, nothing
   is left unread, and the memory taken is bounded beforehand. */
#ifndef SEPAL_MODEL_FIELDS_H
#define SEPAL_MODEL_FIELDS_H

#include "core/tree.h"

/* SEPAL_EMODEL: the file is a model, but what it says cannot be so. */
sepal_status invalid(sepal_ctx *ctx, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* json_read after a look at the text: a tree takes up to 32 times the bytes of its text, so a text
   of more values than any model needs is refused. So is any spelling but that of json_print: what
   is accepted is what saving the model again writes. */
sepal_status json_read_small(struct tree **out, sepal_ctx *ctx, struct arena *arena,
                             struct slice json);

/* The fields of one object, taken by name in the order in which they are written. The first failure
   is recorded and kept; fields_end reports it, or a field that nobody took. */
struct fields {
    sepal_ctx *ctx;
    const struct tree *object;
    const struct tree *next; /* the first one not taken */
    const char *what;        /* for messages */
    sepal_status status;
};
/* Anything but an object has no fields. */
struct fields fields_open(sepal_ctx *ctx, const struct tree *object, const char *what);
const struct tree *fields_optional(struct fields *fields, const char *key); /* NULL: not next */
const struct tree *fields_take(struct fields *fields, const char *key);     /* NULL: failed */
const struct tree *fields_array(struct fields *fields, const char *key); /* NULL: failed or null */
const char *fields_text(struct fields *fields, const char *key);         /* "" on failure */
const char *fields_text_or_null(struct fields *fields, const char *key);
bool fields_bool(struct fields *fields, const char *key);
double fields_number(struct fields *fields, const char *key);
double fields_number_or_null(struct fields *fields, const char *key); /* null: NaN */
size_t fields_count(struct fields *fields, const char *key);
sepal_status fields_end(struct fields *fields);

/* The value as a whole number of at least 0 that a double holds exactly. */
bool tree_is_count(const struct tree *value, size_t *out);

/* The elements of a JSON array, as text, one after the other: a long list never becomes a tree. */
struct elements {
    const char *at, *end;
    size_t count;
};
sepal_status elements_open(struct elements *out, sepal_ctx *ctx, struct slice json,
                           const char *what);
/* The next one; call it `count` times. Whether it is JSON is seen by the one who reads it. */
struct slice elements_next(struct elements *elements);

#endif
