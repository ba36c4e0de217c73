/* The spec grammar, by recursive descent over a zero-terminated text:

       spec     = stage { ("|" | "+") stage }
       stage    = name [ "(" [ settings ] ")" ]
       settings = setting { "," setting }
       setting  = name [ "=" value ]
       value    = bytes other than , = ( ) | " and blanks, or '"' { byte | '\"' | '\\' } '"'
       name     = letters, digits, - _ .

   Blanks may stand between any two of these. The arrays of stages and settings are sized by
   counting the separators beforehand, which can only be too many. */
#include "core/spec.h"

#include <string.h>

#define BLANKS " \t\n\r\v\f"
static const char blanks[] = BLANKS;
static const char ends_value[] = ",=()|\"" BLANKS;
static const char needs_quotes[] = ",=()|+\"\\" BLANKS;

struct spec_parser {
    sepal_ctx *ctx;
    struct arena *arena;
    const char *whose; /* "spec" or "options", for messages */
    const char *text, *at;
    struct setting *settings;
    size_t n_settings;
};

static size_t spec_column_of(const struct spec_parser *in, const char *at) {
    return (size_t)(at - in->text) + 1;
}

static sepal_status spec_expected(const struct spec_parser *in, const char *what) {
    char shown[TEXT_SHOWN_BYTES];
    size_t column = spec_column_of(in, in->at);
    if (*in->at == '\0') {
        return fail(in->ctx, SEPAL_EUSAGE, "%s: expected %s at column %zu, where the text ends",
                    in->whose, what, column);
    }
    return fail(in->ctx, SEPAL_EUSAGE, "%s: expected %s at column %zu, found '%s'", in->whose, what,
                column, text_shown(shown, in->at, strlen(in->at)));
}

static sepal_status unclosed(const struct spec_parser *in, const char *open, char close) {
    return fail(in->ctx, SEPAL_EUSAGE, "%s: expected '%c' to close the '%c' of column %zu",
                in->whose, close, *open, spec_column_of(in, open));
}

static void spec_skip_blanks(struct spec_parser *in) {
    in->at += strspn(in->at, blanks);
}

/* Not isalnum(): that one asks the locale. */
static bool in_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

static sepal_status read_name(struct spec_parser *in, const char **out, const char *what) {
    spec_skip_blanks(in);
    const char *from = in->at;
    while (in_name(*in->at)) in->at++;
    if (in->at == from) return spec_expected(in, what);
    char *name = arena_text(in->ctx, in->arena, from, (size_t)(in->at - from));
    if (name == NULL) return SEPAL_EMEMORY;
    for (char *c = name; *c != '\0'; c++) {
        if (*c == '_') *c = '-';
    }
    *out = name;
    return SEPAL_OK;
}

/* At the opening quote. */
static sepal_status read_quoted(struct spec_parser *in, const char **out) {
    const char *open = in->at++;
    for (; *in->at != '"'; in->at++) {
        if (*in->at == '\\') {
            in->at++;
            if (*in->at != '"' && *in->at != '\\')
                return spec_expected(in, "\" or \\ after a backslash");
        }
        if (*in->at == '\0') return unclosed(in, open, '"');
    }
    char *value = arena_alloc(in->ctx, in->arena, (size_t)(in->at - open), 1);
    if (value == NULL) return SEPAL_EMEMORY;
    size_t n = 0;
    for (const char *c = open + 1; c < in->at; c++) {
        if (*c == '\\') c++;
        value[n++] = *c;
    }
    value[n] = '\0';
    in->at++;
    *out = value;
    return SEPAL_OK;
}

static sepal_status spec_read_value(struct spec_parser *in, const char **out) {
    spec_skip_blanks(in);
    if (*in->at == '"') return read_quoted(in, out);
    size_t length = strcspn(in->at, ends_value);
    if (length == 0) return spec_expected(in, "a value after '='");
    *out = arena_text(in->ctx, in->arena, in->at, length);
    in->at += length;
    return *out == NULL ? SEPAL_EMEMORY : SEPAL_OK;
}

static sepal_status read_setting(struct spec_parser *in) {
    struct setting *setting = &in->settings[in->n_settings];
    *setting = (struct setting){0};
    TRY(read_name(in, &setting->name, "the name of a parameter"));
    spec_skip_blanks(in);
    if (*in->at == '=') {
        in->at++;
        TRY(spec_read_value(in, &setting->value));
        spec_skip_blanks(in);
    }
    in->n_settings++;
    return SEPAL_OK;
}

/* Settings, none or more, up to the byte `close` or the end of the text. */
static sepal_status read_settings(struct spec_parser *in, char close) {
    spec_skip_blanks(in);
    if (*in->at == close || *in->at == '\0') return SEPAL_OK;
    TRY(read_setting(in));
    while (*in->at == ',') {
        in->at++;
        TRY(read_setting(in));
    }
    if (*in->at == close || *in->at == '\0') return SEPAL_OK;
    return spec_expected(in, close == ')'
                                 ? "',' or ')' (values with blanks or , = ( ) | need quotes)"
                                 : "',' (values with blanks or , = ( ) | need quotes)");
}

/* A stage, up to the separator behind it or the end of the text. */
static sepal_status parse_stage(struct spec_parser *in, struct spec_stage *stage) {
    spec_skip_blanks(in);
    size_t first = in->n_settings;
    *stage =
        (struct spec_stage){.column = spec_column_of(in, in->at), .settings = in->settings + first};
    TRY(read_name(in, &stage->name, "the name of a stage"));
    spec_skip_blanks(in);
    bool settings = *in->at == '(';
    if (settings) {
        const char *open = in->at++;
        TRY(read_settings(in, ')'));
        if (*in->at != ')') return unclosed(in, open, ')');
        in->at++;
        spec_skip_blanks(in);
    }
    stage->n_settings = in->n_settings - first;
    if (*in->at == '\0' || *in->at == '|' || *in->at == '+') return SEPAL_OK;
    return spec_expected(in, settings ? "'|'" : "'(' or '|'");
}

static size_t count_of(const char *text, const char *bytes) {
    size_t n = 0;
    for (text += strcspn(text, bytes); *text != '\0'; text += strcspn(text, bytes)) {
        text++;
        n++;
    }
    return n;
}

static sepal_status spec_begin(struct spec_parser *in) {
    size_t most = count_of(in->text, ",(") + 1;
    in->settings = arena_alloc(in->ctx, in->arena, most, sizeof *in->settings);
    if (in->settings == NULL) return SEPAL_EMEMORY;
    size_t length = strlen(in->text), valid = utf8_valid_prefix(in->text, length);
    if (valid == length) return SEPAL_OK;
    return fail(in->ctx, SEPAL_EUSAGE, "%s: expected UTF-8 at column %zu", in->whose, valid + 1);
}

sepal_status spec_parse(struct spec *out, sepal_ctx *ctx, struct arena *arena, const char *text) {
    *out = (struct spec){0};
    struct spec_parser in = {.ctx = ctx, .arena = arena, .whose = "spec", .text = text, .at = text};
    TRY(spec_begin(&in));
    struct spec spec = {0};
    spec.stages = arena_alloc(ctx, arena, count_of(text, "|+") + 1, sizeof *spec.stages);
    if (spec.stages == NULL) return SEPAL_EMEMORY;
    TRY(parse_stage(&in, &spec.stages[spec.n_stages++]));
    while (*in.at != '\0') {
        in.at++;
        TRY(parse_stage(&in, &spec.stages[spec.n_stages++]));
    }
    *out = spec;
    return SEPAL_OK;
}

sepal_status settings_parse(struct setting **out, size_t *n, sepal_ctx *ctx, struct arena *arena,
                            const char *text) {
    *out = NULL;
    *n = 0;
    if (!text) return SEPAL_OK;
    struct spec_parser in = {
        .ctx = ctx, .arena = arena, .whose = "options", .text = text, .at = text};
    TRY(spec_begin(&in));
    TRY(read_settings(&in, '\0'));
    *out = in.settings;
    *n = in.n_settings;
    return SEPAL_OK;
}

void spec_quote(sepal_ctx *ctx, struct text *out, const char *value) {
    if (*value != '\0' && value[strcspn(value, needs_quotes)] == '\0') {
        text_puts(ctx, out, value);
        return;
    }
    text_puts(ctx, out, "\"");
    for (; *value != '\0'; value++) {
        if (*value == '"' || *value == '\\') text_puts(ctx, out, "\\");
        text_add(ctx, out, value, 1);
    }
    text_puts(ctx, out, "\"");
}
