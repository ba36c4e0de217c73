/* What the learners that look at class means and scatter share: their parameters, the place of the threshold,
   the linear discriminant of K classes, and its report. */
#ifndef SEPAL_LEARNERS_DISCRIMINANT_H
#define SEPAL_LEARNERS_DISCRIMINANT_H

#include "learners/learner.h"
#include "statistics/whiten.h"

/* ---- parameters (discriminant_parameters.c) */
#define SHRINKAGE_HELP                                                                             \
    "none, auto (Ledoit and Wolf, in units of standard deviations) or a number from 0 to 1: the "  \
    "part of the identity in a covariance"
enum estimate { ESTIMATE_ML, ESTIMATE_UNBIASED };
#define ESTIMATE_WORDS "ml|unbiased"
/* NaN: auto. */
sepal_status shrinkage_read(double *out, sepal_ctx *ctx, const char *owner, const char *text);
/* What a fit with that shrinkage has to know, of one that has to know `know` without. */
enum parts_know shrinkage_knows(const char *text, enum parts_know know, bool *free);
/* K priors: "LABEL:P,..." or P,P,... in the order of the classes; NULL: from the class weights. */
sepal_status priors_read(double *out, sepal_ctx *ctx, const char *owner, const char *text,
                         const struct schema *schema, const double *class_weight);

/* ---- the start of a fit: fit->linear with its centre, and the class means around it */
sepal_status scatter_start(struct scatter *out, struct fit *fit);
/* What a singular within-class scatter matrix comes from and what was done about it; nothing where
   text columns are to blame, which always are dependent. */
void warn_of_rank(struct fit *fit, const struct scatter *s, size_t rank, const char *done);

/* ---- two classes (threshold.c) */
enum threshold { THRESHOLD_MIDPOINT, THRESHOLD_MEAN, THRESHOLD_GAUSS };
#define THRESHOLD_WORDS "midpoint|mean|gauss"
#define THRESHOLD_HELP                                                                             \
    "where class 2 begins: midway between the class means, at the mean of all rows, or where the " \
    "normal densities of the projected classes cross"
/* fit->linear's only bias, for its weights. */
sepal_status threshold_place(struct fit *fit, const struct scatter *s, enum threshold threshold);
/* The means coincide, up to rounding. */
bool means_coincide(const struct scatter *s);

/* ---- K classes (discriminant.c) */
struct discriminant {
    struct fit *fit;
    struct scatter s;
    struct whitener whitener;
    double alpha;         /* shrinkage; NaN: auto */
    double divisor;       /* the covariance is S_W / divisor */
    const double *priors; /* K */
    size_t axes;          /* 0: as many as there are */
};
/* Scores, priors, axes, the objective, and facts for the report. */
sepal_status discriminant_fit(struct discriminant *d);

/* Facts for the report; J that is not finite is null. */
void discriminant_report(struct fit *fit, double j, const double *eigenvalue, size_t n,
                         double alpha);
/* fit->solver and fit->words. */
void discriminant_words(struct fit *fit, const struct whitener *whitener, bool asked_auto);
/* A total weight of so many rows less the number of means that were fitted; 0 where the two differ by
   no more than the rounding of that sum. */
double freedom_of(double weight, size_t rows, size_t means);
/* The divisor of a pooled scatter matrix. */
sepal_status pooled_divisor(double *out, const struct scatter *s, enum estimate estimate);

#endif
