/* From label texts to classes. */
#ifndef SEPAL_DATA_CLASSES_H
#define SEPAL_DATA_CLASSES_H

#include "data/schema.h"
#include "data/tokens.h"

/* What cannot be a label: the words for missing cells, and infinities. */
bool label_is_missing(struct slice text);

/* Set the schema's classes from all label texts of the training data and class_of[] of each text:
   numbers, if all are, equal and sorted by value; else bytes, sorted bytewise. */
sepal_status classes_learn(struct schema *schema, sepal_ctx *ctx, const struct tokens *texts,
                           int32_t *class_of);
/* The text as a label is printed: shortest form if labels are numbers and it is one. */
const char *class_print(sepal_ctx *ctx, struct arena *arena, struct slice text, bool numeric);

#endif
