#include "eval/evaluate.h"

#include "core/alloc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct metric metric_table[] = {
    {"accuracy", "fraction of the rows decided rightly"},
    {"error", "fraction of the rows decided wrongly"},
    {"precision", "TP / (TP + FP): how many of those called this class are of it"},
    {"recall", "TP / (TP + FN): how many of this class are found"},
    {"f1", "2 TP / (2 TP + FP + FN)"},
    {"log_loss", "mean of minus the logarithm of the probability of the right class"},
    {"brier", "mean squared error of the probabilities, summed over the classes if more than two"},
    {"mcc", "Matthews' correlation between targets and decisions, for any number of classes"},
    {"roc_auc", "chance that a row of the class scores above one that is not of it"},
    {"pr_auc", "average precision: mean precision at the rows of the class"},
    {0},
};

struct evaluation {
    sepal_ctx *ctx;
    const sepal_model *model;
    const struct linear *linear;
    const sepal_data *data;
    const struct decision_rule *rule;
    struct arena arena;
    struct tree_maker *make;
    struct tree *report;
    struct tree *undefined;
    struct predictions
        predictions; /* `shown` of K > 2 classes: what each is ranked by, see `evaluate_ask` */
    struct confusion confusion;
};

/* A ratio, or null and a line in `undefined` when it is 0/0. Returns what counts in averages. */
static double ratio(struct evaluation *all, struct tree *parent, const char *key, const char *of,
                    double part, double whole) {
    if (whole > 0) {
        tree_number(all->make, parent, key, part / whole);
        return part / whole;
    }
    struct text name = {0};
    text_printf(all->ctx, &name, "%s%s%s", key, *of ? ":" : "", of);
    tree_null(all->make, parent, key);
    tree_text(all->make, all->undefined, NULL, name.bytes ? name.bytes : key);
    text_clear(&name);
    return 0;
}

struct averages {
    double precision, recall, f1;
};

static struct averages report_class(struct evaluation *all, struct tree *list, size_t k) {
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
    struct averages of;
    of.precision = ratio(all, row, "precision", label, tp, tp + fp);
    of.recall = ratio(all, row, "recall", label, tp, tp + fn);
    of.f1 = ratio(all, row, "f1", label, 2 * tp, 2 * tp + fp + fn);
    tree_number(all->make, row, "support", confusion->target[k]);
    return of;
}

static void report_average(struct evaluation *all, const char *key, struct averages sums,
                           double count) {
    struct tree *object = tree_object(all->make, all->report, key);
    tree_number(all->make, object, "precision", sums.precision / count);
    tree_number(all->make, object, "recall", sums.recall / count);
    tree_number(all->make, object, "f1", sums.f1 / count);
}

static void report_classes(struct evaluation *all) {
    const struct confusion *confusion = &all->confusion;
    struct averages macro = {0}, weighted = {0};
    struct tree *list = tree_array(all->make, all->report, "per_class");
    for (size_t k = 0; k < confusion->labels; k++) {
        struct averages one = report_class(all, list, k);
        macro.precision += one.precision;
        macro.recall += one.recall;
        macro.f1 += one.f1;
        weighted.precision += confusion->target[k] * one.precision;
        weighted.recall += confusion->target[k] * one.recall;
        weighted.f1 += confusion->target[k] * one.f1;
    }
    /* an error is one class's FP and another's FN, an undecided row is a FN alone */
    double right = confusion->right, total = confusion->total;
    double decided = total - confusion->undecided;
    struct averages micro = {decided > 0 ? right / decided : 0, right / total,
                             2 * right / (decided + total)};
    report_average(all, "macro", macro, (double)confusion->labels);
    report_average(all, "micro", micro, 1);
    report_average(all, "weighted", weighted, total);
}

static void report_confusion(struct evaluation *all) {
    const struct confusion *confusion = &all->confusion;
    struct tree *labels = tree_array(all->make, all->report, "labels");
    for (size_t k = 0; k < confusion->labels; k++)
        tree_text(all->make, labels, NULL, data_label_name(all->data, k));
    struct tree *matrix = tree_array(all->make, all->report, "confusion");
    for (size_t t = 0; t < confusion->labels; t++) {
        struct tree *row = tree_array(all->make, matrix, NULL);
        for (size_t p = 0; p < confusion->width; p++)
            tree_number(all->make, row, NULL, confusion->count[t * confusion->width + p]);
    }
    tree_number(all->make, all->report, "accuracy", confusion->right / confusion->total);
    tree_number(all->make, all->report, "error",
                (confusion->total - confusion->right) / confusion->total);
}

/* Gorodkin's generalisation to K classes (Comput. Biol. Chem. 2004). */
static void report_mcc(struct evaluation *all) {
    const struct confusion *confusion = &all->confusion;
    double n = confusion->total, cross = 0, targets = 0, predictions = 0;
    for (size_t k = 0; k < confusion->width; k++) {
        double t = k < confusion->labels ? confusion->target[k] / n : 0;
        double p = confusion->predicted[k] / n;
        cross += t * p;
        targets += t * t;
        predictions += p * p;
    }
    double variances = (1 - targets) * (1 - predictions);
    ratio(all, all->report, "mcc", "", confusion->right / n - cross,
          variances > 0 ? sqrt(variances) : 0);
}

/* Class k against the rest. A single score speaks for the second class. */
static sepal_status rank_class(struct evaluation *all, size_t k, bool *positive,
                               struct ranking *out) {
    size_t rows = all->data->matrix.rows, stride = linear_shown(all->linear);
    double *flipped = NULL;
    const double *score = all->predictions.shown + (stride > 1 ? k : 0);
    for (size_t i = 0; i < rows; i++) positive[i] = all->data->label[i] == (int32_t)k;
    if (stride == 1 && k == 0) {
        flipped = mem_alloc(all->ctx, rows, sizeof *flipped);
        if (!flipped) return SEPAL_EMEMORY;
        for (size_t i = 0; i < rows; i++) flipped[i] = -score[i];
        score = flipped;
    }
    sepal_status status =
        rank_scores(out, all->ctx, score, stride, positive, all->data->weight, rows);
    mem_free(flipped);
    return status;
}

static sepal_status report_rankings(struct evaluation *all, size_t positive) {
    size_t classes = all->linear->classes, ranked = 0;
    bool *marks = arena_alloc(all->ctx, &all->arena, all->data->matrix.rows, sizeof *marks);
    if (!marks) return SEPAL_EMEMORY;
    struct ranking sum = {0, 0}, one;
    for (size_t k = 0; k < classes; k++) {
        if (classes == 2 && k != positive) continue;
        TRY(check_cancelled(all->ctx, "evaluating"));
        TRY(rank_class(all, k, marks, &one));
        sum.roc_auc += one.roc_auc;
        sum.average_precision += one.average_precision;
        ranked++;
    }
    const double auc[] = {sum.roc_auc / (double)ranked, sum.average_precision / (double)ranked};
    const char *const names[] = {"roc_auc", "pr_auc"};
    for (int i = 0; i < 2; i++) {
        tree_number(all->make, all->report, names[i], auc[i]);
        if (isnan(auc[i])) tree_text(all->make, all->undefined, NULL, names[i]);
    }
    return SEPAL_OK;
}

static void report_coverage(struct evaluation *all) {
    static const char *const names[] = {
        [REGION_SEVERAL] = "several", [REGION_NONE] = "none", [REGION_TIED] = "tied"};
    const struct confusion *confusion = &all->confusion;
    double count[REGIONS] = {0};
    for (size_t i = 0; i < all->data->matrix.rows; i++)
        count[all->predictions.regions[i]] += data_weight(all->data, i);
    tree_number(all->make, all->report, "coverage",
                (confusion->total - confusion->undecided) / confusion->total);
    struct tree *ambiguous = tree_object(all->make, all->report, "ambiguous");
    for (size_t i = REGION_CLEAR + 1; i < REGIONS; i++)
        tree_number(all->make, ambiguous, names[i], count[i]);
}

/* The logarithms of a row's probabilities; `pair` has room for those of two classes. */
static const double *logs_of(const struct evaluation *all, size_t i, double pair[2]) {
    size_t shown = linear_shown(all->linear);
    const double *row = all->predictions.shown + i * shown;
    if (shown > 1) return row;
    linear_log_probabilities(all->linear, row, pair);
    return pair;
}

/* What probabilities are worth. A class that the model has not seen had probability 0: its log loss
   has no bound. */
static void report_probabilities(struct evaluation *all, size_t positive) {
    bool known = all->linear->link != LINK_NONE;
    size_t classes = all->linear->classes;
    double loss = 0, brier = 0, pair[2];
    for (size_t i = 0; known && i < all->data->matrix.rows; i++) {
        const double *logs = logs_of(all, i, pair);
        size_t target = (size_t)all->data->label[i];
        double weight = data_weight(all->data, i), square = 0;
        loss -= weight * (target < classes ? logs[target] : -INFINITY);
        for (size_t k = 0; k < classes; k++) {
            double miss = k == target ? expm1(logs[k]) : exp(logs[k]);
            if (classes > 2 || k == positive) square += miss * miss;
        }
        brier += weight * (square + (classes > 2 && target >= classes));
    }
    tree_number(all->make, all->report, "log_loss", known ? loss / all->confusion.total : NAN);
    tree_number(all->make, all->report, "brier", known ? brier / all->confusion.total : NAN);
    if (known && !isfinite(loss)) tree_text(all->make, all->undefined, NULL, "log_loss");
}

static sepal_status find_positive(struct evaluation *all, const char *label, size_t *positive) {
    const struct schema *schema = all->data->schema;
    *positive = 1;
    if (!label) return SEPAL_OK;
    int32_t k = schema_class_of(schema, (struct slice){label, strlen(label)});
    if (k < 0)
        return fail(all->ctx, SEPAL_EUSAGE,
                    "'%.60s' is not a class of the model; its classes are "
                    "%s ... %s",
                    label, schema->classes[0], schema->classes[schema->n_classes - 1]);
    *positive = (size_t)k;
    if (schema->n_classes > 2)
        warn(all->ctx, "positive-ignored",
             OPTION "positive names one of two classes; this model has %zu", schema->n_classes);
    return SEPAL_OK;
}

/* What rows are decided as, and the numbers that rank them, of more than two classes for each: the
   logarithm of its probability; without one, its margin in a joint machine, its own score against
   the rest, its votes. */
static sepal_status evaluate_ask(struct evaluation *all) {
    size_t rows = all->data->matrix.rows, shown = linear_shown(all->linear);
    struct predictions *predictions = &all->predictions;
    *predictions = (struct predictions){.n = rows};
    predictions->classes = mem_alloc(all->ctx, rows, sizeof *predictions->classes);
    predictions->regions = mem_alloc(all->ctx, rows, sizeof *predictions->regions);
    predictions->shown = mem_alloc(all->ctx, rows, shown * sizeof(double));
    if (!predictions->classes || !predictions->regions || !predictions->shown) return SEPAL_EMEMORY;
    TRY(model_predict(predictions, all->ctx, all->model, all->data, all->rule));
    bool logs = all->linear->link != LINK_NONE;
    void (*rank)(const struct linear *, double *) = all->linear->strategy->rank;
    for (size_t i = 0; shown > 1 && i < rows; i++) {
        double *row = predictions->shown + i * shown;
        if (logs)
            linear_log_probabilities(all->linear, row, row);
        else if (rank)
            rank(all->linear, row);
    }
    return SEPAL_OK;
}

static sepal_status evaluate_judge(struct evaluation *all, const char *label) {
    size_t positive;
    TRY(find_positive(all, label, &positive));
    TRY(evaluate_ask(all));
    TRY(confusion_count(&all->confusion, all->ctx, &all->arena, all->data, all->predictions.classes,
                        all->rule->abstains));
    all->undefined = tree_array(all->make, NULL, NULL);
    tree_number(all->make, all->report, "rows", (double)all->data->matrix.rows);
    if (all->data->weight)
        tree_number(all->make, all->report, "total_weight", all->data->total_weight);
    report_confusion(all);
    report_classes(all);
    report_probabilities(all, positive);
    if (all->linear->classes == 2)
        tree_text(all->make, all->report, "positive", all->data->schema->classes[positive]);
    TRY(report_rankings(all, positive));
    report_mcc(all);
    report_coverage(all);
    all->undefined->key = "undefined";
    tree_adopt(all->report, all->undefined);
    return all->make->failed ? SEPAL_EMEMORY : SEPAL_OK;
}

sepal_status evaluate(sepal_ctx *ctx, const sepal_model *model, const sepal_data *data,
                      const struct decision_rule *rule, const char *positive,
                      struct tree_maker *make, struct tree *report) {
    struct evaluation all = {.ctx = ctx,
                             .model = model,
                             .linear = &model->linear,
                             .data = data,
                             .rule = rule,
                             .make = make,
                             .report = report};
    sepal_status status = evaluate_judge(&all, positive);
    mem_free(all.predictions.shown);
    mem_free(all.predictions.classes);
    mem_free(all.predictions.regions);
    arena_clear(&all.arena);
    return status;
}
