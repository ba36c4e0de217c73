/* sepal plot: a picture of a model, of data, or of a report. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

/* Bits of sepal_method.needs. */
enum { NEEDS_MODEL = 1, NEEDS_DATA = 2, NEEDS_JUDGEMENT = 4, NEEDS_REPORT = 8 };

static const struct option plot_options[] = {
    {.name = "output",
     .letter = 'o',
     .placeholder = "FILE",
     .file = FILE_WRITTEN,
     .help = "write the picture here, as what the extension says (svg, png, pdf); - is standard "
             "output and needs --to"},
    {.name = "term", .help = "print it on standard output, in characters"},
    {.name = "seed",
     .placeholder = "N",
     .fallback = "1",
     .help = "start of the random numbers that choose rows"},
    {0},
};

struct picture {
    sepal_method kind;
    const char *to, *path; /* the format, and where to */
    sepal_model *model;
    sepal_data *data;
    sepal_report *report;
    void *bytes;
    size_t n;
};

/* ---- What is asked for --------------------------------------------------------------------- */

static int refuse_plot(struct session *s, const char *word) {
    enum { MOST = 64 };
    const char *names[MOST];
    struct sink list = sink_open(-1);
    sepal_method kind = {.size = sizeof kind};
    size_t n = 0;
    for (; n < MOST && sepal_method_at(SEPAL_PLOT, n, &kind) == SEPAL_OK; n++) {
        names[n] = kind.name;
        sink_printf(&list, "%s%s", n > 0 ? ", " : "", kind.name);
    }
    int code = sink_check(s, &list);
    const char *near = nearest(word, names, n);
    if (code == EXIT_DONE)
        code = complain(s, EXIT_USAGE, NULL, "there is no picture '%s'%s%s%s; there are %s", word,
                        near != NULL ? " (did you mean '" : "", near != NULL ? near : "",
                        near != NULL ? "'?)" : "", sink_text(&list));
    sink_close(&list);
    return code;
}

static int find_kind(struct session *s, struct picture *p) {
    p->kind.size = sizeof p->kind;
    for (size_t i = 0; sepal_method_at(SEPAL_PLOT, i, &p->kind) == SEPAL_OK; i++)
        if (same_name(p->kind.name, s->options.arguments[0])) return EXIT_DONE;
    return refuse_plot(s, s->options.arguments[0]);
}

/* What stands behind the kind. */
static const char *usage_of(const struct picture *p) {
    unsigned needs = (unsigned)p->kind.needs;
    if (needs == 0) return "";
    if (needs & NEEDS_JUDGEMENT) return " MODEL DATA";
    if ((needs & NEEDS_DATA) && (needs & NEEDS_REPORT)) return " DATA TRACE";
    if (needs & NEEDS_REPORT) return " REPORT";
    return needs & NEEDS_DATA ? needs & NEEDS_MODEL ? " MODEL DATA" : " DATA" : " MODEL";
}

static size_t words_in(const char *usage) {
    size_t n = 0;
    for (; *usage != '\0'; usage++) n += *usage == ' ';
    return n;
}

static int check_inputs(struct session *s, const struct picture *p) {
    size_t given = s->options.n_arguments - 1, wanted = words_in(usage_of(p));
    bool judged = (p->kind.needs & NEEDS_JUDGEMENT) != 0;
    bool rules = options_given(&s->options, GROUP_PREDICT);
    if ((rules || options_given(&s->options, GROUP_EVALUATE)) && !(judged && given == 2))
        return complain(s, EXIT_USAGE, NULL,
                        "%s judges no model here, so there is nothing to be %s otherwise; leave "
                        "the options of %s out",
                        p->kind.name, rules ? "decided" : "judged",
                        rules ? "decisions" : "evaluations");
    if (given == wanted || (judged && given == 1)) return EXIT_DONE;
    return complain(s, EXIT_USAGE, NULL, "%s is drawn of%s%s%s; type: sepal plot %s%s -o %s.svg",
                    p->kind.name, wanted > 0 ? "" : " nothing", usage_of(p),
                    judged ? " (or the report that `sepal evaluate ... --json` prints)" : "",
                    p->kind.name, usage_of(p), p->kind.name);
}

static const char *format_of(const char *path) {
    static const char *const formats[] = {"svg", "png", "pdf"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof formats / sizeof *formats; i++)
        if (strcmp(dot + 1, formats[i]) == 0) return formats[i];
    return NULL;
}

static int find_output(struct session *s, struct picture *p) {
    const char *kind = p->kind.name, *inputs = usage_of(p);
    p->path = option_value(s, "output");
    p->to = option_value(s, "to");
    if (option_value(s, "term") != NULL) {
        if (p->to != NULL && strcmp(p->to, "term") != 0)
            return complain(s, EXIT_USAGE, NULL, "--term and --to %s contradict each other", p->to);
        p->to = "term";
        if (p->path == NULL) p->path = "-";
    }
    if (p->path == NULL)
        return complain(s, EXIT_USAGE, NULL,
                        "plot needs a file to write; type: sepal plot %s%s -o %s.svg (or .png or "
                        ".pdf), or --term to see it here",
                        kind, inputs, kind);
    bool standard = strcmp(p->path, "-") == 0;
    if (p->to == NULL && standard)
        return complain(s, EXIT_USAGE, NULL,
                        "-o - needs the format; add --to svg, png, pdf or "
                        "term");
    if (p->to == NULL) p->to = format_of(p->path);
    if (p->to == NULL)
        return complain(s, EXIT_USAGE, NULL,
                        "the extension of '%s' is none of svg, png and pdf; give one of them, or "
                        "--to svg",
                        p->path);
    if (standard && s->json)
        return complain(s, EXIT_USAGE, NULL, "--json and a picture both want standard output");
    return EXIT_DONE;
}

/* ---- What it is drawn of ------------------------------------------------------------------- */

static int read_report(struct session *s, struct picture *p, const char *path) {
    sepal_status status = sepal_report_read(&p->report, s->ctx, path);
    return status == SEPAL_OK ? EXIT_DONE : complain_status(s, status);
}

/* Curves are what pictures of a judgement are made of. */
static void ask_curves(struct options *options) {
    for (size_t i = 0; i < options->n_rows; i++)
        if (options->rows[i].group == GROUP_EVALUATE &&
            strcmp(options->rows[i].name, "curves") == 0)
            options->rows[i].value = "true";
}

static int read_inputs(struct session *s, struct picture *p) {
    const char *const *words = s->options.arguments + 1;
    size_t n = s->options.n_arguments - 1;
    unsigned needs = (unsigned)p->kind.needs;
    bool judged = (needs & NEEDS_JUDGEMENT) != 0;
    if (judged && n == 1) return read_report(s, p, words[0]);
    if (judged) needs |= NEEDS_MODEL | NEEDS_DATA;
    int code = EXIT_DONE;
    if (judged) ask_curves(&s->options);
    if (needs & NEEDS_MODEL) code = step_load(&p->model, s, *words++);
    if (code == EXIT_DONE && judged) code = step_check_predict(s, p->model, NULL);
    if (code == EXIT_DONE && (needs & NEEDS_DATA))
        code = p->model != NULL ? step_read_for(&p->data, s, p->model, *words++, 1)
                                : step_read(&p->data, s, *words++);
    if (code == EXIT_DONE && judged) code = step_evaluate(&p->report, s, p->model, p->data);
    if (code == EXIT_DONE && (needs & NEEDS_REPORT)) code = read_report(s, p, *words);
    return code;
}

/* ---- The picture --------------------------------------------------------------------------- */

static int make_picture(struct session *s, struct picture *p) {
    struct sink options = sink_open(-1);
    options_settings(&s->options, GROUP_PLOT, &options);
    if (option_value(s, "to") == NULL) {
        if (options.used > 0) sink_puts(&options, ", ");
        setting_put(&options, "to", p->to);
    }
    int code = sink_check(s, &options);
    if (code == EXIT_DONE) {
        sepal_status status = sepal_plot(&p->bytes, &p->n, s->ctx, p->kind.name, p->model, p->data,
                                         p->report, sink_text(&options));
        if (status != SEPAL_OK) code = complain_status(s, status);
    }
    sink_close(&options);
    return code;
}

static int put_facts(struct session *s, const struct picture *p) {
    struct result out;
    int code = result_open(&out, s, "-");
    if (code != EXIT_DONE) return code;
    sink_json_begin(&out.sink, "plot");
    sink_puts(&out.sink, ",\"kind\":");
    sink_json(&out.sink, p->kind.name);
    sink_puts(&out.sink, ",\"output\":");
    sink_json(&out.sink, p->path);
    sink_puts(&out.sink, ",\"to\":");
    sink_json(&out.sink, p->to);
    sink_printf(&out.sink, ",\"bytes\":%zu", p->n);
    sink_json_end(&out.sink, s->ctx);
    return result_commit(&out, s);
}

static int put_picture(struct session *s, struct picture *p) {
    struct result out;
    int code = interrupt_check(s, "drawing");
    if (code == EXIT_DONE) code = result_open(&out, s, p->path);
    if (code != EXIT_DONE) return code;
    progress_erase(s);
    if (!s->json) warnings_print(s);
    sink_add(&out.sink, p->bytes, p->n);
    sink_flush(&out.sink);
    /* what cannot be told any more is not to be done either */
    if (s->json && out.sink.error == 0) code = put_facts(s, p);
    return result_end(&out, s, code);
}

static int plot_run(struct session *s) {
    struct picture p = {0};
    uint64_t seed = 1;
    int code = find_kind(s, &p);
    if (code == EXIT_DONE) code = check_inputs(s, &p);
    if (code == EXIT_DONE) code = find_output(s, &p);
    if (code == EXIT_DONE) code = files_check(s);
    if (code == EXIT_DONE && strcmp(p.path, "-") != 0) code = result_probe(s, p.path);
    if (code == EXIT_DONE) code = option_count(s, "seed", UINT64_MAX, &seed);
    sepal_ctx_set_seed(s->ctx, seed);
    if (code == EXIT_DONE) code = read_inputs(s, &p);
    if (code == EXIT_DONE) code = make_picture(s, &p);
    if (code == EXIT_DONE) code = put_picture(s, &p);
    sepal_bytes_free(p.bytes);
    sepal_report_free(p.report);
    sepal_data_free(p.data);
    sepal_model_free(p.model);
    return code;
}

const struct command cmd_plot = {
    .name = "plot",
    .summary = "draw a picture of a model, of data or of a report",
    .description =
        "Draw a picture of one of the kinds that `sepal list plots` names, to a file (svg, or by "
        "cairo png and pdf) or with --term in characters. What it is drawn of follows its kind: "
        "MODEL DATA for `regions`, MODEL for `coefficients`, nothing for `losses`. Where a model "
        "is judged, a report that `sepal evaluate ... --json` has printed will do, too; a path and "
        "a curve are drawn of the report of `sepal tune` or `sepal curve`, `trace` of "
        "the file that `sepal train --trace` writes, `convergence` of that or of what `sepal train "
        "--json` prints.\n"
        "The same command draws the same bytes, whatever --threads is.",
    .run = plot_run,
    .usage = "KIND [MODEL] [DATA] [REPORT] (-o FILE | --term) [OPTION ...]",
    .fewest = 1,
    .most = 3,
    .reads = true,
    .decides = true,
    .judges = true,
    .plots = true,
    .options = plot_options,
    .examples = {"sepal plot regions iris.sepal examples/data/iris.csv -o iris.svg",
                 "sepal plot confusion iris.sepal examples/data/iris.csv --term"},
};
