/* The BLAS and LAPACK library of the build, and the choice between it and the built-in loops.
   Fortran sees a row-major array as the column-major transpose: upper triangles become lower ones,
   A'B becomes B A', and the R of a QR factorisation becomes the L of an LQ factorisation.
   Sizes that do not fit Fortran's INTEGER go to the built-in loops. */
#include "kernels/blas.h"

#ifdef SEPAL_WITH_BLAS

#include <limits.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>

/* The trailing sizes are the lengths of the character arguments, hidden in gfortran's calls. */
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc, size_t, size_t);
void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *beta, double *c, const int *ldc, size_t,
            size_t);
void sgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
            const float *beta, float *c, const int *ldc, size_t, size_t);
void ssyrk_(const char *uplo, const char *trans, const int *n, const int *k, const float *alpha,
            const float *a, const int *lda, const float *beta, float *c, const int *ldc, size_t,
            size_t);
void dtrsv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *a,
            const int *lda, double *x, const int *incx, size_t uplo_length, size_t trans_length,
            size_t diag_length);
void dtrsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
            const int *n, const double *alpha, const double *a, const int *lda, double *b,
            const int *ldb, size_t, size_t, size_t, size_t);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t);
void dgelqf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work,
             const int *lwork, int *info);

/* Only OpenBLAS has these. With Debian's alternatives libblas.so.3 does not export them itself but
   needs libopenblas.so.0, which does, so they are found when the program is loaded. */
char *openblas_get_config(void) __attribute__((weak));

static const double one = 1;

static bool fits(size_t a, size_t b, size_t c, size_t d) {
    return a <= INT_MAX && b <= INT_MAX && c <= INT_MAX && d <= INT_MAX;
}

/* Below this the library's set-up costs more than its speed gains, and cold code more than either. */
enum { SMALL_TRIANGLE = 32, SMALL_PRODUCT = 16 };

static void library_gemm_tn(size_t m, size_t n, size_t k, const double *a, size_t lda,
                            const double *b, size_t ldb, double beta, double *c, size_t ldc) {
    if (m == 0 || n == 0) return;
    if (!fits(m, n, k, lda) || !fits(ldb, ldc, 0, 0)) {
        blas_builtin.gemm_tn(m, n, k, a, lda, b, ldb, beta, c, ldc);
        return;
    }
    int fm = (int)m, fn = (int)n, fk = (int)k, flda = (int)lda, fldb = (int)ldb, fldc = (int)ldc;
    dgemm_("N", "T", &fn, &fm, &fk, &one, b, &fldb, a, &flda, &beta, c, &fldc, 1, 1);
}

static void library_gemm_nn(size_t m, size_t n, size_t k, const double *a, size_t lda,
                            const double *b, size_t ldb, double *c, size_t ldc) {
    static const double nothing = 0;
    if (m == 0 || n == 0) return;
    if (!fits(m, n, k, lda) || !fits(ldb, ldc, 0, 0)) {
        blas_builtin.gemm_nn(m, n, k, a, lda, b, ldb, c, ldc);
        return;
    }
    int fm = (int)m, fn = (int)n, fk = (int)k, flda = (int)lda, fldb = (int)ldb, fldc = (int)ldc;
    dgemm_("N", "N", &fn, &fm, &fk, &one, b, &fldb, a, &flda, &nothing, c, &fldc, 1, 1);
}

static void library_syrk_t(size_t n, size_t k, const double *a, size_t lda, double beta, double *c,
                           size_t ldc) {
    if (n == 0) return;
    if (n <= SMALL_PRODUCT || !fits(n, k, lda, ldc)) {
        blas_builtin.syrk_t(n, k, a, lda, beta, c, ldc);
        return;
    }
    int fn = (int)n, fk = (int)k, flda = (int)lda, fldc = (int)ldc;
    dsyrk_("L", "N", &fn, &fk, &one, a, &flda, &beta, c, &fldc, 1, 1);
}

/* Callers take panels of rows, which are far from Fortran's largest INTEGER. */
static void syrk_t_single(size_t n, size_t k, const float *a, size_t lda, float *c, size_t ldc) {
    const float once = 1, nothing = 0;
    int fn = (int)n, fk = (int)k, flda = (int)lda, fldc = (int)ldc;
    ssyrk_("L", "N", &fn, &fk, &once, a, &flda, &nothing, c, &fldc, 1, 1);
}

static void gemm_single(const char *which, size_t m, size_t n, size_t k, const float *a, size_t lda,
                        const float *b, size_t ldb, float *c, size_t ldc) {
    const float once = 1, nothing = 0;
    int fm = (int)m, fn = (int)n, fk = (int)k, flda = (int)lda, fldb = (int)ldb, fldc = (int)ldc;
    sgemm_("N", which, &fn, &fm, &fk, &once, b, &fldb, a, &flda, &nothing, c, &fldc, 1, 1);
}

static void gemm_tn_single(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b,
                           size_t ldb, float *c, size_t ldc) {
    gemm_single("T", m, n, k, a, lda, b, ldb, c, ldc);
}

static void gemm_nn_single(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b,
                           size_t ldb, float *c, size_t ldc) {
    gemm_single("N", m, n, k, a, lda, b, ldb, c, ldc);
}

static bool library_cholesky(size_t n, double *a, size_t lda) {
    if (n == 0) return true;
    if (n <= SMALL_TRIANGLE || !fits(n, lda, 0, 0)) return blas_builtin.cholesky(n, a, lda);
    int fn = (int)n, flda = (int)lda, info = 0;
    dpotrf_("L", &fn, a, &flda, &info, 1);
    if (info != 0) return false;
    /* Not every library notices that a pivot is not a number. */
    for (size_t i = 0; i < n; i++) {
        if (!(a[i * lda + i] > 0) || !isfinite(a[i * lda + i])) return false;
    }
    return true;
}

static void library_cholesky_solve(size_t n, const double *r, size_t ldr, size_t k, double *b,
                                   size_t ldb) {
    if (n == 0 || k == 0) return;
    bool small = n <= SMALL_TRIANGLE && k <= SMALL_PRODUCT;
    if (small || !fits(n, ldr, k, ldb)) {
        blas_builtin.cholesky_solve(n, r, ldr, k, b, ldb);
        return;
    }
    int fn = (int)n, fk = (int)k, fldr = (int)ldr, fldb = (int)ldb;
    if (k == 1) { /* which copies no triangle */
        dtrsv_("L", "N", "N", &fn, r, &fldr, b, &fldb, 1, 1, 1);
        dtrsv_("L", "T", "N", &fn, r, &fldr, b, &fldb, 1, 1, 1);
        return;
    }
    dtrsm_("R", "L", "T", "N", &fk, &fn, &one, r, &fldr, b, &fldb, 1, 1, 1, 1);
    dtrsm_("R", "L", "N", "N", &fk, &fn, &one, r, &fldr, b, &fldb, 1, 1, 1, 1);
}

static void library_right_solve(size_t m, size_t n, const double *r, size_t ldr, double *x,
                                size_t ldx) {
    if (m == 0 || n == 0) return;
    if (!fits(m, n, ldr, ldx)) {
        blas_builtin.right_solve(m, n, r, ldr, x, ldx);
        return;
    }
    int fm = (int)m, fn = (int)n, fldr = (int)ldr, fldx = (int)ldx;
    dtrsm_("L", "L", "N", "N", &fn, &fm, &one, r, &fldr, x, &fldx, 1, 1, 1, 1);
}

static void library_qr_r(size_t m, size_t n, double *a, size_t lda, double *work) {
    if (m == 0 || n == 0) return;
    size_t steps = m < n ? m : n;
    size_t room = blas_qr_work(m, n) - steps;
    if (!fits(m, n, lda, 0)) {
        blas_builtin.qr_r(m, n, a, lda, work);
        return;
    }
    int fm = (int)m, fn = (int)n, flda = (int)lda, info = 0;
    int froom = room < INT_MAX ? (int)room : INT_MAX;
    dgelqf_(&fn, &fm, a, &flda, work, work + steps, &froom, &info);
    for (size_t i = 1; i < m; i++) {
        size_t below = i < n ? i : n;
        memset(a + i * lda, 0, below * sizeof *a);
    }
}

#define LIBRARY_CALLS                                                                              \
    .gemm_tn = library_gemm_tn, .gemm_nn = library_gemm_nn, .syrk_t = library_syrk_t,              \
    .syrk_t_single = syrk_t_single, .gemm_tn_single = gemm_tn_single,                              \
    .gemm_nn_single = gemm_nn_single, .cholesky = library_cholesky,                                \
    .cholesky_solve = library_cholesky_solve, .right_solve = library_right_solve,                  \
    .qr_r = library_qr_r

static const struct blas library_openblas = {.slow = false, LIBRARY_CALLS};
static const struct blas library_reference = {.slow = true, LIBRARY_CALLS};

/* OpenBLAS maps a buffer for each thread that calls it, and if there is no room for one it tries
   again for ever. So whether there is room is asked first. */
static bool room_for_buffers(void) {
    enum { CALLERS = 4 };
    const size_t buffer = (size_t)1 << 27; /* BUFFER_SIZE of its x86-64 builds */
    void *room = mmap(NULL, CALLERS * buffer, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) return false;
    munmap(room, CALLERS * buffer);
    return true;
}

const struct blas *blas_choose(void) {
    if (openblas_get_config == NULL) return &library_reference;
    return room_for_buffers() ? &library_openblas : &blas_builtin;
}

/* The first two words of "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...". */
void blas_describe(char *out, size_t room) {
    const char *line = openblas_get_config != NULL ? openblas_get_config() : "reference BLAS";
    if (blas_choose() == &blas_builtin) line = "built-in";
    size_t length = strcspn(line, " ");
    if (line[length] == ' ') length += 1 + strcspn(line + length + 1, " ");
    if (length >= room) length = room - 1;
    memcpy(out, line, length);
    out[length] = '\0';
}

#else

#include <stdio.h>

const struct blas *blas_choose(void) {
    return &blas_builtin;
}

void blas_describe(char *out, size_t room) {
    snprintf(out, room, "built-in");
}

#endif
