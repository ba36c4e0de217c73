/* sepal list: the library's tables, in short or one of them with all its parameters. */
#include "cli.h"

struct topic {
    const char *name;
    sepal_kind kind;
    const char *title;
    const char *key; /* in JSON */
};
static const struct topic topics[] = {
    {"learners", SEPAL_LEARNER, "Learners (-m LEARNER)", "learners"},
    {"maps", SEPAL_MAP, "Maps, before the learner (-m \"MAP | LEARNER\")", "maps"},
    {"strategies", SEPAL_STRATEGY,
     "Multi-class strategies, after the learner (-m \"LEARNER | STRATEGY\")", "strategies"},
    {"solvers", SEPAL_SOLVER, "Solvers (--solver SOLVER), chosen by the data unless given",
     "solvers"},
    {"formats", SEPAL_FORMAT, "Data formats", "formats"},
    {"metrics", SEPAL_METRIC, "Metrics of evaluate", "metrics"},
    {"plots", SEPAL_PLOT, "Pictures (sepal plot KIND)", "plots"},
    {"options", SEPAL_READ_OPTION, "Reading options", "reading_options"},
    {"options", SEPAL_FIT_OPTION, "Fitting options", "fit_options"},
    {"options", SEPAL_PREDICT_OPTION, "Decision options", "predict_options"},
    {"options", SEPAL_EVALUATE_OPTION, "Evaluation options", "evaluate_options"},
    {"options", SEPAL_SAMPLE_OPTION, "Sampling options", "sample_options"},
    {"options", SEPAL_PATH_OPTION, "Path options", "path_options"},
    {"options", SEPAL_PLOT_OPTION, "Options of every picture", "plot_options"},
};
enum { TOPICS = sizeof topics / sizeof *topics };

static bool is_options(const struct topic *topic) {
    return topic->kind == SEPAL_READ_OPTION || topic->kind == SEPAL_FIT_OPTION ||
           topic->kind == SEPAL_PREDICT_OPTION || topic->kind == SEPAL_SAMPLE_OPTION ||
           topic->kind == SEPAL_PATH_OPTION || topic->kind == SEPAL_EVALUATE_OPTION ||
           topic->kind == SEPAL_PLOT_OPTION;
}

/* ---- For people ---------------------------------------------------------------------------- */

static void put_param(struct sink *out, const sepal_param *param, const char *dashes) {
    struct sink left = sink_open(-1);
    struct option row = {.help = param->help, .range = param->range, .fallback = param->fallback};
    sink_printf(&left, "      %s%s", dashes, param->name);
    help_row(out, &left, &row);
    sink_close(&left);
}

static void put_params(struct sink *out, const struct topic *topic, size_t method) {
    sepal_param param = {.size = sizeof param};
    for (size_t i = 0; sepal_param_at(topic->kind, method, i, &param) == SEPAL_OK; i++)
        put_param(out, &param, is_options(topic) ? "--" : "");
}

/* The solvers of a learner, if there is a choice. */
static void put_solvers_of(struct sink *out, size_t learner) {
    struct sink names = sink_open(-1), left = sink_open(-1);
    sepal_method solver = {.size = sizeof solver};
    for (size_t i = 0; sepal_method_at(SEPAL_SOLVER, i, &solver) == SEPAL_OK; i++) {
        if (sepal_learner_has_solver(learner, solver.name))
            sink_printf(&names, "%s%s", names.used > 0 ? ", " : "", solver.name);
    }
    struct option row = {.help = sink_text(&names)};
    sink_puts(&left, "      --solver");
    sink_inherit(out, &names);
    if (names.used > 0) help_row(out, &left, &row);
    sink_close(&left);
    sink_close(&names);
}

/* Whose solver it is. */
static void put_learners_of(struct sink *out, const char *solver) {
    sepal_method learner = {.size = sizeof learner};
    const char *between = "      of ";
    for (size_t i = 0; sepal_method_at(SEPAL_LEARNER, i, &learner) == SEPAL_OK; i++) {
        if (!sepal_learner_has_solver(i, solver)) continue;
        sink_printf(out, "%s%s", between, learner.name);
        between = ", ";
    }
    sink_puts(out, "\n");
}

static void put_topic(struct sink *out, const struct topic *topic, bool in_full) {
    enum { NAME_WIDTH = 17, SUMMARY_COLUMN = NAME_WIDTH + 3 };
    sepal_method method = {.size = sizeof method};
    sink_printf(out, "%s:\n", topic->title);
    for (size_t i = 0; sepal_method_at(topic->kind, i, &method) == SEPAL_OK; i++) {
        if (!is_options(topic)) {
            sink_printf(out, "  %-*s ", NAME_WIDTH, method.name);
            sink_wrap(out, SUMMARY_COLUMN, method.summary);
        }
        if (topic->kind == SEPAL_SOLVER && in_full) put_learners_of(out, method.name);
        if (in_full || is_options(topic)) put_params(out, topic, i);
        if (topic->kind == SEPAL_LEARNER && in_full) put_solvers_of(out, i);
    }
}

/* Whether the words of the command name the topic; without any all are wanted. */
static bool is_wanted(const struct session *s, const struct topic *topic) {
    for (size_t i = 0; i < s->options.n_arguments; i++) {
        if (same_name(topic->name, s->options.arguments[i])) return true;
    }
    return s->options.n_arguments == 0;
}

static void list_put_text(const struct session *s, struct sink *out) {
    const char *between = "";
    bool in_short = s->options.n_arguments == 0;
    for (const struct topic *topic = topics; topic < topics + TOPICS; topic++) {
        /* In short, the options are left to those who ask for them. */
        if (!is_wanted(s, topic) || (in_short && is_options(topic))) continue;
        sink_puts(out, between);
        put_topic(out, topic, !in_short);
        between = "\n";
    }
    if (in_short)
        sink_puts(out,
                  "\n`sepal list learners` (or maps, options, ...) shows the parameters, too.\n");
}

/* ---- For programs -------------------------------------------------------------------------- */

static void put_field(struct sink *out, const char *key, const char *value) {
    sink_json(out, key);
    sink_puts(out, ":");
    sink_json(out, value);
}

static void put_json_params(struct sink *out, const struct topic *topic, size_t method) {
    sepal_param param = {.size = sizeof param};
    for (size_t i = 0; sepal_param_at(topic->kind, method, i, &param) == SEPAL_OK; i++) {
        sink_puts(out, i > 0 ? ",{" : "{");
        put_field(out, "name", param.name);
        sink_puts(out, ",");
        put_field(out, "default", param.fallback);
        sink_puts(out, ",");
        put_field(out, "range", param.range);
        sink_puts(out, ",");
        put_field(out, "help", param.help);
        sink_puts(out, "}");
    }
}

static void put_json_learners(struct sink *out, const char *solver) {
    sepal_method learner = {.size = sizeof learner};
    const char *between = "";
    sink_puts(out, "\"learners\":[");
    for (size_t i = 0; sepal_method_at(SEPAL_LEARNER, i, &learner) == SEPAL_OK; i++) {
        if (!sepal_learner_has_solver(i, solver)) continue;
        sink_puts(out, between);
        sink_json(out, learner.name);
        between = ",";
    }
    sink_puts(out, "],");
}

static void put_json_topic(struct sink *out, const struct topic *topic) {
    sepal_method method = {.size = sizeof method};
    for (size_t i = 0; sepal_method_at(topic->kind, i, &method) == SEPAL_OK; i++) {
        sink_puts(out, i > 0 ? ",{" : "{");
        put_field(out, "name", method.name);
        sink_puts(out, ",");
        put_field(out, "summary", method.summary);
        sink_puts(out, ",");
        if (topic->kind == SEPAL_LEARNER) {
            put_field(out, "activation", method.activation);
            sink_puts(out, ",");
        }
        if (topic->kind == SEPAL_SOLVER) put_json_learners(out, method.name);
        sink_puts(out, "\"parameters\":[");
        put_json_params(out, topic, i);
        sink_puts(out, "]}");
    }
}

static void list_put_json(const struct session *s, struct sink *out) {
    sink_json_begin(out, "list");
    for (const struct topic *topic = topics; topic < topics + TOPICS; topic++) {
        if (!is_wanted(s, topic)) continue;
        sink_printf(out, ",\"%s\":[", topic->key);
        if (is_options(topic))
            put_json_params(out, topic, 0);
        else
            put_json_topic(out, topic);
        sink_puts(out, "]");
    }
    sink_json_end(out, s->ctx);
}

static int check_topic(struct session *s, const char *wanted) {
    const char *names[TOPICS];
    for (size_t i = 0; i < TOPICS; i++) {
        names[i] = topics[i].name;
        if (same_name(wanted, names[i])) return EXIT_DONE;
    }
    const char *near = nearest(wanted, names, TOPICS);
    return complain(s, EXIT_USAGE, NULL,
                    "there is no list of '%s'%s%s%s; type: sepal list "
                    "learners|maps|strategies|solvers|formats|metrics|plots|options",
                    wanted, near != NULL ? " (did you mean '" : "", near != NULL ? near : "",
                    near != NULL ? "'?)" : "");
}

static int list_run(struct session *s) {
    int code = EXIT_DONE;
    for (size_t i = 0; i < s->options.n_arguments && code == EXIT_DONE; i++)
        code = check_topic(s, s->options.arguments[i]);
    if (code != EXIT_DONE) return code;
    struct result out;
    code = result_open(&out, s, "-");
    if (s->json)
        list_put_json(s, &out.sink);
    else
        list_put_text(s, &out.sink);
    return code == EXIT_DONE ? result_commit(&out, s) : code;
}

const struct command cmd_list = {
    .name = "list",
    .summary = "show learners, maps, strategies, solvers, formats, metrics, plots and options",
    .description =
        "Name what this build knows, in short, or some of its tables with all parameters and "
        "options.",
    .run = list_run,
    .usage = "[learners|maps|strategies|solvers|formats|metrics|plots|options ...] [OPTION ...]",
    .fewest = 0,
    .most = TOPICS,
    .examples = {"sepal list", "sepal list learners"},
};
