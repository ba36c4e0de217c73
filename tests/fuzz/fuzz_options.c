/* Option strings, "name=value, name=value", for reading and for fitting: understood or refused with
   a message, and the same again when written out. */
#include "fuzz/fuzz.h"

#include "core/spec.h"
#include "io/read_options.h"

#include <stdlib.h>
#include <string.h>

static void reading_laws(sepal_ctx *ctx, struct arena *arena, const char *text) {
    struct read_options options, again;
    struct text first = {0}, second = {0};
    sepal_status status = read_options_parse(&options, ctx, arena, text);
    if (status != SEPAL_OK) {
        LAW(status == SEPAL_EUSAGE, "status %d", status);
        failure_laws(ctx, status, NULL);
        return;
    }
    LAW(options.skip <= 1000000000 && options.n_features <= INT32_MAX, "skip %zu, n-features %zu",
        options.skip, options.n_features);
    LAW(options.header >= HEADER_AUTO && options.header <= HEADER_NO, "header %d", options.header);
    LAW(options.missing >= 0 && options.missing <= 3, "missing %d", options.missing);
    parameters_print(ctx, &first, read_option_table, &options);
    LAW(read_options_parse(&again, ctx, arena, first.bytes) == SEPAL_OK,
        "'%s' cannot be read again: %s", first.bytes, ctx->error.message);
    parameters_print(ctx, &second, read_option_table, &again);
    LAW(strcmp(first.bytes, second.bytes) == 0, "'%s', then '%s'", first.bytes, second.bytes);
    text_clear(&first);
    text_clear(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct arena arena = {0};
    char *text = fuzz_text(bytes, size);
    reading_laws(fuzz_ctx(1), &arena, text);
    sepal_ctx *ctx = fuzz_ctx(1);
    sepal_status status = sepal_model_fit_check(ctx, "perceptron", text);
    if (status != SEPAL_OK) {
        LAW(status == SEPAL_EUSAGE, "status %d", status);
        failure_laws(ctx, status, NULL);
    }
    arena_clear(&arena);
    free(text);
    return 0;
}
