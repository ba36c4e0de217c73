/* sepal describe: what is in a data file, without training. */
#include "cli.h"

static int describe_run(struct session *s) {
    sepal_data *data = NULL;
    sepal_report *report = NULL;
    int code = step_read(&data, s, s->options.arguments[0]);
    if (code == EXIT_DONE) {
        sepal_status status = sepal_data_describe(&report, s->ctx, data);
        code = status == SEPAL_OK ? step_report(s, report) : complain_status(s, status);
    }
    sepal_report_free(report);
    sepal_data_free(data);
    return code;
}

const struct command cmd_describe = {
    .name = "describe",
    .summary = "summarise a data file",
    .description =
        "Read DATA as train would, and report its rows, features, nonzeros, classes with "
        "their counts, and the sum of all values. Nothing is learnt.",
    .run = describe_run,
    .usage = "DATA [OPTION ...]",
    .fewest = 1,
    .most = 1,
    .reads = true,
    .examples = {"sepal describe examples/data/wine.csv",
                 "sepal describe examples/data/iris.csv --drop petal_width --json"},
};
