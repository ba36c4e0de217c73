/* The regions of a plane that a model gives to its classes: darker where it is surer, hatched where two-class
   decisions contradict each other, with the rows that were given, and rings around those it gets wrong. */
#include "plot/field.h"

#include <stdio.h>
#include <string.h>

struct regions_options {
    struct plot_common common;
    const char *x, *y;
    size_t points;
};

static const struct parameter regions_parameters[] = {
    PLOT_COMMON,
    {"x", PARAMETER_TEXT, offsetof(struct regions_options, x), NULL, "",
     "the column across, by name or number; unless given, of more than two, Fisher's first axis"},
    {"y", PARAMETER_TEXT, offsetof(struct regions_options, y), NULL, "", "likewise, upwards"},
    {"points", PARAMETER_COUNT, offsetof(struct regions_options, points), "2000", "[1, 100000]",
     "rows to draw at most; of more, some by chance"},
    {0},
};

/* Areas of the classes, then on them where the probability is at least so much: together alphas of 0.10, 0.18, 0.28
   and 0.40. */
enum { LEVELS = 3 };
static const float level_from[LEVELS] = {0.6F, 0.8F, 0.95F};
static const double class_alpha = 0.10, level_alpha[LEVELS] = {0.089, 0.122, 0.167};

struct regions {
    struct plot *plot;
    struct sampled rows;
    struct plane plane;
    struct field field;
    double step; /* between lines of equal distance; 0: there are none */
    bool quantised;
};

/* One class where it is as sure as that: to every other area there is a border of its own, also where those of
   several levels are nearer to each other than the nodes of the grid. */
struct shade {
    int class;
    float from;
};

static int shade_key(const struct answer *answer, const void *payload) {
    const struct shade *shade = payload;
    return answer->class == shade->class && (answer->p >= shade->from) ? 1 : -1;
}

static int class_key(const struct answer *answer, const void *payload) {
    (void)payload;
    return answer->class + 1;
}

static int region_key(const struct answer *answer, const void *payload) {
    (void)payload;
    return answer->region == REGION_CLEAR ? -1 : answer->region;
}

/* Between lines of equal distance. Those of 0 are the boundary, which is drawn by itself. */
static int distance_key(const struct answer *answer, const void *payload) {
    enum { FAR = 1000 };
    const struct regions *r = payload;
    double steps = floor(answer->distance / r->step);
    if (!(fabs(steps) < FAR)) return 0;
    return (int)(steps == -1 ? 0 : steps) + FAR;
}

/* ---- Areas ----------------------------------------------------------------------------------- */

static int class_ink(int class) {
    return class < 0 ? INK_PALE : series_ink((size_t) class);
}

static sepal_status fill_shade(struct regions *r, const struct shade *shade, double alpha) {
    struct field_areas areas;
    TRY(field_trace(&areas, &r->field, shade_key, shade));
    field_outline(&areas, &r->field, 1);
    canvas_draw(&r->plot->canvas,
                &(struct pen){.fill = class_ink(shade->class), .fill_alpha = alpha});
    return SEPAL_OK;
}

/* What is traced of a class is not needed for the next. */
static sepal_status fill_levels(struct regions *r, int class, float surest) {
    struct plot *plot = r->plot;
    struct arena kept = plot->arena;
    plot->arena = (struct arena){0};
    sepal_status status = SEPAL_OK;
    for (size_t i = 0; i < LEVELS && status == SEPAL_OK; i++)
        if (surest >= level_from[i])
            status = fill_shade(r, &(struct shade){class, level_from[i]}, level_alpha[i]);
    arena_clear(&plot->arena);
    plot->arena = kept;
    return status;
}

static sepal_status fill_classes(struct regions *r) {
    struct field_areas areas;
    size_t n = r->field.columns * r->field.rows;
    TRY(field_trace(&areas, &r->field, class_key, NULL));
    for (size_t i = 0; i < areas.n_keys; i++) {
        int class = areas.keys[i] - 1;
        float surest = 0;
        bool known = true;
        for (size_t at = 0; at < n; at++) {
            if (r->field.node[at].class != class) continue;
            surest = fmaxf(surest, r->field.node[at].p);
            known = known && !isnan(r->field.node[at].p);
        }
        field_outline(&areas, &r->field, areas.keys[i]);
        canvas_draw(&r->plot->canvas, &(struct pen){.fill = class_ink(class),
                                                    .fill_alpha = known ? class_alpha : 0.18});
        TRY(fill_levels(r, class, surest));
    }
    return SEPAL_OK;
}

/* By a finer grid: where votes are shared is often a small triangle. */
static sepal_status hatch_ambiguous(struct regions *r, double cell) {
    struct field fine;
    struct field_areas areas;
    if (!r->plot->model->linear.strategy->region) return SEPAL_OK;
    TRY(field_make(&fine, r->plot, plane_ask, &r->plane, &r->field.frame, cell));
    TRY(field_trace(&areas, &fine, region_key, NULL));
    for (size_t i = 0; i < areas.n_keys; i++) {
        if (areas.keys[i] < 0) continue;
        field_outline(&areas, &fine, areas.keys[i]);
        canvas_draw(
            &r->plot->canvas,
            &(struct pen){.stroke = INK_TEXT, .width = 0.8, .alpha = 0.55, .hatched = true});
    }
    return SEPAL_OK;
}

static sepal_status draw_borders(struct regions *r) {
    struct field_areas areas;
    if (r->step > 0) {
        TRY(field_trace(&areas, &r->field, distance_key, r));
        field_borders(
            &areas, &r->field,
            &(struct pen){.stroke = INK_PALE, .width = 0.8, .alpha = 0.7, .dashed = true});
    }
    TRY(field_trace(&areas, &r->field, class_key, NULL));
    field_borders(&areas, &r->field, &(struct pen){.stroke = INK_TEXT, .width = 1.4});
    return SEPAL_OK;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Two classes of an svm: rows on or inside of the margin carry it. */
static sepal_status find_support(bool *support, size_t *n, struct regions *r) {
    struct plot *plot = r->plot;
    struct decision_rule rule;
    *n = 0;
    if (plot->model->linear.classes != 2 || strcmp(plot->model->learner, "svm") != 0)
        return SEPAL_OK;
    double *scores = arena_alloc(plot->ctx, &plot->arena, r->rows.n, sizeof *scores);
    if (!scores) return SEPAL_EMEMORY;
    TRY(decision_rule_make(&rule, plot->ctx, &plot->arena, plot->model, NULL));
    struct predictions predictions = {.n = r->rows.n, .shown = scores};
    TRY(model_predict(&predictions, plot->ctx, plot->model, &r->rows.prepared.rows, &rule));
    for (size_t i = 0; i < r->rows.n; i++) {
        int32_t label = r->rows.rows.label[i];
        support[i] = label < 2 && (label == 1 ? scores[i] : -scores[i]) <= 1 + 1e-6;
        *n += support[i];
    }
    return SEPAL_OK;
}

static void draw_rows(struct regions *r, const bool *support) {
    struct canvas *canvas = &r->plot->canvas;
    double radius = r->rows.n > 800 ? 2.6 : r->rows.n > 250 ? 3.2 : 3.8;
    for (size_t i = 0; i < r->rows.n; i++) {
        size_t k = (size_t)r->rows.rows.label[i];
        struct point at = frame_point(&r->field.frame, r->plane.points[i].x, r->plane.points[i].y);
        bool wrong = r->rows.predicted[i] != r->rows.rows.label[i];
        if (wrong)
            canvas_circle(canvas, at, radius + 3, &(struct pen){.stroke = INK_TEXT, .width = 1.5});
        else if (support[i])
            canvas_circle(canvas, at, radius + 2.5, &(struct pen){.stroke = INK_PALE, .width = 1});
        canvas_marker(
            canvas, at, series_shape(k), radius,
            &(struct pen){.stroke = canvas_is_term(canvas) ? INK_NONE : INK_PAPER,
                          .fill = canvas_is_term(canvas) && wrong ? INK_NONE : series_ink(k),
                          .width = 0.7});
    }
}

/* ---- Words ----------------------------------------------------------------------------------- */

static void tell_ambiguous(struct regions *r) {
    static const char *const words[REGIONS] = {[REGION_SEVERAL] = "claimed by several classes",
                                               [REGION_NONE] = "claimed by none",
                                               [REGION_TIED] = "with the highest vote shared"};
    size_t count[REGIONS] = {0}, n = r->field.columns * r->field.rows, all = 0;
    char text[NOTE_BYTES] = "";
    for (size_t i = 0; i < n; i++) count[r->field.node[i].region]++;
    for (size_t k = 0; k < REGIONS; k++) {
        if (k == REGION_CLEAR || count[k] == 0) continue;
        size_t length = strlen(text);
        char share[TICK_BYTES];
        number_label(share, 100.0 * (double)count[k] / (double)n, 2);
        (void)snprintf(text + length, sizeof text - length, "%s%s %% %s", all > 0 ? ", " : "",
                       share, words[k]);
        all += count[k];
    }
    if (all == 0) return;
    page_legend(r->plot, "ambiguous", LEGEND_HATCH, INK_TEXT, SHAPE_CIRCLE);
    page_note(r->plot, "Hatched, of the area shown: %s.", text);
    warn(r->plot->ctx, "ambiguous-regions", "of the area shown, %s", text);
}

static void tell_plane(struct regions *r) {
    const struct plane *plane = &r->plane;
    page_subtitle(r->plot, "%s", plot_short_spec(r->plot));
    if (plane->kind == PLANE_FISHER)
        page_note(r->plot,
                  "A plane through %zu columns: colours are those of the plane itself; a row that "
                  "lies off it may be decided otherwise.",
                  plane->cols);
    else if (plane->cols > 2)
        page_note(r->plot,
                  "The %zu other columns are at their means: colours are those of that plane; a "
                  "row that lies off it may be decided otherwise.",
                  plane->cols - 2);
}

static void choose_step(struct regions *r) {
    double low = INFINITY, high = -INFINITY;
    struct ticks ticks;
    for (size_t i = 0; i < r->field.columns * r->field.rows; i++)
        axis_reach(&low, &high, (double)r->field.node[i].distance);
    r->step = 0;
    if (!(high > low) || r->plot->model->linear.density) return;
    ticks_linear(&ticks, low, high);
    if (ticks.n < 2) return;
    r->step = ticks.at[1] - ticks.at[0];
    char shown[TICK_BYTES];
    number_label(shown, r->step, 3);
    page_note(r->plot, "Dashed: the signed distance from the boundary, every %s.", shown);
}

static void legend_classes(struct regions *r) {
    size_t classes = r->plot->model->linear.classes + r->rows.rows.n_unseen;
    for (size_t k = 0; k < classes; k++) page_legend_series(r->plot, sampled_label(&r->rows, k), k);
}

/* ---- All ------------------------------------------------------------------------------------- */

static struct frame regions_frame(struct regions *r, struct pane box) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < r->rows.n; i++) {
        axis_reach(&low[0], &high[0], r->plane.points[i].x);
        axis_reach(&low[1], &high[1], r->plane.points[i].y);
    }
    struct axis x = axis_around(low[0], high[0], r->plane.name[0]);
    struct axis y = axis_around(low[1], high[1], r->plane.name[1]);
    y.plain = r->plane.kind == PLANE_LINE;
    return frame_in(r->plot, box, &x, &y);
}

/* Rings first where there are so many classes that the legend cannot name them all. */
static sepal_status tell_rings(struct regions *r, size_t supports) {
    struct plot *plot = r->plot;
    size_t mistakes = 0;
    for (size_t i = 0; i < r->rows.n; i++)
        mistakes += r->rows.predicted[i] != r->rows.rows.label[i];
    if (mistakes > 0) {
        char *label = arena_alloc(plot->ctx, &plot->arena, 48, 1);
        if (!label) return SEPAL_EMEMORY;
        (void)snprintf(label, 48, "%zu mistake%s", mistakes, mistakes == 1 ? "" : "s");
        page_legend(plot, label, LEGEND_RING, INK_TEXT, SHAPE_CIRCLE);
    }
    if (supports > 0) page_legend(plot, "support vectors", LEGEND_RING, INK_PALE, SHAPE_CIRCLE);
    tell_ambiguous(r);
    return SEPAL_OK;
}

static sepal_status tell_all(struct regions *r, size_t supports) {
    enum { CLASSES_FIRST = 8 };
    bool few = r->plot->model->linear.classes <= CLASSES_FIRST;
    if (few) legend_classes(r);
    TRY(tell_rings(r, supports));
    if (!few) legend_classes(r);
    tell_plane(r);
    choose_step(r);
    sampled_note(&r->rows, r->plot);
    return SEPAL_OK;
}

static sepal_status draw_picture(struct regions *r) {
    struct plot *plot = r->plot;
    bool term = canvas_is_term(&plot->canvas), wide = r->plane.cols > 200;
    double cell = term || wide ? 8 : 4, fine = term || wide ? 8 : 2;
    size_t supports = 0;
    bool *support = arena_zero(plot->ctx, &plot->arena, r->rows.n, sizeof *support);
    if (!support) return SEPAL_EMEMORY;
    TRY(find_support(support, &supports, r));
    /* a first look, for what the page says of it; the page then says how large the picture is */
    struct pane whole = {0, 0, plot->canvas.width, plot->canvas.height};
    struct frame frame = regions_frame(r, whole);
    TRY(field_make(&r->field, plot, plane_ask, &r->plane, &frame,
                   plot->model->linear.strategy->region ? fine : 2 * cell));
    TRY(tell_all(r, supports));
    frame = regions_frame(r, page_draw(plot));
    TRY(field_make(&r->field, plot, plane_ask, &r->plane, &frame, cell));
    frame_clip(plot, &frame);
    TRY(fill_classes(r));
    TRY(hatch_ambiguous(r, fine));
    TRY(draw_borders(r));
    draw_rows(r, support);
    canvas_unclip(&plot->canvas);
    frame_axes(plot, &frame);
    return SEPAL_OK;
}

static sepal_status regions_draw(struct plot *plot) {
    const struct regions_options *options = plot->options;
    struct regions r = {.plot = plot};
    if (plot->model->linear.strategy->sets)
        return fail(plot->ctx, SEPAL_EMODEL,
                    "this model gives sets of labels, and a region belongs to one class; a model "
                    "of a single label has regions");
    page_title(plot, "Regions of %s", plot->model->learner);
    sepal_status status = sample_rows(&r.rows, plot, options->points, true);
    if (status == SEPAL_OK) status = plane_make(&r.plane, plot, &r.rows, options->x, options->y);
    if (status == SEPAL_OK) status = draw_picture(&r);
    sampled_clear(&r.rows);
    return status;
}

const struct plot_kind plot_regions = {
    .name = "regions",
    .summary = "the regions of a plane that a model gives to its classes, and the rows",
    .needs = NEEDS_MODEL | NEEDS_DATA,
    .parameters = regions_parameters,
    .options_size = sizeof(struct regions_options),
    .draw = regions_draw,
    .narrow = "height=460, points=600",
};
