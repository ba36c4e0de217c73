/* One row on two threads, for long sparse rows and single weights. The columns are cut in two and
   each thread has those of one part, its weights in its own cache. The one that follows takes its
   part of the scores some rows ahead, so what it hands over has come when it is wanted. The one that
   leads adds its own part, finds the steps, and hands them back. So steps reach the weights of the
   part that follows some rows late. Those are the columns that few rows have, where it makes next to
   no difference to the rows in between; where rows do overlap there, the columns are not cut.

   Whoever does it, one thread or two, all is done to the same numbers in the same order. */
#include "core/alloc.h"
#include "core/clock.h"
#include "core/parallel.h"
#include "solvers/dual.h"

#include <math.h>
#include <sched.h>

/* A turn is a group of rows. Its steps reach the part that follows LAG turns late, so a post can be
   used again after RING turns. */
enum { LAG = 2, RING = LAG + 2 };

/* ---- two parts ---------------------------------------------------------------------------- */

enum { BINS = 1024, LOOKED_AT = 250 };

/* An entry whose column few rows have waits for memory, as long as some others take. */
static double bin_cost(const struct objective *o, size_t entries, size_t looked, size_t width) {
    static const double few = 4, wait = 3;
    double rows = (double)entries / (double)looked * (double)o->n / (double)width;
    return (double)entries * (rows < few ? wait : 1);
}

/* The column with about half of the work before it, by the entries of some rows. */
static size_t middle_column(const struct objective *o) {
    size_t count[BINS] = {0}, width = o->cols / BINS + 1, looked = 0, bin = 0;
    double all = 0, before = 0;
    for (size_t i = 0; i < o->n; i += o->n / LOOKED_AT + 1, looked++) {
        size_t local;
        const struct block *block = matrix_block_of(&o->rows, i, &local);
        for (size_t k = block->start[local]; k < block->start[local + 1]; k++)
            count[block->index[k] / width]++;
    }
    for (size_t b = 0; b < BINS; b++) all += bin_cost(o, count[b], looked, width);
    for (; before < all / 2; bin++) before += bin_cost(o, count[bin], looked, width);
    return bin * width;
}

struct cutting {
    struct dual *s;
    size_t column;
};

static sepal_status cut_block(sepal_ctx *ctx, size_t b, void *payload) {
    const struct cutting *cut = payload;
    const struct block *block = &cut->s->o->rows.blocks[b];
    (void)ctx;
    for (size_t i = 0; i < block->rows; i++)
        cut->s->middle[block->first_row + i] = (uint32_t)row_seek(block, i, cut->column);
    return SEPAL_OK;
}

/* |x_i . x_k| over the columns of the part that follows. */
static double overlap(const struct dual *s, size_t i, size_t k) {
    size_t local_i, local_k, j;
    const struct block *a = matrix_block_of(&s->o->rows, i, &local_i);
    const struct block *b = matrix_block_of(&s->o->rows, k, &local_k);
    struct span of_a = dual_span(s, a, local_i, !s->leads);
    double sum = 0, x, y;
    for (size_t e = 0; e < of_a.n; e++) {
        size_t column = a->index[of_a.at + e], at = row_seek(b, local_k, column);
        if (!row_next(b, local_k, s->o->cols, &at, &j, &y) || j != column) continue;
        at = of_a.at + e - a->start[local_i];
        row_next(a, local_i, s->o->cols, &at, &j, &x);
        sum += x * y;
    }
    return fabs(sum);
}

/* Whether rows are nearly strangers there: all that are under way together move a score by far less
   than its own row does. */
static bool may_lag(const struct dual *s) {
    enum { PAIRS = 100, UNDER_WAY = (LAG + 1) * DUAL_GROUP };
    static const double little = 0.5;
    const struct objective *o = s->o;
    double shared = 0, own = 0;
    for (size_t p = 0; p < PAIRS; p++) {
        size_t i = (o->n - 1) * p / PAIRS, local;
        const struct block *block = matrix_block_of(&o->rows, i, &local);
        shared += overlap(s, i, i + 1);
        own += row_square_norm(block, local, o->cols);
    }
    return shared * UNDER_WAY <= little * own;
}

sepal_status dual_cut(struct dual *s) {
    enum { LONG = 200, MANY = 100 }; /* entries and rows; of less one thread makes short work */
    const struct objective *o = s->o;
    if (!s->single || o->n < MANY || o->rows.nonzeros / LONG < o->n) return SEPAL_OK;
    s->middle = mem_alloc(o->ctx, o->n, sizeof *s->middle);
    if (!s->middle) return SEPAL_EMEMORY;
    struct cutting cut = {.s = s, .column = middle_column(o)};
    TRY(parallel_for(o->ctx, o->rows.n_blocks, cut_block, &cut));
    s->leads = cut.column > o->cols / 2; /* the part of fewer columns, which more rows have */
    if (!may_lag(s)) dual_uncut(s);
    return SEPAL_OK;
}

void dual_uncut(struct dual *s) {
    mem_free(s->middle);
    s->middle = NULL;
}

/* ---- turns -------------------------------------------------------------------------------- */

/* Numbers for the other thread, one a row. */
struct post {
    _Alignas(64) atomic_size_t turns; /* how many it has been written for */
    double number[DUAL_GROUP];
    bool last;
};

/* While both are at work they write to the posts alone, each in lines of memory of its own. */
struct pair {
    struct dual *s;
    const struct outlook *out;
    struct dual seen; /* *s as it began: what does not change, for the one that follows */
    size_t turns, led, followed; /* how many there are, and how many have been done */
    uint64_t since, late;        /* nanoseconds */
    bool stopped;
    struct post part[RING], factor[RING];
};

static void tell(struct post *post, size_t turn, bool last) {
    post->last = last;
    atomic_store_explicit(&post->turns, turn + 1, memory_order_release);
}

/* May be no row at all. */
static size_t row_of(const struct dual *s, size_t turn, size_t k) {
    return (size_t)s->order[turn] * DUAL_GROUP + k;
}

static bool is_visited(const struct dual *s, size_t i) {
    return i < s->o->n && !(s->rests && s->rests[i]);
}

/* Steps that are due first, then the scores of this turn, if there is one. */
static void follow_turn(struct pair *pair, size_t turn) {
    const struct dual *s = &pair->seen;
    size_t local, due = turn - 1 - LAG;
    for (size_t k = 0; k < DUAL_GROUP && turn > LAG; k++) {
        double factor = pair->factor[due % RING].number[k];
        if (factor == 0) continue;
        const struct block *block = matrix_block_of(&s->o->rows, row_of(s, due, k), &local);
        struct span span = dual_span(s, block, local, !s->leads);
        dual_single_add(block, local, span, factor, s->single);
    }
    if (turn >= pair->turns) return;
    struct post *part = &pair->part[turn % RING];
    for (size_t k = 0; k < DUAL_GROUP; k++) {
        size_t i = row_of(s, turn, k);
        if (!is_visited(s, i)) continue;
        const struct block *block = matrix_block_of(&s->o->rows, i, &local);
        struct span span = dual_span(s, block, local, !s->leads);
        part->number[k] = dual_single_dot(block, local, span, s->single);
    }
    tell(part, turn, false);
}

static void lead_turn(struct pair *pair, size_t turn) {
    struct dual *s = pair->s;
    const struct post *part = &pair->part[turn % RING];
    double *factor = pair->factor[turn % RING].number;
    for (size_t k = 0; k < DUAL_GROUP; k++) {
        size_t i = row_of(s, turn, k), local;
        factor[k] = 0;
        if (!is_visited(s, i)) continue;
        const struct block *block = matrix_block_of(&s->o->rows, i, &local);
        struct span span = dual_span(s, block, local, s->leads);
        double score = dual_single_dot(block, local, span, s->single) + part->number[k];
        factor[k] = dual_move(s, i, score);
        if (factor[k] != 0) dual_single_add(block, local, span, factor[k], s->single);
        if (dual_stops(s, pair->out)) pair->stopped = true;
    }
}

/* ---- threads ------------------------------------------------------------------------------ */

static bool has_come(struct post *post, size_t turn) {
    return atomic_load_explicit(&post->turns, memory_order_acquire) == turn + 1;
}

/* Nanoseconds waited beyond a moment. */
static uint64_t await(struct post *post, size_t turn) {
    enum { SPINS = 5000 };
    for (int spin = 0; spin < SPINS; spin++)
        if (has_come(post, turn)) return 0;
    uint64_t from = clock_ns();
    while (!has_come(post, turn)) sched_yield();
    return clock_ns() - from;
}

/* The other thread has to share its core, as it seems. */
static bool is_late(const struct pair *pair, uint64_t late) {
    static const uint64_t much = 5000000;
    return late > much && late > (clock_ns() - pair->since) / 2;
}

static void lead(struct pair *pair) {
    uint64_t late = 0;
    size_t turn = 0;
    for (bool last = false; !last && turn < pair->turns; turn++) {
        late += await(&pair->part[turn % RING], turn);
        lead_turn(pair, turn);
        last = pair->stopped || is_late(pair, late);
        tell(&pair->factor[turn % RING], turn, last);
    }
    pair->led = turn;
    pair->late = late;
}

static void follow(struct pair *pair) {
    bool last = false;
    size_t turn = 0;
    for (; !last && turn < pair->turns + 1 + LAG; turn++) {
        size_t due = turn - 1 - LAG;
        struct post *factor = &pair->factor[due % RING];
        if (turn > LAG) {
            await(factor, due);
            last = factor->last;
        }
        follow_turn(pair, turn);
    }
    pair->followed = turn;
}

static sepal_status work(sepal_ctx *ctx, size_t worker, void *payload) {
    (void)ctx;
    if (worker == 0) lead(payload);
    if (worker == 1) follow(payload);
    return SEPAL_OK;
}

/* What two threads have left, or all of it. */
static void finish_alone(struct pair *pair) {
    while (pair->followed < pair->turns + 1 + LAG) {
        if (pair->stopped) pair->turns = pair->led;
        if (pair->led < pair->turns && pair->led < pair->followed)
            lead_turn(pair, pair->led++);
        else
            follow_turn(pair, pair->followed++);
    }
}

sepal_status dual_pair(struct dual *s, const struct outlook *out, bool *stopped) {
    enum { ALONE = 2 };
    struct pair pair = {.s = s, .seen = *s, .out = out, .turns = s->groups, .since = clock_ns()};
    if (s->alone > 0) {
        s->alone--;
    } else if (parallel_width(s->o->ctx) > 1) {
        TRY(parallel_workers(s->o->ctx, work, &pair));
        if (is_late(&pair, pair.late)) s->alone = ALONE;
    }
    finish_alone(&pair);
    *stopped = pair.stopped;
    return SEPAL_OK;
}
