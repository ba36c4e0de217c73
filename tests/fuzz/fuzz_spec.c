/* The spec grammar and the tables behind it: any text is understood or refused with a message; what
   was understood, written out again, is understood as the same. */
#include "fuzz/fuzz.h"

#include "core/spec.h"
#include "model/pipeline.h"

#include <stdlib.h>
#include <string.h>

static void write_stages(sepal_ctx *ctx, struct text *out, const struct spec *spec) {
    for (size_t i = 0; i < spec->n_stages; i++) {
        const struct spec_stage *stage = &spec->stages[i];
        text_printf(ctx, out, "%s%s(", i ? " | " : "", stage->name);
        for (size_t k = 0; k < stage->n_settings; k++) {
            text_printf(ctx, out, "%s%s", k ? ", " : "", stage->settings[k].name);
            if (!stage->settings[k].value) continue;
            text_puts(ctx, out, "=");
            spec_quote(ctx, out, stage->settings[k].value);
        }
        text_puts(ctx, out, ")");
    }
}

static void grammar_laws(sepal_ctx *ctx, struct arena *arena, const char *text) {
    struct spec spec, again;
    struct text first = {0}, second = {0};
    sepal_status status = spec_parse(&spec, ctx, arena, text);
    if (status != SEPAL_OK) {
        LAW(status == SEPAL_EUSAGE && spec.n_stages == 0, "status %d", status);
        failure_laws(ctx, status, NULL);
        return;
    }
    LAW(spec.n_stages > 0, "no stage");
    write_stages(ctx, &first, &spec);
    LAW(spec_parse(&again, ctx, arena, first.bytes) == SEPAL_OK, "'%s' cannot be read again: %s",
        first.bytes, ctx->error.message);
    write_stages(ctx, &second, &again);
    LAW(strcmp(first.bytes, second.bytes) == 0, "'%s', then '%s'", first.bytes, second.bytes);
    text_clear(&first);
    text_clear(&second);
}

static void parameter_laws(sepal_ctx *ctx, struct arena *arena, const char *text) {
    struct pipeline pipeline, again;
    struct text first = {0}, second = {0};
    sepal_status status = pipeline_parse(&pipeline, ctx, arena, text);
    if (status != SEPAL_OK) {
        LAW(status == SEPAL_EUSAGE, "status %d", status);
        failure_laws(ctx, status, NULL);
        return;
    }
    text_printf(ctx, &first, "%s(", pipeline.learner->name);
    parameters_print(ctx, &first, pipeline.learner->parameters, pipeline.config);
    text_puts(ctx, &first, ")");
    LAW(pipeline_parse(&again, ctx, arena, first.bytes) == SEPAL_OK, "'%s' cannot be read: %s",
        first.bytes, ctx->error.message);
    text_printf(ctx, &second, "%s(", again.learner->name);
    parameters_print(ctx, &second, again.learner->parameters, again.config);
    text_puts(ctx, &second, ")");
    LAW(strcmp(first.bytes, second.bytes) == 0, "'%s', then '%s'", first.bytes, second.bytes);
    text_clear(&first);
    text_clear(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct arena arena = {0};
    char *text = fuzz_text(bytes, size);
    grammar_laws(fuzz_ctx(1), &arena, text);
    parameter_laws(fuzz_ctx(1), &arena, text);
    arena_clear(&arena);
    free(text);
    return 0;
}
