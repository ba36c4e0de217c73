/* The first -m: who has rows and no method yet gets the best of some usual learners, is told why, and what to
   type to have it again without the comparison. */
#include "cli.h"

#include <string.h>

static const char comparing[] = "folds=5";

static int first_method_ask(sepal_report **out, struct session *s, const sepal_data *data) {
    static const char *const none[] = {NULL};
    struct sink options = sink_open(-1);
    options_settings(&s->options, GROUP_FIT, &options);
    if (options.used > 0 && options_given(&s->options, GROUP_PREDICT)) sink_puts(&options, ", ");
    options_settings(&s->options, GROUP_PREDICT, &options);
    int code = sink_check(s, &options);
    if (code == EXIT_DONE) {
        sepal_status status = sepal_select(NULL, out, s->ctx, "compare", none, 0, data, comparing,
                                           sink_text(&options));
        if (status == SEPAL_EUSAGE)
            code = complain(s, EXIT_USAGE, NULL,
                            "%s; without -m usual learners are compared, each with these options: "
                            "name one with -m (`sepal list learners`)",
                            sepal_ctx_error_message(s->ctx));
        else if (status != SEPAL_OK)
            code = complain_status(s, status);
    }
    sink_close(&options);
    return code;
}

int first_method_check(struct session *s) {
    return first_method_ask(NULL, s, NULL);
}

static int put_choice(struct session *s, const sepal_report *choice, const char *spec) {
    char *text = NULL;
    progress_erase(s);
    if (s->quiet || s->json) return EXIT_DONE;
    sepal_status status = sepal_report_text(&text, s->ctx, choice);
    if (status != SEPAL_OK) return complain_status(s, status);
    struct result out;
    int code = result_open(&out, s, "-");
    bool compared = sepal_report_string(choice, "compare.models.1.spec") != NULL;
    if (compared) sink_puts(&out.sink, text);
    sink_printf(&out.sink,
                "chosen      %s: %s\n            -m \"%s\" goes without the comparison\n\n", spec,
                sepal_report_string(choice, "compare.why"), spec);
    if (code == EXIT_DONE) code = result_commit(&out, s);
    sepal_text_free(text);
    return code;
}

int first_method_choose(sepal_report **out, struct session *s, const sepal_data *data) {
    int code = first_method_ask(out, s, data);
    if (code != EXIT_DONE) return code;
    const char *spec = sepal_report_string(*out, "spec");
    for (size_t i = 0; i < s->options.n_rows; i++)
        if (strcmp(s->options.rows[i].name, "method") == 0) s->options.rows[i].value = spec;
    return put_choice(s, *out, spec);
}

int first_method_attach(struct session *s, sepal_report *report, const sepal_report *choice) {
    sepal_status status = sepal_report_attach(report, s->ctx, "choice", choice);
    return status == SEPAL_OK ? EXIT_DONE : complain_status(s, status);
}
