/* Messages: JSON pieces, warnings, and errors in their two forms. An error is always a line on
   standard error; with --json it is an object on standard output as well. Nothing here asks for
   memory, because to say that there is none must not need any. */
#include "cli.h"

#include <stdarg.h>
#include <stdio.h>
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

static bool message_is_control(char byte) {
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
        else if (message_is_control(*text))
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

enum { MESSAGE_BYTES = 6144, LINE_BYTES = MESSAGE_BYTES + 2048 };

/* What was cut at the end of its buffer ends with dots, not with half a character. */
static void mark_shortened(char *text, size_t size, int wanted) {
    static const char dots[] = "...";
    if (wanted < (int)size) return;
    size_t end = size - sizeof dots;
    while (end > 0 && ((unsigned char)text[end] & 0xC0) == 0x80) end--;
    memcpy(text + end, dots, sizeof dots);
}

static void format_message(char text[MESSAGE_BYTES], const char *format, va_list arguments) {
    mark_shortened(text, MESSAGE_BYTES, vsnprintf(text, MESSAGE_BYTES, format, arguments));
}

/* One write, so that lines of programs that run side by side do not mix. `where` is "" or a place,
   then a colon and a blank. */
static void print_line(struct session *s, const char *where, const char *text) {
    char line[LINE_BYTES + 1];
    mark_shortened(line, LINE_BYTES, snprintf(line, LINE_BYTES, "sepal: %s%s", where, text));
    size_t length = strlen(line);
    /* What a file or an argument holds must not steer the terminal. */
    for (size_t i = 0; i < length; i++) {
        if (message_is_control(line[i])) line[i] = '?';
    }
    line[length++] = '\n';
    progress_erase(s);
    struct sink out = sink_open(STDERR_FILENO);
    sink_write(&out, line, length);
}

static void print_message(struct session *s, const char *format, va_list arguments) {
    char text[MESSAGE_BYTES];
    format_message(text, format, arguments);
    print_line(s, "", text);
}

void say(struct session *s, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_message(s, format, arguments);
    va_end(arguments);
}

void say_more(struct session *s, const char *format, ...) {
    if (!s->verbose) return;
    va_list arguments;
    va_start(arguments, format);
    print_message(s, format, arguments);
    va_end(arguments);
}

void warnings_print(struct session *s) {
    for (; s->warned < sepal_ctx_warning_count(s->ctx); s->warned++)
        print_line(s, "warning: ", sepal_ctx_warning(s->ctx, s->warned).message);
}

/* ---- Errors -------------------------------------------------------------------------------- */

static void message_put_number(struct sink *out, const char *key, size_t number) {
    sink_printf(out, ",\n    \"%s\": ", key);
    if (number > 0)
        sink_printf(out, "%zu", number);
    else
        sink_puts(out, "null");
}

/* In the form that reports have. */
static void print_object(const struct session *s, int code, sepal_place place,
                         const char *message) {
    struct sink out = sink_open(STDOUT_FILENO);
    sink_puts(&out, "{\n  \"schema\": 1,\n  \"command\": ");
    sink_json(&out, s->command != NULL ? s->command->name : NULL);
    sink_printf(&out, ",\n  \"error\": {\n    \"exit\": %d,\n    \"message\": ", code);
    sink_json(&out, message);
    sink_puts(&out, ",\n    \"file\": ");
    sink_json(&out, *place.file != '\0' ? place.file : NULL);
    message_put_number(&out, "line", place.line);
    message_put_number(&out, "column", place.column);
    sink_puts(&out, "\n  }\n}\n");
    sink_flush(&out);
    sink_close(&out);
}

static int complain_at(struct session *s, int code, sepal_place place, const char *message) {
    char where[PATH_MAX + 64] = "";
    if (*place.file != '\0' && place.line == 0)
        snprintf(where, sizeof where, "%s: ", place.file);
    else if (*place.file != '\0' && place.column == 0)
        snprintf(where, sizeof where, "%s:%zu: ", place.file, place.line);
    else if (*place.file != '\0')
        snprintf(where, sizeof where, "%s:%zu:%zu: ", place.file, place.line, place.column);
    print_line(s, where, message);
    if (s->json) print_object(s, code, place, message);
    return code;
}

int complain(struct session *s, int code, const char *file, const char *format, ...) {
    char message[MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    format_message(message, format, arguments);
    va_end(arguments);
    return complain_at(s, code, (sepal_place){.file = file != NULL ? file : ""}, message);
}

int complain_memory(struct session *s) {
    return complain(s, EXIT_OUTPUT, NULL, "not enough memory");
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
    warnings_print(s);
    return complain_at(s, code, sepal_ctx_error_place(s->ctx), sepal_ctx_error_message(s->ctx));
}
