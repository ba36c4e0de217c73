/* Measures of an order of rows: how often a positive row stands above a negative one (ties count
   half), and the mean precision at the positive rows. Rows of equal score are taken together. */
#include "eval/metric.h"

#include <math.h>

struct ranking ranking_of(const struct ranked *ranked) {
    struct ranking out = {0};
    double tp = 0, fp = 0, area = 0, precision = 0, before[2] = {NAN, NAN};
    for (struct ranked_walk walk = ranked_begin(ranked); ranked_next(&walk); out.steps++) {
        double more_fp = walk.more[0], more_tp = walk.more[1];
        area += more_fp * (tp + more_tp / 2);
        tp += more_tp;
        fp += more_fp;
        if (more_tp > 0) precision += more_tp * tp / (tp + fp);
        out.corners += more_fp != before[0] || more_tp != before[1];
        before[0] = more_fp;
        before[1] = more_tp;
    }
    out.roc_auc = tp > 0 && fp > 0 ? area / (tp * fp) : NAN;
    out.average_precision = tp > 0 ? precision / tp : NAN;
    return out;
}

/* Of each row how far the part of the other side that it stands on the right side of is from the mean of
   that, the area. */
double ranking_auc_error(const struct ranked *ranked, double auc) {
    double total[2] = {0}, squares[2] = {0}, sum[2] = {0}, above[2] = {0};
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < ranked->side[s].n; i++) {
            double weight = ranked->side[s].note ? ranked->side[s].note[i] : 1;
            total[s] += weight;
            squares[s] += weight * weight;
        }
    for (struct ranked_walk walk = ranked_begin(ranked); ranked_next(&walk);) {
        double share[2] = {(above[1] + walk.more[1] / 2) / total[1],
                           1 - (above[0] + walk.more[0] / 2) / total[0]};
        for (int s = 0; s < 2; s++) {
            const struct ranked_side *side = &ranked->side[s];
            double weights = 0; /* squared */
            for (size_t i = walk.at[s]; i > 0 && side->key[i - 1] == walk.key; i--)
                weights += side->note ? side->note[i - 1] * side->note[i - 1] : 1;
            sum[s] += weights * (share[s] - auc) * (share[s] - auc);
            above[s] += walk.more[s];
        }
    }
    double variance = 0;
    for (int s = 0; s < 2; s++) {
        double n = total[s] * total[s] / squares[s];
        variance += n > 1 ? sum[s] / (total[s] * total[s]) * n / (n - 1) : INFINITY;
    }
    return isfinite(variance) ? sqrt(variance) : NAN;
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
    .ranks = true,
    .of_rows = roc_auc};
const struct metric metric_pr_auc = {
    .name = "pr_auc",
    .summary = "average precision: mean precision at the rows of the class",
    .ranks = true,
    .of_rows = pr_auc};
