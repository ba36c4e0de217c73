/* The bytes of a model file as they come: its beginning and header, then the rest of it. */
#ifndef SEPAL_MODEL_MODEL_BYTES_H
#define SEPAL_MODEL_MODEL_BYTES_H

#include "core/io.h"

#include <stddef.h>
#include <stdint.h>

struct model_bytes {
    sepal_ctx *ctx;
    struct input_file in;
    const char *lent; /* the whole of it, in the caller's memory; NULL: it is read from `in` */
    size_t lent_size;
    char *bytes; /* what was read so far */
    size_t size, room;
    size_t data_at; /* where the header ends */
    size_t whole;   /* bytes that the file should have, once its tensors are known */
};

/* After a failure there is nothing to close. */
sepal_status model_bytes_open(struct model_bytes *file, sepal_ctx *ctx, const char *path);

/* The same of bytes that are in memory, and stay there. */
void model_bytes_lend(struct model_bytes *file, sepal_ctx *ctx, const void *bytes, size_t n);

/* What it is, and its header up to data_at. */
sepal_status model_bytes_header(struct model_bytes *file);

/* The tensors, which end the file at `whole`, and the checksum of it all. */
sepal_status model_bytes_rest(struct model_bytes *file);

void model_bytes_close(struct model_bytes *file);

uint64_t model_u64(const char *bytes);

#endif
