/* Isotonic regression (Zadrozny and Elkan 2002): of all functions that do not fall with the score, the one
   with the least squared error, by pooling adjacent violators. */
#include "linear/calibration.h"

#include "core/alloc.h"

#include <math.h>
#include <stdlib.h>

struct scored {
    double score, weight, of_class; /* the weight, and 0 unless the row is of the class */
    size_t row;
};

static int by_score(const void *a, const void *b) {
    const struct scored *one = a, *other = b;
    if (one->score != other->score)
        return (one->score > other->score) - (one->score < other->score);
    return (one->row > other->row) - (one->row < other->row);
}

/* Rows [first, end) of equal mean; scores from `least` to `most`. */
struct pool_block {
    double least, most, weight, of_class;
};

static double mean_of(const struct pool_block *block) {
    return block->of_class / block->weight;
}

/* Blocks of rising means; their number. */
static size_t pool_adjacent(struct pool_block *blocks, const struct scored *rows, size_t n) {
    size_t used = 0;
    for (size_t i = 0; i < n;) {
        struct pool_block next = {rows[i].score, rows[i].score, 0, 0};
        for (; i < n && rows[i].score == next.least; i++) { /* ties are one block from the start */
            next.weight += rows[i].weight;
            next.of_class += rows[i].of_class;
        }
        while (used > 0 && mean_of(&blocks[used - 1]) >= mean_of(&next)) {
            const struct pool_block *before = &blocks[--used];
            next.least = before->least;
            next.weight += before->weight;
            next.of_class += before->of_class;
        }
        blocks[used++] = next;
    }
    return used;
}

static void put_knot(double *out, size_t *used, size_t f, double score, double p) {
    double *knot = out + *used * KNOT_NUMBERS;
    knot[KNOT_CLASS] = (double)f;
    knot[KNOT_SCORE] = score;
    knot[KNOT_P] = fmin(fmax(p, 0), 1);
    ++*used;
}

sepal_status calibration_fit_isotonic(double *out, size_t *used, sepal_ctx *ctx,
                                      const struct calibration_rows *rows, size_t stride, size_t f,
                                      int32_t class) {
    size_t n = rows->n;
    struct scored *sorted = mem_alloc(ctx, n, sizeof *sorted);
    struct pool_block *blocks = mem_alloc(ctx, n, sizeof *blocks);
    *used = 0;
    for (size_t i = 0; sorted && i < n; i++) {
        double weight = calibration_weight(rows, i);
        sorted[i] = (struct scored){rows->inputs[i * stride + f] + 0.0, weight,
                                    rows->label[i] == class ? weight : 0, i};
    }
    if (sorted && blocks) {
        qsort(sorted, n, sizeof *sorted, by_score);
        size_t pooled = pool_adjacent(blocks, sorted, n);
        for (size_t b = 0; b < pooled;
             b++) { /* a block is level from its first score to its last */
            put_knot(out, used, f, blocks[b].least, mean_of(&blocks[b]));
            if (blocks[b].most > blocks[b].least)
                put_knot(out, used, f, blocks[b].most, mean_of(&blocks[b]));
        }
    }
    sepal_status status = sorted && blocks ? SEPAL_OK : SEPAL_EMEMORY;
    mem_free(sorted);
    mem_free(blocks);
    return status;
}
