/* Dense matrix arithmetic on row-major arrays: OpenBLAS/LAPACK where the build has it, built-in
   loops where not. One BLAS thread always: threading inside BLAS changes the last bits, and our
   own parallelism over fixed tiles is as fast. */
#ifndef SEPAL_KERNELS_BLAS_H
#define SEPAL_KERNELS_BLAS_H

#include <stdbool.h>
#include <stddef.h>

struct blas {
    bool slow; /* the reference BLAS: 15 times slower than OpenBLAS */
    /* C (m x n) = beta C + A' B, with A (k x m), B (k x n); ld* = elements from row to row */
    void (*gemm_tn)(size_t m, size_t n, size_t k, const double *a, size_t lda, const double *b,
                    size_t ldb, double beta, double *c, size_t ldc);
    /* C (m x n) = A B, with A (m x k), B (k x n) */
    void (*gemm_nn)(size_t m, size_t n, size_t k, const double *a, size_t lda, const double *b,
                    size_t ldb, double *c, size_t ldc);
    /* upper triangle of C (n x n) = beta C + A' A, with A (k x n) */
    void (*syrk_t)(size_t n, size_t k, const double *a, size_t lda, double beta, double *c,
                   size_t ldc);
    /* the same for singles, without what C held; NULL: there is none. Products and sums of integers
       are exact as long as all of them are at most 2^24. */
    void (*syrk_t_single)(size_t n, size_t k, const float *a, size_t lda, float *c, size_t ldc);
    void (*gemm_tn_single)(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b,
                           size_t ldb, float *c, size_t ldc);
    void (*gemm_nn_single)(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b,
                           size_t ldb, float *c, size_t ldc);
    /* A = R'R from the upper triangle, in place; false when A is not positive definite */
    bool (*cholesky)(size_t n, double *a, size_t lda);
    /* B (n x k) = inverse(R'R) B, in place */
    void (*cholesky_solve)(size_t n, const double *r, size_t ldr, size_t k, double *b, size_t ldb);
    /* X (m x n) = X inverse(R), in place; R upper triangular */
    void (*right_solve)(size_t m, size_t n, const double *r, size_t ldr, double *x, size_t ldx);
    /* the triangular factor of A (m x n): on return rows 0 .. min(m,n)-1 hold R, and everything
       below the diagonal is zero. `work` has blas_qr_work(m, n) doubles. */
    void (*qr_r)(size_t m, size_t n, double *a, size_t lda, double *work);
};

size_t blas_qr_work(size_t m, size_t n);

extern const struct blas blas_builtin;
const struct blas *blas_choose(void);
/* "OpenBLAS 0.3.21", "reference BLAS", "built-in" */
void blas_describe(char *out, size_t room);

/* The library keeps one thread count for the whole process. Between these two calls it is one, so
   that results do not depend on it; the last to leave puts back what was. They stand in pipeline_fit
   and model_predict: whatever else multiplies matrices is called from there. */
void blas_enter(void);
void blas_leave(void);

#endif
