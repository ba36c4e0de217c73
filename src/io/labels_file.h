/* One label or one weight per row, in a file beside the data: npy, idx, or text with one a line. Or one
   name for each feature. */
#ifndef SEPAL_IO_LABELS_FILE_H
#define SEPAL_IO_LABELS_FILE_H

#include "data/tokens.h"

struct labels_file {
    const char *file; /* its name in messages; lives as long as the path it was opened by */
    size_t rows;
    bool weights, names; /* else labels */
    bool lines;          /* text: row r is line r + 1 */
    struct tokens texts; /* labels: the distinct ones */
    uint32_t *number;    /* of each row's label among them */
    bool faulty;         /* some text cannot be a label */
    double *weight;      /* of each row */
};

/* On failure nothing is left to clear. Labels that cannot be any (missing, not UTF-8, control
   characters) are kept: they do no harm to rows that are left out. Weights are checked at once. */
sepal_status labels_file_labels(struct labels_file *out, sepal_ctx *ctx, const char *path);
sepal_status labels_file_weights(struct labels_file *out, sepal_ctx *ctx, const char *path);
/* Names of features, one a row, which are checked at once: texts, and no two the same. */
sepal_status labels_file_names(struct labels_file *out, sepal_ctx *ctx, const char *path);
void labels_file_clear(struct labels_file *labels);

/* The label of a row that is used must be one. */
bool labels_file_has_label(const struct labels_file *labels, size_t row);
sepal_status labels_file_check_label(sepal_ctx *ctx, const struct labels_file *labels, size_t row);
/* There must be one for each row of the data. */
sepal_status labels_file_expect(sepal_ctx *ctx, const struct labels_file *labels, size_t rows,
                                const char *data_file);

/* labels_file_sibling.c: how much of the path of an array the name of its label file begins with. */
size_t labels_file_stem(const char *path);
/* The label file that belongs to the file of an array by its name, NULL when there is none. The
   caller frees it. */
sepal_status labels_file_sibling(char **out, sepal_ctx *ctx, const char *path);

#endif
