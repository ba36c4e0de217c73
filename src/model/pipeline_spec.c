/* A spec bound to the tables: which maps, learner and strategy it names, and the one way in which
   models and reports write it. */
#include "model/pipeline.h"

#include "core/spec.h"

#include <stdio.h>
#include <string.h>

static sepal_status unknown_stage(sepal_ctx *ctx, const char *name) {
    enum { MOST = 64 };
    const char *names[MOST];
    size_t n = 0;
    for (size_t i = 0; learner_table[i] && n < MOST; i++) names[n++] = learner_table[i]->name;
    for (size_t i = 0; map_table[i] && n < MOST; i++) names[n++] = map_table[i]->name;
    for (size_t i = 0; strategy_table[i] && n < MOST; i++) names[n++] = strategy_table[i]->name;
    struct text known = {0};
    for (size_t i = 0; i < n; i++) text_printf(ctx, &known, "%s%s", i ? ", " : "", names[i]);
    const char *near = synonym_of_stage(name), *instead = synonym_elsewhere(name);
    if (!near && !instead) near = text_suggest(name, names, n);
    sepal_status status =
        fail(ctx, SEPAL_EUSAGE,
             "'%.60s' is not a learner, map or multi-class strategy; %s%s%s%s%sthere are: %s", name,
             near ? "did you mean '" : "", near ? near : "", near ? "'? " : "",
             instead ? instead : "", instead ? "; " : "", known.bytes ? known.bytes : "");
    text_clear(&known);
    return status;
}

/* The parameters of a stage in a struct of their own. */
static sepal_status spec_fill(void **config, sepal_ctx *ctx, struct arena *arena,
                              const struct parameter *parameters, size_t size,
                              const struct spec_stage *stage) {
    if (!parameters->name && stage->n_settings)
        return fail(ctx, SEPAL_EUSAGE, "%s has no parameters, so not '%s'", stage->name,
                    stage->settings[0].name);
    for (size_t i = 0; i < stage->n_settings; i++) {
        const struct parameter *option = parameters_find(fit_option_table, stage->settings[i].name);
        if (option && !parameters_find(parameters, option->name))
            return fail(
                ctx, SEPAL_EUSAGE,
                "%s is no parameter of %s but an option of the fit: write --%s VALUE beside the "
                "spec",
                option->name, stage->name, option->name);
    }
    *config = arena_zero(ctx, arena, 1, size ? size : 1);
    if (!*config) return SEPAL_EMEMORY;
    return parameters_fill(*config, ctx, arena, parameters, stage->name, stage->settings,
                           stage->n_settings);
}

static sepal_status bind_learner(struct pipeline *out, sepal_ctx *ctx, struct arena *arena,
                                 const struct learner *learner, const struct spec_stage *stage) {
    if (out->learner)
        return fail(ctx, SEPAL_EUSAGE, "a spec has one learner, this one has %s and %s; choose one",
                    out->learner->name, learner->name);
    if (out->strategy)
        return fail(ctx, SEPAL_EUSAGE, "the strategy %s comes after the learner: %s | %s",
                    out->strategy->name, learner->name, out->strategy->name);
    out->learner = learner;
    TRY(spec_fill(&out->config, ctx, arena, learner->parameters, learner->config_size, stage));
    return learner->settle ? learner->settle(ctx, out->config) : SEPAL_OK;
}

static sepal_status bind_map(struct pipeline *out, sepal_ctx *ctx, struct arena *arena,
                             const struct map *map, const struct spec_stage *stage) {
    struct map_chain *chain = &out->chain;
    if (out->learner || out->strategy)
        return fail(ctx, SEPAL_EUSAGE, "the map %s comes before the learner: %s | %s", map->name,
                    map->name, out->learner ? out->learner->name : "LEARNER");
    if (chain->n == MAP_CHAIN_MOST)
        return fail(ctx, SEPAL_EUSAGE, "a spec has at most %d maps, this one has more",
                    MAP_CHAIN_MOST);
    void *config;
    TRY(spec_fill(&config, ctx, arena, map->parameters, map->config_size, stage));
    chain->maps[chain->n++] = (struct fitted_map){.map = map, .config = config};
    return SEPAL_OK;
}

static sepal_status bind_strategy(struct pipeline *out, sepal_ctx *ctx,
                                  const struct strategy *strategy, const struct spec_stage *stage) {
    if (stage->n_settings)
        return fail(ctx, SEPAL_EUSAGE, "%s has no parameters, so not '%s'", stage->name,
                    stage->settings[0].name);
    if (out->strategy)
        return fail(ctx, SEPAL_EUSAGE, "a spec has one multi-class strategy, this one has two");
    out->strategy = strategy;
    return SEPAL_OK;
}

static sepal_status bind(struct pipeline *out, sepal_ctx *ctx, struct arena *arena,
                         const struct spec_stage *stage) {
    const struct learner *learner = learner_find(stage->name);
    const struct map *map = map_find(stage->name);
    const struct strategy *strategy = strategy_find(stage->name);
    if (learner) return bind_learner(out, ctx, arena, learner, stage);
    if (map) return bind_map(out, ctx, arena, map, stage);
    if (strategy) return bind_strategy(out, ctx, strategy, stage);
    return unknown_stage(ctx, stage->name);
}

/* K functions at once are for those who can; of label sets there is one way to make them. */
static sepal_status check_machine(sepal_ctx *ctx, const struct pipeline *pipeline) {
    if (pipeline->strategy && pipeline->learner->sets)
        return fail(ctx, SEPAL_EUSAGE,
                    "%s learns each label by itself and takes no multi-class strategy; leave %s "
                    "out",
                    pipeline->learner->name, pipeline->strategy->name);
    if (pipeline->strategy != &strategy_machine ||
        learner_is_machine(pipeline->learner, pipeline->config))
        return SEPAL_OK;
    struct text able = {0};
    for (size_t i = 0; learner_table[i]; i++) {
        const struct learner *row = learner_table[i];
        const char *name = row->machine_spec ? row->machine_spec : row->name;
        if (row->machine || row->machine_spec)
            text_printf(ctx, &able, "%s%s", able.length ? ", " : "", name);
    }
    sepal_status status =
        fail(ctx, SEPAL_EUSAGE,
             "%s tells two classes apart and is no machine for more; use ovr, ovr-1 or ovo, or one "
             "of the machines: %s",
             pipeline->learner->name, able.bytes ? able.bytes : "");
    text_clear(&able);
    return status;
}

static sepal_status bind_all(struct pipeline *out, sepal_ctx *ctx, struct arena *arena,
                             const struct spec *parsed) {
    *out = (struct pipeline){0};
    for (size_t i = 0; i < parsed->n_stages; i++) TRY(bind(out, ctx, arena, &parsed->stages[i]));
    return SEPAL_OK;
}

/* `spec` is the text of it. */
static sepal_status bind_whole(struct pipeline *out, sepal_ctx *ctx, struct arena *arena,
                               const struct spec *parsed, const char *spec,
                               enum bounds_source source) {
    TRY(bind_all(out, ctx, arena, parsed));
    if (!out->learner)
        return fail(ctx, SEPAL_EUSAGE,
                    "the spec '%.60s' has no learner; the shell probably took the '|' (quote the "
                    "spec, or write + for |). Learners: sepal list learners",
                    spec);
    if (out->learner->bounds)
        TRY(weight_bounds_read(out->learner->bounds(out->config), ctx, arena, source));
    return check_machine(ctx, out);
}

sepal_status pipeline_parse(struct pipeline *out, sepal_ctx *ctx, struct arena *arena,
                            const char *spec) {
    struct spec parsed;
    TRY(spec_parse(&parsed, ctx, arena, spec));
    return bind_whole(out, ctx, arena, &parsed, spec, BOUNDS_OF_FIT);
}

sepal_status pipeline_parse_ahead(struct pipeline *out, sepal_ctx *ctx, struct arena *arena,
                                  const char *spec) {
    struct spec parsed;
    TRY(spec_parse(&parsed, ctx, arena, spec));
    return bind_whole(out, ctx, arena, &parsed, spec, BOUNDS_OF_CHECK);
}

sepal_status pipeline_parse_maps(struct map_chain *out, sepal_ctx *ctx, struct arena *arena,
                                 const char *spec) {
    struct pipeline pipeline;
    struct spec parsed;
    TRY(spec_parse(&parsed, ctx, arena, spec));
    TRY(bind_all(&pipeline, ctx, arena, &parsed));
    if (pipeline.learner || pipeline.strategy)
        return fail(ctx, SEPAL_EUSAGE,
                    "only maps can stand here, and '%s' is none (sepal list maps)",
                    pipeline.learner ? pipeline.learner->name : pipeline.strategy->name);
    *out = pipeline.chain;
    return SEPAL_OK;
}

const struct strategy *pipeline_strategy(const struct pipeline *pipeline) {
    return pipeline->strategy ? pipeline->strategy
                              : strategy_default(pipeline->learner, pipeline->config);
}

const struct strategy *pipeline_decoder(const struct pipeline *pipeline, size_t classes) {
    const struct strategy *strategy = pipeline_strategy(pipeline);
    return classes == 2 && !strategy->sets ? &strategy_sign : strategy;
}

/* ---- the canonical form ------------------------------------------------------------------- */

/* Which parameters are written out: all; those that a text has set; those that are not at their
   defaults. */
struct written {
    const struct spec_stage *given; /* NULL: not by a text */
    const void *defaults;           /* NULL: not by defaults */
};

static bool is_written(const struct written *which, const struct parameter *parameter,
                       const void *config) {
    if (which->defaults) return !parameter_same(parameter, config, which->defaults);
    for (size_t k = 0; which->given && k < which->given->n_settings; k++)
        if (strcmp(which->given->settings[k].name, parameter->name) == 0) return true;
    return !which->given;
}

static void print_stage(sepal_ctx *ctx, struct text *out, struct arena *arena, const char *name,
                        const struct parameter *table, const void *config, struct written which) {
    size_t rows = 0, n = 0;
    while (table[rows].name) rows++;
    struct parameter *parameters = arena_zero(ctx, arena, rows + 1, sizeof *parameters);
    if (!parameters) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < rows; i++)
        if (is_written(&which, &table[i], config)) parameters[n++] = table[i];
    text_printf(ctx, out, "%s%s", out->length ? " | " : "", name);
    if (rows == 0 || (which.defaults && n == 0)) return;
    text_puts(ctx, out, "(");
    parameters_print(ctx, out, parameters, config);
    text_puts(ctx, out, ")");
}

/* `given`: the stages of the text it was parsed from; NULL: write every parameter out. */
static const char *print_spec(sepal_ctx *ctx, struct arena *arena, const struct pipeline *pipeline,
                              const struct spec *given, size_t classes) {
    struct text text = {0};
    const struct map_chain *chain = &pipeline->chain;
    for (size_t m = 0; m < chain->n; m++)
        print_stage(ctx, &text, arena, chain->maps[m].map->name, chain->maps[m].map->parameters,
                    chain->maps[m].config,
                    (struct written){given ? &given->stages[m] : NULL, NULL});
    print_stage(ctx, &text, arena, pipeline->learner->name, pipeline->learner->parameters,
                pipeline->config, (struct written){given ? &given->stages[chain->n] : NULL, NULL});
    if (pipeline->strategy || (classes > 2 && !pipeline->learner->sets))
        text_printf(ctx, &text, " | %s", pipeline_strategy(pipeline)->name);
    const char *copy = text.failed ? NULL : arena_text(ctx, arena, text.bytes, text.length);
    text_clear(&text);
    return copy;
}

const char *pipeline_spec(sepal_ctx *ctx, struct arena *arena, const struct pipeline *pipeline,
                          size_t classes) {
    return print_spec(ctx, arena, pipeline, NULL, classes);
}

/* A stage by the parameters that are not at their defaults. */
static void print_short(sepal_ctx *ctx, struct text *out, struct arena *arena, const char *name,
                        const struct parameter *table, size_t size, const void *config,
                        sepal_status (*settle)(sepal_ctx *ctx, void *config)) {
    void *defaults = arena_zero(ctx, arena, 1, size ? size : 1);
    if (!defaults || parameters_fill(defaults, ctx, arena, table, name, NULL, 0) != SEPAL_OK ||
        (settle && settle(ctx, defaults) != SEPAL_OK))
        out->failed = true;
    else
        print_stage(ctx, out, arena, name, table, config, (struct written){NULL, defaults});
}

const char *pipeline_short_spec(sepal_ctx *ctx, struct arena *arena,
                                const struct pipeline *pipeline) {
    struct text text = {0};
    const struct learner *learner = pipeline->learner;
    for (size_t m = 0; m < pipeline->chain.n; m++) {
        const struct fitted_map *map = &pipeline->chain.maps[m];
        print_short(ctx, &text, arena, map->map->name, map->map->parameters, map->map->config_size,
                    map->config, NULL);
    }
    print_short(ctx, &text, arena, learner->name, learner->parameters, learner->config_size,
                pipeline->config, learner->settle);
    if (pipeline->strategy && pipeline->strategy != strategy_default(learner, pipeline->config))
        text_printf(ctx, &text, " | %s", pipeline->strategy->name);
    const char *copy = text.failed ? NULL : arena_text(ctx, arena, text.bytes, text.length);
    text_clear(&text);
    return copy;
}

/* ---- of model files ------------------------------------------------------------------------ */

/* A word that an older version wrote, and the one of today. */
struct renamed {
    const char *old, *now;
};

/* Put the words of today in the place of older ones; a learner has renamed one value at most. */
static struct renamed rename_values(const struct spec *parsed) {
    struct renamed word = {"", ""};
    for (size_t i = 0; i < parsed->n_stages; i++) {
        const struct spec_stage *stage = &parsed->stages[i];
        const struct learner *learner = learner_find(stage->name);
        for (size_t k = 0; learner && learner->current_value && k < stage->n_settings; k++) {
            struct setting *given = &stage->settings[k];
            const char *now =
                given->value ? learner->current_value(given, stage->settings, stage->n_settings)
                             : NULL;
            if (!now) continue;
            word = (struct renamed){given->value, now};
            given->value = now;
        }
    }
    return word;
}

/* Whether two texts differ in nothing but that word. */
static bool same_but_for(const char *old, const char *now, const struct renamed *word) {
    size_t same = 0, old_length = strlen(word->old), now_length = strlen(word->now);
    while (old[same] && old[same] == now[same]) same++;
    if (!old[same] && !now[same]) return old_length == 0;
    return strncmp(old + same, word->old, old_length) == 0 &&
           strncmp(now + same, word->now, now_length) == 0 &&
           strcmp(old + same + old_length, now + same + now_length) == 0;
}

static sepal_status check_canonical(struct pipeline *out, const char **today, sepal_ctx *ctx,
                                    struct arena *arena, const char *spec, const char *learner,
                                    size_t classes) {
    struct spec parsed;
    TRY(spec_parse(&parsed, ctx, arena, spec));
    const struct renamed word = rename_values(&parsed);
    TRY(bind_whole(out, ctx, arena, &parsed, spec, BOUNDS_OF_MODEL));
    const char *again = *today = print_spec(ctx, arena, out, &parsed, classes);
    if (!again) return SEPAL_EMEMORY;
    if (!same_but_for(spec, again, &word))
        return fail(ctx, SEPAL_EUSAGE, "written out it is '%s'", again);
    if (strcmp(learner, out->learner->name) != 0)
        return fail(ctx, SEPAL_EUSAGE, "its learner is not '%s'", learner);
    return SEPAL_OK;
}

sepal_status pipeline_parse_saved(struct pipeline *out, const char **today, sepal_ctx *ctx,
                                  struct arena *arena, const char *spec, const char *learner,
                                  size_t classes) {
    sepal_status status = check_canonical(out, today, ctx, arena, spec, learner, classes);
    if (status == SEPAL_OK || status == SEPAL_EMEMORY) return status;
    char shown[TEXT_SHOWN_BYTES], why[ERROR_MESSAGE_BYTES / 4];
    text_shown(shown, spec, strlen(spec));
    (void)snprintf(why, sizeof why, "%.*s", (int)sizeof why - 1, ctx->error.message);
    return fail(ctx, SEPAL_EMODEL,
                "the spec '%s' of this model file cannot be used here: %s; if a newer sepal wrote "
                "it, install that one",
                shown, why);
}
