/* Rows in the order of a number, those of a class on one side and all others on the other: what areas,
   curves and their errors are walks along. */
#ifndef SEPAL_EVAL_RANKED_H
#define SEPAL_EVAL_RANKED_H

#include "core/context.h"

#include <string.h>

/* Which rows are ranked by what. */
struct ranking_rows {
    const double *score;
    size_t n, stride;
    double sign; /* -1: by falling scores; else 0 or 1 */
    const bool *positive;
    const double *weight; /* NULL: all 1 */
};

/* Keys rise as scores fall: the first is of the highest. `note` is what comes with a key, the weight
   of its row or whatever else; NULL: all 1. */
struct ranked_side {
    uint64_t *key;
    double *note;
    size_t n;
};
struct ranked {
    struct ranked_side side[2]; /* the others, those of the class */
    void *memory;
};
/* Rows whose score is no number are left out. With `numbered` the notes are the numbers of the rows. */
sepal_status ranked_make(struct ranked *out, sepal_ctx *ctx, const struct ranking_rows *rows,
                         bool numbered);
void ranked_clear(struct ranked *ranked);

/* The bits of doubles in order, upside down; -0 is 0. */
static inline uint64_t ranked_key(double score) {
    uint64_t bits;
    double plain = score + 0.0;
    memcpy(&bits, &plain, sizeof bits);
    return bits >> 63 ? bits : ~bits & ~(UINT64_C(1) << 63);
}
/* The score of a key, but for its sign if that was turned. */
double ranked_score(uint64_t key);

/* From the highest score down, rows of equal score together. */
struct ranked_walk {
    const struct ranked *ranked;
    size_t at[2];
    uint64_t key;
    double more[2]; /* weight of the others and of those of the class that have this score */
};
static inline struct ranked_walk ranked_begin(const struct ranked *ranked) {
    return (struct ranked_walk){.ranked = ranked};
}
/* False: there are no more. */
static inline bool ranked_next(struct ranked_walk *walk) {
    const struct ranked_side *none = &walk->ranked->side[0], *own = &walk->ranked->side[1];
    size_t i = walk->at[0], j = walk->at[1];
    if (i == none->n && j == own->n) return false;
    uint64_t key = i == none->n                                ? own->key[j]
                   : j == own->n || none->key[i] < own->key[j] ? none->key[i]
                                                               : own->key[j];
    walk->key = key;
    walk->more[0] = walk->more[1] = 0;
    for (int s = 0; s < 2; s++) {
        const struct ranked_side *side = &walk->ranked->side[s];
        size_t at = walk->at[s];
        for (; at < side->n && side->key[at] == key; at++)
            walk->more[s] += side->note ? side->note[at] : 1;
        walk->at[s] = at;
    }
    return true;
}

#endif
