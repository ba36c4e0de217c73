/* The public functions of a context: its settings, its last error and its warnings. */
#include "sepal/sepal.h"

#include "core/alloc.h"
#include "core/parallel.h"
#include "kernels/blas.h"
#include "kernels/kernels.h"

sepal_status sepal_ctx_new(sepal_ctx **out) {
    if (!out) return SEPAL_EUSAGE;
    *out = mem_zero(NULL, 1, sizeof **out);
    if (!*out) return SEPAL_EMEMORY;
    (*out)->root = *out;
    (*out)->seed = 1;
    (*out)->kernels = kernels_choose();
    (*out)->blas = blas_choose();
    blas_describe((*out)->blas_name, sizeof(*out)->blas_name);
    return SEPAL_OK;
}

void sepal_ctx_free(sepal_ctx *ctx) {
    if (!ctx) return;
    pool_free(ctx->pool);
    sepal_ctx_clear_warnings(ctx);
    mem_free(ctx);
}

const char *sepal_ctx_error(const sepal_ctx *ctx) {
    if (!ctx) return "there is no context: it was given as NULL";
    return ctx->error.status == SEPAL_OK ? "" : ctx->error.whole;
}

const char *sepal_ctx_error_message(const sepal_ctx *ctx) {
    if (!ctx) return sepal_ctx_error(ctx);
    return ctx->error.status == SEPAL_OK ? "" : ctx->error.message;
}

sepal_place sepal_ctx_error_place(const sepal_ctx *ctx) {
    if (!ctx) return (sepal_place){"", 0, 0};
    return (sepal_place){ctx->error.file, ctx->error.line, ctx->error.column};
}

size_t sepal_ctx_warning_count(const sepal_ctx *ctx) {
    return ctx ? ctx->n_warnings : 0;
}

sepal_warning sepal_ctx_warning(const sepal_ctx *ctx, size_t i) {
    return i < sepal_ctx_warning_count(ctx) ? ctx->warnings[i] : (sepal_warning){"", ""};
}

void sepal_ctx_clear_warnings(sepal_ctx *ctx) {
    if (!ctx) return;
    for (size_t i = 0; i < ctx->n_warnings; i++)
        mem_free((char *)(uintptr_t)ctx->warnings[i].message);
    mem_free(ctx->warnings);
    ctx->warnings = NULL;
    ctx->n_warnings = 0;
}

void sepal_ctx_set_seed(sepal_ctx *ctx, uint64_t seed) {
    if (ctx) ctx->seed = seed;
}

void sepal_ctx_set_threads(sepal_ctx *ctx, unsigned threads) {
    if (ctx) ctx->threads = threads;
}

unsigned sepal_ctx_threads(const sepal_ctx *ctx) {
    return ctx ? parallel_width(ctx) : 0;
}

void sepal_ctx_set_option_prefix(sepal_ctx *ctx, const char *prefix) {
    if (ctx) ctx->option_prefix = prefix;
}

void sepal_ctx_set_progress(sepal_ctx *ctx, sepal_progress_fn fn, void *payload) {
    if (!ctx) return;
    ctx->progress = fn;
    ctx->progress_payload = payload;
}

void sepal_ctx_set_trace(sepal_ctx *ctx, sepal_trace_fn fn, void *payload) {
    if (!ctx) return;
    ctx->trace = fn;
    ctx->trace_payload = payload;
}

const char *sepal_version(void) {
    return SEPAL_VERSION;
}

const char *sepal_ctx_kernels(const sepal_ctx *ctx) {
    return ctx ? ctx->kernels->name : "";
}

const char *sepal_ctx_blas(const sepal_ctx *ctx) {
    return ctx ? ctx->blas_name : "";
}

int sepal_ctx_blas_is_slow(const sepal_ctx *ctx) {
    return ctx ? ctx->blas->slow : 0;
}
