/* Measures of an order of rows: how often a positive row stands above a negative one (ties count
   half), and the mean precision at the positive rows. Rows of equal score are taken together. */
#include "core/alloc.h"
#include "eval/metric.h"

#include <math.h>
#include <stdlib.h>

struct scored {
    double score, weight;
    bool positive;
};

static int falling(const void *a, const void *b) {
    double x = ((const struct scored *)a)->score, y = ((const struct scored *)b)->score;
    return (x < y) - (x > y);
}

static struct ranking rank(const struct scored *rows, size_t n) {
    double tp = 0, fp = 0, area = 0, precision = 0;
    for (size_t i = 0, j; i < n; i = j) {
        double more_tp = 0, more_fp = 0;
        for (j = i; j < n && rows[j].score == rows[i].score; j++)
            *(rows[j].positive ? &more_tp : &more_fp) += rows[j].weight;
        area += more_fp * (tp + more_tp / 2);
        tp += more_tp;
        fp += more_fp;
        if (more_tp > 0) precision += more_tp * tp / (tp + fp);
    }
    return (struct ranking){.roc_auc = tp > 0 && fp > 0 ? area / (tp * fp) : NAN,
                            .average_precision = tp > 0 ? precision / tp : NAN};
}

sepal_status rank_scores(struct ranking *out, sepal_ctx *ctx, const double *score, size_t stride,
                         const bool *positive, const double *weight, size_t n) {
    struct scored *rows = mem_alloc(ctx, n, sizeof *rows);
    if (!rows) return SEPAL_EMEMORY;
    for (size_t i = 0; i < n; i++)
        rows[i] = (struct scored){score[i * stride], weight ? weight[i] : 1, positive[i]};
    qsort(rows, n, sizeof *rows, falling);
    *out = rank(rows, n);
    mem_free(rows);
    return SEPAL_OK;
}

static double roc_auc(const struct evaluation *all) {
    return all->ranking.roc_auc;
}

static double pr_auc(const struct evaluation *all) {
    return all->ranking.average_precision;
}

const struct metric metric_roc_auc = {
    .name = "roc_auc",
    .summary =
        "area under the ROC curve: chance that a row of the class scores above one that is not",
    .of_rows = roc_auc};
const struct metric metric_pr_auc = {
    .name = "pr_auc",
    .summary = "average precision: mean precision at the rows of the class",
    .of_rows = pr_auc};
