/* A page of HTML about a model and rows, and the command line that makes it again. */
#include "cli.h"

#include <string.h>

/* A word as a shell reads it back. */
static void put_word(struct sink *out, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./=,:@%+";
    bool bare = *word != '\0' && word[strspn(word, plain)] == '\0';
    if (!bare) sink_puts(out, "'");
    for (const char *c = word; *c != '\0'; c++) {
        if (*c == '\'')
            sink_puts(out, "'\\''");
        else
            sink_add(out, c, 1);
    }
    if (!bare) sink_puts(out, "'");
}

static void put_command(struct session *s, struct sink *out) {
    sink_puts(out, "sepal");
    for (int i = 1; i < s->n_words; i++) {
        sink_puts(out, " ");
        put_word(out, s->words[i]);
    }
}

/* What judges the rows: the options of deciding, then those of judging, with the curves of the pictures. */
static void put_options(struct session *s, struct sink *out) {
    const char *positive = s->command->judges ? NULL : option_value(s, "positive");
    bool judged = s->command->judges && options_given(&s->options, GROUP_EVALUATE);
    options_settings(&s->options, GROUP_PREDICT, out);
    if (out->used > 0 && judged) sink_puts(out, ", ");
    if (judged) options_settings(&s->options, GROUP_EVALUATE, out);
    if (positive != NULL) {
        if (out->used > 0) sink_puts(out, ", ");
        setting_put(out, "positive", positive);
    }
    if (s->command->judges && option_value(s, "curves") != NULL) return;
    sink_puts(out, out->used > 0 ? ", curves=true" : "curves=true");
}

static int make_page(struct session *s, const struct page *page, const char *judging,
                     const char *deciding, const char *command, struct sink *out) {
    sepal_report *judgement = NULL;
    char *text = NULL;
    sepal_status status =
        sepal_model_evaluate(&judgement, s->ctx, page->model, page->data, judging);
    if (status == SEPAL_OK)
        status = sepal_page(&text, s->ctx, page->model, page->data, judgement, page->fit, deciding,
                            command);
    if (status == SEPAL_OK) sink_puts(out, text);
    sepal_report_free(judgement);
    sepal_text_free(text);
    return status == SEPAL_OK ? EXIT_DONE : complain_status(s, status);
}

int page_put(struct session *s, const struct page *page, struct sink *out) {
    struct sink judging = sink_open(-1), deciding = sink_open(-1), command = sink_open(-1);
    put_options(s, &judging);
    options_settings(&s->options, GROUP_PREDICT, &deciding);
    put_command(s, &command);
    sink_inherit(&judging, &deciding);
    sink_inherit(&judging, &command);
    sink_text(&deciding);
    sink_text(&command);
    int code = sink_check(s, &judging);
    if (code == EXIT_DONE)
        code =
            make_page(s, page, sink_text(&judging), sink_text(&deciding), sink_text(&command), out);
    sink_close(&judging);
    sink_close(&deciding);
    sink_close(&command);
    return code;
}
