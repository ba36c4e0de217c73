/* sepal evaluate: how well a model does on rows with labels. */
#include "cli.h"

static const struct option evaluate_options[] = {
    {.name = "seed",
     .placeholder = "N",
     .fallback = "1",
     .help = "start of the random numbers of --decide soft and --bootstrap"},
    {0},
};

static int evaluate_run(struct session *s) {
    sepal_model *model = NULL;
    sepal_data *data = NULL;
    sepal_report *report = NULL;
    uint64_t seed = 1;
    int code = option_count(s, "seed", UINT64_MAX, &seed);
    if (code == EXIT_DONE && files_from_standard(s) > 1)
        code = complain(s, EXIT_USAGE, NULL,
                        "only one of DATA, --cost and the files of labels and weights can be "
                        "standard input");
    sepal_ctx_set_seed(s->ctx, seed);
    if (code == EXIT_DONE) code = step_load(&model, s, s->options.arguments[0]);
    if (code == EXIT_DONE) code = step_check_predict(s, model, NULL);
    if (code == EXIT_DONE) code = step_read_for(&data, s, model, s->options.arguments[1], 1);
    if (code == EXIT_DONE) code = step_evaluate(&report, s, model, data);
    if (code == EXIT_DONE) code = step_report(s, report);
    sepal_report_free(report);
    sepal_data_free(data);
    sepal_model_free(model);
    return code;
}

const struct command cmd_evaluate = {
    .name = "evaluate",
    .summary = "measure a model on rows with labels",
    .description =
        "Predict the rows of DATA, compare with their labels, and report the confusion "
        "matrix and the metrics that follow from it. Row weights count as they do in "
        "training. `sepal list metrics` names the metrics. The numbers in brackets are "
        "intervals; those of most numbers need --bootstrap.\n"
        "With --cost the report has the mean cost of the decisions, and the least that decisions "
        "by the probabilities would cost. --curves gives the points of the curves in JSON, and "
        "their areas in the report.",
    .run = evaluate_run,
    .usage = "MODEL DATA [--positive LABEL] [--curves] [--cost FILE] [OPTION ...]",
    .fewest = 2,
    .most = 2,
    .reads = true,
    .decides = true,
    .judges = true,
    .options = evaluate_options,
    .examples = {"sepal evaluate iris.sepal examples/data/iris.csv",
                 "sepal evaluate iris.sepal examples/data/iris.csv --json"},
};
