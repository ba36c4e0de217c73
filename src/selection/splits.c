/* Splits of each manner. A fold of a cross-validation is kept by the rows that it holds out: those to learn
   from are all others, so that leaving one out takes no memory of rows squared. */
#include "selection/splits.h"

#include "core/alloc.h"
#include "core/rng.h"
#include "selection/folds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct splitting {
    sepal_ctx *ctx;
    const sepal_data *data;
    const struct split_plan *plan;
    struct splits *out;
    uint32_t *fold; /* of each row; NO_FOLD: always learnt from */
};
static const uint32_t NO_FOLD = UINT32_MAX;

void splits_clear(struct splits *splits) {
    arena_clear(&splits->arena);
    *splits = (struct splits){0};
}

size_t split_train_rows(size_t *out, const struct split *split, size_t rows) {
    size_t n = 0, row = 0;
    for (size_t i = 0; split->train && i < split->n_train; i++) out[n++] = split->train[i];
    if (split->train) return n;
    for (size_t held = 0; held < split->n_valid; held++, row++)
        while (row < split->valid[held]) out[n++] = row++;
    while (row < rows) out[n++] = row++;
    return n;
}

void split_name(char out[SPLIT_NAME_BYTES], const struct splits *splits, size_t s) {
    const struct split *split = &splits->of[s];
    int n = snprintf(out, SPLIT_NAME_BYTES, "fold %zu of %zu", split->fold + 1, splits->folds);
    if (splits->folds == 1) n = snprintf(out, SPLIT_NAME_BYTES, "split");
    if (splits->repeats > 1 && n > 0)
        (void)snprintf(out + n, SPLIT_NAME_BYTES - (size_t)n, " (repeat %zu of %zu)",
                       split->repeat + 1, splits->repeats);
}

/* ---- room --------------------------------------------------------------------------------- */

static sepal_status make_room(struct splitting *all, size_t folds, size_t repeats) {
    struct splits *out = all->out;
    out->n = folds * repeats;
    out->folds = folds;
    out->repeats = repeats;
    out->of = arena_zero(all->ctx, &out->arena, out->n, sizeof *out->of);
    if (!out->of) return SEPAL_EMEMORY;
    for (size_t s = 0; s < out->n; s++) {
        out->of[s].repeat = s / folds;
        out->of[s].fold = s % folds;
    }
    return SEPAL_OK;
}

/* The rows of each fold from all->fold, for one repeat. */
static sepal_status take_folds(struct splitting *all, size_t repeat) {
    struct splits *out = all->out;
    struct split *of = out->of + repeat * out->folds;
    size_t rows = all->data->matrix.rows;
    size_t *place = arena_alloc(all->ctx, &out->arena, rows, sizeof *place);
    if (!place) return SEPAL_EMEMORY;
    for (size_t i = 0; i < rows; i++)
        if (all->fold[i] != NO_FOLD) of[all->fold[i]].n_valid++;
    for (size_t f = 0; f < out->folds; f++) {
        of[f].valid = place;
        place += of[f].n_valid;
        of[f].n_train = rows - of[f].n_valid;
        of[f].n_valid = 0;
    }
    for (size_t i = 0; i < rows; i++)
        if (all->fold[i] != NO_FOLD) of[all->fold[i]].valid[of[all->fold[i]].n_valid++] = i;
    return SEPAL_OK;
}

/* ---- manners ------------------------------------------------------------------------------ */

static sepal_status split_stratified(struct splitting *all) {
    size_t folds = all->plan->folds, repeats = all->plan->repeats ? all->plan->repeats : 1;
    TRY(make_room(all, folds, repeats));
    for (size_t r = 0; r < repeats; r++) {
        TRY(folds_make(all->fold, all->ctx, all->data, folds, r));
        TRY(take_folds(all, r));
    }
    return SEPAL_OK;
}

static sepal_status split_each_row(struct splitting *all) {
    size_t rows = all->data->matrix.rows;
    if (rows < 2)
        return fail(all->ctx, SEPAL_EDATA,
                    "there is one row, and when it is left out nothing is left to learn from");
    TRY(make_room(all, rows, 1));
    for (size_t i = 0; i < rows; i++) all->fold[i] = (uint32_t)i;
    return take_folds(all, 0);
}

struct group_size {
    size_t rows, group, order; /* order: drawn, for groups of one size */
};

/* The largest first. */
static int group_order(const void *a, const void *b) {
    const struct group_size *x = a, *y = b;
    if (x->rows != y->rows) return x->rows > y->rows ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Each to the fold that has the fewest rows, the largest first. */
static sepal_status deal_groups(struct splitting *all, size_t repeat, uint32_t *shuffled,
                                struct group_size *size) {
    enum { GROUP_STREAM = 0x67727570 };
    const sepal_data *data = all->data;
    size_t n = data->n_groups, folds = all->plan->folds;
    size_t *taken = arena_zero(all->ctx, &all->out->arena, folds, sizeof *taken);
    uint32_t *of_group = arena_alloc(all->ctx, &all->out->arena, n, sizeof *of_group);
    if (!taken || !of_group) return SEPAL_EMEMORY;
    for (size_t g = 0; g < n; g++) shuffled[g] = (uint32_t)g;
    struct rng rng = rng_make(all->ctx->seed, GROUP_STREAM + ((uint64_t)repeat << 32));
    rng_shuffle(&rng, shuffled, n);
    for (size_t g = 0; g < n; g++) size[g] = (struct group_size){.group = g, .order = shuffled[g]};
    for (size_t i = 0; i < data->matrix.rows; i++) size[data->group[i]].rows++;
    qsort(size, n, sizeof *size, group_order);
    for (size_t g = 0; g < n; g++) {
        size_t least = 0;
        for (size_t f = 1; f < folds; f++)
            if (taken[f] < taken[least]) least = f;
        taken[least] += size[g].rows;
        of_group[size[g].group] = (uint32_t)least;
    }
    for (size_t i = 0; i < data->matrix.rows; i++) all->fold[i] = of_group[data->group[i]];
    return take_folds(all, repeat);
}

static size_t groups_present(const sepal_data *data, uint32_t *seen) {
    size_t n = 0;
    for (size_t g = 0; g < data->n_groups; g++) seen[g] = 0;
    for (size_t i = 0; i < data->matrix.rows; i++) n += seen[data->group[i]]++ == 0;
    return n;
}

static sepal_status split_groups(struct splitting *all) {
    const sepal_data *data = all->data;
    size_t n = data->n_groups, folds = all->plan->folds;
    size_t repeats = all->plan->repeats ? all->plan->repeats : 1;
    uint32_t *shuffled = arena_alloc(all->ctx, &all->out->arena, n, sizeof *shuffled);
    struct group_size *size = arena_alloc(all->ctx, &all->out->arena, n, sizeof *size);
    if (!shuffled || !size) return SEPAL_EMEMORY;
    size_t present = groups_present(data, shuffled);
    if (present < 2)
        return fail(all->ctx, SEPAL_EDATA,
                    "all rows are of one group, and while it is held out nothing is left to learn "
                    "from; is " OPTION "group the right column?");
    if (present < folds)
        return fail(all->ctx, SEPAL_EUSAGE,
                    "%zu groups are fewer than the %zu folds, and no group may be in two of them; "
                    "give " OPTION "folds %zu or fewer",
                    present, folds, present);
    TRY(make_room(all, folds, repeats));
    for (size_t r = 0; r < repeats; r++) TRY(deal_groups(all, r, shuffled, size));
    return SEPAL_OK;
}

/* The last `folds` of folds + 1 blocks, as equal as can be from the end; what is over is learnt from. */
static sepal_status split_ordered(struct splitting *all) {
    size_t rows = all->data->matrix.rows, folds = all->plan->folds, block = rows / (folds + 1);
    if (block == 0)
        return fail(all->ctx, SEPAL_EUSAGE,
                    "%zu rows are too few for %zu folds in their order and a first part to learn "
                    "from; give " OPTION "folds %zu or fewer",
                    rows, folds, rows > 1 ? rows - 1 : 1);
    TRY(make_room(all, folds, 1));
    size_t *number = arena_alloc(all->ctx, &all->out->arena, rows, sizeof *number);
    if (!number) return SEPAL_EMEMORY;
    for (size_t i = 0; i < rows; i++) number[i] = i;
    for (size_t f = 0; f < folds; f++) {
        struct split *split = &all->out->of[f];
        split->n_valid = block;
        split->n_train = rows - (folds - f) * block;
        split->train = number;
        split->valid = number + split->n_train;
    }
    return SEPAL_OK;
}

static int number_order(const void *a, const void *b) {
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static sepal_status split_given(struct splitting *all) {
    const double *given = all->plan->given;
    size_t rows = all->data->matrix.rows, folds = 0;
    double *value = arena_alloc(all->ctx, &all->out->arena, rows, sizeof *value);
    if (!value) return SEPAL_EMEMORY;
    for (size_t i = 0; i < rows; i++) value[i] = given[i];
    qsort(value, rows, sizeof *value, number_order);
    for (size_t i = 0; i < rows; i++)
        if (value[i] >= 0 && (folds == 0 || value[i] != value[folds - 1]))
            value[folds++] = value[i];
    if (folds == 0)
        return fail_at(
            all->ctx, SEPAL_EDATA, all->plan->given_from, 1, 1,
            "no row is in a fold; write a number from 0 on for each row, and -1 for rows "
            "that are always learnt from");
    TRY(make_room(all, folds, 1));
    for (size_t i = 0; i < rows; i++) {
        const double *at = bsearch(&given[i], value, folds, sizeof *value, number_order);
        all->fold[i] = at && given[i] >= 0 ? (uint32_t)(at - value) : NO_FOLD;
    }
    return take_folds(all, 0);
}

static sepal_status split_holdout(struct splitting *all) {
    size_t rows = all->data->matrix.rows, repeats = all->plan->repeats ? all->plan->repeats : 1;
    bool *chosen = arena_alloc(all->ctx, &all->out->arena, rows, sizeof *chosen);
    if (!chosen) return SEPAL_EMEMORY;
    TRY(make_room(all, 1, repeats));
    for (size_t r = 0; r < repeats; r++) {
        for (size_t i = 0; i < rows; i++) chosen[i] = false;
        TRY(data_mark_part(chosen, all->ctx, all->data, all->plan->fraction, r));
        for (size_t i = 0; i < rows; i++) all->fold[i] = chosen[i] ? 0 : NO_FOLD;
        TRY(take_folds(all, r));
        if (all->out->of[r].n_valid == 0 || all->out->of[r].n_train == 0)
            return fail(all->ctx, SEPAL_EDATA,
                        "holding out %g of %zu rows leaves %zu to learn from and %zu to judge by",
                        all->plan->fraction, rows, all->out->of[r].n_train,
                        all->out->of[r].n_valid);
    }
    return SEPAL_OK;
}

/* ---- what cannot be learnt ---------------------------------------------------------------- */

static const char *advice(enum split_manner manner) {
    switch (manner) {
    case SPLIT_GROUPED:
        return "leave the class out, or give other " OPTION "folds or another " OPTION "seed";
    case SPLIT_ORDERED: return "give fewer " OPTION "folds, so that more rows come first";
    case SPLIT_GIVEN: return "put its rows into two folds at least";
    default: return "leave the class out, or add rows of it";
    }
}

/* How many rows of each class are learnt from. */
static void count_learnt(size_t *count, const struct splitting *all, const struct split *split,
                         const size_t *total) {
    const sepal_data *data = all->data;
    for (size_t k = 0; k < data->schema->n_classes; k++) count[k] = split->train ? 0 : total[k];
    for (size_t i = 0; split->train && i < split->n_train; i++)
        count[data->label[split->train[i]]]++;
    for (size_t i = 0; !split->train && i < split->n_valid; i++)
        count[data->label[split->valid[i]]]--;
}

static sepal_status check_learnt(const struct splitting *all) {
    const sepal_data *data = all->data;
    const struct splits *out = all->out;
    size_t classes = data->schema->n_classes, lonely = 0;
    size_t *total = arena_zero(all->ctx, &all->out->arena, classes, sizeof *total);
    size_t *count = arena_alloc(all->ctx, &all->out->arena, classes, sizeof *count);
    if (!total || !count) return SEPAL_EMEMORY;
    for (size_t i = 0; data->label && i < data->matrix.rows; i++) total[data->label[i]]++;
    for (size_t s = 0; s < out->n; s++) {
        const struct split *split = &out->of[s];
        char name[SPLIT_NAME_BYTES];
        split_name(name, out, s);
        lonely += split->n_valid == 1;
        if (split->n_train == 0)
            return fail(all->ctx, SEPAL_EDATA,
                        "%s holds out all rows; nothing is left to learn from", name);
        if (data->label) count_learnt(count, all, split, total);
        for (size_t k = 0; data->label && k < classes; k++)
            if (count[k] == 0 && total[k] > 0)
                return fail(all->ctx, SEPAL_EDATA,
                            "%s has no row of class '%.60s' to learn from: %s; %s", name,
                            data->schema->classes[k],
                            split->train    ? "none comes before its block"
                            : total[k] == 1 ? "the class has a single row, and it is held out"
                                            : "all of them are held out",
                            advice(all->plan->manner));
    }
    if (lonely > 0 && all->plan->manner != SPLIT_LEAVE_ONE_OUT)
        warn(all->ctx, "one-row-folds",
             "%zu of the %zu folds hold out a single row: their accuracy is 0 or 1, and metrics "
             "that "
             "need rows of several classes have no value there",
             lonely, out->n);
    return SEPAL_OK;
}

sepal_status splits_make(struct splits *out, sepal_ctx *ctx, const sepal_data *data,
                         const struct split_plan *plan) {
    static sepal_status (*const manners[])(struct splitting *) = {
        [SPLIT_STRATIFIED] = split_stratified,
        [SPLIT_GROUPED] = split_groups,
        [SPLIT_LEAVE_ONE_OUT] = split_each_row,
        [SPLIT_ORDERED] = split_ordered,
        [SPLIT_GIVEN] = split_given,
        [SPLIT_HOLDOUT] = split_holdout};
    struct splitting all = {.ctx = ctx, .data = data, .plan = plan, .out = out};
    *out = (struct splits){0};
    if (data->matrix.rows >= UINT32_MAX) return fail(ctx, SEPAL_EDATA, "too many rows for folds");
    all.fold = mem_alloc(ctx, data->matrix.rows, sizeof *all.fold);
    if (!all.fold) return SEPAL_EMEMORY;
    sepal_status status = manners[plan->manner](&all);
    if (status == SEPAL_OK) status = check_learnt(&all);
    mem_free(all.fold);
    return status;
}
