#include "selection/split_options.h"

#include "core/spec.h"

#include <string.h>

/* Whether an option stands among those given, and not only its default. */
static sepal_status was_given(bool *out, sepal_ctx *ctx, struct arena *arena, const char *text,
                              const char *name) {
    struct setting *settings;
    size_t n;
    TRY(settings_parse(&settings, &n, ctx, arena, text));
    *out = false;
    for (size_t i = 0; i < n; i++) *out = *out || strcmp(settings[i].name, name) == 0;
    return SEPAL_OK;
}

static sepal_status refuse_pair(sepal_ctx *ctx, const char *one, const char *other) {
    return fail(ctx, SEPAL_EUSAGE, OPTION "%s and " OPTION "%s contradict each other; give one",
                one, other);
}

/* Each manner has its own idea of how many folds there are. */
sepal_status split_options_check(const struct split_options *o, sepal_ctx *ctx, struct arena *arena,
                                 const char *text) {
    bool folds;
    const char *manner = o->loo         ? "loo"
                         : o->fold_file ? "fold-file"
                         : o->ordered   ? "ordered"
                                        : NULL;
    TRY(was_given(&folds, ctx, arena, text, "folds"));
    if (!manner) return SEPAL_OK;
    if (o->loo && o->fold_file) return refuse_pair(ctx, "loo", "fold-file");
    if (o->loo && o->ordered) return refuse_pair(ctx, "loo", "ordered");
    if (o->ordered && o->fold_file) return refuse_pair(ctx, "ordered", "fold-file");
    if (folds && !o->ordered) return refuse_pair(ctx, manner, "folds");
    if (o->repeats > 1)
        return fail(ctx, SEPAL_EUSAGE,
                    OPTION "%s parts the rows in one way, so " OPTION
                           "repeats %zu would judge the same again; leave it out",
                    manner, o->repeats);
    return SEPAL_OK;
}

sepal_status split_options_check_fit(sepal_ctx *ctx, const struct fit_options *options) {
    if (options->warm)
        return fail(ctx, SEPAL_EUSAGE,
                    "a model to start from may have learnt from the rows that are held out; "
                    "leave " OPTION "warm out");
    if (options->bootstrap)
        return fail(ctx, SEPAL_EUSAGE,
                    OPTION
                    "bootstrap is about one model of all rows; leave it out here, and give it "
                    "to `sepal train`");
    return SEPAL_OK;
}

sepal_status split_options_plan(struct split_plan *out, const struct split_options *o,
                                sepal_ctx *ctx, struct arena *arena, const sepal_data *data) {
    double *given = NULL;
    *out = (struct split_plan){.manner = SPLIT_STRATIFIED,
                               .folds = o->folds,
                               .repeats = o->repeats,
                               .given_from = o->fold_file};
    if (o->loo) out->manner = SPLIT_LEAVE_ONE_OUT;
    if (o->ordered) out->manner = SPLIT_ORDERED;
    if (o->fold_file) {
        out->manner = SPLIT_GIVEN;
        TRY(fold_file_read(&given, ctx, arena, o->fold_file, data));
        out->given = given;
    } else if (data->group) {
        if (o->loo) return refuse_pair(ctx, "loo", "group");
        if (o->ordered) return refuse_pair(ctx, "ordered", "group");
        out->manner = SPLIT_GROUPED;
    }
    return SEPAL_OK;
}
