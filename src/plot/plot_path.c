/* A regularisation path: what each penalty costs on held-out rows, with the standard errors of that, and how
   many weights it leaves. Drawn of the report of `sepal tune --path`. */
#include "plot/plot.h"

struct path_numbers {
    size_t n;
    double *lambda, *loss, *error, *nonzero;
};

static sepal_status take_path(struct path_numbers *out, struct plot *plot) {
    const struct tree *path = tree_find(plot->report, "path");
    if (!path || path->kind != TREE_ARRAY || path->count == 0 ||
        !isfinite(tree_value(path->first, "lambda")))
        return fail(plot->ctx, SEPAL_EDATA,
                    "the report has no path; `sepal tune DATA -m SPEC --path --json` prints one");
    out->n = path->count;
    TRY(ARENA_VECTORS(plot->ctx, &plot->arena, out->n, &out->lambda, &out->loss, &out->error,
                      &out->nonzero));
    size_t k = 0;
    for (const struct tree *row = path->first; row; row = row->next, k++) {
        out->lambda[k] = tree_value(row, "lambda");
        out->loss[k] = tree_value(row, "loss");
        out->error[k] = tree_value(row, "loss_standard_error");
        out->nonzero[k] = tree_value(row, "nonzero");
    }
    return SEPAL_OK;
}

static void draw_errors(struct plot *plot, const struct frame *frame,
                        const struct path_numbers *path) {
    struct canvas *canvas = &plot->canvas;
    if (!canvas_is_term(canvas)) {
        for (size_t k = 0; k < path->n; k++)
            if (isfinite(path->loss[k] + path->error[k])) {
                double x = frame_x(frame, path->lambda[k]);
                canvas_move(canvas, x, frame_y(frame, path->loss[k] - path->error[k]));
                canvas_line(canvas, x, frame_y(frame, path->loss[k] + path->error[k]));
            }
        canvas_draw(canvas, &(struct pen){.stroke = INK_SERIES, .width = 1, .alpha = 0.45});
    }
    frame_curve(plot, frame, path->lambda, path->loss, path->n,
                &(struct pen){.stroke = INK_SERIES, .width = 2});
}

/* A choice: a line through a panel, and a marker at its loss. */
static void draw_choice(struct plot *plot, const struct frame *frame, const char *key,
                        enum shape shape, bool marked) {
    const struct tree *row = tree_find(plot->report, key);
    double lambda = tree_value(row ? row : plot->report, "lambda");
    if (!isfinite(lambda)) return;
    double x = frame_x(frame, lambda);
    canvas_segment(&plot->canvas, (struct point){x, frame->box.top},
                   (struct point){x, frame->box.bottom},
                   &(struct pen){.stroke = INK_PALE, .width = 1, .dashed = true});
    if (!marked) return;
    canvas_marker(&plot->canvas, frame_point(frame, lambda, tree_value(row, "loss")), shape, 5,
                  &(struct pen){.stroke = INK_PAPER, .fill = INK_TEXT, .width = 1});
}

static sepal_status path_draw(struct plot *plot) {
    struct path_numbers path;
    TRY(take_path(&path, plot));
    double low = INFINITY, high = -INFINITY, most = 1, from = INFINITY, to = -INFINITY;
    for (size_t k = 0; k < path.n; k++) {
        double error = isfinite(path.error[k]) ? path.error[k] : 0;
        axis_reach(&low, &high, path.loss[k] - error);
        axis_reach(&low, &high, path.loss[k] + error);
        axis_reach(&from, &most, path.nonzero[k]);
    }
    from = INFINITY;
    for (size_t k = 0; k < path.n; k++)
        if (path.lambda[k] > 0) axis_reach(&from, &to, path.lambda[k]);
    if (!(from < to)) from /= 2, to *= 2;
    page_title(plot, "Path of %s", tree_word(plot->report, "method", "penalties"));
    page_subtitle(plot,
                  "%.0f penalties, judged by %.0f folds; dashed: the least loss on held-out "
                  "rows, and the strongest penalty within a standard error of it",
                  (double)path.n, tree_value(plot->report, "folds"));
    page_legend(plot, "least loss (min)", LEGEND_MARKER, INK_TEXT, SHAPE_CIRCLE);
    page_legend(plot, "one standard error (1se)", LEGEND_MARKER, INK_TEXT, SHAPE_DIAMOND);
    struct pane room = page_draw(plot), top = room, bottom = room;
    top.bottom = room.top + 0.64 * (room.bottom - room.top);
    bottom.top = top.bottom + 8;
    struct axis x = {.low = from, .high = to, .log = true};
    struct axis below = x;
    below.label = "lambda: the penalty, stronger to the right";
    struct axis loss = axis_around(low, high, "loss on held-out rows, and its standard error");
    struct axis count = {.low = 0, .high = 1.08 * most, .label = "weights that are not 0"};
    count.whole = true;
    struct frame upper = frame_in(plot, top, &x, &loss),
                 lower = frame_in(plot, bottom, &below, &count);
    upper.box.left = lower.box.left = fmax(upper.box.left, lower.box.left);
    upper.box.right = lower.box.right = fmin(upper.box.right, lower.box.right);
    frame_grid(plot, &upper);
    draw_errors(plot, &upper, &path);
    frame_curve(plot, &lower, path.lambda, path.nonzero, path.n,
                &(struct pen){.stroke = INK_SERIES, .width = 2});
    for (int panel = 0; panel < 2; panel++) {
        const struct frame *frame = panel == 0 ? &upper : &lower;
        draw_choice(plot, frame, "best", SHAPE_CIRCLE, panel == 0);
        draw_choice(plot, frame, "one_standard_error", SHAPE_DIAMOND, panel == 0);
        frame_axes(plot, frame);
    }
    return SEPAL_OK;
}

const struct plot_kind plot_path = {
    .name = "path",
    .summary = "the loss on held-out rows along a path of penalties, and how many weights are left",
    .needs = NEEDS_REPORT,
    .parameters = plot_common_parameters,
    .options_size = sizeof(struct plot_common),
    .draw = path_draw,
    .from = "`sepal tune DATA -m SPEC --path --json`",
};
