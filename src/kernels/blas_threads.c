/* The number of threads that OpenBLAS uses is a global of that library, one for the whole process. So
   its users are counted for the process too, in the only variables of ours that are not in a
   context: with two contexts at work, the first to finish must not give threads back under the
   other's hands, and the second must not take the 1 it found for the number to restore. */
#include "kernels/blas.h"

#ifdef SEPAL_WITH_BLAS

#include "core/lock.h"

int openblas_get_num_threads(void) __attribute__((weak));
void openblas_set_num_threads(int threads) __attribute__((weak));

static struct lock blas_threads_lock = LOCK_INIT;
static int blas_threads_users, blas_threads_before;

void blas_enter(void) {
    if (openblas_get_num_threads == NULL || openblas_set_num_threads == NULL) return;
    lock_take(&blas_threads_lock);
    if (blas_threads_users++ == 0) {
        blas_threads_before = openblas_get_num_threads();
        openblas_set_num_threads(1);
    }
    lock_give(&blas_threads_lock);
}

void blas_leave(void) {
    if (openblas_get_num_threads == NULL || openblas_set_num_threads == NULL) return;
    lock_take(&blas_threads_lock);
    if (--blas_threads_users == 0) openblas_set_num_threads(blas_threads_before);
    lock_give(&blas_threads_lock);
}

#else

void blas_enter(void) {}

void blas_leave(void) {}

#endif
