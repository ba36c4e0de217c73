/* Which columns the bounds on weights are of, and the bounds in the units that a learner sees: a weight of
   z = (x - shift) / divisor is divisor times that of x. */
#include "model/bounds.h"

#include "data/tokens.h"
#include "io/columns.h"

#include <float.h>
#include <string.h>

struct resolving {
    sepal_ctx *ctx;
    struct arena *arena;
    const struct schema *schema;
    bool own; /* the columns are those of the file: no map makes new ones */
    size_t width;
    const char **names;    /* of the columns */
    struct tokens by_name; /* the same, to be found quickly */
    double *low, *high;
    const struct bound **bounded_by; /* of each column, in the list of bounds */
    const struct bound_list *list;

    /* What is being resolved: a bound of the list, or an item of `nonneg`. */
    const struct bound *bound;
    struct slice item;
    bool any; /* a column was found */
};

/* ---- names -------------------------------------------------------------------------------- */

static void bounds_input_name(sepal_ctx *ctx, struct text *out, size_t j, const void *payload) {
    schema_column_name(ctx, out, payload, j);
}

static sepal_status gather_names(struct resolving *all, const struct map_chain *chain) {
    struct map_names inputs = {.print = bounds_input_name, .payload = all->schema};
    struct text name = {0};
    all->own = true;
    for (size_t m = 0; m < chain->n; m++) all->own = all->own && chain->maps[m].map->affine;
    for (size_t j = 0; j < all->width && !name.failed; j++) {
        uint32_t number;
        bool fresh;
        name.length = 0;
        map_chain_name(all->ctx, &name, chain, chain->n, j, &inputs);
        all->names[j] =
            name.failed ? NULL : arena_text(all->ctx, all->arena, name.bytes, name.length);
        struct slice text = {all->names[j], name.length};
        if (!all->names[j] ||
            tokens_add(&all->by_name, all->ctx, text, &number, &fresh) != SEPAL_OK)
            name.failed = true;
    }
    bool failed = name.failed;
    text_clear(&name);
    return failed ? SEPAL_EMEMORY : SEPAL_OK;
}

/* Names that are no columns here, for a suggestion. */
static const char *suggest_column(const struct resolving *all, const char *wrong) {
    const char *near = text_suggest(wrong, all->names, all->width);
    for (size_t c = 0; !near && all->own && c < all->schema->n_columns; c++)
        near = text_suggest(wrong, &all->schema->columns[c].name, 1);
    return near;
}

static sepal_status refuse_column(const struct resolving *all) {
    char wrong[TEXT_SHOWN_BYTES];
    text_shown(wrong, all->item.bytes, all->item.length);
    const char *near = suggest_column(all, wrong), *file = all->bound ? all->list->file : NULL;
    return fail_at(all->ctx, SEPAL_EDATA, file ? file : "", file ? all->bound->line : 0,
                   file ? all->bound->column : 0,
                   "%s: there is no column '%s' to bound the weight of%s%s%s give a name as `sepal "
                   "inspect` shows it, a pattern like PAY_*, or all",
                   all->bound ? "bounds" : "nonneg", wrong, near ? "; did you mean '" : "",
                   near ? near : "", near ? "'?" : ";");
}

/* ---- one column --------------------------------------------------------------------------- */

static sepal_status bound_twice(const struct resolving *all, size_t j) {
    const struct bound *before = all->bounded_by[j];
    const char *file = all->list->file;
    if (!file)
        return fail(
            all->ctx, SEPAL_EUSAGE,
            "bounds: the weight of '%s' is bounded twice, by '%s' and by '%s'; leave one out",
            all->names[j], before->name, all->bound->name);
    return fail_at(all->ctx, SEPAL_EDATA, file, all->bound->line, all->bound->column,
                   "the weight of '%s' has its bounds from line %zu; leave one of the lines out",
                   all->names[j], before->line);
}

static sepal_status bound_column(struct resolving *all, size_t j) {
    all->any = true;
    if (all->bound) {
        if (all->bounded_by[j]) return bound_twice(all, j);
        all->bounded_by[j] = all->bound;
        all->low[j] = all->bound->low;
        all->high[j] = all->bound->high;
        return SEPAL_OK;
    }
    if (all->high[j] < 0)
        return fail(
            all->ctx, SEPAL_EUSAGE,
            "the bounds of '%s' cross: nonneg wants a weight of at least 0, and bounds one of "
            "at most %g; leave one of them out",
            all->names[j], all->high[j]);
    all->low[j] = fmax(all->low[j], 0);
    return SEPAL_OK;
}

/* All that a column of the file has become. */
static sepal_status bound_input(struct resolving *all, const struct column *column) {
    size_t parts = column->text ? column->n_categories + column->indicator : 1;
    for (size_t k = 0; k < parts; k++) TRY(bound_column(all, column->first + k));
    return SEPAL_OK;
}

/* ---- one item ----------------------------------------------------------------------------- */

static bool item_matches(const struct resolving *all, const char *name) {
    return column_item_matches(all->item, (struct slice){name, strlen(name)});
}

static sepal_status bound_text_column(struct resolving *all) {
    for (size_t c = 0; all->own && c < all->schema->n_columns; c++) {
        const struct column *column = &all->schema->columns[c];
        if (column->text && slice_is(all->item, column->name)) TRY(bound_input(all, column));
    }
    return SEPAL_OK;
}

/* Of what one column of the file has become; all of it where the pattern names a text column. */
static sepal_status bound_pattern_of(struct resolving *all, const struct column *column) {
    size_t parts = (column->text ? column->n_categories : 1) + column->indicator;
    bool whole = column->text && item_matches(all, column->name);
    for (size_t j = column->first; j < column->first + parts; j++)
        if (whole || item_matches(all, all->names[j])) TRY(bound_column(all, j));
    return SEPAL_OK;
}

static sepal_status bound_pattern(struct resolving *all) {
    const struct schema *schema = all->schema;
    bool table = all->own && schema->family == FAMILY_TABLE;
    for (size_t c = 0; table && c < schema->n_columns; c++)
        TRY(bound_pattern_of(all, &schema->columns[c]));
    for (size_t j = 0; !table && j < all->width; j++)
        if (item_matches(all, all->names[j])) TRY(bound_column(all, j));
    return SEPAL_OK;
}

/* Columns by number: of a table that of the file, of index:value pairs the index, else from 1 on. */
static sepal_status bound_range(struct resolving *all, size_t first, size_t last) {
    const struct schema *schema = all->schema;
    if (all->own && schema->family == FAMILY_TABLE) {
        for (size_t c = 0; c < schema->n_columns; c++) {
            size_t number = schema->columns[c].position + 1;
            if (number >= first && number <= last) TRY(bound_input(all, &schema->columns[c]));
        }
        return SEPAL_OK;
    }
    size_t base = all->own && schema->zero_based ? 0 : 1;
    for (size_t j = 0; j < all->width; j++)
        if (j + base >= first && j + base <= last) TRY(bound_column(all, j));
    return SEPAL_OK;
}

/* An exact name goes before all else that the item may be. */
static sepal_status bound_item(struct resolving *all) {
    size_t named = tokens_find(&all->by_name, all->item), first, last;
    all->any = false;
    if (named != SIZE_MAX) return bound_column(all, named);
    TRY(bound_text_column(all));
    if (all->any) return SEPAL_OK;
    if (slice_is(all->item, "all")) all->item = (struct slice){"*", 1};
    if (column_item_is_pattern(all->item))
        TRY(bound_pattern(all));
    else if (column_item_range(all->item, &first, &last))
        TRY(bound_range(all, first, last));
    return all->any ? SEPAL_OK : refuse_column(all);
}

static sepal_status bound_all(struct resolving *all, const struct weight_bounds *given) {
    const char *list = given->nonneg;
    for (size_t i = 0; i < all->list->n; i++) {
        all->bound = &all->list->items[i];
        all->item = (struct slice){all->bound->name, strlen(all->bound->name)};
        TRY(bound_item(all));
    }
    all->bound = NULL;
    if (!list) return SEPAL_OK;
    /* a name that itself holds a comma is given alone */
    all->item = (struct slice){list, strlen(list)};
    if (tokens_find(&all->by_name, all->item) != SIZE_MAX) return bound_item(all);
    while (column_item_next(&list, &all->item)) TRY(bound_item(all));
    return SEPAL_OK;
}

/* ---- units -------------------------------------------------------------------------------- */

/* The bound of the weight of phi that, divided again as reports do, is not beyond the one that was given;
   `inside`: where the other bound lies. */
static double bound_in_units(double bound, double divisor, double inside) {
    enum { ROUNDINGS = 4 };
    if (isinf(bound) || bound == 0 || divisor == 1) return bound;
    double mapped = box_clip(bound * divisor, -DBL_MAX, DBL_MAX);
    for (int i = 0; i < ROUNDINGS; i++) {
        double again = mapped / divisor;
        if (inside > 0 ? again >= bound : again <= bound) break;
        mapped = nextafter(mapped, inside);
    }
    return mapped;
}

static void take_units(double *low, double *high, const struct resolving *all,
                       const struct map_chain *chain) {
    for (size_t j = 0; j < all->width; j++) {
        double shift, divisor;
        map_chain_fold(chain, j, &shift, &divisor);
        low[j] = bound_in_units(all->low[j], divisor, INFINITY);
        high[j] = bound_in_units(all->high[j], divisor, -INFINITY);
        if (low[j] > high[j]) high[j] = low[j]; /* they were next to each other */
    }
}

static sepal_status bounds_make_room(struct resolving *all) {
    all->names = arena_alloc(all->ctx, all->arena, all->width, sizeof *all->names);
    all->bounded_by = arena_zero(all->ctx, all->arena, all->width, sizeof *all->bounded_by);
    TRY(ARENA_VECTORS(all->ctx, all->arena, all->width, &all->low, &all->high));
    if (!all->names || !all->bounded_by) return SEPAL_EMEMORY;
    for (size_t j = 0; j < all->width; j++) all->low[j] = -INFINITY, all->high[j] = INFINITY;
    return SEPAL_OK;
}

sepal_status bounds_resolve(struct resolved_bounds *out, sepal_ctx *ctx, struct arena *arena,
                            const struct pipeline *pipeline, const struct schema *schema,
                            const struct map_chain *chain, size_t width) {
    const struct learner *learner = pipeline->learner;
    const struct weight_bounds *given = learner->bounds ? learner->bounds(pipeline->config) : NULL;
    *out = (struct resolved_bounds){0};
    if (!given || !weight_bounds_given(given)) return SEPAL_OK;
    struct resolving all = {
        .ctx = ctx, .arena = arena, .schema = schema, .width = width, .list = &given->list};
    double *low, *high;
    struct box *box = arena_alloc(ctx, arena, 1, sizeof *box);
    if (!box) return SEPAL_EMEMORY;
    TRY(ARENA_VECTORS(ctx, arena, width, &low, &high));
    TRY(bounds_make_room(&all));
    sepal_status status = gather_names(&all, chain);
    if (status == SEPAL_OK) status = bound_all(&all, given);
    tokens_clear(&all.by_name);
    TRY(status);
    take_units(low, high, &all, chain);
    *box = (struct box){low, high};
    *out = (struct resolved_bounds){box, {all.low, all.high}};
    return SEPAL_OK;
}
