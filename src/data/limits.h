/* How large things in data files may be. Every limit is in docs/limits.md, and tests/files/
   test_limits.py tries it at n - 1, n and n + 1. Nothing else bounds a file but memory. */
#ifndef SEPAL_DATA_LIMITS_H
#define SEPAL_DATA_LIMITS_H

#include <stdint.h>

enum {
    /* The largest index of a LIBSVM file, and the most columns of a matrix: they are kept in 32
       bits, and every other tool that reads the format has them signed. */
    LIMIT_INDEX = INT32_MAX,
    /* Columns of a table or an array. Each has a name, a role and notes, some 350 bytes in all, so
       this many take 1.5 GB; wider data is sparse and goes into LIBSVM files. */
    LIMIT_COLUMNS = 1 << 22,
    /* Classes. More of them are a column of numbers or names taken for the target. */
    LIMIT_CLASSES = 1 << 20,
    /* Categories of a text column, each of which becomes a 0/1 column. */
    LIMIT_CATEGORIES = 1000,
    /* Bytes of a label, a category or a column's name: what a model file takes. */
    LIMIT_TEXT = 1 << 16,
    /* Bytes of a record: a line, or several when quotes hold line ends. 64 bytes for each of
       LIMIT_COLUMNS cells; without a limit a packed file of 4 MB could ask for 4 GB. */
    LIMIT_RECORD = 1 << 28,
    /* Bytes of rows that are kept of input which cannot be read twice, until it is known what its
       columns hold: more than most pipes carry, less than memory that anyone would miss. */
    LIMIT_KEPT = 1 << 26,
    /* Bytes of the declarations before the rows of an ARFF file: it is looked at as a whole. */
    LIMIT_ARFF_HEADER = (1 << 26) - 1,
};

#define LIMIT_RECORD_SAID                                                                          \
    "this line has more than 268435456 bytes, the most there can be; is this a text file, and is " \
    "every quote closed?"
#define LIMIT_TEXT_SAID "has more than 65536 bytes, the most there can be; shorten it"
#define UTF8_ADVICE "convert the file, as with iconv -f LATIN1 -t UTF-8 FILE"

#endif
