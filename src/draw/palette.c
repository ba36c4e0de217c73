/* The colours. Those of series begin with Okabe and Ito's (Color Universal Design, 2008); what comes after
   these was searched for, so that every two of eight are told apart with protanopia, deuteranopia and
   tritanopia too, and each from the paper. */
#include "draw/palette.h"

static const struct colour light[INKS] = {
    [INK_PAPER] = {0xFF, 0xFF, 0xFF},      [INK_TEXT] = {0x1F, 0x24, 0x28},
    [INK_PALE] = {0x5E, 0x66, 0x6E},       [INK_GRID] = {0xE3, 0xE6, 0xE8},
    [INK_SERIES] = {0x00, 0x72, 0xB2},     [INK_SERIES + 1] = {0xE6, 0x9F, 0x00},
    [INK_SERIES + 2] = {0x00, 0x9E, 0x73}, [INK_SERIES + 3] = {0xD5, 0x5E, 0x00},
    [INK_SERIES + 4] = {0x56, 0xB4, 0xE9}, [INK_SERIES + 5] = {0xA0, 0x37, 0xED},
    [INK_SERIES + 6] = {0x9E, 0x18, 0x90}, [INK_SERIES + 7] = {0x47, 0x52, 0x5F}};
static const struct colour dark[INKS] = {
    [INK_PAPER] = {0x15, 0x18, 0x1C},      [INK_TEXT] = {0xEC, 0xEE, 0xF0},
    [INK_PALE] = {0xA6, 0xAD, 0xB4},       [INK_GRID] = {0x2F, 0x35, 0x3B},
    [INK_SERIES] = {0x4C, 0xA6, 0xE8},     [INK_SERIES + 1] = {0xF0, 0xB0, 0x30},
    [INK_SERIES + 2] = {0x74, 0xFE, 0xA8}, [INK_SERIES + 3] = {0xE8, 0x75, 0x3A},
    [INK_SERIES + 4] = {0x9A, 0xD4, 0xFF}, [INK_SERIES + 5] = {0x82, 0x7A, 0x7F},
    [INK_SERIES + 6] = {0xE8, 0xE0, 0x70}, [INK_SERIES + 7] = {0x97, 0xBF, 0x92}};

struct colour palette_colour(enum theme theme, int ink) {
    return theme == THEME_DARK ? dark[ink] : light[ink];
}

int series_ink(size_t k) {
    return INK_SERIES + (int)(k % SERIES_INKS);
}

enum shape series_shape(size_t k) {
    return (enum shape)(k % SHAPES);
}
