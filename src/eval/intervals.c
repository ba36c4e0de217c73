/* How far the numbers of an evaluation may be from those of all rows there could be. Fractions of rows have
   Wilson's interval (J. Am. Stat. Assoc. 1927), means over the rows the normal one, the area under the ROC
   curve of two classes that of DeLong, DeLong and Clarke-Pearson (Biometrics 1988) on the scale of its log
   odds, so that it stays below 1. With weights there are as many rows as would say as much with equal ones,
   (sum w)^2 / sum w^2 (Kish 1965). */
#include "eval/metric.h"
#include "model/label_counts.h"

#include <math.h>

/* How many standard deviations around the mean hold so much of a normal distribution. */
static double normal_reach(double confidence) {
    double low = 0, high = 40;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        *(erfc(middle / sqrt(2)) > 1 - confidence ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

void interval_put(struct evaluation *all, struct tree *parent, const char *key, double low,
                  double high) {
    if (!isfinite(low) || !isfinite(high)) {
        tree_null(all->make, parent, key);
        return;
    }
    const double ends[] = {low, high};
    tree_numbers(all->make, parent, key, ends, 2);
}

struct interval {
    double low, high;
};

static struct interval wilson(double p, double n, double reach) {
    double z2 = reach * reach, middle = (p + z2 / (2 * n)) / (1 + z2 / n);
    double half = reach / (1 + z2 / n) * sqrt(p * (1 - p) / n + z2 / (4 * n * n));
    if (!(n > 0)) return (struct interval){NAN, NAN};
    return (struct interval){fmax(0, fmin(p, middle - half)), fmin(1, fmax(p, middle + half))};
}

static double effective(double sum, double squares) {
    return squares > 0 ? sum * sum / squares : 0;
}

static void put_fraction(struct evaluation *all, struct tree *parent, const char *key, double part,
                         double whole, double squares, double reach) {
    struct interval of = {NAN, NAN};
    if (whole > 0) of = wilson(fmin(1, part / whole), effective(whole, squares), reach);
    interval_put(all, parent, key, of.low, of.high);
}

static void put_mean(struct evaluation *all, struct tree *parent, const char *key, double mean,
                     double error, double reach) {
    interval_put(all, parent, key, fmax(0, mean - reach * error), mean + reach * error);
}

/* Where all pairs are in order the deviation is 0 and says nothing: as of as many pairs as the smaller
   side has rows. */
static void put_area(struct evaluation *all, struct tree *parent, double reach) {
    const struct confusion *confusion = &all->confusion;
    double area = all->ranking.roc_auc, error = all->auc_error, most = INFINITY;
    double own = confusion->target[all->positive], rest = confusion->total - own;
    struct interval of = {NAN, NAN};
    if (isfinite(error) && error > 0 && area > 0 && area < 1) {
        double odds = log(area / (1 - area)), spread = reach * error / (area * (1 - area));
        of = (struct interval){logistic(odds - spread), logistic(odds + spread)};
    } else if (isfinite(area)) {
        double squares = confusion->target_squares[all->positive];
        most = fmin(effective(own, squares), effective(rest, confusion->squares - squares));
        of = wilson(area, most, reach);
    }
    interval_put(all, parent, "roc_auc", of.low, of.high);
}

static void put_classes(struct evaluation *all, struct tree *parent, double reach) {
    const struct confusion *confusion = &all->confusion;
    struct tree *list = tree_array(all->make, parent, "per_class");
    for (size_t k = 0; k < confusion->labels; k++) {
        double found = confusion->count[k * confusion->width + k];
        struct tree *row = tree_object(all->make, list, NULL);
        tree_text(all->make, row, "label", data_label_name(all->data, k));
        put_fraction(all, row, "precision", found, confusion->predicted[k],
                     confusion->predicted_squares[k], reach);
        put_fraction(all, row, "recall", found, confusion->target[k], confusion->target_squares[k],
                     reach);
    }
}

sepal_status report_intervals(struct evaluation *all) {
    const struct confusion *confusion = &all->confusion;
    const struct probability_facts *probability = &all->probability;
    double total = confusion->total, squares = confusion->squares;
    if (!(all->options->confidence > 0)) return SEPAL_OK;
    double reach = normal_reach(all->options->confidence);
    struct tree *intervals = tree_object(all->make, all->report, "intervals");
    tree_number(all->make, intervals, "confidence", all->options->confidence);
    tree_number(all->make, intervals, "effective_rows", effective(total, squares));
    put_fraction(all, intervals, "accuracy", confusion->right, total, squares, reach);
    put_fraction(all, intervals, "error", total - confusion->right, total, squares, reach);
    if (all->options->top_k > 0)
        put_fraction(all, intervals, "top_k", top_k_accuracy(all, all->options->top_k) * total,
                     total, squares, reach);
    put_mean(all, intervals, "log_loss", probability->log_loss, probability->log_loss_error, reach);
    put_mean(all, intervals, "brier", probability->brier, probability->brier_error, reach);
    if (all->linear->classes == 2) put_area(all, intervals, reach);
    put_classes(all, intervals, reach);
    return report_resamples(all, intervals);
}

/* Sets that are right as a whole; of each label, as of a class. */
void report_set_intervals(struct evaluation *all, const struct label_counts *counts) {
    double squares = 0;
    if (!(all->options->confidence > 0)) return;
    double reach = normal_reach(all->options->confidence);
    for (size_t i = 0; i < all->data->matrix.rows; i++)
        squares += data_weight(all->data, i) * data_weight(all->data, i);
    struct tree *intervals = tree_object(all->make, all->report, "intervals");
    tree_number(all->make, intervals, "confidence", all->options->confidence);
    tree_number(all->make, intervals, "effective_rows", effective(counts->total, squares));
    put_fraction(all, intervals, "accuracy", counts->exact, counts->total, squares, reach);
    put_fraction(all, intervals, "error", counts->errors, counts->total, squares, reach);
}
