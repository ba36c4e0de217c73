/* Ticks, palette, and text of pictures. */
#include "core/rng.h"
#include "draw/canvas.h"
#include "draw/ticks.h"
#include "seed.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> /* after core/context.h: it defines a macro fail() */

/* ---- Ticks ----------------------------------------------------------------------------------- */

static bool is_nice(double step) {
    double first = step / pow(10, floor(log10(step) + 1e-9));
    return fabs(first - 1) < 1e-6 || fabs(first - 2) < 1e-6 || fabs(first - 2.5) < 1e-6 ||
           fabs(first - 5) < 1e-6 || fabs(first - 10) < 1e-6;
}

/* The number that a label shows: its minus is a character of its own. */
static double number_of(const char *label) {
    char plain[TICK_BYTES + 1] = "";
    static const char minus[] = "\xE2\x88\x92";
    bool negative = strncmp(label, minus, strlen(minus)) == 0;
    snprintf(plain, sizeof plain, "%s%s", negative ? "-" : "",
             negative ? label + strlen(minus) : label);
    return strtod(plain, NULL);
}

static void ticks_are_those_a_person_would_choose(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(1), 1);
    struct ticks ticks;
    for (int i = 0; i < 20000; i++) {
        double range = pow(10, 16 * rng_unit(&rng) - 8), low = (rng_unit(&rng) - 0.5) * 20 * range;
        double high = low + range;
        ticks_linear(&ticks, low, high);
        assert_in_range(ticks.n, TICKS_FEWEST, TICKS_MOST);
        double step = ticks.at[1] - ticks.at[0];
        assert_true(is_nice(step));
        /* they lie in the range, and there is no place for another */
        assert_true(ticks.at[0] >= low - 1e-6 * range && ticks.at[0] - step < low);
        assert_true(ticks.at[ticks.n - 1] <= high + 1e-6 * range);
        assert_true(ticks.at[ticks.n - 1] + step > high);
        for (size_t k = 0; k < ticks.n; k++) {
            double multiple = ticks.at[k] / step;
            assert_true(fabs(multiple - round(multiple)) < 1e-4);
            assert_true(fabs(number_of(ticks.label[k]) - ticks.at[k]) <= 1e-2 * step);
            assert_true(k == 0 || strcmp(ticks.label[k], ticks.label[k - 1]) != 0);
        }
    }
}

static void ticks_of_odd_ranges(void **state) {
    (void)state;
    struct ticks ticks;
    ticks_linear(&ticks, 0, 1);
    assert_int_equal(ticks.n, 6);
    assert_string_equal(ticks.label[1], "0.2");
    ticks_linear(&ticks, -1, 1);
    assert_string_equal(ticks.label[0], "\xE2\x88\x92"
                                        "1.0");
    ticks_linear(&ticks, 3, 3);
    assert_int_equal(ticks.n, 1);
    assert_string_equal(ticks.label[0], "3");
    ticks_linear(&ticks, NAN, 1);
    assert_int_equal(ticks.n, 0);
    ticks_linear(&ticks, 0, INFINITY);
    assert_int_equal(ticks.n, 0);
    ticks_linear(&ticks, -DBL_MAX / 4, DBL_MAX / 4);
    assert_in_range(ticks.n, TICKS_FEWEST, TICKS_MOST);
    ticks_log(&ticks, 0, 1);
    assert_int_equal(ticks.n, 0);
}

static void logarithmic_ticks_are_powers_of_ten(void **state) {
    (void)state;
    struct rng rng = rng_make(test_seed(2), 1);
    struct ticks ticks;
    for (int i = 0; i < 5000; i++) {
        double decades = 2 + 20 * rng_unit(&rng), low = pow(10, 20 * rng_unit(&rng) - 10);
        double high = low * pow(10, decades);
        ticks_log(&ticks, low, high);
        assert_in_range(ticks.n, 2, TICKS_MOST + 2);
        for (size_t k = 0; k < ticks.n; k++) {
            assert_true(ticks.at[k] >= low * (1 - 1e-6) && ticks.at[k] <= high * (1 + 1e-6));
            assert_true(k == 0 || ticks.at[k] > ticks.at[k - 1]);
        }
    }
}

/* ---- Palette --------------------------------------------------------------------------------- */

static double linear_light(uint8_t value) {
    double c = value / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double luminance(struct colour c) {
    return 0.2126 * linear_light(c.red) + 0.7152 * linear_light(c.green) +
           0.0722 * linear_light(c.blue);
}

static double contrast(struct colour a, struct colour b) {
    double one = luminance(a), other = luminance(b);
    return (fmax(one, other) + 0.05) / (fmin(one, other) + 0.05);
}

/* As people with all cones see it, without those for red, green, blue (Machado, Oliveira and Fernandes, 2009). */
static const double sights[4][3][3] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                       {{0.152286, 1.052583, -0.204868},
                                        {0.114503, 0.786281, 0.099216},
                                        {-0.003882, -0.048116, 1.051998}},
                                       {{0.367322, 0.860646, -0.227968},
                                        {0.280085, 0.672501, 0.047413},
                                        {-0.011820, 0.042940, 0.968881}},
                                       {{1.255528, -0.076749, -0.178779},
                                        {-0.078411, 0.930809, 0.147602},
                                        {0.004733, 0.691367, 0.303900}}};

static double root_of(double t) {
    return t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116;
}

/* CIE L*a*b*. */
static void lab_of(double out[3], struct colour colour, const double sight[3][3]) {
    const double given[3] = {linear_light(colour.red), linear_light(colour.green),
                             linear_light(colour.blue)};
    double seen[3];
    for (size_t i = 0; i < 3; i++) {
        double sum = 0;
        for (size_t j = 0; j < 3; j++) sum += sight[i][j] * given[j];
        seen[i] = fmin(1, fmax(0, sum));
    }
    double x = root_of((0.4124 * seen[0] + 0.3576 * seen[1] + 0.1805 * seen[2]) / 0.95047);
    double y = root_of(0.2126 * seen[0] + 0.7152 * seen[1] + 0.0722 * seen[2]);
    double z = root_of((0.0193 * seen[0] + 0.1192 * seen[1] + 0.9505 * seen[2]) / 1.08883);
    out[0] = 116 * y - 16;
    out[1] = 500 * (x - y);
    out[2] = 200 * (y - z);
}

static void colours_are_told_apart_by_all_eyes(void **state) {
    (void)state;
    const enum theme themes[] = {THEME_LIGHT, THEME_DARK};
    for (size_t t = 0; t < 2; t++)
        for (size_t s = 0; s < 4; s++)
            for (size_t i = 0; i < SERIES_INKS; i++)
                for (size_t j = 0; j < i; j++) {
                    double a[3], b[3];
                    lab_of(a, palette_colour(themes[t], series_ink(i)), sights[s]);
                    lab_of(b, palette_colour(themes[t], series_ink(j)), sights[s]);
                    double distance = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
                    if (distance < 15)
                        fail_msg("theme %zu, sight %zu: %zu and %zu are %.1f apart", t, s, i, j,
                                 distance);
                }
}

static void ink_is_seen_on_paper(void **state) {
    (void)state;
    const enum theme themes[] = {THEME_LIGHT, THEME_DARK};
    for (size_t t = 0; t < 2; t++) {
        struct colour paper = palette_colour(themes[t], INK_PAPER);
        assert_true(contrast(palette_colour(themes[t], INK_TEXT), paper) > 12);
        assert_true(contrast(palette_colour(themes[t], INK_PALE), paper) > 4.5); /* small text */
        for (size_t k = 0; k < SERIES_INKS; k++)
            assert_true(contrast(palette_colour(themes[t], series_ink(k)), paper) > 2.2);
    }
}

static void series_differ_by_colour_or_shape(void **state) {
    (void)state;
    for (size_t i = 0; i < SERIES_INKS * SHAPES; i++)
        for (size_t j = 0; j < i; j++)
            assert_false(series_ink(i) == series_ink(j) && series_shape(i) == series_shape(j));
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void text_is_cut_to_its_room(void **state) {
    (void)state;
    static const char *const texts[] = {"",
                                        "a",
                                        "wide enough",
                                        "\xC3\x9C \xC3\xAF \xC3\xB6 \xC3\xA9 \xE5\xAD\x97",
                                        "broken \xC3",
                                        "WWWWWWWWWWWWWWWWWWWWWWWWWWWW"};
    struct rng rng = rng_make(test_seed(3), 1);
    const struct canvas svg = {.backend = &backend_svg}, term = {.backend = &backend_term};
    for (int i = 0; i < 2000; i++) {
        const struct canvas *canvas = i % 2 ? &svg : &term;
        const char *text = texts[rng_below(&rng, sizeof texts / sizeof *texts)];
        char out[64];
        size_t room = 8 + (size_t)rng_below(&rng, sizeof out - 8);
        double width = 20 + 200 * rng_unit(&rng);
        memset(out, 'x', sizeof out);
        assert_ptr_equal(canvas_fit_text(canvas, out, room, text, 12, width), out);
        assert_true(strlen(out) < room);
        assert_true(canvas_text_width(canvas, out, 12) <= width + 1e-9);
        if (strlen(text) < room && canvas_text_width(canvas, text, 12) <= width)
            assert_string_equal(out, text);
    }
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static double distance_to(struct point p, struct point a, struct point b) {
    double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    double t = square > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / square : 0;
    t = fmin(1, fmax(0, t));
    return hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

/* What a pencil leaves out cannot be seen; of smooth curves that is most. */
static void lines_pass_all_their_points(void **state) {
    (void)state;
    enum { RUNS = 200, POINTS = 300 };
    struct rng rng = rng_make(test_seed(5), 5);
    static struct point points[POINTS];
    sepal_ctx *ctx = NULL;
    assert_int_equal(sepal_ctx_new(&ctx), SEPAL_OK);
    for (int run = 0; run < RUNS; run++) {
        struct canvas canvas;
        assert_int_equal(canvas_begin(&canvas, ctx, &backend_svg, 720, 480, THEME_LIGHT, ""),
                         SEPAL_OK);
        canvas.path.n = 0;
        struct pencil pencil = {.canvas = &canvas};
        bool smooth = run % 2 == 0;
        double rough = run % 4 == 1 ? 30 : 0.3;
        for (int i = 0; i < POINTS; i++)
            points[i] = smooth ? (struct point){2.0 * i, 200 + 150 * sin(i * run * 1e-4)}
                               : (struct point){2.0 * i + rough * rng_unit(&rng),
                                                200 + rough * rng_unit(&rng)};
        for (int i = 1; i < POINTS; i++) pencil_go(&pencil, points[i - 1], points[i]);
        pencil_lift(&pencil);
        const struct outline *path = &canvas.path;
        assert_int_equal(path->steps[0], PATH_MOVE);
        assert_true(distance_to(points[0], path->points[0], path->points[0]) == 0);
        assert_true(distance_to(points[POINTS - 1], path->points[path->n - 1],
                                path->points[path->n - 1]) == 0);
        assert_true(!smooth || path->n < POINTS / 3);
        for (int i = 0; i < POINTS; i++) {
            double nearest = INFINITY;
            for (size_t k = 1; k < path->n; k++)
                nearest =
                    fmin(nearest, distance_to(points[i], path->points[k - 1], path->points[k]));
            assert_true(nearest <= 0.1 + 1e-9);
        }
        canvas_drop(&canvas);
    }
    sepal_ctx_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_are_those_a_person_would_choose),
        cmocka_unit_test(ticks_of_odd_ranges),
        cmocka_unit_test(logarithmic_ticks_are_powers_of_ten),
        cmocka_unit_test(colours_are_told_apart_by_all_eyes),
        cmocka_unit_test(ink_is_seen_on_paper),
        cmocka_unit_test(series_differ_by_colour_or_shape),
        cmocka_unit_test(text_is_cut_to_its_room),
        cmocka_unit_test(lines_pass_all_their_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
