/* What learners go down, over two weights of a model: the number of mistakes, which is made of steps, the cost of
   the perceptron, made of pieces of planes, and the squared loss, a bowl. All other weights stay as they are. */
#include "plot/field.h"

#include "maps/map_chain.h"

#include <stdio.h>

struct cost_options {
    struct plot_common common;
    const char *x, *y;
    size_t points;
};

static const struct parameter cost_parameters[] = {
    PLOT_COMMON,
    {"x", PARAMETER_TEXT, offsetof(struct cost_options, x), NULL, "",
     "the column whose weight goes across, by name or number; unless given the first"},
    {"y", PARAMETER_TEXT, offsetof(struct cost_options, y), NULL, "",
     "likewise, upwards; unless given the second"},
    {"points", PARAMETER_COUNT, offsetof(struct cost_options, points), "1000", "[1, 100000]",
     "rows that the cost is of at most; of more, some by chance"},
    {0},
};

enum cost_kind { COST_MISTAKES, COST_PERCEPTRON, COST_SQUARED, COSTS };
enum { BANDS = 10 };

struct costs {
    struct plot *plot;
    size_t n;
    double *score, *column[2], weight[2],
        reach[2]; /* scores of the model as it is; columns of phi */
    double *sign;
    const char *name[2];
};

struct surface {
    const struct costs *costs;
    enum cost_kind kind;
    double low, high;
};

static double loss_at(enum cost_kind kind, double margin) {
    switch (kind) {
    case COST_MISTAKES: return !(margin > 0);
    case COST_PERCEPTRON: return fmax(0, -margin);
    default: return (1 - margin) * (1 - margin) / 2;
    }
}

static sepal_status surface_ask(struct answer *out, struct plot *plot, const void *of,
                                const struct point *points, size_t n) {
    const struct surface *surface = of;
    const struct costs *c = surface->costs;
    for (size_t i = 0; i < n; i++) {
        double sum = 0, dx = points[i].x - c->weight[0], dy = points[i].y - c->weight[1];
        if (i % 256 == 0) TRY(check_cancelled(plot->ctx, "drawing"));
        for (size_t k = 0; k < c->n; k++)
            sum += loss_at(surface->kind, c->sign[k] * (c->score[k] + dx * c->column[0][k] +
                                                        dy * c->column[1][k]));
        out[i] = (struct answer){.distance = (float)(sum / (double)c->n)};
    }
    return SEPAL_OK;
}

/* Bands that are narrower near the least cost, where it matters. */
static int band_key(const struct answer *answer, const void *payload) {
    const struct surface *surface = payload;
    double share = (answer->distance - surface->low) / (surface->high - surface->low);
    int band = (int)floor(sqrt(fmax(0, share)) * BANDS);
    return band < 0 ? 0 : band >= BANDS ? BANDS - 1 : band;
}

static sepal_status draw_surface(const struct costs *c, enum cost_kind kind, struct pane pane) {
    static const char *const titles[COSTS] = {"mistakes, in steps", "perceptron, piecewise linear",
                                              "squared loss, a bowl"};
    struct plot *plot = c->plot;
    double line = canvas_line_height(&plot->canvas, TEXT_SIZE);
    struct surface surface = {.costs = c, .kind = kind, .low = INFINITY, .high = -INFINITY};
    struct axis axis[2];
    char fitted[NOTE_BYTES];
    for (size_t a = 0; a < 2; a++)
        axis[a] = (struct axis){.low = c->weight[a] - c->reach[a],
                                .high = c->weight[a] + c->reach[a],
                                .label = c->name[a]};
    canvas_fit_text(&plot->canvas, fitted, sizeof fitted, titles[kind], TEXT_SIZE,
                    pane.right - pane.left);
    canvas_text(&plot->canvas, pane.left, pane.top + line - 5, fitted,
                &(struct lettering){.size = TEXT_SIZE, .ink = INK_TEXT, .bold = true});
    pane.top += line;
    struct frame frame = frame_in(plot, pane, &axis[0], &axis[1]);
    struct field field;
    struct field_areas areas;
    TRY(field_make(&field, plot, surface_ask, &surface, &frame,
                   canvas_is_term(&plot->canvas) ? 8 : 5));
    for (size_t i = 0; i < field.columns * field.rows; i++)
        axis_reach(&surface.low, &surface.high, (double)field.node[i].distance);
    if (!(surface.high > surface.low)) surface.high = surface.low + 1;
    TRY(field_trace(&areas, &field, band_key, &surface));
    for (size_t i = 0; i < areas.n_keys; i++) {
        field_outline(&areas, &field, areas.keys[i]);
        canvas_draw(&plot->canvas, &(struct pen){.fill = canvas_is_term(&plot->canvas)
                                                             ? series_ink((size_t)areas.keys[i])
                                                             : INK_SERIES,
                                                 .fill_alpha = canvas_is_term(&plot->canvas)
                                                                   ? 0.3
                                                                   : 0.02 + 0.07 * areas.keys[i]});
    }
    field_borders(&areas, &field, &(struct pen){.stroke = INK_PALE, .width = 0.6, .alpha = 0.8});
    canvas_marker(&plot->canvas, frame_point(&frame, c->weight[0], c->weight[1]), SHAPE_CIRCLE, 4.5,
                  &(struct pen){.stroke = INK_PAPER, .fill = INK_TEXT, .width = 1.5});
    frame_axes(plot, &frame);
    return SEPAL_OK;
}

/* ---- What the costs are of ------------------------------------------------------------------- */

static sepal_status check_model(struct plot *plot) {
    const sepal_model *model = plot->model;
    bool linear = map_chain_affine_tail(&model->chain) == model->chain.n &&
                  !density_is_quadratic(model->linear.density) && !model->linear.bits;
    if (model->linear.classes == 2 && !model->linear.strategy->sets && linear &&
        model->linear.cols >= 2)
        return SEPAL_OK;
    if (model->linear.classes == 2 && !model->linear.strategy->sets && linear)
        return fail(plot->ctx, SEPAL_EMODEL,
                    "the cost is drawn over the weights of two columns, and this model has %zu; "
                    "train one on two or more",
                    model->linear.cols);
    return fail(plot->ctx, SEPAL_EMODEL,
                "the cost is drawn over two weights of two classes, linear in the columns as they "
                "are (standardize and minmax may be before it), and this model is of another kind: "
                "%s",
                model->spec);
}

/* A column of phi, how far its weight is to go, and what it is called. */
static sepal_status take_column(struct costs *c, const struct sampled *rows, const size_t j[2]) {
    struct plot *plot = c->plot;
    const sepal_model *model = plot->model;
    double *row = arena_alloc(plot->ctx, &plot->arena, model->linear.cols, sizeof *row);
    if (!row) return SEPAL_EMEMORY;
    for (size_t i = 0; i < c->n; i++) {
        sampled_row(row, rows, i);
        for (size_t a = 0; a < 2; a++) {
            double shift, divisor;
            map_chain_fold(&model->chain, j[a], &shift, &divisor);
            c->column[a][i] = (row[j[a]] - shift) / divisor;
        }
    }
    for (size_t a = 0; a < 2; a++) {
        double square = 0;
        for (size_t i = 0; i < c->n; i++) square += c->column[a][i] * c->column[a][i];
        c->weight[a] = model->linear.w[j[a]];
        double root = sqrt(square / (double)c->n);
        c->reach[a] = 1.5 * fmax(fabs(c->weight[a]), root > 0 ? 1 / root : 1);
    }
    return SEPAL_OK;
}

/* Far enough for the bottom of the bowl: where the squared loss is least over the two weights. */
static void reach_bottom(struct costs *c) {
    double a = 0, b = 0, d = 0, p = 0, q = 0;
    for (size_t k = 0; k < c->n; k++) {
        double x = c->column[0][k], y = c->column[1][k], rest = c->sign[k] - c->score[k];
        a += x * x;
        b += x * y;
        d += y * y;
        p += x * rest;
        q += y * rest;
    }
    double determinant = a * d - b * b;
    if (!(determinant > 1e-9 * a * d)) return;
    c->reach[0] = fmax(c->reach[0], 1.4 * fabs((d * p - b * q) / determinant));
    c->reach[1] = fmax(c->reach[1], 1.4 * fabs((a * q - b * p) / determinant));
}

static sepal_status take_costs(struct costs *c, const struct sampled *rows) {
    const struct cost_options *options = c->plot->options;
    struct plot *plot = c->plot;
    struct plane plane;
    struct decision_rule rule;
    size_t j[2] = {0, 0};
    c->n = rows->n;
    TRY(plane_make(&plane, plot, rows, options->x ? options->x : "1",
                   options->y ? options->y : "2"));
    for (size_t a = 0; a < 2; a++)
        while (plane.along[a][j[a]] == 0) j[a]++;
    TRY(ARENA_VECTORS(plot->ctx, &plot->arena, c->n, &c->score, &c->column[0], &c->column[1],
                      &c->sign));
    TRY(decision_rule_make(&rule, plot->ctx, &plot->arena, plot->model, NULL));
    struct predictions predictions = {.n = c->n, .shown = c->score};
    TRY(model_predict(&predictions, plot->ctx, plot->model, &rows->prepared.rows, &rule));
    for (size_t i = 0; i < c->n; i++) c->sign[i] = rows->rows.label[i] == 1 ? 1 : -1;
    for (size_t a = 0; a < 2; a++) {
        char *name = arena_alloc(plot->ctx, &plot->arena, NOTE_BYTES, 1);
        if (!name) return SEPAL_EMEMORY;
        (void)snprintf(name, NOTE_BYTES, "weight of %.250s", plane.name[a]);
        c->name[a] = name;
    }
    TRY(take_column(c, rows, j));
    reach_bottom(c);
    return SEPAL_OK;
}

static sepal_status cost_draw(struct plot *plot) {
    const struct cost_options *options = plot->options;
    struct costs c = {.plot = plot};
    struct sampled rows;
    TRY(check_model(plot));
    sepal_status status = sample_rows(&rows, plot, options->points, false);
    if (status == SEPAL_OK) status = take_costs(&c, &rows);
    if (status == SEPAL_OK) {
        page_title(plot, "Costs over two weights");
        page_subtitle(plot, "%s; the dot is the model. Darker: a higher cost.",
                      plot_short_spec(plot));
        sampled_note(&rows, plot);
        struct pane room = page_draw(plot);
        bool beside_each_other = room.right - room.left > 420;
        for (int k = 0; k < COSTS && status == SEPAL_OK; k++)
            status = draw_surface(&c, (enum cost_kind)k,
                                  beside_each_other ? pane_column(room, (size_t)k, COSTS, 18)
                                                    : pane_row(room, (size_t)k, COSTS, 12));
    }
    sampled_clear(&rows);
    return status;
}

const struct plot_kind plot_cost = {
    .name = "cost",
    .summary =
        "mistakes, the perceptron criterion and the squared loss over two weights of a model",
    .needs = NEEDS_MODEL | NEEDS_DATA,
    .parameters = cost_parameters,
    .options_size = sizeof(struct cost_options),
    .draw = cost_draw,
    .narrow = "height=720",
};
