/* The context: what every call that can fail carries. It holds the last error, the warnings, the
   caller's settings and callbacks, the thread pool and the kernel tables, so that the library
   needs no global state at all. */
#ifndef SEPAL_CORE_CONTEXT_H
#define SEPAL_CORE_CONTEXT_H

#include "sepal/sepal.h"

#include <stdatomic.h>
#include <stdbool.h>

enum { ERROR_MESSAGE_BYTES = 2048, ERROR_FILE_BYTES = 1024, BLAS_NAME_BYTES = 64 };

/* A fixed buffer, so that reporting "no memory" needs no memory. */
struct error {
    sepal_status status;
    size_t line, column;
    char file[ERROR_FILE_BYTES];
    char message[ERROR_MESSAGE_BYTES];
    char whole[ERROR_FILE_BYTES + ERROR_MESSAGE_BYTES + 64]; /* the place, then the message */
};

/* Test switch: let the k-th call of a kind fail. 0 = never. Counted on the root context. */
enum fault_manner {
    FAULT_INSTEAD, /* the call is not made (but a close closes) */
    FAULT_AFTER,   /* fsync and close are made, then fail; other calls do not */
    FAULT_SHORT    /* read and write move one byte at most; other calls are as ever */
};
struct fault {
    atomic_size_t calls;
    size_t fail_at;           /* 1-based number of the first call to fail */
    bool from_then_on;        /* with EINTR: every other call, as nothing interrupts for ever */
    int error;                /* errno of a failing system call; 0: EIO */
    enum fault_manner manner; /* of system calls */
};
enum fault_kind { FAULT_ALLOC, FAULT_IO, FAULT_KINDS };

struct pool;
struct kernels;
struct blas;

struct sepal_ctx {
    struct sepal_ctx *root; /* itself, or the context whose parallel task this one serves */
    struct error error;
    struct fault faults[FAULT_KINDS];

    sepal_warning *warnings; /* code is static, message is owned */
    size_t n_warnings;
    bool keeps_warnings; /* not the root, but a part whose warnings are its own: core/part.h */

    uint64_t seed;
    unsigned threads;
    const char *option_prefix; /* NULL: "option " */
    sepal_progress_fn progress;
    void *progress_payload;
    sepal_trace_fn trace;
    void *trace_payload;
    atomic_bool cancelled; /* the progress callback asked to stop; workers look here */
    uint64_t last_progress_ns;
    struct {
        long faults; /* page faults when it was last asked for */
        double bytes;
    } peak; /* of the memory of this process */

    struct pool *pool;
    const struct kernels *kernels;
    const struct blas *blas;
    char blas_name[BLAS_NAME_BYTES];
};

/* In messages before the name of an option: fail() and warn() put the caller's prefix there. */
#define OPTION "\1"

/* Record the error and return its status: `return fail(ctx, SEPAL_EDATA, "...", ...)`. The only
   writers of messages. One line, lower case, the value, what to do next. A lower layer's error
   is passed on as it is, never overwritten. */
sepal_status fail(sepal_ctx *ctx, sepal_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
sepal_status fail_at(sepal_ctx *ctx, sepal_status status, const char *file, size_t line,
                     size_t column, const char *format, ...) __attribute__((format(printf, 6, 7)));
/* Add a place to the error just recorded (by a parser that knew the text but not the file). */
void fail_place(sepal_ctx *ctx, const char *file, size_t line, size_t column);

/* Take the last error back: it was no failure of the whole. */
void forgive(sepal_ctx *ctx);

/* A warning never fails: short of memory it is dropped. From a
   parallel task only in a part of it, core/part.h. */
void warn(sepal_ctx *ctx, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Take back all warnings but the first n: they were of a part that the user has not asked about. */
void unwarn(sepal_ctx *ctx, size_t n);

/* True when this call is the one that the test switch lets fail. */
bool fault_hits(sepal_ctx *ctx, enum fault_kind kind);

/* Tell the user how far it is; at most some ten lines a second reach the callback. True: stop. */
bool progress(sepal_ctx *ctx, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The callback's wish without a line. */
bool cancelled(sepal_ctx *ctx);
/* The same for work that has nothing to show before it is done: SEPAL_ECANCEL. */
sepal_status check_cancelled(sepal_ctx *ctx, const char *doing);

/* `return` the status of an expression unless it is SEPAL_OK. */
#define TRY(expression)                                                                            \
    do {                                                                                           \
        sepal_status try_status_ = (expression);                                                   \
        if (try_status_ != SEPAL_OK) return try_status_;                                           \
    } while (0)

#endif
