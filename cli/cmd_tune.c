/* sepal tune --path: fits along a path of penalties, the choice of one by cross-validation, and its model.
   As in train everything is written beside its place first, so that a failure leaves nothing behind. */
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct option tune_options[] = {
    {.name = "method",
     .letter = 'm',
     .placeholder = "SPEC",
     .help = "what to fit: logistic or svm with its penalty, and maps before it"},
    {.name = "path", .help = "go along a path of penalties, from the strongest to weaker ones"},
    {.name = "output",
     .letter = 'o',
     .placeholder = "MODEL",
     .file = FILE_WRITTEN,
     .help = "save the model of the value chosen, fitted to all rows"},
    {.name = "csv",
     .placeholder = "FILE",
     .file = FILE_WRITTEN,
     .help = "write the whole table of the path here"},
    {.name = "seed", .placeholder = "N", .fallback = "1", .help = "start of the random numbers"},
    {.name = "no-doctor", .help = "do not examine the rows before the fit"},
    {0},
};

struct tuning {
    sepal_data *data;
    sepal_model *model;
    sepal_report *report;
    sepal_report *doctor; /* what it found, until the report has it */
    sepal_staged *staged;
    struct result csv;
    bool opened; /* the file of --csv */
};

/* ---- what is asked for --------------------------------------------------------------------- */

static int tune_check_words(struct session *s) {
    const char *path = s->options.arguments[0];
    if (option_value(s, "method") == NULL)
        return complain(s, EXIT_USAGE, NULL,
                        "tune needs a method; type: sepal tune %s -m "
                        "\"standardize | logistic(penalty=l1)\" --path",
                        path);
    if (option_value(s, "path") == NULL)
        return complain(s, EXIT_USAGE, NULL,
                        "tune goes along a path of penalties in this version, and --path asks for "
                        "it; type: sepal tune %s -m \"%s\" --path",
                        path, option_value(s, "method"));
    if (strcmp(path, "-") == 0 || access(path, R_OK) == 0) return EXIT_DONE;
    return complain(s, EXIT_DATA, path, "cannot open it: %s%s", strerror(errno),
                    errno == ENOENT ? "; DATA is the path of a file, or - for standard input" : "");
}

static int tune_check_files(struct session *s) {
    static const char *const names[] = {"output", "csv"};
    int code = EXIT_DONE;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = option_value(s, names[i]);
        if (path != NULL && strcmp(path, "-") == 0)
            return complain(s, EXIT_USAGE, NULL,
                            "--%s must be a file: standard output is for the report", names[i]);
    }
    code = files_check(s);
    for (size_t i = 0; i < sizeof names / sizeof *names && code == EXIT_DONE; i++) {
        const char *path = option_value(s, names[i]);
        if (path != NULL) code = result_probe(s, path);
    }
    return code;
}

/* The spec, the options of the path, and those of each fit and of the decision. */
struct tune_words {
    struct sink spec, path, fit;
};

static void tune_words_close(struct tune_words *words) {
    sink_close(&words->spec);
    sink_close(&words->path);
    sink_close(&words->fit);
}

static int tune_words_open(struct tune_words *words, struct session *s) {
    *words = (struct tune_words){sink_open(-1), sink_open(-1), sink_open(-1)};
    spec_with_parameters(s, option_value(s, "method"), &words->spec);
    options_settings(&s->options, GROUP_PATH, &words->path);
    options_settings(&s->options, GROUP_FIT, &words->fit);
    if (words->fit.used > 0 && options_given(&s->options, GROUP_PREDICT))
        sink_puts(&words->fit, ", ");
    options_settings(&s->options, GROUP_PREDICT, &words->fit);
    int code = sink_check(s, &words->spec);
    if (code == EXIT_DONE) code = sink_check(s, &words->path);
    if (code == EXIT_DONE) code = sink_check(s, &words->fit);
    if (code != EXIT_DONE) tune_words_close(words);
    return code;
}

/* With data the path is fitted, without it is only asked whether all is understood. */
static int tune_fit(struct session *s, struct tuning *t) {
    struct tune_words words;
    int code = tune_words_open(&words, s);
    if (code != EXIT_DONE) return code;
    const char *spec = sink_text(&words.spec), *path = sink_text(&words.path),
               *fit = sink_text(&words.fit);
    sepal_status status = SEPAL_OK;
    if (t->data == NULL)
        status = sepal_model_path_check(s->ctx, spec, path, fit);
    else if ((code = step_doctor(&t->doctor, s, t->data, spec)) == EXIT_DONE)
        status = sepal_model_path(&t->model, &t->report, s->ctx, spec, t->data, path, fit);
    tune_words_close(&words);
    if (code != EXIT_DONE) return code;
    return status == SEPAL_OK ? EXIT_DONE : complain_status(s, status);
}

/* ---- what came of it ----------------------------------------------------------------------- */

static void put_value(struct sink *out, const sepal_report *report, size_t k, const char *key) {
    char place[96], digits[SEPAL_NUMBER_BYTES];
    (void)snprintf(place, sizeof place, "path.%zu.%s", k, key);
    double value = sepal_report_number(report, place);
    if (isnan(value)) return;
    sepal_number_print(digits, value);
    sink_puts(out, digits);
}

static void put_table(struct sink *out, const sepal_report *report) {
    static const char *const keys[] = {"lambda",    "l1",
                                       "l2",        "C",
                                       "nonzero",   "objective",
                                       "gap",       "iterations",
                                       "converged", "explained",
                                       "loss",      "loss_standard_error",
                                       "error",     "error_standard_error"};
    enum { KEYS = sizeof keys / sizeof *keys };
    double best = sepal_report_number(report, "best.index"),
           one_se = sepal_report_number(report, "one_standard_error.index");
    for (size_t i = 0; i < KEYS; i++) sink_printf(out, "%s,", keys[i]);
    sink_puts(out, "min,1se\n");
    for (size_t k = 0; !isnan(best); k++) {
        char place[64];
        (void)snprintf(place, sizeof place, "path.%zu.lambda", k);
        if (isnan(sepal_report_number(report, place))) break;
        for (size_t i = 0; i < KEYS; i++) {
            put_value(out, report, k, keys[i]);
            sink_puts(out, ",");
        }
        sink_printf(out, "%d,%d\n", (double)k == best, (double)k == one_se);
    }
}

static int write_table(struct session *s, struct tuning *t) {
    const char *path = option_value(s, "csv");
    if (path == NULL) return EXIT_DONE;
    int code = result_open(&t->csv, s, path);
    if (code != EXIT_DONE) return code;
    t->opened = true;
    t->csv.sink.interrupts_allowed = INT_MAX;
    put_table(&t->csv.sink, t->report);
    sink_flush(&t->csv.sink);
    if (t->csv.sink.error == 0) return EXIT_DONE;
    return complain(s, EXIT_OUTPUT, t->csv.path, "cannot write the table: %s",
                    strerror(t->csv.sink.error));
}

/* Report when all files are beside their places, and put them there when the report is out. */
static int tune_finish(struct session *s, struct tuning *t) {
    const char *path = option_value(s, "output");
    int code = write_table(s, t);
    if (code == EXIT_DONE && path != NULL) {
        sepal_status status = sepal_model_stage(&t->staged, s->ctx, t->model, path);
        if (status != SEPAL_OK) code = complain_status(s, status);
    }
    if (s->verbose) sepal_report_set_top(t->report, 0);
    if (code == EXIT_DONE) code = step_report(s, t->report);
    if (code == EXIT_DONE && t->opened) {
        t->opened = false;
        code = result_commit(&t->csv, s);
    }
    if (code == EXIT_DONE && t->staged != NULL) {
        sepal_status status = sepal_staged_commit(s->ctx, t->staged);
        if (status != SEPAL_OK) code = complain_status(s, status);
    }
    if (code == EXIT_DONE && path == NULL && !s->quiet)
        say(s, "nothing is saved; -o FILE saves the model");
    return code;
}

static int tune(struct session *s, struct tuning *t) {
    uint64_t seed = 1;
    int code = tune_check_words(s);
    if (code == EXIT_DONE) code = tune_fit(s, t);
    if (code == EXIT_DONE) code = tune_check_files(s);
    if (code == EXIT_DONE) code = option_count(s, "seed", UINT64_MAX, &seed);
    if (code != EXIT_DONE) return code;
    sepal_ctx_set_seed(s->ctx, seed);
    code = step_read(&t->data, s, s->options.arguments[0]);
    if (code == EXIT_DONE) code = interrupt_check(s, "reading");
    if (code != EXIT_DONE) return code;
    sepal_status status = sepal_data_check_target(s->ctx, t->data);
    if (status != SEPAL_OK) return complain_status(s, status);
    code = tune_fit(s, t);
    if (code == EXIT_DONE) code = step_doctor_attach(s, t->report, t->doctor);
    t->doctor = NULL;
    if (code != EXIT_DONE) return code;
    s->fitted = true;
    const char *path = option_value(s, "output");
    interrupt_hold(path != NULL && !result_in_place(path));
    code = tune_finish(s, t);
    sepal_staged_free(t->staged);
    interrupt_hold(false);
    return code;
}

static int tune_run(struct session *s) {
    struct tuning t = {0};
    int code = tune(s, &t);
    if (t.opened) result_discard(&t.csv);
    sepal_data_free(t.data);
    sepal_model_free(t.model);
    sepal_report_free(t.report);
    sepal_report_free(t.doctor);
    return code;
}

const struct command cmd_tune = {
    .name = "tune",
    .summary = "choose the strength of the penalty by cross-validation",
    .description =
        "With --path: fit what SPEC names with a penalty so strong that all weights are 0, then "
        "with weaker and weaker ones, each from the weights before; do the same without each of K "
        "folds of the rows, and judge each penalty by the loss on the rows held out. What is "
        "learnt "
        "from rows, maps included, is learnt from each fold's training rows only.\n"
        "The penalty is lambda (ratio |w|_1 + (1 - ratio)/2 |w|^2): penalty=l1 has ratio 1, "
        "penalty=l2 has 0, penalty=elasticnet what ratio= says. Marks: min has the least loss on "
        "held-out rows, 1se the strongest penalty within a standard error of it; --choose says "
        "which is fitted, 1se unless given. The report has about ten values, with -v all; --csv "
        "and "
        "--json have all.\n"
        "The model is what `sepal train` makes of the spec in the report. Where Ctrl-C stops it "
        "there is no choice, and nothing is saved; --max-seconds is shared by the path and the "
        "folds, and the choice is among the values that all of them came to.",
    .run = tune_run,
    .usage = "DATA -m SPEC --path [-o MODEL] [--choose 1se|min] [OPTION ...]",
    .fewest = 1,
    .most = 1,
    .reads = true,
    .fits = true,
    .decides = true,
    .tunes = true,
    .options = tune_options,
    .examples = {"sepal tune examples/data/breast_cancer.csv -m \"standardize | "
                 "logistic(penalty=l1)\" --path",
                 "sepal tune examples/data/wine.csv -m standardize+svm --path --folds 5"},
};
