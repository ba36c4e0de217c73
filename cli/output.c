/* Sinks and results. A sink collects bytes and writes them in large pieces; a result is a sink on a
   temporary file beside the wanted one, which is renamed when everything is written and synced. */
#include "output.h"

#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FLUSH_BYTES = 1 << 17, LINE_WIDTH = 80 };

static _Noreturn void give_up(void) {
    fputs("sepal: not enough memory\n", stderr);
    exit(EXIT_OUTPUT);
}

void *must_alloc(void *old, size_t n, size_t size) {
    void *memory = reallocarray(old, n > 0 ? n : 1, size);
    if (memory == NULL) give_up();
    return memory;
}

char *must_format(const char *format, va_list arguments) {
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0) give_up();
    return text;
}

/* ---- Sinks --------------------------------------------------------------------------------- */

struct sink sink_open(int fd) {
    return (struct sink){.fd = fd, .patience = interrupt_count()};
}

void sink_close(struct sink *out) {
    free(out->bytes);
    *out = (struct sink){.fd = -1};
}

void sink_flush(struct sink *out) {
    for (size_t done = 0; done < out->used && out->error == 0;) {
        ssize_t n = write(out->fd, out->bytes + done, out->used - done);
        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            out->error = errno;
        if (interrupt_count() > out->patience) out->error = EINTR;
    }
    out->used = 0;
}

void sink_add(struct sink *out, const char *bytes, size_t n) {
    if (out->error != 0 || n == 0) return;
    if (out->room - out->used <= n) {
        out->room = 2 * out->room + n + 1;
        out->bytes = must_alloc(out->bytes, out->room, 1);
    }
    memcpy(out->bytes + out->used, bytes, n);
    out->used += n;
    if (out->fd >= 0 && out->used >= FLUSH_BYTES) sink_flush(out);
}

void sink_puts(struct sink *out, const char *text) {
    sink_add(out, text, strlen(text));
}

void sink_printf(struct sink *out, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = must_format(format, arguments);
    va_end(arguments);
    sink_puts(out, text);
    free(text);
}

void sink_number(struct sink *out, double value) {
    char digits[SEPAL_NUMBER_BYTES];
    sink_add(out, digits, sepal_number(digits, value));
}

const char *sink_text(struct sink *out) {
    sink_add(out, "", 1);
    out->used--;
    return out->bytes;
}

void sink_wrap(struct sink *out, size_t indent, const char *text) {
    size_t column = indent;
    while (*text != '\0') {
        size_t length = strcspn(text, " ");
        if (column > indent && column + 1 + length > LINE_WIDTH) {
            sink_printf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            sink_puts(out, " ");
            column++;
        }
        sink_add(out, text, length);
        column += length;
        text += length + strspn(text + length, " ");
    }
    sink_puts(out, "\n");
}

void sink_cell(struct sink *out, const char *text, const char *special) {
    if (strpbrk(text, special) == NULL) {
        sink_puts(out, text);
        return;
    }
    sink_puts(out, "\"");
    for (; *text != '\0'; text++) sink_add(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    sink_puts(out, "\"");
}

/* ---- Results ------------------------------------------------------------------------------- */

static int refuse(struct session *s, const char *path, const char *what) {
    if (errno == EINTR) return complain(s, EXIT_INTERRUPTED, path, "interrupted while writing it");
    return complain(s, EXIT_OUTPUT, path, "cannot %s it: %s", what, strerror(errno));
}

bool result_in_place(const char *path) {
    struct stat facts;
    return stat(path, &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode);
}

static int open_in_place(struct result *out, struct session *s) {
    int fd, patience = interrupt_count();
    do fd = open(out->path, O_WRONLY | O_CLOEXEC); /* waits for the reader of a named pipe */
    while (fd < 0 && errno == EINTR && interrupt_count() == patience);
    if (fd < 0) return refuse(s, out->path, "open");
    out->sink = sink_open(fd);
    return EXIT_DONE;
}

static int open_beside(struct result *out, struct session *s) {
    struct sink name = sink_open(-1);
    sink_printf(&name, "%s.XXXXXX", out->target);
    sink_text(&name);
    bool held = interrupt_hold(true);
    int fd = mkostemp(name.bytes, O_CLOEXEC);
    if (fd >= 0) interrupt_remove(name.bytes);
    interrupt_hold(held);
    if (fd < 0) {
        int code = refuse(s, out->path, "create a file beside");
        sink_close(&name);
        return code;
    }
    out->temporary = name.bytes;
    out->sink = sink_open(fd);
    return EXIT_DONE;
}

int result_open(struct result *out, struct session *s, const char *path) {
    *out = (struct result){.path = path, .sink = sink_open(-1)};
    if (strcmp(path, "-") == 0) {
        out->sink = sink_open(STDOUT_FILENO);
        return EXIT_DONE;
    }
    struct stat facts;
    bool exists = stat(path, &facts) == 0;
    if (exists && S_ISDIR(facts.st_mode))
        return complain(s, EXIT_OUTPUT, path, "it is a directory; name a file");
    if (result_in_place(path)) return open_in_place(out, s);
    if (exists) out->mode = facts.st_mode & 07777;
    /* Through a symbolic link the file it points to is replaced, not the link. */
    out->target = exists ? realpath(path, NULL) : strdup(path);
    if (out->target == NULL) return refuse(s, path, "find");
    int code = open_beside(out, s);
    if (code != EXIT_DONE) result_discard(out);
    return code;
}

void result_discard(struct result *out) {
    if (out->sink.fd > STDERR_FILENO) close(out->sink.fd);
    sink_close(&out->sink);
    if (out->temporary != NULL) {
        unlink(out->temporary);
        interrupt_keep(out->temporary);
    }
    free(out->temporary);
    free(out->target);
    out->temporary = out->target = NULL;
}

/* Devices and pipes are left alone: for their reader, opened and closed would be an end. */
int result_probe(struct session *s, const char *path) {
    struct result probe;
    if (result_in_place(path)) return EXIT_DONE;
    int code = result_open(&probe, s, path);
    if (code == EXIT_DONE) result_discard(&probe);
    return code;
}

/* mkostemp makes files that only their owner can read; give the mode that creat() would have. */
static mode_t wanted_mode(const struct result *out) {
    if (out->mode != 0) return out->mode;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static int close_standard(struct result *out, struct session *s) {
    int error = out->sink.error;
    sink_close(&out->sink);
    if (error == 0) return EXIT_DONE;
    /* EBADF: standard output was closed from the start. */
    if (error == EPIPE || error == EBADF) return EXIT_CLOSED;
    s->json = false;
    if (error == EINTR)
        return complain(s, EXIT_INTERRUPTED, NULL, "interrupted while writing to standard output");
    return complain(s, EXIT_OUTPUT, NULL, "cannot write to standard output: %s", strerror(error));
}

static const char *close_file(struct result *out) {
    int fd = out->sink.fd;
    errno = out->sink.error;
    const char *failed = errno != 0 ? "write" : NULL;
    if (failed == NULL && out->temporary != NULL) {
        if (fchmod(fd, wanted_mode(out)) != 0)
            failed = "set the mode of";
        else if (fsync(fd) != 0)
            failed = "sync";
    }
    if (failed != NULL) return failed;
    out->sink.fd = -1;
    return close(fd) != 0 ? "close" : NULL;
}

int result_commit(struct result *out, struct session *s) {
    sink_flush(&out->sink);
    if (out->sink.fd == STDOUT_FILENO) return close_standard(out, s);
    int code = EXIT_DONE;
    const char *failed = close_file(out);
    if (failed == NULL && out->temporary != NULL) {
        if (rename(out->temporary, out->target) != 0) {
            failed = "rename a file to";
        } else {
            interrupt_keep(out->temporary);
            free(out->temporary);
            out->temporary = NULL;
        }
    }
    if (failed != NULL) code = refuse(s, out->path, failed);
    result_discard(out);
    return code;
}
