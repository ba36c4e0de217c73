/* Which kernel set to use on this machine. */
#include "kernels/sets.h"

#include <stdlib.h>
#include <string.h>

#if KERNELS_HAVE_AVX2
/* They ask the operating system too: it must save the wide registers. Of the processors with AVX-512 those
   before VBMI2 (2019) become slower for all they do when they meet such vectors. */
static bool can_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vbmi2");
}

static bool can_avx2(void) {
    return __builtin_cpu_supports("avx2");
}
#endif

size_t kernels_usable(const struct kernels *sets[KERNEL_SETS]) {
    size_t count = 0;
#if KERNELS_HAVE_AVX2
    if (can_avx512()) sets[count++] = &kernels_avx512;
    if (can_avx2()) sets[count++] = &kernels_avx2;
#endif
    sets[count++] = &kernels_reference;
    return count;
}

const struct kernels *kernels_choose(void) {
    const struct kernels *sets[KERNEL_SETS];
    const char *name = getenv("SEPAL_KERNELS");
    size_t count = kernels_usable(sets);
    for (size_t i = 0; name && i < count; i++)
        if (strcmp(name, sets[i]->name) == 0) return sets[i];
    return name && strcmp(name, "ref") == 0 ? &kernels_reference : sets[0];
}
