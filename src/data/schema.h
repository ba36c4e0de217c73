/* What the columns of a data set are and mean: names, kinds, categories, where the target was, what
   stands for a missing value, which classes there are. A model keeps the schema of its training
   data, and other data is read through it. Immutable once made, shared by counting. */
#ifndef SEPAL_DATA_SCHEMA_H
#define SEPAL_DATA_SCHEMA_H

#include "core/arena.h"
#include "core/text.h"

enum family {
    FAMILY_TABLE,  /* cells in named columns: CSV and its kin */
    FAMILY_INDEXED /* index:value pairs: LIBSVM */
};
/* Most values of a text column: each becomes a 0/1 column. */
enum missing { MISSING_REFUSE, MISSING_MEAN, MISSING_INDICATOR, MISSING_DROP };

/* One input column, and the matrix columns made of it: a number gives one, a text gives one per
   category, an indicator of missing values ("name=?") comes last. */
struct column {
    const char *name;
    size_t position; /* cell number in the training file, from 0 */
    bool text;
    bool declared; /* the file lists its categories, whether they occur or not */
    size_t n_categories;
    const char **categories; /* sorted bytewise */
    double *fill;            /* what stands for a missing value: n_categories or 1 numbers */
    bool indicator;
    size_t first; /* its first matrix column */
};

/* In place of the number of a category: one that the column does not have. */
enum { UNKNOWN_CATEGORY = -1 };

struct schema {
    atomic_size_t owners;
    struct arena arena;
    enum family family;
    bool header; /* the names came from the file */
    size_t n_columns;
    struct column *columns; /* FAMILY_TABLE only */
    bool zero_based;        /* FAMILY_INDEXED: the first index is 0 */
    const char **names;     /* likewise, of all features; NULL: they are called by their index */
    size_t cells;           /* cells per row in the training file */
    const char *target;     /* NULL: labels came from elsewhere */
    size_t target_position;
    /* Instead of a target, a column of 0 and 1 for each label, called as it is: their cells, in label
       order. NULL: none. */
    size_t *label_cells;
    char label_separator; /* between the labels of a set in one cell; 0: a cell is a label */
    const char *weight;   /* NULL: none */
    enum missing missing;
    size_t width;     /* matrix columns */
    size_t dependent; /* known linear dependencies: one per one-hot text column */
    size_t n_classes;
    const char **classes; /* in label order, as printed */
    bool numeric_labels;
};

struct schema *schema_new(sepal_ctx *ctx);
/* All but the columns and what is counted of them. */
sepal_status schema_copy_facts(struct schema *to, sepal_ctx *ctx, const struct schema *from);
struct schema *schema_retain(const struct schema *schema); /* one owner more */
void schema_release(const struct schema *schema);

/* How many cells of a row say what its labels are. */
static inline size_t schema_targets(const struct schema *schema) {
    return schema->label_cells ? schema->n_classes : schema->target != NULL;
}
/* Number the matrix columns; sets width and dependent. */
void schema_layout(struct schema *schema);
/* There are no more matrix columns than a 32-bit index tells apart. */
sepal_status schema_check_width(sepal_ctx *ctx, const struct schema *schema);
/* Columns of the user's file that are features. */
size_t schema_features(const struct schema *schema);
/* The name of matrix column j ("age", "colour=red", "age=?", "17"). */
void schema_column_name(sepal_ctx *ctx, struct text *out, const struct schema *schema, size_t j);
/* Number of the class with that label, -1 if there is none: equal by value where labels are
   numbers. */
int32_t schema_class_of(const struct schema *schema, struct slice label);
/* Number of the category, n_categories if it was not seen. */
size_t column_category(const struct column *column, struct slice text);

#endif
