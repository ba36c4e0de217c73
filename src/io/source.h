/* A stream of bytes to read data from: a file or a pipe, unpacked on the fly when its first bytes
   are those of gz, xz, zst or bz2. */
#ifndef SEPAL_IO_SOURCE_H
#define SEPAL_IO_SOURCE_H

#include "core/io.h"

struct archive;
struct gunzip;

struct source {
    struct input_file file;
    char *ahead; /* bytes read from the stream but not yet taken */
    size_t ahead_at, ahead_end, ahead_room;
    bool ended;
    struct gunzip *gunzip;   /* NULL unless packed by gzip */
    struct archive *archive; /* NULL unless packed by something else */
    char *packed;            /* the archive's input buffer */
    char magic[8];           /* first bytes of a compressed file, given to the archive again */
    size_t n_magic;
    sepal_ctx *callback_ctx; /* who is reading: for errors inside the archive's callback */
};

/* The source is to be closed even if opening it failed. `path` must outlive it. */
sepal_status source_open(struct source *source, sepal_ctx *ctx, const char *path);
/* Make `want` bytes visible in *bytes without taking them, fewer only at the end. */
sepal_status source_peek(struct source *source, sepal_ctx *ctx, size_t want, const char **bytes,
                         size_t *got);
/* Take up to `size` bytes; *got is less than `size` only at the end of the stream. */
sepal_status source_take(struct source *source, sepal_ctx *ctx, char *buffer, size_t size,
                         size_t *got);
void source_skip(struct source *source, size_t peeked); /* drop bytes that were peeked at */
void source_close(struct source *source);

/* The path without a compression's extension: its length. */
size_t source_plain_length(const char *path);
const char *source_extension(size_t i); /* of the i-th compression, NULL after the last */

#endif
