#include "multiclass/reduction.h"

#include <stddef.h>
#include <string.h>

const struct reduction reduction_machine = {
    .name = "machine",
    .summary = "one linear function per class, fitted together; the largest score wins",
};

const struct reduction *const reduction_table[] = {&reduction_machine, NULL};

const struct reduction *reduction_find(const char *name) {
    for (const struct reduction *const *row = reduction_table; *row; row++)
        if (strcmp((*row)->name, name) == 0) return *row;
    return NULL;
}
