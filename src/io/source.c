#include "io/source.h"

#include "core/alloc.h"
#include "data/limits.h"
#include "core/gunzip.h"

#include <string.h>
#include <strings.h>

enum { PACKED_BYTES = 1 << 17 };

struct packing {
    const char *extension;
    const char *magic;
    size_t length;
};
enum { GZIP };
static const struct packing packings[] = {
    [GZIP] = {".gz", "\x1f\x8b", 2},
    {".xz",
     "\xfd"
     "7zXZ\0",
     6},
    {".zst", "\x28\xb5\x2f\xfd", 4},
    {".bz2", "BZh", 3},
};
enum { N_PACKINGS = sizeof packings / sizeof *packings };

size_t source_plain_length(const char *path) {
    size_t length = strlen(path);
    for (size_t i = 0; i < N_PACKINGS; i++) {
        size_t tail = strlen(packings[i].extension);
        if (length > tail && strcasecmp(path + length - tail, packings[i].extension) == 0)
            return length - tail;
    }
    return length;
}

const char *source_extension(size_t i) {
    return i < N_PACKINGS ? packings[i].extension : NULL;
}

/* The magic of bz2 is letters, with which a name or a label may begin: behind them are a size and
   the mark of a block, or that of the end. */
static bool is_block(const char *p) {
    return p[0] >= '1' && p[0] <= '9' && (p[1] == '1' || p[1] == '\x17');
}

static const struct packing *packing_of(const char *bytes, size_t n) {
    for (size_t i = 0; i < N_PACKINGS; i++) {
        size_t length = packings[i].length;
        if (n < length || memcmp(bytes, packings[i].magic, length) != 0) continue;
        bool text = *bytes == 'B' && (n < length + 2 || !is_block(bytes + length));
        return text ? NULL : &packings[i];
    }
    return NULL;
}

#ifdef SEPAL_WITH_ARCHIVE
#include <archive.h>
#include <errno.h>
#include <archive_entry.h>

static la_ssize_t feed(struct archive *archive, void *payload, const void **bytes) {
    struct source *source = payload;
    size_t got = source->n_magic;
    if (got)
        memcpy(source->packed, source->magic, got);
    else if (input_read(source->callback_ctx, &source->file, source->packed, PACKED_BYTES, &got) !=
             SEPAL_OK) {
        archive_set_error(archive, ARCHIVE_FATAL, "input");
        return ARCHIVE_FATAL;
    }
    source->n_magic = 0;
    *bytes = source->packed;
    return (la_ssize_t)got;
}

static sepal_status source_broken(struct source *source, sepal_ctx *ctx) {
    if (ctx->error.status != SEPAL_OK) return ctx->error.status; /* input_read's own words */
    const char *why = archive_error_string(source->archive);
    /* never: where only the unpacker lacks memory, and it always says why (cli/short_memory.sh) */
    if (archive_errno(source->archive) == ENOMEM || (why && strstr(why, "allocate memory")))
        return fail_at(ctx, SEPAL_EMEMORY, source->file.name, 0, 0,
                       "not enough memory to unpack it");
    if (!why) why = "damaged"; /* never: it always says why */
    return fail_at(ctx, SEPAL_EDATA, source->file.name, 0, 0,
                   "cannot unpack it: %s; is the file cut short?", why);
}

static sepal_status unpack_open(struct source *source, sepal_ctx *ctx) {
    source->packed = mem_alloc(ctx, PACKED_BYTES, 1);
    if (!source->packed) return SEPAL_EMEMORY;
    source->archive = archive_read_new();
    if (!source->archive) /* never: where only the unpacker lacks memory */
        return fail(ctx, SEPAL_EMEMORY, "not enough memory to unpack %s", source->file.name);
    ctx->error.status = SEPAL_OK;
    source->callback_ctx = ctx;
    struct archive_entry *entry;
    /* only these three: others may start a program of the system's */
    archive_read_support_filter_xz(source->archive);
    archive_read_support_filter_zstd(source->archive);
    archive_read_support_filter_bzip2(source->archive);
    archive_read_support_format_raw(source->archive);
    archive_read_support_format_empty(source->archive); /* parsed must have one byte at least */
    if (archive_read_open(source->archive, source, NULL, feed, NULL) != ARCHIVE_OK)
        return source_broken(source, ctx);
    int found = archive_read_next_header(source->archive, &entry);
    source->ended = found == ARCHIVE_EOF;
    /* never: neither, opening it has unpacked a byte */
    if (!source->ended && found != ARCHIVE_OK) return source_broken(source, ctx);
    return ctx->error.status; /* of input_read, if it failed */
}

static sepal_status unpack_read(struct source *source, sepal_ctx *ctx, char *buffer, size_t size,
                                size_t *got) {
    ctx->error.status = SEPAL_OK;
    source->callback_ctx = ctx;
    la_ssize_t n = archive_read_data(source->archive, buffer, size);
    /* Where a member ends, the archive takes a failing read for the end of the file. */
    if (n < 0 || ctx->error.status != SEPAL_OK) return source_broken(source, ctx);
    *got = (size_t)n;
    return SEPAL_OK;
}

static void unpack_close(struct source *source) {
    if (source->archive) archive_read_free(source->archive);
}

#else

static sepal_status unpack_open(struct source *source, sepal_ctx *ctx) {
    return fail_at(ctx, SEPAL_EUSAGE, source->file.name, 0, 0,
                   "it is compressed, and this build of sepal has no libarchive; unpack it first");
}

static sepal_status unpack_read(struct source *source, sepal_ctx *ctx, char *buffer, size_t size,
                                size_t *got) {
    (void)source, (void)buffer, (void)size, (void)got;
    return fail(ctx, SEPAL_EINTERNAL, "no unpacker in this build");
}

static void unpack_close(struct source *source) {
    (void)source;
}

#endif

/* One read from the stream itself, past anything that waits in `ahead`. */
static sepal_status read_stream(struct source *source, sepal_ctx *ctx, char *buffer, size_t size,
                                size_t *got) {
    *got = 0;
    if (source->gunzip)
        TRY(gunzip_read(source->gunzip, ctx, &source->file, buffer, size, got));
    else if (source->archive)
        TRY(unpack_read(source, ctx, buffer, size, got));
    else
        TRY(input_read(ctx, &source->file, buffer, size, got));
    source->ended = *got == 0;
    return SEPAL_OK;
}

/* Have `want` bytes ahead. Where bytes were skipped before, the rest moves to the front and twice as
   much is read: neither memory nor the number of reads grows with how little is skipped at a time. */
static sepal_status look_further(struct source *source, sepal_ctx *ctx, size_t want) {
    size_t have = source->ahead_end - source->ahead_at, n;
    size_t need = source->ahead_at ? 2 * want : want;
    if (source->ahead_at && have) memmove(source->ahead, source->ahead + source->ahead_at, have);
    source->ahead_at = 0;
    source->ahead_end = have;
    TRY(mem_reserve(ctx, (void **)&source->ahead, &source->ahead_room, need, 1));
    while (source->ahead_end < need && !source->ended) {
        TRY(read_stream(source, ctx, source->ahead + source->ahead_end, need - source->ahead_end,
                        &n));
        source->ahead_end += n;
    }
    return SEPAL_OK;
}

sepal_status source_peek(struct source *source, sepal_ctx *ctx, size_t want, const char **bytes,
                         size_t *got) {
    if (source->ahead_end - source->ahead_at < want && !source->ended)
        TRY(look_further(source, ctx, want));
    /* never: without memory, the first bytes were looked at when it was opened */
    *bytes = source->ahead ? source->ahead + source->ahead_at : "";
    *got = source->ahead_end - source->ahead_at;
    if (*got > want) *got = want; /* what is seen must not depend on how the stream came in */
    return SEPAL_OK;
}

void source_skip(struct source *source, size_t peeked) {
    source->ahead_at += peeked;
    source->taken += peeked;
}

static void forget_kept(struct source *source) {
    mem_free(source->kept);
    source->kept = NULL;
    source->n_kept = source->kept_room = 0;
    source->keeps = false;
}

static sepal_status keep_taken(struct source *source, sepal_ctx *ctx, const char *bytes, size_t n) {
    source->taken += n;
    if (!source->keeps || n == 0) return SEPAL_OK;
    if (n > LIMIT_KEPT - source->n_kept) {
        forget_kept(source);
        return SEPAL_OK;
    }
    TRY(mem_reserve(ctx, (void **)&source->kept, &source->kept_room, source->n_kept + n, 1));
    memcpy(source->kept + source->n_kept, bytes, n);
    source->n_kept += n;
    return SEPAL_OK;
}

sepal_status source_take(struct source *source, sepal_ctx *ctx, char *buffer, size_t size,
                         size_t *got) {
    size_t n = source->ahead_end - source->ahead_at;
    if (n > size) n = size;
    if (n) memcpy(buffer, source->ahead + source->ahead_at, n);
    source->ahead_at += n;
    if (source->ahead_at == source->ahead_end) { /* it may be as large as the first hundred rows */
        mem_free(source->ahead);
        source->ahead = NULL;
        source->ahead_at = source->ahead_end = source->ahead_room = 0;
    }
    *got = n;
    while (*got < size && !source->ended) {
        TRY(read_stream(source, ctx, buffer + *got, size - *got, &n));
        *got += n;
    }
    return keep_taken(source, ctx, buffer, *got);
}

/* From the first bytes on, which tell whether the rest is packed. */
static sepal_status source_begin(struct source *source, sepal_ctx *ctx) {
    const char *bytes;
    size_t n;
    TRY(source_peek(source, ctx, sizeof source->magic, &bytes, &n));
    const struct packing *packing = packing_of(bytes, n);
    if (!packing) return SEPAL_OK;
    memcpy(source->magic, bytes, n);
    source->n_magic = n;
    source->ahead_at = source->ahead_end = 0;
    source->ended = false;
    if (packing == &packings[GZIP]) return gunzip_open(&source->gunzip, ctx, source->magic, n);
    return unpack_open(source, ctx);
}

sepal_status source_open(struct source *source, sepal_ctx *ctx, const char *path) {
    *source = (struct source){.file = {.fd = -1}};
    TRY(input_open(&source->file, ctx, path, SEPAL_EDATA));
    bool regular = input_size(&source->file) != SIZE_MAX;
    source->start = regular ? input_offset(&source->file) : SIZE_MAX;
    return source_begin(source, ctx);
}

void source_mark(struct source *source) {
    source->mark = source->taken;
    source->keeps = source->start == SIZE_MAX;
}

/* All but the file itself. */
static void clear_stream(struct source *source) {
    gunzip_close(source->gunzip);
    unpack_close(source);
    mem_free(source->packed);
    mem_free(source->ahead);
    mem_free(source->kept);
}

/* Read the file again, up to the mark. */
static sepal_status read_again(struct source *source, sepal_ctx *ctx) {
    enum { STEP = 1 << 16 };
    size_t left = source->mark, got = 1;
    const char *bytes;
    clear_stream(source);
    *source = (struct source){.file = source->file, .start = source->start};
    TRY(input_seek(ctx, &source->file, source->start));
    TRY(source_begin(source, ctx));
    for (; left && got; left -= got) { /* it may have been cut meanwhile */
        TRY(source_peek(source, ctx, left < STEP ? left : STEP, &bytes, &got));
        source_skip(source, got);
    }
    return SEPAL_OK;
}

sepal_status source_rewind(struct source *source, sepal_ctx *ctx, bool *gone) {
    *gone = false;
    if (source->start != SIZE_MAX) return read_again(source, ctx);
    *gone = !source->keeps;
    mem_free(source->ahead);
    source->ahead = source->kept; /* the stream has ended: these are all there are */
    source->ahead_at = 0;
    source->ahead_end = source->n_kept;
    source->ahead_room = source->kept_room;
    source->kept = NULL;
    forget_kept(source);
    return SEPAL_OK;
}

void source_close(struct source *source) {
    clear_stream(source);
    input_close(&source->file);
    *source = (struct source){.file = {.fd = -1}};
}
