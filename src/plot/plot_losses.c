/* What a row costs by its margin t s: the number of mistakes, and what learners put in its place. */
#include "plot/plot.h"

enum { POINTS = 481 };

static double zero_one(double m) {
    return m <= 0;
}
static double squared(double m) {
    return (1 - m) * (1 - m) / 2;
}
static double log_loss(double m) {
    return log1p(exp(-m));
}
static double hinge(double m) {
    return fmax(0, 1 - m);
}
static double squared_hinge(double m) {
    return fmax(0, 1 - m) * fmax(0, 1 - m);
}
static double perceptron(double m) {
    return fmax(0, -m);
}

static const struct {
    const char *name;
    double (*at)(double margin);
} losses[] = {{"0-1 (mistakes)", zero_one},     {"squared", squared},
              {"logistic", log_loss},           {"hinge (svm)", hinge},
              {"squared hinge", squared_hinge}, {"perceptron", perceptron}};
enum { LOSSES = sizeof losses / sizeof *losses, SQUARED = 1 };

/* Right, and yet the squared loss asks for it to be less so. */
static void shade_too_correct(struct plot *plot, const struct frame *frame, const double *x,
                              const double *y) {
    canvas_move(&plot->canvas, frame_x(frame, 1), frame_y(frame, 0));
    for (size_t i = 0; i < POINTS; i++)
        if (x[i] >= 1) canvas_line(&plot->canvas, frame_x(frame, x[i]), frame_y(frame, y[i]));
    canvas_line(&plot->canvas, frame_x(frame, x[POINTS - 1]), frame_y(frame, 0));
    canvas_close(&plot->canvas);
    canvas_draw(&plot->canvas, &(struct pen){.fill = series_ink(SQUARED), .fill_alpha = 0.18});
}

static sepal_status losses_draw(struct plot *plot) {
    double x[POINTS], y[POINTS];
    const struct axis across = {.low = -2.5, .high = 3.5, .label = "margin t s"};
    const struct axis up = {.low = 0, .high = 4, .label = "loss"};
    page_title(plot, "Losses");
    page_subtitle(plot,
                  "Left of 0 a row is on the wrong side. Only the squared loss grows again on "
                  "the right one: shaded, rows that are \xE2\x80\x9Ctoo correct\xE2\x80\x9D.");
    for (size_t k = 0; k < LOSSES; k++) page_legend_series(plot, losses[k].name, k);
    struct frame frame = frame_in(plot, page_draw(plot), &across, &up);
    frame_grid(plot, &frame);
    frame_clip(plot, &frame);
    canvas_segment(&plot->canvas, frame_point(&frame, 0, 0), frame_point(&frame, 0, 4),
                   &(struct pen){.stroke = INK_PALE, .width = 1, .dashed = true});
    for (size_t i = 0; i < POINTS; i++) {
        x[i] = across.low + (across.high - across.low) * (double)i / (POINTS - 1);
        y[i] = squared(x[i]);
    }
    shade_too_correct(plot, &frame, x, y);
    for (size_t k = LOSSES; k-- > 0;) {
        for (size_t i = 0; i < POINTS; i++) y[i] = losses[k].at(x[i]);
        frame_series(plot, &frame, x, y, POINTS, k);
    }
    canvas_unclip(&plot->canvas);
    frame_axes(plot, &frame);
    return SEPAL_OK;
}

const struct plot_kind plot_losses = {
    .name = "losses",
    .summary = "the losses of the learners over the margin of a row",
    .parameters = plot_common_parameters,
    .options_size = sizeof(struct plot_common),
    .draw = losses_draw,
};
