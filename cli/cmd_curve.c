/* sepal curve: learning and validation curves. */
#include "selecting.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct option curve_options[] = {
    {.name = "method",
     .letter = 'm',
     .placeholder = "SPEC",
     .help = "what to fit: a learner, with maps before it"},
    {.name = "csv",
     .placeholder = "FILE",
     .file = FILE_WRITTEN,
     .help = "write the points of the curve here"},
    {.name = "seed", .placeholder = "N", .fallback = "1", .help = "start of the random numbers"},
    {.name = "no-doctor", .help = "do not examine the rows before the fits"},
    {0},
};

static void put_points(struct sink *out, const sepal_report *report) {
    static const char *const keys[] = {"rows",       "train.mean", "train.std",
                                       "valid.mean", "valid.std",  "valid.standard_error"};
    put_cell(out, report, "curve.x_name");
    sink_puts(out, ",learnt_from,train_mean,train_std,valid_mean,valid_std,valid_standard_error\n");
    for (size_t k = 0;; k++) {
        char place[64];
        (void)snprintf(place, sizeof place, "curve.points.%zu.rows", k);
        if (isnan(sepal_report_number(report, place))) return;
        put_cell(out, report, "curve.points.%zu.x", k);
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            sink_puts(out, ",");
            put_number(out, report, "curve.points.%zu.%s", k, keys[i]);
        }
        sink_puts(out, "\n");
    }
}

static int curve_run(struct session *s) {
    struct selecting all = {.task = "curve", .put_table = put_points};
    const char *data = s->options.arguments[0];
    if (option_value(s, "method") == NULL)
        return complain(s, EXIT_USAGE, NULL,
                        "curve needs a method; type: sepal curve %s -m \"standardize | logistic\"",
                        data);
    return selecting_run(s, &all);
}

static const char *const curve_tasks[] = {"curve", NULL};

const struct command cmd_curve = {
    .name = "curve",
    .summary = "draw how well a method does by the number of rows, or by a parameter",
    .description =
        "A learning curve: outside of each of K folds, fit SPEC to more and more of the rows, each "
        "part holding the one before and with its share of each class, and judge it by the rows it "
        "has learnt from and by the fold. Where both meet, more rows will not help; where they are "
        "far apart, more rows or a simpler model will.\n"
        "With --over NAME=VALUES, as in tune: a validation curve, along the values of one "
        "parameter. --csv and --json have the points.",
    .run = curve_run,
    .usage = "DATA -m SPEC [--over NAME=VALUES | --sizes LIST] [OPTION ...]",
    .fewest = 1,
    .most = 1,
    .reads = true,
    .fits = true,
    .decides = true,
    .tasks = curve_tasks,
    .options = curve_options,
    .examples = {"sepal curve examples/data/breast_cancer.csv -m standardize+logistic",
                 "sepal curve examples/data/iris.csv -m \"poly | logistic\" --over degree=1:4"},
};
