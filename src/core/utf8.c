/* Well-formed UTF-8, by table 3-7 of the Unicode standard: no overlong forms, no surrogates,
   nothing above U+10FFFF. */
#include "core/text.h"

#include <string.h>

static bool follows(unsigned char byte) {
    return byte >= 0x80 && byte <= 0xBF;
}

/* Length of the well-formed character at the beginning of the bytes, 0 if there is none. */
static size_t character(const unsigned char *bytes, size_t length) {
    unsigned char lead = bytes[0];
    if (lead < 0x80) return 1;
    size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || length < size) return 0;
    unsigned char least = 0x80, most = 0xBF;
    if (lead == 0xE0) least = 0xA0;
    if (lead == 0xED) most = 0x9F;
    if (lead == 0xF0) least = 0x90;
    if (lead == 0xF4) most = 0x8F;
    if (bytes[1] < least || bytes[1] > most) return 0;
    for (size_t i = 2; i < size; i++) {
        if (!follows(bytes[i])) return 0;
    }
    return size;
}

size_t utf8_width(const char *text) {
    size_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

size_t utf8_valid_prefix(const char *bytes, size_t length) {
    const unsigned char *at = (const unsigned char *)bytes;
    size_t done = 0;
    while (done < length) {
        size_t size = character(at + done, length - done);
        if (size == 0) break;
        done += size;
    }
    return done;
}

/* The C1 controls (U+0080 to U+009F) steer terminals as well. */
static bool utf8_is_control(const unsigned char *at, size_t size) {
    return (size == 1 && (at[0] < 0x20 || at[0] == 0x7F)) ||
           (size == 2 && at[0] == 0xC2 && at[1] < 0xA0);
}

const char *text_shown(char out[TEXT_SHOWN_BYTES], const char *bytes, size_t length) {
    static const char cut[] = "...";
    const unsigned char *at = (const unsigned char *)bytes;
    size_t used = 0, done = 0;
    while (done < length) {
        size_t size = character(at + done, length - done);
        bool bad = size == 0 || utf8_is_control(at + done, size);
        size_t shown = bad ? 1 : size;
        if (used + shown + sizeof cut > TEXT_SHOWN_BYTES) {
            memcpy(out + used, cut, sizeof cut);
            return out;
        }
        memcpy(out + used, bad ? "?" : bytes + done, shown);
        used += shown;
        done += size == 0 ? 1 : size;
    }
    out[used] = '\0';
    return out;
}

void text_mask(char *text) {
    const unsigned char *at = (const unsigned char *)text;
    for (size_t done = 0, length = strlen(text); done < length;) {
        size_t size = character(at + done, length - done);
        bool bad = size == 0 || utf8_is_control(at + done, size);
        size_t n = size == 0 ? 1 : size;
        if (bad) memset(text + done, '?', n);
        done += n;
    }
}
