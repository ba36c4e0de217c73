/* Sorting rows for rankings, in O(N log N) and on all cores: the rows of the class and the others apart,
   so that a row is its key alone, or with its weight; runs of a fixed length by their bytes, the last
   first (LSD radix sort: Knuth, TAOCP 3, 5.2.5); then runs merged in pairs. A merge is cut into pieces
   of equal length, whose beginnings in the two runs are found by bisection (Odeh, Green, Mwassi, Shmueli
   and Birk, "Merge path", 2012). Runs, pairs and pieces depend on the number of rows alone, and both
   sorts keep rows of equal keys in order, so the threads do not show. */
#include "eval/ranked.h"

#include "core/alloc.h"
#include "core/parallel.h"

#include <math.h>
#include <string.h>

enum {
    RUN = 1 << 18,
    PIECE = 1 << 18,
    ROWS_A_TASK = 1 << 18,
    DIGITS = 8,
    BUCKETS = 256,
    FEW = 512
};
/* Below as many rows waking a thread takes longer than what it does. */
enum { RANKED_PAYS = 1 << 15 };

double ranked_score(uint64_t key) {
    uint64_t bits = key >> 63 ? key : ~key & ~(UINT64_C(1) << 63);
    double score;
    memcpy(&score, &bits, sizeof score);
    return score;
}

/* ---- the two sides ------------------------------------------------------------------------ */

struct filling {
    const struct ranking_rows *rows;
    bool numbered;
    struct ranked_side *side;
    size_t (*first)[2]; /* of each task; before that, how many it has */
};

static size_t task_end(const struct filling *all, size_t task) {
    size_t end = (task + 1) * ROWS_A_TASK;
    return end < all->rows->n ? end : all->rows->n;
}

static sepal_status count_rows(sepal_ctx *ctx, size_t task, void *payload) {
    const struct filling *all = payload;
    const struct ranking_rows *rows = all->rows;
    size_t count[2] = {0};
    (void)ctx;
    for (size_t i = task * ROWS_A_TASK; i < task_end(all, task); i++)
        if (!isnan(rows->score[i * rows->stride])) count[rows->positive[i]]++;
    memcpy(all->first[task], count, sizeof count);
    return SEPAL_OK;
}

static sepal_status fill_rows(sepal_ctx *ctx, size_t task, void *payload) {
    const struct filling *all = payload;
    const struct ranking_rows *rows = all->rows;
    double sign = rows->sign < 0 ? -1 : 1;
    size_t at[2] = {all->first[task][0], all->first[task][1]};
    (void)ctx;
    for (size_t i = task * ROWS_A_TASK; i < task_end(all, task); i++) {
        double score = rows->score[i * rows->stride];
        bool own = rows->positive[i];
        if (isnan(score)) continue;
        all->side[own].key[at[own]] = ranked_key(sign * score);
        if (all->side[own].note)
            all->side[own].note[at[own]] = all->numbered ? (double)i : rows->weight[i];
        at[own]++;
    }
    return SEPAL_OK;
}

/* ---- runs --------------------------------------------------------------------------------- */

struct sorting {
    struct ranked_side from[2], to[2];
    size_t length;    /* of the runs that are merged */
    size_t tasks_of0; /* tasks of the first side */
};

/* The side of a task, and its number there. */
static int side_of_task(const struct sorting *all, size_t *task) {
    if (*task < all->tasks_of0) return 0;
    *task -= all->tasks_of0;
    return 1;
}

static struct ranked_side part_of(const struct ranked_side *side, size_t first, size_t n) {
    return (struct ranked_side){side->key + first, side->note ? side->note + first : NULL, n};
}

static void count_digits(size_t (*count)[BUCKETS], const struct ranked_side *run) {
    memset(count, 0, DIGITS * sizeof *count);
    for (size_t i = 0; i < run->n; i++)
        for (int d = 0; d < DIGITS; d++) count[d][run->key[i] >> (8 * d) & (BUCKETS - 1)]++;
}

/* By digit d, from one memory to the other. */
static void deal(const struct ranked_side *from, const struct ranked_side *to, int d,
                 const size_t *count) {
    size_t place[BUCKETS], sum = 0;
    for (size_t b = 0; b < BUCKETS; b++) {
        place[b] = sum;
        sum += count[b];
    }
    for (size_t i = 0; i < from->n; i++) {
        size_t at = place[from->key[i] >> (8 * d) & (BUCKETS - 1)]++;
        to->key[at] = from->key[i];
        if (from->note) to->note[at] = from->note[i];
    }
}

static void copy_side(const struct ranked_side *from, const struct ranked_side *to) {
    memcpy(to->key, from->key, from->n * sizeof *from->key);
    if (from->note && to->note) memcpy(to->note, from->note, from->n * sizeof *from->note);
}

static void merge_rows(const struct ranked_side *out, size_t begin, size_t end,
                       const struct ranked_side *a, size_t i, const struct ranked_side *b,
                       size_t j) {
    for (size_t k = begin; k < end; k++) {
        bool of_b = i == a->n || (j < b->n && b->key[j] < a->key[i]);
        out->key[k] = of_b ? b->key[j] : a->key[i];
        if (out->note && a->note && b->note) out->note[k] = of_b ? b->note[j] : a->note[i];
        j += of_b;
        i += !of_b;
    }
}

static void insert_rows(const struct ranked_side *run) {
    for (size_t i = 1; i < run->n; i++) {
        uint64_t key = run->key[i];
        double note = run->note ? run->note[i] : 0;
        size_t at = i;
        for (; at > 0 && run->key[at - 1] > key; at--) {
            run->key[at] = run->key[at - 1];
            if (run->note) run->note[at] = run->note[at - 1];
        }
        run->key[at] = key;
        if (run->note) run->note[at] = note;
    }
}

/* Of few rows the buckets would be most of the work. */
static void sort_few(struct ranked_side run, struct ranked_side other) {
    enum { INSERTED = 8 };
    size_t n = run.n;
    bool moved = false;
    for (size_t i = 0; i < n; i += INSERTED) {
        struct ranked_side some = part_of(&run, i, n - i < INSERTED ? n - i : INSERTED);
        insert_rows(&some);
    }
    for (size_t length = INSERTED; length < n; length *= 2, moved = !moved) {
        for (size_t i = 0; i < n; i += 2 * length) {
            size_t left = n - i, own = left < length ? left : length;
            struct ranked_side a = part_of(&run, i, own), b, out;
            b = part_of(&run, i + own, left - own < length ? left - own : length);
            out = part_of(&other, i, a.n + b.n);
            merge_rows(&out, 0, out.n, &a, 0, &b, 0);
        }
        struct ranked_side swap = run;
        run = other;
        other = swap;
    }
    if (moved) copy_side(&run, &other);
}

static sepal_status sort_run(sepal_ctx *ctx, size_t task, void *payload) {
    const struct sorting *all = payload;
    size_t count[DIGITS][BUCKETS];
    (void)ctx;
    int s = side_of_task(all, &task);
    size_t first = task * RUN, left = all->from[s].n - first, n = left < RUN ? left : RUN;
    struct ranked_side run = part_of(&all->from[s], first, n), other;
    other = part_of(&all->to[s], first, n);
    if (n <= FEW) {
        sort_few(run, other);
        return SEPAL_OK;
    }
    count_digits(count, &run);
    bool moved = false;
    for (int d = 0; n > 0 && d < DIGITS; d++) {
        if (count[d][run.key[0] >> (8 * d) & (BUCKETS - 1)] == n) continue; /* all the same */
        deal(&run, &other, d, count[d]);
        struct ranked_side swap = run;
        run = other;
        other = swap;
        moved = !moved;
    }
    if (moved) copy_side(&run, &other);
    return SEPAL_OK;
}

/* ---- merging ------------------------------------------------------------------------------ */

/* How many of the first `n` of the merged runs are of a: rows of a come before equal ones of b. */
static size_t merge_cut(const struct ranked_side *a, const struct ranked_side *b, size_t n) {
    size_t low = n > b->n ? n - b->n : 0, high = n < a->n ? n : a->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (a->key[middle] <= b->key[n - middle - 1])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static sepal_status merge_piece(sepal_ctx *ctx, size_t task, void *payload) {
    const struct sorting *all = payload;
    (void)ctx;
    int s = side_of_task(all, &task);
    const struct ranked_side *from = &all->from[s];
    size_t pieces = 2 * all->length / PIECE, first = task / pieces * 2 * all->length;
    size_t left = from->n - first, length = all->length;
    struct ranked_side a = part_of(from, first, left < length ? left : length), b, out;
    left -= a.n;
    b = part_of(from, first + a.n, left < length ? left : length);
    size_t begin = task % pieces * PIECE, end = begin + PIECE;
    if (begin >= a.n + b.n) return SEPAL_OK;
    if (end > a.n + b.n) end = a.n + b.n;
    size_t i = merge_cut(&a, &b, begin), j = begin - i;
    out = part_of(&all->to[s], first, a.n + b.n);
    merge_rows(&out, begin, end, &a, i, &b, j);
    return SEPAL_OK;
}

static size_t pieces_of(size_t n, size_t size) {
    return (n + size - 1) / size;
}

/* The result is in all->from. */
static sepal_status sort_sides(struct sorting *all, sepal_ctx *ctx) {
    size_t n[2] = {all->from[0].n, all->from[1].n}, most = n[0] > n[1] ? n[0] : n[1];
    bool pays = n[0] + n[1] > RANKED_PAYS;
    all->tasks_of0 = pieces_of(n[0], RUN);
    TRY(parallel_if(pays, ctx, all->tasks_of0 + pieces_of(n[1], RUN), sort_run, all));
    for (all->length = RUN; all->length < most; all->length *= 2) {
        size_t pieces = 2 * all->length / PIECE;
        all->tasks_of0 = pieces_of(n[0], 2 * all->length) * pieces;
        TRY(check_cancelled(ctx, "evaluating"));
        TRY(parallel_for(ctx, all->tasks_of0 + pieces_of(n[1], 2 * all->length) * pieces,
                         merge_piece, all));
        for (int s = 0; s < 2; s++) {
            struct ranked_side swap = all->from[s];
            all->from[s] = all->to[s];
            all->to[s] = swap;
        }
    }
    return SEPAL_OK;
}

/* ---- together ----------------------------------------------------------------------------- */

/* Each side twice: what is sorted, and room. */
static sepal_status take_memory(struct ranked *out, struct sorting *sorting, sepal_ctx *ctx,
                                const size_t count[2], bool noted) {
    size_t n = count[0] + count[1], width = noted ? 4 : 2;
    char *memory = mem_alloc(ctx, n, width * sizeof(uint64_t));
    if (!memory) return SEPAL_EMEMORY;
    out->memory = memory;
    uint64_t *keys = (uint64_t *)(void *)memory;
    double *notes = (double *)(void *)(keys + 2 * n);
    for (int s = 0; s < 2; s++) {
        size_t first = s ? count[0] : 0;
        sorting->from[s] =
            (struct ranked_side){keys + first, noted ? notes + first : NULL, count[s]};
        sorting->to[s] =
            (struct ranked_side){keys + n + first, noted ? notes + n + first : NULL, count[s]};
    }
    return SEPAL_OK;
}

static sepal_status ranked_fill(struct ranked *out, sepal_ctx *ctx, struct filling *all,
                                size_t tasks) {
    size_t count[2] = {0};
    bool pays = all->rows->n > RANKED_PAYS;
    struct sorting sorting;
    TRY(parallel_if(pays, ctx, tasks, count_rows, all));
    for (size_t t = 0; t < tasks; t++)
        for (int s = 0; s < 2; s++) {
            size_t here = all->first[t][s];
            all->first[t][s] = count[s];
            count[s] += here;
        }
    TRY(take_memory(out, &sorting, ctx, count, all->numbered || all->rows->weight));
    all->side = sorting.from;
    TRY(parallel_if(pays, ctx, tasks, fill_rows, all));
    TRY(sort_sides(&sorting, ctx));
    memcpy(out->side, sorting.from, sizeof out->side);
    return SEPAL_OK;
}

sepal_status ranked_make(struct ranked *out, sepal_ctx *ctx, const struct ranking_rows *rows,
                         bool numbered) {
    size_t tasks = pieces_of(rows->n, ROWS_A_TASK);
    struct filling all = {.rows = rows, .numbered = numbered};
    *out = (struct ranked){0};
    all.first = mem_alloc(ctx, tasks, sizeof *all.first);
    if (!all.first) return SEPAL_EMEMORY;
    sepal_status status = ranked_fill(out, ctx, &all, tasks);
    mem_free(all.first);
    if (status != SEPAL_OK) ranked_clear(out);
    return status;
}

void ranked_clear(struct ranked *ranked) {
    mem_free(ranked->memory);
    *ranked = (struct ranked){0};
}
