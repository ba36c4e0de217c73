/* A part of a task that is a whole by itself, as a fit among many is: its warnings are put aside, to be told
   together, its steps are not traced, and what it is called stands before its lines of progress. Parts that run
   side by side have a context each; one that has the threads to itself runs in the caller's. */
#ifndef SEPAL_CORE_PART_H
#define SEPAL_CORE_PART_H

#include "core/context.h"

enum { PART_NAME_BYTES = 64 };

struct part {
    sepal_ctx own;      /* unless it has the threads to itself */
    sepal_ctx *ctx;     /* what it is to run in */
    sepal_ctx *outside; /* where it comes from */
    char name[PART_NAME_BYTES];
    sepal_progress_fn progress; /* the caller's, for the name to be put before its lines */
    void *progress_payload;
    sepal_trace_fn trace;
    size_t warnings; /* how many there were before it */
};

/* `alone`: with the threads of the context to itself. To be ended; `part` must stay where it is till then. */
void part_begin(struct part *part, sepal_ctx *outside, bool alone, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* What parts have warned of, each kind once: its first message, and how many parts it came from. */
struct part_warnings {
    size_t n;
    struct part_warning {
        sepal_warning first; /* its message is owned */
        size_t parts, last;  /* the part it was last seen in, from 1 */
    } kinds[16];
};
/* An error goes to the context outside, warnings to `out`; part is its number from 1. NULL: they are dropped. */
void part_end(struct part *part, struct part_warnings *out, size_t number);
/* Those of `from`, which is emptied, after those of `to`. */
void part_warnings_add(struct part_warnings *to, struct part_warnings *from);
/* Tell them as warnings of ctx, "in 3 of the 10 fits: ...", and forget them. */
void part_warnings_tell(struct part_warnings *all, sepal_ctx *ctx, size_t parts, const char *what);
void part_warnings_clear(struct part_warnings *all);

#endif
