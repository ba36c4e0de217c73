/* sepal transform: rows on the axes of a discriminant, or as the maps of a model make them. */
#include "cli.h"

#include <math.h>
#include <string.h>

static const struct option transform_options[] = {
    {.name = "output",
     .letter = 'o',
     .placeholder = "OUT",
     .fallback = "-",
     .help = "write here; - is standard output"},
    {0},
};

struct transformation {
    sepal_model *model;
    sepal_data *data;
    struct numbers numbers;
};

/* The names, joined by commas. */
static int put_header(struct session *s, struct sink *out, struct transformation *t) {
    struct sink names = sink_open(-1);
    int code = numbers_names(&t->numbers, s, &names);
    const char *text = sink_text(&names);
    sink_inherit(out, &names);
    sink_puts(out, *text != '\0' ? text + 1 : text);
    const char *kept = sepal_data_kept_header(t->data);
    if (*kept != '\0') sink_printf(out, ",%s", kept);
    sink_puts(out, "\n");
    sink_close(&names);
    return code;
}

static int put_csv(struct session *s, struct sink *out, struct transformation *t) {
    bool kept = *sepal_data_kept_header(t->data) != '\0';
    int code = put_header(s, out, t);
    for (size_t i = 0; i < sepal_data_rows(t->data) && code == EXIT_DONE; i++) {
        const double *row;
        code = numbers_row(&t->numbers, s, i, &row);
        if (code != EXIT_DONE) return code;
        for (size_t k = 0; k < t->numbers.width; k++) {
            if (k > 0) sink_puts(out, ",");
            if (isfinite(row[k])) sink_number(out, row[k]);
        }
        if (kept) sink_printf(out, ",%s", sepal_data_kept_row(t->data, i));
        sink_puts(out, "\n");
    }
    return code;
}

static int put_json(struct session *s, struct sink *out, struct transformation *t) {
    int code;
    sink_json_begin(out, "transform");
    sink_puts(out, ",\"columns\":[");
    for (size_t j = 0; j < t->numbers.width; j++) {
        char *name = NULL;
        sepal_status status =
            sepal_model_output_name(&name, s->ctx, t->model, SEPAL_PROJECTIONS, j);
        if (status != SEPAL_OK) return complain_status(s, status);
        if (j > 0) sink_puts(out, ",");
        sink_json(out, name);
        sepal_text_free(name);
    }
    sink_puts(out, "],\"rows\":[");
    for (size_t i = 0; i < sepal_data_rows(t->data); i++) {
        const double *row;
        code = numbers_row(&t->numbers, s, i, &row);
        if (code != EXIT_DONE) return code;
        sink_puts(out, i > 0 ? ",[" : "[");
        for (size_t k = 0; k < t->numbers.width; k++) {
            if (k > 0) sink_puts(out, ",");
            if (isfinite(row[k]))
                sink_number(out, row[k]);
            else
                sink_puts(out, "null");
        }
        sink_puts(out, "]");
    }
    sink_puts(out, "]");
    sink_json_end(out, s->ctx);
    return EXIT_DONE;
}

static int print(struct session *s, struct transformation *t) {
    const char *path = option_value(s, "output");
    struct result out;
    int code = interrupt_check(s, "transforming");
    if (code == EXIT_DONE) code = result_open(&out, s, path != NULL ? path : "-");
    if (code != EXIT_DONE) return code;
    progress_erase(s);
    if (!s->json) warnings_print(s);
    code = s->json ? put_json(s, &out.sink, t) : put_csv(s, &out.sink, t);
    if (code == EXIT_DONE) return result_commit(&out, s);
    result_discard(&out);
    return code;
}

static int run(struct session *s) {
    struct transformation t = {0};
    int code = step_check_output(s, "output");
    if (code == EXIT_DONE) code = step_load(&t.model, s, s->options.arguments[0]);
    if (code == EXIT_DONE) code = step_read_for(&t.data, s, t.model, s->options.arguments[1], 0);
    if (code == EXIT_DONE) code = numbers_open(&t.numbers, s, t.model, t.data, SEPAL_PROJECTIONS);
    /* what can fail fails before anything is printed */
    const double *row;
    if (code == EXIT_DONE && sepal_data_rows(t.data) > 0)
        code = numbers_row(&t.numbers, s, 0, &row);
    if (code == EXIT_DONE) code = print(s, &t);
    if (code == EXIT_DONE && !sepal_model_transforms(t.model))
        say(s, "this model has neither axes (lda has) nor maps: its features are written as they are");
    numbers_close(&t.numbers);
    sepal_data_free(t.data);
    sepal_model_free(t.model);
    return code;
}

const struct command cmd_transform = {
    .name = "transform",
    .summary = "write what a model makes of the features",
    .description =
        "Write every row of DATA as CSV: its projections on the axes of a discriminant (lda), or, "
        "for a model without axes, the features as its maps make them. Columns are named.",
    .run = run,
    .usage = "MODEL DATA [-o OUT] [OPTION ...]",
    .fewest = 2,
    .most = 2,
    .reads = true,
    .options = transform_options,
    .examples = {"sepal transform iris.sepal examples/data/iris.csv",
                 "sepal transform iris.sepal examples/data/iris.csv --keep class -o plane.csv"},
};
