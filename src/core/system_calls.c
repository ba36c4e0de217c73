#include "core/system_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether the switch hits this call, and how: errno is then as it wants it. */
static bool hit(sepal_ctx *ctx, enum fault_manner *manner) {
    if (!fault_hits(ctx, FAULT_IO)) return false;
    const struct fault *fault = &ctx->root->faults[FAULT_IO];
    errno = fault->error ? fault->error : EIO;
    *manner = fault->manner;
    return true;
}

static bool call_fails(sepal_ctx *ctx) {
    enum fault_manner manner;
    return hit(ctx, &manner) && manner == FAULT_INSTEAD;
}

/* The same for a call that moves bytes, of which it may be told to move only one. */
static bool fault_or_short_transfer(sepal_ctx *ctx, size_t *size) {
    enum fault_manner manner;
    if (!hit(ctx, &manner)) return false;
    if (manner == FAULT_SHORT && *size > 1) *size = 1;
    return manner == FAULT_INSTEAD;
}

int sys_open(sepal_ctx *ctx, const char *path, int flags, mode_t mode) {
    return call_fails(ctx) ? -1 : open(path, flags | O_CLOEXEC, mode);
}

ssize_t sys_read(sepal_ctx *ctx, int fd, void *buffer, size_t size) {
    return fault_or_short_transfer(ctx, &size) ? -1 : read(fd, buffer, size);
}

ssize_t sys_write(sepal_ctx *ctx, int fd, const void *bytes, size_t size) {
    return fault_or_short_transfer(ctx, &size) ? -1 : write(fd, bytes, size);
}

int sys_stat(sepal_ctx *ctx, const char *path, struct stat *out) {
    int result;
    do result = call_fails(ctx) ? -1 : stat(path, out);
    while (result && errno == EINTR);
    return result;
}

int sys_fstat(sepal_ctx *ctx, int fd, struct stat *out) {
    int result;
    do result = call_fails(ctx) ? -1 : fstat(fd, out);
    while (result && errno == EINTR);
    return result;
}

int sys_fchmod(sepal_ctx *ctx, int fd, mode_t mode) {
    int result;
    do result = call_fails(ctx) ? -1 : fchmod(fd, mode);
    while (result && errno == EINTR);
    return result;
}

ssize_t sys_readlink(sepal_ctx *ctx, const char *path, char *buffer, size_t size) {
    ssize_t n;
    do n = call_fails(ctx) ? -1 : readlink(path, buffer, size);
    while (n < 0 && errno == EINTR);
    return n;
}

int sys_rename(sepal_ctx *ctx, const char *from, const char *to) {
    return call_fails(ctx) ? -1 : rename(from, to);
}

int sys_fsync(sepal_ctx *ctx, int fd) {
    enum fault_manner manner;
    bool fault = hit(ctx, &manner) && manner != FAULT_SHORT;
    int error = errno;
    if (fault && manner == FAULT_INSTEAD) return -1;
    int result = fsync(fd);
    if (!fault) return result;
    errno = error;
    return -1;
}

int sys_close(sepal_ctx *ctx, int fd) {
    enum fault_manner manner;
    bool fault = hit(ctx, &manner) && manner != FAULT_SHORT;
    int error = errno, result = close(fd);
    if (fault) {
        errno = error;
        result = -1;
    }
    /* Linux has closed the file before it looks at signals, and has all bytes. */
    return result && errno == EINTR ? 0 : result;
}

void sys_unlink(const char *path) {
    unlink(path);
}

off_t sys_tell(int fd) {
    return lseek(fd, 0, SEEK_CUR);
}

int sys_seek(sepal_ctx *ctx, int fd, off_t offset) {
    return call_fails(ctx) || lseek(fd, offset, SEEK_SET) < 0 ? -1 : 0;
}

void *sys_map(sepal_ctx *ctx, int fd, size_t size) {
    void *bytes = call_fails(ctx) ? MAP_FAILED : mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    return bytes == MAP_FAILED ? NULL : bytes;
}

void sys_unmap(void *bytes, size_t size) {
    munmap(bytes, size);
}
