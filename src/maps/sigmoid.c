/* sigmoid: soft steps 1 / (1 + exp(-(x_j - c) / width)), for each column j one for each centre c.
   Centres are given, the same for all columns, or quantiles: n of them cut the rows of a column into
   n + 1 parts of equal weight. Where a cut falls between two numbers, their mean is taken. The width,
   unless given, is the standard deviation of the column divided by n (a constant column: 1). Kept:
   n rows of a centre for each column, and a row of widths. */
#include "core/alloc.h"
#include "core/parallel.h"
#include "maps/centres.h"
#include "maps/column_stats.h"

#include <math.h>
#include <stdlib.h>

struct sigmoid_config {
    const char *centres;
    double width;
};

#define AT(field) offsetof(struct sigmoid_config, field)
static const struct parameter parameters[] = {
    {"centres", PARAMETER_TEXT, AT(centres), "3", "",
     "how many for each column, at its quantiles; or which, as in \"-1,0,1\""},
    {"width", PARAMETER_REAL, AT(width), NULL, "(0, inf)",
     "of a step; unless given, the standard deviation divided by the number of centres"},
    {0},
};

static sepal_status sigmoid_plan(struct fitted_map *map, sepal_ctx *ctx) {
    const struct sigmoid_config *config = map->config;
    struct centres centres;
    TRY(centres_read(&centres, NULL, ctx, "sigmoid", config->centres, CENTRES_NUMBERS, 1));
    map->out = map->in * centres.n;
    map->shape[0] = centres.n + 1;
    map->shape[1] = map->in;
    return SEPAL_OK;
}

/* ---- quantiles ---------------------------------------------------------------------------- */

struct weighted_number {
    double x, weight;
};
/* Some columns at a time: a pass over the rows for each would be slow. */
struct gathering {
    struct weighted_number *numbers; /* rows of them for each column */
    size_t first, rows;
    const double *weight;
};
struct quantiles {
    const struct map_rows *rows;
    struct fitted_map *map;
    size_t n; /* centres */
};
enum { AT_A_TIME = 16 };

static void sigmoid_gather(void *payload, size_t j, size_t row, double x) {
    struct gathering *all = payload;
    struct weighted_number *mine = all->numbers + (j - all->first) * all->rows;
    mine[row] = (struct weighted_number){x, all->weight ? all->weight[row] : 1};
}

/* Numbers that are equal in both respects need no order. */
static int rising(const void *left, const void *right) {
    const struct weighted_number *a = left, *b = right;
    if (a->x != b->x) return a->x < b->x ? -1 : 1;
    return (a->weight > b->weight) - (a->weight < b->weight);
}

static void column_quantiles(const struct quantiles *all, const struct weighted_number *sorted,
                             size_t j) {
    size_t rows = all->rows->x->rows, i = 0;
    double parts = (double)(all->n + 1), total = 0, sum = sorted[0].weight;
    for (size_t r = 0; r < rows; r++) total += sorted[r].weight;
    for (size_t c = 0; c < all->n; c++) {
        double target =
            (double)(c + 1) * total; /* of `parts` times the sum: whole weights are exact */
        while (i + 1 < rows && sum * parts < target) sum += sorted[++i].weight;
        bool between = i + 1 < rows && sum * parts == target;
        double next = between ? sorted[i + 1].x : sorted[i].x;
        all->map->numbers[c * all->map->in + j] = sorted[i].x + (next - sorted[i].x) / 2;
    }
}

static sepal_status quantile_columns(sepal_ctx *ctx, size_t task, void *payload) {
    const struct quantiles *all = payload;
    const struct map_rows *rows = all->rows;
    size_t n = rows->x->rows, cols = rows->x->cols, first = task * AT_A_TIME;
    size_t end = first + AT_A_TIME < cols ? first + AT_A_TIME : cols;
    struct gathering gathering = {.first = first, .rows = n, .weight = rows->weight};
    gathering.numbers = mem_alloc(ctx, n, (end - first) * sizeof *gathering.numbers);
    if (!gathering.numbers) return SEPAL_EMEMORY;
    for (size_t j = first; j < end; j++)
        for (size_t i = 0; i < n; i++) sigmoid_gather(&gathering, j, i, 0);
    column_values(rows->x, first, end, sigmoid_gather, &gathering);
    for (size_t j = first; j < end; j++) {
        struct weighted_number *mine = gathering.numbers + (j - first) * n;
        qsort(mine, n, sizeof *mine, rising);
        column_quantiles(all, mine, j);
    }
    mem_free(gathering.numbers);
    return check_cancelled(ctx, "looking for quantiles");
}

static sepal_status find_quantiles(struct fitted_map *map, const struct map_rows *rows, size_t n) {
    struct quantiles all = {.rows = rows, .map = map, .n = n};
    size_t tasks = (map->in + AT_A_TIME - 1) / AT_A_TIME;
    TRY(parallel_for(rows->ctx, tasks, quantile_columns, &all));
    const double *off = rows->x->blocks[0].centre;
    for (size_t c = 0; off && c < n; c++)
        for (size_t j = 0; j < map->in; j++) map->numbers[c * map->in + j] -= off[j];
    return SEPAL_OK;
}

/* ---- the map ------------------------------------------------------------------------------ */

/* The numbers given stand in a row; hand each to all columns. */
static void repeat_centres(struct fitted_map *map, size_t n) {
    for (size_t c = n; c-- > 0;) {
        double centre = map->numbers[c];
        for (size_t j = 0; j < map->in; j++) map->numbers[c * map->in + j] = centre;
    }
}

static sepal_status sigmoid_learn(struct fitted_map *map, const struct map_rows *rows) {
    const struct sigmoid_config *config = map->config;
    struct centres centres;
    TRY(centres_read(&centres, map->numbers, rows->ctx, "sigmoid", config->centres, CENTRES_NUMBERS,
                     1));
    size_t n = centres.n;
    double *width = map->numbers + n * map->in;
    double *mean = arena_alloc(rows->ctx, rows->arena, map->in, sizeof *mean);
    if (!mean) return SEPAL_EMEMORY;
    if (centres.given)
        repeat_centres(map, n);
    else
        TRY(find_quantiles(map, rows, n));
    if (isnan(config->width)) TRY(column_moments(mean, width, rows));
    for (size_t j = 0; j < map->in; j++) {
        width[j] = isnan(config->width) ? width[j] / (double)n : config->width;
        if (width[j] == 0) width[j] = 1;
    }
    return SEPAL_OK;
}

static bool sigmoid_sound(const struct fitted_map *map) {
    const double *width = map->numbers + map->out;
    size_t j = 0;
    while (j < map->in && width[j] > 0) j++;
    return j == map->in;
}

static void sigmoid_dense(const struct fitted_map *map, const struct kernels *kernels,
                          const double *in, double *out) {
    size_t n = map->out / map->in;
    const double *width = map->numbers + map->out;
    (void)kernels;
    for (size_t j = 0; j < map->in; j++)
        for (size_t c = 0; c < n; c++)
            *out++ = 1 / (1 + exp((map->numbers[c * map->in + j] - in[j]) / width[j]));
}

static void sigmoid_column_name(sepal_ctx *ctx, struct text *out, const struct fitted_map *map,
                                size_t j, const struct map_names *inputs) {
    size_t n = map->out / map->in;
    text_puts(ctx, out, "sigmoid(");
    inputs->print(ctx, out, j / n, inputs->payload);
    text_puts(ctx, out, ",");
    text_number(ctx, out, map->numbers[j % n * map->in + j / n]);
    text_puts(ctx, out, ")");
}

const struct map map_sigmoid = {
    .name = "sigmoid",
    .summary = "sigmoidal basis functions: soft steps of each column",
    .parameters = parameters,
    .config_size = sizeof(struct sigmoid_config),
    .plan = sigmoid_plan,
    .learn = sigmoid_learn,
    .sound = sigmoid_sound,
    .dense = sigmoid_dense,
    .column_name = sigmoid_column_name,
};
