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
    size_t start;            /* where a regular file began; SIZE_MAX of anything else */
    size_t taken;            /* bytes of the stream that are taken, or dropped */
    size_t mark;             /* of these, the ones before the mark */
    bool keeps;              /* those behind it are kept */
    char *kept;
    size_t n_kept, kept_room;
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
/* Mark the place where the source stands, to come back to it once. A regular file is read again; of
   anything else the bytes behind the mark are kept, as long as they are at most LIMIT_KEPT. */
void source_mark(struct source *source);
/* Go back to the mark; *gone when there are more bytes behind it than were kept. */
sepal_status source_rewind(struct source *source, sepal_ctx *ctx, bool *gone);
void source_close(struct source *source);

/* The path without a compression's extension: its length. */
size_t source_plain_length(const char *path);
const char *source_extension(size_t i); /* of the i-th compression, NULL after the last */

#endif
