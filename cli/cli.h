/* What the commands share: the session a command runs in, the row that describes a command, and the
   table of them. A command returns the exit code of the program. */
#ifndef SEPAL_CLI_CLI_H
#define SEPAL_CLI_CLI_H

#include "sepal/sepal.h"
#include "opt.h"
#include "output.h"

#include <stdbool.h>

enum exit_code {
    EXIT_DONE = 0,
    EXIT_INTERNAL = 1,
    EXIT_USAGE = 2,
    EXIT_DATA = 3,
    EXIT_MODEL = 4,
    EXIT_NOT_CONVERGED = 5,
    EXIT_OUTPUT = 6,        /* or memory */
    EXIT_INTERRUPTED = 130, /* 128 + SIGINT, as shells count */
    EXIT_CLOSED = 141       /* 128 + SIGPIPE */
};

/* What every code means: a word for the overview, a sentence for the manual. Ends with NULLs. */
struct exit_row {
    enum exit_code code;
    const char *word, *meaning;
};
extern const struct exit_row exit_table[];

struct session;

struct command {
    const char *name, *summary; /* the summary is a sentence without its full stop */
    const char *description;    /* paragraphs, each one line; "\n" between them */
    int (*run)(struct session *s);
    const char *usage;                          /* what follows "sepal NAME " */
    size_t fewest, most;                        /* arguments that are no options */
    bool reads, fits, decides, samples, judges; /* takes the library's options of doing that */
    bool plots;                                 /* draws pictures */
    const char *const *tasks; /* of selection, whose options it takes; ends with NULL. NULL: none */
    bool silent;              /* takes no option but --help */
    const struct option *options; /* ends with a row without a name; NULL: none of its own */
    const char *examples[2];      /* they run in the folder of the sources */
};

struct session {
    const struct command *command; /* NULL before it is known */
    sepal_ctx *ctx;
    struct options options;
    int n_words; /* of the command line, with the program's name */
    char **words;
    bool json, quiet, verbose;
    double start;      /* seconds, for -v */
    bool draws, drawn; /* the progress line: wanted, now on the terminal */
    size_t warned;     /* warnings that were printed */
    bool fitted;       /* Ctrl-C is no failure any more: there is a model to save */
};

/* Ends with NULL. */
extern const struct command *const command_table[];
const struct command *command_find(const char *name);
/* The whole program but for what a process sets up once; returns the exit code. */
int cli_run(int argc, char **argv);
/* A learner, map or strategy by its name here or elsewhere: before, name and after make a spec with it.
   Without one the name is NULL. */
struct method_words {
    const char *before, *name, *after;
    const char *list; /* the table that it is of: sepal list LIST */
};
struct method_words method_named(const char *word);
/* Say that there is no such command. */
int command_refuse(struct session *s, const char *word);

extern const struct command cmd_train, cmd_predict, cmd_evaluate, cmd_describe, cmd_doctor,
    cmd_inspect, cmd_explain, cmd_separable, cmd_cv, cmd_tune, cmd_compare, cmd_curve, cmd_plot,
    cmd_report, cmd_transform, cmd_sample, cmd_split, cmd_convert, cmd_list, cmd_help;

/* What help and manual say of all commands that read, that fit. */
extern const char note_data[], note_parameters[];
/* What they say of the whole program. */
enum { OVERVIEW_EXAMPLES = 3 };
extern const char overview_summary[];
extern const char *const overview_examples[OVERVIEW_EXAMPLES];
/* Help for one command, or for all when `command` is NULL. */
int help_print(struct session *s, const struct command *command);
/* A row of help: what stands at the left, and what the option says of itself. */
void help_row(struct sink *out, struct sink *left, const struct option *option);

/* ---- Steps that several commands take ------------------------------------------------------ */

/* Read DATA, with the reading options, to learn from or, with a model, for it. */
/* A file described, whatever its cells hold. */
int step_describe(sepal_report **out, struct session *s, const char *path);
int step_read(sepal_data **out, struct session *s, const char *path);
int step_read_for(sepal_data **out, struct session *s, const sepal_model *model, const char *path,
                  int with_labels);
int step_load(sepal_model **out, struct session *s, const char *path);
/* Complain of options of deciding, or numbers (NULL: none), that the model cannot have. */
int step_check_predict(struct session *s, const sepal_model *model, const sepal_output *what);
/* What may harm the fit of a spec to the rows, in words unless --json, --quiet or --no-doctor is given; NULL:
   nobody wants to know. */
int step_doctor(sepal_report **out, struct session *s, const sepal_data *data, const char *spec);
/* Put it into the report of the fit (NULL: nothing is put), and free it. */
int step_doctor_attach(struct session *s, sepal_report *report, sepal_report *doctor);
/* Evaluate with the options of deciding and --positive. */
int step_evaluate(sepal_report **out, struct session *s, const sepal_model *model,
                  const sepal_data *data);
/* Rows to test a model just trained: read as the training file was, columns found by the model. */
int step_read_test(sepal_data **out, struct session *s, const sepal_model *model, const char *path);
/* first_method.c: a method for rows of which none is named, the best of some usual ones. Chosen, it is the value
   of -m; the report tells why, and is attached to that of the fit. */
int first_method_check(struct session *s);
int first_method_choose(sepal_report **out, struct session *s, const sepal_data *data);
int first_method_attach(struct session *s, sepal_report *report, const sepal_report *choice);
/* The report as text or JSON on standard output, and the warnings. */
int step_report(struct session *s, const sepal_report *report);
/* The warnings, and the file of the option --output for the rows that follow. */
int step_open_output(struct result *out, struct session *s, const char *doing);

/* ---- Pages ---------------------------------------------------------------------------------- */

/* What a page is about: a model, the rows it is judged by, and the report of its fit (NULL: none). */
struct page {
    const sepal_model *model;
    const sepal_data *data;
    const sepal_report *fit;
};
/* Write it as HTML. */
int page_put(struct session *s, const struct page *page, struct sink *out);

/* ---- Files ---------------------------------------------------------------------------------- */

/* Refuse an output of the command that is one of its inputs, or another output. */
int files_check(struct session *s);
/* The same for a file that no option names. */
int file_check(struct session *s, const char *output);
/* How many inputs are standard input. */
size_t files_from_standard(const struct session *s);
/* Two names of one file, which need not be there yet; true also when that cannot be told. */
bool files_may_be_one(const char *one, const char *other);

/* ---- Numbers -------------------------------------------------------------------------------- */

/* What a model says of rows, as many rows at a time as little memory holds. */
struct numbers {
    const sepal_model *model;
    const sepal_data *data;
    size_t width;          /* numbers a row; 0: none are wanted */
    size_t labels;         /* labels a row may have; 0: it has a class */
    size_t first, n;       /* rows whose numbers are at hand, and whose labels */
    size_t done;           /* rows that have been predicted */
    sepal_predictions all; /* classes (NULL: not wanted) and counts of these, numbers of those */
    struct sink rule;      /* the options of deciding, as text */
};
/* `what`: the kind of numbers; NULL: none. Complains of a row that cannot be predicted, here if what
   is printed could not be taken back. To be given to numbers_close in any case. */
int numbers_open(struct numbers *out, struct session *s, const sepal_model *model,
                 const sepal_data *data, const sepal_output *what, bool with_classes);
void numbers_close(struct numbers *numbers);
/* Have the class and the numbers of a row at hand; to be asked of one row after the other. */
int numbers_reach(struct numbers *numbers, struct session *s, size_t row);
/* The numbers with commas between them; `missing` stands for one that there is not. */
void numbers_row(const struct numbers *numbers, size_t row, const char *missing, struct sink *out);
/* The class of a row, "?" where it is not decided; of label sets "1,3", a label with a comma of its own in
   quotes. And either as one cell of CSV, or in JSON, where a set is an array. */
const char *numbers_class(const struct numbers *numbers, size_t row);
void numbers_set(const struct numbers *numbers, size_t row, struct sink *out);
void numbers_label_cell(const struct numbers *numbers, size_t row, struct sink *out);
void numbers_label_json(const struct numbers *numbers, size_t row, struct sink *out);
/* What they are called, as cells of CSV or JSON, with commas between them. */
int numbers_names(struct numbers *numbers, struct session *s, bool json, struct sink *out);
/* The numbers of all rows as an array of arrays. */
int numbers_json(struct numbers *numbers, struct session *s, struct sink *out);
/* The members of an object that carry the columns of --keep, if there are any. */
void kept_json(const sepal_data *data, struct sink *out);

/* How many files data is written to in a format: with 2 of them the labels are in the second, which
   standard output is not; 0: there is no such format to write. */
int format_files(const char *name);
/* "csv, tsv or libsvm", each with `prefix` before it: the formats with no more files than that. */
void formats_put(struct sink *out, const char *prefix, int most_files);
/* Write data to a file or, "-", to standard output; format NULL: by the extension. With --json what
   was written is told on standard output. */
int data_put(struct session *s, const sepal_data *data, const char *path, const char *format);

/* ---- Progress and Ctrl-C ------------------------------------------------------------------- */

double clock_now(void); /* seconds from some fixed moment */
void progress_begin(struct session *s);
void progress_erase(struct session *s);

/* From here on the first Ctrl-C asks what runs to stop, the second ends the program. */
void interrupt_catch(void);
int interrupt_count(void);
/* While held the second Ctrl-C does not end the program, because the library has a temporary file.
   Returns what was set before. */
bool interrupt_hold(bool hold);
/* A file that the second Ctrl-C has to remove; the name stays the caller's. */
void interrupt_remove(const char *file);
void interrupt_keep(const char *file);
/* EXIT_DONE, or the complaint when Ctrl-C was seen. */
int interrupt_check(struct session *s, const char *doing);

#endif
