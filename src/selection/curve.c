/* Learning curves: a spec fitted to more and more of the rows outside of each fold, each part holding the one
   before, with its share of each class; and validation curves, along the values of one parameter. */
#include "core/alloc.h"
#include "core/decimal.h"
#include "core/rng.h"
#include "selection/grid.h"
#include "selection/measure.h"
#include "selection/selection_report.h"
#include "selection/split_options.h"
#include "selection/task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct curve_options {
    const char *over, *sizes, *metric, *positive;
    struct split_options splits;
};

#define AT(field) offsetof(struct curve_options, field)
static const struct parameter curve_option_table[] = {
    {"over", PARAMETER_LIST, AT(over), NULL, "",
     "a parameter and its values, as in tune: a validation curve instead of a learning curve"},
    {"sizes", PARAMETER_TEXT, AT(sizes), NULL, "",
     "how many rows to learn from, \"50,100,0.5,1\": up to 1 as a part of those outside of a fold; "
     "unless given 0.1, 0.2, ..., 1"},
    {"metric", PARAMETER_TEXT, AT(metric), NULL, "",
     "what to draw: log_loss, accuracy, f1, macro.f1, ... (`sepal list metrics`); log_loss unless "
     "given, or accuracy without probabilities"},
    SPLIT_PARAMETERS(curve_options, "10"),
    {"positive", PARAMETER_TEXT, AT(positive), NULL, "",
     "the class that two-class metrics are about; the second unless given"},
    {0},
};

enum { MOST_SIZES = 1000, USUAL_SIZES = 10 };

struct curve {
    struct selection *asked;
    sepal_ctx *ctx;
    const sepal_data *data;
    struct curve_options options;
    struct grid grid; /* of a validation curve */
    struct splits folds, splits;
    struct measure measure;
    struct candidate *candidates;
    size_t n; /* points */
    double *sizes, *rows;
    struct trials trials;
    struct arena arena;
};

/* ---- what is asked for --------------------------------------------------------------------- */

static sepal_status read_sizes(struct curve *curve) {
    const char *at = curve->options.sizes;
    curve->sizes = arena_alloc(curve->ctx, &curve->arena, MOST_SIZES, sizeof *curve->sizes);
    if (!curve->sizes) return SEPAL_EMEMORY;
    for (; !at && curve->n < USUAL_SIZES; curve->n++)
        curve->sizes[curve->n] = (double)(curve->n + 1) / USUAL_SIZES;
    while (at) {
        at += strspn(at, " ");
        const char *end = at + strcspn(at, ", ");
        double size = NAN, last = curve->n ? curve->sizes[curve->n - 1] : 0;
        bool number = decimal_read(at, end, &size) == end;
        if (!number || !(size > 0) || (size > 1 && size != floor(size)) || curve->n == MOST_SIZES)
            return fail(curve->ctx, SEPAL_EUSAGE,
                        "'%.*s' of " OPTION "sizes is neither a number of rows nor a part in "
                        "(0, 1]; write for instance " OPTION "sizes 0.1,0.3,1 or " OPTION
                        "sizes 50,100,200",
                        (int)(end - at < 40 ? end - at : 40), at);
        if ((last > 1) == (size > 1) && size <= last)
            return fail(curve->ctx, SEPAL_EUSAGE, OPTION "sizes must rise, and %g comes after %g",
                        size, last);
        curve->sizes[curve->n++] = size;
        at = end + strspn(end, " ");
        at = *at == ',' ? at + 1 : NULL;
    }
    return SEPAL_OK;
}

static sepal_status curve_read(struct curve *curve) {
    const struct selection *asked = curve->asked;
    struct curve_options *options = &curve->options;
    sepal_ctx *ctx = curve->ctx;
    TRY(parameters_parse(options, ctx, &curve->arena, curve_option_table, "curve", asked->options));
    TRY(split_options_check(&options->splits, ctx, &curve->arena, asked->options));
    TRY(measure_check(ctx, options->metric));
    TRY(measure_check_loo(ctx, options->metric, options->splits.loo));
    TRY(measure_check_fit(ctx, asked->specs[0], asked->fit_options));
    if (!options->over) return read_sizes(curve);
    if (options->sizes)
        return fail(ctx, SEPAL_EUSAGE,
                    OPTION "sizes is about a learning curve, " OPTION "over about a validation "
                           "curve; give one of them");
    TRY(grid_make(&curve->grid, ctx, &curve->arena, asked->specs[0], options->over,
                  asked->fit_options));
    if (curve->grid.n_axes != 1)
        return fail(ctx, SEPAL_EUSAGE,
                    "a curve goes over one parameter, not %zu; `sepal tune` takes several",
                    curve->grid.n_axes);
    curve->n = curve->grid.n;
    return SEPAL_OK;
}

/* ---- parts of the rows --------------------------------------------------------------------- */

struct ranked_row {
    size_t row;
    double key;
};

static int by_key(const void *a, const void *b) {
    const struct ranked_row *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static int by_row(const void *a, const void *b) {
    const size_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Rows of a class in an order by chance, the j-th of n at (j + 1/2) / n: every beginning has its share. */
static void rank_class(struct ranked_row *ranked, const struct curve *curve, const size_t *rows,
                       size_t n, size_t class, size_t split, uint32_t *places) {
    enum { CURVE_STREAM = 0x63757276 };
    const int32_t *label = curve->data->label;
    size_t members = 0;
    for (size_t i = 0; i < n; i++)
        if (!label || (size_t)label[rows[i]] == class) places[members++] = (uint32_t)i;
    struct rng rng = rng_make(curve->ctx->seed + split, CURVE_STREAM + class);
    rng_shuffle(&rng, places, members);
    for (size_t j = 0; j < members; j++)
        ranked[places[j]] =
            (struct ranked_row){rows[places[j]], ((double)j + 0.5) / (double)members};
}

/* How many rows it takes until all classes that the rows have are there. */
static size_t rows_of_all_classes(const struct curve *curve, const struct ranked_row *ranked,
                                  size_t n, bool *seen) {
    const int32_t *label = curve->data->label;
    size_t last = 1;
    memset(seen, 0, curve->data->schema->n_classes * sizeof *seen);
    for (size_t i = 0; label && i < n; i++) {
        if (!seen[label[ranked[i].row]]) last = i + 1;
        seen[label[ranked[i].row]] = true;
    }
    return last;
}

struct parts {
    struct ranked_row *ranked; /* folds x rows */
    size_t *n;                 /* of each fold */
    size_t least_rows, most_needed;
};

static sepal_status rank_fold(struct parts *parts, const struct curve *curve, size_t s,
                              size_t *rows, uint32_t *places, bool *seen) {
    size_t all = curve->data->matrix.rows;
    size_t classes = curve->data->label ? curve->data->schema->n_classes : 1;
    struct ranked_row *ranked = parts->ranked + s * all;
    size_t n = parts->n[s] = split_train_rows(rows, &curve->folds.of[s], all);
    for (size_t k = 0; k < classes; k++) rank_class(ranked, curve, rows, n, k, s, places);
    qsort(ranked, n, sizeof *ranked, by_key);
    size_t needed = rows_of_all_classes(curve, ranked, n, seen);
    if (needed > parts->most_needed) parts->most_needed = needed;
    if (s == 0 || n < parts->least_rows) parts->least_rows = n;
    return check_cancelled(curve->ctx, "parting the rows");
}

static sepal_status rank_all(struct parts *parts, const struct curve *curve) {
    size_t all = curve->data->matrix.rows, n = curve->folds.n;
    sepal_ctx *ctx = curve->ctx;
    parts->ranked = mem_alloc(ctx, n * all, sizeof *parts->ranked);
    parts->n = mem_alloc(ctx, n, sizeof *parts->n);
    size_t *rows = mem_alloc(ctx, all, sizeof *rows);
    uint32_t *places = mem_alloc(ctx, all, sizeof *places);
    bool *seen = mem_alloc(ctx, curve->data->schema->n_classes + 1, sizeof *seen);
    sepal_status status =
        parts->ranked && parts->n && rows && places && seen ? SEPAL_OK : SEPAL_EMEMORY;
    for (size_t s = 0; s < n && status == SEPAL_OK; s++)
        status = rank_fold(parts, curve, s, rows, places, seen);
    mem_free(rows);
    mem_free(places);
    mem_free(seen);
    return status;
}

/* Numbers of rows for the sizes; usual ones that leave a class out are not taken. */
static sepal_status settle_sizes(struct curve *curve, const struct parts *parts) {
    double least = (double)parts->least_rows, needed = (double)parts->most_needed;
    size_t kept = 0;
    curve->rows = arena_alloc(curve->ctx, &curve->arena, curve->n, sizeof *curve->rows);
    if (!curve->rows) return SEPAL_EMEMORY;
    for (size_t i = 0; i < curve->n; i++) {
        double size = curve->sizes[i], rows = size <= 1 ? fmax(1, round(size * least)) : size;
        if (rows > least)
            return fail(curve->ctx, SEPAL_EUSAGE,
                        OPTION "sizes %g is more than the %g rows outside of a fold; give less, "
                               "or a part in (0, 1]",
                        size, least);
        if (rows < needed && curve->options.sizes)
            return fail(curve->ctx, SEPAL_EDATA,
                        OPTION "sizes %g is %g rows, and it takes %g until every class is among "
                               "them; give more",
                        size, rows, needed);
        if (rows < needed || (kept > 0 && rows <= curve->rows[kept - 1])) continue;
        curve->rows[kept++] = rows;
    }
    if (kept == 0)
        return fail(curve->ctx, SEPAL_EDATA,
                    "it takes %g rows until every class is among them, and some fold leaves %g; "
                    "take more " OPTION "folds",
                    needed, least);
    curve->n = kept;
    return SEPAL_OK;
}

static sepal_status take_part(struct split *out, struct curve *curve, const struct parts *parts,
                              size_t s, size_t n) {
    const struct ranked_row *ranked = parts->ranked + s * curve->data->matrix.rows;
    *out = curve->folds.of[s];
    out->n_train = n;
    out->train = arena_alloc(curve->ctx, &curve->arena, n, sizeof *out->train);
    if (!out->train) return SEPAL_EMEMORY;
    for (size_t i = 0; i < n; i++) out->train[i] = ranked[i].row;
    qsort(out->train, n, sizeof *out->train, by_row);
    return SEPAL_OK;
}

static sepal_status part_rows(struct curve *curve, struct parts *parts) {
    size_t folds = curve->folds.n;
    TRY(rank_all(parts, curve));
    TRY(settle_sizes(curve, parts));
    curve->splits = (struct splits){
        .n = curve->n * folds, .repeats = curve->folds.repeats, .folds = curve->folds.folds};
    curve->splits.of =
        arena_alloc(curve->ctx, &curve->arena, curve->splits.n, sizeof *curve->splits.of);
    if (!curve->splits.of) return SEPAL_EMEMORY;
    for (size_t k = 0; k < curve->n; k++)
        for (size_t s = 0; s < folds; s++)
            TRY(take_part(&curve->splits.of[k * folds + s], curve, parts, s,
                          (size_t)curve->rows[k]));
    return SEPAL_OK;
}

/* ---- the trials ---------------------------------------------------------------------------- */

static sepal_status curve_candidates(struct curve *curve) {
    size_t n = curve->options.over ? curve->n : 1;
    curve->candidates = arena_alloc(curve->ctx, &curve->arena, n, sizeof *curve->candidates);
    if (!curve->candidates) return SEPAL_EMEMORY;
    for (size_t k = 0; k < n; k++) {
        const char *spec =
            curve->options.over ? grid_spec(&curve->grid, k) : curve->asked->specs[0];
        if (!spec) return SEPAL_EMEMORY;
        curve->candidates[k] = (struct candidate){spec, curve->asked->fit_options};
    }
    return measure_find(&curve->measure, curve->ctx, &curve->arena, curve->options.metric,
                        curve->options.positive, curve->data, curve->candidates, n);
}

static sepal_status curve_splits(struct curve *curve) {
    struct split_plan plan;
    struct parts parts = {0};
    TRY(split_options_plan(&plan, &curve->options.splits, curve->ctx, &curve->arena, curve->data));
    TRY(splits_make(&curve->folds, curve->ctx, curve->data, &plan));
    if (curve->options.over) return SEPAL_OK;
    sepal_status status = part_rows(curve, &parts);
    mem_free(parts.ranked);
    mem_free(parts.n);
    return status;
}

/* The metric at point k over the folds. */
static struct spread point_spread(const struct curve *curve, size_t k, bool valid, double *values) {
    size_t folds = curve->folds.n;
    bool over = curve->options.over != NULL;
    for (size_t s = 0; s < folds; s++)
        values[s] = trials_value(&curve->trials, over ? k : 0, over ? s : k * folds + s, valid,
                                 curve->measure.path);
    return spread_of(values, folds);
}

/* ---- the report ---------------------------------------------------------------------------- */

static void report_x(struct tree_maker *make, struct tree *row, const struct curve *curve,
                     size_t k) {
    const struct grid_axis *axis = curve->grid.axes;
    if (!curve->options.over)
        tree_number(make, row, "x", curve->rows[k]);
    else if (isnan(axis->number[k]))
        tree_text(make, row, "x", axis->text[k]);
    else
        tree_number(make, row, "x", axis->number[k]);
}

/* Rows to learn from, on average. */
static double rows_at(const struct curve *curve, size_t k) {
    double sum = 0;
    if (!curve->options.over) return curve->rows[k];
    for (size_t s = 0; s < curve->folds.n; s++) sum += (double)curve->folds.of[s].n_train;
    return sum / (double)curve->folds.n;
}

static sepal_status curve_report(const struct curve *curve) {
    struct tree_maker *make = curve->asked->make;
    struct tree *report = curve->asked->report;
    bool over = curve->options.over != NULL;
    double *values = mem_alloc(curve->ctx, curve->folds.n, sizeof *values);
    if (!values) return SEPAL_EMEMORY;
    tree_text(make, report, "spec", curve->asked->specs[0]);
    report_rows_of(make, report, curve->data);
    struct tree *out = tree_object(make, report, "curve");
    tree_text(make, out, "kind", over ? "validation" : "learning");
    tree_text(make, out, "x_name", over ? curve->grid.axes->name : "rows");
    tree_bool(make, out, "log", over && curve->grid.axes->logarithmic);
    tree_text(make, out, "metric", curve->measure.name);
    tree_text(make, out, "better", curve->measure.better > 0 ? "more" : "less");
    struct tree *points = tree_array(make, out, "points");
    for (size_t k = 0; k < curve->n; k++) {
        struct tree *row = tree_object(make, points, NULL);
        report_x(make, row, curve, k);
        tree_number(make, row, "rows", rows_at(curve, k));
        struct spread train = point_spread(curve, k, false, values);
        report_spread(make, row, "train", &train, false);
        struct spread valid = point_spread(curve, k, true, values);
        report_spread(make, row, "valid", &valid, true);
    }
    mem_free(values);
    report_end_of(curve->ctx, make, report, curve->data, &curve->folds, curve->trials.seconds);
    return make->failed ? SEPAL_EMEMORY : SEPAL_OK;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static sepal_status curve_whole(struct curve *curve) {
    TRY(curve_read(curve));
    if (!curve->data->set_start)
        TRY(data_check_classes(curve->ctx, &curve->arena, curve->data, " to learn from"));
    TRY(curve_candidates(curve));
    TRY(curve_splits(curve));
    curve->trials = (struct trials){.ctx = curve->ctx,
                                    .data = curve->data,
                                    .splits = curve->options.over ? &curve->folds : &curve->splits,
                                    .candidates = curve->candidates,
                                    .n_candidates = curve->options.over ? curve->n : 1,
                                    .positive = curve->options.positive,
                                    .judge_train = true,
                                    .metrics = &curve->measure.path,
                                    .n_metrics = 1};
    TRY(trials_run(&curve->trials));
    TRY(measure_check_trials(&curve->measure, &curve->trials));
    return curve_report(curve);
}

static sepal_status curve_run(struct selection *asked) {
    struct curve curve = {.asked = asked, .ctx = asked->ctx, .data = asked->data};
    sepal_status status = curve_whole(&curve);
    trials_clear(&curve.trials);
    splits_clear(&curve.folds);
    arena_clear(&curve.arena);
    return status;
}

static sepal_status curve_check(const struct selection *asked) {
    struct selection copy = *asked;
    struct curve curve = {.asked = &copy, .ctx = asked->ctx};
    sepal_status status = curve_read(&curve);
    arena_clear(&curve.arena);
    return status;
}

const struct selection_task task_curve = {
    .name = "curve",
    .summary = "how a spec does by the number of rows it learns from, or by a parameter",
    .parameters = curve_option_table,
    .least_specs = 1,
    .most_specs = 1,
    .check = curve_check,
    .run = curve_run,
};
