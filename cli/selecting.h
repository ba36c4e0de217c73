/* What the commands that judge and choose by rows held out have in common: read, do the task, write a table
   beside its place, report, put all in place. */
#ifndef SEPAL_CLI_SELECTING_H
#define SEPAL_CLI_SELECTING_H

#include "cli.h"

struct selecting {
    /* Given. */
    const char *task;
    bool makes_model; /* always; else where there is a place for it */
    /* The file of --csv, and what can be typed next; NULL: nothing. */
    void (*put_table)(struct sink *out, const sepal_report *report);
    void (*say_next)(struct session *s, const sepal_report *report);

    sepal_data *data;
    sepal_model *model;
    sepal_report *report;
    sepal_report *doctor; /* what it found, until the report has it */
    sepal_staged *staged;
    struct result csv;
    bool opened; /* the file of --csv */
};

/* The options that all of them have: rows of a table. */
#define SELECTING_OPTIONS                                                                          \
    {.name = "refit", .help = "fit all rows at the end; -o implies it"},                           \
        {.name = "output",                                                                         \
         .letter = 'o',                                                                            \
         .placeholder = "MODEL",                                                                   \
         .file = FILE_WRITTEN,                                                                     \
         .help = "save the model of all rows here"},                                               \
        {.name = "csv",                                                                            \
         .placeholder = "FILE",                                                                    \
         .file = FILE_WRITTEN,                                                                     \
         .help = "write the whole table here"},                                                    \
        {.name = "seed",                                                                           \
         .placeholder = "N",                                                                       \
         .fallback = "1",                                                                          \
         .help = "start of the random numbers"},                                                   \
    {                                                                                              \
        .name = "no-doctor", .help = "do not examine the rows before the fits"                     \
    }

int selecting_run(struct session *s, struct selecting *all);
/* Ask the library: with data it is done, without only whether all is understood. `specs` NULL: those of -m. */
int selecting_ask(struct session *s, struct selecting *all);

/* A number of the report as a cell, nothing where there is none. */
void put_number(struct sink *out, const sepal_report *report, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A text or number of the report as a cell of CSV. */
void put_cell(struct sink *out, const sepal_report *report, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "sepal train DATA -m SPEC" with the options of reading and fitting that were given, as a line to type. */
void put_training(struct sink *out, const struct session *s, const char *spec);
/* Say how to fit all rows, unless it is done. `spec` and further words: what was chosen. */
void say_refit(struct session *s, const char *spec, const char *further);

#endif
