/* A slow reader of CSV and LIBSVM files, byte by byte, written from the contract and docs/formats.md
   and not from the readers in src/data. It learns, or refuses at a place; what it does not know
   (weights, means for missing values, lists of columns) its callers leave out. */
#ifndef SEPAL_TESTS_STRICT_READER_H
#define SEPAL_TESTS_STRICT_READER_H

#include "io/read_options.h"

struct strict_place {
    size_t line, column; /* line 0: anywhere; column 0: anywhere on the line */
};

struct strict {
    /* Refused: at one of these places. A fault of a line comes before those of the whole file. */
    struct strict_place *faults;
    size_t n_faults;

    size_t rows, cols;
    double *values; /* rows x cols */
    char **classes;
    size_t n_classes;
    bool numeric; /* labels are numbers, equal by value */
    bool sets;    /* labels may be sets */
    bool *has;    /* rows x n_classes: the row has that label */
};

/* Where in the bytes a reader stands. */
struct strict_cursor {
    const char *at, *end;
    char eol;
    struct strict_place place;
};

struct strict *strict_read_table(const char *bytes, size_t n, const struct read_options *options,
                                 char delimiter);
struct strict *strict_read_libsvm(const char *bytes, size_t n, const struct read_options *options);
void strict_free(struct strict *strict);

/* The one of , ; tab | and blanks that cuts all lines into the same number, above 1, of cells; 0 when
   none does. */
char strict_delimiter(const char *bytes, size_t n, const struct read_options *options);

/* ---- what the two formats share ----------------------------------------------------------- */

void *strict_grow(void *old, size_t n, size_t size); /* zeroed when old is NULL */
void strict_refuse(struct strict *strict, size_t line, size_t column);
/* Behind the mark of UTF-8 and the skipped lines. False: refused, there is nothing or a zero byte. */
bool strict_begin(struct strict *strict, struct strict_cursor *in, const char *bytes, size_t n,
                  const struct read_options *options);
void strict_step(struct strict_cursor *in);
bool strict_at_eol(const struct strict_cursor *in); /* or at the end; "\r" before it counts */
void strict_next_line(struct strict_cursor *in);
bool strict_is_control(char c); /* other than tab, CR, LF */
bool strict_is_missing(const char *text, size_t n);
bool strict_is_bad_label(const char *text, size_t n);
bool strict_is_utf8(const char *text, size_t n);
/* Texts by row to classes: a text NULL is none; `sets`: cut at commas. Fills classes and has. */
void strict_label(struct strict *strict, char *const *texts);

#endif
