/* The progress line, drawn over itself on a terminal only. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

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
    return interrupt_count() > 0;
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
