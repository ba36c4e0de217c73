/* Shell scripts with lines "#@NAME" in them, in whose place the tables are put. */
#include "manual.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct part *find_part(const struct part *parts, const char *line) {
    line += strspn(line, " ");
    if (strncmp(line, "#@", 2) != 0) return NULL;
    size_t length = strcspn(line + 2, "\n");
    for (; parts->name != NULL; parts++) {
        if (strlen(parts->name) == length && strncmp(parts->name, line + 2, length) == 0)
            return parts;
    }
    return NULL;
}

int template_fill(struct sink *out, const char *path, const struct part *parts) {
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    if (file == NULL) return -1;
    while (getline(&line, &room, file) >= 0) {
        const struct part *part = find_part(parts, line);
        if (part != NULL)
            part->put(out);
        else
            sink_puts(out, line);
    }
    free(line);
    fclose(file);
    return 0;
}
