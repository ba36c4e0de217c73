/* sepal doctor: what in a data file may harm a fit; and the same before a fit. */
#include "cli.h"

#include <stdio.h>

static const struct option doctor_options[] = {
    {.name = "method",
     .letter = 'm',
     .placeholder = "SPEC",
     .help = "what is to be fitted; without it, anything"},
    {0},
};

static int doctor_run(struct session *s) {
    sepal_report *report = NULL;
    struct sink options = sink_open(-1);
    options_settings(&s->options, GROUP_READ, &options);
    int code = sink_check(s, &options);
    if (code == EXIT_DONE) {
        sepal_status status = sepal_file_doctor(&report, s->ctx, s->options.arguments[0],
                                                sink_text(&options), option_value(s, "method"));
        code = status == SEPAL_OK ? step_report(s, report) : complain_status(s, status);
    }
    sink_close(&options);
    sepal_report_free(report);
    return code;
}

/* ---- before a fit -------------------------------------------------------------------------- */

static const char *fact_of(const sepal_report *doctor, size_t i, const char *key) {
    char place[64];
    (void)snprintf(place, sizeof place, "doctor.%zu.%s", i, key);
    return sepal_report_string(doctor, place);
}

/* The most important come first, and more than a few are not read. */
static void say_findings(struct session *s, const sepal_report *doctor) {
    enum { SHOWN = 4 };
    size_t n = 0;
    while (fact_of(doctor, n, "message") != NULL) n++;
    size_t shown = s->verbose || n <= SHOWN ? n : SHOWN;
    for (size_t i = 0; i < shown; i++)
        say(s, "doctor: %s; %s", fact_of(doctor, i, "message"), fact_of(doctor, i, "advice"));
    if (n > shown) say(s, "doctor: and %zu more; -v says them all, --no-doctor none", n - shown);
}

int step_doctor(sepal_report **out, struct session *s, const sepal_data *data, const char *spec) {
    if (option_value(s, "no-doctor") != NULL) return EXIT_DONE;
    if (s->quiet && !s->json) return EXIT_DONE;
    double start = clock_now();
    sepal_status status = sepal_data_doctor(out, s->ctx, data, spec);
    if (status != SEPAL_OK) return complain_status(s, status);
    if (!s->json) say_findings(s, *out);
    say_more(s, "examined the rows, %.3f s", clock_now() - start);
    return EXIT_DONE;
}

int step_doctor_attach(struct session *s, sepal_report *report, sepal_report *doctor) {
    sepal_status status = SEPAL_OK;
    if (doctor != NULL) status = sepal_report_attach(report, s->ctx, "doctor", doctor);
    sepal_report_free(doctor);
    return status == SEPAL_OK ? EXIT_DONE : complain_status(s, status);
}

const struct command cmd_doctor = {
    .name = "doctor",
    .summary = "find what in a data file may harm a fit",
    .description =
        "Look for columns that are constant, copies or linear combinations of others, in very "
        "different units, numbers of the rows, or that alone tell the class; for rare classes, one "
        "class with nearly all rows, and missing values. Each finding names its columns and says "
        "what to type. `sepal train` does the same before a fit unless --no-doctor is given.\n"
        "What costs more than a pass over the rows is looked for in at most 2000 of them, always "
        "the same.",
    .run = doctor_run,
    .usage = "DATA [-m SPEC] [OPTION ...]",
    .fewest = 1,
    .most = 1,
    .reads = true,
    .options = doctor_options,
    .examples = {"sepal doctor examples/data/breast_cancer.csv",
                 "sepal doctor examples/data/wine.csv -m logistic --json"},
};
