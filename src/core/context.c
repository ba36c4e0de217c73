/* Errors, warnings and progress of one context. */
#include "core/context.h"

#include "core/alloc.h"
#include "core/clock.h"
#include "core/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Names of options stand behind OPTION in messages: whoever calls the library has its own way to write
   them. */
static void spell_options(const sepal_ctx *ctx, char *message, size_t size) {
    const char *prefix =
        ctx->root && ctx->root->option_prefix ? ctx->root->option_prefix : "option ";
    size_t n = strlen(prefix);
    for (char *at = message; (at = strchr(at, OPTION[0])) && strlen(message) + n < size; at += n) {
        memmove(at + n, at + 1, strlen(at));
        memcpy(at, prefix, n);
    }
}

/* What files and users wrote is quoted in messages: a message stays one line of UTF-8 all the same,
   and steers no terminal. */
static void write_message(sepal_ctx *ctx, sepal_status status, const char *format,
                          va_list arguments) {
    struct error *error = &ctx->error;
    error->status = status;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    spell_options(ctx, error->message, sizeof error->message);
    text_mask(error->message);
}

static void write_whole(struct error *error) {
    char *out = error->whole;
    size_t room = sizeof error->whole;
    if (!*error->file)
        snprintf(out, room, "%s", error->message);
    else if (error->line == 0)
        snprintf(out, room, "%s: %s", error->file, error->message);
    else if (error->column == 0)
        snprintf(out, room, "%s:%zu: %s", error->file, error->line, error->message);
    else
        snprintf(out, room, "%s:%zu:%zu: %s", error->file, error->line, error->column,
                 error->message);
    text_mask(out);
}

sepal_status fail(sepal_ctx *ctx, sepal_status status, const char *format, ...) {
    if (ctx) {
        va_list arguments;
        va_start(arguments, format);
        write_message(ctx, status, format, arguments);
        va_end(arguments);
        fail_place(ctx, "", 0, 0);
    }
    return status;
}

sepal_status fail_at(sepal_ctx *ctx, sepal_status status, const char *file, size_t line,
                     size_t column, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    write_message(ctx, status, format, arguments);
    va_end(arguments);
    fail_place(ctx, file, line, column);
    return status;
}

void fail_place(sepal_ctx *ctx, const char *file, size_t line, size_t column) {
    snprintf(ctx->error.file, sizeof ctx->error.file, "%s", file);
    ctx->error.line = line;
    ctx->error.column = column;
    write_whole(&ctx->error);
}

void forgive(sepal_ctx *ctx) {
    ctx->error.status = SEPAL_OK;
    ctx->error.message[0] = '\0';
    fail_place(ctx, "", 0, 0);
}

static sepal_ctx *warned(sepal_ctx *ctx) {
    return ctx->keeps_warnings ? ctx : ctx->root;
}

void warn(sepal_ctx *ctx, const char *code, const char *format, ...) {
    char message[ERROR_MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    spell_options(ctx, message, sizeof message);
    text_mask(message);

    sepal_ctx *root = warned(ctx);
    char *copy = mem_copy_text(NULL, message, strlen(message));
    sepal_warning *more =
        copy ? mem_resize(NULL, root->warnings, root->n_warnings + 1, sizeof *more) : NULL;
    if (!more) {
        mem_free(copy);
        return;
    }
    more[root->n_warnings] = (sepal_warning){.code = code, .message = copy};
    root->warnings = more;
    root->n_warnings++;
}

void unwarn(sepal_ctx *ctx, size_t n) {
    sepal_ctx *root = warned(ctx);
    while (root->n_warnings > n) mem_free((char *)root->warnings[--root->n_warnings].message);
}

bool fault_hits(sepal_ctx *ctx, enum fault_kind kind) {
    if (!ctx) return false;
    struct fault *fault = &ctx->root->faults[kind];
    if (fault->fail_at == 0) return false;
    size_t call = atomic_fetch_add(&fault->calls, 1) + 1;
    if (call < fault->fail_at) return false;
    size_t after = call - fault->fail_at;
    return after == 0 || (fault->from_then_on && (fault->error != EINTR || after % 2 == 0));
}

bool cancelled(sepal_ctx *ctx) {
    return progress(ctx, NULL);
}

sepal_status check_cancelled(sepal_ctx *ctx, const char *doing) {
    return cancelled(ctx) ? fail(ctx, SEPAL_ECANCEL, "interrupted while %s", doing) : SEPAL_OK;
}

bool progress(sepal_ctx *ctx, const char *format, ...) {
    enum { LINE_BYTES = 256 };
    const uint64_t pause_ns = 100 * 1000 * 1000;
    if (!ctx->progress) return ctx->root->cancelled; /* as that of a worker */
    char line[LINE_BYTES] = "";
    uint64_t now = clock_ns();
    if (format && now - ctx->last_progress_ns >= pause_ns) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(line, sizeof line, format, arguments);
        va_end(arguments);
        ctx->last_progress_ns = now;
    }
    if (ctx->progress(line, ctx->progress_payload)) ctx->root->cancelled = true;
    return ctx->root->cancelled;
}
