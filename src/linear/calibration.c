#include "linear/calibration.h"

#include "core/alloc.h"
#include "linear/decide.h"

#include <math.h>
#include <string.h>

const char *const calibration_names[CALIBRATIONS] = {"platt", "isotonic", "temperature"};

/* ---- the object --------------------------------------------------------------------------- */

size_t calibration_width(enum calibration_kind kind) {
    static const size_t widths[CALIBRATIONS] = {2, KNOT_NUMBERS, 1};
    return widths[kind];
}

size_t calibration_functions(enum calibration_kind kind, size_t classes) {
    return kind == CALIBRATE_TEMPERATURE || classes == 2 ? 1 : classes;
}

sepal_status calibration_new(struct calibration **out, sepal_ctx *ctx, enum calibration_kind kind,
                             size_t classes, size_t rows) {
    struct calibration *made = mem_zero(ctx, 1, sizeof *made);
    *out = made;
    if (!made) return SEPAL_EMEMORY;
    made->kind = kind;
    made->classes = classes;
    made->functions = calibration_functions(kind, classes);
    made->rows = rows;
    made->cols = calibration_width(kind);
    made->numbers = mem_zero(ctx, rows, made->cols * sizeof *made->numbers);
    if (kind == CALIBRATE_ISOTONIC)
        made->start = mem_zero(ctx, made->functions + 1, sizeof *made->start);
    if (made->numbers && (made->start || kind != CALIBRATE_ISOTONIC)) return SEPAL_OK;
    calibration_free(made);
    *out = NULL;
    return SEPAL_EMEMORY;
}

void calibration_free(struct calibration *calibration) {
    if (!calibration) return;
    mem_free(calibration->numbers);
    mem_free(calibration->start);
    mem_free(calibration);
}

/* Of each function at least one knot, in the order of the functions; scores that rise, probabilities that
   do not fall. */
static bool knots_are_sound(struct calibration *all) {
    size_t f = 0;
    for (size_t i = 0; i < all->rows; i++) {
        const double *knot = all->numbers + i * KNOT_NUMBERS, *before = knot - KNOT_NUMBERS;
        if (!(knot[KNOT_P] >= 0 && knot[KNOT_P] <= 1) || signbit(knot[KNOT_P])) return false;
        if (i == 0 || knot[KNOT_CLASS] != before[KNOT_CLASS]) {
            if (f == all->functions || signbit(knot[KNOT_CLASS]) || knot[KNOT_CLASS] != (double)f)
                return false;
            all->start[f++] = i;
        } else if (!(knot[KNOT_SCORE] > before[KNOT_SCORE]) || knot[KNOT_P] < before[KNOT_P]) {
            return false;
        }
    }
    all->start[f] = all->rows;
    return f == all->functions;
}

bool calibration_is_sound(struct calibration *calibration) {
    switch (calibration->kind) {
    case CALIBRATE_TEMPERATURE: return calibration->rows == 1 && calibration->numbers[0] > 0;
    case CALIBRATE_PLATT: return calibration->rows == calibration->functions;
    default: return knots_are_sound(calibration);
    }
}

/* ---- what it is a function of ------------------------------------------------------------- */

void calibration_rank(const struct linear *linear, enum calibration_kind kind, double *values) {
    if (kind != CALIBRATE_TEMPERATURE && linear->strategy->rank)
        linear->strategy->rank(linear, values);
}

void calibration_inputs(const struct linear *linear, enum calibration_kind kind,
                        const double *scores, double *out) {
    if (linear->strategy->decision_values)
        linear->strategy->decision_values(linear, scores, out);
    else
        linear_show(linear, scores, out);
    calibration_rank(linear, kind, out);
}

/* ---- its values --------------------------------------------------------------------------- */

/* Between the knots on a line, beyond them as the last of them. */
static double interpolate(const double *knots, size_t n, double score) {
    size_t low = 0, high = n - 1;
    if (score <= knots[KNOT_SCORE]) return knots[KNOT_P];
    if (score >= knots[high * KNOT_NUMBERS + KNOT_SCORE])
        return knots[high * KNOT_NUMBERS + KNOT_P];
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(knots[middle * KNOT_NUMBERS + KNOT_SCORE] <= score ? &low : &high) = middle;
    }
    const double *from = knots + low * KNOT_NUMBERS, *to = knots + high * KNOT_NUMBERS;
    /* halves: the distance of two scores may be too large for a double */
    double part =
        (0.5 * score - 0.5 * from[KNOT_SCORE]) / (0.5 * to[KNOT_SCORE] - 0.5 * from[KNOT_SCORE]);
    if (!(part >= 0)) part = 0; /* scores so small that halves are all the same */
    return fmin(from[KNOT_P] + part * (to[KNOT_P] - from[KNOT_P]), to[KNOT_P]);
}

static double isotonic_at(const struct calibration *calibration, size_t f, double score) {
    size_t first = calibration->start[f];
    return interpolate(calibration->numbers + first * KNOT_NUMBERS,
                       calibration->start[f + 1] - first, score);
}

static double platt_at(const struct calibration *calibration, size_t f, double score) {
    const double *line = calibration->numbers + 2 * f;
    double slope = line[0] == 0 ? 0 : line[0] * score; /* no slope is none at any score */
    return slope + line[1];
}

double calibration_log_odds(const struct calibration *calibration, double score) {
    switch (calibration->kind) {
    case CALIBRATE_PLATT: return platt_at(calibration, 0, score);
    case CALIBRATE_TEMPERATURE: return score / calibration->numbers[0];
    default: {
        double p = isotonic_at(calibration, 0, score);
        return log(p) - log1p(-p);
    }
    }
}

/* The logarithms of what is to be divided by its sum. */
static void class_logs(const struct calibration *calibration, const double *shift,
                       double *numbers) {
    double largest = -INFINITY;
    for (size_t k = 0; k < calibration->classes; k++) {
        double x = numbers[k];
        numbers[k] = calibration->kind == CALIBRATE_TEMPERATURE ? x / calibration->numbers[0]
                     : calibration->kind == CALIBRATE_PLATT
                         ? log_logistic(platt_at(calibration, k, x))
                         : log(isotonic_at(calibration, k, x));
        largest = fmax(largest, numbers[k]);
    }
    for (size_t k = 0; k < calibration->classes; k++) {
        if (largest == -INFINITY) numbers[k] = 0; /* no class has a chance: all have the same */
        if (shift) numbers[k] += shift[k];
    }
}

static double shifted_log_odds(const struct calibration *calibration, const double *shift,
                               double score) {
    return calibration_log_odds(calibration, score) + (shift ? shift[1] - shift[0] : 0);
}

void calibration_logs(const struct calibration *calibration, const double *shift, double *numbers) {
    if (calibration->classes == 2) {
        double odds = shifted_log_odds(calibration, shift, numbers[0]);
        numbers[0] = log_logistic(-odds);
        numbers[1] = log_logistic(odds);
        return;
    }
    class_logs(calibration, shift, numbers);
    log_softmax_of_logs(numbers, calibration->classes);
}

/* As they are, not by way of logarithms, which would round a share of rows once more. */
static void isotonic_probabilities(const struct calibration *calibration, double *numbers) {
    size_t classes = calibration->classes;
    double sum = 0;
    if (classes == 2) {
        numbers[1] = isotonic_at(calibration, 0, numbers[0]);
        numbers[0] = 1 - numbers[1];
        return;
    }
    for (size_t k = 0; k < classes; k++) {
        numbers[k] = isotonic_at(calibration, k, numbers[k]);
        sum += numbers[k];
    }
    for (size_t k = 0; k < classes; k++)
        numbers[k] = sum > 0 ? numbers[k] / sum : 1 / (double)classes;
}

void calibration_probabilities(const struct calibration *calibration, const double *shift,
                               double *numbers) {
    if (calibration->kind == CALIBRATE_ISOTONIC && !shift) {
        isotonic_probabilities(calibration, numbers);
    } else if (calibration->classes == 2) {
        double odds = shifted_log_odds(calibration, shift, numbers[0]);
        numbers[0] = logistic(-odds);
        numbers[1] = logistic(odds);
    } else {
        class_logs(calibration, shift, numbers);
        softmax_of_logs(numbers, calibration->classes);
    }
}

/* ---- the fit ------------------------------------------------------------------------------ */

/* The knots of all functions behind one another. `room` has that for those of one. */
static sepal_status gather_knots(double **knots, size_t *used, sepal_ctx *ctx, double *room,
                                 size_t classes, const struct calibration_rows *rows) {
    size_t functions = calibration_functions(CALIBRATE_ISOTONIC, classes), have = 0, more;
    void *all = NULL;
    sepal_status status = SEPAL_OK;
    for (size_t f = 0; f < functions && status == SEPAL_OK; f++) {
        status = calibration_fit_isotonic(room, &more, ctx, rows, functions, f,
                                          classes == 2 ? 1 : (int32_t)f);
        if (status == SEPAL_OK)
            status = mem_reserve(ctx, &all, &have, *used + more, KNOT_NUMBERS * sizeof *room);
        if (status == SEPAL_OK)
            memcpy((double *)all + *used * KNOT_NUMBERS, room, more * KNOT_NUMBERS * sizeof *room);
        if (status == SEPAL_OK) *used += more;
    }
    *knots = all;
    return status;
}

static sepal_status fit_knots(struct calibration **out, sepal_ctx *ctx, size_t classes,
                              const struct calibration_rows *rows) {
    size_t used = 0;
    double *knots = NULL, *room = mem_alloc(ctx, rows->n, KNOT_NUMBERS * sizeof *room);
    sepal_status status =
        room ? gather_knots(&knots, &used, ctx, room, classes, rows) : SEPAL_EMEMORY;
    if (status == SEPAL_OK) status = calibration_new(out, ctx, CALIBRATE_ISOTONIC, classes, used);
    if (status == SEPAL_OK && knots) {
        memcpy((*out)->numbers, knots, used * KNOT_NUMBERS * sizeof *knots);
        (void)calibration_is_sound(*out); /* it is, and this finds the beginnings */
    }
    mem_free(knots);
    mem_free(room);
    return status;
}

sepal_status calibration_fit(struct calibration **out, sepal_ctx *ctx, enum calibration_kind kind,
                             size_t classes, const struct calibration_rows *rows) {
    *out = NULL;
    if (kind == CALIBRATE_ISOTONIC) return fit_knots(out, ctx, classes, rows);
    size_t functions = calibration_functions(kind, classes);
    TRY(calibration_new(out, ctx, kind, classes, functions));
    if (kind == CALIBRATE_TEMPERATURE)
        (*out)->numbers[0] = calibration_fit_temperature(rows, classes);
    for (size_t f = 0; kind == CALIBRATE_PLATT && f < functions; f++)
        calibration_fit_platt((*out)->numbers + 2 * f, rows, functions, f,
                              classes == 2 ? 1 : (int32_t)f);
    return SEPAL_OK;
}
