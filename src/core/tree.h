/* A tree of named facts: what reports are made of and what JSON text is read into. Nodes live in
   an arena and are never freed one by one. Objects keep the order in which keys were added. */
#ifndef SEPAL_CORE_TREE_H
#define SEPAL_CORE_TREE_H

#include "core/arena.h"
#include "core/text.h"

enum tree_kind { TREE_NULL, TREE_BOOL, TREE_NUMBER, TREE_TEXT, TREE_ARRAY, TREE_OBJECT };

struct tree {
    enum tree_kind kind;
    const char *key; /* inside an object, else NULL */
    union {
        bool truth;
        double number;
        struct slice text;
    };
    struct tree *first, *last, *next; /* children of an array or object; next sibling */
    size_t count;                     /* number of children */
};

/* Makes nodes; after a failure it hands out a harmless spare node, so that building code checks
   `failed` once at the end. */
struct tree_maker {
    sepal_ctx *ctx;
    struct arena *arena;
    bool failed;
    struct tree spare;
};

struct tree *tree_object(struct tree_maker *make, struct tree *parent, const char *key);
struct tree *tree_array(struct tree_maker *make, struct tree *parent, const char *key);
void tree_null(struct tree_maker *make, struct tree *parent, const char *key);
void tree_bool(struct tree_maker *make, struct tree *parent, const char *key, bool truth);
/* A number that is not finite is stored as null: JSON has no other word for it. */
void tree_number(struct tree_maker *make, struct tree *parent, const char *key, double number);
void tree_text(struct tree_maker *make, struct tree *parent, const char *key, const char *text);
void tree_slice(struct tree_maker *make, struct tree *parent, const char *key, struct slice text);
/* Arrays of them. */
void tree_numbers(struct tree_maker *make, struct tree *parent, const char *key,
                  const double *numbers, size_t n);
void tree_texts(struct tree_maker *make, struct tree *parent, const char *key,
                const char *const *texts, size_t n);
/* parent NULL: a root; key NULL: an array's element. Keys and texts are copied to the arena. */

/* Make a root the last child of an array or object; its key must already be right. */
void tree_adopt(struct tree *parent, struct tree *child);
/* A deep copy of `node` under `parent` with the given key. */
void tree_copy(struct tree_maker *make, struct tree *parent, const char *key,
               const struct tree *node);
/* The same, in place of the child that has this key now, if there is one. */
void tree_replace(struct tree_maker *make, struct tree *object, const char *key,
                  const struct tree *node);

const struct tree *tree_find(const struct tree *object, const char *key); /* NULL if absent */
const struct tree *tree_path(const struct tree *root,
                             const char *dotted); /* "train.accuracy", "path.0.gap" */

/* JSON. Printing: UTF-8 as it is, numbers shortest round trip, invalid UTF-8 bytes as U+FFFD.
   `indent` 0 puts all on one line. Reading is strict: RFC 8259, no duplicate keys, no depth over
   32, nothing after the value, numbers by decimal_read, texts valid UTF-8 without NUL. The reader
   fails with `status` and says at which byte. */
void json_print(sepal_ctx *ctx, struct text *out, const struct tree *tree, int indent);
/* A line of JSON for the caller's trace; fails where the maker has failed. */
sepal_status json_trace(const struct tree_maker *make, const struct tree *line);
sepal_status json_read(struct tree **out, sepal_ctx *ctx, struct arena *arena, struct slice json,
                       sepal_status status);

#endif
