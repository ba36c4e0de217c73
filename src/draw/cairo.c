/* PNG and PDF by cairo. It is opened when it is first asked for, and not linked with: with it come some
   twenty libraries, which would be loaded at the start of every command. Files have no dates, so that the
   same picture has the same bytes. */
#include "draw/canvas.h"

#include "core/alloc.h"

#if defined(SEPAL_WITH_CAIRO)

#include <cairo-pdf.h>
#include <cairo.h>
#include <dlfcn.h>
#include <math.h>

#define CAIRO_CALLS(CALL)                                                                          \
    CALL(cairo_image_surface_create)                                                               \
    CALL(cairo_pdf_surface_create_for_stream)                                                      \
    CALL(cairo_pdf_surface_set_metadata)                                                           \
    CALL(cairo_surface_write_to_png_stream)                                                        \
    CALL(cairo_surface_finish)                                                                     \
    CALL(cairo_surface_destroy)                                                                    \
    CALL(cairo_surface_status)                                                                     \
    CALL(cairo_status_to_string)                                                                   \
    CALL(cairo_create)                                                                             \
    CALL(cairo_destroy)                                                                            \
    CALL(cairo_status)                                                                             \
    CALL(cairo_save)                                                                               \
    CALL(cairo_restore)                                                                            \
    CALL(cairo_new_path)                                                                           \
    CALL(cairo_move_to)                                                                            \
    CALL(cairo_line_to)                                                                            \
    CALL(cairo_close_path)                                                                         \
    CALL(cairo_arc)                                                                                \
    CALL(cairo_rectangle)                                                                          \
    CALL(cairo_clip)                                                                               \
    CALL(cairo_fill_preserve)                                                                      \
    CALL(cairo_stroke)                                                                             \
    CALL(cairo_set_fill_rule)                                                                      \
    CALL(cairo_set_line_join)                                                                      \
    CALL(cairo_set_line_width)                                                                     \
    CALL(cairo_set_dash)                                                                           \
    CALL(cairo_set_source_rgba)                                                                    \
    CALL(cairo_select_font_face)                                                                   \
    CALL(cairo_set_font_size)                                                                      \
    CALL(cairo_text_extents)                                                                       \
    CALL(cairo_show_text)                                                                          \
    CALL(cairo_rotate)

struct library {
#define CALL(name) __typeof__(name)(*(name));
    CAIRO_CALLS(CALL)
#undef CALL
};
struct drawing {
    struct library call;
    cairo_surface_t *surface;
    cairo_t *cairo;
};

static sepal_status no_cairo(struct canvas *canvas, const char *why) {
    return fail(canvas->ctx, SEPAL_EUSAGE,
                "%s needs cairo, which cannot be opened here (%s); Debian: apt install libcairo2. "
                "svg needs nothing",
                canvas->backend->name, why);
}

/* It stays open: cairo cannot be closed without losing what its own libraries keep. */
static sepal_status library_open(struct library *out, struct canvas *canvas) {
    void *handle = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return no_cairo(canvas, "there is no libcairo.so.2");
#define CALL(name)                                                                                 \
    *(void **)&out->name = dlsym(handle, #name);                                                   \
    if (!out->name) return no_cairo(canvas, "it has no " #name);
    CAIRO_CALLS(CALL)
#undef CALL
    return SEPAL_OK;
}

/* A text never fails twice: cairo hears of it by the status. */
static cairo_status_t take_bytes(void *payload, const unsigned char *bytes, unsigned n) {
    struct canvas *canvas = payload;
    text_add(canvas->ctx, &canvas->out, (const char *)bytes, n);
    return canvas->out.failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

static sepal_status check_drawing(struct canvas *canvas, cairo_status_t status) {
    struct drawing *d = canvas->self;
    if (status == CAIRO_STATUS_SUCCESS) return SEPAL_OK;
    if (canvas->out.failed) return SEPAL_EMEMORY;
    return fail(canvas->ctx, status == CAIRO_STATUS_NO_MEMORY ? SEPAL_EMEMORY : SEPAL_EINTERNAL,
                "cairo could not draw the picture: %s", d->call.cairo_status_to_string(status));
}

static void set_ink(struct canvas *canvas, int ink, double alpha) {
    struct drawing *d = canvas->self;
    struct colour c = palette_colour(canvas->theme, ink);
    d->call.cairo_set_source_rgba(d->cairo, c.red / 255.0, c.green / 255.0, c.blue / 255.0,
                                  alpha > 0 ? alpha : 1);
}

static sepal_status drawing_begin(struct canvas *canvas) {
    struct drawing *d = mem_zero(canvas->ctx, 1, sizeof *d);
    canvas->self = d;
    if (!d) return SEPAL_EMEMORY;
    TRY(library_open(&d->call, canvas));
    if (canvas->backend == &backend_png) {
        d->surface = d->call.cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)canvas->width,
                                                        (int)canvas->height);
    } else {
        d->surface = d->call.cairo_pdf_surface_create_for_stream(take_bytes, canvas, canvas->width,
                                                                 canvas->height);
        d->call.cairo_pdf_surface_set_metadata(d->surface, CAIRO_PDF_METADATA_TITLE, canvas->title);
        d->call.cairo_pdf_surface_set_metadata(d->surface, CAIRO_PDF_METADATA_CREATE_DATE,
                                               "2000-01-01T00:00:00Z");
    }
    TRY(check_drawing(canvas, d->call.cairo_surface_status(d->surface)));
    d->cairo = d->call.cairo_create(d->surface);
    d->call.cairo_set_fill_rule(d->cairo, CAIRO_FILL_RULE_EVEN_ODD);
    d->call.cairo_set_line_join(d->cairo, CAIRO_LINE_JOIN_ROUND);
    canvas_rectangle(canvas, 0, 0, canvas->width, canvas->height, &(struct pen){.fill = INK_PAPER});
    return check_drawing(canvas, d->call.cairo_status(d->cairo));
}

static void paint(struct canvas *canvas, const struct pen *pen) {
    static const double dashes[] = {5, 4};
    struct drawing *d = canvas->self;
    if (pen->fill != INK_NONE) {
        set_ink(canvas, pen->fill, pen->fill_alpha);
        d->call.cairo_fill_preserve(d->cairo);
    }
    if (pen->stroke != INK_NONE) {
        set_ink(canvas, pen->stroke, pen->alpha);
        d->call.cairo_set_line_width(d->cairo, pen->width);
        d->call.cairo_set_dash(d->cairo, dashes, pen->dashed ? 2 : 0, 0);
        d->call.cairo_stroke(d->cairo);
    }
    d->call.cairo_new_path(d->cairo);
}

static void drawing_path(struct canvas *canvas, const struct pen *pen) {
    struct drawing *d = canvas->self;
    const struct outline *path = &canvas->path;
    for (size_t i = 0; i < path->n; i++) {
        struct point at = path->points[i];
        switch (path->steps[i]) {
        case PATH_MOVE: d->call.cairo_move_to(d->cairo, at.x, at.y); break;
        case PATH_LINE: d->call.cairo_line_to(d->cairo, at.x, at.y); break;
        default: d->call.cairo_close_path(d->cairo);
        }
    }
    paint(canvas, pen);
}

static void drawing_circle(struct canvas *canvas, struct point centre, double radius,
                           const struct pen *pen) {
    struct drawing *d = canvas->self;
    d->call.cairo_arc(d->cairo, centre.x, centre.y, radius, 0, 2 * 3.14159265358979323846);
    paint(canvas, pen);
}

static void drawing_text(struct canvas *canvas, struct point at, const char *text,
                         const struct lettering *lettering) {
    struct drawing *d = canvas->self;
    struct text clean = {0};
    while (*text) utf8_add(canvas->ctx, &clean, utf8_next(&text));
    if (clean.failed) {
        canvas->failed = true;
        return;
    }
    cairo_text_extents_t extents;
    d->call.cairo_save(d->cairo);
    d->call.cairo_select_font_face(d->cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                                   lettering->bold ? CAIRO_FONT_WEIGHT_BOLD
                                                   : CAIRO_FONT_WEIGHT_NORMAL);
    d->call.cairo_set_font_size(d->cairo, lettering->size);
    d->call.cairo_text_extents(d->cairo, clean.bytes, &extents);
    double shift = lettering->anchor == ANCHOR_MIDDLE ? extents.x_advance / 2
                   : lettering->anchor == ANCHOR_END  ? extents.x_advance
                                                      : 0;
    set_ink(canvas, lettering->ink, 1);
    d->call.cairo_move_to(d->cairo, at.x - (lettering->upright ? 0 : shift),
                          at.y + (lettering->upright ? shift : 0));
    if (lettering->upright) d->call.cairo_rotate(d->cairo, -3.14159265358979323846 / 2);
    d->call.cairo_show_text(d->cairo, clean.bytes);
    d->call.cairo_restore(d->cairo);
    d->call.cairo_new_path(d->cairo);
    text_clear(&clean);
}

static void drawing_clip(struct canvas *canvas, struct point corner, double width, double height) {
    struct drawing *d = canvas->self;
    d->call.cairo_save(d->cairo);
    d->call.cairo_rectangle(d->cairo, corner.x, corner.y, width, height);
    d->call.cairo_clip(d->cairo);
}

static void drawing_unclip(struct canvas *canvas) {
    struct drawing *d = canvas->self;
    d->call.cairo_restore(d->cairo);
}

static sepal_status drawing_end(struct canvas *canvas) {
    struct drawing *d = canvas->self;
    TRY(check_drawing(canvas, d->call.cairo_status(d->cairo)));
    if (canvas->backend == &backend_png)
        return check_drawing(
            canvas, d->call.cairo_surface_write_to_png_stream(d->surface, take_bytes, canvas));
    d->call.cairo_surface_finish(d->surface);
    return check_drawing(canvas, d->call.cairo_surface_status(d->surface));
}

static void drawing_drop(struct canvas *canvas) {
    struct drawing *d = canvas->self;
    if (d && d->cairo) d->call.cairo_destroy(d->cairo);
    if (d && d->surface) d->call.cairo_surface_destroy(d->surface);
    mem_free(d);
    canvas->self = NULL;
}

#else

static sepal_status drawing_begin(struct canvas *canvas) {
    return fail(canvas->ctx, SEPAL_EUSAGE,
                "%s needs cairo, which this build is without (Debian: libcairo2-dev when it is "
                "made); svg needs nothing",
                canvas->backend->name);
}

static void drawing_path(struct canvas *canvas, const struct pen *pen) {
    (void)canvas, (void)pen;
}

static void drawing_circle(struct canvas *canvas, struct point centre, double radius,
                           const struct pen *pen) {
    (void)canvas, (void)centre, (void)radius, (void)pen;
}

static void drawing_text(struct canvas *canvas, struct point at, const char *text,
                         const struct lettering *lettering) {
    (void)canvas, (void)at, (void)text, (void)lettering;
}

static void drawing_clip(struct canvas *canvas, struct point corner, double width, double height) {
    (void)canvas, (void)corner, (void)width, (void)height;
}

static void drawing_unclip(struct canvas *canvas) {
    (void)canvas;
}

static sepal_status drawing_end(struct canvas *canvas) {
    return drawing_begin(canvas);
}

static void drawing_drop(struct canvas *canvas) {
    (void)canvas;
}

#endif

#define BY_CAIRO                                                                                   \
    .default_width = 720, .default_height = 480, .most = 8000, .begin = drawing_begin,             \
    .path = drawing_path, .circle = drawing_circle, .text = drawing_text, .clip = drawing_clip,    \
    .unclip = drawing_unclip, .end = drawing_end, .drop = drawing_drop

const struct backend backend_png = {
    .name = "png", .extension = ".png", .summary = "an image, by cairo", BY_CAIRO};
const struct backend backend_pdf = {
    .name = "pdf", .extension = ".pdf", .summary = "a page for print, by cairo", BY_CAIRO};
