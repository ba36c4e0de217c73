/* The facts of a comparison. */
#include "selection/compare.h"
#include "selection/selection_report.h"

#include <math.h>
#include <string.h>

static void report_model(struct tree_maker *make, struct tree *parent, const struct comparison *all,
                         const struct compared *model) {
    struct tree *row = tree_object(make, parent, NULL);
    tree_text(make, row, "spec", model->spec);
    tree_text(make, row, "spec_in_short", model->in_short);
    if (model->left_out) {
        tree_text(make, row, "left_out", model->left_out);
        return;
    }
    tree_number(make, row, "mean", model->valid.mean);
    tree_number(make, row, "std", model->valid.std);
    tree_number(make, row, "standard_error", model->valid.error);
    report_spread(make, row, "train", &model->train, false);
    report_spread(make, row, "accuracy", &model->accuracy, false);
    tree_numbers(make, row, "values", model->values, all->splits.n);
    tree_bool(make, row, "converged", model->converged);
    tree_number(make, row, "seconds", model->seconds);
}

static void report_pair(struct tree_maker *make, struct tree *parent,
                        const struct compared_pair *pair) {
    struct tree *row = tree_object(make, parent, NULL);
    bool tested = !isnan(pair->test.p);
    tree_number(make, row, "a", (double)pair->a);
    tree_number(make, row, "b", (double)pair->b);
    tree_number(make, row, "difference", pair->test.difference);
    tree_number(make, row, "standard_error", pair->test.standard_error);
    tree_number(make, row, "t", pair->test.t);
    tree_number(make, row, "df", tested ? (double)pair->test.freedom : NAN);
    tree_number(make, row, "p", pair->test.p);
    tree_number(make, row, "p_adjusted", pair->adjusted);
}

static void report_baseline(struct tree_maker *make, struct tree *out,
                            const struct comparison *all) {
    const char *name = all->measure.name;
    bool loss = strcmp(name, "log_loss") == 0, accuracy = strcmp(name, "accuracy") == 0;
    const struct baseline *base = &all->baseline;
    if (all->data->set_start) return;
    struct tree *row = tree_object(make, out, "baseline");
    tree_text(make, row, "class", all->data->schema->classes[base->class]);
    tree_number(make, row, "mean",
                loss       ? base->log_loss.mean
                : accuracy ? base->accuracy.mean
                           : NAN);
    tree_number(make, row, "std", loss ? base->log_loss.std : accuracy ? base->accuracy.std : NAN);
    report_spread(make, row, "accuracy", &base->accuracy, false);
}

/* Why the best is: a sentence. */
static void report_why(struct tree_maker *make, struct tree *out, const struct comparison *all) {
    struct text why = {0};
    size_t judged = 0;
    for (size_t i = 0; i < all->n; i++) judged += all->models[i].left_out == NULL;
    if (all->lone) {
        tree_text(
            make, out, "why",
            "the first of the usual learners, as a class with a single row cannot be held out");
        return;
    }
    if (all->usual && all->n == 1) {
        tree_text(make, out, "why", "the usual learner of rows that have sets of labels");
        return;
    }
    text_printf(all->ctx, &why, "the %s mean %s on held-out rows, %.4g, of %zu method%s by ",
                all->measure.better > 0 ? "largest" : "least", all->measure.name,
                all->models[all->best].valid.mean, judged, judged == 1 ? "" : "s");
    if (all->options.splits.loo)
        text_puts(all->ctx, &why, "leaving one row out at a time");
    else
        text_printf(all->ctx, &why, "%zu-fold cross-validation", all->splits.folds);
    if (why.failed) make->failed = true;
    tree_text(make, out, "why", why.bytes ? why.bytes : "");
    text_clear(&why);
}

void compare_report(const struct comparison *all) {
    struct tree_maker *make = all->asked->make;
    struct tree *report = all->asked->report;
    tree_text(make, report, "spec", all->models[all->best].spec);
    report_rows_of(make, report, all->asked->data);
    struct tree *out = tree_object(make, report, "compare");
    tree_text(make, out, "metric", all->measure.name);
    tree_text(make, out, "better", all->measure.better > 0 ? "more" : "less");
    tree_bool(make, out, "usual_set", all->usual);
    tree_number(make, out, "rows", (double)all->data->matrix.rows);
    struct tree *models = tree_array(make, out, "models");
    for (size_t i = 0; i < all->n; i++) report_model(make, models, all, &all->models[i]);
    struct tree *pairs = tree_array(make, out, "pairs");
    for (size_t i = 0; i < all->n_pairs; i++) report_pair(make, pairs, &all->pairs[i]);
    tree_number(make, out, "best", (double)all->best);
    report_why(make, out, all);
    report_baseline(make, out, all);
    report_end_of(all->ctx, make, report, all->asked->data, &all->splits, all->seconds);
}
