/* sepal inspect: what is in a model file. */
#include "cli.h"

static int inspect_run(struct session *s) {
    sepal_model *model = NULL;
    sepal_report *report = NULL;
    int code = step_load(&model, s, s->options.arguments[0]);
    if (code == EXIT_DONE) {
        sepal_status status = sepal_model_inspect(&report, s->ctx, model);
        code = status == SEPAL_OK ? step_report(s, report) : complain_status(s, status);
    }
    sepal_report_free(report);
    sepal_model_free(model);
    return code;
}

const struct command cmd_inspect = {
    .name = "inspect",
    .summary = "show the weights of a model",
    .description =
        "Show what MODEL is made of: its spec, its classes, and for each score function the "
        "bias, the norm and the weights, largest first.",
    .run = inspect_run,
    .usage = "MODEL [OPTION ...]",
    .fewest = 1,
    .most = 1,
    .examples = {"sepal inspect iris.sepal", "sepal inspect iris.sepal --json"},
};
