/* What a metric is: a row of a table. A new one is one file and one line in metrics.def. */
#ifndef SEPAL_EVAL_METRIC_H
#define SEPAL_EVAL_METRIC_H

#include "data/data.h"
#include "eval/evaluate_options.h"
#include "eval/ranked.h"
#include "model/predict.h"

/* count[target * width + predicted], weighted; the last column of `width` = labels + 1 has what is
   not decided. */
struct confusion {
    size_t labels, width;
    double *count;
    double *target, *predicted; /* row and column sums */
    double total, right, undecided;
    /* sums of squared weights, of which w^2 / them is how many rows of equal weight say as much */
    double *target_squares, *predicted_squares, squares;
};
sepal_status confusion_count(struct confusion *out, sepal_ctx *ctx, struct arena *arena,
                             const sepal_data *data, const int32_t *decided, bool abstains);
/* From classes x classes weights of rows that are all decided; there are no squares. */
sepal_status confusion_of_counts(struct confusion *out, sepal_ctx *ctx, struct arena *arena,
                                 const sepal_data *data, const double *counts);

/* Area under the ROC curve and average precision of a ranking; NaN when one side is empty. */
struct ranking {
    double roc_auc, average_precision;
    size_t steps, corners; /* how many scores there are; how many of them the ROC curve needs */
};
struct ranking ranking_of(const struct ranked *ranked);
/* The same bits of rows without weights, whose scores are all numbers; steps and corners are left 0. Those of the
   class alone are sorted: of use where they are few. */
sepal_status ranking_counted(struct ranking *out, sepal_ctx *ctx, const struct ranking_rows *rows);
/* The standard error of the area (DeLong, DeLong and Clarke-Pearson 1988). */
double ranking_auc_error(const struct ranked *ranked, double auc);

/* Rows by a probability: how many, the sum of it, how many of them are so. */
struct bin {
    double count, probability, hits;
};
struct evaluation;
/* What probabilities are worth; NaN where they are not there. */
struct probability_facts {
    double log_loss, brier, ece;
    double log_loss_error, brier_error; /* standard errors */
    struct bin *bins; /* K x options->bins: of each class against the rest; NULL without curves */
};
sepal_status probability_facts_make(struct probability_facts *out, struct evaluation *all);
/* Mean |probability - fraction| of rows of that weight in all. */
double calibration_error(const struct bin *bins, size_t n, double total);
size_t bin_of(double p, size_t bins);
void bin_add(struct bin *bins, size_t n, double p, bool hit, double weight);

/* Where curves go; root NULL: they are not asked for. */
struct curve_trees {
    struct tree *root, *roc, *pr, *calibration;
};

/* What metrics are functions of. */
struct evaluation {
    sepal_ctx *ctx;
    const sepal_model *model;
    const struct linear *linear;
    const sepal_data *data;
    const struct decision_rule *rule;
    size_t positive;                /* the class that metrics of two classes are about */
    const double *counts;           /* instead of predictions, see evaluate_counted; NULL: none */
    struct predictions predictions; /* `shown` of K > 2 classes: what each is ranked by */
    const double *turned;           /* the same by class; NULL: they are not */
    struct confusion confusion;     /* of label sets: none */
    struct ranking ranking;         /* of the positive class; of K > 2 classes the mean over them */
    double auc_error;               /* NaN: none */
    struct probability_facts probability;
    const struct evaluate_options *options;
    struct arena arena;
    struct tree_maker *make;
    struct tree *report, *undefined;
    struct curve_trees curves;
};
bool evaluation_has_probabilities(const struct evaluation *all);
/* The ranking of the rows for class k, which are marked; its curves, and of two classes the error of its
   area. */
sepal_status evaluation_rank(struct evaluation *all, size_t k, const bool *positive,
                             struct ranking *out);

/* Of one class, or of all pooled: its rows that were found (TP), those called so (TP + FP), those that
   are so (TP + FN). */
struct class_counts {
    double found, called, actual;
};
struct fraction {
    double part, whole;
};

struct metric {
    const char *name, *summary;
    bool probabilities; /* models without them have no such number */
    bool ranks;         /* by a ranking of the rows */
    /* One of them. Of all rows: what is not finite has no value on them. */
    double (*of_rows)(const struct evaluation *all);
    /* Of each class, and averaged over the classes. 0/0 has no value, and counts as 0 in averages. */
    struct fraction (*of_class)(const struct class_counts *counts);
};

/* What is 0/0 has no value: NaN. */
double fraction_value(struct fraction fraction);
/* A number of the report; without a value it is null, and named in `undefined`. `label` "": of all rows. */
void evaluation_put(struct evaluation *all, struct tree *parent, const char *name,
                    const char *label, double value);
/* The metrics of classes, sums[m] / count of row m of the table. */
void evaluation_average(struct evaluation *all, const char *key, const double *sums, double count);
/* Which class two-class metrics are about. */
sepal_status evaluation_positive(struct evaluation *all, const char *label);
/* curves.c: the curves of class k are added to the report's; then that of coverage, and all of them
   get their place. */
void curves_begin(struct evaluation *all);
sepal_status curves_add(struct evaluation *all, size_t k, const struct ranked *ranked,
                        const struct ranking *ranking);
sepal_status curves_end(struct evaluation *all);
/* Fraction of the rows whose class is among the k that have the largest numbers. */
double top_k_accuracy(const struct evaluation *all, size_t k);
/* cost.c: what the decisions cost, by the matrix of a file. */
sepal_status report_cost(struct evaluation *all);
/* intervals.c: of the numbers that a formula has one for; resamples.c: of all others. */
sepal_status report_intervals(struct evaluation *all);
struct label_counts;
void report_set_intervals(struct evaluation *all, const struct label_counts *counts);
void interval_put(struct evaluation *all, struct tree *parent, const char *key, double low,
                  double high);
sepal_status report_resamples(struct evaluation *all, struct tree *intervals);
/* evaluate_labels.c: sets of labels. */
sepal_status evaluate_label_sets(struct evaluation *all);

#define METRIC(name) extern const struct metric metric_##name;
#include "eval/metrics.def"
#undef METRIC
extern const struct metric *const metric_table[]; /* ends with NULL */

#endif
