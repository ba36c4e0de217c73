/* How a fit went: the objective after each iteration, or the updates of each epoch of a perceptron. Drawn of the report
   of a training, or of the file that `sepal train --trace` writes. */
#include "plot/trace.h"

#include <string.h>

enum { RUNS_MOST = 64 };

/* One two-class problem, or the only one. */
struct run {
    const char *label;
    size_t first, n; /* of the points */
};

struct convergence {
    struct plot *plot;
    bool objective, epochs;
    double *x, *y;
    size_t n;
    struct run runs[RUNS_MOST];
    size_t n_runs;
};

static struct run *begin_run(struct convergence *c, const struct tree *line) {
    const struct tree *row = line ? tree_find(line, "row") : NULL;
    const char *label = "objective";
    if (row && row->kind == TREE_TEXT) label = row->text.bytes;
    if (row && row->kind == TREE_ARRAY && row->last && row->last->kind == TREE_TEXT)
        label = row->last->text.bytes;
    if (c->n_runs == RUNS_MOST) {
        c->plot->legend_left_out++;
        return NULL;
    }
    c->runs[c->n_runs] = (struct run){label, c->n, 0};
    return &c->runs[c->n_runs++];
}

/* A point for each epoch: its objective, or how many updates it made. */
static void add_line(struct convergence *c, struct run *run, const struct tree *line) {
    double epoch = tree_value(line, "epoch"), objective = tree_value(line, "objective");
    bool same = run->n > 0 && c->x[c->n - 1] == epoch;
    if (!isfinite(epoch) || (c->objective && !isfinite(objective))) return;
    if (!same) {
        c->x[c->n] = epoch;
        c->y[c->n++] = 0;
        run->n++;
    }
    if (c->objective)
        c->y[c->n - 1] = objective;
    else
        c->y[c->n - 1]++;
}

static void take_lines(struct convergence *c, const struct tree *lines) {
    struct run *run = NULL;
    for (const struct tree *line = lines->first; line; line = line->next) {
        if (line->kind != TREE_OBJECT) continue;
        if (tree_find(line, "problem"))
            run = begin_run(c, line);
        else if (!run && c->n_runs == 0)
            run = begin_run(c, NULL);
        if (run && !tree_find(line, "problem")) add_line(c, run, line);
    }
}

/* What a report tells of the iterations; NULL: nothing. */
static const struct tree *find_progress(const struct tree *report) {
    const struct tree *progress = report ? tree_find(report, "progress") : NULL;
    const struct tree *x = progress ? tree_find(progress, "iterations") : NULL;
    const struct tree *y = x ? tree_find(progress, "values") : NULL;
    bool whole = y && x->kind == TREE_ARRAY && y->kind == TREE_ARRAY && x->count == y->count;
    return whole && x->count > 0 ? progress : NULL;
}

static size_t count_progress(const struct tree *report) {
    const struct tree *progress = find_progress(report);
    return progress ? tree_find(progress, "iterations")->count : 0;
}

/* The progress of a report, or of one of its two-class problems. */
static void take_progress(struct convergence *c, const struct tree *report,
                          const struct tree *problem) {
    const struct tree *progress = find_progress(report);
    struct run *run = progress ? begin_run(c, problem) : NULL;
    if (!run) return;
    c->objective = strcmp(tree_word(progress, "of", ""), "mistakes") != 0;
    c->epochs = !c->objective;
    const struct tree *y = tree_find(progress, "values")->first;
    for (const struct tree *x = tree_find(progress, "iterations")->first; x;
         x = x->next, y = y->next) {
        if (x->kind != TREE_NUMBER || y->kind != TREE_NUMBER) continue;
        c->x[c->n] = x->number;
        c->y[c->n++] = y->number;
        run->n++;
    }
}

static sepal_status take_all(struct convergence *c) {
    struct plot *plot = c->plot;
    const struct tree *lines = NULL, *problems = tree_find(plot->report, "problems");
    const struct tree *problem = problems && problems->kind == TREE_ARRAY ? problems->first : NULL;
    size_t most = count_progress(plot->report);
    for (const struct tree *one = problem; one; one = one->next)
        most += one->kind == TREE_OBJECT ? count_progress(one) : 0;
    if (most == 0 && plot->report && tree_find(plot->report, "objective_in_words"))
        return fail(plot->ctx, SEPAL_EDATA,
                    "the report has no progress: the method is no iterative one, or has more than "
                    "12 two-class problems");
    if (most == 0) {
        TRY(trace_lines(&lines, plot));
        most = lines->count;
    }
    TRY(ARENA_VECTORS(plot->ctx, &plot->arena, most, &c->x, &c->y));
    if (!lines) {
        take_progress(c, plot->report, NULL);
        for (const struct tree *one = problem; one; one = one->next)
            if (one->kind == TREE_OBJECT) take_progress(c, one, one);
        return SEPAL_OK;
    }
    for (const struct tree *line = lines->first; line && !c->objective; line = line->next)
        c->objective = line->kind == TREE_OBJECT && isfinite(tree_value(line, "objective"));
    c->epochs = true;
    take_lines(c, lines);
    return SEPAL_OK;
}

static sepal_status convergence_draw(struct plot *plot) {
    struct convergence c = {.plot = plot};
    TRY(take_all(&c));
    if (c.n == 0) return fail(plot->ctx, SEPAL_EDATA, "the trace has no epochs to draw");
    double low = INFINITY, high = -INFINITY, last = 1, first = INFINITY;
    for (size_t i = 0; i < c.n; i++) {
        axis_reach(&low, &high, c.y[i]);
        axis_reach(&first, &last, c.x[i]);
    }
    bool log = c.objective && low > 0 && high > 30 * low;
    page_title(plot, c.objective ? "Convergence" : "Updates");
    page_subtitle(plot, c.objective
                            ? c.epochs ? "the objective after each epoch"
                                       : "the objective after each iteration"
                            : "updates in each epoch; an epoch without any would be the last");
    if (c.n_runs > 1)
        for (size_t r = 0; r < c.n_runs; r++) page_legend_series(plot, c.runs[r].label, r);
    struct axis x = {.low = first,
                     .high = last > first ? last : first + 1,
                     .label = c.epochs ? "epoch" : "iteration"};
    x.whole = true;
    struct axis y = log ? (struct axis){.low = low / 1.2, .high = high * 1.2, .log = true}
                        : axis_around(c.objective ? low : 0, high, NULL);
    if (!c.objective) {
        y.low = 0;
        y.whole = true;
    }
    y.label = c.objective ? "objective" : "updates";
    struct frame frame = frame_in(plot, page_draw(plot), &x, &y);
    frame_grid(plot, &frame);
    for (size_t r = 0; r < c.n_runs; r++)
        if (c.n_runs > 1 || c.n < 8)
            frame_series(plot, &frame, c.x + c.runs[r].first, c.y + c.runs[r].first, c.runs[r].n,
                         r);
        else
            frame_curve(plot, &frame, c.x, c.y, c.n,
                        &(struct pen){.stroke = INK_SERIES, .width = 2});
    frame_axes(plot, &frame);
    return SEPAL_OK;
}

const struct plot_kind plot_convergence = {
    .name = "convergence",
    .summary = "how a fit went, iteration by iteration",
    .needs = NEEDS_REPORT,
    .parameters = plot_common_parameters,
    .options_size = sizeof(struct plot_common),
    .draw = convergence_draw,
    .from = "`sepal train DATA -m SPEC --json`",
};
