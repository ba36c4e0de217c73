/* sepal explain: what each feature contributes to the score of each row. */
#include "explain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct option explain_options[] = {
    {.name = "top",
     .placeholder = "N",
     .help = "contributions to show of a row, the largest first, the others as their sum; 0: all. "
             "Unless given, 8, and in CSV and JSON all"},
    {.name = "class",
     .placeholder = "LABEL",
     .help = "explain the score of this class; unless given, of the class of the row, of two "
             "classes the second"},
    {.name = "rows",
     .placeholder = "LIST",
     .help = "rows to explain, from 1, as 5,10-12; unless given, all, and for people the first 10"},
    {.name = "csv", .help = "CSV with a header: a row a line, a column a feature"},
    OUTPUT_OPTION,
    {.name = "seed",
     .placeholder = "N",
     .fallback = "1",
     .help = "start of the random numbers of --decide soft"},
    {0},
};

/* ---- Options ------------------------------------------------------------------------------- */

static int choose_form(struct explain *e) {
    struct session *s = e->s;
    uint64_t top = 8, seed = 1;
    e->csv = option_value(s, "csv") != NULL;
    if (e->csv && s->json)
        return complain(s, EXIT_USAGE, NULL,
                        "--csv and --json exclude each other; give one of them");
    int code = option_count(s, "seed", UINT64_MAX, &seed);
    if (code == EXIT_DONE) code = option_count(s, "top", SIZE_MAX, &top);
    if (code != EXIT_DONE) return code;
    if ((e->csv || s->json) && option_value(s, "top") == NULL) top = 0;
    e->top = top == 0 ? SIZE_MAX : (size_t)top;
    sepal_ctx_set_seed(s->ctx, seed);
    return EXIT_DONE;
}

static int choose_class(struct explain *e) {
    const char *label = option_value(e->s, "class");
    size_t k = 0, classes = sepal_model_classes(e->model);
    e->asked = NO_CLASS;
    if (label == NULL) return EXIT_DONE;
    while (k < classes && strcmp(sepal_model_class(e->model, k), label) != 0) k++;
    if (k == classes)
        return complain(e->s, EXIT_USAGE, NULL,
                        "--class %s is no class of the model; `sepal inspect %s` names them", label,
                        e->s->options.arguments[0]);
    if (classes > 2 && sepal_model_functions(e->model) == classes - 1 && k == classes - 1)
        return complain(e->s, EXIT_USAGE, NULL,
                        "under ovr-1 class %s has no score function of its own: it gets the rows "
                        "that no other class claims; name another one with --class",
                        label);
    e->asked = k;
    return EXIT_DONE;
}

static int refuse_rows(struct explain *e) {
    return complain(
        e->s, EXIT_USAGE, NULL,
        "--rows %s is no list of rows; type numbers from 1 and ranges, as --rows 5,10-12",
        option_value(e->s, "rows"));
}

/* A whole number, and where it ends; 0: there is none. */
static size_t row_number(const char **text) {
    char *end;
    if (**text < '0' || **text > '9') return 0;
    errno = 0;
    unsigned long long number = strtoull(*text, &end, 10);
    *text = end;
    return errno != 0 || number > SIZE_MAX ? SIZE_MAX : (size_t)number;
}

static int choose_rows(struct explain *e) {
    const char *list = option_value(e->s, "rows");
    size_t rows = sepal_data_rows(e->data);
    e->chosen = calloc(rows + 1, 1);
    if (e->chosen == NULL) return complain_memory(e->s);
    e->some = list != NULL;
    if (list == NULL) {
        memset(e->chosen, 1, rows);
        return EXIT_DONE;
    }
    for (;; list++) {
        size_t first = row_number(&list), last = first;
        if (*list == '-') list++, last = row_number(&list);
        if (first == 0 || last < first) return refuse_rows(e);
        if (last > rows)
            return complain(e->s, EXIT_DATA, e->s->options.arguments[1],
                            "there is no row %zu in it, only %zu of them; mend --rows", last, rows);
        memset(e->chosen + first - 1, 1, last - first + 1);
        if (*list == '\0') return EXIT_DONE;
        if (*list != ',') return refuse_rows(e);
    }
}

/* ---- The command --------------------------------------------------------------------------- */

static int explain_print(struct explain *e) {
    struct result out;
    int code = step_open_output(&out, e->s, "explaining");
    if (code != EXIT_DONE) return code;
    if (e->s->json)
        code = explain_put_json(e, &out.sink);
    else if (e->csv)
        code = explain_put_csv(e, &out.sink);
    else
        code = explain_put_text(e, &out.sink);
    return result_end(&out, e->s, code);
}

static int explain_run(struct session *s) {
    const sepal_output what = SEPAL_CONTRIBUTIONS;
    struct explain e = {.s = s};
    int code = files_check(s);
    if (code == EXIT_DONE) code = choose_form(&e);
    if (code == EXIT_DONE) code = step_load(&e.model, s, s->options.arguments[0]);
    if (code == EXIT_DONE) code = step_check_predict(s, e.model, &what);
    if (code == EXIT_DONE) code = choose_class(&e);
    if (code == EXIT_DONE) code = step_read_for(&e.data, s, e.model, s->options.arguments[1], 0);
    if (code == EXIT_DONE) code = choose_rows(&e);
    if (code == EXIT_DONE) code = explain_open(&e, s);
    if (code == EXIT_DONE) code = explain_print(&e);
    explain_close(&e);
    return code;
}

const struct command cmd_explain = {
    .name = "explain",
    .summary = "show what each feature contributes to the score of each row",
    .description =
        "Take the score of every row of DATA apart: a baseline, which is the score at the mean of "
        "the training rows (where the model knows it, else where all features are 0), and what "
        "each feature adds to it. A text column is one feature. What maps like poly mix is shown "
        "by the names of the mapped columns, and of quadratic models each product of two features "
        "by itself.\n"
        "Of two classes the score is that of the second, of more that of the class of the row; "
        "of `ovo` it is the function of that class and the one that contests it most. It is the "
        "score that predict --scores prints, before any calibration. Baseline, contributions and "
        "the column rounding, "
        "added without error, are the score to the last digit.\n"
        "Without --csv or --json the first 10 rows are shown, rounded so that they still add up, "
        "and then the features by their mean |contribution| over all rows.",
    .run = explain_run,
    .usage = "MODEL DATA [--top N] [--class LABEL] [--rows LIST] [--csv] [OPTION ...]",
    .fewest = 2,
    .most = 2,
    .reads = true,
    .decides = true,
    .options = explain_options,
    .examples = {"sepal explain iris.sepal examples/data/iris.csv --rows 1,51",
                 "sepal explain iris.sepal examples/data/iris.csv --csv -o contributions.csv"},
};
