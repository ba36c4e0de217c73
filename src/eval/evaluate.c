#include "eval/evaluate.h"

#include "core/alloc.h"
#include "core/parallel.h"
#include "data/unseen.h"
#include "eval/row_softmax.h"
#include "model/decision.h"

#include <math.h>
#include <string.h>

const struct metric *const metric_table[] = {
#define METRIC(name) &metric_##name,
#include "eval/metrics.def"
#undef METRIC
    NULL,
};

static size_t count_metrics(void) {
    size_t n = 0;
    while (metric_table[n]) n++;
    return n;
}

/* A number that has no value is null, and named in `undefined`. */
void evaluation_put(struct evaluation *all, struct tree *parent, const char *name,
                    const char *label, double value) {
    tree_number(all->make, parent, name, value);
    if (isfinite(value)) return;
    struct text of = {0};
    text_printf(all->ctx, &of, "%s%s%s", name, *label ? ":" : "", label);
    if (of.failed) all->make->failed = true;
    tree_text(all->make, all->undefined, NULL, of.bytes ? of.bytes : name);
    text_clear(&of);
}

/* ---- of each class -------------------------------------------------------------------------- */

double fraction_value(struct fraction fraction) {
    return fraction.whole > 0 ? fraction.part / fraction.whole : NAN;
}

/* The metrics of class k, added to sums over the classes and to such by their rows. */
static void report_class(struct evaluation *all, struct tree *list, size_t k, double *macro,
                         double *weighted) {
    const struct confusion *confusion = &all->confusion;
    const char *label = data_label_name(all->data, k);
    double tp = confusion->count[k * confusion->width + k];
    double fp = 0, fn = 0, tn = 0;
    /* by adding, since differences of sums of weights would leave rounding errors */
    for (size_t j = 0; j < confusion->labels; j++) {
        if (j == k) continue;
        fp += confusion->count[j * confusion->width + k];
        fn += confusion->count[k * confusion->width + j];
        tn += confusion->target[j] - confusion->count[j * confusion->width + k];
    }
    if (confusion->width > confusion->labels)
        fn += confusion->count[k * confusion->width + confusion->labels];
    struct tree *row = tree_object(all->make, list, NULL);
    tree_text(all->make, row, "label", label);
    tree_number(all->make, row, "tp", tp);
    tree_number(all->make, row, "fp", fp);
    tree_number(all->make, row, "fn", fn);
    tree_number(all->make, row, "tn", tn);
    struct class_counts counts = {tp, tp + fp, tp + fn};
    for (size_t m = 0; metric_table[m]; m++) {
        if (!metric_table[m]->of_class) continue;
        double value = fraction_value(metric_table[m]->of_class(&counts));
        evaluation_put(all, row, metric_table[m]->name, label, value);
        macro[m] += isnan(value) ? 0 : value;
        weighted[m] += isnan(value) ? 0 : confusion->target[k] * value;
    }
    tree_number(all->make, row, "support", confusion->target[k]);
}

void evaluation_average(struct evaluation *all, const char *key, const double *sums, double count) {
    struct tree *object = tree_object(all->make, all->report, key);
    for (size_t m = 0; metric_table[m]; m++)
        if (metric_table[m]->of_class)
            tree_number(all->make, object, metric_table[m]->name, sums[m] / count);
}

static sepal_status report_classes(struct evaluation *all) {
    const struct confusion *confusion = &all->confusion;
    size_t n = count_metrics();
    double *macro = arena_zero(all->ctx, &all->arena, 3 * n, sizeof *macro);
    if (!macro) return SEPAL_EMEMORY;
    double *weighted = macro + n, *micro = weighted + n, total = confusion->total;
    struct tree *list = tree_array(all->make, all->report, "per_class");
    for (size_t k = 0; k < confusion->labels; k++) report_class(all, list, k, macro, weighted);
    /* an error is one class's FP and another's FN, an undecided row is a FN alone */
    struct class_counts pooled = {confusion->right, total - confusion->undecided, total};
    for (size_t m = 0; m < n; m++) {
        double value =
            metric_table[m]->of_class ? fraction_value(metric_table[m]->of_class(&pooled)) : 0;
        micro[m] = isnan(value) ? 0 : value;
    }
    evaluation_average(all, "macro", macro, (double)confusion->labels);
    evaluation_average(all, "micro", micro, 1);
    evaluation_average(all, "weighted", weighted, total);
    return SEPAL_OK;
}

static void report_confusion(struct evaluation *all) {
    const struct confusion *confusion = &all->confusion;
    struct tree *labels = tree_array(all->make, all->report, "labels");
    for (size_t k = 0; k < confusion->labels; k++)
        tree_text(all->make, labels, NULL, data_label_name(all->data, k));
    struct tree *matrix = tree_array(all->make, all->report, "confusion");
    for (size_t t = 0; t < confusion->labels; t++)
        tree_numbers(all->make, matrix, NULL, confusion->count + t * confusion->width,
                     confusion->width);
}

/* ---- of all rows ---------------------------------------------------------------------------- */

bool evaluation_has_probabilities(const struct evaluation *all) {
    return all->linear->link != LINK_NONE && !all->data->undecided;
}

/* Of few rows of the class among many the others need no order, unless more is asked for than two areas. */
static bool is_counted(const struct evaluation *all, const bool *positive) {
    enum { COUNTED_MOST = 1 << 12, COUNTED_PART = 4 };
    const struct evaluate_options *options = all->options;
    size_t own = 0, rows = all->data->matrix.rows;
    if (options->tells || options->curves || options->confidence > 0) return false;
    if (all->data->weight || all->data->undecided) return false;
    for (size_t i = 0; i < rows; i++) own += positive[i];
    return own <= COUNTED_MOST && own <= rows / COUNTED_PART;
}

/* A single score speaks for the second class. Rows that lack a value have no scores, and no order with
   the others. */
sepal_status evaluation_rank(struct evaluation *all, size_t k, const bool *positive,
                             struct ranking *out) {
    size_t stride = linear_shown(all->linear);
    bool sets = all->linear->strategy->sets;
    size_t n = all->data->matrix.rows;
    struct ranking_rows rows = {
        .score = all->turned ? all->turned + k * n : all->predictions.shown + (stride > 1 ? k : 0),
        .n = n,
        .stride = all->turned ? 1 : stride,
        .sign = stride == 1 && k == 0 && !sets ? -1 : 1,
        .positive = positive,
        .weight = all->data->weight};
    struct ranked ranked;
    TRY(check_cancelled(all->ctx, "evaluating"));
    if (is_counted(all, positive)) return ranking_counted(out, all->ctx, &rows);
    TRY(ranked_make(&ranked, all->ctx, &rows, false));
    *out = ranking_of(&ranked);
    if (all->data->undecided) out->roc_auc = out->average_precision = NAN;
    if (all->linear->classes == 2 && !sets && all->options->confidence > 0)
        all->auc_error = ranking_auc_error(&ranked, out->roc_auc);
    sepal_status status = all->curves.root ? curves_add(all, k, &ranked, out) : SEPAL_OK;
    ranked_clear(&ranked);
    return status;
}

/* The numbers of one class after those of another: each is gone through by itself. */
static sepal_status turn_shown(struct evaluation *all) {
    enum { TURNED_ROWS = 64 };
    size_t rows = all->data->matrix.rows, classes = all->linear->classes;
    double *turned = arena_alloc(all->ctx, &all->arena, rows, classes * sizeof *turned);
    if (!turned) return SEPAL_EMEMORY;
    for (size_t i = 0; i < rows; i += TURNED_ROWS)
        all->ctx->kernels->turn(turned + i, rows, all->predictions.shown + i * classes,
                                rows - i < TURNED_ROWS ? rows - i : TURNED_ROWS, classes);
    all->turned = turned;
    return SEPAL_OK;
}

static sepal_status find_ranking(struct evaluation *all) {
    size_t classes = all->linear->classes, ranked = 0, rows = all->data->matrix.rows;
    bool *positive = arena_alloc(all->ctx, &all->arena, rows, sizeof *positive);
    if (!positive) return SEPAL_EMEMORY;
    struct ranking sum = {0}, one;
    if (linear_shown(all->linear) == classes) TRY(turn_shown(all));
    for (size_t k = 0; k < classes; k++) {
        if (classes == 2 && k != all->positive) continue;
        for (size_t i = 0; i < rows; i++) positive[i] = all->data->label[i] == (int32_t)k;
        TRY(evaluation_rank(all, k, positive, &one));
        sum.roc_auc += one.roc_auc;
        sum.average_precision += one.average_precision;
        if (one.steps > all->ranking.steps) all->ranking.steps = one.steps;
        ranked++;
    }
    all->ranking.roc_auc = sum.roc_auc / (double)ranked;
    all->ranking.average_precision = sum.average_precision / (double)ranked;
    return SEPAL_OK;
}

static void report_rows(struct evaluation *all) {
    for (const struct metric *const *row = metric_table; *row; row++) {
        if (!(*row)->of_rows || ((*row)->ranks && all->options->no_rankings)) continue;
        if ((*row)->probabilities && all->options->no_probabilities) continue;
        if ((*row)->probabilities && all->linear->link == LINK_NONE)
            tree_null(all->make, all->report, (*row)->name);
        else
            evaluation_put(all, all->report, (*row)->name, "", (*row)->of_rows(all));
    }
}

static void report_coverage(struct evaluation *all) {
    static const char *const names[] = {
        [REGION_SEVERAL] = "several", [REGION_NONE] = "none", [REGION_TIED] = "tied"};
    const struct confusion *confusion = &all->confusion;
    double count[REGIONS] = {0};
    for (size_t i = 0; all->predictions.regions && i < all->data->matrix.rows; i++)
        count[all->predictions.regions[i]] += data_weight(all->data, i);
    tree_number(all->make, all->report, "coverage",
                (confusion->total - confusion->undecided) / confusion->total);
    if (!all->predictions.regions) return;
    struct tree *ambiguous = tree_object(all->make, all->report, "ambiguous");
    for (size_t i = REGION_CLEAR + 1; i < REGIONS; i++)
        tree_number(all->make, ambiguous, names[i], count[i]);
}

static void report_top_k(struct evaluation *all) {
    size_t k = all->options->top_k;
    if (k == 0) return;
    struct tree *top = tree_object(all->make, all->report, "top_k");
    tree_number(all->make, top, "k", (double)k);
    tree_number(all->make, top, "accuracy", top_k_accuracy(all, k));
}

sepal_status evaluation_positive(struct evaluation *all, const char *label) {
    const struct schema *schema = all->data->schema;
    all->positive = 1;
    if (!label) return SEPAL_OK;
    int32_t k = schema_class_of(schema, (struct slice){label, strlen(label)});
    if (k < 0)
        return fail(all->ctx, SEPAL_EUSAGE,
                    "'%.60s' is not a class of the model; its classes are "
                    "%s ... %s",
                    label, schema->classes[0], schema->classes[schema->n_classes - 1]);
    all->positive = (size_t)k;
    if (schema->n_classes > 2 || all->linear->strategy->sets)
        warn(all->ctx, "positive-ignored",
             OPTION "positive names one of two classes; this model has %zu %s", schema->n_classes,
             strategy_members(all->linear->strategy));
    return SEPAL_OK;
}

bool evaluation_decides_plainly(const sepal_model *model, const sepal_data *data,
                                const struct decision_rule *rule) {
    const struct predict_options *options = &rule->options;
    return options->decide == DECIDE_hard && isnan(options->cutoff) && !rule->shift &&
           options->ambiguous != AMBIGUOUS_UNDECIDED && !model->linear.calibration &&
           !data->undecided && map_chain_is_identity(&model->chain);
}

/* Whether the logarithms of the probabilities are the softmax of the scores, and of nothing else. */
static bool weighs_plainly(const struct linear *linear, const struct decision_rule *rule) {
    return linear->strategy == &strategy_machine && linear->link == LINK_POSTERIOR && !rule->shift;
}

struct weighing {
    const struct linear *linear;
    double *shown; /* scores, then the logarithms of the probabilities */
    size_t rows;
};
enum { WEIGHED_ROWS = 1 << 12 };

/* By the kernel, whose losses of the most probable class are minus the logarithms of its probability. */
static sepal_status weigh_some(sepal_ctx *ctx, size_t task, void *payload) {
    static const double SURE = 1e-290;
    const struct weighing *all = payload;
    size_t classes = all->linear->classes, end = (task + 1) * WEIGHED_ROWS;
    int32_t best[ROW_SOFTMAX_MOST];
    struct row_softmax softmax;
    TRY(row_softmax_init(&softmax, ctx, classes));
    if (end > all->rows) end = all->rows;
    for (size_t i = task * WEIGHED_ROWS, n; i < end; i += n) {
        double *row = all->shown + i * classes;
        n = end - i < ROW_SOFTMAX_MOST ? end - i : ROW_SOFTMAX_MOST;
        for (size_t r = 0; r < n; r++) best[r] = strategy_largest(all->linear, row + r * classes);
        row_softmax_take(&softmax, row, n, best);
        for (size_t r = 0; r < n; r++, row += classes) {
            double largest = row[best[r]], least = softmax.loss[r];
            if (least <
                SURE) { /* the kernel has no exponentials so small, and rows are ranked by them */
                log_softmax_of_logs(row, classes);
                continue;
            }
            for (size_t k = 0; k < classes; k++) row[k] = row[k] - largest - least;
        }
    }
    row_softmax_clear(&softmax);
    return SEPAL_OK;
}

/* What rows are decided as, and the numbers that rank them: of two classes the logarithm of the odds or,
   without probabilities, the score; of more for each the logarithm of its probability; without one, its margin in a joint machine, its own score against
   the rest, its votes. */
sepal_status evaluation_predict_scored(struct predictions *out, sepal_ctx *ctx,
                                       const sepal_model *model, const sepal_data *data,
                                       const double *scores, const struct decision_rule *rule,
                                       const struct evaluate_options *options, bool probabilities) {
    const struct linear *linear = &model->linear;
    size_t rows = data->matrix.rows, shown = linear_shown(linear);
    bool numbers = !options->no_rankings || !options->no_probabilities;
    bool logs = numbers && linear->link != LINK_NONE, later = logs && weighs_plainly(linear, rule);
    *out = (struct predictions){.n = rows};
    out->classes = mem_alloc(ctx, rows, sizeof *out->classes);
    bool plainly = !numbers && !probabilities && evaluation_decides_plainly(model, data, rule);
    if (plainly && !scores)
        return out->classes ? linear_predict(out->classes, ctx, linear, &data->matrix)
                            : SEPAL_EMEMORY;
    out->regions = mem_alloc(ctx, rows, sizeof *out->regions);
    if (numbers) out->shown = mem_alloc(ctx, rows, shown * sizeof(double));
    if (probabilities && linear->link != LINK_NONE)
        out->probabilities = mem_alloc(ctx, rows, linear->classes * sizeof(double));
    if (!out->classes || !out->regions || (numbers && !out->shown) ||
        (probabilities && linear->link != LINK_NONE && !out->probabilities))
        return SEPAL_EMEMORY;
    double *room = out->shown;
    if (logs && !later) {
        out->logs = room;
        out->shown = NULL;
    }
    sepal_status status = scores ? model_predict_scored(out, ctx, model, data, scores, rule)
                                 : model_predict(out, ctx, model, data, rule);
    out->logs = NULL;
    out->shown = room;
    if (status == SEPAL_OK && later)
        return parallel_for(ctx, (rows + WEIGHED_ROWS - 1) / WEIGHED_ROWS, weigh_some,
                            &(struct weighing){linear, room, rows});
    void (*rank)(const struct linear *, double *) = linear->strategy->rank;
    for (size_t i = 0; status == SEPAL_OK && rank && numbers && !logs && i < rows; i++)
        rank(linear, room + i * shown);
    return status;
}

sepal_status evaluation_predict(struct predictions *out, sepal_ctx *ctx, const sepal_model *model,
                                const sepal_data *data, const struct decision_rule *rule,
                                const struct evaluate_options *options, bool probabilities) {
    return evaluation_predict_scored(out, ctx, model, data, NULL, rule, options, probabilities);
}

void evaluation_predictions_free(struct predictions *predictions) {
    mem_free(predictions->shown);
    mem_free(predictions->classes);
    mem_free(predictions->labels);
    mem_free(predictions->regions);
    mem_free(predictions->probabilities);
    *predictions = (struct predictions){0};
}

static sepal_status evaluate_ask(struct evaluation *all) {
    if (all->predictions.classes) return SEPAL_OK; /* they were given */
    return evaluation_predict(&all->predictions, all->ctx, all->model, all->data, all->rule,
                              all->options, all->options->curves);
}

/* Rows that leave some of the numbers without a meaning: a class that has none, or all of one score. */
static void warn_of_rows(const struct evaluation *all) {
    const struct schema *schema = all->data->schema;
    size_t absent = 0, first = 0, rows = all->data->matrix.rows;
    for (size_t k = schema->n_classes; k-- > 0;)
        if (all->confusion.target[k] == 0) absent++, first = k;
    static const char *const what =
        "what needs some has no value (n/a), which counts as 0 in macro averages";
    if (absent == 1)
        warn(all->ctx, "absent-classes", "class '%.60s' has no row here: %s",
             schema->classes[first], what);
    else if (absent > 1)
        warn(all->ctx, "absent-classes",
             "%zu of the %zu classes have no row here, the first is '%.60s': %s", absent,
             schema->n_classes, schema->classes[first], what);
    if (all->ranking.steps == 1 && rows > 1)
        warn(all->ctx, "equal-scores",
             "all rows have the same score: the model does not tell them apart, and any order of "
             "them is chance (roc auc 0.5)");
}

static sepal_status evaluate_judge(struct evaluation *all) {
    TRY(evaluation_positive(all, all->options->positive));
    if (all->counts) {
        TRY(confusion_of_counts(&all->confusion, all->ctx, &all->arena, all->data, all->counts));
    } else {
        TRY(evaluate_ask(all));
        TRY(confusion_count(&all->confusion, all->ctx, &all->arena, all->data,
                            all->predictions.classes, all->rule->abstains || all->data->undecided));
    }
    if (!all->options->no_probabilities) TRY(probability_facts_make(&all->probability, all));
    if (all->options->curves) curves_begin(all);
    if (!all->options->no_rankings) TRY(find_ranking(all));
    if (all->options->tells) warn_of_rows(all);
    all->undefined = tree_array(all->make, NULL, NULL);
    tree_number(all->make, all->report, "rows", (double)all->data->matrix.rows);
    if (all->data->weight)
        tree_number(all->make, all->report, "total_weight", all->data->total_weight);
    if (all->linear->classes == 2)
        tree_text(all->make, all->report, "positive", all->data->schema->classes[all->positive]);
    report_rows(all);
    report_top_k(all);
    report_confusion(all);
    TRY(report_classes(all));
    report_coverage(all);
    TRY(report_cost(all));
    TRY(report_intervals(all));
    TRY(curves_end(all));
    all->undefined->key = "undefined";
    tree_adopt(all->report, all->undefined);
    return all->make->failed ? SEPAL_EMEMORY : SEPAL_OK;
}

static sepal_status evaluate_all(struct evaluation *all) {
    unseen_warn(all->ctx, all->data);
    sepal_status status =
        all->linear->strategy->sets ? evaluate_label_sets(all) : evaluate_judge(all);
    evaluation_predictions_free(&all->predictions);
    arena_clear(&all->arena);
    return status;
}

sepal_status evaluate(sepal_ctx *ctx, const sepal_model *model, const sepal_data *data,
                      const struct decision_rule *rule, const struct evaluate_options *options,
                      struct tree_maker *make, struct tree *report) {
    struct predictions none = {0};
    return evaluate_predicted(ctx, model, data, rule, options, &none, make, report);
}

static struct evaluation evaluation_of(sepal_ctx *ctx, const sepal_model *model,
                                       const sepal_data *data, const struct decision_rule *rule,
                                       const struct evaluate_options *options) {
    return (struct evaluation){.ctx = ctx,
                               .model = model,
                               .linear = &model->linear,
                               .data = data,
                               .rule = rule,
                               .auc_error = NAN,
                               .options = options};
}

sepal_status evaluate_predicted(sepal_ctx *ctx, const sepal_model *model, const sepal_data *data,
                                const struct decision_rule *rule,
                                const struct evaluate_options *options,
                                struct predictions *predictions, struct tree_maker *make,
                                struct tree *report) {
    struct evaluation all = evaluation_of(ctx, model, data, rule, options);
    all.predictions = *predictions;
    all.make = make;
    all.report = report;
    sepal_status status = evaluate_all(&all);
    *predictions = all.predictions;
    return status;
}

sepal_status evaluate_counted(sepal_ctx *ctx, const sepal_model *model, const sepal_data *data,
                              const struct decision_rule *rule,
                              const struct evaluate_options *options, const double *counts,
                              struct tree_maker *make, struct tree *report) {
    struct evaluation all = evaluation_of(ctx, model, data, rule, options);
    all.counts = counts;
    all.make = make;
    all.report = report;
    return evaluate_all(&all);
}
