/* What is told of a fit: the facts of its report, and how well it decides the rows it learnt from. */
#include "model/pipeline_report.h"

#include "core/alloc.h"
#include "core/clock.h"
#include "core/parallel.h"
#include "core/usage.h"
#include "data/class_counts.h"
#include "model/calibrate.h"
#include "model/label_counts.h"
#include "model/predict.h"

#include <string.h>

enum link pipeline_fit_link(const struct fit *fit, const struct pipeline *pipeline) {
    return fit->options.calibrate ? LINK_CALIBRATED
                                  : pipeline_link(pipeline, fit->data->schema->n_classes);
}

/* ---- how rows are decided ------------------------------------------------------------------ */

/* As much of a model as a decision needs; it owns nothing. */
static sepal_model borrowed(const struct fit *fit, const struct pipeline *pipeline,
                            struct linear linear) {
    linear.classes = fit->data->schema->n_classes;
    linear.link = pipeline_fit_link(fit, pipeline);
    linear.strategy = pipeline_decoder(pipeline, linear.classes);
    return (sepal_model){
        .schema = fit->data->schema, .learner = pipeline->learner->name, .linear = linear};
}

sepal_status pipeline_rule(struct decision_rule *out, struct fit *fit,
                           const struct pipeline *pipeline, struct linear linear) {
    sepal_model model = borrowed(fit, pipeline, linear);
    return decision_rule_set(out, fit->ctx, &fit->arena, &model, pipeline->rule, pipeline->n_rule);
}

/* The classes of the rows learnt from, mapped as they are. */
static sepal_status decide_train(int32_t *out, struct fit *fit, const struct pipeline *pipeline,
                                 const struct decision_rule *rule) {
    sepal_model model = borrowed(fit, pipeline, fit->linear);
    struct predictions predictions = {.n = fit->data->matrix.rows, .classes = out};
    bool plain = pipeline->n_rule == 0 && !fit->linear.calibration;
    if (plain && fit->decided) {
        memcpy(out, fit->decided, predictions.n * sizeof *out);
        return linear_predict_rest(out, fit->ctx, &fit->linear, &fit->data->matrix);
    }
    if (plain) return linear_predict(out, fit->ctx, &fit->linear, &fit->data->matrix);
    return model_predict(&predictions, fit->ctx, &model, fit->data, rule);
}

/* ---- the report --------------------------------------------------------------------------- */

/* The class with the most weight of rows: what to predict without looking at the features. */
static sepal_status report_majority(struct tree_maker *make, struct tree *train, struct fit *fit) {
    const sepal_data *data = fit->data;
    size_t classes = data->schema->n_classes, best = 0;
    double *weight = arena_alloc(fit->ctx, &fit->arena, classes, sizeof *weight);
    if (!weight) return SEPAL_EMEMORY;
    class_weights(weight, data);
    for (size_t k = 1; k < classes; k++)
        if (weight[k] > weight[best]) best = k;
    tree_text(make, train, "majority", data->schema->classes[best]);
    return SEPAL_OK;
}

static void weigh_errors(double *right, double *errors, const int32_t *predicted,
                         const sepal_data *data) {
    size_t rows = data->matrix.rows, wrong = 0;
    const int32_t *label = data->label;
    for (size_t i = 0; !data->weight && i < rows; i++) wrong += predicted[i] != label[i];
    *errors = (double)wrong;
    *right = data->weight ? 0 : (double)(rows - wrong);
    for (size_t i = 0; data->weight && i < rows; i++)
        *(predicted[i] == label[i] ? right : errors) += data->weight[i];
}

static sepal_status report_train(struct tree_maker *make, struct tree *report, struct fit *fit,
                                 const struct pipeline *pipeline,
                                 const struct decision_rule *rule) {
    const sepal_data *data = fit->data;
    sepal_model model = borrowed(fit, pipeline, fit->linear);
    if (data->set_start) return label_sets_train(make, report, fit->ctx, &model, data, rule);
    size_t rows = data->matrix.rows;
    int32_t *predicted = mem_alloc(fit->ctx, rows, sizeof *predicted);
    if (!predicted) return SEPAL_EMEMORY;
    sepal_status status = decide_train(predicted, fit, pipeline, rule);
    double right = 0, errors = 0;
    if (status == SEPAL_OK) weigh_errors(&right, &errors, predicted, data);
    struct tree *train = tree_object(make, report, "train");
    tree_number(make, train, "accuracy", right / data->total_weight);
    tree_number(make, train, "errors", errors);
    if (status == SEPAL_OK) status = report_majority(make, train, fit);
    mem_free(predicted);
    return status;
}

static void report_data(struct tree_maker *make, struct tree *report, const sepal_data *data,
                        size_t columns) {
    tree_number(make, report, "rows", (double)data->matrix.rows);
    tree_number(make, report, "features", (double)schema_features(data->schema));
    tree_number(make, report, "columns", (double)columns);
    tree_number(make, report, "nonzeros", (double)data->matrix.nonzeros);
    if (data->weight) tree_number(make, report, "total_weight", data->total_weight);
    target_tell(make, report, &data->target);
    tree_texts(make, report, "classes", data->schema->classes, data->schema->n_classes);
}

/* `fitting`: seconds until there was a model; looking at it comes on top. */
static void report_costs(struct tree_maker *make, struct tree *report, const struct fit *fit,
                         double fitting) {
    struct tree *seconds = tree_object(make, report, "seconds");
    tree_number(make, seconds, "load", fit->data->seconds);
    tree_number(make, seconds, "fit", fitting);
    tree_number(make, seconds, "total", fit->data->seconds + clock_seconds_since(fit->start_ns));
    tree_number(make, report, "peak_memory", usage_peak_memory(fit->ctx));
    tree_number(make, report, "threads", parallel_width(fit->ctx));
    tree_number(make, report, "seed", (double)fit->ctx->seed);
}

/* Two-class problems for many classes where a learner could fit them jointly. */
static void report_strategy(struct tree_maker *make, struct tree *report,
                            const struct pipeline *pipeline, size_t classes) {
    if (classes == 2 || !pipeline->learner->jointly) return;
    tree_text(make, report, "strategy", pipeline_strategy(pipeline)->name);
    tree_text(make, report, "joint_alternative", pipeline->learner->jointly);
}

sepal_status pipeline_report(struct fit *fit, const sepal_data *given,
                             const struct pipeline *pipeline, const char *spec, struct tree *own) {
    struct decision_rule rule;
    TRY(pipeline_rule(&rule, fit, pipeline, fit->linear));
    struct tree_maker *make = fit->make;
    struct tree *report = fit->report;
    double fitting = clock_seconds_since(fit->start_ns);
    const char *in_short = pipeline_short_spec(fit->ctx, &fit->arena, pipeline);
    if (!in_short) return SEPAL_EMEMORY;
    tree_text(make, report, "spec", spec);
    tree_text(make, report, "spec_in_short", in_short);
    tree_text(make, report, "method", pipeline->learner->name);
    tree_text(make, report, "solver", fit->solver);
    report_strategy(make, report, pipeline, fit->data->schema->n_classes);
    report_data(make, report, given, fit->data->matrix.cols);
    tree_text(make, report, "objective_in_words", fit->words);
    if (fit->loss) tree_text(make, report, "loss", fit->loss);
    tree_number(make, report, "objective", fit->objective);
    tree_number(make, report, "gap", fit->gap);
    tree_number(make, report, "iterations", (double)fit->iterations);
    tree_bool(make, report, "converged", fit->converged);
    tree_bool(make, report, "interrupted", fit->stopped != NULL && cancelled(fit->ctx));
    if (fit->stopped) tree_text(make, report, "stopped", fit->stopped);
    calibration_tell(make, report, fit->linear.calibration);
    if (fit->priors) tree_text(make, report, "priors_in_force", fit->priors);
    decision_tell(make, report, &rule.options);
    TRY(report_train(make, report, fit, pipeline, &rule));
    tree_null(make, report, "test"); /* whoever has test rows attaches their report */
    for (struct tree *fact = own->first, *next; fact; fact = next) {
        next = fact->next;
        tree_adopt(report, fact);
    }
    report_costs(make, report, fit, fitting);
    return make->failed ? SEPAL_EMEMORY : SEPAL_OK;
}
