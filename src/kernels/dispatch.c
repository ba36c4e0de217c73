/* Which kernel set to use on this machine. */
#include "kernels/sets.h"

#include <stdlib.h>
#include <string.h>

const struct kernels *kernels_choose(void) {
    const char *name = getenv("SEPAL_KERNELS");
    if (name != NULL && strcmp(name, "ref") == 0) return &kernels_reference;
#if KERNELS_HAVE_AVX2
    /* Asks the operating system too: it must save the wide registers. */
    if (__builtin_cpu_supports("avx2")) return &kernels_avx2;
#endif
    return &kernels_reference;
}
