/* What a multi-class strategy is: a row of a table. It says which score functions K classes have, and
   how the scores of a row are decoded into a class. A new one is one file and one line in
   strategies.def. */
#ifndef SEPAL_LINEAR_STRATEGY_H
#define SEPAL_LINEAR_STRATEGY_H

#include "linear/linear.h"

#include <math.h>

/* Where a row lies: rules made of two-class decisions leave regions that no class, or more than one,
   has a right to. */
enum region { REGION_CLEAR, REGION_SEVERAL, REGION_NONE, REGION_TIED, REGIONS };

#define ALL_OTHERS SIZE_MAX /* as a side of a two-class problem: every class but the other side's */

struct strategy {
    const char *name, *summary;
    const char *decode;  /* the name of its rule in model files */
    enum link link;      /* what makes probabilities of scores that are logarithms of them */
    bool sets;           /* a row has any number of the classes, which are called labels then */
    bool joint;          /* the learner fits all functions together, not a problem each */
    size_t most_classes; /* 0: any number */
    /* R for K classes; SIZE_MAX when a size_t does not hold it. */
    size_t (*functions)(size_t classes);
    /* The classes that function r tells apart, the one of high scores last. */
    void (*sides)(size_t r, size_t classes, size_t sides[2]);
    /* The class, in ambiguous regions by confidence; the first on ties. */
    int32_t (*decide)(const struct linear *linear, const double *scores);
    enum region (*region)(const struct linear *linear, const double *scores); /* NULL: clear */
    /* One number a class for users; NULL: the scores. */
    void (*show)(const struct linear *linear, const double *scores, double *out);
    /* The same with ties broken, as scikit-learn's decision_function has them: what a calibration is a
       function of. NULL: those shown. */
    void (*decision_values)(const struct linear *linear, const double *scores, double *out);
    /* What ranks the rows of a class, from the numbers shown, in place; NULL: these themselves. */
    void (*rank)(const struct linear *linear, double *shown);
    /* How far inside of each class's region: `norm` of the functions' weights, of joint ones R x R of
       their differences. */
    void (*distances)(const struct linear *linear, const double *norm, const double *scores,
                      double *out);
};

extern const struct strategy strategy_sign;   /* two classes, one function */
extern const struct strategy strategy_labels; /* any number of labels, a function each */
#define STRATEGY(name) extern const struct strategy strategy_##name;
#include "linear/strategies.def"
#undef STRATEGY

extern const struct strategy *const strategy_table[]; /* of more than two classes; ends with NULL */
const struct strategy *strategy_find(const char *name);
/* By the name of its rule in model files, those that are not in the table included. */
const struct strategy *strategy_of_decode(const char *decode);
/* K of R functions; 0: no number of classes has so many. */
size_t strategy_classes(const struct strategy *strategy, size_t functions);

/* For the rows: one function for each class, which has the high scores of it. */
size_t strategy_each_class(size_t classes);
void strategy_against_rest(size_t r, size_t classes, size_t sides[2]);
int32_t strategy_largest(const struct linear *linear, const double *scores);
/* One or more functions claim a row, by a score of at least 0. */
size_t strategy_claims(const struct linear *linear, const double *scores);
/* Numbers of the classes from `first` on: how far each stands above the best of the others. */
void strategy_margins(const struct linear *linear, double *shown, size_t first);
/* Distances to the functions' own hyperplanes. */
void strategy_own_distances(const struct linear *linear, const double *norm, const double *scores,
                            double *out);
static inline double distance_of(double score, double norm) {
    return norm > 0 ? score / norm : NAN;
}

/* What its functions are of, in messages. */
static inline const char *strategy_members(const struct strategy *strategy) {
    return strategy->sets ? "labels" : "classes";
}

/* Classes i < j of the pair r among K. */
void pair_classes(size_t r, size_t classes, size_t pair[2]);

#endif
