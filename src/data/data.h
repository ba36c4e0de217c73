/* A data set: the matrix, the labels and weights of its rows, and the schema that explains them. */
#ifndef SEPAL_DATA_DATA_H
#define SEPAL_DATA_DATA_H

#include "data/matrix.h"
#include "data/schema.h"
#include "data/file_facts.h"
#include "data/target.h"

struct sepal_data {
    struct matrix matrix;
    /* The matrix has the cells of a table as they were read, a column for each column of the schema: text
       by the number of its category, NaN where a value is missing. See prepare.h. */
    bool coded;
    size_t missing; /* cells of these */
    const struct schema *schema;
    struct arena arena;

    int32_t *label; /* class of each row; NULL: no labels, or label sets */
    /* Labels that the model of the schema has not seen: classes n_classes, n_classes + 1, ... */
    const char **unseen;
    size_t n_unseen;
    /* Label sets: row i has the labels set[set_start[i] .. set_start[i+1]-1]; NULL: single labels. */
    size_t *set_start;
    int32_t *set;
    sepal_place first_set; /* where the file shows the first of them */

    size_t *number; /* of each row in its file, from 0 and rising; NULL: no row was left out */
    double *weight; /* NULL: all 1 */
    double total_weight;
    uint32_t *group; /* of each row, from 0: rows of one are never parted; NULL: none are given */
    size_t n_groups;
    bool *undecided; /* rows that cannot be predicted; NULL: none */
    const char *kept_header;
    const char **kept;        /* per row; NULL: nothing is kept */
    const char *file;         /* where it was read from; "" if from nowhere */
    struct file_facts *facts; /* of rows that are only to be described; NULL: of all others */
    struct target target;
    double seconds; /* it took to load */
};

struct parsed_chunk;
struct source;
struct chunks;
struct read_options;

/* The rows of a file that are to be described: nothing in a cell is refused. Missing values and text in
   columns of numbers are NaN, rows without a label have the class -1, and lines that cannot be cut into
   cells are left out and counted. With bad-lines=skip the rows are those that would be learnt from. */
sepal_status data_survey(sepal_data **out, sepal_ctx *ctx, const char *path, const char *options);
/* The same, with the places of the records in a file that can be read again, which is refused of others. */
sepal_status data_survey_places(sepal_data **out, sepal_ctx *ctx, const char *path,
                                const char *options);
/* schema NULL: rows to learn from. */
sepal_status data_read(sepal_data **out, sepal_ctx *ctx, const char *path, const char *options,
                       const struct schema *schema, bool with_labels);
sepal_data *data_new(sepal_ctx *ctx);
/* The rows rows[0 .. n-1], which rise. They keep their numbers in the file. */
sepal_status data_select(sepal_data **out, sepal_ctx *ctx, const sepal_data *data,
                         const size_t *rows, size_t n);
/* The same in the room of an earlier selection where it fits, which then is only to be freed. */
sepal_status data_select_anew(sepal_data **out, sepal_ctx *ctx, const sepal_data *data,
                              const size_t *rows, size_t n, sepal_data *spent);
/* Their labels and weights alone: the matrix has their number and no blocks. */
sepal_status data_select_labels(sepal_data **out, sepal_ctx *ctx, const sepal_data *data,
                                const size_t *rows, size_t n);
sepal_status data_split(sepal_data **rest, sepal_data **part, sepal_ctx *ctx,
                        const sepal_data *data, double fraction);
/* Mark round(fraction n_k) rows of every class k, but not all of any, chosen by a seeded shuffle within the
   class; another one for each repeat, from 0 on. */
sepal_status data_mark_part(bool *chosen, sepal_ctx *ctx, const sepal_data *data, double fraction,
                            size_t repeat);
/* The fold 0 .. folds-1 of each row, by a seeded shuffle within each class: rows of any class, and rows in
   all, are as many in each fold or one more. */
sepal_status data_folds(uint32_t *fold, sepal_ctx *ctx, const sepal_data *data, size_t folds);
/* Doubles row after row, copied; memory.h has all other arrays. */
sepal_status data_from_dense(sepal_data **out, sepal_ctx *ctx, const double *x, size_t rows,
                             size_t cols, const char *const *labels, const double *weights);
/* The whole data set as a file of a format; format NULL: by the extension. */
sepal_status data_write(sepal_ctx *ctx, const sepal_data *data, const char *path,
                        const char *format);
/* The second file that data_write makes for the labels, NULL if there is none; to be freed. */
sepal_status data_labels_path(char **out, sepal_ctx *ctx, const sepal_data *data, const char *path,
                              const char *format);
/* The same rows, each with the set of its one label; what has sets already is as it is. `out` owns
   nothing but what is in the arena. */
sepal_status data_as_sets(sepal_data *out, sepal_ctx *ctx, struct arena *arena,
                          const sepal_data *data);
/* Refused unless every class has a row; `purpose` ends the message. */
sepal_status data_check_classes(sepal_ctx *ctx, struct arena *arena, const sepal_data *data,
                                const char *purpose);
/* Rows with the same kept text become a group; the text is kept no longer. */
sepal_status data_group_by_kept(sepal_data *data, sepal_ctx *ctx, const char *column);
/* Refused unless the total is finite. */
sepal_status data_set_total_weight(sepal_data *data, sepal_ctx *ctx, double total);
void data_free(sepal_data *data);

static inline double data_weight(const sepal_data *data, size_t row) {
    return data->weight ? data->weight[row] : 1;
}
/* The labels of rows: one each, or sets of them. */
struct row_labels {
    const int32_t *label;
    const size_t *start; /* those of row i: label[start[i] .. start[i+1]-1]; NULL: label[i] alone */
};
static inline struct row_labels data_labels(const sepal_data *data) {
    return (struct row_labels){data->set_start ? data->set : data->label, data->set_start};
}
static inline const int32_t *row_labels_of(const struct row_labels *labels, size_t row, size_t *n) {
    size_t at = labels->start ? labels->start[row] : row;
    *n = labels->start ? labels->start[row + 1] - at : 1;
    return labels->label + at;
}
static inline bool row_has_label(const struct row_labels *labels, size_t row, size_t k) {
    size_t n;
    const int32_t *own = row_labels_of(labels, row, &n);
    for (size_t i = 0; i < n; i++)
        if (own[i] == (int32_t)k) return true;
    return false;
}

/* The label with number k, one the model knows or one it has not seen. */
static inline const char *data_label_name(const sepal_data *data, size_t k) {
    return k < data->schema->n_classes ? data->schema->classes[k]
                                       : data->unseen[k - data->schema->n_classes];
}

#endif
