/* sepal predict: a label a line; with scores or kept columns, CSV with a header. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct option predict_options[] = {
    {.name = "scores", .help = "CSV with the score of every class (two classes: of the second)"},
    {.name = "proba", .help = "CSV with the probability of every class"},
    {.name = "output",
     .letter = 'o',
     .placeholder = "OUT",
     .fallback = "-",
     .help = "write here; - is standard output"},
    {0},
};

static const char csv_special[] = ",\"\r\n";

struct prediction {
    sepal_model *model;
    sepal_data *data;
    size_t rows, width; /* width: scores a row, 0 when they are not asked for */
    int32_t *class;
    double *scores;
};

static const char *label_of(const struct prediction *p, size_t row) {
    return p->class[row] < 0 ? "?" : sepal_model_class(p->model, (size_t)p->class[row]);
}

static void put_header(struct sink *out, const struct prediction *p) {
    sink_puts(out, "label");
    if (p->width == 1) sink_puts(out, ",score");
    for (size_t k = 0; p->width > 1 && k < p->width; k++) {
        sink_puts(out, ",");
        sink_cell(out, sepal_model_class(p->model, k), csv_special);
    }
    const char *kept = sepal_data_kept_header(p->data);
    if (*kept != '\0') sink_printf(out, ",%s", kept);
    sink_puts(out, "\n");
}

static void put_csv(struct sink *out, const struct prediction *p) {
    bool kept = *sepal_data_kept_header(p->data) != '\0';
    put_header(out, p);
    for (size_t i = 0; i < p->rows; i++) {
        sink_cell(out, label_of(p, i), csv_special);
        for (size_t k = 0; k < p->width; k++) {
            double score = p->scores[i * p->width + k];
            sink_puts(out, ",");
            if (isfinite(score) && p->class[i] >= 0) sink_number(out, score);
        }
        if (kept) {
            sink_puts(out, ",");
            sink_puts(out, sepal_data_kept_row(p->data, i));
        }
        sink_puts(out, "\n");
    }
}

/* A label may hold a line end only if the line that carries it is quoted. */
static void put_labels(struct sink *out, const struct prediction *p) {
    for (size_t i = 0; i < p->rows; i++) {
        sink_cell(out, label_of(p, i), "\r\n");
        sink_puts(out, "\n");
    }
}

static void put_json_scores(struct sink *out, const struct prediction *p) {
    sink_puts(out, "],\"scores\":[");
    for (size_t i = 0; i < p->rows; i++) {
        sink_puts(out, i > 0 ? ",[" : "[");
        for (size_t k = 0; k < p->width; k++) {
            double score = p->scores[i * p->width + k];
            if (k > 0) sink_puts(out, ",");
            if (isfinite(score) && p->class[i] >= 0)
                sink_number(out, score);
            else
                sink_puts(out, "null");
        }
        sink_puts(out, "]");
    }
}

static void put_json_kept(struct sink *out, const struct prediction *p) {
    sink_puts(out, "],\"kept_header\":");
    sink_json(out, sepal_data_kept_header(p->data));
    sink_puts(out, ",\"kept\":[");
    for (size_t i = 0; i < p->rows; i++) {
        if (i > 0) sink_puts(out, ",");
        sink_json(out, sepal_data_kept_row(p->data, i));
    }
}

static void put_json(struct sink *out, const struct prediction *p, const sepal_ctx *ctx) {
    sink_json_begin(out, "predict");
    sink_puts(out, ",\"labels\":[");
    for (size_t i = 0; i < p->rows; i++) {
        if (i > 0) sink_puts(out, ",");
        sink_json(out, label_of(p, i));
    }
    sink_puts(out, "],\"classes\":[");
    for (size_t k = 0; k < sepal_model_classes(p->model); k++) {
        if (k > 0) sink_puts(out, ",");
        sink_json(out, sepal_model_class(p->model, k));
    }
    if (p->width > 0) put_json_scores(out, p);
    if (*sepal_data_kept_header(p->data) != '\0') put_json_kept(out, p);
    sink_puts(out, "]");
    sink_json_end(out, ctx);
}

/* No learner of this version computes probabilities. */
static int refuse_proba(struct session *s, const sepal_model *model) {
    sepal_method method = {.name = "linear"};
    size_t learner;
    if (spec_learner(sepal_model_spec(model), &learner))
        sepal_method_at(SEPAL_LEARNER, learner, &method);
    return complain(s, EXIT_MODEL, s->options.arguments[0],
                    "a %s model computes scores, which are not probabilities; --scores shows them",
                    method.name);
}

static int read_input(struct session *s, struct prediction *p) {
    bool proba = option_value(s, "proba") != NULL;
    if (proba && option_value(s, "scores") != NULL) {
        return complain(s, EXIT_USAGE, NULL,
                        "--proba and --scores exclude each other; give one of them");
    }
    int code = step_load(&p->model, s, s->options.arguments[0]);
    if (code != EXIT_DONE) return code;
    if (proba) return refuse_proba(s, p->model);
    return step_read_for(&p->data, s, p->model, s->options.arguments[1], 0);
}

static int compute(struct session *s, struct prediction *p) {
    p->rows = sepal_data_rows(p->data);
    p->class = calloc(p->rows > 0 ? p->rows : 1, sizeof *p->class);
    if (p->class == NULL) return complain_memory(s);
    sepal_status status = sepal_predict(p->class, s->ctx, p->model, p->data);
    if (status == SEPAL_OK && option_value(s, "scores") != NULL) {
        size_t width = sepal_model_scores(p->model);
        p->scores = calloc(p->rows > 0 ? p->rows : 1, width * sizeof *p->scores);
        if (p->scores == NULL) return complain_memory(s);
        p->width = width;
        status = sepal_scores(p->scores, s->ctx, p->model, p->data);
    }
    return status == SEPAL_OK ? EXIT_DONE : complain_status(s, status);
}

static int print(struct session *s, const struct prediction *p) {
    const char *path = option_value(s, "output");
    struct result out;
    int code = interrupt_check(s, "predicting");
    if (code == EXIT_DONE) code = result_open(&out, s, path != NULL ? path : "-");
    if (code != EXIT_DONE) return code;
    progress_erase(s);
    if (!s->json) warnings_print(s);
    if (s->json)
        put_json(&out.sink, p, s->ctx);
    else if (p->width > 0 || *sepal_data_kept_header(p->data) != '\0')
        put_csv(&out.sink, p);
    else
        put_labels(&out.sink, p);
    return result_commit(&out, s);
}

static int run(struct session *s) {
    struct prediction p = {0};
    int code = step_check_output(s, "output");
    if (code == EXIT_DONE) code = read_input(s, &p);
    if (code == EXIT_DONE) code = compute(s, &p);
    if (code == EXIT_DONE) code = print(s, &p);
    sepal_data_free(p.data);
    sepal_model_free(p.model);
    free(p.class);
    free(p.scores);
    return code;
}

const struct command cmd_predict = {
    .name = "predict",
    .summary = "say the class of every row",
    .description =
        "Say the class of every row of DATA, one label a line, in the order of the rows. "
        "With a header, columns are found by their names, in any order. The label may be "
        "there or not and is not looked at. A row that is not decided prints `?`.\n"
        "With --scores, --proba or --keep the output is CSV with a header.",
    .run = run,
    .usage = "MODEL DATA [--scores] [-o OUT] [OPTION ...]",
    .fewest = 2,
    .most = 2,
    .reads = true,
    .options = predict_options,
    .examples = {"sepal predict iris.sepal examples/data/iris.csv",
                 "sepal predict iris.sepal examples/data/iris.csv --scores -o scores.csv"},
};
