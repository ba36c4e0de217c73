/* What a description tells of a file beside its rows: every column, features or not, and what could not
   be read as it stands. */
#ifndef SEPAL_DATA_FILE_FACTS_H
#define SEPAL_DATA_FILE_FACTS_H

#include "sepal/sepal.h"

struct surveyed_column {
    const char *name;
    const char *role; /* "feature", "target", "weight", "dropped", "kept" */
    size_t feature;   /* its number among the features; SIZE_MAX: it is none */
    size_t odd;       /* cells of text in a column of numbers */
};

enum { ODD_SHOWN = 5 };
struct odd_cell {
    size_t line, column;
    const char *name, *text; /* of the column; of the cell */
};

struct file_facts {
    const char *format;
    char delimiter; /* 0: none */
    bool header;
    size_t n;
    struct surveyed_column *columns; /* of a table */
    size_t unlabelled;               /* rows without a label */
    size_t bad_lines;                /* left out */
    /* Where each record begins, unpacked, and where the last one ends; NULL: of an array, or not asked
       for. */
    size_t *place, records;
    size_t odd_cells, odd_shown;
    struct odd_cell odd[ODD_SHOWN]; /* the first of them */
};

#endif
