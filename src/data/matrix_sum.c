/* Sums over blocks by a fixed binary tree: node (level, i) covers the blocks i 2^level up to
   (i+1) 2^level - 1, left half plus right half. Whoever finishes the second child of a node adds
   the two, so the order of additions is the tree's, not the threads'. Few partial sums wait at any
   time: blocks are handed out in order, so a level has hardly more of them than there are threads. */
#include "data/matrix.h"

#include "core/alloc.h"
#include "core/lock.h"
#include "core/parallel.h"

#include <string.h>

struct partial_sum {
    struct partial_sum *next; /* in the list of waiting or of free ones */
    unsigned level;
    size_t i;
    double sum[];
};

struct matrix_summing {
    const struct matrix *matrix;
    size_t width;
    block_sum_fn add;
    void *payload;
    struct lock lock;
    struct partial_sum *waiting, *spare;
};

static struct partial_sum *take_spare(struct matrix_summing *all, sepal_ctx *ctx) {
    lock_take(&all->lock);
    struct partial_sum *partial = all->spare;
    if (partial) all->spare = partial->next;
    lock_give(&all->lock);
    if (!partial) partial = mem_alloc(ctx, sizeof *partial + all->width * sizeof(double), 1);
    if (partial) memset(partial->sum, 0, all->width * sizeof(double));
    return partial;
}

/* The brother of `mine` if it waits; else `mine` is put to wait and NULL returned. */
static struct partial_sum *meet(struct matrix_summing *all, struct partial_sum *mine) {
    lock_take(&all->lock);
    struct partial_sum **link = &all->waiting;
    while (*link && ((*link)->level != mine->level || (*link)->i != (mine->i ^ 1)))
        link = &(*link)->next;
    struct partial_sum *brother = *link;
    if (brother) {
        *link = brother->next;
    } else {
        mine->next = all->waiting;
        all->waiting = mine;
    }
    lock_give(&all->lock);
    return brother;
}

/* left += right; the sum keeps the left one's memory. */
static struct partial_sum *matrix_sum_join(struct matrix_summing *all, struct partial_sum *left,
                                           struct partial_sum *right) {
    for (size_t j = 0; j < all->width; j++) left->sum[j] += right->sum[j];
    lock_take(&all->lock);
    right->next = all->spare;
    all->spare = right;
    lock_give(&all->lock);
    left->level++;
    left->i /= 2;
    return left;
}

static sepal_status one_block(sepal_ctx *ctx, size_t b, void *payload) {
    struct matrix_summing *all = payload;
    struct partial_sum *mine = take_spare(all, ctx);
    if (!mine) return SEPAL_EMEMORY;
    mine->level = 0;
    mine->i = b;
    sepal_status status = all->add(ctx, &all->matrix->blocks[b], mine->sum, all->payload);
    if (status != SEPAL_OK) {
        mem_free(mine);
        return status;
    }
    for (struct partial_sum *brother; (brother = meet(all, mine));)
        mine = mine->i < brother->i ? matrix_sum_join(all, mine, brother)
                                    : matrix_sum_join(all, brother, mine);
    return SEPAL_OK;
}

/* What still waits are the subtrees of the binary digits of n_blocks: add the small ones, which
   are the rightmost, to the larger ones on their left. */
static void matrix_sum_collect(struct matrix_summing *all, double *out) {
    memset(out, 0, all->width * sizeof *out);
    for (bool first = true; all->waiting; first = false) {
        struct partial_sum **least = &all->waiting;
        for (struct partial_sum **link = least; *link; link = &(*link)->next)
            if ((*link)->level < (*least)->level) least = link;
        struct partial_sum *partial = *least;
        *least = partial->next;
        for (size_t j = 0; j < all->width; j++)
            out[j] = first ? partial->sum[j] : partial->sum[j] + out[j];
        mem_free(partial);
    }
}

static void free_list(struct partial_sum *list) {
    for (struct partial_sum *next; list; list = next) {
        next = list->next;
        mem_free(list);
    }
}

sepal_status matrix_sum(double *out, sepal_ctx *ctx, const struct matrix *matrix, size_t width,
                        block_sum_fn add, void *payload) {
    return matrix_sum_if(matrix->n_blocks > 1, out, ctx, matrix, width, add, payload);
}

sepal_status matrix_sum_if(bool pays, double *out, sepal_ctx *ctx, const struct matrix *matrix,
                           size_t width, block_sum_fn add, void *payload) {
    struct matrix_summing all = {
        .matrix = matrix, .width = width, .add = add, .payload = payload, .lock = LOCK_INIT};
    sepal_status status = parallel_if(pays, ctx, matrix->n_blocks, one_block, &all);
    if (status == SEPAL_OK) matrix_sum_collect(&all, out);
    free_list(all.waiting);
    free_list(all.spare);
    return status;
}
