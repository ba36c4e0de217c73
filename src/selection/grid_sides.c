/* Which of several models is the simpler one, where a grid ends too early, and the grids that a learner is
   usually tried with. */
#include "core/decimal.h"
#include "model/pipeline.h"
#include "selection/grid.h"

#include <math.h>
#include <string.h>

/* ---- simpler ------------------------------------------------------------------------------- */

/* More of a penalty, of smoothing, of shrinkage towards fewer numbers; fewer columns, passes, pieces. */
static const struct {
    const char *parameter;
    enum grid_side side;
} sides[] = {
    {"l2", SIDE_LARGE},      {"l1", SIDE_LARGE},        {"C", SIDE_SMALL},
    {"ratio", SIDE_LARGE},   {"shrinkage", SIDE_LARGE}, {"smoothing", SIDE_LARGE},
    {"width", SIDE_LARGE},   {"degree", SIDE_SMALL},    {"features", SIDE_SMALL},
    {"centres", SIDE_SMALL}, {"bits", SIDE_SMALL},      {"epochs", SIDE_SMALL},
    {"axes", SIDE_SMALL},
};

enum grid_side grid_side(const struct grid_axis *axis) {
    for (size_t i = 0; i < axis->n; i++)
        if (isnan(axis->number[i])) return SIDE_NONE;
    for (size_t i = 0; axis->varied && i < sizeof sides / sizeof *sides; i++)
        if (strcmp(axis->varied->name, sides[i].parameter) == 0) return sides[i].side;
    return SIDE_NONE;
}

/* Above 0: `a` is simpler than `b`. */
static double simpler_by(const struct grid *grid, size_t a, size_t b) {
    for (size_t k = 0; k < grid->n_axes; k++) {
        const struct grid_axis *axis = &grid->axes[k];
        double more = axis->number[grid_place(grid, a, k)] - axis->number[grid_place(grid, b, k)];
        if (axis->side == SIDE_NONE || more == 0) continue;
        return axis->side == SIDE_LARGE ? more : -more;
    }
    return 0;
}

static bool agrees(const struct grid *grid, size_t a, size_t b) {
    for (size_t k = 0; k < grid->n_axes; k++)
        if (grid->axes[k].side == SIDE_NONE && grid_place(grid, a, k) != grid_place(grid, b, k))
            return false;
    return true;
}

size_t grid_simplest(const struct grid *grid, const bool *eligible, size_t best) {
    size_t simplest = best;
    for (size_t k = 0; k < grid->n; k++)
        if (eligible[k] && agrees(grid, k, best) && simpler_by(grid, k, simplest) > 0) simplest = k;
    return simplest;
}

/* ---- beyond -------------------------------------------------------------------------------- */

struct ends {
    double low, high, edge;
    bool at_low, logarithmic;
};

static bool find_ends(struct ends *out, const struct grid_axis *axis, size_t place) {
    *out = (struct ends){.low = INFINITY, .high = -INFINITY, .edge = axis->number[place]};
    if (!axis->varied || axis->n < 3) return false;
    for (size_t i = 0; i < axis->n; i++) {
        if (isnan(axis->number[i])) return false;
        out->low = fmin(out->low, axis->number[i]);
        out->high = fmax(out->high, axis->number[i]);
    }
    out->at_low = out->edge == out->low;
    out->logarithmic = out->low > 0 && (axis->logarithmic || out->high / out->low >= 100);
    return out->at_low || out->edge == out->high;
}

static void put_rounded(sepal_ctx *ctx, struct text *out, double value) {
    double size = value == 0 ? 1 : pow(10, floor(log10(fabs(value))) - 1);
    double rounded = size < 1 ? round(value / size) / round(1 / size) : round(value / size) * size;
    text_number(ctx, out, rounded);
}

/* The range of the same length that has the end in its middle. */
static double ends_beyond(struct text *out, const struct grid *grid, const struct grid_axis *axis,
                          const struct ends *ends) {
    double low, high, half = (ends->high - ends->low) / 2;
    bool count = axis->varied->type == PARAMETER_COUNT;
    if (ends->logarithmic) {
        double root = sqrt(ends->high / ends->low);
        low = ends->edge / root;
        high = ends->edge * root;
    } else {
        low = ends->edge - half;
        high = ends->edge + half;
    }
    if (count) {
        low = fmax(1, floor(low));
        high = ceil(high);
    }
    text_printf(grid->ctx, out, "%s=", axis->name);
    put_rounded(grid->ctx, out, low);
    text_puts(grid->ctx, out, ":");
    put_rounded(grid->ctx, out, high);
    if (!count || ends->logarithmic)
        text_printf(grid->ctx, out, "%s:%zu", ends->logarithmic ? ":log" : "", axis->n);
    return ends->at_low ? low : high;
}

/* Whether the parameter may have that value at all. */
static bool is_possible(const struct grid *grid, size_t point, const struct grid_axis *axis,
                        double value) {
    char digits[DECIMAL_BYTES + 1];
    struct grid other = *grid;
    struct error before = grid->ctx->error;
    const char *text = digits;
    digits[decimal_print(digits, value)] = '\0';
    other.axes = arena_alloc(grid->ctx, grid->arena, grid->n_axes, sizeof *other.axes);
    if (!other.axes) return false;
    memcpy(other.axes, grid->axes, grid->n_axes * sizeof *other.axes);
    struct grid_axis *changed = &other.axes[axis - grid->axes];
    const char **texts = arena_alloc(grid->ctx, grid->arena, axis->n, sizeof *texts);
    if (!texts) return false;
    for (size_t i = 0; i < axis->n; i++) texts[i] = text;
    changed->text = texts;
    const char *spec = grid_spec(&other, point);
    bool possible = spec && pipeline_check(grid->ctx, spec, NULL) == SEPAL_OK;
    if (!possible) grid->ctx->error = before;
    return possible;
}

const char *grid_beyond(const struct grid *grid, size_t best, size_t axis) {
    const struct grid_axis *of = &grid->axes[axis];
    struct ends ends;
    struct text text = {0};
    if (!find_ends(&ends, of, grid_place(grid, best, axis))) return NULL;
    double outside = ends_beyond(&text, grid, of, &ends);
    bool beyond = outside != ends.edge && is_possible(grid, best, of, outside);
    const char *copy =
        beyond && !text.failed ? arena_text(grid->ctx, grid->arena, text.bytes, text.length) : NULL;
    text_clear(&text);
    return copy;
}

/* ---- usual grids --------------------------------------------------------------------------- */

static const struct {
    const char *learner, *over;
} usual[] = {
    {"least-squares", "l2=0,1e-6:10:log:8"},     {"fisher", "shrinkage=0,0.001:1:log:7"},
    {"lda", "shrinkage=0,0.001:1:log:7"},        {"gaussian", "shrinkage=0,0.001:1:log:7"},
    {"naive-bayes", "smoothing=0.001:10:log:9"}, {"perceptron", "epochs=1,2,5,10,20,50,100,200"},
};
static const char usual_c[] = "C=0.0001:10000:log:9", usual_l2[] = "l2=1e-6:1:log:13",
                  usual_l1[] = "l1=1e-6:1:log:13";

static const char *given(const struct spec_stage *stage, const char *name) {
    for (size_t i = 0; i < stage->n_settings; i++)
        if (strcmp(stage->settings[i].name, name) == 0) return stage->settings[i].value;
    return NULL;
}

/* NULL: there is none. */
static const char *usual_of(const struct learner *learner, const struct spec_stage *stage) {
    const char *kind = given(stage, "kind"), *penalty = given(stage, "penalty");
    bool measured = kind && strcmp(kind, "gaussian") == 0;
    if (parameters_find(learner->parameters, "C")) {
        if (penalty && strcmp(penalty, "none") == 0) return NULL;
        return given(stage, "l2") ? usual_l2 : given(stage, "l1") ? usual_l1 : usual_c;
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual && !measured; i++)
        if (strcmp(usual[i].learner, learner->name) == 0) return usual[i].over;
    return NULL;
}

sepal_status grid_usual(const char **over, sepal_ctx *ctx, struct arena *arena, const char *spec) {
    struct spec parsed;
    TRY(spec_parse(&parsed, ctx, arena, spec));
    *over = NULL;
    for (size_t s = 0; s < parsed.n_stages; s++) {
        const struct learner *learner = learner_find(parsed.stages[s].name);
        if (!learner) continue;
        *over = usual_of(learner, &parsed.stages[s]);
        if (!*over)
            return fail(ctx, SEPAL_EUSAGE,
                        "there is no usual grid for '%.200s'; give one by " OPTION
                        "over NAME=VALUES (`sepal help %s` has the names)",
                        spec, learner->name);
    }
    return SEPAL_OK;
}
