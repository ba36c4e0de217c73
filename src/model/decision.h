/* What a decision is: a row of a table, the way from scores and probabilities to a class. A new one is
   one file and one line in decisions.def. */
#ifndef SEPAL_MODEL_DECISION_H
#define SEPAL_MODEL_DECISION_H

#include "linear/decide.h"

struct decision_input {
    const struct linear *linear;
    const double *scores;
    const double *p; /* K probabilities, if the decision needs them, there is a cutoff, or they are
                        calibrated */
    double cutoff;   /* NaN: none */
    uint64_t seed;
    size_t row;
};

struct decision {
    const char *name, *summary;
    bool probabilities; /* needs them, even without a cutoff */
    bool abstains;      /* may leave rows undecided */
    double cutoff;      /* unless one is given; NaN: none */
    /* Why there can be no cutoff, as an error. */
    sepal_status (*check_cutoff)(sepal_ctx *ctx, const struct linear *linear);
    int32_t (*decide)(const struct decision_input *in); /* -1: undecided */
    /* Whether the row has label k, where it has a set of them. NULL: labels cannot be decided so. */
    bool (*has_label)(const struct decision_input *in, size_t k);
    const char *words;          /* in reports, without a cutoff */
    const char *with_cutoff[2]; /* before and behind its number */
};

#define DECISION(name) extern const struct decision decision_##name;
#define FIRST_DECISION(name) DECISION(name)
#include "model/decisions.def"
#undef DECISION
/* The numbers that options have. */
#define DECISION(name) DECIDE_##name,
enum {
#include "model/decisions.def"
    DECISIONS
};
#undef DECISION
#undef FIRST_DECISION

extern const struct decision *const decision_table[DECISIONS];
int decision_find(const char *name); /* DECISIONS: there is no such */
/* The most probable class of a calibrated model, where the order of scores need not be that of the
   probabilities: the second of two from 0.5 on, of more the first of the largest. Of any other, what the
   scores say. */
int32_t decision_most_probable(const struct decision_input *in);

#endif
