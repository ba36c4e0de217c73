/* The hinge with its kink rounded off: over a width r below m = 1 a parabola leads from slope 0 to
   slope -1 (Huber 1964). It is below the hinge by at most r/2, and its dual variables are dual
   variables of the hinge. One row for each width, since a loss has no parameters. */
#include "objective/loss.h"

#include <math.h>

static void smoothed_at(double width, size_t n, const double *m, double *value, double *pull,
                        double *curve) {
    for (size_t i = 0; i < n; i++) {
        double short_of = m[i] < 1 ? 1 - m[i] : 0, bent = short_of < width ? short_of : width;
        if (value) value[i] = bent * bent / (2 * width) + (short_of - bent);
        if (pull) pull[i] = bent / width;
        if (curve) curve[i] = short_of > 0 && short_of < width ? 1 / width : 0;
    }
}

static double smoothed_earns(double width, double a) {
    return a >= 0 && a <= 1 ? a - width * a * a / 2 : -INFINITY;
}

#define WIDTH(name, width)                                                                         \
    static void at_##name(const struct kernels *kernels, size_t n, const double *m, double *value, \
                          double *pull, double *curve) {                                           \
        (void)kernels;                                                                             \
        smoothed_at(width, n, m, value, pull, curve);                                              \
    }                                                                                              \
    static double earns_##name(double a) {                                                         \
        return smoothed_earns(width, a);                                                           \
    }
#include "objective/widths.def"
#undef WIDTH

const struct loss loss_smoothed[] = {
#define WIDTH(number, width)                                                                       \
    {.name = "smoothed hinge",                                                                     \
     .words = "max(0, 1 - m), rounded off",                                                        \
     .smooth = true,                                                                               \
     .bend = 1 / (width),                                                                          \
     .at = at_##number,                                                                            \
     .earns = earns_##number,                                                                      \
     .least = 0,                                                                                   \
     .most = 1},
#include "objective/widths.def"
#undef WIDTH
};
const size_t losses_smoothed = sizeof loss_smoothed / sizeof *loss_smoothed;
