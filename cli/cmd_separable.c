/* sepal separable: whether the classes are linearly separable, with a proof that can be kept in a file
   and checked later. */
#include "cli.h"

#include <limits.h>
#include <string.h>

static const struct option separable_options[] = {
    {.name = "maps",
     .letter = 'm',
     .placeholder = "MAPS",
     .help = "apply these maps first: a spec without a learner, as `poly(degree=2)`"},
    {.name = "certificate",
     .placeholder = "FILE",
     .file = FILE_WRITTEN,
     .help = "write the proof here, as JSON"},
    {.name = "check",
     .placeholder = "FILE",
     .file = FILE_READ,
     .help = "verify the proof in this file, and do nothing else; exit 3 when it does not hold"},
    {.name = "max-seconds",
     .placeholder = "N",
     .range = "(0, inf)",
     .help = "stop after this time with what is known"},
    {0},
};

struct separable_command {
    sepal_data *data;
    sepal_report *report;
    char *certificate;
    struct result file;
    bool opened;
};

static int separable_check_options(struct session *s) {
    const char *path = option_value(s, "certificate"), *check = option_value(s, "check");
    if (check != NULL && path != NULL)
        return complain(s, EXIT_USAGE, NULL,
                        "--check judges a certificate and --certificate writes one; give one of "
                        "them");
    if (check != NULL && strcmp(check, "-") == 0 && strcmp(s->options.arguments[0], "-") == 0)
        return complain(s, EXIT_USAGE, NULL, "only one of DATA and --check can be standard input");
    if (path == NULL) return EXIT_DONE;
    if (strcmp(path, "-") == 0)
        return complain(s, EXIT_USAGE, NULL,
                        "--certificate must be a file: standard output is for the report");
    int code = files_check(s);
    return code == EXIT_DONE ? result_probe(s, path) : code;
}

/* ---- --check ------------------------------------------------------------------------------- */

static int print_holds(struct session *s) {
    struct result out;
    int code = result_open(&out, s, "-");
    if (s->json) {
        sink_json_begin(&out.sink, s->command->name);
        sink_puts(&out.sink, ",\"holds\":true");
        sink_json_end(&out.sink, s->ctx);
    } else if (!s->quiet) {
        sink_puts(&out.sink, "the certificate holds\n");
    }
    return code == EXIT_DONE ? result_commit(&out, s) : code;
}

static int separable_check(struct session *s, struct separable_command *a) {
    sepal_status status = sepal_data_separable_check(s->ctx, a->data, option_value(s, "maps"),
                                                     option_value(s, "check"));
    if (status != SEPAL_OK) return complain_status(s, status);
    if (!s->json) warnings_print(s);
    return print_holds(s);
}

/* ---- the question -------------------------------------------------------------------------- */

static int separable_ask(struct session *s, struct separable_command *a) {
    struct sink options = sink_open(-1);
    const char *limit = option_value(s, "max-seconds");
    if (limit != NULL) setting_put(&options, "max-seconds", limit);
    int code = sink_check(s, &options);
    if (code == EXIT_DONE) {
        char **certificate = option_value(s, "certificate") != NULL ? &a->certificate : NULL;
        sepal_status status = sepal_data_separable(&a->report, certificate, s->ctx, a->data,
                                                   option_value(s, "maps"), sink_text(&options));
        if (status != SEPAL_OK) code = complain_status(s, status);
    }
    sink_close(&options);
    return code;
}

static int write_certificate(struct session *s, struct separable_command *a) {
    if (a->certificate == NULL) return EXIT_DONE;
    int code = result_open(&a->file, s, option_value(s, "certificate"));
    if (code != EXIT_DONE) return code;
    a->opened = true;
    a->file.sink.interrupts_allowed = INT_MAX;
    sink_puts(&a->file.sink, a->certificate);
    sink_flush(&a->file.sink);
    if (a->file.sink.error == 0) return EXIT_DONE;
    return complain(s, EXIT_OUTPUT, a->file.path, "cannot write the certificate: %s",
                    strerror(a->file.sink.error));
}

/* The file takes its name when the report is out. */
static int separable_report(struct session *s, struct separable_command *a) {
    s->fitted = true;
    int code = write_certificate(s, a);
    if (code == EXIT_DONE) code = step_report(s, a->report);
    if (code == EXIT_INTERRUPTED) code = EXIT_DONE;
    if (code == EXIT_DONE && a->opened) {
        a->opened = false;
        code = result_commit(&a->file, s);
    }
    if (code == EXIT_DONE && interrupt_count() > 0) {
        say(s, "interrupted; what was found by then is reported");
        code = EXIT_INTERRUPTED;
    }
    return code;
}

static int separable_run(struct session *s) {
    struct separable_command a = {0};
    int code = separable_check_options(s);
    if (code == EXIT_DONE) code = step_read(&a.data, s, s->options.arguments[0]);
    if (code == EXIT_DONE) code = interrupt_check(s, "reading");
    if (code == EXIT_DONE && option_value(s, "check") != NULL)
        code = separable_check(s, &a);
    else if (code == EXIT_DONE)
        code = separable_ask(s, &a);
    if (code == EXIT_DONE && a.report != NULL) code = separable_report(s, &a);
    if (a.opened) result_discard(&a.file);
    sepal_text_free(a.certificate);
    sepal_report_free(a.report);
    sepal_data_free(a.data);
    return code;
}

const struct command cmd_separable = {
    .name = "separable",
    .summary = "prove that classes are linearly separable, or that they are not",
    .description =
        "Decide whether a hyperplane has all rows of one class strictly on one side and those of "
        "the other on the other, with a proof: the hyperplane, or rows and positive multipliers "
        "whose sum is exactly 0, which leaves no room for one. The margin, half the distance "
        "between the convex hulls, is given as two bounds that hold in spite of rounding. With "
        "more than two classes the question is answered for every pair, for every class against "
        "the rest, and for a linear machine.\n"
        "--certificate writes the proof to a file, and --check verifies such a file by code apart "
        "from that which found it. Ctrl-C and --max-seconds end the search; what is not decided "
        "by then is null.",
    .run = separable_run,
    .usage = "DATA [-m MAPS] [--certificate FILE | --check FILE] [OPTION ...]",
    .fewest = 1,
    .most = 1,
    .reads = true,
    .options = separable_options,
    .examples = {"sepal separable examples/data/iris.csv",
                 "sepal separable examples/data/wine.csv --certificate wine.json"},
};
