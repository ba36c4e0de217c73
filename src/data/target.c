#include "data/target.h"

#include "data/data.h"

#include <string.h>

/* More different numbers than that are hardly names of classes. */
enum { MOST_NUMBERS = 100 };

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

bool target_is_doubtful(const sepal_data *data) {
    enum { FEW = 10 }; /* labels that may well differ from row to row */
    return data->schema->n_classes > FEW && data->schema->n_classes > data->matrix.rows / 2;
}

/* Each row a class of its own: an identifier or a measurement was taken for the target. Who names the
   column is believed, though: one example a class can be all that there is. */
static sepal_status refuse_target(sepal_ctx *ctx, const sepal_data *data) {
    const struct target *target = &data->target;
    return fail_at(ctx, SEPAL_EDATA, data->file, 1, 1,
                   "the target '%s'%s has %zu different values in %zu rows: each row would be a "
                   "class of its own; name the column of the classes with " OPTION
                   "target NAME (" OPTION "target '%s' if it is this one)",
                   target->name, target->guessed ? " (the last column)" : "",
                   data->schema->n_classes, data->matrix.rows, target->name);
}

/* Classes may stand first, as in UCI's letter recognition: the first column is the only one of text, and the last
   has numbers, more than two. */
static void question_first_column(sepal_ctx *ctx, const sepal_data *data) {
    enum { MOST_CLASSES = 100 };
    const struct schema *schema = data->schema;
    size_t texts = 0;
    bool table = schema->family == FAMILY_TABLE && schema->n_columns > 0;
    if (!table || !data->target.guessed || !schema->numeric_labels || schema->n_classes <= 2)
        return;
    for (size_t j = 0; j < schema->n_columns; j++) texts += schema->columns[j].text;
    const struct column *first = &schema->columns[0];
    if (texts != 1 || !first->text || first->position != 0) return;
    if (first->n_categories < 2 || first->n_categories > MOST_CLASSES) return;
    warn(ctx, "target-elsewhere",
         "the last column, '%s', is taken as the target, but '%s', the first, is the only one of "
         "text; if it has the classes, say " OPTION "target '%s'",
         data->target.name, first->name, first->name);
}

/* Text in the last column, hardly ever twice the same. */
static void question_free_text(sepal_ctx *ctx, const sepal_data *data) {
    const struct schema *schema = data->schema;
    if (!data->target.guessed || schema->numeric_labels || !target_is_doubtful(data)) return;
    warn(ctx, "target-guessed",
         "the last column, '%s', is taken as the target and has %zu different labels in %zu rows; "
         "name the column of the classes with " OPTION "target",
         data->target.name, schema->n_classes, data->matrix.rows);
}

sepal_status target_question(sepal_ctx *ctx, const sepal_data *data) {
    const struct schema *schema = data->schema;
    const struct target *target = &data->target;
    bool column = target->source == TARGET_COLUMN;
    /* two rows of two classes are a problem, if a small one */
    bool alone = data->matrix.rows > 2 && schema->n_classes >= data->matrix.rows;
    /* the fit itself tells of data without labels, and of a table with no other column */
    if (!data->label || data->matrix.cols == 0) return SEPAL_OK;
    if (alone && column && !target->named) return refuse_target(ctx, data);
    question_first_column(ctx, data);
    question_free_text(ctx, data);
    if (schema->numeric_labels && schema->n_classes > MOST_NUMBERS)
        warn(ctx, "looks-like-regression",
             "the target%s%s%s has %zu different numbers: this looks like regression, and each "
             "number is taken for a class%s",
             target->name ? " '" : "", target->name ? target->name : "", target->name ? "'" : "",
             schema->n_classes, column ? "; name another column with " OPTION "target" : "");
    else if (alone)
        warn(ctx, "class-per-row",
             "each of the %zu rows is a class of its own: there is no second example of any",
             data->matrix.rows);
    return SEPAL_OK;
}
