/* Sets of labels: how predicted sets compare with those of the rows. */
#ifndef SEPAL_MODEL_LABEL_COUNTS_H
#define SEPAL_MODEL_LABEL_COUNTS_H

#include "model/predict.h"

/* All of it weighted. Labels are those of the model, then ones that it has not seen. */
struct label_counts {
    size_t labels;
    double *tp, *fp, *fn, *tn;
    double total, exact, errors; /* rows; those whose set is as predicted; the others */
    double undecided;            /* rows */
    double wrong;                /* pairs of row and label: FP and FN */
    double actual, called;       /* labels of the rows, and of the predictions */
};

/* `predicted` is rows x the model's labels, as struct predictions has it. What is not decided counts as
   not predicted, and its row as an error. */
sepal_status label_counts_make(struct label_counts *out, sepal_ctx *ctx, struct arena *arena,
                               const sepal_data *data, const int8_t *predicted);
/* 2 TP / (2 TP + FP + FN), pooled over the labels, or the mean over them (0/0 counts as 0). */
double label_counts_micro_f1(const struct label_counts *counts);
double label_counts_macro_f1(const struct label_counts *counts);
/* Wrong pairs of row and label among all. */
double label_counts_hamming_loss(const struct label_counts *counts);

/* `train` in the report of a fit: how the model does on the rows that it was learnt from. */
sepal_status label_sets_train(struct tree_maker *make, struct tree *report, sepal_ctx *ctx,
                              const sepal_model *model, const sepal_data *data,
                              const struct decision_rule *rule);

#endif
