/* All input and output of the library: system calls with EINTR and short counts handled, errors
   recorded with the file's name, and a test switch that lets the k-th call fail. */
#ifndef SEPAL_CORE_IO_H
#define SEPAL_CORE_IO_H

#include "core/context.h"

/* Reading. `status` is whose fault a failure is: SEPAL_EDATA or SEPAL_EMODEL. "-" is stdin. */
struct input_file {
    int fd;
    bool owned;
    const char *name; /* the path, or "<stdin>"; owned by the caller of input_open */
    sepal_status status;
};
sepal_status input_open(struct input_file *out, sepal_ctx *ctx, const char *path,
                        sepal_status status);
/* Up to `size` bytes; *got 0 only at the end of the file. */
sepal_status input_read(sepal_ctx *ctx, struct input_file *in, void *buffer, size_t size,
                        size_t *got);
void input_close(struct input_file *in);
/* The whole file in one block of memory that the caller frees. */
sepal_status input_slurp(char **out, size_t *size, sepal_ctx *ctx, const char *path,
                         sepal_status status);

/* Replace `path` by these bytes, all or nothing: temporary file beside it, write, fsync, rename,
   fsync of the directory. A device or pipe ("/dev/stdout") is written to as it is. */
sepal_status output_replace(sepal_ctx *ctx, const char *path, const char *bytes, size_t size);

#endif
