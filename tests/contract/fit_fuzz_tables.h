/* Small tables of odd kinds for the fit fuzzer. A table is drawn from a stream of random numbers: a
   shape, a style of values, then any of the oddities below on top of each other. */
#ifndef TESTS_FIT_FUZZ_TABLES_H
#define TESTS_FIT_FUZZ_TABLES_H

#include "contract/strategy_problem.h"

#include "data/entries.h"

enum { CLASSES_MOST = 12, WORDS_BYTES = 400, BLOCK_ROWS_MOST = 4096 };

struct table {
    struct problem p;
    bool sparse;
    bool blurred;            /* columns differ by little more than their last bits */
    char words[WORDS_BYTES]; /* how it was made */
};

/* True with this chance. */
static inline bool chance(struct rng *rng, double of) {
    return rng_unit(rng) < of;
}

static inline size_t between(struct rng *rng, size_t least, size_t most) {
    return least + rng_below(rng, most - least + 1);
}

static inline double power_of_ten(struct rng *rng, double least, double most) {
    return pow(10, least + (most - least) * rng_unit(rng));
}

static inline void say(struct table *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static inline void say(struct table *t, const char *format, ...) {
    size_t used = strlen(t->words);
    va_list list;
    va_start(list, format);
    (void)vsnprintf(t->words + used, sizeof t->words - used, format, list);
    va_end(list);
}

static inline double *cell(const struct table *t, size_t i, size_t j) {
    return &t->p.x[i * t->p.cols + j];
}

/* ---- shapes ------------------------------------------------------------------------------------- */

static inline void *room(size_t n, size_t size) {
    void *out = calloc(n + 1, size);
    assert_non_null(out);
    return out;
}

static inline struct table table_of(size_t rows, size_t cols, size_t classes) {
    struct table t = {.p = {.rows = rows, .cols = cols, .classes = classes}};
    t.p.x = room(rows * cols, sizeof *t.p.x);
    t.p.label = room(rows, sizeof *t.p.label);
    return t;
}

static inline void table_free(struct table *t) {
    problem_free(&t->p);
}

/* `wide`: some may have more than six columns; `tall`: more rows than a block. */
static inline struct table shape_draw(struct rng *rng, bool wide, bool tall) {
    size_t classes = chance(rng, 0.5) ? 2 : between(rng, 3, chance(rng, 0.2) ? CLASSES_MOST : 5);
    size_t cols = between(rng, 2, 6);
    if (chance(rng, 0.15)) cols = 1;
    if (chance(rng, 0.1) && wide) cols = between(rng, 20, 60);
    size_t rows = classes + between(rng, 0, 50);
    if (chance(rng, 0.1)) rows = classes; /* one row a class */
    if (chance(rng, 0.05) && tall) {      /* more blocks than one */
        static const size_t many[] = {BLOCK_ROWS_MOST + 1, BLOCK_ROWS_MOST + 200,
                                      2 * BLOCK_ROWS_MOST};
        rows = many[rng_below(rng, 3)];
        cols = between(rng, 1, 3);
        classes = between(rng, 2, 3);
    }
    struct table t = table_of(rows, cols, classes);
    say(&t, "%zu x %zu, %zu classes", rows, cols, classes);
    for (size_t i = 0; i < rows; i++)
        t.p.label[i] = (int)(i < classes ? i : rng_below(rng, classes));
    return t;
}

/* ---- styles of values --------------------------------------------------------------------------- */

static inline void fill_cells(struct table *t, struct rng *rng) {
    static const char *const styles[] = {"clouds", "counts", "bits", "tenths", "sparse", "noise"};
    size_t style = rng_below(rng, 6);
    double apart = chance(rng, 0.3) ? 6 : 1;
    say(t, ", %s", styles[style]);
    for (size_t i = 0; i < t->p.rows; i++)
        for (size_t j = 0; j < t->p.cols; j++) {
            bool own = j % t->p.classes == (size_t)t->p.label[i];
            double x = normal(rng) + (own ? apart : 0);
            if (style == 1) x = floor(fabs(2 * x));
            if (style == 2) x = x > 0.7;
            if (style == 3) x = round(x) / 10;
            if (style == 4 && chance(rng, 0.8)) x = 0;
            if (style == 5) x = normal(rng);
            *cell(t, i, j) = x;
        }
}

/* ---- oddities ----------------------------------------------------------------------------------- */

/* Blocks choose how they keep their values one by one. */
static inline void differ_by_block(struct table *t, struct rng *rng) {
    size_t first = t->p.rows > BLOCK_ROWS_MOST ? BLOCK_ROWS_MOST : t->p.rows / 2;
    bool zeros = chance(rng, 0.5), turned = chance(rng, 0.3);
    say(t, ", %s", zeros ? "zeros then numbers" : "singles then doubles");
    for (size_t i = 0; i < t->p.rows; i++)
        for (size_t j = 0; j < t->p.cols; j++) {
            if ((i < first) == turned) continue;
            *cell(t, i, j) = zeros ? 0 : (double)(float)*cell(t, i, j);
        }
    for (size_t i = first; zeros && !turned && i < t->p.rows; i++)
        for (size_t j = 0; j < t->p.cols; j++) *cell(t, i, j) = i % 2 ? 0 : 0.1;
}

static inline void make_constant(struct table *t, struct rng *rng) {
    size_t j = rng_below(rng, t->p.cols);
    double value = chance(rng, 0.3) ? 0 : power_of_ten(rng, -3, 6);
    say(t, ", column %zu constant %g", j, value);
    for (size_t i = 0; i < t->p.rows; i++) *cell(t, i, j) = value;
}

static inline void offset(struct table *t, struct rng *rng) {
    double by = power_of_ten(rng, 3, 9);
    bool all = chance(rng, 0.5), whole = chance(rng, 0.5);
    size_t only = rng_below(rng, t->p.cols);
    if (whole) by = round(by);
    say(t, ", %s offset %g", all ? "all" : "one", by);
    for (size_t i = 0; i < t->p.rows; i++)
        for (size_t j = 0; j < t->p.cols; j++)
            if (all || j == only) *cell(t, i, j) += by;
}

/* All columns alike, or each by its own factor. */
static inline void scale(struct table *t, struct rng *rng) {
    bool far = chance(rng, 0.5), alike = chance(rng, 0.6);
    double least = far ? -120 : -6, most = far ? 60 : 6, by = power_of_ten(rng, least, most);
    say(t, ", %s scaled by %g", alike ? "all" : "each", by);
    for (size_t j = 0; j < t->p.cols; j++) {
        if (!alike && j) by = power_of_ten(rng, least, most);
        for (size_t i = 0; i < t->p.rows; i++) *cell(t, i, j) *= by;
    }
}

/* Rows that others equal, of their class or not. */
static inline void repeat_rows(struct table *t, struct rng *rng) {
    size_t n = 1 + rng_below(rng, t->p.rows);
    say(t, ", %zu rows copied", n);
    for (; n > 0; n--) {
        size_t to = rng_below(rng, t->p.rows), from = rng_below(rng, t->p.rows);
        memcpy(cell(t, to, 0), cell(t, from, 0), t->p.cols * sizeof *t->p.x);
    }
}

static inline void make_label_column(struct table *t, struct rng *rng) {
    size_t j = rng_below(rng, t->p.cols);
    say(t, ", column %zu is the label", j);
    for (size_t i = 0; i < t->p.rows; i++) *cell(t, i, j) = t->p.label[i];
}

/* Columns that differ by less may be taken for equal: a number is not known to more digits, nor a sum. */
static const double ROUNDING_SEEN = 1e-14;

/* A column that another one equals, or almost. */
static inline void repeat_column(struct table *t, struct rng *rng) {
    size_t to = rng_below(rng, t->p.cols), from = rng_below(rng, t->p.cols);
    double noise = chance(rng, 0.3) ? power_of_ten(rng, -15, -6) : 0;
    say(t, ", column %zu = column %zu", to, from);
    if (noise > 0) say(t, " (1 + %g normal)", noise);
    t->blurred = t->blurred || (noise > 0 && noise < ROUNDING_SEEN);
    for (size_t i = 0; i < t->p.rows; i++)
        *cell(t, i, to) = *cell(t, i, from) * (1 + noise * normal(rng));
}

/* Whole numbers, which can be copies, or any; some 0, but never all of a class. */
static inline void weigh(struct table *t, struct rng *rng) {
    bool whole = chance(rng, 0.6), spread = chance(rng, 0.2), zeros = chance(rng, 0.6);
    bool seen[CLASSES_MOST] = {0};
    say(t, ", %s weights%s",
        whole    ? "whole"
        : spread ? "far apart"
                 : "real",
        zeros ? " with zeros" : "");
    t->p.weight = room(t->p.rows, sizeof *t->p.weight);
    for (size_t i = 0; i < t->p.rows; i++) {
        double w = whole    ? (double)between(rng, 1, 3)
                   : spread ? power_of_ten(rng, -8, 8)
                            : 0.1 + 3 * rng_unit(rng);
        if (zeros && seen[t->p.label[i]] && chance(rng, 0.3)) w = 0;
        seen[t->p.label[i]] = true;
        t->p.weight[i] = w;
    }
}

static inline struct table table_draw(struct rng *rng, bool wide, bool tall) {
    struct table t = shape_draw(rng, wide, tall);
    bool many = t.p.rows > BLOCK_ROWS_MOST;
    fill_cells(&t, rng);
    if (many ? chance(rng, 0.8) : chance(rng, 0.05)) differ_by_block(&t, rng);
    if (chance(rng, 0.1)) make_constant(&t, rng);
    if (chance(rng, 0.1)) repeat_column(&t, rng);
    if (chance(rng, 0.05)) make_label_column(&t, rng);
    if (chance(rng, 0.15)) repeat_rows(&t, rng);
    if (chance(rng, 0.15)) offset(&t, rng);
    if (chance(rng, 0.15)) scale(&t, rng);
    if (chance(rng, 0.3)) weigh(&t, rng);
    t.sparse = chance(rng, 0.3);
    if (t.sparse) say(&t, ", kept sparse");
    return t;
}

/* ---- as data ------------------------------------------------------------------------------------ */

/* The same rows in sparse storage, each block's values kept as a reader keeps them. */
static inline void store_sparse(sepal_data *data) {
    struct matrix from = data->matrix, to;
    assert_int_equal(matrix_init(&to, ctx, from.rows, from.cols, true), SEPAL_OK);
    for (size_t b = 0; b < to.n_blocks; b++) {
        struct block *block = &to.blocks[b];
        struct entries entries;
        assert_int_equal(entries_init(&entries, ctx, block->rows), SEPAL_OK);
        for (size_t i = 0; i < block->rows; i++) {
            size_t at = 0, j;
            double x;
            while (row_next(&from.blocks[b], i, to.cols, &at, &j, &x))
                assert_int_equal(entries_push(&entries, ctx, j, x), SEPAL_OK);
            entries.start[i + 1] = entries.n;
        }
        assert_int_equal(entries_to_block(&entries, ctx, block), SEPAL_OK);
        to.nonzeros += entries.n;
        entries_clear(&entries);
    }
    matrix_clear(&data->matrix);
    data->matrix = to;
}

/* `names`: of the classes, CLASSES_MOST of them. */
static inline sepal_data *table_data(const struct table *t, const char *const *names) {
    const char **labels = room(t->p.rows, sizeof *labels);
    sepal_data *data = NULL;
    for (size_t i = 0; i < t->p.rows; i++) labels[i] = names[t->p.label[i]];
    if (data_from_dense(&data, ctx, t->p.x, t->p.rows, t->p.cols, labels, t->p.weight) != SEPAL_OK)
        fail_msg("%s: %s", t->words, ctx->error.message);
    free(labels);
    if (t->sparse) store_sparse(data);
    return data;
}

#endif
