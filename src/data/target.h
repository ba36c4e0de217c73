/* Where the labels of a data set come from, and whether they look like classes at all. */
#ifndef SEPAL_DATA_TARGET_H
#define SEPAL_DATA_TARGET_H

#include "core/tree.h"

enum target_source {
    TARGET_GIVEN,  /* by the program that made the rows; or there are no labels */
    TARGET_COLUMN, /* of a table */
    TARGET_FIELD,  /* the first one of a LIBSVM line */
    TARGET_FILE    /* of labels alone */
};

struct target {
    enum target_source source;
    const char *name; /* of the column or the file; NULL: it has none */
    bool guessed;     /* a column that is the target only because it is the last */
    bool named;       /* a column that the user named */
};

/* A copy in another arena. */
sepal_status target_copy(struct target *out, sepal_ctx *ctx, struct arena *arena,
                         const struct target *target);
/* The fact `target` of a report. */
void target_tell(struct tree_maker *make, struct tree *report, const struct target *target);
/* Hardly two rows have the same label: these are no classes. */
bool target_is_doubtful(const sepal_data *data);
/* Before a fit: SEPAL_EDATA when every row is a class of its own and another column could be the
   target; a warning when the labels look like the numbers of a regression, or another column like
   classes. */
sepal_status target_question(sepal_ctx *ctx, const sepal_data *data);

#endif
