/* Which columns of a table are numbers and which are text, where the file does not say: a column is
   numeric when at least half of its cells that are not missing are numbers.

   Rows are parsed before all of them are seen, numbers as numbers. Where a column turns out to be text
   although it has numbers, their texts (`01` is not `1`) are gone: then the rows are parsed once more,
   with these columns as text. Columns of numbers alone, and of texts alone, cost nothing. */
#ifndef SEPAL_IO_COLUMN_KINDS_H
#define SEPAL_IO_COLUMN_KINDS_H

#include "io/reading.h"

/* Whether there is a column whose kind is to be found out. */
bool kinds_open(const struct reading *reading);
/* Once all rows are parsed: mark the columns that are text though they have numbers. *again: there are
   some, and the source stands at the first row again. */
sepal_status kinds_settle(struct reading *reading, bool *again);

#endif
