/* Grids: which stages their axes are about, and the spec of each point, as the stages of a spec with the
   settings of some put in the place of those that were given. */
#include "selection/grid.h"

#include "model/pipeline.h"

#include <stdio.h>
#include <string.h>

/* ---- the stages ---------------------------------------------------------------------------- */

/* NULL: there is no such learner or map, or it has no parameters. */
static const struct parameter *stage_parameters(const char *name) {
    const struct learner *learner = learner_find(name);
    const struct map *map = map_find(name);
    return learner ? learner->parameters : map ? map->parameters : NULL;
}

/* Whether a stage is meant by what stands before the dot: its name, or its number from 1. */
static bool is_meant(const struct spec *spec, size_t stage, struct slice word) {
    char number[24];
    (void)snprintf(number, sizeof number, "%zu", stage + 1);
    return slice_is(word, spec->stages[stage].name) || slice_is(word, number);
}

static void name_parameters(const struct grid *grid, struct text *out) {
    for (size_t s = 0; s < grid->spec.n_stages; s++) {
        const struct parameter *row = stage_parameters(grid->spec.stages[s].name);
        if (!row || !row->name) continue;
        text_printf(grid->ctx, out, "%s%s has ", out->length ? "; " : "",
                    grid->spec.stages[s].name);
        for (size_t i = 0; row[i].name; i++)
            text_printf(grid->ctx, out, "%s%s", i ? ", " : "", row[i].name);
    }
}

static sepal_status refuse_name(const struct grid *grid, const char *name) {
    struct text known = {0};
    name_parameters(grid, &known);
    const struct parameter *option = parameters_find(fit_option_table, name);
    sepal_status status =
        known.failed ? SEPAL_EMEMORY
        : option     ? fail(grid->ctx, SEPAL_EUSAGE,
                            OPTION "over %.60s: that is an option of the fit, the same for all "
                                       "points; write " OPTION "%s VALUE beside the grid",
                            name, option->name)
                     : fail(grid->ctx, SEPAL_EUSAGE,
                            OPTION "over %.60s: no stage of '%.200s' has a parameter of that "
                                       "name; %s",
                            name, grid->text, known.length ? known.bytes : "none has any");
    text_clear(&known);
    return status;
}

static sepal_status refuse_several(const struct grid *grid, const char *name, size_t first,
                                   size_t second) {
    const char *one = grid->spec.stages[first].name, *other = grid->spec.stages[second].name;
    if (strcmp(one, other) == 0)
        return fail(grid->ctx, SEPAL_EUSAGE,
                    OPTION "over %.60s: the stages %zu and %zu of the spec have it; write %zu.%s "
                           "or %zu.%s",
                    name, first + 1, second + 1, first + 1, name, second + 1, name);
    return fail(grid->ctx, SEPAL_EUSAGE,
                OPTION "over %.60s: %s and %s both have it; write %s.%s or %s.%s", name, one, other,
                one, name, other, name);
}

/* The stage of an axis, and which of its parameters is varied. */
static sepal_status axis_find(struct grid_axis *axis, const struct grid *grid) {
    const char *dot = strchr(axis->name, '.'), *name = dot ? dot + 1 : axis->name;
    struct slice before = {axis->name, dot ? (size_t)(dot - axis->name) : 0};
    bool found = false, whole = false;
    for (size_t s = 0; s < grid->spec.n_stages; s++) {
        const char *stage = grid->spec.stages[s].name;
        const struct parameter *table = stage_parameters(stage);
        const struct parameter *row = table ? parameters_find(table, name) : NULL;
        bool is_stage = !dot && (strcmp(stage, name) == 0);
        if (dot && !is_meant(&grid->spec, s, before)) continue;
        if (!row && !is_stage) continue;
        if (found) return refuse_several(grid, name, axis->stage, s);
        axis->stage = s;
        axis->varied = row;
        found = true;
        whole = is_stage;
    }
    if (whole) axis->varied = NULL;
    return found ? SEPAL_OK : refuse_name(grid, axis->name);
}

/* ---- axes ---------------------------------------------------------------------------------- */

/* The end of an axis: a ';' outside of quotes, or that of the text. */
static const char *axis_end(const char *at) {
    for (; *at && *at != ';'; at++) {
        if (*at != '"') continue;
        for (at++; *at && *at != '"'; at++)
            if (*at == '\\' && at[1]) at++;
        if (!*at) return at;
    }
    return at;
}

static sepal_status axis_read(struct grid_axis *axis, struct grid *grid, struct slice text) {
    const char *equals = memchr(text.bytes, '=', text.length);
    size_t length = equals ? (size_t)(equals - text.bytes) : text.length;
    while (length > 0 && text.bytes[length - 1] == ' ') length--;
    char *name = arena_text(grid->ctx, grid->arena, text.bytes, length);
    if (!name) return SEPAL_EMEMORY;
    for (char *c = name; *c; c++)
        if (*c == '_') *c = '-';
    if (!equals || length == 0)
        return fail(grid->ctx, SEPAL_EUSAGE,
                    OPTION "over %.60s has no values; write NAME=VALUES, for instance " OPTION
                           "over C=0.01:100:log:9",
                    name);
    *axis = (struct grid_axis){.name = name};
    TRY(axis_find(axis, grid));
    const char *values = equals + 1;
    TRY(grid_read_values(axis, grid->ctx, grid->arena,
                         (struct slice){values, text.length - (size_t)(values - text.bytes)}));
    for (char *c = name; *c; c++)
        if (*c == '-' && axis->varied) *c = '_'; /* as specs are written out */
    axis->side = grid_side(axis);
    return SEPAL_OK;
}

static sepal_status check_apart(const struct grid *grid, const struct grid_axis *axis) {
    for (size_t a = 0; a < grid->n_axes; a++) {
        const struct grid_axis *other = &grid->axes[a];
        if (other->stage == axis->stage && other->varied == axis->varied)
            return fail(grid->ctx, SEPAL_EUSAGE,
                        OPTION "over %s is given twice; write all its values once, with commas "
                               "between them",
                        axis->name);
    }
    return SEPAL_OK;
}

static sepal_status read_axes(struct grid *grid, const char *over) {
    size_t most = 1;
    for (const char *c = over; *c; c++) most += *c == ';';
    grid->axes = arena_zero(grid->ctx, grid->arena, most, sizeof *grid->axes);
    if (!grid->axes) return SEPAL_EMEMORY;
    grid->n = 1;
    for (const char *at = over;; at++) {
        struct grid_axis axis;
        at += strspn(at, " \t\n\r\v\f");
        const char *end = axis_end(at);
        TRY(axis_read(&axis, grid, (struct slice){at, (size_t)(end - at)}));
        TRY(check_apart(grid, &axis));
        if (axis.n > GRID_MOST / grid->n)
            return fail(grid->ctx, SEPAL_EUSAGE,
                        "the grid has more than %d points; give fewer values", GRID_MOST);
        grid->n *= axis.n;
        grid->axes[grid->n_axes++] = axis;
        at = end;
        if (!*at) return SEPAL_OK;
    }
}

/* ---- points -------------------------------------------------------------------------------- */

size_t grid_place(const struct grid *grid, size_t point, size_t axis) {
    for (size_t a = grid->n_axes; --a > axis;) point /= grid->axes[a].n;
    return point % grid->axes[axis].n;
}

static void put_setting(const struct grid *grid, struct text *out, size_t *n, const char *name,
                        const char *value) {
    text_puts(grid->ctx, out, (*n)++ ? ", " : "(");
    for (; *name; name++) text_add(grid->ctx, out, *name == '-' ? "_" : name, 1);
    if (!value) return;
    text_puts(grid->ctx, out, "=");
    spec_quote(grid->ctx, out, value);
}

/* The axis that varies a setting of a stage, NULL: none. setting NULL: the stage itself. */
static const struct grid_axis *axis_of(const struct grid *grid, size_t stage, const char *setting) {
    for (size_t a = 0; a < grid->n_axes; a++) {
        const struct grid_axis *axis = &grid->axes[a];
        if (axis->stage != stage || !axis->varied != !setting) continue;
        if (!setting || strcmp(axis->varied->name, setting) == 0) return axis;
    }
    return NULL;
}

static void put_stage(const struct grid *grid, struct text *out, size_t s, size_t point) {
    const struct spec_stage *stage = &grid->spec.stages[s];
    const struct grid_axis *whole = axis_of(grid, s, NULL);
    size_t n = 0;
    if (whole) {
        text_puts(grid->ctx, out,
                  whole->text[grid_place(grid, point, (size_t)(whole - grid->axes))]);
        return; /* what was given to the stage is not the other's */
    }
    text_puts(grid->ctx, out, stage->name);
    for (size_t i = 0; i < stage->n_settings; i++)
        if (!axis_of(grid, s, stage->settings[i].name))
            put_setting(grid, out, &n, stage->settings[i].name, stage->settings[i].value);
    for (size_t a = 0; a < grid->n_axes; a++)
        if (grid->axes[a].stage == s && grid->axes[a].varied)
            put_setting(grid, out, &n, grid->axes[a].varied->name,
                        grid->axes[a].text[grid_place(grid, point, a)]);
    if (n) text_puts(grid->ctx, out, ")");
}

static const char *take_text(const struct grid *grid, struct text *text) {
    const char *copy =
        text->failed ? NULL : arena_text(grid->ctx, grid->arena, text->bytes, text->length);
    text_clear(text);
    return copy;
}

const char *grid_spec(const struct grid *grid, size_t point) {
    struct text text = {0};
    for (size_t s = 0; s < grid->spec.n_stages; s++) {
        if (s) text_puts(grid->ctx, &text, " | ");
        put_stage(grid, &text, s, point);
    }
    return take_text(grid, &text);
}

const char *grid_point_name(const struct grid *grid, size_t point) {
    struct text text = {0};
    for (size_t a = 0; a < grid->n_axes; a++)
        text_printf(grid->ctx, &text, "%s%s=%s", a ? ", " : "", grid->axes[a].name,
                    grid->axes[a].text[grid_place(grid, point, a)]);
    return take_text(grid, &text);
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* Which axis is to blame: a point that has only that axis' value is refused, too. */
static sepal_status refuse_point(const struct grid *grid, size_t point) {
    struct error why = grid->ctx->error;
    const char *name = grid_point_name(grid, point);
    if (why.status != SEPAL_EUSAGE || !name) return why.status;
    return fail(grid->ctx, SEPAL_EUSAGE, OPTION "over: the point %.300s cannot be fitted: %.1500s",
                name, why.message);
}

static sepal_status check_points(const struct grid *grid, const char *fit_options) {
    for (size_t k = 0; k < grid->n; k++) {
        struct arena arena = {0}; /* points come and go */
        struct grid point = *grid;
        point.arena = &arena;
        const char *spec = grid_spec(&point, k);
        sepal_status status = spec ? pipeline_check(grid->ctx, spec, fit_options) : SEPAL_EMEMORY;
        arena_clear(&arena);
        if (status != SEPAL_OK) return refuse_point(grid, k);
        if (k % 64 == 0) TRY(check_cancelled(grid->ctx, "checking the points of the grid"));
    }
    return SEPAL_OK;
}

sepal_status grid_make(struct grid *out, sepal_ctx *ctx, struct arena *arena, const char *spec,
                       const char *over, const char *fit_options) {
    *out = (struct grid){.ctx = ctx, .arena = arena, .text = spec};
    TRY(pipeline_check(ctx, spec, fit_options));
    TRY(spec_parse(&out->spec, ctx, arena, spec));
    TRY(read_axes(out, over));
    return check_points(out, fit_options);
}
