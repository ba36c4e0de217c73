/* Columns that alone tell the classes apart, while no other column comes near: mostly they were written down
   after the class was known.

   How well a column tells is Goodman and Kruskal's lambda, the share of the errors of always naming the
   commonest class that are avoided, where each row is predicted without itself: by the other rows of the same
   value, or if there are none, by those of the nearest value. A threshold, several, and a code for the class
   are all found that way, and a number of its own for each row is not. A very good column is no leak: it has
   to be all but perfect, nearly alone, and out of reach of the others. */
#include "doctor/check.h"

#include "core/alloc.h"
#include "core/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PERFECT = 0.99, VERY_GOOD = 0.9;
enum { FEWEST_ERRORS = 20, FIRST_ROWS = 256, TASK_COLUMNS = 32 };

struct labelled {
    double x;
    int32_t label;
};

struct told {
    double lambda;
    size_t errors;
    bool code; /* a value for each class, and no other */
};

struct leak_task {
    const struct doctor *doctor;
    struct told *told; /* of each column */
    size_t base;       /* errors of always naming the commonest class */
};

static int by_number(const void *a, const void *b) {
    const struct labelled *one = a, *other = b;
    return (one->x > other->x) - (one->x < other->x);
}

/* The commonest class of a group of rows, and how many rows it and the next have; `count` is zero before and
   after. */
struct top {
    int32_t label;
    size_t first, second;
};

static struct top find_top(const struct labelled *rows, size_t n, size_t *count) {
    struct top top = {.label = rows[0].label};
    for (size_t k = 0; k < n; k++) count[rows[k].label]++;
    for (size_t k = 0; k < n; k++) {
        size_t c = count[rows[k].label];
        count[rows[k].label] = 0;
        if (c > top.first) {
            top.second = top.first;
            top.first = c;
            top.label = rows[k].label;
        } else if (c > top.second) {
            top.second = c;
        }
    }
    return top;
}

/* The rows of a group that the others of it do not predict. */
static size_t group_errors(const struct top *top, size_t n) {
    bool tied = top->first < top->second + 2; /* one row less, and it is no more the commonest */
    return n - (tied ? 0 : top->first);
}

struct group {
    size_t from, n;
    struct top top;
};

/* A row alone with its value is predicted by the neighbour that is nearer. */
static bool neighbour_errs(const struct labelled *rows, const struct group *groups, size_t g,
                           size_t n_groups) {
    const struct labelled *own = &rows[groups[g].from];
    double below = g > 0 ? own->x - rows[groups[g - 1].from].x : INFINITY;
    double above = g + 1 < n_groups ? rows[groups[g + 1].from].x - own->x : INFINITY;
    if (!isfinite(below) && !isfinite(above)) return true;
    return groups[below <= above ? g - 1 : g + 1].top.label != own->label;
}

static struct told tell(struct labelled *rows, size_t n, size_t classes, bool text, size_t base,
                        size_t *count, struct group *groups) {
    struct told told = {0};
    size_t n_groups = 0;
    qsort(rows, n, sizeof *rows, by_number);
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && rows[to].x == rows[from].x; to++) {
        }
        groups[n_groups++] =
            (struct group){from, to - from, find_top(rows + from, to - from, count)};
    }
    for (size_t g = 0; g < n_groups; g++) {
        if (groups[g].n > 1)
            told.errors += group_errors(&groups[g].top, groups[g].n);
        else
            told.errors += text || neighbour_errs(rows, groups, g, n_groups);
    }
    told.lambda = 1 - (double)told.errors / (double)base;
    told.code = told.errors == 0 && n_groups == classes;
    return told;
}

static size_t base_errors(const struct sample *sample, size_t n, size_t *count) {
    size_t most = 0;
    for (size_t k = 0; k < n; k++) count[sample->label[k]]++;
    for (size_t k = 0; k < n; k++) {
        if (count[sample->label[k]] > most) most = count[sample->label[k]];
        count[sample->label[k]] = 0;
    }
    return n - most;
}

struct leak_room {
    struct labelled *rows;
    struct group *groups;
    size_t *count;
    double *scratch;
};

/* Rows step, 2 step, ... of the sample. */
static struct told tell_some(const struct leak_task *all, size_t column, size_t step, size_t base,
                             struct leak_room *room) {
    const struct sample *sample = &all->doctor->sample;
    const double *x = sample_column(sample, column, room->scratch);
    size_t n = 0;
    for (size_t k = 0; k < sample->n; k += step) /* missing values are a value, too */
        room->rows[n++] = (struct labelled){isnan(x[k]) ? INFINITY : x[k], sample->label[k]};
    return tell(room->rows, n, sample->classes, doctor_is_text(all->doctor, column), base,
                room->count, room->groups);
}

static bool may_leak(const struct leak_task *all, size_t column) {
    const struct sample *sample = &all->doctor->sample;
    if (all->doctor->marked[column] || sample_is_thin(sample, column)) return false;
    /* rows where it is 0 are predicted alike */
    return (double)sample_entries(sample, column) >= VERY_GOOD * (double)all->base;
}

static void look_at(struct leak_task *all, size_t column, struct leak_room *room) {
    const struct sample *sample = &all->doctor->sample;
    size_t step = sample->n / FIRST_ROWS, few = 0;
    if (!may_leak(all, column)) return;
    if (step > 1) {
        for (size_t k = 0; k < sample->n; k += step) few++;
        /* what a first look at few rows clears needs no second one */
        size_t base = all->base * few / sample->n;
        if (base >= FEWEST_ERRORS &&
            tell_some(all, column, step, base, room).lambda < VERY_GOOD - 0.2)
            return;
    }
    all->told[column] = tell_some(all, column, 1, all->base, room);
}

static sepal_status leak_work(sepal_ctx *ctx, size_t task, void *payload) {
    struct leak_task *all = payload;
    const struct sample *sample = &all->doctor->sample;
    struct arena arena = {0};
    struct leak_room room = {
        .rows = arena_alloc(ctx, &arena, sample->n, sizeof *room.rows),
        .groups = arena_alloc(ctx, &arena, sample->n, sizeof *room.groups),
        .count = arena_zero(ctx, &arena, sample->classes, sizeof *room.count),
        .scratch = arena_alloc(ctx, &arena, sample->n, sizeof *room.scratch),
    };
    bool enough = room.rows && room.groups && room.count && room.scratch;
    for (size_t j = task * TASK_COLUMNS; enough && j < (task + 1) * TASK_COLUMNS; j++)
        if (j < sample->cols) look_at(all, j, &room);
    arena_clear(&arena);
    return enough ? SEPAL_OK : SEPAL_EMEMORY;
}

static void leak_tell(struct doctor *doctor, const struct told *told, const size_t *columns,
                      size_t n) {
    struct finding *finding = doctor_find(doctor, "leak", RANK_FALSE_SUCCESS, columns, n);
    struct text *message = &finding->message;
    doctor_put_columns(doctor, message, columns, n, "alone tells the class", "each tell the class");
    if (n == 1)
        text_printf(doctor->ctx, message, " of %zu of %zu rows%s, and no other column comes near",
                    doctor->sample.n - told[columns[0]].errors, doctor->sample.n,
                    doctor->sample.all ? "" : " looked at");
    else
        text_puts(doctor->ctx, message, " of all rows or nearly all, as no other does");
    doctor_put_list(doctor, message, columns, n);
    text_printf(doctor->ctx, &finding->advice, "if %s known only after the class, ",
                n == 1 ? "it is" : "they are");
    doctor_put_drop(doctor, &finding->advice, columns, n);
    for (size_t k = 0; k < n; k++) doctor->marked[columns[k]] = true;
}

/* Those few that are perfect, if no other is very good; else those that are the class under another name. */
static sepal_status choose_leaks(struct doctor *doctor, const struct told *told) {
    size_t cols = doctor->sample.cols, perfect = 0, good = 0, codes = 0, n = 0;
    for (size_t j = 0; j < cols; j++) {
        perfect += told[j].lambda >= PERFECT;
        good += told[j].lambda >= VERY_GOOD && told[j].lambda < PERFECT;
        codes += told[j].code;
    }
    size_t few = cols / 4 > 1 ? cols / 4 : 1;
    bool alone = good == 0 && perfect <= few && cols > 1;
    if (!perfect || (!alone && !codes)) return SEPAL_OK;
    size_t *columns = arena_alloc(doctor->ctx, &doctor->arena, perfect, sizeof *columns);
    if (!columns) return SEPAL_EMEMORY;
    for (size_t j = 0; j < cols; j++)
        if (told[j].lambda >= PERFECT && (alone || told[j].code)) columns[n++] = j;
    leak_tell(doctor, told, columns, n);
    return SEPAL_OK;
}

static sepal_status leak_look(struct doctor *doctor) {
    const struct sample *sample = &doctor->sample;
    if (!sample->label || sample->classes < 2 || sample->n == 0) return SEPAL_OK;
    for (size_t k = 0; k < sample->n; k++)
        if (sample->label[k] < 0) return SEPAL_OK;
    struct leak_task all = {.doctor = doctor};
    size_t *count = arena_zero(doctor->ctx, &doctor->arena, sample->classes, sizeof *count);
    all.told = arena_zero(doctor->ctx, &doctor->arena, sample->cols, sizeof *all.told);
    if (!count || !all.told) return SEPAL_EMEMORY;
    all.base = base_errors(sample, sample->n, count);
    if (all.base < FEWEST_ERRORS) return SEPAL_OK;
    size_t tasks = (sample->cols + TASK_COLUMNS - 1) / TASK_COLUMNS;
    TRY(parallel_for(doctor->ctx, tasks, leak_work, &all));
    return choose_leaks(doctor, all.told);
}

const struct check check_leak = {
    .name = "leak",
    .summary = "columns that alone tell the class",
    .look = leak_look,
};
