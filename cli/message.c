/* Messages: JSON pieces, warnings, and errors in their two forms. An error is always a line on
   standard error; with --json it is an object on standard output as well. */
#include "cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- JSON ---------------------------------------------------------------------------------- */

/* Bytes of the UTF-8 character that `text` begins with (RFC 3629), 0 when it begins with none. */
static size_t utf8_length(const char *text) {
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x80) return 1;
    size_t n = c[0] < 0xC2 ? 0 : c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3 : c[0] < 0xF5 ? 4 : 0;
    for (size_t i = 1; i < n; i++) {
        if ((c[i] & 0xC0) != 0x80) return 0;
    }
    bool overlong = (c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xF0 && c[1] < 0x90);
    bool surrogate = c[0] == 0xED && c[1] >= 0xA0;
    bool too_large = c[0] == 0xF4 && c[1] >= 0x90;
    return overlong || surrogate || too_large ? 0 : n;
}

static bool is_control(char byte) {
    return (unsigned char)byte < 0x20 || byte == 0x7F;
}

void sink_json(struct sink *out, const char *text) {
    if (text == NULL) {
        sink_puts(out, "null");
        return;
    }
    sink_puts(out, "\"");
    while (*text != '\0') {
        size_t n = utf8_length(text);
        if (n == 0)
            sink_puts(out, "\xEF\xBF\xBD"); /* U+FFFD */
        else if (*text == '"' || *text == '\\')
            sink_printf(out, "\\%c", *text);
        else if (is_control(*text))
            sink_printf(out, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            sink_add(out, text, n);
        text += n > 0 ? n : 1;
    }
    sink_puts(out, "\"");
}

void sink_json_begin(struct sink *out, const char *command) {
    sink_puts(out, "{\"schema\":1,\"command\":");
    sink_json(out, command);
}

void sink_json_end(struct sink *out, const sepal_ctx *ctx) {
    sink_puts(out, ",\"warnings\":[");
    for (size_t i = 0; i < sepal_ctx_warning_count(ctx); i++) {
        sepal_warning warning = sepal_ctx_warning(ctx, i);
        sink_puts(out, i > 0 ? ",{\"code\":" : "{\"code\":");
        sink_json(out, warning.code);
        sink_puts(out, ",\"message\":");
        sink_json(out, warning.message);
        sink_puts(out, "}");
    }
    sink_puts(out, "]}\n");
}

/* ---- Lines for people ---------------------------------------------------------------------- */

/* One write, so that lines of programs that run side by side do not mix. */
static void print_line(struct session *s, const char *kind, const char *text) {
    struct sink line = sink_open(-1);
    sink_printf(&line, "sepal: %s%s\n", kind, text);
    /* What a file or an argument holds must not steer the terminal. */
    for (size_t i = 0; i + 1 < line.used; i++) {
        if (is_control(line.bytes[i])) line.bytes[i] = '?';
    }
    progress_erase(s);
    fputs(sink_text(&line), stderr);
    sink_close(&line);
}

static void print_formatted(struct session *s, const char *format, va_list arguments) {
    char *text = must_format(format, arguments);
    print_line(s, "", text);
    free(text);
}

void say(struct session *s, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_formatted(s, format, arguments);
    va_end(arguments);
}

void say_more(struct session *s, const char *format, ...) {
    if (!s->verbose) return;
    va_list arguments;
    va_start(arguments, format);
    print_formatted(s, format, arguments);
    va_end(arguments);
}

void warnings_print(struct session *s) {
    for (size_t i = 0; i < sepal_ctx_warning_count(s->ctx); i++)
        print_line(s, "warning: ", sepal_ctx_warning(s->ctx, i).message);
}

/* ---- Errors -------------------------------------------------------------------------------- */

static void print_object(const char *json) {
    struct sink out = sink_open(STDOUT_FILENO);
    sink_puts(&out, json);
    if (*json == '\0' || json[strlen(json) - 1] != '\n') sink_puts(&out, "\n");
    sink_flush(&out);
    sink_close(&out);
}

static void print_error_object(const struct session *s, int code, const char *file,
                               const char *message) {
    struct sink out = sink_open(-1);
    sink_json_begin(&out, s->command != NULL ? s->command->name : NULL);
    sink_printf(&out, ",\"error\":{\"exit\":%d,\"message\":", code);
    sink_json(&out, message);
    sink_puts(&out, ",\"file\":");
    sink_json(&out, file);
    sink_puts(&out, ",\"line\":null,\"column\":null}}");
    print_object(sink_text(&out));
    sink_close(&out);
}

int complain(struct session *s, int code, const char *file, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *message = must_format(format, arguments);
    va_end(arguments);
    struct sink line = sink_open(-1);
    if (file != NULL) sink_printf(&line, "%s: ", file);
    sink_puts(&line, message);
    print_line(s, "", sink_text(&line));
    sink_close(&line);
    if (s->json) print_error_object(s, code, file, message);
    free(message);
    return code;
}

static int exit_code_of(sepal_status status) {
    switch (status) {
    case SEPAL_OK: return EXIT_DONE;
    case SEPAL_EUSAGE: return EXIT_USAGE;
    case SEPAL_EDATA: return EXIT_DATA;
    case SEPAL_EMODEL: return EXIT_MODEL;
    case SEPAL_EMEMORY:
    case SEPAL_EOUTPUT: return EXIT_OUTPUT;
    case SEPAL_ECANCEL: return EXIT_INTERRUPTED;
    case SEPAL_EINTERNAL: break;
    }
    return EXIT_INTERNAL;
}

int complain_status(struct session *s, sepal_status status) {
    int code = exit_code_of(status);
    if (status == SEPAL_ECANCEL && s->fitted) return code;
    sepal_place place = sepal_ctx_error_place(s->ctx);
    struct sink line = sink_open(-1);
    if (*place.file != '\0') {
        sink_puts(&line, place.file);
        if (place.line > 0) sink_printf(&line, ":%zu", place.line);
        if (place.line > 0 && place.column > 0) sink_printf(&line, ":%zu", place.column);
        sink_puts(&line, ": ");
    }
    sink_puts(&line, sepal_ctx_error(s->ctx));
    warnings_print(s);
    print_line(s, "", sink_text(&line));
    sink_close(&line);
    if (!s->json) return code;
    char *json = NULL;
    if (sepal_error_json(&json, s->ctx, s->command->name, code) == SEPAL_OK) print_object(json);
    sepal_text_free(json);
    return code;
}
