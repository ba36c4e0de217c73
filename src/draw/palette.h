/* The colours of a picture by what they are for. Series have shapes as well as colours, so that a picture
   can be read without any. */
#ifndef SEPAL_DRAW_PALETTE_H
#define SEPAL_DRAW_PALETTE_H

#include <stddef.h>
#include <stdint.h>

enum theme { THEME_LIGHT, THEME_DARK, THEME_AUTO };

enum ink {
    INK_NONE,
    INK_PAPER,
    INK_TEXT,  /* what is to be read first, and lines of decision */
    INK_PALE,  /* axes and what explains */
    INK_GRID,  /* hardly there */
    INK_SERIES /* + k: of class or curve k */
};
enum { SERIES_INKS = 8, INKS = INK_SERIES + SERIES_INKS };
enum shape {
    SHAPE_CIRCLE,
    SHAPE_TRIANGLE,
    SHAPE_SQUARE,
    SHAPE_DIAMOND,
    SHAPE_CROSS,
    SHAPE_WEDGE,
    SHAPE_STAR,
    SHAPES
};

struct colour {
    uint8_t red, green, blue;
};
/* THEME_AUTO is the light one here. */
struct colour palette_colour(enum theme theme, int ink);
/* Of series k: there are 8 colours and 7 shapes, so 56 series are all different. */
int series_ink(size_t k);
enum shape series_shape(size_t k);

#endif
