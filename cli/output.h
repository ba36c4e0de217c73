/* Output: byte sinks (standard output, files, memory), files that are replaced whole or not at all,
   the small JSON and CSV pieces that no library report covers, and error messages. */
#ifndef SEPAL_CLI_OUTPUT_H
#define SEPAL_CLI_OUTPUT_H

#include "sepal/sepal.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct session;

/* ---- Sinks --------------------------------------------------------------------------------- */

struct sink {
    int fd;    /* -1: memory */
    int error; /* errno of what failed first, ENOMEM short of memory; later bytes are dropped */
    int interrupts_allowed; /* Ctrl-C beyond this many ends the writing, with error EINTR */
    char *bytes;
    size_t used, room;
};

struct sink sink_open(int fd);
void sink_close(struct sink *out); /* gives the buffer back, not the file */
void sink_flush(struct sink *out);
/* Past the buffer, straight to the file. */
void sink_write(struct sink *out, const char *bytes, size_t n);
void sink_add(struct sink *out, const char *bytes, size_t n);
void sink_puts(struct sink *out, const char *text);
void sink_printf(struct sink *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sink_number(struct sink *out, double value);
/* The text so far, ending with a zero byte; only for memory, and to be checked before. */
const char *sink_text(struct sink *out);
/* EXIT_DONE, or the complaint that there was no memory for a part of it. */
int sink_check(struct session *s, struct sink *out);
/* What failed in a part fails in the whole. */
void sink_inherit(struct sink *out, const struct sink *part);
/* Words broken into lines that start `indent` blanks in; the first is taken to be there already. */
void sink_wrap(struct sink *out, size_t indent, const char *text);
/* A CSV cell, in quotes when it has one of the bytes in `special`. */
void sink_cell(struct sink *out, const char *text, const char *special);
/* A JSON string; NULL is null. */
void sink_json(struct sink *out, const char *text);
/* What every JSON object begins and ends with. */
void sink_json_begin(struct sink *out, const char *command);
void sink_json_end(struct sink *out, const sepal_ctx *ctx);

/* ---- Results ------------------------------------------------------------------------------- */

/* A file that appears under its name only when it is whole; "-" is standard output. */
struct result {
    struct sink sink;
    const char *path;
    char target[PATH_MAX];         /* "": written in place */
    char temporary[PATH_MAX + 64]; /* "": there is none, or no more */
    mode_t mode;                   /* of the file to be replaced; 0: there is none */
};

/* Whether such a file is written as it is, and not replaced: a device, a pipe. */
bool result_in_place(const char *path);
/* The file that is replaced or made through symbolic links. False with errno set when the end of the
   chain cannot be told. */
bool result_target(char target[PATH_MAX], const char *path);
int result_open(struct result *out, struct session *s, const char *path);
/* Whether result_open would do, leaving nothing behind. */
int result_probe(struct session *s, const char *path);
int result_commit(struct result *out, struct session *s);
void result_discard(struct result *out);
/* Commit if the code is EXIT_DONE, discard otherwise. */
int result_end(struct result *out, struct session *s, int code);

/* ---- Messages ------------------------------------------------------------------------------ */

/* These need no memory but the stack's. They return the exit code; `file` may be NULL. */
int complain(struct session *s, int code, const char *file, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int complain_status(struct session *s, sepal_status status);
int complain_memory(struct session *s);
void say(struct session *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Only with -v. */
void say_more(struct session *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void warnings_print(struct session *s);

#endif
