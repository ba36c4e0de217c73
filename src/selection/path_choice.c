/* What the folds say of each value, and which to take. The standard error of a mean over folds is that of
   glmnet: sqrt(sum of W_f (m_f - m)^2 / W / (K - 1)), W_f being the weight of the rows in fold f. */
#include "selection/path.h"

#include <math.h>

static void mean_and_error(double *mean, double *error, const struct path *path,
                           const double *of_fold, size_t k) {
    size_t folds = path->options.folds;
    double total = 0, sum = 0, square = 0;
    for (size_t f = 0; f < folds; f++) {
        total += path->fold_weight[f];
        sum += path->fold_weight[f] * of_fold[f * path->wanted + k];
    }
    *mean = sum / total;
    for (size_t f = 0; f < folds; f++) {
        double off = of_fold[f * path->wanted + k] - *mean;
        square += path->fold_weight[f] * off * off;
    }
    *error = sqrt(square / total / (double)(folds - 1));
}

void path_judge(struct path *path) {
    path->best = path->one_se = 0;
    for (size_t k = 0; k < path->n; k++) {
        struct path_row *row = &path->row[k];
        mean_and_error(&row->loss, &row->loss_error, path, path->fold_loss, k);
        mean_and_error(&row->error, &row->error_error, path, path->fold_error, k);
        if (row->loss < path->row[path->best].loss) path->best = k;
    }
    double most = path->row[path->best].loss + path->row[path->best].loss_error;
    while (path->one_se < path->best && path->row[path->one_se].loss > most) path->one_se++;
}
