/* The program: what a process sets up once, around the command that runs. */
#include "cli.h"

#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef SEPAL_COVERAGE
#include <gcov.h>
#endif
#include <signal.h>
#include <unistd.h>

/* A closed standard file would be reopened as the next file we open, and then written to. Each gets
   a stand-in that fails just as a closed one does. */
static bool hold_standard_files(void) {
    static const int wrong_way[] = {O_WRONLY, O_RDONLY, O_RDWR};
    for (int fd = 0; fd < 3; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", wrong_way[fd]) != fd) return false;
    }
    return true;
}

/* Large blocks go back to the system as soon as they are free: while data is assembled, the text's
   chunks and the matrix made of them must not both stay. Others are kept, up to a limit: to get a
   page from the system costs as much as a thousand multiplications, and a fit of a few milliseconds
   asks for thousands. */
static void give_memory_back(void) {
#ifdef __GLIBC__
    enum { LARGE = 1 << 22, KEPT = 1 << 24 };
    mallopt(M_MMAP_THRESHOLD, LARGE);
    mallopt(M_TRIM_THRESHOLD, KEPT);
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
static int main_leave(int code) {
#ifdef SEPAL_COVERAGE
    __gcov_dump();
#endif
    if (!CHECKED_AT_EXIT) _exit(code);
    return code;
}

int main(int argc, char **argv) {
    give_memory_back();
    if (!hold_standard_files()) return EXIT_INTERNAL;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a limit on file size is an error of the write, not the end */
    return main_leave(cli_run(argc, argv));
}
