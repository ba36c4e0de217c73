#include "core/gunzip.h"

#ifdef SEPAL_WITH_ZLIB
#include "core/alloc.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>

enum { PACKED_BYTES = 1 << 17 };

struct gunzip {
    z_stream stream;
    sepal_ctx *ctx; /* who is reading: for zlib's own memory */
    bool ended;     /* no bytes of the file are left */
    bool between;   /* a member has ended, another may follow */
    bool padding;   /* zeros have, which fill blocks of tapes and disks */
    unsigned char packed[PACKED_BYTES];
};

static void *take_memory(void *payload, unsigned count, unsigned size) {
    const struct gunzip *gunzip = payload;
    return mem_alloc(gunzip->ctx, count, size);
}

static void give_memory(void *payload, void *block) {
    (void)payload;
    mem_free(block);
}

sepal_status gunzip_open(struct gunzip **out, sepal_ctx *ctx, const char *start, size_t n) {
    enum { GZIP_ONLY = 16 + MAX_WBITS };
    struct gunzip *gunzip = mem_zero(ctx, 1, sizeof *gunzip);
    if (!gunzip) return SEPAL_EMEMORY;
    gunzip->ctx = ctx;
    gunzip->stream = (z_stream){.zalloc = take_memory, .zfree = give_memory, .opaque = gunzip};
    if (inflateInit2(&gunzip->stream, GZIP_ONLY) != Z_OK) {
        mem_free(gunzip);
        return fail(ctx, SEPAL_EMEMORY, "not enough memory to unpack");
    }
    memcpy(gunzip->packed, start, n);
    gunzip->stream.next_in = gunzip->packed;
    gunzip->stream.avail_in = (unsigned)n;
    *out = gunzip;
    return SEPAL_OK;
}

static sepal_status gunzip_broken(sepal_ctx *ctx, const struct input_file *file, const char *why) {
    return fail_at(ctx, SEPAL_EDATA, file->name, 0, 0,
                   "cannot unpack it: %s; get the file again, or test it with gzip -t", why);
}

static sepal_status gunzip_fill(struct gunzip *gunzip, sepal_ctx *ctx, struct input_file *file) {
    size_t n;
    if (gunzip->stream.avail_in || gunzip->ended) return SEPAL_OK;
    TRY(input_read(ctx, file, gunzip->packed, sizeof gunzip->packed, &n));
    gunzip->stream.next_in = gunzip->packed;
    gunzip->stream.avail_in = (unsigned)n;
    gunzip->ended = n == 0;
    return SEPAL_OK;
}

/* Behind a member: another one, the end, or zeros up to it. */
static sepal_status step_over_end(struct gunzip *gunzip, sepal_ctx *ctx, struct input_file *file) {
    z_stream *stream = &gunzip->stream;
    if (gunzip->ended) return SEPAL_OK;
    if (*stream->next_in == 0) {
        gunzip->padding = true;
        stream->next_in++;
        stream->avail_in--;
        return SEPAL_OK;
    }
    if (gunzip->padding || *stream->next_in != 0x1f)
        return gunzip_broken(ctx, file, "there are other bytes behind its end");
    gunzip->between = false;
    /* never: it fails for streams that were not set up */
    return inflateReset(stream) == Z_OK ? SEPAL_OK : gunzip_broken(ctx, file, "it is damaged");
}

static sepal_status inflate_some(struct gunzip *gunzip, sepal_ctx *ctx, struct input_file *file) {
    z_stream *stream = &gunzip->stream;
    int result = inflate(stream, Z_NO_FLUSH);
    if (result == Z_STREAM_END) gunzip->between = true;
    if (result == Z_OK || result == Z_STREAM_END) return SEPAL_OK;
    if (result == Z_MEM_ERROR)
        return fail_at(ctx, SEPAL_EMEMORY, file->name, 0, 0, "not enough memory to unpack it");
    if (result == Z_BUF_ERROR) return gunzip_broken(ctx, file, "it is cut short");
    /* never: without a message, what is damaged has one */
    return gunzip_broken(ctx, file, stream->msg ? stream->msg : "it is damaged");
}

sepal_status gunzip_read(struct gunzip *gunzip, sepal_ctx *ctx, struct input_file *file,
                         char *buffer, size_t size, size_t *got) {
    z_stream *stream = &gunzip->stream;
    /* never: 4 GB at once, only for arrays of that size that are packed */
    unsigned room = size < UINT_MAX ? (unsigned)size : UINT_MAX;
    gunzip->ctx = ctx;
    stream->next_out = (unsigned char *)buffer;
    stream->avail_out = room;
    while (stream->avail_out == room && !(gunzip->between && gunzip->ended)) {
        TRY(gunzip_fill(gunzip, ctx, file));
        TRY(gunzip->between ? step_over_end(gunzip, ctx, file) : inflate_some(gunzip, ctx, file));
    }
    *got = room - stream->avail_out;
    return SEPAL_OK;
}

void gunzip_close(struct gunzip *gunzip) {
    if (!gunzip) return;
    inflateEnd(&gunzip->stream);
    mem_free(gunzip);
}

#else

sepal_status gunzip_open(struct gunzip **out, sepal_ctx *ctx, const char *start, size_t n) {
    (void)out, (void)start, (void)n;
    return fail(ctx, SEPAL_EUSAGE,
                "the file is packed by gzip, and this build of sepal has no zlib; unpack it first");
}

sepal_status gunzip_read(struct gunzip *gunzip, sepal_ctx *ctx, struct input_file *file,
                         char *buffer, size_t size, size_t *got) {
    (void)gunzip, (void)file, (void)buffer, (void)size, (void)got;
    return fail(ctx, SEPAL_EINTERNAL, "no unpacker in this build");
}

void gunzip_close(struct gunzip *gunzip) {
    (void)gunzip;
}

#endif
