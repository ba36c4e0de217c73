/* The command line of Sepal: the table of commands, and the session around the one that runs. Each
   command is a file of its own; to add one, write it and put its row here. */
#include "cli.h"

#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <string.h>
#include <unistd.h>

const struct command *const command_table[] = {
    &cmd_train,   &cmd_predict, &cmd_evaluate, &cmd_describe, &cmd_inspect,
    &cmd_convert, &cmd_list,    &cmd_help,     NULL,
};

const struct command *command_find(const char *name) {
    for (const struct command *const *row = command_table; *row != NULL; row++) {
        if (same_name((*row)->name, name)) return *row;
    }
    return NULL;
}

/* A closed standard file would be reopened as the next file we open, and then written to. Each gets
   a stand-in that fails just as a closed one does. */
static bool hold_standard_files(void) {
    static const int wrong_way[] = {O_WRONLY, O_RDONLY, O_RDWR};
    for (int fd = 0; fd < 3; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", wrong_way[fd]) != fd) return false;
    }
    return true;
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
    if (sepal_ctx_new(&s->ctx) != SEPAL_OK)
        return complain(s, EXIT_OUTPUT, NULL, "not enough memory");
    sepal_ctx_set_threads(s->ctx, (unsigned)threads);
    progress_begin(s);
    say_more(s, "kernels %s, BLAS %s, threads %u", sepal_kernels(s->ctx), sepal_blas(s->ctx),
             sepal_ctx_threads(s->ctx));
    code = s->command->run(s);
    progress_erase(s);
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
    if (sepal_ctx_new(&s->ctx) != SEPAL_OK)
        return complain(s, EXIT_OUTPUT, NULL, "not enough memory");
    struct result out;
    int code = result_open(&out, s, "-");
    sink_printf(&out.sink, "sepal %s (kernels %s, BLAS %s)\n", sepal_version(),
                sepal_kernels(s->ctx), sepal_blas(s->ctx));
    if (code == EXIT_DONE) code = result_commit(&out, s);
    if (sepal_blas_is_slow(s->ctx))
        say(s, "warning: the reference BLAS is slow; Debian: apt install libopenblas0");
    sepal_ctx_free(s->ctx);
    return code;
}

int command_refuse(struct session *s, const char *word) {
    enum { MOST = 64 };
    const char *names[MOST];
    size_t n = 0;
    while (n < MOST && command_table[n] != NULL) {
        names[n] = command_table[n]->name;
        n++;
    }
    const char *near = nearest(word, names, n);
    if (near != NULL) {
        return complain(s, EXIT_USAGE, NULL,
                        "there is no command '%s'; did you mean '%s'? (`sepal help` lists them)",
                        word, near);
    }
    return complain(s, EXIT_USAGE, NULL, "there is no command '%s'; `sepal help` lists them", word);
}

/* Large blocks go back to the system as soon as they are free: while data is assembled, the text's
   chunks and the matrix made of them must not both stay. */
static void give_memory_back(void) {
#ifdef __GLIBC__
    enum { LARGE = 1 << 17 };
    mallopt(M_MMAP_THRESHOLD, LARGE);
    mallopt(M_TRIM_THRESHOLD, LARGE);
#endif
}

#ifdef __has_feature
#define HAS_FEATURE(feature) __has_feature(feature)
#else
#define HAS_FEATURE(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||                               \
    HAS_FEATURE(address_sanitizer) || HAS_FEATURE(thread_sanitizer)
enum { CHECKED_AT_EXIT = 1 };
#else
enum { CHECKED_AT_EXIT = 0 };
#endif

/* Everything is written and given back by now. What libraries do at exit is left out: OpenBLAS waits
   there for a thread of its own, for ever if that thread waits for memory. Only leak checkers need
   that step. */
static int leave(int code) {
    if (!CHECKED_AT_EXIT) _exit(code);
    return code;
}

static int run(int argc, char **argv) {
    struct session s = {.start = clock_now()};
    if (argc < 2) return help_print(&s, NULL);
    if (strcmp(argv[1], "--version") == 0) return print_version(&s);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) return help_print(&s, NULL);
    s.json = has_option(argc - 2, argv + 2, "--json", NULL);
    s.command = command_find(argv[1]);
    if (s.command == NULL) return command_refuse(&s, argv[1]);
    return run_command(&s, argc - 2, argv + 2);
}

int main(int argc, char **argv) {
    give_memory_back();
    if (!hold_standard_files()) return EXIT_INTERNAL;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a limit on file size is an error of the write, not the end */
    return leave(run(argc, argv));
}
