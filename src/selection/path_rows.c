/* The fits of a path on one set of rows: what is learnt from rows, imputation, categories, maps, is learnt
   from these, and the held-out rows go through it. Of more than two classes each two-class problem goes
   along the path by itself. */
#include "core/alloc.h"
#include "core/clock.h"
#include "data/prepare.h"
#include "linear/decide.h"
#include "multiclass/problem.h"
#include "objective/loss.h"
#include "selection/path.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PART_BYTES = 96 };

/* Rows as the learner sees them. */
struct seen_rows {
    struct prepared prepared;
    struct matrix mapped;
    sepal_data data;
};

struct walk {
    struct path_run *run;
    const struct strategy *strategy;
    size_t problems, r; /* r: the one at work */
    size_t sides[2];    /* its classes */
    struct map_chain chain;
    struct arena arena;
    struct seen_rows train, held;
    double *score;                     /* values x held rows x problems */
    double *of_rows, *margin, *weight; /* held rows: of one fit, of one problem */
    double null_loss;
    char part[PART_BYTES];
};

/* ---- the rows ----------------------------------------------------------------------------- */

static sepal_status walk_uncentre(struct seen_rows *rows, struct walk *walk) {
    const struct path *path = walk->run->path;
    sepal_data centred = rows->data;
    if (centred.matrix.n_blocks == 0 || !centred.matrix.blocks[0].centre) return SEPAL_OK;
    if (!pipeline_shiftable(&path->pipeline, &path->fit_options)) return SEPAL_OK;
    return pipeline_without_centre(&rows->data, path->ctx, &walk->arena, &centred);
}

static sepal_status see_train(struct walk *walk) {
    struct seen_rows *rows = &walk->train;
    sepal_ctx *ctx = walk->run->path->ctx;
    TRY(prepare_fit(&rows->prepared, ctx, walk->run->train));
    rows->data = rows->prepared.rows;
    walk->chain = walk->run->path->pipeline.chain;
    TRY(map_chain_fit(&walk->chain, &rows->mapped, ctx, &walk->arena, &rows->data.matrix,
                      rows->data.weight));
    if (rows->mapped.blocks) rows->data.matrix = rows->mapped;
    TRY(check_cancelled(ctx, "mapping the features"));
    return walk_uncentre(rows, walk);
}

static sepal_status see_held(struct walk *walk) {
    struct seen_rows *rows = &walk->held;
    const sepal_data *held = walk->run->held;
    sepal_ctx *ctx = walk->run->path->ctx;
    if (!held) return SEPAL_OK;
    size_t n = held->matrix.rows;
    TRY(prepare_rows(&rows->prepared, ctx, walk->train.prepared.rows.schema, held, 0, n));
    rows->data = rows->prepared.rows;
    if (walk->chain.n > 0) {
        TRY(map_chain_matrix(&rows->mapped, ctx, &walk->chain, &rows->data.matrix));
        rows->data.matrix = rows->mapped;
    }
    TRY(walk_uncentre(rows, walk));
    walk->score = mem_alloc(ctx, n, walk->run->path->wanted * walk->problems * sizeof(double));
    walk->of_rows = mem_alloc(ctx, n, 3 * sizeof(double));
    if (!walk->score || !walk->of_rows) return SEPAL_EMEMORY;
    walk->margin = walk->of_rows + n;
    walk->weight = walk->margin + n;
    return SEPAL_OK;
}

static void walk_clear(struct walk *walk) {
    mem_free(walk->score);
    mem_free(walk->of_rows);
    matrix_clear(&walk->train.mapped);
    matrix_clear(&walk->held.mapped);
    prepared_clear(&walk->train.prepared);
    prepared_clear(&walk->held.prepared);
    arena_clear(&walk->arena);
}

/* ---- after each fit ----------------------------------------------------------------------- */

/* 1 or -1, or 0 where the row is none of the problem's. */
static double side_of(const struct walk *walk, size_t class) {
    if (class == walk->sides[1]) return 1;
    return walk->sides[0] == ALL_OTHERS || class == walk->sides[0] ? -1 : 0;
}

/* What each held-out row's loss counts in the problem at work. */
static void weigh_held(struct walk *walk, const struct fit_path *path) {
    const sepal_data *held = walk->run->held;
    for (size_t i = 0; i < held->matrix.rows; i++) {
        double side = side_of(walk, (size_t)held->label[i]);
        size_t k = path->factor_by_side ? side > 0 : (size_t)held->label[i];
        double factor = path->factor ? path->factor[k] : 1;
        walk->weight[i] = side == 0 ? 0 : factor * data_weight(held, i);
    }
}

static sepal_status judge_held(struct walk *walk, const struct fit *fit,
                               const struct fit_path *path, size_t k) {
    const sepal_data *held = walk->run->held;
    size_t n = held->matrix.rows;
    double *score = walk->score + k * n * walk->problems + walk->r, sum = 0;
    if (k == 0) weigh_held(walk, path);
    TRY(linear_scores(walk->of_rows, fit->ctx, &fit->linear, &walk->held.data.matrix));
    for (size_t i = 0; i < n; i++) {
        score[i * walk->problems] = walk->of_rows[i];
        walk->margin[i] = side_of(walk, (size_t)held->label[i]) * walk->of_rows[i];
    }
    path->loss->at(fit->ctx->kernels, n, walk->margin, walk->of_rows, NULL, NULL);
    for (size_t i = 0; i < n; i++) sum += walk->weight[i] * walk->of_rows[i];
    walk->run->loss[k] += sum / held->total_weight;
    return SEPAL_OK;
}

static void describe_fit(struct path_row *row, const struct path_point *point) {
    row->l1 = point->l1;
    row->l2 = point->l2;
    row->nonzero += point->nonzero;
    row->iterations += point->iterations;
    row->objective += point->primal;
    row->dual += point->dual;
    row->converged = row->converged && point->converged;
    row->explained += point->loss; /* a part of the null loss when all of it is known */
}

static void walk_name_part(struct walk *walk, size_t k) {
    const struct path_run *run = walk->run;
    char fold[48] = "";
    if (run->held)
        (void)snprintf(fold, sizeof fold, "fold %zu of %zu, ", run->part, run->parts - 1);
    (void)snprintf(walk->part, sizeof walk->part, "%slambda %zu of %zu: ", fold, k + 1,
                   run->path->n);
}

static sepal_status walk_visit(struct fit *fit, const struct fit_path *path, size_t k,
                               const struct path_point *point) {
    struct walk *walk = path->payload;
    if (walk->run->held)
        TRY(judge_held(walk, fit, path, k));
    else
        describe_fit(&walk->run->path->row[k], point);
    walk_name_part(walk, k + 1);
    walk->run->done = k + 1;
    return SEPAL_OK;
}

/* ---- the problems ------------------------------------------------------------------------- */

/* What is left of the time is shared by the runs to come, and a run's part by its problems. */
static void walk_divide_time(struct fit *fit, const struct walk *walk) {
    const struct path_run *run = walk->run;
    double limit = run->path->fit_options.max_seconds;
    fit->start_ns = clock_ns();
    if (isnan(limit)) return;
    double left = fmax(0, limit - clock_seconds_since(run->path->start_ns));
    double runs = (double)(run->parts - run->part);
    double before = (double)walk->r / (double)walk->problems; /* of this run */
    fit->options.max_seconds = left / ((runs - before) * (double)walk->problems);
}

static sepal_status walk_fit(struct walk *walk, const struct problem *problem) {
    struct path_run *run = walk->run;
    struct path *path = run->path;
    struct fit fit = {.ctx = path->ctx,
                      .data = problem ? &problem->data : &walk->train.data,
                      .config = path->pipeline.config,
                      .options = path->fit_options,
                      .own_label = problem ? problem->own_label : NULL,
                      .own_schema = problem ? problem->own_schema : NULL,
                      .part = walk->part};
    struct fit_path along = {.n = run->begins ? 0 : path->n,
                             .strength = path->lambda,
                             .ratio = path->ratio,
                             .visit = walk_visit,
                             .payload = walk};
    fit.among.done = walk->r;
    fit.among.of = walk->problems;
    walk_divide_time(&fit, walk);
    walk_name_part(walk, 0);
    run->done = 0;
    sepal_status status = path->pipeline.learner->path->fit(&fit, &along);
    if (along.slope > run->slope) run->slope = along.slope;
    walk->null_loss += along.null_loss;
    if (fit.stopped && status == SEPAL_OK) path->stopped = fit.stopped;
    linear_clear(&fit.linear);
    arena_clear(&fit.arena);
    return status;
}

static sepal_status walk_problem(struct walk *walk) {
    struct problem problem;
    const sepal_data *data = &walk->train.data;
    size_t classes = data->schema->n_classes;
    if (classes == 2) {
        walk->sides[0] = 0;
        walk->sides[1] = 1;
        return walk_fit(walk, NULL);
    }
    walk->strategy->sides(walk->r, classes, walk->sides);
    sepal_status status =
        problem_pose(&problem, walk->run->path->ctx, data, walk->strategy, walk->r);
    if (status == SEPAL_OK) status = walk_fit(walk, &problem);
    if (status != SEPAL_OK) problem_prefix_error(walk->run->path->ctx, &problem);
    problem_clear(&problem);
    return status;
}

/* How much of the weight of the held-out rows is decided wrongly, at each value. */
static void count_errors(const struct walk *walk) {
    const struct path_run *run = walk->run;
    const sepal_data *held = run->held;
    size_t n = held->matrix.rows, classes = held->schema->n_classes;
    const struct linear linear = {
        .classes = classes, .rows = walk->problems, .strategy = walk->strategy};
    for (size_t k = 0; k < run->done; k++) {
        double wrong = 0;
        for (size_t i = 0; i < n; i++) {
            const double *scores = walk->score + (k * n + i) * walk->problems;
            if (linear_decide(&linear, scores) != held->label[i]) wrong += data_weight(held, i);
        }
        run->error[k] = wrong / held->total_weight;
    }
}

/* What the sums over the problems amount to. */
static void conclude_rows(const struct walk *walk) {
    struct path *path = walk->run->path;
    path->null_loss = walk->null_loss;
    path->columns = walk->train.data.matrix.cols;
    for (size_t k = 0; k < walk->run->done; k++) {
        struct path_row *row = &path->row[k];
        row->lambda = path->lambda[k];
        row->c = 1 / (row->lambda * walk->train.data.total_weight);
        row->gap = (row->objective - row->dual) / fmax(fabs(row->objective), 1e-300);
        row->explained = walk->null_loss > 0 ? fmax(0, 1 - row->explained / walk->null_loss) : NAN;
    }
}

static sepal_status walk_all(struct walk *walk) {
    struct path_run *run = walk->run;
    size_t least = run->path->n;
    TRY(see_train(walk));
    TRY(see_held(walk));
    for (walk->r = 0; walk->r < walk->problems; walk->r++) {
        TRY(walk_problem(walk));
        if (run->done < least) least = run->done;
        if (cancelled(run->path->ctx)) return SEPAL_OK;
    }
    run->done = least;
    if (run->held)
        count_errors(walk);
    else if (!run->begins)
        conclude_rows(walk);
    return SEPAL_OK;
}

sepal_status path_run(struct path_run *run) {
    const struct path *path = run->path;
    size_t classes = path->data->schema->n_classes;
    struct walk walk = {.run = run};
    walk.strategy = classes == 2 ? &strategy_sign : pipeline_strategy(&path->pipeline);
    walk.problems = walk.strategy->functions(classes);
    sepal_status status = walk_all(&walk);
    walk_clear(&walk);
    return status;
}
