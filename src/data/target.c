#include "data/target.h"

#include <string.h>

sepal_status target_copy(struct target *out, sepal_ctx *ctx, struct arena *arena,
                         const struct target *target) {
    *out = *target;
    if (!target->name) return SEPAL_OK;
    out->name = arena_text(ctx, arena, target->name, strlen(target->name));
    return out->name ? SEPAL_OK : SEPAL_EMEMORY;
}

void target_tell(struct tree_maker *make, struct tree *report, const struct target *target) {
    static const char *const sources[] = {[TARGET_GIVEN] = "program",
                                          [TARGET_COLUMN] = "column",
                                          [TARGET_FIELD] = "first field",
                                          [TARGET_FILE] = "file"};
    struct tree *fact = tree_object(make, report, "target");
    if (target->name)
        tree_text(make, fact, "name", target->name);
    else
        tree_null(make, fact, "name");
    tree_bool(make, fact, "guessed", target->guessed);
    tree_text(make, fact, "from", sources[target->source]);
}
