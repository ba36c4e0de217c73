/* Workers take turns at the source: one reads the next chunk under the lock, then parses it while
   another reads. What follows the last whole record is carried over to the next chunk. */
#include "io/chunks.h"

#include "core/alloc.h"
#include "core/lock.h"
#include "core/parallel.h"
#include "data/limits.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Fuzzers see more of the cuts in their short files when chunks are short. */
#ifndef SEPAL_CHUNK_BYTES
#define SEPAL_CHUNK_BYTES (1 << 20)
#endif
enum { CHUNK_BYTES = SEPAL_CHUNK_BYTES };

struct cutter {
    struct chunks *chunks;
    struct source *source;
    const struct chunk_format *format;
    const void *layout;
    struct lock lock;
    char *carry;
    size_t carried, carry_room;
    size_t left; /* bytes that may still be taken of the source */
    bool ended;
    size_t failed; /* lowest chunk with an error, SIZE_MAX while there is none */
    struct error error;
};

struct buffer {
    char *bytes;
    size_t used, room;
};

/* A chunk of lines is never longer than one line may be, with its line end. */
static sepal_status fill(struct cutter *cutter, sepal_ctx *ctx, struct buffer *buffer) {
    const size_t most = cutter->format->lines ? (size_t)LIMIT_RECORD + 1 : SIZE_MAX;
    size_t notes = cutter->chunks->note_bytes;
    size_t whole = 0, want = notes > CHUNK_BYTES ? notes : CHUNK_BYTES, got;
    buffer->used = cutter->carried;
    do {
        if (buffer->used == most) return fail_at(ctx, SEPAL_EDATA, "", 0, 1, LIMIT_RECORD_SAID);
        if (want > most - buffer->used) want = most - buffer->used;
        if (want > cutter->left) want = cutter->left;
        TRY(mem_reserve(ctx, (void **)&buffer->bytes, &buffer->room, buffer->used + want, 1));
        if (cutter->carried) memcpy(buffer->bytes, cutter->carry, cutter->carried);
        cutter->carried = 0;
        TRY(source_take(cutter->source, ctx, buffer->bytes + buffer->used, want, &got));
        buffer->used += got;
        cutter->left -= got;
        cutter->ended = got < want || cutter->left == 0;
        whole = cutter->ended ? buffer->used
                              : cutter->format->whole(buffer->bytes, buffer->used, cutter->layout);
        want = buffer->used; /* a record longer than the chunk: look at twice as much */
    } while (!cutter->ended && whole == 0);
    size_t rest = cutter->ended ? 0 : buffer->used - whole;
    TRY(mem_reserve(ctx, (void **)&cutter->carry, &cutter->carry_room, rest, 1));
    if (rest) memcpy(cutter->carry, buffer->bytes + whole, rest);
    cutter->carried = rest;
    buffer->used -= rest;
    return SEPAL_OK;
}

static void keep_error(struct cutter *cutter, const sepal_ctx *ctx, size_t number) {
    if (number >= cutter->failed) return;
    cutter->failed = number;
    cutter->error = ctx->error;
}

/* The next chunk, or *raw NULL at the end or after a failure. */
static sepal_status next_chunk(struct cutter *cutter, sepal_ctx *ctx, struct buffer *buffer,
                               struct parsed_chunk **raw, size_t *number) {
    struct chunks *chunks = cutter->chunks;
    *raw = NULL;
    *number = chunks->count;
    if (cutter->failed != SIZE_MAX || cutter->ended) return SEPAL_OK;
    TRY(fill(cutter, ctx, buffer));
    if (buffer->used == 0) return SEPAL_OK;
    TRY(mem_reserve(ctx, (void **)&chunks->items, &chunks->room, chunks->count + 1,
                    sizeof(struct parsed_chunk *)));
    *raw = mem_zero(ctx, 1, sizeof **raw);
    if (!*raw) return SEPAL_EMEMORY;
    if (chunks->in_order && chunks->count) {
        const struct parsed_chunk *before = chunks->items[chunks->count - 1];
        (*raw)->first_record = before->first_record + parsed_records(before);
    }
    chunks->items[chunks->count++] = *raw;
    return SEPAL_OK;
}

/* Whoever has the lock may wait for input for a long time. The calling thread, which alone can hear
   that the user wants to stop, goes on listening. */
static void take_turn(struct cutter *cutter, sepal_ctx *ctx) {
    enum { LISTEN_MS = 100 };
    while (!lock_take_within(&cutter->lock, LISTEN_MS)) cancelled(ctx);
}

static sepal_status work(sepal_ctx *ctx, size_t worker, void *payload) {
    struct cutter *cutter = payload;
    struct buffer buffer = {0};
    void *scratch = mem_zero(ctx, 1, cutter->format->scratch_size);
    sepal_status status = scratch ? SEPAL_OK : SEPAL_EMEMORY;
    struct parsed_chunk *raw = NULL;
    size_t number = 0;
    (void)worker;
    do {
        take_turn(cutter, ctx);
        if (status == SEPAL_OK) status = next_chunk(cutter, ctx, &buffer, &raw, &number);
        if (status != SEPAL_OK) keep_error(cutter, ctx, number);
        lock_give(&cutter->lock);
        if (status != SEPAL_OK || !raw) break;
        status =
            cutter->format->parse(raw, ctx, buffer.bytes, buffer.used, cutter->layout, scratch);
        if (worker == 0 && status == SEPAL_OK && progress(ctx, "reading: %zu MB", number + 1))
            status = fail(ctx, SEPAL_ECANCEL, "interrupted while reading");
        if (status != SEPAL_OK) {
            take_turn(cutter, ctx);
            keep_error(cutter, ctx, number);
            lock_give(&cutter->lock);
        }
    } while (status == SEPAL_OK);
    if (scratch) cutter->format->scratch_clear(scratch);
    mem_free(scratch);
    mem_free(buffer.bytes);
    return SEPAL_OK; /* the error that counts, that of the lowest chunk, is in the cutter */
}

sepal_status chunks_parse(struct chunks *out, sepal_ctx *ctx, struct source *source,
                          size_t first_line, const struct chunk_format *format,
                          const void *layout) {
    *out = (struct chunks){
        .in_order = out->in_order, .bytes = out->bytes, .note_bytes = out->note_bytes};
    struct cutter cutter = {.chunks = out,
                            .source = source,
                            .format = format,
                            .layout = layout,
                            .left = out->bytes ? out->bytes : SIZE_MAX,
                            .lock = LOCK_INIT,
                            .failed = SIZE_MAX};
    sepal_status status =
        out->in_order ? work(ctx, 0, &cutter) : parallel_workers(ctx, work, &cutter);
    mem_free(cutter.carry);
    if (status != SEPAL_OK) return status; /* never: the workers tell the cutter, not us */
    size_t line = first_line;
    for (size_t i = 0; i < out->count && i <= cutter.failed; i++) {
        out->items[i]->first_line = line;
        if (i < cutter.failed) line += out->items[i]->lines;
    }
    out->lines = line;
    if (cutter.failed == SIZE_MAX) return SEPAL_OK;
    ctx->error = cutter.error;
    if (ctx->error.column)
        fail_place(ctx, source->file.name, line + ctx->error.line, ctx->error.column);
    return ctx->error.status;
}

void chunks_clear(struct chunks *chunks) {
    for (size_t i = 0; i < chunks->count; i++) {
        parsed_clear(chunks->items[i]);
        mem_free(chunks->items[i]);
    }
    mem_free(chunks->items);
    *chunks = (struct chunks){0};
}

sepal_status chunk_fail(sepal_ctx *ctx, const struct source *source, const struct parsed_chunk *raw,
                        struct spot spot, const char *format, ...) {
    char message[ERROR_MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return fail_at(ctx, SEPAL_EDATA, source->file.name, raw->first_line + spot.line, spot.column,
                   "%s", message);
}
