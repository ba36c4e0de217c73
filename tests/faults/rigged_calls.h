/* Stands between a command and the system. The program that includes this is linked with
   --wrap=NAME for every function below (see tests/CMakeLists.txt), so that all calls of the library
   and of the command line come here, also those that forgot to go through a layer. The k-th call
   can fail with any error, or move one byte instead of many. A sync that does not fail does nothing:
   thousands of them would only wait for the disk.

   unlink() is left alone: it is what cleans up, and when it fails a file stays, as it must. */
#ifndef SEPAL_TESTS_RIGGED_CALLS_H
#define SEPAL_TESTS_RIGGED_CALLS_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum call {
    CALL_ALLOC = 1 << 0,
    CALL_OPEN = 1 << 1,
    CALL_READ = 1 << 2,
    CALL_WRITE = 1 << 3,
    CALL_CLOSE = 1 << 4,
    CALL_SYNC = 1 << 5,
    CALL_RENAME = 1 << 6,
    CALL_STAT = 1 << 7,
    CALL_FSTAT = 1 << 8,
    CALL_ACCESS = 1 << 9,
    CALL_LINK = 1 << 10,
    CALL_MODE = 1 << 11,
    CALL_MAKE = 1 << 12 /* mkostemp */
};

/* What a file is to the command: that decides which exit code is right. */
enum role { ROLE_STDOUT, ROLE_STDERR, ROLE_DATA, ROLE_MODEL, ROLE_OUTPUT, ROLE_FOLDER, ROLE_ASIDE };

struct rig {
    unsigned calls; /* which are counted */
    int error;
    bool short_count, from_then_on;
    size_t at;
    bool armed;
    /* what happened */
    atomic_size_t count;
    atomic_int code; /* the exit code that the first hit that matters asks for, 0: none did */
    atomic_bool hit, stderr_hit;
    atomic_bool optional; /* that hit may also do no harm: memory for a warning, a second look */
};
static struct rig rig;

enum { MOST_FILES = 256 };
static enum role role_of[MOST_FILES]; /* by file descriptor; a copy of stdout has no other role */
static bool written[MOST_FILES];

/* Which exit code a failing call must lead to, 0: none, it does not matter. */
static int code_of(enum call call, enum role role) {
    enum { DATA = 3, MODEL = 4, OUTPUT = 6, CLOSED = 141 };
    if (rig.short_count || role == ROLE_STDERR || role == ROLE_ASIDE) return 0;
    if (call == CALL_ALLOC) return OUTPUT;
    if (rig.error == EINTR && call != CALL_SYNC && call != CALL_RENAME) return 0;
    if (call == CALL_OPEN && role == ROLE_FOLDER && rig.error == EACCES) return 0;
    if (role == ROLE_STDOUT) return rig.error == EPIPE ? CLOSED : OUTPUT;
    if (call == CALL_STAT) return OUTPUT; /* "is the output one of the inputs?" */
    return role == ROLE_DATA ? DATA : role == ROLE_MODEL ? MODEL : OUTPUT;
}

static bool rigged(enum call call, enum role role) {
    if (!rig.armed || !(rig.calls & (unsigned)call)) return false;
    size_t n = atomic_fetch_add(&rig.count, 1) + 1;
    if (n < rig.at) return false;
    /* nothing interrupts for ever */
    size_t after = n - rig.at;
    bool hit = after == 0 || (rig.from_then_on && (rig.error != EINTR || after % 2 == 0));
    if (!hit) return false;
    int none = 0, code = code_of(call, role);
    if (code && atomic_compare_exchange_strong(&rig.code, &none, code))
        atomic_store(&rig.optional, call == CALL_ALLOC || call == CALL_STAT);
    if (role == ROLE_STDERR) atomic_store(&rig.stderr_hit, true);
    atomic_store(&rig.hit, true);
    errno = call == CALL_ALLOC ? ENOMEM : rig.error;
    return true;
}

static bool begins(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

static enum role role_of_path(const char *path) {
    if (begins(path, "/proc/")) return ROLE_ASIDE;
    if (strcmp(path, ".") == 0 || strcmp(path, "./") == 0) return ROLE_FOLDER;
    if (begins(path, "data.") || begins(path, "test.")) return ROLE_DATA;
    bool model = strcmp(path, "model.sepal") == 0 || strcmp(path, "bits.sepal") == 0;
    return model ? ROLE_MODEL : ROLE_OUTPUT;
}

static enum role role_of_file(int fd) {
    return fd >= 0 && fd < MOST_FILES ? role_of[fd] : ROLE_OUTPUT;
}

static int remember(int fd, enum role role) {
    if (fd < 0 || fd >= MOST_FILES) return fd;
    role_of[fd] = role;
    written[fd] = role == ROLE_STDOUT;
    return fd;
}

/* Where nothing was written, closing has nothing to lose. */
static enum role role_of_closing(int fd) {
    return fd >= 0 && fd < MOST_FILES && !written[fd] ? ROLE_ASIDE : role_of_file(fd);
}

/* ---- memory ------------------------------------------------------------------------------- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t n, size_t size);
char *__real_strndup(const char *text, size_t n);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t n, size_t size);
char *__wrap_strndup(const char *text, size_t n);
char *__wrap_strdup(const char *text);

void *__wrap_malloc(size_t size) {
    return rigged(CALL_ALLOC, ROLE_OUTPUT) ? NULL : __real_malloc(size);
}
void *__wrap_calloc(size_t n, size_t size) {
    return rigged(CALL_ALLOC, ROLE_OUTPUT) ? NULL : __real_calloc(n, size);
}
void *__wrap_realloc(void *old, size_t size) {
    return rigged(CALL_ALLOC, ROLE_OUTPUT) ? NULL : __real_realloc(old, size);
}
void *__wrap_reallocarray(void *old, size_t n, size_t size) {
    return rigged(CALL_ALLOC, ROLE_OUTPUT) ? NULL : __real_reallocarray(old, n, size);
}
char *__wrap_strndup(const char *text, size_t n) {
    return rigged(CALL_ALLOC, ROLE_OUTPUT) ? NULL : __real_strndup(text, n);
}
char *__wrap_strdup(const char *text) {
    return rigged(CALL_ALLOC, ROLE_OUTPUT) ? NULL : __real_strdup(text);
}

/* ---- files -------------------------------------------------------------------------------- */

int __real_open(const char *path, int flags, ...);
int __real_mkostemp(char *name, int flags);
ssize_t __real_read(int fd, void *buffer, size_t size);
ssize_t __real_write(int fd, const void *bytes, size_t size);
int __real_close(int fd);
int __real_rename(const char *from, const char *to);
int __real_stat(const char *path, struct stat *out);
int __real_fstat(int fd, struct stat *out);
int __real_access(const char *path, int mode);
ssize_t __real_readlink(const char *path, char *buffer, size_t size);
int __real_fchmod(int fd, mode_t mode);
int __wrap_open(const char *path, int flags, ...);
int __wrap_mkostemp(char *name, int flags);
ssize_t __wrap_read(int fd, void *buffer, size_t size);
ssize_t __wrap_write(int fd, const void *bytes, size_t size);
int __wrap_close(int fd);
int __wrap_fsync(int fd);
int __wrap_rename(const char *from, const char *to);
int __wrap_stat(const char *path, struct stat *out);
int __wrap_fstat(int fd, struct stat *out);
int __wrap_access(const char *path, int mode);
ssize_t __wrap_readlink(const char *path, char *buffer, size_t size);
int __wrap_fchmod(int fd, mode_t mode);

int __wrap_open(const char *path, int flags, ...) {
    mode_t mode = 0;
    if (flags & O_CREAT) {
        va_list arguments;
        va_start(arguments, flags);
        mode = (mode_t)va_arg(arguments, unsigned);
        va_end(arguments);
    }
    if (rigged(CALL_OPEN, role_of_path(path))) return -1;
    return remember(__real_open(path, flags, mode), role_of_path(path));
}
int __wrap_mkostemp(char *name, int flags) {
    if (rigged(CALL_MAKE, ROLE_OUTPUT)) return -1;
    return remember(__real_mkostemp(name, flags), ROLE_OUTPUT);
}
ssize_t __wrap_read(int fd, void *buffer, size_t size) {
    bool hit = rigged(CALL_READ, role_of_file(fd));
    if (hit && !rig.short_count) return -1;
    return __real_read(fd, buffer, hit && size > 1 ? 1 : size);
}
ssize_t __wrap_write(int fd, const void *bytes, size_t size) {
    bool hit = rigged(CALL_WRITE, role_of_file(fd));
    if (fd >= 0 && fd < MOST_FILES) written[fd] = true;
    if (hit && !rig.short_count) return -1;
    return __real_write(fd, bytes, hit && size > 1 ? 1 : size);
}
/* However it ends, the file is closed: so it is on Linux. */
int __wrap_close(int fd) {
    bool hit = rigged(CALL_CLOSE, role_of_closing(fd));
    int error = errno, result = __real_close(fd);
    remember(fd, ROLE_STDOUT);
    errno = hit ? error : errno;
    return hit ? -1 : result;
}
int __wrap_fsync(int fd) {
    return rigged(CALL_SYNC, role_of_file(fd)) ? -1 : 0;
}
int __wrap_rename(const char *from, const char *to) {
    return rigged(CALL_RENAME, role_of_path(to)) ? -1 : __real_rename(from, to);
}
int __wrap_stat(const char *path, struct stat *out) {
    return rigged(CALL_STAT, role_of_path(path)) ? -1 : __real_stat(path, out);
}
int __wrap_fstat(int fd, struct stat *out) {
    return rigged(CALL_FSTAT, role_of_file(fd)) ? -1 : __real_fstat(fd, out);
}
int __wrap_access(const char *path, int mode) {
    return rigged(CALL_ACCESS, role_of_path(path)) ? -1 : __real_access(path, mode);
}
ssize_t __wrap_readlink(const char *path, char *buffer, size_t size) {
    return rigged(CALL_LINK, role_of_path(path)) ? -1 : __real_readlink(path, buffer, size);
}
int __wrap_fchmod(int fd, mode_t mode) {
    return rigged(CALL_MODE, role_of_file(fd)) ? -1 : __real_fchmod(fd, mode);
}

#endif
