/* sepal report: one page of HTML about a model and the rows that it is judged by. */
#include "cli.h"

#include <string.h>

static const struct option report_options[] = {
    {.name = "output",
     .letter = 'o',
     .placeholder = "FILE",
     .file = FILE_WRITTEN,
     .help = "write the page here; - is standard output"},
    {.name = "fit",
     .placeholder = "FILE",
     .file = FILE_READ,
     .help =
         "what `sepal train --json` has printed: objective, solver and training go to the page"},
    {.name = "seed",
     .placeholder = "N",
     .fallback = "1",
     .help = "start of the random numbers of --decide soft and --bootstrap"},
    {0},
};

static int check_output(struct session *s) {
    const char *path = option_value(s, "output");
    if (path == NULL)
        return complain(s, EXIT_USAGE, NULL,
                        "report needs a file to write; type: sepal report %s %s -o report.html",
                        s->options.arguments[0], s->options.arguments[1]);
    if (strcmp(path, "-") == 0 && s->json)
        return complain(s, EXIT_USAGE, NULL,
                        "the page and --json both want standard output; type -o report.html");
    return files_check(s);
}

static int read_fit(struct session *s, sepal_report **fit) {
    const char *path = option_value(s, "fit");
    if (path == NULL) return EXIT_DONE;
    sepal_status status = sepal_report_read(fit, s->ctx, path);
    if (status != SEPAL_OK) return complain_status(s, status);
    const char *command = sepal_report_string(*fit, "command");
    if (command == NULL || strcmp(command, "train") != 0)
        return complain(s, EXIT_DATA, path,
                        "this is no report of a training; sepal train ... --json prints one");
    return EXIT_DONE;
}

static int report_print(struct session *s, const struct page *page) {
    struct result out;
    int code = step_open_output(&out, s, "reporting");
    if (code != EXIT_DONE) return code;
    code = page_put(s, page, &out.sink);
    return result_end(&out, s, code);
}

/* With --json the numbers of the page, as evaluate prints them. */
static int report_json(struct session *s, const struct page *page) {
    sepal_report *judgement = NULL;
    if (!s->json) return EXIT_DONE;
    int code = step_evaluate(&judgement, s, page->model, page->data);
    if (code == EXIT_DONE) code = step_report(s, judgement);
    sepal_report_free(judgement);
    return code;
}

static int report_run(struct session *s) {
    sepal_model *model = NULL;
    sepal_data *data = NULL;
    sepal_report *fit = NULL;
    uint64_t seed = 1;
    int code = option_count(s, "seed", UINT64_MAX, &seed);
    sepal_ctx_set_seed(s->ctx, seed);
    if (code == EXIT_DONE) code = check_output(s);
    if (code == EXIT_DONE) code = read_fit(s, &fit);
    if (code == EXIT_DONE) code = step_load(&model, s, s->options.arguments[0]);
    if (code == EXIT_DONE) code = step_check_predict(s, model, NULL);
    if (code == EXIT_DONE) code = step_read_for(&data, s, model, s->options.arguments[1], 1);
    struct page page = {model, data, fit};
    if (code == EXIT_DONE) code = report_print(s, &page);
    if (code == EXIT_DONE) code = report_json(s, &page);
    sepal_report_free(fit);
    sepal_data_free(data);
    sepal_model_free(model);
    return code;
}

const struct command cmd_report = {
    .name = "report",
    .summary = "write one page of HTML about a model and how it does on rows",
    .description =
        "Judge MODEL on the rows of DATA, which have labels, and write a page of HTML: what was "
        "asked, the data and what the doctor finds in them, how the fit went, all metrics with "
        "their intervals, pictures, coefficients, and the mistakes and the rows that the model is "
        "least "
        "sure of. "
        "The page is one file that loads nothing from anywhere, is light or dark as its reader "
        "is, can be printed, and used by keyboard. `sepal train --report FILE` writes the same "
        "with "
        "the facts of the fit.\n"
        "The same command writes the same bytes.",
    .run = report_run,
    .usage = "MODEL DATA -o FILE [OPTION ...]",
    .fewest = 2,
    .most = 2,
    .reads = true,
    .decides = true,
    .judges = true,
    .options = report_options,
    .examples = {"sepal report iris.sepal examples/data/iris.csv -o report.html",
                 "sepal report iris.sepal examples/data/iris.csv -o report.html --bootstrap 200"},
};
