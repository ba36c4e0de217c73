/* Judging sets of labels: each label by the rows that have it and those that are said to, all labels
   pooled or averaged, and whole sets. */
#include "core/alloc.h"
#include "eval/metric.h"
#include "model/label_counts.h"

#include <math.h>
#include <string.h>

enum { LABEL_METRICS = 16 };

/* ---- labels ------------------------------------------------------------------------------- */

/* Sums over the labels of each metric: plain, by support, of the pooled counts. */
struct label_sums {
    double macro[LABEL_METRICS], weighted[LABEL_METRICS], micro[LABEL_METRICS];
};

static void report_label(struct evaluation *all, struct tree *list,
                         const struct label_counts *counts, size_t k, struct label_sums *sums) {
    const char *label = data_label_name(all->data, k);
    double tp = counts->tp[k], support = tp + counts->fn[k];
    struct class_counts of = {tp, tp + counts->fp[k], support};
    struct tree *row = tree_object(all->make, list, NULL);
    tree_text(all->make, row, "label", label);
    tree_number(all->make, row, "tp", tp);
    tree_number(all->make, row, "fp", counts->fp[k]);
    tree_number(all->make, row, "fn", counts->fn[k]);
    tree_number(all->make, row, "tn", counts->tn[k]);
    for (size_t m = 0; metric_table[m] && m < LABEL_METRICS; m++) {
        if (!metric_table[m]->of_class) continue;
        double value = fraction_value(metric_table[m]->of_class(&of));
        evaluation_put(all, row, metric_table[m]->name, label, value);
        sums->macro[m] += isnan(value) ? 0 : value;
        sums->weighted[m] += isnan(value) ? 0 : support * value;
    }
    tree_number(all->make, row, "support", support);
}

static void report_label_table(struct evaluation *all, const struct label_counts *counts) {
    struct label_sums sums = {0};
    double found = 0;
    struct tree *labels = tree_array(all->make, all->report, "labels");
    for (size_t k = 0; k < counts->labels; k++)
        tree_text(all->make, labels, NULL, data_label_name(all->data, k));
    tree_null(all->make, all->report, "confusion"); /* labels do not exclude each other */
    struct tree *list = tree_array(all->make, all->report, "per_class");
    for (size_t k = 0; k < counts->labels; k++) {
        report_label(all, list, counts, k, &sums);
        found += counts->tp[k];
    }
    struct class_counts pooled = {found, counts->called, counts->actual};
    for (size_t m = 0; metric_table[m] && m < LABEL_METRICS; m++) {
        double value =
            metric_table[m]->of_class ? fraction_value(metric_table[m]->of_class(&pooled)) : 0;
        sums.micro[m] = isnan(value) ? 0 : value;
    }
    evaluation_average(all, "macro", sums.macro, (double)counts->labels);
    evaluation_average(all, "micro", sums.micro, 1);
    evaluation_average(all, "weighted", sums.weighted, counts->actual > 0 ? counts->actual : 1);
}

/* ---- probabilities ------------------------------------------------------------------------ */

/* Sums over all labels of a row. One that the model has not seen had probability 0. */
struct label_losses {
    double log_loss, brier;
};

static struct label_losses label_losses(const struct evaluation *all) {
    const struct row_labels labels = data_labels(all->data);
    size_t known = all->linear->classes;
    struct label_losses sum = {0, 0};
    for (size_t i = 0; i < all->data->matrix.rows; i++) {
        const double *scores = all->predictions.shown + i * known;
        double loss = 0, square = 0, weight = data_weight(all->data, i);
        size_t n;
        const int32_t *own = row_labels_of(&labels, i, &n);
        for (size_t k = 0; k < known; k++) {
            double side = row_has_label(&labels, i, k) ? 1 : -1, m = side * scores[k];
            double log_p = fmin(m, 0) - log1p(exp(-fabs(m))), miss = expm1(log_p);
            loss -= log_p;
            square += miss * miss;
        }
        for (size_t s = 0; s < n; s++) {
            if ((size_t)own[s] < known) continue;
            loss = INFINITY;
            square += 1;
        }
        sum.log_loss += weight * loss;
        sum.brier += weight * square;
    }
    return sum;
}

/* The mean over the labels that some rows have and others do not. */
static sepal_status rank_labels(struct evaluation *all) {
    const struct row_labels labels = data_labels(all->data);
    size_t rows = all->data->matrix.rows, known = all->linear->classes, ranked = 0;
    bool *positive = arena_alloc(all->ctx, &all->arena, rows, sizeof *positive);
    if (!positive) return SEPAL_EMEMORY;
    for (size_t k = 0; k < known; k++) {
        struct ranking one;
        for (size_t i = 0; i < rows; i++) positive[i] = row_has_label(&labels, i, k);
        TRY(evaluation_rank(all, k, positive, &one));
        if (isnan(one.roc_auc)) continue;
        ranked++;
        all->ranking.roc_auc += one.roc_auc;
        all->ranking.average_precision += one.average_precision;
    }
    all->ranking.roc_auc /= (double)ranked;
    all->ranking.average_precision /= (double)ranked;
    return SEPAL_OK;
}

/* The probabilities of each label in bins, for the calibration curves. */
static sepal_status bin_labels(struct evaluation *all) {
    const struct row_labels labels = data_labels(all->data);
    size_t known = all->linear->classes, bins = all->options->bins;
    if (!all->options->curves || !evaluation_has_probabilities(all)) return SEPAL_OK;
    all->probability.bins =
        arena_zero(all->ctx, &all->arena, known * bins, sizeof *all->probability.bins);
    if (!all->probability.bins) return SEPAL_EMEMORY;
    for (size_t i = 0; i < all->data->matrix.rows; i++)
        for (size_t k = 0; k < known; k++)
            bin_add(all->probability.bins + k * bins, bins,
                    logistic(all->predictions.shown[i * known + k]), row_has_label(&labels, i, k),
                    data_weight(all->data, i));
    return SEPAL_OK;
}

/* ---- together ----------------------------------------------------------------------------- */

static sepal_status label_sets_ask(struct evaluation *all) {
    size_t rows = all->data->matrix.rows, known = all->linear->classes;
    struct predictions *out = &all->predictions;
    *out = (struct predictions){.n = rows};
    out->labels = mem_alloc(all->ctx, rows, known * sizeof *out->labels);
    out->shown = mem_alloc(all->ctx, rows, known * sizeof *out->shown);
    if (!out->labels || !out->shown) return SEPAL_EMEMORY;
    return model_predict(out, all->ctx, all->model, all->data, all->rule);
}

static void report_sets(struct evaluation *all, const struct label_counts *counts) {
    struct tree_maker *make = all->make;
    struct label_losses losses = label_losses(all);
    tree_number(make, all->report, "rows", (double)all->data->matrix.rows);
    if (all->data->weight) tree_number(make, all->report, "total_weight", all->data->total_weight);
    tree_bool(make, all->report, "label_sets", true);
    tree_number(make, all->report, "accuracy", counts->exact / counts->total);
    tree_number(make, all->report, "error", counts->errors / counts->total);
    tree_number(make, all->report, "subset_accuracy", counts->exact / counts->total);
    tree_number(make, all->report, "hamming_loss", label_counts_hamming_loss(counts));
    struct tree *cardinality = tree_object(make, all->report, "cardinality");
    tree_number(make, cardinality, "actual", counts->actual / counts->total);
    tree_number(make, cardinality, "predicted", counts->called / counts->total);
    evaluation_put(all, all->report, "log_loss", "", losses.log_loss / counts->total);
    tree_number(make, all->report, "brier", losses.brier / counts->total);
    evaluation_put(all, all->report, "roc_auc", "", all->ranking.roc_auc);
    evaluation_put(all, all->report, "pr_auc", "", all->ranking.average_precision);
    tree_null(make, all->report, "mcc"); /* of classes that exclude each other, as is the next */
    tree_null(make, all->report, "balanced_accuracy");
    tree_null(make, all->report, "kappa");
    tree_null(make, all->report, "ece"); /* each label has one of its own, with its curve */
}

/* What is about one class a row. */
static sepal_status check_options(const struct evaluation *all) {
    const struct evaluate_options *options = all->options;
    const char *name = options->cost ? "cost" : options->top_k ? "top-k" : "bootstrap";
    if (!options->cost && !options->top_k && !options->resamples) return SEPAL_OK;
    return fail(all->ctx, SEPAL_EUSAGE,
                "this %s model gives sets of labels, and " OPTION
                "%s is about models that give a class a row; leave it out",
                all->model->learner, name);
}

sepal_status evaluate_label_sets(struct evaluation *all) {
    static const char *const regions[] = {"several", "none", "tied"};
    struct label_counts counts;
    TRY(evaluation_positive(all, all->options->positive));
    TRY(check_options(all));
    TRY(label_sets_ask(all));
    TRY(label_counts_make(&counts, all->ctx, &all->arena, all->data, all->predictions.labels));
    TRY(bin_labels(all));
    if (all->options->curves) curves_begin(all);
    TRY(rank_labels(all));
    all->undefined = tree_array(all->make, NULL, NULL);
    report_sets(all, &counts);
    report_label_table(all, &counts);
    tree_number(all->make, all->report, "coverage",
                (counts.total - counts.undecided) / counts.total);
    struct tree *ambiguous = tree_object(all->make, all->report, "ambiguous");
    for (size_t i = 0; i < sizeof regions / sizeof *regions; i++)
        tree_number(all->make, ambiguous, regions[i], 0);
    report_set_intervals(all, &counts);
    TRY(curves_end(all));
    all->undefined->key = "undefined";
    tree_adopt(all->report, all->undefined);
    return all->make->failed ? SEPAL_EMEMORY : SEPAL_OK;
}
