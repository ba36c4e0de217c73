/* What the files of the gaussian learner share. */
#ifndef SEPAL_LEARNERS_GAUSSIAN_H
#define SEPAL_LEARNERS_GAUSSIAN_H

#include "learners/discriminant.h"

/* In the order of the parameter's words. */
enum covariance { COVARIANCE_FULL, COVARIANCE_SHARED, COVARIANCE_DIAGONAL, COVARIANCE_SPHERICAL };

struct gaussian_config {
    int covariance, estimate;
    const char *shrinkage;
};

struct gaussian {
    struct fit *fit;
    const struct gaussian_config *config;
    struct scatter s;
    size_t classes, cols;
    double alpha;     /* shrinkage asked for; NaN: auto */
    double intensity; /* the largest that was used */
    double *squares;  /* of each class: sum of (x - m_k)' inverse(covariance) (x - m_k) */
};

/* A covariance made of a scatter matrix S: ((1 - alpha) S + ridge I) / divisor. */
struct shrunk {
    size_t cols;
    double alpha, trace, ridge, divisor; /* trace: of S */
    const double *inverse_unit;          /* of the units that S is in; NULL: as given */
};
/* tr(inverse(covariance) S), from tr(inverse((1 - alpha) S + ridge I)). */
double gaussian_trace(const struct shrunk *c, double trace_of_inverse);
/* The latter, from the factor of unit diagonal that cholesky_scaled makes; `work` has n times
   GAUSSIAN_PANEL numbers. */
enum { GAUSSIAN_PANEL = 64 };
struct blas;
double trace_of_inverse(const double *r, size_t n, const double *scale, double *work,
                        const struct blas *blas);

/* Roots of the density, made from the class means that it has (gaussian_full.c,
   gaussian_variances.c), and g->squares. */
sepal_status gaussian_full(struct gaussian *g);
sepal_status gaussian_variances(struct gaussian *g);
/* The model fits into memory. */
sepal_status gaussian_check_size(const struct gaussian *g);

#endif
