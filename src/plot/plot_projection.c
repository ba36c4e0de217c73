/* Rows on a line: histograms of the classes on the normal of a boundary, with the Gaussians that fit them and the
   cut; beside them the line through the class means. Of more than two classes, the first two axes of lda. */
#include "model/match.h"
#include "model/pipeline.h"
#include "plot/plane.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct projection_options {
    struct plot_common common;
    size_t points;
};

static const struct parameter projection_parameters[] = {
    PLOT_COMMON,
    {"points", PARAMETER_COUNT, offsetof(struct projection_options, points), "20000",
     "[1, 1000000]", "rows to count at most; of more, some by chance"},
    {0},
};

enum { BINS = 36, CURVE = 200 };

/* One line: where each row lies on it. */
struct line {
    const char *title, *label;
    const double *at;
    bool cut; /* at 0 */
};

struct projection {
    struct plot *plot;
    struct sampled rows;
    size_t classes;
    bool *shown;   /* which of them, and of the labels that the model does not know */
    size_t *place; /* of each in a histogram, SERIES_MOST where it is not shown */
    size_t series[SERIES_MOST], n_shown;
};

/* ---- Where rows lie -------------------------------------------------------------------------- */

static sepal_status project(double **out, struct projection *p, const sepal_model *model,
                            size_t axis) {
    struct plot *plot = p->plot;
    struct decision_rule rule;
    struct prepared prepared;
    bool axes = model->linear.axes != NULL && axis < model->linear.n_axes && p->classes > 2;
    size_t width = axes ? model_outputs(model, SEPAL_PROJECTIONS) : linear_shown(&model->linear);
    double *all = arena_alloc(plot->ctx, &plot->arena, p->rows.n, width * sizeof *all);
    *out = arena_alloc(plot->ctx, &plot->arena, p->rows.n, sizeof **out);
    if (!all || !*out) return SEPAL_EMEMORY;
    const sepal_data *data = p->rows.part ? p->rows.part : plot->data;
    struct predictions predictions = {.n = p->rows.n};
    bool distances = !axes && model_outputs(model, SEPAL_DISTANCES) == width;
    *(axes        ? &predictions.projections
      : distances ? &predictions.distances
                  : &predictions.shown) = all;
    TRY(decision_rule_make(&rule, plot->ctx, &plot->arena, model, NULL));
    sepal_status status = match_rows(&prepared, plot->ctx, model, data, 0, p->rows.n);
    if (status == SEPAL_OK)
        status = model_predict(&predictions, plot->ctx, model, &prepared.rows, &rule);
    prepared_clear(&prepared);
    for (size_t i = 0; i < p->rows.n && status == SEPAL_OK; i++)
        (*out)[i] = isfinite(all[i * width + axis]) ? all[i * width + axis] : 0;
    return status;
}

/* Another learner behind the model's maps, fitted to the same rows. NULL: it cannot be. */
static sepal_status fit_beside(sepal_model **out, struct projection *p, const char *learner) {
    struct plot *plot = p->plot;
    const char *spec = plot->model->spec, *last = NULL;
    struct text text = {0};
    char begin[64];
    *out = NULL;
    (void)snprintf(begin, sizeof begin, "| %s(", plot->model->learner);
    last = strstr(spec, begin);
    if (last) text_add(plot->ctx, &text, spec, (size_t)(last - spec) + 2);
    text_puts(plot->ctx, &text, learner);
    size_t warnings = plot->ctx->n_warnings;
    const sepal_data *data = p->rows.part ? p->rows.part : plot->data;
    sepal_status status = text.failed ? SEPAL_EMEMORY : SEPAL_OK;
    if (status == SEPAL_OK && data->n_unseen == 0)
        status = pipeline_refit(out, plot->ctx, text.bytes, data, NULL, NULL);
    unwarn(plot->ctx, warnings);
    text_clear(&text);
    if (status == SEPAL_EMEMORY || status == SEPAL_ECANCEL) return status;
    if (status != SEPAL_OK) forgive(plot->ctx);
    return SEPAL_OK;
}

/* ---- One line -------------------------------------------------------------------------------- */

struct histogram {
    double low, high, tallest;
    double count[SERIES_MOST][BINS], n[SERIES_MOST], mean[SERIES_MOST], sigma[SERIES_MOST];
    const size_t *series; /* by which colour and shape they are known */
};

static void count_rows(struct histogram *h, const struct projection *p, const struct line *line) {
    *h = (struct histogram){.low = INFINITY, .high = -INFINITY, .series = p->series};
    for (size_t i = 0; i < p->rows.n; i++) axis_reach(&h->low, &h->high, line->at[i]);
    struct axis axis = axis_around(h->low, h->high, NULL);
    h->low = axis.low;
    h->high = axis.high;
    for (size_t i = 0; i < p->rows.n; i++) {
        size_t k = p->place[p->rows.rows.label[i]];
        if (k == SERIES_MOST) continue;
        double before = h->mean[k], x = line->at[i];
        size_t bin = (size_t)((x - h->low) / (h->high - h->low) * BINS);
        h->count[k][bin < BINS ? bin : BINS - 1]++;
        h->n[k]++;
        h->mean[k] += (x - before) / h->n[k];
        h->sigma[k] += (x - before) * (x - h->mean[k]);
    }
    for (size_t k = 0; k < SERIES_MOST; k++) {
        h->sigma[k] = h->n[k] > 1 ? sqrt(h->sigma[k] / (h->n[k] - 1)) : 0;
        for (size_t b = 0; b < BINS; b++) h->tallest = fmax(h->tallest, h->count[k][b]);
    }
}

/* Its density times what a bin is wide and how many rows there are. */
static double bell(const struct histogram *h, size_t k, double x) {
    double z = (x - h->mean[k]) / h->sigma[k], bin = (h->high - h->low) / BINS;
    return h->n[k] * bin * exp(-z * z / 2) / (h->sigma[k] * sqrt(2 * 3.14159265358979323846));
}

static void draw_bars(struct plot *plot, const struct frame *frame, const struct histogram *h,
                      size_t k) {
    double bin = (h->high - h->low) / BINS;
    canvas_move(&plot->canvas, frame_x(frame, h->low), frame_y(frame, 0));
    for (size_t b = 0; b < BINS; b++) {
        double left = frame_x(frame, h->low + (double)b * bin);
        double right = frame_x(frame, h->low + (double)(b + 1) * bin);
        canvas_line(&plot->canvas, left, frame_y(frame, h->count[k][b]));
        canvas_line(&plot->canvas, right, frame_y(frame, h->count[k][b]));
    }
    canvas_line(&plot->canvas, frame_x(frame, h->high), frame_y(frame, 0));
    canvas_close(&plot->canvas);
    canvas_draw(&plot->canvas, &(struct pen){.fill = series_ink(h->series[k]), .fill_alpha = 0.32});
}

static void draw_bell(struct plot *plot, const struct frame *frame, const struct histogram *h,
                      size_t k) {
    double x[CURVE], y[CURVE];
    if (!(h->sigma[k] > 0)) return;
    for (size_t i = 0; i < CURVE; i++) {
        x[i] = h->low + (h->high - h->low) * (double)i / (CURVE - 1);
        y[i] = bell(h, k, x[i]);
    }
    frame_curve(plot, frame, x, y, CURVE,
                &(struct pen){.stroke = series_ink(h->series[k]), .width = 2});
    double top = fmin(bell(h, k, h->mean[k]), frame->y.high);
    canvas_marker(&plot->canvas, frame_point(frame, h->mean[k], top), series_shape(h->series[k]), 4,
                  &(struct pen){.stroke = INK_PAPER, .fill = series_ink(h->series[k]), .width = 1});
}

/* Fisher's criterion of two classes, and how many rows the cut has on the wrong side. */
static void tell_line(struct plot *plot, const struct projection *p, const struct line *line,
                      const struct histogram *h, const struct pane *pane, double y) {
    char text[NOTE_BYTES], number[TICK_BYTES], fitted[NOTE_BYTES];
    size_t wrong = 0;
    (void)snprintf(text, sizeof text, "%s", line->title);
    if (line->cut) {
        double between = h->mean[1] - h->mean[0];
        double within = h->sigma[0] * h->sigma[0] + h->sigma[1] * h->sigma[1];
        for (size_t i = 0; i < p->rows.n; i++)
            wrong += (line->at[i] >= 0) != (p->rows.rows.label[i] == 1);
        if (within > 0) {
            number_label(number, between * between / within, 3);
            (void)snprintf(text, sizeof text, "%s: %zu wrong, separation %s", line->title, wrong,
                           number);
        } else {
            (void)snprintf(text, sizeof text, "%s: %zu wrong", line->title, wrong);
        }
    }
    canvas_fit_text(&plot->canvas, fitted, sizeof fitted, text, TEXT_SIZE,
                    pane->right - pane->left);
    plot_text(plot, pane->left, y, ANCHOR_START, INK_TEXT, "%s", fitted);
}

static sepal_status draw_line(struct projection *p, const struct line *line, struct pane pane) {
    struct plot *plot = p->plot;
    double height = canvas_line_height(&plot->canvas, TEXT_SIZE);
    struct histogram *h = arena_alloc(plot->ctx, &plot->arena, 1, sizeof *h);
    if (!h) return SEPAL_EMEMORY;
    count_rows(h, p, line);
    tell_line(plot, p, line, h, &pane, pane.top + height - 6);
    pane.top += height + 2;
    double tallest = h->tallest;
    for (size_t k = 0; k < SERIES_MOST; k++)
        if (h->sigma[k] > 0)
            tallest = fmax(tallest, fmin(bell(h, k, h->mean[k]), 1.4 * h->tallest));
    struct axis x = {.low = h->low, .high = h->high, .label = line->label};
    struct axis y = {.low = 0, .high = 1.05 * tallest, .plain = true};
    struct frame frame = frame_in(plot, pane, &x, &y);
    frame_clip(plot, &frame);
    for (size_t k = 0; k < SERIES_MOST; k++)
        if (h->n[k] > 0) draw_bars(plot, &frame, h, k);
    for (size_t k = 0; k < SERIES_MOST; k++) draw_bell(plot, &frame, h, k);
    if (line->cut)
        canvas_segment(&plot->canvas, frame_point(&frame, 0, 0),
                       frame_point(&frame, 0, frame.y.high),
                       &(struct pen){.stroke = INK_TEXT, .width = 1.5, .dashed = true});
    canvas_unclip(&plot->canvas);
    frame_axes(plot, &frame);
    return SEPAL_OK;
}

/* ---- All ------------------------------------------------------------------------------------- */

static sepal_status two_classes(struct projection *p, struct line lines[2], size_t *n,
                                sepal_model **beside) {
    const sepal_model *model = p->plot->model;
    bool mean = strcmp(model->learner, "mean-difference") == 0;
    const char *other = mean ? "fisher" : "mean-difference";
    double *at;
    TRY(project(&at, p, model, 0));
    lines[0] = (struct line){model->learner, "signed distance from the cut", at, true};
    if (model_outputs(model, SEPAL_DISTANCES) != 1 || density_is_quadratic(model->linear.density))
        lines[0].label = "score";
    *n = 1;
    TRY(fit_beside(beside, p, other));
    if (!*beside) return SEPAL_OK;
    TRY(project(&at, p, *beside, 0));
    lines[1] = (struct line){other, "signed distance from the cut", at, true};
    *n = 2;
    return SEPAL_OK;
}

static sepal_status more_classes(struct projection *p, struct line lines[2], size_t *n,
                                 sepal_model **beside) {
    static const char *const titles[] = {"first axis of lda", "second axis of lda"};
    const sepal_model *model = p->plot->model;
    if (!model->linear.axes) {
        TRY(fit_beside(beside, p, "lda"));
        model = *beside;
    }
    if (!model)
        return fail(p->plot->ctx, SEPAL_EDATA,
                    "there is no lda of these rows to project them on: each class of the model "
                    "needs rows, and there may be no other class");
    for (*n = 0; *n < 2 && *n < model->linear.n_axes; ++*n) {
        double *at;
        TRY(project(&at, p, model, *n));
        lines[*n] = (struct line){titles[*n], "projection", at, false};
    }
    return SEPAL_OK;
}

/* Of many classes those of most rows. */
static sepal_status choose_classes(struct projection *p) {
    struct plot *plot = p->plot;
    size_t all = p->classes + p->rows.rows.n_unseen;
    double *rows = arena_zero(plot->ctx, &plot->arena, all, sizeof *rows);
    p->place = arena_alloc(plot->ctx, &plot->arena, all, sizeof *p->place);
    if (!rows || !p->place) return SEPAL_EMEMORY;
    for (size_t i = 0; i < p->rows.n; i++) rows[p->rows.rows.label[i]]++;
    TRY(page_choose(&p->shown, plot, rows, all, "of most rows"));
    for (size_t k = 0; k < all; k++) {
        p->place[k] = p->shown[k] ? p->n_shown : SERIES_MOST;
        if (!p->shown[k]) continue;
        p->series[p->n_shown++] = k;
        page_legend_series(plot, sampled_label(&p->rows, k), k);
    }
    return SEPAL_OK;
}

static sepal_status draw_projection(struct projection *p) {
    struct plot *plot = p->plot;
    struct line lines[2];
    size_t n = 0;
    sepal_model *beside = NULL;
    sepal_status status =
        p->classes == 2 ? two_classes(p, lines, &n, &beside) : more_classes(p, lines, &n, &beside);
    model_free(beside);
    TRY(status);
    page_title(plot, "Projections");
    page_subtitle(plot, "%s", plot_short_spec(plot));
    TRY(choose_classes(p));
    if (p->classes == 2) page_legend(plot, "cut", LEGEND_DASHED, INK_TEXT, SHAPE_CIRCLE);
    page_note(plot,
              "Bars: rows of each class; lines: the Gaussians with their means and variances.");
    if (p->classes == 2)
        page_note(plot, "Separation: the squared difference of the means over the sum of the "
                        "variances.");
    if (p->classes == 2 && !kept_rule_is_default(&plot->model->kept_rule))
        page_note(plot, "The cut is the zero of the score; the model decides rows by a rule or "
                        "cutoff of its own.");
    sampled_note(&p->rows, plot);
    struct pane room = page_draw(plot);
    bool beside_each_other = room.right - room.left > 420;
    for (size_t i = 0; i < n; i++) {
        struct pane pane =
            beside_each_other ? pane_column(room, i, n, 28) : pane_row(room, i, n, 8);
        TRY(draw_line(p, &lines[i], pane));
    }
    return SEPAL_OK;
}

static sepal_status projection_draw(struct plot *plot) {
    const struct projection_options *options = plot->options;
    struct projection p = {.plot = plot, .classes = plot->model->linear.classes};
    if (plot->model->linear.strategy->sets)
        return fail(plot->ctx, SEPAL_EMODEL,
                    "this model gives sets of labels; projections are of models of one label");
    sepal_status status = sample_rows(&p.rows, plot, options->points, false);
    if (status == SEPAL_OK) status = draw_projection(&p);
    sampled_clear(&p.rows);
    return status;
}

const struct plot_kind plot_projection = {
    .name = "projection",
    .summary =
        "histograms of the classes on Fisher's direction and on the line through their means",
    .needs = NEEDS_MODEL | NEEDS_DATA,
    .parameters = projection_parameters,
    .options_size = sizeof(struct projection_options),
    .draw = projection_draw,
    .narrow = "height=560",
};
