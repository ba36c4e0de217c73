/* Columns in units so different that a penalty, or steps of one length, treat them unalike. Of sparse rows the
   numbers that are there are compared, for rare ones deviate little by being rare. */
#include "doctor/check.h"

#include <math.h>
#include <string.h>

static const double TOO_FAR = 1e4;

/* The standard deviation of the numbers of a column; sparse: their root mean square. */
static double spread(const struct sample *sample, size_t column) {
    size_t n = sample_entries(sample, column), seen = 0;
    const double *x =
        sample->cells ? sample->cells + column * n : sample->value + sample->start[column];
    double sum = 0, square = 0, mean = 0, largest = 0;
    for (size_t k = 0; k < n; k++)
        if (fabs(x[k]) > largest) largest = fabs(x[k]);
    if (largest == 0) return 0;
    for (size_t k = 0; k < n; k++) { /* parts of the largest: their squares are numbers */
        if (isnan(x[k])) continue;
        sum += x[k] / largest;
        seen++;
    }
    if (sample->cells) mean = sum / (double)seen;
    for (size_t k = 0; k < n; k++) {
        double part = x[k] / largest - mean;
        if (!isnan(part)) square += part * part;
    }
    return largest * sqrt(square / (double)seen);
}

/* Whether the fit depends on the units: not after maps that take them off, and not of learners that find
   the same model in any. */
static bool depends_on_units(struct doctor *doctor) {
    static const char *const always[] = {"perceptron", "mean-difference"};
    const struct pipeline *pipeline = doctor->pipeline;
    if (!pipeline) return true;
    bool mapped = false;
    for (size_t k = 0; k < pipeline->chain.n; k++) {
        const char *map = pipeline->chain.maps[k].map->name;
        if (strcmp(map, "standardize") == 0 || strcmp(map, "minmax") == 0) return false;
        mapped = mapped || strcmp(map, "identity") != 0;
    }
    for (size_t k = 0; k < sizeof always / sizeof *always; k++)
        if (strcmp(doctor_learner(doctor), always[k]) == 0) return true;
    return mapped || doctor_penalised(doctor);
}

static sepal_status scale_look(struct doctor *doctor) {
    const struct sample *sample = &doctor->sample;
    size_t least = SIZE_MAX, most = SIZE_MAX, cols = sample->n > 2 ? sample->cols : 0;
    double low = INFINITY, high = 0;
    if (!depends_on_units(doctor)) return SEPAL_OK;
    for (size_t j = 0; j < cols; j++) {
        if (doctor->marked[j] || doctor_is_text(doctor, j) || sample_is_thin(sample, j)) continue;
        double s = spread(sample, j);
        if (!(s > 0)) continue;
        if (s < low) low = s, least = j;
        if (s > high) high = s, most = j;
    }
    if (!(high > TOO_FAR * low)) return SEPAL_OK;
    struct finding *finding =
        doctor_find(doctor, "scale", RANK_SLOW, (const size_t[]){most, least}, 2);
    struct text *message = &finding->message;
    text_puts(doctor->ctx, message, "the columns have very different units: ");
    text_puts(doctor->ctx, message, sample->cells ? "standard deviations" : "sizes");
    text_printf(doctor->ctx, message, " from %.4g of ", low);
    doctor_put_name(doctor, message, least);
    text_printf(doctor->ctx, message, " to %.4g of ", high);
    doctor_put_name(doctor, message, most);
    text_printf(doctor->ctx, &finding->advice,
                "the method weighs them by their units; -m \"standardize | %s\"",
                doctor->spec ? doctor->spec : "...");
    return SEPAL_OK;
}

const struct check check_scale = {
    .name = "scale",
    .summary = "columns in very different units, where that matters",
    .look = scale_look,
};
