/* The table of coefficients of `sepal inspect --summary`: estimates, standard errors, z, p, odds ratios
   and intervals, the deviances below them, and where there are no standard errors, why and what to do. */
#include "inference/wald.h"
#include "linear/strategy.h"
#include "model/predict.h"
#include "model/summary_json.h"
#include "report/report_page.h"

#include <math.h>
#include <string.h>

static const double QUANTILE = 1.959963984540054; /* of the normal distribution, at 0.975 */

/* ---- why there are none ------------------------------------------------------------------- */

/* A word for programs, and for people why and what to do. */
struct bar {
    const char *code, *why, *advice;
};

#define BOOTSTRAP_ADVICE "train with --bootstrap 1000 for errors by resampling"

/* Of a fit whose weights had no end. */
static struct bar state_bar(enum summary_state state, bool machine) {
    static const char advice[] = "give a penalty (C=1), or leave out what separates them";
    switch (state) {
    case SUMMARY_SEPARABLE:
        return (struct bar){
            "separable",
            machine ? "a linear machine separates the classes, so the likelihood rises as long as "
                      "the weights grow, and no finite estimates are best"
                    : "a hyperplane separates the classes, so the likelihood rises as long as "
                      "the weights grow, and no finite estimates are best",
            advice};
    case SUMMARY_QUASI_SEPARABLE:
        return (struct bar){"quasi-separable",
                            machine
                                ? "some classes are separated from others, but for rows on the "
                                  "border (quasi-complete separation), so no finite estimates are "
                                  "best"
                                : "a hyperplane separates the classes but for rows on itself "
                                  "(quasi-complete separation), so no finite estimates are best",
                            advice};
    case SUMMARY_GROWING:
        return (struct bar){"weights-grow",
                            "the weights still grew when the fit was ended, as they do without end "
                            "when a hyperplane separates the classes",
                            "ask `sepal separable`, or give a penalty (C=1)"};
    default:
        return (struct bar){"few-rows",
                            machine ? "there are not more rows than parameters, which are the "
                                      "terms of every class but the first"
                                    : "there are not more rows than parameters, so the model can "
                                      "fit every row and no error can be told",
                            "leave columns out (--only), or give a penalty (C=1)"};
    }
}

/* Of a likelihood that was maximised, without a summary. */
static struct bar missing_bar(const sepal_model *model, const struct terms *terms) {
    size_t functions = terms_functions(terms, &model->linear);
    if (model->linear.classes > 2 && !terms->contrast)
        return (struct bar){"several-problems",
                            "the score functions were fitted apart, each to a two-class problem of "
                            "its own, so there is no one likelihood of all classes",
                            "train softmax(penalty=none), which has one, or " BOOTSTRAP_ADVICE};
    if (!model->facts.converged)
        return (struct bar){"not-converged",
                            "the fit has not converged, and only at the maximum of the likelihood "
                            "is the covariance of the estimates known",
                            "train again with a larger --max-iter, or standardize"};
    if (!wald_affordable(model->facts.rows, functions, terms->n))
        return (struct bar){"wide",
                            terms->contrast
                                ? "they are not computed for more than 1000 parameters, which are "
                                  "the terms of every class but the first, nor where rows times "
                                  "the square of the parameters exceed 5e10"
                                : "they are not computed for more than 1000 terms, nor where rows "
                                  "times the square of the terms exceed 5e10",
                            "choose columns with --only, or " BOOTSTRAP_ADVICE};
    return (struct bar){
        "not-kept",
        "the model file has none: an older version wrote it, or the estimates could "
        "not be made exact",
        "train again, with a standardize stage if it was this version"};
}

static struct bar find_bar(const sepal_model *model, const struct pipeline *pipeline,
                           const struct terms *terms) {
    bool intercept;
    const struct summary *summary = model->linear.summary;
    if (summary && summary->state != SUMMARY_WALD)
        return state_bar(summary->state, terms->contrast);
    if (model->linear.strategy->sets)
        return (struct bar){"several-problems",
                            "each label is a problem of its own, and they have no one likelihood",
                            "train logistic(penalty=none) with one label as the target"};
    switch (pipeline_likelihood(pipeline, &intercept)) {
    case LIKELIHOOD_PENALISED:
        return (struct bar){"penalty",
                            "the penalty draws the estimates towards 0, and standard errors that "
                            "leave this bias out are not valid",
                            "train with penalty=none, or " BOOTSTRAP_ADVICE};
    case LIKELIHOOD_BOUNDED:
        return (struct bar){"bounds",
                            "the weights are kept within bounds, and estimates that cannot lie on "
                            "both sides of the truth are not normal about it",
                            "train without bounds and nonneg, or " BOOTSTRAP_ADVICE};
    case LIKELIHOOD_WEIGHTED:
        return (struct bar){"class-weights",
                            "with class weights the fit maximises no likelihood of these rows, so "
                            "the inverse information is not the covariance",
                            "train with class_weight=none, or " BOOTSTRAP_ADVICE};
    case LIKELIHOOD_MAXIMISED: return missing_bar(model, terms);
    case LIKELIHOOD_SQUARES:
        return (struct bar){"no-likelihood",
                            "loss=mse fits probabilities by squares, which is no likelihood of the "
                            "labels, so theory has no standard errors for it",
                            "train with loss=cross_entropy, or " BOOTSTRAP_ADVICE};
    default:
        return (struct bar){"no-likelihood",
                            "this learner does not maximise the likelihood of the labels given the "
                            "rows, so theory has no standard errors "
                            "for it",
                            BOOTSTRAP_ADVICE};
    }
}

static void tell_bar(struct tree_maker *make, struct tree *facts, const struct bar *bar,
                     bool resampled) {
    struct text reason = {0};
    text_puts(make->ctx, &reason, bar->why);
    if (!resampled) text_printf(make->ctx, &reason, "; %s", bar->advice);
    if (reason.failed) {
        make->failed = true;
    } else {
        tree_text(make, facts, "code", bar->code);
        tree_text(make, facts, "reason", reason.bytes);
    }
    text_clear(&reason);
}

/* ---- facts -------------------------------------------------------------------------------- */

struct table {
    sepal_report *report;
    const sepal_model *model;
    struct pipeline pipeline;
    struct terms terms;
    const struct summary *wald; /* NULL: no standard errors by theory */
    double *estimate;           /* of one function */
};

/* NO_COLUMN: the intercept. */
static void tell_name(struct table *table, struct tree *row, const char *key, size_t column) {
    struct tree_maker *make = &table->report->make;
    struct text name = {0};
    if (column == NO_COLUMN)
        text_puts(make->ctx, &name, "(intercept)");
    else
        model_column_name(make->ctx, &name, table->model, column);
    if (name.failed)
        make->failed = true;
    else
        tree_slice(make, row, key, (struct slice){name.bytes, name.length});
    text_clear(&name);
}

static void tell_bootstrap(struct table *table, struct tree *row, size_t cell, bool alone) {
    struct tree_maker *make = &table->report->make;
    const struct bootstrap *bootstrap = table->model->linear.bootstrap;
    if (!bootstrap) return;
    bool known = bootstrap->count[cell] >= 2;
    double error = known ? bootstrap->error[cell] : NAN, low = known ? bootstrap->low[cell] : NAN,
           high = known ? bootstrap->high[cell] : NAN;
    struct tree *facts = alone ? row : tree_object(make, row, "bootstrap");
    tree_number(make, facts, "std_error", error);
    if (alone) {
        tree_null(make, facts, "z");
        tree_null(make, facts, "p");
    }
    tree_number(make, facts, "low", low);
    tree_number(make, facts, "high", high);
    tree_number(make, facts, "resamples", bootstrap->count[cell]);
}

/* The tail of the normal distribution is that of erfc, which stays accurate down to the least numbers. */
static void tell_errors(struct table *table, struct tree *row, double estimate, double error) {
    static const double root_half = 0.7071067811865476;
    struct tree_maker *make = &table->report->make;
    double z = estimate / error;
    tree_number(make, row, "std_error", error);
    tree_number(make, row, "z", z);
    tree_number(make, row, "p", erfc(fabs(z) * root_half));
    tree_number(make, row, "low", estimate - QUANTILE * error);
    tree_number(make, row, "high", estimate + QUANTILE * error);
}

/* Which function a term is of, where there are several. */
static void tell_function(struct table *table, struct tree *row, size_t f) {
    struct tree_maker *make = &table->report->make;
    const char *const *classes = (const char *const *)table->model->schema->classes;
    if (table->model->linear.rows == 1) return;
    tree_number(make, row, "function", (double)(table->terms.contrast ? f + 1 : f));
    if (!table->terms.contrast) return;
    tree_text(make, row, "class", classes[f + 1]);
    tree_text(make, row, "reference", classes[0]);
}

static void tell_term(struct table *table, struct tree *list, size_t f, size_t t) {
    struct tree_maker *make = &table->report->make;
    const struct linear *linear = &table->model->linear;
    const struct term *term = &table->terms.list[t];
    struct tree *row = tree_object(make, list, NULL);
    enum alias alias = table->wald ? table->wald->alias[t] : ALIAS_NONE;
    size_t cell = f * table->terms.n + t;
    double estimate = table->wald ? table->wald->estimate[cell] : table->estimate[t];
    double error = table->wald ? table->wald->error[cell] : NAN;
    if (alias != ALIAS_NONE) estimate = error = NAN;
    bool pair = linear->classes == 2 || table->terms.contrast;
    bool odds = linear->link == LINK_EACH || (linear->link == LINK_POSTERIOR && pair);
    tell_name(table, row, "name", term->column);
    tell_function(table, row, f);
    if (term->against != NO_COLUMN) tell_name(table, row, "against", term->against);
    tree_number(make, row, "estimate", estimate);
    tree_number(make, row, "odds_ratio", odds ? exp(estimate) : NAN);
    if (table->wald || !linear->bootstrap) tell_errors(table, row, estimate, error);
    tell_bootstrap(table, row, cell, !table->wald);
    if (alias == ALIAS_CONSTANT) tree_text(make, row, "note", "constant");
    if (alias == ALIAS_DEPENDENT) tree_text(make, row, "note", "combination of terms before it");
}

/* What R prints below its table. */
static void tell_deviances(struct table *table, struct tree *facts) {
    struct tree_maker *make = &table->report->make;
    const struct summary *wald = table->wald;
    double rows = (double)table->model->facts.rows,
           functions = wald ? (double)wald->functions : NAN,
           rank = wald ? functions * (double)summary_rank(wald) : NAN; /* parameters */
    tree_number(make, facts, "null_deviance", wald ? wald->null_deviance : NAN);
    tree_number(make, facts, "df_null", wald ? rows - functions * table->terms.intercept : NAN);
    tree_number(make, facts, "residual_deviance", wald ? wald->deviance : NAN);
    tree_number(make, facts, "df_residual", rows - rank);
    tree_number(make, facts, "aic", wald ? wald->deviance + 2 * rank : NAN);
    tree_number(make, facts, "iterations", (double)table->model->facts.iterations);
    tree_number(make, facts, "rows", rows);
}

static void tell_diverging(struct table *table, struct tree *facts) {
    struct tree_maker *make = &table->report->make;
    const struct summary *summary = table->model->linear.summary;
    if (!summary || summary->n_columns == 0) return;
    struct tree *list = tree_array(make, facts, "diverging");
    for (size_t i = 0; i < summary->n_columns; i++)
        tell_name(table, list, NULL, summary->columns[i]);
    tree_bool(make, facts, "diverging_alone", summary->alone);
}

static void tell_terms(struct table *table, struct tree *facts) {
    struct tree *list = tree_array(&table->report->make, facts, "terms");
    const struct linear *linear = &table->model->linear;
    bool diverges = linear->summary && linear->summary->state != SUMMARY_WALD;
    if (density_is_quadratic(linear->density) || linear->bits || diverges) return;
    for (size_t f = 0; f < terms_functions(&table->terms, linear); f++) {
        terms_estimates(table->estimate, &table->terms, &table->model->chain, linear, f);
        for (size_t t = 0; t < table->terms.n; t++) tell_term(table, list, f, t);
    }
}

static sepal_status table_open(struct table *table) {
    sepal_ctx *ctx = table->report->make.ctx;
    struct arena *arena = &table->report->arena;
    const sepal_model *model = table->model;
    const struct summary *summary = model->linear.summary;
    TRY(pipeline_parse(&table->pipeline, ctx, arena, model->spec));
    TRY(model_terms(&table->terms, ctx, arena, model, &table->pipeline));
    table->estimate = arena_alloc(ctx, arena, table->terms.n, sizeof *table->estimate);
    table->wald = summary && summary->state == SUMMARY_WALD ? summary : NULL;
    return table->estimate ? SEPAL_OK : SEPAL_EMEMORY;
}

sepal_status summarise_model(sepal_report *report, const sepal_model *model) {
    struct table table = {.report = report, .model = model};
    struct tree_maker *make = &report->make;
    TRY(inspect_model(report, model));
    TRY(table_open(&table));
    struct tree *facts = tree_object(make, report->root, "summary");
    const struct bootstrap *bootstrap = model->linear.bootstrap;
    const char *by = table.wald ? "wald" : bootstrap ? "bootstrap" : NULL;
    if (by)
        tree_text(make, facts, "errors", by);
    else
        tree_null(make, facts, "errors");
    if (!table.wald) {
        struct bar bar = find_bar(model, &table.pipeline, &table.terms);
        tell_bar(make, facts, &bar, bootstrap != NULL);
    }
    if (table.wald && !model->facts.converged)
        tree_text(
            make, facts, "note",
            "the fit ended before it had converged; these estimates are those of the maximum");
    tell_diverging(&table, facts);
    tell_terms(&table, facts);
    tell_deviances(&table, facts);
    if (bootstrap) {
        tree_number(make, facts, "resamples", (double)bootstrap->resamples);
        tree_number(make, facts, "failed", (double)bootstrap->failed);
    }
    return make->failed ? SEPAL_EMEMORY : SEPAL_OK;
}
