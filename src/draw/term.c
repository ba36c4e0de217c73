/* A picture of characters: lines are made of the dots of Braille patterns (two by four in a cell), markers and
   text are characters, and areas the shades of block elements. In a cell text goes before markers, these
   before lines, these before areas. */
#include "draw/canvas.h"

#include "core/alloc.h"

#include <math.h>

enum { CELL_WIDTH = 8, CELL_HEIGHT = 16, DOT_COLUMNS = 2, DOT_ROWS = 4 };

struct cell {
    uint32_t text, marker, area; /* characters; 0: none */
    uint8_t dots;
    bool after_wide; /* the second half of a wide character */
};
struct term {
    size_t columns, lines;
    struct cell *cells;
    double left, top, right, bottom; /* of the clip */
};

static struct cell *cell_at(struct term *term, double x, double y) {
    if (!(x >= term->left && x < term->right && y >= term->top && y < term->bottom)) return NULL;
    size_t column = (size_t)(x / CELL_WIDTH), line = (size_t)(y / CELL_HEIGHT);
    return column < term->columns && line < term->lines
               ? &term->cells[line * term->columns + column]
               : NULL;
}

static void term_unclip(struct canvas *canvas) {
    struct term *term = canvas->self;
    term->left = term->top = 0;
    term->right = canvas->width;
    term->bottom = canvas->height;
}

static sepal_status term_begin(struct canvas *canvas) {
    struct term *term = mem_zero(canvas->ctx, 1, sizeof *term);
    canvas->self = term;
    if (!term) return SEPAL_EMEMORY;
    term->columns = (size_t)(canvas->width / CELL_WIDTH);
    term->lines = (size_t)(canvas->height / CELL_HEIGHT);
    term->cells = mem_zero(canvas->ctx, term->columns * term->lines, sizeof *term->cells);
    if (!term->cells) return SEPAL_EMEMORY;
    term_unclip(canvas);
    return SEPAL_OK;
}

static void dot(struct term *term, double x, double y) {
    static const uint8_t bits[DOT_ROWS][DOT_COLUMNS] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    struct cell *cell = cell_at(term, x, y);
    if (!cell) return;
    size_t column = (size_t)(fmod(x, CELL_WIDTH) / ((double)CELL_WIDTH / DOT_COLUMNS));
    size_t row = (size_t)(fmod(y, CELL_HEIGHT) / ((double)CELL_HEIGHT / DOT_ROWS));
    cell->dots |= bits[row][column];
}

/* `phase` counts the dots, for dashes: three are drawn, two are not. */
static void dotted_line(struct term *term, struct point from, struct point to, bool dashed,
                        size_t *phase) {
    enum { DOT = CELL_WIDTH / DOT_COLUMNS, DRAWN = 3, PERIOD = 5, MOST_DOTS = 100000 };
    double far = fmax(fabs(to.x - from.x), fabs(to.y - from.y)) / DOT;
    size_t n = isfinite(far) && far < MOST_DOTS ? (size_t)ceil(far) : 0;
    for (size_t i = 0; i <= n; i++, ++*phase) {
        double t = n > 0 ? (double)i / (double)n : 0;
        if (dashed && *phase % PERIOD >= DRAWN) continue;
        dot(term, from.x + t * (to.x - from.x), from.y + t * (to.y - from.y));
    }
}

/* What an area is made of: full blocks where it is to cover, else a light pattern that its ink decides. */
static uint32_t area_character(const struct pen *pen) {
    static const uint32_t light[] = {0xB7 /* . */, 0x2591, ':', '-', 0x2592, '"', '+', '='};
    static const uint32_t heavy[] = {0x2588, 0x2593, 0x2592, 0x2591};
    if (pen->hatched) return 0x2571;
    if (pen->fill < INK_SERIES)
        return pen->fill == INK_PAPER ? ' ' : pen->fill == INK_TEXT ? 0x2588 : 0x2591;
    size_t k = (size_t)(pen->fill - INK_SERIES);
    bool covers = !(pen->fill_alpha > 0 && pen->fill_alpha < 0.5);
    return covers ? heavy[k % 4] : light[k];
}

static void fill_area(struct canvas *canvas, const struct pen *pen) {
    struct term *term = canvas->self;
    const struct outline *path = &canvas->path;
    struct point low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < path->n; i++) {
        if (path->steps[i] == PATH_CLOSE) continue;
        low = (struct point){fmin(low.x, path->points[i].x), fmin(low.y, path->points[i].y)};
        high = (struct point){fmax(high.x, path->points[i].x), fmax(high.y, path->points[i].y)};
    }
    low = (struct point){fmax(low.x, term->left), fmax(low.y, term->top)};
    high = (struct point){fmin(high.x, term->right), fmin(high.y, term->bottom)};
    int top = (int)floor(low.y / CELL_HEIGHT), left = (int)floor(low.x / CELL_WIDTH);
    for (int row = top; (row + 0.5) * CELL_HEIGHT < high.y; row++)
        for (int column = left; (column + 0.5) * CELL_WIDTH < high.x; column++) {
            struct point middle = {(column + 0.5) * CELL_WIDTH, (row + 0.5) * CELL_HEIGHT};
            struct cell *cell = cell_at(term, middle.x, middle.y);
            if (cell && outline_holds(path, middle)) cell->area = area_character(pen);
        }
}

static void term_path(struct canvas *canvas, const struct pen *pen) {
    struct term *term = canvas->self;
    const struct outline *path = &canvas->path;
    size_t phase = 0, start = 0;
    if (pen->fill != INK_NONE || pen->hatched) fill_area(canvas, pen);
    if (pen->stroke == INK_NONE || pen->stroke == INK_GRID || pen->hatched) return;
    for (size_t i = 0; i < path->n; i++) {
        if (path->steps[i] == PATH_MOVE) {
            start = i;
            continue;
        }
        struct point to = path->points[path->steps[i] == PATH_CLOSE ? start : i];
        dotted_line(term, path->points[i - 1], to, pen->dashed, &phase);
    }
}

static void term_circle(struct canvas *canvas, struct point centre, double radius,
                        const struct pen *pen) {
    enum { SIDES = 24 };
    canvas->path.n = 0;
    for (size_t i = 0; i < SIDES; i++) {
        double turn = 2 * 3.14159265358979323846 * (double)i / SIDES;
        double x = centre.x + radius * cos(turn), y = centre.y + radius * sin(turn);
        if (i == 0)
            canvas_move(canvas, x, y);
        else
            canvas_line(canvas, x, y);
    }
    canvas_close(canvas);
    /* a ring around a single character would only hide its neighbours */
    if (radius >= CELL_HEIGHT) term_path(canvas, pen);
    canvas->path.n = 0;
}

static void term_marker(struct canvas *canvas, struct point at, enum shape shape,
                        const struct pen *pen) {
    static const uint32_t full[SHAPES] = {0x25CF, 0x25B2, 0x25A0, 0x25C6, 'x', 0x25BC, '*'};
    static const uint32_t open[SHAPES] = {0x25CB, 0x25B3, 0x25A1, 0x25C7, 'X', 0x25BD, '%'};
    struct cell *cell = cell_at(canvas->self, at.x, at.y);
    if (cell) cell->marker = pen->fill == INK_NONE ? open[shape] : full[shape];
}

static void term_text(struct canvas *canvas, struct point at, const char *text,
                      const struct lettering *lettering) {
    struct term *term = canvas->self;
    double width = canvas_text_width(canvas, text, lettering->size);
    double shift = lettering->anchor == ANCHOR_MIDDLE ? width / 2
                   : lettering->anchor == ANCHOR_END  ? width
                                                      : 0;
    /* a baseline is near the bottom of its line of characters */
    double x = at.x, y = at.y - CELL_HEIGHT / 4.0;
    if (lettering->upright)
        y += shift / CELL_WIDTH * CELL_HEIGHT;
    else
        x = round((x - shift) / CELL_WIDTH) * CELL_WIDTH + CELL_WIDTH / 2.0;
    while (*text) {
        uint32_t c = utf8_next(&text);
        unsigned columns = character_columns(c);
        struct cell *cell = cell_at(term, x, y);
        if (cell && columns > 0) *cell = (struct cell){.text = c, .area = cell->area};
        struct cell *second = columns == 2 ? cell_at(term, x + CELL_WIDTH, y) : NULL;
        if (second) *second = (struct cell){.after_wide = true};
        if (lettering->upright)
            y -= columns > 0 ? CELL_HEIGHT : 0;
        else
            x += CELL_WIDTH * (double)columns;
    }
}

static void term_clip(struct canvas *canvas, struct point corner, double width, double height) {
    struct term *term = canvas->self;
    *term = (struct term){.columns = term->columns,
                          .lines = term->lines,
                          .cells = term->cells,
                          .left = corner.x,
                          .top = corner.y,
                          .right = corner.x + width,
                          .bottom = corner.y + height};
}

static uint32_t shown_character(const struct cell *cell) {
    enum { BRAILLE = 0x2800 };
    if (cell->text) return cell->text;
    if (cell->marker) return cell->marker;
    if (cell->dots) return BRAILLE + cell->dots;
    return cell->area ? cell->area : ' ';
}

static sepal_status term_end(struct canvas *canvas) {
    const struct term *term = canvas->self;
    for (size_t line = 0; line < term->lines; line++) {
        const struct cell *cells = term->cells + line * term->columns;
        size_t used = term->columns;
        while (used > 0 && !cells[used - 1].after_wide && shown_character(&cells[used - 1]) == ' ')
            used--;
        for (size_t i = 0; i < used; i++)
            if (!cells[i].after_wide)
                utf8_add(canvas->ctx, &canvas->out, shown_character(&cells[i]));
        text_puts(canvas->ctx, &canvas->out, "\n");
    }
    return canvas->out.failed ? SEPAL_EMEMORY : SEPAL_OK;
}

static void term_drop(struct canvas *canvas) {
    struct term *term = canvas->self;
    if (term) mem_free(term->cells);
    mem_free(term);
    canvas->self = NULL;
}

const struct backend backend_term = {.name = "term",
                                     .extension = ".txt",
                                     .summary = "characters for a terminal",
                                     .default_width = 80,
                                     .default_height = 24,
                                     .most = 500,
                                     .begin = term_begin,
                                     .path = term_path,
                                     .circle = term_circle,
                                     .marker = term_marker,
                                     .text = term_text,
                                     .clip = term_clip,
                                     .unclip = term_unclip,
                                     .end = term_end,
                                     .drop = term_drop};
