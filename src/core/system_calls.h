/* The system calls on files. Each asks the test switch first (struct fault), and returns -1 with
   errno set when it fails. */
#ifndef SEPAL_CORE_SYSTEM_CALLS_H
#define SEPAL_CORE_SYSTEM_CALLS_H

#include "core/context.h"

#include <sys/types.h>

struct stat;

/* These three may wait for others. When a signal interrupts that they fail with EINTR, and the caller
   decides whether to go on. */
int sys_open(sepal_ctx *ctx, const char *path, int flags, mode_t mode);
ssize_t sys_read(sepal_ctx *ctx, int fd, void *buffer, size_t size);
ssize_t sys_write(sepal_ctx *ctx, int fd, const void *bytes, size_t size);
/* These go on by themselves. */
int sys_stat(sepal_ctx *ctx, const char *path, struct stat *out);
int sys_fstat(sepal_ctx *ctx, int fd, struct stat *out);
int sys_fchmod(sepal_ctx *ctx, int fd, mode_t mode);
ssize_t sys_readlink(sepal_ctx *ctx, const char *path, char *buffer, size_t size);
/* Not made again, because the first time may have done it. */
int sys_rename(sepal_ctx *ctx, const char *from, const char *to);
/* Never made again: after a failure the kernel may have dropped what was not on the disk, and a
   second call would say that all is well. */
int sys_fsync(sepal_ctx *ctx, int fd);
/* The file is closed in any case, also when this fails. */
int sys_close(sepal_ctx *ctx, int fd);
/* Where the next read begins; have it begin there. */
off_t sys_tell(int fd);
int sys_seek(sepal_ctx *ctx, int fd, off_t offset);
/* The first so many bytes of a file, to read; NULL where it cannot be. Writing to them is a fault. */
void *sys_map(sepal_ctx *ctx, int fd, size_t size);
void sys_unmap(void *bytes, size_t size);
/* For cleaning up: there is nothing to do about a failure. */
void sys_unlink(const char *path);

#endif
