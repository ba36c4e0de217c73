/* The options of a fit, checked against the learner that is to take them. */
#include "core/spec.h"
#include "model/pipeline.h"

#include "model/inference.h"
#include "model/predict.h"

#include <string.h>

static sepal_status refuse_solver(sepal_ctx *ctx, const struct learner *learner, const char *name) {
    struct text able = {0};
    if (!learner->solvers)
        return fail(ctx, SEPAL_EUSAGE, "%s has one solver; leave " OPTION "solver %.40s out",
                    learner->name, name);
    for (size_t i = 0; learner->solvers[i]; i++)
        text_printf(ctx, &able, "%s%s", i ? "|" : "", learner->solvers[i]->name);
    sepal_status status = able.failed
                              ? SEPAL_EMEMORY
                              : fail(ctx, SEPAL_EUSAGE,
                                     "%s has no solver '%.40s'; choose %s, or leave it to the data",
                                     learner->name, name, able.bytes);
    text_clear(&able);
    return status;
}

static sepal_status find_solver(const struct solver_name **out, sepal_ctx *ctx,
                                const struct learner *learner, const char *name) {
    *out = NULL;
    if (!name) return SEPAL_OK;
    for (size_t i = 0; learner->solvers && learner->solvers[i]; i++)
        if (strcmp(learner->solvers[i]->name, name) == 0) *out = learner->solvers[i];
    return *out ? SEPAL_OK : refuse_solver(ctx, learner, name);
}

sepal_status pipeline_check_warm(sepal_ctx *ctx, const struct learner *learner, const char *path) {
    if (!path || learner->warms) return SEPAL_OK;
    struct text able = {0};
    for (size_t i = 0; learner_table[i]; i++)
        if (learner_table[i]->warms)
            text_printf(ctx, &able, "%s%s", able.length ? ", " : "", learner_table[i]->name);
    sepal_status status =
        fail(ctx, SEPAL_EUSAGE,
             "%s cannot start from another model; leave " OPTION "warm out (learners that "
             "can: %s)",
             learner->name, able.bytes ? able.bytes : "");
    text_clear(&able);
    return status;
}

/* What says how rows are decided goes to the end; its number is returned. Priors are a matter of the
   learner here. */
static size_t part_rule(struct setting *settings, size_t n) {
    size_t rule = 0;
    for (size_t i = 0; i < n - rule;) {
        bool decides = parameters_find(predict_option_table, settings[i].name) &&
                       strcmp(settings[i].name, "priors") != 0;
        if (!decides) {
            i++;
            continue;
        }
        struct setting last = settings[n - ++rule];
        settings[n - rule] = settings[i];
        settings[i] = last;
    }
    return rule;
}

/* Folds of what? */
static sepal_status check_calibration(sepal_ctx *ctx, const struct fit_options *options,
                                      const struct setting *settings, size_t n) {
    for (size_t i = 0; settings && i < n && !options->calibrate; i++)
        if (strcmp(settings[i].name, "calibrate-folds") == 0)
            return fail(ctx, SEPAL_EUSAGE,
                        OPTION "calibrate-folds is about " OPTION
                               "calibrate, which is not given; add " OPTION
                               "calibrate platt, isotonic or temperature");
    return SEPAL_OK;
}

sepal_status pipeline_parse_options(struct fit_options *out, struct pipeline *pipeline,
                                    sepal_ctx *ctx, struct arena *arena, const char *options) {
    struct setting *settings;
    struct predict_options words;
    size_t n;
    TRY(settings_parse(&settings, &n, ctx, arena, options));
    pipeline->n_rule = part_rule(settings, n);
    n -= pipeline->n_rule;
    pipeline->rule = settings ? settings + n : NULL;
    TRY(parameters_fill(out, ctx, arena, fit_option_table, "the fit", settings, n));
    TRY(check_calibration(ctx, out, settings, n));
    TRY(parameters_fill(&words, ctx, arena, predict_option_table, "the decision", pipeline->rule,
                        pipeline->n_rule));
    TRY(pipeline_check_warm(ctx, pipeline->learner, out->warm));
    TRY(bootstrap_check(ctx, pipeline, out));
    return find_solver(&out->asked, ctx, pipeline->learner, out->solver);
}

sepal_status pipeline_check(sepal_ctx *ctx, const char *spec, const char *options) {
    struct arena arena = {0};
    struct pipeline pipeline;
    struct fit_options parsed;
    sepal_status status = pipeline_parse_ahead(&pipeline, ctx, &arena, spec);
    if (status == SEPAL_OK)
        status = pipeline_parse_options(&parsed, &pipeline, ctx, &arena, options);
    arena_clear(&arena);
    return status;
}
