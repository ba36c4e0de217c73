/* SVG, without a library. Clips are nested <svg> elements and hatches are lines, so that nothing has a name
   that another picture in the same page could have too. */
#include "draw/canvas.h"

#include <math.h>
#include <string.h>

static void put(struct canvas *canvas, const char *text) {
    text_puts(canvas->ctx, &canvas->out, text);
    canvas->failed = canvas->failed || canvas->out.failed;
}

/* To a hundredth of a pixel. */
static void put_number(struct canvas *canvas, double value) {
    double rounded = round(value * 100) / 100;
    text_number(canvas->ctx, &canvas->out, rounded == 0 ? 0 : rounded);
    canvas->failed = canvas->failed || canvas->out.failed;
}

static void put_attribute(struct canvas *canvas, const char *name, double value) {
    put(canvas, " ");
    put(canvas, name);
    put(canvas, "=\"");
    put_number(canvas, value);
    put(canvas, "\"");
}

static void put_escaped(struct canvas *canvas, const char *text) {
    while (*text && !canvas->failed) {
        uint32_t c = utf8_next(&text);
        switch (c) {
        case '&': put(canvas, "&amp;"); break;
        case '<': put(canvas, "&lt;"); break;
        case '>': put(canvas, "&gt;"); break;
        case '"': put(canvas, "&quot;"); break;
        default: utf8_add(canvas->ctx, &canvas->out, c);
        }
    }
}

static void put_colour(struct canvas *canvas, enum theme theme, int ink) {
    struct colour c = palette_colour(theme, ink);
    text_printf(canvas->ctx, &canvas->out, "#%02x%02x%02x", c.red, c.green, c.blue);
}

static void put_ink(struct canvas *canvas, const char *name, int ink) {
    put(canvas, " ");
    put(canvas, name);
    put(canvas, "=\"");
    if (ink == INK_NONE)
        put(canvas, "none");
    else
        put_colour(canvas, canvas->theme, ink);
    put(canvas, "\"");
}

/* With the theme `auto` inks are classes, whose colours follow the reader's. */
static void put_inks(struct canvas *canvas, int fill, int stroke) {
    if (canvas->theme != THEME_AUTO) {
        put_ink(canvas, "fill", fill);
        if (stroke != INK_NONE) put_ink(canvas, "stroke", stroke);
    } else {
        text_printf(canvas->ctx, &canvas->out, " class=\"sepal-f%d sepal-s%d\"", fill, stroke);
    }
}

static void put_styles(struct canvas *canvas, enum theme theme) {
    for (int ink = INK_NONE; ink < INKS; ink++)
        for (int stroke = 0; stroke < 2; stroke++) {
            text_printf(canvas->ctx, &canvas->out, ".sepal-%c%d{%s:", stroke ? 's' : 'f', ink,
                        stroke ? "stroke" : "fill");
            if (ink == INK_NONE)
                put(canvas, "none");
            else
                put_colour(canvas, theme, ink);
            put(canvas, "}");
        }
}

static void put_pen(struct canvas *canvas, const struct pen *pen) {
    put_inks(canvas, pen->fill, pen->stroke);
    if (pen->stroke != INK_NONE) {
        if (pen->width != 1) put_attribute(canvas, "stroke-width", pen->width);
        if (pen->alpha > 0 && pen->alpha < 1) put_attribute(canvas, "stroke-opacity", pen->alpha);
        if (pen->dashed) put(canvas, " stroke-dasharray=\"5 4\"");
    }
    if (pen->fill != INK_NONE && pen->fill_alpha > 0 && pen->fill_alpha < 1)
        put_attribute(canvas, "fill-opacity", pen->fill_alpha);
}

static sepal_status svg_begin(struct canvas *canvas) {
    put(canvas, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    put_attribute(canvas, "width", canvas->width);
    put_attribute(canvas, "height", canvas->height);
    text_printf(canvas->ctx, &canvas->out,
                " viewBox=\"0 0 %.0f %.0f\" role=\"img\" fill-rule=\"evenodd\" "
                "stroke-linejoin=\"round\" font-family=\"Helvetica, Arial, "
                "'Liberation Sans', 'DejaVu Sans', sans-serif\">\n<title>",
                canvas->width, canvas->height);
    put_escaped(canvas, canvas->title);
    put(canvas, "</title>\n");
    if (canvas->theme == THEME_AUTO) {
        put(canvas, "<style>");
        put_styles(canvas, THEME_LIGHT);
        put(canvas, "@media (prefers-color-scheme:dark){");
        put_styles(canvas, THEME_DARK);
        put(canvas, "}</style>\n");
    }
    canvas_rectangle(canvas, 0, 0, canvas->width, canvas->height, &(struct pen){.fill = INK_PAPER});
    return canvas->failed ? SEPAL_EMEMORY : SEPAL_OK;
}

static void svg_path(struct canvas *canvas, const struct pen *pen) {
    const struct outline *path = &canvas->path;
    put(canvas, "<path d=\"");
    for (size_t i = 0; i < path->n && !canvas->failed; i++) {
        if (path->steps[i] == PATH_CLOSE) {
            put(canvas, "Z");
            continue;
        }
        put(canvas, path->steps[i] == PATH_MOVE ? "M" : "L");
        put_number(canvas, path->points[i].x);
        put(canvas, " ");
        put_number(canvas, path->points[i].y);
    }
    put(canvas, "\"");
    put_pen(canvas, pen);
    put(canvas, "/>\n");
}

static void svg_circle(struct canvas *canvas, struct point centre, double radius,
                       const struct pen *pen) {
    put(canvas, "<circle");
    put_attribute(canvas, "cx", centre.x);
    put_attribute(canvas, "cy", centre.y);
    put_attribute(canvas, "r", radius);
    put_pen(canvas, pen);
    put(canvas, "/>\n");
}

static void svg_text(struct canvas *canvas, struct point at, const char *text,
                     const struct lettering *lettering) {
    static const char *const anchors[] = {"start", "middle", "end"};
    put(canvas, "<text");
    put_attribute(canvas, "x", at.x);
    put_attribute(canvas, "y", at.y);
    put_attribute(canvas, "font-size", lettering->size);
    put_inks(canvas, lettering->ink, INK_NONE);
    if (lettering->anchor != ANCHOR_START) {
        put(canvas, " text-anchor=\"");
        put(canvas, anchors[lettering->anchor]);
        put(canvas, "\"");
    }
    if (lettering->bold) put(canvas, " font-weight=\"bold\"");
    if (lettering->upright) {
        put(canvas, " transform=\"rotate(-90 ");
        put_number(canvas, at.x);
        put(canvas, " ");
        put_number(canvas, at.y);
        put(canvas, ")\"");
    }
    put(canvas, ">");
    put_escaped(canvas, text);
    put(canvas, "</text>\n");
}

static void svg_clip(struct canvas *canvas, struct point corner, double width, double height) {
    put(canvas, "<svg");
    put_attribute(canvas, "x", corner.x);
    put_attribute(canvas, "y", corner.y);
    put_attribute(canvas, "width", width);
    put_attribute(canvas, "height", height);
    put(canvas, " viewBox=\"");
    const double box[] = {corner.x, corner.y, width, height};
    for (size_t i = 0; i < 4; i++) {
        if (i > 0) put(canvas, " ");
        put_number(canvas, box[i]);
    }
    put(canvas, "\" preserveAspectRatio=\"none\" overflow=\"hidden\">\n");
}

static void svg_unclip(struct canvas *canvas) {
    put(canvas, "</svg>\n");
}

static sepal_status svg_end(struct canvas *canvas) {
    put(canvas, "</svg>\n");
    return canvas->failed ? SEPAL_EMEMORY : SEPAL_OK;
}

static void svg_drop(struct canvas *canvas) {
    (void)canvas;
}

const struct backend backend_svg = {.name = "svg",
                                    .extension = ".svg",
                                    .summary = "vector graphics for the web",
                                    .default_width = 720,
                                    .default_height = 480,
                                    .most = 8000,
                                    .begin = svg_begin,
                                    .path = svg_path,
                                    .circle = svg_circle,
                                    .text = svg_text,
                                    .clip = svg_clip,
                                    .unclip = svg_unclip,
                                    .end = svg_end,
                                    .drop = svg_drop};
