/* What a metric is: a row of a table. A new one is one file and one line in metrics.def. */
#ifndef SEPAL_EVAL_METRIC_H
#define SEPAL_EVAL_METRIC_H

#include "data/data.h"
#include "model/predict.h"

/* count[target * width + predicted], weighted; the last column of `width` = labels + 1 has what is
   not decided. */
struct confusion {
    size_t labels, width;
    double *count;
    double *target, *predicted; /* row and column sums */
    double total, right, undecided;
};
sepal_status confusion_count(struct confusion *out, sepal_ctx *ctx, struct arena *arena,
                             const sepal_data *data, const int32_t *decided, bool abstains);

/* Area under the ROC curve and average precision of a ranking; NaN when one side is empty. */
struct ranking {
    double roc_auc, average_precision;
};
sepal_status rank_scores(struct ranking *out, sepal_ctx *ctx, const double *score, size_t stride,
                         const bool *positive, const double *weight, size_t n);

/* What metrics are functions of. */
struct evaluation {
    sepal_ctx *ctx;
    const sepal_model *model;
    const struct linear *linear;
    const sepal_data *data;
    const struct decision_rule *rule;
    size_t positive;                /* the class that metrics of two classes are about */
    struct predictions predictions; /* `shown` of K > 2 classes: what each is ranked by */
    struct confusion confusion;     /* of label sets: none */
    struct ranking ranking;         /* of the positive class; of K > 2 classes the mean over them */
    struct arena arena;
    struct tree_maker *make;
    struct tree *report, *undefined;
};
/* The logarithms of a row's probabilities; `pair` has room for those of two classes. */
const double *evaluation_logs(const struct evaluation *all, size_t row, double pair[2]);

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
/* evaluate_labels.c: sets of labels. */
sepal_status evaluate_label_sets(struct evaluation *all, const char *positive);

#define METRIC(name) extern const struct metric metric_##name;
#include "eval/metrics.def"
#undef METRIC
extern const struct metric *const metric_table[]; /* ends with NULL */

#endif
