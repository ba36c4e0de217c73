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

/* ---- Sinks --------------------------------------------------------------------------------- */

struct sink sink_open(int fd) {
    return (struct sink){.fd = fd, .interrupts_allowed = interrupt_count()};
}

void sink_close(struct sink *out) {
    free(out->bytes);
    *out = (struct sink){.fd = -1};
}

void sink_write(struct sink *out, const char *bytes, size_t n) {
    while (n > 0 && out->error == 0) {
        ssize_t written = write(out->fd, bytes, n);
        if (written > 0) {
            bytes += written;
            n -= (size_t)written;
        } else if (written == 0) {
            out->error = EIO; /* it would be 0 for ever */
        } else if (errno != EINTR) {
            out->error = errno;
        }
        if (interrupt_count() > out->interrupts_allowed) out->error = EINTR;
    }
}

void sink_flush(struct sink *out) {
    sink_write(out, out->bytes, out->used);
    out->used = 0;
}

static bool output_make_room(struct sink *out, size_t n) {
    if (out->room - out->used > n) return true;
    size_t room = 2 * out->room + n + 1;
    char *bytes = realloc(out->bytes, room);
    if (bytes == NULL) return false;
    out->bytes = bytes;
    out->room = room;
    return true;
}

/* A file needs no memory: without it the bytes go out in smaller pieces. */
void sink_add(struct sink *out, const char *bytes, size_t n) {
    if (out->error != 0 || n == 0) return;
    if (output_make_room(out, n)) {
        memcpy(out->bytes + out->used, bytes, n);
        out->used += n;
        if (out->fd >= 0 && out->used >= FLUSH_BYTES) sink_flush(out);
    } else if (out->fd >= 0) {
        sink_flush(out);
        sink_write(out, bytes, n);
    } else {
        out->error = ENOMEM;
    }
}

void sink_puts(struct sink *out, const char *text) {
    sink_add(out, text, strlen(text));
}

void sink_printf(struct sink *out, const char *format, ...) {
    char usual[512], *text = usual;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(usual, sizeof usual, format, arguments);
    va_end(arguments);
    if (length < 0) {
        if (out->error == 0) out->error = errno;
        return;
    }
    if (length >= (int)sizeof usual) {
        text = malloc((size_t)length + 1);
        va_start(arguments, format);
        if (text != NULL) vsnprintf(text, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    if (text != NULL)
        sink_add(out, text, (size_t)length);
    else if (out->error == 0)
        out->error = ENOMEM;
    if (text != usual) free(text);
}

void sink_number(struct sink *out, double value) {
    char digits[SEPAL_NUMBER_BYTES];
    sink_add(out, digits, sepal_number_print(digits, value));
}

const char *sink_text(struct sink *out) {
    sink_add(out, "", 1);
    if (out->error != 0) return "";
    out->used--;
    return out->bytes;
}

int sink_check(struct session *s, struct sink *out) {
    sink_text(out);
    return out->error != 0 ? complain_memory(s) : EXIT_DONE;
}

void sink_inherit(struct sink *out, const struct sink *part) {
    if (out->error == 0) out->error = part->error;
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

static const char *output_advice(int error) {
    switch (error) {
    case ENOSPC:
    case EDQUOT: return "; make room there, or name a file elsewhere";
    case EACCES:
    case EPERM:
    case EROFS: return "; name a file elsewhere";
    default: return "";
    }
}

static int output_refuse(struct session *s, const char *path, const char *what) {
    if (errno == ENOMEM) return complain_memory(s);
    if (errno == EINTR && interrupt_count() > 0)
        return complain(s, EXIT_INTERRUPTED, path, "interrupted while writing it");
    return complain(s, EXIT_OUTPUT, path, "cannot %s it: %s%s", what, strerror(errno),
                    output_advice(errno));
}

bool result_in_place(const char *path) {
    struct stat facts;
    return stat(path, &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode);
}

static int open_in_place(struct result *out, struct session *s) {
    int fd, interrupts_allowed = interrupt_count();
    do fd = open(out->path, O_WRONLY | O_CLOEXEC); /* waits for the reader of a named pipe */
    while (fd < 0 && errno == EINTR && interrupt_count() == interrupts_allowed);
    if (fd < 0) return output_refuse(s, out->path, "open");
    out->sink = sink_open(fd);
    return EXIT_DONE;
}

/* Bytes up to and with the last slash. */
static size_t output_folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

/* Through a symbolic link the file it points to is replaced or made, not the link. */
bool result_target(char target[PATH_MAX], const char *path) {
    enum { MOST_LINKS = 40 }; /* as in Linux */
    char link[PATH_MAX];
    int length = snprintf(target, PATH_MAX, "%s", path);
    for (int i = 0; length < PATH_MAX; i++) {
        ssize_t n = readlink(target, link, sizeof link - 1);
        if (n < 0) return errno == EINVAL || errno == ENOENT; /* no link */
        if (i == MOST_LINKS) {
            errno = ELOOP;
            return false;
        }
        link[n] = '\0';
        size_t folder = link[0] == '/' ? 0 : output_folder_length(target);
        length = (int)folder + snprintf(target + folder, PATH_MAX - folder, "%s", link);
    }
    errno = ENAMETOOLONG;
    return false;
}

/* Until it has the mode of the file it replaces, only its owner may open it. */
static int open_new(const char *path, bool replaces) {
    int fd;
    do fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, replaces ? 0600 : 0666);
    while (fd < 0 && errno == EINTR);
    return fd;
}

static int output_open_beside(struct result *out, struct session *s) {
    enum { TRIES = 100, SUFFIX_BYTES = 48 };
    size_t folder = output_folder_length(out->target);
    const char *base = out->target + folder;
    if (strlen(base) + SUFFIX_BYTES > NAME_MAX) base = "sepal";
    bool held = interrupt_hold(true);
    int fd = -1;
    for (int i = 0; i < TRIES && fd < 0; i++) {
        snprintf(out->temporary, sizeof out->temporary, "%.*s%s.%ld-%d.tmp", (int)folder,
                 out->target, base, (long)getpid(), i);
        fd = open_new(out->temporary, out->mode != 0);
        if (fd < 0 && errno != EEXIST) break;
    }
    int error = errno;
    if (fd >= 0)
        interrupt_remove(out->temporary);
    else
        out->temporary[0] = '\0';
    interrupt_hold(held);
    errno = error;
    if (fd < 0) return output_refuse(s, out->path, "create a file beside");
    out->sink = sink_open(fd);
    return EXIT_DONE;
}

/* A link such as /dev/fd/3 may name a file by what it was called before it was removed. */
static bool is_still(const char *target, const struct stat *old) {
    struct stat facts;
    if (stat(target, &facts) != 0) return false;
    errno = ENOENT;
    return facts.st_dev == old->st_dev && facts.st_ino == old->st_ino;
}

/* Find what to replace; out->target stays "" for a device or a pipe. */
static int locate(struct result *out, struct session *s, const char *path) {
    *out = (struct result){.path = path, .sink = sink_open(-1)};
    struct stat facts;
    bool exists = stat(path, &facts) == 0;
    if (!exists && errno != ENOENT) return output_refuse(s, path, "open");
    if (exists && S_ISDIR(facts.st_mode))
        return complain(s, EXIT_OUTPUT, path, "it is a directory; name a file");
    if (exists && !S_ISREG(facts.st_mode)) return EXIT_DONE;
    if (exists) out->mode = facts.st_mode & 07777;
    if (!result_target(out->target, path)) return output_refuse(s, path, "follow the link");
    if (exists && !is_still(out->target, &facts)) return output_refuse(s, path, "find");
    return EXIT_DONE;
}

int result_open(struct result *out, struct session *s, const char *path) {
    if (strcmp(path, "-") == 0) {
        *out = (struct result){.path = path, .sink = sink_open(STDOUT_FILENO)};
        return EXIT_DONE;
    }
    int code = locate(out, s, path);
    if (code != EXIT_DONE) return code;
    return out->target[0] != '\0' ? output_open_beside(out, s) : open_in_place(out, s);
}

static void forget_temporary(struct result *out) {
    interrupt_keep(out->temporary);
    out->temporary[0] = '\0';
}

void result_discard(struct result *out) {
    if (out->sink.fd > STDERR_FILENO) close(out->sink.fd);
    sink_close(&out->sink);
    if (out->temporary[0] != '\0') unlink(out->temporary);
    forget_temporary(out);
}

/* Devices and pipes are left alone: for their reader, opened and closed would be an end. */
int result_probe(struct session *s, const char *path) {
    struct result probe;
    int code = locate(&probe, s, path);
    if (code != EXIT_DONE || probe.target[0] == '\0') return code;
    code = output_open_beside(&probe, s);
    if (code == EXIT_DONE) result_discard(&probe);
    return code;
}

/* 0, or errno. Linux has closed the file before it looks at signals, and has all bytes. */
static int close_checked(int fd) {
    return close(fd) == 0 || errno == EINTR ? 0 : errno;
}

static int close_standard(struct result *out, struct session *s) {
    int error = out->sink.error;
    sink_close(&out->sink);
    /* A file on another machine may tell only now that its bytes are lost. */
    int copy = error == 0 ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0) : -1;
    if (copy >= 0) error = close_checked(copy);
    if (error == 0) return EXIT_DONE;
    /* EBADF: standard output was closed from the start. */
    if (error == EPIPE || error == EBADF) return EXIT_CLOSED;
    s->json = false;
    if (error == EINTR)
        return complain(s, EXIT_INTERRUPTED, NULL, "interrupted while writing to standard output");
    if (error == ENOMEM) return complain_memory(s);
    return complain(s, EXIT_OUTPUT, NULL, "cannot write to standard output: %s%s", strerror(error),
                    error == ENOSPC || error == EDQUOT ? "; make room there" : "");
}

/* NULL, or what could not be done, with errno set. */
static const char *close_file(struct result *out) {
    int fd = out->sink.fd;
    errno = out->sink.error;
    if (errno != 0) return "write";
    if (out->mode != 0 && fchmod(fd, out->mode) != 0) return "set the mode of";
    /* Never again after a failure: the kernel may have dropped what was not on the disk. */
    if (out->temporary[0] != '\0' && fsync(fd) != 0) return "sync";
    out->sink.fd = -1;
    errno = close_checked(fd);
    return errno != 0 ? "close" : NULL;
}

int result_commit(struct result *out, struct session *s) {
    sink_flush(&out->sink);
    if (out->sink.fd == STDOUT_FILENO) return close_standard(out, s);
    int code = EXIT_DONE;
    const char *failed = close_file(out);
    if (failed == NULL && out->temporary[0] != '\0') {
        if (rename(out->temporary, out->target) != 0)
            failed = "rename a file to";
        else
            forget_temporary(out);
    }
    if (failed != NULL) code = output_refuse(s, out->path, failed);
    result_discard(out);
    return code;
}

int result_end(struct result *out, struct session *s, int code) {
    if (code == EXIT_DONE) return result_commit(out, s);
    result_discard(out);
    return code;
}
