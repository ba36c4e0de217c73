/* Ticks: the step is 1, 2, 2.5 or 5 times a power of ten, the one that makes nearest to six of them. */
#include "draw/ticks.h"

#include "core/decimal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void number_label(char out[TICK_BYTES], double value, int digits) {
    char shown[SEPAL_NUMBER_BYTES] = "0";
    if (value != 0 && isfinite(value)) {
        /* scaled in long double, so that the shortest text of the rounded number is a short one */
        int place = digits - 1 - (int)floor(log10(fabs(value)));
        long double scale = powl(10, place);
        double rounded = (double)(roundl((long double)value * scale) / scale);
        shown[decimal_print(shown, rounded)] = '\0';
    }
    /* the true minus is as wide as a plus, a hyphen is not */
    (void)snprintf(out, TICK_BYTES, "%s%s", *shown == '-' ? "\xE2\x88\x92" : "",
                   shown + (*shown == '-'));
}

/* With as many digits behind the point as the step has. */
static void label_fixed(char out[TICK_BYTES], double value, double step) {
    enum { MOST_PLACES = 12 };
    int places = 0;
    double s = step;
    while (places < MOST_PLACES && fabs(s - round(s)) > 1e-6 * fabs(s)) {
        s *= 10;
        places++;
    }
    double size = fabs(value) > step ? fabs(value) : step;
    if (places >= MOST_PLACES || size >= 1e9 || (step < 1e-4 && size < 1e-2)) {
        int digits = (int)ceil(log10(size / step)) + 2;
        number_label(out, value, digits < 15 ? digits : 15);
        return;
    }
    double power = pow(10, places), whole;
    double part = modf(round(fabs(value) * power) / power, &whole);
    unsigned long long behind = (unsigned long long)llround(part * power);
    const char *sign = value < 0 && (whole > 0 || behind > 0) ? "\xE2\x88\x92" : "";
    if (places > 0)
        (void)snprintf(out, TICK_BYTES, "%s%.0f.%0*llu", sign, whole, places, behind);
    else
        (void)snprintf(out, TICK_BYTES, "%s%.0f", sign, whole);
}

static size_t ticks_between(double low, double high, double step, double *first) {
    *first = ceil(low / step - 1e-9);
    double last = floor(high / step + 1e-9);
    return last < *first ? 0 : (size_t)fmin(last - *first + 1, TICK_ROOM);
}

void ticks_linear(struct ticks *out, double low, double high) {
    static const double factors[] = {1, 2, 2.5, 5};
    enum { WANTED = 6 };
    double best_step = 0, best_miss = INFINITY, first = 0;
    *out = (struct ticks){0};
    if (!isfinite(low) || !isfinite(high)) return;
    if (!(high > low) || high - low <= 1e-12 * fmax(fabs(low), fabs(high))) {
        out->n = 1;
        out->at[0] = low;
        number_label(out->label[0], low, 6);
        return;
    }
    int decade = (int)floor(log10(high - low));
    for (int power = decade - 2; power <= decade; power++)
        for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
            double step = factors[i] * pow(10, power);
            size_t n = ticks_between(low, high, step, &first);
            double miss = fabs((double)n - WANTED) + (factors[i] == 2.5 ? 0.5 : 0);
            if (n < TICKS_FEWEST || n > TICKS_MOST || miss >= best_miss) continue;
            best_miss = miss;
            best_step = step;
        }
    if (best_step == 0) return; /* never: of two steps a factor 2.5 apart at most, one fits */
    out->n = ticks_between(low, high, best_step, &first);
    for (size_t i = 0; i < out->n; i++) {
        out->at[i] = (first + (double)i) * best_step;
        label_fixed(out->label[i], out->at[i], best_step);
    }
}

static void add_log_tick(struct ticks *out, double value) {
    if (out->n == TICK_ROOM) return;
    out->at[out->n] = value;
    number_label(out->label[out->n++], value, 1);
}

void ticks_log(struct ticks *out, double low, double high) {
    *out = (struct ticks){0};
    if (!(low > 0) || !isfinite(high) || high < low) return;
    int first = (int)ceil(log10(low) - 1e-9), last = (int)floor(log10(high) + 1e-9);
    int every = (last - first) / TICKS_MOST + 1;
    if (last - first >= 2) {
        /* multiples of the step, so that 1 is among them wherever the range begins */
        for (int k = first; k <= last; k++)
            if (k % every == 0) add_log_tick(out, pow(10, k));
        return;
    }
    static const double factors[] = {1, 2, 5};
    for (int k = first - 1; k <= last; k++)
        for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
            double value = factors[i] * pow(10, k);
            if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) add_log_tick(out, value);
        }
    if (out->n < 2) ticks_linear(out, low, high);
}
