/* Pictures. A kind of picture is a row of a table: what it needs, what can be set, and how it is drawn. A new
   one is one file and one line in kinds.def. */
#ifndef SEPAL_PLOT_PLOT_H
#define SEPAL_PLOT_PLOT_H

#include "core/parameters.h"
#include "core/tree.h"
#include "data/data.h"
#include "draw/canvas.h"
#include "draw/ticks.h"
#include "model/model.h"

#include <math.h>

/* What a kind is drawn of, as sepal_method.needs has it: a report of an evaluation, or another one, which a command has written. */
enum { NEEDS_MODEL = 1, NEEDS_DATA = 2, NEEDS_JUDGEMENT = 4, NEEDS_REPORT = 8 };

/* What can be set of every picture; the options of a kind begin with these. */
struct plot_common {
    int to; /* its row in backend_table */
    size_t width, height;
    int theme;
    const char *title; /* NULL: the kind's own */
};
enum { PLOT_COMMON_ROWS = 5 };
#define PLOT_COMMON                                                                                \
    {                                                                                              \
        "to",                                                                                      \
        PARAMETER_CHOICE,                                                                          \
        offsetof(struct plot_common, to),                                                          \
        "svg",                                                                                     \
        "svg|png|pdf|term",                                                                        \
        "svg, or by cairo png and pdf, or term: characters for a terminal"},                       \
        {"width",                                                                                  \
         PARAMETER_COUNT,                                                                          \
         offsetof(struct plot_common, width),                                                      \
         "0",                                                                                      \
         "[0, 8000]",                                                                              \
         "of the picture in pixels, of term in columns; 0: 720, or 80 columns"},                   \
        {"height",                                                                                 \
         PARAMETER_COUNT,                                                                          \
         offsetof(struct plot_common, height),                                                     \
         "0",                                                                                      \
         "[0, 8000]",                                                                              \
         "of the picture in pixels, of term in lines; 0: 480, or 24 lines"},                       \
        {"theme", PARAMETER_CHOICE,  offsetof(struct plot_common, theme),                          \
         "light", "light|dark|auto", "light, dark, or (svg only) as the reader's own"},            \
    {                                                                                              \
        "title", PARAMETER_TEXT, offsetof(struct plot_common, title), NULL, "",                    \
            "what stands above it, instead of its own title"                                       \
    }

/* ---- A page: title, what explains it, legend, notes, and the room that they leave --------------- */

struct pane {
    double left, top, right, bottom;
};
enum legend_mark {
    LEGEND_MARKER,
    LEGEND_LINE,
    LEGEND_DASHED,
    LEGEND_AREA,
    LEGEND_HATCH,
    LEGEND_RING
};
struct legend_row {
    const char *label;
    enum legend_mark mark;
    int ink;
    enum shape shape;
};
enum { LEGEND_MOST = 64, NOTES_MOST = 6, NOTE_BYTES = 320, TITLE_SIZE = 16, TEXT_SIZE = 12 };

struct plot {
    sepal_ctx *ctx;
    struct arena arena;
    const sepal_model *model;
    const sepal_data *data;
    const struct tree *report;
    const void *options; /* the kind's own, struct plot_common first */
    struct canvas canvas;
    char title[NOTE_BYTES], subtitle[NOTE_BYTES];
    char notes[NOTES_MOST][NOTE_BYTES];
    size_t n_notes;
    struct legend_row legend[LEGEND_MOST];
    size_t n_legend, legend_left_out;
};

void page_title(struct plot *plot, const char *format, ...) __attribute__((format(printf, 2, 3)));
void page_subtitle(struct plot *plot, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A line at the bottom. */
void page_note(struct plot *plot, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The label is kept as it is. */
void page_legend(struct plot *plot, const char *label, enum legend_mark mark, int ink,
                 enum shape shape);
/* Of series k: its marker. */
void page_legend_series(struct plot *plot, const char *label, size_t k);
/* Draw all that, and tell the room for the picture itself. */
struct pane page_draw(struct plot *plot);
/* The same for a picture about as wide as high, with the legend beside it where there is room. */
struct pane page_draw_square(struct plot *plot);
/* Which of n classes are drawn: all, or those of the largest worth, which a note calls "those %s". */
enum { SERIES_MOST = 12 };
sepal_status page_choose(bool **shown, struct plot *plot, const double *worth, size_t n,
                         const char *which);
/* Column i of n columns that a box is cut into. */
struct pane pane_column(struct pane box, size_t i, size_t n, double gap);
struct pane pane_row(struct pane box, size_t i, size_t n, double gap);

/* ---- A frame: axes, and the way from numbers to pixels ------------------------------------------ */

struct axis {
    double low, high;
    bool log;
    const char *label; /* NULL: none */
    bool plain;        /* without ticks */
    bool whole;        /* of whole numbers, as ticks are */
};
struct frame {
    struct pane box; /* inside of the axes */
    struct axis x, y;
};
/* The largest frame whose labels fit in the box too. */
struct frame frame_in(struct plot *plot, struct pane box, const struct axis *x,
                      const struct axis *y);
void frame_grid(struct plot *plot, const struct frame *frame); /* below what is drawn */
void frame_axes(struct plot *plot, const struct frame *frame); /* above it */
double frame_x(const struct frame *frame, double x);
double frame_y(const struct frame *frame, double y);
struct point frame_point(const struct frame *frame, double x, double y);
void frame_clip(struct plot *plot, const struct frame *frame);
/* A curve through n points; numbers that are not finite end a piece. */
void frame_curve(struct plot *plot, const struct frame *frame, const double *x, const double *y,
                 size_t n, const struct pen *pen);
/* A curve of series k, with its markers here and there so that it is known without its colour. */
void frame_series(struct plot *plot, const struct frame *frame, const double *x, const double *y,
                  size_t n, size_t k);
/* A range somewhat larger than that of the numbers, never empty. */
struct axis axis_around(double low, double high, const char *label);
void axis_reach(double *low, double *high, double value);

/* A line of text at a point, of the usual size. */
void plot_text(struct plot *plot, double x, double y, enum anchor anchor, int ink,
               const char *format, ...) __attribute__((format(printf, 6, 7)));

/* ---- Kinds -------------------------------------------------------------------------------------- */

struct plot_kind {
    const char *name, *summary;
    unsigned needs;
    const struct parameter *parameters; /* PLOT_COMMON first */
    size_t options_size;
    sepal_status (*draw)(struct plot *plot);
    const char *from;   /* of NEEDS_REPORT: the command that writes it */
    const char *narrow; /* options of a picture for a phone; NULL: those of most */
};
extern const struct plot_kind *const plot_table[]; /* ends with NULL */
const struct plot_kind *plot_find(const char *name);
/* For kinds that have nothing of their own to set. */
extern const struct parameter plot_common_parameters[];

/* The model's spec without what is at its default. */
const char *plot_short_spec(struct plot *plot);

sepal_status plot_make(void **out, size_t *n, sepal_ctx *ctx, const char *kind,
                       const sepal_model *model, const sepal_data *data, const struct tree *report,
                       const char *options);

/* The number under a key, NaN: there is none. */
static inline double tree_value(const struct tree *object, const char *key) {
    const struct tree *node = tree_find(object, key);
    return node && node->kind == TREE_NUMBER ? node->number : NAN;
}
static inline const char *tree_word(const struct tree *object, const char *key,
                                    const char *otherwise) {
    const struct tree *node = tree_find(object, key);
    return node && node->kind == TREE_TEXT ? node->text.bytes : otherwise;
}

#endif
