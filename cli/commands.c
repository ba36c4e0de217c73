/* The command line of Sepal: the table of commands, and the session around the one that runs. Each
   command is a file of its own; to add one, write it and put its row here. */
#include "cli.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

const struct command *const command_table[] = {
    &cmd_train,   &cmd_predict,   &cmd_evaluate,  &cmd_describe, &cmd_doctor,  &cmd_inspect,
    &cmd_explain, &cmd_separable, &cmd_cv,        &cmd_tune,     &cmd_compare, &cmd_curve,
    &cmd_plot,    &cmd_report,    &cmd_transform, &cmd_sample,   &cmd_split,   &cmd_convert,
    &cmd_list,    &cmd_help,      NULL,
};

const struct command *command_find(const char *name) {
    for (const struct command *const *row = command_table; *row != NULL; row++) {
        if (same_name((*row)->name, name)) return *row;
    }
    return NULL;
}

/* Whether a word stands among the options: it may decide before they can be understood. */
static bool has_option(int count, char **words, const char *name, const char *letter) {
    for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++) {
        if (strcmp(words[i], name) == 0) return true;
        if (letter != NULL && strcmp(words[i], letter) == 0) return true;
    }
    return false;
}

static int run_in_context(struct session *s) {
    uint64_t threads = 0;
    int code = option_count(s, "threads", 4096, &threads);
    if (code != EXIT_DONE) return code;
    if (sepal_ctx_new(&s->ctx) != SEPAL_OK) return complain_memory(s);
    sepal_ctx_set_option_prefix(s->ctx, "--");
    sepal_ctx_set_threads(s->ctx, (unsigned)threads);
    progress_begin(s);
    say_more(s, "kernels %s, BLAS %s, threads %u", sepal_ctx_kernels(s->ctx),
             sepal_ctx_blas(s->ctx), sepal_ctx_threads(s->ctx));
    code = s->command->run(s);
    progress_erase(s);
    if (code == EXIT_DONE && interrupt_count() > 0) {
        say(s, "interrupted, but all was done");
        code = EXIT_INTERRUPTED;
    }
    say_more(s, "exit %d after %.3f s", code, clock_now() - s->start);
    sepal_ctx_free(s->ctx);
    return code;
}

static int run_command(struct session *s, int count, char **words) {
    if (has_option(count, words, "--help", "-h")) return help_print(s, s->command);
    int code = options_parse(s, count, words);
    s->quiet = option_value(s, "quiet") != NULL;
    s->verbose = option_value(s, "verbose") != NULL;
    if (code == EXIT_DONE && option_value(s, "help") != NULL)
        code = help_print(s, s->command);
    else if (code == EXIT_DONE)
        code = run_in_context(s);
    options_clear(&s->options);
    return code;
}

static int print_version(struct session *s) {
    if (sepal_ctx_new(&s->ctx) != SEPAL_OK) return complain_memory(s);
    sepal_ctx_set_option_prefix(s->ctx, "--");
    struct result out;
    int code = result_open(&out, s, "-");
    sink_printf(&out.sink, "sepal %s (kernels %s, BLAS %s)\n", sepal_version(),
                sepal_ctx_kernels(s->ctx), sepal_ctx_blas(s->ctx));
    if (code == EXIT_DONE) code = result_commit(&out, s);
    if (sepal_ctx_blas_is_slow(s->ctx))
        say(s, "warning: the reference BLAS is slow; Debian: apt install libopenblas0");
    sepal_ctx_free(s->ctx);
    return code;
}

/* Is `stage`, as NAME or NAME(...), of that name? */
static bool stage_is(const char *stage, const char *name) {
    char bare[64];
    snprintf(bare, sizeof bare, "%.*s", (int)strcspn(stage, "("), stage);
    return same_name(bare, name);
}

struct method_words method_named(const char *word) {
    static const struct {
        sepal_kind kind;
        struct method_words words;
    } kinds[] = {{SEPAL_LEARNER, {"", NULL, "", "learners"}},
                 {SEPAL_MAP, {"", NULL, " | LEARNER", "maps"}},
                 {SEPAL_STRATEGY, {"LEARNER | ", NULL, "", "strategies"}}};
    const char *here = sepal_method_synonym(word);
    if (here == NULL) here = word;
    sepal_method method = {.size = sizeof method};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (size_t i = 0; sepal_method_at(kinds[k].kind, i, &method) == SEPAL_OK; i++) {
            struct method_words found = kinds[k].words;
            found.name = here;
            if (stage_is(here, method.name)) return found;
        }
    }
    return (struct method_words){0};
}

/* What other programs call our commands. */
static const char *command_synonym(const char *word) {
    static const struct {
        const char *word, *here;
    } table[] = {{"fit", "train"},     {"learn", "train"},          {"classify", "predict"},
                 {"test", "evaluate"}, {"score", "evaluate"},       {"eval", "evaluate"},
                 {"info", "describe"}, {"diagnose", "doctor"},      {"lint", "doctor"},
                 {"show", "inspect"},  {"summary", "describe"},     {"coefficients", "inspect"},
                 {"shap", "explain"},  {"contributions", "explain"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (same_name(table[i].word, word)) return table[i].here;
    return NULL;
}

/* A command was forgotten: what stands there is a file, or a method. */
static int refuse_forgotten(struct session *s, const char *word) {
    static const char end[] = ".sepal";
    size_t length = strlen(word);
    bool model = length >= sizeof end && strcmp(word + length - strlen(end), end) == 0;
    struct method_words method = method_named(word);
    if (model && access(word, F_OK) == 0)
        return complain(s, EXIT_USAGE, NULL,
                        "'%s' is a file, and a command comes first; type: sepal inspect %s, or "
                        "sepal predict %s DATA (`sepal help` lists the commands)",
                        word, word, word);
    if (access(word, F_OK) == 0)
        return complain(s, EXIT_USAGE, NULL,
                        "'%s' is a file, and a command comes first; type: sepal describe %s, or "
                        "sepal train %s -m logistic (`sepal help` lists the commands)",
                        word, word, word);
    if (method.name != NULL)
        return complain(s, EXIT_USAGE, NULL,
                        "'%s' is a method, no command; type: sepal train DATA -m \"%s%s%s\" "
                        "(`sepal list %s` explains it)",
                        word, method.before, method.name, method.after, method.list);
    return complain(s, EXIT_USAGE, NULL, "there is no command '%s'; `sepal help` lists them", word);
}

int command_refuse(struct session *s, const char *word) {
    enum { MOST = 64 };
    const char *names[MOST], *near = command_synonym(word);
    size_t n = 0;
    while (n < MOST && command_table[n] != NULL) {
        names[n] = command_table[n]->name;
        n++;
    }
    bool known = method_named(word).name != NULL || access(word, F_OK) == 0;
    if (near == NULL && !known) near = nearest(word, names, n);
    if (near == NULL) return refuse_forgotten(s, word);
    return complain(s, EXIT_USAGE, NULL,
                    "there is no command '%s'; did you mean '%s'? (`sepal help` lists them)", word,
                    near);
}

static bool asks_version(const char *word) {
    return strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0 ||
           strcmp(word, "version") == 0;
}

int cli_run(int argc, char **argv) {
    struct session s = {.start = clock_now(), .n_words = argc, .words = argv};
    interrupt_catch();
    if (argc < 2) return help_print(&s, NULL);
    if (asks_version(argv[1])) return print_version(&s);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) return help_print(&s, NULL);
    s.json = has_option(argc - 2, argv + 2, "--json", NULL);
    s.command = command_find(argv[1]);
    if (s.command == NULL) return command_refuse(&s, argv[1]);
    return run_command(&s, argc - 2, argv + 2);
}
