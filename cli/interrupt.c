/* Signals. Ctrl-C: the first asks what runs to stop: a fit with its best model so far, all else with nothing.
   The second leaves at once and takes the temporary files along. Where one of them is known to the
   library alone, the second waits for the end of that step, and only a third does not. */
#include "cli.h"

#include <errno.h>
#ifdef SEPAL_COVERAGE
#include <gcov.h>
#endif
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

enum { MOST_FILES = 4 };

/* A signal handler can reach nothing but globals, and may run in any thread. */
static atomic_int count;
static atomic_bool held;
static _Atomic(const char *) files[MOST_FILES];

static _Noreturn void leave_now(int code) {
    for (size_t i = 0; i < MOST_FILES; i++) {
        const char *file = atomic_load(&files[i]);
        if (file != NULL) unlink(file);
    }
#ifdef SEPAL_COVERAGE
    __gcov_dump();
#endif
    _exit(code);
}

static void on_interrupt(int signal_number) {
    (void)signal_number;
    int seen = atomic_fetch_add(&count, 1) + 1, error = errno;
    if (seen > 2 || (seen == 2 && !atomic_load(&held))) leave_now(EXIT_INTERRUPTED);
    errno = error;
}

/* Large arrays are used where they are in their file: bytes that another program has cut off in the
   meantime cannot be had any more. */
static void on_lost_bytes(int signal_number) {
    static const char words[] =
        "sepal: the data file was cut short while it was in use; run it again "
        "when nothing writes to it\n";
    (void)signal_number;
    if (write(STDERR_FILENO, words, sizeof words - 1) < 0) leave_now(EXIT_OUTPUT);
    leave_now(EXIT_DATA);
}

void interrupt_catch(void) {
    /* No SA_RESTART: a call that waits has to return. Caught even where a shell that starts commands
       in the background has them ignore it, so that `kill -INT` stops those, too. */
    struct sigaction action = {.sa_handler = on_interrupt};
    sigaction(SIGINT, &action, NULL);
    action.sa_handler = on_lost_bytes;
    sigaction(SIGBUS, &action, NULL);
}

int interrupt_count(void) {
    return atomic_load(&count);
}

bool interrupt_hold(bool hold) {
    bool before = atomic_exchange(&held, hold);
    if (!hold && interrupt_count() > 1) leave_now(EXIT_INTERRUPTED);
    return before;
}

void interrupt_remove(const char *file) {
    for (size_t i = 0; i < MOST_FILES; i++) {
        const char *none = NULL;
        if (atomic_compare_exchange_strong(&files[i], &none, file)) return;
    }
}

void interrupt_keep(const char *file) {
    for (size_t i = 0; i < MOST_FILES; i++) {
        const char *expected = file;
        atomic_compare_exchange_strong(&files[i], &expected, NULL);
    }
}

int interrupt_check(struct session *s, const char *doing) {
    if (interrupt_count() == 0) return EXIT_DONE;
    return complain(s, EXIT_INTERRUPTED, NULL, "interrupted while %s", doing);
}
