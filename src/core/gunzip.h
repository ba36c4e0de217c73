/* gzip files. libarchive unpacks them, too, but does not look at their checksums (as of 3.8), so that
   a damaged file could pass; zlib does. */
#ifndef SEPAL_CORE_GUNZIP_H
#define SEPAL_CORE_GUNZIP_H

#include "core/io.h"

struct gunzip;

/* `start` are the bytes of the file that were read already. */
sepal_status gunzip_open(struct gunzip **out, sepal_ctx *ctx, const char *start, size_t n);
/* Up to `size` bytes; *got 0 only at the end, when all checksums were right. */
sepal_status gunzip_read(struct gunzip *gunzip, sepal_ctx *ctx, struct input_file *file,
                         char *buffer, size_t size, size_t *got);
void gunzip_close(struct gunzip *gunzip);

#endif
