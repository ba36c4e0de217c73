/* The records of a text to two files, byte for byte. */
#include "core/alloc.h"
#include "io/source.h"
#include "split/split.h"

#include <string.h>

enum { PIECE_BYTES = 1 << 20, OUT_BYTES = 1 << 16 };

struct text_split {
    struct split_task *task;
    const size_t *place;
    struct text side[SIDES]; /* bytes on their way */
    size_t record;           /* the one that comes next */
    size_t at;               /* byte of the stream */
    unsigned char to;        /* SIDES + 1: to both, before the first record */
    char eol;                /* what the lines of this file end in */
    char *piece;
};

static sepal_status side_pass(struct text_split *all, int side, size_t least) {
    struct text *text = &all->side[side];
    if (text->failed) return SEPAL_EMEMORY;
    if (text->length < least) return SEPAL_OK;
    TRY(check_cancelled(all->task->ctx, "writing"));
    TRY(output_add(all->task->ctx, all->task->out[side], text->bytes, text->length));
    text->length = 0;
    return SEPAL_OK;
}

static sepal_status text_put(struct text_split *all, const char *bytes, size_t n) {
    for (int side = 0; side < SIDES; side++) {
        if (all->to != side && all->to != SIDES + 1) continue;
        text_add(all->task->ctx, &all->side[side], bytes, n);
        TRY(side_pass(all, side, OUT_BYTES));
    }
    return SEPAL_OK;
}

/* A last line without an end stays the last one of its side. */
static void begin_record(struct text_split *all) {
    all->to = all->task->record[all->record++];
}

static sepal_status take_records(struct text_split *all, const char *bytes, size_t n) {
    for (size_t from = 0; from < n;) {
        size_t left = all->record < all->task->n ? all->place[all->record] - all->at : n - from;
        if (left == 0) {
            begin_record(all);
            continue;
        }
        if (left > n - from) left = n - from;
        TRY(text_put(all, bytes + from, left));
        from += left;
        all->at += left;
    }
    return SEPAL_OK;
}

/* A record is a line, a blank one too. */
static sepal_status split_take_lines(struct text_split *all, const char *bytes, size_t n) {
    for (size_t from = 0; from < n;) {
        if (all->to == SIDE_NONE + 2) {
            if (all->record == all->task->n) return SEPAL_OK; /* blank lines at the end */
            begin_record(all);
        }
        const char *end = memchr(bytes + from, all->eol, n - from);
        size_t to = end ? (size_t)(end - bytes) + 1 : n;
        TRY(text_put(all, bytes + from, to - from));
        all->at += to - from;
        from = to;
        if (end) all->to = SIDE_NONE + 2; /* the next one begins */
    }
    return SEPAL_OK;
}

static char line_end(const char *bytes, size_t n) {
    return !memchr(bytes, '\n', n) && memchr(bytes, '\r', n) ? '\r' : '\n';
}

static sepal_status copy_all(struct text_split *all, struct source *source) {
    struct split_task *task = all->task;
    size_t got;
    do {
        TRY(source_take(source, task->ctx, all->piece, PIECE_BYTES, &got));
        if (!all->eol) all->eol = line_end(all->piece, got);
        TRY(all->place ? take_records(all, all->piece, got)
                       : split_take_lines(all, all->piece, got));
    } while (got == PIECE_BYTES);
    if (all->record != task->n || (all->place && all->at != all->place[task->n]))
        return fail_at(task->ctx, SEPAL_EDATA, source->file.name, 0, 0,
                       "the file changed while it was read; try again");
    for (int side = 0; side < SIDES; side++) TRY(side_pass(all, side, 0));
    return SEPAL_OK;
}

sepal_status split_text(struct split_task *task, const size_t *place) {
    struct source source;
    struct text_split all = {.task = task, .place = place, .to = place ? SIDES + 1 : SIDE_NONE + 2};
    all.piece = mem_alloc(task->ctx, PIECE_BYTES, 1);
    if (!all.piece) return SEPAL_EMEMORY;
    sepal_status status = source_open(&source, task->ctx, task->path);
    if (status == SEPAL_OK) status = copy_all(&all, &source);
    source_close(&source);
    for (int side = 0; side < SIDES; side++) text_clear(&all.side[side]);
    mem_free(all.piece);
    return status;
}
