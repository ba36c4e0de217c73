/* sepal predict: a label a line; with numbers or kept columns, CSV with a header. */
#include "cli.h"

static const struct option predict_options[] = {
    {.name = "scores", .help = "CSV with the score of every class (two classes: of the second)"},
    {.name = "proba", .help = "CSV with the probability of every class"},
    {.name = "distance",
     .help = "CSV with the signed distance from the surface of each class (two classes: the one "
             "surface), in units of the features"},
    {.name = "likelihood", .help = "CSV with ln p(x | class) of a model that keeps a density"},
    OUTPUT_OPTION,
    {.name = "seed",
     .placeholder = "N",
     .fallback = "1",
     .help = "start of the random numbers of --decide soft"},
    {0},
};
/* The options that ask for numbers, and what JSON calls them. */
static const struct {
    const char *option, *key;
    sepal_output what;
} kinds[] = {{"scores", "scores", SEPAL_SCORES},
             {"proba", "proba", SEPAL_PROBABILITIES},
             {"distance", "distances", SEPAL_DISTANCES},
             {"likelihood", "likelihoods", SEPAL_LIKELIHOODS}};
enum { KINDS = sizeof kinds / sizeof *kinds };

struct prediction {
    sepal_model *model;
    sepal_data *data;
    size_t rows;
    size_t kind;            /* of numbers; KINDS: none */
    struct numbers numbers; /* and classes */
};

static bool gives_sets(const struct prediction *p) {
    return p->numbers.labels > 0;
}

/* ---- CSV ----------------------------------------------------------------------------------- */

static int predict_put_header(struct session *s, struct sink *out, struct prediction *p) {
    int code = EXIT_DONE;
    sink_puts(out, "label");
    if (p->kind < KINDS) {
        sink_puts(out, ",");
        code = numbers_names(&p->numbers, s, false, out);
    }
    const char *kept = sepal_data_kept_header(p->data);
    if (*kept != '\0') sink_printf(out, ",%s", kept);
    sink_puts(out, "\n");
    return code;
}

static int predict_put_csv(struct session *s, struct sink *out, struct prediction *p) {
    bool kept = *sepal_data_kept_header(p->data) != '\0';
    int code = predict_put_header(s, out, p);
    for (size_t i = 0; i < p->rows && code == EXIT_DONE; i++) {
        code = numbers_reach(&p->numbers, s, i);
        if (code != EXIT_DONE) return code;
        numbers_label_cell(&p->numbers, i, out);
        if (p->kind < KINDS) {
            sink_puts(out, ",");
            numbers_row(&p->numbers, i, "", out);
        }
        if (kept) {
            sink_puts(out, ",");
            sink_puts(out, sepal_data_kept_row(p->data, i));
        }
        sink_puts(out, "\n");
    }
    return code;
}

/* A label may hold a line end only if the line that carries it is quoted. */
static int predict_put_labels(struct session *s, struct sink *out, struct prediction *p) {
    for (size_t i = 0; i < p->rows; i++) {
        int code = numbers_reach(&p->numbers, s, i);
        if (code != EXIT_DONE) return code;
        if (gives_sets(p))
            numbers_set(&p->numbers, i, out);
        else
            sink_cell(out, numbers_class(&p->numbers, i), "\r\n");
        sink_puts(out, "\n");
    }
    return EXIT_DONE;
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static int predict_put_json(struct session *s, struct sink *out, struct prediction *p) {
    int code = EXIT_DONE;
    sink_json_begin(out, "predict");
    sink_puts(out, ",\"labels\":[");
    for (size_t i = 0; i < p->rows && code == EXIT_DONE; i++) {
        if (i > 0) sink_puts(out, ",");
        code = numbers_reach(&p->numbers, s, i);
        if (code != EXIT_DONE) return code;
        numbers_label_json(&p->numbers, i, out);
    }
    sink_puts(out, "],\"classes\":[");
    for (size_t k = 0; k < sepal_model_classes(p->model); k++) {
        if (k > 0) sink_puts(out, ",");
        sink_json(out, sepal_model_class(p->model, k));
    }
    sink_puts(out, "]");
    if (p->kind < KINDS) {
        sink_printf(out, ",\"%s\":", kinds[p->kind].key);
        code = numbers_json(&p->numbers, s, out);
    }
    kept_json(p->data, out);
    sink_printf(out, ",\"ambiguous\":{\"several\":%zu,\"none\":%zu,\"tied\":%zu}",
                p->numbers.all.several, p->numbers.all.none, p->numbers.all.tied);
    sink_json_end(out, s->ctx);
    return code;
}

/* ---- The command --------------------------------------------------------------------------- */

static int choose_kind(struct session *s, struct prediction *p) {
    p->kind = KINDS;
    for (size_t i = 0; i < KINDS; i++) {
        if (option_value(s, kinds[i].option) == NULL) continue;
        if (p->kind < KINDS) {
            return complain(s, EXIT_USAGE, NULL,
                            "--%s and --%s exclude each other; give one of them",
                            kinds[p->kind].option, kinds[i].option);
        }
        p->kind = i;
    }
    return EXIT_DONE;
}

static const sepal_output *kind_of_numbers(const struct prediction *p) {
    return p->kind < KINDS ? &kinds[p->kind].what : NULL;
}

static int read_input(struct session *s, struct prediction *p) {
    uint64_t seed = 1;
    int code = option_count(s, "seed", UINT64_MAX, &seed);
    if (code == EXIT_DONE) code = choose_kind(s, p);
    if (code == EXIT_DONE) code = step_load(&p->model, s, s->options.arguments[0]);
    /* what the model cannot do is said before its data is read */
    if (code == EXIT_DONE) code = step_check_predict(s, p->model, kind_of_numbers(p));
    if (code != EXIT_DONE) return code;
    sepal_ctx_set_seed(s->ctx, seed);
    return step_read_for(&p->data, s, p->model, s->options.arguments[1], 0);
}

static void tell_ambiguous(struct session *s, const struct prediction *p) {
    const sepal_predictions *predictions = &p->numbers.all;
    if (s->json || s->quiet) return;
    const char *then = predictions->open
                           ? "they are left undecided"
                           : "the most confident class gets them (--ambiguous undecided: nobody)";
    if (predictions->several + predictions->none > 0)
        say(s, "rows claimed by several classes: %zu of %zu, by none: %zu; %s",
            predictions->several, p->rows, predictions->none, then);
    if (predictions->tied > 0)
        say(s, "rows with a tie of votes: %zu of %zu; %s", predictions->tied, p->rows, then);
}

static int predict_print(struct session *s, struct prediction *p) {
    bool counted = p->numbers.done == p->rows;
    struct result out;
    int code = step_open_output(&out, s, "predicting");
    if (code != EXIT_DONE) return code;
    if (counted) tell_ambiguous(s, p);
    if (s->json)
        code = predict_put_json(s, &out.sink, p);
    else if (p->kind < KINDS || *sepal_data_kept_header(p->data) != '\0')
        code = predict_put_csv(s, &out.sink, p);
    else
        code = predict_put_labels(s, &out.sink, p);
    if (code == EXIT_DONE && !counted) tell_ambiguous(s, p);
    return result_end(&out, s, code);
}

static int predict_run(struct session *s) {
    struct prediction p = {0};
    int code = files_check(s);
    if (code == EXIT_DONE) code = read_input(s, &p);
    p.rows = sepal_data_rows(p.data);
    if (code == EXIT_DONE)
        code = numbers_open(&p.numbers, s, p.model, p.data, kind_of_numbers(&p), true);
    if (code == EXIT_DONE) code = predict_print(s, &p);
    numbers_close(&p.numbers);
    sepal_data_free(p.data);
    sepal_model_free(p.model);
    return code;
}

const struct command cmd_predict = {
    .name = "predict",
    .summary = "predict the class of every row",
    .description =
        "Say the class of every row of DATA, one label a line, in the order of the rows; of a "
        "model "
        "of label sets all labels of the row, with commas between them. "
        "With a header, columns are found by their names, in any order. The label may be "
        "there or not and is not looked at.\n"
        "The class of the largest score or probability is chosen, or as --decide, --cutoff and "
        "--ambiguous said when the model was trained, unless these options or --priors say "
        "otherwise here. A row that is left undecided, or that lacks a "
        "value "
        "the model needs, prints `?`.\n"
        "With --scores, --proba, --distance, --likelihood or --keep the output is CSV with a "
        "header. In JSON a set of labels is an array of them.",
    .run = predict_run,
    .usage = "MODEL DATA [--scores | --proba | --distance | --likelihood] [OPTION ...]",
    .fewest = 2,
    .most = 2,
    .reads = true,
    .decides = true,
    .options = predict_options,
    .examples = {"sepal predict iris.sepal examples/data/iris.csv",
                 "sepal predict iris.sepal examples/data/iris.csv --scores -o scores.csv"},
};
