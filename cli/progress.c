/* The progress line, drawn over itself on a terminal only, and Ctrl-C: the first asks the fit to
   stop with its best model so far, the second leaves at once. */
#include "cli.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* A signal handler can reach nothing but a global. */
static volatile sig_atomic_t stop_asked;

static void on_interrupt(int signal_number) {
    (void)signal_number;
    if (stop_asked) _exit(EXIT_INTERRUPTED);
    stop_asked = 1;
}

void interrupt_catch(void) {
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &action, NULL);
}

bool interrupt_seen(void) {
    return stop_asked != 0;
}

double clock_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int terminal_width(void) {
    enum { USUAL_WIDTH = 80 };
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col
                                                                           : USUAL_WIDTH;
}

static int show(const char *line, void *payload) {
    struct session *s = payload;
    if (s->draws && *line != '\0') {
        fprintf(stderr, "\r%.*s\033[K", terminal_width() - 1, line);
        s->drawn = true;
    }
    return s->fitting && stop_asked;
}

void progress_begin(struct session *s) {
    const char *terminal = getenv("TERM");
    bool dumb = terminal == NULL || strcmp(terminal, "dumb") == 0;
    s->draws = !s->quiet && !dumb && isatty(STDERR_FILENO);
    sepal_ctx_set_progress(s->ctx, show, s);
}

void progress_erase(struct session *s) {
    if (s->drawn) fputs("\r\033[K", stderr);
    s->drawn = false;
}
