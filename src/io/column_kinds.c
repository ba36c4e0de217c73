#include "io/column_kinds.h"

#include "data/limits.h"

/* A feature that is neither declared nor asked to be one or the other. */
static bool is_open(const struct table_role *role) {
    return role->role == ROLE_FEATURE && !role->as_text && !role->as_number && !role->known;
}

bool kinds_open(const struct reading *reading) {
    for (size_t c = 0; c < reading->table.n_cells; c++)
        if (is_open(&reading->table.roles[c])) return true;
    return false;
}

struct counts {
    size_t numbers, texts;
};

static struct counts count_cells(const struct chunks *chunks, size_t feature) {
    struct counts counts = {0};
    for (size_t i = 0; i < chunks->count; i++) {
        counts.numbers += chunks->items[i]->columns[feature].numbers;
        counts.texts += chunks->items[i]->columns[feature].texts;
    }
    return counts;
}

static sepal_status refuse_gone(struct reading *reading, const struct table_role *role) {
    return fail_at(reading->ctx, SEPAL_EDATA, reading->source.file.name,
                   reading->columns.header_line, 1,
                   "column '%s' is text, and has numbers; to take these as they are written, input "
                   "of more than %d bytes from a pipe would have to be read twice: say " OPTION
                   "categorical '%s', or read a file",
                   role->name, LIMIT_KEPT, role->name);
}

static void note_numbers(struct reading *reading, const struct table_role *role, size_t texts) {
    warn(reading->ctx, "numbers-in-text",
         "column '%s' is text: %zu of its %zu cells are numbers, and are taken as categories; "
         "say " OPTION "categorical '%s' if that is so",
         role->name, role->numbers, role->numbers + texts, role->name);
}

sepal_status kinds_settle(struct reading *reading, bool *again) {
    const struct table_role *first = NULL;
    bool gone = false;
    for (size_t c = 0; c < reading->table.n_cells; c++) {
        struct table_role *role = &reading->table.roles[c];
        if (!is_open(role)) continue;
        struct counts counts = count_cells(&reading->chunks, role->feature);
        if (counts.numbers == 0 || counts.numbers >= counts.texts) continue;
        role->as_text = true;
        role->numbers = counts.numbers;
        note_numbers(reading, role, counts.texts);
        if (!first) first = role;
    }
    *again = first != NULL;
    if (first) TRY(source_rewind(&reading->source, reading->ctx, &gone));
    return gone ? refuse_gone(reading, first) : SEPAL_OK;
}
