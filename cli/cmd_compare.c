/* sepal compare: specs on the same folds, and whether they differ. */
#include "selecting.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct option compare_options[] = {
    {.name = "method",
     .letter = 'm',
     .placeholder = "SPEC",
     .many = true,
     .help = "what to compare, given once for each; without it some usual learners"},
    SELECTING_OPTIONS,
    {0},
};

static void put_models(struct sink *out, const sepal_report *report) {
    double best = sepal_report_number(report, "compare.best");
    sink_puts(out, "spec,mean,std,standard_error,train_mean,train_std,accuracy_mean,accuracy_std,"
                   "best\n");
    for (size_t k = 0;; k++) {
        static const char *const keys[] = {"mean",        "std",       "standard_error",
                                           "train.mean",  "train.std", "accuracy.mean",
                                           "accuracy.std"};
        char place[64];
        (void)snprintf(place, sizeof place, "compare.models.%zu.spec", k);
        if (sepal_report_string(report, place) == NULL) return;
        put_cell(out, report, "%s", place);
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            sink_puts(out, ",");
            put_number(out, report, "compare.models.%zu.%s", k, keys[i]);
        }
        sink_printf(out, ",%d\n", (double)k == best);
    }
}

static void say_best(struct session *s, const sepal_report *report) {
    say_refit(s, sepal_report_string(report, "spec"), "");
}

static int compare_run(struct session *s) {
    struct selecting all = {.task = "compare", .put_table = put_models, .say_next = say_best};
    return selecting_run(s, &all);
}

static const char *const compare_tasks[] = {"compare", NULL};

const struct command cmd_compare = {
    .name = "compare",
    .summary = "compare methods by cross-validation, and test their differences",
    .description =
        "Fit each SPEC outside of each of K folds of the rows, the same for all, and judge it by "
        "the fold. Differences are tested by the paired t-test of Nadeau and Bengio, whose "
        "variance allows for the rows that folds share, in all pairs, with p-values adjusted by "
        "Holm's method. --repeats R deals the rows out R times and makes the tests sharper.\n"
        "Without -m some usual learners that suit the data are compared, on at most 20000 rows. "
        "The share of the most frequent class is shown beside them. -o saves the best, fitted to "
        "all rows.",
    .run = compare_run,
    .usage = "DATA [-m SPEC -m SPEC ...] [-o MODEL] [OPTION ...]",
    .fewest = 1,
    .most = 1,
    .reads = true,
    .fits = true,
    .decides = true,
    .tasks = compare_tasks,
    .options = compare_options,
    .examples = {"sepal compare examples/data/wine.csv -m standardize+softmax -m lda",
                 "sepal compare examples/data/breast_cancer.csv"},
};
