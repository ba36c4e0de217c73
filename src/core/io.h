/* All input and output of the library, on core/system_calls.h: short counts handled, and errors
   recorded with the file's name. */
#ifndef SEPAL_CORE_IO_H
#define SEPAL_CORE_IO_H

#include "core/context.h"

/* Reading. `status` is whose fault a failure is: SEPAL_EDATA or SEPAL_EMODEL. "-" is stdin. */
struct input_file {
    int fd;
    bool owned;
    const char *name; /* the path, or "<stdin>"; owned by the caller of input_open */
    sepal_status status;
    size_t size; /* see input_size */
};
sepal_status input_open(struct input_file *out, sepal_ctx *ctx, const char *path,
                        sepal_status status);
/* Up to `size` bytes; *got 0 only at the end of the file. */
sepal_status input_read(sepal_ctx *ctx, struct input_file *in, void *buffer, size_t size,
                        size_t *got);
void input_close(struct input_file *in);
/* Something of that name that is no directory; or it cannot be told, and whoever opens it will. */
bool input_exists(const char *path);
/* Bytes of a regular file; SIZE_MAX for anything else, which may never end. */
size_t input_size(const struct input_file *in);
/* Where the next read of a regular file begins. */
size_t input_offset(const struct input_file *in);
/* Have the next read of a regular file begin there. */
sepal_status input_seek(sepal_ctx *ctx, struct input_file *in, size_t offset);
/* A regular file in memory as it is on the disk, without a copy; NULL: that cannot be, read it. Whoever
   cuts the file short meanwhile has the process end by SIGBUS. */
void *input_map(sepal_ctx *ctx, const struct input_file *in);
void input_unmap(void *bytes, size_t size);
/* The whole file in one block of memory that the caller frees. */
sepal_status input_slurp(char **out, size_t *size, sepal_ctx *ctx, const char *path,
                         sepal_status status);

/* A file that is being written, or is written and safe on the disk, but does not have its name yet.
   output_drop ends it at any moment. */
struct staged {
    char *target, *temporary; /* NULL: a device or pipe, which is written to as it is */
    const char *path;         /* as the caller has it, and keeps it until output_end */
    bool open;
    int fd;
};
/* Begin a temporary file beside `path`, add to it, and bring it safely onto the disk. After a
   failure of output_begin nothing is there to be dropped. */
sepal_status output_begin(struct staged *out, sepal_ctx *ctx, const char *path);
sepal_status output_add(sepal_ctx *ctx, struct staged *staged, const char *bytes, size_t size);
sepal_status output_end(sepal_ctx *ctx, struct staged *staged);
/* The three at once; nothing is left after a failure. */
sepal_status output_stage(struct staged *out, sepal_ctx *ctx, const char *path, const char *bytes,
                          size_t size);
/* Put it in place: rename, fsync of the directory. The stage is over, however it ends. */
sepal_status output_commit(sepal_ctx *ctx, struct staged *staged);
/* Files that belong together: all take their names or, but for a fault in between, none. */
enum { MOST_STAGED = 6 };
sepal_status output_commit_all(sepal_ctx *ctx, struct staged *files, size_t n);
sepal_status output_commit_both(sepal_ctx *ctx, struct staged *first, struct staged *second);
void output_drop(struct staged *staged);
/* Something that is written to as it is, and cannot be replaced: a device or a pipe. */
bool output_is_device(const char *path);

#endif
