/* What the files of the perceptron share: its settings, the state of one run, and the rule of
   the rule for a single example. Weights are always w~ = (b, w), of x~ = (1, x), or of x
   alone without a bias. */
#ifndef SEPAL_LEARNERS_PERCEPTRON_H
#define SEPAL_LEARNERS_PERCEPTRON_H

#include "learners/learner.h"

/* In the order of the parameters' words. */
enum perceptron_variant { ONLINE, BATCH, MINIBATCH, DELTA, POCKET, AVERAGED };
enum perceptron_mode { MODE_ONLINE, MODE_BATCH, MODE_MINIBATCH };

struct perceptron_config {
    int variant, mode;
    double eta, theta;
    size_t epochs, batch;
    bool shuffle, bias;
};

/* R rows of weights and their biases; two classes have one row, whose sign is class 1. */
struct weights {
    double *w; /* R x cols */
    double *b; /* R */
};

struct example {
    const struct block *block;
    size_t i; /* row of the block */
    int32_t label;
    double weight;
};

struct perceptron {
    struct fit *fit;
    const struct perceptron_config *config;
    const sepal_data *data;
    const struct matrix *matrix;
    const struct kernels *kernels;
    size_t rows, cols; /* of the weights */
    size_t limit;      /* most epochs */
    double step;       /* eta, 2 eta, 2 eta / B or 2 eta / N */

    struct weights start;  /* where the run began; w is NULL: at 0 */
    struct weights now;    /* the current weights: those of fit->linear */
    struct weights result; /* what pocket and averaged return; else w is NULL */
    uint32_t *order;       /* rows in this epoch's order; NULL: as they are */

    size_t epochs;       /* run, or begun when interrupted */
    size_t updates;      /* single examples that were added */
    size_t mistakes;     /* of this epoch so far, for progress lines */
    size_t work;         /* numbers read since the user was asked */
    bool proved;         /* the update was exactly 0: not separable */
    double small_update; /* norm at which theta stopped the run; NaN: it did not */
};

/* ---- one example (perceptron_rule.c) */
struct example perceptron_example(const struct perceptron *p, size_t row);
/* What has to be positive: t w~.x~, or (w_y - w_rival).x~ against the best other class, the first
   on ties. Training counts anything else as a mistake. */
double perceptron_margin(const struct perceptron *p, const struct weights *at,
                         const struct example *x, int32_t *rival);
double perceptron_margin_against(const struct perceptron *p, const struct weights *at,
                                 const struct example *x, int32_t rival);
/* Whether a row with that margin is predicted wrongly: here a tie is decided, not a mistake. */
bool perceptron_errs(const struct perceptron *p, double margin, int32_t label, int32_t rival);
/* to += a t x~, or to_y += a x~ and to_rival -= a x~. */
void perceptron_add(const struct perceptron *p, struct weights *to, const struct example *x,
                    int32_t rival, double a);

/* ---- all weights, all rows (perceptron_rule.c) */
sepal_status weights_make(struct weights *out, const struct perceptron *p); /* zeroed */
void weights_copy(const struct perceptron *p, struct weights *to, const struct weights *from);
void weights_add(const struct perceptron *p, struct weights *to, double a,
                 const struct weights *from);
double weights_norm(const struct perceptron *p, const struct weights *weights);
double weights_dot(const struct perceptron *p, const struct weights *a, const struct weights *b);
double perceptron_row_norm(const struct perceptron *p, const struct example *x); /* of x~ */
/* The epoch's order: a permutation that depends on the seed and the epoch alone. */
sepal_status perceptron_shuffle(struct perceptron *p, size_t epoch);
/* True when no row is a mistake. */
sepal_status perceptron_is_clean(bool *out, struct perceptron *p);
/* Count `rows` as read, and ask now and then whether to stop. */
bool perceptron_stops(struct perceptron *p, size_t rows);
sepal_status perceptron_overflow(const struct perceptron *p);

/* ---- the runs */
sepal_status perceptron_online(struct perceptron *p);    /* one example at a time */
sepal_status perceptron_batch(struct perceptron *p);     /* all mistakes at once */
sepal_status perceptron_minibatch(struct perceptron *p); /* those of some rows at once */

/* ---- the pocket: the best weights seen (perceptron_pocket.c) */
struct pocket;
/* Begins with the weights as they are. */
sepal_status pocket_make(struct pocket **out, struct perceptron *p);
/* The weights have just changed. */
sepal_status pocket_offer(struct pocket *pocket);

/* ---- what is told (perceptron_trace.c, perceptron_report.c) */
sepal_status perceptron_trace_step(struct perceptron *p, const struct example *x, int32_t rival,
                                   double before);
sepal_status perceptron_trace_batch(struct perceptron *p, size_t update, size_t examples);
/* Whether a run that did not end clean could have, and a warning if not (perceptron_proof.c). */
enum perceptron_chance { CHANCE_UNKNOWN, CHANCE_LATER, CHANCE_NEVER };
sepal_status perceptron_prove(enum perceptron_chance *out, struct perceptron *p);
/* Put the result into fit->linear and fill in the rest of the fit. */
sepal_status perceptron_finish(struct perceptron *p);

#endif
