/* sepal train: read, hold out, fit, evaluate, write the model beside its place, report, put the model
   there; in that order, so that a failure at any point leaves nothing behind. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option train_options[] = {
    {.name = "method",
     .letter = 'm',
     .placeholder = "SPEC",
     .help =
         "what to fit: a learner, with maps before it (`sepal list` names them all); without it "
         "the best of some usual ones"},
    {.name = "output",
     .letter = 'o',
     .placeholder = "MODEL",
     .file = FILE_WRITTEN,
     .help = "save the model here; without it nothing is saved"},
    {.name = "test", .placeholder = "DATA", .file = FILE_READ, .help = "evaluate on these rows"},
    {.name = "test-labels",
     .placeholder = "FILE",
     .file = FILE_READ,
     .help = "the labels of these rows, as --labels for DATA"},
    {.name = "test-weights",
     .placeholder = "FILE",
     .file = FILE_READ,
     .help = "the weights of these rows, as --weights for DATA"},
    {.name = "test-skip",
     .placeholder = "N",
     .help =
         "lines to leave out at the top of these rows, as --skip for DATA; unless given, as many"},
    {.name = "holdout",
     .placeholder = "P",
     .help = "evaluate on this fraction of the rows, and learn from the others"},
    {.name = "positive",
     .placeholder = "LABEL",
     .help = "the class that two-class metrics are about"},
    {.name = "seed", .placeholder = "N", .fallback = "1", .help = "start of the random numbers"},
    {.name = "trace",
     .placeholder = "FILE",
     .file = FILE_WRITTEN,
     .help =
         "write the steps of a perceptron, or the epochs of --solver sgd, one JSON object a line"},
    {.name = "report",
     .placeholder = "FILE",
     .file = FILE_WRITTEN,
     .help = "write a page of HTML, as `sepal report` does, with the facts of the fit; of the rows "
             "of --test or --holdout, else of those of the training"},
    {.name = "no-doctor", .help = "do not examine the rows before the fit"},
    {.name = "strict", .help = "exit 5, and save nothing, when the fit has not converged"},
    {0},
};

struct training {
    sepal_data *data, *held; /* held: what --holdout cuts off, NULL without it */
    sepal_model *model;
    sepal_report *report, *choice; /* choice: of a method; NULL: it was given */
    sepal_report *doctor;          /* what it found, until the report has it */
    sepal_staged *staged;          /* the model's file */
    /* where it goes; "": nowhere. `reserved`: a name of its own, taken by an empty file */
    char place[PATH_MAX + 64];
    bool reserved;
    struct result trace, page;
    bool traced, paged;
};

static bool is_absent(const char *path) {
    return strcmp(path, "-") != 0 && access(path, F_OK) != 0 && errno == ENOENT;
}

static int check_data_file(struct session *s) {
    const char *path = s->options.arguments[0];
    if (strcmp(path, "-") == 0 || access(path, R_OK) == 0) return EXIT_DONE;
    return complain(s, EXIT_DATA, path, "cannot open it: %s%s", strerror(errno),
                    errno == ENOENT ? "; DATA is the path of a file, or - for standard input" : "");
}

/* Without a method some are compared, once there are rows to do it on. */
static int check_method(struct session *s) {
    const char *path = s->options.arguments[0];
    struct method_words method = method_named(path);
    if (option_value(s, "method") || method.name == NULL || !is_absent(path)) return EXIT_DONE;
    return complain(s, EXIT_USAGE, NULL,
                    "train needs data, and a method behind -m; type: sepal train DATA -m "
                    "\"%s%s%s\"",
                    method.before, method.name, method.after);
}

static int check_test(struct session *s) {
    const char *test = option_value(s, "test");
    if (test == NULL && (option_value(s, "test-labels") || option_value(s, "test-weights") ||
                         option_value(s, "test-skip"))) {
        return complain(s, EXIT_USAGE, NULL,
                        "--test-labels, --test-weights and --test-skip are about the rows of "
                        "--test DATA, which is not given");
    }
    if (test == NULL) return EXIT_DONE;
    if (strcmp(test, "-") != 0 && access(test, R_OK) != 0)
        return complain(s, EXIT_DATA, test, "cannot open it: %s", strerror(errno));
    if (files_from_standard(s) > 1)
        return complain(
            s, EXIT_USAGE, NULL,
            "only one of DATA, --test, --warm and the files of labels and weights can be "
            "standard input");
    return EXIT_DONE;
}

/* What is wrong with a file is better said now than after a long fit. */
static int check_files(struct session *s) {
    static const char *const names[] = {"output", "trace", "report"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = option_value(s, names[i]);
        if (path == NULL) continue;
        if (strcmp(path, "-") == 0) {
            return complain(s, EXIT_USAGE, NULL,
                            "--%s must be a file: standard output is for the report", names[i]);
        }
    }
    int code = files_check(s);
    for (size_t i = 0; i < sizeof names / sizeof *names && code == EXIT_DONE; i++) {
        const char *path = option_value(s, names[i]);
        if (path != NULL) code = result_probe(s, path);
    }
    return code == EXIT_DONE ? check_test(s) : code;
}

/* 0 when --holdout is not given. */
static int read_holdout(struct session *s, double *fraction) {
    const char *text = option_value(s, "holdout");
    *fraction = 0;
    if (text == NULL) return EXIT_DONE;
    if (option_value(s, "test") != NULL) {
        return complain(s, EXIT_USAGE, NULL,
                        "--test and --holdout exclude each other; give one of them");
    }
    char *end;
    *fraction = strtod(text, &end);
    bool plain = *text != '\0' && text[strspn(text, "0123456789.eE+-")] == '\0' && *end == '\0';
    if (plain && *fraction > 0 && *fraction < 1) return EXIT_DONE;
    return complain(s, EXIT_USAGE, NULL,
                    "--holdout %s is not a fraction in (0, 1); write --holdout 0.3 for 30 %%",
                    text);
}

static int train_read_rows(struct session *s, struct training *t, double fraction) {
    int code = step_read(&t->data, s, s->options.arguments[0]);
    if (code != EXIT_DONE || fraction <= 0) return code;
    sepal_data *rest = NULL;
    sepal_status status = sepal_data_split(&rest, &t->held, s->ctx, t->data, fraction);
    if (status != SEPAL_OK) return complain_status(s, status);
    sepal_data_free(t->data);
    t->data = rest;
    return EXIT_DONE;
}

static int write_step(const char *json, void *payload) {
    struct sink *out = payload;
    sink_puts(out, json);
    sink_puts(out, "\n");
    return out->error != 0;
}

static int open_trace(struct session *s, struct training *t) {
    const char *path = option_value(s, "trace");
    if (path == NULL) return EXIT_DONE;
    int code = result_open(&t->trace, s, path);
    t->traced = code == EXIT_DONE;
    if (!t->traced) return code;
    t->trace.sink.interrupts_allowed =
        INT_MAX; /* an interrupted fit is saved, and its steps with it */
    sepal_ctx_set_trace(s->ctx, write_step, &t->trace.sink);
    return code;
}

/* The spec with the parameters given as options, and the options of the fit. */
static int words_of_fit(struct session *s, struct sink *spec, struct sink *options) {
    *spec = sink_open(-1);
    *options = sink_open(-1);
    spec_with_parameters(s, option_value(s, "method"), spec);
    options_settings(&s->options, GROUP_FIT, options);
    if (options->used > 0 && options_given(&s->options, GROUP_PREDICT)) sink_puts(options, ", ");
    options_settings(&s->options, GROUP_PREDICT, options);
    int code = sink_check(s, spec);
    if (code == EXIT_DONE) code = sink_check(s, options);
    if (code == EXIT_DONE) return code;
    sink_close(spec);
    sink_close(options);
    return code;
}

static int check_spec(struct session *s) {
    struct sink spec, options;
    int code = words_of_fit(s, &spec, &options);
    if (code != EXIT_DONE) return code;
    sepal_status status = sepal_model_fit_check(s->ctx, sink_text(&spec), sink_text(&options));
    sink_close(&spec);
    sink_close(&options);
    return status == SEPAL_OK ? EXIT_DONE : complain_status(s, status);
}

/* Every step must be out before the report is, which would be followed by an error. */
static int finish_trace(struct session *s, struct training *t) {
    if (!t->traced) return EXIT_DONE;
    sink_flush(&t->trace.sink);
    if (t->trace.sink.error == 0) return EXIT_DONE;
    return complain(s, EXIT_OUTPUT, t->trace.path, "cannot write the trace: %s",
                    strerror(t->trace.sink.error));
}

/* Is it a class that the rows are labelled with? Doubts are better told before a long fit. */
static int question_target(struct session *s, const struct training *t) {
    sepal_status status = sepal_data_check_target(s->ctx, t->data);
    if (status != SEPAL_OK) return complain_status(s, status);
    if (!s->json) warnings_print(s);
    return EXIT_DONE;
}

static int fit(struct session *s, struct training *t) {
    struct sink spec, options;
    int code = words_of_fit(s, &spec, &options);
    if (code != EXIT_DONE) return code;
    sepal_status status = SEPAL_OK;
    code = step_doctor(&t->doctor, s, t->data, sink_text(&spec));
    if (code == EXIT_DONE)
        status = sepal_model_fit(&t->model, &t->report, s->ctx, sink_text(&spec), t->data,
                                 sink_text(&options));
    sink_close(&spec);
    sink_close(&options);
    if (code == EXIT_DONE) code = finish_trace(s, t);
    if (code != EXIT_DONE) return code;
    if (status != SEPAL_OK) return complain_status(s, status);
    s->fitted = true;
    code = step_doctor_attach(s, t->report, t->doctor);
    t->doctor = NULL;
    if (code != EXIT_DONE) return code;
    say_more(s, "minimised %s", sepal_report_string(t->report, "objective_in_words"));
    say_more(s, "fitted %s, %.3f s from the start", sepal_model_spec(t->model),
             clock_now() - s->start);
    return EXIT_DONE;
}

static int evaluate_rest(struct session *s, struct training *t) {
    const char *test = option_value(s, "test");
    int code = EXIT_DONE;
    if (test != NULL) code = step_read_test(&t->held, s, t->model, test);
    if (code != EXIT_DONE) return code;
    sepal_report *part = NULL;
    if (t->held == NULL) { /* --positive is of no use, but must name a class all the same */
        if (option_value(s, "positive") != NULL) code = step_evaluate(&part, s, t->model, t->data);
        sepal_report_free(part);
        return code;
    }
    code = step_evaluate(&part, s, t->model, t->held);
    if (code != EXIT_DONE) return code;
    sepal_status status = sepal_report_attach(t->report, s->ctx, "test", part);
    sepal_report_free(part);
    return status == SEPAL_OK ? EXIT_DONE : complain_status(s, status);
}

/* The page waits beside its place, too. */
static int write_page(struct session *s, struct training *t) {
    const char *path = option_value(s, "report");
    struct page page = {t->model, t->held != NULL ? t->held : t->data, t->report};
    if (path == NULL) return EXIT_DONE;
    int code = result_open(&t->page, s, path);
    t->paged = code == EXIT_DONE;
    return t->paged ? page_put(s, &page, &t->page.sink) : code;
}

/* The user stopped the fit, and the model is what it had by then. */
static bool ended_early(const struct training *t) {
    return sepal_report_number(t->report, "interrupted") != 0;
}

/* What has not converged counts as a failure under --strict, unless the user stopped it. */
static bool train_fails(const struct session *s, const struct training *t) {
    return option_value(s, "strict") != NULL && !ended_early(t) &&
           sepal_report_number(t->report, "converged") == 0;
}

/* ---- Saving -------------------------------------------------------------------------------- */

/* A name for a model that is not what was asked for: it must not stand in the place of one that is,
   nor of an earlier one of its kind. The name is taken by an empty file. */
static int train_reserve(struct session *s, struct training *t, const char *path) {
    enum { TRIES = 1000 };
    if (result_in_place(path)) return EXIT_DONE;
    const char *trace = option_value(s, "trace"); /* which is not in its place yet */
    int fd = -1;
    for (int i = 1; i <= TRIES && fd < 0; i++) {
        snprintf(t->place, sizeof t->place, i > 1 ? "%s.interrupted.%d" : "%s.interrupted", path,
                 i);
        if (trace != NULL && files_may_be_one(t->place, trace)) continue;
        fd = open(t->place, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST && errno != EINTR) break;
    }
    if (fd < 0) return complain(s, EXIT_OUTPUT, t->place, "cannot create it: %s", strerror(errno));
    close(fd);
    t->reserved = true;
    interrupt_remove(t->place);
    return EXIT_DONE;
}

/* The model waits beside its place until the report is out. */
static int stage(struct session *s, struct training *t) {
    const char *path = option_value(s, "output");
    int code = EXIT_DONE;
    if (path == NULL || train_fails(s, t)) return code;
    if (ended_early(t))
        code = train_reserve(s, t, path);
    else
        snprintf(t->place, sizeof t->place, "%s", path);
    if (code != EXIT_DONE || t->place[0] == '\0') return code;
    sepal_status status = sepal_model_stage(&t->staged, s->ctx, t->model, t->place);
    return status == SEPAL_OK ? EXIT_DONE : complain_status(s, status);
}

static int put_in_place(struct session *s, struct training *t) {
    if (interrupt_count() > 1) {
        say(s, "interrupted twice; nothing is saved");
        return EXIT_INTERRUPTED;
    }
    if (t->traced && !train_fails(s, t)) {
        t->traced = false;
        int code = result_commit(&t->trace, s);
        if (code != EXIT_DONE) return code;
    }
    if (t->paged && !train_fails(s, t)) {
        t->paged = false;
        int code = result_commit(&t->page, s);
        if (code != EXIT_DONE) return code;
    }
    if (t->staged == NULL) return EXIT_DONE;
    sepal_status status = sepal_staged_commit(s->ctx, t->staged);
    if (status != SEPAL_OK) return complain_status(s, status);
    say_more(s, "saved %s, %.3f s from the start", t->place, clock_now() - s->start);
    return EXIT_DONE;
}

/* Write, report, put in place. Ctrl-C in between is too late to stop it; a second one drops all. */
static int save(struct session *s, struct training *t) {
    const char *path = option_value(s, "output");
    interrupt_hold(path != NULL && !result_in_place(path));
    int code = stage(s, t);
    if (code == EXIT_DONE) {
        code = step_report(s, t->report);
        if (code == EXIT_INTERRUPTED) code = EXIT_DONE;
    }
    if (code == EXIT_DONE) code = put_in_place(s, t);
    sepal_staged_free(t->staged);
    t->staged = NULL;
    if (t->reserved && code != EXIT_DONE) unlink(t->place);
    if (t->reserved) interrupt_keep(t->place);
    interrupt_hold(false);
    return code;
}

/* ---- The end ------------------------------------------------------------------------------- */

static int conclude_interrupted(struct session *s, const struct training *t) {
    const char *path = option_value(s, "output");
    const char *what = ended_early(t) ? "the best model so far" : "the model, fitted to the end,";
    if (train_fails(s, t))
        say(s, "interrupted; not converged, and --strict asks for it; nothing is saved");
    else if (path == NULL)
        say(s, "interrupted; %s is not saved", what);
    else if (t->place[0] == '\0')
        say(s, "interrupted; %s is not saved: beside %s, which is no regular file, it cannot be",
            what, path);
    else if (ended_early(t))
        say(s, "interrupted; %s is in %s; %s is as it was", what, t->place, path);
    else
        say(s, "interrupted; %s is in %s", what, t->place);
    return EXIT_INTERRUPTED;
}

/* What the exit code says beyond "done". */
static int train_conclude(struct session *s, const struct training *t) {
    if (interrupt_count() > 0) return conclude_interrupted(s, t);
    if (train_fails(s, t)) {
        say(s, "not converged, and --strict asks for it; nothing is saved");
        return EXIT_NOT_CONVERGED;
    }
    if (option_value(s, "output") == NULL && !s->quiet)
        say(s, "nothing is saved; -o FILE saves the model");
    return EXIT_DONE;
}

static int train(struct session *s, struct training *t) {
    double fraction = 0;
    uint64_t seed = 1;
    int code = check_method(s);
    if (code == EXIT_DONE)
        code = option_value(s, "method") != NULL ? check_spec(s) : first_method_check(s);
    if (code == EXIT_DONE) code = check_data_file(s);
    if (code == EXIT_DONE) code = read_holdout(s, &fraction);
    if (code == EXIT_DONE) code = check_files(s);
    if (code == EXIT_DONE) code = option_count(s, "seed", UINT64_MAX, &seed);
    if (code != EXIT_DONE) return code;
    sepal_ctx_set_seed(s->ctx, seed);
    code = train_read_rows(s, t, fraction);
    if (code == EXIT_DONE) code = open_trace(s, t);
    if (code == EXIT_DONE) code = interrupt_check(s, "reading");
    if (code == EXIT_DONE) code = question_target(s, t);
    if (code == EXIT_DONE && option_value(s, "method") == NULL)
        code = first_method_choose(&t->choice, s, t->data);
    if (code == EXIT_DONE) code = fit(s, t);
    if (code == EXIT_DONE && t->choice != NULL) code = first_method_attach(s, t->report, t->choice);
    if (code == EXIT_DONE && interrupt_count() == 0) code = evaluate_rest(s, t);
    if (code == EXIT_DONE && interrupt_count() == 0) code = write_page(s, t);
    if (code == EXIT_INTERRUPTED && s->fitted) code = EXIT_DONE;
    if (code == EXIT_DONE) code = save(s, t);
    return code == EXIT_DONE ? train_conclude(s, t) : code;
}

static int train_run(struct session *s) {
    struct training t = {0};
    int code = train(s, &t);
    if (t.traced) result_discard(&t.trace);
    if (t.paged) result_discard(&t.page);
    sepal_data_free(t.data);
    sepal_data_free(t.held);
    sepal_model_free(t.model);
    sepal_report_free(t.report);
    sepal_report_free(t.choice);
    sepal_report_free(t.doctor);
    return code;
}

const struct command cmd_train = {
    .name = "train",
    .summary = "fit a model to data",
    .description =
        "Read DATA, fit what SPEC names to its rows, report how well it did, and save the "
        "model with -o. SPEC is `map | learner(parameter=value, ...) | strategy`; only the "
        "learner is needed. `+` means the same as `|` and needs no quotes in a shell. Without -m "
        "some usual learners are compared, and the best is fitted: `sepal compare` tells more.\n"
        "--decide, --cutoff and --ambiguous say how rows are decided; the model keeps the rule, "
        "and "
        "predict and evaluate use it unless they are told otherwise.\n"
        "The model replaces MODEL in one step when everything else is done; a command that "
        "fails writes nothing. The same command gives the same bytes, whatever --threads is. "
        "Ctrl-C once stops the fit: what it has is saved as MODEL.interrupted, never over a file "
        "that is there, and only if every class has weights of its own. Twice leaves at once.",
    .run = train_run,
    .usage = "DATA [-m SPEC] [-o MODEL] [--test DATA | --holdout P] [OPTION ...]",
    .fewest = 1,
    .most = 1,
    .reads = true,
    .fits = true,
    .decides = true,
    .options = train_options,
    .examples = {"sepal train examples/data/iris.csv -m standardize+logistic -o iris.sepal",
                 "sepal train examples/data/wine.csv -m gaussian --holdout 0.3 -o wine.sepal"},
};
