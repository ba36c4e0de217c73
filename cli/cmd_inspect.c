/* sepal inspect: what is in a model file. */
#include "cli.h"

static const struct option inspect_options[] = {
    {.name = "top",
     .placeholder = "N",
     .fallback = "12",
     .help = "features to show of each score function; 0: all"},
    {.name = "summary",
     .help = "the table of coefficients: standard errors, z, p, odds ratios, 95 % intervals"},
    {0},
};

static int inspect_run(struct session *s) {
    sepal_model *model = NULL;
    sepal_report *report = NULL;
    uint64_t top = 12;
    int code = option_count(s, "top", SIZE_MAX, &top);
    if (code == EXIT_DONE) code = step_load(&model, s, s->options.arguments[0]);
    if (code == EXIT_DONE) {
        sepal_status status = option_value(s, "summary") != NULL
                                  ? sepal_model_summary(&report, s->ctx, model)
                                  : sepal_model_inspect(&report, s->ctx, model);
        sepal_report_set_top(report, (size_t)top);
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
        "bias, the norm and the weights. Features come in the order of what one standard "
        "deviation of them changes, if they were standardised, else by the size of their weight: "
        "weights of features in different units say nothing of what matters more.\n"
        "With --summary, show the table of coefficients instead, with standard errors. "
        "`logistic(penalty=none)` on two classes and `softmax(penalty=none)`, each class against "
        "the first, have them from the training; a model trained with --bootstrap from its "
        "resamples; of any other the reason is given why it has none. Text columns are coded "
        "against their first category.",
    .run = inspect_run,
    .usage = "MODEL [OPTION ...]",
    .fewest = 1,
    .most = 1,
    .options = inspect_options,
    .examples = {"sepal inspect iris.sepal --top 3", "sepal inspect iris.sepal --summary"},
};
