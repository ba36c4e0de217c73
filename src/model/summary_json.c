#include "model/summary_json.h"

#include "linear/strategy.h"
#include "model/fields.h"

#include <math.h>
#include <string.h>

/* ---- what the model is -------------------------------------------------------------------- */

enum likelihood pipeline_likelihood(const struct pipeline *pipeline, bool *intercept) {
    *intercept = true;
    return pipeline->learner->likelihood
               ? pipeline->learner->likelihood(pipeline->config, intercept)
               : LIKELIHOOD_NONE;
}

bool pipeline_contrasts(const struct pipeline *pipeline, const struct linear *linear) {
    const struct learner *learner = pipeline->learner;
    return linear->classes > 2 && linear->strategy->joint && learner->posterior &&
           learner->likelihood;
}

sepal_status model_terms(struct terms *out, sepal_ctx *ctx, struct arena *arena,
                         const sepal_model *model, const struct pipeline *pipeline) {
    bool intercept;
    (void)pipeline_likelihood(pipeline, &intercept);
    TRY(terms_make(out, ctx, arena, model->schema, &model->chain, model->linear.cols, intercept));
    out->contrast = pipeline_contrasts(pipeline, &model->linear);
    return SEPAL_OK;
}

/* ---- writing ------------------------------------------------------------------------------ */

static void print_aliased(struct tree_maker *make, struct tree *object, const char *key,
                          const struct summary *summary, enum alias alias) {
    struct tree *list = tree_array(make, object, key);
    for (size_t t = 0; t < summary->terms; t++)
        if (summary->alias[t] == alias) tree_number(make, list, NULL, (double)t);
}

static sepal_status print_object(struct text *out, struct tree_maker *make,
                                 const struct tree *object) {
    if (!make->failed) json_print(make->ctx, out, object, 0);
    return make->failed || out->failed ? SEPAL_EMEMORY : SEPAL_OK;
}

sepal_status summary_print(sepal_ctx *ctx, struct text *out, const struct summary *summary) {
    struct arena arena = {0};
    struct tree_maker make = {.ctx = ctx, .arena = &arena};
    if (!summary) return SEPAL_OK;
    struct tree *object = tree_object(&make, NULL, NULL);
    tree_text(&make, object, "state", summary_state_names[summary->state]);
    if (summary->state == SUMMARY_WALD) {
        tree_number(&make, object, "null_deviance", summary->null_deviance);
        tree_number(&make, object, "deviance", summary->deviance);
        print_aliased(&make, object, "constant", summary, ALIAS_CONSTANT);
        print_aliased(&make, object, "dependent", summary, ALIAS_DEPENDENT);
    } else {
        tree_bool(&make, object, "alone", summary->alone);
        struct tree *list = tree_array(&make, object, "columns");
        for (size_t i = 0; i < summary->n_columns; i++)
            tree_number(&make, list, NULL, (double)summary->columns[i]);
    }
    sepal_status status = print_object(out, &make, object);
    arena_clear(&arena);
    return status;
}

sepal_status bootstrap_print(sepal_ctx *ctx, struct text *out, const struct bootstrap *bootstrap) {
    struct arena arena = {0};
    struct tree_maker make = {.ctx = ctx, .arena = &arena};
    if (!bootstrap) return SEPAL_OK;
    struct tree *object = tree_object(&make, NULL, NULL);
    tree_number(&make, object, "resamples", (double)bootstrap->resamples);
    tree_number(&make, object, "failed", (double)bootstrap->failed);
    sepal_status status = print_object(out, &make, object);
    arena_clear(&arena);
    return status;
}

/* ---- reading ------------------------------------------------------------------------------ */

static sepal_status open_part(struct fields *out, const struct summary_reading *from,
                              const char *json, const char *what) {
    struct tree *object;
    TRY(json_read_small(&object, from->ctx, from->arena, (struct slice){json, strlen(json)}));
    *out = fields_open(from->ctx, object, what);
    return SEPAL_OK;
}

/* Rising numbers below `most`. */
static sepal_status read_places(size_t *out, size_t *n, sepal_ctx *ctx, const struct tree *list,
                                size_t most) {
    *n = 0;
    for (const struct tree *place = list ? list->first : NULL; place; place = place->next) {
        bool rises =
            tree_is_count(place, &out[*n]) && out[*n] < most && (*n == 0 || out[*n] > out[*n - 1]);
        if (!rises) return invalid(ctx, "its summary is about terms that there are not");
        ++*n;
    }
    return SEPAL_OK;
}

/* Room for as many as may be there: a list of more of them does not rise. */
static sepal_status places_room(size_t **out, const struct summary_reading *from,
                                const struct tree *list) {
    *out = arena_alloc(from->ctx, from->arena, list ? list->count + 1 : 1, sizeof **out);
    return *out ? SEPAL_OK : SEPAL_EMEMORY;
}

static sepal_status read_aliased(struct summary *out, const struct summary_reading *from,
                                 const struct tree *list, enum alias alias) {
    size_t *places, n;
    TRY(places_room(&places, from, list));
    TRY(read_places(places, &n, from->ctx, list, out->terms));
    for (size_t i = 0; i < n; i++) {
        if (out->alias[places[i]] != ALIAS_NONE)
            return invalid(from->ctx, "a term of its summary is left out twice");
        out->alias[places[i]] = alias;
    }
    return SEPAL_OK;
}

static sepal_status read_wald(struct summary *out, const struct summary_reading *from,
                              struct fields *fields) {
    out->null_deviance = fields_number(fields, "null_deviance");
    out->deviance = fields_number(fields, "deviance");
    const struct tree *constant = fields_array(fields, "constant");
    const struct tree *dependent = fields_array(fields, "dependent");
    TRY(fields_end(fields));
    if (!constant || !dependent || !(out->null_deviance >= 0) || !(out->deviance >= 0))
        return invalid(from->ctx, "its deviances cannot be");
    TRY(read_aliased(out, from, constant, ALIAS_CONSTANT));
    return read_aliased(out, from, dependent, ALIAS_DEPENDENT);
}

static sepal_status read_endless(struct summary *out, const struct summary_reading *from,
                                 struct fields *fields) {
    size_t *places, n;
    out->alone = fields_bool(fields, "alone");
    const struct tree *columns = fields_array(fields, "columns");
    TRY(fields_end(fields));
    TRY(places_room(&places, from, columns));
    TRY(read_places(places, &n, from->ctx, columns, from->model->linear.cols));
    if (!columns || (out->alone && n == 0))
        return invalid(from->ctx, "no column is behind what its summary says");
    return summary_set_columns(out, from->ctx, places, n);
}

sepal_status summary_read(struct summary **out, const struct summary_reading *from,
                          const char *json) {
    struct fields fields;
    bool intercept;
    int state = 0;
    TRY(open_part(&fields, from, json, "summary"));
    const char *name = fields_text(&fields, "state");
    TRY(fields.status);
    while (state < SUMMARY_STATES && strcmp(name, summary_state_names[state]) != 0) state++;
    enum likelihood likelihood = pipeline_likelihood(from->pipeline, &intercept);
    bool can = likelihood == LIKELIHOOD_MAXIMISED ||
               (likelihood == LIKELIHOOD_WEIGHTED && state != SUMMARY_WALD);
    if (from->model->linear.classes != 2 && !from->terms->contrast) can = false;
    if (state == SUMMARY_STATES || !can) return invalid(from->ctx, "it cannot have such a summary");
    TRY(summary_new(out, from->ctx, (enum summary_state)state,
                    terms_functions(from->terms, &from->model->linear), from->terms->n));
    return state == SUMMARY_WALD ? read_wald(*out, from, &fields)
                                 : read_endless(*out, from, &fields);
}

sepal_status bootstrap_read(struct bootstrap **out, const struct summary_reading *from,
                            const char *json) {
    struct fields fields;
    TRY(open_part(&fields, from, json, "bootstrap"));
    size_t resamples = fields_count(&fields, "resamples"), failed = fields_count(&fields, "failed");
    TRY(fields_end(&fields));
    if (failed > resamples || density_is_quadratic(from->model->linear.density) ||
        from->model->linear.bits)
        return invalid(from->ctx, "it cannot have such a bootstrap");
    TRY(bootstrap_new(out, from->ctx, terms_functions(from->terms, &from->model->linear),
                      from->terms->n));
    (*out)->resamples = resamples;
    (*out)->failed = failed;
    return SEPAL_OK;
}

/* ---- numbers ------------------------------------------------------------------------------ */

static bool summary_is_sound(const struct summary *summary) {
    for (size_t c = 0; summary->estimate && c < summary->functions * summary->terms; c++) {
        bool out = summary->alias[c % summary->terms] != ALIAS_NONE;
        if (out ? summary->estimate[c] != 0 || summary->error[c] != 0 : !(summary->error[c] > 0))
            return false;
    }
    return true;
}

static bool bootstrap_is_sound(const struct bootstrap *bootstrap) {
    double most = (double)(bootstrap->resamples - bootstrap->failed);
    for (size_t i = 0; i < bootstrap->functions * bootstrap->terms; i++) {
        double count = bootstrap->count[i];
        if (!(count >= 0) || count > most || count != floor(count) || !(bootstrap->error[i] >= 0) ||
            !(bootstrap->low[i] <= bootstrap->high[i]))
            return false;
    }
    return true;
}

sepal_status summary_check(sepal_ctx *ctx, const struct linear *linear) {
    if (linear->summary && !summary_is_sound(linear->summary))
        return invalid(ctx, "a standard error of its summary cannot be");
    if (linear->bootstrap && !bootstrap_is_sound(linear->bootstrap))
        return invalid(ctx, "a number of its bootstrap cannot be");
    return SEPAL_OK;
}
