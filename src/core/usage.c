/* Linux tells the peak of this program in /proc; getrusage's number may be left over from the program
   that started this one, so it is the second choice. */
#include "core/usage.h"

#include "core/alloc.h"
#include "core/io.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>

static double peak_in(const char *status, size_t size) {
    static const char key[] = "\nVmHWM:";
    const char *p = memmem(status, size, key, sizeof key - 1), *end = status + size;
    double kilobytes = 0;
    if (!p) return NAN;
    for (p += sizeof key - 1; p < end && (*p == ' ' || *p == '\t'); p++) {
    }
    for (; p < end && *p >= '0' && *p <= '9'; p++) kilobytes = kilobytes * 10 + (*p - '0');
    return kilobytes * 1024;
}

static double peak_by_proc(sepal_ctx *ctx) {
    struct error before = ctx->error; /* not to know is no failure */
    char *status = NULL;
    size_t size = 0;
    double peak = NAN;
    if (input_slurp(&status, &size, ctx, "/proc/self/status", SEPAL_EINTERNAL) == SEPAL_OK)
        peak = peak_in(status, size);
    mem_free(status);
    ctx->error = before;
    return peak;
}

/* /proc takes as long as a small fit, so it is not asked again before memory was touched anew. */
double usage_peak_memory(sepal_ctx *ctx) {
    struct rusage usage = {0};
    bool known = getrusage(RUSAGE_SELF, &usage) == 0;
    long faults = usage.ru_minflt + usage.ru_majflt;
    if (known && ctx->peak.faults == faults) return ctx->peak.bytes;
    double bytes = peak_by_proc(ctx);
    if (isnan(bytes) && known) bytes = (double)usage.ru_maxrss * 1024;
    ctx->peak.faults = faults;
    ctx->peak.bytes = bytes;
    return bytes;
}
