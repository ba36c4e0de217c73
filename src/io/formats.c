#include "io/format.h"

#include "io/source.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define FORMAT(name) extern const struct format format_##name;
#include "io/formats.def"

const struct format *const format_table[] = {
#define FORMAT(name) &format_##name,
#include "io/formats.def"
    NULL,
};
enum { N_FORMATS = sizeof format_table / sizeof *format_table - 1 };

const struct format *format_find(const char *name) {
    for (size_t i = 0; i < N_FORMATS; i++)
        if (strcmp(format_table[i]->name, name) == 0) return format_table[i];
    return NULL;
}

const struct format *format_of_family(enum family family) {
    size_t i = 0;
    while (format_table[i]->family != family) i++;
    return format_table[i];
}

const struct format *format_of_path(const char *path, size_t *stem) {
    size_t plain = source_plain_length(path), unused;
    if (!stem) stem = &unused;
    for (size_t i = 0; i < N_FORMATS; i++)
        for (const char *const *extension = format_table[i]->extensions; *extension; extension++) {
            size_t tail = strlen(*extension);
            *stem = plain - tail;
            if (plain > tail && strncasecmp(path + *stem, *extension, tail) == 0)
                return format_table[i];
        }
    *stem = plain;
    return NULL;
}

const struct format *format_of_bytes(const char *bytes, size_t n, bool array) {
    for (size_t i = N_FORMATS; i-- > 0;) {
        const struct format *format = format_table[i];
        if (format_is_array(format) == array && format->detect && format->detect(bytes, n))
            return format;
    }
    return NULL;
}

const char *formats_shown(char out[FORMATS_SHOWN_BYTES], bool (*wanted)(const struct format *),
                          const char *last) {
    size_t used = 0, n = 0, k = 0;
    for (size_t i = 0; i < N_FORMATS; i++) n += !wanted || wanted(format_table[i]);
    out[0] = '\0';
    for (size_t i = 0; i < N_FORMATS && used < FORMATS_SHOWN_BYTES; i++) {
        if (wanted && !wanted(format_table[i])) continue;
        const char *between = k == 0 ? "" : k + 1 == n ? last : ", ";
        k++;
        used += (size_t)snprintf(out + used, FORMATS_SHOWN_BYTES - used, "%s%s", between,
                                 format_table[i]->name);
    }
    return out;
}
