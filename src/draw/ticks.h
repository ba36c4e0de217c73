/* Ticks that a person would choose. */
#ifndef SEPAL_DRAW_TICKS_H
#define SEPAL_DRAW_TICKS_H

#include "core/text.h"

enum { TICKS_FEWEST = 4, TICKS_MOST = 8, TICK_ROOM = 24, TICK_BYTES = 40 };

struct ticks {
    size_t n;
    double at[TICK_ROOM];
    char label[TICK_ROOM][TICK_BYTES];
};

/* Multiples of 1, 2, 2.5 or 5 times a power of ten, 4 to 8 of them, all that lie in [low, high]. A range of
   one number, or what is none, has that number alone. */
void ticks_linear(struct ticks *out, double low, double high);
/* Powers of ten in [low, high], both above 0, or every so many of them; where there are few, 2 and 5 times
   them too. */
void ticks_log(struct ticks *out, double low, double high);
/* A number as a label would have it: `digits` significant ones. */
void number_label(char out[TICK_BYTES], double value, int digits);

#endif
