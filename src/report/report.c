#include "report/report.h"

#include "core/alloc.h"
#include "kernels/blas.h"
#include "learners/learner.h"
#include "model/bounds.h"
#include "model/calibrate.h"
#include "model/predict.h"

#include <math.h>
#include <string.h>

sepal_report *report_new(sepal_ctx *ctx, enum report_kind kind) {
    sepal_report *report = mem_zero(ctx, 1, sizeof *report);
    if (!report) return NULL;
    report->kind = kind;
    report->top = TOP_WEIGHTS;
    report->make = (struct tree_maker){.ctx = ctx, .arena = &report->arena};
    report->root = tree_object(&report->make, NULL, NULL);
    if (!report->make.failed) return report;
    report_free(report);
    return NULL;
}

void report_free(sepal_report *report) {
    if (!report) return;
    arena_clear(&report->arena);
    mem_free(report);
}

sepal_status report_give(sepal_report **out, sepal_report *report, sepal_status status) {
    bool wanted = out && status == SEPAL_OK;
    if (!wanted) report_free(report);
    if (out) *out = wanted ? report : NULL;
    return status;
}

/* What always predicting the most frequent class of the training rows achieves on other rows. */
static void add_baseline(struct tree_maker *make, struct tree *test, const struct tree *majority) {
    const struct tree *classes = tree_find(test, "per_class");
    double right = 0, total = 0;
    for (const struct tree *row = classes->first; row; row = row->next) {
        double support = tree_find(row, "support")->number;
        total += support;
        if (strcmp(tree_find(row, "label")->text.bytes, majority->text.bytes) == 0) right = support;
    }
    struct tree *baseline = tree_object(make, test, "baseline");
    tree_text(make, baseline, "label", majority->text.bytes);
    tree_number(make, baseline, "accuracy", right / total);
}

void report_attach(sepal_report *report, const char *key, const sepal_report *part) {
    const struct tree *majority = tree_path(report->root, "train.majority");
    if (part->kind == REPORT_DOCTOR) { /* a list of findings is what others want of it */
        tree_replace(&report->make, report->root, key, tree_find(part->root, "doctor"));
        return;
    }
    struct arena arena = {0};
    struct tree_maker make = {.ctx = report->make.ctx, .arena = &arena};
    struct tree *copy = tree_object(&make, NULL, NULL);
    for (const struct tree *fact = part->root->first; fact; fact = fact->next)
        tree_copy(&make, copy, fact->key, fact);
    if (majority && part->kind == REPORT_EVALUATION && !make.failed)
        add_baseline(&make, copy, majority);
    if (make.failed)
        report->make.failed = true;
    else
        tree_replace(&report->make, report->root, key, copy);
    arena_clear(&arena);
}

/* ---- facts about models ------------------------------------------------------------------- */

/* The scores at the centre: the biases, but of a quadratic model they are added to its forms. */
static sepal_status scores_at_centre(double *out, sepal_report *report,
                                     const struct linear *linear) {
    sepal_ctx *ctx = report->make.ctx;
    const struct density *density = linear->density;
    memcpy(out, linear->b, linear->rows * sizeof *out);
    if (!density_is_quadratic(density)) return SEPAL_OK;
    double *logs = arena_alloc(ctx, &report->arena, density->forms, sizeof *logs);
    double *slopes =
        arena_alloc(ctx, &report->arena, density->forms, density->cols * sizeof *slopes);
    if (!logs || !slopes) return SEPAL_EMEMORY;
    density_tangent(logs, slopes, density, NULL,
                    &blas_builtin); /* whatever the library's threads */
    for (size_t r = 0; r < linear->rows; r++)
        out[r] += density->forms == linear->rows ? logs[r] : logs[2 * r + 1] - logs[2 * r];
    return SEPAL_OK;
}

/* Rows of weights in the user's units: maps that work column by column at the end of the chain are
   folded back, b_r + sum_j w_j ((z_j - shift_j) / divisor_j - c_j). Of a quadratic score this is the
   tangent at the centre. */
static void add_weights(sepal_report *report, const sepal_model *model) {
    struct tree_maker *make = &report->make;
    const struct linear *linear = &model->linear;
    bool flat = !density_is_quadratic(linear->density) && !linear->bits;
    struct tree *weights = tree_array(make, report->root, "weights");
    struct tree *bias = tree_array(make, report->root, "bias");
    struct tree *norm = tree_array(make, report->root, "norm");
    struct tree *distance = tree_array(make, report->root, "distance_to_origin");
    double *folded = arena_alloc(make->ctx, &report->arena, linear->cols, sizeof *folded);
    double *at_centre = arena_alloc(make->ctx, &report->arena, linear->rows, sizeof *at_centre);
    if (!folded || !at_centre || scores_at_centre(at_centre, report, linear) != SEPAL_OK) {
        make->failed = true;
        return;
    }
    for (size_t r = 0; r < linear->rows; r++) {
        struct tree *row = tree_array(make, weights, NULL);
        double b = at_centre[r], shift, divisor;
        for (size_t j = 0; j < linear->cols; j++) {
            map_chain_fold(&model->chain, j, &shift, &divisor);
            double centre = linear->centre ? linear->centre[j] : 0;
            folded[j] = linear->w[r * linear->cols + j] / divisor;
            b -= folded[j] * (shift + divisor * centre);
            tree_number(make, row, NULL, folded[j]);
        }
        struct linear one = {.rows = 1, .cols = linear->cols, .w = folded};
        double length = linear_norm(&one, 0);
        tree_number(make, bias, NULL, b);
        tree_number(make, norm, NULL, length);
        tree_number(make, distance, NULL, length > 0 && flat ? b / length : NAN);
    }
}

/* How much each score changes by one standard deviation of each column: the weights as they were
   learnt, if the columns were standardised. And how many weights are not 0. */
static void add_effects(sepal_report *report, const sepal_model *model) {
    struct tree_maker *make = &report->make;
    const struct linear *linear = &model->linear;
    double divisor;
    bool known = !linear->bits && map_chain_deviation(&model->chain, 0, &divisor);
    struct tree *nonzero = tree_array(make, report->root, "nonzero");
    struct tree *effects = known ? tree_array(make, report->root, "effects") : NULL;
    for (size_t r = 0; r < linear->rows; r++) {
        struct tree *row = known ? tree_array(make, effects, NULL) : NULL;
        const double *w = linear->w + r * linear->cols;
        size_t n = 0;
        for (size_t j = 0; j < linear->cols; j++) {
            n += w[j] != 0;
            if (!known) continue;
            map_chain_deviation(&model->chain, j, &divisor);
            tree_number(make, row, NULL, w[j] / divisor);
        }
        tree_number(make, nonzero, NULL, (double)n);
    }
}

/* The surfaces between each two classes that are decided by score, s_i = s_j: as each is a hyperplane
   of its own, how steep the difference is and how far off the origin lies. From the numbers that are already in
   the report, so that all are in the same units. */
static void add_boundaries(sepal_report *report, const sepal_model *model) {
    enum { MOST = 50 }; /* classes: their pairs would fill pages */
    struct tree_maker *make = &report->make;
    const struct linear *linear = &model->linear;
    bool by_score = linear->classes > 2 && linear->strategy->functions == strategy_each_class &&
                    !linear->strategy->sets;
    bool flat = !density_is_quadratic(linear->density) && !linear->bits;
    if (!by_score || !flat || linear->classes > MOST || make->failed) return;
    struct tree *list = tree_array(make, report->root, "boundaries");
    double *difference = arena_alloc(make->ctx, &report->arena, linear->cols, sizeof *difference);
    if (!difference) {
        make->failed = true;
        return;
    }
    const struct tree *weights = tree_find(report->root, "weights")->first;
    const struct tree *bias = tree_find(report->root, "bias")->first;
    for (size_t i = 0; i < linear->classes; i++, weights = weights->next, bias = bias->next) {
        const struct tree *other = weights->next, *other_bias = bias->next;
        for (size_t j = i + 1; j < linear->classes; j++) {
            const struct tree *a = weights->first, *b = other->first;
            for (size_t m = 0; m < linear->cols; m++, a = a->next, b = b->next)
                difference[m] = b->number - a->number;
            struct linear one = {.rows = 1, .cols = linear->cols, .w = difference};
            double norm = linear_norm(&one, 0), at_origin = other_bias->number - bias->number;
            struct tree *row = tree_object(make, list, NULL);
            struct tree *pair = tree_array(make, row, "classes");
            tree_text(make, pair, NULL, model->schema->classes[i]);
            tree_text(make, pair, NULL, model->schema->classes[j]);
            tree_number(make, row, "norm", norm);
            tree_number(make, row, "distance_to_origin", norm > 0 ? at_origin / norm : NAN);
            other = other->next, other_bias = other_bias->next;
        }
    }
}

/* Where a weight is at a bound of its own. */
static const char *held_at(const struct box *box, size_t j, double w) {
    if (box->low[j] == box->high[j]) return "fixed";
    return w == box->low[j] ? "low" : w == box->high[j] ? "high" : NULL;
}

/* Bounds on the weights, beside the features, in the user's units; and who is at one. */
static sepal_status add_bounds(sepal_report *report, const sepal_model *model) {
    struct tree_maker *make = &report->make;
    const struct linear *linear = &model->linear;
    struct pipeline pipeline;
    struct resolved_bounds bounds;
    if (!learner_find(model->learner)->bounds) return SEPAL_OK;
    TRY(pipeline_parse(&pipeline, make->ctx, &report->arena, model->spec));
    TRY(bounds_resolve(&bounds, make->ctx, &report->arena, &pipeline, model->schema, &model->chain,
                       linear->cols));
    if (!bounds.box) return SEPAL_OK;
    struct tree *facts = tree_object(make, report->root, "bounds");
    tree_numbers(make, facts, "low", bounds.given.low, linear->cols);
    tree_numbers(make, facts, "high", bounds.given.high, linear->cols);
    struct tree *rows = tree_array(make, facts, "at");
    for (size_t r = 0; r < linear->rows; r++) {
        struct tree *row = tree_array(make, rows, NULL);
        for (size_t j = 0; j < linear->cols; j++) {
            const char *at = held_at(bounds.box, j, linear->w[r * linear->cols + j]);
            if (at)
                tree_text(make, row, NULL, at);
            else
                tree_null(make, row, NULL);
        }
    }
    return SEPAL_OK;
}

static void add_names(sepal_report *report, const sepal_model *model) {
    struct tree *features = tree_array(&report->make, report->root, "features");
    struct text name = {0};
    for (size_t j = 0; j < model->linear.cols; j++) {
        name.length = 0;
        model_column_name(report->make.ctx, &name, model, j);
        tree_slice(&report->make, features, NULL, (struct slice){name.bytes, name.length});
    }
    if (name.failed) report->make.failed = true;
    text_clear(&name);
}

/* Whom each row of weights speaks for: the second of two classes, a class, or a pair. */
static void report_add_rows(sepal_report *report, const sepal_model *model) {
    struct tree_maker *make = &report->make;
    const struct linear *linear = &model->linear;
    struct tree *rows = tree_array(make, report->root, "rows");
    for (size_t r = 0; r < linear->rows; r++) {
        size_t sides[2];
        bool pair = linear->classes > 2;
        linear->strategy->sides(r, linear->classes, sides);
        pair = pair && sides[0] != ALL_OTHERS;
        struct tree *into = pair ? tree_array(make, rows, NULL) : rows;
        for (int side = pair ? 0 : 1; side < 2; side++)
            tree_text(make, into, NULL, model->schema->classes[sides[side]]);
    }
}

/* Parts that only some models have. */
static void add_parts(sepal_report *report, const sepal_model *model) {
    struct tree_maker *make = &report->make;
    const struct linear *linear = &model->linear;
    const struct density *density = linear->density;
    if (linear->priors) tree_numbers(make, report->root, "priors", linear->priors, linear->classes);
    if (linear->axes) tree_number(make, report->root, "axes", (double)linear->n_axes);
    if (!density) return;
    tree_text(make, report->root, "density", density_names[density->kind]);
    tree_bool(make, report->root, "quadratic", density_is_quadratic(density));
    if (linear->bits) tree_bool(make, report->root, "bits", true);
}

sepal_status inspect_model(sepal_report *report, const sepal_model *model) {
    struct tree_maker *make = &report->make;
    struct tree *root = report->root;
    const struct schema *schema = model->schema;
    tree_text(make, root, "spec", model->spec);
    tree_text(make, root, "method", model->learner);
    tree_text(make, root, "activation", learner_find(model->learner)->activation);
    tree_texts(make, root, "classes", schema->classes, schema->n_classes);
    if (model->linear.strategy->sets) tree_bool(make, root, "label_sets", true);
    report_add_rows(report, model);
    add_names(report, model);
    add_weights(report, model);
    add_effects(report, model);
    TRY(add_bounds(report, model));
    add_boundaries(report, model);
    add_parts(report, model);
    calibration_tell(make, root, model->linear.calibration);
    struct predict_options own = kept_rule_options(&model->kept_rule);
    decision_tell(make, root, &own);
    struct tree *trained = tree_object(make, root, "training");
    tree_number(make, trained, "rows", (double)model->facts.rows);
    tree_number(make, trained, "objective", model->facts.objective);
    tree_number(make, trained, "gap", model->facts.gap);
    tree_number(make, trained, "iterations", (double)model->facts.iterations);
    tree_bool(make, trained, "converged", model->facts.converged);
    return make->failed ? SEPAL_EMEMORY : SEPAL_OK;
}

/* ---- JSON --------------------------------------------------------------------------------- */

static sepal_status report_print(char **out, sepal_ctx *ctx, const struct tree *root) {
    struct text text = {0};
    json_print(ctx, &text, root, 2);
    text_puts(ctx, &text, "\n");
    *out = text_take(ctx, &text);
    return *out ? SEPAL_OK : SEPAL_EMEMORY;
}

static void add_warnings(struct tree_maker *make, struct tree *root, const sepal_ctx *ctx) {
    struct tree *list = tree_array(make, root, "warnings");
    for (size_t i = 0; i < ctx->n_warnings; i++) {
        struct tree *one = tree_object(make, list, NULL);
        tree_text(make, one, "code", ctx->warnings[i].code);
        tree_text(make, one, "message", ctx->warnings[i].message);
    }
}

sepal_status report_json(char **out, sepal_ctx *ctx, const sepal_report *report,
                         const char *command) {
    struct arena arena = {0};
    struct tree_maker make = {.ctx = ctx, .arena = &arena};
    struct tree *root = tree_object(&make, NULL, NULL);
    *out = NULL;
    tree_number(&make, root, "schema", 1);
    tree_text(&make, root, "command", command);
    for (const struct tree *fact = report->root->first; fact; fact = fact->next)
        tree_copy(&make, root, fact->key, fact);
    add_warnings(&make, root, ctx);
    sepal_status status = make.failed ? SEPAL_EMEMORY : report_print(out, ctx, root);
    arena_clear(&arena);
    return status;
}

sepal_status error_json(char **out, sepal_ctx *ctx, const char *command, int exit_code) {
    struct arena arena = {0};
    struct tree_maker make = {.ctx = ctx, .arena = &arena};
    struct error error = ctx->error; /* making the text may fail and write another one */
    struct tree *root = tree_object(&make, NULL, NULL);
    *out = NULL;
    tree_number(&make, root, "schema", 1);
    tree_text(&make, root, "command", command);
    struct tree *object = tree_object(&make, root, "error");
    tree_number(&make, object, "exit", exit_code);
    tree_text(&make, object, "message", error.message);
    if (*error.file)
        tree_text(&make, object, "file", error.file);
    else
        tree_null(&make, object, "file");
    tree_number(&make, object, "line", error.line ? (double)error.line : NAN);
    tree_number(&make, object, "column", error.column ? (double)error.column : NAN);
    sepal_status status = make.failed ? SEPAL_EMEMORY : report_print(out, ctx, root);
    arena_clear(&arena);
    return status;
}
