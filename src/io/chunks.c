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

size_t chunk_whole_lines(const char *bytes, size_t n, char eol) {
    const char *last = memrchr(bytes, eol, n);
    return last ? (size_t)(last - bytes) + 1 : 0;
}

struct chunker {
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
static sepal_status chunks_fill(struct chunker *chunker, sepal_ctx *ctx, struct buffer *buffer) {
    const size_t most = chunker->format->lines ? (size_t)LIMIT_RECORD + 1 : SIZE_MAX;
    size_t notes = chunker->chunks->note_bytes;
    size_t whole = 0, want = notes > CHUNK_BYTES ? notes : CHUNK_BYTES, got;
    buffer->used = chunker->carried;
    do {
        if (buffer->used == most) return fail_at(ctx, SEPAL_EDATA, "", 0, 1, LIMIT_RECORD_SAID);
        if (want > most - buffer->used) want = most - buffer->used;
        if (want > chunker->left) want = chunker->left;
        TRY(mem_reserve(ctx, (void **)&buffer->bytes, &buffer->room, buffer->used + want, 1));
        if (chunker->carried) memcpy(buffer->bytes, chunker->carry, chunker->carried);
        chunker->carried = 0;
        TRY(source_take(chunker->source, ctx, buffer->bytes + buffer->used, want, &got));
        buffer->used += got;
        chunker->left -= got;
        chunker->ended = got < want || chunker->left == 0;
        whole = chunker->ended
                    ? buffer->used
                    : chunker->format->whole(buffer->bytes, buffer->used, chunker->layout);
        want = buffer->used; /* a record longer than the chunk: look at twice as much */
    } while (!chunker->ended && whole == 0);
    size_t rest = chunker->ended ? 0 : buffer->used - whole;
    TRY(mem_reserve(ctx, (void **)&chunker->carry, &chunker->carry_room, rest, 1));
    if (rest) memcpy(chunker->carry, buffer->bytes + whole, rest);
    chunker->carried = rest;
    buffer->used -= rest;
    return SEPAL_OK;
}

static void keep_error(struct chunker *chunker, const sepal_ctx *ctx, size_t number) {
    if (number >= chunker->failed) return;
    chunker->failed = number;
    chunker->error = ctx->error;
}

/* The next chunk, or *parsed NULL at the end or after a failure. */
static sepal_status next_chunk(struct chunker *chunker, sepal_ctx *ctx, struct buffer *buffer,
                               struct parsed_chunk **parsed, size_t *number) {
    struct chunks *chunks = chunker->chunks;
    *parsed = NULL;
    *number = chunks->count;
    if (chunker->failed != SIZE_MAX || chunker->ended) return SEPAL_OK;
    TRY(chunks_fill(chunker, ctx, buffer));
    if (buffer->used == 0) return SEPAL_OK;
    TRY(mem_reserve(ctx, (void **)&chunks->items, &chunks->room, chunks->count + 1,
                    sizeof(struct parsed_chunk *)));
    *parsed = mem_zero(ctx, 1, sizeof **parsed);
    if (!*parsed) return SEPAL_EMEMORY;
    if (chunks->in_order && chunks->count) {
        const struct parsed_chunk *before = chunks->items[chunks->count - 1];
        (*parsed)->first_record = before->first_record + parsed_records(before);
    }
    (*parsed)->notes_places = chunks->notes_places;
    (*parsed)->bytes = buffer->used;
    chunks->items[chunks->count++] = *parsed;
    return SEPAL_OK;
}

/* Whoever has the lock may wait for input for a long time. The calling thread, which alone can hear
   that the user wants to stop, goes on listening. */
static void take_turn(struct chunker *chunker, sepal_ctx *ctx) {
    enum { LISTEN_MS = 100 };
    while (!lock_take_within(&chunker->lock, LISTEN_MS)) cancelled(ctx);
}

static sepal_status chunks_work(sepal_ctx *ctx, size_t worker, void *payload) {
    struct chunker *chunker = payload;
    struct buffer buffer = {0};
    void *scratch = mem_zero(ctx, 1, chunker->format->scratch_size);
    sepal_status status = scratch ? SEPAL_OK : SEPAL_EMEMORY;
    struct parsed_chunk *parsed = NULL;
    size_t number = 0;
    (void)worker;
    do {
        take_turn(chunker, ctx);
        if (status == SEPAL_OK) status = next_chunk(chunker, ctx, &buffer, &parsed, &number);
        if (status != SEPAL_OK) keep_error(chunker, ctx, number);
        lock_give(&chunker->lock);
        if (status != SEPAL_OK || !parsed) break;
        status = chunker->format->parse(parsed, ctx, buffer.bytes, buffer.used, chunker->layout,
                                        scratch);
        if (worker == 0 && status == SEPAL_OK && progress(ctx, "reading: %zu MB", number + 1))
            status = fail(ctx, SEPAL_ECANCEL, "interrupted while reading");
        if (status != SEPAL_OK) {
            take_turn(chunker, ctx);
            keep_error(chunker, ctx, number);
            lock_give(&chunker->lock);
        }
    } while (status == SEPAL_OK);
    if (scratch) chunker->format->scratch_clear(scratch);
    mem_free(scratch);
    mem_free(buffer.bytes);
    return SEPAL_OK; /* the error that counts, that of the lowest chunk, is in the chunker */
}

sepal_status chunks_parse(struct chunks *out, sepal_ctx *ctx, struct source *source,
                          size_t first_line, const struct chunk_format *format,
                          const void *layout) {
    *out = (struct chunks){.in_order = out->in_order,
                           .bytes = out->bytes,
                           .notes_places = out->notes_places,
                           .first_byte = source->taken,
                           .note_bytes = out->note_bytes};
    struct chunker chunker = {.chunks = out,
                              .source = source,
                              .format = format,
                              .layout = layout,
                              .left = out->bytes ? out->bytes : SIZE_MAX,
                              .lock = LOCK_INIT,
                              .failed = SIZE_MAX};
    sepal_status status = out->in_order ? chunks_work(ctx, 0, &chunker)
                                        : parallel_workers(ctx, chunks_work, &chunker);
    mem_free(chunker.carry);
    if (status != SEPAL_OK) return status; /* never: the workers tell the chunker, not us */
    size_t line = first_line;
    for (size_t i = 0; i < out->count && i <= chunker.failed; i++) {
        out->items[i]->first_line = line;
        if (i < chunker.failed) line += out->items[i]->lines;
    }
    out->lines = line;
    if (chunker.failed == SIZE_MAX) return SEPAL_OK;
    ctx->error = chunker.error;
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

size_t chunks_records(const struct chunks *chunks) {
    size_t records = 0;
    for (size_t i = 0; i < chunks->count; i++) records += parsed_records(chunks->items[i]);
    return records;
}

struct chunk_rows chunk_rows_from(const struct chunks *chunks, size_t begin, size_t rows) {
    size_t low = 0, high = chunks->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (chunks->items[middle]->first_row <= begin)
            low = middle;
        else
            high = middle;
    }
    return (struct chunk_rows){.chunks = chunks, .begin = begin, .end = begin + rows, .chunk = low};
}

/* Number in the chunk of the row that is number `skip` among those that stay. */
static size_t nth_kept(const struct parsed_chunk *parsed, size_t skip) {
    if (!parsed->drop) return skip;
    for (size_t r = 0;; r++)
        if (!parsed->drop[r] && skip-- == 0) return r;
}

bool chunk_rows_next(struct chunk_rows *part) {
    part->at += part->n;
    size_t row = part->begin + part->at;
    if (row == part->end) return false;
    part->parsed = part->chunks->items[part->chunk];
    while (part->parsed->first_row + part->parsed->kept_rows <= row)
        part->parsed = part->chunks->items[++part->chunk];
    size_t skip = row - part->parsed->first_row, left = part->parsed->kept_rows - skip;
    part->first = nth_kept(part->parsed, skip);
    part->n = left < part->end - row ? left : part->end - row;
    return true;
}

bool chunk_row_next(struct chunk_row *row) {
    if (row->left) {
        do row->r++;
        while (parsed_drops(row->part.parsed, row->r));
    } else {
        if (!chunk_rows_next(&row->part)) return false;
        row->r = row->part.first;
        row->left = row->part.n;
    }
    row->i = row->part.at + row->part.n - row->left--;
    return true;
}

sepal_status chunk_fail(sepal_ctx *ctx, const struct source *source,
                        const struct parsed_chunk *parsed, struct spot spot, const char *format,
                        ...) {
    char message[ERROR_MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return fail_at(ctx, SEPAL_EDATA, source->file.name, parsed->first_line + spot.line, spot.column,
                   "%s", message);
}
