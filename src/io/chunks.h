/* A text file cut into chunks of whole records, parsed in parallel. The cuts depend on the bytes
   alone, so a file, a pipe and a compressed copy give the same chunks at any number of threads. */
#ifndef SEPAL_IO_CHUNKS_H
#define SEPAL_IO_CHUNKS_H

#include "io/parsed_chunk.h"
#include "io/source.h"

/* How a format is cut and parsed. */
struct chunk_format {
    /* Length of the longest prefix that is made of whole records; 0: not even one is whole. */
    size_t (*whole)(const char *bytes, size_t n, const void *layout);
    /* Parse all n bytes. Errors carry their place in the chunk (line from 0). `scratch` is zeroed
       memory of the worker's, kept from chunk to chunk. */
    sepal_status (*parse)(struct parsed_chunk *out, sepal_ctx *ctx, const char *bytes, size_t n,
                          const void *layout, void *scratch);
    bool lines; /* records are lines, and no longer than a line may be */
    size_t scratch_size;
    void (*scratch_clear)(void *scratch);
};

/* `whole` where every line end ends a record. */
size_t chunk_whole_lines(const char *bytes, size_t n, char eol);

struct chunks {
    struct parsed_chunk **items;
    size_t count, room;
    size_t lines;      /* of the whole stream, those before the first chunk included */
    size_t first_byte; /* where in the stream the first chunk begins */
    /* Set before parsing. */
    bool in_order;     /* one after the other, each knowing its first record */
    size_t bytes;      /* of the source that are taken; 0: all */
    bool notes_places; /* of records, see struct parsed_chunk */
    size_t note_bytes; /* what is noted of a chunk whatever its length: chunks are no shorter */
};

/* `first_line` is the number of the line at which the source stands. */
sepal_status chunks_parse(struct chunks *out, sepal_ctx *ctx, struct source *source,
                          size_t first_line, const struct chunk_format *format, const void *layout);
void chunks_clear(struct chunks *chunks);
size_t chunks_records(const struct chunks *chunks);

/* The rows that stay with the numbers from `begin` to `end`, chunk by chunk. */
struct chunk_rows {
    const struct chunks *chunks;
    size_t begin, end, chunk;
    struct parsed_chunk *parsed; /* chunk number `chunk` */
    size_t first;                /* number in it of its first row, dropped rows counted */
    size_t n;                    /* how many are there that stay */
    size_t at;                   /* number of the first row, counted from `begin` */
};
struct chunk_rows chunk_rows_from(const struct chunks *chunks, size_t begin, size_t rows);
bool chunk_rows_next(struct chunk_rows *part);

/* The same one by one: `i`, counted from `begin`, is row r of part.parsed, behind which `left` rows of
   the part are still to come. Starts as {.part = chunk_rows_from(...)}. */
struct chunk_row {
    struct chunk_rows part;
    size_t r, i, left;
};
bool chunk_row_next(struct chunk_row *row);

/* Fail at a place of a chunk. */
sepal_status chunk_fail(sepal_ctx *ctx, const struct source *source,
                        const struct parsed_chunk *parsed, struct spot spot, const char *format,
                        ...) __attribute__((format(printf, 5, 6)));

#endif
