/* sepal cv: how a spec does on rows held out. */
#include "selecting.h"

#include <math.h>
#include <stdio.h>

static const struct option cv_options[] = {
    {.name = "method",
     .letter = 'm',
     .placeholder = "SPEC",
     .help = "what to judge: maps, learner and multi-class strategy"},
    SELECTING_OPTIONS,
    {0},
};

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
            put_number(out, report, "folds.%zu.%s", k, keys[i]);
        }
        for (size_t m = 0; metric_at(report, m) != NULL; m++)
            for (size_t side = 0; side < 2; side++) {
                sink_puts(out, ",");
                put_number(out, report, "folds.%zu.%s.%s", k, sides[side], metric_at(report, m));
            }
        sink_puts(out, "\n");
    }
}

static void say_next(struct session *s, const sepal_report *report) {
    (void)report;
    struct sink spec = sink_open(-1);
    spec_with_parameters(s, option_value(s, "method"), &spec);
    if (spec.error == 0) say_refit(s, sink_text(&spec), "");
    sink_close(&spec);
}

static int cv_run(struct session *s) {
    struct selecting all = {.task = "cv", .put_table = put_folds, .say_next = say_next};
    if (option_value(s, "method") == NULL)
        return complain(s, EXIT_USAGE, NULL,
                        "cv needs a method; type: sepal cv %s -m \"standardize | logistic\"",
                        s->options.arguments[0]);
    return selecting_run(s, &all);
}

static const char *const cv_tasks[] = {"cv", NULL};

const struct command cmd_cv = {
    .name = "cv",
    .summary = "judge a method by cross-validation",
    .description =
        "Part the rows into folds; fit what SPEC names to the rows outside of each fold, and judge "
        "it by the rows in the fold and by those that it has learnt from. The table has the mean "
        "and standard deviation of both over the folds, and the gap between them: a method that "
        "does much better on rows it has learnt from over-fits. What is learnt from rows, missing "
        "values, categories and maps included, is learnt outside of the fold.\n"
        "Each fold has its share of each class. --loo holds out one row at a time, --ordered "
        "judges each block of rows by what comes before it, --group COL keeps rows with the same "
        "value together, and --fold-file gives the folds themselves. -v shows every fold; --csv "
        "and --json have them, too.\n"
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
