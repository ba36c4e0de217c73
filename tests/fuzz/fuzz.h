/* What the fuzz targets share. A target is a function from bytes to nothing that breaks off the
   process when a law does not hold. clang's fuzzer calls it with inputs it makes up (tools/fuzz);
   replay.c calls it with the inputs kept in corpus/, in every build and without clang. */
#ifndef SEPAL_TESTS_FUZZ_H
#define SEPAL_TESTS_FUZZ_H

#include "core/context.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A law of the product: says where and what, and aborts. */
#define LAW(condition, ...)                                                                        \
    do {                                                                                           \
        if (!(condition)) law_broken(__FILE__, __LINE__, __VA_ARGS__);                             \
    } while (0)
_Noreturn void law_broken(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Called before the abort, if set: to keep the input. */
extern void (*law_before_abort)(void);

/* A context without error and warnings, the same one at every call: making threads takes longer
   than most inputs. */
sepal_ctx *fuzz_ctx(unsigned threads);

/* A path in a folder of its own, in memory where the system has such a place. The text is good
   until the name is asked for again; there are few names. */
const char *fuzz_path(const char *name);
/* Make, or make anew, the file of that name; returns its path. */
const char *fuzz_put(const char *name, const void *bytes, size_t size);
/* The file's bytes, for the caller to free. */
char *fuzz_get(const char *name, size_t *size);

/* What every failure owes its reader: one of the allowed kinds, one line of text, and the file where
   the fault lies in one (path NULL: not asked for). */
void failure_laws(const sepal_ctx *ctx, sepal_status status, const char *path);

/* A copy with a zero byte behind it, cut at the first zero byte; for the caller to free. */
char *fuzz_text(const uint8_t *bytes, size_t size);

#endif
