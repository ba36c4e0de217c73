/* The language of manual pages, man(7): which characters must be written how, and the little markup
   that the texts of the tables have. */
#include "manual.h"

#include <ctype.h>
#include <string.h>

void roff_begin(struct sink *out, const char *name, int section) {
    sink_puts(out, ".TH ");
    for (; *name != '\0'; name++) {
        char upper = (char)toupper((unsigned char)*name);
        roff_code(out, &upper, 1);
    }
    /* No date: the page is made from the tables, and must be the same whenever that is done. */
    sink_printf(out, " %d \"\" \"Sepal %s\" \"Sepal Manual\"\n", section, sepal_version());
    sink_puts(out, ".nh\n.ad l\n"); /* a word to be typed must not be cut at a line end */
}

void roff_name(struct sink *out, const char *name, const char *summary) {
    sink_puts(out, ".SH NAME\n");
    roff_code(out, name, strlen(name));
    sink_puts(out, " \\- ");
    roff_text(out, summary, NULL);
}

/* Characters that roff would take as commands or print as typographic ones. */
static const char *escape(char c) {
    static const struct {
        char c;
        const char *escape;
    } table[] = {{'\\', "\\(rs"}, {'-', "\\-"},   {'\'', "\\(aq"}, {'`', "\\(ga"},
                 {'^', "\\(ha"},  {'~', "\\(ti"}, {'"', "\\(dq"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].c == c) return table[i].escape;
    }
    return NULL;
}

static bool at_line_start(const struct sink *out) {
    return out->used == 0 || out->bytes[out->used - 1] == '\n';
}

static void put_char(struct sink *out, char c) {
    const char *escaped = escape(c);
    if (at_line_start(out) && (c == '.' || c == '\'')) sink_puts(out, "\\&");
    if (escaped != NULL)
        sink_puts(out, escaped);
    else
        sink_add(out, &c, 1);
}

void roff_code(struct sink *out, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) put_char(out, text[i]);
}

static void put_font(struct sink *out, char font, const char *text, size_t length) {
    sink_printf(out, "\\f%c", font);
    roff_code(out, text, length);
    sink_puts(out, "\\fR");
}

void roff_bold(struct sink *out, const char *text) {
    put_font(out, 'B', text, strlen(text));
}

static size_t word_length(const char *text) {
    return strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");
}

/* How many bytes at the start of a word name an option, "-", "-o" or "--output"; 0: none. */
static size_t option_length(const char *text) {
    size_t length = word_length(text);
    bool letter = isalpha((unsigned char)text[strspn(text, "-")]) != 0;
    if (text[0] != '-') return 0;
    return letter || length == 1 ? length : 0;
}

static bool is_upper(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (!isupper((unsigned char)text[i])) return false;
    }
    return length > 0;
}

/* Whether the word stands in the line as a word of its own. */
static bool has_word(const char *line, const char *word, size_t length) {
    for (; *line != '\0'; line += *line != '\0') {
        size_t n = word_length(line);
        if (n == length && strncmp(line, word, n) == 0) return true;
        line += n;
    }
    return false;
}

static bool ends_sentence(const char *at) {
    return at[0] == '.' && at[1] == ' ' &&
           (isupper((unsigned char)at[2]) || at[2] == '`' || at[2] == '-');
}

/* One word, or one character between words; returns how many bytes it was. */
static size_t put_piece(struct sink *out, const char *at, const char *variables) {
    size_t length = option_length(at);
    if (*at == '`') {
        length = strcspn(at + 1, "`");
        put_font(out, 'B', at + 1, length);
        return length + 1 + (at[length + 1] == '`');
    }
    if (length > 0) {
        put_font(out, 'B', at, length);
        return length;
    }
    length = word_length(at);
    if (variables != NULL && is_upper(at, length) && has_word(variables, at, length)) {
        put_font(out, 'I', at, length);
        return length;
    }
    if (length == 0 || *at == '-') {
        if (*at == '\'' && !at_line_start(out))
            sink_puts(out, "'"); /* an apostrophe may look like one */
        else
            put_char(out, *at);
        return 1;
    }
    for (size_t i = 0; i < length; i++) {
        bool hyphen = at[i] == '-' && !isdigit((unsigned char)at[i + 1]);
        sink_add(out, hyphen || at[i] != '-' ? at + i : "\\-", hyphen || at[i] != '-' ? 1 : 2);
    }
    return length;
}

void roff_text(struct sink *out, const char *text, const char *variables) {
    while (*text != '\0') {
        if (ends_sentence(text)) {
            sink_puts(out, ".\n");
            text += 2;
        } else if (*text == '\n') {
            sink_puts(out, "\n.PP\n");
            text++;
        } else {
            text += put_piece(out, text, variables);
        }
    }
    sink_puts(out, "\n");
}

void roff_usage(struct sink *out, const char *usage) {
    while (*usage != '\0') {
        size_t length = word_length(usage);
        if (length == 0) {
            put_char(out, *usage);
            usage++;
            continue;
        }
        put_font(out, is_upper(usage, length) ? 'I' : 'B', usage, length);
        usage += length;
    }
    sink_puts(out, "\n");
}
