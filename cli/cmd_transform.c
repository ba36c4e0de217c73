/* sepal transform: rows on the axes of a discriminant, or as the maps of a model make them. */
#include "cli.h"

static const struct option transform_options[] = {
    OUTPUT_OPTION,
    {0},
};

struct transformation {
    sepal_model *model;
    sepal_data *data;
    struct numbers numbers;
};

static int transform_put_csv(struct session *s, struct sink *out, struct transformation *t) {
    const char *kept = sepal_data_kept_header(t->data);
    int code = numbers_names(&t->numbers, s, false, out);
    if (*kept != '\0') sink_printf(out, ",%s", kept);
    sink_puts(out, "\n");
    for (size_t i = 0; i < sepal_data_rows(t->data) && code == EXIT_DONE; i++) {
        code = numbers_reach(&t->numbers, s, i);
        if (code != EXIT_DONE) return code;
        numbers_row(&t->numbers, i, "", out);
        if (*kept != '\0') sink_printf(out, ",%s", sepal_data_kept_row(t->data, i));
        sink_puts(out, "\n");
    }
    return code;
}

static int transform_put_json(struct session *s, struct sink *out, struct transformation *t) {
    sink_json_begin(out, "transform");
    sink_puts(out, ",\"columns\":[");
    int code = numbers_names(&t->numbers, s, true, out);
    sink_puts(out, "],\"rows\":");
    if (code == EXIT_DONE) code = numbers_json(&t->numbers, s, out);
    kept_json(t->data, out);
    sink_json_end(out, s->ctx);
    return code;
}

static int transform_print(struct session *s, struct transformation *t) {
    struct result out;
    int code = step_open_output(&out, s, "transforming");
    if (code != EXIT_DONE) return code;
    code = s->json ? transform_put_json(s, &out.sink, t) : transform_put_csv(s, &out.sink, t);
    return result_end(&out, s, code);
}

static int transform_run(struct session *s) {
    const sepal_output what = SEPAL_PROJECTIONS;
    struct transformation t = {0};
    int code = files_check(s);
    if (code == EXIT_DONE) code = step_load(&t.model, s, s->options.arguments[0]);
    if (code == EXIT_DONE) code = step_read_for(&t.data, s, t.model, s->options.arguments[1], 0);
    if (code == EXIT_DONE) code = numbers_open(&t.numbers, s, t.model, t.data, &what, false);
    if (code == EXIT_DONE) code = transform_print(s, &t);
    if (code == EXIT_DONE && !s->quiet && !sepal_model_transforms(t.model))
        say(s,
            "this model has neither axes (lda has) nor maps: its features are written as they are");
    numbers_close(&t.numbers);
    sepal_data_free(t.data);
    sepal_model_free(t.model);
    return code;
}

const struct command cmd_transform = {
    .name = "transform",
    .summary = "write what a model makes of the features",
    .description = "Write every row of DATA as CSV with a header: its projections on the axes of a "
                   "discriminant "
                   "(lda), the most telling first, or, for a model without axes, the features as "
                   "its maps make "
                   "them. --keep carries columns of DATA along.",
    .run = transform_run,
    .usage = "MODEL DATA [-o OUT] [OPTION ...]",
    .fewest = 2,
    .most = 2,
    .reads = true,
    .options = transform_options,
    .examples = {"sepal transform iris.sepal examples/data/iris.csv",
                 "sepal transform iris.sepal examples/data/iris.csv --keep class -o plane.csv"},
};
