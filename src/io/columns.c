#include "io/columns.h"

#include "data/classes.h"

#include <stdio.h>
#include <string.h>

static size_t find_name(const struct columns *columns, struct slice name) {
    return tokens_find(&columns->by_name, name);
}

static const char *const target_names[] = {"target", "label", "class", "y"};
enum { TARGET_NAMES = sizeof target_names / sizeof *target_names };

bool column_is_target(const char *name) {
    for (size_t i = 0; i < TARGET_NAMES; i++)
        if (slice_is_nocase((struct slice){name, strlen(name)}, target_names[i])) return true;
    return false;
}

/* A column whose name says that it is the target; SIZE_MAX: none. */
static size_t usual_target(const struct columns *columns) {
    for (size_t i = 0; columns->header && i < TARGET_NAMES; i++)
        for (size_t c = 0; c < columns->n; c++) {
            struct slice name = {columns->names[c], strlen(columns->names[c])};
            if (slice_is_nocase(name, target_names[i])) return c;
        }
    return SIZE_MAX;
}

static void take_default_target(struct columns *columns) {
    size_t usual = usual_target(columns);
    columns->guessed = usual == SIZE_MAX;
    columns->target = columns->guessed ? columns->n - 1 : usual;
}

/* Labels from another file are the only ones: what looks like the target is a feature now. */
static void note_second_target(sepal_ctx *ctx, const struct columns *columns,
                               const struct table_layout *layout) {
    size_t usual = usual_target(columns);
    if (columns->labels_elsewhere && usual != SIZE_MAX && layout->roles[usual].role == ROLE_FEATURE)
        warn(ctx, "two-targets",
             "column '%s' is a feature, since the labels come from " OPTION
             "labels; leave it out with " OPTION "drop '%s'",
             columns->names[usual], columns->names[usual]);
}

static void add_feature(struct table_role *role, struct table_layout *layout, struct schema *schema,
                        const struct columns *columns, size_t c) {
    role->role = ROLE_FEATURE;
    role->feature = layout->n_features++;
    schema->columns[schema->n_columns++] =
        (struct column){.name = columns->names[c], .position = c};
}

/* The four lists that choose columns, as marks per cell. */
struct choice {
    bool *drop, *only, *keep, *text;
    bool keep_all; /* by that word: features, too, which they stay */
};

static sepal_status mark_kept(struct choice *out, sepal_ctx *ctx, const struct columns *columns,
                              const char *list) {
    const struct slice all = {"all", 3};
    const char *option = columns->carried_for ? columns->carried_for : "keep";
    out->keep_all = list && strcmp(list, all.bytes) == 0 && find_name(columns, all) == SIZE_MAX;
    if (!out->keep_all) return column_list_mark(out->keep, ctx, columns, list, option);
    memset(out->keep, true, columns->n * sizeof *out->keep);
    return SEPAL_OK;
}

/* Whether cells tell of sets of labels, and how. */
static sepal_status choose_separator(struct table_layout *layout, sepal_ctx *ctx,
                                     const char *wish) {
    static const struct {
        const char *word;
        char mark;
    } words[] = {{"blank", ' '}, {"space", ' '}, {"tab", '\t'}};
    if (!wish) return SEPAL_OK;
    layout->separator = *wish && !wish[1] ? *wish : '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(wish, words[i].word) == 0) layout->separator = words[i].mark;
    unsigned char c = (unsigned char)layout->separator;
    bool letter = (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c >= 0x7f;
    if (c && !letter && !strchr("\"'", c) && (c >= ' ' || c == '\t')) return SEPAL_OK;
    return fail(ctx, SEPAL_EUSAGE,
                "'%.40s' cannot stand between labels; " OPTION
                "label-separator is one of , ; | blank or another mark",
                wish);
}

/* One column, or several of 0 and 1. */
static sepal_status choose_target(struct table_layout *layout, sepal_ctx *ctx, struct arena *arena,
                                  struct columns *columns, const struct read_options *options) {
    columns->target = SIZE_MAX;
    TRY(choose_separator(layout, ctx, options->label_separator));
    if (!options->target || !column_list_is_list(columns, options->target))
        return column_list_one(&columns->target, ctx, columns, options->target, "target");
    if (layout->separator)
        return fail(ctx, SEPAL_EUSAGE,
                    OPTION "label-separator is for one label column, and " OPTION
                           "target '%.60s' names several; leave one of them out",
                    options->target);
    columns->targets = arena_zero(ctx, arena, columns->n, sizeof *columns->targets);
    if (!columns->targets) return SEPAL_EMEMORY;
    return column_list_mark(columns->targets, ctx, columns, options->target, "target");
}

/* What the user says of the columns; the roles are empty but for their names. */
static sepal_status columns_choose(struct choice *out, struct table_layout *layout, sepal_ctx *ctx,
                                   struct arena *arena, struct columns *columns,
                                   const struct read_options *options) {
    size_t n = columns->n;
    bool *marks = arena_zero(ctx, arena, 4 * n, sizeof *marks);
    layout->n_cells = n;
    layout->roles = arena_zero(ctx, arena, n, sizeof *layout->roles);
    if (!marks || !layout->roles) return SEPAL_EMEMORY;
    for (size_t c = 0; c < n; c++) layout->roles[c].name = columns->names[c];
    *out = (struct choice){
        .drop = marks, .only = marks + n, .keep = marks + 2 * n, .text = marks + 3 * n};
    TRY(column_list_mark(out->drop, ctx, columns, options->drop, "drop"));
    TRY(column_list_mark(out->only, ctx, columns, options->only, "only"));
    TRY(mark_kept(out, ctx, columns, options->keep));
    TRY(column_list_mark(out->text, ctx, columns, options->categorical, "categorical"));
    TRY(choose_target(layout, ctx, arena, columns, options));
    return column_list_one(&columns->weight, ctx, columns, options->weight, "weight");
}

/* The column tells of a label that is called as it is. */
static sepal_status set_bit(struct table_layout *layout, sepal_ctx *ctx,
                            const struct columns *columns, size_t c) {
    const char *name = columns->names[c];
    layout->roles[c].role = ROLE_LABEL;
    layout->roles[c].bit = true;
    if (!label_is_missing((struct slice){name, strlen(name)})) return SEPAL_OK;
    return fail_at(ctx, SEPAL_EDATA, columns->file, columns->header_line, 1,
                   "the target column '%s' cannot be the name of a label; rename it", name);
}

static bool is_a_target(const struct columns *columns, size_t c) {
    return c == columns->target || (columns->targets && c != SIZE_MAX && columns->targets[c]);
}

sepal_status columns_plan(struct table_layout *layout, struct schema *schema, sepal_ctx *ctx,
                          struct arena *arena, struct columns *columns,
                          const struct read_options *options) {
    struct choice choice;
    TRY(columns_choose(&choice, layout, ctx, arena, columns, options));
    if (columns->target == SIZE_MAX && !columns->targets && !columns->labels_elsewhere)
        take_default_target(columns);
    if (columns->weight != SIZE_MAX && is_a_target(columns, columns->weight))
        return fail_at(ctx, SEPAL_EDATA, columns->file, columns->header_line, 1,
                       "column '%s' cannot be both the target and the weight; name the label "
                       "column with " OPTION "target",
                       columns->names[columns->weight]);
    schema->columns = arena_zero(ctx, &schema->arena, columns->n, sizeof *schema->columns);
    if (!schema->columns) return SEPAL_EMEMORY;
    for (size_t c = 0; c < columns->n; c++) {
        struct table_role *role = &layout->roles[c];
        role->as_text = choice.text[c];
        role->keep = columns->carried_for && choice.keep[c];
        layout->keeps = layout->keeps || role->keep;
        role->as_number = columns->numbers && !role->as_text;
        if (c == columns->target)
            role->role = ROLE_LABEL;
        else if (is_a_target(columns, c))
            TRY(set_bit(layout, ctx, columns, c));
        else if (c == columns->weight)
            role->role = ROLE_WEIGHT;
        else if (!choice.drop[c] && (!choice.keep[c] || choice.keep_all) &&
                 (!options->only || choice.only[c]))
            add_feature(role, layout, schema, columns, c);
    }
    layout->labels = columns->target != SIZE_MAX || columns->targets;
    layout->sets = layout->separator || columns->targets;
    schema->label_separator = layout->separator;
    layout->weights = columns->weight != SIZE_MAX;
    schema->header = columns->header;
    schema->cells = columns->n;
    if (columns->target != SIZE_MAX) {
        schema->target = columns->names[columns->target];
        schema->target_position = columns->target;
    }
    if (layout->weights) schema->weight = columns->names[columns->weight];
    note_second_target(ctx, columns, layout);
    return SEPAL_OK;
}

/* ---- for a model -------------------------------------------------------------------------- */

bool columns_named(const struct schema *schema, const struct tokens *first_row) {
    if (!schema->header || schema->n_columns == 0) return false;
    for (size_t i = 0; i < schema->n_columns; i++) {
        struct slice name = {schema->columns[i].name, strlen(schema->columns[i].name)};
        if (tokens_find(first_row, name) == SIZE_MAX) return false;
    }
    return true;
}

static void set_known(struct table_layout *layout, size_t c, const struct schema *schema,
                      size_t i) {
    layout->roles[c].role = ROLE_FEATURE;
    layout->roles[c].feature = i;
    layout->roles[c].known = &schema->columns[i];
    layout->roles[c].as_text = schema->columns[i].text;
}

static sepal_status match_names(struct table_layout *layout, sepal_ctx *ctx,
                                const struct columns *columns, const struct schema *schema) {
    for (size_t i = 0; i < schema->n_columns; i++) {
        const char *name = schema->columns[i].name;
        size_t c = find_name(columns, (struct slice){name, strlen(name)});
        if (c == SIZE_MAX)
            return fail_at(ctx, SEPAL_EDATA, columns->file, columns->header_line, 1,
                           "the column '%s', which the model needs, is not in this file; %s", name,
                           schema->header ? "sepal inspect lists the columns of the model"
                                          : "the model was trained without a header: " OPTION
                                            "header no " OPTION "skip 1 "
                                            "matches columns by position");
        set_known(layout, c, schema, i);
    }
    return SEPAL_OK;
}

/* Without names the number of columns tells which they are. */
enum shape {
    SHAPE_NONE,
    SHAPE_TRAINED,   /* as in training */
    SHAPE_LABELLED,  /* the features and the target, or targets, where they were among them */
    SHAPE_FEATURES,  /* the features alone */
    SHAPE_TARGETLESS /* as in training, but without the target */
};

static enum shape shape_of(size_t n, const struct schema *schema) {
    size_t targets = schema_targets(schema);
    if (n == schema->cells) return SHAPE_TRAINED;
    if (targets && n == schema->n_columns + targets) return SHAPE_LABELLED;
    if (n == schema->n_columns) return SHAPE_FEATURES;
    return targets && n + targets == schema->cells ? SHAPE_TARGETLESS : SHAPE_NONE;
}

static size_t target_cell(const struct schema *schema, size_t k) {
    return schema->label_cells ? schema->label_cells[k] : schema->target_position;
}

/* Target columns of the training file before a cell of it. */
static size_t targets_before(const struct schema *schema, size_t cell) {
    size_t before = 0;
    for (size_t k = 0; k < schema_targets(schema); k++) before += target_cell(schema, k) < cell;
    return before;
}

/* Where feature i is. */
static size_t cell_of(enum shape shape, const struct schema *schema, size_t i) {
    size_t position = schema->columns[i].position;
    switch (shape) {
    case SHAPE_TRAINED: return position;
    case SHAPE_TARGETLESS: return position - targets_before(schema, position);
    case SHAPE_LABELLED: return i + targets_before(schema, position);
    default: return i;
    }
}

/* Where target k is; SIZE_MAX: nowhere. */
static size_t cell_of_target(enum shape shape, const struct schema *schema, size_t k) {
    size_t target = target_cell(schema, k), before = 0;
    if (shape == SHAPE_TRAINED) return target;
    if (shape != SHAPE_LABELLED) return SIZE_MAX;
    while (before < schema->n_columns && schema->columns[before].position < target) before++;
    return before + targets_before(schema, target);
}

/* `cells` becomes where the columns of labels are; NULL: there are none to look for. */
static sepal_status match_positions(struct table_layout *layout, sepal_ctx *ctx,
                                    struct columns *columns, const struct schema *schema,
                                    size_t *cells) {
    size_t n = columns->n;
    enum shape shape = shape_of(n, schema);
    if (shape == SHAPE_NONE)
        return fail_at(ctx, SEPAL_EDATA, columns->file, columns->header_line, 1,
                       "this file has %zu column%s; the model needs its %zu features, with or "
                       "without the target%s",
                       n, n == 1 ? "" : "s", schema->n_columns,
                       columns->numbers ? ""
                                        : "; if rows begin further down, say " OPTION
                                          "skip N, of those of " OPTION "test " OPTION
                                          "test-skip N");
    if (shape == SHAPE_LABELLED && n + schema_targets(schema) == schema->cells)
        warn(ctx, "columns-in-doubt",
             "%zu columns without names: taken as the %zu features and the target, not as the "
             "training file without its target; a header would leave no doubt",
             n, schema->n_columns);
    for (size_t i = 0; i < schema->n_columns; i++)
        set_known(layout, cell_of(shape, schema, i), schema, i);
    bool given = columns->target != SIZE_MAX || columns->targets;
    if (!given && schema->target) columns->target = cell_of_target(shape, schema, 0);
    for (size_t k = 0; cells && k < schema->n_classes; k++)
        cells[k] = cell_of_target(shape, schema, k);
    if (columns->weight == SIZE_MAX && shape == SHAPE_TRAINED && schema->weight)
        columns->weight =
            find_name(columns, (struct slice){schema->weight, strlen(schema->weight)});
    return SEPAL_OK;
}

/* As many columns are no part of the model as in training, where they were left out on purpose: of
   these there is nothing to say. */
static bool left_out_before(const struct table_layout *layout, const struct schema *schema) {
    size_t cells = schema->n_columns + schema_targets(schema) + (schema->weight != NULL);
    for (size_t c = 0; c < layout->n_cells; c++) cells += layout->roles[c].role == ROLE_IGNORE;
    return schema->header && cells == schema->cells;
}

static void note_extra(const struct table_layout *layout, sepal_ctx *ctx,
                       const struct columns *columns, const struct schema *schema,
                       const bool *kept) {
    size_t extra = 0, first = 0;
    for (size_t c = columns->n; c-- > 0;)
        if (layout->roles[c].role == ROLE_IGNORE && !kept[c]) {
            extra++;
            first = c;
        }
    if (left_out_before(layout, schema)) return;
    if (extra == 1)
        warn(ctx, "extra-columns", "column '%s' is not part of the model and is ignored",
             columns->names[first]);
    else if (extra)
        warn(ctx, "extra-columns",
             "%zu columns ('%s' the first) are not part of the model and are ignored", extra,
             columns->names[first]);
}

static size_t column_named(const struct columns *columns, const char *name) {
    if (!columns->header || !name) return SIZE_MAX;
    return find_name(columns, (struct slice){name, strlen(name)});
}

static sepal_status set_role(struct table_layout *layout, sepal_ctx *ctx,
                             const struct columns *columns, size_t c, enum role role) {
    static const char *const words[] = {
        [ROLE_FEATURE] = "a feature of the model", [ROLE_LABEL] = "the target"};
    if (c == SIZE_MAX) return SEPAL_OK;
    if (layout->roles[c].role != ROLE_IGNORE)
        return fail_at(ctx, SEPAL_EDATA, columns->file, columns->header_line, 1,
                       "column '%s' is %s and cannot be the %s as well; name another one",
                       columns->names[c], words[layout->roles[c].role],
                       role == ROLE_LABEL ? "target" : "weight");
    layout->roles[c].role = role;
    return SEPAL_OK;
}

/* The columns of labels that are there; where labels are asked for, all have to be. */
static sepal_status set_bits(struct table_layout *layout, sepal_ctx *ctx, struct columns *columns,
                             const struct schema *schema, const size_t *cells, bool with_labels) {
    for (size_t k = 0; k < schema->n_classes; k++) {
        if (cells[k] == SIZE_MAX && with_labels)
            return fail_at(ctx, SEPAL_EDATA, columns->file, columns->header_line, 1,
                           "the target column '%s', one of the labels of the model, is not in "
                           "this file; name the columns that are with " OPTION "target",
                           schema->classes[k]);
        TRY(set_role(layout, ctx, columns, cells[k], ROLE_LABEL));
        if (cells[k] != SIZE_MAX) layout->roles[cells[k]].bit = true;
    }
    return SEPAL_OK;
}

/* Those that the user names. */
static sepal_status set_given_bits(struct table_layout *layout, sepal_ctx *ctx,
                                   const struct columns *columns) {
    for (size_t c = 0; c < columns->n; c++) {
        if (!columns->targets[c]) continue;
        TRY(set_role(layout, ctx, columns, c, ROLE_LABEL));
        TRY(set_bit(layout, ctx, columns, c));
    }
    return SEPAL_OK;
}

/* The cells of a model's columns of labels, for a file that is not told of others; else NULL. */
static sepal_status find_bits(size_t **out, sepal_ctx *ctx, struct arena *arena,
                              const struct columns *columns, const struct schema *schema) {
    *out = NULL;
    bool given = columns->target != SIZE_MAX || columns->targets || columns->labels_elsewhere;
    if (!schema->label_cells || given) return SEPAL_OK;
    *out = arena_alloc(ctx, arena, schema->n_classes, sizeof **out);
    if (!*out) return SEPAL_EMEMORY;
    for (size_t k = 0; k < schema->n_classes; k++)
        (*out)[k] = column_named(columns, schema->classes[k]);
    return SEPAL_OK;
}

static sepal_status match_targets(struct table_layout *layout, sepal_ctx *ctx,
                                  struct columns *columns, const struct schema *schema,
                                  const size_t *cells, bool with_labels) {
    if (!layout->separator && columns->target != SIZE_MAX)
        layout->separator = schema->label_separator;
    layout->sets = layout->separator || columns->targets || cells;
    if (columns->targets) return set_given_bits(layout, ctx, columns);
    if (cells) return set_bits(layout, ctx, columns, schema, cells, with_labels);
    return set_role(layout, ctx, columns, columns->target, ROLE_LABEL);
}

sepal_status columns_match(struct table_layout *layout, sepal_ctx *ctx, struct arena *arena,
                           struct columns *columns, const struct schema *schema,
                           const struct read_options *options, bool with_labels) {
    struct choice choice;
    size_t *cells;
    TRY(columns_choose(&choice, layout, ctx, arena, columns, options));
    TRY(find_bits(&cells, ctx, arena, columns, schema));
    layout->n_features = schema->n_columns;
    if (columns->header)
        TRY(match_names(layout, ctx, columns, schema));
    else
        TRY(match_positions(layout, ctx, columns, schema, cells));
    if (columns->target == SIZE_MAX && !columns->targets)
        columns->target = column_named(columns, schema->target);
    if (columns->weight == SIZE_MAX) columns->weight = column_named(columns, schema->weight);
    bool lacking = with_labels && columns->target == SIZE_MAX && !columns->targets && !cells &&
                   !columns->labels_elsewhere;
    if (lacking && !schema->target)
        return fail_at(ctx, SEPAL_EDATA, columns->file, columns->header_line, 1,
                       "there are no labels here; give " OPTION "labels FILE (" OPTION
                       "test-labels for the rows of " OPTION "test), or " OPTION "target COLUMN");
    if (lacking)
        return fail_at(
            ctx, SEPAL_EDATA, columns->file, columns->header_line, 1,
            "there are no labels here: the target column '%s' is missing; name it with " OPTION
            "target, or give " OPTION "labels FILE",
            schema->target);
    TRY(match_targets(layout, ctx, columns, schema, cells, with_labels));
    TRY(set_role(layout, ctx, columns, columns->weight, ROLE_WEIGHT));
    for (size_t c = 0; c < columns->n; c++) {
        struct table_role *role = &layout->roles[c];
        role->keep = choice.keep[c];
        layout->keeps = layout->keeps || role->keep;
        choice.keep[c] = choice.keep[c] || choice.drop[c];
    }
    layout->labels = with_labels && !columns->labels_elsewhere;
    layout->weights = with_labels && columns->weight != SIZE_MAX && !options->weights;
    layout->unknown_zero = options->unknown == UNKNOWN_ZERO;
    layout->drops = schema->missing == MISSING_DROP;
    if (columns->header) note_extra(layout, ctx, columns, schema, choice.keep);
    return SEPAL_OK;
}
