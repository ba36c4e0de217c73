/* The number by which specs are judged and chosen. */
#ifndef SEPAL_SELECTION_MEASURE_H
#define SEPAL_SELECTION_MEASURE_H

#include "selection/trials.h"

struct measure {
    const char *name; /* "macro.f1", "positive.f1" */
    const char *path; /* in a judgement: "per_class.1.f1" */
    int better;       /* 1: more of it, -1: less */
    bool probabilities;
};

/* Whether a spec and the options of its fits can be understood, and have a place where rows are held out. */
sepal_status measure_check_fit(sepal_ctx *ctx, const char *spec, const char *fit_options);
/* Whether there is such a number. NULL: it is left to the candidates. */
sepal_status measure_check(sepal_ctx *ctx, const char *name);
/* NULL: log_loss where all candidates have probabilities, else accuracy. A number of classes, as f1, is the
   mean over them, macro.f1; positive.f1 is that of the positive class (NULL: the second). Refused where a
   candidate cannot have it. */
sepal_status measure_find(struct measure *out, sepal_ctx *ctx, struct arena *arena,
                          const char *name, const char *positive, const sepal_data *data,
                          const struct candidate *candidates, size_t n);
/* SEPAL_EDATA unless some candidate has it on some split; a warning where splits are without it. */
sepal_status measure_check_trials(const struct measure *measure, const struct trials *trials);
/* Which class two-class measures are about. */
sepal_status measure_positive(size_t *out, sepal_ctx *ctx, const sepal_data *data,
                              const char *positive);

/* What is of the positive one of two classes is refused of others. */
sepal_status measure_check_two(sepal_ctx *ctx, const char *name, const sepal_data *data);

/* Whether it says something of one row, and so its mean over single rows something of all. */
bool measure_of_single_rows(const char *name);
/* Refused where rows are held out one at a time and it says nothing of one. */
sepal_status measure_check_loo(sepal_ctx *ctx, const char *name, bool loo);

#endif
