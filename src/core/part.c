#include "core/part.h"

#include "core/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int part_progress(const char *line, void *payload) {
    enum { LINE_BYTES = 320 };
    const struct part *part = payload;
    char whole[LINE_BYTES];
    if (!*line) return part->progress(line, part->progress_payload);
    (void)snprintf(whole, sizeof whole, "%s: %s", part->name, line);
    return part->progress(whole, part->progress_payload);
}

/* A context of its own. The caller's thread alone may ask the callback. */
static void part_stand_alone(struct part *part) {
    const sepal_ctx *outside = part->outside;
    part->ctx = &part->own;
    part->own.root = outside->root;
    part->own.keeps_warnings = true;
    part->own.seed = outside->seed;
    part->own.threads = 1;
    part->own.kernels = outside->kernels;
    part->own.blas = outside->blas;
    part->own.last_progress_ns = outside->last_progress_ns;
}

void part_begin(struct part *part, sepal_ctx *outside, bool alone, const char *format, ...) {
    va_list arguments;
    memset(part, 0, sizeof *part);
    part->outside = part->ctx = outside;
    va_start(arguments, format);
    (void)vsnprintf(part->name, sizeof part->name, format, arguments);
    va_end(arguments);
    part->progress = outside->progress;
    part->progress_payload = outside->progress_payload;
    part->trace = outside->trace;
    if (!alone) part_stand_alone(part);
    part->warnings = part->ctx->n_warnings;
    part->ctx->trace = NULL;
    if (!part->progress) return;
    part->ctx->progress = part_progress;
    part->ctx->progress_payload = part;
}

static void part_take_warnings(struct part *part, struct part_warnings *out, size_t number) {
    enum { KINDS = sizeof out->kinds / sizeof *out->kinds };
    sepal_ctx *ctx = part->ctx;
    for (size_t i = part->warnings; out && i < ctx->n_warnings; i++) {
        size_t k = 0;
        while (k < out->n && strcmp(out->kinds[k].first.code, ctx->warnings[i].code) != 0) k++;
        if (k == KINDS) continue;
        struct part_warning *kind = &out->kinds[k];
        if (k == out->n) {
            *kind = (struct part_warning){.first = ctx->warnings[i]};
            ctx->warnings[i].message = NULL;
            out->n++;
        }
        kind->parts += kind->last != number;
        kind->last = number;
    }
    while (ctx->n_warnings > part->warnings)
        mem_free((char *)(uintptr_t)ctx->warnings[--ctx->n_warnings].message);
}

void part_end(struct part *part, struct part_warnings *out, size_t number) {
    part_take_warnings(part, out, number);
    if (part->ctx == part->outside) {
        part->outside->progress = part->progress;
        part->outside->progress_payload = part->progress_payload;
        part->outside->trace = part->trace;
        return;
    }
    part->outside->error = part->own.error;
    part->outside->last_progress_ns = part->own.last_progress_ns;
    mem_free(part->own.warnings);
}

void part_warnings_add(struct part_warnings *to, struct part_warnings *from) {
    enum { KINDS = sizeof to->kinds / sizeof *to->kinds };
    for (size_t i = 0; i < from->n; i++) {
        size_t k = 0;
        while (k < to->n && strcmp(to->kinds[k].first.code, from->kinds[i].first.code) != 0) k++;
        if (k == to->n && k < KINDS)
            to->kinds[to->n++] = from->kinds[i];
        else {
            if (k < KINDS) to->kinds[k].parts += from->kinds[i].parts;
            mem_free((char *)(uintptr_t)from->kinds[i].first.message);
        }
    }
    from->n = 0;
}

void part_warnings_tell(struct part_warnings *all, sepal_ctx *ctx, size_t parts, const char *what) {
    for (size_t k = 0; k < all->n; k++)
        warn(ctx, all->kinds[k].first.code, "in %zu of the %zu %s: %s", all->kinds[k].parts, parts,
             what, all->kinds[k].first.message);
    part_warnings_clear(all);
}

void part_warnings_clear(struct part_warnings *all) {
    for (size_t k = 0; k < all->n; k++) mem_free((char *)(uintptr_t)all->kinds[k].first.message);
    all->n = 0;
}
