/* Columns as the options name them, "id,3,5-9,PAY_*": each by its name, its number from 1, a range of
   numbers, or a pattern in which * stands for any text and ? for one character. */
#ifndef SEPAL_IO_COLUMN_LIST_H
#define SEPAL_IO_COLUMN_LIST_H

#include "io/columns.h"

/* Mark the columns of a list in chosen[]; NULL marks none. A name that itself holds a comma is given
   alone. `option` is where the list was given. */
sepal_status column_list_mark(bool *chosen, sepal_ctx *ctx, const struct columns *columns,
                              const char *list, const char *option);
/* One column by its name or number; SIZE_MAX where `name` is NULL. */
sepal_status column_list_one(size_t *out, sepal_ctx *ctx, const struct columns *columns,
                             const char *name, const char *option);
/* Whether a list has this text as a name, or a pattern that it matches. Numbers and ranges are no
   names; nor is a pattern that has nothing but digits beside its marks. */
bool column_list_names(const char *list, struct slice text);

#endif
