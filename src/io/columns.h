/* Which cell of a table's row is what: features, label, weight, from the header, the options and,
   when reading for a model, its schema. */
#ifndef SEPAL_IO_COLUMNS_H
#define SEPAL_IO_COLUMNS_H

#include "io/read_options.h"
#include "io/table.h"

struct columns {
    const char *file;
    size_t header_line; /* line of the header or of the first row */
    bool header;
    size_t n;
    const char **names;    /* of every cell; "x1" ... without a header */
    struct tokens by_name; /* the same, to be found quickly */
    size_t target;         /* SIZE_MAX: none */
    bool *targets;         /* of every cell: it tells of one label of a set; NULL: none does */
    bool guessed;          /* the target is the last column, for want of a better one */
    size_t weight;         /* likewise */
    bool labels_elsewhere; /* labels come from another file: no column is the target */
    /* The option for which kept cells are carried along even from rows to learn from; NULL: none. */
    const char *carried_for;
    bool numbers; /* every cell is a number: the format has nothing else */
};

static inline struct columns columns_none(const char *file) {
    return (struct columns){.file = file, .header_line = 1, .target = SIZE_MAX, .weight = SIZE_MAX};
}

/* ---- Columns as the options name them (column_list.c): "id,3,5-9,PAY_*" --------------------- */

/* The next item of a list, without the blanks around it; *list moves behind it. */
bool column_item_next(const char **list, struct slice *item);
/* The first and last number of "7" or "3-7"; false: it is neither. */
bool column_item_range(struct slice item, size_t *first, size_t *last);
/* A pattern has a * or ?; whether a text is one of those that it stands for. */
bool column_item_is_pattern(struct slice item);
bool column_item_matches(struct slice pattern, struct slice text);
/* Mark the columns of a list in chosen[]; NULL marks none. A name that itself holds a comma is given
   alone. `option` is where the list was given. */
sepal_status column_list_mark(bool *chosen, sepal_ctx *ctx, const struct columns *columns,
                              const char *list, const char *option);
/* One column by its name or number; SIZE_MAX where `name` is NULL. */
sepal_status column_list_one(size_t *out, sepal_ctx *ctx, const struct columns *columns,
                             const char *name, const char *option);
/* Whether a text is a list, and not one column: it has a comma, a range or a pattern, and is no name. */
bool column_list_is_list(const struct columns *columns, const char *text);
/* Whether a list has this text as a name, or a pattern that it matches. Numbers and ranges are no
   names; nor is a pattern that has nothing but digits beside its marks. */
bool column_list_names(const char *list, struct slice text);

/* ---- What they are for -------------------------------------------------------------------- */

/* A name by which the target is found. */
bool column_is_target(const char *name);
/* For learning: fills layout->roles and the schema's columns. */
sepal_status columns_plan(struct table_layout *layout, struct schema *schema, sepal_ctx *ctx,
                          struct arena *arena, struct columns *columns,
                          const struct read_options *options);
/* For a model: fills layout->roles by the names or positions of its schema. */
sepal_status columns_match(struct table_layout *layout, sepal_ctx *ctx, struct arena *arena,
                           struct columns *columns, const struct schema *schema,
                           const struct read_options *options, bool with_labels);
/* True when every feature of the schema is among these texts. */
bool columns_named(const struct schema *schema, const struct tokens *first_row);

#endif
