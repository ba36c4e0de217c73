/* sepal cv: how a spec does on rows held out. As in train everything is written beside its place first, so that a
   failure leaves nothing behind. */
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct option cv_options[] = {
    {.name = "method",
     .letter = 'm',
     .placeholder = "SPEC",
     .help = "what to judge: maps, learner and multi-class strategy"},
    {.name = "refit", .help = "fit all rows, too, for -o"},
    {.name = "output",
     .letter = 'o',
     .placeholder = "MODEL",
     .file = FILE_WRITTEN,
     .help = "save the model of all rows"},
    {.name = "csv",
     .placeholder = "FILE",
     .file = FILE_WRITTEN,
     .help = "write a table with a row for each fold here"},
    {.name = "seed", .placeholder = "N", .fallback = "1", .help = "start of the random numbers"},
    {0},
};

struct judging {
    sepal_data *data;
    sepal_model *model;
    sepal_report *report;
    sepal_staged *staged;
    struct result csv;
    bool opened; /* the file of --csv */
};

/* ---- what is asked for --------------------------------------------------------------------- */

static int cv_check_words(struct session *s) {
    const char *path = s->options.arguments[0];
    if (option_value(s, "method") == NULL)
        return complain(s, EXIT_USAGE, NULL,
                        "cv needs a method; type: sepal cv %s -m \"standardize | logistic\"", path);
    if (option_value(s, "refit") != NULL && option_value(s, "output") == NULL)
        return complain(s, EXIT_USAGE, NULL,
                        "--refit fits all rows for a model to be saved; add -o model.sepal");
    if (strcmp(path, "-") == 0 || access(path, R_OK) == 0) return EXIT_DONE;
    return complain(s, EXIT_DATA, path, "cannot open it: %s%s", strerror(errno),
                    errno == ENOENT ? "; DATA is the path of a file, or - for standard input" : "");
}

static int cv_check_files(struct session *s) {
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

/* The spec, the options of the task, and those of each fit and of the decision. */
struct cv_words {
    struct sink spec, task, fit;
};

static void cv_words_close(struct cv_words *words) {
    sink_close(&words->spec);
    sink_close(&words->task);
    sink_close(&words->fit);
}

static int cv_words_open(struct cv_words *words, struct session *s) {
    *words = (struct cv_words){sink_open(-1), sink_open(-1), sink_open(-1)};
    spec_with_parameters(s, option_value(s, "method"), &words->spec);
    task_settings(&s->options, "cv", &words->task);
    options_settings(&s->options, GROUP_FIT, &words->fit);
    if (words->fit.used > 0 && options_given(&s->options, GROUP_PREDICT))
        sink_puts(&words->fit, ", ");
    options_settings(&s->options, GROUP_PREDICT, &words->fit);
    int code = sink_check(s, &words->spec);
    if (code == EXIT_DONE) code = sink_check(s, &words->task);
    if (code == EXIT_DONE) code = sink_check(s, &words->fit);
    if (code != EXIT_DONE) cv_words_close(words);
    return code;
}

/* With data it is done, without it is only asked whether all is understood. */
static int cv_judge(struct session *s, struct judging *j) {
    struct cv_words words;
    int code = cv_words_open(&words, s);
    if (code != EXIT_DONE) return code;
    const char *spec = sink_text(&words.spec);
    sepal_model **model = option_value(s, "output") != NULL ? &j->model : NULL;
    sepal_status status = sepal_select(model, &j->report, s->ctx, "cv", &spec, 1, j->data,
                                       sink_text(&words.task), sink_text(&words.fit));
    cv_words_close(&words);
    return status == SEPAL_OK ? EXIT_DONE : complain_status(s, status);
}

/* ---- what came of it ----------------------------------------------------------------------- */

static void put_fact(struct sink *out, const sepal_report *report, size_t k, const char *key) {
    char place[192], digits[SEPAL_NUMBER_BYTES];
    (void)snprintf(place, sizeof place, "folds.%zu.%s", k, key);
    double value = sepal_report_number(report, place);
    if (isnan(value)) return;
    sepal_number_print(digits, value);
    sink_puts(out, digits);
}

static const char *metric_at(const sepal_report *report, size_t m) {
    char place[32];
    (void)snprintf(place, sizeof place, "metrics.%zu", m);
    return sepal_report_string(report, place);
}

static void put_folds(struct sink *out, const sepal_report *report) {
    static const char *const keys[] = {"repeat",    "fold",       "rows.train", "rows.valid",
                                       "converged", "iterations", "objective"};
    static const char *const sides[] = {"train", "valid"};
    enum { KEYS = sizeof keys / sizeof *keys };
    for (size_t i = 0; i < KEYS; i++) sink_printf(out, "%s%s", i > 0 ? "," : "", keys[i]);
    for (size_t m = 0; metric_at(report, m) != NULL; m++)
        for (size_t side = 0; side < 2; side++)
            sink_printf(out, ",%s.%s", sides[side], metric_at(report, m));
    sink_puts(out, "\n");
    for (size_t k = 0;; k++) {
        char place[64];
        (void)snprintf(place, sizeof place, "folds.%zu.fold", k);
        if (isnan(sepal_report_number(report, place))) return;
        for (size_t i = 0; i < KEYS; i++) {
            if (i > 0) sink_puts(out, ",");
            put_fact(out, report, k, keys[i]);
        }
        for (size_t m = 0; metric_at(report, m) != NULL; m++)
            for (size_t side = 0; side < 2; side++) {
                (void)snprintf(place, sizeof place, "%s.%s", sides[side], metric_at(report, m));
                sink_puts(out, ",");
                put_fact(out, report, k, place);
            }
        sink_puts(out, "\n");
    }
}

static int write_folds(struct session *s, struct judging *j) {
    const char *path = option_value(s, "csv");
    if (path == NULL) return EXIT_DONE;
    int code = result_open(&j->csv, s, path);
    if (code != EXIT_DONE) return code;
    j->opened = true;
    j->csv.sink.interrupts_allowed = INT_MAX;
    put_folds(&j->csv.sink, j->report);
    sink_flush(&j->csv.sink);
    if (j->csv.sink.error == 0) return EXIT_DONE;
    return complain(s, EXIT_OUTPUT, j->csv.path, "cannot write the table: %s",
                    strerror(j->csv.sink.error));
}

/* What was said of reading, fitting and deciding, as it would be typed again. */
static void put_given(struct sink *out, const struct options *options) {
    for (size_t i = 0; i < options->n_rows; i++) {
        const struct option *row = &options->rows[i];
        bool same =
            row->group == GROUP_READ || row->group == GROUP_FIT || row->group == GROUP_PREDICT;
        if (!same || row->value == NULL) continue;
        bool bare = row->value[strcspn(row->value, " \t\"'$&|;<>()*?[]\\!`")] == '\0';
        sink_printf(out, bare ? " --%s %s" : " --%s \"%s\"", row->name, row->value);
    }
}

static void say_next(struct session *s) {
    bool piped = strcmp(s->options.arguments[0], "-") == 0;
    if (option_value(s, "output") != NULL || s->quiet || piped) return;
    struct sink spec = sink_open(-1);
    spec_with_parameters(s, option_value(s, "method"), &spec);
    struct sink more = sink_open(-1);
    put_given(&more, &s->options);
    if (spec.error == 0 && more.error == 0)
        say(s, "to fit all rows: sepal train %s -m \"%s\"%s -o model.sepal",
            s->options.arguments[0], sink_text(&spec), sink_text(&more));
    sink_close(&spec);
    sink_close(&more);
}

/* Report when all files are beside their places, and put them there when the report is out. */
static int cv_finish(struct session *s, struct judging *j) {
    int code = write_folds(s, j);
    if (code == EXIT_DONE && j->model != NULL) {
        sepal_status status =
            sepal_model_stage(&j->staged, s->ctx, j->model, option_value(s, "output"));
        if (status != SEPAL_OK) code = complain_status(s, status);
    }
    if (s->verbose) sepal_report_set_top(j->report, 0);
    if (code == EXIT_DONE) code = step_report(s, j->report);
    if (code == EXIT_DONE && j->opened) {
        j->opened = false;
        code = result_commit(&j->csv, s);
    }
    if (code == EXIT_DONE && j->staged != NULL) {
        sepal_status status = sepal_staged_commit(s->ctx, j->staged);
        if (status != SEPAL_OK) code = complain_status(s, status);
    }
    if (code == EXIT_DONE) say_next(s);
    return code;
}

static int cv(struct session *s, struct judging *j) {
    uint64_t seed = 1;
    int code = cv_check_words(s);
    if (code == EXIT_DONE) code = cv_judge(s, j);
    if (code == EXIT_DONE) code = cv_check_files(s);
    if (code == EXIT_DONE) code = option_count(s, "seed", UINT64_MAX, &seed);
    if (code != EXIT_DONE) return code;
    sepal_ctx_set_seed(s->ctx, seed);
    code = step_read(&j->data, s, s->options.arguments[0]);
    if (code == EXIT_DONE) code = interrupt_check(s, "reading");
    if (code != EXIT_DONE) return code;
    sepal_status status = sepal_data_check_target(s->ctx, j->data);
    if (status != SEPAL_OK) return complain_status(s, status);
    code = cv_judge(s, j);
    if (code != EXIT_DONE) return code;
    s->fitted = true;
    const char *path = option_value(s, "output");
    interrupt_hold(path != NULL && !result_in_place(path));
    code = cv_finish(s, j);
    sepal_staged_free(j->staged);
    interrupt_hold(false);
    return code;
}

static int cv_run(struct session *s) {
    struct judging j = {0};
    int code = cv(s, &j);
    if (j.opened) result_discard(&j.csv);
    sepal_data_free(j.data);
    sepal_model_free(j.model);
    sepal_report_free(j.report);
    return code;
}

static const char *const cv_tasks[] = {"cv", NULL};

const struct command cmd_cv = {
    .name = "cv",
    .summary = "judge a method by cross-validation",
    .description =
        "Part the rows into folds; fit what SPEC names to the rows outside of each fold, and judge "
        "it by the rows in it and by those that it has learnt from. Metrics are told of both, as "
        "mean and standard deviation over the folds, with the gap between them: a method that does "
        "much better on rows it has learnt from over-fits. What is learnt from rows, missing "
        "values, categories and maps included, is learnt outside of the fold.\n"
        "Each fold has its share of each class. --loo holds out one row at a time, --ordered "
        "judges "
        "each block of rows by what comes before it, --group COL keeps rows of one value together, "
        "and --fold-file has the folds themselves. -v shows every fold, --csv and --json have "
        "them, "
        "too.\n"
        "The folds are fitted side by side. They depend on --seed and not on --threads.",
    .run = cv_run,
    .usage = "DATA -m SPEC [--folds K] [OPTION ...]",
    .fewest = 1,
    .most = 1,
    .reads = true,
    .fits = true,
    .decides = true,
    .tasks = cv_tasks,
    .options = cv_options,
    .examples = {"sepal cv examples/data/wine.csv -m standardize+logistic",
                 "sepal cv examples/data/iris.csv -m lda --loo"},
};
