/* What a generative model knows of x in each class, one form a class:

       gaussian     ln p(x) = constant - 1/2 |(x - c - mean) inverse(R)|^2,  covariance R'R
       multinomial  ln p(x) = sum x_j mean_j + ln (sum x_j)! - sum ln x_j!
       bernoulli    ln p(x) = constant + sum over x_j > 0 of (mean_j - ln(1 - e^mean_j))

   The forms of `full`, `diagonal` and `spherical` covariances are the scores themselves, which are
   then quadratic; the others are kept for likelihoods and samples, and the scores are linear. A
   strategy has two forms for each of its two-class problems, the first class's form first. */
#ifndef SEPAL_LINEAR_DENSITY_H
#define SEPAL_LINEAR_DENSITY_H

#include "data/matrix.h"

enum density_kind {
    DENSITY_SHARED,    /* root: one cols x cols factor R, upper triangular */
    DENSITY_FULL,      /* root: such a factor for each form */
    DENSITY_DIAGONAL,  /* root: standard deviations, forms x cols */
    DENSITY_SPHERICAL, /* root: one for each form */
    DENSITY_MULTINOMIAL,
    DENSITY_BERNOULLI, /* both without root; mean: ln of the probability of each column */
    DENSITY_KINDS
};
extern const char *const density_names[DENSITY_KINDS];

struct density {
    enum density_kind kind;
    size_t forms, cols;
    double *mean;     /* forms x cols, less the centre of the model */
    double *root;     /* density_root_size numbers; NULL: none */
    double *constant; /* forms */
};

/* Zeroed arrays of the right sizes. */
sepal_status density_new(struct density **out, sepal_ctx *ctx, enum density_kind kind, size_t forms,
                         size_t cols);
void density_free(struct density *density);
/* How many numbers `root` has; SIZE_MAX when a size_t does not hold it. */
size_t density_root_size(enum density_kind kind, size_t forms, size_t cols);
static inline bool density_is_quadratic(const struct density *density) {
    return density && (density->kind == DENSITY_FULL || density->kind == DENSITY_DIAGONAL ||
                       density->kind == DENSITY_SPHERICAL);
}
/* Of gaussian forms with roots of their own, at a point (less the centre of the model; NULL: there):
   ln p, and its slopes, forms x cols. */
struct blas;
void density_tangent(double *logs, double *slopes, const struct density *density,
                     const double *point, const struct blas *blas);
/* The constants of gaussian forms from their roots: -cols/2 ln(2 pi) - ln det R. */
void density_normalise(struct density *density);

/* ln p of rows [first, first + n) of a block in every form: n x forms numbers. `centre`: of the
   model, may be NULL. */
sepal_status density_logs(double *out, sepal_ctx *ctx, const struct density *density,
                          const double *centre, const struct block *block, size_t first, size_t n);

#endif
