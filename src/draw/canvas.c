/* What all back ends share: the path that is being made, markers, hatches, and how wide text is. */
#include "draw/canvas.h"

#include "core/alloc.h"

#include <math.h>
#include <stdlib.h>

const struct backend *const backend_table[] = {&backend_svg, &backend_png, &backend_pdf,
                                               &backend_term, NULL};

sepal_status canvas_begin(struct canvas *out, sepal_ctx *ctx, const struct backend *backend,
                          double width, double height, enum theme theme, const char *title) {
    enum { TERM_CELL_WIDTH = 8, TERM_CELL_HEIGHT = 16 };
    bool term = backend == &backend_term;
    *out = (struct canvas){.backend = backend,
                           .ctx = ctx,
                           .width = width > 0 ? width : backend->default_width,
                           .height = height > 0 ? height : backend->default_height,
                           .theme = theme,
                           .title = title};
    double least = term ? 40 : 240, least_height = term ? 12 : 160;
    if (out->width < least || out->width > backend->most || out->height < least_height ||
        out->height > backend->most)
        return fail(ctx, SEPAL_EUSAGE,
                    "a picture of %.0f by %.0f %s cannot be drawn: " OPTION
                    "width is from %.0f, " OPTION "height from %.0f to %.0f",
                    out->width, out->height, term ? "characters" : "pixels", least, least_height,
                    backend->most);
    if (term) {
        out->width *= TERM_CELL_WIDTH;
        out->height *= TERM_CELL_HEIGHT;
    }
    sepal_status status = backend->begin(out);
    if (status != SEPAL_OK) canvas_drop(out);
    return status;
}

static void canvas_clear(struct canvas *canvas) {
    mem_free(canvas->path.points);
    mem_free(canvas->path.steps);
    text_clear(&canvas->out);
    canvas->path = (struct outline){0};
}

void canvas_drop(struct canvas *canvas) {
    canvas->backend->drop(canvas);
    canvas_clear(canvas);
}

sepal_status canvas_end(struct canvas *canvas, void **bytes, size_t *n) {
    sepal_status status = canvas->failed ? canvas->ctx->error.status : SEPAL_OK;
    if (status == SEPAL_OK) status = canvas->backend->end(canvas);
    if (status == SEPAL_OK) {
        *n = canvas->out.length;
        *bytes = text_take(canvas->ctx, &canvas->out);
        if (!*bytes) status = SEPAL_EMEMORY;
    }
    canvas_drop(canvas);
    return status;
}

/* ---- Paths ----------------------------------------------------------------------------------- */

static void path_add(struct canvas *canvas, uint8_t step, double x, double y) {
    struct outline *path = &canvas->path;
    if (canvas->failed) return;
    void *points = path->points, *steps = path->steps;
    sepal_status status =
        mem_reserve(canvas->ctx, &points, &path->points_room, path->n + 1, sizeof *path->points);
    path->points = points;
    if (status == SEPAL_OK)
        status = mem_reserve(canvas->ctx, &steps, &path->steps_room, path->n + 1, 1);
    path->steps = steps;
    canvas->failed = status != SEPAL_OK;
    if (canvas->failed) return;
    path->points[path->n] = (struct point){x, y};
    path->steps[path->n++] = step;
}

void canvas_move(struct canvas *canvas, double x, double y) {
    path_add(canvas, PATH_MOVE, x, y);
}

void canvas_line(struct canvas *canvas, double x, double y) {
    path_add(canvas, PATH_LINE, x, y);
}

void canvas_close(struct canvas *canvas) {
    path_add(canvas, PATH_CLOSE, 0, 0);
}

void canvas_draw(struct canvas *canvas, const struct pen *pen) {
    struct pen hatch = *pen;
    if (pen->hatched && !canvas_is_term(canvas)) {
        outline_hatch(canvas, 5);
        hatch.hatched = false;
        hatch.fill = INK_NONE;
    }
    if (!canvas->failed && canvas->path.n > 0) canvas->backend->path(canvas, &hatch);
    canvas->path.n = 0;
}

void canvas_segment(struct canvas *canvas, struct point from, struct point to,
                    const struct pen *pen) {
    canvas_move(canvas, from.x, from.y);
    canvas_line(canvas, to.x, to.y);
    canvas_draw(canvas, pen);
}

void canvas_rectangle(struct canvas *canvas, double x, double y, double width, double height,
                      const struct pen *pen) {
    canvas_move(canvas, x, y);
    canvas_line(canvas, x + width, y);
    canvas_line(canvas, x + width, y + height);
    canvas_line(canvas, x, y + height);
    canvas_close(canvas);
    canvas_draw(canvas, pen);
}

void canvas_circle(struct canvas *canvas, struct point centre, double radius,
                   const struct pen *pen) {
    if (!canvas->failed) canvas->backend->circle(canvas, centre, radius, pen);
}

/* Corners at these angles (degrees, 0 upwards) and distances, of about the area of the circle. */
static void polygon(struct canvas *canvas, struct point at, double radius, const double *angles,
                    const double *distances, size_t n) {
    for (size_t i = 0; i < n; i++) {
        double turn = angles[i] * 3.14159265358979323846 / 180, far = radius * distances[i];
        double x = at.x + far * sin(turn), y = at.y - far * cos(turn);
        if (i == 0)
            canvas_move(canvas, x, y);
        else
            canvas_line(canvas, x, y);
    }
    canvas_close(canvas);
}

void canvas_marker(struct canvas *canvas, struct point at, enum shape shape, double radius,
                   const struct pen *pen) {
    static const struct {
        size_t n;
        double angle[12], distance[12];
    } shapes[SHAPES] = {
        [SHAPE_TRIANGLE] = {3, {0, 120, 240}, {1.35, 1.35, 1.35}},
        [SHAPE_SQUARE] = {4, {45, 135, 225, 315}, {1.25, 1.25, 1.25, 1.25}},
        [SHAPE_DIAMOND] = {4, {0, 90, 180, 270}, {1.35, 1.1, 1.35, 1.1}},
        [SHAPE_CROSS] = {12,
                         {17, 45, 73, 107, 135, 163, 197, 225, 253, 287, 315, 343},
                         {1.3, 0.55, 1.3, 1.3, 0.55, 1.3, 1.3, 0.55, 1.3, 1.3, 0.55, 1.3}},
        [SHAPE_WEDGE] = {3, {60, 180, 300}, {1.35, 1.35, 1.35}},
        [SHAPE_STAR] = {10,
                        {0, 36, 72, 108, 144, 180, 216, 252, 288, 324},
                        {1.5, 0.65, 1.5, 0.65, 1.5, 0.65, 1.5, 0.65, 1.5, 0.65}}};
    if (canvas->failed) return;
    if (canvas->backend->marker) {
        canvas->backend->marker(canvas, at, shape, pen);
    } else if (shape == SHAPE_CIRCLE) {
        canvas_circle(canvas, at, radius, pen);
    } else {
        polygon(canvas, at, radius, shapes[shape].angle, shapes[shape].distance, shapes[shape].n);
        canvas_draw(canvas, pen);
    }
}

void canvas_clip(struct canvas *canvas, double x, double y, double width, double height) {
    if (!canvas->failed) canvas->backend->clip(canvas, (struct point){x, y}, width, height);
}

void canvas_unclip(struct canvas *canvas) {
    if (!canvas->failed) canvas->backend->unclip(canvas);
}

/* ---- Insides --------------------------------------------------------------------------------- */

struct edge {
    struct point from, to;
};

/* The edges of a path one after the other, each part closed; begin with *at = 0 and *start = 0. */
static bool next_edge(const struct outline *path, size_t *at, size_t *start, struct edge *out) {
    while (*at < path->n) {
        size_t i = (*at)++;
        if (path->steps[i] == PATH_MOVE) *start = i;
        if (path->steps[i] == PATH_CLOSE) continue;
        bool last = i + 1 == path->n || path->steps[i + 1] != PATH_LINE;
        *out = (struct edge){path->points[i], path->points[last ? *start : i + 1]};
        return true;
    }
    return false;
}

bool outline_holds(const struct outline *path, struct point at) {
    bool inside = false;
    struct edge e;
    for (size_t i = 0, start = 0; next_edge(path, &i, &start, &e);) {
        if ((e.from.y > at.y) == (e.to.y > at.y)) continue;
        double x = e.from.x + (at.y - e.from.y) / (e.to.y - e.from.y) * (e.to.x - e.from.x);
        inside = inside != (at.x < x);
    }
    return inside;
}

/* A diagonal is a line x + y = constant. Every edge tells the diagonals that cross it, and where; sorted, each
   two neighbours on a diagonal are the ends of a piece inside. */
struct crossing {
    double diagonal, x;
};

static int crossing_order(const void *a, const void *b) {
    const struct crossing *one = a, *other = b;
    if (one->diagonal != other->diagonal)
        return (one->diagonal > other->diagonal) - (one->diagonal < other->diagonal);
    return (one->x > other->x) - (one->x < other->x);
}

static sepal_status find_crossings(struct crossing **out, size_t *n, struct canvas *canvas,
                                   double step) {
    size_t room = 0;
    struct edge e;
    for (size_t i = 0, start = 0; next_edge(&canvas->path, &i, &start, &e);) {
        double from = (e.from.x + e.from.y) / step, to = (e.to.x + e.to.y) / step;
        double low = fmin(from, to), high = fmax(from, to);
        size_t lines = high > ceil(low) ? (size_t)ceil(high - ceil(low)) : 0;
        for (size_t k = 0; k < lines; k++) {
            double d = ceil(low) + (double)k;
            void *items = *out;
            sepal_status status = mem_reserve(canvas->ctx, &items, &room, *n + 1, sizeof **out);
            *out = items;
            TRY(status);
            double t = (d - from) / (to - from);
            (*out)[(*n)++] = (struct crossing){d, e.from.x + t * (e.to.x - e.from.x)};
        }
    }
    return SEPAL_OK;
}

void outline_hatch(struct canvas *canvas, double step) {
    struct crossing *crossings = NULL;
    size_t n = 0;
    if (canvas->failed) return;
    canvas->failed = find_crossings(&crossings, &n, canvas, step) != SEPAL_OK;
    canvas->path.n = 0;
    if (n > 0) qsort(crossings, n, sizeof *crossings, crossing_order);
    for (size_t i = 0; i + 1 < n; i++) {
        if (crossings[i].diagonal != crossings[i + 1].diagonal) continue;
        double d = crossings[i].diagonal * step;
        canvas_move(canvas, crossings[i].x, d - crossings[i].x);
        canvas_line(canvas, crossings[i + 1].x, d - crossings[i + 1].x);
        i++;
    }
    mem_free(crossings);
}
