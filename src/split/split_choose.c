/* Which rows are to test: a share of each class, the last ones, or whole groups. */
#include "core/alloc.h"
#include "core/rng.h"
#include "split/split.h"

#include <math.h>
#include <string.h>

static sepal_status choose_last(unsigned char *side, size_t rows, double share) {
    size_t test = (size_t)(share * (double)rows + 0.5);
    if (test == 0) test = 1;
    if (test == rows) test--;
    for (size_t i = 0; i < rows; i++) side[i] = i < rows - test ? SIDE_TRAIN : SIDE_TEST;
    return SEPAL_OK;
}

static sepal_status choose_by_class(unsigned char *side, sepal_ctx *ctx, const sepal_data *data,
                                    double share) {
    size_t rows = data->matrix.rows;
    bool *chosen = mem_zero(ctx, rows, sizeof *chosen);
    if (!chosen) return SEPAL_EMEMORY;
    sepal_status status = data_mark_part(chosen, ctx, data, share, 0);
    for (size_t i = 0; i < rows; i++) side[i] = chosen[i] ? SIDE_TEST : SIDE_TRAIN;
    mem_free(chosen);
    return status;
}

/* ---- groups ------------------------------------------------------------------------------- */

struct grouping {
    sepal_ctx *ctx;
    const sepal_data *data;
    double share;
    size_t groups, classes;
    const uint32_t *group; /* of each row */
    uint32_t *order;       /* the groups, shuffled */
    size_t *start, *row;   /* group g has the rows row[start[g] .. start[g+1]-1] */
    double *want;          /* rows of each class that the test still lacks */
    bool *tests;
};

static size_t class_of(const struct grouping *all, size_t row) {
    return all->data->label ? (size_t)all->data->label[row] : 0;
}

/* How far the test is from its share of each class; `sign` 1 takes the group off what it lacks. */
static double lack_with(struct grouping *all, size_t g, double sign) {
    double lack = 0;
    for (size_t i = all->start[g]; i < all->start[g + 1]; i++)
        all->want[class_of(all, all->row[i])] -= sign;
    for (size_t k = 0; k < all->classes; k++) lack += fabs(all->want[k]);
    return lack;
}

static sepal_status grouping_room(struct grouping *all, struct arena *arena) {
    size_t rows = all->data->matrix.rows;
    all->order = arena_alloc(all->ctx, arena, all->groups, sizeof *all->order);
    all->start = arena_zero(all->ctx, arena, all->groups + 1, sizeof *all->start);
    all->row = arena_alloc(all->ctx, arena, rows, sizeof *all->row);
    all->want = arena_zero(all->ctx, arena, all->classes, sizeof *all->want);
    all->tests = arena_zero(all->ctx, arena, all->groups, sizeof *all->tests);
    if (!all->order || !all->start || !all->row || !all->want || !all->tests) return SEPAL_EMEMORY;
    for (size_t i = 0; i < rows; i++) all->start[all->group[i] + 1]++;
    for (size_t g = 0; g < all->groups; g++) all->start[g + 1] += all->start[g];
    for (size_t i = rows; i-- > 0;) all->row[--all->start[all->group[i] + 1]] = i;
    /* start[g + 1] is now where group g begins */
    memmove(all->start, all->start + 1, all->groups * sizeof *all->start);
    all->start[all->groups] = rows;
    for (size_t i = 0; i < rows; i++) all->want[class_of(all, i)] += all->share;
    return SEPAL_OK;
}

/* Groups come by chance, and one tests if that brings the test nearer to its share of every class. */
static void choose_groups(struct grouping *all) {
    enum { GROUP_STREAM = 0x67726f75 };
    struct rng rng = rng_make(all->ctx->seed, GROUP_STREAM);
    double lack = 0;
    size_t tests = 0;
    for (size_t g = 0; g < all->groups; g++) all->order[g] = (uint32_t)g;
    rng_shuffle(&rng, all->order, all->groups);
    for (size_t k = 0; k < all->classes; k++) lack += fabs(all->want[k]);
    for (size_t k = 0; k < all->groups; k++) {
        size_t g = all->order[k];
        double with = lack_with(all, g, 1);
        bool last = tests == k && k + 1 == all->groups; /* something must be left to learn from */
        if (with < lack && !last) {
            all->tests[g] = true;
            tests++;
            lack = with;
        } else {
            (void)lack_with(all, g, -1);
        }
    }
    if (tests == 0) { /* all of them are larger than the share: the smallest */
        size_t least = 0;
        for (size_t g = 1; g < all->groups; g++)
            if (all->start[g + 1] - all->start[g] < all->start[least + 1] - all->start[least])
                least = g;
        all->tests[least] = true;
    }
}

static sepal_status choose_by_group(unsigned char *side, sepal_ctx *ctx, sepal_data *data,
                                    const struct split_options *options) {
    struct arena arena = {0};
    TRY(data_group_by_kept(data, ctx, options->group));
    struct grouping all = {.ctx = ctx,
                           .data = data,
                           .share = options->test,
                           .groups = data->n_groups,
                           .group = data->group};
    all.classes = data->label ? data->schema->n_classes : 1;
    sepal_status status = SEPAL_OK;
    if (all.groups < 2)
        status = fail(ctx, SEPAL_EDATA,
                      "all rows are of one group of '%s', which cannot be on both sides; name "
                      "another column with " OPTION "group",
                      options->group);
    if (status == SEPAL_OK) status = grouping_room(&all, &arena);
    if (status == SEPAL_OK) choose_groups(&all);
    for (size_t i = 0; i < data->matrix.rows && status == SEPAL_OK; i++)
        side[i] = all.tests[all.group[i]] ? SIDE_TEST : SIDE_TRAIN;
    arena_clear(&arena);
    return status;
}

sepal_status split_choose(unsigned char *side, sepal_ctx *ctx, sepal_data *data,
                          const struct split_options *options) {
    size_t rows = data->matrix.rows;
    if (rows < 2)
        return fail(ctx, SEPAL_EDATA, "%zu row%s cannot be split in two", rows,
                    rows == 1 ? "" : "s");
    if (rows > UINT32_MAX) return fail(ctx, SEPAL_EDATA, "too many rows to split");
    if (options->ordered) return choose_last(side, rows, options->test);
    return options->group ? choose_by_group(side, ctx, data, options)
                          : choose_by_class(side, ctx, data, options->test);
}
