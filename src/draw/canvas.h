/* Drawing calls, the same whatever becomes of them: an SVG file, written here; PNG and PDF by cairo; a page of
   characters for a terminal. Coordinates are in pixels from the left upper corner.

   Like a text, a canvas that has failed does nothing more: who draws asks once, at the end. */
#ifndef SEPAL_DRAW_CANVAS_H
#define SEPAL_DRAW_CANVAS_H

#include "core/text.h"
#include "draw/palette.h"

struct point {
    double x, y;
};

/* How a path is drawn. An ink of INK_NONE is none; an alpha of 0 stands for 1. */
struct pen {
    int stroke, fill;
    double width, alpha, fill_alpha;
    bool dashed;
    bool hatched; /* the inside, by diagonal lines of the stroke's ink, and no outline */
};

enum anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END };
struct lettering {
    double size; /* of the letters, in pixels; a terminal has one */
    int ink;
    enum anchor anchor;
    bool bold, upright; /* upright: read from bottom to top */
};

enum { PATH_MOVE, PATH_LINE, PATH_CLOSE };
struct outline {
    struct point *points;
    uint8_t *steps; /* PATH_CLOSE has a point, which is not looked at */
    size_t n, points_room, steps_room;
};

struct canvas;
struct backend {
    const char *name, *extension, *summary;
    double default_width, default_height, most; /* of a terminal: columns and lines */
    sepal_status (*begin)(struct canvas *canvas);
    void (*path)(struct canvas *canvas, const struct pen *pen);
    void (*circle)(struct canvas *canvas, struct point centre, double radius,
                   const struct pen *pen);
    /* NULL: as a path */
    void (*marker)(struct canvas *canvas, struct point at, enum shape shape, const struct pen *pen);
    void (*text)(struct canvas *canvas, struct point at, const char *text,
                 const struct lettering *lettering);
    void (*clip)(struct canvas *canvas, struct point corner, double width, double height);
    void (*unclip)(struct canvas *canvas);
    sepal_status (*end)(struct canvas *canvas); /* `out` has the bytes of the file */
    void (*drop)(struct canvas *canvas);        /* what begin made, after a failure */
};
extern const struct backend backend_svg, backend_png, backend_pdf, backend_term;
extern const struct backend *const backend_table[]; /* ends with NULL */

struct canvas {
    const struct backend *backend;
    sepal_ctx *ctx;
    double width, height;
    enum theme theme;
    const char *title; /* for readers that cannot see it */
    struct outline path;
    struct text out;
    void *self; /* the back end's own */
    bool failed;
};

/* `width` and `height` are the back end's unless they are above 0, of a terminal in columns and lines. */
sepal_status canvas_begin(struct canvas *out, sepal_ctx *ctx, const struct backend *backend,
                          double width, double height, enum theme theme, const char *title);
/* The bytes go to the caller; the canvas is gone, however it ends. */
sepal_status canvas_end(struct canvas *canvas, void **bytes, size_t *n);
void canvas_drop(struct canvas *canvas);

static inline bool canvas_is_term(const struct canvas *canvas) {
    return canvas->backend == &backend_term;
}

/* ---- Paths: a point after the other, then what becomes of them ------------------------------ */
void canvas_move(struct canvas *canvas, double x, double y);
void canvas_line(struct canvas *canvas, double x, double y);
void canvas_close(struct canvas *canvas);
void canvas_draw(struct canvas *canvas, const struct pen *pen);

/* Lines through points, without those within a tenth of a pixel of what is drawn: pieces that follow each other,
   then the end. */
struct pencil {
    struct canvas *canvas;
    struct point from, passed[16], to; /* the last piece, whose end is not drawn yet */
    size_t n_passed;
    bool begun;
};
void pencil_go(struct pencil *pencil, struct point from, struct point to);
void pencil_lift(struct pencil *pencil);

void canvas_segment(struct canvas *canvas, struct point from, struct point to,
                    const struct pen *pen);
void canvas_rectangle(struct canvas *canvas, double x, double y, double width, double height,
                      const struct pen *pen);
void canvas_circle(struct canvas *canvas, struct point centre, double radius,
                   const struct pen *pen);
/* About as large as a circle of that radius. */
void canvas_marker(struct canvas *canvas, struct point at, enum shape shape, double radius,
                   const struct pen *pen);
/* Nothing is drawn outside of a rectangle until canvas_unclip; they do not nest. */
void canvas_clip(struct canvas *canvas, double x, double y, double width, double height);
void canvas_unclip(struct canvas *canvas);

/* ---- Text ------------------------------------------------------------------------------------ */
/* `y` is the line that the letters stand on. */
void canvas_text(struct canvas *canvas, double x, double y, const char *text,
                 const struct lettering *lettering);
/* How wide a text will be, about: by a table of widths, so that a picture is laid out alike everywhere. */
double canvas_text_width(const struct canvas *canvas, const char *text, double size);
/* The text, or its beginning and an ellipsis, in that width; `out` has `room` bytes. */
const char *canvas_fit_text(const struct canvas *canvas, char *out, size_t room, const char *text,
                            double size, double width);
/* From a line of text to the next. */
double canvas_line_height(const struct canvas *canvas, double size);

/* Of UTF-8 text: the next character, U+FFFD for what is none, and for what XML has no place for. */
uint32_t utf8_next(const char **text);
void utf8_add(sepal_ctx *ctx, struct text *out, uint32_t character);
/* In thousandths of the letters' size. */
unsigned character_width(uint32_t character);
/* Columns of a terminal: 0, 1 or 2. */
unsigned character_columns(uint32_t character);

/* The diagonals of a hatch inside the path, `step` pixels apart: as the path that takes its place. */
void outline_hatch(struct canvas *canvas, double step);
/* Whether a point is inside the path, by even and odd. */
bool outline_holds(const struct outline *path, struct point at);

#endif
