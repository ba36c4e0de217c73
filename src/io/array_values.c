/* What the elements of an array are worth. Bytes are put together by hand, so that the machine's own
   order of bytes and its long double do not matter. */
#include "io/array.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static inline uint8_t load8(const char *at, bool big_endian) {
    (void)big_endian;
    return (uint8_t)*at;
}

/* Compilers know these shapes and make one load of them. */
static inline uint16_t load16(const char *at, bool big_endian) {
    uint16_t a = load8(at, false), b = load8(at + 1, false);
    return (uint16_t)(big_endian ? a << 8 | b : b << 8 | a);
}

static inline uint32_t load32(const char *at, bool big_endian) {
    uint32_t a = load16(at, big_endian), b = load16(at + 2, big_endian);
    return big_endian ? a << 16 | b : b << 16 | a;
}

static inline uint64_t load64(const char *at, bool big_endian) {
    uint64_t a = load32(at, big_endian), b = load32(at + 4, big_endian);
    return big_endian ? a << 32 | b : b << 32 | a;
}

/* IEEE 754 binary16. */
static double half_value(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    if (exponent == 31) value = fraction ? NAN : INFINITY;
    return bits >> 15 ? -value : value;
}

static double single_value(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static double double_value(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The extended format of the x87, 10 of 16 bytes: value = fraction * 2^(exponent - 16383 - 63), the
   leading bit of the fraction written out. Rounded once, to even, also where the double is
   subnormal. */
static double extended_value(const char *at, bool big_endian) {
    enum { BIAS = 16383 + 63, SPECIAL = 0x7FFF, LEAST = -1074 };
    uint64_t fraction = load64(big_endian ? at + 8 : at, big_endian);
    uint16_t top = load16(big_endian ? at + 6 : at + 8, big_endian);
    int exponent = top & SPECIAL;
    double value;
    if (exponent == SPECIAL) {
        value = fraction << 1 ? NAN : INFINITY;
    } else if (exponent && !(fraction >> 63)) {
        value = NAN; /* "unnormal": the processor calls it invalid */
    } else {
        int power = (exponent ? exponent : 1) - BIAS, drop = 11;
        if (power + drop < LEAST) drop = LEAST - power;
        if (drop > 63) {
            /* all bits go; what is above half of the least subnormal rounds up to it */
            bool up = drop == 64 && fraction > (uint64_t)1 << 63;
            value = up ? ldexp(1, LEAST) : 0;
        } else {
            uint64_t rest = fraction & (((uint64_t)1 << drop) - 1),
                     half = (uint64_t)1 << (drop - 1);
            uint64_t kept = fraction >> drop;
            if (rest > half || (rest == half && (kept & 1))) kept++;
            value = ldexp((double)kept, power + drop);
        }
    }
    return top >> 15 ? -value : value;
}

/* A loop for each type. Adding 0 makes 0 of -0 and changes nothing else. */
#define LOOP(size, load, value)                                                                    \
    for (size_t i = 0; i < n; i++) {                                                               \
        uint##size##_t bits = load(at + i * ((size) / 8), big_endian);                             \
        out[i] = (value) + 0.0;                                                                    \
    }                                                                                              \
    break

static void read_ints(size_t bytes, const char *at, size_t n, bool big_endian, double *out) {
    switch (bytes) {
    case 1: LOOP(8, load8, (double)(int8_t)bits);
    case 2: LOOP(16, load16, (double)(int16_t)bits);
    case 4: LOOP(32, load32, (double)(int32_t)bits);
    default: LOOP(64, load64, (double)(int64_t)bits);
    }
}

static void read_uints(size_t bytes, const char *at, size_t n, bool big_endian, double *out) {
    switch (bytes) {
    case 1: LOOP(8, load8, (double)bits);
    case 2: LOOP(16, load16, (double)bits);
    case 4: LOOP(32, load32, (double)bits);
    default: LOOP(64, load64, (double)bits);
    }
}

static void read_floats(size_t bytes, const char *at, size_t n, bool big_endian, double *out) {
    switch (bytes) {
    case 2: LOOP(16, load16, half_value(bits));
    case 4: LOOP(32, load32, single_value(bits));
    case 8: LOOP(64, load64, double_value(bits));
    default:
        for (size_t i = 0; i < n; i++) out[i] = extended_value(at + i * bytes, big_endian) + 0.0;
    }
}

void elements_read(const struct array_shape *shape, const char *at, size_t n, double *out) {
    bool big_endian = shape->big_endian;
    switch (shape->kind) { /* never: text, or another kind */
    case ELEMENT_BOOL:
        for (size_t i = 0; i < n; i++) out[i] = at[i] ? 1 : 0;
        break;
    case ELEMENT_INT: read_ints(shape->bytes, at, n, big_endian, out); break;
    case ELEMENT_UINT: read_uints(shape->bytes, at, n, big_endian, out); break;
    case ELEMENT_FLOAT: read_floats(shape->bytes, at, n, big_endian, out); break;
    case ELEMENT_TEXT:
    case ELEMENT_BYTES:
        for (size_t i = 0; i < n; i++) out[i] = NAN; /* never: nobody asks for it */
    }
}

double element_value(const struct array_shape *shape, const char *at) {
    double value;
    elements_read(shape, at, 1, &value);
    return value;
}

/* ---- labels ------------------------------------------------------------------------------- */

static int64_t int_of(const struct array_shape *shape, const char *at) {
    switch (shape->bytes) {
    case 1: return (int8_t)load8(at, shape->big_endian);
    case 2: return (int16_t)load16(at, shape->big_endian);
    case 4: return (int32_t)load32(at, shape->big_endian);
    default: return (int64_t)load64(at, shape->big_endian);
    }
}

static uint64_t uint_of(const struct array_shape *shape, const char *at) {
    switch (shape->bytes) {
    case 1: return load8(at, shape->big_endian);
    case 2: return load16(at, shape->big_endian);
    case 4: return load32(at, shape->big_endian);
    default: return load64(at, shape->big_endian);
    }
}

/* A character as UTF-8 (Unicode standard, table 3-6); 0xFF for what is none. */
static void add_character(sepal_ctx *ctx, struct text *out, uint32_t c) {
    char bytes[4] = "\xFF";
    size_t n = 1;
    bool surrogate = c >= 0xD800 && c <= 0xDFFF;
    if (c < 0x80) {
        bytes[0] = (char)c;
    } else if (c <= 0x10FFFF && !surrogate) {
        n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
        for (size_t i = n; --i > 0; c >>= 6) bytes[i] = (char)(0x80 | (c & 63));
        bytes[0] = (char)((0xF00 >> n & 0xFF) | c);
    }
    text_add(ctx, out, bytes, n);
}

static void add_ucs4(sepal_ctx *ctx, struct text *out, const struct array_shape *shape,
                     const char *at) {
    size_t n = shape->bytes / 4;
    while (n && load32(at + 4 * (n - 1), shape->big_endian) == 0) n--;
    for (size_t i = 0; i < n; i++) add_character(ctx, out, load32(at + 4 * i, shape->big_endian));
}

void element_text(sepal_ctx *ctx, struct text *out, const struct array_shape *shape,
                  const char *at) {
    size_t n = shape->bytes;
    text_add(ctx, out, "", 0); /* an empty label is a text, too */
    switch (shape->kind) {     /* never: another kind */
    case ELEMENT_BOOL: text_puts(ctx, out, *at ? "1" : "0"); break;
    case ELEMENT_INT: text_printf(ctx, out, "%" PRId64, int_of(shape, at)); break;
    case ELEMENT_UINT: text_printf(ctx, out, "%" PRIu64, uint_of(shape, at)); break;
    case ELEMENT_FLOAT: text_number(ctx, out, element_value(shape, at)); break;
    case ELEMENT_TEXT: add_ucs4(ctx, out, shape, at); break;
    case ELEMENT_BYTES:
        while (n && at[n - 1] == '\0') n--;
        text_add(ctx, out, at, n);
    }
}
