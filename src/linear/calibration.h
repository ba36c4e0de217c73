/* Calibration: functions from scores to probabilities, fitted to scores of rows that were held out. One
   function for two classes; of more, by Platt's method and isotonic regression, one for each class
   against the rest, whose values are divided by their sum; a temperature is one for all. */
#ifndef SEPAL_LINEAR_CALIBRATION_H
#define SEPAL_LINEAR_CALIBRATION_H

#include "linear/linear.h"

enum calibration_kind { CALIBRATE_PLATT, CALIBRATE_ISOTONIC, CALIBRATE_TEMPERATURE, CALIBRATIONS };
extern const char *const calibration_names[CALIBRATIONS];

enum { KNOT_CLASS, KNOT_SCORE, KNOT_P, KNOT_NUMBERS };

struct calibration {
    enum calibration_kind kind;
    size_t classes;   /* K */
    size_t functions; /* 1 or K */
    /* platt: slope and intercept of the log-odds, functions x 2. temperature: T. isotonic: knots, each
       with the number of its function, a score and a probability. */
    double *numbers;
    size_t rows, cols;
    size_t *start; /* isotonic: the knots of function f are start[f] .. start[f+1]-1 */
    /* Of the fit, and not kept in a file: mean log-losses of the rows held out, before (NaN: there were no
       probabilities) and after. */
    size_t folds;
    double loss_before, loss_after;
};

/* Rows of zeros to be filled in, `rows` of them; for isotonic regression the knots of all functions. */
sepal_status calibration_new(struct calibration **out, sepal_ctx *ctx, enum calibration_kind kind,
                             size_t classes, size_t rows);
void calibration_free(struct calibration *calibration);
/* Numbers of a row of them, and how many rows there are (0: as many as there are knots). */
size_t calibration_width(enum calibration_kind kind);
size_t calibration_functions(enum calibration_kind kind, size_t classes);
/* Whether the numbers are those of a calibration; finds where the knots of each function begin. */
bool calibration_is_sound(struct calibration *calibration);

/* What it is a function of: K numbers of a row, 1 of two classes. Decision values; of a class against the
   rest those that rank its rows, since scores of a linear machine may have any function in common. */
void calibration_inputs(const struct linear *linear, enum calibration_kind kind,
                        const double *scores, double *out);
/* Decision values into these. */
void calibration_rank(const struct linear *linear, enum calibration_kind kind, double *values);

/* The probabilities of such inputs and their logarithms, in place: K numbers. shift NULL, or K numbers that
   changed priors add to the logarithms. */
void calibration_probabilities(const struct calibration *calibration, const double *shift,
                               double *numbers);
void calibration_logs(const struct calibration *calibration, const double *shift, double *numbers);
/* The logarithm of the odds of the second of two classes. */
double calibration_log_odds(const struct calibration *calibration, double score);

/* Rows to fit to: n x (K or 1) inputs, their classes and weights (NULL: all 1). */
struct calibration_rows {
    const double *inputs;
    const int32_t *label;
    const double *weight;
    size_t n;
};
sepal_status calibration_fit(struct calibration **out, sepal_ctx *ctx, enum calibration_kind kind,
                             size_t classes, const struct calibration_rows *rows);

/* One function f (of class f, or the second of two), fitted by each method. */
void calibration_fit_platt(double line[2], const struct calibration_rows *rows, size_t stride,
                           size_t f, int32_t class);
double calibration_fit_temperature(const struct calibration_rows *rows, size_t classes);
/* Knots to `out`, which has room for n of them; how many there are to *used. */
sepal_status calibration_fit_isotonic(double *out, size_t *used, sepal_ctx *ctx,
                                      const struct calibration_rows *rows, size_t stride, size_t f,
                                      int32_t class);

static inline double calibration_weight(const struct calibration_rows *rows, size_t i) {
    return rows->weight ? rows->weight[i] : 1;
}

#endif
