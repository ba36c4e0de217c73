/* The formats of the library's table, as options and messages name them. */
#include "cli.h"

#include <string.h>

int format_files(const char *name) {
    sepal_method format = {.size = sizeof format};
    for (size_t i = 0; sepal_method_at(SEPAL_FORMAT, i, &format) == SEPAL_OK; i++) {
        if (strcmp(format.name, name) == 0) return format.files;
    }
    return 0;
}

void formats_put(struct sink *out, const char *prefix, int most_files) {
    sepal_method format = {.size = sizeof format}, last = {0};
    for (size_t i = 0; sepal_method_at(SEPAL_FORMAT, i, &format) == SEPAL_OK; i++) {
        if (format.files == 0 || format.files > most_files) continue;
        if (last.name != NULL) sink_printf(out, "%s%s%s", out->used ? ", " : "", prefix, last.name);
        last = format;
    }
    sink_printf(out, " or %s%s", prefix, last.name);
}
