/* sepal describe: what is in a data file, without training. */
#include "cli.h"

static int describe_run(struct session *s) {
    sepal_report *report = NULL;
    int code = step_describe(&report, s, s->options.arguments[0]);
    if (code == EXIT_DONE) code = step_report(s, report);
    sepal_report_free(report);
    return code;
}

const struct command cmd_describe = {
    .name = "describe",
    .summary = "summarise a data file",
    .description =
        "A first look at DATA: its rows, features and classes with their counts, which column is "
        "the target, and a table of all columns: kind, role, missing and distinct values, minimum, "
        "mean, maximum. Missing values and text in columns of numbers are counted, not refused; "
        "lines that cannot be read are shown.",
    .run = describe_run,
    .usage = "DATA [OPTION ...]",
    .fewest = 1,
    .most = 1,
    .reads = true,
    .examples = {"sepal describe examples/data/wine.csv",
                 "sepal describe examples/data/iris.csv --drop petal_width --json"},
};
