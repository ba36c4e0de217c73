/* Read before each file of src/ by clang-tidy only (tools/check). The analyser sees one file at a
   time and cannot know that fail() and fail_at() never return SEPAL_OK, which every TRY relies on. */
#include "core/context.h"

static inline sepal_status never_ok(sepal_status status) {
    if (status == SEPAL_OK) __builtin_unreachable();
    return status;
}
#define fail(...) never_ok(fail(__VA_ARGS__))
#define fail_at(...) never_ok(fail_at(__VA_ARGS__))
