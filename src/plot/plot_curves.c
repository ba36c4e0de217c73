/* The curves of a judgement: ROC, precision and recall, calibration, and accuracy against coverage. They are drawn
   of the report of an evaluation that was asked for its curves. */
#include "plot/plot.h"

#include <stdio.h>
#include <string.h>

/* One of the lists under "curves"; SEPAL_EDATA with the reason where it is not there or empty. */
static sepal_status find_curves(const struct tree **out, struct plot *plot, const char *name) {
    const struct tree *curves = tree_find(plot->report, "curves");
    *out = curves ? tree_find(curves, name) : NULL;
    if (*out && (*out)->kind == TREE_ARRAY && (*out)->count > 0) return SEPAL_OK;
    bool probability = strcmp(name, "calibration") == 0 || strcmp(name, "coverage") == 0;
    if (curves && probability)
        return fail(plot->ctx, SEPAL_EMODEL,
                    "a %s curve is of probabilities, and this model has none; train it with "
                    "--calibrate platt, or take logistic",
                    name);
    return fail(plot->ctx, SEPAL_EDATA,
                curves ? "the report has no %s curve: it takes rows of two classes at least"
                       : "the report has no curves; `sepal evaluate MODEL DATA --curves --json` "
                         "prints them, or name MODEL and DATA for a %s curve",
                name);
}

/* Numbers `a` and `b` of each point, which are arrays. */
static sepal_status take_points(double **x, double **y, size_t *n, struct plot *plot,
                                const struct tree *points, size_t a, size_t b) {
    *n = points && points->kind == TREE_ARRAY ? points->count : 0;
    TRY(ARENA_VECTORS(plot->ctx, &plot->arena, *n + 1, x, y));
    size_t i = 0;
    for (const struct tree *point = *n > 0 ? points->first : NULL; point;
         point = point->next, i++) {
        size_t j = 0;
        (*x)[i] = (*y)[i] = NAN;
        if (point->kind != TREE_ARRAY) continue;
        for (const struct tree *cell = point->first; cell; cell = cell->next, j++) {
            double value = cell->kind == TREE_NUMBER ? cell->number : NAN;
            if (j == a) (*x)[i] = value;
            if (j == b) (*y)[i] = value;
        }
    }
    return SEPAL_OK;
}

/* The class and what is under its curve. */
static const char *curve_label(struct plot *plot, const struct tree *curve, const char *key,
                               const char *word) {
    char number[TICK_BYTES];
    struct text label = {0};
    number_label(number, tree_value(curve, key), 3);
    if (isfinite(tree_value(curve, key)))
        text_printf(plot->ctx, &label, "%s %s: %s", word, number, tree_word(curve, "label", ""));
    else
        text_puts(plot->ctx, &label, tree_word(curve, "label", ""));
    const char *copy =
        label.failed ? NULL : arena_text(plot->ctx, &plot->arena, label.bytes, label.length);
    text_clear(&label);
    plot->canvas.failed = plot->canvas.failed || !copy;
    return copy ? copy : "";
}

static struct frame unit_frame(struct plot *plot, const char *x, const char *y) {
    const struct axis across = {.low = 0, .high = 1, .label = x};
    const struct axis up = {.low = 0, .high = 1, .label = y};
    struct frame frame = frame_in(plot, page_draw_square(plot), &across, &up);
    frame_grid(plot, &frame);
    return frame;
}

static void draw_diagonal(struct plot *plot, const struct frame *frame) {
    canvas_segment(&plot->canvas, frame_point(frame, 0, 0), frame_point(frame, 1, 1),
                   &(struct pen){.stroke = INK_PALE, .width = 1, .dashed = true});
}

/* The curves to draw: of many, those that ask for a look most, by a number of theirs. The legend has them. */
static sepal_status choose_curves(bool **shown, struct plot *plot, const struct tree *curves,
                                  const char *key, const char *word, double sign) {
    double *worth = arena_alloc(plot->ctx, &plot->arena, curves->count, sizeof *worth);
    char which[48];
    size_t k = 0;
    if (!worth) return SEPAL_EMEMORY;
    for (const struct tree *curve = curves->first; curve; curve = curve->next, k++) {
        double value = tree_value(curve, key);
        worth[k] = isfinite(value) ? sign * value : -INFINITY;
    }
    (void)snprintf(which, sizeof which, "of the %s %s", sign > 0 ? "largest" : "least", word);
    TRY(page_choose(shown, plot, worth, curves->count, which));
    k = 0;
    for (const struct tree *curve = curves->first; curve; curve = curve->next, k++)
        if ((*shown)[k]) page_legend_series(plot, curve_label(plot, curve, key, word), k);
    return SEPAL_OK;
}

struct ranking_words {
    const char *name, *title, *subtitle, *area, *word, *x, *y;
    size_t across, up; /* of a point */
    bool diagonal;
};

static sepal_status draw_ranking(struct plot *plot, const struct ranking_words *words) {
    const struct tree *curves;
    TRY(find_curves(&curves, plot, words->name));
    page_title(plot, "%s", words->title);
    page_subtitle(plot, "%s", words->subtitle);
    bool *shown;
    TRY(choose_curves(&shown, plot, curves, words->area, words->word, -1));
    struct frame frame = unit_frame(plot, words->x, words->y);
    if (words->diagonal) draw_diagonal(plot, &frame);
    size_t k = 0;
    for (const struct tree *curve = curves->first; curve; curve = curve->next, k++) {
        double *x, *y;
        size_t n;
        if (!shown[k]) continue;
        TRY(take_points(&x, &y, &n, plot, tree_find(curve, "points"), words->across, words->up));
        if (curves->count == 1)
            frame_curve(plot, &frame, x, y, n, &(struct pen){.stroke = INK_SERIES, .width = 2});
        else
            frame_series(plot, &frame, x, y, n, k);
    }
    frame_axes(plot, &frame);
    return SEPAL_OK;
}

static sepal_status roc_draw(struct plot *plot) {
    return draw_ranking(plot, &(struct ranking_words){"roc", "ROC", "Dashed: what guessing does.",
                                                      "auc", "AUC", "false positive rate",
                                                      "true positive rate", 0, 1, true});
}

static sepal_status pr_draw(struct plot *plot) {
    return draw_ranking(plot, &(struct ranking_words){
                                  "pr", "Precision and recall",
                                  "How many of those found are right, the more of them are found.",
                                  "average_precision", "AP", "recall", "precision", 0, 1, false});
}

/* ---- Calibration ------------------------------------------------------------------------------ */

static double count_bins(const struct tree *curves) {
    double most = 1;
    for (const struct tree *curve = curves->first; curve; curve = curve->next) {
        const struct tree *bins = tree_find(curve, "bins");
        for (const struct tree *bin = bins ? bins->first : NULL; bin; bin = bin->next)
            if (tree_value(bin, "count") > most) most = tree_value(bin, "count");
    }
    return most;
}

/* Points the larger, the more rows they are of. */
static sepal_status draw_bins(struct plot *plot, const struct frame *frame, const struct tree *bins,
                              size_t k, double most) {
    double *x, *y;
    size_t n = 0;
    TRY(ARENA_VECTORS(plot->ctx, &plot->arena, bins->count + 1, &x, &y));
    for (const struct tree *bin = bins->first; bin; bin = bin->next, n++) {
        x[n] = tree_value(bin, "mean_probability");
        y[n] = tree_value(bin, "fraction");
    }
    frame_curve(plot, frame, x, y, n, &(struct pen){.stroke = series_ink(k), .width = 1.8});
    n = 0;
    for (const struct tree *bin = bins->first; bin; bin = bin->next, n++) {
        double share = tree_value(bin, "count") / most;
        if (isfinite(x[n] + y[n]) && share > 0)
            canvas_marker(&plot->canvas, frame_point(frame, x[n], y[n]), series_shape(k),
                          2.5 + 4.5 * sqrt(share),
                          &(struct pen){.stroke = INK_PAPER, .fill = series_ink(k), .width = 1});
    }
    return SEPAL_OK;
}

static sepal_status calibration_draw(struct plot *plot) {
    const struct tree *curves;
    TRY(find_curves(&curves, plot, "calibration"));
    page_title(plot, "Calibration");
    page_subtitle(plot,
                  "Dashed: as often as was said. Below it the model is too sure of the class; "
                  "the larger a point, the more rows.");
    bool *shown;
    TRY(choose_curves(&shown, plot, curves, "ece", "ECE", 1));
    struct frame frame =
        unit_frame(plot, "mean probability that was said", "how often it was the class");
    draw_diagonal(plot, &frame);
    double most = count_bins(curves);
    size_t k = 0;
    for (const struct tree *curve = curves->first; curve; curve = curve->next, k++) {
        const struct tree *bins = tree_find(curve, "bins");
        if (shown[k] && bins && bins->kind == TREE_ARRAY)
            TRY(draw_bins(plot, &frame, bins, k, most));
    }
    frame_axes(plot, &frame);
    return SEPAL_OK;
}

/* ---- Coverage --------------------------------------------------------------------------------- */

static sepal_status coverage_draw(struct plot *plot) {
    const struct tree *points;
    double *coverage, *accuracy, low = 1, high = 0;
    size_t n;
    TRY(find_curves(&points, plot, "coverage"));
    TRY(take_points(&coverage, &accuracy, &n, plot, points, 1, 2));
    for (size_t i = 0; i < n; i++) axis_reach(&low, &high, accuracy[i]);
    page_title(plot, "Accuracy and coverage");
    page_subtitle(plot,
                  "What is gained by leaving the least sure rows undecided (--decide reject).");
    const struct axis x = {.low = 0, .high = 1, .label = "part of the rows that is decided"};
    struct axis y = axis_around(low, high, "accuracy of those");
    y.high = fmin(1, fmax(y.high, y.low + 0.01));
    struct frame frame = frame_in(plot, page_draw(plot), &x, &y);
    frame_grid(plot, &frame);
    frame_curve(plot, &frame, coverage, accuracy, n,
                &(struct pen){.stroke = INK_SERIES, .width = 2});
    frame_axes(plot, &frame);
    return SEPAL_OK;
}

#define OF_A_JUDGEMENT                                                                             \
    .needs = NEEDS_JUDGEMENT, .parameters = plot_common_parameters,                                \
    .options_size = sizeof(struct plot_common)

const struct plot_kind plot_roc = {.name = "roc",
                                   .summary = "true against false positives at every threshold",
                                   .draw = roc_draw,
                                   OF_A_JUDGEMENT};
const struct plot_kind plot_pr = {.name = "pr",
                                  .summary = "precision against recall at every threshold",
                                  .draw = pr_draw,
                                  OF_A_JUDGEMENT};
const struct plot_kind plot_calibration = {
    .name = "calibration",
    .summary = "how often a class came true, by the probability that was said",
    .draw = calibration_draw,
    OF_A_JUDGEMENT};
const struct plot_kind plot_coverage = {
    .name = "coverage",
    .summary = "accuracy of the rows that are decided, by how many are",
    .draw = coverage_draw,
    OF_A_JUDGEMENT};
