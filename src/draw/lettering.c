/* Text in pictures: how wide it will be, and what of it fits. The widths are Helvetica's, which Arial and
   Liberation Sans share, and somewhat more, since DejaVu Sans is wider. */
#include "draw/canvas.h"

#include <string.h>

static const uint16_t ascii_widths[95] = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};
enum { ELLIPSIS = 0x2026, REPLACEMENT = 0xFFFD };

static bool is_between(uint32_t c, uint32_t low, uint32_t high) {
    return c >= low && c <= high;
}

unsigned character_columns(uint32_t c) {
    bool none = is_between(c, 0x300, 0x36F) || is_between(c, 0x200B, 0x200F) ||
                is_between(c, 0x202A, 0x202E) || is_between(c, 0x2060, 0x206F) ||
                is_between(c, 0xFE00, 0xFE0F) || c == 0xFEFF;
    bool wide = is_between(c, 0x1100, 0x115F) || is_between(c, 0x2E80, 0xA4CF) ||
                is_between(c, 0xAC00, 0xD7A3) || is_between(c, 0xF900, 0xFAFF) ||
                is_between(c, 0xFE30, 0xFE6F) || is_between(c, 0xFF00, 0xFF60) ||
                is_between(c, 0x1F300, 0x1FAFF) || is_between(c, 0x20000, 0x3FFFD);
    return none ? 0 : wide ? 2 : 1;
}

unsigned character_width(uint32_t c) {
    static const unsigned others[] = {0, 620, 1000};
    if (is_between(c, 32, 126)) return ascii_widths[c - 32] * 117u / 100;
    return others[character_columns(c)];
}

uint32_t utf8_next(const char **text) {
    const unsigned char *at = (const unsigned char *)*text;
    size_t length = *at < 0x80 ? 1 : *at < 0xE0 ? 2 : *at < 0xF0 ? 3 : 4, have = 0;
    while (have < length && at[have]) have++;
    if (have < length || utf8_valid_prefix(*text, length) != length) {
        (*text)++;
        return REPLACEMENT;
    }
    uint32_t c = length == 1 ? *at : *at & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) c = c << 6 | (at[i] & 0x3Fu);
    *text += length;
    bool control = c < 32 || is_between(c, 0x7F, 0x9F) || is_between(c, 0x202A, 0x202E) ||
                   is_between(c, 0x2066, 0x2069) || (c & 0xFFFE) == 0xFFFE;
    return control ? REPLACEMENT : c;
}

void utf8_add(sepal_ctx *ctx, struct text *out, uint32_t c) {
    char bytes[4];
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char first[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = n; i-- > 1; c >>= 6) bytes[i] = (char)(0x80 | (c & 0x3F));
    bytes[0] = (char)(first[n] | c);
    text_add(ctx, out, bytes, n);
}

static double width_of(const struct canvas *canvas, uint32_t c, double size) {
    enum { TERM_CELL = 8 };
    if (canvas_is_term(canvas)) return TERM_CELL * character_columns(c);
    return character_width(c) * size / 1000;
}

double canvas_text_width(const struct canvas *canvas, const char *text, double size) {
    double width = 0;
    while (*text) width += width_of(canvas, utf8_next(&text), size);
    return width;
}

double canvas_line_height(const struct canvas *canvas, double size) {
    enum { TERM_LINE = 16 };
    return canvas_is_term(canvas) ? TERM_LINE : 1.35 * size;
}

const char *canvas_fit_text(const struct canvas *canvas, char *out, size_t room, const char *text,
                            double size, double width) {
    static const char ellipsis[] = "\xE2\x80\xA6";
    double dots = width_of(canvas, ELLIPSIS, size), used = 0;
    size_t kept = 0; /* bytes after which there is still place for the ellipsis */
    const char *at = text;
    while (*at) {
        const char *begin = at;
        if (used + dots <= width && (size_t)(begin - text) + sizeof ellipsis <= room)
            kept = (size_t)(begin - text);
        used += width_of(canvas, utf8_next(&at), size);
        if (used > width || (size_t)(at - text) >= room) break;
    }
    bool whole = !*at && used <= width && (size_t)(at - text) < room;
    size_t length = whole ? (size_t)(at - text) : kept;
    memcpy(out, text, length);
    out[length] = '\0';
    if (!whole && length + sizeof ellipsis <= room) memcpy(out + length, ellipsis, sizeof ellipsis);
    return out;
}

void canvas_text(struct canvas *canvas, double x, double y, const char *text,
                 const struct lettering *lettering) {
    if (!canvas->failed && *text)
        canvas->backend->text(canvas, (struct point){x, y}, text, lettering);
}
