/* The laws of reading and writing data, for the targets of all formats.

   An input is a line of letters, each of which stands for a reading option (data_laws.c has the
   table), then the bytes of a data file, then, behind a line "----", the bytes of a second file that
   is read for what was learnt from the first. */
#ifndef SEPAL_TESTS_DATA_LAWS_H
#define SEPAL_TESTS_DATA_LAWS_H

#include "data/data.h"

#include <stdint.h>

struct fuzz_bytes {
    const char *at;
    size_t size;
};
struct fuzz_reading {
    char options[512]; /* "header=no, target=2" */
    unsigned threads;  /* of the second reading */
    struct fuzz_bytes first, second;
};

void reading_cut(struct fuzz_reading *out, const uint8_t *bytes, size_t size);

/* All laws on files of the given name (its extension may tell the format). */
void reading_laws(const struct fuzz_reading *reading, const char *name);

/* What holds inside any data set. `learnt`: every class occurs, and no other. */
void data_laws(const sepal_data *data, bool learnt);
/* Rows, columns, numbers, classes, labels and weights are the same bits. */
void data_same(const sepal_data *a, const sepal_data *b, const char *what);

#endif
