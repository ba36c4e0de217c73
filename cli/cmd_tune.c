/* sepal tune: a grid of values, or with --path a path of penalties; the choice of one by cross-validation, and its
   model. */
#include "selecting.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct option tune_options[] = {
    {.name = "method",
     .letter = 'm',
     .placeholder = "SPEC",
     .help = "what to fit: a learner, with maps before it; of --path logistic or svm"},
    {.name = "path", .help = "go along a path of penalties, from the strongest to weaker ones"},
    SELECTING_OPTIONS,
    {0},
};

/* ---- tables -------------------------------------------------------------------------------- */

static void put_path(struct sink *out, const sepal_report *report) {
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
            put_number(out, report, "path.%zu.%s", k, keys[i]);
            sink_puts(out, ",");
        }
        sink_printf(out, "%d,%d\n", (double)k == best, (double)k == one_se);
    }
}

static const char *axis_name(const sepal_report *report, size_t a) {
    char place[64];
    (void)snprintf(place, sizeof place, "tuning.parameters.%zu.name", a);
    return sepal_report_string(report, place);
}

static void put_point(struct sink *out, const sepal_report *report, size_t k) {
    static const char *const keys[] = {"train.mean", "train.std", "valid.mean", "valid.std",
                                       "valid.standard_error"};
    for (size_t a = 0; axis_name(report, a) != NULL; a++) {
        put_cell(out, report, "tuning.points.%zu.values.%s", k, axis_name(report, a));
        sink_puts(out, ",");
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        put_number(out, report, "tuning.points.%zu.%s", k, keys[i]);
        sink_puts(out, ",");
    }
    put_number(out, report, "tuning.points.%zu.converged", k);
    sink_printf(out, ",%d,%d,", (double)k == sepal_report_number(report, "tuning.best.index"),
                (double)k == sepal_report_number(report, "tuning.one_standard_error.index"));
    put_cell(out, report, "tuning.points.%zu.spec", k);
    sink_puts(out, "\n");
}

static void put_grid(struct sink *out, const sepal_report *report) {
    for (size_t a = 0; axis_name(report, a) != NULL; a++)
        sink_printf(out, "%s,", axis_name(report, a));
    sink_puts(out, "train_mean,train_std,valid_mean,valid_std,valid_standard_error,converged,best,"
                   "1se,spec\n");
    for (size_t k = 0;; k++) {
        char place[64];
        (void)snprintf(place, sizeof place, "tuning.points.%zu.spec", k);
        if (sepal_report_string(report, place) == NULL) return;
        put_point(out, report, k);
    }
}

/* ---- the command --------------------------------------------------------------------------- */

static void say_value(struct session *s, const sepal_report *report) {
    say_refit(s, sepal_report_string(report, "spec"), "");
}

static void say_choice(struct session *s, const sepal_report *report) {
    struct sink rule = sink_open(-1);
    double cutoff = sepal_report_number(report, "cutoff.value");
    if (!isnan(cutoff)) {
        sink_puts(&rule, " --decide hard --cutoff ");
        put_number(&rule, report, "cutoff.value");
    }
    say_refit(s, sepal_report_string(report, "tuning.chosen.spec"), sink_text(&rule));
    sink_close(&rule);
}

static int tune_run(struct session *s) {
    struct selecting grid = {
        .task = "tune", .makes_model = true, .put_table = put_grid, .say_next = say_choice};
    struct selecting path = {
        .task = "path", .makes_model = true, .put_table = put_path, .say_next = say_value};
    const char *data = s->options.arguments[0];
    bool along = option_value(s, "path") != NULL;
    if (option_value(s, "method") == NULL)
        return complain(s, EXIT_USAGE, NULL,
                        "tune needs a method; type: sepal tune %s -m \"standardize | logistic\" "
                        "(`sepal compare %s` chooses a learner)",
                        data, data);
    if (along && option_value(s, "over") != NULL)
        return complain(s, EXIT_USAGE, NULL,
                        "--path goes over the strength of the penalty by itself; leave --over or "
                        "--path out");
    return selecting_run(s, along ? &path : &grid);
}

static const char *const tune_tasks[] = {"tune", "path", NULL};

const struct command cmd_tune = {
    .name = "tune",
    .summary = "choose the values of parameters by cross-validation",
    .description =
        "Fit SPEC with every combination of the values of --over outside of each of K folds of the "
        "rows, judge it by the fold, and choose: --choose best takes the best mean, 1se, unless "
        "given, the simplest within a standard error of it: with more of l1, l2, shrinkage, "
        "smoothing, ratio or width, less of C, degree, epochs, features, centres or bits; of other "
        "parameters it keeps the best value. The first --over counts most. Without --over the "
        "learner's usual values are tried. What is learnt from rows, maps included, is learnt "
        "outside of the fold.\n"
        "--over takes NAME=V1,V2,..., NAME=LOW:HIGH:N, NAME=LOW:HIGH:log:N, and LOW:HIGH of whole "
        "numbers; where two stages have it, STAGE.NAME. The name of a stage takes stages: --over "
        "standardize=standardize,minmax. --nested K judges the whole choice by K folds around it. "
        "--cutoff-for chooses the cutoff of two classes, too, and the model keeps it.\n"
        "With --path: fit with a penalty so strong that all weights are 0, then with weaker and "
        "weaker ones, lambda (ratio |w|_1 + (1 - ratio)/2 |w|^2), each from the weights before; "
        "judged by the loss on held-out rows.\n"
        "The model is what `sepal train` makes of the spec in the report. Where Ctrl-C stops it "
        "there is no choice, and nothing is saved. -v shows all points, --csv and --json have "
        "them.",
    .run = tune_run,
    .usage = "DATA -m SPEC [--over NAME=VALUES ... | --path] [-o MODEL] [OPTION ...]",
    .fewest = 1,
    .most = 1,
    .reads = true,
    .fits = true,
    .decides = true,
    .tasks = tune_tasks,
    .options = tune_options,
    .examples = {"sepal tune examples/data/breast_cancer.csv -m standardize+logistic --over "
                 "C=0.01:100:log:9",
                 "sepal tune examples/data/breast_cancer.csv -m \"standardize | "
                 "logistic(penalty=l1)\" --path"},
};
