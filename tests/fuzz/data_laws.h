/* The laws of reading and writing data, for the targets of all formats.

   An input is a line of letters, each of which stands for a reading option (data_laws.c has the
   table), then up to four files with "\n----\n" between them: the data; rows to be read for what
   was learnt from it; its labels; its weights. */
#ifndef SEPAL_TESTS_DATA_LAWS_H
#define SEPAL_TESTS_DATA_LAWS_H

#include "data/data.h"

#include <stdint.h>

struct fuzz_bytes {
    const char *at;
    size_t size;
};
struct fuzz_reading {
    char options[512];                              /* "header=no, target=2" */
    unsigned threads;                               /* of the second reading */
    struct fuzz_bytes data, other, labels, weights; /* at NULL: none */
};

void reading_cut(struct fuzz_reading *out, const uint8_t *bytes, size_t size);

/* All laws, with the data in a file of the given name (its extension may tell the format). Labels
   have the name `beside`, by which they may be found; NULL: they and weights are named by options. */
void reading_laws(struct fuzz_reading *reading, const char *name, const char *beside);

/* What holds inside any data set. `learnt`: every class occurs, and no other. */
void data_laws(const sepal_data *data, bool learnt);
/* Rows, columns, numbers, classes, labels and weights are the same bits. */
void data_same(const sepal_data *a, const sepal_data *b, const char *what);

#endif
