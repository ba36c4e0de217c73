/* What the text of a cell stands for. */
#ifndef SEPAL_DATA_CELL_VALUE_H
#define SEPAL_DATA_CELL_VALUE_H

#include "core/text.h"

bool cell_is_missing(struct slice text); /* empty ? NA N/A NaN null, in any case */
bool cell_is_number(struct slice text, double *value);
bool cell_is_comma_number(struct slice text,
                          double *value); /* with a decimal comma, if it has any */
/* Digits in threes with the same mark between them, and perhaps decimals: 1,234 or 1 234 567.5 */
bool cell_has_thousands(struct slice text);

#endif
